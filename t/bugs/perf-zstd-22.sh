# SPDX-License-Identifier: ISC
# perf record -z22 asks for a window of 128 MiB: once that was taken for damage.
cp "$BUGS/zstd-22.data" .
perfdec --no-symbols zstd-22.data | tail -n 1
perfdec --no-symbols --max-memory 100M zstd-22.data | tail -n 1
