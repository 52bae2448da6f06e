# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# dcpi.bash - loaded by the tests of DCPI profiles after lib.bash.

# shellcheck disable=SC2034 # used by the files that load this
D=$BATS_TEST_DIRNAME/data/dcpi

# header LINE...: prints a profile's header with its required lines.  A LINE replaces the required
# line with its word, or comes after all of them.
header() {
	local line word rest i
	local -a lines=('version pdb-0.07' 'image 19970328081403c0c18b' 'epoch 9805191724'
		'platform walnut' 'event cycles' 'period 63488' 'tstart 120000000' 'tsize 8388608'
		'cpuspeed 333')
	for line; do
		word=${line%% *} rest=
		for i in 0 1 2 3 4 5 6 7 8; do
			[ "${lines[i]%% *}" = "$word" ] && lines[i]=$line && rest=1
		done
		[ -n "$rest" ] || lines+=("$line")
	done
	printf '%s\n' "${lines[@]}" samples
}

# padded: pads a header on standard input with blanks in its last line to a multiple of four bytes.
padded() {
	local text
	text=$(cat)
	printf '%s%*s\n' "$text" $(((3 - ${#text} % 4) % 4)) ''
}

# u32 N...: prints little-endian words of 32 bits.
u32() {
	local n
	for n; do
		# shellcheck disable=SC2059 # the format is made here
		printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' \
			$((n & 255)) $((n >> 8 & 255)) $((n >> 16 & 255)) $((n >> 24 & 255)))"
	done
}

# profile "LINE..." N...: prints a profile of these header lines (separated by |) and words.
profile() {
	local -a lines=()
	[ -z "$1" ] || IFS='|' read -ra lines <<<"$1"
	shift
	header "${lines[@]}"
	u32 "$@"
}

# counts FILE: prints "ADDRESS<TAB>COUNT" for the samples of a stream.
counts() {
	awk -F'\t' '$1 == "sample" { sub(/^addr=/, "", $7); print $7 "\t" $6 }' "$1"
}

setup() {
	cd "$T" || return
}
