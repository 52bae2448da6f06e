# SPDX-License-Identifier: ISC
# A section got the id of a run, so its aggregate was read as that run's.
{
	printf 'sample\t5000\tsome\t.\tq\t0.5\tscope=run\tmid=0x8\tunit=s\n'
	printf 'span\t5000\t@2\tr1\tm\t7\tscope=region\tid=@1\tstart=3000\tmid=0x8\tunit=count\tn=3\n'
	printf 'sample\t4000\t@1\tr2\tq\tx\tscope=section\tid=@2\tinterval=5\tmid=0x8\tunit=ns\n'
	printf 'run\t2000\t1\t.\t.\t.\tunit=ns\tafperf=1.2.0\n'
	printf 'sample\t5000\t@1\tr1\t.\t0.5\tscope=group\tmid=7\tunit=.\ttag.k=v\n'
	printf 'sample\t7000\t@1\tr0x6\tm\tx\tscope=region\tid=0x6\tmid=0x8\tunit=count\n'
	printf 'section\t6000\t1\tother\t.\t.\tscope=section\tid=5\tn=3\n'
	printf 'run\t2000\t0xa\t.\t.\t.\tunit=ns\tafperf=1.2.0\n'
	printf 'span\t6000\t.\t.\tm\t1\tscope=run\tstart=3000\tmid=7\tunit=count\n'
	printf 'span\t7000\tsome\tr5\tm\tx\tscope=region\tid=5\tstart=3000\tmid=7\tunit=count\ttag.k=v\n'
	printf 'span\t6000\t1\tr1\tm\t0.5\tscope=group\tstart=3000\tmid=0x8\tunit=ns\ttag.k=v\n'
	printf 'measure\t.\t1\t.\tm\t.\tid=0x8\ttype=string\tunit=count\n'
	printf 'section\t3000\t1\tr0x6\t.\t.\tscope=section\tid=0x6\n'
	printf 'agg\t5000\t1\tr0x6\tm\t-3\tscope=section\tid=0x6\tstat=sum\tstart=3000\tmid=0x8\tunit=count\ttype=text\n'
} | afenc --no-marks --ids 2>/dev/null | afdec --lenient --all 2>&1 | grep -e '^agg' -e 'never defined'
