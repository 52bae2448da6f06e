# SPDX-License-Identifier: ISC
# -0 was written as an integer, which is 0; of a bool no reader took it.
printf 'sample\t1\t1\tf\tm\t-0\nmeasure\t.\t1\t.\tb\t.\ttype=bool\nsample\t1\t1\tf\tb\t-0\n' | afenc | afdec | grep '^sam'
