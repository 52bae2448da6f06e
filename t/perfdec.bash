# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# perfdec.bash - loaded by the tests of perf.data after lib.bash: its small recordings, functions to
# read and change bytes, and the folder in which a test runs.

# shellcheck disable=SC2034 # used by the files that load this
DATA=$BATS_TEST_DIRNAME/data/perf

setup() {
	cd "$T" || return
}

# patch FILE OFFSET BYTES: overwrites bytes.
patch() {
	# shellcheck disable=SC2059 # bytes are spelled as for printf
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# u64 FILE OFFSET: prints a little-endian number of 64 bits.
u64() {
	od -A n -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# byte FILE OFFSET: prints a byte as two hex digits.
byte() {
	od -A n -t x1 -j "$2" -N 1 "$1" | tr -d ' '
}
