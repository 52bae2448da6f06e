# SPDX-License-Identifier: ISC
# Of a tag that a line has twice the last one counted, and everywhere else the first.
printf 'agg\t7\t1\tf\tt\t2\tstat=mean\tstat=sum\tstart=5\n' | afenc | afdec | grep '^agg'
