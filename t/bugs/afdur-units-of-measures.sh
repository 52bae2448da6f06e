# SPDX-License-Identifier: ISC
# What a value grew by had no unit where only the measure line said that of the value, so that
# afagg added up 8 B and 1 KiB.
printf 'measure\t.\tr%d\t.\tmem\t.\tunit=%s\n' 1 B 2 KiB >in
printf '%s\t%d\tr%d\tf\tmem\t%d\n' start 1 1 1 start 1 2 1 stop 5 1 9 stop 5 2 2 >>in
afdur in | grep -F mem.delta >out
cat out
afagg --stat sum out | grep ^agg
