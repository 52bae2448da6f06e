# SPDX-License-Identifier: ISC
# Adding to a file that was cut within a record gave that record an end, so that it looked whole.
printf '# AFPerf v1     \nRunInfo,0,nanoseconds,0,1.0.0,1,a,1,\nRegionStart,5,1,7,name' >f
printf 'run\t1\t5\t.\t.\t.\twall=0\n' | afenc --append f
