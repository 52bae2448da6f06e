# SPDX-License-Identifier: ISC
# growth.bats - ten times the input takes about ten times the instructions: each program, with the
# inputs of t/growth/table.

load ../lib

setup_file() {
	[[ ${CFLAGS-} != *sanitize* ]] || return 0
	command -v valgrind >/dev/null && command -v python3 >/dev/null || return 0
	helpers perfmake dcpimake collide collidenames || return
	"$ROOT/t/tools/growth" >"$BATS_FILE_TMPDIR/all" || :
}

# grows PROGRAM: with each of its inputs, the program is as the table allows.
grows() {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have instructions of their own"
	need valgrind python3
	awk -F '\t' -v program="$1" '$1 == program' "$BATS_FILE_TMPDIR/all" >"$T/rows"
	awk -F '\t' '$8 != "ok"' "$T/rows" >&2
	[ "$(grep -c '	ok$' "$T/rows")" -eq "$(grep -c "^$1	" "$ROOT/t/growth/table")" ]
	[ -s "$T/rows" ]
}

@test "each program is in the table" {
	cut -f 1 "$ROOT/t/growth/table" | grep -v '^#' | sort -u >"$T/got"
	(cd "$ROOT/filters" && printf '%s\n' *.c | sed 's/\.c$//' | sort) >"$T/want"
	same "$T/want" "$T/got"
}

@test "afagg" {
	grows afagg
}

@test "afcut" {
	grows afcut
}

@test "afdec" {
	grows afdec
}

@test "afdiff" {
	grows afdiff
}

@test "afdur" {
	grows afdur
}

@test "afenc" {
	grows afenc
}

@test "afpair" {
	grows afpair
}

@test "afsel" {
	grows afsel
}

@test "afsym" {
	grows afsym
}

@test "aftab" {
	grows aftab
}

@test "aftop" {
	grows aftop
}

@test "csvenc" {
	grows csvenc
}

@test "dcpidec" {
	grows dcpidec
}

@test "dcpienc" {
	grows dcpienc
}

@test "flameenc" {
	grows flameenc
}

@test "foldenc" {
	grows foldenc
}

@test "jsondec" {
	grows jsondec
}

@test "jsonenc" {
	grows jsonenc
}

@test "perfdec" {
	grows perfdec
}

@test "perundec" {
	grows perundec
}

@test "perunenc" {
	grows perunenc
}

@test "perunquery" {
	grows perunquery
}

@test "pprofenc" {
	grows pprofenc
}

@test "traceenc" {
	grows traceenc
}
