# SPDX-License-Identifier: ISC
# A line that a transport lost between two marks was not noticed by any option.
printf '#afstream\t1\tt\ts\nsample\t1\t0x1\tr\tT\t1\n#end\tt\ts\t2\tcomplete\n' | afagg --whole --stat sum
