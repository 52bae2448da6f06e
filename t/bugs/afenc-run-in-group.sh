# SPDX-License-Identifier: ISC
# A RunInfo in the midst of a group of aggregates made a region of it.
printf 'run\t1\t1\t.\t.\t.\tunit=ns\twall=0\tafperf=1.0.0\nmeasure\t1\t1\t.\tt\t.\tid=7\ttype=double\tunit=s\n' >s
printf 'run\t1\t2\t.\t.\t.\twall=0\nagg\t4\t1\tf\tt\t1\tscope=group\tstat=mean\tstart=3\tmid=7\tunit=s\n' >>s
printf 'measure\t1\t2\t.\tt\t.\tid=7\ttype=double\tunit=s\n' >>s
printf 'agg\t4\t2\tf\tt\t2\tscope=group\tstat=mean\tstart=3\tmid=7\tunit=s\n' >>s
afenc s | afdec | grep -v '^#'
