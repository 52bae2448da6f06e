# SPDX-License-Identifier: ISC
# foldenc.bats - folded stacks of a stream.

load lib
load perun

# folded LINE...: these are its lines.
folded() {
	[ $# -eq 0 ] || printf '%s\n' "$@" >want
	[ $# -ne 0 ] || : >want
	same want out
}

# bats test_tags=quick
@test "stacks are merged, added up and sorted" {
	{
		event sample 1 c cycles 5 comm=job 'stack=main;b;c'
		event sample 1 a cycles 1 comm=job 'stack=main;a'
		event sample 1 c cycles 7 comm=job 'stack=main;b;c'
		event sample 1 main cycles 2 comm=job 'stack=main'
		event sample 1 a cycles 3 comm=other 'stack=main;a'
		event span 1 a cycles 4 start=0 'stack=main;a'
		event sample 1 idle cycles 6
		event sample 1 . cycles 8
	} >in
	want_status 0 foldenc in
	silent
	folded '[unknown] 8' 'idle 6' 'job;main 2' 'job;main;a 1' 'job;main;b;c 12' 'main;a 4' 'other;main;a 3'
	want_status 0 foldenc --root . in
	folded '[unknown] 8' 'idle 6' 'main 2' 'main;a 8' 'main;b;c 12'
	want_status 1 foldenc --root measure,kind,comm,none in
	said "no line has 'none', a key of --root"
	want_status 0 foldenc --root measure,kind,comm in
	grep -qx 'cycles;sample;job;main;b;c 12' out
	grep -qx 'cycles;span;main;a 4' out
	want_status 0 foldenc --count in
	grep -qx 'job;main;b;c 2' out
	# tags that are read anyway, and a key that is given twice
	{
		event sample 1 c time 5 comm=job unit=ns 'stack=main;c' type=int64
		event sample 1 c time 6 comm=job unit=ns 'stack=main;c'
	} >in
	want_status 0 foldenc --root unit,comm,type,comm in
	folded 'ns;job;int64;job;main;c 5' 'ns;job;job;main;c 6'
}

@test "--root pcomm: the name of the process, for its first thread, too" {
	{
		event sample 1 f m 1 pid=7 tid=7 comm=job stack=main
		event sample 1 f m 2 pid=7 tid=8 comm=worker pcomm=job stack=start
		event sample 1 f m 4 pid=7 tid=9 comm=other stack=main
		event sample 1 f m 8 comm=job stack=main
		event sample 1 f m 16 pid=7 tid=7 comm=job pcomm=was stack=main
		event sample 1 f m 32 pid=7 tid=7 comm=. stack=main
	} >in
	want_status 0 foldenc --root pcomm in
	silent
	folded 'job;main 1' 'job;start 2' 'main 44' 'was;main 16'
	want_status 0 foldenc --root pcomm,comm in
	folded 'job;job;main 1' 'job;main 8' 'job;worker;start 2' 'main 32' 'other;main 4' 'was;job;main 16'
	want_status 0 flameenc --root pcomm --svg in
	[ "$(grep -c '<title>job, 3' out)" -eq 1 ]
	# nobody says which process it is
	event sample 1 f m 1 comm=job pid=7 stack=main >in
	want_status 1 foldenc --root pcomm in
	said "foldenc: no line has 'pcomm', a key of --root"
}

@test "what flamegraph.pl would misread is spelled so that it cannot" {
	need python3
	{
		event sample 1 x e 1 'stack=a\x3bb;c d;\\;.;\.'
		event sample 1 x e 2 'stack=f 7'
		event sample 1 x e 3 'stack=f 7.5'
		event sample 1 x e 4 'stack=f 7.5.1'
		event sample 1 x e 5 'stack=f 7;g'
		event sample 1 x e 6 'stack=7'
		event sample 1 x e 7 'stack=a\n1'
		event sample 1 x e 8 'stack=f .5'
		event sample 1 'r;s 1' e 9
		event sample 1 x e 10 'comm=a;b 3' 'stack=8'
	} >in
	want_status 0 foldenc in
	cat >want <<-'END'
		7 6
		a\n1 7
		a\x3bb 3;8 10
		a\x3bb;c d;\\;[unknown];\. 1
		f .5 8
		f 7.5.1 4
		f 7;g 5
		f\x207 2
		f\x207.5 3
		r\x3bs\x201 9
	END
	same want out
	cp out written
	# its own rules: a stack and a weight, no second weight
	want_status 0 python3 -c '
import re, sys
line = re.compile(r"^(.*)\s+?(\d+(?:\.\d*)?)$")
total = 0
for text in open("written", newline="\n"):
    m = line.match(text.rstrip("\n"))
    assert m and not line.match(m.group(1)), text
    total += float(m.group(2))
assert total == 55, total'
}

@test "weights are exact, in plain digits" {
	{
		event sample 1 a e 340282366920938463463374607431768211455
		event sample 1 a e 1
		event sample 1 b e 0.1
		event sample 1 b e 0.2
		event sample 1 c e 1e22
		event sample 1 d e 1.5e-7
		event sample 1 e e -3
		event sample 1 e e 3
		event sample 1 f e 2.50
		event sample 1 g e 5e-324
		event sample 1 h e 1e15
		event sample 1 i e -0
		event sample 1 j e 1e-300
		event sample 1 k e 2e-5
		event sample 1 l e 1e100
		event sample 1 m e 3e20
	} >in
	want_status 0 foldenc in
	silent
	head -n 6 out >first
	cat >want <<-END
		a 340282366920938463463374607431768211456
		b 0.30000000000000004
		c 10000000000000000000000
		d 0.00000015
		e 0
		f 2.5
	END
	same want first
	grep -qxE 'g 0\.0{323}5' out
	grep -qx 'h 1000000000000000' out
	grep -qx 'i 0' out
	grep -qxE 'j 0\.0{299}1' out
	grep -qx 'k 0.00002' out
	grep -qxE 'l 10{100}' out
	grep -qx 'm 300000000000000000000' out
	[ "$(wc -l <out)" -eq 13 ]
}

@test "what has no weight is counted, not dropped in silence" {
	{
		event sample 1 a e text type=text
		event sample 1 a e .
		event sample 1 b e -1
		event sample 1 c e inf
		event sample 1 d e nan
		event sample 1 e e 1 omitted=stack
		event pause 1 . . .
		event lost 1 . . 3 why=lost
		event start 1 a . .
		event run 1 . . . app=test
	} >in
	want_status 0 foldenc in
	folded 'e 1'
	said 'left out lines of other kinds (see --kind): 1 pause, 1 lost'
	said 'left out start and stop lines: 1; afdur turns them into spans'
	said 'left out lines whose value is not a number: 2'
	said 'left out stacks whose sum is negative or not a number: 3'
	said 'lines without room for their stack, folded by region alone: 1'
	said 'the source lost events: the weights are too small'
	event sample 1 a e 1x >in
	want_status 1 foldenc in
	said 'foldenc: in:1: value "1x" is not a number'
	event sample 1 a e 340282366920938463463374607431768211456 >in
	want_status 1 foldenc in
	said 'foldenc: in:1: value '
}

@test "partial results are refused" {
	event sample 1 a cycles 1 stack=a >events
	afagg --by stack --partial events >in
	for option in "" "--kind part" "--kind part --count"; do
		# shellcheck disable=SC2086 # options are words
		want_status 1 foldenc $option in
		said "foldenc: in: the input has partial results; merge them with afagg first"
		[ "$(wc -l <err)" -eq 1 ]
		folded
	done
}

@test "groups that overlap are refused, and sums of different things are not added up" {
	{
		event sample 1 a cycles 1 'stack=main;a'
		event sample 1 b cycles 2 'stack=main;b'
	} >events
	afagg --by frame events >in
	want_status 1 foldenc in
	said "foldenc: in: the groups overlap (total=), so they cannot be added up"
	[ "$(grep -c overlap err)" -eq 1 ]
	folded
	{
		event agg 1 a cycles 5 stat=sum stack=a of=sum
		event agg 1 a cycles 3 stat=sum stack=a of=count
		event agg 1 a cycles 4 stat=sum stack=a of=sum
	} >in
	want_status 0 foldenc --root . in
	said 'left out lines of other measures (see --measure, --add-measures): 1, cycles of count; the first one was used: cycles'
	folded 'a 9'
	want_status 0 foldenc --root . --add-measures in
	said 'left out lines of other statistics: 1'
	folded 'a 9'
}

@test "sums are preferred to sums of counts, which come before them" {
	local option
	{
		event measure . . cycles . unit=ns
		event agg 1 a cycles 3 stat=sum stack=a of=count unit=.
		event agg 1 a cycles 5 stat=sum stack=a of=sum
		event agg 1 a loads 7 stat=sum stack=a of=sum
	} >in
	want_status 0 foldenc in
	said 'left out lines of other measures (see --measure, --add-measures): 2, cycles of count;loads; used, although it is not the first one: cycles [ns]'
	folded 'a 5'
	want_status 0 foldenc --measure cycles in
	said 'left out lines of other measures (see --measure, --add-measures): 2, cycles of count;loads'
	folded 'a 5'
	# with a weight or an inner statistic, and of a tag
	for option in 'count*n' 'count(max)' rate; do
		{
			event agg 1 a cycles 3 stat=sum stack=a "of=$option"
			event agg 1 a cycles 5 stat=sum stack=a of=n
		} >in
		want_status 0 foldenc in
		said "left out lines of other measures (see --measure, --add-measures): 1, cycles of $option; used, although it is not the first one: cycles of n"
		folded 'a 5'
	done
}

@test "the first measure counts, unless another is asked for" {
	{
		event sample 1 a 'cpu\\clock' 1
		event sample 1 a faults 10
		event sample 1 a 'cpu\\clock' 2
		event sample 1 a loads 100
	} >in
	want_status 0 foldenc in
	folded 'a 3'
	said 'left out lines of other measures (see --measure, --add-measures): 2, faults;loads; the first one was used: cpu\\clock'
	want_status 0 foldenc --measure 'cpu\clock' in
	folded 'a 3'
	want_status 0 foldenc --measure faults in
	folded 'a 10'
	want_status 0 foldenc --add-measures in
	silent
	folded 'a 113'
	want_status 1 foldenc --measure none in
	folded
}

@test "the first measure is the first one that the source lists, not that of the first sample" {
	{
		event measure . . inclusive .
		event measure . . cycles . unit=c
		event measure . . instructions .
		event sample 1 a instructions 10 stack=a
		event sample 2 b cycles 5 stack='a;b'
		event sample 3 a faults 1 stack=a
		event sample 4 b instructions 11 stack='a;b'
	} >in
	want_status 0 foldenc in
	folded 'a;b 5'
	echo 'foldenc: left out lines of other measures (see --measure, --add-measures): 3, instructions;faults; the first one was used: cycles [c]' | same - err
	# whichever sample comes first
	{ grep '^measure' in && grep '^sample' in | sort -r; } >turned
	want_status 0 foldenc turned
	folded 'a;b 5'
	# without samples it does not count
	grep -v '	cycles	5' in >without
	want_status 0 foldenc without
	folded 'a 10' 'a;b 11'
	said '; the first one was used: instructions'
	# self is preferred to both
	event span 9 a self 7 start=2 stack=a >>in
	want_status 0 foldenc in
	folded 'a 7'
	said '; used, although it is not the first one: self'
}

@test "self is used if there is such a measure, even if others come first" {
	{
		event sample 1 a mem 4096
		event sample 2 b mem 8192 stack='a;b'
		event span 3 b latency 7 start=2
		event span 3 b inclusive 20 start=2 stack='a;b' unit=ns
		event span 3 b self 20 start=2 stack='a;b' unit=ns
		event sample 4 a mem 100
		event span 4 a self 30 start=1 stack=a unit=ns
	} >in
	want_status 0 foldenc in
	folded 'a 30' 'a;b 20'
	echo 'foldenc: left out lines of other measures (see --measure, --add-measures): 5, latency;inclusive [ns];mem; used, although it is not the first one: self [ns]' >want
	same want err
	want_status 0 foldenc --measure mem in
	folded 'a 4196' 'a;b 8192'
	want_status 0 foldenc --count in
	folded 'a 1' 'a;b 1'
	# of aggregates, whose counts come before the sums
	afagg --by stack in >agg
	want_status 0 foldenc agg
	folded 'a 30' 'a;b 20'
	said '; used, although it is not the first one: self [ns]'
	# without a value that can be used it is no better
	sed 's/	self	[0-9]*/	self	x	type=text/' in >text
	want_status 0 foldenc text
	folded 'a 4196' 'a;b 8192'
	grep -v '	mem	\|	latency	' in >alone
	want_status 0 foldenc alone
	folded 'a 30' 'a;b 20'
	said 'left out lines of other measures (see --measure, --add-measures): 1, inclusive [ns]'
}

@test "a measure whose values contain each other, asked for by name, is a note" {
	printf 'span\t9\tr\t%s\t%s\t8\tstart=1\tstack=%s\n' a inclusive a b inclusive 'a;b' a self a >in
	want_status 0 foldenc --no-marks --measure inclusive in
	said "values of this measure contain each other, so they count several times in sums and widths"
	want_status 0 foldenc --no-marks --measure self in
	[ "$(grep -c 'contain each other' err)" -eq 0 ]
}

@test "values of whole regions are left out, unless their measure is asked for" {
	printf 'measure\t.\tr\t.\tcpu\t.\tunit=ns\n' >in
	printf 'span\t9\tr\t%s\tcpu\t%s\tscope=%s\tstart=1\n' . 105 run main 100 region parse 40 region >>in
	want_status 1 foldenc --no-marks in
	same out /dev/null
	said 'foldenc: there is nothing to write: all lines were left out'
	said 'foldenc: left out values of a whole run, region or section, which contain those of the regions inside (see --measure): 3'
	want_status 0 foldenc --no-marks --measure cpu in
	folded '[unknown] 105' 'main 100' 'parse 40'
	said 'foldenc: values of this measure contain each other, so they count several times in sums and widths'
	# samples of the same measure are used alone
	event sample 1 f cpu 7 >>in
	want_status 0 foldenc --no-marks in
	folded 'f 7'
}

@test "a measure in another unit is another measure" {
	{
		event sample 1 f t 1 unit=s
		event sample 1 f t 7 unit=ms
		event sample 1 f t 2 unit=s
		event sample 1 f t 4
	} >in
	want_status 0 foldenc in
	folded 'f 3'
	said 'left out lines of other measures (see --measure, --add-measures): 2, t [ms];t; the first one was used: t [s]'
	want_status 0 foldenc --count in
	folded 'f 2'
	want_status 0 sh -c 'sed 1d in | foldenc --measure t'
	folded 'f 7'
	said 'left out lines of other measures (see --measure, --add-measures): 2, t [s];t'
	want_status 0 sh -c 'afagg --by region --stat sum in | grep -v "unit=ms" | foldenc --no-marks --measure t'
	said '1, t'
	want_status 0 sh -c 'afagg --by region --stat sum,count in | foldenc'
	said 'left out lines of other measures (see --measure, --add-measures): 4, '
	[ "$(wc -l <out)" -eq 1 ]
	# what is added up all the same is said
	want_status 0 foldenc --add-measures in
	folded 'f 14'
	said 'foldenc: added up values of different units (see --measure): s;ms;none'
	want_status 0 foldenc --add-measures --count in
	silent
	folded 'f 4'
}

@test "the unit is that of the measure line where a line has none" {
	{
		printf 'measure\t.\t0x1\t.\tt\t.\tunit=s\n'
		printf 'measure\t.\t0x2\t.\tt\t.\tunit=ms\n'
		event sample 1 f t 1
		event sample 1 f t 2 unit=s
		event sample 1 f t 7 | sed 's/0x1/0x2/'
		event sample 1 f t 5 unit=ms
	} >in
	want_status 0 foldenc in
	folded 'f 3'
	said 'left out lines of other measures (see --measure, --add-measures): 2, t [ms]'
	want_status 0 sh -c 'sed "s/=ms/=s/" in | foldenc'
	silent
	folded 'f 15'
	{
		cat in
		printf 'measure\t.\t0x1\t.\tt\t.\tunit=ms\n'
		event sample 1 f t 9
	} >again
	want_status 0 foldenc again
	folded 'f 3'
	said '(see --measure, --add-measures): 3, t [ms]'
}

@test "a resource that is too large for a line is said to be left out" {
	{
		printf '{"snapshots":[{"resources":[{"uid":"a","amount":1,"x":"'
		head -c 1200000 /dev/zero | tr '\0' y
		printf '"},{"uid":"b","amount":2}]}]}'
	} >profile
	perundec profile >stream
	want_status 0 foldenc stream
	folded 'b 2'
	said 'foldenc: left out resources larger than 1 MiB: 1 (see perunquery)'
}

@test "time is not counted once more for each frame around it" {
	printf 'start\t0\t1\ta\t.\t.\nstart\t5\t1\tb\t.\t.\nstop\t7\t1\tb\t.\t.\nstop\t10\t1\ta\t.\t.\n' >in
	want_status 0 sh -c 'afdur in | foldenc'
	folded 'a 8' 'a;b 2'
	said 'inclusive'
	want_status 0 sh -c 'afdur in | foldenc --measure inclusive'
	folded 'a 10' 'a;b 2'
}

@test "aggregates: their sums, or their counts" {
	{
		event sample 1 a e 1 comm=job 'stack=main;a'
		event sample 1 b e 2 comm=job 'stack=main;b'
		event sample 1 a e 4 comm=job 'stack=main;a'
	} >in
	afagg --by comm,stack in >agg
	want_status 0 foldenc agg
	silent
	folded 'job;main;a 5' 'job;main;b 2'
	want_status 0 foldenc --count agg
	silent
	folded 'job;main;a 2' 'job;main;b 1'
	# what was asked for, and is left out, is counted; and all of it where nothing else is there
	afagg --by comm,stack --stat count,sum,max in >three
	want_status 0 foldenc three
	said 'left out lines of other statistics: 2'
	folded 'job;main;a 5' 'job;main;b 2'
	afagg --by comm,stack --stat count in >counts
	want_status 1 foldenc counts
	said 'foldenc: there is nothing to write: all lines were left out'
	said 'left out lines of other statistics: 2'
	[ ! -s out ]
	{
		event agg 1 a e 5 stat=sum stack=a
		event agg 1 a f 5 stat=count stack=a
		event agg 1 b e 5 stat=count stack=b
		event agg 1 c e 5 stat=count stack=c
	} >other
	want_status 0 foldenc --root . --add-measures other
	said 'left out lines of other statistics: 3'
	want_status 0 sh -c 'afagg --by region in | foldenc'
	folded 'a 5' 'b 2'
	# events and aggregates of them are not added up
	cat in agg >both
	want_status 0 foldenc --no-marks both
	folded 'job;main;a 5' 'job;main;b 2'
	want_status 0 foldenc --kind agg both
	folded 'job;main;a 5' 'job;main;b 2'
}

@test "a Perun profile: the trace, root first" {
	cat >profile <<-'END'
		{"snapshots":[{"resources":[
		{"type":"memory","subtype":"malloc","amount":4,"uid":"u","trace":[{"function":"malloc"},{"function":"f;"},{"function":"main"}]},
		{"type":"memory","subtype":"malloc","amount":1,"uid":"u","trace":[{"func":"main"},{"func":"f"}]},
		{"type":"memory","subtype":"malloc","amount":2,"uid":"u","trace":[{"function":{"a":1}},"x",{},7]},
		{"type":"memory","subtype":"malloc","amount":3,"uid":"v","trace":[]},
		{"type":"memory","subtype":"free","amount":0,"uid":"v","trace":[]}]}]}
	END
	want_status 0 sh -c 'perundec profile | foldenc'
	folded "[unknown];[unknown];x;{'a': 1} 2" 'main;f;u 1' 'main;f\x3b;malloc 4' 'v 3'
	said 'memory.free'
	# in a map of resources the trace is among what the resources of a type have in common
	cat >profile <<-'END'
		{"resources":{"f:1#0":{"amount":[4,5],"uid":["u","v"]},"g":{"amount":[7]}},
		"resource_type_map":{"f:1#0":{"type":"memory","subtype":"malloc","trace":[{"func":"main"}]},
		"g":{"type":"memory","subtype":"malloc","uid":"g","trace":[{"func":"main"},{"func":"f"}]}}}
	END
	want_status 0 sh -c 'perundec profile | foldenc'
	folded 'main;f;g 7' 'main;u 4' 'main;v 5'
}

@test "only a stack that was left out is reported as too long" {
	printf 'sample\t.\t.\tf\tm\t1\tomitted=%s\n' p 'p;stack' comm >in
	want_status 0 foldenc --no-marks in
	folded 'f 3'
	said 'folded by region alone: 1'
}

@test "what has moved to perunquery" {
	want_status 2 foldenc --perun
	said "foldenc: --perun is now 'perunquery flame'"
	want_status 2 foldenc --perun --add-measures
	said "foldenc: --perun is now 'perunquery flame'"
	want_status 2 foldenc --compat
	said "foldenc: --compat is now 'perunquery --compat flame'"
}

@test "options that do not go together" {
	want_status 2 foldenc --add-measures --measure a
	want_status 2 foldenc --measure a --measure b
	said 'foldenc: --measure is given twice'
	want_status 2 foldenc --root a,,b
	said 'foldenc: --root: empty word in a list: no blanks around commas'
	want_status 2 foldenc --root a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q
}

# profile NAME FACTOR FROM: samples of some stacks, with odd names, as the stream NAME.
profile() {
	local i
	{
		for i in 1 2 3 4 5 6 7 8 9; do
			event sample 1 f cycles $((i * $2 + 3002399751000000)) comm=job "stack=main;f$((i % 4 + $3))"
			event sample 1 'g 1' cycles $((i * $2)) 'comm=a job' 'stack=main;a\x3bb;g 1'
		done
		event measure 1 . cycles . unit=n
	} >"$1"
}

@test "changes: the weights of each stack before and after, as the two sides have them" {
	profile a 10 0
	profile b 13 2
	local f
	for f in a b; do
		afagg --by stack,comm --stat sum,count $f >$f.agg
		foldenc $f.agg 2>/dev/null >$f.folded
	done
	want_status 0 afdiff a.agg b.agg
	cp out changes
	want_status 0 foldenc changes
	silent
	awk '{
		n = $NF
		sub(/ [0-9]+$/, "")
		stack[$0] = 1
		if (FILENAME == "a.folded") before[$0] = n
		else after[$0] = n
	} END {
		for (s in stack) print s, before[s] == "" ? 0 : before[s], after[s] == "" ? 0 : after[s]
	}' a.folded b.folded | LC_ALL=C sort >want
	grep -q '^a job;main;a\\x3bb;g\\x201 450 585$' want
	grep -q '^job;main;f0 6004799502000120 0$' want
	same want out
	want_status 0 foldenc --count changes
	grep -q '^a job;main;a\\x3bb;g\\x201 9 9$' out
	want_status 0 foldenc --kind diff --root . changes
	grep -q '^main;f2 6004799502000080 6004799502000156$' out
	want_status 1 foldenc --kind agg changes
	folded
	# the same comparison twice is not twice the weight
	want_status 0 foldenc changes
	cp out once
	want_status 1 foldenc changes changes
	said "a change that came before: the same comparison twice?"
	same once out
}

@test "aggregates that came before are added again, as by afagg, and that is said" {
	event agg 1 . cycles 5 stack=a stat=sum >one
	event agg 1 . cycles 5 stack=b stat=sum >>one
	sed 's/stack=b/stack=c/' one >two
	want_status 0 foldenc one two
	said "foldenc: aggregates that came before, and were added again (the same file twice?): 1"
	printf 'a 10\nb 5\nc 5\n' >want
	same want out
	# so does afagg
	afagg --kind agg --by stack one two | foldenc >got
	same want got
	want_status 0 pprofenc one two
	said "were added again (the same file twice?): 1"
	want_status 0 flameenc --svg one two
	said "were added again (the same file twice?): 1"
	sed 's/stat=sum/start=7	stat=sum/' one | cat one - >other
	want_status 0 foldenc other
	silent
	# events may be equal
	event sample 1 1 cycles 5 stack=a >one
	cp one same
	want_status 0 foldenc one same
	silent
	# unless they are left out after all
	{
		event agg 1 a m 5 stat=sum stack=a
		event agg 1 a m 5 stat=sum stack=a
		event agg 1 a self 3 stat=sum stack=a
	} >in
	want_status 0 foldenc in
	folded 'a 3'
	echo 'foldenc: left out lines of other measures (see --measure, --add-measures): 2, m; used, although it is not the first one: self' |
		same - err
}

@test "changes: means, losses and groups that overlap" {
	{
		event diff 1 . cycles 0.5 stack=a stat=sum before=10.25 after=10.75
		event diff 1 . cycles -2 stack=b stat=sum before=1 after=-1
		event diff 1 . cycles . stack=c stat=sum before=1 after=.
		event sample 1 a cycles 3 stack=a
	} >in
	want_status 0 foldenc in
	folded 'a 10.25 10.75'
	said "left out stacks whose sum is negative or not a number: 1"
	said "left out lines whose value is not a number: 1"
	said "left out lines of other kinds (see --kind): 1"
	event diff 1 . cycles 1 stack=a stat=sum before=10 after=x >in
	want_status 1 foldenc in
	said 'foldenc: in:1: value "x" is not a number'
	event diff 1 . cycles 1 stack=a stat=sum before=10 >in
	want_status 1 foldenc in
	event sample 1 a cycles 1 'stack=main;a' >events
	afagg --by frame events >agg
	afdiff agg agg >in 2>/dev/null
	want_status 1 foldenc in
	said "foldenc: in: the groups overlap (overlap=), so they cannot be added up"
	folded
}

@test "a kind or a measure that no line has is an error, as in every program that makes pictures" {
	local prog
	{
		event sample 1 a cycles 1 stack=a
		event agg 1 a cycles 1 stack=a stat=sum
	} >in
	# shellcheck disable=SC2086 # a program and its options
	for prog in foldenc flameenc pprofenc traceenc 'traceenc --for speedscope' 'traceenc --for firefox'; do
		want_status 1 $prog --measure cylces in
		said "no line has a value of the measure cylces; did you mean cycles?"
		want_status 1 $prog --measure cy in
		said "no line has a value of the measure cy; did you mean cycles?"
		want_status 1 $prog --measure faults in
		grep -q 'no line has a value of the measure faults$' "$T/err"
		[ "$prog" != traceenc ] || continue
		want_status 1 $prog --kind smaple in
		said "no line is of kind 'smaple'"
		want_status 1 $prog --kind span in
		said "no line is of kind 'span'"
		want_status 2 $prog --kind sample,agg in
		said "--kind: takes one kind"
		want_status 0 $prog --kind agg --measure cycles in
	done
	# in one of two streams is enough
	event span 1 a cycles 1 stack=b >spans
	want_status 0 flameenc --kind span --before in spans
	want_status 1 flameenc --kind other --before in spans
	for prog in afagg csvenc aftop; do
		want_status 1 "$prog" --kind smaple in
		said "no line is of kind 'smaple'"
		want_status 0 "$prog" --kind sample spans
	done
}

@test "cut and damaged streams" { damaged foldenc; }

# keyed KEY=VALUE,...: writes results that have these keys, each of another run, and neither a region
# nor a stack.
keyed() {
	local k
	: >"$T/in"
	for k in "$@"; do
		printf 'agg\t5\tr%s\t.\tm\t7\t%s\tstat=sum\tstart=1\tn=2\n' "${k%%=*}" "${k//,/	}" >>"$T/in"
	done
}

@test "results without a region and a stack: the function is their key, or there is a note" {
	keyed leaf=f,tid=1 root=g 'caller=h;i' callee=j
	want_status 0 foldenc "$T/in"
	printf '%s\n' 'f 7' 'g 7' 'h\x3bi 7' 'j 7' | same - "$T/out"
	want_status 0 foldenc --root leaf,tid "$T/in"
	printf '%s\n' 'f;1 7' 'g 7' 'h\x3bi 7' 'j 7' | same - "$T/out"
	keyed tid=1 leaf=f,callee=g cpu=2
	want_status 0 foldenc "$T/in"
	echo '[unknown] 21' | same - "$T/out"
	said 'foldenc: results that have no function, so all are one frame [unknown]: 3 (--root KEY,... begins stacks with other keys)'
	want_status 0 pprofenc "$T/in"
	said 'pprofenc: results that have no function, so all are one frame [unknown]: 3'
	want_status 0 flameenc "$T/in"
	said 'flameenc: results that have no function, so all are one frame [unknown]: 3 (--root KEY,... begins stacks with other keys)'
}

@test "results with different keys, of which some contain others: a note of all that add them up" {
	local prog why='groups have different keys (afagg --by): some contain others, so sums and shares count the same several times'
	cd "$T"
	lines >in <<-'EOF'
	sample 1 r f t 5 tid=1 comm=a
	sample 2 r f t 7 tid=2 comm=.
	EOF
	afagg --by region in >one
	afagg --by region,comm in >two
	# shellcheck disable=SC2086 # a program with its options
	for prog in foldenc 'foldenc --count' flameenc pprofenc aftab 'csvenc --wide stat'; do
		want_status 0 $prog one two
		[ "$(grep -cF "${prog%% *}: $why" err)" -eq 1 ]
		want_status 0 $prog two
		! grep -qF "$why" err || fail "$prog: all have the same keys"
		# parts of different runs are no parts of each other
		sed 's/\tr\t/\tq\t/' two >other
		want_status 0 $prog one other
		! grep -qF "$why" err || fail "$prog: two runs"
		# neither are different statistics
		afsel -w stat=sum one | want_status 0 $prog - <(afsel -w stat=count two)
		! grep -qF "$why" "$T/err" || fail "$prog: a sum and a count"
	done
	# the others are not used
	want_status 0 foldenc one <(sed 's/\tt\t/\tself\t/' two)
	! grep -qF "$why" err || fail "another measure"
	# windows of different sizes are in different tables, but in the same stacks
	afagg --by region --window 1s in >three
	want_status 0 aftab one three
	silent
	want_status 0 foldenc one three
	grep -qF "foldenc: $why" err
}

@test "several events with the same name are noted, unless a root tells them apart" {
	local why="added up several events with the same name (to choose one: afsel -w 'event=N || event=.')"
	{
		event sample 1 f cycles 5 event=1 'stack=main;f' comm=job
		event sample 2 f cycles 5 event=2 'stack=main;f' comm=job
		event sample 3 f faults 1 event=1 'stack=main;f' comm=job
		run=0x2 event sample 3 f faults 1 event=2 'stack=main;f' comm=job
	} >both
	want_status 0 foldenc both
	grep -qxF "foldenc: $why" err
	folded 'job;main;f 10'
	want_status 0 foldenc --root event both
	! grep -F "$why" err || false
	folded '1;main;f 5' '2;main;f 5'
	# another measure gives way to self, and its events do not matter then
	{
		cat both
		event span 4 f self 2 'stack=main;f'
	} >mixed
	want_status 0 foldenc mixed
	! grep -F "$why" err || false
	# one event of each name and run
	want_status 0 foldenc --measure faults both
	! grep -F "$why" err || false
	# pictures and profiles contain it
	want_status 0 flameenc both
	grep -qxF "flameenc: $why" err
	grep -qF 'added up several events with the same name' out
	want_status 0 pprofenc both
	grep -qxF "pprofenc: $why" err
	want_status 0 pprofenc --label event both
	! grep -F "$why" err || false
}

@test "aggregates of a tag and of counts are named after these by all that name measures" {
	{
		event measure . . m . unit=ns
		event agg 1 f m 3 stat=sum stack=a of=n unit=.
		event agg 1 f m 2 stat=count stack=a of=n unit=.
		event agg 1 f m 4 stat=sum stack=a of=count unit=.
		event agg 1 f m 5 stat=sum stack=a of=sum
	} >in
	want_status 0 flameenc in
	grep -o '"measure":[^,]*,"unit":"[^"]*"' out |
		same - <(printf '"measure":"%s","unit":"%s"\n' 'm of n' . 'm of count' . m ns)
	want_status 0 traceenc --for speedscope in
	sed -n 's/^{"type":"sampled","name":"[^"]*: \(.*","unit":"[a-z]*"\),.*/\1/p' out |
		same - <(printf '%s","unit":"%s"\n' 'm of n' none 'm of count' none 'm [ns]' nanoseconds)
	want_status 0 pprofenc in
	gzip -dc out | grep -ao 'm of [a-z.]*' | same - <(printf '%s\n' 'm of n.samples' 'm of n' 'm of count')
}

@test "sums and sums of sums of one measure are two measures" {
	need python3
	local order parts
	event agg 1 a m 5 stat=sum stack=a >sums
	event agg 1 b m 7 stat=sum stack=b >>sums
	event agg 1 a m 11 stat=sum stack=a of=sum >of
	for order in 'sums of' 'of sums'; do
		read -ra parts <<<"$order"
		cat "${parts[@]}" >in
		want_status 0 flameenc in
		python3 "$ROOT/t/tools/flamedump.py" out | LC_ALL=C sort |
			same - <(printf '%s\n' '# m .' '# m of sum .' 'a 11' 'a 5' 'b 7')
		want_status 0 pprofenc in
		gzip -dc out | grep -ao 'm of sum' | same - <(echo 'm of sum')
		want_status 0 traceenc --for speedscope in
		sed -n 's/.*"name":"run 0x1: \([^"]*\)".*/\1/p' out | sort | same - <(printf '%s\n' m 'm of sum')
		want_status 0 foldenc in
		grep -q 'left out lines of other measures.*m of sum' err
	done
	# alone they have the name of the measure, so that they can be compared with sums
	want_status 0 flameenc --before of -- sums
	silent
	grep -q '"measure":"m"' out
	! grep -q 'm of sum' out || false
}

@test "measures that contain others are an error if there are no others" {
	local target words
	printf 'span\t9\tr\ta\t%s\t8\tstart=1\n' inclusive union m.delta >in
	for target in foldenc flameenc 'flameenc --svg' pprofenc 'traceenc --for speedscope' 'traceenc --for firefox'; do
		read -ra words <<<"$target"
		want_status 1 "${words[@]}" --no-marks in
		said "${target%% *}: there is nothing to write: all lines were left out"
		[ ! -s out ] || fail "$target has something"
	done
	said 'left out lines of other measures (see --measure): 3, inclusive;union;m.delta'
	want_status 0 foldenc --no-marks --measure union in
	folded 'a 8'
}

@test "stacks that all have no weight are an error" {
	local value
	for value in -5 inf nan; do
		event sample 1 a m "$value" stack=a >in
		want_status 1 foldenc in
		said 'foldenc: there is nothing to write: all lines were left out'
		said 'foldenc: left out stacks whose sum is negative or not a number: 1'
		[ ! -s out ]
		want_status 1 flameenc in
		said 'flameenc: there is nothing to write: all lines were left out'
		[ ! -s out ]
		want_status 1 flameenc --svg --before in -- in
		said 'flameenc: there is nothing to write: all lines were left out'
		[ ! -s out ]
		# one that has a weight is enough, on either side and of any measure
		event sample 1 a n 0 stack=a >other
		want_status 0 flameenc --before in -- other
		want_status 0 flameenc in other
	done
	event diff 1 . m 5 stack=a stat=sum before=-5 after=1 >in
	want_status 1 foldenc in
	said 'foldenc: there is nothing to write: all lines were left out'
	event sample 1 a m -5 >in
	want_status 1 foldenc --root none in
	said "no line has 'none', a key of --root"
}

@test "lines that are all left out are an error, and a stream without events is not" {
	local line
	for line in "$(event agg 1 a e 5 stat=mean stack=a)" "$(event start 1 a e . id=1)" \
		"$(event sample 1 a e text type=text stack=a)"; do
		echo "$line" >in
		want_status 1 foldenc --no-marks in
		said 'foldenc: there is nothing to write: all lines were left out'
		[ ! -s out ] || fail "a weight for $line"
		want_status 1 flameenc --no-marks in
		said 'flameenc: there is nothing to write: all lines were left out'
		want_status 1 pprofenc --no-marks in
		said 'pprofenc: there is nothing to write: all lines were left out'
		# a line that is used is enough
		event sample 1 b e 3 stack=b >>in
		want_status 0 foldenc --no-marks in
		folded 'b 3'
	done
	event comm 1 . . . >in
	want_status 0 foldenc --no-marks in
	said 'left out lines of other kinds (see --kind): 1 comm'
	[ ! -s out ]
}

@test "keys of --root are not asked for where there are no stacks" {
	event run 1 . . . app=x >in
	want_status 0 foldenc --root nothing in
	folded
	event sample 2 f m 1 >>in
	want_status 1 foldenc --root nothing in
	said "foldenc: no line has 'nothing', a key of --root"
}

# bats test_tags=sanitize
@test "stacks and their weights, while memory is refused at any place" {
	local archive
	use_archive
	build_c "$T/folds" "${REFUSABLE[@]}" t/unit/folds.c "$archive" "${LIBRARIES[@]}"
	want_status 0 "$T/folds"
	silent
}

@test "a full disk, and a resource that is too large for a line: only the former is reported" {
	local status=0
	cd "$T"
	[ -e /dev/full ] || skip "no /dev/full here"
	{
		event header . /resources/0 . '}' part=2 parts=2
		awk 'BEGIN { for (i = 0; i < 30000; i++) printf "sample\t%d\tr\ta_long_name_%d\tm\t1\tstack=main;a_long_name_%d\n", i, i, i }'
	} >in
	foldenc in >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ] || fail "status $status"
	echo 'foldenc: standard output: No space left on device' | same - err
}

@test "--root kind, time or value of results: the key of the group" {
	cd "$T"
	{
		event agg 9 f m 4 value=ok time=5 stat=sum
		event agg 9 f m 3 stat=sum
	} >in
	want_status 0 foldenc --root value,time in
	folded '3;9;f 3' 'ok;5;f 4'
}
