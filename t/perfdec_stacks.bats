#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# perfdec_stacks.bats - stacks from copies of stacks: a program samples itself (t/tools/selfsample.c)
# and says which functions it was in.

load lib
load perfdec

# built NAME FLAG...: compiles selfsample as NAME with these flags.
built() {
	local name=$1
	shift
	${CC:-cc} -std=gnu11 -o "$name" "$@" "$ROOT/t/tools/selfsample.c" -pthread 2>cc.log || {
		cat cc.log >&2
		return 1
	}
}

# own_frames: the stacks on standard input, as far as they are functions of selfsample.
own_frames() {
	sed -n '/^sample/s/.*\tstack=\([^\t]*\).*/\1/p' | awk -F ';' -v OFS=';' '
		BEGIN { n = split("main leaf dynamic_frame deep compare sorter handler interrupted no_return calls_no_return calls_illegal illegal illegal_handler before_illegal thread_body sample [truncated]", own, " "); for (i = 1; i <= n; i++) is[own[i]] = 1 }
		{ line = ""; for (i = 1; i <= NF; i++) if ($i in is) line = line (line == "" ? "" : ";") $i; print line }'
}

# fits: each line of got is that of want, or an inner part of it after [truncated].
fits() {
	paste -d '\t' want got | awk -F '\t' '
		{ w = $1; g = $2 }
		g == w { next }
		index(g, "[truncated];") == 1 { g = substr(g, 13); if (substr(w, length(w) - length(g) + 1) == g) next }
		{ print "want " w ", got " $2; bad = 1 }
		END { print same + 0 " of " FNR; exit bad || NR == 0 }'
}

# sampled NAME COPY: runs it; its recording is NAME.data, its stacks are want.
sampled() {
	"./$1" "$2" >"$1.data" 2>want
}

# A program below gdb must not outlive a test that fails.
teardown() {
	[ -z "${qemu-}" ] || kill "$qemu" 2>/dev/null || :
}

setup_file() {
	helpers fuzz-unwind perfmake
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "registers of $(uname -m)" ;;
	esac
}

@test "the callers are those that the program itself knows, however it was built" {
	local flags n=0
	for flags in -O0 -O2 "-O2 -static" "-O2 -no-pie" "-Os -fomit-frame-pointer" "-O3 -g -fno-plt" \
		"-O2 -static-pie" "-O2 -no-pie -Wl,-Tdata=0x300000,-Tbss=0x330000"; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # flags are words
		built own$n $flags
		sampled own$n 60000
		want_status 0 perfdec --max-stack 1000 own$n.data
		silent
		own_frames <out >got
		same want got || fail "$flags"
	done
}

@test "the shorter the copy, the more stacks end early; none is wrong" {
	local copy incomplete total=11
	built short -O2
	for copy in 16 64 136 264 520 1000 2000 4000 8000 16000 48000; do
		sampled short $copy
		status=0
		perfdec --max-stack 1000 short.data >out 2>err || status=$?
		own_frames <out >got
		fits || fail "$copy"
		incomplete=$(awk -F '\t' '$1 == "incomplete" { n += $6 } END { print n + 0 }' out)
		[ "$(grep -c '^\[truncated\]' got)" -eq "$incomplete" ] || fail "$copy: $incomplete"
		[ "$status" -eq $((incomplete > total / 2)) ] || fail "$copy: status $status"
		[ "$incomplete" -eq 0 ] || said "stack copy too short: $incomplete); perf record --call-graph dwarf,65528 copies more"
		case $(tail -n 1 out) in
		*"	partial	input incomplete or refused	incomplete=$incomplete") [ "$status" -eq 1 ] ;;
		*"	complete	incomplete=$incomplete") [ "$incomplete" -gt 0 ] ;;
		*"	complete") [ "$incomplete" -eq 0 ] ;;
		*) fail "$copy: $(tail -n 1 out)" ;;
		esac
	done
	[ "$incomplete" -eq 0 ]
	# copies cannot be longer than this (sample_stack_user, in the attr after two headers)
	sampled short 136
	printf '\370\377' | dd of=short.data bs=1 seek=$((24 + 88)) conv=notrunc 2>err
	perfdec --max-stack 1000 short.data >out 2>err || :
	grep 'stack copy too short: [0-9]*)$' err || fail "$(cat err)"
}

@test "--max-stack cuts a stack, which is marked, counted and said" {
	local n cut
	built own -O2
	sampled own 48000
	for n in 1 2 3 50; do
		want_status 0 perfdec --max-stack $n own.data
		sed -n '/^sample/s/.*\tstack=\([^\t]*\).*/\1/p' out >stacks
		awk -F ';' -v n=$n '{ k = NF - ($1 == "[truncated]") } k > n || (k < n && NF != k) { print; exit 1 }' stacks
		cut=$(grep -c '^\[truncated\]' stacks)
		said "own.data: the outermost functions are missing in $cut of 11 samples with copies of their stacks, since only $n frames of each are unwound (--max-stack N unwinds more)"
		[ "$(wc -l <err)" -eq 1 ]
		[ "$(sed -n 's/^incomplete.*	unwind	//p' out)" = "$cut	why=max_stack" ]
		tail -n 1 out | grep -q "	complete	incomplete=$cut$"
		own_frames <out >got
		fits
	done
	[ "$(grep -c '^\[truncated\]' stacks)" -eq 1 ]
	want_status 0 perfdec --max-stack 1000 own.data
	silent
	! grep '^incomplete' out || fail "incomplete"
	want_status 2 perfdec --max-stack 0 own.data
	want_status 2 perfdec --max-stack 8001 own.data
}

@test "the machine's name decides how registers are read; where it says nothing, the registers do" {
	local at name why n
	[ "$(uname -m)" = x86_64 ] || skip "not an x86_64"
	built own -O2
	sampled own 48000
	at=$(grep -abo -m 1 x86_64 own.data | head -n 1 | cut -d : -f 1)
	perfdec --run R own.data | grep '^sample' >want
	n=$(wc -l <want)
	# the registers say that they are 64 bits wide
	for name in i386 i586 i686 ''; do
		patch own.data "$at" "$name\\0\\0\\0\\0\\0\\0"
		want_status 0 perfdec --run R own.data
		grep '^sample' out >got
		same want got || fail "$name"
	done
	while read -r name why; do
		patch own.data "$at" "$name\\0"
		want_status 1 perfdec --run R own.data
		said "some callers in user code are not known for $n of $n samples with copies of their stacks ($why: $n)"
		[ "$(grep -c '^incomplete	.*	why=' out)" -eq 1 ]
	done <<-'END'
		mips64 unknown architecture
		ia64 unknown architecture
		aarch64_be unknown architecture
		ppc64le unknown architecture
		s390x unknown architecture
		aarch64 no registers
		armv7l no registers
		armv8l no registers
		mips unknown architecture
		sh unknown architecture
	END
}

# registers MASK ABI VALUE...: a recording, without the machine's name, of a sample that has them.
registers() {
	local mask=$1 abi=$2
	shift 2
	perfmake --no-attr <<-END
		raw 64 0 4:1 4:112 8:0 8:1000 8:0x3007 8:0 b:0x140000 4:0 4:0 8:0 8:0 8:0 8:$mask 4:64 4:0 8:0 8:0 8:7
		mmap 5 5 1 u 0x1000 0x1000 0 /lib/none
		raw 9 2 8:0x1010 4:5 4:5 8:9 8:$abi$(printf ' 8:%s' "$@") 8:16 8:0x2000 8:0 8:16
	END
}

@test "without the machine's name, the 33rd register is that of an AArch64, or of an ARM program on one" {
	local why
	# fp, lr, sp and pc of AArch64; those of ARM, with the pc of AArch64; pc and sp of x86
	registers 0x1e0000000 2 0x8000 0x1020 0x8000 0x1010 >arm64.data
	registers 0x1e0000000 1 0x8000 0x1020 0x8000 0x1010 >arm64as32.data
	registers 0x10000e800 1 0x8000 0x8000 0x1020 0x1010 0x1010 >arm.data
	registers 0x10000e800 2 0x8000 0x8000 0x1020 0x1010 0x1010 >armas64.data
	registers 0x1c0 2 0x8000 0x8000 0x1010 >x86.data
	for name in arm64:no_file arm64as32:registers arm:no_file armas64:registers x86:no_file; do
		why=${name#*:}
		want_status 1 perfdec --no-symbols "${name%:*}.data"
		grep -q "^incomplete	.*	why=$why\b" out || fail "$name: $(grep '^incomplete' out)"
	done
}

@test "code that is in no file is not unwound without its list, with symbols or without" {
	local at option pid n
	built own -O2
	sampled own 48000
	n=$(wc -l <want)
	# its memory is that of a JIT compiler now
	at=$(grep -abo "$PWD/own" own.data | head -n 1 | cut -d : -f 1)
	patch own.data "$at" "//anon$(printf '\\0%.0s' $(seq $((${#PWD} - 2))))"
	for option in --symfs=. --no-symbols; do
		want_status 1 perfdec "$option" own.data
		pid=$(sed -n 's/^sample\t.*\tpid=\([0-9]*\)\t.*/\1/p' out | sort -u)
		grep '^incomplete' out | cut -f 5- >got
		printf 'unwind\t%d\twhy=no_file\tobject=/tmp/perf-%d.map\n' "$n" "$pid" >want
		grep 'perf-' got | same want - || fail "$option: $(cat got)"
		[ "$(grep -cE "^sample	.*	stack=\[truncated\];\[perf-$pid\.map\](	|$)" out)" -eq "$n" ] || fail "$option"
	done
	want_status 0 perfdec --no-symbols --no-unwind own.data
	[ "$(grep -c '^incomplete.*	why=skipped$' out)" -eq 1 ]
}

@test "--no-symbols unwinds, too; --no-unwind does not" {
	built own -O2
	sampled own 48000
	want_status 0 perfdec --frames own.data
	sed -n '/^sample/s/.*\tframes=\([^\t]*\).*/\1/p' out >want.frames
	want_status 0 perfdec --no-symbols own.data
	sed -n '/^sample/s/.*\tframes=\([^\t]*\).*/\1/p' out >got.frames
	same want.frames got.frames
	want_status 0 perfdec --no-unwind own.data
	said "of 11 samples with copies of their stacks (not unwound: 11)"
	[ "$(grep -c '	stack=\[truncated\];sample	' out)" -eq 11 ] || [ "$(grep -c '	stack=\[truncated\];sample$' out)" -eq 11 ]
	[ "$(grep '^incomplete' out | cut -f 4-)" = ".	unwind	11	why=skipped" ]
}

@test "an object that is used only with --force, for names and for callers: said once" {
	built own -O2 -Wl,--build-id=none
	sampled own 48000
	touch -d 2010-01-01 own.data
	want_status 1 perfdec own.data
	[ "$(grep -c "no symbols for $PWD/own: no build id, and newer than the recording, so it cannot be checked" err)" -eq 1 ]
	want_status 0 perfdec --force --max-stack 1000 own.data
	[ "$(grep -c "the names of $PWD/own are a guess: no build id, and newer than the recording, so it cannot be checked" err)" -eq 1 ]
	[ "$(grep -c "$PWD/own" err)" -eq 1 ]
	own_frames <out >got
	same want got
}

# perf and simpleperf record a chain with each copy, which the kernel does not require.
@test "samples with copies of their stacks, but without callchains, also of several counters" {
	need python3
	built own -O2
	sampled own 48000
	python3 - <<-'END'
		import struct
		d = open("own.data", "rb").read()
		for name, type in ("plain.data", 0x3007), ("read.data", 0x3017):
		    at, out, n = 16, d[:16], 0
		    while at < len(d):
		        kind, _, size = struct.unpack("<IHH", d[at:at + 8])
		        r = bytearray(d[at:at + size])
		        at += size
		        if kind == 64:
		            r[32:40] = struct.pack("<Q", type)
		        elif kind == 9:
		            n += 1
		            r[32:56] = struct.pack("<Q", n * n) if type & 0x10 else b""
		            r[6:8] = struct.pack("<H", len(r))
		        out += r
		    open(name, "wb").write(out)
	END
	local file option
	for option in --frames --no-symbols --no-unwind; do
		want_status 0 perfdec $option own.data
		cp out own.$option
		for file in plain.data read.data; do
			want_status 0 perfdec $option $file
			for tag in stack frames; do
				sed -n "s/^sample.*	\\($tag=[^	]*\\).*/\\1/p" own.$option >want
				sed -n "s/^sample.*	\\($tag=[^	]*\\).*/\\1/p" out >got
				same want got || fail "$option $file" || return
			done
			[ "$(grep -c '^sample' out)" -eq 11 ]
		done
	done
	[ "$(awk -F '\t' '$1 == "sample" { n += $6 } END { print n }' out)" -eq 121 ]
}

@test "an object that is not at hand, or is another one, ends the stack there" {
	mkdir empty
	built own -O2 -Wl,--build-id
	sampled own 48000
	want_status 1 perfdec --symfs empty own.data
	said "no object file: 11)"
	[ "$(grep -c 'why=no_file' out)" -ge 1 ]
	grep -q "why=no_file	object=$PWD/own$" out
	own_frames <out >got
	[ "$(sort -u got)" = "[truncated]" ]
}

@test "code without unwind information is unwound by the frame pointer, or not at all" {
	built framed -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -static
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr framed bare 2>/dev/null || skip "objcopy"
	sampled framed 48000
	mv framed full && mv bare framed
	touch framed.data # without a build id, a file that is newer is not used
	perfdec framed.data >out 2>err || [ $? -eq 1 ]
	own_frames <out >got
	# the caller of a function without a frame is lost, but not more
	awk -F ';' '{ print $1 }' got >roots
	[ "$(grep -c '^main$' roots)" -ge 1 ] || grep -q '^\[truncated\]' roots
	grep -q 'why=no_info\|why=short_copy\|why=no_mapping' out || [ "$(grep -c '\[truncated\]' got)" -eq 0 ]
}

@test "a chain of frame pointers that ends with the return address 0 is whole" {
	local f g
	cat >bare.s <<-'END'
		.text
		.globl f, g
		.type f, %function
		.type g, %function
		f: nop; nop; nop; nop
		.size f, 4
		g: nop; nop; nop; nop
		.size g, 4
	END
	[ "$(uname -m)" = x86_64 ] || skip "not an x86_64"
	${CC:-cc} -shared -nostdlib -o bare.so bare.s
	f=0x$(nm bare.so | awk '$3 == "f" { print $1 }') g=0x$(nm bare.so | awk '$3 == "g" { print $1 }')
	# registers bp, sp and ip, and a stack of two frames; the frame pointer before 0 is not 0
	{
		echo "raw 64 0 4:1 4:112 8:0 8:1000000 8:0x3027 8:0 8:0 8:0 8:0 8:0 8:0 8:0x1c0 4:32 4:0 8:0 8:0 8:7"
		echo "mmap 1 1 1 u 0x400000 0x100000 0 $PWD/bare.so"
		echo "raw 9 2 8:$((f + 0x400001)) 4:1 4:1 8:5 8:2 8:0xfffffffffffffe00 8:$((f + 0x400001))" \
			"8:2 8:0x7000 8:0x7000 8:$((f + 0x400001))" \
			"8:32 8:0x7010 8:$((g + 0x400002)) 8:0x9990 8:0 8:32"
	} >lines
	perfmake --no-attr <lines >whole.data
	want_status 0 perfdec whole.data
	silent
	grep -q '	stack=g;f$' out
	[ "$(grep -c '^incomplete' out)" -eq 0 ]
	# a program of 32 bits has registers and words of that size
	{
		sed 2q lines
		echo "raw 9 2 8:$((f + 0x400001)) 4:1 4:1 8:5 8:2 8:0xfffffffffffffe00 8:$((f + 0x400001))" \
			"8:1 8:0x7000 8:0x7000 8:$((f + 0x400001))" \
			"8:16 4:0x7008 4:$((g + 0x400002)) 4:0x9990 4:0 8:16"
	} | perfmake --no-attr >narrow.data
	want_status 0 perfdec narrow.data
	silent
	grep -q '	stack=g;f$' out
	# which of two objects it is is not known, so no file is used
	{
		sed 1q lines
		echo "buildid 1111111111111111111111111111111111111111 $PWD/bare.so"
		echo "buildid 2222222222222222222222222222222222222222 $PWD/bare.so"
		sed 1d lines
	} | perfmake --no-attr >unclear.data
	want_status 1 perfdec unclear.data
	sed -n 's/^incomplete.*	unwind	/unwind	/p' out >got
	printf 'unwind\t1\twhy=no_file\tobject=%s\n' "$PWD/bare.so" >want
	same want got
	said 'the recording lists several build ids for it'
	# any other address outside of all objects is not an end
	sed 's/8:0x9990 8:0 /8:0x9990 8:1 /' lines | perfmake --no-attr >other.data
	want_status 1 perfdec other.data
	grep -q '	stack=\[truncated\];g;f$' out
	# the copy replaces what is behind the chain's user marker, even a word that is no address
	sed 's/8:2 8:0xfffffffffffffe00 8:[0-9]*/8:3 8:0xfffffffffffffe00 8:1 8:-10/' lines |
		perfmake --no-attr >marker.data
	want_status 0 perfdec marker.data
	silent
	grep -q '	stack=g;f$' out
}

@test ".debug_frame of the program, or of its debug file" {
	local flags="-O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions"
	# shellcheck disable=SC2086 # flags are words
	built own $flags -Wl,--build-id
	! readelf -S own | grep -q 'debug_frame' && skip "no .debug_frame"
	sampled own 48000
	want_status 0 perfdec own.data
	own_frames <out >got
	fits
	cp got whole
	objcopy --only-keep-debug own own.debug
	objcopy --strip-debug --add-gnu-debuglink=own.debug own stripped
	mv stripped own
	touch own.data # without a build id in the recording, a file that is newer is not used
	want_status 0 perfdec own.data
	own_frames <out >got
	same whole got
	for how in zlib zstd zlib-gnu; do
		objcopy --compress-debug-sections=$how own.debug packed.debug 2>/dev/null || continue
		readelf -tW packed.debug | grep -A 3 '\.z*debug_frame' | grep -qi 'compressed\|zdebug' || fail $how
		mkdir -p .debug
		mv packed.debug .debug/own.debug
		mv own.debug whole.debug
		touch own.data
		want_status 0 perfdec own.data
		own_frames <out >got
		same whole got || fail $how
		rm .debug/own.debug
		mv whole.debug own.debug
	done
	rm own.debug
	perfdec own.data >out 2>err || [ $? -eq 1 ]
	grep -q "why=no_info	object=$PWD/own$" out
}

@test "i386: the callers that the program itself knows" {
	local flags
	[ "$(uname -m)" = x86_64 ] || skip "not an x86_64"
	command -v i686-linux-gnu-gcc >/dev/null || skip "no i686-linux-gnu-gcc here"
	[ -e /lib/ld-linux.so.2 ] || skip "no C library of i386 here"
	for flags in -O2 -O0 "-O2 -static" "-O2 -no-pie"; do
		# shellcheck disable=SC2086 # flags are words
		CC=i686-linux-gnu-gcc built narrow $flags
		if ! sampled narrow 60000; then
			grep -q 'Exec format error' want && skip "the kernel runs no programs of i386"
			fail "$(cat want)"
		fi
		want_status 0 perfdec --max-stack 1000 narrow.data
		own_frames <out >got
		fits || fail "$flags"
	done
}

@test "AArch64: the callers that the program itself knows, with signed return addresses, too" {
	local flags
	command -v qemu-aarch64 >/dev/null || skip "no qemu-aarch64 here"
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no aarch64-linux-gnu-gcc here"
	for flags in -O2 -O0 "-O2 -mbranch-protection=standard" "-O3 -fomit-frame-pointer"; do
		# shellcheck disable=SC2086 # flags are words
		CC=aarch64-linux-gnu-gcc built arm -static $flags
		qemu-aarch64 ./arm 60000 >arm.data 2>want
		want_status 0 perfdec --max-stack 1000 arm.data
		own_frames <out >got
		fits || fail "$flags"
		# qemu does not map the code that returns from a signal's handler, which the kernel does
		[ "$(grep -c '^\[truncated\];\(illegal_\)\?handler;sample$' got)" -eq 2 ]
		[ "$(grep -c '^\[truncated\]' got)" -eq 2 ] || fail "$flags: $(cat got)"
	done
}

# walked: runs ./arm below gdb, which stops at some functions and goes on from there by single
# instructions.  gdb.out has the registers and gdb's stack at each place, stack.N a copy of the stack.
walked() {
	cat >script.gdb <<-'END'
		set pagination off
		set confirm off
		set width 0
		set backtrace past-main on
		set backtrace past-entry on
		target remote gdb.sock
		set $top = $sp + 64
		set $n = 0
		define place
			printf "place %d\n", $n
			info registers x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 x30 sp pc
			bt
			eval "dump binary memory stack.%d $sp $top", $n
			set $n = $n + 1
		end
		define steps
			set $to = $n + $arg0
			while $n < $to
				place
				stepi
			end
		end
		break *main
		break *stop
		break *dynamic
		break *many
		break *compare
		# until the program ends
		while 1
			continue
			steps 12
		end
	END
	rm -f stack.* gdb.sock
	# gdb does not know how to strip signatures that qemu's machine puts on return addresses
	qemu-aarch64 -cpu cortex-a57 -g gdb.sock ./arm &
	qemu=$!
	soon [ -S gdb.sock ]
	timeout 60 gdb-multiarch -nx -batch -x script.gdb arm >gdb.out 2>gdb.err || :
	wait "$qemu"
	qemu=
}

# recording: the places of gdb.out as a recording, for perfmake.
recording() {
	local n pc registers bytes
	echo "raw 64 0 4:1 4:112 8:0 8:1000000 8:0x3027 8:0 8:0 8:0 8:0 8:0 8:0 8:0x1ffffffff 4:60000 4:0 8:0 8:0 8:7"
	echo "raw 80 0 8:6 4:64 s64:aarch64"
	printf 'mmap 1 1 1 u 0x%x 0x%x 0x%x %s\n' $((address & ~0xfff)) \
		$(((address % 4096 + size + 4095) & ~0xfff)) $((offset & ~0xfff)) "$PWD/arm"
	awk '/^place / { n = $2; regs = "" }
		/^(x[0-9]+|sp|pc) / { regs = regs " 8:" $2 }
		/^pc / { print n, $2 regs }' gdb.out |
		while read -r n pc registers; do
			[ -e "stack.$n" ] || continue
			bytes=$(($(wc -c <"stack.$n") / 8 * 8))
			echo "raw 9 2 8:$pc 4:1 4:1 8:$((n + 1)) 8:2 8:0xfffffffffffffe00 8:$pc 8:2 $registers" \
				"8:$bytes x:$(head -c $bytes "stack.$n" | od -A n -v -t x1 | tr -d ' \n') 8:$bytes"
		done
}

# addressed: the frames of a stream, innermost first, as "ADDRESS NAME;...".
addressed() {
	sed -n '/^sample/s/.*\tstack=\([^\t]*\).*\tframes=\([^\t]*\).*/\1\t\2/p' |
		awk -F '\t' -v add=$((address - offset)) '
			function hex(s,  i, v) { for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
			{
				n = split($1, name, ";"); split($2, place, ";"); s = ""
				for (i = n; i > 0; i--) {
					sub(/-1$/, "", place[i]); sub(/.*\+0x/, "", place[i])
					# the address of a caller is that of its call
					s = s sprintf("%x", hex(place[i]) + add + (i < n)) " " name[i] ";"
				}
				print s
			}'
}

# bats test_tags=slow
@test "AArch64: gdb finds the same callers, instruction by instruction" {
	local flags address offset size
	need aarch64-linux-gnu-gcc qemu-aarch64 gdb-multiarch
	cat >arm.c <<-'END'
		#include <alloca.h>
		#include <stdlib.h>
		#include <string.h>
		#define APART __attribute__((noinline))
		#define KEEP __asm__ volatile("" ::: "memory")
		volatile int sink;
		APART void stop(void) { sink++; KEEP; }
		APART void tail(void) { stop(); }
		APART void deep(int n)
		{ volatile char room[200]; room[n] = 1; if (n == 0) stop(); else deep(n - room[n]); sink += room[n]; }
		APART void dynamic(size_t n) { char *p = alloca(n); memset(p, 1, n); stop(); sink += p[n / 2]; }
		APART int compare(const void *a, const void *b)
		{ if (sink < 1000) stop(); return *(const int *)a - *(const int *)b; }
		APART void sorter(void) { int v[3] = { 2, 1, 3 }; qsort(v, 3, sizeof *v, compare); sink += v[0]; }
		APART double many(double a, double b, double c, int n)
		{ double r = a * b; if (n > 0) r += many(c, a, b, n - 1); else stop(); return r * c + a - b; }
		APART __attribute__((noreturn)) void ends(void) { stop(); exit(0); }
		int main(int argc, char **argv)
		{
			(void)argv; stop(); tail(); deep(0); deep(3); deep(30); deep(100); dynamic(64 + argc);
			dynamic(5000); sorter(); sink += (int)many(1, 2, 3, 6); ends();
		}
	END
	for flags in -O0 "-O2 -mbranch-protection=standard" "-O3 -fomit-frame-pointer"; do
		# shellcheck disable=SC2086 # flags are words
		aarch64-linux-gnu-gcc -static $flags -o arm arm.c
		walked
		read -r offset address size < <(readelf -lW arm | awk '$1 == "LOAD" && /R E/ { print $2, $3, $5 }')
		recording | perfmake --no-attr >arm.data
		want_status 0 perfdec --frames --max-stack 1000 arm.data
		silent
		# gdb leaves the numbers of clones out, and prefers another one of two names
		addressed <out | sed -E 's/\.[0-9]+;/;/g; s/ __qsort_r;/ qsort_r;/g' >got
		awk '
			/^place / { if (s != "") print s; s = "" }
			/^#/ { pc = $2; sub(/^0x0*/, "", pc); s = s pc " " $4 ";" }
			END { if (s != "") print s }' gdb.out >want
		[ "$(wc -l <want)" -gt 150 ]
		same want got || fail "$flags"
		[ "$(grep -c '^[0-9a-f]* stop;.* deep.* main;.* _start;$' want)" -ge 10 ]
	done
}

@test "a section that claims 200 MiB of a hole takes no memory" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	local headers index
	built holes -O2
	headers=$(od -A n -t u8 -j 40 -N 8 holes)
	index=$(readelf -SW holes | sed -n 's/^ *\[ *\([0-9]*\)\] \.eh_frame .*/\1/p')
	patch holes $((headers + index * 64 + 32)) '\0\0\x80\x0c\0\0\0\0'
	truncate -s 400M holes
	sampled holes 60000
	want_status 0 perfdec --max-stack 1000 --max-memory 64M holes.data
	silent
	own_frames <out >got
	same want got
}

@test "unwind information of more than 256 KiB is read to its end" {
	# that of the functions of selfsample is after that of these
	printf '.text\n.rept 30000\n.cfi_startproc\nnop\n.cfi_endproc\n.endr\n.section .note.GNU-stack\n' >many.s
	built large -O2 many.s
	[ $((0x$(readelf -SW large | sed -n 's/.* \.eh_frame  *[A-Z]* *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p'))) -gt 524288 ]
	sampled large 60000
	want_status 0 perfdec --max-stack 1000 large.data
	silent
	own_frames <out >got
	same want got
}

@test "crafted unwind information: bounded, and the same frames from the cache" {
	local corpus=$ROOT/t/fuzz/corpus/unwind
	want_status 0 fuzz-unwind "$corpus"/*
	want_status 0 fuzz-unwind --prefixes 1 "$corpus"/*
	want_status 0 fuzz-unwind --flips 2000 1 "$corpus"/*
}

@test "the unwinder by tables: operations, instructions, forms of entries, frame pointers" {
	local archive
	use_archive
	build_c "$T/unwind" t/unit/unwind.c "$archive" "${LIBRARIES[@]}"
	want_status 0 "$T/unwind"
	silent
}

# bats test_tags=slow
@test "libdw finds the same rules, at every place of several objects" {
	local objects
	build_c "$T/cfi" t/unit/cfi.c src/symbol/{elffile,elfcfi,elfsyms,elfplt,elfpack}.c src/unwind/cfi.c \
		lib/{err,esc,buf,mem,vec,file,tab,seed,in,out,sig,symtab}.c -ldw -lelf -lz -llzma -lzstd
	built dynamic -O2
	built fixed -O3 -no-pie
	built static -O2 -static
	mapfile -t objects < <(ldd dynamic | grep -o '/[^ ]*')
	[ "${#objects[@]}" -ge 2 ]
	want_status 0 ./cfi dynamic fixed static "${objects[@]}"
	[ "$(grep -c ' places, [1-9][0-9]* entries$' out)" -eq $((3 + ${#objects[@]})) ]
}

# like_perf PROGRAM: records it.  Its frames are those that perf finds, up to one sample in 200.  The
# only other difference is the one that VIOLATIONS.md names: perf names stubs of the PLT after the
# symbol before them.  Their number is left in the file stubs.
like_perf() {
	local data=$1.data
	perf record -q -F 3000 -e cpu-clock:u --call-graph dwarf,16384 -o "$data" "./$1" >/dev/null 2>&1
	want_status 0 perfdec "$data"
	# innermost first, without what marks that callers are missing
	sed -n '/^sample/s/.*\tstack=\([^\t]*\).*/\1/p' out | awk -F ';' '{
		s = $NF
		for (i = NF - 1; i > 0; i--) if ($i != "[truncated]") s = s ";" $i
		print s }' >ours
	perf script --no-inline -F ip,sym,dso -i "$data" 2>/dev/null | awk '
		NF == 0 { if (s != "") print s; s = ""; next }
		$1 == "ffffffffffffffff" { next }
		{ name = $0; sub(/^[ \t]*[0-9a-f]+ /, "", name); dso = name; sub(/ \([^()]*\)$/, "", name) }
		name == "[unknown]" {
			sub(/.* \(/, "", dso); sub(/\)$/, "", dso); sub(/.*\//, "", dso)
			name = dso ~ /^\[/ ? dso : "[" dso "]" }
		{ s = s (s == "" ? "" : ";") name }
		END { if (s != "") print s }' >perfs
	[ "$(wc -l <ours)" -gt 100 ] || fail "$1: $(wc -l <ours) samples" || return
	[ "$(wc -l <ours)" -eq "$(wc -l <perfs)" ] || fail "$1: samples" || return
	awk -F ';' '
		NR == FNR { line[FNR] = $0; next }
		$0 == line[FNR] { next }
		{
			n = split(line[FNR], own, ";")
			for (i = 1; i <= n && n == NF; i++)
				if (own[i] != $i && !(own[i] ~ /@plt$/ && $i == "_init")) break
			if (n == NF && i > n) { stubs++; next }
			other++
			print "perf " $0; print "ours " line[FNR]
		}
		END { print stubs + 0 >"stubs"; exit other * 200 > FNR }' ours perfs >differences ||
		fail "$1: $(head -n 20 differences | cut -c 1-400)"
}

perf_records() {
	need perf
	perf record -q -e cpu-clock -o probe.data true 2>/dev/null || skip "perf cannot record here"
}

# bats test_tags=slow,sanitize
@test "perf finds the same callers: recursion, qsort" {
	local flags
	perf_records
	cat >work.c <<-'END'
		#include <stdlib.h>
		#include <string.h>
		volatile unsigned long sink;
		__attribute__((noinline)) static int compare(const void *a, const void *b)
		{ unsigned i; for (i = 0; i < 40; i++) sink += i; return *(const int *)a - *(const int *)b; }
		__attribute__((noinline)) static void recurse(int n)
		{ volatile char room[100]; unsigned i; room[n] = 1;
		  if (n > 0) recurse(n - room[n]); else for (i = 0; i < 100000; i++) sink += i;
		  sink += room[n]; }
		int main(void)
		{ int i, k, v[3000];
		  for (i = 0; i < 240; i++) {
		    for (k = 0; k < 3000; k++) v[k] = rand();
		    qsort(v, 3000, sizeof *v, compare); recurse(5); recurse(30); }
		  return 0; }
	END
	for flags in "-O2" "-O0" "-O2 -no-pie"; do
		# shellcheck disable=SC2086 # flags are words
		${CC:-cc} $flags -g -o work work.c
		like_perf work
	done
}

# bats test_tags=slow,sanitize
@test "perf finds the same callers: C++ with templates, lambdas and virtual functions" {
	perf_records
	need g++
	cat >templates.cc <<-'END'
		#include <algorithm>
		#include <functional>
		#include <map>
		#include <memory>
		#include <numeric>
		#include <string>
		#include <vector>
		volatile unsigned long sink;
		template <class T, int N> struct grid {
			std::vector<T> cell = std::vector<T>(N);
			template <class F> __attribute__((noinline)) void each(F f) { for (auto &c : cell) f(c); }
			__attribute__((noinline)) T total() const { return std::accumulate(cell.begin(), cell.end(), T{}); }
		};
		struct shape { virtual ~shape() {} virtual unsigned long area(unsigned n) const = 0; };
		template <unsigned K> struct box : shape {
			unsigned long area(unsigned n) const override
			{ unsigned long s = 0; for (unsigned i = 0; i < n * K; i++) s += i ^ sink; return s; }
		};
		template <class... A> __attribute__((noinline)) unsigned long add(A... a)
		{
			unsigned long s = 0;
			for (unsigned long v : { static_cast<unsigned long>(a)... })
				for (int i = 0; i < 20; i++) s += v ^ sink;
			return s;
		}
		namespace {
			__attribute__((noinline)) void repeat(int n, const std::function<void(int)> &f) { while (n--) f(n); sink++; }
		}
		int main()
		{
			std::vector<std::unique_ptr<shape>> all;
			all.emplace_back(new box<3>);
			all.emplace_back(new box<7>);
			for (int round = 0; round < 1600; round++) {
				grid<long, 2000> g;
				g.each([&](long &c) { c = static_cast<long>(add(round, c, 3u)); });
				std::sort(g.cell.begin(), g.cell.end(), [](long a, long b) { sink++; return a % 97 < b % 97; });
				repeat(20, [&](int n) { for (auto &s : all) sink += s->area(100u + static_cast<unsigned>(n)); });
				std::map<std::string, int> count;
				for (long c : g.cell) count[std::to_string(c)]++;
				sink += static_cast<unsigned long>(g.total()) + count.size();
			}
		}
	END
	g++ -O2 -g -o templates templates.cc
	like_perf templates
	grep -q '^box<7u>::area;.*(anonymous namespace)::repeat;main;' ours
	grep -q 'grid<long, 2000>::each<main::{lambda(long&)#1}>;main;' ours
}

# bats test_tags=slow,sanitize
@test "perf finds the same callers: C++ exceptions thrown through several functions" {
	perf_records
	need g++
	cat >throws.cc <<-'END'
		#include <stdexcept>
		#include <string>
		volatile unsigned long sink;
		struct guard { int n; ~guard() { for (int i = 0; i < 50; i++) sink += static_cast<unsigned long>(n); } };
		__attribute__((noinline)) static int deep(int n)
		{
			guard g{n};
			if (n == 0) throw std::runtime_error("at the bottom " + std::to_string(sink));
			return deep(n - 1) + g.n;
		}
		__attribute__((noinline)) static int middle(int n)
		{ try { return deep(n); } catch (const std::logic_error &) { return 1; } }
		__attribute__((noinline)) static int again(int n)
		{
			try { return middle(n); }
			catch (const std::exception &e) { sink += static_cast<unsigned char>(e.what()[0]); if (n % 2 != 0) throw; return 2; }
		}
		int main()
		{
			for (int i = 0; i < 60000; i++)
				try { sink += static_cast<unsigned long>(again(i % 12)); } catch (...) { sink++; }
		}
	END
	g++ -O2 -g -o throws throws.cc
	like_perf throws
	grep -q '_Unwind_RaiseException;__cxa_throw;deep;.*;again;main;' ours
	grep -q '_Unwind_Resume;deep;.*;again;main;' ours
}

@test "perf finds the same callers, but not the names of stubs: calls into a library" {
	perf_records
	cat >parts.c <<-'END'
		#define F(n) unsigned long part##n(unsigned long x) { return x * 3 + n; }
		F(1) F(2) F(3) F(4)
	END
	cat >stubs.c <<-'END'
		unsigned long part1(unsigned long), part2(unsigned long), part3(unsigned long), part4(unsigned long);
		volatile unsigned long sink;
		__attribute__((noinline)) static void calls(unsigned n)
		{ unsigned long x = n; while (n--) x = part1(part2(part3(part4(x)))); sink += x; }
		int main(void) { int i; for (i = 0; i < 150000; i++) calls(500); return 0; }
	END
	${CC:-cc} -O2 -shared -fPIC -o libparts.so parts.c
	${CC:-cc} -O2 -g -o calls stubs.c -L. -lparts -Wl,-rpath,"$PWD"
	like_perf calls
	grep -c '^part[1-4]@plt;calls[^;]*;main;' ours >found
	[ "$(cat found)" -ge 5 ]
	# an older perf names none of them right, or not the first, and a newer one all
	[ "$(cat stubs)" -le "$(cat found)" ]
}

# bats test_tags=slow,sanitize
@test "perf finds the same callers: Rust" {
	perf_records
	need rustc
	cat >rust.rs <<-'END'
		use std::collections::HashMap;
		trait Shape { fn area(&self, n: u64) -> u64; }
		struct Square(u64);
		struct Circle(u64);
		impl Shape for Square {
		    #[inline(never)] fn area(&self, n: u64) -> u64 { (0..n).fold(self.0, |a, b| a.rotate_left(3) ^ b) }
		}
		impl Shape for Circle {
		    #[inline(never)] fn area(&self, n: u64) -> u64 { (0..n).map(|x| x * self.0).fold(1, |a, b| a ^ b.rotate_right(5)) }
		}
		#[inline(never)] fn recurse<T: Fn(u64) -> u64>(n: u64, f: &T) -> u64 {
		    if n == 0 { f(n) } else { recurse(n - 1, f).wrapping_add(n) }
		}
		fn main() {
		    let all: Vec<Box<dyn Shape>> = vec![Box::new(Square(3)), Box::new(Circle(5))];
		    let mut sum = 0u64;
		    let mut count: HashMap<u64, Vec<u64>> = HashMap::new();
		    for round in 0..6000u64 {
		        for s in &all { sum = sum.wrapping_add(s.area(3000 + round)); }
		        sum = sum.wrapping_add(recurse(20, &|x| (0..2000).fold(x, |a, b| a.rotate_left(1) ^ b ^ round)));
		        for i in 0..1000 { count.entry((sum ^ i) % 301).or_default().push(i); }
		        let mut v: Vec<u64> = (0..2000).map(|i| (i * 7919 + sum % 1009) % 1009).collect();
		        v.sort_by(|a, b| b.cmp(a));
		        sum = sum.wrapping_add(v[0]);
		    }
		    println!("{} {}", sum, count.len());
		}
	END
	# rustup keeps its compilers in the real home
	HOME=$(getent passwd "$(id -u)" | cut -d : -f 6) rustc -O -g -o rust rust.rs
	like_perf rust
	grep -q 'rust::recurse;.*rust::main;' ours
	grep -q 'as rust::Shape>::area;rust::main;' ours
}
