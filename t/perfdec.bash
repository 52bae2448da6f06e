# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# perfdec.bash - what the tests of perf.data load after lib.bash: its small recordings, how to
# look at and change bytes, and the folder that a test runs in.

# shellcheck disable=SC2034 # of those who load this
DATA=$BATS_TEST_DIRNAME/data/perf

setup() {
	cd "$T" || return
}

# patch FILE OFFSET BYTES
patch() {
	# shellcheck disable=SC2059 # bytes are spelled as printf does
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# u64 FILE OFFSET
u64() {
	od -A n -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# byte FILE OFFSET: as two hex digits
byte() {
	od -A n -t x1 -j "$2" -N 1 "$1" | tr -d ' '
}
