# SPDX-License-Identifier: ISC
# A statistic with a blank was cut there when the values of a key were columns: its last word was its
# name, and csvenc failed with "out of memory" if the value was a dot.
printf 'agg\t1\tr\t%s\tm\t%d\tstat=%s\n' '\.' 5 'p 50' 'a b' 6 'p 50' 'a b' 7 'q 50' >s
for prog in aftab csvenc; do
	$prog --no-marks --wide region s
done
