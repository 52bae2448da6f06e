#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# perfdec_names.bats - names of C++, Rust and D functions (src/symbol/demangle.c).

load lib
load perfdec

setup_file() {
	helpers perfmake fuzz-demangle
}

# named NAME...: library.so has functions with these symbols, and named.data a sample in each.
named() {
	local name n=0
	: >library.c
	for name; do
		n=$((n + 1))
		printf 'void f%d(void) __asm__("%s");\nvoid f%d(void) { __asm__ volatile("nop;nop;nop;nop"); }\n' $n "$name" $n >>library.c
	done
	${CC:-cc} -shared -fPIC -nostdlib -o library.so library.c
	printed "$@"
}

# printed NAME...: named.data with samples at these symbols of library.so.
printed() {
	local name
	nm library.so >symbols
	{
		echo "mmap 1 1 1 u 0 0x100000000 0 $PWD/library.so"
		for name; do
			echo "sample 1 1 2 u 0x$(awk -v name="$name" '$3 == name { print $1; exit }' symbols)"
		done
	} | perfmake >named.data
}

regions() {
	sed -n 's/^sample\t[^\t]*\t[^\t]*\t\([^\t]*\)\t.*/\1/p' out
}

@test "mangled names are printed as the source spells them" {
	local names=(_Z3foov _ZN3BarIiE3bazEid _ZNSt6vectorIiSaIiEE9push_backERKi
		_ZZ4mainENKUlvE_clEv _ZN3Bar3runEv.part.0 _ZN3Bar3runEv.constprop.1.cold
		_ZN4core3fmt9Formatter3pad17h0123456789abcdefE _RNvCs1234_7mycrate3foo
		_D3std5stdio7writelnFZv plain _Znonsense _R _Z)
	named "${names[@]}"
	want_status 0 perfdec named.data
	regions >got
	cat >want <<-'END'
		foo
		Bar<int>::baz
		std::vector<int, std::allocator<int> >::push_back
		main::{lambda()#1}::operator()
		Bar::run
		Bar::run
		core::fmt::Formatter::pad
		mycrate::foo
		std.stdio.writeln()
		plain
		_Znonsense
		_R
		_Z
	END
	same want got
	want_status 0 perfdec --no-demangle named.data
	regions >got
	printf '%s\n' "${names[@]}" >want
	same want got
}

@test "names of D that refer back: to identifiers and to types, few and many, and far too many" {
	need python3
	python3 - <<-'END'
		def back(name, to):
		    """A reference from the end of the name to that place: a number of base 26."""
		    n, text = len(name) - to, ""
		    while n >= 26 or not text:
		        text, n = chr((65 if text else 97) + n % 26) + text, n // 26
		    return "Q" + (chr(65 + n) + text if n else text)
		def doubled(levels):
		    """Each type is an associative array of the one before it, twice."""
		    name, at, text = "_D3foo3barFS3abc3def", 11, "abc.def"
		    args = [text]
		    for _ in range(levels):
		        key = len(name)
		        name += "H"
		        name += back(name, at)
		        name += back(name, at)
		        at, text = key, None if levels > 20 else "%s[%s]" % (text, text)
		        args.append(text)
		    return name + "Zv", name + "Zv" if levels > 20 else "foo.bar(%s)" % ", ".join(args)
		def many(n):
		    """Each type refers to the reference before it."""
		    name, at = "_D3foo3barFS3abc3def", 11
		    for _ in range(n):
		        at, name = len(name), name + back(name, at)
		    return name + "Zv", "foo.bar(%s)" % ", ".join(["abc.def"] * (n + 1))
		def few(prefix, to, rest, want):
		    return prefix + back(prefix, to) + rest, want
		cases = [few("_D3foo3barFS", 2, "3bazZv", "foo.bar(foo.baz)"), few("_D3foo3barFS3abcZS", 6, "1q", "foo.bar(abc)"),
		         few("_D3foo3barFAAi", 11, "Zv", "foo.bar(int[][], int[][])"), few("_D3foo3barFPi", 11, "iZv", "foo.bar(int*, int*, int)"),
		         many(1), many(2), many(30), many(300), doubled(1), doubled(2), doubled(5), doubled(26)]
		open("names", "w").write("".join(name + "\n" for name, _ in cases))
		open("want", "w").write("".join(want + "\n" for _, want in cases))
	END
	local names
	mapfile -t names <names
	named "${names[@]}"
	want_status 0 timeout -s KILL 10 perfdec named.data
	regions >got
	same want got
}

@test "D: names that refer to themselves, or to an identifier of more bytes than a name has, are no names" {
	local names=(_D3foo3barFQaZv _D3foo3barFS99999Qf _D3foo3barFS123456789012345678901234567890Qbe _D3foo3barFS0Qb)
	named "${names[@]}"
	want_status 0 perfdec named.data
	regions >got
	printf '%s\n' "${names[@]}" | same - got
}

@test "D: of functions in functions, twelve levels are read" {
	local twelve=_D most=a i
	for ((i = 0; i < 12; i++)); do
		twelve+=1aFZ
	done
	for ((i = 1; i < 12; i++)); do
		most+='().a'
	done
	named "${twelve}v" "${twelve}1aFZv"
	want_status 0 perfdec named.data
	regions >got
	printf '%s\n' "$most()" "${twelve}1aFZv" | same - got
}

@test "a name that expands without end stays as it is, at once" {
	local name=_Z1fIiE i
	# each substitution doubles what the one before it stands for
	name=_Z1f
	name+=St4pairIiiE
	for ((i = 0; i < 60; i++)); do
		name+="St4pairIS$([ $i -eq 0 ] || printf '%s' "$(printf '%s' "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" | cut -c $((i % 36 + 1)))")_S$([ $i -eq 0 ] || printf '%s' "$(printf '%s' "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" | cut -c $((i % 36 + 1)))")_E"
	done
	named "$name" _Z3foov
	SECONDS=0
	want_status 0 perfdec named.data
	[ "$SECONDS" -le 5 ]
	[ "$(regions | tail -n 1)" = foo ]
}

@test "names that are built to explode take neither time nor memory" {
	local corpus=$ROOT/t/fuzz/corpus/demangle
	want_status 0 fuzz-demangle "$corpus"/*
	want_status 0 fuzz-demangle --prefixes 1 "$corpus"/*
	want_status 0 fuzz-demangle --flips "2${AFPIPE_SLOW:+0}00" 1 "$corpus"/*
	want_status 0 fuzz-demangle --random "20${AFPIPE_SLOW:+0}000" 1
}

# bats test_tags=slow,sanitize
@test "the same names as c++filt, for all functions of a library" {
	local library names
	command -v c++filt >/dev/null || skip "no c++filt"
	library=$(${CXX:-c++} -print-file-name=libstdc++.a 2>/dev/null) && [ -f "$library" ] || skip "no libstdc++.a"
	mapfile -t names < <(nm "$library" 2>/dev/null | awk '$2 == "T" || $2 == "W" { print $3 }' | grep '^_Z' | sort -u | awk 'NR % 4 == 1' | head -n 1500)
	named "${names[@]}"
	want_status 0 perfdec named.data
	regions >got
	# the stream escapes nothing here
	printf '%s\n' "${names[@]}" | c++filt -p -i >want
	same want got
}

# cached ID: the folder of an object with that build id in $T/cache.
cached() {
	echo "$T/cache/.build-id/${1:0:2}/${1:2}"
}

@test "an object of the recorded build is found in perf's cache, also if it was rebuilt since" {
	local id other
	echo 'void first(void) { __asm__ volatile("nop;nop;nop;nop"); }' >library.c
	${CC:-cc} -shared -fPIC -nostdlib -Wl,--build-id=0x1111111111111111111111111111111111111111 -o library.so library.c
	id=1111111111111111111111111111111111111111
	nm library.so >symbols
	{
		echo "buildid $id $PWD/library.so"
		echo "mmap 1 1 1 u 0 0x100000000 0 $PWD/library.so"
		echo "sample 1 1 2 u 0x$(awk '$3 == "first" { print $1 }' symbols)"
	} | perfmake >named.data
	mkdir -p "$(cached $id)" empty
	cp library.so "$(cached $id)/elf"
	want_status 0 perfdec named.data
	[ "$(regions)" = first ]
	# rebuilt, with another function there
	sed 's/first/second/' library.c >other.c
	${CC:-cc} -shared -fPIC -nostdlib -Wl,--build-id=0x2222222222222222222222222222222222222222 -o library.so other.c
	want_status 0 perfdec named.data
	[ "$(regions)" = "[library.so]" ]
	said "its build id differs from the recording's"
	want_status 0 perfdec --buildid-dir cache named.data
	[ "$(regions)" = first ]
	# the default is in the home folder, but not if another folder serves as /
	mkdir home && mv cache home/.debug
	want_status 0 env HOME="$T/home" perfdec named.data
	[ "$(regions)" = first ]
	want_status 0 env HOME=home perfdec named.data
	[ "$(regions)" = "[library.so]" ]
	want_status 0 env HOME="$T/home" perfdec --symfs empty named.data
	[ "$(regions)" = "[library.so]" ]
	want_status 0 env HOME="$T/home" perfdec --symfs empty --buildid-dir home/.debug named.data
	[ "$(regions)" = first ]
	# what is in the cache has another build id, too
	other=2222222222222222222222222222222222222222
	mv home/.debug cache && cp library.so "$(cached $id)/elf"
	want_status 0 perfdec --buildid-dir cache named.data
	[ "$(regions)" = "[library.so]" ]
	[ ! -e "$(cached $other)" ]
}

@test "the kernel's symbols are found in perf's cache if another kernel runs now" {
	local id=4444444444444444444444444444444444444444
	{
		echo "kbuildid $id [kernel.kallsyms]"
		echo "mmap 0xffffffff 0 1 k 0xffffffffa1000000 0x30000000 0xffffffffa1000000 [kernel.kallsyms]_text"
		echo "sample 1 1 2 k 0xffffffffa1000110"
	} >named.lines
	perfmake <named.lines >named.data
	mkdir -p "$(cached $id)"
	printf 'ffffffffa1000%s T %s\n' 000 _text 000 _stext 100 work 200 rest 300 _etext >"$(cached $id)/kallsyms"
	want_status 0 perfdec named.data
	[ "$(regions)" = "[kernel.kallsyms]" ]
	want_status 0 perfdec --buildid-dir cache named.data
	silent
	[ "$(regions)" = work ]
	# what it says of modules may be of another boot
	{
		sed -n 1,2p named.lines
		echo "sample 1 1 2 k 0xffffffffc0000110"
		echo "sample 1 1 2 k 0xffffffffa1000110"
	} | perfmake >module.data
	printf 'ffffffffc0000100 t other\t[module]\n' >>"$(cached $id)/kallsyms"
	want_status 0 perfdec --buildid-dir cache module.data
	[ "$(regions | tr '\n' ' ')" = "[kernel.kallsyms] work " ]
	said "no symbols for some code of [kernel.kallsyms]: "
	# of another boot: its reference symbol is elsewhere
	sed -i 's/ffffffffa1/ffffffffa3/' "$(cached $id)/kallsyms"
	want_status 0 perfdec --buildid-dir cache named.data
	[ "$(regions)" = "[kernel.kallsyms]" ]
}

@test "the kernel's symbols in perf's cache cannot be read when they are needed" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers do not run under strace"
	need strace
	local id=4444444444444444444444444444444444444444 call
	perfmake >named.data <<-END
		kbuildid $id [kernel.kallsyms]
		mmap 0xffffffff 0 1 k 0xffffffffa1000000 0x30000000 0xffffffffa1000000 [kernel.kallsyms]_text
		sample 1 1 2 k 0xffffffffa1000110
	END
	mkdir -p "$(cached $id)"
	printf 'ffffffffa1000%s T %s\n' 000 _text 000 _stext 100 work 200 rest 300 _etext >"$(cached $id)/kallsyms"
	for call in pread64:error=EIO:when=1 fstat,newfstatat:error=EIO:when=3; do
		want_status 3 strace -qq -o trace -P "$(cached $id)/kallsyms" -e "inject=$call" \
			perfdec --buildid-dir "$PWD/cache" named.data
		grep -q INJECTED trace || skip "strace injects nothing here"
		[ "$(regions)" = "[kernel.kallsyms]" ]
		said "Input/output error"
	done
	# a read that is interrupted, or is short, is repeated
	for call in pread64:error=EINTR:when=1 pread64:retval=0:when=9; do
		want_status 0 strace -qq -o trace -P "$(cached $id)/kallsyms" -e "inject=$call" \
			perfdec --buildid-dir "$PWD/cache" named.data
		[ "$(regions)" = work ]
	done
}

# Prints the build id of the running kernel: the descriptor after the note's name, GNU.
running_build_id() {
	od -An -v -tx1 /sys/kernel/notes 2>/dev/null | tr -d ' \n' |
		sed -nE 's/^(.*)?040000001400000003000000474e5500(.{40}).*/\2/p'
}

@test "names of the running kernel are not given to another build of it" {
	local id text
	text=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms) && [ -n "$text" ] || skip "no /proc/kallsyms here"
	[ "$text" != 0000000000000000 ] || skip "the addresses of the kernel are hidden"
	id=$(running_build_id) && [ -n "$id" ] || skip "no /sys/kernel/notes here"
	for id in "$id" 5555555555555555555555555555555555555555; do
		{
			echo "kbuildid $id [kernel.kallsyms]"
			echo "mmap 0xffffffff 0 1 k 0x$text 0x7effffff 0x$text [kernel.kallsyms]_text"
			echo "sample 1 1 2 k 0x$text"
		} | perfmake >build.data
		mkdir -p empty
		want_status 0 perfdec --buildid-dir empty build.data
		[ "$(regions)" = "[kernel.kallsyms]" ] && break
		silent
	done
	[ "$id" = 5555555555555555555555555555555555555555 ]
	said "no kallsyms file given, and the running kernel has a different build id"
}

@test "names of the running kernel are the same with perf's cache, at all edges" {
	local id text list="$T/kallsyms"
	cat /proc/kallsyms >"$list" 2>/dev/null || skip "no /proc/kallsyms here"
	id=$(running_build_id) && [ -n "$id" ] || skip "no /sys/kernel/notes here"
	text=$(awk '$3 == "_text" { print $1; exit }' "$list")
	mkdir -p "$(cached "$id")" empty
	cp "$list" "$(cached "$id")/kallsyms"
	# every 500th symbol, the neighbours of the marks, aliases, modules; and the bytes before them
	awk '$1 == last && /_/ && NR % 50 == 0 || NR % 500 == 0 || NR < 10 || /_s?text$|_etext$|_end$|\[/ && n[$4]++ < 20 { print $1 }
		{ last = $1; lines[NR] = $1 }
		END { for (i = NR - 10; i <= NR; i++) print lines[i] }' "$list" | sort -u >addresses
	{
		echo "kbuildid $id [kernel.kallsyms]"
		echo "mmap 0xffffffff 0 1 k 0x$text 0x7effffff 0x$text [kernel.kallsyms]_text"
		while read -r address; do
			for n in -1 0 1; do
				printf 'sample 1 1 2 k 0x%x\n' $((0x$address + n))
			done
		done <addresses
	} | perfmake >edges.data
	perfdec --buildid-dir empty edges.data >want
	perfdec --buildid-dir cache edges.data >got
	same want got
	! grep -q 0000000000000000 addresses || return 0
	[ "$(grep -c 'symoff=' got)" -gt 100 ]
	# a list with other names: the cache is used
	sed -i 's/$/.x/; s/ \(_s\?text\|_etext\)\.x$/ \1/' "$(cached "$id")/kallsyms"
	perfdec --buildid-dir cache edges.data >got
	[ "$(cut -f 4 got | grep -c '\.x$')" -gt 10 ]
}

@test "--debug-dir: names from a debug file found by build id" {
	command -v objcopy >/dev/null || skip "no objcopy"
	local id=3333333333333333333333333333333333333333
	echo 'static void __attribute__((used)) hidden(void) { __asm__ volatile("nop;nop;nop;nop"); } void seen(void) { hidden(); }' >library.c
	${CC:-cc} -shared -fPIC -nostdlib -g -Wl,--build-id=0x$id -o library.so library.c
	nm library.so >symbols
	objcopy --only-keep-debug library.so library.debug
	strip library.so
	{
		echo "buildid $id $PWD/library.so"
		echo "mmap 1 1 1 u 0 0x100000000 0 $PWD/library.so"
		echo "sample 1 1 2 u 0x$(awk '$3 == "hidden" { print $1 }' symbols)"
	} | perfmake >named.data
	want_status 0 perfdec named.data
	[ "$(regions)" = "[library.so]" ]
	mkdir -p debug/.build-id/33
	mv library.debug debug/.build-id/33/333333333333333333333333333333333333.debug
	want_status 0 perfdec --debug-dir debug named.data
	[ "$(regions)" = "[library.so]" ]
	mv debug/.build-id/33/* "debug/.build-id/33/${id:2}.debug"
	want_status 0 perfdec --debug-dir debug named.data
	[ "$(regions)" = hidden ]
}

# le N WIDTH: a little-endian number as hex digits.
le() {
	local i
	for ((i = 0; i < $2; i++)); do
		printf '%02x' $(($1 >> 8 * i & 255))
	done
}

# hex TEXT: its bytes as hex digits.
hex() {
	printf '%s' "$1" | od -A n -t x1 -v | tr -d ' \n'
}

# field NUMBER TEXT: a field of a protocol buffer, as hex digits.  varint NUMBER VALUE: the same.
field() {
	printf '%02x%02x%s' $(($1 << 3 | 2)) $((${#2} / 2)) "$2"
}

varint() {
	local v=$2
	printf '%02x' $(($1 << 3))
	for (( ; v > 127 || v < 0; v = v >> 7 & 0x1ffffffffffffff)); do
		printf '%02x' $((v & 127 | 128))
	done
	printf '%02x' "$v"
}

# mapped FEATURE HEX: a recording with that feature of simpleperf and samples in /lib/a.so, whose code
# is linked 0x10000 after its place in the file, in a dex file, in the kernel, and in a BPF program.
mapped() {
	{
		echo "raw 80 0 8:$1 x:$2"
		echo 'mmap 0xffffffff 0 1 k 0xffffffff81000000 0x1000000 0xffffffff81000000 [kernel.kallsyms]_text'
		echo 'ksymbol 1 0xffffffffc0000000 0x100 bpf_prog_1'
		echo 'mmap 1 1 1 u 0x700000 0x10000 0x4000 /lib/a.so'
		echo 'mmap 1 1 1 u 0x800000 0x10000 0 /app/b.vdex'
		for at in 'u 0x701010' 'u 0x701020' 'u 0x800110' 'k 0xffffffff81000110' 'k 0xffffffffc0000010'; do
			echo "sample 1 1 2 $at"
		done
	} | perfmake >simple.data
}

@test "names that are in the recording itself are printed without any files" {
	local elf dex kernel
	# simpleperf's older layout: path, type, lowest address, symbols, and the offset of that address
	entry() {
		local e
		e=$(hex "$1")00$(le "$2" 4)$(le "$3" 8)$(le 1 4)$(le "$4" 8)$(le 16 4)$(hex "$5")00${6-}
		echo "$(le $((${#e} / 2)) 4)$e"
	}
	elf=$(entry /lib/a.so 2 0x14000 0x15010 _Z3foov "$(le 0x4000 8)")
	dex=$(entry /app/b.vdex 3 0 0x110 Java.method "$(le 0 4)")
	printf '%s\n' foo '[a.so]' Java.method do_work bpf_prog_1 >want
	kernel=$(entry '[kernel.kallsyms]' 0 0 0xffffffff81000108 do_work)
	mapped 128 "$elf$dex$kernel"
	want_status 0 perfdec --no-symbols simple.data
	silent
	regions >got
	same want got
	# the newer one
	entry() {
		local e
		e=$(field 1 "$(hex "$1")")$(varint 2 "$2")$(varint 3 "$3")$(field 4 \
			"$(varint 1 "$4")$(varint 2 16)$(field 3 "$(hex "$5")")")${6-}
		echo "$(le $((${#e} / 2)) 4)$e"
	}
	elf=$(entry /lib/a.so 2 0x14000 0x15010 _Z3foov "$(field 6 "$(varint 1 0x4000)")")
	dex=$(entry /app/b.vdex 3 0 0x110 Java.method)
	mapped 132 "$elf$dex"
	want_status 0 perfdec --no-symbols --no-demangle simple.data
	regions >got
	printf '%s\n' _Z3foov '[a.so]' Java.method '[kernel.kallsyms]' bpf_prog_1 >want
	same want got
	# an address of the kernel has all of the ten bytes that a number may have
	mapped 132 "$elf$dex$(entry '[kernel.kallsyms]' 0 0 0xffffffff81000108 do_work)"
	want_status 0 perfdec --no-symbols --no-demangle simple.data
	silent
	[ "$(regions | tail -n 2 | head -n 1)" = do_work ]
	# without the offset of its code a name's place in the file is not known
	mapped 132 "$(entry /lib/a.so 2 0x14000 0x15010 _Z3foov)"
	want_status 0 perfdec --no-symbols simple.data
	[ "$(regions | head -n 1)" = "[a.so]" ]
	mkdir root
	want_status 0 perfdec --symfs root simple.data
	said 'no symbols for /lib/a.so: '
	# the samples without a name are counted, though others have one from the recording
	mapped 132 "$elf"
	want_status 0 perfdec --symfs root simple.data
	said 'no symbols for /lib/a.so: open: No such file or directory (1 sample)'
	# a file that has more names is still used
	mapped 132 "$elf"
	mkdir -p root/lib
	printf '%s\n' .text '.skip 0x4020' '.globl more' '.type more,%function' 'more: .skip 16' '.size more, 16' >a.s
	${CC:-cc} -shared -nostdlib -Wl,-Ttext=0x1000 -Wl,--build-id=none -o root/lib/a.so a.s
	readelf -SW root/lib/a.so | grep -q ' \.text .* 0*1000 001000 ' || skip "this linker puts the code elsewhere"
	want_status 0 perfdec --symfs root simple.data
	[ "$(regions | head -n 2 | tr '\n' ' ')" = "foo more " ]
	# what is cut short is said, and nothing is read after it
	mapped 132 "${elf:0:-4}"
	want_status 1 perfdec --no-symbols simple.data
	said 'cut short'
	# fields that are not known are passed over: a number, 8 bytes, a text, 4 bytes
	local odd=38054901020304050607085201784d01020304
	elf=$(field 1 "$(hex /lib/a.so)")$odd$(varint 2 2)$(varint 3 0x14000)$(field 4 \
		"$odd$(varint 1 0x15010)$(varint 2 16)$(field 3 "$(hex _Z3foov)")$odd")$odd$(field 6 "$odd$(varint 1 0x4000)$odd")
	mapped 132 "$(le $((${#elf} / 2)) 4)$elf"
	want_status 0 perfdec --no-symbols simple.data
	silent
	[ "$(regions | head -n 2 | tr '\n' ' ')" = "foo [a.so] " ]
	# symbols of a file whose places are not known, without a name, and without a length
	entry() {
		local e
		e=$(hex "$1")00$(le "$2" 4)$(le 0x14000 8)$(le 1 4)$(le 0x15010 8)$(le "$3" 4)$(hex "$4")00$(le 0x4000 8)
		echo "$(le $((${#e} / 2)) 4)$e"
	}
	for file in '1 16 foo' '4 16 foo' '5 16 foo' '77 16 foo' '2 0 foo' '2 16 '; do
		# shellcheck disable=SC2086 # words, of which the last may be missing
		mapped 128 "$(entry /lib/a.so $file)"
		want_status 0 perfdec --no-symbols simple.data
		silent
		[ "$(regions | head -n 1)" = "[a.so]" ] || fail "$file"
	done
	mapped 128 "$(entry /lib/a.so 2 16 foo)"
	want_status 0 perfdec --no-symbols simple.data
	[ "$(regions | head -n 1)" = foo ]
}

# Below another root, the folder of that root is closed before it is known why there is no file.
@test "files of names that cannot be closed without an error: the same names" {
	preload badclose
	local below
	mkdir -p none/lib whole/lib odd
	echo 'int twice(int x) { return x * 2; }' >twice.c
	${CC:-cc} -shared -fPIC -nostdlib -Wl,--build-id -o whole/lib/twice.so twice.c
	touch odd/lib
	perfmake >twice.data <<-END
		mmap 1 1 1 u 0x400000 0x100000 0 /lib/twice.so
		sample 1 1 10 u $(printf '0x%x' $((0x400000 + 0x$(nm whole/lib/twice.so | sed -n 's/ T twice$//p')))) u
	END
	for below in none whole odd; do
		want_status 0 perfdec --force --symfs $below twice.data
		mv out want
		mv err want.err
		[ "$(grep -c '^sample	10	[^	]*	twice	' want)" -eq "$([ $below = whole ] && echo 1 || echo 0)" ]
		want_status 0 env LD_PRELOAD="$HELPERS/badclose.so" perfdec --force --symfs $below twice.data
		same want out
		same want.err err
	done
}

@test "many places of one object with their lines: each has its own name, also the second time" {
	awk 'BEGIN {
		printf "ffffffff81000000 T _text\n"
		for (i = 0; i < 20000; i++)
			printf "ffffffff81%06x t function%d\n", 4096 + 16 * i, i
		print "ffffffff82000000 T _etext"
	}' >list
	awk 'BEGIN {
		print "mmap -1 0 1 k 0xffffffff81000000 0x1000000 0xffffffff81000000 [kernel.kallsyms]_text"
		for (n = 0; n < 2; n++)
			for (i = 0; i < 20000; i += 7)
				printf "sample 1 1 %d k 0xffffffff81%06x\n", 10 + i + n * 30000, 4096 + 16 * i + 5
	}' | perfmake >many.data
	want_status 0 perfdec --kallsyms list --srcline many.data
	[ "$(grep -c '^sample' out)" -eq 5716 ] || fail "$(grep -c '^sample' out)"
	awk -F '\t' '/^sample/ && $4 != "function" ($2 - 10) % 30000 { print; bad = 1 } END { exit bad }' out
}

@test "build ids: one path with two, also of different lengths, has none that is sure" {
	perfmake >made.data <<-'END'
		buildid 0102030405060708090a0b0c /bin/a
		buildid 01020304 /bin/a
		buildid 01020304 /bin/b
		buildid 01020304 /bin/b
		mmap 5 5 1 u 0x1000 0x1000 0 /bin/a
		mmap 5 5 1 u 0x3000 0x1000 0 /bin/b
		sample 5 5 4 u 0x1010 u 0x1010 0x3010
	END
	want_status 0 perfdec --no-symbols made.data
	grep -q '	frames=u:/bin/b@01020304+0x10-1;u:/bin/a@?+0x10$' out
}

@test "build ids: that of a module's mapping counts where the recording lists none, and an empty one is none" {
	local id=0a0b0c0d0e0f101112131415161718191a1b1c1d size listed want
	while read -r size listed want; do
		perfmake >made.data <<-END
			kbuildid 0102030405060708090a0b0c0d0e0f1011121314 /lib/modules/$listed.ko
			raw 10 0x4001 4:-1 4:0 8:0xffffffffc0000000 8:0x1000 8:0 1:$size 1:0 2:0 x:$id 4:5 4:0 s24:/lib/modules/m.ko
			sample 1 1 4 k 0xffffffffc0000010
		END
		want_status 0 perfdec --no-symbols made.data
		[ "$(sed -n 's/^sample.*	frames=//p' out)" = "k:[m]$want+0xffffffffc0000010" ] || fail "$size $listed: $(grep '^sample' out)"
	done <<-END
		20 other @$id
		20 m @0102030405060708090a0b0c0d0e0f1011121314
		8 other @${id:0:16}
		0 other
	END
}

@test "modules: only names of the recorded module, whatever a list of another time has there" {
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffffc0000100 t one	[a_mod]' \
		'ffffffffc0001100 t two	[b_mod]' 'ffffffffc0002100 T three' >list
	perfmake >made.data <<-'END'
		mmap -1 0 1 k 0xffffffff81000000 0x1000000 0xffffffff81000000 [kernel.kallsyms]_text
		mmap -1 0 1 k 0xffffffffc0000000 0x1000 0 /lib/modules/6.1/kernel/a-mod.ko.xz
		mmap -1 0 1 k 0xffffffffc0001000 0x1000 0 /lib/modules/6.1/kernel/a-mod2.ko
		mmap -1 0 1 k 0xffffffffc0002000 0x1000 0 [c_mod]
		sample 1 1 4 k 0xffffffffc0000110
		sample 1 1 5 k 0xffffffffc0001110
		sample 1 1 6 k 0xffffffffc0002110 k 0xffffffffc0002110 0xffffffffc0001120 0xffffffffc0000120
	END
	want_status 0 perfdec --kallsyms list made.data
	printf '%s %s\n' 'perfdec: no symbols for some code of [kernel.kallsyms]: its list has none' \
		'there, or those of another module (2 samples)' | same - err
	sed -n 's/^sample	\([^	]*\)	[^	]*	\([^	]*\)	.*/\1 \2/p' out >got
	printf '%s\n' '4 one' '5 [a_mod2]' '6 [c_mod]' | same - got
	grep -q '	stack=one;\[a_mod2\];\[c_mod\]' out
	want_status 0 perfdec --no-symbols made.data
	mv out none
	want_status 0 afsym --kallsyms list none
	grep -q '^afsym: no symbols for some code of .* (2 samples)$' err
	sed -n 's/^sample	\([^	]*\)	[^	]*	\([^	]*\)	.*/\1 \2/p' out | same got -
	grep -q '	stack=one;\[a_mod2\];\[c_mod\]' out
}
