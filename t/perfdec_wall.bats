# SPDX-License-Identifier: ISC
# perfdec_wall.bats - times of day, and tags that tell the recordings of several machines apart.

load lib
load perfdec.bash

setup_file() {
	helpers perfmake
}

# made [LINE]...: a recording of the host n17, after these lines.
made() {
	{
		printf '%s\n' "$@"
		cat <<-'END'
		comm 7 7 90 burn
		mmap 7 7 95 u 0x1000 0x1000 0 /bin/burn
		sample 7 7 100 u 0x1001
		sample 7 7 250 u 0x1002
		sample 7 7 3000000000 u 0x1002
		lost 3000000500 3
		END
	} | perfmake
}

CLOCK='raw 80 0 8:29 4:1 4:1 8:1700000000000000000 8:99900000000'
HOST='raw 80 0 8:3 4:64 s64:n17'

# times FILE: kinds and times of a stream's lines.
times() {
	afcut --no-marks kind,time "$1" | tr '\t' ' '
}

# bats test_tags=quick
@test "--wall: times of day, nothing else" {
	made 'clock 1' "$CLOCK" >a.data
	want_status 0 perfdec --no-symbols a.data
	cp out plain
	want_status 0 perfdec --no-symbols --wall a.data
	silent
	times out >got
	cat >want <<-'END'
	run 1699999900100000090
	measure .
	origin .
	sample 1699999900100000100
	sample 1699999900100000250
	sample 1699999903100000000
	lost 1699999903100000500
	END
	same want got
	# but for the times, and the clock of the run and of jitdumps
	afcut --no-marks run,region,measure,value,pid,tid,comm,cpu,mode,ip,dso,frames,wall?,host? plain >want
	afcut --no-marks run,region,measure,value,pid,tid,comm,cpu,mode,ip,dso,frames,wall?,host? out >got
	same want got
	grep -q $'^run\t.*\tclock=realtime\t' out
	[ "$(grep -c '^origin.*clock=' out)" -eq 0 ]
	made 'clock 0' >b.data
	want_status 0 perfdec --no-symbols --wall b.data
	perfdec --no-symbols b.data >plain
	same <(times plain) <(times out)
}

@test "wall: seconds, with as many decimals as they need" {
	local time text
	while read -r time text; do
		printf '%s\n' 'clock 1' 'raw 80 0 8:29 4:1 4:1 8:1700000000000000000 8:0' "sample 7 7 $time u 0x1001" |
			perfmake >a.data
		want_status 0 perfdec --no-symbols a.data
		[ "$(sed -n 's/^run\t.*\twall=\([^\t]*\)\t.*/\1/p' out)" = "$text" ] || fail "$time: $(grep ^run out)"
	done <<-'END'
		1 1700000000.000000001
		500000000 1700000000.5
		1000000000 1700000001
		10000000000 1700000010
		10000000010 1700000010.00000001
	END
}

# Lines whose times have the same upper digits share them.
@test "--wall: times of day near the beginning of the clock, across tenths of a second of either" {
	local past time
	for past in 0 1 50000000 99999999; do
		for time in 1 49999998 49999999 50000000 50000001 99999999 100000000 149999999 150000000 200000001; do
			echo "sample 7 7 $time u 0x1001"
			echo $((1700000000000000000 + past + time)) >&3
		done >samples 3>want
		{ echo "clock 1"; echo "raw 80 0 8:29 4:1 4:1 8:$((1700000000000000000 + past)) 8:0"; cat samples; } |
			perfmake >a.data
		want_status 0 perfdec --no-symbols --wall a.data
		times out | sed -n 's/^sample //p' >got
		same want got || fail "$past" || return
	done
}

@test "--wall: in a file and a pipe, in any form" {
	need python3
	want_status 0 perfdec --no-symbols --wall "$DATA/clock.data"
	times out >want
	want_status 0 sh -c "cat '$DATA/clock.data' | perfdec --no-symbols --wall"
	times out >got
	same want got
	# the run's line tells by how much times differ
	perfdec --no-symbols "$DATA/clock.data" >plain
	paste <(times plain) <(times want) >/dev/null
	python3 - "$(grep '^run' plain)" plain out <<-'END'
	import sys
	from decimal import Decimal
	run = sys.argv[1].split('\t')
	wall = [t for t in run if t.startswith('wall=')][0][5:]
	shift = int(Decimal(wall) * 10 ** 9) - int(run[1])
	for a, b in zip(open(sys.argv[2]), open(sys.argv[3])):
	    a, b = a.split('\t'), b.split('\t')
	    if not a[0].startswith('#') and a[1] != '.':
	        assert int(b[1]) == int(a[1]) + shift, (a, b)
	END
	want_status 0 perfdec --no-symbols --all --wall "$DATA/clock.data"
	[ "$(times out | awk '$2 != "." && length($2) != 19' | grep -cv '^header')" -eq 0 ] || fail "$(times out)"
	# times within records stay as they are
	perfdec --no-symbols --all "$DATA/clock.data" | tr '\t' '\n' | grep -a '^at=' >want
	tr '\t' '\n' <out | grep -a '^at=' >got
	same want got
	[ -s want ]
}

@test "--wall without the time of day: no times, a message and status 1" {
	# perf stat has no option for the clock
	want_status 1 perfdec --wall "$DATA/stat.data"
	grep -q 'so lines have no times$' err
	for line in '' 'clock 1'; do
		made "$line" >a.data
		want_status 1 perfdec --no-symbols --wall a.data
		said "a.data: the recording has no clock that can be converted to the time of day, so lines have no times: record with 'perf record -k CLOCK_MONOTONIC'"
		times out | awk '$2 != "."' >got
		[ ! -s got ] || fail "$(cat got)"
		[ "$(grep -c '^sample' out)" -eq 3 ]
		tail -n 1 out | grep -q $'\tpartial\tno time of day in the recording'
		# damage comes first
		head -c -16 a.data >cut.data
		want_status 1 perfdec --no-symbols --wall cut.data
		tail -n 1 out | grep -q $'\tpartial\tdamaged'
	done
	want_status 2 perfdec --wall --stats a.data
	want_status 2 perfdec --wall --header a.data
}

@test "--wall: a recording that ends before any event" {
	echo "$HOST" | perfmake --no-attr >a.data
	want_status 1 perfdec --no-symbols --wall --all --run R a.data
	said "the recording ends before any event"
	printf 'run\t.\tR\t.\t.\t.\tunit=ns\tapp=perf\thost=n17\n' >want
	printf 'header\t.\tR\t.\thostname\tn17\n' >>want
	grep -v '^#' out >got
	same want got
	# where there is no run, its host is not missing
	head -c 16 a.data >b.data
	want_status 1 perfdec --no-symbols --tag host b.data
	[ "$(cat err)" = "perfdec: b.data: 0x10: the recording ends before any event" ]
	[ "$(grep -vc '^#' out)" -eq 0 ]
}

@test "--tag adds tags to events, with and without other tags" {
	made "$HOST" >a.data
	want_status 0 perfdec --no-symbols a.data
	cp out plain
	want_status 0 perfdec --no-symbols --tag 'rank=0 7	x' --tag host a.data
	silent
	sed '/^\(sample\|lost\)/s/$/\trank=0 7\\tx\thost=n17/' plain >want
	same want out
	want_status 0 perfdec --no-symbols --tag host --tag rank= a.data
	echo 'perfdec: --tag rank= has no value after the =, so the tag is empty' >want
	same want err
	sed '/^\(sample\|lost\)/s/$/\trank=.\thost=n17/' plain >want
	same want out
	perfdec --help | grep -q -- ' --tag KEY=VALUE .* --tag host: '
	want_status 0 perfdec --no-symbols --tags none --tag host=a a.data
	perfdec --no-symbols --tags none a.data | sed 's/\ttags=none/\ttags=host/
		/^\(sample\|lost\)/s/$/\thost=a/' >want
	same want out
	want_status 0 perfdec --no-symbols --tags cpu,comm --tag host=a a.data
	perfdec --no-symbols --tags cpu,comm a.data | sed 's/\ttags=cpu;comm/&;host/
		/^\(sample\|lost\)/s/$/\thost=a/' >want
	same want out
	want_status 0 perfdec --no-symbols --tags cpu,host,x --tag host a.data
	said "no event has a tag 'x'"
	[ "$(wc -l <err)" -eq 1 ]
	perfdec --no-symbols --tags cpu a.data | sed 's/\ttags=cpu/\ttags=cpu;x;host/
		/^\(sample\|lost\)/s/$/\thost=n17/' >want
	same want out
	cp out named
	want_status 0 afagg --kind lost --by host --stat sum named
	grep -q $'^agg\t.*\t3\thost=n17\t' out || fail "$(cat out)"
	want_status 0 perfdec --no-symbols --tag host=a a.data
	cp out named
	want_status 0 afagg --by host named
	grep -q $'\thost=a\t' out
}

@test "--tag host: of each recording of its own" {
	made "$HOST" >a.data
	made 'raw 80 0 8:3 4:64 s64:n18' | cat a.data - >two.data
	want_status 0 perfdec --no-symbols --tag host two.data
	afcut --kind sample host out | uniq -c | awk '{ print $1, $2 }' >got
	printf '3 n17\n3 n18\n' >want
	same want got
	made >none.data
	want_status 0 perfdec --no-symbols --tag host a.data none.data
	said 'none.data: the recording does not name its host'
	afcut --kind sample host out | uniq -c | awk '{ print $1, $2 }' >got
	printf '3 n17\n3 .\n' >want
	same want got
}

@test "keys that events have, and other wrong ones, are refused" {
	local tag f
	for tag in cpu=1 region=x unit=x comm=y late=1 Host=x 1=2 =x '' a-b=c rank 'a;b=c'; do
		want_status 2 perfdec --tag "$tag" a.data
	done
	# tags of other kinds: changes, regions, pauses, bins, calls
	local key
	for key in before after change change.lo delta.hi p n.after beyond overlap normalised depth parent elapsed \
		paused lo hi syscall preempt events; do
		want_status 2 perfdec --tag $key=1 a.data
		want_status 2 afdec --tag $key=1 /dev/null
	done
	want_status 2 perfdec --tag a=1 --tag a=2 a.data
	want_status 2 perfdec --tag host --tag host=a a.data
	want_status 2 perfdec --tag host=a --tag host a.data
	# whatever tag a line of an event has
	for f in "$DATA"/*.data; do
		perfdec --no-symbols --all "$f" 2>err || :
	done | awk -F'\t' '$1 ~ /^(sample|count|lost)$/ { for (i = 7; i <= NF; i++) if (!seen[k = substr($i, 1, index($i, "=") - 1)]++) print k }' >keys
	[ "$(wc -l <keys)" -gt 30 ]
	while read -r tag; do
		want_status 2 perfdec --tag "$tag=x" a.data || fail "$tag"
	done <keys
}
