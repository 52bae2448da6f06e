# SPDX-License-Identifier: ISC
# suite.bats - every program of filters/ through the same abuse.  A new program is in it at once;
# the tables that follow have what is special about one.

load lib

# What a program reads: stream (the default), afperf, json, or a folder of t/data with samples of its own.
reads() {
	case $1 in
	dcpidec) echo dcpi ;;
	perfdec) echo perf ;;
	perundec) echo perun ;;
	afdec) echo afperf ;;
	jsondec) echo json ;;
	*) echo stream ;;
	esac
}

# What it writes: stream (the default) or text; also a stream with the marks of its input.
writes() {
	case $1 in
	afcut | aftab | aftop | jsondec | perunquery | *enc) echo text ;;
	*) echo stream ;;
	esac
}

# The functions of a program that differ so much that each is tested as a program by itself.
uses() {
	case $1 in
	perunquery) echo resources heap ;;
	traceenc) echo perfetto speedscope firefox ;;
	*) echo - ;;
	esac
}

# Which events of a stream it is for: samples (the default), aggregates, counts (of addresses),
# resources (of a Perun profile), allocations (of one), pairs (in time order) or sides (aggregates,
# each group once).
eats() {
	case $1 in
	afdiff) echo sides ;;
	afpair) echo pairs ;;
	aftab) echo aggregates ;;
	dcpienc) echo counts ;;
	perunquery) [ "$use" = heap ] && echo allocations || echo resources ;;
	traceenc) [ "$use" = perfetto ] && echo pairs || echo samples ;;
	*) echo samples ;;
	esac
}

# Arguments without which it would do nothing, or would look at this machine's files.
arguments() {
	case $1 in
	afcut) echo "region,value" ;;
	afdiff) echo "--before=$INPUTS/good.sides" ;;
	afpair) echo "--from region~0$ --to region~1$ --on tid" ;;
	afsel) echo "--where region~." ;;
	perfdec) echo "--no-symbols" ;;
	perunquery) echo "$use" ;;
	traceenc) echo "--for $use" ;;
	esac
}

# each FUNCTION: calls it with each program, and $use, which "arguments" and "eats" look at; and only
# with readers of streams where its name begins with "stream_"; $in is then the test's input, $T/in,
# with the events that the program is for.  Says which program failed.
each() {
	local prog use bad=0
	for prog in $(programs); do
		for use in $(uses "$prog"); do
			once "$@" || bad=1
		done
	done
	return $bad
}

# once FUNCTION: the same for this $prog and $use.
once() {
	local in
	case $1 in
	stream_*)
		[ "$(reads "$prog")" = stream ] || return 0
		in=$T/in
		[ "$(eats "$prog")" = samples ] || {
			in=$T/in.$(eats "$prog")
			"as_$(eats "$prog")" <"$T/in" >"$in"
		}
		;;
	esac
	"$@" "$prog" || {
		echo "in: $* $prog $use" >&2
		return 1
	}
}

# go PROG [OPTION|FILE]...: the program with its arguments.
go() {
	local prog=$1
	shift
	# shellcheck disable=SC2046 # none, or words
	"$prog" $(arguments "$prog") "$@"
}

# lines N: N data lines of a stream: samples of many regions, times going up.
lines() {
	awk -v n="$1" 'BEGIN {
		OFS = "\t"
		for (i = 0; i < n; i++)
			print "sample", 1000 + i, "0x1", "region" i % 70000, "cycles", i % 1000 + 1,
			    "pid=1", "tid=1", "comm=job", "cpu=" i % 4, "stack=main;region" i % 70000
	}'
}

# whole N: the same with its marks.
whole() {
	printf '#afstream\t1\ttest\tmade\n'
	printf 'run\t1000\t0x1\t.\t.\t.\tunit=ns\tapp=test\n'
	printf 'measure\t.\t0x1\t.\tcycles\t.\ttype=int64\tunit=cycles\n'
	lines "$1"
	printf '#end\ttest\tmade\t%d\tcomplete\n' "$(($1 + 2))"
}

# as_aggregates: the samples of a stream as sums over one of them each.
as_aggregates() {
	sed 's/^sample\(\(	[^	]*\)\{5\}\)	/agg\1	stat=sum	start=1000	n=1	/'
}

# as_counts [FIRST]: the same as counts of addresses, from number FIRST on, of a profile.
as_counts() {
	# the # keeps awk from ending a last line that has no end
	{ cat && printf '#'; } | awk -v n="${1:-0}" 'BEGIN { FS = OFS = "\t"; header = "hdr.version=pdb-0.07\thdr.image=1a" \
		"\thdr.epoch=9805191724\thdr.platform=walnut\thdr.event=cycles\thdr.period=9" \
		"\thdr.tstart=120000000\thdr.tsize=9\thdr.cpuspeed=333" }
		$1 == "run" { $0 = $0 OFS header }
		$1 == "sample" && NF > 5 { $6 = $6 OFS sprintf("addr=0x00000001%08x\timage=1a", 536870912 + 4 * n++) }
		{ print }' | head -c -2
}

# as_resources: the same as resources of a Perun profile.
as_resources() {
	{ cat && printf '#'; } | awk 'BEGIN { FS = OFS = "\t" }
		$1 == "sample" && NF > 5 { $6 = $6 OFS sprintf("at=/snapshots/0/resources/%d\tjson={\"amount\":%s}", n++, $6) }
		{ print }' | head -c -2
}

# as_allocations [SNAPSHOT]: the same as allocations in a snapshot of a Perun profile, with its unit.
as_allocations() {
	{ cat && printf '#'; } | awk -v s="${1:-0}" 'BEGIN { FS = OFS = "\t" }
		$1 == "measure" { $0 = "header\t.\t0x1\t/header\t.\t{\"units\":{\"memory\":\"B\"}}" }
		$1 == "sample" && NF > 5 {
			$6 = $6 OFS sprintf("at=/snapshots/%d/resources/%d\tjson={\"address\":%d,\"amount\":%s,", s, n, n++, $6) \
				"\"subtype\":\"malloc\",\"uid\":1}"
		}
		{ print }' | head -c -2
}

# as_sides [NAME]: the same as as_aggregates, each in a group of its own, with NAME in its key.
as_sides() {
	{ as_aggregates && printf '#'; } | awk -v name="${1-}" 'BEGIN { FS = OFS = "\t" }
		$1 == "agg" && NF > 5 { $6 = $6 OFS "key=" name NR }
		{ print }' | head -c -2
}

# as_pairs [TIME]: the same that much later.
as_pairs() {
	{ cat && printf '#'; } | awk -v later="${1:-0}" 'BEGIN { FS = OFS = "\t" }
		$1 == "sample" && later != 0 { $2 += later }
		{ print }' | head -c -2
}

# all_as NAME: the stream NAME.samples as the other events that programs are for.
all_as() {
	local events
	for events in aggregates counts resources allocations pairs sides; do
		"as_$events" <"$1.samples" >"$1.$events"
	done
}

# The inputs that many tests read, made once: $INPUTS/good.EVENTS, $INPUTS/again.EVENTS, which may
# follow a good one where that itself may not, and $INPUTS/large.FORMAT.
setup_file() {
	export INPUTS=$BATS_FILE_TMPDIR
	whole 5 >"$INPUTS/good.samples"
	all_as "$INPUTS/good"
	whole 5 | as_counts 5 >"$INPUTS/again.counts"
	whole 5 | as_allocations 1 >"$INPUTS/again.allocations"
	whole 5 | as_pairs 1000 >"$INPUTS/again.pairs"
	whole 5 | as_sides other >"$INPUTS/again.sides"
	whole 12000 >"$INPUTS/large.samples"
	all_as "$INPUTS/large"
	afenc "$INPUTS/large.samples" >"$INPUTS/large.afperf"
	perunenc "$INPUTS/large.samples" >"$INPUTS/large.perun" 2>/dev/null
	jsonenc "$INPUTS/good.samples" >"$INPUTS/good.json"
	jsonenc "$INPUTS/large.samples" >"$INPUTS/large.json"
}

# again PROG FILE: an input that may follow that good one.
again() {
	local file
	file=$INPUTS/again.$(eats "$1")
	[ -e "$file" ] || file=$2
	echo "$file"
}

# good PROG: the name of a good input for it.
good() {
	local kind
	kind=$(reads "$1")
	if [ "$kind" = stream ]; then
		echo "$INPUTS/good.$(eats "$1")"
	elif [ "$kind" = json ]; then
		echo "$INPUTS/good.json"
	elif [ "$kind" = afperf ]; then
		echo "$ROOT/t/cases/afperf/good/g26_nested_regions.afperf"
	else
		find "$ROOT/t/data/$kind" -type f \( -name '*.data' -o -name 'g*.dcpi' \) | sort | head -n 1
	fi
}

# ends_partial PROG: what a writer of streams has written to $T/out says so itself.
ends_partial() {
	[ "$(writes "$1")" = text ] || grep -q "^#end	$1	.*	partial" "$T/out" ||
		fail "no partial end mark"
}

ends_complete() {
	[ "$(writes "$1")" = text ] || tail -n 1 "$T/out" | grep -q "^#end	$1	.*	complete" ||
		fail "no complete end mark"
}

# content PROG: nothing is said but what another format has no place for; and afdiff says that two
# sides of one run have no intervals, or no group in common, or are the same, and afdur that samples
# have no duration.
content() {
	if [ "$1" = afdiff ]; then
		sed -i '/: left out intervals and p: /d; /: no group is on both sides: /d
			/ also in BEFORE, with the same results$/d' "$T/err"
	elif [ "$1" = afdur ]; then
		sed -i '/: no start and stop lines, so /d' "$T/err" # the samples of this file
	elif [ "$(writes "$1")" = text ]; then
		sed -i '/: left out /d' "$T/err"
	fi
	silent
}

setup() {
	[ -n "$(programs)" ] || fail "no programs"
}

bad_option() {
	want_status 2 "$1" --no-such-option && said "$1: no such option: --no-such-option" &&
		said "usage: $1" && [ ! -s "$T/out" ]
}
@test "an option that is not known is refused" { each bad_option; }

help() {
	want_status 0 "$1" --help && silent && head -n 1 "$T/out" | grep -q "^usage: $1\( \|$\)"
}
@test "--help goes to standard output" { each help; }

version() {
	want_status 0 "$1" --version && silent && grep -q "^$1 (afpipe) [0-9.]*$" "$T/out"
}
@test "--version" { each version; }

missing_file() {
	want_status 3 go "$1" "$T/not here" && said "$1: $T/not here: " && ends_partial "$1"
}
@test "a file that is missing" { each missing_file; }

# One that holds nothing for it: for a program that reads all files of a directory, no input.
directory() {
	local status=3
	[ "$1" != dcpidec ] || status=1
	mkdir -p "$T/folder" && want_status $status go "$1" "$T/folder" && said "$1: $T/folder: " && said directory && ends_partial "$1"
}
@test "a directory" { each directory; }

empty_input() {
	want_status 1 go "$1" </dev/null && said "$1: -: " && ends_partial "$1" &&
		: >"$T/empty" && want_status 1 go "$1" "$T/empty" && said "$1: $T/empty: " && ends_partial "$1"
}
@test "not one byte of input" { each empty_input; }

full_disk() {
	local st=0
	go "$1" "$(good "$1")" >/dev/full 2>"$T/err" || st=$?
	[ $st -eq 3 ] || fail "status $st" || return
	said "$1: standard output: No space left" || return
	st=0
	"$1" --help >/dev/full 2>"$T/err" || st=$?
	[ $st -eq 3 ] || fail "--help: status $st" || return
	said "$1: standard output: No space left"
}
@test "a full disk" { each full_disk; }

closed_output() {
	local st=0
	go "$1" "$(good "$1")" >&- 2>"$T/err" || st=$?
	[ $st -eq 3 ] || fail "status $st" || return
	said "$1: standard output: "
}
@test "closed standard output" { each closed_output; }

closed_input() {
	local st=0
	go "$1" <&- >"$T/out" 2>"$T/err" || st=$?
	[ $st -eq 3 ] || fail "status $st" || return
	said "$1: -: " && ends_partial "$1"
}
@test "closed standard input" { each closed_input; }

failing_read() {
	want_status 3 go "$1" /proc/self/mem && said "$1: /proc/self/mem: " && ends_partial "$1"
}
@test "a read that fails" {
	[ -e /proc/self/mem ] || skip "no /proc/self/mem here"
	each failing_read
}

# head_1 PROG: its status when its reader goes away after a line, in $T/status.
head_1() {
	local big
	big=$T/big.$(eats "$1")
	[ "$(reads "$1")" = stream ] || big=$(good "$1")
	rm -f "$T/gone"
	{
		if [ "$(writes "$1")" = stream ] && [ "$(reads "$1")" = stream ]; then
			# the mark comes at once, and the input when the reader is gone: what follows may be little
			go "$1" <(until [ -e "$T/gone" ]; do sleep 0.01; done && cat "$big") 2>"$T/err"
		else
			go "$1" "$big" 2>"$T/err"
		fi && echo 0 >"$T/status" || echo $? >"$T/status"
	} | {
		head -n 1 >"$T/line"
		exec <&-
		: >"$T/gone"
	}
	content "$1" || return
	case $(cat "$T/status") in
	141) ;;
	0) [ "$(writes "$1")" = text ] || [ "$(reads "$1")" != stream ] || fail "all lines went to head" ;;
	*) fail "status $(cat "$T/status")" ;;
	esac
}
@test "a reader that goes away" {
	whole 60000 >"$T/big.samples"
	all_as "$T/big"
	each head_1
	trap '' PIPE
	each head_1
}

# unsaid FILE: what unmarked prints, without the lines in which an output says what is missing.
unsaid() {
	if [ "$(head -c 2 "$1" | od -An -tx1)" = " 1f 8b" ]; then
		# a profile; without protoc, that there is one must do
		command -v python3 >/dev/null && command -v protoc >/dev/null || return 0
		python3 "$ROOT/t/tools/pprofread.py" "$1" | sed '/^comment /d'
		return
	fi
	unmarked "$1" | sed '/^"notes":/d; /^"note [0-9]*":/d; /^"name":/d; /^"extra":/d'
}

two_good_one_bad() {
	local in next
	in=$(good "$1")
	next=$(again "$1" "$in")
	want_status 0 go "$1" "$in" "$next" && unsaid "$T/out" >"$T/want" &&
		want_status 3 go "$1" "$in" "$T/not here" "$next" && said "$T/not here: " &&
		unsaid "$T/out" >"$T/got" && same "$T/want" "$T/got" && ends_partial "$1"
}
@test "one operand is bad: the others are read, and the worst status wins" { each two_good_one_bad; }

stdin_is_dash() {
	local in
	in=$(good "$1")
	want_status 0 go "$1" "$in" && content "$1" && unmarked "$T/out" >"$T/want" && ends_complete "$1" &&
		want_status 0 go "$1" - <"$in" && unmarked "$T/out" >"$T/got" && same "$T/want" "$T/got" &&
		want_status 0 go "$1" <"$in" && unmarked "$T/out" >"$T/got" && same "$T/want" "$T/got"
}
@test "a file, - and nothing are the same" { each stdin_is_dash; }

stream_no_newline() {
	want_status 1 go "$1" "$in" && said "$1: $in:8: " && ends_partial "$1"
}
@test "input without a newline at its end" {
	whole 4 | head -n 7 >"$T/in"
	printf '#end\ttest\tmade\t6\tcomplete' >>"$T/in"
	each stream_no_newline
}

# What is written does not fit into a buffer, so that writing fails before the end of the input, or
# in the middle of what comes at the end.
stream_full_disk() {
	local st=0
	go "$1" "$in" >"$T/out" 2>/dev/null || fail "status $?" || return
	go "$1" "$in" >/dev/full 2>"$T/err" || st=$?
	[ $st -eq 3 ] || fail "status $st" || return
	[ "$(grep -c "^$1: standard output: No space left" "$T/err")" -eq 1 ] || fail "$(head -n 20 "$T/err")"
}
@test "streams: a full disk, before the end" {
	whole 3000 >"$T/in"
	each stream_full_disk
}

stream_crlf() {
	want_status 1 go "$1" "$in" && said "$1: $in:1: carriage return" && ends_partial "$1"
}
@test "lines that end in CR LF" {
	whole 4 | sed 's/$/\r/' >"$T/in"
	each stream_crlf
}

stream_unknown_kind() {
	want_status 0 go "$1" "$in" || return
	[ "$(writes "$1")" = text ] || grep -q "^novel	.	0x1	.	.	.	fresh=1$" "$T/out" ||
		fail "the unknown line was dropped in silence"
}
@test "a kind that is not known" {
	{
		whole 4 | sed '$d'
		printf 'novel\t.\t0x1\t.\t.\t.\tfresh=1\n'
		printf '#end\ttest\tmade\t7\tcomplete\n'
	} >"$T/in"
	each stream_unknown_kind
}

stream_unknown_escape() {
	want_status 1 go "$1" "$in" && said "$1: $in:4: unknown escape" && ends_partial "$1"
}
@test "an escape that is not known" {
	whole 4 | sed '4s/comm=job/comm=j\\qob/' >"$T/in"
	each stream_unknown_escape
}

stream_raw_control() {
	want_status 1 go "$1" "$in" && said "$1: $in:4: raw byte $byte" && ends_partial "$1"
}
@test "a raw control byte" {
	local byte=0x1b
	whole 4 | sed '4s/comm=job/comm=j\x1b[2Job/' >"$T/in"
	each stream_raw_control
}
@test "a raw control byte at the end of a line, and a carriage return within one" {
	local byte=0x1b
	whole 4 | sed '4s/$/\x1b/' >"$T/in"
	each stream_raw_control
	byte=0x0d
	whole 4 | sed '4s/comm=job/comm=j\rob/' >"$T/in"
	each stream_raw_control
}

stream_few_columns() {
	want_status 1 go "$1" "$in" && said "$1: $in:4: 5 columns" && ends_partial "$1"
}
@test "a line of too few columns" {
	whole 4 | sed '4s/.*/sample\t1\t0x1\tr\tcycles/' >"$T/in"
	each stream_few_columns
}

# Also with a bound on memory, which sanitizers would burst.
stream_long_line() {
	# shellcheck disable=SC2046 # none, or words
	want_status 1 rss "$T/used" "$1" $(arguments "$1") "$in" &&
		said "$1: $in:4: line longer than 16 MiB" && ends_partial "$1" || return
	[[ ${CFLAGS-} == *sanitize* ]] || [ "$(cut -d ' ' -f 2 "$T/used" | cut -d . -f 1)" -lt 131072 ] ||
		fail "KiB used: $(cat "$T/used")"
}
@test "a line of 17 MiB" {
	helpers rss
	{
		whole 4 | head -n 3
		printf 'sample\t1\t0x1\tr\tcycles\t1\tx='
		head -c 17825792 /dev/zero | tr '\0' x
		printf '\n'
		whole 4 | tail -n +4
	} >"$T/in"
	each stream_long_line
}

stream_without_marks() {
	want_status 0 go "$1" "$in" && ends_complete "$1"
}
@test "a stream without marks is taken as it is" {
	whole 4 | sed '/^#/d' >"$T/in"
	each stream_without_marks
}

stream_cut() {
	want_status 1 go "$1" "$in" && said "$1: $in: no end mark of test made" && ends_partial "$1" &&
		want_status 0 go "$1" --no-marks "$in" && content "$1" && ends_complete "$1"
}
@test "a stream whose end is missing, and --no-marks" {
	whole 4 | sed '$d' >"$T/in"
	each stream_cut
}

stream_beginning_cut() {
	want_status 1 go "$1" "$in" && ends_partial "$1" &&
		said "$1: $in: an end mark of test made without its opening mark: was the beginning cut?" &&
		want_status 0 go "$1" --no-marks "$in" && content "$1" && ends_complete "$1"
}
@test "a stream whose beginning is missing, and --no-marks" {
	whole 4 | sed 1d >"$T/in"
	each stream_beginning_cut
}

stream_partial() {
	want_status 1 go "$1" "$in" && said "test made ended partial: its reason" && ends_partial "$1" &&
		want_status 0 go "$1" --no-marks "$in" && content "$1" && ends_complete "$1"
}
stream_is_whole() {
	want_status 0 go "$1" --whole "$in" && content "$1" && ends_complete "$1"
}
@test "--whole takes what is whole" {
	whole 5 >"$T/in"
	each stream_is_whole
}

# not_whole PLACE TEXT: with what is in $T/in, --whole reports that, and without it nothing is.
not_whole() {
	place=$1 text=$2
	each stream_not_whole
}
stream_not_whole() {
	want_status 1 go "$1" --whole "$in" && said "$1: $in$place: $text" && ends_partial "$1" &&
		want_status 0 go "$1" "$in" && ends_complete "$1"
}
@test "--whole counts lines: one that is missing, one that is there twice" {
	whole 5 | sed 5d >"$T/in"
	not_whole :8 "lines of test made: 7 according to the end mark, 6 here"
	whole 5 | sed 5p >"$T/in"
	not_whole :10 "lines of test made: 7 according to the end mark, 8 here"
}

@test "--whole: lines outside of a stream" {
	{
		whole 5
		whole 5 | sed -n 8p
	} >"$T/in"
	not_whole "" "lines after an end mark, where no stream is open: 1"
	{
		whole 5 | sed -n 2,4p
		whole 5
	} >"$T/in"
	not_whole :4 "lines before any opening mark: 3"
}

@test "--whole: no marks at all" {
	whole 5 | sed '/^#/d' >"$T/in"
	not_whole "" "no marks: cannot tell whether it is complete"
}

stream_end_twice() {
	want_status 1 go "$1" --whole "$in" && ends_partial "$1" &&
		said "$1: $in:10: end mark of test made, which is not the stream opened last"
}
@test "--whole: an end that is there twice, marks that were moved" {
	whole 5 | sed '$p' >"$T/in"
	each stream_end_twice
	each stream_beginning_cut
	{
		whole 5 | grep '^#'
		whole 5 | sed '/^#/d'
	} >"$T/in"
	not_whole :2 "lines of test made: 7 according to the end mark, 0 here"
}

@test "--whole: a stream in the middle of another" {
	local n
	for n in 2 7; do
		whole 5 | sed "${n}s/^/#afstream\t1\tit\tinner\n/" >"$T/in"
		want_status 1 afcut --whole region "$T/in"
		sed -n 1p "$T/err" >"$T/first"
		same - "$T/first" <<<"afcut: $T/in:$n: it inner opens before another stream has ended"
	done
}

stream_whole_or_not() {
	want_status 2 go "$1" --whole --no-marks && said "$1: --whole and --no-marks exclude each other" &&
		want_status 2 go "$1" --no-marks --whole && said "$1: --whole and --no-marks exclude each other"
}
@test "--whole and --no-marks contradict each other" {
	whole 5 >"$T/in"
	each stream_whole_or_not
}

# The words of end marks: a writer of streams adds them up, any other program reports them.
stream_words() {
	want_status 0 go "$1" "$in" || return
	if [ "$(writes "$1")" = text ]; then
		said "$1: the source lost 3 events, so the numbers are too small" &&
			said "$1: sources that end without a line break, whose last value may have been cut: 1" &&
			said "$1: samples whose stacks could not be unwound completely: 4" &&
			said "$1: labels, tags and values that were left out because of their length or number: 7" &&
			said "$1: runs that come from more than one source, and may have been counted twice: 2" || return
	else
		[ "$1" != afdiff ] || { # no later program knows the sides
			said 'afdiff: BEFORE lost 0 events, and AFTER 3' && sed -i '/: BEFORE lost /d' "$T/err" || return
		}
		content "$1" && tail -n 1 "$T/out" |
			grep -q "	complete	lost=3	late=5	unterminated=1	incomplete=4	cut_stacks=6	left_out=7	twice=2$" || return
	fi
	want_status 1 go "$1" --strict "$in" && said "could not be unwound completely: 4" && ends_partial "$1"
}
@test "what end marks count is passed on, reported at the end, and an error with --strict" {
	whole 5 | sed '$s/$/\tlost=3\tlate=5\tunterminated=1\tincomplete=4\tcut_stacks=6\tleft_out=7\ttwice=2/' >"$T/in"
	each stream_words
}

@test "each count of end marks by itself: which are errors with --strict" {
	local status word text
	while read -r status word text; do
		whole 5 | sed "\$s/\$/\t$word=3/" >"$T/in"
		want_status 0 afcut value "$T/in"
		[ -n "$text" ] || silent
		[ -z "$text" ] || said "afcut: $text" || return
		[ "$(wc -l <"$T/err")" -le 1 ]
		mv "$T/err" "$T/plain"
		want_status "$status" afcut --strict value "$T/in"
		same "$T/plain" "$T/err"
		# a program that writes a stream passes it on
		want_status 0 afsel --where region~. "$T/in"
		silent
		tail -n 1 "$T/out" | grep -q "	complete	$word=3$"
		want_status "$status" afsel --strict --where region~. "$T/in"
		[ "$status" -eq 0 ] || sed 's/^afcut/afsel/' "$T/plain" | same - "$T/err"
		[ "$status" -ne 0 ] || silent
	done <<-'END'
		0 lost the source lost 3 events, so the numbers are too small
		0 late
		1 unterminated sources that end without a line break, whose last value may have been cut: 3
		1 incomplete samples whose stacks could not be unwound completely: 3
		1 cut_stacks lines whose stacks lack regions (see afdur --max-stack): 3
		1 left_out labels, tags and values that were left out because of their length or number: 3
		1 twice runs that come from more than one source, and may have been counted twice: 3
		1 unpaired events without their counterpart, so up to as many intervals are missing or too long (afpair says of how many): 3
	END
}

run_twice() {
	local in next
	[ "$(reads "$1")" = stream ] || return 0
	in=$(good "$1")
	next=$(again "$1" "$in")
	want_status 0 go "$1" "$in" "$next" &&
		said ":2: run 0x1 also came from another source: is it counted twice?" || return
	[ "$(writes "$1")" = text ] || tail -n 1 "$T/out" | grep -q "	complete	twice=1$" ||
		fail "not passed on" || return
	want_status 1 go "$1" --strict "$in" "$next" && said "counted twice?" && ends_partial "$1" &&
		want_status 1 go "$1" --whole "$in" "$next" && said "counted twice?" && ends_partial "$1"
}
@test "a run that comes from two sources is noticed" { each run_twice; }

sizes() {
	local size
	for size in "" 0 x -1 1X 1KB 1.5G 99999999999999999999 18014398509481984K; do
		want_status 2 go "$1" --max-memory "$size" "$(good "$1")" &&
			said "$1: --max-memory: not a size such as 500M or 2G: $size" || return
	done
	for size in 2000000000 3000000K 4000M 2G 1T; do
		want_status 0 go "$1" --max-memory "$size" "$(good "$1")" && content "$1" || return
	done
}
@test "--max-memory takes sizes" { each sizes; }

little_memory() {
	want_status 1 go "$1" --max-memory 1000 "$(good "$1")" &&
		said "$1: it needs more memory than the 1000 bytes that --max-memory allows"
}
@test "a program that may use next to no memory says so" { each little_memory; }

@test "a stream that says that it is partial, and --no-marks" {
	whole 4 | sed '$s/complete/partial\tits reason/' >"$T/in"
	each stream_partial
}

stream_version_2() {
	want_status 1 go "$1" "$in" && said "$1: $in:1: stream version 2" && ends_partial "$1"
}
@test "a stream of another version" {
	whole 4 | sed '1s/	1	/	2	/' >"$T/in"
	each stream_version_2
}

stream_one_of_two_ends() {
	want_status 1 go "$1" "$in" && said "no end mark of test made" && ends_partial "$1"
}
@test "marks are counted, wherever they stand" {
	{
		whole 4
		whole 4 | sed '$d'
	} | sort >"$T/in"
	each stream_one_of_two_ends
}

stream_killed_producer() {
	want_status 1 sh -c "sh -c 'head -n 5 \"$in\"; kill -9 \$\$' | $1 $(arguments "$1")" && said "no end mark"
}
@test "a producer that is killed is noticed, without pipefail" {
	whole 100 >"$T/in"
	each stream_killed_producer
}

# start PROG: runs it on the fifo $T/fifo with signals as in a terminal; $pid is its.  It has taken
# the signals over, and has read the first half of its input, when this returns.
start() {
	local in half
	in=$(good "$1")
	half=$(($(wc -c <"$in") / 2))
	helpers sigdfl || return
	rm -f "$T/fifo"
	mkfifo "$T/fifo"
	# shellcheck disable=SC2046 # none, or words
	sigdfl "$1" $(arguments "$1") <"$T/fifo" >"$T/out" 2>"$T/err" 3>&- &
	pid=$!
	exec 9>"$T/fifo"
	head -c $half "$in" >&9
	tail -c +$((half + 1)) "$in" >"$T/rest"
	soon waits "$pid"
}

# forgets: SIGINT kills from now on.
forgets() {
	grep -q '^SigCgt:.*[014589cd]$' "/proc/$pid/status"
}

sigterm() {
	local pid st
	start "$1" && kill -TERM "$pid" && ended && exec 9>&- || return
	[ "$st" -eq 1 ] || fail "status $st" || return
	[ "$(writes "$1")" = text ] || tail -n 1 "$T/out" | grep -q "^#end	$1	-	[0-9]*	partial	interrupted" ||
		fail "it ended: $(tail -n 1 "$T/out")"
}
@test "SIGTERM stops it with an end mark" {
	need_proc
	each sigterm
}

sigint_once() {
	local pid st in
	in=$(good "$1")
	want_status 0 go "$1" - <"$in" && cp "$T/out" "$T/want" &&
		start "$1" && kill -INT "$pid" && cat "$T/rest" >&9 && exec 9>&- && ended || return
	[ "$st" -eq 0 ] || fail "status $st" || return
	same "$T/want" "$T/out"
}
@test "reading a pipe, the first SIGINT is the producer's" {
	need_proc
	each sigint_once
}

sigint_twice() {
	local pid st
	start "$1" && kill -INT "$pid" && soon forgets && kill -INT "$pid" && ended && exec 9>&- || return
	[ "$st" -eq 130 ] || fail "status $st"
}
@test "the second SIGINT kills" {
	need_proc
	each sigint_twice
}

short_reads() {
	local in
	in=$(good "$1")
	want_status 0 go "$1" - <"$in" && cp "$T/out" "$T/want" || return
	# a byte at a time through a pipe
	want_status 0 sh -c "dd bs=1 if='$in' 2>/dev/null | $1 $(arguments "$1")" && same "$T/want" "$T/out"
}
@test "input that comes a byte at a time" { each short_reads; }

names_are_shown() {
	local name=$'no\nsuch\x1b[31m'
	want_status 3 go "$1" "$T/$name" || return
	printf '%s: %s/no\\nsuch\\x1b[31m: cannot open: No such file or directory\n' "$1" "$T" >"$T/want"
	same "$T/want" "$T/err"
}
@test "names of files forge no line on the terminal" {
	each names_are_shown
}

# It has no writer yet, so the open does not return.
stopped_at_a_pipe() {
	local st pid
	helpers sigdfl || return
	rm -f "$T/fifo"
	mkfifo "$T/fifo"
	# shellcheck disable=SC2046 # none, or words
	sigdfl "$1" $(arguments "$1") "$T/fifo" >"$T/out" 2>"$T/err" 3>&- &
	pid=$!
	soon waits "$pid" && kill -TERM "$pid" && ended || return
	[ "$st" -eq 1 ] || fail "status $st: $(cat "$T/err")"
}
@test "SIGTERM while a pipe has no writer yet" {
	need_proc
	each stopped_at_a_pipe
}

# The last moment at which a signal can come: when the program has seen that none has, and then waits.
waits_no_more() {
	local where st pid in from
	rm -f "$T/fifo"
	mkfifo "$T/fifo"
	for where in reading opening; do
		in=$T/fifo from=/dev/null
		[ $where = opening ] || { exec 9<>"$T/fifo" && in=- from=$T/fifo; }
		# shellcheck disable=SC2046 # none, or words
		SIGAT=wait LD_PRELOAD=$HELPERS/sigat.so "$1" $(arguments "$1") "$in" <"$from" >"$T/out" 2>"$T/err" 3>&- 9>&- &
		pid=$!
		ended
		exec 9>&-
		[ "$st" -eq 1 ] || fail "$where: status $st: $(cat "$T/err")" || return
		[ "$(writes "$1")" = text ] || tail -n 1 "$T/out" | grep -q "	partial	interrupted$" ||
			fail "it ended: $(tail -n 1 "$T/out")" || return
	done
}
@test "SIGTERM just before it waits is not lost" {
	need_proc
	preload sigat
	each waits_no_more
}

# The reader of the output does not read: the first SIGTERM leaves it time, the second kills.
full_pipe() {
	local st pid in filled
	in=$(good "$1")
	helpers sigdfl || return
	rm -f "$T/fifo"
	mkfifo "$T/fifo"
	exec 9<>"$T/fifo"
	filled=$({ head -c 1000000 /dev/zero | dd of="$T/fifo" bs=4096 oflag=nonblock || :; } 2>&1 |
		sed -n 's/ bytes.*//p')
	# shellcheck disable=SC2046 # none, or words
	sigdfl "$1" $(arguments "$1") "$in" >"$T/fifo" 2>"$T/err" 3>&- 9>&- &
	pid=$!
	soon waits "$pid" && kill -TERM "$pid" || return
	if [ "$2" = read ]; then
		exec 8<"$T/fifo" 9>&-
		tail -c +$((filled + 1)) <&8 >"$T/got"
		exec 8<&-
		ended || return
		# text comes out at the end, when nothing is left to be stopped
		if [ "$st" -eq 0 ] && [ "$(writes "$1")" = text ]; then
			want_status 0 go "$1" "$in" && same "$T/out" "$T/got"
		else
			[ "$st" -eq 1 ] || fail "status $st" || return
			[ "$(writes "$1")" = text ] || tail -n 1 "$T/got" | grep -q "	partial	interrupted$" ||
				fail "it ended: $(tail -n 1 "$T/got")"
		fi
	else
		soon forgets_term && kill -TERM "$pid" && ended || return
		exec 9>&-
		[ "$st" -eq 143 ] || fail "status $st"
	fi
}
forgets_term() {
	grep -q '^SigCgt:.*[0-389ab][0-9a-f][0-9a-f][0-9a-f]$' "/proc/$pid/status"
}
full_pipe_read() { full_pipe "$1" read; }
full_pipe_killed() { full_pipe "$1" killed; }
# bats test_tags=slow,sanitize
@test "SIGTERM while the output waits for its reader: what is known comes out, and a second one kills" {
	need_proc
	each full_pipe_read
	each full_pipe_killed
}

@test "a full pipe that does not block: the program waits for its reader, and all of its output arrives" {
	local st pid in filled
	need_proc
	in=$(good afsel)
	mkfifo "$T/fifo"
	exec 9<>"$T/fifo"
	exec 8>"$T/fifo"
	# dd leaves O_NONBLOCK behind, for all that share the descriptor
	filled=$({ head -c 1000000 /dev/zero | dd bs=4096 oflag=nonblock >&8 || :; } 2>&1 | sed -n 's/ bytes.*//p')
	afsel "$in" >&8 2>"$T/err" 3>&- 9>&- &
	pid=$!
	soon waits "$pid"
	exec 7<"$T/fifo" 8>&- 9>&-
	tail -c +$((filled + 1)) <&7 >"$T/got"
	exec 7<&-
	ended
	[ "$st" -eq 0 ]
	want_status 0 afsel "$in"
	same "$T/out" "$T/got"
}

# pipe_size BYTES LINES [VARIABLE=VALUE]: a pipe with so many lines of output has that size.
pipe_size() {
	local size=$1
	whole "$2" >"$T/in"
	# shellcheck disable=SC2016 # for Python
	env "${@:3}" python3 -c '
import fcntl, subprocess, sys, time
p = subprocess.Popen(["afsel", "--kind", "sample", sys.argv[1]], stdout=subprocess.PIPE)
first = p.stdout.read1(1)
if sys.argv[2] == "many":
    p.stdout.read(1 << 20)
print(fcntl.fcntl(p.stdout, 1032))
rest = p.stdout.read()
sys.exit(p.wait())' "$T/in" "$([ "$2" -gt 1000 ] && echo many)" >"$T/size" || return
	[ "$(cat "$T/size")" -eq "$size" ] || fail "$(cat "$T/size") bytes, not $size"
}
@test "a pipe that carries much is enlarged, unless AFPIPE_PIPE is 0" {
	need python3
	[ "$(uname)" = Linux ] || skip "pipes have one size here"
	[ "$(id -u)" -eq 0 ] || skip "the kernel may refuse this to users"
	local usual
	usual=$(python3 -c 'import fcntl, os; print(fcntl.fcntl(os.pipe()[0], 1032))')
	pipe_size 262144 100000
	pipe_size "$usual" 100000 AFPIPE_PIPE=0
	pipe_size 262144 100000 AFPIPE_PIPE=1
	pipe_size "$usual" 10
}

# Nobody misses what describes other lines; what is missing from the source has to be told.
@test "kinds: lines that describe others are in no note about what was left out" {
	local about prog kind
	build_c "$T/kinds" t/unit/kinds.c lib/{err,ev,kinds,mem,num,seed,tab}.c -lxxhash
	about=$("$T/kinds" | sed -n 's/ about$//p' | sed 's/ outlives$//')
	[ "$(wc -w <<<"$about")" -eq 5 ]
	for kind in $about; do
		printf '%s\t1\t0x1\tx\tm\t.\n' "$kind"
	done >"$T/in"
	printf 'sample\t2\t0x1\tf\tm\t3\tstack=f\taddr=0x10\ttid=1\n' >>"$T/in"
	cp "$T/in" "$T/more"
	printf 'incomplete\t.\t0x1\t.\tunwind\t7\twhy=x\nmmap\t1\t0x1\t.\t.\t.\n' >>"$T/more"
	for prog in afagg aftop foldenc flameenc pprofenc traceenc perunenc; do
		want_status 0 "$prog" "$T/in"
		! grep 'left out lines' "$T/err" || fail "$prog"
		want_status 0 "$prog" "$T/more"
		grep -q 'other kinds.*1 mmap' "$T/err" || fail "$prog: $(cat "$T/err")"
		[ "$prog" = afagg ] || said '1 incomplete'
	done
}

# Three lists of kinds: lib/kinds.c, afstream(5), and those that the sources write.
@test "kinds: the table is that of the page and of the decoders" {
	local page=$ROOT/man/afstream.5
	build_c "$T/kinds" t/unit/kinds.c lib/{err,ev,kinds,mem,num,seed,tab}.c -lxxhash
	want_status 0 "$T/kinds"
	cut -d ' ' -f 1 "$T/out" | sort >"$T/table"
	[ -z "$(uniq -d "$T/table")" ]
	{
		# items whose first word is a kind: of Kinds, and of each source; the column of kinds
		# that have tags of their own; and the words of "Without tags"
		sed -n '/^\.Ss Kinds/,/^\.Ss Starts/p; /^\.Sh SOURCES/,/^\.Sh EXAMPLES/p' "$page" |
			sed -n 's/^\.It Cm \([a-z_, ]*[a-z_]\).*/\1/p' | sed 's/ No .*//; s/\(^\| \)\.\.\.//'
		sed -n '/^\.It Sy Kind Ta Sy Tags/,/^\.El/s/^\.It \([a-z0-9_, ]*\) Ta .*/\1/p' "$page"
		sed -n '/^Without tags:/{n;s/^\.Cm \(.*\) \.$/\1/p}' "$page"
	} | tr ', ' '\n' | grep . | sort -u >"$T/page"
	same "$T/table" "$T/page"
	{
		sed -n 's/.*= { \.kind = "\([a-z0-9_]*\)".*/\1/p' "$ROOT/src/perfdata/record/types.c"
		find "$ROOT"/src -name '*.c' -exec cat {} + | tr -d '\n\t' | grep -oE '(evw_begin|run_put_head|dec_put_head|put_interval|put_event|put_element|put_items|a->kind = )[^;{]*' |
			grep -oE 'SLICE\("[a-z0-9_]+"\)' | sed 's/SLICE("\(.*\)")/\1/'
	} | sort -u >"$T/sources"
	[ "$(wc -l <"$T/sources")" -gt 50 ]
	# what is written and not in the table; other texts of these calls are no kinds
	comm -13 "$T/table" "$T/sources" >"$T/more"
	: >"$T/none"
	same "$T/none" "$T/more"
	# what is in the table and never written
	comm -23 "$T/table" "$T/sources" >"$T/fewer"
	same "$T/none" "$T/fewer"
}

# What a program does with partial results: merge them, diff them like the results, pass them on unchanged, show each as a line
# of text, or refuse them (the default).
with_parts() {
	case $1 in
	afagg) echo merge ;;
	afdiff) echo diff ;;
	afdur | afsel | afsym) echo pass ;;
	jsondec) echo none ;;
	afcut | csvenc | jsonenc) echo show ;;
	*) echo refuse ;;
	esac
}

stream_parts() {
	afagg --by region,tid --partial "$T/in" >"$T/parts"
	local n
	n=$(grep -c '^part' "$T/parts")
	case $(with_parts "$2") in
	merge)
		want_status 0 go "$2" "$T/parts" && afagg --by region,tid "$T/in" >"$T/want" &&
			same <(unmarked "$T/want") <(unmarked "$T/out")
		;;
	diff)
		afagg --by region,tid "$T/in" >"$T/results"
		want_status 0 afdiff --before "$T/results" "$T/results" && cp "$T/out" "$T/want" &&
			want_status 0 afdiff --before "$T/parts" "$T/parts" &&
			same <(unmarked "$T/want") <(unmarked "$T/out")
		;;
	pass)
		want_status 0 go "$2" "$T/parts" &&
			same <(unmarked "$T/parts") <(unmarked "$T/out")
		;;
	show)
		want_status 0 go "$2" "$T/parts" &&
			[ "$(grep -c "$(sed -n '/^part/{p;q;}' "$T/parts" | cut -f 4)" "$T/out")" -ge 1 ] &&
			[ "$(wc -l <"$T/out")" -ge "$n" ]
		;;
	refuse)
		want_status 1 go "$2" "$T/parts" &&
			said "the input has partial results; merge them with afagg first" &&
			ends_partial "$2"
		;;
	esac
}
@test "partial results are merged, passed on, shown or refused, and never lost with status 0" {
	whole 5 >"$T/in"
	each stream_parts "$T/in"
}

# large PROG: the name of an input for it that takes more memory than the good one.
large() {
	case $(reads "$1") in
	stream) echo "$INPUTS/large.$(eats "$1")" ;;
	afperf | json) echo "$INPUTS/large.$(reads "$1")" ;;
	perun) echo "$INPUTS/large.perun" ;;
	dcpi) echo "$ROOT/t/data/dcpi/good/g17_many_chunks.dcpi" ;;
	*) good "$1" ;;
	esac
}

# Each ceiling from 512 KiB up to one that is enough: all is written, or it is known that it is not.
under_a_ceiling() {
	local in k st percent=200
	[ -z "${AFPIPE_SLOW-}" ] || percent=125
	for in in "$(good "$1")" "$(large "$1")"; do
		want_status 0 go "$1" "$in" || return
		cp "$T/out" "$T/want"
		for ((k = 512; k < 1048576; k = k * percent / 100)); do
			st=0
			go "$1" --max-memory ${k}K "$in" >"$T/out" 2>"$T/err" || st=$?
			if [ $st -eq 0 ]; then
				same "$T/want" "$T/out" || return
				break
			fi
			[ $st -eq 1 ] || fail "$in, $k KiB: status $st: $(cat "$T/err")" || return
			said "that --max-memory allows" || return
			! tail -n 1 "$T/out" | grep -aq "^#end	.*	complete" || fail "$in, $k KiB: complete" || return
		done
		[ $st -eq 0 ] || fail "$in: too much for 1 GiB" || return
	done
}
@test "--max-memory: all is written, or it is known that it is not" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers allocate otherwise"
	each under_a_ceiling
}

# on_terminal COMMAND: runs it with standard error on a terminal of 100 columns; T/tty has what the
# terminal got, with escapes visible.
on_terminal() {
	TERM=vt100 script -q -e -c "stty cols 100; $1" "$T/typescript" </dev/null >/dev/null || fail "status $?"
	sed '1d;$d;/^\r*$/d' "$T/typescript" | cat -v >"$T/tty"
}

# bats test_tags=slow,sanitize
@test "the progress of a long reading is shown on a terminal, and is gone without a trace" {
	yes "sample	1	r	region	m	1	note=$(printf '%0200d' 0)" | head -n 20000 >"$T/long"
	local slowly="(sleep 2.5; head -c 1000000; sleep 0.5; cat) >'$T/got'"
	on_terminal "afcut region,note '$T/long' | $slowly"
	grep -qE '^\^Mafcut: [0-9]+% of 4 MiB, [0-9]+ MiB/s, [0-9]+:[0-9]{2} left\^\[\[K\^M' "$T/tty" || fail "$(cat "$T/tty")"
	[ "$(grep -o '\^\[\[K' "$T/tty" | wc -l)" -ge 2 ]
	grep -qE '\^M\^\[\[K$' "$T/tty" || fail "$(cat "$T/tty")"
	afcut region,note "$T/long" | cmp - "$T/got"
	# on request, without a terminal, in the background, and while another program has the screen
	on_terminal "afcut --no-progress region,note '$T/long' | $slowly"
	[ "$(grep -c afcut "$T/tty")" -eq 0 ] || fail "$(cat "$T/tty")"
	on_terminal "stty -icanon; afcut region,note '$T/long' | $slowly"
	[ "$(grep -c afcut "$T/tty")" -eq 0 ] || fail "$(cat "$T/tty")"
	on_terminal "TERM=dumb afcut region,note '$T/long' | $slowly"
	[ "$(grep -c afcut "$T/tty")" -eq 0 ] || fail "$(cat "$T/tty")"
	on_terminal "unset TERM; afcut region,note '$T/long' | $slowly"
	[ "$(grep -c afcut "$T/tty")" -eq 0 ] || fail "$(cat "$T/tty")"
	on_terminal "afcut region,note '$T/long' 2>'$T/err' | $slowly"
	[ "$(cat "$T/tty" "$T/err" | grep -c afcut)" -eq 0 ] || fail "$(cat "$T/tty" "$T/err")"
}

@test "stacks that could not be unwound are one note of each encoder, with or without a mark" {
	local prog
	{
		event sample 5 f cpu 1 stack=f
		event incomplete . . unwind 7 why=short_copy
	} >"$T/lines"
	{
		printf '#afstream\t1\ttest\tx\n'
		cat "$T/lines"
		printf '#end\ttest\tx\t2\tcomplete\tincomplete=7\n'
	} >"$T/in"
	for prog in foldenc flameenc pprofenc traceenc 'traceenc --for speedscope'; do
		# shellcheck disable=SC2086 # words
		want_status 0 $prog "$T/in"
		echo "${prog%% *}: samples whose stacks could not be unwound completely: 7" >"$T/want"
		same "$T/want" "$T/err"
		# shellcheck disable=SC2086
		want_status 0 $prog "$T/lines"
		[ "$(grep -c 'left out lines of other kinds.*: 1 incomplete' "$T/err")" -eq 1 ] || fail "$prog"
	done
	want_status 0 flameenc --before "$T/in" - < <(cat "$T/in")
	printf 'flameenc: %s\n' 'before: samples whose stacks could not be unwound completely: 7' \
		'samples whose stacks could not be unwound completely: 7' >"$T/want"
	same "$T/want" "$T/err"
}

@test "what lines before have counted, and what a filter dropped as requested, is no loss" {
	local prog loss
	cd "$T"
	{
		event sample 5 f cpu 1 tid=1 stack=f
		event agg 5 f cpu 1 stat=sum start=5 n=1
		event lost . . . 7 why=lost_samples again=7
		event lost . . . 9 why=bpf
	} >none
	# lost WANT PROGRAM ARGUMENT...: so many of its notes are about losses.
	lost() {
		[ "$("${@:2}" 2>&1 >out | grep -c 'the source lost')" -eq "$1" ] || fail "$*: $(cat some)"
	}
	for loss in '7 why=lost' '. why=lost' '7 why=read again=6' '7 why=lost again=x'; do
		# shellcheck disable=SC2086 # words
		event lost . . . $loss | cat none - >some
		for prog in aftab 'csvenc --wide stat' 'foldenc -k sample' 'flameenc -k sample' \
			'pprofenc -k sample' traceenc 'afdiff --table none'; do
			# shellcheck disable=SC2086
			lost 0 $prog none
			# shellcheck disable=SC2086
			lost 1 $prog some
		done
	done
}

@test "resources that are too large for a line are said to be left out, here and in pictures" {
	local at prog what='left out resources larger than 1 MiB: %d (see perunquery)\n'
	cd "$T"
	{
		for at in /resources/0 /snapshots/1/resources/12 /resources/time/3; do
			event header . "$at" . '{' part=1
			event header . "$at" . '}' part=2 parts=2
		done
		# these are no resources
		for at in /resources/time/x /resources/0/uid /resources/a/b/3 /resources/ /xresources/3 /0; do
			event header . "$at" . '}' part=2 parts=2
		done
		event sample 1 f m 1 stack=f
	} >three
	sed 1,4d three >one
	for prog in afagg aftop foldenc 'csvenc --columns region' pprofenc flameenc traceenc \
		'traceenc --for firefox' 'traceenc --for speedscope'; do
		# shellcheck disable=SC2086 # words
		want_status 0 $prog three
		# shellcheck disable=SC2059 # a format
		printf "${prog%% *}: $what" 3 | same - err
		[[ $prog != flameenc* && $prog != traceenc* ]] ||
			[ "$(grep -ac 'left out resources larger than 1 MiB: 3 (see perunquery)' out)" -eq 1 ] || fail "$prog"
	done
	want_status 0 flameenc --before three one
	# shellcheck disable=SC2059
	printf "flameenc: before: $what" 3 >want
	# shellcheck disable=SC2059
	printf "flameenc: $what" 1 >>want
	same want err
	grep -o '[a-z]*: left out resources [^"]*' out >got
	# shellcheck disable=SC2059
	printf "before: ${what}after: $what" 3 1 | same - got
}

@test "the same file on both sides is a warning, unless the runs say so" {
	local both='this file is given as BEFORE and as AFTER' pair left
	cd "$T"
	run=. event sample 5 f m 7 stack=f >a
	event sample 5 f m 7 stack=f >b
	ln -s a link
	cp a copy
	for pair in 'a a' 'a link' 'b b'; do
		# shellcheck disable=SC2086 # words
		want_status 0 flameenc --before $pair
		echo "flameenc: ${pair#* }: $both" | same - err
		# shellcheck disable=SC2086
		want_status 1 flameenc --strict --before $pair
	done
	# shellcheck disable=SC2094 # it only reads
	want_status 0 flameenc --before a - <a
	echo "flameenc: -: $both" | same - err
	# shellcheck disable=SC2094
	want_status 0 flameenc --before a <a
	echo "flameenc: -: $both" | same - err
	want_status 0 flameenc --before a copy
	silent
	want_status 0 flameenc --before a a -- copy
	echo 'flameenc: a: this file is given twice: is it counted twice?' | same - err
	afagg --stat sum a >a.agg
	cp a.agg copy.agg
	afagg --stat sum --partial a >a.part
	left='left out intervals and p: 1 group has fewer than 4 runs on a side (BEFORE 1, AFTER 1)'
	left+='; afagg --by run,... keeps runs apart'
	want_status 0 afdiff a.agg a.agg
	printf 'afdiff: %s\n' "$left" "a.agg: $both" | same - err
	want_status 1 afdiff --strict --table a.agg a.agg
	printf 'afdiff: %s\n' "$left" "a.agg: $both" | same - err
	want_status 0 afdiff a.agg copy.agg
	echo "afdiff: $left" | same - err
	# the stream says it, too
	want_status 0 afdiff --before a.part a.part -- a.agg
	printf 'afdiff: %s\n' "$left" 'a.part: this file is given twice: is it counted twice?' | same - err
	tail -n 1 out | grep -q '	complete	twice=1$'
}

@test "the same file twice is a warning, unless its runs say so" {
	local prog
	cd "$T"
	run=. event sample 5 f m 7 >a
	ln -s a b
	for prog in afagg foldenc csvenc jsonenc traceenc afsel afdur 'aftab --no-progress'; do
		# shellcheck disable=SC2086 # words
		$prog a b >/dev/null 2>err || [ "${prog%% *}" = aftab ] || fail "$prog: status $?"
		[ "$(grep -c "^${prog%% *}: b: this file is given twice: is it counted twice?$" err)" -eq 1 ] || fail "$prog"
	done
	want_status 0 afagg --stat sum a b
	grep -q '	14	stat=sum' out
	# the stream says it, too
	tail -n 1 out | grep -q '	complete	twice=1$'
	want_status 1 afagg --strict a b
	cp a c
	want_status 0 afagg a c
	silent
	want_status 0 afagg a - <c
	silent
	want_status 0 afagg a - <b
	echo 'afagg: -: this file is given twice: is it counted twice?' | same - err
	grep -q '	14	stat=sum' out
	# shellcheck disable=SC2094 # it only reads
	want_status 0 afagg - a <a
	echo 'afagg: a: this file is given twice: is it counted twice?' | same - err
	# shellcheck disable=SC2094
	want_status 1 afagg --strict - a <a
	echo 'afagg: a: this file is given twice: is it counted twice?' | same - err
	want_status 0 afagg a - < <(cat a)
	silent
	# a run that is known
	{ printf '#afstream\t1\ttest\tx\n' && run=1 event run 1 . . . && printf '#end\ttest\tx\t1\tcomplete\n'; } >d
	want_status 0 afagg d d
	[ "$(grep -c 'is it counted twice' err)" -eq 1 ]
	said 'run 1 also came from another source'
}
