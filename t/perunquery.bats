# SPDX-License-Identifier: ISC
# perunquery.bats - Perun's queries of a stream: what is answered, and what is refused.

load lib
load perun

# answer LINE...: these are its lines.
answer() {
	[ $# -eq 0 ] || printf '%s\n' "$@" >want
	[ $# -ne 0 ] || : >want
	same want out
}

MEMORY='{"global":{"resources":[{"uid":"g","amount":1e400}]},"snapshots":[{"resources":[
	{"type":"m","amount":4,"uid":{"line":7,"function":"f","source":"a.c"},"trace":[{"function":"f"},{"function":"\u00e9"}]}]},
	{"resources":[{"type":"m","amount":4.0,"uid":null,"trace":[]}]}]}'

# bats test_tags=quick
@test "floats with more digits than a double has, as Python reads and writes them" {
	local zeros
	zeros=$(printf '%0100d' 0)
	ask 0 '{"snapshots":[{"resources":[{"a":0.1'"$zeros"'1,"b":-2.50'"$zeros"',"c":1'"$zeros$zeros$zeros$zeros"'.5,"d":1'"$zeros"'.0}]}]}' resources
	[ "$(cat out)" = '[0, {"a": 0.1, "b": -2.5, "c": Infinity, "d": 1e+100}]' ] || fail "$(cat out)"
	want_status 0 sh -c 'perunquery items <stream'
	[ "$(cat out)" = '[["a", 0.1], ["b", -2.5], ["c", Infinity], ["d", 1e+100]]' ] || fail "$(cat out)"
	want_status 0 sh -c 'perunquery frame <stream'
	printf '%s\n' a,b,c,d,snapshots 0.1,-2.5,inf,1e+100,0 >want
	same want out
}

@test "resources, those of global last" {
	ask 0 "$MEMORY" resources
	silent
	answer '[0, {"type": "m", "amount": 4, "uid": {"line": 7, "function": "f", "source": "a.c"}, "trace": [{"function": "f"}, {"function": "\u00e9"}]}]' \
		'[1, {"type": "m", "amount": 4.0, "uid": null, "trace": []}]' \
		'[2, {"uid": "g", "amount": Infinity}]'
}

@test "items" {
	ask 0 "$MEMORY" items
	answer '[["type", "m"], ["amount", 4], ["uid:line", 7], ["uid:function", "f"], ["uid:source", "a.c"], ["uid", "a.c:f:7"], ["trace", "f,\u00e9"]]' \
		'[["type", "m"], ["amount", 4.0], ["uid", null], ["trace", ""]]' \
		'[["uid", "g"], ["amount", Infinity]]'
	ask 0 '{"snapshots":[{"resources":[{"a":true,"b":NaN,"c":-Infinity,"d":1E22,"e":-0,"f":"nan"}]}]}' items
	answer '[["a", true], ["b", NaN], ["c", -Infinity], ["d", 1e+22], ["e", 0], ["f", "nan"]]'
}

@test "fields and numeric" {
	ask 0 "$MEMORY" fields
	answer '"type"' '"amount"' '"uid:line"' '"uid:function"' '"uid:source"' '"uid"' '"trace"'
	ask 0 "$MEMORY" numeric
	answer '"amount"' '"uid:line"'
}

@test "numeric leaves out what has held something else; Perun discards by the value" {
	local p='{"snapshots":[{"resources":[{"b":5,"a":1,"t":"b"},{"a":"x"}]}]}'
	ask 0 "$p" numeric
	answer '"b"'
	ask 0 "$p" --compat numeric
	answer '"a"'
	p='{"resources":{"u#0":{"a":[1,"x"],"b":[5,6],"t":["b","b"]}},"resource_type_map":{"u#0":{"uid":"u"}}}'
	ask 0 "$p" numeric
	answer '"b"'
	ask 0 "$p" --compat numeric
	answer '"b"'
}

@test "keys: an array of each resource" {
	ask 0 "$MEMORY" keys trace::function
	answer '["f", "\u00e9"]' '[]' '[]'
	ask 0 "$MEMORY" keys uid:line
	answer '[7]' '[]' '[]'
	ask 1 "$MEMORY" --compat keys uid:line
	said "perunquery: -:"
	said ": the key leads into a value that is not a dictionary"
	answer '[7]' '[]'
	ask 1 "$MEMORY" --compat keys uid:x
	answer '[]' '[]'
	ask 0 "$MEMORY" keys trace:function
	answer '[]' '[]' '[]'
	said "perunquery: no resource has this key: trace:function"
	ask 0 "$MEMORY" values trace::function
	[ ! -s "$T/err" ]
}

@test "keys as Python's in has them" {
	local p='{"snapshots":[{"resources":[{"s":"abc","l":["n",["m"]],"":{"":9}}]}]}'
	ask 0 "$p" --compat keys s:x
	answer '[]'
	ask 1 "$p" --compat keys s:b
	ask 0 "$p" keys s:b
	answer '[]'
	ask 1 "$p" --compat keys l:n
	ask 0 "$p" --compat keys l:m
	answer '[]'
	ask 0 "$p" --compat keys :
	answer '[9]'
}

@test "values: each once, as Python compares" {
	ask 0 '{"snapshots":[{"resources":[{"v":1},{"v":1.0},{"v":true},{"v":"1"},{"v":0},{"v":-0.0},{"v":null},{"v":NaN},{"v":NaN},
		{"v":[1,"a"]},{"v":[true,"\u0061"]},{"v":{"a":1,"b":2}},{"v":{"b":2.0,"a":9,"a":1}},{"v":1e22},{"v":10000000000000000000000},
		{"v":["ab"]},{"v":["a","b"]},{"v":{}},{"v":[]}]}]}' values v
	answer 1 '"1"' 0 null NaN '[1, "a"]' '{"a": 1, "b": 2}' 1e+22 '["ab"]' '["a", "b"]' '{}' '[]'
}

@test "values: dictionaries in others are equal if their members are, in any order and of the last value" {
	ask 0 '{"snapshots":[{"resources":[{"v":{"a":{"x":1,"y":2},"b":3}},{"v":{"b":3.0,"a":{"y":2,"x":true}}},
		{"v":{"a":{"x":1,"y":2,"b":3}}},{"v":{"a":{"x":1},"b":3,"y":2}},{"v":{"a":{"x":7,"y":2,"x":1},"b":3}},
		{"v":{"b":3,"a":{"x":2,"y":1}}},{"v":[{"a":1,"b":[{"c":1,"d":{"e":2,"f":3}}]}]},{"v":[{"b":[{"d":{"f":3,"e":2},"c":1}],"a":1}]},
		{"v":{"a":{"b":{"c":{}}}}},{"v":{"a":{"b":{"c":[]}}}},{"v":{"a":{"b":{"c":{}}},"a":{"b":{"c":{}}}}},{"v":{"a":{"b":{}}}}]}]}' values v
	answer '{"a": {"x": 1, "y": 2}, "b": 3}' '{"a": {"x": 1, "y": 2, "b": 3}}' '{"a": {"x": 1}, "b": 3, "y": 2}' \
		'{"b": 3, "a": {"x": 2, "y": 1}}' '[{"a": 1, "b": [{"c": 1, "d": {"e": 2, "f": 3}}]}]' \
		'{"a": {"b": {"c": {}}}}' '{"a": {"b": {"c": []}}}' '{"a": {"b": {}}}'
}

@test "a map of resources: its types may come before or after" {
	local after='{"resources":{"u#0":{"amount":[1,2.5]},"v#0":{}},"resource_type_map":{"u#0":{"snapshot":3,"uid":"u"},"v#0":{"uid":"v"}}}'
	local before='{"resource_type_map":{"u#0":{"snapshot":3,"uid":"u"},"v#0":{"uid":"v"}},"resources":{"u#0":{"amount":[1,2.5]},"v#0":{}}}'
	local p
	for p in "$after" "$before"; do
		ask 0 "$p" resources
		silent
		answer '[3, {"amount": 1, "snapshot": 3, "uid": "u"}]' '[3, {"amount": 2.5, "snapshot": 3, "uid": "u"}]' '[0, {"uid": "v"}]'
	done
	ask 1 '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{}}' resources
	said "resource_type_map does not have the resource's type"
}

@test "a map of resources: lists that are not equally long" {
	local types='"resource_type_map":{"u#0":{"snapshot":3,"uid":"u"},"v#0":{"uid":"v"}}' p row
	local lists='"resources":{"u#0":{"amount":[1,"2",3],"address":[[3],{"a":4}]},"v#0":{"amount":[7]}}'
	for p in "{$types,$lists}" "{$lists,$types}"; do
		ask 1 "$p" resources
		said "the type's lists are not equally long"
		answer '[0, {"amount": 7, "uid": "v"}]'
		ask 0 "$p" --compat resources
		silent
		answer '[3, {"amount": 1, "address": [3], "snapshot": 3, "uid": "u"}]' \
			'[3, {"amount": "2", "address": {"a": 4}, "snapshot": 3, "uid": "u"}]' \
			'[0, {"amount": 7, "uid": "v"}]'
		ask 0 "$p" --compat values amount
		answer 1 '"2"' 7
		want_status 0 perunquery --compat frame stream
		[ "$(wc -l <out)" -eq 4 ]
	done
	for row in '{"amount":[]}' '{"amount":[],"address":[]}'; do
		ask 0 '{"resources":{"u#0":'"$row"'},'"$types}" resources
		silent
		answer
	done
	ask 0 '{"resources":{"u#0":{"amount":[],"address":[1]}},'"$types}" --compat resources
	answer
	ask 0 '{"resources":{"u#0":{"amount":[1],"am\u006funt":[2,3],"address":[4,5,6]}},'"$types}" --compat resources
	answer '[3, {"amount": 2, "address": 4, "snapshot": 3, "uid": "u"}]' \
		'[3, {"amount": 3, "address": 5, "snapshot": 3, "uid": "u"}]'
	for row in 5 '[1]' '{"amount":[1],"address":2}'; do
		ask 1 '{"resources":{"u#0":'"$row"'},'"$types}" --compat resources
		said "the type is not a dictionary of lists"
		answer
	done
	ask 1 '{"resources":{"u#0":{"amount":[1,2],"address":[3]}},"resource_type_map":{}}' --compat resources
	said "resource_type_map does not have the resource's type"
	ask 0 "{$types,$lists}" models
	answer
	printf '%s' '{"resource_type_map":{"u#0":{"uid":"u","trace":[]}},"resources":{"u#0":{"amount":[1,2],"address":[3]}}}' >profile
	perundec profile >stream
	want_status 1 perunquery flame stream
	want_status 0 perunquery --compat flame stream
	answer 'u 1'
}

@test "a map of resources: a type that is too large for lines" {
	need python3
	python3 -c '
import sys
def make(name, n):
    with open(name, "w") as f:
        f.write("{\"resources\":{\"u#0\":{\"a\":[\"%s\",2]}},\"resource_type_map\":{\"u#0\":{\"uid\":\"u\"}}}" % ("y" * n))
make("row", 1500000)
make("lists", 17000000)'
	perundec row >stream
	! grep -q '^sample' stream || false
	want_status 0 perunquery keys uid stream
	answer '["u"]' '["u"]'
	perundec lists >stream
	want_status 1 perunquery keys uid stream
	said "the type's lists take more than 16 MiB"
}

@test "a map of resources: names and values in a list are a dictionary" {
	local list='[{"name":"b1","value":2},{"value":[{"name":"x","value":"y"}],"n\u0061me":"b0"},{"name":"b1","value":3.5}]'
	ask 0 '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":{"c":'"$list"',"d":['"$list"',1],"e":[]}}}' items
	answer '[["amount", 1], ["c:b1", 3.5], ["c:b0:x", "y"], ["c:b0", "y"], ["c", "y:3.5:y"], ["d", "3.5:y:y,1"], ["e", ""]]'
	ask 0 '{"snapshots":[{"resources":[{"c":'"$list"'}]}]}' items
	answer '[["c", "b1:2,x:y:b0,b1:3.5"]]'
	ask 1 '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":{"c":[{"name":1,"value":2}]}}}' items
	said "a name in a list of names and values is not a string"
	ask 1 '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":{"c":[{"name":"","value":2}]}}}' items
	said "a member of a dictionary in the resource has an empty name"
	ask 0 '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":{"c":[{"name":"a","value":2,"z":1}]}}}' items
	answer '[["amount", 1], ["c", "a:2:1"]]'
}

MODELS='{"snapshots":[{"resources":[],"models":[{"uid":"s"}]}],"global":{"models":[
	{"uid":"a","model":"linear","coeffs":[{"name":"b1","value":2},{"name":"b0"}],"x_interval_start":0,"x_interval_end":50},
	{"uid":"b","plot_x":1,"model":"quadratic","coeffs":[{"name":"b0","value":1},{"name":"b1","value":0}],"x_interval_start":1,"x_interval_end":1},
	{"uid":"c","model":"spline"}]}}'

@test "models, and their values" {
	ask 0 "$MODELS" models
	[ "$(wc -l <out)" -eq 4 ]
	[ "$(head -n 1 out)" = '[0, {"uid": "s"}]' ]
	ask 0 "$MODELS" --compat model-values uid
	answer '"a"' '"b"' '"c"'
	ask 0 "$MODELS" model-values coeffs::name
	answer '"b1"' '"b0"'
}

@test "plot" {
	ask 1 "$MODELS" --compat plot
	[ "$(wc -l <out)" -eq 1 ]
	grep -qF '"plot_x": [1e-06, 1.0, 2.0, ' out
	grep -qF '"plot_y": [2e-06, 2.0, 4.0, ' out
	said ": the model has no coefficient b2"
	said ": the model has no x_interval_start"
	ask 1 "$MODELS" plot
	[ "$(wc -l <out)" -eq 2 ]
	grep -qF '[2, {"uid": "b", "plot_x": [1.0, 1.0, ' out
	ask 1 '{"global":{"models":[{"model":"spline","coeffs":[],"x_interval_start":0,"x_interval_end":50}]}}' plot
	said ": the model is not constant, "
	ask 1 '{"global":{"models":[{"model":"logarithmic","coeffs":[],"x_interval_start":-1,"x_interval_end":50}]}}' plot
	said "the logarithmic model's interval begins below 0"
}

@test "keys: texts with escapes, and the empty name" {
	local p='{"snapshots":[{"resources":[{"s":"\u0061bc","t":""}]}]}'
	ask 1 "$p" --compat keys s:b
	said "the key leads into a value that is not a dictionary"
	ask 0 "$p" --compat keys s:u
	answer '[]'
	ask 1 "$p" --compat keys t:
	said "the key leads into a value that is not a dictionary"
}

@test "items: names outside of ASCII are joined by the number of their characters" {
	ask 0 '{"snapshots":[{"resources":[{"uid":{"\ud83d\ude00":4,"\u20ac":3,"z":2,"\u00e9":1,"line":0}}]}]}' items
	answer '[["uid:\ud83d\ude00", 4], ["uid:\u20ac", 3], ["uid:z", 2], ["uid:\u00e9", 1], ["uid:line", 0], ["uid", "0:2:1:3:4"]]'
}

@test "a map of resources: lists whose elements are not all a name and a value" {
	ask 0 '{"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":{"c":[{"name":"x"}],"d":[{"value":1}],
		"e":[{"name":"x","value":1},{"name":"y","v":2}],"f":[{"name":"y","v":2},{"name":"x","value":1}]}}}' items
	answer '[["amount", 1], ["c", "x"], ["d", "1"], ["e", "x:1,y:2"], ["f", "y:2,x:1"]]'
}

# model NAME COEFFS FROM TO: a profile with that model.
model() {
	printf '{"global":{"models":[{"model":"%s","coeffs":%s,"x_interval_start":%s,"x_interval_end":%s}]}}' "$@"
}

# curve FUNCTION: the last answer's points are those of y = FUNCTION, which is Python.
curve() {
	python3 -c '
import json, math, sys
[[n, m]] = [json.loads(line) for line in open("out")]
xs, ys = m["plot_x"], m["plot_y"]
assert xs == [1.0 + i for i in range(51)], xs
want = [eval(sys.argv[1], {"math": math, "x": x}) for x in xs]
assert len(ys) == 51 and all(math.isclose(y, w, rel_tol=1e-15) for y, w in zip(ys, want)), ys' "$1"
}

# Coefficients with other names, or none, do not count.
@test "plot: each kind of model" {
	need python3
	local name function b='[{"name":"b0","value":1.5},{"name":"b1","value":2},{"name":"b2","value":-0.25},{"name":"b3","value":7},{"value":8}]'
	while IFS='|' read -r name function; do
		ask 0 "$(model "$name" "$b" 1 51)" plot
		silent
		curve "$function" || fail "$name"
	done <<-'END'
		constant|1.5 + 2 * x
		linear|1.5 + 2 * x
		logarithmic|1.5 + 2 * math.log(x)
		quadratic|1.5 + 2 * x - 0.25 * x * x
		power|1.5 * x ** 2
		exponential|1.5 * 2 ** x
	END
	# truth is a number
	ask 0 "$(model linear '[{"name":"b0","value":true},{"name":"b1","value":false}]' true 51)" plot
	curve 1.0
	ask 0 "$(model linear '[]' false 50)" plot
	grep -qF '"plot_x": [1e-06, 1.0, 2.0, ' out
	ask 0 '{"global":{"models":[{"plot_y":1,"model":"constant","coeffs":[],"x_interval_start":1,"x_interval_end":2}]}}' plot
	grep -qF '[0, {"plot_y": [0.0, 0.0, ' out
	grep -qF ', "plot_x": [1.0, 1.02, ' out
}

@test "plot: where Perun raises" {
	local bad
	for bad in null '"1"' '[1]' '{}'; do
		ask 1 "$(model linear '[]' "$bad" 50)" plot
		said ": the model's x_interval_start is not a number"
		ask 1 "$(model linear '[]' 0 "$bad")" plot
		said ": the model's x_interval_end is not a number"
		ask 1 "$(model linear '[{"name":"b0","value":'"$bad"'}]' 0 50)" plot
		said ": the model's coefficient is not a number"
		answer
	done
	ask 1 "$(model linear 5 0 50)" plot
	said ": the model's coeffs is not a list"
	ask 1 "$(model linear '[5]' 0 50)" plot
	said ": a coefficient of the model is not a dictionary"
	ask 1 '{"global":{"models":[5,{"model":"power","coeffs":[]},{"model":5,"x_interval_start":1,"x_interval_end":2}]}}' plot
	said ": the model is not a dictionary"
	said ": the model has no x_interval_start"
	said ": the model is not constant, linear, "
	answer
}

@test "where Perun raises" {
	ask 1 '[1]' resources
	said "the profile is not a dictionary"
	ask 1 '{"snapshots":[{"resources":[{"uid":1}]}],"global":null}' resources
	said "global is not a dictionary"
	answer '[0, {"uid": 1}]'
	ask 1 '{"snapshots":[{"time":"1"}]}' fields
	said "the previous snapshot has no resources"
	ask 1 '{"snapshots":[3]}' fields
	said "the snapshot has no resources"
	ask 1 '{"snapshots":null}' fields
	said "snapshots is not a list"
	ask 1 '{"snapshots":[{"resources":null}]}' fields
	said "a snapshot's resources are not a list"
	ask 0 '{"snapshots":[{"resources":null}]}' models
	ask 1 '{"snapshots":[{"resources":[{"uid":{"":1}}]}]}' items
	said "a member of a dictionary in the resource has an empty name"
	ask 1 '{"snapshots":[{"resources":[5]}]}' items
	said "the resource is not a dictionary"
	ask 0 '{"snapshots":[{"resources":[5]}]}' resources
	answer '[0, 5]'
	ask 0 '{}' fields
	answer
}

@test "a member that appears twice is a note where it is asked for, and an error with --compat" {
	printf '%s' '{"header":{},"snapshots":[{"resources":[1]}],"header":{},"snapshots":[{"resources":[2]}],' >profile
	printf '%s' '"models":[],"models":[{"r_square":1}]}' >>profile
	perundec profile >stream
	want_status 0 perunquery resources stream
	said "perunquery: 'snapshots' appears twice: both are used, Perun uses the last"
	printf '[0, 1]\n[0, 2]\n' >want
	same want out
	want_status 1 perunquery --compat resources stream
	said "perunquery: stream:10: 'snapshots' appears twice: Perun uses the last"
	[ "$(wc -l <err)" -eq 1 ]
	# models are not looked for in snapshots there
	want_status 1 perunquery --compat models stream
	said "'models' appears twice: Perun uses the last"
	[ "$(wc -l <err)" -eq 1 ]
	printf '%s' '{"snapshots":[{"resources":[]},{"resources":[]}],"header":{},"header":{}}' >profile
	perundec profile >stream
	want_status 0 perunquery --compat resources stream
	silent
}

@test "a resource that is too large for a line" {
	need python3
	python3 -c '
import json
json.dump({"snapshots": [{"resources": [{"uid": "x", "s": "y" * 1500000}, {"uid": "z"}]}]}, open("big", "w"))'
	perundec big >stream 2>err
	want_status 0 perunquery values uid stream
	answer '"x"' '"z"'
}

@test "a text is another value than a number with its digits" {
	printf '{"snapshots":[{"resources":[{"uid":"1 "},{"uid":21},{"uid":"21"},{"uid":1},{"uid":"1 "}]}]}' >profile
	perundec profile >stream
	want_status 0 perunquery values uid stream
	answer '"1 "' 21 '"21"' 1
}

@test "a value in parts, of which the last is empty" {
	printf '{"header":"%s","snapshots":[{"resources":[{"uid":"x"}]}]}' "$(head -c 1100000 /dev/zero | tr '\0' h)" >big
	perundec big >whole
	awk 'BEGIN { FS = OFS = "\t" }
		/^#/ { next }
		$NF == "parts=2" { NF--; print; $6 = "."; $7 = "part=3"; $8 = "parts=3" }
		{ print }' whole >stream
	grep -q '^header.*	/header	\.	\.	part=3	parts=3$' stream
	want_status 0 perunquery values uid stream
	answer '"x"'
}

@test "what cannot be asked" {
	want_status 2 perunquery
	said "perunquery: no FUNCTION given"
	want_status 2 perunquery size
	said "perunquery: no such function: size (there are: resources items fields "
	want_status 2 perunquery values
	said "perunquery: values needs a KEY"
}

@test "lines of a stream that no profile has" {
	local line
	{
		event run . . . . format=resources
		event header . /resources/t/0 . 5
		event header . /resources/t/x . '{'
		event header . /snapshots/x/resources/0 . 5
		event header . /snapshots/0/resources/x . 5
		event header . /models/x . 5
		event header . /snapshots/x/models/0 . 5
		event header . /resource_type_map/t . '{}'
		event sample . f m 1 at=/resources/t/0 'json={"a":1}'
		event sample . f m 1 at=/resources/t/1 'json={}'
		event sample . f m 1 at=/global/resources/0 'json={"g":1}'
		event model . f m 1 at=/models/0 'json={"m":1}'
	} >stream
	want_status 0 perunquery resources stream
	answer '[0, {"a": 1}]' '[0, {}]' '[0, {"g": 1}]'
	want_status 0 perunquery models stream
	answer '[0, {"m": 1}]'
	while IFS='|' read -r line text; do
		# shellcheck disable=SC2086 # the words of a line
		event $line >>stream
		want_status 1 perunquery resources stream
		said "perunquery: stream:13: $text" || fail "$line" || return
		sed -i '$d' stream
	done <<-'END'
		sample . f m 1 at=/resources/t/2 json=5|the resource is not a dictionary
		sample . f m 1 at=/resources/t/2 json=[1]|the resource is not a dictionary
		sample . f m 1 at=/resources/t json={}|a resource without its place in a type
		sample . f m 1 at=/snapshots/x/resources/0 json={}|this is not the place of a resource
		header . /resource_type_map/t . 5|a type in resource_type_map is not a dictionary
	END
	ask 1 '{"snapshots":[{"time":"1"},{"resources":[{"a":1}]}]}' resources
	said "the previous snapshot has no resources"
	answer '[1, {"a": 1}]'
}

@test "a second document, and lines of others" {
	perundec "$DATA/snapshots.data" >stream
	perundec "$DATA/odd.data" >second
	want_status 1 perunquery resources stream second
	said "perunquery: second:"
	said "a second document begins: a query is for one"
	want_status 1 perunquery resources "$DATA/perf.af"
	said "perunquery: no line is part of a profile of Perun, as perundec writes it"
	# some are not, as after sort or cat
	grep -v '^#' "$DATA/perf.af" >>stream
	want_status 0 perunquery resources stream
	said "lines that are not part of a profile"
}

@test "no room for the temporary file" {
	printf '{"global":{"resources":[{"uid":1}]}}' >profile
	perundec profile >stream
	want_status 3 env TMPDIR="$T/not here" perunquery resources stream
	said "cannot make a temporary file in "
}

# The collection's profiles and what Perun's own functions say of them; nothing of it is here.
@test "answers about a larger collection are Perun's" {
	need python3 zstd
	[ -f "${AFPIPE_CORPUS-}/perun/ref.tar.zst" ] || skip "AFPIPE_CORPUS names no collection"
	tar --zstd -xf "$AFPIPE_CORPUS/perun/ref.tar.zst"
	want_status 0 python3 "$ROOT/t/tools/perunquery.py" "$AFPIPE_CORPUS/perun"
}

@test "all prefixes of a stream, and damaged copies" {
	local n=200 step=1 corpus=$ROOT/t/fuzz/corpus/perunquery
	helpers fuzz-perunquery
	[[ ${CFLAGS-} != *sanitize* ]] || { n=20 step=31; }
	[ -z "${AFPIPE_SLOW-}" ] || n=5000
	want_status 0 fuzz-perunquery --prefixes $step "$corpus"/{snapshots,resources,models}
	want_status 0 fuzz-perunquery --flips $n 1 "$corpus"/{snapshots,resources,models}
	grep -q "^$((3 * n)) damaged copies, " out
}

@test "what fuzzing started from, and has found" {
	helpers fuzz-perunquery
	want_status 0 fuzz-perunquery "$ROOT"/t/fuzz/corpus/perunquery/* "$DATA"/*.ev
}
