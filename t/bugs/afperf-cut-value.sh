# SPDX-License-Identifier: ISC
# A value that was cut was another value, and nothing said so.
printf '# AFPerf v1     \nRunInfo,0,nanoseconds,0,1.0.0,1,a,1,\nMeasurementType,0,1,7,t,double,s,,\nRunPoint,5,1,7,12345.678\n' |
	head -c -6 >f
afdec f | afagg --stat sum | grep '^agg\|^#end'
afdec --check f || echo "check: $?"
afdec --strict f >strict || echo "strict: $?"
tail -n 1 strict
