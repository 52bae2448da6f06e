# SPDX-License-Identifier: ISC
# jsonenc.bats - a stream as JSON lines; Python reads them.

load lib

# bats test_tags=quick
@test "each line is an object, and each mark" {
	cd "$T"
	{
		printf '#afstream\t1\tp\tf\n# a comment\t\t"x"\n#\n'
		printf 'sample\t5\t0x1\tmain "x"\tcycles\t7\tpid=1\tcomm=.\tstack=main;f\n'
		printf 'agg\t.\t.\t.\t.\t.\n'
		printf '#end\tp\tf\t2\tcomplete\tlost=3\n'
	} >in
	want_status 0 jsonenc in
	cat >want <<-'EOF'
		{"kind":"#afstream","words":["1","p","f"]}
		{"kind":"# a comment","words":["","\"x\""]}
		{"kind":"#","words":[]}
		{"kind":"sample","time":5,"run":"0x1","region":"main \"x\"","measure":"cycles","value":7,"tags":{"pid":"1","comm":null,"stack":"main;f"}}
		{"kind":"agg","time":null,"run":null,"region":null,"measure":null,"value":null,"tags":{}}
		{"kind":"#end","words":["p","f","2","complete","lost=3"]}
	EOF
	same want out
	want_status 0 jsonenc --no-marks in
	grep -v '"#' want >want.lines
	sed -i '/"# /d' want.lines
	same want.lines out
}

# value TEXT [OPTION]: how a value is written.
value() {
	printf 'sample\t%s\t%s\tr\tm\t%s\ta=%s\n' "$1" "$1" "$1" "$1" >"$T/in"
	want_status 0 jsonenc "${@:2}" "$T/in" && sed 's/.*"value":\(.*\),"tags".*/\1/' "$T/out"
}

@test "numbers keep their spelling, and are strings if a double cannot hold them" {
	local v
	for v in 0 7 -7 -0 12.50 1e-7 1.5e290 123456789012345 9007199254740992 -9007199254740992 \
		0.1234567890123456 0.30000000000000004 -0.0012345678901234567 1.2345678901234567 \
		0.00000000000000001e-290 0.0; do
		[ "$(value "$v")" = "$v" ] || fail "$v"
		grep -qF "\"time\":$v,\"run\":\"$v\"" "$T/out" || fail "$v"
		grep -qF "\"tags\":{\"a\":\"$v\"}" "$T/out" || fail "$v"
	done
	for v in 9007199254740993 -9007199254740993 10000000000000000 1234567890123456789012 \
		0.123456789012345678 12.3456789012345678 0.000000000000000001e-290; do
		[ "$(value "$v")" = "\"$v\"" ] || fail "$v"
		[ "$(value "$v" --numbers)" = "$v" ] || fail "$v"
		grep -qF "\"time\":$v,\"run\":$v" "$T/out" || fail "$v"
		grep -qF "\"tags\":{\"a\":$v}" "$T/out" || fail "$v"
	done
	for v in 1.5e300 1e400 -1e400 1e-400 1.7976931348623159e308; do
		[ "$(value "$v")" = "\"$v\"" ] || fail "$v"
	done
	for v in nan inf -inf text 0x10 007 -01 +1 1. .5 1e 1e+5 1E5 - 1-2 1e5x; do
		[ "$(value "$v")" = "\"$v\"" ] || fail "$v"
		[ "$(value "$v" --numbers)" = "\"$v\"" ] || fail "$v"
	done
	# the longest number, and a text that is longer
	v=$(printf '1%.0s' {1..4096})
	[ "$(value "$v" --numbers)" = "$v" ]
	[ "$(value "${v}1" --numbers)" = "\"${v}1\"" ]
	[ "$(value .)" = null ]
	[ "$(value '\.')" = '"\\."' ]
}

@test "texts that look like numbers are strings, counts of them are numbers" {
	local tags
	for tags in type=text 'type=text	stat=max' 'stat=mode	type=text'; do
		printf 'agg\t.\t.\t.\tversion\t1.10\t%s\n' "$tags" | jsonenc --no-marks - >"$T/out"
		grep -qF '"value":"1.10",' "$T/out" || fail "$tags"
		printf 'agg\t.\t.\t.\tversion\t1.10\t%s\n' "$tags" | jsonenc --no-marks --numbers - >"$T/out"
		grep -qF '"value":1.10,' "$T/out" || fail "$tags"
	done
	for tags in stat={count,distinct,hist}'	type=text' type=int64 a=text type=string; do
		printf 'agg\t.\t.\t.\tversion\t3\t%s\n' "$tags" | jsonenc --no-marks - >"$T/out"
		grep -qF '"value":3,' "$T/out" || fail "$tags"
	done
}

@test "texts are spelled as in the stream: Python finds each byte" {
	need python3
	cd "$T"
	python3 - >in <<-'EOF'
		import sys
		out = sys.stdout.buffer
		def spell(b):
		    r = b""
		    for i in b:
		        c = bytes([i])
		        r += {b"\\": b"\\\\", b"\t": b"\\t", b"\n": b"\\n", b"\r": b"\\r"}.get(c) or (b"\\x%02x" % i if i < 32 or i > 126 else c)
		    return r
		for i in range(256):
		    for text in bytes([i]) * 3, b"a" * (i % 40) + bytes([i]), "é€😀".encode() + bytes([i]):
		        t = spell(text) if text[:1] != "é".encode()[:1] else "é€😀".encode() + spell(text[9:])
		        out.write(b"sample\t1\t0x1\t%s\tm\t1\tk=%s\ttag.%s=1\n" % (t, t, t.replace(b"=", b"\\x3d")))
	EOF
	want_status 0 jsonenc in
	python3 - >got <<-'EOF'
		import json
		for line in open("out", encoding="utf-8"):
		    o = json.loads(line)
		    key = [k for k in o["tags"] if k != "k"][0]
		    print(*[o["kind"], o["time"], o["run"], o["region"], o["measure"], o["value"], "k=" + o["tags"]["k"],
		            key + "=" + o["tags"][key]], sep="\t")
	EOF
	same in got
	jsondec <out >back
	same in back
}

@test "keys that are there twice, keys without a value" {
	cd "$T"
	{
		printf 'sample\t1\t.\tr\tm\t1\ttag.a=1\ttag.a=.\ttag.b=2\n'
		printf 'sample\t1\t.\tr\tm\t1\ttag.a=1\ttag.b=2\ttag.a=3\tc\tc=\t=x\t\n'
	} >in
	want_status 0 jsonenc in
	sed 's/.*"tags"://' out >got
	printf '%s\n' '{"tag.a":["1",null],"tag.b":"2"}}' \
		'{"tag.a":["1","3"],"tag.b":"2","c":[true,""],"":["x",true]},"order":["tag.a","tag.b","tag.a","c","c","",""]}' >want
	same want got
	jsondec <out >back
	same in back
}

@test "many keys, long keys, and lines of changing keys" {
	cd "$T"
	awk 'BEGIN {
		long = sprintf("%300s", ""); gsub(/ /, "k", long)
		for (i = 0; i < 12000; i++) {
			printf "sample\t%d\t.\tr\tm\t1", i
			for (j = 0; j < i % 9; j++)
				printf "\ttag.%d=%d", (i * 7 + j * j) % 6000, j
			printf i % 1000 ? "\n" : "\t" long "=1\t" long "2=1\n"
		}
		printf "sample\t1\t.\tr\tm\t1"
		for (j = 0; j < 200000; j++) printf "\ttag.%d=", j % 199999
		printf "\n"
	}' >in
	want_status 0 jsonenc in
	jsondec <out >back
	same in back
}

@test "output of damaged input says that it is not complete" {
	cd "$T"
	printf '#afstream\t1\tp\tf\nsample\t1\t.\tr\tm\t1\nsample\t1\n#end\tp\tf\t2\tcomplete\n' >in
	want_status 1 jsonenc in
	tail -n 1 out | grep -qF '{"kind":"#end","words":["jsonenc","-","0","partial"'
	cp out damaged
	want_status 1 jsondec damaged
	cp out stream
	want_status 1 afagg stream
	# marks that say so themselves are enough
	sed -i '/^sample\t1$/d; s/complete/partial\tkilled/' in
	want_status 1 jsonenc in
	[ "$(grep -c '"#end"' out)" -eq 1 ]
	sed -i '/^#end/d' in
	want_status 1 jsonenc in
	[ "$(grep -c '"#end"' out)" -eq 0 ]
}

# bats test_tags=slow
@test "instructions grow with the length of the input, whatever its keys" {
	need valgrind
	cd "$T"
	for n in 20 200; do
		awk -v n="$n" 'BEGIN { for (i = 0; i < n * 50; i++) {
			printf "sample\t1\t.\tr\tm\t1"; for (j = 0; j < 20; j++) printf "\ttag.%d=1", i * j % 7000; print ""
		} }' >"in.$n"
	done
	linear in.20 in.200 jsonenc
}
