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
		'{"kind":"\u0078","run":"\u00e9","region":"\ud83d\ude00\/","order":[]}'
	printf 'sample\t.\t.\t.\t.\t1e2\ta=1\tb=.\nx\t12\t7\t1.50\t.\t1e22\nx\t.\té\t😀/\t.\t.\n' >want
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
		{"kind":"x","region":""}
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
		{"kind":"x","tags":{"a":"1","b":"2"},"order":["a","a","b"]}
		{"kind":"x","tags":{"a":"1"},"order":["\\"]}
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
		{"kind":"#x","words":[],"tags":{}}
		{"kind":"#x","words":[],"order":[]}
		{"kind":"x","tags":{},"tags":{}}
		{"kind":"x","order":[],"tags":{"a":"1"},"order":[]}
		{"kind":"x"} "
		{"words":[]}
	EOF
}

@test "lines that are no JSON: each is named if there are few, and a longer input is of another kind" {
	cd "$T"
	printf 'a\nb\nc\nd' >in
	want_status 1 jsondec in
	printf 'jsondec: in:%d: column 1: expected a value\n' 1 2 3 4 | same - err
	echo >>in
	want_status 1 jsondec in
	said "in: this is not JSON lines of jsonenc: no line begins with '{'"
}

@test "a last line without its LF" {
	local last
	cd "$T"
	for last in '{"kind":"sample","time":2}' '{"kind":"sample","time":2} ' $'{"kind":"sample","time":2}\n ' \
		$'{"kind":"sample","time":2}\n'; do
		printf '{"kind":"sample","time":1}\n%s' "$last" >json
		want_status 0 jsondec json
		silent
		want 'sample 1 . . . .
sample 2 . . . .'
	done
	printf '{"kind":"sample","time":1}\n{"kind":"sample"' >json
	want_status 1 jsondec json
	want 'sample 1 . . . .'
	echo 'jsondec: json:2: column 17: the text ends, expected a comma or }' | same err -
	printf '{"kind":"sample","time":2}' >json
	want_status 0 jsondec json
	silent
	want 'sample 2 . . . .'
}

@test "times that are missing, and those that are none, in lines with and without other columns" {
	cd "$T"
	printf '{"kind":"sample",%s}\n' '"run":"r"' '"time":"x"' '"time":"x","run":"r"' '"time":null,"run":"r"' \
		'"time":-1' '"time":7' '"value":1' >json
	want_status 0 jsondec json
	want 'sample . r . . .
sample x . . . .
sample x r . . .
sample . r . . .
sample -1 . . . .
sample 7 . . . .
sample . . . . 1'
	printf 'jsondec: json:%d: a time that is not a number of nanoseconds\n' 2 3 5 | same err -
}

@test "what the reader accepts comes back, and what no writer should write is a doubt" {
	cd "$T"
	{
		event sample 1 f m 1
		for time in soon 1.5 -1 1e3 '\.' 18446744073709551616; do
			event sample "$time" f m 1
		done
		event sample 2 f m 1 =x '' a
		event sample 2 f m 1 ''
		event sample 2 f m 1 a=. a=
	} >in
	back in
	want_status 0 jsondec json
	same in out
	[ "$(grep -c 'json:[2-6]: a time that is not a number of nanoseconds$' err)" -eq 5 ]
	said 'json:8: a tag whose key is empty'
	said 'json:10: a tag whose value is empty; a missing value is null'
	[ "$(grep -c . err)" -eq 7 ]
	want_status 1 jsondec --strict json
	tail -n 1 out | grep -q '^#end.*partial'
}

@test "a tag of the stream's own that is there twice is a doubt" {
	cd "$T"
	local line
	for line in '{"kind":"sample","measure":"t","value":3,"tags":{"unit":"ms","unit":"s"}}' \
		'{"kind":"sample","measure":"t","value":3,"tags":{"unit":["ms","s"]}}' \
		'{"kind":"sample","measure":"t","value":3,"tags":{"a":"1","cpu":"0","b":"2","a":"3"}}'; do
		echo "$line" >json
		want_status 0 jsondec json
		said 'jsondec: json:1: a tag that is there twice, of which the first one counts'
		want_status 1 jsondec --strict json
	done
	# on a line of many tags; it is written as it came
	line=$(printf '"k%s":"1",' {1..60})
	echo "{\"kind\":\"sample\",\"tags\":{$line\"k30\":\"2\"}}" >json
	want_status 0 jsondec json
	said 'jsondec: json:1: a tag that is there twice, of which the first one counts'
	(printf 'sample\t.\t.\t.\t.\t.' && printf '\tk%s=1' {1..60} && printf '\tk30=2\n') >want
	grep '^sample' out >got
	same want got
	echo "{\"kind\":\"sample\",\"tags\":{$line\"p.q\":[\"2\",\"3\"]}}" >json
	want_status 0 jsondec json
	silent
	# keys of the source or of the run, and others that look like each other
	for line in '{"kind":"sample","tags":{"tag.a":["1","2"],"tp.x":["1","1"],"p.q":["a","b"]}}' \
		'{"kind":"sample","tags":{"run.tag.a":["1","2"],"run.host":"x","b":"1","run.host":"y"}}' \
		'{"kind":"sample","tags":{"abc":"1","adc":"2","aec":"3","xc":"4","cx":"5"}}'; do
		echo "$line" >json
		want_status 0 jsondec json
		silent
	done
}

@test "a kind that no line can have is a doubt, since no program uses the line" {
	local kind
	cd "$T"
	for kind in null '"."' 12 '"Sample"' '"1st"' '"_a"' '"a-b"' '"\u00e9"'; do
		echo "{\"kind\":$kind,\"value\":1}" >json
		want_status 0 jsondec json
		echo 'jsondec: json:1: a kind that is not a word in lower case, such as "kind":"sample"' | same err -
		want_status 1 jsondec --strict json
	done
	for kind in sample a a_1 z9_; do
		echo "{\"kind\":\"$kind\"}" >json
		want_status 0 jsondec --strict json
		silent
	done
}

@test "lines of a version that is not known are refused, until the input ends" {
	cd "$T"
	printf '#afstream\t1\tp\tf\nsample\t1\t.\tr\tm\t1\n#end\tp\tf\t1\tcomplete\n' >good
	printf '#afstream\t2\tp\tf\nsample\t1\t.\tr\tm\tnew\n#end\tp\tf\t1\tcomplete\n' >new
	jsonenc good >good.json
	sed 's/\["1",/["2",/; s/"value":1/"value":"new"/' good.json >new.json
	want_status 1 jsondec new.json good.json
	said 'new.json:1: stream version 2, not 1'
	head -n -1 out >got
	same good got
	tail -n 1 out | grep -q '^#end.*partial'
	want_status 1 jsonenc new good
	said 'new:1: stream version 2, not 1'
	head -n -1 out >got
	same good.json got
	cp out json
	want_status 1 jsondec json
}

# bats test_tags=slow,sanitize
@test "the longest lines come back: JSON needs up to eight bytes for one" {
	need python3
	cd "$T"
	python3 - <<-'EOF'
		head = b"sample\t1\t.\tr\tm\t"
		most = 1 << 24
		open("quotes", "wb").write(head + b'"' * (most - len(head)) + b"\n")
		open("digits", "wb").write(head + b"7" * (most - len(head)) + b"\n")
		open("comment", "wb").write(b"#" + b"\t" * (most - 1) + b"\n")
		# a part of that, since each empty tag takes a hundred bytes of memory
		open("tags", "wb").write(head + b"1" + b"\t" * (most // 8) + b"\ta" + b"\t" * (most // 8) + b"\n")
	EOF
	for file in quotes digits comment tags; do
		back $file
	done
	[ "$(wc -c <json)" -gt $((8 << 22)) ]
}

@test "a line that is too long is refused once, and reading continues; blank lines are nothing" {
	cd "$T"
	# 145 MiB, which is more than the longest line of a stream can need
	{
		printf '{"kind":"a"}\n \t\r\n\r\n\n'
		head -c 152043520 /dev/zero | tr '\0' x
		printf '\n{"kind":"b"}\n \t'
	} >in
	want_status 1 jsondec in
	echo 'jsondec: in:5: a line longer than 144 MiB' >want.err
	same want.err err
	printf 'a\t.\t.\t.\t.\t.\nb\t.\t.\t.\t.\t.\n#end\tjsondec\tin\t0\tpartial\tinput incomplete or refused\n' >want
	same want out
	# it may also be the last one, without an end
	head -n 5 in | head -c -1 >last
	want_status 1 jsondec last
	[ "$(cat err)" = 'jsondec: last:5: a line longer than 144 MiB' ]
}

@test "the longest line, and one that is a byte longer: the same from a file and from a pipe" {
	cd "$T"
	{
		printf '{"kind":"a"}'
		head -c 150994932 /dev/zero | tr '\0' ' '
		printf '\n{"kind":"b"}'
		head -c 150994933 /dev/zero | tr '\0' ' '
		printf '\n{"kind":"c"}\n'
	} >in
	head -n 2 in | head -c -1 >last
	printf 'a\t.\t.\t.\t.\t.\n' >want
	want_status 1 jsondec last
	[ "$(cat err)" = 'jsondec: last:2: a line longer than 144 MiB' ]
	grep -v '^#' out | same want -
	printf 'c\t.\t.\t.\t.\t.\n' >>want
	want_status 1 jsondec in
	[ "$(cat err)" = 'jsondec: in:2: a line longer than 144 MiB' ]
	grep -v '^#' out | same want -
	want_status 1 jsondec < <(dd bs=65537 if=in status=none)
	[ "$(cat err)" = 'jsondec: -:2: a line longer than 144 MiB' ]
	grep -v '^#' out | same want -
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

@test "--no-marks: marks say nothing, and are left out" {
	cd "$T"
	{
		printf '#afstream\t1\ttest\tx\n# a comment\n'
		event sample 1 f cycles 5
	} | jsonenc --no-marks >cut.jsonl 2>/dev/null || :
	printf '{"kind":"#afstream","words":["1","test","x"]}\n{"kind":"sample","time":1,"run":"0x1","region":"f","measure":"m","value":5}\n' >in
	want_status 1 jsondec in
	said 'no end mark of test x'
	want_status 0 jsondec --no-marks in
	silent
	event sample 1 f m 5 >want
	same want "$T/out"
	{
		cat in
		printf '{"kind":"#end","words":["test","x","9","partial","why"]}\n{"kind":"#note","words":["kept"]}\n'
	} >in2
	want_status 0 jsondec --no-marks in2
	silent
	printf '#note\tkept\n' >>want
	same want "$T/out"
	# what is damaged is still said so, in a mark that is all there is
	echo '{' >>in2
	want_status 1 jsondec --no-marks in2
	grep -q '^#end	jsondec	in2	.*	partial	input incomplete or refused$' "$T/out"
}

@test "--whole counts lines, wants marks, and finds runs that come twice" {
	cd "$T"
	{
		printf '#afstream\t1\ttest\tx\n'
		printf 'run\t1\t0x1\t.\t.\t.\tunit=ns\n'
		event sample 1 f m 5
		event sample 2 f m 6
		printf '#end\ttest\tx\t3\tcomplete\n'
	} >stream
	jsonenc stream >whole
	want_status 0 jsondec --whole whole
	silent
	same stream "$T/out"
	sed 3d whole >short
	want_status 0 jsondec short
	want_status 1 jsondec --whole short
	said 'jsondec: short:4: lines of test x: 3 according to the end mark, 2 here'
	grep -v '"#' whole >bare
	want_status 0 jsondec bare
	want_status 1 jsondec --whole bare
	said 'jsondec: bare: no marks: cannot tell whether it is complete'
	want_status 0 jsondec whole whole
	want_status 1 jsondec --whole whole whole
	said 'jsondec: whole:2: run 0x1 also came from another source: is it counted twice?'
	want_status 2 jsondec --whole --no-marks whole
	said 'jsondec: --whole and --no-marks exclude each other'
}

@test "--strict: doubtful data that end marks report, and runs that come twice, are errors" {
	local word

	cd "$T"
	stream() {
		lines <<-EOF
		#afstream 1 x y
		run . 0x1 . . .
		#end x y 1 complete lost=1 late=1 $1
		EOF
	}
	for word in unterminated incomplete cut_stacks left_out twice unpaired; do
		stream $word=7 >marked
		jsonenc marked >json 2>/dev/null
		want_status 0 jsondec json
		silent
		same marked out
		want_status 1 jsondec --strict json
		[ "$(grep -c ': 7$' err)" -eq 1 ]
		grep -q '^#end	x	y	1	complete	.*=7$' out
		grep -q '^#end	jsondec	json	.*	partial	input incomplete or refused$' out
		want_status 0 jsondec --strict --no-marks json
		silent
	done
	stream lost=2 | jsonenc >json 2>/dev/null
	want_status 0 jsondec --strict json
	silent
	want_status 0 jsondec json json
	silent
	want_status 1 jsondec --strict json json
	same - err <<-'EOF'
	jsondec: json:2: run 0x1 also came from another source: is it counted twice? (several runs with one id: see afpipe-cookbook(7))
	EOF
	want_status 1 jsondec --strict --no-marks json json
}

@test "--whole: after a stream of another version, that is all that is said" {
	cd "$T"
	printf '{"kind":"sample","value":1}\n{"kind":"#afstream","words":["2","x","y"]}\n{"kind":"sample"}\n' >in
	want_status 1 jsondec --whole in
	echo 'jsondec: in:2: stream version 2, not 1' | same - err
	printf 'sample\t.\t.\t.\t.\t1\n#end\tjsondec\tin\t0\tpartial\tinput incomplete or refused\n' | same - out
}
