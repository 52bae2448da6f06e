# SPDX-License-Identifier: ISC
# The callers of these samples are only in copies of their stacks: once nothing was said.
cp "$BUGS/../data/perf/stackdump.data" .
perfdec --no-symbols --no-unwind stackdump.data | tail -n 1
perfdec --no-symbols --no-unwind --strict stackdump.data | tail -n 1
perfdec --no-symbols --no-unwind stackdump.data 2>/dev/null | afcut measure | tail -n 1
