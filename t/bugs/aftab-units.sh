# SPDX-License-Identifier: ISC
# Units that only the measure lines say: 5 ns and 7 ms were in one table, with shares of 12.
printf 'measure\t.\tr%d\t.\tm\t.\tunit=%s\n' 1 ns 2 ms 3 ns >in
printf 'agg\t1\tr%d\tf\tm\t%d\tstat=sum\n' 1 5 2 7 3 5 4 1 >>in
aftab in
# measure lines after the aggregates, as sort leaves them, and aggregates of several runs
grep -v ms in | grep -v r[24] | sed '$s/r3/./' | sort | aftab
# a tag that says that there is none
printf 'measure\t.\tr1\t.\tm\t.\tunit=ns\nagg\t1\tr2\tf\tm\t1\tstat=sum\tunit=.\n' | aftab
# units that differ, said too late
grep -v r[34] in | sort | aftab
