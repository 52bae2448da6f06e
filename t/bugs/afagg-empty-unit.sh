# SPDX-License-Identifier: ISC
# An empty unit was not the same as none, and the merge of some partial results was refused.
{
	printf 'sample\t5\tr1\tf\tm\t5\tunit=ns\nsample\t5\tr1\tf\tm\t5\n'
	printf 'run\t0\tr1\t.\t.\t.\nmeasure\t.\tr1\t.\tm\t.\tunit=ns\n'
} >first
printf 'sample\t5\tr1\tf\tm\t5\nsample\t6\tr1\tf\tm\t7\tunit=\n' >second
for half in first second; do
	afagg --no-marks --by region --stat sum,share --window 1ms --partial $half >$half.part
done
cat first.part second.part | afagg --no-marks | grep '^agg'
# The total of lines that say that they have no unit, and of lines that a measure line gives none
# yet, is one.
{
	printf 'sample\t7\tr1\tg\tm\t-2\tunit=.\nsample\t5\tr1\tf\tm\t5\n'
	printf 'sample\t5\tr1\tf\tm\t5\nmeasure\t.\tr1\t.\tm\t.\tunit=ns\n'
} >both
afagg --no-marks --stat sum,share --partial both >whole.part
grep -v '^#' whole.part
afagg --no-marks whole.part | grep '^agg'
