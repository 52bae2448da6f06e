# SPDX-License-Identifier: ISC
# perf.bats - does perfdec say what perf says?  On recordings made here, where perf is installed
# and may record, and on the files of a larger collection where AFPIPE_CORPUS names one.

# shellcheck disable=SC2094 # perf script does not write what it reads

load lib

FIELDS=comm,pid,tid,cpu,time,event,period,ip,sym,symoff,dso

setup() {
	cd "$T" || return
}

# can_record: skips where perf is missing or may not record; leaves a program to be profiled.
can_record() {
	need perf python3
	perf record -o try.data -e cpu-clock true >/dev/null 2>&1 || skip "perf may not record here"
	cat >burn.c <<-'END'
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile unsigned long sink;
		__attribute__((noinline)) static void inner(unsigned long n) { while (n--) sink += n * n; }
		__attribute__((noinline)) static void outer(unsigned long n) { inner(n); sink++; }
		int main(void)
		{
			int i;
			for (i = 0; i < 3; i++) {
				if (fork() == 0) { outer(20000000); _exit(0); }
				free(malloc(1 << 20));
			}
			outer(20000000);
			while (wait(0) > 0) ;
			return 0;
		}
	END
	# without -fno-plt the names of PLT entries would be compared, which perf gets wrong for some
	${CC:-cc} -O0 -g -fno-omit-frame-pointer -fno-plt -o burn burn.c
}

# agrees FILE: perf script and perfdec print the same samples, field by field, in the same order.
agrees() {
	perf script -i "$1" --ns --no-demangle --no-inline -F $FIELDS >script 2>script.err ||
		fail "perf script: $(cat script.err)"
	want_status 0 perfdec --frames "$1" || return
	cp out stream
	want_status 0 python3 "$ROOT/t/tools/perfcompare.py" script stream symbols || {
		cat out >&2
		return 1
	}
	grep -q '^0 samples' out && fail "perf has recorded nothing"
	grep -q ' 0 differences$' out
}

@test "perf: callchains" {
	can_record
	perf record -q -N --sample-cpu -e cpu-clock -F 999 -g -o r.data ./burn 2>/dev/null
	agrees r.data
	grep -q 'stack=[^	]*main;outer;inner' stream
}

@test "perf: without callchains" {
	can_record
	perf record -q -N --sample-cpu -e cpu-clock -F 999 -o r.data ./burn 2>/dev/null
	agrees r.data
	grep -q '^sample	[0-9]*	[^	]*	inner	' stream
}

@test "perf: two events" {
	can_record
	perf record -q -N --sample-cpu -e cpu-clock -e page-faults -F 499 -g -o r.data ./burn 2>/dev/null ||
		skip "no two events here"
	agrees r.data
}

@test "perf: a group whose counters are read together" {
	can_record
	perf record -q -N --sample-cpu -e '{cpu-clock,page-faults}:S' -o r.data ./burn 2>/dev/null ||
		skip "no groups here"
	agrees r.data
}

@test "perf: user space only, and the whole machine" {
	can_record
	perf record -q -N --sample-cpu -e cpu-clock:u -g -o r.data ./burn 2>/dev/null
	agrees r.data
	perf record -q -N -a -e cpu-clock -F 499 -g -o r.data ./burn 2>/dev/null || skip "not the whole machine here"
	agrees r.data
}

@test "perf: through a pipe, live" {
	can_record
	perf record -q -N --sample-cpu -e cpu-clock -F 999 -g -o - ./burn 2>/dev/null | tee pipe.data |
		perfdec --frames >live
	perf script -i - --ns --no-demangle --no-inline -F $FIELDS <pipe.data >script 2>/dev/null
	want_status 0 python3 "$ROOT/t/tools/perfcompare.py" script live symbols
	tail -n 1 live | grep -q '	complete$'
	perfdec --frames pipe.data | sed '/^#/d' >again
	unmarked live >want
	same want again
}

@test "perf: a reader that has seen enough ends the pipeline" {
	can_record
	timeout 20 sh -c "perf record -q -N -e cpu-clock -F 999 -o - -- sleep 0.2 2>/dev/null | perfdec |
		head -n 2" >got || fail "it hangs"
	[ "$(wc -l <got)" -eq 2 ]
}

@test "perf: Control-C in a pipeline prints the results" {
	local pid st=0
	can_record
	build_c "$T/sigdfl" t/tools/sigdfl.c
	# the shell of a terminal would put the pipeline into a process group of its own
	setsid "$T/sigdfl" sh -c "perf record -q -N -e cpu-clock -F 999 -o - -- sh -c 'while :; do :; done' 2>/dev/null |
		perfdec | afagg --by region >results" 2>err 3>&- &
	pid=$!
	sleep 1.5
	kill -INT -- -$pid
	(sleep 20 3>&- && kill -9 -- -$pid 2>/dev/null) &
	wait $pid || st=$?
	kill $! 2>/dev/null || :
	tail -n 1 results | grep -q '^#end	afagg	.*	complete' || fail "status $st: $(cat err results)"
	grep -q '^agg	' results
}

# What of the collection cannot agree, and why.
differs() {
	case $1 in
	*.lbr.*) echo "perf makes callchains of branches" ;;
	*intel_pt*) echo "perf makes samples of trace data" ;;
	stat_record.*) echo "counters are no samples to perf; t/perfdec_stat.bats compares them" ;;
	esac
}

@test "corpus: every file of the collection" {
	local name set by status bad=0 agreed=0 got
	[ -n "${AFPIPE_CORPUS-}" ] || skip "AFPIPE_CORPUS names no collection"
	need python3 zcat
	[ -f "$AFPIPE_CORPUS/perf/manifest.tsv" ] || fail "no manifest.tsv in $AFPIPE_CORPUS/perf"
	tail -n +2 "$AFPIPE_CORPUS/perf/manifest.tsv" |
		awk -F '\t' 'BEGIN { OFS = "|" } { print $1, $2, $27, $30 }' >list
	while IFS='|' read -r name set by status; do
		local file=$AFPIPE_CORPUS/perf/files/$name ref=$AFPIPE_CORPUS/perf/ref/$name.script.gz
		[ "$set" = files ] && [ "$status" = ok ] && [ -f "$ref" ] && [ -z "$(differs "$name")" ] || continue
		# perf itself refuses some, so that only a part of them could be given to it, or takes
		# them for empty
		[ "$by" != 6.1-stripped ] || continue
		[ "$(zcat "$ref" | head -c 1 | wc -c)" -eq 1 ] || continue
		got=0
		: >differences
		perfdec --frames --no-symbols "$file" >stream 2>err || got=$?
		if [ $got -eq 0 ] && python3 "$ROOT/t/tools/perfcompare.py" "$ref" stream >differences; then
			agreed=$((agreed + 1))
			continue
		fi
		grep -q '^0 samples of perf, [^0]' differences && continue
		bad=$((bad + 1))
		echo "$name: status $got: $(head -n 1 err) $(head -c 500 differences)" >&2
	done <list
	[ $bad -eq 0 ]
	[ $agreed -gt 0 ] || fail "not one file could be compared"
}

@test "corpus: the recordings with the files that were recorded" {
	local name file stack by status bad=0 agreed=0 got
	[ -n "${AFPIPE_CORPUS-}" ] || skip "AFPIPE_CORPUS names no collection"
	need python3 zcat zstd
	tar --zstd -xf "$AFPIPE_CORPUS/perf/recordings.tar.zst" || fail "cannot unpack"
	cp recordings/perf-*.map recordings/symfs/tmp
	zcat recordings/kallsyms.gz >kallsyms
	awk -F '\t' '$2 == "local" { print $1 "|" $24 "|" $27 "|" $30 }' "$AFPIPE_CORPUS/perf/manifest.tsv" >list
	while IFS='|' read -r name stack by status; do
		file=recordings/local/$name
		[ "$status" = ok ] && [ "$by" = 6.1 ] && [ -e "$file" ] && [ -z "$(differs "$name")" ] || continue
		# perf unwinds dumped stacks
		[ -z "$stack" ] && [ -s "$AFPIPE_CORPUS/perf/ref/$name.script.gz" ] || continue
		got=0
		perfdec --frames --symfs recordings/symfs --kallsyms kallsyms "$file" >stream 2>err || got=$?
		# the functions of what was built for the recordings, of the kernel and of JITs; the
		# system's libraries are not the collection's
		if [ $got -eq 0 ] && python3 "$ROOT/t/tools/perfcompare.py" \
			"$AFPIPE_CORPUS/perf/ref/$name.script.gz" stream \
			'symbols=/tmp/lab/corpus/local/bin/,[kernel,/tmp/perf-' >differences; then
			agreed=$((agreed + 1))
			continue
		fi
		bad=$((bad + 1))
		echo "$name: status $got: $(head -n 1 err) $(head -c 500 differences)" >&2
	done <list
	[ $bad -eq 0 ]
	[ $agreed -gt 0 ] || fail "not one recording could be compared"
}
