# SPDX-License-Identifier: ISC
# perunquery_convert.bats - Perun's flame graph and its table of resources: what they are, and what is
# refused.

load lib
load perun

# folded LINE...: these are its lines.
folded() {
	[ $# -eq 0 ] || printf '%s\n' "$@" >want
	[ $# -ne 0 ] || : >want
	same want out
}

# flame STATUS JSON [OPTION]: the flame graph of that profile.
flame() {
	local status=$1
	printf '%s' "$2" >profile
	shift 2
	perundec profile >stream
	want_status "$status" perunquery "$@" flame stream
}

ONE='{"subtype":"malloc","amount":%s,"uid":"u","trace":[{"function":"f","source":"s","line":1},{"function":null,"source":"a b","line":1.0}]}'

@test "flame: a line for each resource, in order, frees and global left out" {
	# shellcheck disable=SC2059
	flame 0 "$(printf "{\"snapshots\":[{\"resources\":[$ONE,{\"subtype\":\"free\"}]},{\"resources\":[$ONE,{\"subtype\":null,\"trace\":[]}]}],\"global\":{\"resources\":[$ONE]}}" 4 true 5)"
	said "perunquery: left out 1 resources whose trace is empty"
	folded "f()~s~1;None()~a b~1.0 4" "f()~s~1;None()~a b~1.0 True"
}

@test "flame: several measures are said, as they would be added up" {
	local one='{"type":"%s","subtype":"%s","amount":4,"uid":"u","trace":[{"function":"f","source":"s","line":1}]}'
	local several="lines of several measures, which a flame graph adds up (see --where of afsel): "
	# shellcheck disable=SC2059
	flame 0 "$(printf "{\"snapshots\":[{\"resources\":[$one,$one,$one]}]}" time inclusive time self time self)"
	said "perunquery: ${several}inclusive, self"
	folded "f()~s~1 4" "f()~s~1 4" "f()~s~1 4"
	# shellcheck disable=SC2059
	flame 0 "$(printf "{\"snapshots\":[{\"resources\":[$one,$one]}]}" memory malloc memory calloc)"
	[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
	# what has no line does not count
	# shellcheck disable=SC2059
	flame 0 "$(printf "{\"snapshots\":[{\"resources\":[$one,$one]}]}" time free time self)"
	[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
	# shellcheck disable=SC2059
	flame 0 "$(printf "{\"snapshots\":[{\"resources\":[$one,$one,$one,$one,$one,$one]}]}" \
		memory m time a time b time c time d time e)"
	echo "perunquery: ${several}memory, a, b, c, d, ..." >want
	same want err
	# five are all, and long ones are cut between characters
	local long
	long=$(printf '%059d' 0)
	# shellcheck disable=SC2059
	flame 0 "$(printf "{\"snapshots\":[{\"resources\":[$one,$one,$one,$one,$one,$one]}]}" \
		time "${long}é" time "${long}xy" time "${long}x" time "${long%?}é" time "${long%?}éx" time "${long}x")"
	echo "perunquery: $several$long, ${long}x, ${long}x, ${long%?}é, ${long%?}é" >want
	same want err
}

@test "flame: measures whose type or subtype is not a text" {
	local trace='"amount":4,"trace":[{"function":"f","source":"s","line":1}]'
	flame 0 '{"snapshots":[{"resources":[{"type":["x"],"subtype":"s",'"$trace"'},{"type":"time","subtype":5,'"$trace"'},{"type":5,"subtype":"s",'"$trace"'}]}]}'
	said 'perunquery: lines of several measures, which a flame graph adds up (see --where of afsel): ["x"], time, 5'
	folded "f()~s~1 4" "f()~s~1 4" "f()~s~1 4"
}

@test "flame: values as Python's str has them" {
	flame 0 '{"snapshots":[{"resources":[{"subtype":1,"amount":{"a":[1.50,"it'"'"'s","\u00e9\u200b\n\\",null,1e400]},
		"trace":[{"function":"\u0061;\n","source":["\"'"'"'"],"line":{}}]}]}]}'
	printf '%s\n' "a;" "()~['\"\\'']~{} {'a': [1.5, \"it's\", 'é\\u200b\\n\\\\', None, inf]}" >want
	same want out
}

@test "flame: characters that Python's repr() escapes" {
	need python3
	flame 0 '{"snapshots":[{"resources":[{"subtype":1,"amount":["\t\r\n\\","\u0001\u007f\u0080","\udb40\udc01","\ud83d\ude00","","'"'"'","\"","'"'"'\"","a\u200bb"],"trace":[{"function":"f","source":"s","line":1}]}]}]}'
	python3 -c 'import json; print("f()~s~1", str(json.load(open("profile"))["snapshots"][0]["resources"][0]["amount"]))' >want
	same want out
}

@test "flame: every character that this Python knows, as its repr() has it" {
	need python3
	python3 -c '
import json, unicodedata
known = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) != "Cn"]
texts = [".".join(known[i:i + 4096]) for i in range(0, len(known), 4096)]
trace = [{"function": "f", "source": "s", "line": 1}]
resources = [{"subtype": 1, "amount": [t], "trace": trace} for t in texts]
json.dump({"snapshots": [{"resources": resources}]}, open("profile", "w"))
with open("want", "w", encoding="utf-8") as f:
    for t in texts:
        print("f()~s~1", [t], file=f)'
	want_status 0 sh -c 'perundec profile >stream && perunquery flame stream'
	silent
	same want out
}

@test "flame: a map of resources, by snapshot, uid first, trace reversed" {
	flame 0 '{"resources":{"a#0":{"amount":[1,2]},"b#0":{"amount":[3]},"c#0":{"amount":[4]},"d#0":{"amount":[5]},"e#0":{"amount":[6]}},"resource_type_map":{
		"a#0":{"snapshot":2,"uid":"a","trace":[{"func":"x"},{"func":"y"}]},
		"b#0":{"snapshot":1,"uid":{"function":"g","source":"s","line":2},"trace":[]},
		"c#0":{"uid":"c","subtype":"free","trace":[]},
		"d#0":{"uid":"d","subtype":"malloc","trace":[{"function":"f","source":"s","line":1}]},
		"e#0":{"snapshot":-1,"uid":"e","trace":[]}}}'
	silent
	folded 'd;f()~s~1 5' 'g()~s~2 3' 'a;y;x 1' 'a;y;x 2'
}

@test "flame: where Perun raises" {
	local bad
	while IFS='|' read -r bad text; do
		flame 1 '{"snapshots":[{"resources":[{"subtype":"m","amount":1,"trace":[]},'"$bad"',{"subtype":"m","amount":7,"trace":[{"function":1,"source":2,"line":3}]}]}]}'
		said "perunquery: stream:"
		said "$text"
		folded '1()~2~3 7'
	done <<-'END'
		{}|the resource has no subtype
		5|the resource is not a dictionary
		{"subtype":"m"}|the resource has no trace
		{"subtype":"m","trace":null}|the trace is not a list
		{"subtype":"m","trace":["f"]}|a frame of the trace is not a dictionary
		{"subtype":"m","trace":[{"function":"f","source":1}]}|a frame of the trace has no line
		{"subtype":"m","trace":[{"function":"f","source":1,"line":1}]}|the resource has no amount
	END
	flame 1 '[1]'
	said 'the profile is not a dictionary'
	flame 1 '{"snapshots":[{"time":"1"}]}'
	said 'the previous snapshot has no resources'
	flame 0 '{"snapshots":[{"resources":[]}],"global":7}' --compat
	folded
}

# typed MEMBERS: a map of one resource, whose type has these members.
typed() {
	printf '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":{"uid":"u",%s}}}' "$1"
}

@test "flame: traces and snapshots of every kind" {
	local v
	# what Python's for loop takes, and what reversed() does
	flame 0 '{"snapshots":[{"resources":[{"amount":1,"subtype":"m","trace":""},{"amount":1,"subtype":"m","trace":{}}]}]}'
	said "perunquery: left out 2 resources whose trace is empty"
	folded
	flame 0 "$(typed '"trace":""')"
	folded 'u 1'
	for v in '"x"' '{}' '{"a":1}' 5 null; do
		flame 1 "$(typed '"trace":'"$v")"
		said 'the trace is not a list'
		folded
		[ "$v" != '{}' ] || continue
		flame 1 '{"snapshots":[{"resources":[{"amount":1,"subtype":"m","trace":'"$v"'}]}]}'
		said 'the trace is not a list'
	done
	for v in true false 0 -0 7; do
		flame 0 "$(typed '"trace":[],"snapshot":'"$v")"
		folded 'u 1'
	done
	for v in -1 -7; do
		flame 0 "$(typed '"trace":[],"snapshot":'"$v")"
		folded
	done
	for v in null 1.5 '"1"' '[1]' 99999999999999999999; do
		flame 1 "$(typed '"trace":[],"snapshot":'"$v")"
		said "the resource's snapshot is not the number of a snapshot"
		folded
	done
}

@test "flame: nothing there is a note, and an error with --compat" {
	flame 0 '{"global":{"resources":[]}}'
	said 'the profile has no snapshots: nothing to write'
	flame 1 '{"global":{"resources":[]}}' --compat
	said 'the profile has no snapshots'
	flame 0 '{"resources":{},"resource_type_map":{}}'
	said 'the profile has no resources: nothing to write'
	flame 1 '{"resources":{},"resource_type_map":{}}' --compat
}

@test "flame: a member that appears twice is a note, and an error with --compat" {
	printf '%s' '{"snapshots":[{"resources":[RA]}],"snapshots":[{"resources":[RB]}],"global":{},"global":{}}' |
		sed 's/R\([AB]\)/{"uid":"\1","amount":1,"subtype":"s","trace":[{"function":"\1","source":"s","line":1}]}/g' >profile
	perundec profile >stream
	want_status 0 perunquery flame stream
	said "perunquery: 'snapshots' appears twice: both are used, Perun uses the last"
	folded 'A()~s~1 1' 'B()~s~1 1'
	want_status 1 perunquery --compat flame stream
	said "perunquery: stream:8: 'snapshots' appears twice: Perun uses the last"
	[ "$(wc -l <err)" -eq 1 ]
}

@test "flame: no room for the temporary file" {
	printf '{"resource_type_map":{"a":{"uid":"a","trace":[],"snapshot":1}},"resources":{"b":{"amount":[1]}}}' >profile
	perundec profile >stream
	want_status 3 env TMPDIR="$T/not here" perunquery flame stream
	said 'cannot make a temporary file in '
}

@test "flame: cut and damaged streams" { damaged perunquery flame; }

# The collection's profiles and what Perun's own function says of them; nothing of it is here.
@test "flame: flame graphs of a larger collection are Perun's" {
	need python3 zstd
	[ -f "${AFPIPE_CORPUS-}/perun/ref.tar.zst" ] || skip "AFPIPE_CORPUS names no collection"
	tar --zstd -xf "$AFPIPE_CORPUS/perun/ref.tar.zst"
	want_status 0 python3 "$ROOT/t/tools/perunfold.py" "$AFPIPE_CORPUS/perun"
}

# table LINE...: the output is these lines.
table() {
	printf '%s\n' "$@" >want
	same want out
}

# frame STATUS JSON: the table of that profile.
frame() {
	printf '%s' "$2" >profile
	perundec profile >stream
	want_status "$1" perunquery frame stream
}

@test "frame: items by first coming, then the snapshot, global last" {
	frame 0 '{"global":{"resources":[{"uid":"g","amount":1e400}]},"snapshots":[{"resources":[
		{"type":"m","amount":4,"uid":{"line":7,"function":"f","source":"a.c"},"trace":[{"function":"f"},{"function":"\u00e9"}]}]},
		{"resources":[{"type":"m","amount":4.5,"uid":null,"trace":[]}]}]}'
	silent
	table type,amount,uid:line,uid:function,uid:source,uid,trace,snapshots \
		'm,4.0,7.0,f,a.c,a.c:f:7,"f,é",0' 'm,4.5,,,,,,1' ',inf,,,,g,,2'
	frame 0 '{}'
	table snapshots
	frame 0 '{"snapshots":[{"resources":[{}]}]}'
	table snapshots 0
	frame 0 '{"snapshots":[{"resources":[{}]},{"resources":[{"a":null}]}]}'
	table a,snapshots ,0 ,1
	frame 1 '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":{"snapshot":[1]}}}'
	said ": the resource's snapshot is not a number"
	frame 1 '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":[]}}'
	said ": a type in resource_type_map is not a dictionary"
	said ": resource_type_map does not have the resource's type"
	table snapshots
}

# column JSON...: the column of these values of a key, without its name.
column() {
	local v all=
	for v; do all=$all,'{"n":0,"v":'$v'}'; done
	frame 0 '{"snapshots":[{"resources":['"${all#,}"']}]}' || return
	sed -i -e 1d -e 's/^0,//' -e 's/,0$//' out
}

@test "frame: a column's type is that of all its values" {
	column 1 -1 -0 9223372036854775807
	table 1 -1 0 9223372036854775807
	column 1 18446744073709551615
	table 1 18446744073709551615
	column -1 18446744073709551615 1.5
	table -1 18446744073709551615 1.5
	column 1 18446744073709551616
	table 1 18446744073709551616
	column 1 null
	table 1.0 ''
	column 9007199254740993 NaN
	table 9007199254740992.0 ''
	column null 18446744073709551616
	table '' 1.8446744073709552e+19
	column 18446744073709551616 null
	table 18446744073709551616 ''
	column -9223372036854775808 null
	table -9.223372036854776e+18 ''
	column -9223372036854775809 null
	table -9223372036854775809 ''
	column 1 1.5 -0.0 1e-7 Infinity
	table 1.0 1.5 -0.0 1e-07 inf
	column true false
	table True False
	column true 1 1.5 null
	table True 1 1.5 ''
	column null null
	table '' ''
	column 1 '""' NaN '"nan"' '"x y "' -Infinity
	table 1 '' '' nan 'x y ' -inf
	column '"a,b"' '"a\"b"' '"a\rb"' '"\u0000"' '[1,"x"]' '{"b":2,"a":1}'
	printf '"a,b",,\n"a""b",,\na\rb,,\n\0,,\n"1,x",,\n1:2,2.0,1.0\n' >want
	same want out
}

@test "frame: a resource that lacks what others have" {
	frame 0 '{"snapshots":[{"resources":[{"a":1,"b":true,"c":"x"},{"b":false,"a":2},{"a":3,"c":"y","a":4}]}]}'
	table a,b,c,snapshots 1,True,x,0 2,False,,0 4,,y,0
}

@test "frame: what would not be a table" {
	frame 1 '{"snapshots":[{"resources":[{"snapshots":1,"a":2}]}]}'
	said "a resource has a field named snapshots, like the table itself"
	[ ! -s out ]
	frame 1 '{"snapshots":[{"resources":[{"a":"\ud800"},{"a":1}]}]}'
	said "perunquery: stream:"
	said ": a text of the resource has a lone surrogate"
	table a,snapshots 1,0
	frame 1 '{"snapshots":[{"resources":[{"\udfff":1},{"a":1}]}]}'
	said ": a text of the resource has a lone surrogate"
	frame 1 "{\"snapshots\":[{\"resources\":[{\"a\":1$(printf '%0400d' 0)},{\"a\":1}]}]}"
	said ": an integer of the resource is too large for a double"
	table a,snapshots 1,0
	frame 0 "{\"snapshots\":[{\"resources\":[{\"a\":\"x\"},{\"a\":1$(printf '%0400d' 0)}]}]}"
	frame 1 '{"snapshots":[{"resources":[{"uid":{"":1}},{"uid":"x"}]}]}'
	said "a member of a dictionary in the resource has an empty name"
	table uid,snapshots x,0
	frame 1 '[1]'
	said "the profile is not a dictionary"
}

@test "frame: a snapshot without resources is one, too, so global comes after it" {
	frame 0 '{"snapshots":[{"resources":[]}],"global":{"resources":[{"uid":"b","amount":2}]}}'
	table uid,amount,snapshots b,2,1
	frame 0 '{"global":{"resources":[{"uid":"b"}]},"snapshots":[{"resources":[{"uid":"a"}]},{"resources":[]}]}'
	table uid,snapshots a,0 b,2
}

@test "frame: a map of resources" {
	frame 0 '{"resources":{"u#0":{"amount":[1,2.5]},"v#0":{}},"resource_type_map":{"u#0":{"snapshot":3,"uid":"u"},"v#0":{"uid":"v"}}}'
	silent
	table amount,snapshot,uid,snapshots 1.0,3.0,u,3 2.5,3.0,u,3 ,,v,0
	frame 1 '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":{"snapshot":[3],"uid":"u"}}}'
	said "the resource's snapshot is not a number"
}

@test "frame: a member that appears twice is a note, and an error with --compat" {
	printf '%s' '{"snapshots":[],"global":{"resources":[{"uid":"a"}],"resources":[{"uid":"b"}]}}' >profile
	perundec profile >stream
	want_status 0 perunquery frame stream
	said "perunquery: 'resources' appears twice: both are used, Perun uses the last"
	table uid,snapshots a,0 b,0
	want_status 1 perunquery --compat frame stream
	said "perunquery: stream:8: 'resources' appears twice: Perun uses the last"
	# a map: its types too, but anew in each map
	printf '%s' '{"resources":{"t":{"a":[1]},"u":{"a":[2]}},"resources":{"t":{"a":[3]},"t":{"a":[4]}},' >profile
	printf '%s' '"resource_type_map":{"t":{"b":5},"u":{"b":6}}}' >>profile
	perundec profile >stream
	want_status 0 perunquery frame stream
	said "perunquery: members that appear twice: 2, 'resources' first: all are used, Perun uses the last"
	want_status 1 perunquery --compat frame stream
	said "'t' appears twice: Perun uses the last"
	[ "$(wc -l <err)" -eq 2 ]
	# so are the types of resource_type_map
	printf '%s' '{"resources":{"t":{"a":[1]}},"resource_type_map":{"t":{"b":5}},"resource_type_map":{"t":{"b":6}}}' >profile
	perundec profile >stream
	want_status 0 perunquery frame stream
	said "perunquery: 'resource_type_map' appears twice: both are used, Perun uses the last"
}

@test "frame: too many fields" {
	need python3
	python3 -c '
import json
json.dump({"snapshots": [{"resources": [{"k%d" % i: 1} for i in range(16385)]}]}, open("wide", "w"))
json.dump({"snapshots": [{"resources": [{"k%d" % i: 1} for i in range(16384)]}]}, open("most", "w"))
json.dump({"snapshots": [{"resources": [{"k" * 100000 + str(i): 1} for i in range(50)]}]}, open("long", "w"))'
	perundec wide >stream
	want_status 1 perunquery frame stream
	said ": there are more than 16384 fields"
	[ "$(wc -l <err)" -eq 1 ]
	[ ! -s out ]
	perundec most >stream
	want_status 0 perunquery frame stream
	[ "$(wc -l <out)" -eq 16385 ]
	perundec long >stream
	want_status 1 perunquery frame stream
	said ": the names of all fields take more than 4194304 bytes"
	[ ! -s out ]
}

@test "frame: --compat changes no whole profile, other streams are refused" {
	perundec "$DATA/snapshots.data" >stream
	want_status 0 perunquery frame stream
	mv out want
	want_status 0 perunquery --compat frame stream
	same want out
	want_status 1 perunquery frame "$DATA/perf.af"
	said "perunquery: no line is part of a profile of Perun, as perundec writes it"
	[ ! -s out ]
	want_status 3 env TMPDIR="$T/not here" perunquery frame stream
	said "cannot make a temporary file in "
}

@test "frame: a cut stream" {
	perundec "$DATA/snapshots.data" | sed '$d' >stream
	want_status 1 perunquery frame stream
	said "no end mark"
	[ "$(wc -l <out)" -eq 4 ]
	want_status 0 perunquery --no-marks frame stream
}

@test "frame: memory that runs out, at each of its allocations" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	perundec "$DATA/snapshots.data" >stream
	starves 10 perunquery frame stream
}

# The collection's profiles and Perun's tables of them; nothing of it is here.
@test "frame: tables of a larger collection are Perun's" {
	need python3 zstd
	[ -f "${AFPIPE_CORPUS-}/perun/ref.tar.zst" ] || skip "AFPIPE_CORPUS names no collection"
	tar --zstd -xf "$AFPIPE_CORPUS/perun/ref.tar.zst"
	want_status 0 python3 "$ROOT/t/tools/perunframe.py" "$AFPIPE_CORPUS/perun"
}

@test "frame: tables are those that pandas makes" {
	need python3
	python3 -c 'import pandas, sys; sys.exit(not pandas.__version__.startswith("1.5."))' 2>err || skip "no pandas 1.5 here"
	python3 - <<'EOF'
import random
values = """1 -1 0 -0 1.5 -0.0 1e16 1e-5 NaN Infinity -Infinity null true false "x" "" "a,b" "a\\"b" "a\\nb" "nan"
9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 18446744073709551615
18446744073709551616 9007199254740993 1e400 5e-324 [1,2,null] {"a":1,"b":"y"} {} []""".split()
for n in range(100):
    r = random.Random(n)
    pool = [r.choice(values) for _ in range(r.randint(1, 4))]
    def resource():
        return "{%s}" % ",".join('"%s":%s' % (k, r.choice(pool)) for k in r.sample("abcd", r.randint(0, 4)))
    with open("random%d" % n, "w") as f:
        f.write('{"snapshots":[%s]}' % ",".join('{"resources":[%s,%s]}' % (resource(), resource()) for _ in range(3)))
EOF
	want_status 0 python3 -W ignore "$ROOT/t/tools/perunframe.py" --judge random*
}
