# SPDX-License-Identifier: ISC
# perunquery_heap.bats - Perun's heap maps and heat maps: what they are, and what is refused.

load lib
load perun

setup_file() {
	helpers fuzz-heap
}

# snapshots STATUS JSON OPTION...: of a profile with that list of snapshots.
snapshots() {
	local status=$1 list=$2
	shift 2
	ask "$status" '{"header":{"units":{"memory":"B"}},"snapshots":['"$list"']}' "$@"
}

# block ADDRESS AMOUNT [UID [SUBTYPE]]: a resource.
block() {
	printf '{"address":%s,"amount":%s,"uid":%s,"subtype":"%s"}' "$1" "$2" "${3:-7}" "${4:-malloc}"
}

# maps TEXT...: the maps of the snapshots have these addresses and amounts, as ADDRESS+AMOUNT.
maps() {
	sed -e 's/^{"type": "heap", "snapshots": \[//' -e 's/"info": .*//' -e 's/"map": \[/\n/g' out | tail -n +2 |
		sed -e 's/\].*//' -e 's/{"address": \([^,]*\), "subtype": [^,]*, "amount": \([^,]*\), [^}]*}/\1+\2/g' -e 's/, / /g' >got
	printf '%s\n' "$@" >want
	same want got
}

# refused TEXT: the last map's line was, for that reason.
refused() {
	said "perunquery: -:"
	said ": $1"
}

# refused_whole TEXT: the profile was, at its end.
refused_whole() {
	said "perunquery: $1"
}

# bats test_tags=quick
@test "both maps of a profile" {
	local map
	for map in heap heat; do
		perundec "$ROOT/t/data/perunquery/blocks.data" >stream
		want_status 0 perunquery $map stream
		silent
		same "$ROOT/t/data/perunquery/blocks.$map" out
		want_status 0 sh -c "cat stream | perunquery --compat $map -"
		silent
		same "$ROOT/t/data/perunquery/blocks.$map" out
	done
}

@test "a heap map is written snapshot by snapshot" {
	mkfifo fifo
	perundec "$ROOT/t/data/perunquery/blocks.data" >stream
	perunquery heap <fifo >got 3>&- &
	exec 9>fifo
	grep -v '^#end\|/snapshots/[34]' stream >&9
	soon grep -q '"0.200000", .*"min_amount": 4}' got
	grep '^#end\|/snapshots/[34]' stream >&9
	exec 9>&-
	wait $!
	same "$ROOT/t/data/perunquery/blocks.heap" got
}

@test "the first block that was allocated at an address is freed" {
	snapshots 0 '{"resources":['"$(block 10 1),$(block 20 2),$(block 10 3),$(block 10.0 4)"']},
		{"resources":['"$(block 10 0 7 free)"']},{"resources":['"$(block 1e1 0 7 free),$(block 30 5)"']},{"resources":[]}' heap
	silent
	maps "10+1 20+2 10+3 10.0+4" "10+1 20+2 10+3 10.0+4" "30+5 20+2 10+3 10.0+4" "20+2 10.0+4 30+5"
}

@test "blocks at one address queue up" {
	local f
	f='{"resources":['"$(block 10 0 7 free)"']}'
	snapshots 0 '{"resources":['"$(block 10 1),$(block 10 2),$(block 10 3)"']},'"$f"',{"resources":['"$(block 10 4)"']},'"$f,$f,$f,$f"',{"resources":[]}' heap
	maps "10+1 10+2 10+3" "10+1 10+2 10+3" "10+4 10+2 10+3" "10+2 10+3 10+4" "10+3 10+4" "10+4" "" ""
}

@test "a block is in the map of the snapshot that frees it, and a free without a uid is none" {
	snapshots 0 '{"resources":['"$(block 10 1),$(block 10 0 7 free)"']},{"resources":['"$(block 20 2),$(block 30 3)"']},
		{"resources":['"$(block 20 0 7 free),$(block 30 0 '{}' free),$(block 40 0 '""'),$(block 50 0 0.0),$(block 60 0 -0)"']},{"resources":[]}' heap
	maps "10+1" "20+2 30+3" "20+2 30+3" "30+3"
}

@test "all that is odd in an address frees nothing, or only its like" {
	snapshots 0 '{"resources":['"$(block NaN 1),$(block true 2),$(block 18446744073709551616 3),$(block 0.5 4)"']},
		{"resources":['"$(block NaN 0 7 free),$(block '"1"' 0 7 free),$(block null 0 7 free),$(block 0.25 0 7 free),$(block 36893488147419103232 0 7 free)"']},
		{"resources":['"$(block 1 0 7 free),$(block 1.8446744073709552e19 0 7 free),$(block 0.5 '"x"' 7 fre\\u0065)"']},{"resources":[]}' heap
	maps "NaN+1 true+2 18446744073709551616+3 0.5+4" "NaN+1 true+2 18446744073709551616+3 0.5+4" \
		"NaN+1 true+2 18446744073709551616+3 0.5+4" "NaN+1"
}

@test "numbers of all kinds" {
	snapshots 0 '{"resources":['"$(block 9223372036854775807 1),$(block -9223372036854775808 1e1),$(block true true true)"']}' heap
	grep -qF '"max_address": 9223372036854775808, "min_address": -9223372036854775808, "sum_amount": 12.0, "max_amount": 10.0, "min_amount": 1}]' out
	grep -qF '"stats": {"max_address": -9223372036853775808, "min_address": -9223372036854775808, "max_sum_amount": 12.0,' out
	snapshots 0 '{"resources":['"$(block 99999999999999999999 -1),$(block 1 99999999999999999999),$(block true -0)"']}' heap
	grep -qF '"max_address": 100000000000000000000, "min_address": 1, "sum_amount": 99999999999999999998, "max_amount": 99999999999999999999, "min_amount": -1}' out
	snapshots 0 '{"resources":['"$(block 10.5 2),$(block 10 2.5),$(block 9007199254740993 1),$(block 9007199254740992.0 1e0)"']}' heap
	grep -qF '"max_address": 9007199254740994, "min_address": 10, "sum_amount": 6.5, "max_amount": 2.5, "min_amount": 1}' out
	snapshots 1 '{"resources":['"$(block 0.5 "1$(printf '0%.0s' {1..400})")"']}' heap
	said "an integer is too large to be added to a float"
	[[ $(tail -c 1 out) != "}" ]]
	snapshots 1 '{"resources":['"$(block "1$(printf '0%.0s' {1..400})" 0)"']},{"resources":['"$(block 0.5 0),$(block "1$(printf '0%.0s' {1..400})" 0 7 free)"']}' heap
	said "an integer is too large to be added to a float"
	[[ $(tail -c 1 out) != "}" ]]
}

@test "uids: each once, compared as Python does" {
	local u='{"function":"f","line":1,"source":"s","bin":"b"}' v='{"source":"s","line":true,"function":"\u0066"}' w='{"function":"f","line":2,"source":"s"}'
	snapshots 0 '{"resources":['"$(block 1 1 "$u"),$(block 2 1 "$w"),$(block 3 1 "$v"),$(block 4 1 5),$(block 5 1 true)"']}' heap
	silent
	grep -qF '"info": [{"function": "f", "line": 1, "source": "s", "bin": "b"}, {"function": "f", "line": 2, "source": "s"}]' out
	grep -o '"uid": [^}]*' out >got
	printf '"uid": %s\n' 0 1 0 5 true >want
	same want got
	u='{"function":{"a":{"x":1,"y":2},"b":3},"line":1,"source":"s"}' v='{"source":"s","line":1,"function":{"b":3,"a":{"y":2,"x":1}}}' w='{"function":{"a":{"x":1},"b":3,"y":2},"line":1,"source":"s"}'
	snapshots 0 '{"resources":['"$(block 1 1 "$u"),$(block 2 1 "$w"),$(block 3 1 "$v"),$(block 4 1 "$w")"']}' heap
	silent
	grep -o '"uid": [^}]*' out >got
	printf '"uid": %s\n' 0 1 0 1 >want
	same want got
}

@test "a uid that cannot be compared may be the only one, once" {
	local f
	f=$(block 1 0 7 free)
	snapshots 0 '{"resources":['"$(block 1 1 '"main"'),$f"']},{"resources":[]}' heap
	grep -qF '"info": ["main"]' out
	snapshots 1 '{"resources":['"$(block 1 1 '"main"')"']},{"resources":[]}' heap
	said "the first uid lacks function, line or source"
	snapshots 1 '{"resources":['"$(block 1 1 '"main"'),$(block 1 1 '"main"'),$f,$f"']}' heap
	refused "the first uid lacks function, line or source"
	snapshots 1 '{"resources":['"$(block 1 1 '{"function":1,"line":1,"source":1}'),$(block 1 1 '{"function":1,"line":1}')"']}' heap
	refused "the resource's uid has no source"
	snapshots 0 '{"resources":['"$(block 1 1 '{"function":NaN,"line":1,"source":1}')"']},{"resources":[]},{"resources":[]}' heap
	grep -qF '"info": [{"function": NaN, "line": 1, "source": 1}, {"function": NaN, "line": 1, "source": 1}]' out
	grep -o '"uid": [^}]*' out >got
	printf '"uid": %s\n' 0 1 0 >want
	same want got
}

@test "members of a snapshot keep their places, and the last of two counts" {
	snapshots 0 '{"b":1,"map":2,"models":[{"x":1},[2]],"resources":['"$(block 1 1)"'],"b":[],"sum_amount":0,"c":{"d":"\u00e9"}},
		{"min_amount":[1.0],"resources":[],"models":[1],"models":[]}' heap
	grep -qF '"snapshots": [{"b": [], "map": [{"address": 1, "subtype": "malloc", "amount": 1, "uid": 7}], "models": [{"x": 1}, [2]], "sum_amount": 1, "c": {"d": "\u00e9"}, "max_address": 2, "min_address": 1, "max_amount": 1, "min_amount": 1},' out
	grep -qF ' {"min_amount": 1, "models": [], "map": [{"address": 1, "subtype": "malloc", "amount": 1, "uid": 7}], "max_address": 2,' out
	snapshots 0 '{"resources":[]},{"min_amount":[1.0],"resources":{}},{"resources":['"$(block 1 1)"']}' heap
	grep -qF '"snapshots": [{"map": []}, {"min_amount": [1.0], "map": []}, {"map": [{' out
}

# cells N: the heat map's first cells.
cells() {
	sed -e 's/.*"map": \[//' -e 's/\].*//' -e 's/,//g' out | cut -d ' ' -f "$1"
}

@test "addresses that are infinite, huge or false" {
	snapshots 0 '{"resources":['"$(block -Infinity 1),$(block 5 1),$(block 9223372036854775807 1),$(block -9223372036854775808 1)"']},
		{"resources":['"$(block -Infinity 0 7 free),$(block 5.0 0 7 free)"']},{"resources":[]}' heap
	maps "-Infinity+1 5+1 9223372036854775807+1 -9223372036854775808+1" "-Infinity+1 5+1 9223372036854775807+1 -9223372036854775808+1" \
		"9223372036854775807+1 -9223372036854775808+1"
	grep -qF '"max_address": 9223372036854775808, "min_address": -Infinity, ' out
	snapshots 0 '{"resources":['"$(block -1e300 1),$(block 99999999999999999999 1),$(block 1.5 2)"']},
		{"resources":['"$(block -1e300 0 7 free),$(block 99999999999999999998 0 7 free),$(block 2 0 7 free)"']},{"resources":[]}' heap
	maps "-1e+300+1 99999999999999999999+1 1.5+2" "-1e+300+1 99999999999999999999+1 1.5+2" "99999999999999999999+1 1.5+2"
	# an amount that is false is one, and the least
	snapshots 0 '{"resources":['"$(block 1 false true),$(block false 2 false)"']}' heap
	maps "1+false"
	grep -qF '"sum_amount": 0, "max_amount": false, "min_amount": false}' out
}

@test "a heat map whose addresses or amounts do not fit into 64 bits" {
	snapshots 0 '{"resources":['"$(block -99999999999999999999 1),$(block -9223372036854775808 1),$(block -1 99999999999999999999),$(block 400 1)"']}' heat
	said "perunquery: 3 resources at address 0 or below are not in the map"
	[ "$(cells 1- | tr -d ' 0')" = 1 ]
	snapshots 1 '{"resources":['"$(block -99999999999999999999 1),$(block 400 1)"']}' --compat heat
	refused "the resource's address is before the map"
	snapshots 1 '{"resources":['"$(block -1 '"x"'),$(block 400 1)"']}' heat
	refused "the resource's amount is not an integer"
	snapshots 0 '{"resources":['"$(block 99999999999999999999 1)"']}' heat
	grep -q '^{"type": "heat", "stats": {"max_address": 100000000000000000499, "min_address": 99999999999999999999}, "map": \[1, 0, ' out
	for address in 1e30 1.5; do
		snapshots 1 '{"resources":['"$(block $address 1)"']}' heat
		refused_whole "the map's first and last address are not integers"
	done
}

@test "a heap map with addresses below 0, a uid that is true, and a list of which the beginning is missing" {
	snapshots 0 '{"models":[{"a":1},{"b":[2]}],"resources":['"$(block -5 10),$(block 7 true true)"']}' heap
	cat >want <<-'END'
		{"type": "heap", "snapshots": [{"models": [{"a": 1}, {"b": [2]}], "map": [{"address": -5, "subtype": "malloc", "amount": 10, "uid": 7}, {"address": 7, "subtype": "malloc", "amount": true, "uid": true}], "max_address": 8, "min_address": -5, "sum_amount": 11, "max_amount": 10, "min_amount": true}], "info": [], "stats": {"max_address": 495, "min_address": -5, "max_sum_amount": 11, "max_amount": 10, "min_amount": true}, "unit": "B"}
	END
	same want out
	# without the line of the list itself, its elements still make one
	grep -v '	/snapshots/0/models	' stream >elements
	want_status 0 perunquery heap --no-marks elements
	same want out
	# after another value of that name, which the list replaces
	sed 's|\(	/snapshots/0/models	[^	]*	\)\[|\15|' stream >replaced
	want_status 0 perunquery heap --no-marks replaced
	same want out
}

@test "a heat map counts each address" {
	snapshots 0 '{"resources":['"$(block 1000 3),$(block 1002 2)"']},{"resources":['"$(block 1000 1),$(block 1003 -5),$(block 1010 true)"']}' heat
	silent
	grep -q '^{"type": "heat", "stats": {"max_address": 1500, "min_address": 1000}, "map": \[2, .*\], "unit": "B"}$' out
	[ "$(cells 1-6)" = "2 1 2 1 0 0" ]
	[ "$(cells 11)" = 1 ]
	[ "$(cells 1- | wc -w)" -eq 500 ]
}

@test "a heat map needs neither subtype nor uid, and an amount only for what is in it" {
	local big='{"address":1000,"amount":1},{"address":3000000,"amount":4.5}'
	snapshots 0 '{"resources":['"$big"',{"address":2000000}]}' heat
	silent
	[ "$(cells 1- | wc -w)" -eq 1000000 ]
	snapshots 1 '{"resources":['"$big"',{"address":2000}]}' heat
	refused "the resource has no amount"
	snapshots 1 '{"resources":['"$big"',{"address":2000,"amount":4.0}]}' heat
	refused "the resource's amount is not an integer"
	snapshots 1 '{"resources":['"$big"',{"address":2000.0,"amount":4}]}' heat
	refused "the resource's address is not an integer"
	snapshots 0 '{"resources":['"$big"',{"address":2000.0,"amount":0},{"address":NaN,"amount":0}]}' heat
	snapshots 1 '{"resources":['"$big"',{"amount":4}]}' heat
	refused "the resource has no address"
	[ ! -s out ]
}

@test "addresses at and below 0: left out and reported; with --compat from the map's end" {
	local low
	low='{"resources":['"$(block 0 2),$(block 400 1),$(block -3 1),$(block 0 0)"']}'
	snapshots 0 "$low" heat
	said "perunquery: 2 resources at address 0 or below are not in the map"
	[ "$(cells 1- | tr -d ' 0')" = 1 ]
	snapshots 0 "$low" --compat heat
	silent
	[ "$(cells 1)" = 1 ]
	[ "$(cells 98-103)" = "1 0 0 1 1 0" ]
	low='{"resources":['"$(block 0 402),$(block 400 1)"']}'
	snapshots 0 "$low" --compat heat
	[ "$(cells 1-3)" = "2 1 0" ]
	[ "$(cells 100-101)" = "0 1" ]
	[ "$(cells 500)" = 1 ]
	snapshots 1 '{"resources":['"$(block 0 4),$(block 1000 1)"']}' --compat heat
	refused "the resource's address is before the map"
	snapshots 1 '{"resources":['"$(block 0 99999999999999999999),$(block 400 1)"']}' --compat heat
	refused "the resource reaches beyond the map"
	[ ! -s out ]
}

@test "what reaches beyond the map: cut off and reported; with --compat an error" {
	local beyond
	beyond='{"resources":['"$(block 1000 1),$(block 5000000 1),$(block 1000990 20),$(block 1001000 1),$(block 1001001 9)"']}'
	snapshots 0 "$beyond" heat
	said "perunquery: 2 resources reach beyond the map and are counted up to its end"
	[ "$(cells 999989-)" = "0 0 1 1 1 1 1 1 1 1 1 1" ]
	snapshots 1 "$beyond" --compat heat
	refused "the resource reaches beyond the map"
	[ ! -s out ]
	for beyond in "$(block 1000999 2)" "$(block 1001000 1)" "$(block 1000 1000001)"; do
		snapshots 1 '{"resources":['"$(block 1000 1),$(block 5000000 1),$beyond"']}' --compat heat
		refused "the resource reaches beyond the map"
	done
	snapshots 0 '{"resources":['"$(block 1000 1),$(block 5000000 1),$(block 1001000 0),$(block 1000999 1),$(block 1000 1000000)"']}' --compat heat
	silent
	[ "$(cells 1-2)" = "2 1" ]
	[ "$(cells 999999-)" = "1 2" ]
}

@test "without snapshots: an empty map and a note; with --compat an error" {
	local p='{"header":{"units":{"time":"s"}},"global":{"resources":[{"uid":"real","amount":1}]}}'
	ask 0 "$p" heap
	said "perunquery: the profile has no snapshots: the map is empty"
	printf '{"type": "heap", "snapshots": [], "info": [], "stats": {}, "unit": null}\n' >want
	same want out
	ask 0 '{"header":{"units":{"memory":"kB"}}}' heat
	said "perunquery: the profile has no snapshots: the map is empty"
	printf '{"type": "heat", "stats": {}, "map": [], "unit": "kB"}\n' >want
	same want out
	for map in heap heat; do
		ask 1 "$p" --compat $map
		refused_whole "the profile has no snapshots"
		[ ! -s out ]
		want_status 1 sh -c "perundec '$DATA/resources.data' | perunquery --compat $map"
		refused_whole "the profile has no snapshots"
	done
}

@test "where Perun raises" {
	local map r
	r=$(block 1 1)
	for map in heap heat; do
		ask 1 '[1]' $map
		refused "the profile is not a dictionary"
		[ ! -s out ]
		ask 1 '{"snapshots":null}' $map
		refused "snapshots is not a list"
		snapshots 1 '3' $map
		refused "the snapshot is not a dictionary with resources"
		snapshots 1 '{"time":"1"}' $map
		refused_whole "the previous snapshot has no resources"
		snapshots 1 '{"resources":null}' $map
		refused "a snapshot's resources are not a list"
		snapshots 1 '{"resources":[5]}' $map
		refused "the resource is not a dictionary"
		snapshots 1 '{"resources":['"$r"',{"amount":1,"uid":7,"subtype":"m"}]}' $map
		refused "the resource has no address"
		snapshots 1 '{"resources":['"$(block '"1"' 1)"']}' $map
		said "the resource's address is not a number"
		snapshots 1 '{"resources":['"$(block 1 '[]')"']}' $map
		said "the resource's amount is not a number"
		ask 1 '{"snapshots":[{"resources":['"$r"']}],"header":{"units":[]}}' $map
		refused_whole "the profile's header has no units.memory"
		# the last header counts
		ask 1 '{"header":{"units":{"memory":"kB"}},"snapshots":[{"resources":['"$r"']}],"header":{"units":{}}}' $map
		said "the profile's header has no units.memory"
		ask 0 '{"header":{"units":{"memory":"kB"}},"snapshots":[{"resources":['"$r"']}],"header":{"units":{"memory":"B"}}}' $map
		grep -q '"unit": "B"}$' out
		snapshots 1 '{"resources":[]},{"resources":{}}' $map
	done
	snapshots 1 '{"resources":['"$(block 1 0 7 free)"']}' heap
	refused_whole "nothing is allocated in any of the snapshots"
	snapshots 1 '{"resources":['"$(block -1 1)"']}' heat
	refused_whole "no resource in the snapshots has an address above 0"
	snapshots 1 '{"resources":['"$r"',{"address":1,"uid":7,"subtype":"m"}]}' heap
	refused "the resource has no amount"
	snapshots 1 '{"resources":['"$r"',{"address":1,"amount":1,"subtype":"m"}]}' heap
	refused "the resource has no uid"
	snapshots 1 '{"resources":['"$r"',{"address":1,"amount":1,"uid":0}]}' heap
	refused "the resource has no subtype"
}

@test "what the error is in" {
	snapshots 1 '{"resources":['"$(block 1 1)"',{"amount":1}]}' heap
	[ "$(cat err)" = "perunquery: -:$(grep -n '/resources/1	' stream | cut -d : -f 1): the resource has no address" ]
}

@test "what is large, and what appears twice" {
	need python3
	python3 -c '
import json
uid = {"function": "f", "line": 1, "source": "s"}
r = [{"address": 10, "amount": 2, "subtype": "m", "uid": uid, "x": "y" * 1500000}]
json.dump({"snapshots": [{"time": "t" * 1100000, "resources": r}], "header": {"cmd": "c" * 1500000, "units": {"memory": "B"}}}, open("big", "w"))'
	perundec big >stream 2>err
	want_status 0 perunquery heap stream
	[ "$(sed 's/.*tt", //' out)" = '"map": [{"address": 10, "subtype": "m", "amount": 2, "uid": 0}], "max_address": 12, "min_address": 10, "sum_amount": 2, "max_amount": 2, "min_amount": 2}], "info": [{"function": "f", "line": 1, "source": "s"}], "stats": {"max_address": 510, "min_address": 10, "max_sum_amount": 2, "max_amount": 2, "min_amount": 2}, "unit": "B"}' ]
	ask 1 '{"snapshots":[],"snapshots":[]}' heap
	refused "the snapshots appear twice"
	snapshots 1 '{"resources":[],"resources":[]}' heat
	refused "the snapshot's resources appear twice"
	perundec "$ROOT/t/data/perunquery/blocks.data" >stream
	want_status 1 perunquery heat stream stream
	said "perunquery: stream:3: a second document begins: a map is for one"
	grep -e '/snapshots/1	' -e '/snapshots/1/' stream >turned
	grep -e '/snapshots/0/' stream >>turned
	want_status 1 perunquery --no-marks heap turned
	said "the snapshot appears twice, or too late"
}

@test "a snapshot's own line comes once, before the others of the snapshot" {
	local map first after line
	perundec "$ROOT/t/data/perunquery/blocks.data" >stream
	for map in heap heat; do
		# there or not there in its own place, and once more after itself and these others
		for first in 1 0; do
			for after in '' /time /resources /resources/0; do
				[ "$first$after" != 0 ] || continue
				awk -F '\t' -v first="$first" -v after="(\t|at=)/snapshots/1$after\t" '
					$4 == "/snapshots/1" { own = $0 }
					$4 != "/snapshots/1" || first { print; n++ }
					$0 ~ after { print own; print n + 1 >"number" }' stream >twice
				read -r line <number
				want_status 1 perunquery $map twice
				echo "perunquery: twice:$line: the snapshot appears twice, or too late" | same - err
			done
		done
	done
}

@test "lines that were filtered out, and lines of others" {
	perundec "$ROOT/t/data/perunquery/blocks.data" >stream
	want_status 0 sh -c "grep -e '^sample.*/snapshots/[02]' -e '	/header	' stream | perunquery heap --no-marks"
	maps "10000+4 10016+16 10040+8" "10000+4 10016+16"
	want_status 1 perunquery heap "$DATA/perf.af"
	said "perunquery: no line is part of a profile of Perun, as perundec writes it"
	want_status 0 sh -c "grep '	/header	' stream | cat - '$DATA/perf.af' | perunquery heap"
	said "perunquery: the profile has no snapshots: the map is empty"
	said "lines that are not part of a profile"
}

@test "input that is not whole" {
	perundec "$ROOT/t/data/perunquery/blocks.data" >stream
	sed '$d' stream >short
	want_status 1 perunquery heap short
	said "no end mark"
	same "$ROOT/t/data/perunquery/blocks.heap" out
	want_status 0 perunquery --no-marks heap short
	same "$ROOT/t/data/perunquery/blocks.heap" out
	head -c 900 "$ROOT/t/data/perunquery/blocks.data" >short
	want_status 1 sh -c "perundec short | perunquery heat"
	said "ended partial"
}

@test "what cannot be asked" {
	want_status 2 perunquery
	said "perunquery: no FUNCTION given"
	want_status 2 perunquery --heat --heap
	said "perunquery: no such option: --heat"
	perundec "$ROOT/t/data/perunquery/blocks.data" >stream
	want_status 3 perunquery heat heap stream
	said "perunquery: heap: cannot open"
}

@test "no room for the temporary file" {
	perundec "$ROOT/t/data/perunquery/blocks.data" >stream
	want_status 3 env TMPDIR="$T/not here" perunquery heat stream
	said "cannot make a temporary file in "
	want_status 0 env TMPDIR="$T/not here" perunquery heap stream
}

@test "memory that runs out, at any place: status 3 and a word, never another map" {
	local corpus=$ROOT/t/fuzz/corpus/heap
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	perundec "$corpus/numbers" >numbers
	perundec "$corpus/heat" >heat
	starves 20 perunquery heap numbers
	starves 20 perunquery heat heat
}

# bats test_tags=slow
@test "time does not grow with what is allocated, nor memory with what was" {
	need python3
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory and time of their own"
	helpers rss
	python3 -c '
import json, random
random.seed(1)
def r(a, s): return {"address": a, "amount": 16, "subtype": s, "uid": {"function": "f", "line": a % 100, "source": "s"}}
all = list(range(16, 16 * 100001, 16))
free = all[:]
random.shuffle(free)
p = {"header": {"units": {"memory": "B"}}}
json.dump(dict(p, snapshots=[{"resources": [r(a, "m") for a in all]}, {"resources": [r(a, "free") for a in free]}, {"resources": []}]), open("many", "w"))
json.dump(dict(p, snapshots=[{"resources": [r(a, s) for a in range(i, i + 100) for s in ("m", "free")]} for i in range(1, 200001, 100)]), open("few", "w"))'
	perundec many >stream
	want_status 0 timeout 20 perunquery heap stream
	[ "$(grep -o '"address"' out | wc -l)" -eq 200000 ]
	perundec few >stream
	want_status 0 rss used perunquery heap stream
	[ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 8192 ] || fail "KiB used: $(cat used)"
	[ "$(grep -o '"address"' out | wc -l)" -eq 200000 ]
}

@test "what fuzzing started from, and has found" {
	want_status 0 fuzz-heap "$ROOT"/t/fuzz/corpus/heap/* "$DATA"/*.data
}

@test "all prefixes of a profile, and damaged copies" {
	local n=1000 corpus=$ROOT/t/fuzz/corpus/heap
	[ -z "${AFPIPE_SLOW-}" ] || n=10000
	want_status 0 fuzz-heap --prefixes 1 "$corpus"/{blocks,numbers,stream}
	want_status 0 fuzz-heap --flips $n 1 "$corpus"/{blocks,numbers,stream}
}

# bats test_tags=slow,sanitize
@test "profiles made at random, judged by lists" {
	local n=150
	need python3
	[ -z "${AFPIPE_SLOW-}" ] || n=1000
	want_status 0 python3 "$ROOT/t/tools/perunheap.py" --random $n 1
}

# bats test_tags=slow,sanitize
@test "sums and differences that just fit into 64 bits, and those that do not" {
	need python3
	want_status 0 python3 "$ROOT/t/tools/perunheap.py" --edges
}

# The collection's profiles and what Perun's own functions say of them; nothing of it is here.
@test "maps of a larger collection are Perun's" {
	need python3 zstd
	[ -f "${AFPIPE_CORPUS-}/perun/ref.tar.zst" ] || skip "AFPIPE_CORPUS names no collection"
	tar --zstd -xf "$AFPIPE_CORPUS/perun/ref.tar.zst"
	want_status 0 python3 "$ROOT/t/tools/perunheap.py" "$AFPIPE_CORPUS/perun"
}
