# SPDX-License-Identifier: ISC
# traceenc.bats - streams for speedscope, the Firefox Profiler, and Perfetto.  t/tools/tracecheck.py
# checks each output by the rules of its target and prints it as lines.

load lib

setup() {
	need python3
}

# trace TARGET [OPTION|FILE]...: the output as lines, to $T/got, without the note on widths.
trace() {
	local target=$1
	shift
	cd "$T" && want_status "${status_wanted-0}" traceenc --for "$target" "$@" && cp out json || return
	checked "$target" json >got
}

# checked TARGET JSON [STREAM]
checked() {
	local all
	all=$(python3 "$ROOT/t/tools/tracecheck.py" "$@") || return
	grep -v '^note Widths are times' <<<"$all" || true
}

# is LINE...: its lines.
is() {
	printf '%s\n' "$@" >want
	same want got
}

# bats test_tags=quick
@test "speedscope: a profile for each thread and measure, with values as weights" {
	cd "$T"
	{
		event sample 10 c cycles 5 pid=7 tid=7 comm=job 'stack=main;b;c'
		event sample 20 a cycles 1 pid=7 tid=8 comm=helper pcomm=job 'stack=main;a'
		event sample 30 c cpu-clock 1500000 unit=ns pid=7 tid=7 comm=job 'stack=main;b;c' 'lines=m.c:3;m.c:9;?'
		event sample 40 idle cycles 6 pid=7 tid=7 comm=job line=i.c:1
		event sample 5 . cycles 0 pid=7 tid=7 comm=job 'stack=.'
		event sample . x mem 3 unit=B
		event sample 1 y mem 2.5 unit=B
	} >in
	trace speedscope in
	said 'lines without a time, which come last: 1'
	is 'note lines without a time, which come last: 1' \
		'profile job 7/7: cycles none 11' 'sample 0 [unknown]' 'sample 5 main;b;c' 'sample 6 idle(i.c:1)' \
		'profile helper 7/8: cycles none 1' 'sample 1 main;a' \
		'profile job 7/7: cpu-clock [ns] nanoseconds 1500000' 'sample 1500000 main(m.c:3);b(m.c:9);c' \
		'profile run 0x1: mem [B] bytes 5.5' 'sample 2.5 y' 'sample 3 x'
	checked speedscope json in
	trace speedscope --measure cpu-clock in
	[ "$(grep -c '^profile' got)" -eq 1 ]
	want_status 1 traceenc --for speedscope --measure cpu in
	said 'no line has a value of the measure cpu'
}

@test "lists of lines that do not fit the stack are not used, and counted" {
	local lines target
	cd "$T"
	for lines in m.c:3 'm.c:3;m.c:4' 'm.c:3;m.c:4;m.c:5;m.c:6' '?'; do
		{
			event sample 1 c cycles 5 tid=1 'stack=main;b;c' "lines=$lines"
			event sample 2 c cycles 2 tid=1 'stack=main;b;c' 'lines=m.c:7;m.c:8;m.c:9'
		} >in
		for target in speedscope firefox; do
			trace $target in
			said 'traceenc: stacks used without lines, since these do not match the frames: 1'
			grep -qx 'note stacks used without lines, since these do not match the frames: 1' got
			sed -n 's/^sample .* main/main/p' got >stacks
			printf '%s\n' 'main;b;c' 'main(m.c:7);b(m.c:8);c(m.c:9)' | same - stacks
		done
	done
}

@test "speedscope: the JSON itself" {
	cd "$T"
	event sample 10 c cycles 5 pid=7 tid=7 comm=job 'stack=main;c' >in
	event sample 11 main cycles 7 pid=7 tid=7 comm=job 'stack=main' >>in
	want_status 0 traceenc --for speedscope in
	cat >want <<-'END'
		{"$schema":"https://www.speedscope.app/file-format-schema.json",
		"exporter":"afpipe traceenc",
		"name":"afpipe",
		"activeProfileIndex":0,
		"shared":{"frames":[
		{"name":"main"},
		{"name":"c"}]},
		"profiles":[
		{"type":"sampled","name":"job 7/7: cycles","unit":"none","startValue":0,"endValue":12,"samples":[[0,1],[0]],
		"weights":[5,7]}]}
	END
	same want out
}

@test "firefox: samples with times, weights and lines" {
	cd "$T"
	{
		run=0x1 event run 1000 . . . unit=ns app=perf
		event sample 1000000 c cpu-clock 1000001 unit=ns pid=7 tid=7 comm=job 'stack=main;c' 'lines=m.c:3;m.c:9'
		event sample 1000001 c cpu-clock 2 unit=us pid=7 tid=7 comm=job 'stack=main;c' 'lines=m.c:3;m.c:10'
		event sample 500000 c cycles 5 pid=7 tid=8 comm=two 'stack=main;c'
		event sample 3500000 c cycles -7 pid=7 tid=8 comm=two 'stack=main'
		event sample . c cycles 9 pid=7 tid=8 comm=two 'stack=main'
		run=0x2 event sample 9999999999999999999 c mem 1.5e-7 unit=B
		run=0x2 event sample 9999999999999999999 c wait 1.5e-7 unit=s
	} >in
	trace firefox in
	said 'left out lines without a time: 1'
	is 'note left out lines without a time: 1' \
		'thread job 7/7, run 0x1: cpu-clock [ns] 7 7 tracing-ms 1.000001' 'sample 0.5 1.000001 main(m.c:3);c(m.c:9)' \
		'thread job 7/7, run 0x1: cpu-clock [us] 7 7.1 tracing-ms 0.002' 'sample 0.500001 0.002 main(m.c:3);c(m.c:10)' \
		'thread two 7/8, run 0x1: cycles 7 8.2 samples -2' 'sample 0 5 main;c' 'sample 3 -7 main' \
		'thread run 0x2, run 0x2: mem [B] . run 1 ..3 bytes 0.00000015' 'sample 0 0.00000015 c' \
		'thread run 0x2, run 0x2: wait [s] . run 1 ..4 tracing-ms 0.00015' 'sample 0 0.00015 c'
	checked firefox json in
}

@test "perfetto: samples are joined while a frame stays, and gaps stay open" {
	cd "$T"
	{
		event sample 1000000 c cpu-clock 1000000 unit=ns pid=7 tid=7 comm=job 'stack=main;b;c'
		event sample 2000000 d cpu-clock 1000000 unit=ns pid=7 tid=7 comm=job 'stack=main;b;d'
		event sample 2000000 x cpu-clock 1000000 unit=ns pid=7 tid=8 comm=job2 'stack=x'
		event sample 4000000 d cpu-clock 1000000 unit=ns pid=7 tid=7 comm=job 'stack=main;b;d'
		event sample 6000001 d cpu-clock 1000000 unit=ns pid=7 tid=7 comm=job 'stack=main;b;d'
	} >in
	trace perfetto in
	silent
	is 'process 7 job' 'thread 7/7 job' 'thread 7/8 job2' \
		'slice 7/7 1000 5000 main' 'slice 7/7 1000 5000 b' 'slice 7/7 1000 2000 c' 'slice 7/7 2000 5000 d' \
		'slice 7/8 2000 3000 x' \
		'slice 7/7 6000.001 7000.001 main' 'slice 7/7 6000.001 7000.001 b' 'slice 7/7 6000.001 7000.001 d'
	trace perfetto --gap 2000001ns in
	[ "$(grep -c '^slice 7/7 .* main$' got)" -eq 1 ]
	trace perfetto --gap 999999ns in
	[ "$(grep -c '^slice 7/7 .* main$' got)" -eq 4 ]
}

@test "perfetto: the usual distance is learned from the samples" {
	cd "$T"
	# samples at one time have no distance
	awk 'BEGIN {
		for (i = 0; i < 40; i++)
			printf "sample\t%d\t0x1\tf\tcycles\t1\tpid=7\ttid=7\tcomm=job\n", 1000 * int(i / 4)
	}' >in
	trace perfetto in
	is 'process 7 job' 'thread 7/7 job' 'slice 7/7 0 10.023 f'
	awk 'BEGIN {
		for (i = 0; i < 30; i++)
			printf "sample\t%d\t0x1\tf\tcycles\t%d\tpid=7\ttid=7\tcomm=job\n", t += (i % 10 == 9 ? 9000000 : 1000000), 10 + i
	}' >in
	trace perfetto in
	[ "$(grep -c '^slice' got)" -eq 4 ]
	grep -qx 'slice 7/7 [0-9.]* [0-9.]* f' got
	event sample 5 f cycles 1 pid=7 tid=7 >in
	event sample 50000000 f cycles 1 pid=7 tid=7 >>in
	trace perfetto in
	grep -qx 'slice 7/7 0.005 10000.005 f' got
	[ "$(grep -c '^slice' got)" -eq 2 ]
}

@test "perfetto: spans nest, and those that overlap have tracks of their own" {
	cd "$T"
	{
		event measure . . inclusive . unit=ns
		event span 60 inner inclusive 10 scope=region start=50 depth=1 'stack=outer;inner'
		event span 60 inner self 10 scope=region start=50 depth=1 'stack=outer;inner'
		event span 60 inner mem.delta 77 scope=region start=50 depth=1 unit=B 'stack=outer;inner'
		event span 60 outer inclusive 10 scope=region start=50 depth=0 stack=outer
		event span 100 later wait 60 start=40 tid=9 pid=9
		event span 90 first wait 60 start=30 tid=9 pid=9
		event span 80 out wait 0 start=80 tid=9 pid=9 syscall=read
		event sample 10 f cycles 1 tid=9 pid=9
		event span 80 none wait 0
		event span 80 back wait 0 start=81
	} >in
	trace perfetto in
	said 'left out spans without an interval: 1'
	said 'left out lines whose times are not numbers below 2^64, or end before they start: 1'
	is 'process 4194305 run 0x1' 'process 9 process 9' 'thread 4194305/4194306 run 0x1' 'thread 9/9 thread 9' 'thread 9/4194307 thread 9: spans' \
		'thread 9/4194308 thread 9: spans 2' \
		'slice 9/9 0.01 10000.01 f' \
		'slice 9/4194307 0.03 0.09 first {"wait": 60}' 'slice 9/4194308 0.04 0.1 later {"wait": 60}' \
		'slice 4194305/4194306 0.05 0.06 outer {"inclusive [ns]": 10}' \
		'slice 4194305/4194306 0.05 0.06 inner {"inclusive [ns]": 10, "self": 10, "mem.delta [B]": 77}' \
		'slice 9/4194307 0.08 0.08 read {"wait": 0}' \
		'note left out lines whose times are not numbers below 2^64, or end before they start: 1' \
		'note left out spans without an interval: 1'
}

@test "perfetto: lines of one span are one slice; in each of these they are of two" {
	local tag
	cd "$T"
	# two LINE LINE: prints the slices.
	two() {
		# shellcheck disable=SC2086 # columns
		{
			event span $1
			event span $2
		} >in
		trace perfetto in
		silent
		grep '^slice' got | cut -d ' ' -f 3- >slices
	}
	two '60 f wait 1 start=10 tid=1' '60 f more 2 start=10 tid=1'
	printf '%s\n' '0.01 0.06 f {"wait": 1, "more": 2}' | same - slices
	for tag in stack=a:stack=b stack=a: id=1:id=2 interval=1:interval=2 scope=region:scope=section depth=0:depth=1 :depth=0; do
		two "60 f wait 1 start=10 tid=1 ${tag%:*}" "60 f more 2 start=10 tid=1 ${tag#*:}"
		LC_ALL=C sort slices >sorted
		printf '%s\n' '0.01 0.06 f {"more": 2}' '0.01 0.06 f {"wait": 1}' | same - sorted
		two "60 f wait 1 start=10 tid=1 ${tag%:*}" "60 f more 2 start=10 tid=1 ${tag%:*}"
		printf '%s\n' '0.01 0.06 f {"wait": 1, "more": 2}' | same - slices
	done
	two '60 f wait 1 start=10 tid=1' '60 f more 2 start=20 tid=1'
	printf '%s\n' '0.01 0.06 f {"wait": 1}' '0.02 0.06 f {"more": 2}' | same - slices
	two '60 f wait 1 start=10 tid=1' '50 f more 2 start=10 tid=1'
	printf '%s\n' '0.01 0.06 f {"wait": 1}' '0.01 0.05 f {"more": 2}' | same - slices
	two '60 f wait 1 start=10 tid=1' '60 g more 2 start=10 tid=1'
	printf '%s\n' '0.01 0.06 f {"wait": 1}' '0.01 0.06 g {"more": 2}' | same - slices
	two '60 f wait 1 start=10 tid=1' '60 f more 2 start=10 tid=2'
	printf '%s\n' '0.01 0.06 f {"wait": 1}' '0.01 0.06 f {"more": 2}' | same - slices
	# a measure that comes again, and more than 128 measures, are of another slice
	two '60 f wait 1 start=10 tid=1' '60 f wait 2 start=10 tid=1'
	printf '%s\n' '0.01 0.06 f {"wait": 1}' '0.01 0.06 f {"wait": 2}' | same - slices
	for tag in $(seq 129); do
		event span 60 f "m$tag" "$tag" start=10 tid=1
	done >in
	trace perfetto in
	silent
	grep '^slice' got | awk '{ print $3, $4, $5, (NF - 5) / 2 }' | same - <(printf '%s\n' '0.01 0.06 f 128' '0.01 0.06 f 1')
}

@test "perfetto: spans one after the other in another one are on its track" {
	local start end name
	cd "$T"
	while read -r start end name; do
		event span "$end" "$name" wait 1 start="$start" tid=1 pid=1
	done >in <<-'END'
		10 20 a
		30 40 b1
		40 50 b2
		50 50 b3
		50 60 b4
		25 65 b
		70 75 c
		0 100 main
		100 110 next
		105 115 crossing
		115 120 after
	END
	trace perfetto in
	silent
	grep '^slice' got | cut -d ' ' -f 2,5 >names
	printf '%s\n' '1/1 main' '1/1 a' '1/1 b' '1/1 b1' '1/1 b2' '1/1 b4' '1/1 b3' '1/1 c' '1/1 next' '1/4194305 crossing' '1/1 after' >want
	same want names
}

@test "perfetto: a thread has 256 tracks for spans, and those that find none are counted" {
	cd "$T"
	# crowd COUNT: each span overlaps all that come before; then one after all of them.
	crowd() {
		awk -v n="$1" 'BEGIN {
			for (i = 0; i < n; i++)
				printf "span\t%d\t0x1\ts%d\twait\t1\tstart=%d\ttid=1\tpid=1\n", 2000 + i, i, i
			printf "span\t5000\t0x1\tlast\twait\t1\tstart=4000\ttid=1\tpid=1\n"
			printf "span\t9\t0x1\tother\twait\t1\tstart=8\ttid=2\tpid=1\n"
		}' >in
		trace perfetto in
		grep '^slice' got | cut -d ' ' -f 5 | LC_ALL=C sort >names
		[ "$(grep '^slice' got | cut -d ' ' -f 2 | LC_ALL=C sort -u | wc -l)" -eq 257 ]
	}
	{
		seq -f 's%.0f' 0 255
		echo last
		echo other
	} | LC_ALL=C sort >want
	crowd 256
	silent
	same want names
	grep -qx 'slice 1/1 4 5 last {"wait": 1}' got
	crowd 259
	said 'traceenc: left out spans that overlap too many others: 3'
	grep -qx 'note left out spans that overlap too many others: 3' got
	same want names
}

@test "perfetto: spans that start together nest, the longest outside, whatever the times are" {
	local start length
	local -a lengths=(0 1 4096 4294967295 4294967296 1125899906842624 2251799813685248 3377699720527872)
	cd "$T"
	for start in 0 7 1700000000123456789 9219994337134247935; do
		# lines are in the order of their ends, so the innermost span comes first
		for length in "${lengths[@]}"; do
			event span $((start + length)) "s$length" wait 1 start="$start" tid=1 pid=1
		done >in
		trace perfetto in
		silent
		grep '^slice' got | cut -d ' ' -f 2,5 >names
		printf '1/1 s%s\n' "${lengths[@]}" | tac >want
		same want names
	done
}

@test "perfetto: equal spans are slices of their own" {
	cd "$T"
	for value in 5 6; do
		event span 9 a wait $value start=4 tid=1
		event span 9 a other $value start=4 tid=1
	done >in
	for ((i = 0; i < 200; i++)); do
		event span 20 b m$i 1 start=10 tid=1
	done >>in
	trace perfetto in
	grep '^slice.* a ' got >got2
	[ "$(grep -c '^slice.* b ' got)" -eq 2 ]
	mv got2 got
	is 'slice 4194305/1 0.004 0.009 a {"wait": 5, "other": 5}' 'slice 4194305/1 0.004 0.009 a {"wait": 6, "other": 6}'
}

@test "perfetto: counters of perf stat, and values that were read" {
	cd "$T"
	{
		event sample 100 . cycles 5 pid=. tid=. cpu=0 round=interval start=0
		event sample 100 . cycles . pid=. tid=. cpu=1 round=interval start=0
		event sample 200 . cycles 7 pid=. tid=. cpu=0 round=interval start=100
		event sample 400 . cycles 9 pid=. tid=. cpu=0 round=interval start=300
		event sample . . cycles 1 pid=. tid=. cpu=0 round=final start=400
		for value in nan 1e400 1$(printf "%0400d" 0); do
			event sample 300 main mem "$value" scope=region unit=KiB
		done
		event sample 300 main text 12 scope=region type=text
		event sample 400 main mem 0012 scope=region unit=KiB
		event sample 500 main mem 10.5 scope=region unit=KiB
	} >in
	trace perfetto in
	said 'left out counters without a usable number: 5'
	said 'left out lines without a time: 1'
	grep '^counter' got >got2
	mv got2 got
	is 'counter 4194305 0 cycles cpu 0 5' 'counter 4194305 0.1 cycles cpu 0 7' 'counter 4194305 0.2 cycles cpu 0 0' \
		'counter 4194305 0.3 cycles cpu 0 9' 'counter 4194305 0.4 mem [KiB] in main 12' 'counter 4194305 0.5 mem [KiB] in main 10.5' \
		'counter 4194305 0.4 cycles cpu 0 9'
}

@test "perfetto: where the value of a counter is not known, the last one stays" {
	cd "$T"
	{
		event sample . . c 1 start=0
		event sample 100 . c 5 round=interval start=0
		event sample 200 . c . round=interval start=100
		event sample 250 . c nan round=interval start=200
		event sample 300 . c 7 round=interval start=250
		event sample 400 . c . round=interval start=350
		event sample 600 . c 8 round=interval start=500
		event sample . . c 2 start=600
		event sample 900 . c 9 round=interval start=800
		event sample . . c 2 start=850
		event sample . . d 2 start=900
	} >in
	trace perfetto in
	said 'left out lines without a time: 4'
	said 'left out counters without a usable number: 3'
	grep '^counter' got >got2
	mv got2 got
	is 'counter 4194305 0 c 5' 'counter 4194305 0.25 c 7' 'counter 4194305 0.3 c 0' 'counter 4194305 0.5 c 8' \
		'counter 4194305 0.8 c 9' 'counter 4194305 0.9 c 0'
	# with none but these there is nothing to draw
	grep '	[.]	0x1' in >few
	want_status 1 traceenc few
	said 'there is nothing to write: all lines were left out'
	# the recording itself, also without the tag round
	trace perfetto <(perfdec "$ROOT/t/data/perf/stat.data")
	printf 'traceenc: left out lines without a time: 6\n' | same - err
	grep '^counter.*cpu 0' got | sed -n '/cpu-clock/p' >want
	printf 'counter 4194305 %s cpu-clock [ns] cpu 0 %s\n' 0 10190428 10079.395 10237247 20332.3 5216732 25589.367 5216732 |
		same - want
	grep '^counter' got >want
	perfdec --tags cpu "$ROOT/t/data/perf/stat.data" >few
	traceenc few >json 2>err || [ $? -eq 1 ]
	checked perfetto json | grep '^counter' >got
	same want got
}

@test "perfetto: counters of several events with one name, and of threads without a number" {
	cd "$T"
	{
		event sample 100 . z 8 cpu=0 event=1 round=interval start=0
		event sample 100 . z 4 cpu=0 event=2 round=interval start=0
		event sample 100 . z 5 tid=. thread=0 round=interval start=0
		event sample 100 . z 6 tid=. thread=1 round=interval start=0
	} >in
	trace perfetto in
	silent
	grep ' 0 z' got >got2
	mv got2 got
	is 'counter 4194305 0 z cpu 0 event 1 8' 'counter 4194305 0 z cpu 0 event 2 4' \
		'counter 4194305 0 z thread at position 0 5' 'counter 4194305 0 z thread at position 1 6'
}

# counters LINE...: traces the lines, KIND TIME REGION [TAG]..., whose values are 1, 2 and so on, as
# MICROSECONDS NAME VALUE.
counters() {
	local line n=0
	for line in "$@"; do
		read -ra line <<<"$line"
		n=$((n + 1))
		case ${line[0]} in
		sample) event sample "${line[1]}000" "${line[2]}" q $n "${line[@]:3}" ;;
		*) event "${line[0]}" "${line[1]}000" "${line[2]}" . . "${line[@]:3}" ;;
		esac
	done >in
	trace perfetto in
	sed -n 's/^counter 4194305 //p' got >got2
	mv got2 got
}

@test "perfetto: values of different regions, sections and intervals are on different tracks" {
	local region=scope=region section=scope=section
	cd "$T"
	counters "sample 1 disk $section id=1 interval=1" "sample 2 net $section id=2 interval=1" \
		"sample 3 disk $section id=1 interval=1" "sample 4 net $section id=2 interval=1" "sample 5 . scope=run"
	is '1 q in disk 1' '2 q in net 2' '3 q in disk 3' '4 q in net 4' '5 q 5'
	# of one label: sections, intervals that overlap, regions inside each other, a region and a section
	counters "sample 1 a $section id=1 interval=1" "sample 2 a $section id=2 interval=1" \
		"sample 3 a $section id=1 interval=2" "sample 4 a $section id=2 interval=2" "sample 5 a $section id=1 interval=1"
	is '1 q in a 1' '2 q in a id 2 2' '3 q in a (2) 3' '4 q in a id 2 (2) 4' '5 q in a 5'
	counters "sample 1 a $region id=1" "sample 2 a $region id=2" "sample 3 a $region id=1" "sample 4 a $section"
	is '1 q in a 1' '2 q in a (2) 2' '3 q in a 3' '4 q in a (3) 4'
	counters "sample 1 a $region" "sample 2 a $region" "sample 3 b $region"
	is '1 q in a 1' '2 q in a 2' '3 q in b 3'
	# a measure with the name of another track
	{
		event sample 1 a q 1 scope=region
		event sample 2 . 'q in a' 2 scope=run
	} >in
	trace perfetto in
	[ "$(grep -c '^counter .* q in a 1$' got)" -eq 1 ]
	[ "$(grep -c '^counter .* q in a (2) 2$' got)" -eq 1 ]
}

@test "perfetto: a region or interval that begins after the stop of another one continues its track" {
	local r=scope=region s=scope=section
	cd "$T"
	counters "start 1 a $r id=1" "sample 1 a $r id=1" "stop 2 a $r id=1" "start 2 a $r id=2" "sample 2 a $r id=2" \
		"stop 4 a $r id=2" "sample 4 a $r id=2" "start 5 a $r id=3" "sample 5 a $r id=3" "sample 5 b $r id=4"
	is '1 q in a 2' '2 q in a 5' '4 q in a 7' '5 q in a 9' '5 q in b 10'
	# two that are open share no track, nor do those whose intervals overlap in another order
	counters "sample 1 a $s id=1 interval=1" "sample 2 a $s id=1 interval=2" "stop 3 a $s id=1 interval=1" \
		"sample 4 a $s id=1 interval=3" "sample 5 a $s id=1 interval=2" "sample 6 a $s id=1 interval=3"
	is '1 q in a 1' '2 q in a (2) 2' '4 q in a 4' '5 q in a (2) 5' '6 q in a 6'
	counters "sample 1 a $s id=1 interval=1" "stop 9 a $s id=1 interval=1" "sample 8 a $s id=1 interval=2"
	is '1 q in a 1' '8 q in a (2) 3'
	# an id that is used again, after another one has taken the track
	counters "sample 1 a $r id=1" "stop 2 a $r id=1" "sample 3 a $r id=2" "start 4 a $r id=1" "sample 4 a $r id=1" \
		"stop 5 a $r id=2" "sample 6 a $r id=3" "sample 7 a $r id=1"
	is '1 q in a 1' '3 q in a 3' '4 q in a (2) 5' '6 q in a 7' '7 q in a (2) 8'
	# before another one has, and one that stops before its last value, or at no time
	counters "sample 1 a $r id=1" "stop 2 a $r id=1" "start 3 a $r id=1" "sample 3 a $r id=1"
	is '1 q in a 1' '3 q in a 4'
	counters "sample 5 a $r id=1" "stop 2 a $r id=1" "sample 3 a $r id=2" "sample 5 a $r id=3"
	is '5 q in a 1' '3 q in a (2) 3' '5 q in a 4'
	counters "sample 1 a $r id=1" "stop . a $r id=1" "sample 1 a $r id=2"
	is '1 q in a 1' '1 q in a 3'
	# intervals have ids of their own, and the stop of a region without one is that of none of them
	counters "sample 1 a scope=interval interval=1" "sample 1 a scope=interval interval=2" "stop 2 a pid=1" \
		"sample 3 a scope=interval interval=3" "stop 4 a scope=interval interval=2" "sample 4 a scope=interval interval=4"
	is '1 q in a 1' '1 q in a (2) 2' '3 q in a (3) 4' '4 q in a (2) 6'
	# and one that goes on without a start
	counters "sample 1 a $r id=1" "stop 2 a $r id=1" "sample 3 a $r id=2" "sample 4 a $r id=1" "sample 5 a $r id=2"
	is '1 q in a 1' '3 q in a 3' '4 q in a (2) 4' '5 q in a 5'
}

@test "perfetto: values of sections that come one section after the other are in order" {
	local n
	cd "$T"
	{
		printf '# AFPerf v1     \n'
		printf '%s\n' RunInfo,0,milliseconds,1,1.0.0,1,app,1, MeasurementType,0,1,7,queue,int32,count,, SectionInfo,0,1,1,disk, \
			SectionInfo,0,1,2,net,
		for n in 1 2; do
			printf "%s,$n,1%s\n" SectionStart,0 '' SectionPoint,$((9 - 3 * n)) ,7,$((10 * n)) SectionStop,9 ''
		done
	} >blocks
	want_status 0 afdec --check blocks
	afdec blocks >in
	want_status 0 traceenc --strict in
	cp out json
	checked perfetto json >got
	grep '^counter' got >got2
	mv got2 got
	is 'counter 4194305 6000 queue in disk 10' 'counter 4194305 3000 queue in net 20'
}

@test "perfetto: counters that come late or from days before, and the end of the clock" {
	cd "$T"
	{
		event sample 300 . cycles 5 tid=1 round=interval start=200
		event sample 250 . cycles 7 tid=1 round=interval start=150
		event sample 400 . cycles 9 tid=1 round=interval start=300
	} >in
	status_wanted=1 trace perfetto in
	said 'left out samples that come after later ones of their thread: 1 (sort the stream by time)'
	is 'counter 4194305 0.2 cycles thread 1 5' 'counter 4194305 0.3 cycles thread 1 9' \
		'counter 4194305 0.4 cycles thread 1 0' 'process 4194305 run 0x1' \
		'note the input is incomplete or damaged, so the values may be too small: left out samples that come after later ones of their thread: 1 (sort the stream by time) (errors: 1)'
	{
		event sample 1700000000000000000 main mem 5 scope=region
		event sample 1600000000000000000 main mem 7 scope=region
		event sample 1700000000000000001 main mem 9 scope=region start=1600000000000000000
		event sample 1700000000000000002 main mem 11 scope=region start=1700000000000000001
	} >in
	trace perfetto in
	said 'left out lines from days before the first time of their run: 2'
	is 'counter 4194305 80000000000 mem in main 5' 'counter 4194305 80000000000.001 mem in main 11' \
		'counter 4194305 80000000000.002 mem in main 0' 'process 4194305 run 0x1' 'note left out lines from days before the first time of their run: 2'
	# one that has no value, either, is counted once
	event sample 1600000000000000010 main mem . scope=region start=1600000000000000000 >>in
	trace perfetto in
	said 'left out lines from days before the first time of their run: 2'
	said 'left out counters without a usable number: 1'
	{
		event sample 5 f cycles 1 pid=7 tid=7 stack=
		event sample 18446744073709551615 f cycles 1 pid=7 tid=7 'stack=f;g'
	} >in
	trace perfetto in
	silent
	is 'process 7 process 7' 'thread 7/7 thread 7' 'slice 7/7 0.005 10000.005 f' \
		'slice 7/7 18446744073709551.615 18446744073709551.615 f' 'slice 7/7 18446744073709551.615 18446744073709551.615 g'
}

@test "perfetto: spans that overlap more than 255 others, and depths beyond 4095" {
	cd "$T"
	for ((i = 0; i < 300; i++)); do
		event span $((1000 + i)) s wait $i start=$i tid=1
	done >in
	trace perfetto in
	said 'left out spans that overlap too many others: 44'
	[ "$(grep -c '^slice' got)" -eq 256 ]
	[ "$(grep -c '^thread' got)" -eq 256 ]
	grep -qx 'slice 4194305/1 0 1 s {"wait": 0}' got
	[ "$(grep -c '^slice 4194305/[0-9]* 0.255 1.255 s {"wait": 255}$' got)" -eq 1 ]
	if grep -q '"wait": 256' got; then fail 'a track for another span'; fi
	# beyond that depth spans of the same times are as deep as each other, in the order of the input
	{
		event span 9 deep wait 1 start=4 tid=1 depth=5000
		event span 9 other wait 2 start=4 tid=1 depth=4096
		event span 9 outer wait 3 start=4 tid=1 depth=4094
	} >in
	trace perfetto in
	is 'process 4194305 run 0x1' 'thread 4194305/1 thread 1' 'slice 4194305/1 0.004 0.009 outer {"wait": 3}' \
		'slice 4194305/1 0.004 0.009 deep {"wait": 1}' 'slice 4194305/1 0.004 0.009 other {"wait": 2}'
}

@test "firefox: a measure whose first lines are left out comes after another one" {
	cd "$T"
	{
		event sample . f one 5 pid=1 tid=1
		event sample 2000000 f two 7 pid=1 tid=1 unit=B
		event sample 3000000 g one 9 pid=1 tid=1
	} >in
	trace firefox in
	said 'left out lines without a time: 1'
	is 'note left out lines without a time: 1' 'thread thread 1 1/1: two [B] 1 1.1 bytes 7' 'sample 0 7 f' \
		'thread thread 1 1/1: one 1 1 samples 9' 'sample 1 9 g'
}

@test "a thread that changes processors is one; idle ones are one for each processor in perfetto alone" {
	cd "$T"
	{
		event sample 1000 f m 6 pid=1 tid=2 cpu=1 stack=a
		event sample 2000 f m 6 pid=1 tid=2 cpu=2 stack=a
		event sample 3000 f m 6 pid=0 tid=0 cpu=2 stack=a
		event sample 4000 f m 6 pid=0 tid=0 cpu=1 stack=a
		event sample 5000 f m 6 pid=0 tid=0 cpu=. stack=a
	} >in
	trace perfetto --gap 2us in
	is 'process 1 process 1' 'process 4194305 process 0' 'thread 1/2 thread 2' \
		'thread 4194305/4194306 thread 0 on cpu 2' 'thread 4194305/4194307 thread 0 on cpu 1' \
		'thread 4194305/4194308 thread 0' 'slice 1/2 1 3 a' \
		'slice 4194305/4194306 3 4 a' 'slice 4194305/4194307 4 5 a' 'slice 4194305/4194308 5 6 a'
	trace speedscope in
	is 'profile thread 2 1/2: m none 12' 'sample 6 a' 'sample 6 a' \
		'profile thread 0 0/0: m none 18' 'sample 6 a' 'sample 6 a' 'sample 6 a'
	trace firefox in
	[ "$(grep -c '^thread' got)" -eq 2 ]
}

@test "perfetto: large times keep their nanoseconds, runs keep their processes" {
	cd "$T"
	{
		event sample 1700000000123456789 f cycles 1 pid=7 tid=7 comm=a
		run=0x2 event sample 123456789 g cycles 1 pid=7 tid=7 comm=b
		event sample 5 f cycles 1 pid=7 tid=9 comm=a
		event sample 1700000000123456790 i cycles 1 pid=0 tid=0 comm=swapper cpu=3
		event sample 1700000000123456791 i cycles 1 pid=0 tid=0 comm=swapper cpu=1
		event span 1700000000223456791 s time 1 pid=7 tid=7 comm=a start=1600000000123456791
	} >in
	trace perfetto --gap 2ns in
	said 'left out lines from days before the first time of their run: 2'
	if grep -q '^slice.* s$' got; then fail "a span that began days before"; fi
	[ "$(grep -c '^thread' got)" -eq 4 ]
	# 1700000000 is 22:13:20 UTC
	grep -qx 'slice 7/7 80000123456.789 80000123456.79 f' got
	grep -qx 'slice 4194305/4194306 123456.789 123456.79 g' got
	grep -qx 'thread 41943[0-9]*/41943[0-9]* swapper on cpu 3' got
	grep -qF '"labels":"0x2"' json
}

@test "samples that come too late are an error, and those of other threads are not" {
	cd "$T"
	event sample 20 f cycles 1 pid=7 tid=7 >in
	event sample 10 g cycles 2 pid=7 tid=8 >>in
	trace perfetto in
	event sample 19 f cycles 4 pid=7 tid=7 >>in
	status_wanted=1 trace perfetto in
	said 'left out samples that come after later ones of their thread: 1'
	trace speedscope in
	is 'profile thread 7 7/7: cycles none 5' 'sample 4 f' 'sample 1 f' 'profile thread 8 7/8: cycles none 2' 'sample 2 g'
}

@test "values are exact, or left out and counted" {
	cd "$T"
	{
		event sample 1 f cycles 2147483647 pid=1 tid=1
		event sample 2 f cycles 2147483648 pid=1 tid=1
		event sample 3 f cycles 9007199254740993 pid=1 tid=1
		event sample 4 f cycles 18446744073709551616000 pid=1 tid=1
		event sample 5 f cycles 007 pid=1 tid=1
	} >in
	trace speedscope in
	said 'values above 2^53'
	grep -qx 'profile thread 1 1/1: cycles none 18446753080913101324295' got
	checked speedscope json in
	trace firefox in
	checked firefox json in
	event sample 6 f cycles inf pid=1 tid=1 >>in
	event sample 7 f cycles -3 pid=1 tid=1 >>in
	trace speedscope in
	said 'left out values that JSON cannot hold (inf, nan): 1'
	said 'left out negative values, which speedscope refuses: 1'
	event sample 8 f cycles five pid=1 tid=1 >in
	want_status 1 traceenc --for firefox in
	said 'in:1: value "five" is not a number'
}

@test "values that a double or 128 bits cannot hold are errors, as for foldenc" {
	cd "$T"
	{
		event sample 1 f cycles 5 pid=1 tid=1
		for value in 1e400 -1e400 340282366920938463463374607431768211456 1$(printf '%0400d' 0); do
			event sample 2 f cycles "$value" pid=1 tid=1
		done
		event sample 3 f cycles -007 pid=1 tid=1
		event sample 3 f cycles -0 pid=1 tid=1
		event sample 4 f time 1e305 pid=1 tid=1 unit=s
	} >in
	for target in speedscope firefox; do
		status_wanted=1 trace $target in
		sed -n 's/^traceenc: \(in:.*\)/\1/p' err >errors
		want_status 1 foldenc in
		sed -n 's/^foldenc: \(in:.*\)/\1/p' err >want
		[ "$(wc -l <want)" -eq 4 ]
		same want errors
		traceenc --for $target in 2>err >out || true
		case $target in
		speedscope)
			said 'left out negative values, which speedscope refuses: 1'
			sed -i 's/^note .*(errors: 4); /note /' got
			is 'note left out negative values, which speedscope refuses: 1' \
				'profile thread 1 1/1: cycles none 5' 'sample 5 f' 'sample 0 f' \
				"profile thread 1 1/1: time [s] seconds 1$(printf '%0305d' 0)" "sample 1$(printf '%0305d' 0) f"
			;;
		firefox)
			said 'left out values too large for the program in milliseconds: 1'
			grep -qx 'sample 0.000002 -7 f' got
			;;
		esac
	done
}

@test "speedscope: the sum of the weights is exact, whatever they are" {
	cd "$T"
	for value in 0.1 0.2 1e23 5e-324 1.7976931348623157e308 1.7976931348623157e308 12345678.12345678 \
		340282366920938463463374607431768211455 340282366920938463463374607431768211455 0.1 2147483648 7; do
		event sample 1 f m "$value" pid=1 tid=1
	done >in
	trace speedscope in
	checked speedscope json in
	for ((i = 0; i < 10; i++)); do
		event sample 1 f m 0.1
	done >in
	trace speedscope in
	grep -q '"endValue":1,' json
	event sample 1 f m 99999999.9 >>in
	event sample 1 f m 0.000000001 >>in
	trace speedscope in
	grep -q '"endValue":100000000.900000001,' json
}

@test "times that are none, or too large, are not called missing" {
	cd "$T"
	{
		event sample 1 f m 1 pid=1 tid=1
		event sample . f m 2 pid=1 tid=1
		for time in 18446744073709551616 soon -1 1.5; do
			event sample $time f m 4 pid=1 tid=1
		done
	} >in
	trace speedscope in
	said 'lines without a time, which come last: 1'
	said 'lines whose time is not a number below 2^64, which come last: 4'
	trace firefox in
	said 'left out lines without a time: 1'
	said 'left out lines whose time is not a number below 2^64: 4'
	{
		event span 18446744073709551616 f wait 1 start=1
		event span 5 f wait 1 start=x
		event span 5 f wait 1 start=.
		event sample 5 f read 1 scope=region start=6
		event sample 5 f read 1 scope=region start=.
	} >>in
	trace perfetto in
	said 'left out lines without a time: 2'
	said 'left out lines whose times are not numbers below 2^64, or end before they start: 7'
	said 'left out spans without an interval: 1'
}

@test "memory that ends: a message, and an output that no program takes for a whole one" {
	cd "$T"
	awk 'BEGIN {
		for (i = 0; i < 4000; i++)
			printf "sample\t%d\t0x1\tf\tcycles\t%d\tpid=7\ttid=%d\tstack=main;g%d;f%d\n", i * 1000, i, i, i, i
	}' >in
	for target in speedscope firefox perfetto; do
		traceenc --for $target in >whole
		for k in 1 4 8 12 16 20 24 28 32 36 40 44; do
			status=0
			traceenc --for $target --max-memory $((k * 100))K in >out 2>err || status=$?
			if [ $status -eq 0 ]; then
				same whole out
				continue
			fi
			[ $status -eq 1 ]
			said 'the output is not complete, so no program can read it'
			[ "$(tail -c 2 out)" != '}' ] || fail "$target $k"
		done
		[ $status -eq 0 ]
	done
}

@test "names of any bytes make valid JSON" {
	cd "$T"
	{
		event sample 1 'a;b' cycles 1 'comm=\xff"\n\\\\"' pid=1 tid=1
		event sample 2 x cycles 1 'comm=\xff"\n\\\\"' pid=1 tid=1 'stack=a\x3bb;</script>;\xe2\x80\xae;😀;"'
		event span 4 'n"\\x3b' 'm"' 3 start=1 'comm=\xff"\n\\\\"' pid=1 tid=1
	} >in
	for target in speedscope firefox perfetto; do
		trace $target in
		grep -q 'a;b' got
		grep -qF '</script>' got
		grep -qF '😀' got
	done
	trace speedscope in
	is 'profile \xff"\n\\\\" 1/1: cycles none 2' 'sample 1 a;b' 'sample 1 a;b;</script>;\xe2\x80\xae;😀;"' \
		'profile \xff"\n\\\\" 1/1: m" none 3' 'sample 3 n"\\x3b'
	printf 'sample\t1\t0x1\tf\tcycles\t1\tcomm=' >in
	head -c 1000000 /dev/zero | tr '\0' '"' >>in
	printf '\n' >>in
	for target in speedscope firefox perfetto; do
		trace $target in
	done
}

@test "what is missing is on standard error and in the output" {
	cd "$T"
	{
		printf '#afstream\t1\tperfdec\tx\n'
		event sample 1 f cycles 1 pid=1 tid=1
		event start 1 f . . pid=1
		event stop 1 f . . pid=1
		event mmap 1 . . . pid=1
		event lost 1 . . 3
		event model 1 . . .
		printf '#end\tperfdec\tx\t6\tpartial\tcut\tlost=3\n'
	} >in
	for target in speedscope firefox perfetto; do
		status_wanted=1 trace $target in
		grep -q '^note the input is incomplete or damaged' got
		grep -q '^note .*left out start and stop lines: 2; afdur turns them into spans' got
		grep -q '^note .*other kinds' got
		grep -q '^note .*lost.*3' got
		said 'afdur turns them into spans'
	done
	# each of the rarer lines that perfetto leaves out, with its number
	{
		event sample 9 f cycles 1 pid=1 tid=1 stack=f
		event sample 9 f time 1 pid=1 tid=1 stack=f
		event span 9 f time 1 pid=1 tid=1 start=8
		event sample 9 f cycles 1 pid=1 tid=1 stack=.
	} >in
	trace perfetto --measure cycles in
	said 'left out lines of other measures (see --measure): 2'
	grep -q '^note .*left out lines of other measures (see --measure): 2' got
	want_status 1 traceenc --for perfetto --no-marks --measure cycle in
	printf 'traceenc: %s\n' 'no line has a value of the measure cycle; did you mean cycles?' \
		'left out lines of other measures (see --measure): 4' | same - err
	[ ! -s out ]
	# of several errors the first one, which is no doubt
	{
		printf '#afstream\t1\tp\tx\n' && event run 1 . . . && sed 1q in && printf '#end\tp\tx\t2\tcomplete\n'
		printf '#afstream\t1\tp\ty\n' && event run 1 . . . && sed 1q in && echo sample
		printf '#end\tp\ty\t3\tpartial\tcut\n'
	} >several
	status_wanted=1 trace speedscope several
	said 'run 0x1 also came from another source'
	said 'p y ended partial: cut'
	grep -q '^note the input is incomplete or damaged, so the values may be too small: 1 column, .* (errors: 2)' got
}

# bats test_tags=slow,sanitize
@test "recordings: the sum of each measure is that of the stream" {
	cd "$T"
	for data in "$ROOT"/t/data/perf/{chain,flat,events,group,trace,user,stat}.data; do
		perfdec --no-symbols "$data" >in 2>/dev/null || true
		for target in speedscope firefox; do
			traceenc --for $target in >json 2>err
			checked $target json in >/dev/null
		done
		traceenc in >json 2>err
		checked perfetto json >/dev/null
	done
}

@test "aggregates for speedscope; what cannot be added up is refused" {
	cd "$T"
	event sample 1 f cycles 4 pid=1 tid=1 comm=a 'stack=main;f' >in
	event sample 2 f cycles 5 pid=1 tid=1 comm=a 'stack=main;f' >>in
	afagg --by comm,stack in >agg
	trace speedscope agg
	grep -qx 'sample 9 main;f' got
	afagg --partial --by stack in >part
	want_status 1 traceenc --for speedscope part
	{
		event diff . f cycles 3 stat=sum before=4 after=7
		event diff . g cycles 0 stat=sum before=4 after=4
	} >changes
	for target in speedscope firefox; do
		want_status 1 traceenc --for $target changes
		echo 'traceenc: changes: lines of kind diff are changes, not weights' | same - err
	done
	want_status 1 traceenc changes
	said 'traceenc: no events, only changes (lines of kind diff)'
	[ ! -s out ]
	want_status 1 traceenc agg
	said 'no events, only results (lines of kind agg): --for speedscope shows them'
	said 'left out lines of other kinds: '
	[ ! -s out ]
}

@test "lines that are all left out are an error" {
	cd "$T"
	local line target
	for line in "$(event sample . a t 7 stack=a)" "$(event start 1 a t . id=1)" \
		"$(event sample x a t 7 stack=a)"; do
		echo "$line" >in
		for target in perfetto firefox; do
			want_status 1 traceenc --no-marks --for $target in
			said 'traceenc: there is nothing to write: all lines were left out'
			[ ! -s out ] || fail "$target has something of $line"
		done
	done
	# the measure is there, so its name is not what is wrong
	event sample . a t 7 stack=a >in
	want_status 1 traceenc --no-marks --measure t in
	said 'nothing to write'
	for line in "$(event sample 1 a t -7 stack=a)" "$(event sample 1 a t inf type=double stack=a)"; do
		echo "$line" >in
		want_status 1 traceenc --no-marks --for speedscope in
		said 'traceenc: there is nothing to write: all lines were left out'
	done
}

@test "memory of perfetto's form does not grow with the samples" {
	cd "$T"
	awk 'BEGIN {
		for (i = 0; i < 200000; i++)
			printf "sample\t%d\t0x1\tf%d\tcycles\t%d\tpid=7\ttid=%d\tstack=main;g%d;f%d\n", i * 1000, i, i, i % 10, i, i
	}' >in
	want_status 0 traceenc --max-memory 1M in
	awk 'BEGIN {
		for (i = 0; i < 200000; i++)
			printf "span\t%d\t0x1\tf%d\twait\t%d\tpid=7\ttid=%d\tstart=%d\n", i * 1000 + 900, i, 900, i % 10, i * 1000
	}' >in
	want_status 0 traceenc --max-memory 2M in
	[ "$(grep -c '"ph":"X"' out)" -eq 200000 ]
}

# bats test_tags=slow,sanitize
@test "random streams: valid output, nested slices, exact sums" {
	cd "$T"
	cat >make.py <<-'END'
		import random, sys
		r = random.Random(int(sys.argv[1]))
		times = [0, 1, 2, 5, 10, 1000, 20000000, 2 ** 52, 2 ** 64 - 1]
		names = ["f", "g", "a\\x3bb", "\\.", ".", "\\xff", "é", '"']

		def tags(span):
		    out = ["pid=%s" % r.choice(["1", "2", "0", ".", "x", "4194305"]), "tid=%s" % r.choice(["1", "2", "0", "."])]
		    if r.random() < .5: out.append("comm=" + r.choice(names))
		    if r.random() < .2: out.append("cpu=%d" % r.randrange(2))
		    if r.random() < .7:
		        n = r.randrange(1, 6)
		        out.append("stack=" + ";".join(r.choice(names) for i in range(n)))
		        if r.random() < .3: out.append("lines=" + ";".join(r.choice(["?", "f.c:1", "f.c:?", ":", "a:b:9"]) for i in range(n + (r.random() < .1))))
		    if r.random() < .3: out.append("unit=" + r.choice(["ns", "us", "s", "B", "KiB"]))
		    if span or r.random() < .05: out.append("start=%d" % (r.choice(times) if r.random() < .3 else r.randrange(60)))
		    if r.random() < .05: out.append("scope=region")
		    if r.random() < .05: out.append("depth=%d" % r.randrange(4))
		    return out

		t = 0
		for i in range(r.randrange(80)):
		    t = r.choice(times) if r.random() < .03 else t + r.randrange(4) * r.choice([1, 1, 1000000])
		    span = r.random() < .4
		    time = "." if r.random() < .02 else str(min(2 ** 64 - 1, t if not span else r.randrange(60)))
		    value = r.choice(["0", "1", "7", "1000000", "2147483648", "99999999999999999999", "0.1", "1.5e-7", "3e300", "00"])
		    print("\t".join(["span" if span else "sample", time, r.choice(["0x1", "0x1", "0x2"]), r.choice(names),
		                     r.choice(["cycles", "wait", "m\\x07"]), value] + tags(span)))
	END
	for ((seed = 0; seed < ${AFPIPE_SLOW:+12}5; seed++)); do
		python3 make.py $seed >in
		for target in speedscope firefox perfetto; do
			echo "$seed $target"
			traceenc --for $target in >json 2>err || grep -q 'come after later ones' err
			if [ $target = perfetto ] || [ ! -s in ]; then
				checked $target json >got
			else
				checked $target json in >got
			fi
		done
	done
}

@test "fuzz: streams for each program" {
	helpers fuzz-trace
	cd "$T"
	[[ ${CFLAGS-} == *sanitize* ]] || export FUZZ_KIB=65536
	want_status 0 fuzz-trace "$ROOT"/t/fuzz/corpus/trace/*
	want_status 0 fuzz-trace --prefixes 1 "$ROOT"/t/fuzz/corpus/trace/*
	want_status 0 fuzz-trace --flips 2000 1 "$ROOT"/t/fuzz/corpus/trace/*
}

@test "options that do not belong together" {
	cd "$T"
	: >in
	want_status 2 traceenc --for chrome in
	want_status 2 traceenc --for firefox --gap 5ns in
	want_status 2 traceenc --kind span in
	want_status 2 traceenc --gap 0ns in
	said '--gap: 0 is too short'
	want_status 2 traceenc --gap 5 in
	said '--gap: "5" is not a duration such as 500ms or 1s'
}

@test "--gap: what is no duration, or more than 2^63 - 1 nanoseconds" {
	local gap
	cd "$T"
	event sample 1 f m 1 >in
	for gap in '' 1 1.5 1x 9223372036.854775808s 18446744073709551616s; do
		want_status 2 traceenc --gap "$gap" in
		said "traceenc: --gap: \"$gap\" is not a duration such as 500ms or 1s"
	done
	want_status 2 traceenc --gap 0s in
	said 'traceenc: --gap: 0 is too short'
	want_status 0 traceenc --gap 9223372036.854775807s in
}
