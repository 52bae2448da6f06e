# SPDX-License-Identifier: ISC
# The type of a run without an id became that of the run after it.
printf 'run\t1\t@1\t.\t.\t.\tunit=ns\twall=0\tafperf=1.0.0\nrun\t2\t2\t.\t.\t.\tunit=ns\twall=0\tafperf=1.0.0\n' >s
printf 'measure\t1\t@1\t.\tt\t.\tid=7\ttype=double\tunit=s\n' >>s
afenc s | afdec | grep -v '^#'
