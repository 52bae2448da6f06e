# SPDX-License-Identifier: ISC
# A key that only lines without the weight had was known in one run, and not in merged shards.
printf 'sample\t1\t1\tf\tm\t5\tw=2\n' >a
printf 'sample\t1\t1\tf\tm\t5\tcomm=b\n' >b
cat a b | afagg --no-marks --by comm,region --weight w >whole
for f in a b; do afagg --no-marks --by comm,region --weight w --partial $f; done | grep -v '^#' | afagg --no-marks >merged
cmp whole merged
