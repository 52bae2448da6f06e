# SPDX-License-Identifier: ISC
# symbol.bats - the symbol engine (lib/symtab.c, src/symbol): which name stands for an address.

load lib

ID=0123456789abcdef0123456789abcdef01234567

setup_file() {
	build_c "$BATS_FILE_TMPDIR/symbol" t/unit/symbol.c lib/symtab.c lib/symsort.c lib/{err,buf,mem,file,tab,seed}.c \
		src/symbol/*.c
}

# answers FILE [OPTION...]: the questions on stdin are answered as in FILE.
answers() {
	local want=$1
	shift
	want_status 0 "$BATS_FILE_TMPDIR/symbol" "$@" || return
	same "$want" "$T/out"
}

# elf NAME [FLAG...]: a shared object $T/root/NAME.  Its text is marked with bytes that grep finds.
elf() {
	local name=$1
	shift
	mkdir -p "$T/root$(dirname "$name")"
	cat >"$T/src.c" <<-'END'
		__asm__(".text\n.globl first\n.type first, %function\nfirst: .ascii \"@first@\"\n.size first, 7\n"
			"label: .ascii \"@label@\"\n"
			".globl __alias, alias\n.weak longweakalias\n.type alias, %function\n.type __alias, %function\n"
			"longweakalias: __alias: alias: .ascii \"@alias@\"\n.size alias, 7\n.size __alias, 7\n"
			"hidden: .ascii \"@hides@\"\n.globl hidden\n.hidden hidden\n"
			".type kept, %function\nkept: .ascii \"@kept-@\"\n.size kept, 7\n");
		extern int outer(int), other(int);
		int caller(int n) { return outer(n) + other(n); }
	END
	${CC:-cc} -w -shared -fPIC -nostdlib -Wl,--build-id=0x$ID \
		-o "$T/root$name" "$T/src.c" "$@"
}

# at NAME MARK: the offset of MARK into $T/root/NAME, in hex.
at() {
	printf '%x' "$(LC_ALL=C grep -abo "@$2@" "$T/root$1" | head -n 1 | cut -d : -f 1)"
}

@test "symtab: ends, gaps, and what is not covered" {
	cat >"$T/want" <<-'END'
		none
		b+0x0
		b+0xf
		none
		open+0x7
		c+0x0
		c+0x1
		last+0x1ffe
		none
	END
	answers "$T/want" <<-'END'
		add 300 0 1 c
		add 100 10 1 b
		add 2f8 0 1 open
		add 1001 0 1 last
		finish object
		find ff
		find 100
		find 10f
		find 110
		find 2ff
		find 300
		find 301
		find 2fff
		find 3000
	END
}

@test "symtab: of several names for one start, the one that perf takes" {
	cat >"$T/want" <<-'END'
		sized+0x0
		function+0x0
		strong+0x0
		global+0x0
		plain+0x0
		longer_name+0x0
		sys_new+0x0
		earlier+0x0
	END
	answers "$T/want" <<-'END'
		add 1000 0 1 empty
		add 1000 8 1 sized
		add 2000 8 5 long_label_name
		add 2000 8 1 function
		add 3000 8 2 weak_but_longer
		add 3000 8 0 strong
		add 4000 8 0 local_but_longer
		add 4000 8 1 global
		add 5000 8 1 __underscores
		add 5000 8 1 plain
		add 6000 8 1 longer_name
		add 6000 8 1 short
		add 7000 8 1 SyS_new
		add 7000 8 1 sys_new
		add 8000 8 1 earlier
		add 8000 8 1 laterer
		finish object
		find 1000
		find 2000
		find 3000
		find 4000
		find 5000
		find 6000
		find 7000
		find 8000
	END
}

@test "symtab: nested symbols, and labels inside of a function" {
	cat >"$T/want" <<-'END'
		outer+0xf
		inner+0x0
		inner+0xf
		outer+0x20
		outer+0x30
		outer+0x38
		outer+0xff
		crosses+0x0
		crosses+0xf
		head+0xf
		tail+0x8
		other+0x0
		none
	END
	answers "$T/want" <<-'END'
		add 100 100 1 outer
		add 110 10 1 inner
		add 130 0 4 label
		add 300 20 1 crossed
		add 310 10 1 crosses
		add 400 10 1 head
		add 408 0 4 tail
		add 420 10 1 other
		finish object
		find 10f
		find 110
		find 11f
		find 120
		find 130
		find 138
		find 1ff
		find 310
		find 31f
		find 40f
		find 410
		find 420
		find 430
	END
}

@test "symtab: hostile numbers" {
	cat >"$T/want" <<-'END'
		huge+0xe
		none
		low+0x0
	END
	answers "$T/want" <<-'END'
		add fffffffffffffff0 ffffffffffffffff 1 huge
		add ffffffffffffffff 0 1 edge
		add 0 1 1 low
		finish object
		find fffffffffffffffe
		find 1
		find 0
	END
}

@test "elf: symbols by offset into the file, labels, aliases and the PLT" {
	elf /lib/a.so
	cat >"$T/want" <<-'END'
		first+0x1
		label+0x0
		alias+0x6
		kept+0x3
	END
	plt=$(readelf -SW "$T/root/lib/a.so" | sed -n 's/.* \.plt  *PROGBITS  *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	[ -n "$plt" ] || skip "this linker makes no .plt"
	# the relocations say which entry is whose
	readelf -rW "$T/root/lib/a.so" | sed -n 's/.*JUMP_SLO.* \([a-z]*\) + 0$/\1@plt+0x0/p' >"$T/plt"
	[ "$(wc -l <"$T/plt")" -eq 2 ]
	cat "$T/plt" >>"$T/want"
	f=/lib/a.so
	answers "$T/want" -s "$T/root" <<-END
		object $f - $(printf %x $((0x$(at $f first) + 1)))
		object $f - $(at $f label)
		object $f - $(printf %x $((0x$(at $f alias) + 6)))
		object $f - $(printf %x $((0x$(at $f kept-) + 3)))
		object $f - $(printf %x $((0x$plt + 16)))
		object $f - $(printf %x $((0x$plt + 32)))
	END
}

@test "elf: an object not linked yet, whose hidden labels do not count" {
	elf /lib/a.o -c
	f=/lib/a.o
	answers <(printf 'first+0x2\nlabel+0x0\nnone\nkept+0x0\n') -s "$T/root" <<-END
		object $f - $(printf %x $((0x$(at $f first) + 2)))
		object $f - $(at $f label)
		object $f - $(at $f hides)
		object $f - $(at $f kept-)
	END
}

@test "elf: a build id that differs is refused, whatever else fits" {
	elf /lib/a.so
	cat >"$T/want" <<-'END'
		first+0x0
		first+0x0
		none
		none
		miss /lib/a.so: another build id than the recording's
		miss /lib/none.so: open: No such file or directory
	END
	answers "$T/want" -s "$T/root" <<-END
		object /lib/a.so $ID $(at /lib/a.so first)
		object /lib/a.so 0000000000000000000000000000000000000000 $(at /lib/a.so first)
		object /lib/a.so ff$ID $(at /lib/a.so first)
		object /lib/none.so - 0
	END
	rm "$T/root/lib/a.so"
	elf /lib/a.so -Wl,--build-id=none
	printf 'none\nmiss /lib/a.so: has no build id, the recording'"'"'s has one\n' >"$T/want"
	answers "$T/want" -s "$T/root" <<<"object /lib/a.so $ID $(at /lib/a.so first)"
}

@test "elf: stripped, with the debug file in each of its places" {
	need objcopy strip
	elf /lib/a.so
	a=$T/root/lib/a.so at=$(at /lib/a.so kept-)
	objcopy --only-keep-debug "$a" "$T/a.debug"
	strip "$a"
	printf 'none\n' >"$T/without"
	printf 'kept+0x0\n' >"$T/with"
	q="object /lib/a.so $ID $at"
	answers "$T/without" -s "$T/root" <<<"$q"
	for place in usr/lib/debug/lib/a.so.debug usr/lib/debug/lib/a.so \
		usr/lib/debug/.build-id/01/${ID#01}.debug lib/.debug/a.so; do
		mkdir -p "$(dirname "$T/root/$place")"
		cp "$T/a.debug" "$T/root/$place"
		answers "$T/with" -s "$T/root" <<<"$q" || fail "$place"
		rm "$T/root/$place"
	done
	mkdir -p "$T/cache/.build-id/01/${ID#01}"
	cp "$T/a.debug" "$T/cache/.build-id/01/${ID#01}/debug"
	answers "$T/with" -s "$T/root" -c "$T/cache" <<<"$q"
	objcopy --add-gnu-debuglink="$T/a.debug" "$a"
	for place in lib/a.debug lib/.debug/a.debug usr/lib/debug/lib/a.debug; do
		mkdir -p "$(dirname "$T/root/$place")"
		cp "$T/a.debug" "$T/root/$place"
		answers "$T/with" -s "$T/root" <<<"$q" || fail "$place"
		# one of another build is passed over
		cp "$T/root/lib/a.so" "$T/keep"
		elf /other.so -Wl,--build-id=0x1111
		cp "$T/root/other.so" "$T/root/$place"
		answers "$T/without" -s "$T/root" <<<"$q" || fail "wrong $place"
		rm "$T/root/$place"
	done
}

@test "objects that are no files, and files that are no objects, do not block or fail" {
	mkdir -p "$T/root/dir"
	mkfifo "$T/root/fifo"
	echo text >"$T/root/text"
	: >"$T/root/empty"
	cat >"$T/want" <<-'END'
		none
		none
		none
		none
		none
		none
		none
		none
		none
		miss /fifo: not a regular file
		miss /dir: not a regular file
		miss /text: not an ELF file
		miss /empty: not an ELF file
		miss /dev/zero: open: No such file or directory
	END
	answers "$T/want" -s "$T/root" <<-END
		object /fifo - 0
		object /dir - 0
		object /text - 0
		object /empty - 0
		object /dev/zero - 0
		object [vdso] - 0
		object //anon - 0
		object memfd:x - 0
		object /fifo - 0
	END
	answers <(printf 'none\nmiss /dev/zero: not a regular file\n') <<<"object /dev/zero - 0"
}

@test "elf: no truncation and no flipped byte crashes the reader" {
	elf /lib/a.so
	a=$T/root/lib/a.so size=$(stat -c %s "$T/root/lib/a.so")
	step=$((size / ${AFPIPE_SLOW:+10}40)) seed=7
	for ((i = 0; i < size; i += step)); do
		head -c "$i" "$a" >"$T/root/cut$i"
		cp "$a" "$T/root/flip$i"
		for ((j = 0; j < 8; j++)); do
			seed=$(((seed * 1103515245 + 12345) % 2147483648))
			# the headers are at both ends
			place=$((j % 2 ? seed % 1024 : size - 1 - seed % 1024))
			printf '%b' "\\x$(printf %02x $((seed / 65536 % 256)))" |
				dd of="$T/root/flip$i" bs=1 seek=$place conv=notrunc status=none
		done
		printf 'object /cut%d - 1000\nobject /flip%d - 1000\n' $i $i
	done >"$T/questions"
	want_status 0 "$BATS_FILE_TMPDIR/symbol" -s "$T/root" <"$T/questions"
	[ "$(grep -vc '^miss' "$T/out")" -eq "$(wc -l <"$T/questions")" ]
}

kernel_list() {
	cat <<-'END'
		0000000000001000 A absolute
		ffffffff81000000 T _text
		ffffffff81000000 T _stext
		ffffffff81000100 t local
		ffffffff81000180 T $x
		ffffffff81000200 W weak
		ffffffff81000200 T __strong
		ffffffff81000300 d data
		ffffffff81000310 R rodata
		ffffffff81000400 T _entry_trampoline_0
		damaged
		ffffffff81002000 T last
		ffffffffc0000000 t mod_first	[mod]
		ffffffffc0000040 T mod_last	[mod]
	END
}

@test "kallsyms: as perf reads it" {
	kernel_list >"$T/k"
	cat >"$T/want" <<-'END'
		_stext+0xff
		local+0x80
		__strong+0x1
		data+0x1cff
		last+0xfff
		none
		mod_first+0x3f
		mod_last+0x0
	END
	answers "$T/want" -k "$T/k" <<-'END'
		kernel _text ffffffff81000000 ffffffff810000ff
		kernel _text ffffffff81000000 ffffffff81000180
		kernel _text ffffffff81000000 ffffffff81000201
		kernel _text ffffffff81000000 ffffffff81001fff
		kernel _text ffffffff81000000 ffffffff81002fff
		kernel _text ffffffff81000000 ffffffff81003000
		kernel _text ffffffff81000000 ffffffffc000003f
		kernel - 0 ffffffffc0000040
	END
}

@test "kallsyms: a kernel that was moved at boot, and one that is another" {
	kernel_list >"$T/k"
	cat >"$T/want" <<-'END'
		local+0x10
		none
		none
		local+0x10
		none
		miss [kernel.kallsyms]: not the recording's kernel: the reference symbol is missing
	END
	answers "$T/want" -k "$T/k" <<-'END'
		kernel _text ffffffff9a000000 ffffffff9a000110
		kernel _text ffffffff9a000000 ffffffff81000110
		kernel _text ffffffff9a000000 ffffffffd9000000
		kernel _stext ffffffff81000000 ffffffff81000110
		kernel _nosuch ffffffff81000000 ffffffff81000110
	END
	sed 's/^[0-9a-f]*/0000000000000000/' "$T/k" >"$T/hidden"
	printf 'none\nmiss [kernel.kallsyms]: its addresses are hidden\n' >"$T/want"
	answers "$T/want" -k "$T/hidden" <<<"kernel _text ffffffff81000000 ffffffff81000110"
}

@test "kallsyms: from a pipe, and not to be opened" {
	mkfifo "$T/p"
	kernel_list >"$T/p" &
	answers <(echo local+0x10) -k "$T/p" <<<"kernel _text ffffffff81000000 ffffffff81000110"
	wait
	want_status 3 "$BATS_FILE_TMPDIR/symbol" -k "$T/nosuch" </dev/null
	said "No such file or directory"
	want_status 3 "$BATS_FILE_TMPDIR/symbol" -k "$T" </dev/null
	said "Is a directory"
}

@test "kallsyms: the running kernel is not taken for another one" {
	want_status 0 "$BATS_FILE_TMPDIR/symbol" <<<"kernel _text 1234000 1234010"
	[ "$(head -n 1 "$T/out")" = none ]
	grep -q '^miss \[kernel.kallsyms\]: ' "$T/out"
}

@test "JIT maps: damaged lines, and whom to believe" {
	mkdir -p "$T/root/tmp"
	m=$T/root/tmp
	printf '1000 10 LazyCompile:~f /a b.js:1:2\nnonsense\n2000\n2000 10\n2000 10 \n%s %s\n0x3000 0x20 a\n4000 8 no newline' \
		11112222333344445 '10 too long' >"$m/perf-10.map"
	ln -s perf-10.map "$m/perf-11.map"
	mkfifo "$m/perf-12.map"
	echo nothing >"$m/perf-13.map"
	cat >"$T/want" <<-'END'
		LazyCompile:~f /a b.js:1:2+0xf
		none
		none
		a+0x1f
		no newline+0x7
		none
		none
		none
		none
	END
	answers "$T/want" -s "$T/root" <<-'END'
		jit 10 100f
		jit 10 1010
		jit 10 2000
		jit 10 301f
		jit 10 4007
		jit 11 1000
		jit 12 1000
		jit 13 1000
		jit 4294967295 1000
	END
	[ "$(id -u)" -eq 0 ] || skip "only root can give a file away"
	chown 12345 "$m/perf-10.map"
	answers <(echo none) -s "$T/root" <<<"jit 10 1000"
}

@test "JIT maps: a line longer than the buffer is left out, its neighbours are not" {
	mkdir -p "$T/root/tmp"
	{
		echo '1000 10 before'
		printf '2000 10 '
		head -c 200000 /dev/zero | tr '\0' x
		printf '\n3000 10 after\n'
	} >"$T/root/tmp/perf-10.map"
	answers <(printf 'before+0x0\nnone\nafter+0x0\n') -s "$T/root" <<-'END'
		jit 10 1000
		jit 10 2000
		jit 10 3000
	END
}
