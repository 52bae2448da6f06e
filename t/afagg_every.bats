#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# afagg_every.bats - interim results: afagg --every, what aftab makes of them, and that no other
# program takes them for results.

load lib

setup() {
	cd "$T" || return
}

# lines: takes lines with blanks where the stream has TABs.  Without a program to start, they come
# long before the first interim result, however busy the machine is.
lines() {
	local line
	while IFS= read -r line; do
		printf '%s\n' "${line// /	}"
	done
}

first() {
	lines <<-'EOF'
	#afstream 1 src x
	run 0 r . . . unit=ns
	measure . r . m . unit=ns
	sample 1 r f m 5
	sample 12 r g m 6
	EOF
}

second() {
	lines <<-'EOF'
	sample 25 r f m 1
	sample 3 r g m 100
	#end src x 6 complete
	EOF
}

whole() {
	first
	second
}

# await N: waits until interim result N is in the file live.
await() {
	soon grep -qs "^#interim_end	afagg	-	$1	" live >&2
}

# showing TAG: waits until an interim result in the file live has a line with that tag.
showing() {
	soon grep -qsE "^#interim	.*	$1(	|\$)" live >&2
}

# noted TEXT: waits until the file err has the text.
noted() {
	soon grep -qs "$1" err >&2
}

# slow N: a producer that pauses until interim result N is in the file live.
slow() {
	first
	await "$1" >&2
	second
}

# interim N: the lines of interim result N of the file out, as they would be in a stream.
interim() {
	awk -F '\t' -v n="$1" '
		$1 == "#interim_begin" { on = $4 == n }
		$1 == "#interim" && on { sub(/^#interim\t/, ""); print }' live
}

# bats test_tags=quick
@test "interim results are those of the lines so far, and the rest of the stream is the same" {
	first | grep -v '^#' >part
	whole | afagg --by region --stat count,sum,mean,p50,share >plain
	afagg --by region --stat count,sum,mean,p50,share part | grep '^agg' >want
	slow 2 | afagg --by region --stat count,sum,mean,p50,share --every 100ms >live
	interim 1 >got
	same want got
	interim 2 >got
	same want got
	grep -v '^#interim' live >got
	same plain got
	grep -q '^#interim_end	afagg	-	1	10$' live
}

@test "a quiet pipe gives results in time, before anything has come, too" {
	{
		await 2
		first
		await 5
		second
	} | afagg --by region --every 100ms >live
	grep -q '^#interim_end	afagg	-	1	0$' live
	grep -q '^#interim_end	afagg	-	5	4$' live
	tail -n 1 live | grep -q 'complete$'
}

@test "the memory for an interim result is used again for the next one" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	helpers rss
	local once often
	seq 50000 | sed 's/.*/sample	&	r	f&	m	1/' >in
	rss used afagg --by region in >live
	once=$(cut -d ' ' -f 2 used)
	{
		cat in
		await 30
	} | rss used afagg --by region --every 10ms >live
	often=$(cut -d ' ' -f 2 used)
	[ "$(grep -c '^#interim_end	.*	100000$' live)" -ge 10 ]
	[ "$often" -lt $((once * 3 / 2)) ] || fail "$once KiB, and $often with interim results"
}

@test "no program takes interim results for results" {
	whole | afagg --by region >plain
	slow 2 | afagg --by region --every 100ms >live
	[ "$(grep -c '^#interim	agg' live)" -ge 8 ]
	for cmd in "afagg --kind agg --by region" "afagg --by region --kind agg --stat sum" \
		"afcut region,value" afenc csvenc foldenc perunenc "afsel --where region=f" \
		"afdiff --before plain" "afagg --whole --kind agg" afsym; do
		a=0 b=0
		# shellcheck disable=SC2086
		$cmd <plain >want 2>/dev/null || a=$?
		# shellcheck disable=SC2086
		$cmd <live >got 2>err || b=$?
		[ "$a" = "$b" ] || fail "$cmd: status $b, not $a: $(cat err)"
		same want got
	done
	sort -r live | afagg --kind agg --by region | grep '^agg' >got
	afagg --kind agg --by region plain | grep '^agg' >want
	same want got
}

@test "windows: only complete ones, each once; lines that come late are in the final result" {
	slow 2 | afagg --by region --window 10ns --stat sum --every 100ms >live 2>err
	interim 1 | cut -f 4,6,7 >got
	printf 'f\t5\twindow=0\n' >want
	same want got
	[ "$(grep -c '^#interim	.*window=0' live)" -eq 1 ]
	[ "$(grep -c '^#interim	.*window=20' live)" -eq 0 ]
	grep '^agg' live | cut -f 4,6,7 >got
	printf 'f\t5\twindow=0\nf\t1\twindow=20\ng\t100\twindow=0\ng\t6\twindow=10\n' >want
	same want got
	said "afagg: 1 line came after an interim result with their window: only the final result counts them"
	whole | afagg --by region --window 10ns --stat sum >plain
	grep -v '^#interim' live >got
	same plain got
}

@test "windows that overlap are complete when the line at their end has come" {
	{
		lines <<-'EOF'
		sample 5 r f m 1
		sample 20 r f m 2
		EOF
		await 1
		lines <<<'sample 15 r f m 4'
	} | afagg --window 20ns/10ns --stat sum --every 100ms >live 2>err
	grep '^#interim	' live | cut -f 7,8 >got
	printf '1\twindow=-10\n1\twindow=0\n' >want
	same want got
	said "1 line came after"
}

@test "windows from the first line are complete when any run is past their end, each by its own clock" {
	{
		lines <<-'EOF'
		run 100 a . . .
		run 9000 b . . .
		sample 105 a f m 1
		sample 9004 b f m 2
		sample 95 a f m 16
		sample 9012 b f m 4
		EOF
		await 1
		lines <<<'sample 108 a f m 8'
		lines <<<'sample 119 a f m 32'
	} | afagg --no-marks --by run --window 10ns --window-from first --stat sum --every 100ms >live 2>err
	interim 1 | cut -f 3,6,7 >got
	printf 'a\t16\twindow=-10\na\t1\twindow=0\nb\t2\twindow=0\n' >want
	same want got
	grep '^agg' live | cut -f 3,6,7 >got
	printf '%s\n' 'a	16	window=-10' 'a	9	window=0' 'a	32	window=10' 'b	2	window=0' 'b	4	window=10' >want
	same want got
	said "afagg: 1 line came after an interim result with their window: only the final result counts them"
}

@test "windows below 0, at the end of the clock and without a time: when they are complete, and what is late" {
	{
		# the windows -20 and -10 wait for a time above 0
		lines <<-'EOF'
		run 100 a . . .
		sample 95 a f m 1
		sample 83 a f m 2
		sample 100 a f m 4
		sample . a f m 8
		EOF
		await 1
		lines <<<'sample 104 a f m 16'
		showing window=-10
		# the first two are late, for the windows that were shown
		lines <<-'EOF'
		sample 91 a f m 32
		sample 61 a f m 64
		sample . a f m 128
		sample 103 a f m 256
		sample 111 a f m 512
		EOF
		showing window=0
	} | afagg --no-marks --window 10ns --window-from first --stat sum --every 100ms >live 2>err
	interim 1 >got
	same /dev/null got
	grep '^#interim	' live | cut -f 7,8 >got
	printf '%s\n' '2	window=-20' '1	window=-10' '276	window=0' | same - got
	grep '^agg' live | cut -f 6,7 >got
	printf '%s\n' '136	window=.' '64	window=-40' '2	window=-20' '33	window=-10' '276	window=0' '512	window=10' | same - got
	echo 'afagg: 2 lines came after an interim result with their window: only the final result counts them' | same - err
	# a line before 0 is in a window that ends after it
	rm live # which would be taken for the next one
	{
		lines <<-'EOF'
		run 100 a . . .
		sample 95 a f m 1
		sample 101 a f m 2
		EOF
		showing window=-20
		lines <<<'sample 110 a f m 4'
		showing window=-10
		lines <<<'sample 94 a f m 8'
	} | afagg --no-marks --window 20ns/10ns --window-from first --stat sum --every 100ms >live 2>err
	grep '^#interim	' live | cut -f 7,8 >got
	printf '%s\n' '1	window=-20' '3	window=-10' | same - got
	echo 'afagg: 1 line came after an interim result with their window: only the final result counts them' | same - err
	# no time is at or after the end of the last window of the clock
	rm live
	{
		lines <<-'EOF'
		sample 18446744073709551605 a f m 1
		sample 18446744073709551615 a f m 2
		EOF
		showing window=18446744073709551600
	} | afagg --no-marks --window 10ns --stat sum --every 100ms >live
	grep '^#interim	' live | cut -f 7,8 >got
	printf '%s\n' '1	window=18446744073709551600' | same - got
}

@test "a key that no line has: a note meanwhile, an error at the end" {
	{
		first
		noted 'no interim'
		sleep 0.3 # it is not said again
		second
	} | want_status 1 afagg --by regoin --every 50ms
	[ "$(grep -c "no interim results: no line has 'regoin'; did you mean region?" err)" -eq 1 ]
	[ "$(grep -c "no line has 'regoin'" err)" -eq 2 ]
	[ "$(grep -c '^#interim' out)" -eq 0 ]
	# the file of the run before has the note, too
	rm err
	{
		lines <<<'sample 1 r f m 1'
		noted 'no interim'
		lines <<<'sample 2 r f m 1 cpu=0'
		await 1
	} | afagg --by cpu --every 50ms >live 2>err
	said "no interim results: no line has 'cpu'"
	grep -q '^#interim_end	afagg	-	1	4$' live
}

@test "partial results, groups on disk, and files" {
	first | grep -v '^#' | afagg --by region --partial >part
	{
		cat part
		noted 'merged only at the end'
	} | afagg --every 50ms >out 2>err
	said "no interim results: partial results are merged only at the end"
	[ "$(grep -c '^#interim	' out)" -eq 0 ]
	grep -q '^agg' out
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 60000; i++)
		print "sample", i, "r", "f" i, "m", i }' >in
	{
		cat in
		noted 'to disk'
	} | afagg --by region --max-memory 6M --every 100ms >out 2>err
	said "no interim results: groups have been moved to disk"
	afagg --by region in | grep '^agg' >want
	grep '^agg' out >got
	same want got
	want_status 0 afagg --by region --every 10ms in
	grep '^agg' out >got
	same want got
}

@test "aftab shows each interim result, and then the final one" {
	slow 1 | afagg --by region --every 100ms >live
	aftab live >out 2>err
	[ ! -s err ]
	{
		printf 'interim result 1\n\n'
		first | grep -v '^#' | afagg --by region | aftab
	} >begun
	whole | afagg --by region | aftab >final
	head -n "$(wc -l <begun)" out >got
	same begun got
	{
		printf '\nfinal result\n\n'
		cat final
	} >end
	tail -n "$(wc -l <end)" out >got
	same end got
	# one result without interim ones has no heading
	whole | afagg --by region --every 1h | aftab >out
	same final out
}

@test "aftab on a terminal draws each result over the last one, and cuts it to the terminal" {
	need script
	slow 1 | afagg --by region --every 100ms >live
	n=$(grep -c '^#interim_end' live)
	TERM=xterm script -qc "stty rows 9 cols 80; '$(command -v aftab)' '$T/live'" /dev/null </dev/null |
		tr -d '\r' >out
	[ "$(grep -c "$(printf '\033\\[H\033\\[J')" out)" -eq $((n + 1)) ]
	grep -q "$(printf '^\033\\[H\033\\[Jinterim result 1$')" out
	grep -q "$(printf '\033\\[H\033\\[Jfinal result$')" out
	TERM=xterm script -qc "stty rows 8 cols 80; '$(command -v aftab)' '$T/live'" /dev/null </dev/null |
		tr -d '\r' >out
	[ "$(grep -c '1 more' out)" -eq "$n" ]
	TERM=dumb script -qc "'$(command -v aftab)' '$T/live'" /dev/null </dev/null | tr -d '\r' >out
	aftab live >want
	same want out
}

@test "aftab --top on a terminal: as many groups, but not more than fit" {
	local options rows
	need script
	awk 'BEGIN {
		OFS = "\t"
		print "#interim_begin", "afagg", "-", 1
		for (i = 10; i < 40; i++)
			print "#interim", "agg", ".", "r", "f" i, "m", i, "comm=c" i % 2, "stat=count", "n=" i
		print "#interim_end", "afagg", "-", 1, 30
		print "agg", ".", "r", "f1", "m", 1, "comm=c", "stat=count", "n=1"
	}' >live
	while read -r rows options; do
		TERM=xterm script -qc "stty rows 10 cols 80; '$(command -v aftab)' $options '$T/live'" /dev/null </dev/null |
			tr -d '\r' | sed '/final result/,$d' >out
		[ "$(grep -c '^f[0-9]' out)" -eq "$rows" ] || fail "$options: $(cat -v out)"
		grep -q "^\.\.\. $((30 - rows)) more" out || fail "$options: $(cat -v out)"
	done <<-'END'
		3
		2 --top 2
		3 --top 3
		3 --top 4
		3 --top 50
		3 --top 1:comm
	END
	# what is no terminal of a size has one of 24 lines
	TERM=xterm script -qc "stty rows 0 cols 80; '$(command -v aftab)' '$T/live'" /dev/null </dev/null |
		tr -d '\r' | sed '/final result/,$d' >out
	[ "$(grep -c '^f[0-9]' out)" -eq 17 ] || fail "$(cat -v out)"
}

@test "a producer that is killed: status 1, and no interim result is taken for the final one" {
	slow 2 | afagg --by region --every 100ms >live
	# afagg itself died, within an interim result or after it
	for n in $(seq 1 "$(($(wc -l <live) - 1))"); do
		head -n "$n" live >begun
		want_status 1 aftab begun
		said "no end mark of afagg -"
		[ "$(grep -c 'final result$' out)" -eq 0 ] || grep -q '^agg' begun
		interims=$(grep -c '^#interim_end.*[1-9]$' begun) || true
		[ "$(grep -c '^interim result' out)" -eq "$interims" ]
		[ "$interims" -eq 0 ] || grep -q '^agg' begun ||
			said "there is no final result: the last table is an interim result"
		want_status 1 afagg --kind agg begun
	done
	# the program before afagg died: the final result is there, and incomplete
	rm live
	{
		first
		await 3
	} | afagg --by region --every 100ms >live 2>err && fail "status 0"
	tail -n 1 live | grep -q '	partial	'
	want_status 1 aftab live
	grep -q '^final result$' out
	said "ended partial"
}

@test "Ctrl-C: the producer ends, and the final result comes" {
	need setsid
	helpers sigdfl
	cat >producer <<-'EOF'
	trap 'printf "#end\tsrc\tx\t4\tpartial\tinterrupted\n"; exit 1' INT
	cat "$1"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sleep 1
	done
	EOF
	first >in
	setsid sigdfl sh -c 'echo $$ >pid
		sh producer in | afagg --by region --every 100ms >live 2>err' 3>&- &
	await 2
	kill -INT -- "-$(cat pid)"
	soon grep -q '^#end' live
	grep -q '^#end.*partial' live
	[ "$(grep -c '^agg' live)" -eq 4 ]
	soon grep -q interrupted err
	[ "$(grep -c interrupted err)" -eq 1 ]
}

@test "an interim result that was changed is a comment" {
	{
		printf '#afstream\t1\tafagg\t-\n#interim_begin\tafagg\t-\t7\n'
		whole | afagg --by region | sed -n 's/^agg/#interim	agg/p'
		printf '#interim_end\tafagg\t-\t7\t4\n'
		whole | afagg --by region | sed 1d
	} >live
	want_status 0 aftab live
	grep -q '^interim result 1$' out
	sed '/^#interim	/{s/	agg	/	agg/;}' live >broken
	want_status 0 aftab broken
	[ "$(grep -c 'interim result' out)" -eq 0 ]
	sed '/^#interim	/s/^\(\(	*[^	]*\)\{4\}\).*/\1/' live >broken # fewer columns
	grep -qx '#interim	agg	[^	]*	[^	]*' broken
	want_status 0 aftab broken
	[ "$(grep -c 'interim result' out)" -eq 0 ]
	sed '/^#interim	.*sum/d' live >broken
	want_status 0 aftab broken
	[ "$(grep -c 'interim result' out)" -eq 0 ]
	sed '/^#interim_end/s/4$/x/' live >broken
	want_status 0 aftab broken
	[ "$(grep -c 'interim result' out)" -eq 0 ]
	sed '/^#interim_begin/d' live >broken
	want_status 0 aftab broken
	[ "$(grep -c 'interim result' out)" -eq 0 ]
	# the end is that of another result
	sed '/^#interim_begin/s/7$/6/' live >broken
	want_status 0 aftab broken
	[ "$(grep -c 'interim result' out)" -eq 0 ]
	sed '/^#interim_begin/s/7$/x/' live >broken
	want_status 0 aftab broken
	[ "$(grep -c 'interim result' out)" -eq 0 ]
	printf '#interim\n#interim_end\n#interim_begin\n#interim\t\n#interim\tx\n#interim_end\t1\t2\n' |
		cat - live >odd
	want_status 0 aftab odd
	[ "$(grep -c 'interim result' out)" -eq 1 ]
}

@test "usage" {
	want_status 2 afagg --every 0s
	said "--every: less than 10ms"
	want_status 2 afagg --every 1ms
	want_status 2 afagg --every soon
	said '--every: "soon" is not a duration such as 500ms or 1s'
	want_status 2 afagg --every 1s --every 1s
	want_status 2 afagg --every 99999999999h
	want_status 2 afagg --every 1s --partial
	said "--every cannot be used with --partial"
}

@test "a full disk: it is said once, however often there would be an interim result" {
	local status=0
	[ -e /dev/full ] || skip "no /dev/full here"
	{
		sleep 0.3
		first
	} | afagg --no-marks --by region --every 50ms >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ] || fail "status $status"
	echo 'afagg: standard output: No space left on device' | same - err
}
