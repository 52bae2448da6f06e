# SPDX-License-Identifier: ISC
# perundec.bats - Perun's profiles to the stream: whole files, and what holds of every file.

load lib
load perun

setup_file() {
	helpers fuzz-perun
}

@test "every kind of profile, line by line" {
	local f name
	for f in "$DATA"/*.data; do
		name=${f##*/}
		want_status 0 perundec "$f"
		case $name in
		resources.data | typesfirst.data)
			said '1 types of resources are not lists of one length and appear only as header lines'
			sed -i '/not lists of one length/d' err
			;;
		repeated.data)
			said "members that appear twice: 2, 'snapshots' first: all are used, Perun uses the last"
			sed -i '/members that appear twice/d' err
			;;
		esac
		silent
		unmarked out >got
		same "${f%.data}.ev" got
		[ "$(tail -n 1 out)" = "#end	perundec	$f	$(wc -l <got)	complete" ] ||
			fail "$name: $(tail -n 1 out)"
	done
}

@test "resources have the unit of their type and subtype, wherever the header is" {
	local resources header order f
	header='"header":{"units":{"time":"ms","time(real)":"s","m\u0069xed(time delta)":"\u00b5s","memory":["B"],"a\tb":"x\ty","empty":"","twice":"no","twice":"yes"}}'
	resources='[{"type":"time","subtype":"real","amount":1},{"type":"time","subtype":"user","amount":2},{"type":"time","amount":3},
		{"type":"mixed","subtype":"time delta","amount":4},{"type":"mixed","amount":5},{"type":"memory","amount":6},
		{"type":"a\tb","amount":7},{"type":"empty","amount":8},{"type":"twice","amount":9},{"amount":10}]'
	printf '%s\n' '1	s' '2	ms' '3	ms' '4	µs' '5	' '6	' '7	x\ty' '8	' '9	yes' '10	' >want
	for order in "$header,\"global\":{\"resources\":$resources}" "\"global\":{\"resources\":$resources},$header" \
		"\"snapshots\":[{\"resources\":$resources}],$header" "\"resources\":$resources,$header"; do
		printf '{%s}' "$order" >profile
		for f in profile -; do
			want_status 0 perundec $f <profile
			silent
			awk -F '\t' '/^sample/ { unit = ""; for (i = 7; i <= NF; i++) if ($i ~ /^unit=/) unit = substr($i, 6); print $6 "\t" unit }' out >got
			same want got
		done
		want_status 0 sh -c 'perundec profile | perunenc'
	done
	# in a map, the type and subtype are those that a type's resources have in common
	printf '{"resources":{"t#1":{"amount":[1,2]}},"resource_type_map":{"t#1":{"type":"time","subtype":"real"}},%s}' "$header" >profile
	want_status 0 perundec profile
	[ "$(grep -c '	time.real	[12]	unit=s	' out)" -eq 2 ]
	# aggregates that perunenc wrote, whose header comes last
	printf 'agg\t1\tr\tf\tm\t5\tstat=sum\tunit=kB\n' | perunenc --no-marks - >profile
	want_status 0 perundec profile
	grep -q '	5	unit=kB	' out
}

@test "units that are not used are reported" {
	printf '{"header":{"units":{"t":"s"}},"global":{"resources":[{"type":"t","amount":1}]},"header":{"units":{"t":"ms"}}}' >profile
	want_status 0 perundec profile
	said "header appears twice: resources have the units in the one before them"
	grep -q '	t	1	unit=s	' out
	{
		printf '{"header":{"units":{"t":"s"},"x":"'
		head -c 1100000 /dev/zero | tr '\0' x
		printf '"},"global":{"resources":[{"type":"t","amount":1}]}}'
	} >profile
	want_status 0 perundec profile
	said "the header is longer than 1 MiB: the units in it are not used"
	[ "$(grep -c 'unit=' out)" -eq 0 ]
}

@test "values in different units are not added up" {
	local unit
	for unit in ms s; do
		printf '{"header":{"type":"time","units":{"time":"%s"}},"global":{"resources":[{"type":"time","amount":1500,"uid":"load"}]}}' $unit >$unit.perf
		perundec $unit.perf | afagg --by region --stat sum >$unit.agg
	done
	perundec ms.perf s.perf | afagg --by region --stat sum | aftab >table
	[ "$(grep -c '^load *1500 ' table)" -eq 2 ]
	grep -q '^time \[ms\]' table
	want_status 1 afdiff ms.agg s.agg
	said "only BEFORE has the unit ms"
}

# bats test_tags=quick
@test "from a pipe the lines are the same" {
	local f
	for f in "$DATA"/*.data; do
		want_status 0 sh -c "cat '$f' | perundec"
		unmarked out >got
		same "${f%.data}.ev" got
	done
}

@test "the types of a map of resources may come before or after, in a file, a pipe or packed" {
	local f way
	cut -f 1,4- "$DATA/typesfirst.ev" | grep '^sample' >want
	[ -s want ]
	need python3
	python3 -c '
import sys, zlib
s = open(sys.argv[1], "rb").read()
open("packed", "wb").write(zlib.compress(b"profile mixed %d\0" % len(s) + s))' "$DATA/resources.data"
	for way in "$DATA/resources.data" packed; do
		want_status 0 perundec "$way"
		cut -f 1,4- out | grep '^sample' | cmp - want
		want_status 0 sh -c "cat '$way' | perundec"
		cut -f 1,4- out | grep '^sample' | cmp - want
	done
}

@test "names with unusual bytes are escaped where they are joined, too" {
	printf '%s' '{"snapshots":[{"resources":[{"type":"t","amount":1,"uid":{"source":"s","function":"f","line":1,"bin":"b"}},
		{"type":"a\tb","subtype":"c","amount":1,"uid":{"function":"f\tg","source":"s"}},
		{"type":".","subtype":"c\t","amount":1,"uid":{"source":"s\t","function":"f"}},
		{"type":"t","subtype":".","amount":1,"uid":{"source":"s","function":"f"}}]}]}' >profile
	want_status 0 perundec profile
	grep '^sample' out | cut -f 4,5 >got
	printf '%s\n' 'b:s:f:1	t' 's:f\tg	a\tb.c' 's\t:f	..c\t' 's:f	t..' >want
	same want got
}

# of PROFILE: perundec's lines of resources, without the first three columns and the JSON text.
of() {
	printf '%s' "$1" >profile
	want_status 0 perundec profile || return
	grep '^sample' out | cut -f 2,4- | sed 's/	at=[^	]*	json=[^	]*//' >got
}

@test "names of the same rank, by the digits of their characters, keep their order" {
	of '{"snapshots":[{"resources":[{"uid":{"\u0004\u0005":"a","\u03ed":"b"}},{"uid":{"\u03ed":"b","\u0004\u0005":"a"}},
		{"uid":{"\u0004\u0006":"a","\u03ed":"b"}}]}]}'
	cut -f 2 got >regions
	printf '%s\n' a:b b:a b:a >want
	same want regions
}

@test "a trace of Perun's newer collectors has func and no function in its frames" {
	printf '{"snapshots":[{"resources":[%s,%s,%s,%s,%s]}]}' \
		'{"amount":1,"uid":"u","trace":[{"func":"f1","function":"a1"},{"func":"f2","function":"a2"}]}' \
		'{"amount":1,"uid":"u","trace":[{"func":"f1"},{"func":"f2"}]}' \
		'{"amount":1,"uid":"u","trace":[{"function":"f1"},{"function":"f2"}]}' \
		'{"amount":1,"uid":"u","trace":[{"line":1},{"line":2}]}' \
		'{"amount":1,"uid":"u","trace":["text",{"function":"f"}]}' >profile
	want_status 0 perundec profile
	sed -n 's/.*\tstack=\([^\t]*\).*/\1/p' out >got
	printf '%s\n' 'a2;a1' 'f1;f2;u' 'f2;f1' '.;.' 'f;text' >want
	same want got
}

@test "--run" {
	want_status 0 perundec --run 'a	b' "$DATA/odd.data"
	[ "$(unmarked out | cut -f 3 | sort -u)" = 'a\tb' ]
	want_status 2 perundec --run '' "$DATA/odd.data"
	said "perundec: --run needs an id that is not empty"
}

# refused TEXT PLACE: the text is no JSON, as Python has it too.
refused() {
	printf '%b' "$1" >bad
	want_status 1 perundec bad || return
	said "perundec: bad:$2" || return
	[ "$(tail -n 1 out | cut -f 1,2,3,5-)" = "#end	perundec	bad	partial	damaged" ] ||
		fail "$(tail -n 1 out)"
}

@test "what is no JSON is refused, at its line and column" {
	refused '{' '1: column 2: the text ends, expected a name in double quotes'
	refused '\n\n {"a":\n[1,\n]}' '5: column 1: expected a value'
	refused '["\303\251\342\202\254", x]' '1: column 8: expected a value'
	refused '{"a":1,}' '1: column 8: expected a name in double quotes'
	refused '{"a" 1}' '1: column 6: expected a colon'
	refused '{"a":[1 2]}' '1: column 9: expected a comma or ]'
	refused '{} {}' '1: column 4: expected the end'
	refused '[01]' '1: column 3: expected a comma or ]'
	refused '[1.]' '1: column 3: expected a comma or ]'
	refused '[-]' '1: column 2: expected a value'
	refused '[nul]' '1: column 2: expected a value'
	refused '["a\001"]' '1: column 4: a control character in a string'
	refused '["\\x"]' '1: column 3: an escape that JSON does not have'
	local digits
	for digits in g123 1G23 12/3 123: @123 '1`23'; do
		refused '["\\u'$digits'"]' '1: column 3: an escape that JSON does not have'
	done
	# the text ends in an escape, or after a whole one
	local escape n
	for escape in '' u u1 u12 u12a u12aB; do
		n=$((${#escape} + 4))
		if [ $n -lt 9 ]; then
			refused "[\"\\\\$escape" "1: column $n: the text ends, expected the rest of an escape"
		else
			refused "[\"\\\\$escape" "1: column $n: the text ends, expected the end of a string"
		fi
	done
	for escape in '"' "\\\\" / b f n r t; do
		refused "[\"\\\\$escape" '1: column 5: the text ends, expected the end of a string'
	done
	for escape in 0 x N "'"; do
		refused "[\"\\\\$escape" '1: column 3: an escape that JSON does not have'
	done
	refused '["abc' '1: column 6: the text ends, expected the end of a string'
	refused '["\351"]' '1: column 3: a byte that is not valid UTF-8'
	refused '["\355\240\200"]' '1: column 3: a byte that is not valid UTF-8'
	refused '\357\273\277{}' " this is text after a byte order mark, not a Perun profile: put 'tail -c +4 FILE |' in front"
	refused '{"snapshots":[{"resources":[{"a":1},\n{"a":tru}]}]}' '2: column 6: expected a value'
	refused '   ' '1: column 4: the text ends, expected a value'
}

@test "lines before the damage are printed" {
	sed 's/"amount": 1.5/"amount": 1.5x/' "$DATA/snapshots.data" >bad
	want_status 1 perundec bad
	said "expected a comma or }"
	unmarked out >got
	[ "$(grep -c '^sample' got)" -eq 1 ]
	cut -f 1,4- got >a
	cut -f 1,4- "$DATA/snapshots.ev" | head -n "$(wc -l <got)" | cmp - a
}

@test "900 containers in one another are taken, 901 and 100,000 are refused" {
	local n
	for n in 900 901 100000; do
		head -c $n /dev/zero | tr '\0' '[' >"deep$n"
		head -c $n /dev/zero | tr '\0' ']' >>"deep$n"
	done
	want_status 0 perundec deep900
	want_status 1 perundec deep901
	said "perundec: deep901:1: column 901: nested deeper than 900"
	want_status 1 perundec deep100000
	said "perundec: deep100000:1: column 901: nested deeper than 900"
	{
		printf '{"snapshots":[{"resources":['
		for n in $(seq 896); do printf '{"uid":'; done
		printf 1
		for n in $(seq 896); do printf '}'; done
		printf ']}]}'
	} >deep
	want_status 0 perundec deep
	grep -q '^sample.*	omitted=p$' out
	said "perundec: deep: 1 deeply nested resources or models lack some of their p. tags"
	sed 's/:1}/:{}}/' deep >deeper
	want_status 1 perundec deeper
	said "nested deeper than 900"
}

# bats test_tags=slow,sanitize
@test "packed profiles that are not whole or not what they say" {
	local name size cut message
	for name in packed-cut packed-short; do
		want_status 1 perundec "$ROOT/t/fuzz/corpus/perun/$name"
	done
	want_status 0 perundec "$ROOT/t/fuzz/corpus/perun/packed-characters"
	size=$(wc -c <"$DATA/packed.data")
	for cut in $(seq 0 "$((size - 1))"); do
		head -c "$cut" "$DATA/packed.data" >cut.data
		want_status 1 perundec cut.data
		case $cut in
		0) message=" empty text" ;;
		1) message="1: column 1: expected a value" ;;
		*) printf -v message ' 0x%x: the packed object ends too early' "$cut" ;;
		esac
		[ "$(<err)" = "perundec: cut.data:$message" ] || fail "$cut: $(<err)"
	done
	{
		cat "$DATA/packed.data"
		printf x
	} >more.data
	want_status 0 perundec more.data
	said "perundec: more.data: bytes after the packed object are ignored"
}

# bats test_tags=slow,sanitize
@test "values that are too long for a line come in parts" {
	need python3
	python3 -c '
import json
big = "\u00e9\\" * 3000000
json.dump({"long": big, "snapshots": [{"resources": [{"uid": "x", "amount": 1, "s": "y" * 1500000}, {"uid": "z", "amount": 2}]}],
    "list": [big[:10]] * 300000}, open("big", "w"), ensure_ascii=False)'
	want_status 0 perundec big
	said "perundec: big: 1 resources, models or types are too large for a line and appear only as header lines"
	[ "$(awk 'length($0) > 16777216' out | wc -l)" -eq 0 ]
	[ "$(grep -c '^sample' out)" -eq 1 ]
	cp out stream
	want_status 0 perunenc stream
	dumps out >got
	dumps big >want
	same want got
	sed 's/^\(header	.	0x[0-9a-f]*	\)\.	.	{$/&\n\1\/header	.	{"type":"time"}/' stream >packable
	want_status 0 perunenc --pack packable
	python3 -c '
import sys, zlib
got = zlib.decompress(open("out", "rb").read()).split(b"\0", 1)[1]
assert got == b"{\"header\": {\"type\": \"time\"}, " + open("want", "rb").read()[1:]'
}

@test "the lines do not depend on how the text comes" {
	local name by
	need python3
	python3 -c '
text = {
    "plain": "{\"blob\":\"" + "x" * 2500000 + "\",\"b\":1}",
    "exact": "{\"blob\":\"" + "x" * 1048574 + "\",\"more\":\"" + "x" * 1048575 + "\"}",
    "mixed": "[" + ",".join("{\"\u00e9%d\":\"a\\n\u20ac\",  \"n\":%d}" % (i, i) for i in range(90000)) + "]",
    "number": "{\"n\":" + "1" * 1048575 + ",\"m\":[" + "2" * 1048575 + "," + "3" * 1048575 + "]}",
    "resource": "{\"snapshots\":[{\"resources\":[{\"a\":\"" + "y" * 1500000 + "\"},{\"b\":\"" + "z" * 1048569 + "\"}]}]}",
    "type": "{\"resources\":{\"u#0\":{\"amount\":[" + "1234567," * 200000 + "1]},\"u#1\":5}}",
    "damaged": "{\"blob\":\"" + "x" * 1060000 + "\x01\"}",
    "cut": "[" + "[\"abc\",1.5],\n" * 90000,
    "name": "{\"" + "n" * 262142 + "\":1,\"" + "n" * 262143 + "\":2}",
    "numbers": "{\"n\":" + "1" * 1048577 + "}",
}
for name in text:
    open(name, "w", encoding="utf-8").write(text[name])'
	for name in plain exact mixed number resource type damaged cut name numbers; do
		perundec --run r <$name >want 2>want.err || true
		for by in 4093 65537 1000003; do
			dd if=$name bs=$by status=none | perundec --run r >got 2>got.err || true
			same want got
			same want.err got.err
		done
	done
	# every part but the last has 1 MiB
	want_status 1 perundec --run r plain
	said "this is JSON, but not a Perun profile"
	[ "$(awk -F '\t' '$7 ~ /^part=/ { print length($6) }' out | tr '\n' ' ')" = "1048576 1048576 402850 " ]
	want_status 1 perundec --run r exact
	[ "$(grep -c '	part=' out)" -eq 2 ]
	# a name that is too long is no part of anything
	want_status 1 perundec name
	said "a name of more than 256 KiB before this"
	[ "$(grep -c '	part=' out)" -eq 0 ]
}

@test "a number, many brackets and a name behind each other fit behind a value's limit" {
	local run=(env AFPIPE_SANDBOX=0 valgrind -q --error-exitcode=99) n
	need python3
	if [[ ${CFLAGS-} == *sanitize* ]]; then run=(); else need valgrind; fi
	for n in 1048575 1048576; do
		# the window of the text ends between the brackets and the name
		python3 -c '
import sys
value = "{\"k\":\"" + "p" * (int(sys.argv[1]) - 909) + "\",\"m\":" + "[" * 897
assert len(value) == int(sys.argv[1])
head, brackets = "{\"v\":" + value + "1" * 1048575, "]" * 897 + ","
blanks = 65536 + 8 * 262144 - len(head) - len(brackets)
print(head + " " * blanks + brackets + "\"" + "n" * 300000 + "\":1},\"global\":{}}")' $n >profile
		want_status 0 "${run[@]}" perundec profile
		silent
	done
}

# packed LENGTH [BLANKS]: a packed profile with that length in front of {} and so many blanks.
packed() {
	python3 -c '
import sys, zlib
text = b"{}" + b" " * int(sys.argv[2])
open("object", "wb").write(zlib.compress(b"profile time " + sys.argv[1].encode() + b"\0" + text))' "$1" "${2-8}"
}

@test "the length of a packed profile, spelled as Python's int() takes it" {
	local length text
	need python3
	for length in 10 +10 1_0 +0_1_0 010; do
		packed "$length"
		want_status 0 perundec object
		silent
	done
	for length in + _10 10_ 1__0 -10 ++10 +_10 10x 99999999999999999999; do
		packed "$length"
		want_status 1 perundec object
		said "perundec: object: a packed profile without its length"
	done
	# what precedes it is something else
	while IFS='|' read -r length text; do
		python3 -c 'import sys, zlib; open("object", "wb").write(zlib.compress(sys.argv[1].replace("@", "\0").encode()))' "$length"
		want_status 1 perundec object
		said "perundec: object: $text" || fail "$length" || return
	done <<-END
		profile time 2|not a packed Perun profile
		profile@{}|not a packed Perun profile
		profilX time 2@{}|not a packed Perun profile
		profile time 2$(head -c 300 /dev/zero | tr '\0' 0)@{}|a packed profile without its length
		profile disk 2@{}|a packed profile of a type that Perun does not have
		profile timeX 2@{}|a packed profile of a type that Perun does not have
		profile time@{}|a packed profile of a type that Perun does not have
		profile time @{}|a packed profile of a type that Perun does not have
	END
	packed 11
	want_status 1 perundec object
	said "perundec: object: the packed text has 10 characters, but its header gives 11"
	packed 5 999998
	want_status 1 perundec object
	said "perundec: object: the packed text has 1000000 characters, but its header gives 5"
}

@test "members of a type replace those of its resources, as in Perun" {
	of '{"resources":{"t":{"uid":[{"func":"a","line":1},{"func":"b","line":2}],"n":[{"x":3},4],"amount":[1,2],"trace":[[{"func":"a"}],[]]}},
		"resource_type_map":{"t":{"amount":100,"type":"x","uid":"f","trace":[{"func":"c"}]}}}'
	printf '.	f	x	100	stack=c;f	%s	p.amount=100	p.type=x	p.uid=f	p.trace=c\n' \
		'p.n:x=3	p.n=3' 'p.n=4' >want
	same want got
	want_status 0 sh -c 'perundec profile | perunquery values amount'
	[ "$(cat out)" = 100 ]
	# the document is the same nevertheless
	want_status 0 sh -c 'perundec profile | perunenc'
	grep -qF '"amount":[1,2]' out
	# members of their own remain
	of '{"resources":{"t":{"uid":["a","b"],"amount":[1,2],"trace":[[{"func":"a"}],[]]}},"resource_type_map":{"t":{"type":"x"}}}'
	printf '.	%s	x	%s\n' a '1	stack=a;a	p.uid=a	p.amount=1	p.trace=a	p.type=x' \
		b '2	p.uid=b	p.amount=2	p.trace=.	p.type=x' >want
	same want got
}

@test "what a type's resources have in common may be much longer than they are" {
	local trace='{"func":"function","source":"/usr/src/file.c","line":1}'
	trace=$trace,$trace,$trace,$trace,$trace,$trace,$trace,$trace
	trace=$trace,$trace,$trace,$trace,$trace,$trace,$trace,$trace
	trace=$trace,$trace,$trace,$trace
	of '{"resources":{"t":{"amount":[1,2]}},
		"resource_type_map":{"t":{"trace":['"$trace"'],"type":"memory","subtype":"malloc","uid":{"func":"f"}}}}'
	silent
	cut -f 1-4 got >columns
	printf '.	f	memory.malloc	%d\n' 1 2 >want
	same want columns
	grep -q '	p.subtype=malloc	p.uid:func=f	p.uid=f$' got
}

@test "numbers of any length are rounded as Python rounds them" {
	need python3
	cat >longest.py <<-'END'
	import random
	from fractions import Fraction
	r = random.Random(1)
	def exact(f):  # all digits of a fraction whose denominator is a power of 2
	    n = f.denominator.bit_length() - 1
	    digits = str(f.numerator * 5 ** n).rjust(n + 1, "0")
	    return digits[:len(digits) - n] + "." + (digits[len(digits) - n:] or "0")
	numbers = ["0." + "0" * 900 + "123", "1" * 900 + ".5e-700", "-" + "9" * 1000 + "e-900", "0.0" + "0" * 900,
	           "0" + "." + "0" * 400 + "1" * 900 + "E+400", "1." + "0" * 900 + "e300", "-0." + "0" * 900,
	           "1." + "5" * 900 + "e-5000000000", "1." + "5" * 900 + "e5000000000"]
	for i in range(200):
	    v = r.random() * 10.0 ** r.randrange(-320, 20)
	    middle = (Fraction(v) + Fraction(v + 2.0 ** -1074 if v < 2.0 ** -1021 else v * (1 + 2.0 ** -52))) / 2
	    text = exact(middle)
	    numbers += [text + "0" * r.randrange(900) + tail for tail in ("", "0", "1", "1e-3")]
	print('{"snapshots":[{"resources":[%s]}]}' % ",".join('{"amount":%s}' % n for n in numbers), file=open("profile", "w"))
	print("\n".join(repr(float(n)) for n in numbers), file=open("want", "w"))
	END
	python3 longest.py
	want_status 0 perundec profile
	grep '^sample' out | cut -f 6 >values
	python3 -c 'for line in open("values"): print(repr(float(line)))' >got
	same want got
}

@test "a timestamp of more than 128 bits is no time of a line" {
	of '{"snapshots":[{"time":"2","timestamps":"ns","resources":[{"timestamp":340282366920938463463374607431768211455},
		{"timestamp":340282366920938463463374607431768211456},{"timestamp":1e3}]}]}'
	printf '%s\n' 340282366920938463463374607431768211455 2000000000 2000000000 >want
	cut -f 1 got >when
	same want when
}

@test "frames and members whose names mean something in a stream" {
	of '{"snapshots":[{"resources":[{"trace":[{"function":"."},{"function":"a;b"},{"function":""},{"x":1},"str",{"function":null},{"function":"\u003b"},{"function":";"},{"function":";c"},{"function":"d;"}]},
		{".":1,"":2,"x":".","y":""}]}]}'
	printf '%s\n' '.	.	.	.	stack=d\x3b;\x3bc;\x3b;\x3b;None;str;.;.;a\x3bb;\.	p.trace=.,a;b,,1,str,None,;,;,;c,d;' '.	.	.	.	p..=1	p.x=\.	p.y=.' >want
	same want got
}

@test "the time of a snapshot is a number of seconds, exactly, rounded to nanoseconds" {
	local time want
	while IFS="|" read -r time want; do
		echo '{"snapshots":[{"time":'"$time"',"resources":[{"a":1}]}]}' >profile
		want_status 0 perundec profile
		silent
		[ "$(grep '^sample' out | cut -f 2)" = "$want" ] || fail "$time: $(cat out)"
	done <<-END
		1.5|1500000000
		2|2000000000
		"\\u0031"|1000000000
		"0.123456789"|123456789
		"184467440"|184467440000000000
		"18446744073.709551615"|18446744073709551615
		0.30000000000000004|300000000
		0.7000000000000001|700000000
		"0.1234567891"|123456789
		"0.12345678949999999999999999999"|123456789
		0.1234567895|123456790
		0.9999999995|1000000000
		5e-10|1
		4.9e-10|0
		12.5e-10|1
		1e3|1000000000000
		1E+3|1000000000000
		1e-3|1000000
		0.0000000001e10|1000000000
		123456e-5|1234560000
		0e99999999999999999999|0
		1e-99999999999999999999|0
		$(printf '1%0400de-400' 0)|1000000000
		".5"|500000000
		"5."|5000000000
		"+1"|1000000000
		"007"|7000000000
		-0.0|0
		null|.
	END
}

@test "a time of a snapshot that is not a number of seconds is counted in a note" {
	local time
	for time in '""' '"x"' '":5"' '"-1"' '"1.x"' '"1,5"' '"."' '"+"' '"e5"' '"1e"' '"1e+"' '"1:"' '"0x1"' \
		'"18446744073.7095516155"' '"99999999999999999999"' '"18446744074"' '"1.5 "' 1e99 1e99999999999999999999 -1 -1e-9 \
		NaN Infinity true '[1]' '{"a":1}'; do
		echo '{"snapshots":[{"time":1,"resources":[{"a":1}]},{"time":'"$time"',"resources":[{"a":1}]}]}' >profile
		want_status 0 perundec profile
		said "perundec: profile: 1 times of snapshots are not numbers of seconds from 0 to 18446744073: their samples have no time"
		[ "$(grep '^sample' out | cut -f 2)" = $'1000000000\n.' ] || fail "$time: $(cat out)"
	done
}

@test "members with resources that appear twice are read twice, and a note says so" {
	local text keys
	while IFS='|' read -r text keys; do
		printf '%s\n' "$text" >profile
		want_status 0 perundec profile
		if [ -z "$keys" ]; then
			silent
		else
			printf 'perundec: profile: %s: %s are used, Perun uses the last\n' "${keys%|*}" "${keys##*|}" | same - err
		fi
		want_status "$([ -n "$keys" ]; echo $((1 - $?)))" perundec --strict profile
	done <<-'END'
		{"snapshots":[{"resources":[{"a":1}]}],"snapshots":[{"resources":[{"a":10}]}]}|'snapshots' appears twice|both
		{"snapshots":[{"resources":[{"a":1}],"resources":[{"a":1}]},{"resources":[{"a":1}]}]}|'resources' appears twice|both
		{"snapshots":[{"resources":[{"a":1}]},{"resources":[{"a":1}],"models":[]}],"models":[]}|
		{"global":{"resources":[{"a":1}],"models":[],"models":[]}}|'models' appears twice|both
		{"global":{"resources":[]},"global":{"resources":[]}}|'global' appears twice|both
		{"global":{"resources":[]},"snapshots":[{"resources":[]}],"resources":[]}|
		{"resources":{"t":{"amount":[1]},"u":{"amount":[1]}},"resources":{"t":{"amount":[1]}}}|'resources' appears twice|both
		{"resources":[{"a":1}],"resources":{"t":{"amount":[1]}}}|'resources' appears twice|both
		{"resources":{"t":{"amount":[1]},"t":{"amount":[1]}},"resource_type_map":{"t":{"a":1}}}|'t' appears twice|both
		{"resources":{"t":{"amount":[1]}},"resource_type_map":{"t":{"a":1},"t":{"a":2}}}|
		{"resource_type_map":{"t":{"a":1}},"resources":{},"resource_type_map":{}}|'resource_type_map' appears twice|both
		{"models":[],"x":1,"models":[],"x":1,"models":[]}|members that appear twice: 2, 'models' first|all
		{"models":[{"resources":1,"resources":2}],"global":{"x":{"models":1,"models":1},"x":2}}|
	END
}

@test "texts that are too long for a column are only in the JSON text" {
	local long
	long=$(head -c 70000 /dev/zero | tr '\0' x)
	of '{"header":{"cmd":"'"$long"'"},"snapshots":[{"resources":[{"amount":"'"$long"'","uid":"'"$long"'","type":"m"}]}]}'
	[ "$(cut -f 2-4 got)" = ".	m	." ]
	[ "$(grep -c '^run.*cmdline=' out)" -eq 0 ]
	[ "$(grep '^sample' out | grep -o 'xxx*' | awk '{ print length($0) }' | sort | uniq -c | tr -s ' ')" = " 4 70000" ]
	# and in a line that is so long already, each tag is weighed
	of '{"snapshots":[{"resources":[{"a":"'"$(head -c 600000 /dev/zero | tr '\0' y)"'","b":1}]}]}'
	grep -q '	p.b=1$' got
}

@test "a line that its tags make longer than 8 MiB" {
	local text
	text=$(head -c 900000 /dev/zero | tr '\0' x)
	printf '{"snapshots":[{"resources":[{"a":{"b":{"c":{"d":{"e":"%s"}}}},"last":"z"}]}]}' "$text" >profile
	want_status 0 perundec profile
	silent
	grep '^sample' out | tr '\t' '\n' | sed -n 's/xx*/T/g; /^p\./p' >got
	printf 'p.%s\n' a:b:c:d:e=T a:b:c:d=T a:b:c=T:T a:b=T:T:T:T a=T:T:T:T:T:T:T:T last=z >want
	same want got
}

@test "units that are none" {
	local units
	for units in '{"":"x"}' 5 '[]' '["memory","B"]' '{"memory":5}' '{"memory":""}' '{"memory":"'"$(head -c 300 /dev/zero | tr '\0' u)"'"}'; do
		of '{"header":{"units":'"$units"'},"snapshots":[{"resources":[{"type":"memory","amount":1},{"type":"","amount":2},
			{"type":"memory","subtype":"'"$(head -c 300 /dev/zero | tr '\0' s)"'","amount":1}]}]}'
		[ "$(grep -c 'unit=' got)" -eq 0 ] || fail "$units"
	done
	of '{"header":{"memory":"B"},"snapshots":[{"resources":[{"type":"memory","amount":1}]}]}'
	[ "$(grep -c 'unit=' got)" -eq 0 ]
}

@test "a file that begins somewhere in the middle of another" {
	{
		printf 12345
		cat "$DATA/resources.data"
	} >file
	perundec "$DATA/resources.data" >want
	want_status 0 sh -c '{ dd bs=1 count=5 >/dev/null 2>&1; perundec; } <file'
	unmarked want | cut -f 1,2,4- >a
	unmarked out | cut -f 1,2,4- | diff a -
	printf '\n' >blank
	want_status 1 perundec blank
	said "perundec: blank:2: column 1: the text ends, expected a value"
	: >empty
	want_status 1 perundec empty
	said "perundec: empty: empty text"
}

# there_and_back FILE: it comes back, and nothing was left out of a line.
there_and_back() {
	want_status 0 perundec "$1" || return
	! grep -q 'left out' err || fail "$(cat err)" || return
	said "perundec: $1: 1 resources, models or types are too large for a line and appear only as header lines" ||
		return
	! grep -q '^sample' out || fail "a type that is too large has samples" || return
	cp out stream
	want_status 0 perunenc stream
	dumps out >got
	dumps "$1" >want
	same want got
}

# bats test_tags=slow,sanitize
@test "types of a map of resources that are too large come in parts" {
	local name
	need python3
	python3 -c '
types = {
    "elements": "{\"amount\":[" + ",".join(["1"] * 8388700) + "]}",
    "lists": "{\"amount\":[" + "1234567," * 1125000 + "1],\"address\":[" + "7654321," * 1125000 + "2]}",
    "bare": "[\"" + "\u00e9\\\\" * 4600000 + "\"]",
    "row": "{" + ",".join("\"n%d\":[\"%s\"]" % (i, "\\\\" * 60000) for i in range(120)) + "}",
    "name": "{\"" + "n" * 1100000 + "\":[1,2,3]}",
}
for name, text in types.items():
    with open(name, "w", encoding="utf-8") as f:
        f.write("{\"resources\":{\"u#0\":" + text + "},\"resource_type_map\":{\"u#0\":{\"uid\":\"u\"}}}")'
	for name in elements lists bare row name; do
		there_and_back "$name"
	done
}

# bats test_tags=slow
@test "types of a map beyond 64 MiB: the other resources have only the values that vary, which is noted" {
	awk 'BEGIN {
		u = sprintf("%01000d", 0); gsub(/0/, "u", u)
		for (i = 0; i < 900; i++) uid = uid u
		printf "{\"resource_type_map\":{"
		for (i = 0; i < 76; i++) printf "%s\"t%d#0\":{\"type\":\"time\",\"uid\":\"%s\"}", i ? "," : "", i, uid
		printf "},\"resources\":{"
		for (i = 0; i < 76; i++) printf "%s\"t%d#0\":{\"amount\":[%d]}", i ? "," : "", i, i
		printf "}}"
	}' >map
	want_status 0 perundec map
	echo "perundec: map: the types of the resource map exceed 64 MiB: samples of the other types have only the values that vary" >want
	same want err
	grep "^sample" out | cut -c 1-1000 | sed "s,at=[^	]*,at,; s,	p.uid=u*,	p.uid," | cut -f 4- | sed "s,[0-9][0-9]*,N,g" | uniq -c | sed "s,^ *,," >got
	cat >want <<-'END'
		74 .	time	N	at	json={"amount":N}	p.amount=N	p.type=time	p.uid
		2 .	.	N	at	json={"amount":N}	p.amount=N
	END
	same want got
}

# bats test_tags=slow
@test "types of a map that come after the resources are kept once" {
	awk 'BEGIN {
		u = sprintf("%01000d", 0); gsub(/0/, "u", u)
		for (i = 0; i < 900; i++) uid = uid u
		printf "{\"resources\":{"
		for (i = 0; i < 60; i++) printf "%s\"t%d#0\":{\"amount\":[%d]}", i ? "," : "", i, i
		printf "},\"resource_type_map\":{"
		for (i = 0; i < 60; i++) printf "%s\"t%d#0\":{\"type\":\"time\",\"uid\":\"%s\"}", i ? "," : "", i, uid
		printf "}}"
	}' >map
	want_status 0 perundec map
	silent
	[ "$(grep -c '^sample.*	time	' out)" -eq 60 ]
}

@test "a type's common members beyond 1 MiB: its resources have only the values that vary, which is noted" {
	local types resources profile
	types='"resource_type_map":{"a":{"uid":"f","x":"'$(printf '%1048576d' 0)'"},"b":{"uid":"g"}}'
	resources='"resources":{"a":{"amount":[1]},"b":{"amount":[2]}}'
	for profile in "$types,$resources" "$resources,$types"; do
		printf '{%s}' "$profile" >map
		want_status 0 perundec map
		same - err <<<'perundec: map: 1 types in resource_type_map are longer than 1 MiB: their samples have only the values that vary'
		[ "$(grep '^sample' out | cut -f 4,6 | tr '\t\n' ' ,')" = '. 1,g 2,' ]
	done
}

@test "memory does not grow with the profile" {
	need python3
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	helpers rss
	python3 -c '
import json
r = {"type": "memory", "subtype": "malloc", "amount": 4, "uid": {"source": "a.c", "function": "f", "line": 2},
    "trace": [{"source": "a.c", "function": "f", "line": i} for i in range(8)]}
json.dump({"snapshots": [{"time": "%f" % i, "resources": [r] * 100} for i in range(300)]}, open("big", "w"), indent=2)'
	want_status 0 rss used perundec big
	[ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 16384 ] || fail "KiB used: $(cat used)"
	[ "$(grep -c '^sample' out)" -eq 30000 ]
}

@test "all prefixes of profiles are refused" {
	local step=3
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	want_status 0 fuzz-perun --prefixes $step "$DATA"/{snapshots,resources,names,scalars,repeated,odd}.data
}

@test "damaged copies: read as jansson reads them, or refused" {
	local n=300
	[ -z "${AFPIPE_SLOW-}" ] || n=3000
	want_status 0 fuzz-perun --flips $n 1 "$DATA"/{snapshots,typesfirst,packed,names,scalars,repeated}.data
}

@test "what fuzzing started from, and has found" {
	want_status 0 fuzz-perun "$ROOT"/t/fuzz/corpus/perun/* "$DATA"/*.data
}

# The collection's profiles and what Perun's own functions say of them; nothing of it is here.
@test "resources of a larger collection, flattened as Perun does" {
	need python3 zstd
	[ -f "${AFPIPE_CORPUS-}/perun/ref.tar.zst" ] || skip "AFPIPE_CORPUS names no collection"
	tar --zstd -xf "$AFPIPE_CORPUS/perun/ref.tar.zst"
	want_status 0 python3 "$ROOT/t/tools/perunitems.py" "$AFPIPE_CORPUS/perun"
}

@test "broken profiles of a larger collection" {
	local f
	[ -d "${AFPIPE_CORPUS-}/perun/other" ] || skip "AFPIPE_CORPUS names no collection"
	for f in "$AFPIPE_CORPUS"/perun/other/*; do
		want_status 1 perundec "$f"
		said ": column "
	done
}

@test "a text that begins like a zlib stream with a small window is JSON" {
	local number
	for number in 80 80.5 800; do
		printf '%s' "$number" >text
		want_status 0 perundec text
		silent
		[ "$(grep '^header' out | cut -f 4-)" = $'.\t.\t'"$number" ]
	done
}

@test "JSON that is no profile: one line, and the status" {
	local text
	cd "$T"
	for text in '{"a": [1, 2], "b": 3}' '{"Origin": 1}' '{"a": {"origin": 1}}'; do
		printf '%s\n' "$text" >doc
		want_status 1 perundec doc
		echo "perundec: doc: this is JSON, but not a Perun profile: it has none of origin, header," \
			"collector_info, postprocessors, resources, snapshots, global and models" >want
		same want "$T/err"
		tail -n 1 "$T/out" | grep -q '	partial	input incomplete or refused$' || fail "$text: no partial end"
	done
	for text in origin header collector_info postprocessors resources snapshots global models resource_type_map; do
		printf '{"a": 1, "%s": {}}\n' "$text" >doc
		want_status 0 perundec doc
		silent
	done
	# Perun takes these as profiles without resources
	for text in '[]' '{}' '5' '[{"origin": 1}]'; do
		printf '%s\n' "$text" >doc
		want_status 0 perundec doc
		silent
	done
}
