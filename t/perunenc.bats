# SPDX-License-Identifier: ISC
# perunenc.bats - a stream to a Perun profile: the one that it was, or a new one.

load lib
load perun

# bats test_tags=quick
@test "a profile comes back as the same document" {
	local f
	need python3
	for f in "$DATA"/*.data; do
		want_status 0 perunenc "${f%.data}.ev"
		silent
		dumps out >got
		same "${f%.data}.json" got
	done
}

@test "--pack and --name are what Perun's store has" {
	local f
	need python3
	for f in snapshots packed resources; do
		want_status 0 perunenc --name "$DATA/$f.ev"
		silent
		cp out name
		want_status 0 perunenc --pack "$DATA/$f.ev"
		silent
		python3 - "$DATA/$f.json" out name <<'PY'
import hashlib, json, sys, zlib
want = open(sys.argv[1], "rb").read()
want = b"profile %s %d\0" % (json.loads(want)["header"]["type"].encode(), len(want)) + want
assert open(sys.argv[2], "rb").read() == zlib.compress(want)
assert open(sys.argv[3]).read() == hashlib.sha1(want).hexdigest() + "\n"
PY
		cp out object
		want_status 0 perundec object
		cp out stream
		want_status 0 perunenc stream
		dumps out >got
		same "$DATA/$f.json" got
	done
}

@test "json.dumps spells every scalar" {
	need python3
	sed 's/^\(header	.	0x[0-9a-f]*	\)\.	.	{$/&\n\1\/header	.	{"type":"time"}/' "$DATA/scalars.ev" >stream
	want_status 0 perunenc --pack stream
	python3 - "$DATA/scalars.json" out <<'PY'
import sys, zlib
got = zlib.decompress(open(sys.argv[2], "rb").read()).split(b"\0", 1)[1]
assert got == b'{"header": {"type": "time"}, ' + open(sys.argv[1], "rb").read()[1:], got
PY
}

@test "json.dumps spells doubles with the fewest digits, powers of two and their neighbours too" {
	need python3
	python3 -c '
import math, random, struct
doubles = [0.0]
for exponent in range(-1074, 1024):
    bits = struct.unpack("<q", struct.pack("<d", math.ldexp(1.0, exponent)))[0]
    doubles += [struct.unpack("<d", struct.pack("<q", max(bits + by, 0)))[0] for by in (-1, 0, 1)]
random.seed(1)
doubles += [struct.unpack("<d", struct.pack("<q", random.randrange(0x7ff << 52)))[0] for i in range(20000)]
values = ",".join("%.20e,-%.20e" % (v, v) for v in doubles)
open("profile", "w").write("{\"header\":{\"type\":\"time\"},\"values\":[" + values + "]}")'
	perundec profile >stream
	want_status 0 perunenc --pack stream
	python3 -c '
import sys, zlib
sys.stdout.buffer.write(zlib.decompress(open("out", "rb").read()).split(b"\0", 1)[1])' >packed
	tr ' ' '\n' <packed >got
	dumps profile | tr ' ' '\n' >want
	same want got
}

@test "--pack and --name with --compat: no profile without origin" {
	local form
	printf '%s' '{"header":{"type":"time"},"snapshots":[]}' >none
	printf '%s' '{"header":{"type":"time"},"origin":null,"snapshots":[]}' >some
	perundec none >without
	perundec some >with
	for form in --pack --name; do
		want_status 0 perunenc "$form" without
		silent
		cp out want
		want_status 1 perunenc --compat "$form" without
		said "perunenc: the profile has no 'origin': Perun would not pack it"
		[ ! -s out ]
		want_status 0 perunenc --compat "$form" with
		silent
		same want out
	done
	want_status 1 perunenc --compat --pack "$DATA/perf.af"
	said "the profile has no 'origin'"
	# in all else there is no difference
	for form in '' --format=resources --format=snapshots; do
		want_status 0 perunenc ${form:+"$form"} "$DATA/snapshots.ev"
		cp out want
		want_status 0 perunenc --compat ${form:+"$form"} "$DATA/snapshots.ev"
		same want out
	done
}

@test "what cannot be packed" {
	want_status 1 perunenc --pack "$DATA/odd.ev"
	said "perunenc: the header has no type: this cannot be packed"
	[ ! -s out ]
	want_status 1 perunenc --name "$DATA/repeated.ev"
	said "a member appears twice: this cannot be packed"
	[ ! -s out ]
	echo '{"header":{"type":"time"},"resources":{"t":{"a":[1],"b":[2],"\u0061":[3]}}}' >profile
	perundec profile >stream
	want_status 1 perunenc --name stream
	said "a member appears twice: this cannot be packed"
	[ ! -s out ]
	sed 's/"type":"memory","units"/"type":"disk","units"/' "$DATA/snapshots.ev" >stream
	want_status 1 perunenc --pack stream
	said "header.type is not memory, mixed or time"
	{
		printf '#afstream\t1\tperundec\tx\n'
		cat "$DATA/snapshots.ev"
	} >unended
	want_status 1 perunenc --pack unended
	[ ! -s out ]
	same - err <<<'perunenc: unended: no end mark of perundec x: it died, or the stream was cut'
	want_status 2 perunenc --pack --name "$DATA/odd.ev"
}

@test "no room for the temporary file" {
	want_status 3 env TMPDIR="$T/not here" perunenc --pack "$DATA/snapshots.ev"
	said "perunenc: cannot make a temporary file in "
	want_status 3 sh -c "cat '$DATA/resources.data' | TMPDIR='$T/not here' perundec"
	said "perundec: -: cannot make a temporary file in "
	tail -n 1 out | grep -q '	partial	failed$'
}

@test "lines that were taken out" {
	grep '^sample' "$DATA/snapshots.ev" | sed 1d >stream
	want_status 0 perunenc stream
	printf '%s\n' '{' '"snapshots":[' '{' '"resources":[' '{"amount":1.5,"uid":"b","type":"time"}' \
		']' '}' '],' '"global":{' '"resources":[' '{"amount":null,"uid":"x"}' ']' '}' '}' >want
	same want out
	grep '^sample' "$DATA/resources.ev" >stream
	want_status 0 perunenc stream
	printf '%s\n' '{' '"resources":{' '"main#0":{"amount":[1,2,3],"order":[1.0,null,"x"]},' \
		'"a/b~c#0":{"amount":[{"k":[1]}]},' '"e#0":{}' '}' '}' >want
	same want out
	grep -v '^sample' "$DATA/snapshots.ev" >stream
	want_status 0 perunenc stream
	grep -qF '"resources":[]' out
}

@test "a type whose resources were all taken out is not in the map, where it would be a resource" {
	local form
	printf '%s' '{"resources":{"f":{"n":[1]},"a":{"n":[1,2]},"e":{}},' \
		'"resource_type_map":{"f":{"subtype":"free"},"a":{"uid":"a"},"e":{"subtype":"free"}}}' >profile
	printf '%s\n' '{' '"resources":{' '"a":{"n":[1,2]}' '},' '"resource_type_map":{' \
		'"f":{"subtype":"free"},' '"a":{"uid":"a"},' '"e":{"subtype":"free"}' '}' '}' >want
	perundec profile | afsel --where 'p.subtype!=free' >stream
	for form in '' --format=resources; do
		want_status 0 perunenc ${form:+"$form"} stream
		silent
		same want out
	done
	# all that was not taken out is there, types that appear twice too
	printf '%s\n' '{' '"resources":{' '"e":{},' '"t":{"n":[1]},' '"t":{"n":[2]}' '}' '}' >profile
	perundec profile >stream
	want_status 0 perunenc stream
	same profile out
}

@test "lines in another order, and a second document, are refused" {
	tac "$DATA/snapshots.ev" | grep '^sample' >stream
	want_status 1 perunenc stream
	said "perunenc: stream:3: comes too late: its place in the document has been passed"
	cat "$DATA/snapshots.ev" "$DATA/odd.ev" >stream
	want_status 1 perunenc stream
	said "a second document begins: a profile has one"
	grep '^sample' "$DATA/resources.ev" | sed 's/"order"/"other"/2; 2s/"order"/"other"/' >stream
	want_status 1 perunenc stream
	said "perunenc: stream:2: a resource of a type has different members from the first"
	printf 'header\t.\t0x1\t/a/b/c\t.\t1\n' >stream
	want_status 1 perunenc stream
	said "perunenc: stream:1: no line has opened the container of the pointer"
	printf 'header\t.\t0x1\t/a\t.\t[1,]\n' >stream
	want_status 1 perunenc stream
	said "perunenc: stream:1: column 4: expected a value"
	printf 'header\t.\t0x1\t/a\t.\t[1\tpart=2\tparts=2\n' >stream
	want_status 1 perunenc stream
	said "a part of a value without the parts before it"
}

# stream TEXT: makes the stream of these lines, separated by " ; ": "POINTER JSON" is a header line,
# which is a part if "#N" or, for the last part, "#N." follows, and "=POINTER JSON" is a sample.  The
# pointer "." is the document.
stream() {
	local rest=$1 line at json part
	: >stream
	while [ -n "$rest" ]; do
		line=${rest%% ; *}
		[ "$line" = "$rest" ] && rest='' || rest=${rest#* ; }
		at=${line%% *} json=${line#* } part=
		[[ $json != *' #'* ]] || { part=${json##* #} json=${json% #*}; }
		case $at in
		=*) event sample . r m 1 "at=${at#=}" "json=$json" ;;
		*) event header . "$at" . "$json" ${part:+"part=${part%.}"} ${part:+$([[ $part != *. ]] || echo "parts=${part%.}")} ;;
		esac >>stream
	done
}

# written: the document without line breaks.
written() {
	tr -d '\n' <out
}

@test "lines that make no document are refused, each with its number, and the rest is a document" {
	local lines text json
	while IFS='|' read -r lines text json; do
		stream "$lines"
		want_status 1 perunenc stream
		said "perunenc: stream:$text" || fail "$lines" || return
		[ "$(written)" = "$json" ] || fail "$lines: $(written)" || return
	done <<-'END'
		/snapshots/x {|1: the pointer has no index for a list|{"snapshots":[]}
		. { ; a 1|2: not a JSON pointer|{}
		=a 1|1: not a JSON pointer|{}
		. { ; . 5 ; /a 1|2: a second document begins: a profile has one|{"a":1}
		. { ; . {|2: a second document begins: a profile has one|{}
		. 5 ; /a 5|2: a second document begins: a profile has one|5
		/a [ ; /a/0/0/0/0/0/0/0/0/0 [|2: a container within more than 7 others|{"a":[]}
		=/resources/t/0 5|1: a resource of a type that is not an object|{"resources":{"t":{}}}
		=/resources/t/0 {"a":1} ; /resources/t/b [|2: a type has both resources and other members|{"resources":{"t":{"a":[1]}}}
		/resources { ; /resources/t { ; /resources/t/b [ ; =/resources/t/0 {"a":1}|4: a type has both resources and other members|{"resources":{"t":{"b":[]}}}
		=/resources/t/0 {"a":1} ; =/resources/t/1 {"a":1,"b":2} ; =/resources/t/2 {"a":3}|2: a resource of a type has different members from the first|{"resources":{"t":{"a":[1,3]}}}
		=/resources/t/0 {"a":1,"b":2} ; =/resources/t/1 {"a":1} ; =/resources/t/2 {"a":3,"b":4}|2: a resource of a type has different members from the first|{"resources":{"t":{"a":[1,3],"b":[2,4]}}}
		=/resources/t/0 {} ; =/resources/t/0 {}|2: comes too late: its place in the document has been passed|{"resources":{"t":{}}}
		/a [1, #1 ; /b 1 ; /a 2] #2.|2: the last parts of a value are missing before this|{"a":[1,2]}
		/a [1, #x.|1: a part without its number|{}
		/a [1, #0.|1: a part without its number|{}
		/a [1, #1 ; /a 2] 3 #2.|2: column 7: expected the end|{}
		/a [1, #1 ; /a ] #2.|2: column 4: expected a value|{}
		. { ; . [1, #1 ; . 2] #2.|3: not a JSON pointer|{}
	END
	# containers that no line has opened, as Perun has them
	stream '=/resources/0 {"a":1}'
	want_status 0 perunenc stream
	[ "$(written)" = '{"resources":[{"a":1}]}' ]
	stream '/resource { ; =/resources/t/0 {"a":1} ; /x 1 ; =/resources/t/1 {"a":2}'
	want_status 1 perunenc stream
	said "perunenc: stream:4: comes too late: its place in the document has been passed"
	[ "$(written)" = '{"resource":{},"resources":{"t":{"a":[1]}},"x":1}' ]
	stream '. [1, #1 ; . 2] #2.'
	want_status 0 perunenc stream
	[ "$(written)" = '[1,2]' ]
	stream '/a [1, #1 ; /a . #2 ; /a 2] #3.'
	want_status 0 perunenc stream
	[ "$(written)" = '{"a":[1,2]}' ]
	stream '/snapshots/0/resources/0 {"uid": #1'
	want_status 1 perunenc --format resources stream
	said "perunenc: the last parts of a value are missing"
	for lines in '' '--format resources' '--format snapshots'; do
		stream '/a 1 ; /b [1, #1'
		# shellcheck disable=SC2086 # options are words
		want_status 1 perunenc $lines stream
		said "perunenc: the last parts of a value are missing"
		[[ $(written) = '{"a":1'* ]]
	done
	# the type of an object in Perun's store is that of the last header that is a text
	for json in 5 '{"type":5}' '{"type":"memory","type":null}'; do
		stream "/header $json"
		want_status 1 perunenc --name stream
		said "perunenc: the header has no type: this cannot be packed"
	done
	stream '/header {"type":"mem\\u006fry"}'
	want_status 0 perunenc --name stream
	cp out want
	stream '/header {"type":"memory"}'
	want_status 0 perunenc --name stream
	same want out
}

@test "aggregates of a profile are a profile" {
	grep -v 'p.amount=None' "$DATA/snapshots.ev" | afagg --by region --stat sum >stream
	[ "$(grep -c '^agg' stream)" -eq 2 ]
	want_status 0 perunenc stream
	said "perunenc: several measures in one profile: a flame graph of Perun adds them up (one alone: afsel --where 'measure=NAME' --where stat=STAT): memory.malloc sum;time sum"
	grep -qF '{"type":"memory","subtype":"malloc sum","amount":4,' out
	grep -qF '{"type":"time","subtype":"time sum","amount":1.5,' out
	grep -qF '"cmd":"./a","args":"-x","workload":"w"' out
}

@test "lines without their text have no place in a document" {
	sed 's/	json=[^	]*//' "$DATA/snapshots.ev" >stream
	want_status 0 perunenc stream
	said "perunenc: left out 4 lines without json= and at=: nowhere to put them"
	[ "$(grep -cF '"resources":[]' out)" -eq 3 ]
}

@test "amounts that do not add up are said: Perun's flame graphs add them up" {
	local stat note="perunenc: amounts that do not add up, but a flame graph of Perun adds them up:"
	for stat in mean p95 share rate max inclusive union x.delta; do
		case $stat in
		inclusive | union | x.delta) event span 5 f $stat 4 ;;
		*) event agg . f m 5 stat=$stat ;;
		esac >stream
		want_status 0 perunenc --no-marks - <stream
		echo "$note $(sed 's/.*stat=/m /; t; s/.*\(inclusive\|union\|x.delta\).*/\1/' stream)" | same - err
		grep -q '"amount": *[45],' out
	done
	for stat in sum count; do
		event agg . f m 5 stat=$stat >stream
		want_status 0 perunenc --no-marks - <stream
		silent
	done
	{ event agg . f m 5 stat=sum; event agg . f m 5 stat=mean; event agg . f t.delta 5 stat=sum; } >stream
	want_status 0 perunenc --no-marks - <stream
	said "$note m mean;t.delta sum"
}

@test "several measures in one profile are said: Perun's flame graphs add them up" {
	local several="several measures in one profile: a flame graph of Perun adds them up (one alone: afsel --where 'measure=NAME'): "
	{
		event span 5 f inclusive 4
		event span 5 f self 3
	} >stream
	want_status 0 perunenc stream
	said "perunenc: ${several}inclusive;self"
	afsel --where measure=self stream >one
	want_status 0 perunenc one
	[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
	# and two statistics of one measure
	{
		event agg . f self 3 stat=sum
		event agg . f self 1 stat=count
	} >stream
	want_status 0 perunenc stream
	several="${several/NAME\'/NAME\' --where stat=STAT}"
	said "perunenc: ${several}self sum;self count"
	# what Perun's own collector keeps apart by function is one sum, but not its sum and its count
	{
		event run . . . . format=snapshots
		event agg . f memory.malloc 3 stat=sum unit=B
		event agg . f memory.calloc 1 stat=sum unit=B
	} >stream
	want_status 0 perunenc stream
	if grep -q several "$T/err"; then fail "$(cat "$T/err")"; fi
	event agg . f memory.malloc 3 stat=max unit=B >>stream
	want_status 0 perunenc stream
	said "perunenc: ${several}memory.malloc sum;memory.calloc sum;memory.malloc max"
	# a line that is left out does not count
	{
		event span 5 f inclusive 4
		event span 5 f self .
	} >stream
	want_status 0 perunenc stream
	if grep -q several "$T/err"; then fail "$(cat "$T/err")"; fi
}

@test "results of a tag are not those of the measure" {
	{
		event run . . . . format=snapshots
		event agg . f memory.malloc 8 stat=sum unit=B
		event agg . f memory.malloc 3 stat=sum of=w unit=.
		event agg . f memory.malloc 1 stat=count of=w unit=.
		event agg . f memory.malloc 2 stat=sum of=w\*v unit=B
	} >stream
	want_status 0 perunenc --no-marks stream
	same - err <<'END'
perunenc: several measures in one profile: a flame graph of Perun adds them up (one alone: afsel --where 'measure=NAME' --where stat=STAT): memory.malloc sum;memory.malloc sum of w;memory.malloc count of w;memory.malloc sum of w*v
END
	sed -n 's/^{\("type.*"amount":[0-9]*\).*/\1/p; s/.*\("units":{[^}]*}\).*/\1/p' out >"$T/got"
	same - got <<'END'
"type":"memory","subtype":"malloc sum","amount":8
"type":"mixed","subtype":"memory.malloc sum of w","amount":3
"type":"mixed","subtype":"memory.malloc count of w","amount":1
"type":"memory","subtype":"memory.malloc sum of w*v","amount":2
"units":{"memory":"B"}
END
}

@test "values of a whole run, region or section are said: Perun adds them up" {
	{
		event sample 5 f m 1 scope=region
		event span 5 f m 2 scope=region start=1
		event span 5 f self 2 scope=region start=1
		event agg 5 f m 3 scope=run stat=sum
		event agg 5 f m 3 scope=run stat=sum total=.
	} >stream
	want_status 0 perunenc --no-marks stream
	same - err <<'END'
perunenc: left out 5 tags: resources have no place for them
perunenc: results of groups that overlap (total=): 1; Perun's graphs and tables add them up
perunenc: values of a whole run, region or section, which contain those of the regions inside: 2; Perun's graphs and tables add them up
perunenc: several measures in one profile: a flame graph of Perun adds them up (one alone: afsel --where 'measure=NAME' --where stat=STAT): m;self;m sum
END
}

@test "several events with one name are said: Perun adds them up" {
	local note="perunenc: several events have the same name, and Perun's graphs and tables add them up (to choose one: afsel -w 'event=N || event=.')"
	event sample 5 f cycles 1 event=1 >one
	{
		cat one
		event sample 6 f cycles 2 event=2
		event sample 6 f cycles 2 event=2
	} >both
	want_status 0 perunenc --no-marks both
	said "$note"
	[ "$(wc -l <err)" -eq 2 ]
	afagg --by region,event --stat sum --no-marks both >both.agg
	want_status 0 perunenc both.agg
	said "$note"
	# one of them, and events with other names
	event sample 6 f loads 2 event=2 >>one
	want_status 0 perunenc --no-marks one
	! grep -q 'same name' err || fail "$(cat err)"
}

@test "which runs are Perun's does not depend on their order" {
	local runs want
	event run . . . . unit=ns app=x >other
	run=p event run . . . . format=snapshots >perun
	# those of Perun's run and of several runs have Perun's type; the other has a name of its own
	want='"mixed","subtype":"time.y" "time","subtype":"real" "time","subtype":"sys"'
	for runs in 'other perun' 'perun other'; do
		{
			# shellcheck disable=SC2086 # names are words
			cat $runs
			event sample . f time.y 1
			run=p event sample . f time.real 1
			run=. event sample . f time.sys 1
		} >stream
		want_status 0 perunenc stream
		[ "$(grep -o '"type":"[a-z]*","subtype":"[^"]*"' out | cut -d : -f 2- | tr '\n' ' ')" = "$want " ] ||
			fail "$runs: $(cat out)" || return
	done
}

@test "a stream that is not Perun's becomes a profile" {
	want_status 0 perunenc "$DATA/perf.af"
	said "perunenc: left out lines of other kinds: 1 lost"
	said "perunenc: left out 1 lines without a value"
	said "perunenc: left out 1 tags: resources have no place for them"
	said "perunenc: runs after the first: 1; their values are in the profile, too, and its header is that of the first"
	same "$DATA/perf.json" out
	want_status 0 perunenc --name "$DATA/perf.af"
	need python3
	python3 - "$DATA/perf.json" <<'PY'
import json, sys
p = json.load(open(sys.argv[1]))
assert p["header"]["type"] == "mixed" and p["header"]["units"] == {"time": "ns", "mixed(cycles:u mean)": "count", "memory": "B"}
for r in p["snapshots"][0]["resources"]:
    assert set(r) >= {"uid", "amount", "type", "subtype", "trace"}
    for frame in r["trace"] + [r["uid"]]:
        assert set(frame) == {"source", "function", "line"}
PY
}

@test "lines in another unit than their measure's are left out" {
	{
		printf '#afstream\t1\ttest\t-\n'
		printf 'run\t1\tr\t.\t.\t.\tapp=A\n'
		printf 'measure\t.\tr\t.\tu\t.\tunit=ms\n'
		printf 'sample\t5\tr\tf\tt\t1\tunit=s\n'
		printf 'sample\t6\tr\tf\tt\t7\tunit=ms\n'
		printf 'sample\t6\tr\tf\tt\t8\n'
		printf 'sample\t7\tr\tf\tt\t2\tunit=s\n'
		printf 'sample\t7\tr\tf\tu\t3\n'
		printf 'sample\t7\tr\tf\tu\t4\tunit=ms\n'
		printf 'sample\t7\tr\tf\tu\t5\tunit=s\n'
		printf 'sample\t7\tr\tf\tcount\t6\n'
		printf '#end\ttest\t-\t11\tcomplete\n'
	} >stream
	want_status 0 perunenc stream
	[ "$(grep -o '"amount":[0-9]*' out | tr -dc '0-9\n' | tr '\n' ' ')" = "1 2 3 4 6 " ]
	grep -qF '"units":{"time":"s","time(u)":"ms"}' out
	said "perunenc: left out 3 lines in units other than the first of their measure: t [ms];t;u [s]"
	sed 's/unit=m*s/unit=s/' stream >same
	want_status 0 perunenc same
	said "perunenc: left out 1 lines in units other than the first of their measure: t"
	want_status 0 sh -c 'afagg --by region --stat sum stream | perunenc'
	said "perunenc: left out 3 lines in units other than the first of their measure: "
}

@test "values, kinds and names that only some streams have" {
	{
		event run . . . . format=x app=. cmdline=c
		event header . x . 1
		event sample . f memory 1
		event sample . f memory.a inf
		event sample . f memoryx -inf
		event sample . f mem nan
		event sample . f mem -0
		event sample . f disk 'a\tb' type=text
		event sample . f disk 12x
		event sample . f . 3 type=int64
		event span 5 f time.t 4 start=1
		event agg . f time.t 5 stat=sum uid=7 comm=c n=2
		event sample . f time 6 at=/snapshots/0/resources/9
		event agg . f v 2 stat=count type=text n=2
		event agg . f v 1.5 stat=max type=text n=2
		event agg . f t 1 stat=hist lo=-inf hi=0.5 k=0.5 total=. n=2
	} >stream
	want_status 0 perunenc stream
	grep -o '^{"type":[^}]*"amount":[^,]*,' out >got
	printf '{"type":%s,"amount":%s,\n' '"memory","subtype":"memory"' 1 '"memory","subtype":"a"' Infinity \
		'"mixed","subtype":"memoryx"' -Infinity '"mixed","subtype":"mem"' NaN '"mixed","subtype":"mem"' -0.0 \
		'"mixed","subtype":"disk"' '"a\tb"' '"mixed","subtype":"disk"' '"12x"' '"mixed","subtype":""' 3 \
		'"time","subtype":"t"' 4 '"time","subtype":"t sum"' 5 \
		'"time","subtype":"time"' 6 '"mixed","subtype":"v count"' 2 '"mixed","subtype":"v max"' '"1.5"' \
		'"mixed","subtype":"t hist"' 1 >want
	same want got
	[ "$(perundec out | cut -f 6 | grep -cx -- -0)" -eq 1 ]
	grep -qF '"trace":[{"source":"unknown","function":"f","line":0}],"comm":"c","n":2}' out
	grep -qF ',"lo":-Infinity,"hi":0.5,"k":"0.5","total":"","n":2}' out
	grep -qF '"cmd":"c"' out
	grep -qF '"name":"afpipe"' out
	if grep -F 'other kinds' "$T/err"; then fail "headers are missed"; fi
	said "perunenc: left out 3 tags: resources have no place for them"
	# the first line shows that they are not of a document
	event span 5 f m 4 start=1 >stream
	want_status 0 perunenc stream
	grep -q '"subtype":"m","amount":4,"timestamp":5,' out
	event sample . f m 5 json=1 >stream
	want_status 0 perunenc stream
	grep -q '"subtype":"m","amount":5,' out
	# in a document, they have no place
	{
		event header . . . '{'
		event span 5 f m 4 start=1
		event agg . f m 5
		event sample . f m 5 json=1
		event lost . . . .
	} >stream
	want_status 0 perunenc stream
	[ "$(written)" = '{}' ]
	said "perunenc: left out 3 lines without json= and at=: nowhere to put them"
	said "perunenc: left out lines of other kinds: 1 lost"
}

@test "each statistic keeps its unit, and what has none gets none" {
	local stats=count,sum,mean,min,stddev,var,p99,iqr,distinct,rate,share
	{
		printf 'run\t1\tr\t.\t.\t.\tapp=A\n'
		for unit in ns kB count .; do
			printf 'sample\t%s\tr\tf\tm%s\t%s\tunit=%s\n' 1 $unit 5 $unit 2 $unit 7 $unit
		done
		printf 'sample\t%s\tr\tf\ta "(b)"\\t\t4\tunit=us\n' 7 9
	} >stream
	afagg --no-marks --by region --stat $stats stream >agg
	awk -F '\t' '/^agg/ {
		unit = stat = ""
		for (i = 7; i <= NF; i++) { if ($i ~ /^unit=/) unit = substr($i, 6); if ($i ~ /^stat=/) stat = substr($i, 6) }
		if (stat ~ /^(count|var|distinct|rate|share)$/ || unit == ".")
			unit = ""
		print $5 " " stat, $6, unit }' agg | sort >want
	[ "$(wc -l <want)" -eq 55 ]
	[ "$(grep -c ' ns$' want)" -eq 6 ]
	for format in snapshots resources; do
		perunenc --format $format agg >profile
		perundec profile | awk -F '\t' '/^sample/ {
			unit = ""
			for (i = 7; i <= NF; i++) if ($i ~ /^unit=/) unit = substr($i, 6)
			sub(/^(time|memory|mixed)\./, "", $5)
			print $5, $6, unit }' | sort >got
		same want got
	done
	# once more: the same units, with what perundec calls the measures
	perundec profile | afagg --by p.uid:function --stat sum | perunenc | perundec >again
	[ "$(grep -c '^sample.*	unit=ns	' again)" -eq 6 ]
	# a type of which some resources have no unit has none as a whole
	{
		printf 'run\t1\tr\t.\t.\t.\tformat=snapshots\n'
		printf 'sample\t1\tr\tf\ttime.%s\t5\t%s\n' a unit=ms b unit=. c unit=s
	} | perunenc --no-marks - >profile
	grep -qF '"units":{"time(a)":"ms","time(c)":"s"}' profile
	perundec profile >got
	[ "$(grep -c '	unit=' got)" -eq 2 ]
}

@test "durations that contain each other have no shares after a trip through Perun, either" {
	{
		printf 'run\t1\tr\t.\t.\t.\tapp=A\n'
		printf 'span\t9\tr\ta\t%s\t8\tstart=1\tunit=ns\n' inclusive self union t.delta
		printf 'span\t5\tr\tb\t%s\t4\tstart=1\tunit=ns\n' inclusive self union t.delta
	} | perunenc --no-marks - | perundec | afagg --by region --stat sum >agg
	aftab agg >table
	[ "$(grep -c % table)" -eq 3 ]
	grep -A 1 'time.self ' table | grep -q %
	# statistics of them, too
	perunenc agg | perundec | afagg --by region --stat sum | aftab >table
	[ "$(grep -c % table)" -eq 3 ]
}

@test "a recording of perf becomes a profile" {
	need python3
	perfdec --no-symbols "$BATS_TEST_DIRNAME/data/perf/chain.data" >stream
	want_status 0 perunenc stream
	python3 -c '
import json, sys
p = json.load(open("out"))
n = sum(1 for line in open("stream") if line.startswith("sample\t"))
assert len(p["snapshots"][0]["resources"]) == n > 0'
	cp out profile
	want_status 0 perundec profile
	[ "$(grep -c '^sample' out)" -eq "$(grep -c '^sample' stream)" ]
}

@test "nothing but marks is an empty profile" {
	printf '#afstream\t1\ttest\tx\n#end\ttest\tx\t0\tcomplete\n' >stream
	want_status 0 perunenc stream
	grep -qF '"resources":[]' out
}

# convert STATUS FORMAT JSON [OPTION]...: that profile in the other format.
convert() {
	local status=$1 to=$2
	printf '%s' "$3" >profile
	shift 3
	perundec profile >stream
	want_status "$status" perunenc --format "$to" "$@" stream
}

@test "lines that are all left out are no profile" {
	local line format
	cd "$T"
	for line in "$(event start 1 a . . id=1)" "$(event stop 1 a . . id=1)" "$(event sample 1 a m .)" \
		"$(event diff . a m 5 stat=sum before=5 after=10)"; do
		echo "$line" >in
		want_status 1 perunenc in
		said 'perunenc: there is nothing to write: all lines were left out'
		[ ! -s out ]
		for format in --pack --format=resources --format=snapshots; do
			want_status 1 perunenc "$format" in
			[ ! -s out ] || fail "$format: something of $line"
		done
		# a line that is used is enough
		event sample 1 b m 3 >>in
		want_status 0 perunenc in
	done
	event mmap 1 . . . >in
	want_status 0 perunenc in
	said 'perunenc: left out lines of other kinds: 1 mmap'
}

@test "--format resources: types, their lists, and what they have in common" {
	convert 0 resources '{"origin":"f","snapshots":[
		{"resources":[{"uid":{"line":2,"function":"f"},"amount":4,"address":1,"type":"m"},{"type":"m","address":2,"amount":5.0,"uid":{"line":2,"function":"f"}}],"time":"0.5"},
		{"resources":[{"uid":{"line":2,"function":"f"},"amount":6,"address":3,"type":"m"},{"uid":null,"zeta":1,"amount":null},{"uid":"a/b~\t","exclusive":1}]}],
		"header":{"type":"mixed"},"global":{"time":"9","resources":[{"uid":"u"}],"models":[{"uid":"x"}]}}'
	silent
	cat >want <<-'END'
		{
		"origin":"f",
		"header":{"type":"mixed"},
		"resources":{
		"f:2#0":{
		"amount":[4,5.0],
		"address":[1,2]
		},
		"f:2#1":{
		"amount":[6],
		"address":[3]
		},
		"None#0":{
		"amount":[null]
		},
		"a/b~\t#0":{
		"exclusive":[1]
		},
		"u#0":{}
		},
		"resource_type_map":{
		"f:2#0":{"snapshot":0,"time":"0.5","type":"m","uid":{"line":2,"function":"f"}},
		"f:2#1":{"snapshot":1,"time":"0.0","type":"m","uid":{"line":2,"function":"f"}},
		"None#0":{"snapshot":1,"time":"0.0","uid":null,"zeta":1},
		"a/b~\t#0":{"snapshot":1,"time":"0.0","uid":"a/b~\t"},
		"u#0":{"time":"9","uid":"u"}
		},
		"models":[
		{"uid":"x"}
		]
		}
	END
	same want out
}

@test "--format snapshots: each resource is itself again" {
	convert 0 snapshots '{"resources":{"a#0":{"amount":[1,2]},"b#0":{"amount":[3],"order":[7]},"c#0":{},"e#0":{"amount":[],"order":[]},"g#0":{"amount":[8]}},
		"header":{},"models":[{"uid":"x"}],"resource_type_map":{"a#0":{"snapshot":2,"time":"0.2","uid":"a"},"b#0":{"uid":"b","time":"0.1","snapshot":0},
		"c#0":{"uid":"c","snapshot":2,"time":"0.3"},"d#0":{"uid":"d"},"g#0":{"uid":"g","time":"0.0"}}}'
	said 'perunenc: 1 resources have a different time from the first one in their snapshot'
	cat >want <<-'END'
		{
		"header":{},
		"snapshots":[
		{
		"time":"0.1",
		"resources":[
		{"amount":3,"order":7,"uid":"b"}
		]
		},
		{
		"resources":[]
		},
		{
		"time":"0.2",
		"resources":[
		{"amount":1,"uid":"a"},
		{"amount":2,"uid":"a"},
		{"uid":"c","time":"0.3"}
		]
		}
		],
		"global":{
		"time":"0.0",
		"resources":[
		{"amount":8,"uid":"g"}
		],
		"models":[
		{"uid":"x"}
		]
		}
		}
	END
	same want out
	convert 0 snapshots '{"resources":{},"resource_type_map":{},"models":[]}'
	printf '{\n"snapshots":[]\n}\n' >want
	same want out
	convert 0 snapshots '{"resource_type_map":{},"resources":{},"models":[1]}'
	printf '{\n"global":{\n"resources":[],\n"models":[\n1\n]\n}\n}\n' >want
	same want out
	# a list at the top is in no snapshot
	convert 0 snapshots '{"resources":[{"uid":1}]}'
	printf '{\n"global":{\n"resources":[\n{"uid":1}\n]\n}\n}\n' >want
	same want out
}

@test "--format: what has no place is counted" {
	convert 0 resources '{"snapshots":[{"resources":[{"uid":1,"snapshot":7,"time":"x"},{"uid":1,"snapshot":7,"time":"x"}],"cpu":1,"models":[{"a":1}]}],
		"global":{"resources":[],"timestamp":1,"models":[{"b":1},{"b":2}]},"models":[]}'
	said 'left out 2 members of snapshots and global'
	said 'left out 3 models'
	said 'left out 1 resources without values of their own'
	said 'left out 2 members snapshot and time of resources'
	grep -qF '"1#0":{"snapshot":0,"time":"0.0","uid":1}' out
}

@test "--format: where Perun fails, and what would be lost, is refused" {
	need python3
	local json to text
	while IFS='|' read -r to json text; do
		convert 1 "$to" "$json"
		said "$text"
		case $json in
		\{*) python3 -c 'import json; json.load(open("out"))' ;;
		esac
	done <<-'END'
		resources|{"snapshots":[{"resources":[{"amount":1}]}]}|perunenc: stream:7: the resource has no uid
		resources|{"snapshots":[{"resources":[5]}]}|the resource is not a dictionary
		resources|{"snapshots":[{"resources":[{"uid":{"":1}}]}]}|a member of a dictionary in the uid has an empty name
		resources|{"snapshots":[{"time":"1"}]}|the previous snapshot has no resources
		resources|{"snapshots":[{"time":"1"},{"resources":[]}]}|the previous snapshot has no resources
		resources|{"snapshots":[{"resources":null}]}|a snapshot's resources are not a list
		resources|{"snapshots":[7]}|the snapshot has no resources
		resources|{"snapshots":null}|snapshots is not a list
		resources|{"global":{"models":[]}}|global has no resources
		resources|{"global":{"resources":5}}|global's resources are not a list
		resources|{"global":{"resources":[],"models":5}}|global's models are not a list
		resources|{"global":null}|global is not a dictionary
		resources|[1]|the document is not a dictionary: this cannot be converted
		resources|{"snapshots":[],"resources":{}}|both a map of resources and snapshots
		snapshots|{"resources":{},"global":{}}|both a map of resources and snapshots
		snapshots|{"resources":{"a":{"amount":[1]}},"resource_type_map":{}}|perunenc: stream:6: resource_type_map does not have the resource's type
		snapshots|{"resources":{"a":{"amount":[1],"order":[]}}}|the type's lists are not equally long
		snapshots|{"resources":{"a":{"amount":[1]}},"resource_type_map":{"a":{"snapshot":1000000}}}|perunenc: stream:8: the type's snapshot is not a number below 1000000
		snapshots|{"resources":{"a":{"amount":[1]}},"resource_type_map":{"a":{"snapshot":1.0}}}|the type's snapshot is not a number
		snapshots|{"resources":{"a":{"amount":[1]}},"resource_type_map":{"a":5}}|a type in resource_type_map is not a dictionary
		snapshots|{"resources":5}|resources is neither a map nor a list
		snapshots|{"models":5}|models is not a list
	END
}

@test "--format: lines of a stream that no profile has, and values that are odd" {
	local to lines json text
	while IFS='|' read -r to lines json text; do
		stream "$lines"
		want_status "$([ -n "$text" ] && echo 1 || echo 0)" perunenc --format "$to" stream || fail "$lines" || return
		[ -z "$text" ] || said "perunenc: stream:$text" || fail "$lines" || return
		[ "$(written)" = "$json" ] || fail "$lines: $(written)" || return
	done <<-'END'
		resources|=/snapshots/x/resources/0 {"uid":1}|{"resources":{},"resource_type_map":{},"models":[]}|1: the pointer has no index for a list
		resources|=/snapshots/1/resources/0 {"uid":1} ; =/snapshots/0/resources/0 {"uid":2}|{"resources":{"1#0":{}},"resource_type_map":{"1#0":{"snapshot":0,"time":"0.0","uid":1}},"models":[]}|2: comes too late: its place in the document has been passed
		resources|/global/x { ; =/global/resources/0 {"uid":1}|{"resources":{"1#0":{}},"resource_type_map":{"1#0":{"time":"0.0","uid":1}},"models":[]}
		resources|/snapshots/0/resources/0 {|{"resources":{},"resource_type_map":{},"models":[]}
		resources|/resources [ ; =/resources/0 {"uid":1,"amount":3,"time":4,"snapshot":5}|{"resources":{"1#0":{"amount":[3]}},"resource_type_map":{"1#0":{"snapshot":5,"time":4,"uid":1}},"models":[]}
		resources|/snapshots "" ; /global {}|{"resources":{},"resource_type_map":{},"models":[]}
		resources|/snapshots/0/models {} ; /snapshots/0/resources {} ; /global/models {} ; /global/resources ""|{"resources":{},"resource_type_map":{},"models":[]}
		resources|/snapshots/0/resources/0 {"uid": #1 ; /snapshots/0/resources/0 1} #2.|{"resources":{"1#0":{}},"resource_type_map":{"1#0":{"snapshot":0,"time":"0.0","uid":1}},"models":[]}
		resources|/snapshots/0/resources/0 {"uid": #2|{"resources":{},"resource_type_map":{},"models":[]}|1: a part of a value without the parts before it
		resources|=/snapshots/0/resources/0 {"uid":[]} ; =/snapshots/0/resources/1 {"uid":{}} ; =/snapshots/0/resources/2 {"uid":"a\\u0001b"}|{"resources":{"#0":{},"#1":{},"a\u0001b#0":{}},"resource_type_map":{"#0":{"snapshot":0,"time":"0.0","uid":[]},"#1":{"snapshot":0,"time":"0.0","uid":{}},"a\u0001b#0":{"snapshot":0,"time":"0.0","uid":"a\u0001b"}},"models":[]}
		snapshots|=/resources/t/0 5|{"snapshots":[]}|1: the type's lists are not equally long, or too large to be converted
		resources|=/snapshots/0/resources/0 {"uid":1} ; =/snapshots/x/resources/0 {"uid":2} ; /snapshots/x/models [|{"resources":{"1#0":{}},"resource_type_map":{"1#0":{"snapshot":0,"time":"0.0","uid":1}},"models":[]}|2: the pointer has no index for a list
		resources|=/snapshots/0/resources/0 {"uid":1} ; /snapshots/0/x/y 1 ; /global/resources [ ; /global/x/y 1|{"resources":{"1#0":{}},"resource_type_map":{"1#0":{"snapshot":0,"time":"0.0","uid":1}},"models":[]}
		resources|/resources [ ; /resources/0/a 1|{"resources":{},"resource_type_map":{},"models":[]}
		snapshots|=/resources/0 {"a":1}|{"global":{"resources":[{"a":1}]}}
		snapshots|/resources/t 5|{"snapshots":[]}|1: the type's lists are not equally long, or too large to be converted
		snapshots|/resource_type_map/t {"snapshot":-1}|{"snapshots":[]}|1: the type's snapshot is not a number below 1000000
		snapshots|=/resources/t/x {}|{"snapshots":[]}|1: the type's lists are not equally long, or too large to be converted
		snapshots|/resources/t {"a":[],"b":[]}|{"snapshots":[]}
		snapshots|/resources/t {"a":[],"b":5}|{"snapshots":[]}|1: the type's lists are not equally long, or too large to be converted
		snapshots|/resource_type_map {} ; /models [] ; /resources {}|{"snapshots":[]}
		snapshots|/resource_type_map 5|{"snapshots":[]}|1: resource_type_map is not a dictionary
		snapshots|/resource_type_map { ; /resource_type_map/t/x 1|{"snapshots":[]}|2: a type in resource_type_map is not a dictionary
		snapshots|/resources [ ; /resources/0 {"time":1} ; /resources/1 {}|{"global":{"resources":[{"time":1},{}]}}
	END
	# only the first resource's time is the snapshot's
	stream '=/resources/t/0 {"amount":1} ; /resource_type_map/t {"uid":1,"snapshot":1,"time":"1"} ; =/resources/u/0 {} ; /resource_type_map/u {"uid":2,"snapshot":1,"time":"2"} ; =/resources/w/0 {} ; /resource_type_map/w {"snapshot":1,"time":"3"}'
	want_status 0 perunenc --format snapshots stream
	said "perunenc: 2 resources have a different time from the first one in their snapshot"
	[ "$(written)" = '{"snapshots":[{"resources":[]},{"time":"1","resources":[{"amount":1,"uid":1},{"uid":2,"time":"2"},{"time":"3"}]}]}' ]
}

@test "--format: resources that a map cannot hold together are of two types" {
	convert 0 resources '{"global":{"resources":[{"uid":"u","amount":1},{"uid":"u","amount":2,"order":3},{"uid":"u","amount":4}]}}'
	grep -qx '"u#0":{' out
	grep -qx '"amount":\[1,4\]' out
	grep -qx '"u#1":{' out
	grep -qx '"amount":\[2\],' out
}

@test "--format: members that appear twice are converted, and said" {
	convert 0 resources '{"snapshots":[{"resources":[{"uid":"a"}]}],"snapshots":[{"resources":[{"uid":"b"}]}]}'
	said "perunenc: 'snapshots' appears twice: both are used, Perun uses the last"
	convert 0 snapshots '{"resources":{"t":{"amount":[1]},"t":{"amount":[2]}},"resource_type_map":{"t":{"uid":"a"}}}'
	said "perunenc: 't' appears twice: both are used, Perun uses the last"
	# what passes is as it was
	convert 0 snapshots '{"snapshots":[{"resources":[{"uid":"a"}]}],"snapshots":[]}'
	silent
}

@test "--format: a second document is refused" {
	perundec "$DATA/snapshots.data" >a
	perunenc --format resources a >want
	want_status 1 perunenc --format resources a a
	said 'a second document begins: a profile has one'
	same want out
}

@test "--format: what has the format stays, and large resources come along" {
	need python3
	perunenc "$DATA/snapshots.ev" >want
	want_status 0 perunenc --format snapshots "$DATA/snapshots.ev"
	same want out
	perunenc "$DATA/resources.ev" >want
	want_status 0 perunenc --format resources "$DATA/resources.ev"
	same want out
	python3 -c '
import json
json.dump({"snapshots": [{"resources": [{"uid": "x", "amount": 1, "s": "y" * 1500000}]}]}, open("big", "w"))'
	perundec big >stream 2>err
	want_status 0 perunenc --format resources stream
	python3 -c '
import json
assert json.load(open("out"))["resource_type_map"]["x#0"]["s"] == "y" * 1500000'
}

@test "--format: a recording of perf as a map, and the options" {
	need python3
	perfdec --no-symbols "$BATS_TEST_DIRNAME/data/perf/chain.data" >stream
	want_status 0 perunenc --format resources stream
	said ' tags: resources have no place for them'
	python3 -c '
import json
p = json.load(open("out"))
n = sum(1 for line in open("stream") if line.startswith("sample\t"))
assert sum(len(t["amount"]) for t in p["resources"].values()) == n > 0
assert set(p["resources"]) == set(p["resource_type_map"])
assert all(t["snapshot"] == 0 for t in p["resource_type_map"].values())'
	want_status 2 perunenc --format map
	said 'perunenc: --format: snapshots or resources, not map'
	want_status 2 perunenc --format resources --format resources
	want_status 3 sh -c "yes '{\"uid\":1,\"amount\":1},' | head -n 400000 | { printf '{\"global\":{\"resources\":['; cat; printf '{\"uid\":1}]}}'; } |
		perundec | TMPDIR='$T/not here' perunenc --format resources"
	said 'cannot make a temporary file in '
}

@test "--format: made profiles become what Perun makes of them, and back" {
	need python3
	local n=40
	[ -z "${AFPIPE_SLOW-}" ] || n=1000
	want_status 0 python3 "$ROOT/t/tools/perunformat.py" --random $n
}

# The collection's profiles; nothing of it is here.
# bats test_tags=slow
@test "every profile of a larger collection comes back, and packs as Perun packs it" {
	need python3 zstd
	[ -f "${AFPIPE_CORPUS-}/perun/ref.tar.zst" ] || skip "AFPIPE_CORPUS names no collection"
	tar --zstd -xf "$AFPIPE_CORPUS/perun/ref.tar.zst"
	want_status 0 python3 "$ROOT/t/tools/perunback.py" "$AFPIPE_CORPUS/perun" ref
}

# bats test_tags=slow
@test "conversions of a larger collection's profiles are Perun's" {
	need python3
	[ -d "${AFPIPE_CORPUS-}/perun/old" ] || skip "AFPIPE_CORPUS names no collection"
	want_status 0 python3 "$ROOT/t/tools/perunformat.py" "$AFPIPE_CORPUS/perun"
}

@test "results by stack have the innermost frame as their function" {
	{
		event sample 1 f t 5 unit=ns 'stack=main;f'
		event sample 1 g t 7 unit=ns 'stack=main;g\x3bh'
		event sample 1 . t 9 unit=ns
	} >in
	afagg --by stack --stat sum --no-marks in | perunenc | perundec | afcut --kind sample value,p.uid:function >got
	printf '5\tf\n7\tg;h\n9\t.\n' | sort >want
	sort -o got got
	same want got
}

@test "results without a region: the function is their key; without one, and of groups that overlap, there is a note" {
	printf 'agg\t5\tr\t.\tm\t7\t%s\tstat=sum\tstart=1\tn=2\n' leaf=f 'frame=g	total=9' tid=1 >"$T/in"
	want_status 0 perunenc "$T/in"
	[ "$(grep -o '"function":"[^"]*"' "$T/out" | uniq | tr '\n' ' ')" = '"function":"f" "function":"g" "function":"" ' ]
	said "perunenc: results of groups that overlap (total=): 1; Perun's graphs and tables add them up"
	said 'perunenc: results that have no function, so all are one, without a name: 1'
}

@test "numbers that JSON spells differently than a stream" {
	{
		while read -r value; do printf 'sample\t0%s\tr\tf\tm\t%s\n' 7 "$value"; done <<-END
			007
			-05
			.5
			-.5
			5.
			00.50
			5.e1
			0
			-0
			100
			1e-07
		END
		printf 'agg\t000\tr\tf\tm\t00012\tstat=sum\tn=3\tk=007\tj=-05\tzero=0\tlo=.5\thi=010\ttotal=5.\n'
	} >"$T/in"
	want_status 0 perunenc --no-marks "$T/in"
	printf '%s\n' 7 -5 0.5 -0.5 5.0 0.50 5.0e1 0 -0.0 100 1e-07 12 >"$T/want"
	sed -n 's/.*"amount":\([^,]*\),.*/\1/p' "$T/out" >"$T/got"
	same "$T/want" "$T/got"
	[ "$(grep -c '"timestamp":7,' "$T/out")" -eq 11 ]
	grep -q '"timestamp":0,.*"n":3,"k":"007","j":"-05","zero":0,"lo":0.5,"hi":10,"total":5.0}$' "$T/out"
	need python3
	python3 -m json.tool "$T/out" >"$T/json"
}

@test "times come back: those of lines, not of the snapshot, which has none" {
	printf 'sample\t%s\tr\tf\tm\t7\n' 5 18446744073709551616 . >"$T/in"
	want_status 0 perunenc "$T/in"
	grep -qx '"timestamps":"ns",' "$T/out"
	mv "$T/out" "$T/p"
	want_status 0 perundec "$T/p"
	[ "$(grep ^sample "$T/out" | cut -f 2 | tr '\n' ' ')" = '5 18446744073709551616 . ' ]
	mv "$T/out" "$T/back"
	want_status 0 perunenc "$T/back"
	same "$T/p" "$T/out"
	# the timestamps of others are in a unit of theirs, and only integers are times
	echo '{"snapshots":[{"time":"0.5","resources":[{"amount":1,"timestamp":7}]},{"timestamps":"ns","time":"2",
		"resources":[{"amount":1,"timestamp":-7},{"amount":1,"timestamp":"7"},{"amount":1,"timestamp":8}]},
		{"resources":[{"amount":1,"timestamp":9}]}]}' >"$T/p"
	want_status 0 perundec "$T/p"
	[ "$(grep ^sample "$T/out" | cut -f 2 | tr '\n' ' ')" = '500000000 2000000000 2000000000 8 . ' ]
}
