# SPDX-License-Identifier: ISC
# afdur.bats - starts and stops to durations: whole streams, and random ones before a judge.

load lib

setup() {
	cd "$T" || return
}

# spans: the same of its span lines alone, and of these columns 2 to 6 alone.
spans() {
	cat >want
	sed -n 's/^span	//p' out | cut -f 1-5 | tr '\t' ' ' >got
	same want got
}

# errors: standard error is exactly what comes in.
errors() {
	cat >want
	same want err
}

# complete: the output says that it is; partial: that it is not.
complete() {
	tail -n 1 out | grep -q '^#end	afdur	.*	complete' || fail "$(tail -n 1 out)"
}
partial() {
	tail -n 1 out | grep -q '^#end	afdur	.*	partial	' || fail "$(tail -n 1 out)"
}

# bats test_tags=quick
@test "regions: inclusive, self, where they stand, and the tags of their starts" {
	lines >in <<-'EOF'
	run 5 r . . . unit=ns
	start 10 r main . . scope=region id=0x1 tag.a=b tag.a=c
	start 20 r f;x . . scope=region id=0x2
	start 25 r g . . scope=region id=0x3
	stop 30 r . . . scope=region id=0x3
	stop 40 r f;x . . scope=region id=0x2
	start 50 r g . . scope=region id=0x4
	stop 50 r g . . scope=region id=0x4
	stop 100 r main . . scope=region id=0x1
	EOF
	want_status 0 afdur in
	want <<-'EOF'
	run 5 r . . . unit=ns
	measure . r . inclusive . type=int64 unit=ns
	span 30 r g inclusive 5 scope=region id=0x3 start=25 depth=2 parent=f;x stack=main;f\x3bx;g unit=ns type=int64
	measure . r . self . type=int64 unit=ns
	span 30 r g self 5 scope=region id=0x3 start=25 depth=2 parent=f;x stack=main;f\x3bx;g unit=ns type=int64
	span 40 r f;x inclusive 20 scope=region id=0x2 start=20 depth=1 parent=main stack=main;f\x3bx unit=ns type=int64
	span 40 r f;x self 15 scope=region id=0x2 start=20 depth=1 parent=main stack=main;f\x3bx unit=ns type=int64
	span 50 r g inclusive 0 scope=region id=0x4 start=50 depth=1 parent=main stack=main;g unit=ns type=int64
	span 50 r g self 0 scope=region id=0x4 start=50 depth=1 parent=main stack=main;g unit=ns type=int64
	span 100 r main inclusive 90 scope=region id=0x1 start=10 depth=0 parent=. stack=main unit=ns type=int64 tag.a=b tag.a=c
	span 100 r main self 70 scope=region id=0x1 start=10 depth=0 parent=. stack=main unit=ns type=int64 tag.a=b tag.a=c
	EOF
	silent
	complete
}

@test "regions without ids go by their labels, also where they call themselves" {
	lines >in <<-'EOF'
	start 1 r f . .
	start 2 r f . . tid=7
	start 4 r f . .
	stop 5 r f . .
	start 6 r \. . .
	stop 7 r . . .
	stop 8 r f . .
	stop 16 r f . .
	EOF
	want_status 0 afdur in
	spans <<-'EOF'
	5 r f inclusive 1
	5 r f self 1
	7 r \. inclusive 1
	7 r \. self 1
	8 r f inclusive 6
	8 r f self 4
	16 r f inclusive 15
	16 r f self 9
	EOF
	silent
	[ "$(grep -c 'stack=f;f;\\.	' out)" -eq 2 ]
	[ "$(grep -c 'depth=2	parent=f	stack=f;f;f	' out)" -eq 2 ]
}

@test "a stop without an id is not that of a region with one, unless it has no label either" {
	lines >in <<-'EOF'
	start 1 r f . .
	start 2 r f . . id=1
	stop 3 r f . . id=f
	stop 4 r . . .
	start 5 r f . . id=1
	stop 6 r f . .
	stop 7 r f . . id=1
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:3: stop of region f "f", which is not open
	afdur: in:6: stop of region "f" while region 1 "f" of line 5 is open: the latter is left out
	afdur: in:7: stop of region 1 "f", which is not open
	EOF
	spans <<-'EOF'
	4 r f inclusive 2
	4 r f self 2
	6 r f inclusive 5
	6 r f self 3
	EOF
}

@test "runs do not nest in each other, nor do other things than regions" {
	lines >in <<-'EOF'
	start 1 r f . .
	start 2 s g . .
	start 3 r io . . scope=section id=1 interval=1
	start 3 r r . . scope=run
	stop 5 s g . .
	stop 6 r f . .
	stop 7 r io . . scope=section id=1 interval=1
	stop 9 r r . . scope=run
	EOF
	want_status 0 afdur in
	spans <<-'EOF'
	5 s g inclusive 3
	5 s g self 3
	6 r f inclusive 5
	6 r f self 5
	7 r io inclusive 4
	7 r io union 4
	9 r r inclusive 6
	EOF
	silent
}

@test "regions that cross: the inner one is left out" {
	lines >in <<-'EOF'
	start 1 r a . .
	start 2 r b . . id=5
	start 3 r c . .
	stop 4 r c . .
	stop 6 r a . .
	stop 8 r b . . id=5
	start 10 r a . .
	start 11 r b . .
	start 12 r c . .
	stop 13 r a . .
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:5: stop of region "a" while region 5 "b" of line 2 is open: the latter is left out
	afdur: in:6: stop of region 5 "b", which is not open
	afdur: in:10: stop of region "a" while 2 regions in it are open: they are left out, region "c" of line 9 first
	EOF
	spans <<-'EOF'
	4 r c inclusive 1
	4 r c self 1
	6 r a inclusive 5
	6 r a self 4
	13 r a inclusive 3
	13 r a self 3
	EOF
	partial
}

@test "of regions that cross only those are left out, and what was inside of them counts" {
	lines >in <<-'EOF'
	start 0 r out . . id=1
	start 4 r a . . id=2
	start 4 r b . . id=3
	start 5 r f . . id=4
	start 5 r g . . id=5
	start 6 r x . . id=6
	stop 8 r x . . id=6
	start 9 r now . . id=7
	stop 9 r a . . id=2
	stop 10 r now . . id=7
	stop 11 r b . . id=3
	stop 20 r out . . id=1
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:9: stop of region 2 "a" while 2 regions in it are open: they are left out, region 5 "g" of line 5 first
	EOF
	spans <<-'EOF'
	8 r x inclusive 2
	8 r x self 2
	9 r a inclusive 5
	9 r a self 3
	10 r now inclusive 1
	10 r now self 1
	11 r b inclusive 7
	11 r b self 1
	20 r out inclusive 20
	20 r out self 13
	EOF
	[ "$(grep -c 'depth=2	parent=b	stack=out;b;a	' out)" -eq 2 ]
	[ "$(grep -c 'depth=2	parent=b	stack=out;b;now	' out)" -eq 2 ]
	[ "$(grep -c 'depth=1	parent=out	stack=out;b	' out)" -eq 2 ]
}

@test "regions of one name, of which an outer one is left out: the others stay, and no more" {
	# the second f crosses x; then the first one crosses y, too
	lines >in <<-'EOF'
	start 0 r y . . id=y
	start 1 r f . .
	start 2 r x . . id=x
	start 5 r f . .
	start 9 r f . .
	stop 9 r x . . id=x
	stop 9 r y . . id=y
	stop 10 r f . .
	stop 11 r f . .
	stop 12 r f . .
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:6: stop of region x "x" while region "f" of line 4 is open: the latter is left out
	afdur: in:7: stop of region y "y" while region "f" of line 2 is open: the latter is left out
	afdur: in:9: stop of region "f", which is not open
	afdur: in:10: stop of region "f", which is not open
	EOF
	spans <<-'EOF'
	9 r x inclusive 7
	9 r x self 7
	9 r y inclusive 9
	9 r y self 2
	10 r f inclusive 1
	10 r f self 1
	EOF
	# only the second one
	sed '/y/d' in >x
	want_status 1 afdur x
	errors <<-'EOF'
	afdur: x:5: stop of region x "x" while region "f" of line 3 is open: the latter is left out
	afdur: x:8: stop of region "f", which is not open
	EOF
	spans <<-'EOF'
	9 r x inclusive 7
	9 r x self 7
	10 r f inclusive 1
	10 r f self 1
	11 r f inclusive 10
	11 r f self 2
	EOF
}

@test "starts that are never stopped, stops that nothing started, ids that are open" {
	lines >in <<-'EOF'
	start 1 r a . . id=1
	start 1 r a . . id=1
	stop 2 r x . . id=2
	stop 2 r x . .
	start 3 r b . .
	start 4 r s . . scope=section id=9 interval=1
	start 5 r s . . scope=section id=9 interval=2
	start 5 r s . . scope=section id=9 interval=2
	stop 6 r s . . scope=section id=9 interval=2
	stop 7 r s . . scope=section id=9 interval=3
	start 8 r a . . scope=thread
	start 9x r a . .
	start . r a . .
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:2: start of region 1 "a", which has been open since line 1
	afdur: in:3: stop of region 2 "x", which is not open
	afdur: in:4: stop of region "x", which is not open
	afdur: in:8: start of interval 2 of section 9 "s", which has been open since line 7
	afdur: in:10: stop of interval 3 of section 9 "s", which is not open
	afdur: in:11: scope "thread" is not region, section or run
	afdur: in:12: time "9x" is not a time of up to 128 bits
	afdur: in:13: time "." is not a time of up to 128 bits
	afdur: in:1: start of region 1 "a", which is never stopped
	afdur: in:5: start of region "b", which is never stopped
	afdur: in:6: start of interval 1 of section 9 "s", which is never stopped
	EOF
	spans <<-'EOF'
	6 r s inclusive 1
	EOF
	partial
}

@test "an interval= is none of the name of a region, whichever of its lines has it" {
	lines >in <<-'EOF'
	start 1 r a . . scope=region interval=1
	start 1 r b . . scope=region
	stop 3 r a . . scope=region
	stop 4 r b . . scope=region interval=2
	start 5 r a . . scope=region interval=1 id=7
	start 6 r a . . scope=region interval=2 id=7
	stop 8 r a . . scope=region interval=3 id=7
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:6: start of region 7 "a", which has been open since line 5
	EOF
	spans <<-'EOF'
	3 r a inclusive 2
	3 r a self 2
	4 r b inclusive 3
	4 r b self 1
	8 r a inclusive 3
	8 r a self 3
	EOF
}

@test "sections: each interval, and their union" {
	lines >in <<-'EOF'
	start 10 r io . . scope=section id=1 interval=1 tag.k=v
	start 20 r io . . scope=section id=1 interval=2
	start 25 r net . . scope=section id=2 interval=1
	stop 30 r io . . scope=section id=1 interval=1
	start 35 r io . . scope=section id=1 interval=1
	stop 40 r io . . scope=section id=1 interval=2
	stop 45 r net . . scope=section id=2 interval=1
	stop 50 r io . . scope=section id=1 interval=1
	start 50 r io . . scope=section id=1 interval=3
	stop 60 r io . . scope=section id=1 interval=3
	start 70 r plain . . scope=section
	stop 75 r plain . . scope=section
	EOF
	want_status 0 afdur in
	spans <<-'EOF'
	30 r io inclusive 20
	40 r io inclusive 20
	45 r net inclusive 20
	45 r net union 20
	50 r io inclusive 15
	50 r io union 40
	60 r io inclusive 10
	60 r io union 10
	75 r plain inclusive 5
	75 r plain union 5
	EOF
	tr '\t' ' ' <out >blanks
	grep -qx 'span 50 r io union 40 scope=section id=1 start=10 unit=ns type=int64' blanks
	grep -qx 'span 40 r io inclusive 20 scope=section id=1 interval=2 start=20 unit=ns type=int64' blanks
	silent
}

@test "a union has the tags that all starts of its intervals have" {
	local many i
	for ((i = 0; i < 20; i++)); do many+=" k$i=v"; done
	lines >in <<-EOF
	start 1 r s . . scope=section id=1 interval=1 tag.worker=0 build=old host=a
	start 2 r s . . scope=section id=1 interval=2 tag.worker=0 build=old host=b x=y
	stop 3 r s . . scope=section id=1 interval=1 late=z
	start 4 r s . . scope=section id=1 interval=3 build=old tag.worker=0 host=a
	stop 5 r s . . scope=section id=1 interval=2
	stop 6 r s . . scope=section id=1 interval=3
	start 7 r s . . scope=section id=1 interval=1 host=a
	stop 8 r s . . scope=section id=1 interval=1
	start 9 r s . . scope=section id=2 interval=1$many
	start 9 r s . . scope=section id=2 interval=2 k0=v k1=w${many#* k1=v}
	start 10 r s . . scope=section id=3 interval=1 a=1
	start 10 r s . . scope=section id=3 interval=2
	stop 11 r s . . scope=section id=2 interval=1
	stop 11 r s . . scope=section id=2 interval=2
	stop 12 r s . . scope=section id=3 interval=1
	stop 12 r s . . scope=section id=3 interval=2
	start 13 r s . . scope=section id=4 interval=1 host=a x=y
	start 13 r s . . scope=section id=4 interval=2 host=a x=y
	stop 14 r s . . scope=section id=4 interval=1
	stop 14 r s . . scope=section id=4 interval=2
	EOF
	want_status 0 afdur --no-marks in
	grep '^span.*	union	' out >unions
	cp unions out
	want <<-EOF
	span 6 r s union 5 scope=section id=1 start=1 unit=ns type=int64 tag.worker=0 build=old
	span 8 r s union 1 scope=section id=1 start=7 unit=ns type=int64 host=a
	span 11 r s union 2 scope=section id=2 start=9 unit=ns type=int64 k0=v${many#* k1=v}
	span 12 r s union 2 scope=section id=3 start=10 unit=ns type=int64
	span 14 r s union 1 scope=section id=4 start=13 unit=ns type=int64 host=a x=y
	EOF
}

@test "pauses: what overlaps is deducted, once, and both values are there" {
	lines >in <<-'EOF'
	start 10 r main . .
	pause 15 r . . . scope=run start=5
	start 20 r f . .
	start 22 r io . . scope=section id=1 interval=1
	pause 30 r . . . scope=run start=26
	pause 29 r . . . scope=run start=27
	pause 34 r . . . scope=run start=30
	stop 32 r f . .
	start 33 r io . . scope=section id=1 interval=2
	stop 36 r io . . scope=section id=1 interval=1
	stop 40 r io . . scope=section id=1 interval=2
	stop 50 r main . .
	pause 90 r . . . scope=run start=48
	pause 90 other . . . scope=run start=0
	EOF
	want_status 0 afdur --deduct-pauses in
	silent
	complete
	grep -c '^pause' out >count
	echo 6 | same count -
	grep '^span' out | cut -f 2,4,5,6 >first
	grep -o 'elapsed=.*	unit' out | sed 's/	unit//' | paste first - | tr '\t' ' ' >got
	cat >want <<-'EOF'
	32 f inclusive 6 elapsed=12 paused=6
	32 f self 6 elapsed=12 paused=6
	36 io inclusive 6 elapsed=14 paused=8
	40 io inclusive 6 elapsed=7 paused=1
	40 io union 10 elapsed=18 paused=8
	50 main inclusive 25 elapsed=40 paused=15
	50 main self 19 elapsed=28 paused=9
	EOF
	same want got
	want_status 0 afdur in
	[ "$(grep -c 'elapsed=' out)" -eq 0 ]
	[ "$(grep -c '^pause' out)" -eq 6 ]
}

@test "pauses from a pipe, from standard input where it stands, from two inputs" {
	lines >in <<-'EOF'
	start 10 r f . .
	pause 13 r . . . start=11
	stop 20 r f . .
	EOF
	want_status 0 afdur --deduct-pauses in
	unmarked out >file
	[ "$(sed -n '/self/s/.*elapsed=\([0-9]*\)	paused=\([0-9]*\).*/\1 \2/p' file)" = '10 2' ]
	want_status 0 sh -c 'cat in | afdur --deduct-pauses'
	unmarked out | same file -
	want_status 0 afdur --deduct-pauses - <in
	unmarked out | same file -
	{ echo 'a line of something else'; cat in; } >whole
	want_status 0 sh -c '{ read -r line; afdur --deduct-pauses; } <whole'
	unmarked out | same file -
	# the pause of another input counts, and each is read as itself
	sed 2d in >events
	sed -n 2p in >pauses
	want_status 0 sh -c 'cat pauses | afdur --deduct-pauses events -'
	unmarked out | grep -v ^pause | same <(grep -v ^pause file) -
	want_status 0 sh -c 'cat events | afdur --deduct-pauses - pauses'
	unmarked out | grep -v ^pause | same <(grep -v ^pause file) -
}

@test "a pause that is none deducts nothing, and is an error where it counts" {
	lines >in <<-'EOF'
	start 10 r f . .
	pause 15 r . . .
	pause 15 r . . . start=16
	pause 15 r . . . start=-1
	pause . r . . . start=1
	stop 20 r f . .
	EOF
	want_status 1 afdur --deduct-pauses in
	errors <<-'EOF'
	afdur: in:2: pause without start=
	afdur: in:3: pause that ends before it starts
	afdur: in:4: start "-1" is not a time of up to 128 bits
	afdur: in:5: time "." is not a time of up to 128 bits
	EOF
	grep -q 'self	10	.*elapsed=10	paused=0	' out
	[ "$(grep -c '^pause' out)" -eq 4 ]
	want_status 0 afdur in
	silent
}

@test "input that changes between the two times that it is read" {
	local pid st=0
	mkfifo fifo
	printf 'start\t1\tr\tf\t.\t.\n' >in
	need_proc
	afdur --deduct-pauses in fifo >out 2>err 3>&- &
	pid=$!
	exec 9>fifo
	printf 'start\t2\tr\tg\t.\t.\n' >&9
	soon waits $pid # for more of the pipe, behind the file
	printf 'pause\t2\tr\t.\t.\t.\tstart=1\n' >>in
	printf 'stop\t3\tr\tg\t.\t.\nstop\t4\tr\tf\t.\t.\n' >&9
	exec 9>&-
	wait $pid || st=$?
	[ $st -eq 1 ]
	echo 'afdur: the input changed while it was being read: pauses may be missing' | same - err
	partial
}

@test "input that changes and stays as long" {
	local pid st=0
	mkfifo fifo
	printf 'start\t1\tr\tf\t.\t.\npause\t3\tr\t.\t.\t.\tstart=2\n' >in
	need_proc
	afdur --deduct-pauses in fifo >out 2>err 3>&- &
	pid=$!
	exec 9>fifo
	printf 'start\t2\tr\tg\t.\t.\n' >&9
	soon waits $pid # for more of the pipe, behind the file
	printf 'start\t1\tr\tf\t.\t.\npause\t3\tr\t.\t.\t.\tstart=1\n' >in
	printf 'stop\t3\tr\tg\t.\t.\nstop\t4\tr\tf\t.\t.\n' >&9
	exec 9>&-
	wait $pid || st=$?
	[ $st -eq 1 ]
	echo 'afdur: the input changed while it was being read: pauses may be missing' | same - err
	partial
}

@test "a line that goes back in time is left out, and the message's own sort helps" {
	lines >in <<-'EOF'
	start 10 r f . .
	stop 30 r f . .
	start 5 r main . .
	start 1 s g . .
	stop 40 r main . .
	stop 2 s g . .
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:3: goes back in time: it is left out; use --sort, or sort -s -t "$(printf '\t')" -k 3,3 -k 2,2n before
	afdur: in:5: stop of region "main", which is not open
	EOF
	command=$(sed -n '1s/.*, or \(sort .*\) before/\1/p' err)
	want_status 0 sh -c "$command in | afdur"
	spans <<-'EOF'
	30 r f inclusive 20
	30 r f self 20
	40 r main inclusive 35
	40 r main self 15
	2 s g inclusive 1
	2 s g self 1
	EOF
	silent
}

@test "several runs with one id: one error says so, instead of one for each line" {
	for i in 1 2; do
		{
			printf '# AFPerf v1     \nRunInfo,0,nanoseconds,1,1.0.0,1,p,1.0,\n'
			for j in 1 2 3 4 5 6 7 8 9 10 11 12; do
				printf 'RegionStart,%d0,1,%d,r%d,\nRegionStop,%d%d,%d\n' $j $j $j $j $i $j
			done
		} >$i.afperf
	done
	afdec 1.afperf 2.afperf >in
	for option in --keep --sort; do
		want_status 1 afdur $option in
		errors <<-'EOF'
		afdur: in:29: run 1 also came from another source: is it counted twice? (several runs with one id: see afpipe-cookbook(7))
		afdur: several runs have the id 1, so lines were left out: 24 (give each run its own id: see "Runs with the same id" in afpipe-cookbook(7))
		EOF
		partial
	done
	grep -q '^\.Ss Runs with the same id$' "$ROOT/man/afpipe-cookbook.7"
	# parts of one run fit together; and an error in a run alone is that of its line
	printf 'run\t0\tr\t.\t.\t.\nstart\t5\tr\tf\t.\t.\n' >a
	printf 'run\t0\tr\t.\t.\t.\nstop\t7\tr\tf\t.\t.\n' >b
	want_status 0 afdur --no-marks a b
	spans <<-'EOF'
	7 r f inclusive 2
	7 r f self 2
	EOF
	(cat a && sed 's/\t5/\t4/; /^run/d' a) >c
	want_status 1 afdur c
	said 'afdur: c:3: goes back in time'
}

@test "regions that begin when another stops lie behind it, whichever line comes first" {
	lines >in <<-'EOF'
	start 0 r out . . scope=region id=1
	start 5 r a;b . . scope=region id=2
	start 5 r c . . scope=region id=3
	start 8 r d . . scope=region id=4
	start 8 r e . . scope=region id=5
	stop 8 r a;b . . scope=region id=2
	stop 8 r c . . scope=region id=3
	stop 9 r e . . scope=region id=5
	stop 12 r d . . scope=region id=4
	stop 20 r out . . scope=region id=1
	EOF
	want_status 0 afdur in
	grep -o '^span.*unit' out | grep self | cut -f 2,4,6,10- >got
	printf '%s\n' '8 a;b 3 depth=2 parent=c stack=out;c;a\x3bb unit' '8 c 0 depth=1 parent=out stack=out;c unit' \
		'9 e 1 depth=2 parent=d stack=out;d;e unit' '12 d 3 depth=1 parent=out stack=out;d unit' \
		'20 out 13 depth=0 parent=. stack=out unit' | tr ' ' '\t' >want
	same want got
	# one of them crosses all the same
	sed 's/^start\t5\tr\tc/start\t6\tr\tc/; s/^stop\t8\tr\tc/stop\t9\tr\tc/' in >crossed
	want_status 1 afdur crossed
	said 'stop of region 2 "a;b" while '
}

@test "regions that begin together: what stops first lies inside" {
	lines >in <<-'EOF'
	start 0 r out . . scope=region id=1
	start 5 r a;b . . scope=region id=2
	start 5 r c . . scope=region id=3
	start 5 r d . . scope=region id=4
	start 6 r e . . scope=region id=5
	stop 7 r e . . scope=region id=5
	stop 8 r a;b . . scope=region id=2
	start 8 r f . . scope=region id=6
	stop 9 r f . . scope=region id=6
	stop 10 r c . . scope=region id=3
	stop 12 r d . . scope=region id=4
	stop 20 r out . . scope=region id=1
	EOF
	for option in "" --sort; do
		want_status 0 afdur $option in
		want <<-'EOF'
		measure . r . inclusive . type=int64 unit=ns
		span 7 r e inclusive 1 scope=region id=5 start=6 depth=4 parent=d stack=out;a\x3bb;c;d;e unit=ns type=int64
		measure . r . self . type=int64 unit=ns
		span 7 r e self 1 scope=region id=5 start=6 depth=4 parent=d stack=out;a\x3bb;c;d;e unit=ns type=int64
		span 8 r a;b inclusive 3 scope=region id=2 start=5 depth=3 parent=d stack=out;c;d;a\x3bb unit=ns type=int64
		span 8 r a;b self 2 scope=region id=2 start=5 depth=3 parent=d stack=out;c;d;a\x3bb unit=ns type=int64
		span 9 r f inclusive 1 scope=region id=6 start=8 depth=3 parent=d stack=out;c;d;f unit=ns type=int64
		span 9 r f self 1 scope=region id=6 start=8 depth=3 parent=d stack=out;c;d;f unit=ns type=int64
		span 10 r c inclusive 5 scope=region id=3 start=5 depth=2 parent=d stack=out;d;c unit=ns type=int64
		span 10 r c self 1 scope=region id=3 start=5 depth=2 parent=d stack=out;d;c unit=ns type=int64
		span 12 r d inclusive 7 scope=region id=4 start=5 depth=1 parent=out stack=out;d unit=ns type=int64
		span 12 r d self 2 scope=region id=4 start=5 depth=1 parent=out stack=out;d unit=ns type=int64
		span 20 r out inclusive 20 scope=region id=1 start=0 depth=0 parent=. stack=out unit=ns type=int64
		span 20 r out self 13 scope=region id=1 start=0 depth=0 parent=. stack=out unit=ns type=int64
		EOF
	done
	{
		echo 'pause 3 r . . . start=1'
		printf 'start 0 r %s . .\n' a b
		printf 'stop %s . .\n' '2 r a' '4 r b'
	} | lines >in
	want_status 0 afdur --deduct-pauses in
	spans <<-'EOF'
	2 r a inclusive 1
	2 r a self 1
	4 r b inclusive 2
	4 r b self 1
	EOF
}

@test "--sort: by run and time, equal times as they came, all others first" {
	lines >in <<-'EOF'
	start 10 s f . .
	novel 1 s . . . x=1
	stop 30 s f . .
	sample 10 s f mem 1 scope=region id=0x5
	start 10 s g . .
	stop 10 s g . .
	start 5 s main . .
	pause 9 s . . . start=7
	stop 40 s main . .
	stop 2 r g . .
	sample . r g m 1
	start 1 r g . .
	start never r g . .
	EOF
	want_status 1 afdur --sort --deduct-pauses --keep in
	errors <<-'EOF'
	afdur: in:13: time "never" is not a time of up to 128 bits
	EOF
	grep -v measure out >part
	cut -f 1-6 part >out
	want <<-'EOF'
	novel 1 s . . .
	pause 9 s . . .
	sample . r g m 1
	start never r g . .
	start 1 r g . .
	stop 2 r g . .
	span 2 r g inclusive 1
	span 2 r g self 1
	start 5 s main . .
	start 10 s f . .
	sample 10 s f mem 1
	start 10 s g . .
	stop 10 s g . .
	span 10 s g inclusive 0
	span 10 s g self 0
	stop 30 s f . .
	span 30 s f inclusive 20
	span 30 s f self 20
	stop 40 s main . .
	span 40 s main inclusive 33
	span 40 s main self 13
	EOF
	# errors of lines that have waited still have their places
	cp in in2
	want_status 1 afdur --sort in in2
	said 'afdur: in2:12: start of region "g", which is never stopped' || said 'afdur: in2:'
}

# bats test_tags=slow,sanitize
@test "--sort: regions that stop at one time stop from the innermost outwards, whatever their order" {
	printf '%s\n' 'start	1	r	outer	.	.	id=1' 'stop	10	r	outer	.	.	id=1' 'start	5	r	inner	.	.	id=2' \
		'stop	10	r	inner	.	.	id=2' 'stop	10	r	outer	.	.	id=1' 'stop	10	q	outer	.	.	id=1' >in
	want_status 1 afdur --sort --keep in
	printf 'afdur: in:%s\n' '6: stop of region 1 "outer", which is not open' \
		'5: stop of region 1 "outer", which is not open' | same - err
	grep -v '^#\|^measure' out | cut -f 1-7 | sed 's/scope=region//; s/	*$//' >got
	printf '%s\n' 'stop	10	q	outer	.	.	id=1' 'start	1	r	outer	.	.	id=1' 'start	5	r	inner	.	.	id=2' \
		'stop	10	r	outer	.	.	id=1' 'stop	10	r	inner	.	.	id=2' 'span	10	r	inner	inclusive	5' \
		'span	10	r	inner	self	5' 'stop	10	r	outer	.	.	id=1' 'span	10	r	outer	inclusive	9' 'span	10	r	outer	self	4' |
		same - got
	# one that goes on is left out, as without --sort
	printf '%s\n' 'start	1	r	outer	.	.	id=1' 'start	5	r	inner	.	.	id=2' 'stop	10	r	outer	.	.	id=1' \
		'start	10	r	next	.	.	id=3' 'stop	11	r	next	.	.	id=3' >in
	want_status 1 afdur --sort in
	echo 'afdur: in:3: stop of region 1 "outer" while region 2 "inner" of line 2 is open: the latter is left out' | same - err
	[ "$(awk '$1 == "span" { printf "%s ", $4 $5 $6 }' out)" = "outerinclusive9 outerself9 nextinclusive1 nextself1 " ]
}

@test "--sort: nested regions whose lines are shuffled give the same spans" {
	need python3
	python3 - <<-'END'
		import random
		rnd = random.Random(7)
		def nested(first, last, depth):
		    """Spans inside one another or apart, whose starts differ."""
		    spans = []
		    while first + 1 < last and rnd.random() < 0.8:
		        a = rnd.randrange(first, last - 1)
		        b = rnd.choice([last, rnd.randrange(a + 1, last + 1)])
		        spans.append((a, b, depth))
		        spans += nested(a + 1, b, depth + 1)
		        first = b
		    return spans
		with open("nested", "w") as nest, open("shuffled", "w") as shuffled:
		    for run in range(100, 300):
		        events = []
		        for n, (a, b, depth) in enumerate(nested(0, 40, 0)):
		            for m in ("m", "n")[:rnd.randrange(3)] or ".":
		                name = "r%d\tf%d\t%s\t%s\tid=%d" % (run, n % 3, m, "." if m == "." else rnd.randrange(9), n)
		                events.append((a, 1, depth, "start\t%d\t%s" % (a, name)))
		                events.append((b, 0, -depth, "stop\t%d\t%s" % (b, name)))
		        events.sort(key=lambda e: e[:3])
		        nest.writelines(e[3] + "\n" for e in events)
		        rnd.shuffle(events)
		        shuffled.writelines(e[3] + "\n" for e in events)
	END
	want_status 0 afdur nested
	grep '^span' out | LC_ALL=C sort >want
	[ "$(wc -l <want)" -gt 1000 ]
	want_status 0 afdur --sort shuffled
	grep '^span' out | LC_ALL=C sort | same want -
}

@test "--sort of more than memory takes: the same lines, in bounded memory" {
	helpers rss
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 700000; i++)
			print i % 8 < 4 ? "start" : "stop", i, "0x1", "f" (i % 8 < 4 ? i % 8 : 7 - i % 8), ".", ".", "tid=1"
	}' >whole
	awk '{ print substr("0000000" NR * 7919 % 700001, length(NR * 7919 % 700001) + 1) "\t" $0 }' whole |
		sort | cut -f 2- >mixed
	want_status 0 afdur whole
	unmarked out >want
	want_status 0 rss used afdur --sort mixed
	unmarked out | same want -
	[[ ${CFLAGS-} == *sanitize* ]] || [ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 98304 ] || fail "$(cat used)"
	want_status 0 rss used afdur whole
	[[ ${CFLAGS-} == *sanitize* ]] || [ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 8192 ] || fail "$(cat used)"
}

@test "no temporary file: status 3, and only where one is needed" {
	lines >in <<-'EOF'
	start 10 r f . .
	stop 20 r f . .
	EOF
	want_status 3 sh -c 'cat in | TMPDIR=none afdur --deduct-pauses'
	said 'afdur: -: cannot make a temporary file in none (TMPDIR): No such file'
	TMPDIR=$'no\n\e[31m' want_status 3 sh -c 'cat in | afdur --deduct-pauses'
	said 'afdur: -: cannot make a temporary file in no\n\x1b[31m (TMPDIR): No such file'
	partial
	want_status 0 env TMPDIR=none afdur --deduct-pauses in
	want_status 0 env TMPDIR=none afdur --sort in
	want_status 0 sh -c 'cat in | TMPDIR=none afdur'
	awk 'BEGIN { for (i = 0; i < 1000000; i++) print "sample\t1\tr\tf\tm\t1" }' >big
	want_status 3 env TMPDIR=none afdur --sort big
	said 'afdur: big: cannot make a temporary file in none (TMPDIR): No such file'
}

@test "two inputs: what is open goes on in the next, and messages name the right one" {
	printf 'start\t1\tr\tf\t.\t.\nstart\t2\tr\tg\t.\t.\n' >a
	printf 'stop\t5\tr\tg\t.\t.\nstart\t6\tr\th\t.\t.\n' >b
	want_status 1 afdur a b
	errors <<-'EOF'
	afdur: a:1: start of region "f", which is never stopped
	afdur: b:2: start of region "h", which is never stopped
	EOF
	spans <<-'EOF'
	5 r g inclusive 3
	5 r g self 3
	EOF
	want_status 1 afdur --sort b a
	said 'afdur: a:1: start of region "f", which is never stopped'
	said 'afdur: b:2: start of region "h", which is never stopped'
}

@test "values at start and stop: samples of these times, measures of their own" {
	lines >in <<-'EOF'
	start 10 r f . . scope=region id=1
	sample 10 r f mem 100 scope=region id=1 mid=0x1 unit=kb type=int32
	sample 10 r f load 0.1 scope=region id=1
	sample 10 r f load 0.5 scope=region id=1
	sample 10 r f \. 1 scope=region id=1
	sample 10 r f name x scope=region id=1 type=text
	sample 10 r f kind 1 scope=region id=1 type=enum
	sample 15 r f mem 999 scope=region id=1 mid=0x1 unit=kb type=int32
	sample 15 r f late 1 scope=region id=1
	start 16 r s . . scope=section id=1 interval=4
	sample 16 r s mem 18446744073709551616 scope=section id=1 interval=4
	stop 17 r s . . scope=section id=1 interval=4
	sample 17 r s mem -1 scope=section id=1 interval=4
	sample 20 r f load 0.5 scope=region id=1
	sample 20 r f load 0.3 scope=region id=1
	stop 20 r f . . scope=region id=1 tag.x=y
	sample 20 r f mem 70 scope=region id=1 mid=0x1 unit=kb type=int32
	sample 20 r f \. 3 scope=region id=1
	sample 20 r f mem 71 scope=region id=1 mid=0x1 unit=kb type=int32
	EOF
	want_status 0 afdur in
	silent
	grep -v '^sample' out | grep delta >part
	mv part out
	want <<-'EOF'
	measure . r . mem.delta .
	span 17 r s mem.delta -18446744073709551617 scope=section id=1 interval=4 start=16
	measure . r . load.delta .
	span 20 r f load.delta 0.19999999999999998 scope=region id=1 start=10 depth=0 parent=. stack=f tag.x=y
	measure . r . mem.delta . id=0x1.delta type=int64 unit=kb
	span 20 r f mem.delta -30 scope=region id=1 start=10 depth=0 parent=. stack=f mid=0x1.delta unit=kb type=int64
	measure . r . ..delta .
	span 20 r f ..delta 2 scope=region id=1 start=10 depth=0 parent=. stack=f
	EOF
	want_status 0 afdur in
	grep '^sample' in >want
	grep '^sample' out | same want -
}

@test "values in samples of what has no id: the label names it, as it does for starts and stops" {
	lines >in <<-'EOF'
	start 1 r f . .
	sample 1 r f mem 5 scope=region
	sample 1 r g mem 50 scope=region
	sample 1 r f other 1
	start 2 r f . .
	sample 2 r f mem 7 scope=region
	start 2 r s . . interval=4
	sample 2 r s mem 6 scope=section interval=4
	sample 2 r s mem 60 scope=section
	sample 3 r f mem 9 scope=region
	stop 3 r . . .
	stop 4 r f . .
	sample 4 r f mem 15 scope=region
	sample 4 r f other 2
	stop 4 r s . . interval=4
	sample 4 r s mem 66 scope=section interval=4
	EOF
	want_status 0 afdur in
	silent
	grep delta out >part
	mv part out
	want <<-'EOF'
	measure . r . mem.delta .
	span 3 r f mem.delta 2 scope=region start=2 depth=1 parent=f stack=f;f
	span 4 r f mem.delta 10 scope=region start=1 depth=0 parent=. stack=f
	span 4 r s mem.delta 60 scope=section interval=4 start=2
	EOF
}

@test "values on the start and stop lines themselves, several each" {
	lines >in <<-'EOF'
	start 10 r f cycles 1000 unit=count
	start 10 r f instr 10 unit=count
	start 11 r g cycles 1100 unit=count
	start 11 r g only 1
	start 11 r g word x type=text
	stop 12 r g cycles 1200 unit=count
	stop 12 r g lone 1
	stop 13 r f cycles 1e300 unit=count
	stop 13 r f instr 30 unit=count
	EOF
	want_status 0 afdur in
	spans <<-'EOF'
	12 r g inclusive 1
	12 r g self 1
	12 r g cycles.delta 100
	13 r f inclusive 3
	13 r f self 2
	13 r f cycles.delta 1e300
	13 r f instr.delta 20
	EOF
	errors <<-'EOF'
	afdur: left out values of start and stop lines that are not numbers: 1
	afdur: no delta of values that only the start or only the stop has: 2 of lone;only (--keep keeps these lines)
	EOF
	complete
}

@test "lines of one start or one stop, directly behind each other, are one" {
	lines >in <<-'EOF'
	start 0 r m . .
	start 1 r x mem 0
	start 1 r x cyc 0
	stop 5 r . mem 1
	sample 5 r . other 1
	stop 5 r . cyc 2
	stop 9 r . . .
	start 10 r f . .
	start 11 r f . .
	stop 15 r f mem 1
	stop 15 r f cyc 2
	stop 19 r f . .
	start 20 r g word x type=text
	start 20 r g mem 1
	stop 21 r g word x type=text
	stop 21 r g mem 2
	start 30 r h . .
	start 31 r h . .
	stop 32 r h mem 1
	stop 32 r h mem 2
	start 40 r . . .
	start 41 r f . .
	stop 45 r . . .
	stop 49 r . . .
	start 50 r . mem 1
	start 51 r f mem 1
	stop 55 r . mem 3
	stop 55 r . mem 5
	EOF
	want_status 0 afdur in
	spans <<-'EOF'
	5 r x inclusive 4
	5 r x self 4
	5 r x mem.delta 1
	5 r x cyc.delta 2
	9 r m inclusive 9
	9 r m self 5
	15 r f inclusive 4
	15 r f self 4
	19 r f inclusive 9
	19 r f self 5
	21 r g inclusive 1
	21 r g self 1
	21 r g mem.delta 1
	32 r h inclusive 1
	32 r h self 1
	32 r h inclusive 2
	32 r h self 1
	45 r f inclusive 4
	45 r f self 4
	49 r . inclusive 9
	49 r . self 5
	55 r f inclusive 4
	55 r f self 4
	55 r f mem.delta 2
	55 r . inclusive 5
	55 r . self 1
	55 r . mem.delta 4
	EOF
	errors <<-'EOF'
	afdur: left out values of start and stop lines that are not numbers: 2
	afdur: no delta of values that only the start or only the stop has: 4 of mem;cyc (--keep keeps these lines)
	EOF
	complete
}

@test "one more line of a start does not give it another label" {
	lines >in <<-'EOF'
	start 1 r a mem 1 id=1
	start 1 r . cyc 1 id=1
	start 1 r b ins 1 id=1
	stop 2 r . mem 2 id=1
	stop 2 r . cyc 3 id=1
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:3: start of region 1 "b", which has been open since line 1
	EOF
	spans <<-'EOF'
	2 r a inclusive 1
	2 r a self 1
	2 r a mem.delta 1
	2 r a cyc.delta 2
	EOF
}

@test "a sample where one interval ends and the next of its name begins is of both" {
	lines >in <<-'EOF'
	start 1 r f . . scope=region id=1
	sample 1 r f mem 1 scope=region id=1
	stop 10 r f . . scope=region id=1
	start 10 r f . . scope=region id=1
	sample 10 r f mem 5 scope=region id=1
	stop 20 r f . . scope=region id=1
	sample 20 r f mem 7 scope=region id=1
	EOF
	want_status 0 afdur in
	silent
	spans <<-'EOF'
	10 r f inclusive 9
	10 r f self 9
	10 r f mem.delta 4
	20 r f inclusive 10
	20 r f self 10
	20 r f mem.delta 2
	EOF
}

@test "ids that fall together in a table whose hash is known take no longer than others" {
	helpers collide rss
	collide 60000 >bad
	awk -F '\t' -v OFS='\t' '$1 == "start" { $7 = "id=y" NR } 1' bad >good
	want_status 1 rss used.good afdur good
	want_status 1 rss used.bad afdur bad
	awk 'NR == FNR { good = $1; next } $1 > 4 * good + 0.5 { print "not", good, "but", $1; exit 1 }' used.good used.bad
}

@test "two measures of one name are told apart, and so are their deltas" {
	lines >in <<-'EOF'
	start 1 r f . . id=5
	sample 1 r f mem 10 scope=region id=5 mid=0x1
	sample 1 r f mem 100 scope=region id=5 mid=0x2
	sample 1 r f mem 1000 scope=region id=5 mid=\.
	stop 2 r f . . id=5
	sample 2 r f mem 11 scope=region id=5 mid=0x1
	sample 2 r f mem 102 scope=region id=5 mid=0x2
	sample 2 r f mem 1003 scope=region id=5 mid=\.
	EOF
	want_status 0 afdur in
	grep delta out >part
	mv part out
	want <<-'EOF'
	measure . r . mem.delta . id=0x1.delta
	span 2 r f mem.delta 1 scope=region id=5 start=1 depth=0 parent=. stack=f mid=0x1.delta
	measure . r . mem.delta . id=0x2.delta
	span 2 r f mem.delta 2 scope=region id=5 start=1 depth=0 parent=. stack=f mid=0x2.delta
	measure . r . mem.delta . id=..delta
	span 2 r f mem.delta 3 scope=region id=5 start=1 depth=0 parent=. stack=f mid=..delta
	EOF
}

@test "a delta of values without a unit has none, whatever the measure lines say" {
	lines >in <<-'EOF'
	measure . r . m . unit=kb
	start 1 r f m 5 unit=.
	stop 2 r f m 9 unit=.
	start 3 r f m 5
	stop 4 r f m 19 unit=.
	start 5 r f m 5
	stop 6 r f m 29
	start 7 r f m 5 unit=.
	stop 8 r f m 39 unit=.
	start 11 r f n 5 unit=.
	stop 12 r f n 9
	start 13 r f n 5 unit=kb
	stop 14 r f n 19 unit=kb
	start 15 r f n 5
	stop 16 r f n 29
	EOF
	want_status 0 afdur in
	said "no delta of values that only the start or only the stop has: 2 of m (--keep keeps these lines)"
	sed -n 's/	scope=.*stack=f//; /delta/p' out | tr '\t' ' ' >got
	cat >want <<-'EOF'
	measure . r . m.delta .
	span 2 r f m.delta 4
	measure . r . m.delta . unit=kb
	span 6 r f m.delta 24 unit=kb
	span 8 r f m.delta 34 unit=.
	measure . r . n.delta .
	span 12 r f n.delta 4
	measure . r . n.delta . unit=kb
	span 14 r f n.delta 14 unit=kb
	span 16 r f n.delta 24 unit=.
	EOF
	same want got
}

@test "a type that holds the difference, or none" {
	awk -F ' ' -v OFS='\t' '{
		print "start", NR, "r", "f", "m" NR, $2, "type=" $1
		print "stop", NR, "r", "f", "m" NR, $3, "type=" $1
	}' >in <<-'EOF'
	int32 -2147483648 2147483647
	uint64 10 5
	int 1 2
	uint 10 5
	int 1 1.5
	uint 1 0.5
	in 1 2
	u 1 2
	uint64 0 18446744073709551615
	int64 -9223372036854775807 1
	int64 -9223372036854775807 0
	int64 1 1.5
	double 1 -99999999999999999999
	EOF
	want_status 0 afdur in
	silent
	sed -n 's/^span.*delta	\([^	]*\)	.*stack=f/\1/p' out | tr '\t' ' ' >got
	cat >want <<-'EOF'
	4294967295 type=int64
	-5 type=int64
	1 type=int64
	-5 type=int64
	0.5 type=double
	-0.5 type=double
	1 type=in
	1 type=u
	18446744073709551615
	9223372036854775808
	9223372036854775807 type=int64
	0.5 type=double
	-100000000000000000000 type=double
	EOF
	same want got
	grep '^measure.*m9.delta' out | grep -v 'type='
	printf 'start\t0\tr\tf\t.\t.\nstop\t9223372036854775807\tr\tf\t.\t.\n' >in
	want_status 0 afdur in
	[ "$(grep -c '	unit=ns	type=int64$' out)" -eq 2 ]
	printf 'start\t0\tr\tf\t.\t.\nstop\t9223372036854775808\tr\tf\t.\t.\n' >in
	want_status 0 afdur in
	[ "$(grep -c 'type=' out)" -eq 0 ]
	[ "$(grep -c '	unit=ns$' out)" -eq 4 ]
}

@test "an integer is finite, however long" {
	local long
	long=$(printf '9%.0s' {1..320})
	printf 'start\t%d\tr\tf\tm\t%s\nstop\t%d\tr\tf\tm\t%s\n' \
		1 inf 1 "$long" 2 -inf 2 "-$long" 3 "$long" 3 inf 4 "-$long" 4 -inf 5 "$long" 5 nan \
		6 inf 6 "$long$long" >in
	want_status 0 afdur in
	sed -n 's/^span.*delta	\([^	]*\)	.*/\1/p' out | tr '\n' ' ' >got
	printf -- '-inf inf inf -inf nan -inf ' | same - got
}

@test "the value of a sample at a start, and none at the stop" {
	lines >in <<-'EOF'
	start 1 r f . . id=1
	sample 1 r f mem 1 scope=region id=1
	sample 1 r f cyc 1 scope=region id=1
	stop 2 r f cyc 2 id=1
	EOF
	want_status 0 afdur in
	silent # the sample is still there
	[ "$(grep -c '^sample' out)" -eq 2 ]
}

@test "values that only a start or only a stop has: one note that names them" {
	lines >in <<-'EOF'
	start 1 r f mem 1 unit=KiB
	start 1 r f iter 1
	start 1 r f both 3
	stop 2 r f mem 2048 unit=B
	stop 2 r f both 4
	start 3 r g . .
	stop 4 r g . .
	EOF
	want_status 0 afdur in
	said "afdur: no delta of values that only the start or only the stop has: 3 of mem [B];mem [KiB];iter (--keep keeps these lines)"
	[ "$(wc -l <err)" -eq 1 ]
	want_status 0 afdur --keep in
	echo "afdur: no delta of values that only the start or only the stop has: 3 of mem [B];mem [KiB];iter" >want
	same want err
	# what an error says is not said again
	head -n 3 in >open
	want_status 1 afdur open
	printf 'afdur: open:1: start of region "f", which is never stopped\n' >want
	same want err
	# names that do not fit
	printf 'start\t1\tr\tf\t%s\t1\nstop\t2\tr\tf\t.\t.\n' "$(printf 'x%.0s' {1..200})" >in
	want_status 0 afdur in
	said "only the stop has: 1 (--keep"
}

@test "values of very many measures: so many, and the number of the others" {
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 1100; i++)
			print "start", 1, "r", "f", "m" i, i
		for (i = 0; i < 1024; i++)
			print "stop", 2, "r", "f", "m" i, i + 7
	}' >in
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: left out values of more than 1024 measures of one interval: 76
	EOF
	[ "$(grep -c '^span.*	m[0-9]*\.delta	7	' out)" -eq 1024 ]
	tail -n 1 out | grep -q '	partial	input incomplete or refused	left_out=76$'
}

@test "--keep: start and stop lines stay, in front of what is made of them" {
	lines >in <<-'EOF'
	start 1 r f . . x=1
	stop 2 r f . .
	stop 3 r f . .
	EOF
	want_status 1 afdur --keep in
	want <<-'EOF'
	start 1 r f . . x=1
	stop 2 r f . .
	measure . r . inclusive . type=int64 unit=ns
	span 2 r f inclusive 1 scope=region start=1 depth=0 parent=. stack=f unit=ns type=int64 x=1
	measure . r . self . type=int64 unit=ns
	span 2 r f self 1 scope=region start=1 depth=0 parent=. stack=f unit=ns type=int64 x=1
	stop 3 r f . .
	EOF
}

@test "times of up to 128 bits" {
	lines >in <<-'EOF'
	start 0 r main . .
	start 18446744073709551615 r f . .
	stop 18446744073709551616 r f . .
	pause 340282366920938463463374607431768211454 r . . . start=18446744073709551616
	stop 340282366920938463463374607431768211455 r main . .
	start 340282366920938463463374607431768211456 r f . .
	EOF
	want_status 1 afdur --deduct-pauses in
	spans <<-'EOF'
	18446744073709551616 r f inclusive 1
	18446744073709551616 r f self 1
	340282366920938463463374607431768211455 r main inclusive 18446744073709551617
	340282366920938463463374607431768211455 r main self 18446744073709551616
	EOF
	grep -q 'elapsed=340282366920938463463374607431768211455	paused=340282366920938463444927863358058659838	' out
	errors <<-'EOF'
	afdur: in:6: time "340282366920938463463374607431768211456" is not a time of up to 128 bits
	EOF
}

@test "tags: the start's, then those that the stop alone has; its own it says itself" {
	lines >in <<-'EOF'
	start 1 r f . . utc=A comm=1 tag.a=1 tag.a=2 stack=x depth=9 interval=3
	stop 2 r f . . comm=2 utc=B tag.a=3 cpu=4 tag.b=1 tag.b=2 paused=1 elapsed=2
	EOF
	sed -i 's/interval=3/scope=region	&/' in
	for i in {1..40}; do
		[ "$i" -gt 1 ] && printf '\t'
		printf 'tag.n%d=%d' "$i" "$i"
	done >many
	printf 'start\t3\tr\tg\t.\t.\t%s\nstop\t4\tr\tg\t.\t.\ttag.n40=0\ttag.n41=1\n' "$(cat many)" >>in
	want_status 0 afdur in
	silent
	grep self out | grep span | cut -f 7- >got
	{
		printf 'scope=region\tinterval=3\tstart=1\tdepth=0\tparent=.\tstack=f\tunit=ns\ttype=int64\t'
		printf 'comm=1\ttag.a=1\ttag.a=2\tcpu=4\ttag.b=1\ttag.b=2\tutc=B\n'
		printf 'scope=region\tstart=3\tdepth=0\tparent=.\tstack=g\tunit=ns\ttype=int64\t%s\ttag.n41=1\n' "$(cat many)"
	} >want
	same want got
}

@test "tags that say something else in the output are not those of starts and stops" {
	local key
	lines >in <<-'EOF'
	start 1 r a . . x=1
	stop 3 r a . . y=2
	EOF
	afdur in >whole
	for key in depth parent stack stack_cut paused elapsed omitted; do
		sed "s/x=1/$key=5	x=1/" in >start
		want_status 0 afdur start
		unmarked out | same <(unmarked whole) -
		sed "s/y=2/$key=5	y=2/" in >stop
		want_status 0 afdur stop
		unmarked out | same <(unmarked whole) -
	done
	for key in dept parents stock stack_out pauses elapse omitting; do
		sed "s/x=1/$key=5	x=1/" in >start
		want_status 0 afdur start
		[ "$(grep -c "^span.*	$key=5	x=1	y=2$" out)" -eq 2 ]
	done
}

@test "all other lines pass, and what was lost before is still lost" {
	lines >in <<-'EOF'
	#afstream 1 perfdec x
	lost 1 r . . 3 why=lost
	agg 1 r f m 3 stat=sum
	span 1 r f m 3 start=0
	novel . . . . . odd
	#end perfdec x 4 complete lost=3 late=2
	EOF
	want_status 0 afdur in
	silent
	unmarked in >want
	unmarked out | same want -
	tail -n 1 out | tr '\t' ' ' >got
	echo '#end afdur in 4 complete lost=3 late=2' | same - got
	want_status 0 afdur --sort in
	unmarked out | same want -
	want_status 0 afdur --deduct-pauses in
	unmarked out | same want -
}

@test "a stream that is read once stays live" {
	mkfifo fifo
	afdur <fifo >out &
	exec 9>fifo
	printf 'start\t1\tr\tf\t.\t.\nstop\t2\tr\tf\t.\t.\n' >&9
	two_spans() { [ "$(grep -c '^span' out)" -eq 2 ]; }
	soon two_spans
	exec 9>&-
	wait
	complete
}

@test "SIGTERM while a pipe is copied or sorted: an end mark that says so" {
	local option pid st=0
	need_proc
	helpers sigdfl
	mkfifo fifo
	for option in --deduct-pauses --sort; do
		sigdfl afdur $option <fifo >out 2>err 3>&- &
		pid=$!
		exec 9>fifo
		printf 'start\t1\tr\tf\t.\t.\nstop\t2\tr\tf\t.\t.\n' >&9
		soon waits $pid
		kill -TERM $pid
		ended
		exec 9>&-
		[ $st -eq 1 ]
		tail -n 1 out | grep -q '	partial	interrupted' || fail "$option: $(tail -n 1 out)"
	done
}

@test "SIGTERM when all is read and the reader of the output is slow: status 1 and a word" {
	local option pid whole st
	need_proc
	helpers sigdfl
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 20000; i++)
			print "start", i, "r", "f", ".", "." "\n" "stop", i, "r", "f", ".", "."
	}' >in
	whole=$(afdur in | wc -c)
	for option in --sort "--sort --deduct-pauses" --deduct-pauses ""; do
		rm -f slow
		mkfifo slow
		st=0
		# shellcheck disable=SC2086 # options
		sigdfl afdur $option in >slow 2>err 3>&- &
		pid=$!
		exec 9<slow
		head -c 1000 <&9 >out
		soon waits $pid # for its reader
		kill -TERM $pid
		cat <&9 >>out
		exec 9<&-
		wait $pid || st=$?
		[ $st -eq 1 ] || fail "$option: status $st"
		tail -n 1 out | grep -q '	partial	interrupted$' || fail "$option: $(tail -n 1 out)"
		grep -q 'interrupted$' err || fail "$option: $(cat err)"
		[ "$(wc -c <out)" -lt "$whole" ] || fail "$option: all was written"
	done
}

@test "a flame graph: self time by stack" {
	lines >in <<-'EOF'
	start 0 r main . .
	start 10 r f . .
	start 12 r g . .
	stop 15 r g . .
	stop 20 r f . .
	start 30 r f . .
	stop 37 r f . .
	stop 100 r main . .
	EOF
	afdur in | afagg --by stack --stat sum | afcut --kind agg measure,stack,value |
		awk -F '\t' '$1 == "self" { print $2, $3 }' >got
	cat >want <<-'EOF'
	main 83
	main;f 14
	main;f;g 3
	EOF
	same want got
}

@test "columns and stacks that are too long together are left out by name" {
	head -c 9000000 /dev/zero | tr '\0' x >long
	head -c 16777000 /dev/zero | tr '\0' x >longer
	{
		printf 'start\t1\tr\tf\t.\t.\tscope=region\tid=1\n'
		printf 'start\t1\tr\t'
		cat long
		printf '\t.\t.\tscope=region\tid=2\n'
		printf 'sample\t1\tr\t.\t'
		cat longer
		printf '\t1\tscope=region\tid=2\n'
		printf 'start\t1\tr\tg\t.\t.\tscope=region\tid=3\n'
		printf 'stop\t2\tr\tg\t.\t.\tscope=region\tid=3\n'
		printf 'sample\t2\tr\t.\t'
		cat longer
		printf '\t4\tscope=region\tid=2\n'
		printf 'stop\t2\tr\t.\t.\t.\tscope=region\tid=2\n'
		printf 'stop\t2\tr\tf\t.\t.\tscope=region\tid=1\n'
	} >in
	want_status 1 afdur in
	said 'afdur: cut stacks of more than 256 regions or 64 KiB (see --max-stack): 5'
	said 'afdur: left out parents of more than 4 KiB: 2'
	said 'afdur: left out labels and tags of deltas, longer than 64 KiB: 1'
	said 'afdur: tags left out of lines that would be longer than 16 MiB: '
	cp out again
	sed 's/xxxxxx*/LONG/g' out >short
	mv short out
	spans <<-'EOF'
	2 r g inclusive 1
	2 r g self 1
	2 r LONG inclusive 1
	2 r LONG self 0
	2 r . . 3
	2 r f inclusive 1
	2 r f self 0
	EOF
	[ "$(grep -c 'omitted=stack$' out)" -eq 2 ]
	[ "$(grep -c '	stack=f;\[\.\.\.\];g	stack_cut=1	.*omitted=parent$' out)" -eq 2 ]
	[ "$(grep -c 'omitted=column;stack$' out)" -eq 1 ]
	want_status 1 afdur again
	echo 'afdur: again:14: afdur in ended partial: input incomplete or refused' | same - "$T/err"
}

@test "a tag of a name without a value is none: id=., scope=., interval=." {
	lines >in <<-'EOF'
	start 1 r f . . id=. scope=.
	start 2 r g . . id=7
	stop 3 r g . . interval=. id=7
	stop 5 r f . . interval=.
	EOF
	want_status 0 afdur in
	silent
	spans <<-'EOF'
	3 r g inclusive 1
	3 r g self 1
	5 r f inclusive 4
	5 r f self 3
	EOF
	! grep -q 'id=\.\|interval=' out || fail "$(grep 'id=\.\|interval=' out)"
}

@test "further values of a stop, after those of another one, and those that have another name" {
	lines >in <<-'EOF'
	start 1 r a m 1 scope=section id=1 interval=1
	start 1 r a k 1 scope=section id=1 interval=1
	start 1 r b m 1 scope=section id=2 interval=1
	stop 5 r a m 2 scope=section id=1 interval=1
	stop 5 r b m 4 scope=section id=2 interval=1
	stop 5 r a n 7 scope=section id=1 interval=1
	stop 5 r a k x scope=section id=1 interval=1
	stop 5 r b m 4 scope=section id=2 interval=1
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:8: stop of interval 1 of section 2 "b", which is not open
	afdur: left out values of start and stop lines that are not numbers: 1
	afdur: no delta of values that only the start or only the stop has: 2 of n;k (--keep keeps these lines)
	EOF
	spans <<-'EOF'
	5 r a inclusive 4
	5 r a m.delta 1
	5 r a union 4
	5 r b inclusive 4
	5 r b m.delta 3
	5 r b union 4
	EOF
	# a stop without a name is none with one, and a start is no stop of the same time
	lines >in <<-'EOF'
	start 1 r f m 1
	stop 5 r . m 3
	stop 5 r f n 4
	start 6 r g m 1
	stop 6 r g n 2
	EOF
	want_status 1 afdur in
	errors <<-'EOF'
	afdur: in:3: stop of region "f", which is not open
	afdur: no delta of values that only the start or only the stop has: 2 of n;m (--keep keeps these lines)
	EOF
	spans <<-'EOF'
	5 r f inclusive 4
	5 r f self 4
	5 r f m.delta 2
	6 r g inclusive 0
	6 r g self 0
	EOF
}

@test "tags of start and stop that are too long together for a line are left out by name" {
	local long
	long=$(head -c 9000000 /dev/zero | tr '\0' x)
	{
		event start 1 f . . "a=$long" b=1
		event stop 3 f . . "c=$long" d=1
	} >in
	want_status 0 afdur in
	echo "afdur: tags left out of lines that would be longer than 16 MiB: 2" | same - err
	sed -i 's/xxxxxx*/LONG/g' out
	want <<-'EOF'
	measure . 0x1 . inclusive . type=int64 unit=ns
	span 3 0x1 f inclusive 2 scope=region start=1 depth=0 parent=. stack=f unit=ns type=int64 a=LONG b=1 d=1 omitted=c
	measure . 0x1 . self . type=int64 unit=ns
	span 3 0x1 f self 2 scope=region start=1 depth=0 parent=. stack=f unit=ns type=int64 a=LONG b=1 d=1 omitted=c
	EOF
}

@test "a label of more than 64 KiB is not on the lines of deltas, which name what they lack" {
	local n label
	for n in 65536 65537; do
		label=$(head -c $n /dev/zero | tr '\0' x)
		{
			printf 'start\t1\tr\t%s\t.\t.\tscope=region\tid=1\n' "$label"
			printf 'sample\t1\tr\t.\tm\t1\tscope=region\tid=1\n'
			printf 'sample\t2\tr\t.\tm\t4\tscope=region\tid=1\n'
			printf 'stop\t2\tr\t.\t.\t.\tscope=region\tid=1\n'
		} >in
		want_status $((n - 65536)) afdur in
		sed -n 's/xxxxxx*/LONG/g; s/^span\t2\tr\t\([^\t]*\tm.delta\t\)/\1/p' out >got
		sed -n "$((n - 65535))p" >want <<-'END'
			LONG	m.delta	3	scope=region	id=1	start=1	depth=0	parent=.	stack=LONG
			.	m.delta	3	scope=region	id=1	start=1	depth=0	parent=.	omitted=column;stack
		END
		same want got
	done
	said 'afdur: left out labels and tags of deltas, longer than 64 KiB: 1'
}

@test "what a start says once is not repeated out of all proportion" {
	head -c 500000 /dev/zero | tr '\0' x >long
	{
		printf 'start\t0\tr\t%s\t.\t.\n' "$(cat long)"
		yes "$(printf 'start\t1\tr\ta\t.\t.\nstop\t1\tr\ta\t.\t.')" | head -n 1000
		printf 'stop\t2\tr\t.\t.\t.\n'
		awk 'BEGIN {
			OFS = "\t"
			for (i = 0; i < 10000; i++) {
				a = a "\ttag.a" i "=v"
				b = b "\ttag.b" i "=v"
			}
			print "start", 10, "r", "f", ".", ".", "scope=region", "id=1" a
			for (i = 0; i < 500; i++)
				print "sample", 10, "r", "f", "m" i, 1, "scope=region", "id=1"
			for (i = 0; i < 500; i++)
				print "sample", 11, "r", "f", "m" i, 2, "scope=region", "id=1"
			print "stop", 11, "r", "f", ".", ".", "scope=region", "id=1" b
		}'
	} >in
	want_status 1 timeout 60 afdur in
	errors <<-'EOF'
	afdur: cut stacks of more than 256 regions or 64 KiB (see --max-stack): 1002
	afdur: left out parents of more than 4 KiB: 1000
	afdur: left out labels and tags of deltas, longer than 64 KiB: 500
	EOF
	[ "$(wc -c <out)" -lt $((4 * $(wc -c <in))) ]
	[ "$(grep -c '^span.*	omitted=tags$' out)" -eq 500 ]
	[ "$(grep -c '^span	11	.*	tag.b9999=v$' out)" -eq 2 ]
	partial
}

# nested N [TAG...]: regions inside of each other, f1 the outermost, with a value each at their start
# and at their stop where tags say which.
nested() {
	awk -v n="$1" -v tags="${2-}" 'BEGIN {
		OFS = "\t"
		for (i = 1; i <= n; i++)
			print "start", i, "r", "f" i, tags == "" ? "." : "m", tags == "" ? "." : i
		for (i = n; i > 0; i--)
			print "stop", 2 * n + 1 - i, "r", "f" i, tags == "" ? "." : "m", tags == "" ? "." : 2 * i
	}'
}

@test "--max-stack: the outermost regions and the last, and how many are missing" {
	nested 5 >in
	want_status 0 afdur --max-stack 5 in
	silent
	[ "$(grep -c 'stack_cut' out)" -eq 0 ]
	for args in "4 f1;f2;f3;[...];f5 1" "3 f1;f2;[...];f5 2" "2 f1;[...];f5 3" "1 [...];f5 4"; do
		read -r n stack cut <<<"$args"
		want_status 1 afdur --max-stack "$n" in
		echo "afdur: cut stacks of more than $n regions or 64 KiB (see --max-stack): $((2 * (5 - n)))" |
			same - "$T/err"
		grep -qF "	depth=4	parent=f4	stack=$stack	stack_cut=$cut	unit=ns	" out
		[ "$(grep -c stack_cut out)" -eq $((2 * (5 - n))) ]
		tail -n 1 out | grep -q "	partial	input incomplete or refused	cut_stacks=$((2 * (5 - n)))$"
	done
	# where nothing is cut the lines are the same
	grep -v stack_cut out | unmarked /dev/stdin >got
	afdur in | unmarked /dev/stdin | grep -v 'depth=[1-4]' | same - got
	want_status 2 afdur --max-stack 0 in
	said 'afdur: --max-stack: not a number from 1 on: 0'
	want_status 2 afdur --max-stack -1 in
	want_status 2 afdur --max-stack x in
}

@test "--max-stack: values that come with the stop, and after it" {
	nested 3 values >in
	want_status 1 afdur --max-stack 2 in
	[ "$(grep -c '	f3	m.delta	3	.*	stack=f1;\[\.\.\.\];f3	stack_cut=1$' out)" -eq 1 ]
	lines >in <<-'EOF'
	start 1 r a . . scope=region id=1
	start 1 r b . . scope=region id=2
	start 1 r c . . scope=region id=3
	sample 1 r . m 1 scope=region id=3
	stop 5 r c . . scope=region id=3
	sample 5 r . m 4 scope=region id=3
	EOF
	want_status 1 afdur --max-stack 2 in
	grep -q '^span	5	r	c	m.delta	3	.*	stack=a;\[\.\.\.\];c	stack_cut=1$' out
}

@test "a stack of few regions that is too long in bytes is cut, too" {
	{
		printf 'start\t1\tr\tf\t.\t.\n'
		for i in 1 2 3; do
			printf 'start\t1\tr\t%s\t.\t.\n' "$(head -c 30000 /dev/zero | tr '\0' $i)"
		done
		yes "$(printf 'stop\t5\tr\t.\t.\t.')" | head -n 4
	} >in
	want_status 1 afdur in
	said 'afdur: cut stacks of more than 256 regions or 64 KiB (see --max-stack): 2'
	[ "$(grep -c '	stack=f;1*;\[\.\.\.\];3*	stack_cut=1	' out)" -eq 2 ]
}

@test "a folded stack that lacks regions can be seen to do so" {
	nested 4 >in
	want_status 1 afdur --max-stack 3 in
	mv out spans
	want_status 1 foldenc --root . spans
	printf '%s\n' 'f1 2' 'f1;f2 2' 'f1;f2;[...];f4 1' 'f1;f2;f3 2' | same - out
	said 'foldenc: lines whose stacks lack regions (see afdur --max-stack): 2'
	want_status 1 afagg --by stack spans
	mv out sums
	want_status 1 foldenc --root . sums
	said 'foldenc: lines whose stacks lack regions (see afdur --max-stack): 2'
}

# bats test_tags=slow
@test "regions inside of each other take no time that grows with their square" {
	need valgrind
	nested 2000 >few
	nested 20000 >many
	linear few many afdur
	[ "$(wc -c <out)" -lt 100000000 ]
	nested 2000 values >few
	nested 20000 values >many
	linear few many afdur
}

@test "pauses are kept only where they are deducted" {
	helpers rss
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 400000; i++)
			print "pause", i + 1, "r", ".", ".", ".", "start=" i
		print "start", 1, "r", "f", ".", "."
		print "stop", 2, "r", "f", ".", "."
	}' >in
	want_status 0 rss used afdur --sort in
	[[ ${CFLAGS-} == *sanitize* ]] || [ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 12000 ] || fail "$(cat used)"
}

@test "long values of samples are not kept behind the stop" {
	helpers rss
	awk 'BEGIN {
		OFS = "\t"
		long = "1"
		while (length(long) < 1000000)
			long = long long
		for (i = 0; i < 20; i++)
			print "start", 1, "r", "f", ".", ".", "scope=section", "id=" i
		for (i = 0; i < 20; i++)
			print "sample", 1, "r", "f", "m", 1, "scope=section", "id=" i
		for (i = 0; i < 20; i++)
			print "sample", 2, "r", "f", "m", long, "scope=section", "id=" i
		for (i = 0; i < 20; i++)
			print "stop", 3, "r", "f", ".", ".", "scope=section", "id=" i
		for (i = 0; i < 40; i++)
			print "start", 6, "r", long, ".", ".", "scope=section", "id=" i
		for (i = 0; i < 40; i++)
			print "stop", 7, "r", ".", ".", ".", "scope=section", "id=" i
	}' >in
	tail -n 80 in >late
	want_status 0 rss used.late afdur late
	want_status 0 rss used afdur in
	[[ ${CFLAGS-} == *sanitize* ]] || awk 'NR == FNR { late = $2; next } $2 > late + 10000 { print "not", late, "but", $2; exit 1 }' used.late used
}

@test "the many values of a start are not kept behind its stop" {
	helpers rss
	# what an interval has kept would stay with the one that is open next
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 200; i++) {
			for (k = 0; k < 1000; k++)
				print "start", i, "r", "f", "m" k, k, "scope=section"
			print "stop", i, "r", "f", ".", ".", "scope=section"
			print "start", i, "r", "g", ".", ".", "scope=section", "id=" i
		}
		for (i = 0; i < 200; i++)
			print "stop", 200, "r", "g", ".", ".", "scope=section", "id=" i
	}' >in
	want_status 0 rss used afdur in
	said 'only the stop has: 200000 of '
	[[ ${CFLAGS-} == *sanitize* ]] || [ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 12000 ] || fail "$(cat used)"
}

@test "stacks that wait for values: 16 MiB of them at a time, and the next ones again" {
	local n=300 fits
	fits=$((16 * 1024 * 1024 / 60004)) # of as many bytes
	awk -v n=$n 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 6000; i++)
			outer = outer "0000000000"
		print "start", 1, "r", outer, ".", "."
		print "start", 1, "r", "p", ".", "."
		for (time = 2; time < 4; time++) {
			for (i = 0; i < n; i++) {
				print "start", time, "r", "f", "m", 1, "scope=region", "id=" i
				print "stop", time, "r", "f", ".", ".", "scope=region", "id=" i
			}
			for (i = 0; i < n; i++)
				print "sample", time, "r", "f", "m", 2, "scope=region", "id=" i
		}
		print "stop", 4, "r", "p", ".", "."
		print "stop", 4, "r", outer, ".", "."
	}' >in
	want_status 1 afdur in
	said "(see --max-stack): $((2 * (n - fits)))"
	# the first ones have their stacks
	awk -F '\t' '$1 == "span" && $5 == "m.delta" { print $2, $NF ~ /^stack=0+;p;f$/ ? "whole" : $NF }' out | uniq -c | sed 's/^ *//' >got
	printf '%d %d %s\n' $fits 2 whole $((n - fits)) 2 omitted=stack $fits 3 whole $((n - fits)) 3 omitted=stack |
		same - got
}

@test "as deep and as crossed as can be takes time and memory in proportion" {
	helpers rss
	# all at one time, with values that wait for their stops; then stops that find nothing
	awk 'BEGIN {
		OFS = "\t"
		n = 20000
		for (i = 0; i < n; i++) {
			print "start", 1, "r", "a_name_of_a_region_" i, ".", ".", "scope=region", "id=" i
			print "sample", 1, "r", "f", "m", 1, "scope=region", "id=" i
		}
		for (i = n - 1; i >= 0; i--)
			print "stop", 1, "r", "a_name_of_a_region_" i, ".", ".", "scope=region", "id=" i
		for (i = 0; i < 100000; i++)
			print "start", 2, "r", "f", ".", "."
		for (i = 0; i < 100000; i++)
			print "stop", 2, "r", "g" i, ".", "."
		print "stop", 3, "r", "f", ".", "."
	}' | grep -v '^stop	3' >in
	want_status 1 timeout 60 rss used afdur in
	[ "$(grep -c '^span' out)" -eq 40000 ]
	[[ ${CFLAGS-} == *sanitize* ]] || [ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 131072 ] || fail "$(cat used)"
}

@test "memory that runs out, at any place: status 3 and a word, never other lines" {
	local option
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	lines >in <<-'EOF'
	start 1 r f . . id=1 scope=region
	sample 1 r f mem 1e3 scope=region id=1
	start 2 r s . . id=1 scope=section interval=1
	pause 3 r . . . start=2
	stop 4 r s . . id=1 scope=section interval=1
	stop 5 r f . . id=1 scope=region x=1
	sample 5 r f mem 123456789012345678901 scope=region id=1
	EOF
	for option in --keep --deduct-pauses --sort; do
		input=in starves 20 afdur $option
	done
}

@test "memory for the first difference, whichever way it is computed" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	local values
	# small and long integers, doubles, and a long integer with a double
	for values in "3 5" "-1 18446744073709551616" "0.5 2.25" "0.5 18446744073709551616"; do
		{
			run=r event start 1 f m "${values% *}"
			run=r event stop 2 f m "${values#* }"
		} >in
		AFPIPE_SLOW=yes starves 15 afdur in
	done
}

@test "memory for many tags, of a start that its stop adds to, and of the starts of a section" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	local many
	many=$(printf ' tag.n%d=v' {1..40})
	lines >in <<-EOF
	start 1 r f . . id=1$many
	stop 2 r f . . id=1 x=1$many
	start 3 r s . . scope=section interval=1$many
	start 4 r s . . scope=section interval=2${many# *n1=v}
	stop 5 r s . . scope=section interval=1
	stop 6 r s . . scope=section interval=2
	EOF
	AFPIPE_SLOW=yes starves 15 afdur in
}

@test "memory for the stack of regions inside one that began when another one stopped" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		OFS = "\t"
		print "start", 1, "r", "a", ".", "."
		print "start", 2, "r", "b", ".", "."
		print "start", 3, "r", "c", ".", "."
		print "stop", 3, "r", "b", ".", "."
		for (i = 0; i < 40; i++)
			print "start", 4, "r", "d" i, ".", "."
		for (i = 39; i >= 0; i--)
			print "stop", 5, "r", "d" i, ".", "."
		print "stop", 6, "r", "c", ".", "."
		print "stop", 6, "r", "a", ".", "."
	}' >in
	AFPIPE_SLOW=yes starves 15 afdur in
	grep -q '	stack=a;c;d0;d1;.*;d39	' whole
}

# bats test_tags=slow,sanitize
@test "random streams, before a judge that shares nothing with afdur" {
	need python3
	local seed words option n=4 i=0
	local kinds=("" wide faults many cross "many wide faults" "many shuffled" "wide shuffled" "wide cross")
	[ -z "${AFPIPE_SLOW-}" ] || n=40
	for seed in $(seq $n) 7018; do
		for words in "${kinds[@]}"; do
			echo "in.$((i++)) $seed 300 $words"
		done
	done >streams
	python3 "$ROOT/t/tools/durmake.py" --all <streams
	i=0
	while read -r in seed _ words; do
		for option in "" --deduct-pauses --sort "--sort --deduct-pauses"; do
			[[ $words == *shuffled* && $option != *--sort* ]] && continue
			local status=0
			i=$((i + 1))
			# shellcheck disable=SC2086 # words
			afdur $option "$in" >out.$i 2>err.$i || status=$?
			[ $status -le 1 ] || fail "seed $seed, $words, $option: status $status: $(head -n 3 err.$i)"
			[ $status -eq "$(grep -Ecv ': (left out|no delta of values|there were pauses) ' err.$i | sed 's/^[1-9].*/1/')" ] ||
				fail "seed $seed, $words, $option: status $status: $(head -n 3 err.$i)"
			echo "$in out.$i err.$i $option" >>cases
		done
	done <streams
	[ $i -eq $(((n + 1) * (7 * 4 + 2 * 2))) ]
	want_status 0 python3 "$ROOT/t/tools/durjudge.py" --all <cases
	[ "$(wc -l <out)" -eq $i ]
}

@test "the judge sees what is wrong" {
	need python3
	python3 "$ROOT/t/tools/durmake.py" 2 200 >in
	want_status 0 afdur --deduct-pauses in
	mv err said
	cp out good
	want_status 0 python3 "$ROOT/t/tools/durjudge.py" in good said --deduct-pauses
	for measure in inclusive self union mem.delta; do
		awk -F '\t' -v OFS='\t' -v m=$measure '$1 == "span" && $5 == m && !done { $6 = 4711; done = 1 } 1' good >bad
		want_status 1 python3 "$ROOT/t/tools/durjudge.py" in bad said --deduct-pauses
	done
	grep -v 'union' good >bad
	want_status 1 python3 "$ROOT/t/tools/durjudge.py" in bad said --deduct-pauses
	want_status 1 python3 "$ROOT/t/tools/durjudge.py" in good said
}

@test "cut off anywhere and damaged anywhere" {
	local n=400
	[ -z "${AFPIPE_SLOW-}" ] || n=10000
	helpers fuzz-duration
	want_status 0 fuzz-duration --prefixes 1 "$ROOT/t/fuzz/corpus/duration/whole"
	silent
	want_status 0 fuzz-duration --flips $n 1 "$ROOT/t/fuzz/corpus/duration/whole"
	silent
}

@test "what fuzzing has come by" {
	helpers fuzz-duration
	want_status 0 fuzz-duration "$ROOT"/t/fuzz/corpus/duration/*
	silent
}

# bats test_tags=slow
@test "many regions that begin at one time take no time that grows with their square" {
	local n
	need valgrind
	for n in 1500 15000; do
		awk -v n=$n 'BEGIN {
			OFS = "\t"
			for (i = 0; i < n; i++) # the first stops first
				print "start", 1, "r", "f" i, ".", "."
			for (i = 0; i < n; i++)
				print "stop", 2, "r", "f" i, ".", "."
			for (i = 0; i < n; i++) # others begin when the first ones stop
				print "start", i + 2, "s", "f" i, ".", "."
			for (i = 0; i < n; i++)
				print "start", n + 2, "s", "g" i, ".", "."
			for (i = n - 1; i >= 0; i--)
				print "stop", n + 2, "s", "f" i, ".", "."
		}' >$n
	done
	linear 1500 15000 afdur
}

# bats test_tags=slow
@test "many regions that cross take no time that grows with their square" {
	local n
	need valgrind
	for n in 1000 10000; do
		awk -v n=$n 'BEGIN {
			OFS = "\t"
			for (i = 0; i < n; i++) # each stop leaves one out, from under all that are fresh
				print "start", 2 * i, "r", "a" i, ".", "." "\n" "start", 2 * i + 1, "r", "f", ".", "."
			for (i = 0; i < n; i++)
				print "start", 2 * n, "r", "f", ".", "."
			for (i = n - 1; i >= 0; i--)
				print "stop", 2 * n, "r", "a" i, ".", "."
			for (i = 0; i < n; i++)
				print "stop", 2 * n + 1, "r", "f", ".", "."
			for (i = 0; i < n; i++) # and one all others
				print "start", i, "s", i == 1 ? "a" : "f", ".", "."
			print "stop", n, "s", "a", ".", "."
		}' >$n
	done
	linear 1000 10000 afdur --max-stack 4
	[ "$(grep -c '^span' out)" -eq 40002 ]
}

@test "--sort under a low ceiling of memory: more goes to the disk, and all comes out" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers allocate otherwise"
	awk 'BEGIN {
		OFS = "\t"
		for (i = 60000; i > 0; i--)
			print "start", 10 * i, "r", "f", ".", "." "\n" "stop", 10 * i + 9, "r", "f", ".", "."
	}' >in
	want_status 0 afdur --sort in
	unmarked out >want
	want_status 0 afdur --sort --max-memory 1M in
	unmarked out | same want -
	# the message names the file, for which no memory is left
	want_status 1 afdur --sort --max-memory 200K in
	said "afdur: in: it needs more memory than the 200 KiB that --max-memory allows"
	partial
}

@test "nothing to measure: a note that says what is needed" {
	{
		event run 1 . . . unit=ns
		event sample 1 f m 1
	} >in
	want_status 0 afdur in
	said "afdur: no start and stop lines, so there are no durations, and all lines were passed on unchanged (afdec prints such lines; afpair makes spans from pairs of other events)"
	[ "$(wc -l <err)" -eq 1 ]
	want_status 0 afdur --sort in
	said "no start and stop lines"
	# spans are durations already
	event span 9 f m 1 start=1 >spans
	want_status 0 afdur in spans
	silent
	# without any event there is nothing to say, and one start is enough
	event run 1 . . . unit=ns >runs
	want_status 0 afdur runs
	silent
	event start 1 f . . >starts
	want_status 1 afdur in starts
	[ "$(wc -l <err)" -eq 1 ]
	said "which is never stopped"
}

@test "pauses within durations that are not deducted: one note" {
	local note="afdur: there were pauses during some of the durations, which contain them: --deduct-pauses deducts them"
	within() {
		want_status 0 afdur "$@"
		echo "$note" | same - err
	}
	event start 10 f . . >begin
	event stop 20 f . . >end
	event pause 13 . . . start=11 >rest
	cat begin rest end >in
	within in
	within --sort in
	within rest begin end
	within begin end rest
	cat begin rest rest end >in
	within in
	want_status 0 afdur --deduct-pauses in
	silent
	# in any order: the one that ends last counts
	event pause 15 . . . start=5 >long
	event pause 3 . . . start=1 >short
	within long short begin end
	within short long begin end
	event start 10 s . . scope=section interval=1 >s.begin
	event stop 20 s . . scope=section interval=1 >s.end
	within s.begin rest s.end
	# a later pause or duration is none of these, or has no length
	event pause 35 . . . start=30 >after
	event pause 14 . . . start=14 >empty
	event start 20 g . . >next
	event stop 20 g . . >>next
	for option in "" --sort; do
		# shellcheck disable=SC2086 # an option or none
		within $option begin rest end after
		# shellcheck disable=SC2086
		within $option begin rest empty end
		# shellcheck disable=SC2086
		within $option begin end next rest
	done
	# elsewhere: before, after, of no length, of another run, damaged
	for pause in "10 . . . start=5" "25 . . . start=20" "13 . . . start=13" "13 . . . start=15" "13 . . ." "x . . . start=1"; do
		# shellcheck disable=SC2086 # words
		event pause $pause >other
		want_status 0 afdur begin other end
		silent
		want_status 0 afdur begin end other
		silent
		want_status 0 afdur --sort begin end other
		silent
	done
	run=0x2 event pause 13 . . . start=11 >other
	want_status 0 afdur begin other end
	silent
	event stop 10 f . . >end.now
	want_status 0 afdur begin end.now rest
	silent
}

@test "pauses that were deducted are nothing that was left out, those that were not are" {
	cat >in <<-'END'
	start	10	r	f	.	.
	pause	13	r	.	.	.	start=11
	pause	15	r	.	.	.	start=14
	stop	20	r	f	.	.
	start	30	r	g	.	.
	pause	33	r	.	.	.	start=31
	stop	40	r	g	.	.
	END
	want_status 0 afdur --deduct-pauses in
	cp out deducted
	afdur in >kept 2>&-
	for command in 'afagg' 'afagg --jobs 2' 'foldenc --measure self'; do
		# shellcheck disable=SC2086 # words
		want_status 0 $command deducted
		! grep pause err || fail "$command"
		# shellcheck disable=SC2086
		want_status 0 $command kept
		said 'left out lines of other kinds (see --kind): 3 pause'
	done
}

@test "a stop that goes back in time: the region in it that is never stopped is named, if there is one" {
	lines >in <<-'EOS'
	start 1 r a . . id=1
	start 3 r b . . id=2
	start 5 r c . . id=3
	start 6 r e . .
	stop 7 r e . .
	stop 6 r c . . id=3
	stop 6 r a . . id=1
	stop 6 r q . . id=9
	EOS
	want_status 1 afdur in
	errors <<-'EOS'
	afdur: in:6: goes back in time: it is left out; use --sort, or sort -s -t "$(printf '\t')" -k 3,3 -k 2,2n before
	afdur: in:7: goes back in time: it is left out, perhaps because region 2 "b" of line 2 in it is never stopped; use --sort, or sort -s -t "$(printf '\t')" -k 3,3 -k 2,2n before
	afdur: in:8: goes back in time: it is left out; use --sort, or sort -s -t "$(printf '\t')" -k 3,3 -k 2,2n before
	afdur: in:1: start of region 1 "a", whose stop was left out
	afdur: in:2: start of region 2 "b", which is never stopped
	afdur: in:3: start of region 3 "c", whose stop was left out
	EOS
	spans <<-'EOS'
	7 r e inclusive 1
	7 r e self 1
	EOS
}

@test "a stop that goes back in time: no region is named that began with it, or later, or was stopped" {
	lines >in <<-'EOS'
	start 5 r a . . id=1
	start 5 r b . . id=2
	start 6 r c . . id=3
	start 7 r x . . id=6
	start 9 r d . . id=4
	lost 12 r . . 1
	start 12 r e . . id=5
	stop 8 r d . . id=4
	stop 7 r c . . id=3
	stop 8 r a . . id=1
	EOS
	want_status 1 afdur in
	errors <<-'EOS'
	afdur: in:8: goes back in time: it is left out; use --sort, or sort -s -t "$(printf '\t')" -k 3,3 -k 2,2n before
	afdur: in:9: goes back in time: it is left out; use --sort, or sort -s -t "$(printf '\t')" -k 3,3 -k 2,2n before
	afdur: in:10: goes back in time: it is left out, perhaps because region 6 "x" of line 4 in it is never stopped; use --sort, or sort -s -t "$(printf '\t')" -k 3,3 -k 2,2n before
	afdur: in:1: start of region 1 "a", whose stop was left out
	afdur: in:2: start of region 2 "b", which is never stopped
	afdur: in:3: start of region 3 "c", whose stop was left out
	afdur: in:4: start of region 6 "x", which is never stopped
	afdur: in:5: start of region 4 "d", whose stop was left out
	afdur: in:7: start of region 5 "e", which is never stopped
	EOS
	spans </dev/null
	# as many regions are looked at as a message is worth
	for n in 999 1000; do
		{
			event start 1 a . . id=a
			for ((i = 1; i <= n; i++)); do
				event start 1 b . . id=$i
			done
			event start 5 x . . id=x
			event start 9 y . . id=y
			event stop 7 a . . id=a
		} >in
		want_status 1 afdur in
		[ "$(grep -c 'perhaps because region x "x" of line' err)" -eq $((n == 999)) ]
		[ "$(grep -c "^afdur: in:$((n + 4)): goes back in time: it is left out" err)" -eq 1 ]
	done
}

@test "values of one start whose lines are apart, or are those of another interval" {
	lines >in <<-'EOS'
	start 1 r a m 5 id=1 interval=1 scope=section
	start 1 r a n 7 id=1 interval=2 scope=section
	start 1 r a n 9 id=1 interval=1 scope=section
	start 1 r a m 9 id=1 interval=1 scope=section
	start 1 r b o 9 id=1 interval=1 scope=section
	start 2 r a o 9 id=1 interval=1 scope=section
	stop 3 r a m 15 id=1 interval=1 scope=section
	stop 3 r a n 17 id=1 interval=2 scope=section
	stop 3 r a n 19 id=1 interval=1 scope=section
	EOS
	want_status 1 afdur in
	errors <<-'EOS'
	afdur: in:4: start of interval 1 of section 1 "a", which has been open since line 1
	afdur: in:5: start of interval 1 of section 1 "b", which has been open since line 1
	afdur: in:6: start of interval 1 of section 1 "a", which has been open since line 1
	EOS
	spans <<-'EOS'
	3 r a inclusive 2
	3 r a m.delta 10
	3 r a inclusive 2
	3 r a n.delta 10
	3 r a union 2
	3 r a n.delta 10
	EOS
	# a sample is the value at the stop; a region that starts when the other stops is another one
	lines >in <<-'EOS'
	start 1 r a m 5 id=1
	start 1 r b m 7 id=2
	start 1 r a n 9 id=1
	start 1 r c n 9 id=1
	start 2 r a o 9 id=1
	sample 3 r a m 14 id=1 scope=region
	stop 3 r a m 15 id=1
	start 3 r a n 1 id=1
	stop 3 r b m 17 id=2
	stop 3 r a n 19 id=1
	stop 3 r a n 20 id=1
	stop 3 r a n 20 id=1
	EOS
	want_status 1 afdur in
	errors <<-'EOS'
	afdur: in:4: start of region 1 "c", which has been open since line 1
	afdur: in:5: start of region 1 "a", which has been open since line 1
	afdur: in:12: stop of region 1 "a", which is not open
	afdur: no delta of values that only the start or only the stop has: 1 of m (--keep keeps these lines)
	EOS
	spans <<-'EOS'
	3 r a inclusive 2
	3 r a self 2
	3 r a m.delta 9
	3 r b inclusive 2
	3 r b self 0
	3 r b m.delta 10
	3 r a n.delta 10
	3 r a inclusive 0
	3 r a self 0
	3 r a n.delta 19
	EOS
}

@test "the tags of a stop go to its interval, a union has those that all starts have" {
	lines >in <<-'EOS'
	start 1 r a . . id=1 interval=1 scope=section tag.x=1 tag.y=2 comm=q parent=p omitted=q
	start 2 r a . . id=1 interval=2 scope=section tag.x=1 tag.y=3 comm=q
	stop 3 r a . . id=1 interval=1 scope=section tag.z=4 cpu=3
	stop 4 r a . . id=1 interval=2 scope=section tag.z=5 tag.z=6 cpu=4
	EOS
	want_status 0 afdur in
	want <<-'EOS'
	measure . r . inclusive . type=int64 unit=ns
	span 3 r a inclusive 2 scope=section id=1 interval=1 start=1 unit=ns type=int64 tag.x=1 tag.y=2 comm=q tag.z=4 cpu=3
	span 4 r a inclusive 2 scope=section id=1 interval=2 start=2 unit=ns type=int64 tag.x=1 tag.y=3 comm=q tag.z=5 tag.z=6 cpu=4
	measure . r . union . type=int64 unit=ns
	span 4 r a union 3 scope=section id=1 start=1 unit=ns type=int64 tag.x=1 comm=q
	EOS
}

@test "intervals that begin in one thread and end in another are counted" {
	local n lines
	# as two threads of one run make them; and as one thread, or lines without it, do
	while IFS='|' read -r n lines; do
		tr ';' '\n' <<<"$lines" | lines >in
		want_status 0 afdur in
		if [ "$n" -eq 0 ]; then silent || return; continue; fi
		errors <<-END || return
			afdur: $n interval$([ "$n" -eq 1 ] || echo s) began in one thread (tid) and ended in another: starts and stops are not told apart by thread, but by run, id and label (afpair --on tid does so)
		END
	done <<-'END'
		2|start 0 r f . . tid=1;start 10 r f . . tid=2;stop 20 r f . . tid=1;stop 50 r f . . tid=2
		1|start 0 r f . . cpu=1 tid=1;stop 20 r f . . tid=3 cpu=1
		0|start 0 r f . . tid=1 cpu=1;start 10 r g . . tid=1;stop 20 r g . . tid=1;stop 50 r f . . tid=1 cpu=2
		0|start 0 r f . . tid=1 id=1;stop 20 r f . . tid=2 id=1
		0|start 0 r f . . tid=1;stop 20 r f . .
		0|start 0 r f . .;stop 20 r f . . tid=1
		0|start 0 r f . . tid=.;stop 20 r f . . tid=1
		0|start 0 r f . . tid=1;stop 20 r f . . tid=. cpu=1
	END
}

@test "regions that are inside one of another thread are counted" {
	local n lines
	while IFS='|' read -r n lines; do
		tr ';' '\n' <<<"$lines" | lines >in
		want_status 0 afdur in
		if [ "$n" -eq 0 ]; then silent || return; continue; fi
		errors <<-END || return
			afdur: $n region$([ "$n" -eq 1 ] && echo ' is' || echo 's are') inside one of another thread (tid), so self times, parents and stacks mix threads: regions nest by run (give each thread a run of its own)
		END
	done <<-'END'
		1|start 0 r f . . tid=1 cpu=1;start 10 r g . . tid=2;stop 20 r g . . tid=2;stop 50 r f . . tid=1 cpu=2
		2|start 0 r f . . tid=1 id=1;start 1 r g . . tid=2 id=2;start 2 r h . . tid=3 id=3;stop 3 r h . . id=3;stop 4 r g . . id=2;stop 5 r f . . id=1
		0|start 0 r f . . tid=1;start 10 r2 g . . tid=2;stop 20 r2 g . . tid=2;stop 50 r f . . tid=1
		0|start 0 r f . .;start 10 r g . . tid=2;stop 20 r g . . tid=2;stop 50 r f . .
		0|start 0 r f . . tid=1;start 10 r g . .;stop 20 r g . .;stop 50 r f . . tid=1
		0|start 0 r f . . tid=1;start 10 r g . . cpu=1;stop 20 r g . .;stop 50 r f . . tid=1
		0|start 0 r f . . tid=1;start 10 r g . . tid=.;stop 20 r g . .;stop 50 r f . . tid=1
		0|start 0 r f . . tid=.;start 10 r g . . tid=2;stop 20 r g . .;stop 50 r f . . tid=2
		0|start 0 r s . . id=1 interval=1 tid=1;start 1 r s . . id=1 interval=2 tid=2;stop 2 r s . . id=1 interval=1;stop 3 r s . . id=1 interval=2
	END
}

@test "deltas of numbers of all forms, judged by hand" {
	local big=12345678901234567890 n=0 start stop delta type
	: >starts && : >stops && : >wanted
	while read -r start stop delta type; do
		n=$((n + 1))
		event start 1 a "m$n" "$start" ${type:+type=$type} >>starts
		event stop 2 a "m$n" "$stop" ${type:+type=$type} >>stops
		[ "$delta" = none ] || printf 'm%d.delta %s\n' $n "$delta" >>wanted
	done <<-EOS
	$big 12345678901234567899 9
	12345678901234567899 $big -9
	-$big -$big 0
	-$big $big 24691357802469135780
	000$big $big 0
	99999999999999999999 100000000000000000000 1
	$big 0.5 -1.2345678901234567e19
	0.5 $big 1.2345678901234567e19
	-0.5 $big 1.2345678901234567e19
	inf inf nan
	nan $big nan
	-inf $big inf
	$big -inf -inf
	1e308 -1e308 -inf
	-0 0 0
	0.0 -0.0 0
	-0.0 -0.0 0
	-0.0 0 0
	0.5 0.5 0
	0.1 0.3 0.19999999999999998
	4611686018427387904 -4611686018427387905 -9223372036854775809
	1e999 5 none
	-1e999 nan none
	1e-999 5 none
	. 3 none
	5 6 none text
	5 6 none string
	5 6 none enum
	5 6 none bool
	5 7 2 int8
	EOS
	cat starts stops >in
	want_status 0 afdur in
	grep '^span.*delta' out | cut -f 5,6 | tr '\t' ' ' | same wanted -
	errors <<-'EOS'
	afdur: left out values of start and stop lines that are not numbers: 11
	afdur: no delta of values that only the start or only the stop has: 4 of m22;m23;m24;m25 (--keep keeps these lines)
	EOS
}

@test "stacks whose labels are long: the outermost ones that fit, or none if the last is too long" {
	local x y
	x=$(printf '%040000d' 1)
	y=$(printf '%030000d' 1 | tr 01 ';') # four times as long with escapes
	printf 'start\t%d\tr\t%s\t.\t.\n' 1 "$x" 2 "$x" 3 f 4 g 5 "$y" >in
	printf 'stop\t%d\tr\t%s\t.\t.\n' 6 "$y" 7 g 8 f 9 "$x" 10 "$x" >>in
	want_status 1 afdur in
	sed -n "s/00000*1/X/g; s/^span.*inclusive.*	depth/depth/p" out | tr '\t' ' ' | same - <(cat <<-'EOS'
	depth=4 parent=g unit=ns type=int64 omitted=stack
	depth=3 parent=f stack=X;[...];g stack_cut=2 unit=ns type=int64
	depth=2 stack=X;[...];f stack_cut=1 unit=ns type=int64 omitted=parent
	depth=1 stack=[...];X stack_cut=1 unit=ns type=int64 omitted=parent
	depth=0 parent=. stack=X unit=ns type=int64
	EOS
	)
	errors <<-'EOS'
	afdur: cut stacks of more than 256 regions or 64 KiB (see --max-stack): 8
	afdur: left out parents of more than 4 KiB: 4
	EOS
}
