# SPDX-License-Identifier: ISC
# A measure line that came after events gave them its unit in merged partial results, and not in a
# single run.
{
	printf 'run\t0\tr1\t.\t.\t.\nsample\t1\tr1\tf\tm\t5\n'
	printf 'measure\t.\tr1\t.\tm\t.\tunit=ns\nsample\t2\tr1\tf\tm\t7\n'
} >events
afagg --no-marks --by region events
afagg --no-marks --by region --partial events >part
cat part
afagg --no-marks part
# a shard without the measure line takes the unit from another
sed 3d events | afagg --no-marks --by region --partial >open
grep '^measure' events | cat - open | afagg --no-marks
