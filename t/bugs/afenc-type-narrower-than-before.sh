# SPDX-License-Identifier: ISC
# A measure line behind the data gave these a narrower type, which no reader takes them for.
printf 'sample\t1\t1\tf\tm\t0.5\ttype=double\nmeasure\t.\t1\t.\tm\t.\ttype=int32\n' | afenc | afdec | grep '^[ms][ea][am]'
