# SPDX-License-Identifier: ISC
# jsondec.bats - JSON lines back to a stream.

load lib

# back FILE: the stream comes back byte for byte, with both spellings of numbers.
back() {
	local option
	for option in '' --numbers; do
		# shellcheck disable=SC2086 # none, or a word
		jsonenc $option "$1" >"$T/json" 2>"$T/err" || :
		jsondec "$T/json" >"$T/stream" 2>"$T/err" || :
		cmp -s "$1" "$T/stream" || fail "$1 $option" || return
	done
}

# bats test_tags=quick
@test "every stream of the tests comes back byte for byte" {
	local file n=0
	while read -r file; do
		back "$file" || return
		n=$((n + 1))
	done < <(find "$ROOT/t" -name '*.ev' -o -path '*/fuzz/corpus/evread/*' -type f | sort | grep '[.]ev$')
	[ "$n" -ge 35 ] || fail "$n"
}

@test "corpus: every stream of the collection comes back byte for byte" {
	[ -n "${AFPIPE_CORPUS-}" ] || skip "AFPIPE_CORPUS names no collection"
	need zstd
	cd "$T"
	local file n=0
	tar --zstd -xf "$AFPIPE_CORPUS/perf/recordings.tar.zst"
	for file in "$AFPIPE_CORPUS"/perf/files/* recordings/local/*; do
		perfdec --no-symbols --all "$file" >in 2>err || :
		[ "$(wc -l <in)" -gt 2 ] || continue
		back in || fail "$file" || return
		n=$((n + 1))
	done
	for file in "$AFPIPE_CORPUS"/perun/*/*.perf; do
		[ -f "$file" ] || continue
		perundec "$file" >in 2>err || :
		back in || fail "$file" || return
		n=$((n + 1))
	done
	[ "$n" -ge 50 ] || fail "$n"
}

# made LINE...: the stream of these lines of JSON.
made() {
	printf '%s\n' "$@" >"$T/in"
	want_status 0 jsondec "$T/in"
}

@test "members in any order, missing ones, white space, numbers of other writers" {
	cd "$T"
	made ' { "tags" : {"a":1,"b":null,"c":[]} , "value":1E+2,"kind":"sample"} ' '' \
		'{"kind":"x","time":12,"run":7,"region":1.50,"measure":null,"value":1e+22,"tags":null}' \
		'{"kind":"\u0078\u00e9","region":"\ud83d\ude00\/","order":[]}'
	printf 'sample\t.\t.\t.\t.\t1e2\ta=1\tb=.\nx\t12\t7\t1.50\t.\t1e22\nxé\t.\t.\t😀/\t.\t.\n' >want
	same want out
	silent
}

@test "what is not a line of a stream is refused, and reading continues" {
	local line
	cd "$T"
	while read -r line; do
		printf '{"kind":"a"}\n%s\n{"kind":"b"}\n' "$line" >in
		want_status 1 jsondec in || return
		said "jsondec: in:2: " || fail "$line" || return
		printf 'a\t.\t.\t.\t.\t.\nb\t.\t.\t.\t.\t.\n#end\tjsondec\tin\t0\tpartial\tinput incomplete or refused\n' >want
		same want out || fail "$line" || return
	done <<-'EOF'
		{}
		[]
		7
		"x"
		null
		{"kind":"x"
		{"kind":"x"}}
		{"kind":"x"} {"kind":"y"}
		{"kind":"x"},
		{"time":1}
		{"kind":""}
		{"kind":"x","kind":"y"}
		{"kind":"x","foo":1}
		{"kind":"x","time":-1}
		{"kind":"x","time":1.5}
		{"kind":"x","time":"soon"}
		{"kind":["x"]}
		{"kind":true}
		{"kind":NaN}
		{"kind":"x","tags":[]}
		{"kind":"x","tags":{"a":{}}}
		{"kind":"x","tags":{"a":[[]]}}
		{"kind":"x","tags":{"a":false}}
		{"kind":"x","tags":{"a=b":"1"}}
		{"kind":"x","tags":{"a":"1"},"order":[]}
		{"kind":"x","tags":{"a":"1"},"order":["b"]}
		{"kind":"x","tags":{"a":"1"},"order":["a","a"]}
		{"kind":"x","tags":{"a":["1","2"]},"order":["a"]}
		{"kind":"x","order":["a"]}
		{"kind":"x","order":{"a":1}}
		{"kind":"x","tags":{"a":"1"},"order":[1]}
		{"kind":"x\ty"}
		{"kind":"x\n#end"}
		{"kind":"x","region":"\\"}
		{"kind":"x","region":"\\q"}
		{"kind":"x","region":"\\x41"}
		{"kind":"x","region":"\ud800"}
		{"kind":"x","region":"\u202e"}
		{"kind":"x","region":"\u0000"}
		{"kind":"x","tags":{"a\tb":"1"}}
		{"kind":"#x"}
		{"kind":"x","words":[]}
		{"kind":"#x","words":"y"}
		{"kind":"#x","words":["a\nb"]}
		{"kind":"#x","words":["a\tb"]}
		{"kind":"#x","words":[1]}
		{"kind":"#x","words":[],"time":1}
		{"words":[]}
	EOF
}

@test "deep and long JSON" {
	need python3
	cd "$T"
	python3 - <<-'EOF'
		open("in", "w").write('{"kind":"x","tags":' + '{"a":' * 2000000 + "\n" + '{"kind":"' + "x" * (17 << 20) + '"}\n' +
		    "[" * 100000 + "\n" + '{"kind":"' + "y" * (3 << 20) + '"}\n')
	EOF
	want_status 1 jsondec in
	grep -o 'in:[0-9]*:' err >got
	printf 'in:1:\nin:2:\nin:3:\n' >want
	same want got
	[ "$(head -n 1 out | wc -c)" -eq $(((3 << 20) + 11)) ]
}

@test "marks: an end that is missing, a partial end, no marks" {
	cd "$T"
	printf '#afstream\t1\tp\tf\nsample\t1\t.\tr\tm\t1\n#end\tp\tf\t1\tcomplete\n' >stream
	jsonenc stream >in
	want_status 0 jsondec in
	same stream out
	head -n 2 in >short
	want_status 1 jsondec short
	said 'end mark'
	head -n 2 stream >want
	same want out
	sed 's/"complete"/"partial","killed"/' in >partial
	want_status 1 jsondec partial
	[ "$(grep -c '^#end' out)" -eq 1 ]
	grep -v '#' in >plain
	want_status 0 jsondec plain
	# marks may be in different files
	head -n 1 in >a
	tail -n +2 in >b
	want_status 0 jsondec a b
	same stream out
}

@test "fuzz: streams and JSON" {
	helpers fuzz-jsonl
	cd "$T"
	want_status 0 fuzz-jsonl "$ROOT"/t/fuzz/corpus/jsonl/*
	want_status 0 fuzz-jsonl --each "$ROOT"/t/fuzz/corpus/jsonl/small.json
	want_status 0 fuzz-jsonl --prefixes 1 "$ROOT"/t/fuzz/corpus/jsonl/*
	want_status 0 fuzz-jsonl --flips 3000 1 "$ROOT"/t/fuzz/corpus/jsonl/*
}

@test "E and + are removed from numbers, and no digit is lost" {
	cd "$T"
	printf '{"kind":"sample","value":%s}\n' 1E400 123456789012345678901E+2 -2.50e+07 1.0E-3 >in
	want_status 0 jsondec in
	[ "$(cut -f 6 out | tr '\n' ' ')" = "1e400 123456789012345678901e2 -2.50e07 1.0e-3 " ] || fail "$(cat out)"
}
