# SPDX-License-Identifier: ISC
# Each table took 11 KB, however little is in it.
awk 'BEGIN { OFS = "\t"; for (i = 0; i < 10000; i++) print "agg", ".", 1, ".", "m" i, 5, "stat=sum", "n=1" }' >in
aftab --max-memory 24M in | wc -l | tr -d ' '
