# SPDX-License-Identifier: ISC
# Adding to a file did not see ids in records whose type is a hexadecimal number.
printf '# AFPerf v1     \n0x8,1,nanoseconds,0,1.0.0, 0x5,a,,\n' >f
printf 'run\t1\t5\t.\t.\t.\twall=0\n' | afenc --append f
