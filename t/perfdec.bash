# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# perfdec.bash - loaded by the tests of perf.data after lib.bash: its small recordings, functions to
# read and change bytes, and the folder in which a test runs.

# shellcheck disable=SC2034 # used by the files that load this
DATA=$BATS_TEST_DIRNAME/data/perf

setup() {
	cd "$T" || return
}

# u64 FILE OFFSET: prints a little-endian number of 64 bits.
u64() {
	od -A n -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# byte FILE OFFSET: prints a byte as two hex digits.
byte() {
	od -A n -t x1 -j "$2" -N 1 "$1" | tr -d ' '
}
