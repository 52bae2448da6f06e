# SPDX-License-Identifier: ISC
# A span with stat= came back as an aggregate, and a sample as nothing.
printf 'run\t1\t1\t.\t.\t.\tunit=ns\twall=0\tafperf=1.0.0\nmeasure\t1\t1\t.\tt\t.\tid=7\ttype=double\tunit=s\n' >s
printf 'span\t4\t1\t.\tt\t2\tscope=run\tstat=mean\tstart=3\tmid=7\tunit=s\n' >>s
printf 'sample\t4\t1\t.\tt\t3\tscope=region\tid=1\tstat=mean\tmid=7\tunit=s\n' >>s
afenc s | afdec | grep '^s[ap]'
