# SPDX-License-Identifier: ISC
# Of a power of two only the nearest number of 16 digits was tried, which may be that of another double.
printf '# AFPerf v1     \nRunInfo,0,nanoseconds,1,1.0.0,1,a,2,\nMeasurementType,1,1,3,m,double,B,,\n' >in
printf 'RunPoint,1,1,3,%s\n' 6.617444900424222e-24 5.960464477539063e-08 -0.00000005960464477539063 >>in
afdec in | grep '^sample' | cut -f 6
echo '{"header":{"type":"memory"},"a":6.617444900424222e-24}' | perundec | perunenc --name
