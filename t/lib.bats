# SPDX-License-Identifier: ISC
# lib.bats - the plumbing: escapes, numbers, the reader and the writer of the stream, marks,
# interning, the cursor.  The checks themselves are in t/unit.

# bats file_tags=quick

load lib

# lib, compiled once for all units; without cli, which only programs link.
setup_file() {
	local f
	find "$ROOT"/lib -name '*.c' ! -name cli.c | while read -r f; do
		build_c "$BATS_FILE_TMPDIR/$(basename "$f" .c).o" -c "$f"
	done
}

# unit NAME [ARGUMENT...]: builds t/unit/NAME.c and runs it.
unit() {
	local name=$1
	shift
	build_c "$T/$name" "t/unit/$name.c" "$BATS_FILE_TMPDIR"/*.o -lcsv -ljansson -lxxhash -lgmp -lm
	want_status 0 "$T/$name" "$@"
	silent
}

@test "escapes: both ways, one spelling" { unit esc; }

@test "numbers: both ways, the shortest digits" { unit num; }

@test "interning" { unit tab; }

@test "the bounded cursor" { unit cur; }

@test "marks" { unit marks; }

@test "the stream: what is written is read" { unit stream "$T"; }

@test "the stream's lines, sorted in memory and on disk" { unit evsort "$T"; }

@test "the stream's reader takes any bytes: what fuzzing found, and damaged streams" {
	build_c "$T/evread" -DFUZZ_MAIN t/fuzz/evread.c "$BATS_FILE_TMPDIR"/*.o -lcsv -ljansson -lxxhash -lgmp -lm
	local n
	printf '#afstream\t1\tp\ts\nsample\t1\t0x1\tr\\x1b\tm\t1\tk=\\.\tstack=a;\\.;\xc3\xa9\n#end\tp\ts\t1\tcomplete\n' >"$T/seed"
	# every prefix, and every byte replaced by each of a few
	for n in $(seq 0 "$(wc -c <"$T/seed")"); do
		head -c "$n" "$T/seed" >"$T/prefix.$n"
		for byte in '\0' '\t' '\n' '\134' '#' '\303'; do
			# shellcheck disable=SC2059 # the escape is the format
			{ head -c "$n" "$T/seed"; printf "$byte"; tail -c +$((n + 2)) "$T/seed"; } >"$T/changed.$n.${byte#\\}x"
		done
	done
	find "$ROOT/t/fuzz/corpus/evread" "$T" -type f ! -name evread ! -name out ! -name err -print0 >"$T/names"
	want_status 0 xargs -0 -n 200 "$T/evread" <"$T/names"
	silent
}
