# SPDX-License-Identifier: ISC
# perfdec_header.bats - what the header of a perf.data tells, as lines of kind header.

load lib
load perfdec

setup_file() {
	helpers perfhead perfconv perfmake fuzz-perfdata
	spec >"$BATS_FILE_TMPDIR/spec"
}

# spec: one of each feature, for perfhead.
spec() {
	cat <<-'END'
		1 x:17084474726163696e67302e35000008001000006865616465725f706167650000000000000000006865616465725f6576656e7400000000000000000000000000000000000000000000000000
		3 s:vm\x09;1
		4 s:6.1
		7 4:2 4:1
		8 s:
		10 8:1000
		11 4:3 s:/usr/bin/perf s:re\x20cord s:a;b
		12 4:1 4:136 attr 4:2 s:cpu-clock 8:7 8:0x10
		13 4:1 s:0-1 4:2 s:0 s:1 4:0 4:0 4:1 4:0xffffffff 4:1 s:0-1 4:3 4:4
		14 4:1 4:1 8:5 8:4 s:0-1
		15
		16 4:2 4:1 s:software 4:4294967294 s:tool
		17 4:2 s:{anon_group} 4:0 4:2 s:g 4:9 4:2
		18 8:1 8:0x1000 8:64
		19
		20 4:1 4:1 4:2 4:64 4:128 4:8 s:Unified s:256K s:0-1
		21 8:5 8:9
		22 8:1 8:0x1000 8:2 8:0 8:70 8:70 8:0x8000000000000006 8:0x21 8:1 8:0 8:0
		23 8:1
		24 8:1
		25 4:1 4:132 4:24 8:3 4:1 4:42 x:0102030405060708 4:16 4:8 8:0 8:0 8:77 4:1000 4:3 8:0 t:prog\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00 8:0 8:0 8:0 4:2 4:2 8:0 8:16 4:6 8:0xffffffffc0000000 8:0xffffffffc0000100 4:11 4:12
		26 4:2 4:6 4:3 t:abc 4:7 4:0
		27 4:1 4:1 4:3 4:2 4:528384
		28 4:2 s:branches s:32 s:pmu_name s:
		29 4:1 4:1 8:1700000000000000000 8:5000
		30 4:2 s:cpu_core s:0-3 s:cpu_atom s:4-7
		31 4:2 4:1 s:max_precise s:0 s:cpu 4:0 s:none
		32 4:17 4:2 4:0 4:2 4:0 s:SMT s:3 s:0-1 4:1 s:MC s:f s:0-3 4:1 4:0
		33 4:62 4:1
		34 4:64
		40 x:00112233
		128 [ z:/lib/a;b.so 4:2 8:0x1000 4:1 8:0x1000 4:16 z:main 8:0 ] [ z:k 4:9 8:0 4:0 ]
		129 z:product z:a\x20phone z:trace z:
		130 x:0a060a022f61100d x:0a040a022f62
		131 x:0102030405
		132 [ x:0a022f63 x:1002 x:188020 x:220408011002 x:22020801 x:3204083a1000 ] [ x:0a022f64 x:1800 ]
	END
}

# forms: a recording from the spec on standard input in all forms: made.data, and *.data beside it.
forms() {
	cat >made.spec
	perfhead <made.spec >made.data
	perfhead --big <made.spec >big.data
	perfhead --pipe <made.spec >pipe.data
	perfhead --pipe --big <made.spec >pipe_big.data
}

# told STATUS FILE: the header lines that perfdec prints for it, less kind, time, run and region, to told.
told() {
	want_status "$1" perfdec --run R --header "$2"
	sed -n 's/^header\t\.\tR\t\.\t//p' out >told
}

@test "every feature, in both byte orders, from a file and from a pipe" {
	local form word
	cat >want <<-'END'
		tracing_data	80
		hostname	vm\t;1
		os_release	6.1
		nr_cpus_available	2
		nr_cpus_online	1
		cpu_desc	.
		total_mem	1000	unit=KiB
		cmdline	/usr/bin/perf re cord a;b	argv=/usr/bin/perf;re cord;a\x3bb
		event	cpu-clock	type=1	size=136	config=0x0	period=1000	sample_type=ip;tid;time	ids_count=2	ids=0x7;0x10
		sibling_sockets	0-1
		sibling_threads	0
		sibling_threads	1
		sibling_dies	0-1
		cpu	0	core=0	socket=0	die=3
		cpu	1	core=1	socket=-1	die=4
		numa_node	1	total=5	free=4	unit=KiB	cpus=0-1
		branch_stack	.
		pmu	software	type=1
		pmu	tool	type=4294967294
		group	{anon_group}	leader=0	members=2	events=cpu-clock
		group	g	leader=9	members=2
		auxtrace	4096	size=64
		stat	.
		cache	Unified	level=2	size=256K	line=64	sets=128	ways=8	cpus=0-1
		sample_time_first	5
		sample_time_last	9
		mem_block_size	4096
		mem_node	0	blocks=1-2,63-64,69	bytes=20480
		mem_node	1	blocks=.	bytes=0
		clockid_res	1
		dir_format	1
		bpf_prog	42	type=1	tag=0102030405060708	name=prog	jited_len=16	xlated_len=8	load_time=77	uid=1000	maps=3	btf=6	addrs=0xffffffffc0000000;0xffffffffc0000100	lens=11;12	bytes=24
		btf	6	bytes=3
		btf	7	bytes=0
		compressed	zstd	version=1	level=3	ratio=2	mmap_len=528384
		cpu_pmu_cap	branches	value=32
		cpu_pmu_cap	pmu_name	value=.
		clock_data	5000	wall_ns=1700000000000000000	clockid=1	clock=monotonic	version=1
		hybrid	cpu_core	cpus=0-3
		hybrid	cpu_atom	cpus=4-7
		pmu_cap	max_precise	pmu=cpu	value=0
		schedstat_version	17
		max_sched_domains	2
		cpu_domain	0	domain=0	name=SMT	mask=3	cpus=0-1
		cpu_domain	0	domain=1	name=MC	mask=f	cpus=0-3
		e_machine	62	flags=0x1
		cln_size	64
		feature.40	.	bytes=4
		file	/lib/a;b.so	type=elf	min_vaddr=0x1000	symbols=1
		file	k	type=9	min_vaddr=0x0	symbols=0
		meta_info	product	value=a phone
		meta_info	trace	value=.
		debug_unwind	/a	size=13
		debug_unwind	/b	size=0
		debug_unwind_file	5
		file	/c	type=elf	min_vaddr=0x1000	symbols=2
		file	/d	type=kernel	min_vaddr=0x0	symbols=0
	END
	forms <"$BATS_FILE_TMPDIR/spec"
	# a big-endian machine of 32 bits has halves of the words of its bitmap in the other order
	{
		head -c 72 big.data
		for word in 72 80 88 96; do
			tail -c +$((word + 5)) big.data | head -c 4
			tail -c +$((word + 1)) big.data | head -c 4
		done
		tail -c +105 big.data
	} >big_32.data
	for form in made big big_32 pipe pipe_big; do
		told 0 $form.data
		silent
		same want told
	done
}

@test "the pipe form through a pipe, a file through a pipe, and a directory" {
	forms <"$BATS_FILE_TMPDIR/spec"
	told 0 made.data
	mv told want
	mkdir dir
	cp made.data dir/data
	told 0 dir
	same want told
	want_status 0 sh -c 'perfdec --run R --header <pipe.data'
	sed -n 's/^header\t\.\tR\t\.\t//p' out >told
	same want told
	for form in made pipe; do
		want_status 0 sh -c "cat $form.data | perfdec --run R --header"
		sed -n 's/^header\t\.\tR\t\.\t//p' out >told
		same want told
	done
}

@test "recordings of perf tell the same in every form" {
	local name
	for name in chain events group trace user clock kinds; do
		perfconv --big "$DATA/$name.data" >big.data
		perfconv --pipe "$DATA/$name.data" >pipe.data
		perfconv --pipe --big "$DATA/$name.data" >pipe_big.data
		want_status 0 perfdec --header "$DATA/$name.data"
		unmarked out | sort >want
		grep -q '^header' want
		for form in big pipe pipe_big; do
			want_status 0 perfdec --header $form.data
			silent
			unmarked out | sort >got
			same want got
		done
	done
}

@test "--header is what --all prints of the header, and neither changes the samples" {
	local name
	for name in chain pipe user trace; do
		want_status 0 perfdec --no-symbols --run R --header "$DATA/$name.data"
		unmarked out | grep '^header	' >want
		want_status 0 perfdec --no-symbols --run R --all "$DATA/$name.data"
		grep '^header	' out >got
		same want got
		want_status 0 perfdec --no-symbols --run R "$DATA/$name.data"
		run grep -q '^header	' out
		[ "$status" -eq 1 ]
	done
}

@test "of a file --header reads no data" {
	# its records are no records
	perfhead <"$BATS_FILE_TMPDIR/spec" >good.data
	{ head -c 256 good.data && printf '\377\377\377\377\0\0\1\0' && tail -c +265 good.data; } >bad.data
	want_status 1 perfdec bad.data
	told 0 good.data
	mv told want
	told 0 bad.data
	same want told
}

@test "--header of a file in one pass has only what comes before the records" {
	want_status 0 sh -c "cat '$DATA/chain.data' | perfdec --run R --header --no-spool"
	said 'read in one pass: events are named by their fields alone'
	grep -v '^#' out >got
	printf '%s\tR\t.\t%s\n' 'run	.' '.	.	unit=ns	app=perf' 'measure	.' 'cpu-clock	.	id=0x213	type=int64	unit=ns' >want
	same want got
}

@test "the run id of --header is that of the events alone, the same in every form" {
	want_status 0 perfdec --header "$DATA/chain.data"
	cut -f 3 out | grep '^0x' | sort -u >want
	[ "$(wc -l <want)" -eq 1 ]
	perfconv --pipe "$DATA/chain.data" >pipe.data
	want_status 0 perfdec --header pipe.data
	cut -f 3 out | grep '^0x' | sort -u >got
	same want got
}

@test "the modifiers in the name of an event: all of them, as in perf" {
	need python3
	python3 - <<-'END'
		import itertools, struct
		names, attrs = [], b""
		for user, kernel, hv, host, guest, precise in itertools.product(*[range(2)] * 5, range(4)):
		    # each of "kuhHG" is what is not excluded; guests are excluded by default if any other is given
		    some = user or kernel or hv
		    text = "k" * (not kernel) + "u" * (not user) + "h" * (not hv) if some else ""
		    text += "p" * precise
		    if host or bool(guest) == bool(some or precise):
		        text += "H" * (not host) + "G" * (not guest)
		    names.append("cpu-clock" + ":" * (text != "") + text)
		    flags = user << 4 | kernel << 5 | hv << 6 | precise << 15 | host << 19 | guest << 20
		    attrs += struct.pack("<IHHIIQQQQQ16xQ", 64, 0, 80, 1, 64, 0, 1000, 7, 0, flags, len(names))
		open("modifiers.data", "wb").write(b"PERFILE2" + struct.pack("<Q", 16) + attrs)
		open("want", "w").write("".join(name + "\n" for name in names))
	END
	want_status 0 perfdec --header modifiers.data
	sed -n 's/^measure	[^	]*	[^	]*	\.	\([^	]*\)	.*/\1/p' out >got
	same want got
	[ "$(wc -l <got)" -eq 128 ]
}

@test "with --all features are their facts, and the mark behind the last is a line of its own" {
	local attr='.	.	pid=.	tid=.	comm=.	cpu=.	type=1	size=136	config=0x0	period=1000'

	attr="$attr	sample_type=0x7	read_format=0x0	flags=0x0	ids=."
	printf '%s\n' '3 s:vm' '15' '200 x:00' '35' >made.spec
	perfhead --pipe <made.spec >pipe.data
	want_status 0 perfdec --run R --all pipe.data
	unmarked out >got
	printf '%s\t.\tR\t.\t%s\n' run '.	.	unit=ns	app=perf	host=vm' \
		measure 'cpu-clock:HG	.	type=int64	unit=ns' \
		header_attr "$attr" header 'hostname	vm' header 'branch_stack	.' \
		header 'feature.200	.	bytes=1' header_feature '.	.	pid=.	tid=.	comm=.	cpu=.	feature=35' >want
	same want got
}

@test "features that are not known, at the ends of the words of their bits" {
	local n
	for n in 62 63 64 125 126 127 190 191 192 254 255; do
		echo "$n x:00"
		printf 'header\t.\tR\t.\tfeature.%s\t.\tbytes=1\n' "$n" >&3
	done >made.spec 3>want
	perfhead <made.spec >made.data
	perfhead --pipe --big <made.spec >pipe.data
	for form in made pipe; do
		want_status 0 perfdec --run R --header $form.data
		silent
		grep '^header' out >got
		same want got || fail "$form" || return
	done
}

@test "build ids as records of a pipe and as the list of a file are the same lines" {
	perfconv --pipe "$DATA/user.data" >pipe.data
	want_status 0 perfdec --no-symbols --run R --all "$DATA/user.data"
	grep '	build_id	' out >want
	[ -s want ]
	want_status 0 perfdec --no-symbols --run R --all pipe.data
	grep 'build_id	' out >got
	same want got
}

# bats test_tags=slow
@test "a feature that a pipe repeats takes no time that grows with repetitions and events" {
	local n
	{
		for n in $(seq 66); do echo 'raw 80 0 8:3 4:8 s8:host'; done
		echo 'sample 7 7 200 u 0x10'
	} | perfmake >repeated.data
	want_status 1 perfdec --all repeated.data
	[ "$(grep -c '	header	.*host\|^header.*host' out)" -eq 64 ] || fail "$(grep -c host out)"
	[ "$(grep -c 'header feature 3 comes more than 64 times: not read$' err)" -eq 2 ]
	grep -q '^sample	200' out
	need valgrind
	for n in 200 2000; do
		{
			echo "events $n 0 0 1 0"
			for ((i = 0; i < n; i++)); do echo 'raw 80 0 8:17 4:1 4:4 s4:g 4:0 4:0xffffffff'; done
			for ((i = 0; i < n; i++)); do echo 'raw 80 0 8:129 s:a'; done
		} | perfmake >$n
	done
	linear 200 2000 perfdec --all
}

@test "build ids from before they had a pid" {
	local id=x:000102030405060708090a0b0c0d0e0f10111213 guest=x:00000000000000000000000000000000000000ff
	local kernel='t:[kernel.kallsyms] x:00000000000000'
	# the host name: without one a big-endian file is taken for that of a 32-bit machine
	cat >old <<-END
		2 4:0 2:1 2:56 $id 4:0 $kernel 4:0 2:2 2:40 $id 4:0 z:/bin/ab 4:0 2:4 2:40 $guest 4:0 z:g__est.
		3 s:vm
	END
	cat >new <<-END
		2 4:0 2:1 2:60 4:-1 $id 4:0 $kernel 4:0 2:2 2:44 4:-1 $id 4:0 z:/bin/ab 4:0 2:0x8004 2:44 4:0 $guest x:14000000 z:g__est.
		3 s:vm
	END
	printf 'build_id\t%s\n' '000102030405060708090a0b0c0d0e0f10111213	mode=k	pid=-1	file=[kernel.kallsyms]' \
		'000102030405060708090a0b0c0d0e0f10111213	mode=u	pid=-1	file=/bin/ab' \
		'00000000000000000000000000000000000000ff	mode=g	pid=0	file=g__est.' >want
	printf 'hostname\tvm\n' >>want
	for form in old new; do
		forms <$form
		for order in made big pipe_big; do
			told 0 $order.data
			silent
			same want told
		done
	done
}

@test "a topology that nothing says the number of processors of" {
	local ids='4:0 4:0 4:1 4:0 4:0 4:1 4:1 4:1'
	printf '%s\n' "13 4:0 4:0 $ids" >made.spec
	perfhead <made.spec >made.data
	told 0 made.data
	printf 'cpu\t%s\tcore=%s\tsocket=%s\n' 0 0 0 1 1 0 2 0 1 3 1 1 >want
	same want told
	printf '%s\n' "13 4:0 4:0 $ids 4:1 s:0-3 4:5 4:5 4:6 4:6" >made.spec
	perfhead <made.spec >made.data
	told 0 made.data
	printf 'sibling_dies\t0-3\n' >want
	printf 'cpu\t%s\tcore=%s\tsocket=%s\tdie=%s\n' 0 0 0 5 1 1 0 5 2 0 1 6 3 1 1 6 >>want
	same want told
	printf '%s\n' "13 4:1 s:0 4:1 s:0" >made.spec
	perfhead <made.spec >made.data
	told 0 made.data
	printf 'sibling_%s\t0\n' sockets threads >want
	same want told
	# more processors than are looked for: nothing but processors is left
	printf '13 4:0 4:0%s\n' "$(printf ' 8:-1%.0s' {1..9000})" >made.spec
	perfhead <made.spec >made.data
	told 0 made.data
	awk 'BEGIN { for (i = 0; i < 9000; i++) printf "cpu\t%d\tcore=-1\tsocket=-1\n", i }' >want
	same want told
}

@test "a feature that perf has left empty says nothing" {
	printf '%s\n' 3 8 11 13 25 '29' 35 >made.spec
	perfhead <made.spec >made.data
	told 0 made.data
	silent
	printf 'feature.35\t.\tbytes=0\n' >want
	same want told
}

@test "an empty text in the header is none on the run line" {
	printf '%s\n' '3 s:' '4 s:' '5 s:' '6 s:' '11 4:0' >made.spec
	perfhead <made.spec >made.data
	perfhead --pipe <made.spec >pipe.data
	for form in made pipe; do
		told 0 $form.data
		printf '%s\t.\n' hostname os_release version arch >want
		printf 'cmdline\t.\targv=.\n' >>want
		same want told
		grep '^run	' out >got
		printf 'run\t.\tR\t.\t.\t.\tunit=ns\tapp=perf\n' >want
		same want got
		want_status 0 perfdec --tag host $form.data
		said 'the recording does not name its host, so host is "."'
	done
}

# bats test_tags=slow,sanitize
@test "a damaged feature is said, with its place, and the others are read" {
	local spec n=0
	printf 'feature.140\t.\tbytes=1\n' >want
	while read -r spec; do
		n=$((n + 1))
		printf '%s\n140 x:00\n' "$spec" >made.spec
		perfhead <made.spec >made.data
		perfhead --pipe --big <made.spec >pipe.data
		for form in made pipe; do
			told 1 $form.data
			said "$form.data: 0x"
			[ "$(wc -l <err)" -eq 1 ]
			tail -n 1 told >got
			same want got
			sed "\$d; s/^/${spec%% *}: /" told >>$form.before
		done
	done <<-'END'
		2 4:0 2:2 2:4
		2 4:0 2:2 2:12 4:0
		2 x:0000
		2 4:0 2:1 2:56 8:0 8:0 8:0 t:[kernel.kallsyms] x:00000000000000 4:0 2:2 2:12 4:0
		3 4:64 x:00
		7 4:2
		10 4:2
		11 x:0102
		11 4:99 s:a
		11 4:2 s:a 4:9
		12 4:0
		12 4:1 4:8 8:0 4:0 s:a
		12 4:1 4:136 attr 4:99999999 s:a 8:1
		12 4:9 4:136 attr 4:1 s:a 8:1
		13 4:99999999
		13 4:0 4:0 4:1
		13 4:0 4:0 4:1 4:1 4:1 s:0 x:00
		14 4:2 4:1 8:1 8:1 s:x
		16 4:0xffffffff
		17 4:1 s:a 4:1
		18 8:99999 8:1 8:1
		18 4:1
		20 4:2 4:0
		20 4:1 4:9 4:1 4:1 4:1 4:1 s:a s:b s:c
		21 8:1
		22 8:1 8:1 8:1 8:0 8:0 8:0xffffffffffffffff
		22 8:1 8:1 8:1 8:0 8:0 8:65 8:1
		22 8:2 8:1 8:0
		22 8:1 8:1 8:9
		25 4:1 4:0xffffffff 4:0 8:0
		25 4:2 4:0 4:0 8:0
		26 4:1 4:1 4:100 x:00
		27 4:1
		28 x:00
		28 4:1 s:a
		29 4:1 4:1 8:1
		30 4:1 s:a
		31 4:0xffffffff 4:0xffffffff s:a s:b s:c
		32 4:17
		32 4:17 4:1 4:0 4:1 4:0 s:a
		32 4:17 4:1 4:0
		33 4:1
		34 x:00
		128 4:100 z:a
		128 [ z:a 4:1 8:0 4:1000 ]
		128 [ t:abc ]
		128 [ z:a 4:2 8:0 4:1 8:0x1000 4:16 t:unended ]
		129 z:key t:novalue
		130 x:0aff
		130 x:0f
		130 x:0a040a062f61
		132 4:9 x:00
		132 [ x:0affffffffffffffffffff01 ]
		132 [ x:10ffffffffffffffffffff01 ]
		132 [ x:0a022f63 x:22050801 x:1a05 x:66 ]
	END
	[ "$n" -eq 55 ]
	# lines of a list come before the damage, and no feature has half a line
	cat >want <<-'END'
		2: build_id	.	mode=k	pid=-1	file=[kernel.kallsyms]
		12: event	a	type=1	size=136	config=0x0	period=1000	sample_type=ip;tid;time	ids_count=1	ids=0x1
		14: numa_node	1	total=1	free=1	unit=KiB	cpus=x
		20: cache	a	level=1	size=b	line=1	sets=1	ways=1	cpus=c
		22: mem_block_size	1
		22: mem_block_size	1
		22: mem_block_size	1
		25: bpf_prog	0	type=0	tag=.	name=.	jited_len=0	xlated_len=0	load_time=0	uid=0	maps=0	btf=0	bytes=0
		32: schedstat_version	17
		32: max_sched_domains	1
		32: schedstat_version	17
		32: max_sched_domains	1
		128: file	a	type=elf	min_vaddr=0x0	symbols=1
		132: file	/c	type=kernel	min_vaddr=0x0	symbols=1
	END
	same want made.before
	same want pipe.before
}

# A cut feature is an error unless it ends where it may: a list between two entries, a topology without
# processors or without dies, bytes that are only counted.
# bats test_tags=slow
@test "a feature that ends anywhere: an error, or as many lines as are there" {
	local line f n full rc
	while read -r line; do
		f=${line%% *}
		printf '%s\n' '7 4:2 4:2' "$line" '140 x:00' | sort -nu -k 1,1 >cut.spec
		full=$(($(perfhead <cut.spec | wc -c) - $(perfhead --cut "$f" 0 <cut.spec | wc -c)))
		for ((n = 1; n < full; n++)); do
			((n < 20 || n % 16 == 4 || n % 24 == 7)) || continue
			rc=0
			perfhead --cut "$f" $n <cut.spec | perfdec --run R --header >out 2>err || rc=$?
			[ $rc -le 1 ] && [ "$(wc -l <err)" -eq $rc ] || fail "$line: $n: $rc $(cat err)"
			[ "$(grep '^header' out | tail -n 1 | cut -f 5-)" = "feature.140	.	bytes=1" ]
			[ $rc -eq 1 ] || echo "$f $n: $(($(grep '^header' out | grep -vc 'nr_cpus') - 1))"
		done
	done <"$BATS_FILE_TMPDIR/spec" >got
	printf '%s\n' '13 212: 3' '13 228: 5' '18 16: 1' '32 8: 2' '40 1: 1' '40 2: 1' '40 3: 1' '129 16: 1' \
		'130 8: 1' '131 1: 1' '131 2: 1' '131 3: 1' '131 4: 1' >want
	same want got
}

# Without --header most features are not read.
@test "damage in a feature that other lines need is said without --header, too" {
	local spec form n=0
	while read -r spec; do
		n=$((n + 1))
		printf '%s\n' "$spec" '6 s:mips' >made.spec
		sort -n made.spec -o made.spec
		perfhead <made.spec >made.data
		perfhead --pipe --big <made.spec >pipe.data
		for form in made pipe; do
			want_status 1 perfdec $form.data
			grep -q "^perfdec: $form.data: 0x[0-9a-f]*: " err || fail "$spec: $(cat err)"
			[ "$(wc -l <err)" -eq 1 ] || fail "$spec: $(cat err)"
			grep -q '^run	.*	arch=mips$' out
		done
	done <<-'END'
		2 x:0000
		3 4:64 x:00
		4 4:64 x:00
		5 x:01
		11 x:0102
		11 4:1 4:9
		12 4:0
		12 4:1 4:9
		29 4:1 4:1 8:1
		128 [ z:a 4:2 8:0 4:1 8:0x1000 4:16 t:unended ]
		132 [ x:0a022f63 x:22050801 x:1a05 x:66 ]
	END
	[ "$n" -eq 11 ]
}

@test "features as older and newer versions have them" {
	cat >odd.spec <<-'END'
		3 s:vm
		11 4:2 s: s:
		22 8:1 8:0x1000 8:1 8:0 8:8 8:8 8:0x29
		32 4:15 4:1 4:0 4:1 4:0 s:3 s:0-1
		128 [ z:/lib/a.so 4:4 8:0x1000 4:1 8:0x1000 4:16 z:main 8:0 ] [ z:/lib/b.so 4:2 8:0 4:1 8:0x1000 4:16 z:main ]
		130 x:0a060a022f611807
		132 [ x:0a022f63 x:4d01020304 x:490102030405060708 x:3805 x:22041802 x:3807 ] [ x:0a00 ]
	END
	cat >want <<-'END'
		hostname	vm
		cmdline	 	argv=.;.
		mem_block_size	4096
		mem_node	0	blocks=0,3,5	bytes=12288
		schedstat_version	15
		max_sched_domains	1
		cpu_domain	0	domain=0	mask=3	cpus=0-1
		file	/lib/a.so	type=symbol_map	min_vaddr=0x1000	symbols=1
		file	/lib/b.so	type=elf	min_vaddr=0x0	symbols=1
		debug_unwind	/a	size=0
		file	/c	type=kernel	min_vaddr=0x0	symbols=1
		file	.	type=kernel	min_vaddr=0x0	symbols=0
	END
	forms <odd.spec
	for form in made big pipe pipe_big; do
		told 0 $form.data
		silent
		same want told
	done
}

# The names and their order are those of include/uapi/linux/perf_event.h, the letters those of perf.
@test "the names of events that the header does not name: hardware, software, caches, breakpoints" {
	local type op i n=0
	# named TYPE CONFIG BP_TYPE NAME
	named() {
		n=$((n + 1))
		echo "raw 64 0 4:$1 4:72 8:$2 8:1000 8:7 8:0 b:0x140000 4:0 4:$3 8:0xffffffff81000000 8:4 8:$n" >>attrs
		echo "$4" >>want
	}
	i=0
	for type in L1-dcache L1-icache LLC dTLB iTLB branch node; do
		for op in 'loads load' 'stores store' 'prefetches prefetch'; do
			named 3 $((i % 3 << 8 | i / 3)) 0 "$type-${op% *}"
			named 3 $((1 << 16 | i % 3 << 8 | i / 3)) 0 "$type-${op#* }-misses"
			named 3 $((2 << 16 | i % 3 << 8 | i / 3)) 0 unknown-ext-hardware-cache-result
			i=$((i + 1))
		done
	done
	named 3 7 0 unknown-ext-hardware-cache-type
	named 3 0x300 0 unknown-ext-hardware-cache-op
	i=0
	for type in "" r w rw x rx wx rwx; do
		named 5 0 $i "mem:0xffffffff81000000:$type"
		i=$((i + 1))
	done
	i=0
	for type in cycles instructions cache-references cache-misses branches branch-misses bus-cycles \
		stalled-cycles-frontend stalled-cycles-backend ref-cycles unknown-hardware; do
		named 0 $((5 << 32 | i)) 0 $type # above it is the processor's type, where there are several
		i=$((i + 1))
	done
	i=0
	for type in cpu-clock task-clock page-faults context-switches cpu-migrations minor-faults \
		major-faults alignment-faults emulation-faults dummy bpf-output cgroup-switches unknown-software; do
		named 1 $i 0 $type
		i=$((i + 1))
	done
	named 4 0x1c2 0 'raw 0x1c2'
	named 2 99 0 'unknown tracepoint'
	named 77 1 0 'unknown attr type: 77'
	for order in "" --big; do
		# shellcheck disable=SC2086 # an option or none
		perfmake --no-attr $order <attrs >names.data
		want_status 0 perfdec --header names.data
		sed -n 's/^measure	[^	]*	[^	]*	\.	\([^	]*\)	.*/\1/p' out >got
		same want got
	done
}

@test "numbers that are odd but hold: they are printed, and nothing runs away" {
	cat >made.spec <<-'END'
		12 4:1 4:64 4:6 4:64 8:1 8:4000 8:0x8000000000000001 8:0x21 8:0 4:0 4:0 8:0 4:0 s:a;b
		17 4:2 s: 4:0 4:0xffffffff s:again 4:0 4:1
		22 8:1 8:0xffffffffffffffff 8:1 8:9 8:2 8:2 8:3
		25 4:1 4:0 4:0 8:0
		27 4:1 4:2 4:0 4:0 4:0
		29 4:1 4:9 8:0 8:0
	END
	cat >want <<-'END'
		event	a;b	type=6	size=64	config=0x1	period=4000	sample_type=ip;0x8000000000000000	read_format=total_time_enabled;0x20	ids_count=0
		group	.	leader=0	members=4294967295	events=a\x3bb
		group	again	leader=0	members=1
		mem_block_size	18446744073709551615
		mem_node	9	blocks=0-1
		bpf_prog	0	type=0	tag=.	name=.	jited_len=0	xlated_len=0	load_time=0	uid=0	maps=0	btf=0	bytes=0
		compressed	2	version=1	level=0	ratio=0	mmap_len=0
		clock_data	0	wall_ns=0	clockid=9	version=1
	END
	perfhead <made.spec >made.data
	told 0 made.data
	same want told
}

@test "bytes that flip in a header of everything: status 0 or 1, and lines that a reader takes" {
	forms <"$BATS_FILE_TMPDIR/spec"
	want_status 0 fuzz-perfdata --flips 300 1 {made,big,pipe,pipe_big}.data
}

# ---- beside perf itself

@test "perf: says the same of the header" {
	need perf python3
	perf record -q -e cpu-clock -e page-faults -F 499 -o r.data true >/dev/null 2>&1 || skip "perf may not record here"
	perf report --header-only -I -i r.data >perf.txt 2>/dev/null
	want_status 0 perfdec --header r.data
	cp out stream
	want_status 0 python3 "$ROOT/t/tools/perfheader.py" perf.txt stream
	perf record -q -e '{cpu-clock,page-faults}' -b --clockid monotonic -o r.data true >/dev/null 2>&1 ||
		perf record -q -e '{cpu-clock,page-faults}' --clockid monotonic -o r.data true >/dev/null 2>&1
	perf report --header-only -I -i r.data >perf.txt 2>/dev/null
	want_status 0 perfdec --header r.data
	cp out stream
	want_status 0 python3 "$ROOT/t/tools/perfheader.py" perf.txt stream
	grep -q 'group	{anon_group}	leader=0	members=2	events=cpu-clock;page-faults' stream
}

# agrees NAME FILE LIST...: LIST... are the endings that what perf says of NAME may have, best first.
agrees() {
	local name=$1 file=$2 ref option=--header more=
	shift 2
	for ref in "${@/#/$AFPIPE_CORPUS/perf/ref/$name.}"; do
		[ ! -e "$ref" ] || break
	done
	[ -e "$ref" ] || return 0
	case $ref in *buildid*) option=--all more=--build-ids ;; esac
	gunzip -c "$ref" >perf.txt
	perfdec --no-symbols $option "$file" >stream 2>err || [ $? -eq 1 ]
	[ $option = --header ] || grep -q '	build_id	' stream || return 0
	echo "$name" >>compared
	python3 "$ROOT/t/tools/perfheader.py" perf.txt stream $more >said || {
		echo "$name" >>differ
		cut -c 1-200 said | head -n 20 >&2
	}
}

# Where perf says less: it gives up at an empty feature (armv7), wants siblings before it believes the
# ids of processors (weight_struct), was too old for the recording (p73 as pipes), or takes the records
# of ChromeOS's old pipes for others.
@test "the files of the collection: header and build ids as perf says them" {
	[ -n "${AFPIPE_CORPUS-}" ] || skip "AFPIPE_CORPUS names no collection"
	need python3 zstd
	mkdir local
	tar --zstd -C local -xf "$AFPIPE_CORPUS/perf/recordings.tar.zst" || fail "cannot unpack"
	: >compared
	: >differ
	find "$AFPIPE_CORPUS/perf/files" local -name '*[!z]' \( -type f -o -name '*.data' \) >list
	while read -r file; do
		agrees "${file##*/}" "$file" header.p73.gz header.p612.gz header.gz
		agrees "${file##*/}" "$file" buildid-list.p73.gz buildid-list.p612.gz buildid-list.gz
	done <list
	[ "$(wc -l <compared)" -gt 250 ]
	sort differ | grep -v -e 'armv7.perf_3.14-3.8$' -e 'data.weight_struct$' -e '^p73_pipe_fp.data$' \
		-e '^p73_tp_pipe.data$' -e 'piped.hw_and_sw@' -e 'piped.host-3.2@' >unexpected || [ $? -eq 1 ]
	same /dev/null unexpected
}

@test "--header of a recording that was killed says so" {
	cp "$DATA/flat.data" killed.data
	patch killed.data 48 '\0\0\0\0\0\0\0\0'
	want_status 1 perfdec --header killed.data
	said "perfdec: killed.data: 0x30: the recording was never finished"
	[ "$(grep -c '^sample' out)" -eq 0 ]
	tail -n 1 out | grep -q '	partial	damaged$'
}

@test "a recording on a block device, which is larger, is read as a file is" {
	preload block
	local file
	for file in chain kinds group stat; do
		cp "$DATA/$file.data" rec.data
		perfdec --no-symbols --all rec.data >want 2>want.err
		grep -q '^header' want
		want_status 0 env LD_PRELOAD="$HELPERS/block.so" BLOCK=rec.data perfdec --no-symbols --all rec.data
		same want out
		same want.err err
		head -c 5000 /dev/zero >>rec.data
		want_status 0 env LD_PRELOAD="$HELPERS/block.so" BLOCK=rec.data perfdec --no-symbols --all rec.data
		same want out
		said "5000 bytes after the end of the recording, at 0x"
	done
}
