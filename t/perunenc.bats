# SPDX-License-Identifier: ISC
# perunenc.bats - a stream to a Perun profile: the one that it was, or a new one.

load lib
load perun

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

@test "what cannot be packed" {
	want_status 1 perunenc --pack "$DATA/odd.ev"
	said "perunenc: the header has no type: this cannot be packed"
	[ ! -s out ]
	want_status 1 perunenc --name "$DATA/repeated.ev"
	said "a member is there twice: this cannot be packed"
	[ ! -s out ]
	sed 's/"type":"memory","units"/"type":"disk","units"/' "$DATA/snapshots.ev" >stream
	want_status 1 perunenc --pack stream
	said "header.type is none of memory, mixed and time"
	{
		printf '#afstream\t1\tperundec\tx\n'
		cat "$DATA/snapshots.ev"
	} >unended
	want_status 1 perunenc --pack unended
	[ ! -s out ]
	want_status 2 perunenc --pack --name "$DATA/odd.ev"
}

@test "no room for the temporary file" {
	want_status 3 env TMPDIR="$T/not here" perunenc --pack "$DATA/snapshots.ev"
	said "perunenc: cannot make a temporary file: "
	want_status 3 sh -c "cat '$DATA/resources.data' | TMPDIR='$T/not here' perundec"
	said "perundec: -: cannot make a temporary file: "
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

@test "lines in another order, and a second document, are refused" {
	tac "$DATA/snapshots.ev" | grep '^sample' >stream
	want_status 1 perunenc stream
	said "perunenc: stream:3: comes too late: its place in the document has been passed"
	cat "$DATA/snapshots.ev" "$DATA/odd.ev" >stream
	want_status 1 perunenc stream
	said "a second document begins: a profile has one"
	grep '^sample' "$DATA/resources.ev" | sed 's/"order"/"other"/2; 2s/"order"/"other"/' >stream
	want_status 1 perunenc stream
	said "perunenc: stream:2: a resource of a type has other members than the first"
	printf 'header\t.\t0x1\t/a/b/c\t.\t1\n' >stream
	want_status 1 perunenc stream
	said "perunenc: stream:1: no line has opened what the pointer is in"
	printf 'header\t.\t0x1\t/a\t.\t[1,]\n' >stream
	want_status 1 perunenc stream
	said "perunenc: stream:1: column 4: expected a value"
	printf 'header\t.\t0x1\t/a\t.\t[1\tpart=2\tparts=2\n' >stream
	want_status 1 perunenc stream
	said "a part of a value without those before it"
}

@test "aggregates of a profile are a profile" {
	grep -v 'p.amount=None' "$DATA/snapshots.ev" | afagg --by region --stat sum >stream
	[ "$(grep -c '^agg' stream)" -eq 2 ]
	want_status 0 perunenc stream
	silent
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

@test "a stream that is not Perun's becomes a profile" {
	want_status 0 perunenc "$DATA/perf.af"
	said "perunenc: left out 1 lines of other kinds"
	said "perunenc: left out 1 lines without a value"
	said "perunenc: 1 more runs: the header is that of the first"
	same "$DATA/perf.json" out
	want_status 0 perunenc --name "$DATA/perf.af"
	need python3
	python3 - "$DATA/perf.json" <<'PY'
import json, sys
p = json.load(open(sys.argv[1]))
assert p["header"]["type"] == "mixed" and p["header"]["units"] == {"time": "ns", "mixed(cycles:u)": "count", "memory": "B"}
for r in p["snapshots"][0]["resources"]:
    assert set(r) >= {"uid", "amount", "type", "subtype", "trace"}
    for frame in r["trace"] + [r["uid"]]:
        assert set(frame) == {"source", "function", "line"}
PY
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

# The collection's profiles; nothing of it is here.
@test "every profile of a larger collection comes back, and packs as Perun packs it" {
	need python3 zstd
	[ -f "${AFPIPE_CORPUS-}/perun/ref.tar.zst" ] || skip "AFPIPE_CORPUS names no collection"
	tar --zstd -xf "$AFPIPE_CORPUS/perun/ref.tar.zst"
	want_status 0 python3 "$ROOT/t/tools/perunback.py" "$AFPIPE_CORPUS/perun" ref
}
