# SPDX-License-Identifier: ISC
# Fields that are not known could be another value.
printf 'run\t1\t1\t.\t.\t.\tunit=ns\twall=0\tafperf=1.2.0\nmeasure\t1\t1\t.\tt\t.\tid=7\ttype=double\tunit=s\n' >s
printf 'sample\t2\t1\t.\tt\t1\tscope=run\tmid=7\tunit=s\textra=7;5\n' >>s
afenc s | afdec | grep '^sample'
