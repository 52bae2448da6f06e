#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# hints.bats - a file of the wrong kind: one line that says what it is, and what to put in front.

load lib

setup_file() {
	mkdir -p "$BATS_FILE_TMPDIR/wrong"
	cd "$BATS_FILE_TMPDIR/wrong" || return
	perfdec --no-symbols "$ROOT/t/data/perf/chain.data" >../stream 2>/dev/null || return
	cp "$ROOT/t/data/perf/chain.data" recording
	gzip -c <recording >gzipped && mv gzipped gzip
	printf '\x28\xb5\x2f\xfd rest of it\n' >zstd
	printf '\xfd7zXZ\0 rest of it\n' >xz
	printf 'BZh91AY&SY rest of it\n' >bzip2
	printf '\177ELF\2\1\1 rest of it\n' >elf
	printf '{"a": [1, 2],\n "b": 3}\n' >json
	printf '{"origin": "x", "header": {"type": "time"}, "resources": []}\n' >perun
	printf '{"resource_type_map": {"f#0": {"uid": "f"}}, "resources": {}}\n' >perunmap
	jsonenc ../stream >jsonlines
	sed 's/{"kind":\([^,]*\),\(.*\)}$/{\2, "kind": \1}/' jsonlines >jsonturned
	foldenc ../stream >folded 2>/dev/null
	printf 'burn 16441 [001] 17.803014:     250000 cpu-clock:uhH:  55d0 dot+0x1 (/tmp/burn)\n' >perfscript
	pprofenc ../stream >pprof 2>/dev/null
	gzip -dc pprof >pprofraw
	csvenc ../stream >csv 2>/dev/null
	printf 'name,count\nmain,5\ninit,7\n' >othercsv
	printf '# started on Mon Nov 23 15:00:00 2026\n\n\n Performance counter stats for x:\n' >perfstat
	printf '# To display the perf.data header info, please use --header/--header-only options.\n#\n    50.00%%  burn  main\n' >perfreport
	printf '\211PNG\r\n\032\n' >png
	iconv -f UTF-8 -t UTF-16 <../stream >utf16
	{
		printf '\xfe\xff'
		iconv -f UTF-8 -t UTF-16BE <../stream
	} >utf16big
	{
		printf '\xef\xbb\xbf'
		cat ../stream
	} >bom
	tar -cf tar recording
	traceenc ../stream >trace 2>/dev/null
	flameenc ../stream >page 2>/dev/null
	cp "$ROOT/t/cases/afperf/good/g26_nested_regions.afperf" afperf
	cp "$ROOT/t/data/dcpi/good/g03_manpage_xemacs.dcpi" dcpi
	yes 'some words of a text' | head -n 20 >text
	: >empty
	afagg ../stream >../aggregates
}

setup() {
	cd "$BATS_FILE_TMPDIR/wrong" || return
}

# what FILE: how it is described.
what() {
	case $1 in
	recording) echo 'a recording of perf' ;;
	gzip | zstd | bzip2) echo "a $1 file" ;;
	xz) echo 'an xz file' ;;
	elf) echo 'a program or a library' ;;
	json) echo JSON ;;
	perun | perunmap) echo 'JSON, perhaps a profile of Perun' ;;
	jsonlines) echo 'JSON lines of jsonenc' ;;
	jsonturned) echo 'JSON lines, perhaps of jsonenc' ;;
	folded) echo 'folded stacks' ;;
	perfscript) echo 'text of perf script' ;;
	perfreport) echo 'text that perf printed' ;;
	perfstat) echo 'text of perf stat' ;;
	png) echo 'a PNG picture' ;;
	tar) echo 'a tar archive' ;;
	utf16 | utf16big) echo 'text in UTF-16' ;;
	bom) echo 'text after a byte order mark' ;;
	pprof | pprofraw) echo 'a profile of pprof' ;;
	csv) echo 'the CSV of csvenc' ;;
	othercsv) echo CSV ;;
	trace) echo 'a trace in JSON' ;;
	page) echo 'an HTML page' ;;
	afperf) echo AFPerf ;;
	dcpi) echo 'a DCPI profile' ;;
	esac
}

CSV_TO_LINES="awk -F, 'NR > 1 { print \"sample\\t.\\t.\\t\" \$1 \"\\tlatency\\t\" \$2 }' FILE makes lines of it; "
CSV_TO_LINES+='see afpipe-cookbook(7)'

# says_of_empty PROG: what a decoder says of a file without a byte.
says_of_empty() {
	case $1 in
	perfdec | dcpidec) echo '0x0: empty file' ;;
	afdec) echo 'empty: no header' ;;
	perundec) echo 'empty text' ;;
	jsondec) echo 'empty input' ;;
	esac
}

# front FILE: the command that reads or unpacks it.
front() {
	case $1 in
	recording) echo perfdec ;;
	gzip | zstd | bzip2 | xz) echo "$1 -dc" ;;
	tar) echo 'tar -xOf' ;;
	bom) echo 'tail -c +4' ;;
	utf16 | utf16big) echo 'iconv -f UTF-16 -t UTF-8' ;;
	perun | perunmap) echo perundec ;;
	jsonlines | jsonturned) echo jsondec ;;
	afperf) echo afdec ;;
	dcpi) echo dcpidec ;;
	esac
}


@test "a file of another kind, given to a program that reads streams: one line" {
	local prog file line n=0 options
	for prog in afagg afcut afdiff afdur afenc afpair afsel afsym aftab aftop csvenc dcpienc flameenc foldenc \
		jsonenc perunenc perunquery pprofenc traceenc; do
		options=
		case $prog in
		afcut) options=region ;;
		afdiff) options='--before ../aggregates' ;;
		afpair) options='--sched' ;;
		afsel) options='--where region=x' ;;
		perunquery) options=frame ;;
		esac
		for file in *; do
			if [ "$file" = text ]; then
				line='this is not a stream: its lines do not have six columns'
			elif [ "$file" = empty ]; then
				line='empty input'
			elif [ "$file" = perfstat ]; then
				line="this is $(what "$file"), not a stream: perfdec reads what 'perf stat record' makes"
			elif [ "$file" = json ]; then
				line='this is JSON, not a stream: perundec reads profiles of Perun, and jsondec JSON lines of jsonenc'
			elif [ "$file" = othercsv ]; then
				line="this is CSV, not a stream: $CSV_TO_LINES"
			elif [ "$file" = folded ]; then
				line='this is folded stacks, not a stream: a line of awk in afpipe-cookbook(7) makes lines of it'
			elif [ -z "$(front "$file")" ]; then
				line="this is $(what "$file"), not a stream"
			else
				line="this is $(what "$file"), not a stream: put '$(front "$file") FILE |' in front"
			fi
			status=0
			# shellcheck disable=SC2086 # words
			$prog $options "$file" >"$T/out" 2>"$T/err" || status=$?
			[ $status -eq 1 ] || fail "$prog $file: status $status"
			echo "$prog: $file: $line" >"$T/want"
			same "$T/want" "$T/err" || fail "$prog $file"
			n=$((n + 1))
			# also from standard input
			[ -n "${AFPIPE_SLOW-}" ] || [ "$file" = recording ] || continue
			status=0
			# shellcheck disable=SC2086 # words
			$prog $options <"$file" >"$T/out" 2>"$T/err" || status=$?
			[ $status -eq 1 ] || fail "$prog <$file: status $status"
			echo "$prog: -: $line" >"$T/want"
			same "$T/want" "$T/err" || fail "$prog <$file"
		done
	done
	[ $n -ge 475 ] || fail "only $n"
}

# judged PROG TEXT MESSAGE...: what the program says of the text.
judged() {
	local prog=$1 text=$2
	shift 2
	printf %b "$text" >"$T/in"
	want_status 1 "$prog" "$T/in"
	printf "$prog: $T/in:%s\n" "$@" >"$T/want"
	same "$T/want" "$T/err"
}

@test "CSV is two whole lines with as many commas and no TABs" {
	local few='1: 1 column, not 6 or more: output of another program in the stream?'
	local csv=" this is CSV, not a stream: $CSV_TO_LINES"
	judged afagg 'a,b\n1,2\n' "$csv"
	judged afagg 'a,b\n1,2\n3\n' "$csv"
	judged perundec 'a,b\n1,2\n' ' this is CSV, not a Perun profile'
	judged afagg 'a;b 5\n' ' this is folded stacks, not a stream: a line of awk in afpipe-cookbook(7) makes lines of it'
	judged afagg 'a,b\n1,2' "$few" '2: no newline at the end: the line is cut'
	judged afagg 'a,b\n' "$few"
	judged afagg 'a,b' '1: no newline at the end: the line is cut'
	judged afagg 'a,b\n1,2,3\n' "$few" "2${few#1}"
	judged afagg 'a\tb,c\n1,2\n' '1: 2 columns, not 6 or more' "2${few#1}"
	judged afagg 'ab\ncd\n' "$few" "2${few#1}"
}

@test "a profile of pprof begins with its first sample type" {
	local text
	for text in '\n\x02\x08\x01\x10' '\n\x13\x08\x01\x10'; do
		judged perfdec "$text" ' this is a profile of pprof, not a recording'
	done
	for text in '\n\x01\x08\x01\x10' '\n\x14\x08\x01\x10' '\n\x05\x09\x01\x10' 'a\x05\x08\x01\x10' \
		'\n\x05\x08\x01'; do
		printf %b "$text" >"$T/in"
		want_status 1 perfdec "$T/in"
		[ "$(grep -c pprof "$T/err")" -eq 0 ] || fail "$text"
	done
}

@test "JSON whose first line has no end, or a kind, may be that of jsonenc" {
	local few='this is JSON, not JSON lines of jsonenc: each line must be an object with a "kind", as in jsonenc(1)'
	judged jsondec '{"a":1}' \
		'1: unknown member a: an event has kind, time, run, region, measure and value, and anything else in tags'
	judged jsondec '{"kind":"run","time":1}\n{"time":1,"tags":{"a":"b"}}\n' \
		'2: an object without a "kind", which says what the line is, such as "kind":"sample"'
	judged jsondec '{"a":1}\n' " $few"
	judged jsondec '{"kind":"sample",\n"a":1}\n' '1: column 18: the text ends, expected a name in double quotes' \
		'2: not an object'
	judged jsondec '{"a":1,\n"kind":1}\n' " $few"
}

@test "a file of another kind, given to a decoder: one line" {
	local prog file line own wanted
	for prog in perfdec afdec dcpidec perundec jsondec; do
		case $prog in
		perfdec) own=recording wanted='a recording' ;;
		afdec) own=afperf wanted=AFPerf ;;
		dcpidec) own=dcpi wanted='a DCPI profile' ;;
		perundec) own=perun wanted='a Perun profile' ;;
		jsondec) own=jsonlines wanted='JSON lines of jsonenc' ;;
		esac
		for file in *; do
			case $prog-$file in
			*-"$own" | dcpidec-bom | afdec-othercsv | jsondec-jsonturned | perundec-perunmap) continue ;;
			jsondec-text) ;;
			*-text) continue ;;
			esac
			case $prog-$(front "$file") in
			*-) line="this is $(what "$file"), not $wanted" ;;
			*' '*) line="this is $(what "$file"), not $wanted: put '$(front "$file") FILE |' in front" ;;
			*) line="this is $(what "$file"), not $wanted: $(front "$file") reads it" ;;
			esac
			case $prog-$file in
			*-perfstat) line+=": perfdec reads what 'perf stat record' makes" ;;
			*-empty) line=$(says_of_empty "$prog") ;;
			jsondec-json) line+=': each line must be an object with a "kind", as in jsonenc(1)' ;;
			jsondec-text) line="this is not $wanted: no line begins with '{'" ;;
			afdec-bom) line='1: byte order mark before the header' ;;
			afdec-utf16*) line='1: not an AFPerf file: is it UTF-16?' ;;
			perundec-json)
				line='this is JSON, but not a Perun profile: it has none of origin, header, collector_info,'
				line+=' postprocessors, resources, snapshots, global and models'
				;;
			esac
			status=0
			$prog "$file" >"$T/out" 2>"$T/err" || status=$?
			[ $status -eq 1 ] || fail "$prog $file: status $status"
			echo "$prog: $file: $line" | sed 's/: 1: /:1: /' >"$T/want"
			same "$T/want" "$T/err" || fail "$prog $file"
			# also from standard input, and from a pipe
			status=0
			$prog <"$file" >"$T/out" 2>"$T/err" || status=$?
			[ $status -eq 1 ] || fail "$prog <$file: status $status"
			sed "s/^$prog: $file:/$prog: -:/" "$T/want" >"$T/want2"
			same "$T/want2" "$T/err" || fail "$prog <$file"
			status=0
			$prog <(cat "$file") 2>"$T/err" >"$T/out" || status=$?
			[ $status -eq 1 ] || fail "cat $file | $prog: status $status"
			sed "s/^$prog: [^:]*: 0x0: this/$prog: -: this/; s/^$prog: [^:]*:/$prog: -:/" "$T/err" >"$T/got"
			same "$T/want2" "$T/got" || fail "cat $file | $prog"
		done
		want_status 1 $prog ../stream
		echo "$prog: ../stream: this is a stream, not $wanted" >"$T/want"
		same "$T/want" "$T/err"
	done
}

@test "the command that is put in front works" {
	local file hint n=0
	mkdir "$T/packed"
	cd "$T/packed"
	cp "$BATS_FILE_TMPDIR"/wrong/{recording,perun,jsonlines,jsonturned,afperf,dcpi,utf16} .
	for file in gzip zstd xz bzip2; do
		! command -v "$file" >/dev/null || "$file" -c "$BATS_FILE_TMPDIR/stream" >"in.$file"
	done
	tar -C "$BATS_FILE_TMPDIR" -cf tar stream
	for file in *; do
		afcut region "$file" 2>"$T/err" >/dev/null || :
		hint=$(sed -n "s/.*: put '\(.*\) |' in front$/\1/p" "$T/err")
		[ -n "$hint" ] || fail "$file: $(cat "$T/err")"
		want_status 0 bash -o pipefail -c "${hint/FILE/$file} | afcut --no-marks kind,region" || fail "$file: $hint"
		[ "$(wc -l <"$T/out")" -ge 3 ] || fail "$file: $hint: $(cat "$T/out")"
		n=$((n + 1))
	done
	[ $n -ge 8 ]
}

@test "every program is in these lists" {
	local f
	for f in "$ROOT"/filters/*.c; do
		f=${f##*/}
		grep -qE "^	(for prog in|	).*\b${f%.c}\b" "$ROOT/t/hints.bats" || fail "${f%.c}"
	done
}

@test "a stream with a damaged beginning is still read" {
	{ printf 'not a line\n'; grep -v '^#' ../stream; } >"$T/in"
	want_status 1 afcut region "$T/in"
	said ':1: 1 column, not 6 or more: output of another program in the stream?'
	{ printf 'two\tcolumns\n'; grep -v '^#' ../stream; } >"$T/in"
	want_status 1 afcut region "$T/in"
	grep -qx 'afcut: .*:1: 2 columns, not 6 or more' "$T/err"
	[ "$(wc -l <"$T/out")" -gt 5 ]
}

@test "the writer of a named pipe is not disturbed" {
	mkfifo "$T/pipe"
	cat recording >"$T/pipe" &
	want_status 0 perfdec --no-symbols --no-spool "$T/pipe"
	wait $!
}

@test "what follows a bad first line is a stream if one of its lines has six columns" {
	local few='5 columns, not 6 or more' one='sample\t1\tr\tf\tm' none=' this is not a stream: its lines do not have six columns'
	judged afagg "$one\n$one\n$one\n$one\n$one\n" "$none"
	judged afagg "$one\n$one\n$one\n$one\n" "1: $few" "2: $few" "3: $few" "4: $few"
	judged afagg "$one\n$one\n$one\n$one\n$one\t7\n" "1: $few" "2: $few" "3: $few" "4: $few"
	[ "$(unmarked "$T/out" | cut -f 5,6,7 | paste -s -d " ")" = "m	1	stat=count m	7	stat=sum" ]
	judged afagg "$one\n$one\t7\n$one\t8\n$one\t9\n$one\t1\n" "1: $few"
	judged afagg "$one\n$one\t7\n$one\t8\tpid=1\n$one\t9\n$one\t1\n" "1: $few"
}

@test "names that are too long, or like others in their ends alone, are not suggested" {
	local long
	cd "$T"
	long=$(printf '%065d' 0 | tr 0 a)
	{
		event run 1 . . . "$long=1" y=2 abc.q=1
		event sample 1 f cycles:b 1 stack=f dso=q
		event sample 1 f cycles:a 1 stack=f
		event sample 1 f cycles:c 1 stack=f
	} >in
	want_status 1 afcut run.x in
	echo "afcut: no run line has 'x' ('run.x?' allows that; tags: abc.q, y)" | same - err
	want_status 1 afcut "run.${long}b" in
	echo "afcut: no run line has '${long:0:64}' ('run.${long:0:60}?' allows that; tags: abc.q, y)" | same - err
	want_status 1 afcut q in
	echo "afcut: no line has 'q' ('q?' allows that; tags: abc.q, dso, stack, y)" | same - err
	# of the measures that begin with the text, the first in bytewise order
	want_status 1 foldenc --measure cyc in
	said 'foldenc: no line has a value of the measure cyc; did you mean cycles:a?'
	want_status 1 foldenc --measure "$long" in
	head -n 1 err >first
	echo "foldenc: no line has a value of the measure ${long:0:64}" | same - first
}

@test "times of perf script, and JSON with the words of several formats" {
	local line
	cd "$T"
	for line in 'comm 1 [000] 5.123456789: 1 cycles: ff' 'comm 1 5.123456: cycles: ff'; do
		echo "$line" >in
		want_status 1 afcut region in
		echo 'afcut: in: this is text of perf script, not a stream' | same - err
	done
	for line in 'comm 1 5.123456:' 'comm 1 5.1234567: cycles: ff' 'comm 1 5.123456: cycles'; do
		echo "$line" >in
		want_status 1 afcut region in
		said 'afcut: in:1: 1 column, not 6 or more'
	done
	printf '{"origin":\n "kind":1}\n' >in
	want_status 1 afcut region in
	echo 'afcut: in: this is JSON, not a stream: perundec reads profiles of Perun, and jsondec JSON lines of jsonenc' |
		same - err
	printf '{"origin":\n "kond":1}\n' >in
	want_status 1 afcut region in
	echo "afcut: in: this is JSON, perhaps a profile of Perun, not a stream: put 'perundec FILE |' in front" | same - err
}
