#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# afagg_jobs.bats - afagg in several threads, which change nothing but the time.

load lib

setup() {
	cd "$T" || return
}

# many LINES: a stream of that many lines, with 1003 groups.
many() {
	awk -v n="$1" 'BEGIN {
		OFS = "\t"
		print "#afstream", 1, "make", "x"
		print "run", 0, "r", ".", ".", ".", "unit=ns"
		print "measure", ".", "r", ".", "m", ".", "unit=ns"
		for (i = 0; i < n; i++)
			print "sample", i, "r", "f" i * 7919 % 1003, "m", i * 31 % 977, "pid=1", "cpu=" i % 4, "comm=prog"
		print "#end", "make", "x", n + 2, "complete"
	}'
}

# groups LINES: a stream with a third as many groups, of which each thread has others.  Runs, measures
# and mids come in the course of it, so that threads number them differently.
groups() {
	awk -v n="$1" 'BEGIN {
		OFS = "\t"
		for (i = 0; i < n; i++)
			print "sample", i, "r" int(i * 5 / n), "f" i * 7919 % int(n / 3), "m" int(i * 7 / n) % 3,
				i * 31 % 977, "type=t" int(i * 4 / n), "cpu=" i % 4, "mid=" int(i * 3 / n), "comm=prog"
	}'
}

# alike WANT_STATUS ARGUMENT...: runs afagg in one thread and in several, and compares.
alike() {
	local status=$1 jobs
	shift
	want_status "$status" afagg "$@"
	mv out out.1 && mv err err.1 || return
	for jobs in 2 3 8; do
		want_status "$status" afagg --jobs $jobs "$@"
		same out.1 out
		same err.1 err
	done
}

@test "the number of threads is from 1 to 64" {
	want_status 2 afagg --jobs 0 /dev/null
	said "--jobs"
	want_status 2 afagg --jobs 65 /dev/null
	want_status 2 afagg --jobs two /dev/null
	want_status 2 afagg --jobs 2 --jobs 2 /dev/null
	many 10 >in
	for jobs in 1 2 64; do
		want_status 0 afagg --jobs $jobs --by region in
		silent
	done
}

# bats test_tags=quick
@test "threads change neither the output nor the status" {
	many 40000 >in
	alike 0 --by region in
	alike 0 --by region,cpu --stat count,sum,p99,stddev,rate,share in
	alike 0 --by cpu --window 1us --stat median in
	# what is said about intervals is about those of all threads
	awk 'BEGIN { FS = OFS = "\t" } /^sample/ { $0 = $0 OFS "start=" $2; $2 += 5000 } { print }' in >intervals
	alike 0 --by cpu --window 1us --stat sum intervals
	said 'afagg: 40000 of 40000 spans or intervals began before the window in which they end: the whole value counts there, and none before (--by time instead of --window shows intervals as they are)'
	awk 'BEGIN { FS = OFS = "\t" } /^sample/ && NR < 20000 { sub(/start=[0-9]*/, "start=" $2 - 1) } { print }' intervals >short
	alike 0 --by cpu --window 1us --stat sum short
	grep -q 'spans or intervals began before' "$T/err"
	alike 0 --by region --stat first,last,hist,p50 --sketch 1% in
	alike 0 --whole --by region --partial --stat rate,share in
	cp out part
	alike 0 part
	# partial results are in the order of the first lines of runs and measures
	awk 'BEGIN { FS = OFS = "\t" }
		/^sample/ { $3 = "r" int(NR / 250); $5 = "m" int(NR / 170) } { print }' in >runs
	alike 0 --no-marks --by cpu --stat rate,share --partial runs
	alike 3 --by region in no-such-file in
	want_status 0 afagg --by region in
	cp out want
	want_status 0 afagg --jobs 4 --by region - < <(cat in)
	grep -v '^#' out >got
	grep -v '^#' want | cmp - got
}

@test "many groups, which threads sort and write" {
	groups 60000 >in
	alike 0 --no-marks --by region in
	alike 0 --no-marks --by region,unit? in
	[ "$(grep -c '^agg' out)" -eq $((2 * $(cut -f 4,5,7 in | sort -u | wc -l))) ]
	alike 0 --no-marks --by region,type --stat count,p99,stddev,rate,share,first,last in
	alike 0 --no-marks --by cpu,region,run? --window 2us --stat mean,hist in
	alike 0 --no-marks --by region,run --partial --stat median,rate in
	cp out part
	alike 0 part
	awk 'BEGIN { FS = OFS = "\t" } NR % 2 { $2 = "." } { print }' in >timeless
	alike 0 --no-marks --by region,cpu --window 2us --stat rate timeless
	said "groups have no rate"
	# the groups of a block are neighbours
	awk 'BEGIN { FS = OFS = "\t" } { $4 = sprintf("f%06d", NR / 3) } { print }' in >sorted
	alike 0 --no-marks --by region sorted
	# what is seen of all groups in their order: zeros between them, and how many results each has
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 30000; i++) print "sample", i, "r", "f" i * 7919 % 5003, "m", i % 97,
		"cpu=" (i % 5003 ? i % 2 : 2) }' >some
	alike 0 --no-marks --by region,cpu --zeros cpu some
	[ "$(grep -c '	0	.*stat=count' out)" -gt 4096 ]
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 30001; i++) print "agg", i, "r", "f" i * 7919 % 5003, "m", i % 97,
		"stat=sum", "cpu=" int(i / 5003) }' >sums
	alike 0 --no-marks --kind agg --by region --stat mean sums
	said 'fewer results than others'
	# one result is of a place inside its group, whichever thread reads it
	sed '20000s/$/	addr=0x5/' sums >inside
	alike 0 --no-marks --kind agg --by region --stat mean inside
	silent
	# each result is of several lines
	awk '{ print $0 "\tn=" NR % 7 }' sums >counted
	alike 0 --no-marks --kind agg --by region counted
	alike 0 --no-marks --kind agg --by cpu counted
	grep -q '	n=[0-9]\{5\}$' out
	# one key so long that no piece of the order would fit into its buffer
	awk -v x="$(printf '%020000d' 0)" 'BEGIN { FS = OFS = "\t" } NR == 9 { $4 = x } { print }' in >one
	alike 0 --no-marks --by region one
	# and many of them
	awk 'BEGIN { FS = OFS = "\t"; x = sprintf("%08000d", 0) }
		NR <= 4500 { $4 = x NR % 1499 } NR <= 4500 { print }' in >long
	alike 0 --no-marks --by region long
}

@test "output that fails, while threads write it" {
	groups 60000 >in
	local jobs
	for jobs in 1 3; do
		status=0
		afagg --no-marks --jobs $jobs --by region in >/dev/full 2>err.$jobs || status=$?
		[ $status -eq 3 ]
		bash -c 'afagg --no-marks --jobs $0 --by region in 2>pipe.$0 | head -n 1 >first.$0
			echo ${PIPESTATUS[0]} >>pipe.$0' $jobs
	done
	same err.1 err.3
	same pipe.1 pipe.3
	same first.1 first.3
	# a file that gets too large in the middle
	for jobs in 1 3; do
		status=0
		(ulimit -f 600 && trap '' XFSZ && exec afagg --no-marks --jobs $jobs --by region in >large.$jobs 2>err.$jobs) || status=$?
		[ $status -eq 3 ]
		[ "$(wc -c <large.$jobs)" -eq $((600 * 1024)) ]
	done
	same - err.3 <<<'afagg: standard output: File too large'
	same err.1 err.3
	cmp large.1 large.3
}

@test "judged by random streams, most of them damaged" {
	need python3
	local rounds=24
	[ -z "${AFPIPE_SLOW-}" ] || rounds=240
	python3 "$ROOT/t/tools/aggjobs.py" "$(command -v afagg)" 1 $rounds >log 2>&1 || fail "$(cat log)"
}

@test "messages are in the order of the lines, with their numbers, and 20 of them" {
	many 40000 | awk 'BEGIN { FS = OFS = "\t" } NR % 1000 == 7 { $6 = "x" NR } { print }' >in
	alike 1 --by region in
	awk 'BEGIN { for (i = 7; i < 20000; i += 1000)
		printf "afagg: in:%d: value \"x%d\" is not a number\n", i, i
		print "afagg: and 20 more messages" }' >want
	same want err
}

@test "more messages of a block than are kept: their number is right" {
	many 12000 | awk 'BEGIN { FS = OFS = "\t" } NR % 50 == 7 { $6 = "x" NR } { print }' >in
	alike 1 --by region in
	[ "$(wc -l <err)" -eq 21 ]
	tail -n 1 err | same - <(echo 'afagg: and 220 more messages')
	# beside lines of as many kinds as can be left out
	sed -n 's/.* .name = "\([a-z_0-9]*\)" }.*/\1/p' "$ROOT/lib/kinds.c" | grep -vxE 'sample|agg|part|diff' >kinds
	[ "$(wc -l <kinds)" -gt 50 ]
	awk 'BEGIN { FS = OFS = "\t" } FILENAME == "kinds" { kind[++n] = $1; next }
		FNR % 1000 == 3 { for (i = 1; i <= n; i++) print kind[i], FNR, "r", ".", "m", "." } { print }' kinds in >mixed
	alike 1 --no-marks --by region mixed
	[ "$(grep -c '^afagg: mixed:' err)" -eq 20 ]
}

@test "a measure line gives the unit of the lines after it, wherever these are counted" {
	many 30000 >in
	for n in 3 4 5000 5001 15000 29999; do
		sed "$n"'a\
measure	.	r	.	m	.	unit=bytes' in >turn
		alike 0 --no-marks --by unit? --stat count turn
		grep '^agg' out | tr '\t' ' ' | sed 's/ start=[0-9]*//; s/^agg [0-9]* //' >got
		cat >want <<-EOD
		r . m $((30003 - n)) unit=bytes stat=count n=$((30003 - n))
		r . m $((n - 3)) unit=ns stat=count n=$((n - 3))
		EOD
		[ "$n" -gt 3 ] || sed -i 2d want
		same want got
	done
}

@test "lines of other kinds are counted and passed on in order" {
	many 40000 | awk 'BEGIN { FS = OFS = "\t" }
		NR % 4000 == 9 { print "lost", NR, "r", ".", "m", 1; print "run", 0, "r" NR, ".", ".", "."; next }
		NR > 20000 && NR % 3 == 0 { $1 = "stop" } NR > 25000 && NR % 5 == 0 { $1 = "start" }
		NR % 7777 == 0 { print "# a comment" } { print }' >in
	alike 0 --no-marks --by region in
	said "left out lines of other kinds (see --kind): $(grep -c '^stop' in) stop, $(grep -c '^start' in) start"
	[ "$(grep -c '^lost' out)" -eq 10 ]
}

@test "a resource that was left out, among lines that threads read" {
	many 40000 >some
	lines resource <<<'header . r /snapshots/0/resources/7 . . parts=2'
	for line in 3 20000 39999; do
		sed "${line}r resource" some
	done | grep -v '^#' >in
	alike 0 --no-marks --by region in
	said 'afagg: left out resources larger than 1 MiB: 3 (see perunquery)'
}

@test "streams that end anywhere" {
	many 20000 >in
	# the beginnings of a mark and of a measure line at the end of a block
	local end
	for end in '#' '#a' m 'measure'; do
		{
			grep -v '^#' in
			printf '%s\n' "$end"
		} >end
		[[ $end != m* ]] && status=0 || status=1
		alike $status --no-marks --by region end
		[ "$(grep -c '^agg' out)" -eq 2006 ]
	done
	local size n
	size=$(wc -c <in)
	for n in 1 7 40000 262143 262144 262145 524288 777777 $((size - 1)) $((size - 30)); do
		head -c "$n" in >short
		alike 1 --by region short
	done
}

@test "lines longer than a block" {
	many 20000 >in
	{
		head -n 5000 in
		awk 'BEGIN { printf "sample\t1\tr\tlong\tm\t5\tpid=1\tcpu=1\tcomm=a\tx="
			for (i = 0; i < 60000; i++) printf "0123456789"
			print "" }'
		tail -n +5001 in
	} >long
	alike 0 --no-marks --by region --stat count,p50 long
	grep -q "$(printf '\tlong\tm\t1\t')" out
	awk 'BEGIN { printf "sample\t1\tr\ttoolong\tm\t5\tx="
		for (i = 0; i < 1700000; i++) printf "0123456789"
		print "" }' | cat in - in >long
	alike 1 --no-marks --by region long
	said 'long:20005: line longer than 16 MiB'
}

@test "another version of the stream ends its input, though threads have read on" {
	many 20000 >in
	{
		head -n 9000 in
		printf '#afstream\t2\tother\tx\n'
		tail -n +9001 in
	} >new
	alike 1 --by region --stat count new in
	said 'new:9001: stream version 2, not 1'
}

# A thread that has more groups than the caller's aggregation exchanges them if they are joined.  Only
# the first groups are of other runs and mids.
@test "groups of threads that are joined, since memory gets short" {
	awk 'BEGIN {
		OFS = "\t"
		x = sprintf("%0250d", 0)
		r = 1
		for (i = 0; i < 20000; i++) {
			stack = ""
			for (k = 0; k < 4; k++) {
				r = r * 16807 % 2147483647
				stack = stack (k == 0 ? "" : ";") (i < 200 ? "c" i % 15 : k "f" r % 4001)
			}
			print "sample", i, "r" (i < 200 ? i % 3 : 0), substr(stack, 1, 5), "m", i % 977,
				"mid=" (i < 200 ? i % 5 : 0), "stack=" stack, "x=" x
		}
	}' >in
	# not if threads number runs, mids or measures in another order
	awk 'BEGIN { FS = OFS = "\t" } NR > 200 { $3 = "r" (2 - int(NR / 5000) % 3); $4 = $3 $4 } { print }' in >runs
	awk 'BEGIN { FS = OFS = "\t" } NR > 200 { $7 = "mid=" (4 - int(NR / 5000) % 3); $4 = $7 $4 } { print }' in >mids
	awk 'BEGIN { FS = OFS = "\t" } { $5 = "m" int(NR / 1500) % 3 } { print }' in >measures
	local size f
	for size in 16M 24M 48M; do
		for f in in runs mids measures; do
			alike 0 --no-marks --by region --stat count,sum,stddev --max-memory $size $f
		done
		# a line adds to a group once, also if its number is that of a line of the other aggregation
		alike 0 --no-marks --by frame --stat count,sum --max-memory $size in
	done
}

# bats test_tags=slow,sanitize
@test "groups that do not fit into memory" {
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 100000; i++)
		print "sample", i, "r" i % 2, "f" i * 7919 % 50021, "m", i, "type=t" i % 3 }' >in
	alike 0 --no-marks --by region,type --stat count,sum,median in
	cp out want
	for size in 8M 12M 24M; do
		alike 0 --no-marks --by region,type --stat count,sum,median --max-memory $size in
		same want out
	done
	alike 0 --no-marks --by region,type --stat rate,share --max-memory 12M --partial in
}

@test "too few threads" {
	preload nothread
	many 40000 >in
	groups 30000 >>in
	want_status 0 afagg --no-marks --by region in
	cp out want
	# two threads add lines, then two sort the groups, and two write them
	for n in 0 1 2 3 4 5; do
		want_status 0 env NOTHREAD=$n LD_PRELOAD="$HELPERS/nothread.so" afagg --no-marks --jobs 3 --by region in
		silent
		same want out
	done
	# there are as many as were asked for
	want_status 0 env NOTHREAD=9 NOTHREAD_FD=5 LD_PRELOAD="$HELPERS/nothread.so" \
		afagg --no-marks --jobs 3 --by region in 5>started
	same want out
	[ "$(wc -l <started)" -eq 6 ]
}

@test "faults that were found, in threads" {
	mkdir bin
	printf '#!/bin/sh\nexec "%s" --jobs 2 --max-memory 8M "$@"\n' "$(command -v afagg)" >bin/afagg
	chmod 755 bin/afagg
	local f name files
	mapfile -t files < <(grep -lw afagg "$ROOT"/t/bugs/*.sh)
	[ ${#files[@]} -gt 4 ]
	for f in "${files[@]}"; do
		name=$(basename "$f" .sh)
		mkdir "$name" && cd "$name" || return
		status=0
		PATH=$T/bin:$PATH BUGS=$ROOT/t/bugs sh "$f" >"$T/out" 2>"$T/err" </dev/null || status=$?
		cd "$T" || return
		{
			cat out err
			echo "status $status"
		} >got
		same "$ROOT/t/bugs/$name.want" got
	done
}

# twice LINE OTHER: a stream with lines of the one kind and then of the other, in which N is a number.
# There are so many lines between them that they are in different blocks, so some threads have only one.
twice() {
	awk -v one="$1" -v other="$2" '
		function put(line, i, s) {
			for (i = 0; i < 50; i++) {
				s = line
				gsub("N", i, s)
				print s
			}
		}
		BEGIN {
			OFS = "\t"
			put(one)
			for (i = 0; i < 24000; i++)
				print "sample", i, "r2", "between", "z", 1
			put(other)
		}'
}

@test "values that contain each other, of which no thread has both" {
	local why='sums and means count the same several times: values of a whole run, region or section'
	twice $'sample\t1\tr1\tfN\tm\t1\tscope=run' $'sample\t1\tr1\tfN\tm\t1\tscope=region' >in
	alike 0 --by region in
	said "$why"
	why='sums and means of inclusive and .delta count the same several times, since regions contain each other'
	twice $'span\t1\tr1\tfN\tinclusive\t1\tstack=g;fN' $'span\t1\tr1\tg\tinclusive\t1\tstack=g' >in
	alike 0 --by run in
	said "$why"
	twice $'span\t1\tr1\tg\tinclusive\t1\tstack=g' $'span\t1\tr1\tfN\tinclusive\t1\tstack=g;fN' >in
	alike 0 --by run in
	said "$why"
	why='sums and means of inclusive and .delta may count the same several times'
	twice $'agg\t.\tr1\tf\tinclusive\t1\tstat=sum' $'agg\t.\tr1\tg\tinclusive\t1\tstat=sum' >in
	alike 0 --kind agg --by run in
	said "$why"
	why='groups have results with different keys (afagg --by)'
	twice $'agg\t.\tr1\tfN\tm\t1\tstat=sum\tn=1' $'agg\t.\tr1\tfN\tm\t1\tcomm=a\tstat=sum\tn=1' >in
	alike 0 --kind agg --by region in
	said "$why"
}

@test "squares that need more than 128 bits only when the threads' are added up" {
	# one line in a thousand; in each of eight threads about 60 of them, and 341 fit into 128 bits
	awk 'BEGIN {
		OFS = "\t"
		print "measure", ".", "r", ".", "m", ".", "unit=ns"
		for (i = 0; i < 480000; i++)
			print "sample", i, "r", "f", "m", i % 1000 ? 1 : (i % 2000 ? "-" : "") "999999999999999999"
	}' >in
	want_status 0 afagg --by region --stat stddev in
	mv out want
	want_status 0 afagg --jobs 8 --by region --stat stddev in
	same want out
}

@test "sums and squares that are anywhere below 64 and 128 bits when the threads' are added up" {
	need python3
	# the sum passes 2^62 and -2^62 again and again, and squares pass 2^127
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 24000; i++)
			print "sample", i, "r", "f" i % 37, "m", (i % 37 % 2 ? "-" : "") "90000000000000" 1000 + i % 7
	}' >in
	alike 0 --no-marks --by region --stat sum in
	alike 0 --no-marks --by region --stat sum,min,max,pstddev in
	python3 -c '
import sys
from fractions import Fraction
values, got = {}, {}
for line in open("in"):
    c = line.rstrip("\n").split("\t")
    values.setdefault(c[3], []).append(int(c[5]))
for line in open("out"):
    c = line.rstrip("\n").split("\t")
    if c[0] == "agg":
        got[c[3], c[6]] = c[5]
assert len(got) == 37 * 4
for name, v in values.items():
    variance = Fraction(sum(x * x for x in v), len(v)) - Fraction(sum(v), len(v)) ** 2
    assert got[name, "stat=sum"] == str(sum(v)), name
    assert abs(float(got[name, "stat=pstddev"]) / float(variance) ** 0.5 - 1) < 1e-15, name
'
}

# bats test_tags=slow
@test "no data races" {
	need python3
	(cd "$ROOT" && ls lib/*.c src/aggregate/*.c filters/afagg.c) >sources
	export -f build_c
	export ROOT
	# shellcheck disable=SC2016 # the inner shell expands it
	CFLAGS='-O1 -g -fsanitize=thread' xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" bash -c '
		build_c "$0/${1//\//-}.o" -c "$1"' "$T" <sources
	CFLAGS='-fsanitize=thread' build_c "$T/afagg" "$T"/*.o "${LIBRARIES[@]}"
	TSAN_OPTIONS=exitcode=66 python3 "$ROOT/t/tools/aggjobs.py" "$T/afagg" 7 24 >log 2>&1 ||
		fail "$(cat log)"
	groups 60000 >in
	for stat in count,sum,mean p50,share,rate,stddev; do
		afagg --no-marks --by region --stat $stat in | grep -v '^#' >want
		TSAN_OPTIONS=exitcode=66 ./afagg --no-marks --jobs 3 --by region --stat $stat in >out || fail "status $?"
		grep -v '^#' out | cmp - want
	done
}

@test "memory that runs out, in any thread" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	helpers nomem.so || skip "no preloading here"
	{
		many 5000
		groups 15000
	} >in
	afagg --no-marks --by region in >want
	local k step=17 status
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	for ((k = 1; k < 500; k += step)); do
		status=0
		LD_PRELOAD=$HELPERS/nomem.so NOMEM=$k afagg --no-marks --jobs 2 --by region in >out 2>err || status=$?
		if [ $status -eq 0 ]; then
			same want out || fail "allocation $k" || return
		else
			[ $status -eq 3 ] || fail "allocation $k: status $status: $(cat err)" || return
			grep -q memory err || fail "allocation $k: $(cat err)" || return
		fi
	done
	# each of them, where that is fast
	helpers fault
	fault true >out 2>&1 || [ $? -ne 77 ] || return 0
	want_status 0 fault -m "$HELPERS/nomem.so" afagg --no-marks --jobs 2 --by region in || fail "$(head -n 20 out)"
	# with one block for threads, so that the allocations are the same each time; first with totals of 64
	# bits in the thread, which do not fit into 64 bits with the others
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 12000; i++) print "sample", i, "r", "f" i % 10, "m",
		int(i / 10) % (40 + i % 10 * 40) ? 1 : "999999999999999999" }' >in
	want_status 0 fault -m "$HELPERS/nomem.so" afagg --no-marks --jobs 2 --by region --stat sum,stddev in ||
		fail "$(head -n 20 out)"
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 12000; i++) print "sample", i, "r", "f" i * 7919 % 5003, "m", i % 97 }' >in
	want_status 0 fault -m "$HELPERS/nomem.so" afagg --no-marks --jobs 2 --by region in || fail "$(head -n 20 out)"
}

@test "memory that runs out while runs and measures get their numbers: their order is kept" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	helpers nomem.so fault || skip "no preloading here"
	fault true >out 2>&1 || [ $? -ne 77 ] || skip "nothing can be refused here"
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 20000; i++) print "sample", i, "r" int(i / 500), "f", "m" int(i / 300), 1 }' >in
	want_status 0 fault -m "$HELPERS/nomem.so" afagg --no-marks --jobs 2 --by region --stat share,rate --partial in ||
		fail "$(head -n 20 out)"
}

# bats test_tags=sanitize
@test "aggregations that are joined, while memory is refused at any place" {
	local archive
	use_archive
	build_c "$T/joins" "${REFUSABLE[@]}" t/unit/joins.c "$archive" "${LIBRARIES[@]}"
	want_status 0 "$T/joins"
	silent
}
