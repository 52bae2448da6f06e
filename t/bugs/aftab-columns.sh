# SPDX-License-Identifier: ISC
# Groups with keys of their own gave a table of their number squared.
awk 'BEGIN { OFS = "\t"; for (i = 0; i < 3000; i++) print "agg", 1, "r", "f" i, "m", i, "stat=sum", "k" i "=1" }' >in
aftab in >table 2>err
echo $?
wc -l <table | tr -d ' '
head -n 1 err
