# SPDX-License-Identifier: ISC
# afsel.bats - which lines are kept, and what is said about those that are not.

load lib

# stream: standard input, columns and tags separated by blanks, as a whole stream in $T/in.  A tag
# may have a blank, written as +.
stream() {
	local lines
	lines=$(tr ' +' '\t ')
	{
		printf '#afstream\t1\ttest\tx\n'
		printf '%s\n' "$lines"
		printf '#end\ttest\tx\t%d\tcomplete\n' "$(wc -l <<<"$lines")"
	} >"$T/in"
}

setup() {
	stream <<-'EOT'
	run 100 0x1 . . . unit=ns wall=1700000000.5
	measure . 0x1 . m . type=int64
	header . 0x1 os . 6.1
	origin . 0x1 . . . host=h
	section . 0x1 s . . id=1
	sample 200 0x1 main m 1 comm=job cpu=0 stack=main
	sample 300 0x1 hash_it m 20 comm=job cpu=1 stack=main;hash_it tag.k\x3d=v
	pause 350 0x1 . . . start=340
	sample 400 0x1 a\tb m 3 comm=hash_it cpu=. stack=main;a\tb;a\x3bb
	sample . 0x1 x m 5e-1 cpu=10
	lost . 0x1 . . 7 why=full
	sample 500 0x1 \. m 123456789012345678901 comm=a+b cpu=2 stack=\.;x
	novel . 0x1 . . . fresh=1
	incomplete . 0x1 . unwind 1 why=short
	EOT
}

# kept REGION...: the samples that were kept, by their regions, and everything else.
kept() {
	printf '%s\n' "$@" | grep . >"$T/want" || :
	sed -n 's/^sample\t[^\t]*\t[^\t]*\t\([^\t]*\).*/\1/p' "$T/out" >"$T/got"
	same "$T/want" "$T/got" || return
	grep -vE '^(sample|#)' "$T/in" >"$T/want"
	grep -vE '^(sample|#)' "$T/out" >"$T/got"
	same "$T/want" "$T/got" || return
	tail -n 1 "$T/out" | grep -q "^#end	afsel	.*	$(grep -vc '^#' "$T/out")	complete" ||
		fail "it ended: $(tail -n 1 "$T/out")"
}

# where EXPR REGION...: the expression keeps these samples, and all other lines, and nothing is said
# unless there is none.
where() {
	local expr=$1
	shift
	[ $# -ne 0 ] || {
		want_status 0 afsel --where "$expr" "$T/in" && kept && said "afsel: none of 5 lines was chosen"
		return
	}
	{ want_status 0 afsel --where "$expr" "$T/in" && silent && kept "$@"; } || fail "where: $expr"
}

# bats test_tags=quick
@test "equality, of columns and tags" {
	where 'region=main' main
	where 'comm = job' main hash_it
	where 'comm != job' 'a\tb' x '\.'
	where "comm='a b'" '\.'
	where "'tag.k='=v" hash_it
	where 'kind=sample' main hash_it 'a\tb' x '\.'
	where 'time=300' hash_it
	where 'value=20' hash_it
}

@test "bytes: '' takes them as they are, \"\" has escapes" {
	where 'region="a\tb"' 'a\tb'
	where "region='a	b'" 'a\tb'
	where 'region!="a\x09b"' main hash_it x '\.'
	where 'region=a\tb'
	where 'frame="a;b"' 'a\tb'
	want_status 2 afsel --where 'region="a\q"' "$T/in"
	said 'afsel: --where: expected an escape (\\ \" \t \n \r \xhh) at '"'\\q\"'"
}

@test "a dot is nothing, and a tag that a line does not have is nothing, too" {
	where 'cpu=.' 'a\tb'
	where 'cpu!=.' main hash_it x '\.'
	where 'comm=.' x
	where "comm=''" x
	where "region='.'" '\.'
	where 'comm~^$' x
	where 'comm!~.' x
	where 'comm!=job' 'a\tb' x '\.'
	where '!(cpu<5)' 'a\tb' x
	where 'stack!~main' x '\.'
	where 'frame=.' x
}

@test "numbers are compared exactly, whatever their length" {
	where 'value<1' x
	where 'value<=1.0' main x
	where 'value>=20' hash_it '\.'
	where 'value>123456789012345678900' '\.'
	where 'value>=123456789012345678901' '\.'
	where 'value<123456789012345678901.5 && value>123456789012345678900.5' '\.'
	where 'value=5e-1 && value>=0.5 && value<=0.5' x
	where 'value>=5E-1 && value<1e+0' x
	where 'value<1e+20 && value>1e+1' hash_it
	where 'time>0x12b && time<0x191' hash_it 'a\tb'
	want_status 0 afsel --where 'region<5 || cpu<1' "$T/in"
	said "afsel: values of region that are not numbers, so no comparison holds: 5"
	kept main
	printf 'sample\t1\tr\tf\tm\t%s\n' nan abc 11 . inf nan >"$T/odd"
	want_status 0 afsel --no-marks --where 'value>=10' "$T/odd"
	said "afsel: values of value that are not numbers, so no comparison holds: 3"
	[ "$(grep -c ^sample "$T/out")" -eq 2 ]
	want_status 2 afsel --where 'value<x' "$T/in"
	said "afsel: --where: not a number: 'x'"
	want_status 2 afsel --where 'value<nan' "$T/in"
	said "afsel: --where: not a number: 'nan'"
}

@test "regular expressions, on bytes, and on each element of a stack" {
	where 'region~^hash' hash_it
	where 'comm~hash_it' 'a\tb'
	where 'stack~hash_it' hash_it
	where 'stack~^a' 'a\tb'
	where "stack~'^a	b\$'" 'a\tb'
	where "frame~'^a;b\$'" 'a\tb'
	where "stack~'^a;b\$'"
	where "stack~'main;hash'" hash_it
	where 'frame=main' main hash_it 'a\tb'
	where 'frame!=main' x '\.'
	where "frame='.'" '\.'
	where "frame~'^(main|x)\$'" main hash_it 'a\tb' '\.'
	where "stack='main;hash_it'" hash_it
	where "region~'^[.]\$'" '\.'
	want_status 2 afsel --where "region~'('" "$T/in"
	said "afsel: --where: regular expression '(': "
	want_status 2 afsel --where "region~''" "$T/in"
	said "afsel: --where: an empty regular expression"
	want_status 2 afsel --where 'region~"a\x00"' "$T/in"
	said "afsel: --where: a regular expression cannot have a NUL byte"
	want_status 2 afsel --where 'frame<5' "$T/in"
	said "afsel: --where: frame has only the operators = != ~ !~"
}

@test "a NUL byte separates the texts that a regular expression is tried on" {
	printf 'sample\t1\tr\ta\\x00b\\x00cd\tm\t1\nsample\t2\tr\tx1b\tm\t1\nsample\t3\tr\t\\x1b\tm\t1\n' >"$T/in"
	want_status 0 afsel --where 'region~^b$' "$T/in"
	[ "$(grep -v '^#' "$T/out" | cut -f 2)" = 1 ]
	want_status 0 afsel --where 'region~cd' "$T/in"
	[ "$(grep -v '^#' "$T/out" | cut -f 2)" = 1 ]
	want_status 0 afsel --where 'region="a\x00b\x00cd"' "$T/in"
	[ "$(grep -v '^#' "$T/out" | cut -f 2)" = 1 ]
	# the letters of an escape are not in the text
	want_status 0 afsel --where 'region~x1b' "$T/in"
	[ "$(grep -v '^#' "$T/out" | cut -f 2)" = 2 ]
	want_status 0 afsel --where "region~$(printf '\033')" "$T/in"
	[ "$(grep -v '^#' "$T/out" | cut -f 2)" = 3 ]
}

@test "&& || ! and parentheses; --and and --or go from left to right" {
	where 'cpu=0 || cpu=1 && comm=hash_it' main
	where '(cpu=0||cpu=1)&&comm=job' main hash_it
	where '!cpu=0 && !!(comm=job)' hash_it
	where '!(cpu=0 || cpu=1) && !(region=x)' 'a\tb' '\.'
	want_status 0 afsel --where 'cpu=0' --or 'cpu=1' --and 'comm=hash_it || region=main' "$T/in"
	kept main
	want_status 0 afsel --where 'cpu=0' --and 'comm=job' --or 'cpu=10' "$T/in"
	kept main x
	want_status 2 afsel --and 'cpu=0' "$T/in"
	said "afsel: --and comes after --where"
	want_status 2 afsel --where 'cpu=0' --where 'cpu=1' "$T/in"
	said "afsel: --where is given twice; join conditions with && or ||"
}

@test "expressions that are none" {
	local expr
	for expr in '' ' ' '!' '(' '()' 'cpu' 'cpu=' '=1' 'cpu=1 cpu=2' 'cpu=1 &&' '&& cpu=1' '(cpu=1' 'cpu=1)' \
		'cpu=1 & cpu=2' 'cpu=1 and cpu=2' 'cpu==1' 'cpu=~1' 'cpu=<1' 'cpu=a(b' "cpu='a" 'cpu="a' "cpu='a'b" "''=1" "cpu=\"a\\" 'cpu="a\q"' 'cpu="\x4"'; do
		want_status 2 afsel --where "$expr" "$T/in" || fail "$expr"
		said "afsel: --where: " || fail "$expr"
	done
	want_status 2 afsel --where "$(printf '(%.0s' {1..201})cpu=1$(printf ')%.0s' {1..201})" "$T/in"
	said "afsel: --where: more than 200 parentheses inside each other"
	where "$(printf '(%.0s' {1..200})cpu=1$(printf ')%.0s' {1..200})" hash_it
	where "$(printf '!%.0s' {1..20000})cpu=1" hash_it
	where "cpu=1$(printf ' || cpu=1%.0s' {1..5000})" hash_it
	where $'cpu=1\n\t&&\nregion=hash_it\n' hash_it
	local many
	many=$(printf 'cpu=1||%.0s' {1..16383})cpu=1
	want_status 0 afsel --where "$many" --or "$many" --or "$many" --or "$many" "$T/in"
	kept hash_it
	want_status 2 afsel --where "$many" --or "$many" --or "$many" --or "$many" --or cpu=1 "$T/in"
	said "afsel: --or: more than 65536 conditions"
}

@test "--kind: lines of these kinds are judged, and no other events are kept" {
	sed -i '/^novel/p' "$T/in"
	sed -i 's/^sample\(.*hash_it\)/span\1/' "$T/in"
	want_status 0 afsel --kind span,agg "$T/in"
	silent
	grep -vE '^(#|sample)' "$T/in" >"$T/want"
	grep -v '^#' "$T/out" >"$T/got"
	same "$T/want" "$T/got"
	# other lines are judged if their kind is named
	want_status 0 afsel --kind lost,novel,sample --where 'why?=full || comm?=job' "$T/in"
	silent
	grep -vE '^(#|span|novel)|	comm=a b|comm=hash|cpu=10' "$T/in" >"$T/want"
	grep -v '^#' "$T/out" >"$T/got"
	same "$T/want" "$T/got"
	want_status 0 afsel --kind lost --where 'why!=full' "$T/in"
	said "afsel: none of 1 lines was chosen"
	[ "$(grep -c '^lost' "$T/out")" -eq 0 ]
	want_status 1 afsel --kind smaple "$T/in"
	said "afsel: no line is of kind 'smaple'"
	grep '^#' "$T/in" | sed 's/[0-9]*\tcomplete/0\tcomplete/' >"$T/none"
	want_status 0 afsel --kind smaple "$T/none"
	silent
	want_status 0 afsel --kind agg,novel "$T/in"
	silent
	want_status 2 afsel --kind sample,,span "$T/in"
	said "afsel: --kind: an empty name"
}

@test "--kind: at most 256 kinds" {
	for ((i = 1; i <= 256; i++)); do
		printf 'k%d\t%d\tr\ta%d\tm\t1\n' $i $i $i
	done >"$T/in"
	want_status 0 afsel --no-marks --kind "$(printf 'k%d,' {1..255})k256" --where 'region=a256' "$T/in"
	silent
	sed '/^#/d' "$T/out" | same <(tail -n 1 "$T/in") -
	want_status 2 afsel --no-marks --kind "$(printf 'k%d,' {1..256})k257" "$T/in"
	said "afsel: --kind: more than 256 kinds"
}

@test "a key that no line has is an error at the end, with the nearest one" {
	want_status 1 afsel --where 'regoin=main' "$T/in"
	printf "afsel: no line has 'regoin'; did you mean region?\n" >"$T/want"
	same "$T/want" "$T/err"
	tail -n 1 "$T/out" | grep -q '	partial	'
	# also where it is not looked at, and where other lines are chosen
	want_status 1 afsel --where 'region=main || xcpu=1' "$T/in"
	said "afsel: no line has 'xcpu'; did you mean cpu?"
	want_status 1 afsel --where 'k=v' "$T/in"
	said "afsel: no line has 'k' ('k?' allows that; tags: comm, cpu, stack, tag.k\\x3d)"
	want_status 0 afsel --where 'regoin?=main || region=main' "$T/in"
	kept main
	# one line is enough, though it is not chosen, or is at another time
	want_status 0 afsel --time 450,600 --where "'tag.k='=." "$T/in"
	kept '\.'
	said "afsel: lines without a time, left out because of --time: 1"
	want_status 0 afsel --time 150,600 --where "'tag.k='=v" "$T/in"
	silent
	kept hash_it
	# tags of lines that are not judged do not count
	want_status 1 afsel --where 'why=full' "$T/in"
	said "afsel: no line has 'why'"
	want_status 0 afsel --kind lost --where 'why=full' "$T/in"
	grep -q '^lost' "$T/out"
	# without such lines nothing can be said
	grep -v '^sample' "$T/in" >"$T/none"
	want_status 0 afsel --where 'regoin=main' "$T/none"
	silent
}

# chosen CONDITION: the values of the lines that it holds for.
chosen() {
	want_status 0 afsel --where "$1" "$T/in" && silent || return
	sed '/^#/d' "$T/out" | cut -f 6 | tr '\n' ' '
}

@test "frame: of results by frame it is that of the group, whatever else they have" {
	stream <<-END
		agg 1 0x1 . m 1 frame=main stack=main;a
		agg 1 0x1 . m 2 stack=main;a frame=a
		agg 1 0x1 . m 3 stack=main;a
		sample 1 0x1 a m 4 frame=a stack=main
		diff 1 0x1 . m 5 frame=a
	END
	[ "$(chosen frame=a)" = '2 3 5 ' ] || fail "$(chosen frame=a)"
	[ "$(chosen 'frame!=a')" = '1 4 ' ] || fail "$(chosen 'frame!=a')"
	[ "$(chosen 'frame~^ma')" = '1 3 4 ' ] || fail "$(chosen 'frame~^ma')"
	[ "$(chosen 'stack~^ma')" = '1 2 3 4 ' ] || fail "$(chosen 'stack~^ma')"
	# without any stack
	stream <<<'agg 1 0x1 . m 2 frame=a'
	[ "$(chosen frame=a)" = '2 ' ]
	# partial results have it as well
	stream <<-'END'
		sample 1 0x1 a m 1 stack=main;a
		sample 1 0x1 b m 2 stack=main;b
	END
	afagg --by frame --partial "$T/in" >"$T/parts"
	want_status 0 afsel --where frame=a "$T/parts"
	[ "$(grep '^part' "$T/out" | grep -o 'frame=[a-z]*')" = frame=a ]
}

@test "pcomm: the tag, or else comm of the first thread of a process, as in afagg" {
	stream <<-'EOT'
	sample 1 0x1 a m 1 pid=7 tid=7 comm=job
	sample 2 0x1 b m 2 pid=7 tid=8 comm=worker pcomm=job
	sample 3 0x1 c m 3 pid=9 tid=9 comm=other
	sample 4 0x1 d m 4 pid=10 tid=11 comm=job
	EOT
	[ "$(chosen pcomm=job)" = '1 2 ' ]
	[ "$(chosen 'pcomm~^o')" = '3 ' ]
	[ "$(chosen 'pcomm!=job')" = '3 4 ' ]
	[ "$(chosen pcomm=.)" = '4 ' ]
	afagg --by pcomm --stat sum "$T/in" | grep -q $'\t3\tpcomm=job\t'
	# without a pid, comm may be the name of any thread
	stream <<<'agg 1 0x1 a m 1 comm=job stat=sum'
	want_status 1 afsel --where pcomm=job "$T/in"
	said "afsel: no line has 'pid', which 'pcomm' needs ('pcomm?' allows that)"
	! grep -q ^agg "$T/out" || fail "results"
	# as in results
	stream <<<'agg 1 0x1 a m 1 pcomm=job stat=sum'
	want_status 0 afsel --where pcomm=job "$T/in"
	silent
	[ "$(grep -c ^agg "$T/out")" -eq 1 ]
	printf 'run\t.\t0x1\t.\t.\t.\ttags=pid;tid;comm\nsample\t1\t0x1\ta\tm\t1\tpid=7\ttid=8\tcomm=x\n' >"$T/in"
	want_status 1 afsel --where pcomm=job "$T/in"
	said "the tag 'pcomm' of the events was left out"
}

@test "keys that only afagg computes: what is like them here" {
	stream <<<'sample 1 0x1 a m 1 stack=main;a comm=job'
	want_status 1 afsel --where caller=main "$T/in"
	said "afsel: no line has 'caller', which only afagg computes: stack~'CALLER;NAME\$' finds a function with its caller"
	want_status 1 afsel --where leaf=a "$T/in"
	said "afsel: no line has 'leaf', which only afagg computes: region=NAME is the innermost function"
	stream <<<'sample 1 0x1 a m 1 comm=job'
	want_status 1 afsel --where frame=main "$T/in"
	said "afsel: no line has 'stack', which 'frame' needs (perf record -g records stacks; 'frame?' allows that)"
	# a line that has such a tag
	stream <<<'sample 1 0x1 a m 1 caller=main'
	want_status 0 afsel --where caller=main "$T/in"
	silent
	[ "$(grep -c ^sample "$T/out")" -eq 1 ]
}

@test "no line was chosen: what may be meant" {
	stream <<-'EOT'
	sample 17000000000 0x1 a m 1 comm=parser
	sample 18000900999 0x1 b m 1 comm=job
	EOT
	want_status 0 afsel --time 1s,2s "$T/in"
	echo 'afsel: none of 2 lines was chosen (their times are from 17.000000s to 18.000900s; did you mean --time +1s,+2s, from the first event on?)' >"$T/want"
	same "$T/want" "$T/err"
	want_status 0 afsel --time 0,50ms "$T/in"
	said 'to 18.000900s; did you mean --time +0,+50ms, from the first event on?)'
	want_status 0 afsel --time ,50ms "$T/in"
	said 'to 18.000900s; did you mean --time ,+50ms, from the first event on?)'
	want_status 0 afsel --time 1ms,17s "$T/in" # it ends where the first one is
	said 'to 18.000900s; did you mean --time +1ms,+17s, from the first event on?)'
	want_status 0 afsel --time 1ms,17000ms "$T/in"
	said '; did you mean --time +1ms,+17000ms, from the first event on?)'
	# too long to be repeated
	local long
	long=$(printf '0%.0s' {1..200})
	want_status 0 afsel --time "${long}1s,2s" "$T/in"
	echo 'afsel: none of 2 lines was chosen (their times are from 17.000000s to 18.000900s; +1s counts from the first)' | same - "$T/err"
	want_status 0 afsel --time "${long}1s," "$T/in"
	silent
	want_status 0 afsel --time 17001ms,18s "$T/in"
	said 'to 18.000900s; +1s counts from the first)'
	want_status 0 afsel --time 1,2 "$T/in"
	said '; numbers without a unit are nanoseconds; did you mean --time +1,+2, from the first event on?)'
	want_status 0 afsel --time 20s, "$T/in"
	said 'was chosen (their times are from 17.000000s to 18.000900s; +1s counts from the first)'
	want_status 0 afsel --time +10s, "$T/in"
	said 'was chosen (their times are from 17.000000s to 18.000900s)'
	want_status 0 afsel --time +1,+2 "$T/in"
	said 'was chosen (their times are from 17.000000s to 18.000900s; numbers without a unit are nanoseconds)'
	want_status 2 afsel --time +0.5,+1 "$T/in"
	said "afsel: --time: not a time: '+0.5' (a unit is missing, such as s or ms)"
	want_status 2 afsel --time x,+1 "$T/in"
	grep -qx "afsel: --time: not a time: 'x'" "$T/err"
	want_status 2 afsel --where 'comm=parser one' "$T/in"
	said "afsel: --where: expected && or ||, or quotes around a value with blanks, at 'one'"
	# operators of other languages
	while IFS='%' read -r where text; do
		want_status 2 afsel --where "$where" "$T/in"
		sed -n 1p "$T/err" >"$T/got"
		echo "afsel: --where: expected $text" >"$T/want"
		same "$T/want" "$T/got"
	done <<-'EOT'
	comm=a AND cpu=1%&& or || at 'AND cpu=1': 'AND' is written && here
	(comm=a or(cpu=1))%&&, || or ) at 'or(cpu=1))': 'or' is written || here
	comm=a & cpu=1%&& or || at '& cpu=1': '&' is written && here
	not comm=a%one of = != ~ !~ < <= > >= at 'comm=a': 'not' is written ! here
	comm==a%one of = != ~ !~ < <= > >= at '==a': '==' is written = here
	comm=~a%one of = != ~ !~ < <= > >= at '=~a': '=~' is written ~ here
	comm=a order=b%&& or ||, or quotes around a value with blanks, at 'order=b'
	EOT
	want_status 1 afsel --where 'sum>1e9' "$T/in"
	said "afsel: no line has 'sum', which only afagg computes: a result is a line, so 'stat=sum && value>N'"
	want_status 2 afsel --where 'comm=a)' "$T/in"
	said "afsel: --where: expected && or || at ')'"
	local quotes="or quotes around a value with ()&|'\","
	want_status 2 afsel --where 'comm~^(parser|srv)' "$T/in"
	said "afsel: --where: expected && or ||, $quotes at '(parser|srv)'"
	want_status 2 afsel --where '(comm~parser|srv)' "$T/in"
	said "afsel: --where: expected &&, || or ), $quotes at '|srv)'"
	want_status 2 afsel --where 'comm~a (comm=b)' "$T/in"
	said "afsel: --where: expected && or || at '(comm=b)'"
	want_status 2 afsel --where 'comm~"a"(b)' "$T/in"
	said "afsel: --where: expected && or || at '(b)'"
	want_status 0 afsel --where 'region=a,b' "$T/in"
	said "none of 2 lines was chosen ('a,b' is one value: || joins conditions, such as comm=a || comm=b)"
	want_status 0 afsel --where 'comm=jo' "$T/in"
	said "none of 2 lines was chosen (= compares the whole value, ~ finds a part of it)"
	want_status 0 afsel --where 'comm!~[or]' "$T/in"
	grep -qx 'afsel: none of 2 lines was chosen' "$T/err"
	# the measures that there are, if there is no such measure
	want_status 0 afsel --where 'measure=page-fault' "$T/in"
	grep -qx 'afsel: none of 2 lines was chosen (= compares the whole value, ~ finds a part of it)' "$T/err"
	cp "$T/in" "$T/four"
	printf 'measure\t.\t1\t.\t%s\t.\n' page-faults cycles a b >>"$T/four"
	want_status 0 afsel --where 'measure=page-fault' "$T/four"
	grep -qx 'afsel: none of 2 lines was chosen (there is no such measure, but page-faults, cycles, a, b)' "$T/err"
	printf 'measure\t.\t1\t.\t%s\t.\n' page-faults cycles cycles a b c >>"$T/in"
	want_status 0 afsel --where 'measure=page-fault' "$T/in"
	grep -qx 'afsel: none of 2 lines was chosen (there is no such measure, but page-faults, cycles, a, b, ...)' "$T/err"
	want_status 0 afsel --where 'measure=cycles' "$T/in"
	grep -qx 'afsel: none of 2 lines was chosen (= compares the whole value, ~ finds a part of it)' "$T/err"
}

@test "a key that is never recorded: a note that says what to do, as in afagg" {
	local note='afsel: cpu is not recorded: it is "." on all lines; perf records the processor only with -a or --sample-cpu'
	stream <<-'EOT'
	sample 1 0x1 a m 1 comm=a cpu=. addr=.
	sample 2 0x1 b m 1 comm=b cpu=. addr=0x5
	EOT
	for where in cpu=0 'cpu=0 || cpu=1' 'cpu>2' 'cpu~1'; do
		want_status 0 afsel --where "$where" "$T/in"
		printf '%s\nafsel: none of 2 lines was chosen\n' "$note" >"$T/want"
		same "$T/want" "$T/err" || fail "$where"
	done
	for where in 'cpu!=0' 'comm=a || cpu=0' '!(cpu=1)'; do
		want_status 0 afsel --where "$where" "$T/in"
		echo "$note" >"$T/want"
		same "$T/want" "$T/err" || fail "$where"
	done
	for where in 'cpu=.' 'cpu!=. || comm=a' 'cpu?!=0' 'addr!=0x1'; do
		want_status 0 afsel --where "$where" "$T/in"
		silent || fail "$where"
	done
	# lines of other kinds and a key that no line has are another matter
	want_status 1 afsel --where 'novel=1 && cpu=0' "$T/in"
	! grep -q recorded "$T/err" || fail 'a note on it'
	want_status 0 afsel --kind span --where 'cpu=0' "$T/in"
	silent
}

@test "a duration as a number: how it is written" {
	want_status 2 afsel --where 'value>3ms' "$T/in"
	said "afsel: --where: not a number: '3ms' (numbers are in the unit of the values; durations are in ns: 3000000)"
	want_status 2 afsel --where 'value<1.5us' "$T/in"
	said "not a number: '1.5us' (numbers are in the unit of the values; durations are in ns: 1500)"
	want_status 2 afsel --where 'value>3furlongs' "$T/in"
	grep -qx "afsel: --where: not a number: '3furlongs'" "$T/err"
}

@test "a value whose letters have the other case: a note, with the value that there is" {
	local long
	long=$(printf 'X%.0s' {1..65})
	stream <<-EOT
	sample 1 0x1 Parse m 1 comm=parser stack=main;Parse ip=0x40162d
	sample 2 0x1 b m 1 comm=PARSER stack=main;b ip=0x1
	sample 3 0x1 c;D m 1 comm=job stack=$long;c\\x3bD ip=.
	EOT
	# differs WHERE CONDITION OTHER [NOTE]: and no other note
	differs() {
		want_status 0 afsel --where "$1" "$T/in" || return
		printf 'afsel: %s\n' "none of the lines compared has $2, but some have $3" ${4+"$4"} >"$T/want"
		same "$T/want" "$T/err"
	}
	local none='none of 3 lines was chosen'
	differs comm=Parser comm=Parser PARSER "$none" # the first one in order of bytes
	differs comm?=Job comm=Job job "$none"
	differs ip=0x40162D ip=0x40162D 0x40162d "$none"
	differs frame=parse frame=parse Parse "$none"
	differs region='"C;d"' 'region=C;d' 'c;D' "$none"
	differs "frame=x${long#X}" "frame=x$(printf 'X%.0s' {1..63})" 'it with letters in the other case' "$none"
	differs 'comm!=Job' comm=Job job
	differs 'comm=job || region=B' region=B b
	# compared only with lines that have the other value
	differs 'comm=job && region!="C;D"' 'region=C;D' 'c;D'
	# it is there, is asked for, or differs in other ways
	local where
	for where in comm=parser 'comm=Job || comm=job' 'comm=job || comm=Job' 'frame=Parse' 'comm!=joc' 'region="c;D"'; do
		want_status 0 afsel --where "$where" "$T/in"
		silent
	done
	# first the other value, then the one that is asked for
	want_status 0 afsel --where 'comm=PARSER' "$T/in"
	silent
	want_status 0 afsel --where "comm=joC" "$T/in"
	said "$none (= compares the whole value, ~ finds a part of it)"
	want_status 0 afsel --where 'comm=Job && region=x || comm=jo' "$T/in"
	said "$none (= compares the whole value, ~ finds a part of it)"
}

@test "a number of seconds where times are in ns: a note" {
	local where ns='they are in ns, and begin at 59335.000001s (afsel --time takes times with a unit)'
	stream <<-'EOT'
	sample . 0x1 a m 1
	sample 59336000000000 0x1 a m 1
	sample 59335000001000 0x1 b m 1
	EOT
	for where in 'time>59335' 'time>59335.5 && region=b' 'time>=5e0' 'time>0x5 && time>6' 'region=a && time?>1' \
		'time>593350000' '!(time>1) || region=a'; do
		want_status 0 afsel --where "$where" "$T/in"
		where=${where#region=a && } where=${where%% *}
		where=${where/\?/} where=${where#!(}
		echo "afsel: ${where%)} holds for all times: $ns" >"$T/want"
		same "$T/want" "$T/err"
	done
	for where in 'time<59335' 'time<=.5'; do
		want_status 0 afsel --where "$where" "$T/in"
		printf 'afsel: %s\n' "$where holds for no time: $ns" 'none of 3 lines was chosen' >"$T/want"
		same "$T/want" "$T/err"
	done
	# numbers that may be nanoseconds, and that are no times
	for where in 'time>0' 'time>-5' 'time>593350001' 'time>59335000000' 'time>-inf' 'time<inf' 'time!=5' 'value>0.5'; do
		want_status 0 afsel --where "$where" "$T/in"
		silent
	done
	# a time near 0, and none
	printf 'sample\t%s\t0x1\ta\tm\t1\n' 59336000000000 7 >"$T/in"
	want_status 0 afsel --no-marks --where 'time>5' "$T/in"
	silent
	printf 'sample\t%s\t0x1\ta\tm\t1\n' . . >"$T/in"
	want_status 0 afsel --no-marks --where 'time>5' "$T/in"
	printf 'afsel: %s\n' 'time is not recorded: it is "." on all lines' 'none of 2 lines was chosen' | same - "$T/err"
}

@test "a regular expression that the C library would copy without end is refused at once" {
	local regex large='too large, or nested too deeply, when what it repeats is written out' deep
	printf 'sample\t1\tr\t%s\tm\t1\n' aaa b >"$T/in"
	deep=$(printf '(%.0s' {1..51})a$(printf ')%.0s' {1..51})
	for regex in '(a*)+++++++++++' 'a{20000}' 'a{0,999}' '((a{30}){30}){30}' '(a?){1000}' "$deep" '(a(b(c{9}){99}){99}){99' \
		"$(printf '(a|b{9})?%.0s' {1..1500})" 'a{,,,,5}{300}{300}' 'a{99999999999999999999}' \
		'^.*+++++' '^a+++++++*+++++++' '^(a*|b*){11}' '((((a*)*)*)*){6}' '(((^|a)?)+)+++' '((a{0,2}){0,2}){0,2}{0,2}{0,2}' '(^|a)+++++' '((a?){3,}?){9}++' \
		"^b$(printf '*%.0s' {1..200})" "^b$(printf '*%.0s' {1..17})" "^(b*|a$(printf '?%.0s' {1..16}))*" "^a$(printf '*%.0s' {1..9})b$(printf '*%.0s' {1..9})" \
		'(a?|b?|c?){0,30}' "$(printf '(a?|b?)%.0s' {1..12})" "a{$(printf '%020000d' 0 | tr 0 ,)}"; do
		want_status 2 timeout 20 afsel --no-marks --where "region~\"$regex\"" "$T/in"
		said "$large"
	done
	for regex in 'a{1000}' 'a{1,99}' 'a++++' '(a|b)*(c|d)?a{2}' '[]+{9}]|a' '[^]+{99}]{2}' '((((a*)*)*)*){5}' '^.*++++' '^(a*|b*){10}$' '(^|a)++++' '^(a|b){99}+++' '((\\b){9}a*){9}' \
		'^((a{0,2}){0,2}){0,2}{0,2}' "${deep:1:101}" "^b$(printf '*%.0s' {1..16})" "^a$(printf '*%.0s' {1..9})b$(printf '*%.0s' {1..8})" "^(b*|a$(printf '?%.0s' {1..15}))*" \
		'[[:alpha:]]{3}' "$(printf 'x%.0s' {1..5000})|a.a"; do
		want_status 0 afsel --no-marks --where "region~\"$regex\"" "$T/in"
	done
	grep -q '	aaa	' "$T/out"
	want_status 2 afsel --no-marks --where 'region~"a{3,2}"' "$T/in"
	said "regular expression 'a{3,2}': "
	# the search for what an earlier part has matched takes hours, on a line of a few thousand bytes
	printf 'sample\t1\tr\t%03000d\tm\t1\n' 0 >"$T/long"
	for regex in '(.*)(.*)(.*)\\1' '[\\](.)[^]]\\9'; do
		want_status 2 timeout 20 afsel --no-marks --where "region~\"$regex\"" "$T/long"
		said 'what an earlier part has matched, cannot be looked for'
	done
	want_status 0 afsel --no-marks --where 'region~"0[\\1-9]*0\\\\*[]\\10]"' "$T/long"
	# what it repeats as it stands is no repetition
	want_status 0 afsel --no-marks --where 'region~"a\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+[+*{][*][*][*][*]"' "$T/in"
}

@test "--drop-frames: a stack of one frame without a name has no leaf that the object could be of" {
	printf 'sample\t5\tr\ta\tm\t1\tstack=\tdso=x\n' >"$T/in"
	want_status 0 afsel --no-marks --drop-frames z "$T/in"
	grep -v '^#' "$T/out" | same - <(printf 'sample\t5\tr\t[none]\tm\t1\tstack=;[none]\n')
}

@test "--time with a beginning before all lines: a note" {
	stream <<-'EOT'
	sample . 0x1 a m 1
	sample 59336000000000 0x1 a m 1
	sample 59335000001000 0x1 b m 1
	EOT
	want_status 0 afsel --time 5s, "$T/in"
	printf 'afsel: %s\n' 'lines without a time, left out because of --time: 1' \
		'no line is before 5s: their times begin at 59335.000001s (--time +5s, counts from the first)' |
		same - "$T/err"
	[ "$(grep -c '^sample' "$T/out")" -eq 2 ]
	# the first line is at that time; the end shows that the clock is known; from 0
	for time in '59335000001us,' 5s,59336s '0,' '0%,' ,60000s; do
		want_status 0 afsel --time "$time" "$T/in"
		echo 'afsel: lines without a time, left out because of --time: 1' | same - "$T/err"
	done
}

@test "a time without a comma: what it may be" {
	want_status 2 afsel --time +1s "$T/in"
	said "afsel: --time: no comma in '+1s': it must be FROM,TO ('+1s,' is from there on, ',+1s' until there)"
	want_status 2 afsel --time soon "$T/in"
	grep -qx "afsel: --time: no comma in 'soon': it must be FROM,TO" "$T/err"
	want_status 2 afsel --time '' "$T/in"
	grep -qx "afsel: --time: no comma in '': it must be FROM,TO" "$T/err"
}

@test "a time with a unit is one for --time" {
	local ns="(time is in ns here; afsel --time"
	want_status 2 afsel --where 'time>59335s' "$T/in"
	said "afsel: --where: not a number: '59335s' $ns '59335s,' takes this)"
	want_status 2 afsel --where 'time<=+1.5s' "$T/in"
	said "afsel: --where: not a number: '+1.5s' $ns ',+1.5s' takes this)"
	want_status 2 afsel --where 'time<"2026-11-22 10:00"' "$T/in"
	said "afsel: --where: not a number: '2026-11-22 10:00' $ns ',2026-11-22 10:00' takes this)"
	want_status 2 afsel --where 'time>=50%' "$T/in"
	said "afsel: --where: not a number: '50%' $ns '50%,' takes this)"
	want_status 2 afsel --where 'time>soon' "$T/in"
	grep -qx "afsel: --where: not a number: 'soon'" "$T/err"
	want_status 2 afsel --where 'time>""' "$T/in"
	grep -qx "afsel: --where: not a number: ''" "$T/err"
}

@test "escapes in a quoted value" {
	printf 'sample\t%s\t1\t%s\tm\t1\n' 1 '\xf9\x9f\xaa\xff' 2 'a"b\\c\td\ne\rf' 3 'x9' >"$T/in"
	want_status 0 afsel --where 'region="\xf9\x9F\xAA\xFf"' "$T/in"
	[ "$(grep -v '^#' "$T/out" | cut -f 2)" = 1 ]
	want_status 0 afsel --where 'region="a\"b\\c\td\ne\rf"' "$T/in"
	[ "$(grep -v '^#' "$T/out" | cut -f 2)" = 2 ]
	for text in '\xg0' '\x0g' '\x1' '\y'; do
		want_status 2 afsel --where "region=\"$text" "$T/in"
		said 'expected an escape' || said 'expected "'
	done
}

@test "--time after afagg is an error, unless the kind is named" {
	stream <<-'EOT'
	sample 1000000000 0x1 a m 1
	sample 2000000000 0x1 b m 1
	EOT
	afagg --by region "$T/in" >"$T/agg"
	want_status 1 afsel --time +0.5s,+2s "$T/agg"
	echo 'afsel: --time tests results (lines of kind agg, part or diff) by the time of their last event; put afsel before afagg, or name their --kind' >"$T/want"
	same "$T/want" "$T/err"
	tail -n 1 "$T/out" | grep -q '	partial	'
	want_status 1 afsel --time 50%, "$T/agg"
	same "$T/want" "$T/err"
	afagg --by region --partial "$T/in" >"$T/part"
	want_status 1 afsel --time 1s, "$T/part"
	same "$T/want" "$T/err"
	want_status 0 afsel --kind agg --time 1.5s, "$T/agg"
	if grep -q -e --time "$T/err"; then fail "$(cat "$T/err")"; fi
	# other conditions are about results as well
	want_status 0 afsel --where region=a "$T/agg"
	if grep -q -e --time "$T/err"; then fail "$(cat "$T/err")"; fi
}

# at FROM,TO REGION...: the samples in that time, where one has no time.
at() {
	local window=$1
	shift
	want_status 0 afsel --time "$window" "$T/in" && kept "$@" || fail "--time $window" || return
	echo "afsel: lines without a time, left out because of --time: 1" >"$T/want"
	same "$T/want" "$T/err"
}

@test "--time: from a time up to another one" {
	at 200,400 main hash_it
	at 201,401 hash_it 'a\tb'
	at ,300 main
	at 300, hash_it 'a\tb' '\.'
	at , main hash_it 'a\tb' '\.'
	at 0.2us,300ns main
	at +0,+100 main
	at +100, hash_it 'a\tb' '\.'
	at ,+0.1us main
	at +100,450 hash_it 'a\tb'
	# from 200 to 500; 33.333333333% is just before 300, and 33.333333334% just after it
	at 0%,50% main hash_it
	at 50%,100% 'a\tb' '\.'
	# the last event is at 100%, as a beginning and as an end
	at ,100% main hash_it 'a\tb' '\.'
	at 99.999999999%, '\.'
	at 100%, '\.'
	at ,33.333333333% main
	at ,33.333333334% main hash_it
	at 33.333333333%, hash_it 'a\tb' '\.'
	at 33.333333334%, 'a\tb' '\.'
	# a pipe can be read twice, too
	want_status 0 sh -c "cat '$T/in' | afsel --time 50%,100%"
	kept 'a\tb' '\.'
	# none: the times say something only about limits that are times
	want_status 0 afsel --time 10%,20% <"$T/in"
	printf 'afsel: %s\n' 'lines without a time, left out because of --time: 1' \
		'none of 5 lines was chosen' >"$T/want"
	same "$T/want" "$T/err"
	want_status 0 afsel --time 2023-11-15, "$T/in"
	same "$T/want" "$T/err"
	sed -i '2s/chosen/& (their times are from 0.000000s to 0.000000s; +1s counts from the first)/' "$T/want"
	want_status 0 afsel --time 1h, "$T/in"
	same "$T/want" "$T/err"
}

@test "--time: an event at exactly a percentage is at FROM, and not before TO" {
	stream <<-'EOT'
	run . 1 . . .
	sample 1000000000 1 a m 1
	sample 2000000000 1 b m 1
	sample 3000000000 1 c m 1
	EOT
	want_status 0 afsel --time 50%, "$T/in"
	kept b c
	want_status 0 afsel --time ,50% "$T/in"
	kept a
	want_status 0 afsel --time 50%,100% "$T/in"
	kept b c
}

@test "--time: by the time of day, which the run line gives" {
	stream <<-'EOT'
	run 1000000000 0x1 . . . wall=1700000000.5
	sample 0 0x1 a m 1
	sample 999999999 0x1 b m 1
	sample 1500000000 0x1 c m 1
	sample 61500000000 0x1 d m 1
	EOT
	want_status 0 afsel --time 2023-11-14T22:13:21, "$T/in" # 1700000001
	kept c d
	want_status 0 afsel --time 2023-11-14T22:13:20.5,2023-11-14T22:14:21Z "$T/in"
	kept c
	want_status 0 afsel --time 2023-11-14T22:13:20.499999999,2023-11-14T22:13:20.5 "$T/in"
	kept b
	want_status 0 afsel --time ,2023-11-15T00:13:20.5+02:00 "$T/in"
	kept a b
	want_status 0 afsel --time '2023-11-14 22:13,2023-11-15' "$T/in"
	kept a b c d
	want_status 0 afsel --time '2023-11-14 22:13:20.499999999,+1ns' "$T/in"
	kept b
	want_status 0 afsel --time '2023-11-14 22:13:20.999999999,+2ns' "$T/in"
	kept c
	want_status 0 afsel --time '2023-11-14 22:13:19.5,+62s' "$T/in"
	kept a b c d
	want_status 0 afsel --time '2023-11-14 22:13:19.5,+61500ms' "$T/in"
	kept a b c
	# the largest of each part, and the first year
	want_status 0 afsel --time '2023-11-13T22:14:20.5-23:59,2024-02-29T23:59:59.9+23:59' "$T/in"
	kept c d
	want_status 0 afsel --time '0001-01-01T00:00:00-23:59,2023-12-31' "$T/in"
	kept a b c d
	want_status 2 afsel --time '2023-11-14 22:13,+0' "$T/in"
	local date
	for date in 2023x11-14 2023-11x14 2023-1-14 2023-11-31 '2023-11-14x22:13' 2023-02-29; do
		want_status 2 afsel --time "$date," "$T/in"
	done
	# the run's line has no time: its time of day is that of time 0
	sed '/^run/s/\t1000*\t/\t.\t/' "$T/in" >"$T/dotted"
	grep -q '^run	[.]	' "$T/dotted"
	want_status 0 afsel --time '2023-11-14 22:13:20.5,+1s' "$T/dotted"
	[ "$(sed -n '/^sample/p' "$T/out" | cut -f 4 | tr -d '\n')" = ab ]
	want_status 2 afsel --time '2023-11-14 22:13,+99999999999h' "$T/in"
	sed -i 's/wall=[0-9.]*/app=a/' "$T/in"
	want_status 1 afsel --time 2023-11-14, "$T/in"
	said "afsel: $T/in:3: run 0x1: its time of day is not known (no wall= in its run line), so none of its lines can be chosen by date"
	[ "$(grep -c 'time of day' "$T/err")" -eq 1 ]
	# a run line that cannot be used: its time of day, or its time
	sed -i 's/app=a/wall=yesterday/' "$T/in"
	want_status 1 afsel --time 2023-11-14, "$T/in"
	said "afsel: $T/in:3: run 0x1: its time of day is not known (wall= in its run line is no time of day in seconds, year 0 to 9999), so none of its lines can be chosen by date"
	sed -i 's/wall=yesterday/wall=1700000000/; /^run/s/\t1000*\t/\tsoon\t/' "$T/in"
	grep -q '^run	soon	' "$T/in"
	want_status 1 afsel --time 2023-11-14, "$T/in"
	said "its time of day is not known (the time of its run line is not a number), so none of its lines can be chosen by date"
	sed -i '/^run/d' "$T/in"
	want_status 1 afsel --no-marks --time 2023-11-14, "$T/in"
	said "its time of day is not known (no run line before its lines), so"
	grep '^sample' "$T/in" | sed '1i run	soon	0x1	.	.	.	wall=1700000000' >"$T/again"
	mv "$T/again" "$T/in"
	# a later run line that can be used counts
	{
		cat "$T/in"
		grep '^run' "$T/in" | sed 's/soon/1000/'
	} | sort >"$T/both"
	want_status 0 afsel --no-marks --time 2023-11-14, "$T/both"
	[ "$(grep -c ^sample "$T/out")" -eq 4 ]
}

@test "--time: seconds of wall= before 1970, far from it, and too many of them" {
	# walled WALL DATE KEPT...: with that in the run line, these are chosen from the date on.
	walled() {
		stream <<-EOT
		run 1000000000 1 . . . wall=$1
		sample 0 1 a m 1
		sample 1000000000 1 b m 1
		sample 2500000000 1 c m 1
		EOT
		want_status 0 afsel --time "$2," "$T/in" && kept "${@:3}" || fail "$*"
	}
	walled 0 1970-01-01T00:00:00 b c
	walled 0.000000001 1970-01-01T00:00:00.000000002 c
	walled -0 1970-01-01T00:00:00 b c
	walled -1 1970-01-01T00:00:00 c
	walled -1 1969-12-31T23:59:59 b c
	walled -1.25 1969-12-31T23:59:58.75 b c
	walled -1.25 1969-12-31T23:59:58.750000001 c
	walled -0.000000001 1969-12-31T23:59:59.999999999 b c
	walled -0.000000001 1970-01-01T00:00:00 c
	walled -62135596800 0001-01-01 b c # the first second that has a date
	walled 253402300799.999999999 9999-12-31T23:59:59.999999999 b c # and the last one
	walled 951782400 2000-02-29 b c
	walled 951782400 2000-03-01
	walled 1.0000000009999 1970-01-01T00:00:01 b c # digits beyond nanoseconds count nothing
	walled 1.0000000009999 1970-01-01T00:00:01.000000001 c
	walled 1700000000.123456789012 2023-11-14T22:13:20.123456789 b c
	walled 17E8 2023-11-14T22:13:20 b c
	walled 1.7000000005e9 2023-11-14T22:13:20.500000001 c
	walled -1.25e0 1969-12-31T23:59:58.75 b c
	walled -62167219200 0001-01-01 # year 0, which no date can have
	local wall
	for wall in 253402300800 -62167219200.000000001 9223372036854775807 18446744073709551616 1e12 \
		1e99999999999999999999 340282366920938463463374607431768211456 --1 1e 0x1 1,5 - .; do
		stream <<-EOT
		run 1000000000 1 . . . wall=$wall
		sample 0 1 a m 1
		EOT
		want_status 1 afsel --time 2023-11-14, "$T/in" || fail "$wall"
		echo "afsel: $T/in:3: run 1: its time of day is not known (wall= in its run line is no time of day in seconds, year 0 to 9999), so none of its lines can be chosen by date" >"$T/want"
		head -n 1 "$T/err" | same "$T/want" - || fail "$wall"
	done
}

@test "--time: each run has its own clock" {
	stream <<-'EOT'
	run . 1 . . .
	run . 2 . . .
	sample 1000 1 a m 1
	sample 5 2 b m 1
	sample 1010 1 c m 1
	sample 15 2 d m 1
	sample 1004 1 e m 1
	EOT
	want_status 0 afsel --time ,+5 "$T/in"
	kept a b e
	want_status 0 afsel --time 50%, "$T/in"
	kept c d
	# a line before the first one
	sed -i 's/1004/990/' "$T/in"
	want_status 0 afsel --time +0, "$T/in"
	said "afsel: lines with a time before the first event of their run: 1"
	kept a b c d
	want_status 1 afsel --strict --time +0, "$T/in"
	want_status 0 afsel --time ,50% "$T/in"
	kept b e
}

@test "--time: times that are none" {
	local window
	for window in '' 5 'a,' '5x,' '5,5' '6,5' '+5,+4' '50%,50%' '101%,' '1.5,' '0.0000000001s,' '-5,' \
		'2023-02-29,' '2023-13-01,' '2023-11-14T24:00,' '2023-11-14T10,' '2023-11-14T10:00:60,' \
		'2023-11-14T10:00x,' '2023-11-14T10:00:5,' '2023-11-14T10:00:010,' '2023-11-14T10:00:599,' '0000-01-01,' '1,2,3' '999999999999999999999999999999999999999999,' \
		'2023-00-01,' '2023-11-00,' '2023-11-31,' '1900-02-29,' '2023-11-14T10:60,' \
		'2023-11-14T10:00+24:00,' '2023-11-14T10:00-24:00,' '2023-11-14T10:00+02:60,' \
		'100.000000001%,' '18446744073709551616%,' '%,' 'x%,' '5x%,' '5%%,' '1.5.5%,' '+5%,' '.,' '2000-02-30,' '2100-02-29,' \
		"$(printf '0%.0s' {1..70})" "$(printf '0%.0s' {1..70})x,"; do
		want_status 2 afsel --time "$window" "$T/in" || fail "$window"
		said "afsel: --time: " || fail "$window"
	done
	printf 'sample\tx\tr\ta\tm\t1\nsample\t5\tr\tb\tm\t1\n' >"$T/in"
	want_status 1 afsel --time 1, "$T/in"
	said "afsel: $T/in:1: time is not a number below 2^128: 'x'"
	[ "$(grep -c '^sample' "$T/out")" -eq 1 ]
}

@test "input that is cut: the end is partial, also for what reads it next" {
	sed '$d' "$T/in" >"$T/cut"
	want_status 1 afsel --where comm=job "$T/cut"
	said "afsel: $T/cut: no end mark of test x"
	tail -n 1 "$T/out" | grep -q '^#end	afsel	.*	partial	'
	want_status 1 sh -c "afsel --where comm=job '$T/cut' 2>/dev/null | afagg --by region"
	said "afagg: -:"
	sed '$s/complete/complete\tlost=3/' "$T/in" >"$T/lost"
	want_status 0 afsel --where comm=job "$T/lost"
	tail -n 1 "$T/out" | grep -q '	complete	lost=3$'
}

@test "what it keeps is whole" {
	sed -i -E '/^(header|section|pause)/d; $s/14/11/' "$T/in"
	want_status 0 sh -c "afsel --whole --where comm=job '$T/in' | afagg --whole --by region"
	silent
}

@test "a line is taken as it is" {
	want_status 0 afsel "$T/in"
	silent
	grep -v '^#' "$T/in" >"$T/want"
	grep -v '^#' "$T/out" >"$T/got"
	same "$T/want" "$T/got"
}

@test "lines come out while the input waits" {
	mkfifo "$T/fifo"
	afsel --where region=f <"$T/fifo" >"$T/out" 3>&- &
	exec 9>"$T/fifo"
	printf 'sample\t1\t.\tf\tm\t1\n' >&9
	soon grep -q '^sample' "$T/out"
	exec 9>&-
	wait $!
}

# bats test_tags=slow,sanitize
@test "random streams, conditions and times, as a judge in python sees them" {
	local n=150
	need python3
	[ -z "${AFPIPE_SLOW-}" ] || n=3000
	want_status 0 python3 "$ROOT/t/tools/seljudge.py" 1 $n "$T"
	silent
	grep -qE '^[0-9]{4,} kept, [0-9]{4,} left out$' "$T/out"
}

@test "conditions and times of any bytes: what fuzzing found, and damaged ones" {
	helpers fuzz-select
	want_status 0 fuzz-select "$ROOT"/t/fuzz/corpus/select/*
	silent
	want_status 0 fuzz-select --prefixes 1 "$ROOT"/t/fuzz/corpus/select/*
	silent
	want_status 0 fuzz-select --flips 2000 1 "$ROOT"/t/fuzz/corpus/select/*
	silent
	want_status 0 fuzz-select --random 5000 1
	silent
}

# bats test_tags=slow
@test "texts with ; and =, however the stream spells them" {
	local text
	for text in 'a;b' 'a\x3bb' 'a=b' 'a\x3db' 'a;b=c' 'a\x3bb\x3dc' ab; do
		event sample 1 f m 1 "comm=$text"
	done >"$T/in"
	for text in 'a;b:1,2' 'a=b:3,4' 'a;b=c:5,6' 'ab:7'; do
		want_status 0 afsel --where "comm='${text%:*}'" "$T/in"
		silent
		unmarked "$T/out" >"$T/got"
		sed -n "${text#*:}p" "$T/in" | same - "$T/got" || fail "$text" || return
	done
}

# bats test_tags=slow
@test "the time is proportional to the length, also of crafted lines" {
	need valgrind
	# names without end while a key is missing, and long stacks
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 20000; i++) {
			s = "main"
			for (j = 0; j < 20; j++)
				s = s ";f" (i + j) % 97
			print "sample", i, "r", "f", "m", i, "tag.k" i "=1", "stack=" s
		}
	}' >"$T/large"
	head -n 2000 "$T/large" >"$T/small"
	linear "$T/small" "$T/large" afsel --where 'x?=1 || stack~^f9 && frame!=f7 || y=1'
}

@test "only some starts and stops of a run: durations from them would be others" {
	local why='only some starts and stops of a run were chosen: afdur computes self times, depths and stacks from all of them, so put afsel after it'
	{
		event start 0 a . .
		event start 1 b . .
		event stop 2 b . .
		event stop 3 a . .
		run=0x2 event start 0 c . .
		run=0x2 event stop 1 c . .
		event sample 1 b m 1
	} >"$T/stream"
	want_status 0 afsel --where region=a "$T/stream"
	said "afsel: $why"
	want_status 0 afsel --time 1ns, "$T/stream"
	said "afsel: $why"
	# whole runs, all of them, or none are not some
	want_status 0 afsel --where run=0x2 "$T/stream"
	silent
	want_status 0 afsel --where 'region~.' "$T/stream"
	silent
	want_status 0 afsel --where region=b --kind sample "$T/stream"
	silent
}

@test "only some results of a measure: percentages would be parts of those" {
	local why='only some results of a measure were chosen: percentages of aftab will be parts of those (afagg --stat share gives parts of all)'
	{
		event agg . a m 1 stat=count
		event agg . a m 10 stat=sum
		event agg . a n 10 stat=sum
		event agg . b m 2 stat=max
		event agg . c m 2 stat=max
		event agg . c t 2 stat=sum total=4
		event agg . d t 2 stat=sum total=4
	} >"$T/stream"
	event agg . b m 20 stat=sum >"$T/more"
	cat "$T/stream" "$T/more" >"$T/both"
	want_status 0 afsel --where region=a "$T/both"
	said "afsel: $why"
	# whole runs
	sed 's/	0x1	/	0x2	/' "$T/both" >>"$T/both.2"
	cat "$T/both.2" >>"$T/both"
	want_status 0 afsel --where run=0x2 "$T/both"
	silent
	want_status 0 afsel --where 'run=0x2 && region=a' "$T/both"
	said "afsel: $why"
	# all results of a column, or none; columns without percentages; with a total
	want_status 0 afsel --where measure=m "$T/both"
	silent
	want_status 0 afsel --where stat=sum "$T/both"
	silent
	want_status 0 afsel --where region=a "$T/stream"
	silent
	want_status 0 afsel --where region=c "$T/stream"
	silent
	# partial results, whose statistics are in a list
	{
		event sample . a m 1
		event sample . b m 2
	} >"$T/samples"
	afagg --by region --partial "$T/samples" >"$T/parts"
	want_status 0 afsel --where region=a "$T/parts"
	said "afsel: $why"
	want_status 0 afsel --where measure=m "$T/parts"
	silent
	afagg --by region --stat max,sum --partial "$T/samples" >"$T/parts"
	want_status 0 afsel --where region=a "$T/parts"
	said "afsel: $why"
	afagg --by region --stat max --partial "$T/samples" >"$T/parts"
	want_status 0 afsel --where region=a "$T/parts"
	silent
}

@test "results of several runs cannot be chosen by run" {
	local cond
	local why='afsel: results of several runs (run=.) cannot be chosen by run, since they contain those of all: put afsel before afagg, or use afagg --by run,...'
	for run in 1 2; do
		event run 1 . . . host=h$run
		event sample 1 both m $run unit=ns
		event sample 1 only$run m $run unit=ns
	done >"$T/events"
	afagg --by region --stat sum "$T/events" >"$T/agg"
	afagg --by region --stat sum --partial "$T/events" >"$T/parts"
	afagg --partial "$T/parts" >"$T/merged"
	# they would be kept without a run, or left out with it
	for cond in run!=2 run=1 run.host!=h2 run.host=h1 'run.host~h' 'run=1 && region=both' 'run=1 || region=only2'; do
		for f in agg merged; do
			want_status 1 afsel --where "$cond" "$T/$f"
			said "$why"
			[ "$(tail -n 1 "$T/out" | cut -f 5)" = partial ]
		done
	done
	# no run is left out; these results are meant; they are ruled out by more than their run
	for cond in run!=3 'run.host!=h3' run=. run!=. 'run=1 && region=only1' 'run=1 || region~.' region=both; do
		want_status 0 afsel --where "$cond" "$T/agg"
		! grep -q 'several runs' "$T/err" || fail "$cond"
	done
	# those of each run, and events
	afagg --by run,region --stat sum "$T/events" >"$T/agg"
	for f in agg parts events; do
		want_status 0 afsel --where run!=2 "$T/$f"
		! grep -q 'several runs' "$T/err" || fail "$f"
	done
	[ "$(afsel --where run!=2 "$T/parts" 2>"$T/err" | afagg | grep '^agg' | cut -f 4,6 | tr '\t\n' '= ')" = 'both=1 only1=1 ' ]
}

@test "stack~ with ; is a path through the stack; each function alone otherwise" {
	{
		event sample 1 b m 1 'stack=main;a;b'
		event sample 2 c m 1 'stack=main;a;b;c'
		event sample 3 b m 1 'stack=main;ba;b'
		event sample 4 b m 1 'stack=main;x;a\x3bb;b'
		event sample 5 b m 1
	} >"$T/stream"
	chosen() {
		local want=$1
		shift
		want_status 0 afsel "$@" "$T/stream" || return
		[ "$(grep '^sample' "$T/out" | cut -f 2 | tr -d '\n')" = "$want" ] ||
			fail "$* chooses $(grep '^sample' "$T/out" | cut -f 2 | tr -d '\n'), not $want"
	}
	chosen 124 --where 'stack~;a;b'
	chosen 1234 --where 'stack~a;b'
	chosen 35 --where 'stack!~;a;b'
	chosen 1 --where 'stack~main;a;b$'
	chosen 12 --where 'stack~^main;[^;]*;b && stack~^a$'
	chosen 5 --where 'stack!~a;b'
	chosen 134 --where 'region=b && stack~^b$'
	# the name of one function may have one, too
	chosen 4 --where 'frame~a;b'
}

@test "a function that is no region but in stacks: the message says how many, and how to choose them" {
	{
		event sample 1 _PyEval m 1 'stack=main;checksum;_PyEval' comm=a
		event sample 2 _PyEval m 1 'stack=main;check(sum);_PyEval' comm=b
		event sample 3 _PyEval m 1 comm=b
	} >"$T/stream"
	advised() {
		want_status 0 afsel --where "$1" "$T/stream"
		echo "afsel: none of 3 lines was chosen$2" | same - "$T/err"
	}
	advised 'region~check' ' (it is in 2 stacks: frame~check)'
	advised 'region~^check && comm=a' ' (it is in 2 stacks: frame~^check)'
	advised 'region=checksum' ' (it is in 1 stack: frame=checksum)'
	advised 'region=check' ' (= compares the whole value, ~ finds a part of it)'
	advised 'region~nothing' ''
	advised 'region!~_PyEval' ''
	# it is a region: something else is why nothing was chosen
	advised 'region~_PyEval && comm=c' ' (= compares the whole value, ~ finds a part of it)'
	advised 'region~main && comm=c' ' (it is in 2 stacks: frame~main)'
	want_status 0 afsel --where 'region~check || comm=b' "$T/stream"
	silent
}

# frames REGEX KEEPS FILE: the file with only the frames that match (KEEPS 1) or do not (0), by awk.
# As many tags as the streams below have.
frames() {
	awk -F '\t' -v OFS='\t' -v re="$1" -v keeps="$2" '
		$1 != "sample" && $1 != "span" { print; next }
		{
			n = some = leaf = 0; stack = lines = last = ""; delete line
			for (i = 7; i <= NF; i++) {
				if ($i ~ /^stack=/) n = split(substr($i, 7), frame, ";")
				if ($i ~ /^lines=/) split(substr($i, 7), line, ";")
			}
			if (n == 0) { flat = 1; n = 1; frame[1] = $4 } else flat = 0
			left = 0
			for (i = 1; i <= n; i++) {
				mark = !flat && frame[i] ~ /^\[(truncated|\.\.\.)\]$/
				fits = (frame[i] ~ re) == keeps
				if (!mark && !fits) { leaf = 0; continue }
				stack = stack (left ? ";" : "") frame[i]
				lines = lines (left ? ";" : "") line[i]
				left++
				leaf = !mark
				if (!mark) { some = 1; last = frame[i] }
			}
			if (left == n && some) { print; next }
			if (!some) { last = "[none]"; stack = stack (left ? ";" : "") last; lines = lines (left ? ";" : "") "?" }
			if (!leaf) $4 = last
			out = $1 OFS $2 OFS $3 OFS $4 OFS $5 OFS $6
			for (i = 7; i <= NF; i++) {
				if ($i ~ /^stack=/) out = out OFS "stack=" stack
				else if ($i ~ /^lines=/) out = out OFS "lines=" lines
				else if ($i ~ /^(frames|inlined|place|depth|parent)=/) continue
				else if (leaf || $i !~ /^(ip|dso|symoff|line|forced)=/) out = out OFS $i
			}
			print out
		}' "$3"
}

# stacks N: samples with random stacks, marks in some of them, and everything that describes frames.
stacks() {
	awk -v n="$1" 'BEGIN {
		srand(11)
		OFS = "\t"
		print "run", 1, "r", ".", ".", ".", "app=x"
		for (i = 0; i < n; i++) {
			depth = int(rand() * 7)
			stack = lines = ""
			for (k = 0; k < depth; k++) {
				leaf = rand() < 0.5 ? "py::f" int(rand() * 4) : "_Py" int(rand() * 3)
				if (k == 0 && depth > 1 && rand() < 0.2) leaf = "[truncated]"
				if (k == depth - 2 && k > 0 && rand() < 0.1) leaf = "[...]"
				stack = stack (k ? ";" : "") leaf
				lines = lines (k ? ";" : "") "f.c:" int(rand() * 100)
			}
			line = "sample" OFS i OFS "r" OFS (depth ? leaf : rand() < 0.5 ? "py::f1" : "_Py1") OFS "m" OFS int(rand() * 1000)
			line = line OFS "pid=1" OFS "mode=u" OFS "ip=0x" i OFS "dso=/lib" OFS "symoff=0x1" OFS "line=a.c:1"
			if (depth) line = line OFS "stack=" stack
			if (depth && rand() < 0.5) line = line OFS "lines=" lines
			print line OFS "place=x" OFS "frames=a;b" OFS "inlined=0;1" OFS "weight=3"
		}
		print "lost", 9, "r", ".", ".", 7, "why=full"
		print "start", 9, "r", "_Py1", ".", ".", "scope=region"
	}'
}

@test "--keep-frames, --drop-frames: what describes other frames goes, values stay" {
	local regex
	stacks 2000 >"$T/stream"
	for regex in '^py::' '^_Py' 'f[12]' Py1 nothing .; do
		want_status 0 afsel --keep-frames "$regex" "$T/stream"
		frames "$regex" 1 "$T/stream" >"$T/want"
		unmarked "$T/out" >"$T/got"
		same "$T/want" "$T/got"
		none=$(grep -c $'\t\\[none\\]\t' "$T/got" || :)
		if [ "$none" -ne 0 ]; then
			echo "afsel: $none of 2000 lines have no frame that matches '$regex': their region is [none]" | same - "$T/err"
		else
			silent
		fi
		want_status 0 afsel --drop-frames "$regex" "$T/stream"
		frames "$regex" 0 "$T/stream" >"$T/want"
		unmarked "$T/out" >"$T/got"
		same "$T/want" "$T/got"
	done
	# the total is that of all samples
	awk -F '\t' '$1 == "sample" { s += $6 } END { print s }' "$T/stream" >"$T/want"
	afsel --keep-frames '^py::' "$T/stream" 2>"$T/err" | afagg --stat sum | grep '^agg' | cut -f 6 | same "$T/want" -
	# conditions are about lines as they were
	want_status 0 afsel --where 'frame~^py:: && region~^_Py' --keep-frames '^py::' "$T/stream"
	silent
	[ "$(grep -c '^sample.*_Py' "$T/out")" -eq 0 ]
	[ "$(grep -c '^sample' "$T/out")" -eq "$(awk -F '\t' '/stack=.*py::/ && $1 == "sample" && $4 ~ /^_Py/' "$T/stream" | wc -l)" ]
}

@test "frames with escapes, and lines that have none" {
	{
		event sample 1 'g;h' m 1 'stack=a;g\x3bh' dso=x
		event sample 2 a m 1 'stack=g\x3bh;a' dso=x
		event sample 3 'g;h' m 1 dso=x
		event sample 4 . m 1
		event comm 5 . . . pid=1
		event agg 6 a m 1 stat=sum
	} >"$T/stream"
	want_status 0 afsel --keep-frames '^g;h$' "$T/stream"
	{
		event sample 1 'g;h' m 1 'stack=g\x3bh' dso=x
		event sample 2 'g;h' m 1 'stack=g\x3bh'
		event sample 3 'g;h' m 1 dso=x
		event sample 4 . m 1
		event comm 5 . . . pid=1
		event agg 6 a m 1 stat=sum
	} >"$T/want"
	unmarked "$T/out" | same "$T/want" -
	silent
}

@test "frames of regions: values that contain others go with their regions, self times move" {
	printf '%s\t%s\tr\t%s\t.\t.\tscope=region\tid=%s\n' start 0 a 1 start 10 b 2 start 20 c 3 stop 50 . 3 stop 90 . 2 stop 100 . 1 >"$T/regions"
	afdur "$T/regions" >"$T/spans"
	want_status 0 afsel --keep-frames '[ac]' "$T/spans"
	echo "afsel: left out values of inclusive, union and .delta whose regions do not stay: 1 (the values of regions around them contain them)" |
		same - "$T/err"
	grep ^span "$T/out" | cut -f 4-6 | LC_ALL=C sort >"$T/got"
	printf '%s\tself\t%s\n' a 20 a 50 c 30 | cat - <(printf '%s\tinclusive\t%s\n' a 100 c 30) | LC_ALL=C sort >"$T/want"
	same "$T/want" "$T/got"
	[ "$(grep -c 'stack=a;c' "$T/out")" -eq 2 ]
	[ "$(grep -c 'parent=b' "$T/out")" -eq 0 ]
}

@test "frames of a line that is nearly too long: what has no room is named" {
	local long=$((16 * 1024 * 1024 - 60))
	{
		printf 'sample\t1\tr\tb\tm\t1\tstack=a;b\tlines='
		head -c $long /dev/zero | tr '\0' x
		printf ';y\n'
		printf 'sample\t2\tr\tb\tm\t1\tlines=x;y\tstack='
		head -c $long /dev/zero | tr '\0' a
		printf ';b\n'
	} >"$T/in"
	want_status 0 afsel --no-marks --keep-frames a "$T/in"
	said 'tags left out of lines that would be longer than 16 MiB: 3'
	unmarked "$T/out" | cut -c 1-100 | tr '\t' ' ' | same - <(printf 'sample %s\n' \
		'1 r a m 1 stack=a omitted=lines' '2 r . m 1 lines=x omitted=column;stack')
}

@test "frames that cannot be chosen" {
	event sample 1 a m 1 >"$T/stream"
	want_status 1 afsel --keep-frames a "$T/stream"
	said "afsel: no line has 'stack', which '--keep-frames' needs (perf record -g records stacks)"
	want_status 2 afsel --keep-frames '(' "$T/stream"
	said "afsel: --keep-frames: regular expression '('"
	want_status 2 afsel --drop-frames '' "$T/stream"
	said "afsel: --drop-frames: an empty regular expression"
	want_status 2 afsel --drop-frames a --keep-frames b "$T/stream"
	said "only one of"
}

@test "frames of results cannot be chosen any more" {
	local result
	cd "$T"
	echo "afsel: --drop-frames changes no results (lines of kind agg, part or diff), so their stacks" \
		'still have all frames: put afsel before afagg' >want
	for result in 'agg 1 . m 1 stack=main;f' 'agg 1 . m 1 frame=main' 'part 1 . m . stack=main;f' \
		'part 1 . m . frame=main' \
		'diff . . m 1 stack=main;f' 'diff . . m 1 frame=main'; do
		# shellcheck disable=SC2086 # words
		event $result stat=sum >in
		want_status 1 afsel --no-marks --drop-frames main in
		same want err
		unmarked out >got
		same in got
	done
	# results without functions, such as those of AFPerf, may be among events
	{
		event sample 1 f m 1 'stack=main;f'
		event agg 1 f m 1 stat=sum
	} >in
	want_status 0 afsel --no-marks --keep-frames main in
	silent
	event agg 1 f m 1 'stack=main;f' stat=sum >>in
	want_status 1 afsel --no-marks --keep-frames main in
	said 'afsel: --keep-frames changes no results'
	# what conditions leave out is not there
	want_status 0 afsel --no-marks --keep-frames main --where kind=sample in
	silent
}

# two_runs: in $T/in, for each of the runs 1 and 2: lines of all sorts, and an event in a and b.
two_runs() {
	local run
	for run in 1 2; do
		cat <<-EOT
		run 100 $run . . . tag.build=b$run tag.build=x host=h
		measure . $run . m . type=int64 unit=ns
		header . $run os . 6.1
		origin . $run . . . host=h
		section . $run s . . id=1
		sample 200 $run a m 1 stack=main;a cpu=$run
		pause 250 $run . . . start=240
		sample 300 $run b m 2 stack=main;b cpu=.
		lost . $run . . ${run}0 why=full
		lost . $run . . ${run}1 why=full again=$run
		lost . $run . . . why=unknown
		incomplete . $run . unwind $run why=short
		novel . $run . . . fresh=1
		EOT
	done >"$T/lines"
	{
		cat "$T/lines"
		echo 'measure . . . all . unit=s'
		echo 'lost . . . . 5 why=full'
	} | stream
	# 10 + 10, 20 + 19 and 5
	sed -i 's/complete$/complete	lost=64	incomplete=3/' "$T/in"
}

# runs_kept WANT ARGUMENT...: the lines that are not events are those of these runs; "." is those
# without one.
runs_kept() {
	local want=$1 run
	shift
	want_status 0 afsel "$@" "$T/in" || return
	for run in $want; do
		awk -F '\t' -v run="$run" '!/^#/ && $1 != "sample" && $3 == run' "$T/in"
	done >"$T/want"
	awk -F '\t' '!/^#/ && $1 != "sample"' "$T/out" >"$T/got"
	same "$T/want" "$T/got" || fail "$*"
}

@test "a run of which no event can match: what describes it is left out" {
	two_runs
	runs_kept '1 .' --where 'run=1'
	awk -F '\t' '$1 == "sample" && $3 == 1' "$T/in" >"$T/want"
	grep ^sample "$T/out" | same "$T/want" -
	runs_kept '1 .' --where 'run!=2'
	runs_kept '1 .' --where 'run<2'
	runs_kept '2 .' --where '!(run~^1)'
	runs_kept '1 .' --where '!(run=2 || region=b)'
	runs_kept '1 .' --where 'run=1 && cpu=. || run=1 && frame=a'
	runs_kept '1 .' --where '(region=a || run=1) && run!=2'
	runs_kept '1 .' --where 'frame~a' --and 'run!=2'
	runs_kept '1 .' --where 'run=1' --time 150,250
	runs_kept '1 .' --kind sample --where 'run=1'
	# no event does, but one could
	runs_kept '1 2 .' --where 'region=x'
	runs_kept '1 2 .' --where 'run=1 || region=x'
	runs_kept '1 2 .' --where 'run=1' --or 'region=a'
	runs_kept '1 2 .' --where '!(run=2 && region=a)'
	runs_kept '1 2 .' --where 'kind!=sample'
	runs_kept '1 2 .' --time 900,
	runs_kept '.' --where 'run=3'
	said 'afsel: none of 4 lines was chosen (= compares the whole value, ~ finds a part of it)'
	runs_kept '.' --where 'run=1 && run=2'
	# kinds that are named are tested as events are
	want_status 0 afsel --kind run,lost --where 'run=1' "$T/in"
	awk -F '\t' '!/^#/ && $1 != "sample" && ($3 == 1 || $3 == "." && $1 == "measure")' "$T/in" >"$T/want"
	unmarked "$T/out" | same "$T/want" -
}

@test "a run of which no event can match, by a tag of its run line" {
	two_runs
	runs_kept '1 .' --where 'run.tag.build=b1'
	runs_kept '1 .' --where '!(run.tag.build=b2) && run.host=h'
	runs_kept '1 .' --where 'run.tag.build=b1 && (region=a || cpu=1)'
	runs_kept '1 2 .' --where 'run.tag.build=b1 || region=a'
	runs_kept '1 2 .' --where 'run.host=h'
	# a run line without the tag
	sed -i 's/tag.build=b2	tag.build=x/app=y/' "$T/in"
	runs_kept '1 .' --where 'run.tag.build=b1'
	runs_kept '2 .' --where 'run.tag.build=.'
	# without a run line nothing is known
	sed -i '/^run	100	2/d' "$T/in"
	runs_kept '1 2 .' --where 'run.tag.build=b1'
	runs_kept '1 .' --where 'run.tag.build=b1 && run=1'
	# the last one counts, as it does for events
	{
		grep '^run	100	1' "$T/in" | sed 's/build=b1/build=b0/'
		run=1 event lost . . . 1
		grep '^run	100	1\|^lost	.	1' "$T/in"
	} >"$T/twice"
	want_status 0 afsel --where 'run.tag.build=b1' "$T/twice"
	unmarked "$T/out" >"$T/got"
	grep '^run	100	1\|^lost	.	1' "$T/in" | same - "$T/got"
}

@test "what a filter dropped as requested is no loss, also in a run that is left out" {
	{
		run=1 event run 0 . . . host=a
		run=1 event sample 1 f m 1
		run=1 event lost . . . 500 why=bpf
		run=2 event run 0 . . . host=b
		run=2 event sample 1 f m 1
		run=2 event lost 3 . . 300 why=lost
	} | stream
	sed -i 's/complete$/complete	lost=300/' "$T/in"
	want_status 0 afsel --where run.host=b "$T/in"
	[ "$(tail -n 1 "$T/out")" = "#end	afsel	$T/in	3	complete	lost=300" ]
	want_status 0 afsel --where run.host=a "$T/in"
	[ "$(tail -n 1 "$T/out")" = "#end	afsel	$T/in	3	complete" ]
}

@test "losses of a run that is left out are not counted" {
	two_runs
	# ends OPTION... WORDS: the end mark has these words.
	ends() {
		want_status 0 afsel "${@:1:$#-1}" "$T/in"
		[ "$(tail -n 1 "$T/out" | cut -f 5- | tr '\t' ' ')" = "complete${*: -1}" ] ||
			fail "$*: $(tail -n 1 "$T/out")"
	}
	ends --where 'region=a' ' lost=64 incomplete=3'
	ends --where 'run=1' ' lost=25 incomplete=1'
	ends --where 'run!=1' ' lost=44 incomplete=2'
	ends --where 'run=3' ' lost=5'
	ends --kind sample,lost --where 'run=1' ' lost=25 incomplete=1'
	# what the mark does not count
	sed -i 's/	lost=64	incomplete=3/	lost=7/' "$T/in"
	ends --where 'run=1' ''
	# more than there are, and numbers that are none
	local n left
	for n in '3 again=3:7' '3 again=2:6' '3 again=4:4' '3 again=x:4' '-3:7' '18446744073709551615:0' \
		'18446744073709551615 again=18446744073709551614:6' \
		'18446744073709551615 again=18446744073709551615:7' '18446744073709551616:7'; do
		printf 'lost . 2 . . %s\n' "${n%:*}" | stream
		sed -i 's/complete$/complete	lost=7/' "$T/in"
		left=" lost=${n#*:}"
		ends --where run=1 "${left#" lost=0"}"
	done
	printf 'lost . 2 . . %s\n' 18446744073709551615 5 | stream
	sed -i 's/complete$/complete	lost=7/' "$T/in"
	ends --where run=1 ''
}

@test "run lines without end take no memory for what a message could say about them" {
	need valgrind
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers look for leaks in all tests"
	local where
	printf 'run\t.\t%s\t.\t.\t.\tapp=foo\n' abc bcd cde >"$T/in"
	for where in run.app=Foo 'run.app!=FOO' run=ABC 'run=Bcd || run.app=fOO' 'run.app~^F || run~^A' 'run.app<5'; do
		AFPIPE_SANDBOX=0 valgrind -q --leak-check=full --error-exitcode=77 --log-file="$T/found" \
			afsel --no-marks --where "$where" "$T/in" >"$T/out" 2>"$T/err" || fail "$where: $(cat "$T/found")"
	done
}

@test "afdiff without a run that afsel leaves out" {
	two_runs
	cd "$T" || return
	local run
	for run in 3 4 5; do
		grep '^\(run\|measure\|sample\)	[^	]*	1	' in | sed "s/	1	/	$run	/"
	done >added
	want_status 0 afagg --by run,region --stat sum --no-marks in added
	grep -v '^lost\|^incomplete\|^novel' out >before
	sed 's/	2	stat/	3	stat/; /^agg/s/	1	\([ab]\)	/	1	\1	7/' before >after
	want_status 0 afsel --where 'run!=1' after
	mv out less
	want_status 0 afdiff --normalise total before less
	want_status 0 afdiff before less
	[ "$(grep -c 'n.before=5	n.after=4' out)" -eq 2 ] || fail "$(cat out)"
}

@test "--drop-frames: what is left has no name" {
	printf 'sample\t1\tr\ta\tm\t1\tstack=b;\nsample\t2\tr\ta\tm\t1\tstack=;c;\n' >"$T/in"
	want_status 0 afsel --no-marks --drop-frames '^b' "$T/in"
	said 'afsel: 1 of 2 lines have no frame that does not match'
	sed '/^#/d' "$T/out" >"$T/once"
	printf 'sample\t1\tr\t[none]\tm\t1\tstack=;[none]\nsample\t2\tr\ta\tm\t1\tstack=;c;\n' | same - "$T/once"
	want_status 0 afsel --no-marks --drop-frames '^b' "$T/once"
	sed '/^#/d' "$T/out" | same "$T/once" -
}

@test "--drop-frames in a Perun stream: a function has one name, whether its line loses a frame or not" {
	local t='{"source":"a.c","function":"%s","line":%s}' main leaf
	main=${t/\%s/main} leaf=${t/\%s/leaf}
	main=${main/\%s/3} leaf=${leaf/\%s/9}
	echo '{"snapshots":[{"resources":[{"amount":8,"uid":'"$main"',"trace":['"$main"']},
		{"amount":4,"uid":'"$leaf"',"trace":['"$leaf,$main"']},{"amount":2,"uid":'"$main"'}]}]}' >"$T/p"
	perundec "$T/p" >"$T/in"
	want_status 0 afsel --drop-frames leaf "$T/in"
	[ "$(grep ^sample "$T/out" | cut -f 4,6 | tr '\t\n' '= ')" = 'main=8 main=4 a.c:main:3=2 ' ]
	said 'perunenc and perunquery do not see which frames were left out, since they read json=: lines that have it: 1'
	want_status 0 afsel --keep-frames 'main|leaf' "$T/in"
	silent
	[ "$(grep ^sample "$T/out" | cut -f 4,6 | tr '\t\n' '= ')" = 'main=8 leaf=4 a.c:main:3=2 ' ]
	[ "$(grep -c 'stack=' "$T/out")" -eq 2 ]
}

@test "--drop-frames: lines of source without a stack belong to no frame" {
	printf 'sample\t1\tr\tb\tm\t1\tstack=x;a;b\tlines=x:1;a:1;b:2\nsample\t2\tr\tb\tm\t1\tlines=x:1;a:1;b:2\n' >"$T/in"
	want_status 0 afsel --no-marks --drop-frames b "$T/in"
	sed -i '/^#/d' "$T/out"
	printf 'sample\t1\tr\ta\tm\t1\tstack=x;a\tlines=x:1;a:1\nsample\t2\tr\t[none]\tm\t1\n' | same - "$T/out"
}

@test "what conditions compare is said for each key: without a value, in the other case" {
	cd "$T" || return
	event sample 10 f m 1 a=. b=. comm=parser >in
	want_status 0 afsel --no-marks --where 'a=1 && b=2' in
	same - err <<-'EOF'
	afsel: a is not recorded: it is "." on all lines
	afsel: b is not recorded: it is "." on all lines
	afsel: none of 1 lines was chosen
	EOF
	want_status 0 afsel --no-marks --where 'value>0 && comm=Parser' in
	same - err <<-'EOF'
	afsel: none of the lines compared has comm=Parser, but some have parser
	afsel: none of 1 lines was chosen
	EOF
	# a key that no result has, beside the frame of each
	event agg . . m 1 frame=f stat=sum n=1 >by_frame
	want_status 1 afsel --no-marks --where cpu=1 by_frame
	echo "afsel: no line has 'cpu' ('cpu?' allows that; tags: frame, n, stat)" | same - err
	# no time for --time is as long
	want_status 2 afsel --where "time>$(printf %062d 5)s" in
	said "(numbers are in the unit of the values; durations are in ns: 5000000000)"
}

@test "a kind with a long name is kept like other unknown kinds, and tested if it is named" {
	local kind=a-kind-whose-name-has-more-than-32-bytes
	cd "$T" || return
	{
		event $kind 10 f m 1
		event $kind 11 f m 1
		event sample 12 f m 1
		event $kind 13 f m 1
	} >in
	want_status 0 afsel --no-marks --where 'time<11' --kind $kind in
	silent
	unmarked out | same - <(sed -n 1p in)
	want_status 0 afsel --no-marks --where 'time<11' in
	unmarked out | same - <(grep -v sample in)
}

@test "results that belong to no group have no run, which is no reason to doubt the choice of runs" {
	cd "$T" || return
	{
		run=a event sample 10 f m 1 'stack=f'
		run=b event sample 11 f m 2 'stack=f;g'
		run=b event sample 12 f m 2
	} >in
	afagg --no-marks --by run,frame --stat count --partial in >parts 2>/dev/null
	grep -q '^part	[^	]*	\.	.*part.over=lines' parts || fail "$(cat parts)"
	want_status 0 afsel --no-marks --where 'run!=b' parts
	! grep -q '^part	[^	]*	b	' out || fail "$(cat out)"
	! grep -q 'several runs' err || fail "$(cat err)"
	# without any run there is none to choose
	run=. event agg . f m 1 stat=sum n=1 >pooled
	want_status 0 afsel --no-marks --where run=x pooled
	same - err <<-'EOF'
	afsel: run is not recorded: it is "." on all lines
	afsel: none of 1 lines was chosen
	EOF
}

@test "stacks without a list, and functions without a name, as --drop-frames leaves them" {
	cd "$T" || return
	lines >in <<-'EOF'
	sample 10 r x m 1 stack=main;;x
	sample 11 r x m 1 stack=.
	sample 12 r y m 1 stack=.
	EOF
	want_status 0 afsel --no-marks --drop-frames '^x$' in
	echo "afsel: 1 of 3 lines have no frame that does not match '^x\$': their region is [none]" | same - err
	want <<-'EOF'
	sample 10 r . m 1 stack=main;
	sample 11 r [none] m 1 stack=[none]
	sample 12 r y m 1 stack=.
	EOF
}
