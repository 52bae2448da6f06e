# SPDX-License-Identifier: ISC
# Units that AFPerf has otherwise, or not for the datatype, were written; no reader took the type.
printf 'measure\t.\t1\t.\te\t.\ttype=enum\tunit=count\nsample\t1\t1\tf\te\tRED\ttype=text\nsample\t1\t1\tf\tm\t5\tunit=nanoseconds\n' | afenc | afdec | grep '^[ms][ea][am]'
