# SPDX-License-Identifier: ISC
# An aggregate of a block was refused where another run without an id had come since.
{
	echo '# AFPerf v1     '
	printf '%s\n' RunInfo,0,seconds,1,1.0.0,,a,, MeasurementType,0,,4,m,int64,count,, SectionInfo,1,,,s,
	printf '%s\n' RunInfo,6,seconds,1,1.0.0,,b,, SectionStart,10,, SectionAggregate,14,13,,,mean,4,3 SectionStop,14,,
} >a.afperf
afdec a.afperf >a.af
afenc a.af | afdec - >b.af
grep '^agg' b.af
tail -n +2 a.af | sed '$d' >a
tail -n +2 b.af | sed '$d' | cmp - a
