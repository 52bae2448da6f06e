# SPDX-License-Identifier: ISC
# Values in units that only the measure lines say were added up: 5 ns and 7 ms gave 12.
printf 'measure\t.\tr%d\t.\tm\t.\tunit=%s\n' 1 ns 2 ms 3 ns >in
printf 'sample\t1\tr%d\tf\tm\t%d\n' 1 5 2 7 3 1 1 2 4 9 5 9 >>in
# the tag of a line counts before the measure line; another measure has one unit, which is not repeated
printf 'sample\t1\tr2\tf\tm\t4\tunit=ns\nmeasure\t.\tr1\t.\tk\t.\tunit=B\nsample\t1\tr1\tf\tk\t6\n' >>in
afagg --stat sum in >out
grep ^agg out
# the same from shards, and by the unit
afagg --kind agg --stat sum out | grep ^agg
afagg --by unit --stat sum in | grep ^agg
