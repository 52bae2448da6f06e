# SPDX-License-Identifier: ISC
# perfdec_records.bats - every type of record, made by hand in both byte orders, and what perfdec
# says of it.

load lib
load perfdec

# Tracing data that describe nothing: no header page, no events.
TRACING=17084474726163696e67302e36000008001000006865616465725f706167650000000000000000006865616465725f6576656e74000000000000000000000000000000000000000000000000000000000000000000

setup_file() {
	helpers perfmake
}

# both STATUS PERFMAKE-OPTION... [-- PERFDEC-OPTION...]: what perfdec says of the text on standard
# input, to $T/out without run line, marks, time, run and four columns; the same in both byte orders.
both() {
	local status=$1 make=() order
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		make+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	cat >records
	for order in little big; do
		if [ $order = big ]; then
			perfmake "${make[@]}" --big <records >made.data
		else
			perfmake "${make[@]}" <records >made.data
		fi
		want_status "$status" perfdec --no-symbols --run R "$@" made.data || return
		grep -v '^#' out | grep -vE '^(run|measure|origin)	' | sed 's/	R	/	/' >$order
		cp err $order.err
	done
	same little big || return
	same little.err big.err || return
	cp little out
}

# all: the same of all records, without the first tags where the record says none of them.
all() {
	both 0 -- --all || return
	sed '/^header_attr	.*	ids=0x7$/d; s/	\.	\.	\.	pid=/	pid=/; s/pid=\.	tid=\.	comm=\.	cpu=\.	*//' out >got
}

@test "the kernel's records: aux, text_poke, symbols, BPF, deferred chains" {
	all <<-'END'
		raw 11 0 8:0x1000 8:64 8:0x10a
		raw 12 0 4:5 4:6
		raw 17 0 8:0x10 4:32 2:2 2:1 s8:sym
		raw 17 0 8:0x10 4:32 2:9 2:4 s8:odd
		raw 18 0 2:1 2:0 4:9 x:0102030405060708
		raw 18 0 2:2 2:0 4:9 x:0102030405060708
		raw 20 0 8:0x7000 2:2 2:3 x:9090e80102
		raw 20 0 8:0x7000 2:0 2:0
		raw 21 0 8:0xbeef
		raw 22 0 8:0xc00c1e 8:3 8:-512 8:0x401000 8:0x402000
		raw 22 0 8:0xc00c1e 8:0
		raw 2 0 8:7 8:0
	END
	cat >want <<-'END'
		aux	1	pid=0	tid=0	comm=swapper	cpu=0	offset=0x1000	size=0x40	flags=0x10a	flags_name=overwrite;collision;0x100
		itrace_start	1	pid=5	tid=6	comm=:6	cpu=0	
		ksymbol	1	pid=0	tid=0	comm=swapper	cpu=0	addr=0x10	len=0x20	type=2	type_name=ool	flags=0x1	flags_name=unregister	name=sym
		ksymbol	1	pid=0	tid=0	comm=swapper	cpu=0	addr=0x10	len=0x20	type=9	flags=0x4	flags_name=0x4	name=odd
		bpf_event	1	pid=0	tid=0	comm=swapper	cpu=0	type=1	type_name=load	flags=0	prog=9	tag=0102030405060708
		bpf_event	1	pid=0	tid=0	comm=swapper	cpu=0	type=2	type_name=unload	flags=0	prog=9	tag=0102030405060708
		text_poke	1	pid=0	tid=0	comm=swapper	cpu=0	addr=0x7000	old_len=2	new_len=3	old=9090	new=e80102
		text_poke	1	pid=0	tid=0	comm=swapper	cpu=0	addr=0x7000	old_len=0	new_len=0	old=.	new=.
		aux_output_hw_id	1	pid=0	tid=0	comm=swapper	cpu=0	hw_id=0xbeef
		callchain_deferred	1	pid=0	tid=0	comm=swapper	cpu=0	cookie=0xc00c1e	count=3	ips=0xfffffffffffffe00;0x401000;0x402000
		callchain_deferred	1	pid=0	tid=0	comm=swapper	cpu=0	cookie=0xc00c1e	count=0	ips=.
		lost	1	pid=0	tid=0	comm=swapper	cpu=0	id=0x7	lost=0
	END
	sed -i 's/	$//' want
	grep -v '^lost.*why=aux$' got >rest
	same want rest
	grep -c 'why=aux' got | grep -qx 1
}

@test "what a processor's trace lost: the flags that say so; sums of losses end at 64 bits" {
	for flags in 0 1 2 4 8 0x300 15; do
		echo "raw 11 0 8:0x1000 8:64 8:$flags"
	done | both 0 -- --all
	sed -n '/^lost/N;s/^\(lost\).*\tflags=\([0-9a-fx]*\)\t.*/\1 \2/p;/^aux/s/.*\tflags=\([0-9a-fx]*\).*/\1/p' out >got
	printf '%s\n' 0x0 'lost 0x1' 0x2 'lost 0x4' 'lost 0x8' 0x300 'lost 0xf' >want
	same want got
	printf '%s\n' "raw 2 0 8:7 8:0xfffffffffffffffe" "raw 2 0 8:7 8:1" | perfmake >made.data
	want_status 0 perfdec made.data
	[ "$(tail -n 1 out | cut -f 5-)" = "complete	lost=18446744073709551615" ]
	perfmake >made.data <<-'END'
		raw 2 0 8:7 8:0xfffffffffffffffe
		raw 2 0 8:7 8:1
		raw 2 0 8:7 8:2
		raw 11 0 8:0x1000 8:64 8:1
	END
	want_status 0 perfdec made.data
	[ "$(tail -n 1 out | cut -f 5-)" = "complete	lost=18446744073709551615" ]
}

@test "the kernel's records: mappings, tasks, switches" {
	all <<-'END'
		raw 1 0x2002 4:5 4:6 8:0x1000 8:0x2000 8:0 s8:/b
		raw 10 0x4002 4:5 4:6 8:0x3000 8:0x2000 8:0 1:4 1:0 2:0 x:deadbeef00000000000000000000000000000000 4:5 4:2 s8:/a
		raw 10 0x1001 4:5 4:6 8:0x3000 8:0x2000 8:0 4:8 4:1 8:99 8:3 4:5 4:2 s8:/a
		raw 3 0x2000 4:5 4:5 s8:new
		raw 7 0x2000 4:5 4:4 4:6 4:4 8:77
		raw 4 0 4:5 4:4 4:6 4:4 8:78
		raw 14 0x6000
		raw 15 0x2000 4:5 4:6
		raw 15 0 4:5 4:6
		raw 5 0 8:3 8:7 8:8
		raw 6 0 8:4 8:7 8:8
		raw 13 0x8000 8:3
	END
	cat >want <<-'END'
		mmap	1	pid=5	tid=6	comm=:6	cpu=0	addr=0x1000	len=0x2000	pgoff=0x0	file=/b	data=1	mode=u
		mmap	1	pid=5	tid=6	comm=:6	cpu=0	addr=0x3000	len=0x2000	pgoff=0x0	build_id=deadbeef	prot=0x5	flags=0x2	file=/a	mode=u
		mmap	1	pid=5	tid=6	comm=:6	cpu=0	addr=0x3000	len=0x2000	pgoff=0x0	maj=8	min=1	ino=99	ino_generation=3	prot=0x5	flags=0x2	file=/a	timeout=1	mode=k
		comm	1	pid=5	tid=5	comm=new	cpu=0	name=new	exec=1
		fork	1	pid=5	tid=6	comm=:6	cpu=0	ppid=4	ptid=4	at=77	exec=1
		exit	1	pid=5	tid=6	comm=:6	cpu=0	ppid=4	ptid=4	at=78
		switch	1	pid=0	tid=0	comm=swapper	cpu=0	dir=out	preempt=1
		switch	1	pid=0	tid=0	comm=swapper	cpu=0	next_prev_pid=5	next_prev_tid=6	dir=out
		switch	1	pid=0	tid=0	comm=swapper	cpu=0	next_prev_pid=5	next_prev_tid=6	dir=in
		lost	1	cpu-clock	1	pid=0	tid=0	comm=swapper	cpu=0	why=throttle	id=0x7
		throttle	1	pid=0	tid=0	comm=swapper	cpu=0	at=3	id=0x7	stream=0x8
		unthrottle	1	pid=0	tid=0	comm=swapper	cpu=0	at=4	id=0x7	stream=0x8
		lost	1	3	pid=0	tid=0	comm=swapper	cpu=0	why=bpf
	END
	sed 's/	\.	cpu-clock/	cpu-clock/; s/	\.	\.	3/	3/' got >rest
	same want rest
}

@test "perf's records: ids, threads, processors" {
	all <<-'END'
		raw 69 0 8:2 8:0x1b 8:0 8:1 8:-1 8:0x1c 8:1 8:-1 8:812
		raw 69 0 8:1 8:0x1b 8:0 8:1 8:812 8:99 8:3
		raw 69 0 8:0
		raw 73 0 8:3 8:812 s16:burn 8:-1 s16:a;b\x0ac 8:813 s16:0123456789abcdef
		raw 73 0 8:0
		raw 74 0 2:0 2:6 2:0 2:1 2:2 2:5 2:0xffff 2:7
		raw 74 0 2:1 2:2 2:4 4:0x80000003 4:0x1
		raw 74 0 2:1 2:2 2:8 4:0 8:0xf000000000000001 8:0x2
		raw 74 0 2:2 1:1 1:0 2:3 2:17
		raw 74 0 2:0 2:0
		raw 74 0 2:9 2:0
	END
	cat >want <<-'END'
		id_index	.	entries=2	ids=0x1b:0:1:-1;0x1c:1:-1:812
		id_index	.	entries=1	ids=0x1b:0:1:812:99:3
		id_index	.	entries=0	ids=.
		thread_map	.	entries=3	threads=812:burn;-1:a\x3bb\nc;813:0123456789abcdef
		thread_map	.	entries=0	threads=.
		cpu_map	.	encoding=0	cpus=0-2;5;any;7
		cpu_map	.	encoding=1	cpus=0-1;31-32
		cpu_map	.	encoding=1	cpus=0;60-63;65
		cpu_map	.	encoding=2	cpus=any;3-17
		cpu_map	.	encoding=0	cpus=.
		cpu_map	.	encoding=9	cpus=.
	END
	same want got
}

@test "a conversion of times by a shift of 64 bits or more is an error" {
	local shift
	for shift in 63 64 18446744073709551615; do
		echo "raw 79 0 8:$shift 8:20 8:30" | perfmake >conv.data
		want_status $((shift > 63 || shift < 0)) perfdec conv.data
		[ "$shift" = 63 ] || said "conversion of times with a shift of $shift bits"
	done
}

@test "perf's records: events, counters, conversions, trace data" {
	both 0 -- --all <<-'END'
		raw 70 0 4:1 4:0 8:8 8:0x20
		raw 70 0 4:99 4:0
		raw 71 0 8:16 8:0x40 8:0x50 4:1 4:812 4:-1 4:0
		bytes s16:0123456789abcdef
		raw 72 0 4:1 4:5 4:2 4:812 4:813 4:0 8:0x401000 s16:old\x20form
		raw 72 0 4:1 4:5 4:2 4:812 4:813 4:1 8:0x401000 8:99 s16:with\x20time
		raw 72 0 4:1 4:5 4:2 4:812 4:813 4:2 8:0x401000 8:99 s64:a\x20guest 4:7 4:1
		raw 75 0 8:4 8:0 8:3 8:1 8:1000 8:2 8:1 8:77 8:5
		raw 76 0 8:7 4:1 4:812 8:5 8:6 8:7
		raw 77 0 8:1 8:500
		raw 78 0 8:0 8:7 s8:msec
		raw 78 0 8:1 8:7 8:0x3eb0c6f7a0b5ed8d
		raw 78 0 8:2 8:7 s16:cpu-clock
		raw 78 0 8:3 8:7 2:2 1:0 1:0 2:0 2:3
		raw 79 0 8:10 8:20 8:30
		raw 79 0 8:10 8:20 8:30 8:40 8:-1 1:1 1:0 x:000000000000
		raw 82 0
	END
	sed 's/	\.	\.	\.	pid=/	pid=/; s/pid=\.	tid=\.	comm=\.	cpu=\.	//; 1d; $d' out >got
	cat >want <<-'END'
		auxtrace_info	.	type=1	type_name=intel_pt	priv=0x8;0x20
		auxtrace_info	.	type=99	priv=.
		auxtrace	.	size=16	offset=0x40	reference=0x50	idx=1	thread=812	on_cpu=-1
		auxtrace_error	.	pid=812	tid=813	comm=:813	cpu=.	type=1	type_name=itrace	code=5	on_cpu=2	fmt=0	ip=0x401000	message=old form
		auxtrace_error	.	pid=812	tid=813	comm=:813	cpu=.	type=1	type_name=itrace	code=5	on_cpu=2	fmt=1	ip=0x401000	at=99	message=with time
		auxtrace_error	.	pid=812	tid=813	comm=:813	cpu=.	type=1	type_name=itrace	code=5	on_cpu=2	fmt=2	ip=0x401000	at=99	message=a guest	machine=7	vcpu=1
		stat_config	.	entries=4	config=aggr_mode:3;interval:1000;scale:1;77:5
		stat_round	.	type=1	type_name=final	at=500
		sample	500	.	cpu-clock	5	pid=.	tid=.	comm=.	cpu=1	id=0x7	count=5	enabled=6	running=7	thread=812	round=final	start=0
		event_update	.	type=0	type_name=unit	id=0x7	unit=msec
		event_update	.	type=1	type_name=scale	id=0x7	scale=1e-6
		event_update	.	type=2	type_name=name	id=0x7	name=cpu-clock
		event_update	.	type=3	type_name=cpus	id=0x7	encoding=2	cpus=0-3
		time_conv	.	shift=10	mult=20	zero=30
		time_conv	.	shift=10	mult=20	zero=30	cycles=40	mask=0xffffffffffffffff	cap_zero=1	cap_short=0
	END
	same want got
}

@test "perf's records: attrs, build ids, metadata, scheduler statistics, tracing data" {
	all <<-END
		raw 64 0 4:4 4:144 8:0x1c2 8:997 8:0x10087 8:0x1f b:0x400 4:16 4:2 8:1 8:2 8:3 8:4 4:5 4:1 8:6 4:7 2:127 2:0 4:9 4:4 8:10 8:11 8:12 8:70 8:71
		raw 65 0 8:0 s16:cycles
		raw 66 0 4:85 4:0
		bytes x:$TRACING
		bytes s3:
		raw 66 0 4:85 x:$TRACING
		raw 67 0x8002 4:-1 x:0102030400000000000000000000000000000000 1:4 1:0 2:0 s8:/a
		raw 67 1 4:0 x:0102030405060708000000000000000000000000 1:0 1:0 2:0 s8:[k]
		raw 67 0 4:0 x:0102030405060708000000000000000000000000 1:0 1:0 2:0 s8:/b
		raw 67 3 4:0 x:0102030405060708000000000000000000000000 1:0 1:0 2:0 s8:/b
		raw 67 5 4:0 x:0102030405060708000000000000000000000000 1:0 1:0 2:0 s8:/b
		raw 67 6 4:0 x:0102030405060708000000000000000000000000 1:0 1:0 2:0 s8:/b
		raw 67 7 4:0 x:0102030405060708000000000000000000000000 1:0 1:0 2:0 s8:/b
		raw 84 0 s512:bpf_prog_a 8:2 s64:version s256:1.2 s64:a s256:b;c=d
		raw 84 0 s128:short 8:1 s64:k s256:v
		raw 84 0 s512:none 8:0
		raw 85 0 8:77 4:3 2:15 2:0 4:1 4:2 4:3 4:4 4:5 4:6 8:7 8:8 8:9
		raw 86 0 8:77 4:3 2:17 2:1 4:10 4:20 4:30 4:40
	END
	cat >want <<-END
		header_attr	.	type=4	size=144	config=0x1c2	freq=997	sample_type=0x10087	read_format=0x1f	flags=0x400	wakeup=16	bp_type=2	config1=0x1	config2=0x2	branch_sample_type=0x3	regs_user=0x4	stack_user=5	clockid=1	regs_intr=0x6	aux_watermark=7	max_stack=127	aux_sample_size=9	aux_action=4	sig_data=0xa	config3=0xb	config4=0xc	ids=0x46;0x47
		event_type	.	id=0x0	name=cycles
		header	.	.	tracing_data	88
		header	.	.	tracing_data	88
		header	.	.	build_id	01020304	mode=u	pid=-1	file=/a
		header	.	.	build_id	0102030405060708	mode=k	pid=0	file=[k]
		header	.	.	build_id	0102030405060708	pid=0	file=/b
		header	.	.	build_id	0102030405060708	mode=h	pid=0	file=/b
		header	.	.	build_id	0102030405060708	mode=G	pid=0	file=/b
		header	.	.	build_id	0102030405060708	pid=0	file=/b
		header	.	.	build_id	0102030405060708	pid=0	file=/b
		bpf_metadata	.	prog=bpf_prog_a	entries=2	metadata=version:1.2;a:b\\x3bc=d
		bpf_metadata	.	prog=short	entries=1	metadata=k:v
		bpf_metadata	.	prog=none	entries=0	metadata=.
		schedstat_cpu	.	at=77	on_cpu=3	version=15	yld_count=1	array_exp=2	sched_count=3	sched_goidle=4	ttwu_count=5	ttwu_local=6	rq_cpu_time=7	run_delay=8	pcount=9
		schedstat_domain	.	at=77	on_cpu=3	version=17	domain=1	counters=10;20;30;40
	END
	same want got
}

@test "simpleperf's records, and those that are cut into pieces" {
	all <<-END
		raw 32769 0 4:12 s12:0\\x20T\\x20_text\\x0aA
		raw 32770 0 8:2 8:3 s16:/data/loop
		raw 32770 0 8:0 8:3 s24:[kernel.kallsyms]
		raw 32770 0 8:2 8:3 8:0x1000 s16:/data/loop
		raw 32771 0 8:0x608 8:0x40 8:3 s8:main
		raw 32774 0 8:2 8:0 8:0x1b 8:1 8:0x1c
		raw 32775 0 4:5 4:6 8:2 8:99 8:2 8:0x10 8:0x20 8:0x30 8:0x40
		raw 32776 0 8:99 8:5 8:1 8:2 8:0x30 8:0x40
		raw 32776 0 8:99 8:5 8:1 8:2 8:0x30 8:0x40 x:0102030405060708
		raw 32777 0 4:85 x:$TRACING
		raw 32772 0 4:32769 2:0 2:32 4:18 s12:aaaaaaaaaaaa
		raw 32772 0 s8:bbbbbb
		raw 32773 0
	END
	cat >want <<-END
		sp_kernel_symbol	.	bytes=12	text=0 T _text\\nA\\x00
		sp_dso	.	type=2	id=3	name=/data/loop
		sp_dso	.	type=0	id=3	name=[kernel.kallsyms]
		sp_dso	.	type=2	id=3	min_vaddr=0x1000	name=/data/loop
		sp_symbol	.	addr=0x608	len=0x40	dso_id=3	name=main
		sp_event_id	.	entries=2	ids=0:0x1b;1:0x1c
		sp_callchain	.	pid=5	tid=6	comm=:6	cpu=.	type=2	type_name=joined_offline	at=99	count=2	ips=0x10;0x20	sps=0x30;0x40
		sp_unwinding_result	.	at=99	used=5	code=1	info=0x2	stack_start=0x30	stack_end=0x40
		sp_unwinding_result	.	at=99	used=5	code=1	info=0x2	stack_start=0x30	stack_end=0x40	more=0102030405060708
		sp_tracing_data	.	bytes=85	data=$TRACING
		sp_split	.	bytes=24
		sp_split	.	bytes=8
		sp_kernel_symbol	.	bytes=18	text=aaaaaaaaaaaabbbbbb
	END
	same want got
}

@test "simpleperf: a record of 200 KB in pieces, and pieces that make none" {
	# 200012 bytes, 3 << 16 | 3404 of them in its header
	awk 'BEGIN {
		for (s = "0123456789"; length(s) < 50000; s = s s) ;
		s = substr(s, 1, 50000)
		print "raw 32772 0 4:32769 2:3 2:3404 4:200000 s4:abcd"
		for (i = 0; i < 4; i++)
			print "raw 32772 0 s4:" (i < 3 ? s : substr(s, 1, 49992) "wxyz")
		print "raw 32773 0"
	}' | both 0 -- --all
	[ "$(grep -c '^sp_split	' out)" -eq 5 ]
	grep '^sp_kernel_symbol' out | cut -c 1-100 | grep -q '	bytes=200000	text=abcd012345'
	grep '^sp_kernel_symbol' out | tail -c 5 | grep -qx wxyz
	[ "$(grep '^sp_kernel_symbol' out | sed 's/.*text=//' | tr -d '\n' | wc -c)" -eq 200000 ]

	both 1 -- --all <<-'END'
		raw 32773 0
		raw 32772 0 4:32769 2:0 2:99 4:18 s12:aaaaaaaaaaaa
		raw 32773 0
		raw 32772 0 4:9 2:0 2:24 4:18 s12:aaaaaaaaaaaa
		raw 32773 0
		raw 32772 0 4:32771 2:0 2:16 8:1
		raw 32773 0
	END
	[ "$(grep -c 'the pieces of a split record do not form a record$' little.err)" -eq 4 ]
	[ "$(grep -c '^sp_' out)" -eq 7 ]
	# a type that is none of simpleperf's
	both 1 -- --all <<-'END'
		raw 32772 0 4:32768 2:0 2:16 8:1
		raw 32773 0
	END
	[ "$(grep -c 'the pieces of a split record do not form a record$' little.err)" -eq 1 ]
	[ "$(cut -f 1 out | tr '\n' ' ')" = "header_attr sp_split sp_split_end " ]
	# pieces of what are pieces themselves
	both 1 -- --all <<-'END'
		raw 32772 0 4:32772 2:0 2:16 8:1
		raw 32773 0
		raw 32772 0 4:32773 2:0 2:8
		raw 32773 0
	END
	[ "$(grep -c 'the pieces of a split record do not form a record$' little.err)" -eq 2 ]
	[ "$(grep -c '^sp_split' out)" -eq 4 ]
}

@test "simpleperf: a record of more than 64 MiB in pieces is said once, and the records after it are read" {
	local i
	perfmake >made.data </dev/null
	echo 'raw 32772 0 s65000:a' | perfmake --no-attr | tail -c +17 >pieces
	for ((i = 0; i < 11; i++)); do
		cat pieces pieces >twice
		mv twice pieces
	done
	cat pieces >>made.data
	printf '%s\n' 'raw 32773 0' 'sample 1 1 10 u 0x5' 'raw 32773 0' | perfmake --no-attr | tail -c +17 >>made.data
	want_status 1 perfdec --no-symbols made.data
	[ "$(grep -c 'a split record of more than 67108864 bytes$' err)" -eq 1 ]
	# the end without a piece is another
	[ "$(grep -c 'the pieces of a split record do not form a record$' err)" -eq 1 ]
	[ "$(wc -l <err)" -eq 2 ]
	[ "$(grep -c '^sample	10	' out)" -eq 1 ]
}

@test "a list of processors without its last words is damage" {
	local words
	for words in '2:1 2:1' '2:1' '2:0' '2:0 2:2 2:1' '2:1 2:1 2:4 2:1' '2:1 2:1 2:5 4:1' '2:1 2:1 2:8 4:0 4:0' '2:2 1:0 1:0 2:1'; do
		perfmake <<<"raw 74 0 $words" >made.data
		want_status 1 perfdec --no-symbols made.data
		grep -qxE 'perfdec: made.data: 0xa0: record of type 74 with [0-9]+ bytes is too short' err || fail "$words"
		perfmake <<<"raw 78 0 8:3 8:7 $words" >made.data
		want_status 1 perfdec --no-symbols made.data
		grep -qE '^perfdec: made.data: 0xa0: ' err || fail "$words"
		[ "$(grep -c 'cpus=' out)" -eq 0 ]
	done
}

@test "the header features of ChromeOS's old pipes" {
	cat >text <<-'END'
		raw 69 0 4:64 s64:box.example
		raw 70 0 4:64 s64:3.2.5
		raw 71 0 4:64 s64:3.3.0-GOOGLE
		raw 72 0 4:64 s64:x86_64
		raw 73 0 4:32 4:32
		raw 74 0 4:64 s64:a\x20processor
		raw 75 0 4:64 s64:GenuineIntel
		raw 76 0 8:1024
		raw 77 0 4:2 4:64 s64:perf 4:64 s64:record
		raw 78 0 4:1 4:64 4:1 4:64 8:0 8:1000 8:0x1a7 8:4 b:0x140000 x:000000000000000000000000 x:00000000 4:1 4:64 s64:my-event 8:7
		raw 79 0 4:0 4:0
		raw 80 0 4:0
		raw 81 0 4:0
		attr
		comm 5 5 1 burn
		raw 9 2 8:0x10 4:5 4:5 8:9 4:0 4:0 8:1000 8:0
	END
	both 0 --no-attr -- --all <text
	grep '^header	' out | cut -f 4,5 >got
	cat >want <<-'END'
		hostname	box.example
		os_release	3.2.5
		version	3.3.0-GOOGLE
		arch	x86_64
		nr_cpus_available	32
		nr_cpus_online	32
		cpu_desc	a processor
		cpu_id	GenuineIntel
		total_mem	1024
		cmdline	perf record
		event	my-event
	END
	same want got
	[ "$(grep -c '^header_feature' out)" -eq 0 ]
	perfdec --no-symbols --run R made.data | sed '/^#/d' | cut -f 1-6,7- >plain
	cat >want <<-'END'
		run	1	R	.	.	.	unit=ns	app=perf	version=3.3.0-GOOGLE	host=box.example	os=3.2.5	arch=x86_64	cmdline=perf record
		measure	.	R	.	my-event	.	id=0x7	type=int64	unit=ns
		origin	.	R	.	.	.	host=box.example	release=3.2.5	clock=perf
		sample	9	R	[unknown]	my-event	1000	pid=5	tid=5	comm=burn	cpu=0	mode=u	ip=0x10	stack=[unknown]	frames=u:[unknown]+0x10
	END
	same want plain
	want_status 0 perfdec --stats --no-symbols made.data
	[ "$(awk -F '\t' '$4 == "header_feature" { print $6 }' out)" -eq 13 ]

	# names of which some are cut off: said once, and the others and the samples are read
	local desc='4:2 4:64 4:1 4:64 8:0 8:1000 8:0x1a7 8:4 b:0x140000 x:000000000000000000000000'
	desc+=' x:00000000 4:1 4:64 s64:my-event 8:7'
	both 1 --no-attr <<-END
		raw 70 0 4:64 s64:3.2.5
		raw 78 0 $desc 4:1
		attr
		raw 9 2 8:0x10 4:5 4:5 8:9 4:0 4:0 8:1000 8:0
	END
	[ "$(grep '^sample' out | cut -f 4)" = my-event ]
	echo "perfdec: made.data: 0x5c: event description 1 reaches beyond its end" | same - err
	# names of fewer events than there are: the first ones have them
	both 0 --no-attr <<-END
		raw 70 0 4:64 s64:3.2.5
		raw 78 0 ${desc/4:2/4:1}
		attr
		raw 64 0 4:1 4:64 8:1 8:1 8:0x1a7 8:0 b:0x140000 4:0 4:0 8:0 8:8
		raw 9 2 8:0x10 4:5 4:5 8:9 4:0 4:0 8:1000 8:0
	END
	same /dev/null err
	perfdec --no-symbols --run R made.data | grep '^measure' | cut -f 5,7 | head -n 2 >got
	printf '%s\t%s\n' my-event id=0x7 task-clock id=0x8 | same - got

	# nothing of newer perf is taken for them
	both 0 -- --all <<-'END'
		raw 69 0 8:1 8:0x1b 8:0 8:1 8:812
		raw 71 0 8:64 8:0 8:0 4:0 4:0 4:0 4:0
		bytes s64:payload
		raw 74 0 2:64 2:0 s60:x
	END
	grep -q '^auxtrace	.*	size=64	' out
	grep -q '^id_index	' out
	grep -q '^cpu_map	' out
	# nor if its first word could be the length of a text
	{
		echo "raw 69 0 8:64$(printf ' 8:%d 8:0 8:1 8:-1' {70000001..70000064})"
		echo 'raw 70 0 4:64 4:0 8:1 8:2 8:3 8:4 8:5 8:6 8:7 8:8'
		echo 'raw 75 0 8:64'"$(printf ' 8:2 8:%d' {1..64})"
	} | both 0 -- --all
	[ "$(cut -f 1 out | tr '\n' ' ')" = "header_attr id_index auxtrace_info stat_config " ]
	grep -q '	priv=0x1;0x2;0x3;0x4;0x5;0x6;0x7;0x8$' out
	# and texts that no perf wrote are damage: not ended, and not of letters
	local text
	for text in "$(printf 'a%.0s' {1..64})" '\xffhost' '\x01host' ''; do
		perfmake <<<"raw 69 0 4:64 s64:$text" >made.data
		want_status 1 perfdec --no-symbols --all made.data
		said 'record of type 69 with 76 bytes is too short'
		[ "$(grep -c '^header	' out)" -eq 0 ]
	done
	# nor of a length that the padding does not give, with bytes behind the text, or of a type that has none
	for text in '69 0 4:63 s63:host x:00' '69 0 4:64 s64:host 8:0' '73 0 4:64 s64:host'; do
		perfmake <<<"raw $text" >made.data
		want_status 1 perfdec --no-symbols --all made.data
		said "record of type ${text%% *} with "
		[ "$(grep -c '^header	' out)" -eq 0 ]
	done
}

@test "types that nobody knows: lines with --all, a word at the end without" {
	cat >text <<-'END'
		comm 5 5 1 burn
		raw 90 3 x:0100000000000000
		raw 90 0
		raw 30 0 x:5500000000000000
		raw 32800 0
	END
	both 0 -- --all <text
	cat >want <<-'END'
		unknown	.	pid=.	tid=.	comm=.	cpu=.	type=90	size=16	misc=0x3	raw=0100000000000000
		unknown	.	pid=.	tid=.	comm=.	cpu=.	type=90	size=8	misc=0x0	raw=.
		unknown	.	pid=.	tid=.	comm=.	cpu=.	type=32800	size=8	misc=0x0	raw=.
		unknown	1	pid=0	tid=0	comm=swapper	cpu=0	type=30	size=40	misc=0x0	raw=5500000000000000
	END
	grep '^unknown' out | sed 's/	\.	\.	\.	pid/	pid/' >got
	same want got
	[ ! -s little.err ]
	both 0 <text
	printf 'perfdec: made.data: %s\n' '4 records of unknown type ignored: 90 (2), 32800 (1), 30 (1)' >want
	same want little.err

	seq 200 240 | sed 's/.*/raw & 0/' >text
	both 0 <text
	grep -q '41 records of unknown type ignored: 200 (1), .* 215 (1), others (25)$' little.err
}

@test "--stats: more unknown types than are counted one by one" {
	# 52 of the types below 128, of which the kernel's have times, and 256 of the others
	{ seq 500 -1 100 && seq 63 -1 40; } |
		awk '{ for (i = 0; i < 1 + $1 % 3; i++) print "unknown", $1, 1000 + 7 * $1 % 90 + i }' >text
	awk '{ type = $2 >= 245 || $2 < 128 ? $2 : 999 }
		!n[type]++ || $3 < first[type] { first[type] = $3 }
		$3 > last[type] { last[type] = $3 }
		END { for (type in n) print type, "agg", type + 0 < 64 ? last[type] : ".", "type." type, "records", n[type],
			"record=" type, "stat=count", "start=" first[type], "n=" n[type] }' OFS='\t' text |
		sort -n | cut -f 2- | sed '/	\.	/s/	start=[0-9]*//; s/999/more/; s/	record=999//' >want
	both 0 -- --stats <text
	grep '	type\.' out >got
	same want got
	# the run begins with the first of them
	printf '%s\n' 'sample 1 1 30 u 0x5' 'sample 1 1 10 u 0x5' 'sample 1 1 20 u 0x5' | perfmake >made.data
	want_status 0 perfdec --stats made.data
	[ "$(grep '^run' out | cut -f 2)" = 10 ]
}

@test "where the data came from, and transactions, in words" {
	both 0 --type 0x28001 <<-'END'
		raw 9 1 8:0x10 8:0x68100142 8:0x600000003
		raw 9 1 8:0x10 8:0x1e05080021 8:0
		raw 9 1 8:0x10 8:0 8:0x81
		raw 9 1 8:0x10 8:0x3ffffffffffffe 8:-1
		raw 9 1 8:0x10 8:0x4e8d0c00a0c4 8:0
		raw 9 1 8:0x10 8:0x2000000 8:0
	END
	cut -f 13- out >got
	cat >want <<-'END'
		data_src=0x68100142	mem_op=load	mem_lvl=hit;L1	mem_snoop=none	mem_tlb=hit;L1;L2	mem_lock=no	transaction=0x600000003	tx_flags=elision;transaction	tx_abort=0x6
		data_src=0x1e05080021	transaction=0x0
		data_src=0x0	transaction=0x81	tx_flags=elision;capacity_read
		data_src=0x3ffffffffffffe	mem_op=load;store;prefetch;exec	mem_remote=1	mem_hops=7	mem_snoopx=fwd;peer	mem_region=31	transaction=0xffffffffffffffff	tx_flags=elision;transaction;sync;async;retry;conflict;capacity_write;capacity_read;0xffffff00	tx_abort=0xffffffff
		data_src=0x4e8d0c00a0c4	mem_op=store	mem_lvl=hit;miss;remote_RAM_1;remote_cache_1	mem_lvl_num=memory_side_cache	mem_hops=1	mem_snoopx=peer	mem_lock=no	mem_blk=data;addr	mem_region=1	transaction=0x0
		data_src=0x2000000	mem_lock=yes	transaction=0x0
	END
	same want got
}

@test "where the data came from: every bit has its word" {
	local bit want=() i=0
	want=(- load store prefetch exec - hit miss L1 LFB L2 L3 local_RAM remote_RAM_1 remote_RAM_2
		remote_cache_1 remote_cache_2 IO uncached - none hit miss hitm - yes - hit miss L1 L2 walker
		fault L1 L2 L4 uncached 1 fwd peer - data addr 1 2 4 1 2 4 8 16)
	for bit in $(seq 0 50); do
		printf 'raw 9 1 8:0x10 8:%u\n' $((1 << bit))
	done | both 0 --type 0x8001
	[ "$(wc -l <out)" -eq 51 ]
	while read -r line; do
		word=$(tr '\t' '\n' <<<"$line" | grep '^mem_' | grep -v 'mem_lock=no' | sed 's/.*=//')
		[ "${word:--}" = "${want[i]}" ] || fail "bit $i: $word"
		i=$((i + 1))
	done <out
	for number in 1:L1 2:L2 3:L3 4:L4 5:L2_MHB 6:memory_side_cache 7:L0 8:uncached 9:CXL 10:IO 11:any_cache \
		12:LFB 13:RAM 14:PMEM; do
		printf 'raw 9 1 8:0x10 8:%u\n' $((${number%:*} << 33)) | both 0 --type 0x8001
		grep -q "	mem_lvl_num=${number#*:}	" out
	done
}

@test "branches: type, speculation, privilege, counters, index" {
	both 0 --type 0x801 --branch 0xa0008 <<-'END'
		raw 9 1 8:0x10 8:2 8:5 8:0x11 8:0x21 b:0x020001f1 8:0x12 8:0x22 b:0x40f0003e 8:0x305 8:0x1
		raw 9 1 8:0x10 8:0 8:-1
		raw 9 1 8:0x10 8:1 8:0 8:1 8:2 b:0xfff00000 8:9
		raw 9 1 8:0x10 8:1 8:0 8:1 8:2 b:0x80400000 8:9
	END
	cut -f 13- out >got
	cat >want <<-'END'
		branches=0x11/0x21/M/-/-/31//NON_SPEC_CORRECT_PATH/-;0x12/0x22/P/X/A/3/FAULT_ALGN/-/u	hw_idx=5	branch_counters=0x305;0x1
		branches=.
		branches=0x1/0x2/-/-/-/0/NEW/SPEC_CORRECT_PATH/h	hw_idx=0	branch_counters=0x9
		branches=0x1/0x2/-/-/-/0/CALL/-/k	hw_idx=0	branch_counters=0x9
	END
	same want got
}

@test "a call stack that the processor kept as branches is the chain's user part, as in perf" {
	both 0 --type 0x821 --branch 0x808 <<-'END'
		raw 9 1 8:0xf1 8:4 8:-128 8:0xf1 8:-512 8:0x99 8:2 8:0x11 8:0x21 8:0 8:0x12 8:0x22 8:0
		raw 9 1 8:0xf1 8:4 8:-128 8:0xf1 8:-512 8:0x99 8:0
		raw 9 1 8:0xf1 8:2 8:-128 8:0xf1 8:1 8:0x11 8:0x21 8:0
		raw 9 2 8:0x20 8:0 8:1 8:0x11 8:0x21 8:0
	END
	sed 's/.*	frames=/frames=/; s/\[unknown\]//g' out >got
	cat >want <<-'END'
		frames=u:+0x12;u:+0x11;u:+0x21;k:+0xf1	branches=0x11/0x21/-/-/-/0//-/-;0x12/0x22/-/-/-/0//-/-
		frames=u:+0x99;k:+0xf1	branches=.
		frames=k:+0xf1	branches=0x11/0x21/-/-/-/0//-/-
		frames=u:+0x20	branches=0x11/0x21/-/-/-/0//-/-
	END
	same want got
	# the same branches without that meaning
	echo 'raw 9 1 8:0xf1 8:3 8:-512 8:0x99 8:0x98 8:1 8:0x11 8:0x21 8:0' | both 0 --type 0x821 --branch 8
	grep -q 'frames=u:\[unknown\]+0x98-1;u:\[unknown\]+0x99	' out
}

@test "a processor's trace is passed over, and that is said" {
	{
		echo 'raw 71 0 8:16 8:0 8:1 4:0 4:7 4:1 4:0'
		echo 'bytes 8:1 8:2'
		echo 'raw 71 0 8:8 8:16 8:1 4:0 4:7 4:1 4:0'
		echo 'bytes 8:3'
		echo 'sample 1 1 100 u 0x10'
	} | perfmake >made.data
	want_status 0 perfdec --no-symbols made.data
	[ "$(cat err)" = "perfdec: made.data: 24 bytes of a processor's trace are not decoded; --all lists where they are" ]
	[ "$(grep -c '^sample	100	' out)" -eq 1 ]
	want_status 0 perfdec --no-symbols --all made.data
	[ "$(cat err)" = "perfdec: made.data: 24 bytes of a processor's trace are not decoded" ]
	sed -n 's/^auxtrace	.*	size=/size=/p' out >got
	printf 'size=16	offset=0x0	reference=0x1	idx=0	thread=7	on_cpu=1\nsize=8	offset=0x10	reference=0x1	idx=0	thread=7	on_cpu=1\n' >want
	same want got
}

@test "places where perf could not decode a trace are noted, since their samples are missing" {
	local n
	for n in 1 2; do
		{
			yes 'raw 72 0 4:1 4:8 4:0 4:7 4:7 4:1 8:0x401000 8:99 s64:Lost\x20trace\x20data' | head -n $n
			echo 'sample 1 1 100 u 0x10'
		} | perfmake >made.data
		want_status 0 perfdec --no-symbols made.data
		cp err err$n
	done
	want_status 0 perfdec --no-symbols --all made.data
	cat err1 err2 err >got
	cat >want <<-'END'
		perfdec: made.data: perf could not decode a processor's trace at 1 place, where samples are missing; --all lists them
		perfdec: made.data: perf could not decode a processor's trace at 2 places, where samples are missing; --all lists them
		perfdec: made.data: perf could not decode a processor's trace at 2 places, where samples are missing
	END
	same want got
}

@test "--all: trace data that came with a sample" {
	echo 'raw 9 1 8:0x10 8:3 x:a1b2c3' | both 0 --type 0x100001 -- --all
	grep -q '	aux_size=3	aux=a1b2c3$' out
	echo 'raw 9 1 8:0x10 8:0' | both 0 --type 0x100001 -- --all
	grep -q '	aux_size=0	aux=\.$' out
}

@test "counts that reach beyond their record are said, and only what is there is printed" {
	local line
	while read -r line; do
		echo "$line" | both 1
		grep -qE 'record of type [0-9]+ with [0-9]+ bytes is too short$' little.err || fail "$line"
		echo "$line" | both 1 -- --all
		[ "$(wc -l <out)" -eq 2 ] || fail "$line: $(cat out)"
	done <<-'END'
		raw 20 0 8:0x7000 2:200 2:3 x:9090
		raw 22 0 8:1 8:0x2000000000000001 8:1
		raw 22 0 8:1 8:3 8:1
		raw 69 0 8:2 8:0x1b 8:0 8:1 8:-1
		raw 69 0 8:0x800000000000001 8:0x1b 8:0 8:1 8:-1
		raw 72 0 4:1
		raw 73 0 8:2 8:812 s16:burn
		raw 74 0 2:0 2:9 2:1
		raw 74 0 2:1 2:9 2:8 4:0 8:1
		raw 74 0 2:1 2:1 2:5
		raw 75 0 8:2 8:0 8:3
		raw 76 0 8:7 4:1
		raw 77 0 8:1
		raw 79 0 8:1
		raw 84 0 s512:x 8:3 s64:k s256:v
		raw 85 0 8:1
		raw 86 0 8:1
		raw 32771 0 8:1
		raw 32774 0 8:2 8:1 8:2
		raw 32775 0 4:5 4:6 8:2 8:99 8:2 8:0x10 8:0x20
	END
}

# filled TYPE BYTES FILL: such a record, as perfmake takes it.
filled() {
	if [ "$2" -eq 0 ]; then
		echo "raw $1 0"
	else
		echo "raw $1 0 x:$(printf "%$2s" '' | sed "s/ /$3/g")"
	fi
}

# read_or_refused: the recording on standard input, with all records and without.
read_or_refused() {
	local option status
	perfmake >made.data
	for option in '' --all; do
		status=0
		perfdec $option --no-symbols made.data >out 2>err || status=$?
		[ $status -le 1 ] || fail "status $status: $(cat err)" || return
	done
}

# bats test_tags=slow,sanitize
@test "records of every type and length, full of ones or of small numbers, are damage at most" {
	local type fill n types
	# those that say how the rest is read, or that something stands behind them, alone
	local alone='64 66 71 81 83'
	types=$({ seq 1 22 && seq 64 86 && seq 32769 32777; } | grep -vxF "${alone// /$'\n'}")
	for fill in ff 01; do
		for n in 0 16 40 336; do
			for type in $alone; do
				{ filled "$type" $n $fill && echo 'comm 5 5 1 burn'; } | read_or_refused ||
					fail "type $type, $n bytes of $fill"
			done
			{
				for type in $types; do
					filled "$type" $n $fill
				done
				echo 'comm 5 5 1 burn'
			} | read_or_refused || fail "$n bytes of $fill"
			grep -q '^comm	.*	name=burn' out || fail "$n bytes of $fill: not read to the end"
		done
	done
}

@test "lists of processors that are cut or impossible are said, in each record that has one" {
	local list
	for list in '2:0' '2:0 2:2 2:1' '2:1 2:1 2:4' '2:1 2:1 2:8 4:0' '2:1 2:1 2:3 4:0 4:0' '2:2 1:0' '2:2 1:0 1:0 2:5 2:3'; do
		both 1 -- --all <<-END
			raw 74 0 $list
			raw 78 0 8:3 8:7 $list
			sample 1 1 10 u 0x5
		END
		[ "$(wc -l <err)" -eq 2 ] || fail "$list: $(cat err)"
		[ "$(grep -c '^sample	10	' out)" -eq 1 ]
		[ "$(grep -c '^measure	.*cpus=' out)" -eq 0 ]
	done
}

@test "mappings of the kernel: all of its addresses, modules with any name" {
	local long
	printf -v long '%*s' 255 ''
	long=${long// /m}
	both 0 -- --tags ip,dso <<-END
		mmap -1 0 1 k 0 0 0xffffffff81000000 [kernel.kallsyms]_text
		mmap -1 0 1 k 0xffffffffc0000000 0x1000 0 /lib/modules/6.1/${long:0:252}.ko
		mmap -1 0 1 k 0xffffffffc0001000 0x1000 0 /lib/modules/6.1/${long}
		mmap -1 0 1 k 0xffffffffc0002000 0x1000 0 /lib/mod.kos/6.1/a-b.ko.xz
		mmap -1 0 1 k 0xffffffffc0003000 0x1000 0 /lib/mod.kos/6.1/a-b
		mmap -1 0 1 k 0xffffffffc0004000 0x1000 0 elsewhere
		sample 1 1 10 k 0xffffffff81000010
		sample 1 1 10 k 0x10
		sample 1 1 10 k 0xffffffffc0000010
		sample 1 1 10 k 0xffffffffc0001010
		sample 1 1 10 k 0xffffffffc0002010
		sample 1 1 10 k 0xffffffffc0003010
		sample 1 1 10 k 0xffffffffc0004010
	END
	sed -n 's/^sample.*\tdso=//p' out >got
	printf '%s\n' '[kernel.kallsyms]' '[kernel.kallsyms]' "[${long:0:252}]" "$long" '[a_b]' a-b '[kernel.kallsyms]' >want
	same want got
}

@test "code of the kernel across the end of what is mapped: it has its name until it is unloaded" {
	both 0 -- --tags none <<-'END'
		mmap -1 0 1 k 0xffffffffc0002000 0x1000 0 /lib/a.ko
		ksymbol 1 0xffffffffc0002f00 0x200 bpf_over
		sample 1 1 10 k 0xffffffffc0002ef0
		sample 1 1 10 k 0xffffffffc0002f10
		sample 1 1 10 k 0xffffffffc0003010
		unksymbol 11 0xffffffffc0002f00 0x200 bpf_over
		sample 1 1 12 k 0xffffffffc0002ef0
		sample 1 1 12 k 0xffffffffc0003010
	END
	sed -n 's/^sample\t//p' out | cut -f 1,2 >got
	printf '%s\t%s\n' 10 '[a]' 10 bpf_over 10 bpf_over 12 '[a]' 12 '[unknown]' >want
	same want got
}

@test "the build id of a kernel module is its file's" {
	{
		echo 'buildid 50de36ef8b8c2d32c9fd9115a068c9c024962f7e /lib/modules/3.8.0/kernel/net/ath9k-hw.ko'
		echo 'mmap -1 0 0 k 0xffffffffa0177000 0x21000 0 /lib/modules/3.8.0/kernel/net/ath9k-hw.ko'
		echo 'sample 7 7 200 k 0xffffffffa0177010'
	} | perfmake >module.data
	want_status 0 perfdec --no-symbols module.data
	silent
	sed -n 's/^sample.*\tframes=//p' out >got
	echo 'k:[ath9k_hw]@50de36ef8b8c2d32c9fd9115a068c9c024962f7e+0xffffffffa0177010' >want
	same want got
	# a compressed one, one that is named as a file is not, and a build id of a byte
	{
		echo 'mmap -1 0 0 k 0xffffffffa0177000 0x1000 0 /lib/modules/x-y.ko.xz'
		echo 'mmap -1 0 0 k 0xffffffffa0178000 0x1000 0 /lib/modules/x-y'
		echo 'raw 10 0x4001 4:-1 4:0 8:0xffffffffa0179000 8:0x1000 8:0 4:1 x:a700000000000000000000000000000000000000 4:5 4:2 s:/lib/short.ko'
		for at in 7 8 9; do echo "sample 7 7 200 k 0xffffffffa017${at}010"; done
	} | perfmake >module.data
	want_status 0 perfdec --no-symbols module.data
	sed -n 's/^sample.*\tframes=//p' out >got
	printf 'k:%s\n' '[x_y]+0xffffffffa0177010' 'x-y+0xffffffffa0178010' '[short]@a7+0xffffffffa0179010' >want
	same want got
}

@test "the build id of the kernel is that of its file, where it is listed so" {
	local file
	for file in /lib/modules/3.8.0/build/vmlinux /src/my.korg/vmlinux /vmlinux; do
		{
			echo 'kbuildid 50de36ef8b8c2d32c9fd9115a068c9c024962f7e /lib/modules/3.8.0/kernel/net/ath9k.ko'
			echo 'kbuildid 1111111111111111111111111111111111111111 /lib/modules/3.8.0/kernel/net/b.ko.xz'
			echo "kbuildid 4505c4baa0b3d7c4037b0e8f5402626fa360717f $file"
			# without a name, and those of guests
			echo 'raw 67 1 4:-1 x:2222222222222222222222222222222222222222 4:0'
			echo 'raw 67 4 4:-1 x:3333333333333333333333333333333333333333 4:0 s16:/vmlinux'
			echo 'raw 67 5 4:-1 x:4444444444444444444444444444444444444444 4:0 s8:/bin/a'
			echo 'mmap -1 0 0 k 0xffffffff81000000 0x20000 0xffffffff81000000 [kernel.kallsyms]_text'
			echo 'mmap 7 7 1 u 0x400000 0x1000 0 /bin/a'
			echo "mmap 7 7 1 u 0x500000 0x1000 0 $file"
			echo 'sample 7 7 200 k 0xffffffff81000010'
			echo 'sample 7 7 200 u 0x400010'
			echo 'sample 7 7 200 u 0x500010'
		} | perfmake >kernel.data
		want_status 0 perfdec --no-symbols kernel.data
		silent
		sed -n 's/^sample.*\tframes=//p' out >got
		echo 'k:[kernel.kallsyms]@4505c4baa0b3d7c4037b0e8f5402626fa360717f+0xffffffff81000010' >want
		echo 'u:/bin/a+0x10' >>want
		echo "u:$file@4505c4baa0b3d7c4037b0e8f5402626fa360717f+0x10" >>want
		same want got || fail "$file"
	done
}

# of_attr FILE OFFSET: where that byte of its first attr stands.
of_attr() {
	echo $(($(u64 "$1" 24) + $2))
}

@test "samples with bytes behind the fields that are known: a note, and with --all tag rest" {
	local at
	cp "$DATA/chain.data" newer.data
	at=$(of_attr newer.data 24)
	# the callchain is no longer among the fields
	patch newer.data "$at" "\\x$(printf %02x $((0x$(byte newer.data "$at") & ~0x20)))"
	want_status 0 perfdec --no-symbols newer.data
	echo "perfdec: newer.data: $(grep -c '^sample' out) samples had bytes after the known fields; --all prints them" >want
	same want err
	want_status 0 perfdec --no-symbols --all newer.data
	said "tag rest"
	[ "$(grep -c '^sample.*	rest=[0-9a-f][0-9a-f]*$' out)" -eq "$(grep -c '^sample' out)" ]
	perfdec --no-symbols --all "$DATA/chain.data" >whole
	[ "$(grep -c '^sample' whole)" -eq "$(grep -c '^sample' out)" ]
}

@test "samples with counters of a read_format that is not known are left out" {
	local at
	cp "$DATA/group.data" newer.data
	at=$(of_attr newer.data 32)
	patch newer.data "$at" "\\x$(printf %02x $((0x$(byte newer.data "$at") | 0x40)))"
	want_status 1 perfdec --no-symbols newer.data
	said "sample with counters of an unknown read_format (0x40)"
	perfdec --no-symbols "$DATA/group.data" >whole
	[ "$(grep -c '^sample' out)" -lt "$(grep -c '^sample' whole)" ]
}

# The texts of tags are kept for the next sample alike, in tables whose entries many samples share.
@test "threads, processors, modes, ids and periods in any order: each sample has its own" {
	need python3
	python3 - <<-'END'
		import random, struct
		r = random.Random(1)
		def record(type, body, misc=0):
		    return struct.pack("<IHH", type, misc, 8 + len(body)) + body
		data = b"PERFILE2" + struct.pack("<Q", 16)
		data += record(64, struct.pack("<IIQQQQQ16xQ", 1, 64, 0, 1, 0x1c7, 0, 1 << 18, 7))
		cpus = [0, 1, 2, 255, 256, 512, 1024, 4096] + [r.randrange(1 << 20) for _ in range(6)]
		comm, lines = {}, []
		for n in range(3000):
		    pid = r.choice((5, 9, 261, 1029))
		    tid = pid + r.choice((0, 0, 1))
		    if tid not in comm or r.random() < .1:
		        comm[tid] = "c%d" % n
		        data += record(3, struct.pack("<II8sIIQQQ", pid, tid, comm[tid].encode(), pid, tid, 1 + n, 7, 0))
		    ip, id, cpu = r.randrange(1 << r.choice((12, 47))), r.choice((0, 7, 71, 135, 1 << 40)) if n else 0, r.choice(cpus)
		    mode, period = r.randrange(6), r.choice((1, 1, 4000000, r.randrange(1 << 64)))
		    data += record(9, struct.pack("<QIIQQIIQ", ip, pid, tid, 1 + n, id, cpu, 0, period), mode)
		    lines.append((1 + n, period, "pid=%d" % pid, "tid=%d" % tid, "comm=" + comm[tid],
		                  "cpu=%d" % cpu, *["mode=" + "kuhgG"[mode - 1]] * (mode > 0), "ip=%#x" % ip, "id=%#x" % id))
		open("mixed.data", "wb").write(data)
		open("want", "w").write("".join("\t".join(map(str, l)) + "\n" for l in lines))
	END
	want_status 0 perfdec --no-symbols mixed.data
	sed -n 's/	pcomm=[^	]*//; s/	frames=[^	]*//; /^sample/p' out | cut -f 2,6- >got
	same want got
	# without threads, of which no text is kept
	printf '%s\n' 'raw 9 2 8:0x10 8:1 4:0 4:0' 'raw 9 1 8:0x20 8:2 4:0 4:0' 'raw 9 2 8:0x10 8:3 4:7 4:0' |
		both 0 --type 0x85
	printf 'sample\t%s\n' '1	cpu=0	mode=u	ip=0x10' '2	cpu=0	mode=k	ip=0x20' '3	cpu=7	mode=u	ip=0x10' >want
	sed 's/	\[unknown\].*	pid=\.	tid=\.	comm=\.//; s/	frames=.*//' out >got
	same want got
}

@test "events that were written over the beginning of the data" {
	need python3
	local file
	cp "$DATA/flat.data" inject.data
	patch inject.data 40 '\x68\0\0\0\0\0\0\0'
	want_status 1 perfdec --no-symbols inject.data
	said "perfdec: inject.data: 0x28: the events were written over the beginning of the data"

	# only where both are: by one byte at either end, but not if the events are anywhere else
	python3 - "$DATA/flat.data" <<-'END'
		import struct, sys
		d = open(sys.argv[1], "rb").read()
		at, size, data, data_size = struct.unpack("<4Q", d[24:56])
		attrs, end = d[at:at + size], data + data_size
		assert at + size == data
		def make(name, at, d):
		    open(name, "wb").write(d[:24] + struct.pack("<Q", at) + d[32:])
		make("over.first", data - size + 1, d)
		make("over.last", end - 1, d)
		plain = d[:72] + bytes(32) + d[104:end] # without features, whose table follows the data
		open("plain", "wb").write(plain)
		make("other.next", end, plain + attrs)
		make("other.behind", end + 9, plain + bytes(9) + attrs)
	END
	for file in over.*; do
		want_status 1 perfdec --no-symbols "$file"
		said "perfdec: $file: 0x28: the events were written over the beginning of the data"
	done
	perfdec --no-symbols plain | sed 1d >want
	grep -q '^sample' want
	for file in other.*; do
		perfdec --no-symbols "$file" | sed 1d >got
		sed -i "s/	$file	/	plain	/" got
		same want got || fail "$file"
	done
}

# ---- copies of stacks

# copied MODE ABI USED [IP...]: a sample in that mode with registers of that abi and a copy of its
# stack of which so much is used, and with a chain.
copied() {
	local mode=$1 abi=$2 used=$3 ip
	shift 3
	printf 'raw 9 %d 8:0x5000 4:1 4:2 8:10 4:0 4:0 8:1 8:%d' "$mode" $#
	for ip; do printf ' 8:%s' "$ip"; done
	if [ "$used" = none ]; then
		printf ' 8:%d 8:0\n' "$abi"
	else
		printf ' 8:%d 8:16 8:0x1111 8:0x2222 8:%d\n' "$abi" "$used"
	fi
}

@test "callers that are only in copies of stacks are said to be missing, by number" {
	local kernel=0xffffffffffffff80 user=0xfffffffffffffe00
	{
		copied 2 2 16 $user 0x5000
		copied 1 2 8 $kernel 0xffffffff81000000 $user 0x5000
		copied 2 1 16
		# threads of the kernel, nothing used, nothing captured, and callers that are in the chain
		copied 1 0 none $kernel 0xffffffff81000000
		copied 1 0 16 $kernel 0xffffffff81000000
		copied 2 2 0 $user 0x5000
		copied 2 2 none $user 0x5000
		copied 2 2 16 $user 0x5000 0x6000
	} >text
	perfmake --type 0x31a7 <text >copies.data
	want_status 0 perfdec --no-symbols --no-unwind copies.data
	said "perfdec: copies.data: some callers in user code are not known for 3 of 3 samples with copies of their stacks (not unwound: 3)"
	[ "$(wc -l <err)" -eq 1 ]
	[ "$(tail -n 1 out)" = "#end	perfdec	copies.data	12	complete	incomplete=3" ]
	# later programs have the word, and the last one says it
	perfdec --no-symbols --no-unwind copies.data >copies.ev
	want_status 0 afcut region copies.ev
	said "could not be unwound completely: 3"
	want_status 1 perfdec --no-symbols --no-unwind --strict copies.data
	[ "$(tail -n 1 out | cut -f 5)" = partial ]
	# of joined recordings, and in the other byte order
	perfmake --big --type 0x31a7 <text >big.data
	cat copies.data big.data >joined.data
	want_status 0 perfdec --no-symbols --no-unwind joined.data
	[ "$(grep -c ": some callers in user code are not known for 3 of 3 samples " err)" -eq 2 ]
	[ "$(tail -n 1 out | cut -f 6)" = incomplete=6 ]
	# nothing is said where no stack is printed, or none was copied
	want_status 0 perfdec --stats copies.data
	silent
	copied 2 2 none $user 0x5000 | perfmake --type 0x31a7 >none.data
	want_status 0 perfdec --no-symbols --strict none.data
	silent
}

@test "a sample with an unknown marker and a copy of its stack is counted once" {
	local kernel=0xffffffffffffff80 user=0xfffffffffffffe00 option
	{
		# the copy can replace what is behind the user marker, but not continue a chain that ends before it
		copied 2 3 16 $user 0x5000 -10
		copied 1 3 8 $kernel 0xffffffff81000000 -10
		copied 1 5 8 $kernel 0xffffffff81000000 -10 $user 0x5000
		copied 2 1 16 -10
		copied 2 4 16 $user 0x5000 0x6000 -10
	} >text
	perfmake --type 0x31a7 <text >copies.data
	for option in --no-unwind --force; do
		want_status 1 perfdec --no-symbols $option copies.data
		said "some callers in user code are not known for 1 of 1 samples with copies of their stacks ("
		said "some callers are not known for 4 of 5 samples with callchains, which have"
		[ "$(grep -c '	stack=\[truncated\];' out)" -eq 5 ]
		[ "$(grep '^incomplete' out | tail -n 1 | cut -f 4-)" = ".	unwind	4	why=unknown_marker" ]
		[ "$(tail -n 1 out | cut -f 7)" = incomplete=5 ]
	done
}
