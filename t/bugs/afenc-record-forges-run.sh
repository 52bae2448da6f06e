# SPDX-License-Identifier: ISC
# A record of a type that is not known could be a RunInfo.
printf 'run\t1\t1\t.\t.\t.\tunit=ns\twall=0\tafperf=1.2.0\n' >s
for type in RunInfo 0x08 '#AFPerf' ' '; do
	printf 'other\t.\t.\t.\t.\t.\trecord=%s\tfields=0;nanoseconds;0;1.0.0;5;;;\n' "$type" >>s
done
afenc s | afdec | grep -v '^#'
