#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# afsym.bats - does afsym say what perfdec says if it looks the names up itself?

# shellcheck disable=SC2030,SC2031 # server is set and used in the same test

load lib
load perfdec

setup_file() {
	helpers perfmake
}

# A server must not outlive a test that fails.
teardown() {
	[ -z "${server-}" ] || kill "$server" 2>/dev/null || :
}

# both RECORDING OPTION...: perfdec with the options, and afsym after perfdec --no-symbols, write the
# same lines.  The first is left in want.
both() {
	local recording=$1
	shift
	perfdec "$@" "$recording" >named.ev 2>named.err || [ $? -eq 1 ]
	perfdec --no-symbols "$recording" >places.ev 2>places.err || [ $? -eq 1 ]
	want_status "$(grep -c '^#end.*partial' places.ev || :)" afsym "$@" places.ev
	unmarked named.ev >want
	unmarked out >got
	same want got
}

# make_programs: a program with inlined functions, a library that is loaded at run time, and a recording
# with samples at every 7th byte of their code, without callchains.
make_programs() {
	cat >prog.c <<-'END'
		static volatile long sink;
		static inline __attribute__((always_inline)) void innermost(long n) { sink += n * n; }
		static inline __attribute__((always_inline)) void middle(long n) { while (n--) innermost(n); }
		__attribute__((noinline)) void outer(long n) { middle(n); sink++; }
		int main(void) { outer(1000); return 0; }
	END
	${CC:-cc} -O2 -g -Wl,--build-id -o prog prog.c
	at_all prog outer main >prog.perf
	perfmake <prog.perf >prog.data
}

# at_all OBJECT FUNCTION...: what perfmake needs for samples in these functions.
at_all() {
	local object=$1
	shift
	echo "mmap 1 1 1 u 0x10000000 0x1000000 0 $PWD/$object"
	objdump -d --no-show-raw-insn "$object" | awk -v names=" $* " '
		/^[0-9a-f]+ </ { name = $2; gsub(/[<>:]/, "", name) }
		/^ +[0-9a-f]+:/ && index(names, " " name " ") { sub(/:/, "", $1); print $1 }' |
		while read -r at; do
			printf 'sample 1 1 2 u 0x%x\n' $((0x10000000 + 0x$at))
		done
}

@test "results of afagg by frames are refused" {
	perfdec --no-symbols "$DATA/chain.data" 2>/dev/null | afagg --by region,frames >places.agg
	want_status 1 afsym places.agg
	said "afsym: places.agg: results by frames cannot get names: afsym belongs before afagg"
	[ "$(wc -l <err)" -eq 1 ]
	[ "$(grep -c '^agg' out)" -eq 0 ]
	[ "$(tail -n 1 out | cut -f 5)" = partial ]
	want_status 1 afsym --missing places.agg
	said "afsym belongs before afagg"
	# partial results and changes would lose the key
	perfdec --no-symbols "$DATA/chain.data" 2>/dev/null | afagg --by region,frames --partial >places.part
	want_status 1 afsym places.part
	said "afsym: places.part: results by frames cannot get names: afsym belongs before afagg"
	[ "$(grep -c '^part' out)" -eq 0 ]
	afdiff places.agg places.agg >places.diff 2>/dev/null
	want_status 1 afsym places.diff
	said "afsym: places.diff: results by frames cannot get names: afsym belongs before afagg"
	# those of other keys need no names
	perfdec --no-symbols "$DATA/chain.data" 2>/dev/null | afagg --by region >regions.agg
	want_status 0 afsym regions.agg
	same <(grep '^agg' regions.agg) <(grep '^agg' out)
}

@test "the small recordings: the same lines" {
	# bats test_tags=quick
	local recording n=0
	for recording in "$DATA"/*.data "$DATA"/threads; do
		both "$recording"
		n=$((n + 1))
	done
	[ "$n" -gt 10 ]
}

@test "a program that is here: the same lines, inlined functions and lines of source included" {
	need objdump
	make_programs
	both prog.data --symfs /
	grep -q '^sample	[^	]*	[^	]*	outer	.*	dso=[^	]*	symoff=' want
	both prog.data --symfs / --inline
	grep -q '	innermost	' want
	both prog.data --symfs / --srcline
	grep -q '	line=[^	]*/prog.c:4' want
	both prog.data --symfs / --inline --srcline --no-demangle
	# the innermost function is no symbol, so there is no offset from its start
	[ "$(grep -c '^sample	[^	]*	[^	]*	innermost	.*symoff=' want)" -eq 0 ]
	# a file that may not be the recorded one: it is newer, or the stream has no date
	undated <places.ev >undated.ev
	want_status 0 afsym undated.ev
	[ "$(grep -c '	outer	' out)" -eq 0 ]
	said "the recording has no date"
	touch prog
	both prog.data
	[ "$(grep -c '	outer	' want)" -eq 0 ]
	both prog.data --force --inline
	grep -q '^sample	[^	]*	[^	]*	outer	.*	dso=[^	]*	forced=1	symoff=' want
}

@test "perfdec --inline --frames: tag inlined counts the functions inlined at each place" {
	local main in
	need objdump
	make_programs
	perfdec --inline prog.data >named.ev
	main=$(sed -n 's/.*\tip=\([^\t]*\)\t.*\tstack=main$/\1/p;T;q' named.ev)
	in=$(sed -n 's/.*\tip=\([^\t]*\)\t.*\tstack=outer;middle;innermost$/\1/p;T;q' named.ev)
	# a caller is looked up at the byte before its return address
	{
		head -n 1 prog.perf
		printf 'sample 1 1 2 u %s u %s 0x%x 0x%x\n' "$in" "$in" $((main + 1)) $((in + 1))
		printf 'sample 1 1 2 u %s u %s 0x%x\n' "$main" "$main" $((in + 1))
		printf 'sample 1 1 2 u %s u %s 0x%x\n' "$main" "$main" $((main + 1))
	} | perfmake >stacks.data
	want_status 0 perfdec --inline --frames stacks.data
	sed -n 's/^sample\t.*\t\(stack=[^\t]*\)\tframes=[^\t]*/\1/p' out >got
	cat >want <<-'END'
		stack=outer;middle;innermost;main;outer;middle;innermost	inlined=2;0;2
		stack=outer;middle;innermost;main	inlined=2;0
		stack=main;main
	END
	same want got
}

@test "an object with damaged debug information: said once, and the status is 1" {
	local section
	need objcopy
	make_programs
	cp prog whole
	for section in str line_str rnglists abbrev line info; do
		objcopy --dump-section ".debug_$section=bytes" whole junk
		head -c "$(stat -c %s bytes)" /dev/zero | tr '\0' '\377' >other
		objcopy --update-section ".debug_$section=other" whole prog
		touch prog.data
		want_status 1 perfdec --inline --srcline prog.data
		said "no complete debug information for $PWD/prog: "
		[ "$(wc -l <err)" -eq 1 ]
		grep -q '^sample	[^	]*	[^	]*	outer	' out
		tail -n 1 out | grep -q '	partial	damaged$'
		want_status 0 perfdec --no-symbols prog.data
		cp out places.ev
		want_status 1 afsym --inline places.ev
		said "no complete debug information for $PWD/prog: "
		[ "$(wc -l <err)" -eq 1 ]
		tail -n 1 out | grep -q '	partial	'
	done
	# symbols do not need it
	want_status 0 perfdec prog.data
	silent
	# a file that may be another one, and is damaged, too
	sed 's/\(frames=[^+@]*\)+/\1@00ff+/' places.ev >other.ev
	want_status 1 afsym --force --srcline other.ev
	said "no complete debug information for $PWD/prog: "
	said "the names of $PWD/prog are a guess: its build id differs from the recording's"
	grep -q '^sample	[^	]*	[^	]*	outer	' out
	# in an error, a long path is shortened
	local long
	long=$(head -c 150 /dev/zero | tr '\0' l)
	mkdir "$long"
	cp prog "$long"
	sed "s|$PWD/prog|$PWD/$long/prog|g" other.ev >long.ev
	want_status 1 afsym --force --srcline long.ev
	said "no complete debug information for $(printf '%.100s' "$PWD/$long/prog"): "
}

@test "a source whose path is longer than all other texts takes no more memory than it needs" {
	local long
	make_programs
	long=/$(head -c 3000 /dev/zero | tr '\0' s)
	${CC:-cc} -O2 -g "-fdebug-prefix-map=$PWD=$long" -Wl,--build-id -o prog prog.c
	at_all prog outer | perfmake >prog.data
	# what is reserved for a line must not wrap around
	[[ ${CFLAGS-} == *sanitize* ]] || ulimit -v 2000000
	want_status 0 perfdec --srcline prog.data
	silent
	awk -F '\t' -v line="line=$long/prog.c:" '$1 == "sample" { print $4, index($0, FS line) != 0 }' out | sort -u >got
	echo 'outer 1' >want
	same want got
}

@test "stacks: each element becomes the function with those inlined in it, and has a line" {
	need perf
	perf record -o try.data -e cpu-clock true >/dev/null 2>&1 || skip "perf may not record here"
	cat >prog.c <<-'END'
		static volatile long sink;
		static inline __attribute__((always_inline)) void innermost(long n) { while (n--) sink += n * n; }
		static inline __attribute__((always_inline)) void middle(long n) { innermost(n); }
		__attribute__((noinline)) void outer(long n) { middle(n); sink++; }
		int main(void) { outer(100000000); return sink == 0; }
	END
	${CC:-cc} -O1 -g -fno-omit-frame-pointer -Wl,--build-id -o prog prog.c
	local mode
	for mode in fp dwarf; do
		perf record -q -e cpu-clock --call-graph $mode -o $mode.data ./prog
		both $mode.data
		both $mode.data --inline --srcline
		unmarked out | sed -n '/^sample/s/.*\tstack=[^\t]*;\(outer;[^\t]*\)\tlines=\([^\t]*\).*/\1\t\2/p' |
			awk -F '\t' '{ n = split($2, l, ";"); print $1, l[n - 2], l[n - 1], l[n] }' |
			sed "s|$PWD/||g" | grep 'innermost ' | sort -u >got
		echo "outer;middle;innermost prog.c:4 prog.c:3 prog.c:2" >want
		same want got
	done
}

@test "a path with every special character, build ids, and several ids for a path" {
	local dir='a@b;c+d=e f\g'
	mkdir "$dir"
	cat >lib.c <<<'void here(void) { __asm__ volatile("nop;nop;nop;nop;nop;nop;nop;nop"); }'
	${CC:-cc} -shared -fPIC -nostdlib -Wl,--build-id -o "$dir/lib@1.so" lib.c
	{
		echo "mmap 1 1 1 u 0 0x100000000 0 $PWD/$dir/lib@1.so"
		echo "sample 1 1 2 u 0x$(nm "$dir/lib@1.so" | awk '$3 == "here" { print $1 }')"
	} | perfmake >special.data
	both special.data --symfs /
	grep -q '^sample	[^	]*	[^	]*	here	' want
	# the recording has several build ids for the path, so no file is used
	sed 's/lib@1.so@[^+]*+/lib@1.so@?+/' places.ev >unclear.ev
	want_status 0 afsym --symfs / unclear.ev
	[ "$(grep -c '	here	' out)" -eq 0 ]
	said "the recording lists several build ids for it"
	# each place of one stream has its own identity: none, unclear, the file's, and another file's
	local order id
	for order in 'none ? own other' '? none other own' 'other own ? none' 'own other none ?'; do
		for id in $order; do
			case $id in
			none) sed -n 's/^\(sample.*lib@1.so\)@[^+]*+/\1@+/p' places.ev ;;
			own) grep '^sample' places.ev ;;
			other) sed -n 's/^\(sample.*lib@1.so@\)[^+]*+/\10123456789abcdef0123456789abcdef01234567+/p' places.ev ;;
			\?) sed -n 's/^\(sample.*lib@1.so@\)[^+]*+/\1?+/p' places.ev ;;
			esac
		done >order.ev
		want_status 0 afsym --symfs / order.ev
		for id in $order; do
			case $id in
			own | none) echo here ;;
			*) echo '[lib@1.so]' ;;
			esac
		done >want
		unmarked out | cut -f 4 >got
		same want got || fail "$order" || return
		want_status 0 afsym --missing --symfs / order.ev
		cut -f 2- out | sort >got
		printf '%s\t1\t%s\n' . 'the recording lists several build ids for it' \
			0123456789abcdef0123456789abcdef01234567 "its build id differs from the recording's" >want
		same want got || fail "$order" || return
	done
}

@test "names that the recording has itself are kept" {
	printf '%s\n' "ksymbol 1 0xffffffffc0000000 0x100 bpf_prog_one" "sample 1 1 2 k 0xffffffffc0000010" |
		perfmake >bpf.data || skip "no ksymbol in perfmake here"
	both bpf.data
	grep -q '	bpf_prog_one	' want
}

@test "lines without places are copied; samples without a name are counted" {
	perfdec "$DATA/chain.data" >named.ev
	want_status 0 afsym named.ev
	unmarked named.ev >want
	unmarked out >got
	same want got
	said "samples without a name have no frames tag"
	# spans and results, by function or by stack
	perfdec --no-symbols "$DATA/chain.data" 2>/dev/null >raw.ev
	for by in region stack leaf; do
		afagg --by $by raw.ev >results.ev
		want_status 0 afsym results.ev
		grep -q '^afsym: [1-9][0-9]* results are of functions without a name: afsym belongs before afagg$' err
		same <(grep -v '^#' results.ev) <(grep -v '^#' out)
	done
	sed '/^#/d; s/^sample/span/; s/\tframes=[^\t]*//; s/\tip=[^\t]*//' raw.ev >spans.ev
	want_status 0 afsym --no-marks spans.ev
	grep -q '^afsym: [1-9][0-9]* spans without a name have no frames tag: afsym belongs before afpair$' err
	grep -v '^sample' named.ev | grep -v '^#' >rest.ev
	want_status 0 afsym --no-marks rest.ev
	silent
	# what is in brackets is no name; what only begins with one has no object
	while read -r name count; do
		printf 'sample\t1\tr\t%s\tm\t1\tip=0x1\n' "$name" >one.ev
		want_status 0 afsym --no-marks one.ev
		same one.ev <(grep -v '^#' out)
		[ "$(grep -c 'without a name' err)" = "$count" ] || fail "$name: $(cat err)" || return
	done <<-'END'
		[ 0
		[] 1
		[x] 1
		[vdso] 1
		[none] 0
		[...] 0
		[truncated] 0
		x] 0
	END
}

@test "offsets outside of what is loaded of a file have neither names nor lines; a pid that is no number" {
	local id at
	make_programs
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	at=0x$(nm prog | awk '$3 == "outer" { print $1 }')
	for offset in 0x1 "$at" "$(printf 0x%x $(($(stat -c %s prog) - 5)))" 0x7fffffff; do
		line 1 "u:$PWD/prog@$id+$offset" pid=none
	done >in
	want_status 0 afsym --no-marks --inline --srcline in
	silent
	regions '[u]' middle '[u]' '[u]'
	[ "$(grep -c 'line=' out)" -eq 1 ]
	# the name of a JIT map tells the process, too
	mkdir -p root/tmp
	printf '1000 100 mapped\n' >root/tmp/perf-7.map
	{
		line 1 u:/tmp/perf-7.map+0x1010 pid=none
		line 2 u:/tmp/perf-7.map+0x1010 pid=4294967303
	} >in
	want_status 0 afsym --no-marks --symfs root in
	silent
	regions mapped mapped
}

@test "a .bss before the code: its addresses have no offsets, and those of the code are no variables" {
	local id from offset to symbols
	cat >early.c <<-'END'
		int variable[40000], other = 5;
		__attribute__((noinline)) int outer(int x);
		static inline __attribute__((always_inline)) int inner(int x) { return x / 3 + variable[x & 7]; }
		int outer(int x) { return inner(x) + other; }
		__asm__(".text\n.balign 64\n");
		void start(void) { variable[3] = outer(9); }
	END
	${CC:-cc} -O2 -g -w -nostdlib -static -no-pie -fno-pie -Wl,--build-id,-e,start -o early early.c \
		-Wl,-Tdata=0x300000,-Tbss=0x310000 2>/dev/null || skip "this linker puts no .bss before the code"
	id=$(readelf -n early | sed -n 's/.*Build ID: //p')
	read -r from offset < <(readelf -SW early | sed -n 's/.* \.text  *PROGBITS  *\([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p')
	symbols=$(nm -S early)
	read -r at size < <(awk '$4 == "outer" { print $1, $2 }' <<<"$symbols")
	to=$((0x$at + 0x$size))
	line 1 "u:$PWD/early@$id+0x$(printf %x $((0x$at - 0x$from + 0x$offset + 9)))" >in
	line 2 "u:$PWD/early@$id+0x$(printf %x $((to - 0x$from + 0x$offset)))" >>in # between functions
	want_status 0 afsym --no-marks --inline --srcline in
	silent
	regions inner '[u]'
	grep -q "	line=$PWD/early.c:3" out
}

@test "inlined functions are not added twice" {
	need objdump
	make_programs
	printf 'sample\t1\tr\touter\tm\t1\tip=0x1\tdso=x\tstack=main;outer;innermost\tframes=u:/x+0x1;u:/x+0x2\n' >in
	want_status 0 afsym --no-marks in
	unmarked out >got
	same in got
	said "1 samples have inlined functions already and are unchanged"
}

@test "a file that was replaced while it was recorded is not taken for the one that ran" {
	need perf
	perf record -o try.data -e cpu-clock true >/dev/null 2>&1 || skip "perf may not record here"
	local v
	for v in 1 2; do
		printf 'static volatile long s; __attribute__((noinline)) void of_build_%d(long n) { while (n--) s += n; }\nint main(void) { for (int i = 0; i < 8; i++) of_build_%d(40000000L); return 0; }\n' $v $v >b.c
		${CC:-cc} -O1 -Wl,--build-id -o build$v b.c
	done
	cp build1 prog
	perf record -q -e cpu-clock -o live.data sh -c './prog & sleep 0.3; rm prog; cp build2 prog; wait'
	# perf reads the build id when the recording ends
	want_status 0 perfdec live.data
	said "prog: it replaced the file that ran during the recording"
	[ "$(grep -c 'of_build_' out)" -eq 0 ]
	both live.data
	# a pipe has no date, so that the file may have been replaced at any time
	want_status 0 perfdec <(cat live.data)
	said "prog: it may have replaced the file that ran, and the recording's end is not known: decode the file itself"
	want_status 0 perfdec --force live.data
	grep -q '	of_build_2	.*	forced=1' out
}

@test "places that are damaged" {
	local bad
	for bad in '' u u: u:/x u:/x+ u:/x+1 u:/x+0x u:/x+0xg ua/x+0x1 u:/x+1x1 '+0x1' 'u:/x+0x1-2' 'u:/x+0x10000000000000000'; do
		printf 'sample\t1\tr\ta\tm\t1\tip=0x1\tdso=x\tframes=%s\nsample\t2\tr\tb\tm\t1\n' "$bad" >in
		want_status 1 afsym --no-marks in
		said "afsym: in:1: a place is not MODE:OBJECT+0xOFFSET"
		[ "$(grep -c '^sample' out)" -eq 1 ] || fail "$bad"
	done
	printf 'origin\t.\tr\t.\t.\t.\taddr=zz\n' >in
	want_status 1 afsym --no-marks in
	said "addr is not a hexadecimal number"
}

@test "places that nothing is known about keep their names" {
	printf 'sample\t1\tr\tmine\tm\t1\tip=0x1\tdso=/no/such\tstack=[unknown];old;mine\tframes=?:[unknown]+0x5;u:/no/such@00ff+0x5-1;u:/no/such@1:2:3:4+0x1\tid=0x7\n' >in
	sed 's/\tframes=[^\t]*//' in >want
	want_status 0 afsym --no-marks in
	unmarked out >got
	same want got
	said "no symbols for /no/such"
}

@test "paths that only look like that of a JIT map are those of files" {
	local path
	mkdir -p root/tmp root/xtmp
	printf '1000 100 mapped\n' | tee root/tmp/perf-7.map >root/tmp/perf-.map
	for path in /tmp/perf_7.map /tmp/perf-7.max /tmp/perf-7map /tmp/perf-.map /tmp/perf-7.map.map \
		/tmp/perf-x7.map /tmp/perf-4294967303.map /xtmp/perf-7.map /tmp/perf-7.map/ perf-7.map; do
		cp root/tmp/perf-7.map "root/${path#/}" 2>/dev/null || :
		{
			line 1 "u:$path+0x1010" pid=7
			line 2 "u:/tmp/perf-7.map+0x1010" pid=7
		} >in
		want_status 0 afsym --no-marks --symfs root in
		regions '[u]' mapped
	done
}

@test "the kernel: only a list with the recorded symbol at the recorded address, or moved as a whole" {
	printf '%s T _text\n%s T first\n%s T second\n' ffffffff81000000 ffffffff81001000 ffffffff81002000 >kallsyms
	{
		printf 'origin\t.\tr\t.\t.\t.\tref=_text\taddr=0xffffffff81000000\tkernel=1\n'
		printf 'sample\t1\tr\t[kernel.kallsyms]\tm\t1\tip=0x1\tdso=[kernel.kallsyms]\tframes=k:[kernel.kallsyms]+0xffffffff81001010\n'
	} >in
	want_status 0 afsym --no-marks --kallsyms kallsyms in
	[ "$(cut -f 4 out | grep -v '^#' | sed -n 2p)" = first ] || [ "$(unmarked out | cut -f 4)" = first ]
	sed 's/addr=0xffffffff81000000/addr=0xffffffff91000000/; s/0xffffffff81001010/0xffffffff91002010/' in >moved
	want_status 0 afsym --no-marks --kallsyms kallsyms moved
	[ "$(unmarked out | cut -f 4)" = second ]
	# a stream that does not say which kernel it was
	grep -v '^origin' in >unknown
	want_status 0 afsym --no-marks --kallsyms kallsyms unknown
	[ "$(unmarked out | cut -f 4)" = '[kernel.kallsyms]' ]
}

@test "recordings joined in one stream: each has its own machine, date and kernel, in any order" {
	printf '%s T _text\n%s T first\n' ffffffff81000000 ffffffff81001000 >kallsyms
	sample() { printf 'sample\t%s\tr\t[kernel.kallsyms]\tm\t1\tip=0x1\tdso=[kernel.kallsyms]\tframes=k:[kernel.kallsyms]+%s\n' "$@"; }
	origin() { printf 'origin\t.\tr\t.\t.\t.\thost=%s\tref=_text\taddr=%s\tkernel=1\n' "$@"; }
	# the same run id, and another kernel; and a sample before it is known which one
	{
		sample 1 0xffffffff81001010
		origin a 0xffffffff81000000
		sample 2 0xffffffff81001010
		origin a-host-with-a-longer-name 0xffffffff91000000
		sample 3 0xffffffff91001010
		sample 4 0xffffffff81001010
	} >in
	want_status 0 afsym --no-marks --kallsyms kallsyms in
	unmarked out | cut -f 2,4 >got
	printf '%s\n' '1	[kernel.kallsyms]' '2	first' '3	first' '4	[kernel.kallsyms]' >want
	same want got
}

# line TIME PLACE [TAG]...: a sample in an unknown function, at that place.
line() {
	local time=$1 place=$2
	shift 2
	printf 'sample\t%s\tr\t[u]\tm\t1\tip=0x1\tdso=x\tframes=%s' "$time" "$place"
	[ $# -eq 0 ] || printf '\t%s' "$@"
	printf '\n'
}

# regions WANT...: the regions of the lines of the last want_status.
regions() {
	[ "$(unmarked out | cut -f 4 | tr '\n' ' ')" = "$* " ] || fail "$(unmarked out | cut -f 4 | tr '\n' ' ')"
}

@test "build ids of any length: the same, or padded with zeros to 20 bytes as perf once did" {
	local file id want zeros
	zeros=$(head -c 40 /dev/zero | tr '\0' 0)
	echo 'void here(void) { __asm__ volatile("nop;nop;nop;nop"); }' >lib.c
	for id in 0x12 0x1213 none; do
		${CC:-cc} -shared -fPIC -nostdlib -Wl,--build-id=$id -o ${id#0x}.so lib.c
	done
	while read -r file id want; do
		line 1 "u:$PWD/$file.so@$id+0x$(nm "$file.so" | awk '$3 == "here" { print $1 }')" >in
		want_status 0 afsym --no-marks in
		regions "$want" || fail "$file.so as $id: $(cat out)" || return
	done <<-END
		12 12 here
		12 12${zeros:2} here
		1213 1213 here
		1213 1213${zeros:4} here
		12 12${zeros:4} [u]
		12 13 [u]
		12 1213 [u]
		12 13${zeros:2} [u]
		1213 12 [u]
		1213 12${zeros:2} [u]
		12 $zeros [u]
		none 12 [u]
		none $zeros [u]
	END
}

@test "debug information that is damaged in two ways: the first is said, and before what is missing" {
	local i want status
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "addresses and numbers as on x86_64" ;;
	esac
	need as ld
	awk -f "$ROOT/t/tools/dwarfasm" >source.s <<-'END'
		unit
		die compile_unit children
		 low_pc addr .quad code
		 high_pc data1 .byte 16
		die subprogram
		 name string .asciz ""
		 low_pc addr .quad code
		 high_pc data1 .byte 16
		end
		unit
		die compile_unit children
		 low_pc addr .quad code + 16
		 high_pc data1 .byte 16
		die subprogram
		 name strp .long 1000
		 low_pc addr .quad code + 16
		 high_pc data1 .byte 16
		end
		unit 5 4
		die skeleton_unit
		 dwo_name string .asciz "a.dwo"
		 low_pc addr .quad code + 32
		 high_pc data1 .byte 16
	END
	as -o object.o source.s
	ld -Ttext=0x401000 -e code --build-id=0x12 -o prog object.o
	want=("a name in its debug information is missing"
		"its debug information refers to bytes that do not exist"
		"a .dwo file is not available: open: No such file or directory")
	while read -r status i order; do
		for at in $order; do
			line 1 "u:$PWD/prog@12+0x10${at}8"
		done >in
		want_status "$status" afsym --no-marks --inline in
		echo "afsym: no complete debug information for $PWD/prog: ${want[i]}" >want
		same want err || fail "$order" || return
	done <<-END
		1 0 0 1
		1 1 1 0
		1 0 2 0 1
		1 1 1 2 0
		0 2 2 2
	END
}

@test "what an origin or a line says in another form than perfdec does is not known" {
	local id
	cat >lib.c <<<'void here(void) { __asm__ volatile("nop;nop;nop;nop;nop;nop;nop;nop"); }'
	id=0123456789abcdef0123456789abcdef01234567
	${CC:-cc} -shared -fPIC -nostdlib -Wl,--build-id=0x$id -o lib.so lib.c
	at=0x$(nm lib.so | awk '$3 == "here" { print $1 }')
	mkdir -p root/tmp root/lib
	cp lib.so root/lib
	printf '1000 100 mapped\n' >root/tmp/perf-17.map
	ln -s perf-17.map root/tmp/perf-18.mop
	{
		# a build id that is none: too long, an odd number of digits, others than those
		line 1 "u:/lib/lib.so@${id}00+$at"
		line 2 "u:/lib/lib.so@${id%?}+$at"
		line 3 "u:/lib/lib.so@${id%?}g+$at"
		line 4 "u:/lib/lib.so@${id%??}+$at"
		# four numbers are a file, more or fewer or others are not, but below another root they do not count
		line 5 "u:/lib/lib.so@1:2:3:4+$at"
		line 6 "u:/lib/lib.so@1:2:3:4:5+$at"
		line 7 "u:/lib/lib.so@$id:1:2:3+$at"
		line 8 "u:/lib/lib.so@$id:1:2:3:4+$at"
		# maps of jitted code, and what only looks like one
		line 9 'u:/tmp/perf-17.map+0x1010'
		line 10 'u:/tmp/perf-x.map+0x1010'
		line 11 'u:/tmp/perf-4294967313.map+0x1010'
		line 12 'u:/tmp/perf-18.mop+0x1010'
		line 13 'u:/tmp/perf-.map+0x1010'
		# no objects
		line 14 "x:/lib/lib.so+$at"
		line 15 "u:lib/lib.so+$at"
		line 16 "u:/+$at"
		line 17 "u:+$at"
		line 18 'u:/lib/\x00lib.so+'"$at"
		line 19 "k:+$at"
		line 20 "k:lib.so+$at"
		line 21 "u://lib/lib.so+$at"
		line 22 "u:/$(head -c 5000 /dev/zero | tr '\0' a)+$at"
	} >in
	want_status 0 afsym --no-marks --symfs root in
	regions here here here '[u]' here here here here mapped '[u]' '[u]' '[u]' '[u]' '[u]' '[u]' '[u]' '[u]' '[u]' '[u]' '[u]' '[u]' '[u]'
}

@test "an origin whose kernel is another one, is not told, or has modules" {
	local tag
	mkdir root
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81001000 T first' 'ffffffffc0000000 t loaded	[module]' >kallsyms
	origin() {
		printf 'origin\t.\tr\t.\t.\t.\tref=_text\taddr=0xffffffff81000000\tkernel=1'
		printf '\t%s' "$@"
		printf '\n'
		line 1 'k:[kernel.kallsyms]+0xffffffff81001010'
	}
	# code outside of the kernel that is no module's is a program's that was loaded into it
	{
		origin host=.
		line 2 'k:[unknown]+0xffffffff81001010'
		line 3 'k:[unknown]+0xffffffffc0000010'
		line 4 'k:/lib/modules/x.ko+0xffffffffc0000010'
		line 5 'u:[unknown]+0xffffffffc0000010'
	} >in
	want_status 0 afsym --no-marks --kallsyms kallsyms in
	[ "$(unmarked out | sed -n 's/^sample\t\([0-9]*\)\tr\t\([^\t]*\).*/\1\2/p' | tr '\n' ' ')" = "1first 2first 3[u] 4loaded 5[u] " ]
	# nobody's kernel, and numbers that are none
	for tag in release= release=. release=0.0-none buildid=zz buildid=00ff kallsyms=/no/such kallsyms=. \
		clock=other clock=perf clock=monotonic tsc_shift=x $'clock=perf\ttsc_shift=64'  host=elsewhere end=x; do
		origin "$tag" | sed 's/ref=_text/ref=_none/' >in
		want_status 0 afsym --no-marks --symfs root in
		regions '[u]'
		said 'no symbols for [kernel.kallsyms]: '
	done
	# the list that came with the recording is not that of its kernel
	origin "kallsyms=$PWD/kallsyms" | sed 's/ref=_text/ref=_none/' >in
	want_status 0 afsym --no-marks in
	said 'no symbols for [kernel.kallsyms]: not the recording'"'"'s kernel: the reference symbol is missing (1 sample)'
	origin "kallsyms=$PWD/kallsyms" >in
	want_status 0 afsym --no-marks in
	regions first
	origin "kallsyms=$PWD/none" >in
	want_status 0 afsym --no-marks in
	said 'no symbols for [kernel.kallsyms]: '
	said 'No such file or directory'
	origin "kallsyms=$PWD/root" >in
	want_status 0 afsym --no-marks in
	said 'no symbols for [kernel.kallsyms]: not a regular file (1 sample)'
}

@test "kernels that differ in one thing alone have their own names" {
	local id
	for id in aa bb; do
		mkdir -p cache/.build-id/$id/cc
		printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000000 T _stext' "ffffffff81001000 T $id" \
			'ffffffff81002000 T _etext' >cache/.build-id/$id/cc/kallsyms
	done
	origin() {
		printf 'origin\t.\tr\t.\t.\t.\taddr=0xffffffff81000000\trelease=none\tkernel=1'
		printf '\t%s' "$@"
		printf '\n'
		line 1 'k:[kernel.kallsyms]+0xffffffff81001010'
	}
	{
		origin ref=_text buildid=aacc
		origin ref=_text buildid=bbcc
		origin ref=_text buildid=aacc
		origin ref=_none buildid=aacc
		origin ref=_text "kallsyms=$PWD/cache/.build-id/bb/cc/kallsyms" buildid=aacc
		origin ref=_text "kallsyms=$PWD/cache/.build-id/aa/cc/kallsyms" buildid=aacc
		origin ref=_text buildid=aacc | sed s/addr=0x........8/addr=0x00000000/
		origin ref=_text buildid=aacc | sed s/addr=0x[0-9a-f]*/x=1/
		origin ref=_text
	} >in
	want_status 0 afsym --no-marks --buildid-dir cache in
	regions aa bb aa '[u]' bb aa '[u]' '[u]' '[u]'
}

# long_line COUNT: a sample with that many frames, or as many as a line can have, all of them in
# functions that were inlined.
long_line() {
	local place
	place=$(sed -n 's/^sample.*	frames=\([^	;]*\).*/\1/p' places.ev | sed -n "$(cat number)p")
	awk -v place="$place" -v n="$1" '/^sample/ {
		if (n * (length(place) + 3) > 16000000) n = int(16000000 / (length(place) + 3))
		printf "sample\t1\t%s\t[x]\tcpu-clock\t1\tip=0x1\tstack=x", $3
		for (i = 1; i < n; i++) printf ";x"
		printf "\tframes=%s", place
		for (i = 1; i < n; i++) printf ";%s", place
		print "\tcomm=prog\tomitted=branches;lines"
		exit
	}
	{ print }' FS='\t' places.ev
}

@test "a line that has lost tags before, and loses more" {
	need objdump
	make_programs
	perfdec --symfs / --inline prog.data >named.ev
	perfdec --no-symbols prog.data >places.ev
	# a place in a function that is inlined in an inlined one
	grep '^sample' named.ev | grep -n 'stack=outer;middle;innermost' | sed 's/:.*//;q' >number
	[ -s number ]
	long_line 2 >few.ev
	want_status 0 afsym --symfs / --inline --no-marks few.ev
	[ "$(grep -c '	stack=outer;middle;innermost;outer;middle;innermost	comm=prog	omitted=branches;lines$' out)" -eq 1 ]
	long_line 1000000 >many.ev
	want_status 0 afsym --symfs / --inline --srcline --no-marks many.ev
	said "tags left out of lines that would be longer than 16 MiB: 1"
	[ "$(grep -c '	stack=outer;middle;innermost;.*	comm=prog	omitted=lines;branches$' out)" -eq 1 ]
	[ "$(grep -c 'omitted=.*omitted=' out)" -eq 0 ]
}

@test "a line that needs more memory than --max-memory: one message, and not that the line is cut" {
	local limit
	awk 'BEGIN {
		print "#afstream\t1\ttest\tin"
		printf "sample\t1\t0x1\t[x]\tcpu-clock\t1\tip=0x1\ttext="
		for (i = 0; i < 500000; i++) printf "0123456789"
		print "\n#end\ttest\tin\t1\tcomplete"
	}' >in.ev
	want_status 0 afsym in.ev
	for limit in 1M 2M 4M; do
		want_status 1 afsym --max-memory $limit in.ev
		said "afsym: in.ev: it needs more memory than the ${limit%M} MiB that --max-memory allows"
		[ "$(wc -l <err)" -eq 1 ] || fail "$limit: $(cat err)"
		tail -n 1 out | grep -q '	partial	'
	done
}

@test "tags that appear twice" {
	printf 'sample\t1\tr\t[a]\tm\t1\tip=0x1\tstack=[a]\tstack=x;y;z\tframes=u:/no/a+0x1\tframes=u:/no/b+0x1;u:/no/c+0x1\n' >in
	want_status 0 afsym --no-marks in
	sed 's/\tframes=[^\t]*//g' in >want
	unmarked out >got
	same want got
}

@test "--missing lists the files that are needed, those with the most samples first" {
	{
		printf 'sample\t1\tr\t[b]\tm\t1\tip=0x1\tdso=/no/b\tframes=u:/no/b@00ff+0x5\n'
		printf 'sample\t2\tr\t[a]\tm\t1\tip=0x1\tdso=/no/a\tframes=u:/no/a x+0x5\n'
		printf 'sample\t3\tr\t[a]\tm\t1\tip=0x1\tdso=/no/a\tframes=u:/no/a x+0x6\n'
		printf 'sample\t4\tr\t[c]\tm\t1\tip=0x1\tdso=/no/b\tstack=[c];[b]\tframes=u:/no/c+0x1-1;u:/no/b@00ff+0x7\n'
		printf 'sample\t5\tr\t[anon]\tm\t1\tip=0x1\tdso=//anon\tframes=u://anon+0x5\n'
	} >in
	printf '%s\topen: No such file or directory\n' $'/no/b\t00ff\t2' $'/no/a x\t.\t2' $'/no/c\t.\t0' >want
	want_status 0 afsym --no-marks --missing in
	same want out
}

@test "--missing lists files that can be found: not a kernel, not one that --force takes; a JIT map that is not all" {
	mkdir -p root/lib root/tmp
	echo 'int first(int n) { return n * 3; }' >a.c
	${CC:-cc} -w -shared -nostdlib -Wl,--build-id=0xabcd -o root/lib/a.so a.c
	printf '1000 100 first\n1000 100 second\n' >root/tmp/perf-17.map
	{
		printf 'origin\t.\tr\t.\t.\t.\tref=_text\taddr=0xffffffff81000000\tkernel=1\n'
		line 1 'k:[kernel.kallsyms]+0xffffffff81001010'
		line 2 'u:/lib/a.so@00ff+0x5'
		line 3 'u:/lib/b.so@00ff+0x5'
		line 4 u:/tmp/perf-17.map+0x1010 pid=17
	} >in
	want_status 0 afsym --no-marks --symfs root --missing in
	printf '%s\n' "/lib/a.so	00ff	1	its build id differs from the recording's" \
		'/lib/b.so	00ff	1	open: No such file or directory' | same - out
	echo 'afsym: no symbols for [kernel.kallsyms]: no kallsyms file given (1 sample)' | same - err
	want_status 0 afsym --no-marks --symfs root --force --missing in
	echo '/lib/b.so	00ff	1	open: No such file or directory' | same - out
	# a sample that the map does not list
	line 5 u:/tmp/perf-17.map+0x3010 pid=17 >>in
	want_status 0 afsym --no-marks --symfs root --force --missing in
	printf '%s\n' '/lib/b.so	00ff	1	open: No such file or directory' \
		'/tmp/perf-17.map	.	1	it does not list that code' | same - out
	# nor a jitdump, and there is no map
	line 1 "u:/tmp/jit-18.dump@1:1:18:5+0x1010" pid=18 >in
	helpers jitmake
	printf '%s\n' 'header 18' 'load 1 18 0x5000 0x100 1 first' | jitmake >root/tmp/jit-18.dump
	want_status 0 afsym --no-marks --symfs root --missing in
	echo '/tmp/jit-18.dump	.	1	it does not list that code' | same - out
}

@test "--missing: a file that several recordings have in common is listed once, if it has a build id" {
	local host
	for host in x y; do
		printf 'origin\t.\tr\t.\t.\t.\thost=%s\tend=1\n' "$host"
		line 1 'u:/no/a@00ff+0x5'
		line 2 'u:/no/b@00ff+0x5'
		line 2 'u:/no/b@00ff+0x5'
		line 3 'u:/no/b@00fe+0x5'
		line 4 'u:/no/c+0x5'
	done >in
	printf '%s\topen: No such file or directory\n' $'/no/b\t00ff\t4' $'/no/a\t00ff\t2' \
		$'/no/b\t00fe\t2' $'/no/c\t.\t1' $'/no/c\t.\t1' >want
	want_status 0 afsym --no-marks --missing in
	same want out
	want_status 0 afsym --no-marks in
	printf 'afsym: %s\n' 'no symbols for /no/b: open: No such file or directory (4 samples)' \
		'no symbols for 4 other objects (6 samples); --missing lists them' >want
	same want err
}

# placed OBJECT FUNCTION [ID]: a sample in the middle of a function, with the object's build id or ID.
placed() {
	local id=${3-$(readelf -n "$1" | sed -n 's/.*Build ID: //p')}
	line 1 "u:$PWD/$1${id:+@$id}+0x$(nm "$1" | awk -v f="$2" '$3 == f { print $1 }')"
}

# lines_of OPTION...: the functions and lines of the samples in "in".
lines_of() {
	afsym --no-marks --inline --srcline "$@" in >got.ev 2>got.err || [ $? -eq 1 ] || return
	sed -n 's/.*	line=\([^	]*\).*/\1/p' got.ev | sed 's|.*/||' | paste -s -d ' '
}

# unavailable OBJECT REASON [OPTION]...: what belongs to its debug information is not there, which is
# said, but is no damage.
unavailable() {
	local object=$1 reason=$2
	shift 2
	want_status 0 afsym --no-marks --inline --srcline "$@" in || return
	printf 'afsym: no complete debug information for %s: %s\n' "$object" "$reason" >want
	same want err
}

@test "lines and inlined functions that are in dwz's file" {
	need gcc dwz objcopy
	make_programs
	# what both have in common is in a file of its own, found beside them or by its build id
	gcc -O2 -g -Wl,--build-id -o first prog.c
	gcc -O1 -g -Wl,--build-id -o second prog.c
	dwz -m shared first second 2>/dev/null || skip "dwz shares nothing"
	placed first outer >in
	[ "$(lines_of)" = prog.c:3 ]
	[ ! -s got.err ]
	id=$(readelf -n shared | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/${id:0:2}"
	mv shared "debug/.build-id/${id:0:2}/${id:2}.debug"
	[ "$(lines_of --debug-dir debug)" = prog.c:3 ]
	[ ! -s got.err ]
	unavailable "$PWD/first" "dwz's file is not available: open: No such file or directory"
	cp second shared
	unavailable "$PWD/first" "dwz's file is not available: dwz's shared file has a different build id"
	echo text >shared
	unavailable "$PWD/first" "dwz's file is not available: not an ELF file"
	# what dwz's file is called, without a build id, with one that is too long, and of a file without one
	cp first whole
	for link in 'shared\x00' 'shared\x00123456789012345678901' '\x00abcd'; do
		printf '%b' "$link" >section
		cp whole first
		objcopy --update-section .gnu_debugaltlink=section first 2>/dev/null
		lines_of
		grep -q "no complete debug information for $PWD/first: " got.err || fail "$link" || return
	done
	cp whole first
	gcc -O2 -g -Wl,--build-id=none -o shared prog.c
	unavailable "$PWD/first" "dwz's file is not available: dwz's shared file has a different build id"
}

@test "lines and inlined functions that are in .dwo files" {
	need gcc
	make_programs
	# a part of each compilation in a file, whose name is that of where it was compiled
	mkdir there
	cp prog.c there
	(cd there && gcc -O2 -g -gsplit-dwarf -c -o part.o prog.c)
	gcc -Wl,--build-id -o split there/part.o
	placed split outer >in
	[ "$(lines_of)" = prog.c:3 ]
	afsym --no-marks --inline in | unmarked /dev/stdin | cut -f 4 >whole
	mv there/part.dwo .
	[ "$(lines_of)" = prog.c:3 ]
	[ ! -s got.err ]
	afsym --no-marks --inline in | unmarked /dev/stdin | cut -f 4 | diff whole -
	rm part.dwo
	unavailable "$PWD/split" "a .dwo file is not available: open: No such file or directory"
	mkdir part.dwo
	unavailable "$PWD/split" "a .dwo file is not available: not a regular file"
	rmdir part.dwo
	(cd there && gcc -O1 -g -gsplit-dwarf -c -o other.o prog.c)
	mv there/other.dwo part.dwo
	unavailable "$PWD/split" "a .dwo file is from another compilation"
	rm part.dwo
	# its name is a whole path, or below a folder whose name is empty or too long
	gcc -O2 -g -gsplit-dwarf -c -o "$PWD/there/part.o" prog.c
	gcc -Wl,--build-id -o split there/part.o
	placed split outer >in
	[ "$(lines_of)" = prog.c:3 ]
	[ ! -s got.err ]
	mv there/part.dwo .
	[ "$(lines_of)" = prog.c:3 ]
	[ ! -s got.err ]
	for dir in '' "/$(head -c 4085 /dev/zero | tr '\0' d)" "/$(head -c 5000 /dev/zero | tr '\0' d)"; do
		(cd there && gcc -O2 -g -gsplit-dwarf "-fdebug-prefix-map=$PWD=$dir" -c -o other.o prog.c)
		gcc -Wl,--build-id -o split there/other.o
		placed split outer >in
		unavailable "$PWD/split" "a .dwo file is not available: open: No such file or directory"
		mv there/other.dwo .
		lines_of >got
		[ ! -s got.err ] || fail "${#dir}: $(cat got.err)" || return
		rm other.dwo
	done
	# a vdso is not in a file, so there is nothing beside it
	id=$(readelf -n split | sed -n 's/.*Build ID: //p')
	mkdir -p "cache/.build-id/${id:0:2}/${id:2}"
	cp split "cache/.build-id/${id:0:2}/${id:2}/vdso"
	placed split outer | sed "s|$PWD/split|[vdso]|" >in
	unavailable "[vdso]" "a .dwo file is not available: open: No such file or directory" --buildid-dir cache
}

# bats test_tags=slow,sanitize
@test "lines and inlined functions that are in .dwp files" {
	need gcc llvm-dwp
	make_programs
	gcc -O2 -g -gsplit-dwarf -c -o part.o prog.c
	gcc -Wl,--build-id -o split part.o
	placed split outer >in
	afsym --no-marks --inline in | unmarked /dev/stdin | cut -f 4 >whole
	timeout 5 llvm-dwp -e split -o split.dwp 2>/dev/null || skip "llvm-dwp"
	rm part.dwo
	[ "$(lines_of)" = prog.c:3 ]
	[ ! -s got.err ]
	afsym --no-marks --inline in | unmarked /dev/stdin | cut -f 4 | diff whole -
}

@test "an executed file in perf's cache, and at its path only its debug information" {
	need gcc strip objcopy
	make_programs
	# the executed file is in perf's cache, and at its path only what has the debug information
	gcc -O2 -g -Wl,--build-id -o split prog.c
	id=$(readelf -n split | sed -n 's/.*Build ID: //p')
	mkdir -p "cache/.build-id/${id:0:2}/${id:2}"
	cp split "cache/.build-id/${id:0:2}/${id:2}/elf"
	placed split outer >in
	objcopy --only-keep-debug split split.debug
	cp split.debug split
	[ "$(lines_of --buildid-dir cache)" = prog.c:3 ]
	[ ! -s got.err ]
	strip "cache/.build-id/${id:0:2}/${id:2}/elf"
	[ "$(lines_of --buildid-dir cache)" = prog.c:3 ]
	[ -z "$(lines_of)" ]
	afsym --no-marks --missing --srcline --inline in >missing
	[ "$(cut -f 4 missing)" = "only its debug file was found, which does not show where its code is" ]
}

@test "files of a kind that cannot be looked into, and options that name no folder" {
	local long
	mkdir root
	line 1 u:/x+0x5 >in
	want_status 3 afsym --symfs none in
	said "afsym: --symfs: none: No such file or directory"
	want_status 3 afsym --symfs in in
	said "afsym: --symfs: in: Not a directory"
	want_status 3 afsym --symfs root --debug-dir none in
	said "afsym: --debug-dir: none: No such file or directory"
	long=$(head -c 4200 /dev/zero | tr '\0' n)
	want_status 3 afsym --buildid-dir "$long" in
	grep -q '^afsym: --buildid-dir: nnnn*\.\.\.: File name too long$' err
	[ "$(wc -c <err)" -lt 500 ]
	# names of nothing are as no options
	want_status 0 afsym --no-marks --symfs '' --buildid-dir '' in
	said "no symbols for /x: open: No such file or directory (1 sample)"
	# there is no cache without a home
	for home in '' relative "/$long"; do
		want_status 0 env HOME="$home" afsym --no-marks in
		said "no symbols for /x: open: No such file or directory (1 sample)"
	done
	want_status 0 env -u HOME afsym --no-marks in
	said "no symbols for /x: open: No such file or directory (1 sample)"
}

@test "what is said of many objects, of several kernels and of long names" {
	local long i
	long=/$(head -c 4000 /dev/zero | tr '\0' n)
	{
		for i in 1 2 3; do
			line 1 "u:$long$i+0x5"
		done
		for i in a b; do
			printf 'origin\t.\t%s\t.\t.\t.\tref=_text\taddr=0x1\tkernel=1\trelease=%s\n' $i $i
			line 2 'k:[kernel.kallsyms]+0x10' | sed "s/^sample	2	r/sample	2	$i/"
		done
	} >in
	mkdir root
	want_status 0 afsym --no-marks --symfs root in
	[ "$(grep -c 'no symbols for ' err)" -eq 3 ]
	said "no symbols for ${long}1: open: "
	said "no symbols for [kernel.kallsyms]: no kallsyms file given (1 sample)"
	said "no symbols for 3 other objects (3 samples); --missing lists them"
}

# built NAME ID: a library with that build id and a function "here", at the address $at.
built() {
	cat >lib.c <<<'void here(void) { __asm__ volatile("nop;nop;nop;nop;nop;nop;nop;nop"); }'
	${CC:-cc} -shared -fPIC -nostdlib -Wl,--build-id="$2" -o "$1" lib.c
	at=0x$(nm "$1" | awk '$3 == "here" { print $1 }')
}

@test "a return address at the start of a function is in that function, also with lines" {
	local id=0123456789abcdef option
	built lib.so 0x$id
	line 1 "u:$PWD/lib.so@$id+$at-1" >in
	for option in --no-marks --inline --srcline; do
		want_status 0 afsym --no-marks $option in
		regions here
	done
}

@test "build ids that an old perf padded, and others that only begin alike" {
	local id=0123456789abcdef padded
	built lib.so 0x$id
	padded=${id}000000000000000000000000
	{
		line 1 "u:$PWD/lib.so@$id+$at"
		line 2 "u:$PWD/lib.so@$padded+$at"
		line 3 "u:$PWD/lib.so@${padded%0}1+$at"
		line 4 "u:$PWD/lib.so@${padded%??}+$at"
		line 5 "u:$PWD/lib.so@${id%??}+$at"
	} >in
	want_status 0 afsym --no-marks in
	regions here here '[u]' '[u]' '[u]'
}

@test "the file that was mapped, another one at its path, and one that replaced it" {
	local dev inode id=0123456789abcdef0123456789abcdef01234567 end host
	dev=$(stat -c %d .)
	[ $((dev >> 8 & 0xfff)) -ne 0 ] || skip "files here have no device"
	dev=$((dev >> 8 & 0xfff)):$((dev & 0xff))
	built lib.so 0x$id
	inode=$(stat -c %i lib.so)
	end=$(($(date +%s) + 100))000000000
	host=$(uname -n)
	# HOST END IDENTITY, and whether it has a name
	while IFS='|' read -r from to identity want; do
		{
			printf 'origin\t.\tr\t.\t.\t.\thost=%s\tend=%s\n' "$from" "$to"
			line 1 "u:$PWD/lib.so@$identity+$at"
		} >in
		want_status 0 afsym --no-marks in
		[ "$(unmarked out | cut -f 4)" = "${want%%:*}" ] || fail "$identity: $(cat out err)" || return
		[ "$want" = here ] || said "no symbols for $PWD/lib.so: ${want#*:}" || return
	done <<-END
		$host|$end|$id:$dev:$inode:0|here
		$host|$end|$id:$dev:$((inode + 1)):0|[u]:it replaced the file that ran during the recording
		$host|0|$id:$dev:$((inode + 1)):0|[u]:it may have replaced the file that ran, and the recording's end is not known
		$host|1|$id:$dev:$((inode + 1)):0|here
		elsewhere|$end|$id:$dev:$((inode + 1)):0|here
		$host|$end|$id:${dev%:*}:77:$((inode + 1)):0|here
		$host|$end|$id:77:${dev#*:}:$((inode + 1)):0|here
		$host|$end|$id:$dev:0:0|here
	END
	# perf inject -j writes the generation 1, and a list of build ids
	inode=$(stat -c %i lib.so)
	ln lib.so jitted-1-2.so
	while IFS='|' read -r identity want; do
		{
			printf 'origin\t.\tr\t.\t.\t.\tend=%s\n' "$end"
			line 1 "u:$PWD/$identity+$at"
		} >in
		want_status 0 afsym --no-marks in
		regions "$want" || fail "$identity" || return
	done <<-END
		jitted-1-2.so@$id:$dev:$inode:1|here
		jitted-1-2.so@$id:$dev:$((inode + 1)):1|[u]
		$(command -v lsattr >/dev/null && lsattr -v lib.so 2>/dev/null | awk -v i="$id:$dev:$inode" '$1 != 1 { print "lib.so@" i ":1|[u]"; print "jitted-1-2.so@" i ":2|[u]" }')
	END
	rm jitted-1-2.so
	# without a build id it is its number, device and generation that count
	built lib.so none
	inode=$(stat -c %i lib.so)
	while IFS='|' read -r identity want; do
		{
			printf 'origin\t.\tr\t.\t.\t.\tend=%s\n' "$end"
			line 1 "u:$PWD/lib.so@$identity+$at"
		} >in
		want_status 0 afsym --no-marks in
		regions "$want" || fail "$identity" || return
	done <<-END
		$dev:$inode:0|here
		$dev:$((inode + 1)):0|[u]
		${dev%:*}:77:$inode:0|[u]
		77:${dev#*:}:$inode:0|[u]
		$(command -v lsattr >/dev/null && lsattr -v lib.so 2>/dev/null | awk -v d="$dev" -v i="$inode" '{ print d ":" i ":" $1 "|here"; print d ":" i ":" $1 + 1 "|[u]" }')
	END
	# a file system without devices and generations
	[ "$(stat -c %d /dev/shm 2>/dev/null)" -lt 256 ] && [ -w /dev/shm ] || return 0
	shm=$(mktemp -d /dev/shm/afsym.XXXXXX)
	cp lib.so "$shm"
	${CC:-cc} -shared -fPIC -nostdlib -Wl,--build-id=0x$id -o "$shm/id.so" lib.c
	{
		printf 'origin\t.\tr\t.\t.\t.\tend=%s\n' "$end"
		line 1 "u:$shm/lib.so@7:7:$(stat -c %i "$shm/lib.so"):99+$at"
		line 1 "u:$shm/lib.so@0:7:1$(stat -c %i "$shm/lib.so"):99+$at"
		line 1 "u:$shm/id.so@$id:0:7:1:99+0x$(nm "$shm/id.so" | awk '$3 == "here" { print $1 }')"
	} >in
	want_status 0 afsym --no-marks in
	rm -r "$shm"
	[ "$(unmarked out | grep '^sample' | cut -f 4 | tr '\n' ' ')" = "here [u] here " ]
}

@test "kernels without a reference symbol, and a list that can be read only once" {
	origin() { printf 'origin\t.\tr\t.\t.\t.\tkernel=1\t%s\n' "$@"; }
	{
		origin x=1
		line 1 'k:[kernel.kallsyms]+0xffffffff81000010'
	} >in
	want_status 0 afsym --no-marks in
	said "no symbols for [kernel.kallsyms]: no kallsyms file given, and the recording names no reference symbol (1 sample)"
	printf '%s T _text\n%s T first\n' ffffffff81000000 ffffffff81001000 >kallsyms
	{
		origin ref=_text$'\t'addr=0xffffffff81000000$'\t'release=a
		line 1 'k:[kernel.kallsyms]+0xffffffff81001000'
		origin ref=_text$'\t'addr=0xffffffff91000000$'\t'release=a
		line 2 'k:[kernel.kallsyms]+0xffffffff91001000'
	} >in
	want_status 0 afsym --no-marks --kallsyms kallsyms in
	[ "$(unmarked out | cut -f 4 | paste -s -d ' ')" = "first first" ]
	want_status 0 sh -c 'cat kallsyms | afsym --no-marks --kallsyms /dev/stdin in'
	[ "$(unmarked out | cut -f 4 | paste -s -d ' ')" = "first [u]" ]
	said "no symbols for [kernel.kallsyms]: the kallsyms file cannot be read twice (1 sample)"
}

@test "--kallsyms: one list is not used for two kernels, known by build id or else by release" {
	local ids
	printf '%s T _text\n%s T first\n' ffffffff81000000 ffffffff81001000 >kallsyms
	kernels() {
		local id
		for id; do
			printf 'origin\t.\tr\t.\t.\t.\tkernel=1\tref=_text\taddr=0xffffffff81000000%s\n' "$id"
			line 1 'k:[kernel.kallsyms]+0xffffffff81001000'
		done
	}
	for ids in 'buildid=aa buildid=ab' 'release=a release=b' 'buildid=aa/release=a release=b' \
		'buildid=aa/release=a buildid=ab/release=a' 'buildid=aa buildid=aaaa'; do
		# shellcheck disable=SC2046,SC2086 # one word for each kernel
		kernels $(printf '/%s ' $ids) | tr / '\t' >in
		want_status 0 afsym --no-marks --kallsyms kallsyms in
		[ "$(unmarked out | cut -f 4 | paste -s -d ' ')" = "first [u]" ] || fail "$ids: $(cat out)"
		said "no symbols for [kernel.kallsyms]: --kallsyms gives one list, which is used for another kernel (1 sample)"
	done
	# the same kernel, or one that may be
	for ids in 'buildid=aa/release=a buildid=aa/release=b' 'release=a buildid=aa' 'x=1 buildid=aa'; do
		# shellcheck disable=SC2046,SC2086 # one word for each kernel
		kernels $(printf '/%s ' $ids) | tr / '\t' >in
		want_status 0 afsym --no-marks --kallsyms kallsyms in
		[ "$(unmarked out | cut -f 4 | paste -s -d ' ')" = "first first" ] || fail "$ids: $(cat out)"
		silent
	done
	# a kernel that the list cannot be of does not count
	kernels "$(printf '\tbuildid=aa')" | sed '/^origin/s/_text/_other/' >in
	kernels "$(printf '\tbuildid=ab')" >>in
	want_status 0 afsym --no-marks --kallsyms kallsyms in
	[ "$(unmarked out | cut -f 4 | paste -s -d ' ')" = "[u] first" ]
	want_status 3 afsym --no-marks --kallsyms . in
	said ".: Is a directory"
}

@test "maps and dumps of JIT compilers on another machine, and names that no dump has" {
	mkdir root
	{
		printf 'origin\t.\tr\t.\t.\t.\thost=elsewhere\tend=1\n'
		line 1 u:/tmp/perf-17.map+0x1010 pid=17
		line 2 u:/tmp/jit-17.dump@1:1:17:5+0x1010 pid=17
	} >in
	want_status 0 afsym --no-marks --missing in
	cut -f 1,4 out >got
	printf '%s\n' '/tmp/perf-17.map	the recording is from another machine' '/tmp/jit-17.dump	the recording is from another machine' | sort >want
	sort got | diff want -
	# below a root that the user names, there may be what was copied from there
	mkdir root/tmp
	printf '1000 100 mapped\n' >root/tmp/perf-17.map
	want_status 0 afsym --no-marks --symfs root in
	regions mapped mapped
	# the folder is none
	rm -r root/tmp
	echo >root/tmp
	want_status 0 afsym --no-marks --symfs root in
	regions '[u]' '[u]'
	{
		line 2 'u:/a\x00/jit-17.dump@1:1+0x1010'
		line 3 "u:/$(head -c 5000 /dev/zero | tr '\0' a)/jit-17.dump@1+0x1010"
		line 4 'u:/tmp/jit-17.dump@1:1:17+0x1010'
		line 5 'u:/tmp/jit-17.dump+0x1010'
	} >in
	want_status 0 afsym --no-marks --missing in
	[ "$(grep -c '	not a file$' out)" -eq 2 ]
	grep -q '^/tmp/jit-17.dump	.*	it is not known to belong to process 0$' out
	line 6 'u:tmp/jit-17.dump@1:1:17+0x1010' >in
	want_status 0 afsym --no-marks in
	said 'no symbols for tmp/jit-17.dump: not a file'
}

@test "tags that a line has already, and instruction pointers that are nowhere" {
	mkdir -p root/tmp
	printf '1000 100 one\n2000 100 two\n' >root/tmp/perf-17.map
	local one=u:/tmp/perf-17.map+0x1010 two=u:/tmp/perf-17.map+0x2010
	{
		line 1 "$one" symoff=0x5 forced=1 line=old:1 lines=old:1 x=y stack='[u]'
		line 2 'u:/no+0x1' symoff=0x5 forced=1 line=old:1 stack='[u]'
		line 3 "$one;[truncated]" stack='a;[truncated]'
		line 4 "$one" "place=$two" stack='[u]'
		line 5 '[truncated]' stack=b
		line 6 "$one" stack='[u]' pid=99999999999
		printf 'sample\t7\tr\t[u]\tm\t1\tstack=[u]\tframes=%s\n' "$one"
		printf 'sample\t9\tr\t[u]\tm\t1\n'
	} >in
	sed 's/\t/ /g' >want <<-'END'
		sample 1 r one m 1 ip=0x1 dso=x symoff=0x10 x=y stack=one lines=?
		sample 2 r [u] m 1 ip=0x1 dso=x symoff=0x5 forced=1 line=old:1 stack=[u] lines=?
		sample 3 r [u] m 1 ip=0x1 dso=x stack=one;[truncated] lines=?;?
		sample 4 r two m 1 ip=0x1 dso=x symoff=0x10 stack=one lines=?
		sample 5 r [u] m 1 ip=0x1 dso=x stack=b lines=?
		sample 6 r one m 1 ip=0x1 dso=x symoff=0x10 stack=one lines=? pid=99999999999
		sample 7 r [u] m 1 stack=one lines=?
		sample 9 r [u] m 1
	END
	want_status 0 afsym --no-marks --symfs root --srcline in
	unmarked out | sed 's/\t/ /g' >got
	same want got
	# a place that is damaged
	line 1 "$one" place=x >in
	want_status 1 afsym --no-marks --symfs root in
	said "afsym: in:1: a place is not MODE:OBJECT+0xOFFSET: x"
	# without what jitdumps list, and with a map beside one that lists nothing there
	{
		printf 'origin\t.\tr\t.\t.\t.\tend=1\n'
		line 1 "u:/tmp/jit-17.dump@1:1:17:5+0x1010-1" pid=17 stack='[u]'
		line 1 "u:/tmp/jit-17.dump@1:1:17:5+0x5010-1" pid=17 stack='[u]'
	} >in
	want_status 0 afsym --no-marks --symfs root --srcline in
	[ "$(unmarked out | sed -n 's/.*\tstack=//p' | paste -s -d ' ')" = "one	lines=? [u]	lines=?" ]
}

@test "names that are only exported, in a file that --force accepts" {
	need strip
	built lib.so 0x0123456789abcdef0123456789abcdef01234567
	strip lib.so
	line 1 "u:$PWD/lib.so@00ff+$at" >in
	want_status 0 afsym --no-marks --force in
	regions here
	said "the names of $PWD/lib.so are a guess: its build id differs from the recording's"
	[ "$(wc -l <err)" -eq 1 ]
}

# local_code NAME FLAG...: a library with a function that only its symbol table has, at $at.
local_code() {
	local name=$1
	shift
	cat >local.c <<-'END'
		static __attribute__((noinline, used)) int inner(int n) { return n + 1; }
		int (*outer)(int) = inner;
	END
	${CC:-cc} -O1 -shared -fPIC -nostdlib "$@" -o "$name" local.c
	at=0x$(nm "$name" | awk '$3 == "inner" { print $1 }')
}

@test "debug files without a build id: of a file that fits, or by their checksum" {
	local end id=0123456789abcdef0123456789abcdef01234567
	need strip objcopy
	local_code lib.so -Wl,--build-id=none
	mkdir -p "debug$PWD"
	objcopy --only-keep-debug lib.so "debug$PWD/lib.so.debug"
	strip lib.so
	end=$(($(date +%s) + 100))000000000
	{
		printf 'origin\t.\tr\t.\t.\t.\tend=%s\n' "$end"
		line 1 "u:$PWD/lib.so+$at"
		line 2 "u:$PWD/lib.so@$(($(stat -c %d .) >> 8 & 0xfff)):$(($(stat -c %d .) & 0xff)):$(stat -c %i lib.so):0+$at"
	} >in
	want_status 0 afsym --no-marks --debug-dir debug in
	[ "$(unmarked out | cut -f 4 | paste -s -d ' ')" = "inner inner" ]
	# of one that is gone, nothing says whose it is
	mv lib.so away
	want_status 0 afsym --no-marks --debug-dir debug in
	[ "$(unmarked out | cut -f 4 | paste -s -d ' ')" = "[u] [u]" ]
	# of one with a build id, only the file that its link names, if it has the checksum
	local_code lib.so -Wl,--build-id=0x$id
	objcopy --only-keep-debug --remove-section .note.gnu.build-id lib.so lib.dbg
	strip lib.so
	cp lib.so plain.so
	objcopy --add-gnu-debuglink=lib.dbg lib.so
	line 1 "u:$PWD/lib.so@$id+$at" >in
	want_status 0 afsym --no-marks in
	regions inner
	cp lib.dbg "debug$PWD/lib.so.debug"
	printf x >>lib.dbg
	want_status 0 afsym --no-marks --debug-dir debug in
	regions '[u]'
	# a link whose name is longer than any file's is none
	printf '%0400d\0\0\0\0\1\2\3\4' 7 >section
	objcopy --add-section .gnu_debuglink=section plain.so lib.so
	want_status 0 afsym --no-marks in
	regions '[u]'
	said "no symbols for some code of $PWD/lib.so: only what it exports has names, and it has no debug file (1 sample)"
}

@test "objects without debug information are counted" {
	built a.so 0x0123456789abcdef0123456789abcdef01234567
	cp a.so b.so
	line 1 "u:$PWD/a.so@0123456789abcdef0123456789abcdef01234567+$at" >in
	want_status 0 afsym --no-marks --srcline in
	said "afsym: no debug information for 1 object, so neither lines nor inlined functions; --missing lists them"
	sed 's/a\.so/b.so/' in >second.ev
	cat second.ev >>in
	want_status 0 afsym --no-marks --srcline in
	said "afsym: no debug information for 2 objects, so neither lines nor inlined functions; --missing lists them"
}

# served KIND: starts a server that never answers (silent) or never ends (slow); sets port and server.
served() {
	python3 - "$1" >port 2>/dev/null 3>&- <<-'END' &
		import http.server, sys, time
		kind = sys.argv[1]
		class Handler(http.server.BaseHTTPRequestHandler):
		    protocol_version = "HTTP/1.1"
		    def do_GET(self):
		        if kind == "silent":
		            time.sleep(60)
		            return
		        self.send_response(200)
		        self.send_header("Content-Length", "10000000")
		        self.end_headers()
		        for i in range(600):
		            self.wfile.write(b"x" * 100)
		            self.wfile.flush()
		            time.sleep(0.1)
		    def log_message(self, *a):
		        pass
		server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
		print(server.server_address[1], flush=True)
		server.serve_forever()
	END
	server=$!
	soon test -s port
	port=$(cat port)
}

# knows_file: the server has found the files.
knows_file() {
	HOME=$PWD/other DEBUGINFOD_URLS=http://127.0.0.1:$port DEBUGINFOD_CACHE_PATH=$(mktemp -d "$PWD/cache.XXXX") \
		debuginfod-find executable "$id" >/dev/null 2>&1
}

# fetched SECONDS: prog.data's names with --debuginfod, with a new cache.
fetched() {
	HOME=$PWD/home DEBUGINFOD_URLS=http://127.0.0.1:$port afsym --debuginfod --timeout "$1s" places.ev
}

# stripped: a program that is gone, and whose files a server may have in served/.
stripped() {
	make_programs
	mkdir served home
	objcopy --only-keep-debug prog served/prog.debug
	strip -o served/prog prog
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	rm prog
	perfdec --no-symbols prog.data | sed "s|\(:[^@+]*prog\)\(@[^+]*\)\?+|\1@$id+|g" >places.ev
}

@test "--debuginfod: a real server that has the files, and one that does not" {
	need debuginfod debuginfod-find objdump python3
	stripped
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	debuginfod -p "$port" -F -d "$PWD/sqlite" "$PWD/served" >server.log 2>&1 3>&- &
	server=$!
	soon knows_file
	want_status 0 fetched 20
	grep -q '^sample	[^	]*	[^	]*	outer	' out || fail "$(cat err server.log)"
	said "debuginfod: files found: 2, not found: 0, failed: 0"
	# the files are now in the cache, so the server is not needed
	kill "$server"
	wait "$server" || :
	want_status 0 fetched 20
	grep -q '^sample	[^	]*	[^	]*	outer	' out
	# nothing is fetched without the option
	rm -r home
	mkdir home
	want_status 0 env HOME="$PWD/home" DEBUGINFOD_URLS="http://127.0.0.1:$port" afsym places.ev
	[ "$(grep -c '	outer	' out)" -eq 0 ]
	[ -z "$(find home -type f)" ]
}

# fake FLAG...: a libdebuginfod that does what FAKE says, and writes what it is told to "asked".  It
# also has the clock, which it can put on.
fake() {
	cat >fake.c <<-'EOF'
		#define _GNU_SOURCE
		#include <errno.h>
		#include <fcntl.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		struct client { void *data; int (*progress)(struct client *, long, long); };
		static struct client one;
		static long later;
		static int stopped;
		static struct sigaction before[3];
		static const int ending[] = { SIGHUP, SIGINT, SIGTERM };
		static int is(const char *what) { const char *s = getenv("FAKE"); return s != NULL && strcmp(s, what) == 0; }
		int clock_gettime(clockid_t id, struct timespec *t)
		{
			int rc = (int)syscall(SYS_clock_gettime, id, t);
			t->tv_sec += later;
			return stopped ? -1 : rc;
		}
		struct client *debuginfod_begin(void)
		{
			for (int i = 0; i < 3; i++)
				sigaction(ending[i], NULL, &before[i]);
			return is("begin") ? NULL : &one;
		}
		void debuginfod_end(struct client *c)
		{
			(void)c;
			for (int i = 0; i < 3; i++) {
				struct sigaction now;
				sigaction(ending[i], NULL, &now);
				if (now.sa_handler != before[i].sa_handler ||
				    ((now.sa_flags ^ before[i].sa_flags) & (SA_RESTART | SA_RESETHAND | SA_NODEFER)) != 0 ||
				    memcmp(&now.sa_mask, &before[i].sa_mask, 8) != 0)
					fprintf(stderr, "signal %d is no longer handled as before\n", ending[i]);
			}
		}
		void debuginfod_set_user_data(struct client *c, void *data) { c->data = data; }
		void *debuginfod_get_user_data(struct client *c) { return is("nodata") ? NULL : c->data; }
		#ifndef OLD
		void debuginfod_set_progressfn(struct client *c, int (*f)(struct client *, long, long)) { c->progress = f; }
		#endif
		static int find(struct client *c, const char *what, char **path)
		{
			FILE *f = fopen("asked", "a");
			static int calls;
			int a, b, given_up, fd = -ENOENT;
			if (f == NULL)
				return -ENOMEM;
			if (is("known") && calls++ > 0) {
				fclose(f);
				return fd;
			}
			for (a = 0; a < 3; a++) {
				struct sigaction now;
				sigaction(ending[a], NULL, &now);
				if (now.sa_handler != SIG_DFL)
					fprintf(stderr, "signal %d does not end the program\n", ending[a]);
			}
			later += is("late") ? 4 : 0;
			a = c->progress(c, 0, 0);
			later += is("late") ? 4 : is("back") ? -1000 : 0;
			stopped = is("stopped");
			b = c->progress(c, -1, -1);
			given_up = c->progress(c, 1 << 20, 1 << 30);
			stopped = 0;
			fprintf(f, "%s %d %d %d %s %s %s\n", what, a, b, given_up, getenv("DEBUGINFOD_MAXTIME"),
			    getenv("DEBUGINFOD_TIMEOUT"), getenv("DEBUGINFOD_RETRY_LIMIT"));
			fclose(f);
			if (is("refused"))
				fd = -ECONNREFUSED;
			else if (is("etime") || is("known"))
				fd = -ETIME;
			else if (is("nopath"))
				fd = open("/dev/null", O_RDONLY);
			else if (is("both")) {
				*path = strdup(strcmp(what, "debug") == 0 ? "served/prog.debug" : "served/prog");
				fd = open(*path, O_RDONLY);
			}
			return fd;
		}
		int debuginfod_find_debuginfo(struct client *c, const unsigned char *id, int n, char **path) { (void)id; (void)n; return find(c, "debug", path); }
		int debuginfod_find_executable(struct client *c, const unsigned char *id, int n, char **path) { (void)id; (void)n; return find(c, "object", path); }
	EOF
	mkdir -p lib
	${CC:-cc} -shared -fPIC -Wl,-soname,libdebuginfod.so.1 -o lib/libdebuginfod.so.1 "$@" fake.c
}

# faked HOW [FILE]: the lines of a stream with that library.
faked() {
	: >asked
	FAKE=$1 LD_PRELOAD=$PWD/lib/libdebuginfod.so.1 DEBUGINFOD_URLS=there afsym --debuginfod --timeout 2s "${2-places.ev}"
}

@test "--debuginfod: each answer of the library" {
	local how what
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers want to be loaded first"
	need objdump
	stripped
	fake
	{
		grep -v '^#end' places.ev
		grep '^sample' places.ev | sed 's|/prog@|/gone@|g'
	} >two.ev
	while IFS='|' read -r how what why; do
		want_status 0 faked "$how"
		said "debuginfod: files $what" || fail "$how" || return
		said "no symbols for $PWD/prog: $why" || fail "$how" || return
		[ "$(cat asked)" = "debug 0 0 0 2 2 0
object 0 0 0 2 2 0" ] || fail "$how: $(cat asked)" || return
	done <<-'EOF'
		missing|found: 0, not found: 2, failed: 0|no debuginfod server has it
		refused|found: 0, not found: 0, failed: 2|debuginfod: Connection refused
		etime|found: 0, not found: 0, failed: 2|debuginfod: not fetched within 2 seconds
		nopath|found: 0, not found: 0, failed: 2|debuginfod: Cannot allocate memory
		stopped|found: 0, not found: 2, failed: 0|no debuginfod server has it
		back|found: 0, not found: 2, failed: 0|no debuginfod server has it
	EOF
	want_status 0 faked both
	said "debuginfod: files found: 2, not found: 0, failed: 0"
	grep -q '^sample	[^	]*	[^	]*	outer	' out
	# signals end the program while it waits, and then are handled as before, unless these tests ignore
	# them (nohup, or in the background of a script)
	grep '^signal' err | sort -u >got || :
	want_status 0 sed -n 's/^SigIgn:[^0-9a-f]*//p' /proc/self/status
	for how in 1 2 15; do
		[ $((16#$(cat out) >> (how - 1) & 1)) -eq 0 ] || echo "signal $how does not end the program"
	done | sort >want
	same want got
	# and stay ignored if they are
	(trap '' HUP && want_status 0 faked both)
	{
		echo 'signal 1 does not end the program'
		grep -v '^signal 1 ' want
	} | sort -u >wanted
	grep '^signal' err | sort -u >got || :
	same wanted got
	# what is there is not asked for, nor is what has no build id
	cp served/prog prog
	want_status 0 faked both
	[ "$(cat asked)" = "debug 0 0 0 2 2 0" ]
	grep -q '^sample	[^	]*	[^	]*	outer	' out
	want_status 0 faked missing
	[ "$(cat asked)" = "debug 0 0 0 2 2 0" ]
	said "debuginfod: files found: 0, not found: 1, failed: 0"
	rm prog
	for what in u:/no/such 'u:[vdso]' u:/no/such@0000; do
		line 1 "$what+0x1" >one.ev
		want_status 0 faked both one.ev
		[ ! -s asked ] || fail "$what: $(cat asked)" || return
	done
	line 1 "u:[vdso]@00ff+0x1" >one.ev
	want_status 0 faked both one.ev
	[ ! -s asked ]
	# the library is told to give up once the limit, and some more, is over
	want_status 0 faked late
	printf '%s\n' 'debug 0 1 1 2 2 0' 'object 0 1 1 2 2 0' >want
	same want asked
	said "debuginfod: files found: 0, not found: 0, failed: 2"
	said "no symbols for $PWD/prog: debuginfod: not fetched within 2 seconds"
	# one that was late, and one that the library knows not to exist, without asking a server
	want_status 0 faked known
	[ "$(wc -l <asked)" -eq 1 ]
	said "debuginfod: files found: 0, not found: 1, failed: 1"
	# after two that were late no other is asked for
	want_status 1 faked etime two.ev
	[ "$(wc -l <asked)" -eq 2 ]
	said "debuginfod: files found: 0, not found: 0, failed: 4"
	# a callback that the library does not say whose it is
	want_status 0 faked nodata
	printf '%s\n' 'debug 1 1 1 2 2 0' 'object 1 1 1 2 2 0' >want
	same want asked
	# on a terminal, how far it is
	need script
	FAKE=both LD_PRELOAD=$PWD/lib/libdebuginfod.so.1 DEBUGINFOD_URLS=there script -qec 'afsym --debuginfod places.ev >out' screen >shown </dev/null
	grep -q "fetching .*: 1024 of 1048576 KiB" shown
	# no library that can be used
	want_status 1 faked begin
	said "afsym: debuginfod: libdebuginfod.so.1 does not start"
	fake -DOLD
	want_status 1 faked both
	said "afsym: debuginfod: libdebuginfod.so.1 is too old"
	want_status 1 env DEBUGINFOD_URLS= afsym --debuginfod places.ev
	said "afsym: debuginfod: DEBUGINFOD_URLS names no server"
}

@test "--debuginfod: whatever allocation fails" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	need objdump
	helpers fault nomem.so
	fault true >/dev/null || [ $? -ne 77 ] || skip "not for this machine"
	stripped
	fake
	export FAKE=both LD_LIBRARY_PATH=$PWD/lib DEBUGINFOD_URLS=there
	# the loader does not say why it cannot load a library
	want_status 0 fault -m "$HELPERS/nomem.so" -r "libdebuginfod.so.1 is not installed" afsym --debuginfod places.ev
	tail -n 1 out
	[ "$(tail -n 1 out | sed 's/.* runs, \([0-9]*\) refused, 0 wrong$/\1/')" -gt 40 ]
}

# bats test_tags=slow,sanitize
@test "--debuginfod: servers that are dead, silent or slow cost no more than the time limit" {
	need python3 objdump
	ldconfig -p | grep -q libdebuginfod || skip "no libdebuginfod here"
	stripped
	local kind began
	port=1
	want_status 0 fetched 3
	said "debuginfod: files found: 0, not found: 0, failed: 2"
	for kind in silent slow; do
		served $kind
		began=$SECONDS
		want_status 0 fetched 2
		[ $((SECONDS - began)) -le 8 ] || fail "$kind: $((SECONDS - began)) s"
		said "debuginfod: files found: 0, not found: 0, failed: 2"
		# a file that was given up is not remembered as one that does not exist
		want_status 0 fetched 1
		said "debuginfod: files found: 0, not found: 0, failed: 2"
		kill "$server"
		wait "$server" 2>/dev/null || :
		rm port
	done
}

@test "--debuginfod without servers, --timeout without it" {
	want_status 2 afsym --timeout 5s /dev/null
	said "--timeout without --debuginfod"
	want_status 2 afsym --debuginfod --timeout 5 /dev/null
	said '--timeout: "5" is not a duration such as 500ms or 1s'
	want_status 2 afsym --debuginfod --timeout 500ms /dev/null
	said '--timeout: less than 1000ms'
	want_status 2 afsym --debuginfod --timeout 25h /dev/null
	said '--timeout: more than 86400s'
	ldconfig -p | grep -q libdebuginfod || skip "no libdebuginfod here"
	want_status 2 env -u DEBUGINFOD_URLS afsym --debuginfod /dev/null
	said "DEBUGINFOD_URLS names no server"
}

@test "--missing with --debuginfod says how many files there were" {
	cd "$T"
	event sample 1 f m 1 >in
	DEBUGINFOD_URLS=http://127.0.0.1:9 want_status 0 afsym --no-marks --missing --debuginfod in
	[ ! -s out ]
	[[ $(cat err) == 'afsym: debuginfod: files found: 0, not found: 0, failed: 0' || $(cat err) == *'debuginfod'*'library'* ]] ||
		fail "$(cat err)"
}
