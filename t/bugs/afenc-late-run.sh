# SPDX-License-Identifier: ISC
# A run whose RunInfo came late took the aggregate of another one.
printf 'run\t0\t0xa\t.\t.\t.\nsample\t3\t0xb\t.\tT\t7\nmeasure\t1\t0xa\t.\tT\t.\tid=0xc\ttype=double\tunit=ns\n' >s
printf 'measure\t1\t0xb\t.\tT\t.\tid=0xc\ttype=double\tunit=ns\n' >>s
printf 'agg\t90\t0xa\t.\tT\t0.5\tscope=region\tstat=mean\tmid=0xc\n' >>s
afenc s | afdec | grep '^agg'
