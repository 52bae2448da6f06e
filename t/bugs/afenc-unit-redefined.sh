# SPDX-License-Identifier: ISC
# A type that was redefined gave its unit to values of the old one.
printf 'run\t1\t1\t.\t.\t.\twall=0\nmeasure\t1\t1\t.\tt\t.\tid=7\ttype=int64\tunit=ns\n' >s
printf 'sample\t1\t1\tf\tt\t5\tmid=7\tunit=ns\nmeasure\t1\t1\t.\tt\t.\tid=7\ttype=int64\tunit=s\n' >>s
printf 'sample\t2\t1\tf\tt\t6\tmid=7\tunit=ns\nsample\t3\t1\tf\tt\t7\tmid=7\tunit=s\n' >>s
afenc s | afdec | grep '^sample'
