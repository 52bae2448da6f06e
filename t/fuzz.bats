#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# fuzz.bats - the fuzz drivers that belong to no single program, and the mutators: their inputs stay
# read or refused, cut and with wrong bytes.

load lib

setup() {
	cd "$T" || return
	n=1000
	[ -z "${AFPIPE_SLOW-}" ] || n=10000
}

# sweep NAME [PART]: replays the inputs of a driver, their prefixes, and n copies with wrong bytes,
# or that part of n.
sweep() {
	local corpus=$ROOT/t/fuzz/corpus/$1 copies=$((n / ${2-1}))
	helpers "fuzz-$1"
	want_status 0 "fuzz-$1" "$corpus"/*
	want_status 0 "fuzz-$1" --prefixes 7 "$corpus"/*
	want_status 0 "fuzz-$1" --flips "$copies" 1 "$corpus"/*
}

# The inputs of a driver that no test read would be read by make check-fuzz alone.
@test "the inputs of each driver are replayed by a test" {
	local dir name bad=0
	for dir in "$ROOT"/t/fuzz/corpus/*; do
		name=${dir##*/}
		[ -e "$ROOT/t/fuzz/$name.c" ] &&
			grep -qE "^	sweep $name( |\$)|fuzz/corpus/$name(\"?/\*|\$| step=)" "$ROOT"/t/*.bats || {
			echo "t/fuzz/corpus/$name" >&2
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

@test "the kind of a file, from its first bytes" {
	sweep guess
}

@test "JSON, with jansson as the judge" {
	sweep json
}

@test "afagg: settings, and the partial results of halves" {
	sweep aggregate 4
}

@test "afpair: settings, and pairs of any lines" {
	sweep pair
}

@test "numbers, with the C library as the judge" {
	sweep number
}

@test "tables, for people and screens and as CSV" {
	sweep table
}

@test "changes of aggregates, with the sides exchanged" {
	sweep diff 4
}

@test "directories of perf record --threads" {
	sweep directory 4
}

@test "recordings whose records are changed, dropped, repeated and exchanged" {
	helpers fuzz-perfdata
	want_status 0 fuzz-perfdata --mutate "$n" 1 "$ROOT"/t/data/perf/{chain,pipe,events,stat}.data
	# a mutator that destroys the structure of files would leave nothing to read
	[ "$(sed -n 's/.*mutations, \([0-9]*\) refused/\1/p' out)" -lt $((n * 4 * 9 / 10)) ]
}

@test "AFPerf whose fields are changed, and records dropped, repeated and exchanged" {
	local i
	helpers fuzz-afperf afperfmake
	for i in 2 9 20; do
		afperfmake random "$i" >"random.$i"
	done
	want_status 0 fuzz-afperf --mutate "$n" 1 random.*
}
