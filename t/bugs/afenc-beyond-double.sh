# SPDX-License-Identifier: ISC
# A number beyond every double was written, which a reader takes for infinity.
printf 'measure\t.\t1\t.\tm\t.\ttype=double\nsample\t1\t1\tf\tm\t1e400\nsample\t1\t1\tf\tm\tinf\nsample\t1\t1\tf\tm\t1%0309d\n' 0 | afenc | afdec | grep '^sam'
