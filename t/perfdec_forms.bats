# SPDX-License-Identifier: ISC
# perfdec_forms.bats - the forms that one recording can have: file, pipe, directory, compressed in
# each way, in both byte orders.

load lib

DATA=$BATS_TEST_DIRNAME/data/perf

setup_file() {
	local dir=$BATS_FILE_TMPDIR

	build_c "$dir/perfconv" t/tools/perfconv.c -lzstd
	build_c "$dir/rss" t/tools/rss.c
}

setup() {
	PATH=$BATS_FILE_TMPDIR:$PATH
	cd "$T" || return
}

# What tells the form, and not the recording, as lines of --all.
FORM='^(#|(compressed2?|finished_round|header_attr|header_feature|event_update|build_id)	)'

# form FORM OPTION... RECORDING: makes "form", a file, a pipe's bytes or a directory.
form() {
	local form=$1
	shift
	rm -rf form
	case $form in
	file) perfconv "$@" >form ;;
	pipe) perfconv --pipe "$@" >form ;;
	dir) perfconv --dir form "$@" ;;
	esac
}

# lines [OPTION...] FILE: the stream without what tells the form; nothing must be said.
lines() {
	want_status 0 perfdec --no-symbols "$@" || return
	silent || return
	grep -vE "$FORM" "$T/out"
}

# all_forms RECORDING: the same lines from each form.
all_forms() {
	local file=$DATA/$1.data form big zstd
	lines "$file" >want
	lines --all "$file" >want.all
	sort want.all >want.sorted
	grep '^sample' want >want.samples
	for form in file pipe dir; do
		for big in "" --big; do
			for zstd in "" "--zstd 81" "--zstd 83" "--zstd wrapped" "--zstd glued"; do
				# shellcheck disable=SC2086 # options are words
				form $form $big $zstd "$file" || fail "$1 $form $big $zstd"
				lines form >got || fail "$1 $form $big $zstd"
				lines --all form >got.all || fail "$1 $form $big $zstd"
				# what has no time acts where it is read: in a directory before all with a time
				if [ $form = dir ]; then
					sort got.all >got.sorted
					grep '^sample' got >got.samples
					same want.sorted got.sorted || fail "$1 $form $big $zstd --all"
					same want.samples got.samples || fail "$1 $form $big $zstd"
					continue
				fi
				same want got || fail "$1 $form $big $zstd"
				same want.all got.all || fail "$1 $form $big $zstd --all"
			done
		done
	done
}

@test "one recording in all forms: one or several events" {
	for name in chain user flat events group wide; do
		all_forms $name
	done
}

@test "one recording in all forms: losses, tracepoints, stacks, kinds of records" {
	for name in lost trace stackdump kinds clock mmapid noinherit; do
		all_forms $name
	done
}

@test "glued records of several pieces each, and a file as it comes through a pipe" {
	perfconv --no-rounds --repeat 40 "$DATA/lost.data" >plain.data
	lines --all plain.data >want
	perfconv --no-rounds --repeat 40 --zstd glued "$DATA/lost.data" >glued.data
	lines --all glued.data >got
	same want got
	want_status 0 sh -c "cat glued.data | perfdec --no-symbols --all"
	grep -vE "$FORM" out >got
	same want got
	want_status 0 sh -c "dd if=glued.data bs=777 2>/dev/null | perfdec --no-symbols --all"
	grep -vE "$FORM" out >got
	same want got
	want_status 0 perfdec --no-symbols --all glued.data
	[ "$(grep -c '^compressed2	' out)" -eq 4 ]
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

@test "a glued record that does not come apart, is cut, or says it is endless" {
	local at first size
	perfconv --zstd glued "$DATA/chain.data" >glued.data
	perfdec --no-symbols glued.data | grep -vE "$FORM" >want
	# the first record of type 83
	at=$(od -A d -v -t x1 -w8 glued.data | awk '$2 == "53" && $3 $4 $5 $6 $7 == "0000000000" { print $1 + 0; exit }')
	size=$(u64 glued.data $((at + 8)))
	[ "$size" -gt 65519 ]
	first=$(perfdec --no-symbols glued.data | grep -c '^sample')
	# the header of what is glued to it
	cp glued.data bad.data
	patch bad.data $((at + 16 + 65519 + 4)) '\001'
	want_status 1 perfdec --no-symbols bad.data
	said "$(printf 'perfdec: bad.data: 0x%x: compressed record of %d bytes: nothing tells where' "$at" "$size")"
	grep -vE "$FORM" out | grep '^sample' >got || :
	[ "$(wc -l <got)" -lt "$first" ]
	[ "$(comm -13 <(sort want) <(sort got) | wc -l)" -eq 0 ]
	# more than there can be
	cp glued.data bad.data
	patch bad.data $((at + 8)) '\001\000\000\002\000\000\000\000'
	want_status 1 perfdec --no-symbols bad.data
	said "$(printf 'perfdec: bad.data: 0x%x: compressed record of 33554433 bytes: no buffer of perf is that large' "$at")"
}

@test "glued records that are cut: what is before the cut is read" {
	local size n last=0
	perfconv --pipe --no-rounds --repeat 8 --zstd glued "$DATA/lost.data" >glued.data
	perfdec --no-symbols glued.data | grep '^sample' >want
	size=$(wc -c <glued.data)
	for n in 70000 140000 $((size - 60000)) $((size - 1)); do
		[ "$n" -lt "$size" ] || continue
		head -c "$n" glued.data >cut.data
		want_status 1 perfdec --no-symbols cut.data
		said "perfdec: cut.data: 0x"
		said "compressed record cut short: "
		grep '^sample' out >got || :
		head -n "$(wc -l <got)" want | cmp - got
		[ "$(wc -l <got)" -ge "$last" ]
		last=$(wc -l <got)
	done
	[ "$last" -gt 100 ]
}

@test "where glued records come apart: made-up ones, and the worst bytes there can be" {
	build_c "$T/glued" t/unit/glued.c src/perfdata/glued.c lib/err.c
	for seed in 1 2 3; do
		want_status 0 "$T/glued" 200 $seed
		silent
	done
}
