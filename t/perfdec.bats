# SPDX-License-Identifier: ISC
# perfdec.bats - perf.data to the stream.  t/perf.bats asks perf itself.

load lib
load perfdec

BUGS=$BATS_TEST_DIRNAME/bugs

setup_file() {
	helpers perfconv perfmake sigdfl rss fuzz-perfdata
}

# samples FILE [OPTION...]: the lines of a recording without its marks, to standard output.
samples() {
	local file=$1
	shift
	perfdec --no-symbols "$@" "$file" | sed '/^#/d'
}

# made [OPTION...]: what perfdec makes of the text on standard input, less marks and run id.
made() {
	perfmake >made.data && perfdec --run R "$@" made.data >made.ev && sed -n '/^#/!s/\tR\t/\t/p' made.ev
}

# ---- recordings

# bats test_tags=quick
@test "every recording gives the stream that is kept with it" {
	local file name
	cd "$DATA"
	for file in *.data threads; do
		name=${file%.data}
		if [ "$name" = unfinished ]; then
			want_status 1 perfdec --no-symbols "$file"
		else
			want_status 0 perfdec --no-symbols --no-unwind "$file"
			case $name in
			stackdump | noregs) [ "$(grep -c 'some callers in user code are not known' "$T/err")" -eq 1 ] ;;
			*) silent ;;
			esac
		fi
		same "$name.ev" "$T/out"
		[ -e "$name.all.ev" ] || continue
		want_status 0 perfdec --no-symbols --no-unwind --all "$file"
		same "$name.all.ev" "$T/out"
	done
}

@test "the same bytes by path, from a file on standard input, and from a pipe" {
	local name
	for name in chain events group pipe wide; do
		want_status 0 perfdec --no-symbols "$DATA/$name.data"
		unmarked out >want
		want_status 0 perfdec --no-symbols <"$DATA/$name.data"
		unmarked out >got
		same want got
		want_status 0 perfdec --no-symbols - <"$DATA/$name.data"
		unmarked out >got
		same want got
		want_status 0 sh -c "cat '$DATA/$name.data' | perfdec --no-symbols"
		unmarked out >got
		same want got
	done
}

@test "in one pass, without spooling, only what stands at the end is missing" {
	local name
	for name in chain pipe flat; do
		samples "$DATA/$name.data" | grep '^sample' >want
		want_status 0 sh -c "cat '$DATA/$name.data' | perfdec --no-symbols --no-spool"
		grep '^sample' out >got
		same want got
	done
	sh -c "cat '$DATA/chain.data' | perfdec --no-symbols --no-spool" >got
	[ "$(grep -c "host=" got)" -eq 0 ]
}

@test "compressed records that are damaged are said; what stands before and behind is read" {
	need python3
	perfconv --pipe --zstd 81 "$DATA/lost.data" >packed.data
	perfdec --no-symbols packed.data | sed '/^#/d' >want
	# in the middle of a compressed record, and cut inside of one
	python3 -c '
d = bytearray(open("packed.data", "rb").read())
at, packed = 16, []
while at < len(d):
    if d[at] == 81:
        packed.append(at)
    at += int.from_bytes(d[at + 6:at + 8], "little")
assert len(packed) > 6
open("cut.data", "wb").write(d[:packed[-3] + 20])
middle = packed[len(packed) // 2]
d[middle + 8:middle + 16] = b"\xff" * 8
open("hurt.data", "wb").write(d)'
	want_status 1 perfdec --no-symbols hurt.data
	said "perfdec: hurt.data: 0x"
	unmarked out >got
	head -n 8 want >first
	head -n 8 got >got.first
	same first got.first
	[ "$(comm -13 <(undated <want | sort) <(sort got) | wc -l)" -eq 0 ]
	want_status 1 perfdec --no-symbols cut.data
	unmarked out >got
	[ "$(comm -13 <(undated <want | sort) <(sort got) | wc -l)" -eq 0 ]
	[ "$(wc -l <got)" -gt 10 ]
}

# again STREAM: the ids of the runs that it has several times.
again() {
	grep '^run' "$1" | cut -f 3 | sort | uniq -d
}

@test "recordings that cat has joined in one pipe are read one after another" {
	local name
	perfconv --pipe "$DATA/user.data" >user.data
	perfconv --pipe --big "$DATA/lost.data" >lost.data
	perfconv --pipe --zstd 83 "$DATA/events.data" >events.data
	for name in "$DATA/pipe.data" user.data lost.data events.data "$DATA/pipe.data"; do
		perfdec --no-symbols "$name" | sed '/^#/d'
	done >want
	cat "$DATA/pipe.data" user.data lost.data events.data "$DATA/pipe.data" >joined.data
	want_status 0 perfdec --no-symbols joined.data
	echo "perfdec: joined.data: run $(again out) comes twice in this input: is it counted twice? (several runs with one id: see afpipe-cookbook(7))" |
		same - err
	unmarked out >got
	same want got
	[ "$(tail -n 1 out | cut -f 4)" -eq "$(wc -l <want)" ]
	tail -n 1 out | cut -f 6 >got
	perfdec --no-symbols lost.data | tail -n 1 | cut -f 6 >want
	same want got
	want_status 0 sh -c "cat joined.data | perfdec --no-symbols"
	[ "$(grep -c '^run' out)" -eq 5 ]
}

@test "a recording that is joined to itself is a doubt, once, and in the end mark" {
	local file=$DATA/pipe.data
	perfconv --pipe "$DATA/user.data" >user.data
	cat "$file" "$file" user.data "$file" user.data >joined.data
	want_status 0 perfdec --no-symbols joined.data
	[ "$(grep -c 'run 0x.* comes twice in this input' err)" -eq 2 ]
	tail -n 1 out | grep -q '	complete.*	twice=2$'
	want_status 1 perfdec --no-symbols --strict joined.data
	want_status 0 sh -c 'perfdec --no-symbols joined.data 2>/dev/null | afagg | aftab'
	said 'aftab: runs that come from more than one source, and may have been counted twice: 2'
	# one id for different recordings; the ids of headers alone, which these may share
	cat "$file" user.data >joined.data
	want_status 0 perfdec --no-symbols joined.data
	silent
	want_status 0 perfdec --no-symbols --run x joined.data
	said 'joined.data: run x comes twice in this input'
	cat "$file" "$file" >joined.data
	want_status 0 perfdec --header joined.data
	silent
	want_status 0 perfdec --stats joined.data
	said 'comes twice'
}

@test "what cannot be joined is refused, not swallowed" {
	cat "$DATA/pipe.data" "$DATA/flat.data" >mixed
	want_status 1 perfdec --no-symbols mixed
	said "perfdec: mixed: 0x1270: a recording in file mode after another"
	tail -n 1 out | grep -q 'partial	damaged$'
	unmarked out >got
	unmarked "$DATA/pipe.ev" >want
	same want got
	cat "$DATA/flat.data" "$DATA/flat.data" >two
	want_status 1 perfdec --no-symbols two
	said "perfdec: two: 0x"
	said "another recording follows this one and is not read"
	{ cat "$DATA/pipe.data" && head -c 12 "$DATA/pipe.data"; } >cut.data
	want_status 1 perfdec --no-symbols cut.data
	said "perfdec: cut.data: 0x127c: cut short in its header"
}

@test "a recording without any event is one that was cut, alone and between others" {
	printf 'sample 1 1 1 u 0x10\n' | perfmake >one
	head -c 16 one >none
	want_status 1 perfdec none
	said "none: 0x10: the recording ends before any event"
	cat one none one >joined
	want_status 1 perfdec joined
	[ "$(grep -c '^sample' out)" -eq 2 ]
}

@test "events that lay samples out in different ways: without an id no sample is read as another" {
	perfmake >ids.data <<-'END'
		raw 64 0 4:1 4:64 8:1 8:1 8:0x187 8:0 8:0 4:0 4:0 8:0 8:9
		raw 9 2 8:0x1000 4:1 4:1 8:5 8:0 8:1
	END
	want_status 1 perfdec --no-symbols ids.data
	said "sample of one of 2 events with different layouts: nothing in it identifies the event"
	[ "$(grep -c '^sample' out)" -eq 0 ]
	perfmake --type 0x187 >same.data <<-'END'
		raw 64 0 4:1 4:64 8:1 8:1 8:0x187 8:0 8:0 4:0 4:0 8:0 8:9
		raw 9 2 8:0x1000 4:1 4:1 8:5 8:0 8:1
	END
	want_status 0 perfdec --no-symbols same.data
	[ "$(grep -c '^sample.*	cpu-clock' out)" -eq 1 ]
	# also if only their counters are laid out in different ways; the second's have ids
	perfmake --no-attr >read.data <<-'END'
		raw 64 0 4:1 4:64 8:0 8:1 8:0x17 8:0 8:0 4:0 4:0 8:0 8:7
		raw 64 0 4:1 4:64 8:1 8:1 8:0x17 8:4 8:0 4:0 4:0 8:0 8:9
		raw 9 2 8:0x1000 4:1 4:1 8:5 8:1 8:9
	END
	want_status 1 perfdec --no-symbols read.data
	said "sample of one of 2 events with different layouts: nothing in it identifies the event"
	[ "$(grep -c '^sample' out)" -eq 0 ]
}

@test "events with one name: a number tells them apart, and a note says so" {
	local event
	for event in 7:1 8:2; do
		printf 'raw 64 0 4:1 4:64 8:0 8:1000 8:0x10187 8:0 8:0 4:0 4:0 8:0 8:%s\n' "${event%:*}"
	done >two.txt
	cat >>two.txt <<-'END'
		raw 64 0 4:1 4:64 8:1 8:1000 8:0x10187 8:0 8:0 4:0 4:0 8:0 8:9
		raw 9 2 8:7 8:0x1000 4:1 4:1 8:5 8:0 8:30
		raw 9 2 8:8 8:0x1000 4:1 4:1 8:6 8:0 8:40
		raw 9 2 8:9 8:0x1000 4:1 4:1 8:7 8:0 8:50
	END
	perfmake --no-attr <two.txt >two.data
	want_status 0 perfdec --tags cpu,event --run R two.data
	said "perfdec: two.data: the recording has 2 events named cpu-clock:HG, whose values afagg would add up: keep them apart (afagg --by region,event), or choose one (afsel --where 'event=1 || event=.')"
	[ "$(wc -l <err)" -eq 1 ]
	grep -E '^(measure|sample)' out >got
	tr ' ' '\t' >want <<-'END'
		measure . R . cpu-clock:HG . id=0x7 event=1 type=int64 unit=ns
		measure . R . cpu-clock:HG . id=0x8 event=2 type=int64 unit=ns
		measure . R . task-clock:HG . id=0x9 type=int64 unit=ns
		sample 5 R [unknown] cpu-clock:HG 30 cpu=0 event=1
		sample 6 R [unknown] cpu-clock:HG 40 cpu=0 event=2
		sample 7 R [unknown] task-clock:HG 50 cpu=0
	END
	same want got
	cp out two.ev
	want_status 0 afagg --by event? --stat sum two.ev
	[ "$(sed -n 's/^agg.*HG	\([0-9]*\)	event=\([.0-9]\).*/\2 \1/p' out | sort)" = ". 50
1 30
2 40" ] || fail "$(cat out)"
	# the number is always there, so that nobody adds up the two without a word
	perfdec --tags none --run R two.data 2>/dev/null >none.ev
	sed 's/	cpu=0//' want | same - <(grep -E '^(measure|sample)' none.ev)
	want_status 0 afagg --by region none.ev
	said 'afagg: groups have values of several events with the same name'
}

@test "recordings without samples: each has a run id of its own, however it is read" {
	local at
	for at in 1 2; do
		printf 'comm 7 7 %s000000000 job\nround\ncomm 7 7 %s000000000 next\n' $at $((at + 1)) | perfmake >none$at.data
		want_status 0 perfdec none$at.data
		sed -n 's/^run	'$at'000000000	\([^	]*\).*/\1/p' out >id$at
		grep -Eq '^0x[0-9a-f]{16}$' id$at || fail "$(cat out)"
		want_status 0 perfdec --all none$at.data
		[ "$(grep -v '^#' out | cut -f 3 | sort -u)" = "$(cat id$at)" ]
		cat none$at.data | perfdec --no-spool - >out 2>err
		[ "$(grep -v '^#' out | cut -f 3 | sort -u)" = "$(cat id$at)" ]
	done
	! cmp -s id1 id2 || fail "both are $(cat id1)"
	want_status 0 perfdec --header none1.data
	cp out header1
	want_status 0 perfdec --header none2.data
	[ "$(sed -n 's/^run	//p' header1)" = "$(sed -n 's/^run	//p' out)" ]
}

@test "events with one name and several units: each line has its unit" {
	local event
	for event in 2:7 0:8 3:9 1:10; do
		printf 'raw 64 0 4:1 4:64 8:%s 8:1000 8:0x10187 8:0 8:0 4:0 4:0 8:0 8:%s\n' "${event%:*}" "${event#*:}"
	done >units.txt
	printf 'raw 78 0 8:2 8:%s s8:y\n' 7 8 >>units.txt
	printf 'raw 9 2 8:%s 8:0x1000 4:1 4:1 8:5 8:0 8:30\n' 7 8 9 10 >>units.txt
	perfmake --no-attr <units.txt >units.data
	want_status 0 perfdec --tags none --run R units.data
	said "has 2 events named y, "
	grep -E '^(measure|sample)' out >got
	tr ' ' '\t' >want <<-'END'
		measure . R . y . id=0x7 event=1 type=int64 unit=count
		measure . R . y . id=0x8 event=2 type=int64 unit=ns
		measure . R . context-switches:HG . id=0x9 type=int64 unit=count
		measure . R . task-clock:HG . id=0xa type=int64 unit=ns
		sample 5 R [unknown] y 30 event=1 unit=count
		sample 5 R [unknown] y 30 event=2 unit=ns
		sample 5 R [unknown] context-switches:HG 30
		sample 5 R [unknown] task-clock:HG 30
	END
	same want got
	for event in 1:count 2:ns; do
		afsel --where "event=${event%:*}" out | afagg --by region >sum
		aftab sum >table
		grep -q "^y \[${event#*:}\]" table || fail "$(cat table)"
	done
	# where they agree, that of the measure line is enough
	sed 's/^raw 64 0 4:1 4:64 8:0 /raw 64 0 4:1 4:64 8:3 /' units.txt | perfmake --no-attr >alike.data
	want_status 0 perfdec --tags none --run R alike.data
	[ "$(grep -c '^sample.*	event=[12]$' out)" -eq 2 ]
}

@test "lines before the first sample that are too many to wait for it: a note about the run id" {
	awk 'BEGIN {
		for (name = "/a"; length(name) < 4000; name = name "/libsomething.so");
		for (i = 0; i < 2500; i++)
			printf "mmap 1 1 0 u %d 0x1000 0 %s\n", i * 4096, name
		print "sample 1 1 5 u 0x5"
	}' | perfmake >long.data
	want_status 0 perfdec --no-symbols --all long.data
	echo 'perfdec: long.data: more than 8 MiB of lines come before the first sample, so the run id is not made from that, and may be that of another recording (--run ID sets it)' | same - err
	[ "$(grep '^run' out | cut -f 2)" = . ]
	for option in '' '--all --run R' --header; do
		# shellcheck disable=SC2086 # several words
		want_status 0 perfdec --no-symbols $option long.data
		silent
	done
}

@test "a clock taken by frequency without periods: values are numbers of samples, not ns" {
	local type unit
	# without and with periods; a fixed period; counters that are read
	for type in 0x87:400:count:1 0x187:400:ns:30 0x87:0:ns:1000 0x97:400:ns:30; do
		IFS=: read -r type flags unit value <<<"$type"
		printf '%s\n' "raw 64 0 4:1 4:64 8:0 8:1000 8:$type 8:0 b:0x$flags 4:0 4:0 8:0 8:7" \
			"raw 9 2 8:0x1000 4:1 4:1 8:5 8:0 8:30" | perfmake --no-attr >clock.data
		perfdec --tags none --run R clock.data >out 2>err
		grep -E '^(measure|sample)' out >got
		printf '%s\n' "measure	.	R	.	cpu-clock:HG	.	id=0x7	type=int64	unit=$unit" \
			"sample	5	R	[unknown]	cpu-clock:HG	$value" >want
		same want got || fail "$type $flags"
	done
}

# The event of perf record --off-cpu after another one, with this sample_type, and the threads of job.
off_cpu_events() {
	printf 'raw 64 0 4:1 4:64 8:%s 8:1 8:%s 8:0 8:0 4:0 4:0 8:0 8:%s\n' 0 0x10187 7 10 "$1" 8
	printf 'raw 78 0 8:2 8:8 s16:%s\nraw 3 0 4:10 4:10 s8:job\nraw 3 0 4:10 4:11 s8:work\n' "${2-offcpu-time}"
	printf 'raw 9 2 8:7 8:0x1000 4:10 4:10 8:%s 4:3 4:0 8:30\n' 5 7
}

@test "perf record --off-cpu: what the samples at the end have instead of times are none" {
	local at i chain='8:2 8:0xfffffffffffffe00 8:0x2000'
	local capped='raw 64 0 4:1 4:112 8:10 8:1 8:0x101a7 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:0 4:0 2:16 2:0 8:8'
	{
		off_cpu_events 0x101a7
		for at in 0xfffffffeffffffff 0xffffffff00000000 0xffffffff00000001; do
			echo "raw 9 2 8:8 8:0x2000 4:10 4:11 8:$at 8:0 8:250000000 $chain"
		done
	} >waits.txt
	tr ' ' '\t' >want <<-'END'
		run 5 R . . . unit=ns app=perf
		measure . R . cpu-clock:HG . id=0x7 type=int64 unit=ns
		measure . R . offcpu-time . id=0x8 type=int64 unit=ns
		sample 5 R [unknown] cpu-clock:HG 30 tid=10 comm=job cpu=3
		sample 7 R [unknown] cpu-clock:HG 30 tid=10 comm=job cpu=3
		sample 18446744069414584319 R [unknown] offcpu-time 250000000 tid=11 comm=work cpu=0 stack=[unknown]
		sample . R [unknown] offcpu-time 250000000 tid=11 comm=work cpu=. stack=[unknown]
		sample . R [unknown] offcpu-time 250000000 tid=11 comm=work cpu=. stack=[unknown]
	END
	for form in "" --big; do
		# shellcheck disable=SC2086 # no option, or one
		perfmake --no-attr $form <waits.txt >waits.data
		want_status 0 perfdec --tags tid,comm,cpu,stack --run R waits.data
		silent
		grep -v '^#' out | sed 's/	tags=.*//' >got
		same want got
	done
	# nor are they times in other lists, and a name of its own changes only the unit
	{ off_cpu_events 0x101a7 && tail -n 2 waits.txt; } | perfmake --no-attr >end.data
	want_status 0 perfdec --stats end.data
	grep -q '^agg	7	.*	sample	records	4	.*start=5	' out || fail "$(cat out)"
	{ off_cpu_events 0x101a7 | head -n 5 && tail -n 1 waits.txt; } | perfmake --no-attr >last.data
	want_status 0 perfdec last.data
	grep -q '^run	[.]	' out || fail "$(cat out)"
	{ off_cpu_events 0x101a7 my-event && tail -n 2 waits.txt; } | perfmake --no-attr >own.data
	want_status 0 perfdec --run R own.data
	[ "$(grep -c '^sample	[.]	R	[[]unknown]	my-event	250000000' out)" -eq 2 ]
	[ "$(grep -c '^measure.*	my-event	.*unit=count$' out)" -eq 1 ]
	# the BPF program takes only 32 addresses, whatever the limit of the event
	for i in 16 31 32; do
		{
			off_cpu_events 0x101a7 | sed "s/^raw 64 0 4:1 4:64 8:10 .*/$capped/"
			printf 'raw 9 2 8:8 8:0x2000 4:10 4:10 8:0xffffffff00000000 8:0 8:9 8:%s 8:0xfffffffffffffe00' $((i + 1))
			printf ' 8:0x2000%.0s' $(seq $i)
		} | perfmake --no-attr >deep.data
		want_status 0 perfdec deep.data
		[ "$(grep -c 'stack=[[]truncated' out)" -eq $((i == 32)) ]
	done
	# of other events such times are times; one that has no values has no nanoseconds
	{
		off_cpu_events 0x10087
		echo 'raw 9 2 8:8 8:0x2000 4:10 4:11 8:0xffffffff00000000 8:0'
		echo 'raw 9 2 8:7 8:0x1000 4:10 4:10 8:0xffffffff00000001 4:3 4:0 8:30'
		echo 'raw 9 2 8:9 8:0x1000 4:10 4:10 8:0xffffffff00000002 4:3 4:0 8:30'
	} | perfmake --no-attr >other.data
	want_status 1 perfdec --tags cpu --run R other.data
	echo 'perfdec: other.data: 0x210: sample of unknown event id 0x9' | same - err
	tr ' ' '\t' >want <<-'END'
		measure . R . offcpu-time . id=0x8 type=int64 unit=count
		sample . R [unknown] offcpu-time 1 cpu=.
		sample 18446744069414584321 R [unknown] cpu-clock:HG 30 cpu=3
	END
	grep -E '	offcpu-time	|^sample	1' out >got
	same want got
	want_status 0 perfdec --stats other.data
	grep -q '^agg	18446744069414584322	.*	sample	records	5	.*start=5	' out || fail "$(cat out)"
	# and one without times has none
	{ off_cpu_events 0x101a3 && echo "raw 9 2 8:8 8:0x2000 4:10 4:11 8:0 8:25 $chain"; } | perfmake --no-attr >untimed.data
	want_status 0 perfdec --tags tid,cpu,stack --run R untimed.data
	grep -q '^sample	[.]	R	[[]unknown]	offcpu-time	25	tid=11	cpu=0	stack=[[]unknown]$' out || fail "$(cat out)"
}

@test "perf record --off-cpu of perf 6.16: the raw bytes have the thread, the value and the callers" {
	local form n place='8:0 4:0 4:0' chain='8:3 8:0xfffffffffffffe00 8:0x2000 8:0x3000'
	{
		off_cpu_events 0x210587
		# at the end, and at once, with the tid first, of a thread and of one that nothing names
		echo "raw 9 2 8:8 $place 8:0xffffffff00000000 8:0 8:0 4:60 4:10 4:11 8:250000000 $chain 8:9 4:0 8:0"
		echo "raw 9 1 8:8 8:0x9000 4:7 4:7 8:6 4:3 4:0 8:1 4:60 4:11 4:10 8:500000000 $chain 8:9 4:0 8:0"
		echo "raw 9 1 8:8 8:0x9000 4:7 4:7 8:8 4:3 4:0 8:1 4:60 4:20 4:21 8:1 $chain 8:9 4:0 8:0"
		echo "raw 9 2 8:8 $place 8:0xffffffff00000001 8:0 8:0 4:44 4:10 4:10 8:2 8:1 8:0xfffffffffffffe00 8:9 4:0 8:0"
		echo "raw 9 2 8:8 $place 8:0xffffffff00000002 8:0 8:0 4:36 4:10 4:10 8:3 8:0 8:9 4:0 8:0"
	} >waits.txt
	tr ' ' '\t' >want <<-'END'
		measure . R . cpu-clock:HG . id=0x7 type=int64 unit=ns
		measure . R . offcpu-time . id=0x8 type=int64 unit=ns
		sample 5 R [unknown] cpu-clock:HG 30 pid=10 tid=10 comm=job cpu=3 mode=u ip=0x1000
		sample 6 R [unknown] offcpu-time 500000000 pid=10 tid=11 comm=work cpu=3 mode=u ip=0x2000 stack=[unknown];[unknown] cgroup_id=9
		sample 7 R [unknown] cpu-clock:HG 30 pid=10 tid=10 comm=job cpu=3 mode=u ip=0x1000
		sample 8 R [unknown] offcpu-time 1 pid=20 tid=21 comm=:21 cpu=3 mode=u ip=0x2000 stack=[unknown];[unknown] cgroup_id=9
		sample . R [unknown] offcpu-time 250000000 pid=10 tid=11 comm=work cpu=. mode=u ip=0x2000 stack=[unknown];[unknown] cgroup_id=9
		sample . R [unknown] offcpu-time 2 pid=10 tid=10 comm=job cpu=. stack=[unknown] cgroup_id=9
		sample . R [unknown] offcpu-time 3 pid=10 tid=10 comm=job cpu=. stack=[unknown] cgroup_id=9
	END
	for form in "" --big; do
		# shellcheck disable=SC2086 # no option, or one
		perfmake --no-attr $form <waits.txt >waits.data
		want_status 0 perfdec --tags pid,tid,comm,cpu,mode,ip,stack,cgroup_id --run R waits.data
		silent
		grep -E '^(measure|sample)' out >got
		same want got
	done
	want_status 0 perfdec --all waits.data
	[ "$(grep -c '^sample.*	raw=' out)" -eq 5 ]
	# without the field, there is no control group
	sed 's/8:0x210587/8:0x10587/; s/ 8:0$//' waits.txt | perfmake --no-attr >none.data
	want_status 0 perfdec --tags pid,tid,comm,cpu,mode,ip,stack,cgroup_id --run R none.data
	sed 's/	cgroup_id=9//' want | same - <(grep -E '^(measure|sample)' out)
	# raw bytes that are too short for it, or have a number beyond them, are damage
	for n in "4:4 4:10" "4:52 4:10 4:10 8:1 $chain" "4:60 4:10 4:10 8:1 8:5 8:0xfffffffffffffe00 8:0x2000 8:0x3000 8:9 4:0" 4:0; do
		{ off_cpu_events 0x10587 && echo "raw 9 2 8:8 $place 8:5 8:0 8:0 $n"; } | perfmake --no-attr >short.data
		want_status 1 perfdec short.data
		n=${n%% *}
		said "sample of offcpu-time with ${n#4:} raw bytes is too short for its contents"
		[ "$(grep -c '^sample' out)" -eq 2 ]
	done
}

@test "a software event that is recorded twice: samples that the kernel has given the id of the other" {
	local at
	# two events page-faults, of which the second has no kernel code, and a third of another kind
	{
		printf 'raw 64 0 4:1 4:64 8:%s 8:1 8:0x10187 8:0 8:%s 4:0 4:0 8:0 8:%s\n' 2 0 7 2 0x20 8 1 0 9
		for at in 5 6; do
			printf "raw 9 2 8:%s 8:0x1000 4:1 4:1 8:$at 8:0 8:1\n" 7 9
		done
	} >apart.txt
	perfmake --no-attr <apart.txt >apart.data
	want_status 0 perfdec --no-symbols apart.data
	[ ! -s err ] || fail "$(cat err)"
	# each of its own id at one time is as it should be; a repeated id is not, of these two events
	{ cat apart.txt && printf "raw 9 2 8:%s 8:0x1000 4:1 4:1 8:7 8:0 8:1\n" 7 8 9 9; } | perfmake --no-attr >own.data
	want_status 0 perfdec --no-symbols own.data
	[ ! -s err ] || fail "$(cat err)"
	{ cat apart.txt && printf "raw 9 2 8:%s 8:0x1000 4:1 4:1 8:7 8:0 8:1\n" 8 8; } | perfmake --no-attr >twice.data
	want_status 1 perfdec --no-symbols twice.data
	said "perfdec: twice.data: 1 sample seems to have the id of another event (the first that of page-faults:uh), as the kernel does where a software event is recorded more than once: the values of these events are wrong (record them one at a time)"
	# what has no time says nothing of it, and counters that are read have ids of their own
	sed 's/8:0x10187/8:0x10183/; s/ 8:[56] 8:0 8:1$/ 8:0 8:1/' apart.txt >untimed.txt
	{ cat untimed.txt && printf "raw 9 2 8:%s 8:0x1000 4:1 4:1 8:0 8:1\n" 8 8; } | perfmake --no-attr >untimed.data
	sed '/^raw 64/s/8:0x10187 8:0/8:0x10197 8:4/; /^raw 9/s/8:\([79]\) \(.*\)/8:\1 \2 8:5 8:\1/' apart.txt >read.txt
	{ cat read.txt && printf "raw 9 2 8:%s 8:0x1000 4:1 4:1 8:7 8:0 8:1 8:5 8:8\n" 8 8; } | perfmake --no-attr >read.data
	for at in untimed read; do
		want_status 0 perfdec --no-symbols $at.data
		[ ! -s err ] || fail "$at: $(cat err)"
		tail -n 1 out | grep -q 'complete$'
	done
	# another place, thread or time is another occurrence
	for at in '8:0x1001 4:1 4:1 8:7' '8:0x1000 4:1 4:2 8:7' '8:0x1000 4:1 4:1 8:8'; do
		{ cat apart.txt && printf "raw 9 2 8:8 %s 8:0 8:1\n" '8:0x1000 4:1 4:1 8:7' "$at"; } | perfmake --no-attr >other.data
		want_status 0 perfdec --no-symbols other.data
		[ ! -s err ] || fail "$(cat err)"
	done
}

@test "perf record: of a software event that is recorded twice, right numbers or an error" {
	need perf
	perf record -q -c 1 -e page-faults:u -o one.data true 2>text && perf record -q -c 1 -e page-faults -e page-faults:u -o two.data true 2>text || skip
	perfdec --no-symbols one.data >one.ev && perfdec --no-symbols two.data >two.ev 2>err && {
		[ "$(grep -c '^sample.*	page-faults:u	' two.ev)" -lt $((2 * $(grep -c ^sample one.ev))) ]
		return
	}
	grep -q 'samples seem to have the id of another event' err || fail "$(cat err)"
}

@test "perf stat record: two events with one name have the numbers of perf stat report" {
	need perf
	perf stat record -e '{page-faults,context-switches}' -e '{page-faults,task-clock}' -o stat.data true 2>text || skip
	perf stat report -i stat.data 2>&1 | sed -n 's/^ *\([0-9]*\) *page-faults.*/\1/p' >want
	[ "$(wc -l <want)" -eq 2 ]
	want_status 0 perfdec stat.data
	said "has 2 events named page-faults, "
	sed -n 's/^sample.*	page-faults.*	\([0-9]*\)	pid=.*event=[13]	.*/\1/p' out >got
	same want got
}

@test "65,536 events are read, and the next is said" {
	perfmake >most.data <<<'events 65536 0x187 4 1000 0x40000'
	want_status 0 perfdec --header most.data
	[ "$(grep -c '^measure' out)" -eq 65536 ]
	perfmake >more.data <<<'events 65537 0x187 4 1000 0x40000'
	want_status 1 perfdec --header more.data
	said "more than 65536 events"
	said "the recording has 65524 events named unknown-software:HG, "
	[ "$(wc -l <err)" -eq 2 ]
	[ "$(grep -c '^measure' out)" -eq 65536 ]
}

@test "a header that says where nothing is: said, whatever is there is read" {
	local at bytes words
	local end='\0\0\0\0\0\0\0\0'
	while IFS='|' read -r at bytes words; do
		cp "$DATA/chain.data" bad.data
		patch bad.data "$at" "$bytes"
		want_status 1 perfdec --no-symbols bad.data
		said "perfdec: bad.data: 0x$words"
		[ "$(wc -l <err)" -eq 1 ] || fail "$(cat err)"
		tail -n 1 out | grep -q '	partial	damaged$'
	done <<-END
		16|\\117\\0|10: attr entries of 79 bytes
		16|\\377\\377|10: attr entries of 65535 bytes
		24|\\0\\0\\0\\0\\0\\0\\0\\200|8000000000000000: the file ends before its events
		32|\\377\\377\\377\\377\\377\\377\\377\\377|28: the events were written over the beginning of the data
		32|$end|78: no events in the header
		124|\\077|78: attr of 63 bytes
		124|\\001\\020|78: attr of 4097 bytes
		124|\\201|78: attr of 129 bytes does not fit into its space
		124|\\220|78: attr of 144 bytes does not fit into its space
		40|\\377\\377\\377\\377\\377\\377\\377\\377|28: data of 1528 bytes at 18446744073709551615
		40|\\377\\377\\377\\377\\377\\377\\377\\377$end|28: data at 18446744073709551615: no file reaches that far
		40|\\0\\0\\0\\0\\0\\0\\0\\200$end|28: data at 9223372036854775808: no file reaches that far
	END
	# the data begin inside of the header, which only one pass has to read with them
	cp "$DATA/chain.data" bad.data
	patch bad.data 40 "\\100\\0$end"
	want_status 1 sh -c 'cat bad.data | perfdec --no-symbols --no-spool'
	said "perfdec: -: 0x28: data at 64: not readable in one pass"
	# more than is ever read of a feature
	cp "$DATA/chain.data" bad.data
	at=$(($(u64 bad.data 40) + $(u64 bad.data 48)))
	truncate -s 300M bad.data
	patch bad.data $((at + 8)) '\001\0\0\020'
	want_status 1 perfdec --no-symbols bad.data
	said "header feature 3 of 268435457 bytes"
	grep '^sample' out >got
	samples "$DATA/chain.data" | grep '^sample' >want
	same want got
}

@test "a recording inside the data of a file is said, and not read" {
	local at
	cp "$DATA/chain.data" bad.data
	at=$(u64 bad.data 40)
	at=$((at + $(od -A n -t u2 -j $((at + 6)) -N 2 bad.data)))
	patch bad.data $at PERFILE2
	want_status 1 perfdec --no-symbols bad.data
	said "$(printf 'perfdec: bad.data: 0x%x: another recording begins inside the data' $at)"
	[ "$(grep -c '^sample' out)" -eq 0 ]
}

@test "an event that is given an empty name keeps its own" {
	perfmake >empty.data <<-'END'
		raw 78 0 8:2 8:7 8:0
		sample 1 1 1 u 0x10
	END
	want_status 0 perfdec --no-symbols empty.data
	[ "$(grep '^sample' out | cut -f 5)" = cpu-clock ]
}

@test "bytes behind a recording are said" {
	{ cat "$DATA/flat.data" && printf junk; } >longer
	want_status 0 perfdec --no-symbols longer
	said "perfdec: longer: 4 bytes after the end of the recording, at 0x"
	unmarked "$DATA/flat.ev" >want
	unmarked out >got
	same want got
}

@test "version 1 of the format, in both byte orders, with features and without" {
	local order
	for order in "" --big; do
		# shellcheck disable=SC2086 # an option or none
		perfconv $order "$DATA/chain.data" >two.data
		samples two.data >want
		{ printf PERFFILE && tail -c +9 two.data; } >one.data
		want_status 0 perfdec --no-symbols one.data
		unmarked out >got
		same want got
		# the first ones had a header of 72 bytes, which ends before the features
		cp one.data old.data
		[ -n "$order" ] || printf 'H\0\0\0\0\0\0\0' | dd of=old.data bs=1 seek=8 conv=notrunc status=none
		[ -z "$order" ] || printf '\0\0\0\0\0\0\0H' | dd of=old.data bs=1 seek=8 conv=notrunc status=none
		want_status 0 perfdec --no-symbols old.data
		grep '^sample' out >got
		grep '^sample' want >want.samples
		same want.samples got
	done
	printf 'x' | dd of=old.data bs=1 seek=8 conv=notrunc status=none
	want_status 1 perfdec --no-symbols old.data
	said "perfdec: old.data: 0x0: version 1 of perf.data with a header of unknown size"
}

@test "the run id is the same in every form, and --run sets it" {
	local id
	id=$(samples "$DATA/chain.data" | cut -f 3 | sort -u)
	[[ $id =~ ^0x[0-9a-f]{16}$ ]]
	perfconv --pipe "$DATA/chain.data" | perfdec --no-symbols | sed '/^#/d' | cut -f 3 | sort -u >got
	[ "$(cat got)" = "$id" ]
	[ "$(samples "$DATA/flat.data" | cut -f 3 | sort -u)" != "$id" ]
	samples "$DATA/chain.data" --run $'my\trun' | cut -f 3 | sort -u >got
	# shellcheck disable=SC1003 # a backslash
	[ "$(cat got)" = 'my\trun' ]
	want_status 2 perfdec --run "" "$DATA/chain.data"
}

@test "names of any length, of runs, events, threads and objects: the same lines with another name" {
	local n name
	printf 'sample %d 1 %d u 0x5 u 0x6\n' 1 1 1 99999999 1 100000000 2 100000001 1 1700000000000000001 |
		tee text | perfmake >short.data
	perfdec --no-symbols --run R short.data | undated | sed '/^#/d' >want
	{ echo 'mmap 1 1 0 u 0 0x1000 0 /R' && cat text; } | perfmake >mapped.data
	perfdec --no-symbols --run R mapped.data | undated | sed '/^#/d' >want.mapped
	for n in 1 7 15 16 17 30 31 32 33 40 46 47 48 49 57 58 59 60 61 62 63 64 65 74 75 76 77 80 95 96 97 112 113 128 300; do
		printf -v name '%*s' $n ''
		name=${name// /x}
		perfdec --no-symbols --run "$name" short.data | undated | sed "/^#/d; s/\t$name\t/\tR\t/" >got
		same want got || fail "run of $n"
		{ echo "event $name" && cat text; } | perfmake >named.data
		perfdec --no-symbols --run R named.data | undated | sed "/^#/d; s/\t$name\t/\tcpu-clock\t/" >got
		same want got || fail "event of $n"
		{ printf 'comm 1 1 0 %s\ncomm 2 1 0 %s\n' "$name" "$name" && cat text; } | perfmake >named.data
		perfdec --no-symbols --run R named.data | undated | sed "/^#/d; s/\tcomm=$name\t/\tcomm=:1\t/; s/\tpcomm=$name\t/\tpcomm=:1\t/" >got
		same want got || fail "thread of $n"
		{ echo "mmap 1 1 0 u 0 0x1000 0 /$name" && cat text; } | perfmake >named.data
		perfdec --no-symbols --run R named.data | undated | sed "/^#/d; s/\[$name\]/[R]/g; s,/$name\b,/R,g" >got
		same want.mapped got || fail "object of $n"
	done
}

# record_types FILE: the type of each record in the data section, as the sizes of records lead through it.
record_types() {
	local at size
	read -r at size < <(od -A n -v -t u8 -w16 -j 40 -N 16 "$1")
	od -A n -v -t u4 -w8 -j "$at" -N "$size" "$1" |
		awk 'NR > next_one { print $1; next_one += int($2 / 65536) / 8 }'
}

@test "--all: as many lines as records" {
	local file
	for file in "$DATA"/{chain,events,flat,kinds,lost,noinherit,stackdump,trace,user,wide}.data; do
		want_status 0 perfdec --all --no-symbols --no-unwind "$file"
		[ "$(grep -v '^#' out | grep -cvE '^(run|measure|header|origin|incomplete)	')" -eq \
			"$(record_types "$file" | wc -l)" ] || fail "$file"
	done
}

@test "--stats: how many records there are of each type" {
	local file
	for file in "$DATA"/{chain,events,flat,kinds,lost,noinherit,stackdump,trace,user,wide}.data; do
		record_types "$file" | awk '{ n[$1]++ } END { for (type in n) print "record=" type, "n=" n[type], n[type] }' |
			sort >want
		want_status 0 perfdec --stats "$file"
		awk -F '\t' '$1 == "agg" { print $7, $NF, $6 }' out | sort >got
		same want got
		awk -F '\t' '!/^#/ && $1 !~ /^(run|measure|agg)$/' out >other
		[ ! -s other ]
		# compressed, in a pipe, in the other byte order: the same records and some more
		perfconv --pipe --big --zstd 83 "$file" >form.data
		want_status 0 perfdec --stats form.data
		grep -E '	record=[0-9]	|	record=[12][0-9]	' out | cut -f 4- | sed 's/\tlast=.*//' >got
		perfdec --stats "$file" | grep -E '	record=[0-9]	|	record=[12][0-9]	' | cut -f 4- >want
		same want got
		grep -q '	record=83	' out
	done
	want_status 0 perfdec --stats "$DATA/lost.data"
	grep -q '^agg	[0-9]*	0x[0-9a-f]*	sample	records	[0-9]*	record=9	stat=count	start=[0-9]*	n=' out
	made --stats <<-'END' >got
		sample 1 1 300 u 0x30
		sample 1 1 100 u 0x10
		round
	END
	grep -c . got
	grep -q '^agg	300	sample	records	2	record=9	stat=count	start=100	n=2$' got
	grep -q '^run	100	' got
	# recordings of one command have the same events, and are told apart all the same
	for at in 100 200; do
		echo "sample 1 1 $at u 0x10" | perfmake >$at.data
	done
	want_status 0 perfdec --stats 100.data 200.data
	[ "$(grep '^agg' out | cut -f 3 | sort -u | wc -l)" -eq 2 ]
	mv out stats
	want_status 0 aftab stats
	silent
	want_status 2 perfdec --stats --all "$DATA/lost.data"
	said "only one of --all, --header and --stats"
}

@test "the time of day: from a pair of clocks, or from the events' own" {
	local at byte
	want_status 0 perfdec --no-symbols "$DATA/clock.data"
	grep -q '^run	3160519820877	.*	wall=1795250056.370473337	clock=monotonic	' out
	at=$(od -A n -t u8 -j 24 -N 8 "$DATA/chain.data")
	byte=$(od -A n -t u1 -j $((at + 43)) -N 1 "$DATA/chain.data")
	cp "$DATA/chain.data" day.data
	# shellcheck disable=SC2059 # the byte is the format
	printf "\\$(printf %o $((byte | 2)))" | dd of=day.data bs=1 seek=$((at + 43)) conv=notrunc status=none
	want_status 0 perfdec --no-symbols day.data
	grep '^run' out | cut -f 2,8,9 | sed 's/wall=//;s/\.//' >got
	awk -F '\t' '{ exit !($1 == $2 && $3 == "clock=realtime") }' got
	[ "$(samples "$DATA/chain.data" | grep -cE '^run.*	(wall|clock)=')" -eq 0 ]
}

@test "--header: no data is read where the file can be seeked" {
	local at
	perfconv --pipe "$DATA/chain.data" >pipe.data
	perfdec --header pipe.data | sed '/^#/d' | sort >want
	grep -q '^run	.*	host=' want
	at=$(od -A n -t u8 -j 40 -N 8 "$DATA/chain.data")
	cp "$DATA/chain.data" hurt.data
	head -c 64 /dev/zero | dd of=hurt.data bs=1 seek=$((at)) conv=notrunc status=none
	want_status 1 perfdec --no-symbols hurt.data
	want_status 0 perfdec --header hurt.data
	silent
	unmarked out | sort >got
	same want got
}

# lost_of STREAM: what its lost lines add up to, as in the end mark.
lost_of() {
	afcut --kind lost 'value,again?,why' "$1" | awk '$3 != "bpf" { n += $1 - $2 } END { print "lost=" n }'
}

@test "the end mark counts lines and losses" {
	local name
	for name in chain lost wide; do
		perfdec --no-symbols "$DATA/$name.data" >out
		[ "$(tail -n 1 out | cut -f 4)" -eq "$(unmarked out | wc -l)" ]
	done
	perfdec --no-symbols "$DATA/lost.data" >out
	# perf says the same losses as they happen and in all at the end
	[ "$(grep -c '^lost.*why=lost$' out)" -gt 0 ]
	[ "$(tail -n 1 out | cut -f 6)" = "lost=$(awk -F '\t' '/\twhy=lost_samples/ { n += $6 } END { print n }' out)" ]
	# and each line says how many of its events were counted before
	[ "$(lost_of out)" = "$(tail -n 1 out | cut -f 6)" ]
	grep -q 'why=lost_samples	again=' out
}

@test "lines are in the order of time" {
	local name
	for name in chain events wide lost threads; do
		[ "$name" = threads ] || set -- "$DATA/$name.data"
		[ "$name" != threads ] || set -- "$DATA/threads"
		perfdec --all --no-symbols "$1" | awk -F '\t' '!/^#/ && $1 != "run" && $2 != "." { print $2 }' >stamps
		sort -n -s stamps >sorted
		same sorted stamps
	done
}

@test "equal times leave in the order in which they came, and rounds do not change that" {
	made --no-symbols <<-'END' | grep '^sample' | cut -f 2,11 >got
		sample 1 1 300 u 0x30
		sample 1 1 100 u 0x10
		sample 1 1 200 u 0x21
		round
		sample 1 1 200 u 0x22
		sample 1 1 400 u 0x40
		sample 1 1 200 u 0x23
		round
		sample 1 1 350 u 0x35
		sample 1 1 300 u 0x31
		round
	END
	cat >want <<-'END'
		100	ip=0x10
		200	ip=0x21
		200	ip=0x22
		200	ip=0x23
		300	ip=0x30
		300	ip=0x31
		350	ip=0x35
		400	ip=0x40
	END
	same want got
}

@test "a record that comes too late is printed where it is, and says so" {
	made --no-symbols <<-'END' >got
		sample 1 1 300 u 0x30
		round
		sample 1 1 400 u 0x40
		round
		sample 1 1 100 u 0x10
		sample 1 1 500 u 0x50
	END
	grep '^sample' got | cut -f 2 | tr '\n' ' ' >order
	[ "$(cat order)" = "300 100 400 500 " ]
	[ "$(grep -c 'late=1$' got)" -eq 1 ]
	tail -n 1 made.ev | grep -q 'complete	late=1$'
}

# ---- names

@test "names of threads and their maps over fork, exec and exit, as perf has them" {
	made --no-symbols <<-'END' | grep '^sample' | cut -f 2,6-8,12- >got
		comm 10 10 0 par
		mmap 10 10 0 u 0x1000 0x1000 0 /bin/a
		sample 5 5 100 u 0x1100 u 0x1100
		sample 0 0 101 k 0x1100
		fork 20 20 10 10 110
		sample 20 20 120 u 0x1100 u 0x1100
		exec 20 20 130 new
		sample 20 20 140 u 0x1100 u 0x1100
		fork 20 21 20 20 145
		comm 20 21 146 thr
		sample 20 21 147 u 0x1100 u 0x1100
		mmap 20 21 148 u 0x1800 0x1000 0x5000 /lib/b
		sample 20 20 149 u 0x1100 u 0x1100 0x1800 0x27ff 0x2800
		sample 10 10 150 u 0x1800 u 0x1800
		exit 20 21 20 20 151
		sample 20 21 152 u 0x1100 u 0x1100
		fork 30 30 20 20 153
		exit 20 20 10 10 154
		sample 30 30 155 u 0x1100 u 0x1100
		fork 20 20 30 30 156
		sample 20 20 157 u 0x1900 u 0x1900
	END
	cat >want <<-'END'
		100	pid=5	tid=5	comm=:5	stack=[unknown]	frames=u:[unknown]+0x1100
		101	pid=0	tid=0	comm=swapper	stack=[unknown]	frames=k:[unknown]+0x1100
		120	pid=20	tid=20	comm=par	dso=/bin/a	stack=[a]	frames=u:/bin/a+0x100
		140	pid=20	tid=20	comm=new	dso=/bin/a	stack=[a]	frames=u:/bin/a+0x100
		147	pid=20	tid=21	comm=thr	dso=/bin/a	pcomm=new	stack=[a]	frames=u:/bin/a+0x100
		149	pid=20	tid=20	comm=new	dso=/bin/a	stack=[unknown];[b];[b];[a]	frames=u:[unknown]+0x2800-1;u:/lib/b+0x5fff-1;u:/lib/b+0x5000-1;u:/bin/a+0x100
		150	pid=10	tid=10	comm=par	dso=/bin/a	stack=[a]	frames=u:/bin/a+0x800
		152	pid=20	tid=21	comm=thr	dso=/bin/a	pcomm=new	stack=[a]	frames=u:/bin/a+0x100
		155	pid=30	tid=30	comm=new	dso=/bin/a	stack=[a]	frames=u:/bin/a+0x100
		157	pid=20	tid=20	comm=new	dso=/lib/b	stack=[b]	frames=u:/lib/b+0x5100
	END
	same want got
}

@test "ids that are used again, and forks that were lost, as perf has them" {
	made --no-symbols <<-'END' | grep '^sample' | cut -f 2,6-8,12- >got
		comm 10 10 0 par
		comm 40 40 0 old
		mmap 40 40 0 u 0x1000 0x1000 0 /bin/old
		mmap 10 10 0 u 0x1000 0x1000 0 /bin/a
		sample 40 40 2 u 0x1100 u 0x1100
		fork 60 40 10 10 3
		sample 60 40 4 u 0x1100 u 0x1100
		fork 10 11 10 10 5
		sample 10 11 6 u 0x1100 u 0x1100
		fork 40 12 40 40 7
		sample 40 12 8 u 0x1100 u 0x1100
	END
	cat >want <<-'END'
		2	pid=40	tid=40	comm=old	dso=/bin/old	stack=[old]	frames=u:/bin/old+0x100
		4	pid=60	tid=40	comm=par	dso=/bin/a	pcomm=:60	stack=[a]	frames=u:/bin/a+0x100
		6	pid=10	tid=11	comm=par	dso=/bin/a	pcomm=par	stack=[a]	frames=u:/bin/a+0x100
		8	pid=40	tid=12	comm=:12	pcomm=:40	stack=[unknown]	frames=u:[unknown]+0x1100
	END
	same want got
}

@test "build ids of no stated length, and the vdso's offsets" {
	made --no-symbols <<-'END' | grep -o 'frames=.*' >got
		buildid 00112233445566778899aabbccddeeff /bin/a
		buildid 0011223344556677889900000000000000000001 /bin/b
		mmap 10 10 0 u 0x1000 0x1000 0 /bin/a
		mmap 10 10 0 u 0x3000 0x1000 0 /bin/b
		mmap 10 10 0 u 0x7000 0x1000 0x7000 [vdso]
		sample 10 10 1 u 0x1100 u 0x1100 0x3100 0x7010
	END
	printf 'frames=u:%s+0x10-1;u:%s+0x100-1;u:%s+0x100\n' '[vdso]' \
		/bin/b@0011223344556677889900000000000000000001 /bin/a@00112233445566778899aabbccddeeff >want
	same want got
}

@test "what was lost is said, and why" {
	made <<-'END' | grep '^lost' | cut -f 2,4,5,10- >got
		sample 1 1 1 u 0x1
		lost 2 5
		lost_samples 3 6
		lost_bpf 4 7
		throttle 5 1
	END
	cat >want <<-'END'
		2	cpu-clock	5	why=lost
		3	.	6	why=lost_samples
		4	.	7	why=bpf
		5	cpu-clock	1	why=throttle
	END
	same want got
	tail -n 1 made.ev | grep -q 'complete	lost=12$'
}

@test "records without a time act where they are read; tracing data stands behind its record" {
	made <<-'END' | grep '^sample' | cut -f 2,11 >got
		tracing 13
		sample 1 1 300 u 0x30
		sample 1 1 -1 u 0x1
		sample 1 1 100 u 0x10
		sample 1 1 0 u 0x2
		tracing 16
	END
	printf '%s\n' '18446744073709551615	ip=0x1' '0	ip=0x2' '100	ip=0x10' '300	ip=0x30' >want
	same want got
	tail -n 1 made.ev | grep -q 'complete$'
}

@test "200,000 threads come and go: those that are gone are forgotten" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		for (i = 1; i <= 200000; i++)
			printf "fork %d %d 1 1 %d\nsample %d %d %d u 0x1\nexit %d %d 1 1 %d\nround\n",
			    i + 9, i + 9, i * 10, i + 9, i + 9, i * 10 + 1, i + 9, i + 9, i * 10 + 2
	}' | perfmake | rss used perfdec --no-symbols | grep -c '^sample' >count
	[ "$(cat count)" -eq 200000 ]
	[ "$(cut -d ' ' -f 2 used)" -lt 32768 ] || fail "KiB used: $(cat used)"
}

@test "5000 threads come and go" {
	seq 1 5000 | awk '{
		print "fork", 100000 + $1, 100000 + $1, 1, 1, $1 * 10
		print "comm", 100000 + $1, 100000 + $1, $1 * 10 + 1, "t" $1
		print "exit", 100000 + $1, 100000 + $1, 1, 1, $1 * 10 + 3
		print "sample", 100000 + $1, 100000 + $1, $1 * 10 + 2, "u 0x1"
		if ($1 > 100)
			print "sample", 100000 + $1 - 100, 100000 + $1 - 100, $1 * 10 + 4, "u 0x1"
	}' >in
	made <in | grep '^sample' | awk -F '\t' '{ if ("comm=t" (substr($6, 5) - 100000) != $8) bad++ } END { print NR, bad + 0 }' >got
	[ "$(cat got)" = "9900 0" ]
}

@test "odd names come out escaped, and cannot forge a line, a column or an element" {
	made --all <<-'END' >got
		event ev;il\x1b[31m
		comm 10 10 0 a\x09b;c\x0ad\xff\x7f
		mmap 10 10 0 u 0x1000 0x1000 0 /bin/x;y\x0az\x1b
		comm 11 11 0 .
		comm 12 12 0 \xe2\x80\xaeevil
		ksymbol 50 0xffffffffc0001000 0x100 std::map<int;char>\x09
		sample 10 10 100 u 0x1100 u 0x1100 0x1200 k 0xffffffffc0001010
		sample 10 10 101 k 0xffffffffc0001010
		sample 11 11 102 u 0x1
		sample 12 12 103 u 0x1
	END
	grep -q '	\[x[^	]*y\\nz\\x1b\]	ev;il\\x1b\[31m	.*	comm=a\\tb;c\\nd\\xff\\x7f	' got
	grep -q 'dso=/bin/x;y\\nz\\x1b	stack=std::map<int\\x3bchar>\\t;\[x\\x3by\\nz\\x1b\];\[x\\x3by\\nz\\x1b\]$' got
	grep -q '^sample	101	std::map<int;char>\\t	ev' got
	grep -q '^sample	102	.*	comm=\\\.	cpu=0	' got
	grep -q '^sample	103	.*	comm=\\xe2\\x80\\xaeevil	' got
	# the stream's own reader takes all of it
	want_status 0 afagg --by comm,dso,region made.ev
	said "afagg: left out lines of other kinds (see --kind): 1 header_attr, 1 event_update, 3 comm"
}

@test "frames: mode, object, build id and offset of each element of the stack" {
	samples "$DATA/user.data" | awk -F '\t' '$1 == "sample" {
		for (i = 7; i <= NF; i++) {
			if ($i ~ /^stack=/) a = split(substr($i, 7), x, ";")
			if ($i ~ /^frames=/) b = split(substr($i, 8), y, ";")
		}
		if (a != b) bad++
		for (i = 1; i <= b; i++)
			if (y[i] !~ /^[kuhgG]:[^@+]+(@[0-9a-f:]+)?\+0x[0-9a-f]+(-1)?$/) bad++
		n++
	} END { print n, bad + 0 }' >got
	[ "$(cat got)" = "$(grep -c '^sample' "$DATA/user.ev") 0" ]
	samples "$DATA/user.data" | grep -q 'u:/opt/demo/burnd@[0-9a-f:]*+0x'
	made --no-symbols <<-'END' | grep -o 'frames=.*' >got
		sample 1 1 1 u 0x1 h 0x2 g 0x3 G 0x4 k 0x5 u 0x6
		sample 1 1 2 k 0x7
	END
	printf 'frames=%s\n' 'u:[unknown]+0x6;k:[unknown]+0x5;G:[unknown]+0x4;g:[unknown]+0x3;h:[unknown]+0x2' \
		'k:[unknown]+0x7' >want
	same want got
}

# mapid PID ID PATH: a mapping, with that build id, at 0x400000.
mapid() {
	echo "raw 10 0x4002 4:$1 4:$1 8:0x400000 8:0x100000 8:0 4:20 x:$2 4:5 4:2 s:$3"
}

@test "files of one path and two build ids are two objects" {
	local one=1111111111111111111111111111111111111111 two=2222222222222222222222222222222222222222 at
	need nm
	mkdir -p root/bin
	echo 'int alpha(int n) { return n + 1; }' >x.c
	${CC:-cc} -w -O0 -shared -fPIC -nostdlib -Wl,--build-id=0x$one -o root/bin/x x.c
	at=$(nm root/bin/x | awk '$3 == "alpha" { print "0x" $1 }')
	{
		mapid 1 $one /bin/x
		mapid 2 $two /bin/x
		for pid in 1 2 1; do echo "sample $pid $pid 5 u $((0x400000 + at))"; done
	} | perfmake >two.data
	want_status 0 perfdec --frames --symfs "$T/root" two.data
	said "perfdec: no symbols for /bin/x: its build id differs from the recording's"
	sed -n 's/^sample\t5\t[^\t]*\t\([^\t]*\).*frames=u:\(.*\)+.*/\1 \2/p' out >got
	printf '%s\n' "alpha /bin/x@$one" "[x] /bin/x@$two" "alpha /bin/x@$one" >want
	same want got
	# mappings that say none: the list has two, and either may be meant
	{
		echo "buildid $one /bin/x"
		echo "buildid $two /bin/x"
		echo "mmap 1 1 0 u 0x400000 0x100000 0 /bin/x"
		echo "sample 1 1 5 u $((0x400000 + at))"
	} | perfmake >listed.data
	want_status 0 perfdec --frames --symfs "$T/root" listed.data
	said 'perfdec: no symbols for /bin/x: the recording lists several build ids for it'
	grep -q '^sample.*	\[x\]	.*frames=u:/bin/x@?+0x' out
}

@test "symbols of files, below --symfs, for the recording's addresses" {
	mkdir -p root/opt/prog
	cat >prog.c <<-'END'
		int inner(int n) { return n + 1; }
		int outer(int n) { return inner(n) * 2; }
	END
	${CC:-cc} -w -O0 -shared -fPIC -nostdlib -o root/opt/prog/lib.so prog.c
	need nm
	at=$(nm root/opt/prog/lib.so | awk '$3 == "outer" { print "0x" $1 }')
	made --symfs "$T/root" <<-END | grep '^sample' | cut -f 3,11- >got
		mmap 1 1 0 u 0x70000000 0x100000 0 /opt/prog/lib.so
		sample 1 1 1 u $((0x70000000 + at + 3)) u $((0x70000000 + at + 3)) 0x70000000
	END
	printf 'outer\tip=0x%x\tdso=/opt/prog/lib.so\tsymoff=0x3\tstack=[lib.so];outer\n' \
		$((0x70000000 + at + 3)) >want
	same want got
}

@test "an object that names only what it exports: samples in its other code are reported" {
	local at inner
	need nm
	need strip
	mkdir -p root/opt
	cat >prog.c <<-'END'
		static __attribute__((noinline)) int inner(int n) { return n + 1; }
		int outer(int n) { return inner(n) * 2; }
	END
	${CC:-cc} -w -O0 -shared -fPIC -nostdlib -Wl,--build-id=none -o whole.so prog.c
	at=$((0x$(nm whole.so | sed -n 's/ T outer$//p')))
	inner=$((0x$(nm whole.so | sed -n 's/ t inner$//p')))
	strip -o root/opt/lib.so whole.so
	{
		echo "mmap 1 1 0 u 0x70000000 0x100000 0 /opt/lib.so"
		echo "sample 1 1 1 u $((0x70000000 + at))"
		echo "sample 1 1 2 u $((0x70000000 + inner))"
		echo "sample 1 1 3 u $((0x70000000 + inner + 1))"
	} | perfmake >x.data
	want_status 0 perfdec --symfs "$T/root" x.data
	[ "$(sed -n 's/^sample\t//p' out | cut -f 3 | tr '\n' ' ')" = 'outer [lib.so] [lib.so] ' ]
	said 'perfdec: no symbols for some code of /opt/lib.so: only what it exports has names, and it has no debug file (2 samples)'
	# the same when names are looked up later, and in the list
	perfdec --no-symbols x.data >x.af
	want_status 0 afsym --symfs "$T/root" x.af
	said 'afsym: no symbols for some code of /opt/lib.so: only what it exports has names, and it has no debug file (2 samples)'
	want_status 0 afsym --symfs "$T/root" --missing x.af
	grep -qxF $'/opt/lib.so\t.\t2\tonly what it exports has names, and it has no debug file' out
	# all samples have names, or all functions
	{
		echo "mmap 1 1 0 u 0x70000000 0x100000 0 /opt/lib.so"
		echo "sample 1 1 1 u $((0x70000000 + at))"
	} | perfmake >one.data
	want_status 0 perfdec --symfs "$T/root" one.data
	silent
	cp whole.so root/opt/lib.so
	want_status 0 perfdec --symfs "$T/root" x.data
	silent
}

@test "names that a JIT leaves in /tmp/perf-PID.map" {
	local map=/tmp/perf-4194299.map
	[ ! -e $map ] || skip "$map is somebody's"
	printf '1000 80 jit;one\n1080 80 jit two\n' >$map
	made <<-'END' | grep '^sample' | cut -f 2,3,12- >got
		mmap 4194299 4194299 0 u 0x1000 0x1000 0 //anon
		mapdata 4194299 4194299 0 u 0x3000 0x1000 0 //anon
		sample 4194299 4194299 1 u 0x1010 u 0x1010 0x1090
		sample 4194299 4194299 2 u 0x1200
		sample 4194299 4194299 3 u 0x3010
	END
	rm -f $map
	cat >want <<-'END'
		1	jit;one	dso=/tmp/perf-4194299.map	symoff=0x10	stack=jit two;jit\x3bone
		2	[perf-4194299.map]	dso=/tmp/perf-4194299.map
		3	[anon]	dso=//anon
	END
	sed -i 's/\tstack=\[[^;]*\]$//' got
	same want got
}

@test "symbols that the recording itself names come and go" {
	made <<-'END' | grep '^sample' | cut -f 2,3 >got
		ksymbol 10 0xffffffffc0001000 0x100 bpf_prog_1
		sample 1 1 11 k 0xffffffffc0001010
		sample 1 1 12 k 0xffffffffc0001100
		unksymbol 13 0xffffffffc0001000 0x100 bpf_prog_1
		sample 1 1 14 k 0xffffffffc0001010
		ksymbol 15 0xffffffffc0001000 0x80 bpf_prog_2
		sample 1 1 16 k 0xffffffffc0001010
	END
	printf '%s\n' '11	bpf_prog_1' '12	[unknown]' '14	[unknown]' '16	bpf_prog_2' >want
	same want got
}

@test "symbols that the recording itself names, within the kernel's range" {
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffffc0000100 t last_of_a	[a]' \
		'ffffffffc0900000 t first_of_b	[b]' >kallsyms
	made --kallsyms kallsyms <<-'END' | grep '^sample' | cut -f 2,3 >got
		mmap -1 0 1 k 0xffffffff81000000 0x7effffff 0xffffffff81000000 [kernel.kallsyms]_text
		sample 1 1 1 k 0xffffffffc0000110
		sample 1 1 2 k 0xffffffffc0500010
		ksymbol 3 0xffffffffc0500000 0x100 bpf_prog_1
		sample 1 1 4 k 0xffffffffc0500010
		ksymbol 5 0xffffffffc0500000 0x80 bpf_prog_2
		sample 1 1 6 k 0xffffffffc0500010
		ksymbol 7 0xffffffffc0000100 0x80 bpf_prog_3
		sample 1 1 8 k 0xffffffffc0000110
		unksymbol 9 0xffffffffc0500000 0x80 bpf_prog_2
		unksymbol 9 0xffffffffc0000100 0x80 bpf_prog_3
		sample 1 1 10 k 0xffffffffc0500010
		sample 1 1 11 k 0xffffffffc0000110
		sample 1 1 12 k 0xffffffffc0900000
	END
	printf '%s\n' '1	last_of_a' '2	[kernel.kallsyms]' '4	bpf_prog_1' '6	bpf_prog_2' '8	bpf_prog_3' \
		'10	[kernel.kallsyms]' '11	last_of_a' '12	first_of_b' >want
	same want got
}

@test "a program of the kernel that is loaded again at its place is longer than before" {
	made <<-'END' | grep '^sample' | cut -f 2,3 >got
		ksymbol 1 0xffffffffc0001000 0x10 bpf_prog_1
		sample 1 1 2 k 0xffffffffc0001008
		unksymbol 3 0xffffffffc0001000 0x10 bpf_prog_1
		ksymbol 4 0xffffffffc0001000 0x100 bpf_prog_1
		sample 1 1 5 k 0xffffffffc0001080
		ksymbol 6 0xfffffffec0001000 0x100 bpf_prog_1
		sample 1 1 7 k 0xfffffffec0001080
	END
	printf '%s\n' '2	bpf_prog_1' '5	bpf_prog_1' '7	bpf_prog_1' >want
	same want got
}

@test "a JIT map that is there and is not read is reported, and code without one is counted" {
	mkdir -p root/tmp
	printf '1000 80 f\n' >root/map
	ln -s ../map root/tmp/perf-10.map
	perfmake >x.data <<-'END'
		mmap 10 10 0 u 0x1000 0x1000 0 //anon
		mmap 11 11 0 u 0x1000 0x1000 0 //anon
		sample 10 10 1 u 0x1010
		sample 11 11 2 u 0x1010
	END
	local option
	for option in symfs debug-dir buildid-dir; do
		want_status 3 perfdec --$option 'ro	ot' x.data
		[ ! -s out ] || fail "decoded"
		same "$T/err" - <<<"perfdec: --$option: ro\\tot: No such file or directory"
		want_status 3 afsym --$option x.data </dev/null
		same "$T/err" - <<<"afsym: --$option: x.data: Not a directory"
	done
	want_status 0 perfdec --symfs root x.data
	same "$T/err" - <<-'END'
		perfdec: no symbols for JIT code without /tmp/perf-PID.map (1 sample): record node with --perf-basic-prof, java with -XX:+DumpPerfMapAtExit, python with -X perf
		perfdec: no symbols for /tmp/perf-10.map: not a regular file (1 sample)
	END
}

# ---- damage

@test "what is no recording is refused at its first byte" {
	: >empty
	head -c 4096 /dev/zero >zeros
	echo "just some text, longer than a header has to be" >text
	printf '\037\213\010\000\000\000\000\000\000\003\003\000\000\000\000\000\000\000\000\000' >gz
	printf '\050\265\057\375aaaaaaaaaaaaaaaaaaaa' >zstd
	printf 'PERFFILE%096d' 0 >v1
	perfdec --no-symbols "$DATA/flat.data" >stream
	printf '\0\0\0\100\170\234aaaaaaaaaaaaaaaaaaaa' >qt
	cp "$DATA/threads/data.1" records
	printf '{"format": "perun", "a": 1}' >json
	printf '\1\0\0\0\0\0\10\0' >record
	printf '\120\0\0\0\0\0\10\0' >typed
	printf '\0\0\0\0\0\0\10\0' >untyped
	printf '\377\0\0\0\0\0\10\0' >beyond
	printf 'PERFI' >five
	for f in empty:"empty file" zeros:"not a perf.data file" text:"not a perf.data file" gz:"gzip" zstd:"zstd" \
		v1:"version 1" stream:"this is a stream" qt:"zlib" records:"records without a header" json:"JSON" \
		record:"records without a header" typed:"records without a header" untyped:"not a perf.data file" \
		beyond:"not a perf.data file"; do
		want_status 1 perfdec --no-symbols "${f%%:*}"
		said "perfdec: ${f%%:*}: "
		said "${f#*:}"
		[ "$(wc -l <err)" -eq 1 ]
		printf '#afstream\t1\tperfdec\t%s\n#end\tperfdec\t%s\t0\tpartial\tdamaged\n' "${f%%:*}" "${f%%:*}" >want
		same want out
		want_status 1 sh -c "cat ${f%%:*} | perfdec"
		said "perfdec: -: 0x0: "
	done
	want_status 1 perfdec five
	said "perfdec: five: 0x5: "
}

@test "records without a header are recognized by a type and a size that a record can have" {
	local type size words file
	# bytes N...: prints them
	bytes() { printf '%b' "$(printf '\\x%x' "$@")"; }
	while read -r type size words; do
		bytes "$type" 0 0 0 7 0 $((size % 256)) $((size / 256)) >little
		bytes 0 0 0 "$type" 0 7 $((size / 256)) $((size % 256)) >big
		for file in little big; do
			want_status 1 perfdec $file
			said "perfdec: $file: 0x0: $words"
		done
	done <<-'END'
		0 8 not a perf.data file
		1 8 records without a header
		1 0 not a perf.data file
		1 4 not a perf.data file
		1 12 not a perf.data file
		1 16 records without a header
		1 65528 records without a header
		1 65535 not a perf.data file
		22 8 records without a header
		23 8 not a perf.data file
		63 8 not a perf.data file
		64 8 records without a header
		80 9 not a perf.data file
		81 9 records without a header
		81 65535 records without a header
		81 7 not a perf.data file
		82 9 not a perf.data file
		86 8 records without a header
		87 8 not a perf.data file
	END
	head -c 7 little >short
	want_status 1 perfdec short
	said "perfdec: short: 0x0: not a perf.data file"
}

@test "a file that is cut: whole records before the cut are there" {
	local n size
	samples "$DATA/chain.data" | grep '^sample' >whole
	size=$(wc -c <"$DATA/chain.data")
	head -c 1700 "$DATA/chain.data" >cut.data
	want_status 1 perfdec --no-symbols cut.data
	said ", and the file is shorter than its header says; the missing part may have mappings and names for earlier events"
	for n in 1700 1600 1300 900; do
		head -c $n "$DATA/chain.data" >cut.data
		want_status 1 perfdec --no-symbols cut.data
		said "perfdec: cut.data: 0x"
		said "; the missing part may have mappings and names for earlier events"
		tail -n 1 out | grep -q "^#end	perfdec	cut.data	[0-9]*	partial	damaged$"
		grep '^sample' out >got || :
		head -n "$(wc -l <got)" whole | cmp - got
	done
	[ "$(wc -l <got)" -lt "$(wc -l <whole)" ]
	head -c $((size - 1)) "$DATA/chain.data" >cut.data
	want_status 1 perfdec --no-symbols cut.data
	grep '^sample' out | cmp - whole
}

@test "all prefixes of recordings are refused, with a place" {
	local step=8
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	want_status 0 fuzz-perfdata --prefixes $step "$DATA"/{chain,pipe,group,kinds}.data
}

@test "10,000 damaged copies: read or refused" {
	local n=2500
	[ -z "${AFPIPE_SLOW-}" ] || n=10000
	want_status 0 fuzz-perfdata --flips $n 1 "$DATA"/{chain,pipe,events,stat,wide}.data
}

# bats test_tags=slow,sanitize
@test "the program itself on damaged copies" {
	local i got
	for i in $(seq 100); do
		fuzz-perfdata --write "$i" 2 "$DATA/events.data" >bad.data
		got=0
		perfdec --no-symbols --all bad.data >out 2>err || got=$?
		[ $got -le 1 ] || fail "status $got of copy $i"
		[ $got -eq 0 ] || grep -q '^perfdec: bad.data: 0x[0-9a-f]*: .' err || fail "copy $i: $(cat err)"
		got=0
		sh -c 'cat bad.data | perfdec --no-symbols' >out2 2>err || got=$?
		[ $got -le 1 ] || fail "status $got of copy $i in a pipe"
	done
}

@test "what fuzzing has found stays found, and takes little memory" {
	local files
	shopt -s nullglob
	files=("$BUGS"/perf-*.data "$ROOT"/t/fuzz/corpus/perfdata/*)
	[ ${#files[@]} -gt 0 ]
	[[ ${CFLAGS-} == *sanitize* ]] || export FUZZ_KIB=65536
	want_status 0 fuzz-perfdata "${files[@]}"
	for f in "$BUGS"/perf-*.data; do
		want_status 1 perfdec --no-symbols "$f"
		sed "s|^perfdec: $BUGS/|perfdec: |" err >words
		same "${f%.data}.err" words
		want_status 1 perfdec --all "$f"
		[ "$(grep -v '^#' out | cut -f 3 | grep -cv '^0x[0-9a-f]*$')" -eq 0 ]
	done
}

@test "counts that lie do not take memory" {
	# callchain of 2^61 entries; the sample's last u64 of a flat record is its period, so patch nr
	perfmake <<-'END' >lie.data
		sample 1 1 1 u 0x1 u 0x1
	END
	size=$(wc -c <lie.data)
	printf '\0\0\0\0\0\0\0\040' | dd of=lie.data bs=1 seek=$((size - 24)) conv=notrunc 2>/dev/null
	want_status 1 perfdec lie.data
	said "lie.data: 0x"
}

# ---- in a pipeline

@test "a decoder that is missing, killed or cut off is noticed by the last filter" {
	want_status 1 sh -c "no-such-perfdec 2>/dev/null '$DATA/chain.data' | afagg"
	want_status 1 sh -c "sh -c 'perfdec --no-symbols \"$DATA/chain.data\" | head -c 3000; kill -9 \$\$' | afagg"
	said "no end mark of perfdec"
	want_status 1 sh -c "perfdec --no-symbols '$DATA/lost.data' | head -n 20 | afagg"
	said "no end mark of perfdec"
	want_status 0 sh -c "perfdec --no-symbols '$DATA/lost.data' | head -n 20 | afagg --no-marks"
	want_status 1 sh -c "head -c 2000 '$DATA/chain.data' | perfdec --no-symbols 2>/dev/null | afagg"
	want_status 0 sh -c "perfdec --no-symbols '$DATA/chain.data' | afagg"
	silent
}

@test "kill -9 of the decoder after some bytes" {
	local pid
	need_proc
	mkfifo in
	perfdec --no-symbols <in >killed 2>/dev/null 3>&- &
	pid=$!
	exec 9>in
	head -c 4500 "$DATA/pipe.data" >&9
	soon waits $pid
	kill -9 $pid
	wait $pid || :
	exec 9>&-
	want_status 1 afagg killed
	said "no end mark of perfdec"
}

@test "SIGTERM while a pipe is read: what is known is printed" {
	local pid st
	need_proc
	mkfifo in
	sigdfl perfdec --no-symbols <in >out 2>err 3>&- &
	pid=$!
	exec 9>in
	head -c 4500 "$DATA/pipe.data" >&9
	soon waits $pid
	kill -TERM $pid
	ended
	exec 9>&-
	[ "$st" -eq 1 ]
	tail -n 1 out | grep -q '^#end	perfdec	-	[0-9]*	partial	interrupted$'
	said 'perfdec: -: interrupted'
	# what waited for its round too
	head -c 4500 "$DATA/pipe.data" >cut.data
	perfdec --no-symbols cut.data 2>/dev/null | grep '^sample' >want
	grep '^sample' out >got
	[ -s want ]
	same want got
}

@test "SIGTERM while the first of several operands is read: the others are not" {
	local pid st prog
	need_proc
	cp "$DATA/chain.data" later
	for prog in 'perfdec --no-symbols' jsondec; do
		rm -f in
		mkfifo in
		# shellcheck disable=SC2086 # words
		sigdfl $prog in later >out 2>err 3>&- &
		pid=$!
		exec 9>in
		if [ "$prog" = jsondec ]; then
			echo '{"kind":"sample"}' >&9
		else
			head -c 4500 "$DATA/pipe.data" >&9
		fi
		soon waits $pid
		kill -TERM $pid
		ended
		exec 9>&-
		[ "$st" -eq 1 ] || fail "$prog: status $st"
		echo "${prog%% *}: in: interrupted" | same - err
		[ "$(grep -c later out)" -eq 0 ] || fail "$prog: $(cat out)"
	done
}

# stopped_while_writing FILE: SIGTERM when all is read, and the reader of the output is slow.
stopped_while_writing() {
	local pid st=0
	rm -f slow
	mkfifo slow
	sigdfl perfdec --no-symbols "$1" >slow 2>err 3>&- &
	pid=$!
	exec 9<slow
	head -c 100000 <&9 >out
	soon waits $pid || return # for its reader
	kill -TERM $pid
	cat <&9 >>out
	exec 9<&-
	wait $pid || st=$?
	[ $st -eq 1 ] || fail "status $st"
	tail -n 1 out | grep -q '	partial	interrupted$' || fail "$(tail -n 1 out)"
}

@test "SIGTERM while few bytes unpack to many, or lines come back from the disk" {
	local whole
	perfconv --pipe --repeat 4000 "$DATA/chain.data" >plain.data
	perfconv --pipe --zstd 83 --repeat 4000 "$DATA/chain.data" >packed.data
	[ "$(stat -c %s packed.data)" -lt $(($(stat -c %s plain.data) / 10)) ]
	whole=$(perfdec --no-symbols plain.data | wc -l)
	need_proc
	stopped_while_writing packed.data
	[ "$(wc -l <out)" -lt "$whole" ]
	perfconv --pipe --no-rounds --repeat 40000 "$DATA/chain.data" >unsorted.data
	[ "$(stat -c %s unsorted.data)" -gt 40000000 ]
	stopped_while_writing unsorted.data
	[ "$(wc -l <out)" -lt $((5 * whole)) ]
}

@test "SIGINT to the whole pipeline: its end of input comes, and results are printed" {
	local pid prog st=0
	need_proc
	mkfifo in
	perfdec --no-symbols "$DATA/pipe.data" | afagg | sed '/^#/d' >want
	sigdfl sh -c 'trap : INT; perfdec --no-symbols <in | afagg >out' 2>err 3>&- &
	pid=$!
	exec 9>in
	cat "$DATA/pipe.data" >&9
	children() { grep -l "^PPid:	$pid$" /proc/[0-9]*/status 2>/dev/null | cut -d / -f 3; }
	both() { [ "$(children | wc -l)" -eq 2 ]; }
	soon both
	for prog in $(children); do
		soon waits "$prog"
		kill -INT "$prog"
	done
	exec 9>&-
	wait $pid || st=$?
	[ $st -eq 0 ] || [ $st -eq 130 ]
	unmarked out >got
	same want got
}

# ---- order and memory

@test "queue: time order through memory and disk, against a stable sort" {
	build_c "$T/queue" t/unit/queue.c src/perfdata/input/queue.c lib/{extsort,file,in,err,mem,vec,sig,out,esc,buf}.c
	for args in "33554432 3000 10 1" "0 3000 10 2" "0 300 1 3" "2000000 60000 20 4" "700000 20000 1 5" \
		"1200000 20000 3 6"; do
		# shellcheck disable=SC2086 # numbers
		want_status 0 "$T/queue" $args
		silent
	done
	want_status 0 "$T/queue" 0 300 1 3
	grep -q 'some spilled' out
	want_status 0 "$T/queue" 33554432 3000 10 1
	grep -q 'none spilled' out
	# the receiver fails, at a record in memory or on disk
	for stop in 1 2 100 299 300; do
		for memory in 0 33554432; do
			want_status 0 "$T/queue" $memory 300 1 3 $stop
			echo "$stop records in order, then none" | same - out
		done
	done
}

# bats test_tags=slow
@test "queue: no memory at any place, no temporary file: status 3, and nothing else" {
	helpers nomem.so fault || skip "no preloading here"
	fault true >out 2>&1 || [ $? -ne 77 ] || skip "nothing can be refused here"
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	build_c "$T/queue" t/unit/queue.c src/perfdata/input/queue.c lib/{extsort,file,in,err,mem,vec,sig,out,esc,buf}.c
	for args in "0 300 1 3" "0 3000 2 2" "33554432 300 4 1"; do
		# shellcheck disable=SC2086 # numbers
		want_status 0 fault -m "$HELPERS/nomem.so" "$T/queue" $args || fail "$(head -n 20 out)"
	done
	want_status 3 env TMPDIR="$T/none" "$T/queue" 0 300 1 3
	said "queue: add"
}

# bats test_tags=slow
@test "queue: ten times as many pieces on disk take ten times as long" {
	local few many
	need valgrind
	build_c "$T/queue" t/unit/queue.c src/perfdata/input/queue.c lib/{extsort,file,in,err,mem,vec,sig,out,esc,buf}.c
	few=$(instructions "$T/queue" 0 2000 1 3)
	many=$(instructions "$T/queue" 0 20000 1 3)
	# they are sorted, which takes 1.3 times as long for each record (the logarithm of their number)
	[ "$many" -le $((few * 14)) ] || fail "$few instructions, and $many for ten times the records"
}

@test "maps: against an array with an entry for each address" {
	build_c "$T/maps" t/unit/maps.c src/perfdata/state/maps.c lib/err.c lib/mem.c
	for seed in 1 2 3 4 5 6; do
		want_status 0 "$T/maps" 2000 $seed
		silent
	done
}

@test "a temporary folder that is not there fails, when one is needed" {
	want_status 3 sh -c "cat '$DATA/chain.data' | TMPDIR='$T/none' perfdec --no-symbols"
	said "perfdec: -: cannot make a temporary file"
	want_status 0 env TMPDIR="$T/none" perfdec --no-symbols "$DATA/chain.data"
}

# waiting: a recording with samples whose user part comes later, or never.
waiting() {
	perfmake <<-'END'
		with defer
		sample 1 1 10 k 0x1000 k 0x1000 d 5
		deferred 1 1 20 5 u 0x4000
		round
		sample 2 2 50 k 0x1000 k 0x1000 d 8
		sample 1 1 60 k 0x1000
	END
}

@test "memory that runs out, at any place: status 3 and a word, never damage or fewer lines" {
	local file
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	perfconv --zstd 81 "$DATA/chain.data" >zstd
	waiting >deferred
	for file in zstd deferred "$DATA/kinds.data"; do
		starves 30 perfdec --no-symbols --all "$file"
	done
	# stacks that end early are counted
	AFPIPE_SLOW=yes starves 30 perfdec --no-symbols --no-unwind "$DATA/stackdump.data"
}

# ceilings FROM STEP COMMAND...: with each ceiling of so many KiB, up to the first that is enough,
# it says which bound it ran into, and ends its output as partial after whole lines that are as
# many as it says.
ceilings() {
	local k=$1 step=$(($2 * 5)) status
	[ -z "${AFPIPE_SLOW-}" ] || step=$2
	shift 2
	"$@" >want 2>err || fail "$*: $(cat err)" || return
	for (( ; k < 1048576; k += step)); do
		status=0
		"$@" --max-memory "${k}K" >out 2>err || status=$?
		[ $status -ne 0 ] || break
		[ $status -eq 1 ] || fail "$k KiB: status $status: $(cat err)" || return
		grep -q 'it needs more memory than the [0-9]* [A-Za-z]* that --max-memory allows$' err ||
			fail "$k KiB: $(cat err)" || return
		awk -F '\t' '
			/\?/ { bad = 1 }
			!/^#/ { n++ }
			END { exit bad || $1 != "#end" || $2 != "perfdec" || $4 != n || $5 != "partial" || $6 !~ /^failed/ }
		' out || fail "$k KiB: $(grep -F '?' out) $(tail -n 1 out)" || return
	done
	same want out
}

@test "a ceiling on memory: the same bytes, or status 1, the reason and a partial end" {
	local file
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	perfconv --pipe --zstd 81 "$DATA/lost.data" >zstd
	cat zstd "$DATA/pipe.data" >joined
	waiting >deferred
	awk 'BEGIN {
		for (i = 1; i <= 3000; i++) {
			printf "comm %d %d %d name %d\n", i, i, i, i
			printf "mmap %d %d %d u 0x1000 0x1000 0 /lib/%d\n", i, i, i, i
			printf "sample %d %d %d u 0x1005\n", i, i, i
			if (i % 50 == 0) print "round"
		}
	}' | perfmake >tasks
	for file in joined deferred "$DATA/kinds.data" "$DATA/trace.data" "$DATA/stat.data" "$DATA/threads"; do
		ceilings 512 56 perfdec --no-symbols --all "$file"
	done
	ceilings 1024 100 perfdec --no-symbols tasks
	ceilings 512 56 perfdec --stats "$DATA/lost.data"
	ceilings 512 56 perfdec --header "$DATA/group.data"
}

@test "many pieces of kernel code with one symbol each take little memory" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		for (i = 1; i <= 20000; i++) printf "ksymbol 1 0xffffffffc%07x 64 bpf_%d\n", i * 64, i
		print "sample 1 1 2 k 0xffffffffc0000040"
	}' | perfmake >ksymbols.data
	want_status 0 rss used perfdec --no-symbols ksymbols.data
	[ "$(grep '^sample' out | cut -f 4)" = bpf_1 ]
	[ "$(cut -d ' ' -f 2 used)" -lt 49152 ] || fail "KiB used: $(cat used)"
}

@test "lines that wait for the first sample take little memory, however many" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	yes round | head -n 700000 | perfmake >rounds.data
	want_status 0 rss used perfdec --all --no-symbols rounds.data
	[ "$(grep -c '^finished_round' out)" -eq 700000 ]
	[ "$(grep -c '^run' out)" -eq 1 ]
	[ "$(cut -d ' ' -f 2 used)" -lt 65536 ] || fail "KiB used: $(cat used)"
}

@test "memory does not grow with the recording" {
	local n=300
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	[ -z "${AFPIPE_SLOW-}" ] || n=80000 # a pipe of 1 GB
	perfconv --pipe --repeat $n "$DATA/lost.data" | rss used perfdec --no-symbols | grep -c '^sample' >count
	[ "$(cut -d ' ' -f 2 used)" -lt 65536 ] || fail "KiB used: $(cat used)"
	[ "$(cat count)" -eq $((n * $(grep -c '^sample' "$DATA/lost.ev"))) ]
}

@test "a pipe without rounds that fits on the disk is sorted as a whole" {
	# 40 MiB, more than waits in memory; the last sample is the oldest
	{
		seq -f 'raw 9 2 8:0x1000 4:1 4:1 8:%.0f 8:60000 s60000:x 8:60000' 1001 1700
		echo 'raw 9 2 8:0x1000 4:1 4:1 8:5 8:0'
	} | perfmake --type 0x2007 >last.data
	want_status 0 perfdec --no-symbols <last.data # which is seekable
	cp out whole
	want_status 0 sh -c 'cat last.data | perfdec --no-symbols'
	silent
	same whole out
	grep '^sample' out | cut -f 2 >stamps
	{
		echo 5
		seq 1001 1700
	} | same - stamps
}

# bats test_tags=slow
@test "a pipe without rounds is sorted within a window of memory, and says so" {
	perfconv --pipe --no-rounds --repeat 45000 "$DATA/lost.data" |
		rss used perfdec --no-symbols 2>err | grep '^sample' | cut -f 2 >stamps
	said "perfdec: -: no rounds: from here on only the last 32 MiB are sorted"
	[ "$(cut -d ' ' -f 2 used)" -lt 65536 ] || fail "KiB used: $(cat used)"
	[ "$(wc -l <stamps)" -eq $((45000 * $(grep -c '^sample' "$DATA/lost.ev"))) ]
	sort -n -c stamps
}

@test "names too long for a line are left out, counted, and take no memory" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		for (name = "x"; length(name) < 60000; name = name name) ;
		print "mmap 1 1 0 u 0x1000 0x1000 0 /lib/" substr(name, 1, 60000)
		printf "sample 1 1 5 u 0x1100 u"
		for (i = 0; i < 8000; i++) printf " 0x1100"
		print "\nsample 1 1 6 u 0x1100 u 0x1100"
	}' | perfmake >long.data
	want_status 0 rss used perfdec --no-symbols long.data
	said "perfdec: tags left out of lines that would be longer than 16 MiB: 2"
	[ "$(grep -c '	omitted=stack;frames$' out)" -eq 1 ]
	[ "$(grep -c '^sample.*	stack=\[x*\]	frames=' out)" -eq 1 ]
	[ "$(cut -d ' ' -f 2 used)" -lt 65536 ] || fail "KiB used: $(cat used)"
	cp out long.ev
	want_status 0 afagg long.ev
	silent
	want_status 0 perfdec --no-symbols --tag rank=1 long.data
	said "perfdec: tags left out of lines that would be longer than 16 MiB: 2"
	[ "$(grep -c '	rank=1	omitted=stack;frames$' out)" -eq 1 ]
	want_status 0 perfdec --no-symbols --tags pid --tag rank=1 long.data
	silent
	[ "$(grep -c '	pid=1	rank=1$' out)" -eq 2 ]
}

@test "a mapping named like nothing, and losses beyond counting" {
	perfmake >made.data <<-'END'
		mmap 1 1 0 u 0x1000 0x1000 0 .
		mmap 1 1 0 u 0x9000 0x1000 0 /x/.
		sample 1 1 5 u 0x1100 u 0x1100 0x9100
		lost 6 18446744073709551615
		lost 7 1
	END
	want_status 0 perfdec --no-symbols made.data
	silent
	grep -q '	\[\.\]	cpu-clock	.*	stack=\[\.\];\[\.\]	frames=u:/x/\.+0x100-1;u:\.+0x100$' out
	tail -n 1 out | grep -q '	lost=18446744073709551615$'
	cp out made.ev
	want_status 0 afagg --by region made.ev
	silent
}

@test "symbols that the system fails to give are a failure, not missing names" {
	local demo=$ROOT/share/demo
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers open files of their own"
	want_status 3 sh -c "exec 3>&- 4>&- 5>&-; ulimit -n 4; exec perfdec --symfs '$demo/symfs' '$demo/burn.data'"
	said "no symbols for "
	said "Too many open files"
	tail -n 1 out | grep -q 'partial	failed$'
}

@test "a recording without samples: events that never happen, and a trace" {
	local said='perfdec: empty.data: the recording has no samples:'
	# events that never happen, one of them or all
	{
		echo 'raw 64 0 4:1 4:64 8:9 8:1 8:7 8:0 b:0x40000 4:0 4:0 8:0 8:1'
		echo 'raw 64 0 4:1 4:64 8:9 8:4000 8:7 8:0 b:0x40400 4:0 4:0 8:0 8:2'
	} >dummies
	perfmake --no-attr <dummies >empty.data
	want_status 0 perfdec empty.data
	echo "$said its events take none (--all prints its other records)" >want
	same want err
	{ cat dummies && echo 'raw 64 0 4:1 4:64 8:2 8:1 8:7 8:0 b:0x40000 4:0 4:0 8:0 8:3'; } | perfmake --no-attr >empty.data
	want_status 0 perfdec empty.data
	echo "$said none of its events happened" >want
	same want err
	# a processor's trace explains itself
	printf '%s\n' 'raw 71 0 8:16 8:0x40 8:0x50 4:1 4:812 4:-1 4:0' 'bytes s16:' | perfmake >empty.data
	want_status 0 perfdec empty.data
	echo "perfdec: empty.data: 16 bytes of a processor's trace are not decoded; --all lists where they are" >want
	same want err
}

@test "a recording without samples: one note, with the reason" {
	local said='perfdec: empty.data: the recording has no samples:'
	cd "$T"
	# note PERIOD FLAGS [LINE]...: decodes a recording of two events without samples
	note() {
		printf '%s\n' "events 2 0x187 4 $1 $2" 'comm 1 1 1 a' "${@:3}" | perfmake >empty.data
		want_status 0 perfdec empty.data
		! grep -q ^sample out || fail "a sample"
	}
	note 4000 0x40400
	echo "$said the program ended, or was idle, before the first one was due (perf record -F or -c takes more)" >want
	same want err
	note 100000 0x40000
	same want err
	note 1 0x40000
	echo "$said none of its events happened" >want
	same want err
	# perf record -n
	note 0 0x40400
	echo "$said its events take none (--all prints its other records)" >want
	same want err
	note 1 0x40000 'lost 2 7'
	echo "$said events that were lost: 7" >want
	same want err
	# no note if other records are asked for, if it is damaged, or if there is a sample
	for option in --all --stats --header; do
		want_status 0 perfdec $option empty.data
		silent || fail "$option"
	done
	head -c -4 empty.data >cut.data
	want_status 1 perfdec cut.data
	! grep -q 'no samples' err || fail 'a note on damage'
	echo 'sample 1 1 1 u 0x10' | perfmake >one.data
	want_status 0 perfdec --no-symbols one.data
	silent
}

@test "--inline and --srcline want symbols" {
	local option
	for option in --inline --srcline '--inline --srcline'; do
		# shellcheck disable=SC2086 # words
		want_status 2 perfdec --no-symbols $option "$DATA/chain.data"
		said 'perfdec: --inline and --srcline cannot be used with --no-symbols: give them to afsym'
	done
}

@test "--tags lines: the lines of all callers, as without it, and no stacks" {
	local demo=$ROOT/share/demo
	perfdec --symfs "$demo/symfs" --srcline "$demo/burn.data" >all 2>/dev/null || :
	sed -E '/^sample/ { s/	(lines=[^	]*)/	@\1/; s/	[a-z][^	]*=[^	]*//g; s/@// }' all | grep '^sample' >want
	want_status 0 perfdec --symfs "$demo/symfs" --srcline --tags lines "$demo/burn.data"
	grep '^sample' out >got
	grep -q '	lines=' got || skip "no source lines here"
	same want got
}
