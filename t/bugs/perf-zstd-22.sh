# SPDX-License-Identifier: ISC
# Perf record -z22 asks for a window of 128 MiB: once that was taken for damage.
cp "$BUGS/perf-zstd-22.data" .
perfdec --no-symbols perf-zstd-22.data | tail -n 1
perfdec --no-symbols --max-memory 100M perf-zstd-22.data | tail -n 1
