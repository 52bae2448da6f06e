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
		"-O2 -static-pie"; do
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
		[ "$incomplete" -eq 0 ] || said "stack copy too short: $incomplete)"
		case $(tail -n 1 out) in
		*"	partial	input incomplete or refused	incomplete=$incomplete") [ "$status" -eq 1 ] ;;
		*"	complete	incomplete=$incomplete") [ "$incomplete" -gt 0 ] ;;
		*"	complete") [ "$incomplete" -eq 0 ] ;;
		*) fail "$copy: $(tail -n 1 out)" ;;
		esac
	done
	[ "$incomplete" -eq 0 ]
}

@test "--max-stack cuts a stack, which is marked but not incomplete" {
	local n
	built own -O2
	sampled own 48000
	for n in 1 2 3 50; do
		want_status 0 perfdec --max-stack $n own.data
		silent
		sed -n '/^sample/s/.*\tstack=\([^\t]*\).*/\1/p' out >stacks
		awk -F ';' -v n=$n '{ k = NF - ($1 == "[truncated]") } k > n || (k < n && NF != k) { print; exit 1 }' stacks
		! grep -q '^incomplete' out
		own_frames <out >got
		fits
	done
	[ "$(grep -c '^\[truncated\]' stacks)" -eq 1 ]
	want_status 2 perfdec --max-stack 0 own.data
	want_status 2 perfdec --max-stack 8001 own.data
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
	# any other address outside of all objects is not an end
	sed 's/8:0x9990 8:0 /8:0x9990 8:1 /' lines | perfmake --no-attr >other.data
	want_status 1 perfdec other.data
	grep -q '	stack=\[truncated\];g;f$' out
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
		sampled narrow 60000
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

@test "crafted unwind information: bounded, and the same frames from the cache" {
	local corpus=$ROOT/t/fuzz/corpus/unwind
	want_status 0 fuzz-unwind "$corpus"/*
	want_status 0 fuzz-unwind --prefixes 1 "$corpus"/*
	want_status 0 fuzz-unwind --flips 2000 1 "$corpus"/*
}

@test "libdw finds the same rules, at every place of several objects" {
	local objects
	build_c "$T/cfi" t/unit/cfi.c src/symbol/{elffile,elfcfi,elfsyms,elfpack}.c src/unwind/cfi.c \
		lib/{err,buf,mem,vec,file,tab,seed,in,out,sig,symtab}.c -ldw -lelf -lz -llzma -lzstd
	built dynamic -O2
	built fixed -O3 -no-pie
	built static -O2 -static
	mapfile -t objects < <(ldd dynamic | grep -o '/[^ ]*')
	[ "${#objects[@]}" -ge 2 ]
	want_status 0 ./cfi dynamic fixed static "${objects[@]}"
	[ "$(grep -c ' places, [1-9][0-9]* entries$' out)" -eq $((3 + ${#objects[@]})) ]
}

@test "perf finds the same callers" {
	local program
	perf record -q -e cpu-clock -o probe.data true 2>/dev/null || skip "perf cannot record here"
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
		  for (i = 0; i < 60; i++) {
		    for (k = 0; k < 3000; k++) v[k] = rand();
		    qsort(v, 3000, sizeof *v, compare); recurse(5); recurse(30); }
		  return 0; }
	END
	for program in "-O2" "-O0" "-O2 -no-pie"; do
		# shellcheck disable=SC2086 # flags are words
		${CC:-cc} $program -g -o work work.c
		perf record -q -F 2000 -e cpu-clock:u --call-graph dwarf,16384 -o work.data ./work 2>/dev/null
		want_status 0 perfdec work.data
		awk -F '\t' '$1 == "sample" { s = ""; for (i = 7; i <= NF; i++) if ($i ~ /^stack=/) s = substr($i, 7); print s }' out |
			awk -F ';' '{ s = $NF; for (i = NF - 1; i > 0; i--) if ($i != "[truncated]") s = s ";" $i; print s }' >ours
		perf script --no-inline -F ip,sym -i work.data 2>/dev/null | awk '
			NF == 0 { if (s != "") print s; s = ""; next }
			$1 == "ffffffffffffffff" { next }
			{ name = $2; s = s (s == "" ? "" : ";") name } END { if (s != "") print s }' >perfs
		[ "$(wc -l <ours)" -gt 20 ]
		[ "$(wc -l <ours)" -eq "$(wc -l <perfs)" ]
		# names of PLT entries differ; frames do not
		awk -F ';' 'NR == FNR { n[FNR] = NF; l[FNR] = $0; next }
			$0 == l[FNR] || l[FNR] ~ /@plt/ { same++ } NF != n[FNR] { print "perf " $0; print "ours " l[FNR]; bad++ }
			END { exit !(same * 200 >= FNR * 199 && bad == 0) }' ours perfs
	done
}
