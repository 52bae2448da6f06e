# SPDX-License-Identifier: ISC
# Groups that differ in their type alone were one group: the second was left out as repeated, or as
# another value of the first.
printf 'sample\t.\tr\t%s\tm\t%s\ttype=%s\n' f 1 int64 f 1 double g 2 int64 h 4.5 double >in
afagg --by region --stat sum in | aftab
# with times that differ, too; and no column where the type tells nothing apart
printf 'agg\t%s\tr\tf\tm\t%s\tstat=sum\tstart=%s\ttype=%s\n' 9 3 1 int64 9 4 1 double 8 5 2 double >in
aftab in
grep -v '	4	' in | sed 's/	8	/	9	/; s/start=2/start=1/; s/f/g/' | aftab
printf 'agg\t9\tr\tf\tm\t3\tstat=sum\ttype=int64\nagg\t9\tr\tg\tm\t1\tstat=sum\ttype=double\n' | aftab
