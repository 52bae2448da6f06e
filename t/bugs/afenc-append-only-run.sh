# SPDX-License-Identifier: ISC
# A blank id that stands for the only run of a file stood for none once another one had been added.
printf '%s\n' '# AFPerf v1     ' RunAggregate,5,0,,mean,4,7 RunInfo,0,nanoseconds,1,1.0.0,5,a,, MeasurementType,0,5,4,m,int64,count,, >a.afperf
printf 'run\t0\t9\t.\t.\t.\tunit=ns\tafperf=1.0.0\n' | afenc --append a.afperf
echo $?
afdec a.afperf | grep '^agg'
