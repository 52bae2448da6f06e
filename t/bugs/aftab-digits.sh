# SPDX-License-Identifier: ISC
# A fraction in a column cost integers beyond 2^53 their last digits.
printf 'agg\t1\tr\t%s\tm\t%s\tstat=max\n' f 9007199254740993 g 0.5 h -18446744073709551617 i 9007199254740992.0 >in
aftab in
# an integer that is no double is neither infinite, nor left out of what there are shares of
awk 'BEGIN { for (x = "1"; length(x) < 310;) x = x "0"; OFS = "\t"
	print "agg", 1, "r", "f", "m", x, "stat=sum"; print "agg", 1, "r", "g", "m", 0.5, "stat=sum" }' >in
aftab in | tr -s 0
aftab --human in | tr -s 0
awk 'BEGIN { for (x = "1"; length(x) < 500;) x = x "0"; OFS = "\t"
	print "agg", 1, "r", "f", "m", x, "stat=sum"; print "agg", 1, "r", "g", "m", 0.5, "stat=sum" }' >in
aftab in | tr -s 0 | tr -s ' '
# small numbers were shown as 0.000000000
printf 'agg\t1\tr\t%s\tm\t%s\tstat=max\n' f 3e-12 g 1.25e-300 | aftab
