#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# perfdec_places.bats - where object files are found, and whether they are the recorded ones
# (src/symbol/places.c).

load lib
load perfdec

ID=5555555555555555555555555555555555555555
OTHER=6666666666666666666666666666666666666666

setup_file() {
	helpers perfmake
}

# library NAME FUNCTION [FLAG...]: a library whose one function, which only .symtab has, is called so.
library() {
	local name=$1 function=$2
	shift 2
	printf '.text\n.skip 64\n.type %s,%%function\n%s: .skip 16\n.size %s,16\n.globl seen\n.type seen,%%function\nseen: .skip 16\n.size seen,16\n' \
		"$function" "$function" "$function" >"$name.s"
	${CC:-cc} -shared -nostdlib "$@" -o "$name" "$name.s" && rm "$name.s"
}

# place FILE SYMBOL: where the symbol is in the file, by nm and the program headers.
place() {
	local at off vaddr size
	at=$((0x$(nm "$1" | awk -v name="$2" '$3 == name { print $1; exit }')))
	while read -r off vaddr size; do
		((at < vaddr || at >= vaddr + size)) || echo $((at - vaddr + off))
	done < <(readelf -lW "$1" | awk '$1 == "LOAD" { print $2, $3, $5 }')
}

# mapping PATH [FIELD...]: a mapping of the object at 0x400000.  FIELDs are maj, min, inode and
# generation as items of perfmake; without them the record does not have them at all.
mapping() {
	local path=$1
	shift
	if [ $# -eq 0 ]; then
		echo "mmap 1 1 1 u 0x400000 0x200000 0 $path"
	else
		echo "raw 10 2 4:1 4:1 8:0x400000 8:0x200000 8:0 $* 4:5 4:2 s1024:$path"
	fi
}

# inode FILE: its device and inode, as items of perfmake.
inode() {
	local device
	device=$(stat -c %d "$1")
	echo "4:$((device >> 8 & 0xfff)) 4:$((device & 0xff | device >> 12 & 0xfff00)) 8:$(stat -c %i "$1") 8:0"
}

# sampled PLACE...: samples at these places of the object.
sampled() {
	local at
	for at; do
		echo "sample 1 1 2 u $((0x400000 + at))"
	done
}

regions() {
	sed -n 's/^sample\t[^\t]*\t[^\t]*\t\([^\t]*\)\t.*/\1/p' out
}

# named REGION COMMAND...: the command gives status 0, and its only sample that region.
named() {
	local want=$1
	shift
	want_status 0 "$@" || return
	[ "$(regions)" = "$want" ] || fail "$(regions), not $want: $*"
}

# cached ID: the folder of that object in the cache.
cached() {
	echo "cache/.build-id/${1:0:2}/${1:2}"
}

@test "the places are asked in order, and the first full symbol table wins" {
	local at name places=(lib/x.so "$(cached $ID)/elf" "$(cached $ID)/debug" "debug/.build-id/${ID:0:2}/${ID:2}.debug"
		lib/x.debug lib/.debug/x.debug "debug$T/lib/x.debug" "debug$T/lib/x.so.debug" "debug$T/lib/x.so" lib/.debug/x.so)
	need objcopy strip
	mkdir lib
	library lib/x.so at_0 -Wl,--build-id=0x$ID
	at=$(place lib/x.so at_0)
	(echo "buildid $ID $T/lib/x.so"; mapping "$T/lib/x.so"; sampled "$at") | perfmake >x.data
	# the same build in every place, but for the name
	cp lib/x.so stripped
	strip stripped
	: >x.debug
	objcopy --add-gnu-debuglink=x.debug stripped
	for ((i = 1; i < ${#places[@]}; i++)); do
		mkdir -p "$(dirname "${places[i]}")"
		library "${places[i]}" at_$i -Wl,--build-id=0x$ID
	done
	for ((i = 0; i < ${#places[@]}; i++)); do
		named at_$i perfdec --buildid-dir cache --debug-dir debug x.data || fail "${places[i]}"
		silent
		[ $i -eq 0 ] && cp stripped lib/x.so || rm "${places[i]}"
	done
	named '[x.so]' perfdec --buildid-dir cache --debug-dir debug x.data
	# one of another build is passed over
	for ((i = 0; i < ${#places[@]}; i++)); do
		library other wrong -Wl,--build-id=0x$OTHER
		[ $i -eq 0 ] || mv other "${places[i]}"
		named '[x.so]' perfdec --buildid-dir cache --debug-dir debug x.data || fail "wrong ${places[i]}"
	done
}

@test "a file that has everything is the only one that is opened" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "leaks cannot be looked for under strace"
	need strace
	library x.so inner -Wl,--build-id=0x$ID
	mkdir -p "$(cached $ID)"
	cp x.so "$(cached $ID)/elf"
	(echo "buildid $ID $T/x.so"; mapping "$T/x.so"; sampled "$(place x.so inner)") | perfmake >x.data
	named inner strace -qq -o trace -e trace=openat,open,openat2 perfdec --buildid-dir cache x.data
	sed -n '/x\.data/,$p' trace | grep -v '/proc/self/fd\|ENOENT\|x\.data' >opened || :
	[ "$(grep -c . opened)" -eq 1 ] || fail "$(cat opened)"
	grep -q "\"$T/x.so\"" opened
}

@test "--symfs: nothing outside of it is opened, but for folders that options name" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "leaks cannot be looked for under strace"
	need strace
	mkdir -p root home
	library x.so decoy -Wl,--build-id=0x$ID
	library y.so decoy
	mkdir -p "$(cached $ID)"
	cp x.so "$(cached $ID)/elf"
	mv cache home/.debug
	{
		echo "buildid $ID $T/x.so"
		mapping "$T/x.so"
		echo "mmap 1 1 1 u 0x800000 0x100000 0 $T/y.so"
		echo 'mmap 0xffffffff 0 1 k 0xffffffff81000000 0x1000000 0xffffffff81000000 [kernel.kallsyms]_text'
		sampled "$(place x.so decoy)"
		echo "sample 1 1 2 u 0x801000"
		echo "sample 1 1 2 k 0xffffffff81000110"
	} | perfmake >x.data
	want_status 0 env HOME="$T/home" strace -qq -o trace -e trace=file perfdec --symfs root x.data
	[ "$(regions | tr '\n' ' ')" = "[x.so] [y.so] [kernel.kallsyms] " ]
	# what is looked up in the folder is relative to its descriptor
	sed '1,/"x\.data"/d' trace | grep '"/' | grep -v '^openat2([0-9]\|"/proc/self/' >outside || :
	[ ! -s outside ] || fail "$(cat outside)"
	mv home/.debug cache
	want_status 0 perfdec --symfs root --buildid-dir cache x.data
	[ "$(regions | head -n 1)" = decoy ]
}

@test "a debug file without a build id must have the CRC of the link" {
	need objcopy strip
	library x.so inner -Wl,--build-id=none
	(mapping "$T/x.so"; sampled "$(place x.so inner)") | perfmake >x.data
	objcopy --only-keep-debug x.so x.debug
	strip x.so
	objcopy --add-gnu-debuglink=x.debug x.so
	touch x.data
	mkdir debug
	for place in . .debug "debug$T"; do
		mkdir -p "$place"
		[ -e "$place/x.debug" ] || mv x.debug "$place"
		named inner perfdec --debug-dir debug x.data || fail "$place"
		cp "$place/x.debug" good
		printf x >>"$place/x.debug"
		touch x.data
		named '[x.so]' perfdec --debug-dir debug x.data || fail "wrong $place"
		rm "$place/x.debug"
		mv good x.debug
		touch x.data
	done
}

@test "debug sections that are compressed" {
	local how
	need objcopy
	printf 'static int __attribute__((noinline, used)) inner(int n) { return n + 1; }\nint seen(int n) { return inner(n); }\n' >x.c
	for how in zlib zlib-gnu zstd; do
		${CC:-cc} -g -O1 -shared -fPIC -nostdlib -Wl,--build-id=0x$ID -o x.so x.c
		(echo "buildid $ID $T/x.so"; mapping "$T/x.so"; sampled "$(place x.so inner)") | perfmake >x.data
		objcopy --only-keep-debug --compress-debug-sections=$how x.so x.debug 2>err || continue
		mkdir -p debug/.build-id/${ID:0:2}
		mv x.debug "debug/.build-id/${ID:0:2}/${ID:2}.debug"
		strip x.so
		named inner perfdec --debug-dir debug x.data || fail $how
	done
	[ -e debug ]
}

@test "programs of every kind: static, static-pie, at a fixed address, at another address" {
	local flags n=0 made=0
	printf 'static int __attribute__((noinline, used)) inner(int n) { return n + 1; }\nint main(void) { return inner(-1); }\n' >x.c
	for flags in -pie -no-pie -static -static-pie "-no-pie -Wl,-Ttext-segment=0x10000000" \
		"-pie -Wl,-Ttext-segment=0x7000000" "-no-pie -Wl,-z,noseparate-code" "-shared -fPIC"; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # flags are words
		${CC:-cc} $flags -Wl,--build-id=0x$ID -o x$n x.c 2>err || continue
		(echo "buildid $ID $T/x$n"; mapping "$T/x$n"; sampled "$(place x$n inner)") | perfmake >x$n.data
		named inner perfdec x$n.data || fail "$flags"
		silent
		made=$((made + 1))
		# the same with a debug file
		objcopy --only-keep-debug x$n x$n.debug
		strip x$n
		objcopy --add-gnu-debuglink=x$n.debug x$n
		named inner perfdec x$n.data || fail "$flags, stripped"
		rm x$n.debug
		[[ $flags == -static* ]] || continue
		named "[x$n]" perfdec x$n.data || fail "$flags, without its debug file"
	done
	[ "$made" -ge 6 ]
}

@test ".gnu_debugdata: its symbols join those in .dynsym" {
	local inner seen
	need objcopy strip xz
	library x.so inner -Wl,--build-id=0x$ID
	inner=$(place x.so inner) seen=$(place x.so seen)
	(echo "buildid $ID $T/x.so"; mapping "$T/x.so"; sampled "$inner" "$seen") | perfmake >x.data
	echo inner >keep
	objcopy --only-keep-debug x.so debug
	objcopy -S --keep-symbols=keep debug mini
	xz -k mini
	strip x.so
	want_status 0 perfdec x.data
	[ "$(regions | tr '\n' ' ')" = "[x.so] seen " ]
	cp x.so stripped
	objcopy --add-section .gnu_debugdata=mini.xz stripped x.so
	want_status 0 perfdec x.data
	silent
	[ "$(regions | tr '\n' ' ')" = "inner seen " ]
	# a full debug file comes first
	mkdir .debug
	library .debug/x.so full -Wl,--build-id=0x$ID
	want_status 0 perfdec x.data
	[ "$(regions | tr '\n' ' ')" = "full seen " ]
	rm .debug/x.so
	# damage, and much from little, give no names, and take neither time nor memory
	head -c 100 mini.xz >cut.xz
	objcopy --add-section .gnu_debugdata=cut.xz stripped x.so
	want_status 0 perfdec x.data
	[ "$(regions | tr '\n' ' ')" = "[x.so] seen " ]
	(cat mini; head -c 300000000 /dev/zero) | xz -1 >bomb.xz
	objcopy --add-section .gnu_debugdata=bomb.xz stripped x.so
	want_status 0 perfdec --max-memory 64M x.data
	[ "$(regions | tr '\n' ' ')" = "[x.so] seen " ]
}

# ---- objects without a build id

@test "without a build id: the file of that device and inode, and no other" {
	local item at
	library x.so inner -Wl,--build-id=none
	at=$(place x.so inner)
	item=$(inode x.so)
	(mapping "$T/x.so" "$item"; sampled "$at") | perfmake >same.data
	named inner perfdec same.data
	silent
	# a pipe has no date
	named inner perfdec <same.data
	named inner sh -c 'cat same.data | perfdec'
	# another inode
	(mapping "$T/x.so" "${item%8:*8:*}8:$(($(stat -c %i x.so) + 1)) 8:0"; sampled "$at") | perfmake >inode.data
	named '[x.so]' perfdec inode.data
	said "no symbols for $T/x.so: no build id, and a different device or inode, so it cannot be checked (1 sample)"
	if [ "$(($(stat -c %d x.so) >> 8 & 0xfff))" -ne 0 ]; then
		(mapping "$T/x.so" "4:201 ${item#4:* }"; sampled "$at") | perfmake >device.data
		named '[x.so]' perfdec device.data
	fi
	# of the same moment, and written again in place
	touch -r x.so same.data
	named inner perfdec same.data
	silent
	touch -d '2010-01-01' same.data
	named '[x.so]' perfdec same.data
	said "no build id, and newer than the recording, so it cannot be checked"
	# the user says that it is the right one, or has put it there for this
	named inner perfdec --force same.data
	said "the names of $T/x.so are a guess: no build id, and newer than the recording, so it cannot be checked"
	grep -q '^sample.*	dso=[^	]*	forced=1	symoff=' out
	mkdir -p "root$T"
	cp x.so "root$T"
	named inner perfdec --symfs root same.data
	silent
}

@test "without a build id and an inode: a file that is older than the recording" {
	library x.so inner -Wl,--build-id=none
	(mapping "$T/x.so"; sampled "$(place x.so inner)") | perfmake >x.data
	named inner perfdec x.data
	named inner perfdec <x.data
	named '[x.so]' sh -c 'cat x.data | perfdec'
	said 'no build id and no date, so it cannot be checked'
	# its own date can be set, but not the one of the change of its name
	soon touch -r x.data x.so
	cp x.so new
	touch -d '2010-01-01' new
	mv new x.so
	named '[x.so]' perfdec x.data
	said 'no build id, and newer than the recording, so it cannot be checked'
	named inner perfdec --force x.data
	# all numbers 0 are no numbers
	(mapping "$T/x.so" 4:0 4:0 8:0 8:0; sampled "$(place x.so inner)") | perfmake >zero.data
	named inner perfdec zero.data
}

@test "a later mapping with a generation does not change what has been found without one" {
	local item
	library x.so inner -Wl,--build-id=none
	item=$(inode x.so)
	{
		mapping "$T/x.so" "$item"
		sampled "$(place x.so inner)"
		mapping "$T/x.so" "${item% *} 8:77"
		sampled "$(place x.so seen)"
	} | sed 's/^sample 1 1 2/sample 1 1 1/' | perfmake >x.data # all at one time
	want_status 0 perfdec x.data
	silent
	[ "$(regions | tr '\n' ' ')" = "inner seen " ]
}

@test "on another machine, inodes and dates say nothing" {
	local item
	library x.so inner -Wl,--build-id=none
	item=$(inode x.so)
	for host in "$(uname -n)" elsewhere; do
		(echo "raw 80 0 8:3 4:64 s64:$host"; mapping "$T/x.so" "$item"; sampled "$(place x.so inner)") | perfmake >"$host.data"
	done
	named inner perfdec "$(uname -n).data"
	named '[x.so]' perfdec elsewhere.data
	said 'no build id, and from another machine, so it cannot be checked'
	named inner perfdec --force elsewhere.data
}

@test "an object of another build is used only with --force, and only if no other is found" {
	library x.so first -Wl,--build-id=0x$ID
	(echo "buildid $ID $T/x.so"; mapping "$T/x.so"; sampled "$(place x.so first)") | perfmake >x.data
	mkdir -p "$(cached $ID)"
	mv x.so "$(cached $ID)/elf"
	# deleted, but still in the cache
	named first perfdec --buildid-dir cache x.data
	silent
	# replaced
	library x.so second -Wl,--build-id=0x$OTHER
	named first perfdec --buildid-dir cache --force x.data
	silent
	named '[x.so]' perfdec x.data
	said "its build id differs from the recording's"
	named second perfdec --force x.data
	said "the names of $T/x.so are a guess: its build id differs from the recording's"
	grep -q '	forced=1	' out
	# and its own debug file
	cp x.so full
	strip x.so
	mkdir .debug
	cp full .debug/x.so
	named second perfdec --force x.data
	# what is no object at all is not forced
	echo text >x.so
	named '[x.so]' perfdec --force x.data
	rm x.so
	named '[x.so]' perfdec --force x.data
}

@test "objects without names that occur only as callers: the note says so, and no number of samples" {
	{
		echo "mmap 1 1 1 u 0x400000 0x1000 0 /gone/a.so"
		echo "mmap 1 1 1 u 0x500000 0x1000 0 /gone/b.so"
		echo "mmap 1 1 1 u 0x600000 0x1000 0 /gone/c.so"
		echo "sample 1 1 2 u 0x400010 0x400010 0x500010 0x600010"
	} | perfmake >x.data
	want_status 0 perfdec --symfs "$T" x.data
	same err - <<-'END'
		perfdec: no symbols for /gone/a.so: open: No such file or directory (1 sample)
		perfdec: no symbols for 2 other objects (only callers); --missing lists them
	END
	want_status 0 perfdec --missing --symfs "$T" x.data
	[ "$(sed -n 2p err)" = 'perfdec: no symbols for /gone/b.so: open: No such file or directory (only callers)' ]
}

@test "--missing lists all objects without names, those that cost most first" {
	{
		echo "mmap 1 1 1 u 0x400000 0x1000 0 /gone/a.so"
		echo "mmap 1 1 1 u 0x500000 0x1000 0 /gone/b.so"
		echo "mmap 1 1 1 u 0x600000 0x1000 0 /gone/c.so"
		echo "mmap 1 1 1 u 0x700000 0x1000 0 /gone/never.so"
		echo "mmap 1 1 1 u 0x800000 0x1000 0 memfd:x"
		echo "mmap 1 1 1 u 0x900000 0x1000 0 memfd:caller"
		echo "sample 1 1 2 u 0x400010 0x400010 0x500010 0x600010 0x900010"
		for at in 5 5 5 6 6 8; do echo "sample 1 1 3 u 0x${at}00010"; done
	} | perfmake >x.data
	want_status 0 perfdec --missing --symfs "$T" x.data
	same err - <<-'END'
		perfdec: no symbols for /gone/b.so: open: No such file or directory (3 samples)
		perfdec: no symbols for /gone/c.so: open: No such file or directory (2 samples)
		perfdec: no symbols for /gone/a.so: open: No such file or directory (1 sample)
		perfdec: no symbols for memfd:x: not a file (1 sample)
	END
	want_status 0 perfdec --symfs "$T" x.data
	same err - <<-'END'
		perfdec: no symbols for /gone/b.so: open: No such file or directory (3 samples)
		perfdec: no symbols for 2 other objects (3 samples); --missing lists them
	END
	# the samples of all operands
	want_status 0 perfdec --missing --symfs "$T" x.data x.data
	[ "$(head -n 1 err)" = "perfdec: no symbols for /gone/b.so: open: No such file or directory (6 samples)" ]
	want_status 2 perfdec --missing --no-symbols x.data
	# more than the messages that are printed otherwise
	for ((i = 0; i < 50; i++)); do
		echo "mmap 1 1 1 u $((0x400000 + i * 4096)) 0x1000 0 /gone/$i.so"
		echo "sample 1 1 2 u $((0x400000 + i * 4096))"
	done | perfmake >many.data
	want_status 0 perfdec --missing --symfs "$T" many.data
	[ "$(wc -l <err)" -eq 50 ]
}

# ---- recorded here

# bats test_tags=slow,sanitize
@test "a library that is loaded later, and one that was deleted, recorded by perf" {
	local id
	perf record -q -e cpu-clock -o probe.data true 2>/dev/null || skip "perf cannot record here"
	cat >work.c <<-'END'
		volatile unsigned n;
		static __attribute__((noinline, used)) void burn(void) { unsigned i; for (i = 0; i < 300000000; i++) n += i; }
		void work(void) { burn(); n++; }
	END
	cat >main.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			void *l = dlopen("./work.so", RTLD_NOW);
			void (*work)(void) = l == NULL ? NULL : (void (*)(void))dlsym(l, "work");
			if (work == NULL)
				return 1;
			work();
			return argc > 1 ? unlink(argv[1]) : 0;
		}
	END
	${CC:-cc} -O1 -shared -fPIC -Wl,--build-id -o work.so work.c
	${CC:-cc} -O1 -o main main.c -ldl
	perf record -q -e cpu-clock -o late.data ./main 2>/dev/null
	want_status 0 perfdec late.data
	[ "$(regions | grep -c '^burn$')" -ge 20 ] || fail "$(regions | sort | uniq -c | tail -n 3)"
	# through a pipe there is no build id, but the inode
	perf record -q -e cpu-clock -o - ./main 2>/dev/null >pipe.data
	want_status 0 sh -c 'cat pipe.data | perfdec'
	[ "$(regions | grep -c '^burn$')" -ge 20 ] || fail "$(cat err)"
	# deleted, and in the cache
	id=$(readelf -n work.so | sed -n 's/.*Build ID: //p')
	mkdir -p "$(cached "$id")"
	cp work.so "$(cached "$id")/elf"
	perf record -q --buildid-mmap -e cpu-clock -o gone.data ./main work.so 2>/dev/null || skip "no build ids in mappings here"
	[ ! -e work.so ]
	want_status 0 perfdec gone.data
	[ "$(regions | grep -c '^burn$')" -eq 0 ]
	want_status 0 perfdec --buildid-dir cache gone.data
	[ "$(regions | grep -c '^burn$')" -ge 20 ] || fail "$(cat err)"
}

@test "a process in a mount namespace of its own, while it runs" {
	need unshare strip
	local inner pid
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir hidden
	cat >x.c <<-'END'
		#include <unistd.h>
		static __attribute__((noinline, used)) int inner(int n) { return n + 1; }
		int main(void) { char c; write(1, "x", 1); return (int)read(0, &c, 1) + inner(-1); }
	END
	${CC:-cc} -O1 -Wl,--build-id=0x$ID -o x x.c
	inner=$(place x inner)
	mkfifo in ready
	# the program is seen only in there
	unshare -m sh -c 'mount -t tmpfs none hidden && cp x hidden && exec hidden/x' <in >ready 2>mounted &
	exec 7>in
	head -c 1 <ready >started
	[ -s started ] || skip "no mounts here"
	pid=$!
	[ ! -e hidden/x ]
	{
		echo "buildid $ID $T/hidden/x"
		mapping "$T/hidden/x" | sed "s/^mmap 1 1/mmap $pid $pid/"
		sampled "$inner" | sed "s/^sample 1 1/sample $pid $pid/"
	} | perfmake >x.data
	named inner perfdec x.data
	silent
	# without a build id, only if the inode is the one that was mapped
	item=$(grep -m 1 '/hidden/x$' "/proc/$pid/maps" | awk '{ split($4, d, ":"); print "4:0x" d[1], "4:0x" d[2], "8:" $5, "8:0" }')
	{
		mapping "$T/hidden/x" "$item" | sed "s/4:1 4:1/4:$pid 4:$pid/"
		sampled "$inner" | sed "s/^sample 1 1/sample $pid $pid/"
	} | perfmake >inode.data
	named inner perfdec inode.data
	{
		mapping "$T/hidden/x" | sed "s/^mmap 1 1/mmap $pid $pid/"
		sampled "$inner" | sed "s/^sample 1 1/sample $pid $pid/"
	} | perfmake >none.data
	named '[x]' perfdec none.data
	# another machine's process has that number
	mkdir -p root
	named '[x]' perfdec --symfs root x.data
	exec 7>&-
	wait $pid || :
	named '[x]' perfdec x.data
}
