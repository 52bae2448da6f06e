# SPDX-License-Identifier: ISC
# perfdec_forms.bats - the forms that one recording can have: file, pipe, directory, compressed in
# each way, in both byte orders.

load lib
load perfdec

setup_file() {
	helpers perfconv perfmake rss fuzz-perfdata
}

# What tells the form, and not the recording, as lines of --all.
FORM='^(#|(compressed2?|finished_round|header_attr|header_feature|event_update|build_id)	'
FORM+='|header(	[^	]*){3}	(compressed|dir_format)	)'

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

# lines [OPTION...] FILE: the stream without what tells the form; nothing must be said, but of
# copies of stacks.
lines() {
	want_status 0 perfdec --no-symbols --no-unwind "$@" || return
	sed -i '/: some callers in user code are not known for [0-9]* of [0-9]* samples with copies /d' "$T/err"
	silent || return
	grep -vE "$FORM" "$T/out"
}

# all_forms RECORDING: the same lines from each form.
all_forms() {
	local file=$DATA/$1.data form big zstd
	lines "$file" >want
	lines --all "$file" >want.all
	sed 's/	again=[0-9]*//' want.all | sort >want.sorted
	grep '^sample' want >want.samples
	for form in file pipe dir; do
		for big in "" --big; do
			for zstd in "" "--zstd 81" "--zstd 83" "--zstd wrapped" "--zstd glued"; do
				# shellcheck disable=SC2086 # options are words
				form $form $big $zstd "$file" || fail "$1 $form $big $zstd"
				lines form >got || fail "$1 $form $big $zstd"
				lines --all form >got.all || fail "$1 $form $big $zstd"
				# what has no time acts where it is read: in a directory before all with a time,
				# so that another line of the same losses is the first one
				if [ $form = dir ]; then
					sed 's/	again=[0-9]*//' got.all | sort >got.sorted
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

# bats test_tags=slow,sanitize
@test "one recording in all forms: one or several events" {
	for name in chain events group ${AFPIPE_SLOW:+user flat wide}; do
		all_forms "$name"
	done
}

# bats test_tags=slow,sanitize
@test "one recording in all forms: losses, tracepoints, stacks, kinds of records" {
	for name in lost trace stackdump kinds clock mmapid noinherit; do
		all_forms $name
	done
}

@test "compressed records of every level and window that zstd itself has" {
	local kind
	perfdec --no-symbols --all "$DATA/lost.data" | grep -vE "$FORM" >want
	for kind in 81 83; do
		for with in "--level 1" "--level 19" "--window 27"; do
			# shellcheck disable=SC2086 # an option and its value
			perfconv --zstd $kind $with "$DATA/lost.data" >packed.data
			want_status 0 perfdec --no-symbols --all packed.data
			silent
			grep -vE "$FORM" out >got
			same want got || fail "$kind $with"
		done
	done
	# takes 700 MB to write
	perfconv --pipe --zstd 83 --level 22 "$DATA/lost.data" >packed.data || skip "level 22: no memory"
	want_status 0 perfdec --no-symbols --all packed.data
	silent
	grep -vE "$FORM" out >got
	same want got
	want_status 1 perfdec --no-symbols --max-memory 100M packed.data
	said "--max-memory allows"
}

# packed FILE...: compressed records of the bytes of each file, a byte a record.
packed() {
	od -A n -v -t x1 -w1 "$@" | sed 's/^ */raw 81 0 x:/'
}

@test "frames of zstd: their beginnings in pieces, one after another, too large a window" {
	need zstd
	printf 'sample 1 1 %d u 0x5 u 0x6\n' 10 20 30 | tee first.txt | perfmake --no-attr | tail -c +17 >first
	printf 'sample 1 1 %d u 0x5 u 0x6\n' 40 50 60 | tee second.txt | perfmake --no-attr | tail -c +17 >second
	cat first.txt second.txt | perfmake >plain.data
	perfdec --no-symbols plain.data | unmarked - >want
	zstd -q --long=27 <first >first.zst
	zstd -q -1 second
	packed first.zst second.zst | perfmake >frames.data
	want_status 0 perfdec --no-symbols frames.data
	silent
	unmarked out >got
	same want got
	# one that cannot be is refused once, in however many records it is
	zstd -q --long=28 <first >large.zst
	packed large.zst second.zst | perfmake >large.data
	want_status 1 perfdec --no-symbols large.data
	said "need a window of 268435456 bytes: zstd itself uses at most 134217728"
	[ "$(wc -l <err)" -eq 1 ]
	# what follows it is read, where a record begins with a frame
	{
		packed large.zst
		printf 'raw 81 0 x:%s\n' "$(od -A n -v -t x1 second.zst | tr -d ' \n')"
	} | perfmake >large.data
	perfmake <second.txt >plain.data
	perfdec --no-symbols plain.data | unmarked - >want
	want_status 1 perfdec --no-symbols large.data
	unmarked out >got
	same want got
	# all in one segment: its content is the window
	printf '%s\n' 'raw 81 0 x:28b52ffde0ffffffffffffffff' | perfmake >segment.data
	want_status 1 perfdec --no-symbols segment.data
	said "need a window of 18446744073709551615 bytes"
	printf '%s\n' 'raw 81 0 x:27b52ffde0ffffffffffffffff' | perfmake >old.data
	want_status 1 perfdec --no-symbols old.data
	said "compressed by zstd before version 0.8"
}

# block HEX [LAST], fill N BYTE [LAST]: a block of a zstd frame as it is, and one of N equal bytes.
block() {
	le $((${#1} / 2 << 3 | ${2:-0})) 3
	printf %s "$1"
}

fill() {
	le $(($1 << 3 | 2 | ${3:-0})) 3
	printf %s "$2"
}

# le VALUE N: a little-endian number of N bytes, as hex digits.
le() {
	local v=$1 i
	for ((i = 0; i < $2; i++)); do
		printf %02x $((v >> 8 * i & 255))
	done
}

# records: what perfmake makes of standard input, without its header, as hex digits.
records() {
	perfmake --no-attr | tail -c +17 | od -A n -v -t x1 | tr -d ' \n'
}

# at TIME...: samples at these times, for perfmake.
at() {
	printf 'sample 1 1 %d u 0x5 u 0x6\n' "$@"
}

@test "a compressed record that unpacks to much more than is unpacked at once" {
	local i n large rest first second
	at 10 20 30 | perfmake >plain.data
	perfdec --no-symbols plain.data | unmarked - >want
	first=28b52ffd0038$(block "$(at 10 20 | records)" 1)
	second=28b52ffd0038$(block "$(at 30 | records)" 1)
	# a frame of 524,288 bytes: eight records of 65,528, and one of the rest, and frames of a bit more or less
	for rest in 64 56 72; do
		large=28b52ffd0038
		for i in 1 2 3 4 5 6 7 8; do
			large+=$(block "52000000""0000""$(le 65528 2)")$(fill 65520 00)
		done
		large+=$(block "52000000""0000""$(le $rest 2)")$(fill $((rest - 8)) 00 1)
		for n in 1 2 5; do
			{
				printf 'raw 81 0 x:'
				for ((i = 0; i < n; i++)); do printf %s "$large"; done
				printf '%s\n' "$first" "raw 81 0 x:$second"
			} | perfmake >packed.data
			want_status 0 perfdec --no-symbols packed.data
			silent
			unmarked out >got
			same want got || fail "$n times, $rest"
			want_status 0 perfdec --no-symbols --all packed.data
			[ "$(grep -c '^finished_init	' out)" -eq $((n * 9)) ]
		done
	done
	# one that ends where its block does, and nothing after it
	large=28b52ffd0038
	for i in 1 2 3 4 5 6 7 8; do
		large+=$(block "52000000""0000""$(le 65528 2)")$(fill 65520 00)
	done
	large+=$(block "52000000""0000""$(le 64 2)")$(fill 56 00 1)
	echo "raw 81 0 x:$large" | perfmake >packed.data
	want_status 0 perfdec --no-symbols --all packed.data
	silent
	[ "$(grep -c '^finished_init	' out)" -eq 9 ]
	tail -n 1 out | grep -q 'complete$'
}

@test "frames of zstd that say the size of their content, in each width" {
	local text n size
	text=$(at 10 20 30 40 50 60 | records)
	at 10 20 30 40 50 60 | perfmake >plain.data
	perfdec --no-symbols plain.data | unmarked - >want
	n=$((${#text} / 2))
	[ $n -gt 256 ]
	# a frame of one segment, so that its content is the window: in two, four and eight bytes
	for size in "60$(le $((n - 256)) 2)" "a0$(le $n 4)" "e0$(le $n 8)"; do
		echo "raw 81 0 x:28b52ffd$size$(block "$text" 1)" | perfmake >packed.data
		want_status 0 perfdec --no-symbols packed.data
		silent
		unmarked out >got
		same want got || fail "$size"
	done
	# in one byte there is room for one sample
	text=$(at 10 | records)
	[ $((${#text} / 2)) -lt 256 ]
	at 10 | perfmake >plain.data
	perfdec --no-symbols plain.data | unmarked - >want
	echo "raw 81 0 x:28b52ffd20$(le $((${#text} / 2)) 1)$(block "$text" 1)" | perfmake >packed.data
	want_status 0 perfdec --no-symbols packed.data
	unmarked out >got
	same want got
}

@test "compressed records inside of others are said, and the payload of records inside is passed over" {
	local text
	text=$(echo "raw 81 0 x:28b52ffd0038$(block "$(at 10 | records)" 1)" | records)
	{ at 5 && echo "raw 81 0 x:28b52ffd0038$(block "$text" 1)"; } | perfmake >packed.data
	want_status 1 perfdec --no-symbols packed.data
	said "compressed records inside compressed records"
	[ "$(grep '^sample' out | cut -f 2)" = 5 ]
	text=$({
		echo 'raw 71 0 8:16 8:0x40 8:0x50 4:1 4:812 4:-1 4:0'
		echo 'bytes s16:0123456789abcdef'
		at 10
		echo 'tracing 40'
		at 20
	} | records)
	echo "raw 81 0 x:28b52ffd0038$(block "$text" 1)" | perfmake >packed.data
	want_status 0 perfdec --no-symbols packed.data
	echo "perfdec: packed.data: 16 bytes of a processor's trace are not decoded; --all lists where they are" >words
	same words err
	[ "$(grep '^sample' out | cut -f 2 | tr '\n' ' ')" = "10 20 " ]
}

@test "glued records and wrapped ones that are cut at any byte: the records before the cut, and the place" {
	local first second fill n size at wanted
	first=28b52ffd0038$(block "$(at 10 20 | records)" 1)
	second=28b52ffd0038$(block "$(at 30 | records)" 1)
	# what fills the first record is a frame to be skipped
	fill=$((65519 - 8 - ${#first} / 2))
	{
		echo "raw 83 0 8:$((65519 + 16 + ${#second} / 2))"
		echo "bytes 4:0x184d2a50 4:$fill s$fill:x"
		echo "bytes x:$first 4:83 2:0 2:$((16 + ${#second} / 2)) 8:0 x:$second"
	} | perfmake >whole.data
	want_status 0 perfdec --no-symbols whole.data
	[ "$(grep -c '^sample' out)" -eq 3 ]
	size=$(wc -c <whole.data)
	for ((n = size - ${#second} / 2 - 18; n < size; n += 3)); do
		head -c "$n" whole.data >cut.data
		want_status 1 perfdec --no-symbols cut.data
		echo "perfdec: cut.data: 0xa0: compressed record cut short: $((size - n)) bytes missing" >words
		same words err
		at=$(grep -c '^sample' out)
		[ "$at" -eq $((n < size - ${#second} / 2 - 16 ? 1 : 2)) ] || fail "cut at $n: $at samples"
	done
	# one after another, each with its own size
	{
		echo "raw 83 0 8:$((${#first} / 2)) x:$first"
		echo "raw 83 0 8:$((${#second} / 2)) x:$second"
	} | perfmake >whole.data
	size=$(wc -c <whole.data)
	for ((n = 161; n < size; n++)); do
		head -c "$n" whole.data >cut.data
		at=$((160 + 16 + ${#first} / 2))
		[ "$n" -ne "$at" ] || continue
		want_status 1 perfdec --no-symbols cut.data
		[ "$(wc -l <err)" -eq 1 ]
		grep -q '^perfdec: cut.data: 0x[0-9a-f]*: .*record cut short' err || fail "cut at $n: $(cat err)"
		wanted=$((n < at - 72 ? 0 : n < at ? 1 : 2))
		[ "$(grep -c '^sample' out)" -eq $wanted ] || fail "cut at $n"
	done
	# nothing is missing but some of what pads the last one
	echo "raw 83 0 8:$((${#first} / 2)) x:$first s$((10 - (${#first} / 2 + 2) % 8)):" | perfmake >whole.data
	want_status 0 perfdec --no-symbols whole.data
	grep '^sample' out >want
	[ "$(wc -l <want)" -eq 2 ]
	head -c -2 whole.data >cut.data
	want_status 1 perfdec --no-symbols cut.data
	printf 'perfdec: cut.data: 0x%x: payload cut short: 2 bytes missing\n' $((176 + ${#first} / 2)) | same - err
	grep '^sample' out | same want -
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
	said "$(printf 'perfdec: bad.data: 0x%x: compressed record of %d bytes: the boundaries of' "$at" "$size")"
	grep -vE "$FORM" out | grep '^sample' >got || :
	[ "$(wc -l <got)" -lt "$first" ]
	[ "$(comm -13 <(sort want) <(sort got) | wc -l)" -eq 0 ]
	# it does not come apart, and is cut: only the latter is sure
	printf '%s\n' 'raw 83 0 8:200000' 'bytes s60000:' 'bytes s60000:' | perfmake >bad.data
	want_status 1 perfdec --no-symbols bad.data
	echo "perfdec: bad.data: 0xa0: compressed record cut short: 80000 bytes missing" | same - err
	# more than there can be
	cp glued.data bad.data
	patch bad.data $((at + 8)) '\001\000\000\002\000\000\000\000'
	want_status 1 perfdec --no-symbols bad.data
	said "$(printf 'perfdec: bad.data: 0x%x: compressed record of 33554433 bytes: no perf buffer is that large' "$at")"
}

@test "a record that damage has torn is not completed with bytes from after the damage" {
	need zstd
	local damage
	printf 'sample 1 1 %d u 0x5 u 0x6\n' 10 20 | perfmake --no-attr | tail -c +17 >first
	printf 'sample 1 1 %d u 0x5 u 0x6\n' 30 40 | perfmake --no-attr | tail -c +17 >second
	# the first frame ends inside of its second record
	head -c -20 first >torn
	zstd -q torn second
	printf 'sample 1 1 %d u 0x5 u 0x6\n' 10 30 40 | perfmake >plain.data
	perfdec --no-symbols plain.data | grep '^sample' >want
	printf '%s\n' 'raw 83 0 8:80000' 'bytes s40000:glued' 'bytes s40000:' >glued
	printf '%s\n' 'raw 81 0 x:00112233445566778899aabbccddeeff' >zstd
	for damage in glued zstd; do
		# what follows is read where a record begins with a frame
		{
			packed torn.zst
			cat $damage
			printf 'raw 81 0 x:%s\n' "$(od -A n -v -t x1 second.zst | tr -d ' \n')"
		} | perfmake >bad.data
		want_status 1 perfdec --no-symbols bad.data
		grep '^sample' out >got
		same want got
		[ "$(wc -l <err)" -eq 1 ]
	done
}

@test "compressed records that end inside a block, of which nothing comes out, are said" {
	need zstd
	local n cut
	printf 'sample 1 1 %d u 0x5 u 0x6\n' 10 20 30 40 | perfmake --no-attr | tail -c +17 >plain
	zstd -q --no-check plain
	n=$(wc -c <plain.zst)
	packed plain.zst | perfmake >whole.data
	want_status 0 perfdec --no-symbols whole.data
	silent
	[ "$(grep -c '^sample' out)" -eq 4 ]
	# in the head of the frame, behind it, in the head of the block, and in the block
	for cut in 3 6 8 12 $((n / 2)) $((n - 4)) $((n - 3)) $((n - 1)); do
		head -c "$cut" plain.zst >cut.zst
		packed cut.zst | perfmake >cut.data
		want_status 1 perfdec --no-symbols cut.data
		[ "$(grep -c '^sample' out)" -eq 0 ] || fail "$cut"
		said "the compressed records end inside a block of zstd: records may be missing"
		tail -n 1 out | grep -q '	partial	'
	done
	# a block that is stored as it is, of which as many bytes are missing as a block's head has
	{
		printf '\050\265\057\375\000\130\200\000\000' # a frame, and a block of 16 bytes
		head -c 13 plain
	} >cut.zst
	packed cut.zst | perfmake >cut.data
	want_status 1 perfdec --no-symbols cut.data
	said "the compressed records end inside a block of zstd: records may be missing"
	# a frame that is flushed after a block, and never ended, as by perf
	perfconv --pipe --zstd 81 "$DATA/flat.data" >flushed.data
	want_status 0 perfdec --no-symbols flushed.data
	silent
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
	build_c "$T/glued" t/unit/glued.c src/perfdata/input/glued.c lib/err.c lib/mem.c
	for seed in 1 2 3; do
		want_status 0 timeout 20 "$T/glued" 200 $seed # which takes minutes if bytes are examined again
		silent
	done
}

# ---- directories

# A copy of a recording that perf record --threads made, with two files of records.
two_files() {
	rm -rf dir
	perfconv --dir dir "$DATA/events.data"
	[ -s dir/data.0 ]
	[ -s dir/data.1 ]
}

# samples FILE: those that are there, whatever else is wrong.
samples() {
	perfdec --no-symbols "$1" 2>/dev/null | grep '^sample' || :
}

@test "a directory with files that are missing, empty, no files, or damaged: the rest is read" {
	two_files
	samples dir >want
	: >dir/data.2
	want_status 0 perfdec --no-symbols dir
	silent
	mv dir/data.1 dir/data.3
	want_status 1 perfdec --no-symbols dir
	printf 'perfdec: dir: data.1 is missing\n' >words
	same words err
	grep '^sample' out >got
	same want got
	mv dir/data.0 dir/data.7
	want_status 1 perfdec --no-symbols dir
	printf 'perfdec: dir: %s\n' 'data.0 to data.1 are missing' 'data.4 to data.6 are missing' >words
	same words err
	grep '^sample' out >got
	same want got
	tail -n 1 out | grep -q '	partial	damaged$'

	two_files
	mkdir dir/data.2
	want_status 1 perfdec --no-symbols dir
	printf 'perfdec: dir/data.2: 0x0: not a regular file\n' >words
	same words err
	grep '^sample' out >got
	same want got

	two_files
	rm dir/data.?
	want_status 1 perfdec --no-symbols dir
	printf 'perfdec: dir: data.0 is missing\n' >words
	same words err

	for file in data.0.gz data.01 data. data.-1 data.1234567890 data.1:; do
		two_files
		: >"dir/$file"
		want_status 0 perfdec --no-symbols dir
		printf 'perfdec: dir: files named data.* but without a number are not read\n' >words
		same words err
		grep '^sample' out >got
		same want got
	done
}

@test "a directory whose files have rounds: they say nothing of the other files" {
	two_files
	samples dir >want
	echo round | perfmake --no-attr | tail -c +17 >round
	for file in data.0 data.1; do
		cat round "dir/$file" round round >with
		mv with "dir/$file"
	done
	want_status 0 perfdec --no-symbols dir
	silent
	grep '^sample' out >got
	same want got
}

@test "a directory without any sample: the note of any recording without one" {
	two_files
	: >dir/data.0
	: >dir/data.1
	want_status 0 perfdec --no-symbols dir
	said 'perfdec: dir: the recording has no samples'
	[ "$(wc -l <err)" -eq 1 ]
}

@test "a directory whose path leaves no room for its files: status 3" {
	local name
	two_files
	printf -v name '%*s' 4100 ''
	name=${name// /./}
	# one byte too many for data.0, and for data itself
	want_status 3 perfdec --no-symbols "${name:0:4086}dir"
	printf "perfdec: ${name:0:4086}dir: cannot open: File name too long\n%.0s" 1 2 >words
	same words err
	tail -n 1 out | grep -q '	partial	failed$'
	want_status 3 perfdec --no-symbols "${name:0:4088}dir"
	tail -n 1 out | grep -q '	partial	failed$'
	want_status 0 perfdec --no-symbols "${name:0:4084}dir"
	silent
}

@test "a directory with a file that cannot be read: status 3, and the rest is read" {
	two_files
	samples dir >want
	ln -s nowhere dir/data.2
	want_status 3 perfdec --no-symbols dir
	printf 'perfdec: dir/data.2: cannot open: No such file or directory\n' >words
	same words err
	grep '^sample' out >got
	same want got
	tail -n 1 out | grep -q '	partial	failed$'
	# also where others follow, and where one of them is damaged
	mv dir/data.0 dir/data.3
	mv dir/data.2 dir/data.0
	head -c 1000 dir/data.3 >dir/data.2
	want_status 3 perfdec --no-symbols dir
	said 'perfdec: dir/data.0: cannot open: No such file or directory'
	said 'perfdec: dir/data.2: 0x'
	[ "$(wc -l <err)" -eq 2 ]
	grep '^sample' out | sort -u >got
	sort -u want >first
	same first got
}

@test "a directory's files that are pipes or devices, or lead to the kernel's own, are not opened" {
	local file
	two_files
	samples dir >want
	for file in /dev/zero /proc/version pipe; do
		rm -f dir/data.2 dir/pipe
		[ $file != pipe ] || mkfifo dir/pipe
		ln -s $file dir/data.2
		want_status 1 timeout 20 perfdec --no-symbols dir || fail "$file"
		printf 'perfdec: dir/data.2: 0x0: not a regular file\n' | same - err
		grep '^sample' out >got
		same want got
	done
	for file in pipe /dev/zero dir; do
		rm -rf dir
		mkdir dir
		mkfifo dir/pipe
		ln -s $file dir/data
		[ $file != dir ] || { rm dir/data && mkdir dir/data; }
		want_status 1 timeout 20 perfdec --no-symbols dir || fail "data as $file"
		printf 'perfdec: dir/data: 0x0: not a regular file\n' | same - err
	done
	mkfifo dir/data2
	rmdir dir/data
	ln -s nowhere dir/data
	want_status 3 timeout 20 perfdec --no-symbols dir
	# an operand may well be a pipe
	perfconv --dir whole "$DATA/events.data"
	want_status 0 sh -c "cat '$DATA/events.data' >dir/data2 & perfdec --no-symbols dir/data2"
	[ "$(grep -c '^sample' out)" -gt 0 ]
}

@test "a place that cannot be looked at is not taken for one where nothing is" {
	local status
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers do not run under strace"
	need strace
	two_files
	mkdir dir/kcore_dir
	: >dir/kcore_dir/kallsyms
	for file in dir/kcore_dir/kallsyms dir/data dir/data.1; do
		status=0
		strace -qq -o trace -P "$file" -e inject=stat,newfstatat,fstatat64,open,openat:error=EIO perfdec dir \
			>out 2>err || status=$?
		grep -q INJECTED trace || skip "strace injects nothing here"
		[ $status -eq 3 ] || fail "$file: status $status"
		said "Input/output error"
		tail -n 1 out | grep -q '	partial	failed$'
	done
	# nor what follows the recording
	cat "$DATA/events.data" "$DATA/events.data" >two.data
	want_status 1 perfdec --no-symbols two.data
	k=$(strace -qq -e trace=pread64 perfdec --no-symbols two.data 2>&1 >/dev/null | grep -n '"PERFILE2", 8, [1-9]' | cut -d : -f 1)
	want_status 3 strace -qq -o trace -e trace=pread64 -e "inject=pread64:error=EIO:when=$k" perfdec --no-symbols two.data
	said "cannot read: Input/output error"
}

@test "damage in a directory is said with its own file and place" {
	local n size at
	two_files
	samples dir >want
	for n in 0 1; do
		two_files
		size=$(wc -c <dir/data.$n)
		# the last record, cut short
		head -c $((size - 1)) dir/data.$n >cut.data
		mv cut.data dir/data.$n
		want_status 1 perfdec --no-symbols dir
		[ "$(wc -l <err)" -eq 1 ]
		grep -q "^perfdec: dir/data.$n: 0x[0-9a-f]*: record cut short: " err
		[ $((0x$(sed 's/.*: 0x\([0-9a-f]*\):.*/\1/' err))) -lt "$size" ]
		[ "$(comm -13 <(sort want) <(grep '^sample' out | sort) | wc -l)" -eq 0 ]
	done
	# a sample that only its turn shows to be damaged, when all files have been read
	two_files
	at=0
	while [ "$(od -A n -t u4 -j $at -N 4 dir/data.0 | tr -d ' ')" -ne 9 ]; do
		at=$((at + $(od -A n -t u2 -j $((at + 6)) -N 2 dir/data.0)))
	done
	patch dir/data.0 $((at + 8)) '\377\377'
	want_status 1 perfdec --no-symbols dir
	[ "$(wc -l <err)" -eq 1 ]
	said "$(printf 'perfdec: dir/data.0: 0x%x: sample of unknown event id' $at)"
	# and the main file, whose damage leaves the others alone
	two_files
	at=$(u64 dir/data 40)
	patch dir/data $((at + 6)) '\001\000'
	want_status 1 perfdec --no-symbols dir
	said "$(printf 'perfdec: dir/data: 0x%x: record of type' "$at")"
	[ "$(wc -l <err)" -eq 1 ]
	[ "$(grep -c '^sample' out)" -eq "$(wc -l <want)" ]
}

@test "a directory of an unknown version, one whose header knows of no other files, one file of one" {
	local at
	two_files
	samples dir >want
	# the version is the last of the features, which stand at the end: 8 bytes
	at=$(($(wc -c <dir/data) - 8))
	patch dir/data $at '\007'
	want_status 1 perfdec --no-symbols dir
	said "perfdec: dir/data: 0x"
	said "directory format of version 7, which is unknown: read as version 1"
	grep '^sample' out >got
	same want got
	# version 0 is data alone
	patch dir/data $at '\000'
	want_status 0 perfdec --no-symbols dir
	said "perfdec: dir: data.0 and so on are not read: the header does not mention them"
	[ "$(grep -c '^sample' out)" -eq 0 ]
	[ "$(grep -c 'no samples' "$T/err")" -eq 0 ]
	want_status 0 perfdec --no-symbols dir/data
	[ "$(grep -c 'one file of a directory' err)" -eq 0 ]
	rm dir/data.?
	want_status 0 perfdec --no-symbols dir
	said 'perfdec: dir: the recording has no samples'
	# perf record -o DIR/data
	cp "$DATA/chain.data" dir/data
	want_status 0 perfdec --no-symbols dir
	silent
	unmarked out >got
	perfdec --no-symbols "$DATA/chain.data" | sed '/^#/d' >want
	same want got
	two_files
	want_status 1 perfdec --no-symbols dir/data
	said "perfdec: dir/data: 0x48: this is one file of a directory"
	want_status 1 sh -c 'perfdec --no-symbols <dir/data'
	said "perfdec: -: 0x48: this is one file of a directory"
}

@test "a directory whose recording was killed" {
	two_files
	samples dir >want
	patch dir/data 48 '\000\000\000\000\000\000\000\000'
	head -c $(($(u64 dir/data 40))) dir/data >cut.data
	mv cut.data dir/data
	want_status 1 perfdec --no-symbols dir
	said "perfdec: dir/data: 0x30: the recording was never finished"
	[ "$(wc -l <err)" -eq 1 ]
	[ "$(grep -c '^sample' out)" -eq "$(wc -l <want)" ]
	# perf record -o DIR/data
	rm dir/data.?
	cp "$DATA/flat.data" dir/data
	patch dir/data 48 '\000\000\000\000\000\000\000\000'
	want_status 1 perfdec --no-symbols dir
	said "perfdec: dir/data: 0x30: the recording was never finished"
	[ "$(grep -c 'data.0 is missing' err)" -eq 0 ]
	[ "$(grep -c '^sample' out)" -gt 0 ]
}

@test "perf record --kcore: the kernel's symbols that it leaves in the directory" {
	local text ip
	mkdir -p dir/kcore_dir
	cp "$DATA/trace.data" dir/data
	text=$(perfdec --all --no-symbols dir | sed -n 's/.*addr=0x\([0-9a-f]*\).*file=\[kernel.kallsyms\]_text.*/\1/p')
	ip=$(perfdec --no-symbols dir | sed -n 's/.*	mode=k	ip=0x\([0-9a-f]*\)	.*/\1/p' | head -n 1)
	[ -n "$text" ]
	[ -n "$ip" ]
	{
		echo "$text T _text"
		printf '%x t here_it_was\n' $((0x$ip - 0x10))
		printf '%x t behind\n' $((0x$ip + 0x10))
	} >dir/kcore_dir/kallsyms
	: >dir/kcore_dir/modules
	: >dir/kcore_dir/kcore
	want_status 0 perfdec dir
	grep -q "^sample	[^	]*	[^	]*	here_it_was	.*	ip=0x$ip	.*	symoff=0x10" out
	[ "$(grep -c '^sample' out)" -eq "$(grep -c '^sample' "$DATA/trace.ev")" ]
	# for a later lookup, the stream says where they are
	want_status 0 perfdec --frames dir
	grep -q '^origin	.*	kallsyms=dir/kcore_dir/kallsyms\(	\|$\)' out
	# --kallsyms is stronger
	sed 's/here_it_was/there_it_was/' dir/kcore_dir/kallsyms >list
	want_status 0 perfdec --kallsyms list dir
	grep -q '	there_it_was	' out
	# a list of another boot is not taken
	sed "s/^$text/ffffffff12300000/" dir/kcore_dir/kallsyms >list
	mv list dir/kcore_dir/kallsyms
	want_status 0 perfdec dir
	said "perfdec: no symbols for [kernel.kallsyms]: not the recording's kernel, or not the same boot"
	[ "$(grep -c here_it_was out)" -eq 0 ]
	# --no-symbols needs none
	want_status 0 perfdec --no-symbols dir
	silent
	unmarked out >got
	unmarked "$DATA/trace.ev" >want
	same want got
	# without kallsyms, as with perf record --kcore of a user who may not read it
	rm dir/kcore_dir/kallsyms
	want_status 0 perfdec dir
}

@test "a directory's files with wrong bytes: read or refused, with the file's name" {
	local i got n zstd
	for zstd in "" "--zstd 81" "--zstd glued"; do
		rm -rf whole
		# shellcheck disable=SC2086 # options are words
		perfconv --dir whole $zstd "$DATA/events.data"
		for i in $(seq 40); do
			rm -rf dir
			cp -R whole dir
			n=$((i % 2))
			fuzz-perfdata --write "$i" 3 whole/data.$n >dir/data.$n
			got=0
			perfdec --no-symbols --all dir >out 2>err || got=$?
			[ $got -le 1 ] || fail "status $got of copy $i $zstd"
			if [ $got -eq 1 ]; then
				[ -s err ] || fail "nothing said of copy $i $zstd"
				# chains with wrong bytes are counted for the whole recording
				grep -v -e "^perfdec: dir/data.$n: 0x[0-9a-f]*: ." \
					-e "^perfdec: dir: some callers are not known for [0-9]* of [0-9]* samples with callchains, " \
					err >others || :
				[ ! -s others ] || fail "copy $i $zstd: $(cat others)"
			fi
		done
	done
}
