# SPDX-License-Identifier: ISC
# perf.bats - does perfdec say what perf says?  On recordings made here, where perf is installed
# and may record; perf_corpus.bats does the same with the files of a larger collection.

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

# agrees FILE [WORD]: perf script and perfdec print the same samples, field by field, in the same order.
# WORD says of which objects functions are compared (perfcompare.py).
agrees() {
	perf script -i "$1" --ns --no-demangle --no-inline -F $FIELDS >script 2>script.err ||
		fail "perf script: $(cat script.err)"
	want_status 0 perfdec --frames --no-demangle "$1" || return
	cp out stream
	want_status 0 python3 "$ROOT/t/tools/perfcompare.py" script stream "${2-symbols}" || {
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

# A bad return address ends the chain, or valid ones come after it.  perf prints no frame of such a chain.
@test "perf: callchains with a value that is neither an address nor a marker" {
	[ "$(uname -m)" = x86_64 ] || skip "assembler of x86_64"
	can_record
	cat >bad.c <<-'END'
		static volatile unsigned long sink;
		static unsigned long frame[2] = { 0, -10UL };
		__attribute__((noinline)) static void good(unsigned long n) { while (n--) sink += n * n; }
		__attribute__((noinline)) static void bad(unsigned long n)
		{
			__asm__ volatile("mov %%rbp, %%r8; mov %1, %%rbp; 1: dec %0; jnz 1b; mov %%r8, %%rbp"
				: "+r"(n) : "r"(frame) : "r8", "cc", "memory");
		}
		int main(void)
		{
			good(300000000); /* in most samples: perfdec's status is 1 if more than half are doubtful */
			bad(50000000);
			frame[0] = (unsigned long)__builtin_frame_address(0);
			bad(50000000);
			return 0;
		}
	END
	${CC:-cc} -O0 -g -fno-omit-frame-pointer -o bad bad.c
	perf record -q -N --sample-cpu -e cpu-clock -F 999 -g -o r.data ./bad 2>/dev/null
	agrees r.data
	grep -q '^incomplete	.*	why=unknown_marker$' stream
	[ "$(grep -c '	stack=\[truncated\];bad' stream)" -ge 12 ]
	grep -q 'stack=[^[	]*main;good' stream
}

@test "perf: without callchains" {
	can_record
	perf record -q -N --sample-cpu -e cpu-clock -F 999 -o r.data ./burn 2>/dev/null
	agrees r.data
	grep -q '^sample	[0-9]*	[^	]*	inner	' stream
}

# bats test_tags=slow,sanitize
@test "perf: two events" {
	can_record
	perf record -q -N --sample-cpu -e cpu-clock -e page-faults -F 499 -g -o r.data ./burn 2>/dev/null ||
		skip "no two events here"
	agrees r.data
}

# bats test_tags=slow,sanitize
@test "perf: a group whose counters are read together" {
	can_record
	perf record -q -N --sample-cpu -e '{cpu-clock,page-faults}:S' -o r.data ./burn 2>/dev/null ||
		skip "no groups here"
	agrees r.data
}

# bats test_tags=slow,sanitize
@test "perf: user space only, and the whole machine" {
	can_record
	perf record -q -N --sample-cpu -e cpu-clock:u -g -o r.data ./burn 2>/dev/null
	agrees r.data
	perf record -q -N -a -e cpu-clock -F 499 -g -o r.data ./burn 2>/dev/null || skip "not the whole machine here"
	# others' files may be of another root, or have been replaced
	agrees r.data "symbols=[kernel,$PWD/"
}

# chosen SEED: options of perf record, in options, chosen at random, and the fields that it then has, in more.
chosen() {
	local event parts=() word field chance
	RANDOM=$1 options=() more=
	for event in cpu-clock task-clock minor-faults context-switches cpu-migrations cpu-clock:k \
		cpu-clock/freq=500,call-graph=fp,name=two/ task-clock/period=500000,call-graph=no/ page-faults/period=3/; do
		[ $((RANDOM % 4)) -ne 0 ] || parts+=("$event")
	done
	[ ${#parts[@]} -gt 0 ] || parts=(cpu-clock)
	for event in "${parts[@]}"; do
		options+=(-e "$event")
	done
	# perf script prints no field that samples of one event lack
	options+=(-P -T --sample-cpu)
	while read -r chance field word; do
		[ $((RANDOM % chance)) -eq 0 ] || continue
		# shellcheck disable=SC2206 # words
		options+=($word)
		[ "$field" = - ] || more+=,$field
	done <<-'END'
		2 - -F 999
		2 - -g
		4 addr -d
		5 - -W
		4 - -s
		4 - -i
		5 - --sample-identifier
		4 - --switch-events
		5 - --namespaces
		4 - -z
		5 - --buildid-all
		5 - -N
		9 - --per-thread
		6 - -R
		5 uregs --user-regs=ip,sp,ax
		5 iregs --intr-regs=ip,sp,bx,di
		5 data_page_size --data-page-size
		5 code_page_size --code-page-size
		6 phys_addr --phys-data
		5 - -k monotonic_raw
		6 - --overwrite
		9 - --threads
		9 - -m 2
		9 - --no-inherit
		9 - -D 5
		9 - --weight
		9 - --timestamp-boundary
	END
}

# bats test_tags=slow
@test "perf: options of perf record, chosen at random: all that perf prints of the samples, and the other records" {
	can_record
	local seed options more agreed=0
	for seed in {1..20}; do
		chosen "$seed"
		rm -rf r.data
		perf record -q "${options[@]}" -o r.data ./burn 2>/dev/null || continue # not all go together
		perf script -i r.data --ns --no-demangle --no-inline -F "$FIELDS$more" --show-task-events --show-mmap-events \
			--show-switch-events --show-namespace-events --show-lost-events >script 2>/dev/null || continue
		grep -q . script || continue
		perfdec --frames --all --no-demangle r.data >stream 2>err || fail "seed $seed, ${options[*]}: $(cat err)"
		python3 "$ROOT/t/tools/perfcompare.py" script stream "fields=$FIELDS$more" "symbols=$PWD/" records >differences ||
			fail "seed $seed, ${options[*]}: $(head -n 12 differences)"
		agreed=$((agreed + 1))
	done
	echo "# agreed: $agreed" >&3
	[ "$agreed" -ge 12 ]
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

# tods FILE: the times of its samples as perf prints them, to the microsecond: of the day, and of the clock.
tods() {
	TZ=UTC perf script -i "$1" -F tod,time 2>/dev/null | awk 'NF >= 3 { sub(/:$/, "", $3); print $1, $2, $3 }'
}

# bats test_tags=slow,sanitize
@test "perf: the time of day, by each clock that perf record -k knows" {
	can_record
	local clock from count
	for clock in realtime monotonic monotonic_raw boottime tai; do
		perf record -q -k $clock -e cpu-clock -F 999 -o r.data ./burn 2>/dev/null
		tods r.data | sort >tods
		count=$(grep -c . tods)
		[ "$count" -gt 20 ] || skip "perf may not record here"
		# the samples of 20 ms from the fifth on
		from=$(sed -n 5p tods | cut -d ' ' -f 1,2)
		awk -v from="$from" '
			function seconds(t,  p) { split(t, p, ":"); return p[1] * 3600 + p[2] * 60 + p[3] }
			BEGIN { split(from, f, " "); begin = seconds(f[2]) }
			{ t = seconds($2) - begin; if (t < -40000) t += 86400 }
			t > -1e-7 && t < 0.02 - 1e-7 { print $3 }' tods | sort >want
		perfdec --no-symbols r.data >stream
		grep -q "^run	.*	clock=$clock	" stream
		want_status 0 afsel --kind sample --time "$from,+20ms" stream
		silent
		# time as perf prints it
		grep '^sample' out | cut -f 2 |
			awk '{ n = length($1) - 9; print substr($1, 1, n) "." substr($1, n + 1, 6) }' | sort >got
		[ "$(grep -c . want)" -lt "$count" ] || fail "$clock: all samples are in 20 ms"
		same want got || fail "$clock"
	done
	# through a pipe, and in a file that is not seekable
	perf record -q -k monotonic -e cpu-clock -o - ./burn 2>/dev/null | perfdec --no-symbols >stream
	grep -q '^run	.*	wall=.*	clock=monotonic	' stream
	perf record -q -e cpu-clock -o r.data ./burn 2>/dev/null
	perfdec --no-symbols r.data >stream
	want_status 1 afsel --time 2020-01-01, stream
	said "its time of day is not known (no wall= in its run line)"
	[ "$(grep -c '^sample' out)" -eq 0 ]
}

@test "perf: a reader that has seen enough ends the pipeline" {
	can_record
	timeout 20 sh -c "perf record -q -N -e cpu-clock -F 999 -o - -- sleep 0.2 2>/dev/null | perfdec |
		head -n 2" >got || fail "it hangs"
	[ "$(wc -l <got)" -eq 2 ]
}

is_larger() {
	[ -e "$1" ] && [ "$(stat -c %s "$1")" -gt "$2" ]
}

# bats test_tags=slow,sanitize
@test "perf: Control-C in a pipeline prints the results" {
	local pid st=0
	can_record
	helpers sigdfl
	# the shell of a terminal would put the pipeline into a process group of its own
	setsid sigdfl sh -c "perf record -q -N -m 2 -e cpu-clock -F 999 -o - -- sh -c 'while :; do :; done' 2>/dev/null |
		tee -i recorded | perfdec | afagg --by region >results" 2>err 3>&- &
	pid=$!
	soon is_larger recorded 8000 # there are samples: -m 2 makes perf write soon
	kill -INT -- -$pid
	(sleep 20 3>&- && kill -9 -- -$pid 2>/dev/null) &
	wait $pid || st=$?
	kill $! 2>/dev/null || :
	tail -n 1 results | grep -q '^#end	afagg	.*	complete' || fail "status $st: $(cat err results)"
	grep -q '^agg	' results
}
