# SPDX-License-Identifier: ISC
# An aggregate that is wider than a type which was redefined could not be read.
printf 'run\t1\t1\t.\t.\t.\twall=0\nmeasure\t1\t1\t.\tt\t.\tid=7\ttype=int64\tunit=ns\n' >s
printf 'sample\t1\t1\tf\tt\t5\tmid=7\tunit=ns\nmeasure\t1\t1\t.\tt\t.\tid=7\ttype=int64\tunit=s\n' >>s
printf 'agg\t2\t1\tf\tt\t1.5\tstat=mean\tmid=7\tunit=s\n' >>s
afenc s | afdec | grep '^agg'
