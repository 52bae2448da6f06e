# SPDX-License-Identifier: ISC
# afpair.bats - pairs of events: whole streams, random ones before a judge, and perf's own figures.

load lib

setup() {
	cd "$T" || return
}

# stream: standard input, with blanks for TABs (+ for a blank), as a whole stream in the file in.
stream() {
	tr ' +' '\t ' >lines
	{
		printf '#afstream\t1\ttest\tx\n'
		cat lines
		printf '#end\ttest\tx\t%d\tcomplete\n' "$(grep -c . lines)"
	} >in
}

# want: the last output, without its marks and with blanks for TABs, is exactly what comes in.
want() {
	cat >want
	unmarked out | tr ' \t' '+ ' >got
	same want got
}

# spans: the same of columns 2 to 6 of its spans alone.
spans() {
	cat >want
	sed -n 's/^span	//p' out | cut -f 1-5 | tr '\t' ' ' >got
	same want got
}

# ends WORDS: so does the last output, after the number of its lines.
ends() {
	[ "$(tail -n 1 out | cut -f 5- | tr '\t' ' ')" = "$1" ] || fail "it ends: $(tail -n 1 out)"
}

# bats test_tags=quick
@test "an interval has the tags of its first event, and all other lines pass" {
	stream <<-'EOF'
	run 5 r . . . unit=ns
	sample 10 r f a 1 pid=1 tid=2 comm=x+y cpu=0 mode=k stack=main;f tp.n=7 frames=q
	sample 12 r g c 1 pid=1 tid=2
	sample 30 r h b 1 pid=1 tid=2 comm=z cpu=1 stack=main;h tp.n=8 tp.ret=-1
	novel 30 r . . . x=1
	sample 31 r f a 1 tid=2 cpu=.
	sample 31 r . b 1 tid=2 tp.n=0
	EOF
	want_status 0 afpair --from a --to b --on tid in
	silent
	ends complete
	want <<-'EOF'
	run 5 r . . . unit=ns
	sample 12 r g c 1 pid=1 tid=2
	measure . r . latency . type=int64 unit=ns
	span 30 r f latency 20 start=10 tid=2 pid=1 comm=x+y cpu=0 stack=main;f unit=ns type=int64
	novel 30 r . . . x=1
	span 31 r f latency 0 start=31 tid=2 cpu=. unit=ns type=int64
	EOF
	want_status 0 afpair --from 'measure=a && tp.n?=7' --to b --on tid --keep tp.n,mode --keep-to tp.ret --name 'a b' in
	grep -q '^span	30	r	f	a b	20	start=10	tid=2	tp.n=7	mode=k	pid=1	comm=x y	cpu=0	stack=main;f	tp.ret=-1	unit=ns	type=int64$' out
	said "afpair: left out ends of intervals that had not begun, so totals are too small (see --loose): 1"
	ends "complete unpaired=1"
}

@test "the name of the process stays with its threads" {
	stream <<-'EOF'
	sample 10 r . a 1 pid=7 tid=7 comm=job
	sample 11 r . a 1 pid=7 tid=8 comm=worker pcomm=job
	sample 15 r . b 1 pid=7 tid=7 comm=job
	sample 17 r . b 1 pid=7 tid=8 comm=worker pcomm=job
	EOF
	want_status 0 afpair --from a --to b --on tid in
	want <<-'EOF'
	measure . r . latency . type=int64 unit=ns
	span 15 r . latency 5 start=10 tid=7 pid=7 comm=job unit=ns type=int64
	span 17 r . latency 6 start=11 tid=8 pid=7 comm=worker pcomm=job unit=ns type=int64
	EOF
	afagg --by pcomm --stat sum out >sums
	grep -q '^agg	17	r	.*	11	pcomm=job	' sums
}

@test "an event ends an interval and begins the next; keys with two names; runs do not mix" {
	stream <<-'EOF'
	sample 10 r . s 1 tp.prev_pid=1 tp.next_pid=2 stack=a
	sample 11 q . s 1 tp.prev_pid=2 tp.next_pid=1 stack=b
	sample 20 r . s 1 tp.prev_pid=2 tp.next_pid=3 stack=c
	sample 25 r . s 1 tp.prev_pid=3 tp.next_pid=1 stack=d
	sample 26 r . s 1 tp.prev_pid=1 tp.next_pid=2 stack=e
	EOF
	want_status 0 afpair --from s --to s --on tp.prev_pid=tp.next_pid in
	want <<-'EOF'
	measure . r . latency . type=int64 unit=ns
	span 25 r . latency 15 start=10 tp.prev_pid=1 stack=a unit=ns type=int64
	span 26 r . latency 6 start=20 tp.prev_pid=2 stack=c unit=ns type=int64
	EOF
	said "afpair: left out intervals that did not begin in the recording: 3"
	said "afpair: left out intervals that did not end in the recording: 3"
	ends complete
	want_status 0 afpair --from s --to s --on stack=stack in
	spans </dev/null
	said "afpair: left out all events, because no two agree in --on"
	stream <<-'EOF'
	sample 10 r f s 1 a=1 b=2
	sample 11 r f s 1 a=1 b=3
	sample 12 r g s 1 a=12 b=.
	sample 13 r f s 1 a=1 b=2
	EOF
	want_status 0 afpair --from s --to s --on region,a --on b in
	spans <<<"13 r f latency 3"
	said "afpair: left out events without a value for a key of --on: 2"
	# the first thread of a process has the process's name as its own
	stream <<-'EOF'
	sample 10 r f a 1 pid=1 tid=1 comm=p
	sample 12 r f a 1 pid=5 tid=5 comm=q
	sample 14 r f b 1 pid=1 tid=3 comm=t pcomm=p
	sample 18 r f b 1 pid=5 tid=6 comm=p pcomm=q
	EOF
	want_status 0 afpair --from a --to b --on pcomm in
	spans <<-'EOF'
	14 r f latency 4
	18 r f latency 6
	EOF
	silent
	sed -i 's/pcomm=/comm=/' in
	want_status 0 afpair --from a --to b --on pcomm in
	said 'afpair: left out events without a value for a key of --on: 2'
	# a key of this name is needed, not optional
	stream <<-'EOF'
	sample 10 r f a 1 ?=1
	sample 11 r f b 1 ?=1
	EOF
	want_status 0 afpair --from a --to b --on '?' --keep '?' in
	spans <<<"11 r f latency 1"
	grep -q '	?=1	' out
	want_status 1 afpair --from a --to b --on 'region?' --keep x,? in
	said "afpair: no line has 'x'"
}

@test "events without a counterpart: at the edges they are none, inside they are doubtful" {
	stream <<-'EOF'
	sample 1 r . b 1 tid=1
	sample 2 r . a 1 tid=1
	sample 3 r . a 1 tid=1
	sample 4 r . b 1 tid=1
	sample 5 r . b 1 tid=1
	sample 6 r . b 1 tid=2
	sample 7 r . a 1 tid=3
	sample 8 r . a 1 tid=1
	EOF
	cat >edges <<-'EOF'
	afpair: left out intervals that did not begin in the recording: 2
	afpair: left out intervals that did not end in the recording: 2
	EOF
	want_status 0 afpair --from a --to b --on tid in
	spans <<<"4 r . latency 1"
	ends "complete unpaired=2"
	cat edges - >want <<-'EOF'
	afpair: left out intervals that began again before they ended, so totals are too small (see --loose): 1 of 4
	afpair: left out ends of intervals that had not begun, so totals are too small (see --loose): 1 of 4
	EOF
	same want err
	cp out paired
	want_status 0 afcut value paired
	said "afcut: events without their counterpart, so up to as many intervals are missing or too long (afpair says of how many): 2"
	want_status 1 afpair --strict --from a --to b --on tid in
	ends "partial input incomplete or refused unpaired=2"
	want_status 0 afpair --strict --loose --from a --to b --on tid in
	spans <<<"4 r . latency 2"
	ends complete
	cat edges - >want <<-'EOF'
	afpair: left out events in an interval that had already begun: 1 of 4
	afpair: left out ends of intervals that had not begun: 1 of 4
	EOF
	same want err
	grep -v '	tid=1$' in | sed 's/\(#end.*\)8/\12/' >edge
	want_status 0 afpair --strict --from a --to b --on tid edge
	said "afpair: left out intervals that did not begin in the recording: 1"
}

@test "switches of a recording without -a: a thread that leaves again is said, also with --loose" {
	stream <<-'EOF'
	sample 1 r . sched:sched_switch 1 tid=1 tp.prev_pid=1 tp.next_pid=9
	sample 5 r . sched:sched_switch 1 tid=1 tp.prev_pid=1 tp.next_pid=2
	sample 7 r . sched:sched_switch 1 tid=2 tp.prev_pid=2 tp.next_pid=1
	sample 8 r . sched:sched_switch 1 tid=1 tp.prev_pid=1 tp.next_pid=2
	EOF
	local why='(perf record sees who comes back only with -a, and not while it starts or ends)'
	local -a switches=(--from 'measure=sched:sched_switch' --to 'measure=sched:sched_switch' --on tp.prev_pid=tp.next_pid)
	want_status 0 afpair "${switches[@]}" in
	spans <<-'EOF'
	7 r . latency 2
	8 r . latency 1
	EOF
	ends "complete unpaired=1"
	said "afpair: left out intervals that began again before they ended, so totals are too small $why: 1"
	want_status 0 afpair --loose "${switches[@]}" in
	spans <<-'EOF'
	7 r . latency 6
	8 r . latency 1
	EOF
	ends "complete unpaired=1"
	said "afpair: threads left a CPU again before they came back, so intervals are too long $why: 1"
	# if events were lost in between, that is the reason
	sed '/^sample	1	/a\
lost	3	r	.	.	1' in >lossy
	want_status 0 afpair "${switches[@]}" --no-marks lossy
	said "afpair: left out intervals that began again before they ended, so totals are too small (see --loose): 1"
}

@test "a few events without a counterpart among many: how many of how many" {
	awk 'BEGIN {
		OFS = "\t"
		for (i = 1; i <= 1000; i++) {
			print "sample", 20 * i, "r", "f", "a", 1
			if (i != 500)
				print "sample", 20 * i + 10, "r", "f", "b", 1
		}
	}' >in
	want_status 0 afpair --no-marks --from a --to b --on run in
	echo 'afpair: left out intervals that began again before they ended, so totals are too small (see --loose): 1 of 1000' >want
	same want err
	afagg out >agg
	want_status 0 aftab agg
	echo 'aftab: events without their counterpart, so up to as many intervals are missing or too long (afpair says of how many): 1' >want
	same want err
	want_status 0 afpair --no-marks --loose --from a --to b --on run in
	echo 'afpair: left out events in an interval that had already begun: 1 of 1000' >want
	same want err
	# none of these has the key
	sed -i 's/$/\ttid=1/; 7s/\ttid=1//' in
	want_status 0 afpair --no-marks --from a --to b --on tid in
	said 'afpair: left out events without a value for a key of --on: 1 of 1999'
}

@test "an interval with losses inside it is marked" {
	stream <<-'EOF'
	sample 2 r . a 1 tid=1
	sample 2 q . a 1 tid=1
	lost 3 r . . 5 why=lost
	sample 4 r . b 1 tid=1
	sample 4 q . b 1 tid=1
	sample 5 r . a 1 tid=1
	sample 6 r . b 1 tid=1
	EOF
	want_status 0 afpair --from a --to b --on tid in
	want <<-'EOF'
	lost 3 r . . 5 why=lost
	measure . r . latency . type=int64 unit=ns
	span 4 r . latency 2 start=2 tid=1 lost=1 unit=ns type=int64
	measure . q . latency . type=int64 unit=ns
	span 4 q . latency 2 start=2 tid=1 unit=ns type=int64
	span 6 r . latency 1 start=5 tid=1 unit=ns type=int64
	EOF
	echo "afpair: intervals during which events were lost (lost=1), which may be two (perf record loses fewer with a larger -m): 1 of 3" >want
	same want err
	stream <<-'EOF'
	sample 5 r . a 1 tid=1
	sample 6 r . b 1 tid=1
	lost . r . . 5 why=lost_samples
	EOF
	want_status 0 afpair --from a --to b --on tid in
	echo "afpair: losses at an unknown time, so any interval may be wrong: 1" >want
	same want err
}

@test "no interval is marked for losses that lines before have counted, or samples dropped as requested" {
	stream <<-'EOF'
	sample 2 r . a 1 tid=1
	lost 3 r . . 5 why=bpf
	lost 3 r . . 5 why=read again=5
	sample 4 r . b 1 tid=1
	lost . r . . 7 why=lost_samples again=7
	lost . r . . 9 why=bpf
	EOF
	want_status 0 afpair --from a --to b --on tid in
	silent
	spans <<-'EOF'
	4 r . latency 2
	EOF
	[ "$(grep -c 'lost=' out)" -eq 0 ]
	sed -i 's/again=7/again=6/' in
	want_status 0 afpair --from a --to b --on tid in
	echo "afpair: losses at an unknown time, so any interval may be wrong: 1" >want
	same want err
}

@test "an interval that ends on another CPU before losses on the first one are told is counted" {
	stream <<-'EOF'
	sample 1 r . a 1 tid=1 cpu=0
	sample 2 r . a 1 tid=2 cpu=8191
	sample 3 r . a 1 tid=3 cpu=8192
	sample 4 r . a 1 tid=4 cpu=0
	sample 5 r . b 1 tid=4 cpu=1
	sample 6 r . a 1 tid=5 cpu=0
	sample 6 r . b 1 tid=5 cpu=0
	sample 6 q . a 1 tid=6 cpu=0
	sample 7 q . b 1 tid=6 cpu=1
	sample 7 r . b 1 tid=1 cpu=1
	sample 8 r . b 1 tid=2 cpu=1
	sample 9 r . b 1 tid=3 cpu=1
	lost 10 r . . 5 cpu=0 why=lost
	lost . r . . 5 cpu=8191 why=read again=4
	lost 12 r . . 5 cpu=1 why=lost
	lost 13 r . . 5 cpu=8191 why=lost
	lost 14 r . . 5 cpu=8191 why=lost
	lost 14 r . . 5 cpu=8192 why=lost
	EOF
	want_status 0 afpair --from a --to b --on tid in
	# those of threads 1 and 2: after the end of that of thread 4 there are events on processor 0
	{
		printf 'afpair: %s, so they may be two (perf record loses fewer with a larger -m): 2 of 6\n' \
			'intervals that ended on another CPU before events were reported as lost on the first one'
		echo "afpair: losses at an unknown time, so any interval may be wrong: 1"
	} >want
	same want err
	[ "$(grep -c 'lost=' out)" -eq 0 ]
}

@test "times: they must not go back, and may have 128 bits" {
	stream <<-'EOF'
	sample 0 r . a 1 tid=1
	sample 340282366920938463463374607431768211455 r . b 1 tid=1
	sample 5 r . a 1 tid=1
	sample . r . a 1 tid=1
	sample 340282366920938463463374607431768211456 r . a 1 tid=1
	sample 7 q . a 1 tid=1
	sample 8 q . c 1 tid=1
	sample 6 q . c 1 tid=1
	sample 9223372036854775814 q . b 1 tid=1
	sample 9 p . a 1 tid=1
	sample 18446744073709551625 p . b 1 tid=1
	EOF
	want_status 1 afpair --from a --to b --on tid in
	said "afpair: in:4: goes back in time: it is left out; use sort"
	said 'afpair: in:5: time "." is not a time of up to 128 bits'
	said 'afpair: in:6: time "340282366920938463463374607431768211456" is not'
	[ "$(wc -l <err)" -eq 3 ]
	want <<-'EOF'
	measure . r . latency . unit=ns
	span 340282366920938463463374607431768211455 r . latency 340282366920938463463374607431768211455 start=0 tid=1 unit=ns
	sample 8 q . c 1 tid=1
	sample 6 q . c 1 tid=1
	measure . q . latency . type=int64 unit=ns
	span 9223372036854775814 q . latency 9223372036854775807 start=7 tid=1 unit=ns type=int64
	measure . p . latency . unit=ns
	span 18446744073709551625 p . latency 18446744073709551616 start=9 tid=1 unit=ns
	EOF
}

@test "several runs with one id: one error, which does not advise to sort" {
	stream <<-'EOF'
	run 0 r . . .
	sample 1 r . a 1 tid=1
	sample 9 r . b 1 tid=1
	run 0 r . . .
	sample 1 r . a 1 tid=1
	sample 8 r . b 1 tid=1
	EOF
	want_status 1 afpair --from a --to b --on tid in
	echo 'afpair: several runs have the id r, so lines were left out: 2 (give each run its own id: see "Runs with the same id" in afpipe-cookbook(7))' >want
	same want err
	tail -n 1 out | grep -q '	partial	'
	# even one
	stream <<-'EOF'
	run 0 r . . .
	sample 1 r . a 1 tid=1
	sample 9 r . b 1 tid=1
	run 0 r . . .
	sample 8 r . b 1 tid=1
	EOF
	want_status 1 afpair --from a --to b --on tid --no-marks in
	grep -x 'afpair: several runs have the id r, so lines were left out: 1 (give .*' err
}

@test "a measure without its subsystem: the whole name" {
	stream <<-'EOF'
	measure . r . notsys_enter . unit=count
	measure . r . raw_syscalls:sys_enter . unit=count
	sample 1 r . raw_syscalls:sys_enter 1 tid=1
	sample 2 r . b 1 tid=1
	EOF
	want_status 1 afpair --from sys_enter --to b --on tid in
	said "afpair: --from: no line has the measure 'sys_enter'; did you mean raw_syscalls:sys_enter?"
	stream <<-'EOF'
	measure . r . ab:bb . unit=count
	measure . r . ab:b . unit=count
	sample 1 r . a 1 tid=1
	sample 2 r . ab:b 1 tid=1
	EOF
	want_status 1 afpair --from a --to b --on tid in
	said "afpair: --to: no line has the measure 'b'; did you mean ab:b?"
}

@test "a measure and a key that do not exist are errors" {
	stream <<-'EOF'
	measure . r . silent . unit=count
	sample 1 r . a 1 tid=1 tp.id=1
	sample 2 r . b 1 tid=1 tp.ret=1
	EOF
	want_status 1 afpair --from aa --to b --on tid in
	grep -qx "afpair: --from: no line has the measure 'aa'" "$T/err"
	ends "partial input incomplete or refused"
	want_status 0 afpair --from a --to silent --on tid in
	said "afpair: --to: none of 2 lines was chosen"
	want_status 1 afpair --from a --to b --on tidd in
	said "afpair: no line has 'tidd'; did you mean tid?"
	want_status 1 afpair --from a --to b --on tp.id in
	said "afpair: no line has 'tp.id'"
	want_status 1 afpair --from a --to b --on tid --keep tp.ret in
	said "afpair: no line has 'tp.ret'"
	want_status 0 afpair --from a --to b --on tid --keep 'tp.ret?' --keep-to 'tp.rt?' in
	silent
	want_status 1 afpair --from 'measur=a' --to b --on tid in
	said "afpair: --from: no line has 'measur'; did you mean measure?"
	want_status 1 afpair --sched in
	said 'afpair: --sched: no line is a switch of threads: perf record --switch-events, and perfdec --all'
	printf 'measure\t.\tr\t.\tsched:sched_switch\t.\nsample\t1\tr\tf\tsched:sched_switch\t1\ttid=1\n' >in
	want_status 1 afpair --no-marks --sched in
	echo 'afpair: --sched: no line is a switch of threads: sched:sched_switch is paired as in "Where threads sleep" in afpipe-cookbook(7)' >want
	same want err
	grep -q '^\.Ss Where threads sleep$' "$ROOT/man/afpipe-cookbook.7"
}

@test "tags of the run, needed and optional, of either side" {
	local option
	stream <<-'EOF'
	run 0 r . . . host=h os=l
	sample 1 r . a 1 tid=1
	sample 2 r . b 1 tid=1
	sample 3 r . c 1 tid=1
	EOF
	for option in --keep=run.host --keep=run.host? --keep-to=run.host --keep-to=run.host?; do
		want_status 0 afpair --from a --to b --on tid "$option" in
		want <<-'EOF'
		run 0 r . . . host=h os=l
		measure . r . latency . type=int64 unit=ns
		span 2 r . latency 1 start=1 tid=1 run.host=h unit=ns type=int64
		sample 3 r . c 1 tid=1 run.host=h
		EOF
	done
	want_status 0 afpair --from a --to b --on tid,run.no?=run.no? --keep run.x? --keep-to run.os? in
	said "afpair: left out events without a value for a key of --on: 2 of 2"
	for option in --keep --keep-to; do
		want_status 1 afpair --from a --to b --on tid $option run.x,run.os in
		echo "afpair: no run line has 'x' ('run.x?' allows that; tags: host, os)" >want
		same want err
	done
}

@test "events of one side alone: only what this side lacks is said" {
	stream <<-'EOF'
	measure . r . b .
	sample 1 r . a 1 tid=1
	sample 2 r . a 1 tid=1
	EOF
	local none='none of 2 lines was chosen (= compares the whole value, ~ finds a part of it)'
	want_status 0 afpair --from a --to b --on tid --keep-to z in
	cat >want <<-EOF
	afpair: --to: $none
	afpair: left out intervals that did not end in the recording: 1
	afpair: left out intervals that began again before they ended, so totals are too small (see --loose): 1 of 2
	EOF
	same want err
	want_status 0 afpair --from b --to a --on tid --keep y in
	cat >want <<-EOF
	afpair: --from: $none
	afpair: left out intervals that did not begin in the recording: 2
	EOF
	same want err
	want_status 1 afpair --from b --to a --on tid --keep y --keep-to v,w in
	cat >want <<-EOF
	afpair: --from: $none
	afpair: no line has 'v' ('v?' allows that)
	afpair: no line has 'w' ('w?' allows that)
	afpair: left out intervals that did not begin in the recording: 2
	EOF
	same want err
}

# wrong MESSAGE ARGUMENT...: the command line is refused.
wrong() {
	local message=$1
	shift
	want_status 2 afpair "$@" && said "afpair: $message"
}

@test "command lines that are wrong" {
	wrong "--from, --to and --on are needed, or --sched or --calls" --from a --to b
	wrong "--from, --to and --on are needed, or --sched or --calls" --on tid
	wrong "--sched has its own --from, --to and --on" --sched --on tid
	wrong "--from: expected a measure or a condition" --from '' --to b --on tid
	wrong "--from: expected a condition" --from '=' --to b --on tid
	wrong "--on: an empty name" --from a --to b --on tid,
	wrong "--on: an empty name" --from a --to b --on =tid
	wrong "--keep: value is a column" --from a --to b --on tid --keep value
	wrong "--keep: start means something else" --from a --to b --on tid --keep start
	wrong "--keep-to: tid would appear twice" --from a --to b --on tid --keep-to tid
	wrong "--keep-to: x would appear twice" --from a --to b --on tid --keep-to x --keep x
	wrong "--name: an empty name" --from a --to b --on tid --name ''
	wrong "--syscalls: the system calls of 'pdp11' are not known" --from a --to b --on tid --syscalls pdp11
	for key in unit type syscall lost omitted; do
		wrong "--keep: $key means something else" --from a --to b --on tid --keep $key
	done
	for key in --on --from --to; do
		wrong "--sched has its own --from, --to and --on" --sched $key tid
		wrong "--calls has its own --from, --to and --on" --calls $key tid
	done
	wrong "--from, --to and --on are needed, or --sched or --calls" --to a --on tid
}

@test "keys of --on that mean something else on a span are compared, but not copied" {
	stream <<-'EOF'
	sample 1 r . a 1 tid=1 start=0 unit=kb type=text lost=7 syscall=x omitted=y
	sample 2 r . b 1 tid=1 start=0 unit=kb type=int64 lost=7 syscall=x omitted=y
	sample 3 r . b 1 tid=1 start=0 unit=kb type=text lost=7 syscall=x omitted=y
	EOF
	want_status 0 afpair --from a --to b --on start,unit,type,tid,lost,syscall,omitted in
	want <<-'EOF'
	measure . r . latency . type=int64 unit=ns
	span 3 r . latency 2 start=1 tid=1 unit=ns type=int64
	EOF
}

@test "64 keys of each side, besides those that spans have anyway" {
	local keys extra
	keys=$(seq -s , -f k%g 64)
	event sample 1 f a 1 pid=1 tid=2 comm=c cpu=3 stack=f $(seq -f k%g=1 64) >in
	event sample 3 f b 1 $(seq -f k%g=1 64) >>in
	want_status 0 afpair --from a --to b --on "$keys" in
	[ "$(sed -n 's/^span.*	k64=1	//p' out)" = "pid=1	tid=2	comm=c	cpu=3	stack=f	unit=ns	type=int64" ]
	extra=$(seq -s , -f k%g 63)
	want_status 0 afpair --from a --to b --on k64 --keep "$extra" in
	[ "$(grep -c '^span.*	k63=1	pid=1	' out)" -eq 1 ]
	wrong "--on: more than 64 keys" --from a --to b --on "$keys,k65"
	# also if it is the same key each time
	keys=$(yes k1 | head -n 64 | paste -sd ,)
	want_status 0 afpair --from a --to b --on "$keys" in
	[ "$(sed -n 's/^span.*	k1=1	//p' out)" = "pid=1	tid=2	comm=c	cpu=3	stack=f	unit=ns	type=int64" ]
	wrong "--on: more than 64 keys" --from a --to b --on "$keys,k1"
	keys=$(seq -s , -f k%g 64)
	wrong "--keep: more than 64 keys" --from a --to b --on tid --keep "$keys"
	wrong "--keep-to: more than 64 keys" --from a --to b --on tid --keep-to "$keys"
}

@test "partial results and events of unknown kinds" {
	stream <<-'EOF'
	part 5 r f m . tid=1
	a_kind_with_a_long_name 5 r f a . tid=1
	a_kind_with_a_long_name 6 r f a . tid=1
	EOF
	want_status 1 afpair --from tid=1 --to tid=1 --on tid in
	said "afpair: in:2: the input has partial results; merge them with afagg first"
	want <<-'EOF'
	a_kind_with_a_long_name 5 r f a . tid=1
	a_kind_with_a_long_name 6 r f a . tid=1
	EOF
	# the first of two measures that may have been meant
	stream <<-'EOF'
	measure . r . a:a .
	measure . r . b:a .
	measure . r . xa .
	sample 5 r f q 1 tid=1
	EOF
	want_status 1 afpair --from a --to b --on tid in
	said "afpair: --from: no line has the measure 'a'; did you mean a:a?"
	grep -qx "afpair: --to: no line has the measure 'b'" err
}

@test "switches are those of threads only if they leave and come back" {
	stream <<-'EOF'
	sample 1 r f sched:sched_switch 1 tp.prev_pid=1 tp.next_pid=2
	sample 2 r f sched:sched_switch 1 tp.prev_pid=1 tp.next_pid=3
	EOF
	want_status 0 afpair --from tp.prev_pid=1 --to tp.next_pid=9 --on tp.prev_pid=tp.next_pid in
	said 'began again before they ended, so totals are too small (perf record sees who comes back only with -a, and not while it starts or ends): 1 of 2'
	want_status 0 afpair --from tp.prev_pid=1 --to tp.next_pid=9 --on tp.prev_pid=tp.other? in
	said 'began again before they ended, so totals are too small (see --loose): 1 of 2'
	want_status 0 afpair --from tp.prev_pid=1 --to tp.next_pid=9 --on tp.prev_pid in
	said 'began again before they ended, so totals are too small (see --loose): 1 of 2'
}

@test "--sched: from SWITCH records" {
	stream <<-'EOF'
	switch 1 r . . . pid=7 tid=7 comm=j cpu=0 dir=out preempt=1
	switch 2 r . . . pid=0 tid=0 comm=swapper cpu=0 dir=in
	switch 3 r . . . pid=0 tid=0 comm=swapper cpu=1 dir=out
	switch 9 r . . . pid=7 tid=7 comm=j cpu=1 dir=in
	EOF
	want_status 0 afpair --sched in
	silent
	grep '^span' out | tr '\t' ' ' >got
	echo "span 9 r . off-cpu 8 start=1 tid=7 preempt=1 pid=7 comm=j cpu=0 unit=ns type=int64" >want
	same want got
	want_status 0 afpair --sched --name x in
	spans <<<"9 r . x 8"
	# threads that only come, as at the beginning of a short recording
	grep dir=in in >come
	want_status 0 afpair --no-marks --sched come
	same - err <<-'EOF'
	afpair: --from: none of 2 lines was chosen (= compares the whole value, ~ finds a part of it)
	afpair: left out intervals that did not begin in the recording: 1
	EOF
}

# calls: a system call for each number that comes in, in a stream of a run whose run line has
# these tags; +1 is another number at the end.
calls() {
	{
		printf 'run 0 r . . .%s\n' "${1:+ $1}"
		awk '{ t += 10
			print "sample", t, "r", ".", "raw_syscalls:sys_enter", 1, "tid=1", "tp.id=" $1
			print "sample", t + 5, "r", ".", "raw_syscalls:sys_exit", 1, "tid=1", "tp.id=" $NF }'
	} | stream
}

# names ARGUMENT...: prints the names of the system calls.
names() {
	want_status 0 afpair --from raw_syscalls:sys_enter --to raw_syscalls:sys_exit --on tid "$@" in || return
	sed -n 's/^span.*	syscall=\([^	]*\).*/\1/p' out | paste -sd ' '
}

@test "names of system calls, by the architecture of the run" {
	printf '%s\n' 0 1 63 221 9999 >numbers
	calls arch=x86_64 <numbers
	[ "$(names)" = "read write uname fadvise64 9999" ]
	silent
	calls arch=aarch64 <numbers
	[ "$(names)" = "io_setup io_destroy read execve 9999" ]
	[ "$(names --syscalls x86_64)" = "read write uname fadvise64 9999" ]
	[ "$(names --syscalls none)" = "" ]
	calls arch=i686 <numbers
	[ "$(names)" = "restart_syscall exit dup2 fcntl64 9999" ]
	calls arch=armv7l <numbers
	[ "$(names)" = "restart_syscall exit dup2 fcntl64 9999" ]
	calls arch=riscv64 <numbers
	[ "$(names)" = "io_setup io_destroy read execve 9999" ]
	calls arch=pdp11 <numbers
	[ "$(names)" = "0 1 63 221 9999" ]
	said "afpair: intervals of a run whose system calls have no names here (see --syscalls): 5"
	calls <numbers
	[ "$(names)" = "0 1 63 221 9999" ]
	sed -i 's/raw_syscalls:sys_/other:/' in
	want_status 0 afpair --from other:enter --to other:exit --on tid in
	[ "$(grep -c syscall= out)" -eq 0 ]
	want_status 0 afpair --from other:enter --to other:exit --on tid --syscalls arm in
	grep -q 'syscall=restart_syscall' out
}

@test "system calls whose numbers have been left out: a note, as they cannot be told apart" {
	stream <<-'EOF'
	run 0 r . . . arch=x86_64 tags=tid
	sample 1 r f raw_syscalls:sys_enter 1 tid=1
	sample 2 r f raw_syscalls:sys_exit 1 tid=1
	sample 3 r f raw_syscalls:sys_enter 1 tid=1 tp.id=-1
	sample 4 r f raw_syscalls:sys_exit 1 tid=1 tp.id=-1
	sample 5 r f syscalls:sys_enter_read 1 tid=1
	sample 6 r f syscalls:sys_exit_read 1 tid=1
	EOF
	want_status 0 afpair --calls in
	echo "afpair: system calls without a number (tp.id), so they have no names, and the end of another call may end them: 1 of 3" >want
	same want err
	spans <<-'EOF'
	2 r f latency 1
	4 r f latency 1
	6 r f latency 1
	EOF
}

@test "the end of another system call does not end this one" {
	# exit_group, whose thread's id is used again; a return from a signal; a call
	printf '%s\n' '231 56' '15 -1' '0' | calls arch=x86_64
	[ "$(names)" = "rt_sigreturn read" ]
	echo "afpair: left out intervals that ended as another system call: 1 of 3" >want
	same want err
	ends "complete unpaired=1"
	# also if they are not to be named
	[ "$(names --syscalls none)" = "" ]
	same want err
	spans <<-'EOF'
	25 r . latency 5
	35 r . latency 5
	EOF
	# nor if nothing is known of them
	printf '%s\n' '231 56' '3' | calls
	[ "$(names)" = "3" ]
	same - err <<-'EOF'
	afpair: left out intervals that ended as another system call: 1 of 2
	afpair: intervals of a run whose system calls have no names here (see --syscalls): 1
	EOF
}

# On x86_64 the execve of a program of 32 bits begins as 59 and ends as 11, that of one of 64 bits in
# it begins as 11 and ends as 59, and execveat ends as execve.
@test "execve of a program whose calls have other numbers: an interval, and a note that names are wrong" {
	local id note="afpair: programs began whose system calls have other numbers (32-bit ones on a 64-bit kernel), so names of these are wrong (afsel chooses them, --syscalls i386 names them): 2"
	printf '%s\n' '59 11' 3 '322 11' '11 59' '322 59' '59 59' '358 59' 11 '9 11' '59 9' | calls arch=x86_64
	[ "$(names)" = "execve close execveat execve execveat execve execve munmap" ]
	printf '%s\n' "afpair: left out intervals that ended as another system call: 2 of 10" "$note" | same - err
	ends "complete unpaired=2"
	[ "$(names --syscalls none)" = "" ]
	same - err <<<"afpair: left out intervals that ended as another system call: 2 of 10"
	[ "$(grep -c ^span out)" -eq 8 ]
	# as the other program sees it
	[ "$(names --syscalls i386)" = "execve read execve execve oldolduname execveat execve" ]
	printf '%s\n' "afpair: left out intervals that ended as another system call: 3 of 10" "$note" | same - err
	# doubtful
	echo '59 11' | calls arch=x86_64
	want_status 1 afpair --calls --strict in
	same - err <<<"${note%2}1"
	# other architectures
	printf '%s\n' '221 11' 0 | calls arch=aarch64
	[ "$(names)" = "io_setup" ]
	same - err <<<"afpair: left out intervals that ended as another system call: 1 of 2"
	# the program of the recording, whose execve began before it; later it is the end of a munmap
	for id in 11 358 59 322; do
		stream <<-END
			run 0 r . . . arch=x86_64
			sample 5 r . raw_syscalls:sys_exit 1 tid=1 tp.id=$id
			sample 6 r . raw_syscalls:sys_exit 1 tid=2 tp.id=11
			sample 10 r . raw_syscalls:sys_enter 1 tid=1 tp.id=3
			sample 15 r . raw_syscalls:sys_exit 1 tid=1 tp.id=3
		END
		[ "$(names)" = close ]
		echo "afpair: left out intervals that did not begin in the recording: 2" >want
		[ "$id" = 59 ] || [ "$id" = 322 ] || echo "${note%2}1" >>want
		same want err
	done
}

@test "the names are those of the kernel's headers" {
	need awk "${CC:-cc}"
	local arch dir compared=0
	while read -r arch dir; do
		[ -e "$dir/asm/unistd.h" ] || continue
		bash "$ROOT/contrib/syscalls" numbers "$arch" "$dir" >table
		[ "$(wc -l <table)" -gt 250 ]
		cut -d ' ' -f 1 table | calls "arch=$arch"
		names | tr ' ' '\n' >got
		# of a later kernel, some numbers have no names here
		paste -d ' ' table got | awk '$2 != $3 && !($3 == $1 && $1 > 450)' >differ
		[ ! -s differ ] || fail "$arch: $(head -n 3 differ)"
		compared=$((compared + 1))
	done <<-EOF
	x86_64 /usr/include/x86_64-linux-gnu
	i386 /usr/include/x86_64-linux-gnu
	aarch64 /usr/include/aarch64-linux-gnu
	aarch64 /usr/aarch64-linux-gnu/include
	arm /usr/arm-linux-gnueabihf/include
	riscv64 /usr/riscv64-linux-gnu/include
	EOF
	[ "$compared" -gt 0 ] || skip "the kernel's headers are elsewhere"
}

@test "memory is for open intervals, and for keys" {
	pairs() {
		awk -v n="$1" -v keys="$2" 'BEGIN {
			OFS = "\t"
			for (i = 0; i < n; i++) {
				print "sample", i, "r", ".", "a", 1, "tid=" i % keys
				print "sample", i, "r", ".", "b", 1, "tid=" i % keys
			}
		}'
	}
	pairs 200000 100 >in
	want_status 0 afpair --max-memory 2M --from a --to b --on tid in
	silent
	[ "$(grep -c ^span out)" -eq 200000 ]
	pairs 100000 100000 >in
	want_status 0 afpair --max-memory 8M --from a --to b --on tid in
	silent
	grep '	a	' in >open
	want_status 1 afpair --max-memory 4M --from a --to b --on 'tid=tid?' open
	said "memory"
	[ "$(wc -l <err)" -eq 1 ] # nothing is said of the lines so far, as if they were all
}

@test "a long text is not kept in the memory of an interval that has ended" {
	# each round has one long interval, in memory that a short one had in the round before
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 30000; i++)
			long = long "xxxxxxxxxx"
		for (i = 0; i < 30; i++) {
			print "sample", i, "r", ".", "a", 1, "tid=0", "stack=" long
			for (k = 1; k < 30; k++)
				print "sample", i, "r", ".", "a", 1, "tid=" k
			for (k = 30; k > 0; k--)
				print "sample", i, "r", ".", "b", 1, "tid=" k % 30
		}
	}' >in
	want_status 0 afpair --no-marks --max-memory 3M --from a --to b --on tid in
	silent
	[ "$(grep -c ^span out)" -eq 900 ]
}

@test "a second end is one inside the recording, whichever of many intervals it is" {
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 400; i++) {
			print "sample", i, "r", ".", "a", 1, "tid=" i
			print "sample", i, "r", ".", "b", 1, "tid=" i
		}
		for (; i < 900; i++)
			print "sample", i, "r", ".", "b", 1, "tid=" i - 400
	}' >in
	want_status 0 afpair --no-marks --from a --to b --on tid in
	cat >want <<-'EOF'
	afpair: left out intervals that did not begin in the recording: 100
	afpair: left out ends of intervals that had not begun, so totals are too small (see --loose): 400 of 900
	EOF
	same want err
	[ "$(grep -c ^span out)" -eq 400 ]
}

# bats test_tags=slow
@test "a thread of one run is never taken for one that another run has had" {
	# XXH3 of short texts is of (text xor seed), so these are where one with the run's number in
	# the seed has the same hash for 1, 2 or 3 bits that differ: for most seeds there is one
	local a b
	{
		event sample 10 f a 1 tid=123aa67
		event sample 11 f b 1 tid=123aa67
		# shellcheck disable=SC2034 # event uses it
		for run in {1..8}; do
			event run 10 . . .
		done
		for a in e m '}'; do
			for b in e m '}'; do
				run=4 event sample 10 f b 1 "tid=123$a${b}67"
			done
		done
		for a in i y Y; do
			for b in i y Y; do
				run=8 event sample 10 f b 1 "tid=123$a${b}67"
			done
		done
	} >in
	for _ in {1..5}; do
		want_status 0 afpair --no-marks --from a --to b --on tid in
		echo "afpair: left out intervals that did not begin in the recording: 18" | same - err
		ends complete
	done
}

@test "an end without a beginning is one inside the recording if more keys have begun than it remembers" {
	awk 'BEGIN {
		OFS = "\t"
		for (i = 1; i <= 1048576; i++) {
			if (i == 1048576)
				print "sample", i, "r", ".", "b", 1, "tid=before"
			print "sample", i, "r", ".", "a", 1, "tid=" i
			print "sample", i, "r", ".", "b", 1, "tid=" i
		}
		print "sample", i, "r", ".", "b", 1, "tid=after"
		print "sample", i, "r", ".", "a", 1, "tid=new"
		print "sample", i, "r", ".", "b", 1, "tid=new"
	}' >in
	want_status 0 afpair --no-marks --max-memory 32M --from a --to b --on tid in
	cat >want <<-'EOF'
	afpair: left out intervals that did not begin in the recording: 1
	afpair: left out ends of intervals that had not begun, so totals are too small (see --loose): 1 of 1048579
	EOF
	same want err
	[ "$(grep -c ^span out)" -eq 1048577 ]
}

@test "memory that runs out, at each of its allocations" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	# both tables grow twice, and the texts of intervals and settings more than once
	awk 'BEGIN {
		OFS = "\t"
		long = sprintf("%5000s", "")
		gsub(/ /, "x", long)
		for (i = 0; i < 70; i++)
			print "sample", i, "r" i % 3, "f", "a", 1, "tid=" i, "k=" (i % 9 ? i : long)
		for (i = 0; i < 70; i++)
			print "sample", 99, "r" i % 3, "f", "b", 1, "tid=" i, "q=" (i % 9 ? i : long)
	}' >in
	AFPIPE_SLOW=yes starves 100 afpair --no-marks --from a --to b --on tid,k=q --keep x?,y? --keep-to z? --name m in
	[ "$(grep -c ^span whole)" -eq 70 ]
	# an event that ends one interval and begins another one: if its end fails, that is not forgotten
	printf 'sample\t1\tr\t.\ts\t1\ttid=1\tq=%03000d\n' 2 >in
	AFPIPE_SLOW=yes starves 10 afpair --no-marks --from s --to s --on tid=q in
}

@test "tracepoints of which one in several was recorded are noted" {
	stream <<-'END'
		sample 10 r f s:in 1 tid=1
		sample 20 r f s:out 36 tid=1
		sample 30 r f s:in 2 tid=1
		sample 40 r f s:out . tid=1
		sample 50 r f other:x 5 tid=1
	END
	want_status 0 afpair --from s:in --to s:out --on tid in
	said "afpair: 2 of 4 events stand for several (perf record -F or -c): the others were not recorded, and intervals skip them"
	[ "$(wc -l <err)" -eq 1 ]
	# a number of events is above 1
	sed -i 's/36/0/; s/in	2/in	1/' in
	want_status 0 afpair --from s:in --to s:out --on tid in
	silent
	# the values of these are times, and those of other measures are their own
	stream <<-'END'
		sample 10 r f sched:sched_stat_wait 700 tid=1
		sample 20 r f memory 36 tid=1
		span 30 r f s:in 7 start=1 tid=1
		sample 40 r f memory 2 tid=1
	END
	want_status 0 afpair --from 'value>100 || kind=span' --to measure=memory --on tid in
	[ ! -s err ] || fail "$(cat err)"
}

@test "random streams are as a judge has them" {
	need python3
	want_status 0 python3 "$ROOT/t/tools/pairjudge.py" random "${RANDOM}" 150
	grep -qE '^[1-9][0-9]* spans$' out || fail "$(cat out)"
}

@test "recorded system calls: count, sum, min, mean and max are those of perf trace -s" {
	need perf python3
	# shellcheck disable=SC2016 # the inner shell expands it
	perf trace record -o r.data sh -c 'i=0; while [ $i -lt 30 ]; do cat /dev/null; sleep 0.001; i=$((i + 1)); done' >perf.log 2>&1 ||
		skip "perf may not record tracepoints here"
	perf trace -i r.data -s >/dev/null 2>summary
	perfdec --no-symbols r.data >stream.af
	want_status 0 afpair --from raw_syscalls:sys_enter --to raw_syscalls:sys_exit --on tid stream.af
	cp out spans.af
	[ "$(grep -c '	lost=' spans.af)" -eq 0 ] || skip "events were lost"
	want_status 0 afagg --kind span --by tid,syscall --stat count,sum,min,max spans.af
	awk -F '\t' '$1 == "agg" { sub(/tid=/, "", $7); sub(/syscall=/, "", $8); v[$7 " " $8] = v[$7 " " $8] " " $6 }
		END { for (k in v) print k v[k] }' out >table
	[ "$(wc -l <table)" -gt 30 ]
	want_status 0 python3 "$ROOT/t/tools/pairjudge.py" syscalls summary table
	grep -qE '^[1-9][0-9]+ rows' out
	sed -i '1s/ \([0-9]*\) \([0-9]*\)$/ \1 9\2/' table
	want_status 1 python3 "$ROOT/t/tools/pairjudge.py" syscalls summary table
}

# bats test_tags=slow,sanitize
@test "recorded switches: the waits are those of perf sched timehist" {
	need perf python3
	perf sched record -o s.data sh -c 'for i in 1 2 3 4 5 6; do sleep 0.005; cat /dev/null; done' >perf.log 2>&1 ||
		skip "perf may not record tracepoints here"
	perf sched timehist -i s.data >waits 2>waits.err || fail "$(cat waits.err)"
	perfdec --no-symbols s.data >stream.af
	want_status 0 afpair --from 'measure=sched:sched_switch && tp.prev_pid!=0' \
		--to 'measure=sched:sched_switch && tp.next_pid!=0' --on tp.prev_pid=tp.next_pid stream.af
	[ "$(grep -c '	lost=' out)" -eq 0 ] || skip "events were lost"
	afcut --kind span tp.prev_pid,time,value out >spans 2>/dev/null
	afsel --where 'measure=sched:sched_switch' stream.af | afcut --kind sample tp.next_pid,time >switches
	want_status 0 python3 "$ROOT/t/tools/pairjudge.py" sched waits spans switches
	grep -qE '^[1-9][0-9]* waits' out || fail "$(cat out)"
	# the SWITCH records of the same kind of workload
	perf record -q --switch-events -e dummy -o w.data sh -c 'for i in 1 2 3; do sleep 0.01; done' >perf.log 2>&1 ||
		skip "no SWITCH records here"
	want_status 0 sh -c 'perfdec --all --no-symbols w.data | afpair --sched'
	sed -n 's/^span.*	off-cpu	\([0-9]*\)	.*comm=sleep.*/\1/p' out | awk '$1 > 9000000' >long
	[ "$(wc -l <long)" -ge 3 ]
}

@test "--calls: system calls pair by thread and call, from either kind of tracepoint" {
	local arch
	stream <<-'EOF'
	run 5 r . . . unit=ns arch=x86_64
	sample 10 r f syscalls:sys_enter_read 1 tid=1 tp.fd=3
	sample 11 r f syscalls:sys_enter_write 1 tid=2
	sample 15 r f syscalls:sys_exit_read 1 tid=1 tp.ret=7
	sample 20 r f syscalls:sys_exit_write 1 tid=2
	sample 25 r f cpu-clock 1 tid=2
	sample 30 r f syscalls:sys_enter_read 1 tid=1
	sample 35 r f syscalls:sys_exit_openat 1 tid=1
	sample 40 r f syscalls:sys_enter_close 1 tid=1
	sample 44 r f syscalls:sys_exit_close 1 tid=1
	EOF
	want_status 0 afpair --calls in
	spans <<-'EOF'
	15 r f latency 5
	20 r f latency 9
	44 r f latency 4
	EOF
	sed -n 's/^span.*	\(syscall=[^	]*\).*/\1/p' out | tr '\n' ' ' >got
	echo -n 'syscall=read syscall=write syscall=close ' >want
	same want got
	ends 'complete unpaired=1'
	grep -q '	tid=2	syscall=write	unit=ns	type=int64$' out
	# named by the option, too, and with other options
	want_status 0 afpair --calls --name call --keep 'tp.fd?' --keep-to 'tp.ret?' in
	grep -q '^span	15	r	f	call	5	start=10	tp.fd=3	tid=1	tp.ret=7	syscall=read	' out
	# other pairs of these events are the user's business
	want_status 0 afpair --from syscalls:sys_enter_read --to syscalls:sys_exit_openat --on tid in
	grep -q '^span	35	r	.*	syscall=read	' out
	# names have no influence on what pairs
	for arch in none i386; do
		want_status 0 afpair --calls --syscalls $arch in
		spans <<-'EOF'
		15 r f latency 5
		20 r f latency 9
		44 r f latency 4
		EOF
		echo "afpair: left out intervals that ended as another system call: 1 of 4" >want
		same want err
		[ "$(grep -c '^span.*	syscall=[rwc]' out)" -eq "$([ $arch = none ] && echo 0 || echo 3)" ]
	done
	# raw_syscalls: the same as with --from, --to and --on
	printf '0\n1\n2 3\n0\n' | calls arch=x86_64
	want_status 0 afpair --from raw_syscalls:sys_enter --to raw_syscalls:sys_exit --on tid in
	mv out long
	want_status 0 afpair --calls in
	same long out
	# none at all
	stream <<<'sample 1 r f cpu-clock 1 tid=1'
	want_status 1 afpair --calls in
	echo "afpair: --calls: no line is a system call: perf trace record, or perf record -e 'syscalls:*'" >want
	same want err
	wrong '--calls has its own --from, --to and --on' --calls --on tid
	want_status 2 afpair --calls --sched
}

@test "each of --from, --to and --on is needed" {
	local options
	for options in '--to b --on tid' '--from a --on tid' '--from a --to b' '--from a'; do
		# shellcheck disable=SC2086 # words
		want_status 2 afpair $options /dev/null
		said 'afpair: --from, --to and --on are needed, or --sched or --calls'
	done
}
