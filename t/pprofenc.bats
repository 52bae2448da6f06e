# SPDX-License-Identifier: ISC
# pprofenc.bats - the stacks of a stream as a profile for pprof; protoc decodes it.

load lib

setup() {
	need python3 protoc
}

# profile [--places] [OPTION|FILE]...: the profile as text, to $T/got.
profile() {
	local places=
	[ "$1" != --places ] || { places=$1 && shift; }
	cd "$T" && want_status 0 pprofenc "$@" && cp out profile.gz || return
	# shellcheck disable=SC2086 # none, or a word
	python3 "$ROOT/t/tools/pprofread.py" $places profile.gz >got
}

# is LINE...: its lines.
is() {
	printf '%s\n' "$@" >want
	same want got
}

# bats test_tags=quick
@test "stacks and labels are joined, values added up" {
	cd "$T"
	{
		event sample 1 c cycles 5 pid=1 tid=2 comm=job cpu=0 'stack=main;b;c'
		event sample 1 c cycles 7 pid=1 tid=2 comm=job cpu=0 'stack=main;b;c'
		event sample 1 c cycles 1 pid=1 tid=3 comm=job2 cpu=. pcomm=job 'stack=main;b;c'
		event sample 1 idle cycles 6
		event span 1 . cycles 2 start=0
		event sample 1 r cycles 4 'stack=.'
	} >in
	profile in
	silent
	is 'type cycles.samples count' 'type cycles ' 'duration_nanos 1' 'default cycles' 'mapping 1  ' \
		'sample 1 1 main;b;c pcomm=job comm=job2 pid=1 tid=3' \
		'sample 1 2 [unknown]' 'sample 1 4 r' 'sample 1 6 idle' \
		'sample 2 12 main;b;c comm=job pid=1 tid=2 cpu=0'
	profile --label . in
	grep -qx 'sample 3 13 main;b;c' got
	event sample 1 c cycles 5 pid=1 tid=1 comm=job 'stack=main;b;c' >>in
	profile --label pcomm in
	grep -qx 'sample 2 6 main;b;c pcomm=job' got
	profile --label kind,tid in
	grep -qx 'sample 1 2 \[unknown\] kind=span' got
	want_status 1 pprofenc --label tid,thread in
	said 'thread'
	[ ! -s out ]
	want_status 2 pprofenc --label tid,tid in
	want_status 2 pprofenc --label a,,b in
	profile --label "$(printf '%s,' kind tid x{1..14} | sed 's/,$//; s/x[0-9]*/cpu/; s/x[0-9]*/comm/; s/x[0-9]*/pid/; s/,x.*//')" in
	want_status 2 pprofenc --label "$(printf '%s,' x{1..16})x17" in
	said "more than 16 words"
}

@test "labels: tags that say what a line is" {
	cd "$T"
	{
		event sample 1 f m 1 stack=main lines=a.c:3 frames=u:/x+0x1 inlined=0
		event sample 1 g m 2 line=b.c:4 start=0
	} >in
	profile --label start,line,lines,frames,inlined in
	silent
	is 'type m.samples count' 'type m ' 'duration_nanos 1' 'default m' 'mapping 1 /x ' 'mapping 2  ' \
		'sample 1 1 main lines=a.c:3 frames=u:/x+0x1 inlined=0' 'sample 1 2 g start=0 line=b.c:4'
}

@test "each measure and unit has types of its own" {
	cd "$T"
	{
		event sample 1 f time 5 unit=ns stack=main
		event sample 1 f bytes 2 unit=B stack=main
		event sample 1 f time 7 unit=ms stack=main
		event sample 1 f time 1 unit=ns stack=main
		event span 1 f inclusive 100 unit=ns stack=main start=0
		event span 1 f x.delta 100 unit=ns stack=main start=0
		event sample 1 f text hello type=text stack=main
	} >in
	profile in
	said 'left out lines of other measures'
	is 'type time.samples [ns] count' 'type time [ns] nanoseconds' 'type bytes.samples count' 'type bytes B' \
		'type time.samples [ms] count' 'type time [ms] milliseconds' \
		'default time [ns]' \
		'comment left out lines of other measures (see --measure): 2, inclusive [ns];x.delta [ns]' \
		'comment left out lines whose value is not a number: 1' \
		'mapping 1  ' 'sample 2 6 1 2 1 7 main'
	profile --measure inclusive in
	grep -qx 'sample 1 100 main' got
}

@test "by default, pprof shows self, or the first measure that the source lists" {
	cd "$T"
	{
		event measure . . b . unit=ns
		event measure . . a .
		event sample 1 f a 1
		event sample 2 f b 2
	} >in
	profile in
	is 'type a.samples count' 'type a ' 'type b.samples count' 'type b nanoseconds' 'duration_nanos 1' \
		'default b' 'mapping 1  ' 'sample 1 1 1 2 f'
	{
		cat in
		event span 3 f self 3 start=2 unit=ns
	} >two
	profile two
	grep -qx 'default self' got
	# one without values
	event measure . . c . | cat - in >unused
	profile unused
	grep -qx 'default a' got
	{
		event measure . . b . unit=ns
		event agg 1 f a 1 stat=sum
		event agg 1 f b 1 stat=count
	} >counts
	profile counts
	grep -qx 'default a' got
}

@test "two types of samples never have the same name" {
	cd "$T"
	{
		event sample 1 f m 5 stack=main
		event sample 1 f m.samples 7 stack=main
	} >in
	want_status 1 pprofenc in
	said "two types of samples would be called m.samples (see --measure)"
	[ ! -s out ]
	profile --measure m in
	grep -v comment got >got.types && mv got.types got
	is 'type m.samples count' 'type m ' 'default m' 'mapping 1  ' 'sample 1 5 main'
	{
		event sample 1 f m 1 unit=ns stack=main
		event sample 1 f m 2 unit=s stack=main
		event sample 1 f 'm [ns]' 3 stack=main
	} >in
	want_status 1 pprofenc in
	said 'two types of samples would be called m [ns] (see --measure)'
	# the first such name is in the message
	{
		event sample 1 f a 1 stack=main
		event sample 1 f a.samples 1 stack=main
		event sample 1 f b 1 stack=main
		event sample 1 f b.samples 1 stack=main
	} >two
	want_status 1 pprofenc two
	[ "$(cat err)" = 'pprofenc: two types of samples would be called a.samples (see --measure)' ] || fail "$(cat err)"
	profile --measure m in
	grep -qx 'sample 1 1 1 2 main' got
	# units are no names
	event sample 1 f count 3 unit=s stack=main >in
	profile in
	silent
}

@test "a profile of incomplete input says so" {
	cd "$T"
	{
		printf '#afstream\t1\ttest\tmade\n'
		event sample 1 f cycles 5 stack=main
	} >open
	{
		cat open
		printf '#end\ttest\tmade\t1\tpartial\tno room\n'
	} >partial
	{
		event sample 1 f cycles x stack=main
		event sample 1 f cycles 5 stack=main
	} >damaged
	for f in open partial damaged; do
		want_status 1 pprofenc $f
		mv out profile.gz
		python3 "$ROOT/t/tools/pprofread.py" profile.gz >got
		grep -qx 'sample 1 5 main' got
		grep '^comment' got
	done >comments
	sed 's/comment the input is incomplete or damaged, so the values may be too small: //' comments >got
	[ "$(wc -l <got)" -eq 3 ] || fail "$(cat comments)"
	grep -q '^no end mark .*(errors: 1)$' got
	grep -q '^.*no room.*(errors: 1)$' got
	grep -q "^not a number: 'x'.*(errors: 1)$" got
	# lost events are told by a line or by the mark
	{
		event sample 1 f cycles 5 stack=main
		event lost 1 . . 3 why=ring
	} >in
	profile in
	grep -qx 'comment the source lost events: the weights are too small' got
	profile --no-marks open
	[ "$(grep -c '^comment' got)" -eq 0 ]
}

@test "what the marks of the input count is in the profile" {
	cd "$T"
	{
		printf '#afstream\t1\ttest\tmade\n'
		event run 1 . . . app=x
		event sample 1 f cycles 5 stack=main
		printf '#end\ttest\tmade\t2\tcomplete\tlost=3\tlate=1\tincomplete=4\n'
	} >in
	profile in
	said 'the source lost 3 events'
	grep ^comment got >got.comments && mv got.comments got
	is 'comment the source lost 3 events, so the numbers are too small' \
		'comment samples whose stacks could not be unwound completely: 4'
	# a run from two sources has no count in the marks
	cp in again
	profile in again
	grep ^comment got >got.comments && mv got.comments got
	is 'comment the source lost 6 events, so the numbers are too small' \
		'comment samples whose stacks could not be unwound completely: 8' \
		'comment runs that come from more than one source, and may have been counted twice: 1'
}

@test "places: mappings, build ids, inlined functions, lines" {
	cd "$T"
	id=00112233445566778899aabbccddeeff00112233
	{
		event sample 1 in2 cycles 5 ip=0x1 'stack=_start;main;in1;in2' \
			'lines=?;a.c:3;b:c.h:4;b:c.h:?' "frames=u:/lib/x@$id:8:1:5:0+0x1001-1;u:/bin/a;b@@+0x2000" 'inlined=0;2'
	} | sed 's/a;b@/a\\x3bb@/' >in
	profile --places in
	silent
	is 'type cycles.samples count' 'type cycles ' 'default cycles' \
		'mapping 1 /bin/a;b@ ' "mapping 2 /lib/x $id" \
		'sample 1 5 /lib/x!1000:_start(:0);/bin/a;b@!2000:main(a.c:3);>in1(b:c.h:4);>in2(b:c.h:0)'
	{
		event sample 1 k cycles 1 'stack=[truncated];x;j;k' \
			"frames=[truncated];u:/x@8:1:5:0+0x10-1;u:/tmp/jit-1.dump@5:1:7+0x7f0000001234;k:[kernel.kallsyms]@$id+0xffffffff81000010"
		event sample 1 k cycles 1 'stack=x;k' "frames=u:/x@?+0x10;u:[unknown]+0x5"
		event sample 1 leaf cycles 1 'line=l.c:9' 'frames=u:/x+0x11'
	} >in
	profile --places --label . in
	silent
	grep -v mapping got >got.samples && mv got.samples got
	is 'type cycles.samples count' 'type cycles ' 'default cycles' \
		'sample 1 1 !0:[truncated](:0);/x!f:x(:0);/tmp/jit-1.dump!234:j(:0);[kernel.kallsyms]!10:k(:0)' \
		'sample 1 1 /x!10:x(:0);!5:k(:0)' 'sample 1 1 /x!11:leaf(l.c:9)'
	# a region is not a stack of the same text
	event sample 1 'a;b' cycles 1 line=x.c:1 >region
	event sample 1 k cycles 2 'stack=a;b' lines=x.c:1 >stack
	for order in 'region stack' 'stack region'; do
		# shellcheck disable=SC2086 # two files
		profile --places $order
		said 'stacks used without addresses or lines, since these do not match the frames: 1'
		grep '^sample' got >places && mv places got
		is 'sample 1 1 !0:a;b(x.c:1)' 'sample 1 2 !0:a(:0);!0:b(:0)'
	done
	# the shortest name of a file
	event sample 1 k cycles 1 'stack=x;k' 'frames=u:a+0x1005;u:[unknown]+0x5' >in
	profile --places in
	silent
	is 'type cycles.samples count' 'type cycles ' 'default cycles' 'mapping 1 a ' 'mapping 2  ' \
		'sample 1 1 a!1005:x(:0);!5:k(:0)'
	# what is no place in a file, and the highest one
	{
		event sample 1 f cycles 1 stack=a frames=+0x5
		event sample 1 f cycles 1 stack=b frames=u+0x5
		event sample 1 f cycles 1 stack=c frames=ux/x+0x5
		event sample 1 f cycles 1 stack=d 'frames=k:[k]+0xfffffffffffffffe'
	} >in
	profile --places in
	silent
	is 'type cycles.samples count' 'type cycles ' 'default cycles' 'mapping 1 [k] ' 'mapping 2  ' \
		'sample 1 1 !0:a(:0)' 'sample 1 1 !0:b(:0)' 'sample 1 1 !0:c(:0)' 'sample 1 1 [k]!ffe:d(:0)'
	# lists that do not fit the stack
	{
		event sample 1 k cycles 1 'stack=a;b' 'frames=u:/x+0x1' 'lines=x:1'
		event sample 1 k cycles 1 'stack=a;b' 'frames=u:/x+0x1' 'inlined=18446744073709551615'
		event sample 1 k cycles 1 'stack=a;b' 'frames=u:/x+0x1' 'inlined=x'
		event sample 1 k cycles 1 'stack=a;b' 'frames=u:/x+0x1;u:/x+0x2' 'inlined=0'
	} >in
	profile --places in
	said 'stacks used without addresses or lines, since these do not match the frames: 4'
	grep -qx 'sample 4 4 !0:a(:0);!0:b(:0)' got
}

@test "decimals: a smaller unit, and nothing is rounded" {
	cd "$T"
	{
		event sample 1 f t 0.5 unit=s stack=a
		event sample 1 f t 2 unit=s stack=b
		event sample 1 f t 1e-7 unit=s stack=a
		event sample 1 f t -0 unit=s stack=c
		event sample 1 f w 0.1 unit=J stack=a
		event sample 1 f w 0.2 unit=J stack=a
		event sample 1 f w 1e3 unit=J stack=b
		event sample 1 f n 0.25 stack=a
		event sample 1 f n -1 stack=b
	} >in
	profile in
	grep -v -e samples -e comment got >got.types && mv got.types got
	is 'type t nanoseconds' 'type w x1e-1 J' 'type n x1e-2' 'default t' 'mapping 1  ' \
		'sample 1 0 0 0 0 0 c' 'sample 1 2000000000 1 10000 1 -100 b' 'sample 2 500000100 2 3 1 25 a'
	# 0.1 s does not fit in milliseconds, but in tenths of a second
	{
		event sample 1 f t 0.1 unit=s stack=a
		event sample 1 f t 900000000000000000 unit=s stack=a
	} >in
	profile in
	grep -qx 'type t x1e-1 s' got
	grep -qx 'sample 2 9000000000000000001 a' got
}

@test "fractions of units of memory are bytes, if all are whole; any other unit cannot be misread" {
	cd "$T"
	{
		event sample 1 f k 1.5 unit=KiB stack=a
		event sample 1 f k -0.125 unit=KiB stack=b
		event sample 1 f m 0.25 unit=MiB stack=a
		event sample 1 f n 3 unit=KiB stack=a
		event sample 1 f us 0.5 unit=us stack=a
	} >in
	profile in
	silent
	grep -v -e samples -e comment got >got.types && mv got.types got
	is 'type k B' 'type m B' 'type n KiB' 'type us nanoseconds' 'default k' 'mapping 1  ' \
		'sample 1 -128 0 0 0 0 0 0 b' 'sample 1 1536 1 262144 1 3 1 500 a'
	for v in 0.1 0.00097 '0.5 9007199254740992'; do
		for n in $v; do
			event sample 1 f k "$n" unit=KiB stack=a
		done >in
		profile in
		[ "$(grep -c '^type k x1e-[15] KiB$' got)" -eq 1 ] || fail "$v"
		said 'pprofenc: measures with decimals, written in a fraction of their unit (pprof shows 1.5 J as 15x1e-1 J): 1'
	done
	# each value is less than 2^63 bytes, but not their sum
	for n in {1..120}; do
		event sample 1 f k 90071992547400.5 unit=KiB stack="f$n"
	done >in
	profile in
	grep -qx 'type k x1e-1 KiB' got
	[ "$(grep -c '^sample 1 900719925474005 f' got)" -eq 120 ]
	{
		event sample 1 f k 0.5 unit=KiB stack=a
		for n in 1 2 3; do
			event sample 1 f k 900000000000000000 unit=KiB stack=a
		done
	} >in
	want_status 1 pprofenc in
	[ "$(cat err)" = 'pprofenc: the sum of k does not fit into the 64 bits of a profile' ] || fail "$(cat err)"
	[ ! -s out ]
}

@test "units that pprof would take for others begin with a blank" {
	cd "$T"
	for v in B bytes Byte kB MB mb GB TB Pbytes MegaBytes kilobyte b Mb S Ms MS Us KiB Mbit sec min hours s ss Js 1/s instructions; do
		event sample 1 f "$v" 1 unit="$v" stack=a
	done >in
	profile in
	silent
	sed -n '/samples count$/d; s/^type [^ ]* //p' got >units
	printf '%s\n' B bytes Byte ' kB' ' MB' ' mb' ' GB' ' TB' ' Pbytes' ' MegaBytes' ' kilobyte' ' b' ' Mb' ' S' ' Ms' \
		' MS' ' Us' KiB Mbit sec min hours seconds ss Js 1/s instructions | same - units
	# with decimals there are other words before them, and a blank, too
	event sample 1 f m 1.5 unit=MB stack=a >in
	profile in
	grep -qx 'type m x1e-1 MB' got
}

@test "values that a profile cannot hold are refused" {
	cd "$T"
	for v in nan inf -inf 9223372036854775808 1e19 1e-19 1e300 1e-300 1e-400 -1e-400 0.00004E-400 9.3e18 -9.3e18 \
		1000000000000000000000000000000000000000 -1000000000000000000000000000000000000000 abc 0x10; do
		{
			event sample 1 f m 1 stack=a
			event sample 1 f m "$v" stack=a
		} >in
		want_status 1 pprofenc in
		said 'in:2: '
		mv out profile.gz
		python3 "$ROOT/t/tools/pprofread.py" profile.gz >got
		grep -qx 'sample 1 1 a' got || fail "$v"
	done
	# 0 itself has many spellings
	for v in 0 -0 0.0 0e5 0e-400 0E-400; do
		event sample 1 f m "$v" stack=a >in
		profile in
		silent
		grep -qx 'sample 1 0 a' got || fail "$v"
	done
	# sums, and the total of all stacks
	event sample 1 f m 9223372036854775807 stack=a >in
	profile in
	grep -qx 'sample 1 9223372036854775807 a' got
	event sample 1 f m -9223372036854775807 stack=a >>in
	event sample 1 f m 1 stack=b >>in
	profile in
	grep -qx 'sample 2 0 a' got
	for stack in a b; do
		{
			event sample 1 f m 9223372036854775807 stack=a
			event sample 1 f m 1 stack=$stack
		} >in
		want_status 1 pprofenc in
		said 'the sum of m does not fit'
		[ ! -s out ]
	done
	# a sum of more than 64 bits; the first measure is in the message
	{
		for n in 1 2 3; do
			event agg 1 f m 9223372036854775807 x=$n stack=a stat=sum
			event agg 1 f n 9223372036854775807 x=$n stack=a stat=count
		done
	} >in
	want_status 1 pprofenc in
	[ "$(cat err)" = 'pprofenc: the sum of m does not fit into the 64 bits of a profile' ] || fail "$(cat err)"
	[ ! -s out ]
	want_status 1 pprofenc --measure n in
	said 'pprofenc: the sum of n does not fit into the 64 bits of a profile'
	event agg 1 f m 0.5 stack=a stat=sum >>in
	want_status 1 pprofenc --measure m in
	said 'in:7: the sums do not fit into 64 bits with 1 decimals'
	[ ! -s out ]
	# a measure whose first value is refused, before another one
	{
		event sample 1 f a nan stack=a
		event sample 1 f b 3 stack=a
		event sample 1 f a 5 stack=a
	} >in
	want_status 1 pprofenc in
	mv out profile.gz
	python3 "$ROOT/t/tools/pprofread.py" profile.gz | grep -v ^comment >got
	is 'type a.samples count' 'type a ' 'type b.samples count' 'type b ' 'default a' 'mapping 1  ' 'sample 1 5 1 3 a'
}

@test "a measure of few of the stacks" {
	cd "$T"
	{
		event sample 1 f few 1.5 stack=f1 unit=KiB
		for i in {1..200}; do
			event sample 1 f m 2 stack="f$i"
		done
	} >in
	profile in
	silent
	{
		printf '%s\n' 'type few.samples count' 'type few B' 'type m.samples count' 'type m ' 'default few' 'mapping 1  '
		{ echo 'sample 1 1536 1 2 f1' && printf 'sample 0 0 1 2 f%d\n' {2..200}; } | LC_ALL=C sort
	} >want
	same want got
}

@test "the rounding errors of doubles leave room for other values; without room there is no profile" {
	cd "$T"
	{
		event sample 1 f s 0.30000000000000004 stack=f
		event sample 1 g s 123.4 stack=g
		event sample 1 h s 0.9999999999999999 stack=h
	} >in
	profile in
	said "pprofenc: values with more than 15 digits, rounded to 15: 2"
	grep -qx 'sample 1 3 f' got
	grep -qx 'sample 1 1234 g' got
	grep -qx 'sample 1 10 h' got
	{
		event sample 1 f s 0.123456789012345 stack=f
		event sample 1 g s 123456.5 stack=g
	} >in
	want_status 1 pprofenc in
	said "a value does not fit into 64 bits with 15 decimals"
	said "no profile is written, since a value did not fit into it"
	[ ! -s out ]
}

@test "rounding to 15 digits: half is up, from one digit to the next" {
	local value digits
	cd "$T"
	while read -r value digits; do
		event sample 1 f s "$value" stack=f >in
		profile in
		said "pprofenc: values with more than 15 digits, rounded to 15: 1"
		grep -qx "sample 1 $digits f" got || fail "$value: $(grep '^sample' got)"
	done <<-END
		0.1234567890123456 123456789012346
		0.1234567890123454 123456789012345
		-0.1234567890123455 -123456789012346
		0.1234567890123896 12345678901239
		0.1234567890123996 1234567890124
		123456789.0123396 12345678901234
	END
}

@test "labels: each value of a tag that is there several times" {
	cd "$T"
	{
		event sample 1 f m 1 stack=a tag=x tag=y k=1 other=1 other=2
		event sample 1 f m 2 stack=a k=1 tag=z k=2
		event sample 1 f m 4 stack=a k=1 tag=x
		event sample 1 f m 8 stack=a tag=x other=2 tag=y k=1
	} >in
	profile --label tag,k in
	silent
	grep '^sample' got >labels && mv labels got
	is 'sample 1 2 a tag=z k=1 k=2' 'sample 1 4 a tag=x k=1' 'sample 2 9 a tag=x tag=y k=1'
	# an empty text is a value, and . is none
	{
		event sample 1 f m 1 stack=a comm=
		event sample 1 f m 2 stack=a comm=
		event sample 1 f m 4 stack=a comm=x
		event sample 1 f m 8 stack=a comm=.
	} >in
	profile --label comm in
	silent
	grep '^sample' got >labels && mv labels got
	is 'sample 1 4 a comm=x' 'sample 1 8 a' 'sample 2 3 a comm='
}

@test "labels: the name of a process that only its first thread tells, beside a tag that is there twice" {
	cd "$T"
	{
		event sample 1 f m 1 stack=a pid=7 tid=7 comm=x cpu=1
		event sample 1 f m 2 stack=a pid=7 tid=7 comm=x cpu=1 cpu=2
		event sample 1 f m 4 stack=a pid=7 tid=8 comm=y cpu=1 cpu=2
		event sample 1 f m 8 stack=a pid=7 tid=7 comm=x pcomm=p pcomm=q
	} >in
	profile in
	silent
	grep '^sample' got >labels && mv labels got
	is 'sample 1 1 a pcomm=x comm=x pid=7 tid=7 cpu=1' 'sample 1 2 a pcomm=x comm=x pid=7 tid=7 cpu=1 cpu=2' \
		'sample 1 4 a comm=y pid=7 tid=8 cpu=1 cpu=2' 'sample 1 8 a pcomm=p pcomm=q comm=x pid=7 tid=7'
	# no line has the tag itself, as in a recording of first threads only
	event sample 1 f m 1 stack=a pid=7 tid=7 comm=x >in
	profile --label pcomm in
	silent
	grep '^sample' got >labels && mv labels got
	is 'sample 1 1 a pcomm=x'
	event sample 1 f m 1 stack=a comm=x >in
	want_status 1 pprofenc --label pcomm in
	echo "pprofenc: no line has 'pid', which 'pcomm' needs" | same - err
}

@test "aggregates give the same profile as their events" {
	cd "$T"
	{
		printf 'run\t0\t0x1\t.\t.\t.\twall=1700000000.5\n'
		for i in 1 2 3 4 5 6; do
			event sample 1 f cycles "$i" "stack=main;f$((i % 3))" "comm=c$((i % 2))"
			event sample 1 f faults 1 "stack=main;f$((i % 3))" "comm=c$((i % 2))"
		done
	} >in
	profile --label comm in
	mv got events
	afagg --by stack,comm in >agg
	profile --label comm agg
	silent
	same events got
	afagg --by stack,comm --stat sum,mean in >agg
	profile --label comm agg
	said 'left out lines of other statistics'
	[ "$(grep -c '^type' got)" -eq 2 ]
	grep -qx 'sample 6 1 main;f0 comm=c0' got
	afagg --by stack --partial in >agg
	want_status 1 pprofenc agg
	said 'partial results'
}

@test "times: the first event of all runs, and the sum of their lengths" {
	cd "$T"
	{
		printf 'run\t100\t0x1\t.\t.\t.\twall=1700000000.000000500\n'
		printf 'run\t.\t0x2\t.\t.\t.\twall=1600000000\n'
		printf 'sample\t90\t0x1\tf\tm\t1\nsample\t140\t0x1\tf\tm\t1\n'
		printf 'span\t1000\t0x2\tf\tm\t1\tstart=400\n'
	} >in
	profile in
	grep -qx 'time_nanos 1600000000000000400' got
	grep -qx 'duration_nanos 650' got
	grep -v 0x2 in >one
	profile one
	grep -qx 'time_nanos 1700000000000000490' got
	printf 'sample\t5\t0x3\tf\tm\t1\n' >>in
	profile in
	[ "$(grep -c time_nanos got)" -eq 0 ]
	# times of day and lengths, up to the largest that fit; others are left out
	times() { # WALL AT FIRST LAST TIME LENGTH
		{
			printf 'run\t%s\t0x1\t.\t.\t.\twall=%s\n' "$2" "$1"
			printf 'sample\t%s\t0x1\tf\tm\t1\n' "$3" "$4"
			[ ! -e second ] || cat second
		} >in
		profile in
		sed -n '/nanos/p' got >nanos
		printf '%s\n' ${5:+"time_nanos $5"} ${6:+"duration_nanos $6"} | sed '/^$/d' >want
		same want nanos || fail "$*"
	}
	times 9223372035 0 0 9223372036854775807 9223372035000000000 9223372036854775807
	times 9223372035 0 854775807 9223372036854775808 9223372035854775807 9223372036000000001
	times 9223372035 0 1854775807 9223372036854775808 9223372036854775807 9223372035000000001
	times 9223372035 0 1854775808 1854775809 '' 1
	times 9223372035 0 18446744073709551616 18446744073709551617 '' 1
	times 9223372036.854775807 7 7 8 9223372036854775807 1
	times 9223372036.854775808 7 7 8 '' 1
	times 9223372037 7 7 8 '' 1
	times 18446744073.709551617 7 7 8 '' 1
	times 18446744073709551616 7 7 8 '' 1
	times 0.000000001 7 7 8 1 1
	times 1.7000000005e9 7 7 8 1700000000500000000 1
	times 1700000000.0000000019 7 7 8 1700000000000000001 1
	times 5s 7 7 8 '' 1
	times -5 7 7 8 '' 1
	times 1 1000000001 2 9223372036854775809 1 9223372036854775807
	times 1 1000000001 0 9223372036854775808 '' ''
	times 1 18446744073709551616 0 18446744073709551616 '' ''
	printf 'sample\t%s\t0x2\tf\tm\t1\n' 5 6 >second
	printf 'run\t5\t0x2\t.\t.\t.\twall=3\n' >>second
	times 1 0 0 9223372036854775806 1000000000 9223372036854775807
	times 1 0 0 9223372036854775807 1000000000 ''
	times 5 0 0 18446744073709551615 3000000000 ''
}

@test "names: any text, spelled as in the stream" {
	cd "$T"
	{
		event sample 1 x e 1 'stack=a\x3bb;c d;\\x3b;\.;é\n\xff' 'comm=a;b' 'pid=\.'
		event sample 1 'r;s' e 2
		event sample 1 'r\x3bs' e 2
		event sample 1 _RNvC1a1f e 3
	} >in
	profile in
	grep -qxF 'sample 1 1 a;b;c d;\\x3b;\.;é\n\xff comm=a;b pid=\.' got
	grep -qxF 'sample 2 4 r;s' got
	grep -qxF 'sample 1 3 _RNvC1a1f' got
	awk 'BEGIN { s = "x"; while (length(s) < 4000000) s = s s; print "sample\t1\t0x1\t" s "\tm\t1\tstack=a;" s }' >in
	want_status 0 pprofenc in
	python3 "$ROOT/t/tools/pprofread.py" out | tail -n 1 | wc -c >got
	[ "$(cat got)" -gt 4000000 ]
}

@test "the order of lines does not matter" {
	cd "$T"
	awk 'BEGIN {
		OFS = "\t"
		print "sample", 0, "0x1", "f", "m", 1, "pid=0", "stack=main"
		for (i = 0; i < 3000; i++)
			print "sample", i, "0x1", "f", "m", i % 7 ".5", "pid=" i % 5, "tid=" i % 11,
			    "stack=main;f" i % 13 ";g" i % 17, "frames=u:/a@12+0x" i % 3 "-1;u:/b@13+0x" i % 5 ";k:[k]+0xffffffff8" i % 7
		# seen from the leaf, some stacks begin with others
		for (i = 0; i < 3000; i++)
			print "sample", i, "0x1", "f", "m", 1, "pid=" i % 5, "tid=" i % 11,
			    "stack=" (i % 2 ? "main;" : "") (i % 3 ? "f" i % 4 ";" : "") "g" i % 17
		# the number of a label is that of a location, or there are few labels and long stacks
		for (i = 0; i < 84; i++)
			print "sample", i, "0x1", "f", "m", 1, (i % 4 ? "pid=0" : "x=1"),
			    (i % 7 ? "tid=" i % 7 : "x=1"), "stack=0" substr(";0;0;0;0;0", 1, 2 * (i % 6))
	}' >in
	want_status 0 pprofenc in
	mv out forth
	{ head -n 1 in && tail -n +2 in | sort -k 6,6r -k 8; } >back
	want_status 0 pprofenc back
	cmp forth out
	python3 "$ROOT/t/tools/pprofread.py" out >got
	# the sum of all samples is that of the lines
	awk '/^sample/ { n += $2; s += $3 } END { print n, s }' got >totals
	awk -F '\t' '{ n++; s += $6 * 10 } END { print n, s }' in >want
	same want totals
}

@test "recordings: the totals of each measure are those of afagg" {
	cd "$T"
	local file agreed=0
	for file in "$ROOT"/t/data/perf/*.ev; do
		pprofenc --no-marks "$file" >out 2>err || fail "$file" || return
		python3 "$ROOT/t/tools/pprofread.py" out | awk '
			/^type/ && !/[.]samples/ { name[++n] = $2; at[n] = 2 * n }
			/^sample/ { for (i = 1; i <= n; i++) sum[i] += $(at[i] + 1) }
			END { for (i = 1; i <= n; i++) printf "%s %d\n", name[i], sum[i] }' | sort >got
		afsel --no-marks --where 'value!=.' "$file" 2>err | afagg --by run --stat sum 2>err | awk -F '\t' '
			$1 == "agg" { sum[$5] += $6 }
			END { for (m in sum) printf "%s %d\n", m, sum[m] }' | sort >want
		same want got || fail "$file" || return
		[ ! -s got ] || agreed=$((agreed + 1))
	done
	[ "$agreed" -ge 15 ]
}

@test "a recording with inlined functions: every place has its own names" {
	need perf gcc
	cd "$T"
	cat >a.c <<-'EOF'
		static inline __attribute__((always_inline)) long inner(long n)
		{ long s = 0; for (long i = 0; i < n; i++) s += i * i ^ s; return s; }
		static inline __attribute__((always_inline)) long mid(volatile long *n) { return inner(*n) + 1; }
		__attribute__((noinline)) long outer(volatile long *n) { return mid(n); }
		int main(void) { volatile long x = 0, n = 100000; for (int i = 0; i < 2000; i++) x += outer(&n); return 0; }
	EOF
	gcc -O1 -g -fno-omit-frame-pointer -o a a.c
	perf record -q -e cpu-clock -g -o perf.data ./a 2>err || skip "perf may not record here"
	perfdec --inline --srcline --frames perf.data >in
	grep -q 'inlined=' in
	profile --places in
	# the kernel may have found a stack that does not end
	grep -v 'stacks could not be unwound completely' err | same - /dev/null
	grep -qE "/a![0-9a-f]+:outer\([^;]*a.c:4\);>mid\([^;]*a.c:3\);>inner\([^;]*a.c:2\)" got
	# the names are those without places
	profile in
	mv got want
	sed 's/\tframes=[^\t]*//' in >plain
	profile plain
	awk '/^sample/ { s[$4] += $3 } END { for (i in s) print i, s[i] }' want | sort >want.sums
	awk '/^sample/ { s[$4] += $3 } END { for (i in s) print i, s[i] }' got | sort >got.sums
	same want.sums got.sums
}

@test "memory grows with distinct stacks, not with samples" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers keep freed memory"
	helpers rss
	cd "$T"
	for lines in '' '\tlines=a.c:1;b.c:2'; do
		awk -v lines="$lines" 'BEGIN {
			for (i = 0; i < 400000; i++)
				print "sample\t" i "\t0x1\tf\tm\t1\tpid=1\tstack=main;f" i % 100 lines
		}' >in
		head -n 4000 in >small
		want_status 0 rss many pprofenc in
		want_status 0 rss few pprofenc small
		many=$(cut -d ' ' -f 2 many) few=$(cut -d ' ' -f 2 few)
		[ "$many" -le $((few + 1024)) ] || fail "$many KiB, and $few for a hundredth ($lines)"
	done
}

@test "fuzz: every profile is valid" {
	helpers fuzz-pprofenc
	cd "$T"
	want_status 0 fuzz-pprofenc "$ROOT"/t/fuzz/corpus/pprofenc/*
	want_status 0 fuzz-pprofenc --prefixes 1 "$ROOT"/t/fuzz/corpus/pprofenc/*
	want_status 0 fuzz-pprofenc --each "$ROOT"/t/fuzz/corpus/pprofenc/aggregates.ev
	want_status 0 fuzz-pprofenc --flips 3000 1 "$ROOT"/t/fuzz/corpus/pprofenc/events.ev
}

@test "integers in any spelling" {
	cd "$T" || return
	{
		event sample 1 r1 m 007 stack=a
		event sample 1 r1 m -007 stack=b
		event sample 1 r1 m -00 stack=c
		event sample 1 r1 m 00000000000000000000000000012 stack=d
	} >in
	want_status 0 pprofenc --label . in
	cp out profile.gz
	python3 "$ROOT/t/tools/pprofread.py" profile.gz | grep ^sample >got
	printf 'sample 1 %s\n' '-7 b' '0 c' '12 d' '7 a' | sort >want
	sort got | sed 's/ *$//' >sorted
	same want sorted
	# with more digits than 64 bits need, up to both limits, and beyond them
	local zeros=000000000000000000000 v spelled
	for v in 0 -0 1 -1 9223372036854775807 -9223372036854775807; do
		event sample 1 r1 m "${v/[0-9]*/$zeros${v#-}}" stack=a >in
		profile --label . in
		silent
		grep -qx "sample 1 ${v/-0/0} a" got || fail "$v"
	done
	event sample 1 r1 m -${zeros}9223372036854775808 stack=a >in
	want_status 1 pprofenc in # pprof adds up the sizes
	said "the sum of m does not fit into the 64 bits of a profile"
	for v in 9223372036854775808 -9223372036854775809 18446744073709551616 -18446744073709551617; do
		for spelled in "$v" "${v/[0-9]*/$zeros${v#-}}"; do
			event sample 1 r1 m "$spelled" stack=a >in
			want_status 1 pprofenc in
			said "in:1: a profile of 64 bits cannot hold the value $spelled"
		done
	done
	want_status 1 pprofenc --label 'nosuch' in
	[ "$(grep -c 'allows that' err)" -eq 0 ]
}

@test "pprof keeps functions apart that differ in the arguments of templates" {
	need go
	cd "$T"
	{
		event sample 1 f cycles 5 'stack=main;run<int>(char)'
		event sample 1 f cycles 7 'stack=main;run<long>(char)'
		event sample 1 f cycles 9 'stack=main;_ZN1a3runIiEEvv'
	} >in
	profile --measure cycles in
	HOME=$T go tool pprof -top -sample_index=1 profile.gz 2>err >top
	sed -n 's/.*  \(run\|a::\|_Z\)/\1/p' top | sort >names
	printf '%s\n' 'a::run' 'run<int>(char)' 'run<long>(char)' >want
	same want names
}

@test "--label kind, time or value of results: the key of the group" {
	cd "$T"
	event agg 9 f m 4 value=ok kind=span stat=sum >in
	profile --label value,kind in
	grep -qx 'sample 4 f value=ok kind=span' got
}
