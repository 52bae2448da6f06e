# SPDX-License-Identifier: ISC
# Of aggregates of one run and of several, which have no run, one or the other was taken for a
# measure in another unit, since the unit was looked for in the measure line of the run.
printf 'measure\t.\tr%d\t.\tm\t.\tunit=ns\n' 1 2 >in
printf 'sample\t1\tr%d\t%s\tm\t%d\n' 1 f 5 2 f 7 1 g 5 >>in
afagg --by region --stat sum in >out
foldenc out
perunenc out >profile
grep -c '"amount"' profile
