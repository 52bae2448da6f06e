# SPDX-License-Identifier: ISC
# An aggregate of a run without an id made a region of the group before it.
printf 'run\t1\t@1\t.\t.\t.\tunit=ns\twall=0\tafperf=1.0.0\nmeasure\t1\t@1\t.\tt\t.\tid=7\ttype=double\tunit=s\n' >s
printf 'agg\t4\t@1\tf\tt\t2\tscope=group\tstat=mean\tstart=3\tmid=7\tunit=s\n' >>s
printf 'agg\t4\t@1\t.\tt\t3\tscope=region\tid=@1\tstat=mean\tstart=3\tmid=7\tunit=s\n' >>s
afenc s | afdec | grep -v '^#'
