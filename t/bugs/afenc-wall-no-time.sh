# SPDX-License-Identifier: ISC
# A wall clock that is no time of day made a file of which no line could be read.
printf 'run\t1\t1\t.\t.\t.\twall=1e300\nmeasure\t1\t1\t.\tt\t.\tid=7\ttype=int64\tunit=ns\nsample\t1\t1\tf\tt\t5\n' | afenc | afdec |
	grep -v '^#'
