# SPDX-License-Identifier: ISC
# No memory in the middle of the work: once "cannot go on: Cannot allocate memory", and no end mark.
cp "$BUGS/../data/perf/lost.data" .
perfdec --no-symbols --max-memory 1000K lost.data
