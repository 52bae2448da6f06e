# SPDX-License-Identifier: ISC
# growth.bats - ten times the input takes about ten times the instructions: each program, with the
# inputs of t/growth/table.

load ../lib

# grows PROGRAM: with each of its inputs, the program is as the table allows.
grows() {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have instructions of their own"
	need valgrind python3
	helpers perfmake dcpimake collide collidenames
	"$ROOT/t/tools/growth" "$1" >"$T/rows" || fail "$(grep -v '	ok$' "$T/rows")"
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
