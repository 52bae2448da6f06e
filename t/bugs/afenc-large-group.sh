# SPDX-License-Identifier: ISC
# Of a group with more than 4095 aggregates, or a long text, afdec made a region.
{
	printf 'run\t1\t1\t.\t.\t.\twall=0\n'
	awk 'BEGIN { for (i = 0; i < 9000; i++) print "agg\t9\t1\tf\tm" i % 3 "\t" i "\tstat=sum" i "\tstart=1" }'
	awk 'BEGIN { s = "text"; for (i = 0; i < 12; i++) s = s s; print "agg\t9\t1\tf\tt\t" s "\tstat=max\tstart=1\ttype=text" }'
} | afenc 2>/dev/null | afdec | awk -F '\t' '!/^#/ { n[$1 " " $4 " " $7]++ } END { for (i in n) print n[i], i }' | sort
