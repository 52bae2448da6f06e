# SPDX-License-Identifier: ISC
# A line whose region was edited came back with the old one.
printf 'run\t1\t1\t.\t.\t.\tunit=ns\twall=0\tafperf=1.0.0\nmeasure\t1\t1\t.\tt\t.\tid=7\ttype=double\tunit=s\n' >s
printf 'start\t5\t1\tf\t.\t.\tscope=region\tid=9\nsample\t6\t1\tg\tt\t1\tscope=region\tid=9\tmid=7\tunit=s\n' >>s
printf 'sample\t6\t1\th\tt\t2\tscope=run\tmid=7\tunit=s\nstop\t7\t1\tg\t.\t.\tscope=region\tid=9\n' >>s
printf 'stop\t7\t1\tf\t.\t.\tscope=region\tid=9\n' >>s
afenc s | afdec | grep '^sample'
