# SPDX-License-Identifier: ISC
# afcut.bats - columns and tags as plain text; and share/afstream.awk, which does it in awk.

load lib

AWK=$BATS_TEST_DIRNAME/../share/afstream.awk

setup() {
	{
		printf '#afstream\t1\ttest\tx\n'
		printf 'run\t5\t0x1\t.\t.\t.\tapp=a\n'
		printf 'sample\t6\t0x1\tin ner\tm\t1\tcomm=a\\tb\tcpu=0\ttag.k\\x3d=v=w\n'
		printf 'sample\t7\t0x1\t\\.\tm\t2\tcomm=\\xff\\\\n\tcpux=3\tcpu=1\tcpu=2\n'
		printf 'agg\t8\t0x1\t.\tm\t3\tstat=sum\tcpu=\\.\n'
		printf '#end\ttest\tx\t4\tcomplete\n'
	} >"$T/in"
}

# bats test_tags=quick
@test "columns and tags, in the order of the keys" {
	want_status 0 afcut 'value,cpu,region,kind,tag.k\x3d' "$T/in"
	silent
	printf '%s\t%s\t%s\t%s\t%s\n' . . . run . 1 0 'in ner' sample v=w 2 1 '\.' sample . 3 '\.' . agg . >"$T/want"
	same "$T/want" "$T/out"
}

@test "a kind that does not exist is an error, one that no line has is not" {
	want_status 1 afcut --kind smaple,measure region "$T/in"
	said "afcut: no line is of kind 'smaple'"
	want_status 0 afcut --kind lost region "$T/in"
	silent
}

@test "--kind and --header" {
	want_status 0 afcut --header --kind sample,agg time,comm "$T/in"
	printf '%s\t%s\n' time comm 6 'a\tb' 7 '\xff\\n' 8 . >"$T/want"
	same "$T/want" "$T/out"
}

@test "lines about others that have none of the keys are left out, unless --kind names them" {
	{
		printf 'run\t5\t0x1\t.\t.\t.\tapp=a\n'
		printf 'measure\t.\t0x1\t.\tm\t.\tunit=ns\n'
		printf 'sample\t6\t0x1\tf\tm\t1\tpid=1\ttid=1\tcomm=a\tunit=ns\n'
		printf 'sample\t7\t0x1\t.\tm\t1\n'
		printf 'lost\t8\t0x1\t.\t.\t3\n'
		printf 'new_kind\t9\t0x1\t.\t.\t3\n'
	} >"$T/lines"
	want_status 0 afcut region,comm "$T/lines"
	echo 'afcut: rows of several kinds, which only the column kind tells apart (see --kind): 2 sample, 1 new_kind' >"$T/want"
	same "$T/want" "$T/err"
	printf '%s\t%s\n' f a . . . . >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afcut comm,unit "$T/lines"
	printf '%s\t%s\n' . ns a ns . . . . >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afcut value,comm "$T/lines"
	printf '%s\t%s\n' 1 a 1 . 3 . 3 . >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afcut time,run,region "$T/lines"
	printf '%s\t0x1\t%s\n' 6 f 7 . 9 . >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afcut pcomm "$T/lines"
	printf '%s\n' a . . >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afcut --raw region,comm "$T/lines"
	printf '%s\t%s\n' f a '' '' '' '' >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afcut app,region "$T/lines"
	printf '%s\t%s\n' a . . f . . . . >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afcut --kind run,measure,sample region,comm "$T/lines"
	printf '%s\t%s\n' . . . . f a . . >"$T/want"
	same "$T/want" "$T/out"
	head -n 2 "$T/lines" >"$T/few"
	want_status 1 afcut comm "$T/few"
	said "afcut: no line has 'comm' ('comm?' allows that; tags: app, unit)"
	[ ! -s "$T/out" ]
}

@test "--raw gives bytes, nothing for what is not there, and refuses what would not be a field" {
	want_status 1 afcut --raw region,comm,cpu "$T/in"
	said "afcut: $T/in:3: --raw: a TAB in comm"
	printf '.\t\377\\n\t1\n\t\t.\n' >"$T/want"
	same "$T/want" "$T/out"
	printf 'sample\t7\t0x1\ta\\nb\tm\t2\n' >"$T/in"
	want_status 1 afcut --raw region "$T/in"
	said "afcut: $T/in:1: --raw: a newline in region"
	[ ! -s "$T/out" ]
}

@test "a key that no line has is pointed out" {
	want_status 1 afcut time,cqu,nothing "$T/in"
	said "afcut: no line has 'cqu'; did you mean cpu?"
	said "afcut: no line has 'nothing' ('nothing?' allows that; tags: app, comm, cpu, cpux, stat, tag.k\\x3d)"
	want_status 1 afcut time,function "$T/in"
	said "afcut: no line has 'function'; did you mean region?"
	# run lines are read for this, even if they are not printed
	want_status 1 afcut --kind sample run.ap,run.app "$T/in"
	echo "afcut: no run line has 'ap'; did you mean run.app?" >"$T/want"
	same "$T/want" "$T/err"
	printf '.\ta\n.\ta\n' >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afcut --header 'region?,cqu?,kind' "$T/in"
	silent
	[ "$(head -n 1 "$T/out")" = $'region\tcqu\tkind' ]
	want_status 2 afcut 'time,?' "$T/in"
}

@test "pcomm of lines that describe losses: those of a process's first thread say which" {
	{
		event lost 2 . . 3 pid=7 tid=7 comm=job
		event lost 3 . . 4 pid=7 tid=8 comm=worker
		event lost 4 . . 5 pcomm=other
	} >"$T/losses"
	want_status 0 afcut pcomm,value "$T/losses"
	printf 'job\t3\n.\t4\nother\t5\n' >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afcut pcomm "$T/losses"
	printf 'job\nother\n' >"$T/want"
	same "$T/want" "$T/out"
}

@test "pcomm: the tag, or else comm of the first thread of a process" {
	{
		event sample 1 a m 1 pid=7 tid=7 comm=job
		event sample 2 a m 1 pid=7 tid=8 comm=worker pcomm=job
		event sample 3 a m 1 pid=9 tid=10 comm=other
	} >"$T/threads"
	want_status 0 afcut pcomm,comm "$T/threads"
	silent
	printf 'job\tjob\njob\tworker\n.\tother\n' >"$T/want"
	same "$T/want" "$T/out"
	# without a pid, comm may be the name of any thread
	event agg 1 a m 1 comm=worker stat=sum >"$T/threads"
	want_status 1 afcut --kind agg pcomm,comm "$T/threads"
	said "afcut: no line has 'pid', which 'pcomm' needs ('pcomm?' allows that)"
	printf '.\tworker\n' | same - "$T/out"
	# as in results
	event agg 1 a m 1 pcomm=job stat=sum >"$T/threads"
	want_status 0 afcut --kind agg pcomm "$T/threads"
	silent
	echo job | same - "$T/out"
}

@test "a file in the place of the KEY is pointed out" {
	cd "$T" || return
	: >empty
	want_status 1 afcut in <empty
	printf '%s\n' 'afcut: -: empty input' 'afcut: in, which is a file, was taken as the KEY' >want
	same want err
	want_status 1 afcut nofile <empty
	echo 'afcut: -: empty input' >want
	same want err
}

@test "as many columns as cut and the same" {
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 50000; i++)
			print "sample", i, "0x1", "f" i % 999, "m", i * 7, "pid=" i % 9, "comm=c" i % 17
	}' >"$T/big"
	want_status 0 afcut region,value,comm "$T/big"
	cut -f 4,6,8 "$T/big" | sed 's/comm=//' >"$T/want"
	same "$T/want" "$T/out"
}

@test "a statistic is not a tag: the program that makes it a column" {
	{
		event sample 1 f m 5
		event sample 2 g m 7
	} >"$T/events"
	afagg --by region --stat count,sum "$T/events" >"$T/agg"
	want_status 1 afcut --kind agg region,count,cuont "$T/agg"
	printf 'afcut: no line has count: it is a statistic, which csvenc --wide stat makes a column\n' >"$T/want"
	echo "afcut: no line has 'cuont' ('cuont?' allows that; tags: n, start, stat)" >>"$T/want"
	same "$T/want" "$T/err"
	want_status 1 afcut --kind agg count "$T/agg"
	head -n 1 "$T/want" | same - "$T/err"
}

@test "rows that nothing tells apart: several kinds, measures or statistics are said" {
	local i key
	{
		event sample 1 f m 5
		event span 2 g m 6 start=1
		event lost 3 . . 100
		event incomplete 4 . unwind 7
		event agg 5 f m 5 stat=sum
		event agg 5 f m 5 stat=sum
		event sample 6 f n 8
		event agg 6 f . 1 stat=count
		event diff 7 f m 1 stat=mean change=inf
	} >"$T/mixed"
	echo 'afcut: rows of several kinds, which only the column kind tells apart (see --kind): 2 sample, 1 span, 1 lost, 1 incomplete, 3 agg, 1 diff' >"$T/kinds"
	echo 'afcut: values of several measures, which only the column measure tells apart: m, n' >"$T/measures"
	echo 'afcut: values of several statistics, which only the column stat tells apart: sum, count, mean' >"$T/stats"
	want_status 0 afcut region,value "$T/mixed"
	printf '%s\t%s\n' f 5 g 6 . 100 . 7 f 5 f 5 f 8 f 1 f 1 | same - "$T/out"
	cat "$T/kinds" "$T/measures" "$T/stats" | same - "$T/err"
	want_status 0 afcut --raw value,kind "$T/mixed"
	cat "$T/measures" "$T/stats" | same - "$T/err"
	want_status 0 afcut value,measure,stat "$T/mixed"
	same "$T/kinds" "$T/err"
	want_status 0 afcut value,kind,measure,stat "$T/mixed"
	silent
	# without values, only rows are counted; --kind chooses what they are
	want_status 0 afcut 'region,cpu?' "$T/mixed"
	sed 's/, 1 lost, 1 incomplete//' "$T/kinds" | same - "$T/err"
	want_status 0 afcut --kind lost,agg,incomplete 'region,cpu?' "$T/mixed"
	silent
	want_status 0 afcut --kind sample,span,lost value "$T/mixed"
	same "$T/measures" "$T/err"
	for key in value before? after? change?; do
		want_status 0 afcut --kind agg,diff "$key" "$T/mixed"
		same "$T/stats" "$T/err"
	done
	for i in 1 2 3 4 5 6 7 8; do
		event sample 1 f "m$i" 1
	done >"$T/many"
	want_status 0 afcut value "$T/many"
	sed 's/: m, n$/: m1, m2, m3, m4, m5, m6, m7, m8/' "$T/measures" | same - "$T/err"
	for i in 9 1 99; do
		event sample 1 f "m$i" 1
	done >>"$T/many"
	want_status 0 afcut value "$T/many"
	sed 's/: m, n$/: m1, m2, m3, m4, m5, m6, m7, m8, .../' "$T/measures" | same - "$T/err"
}

@test "what only a tag tells apart is said, and groups that overlap" {
	{
		event agg 5 f m 1 stat=sum of=count total=2
		event agg 5 f m 2 stat=sum of=sum total=2
	} >"$T/in"
	want_status 0 afcut region,value "$T/in"
	same - "$T/err" <<-'END'
		afcut: events are in several groups, which must not be added up (see the column total)
		afcut: values of several quantities, which only the column of tells apart: count, sum
	END
	want_status 0 afcut region,of,total,value "$T/in"
	silent
}

@test "bad options and lists" {
	want_status 2 afcut
	said "afcut: no KEY given"
	want_status 2 afcut a,,b "$T/in"
	said "afcut: KEY: an empty name"
	want_status 2 afcut --kind "" time "$T/in"
	said "afcut: --kind: an empty name"
}

@test "the most names that it takes" {
	local keys kinds
	keys=$(seq -s , -f 'k%g?' 255)
	want_status 0 afcut --kind sample --header "$keys,value" "$T/in"
	silent
	seq -f k%g 255 | paste -sd '\t' | sed 's/$/\tvalue/' >"$T/want"
	yes . | head -n 255 | paste -sd '\t' | sed 's/$/\t1/p; s/1$/2/' >>"$T/want"
	same "$T/want" "$T/out"
	want_status 2 afcut "$keys,value,time" "$T/in"
	said "afcut: KEY: more than 256 names"
	kinds=$(yes lost | head -n 255 | paste -sd ,)
	want_status 0 afcut --kind "$kinds,agg" value "$T/in"
	echo 3 | same - "$T/out"
	want_status 2 afcut --kind "$kinds,agg,run" value "$T/in"
	said "afcut: --kind: more than 256 names"
}

@test "lines come out while the input waits" {
	mkfifo "$T/fifo"
	afcut time <"$T/fifo" >"$T/out" 3>&- &
	exec 9>"$T/fifo"
	printf 'sample\t1\t.\tf\tm\t1\n' >&9
	soon [ -s "$T/out" ]
	echo 1 >"$T/want"
	same "$T/want" "$T/out"
	exec 9>&-
	wait $!
}

# in_awk AWK...: the library in that awk, against what afcut says.
in_awk() {
	# shellcheck disable=SC2016 # awk's
	printf '%s\n' '{ print $1, tag("cpu"), tag("tag.k\\x3d"), unescape($4), unescape(tag("comm")) }' >"$T/prog"
	sed 's/a\\tb/a b/' "$T/in" >"$T/awk.in"
	LC_ALL=C "$@" -f "$AWK" -f "$T/prog" "$T/awk.in" >"$T/got" || return
	printf '%s\t%s\t%s\t%s\t%b\n' run . . '' '' sample 0 v=w 'in ner' 'a b' sample 1 . . '\0377\\n' agg '\.' . '' '' >"$T/want"
	same "$T/want" "$T/got"
}

@test "afstream.awk in mawk" {
	need mawk
	in_awk mawk
}

@test "afstream.awk in gawk" {
	need gawk
	in_awk gawk
}

@test "afstream.awk in busybox awk" {
	need busybox
	in_awk busybox awk
}

@test "afstream.awk undoes every byte as afcut --raw does" {
	local i
	for i in $(seq 1 255); do
		case $i in
		9 | 10) continue ;;
		13) printf 'sample\t%d\t.\ta\\rz\tm\t1\n' "$i" ;;
		92) printf 'sample\t%d\t.\ta\\\\z\tm\t1\n' "$i" ;;
		127 | [1-9] | [12][0-9] | 3[01] | 12[89] | 1[3-9][0-9] | 2??)
			printf 'sample\t%d\t.\ta\\x%02xz\tm\t1\n' "$i" "$i"
			;;
		esac
	done >"$T/bytes"
	want_status 0 afcut --raw region "$T/bytes"
	LC_ALL=C awk -f "$AWK" -f /dev/stdin "$T/bytes" <<<'{ print unescape($4) }' >"$T/got"
	same "$T/out" "$T/got"
}
