# SPDX-License-Identifier: ISC
# lib.bats - the plumbing: escapes, numbers, the reader and the writer of the stream, marks,
# interning, the cursor.  The checks themselves are in t/unit.

# bats file_tags=quick

load lib

# unit NAME [ARGUMENT...]: builds t/unit/NAME.c and runs it.
unit() {
	local name=$1 archive
	shift
	use_archive
	build_c "$T/$name" "t/unit/$name.c" "$archive" "${LIBRARIES[@]}"
	want_status 0 "$T/$name" "$@"
	silent
}

@test "escapes: both ways, one spelling" { unit esc; }

# bats test_tags=slow,sanitize
@test "numbers: both ways, the shortest digits" {
	unit num
	# without the processor's wide instructions
	build_c "$T/portable" -DNUM_PORTABLE t/unit/num.c lib/{num,respell,wide}.c -lm
	want_status 0 "$T/portable"
	silent
}

@test "interning" { unit tab; }

@test "keys that lines do not have, and the nearest that they have" { unit keys; }

@test "memory: its count, its ceiling, arrays, and a system that has none" { unit mem "$T"; }

@test "bytes in and out, files and temporary files, while system calls fail or do less" {
	[ "$(uname -s)" = Linux ] || skip "Linux only"
	unit inout "$T"
}

@test "what people read: seconds, units, names that are cut, usual distances" { unit shown; }

@test "the ends of ranges: sizes, lines, names, tags" { unit limits; }

@test "the bounded cursor" { unit cur; }

@test "JSON: a source that fails, memory that runs out, escapes, members of one name" { unit json; }

@test "marks" { unit marks; }

@test "the stream: what is written is read" { unit stream "$T"; }

@test "the stream's lines, sorted in memory and on disk" { unit evsort "$T"; }

@test "texts, sorted by the bytes in which they differ" { unit textsort; }

@test "the stream's reader takes any bytes: what fuzzing found, and damaged streams" {
	helpers fuzz-evread
	printf '#afstream\t1\tp\ts\nsample\t1\t0x1\tr\\x1b\tm\t1\tk=\\.\tstack=a;\\.;\xc3\xa9\n#end\tp\ts\t1\tcomplete\n' >"$T/seed"
	want_status 0 fuzz-evread "$ROOT"/t/fuzz/corpus/evread/* "$T/seed"
	silent
	want_status 0 fuzz-evread --prefixes 1 "$T/seed"
	silent
	# every byte replaced by each of six, and each of them after the end
	want_status 0 fuzz-evread --each "$T/seed"
	silent
	grep -qx "$((($(wc -c <"$T/seed") + 1) * 6)) wrong bytes, .*" "$T/out"
}

@test "same: standard input is compared as a file is" {
	printf 'x\n' >"$T/x"
	: >"$T/none"
	echo x | same - "$T/x"
	echo x | same "$T/x" -
	if echo x | same - "$T/none" || echo y | same "$T/x" - || same - "$T/x" </dev/null; then
		fail "they differ"
	fi
	# a pipe, which can be read once
	same "$T/x" <(echo x)
	same <(echo x) "$T/x"
	if same "$T/none" <(echo x) || same <(echo x) "$T/none" || same - <(echo x) </dev/null; then
		fail "they differ"
	fi
	# what cannot be read is not an empty file
	mkdir "$T/folder"
	if same "$T/none" "$T/gone" || same "$T/gone" "$T/gone" || same "$T/folder" "$T/folder"; then
		fail "nothing was compared"
	fi
}
