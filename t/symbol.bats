# SPDX-License-Identifier: ISC
# symbol.bats - the symbol engine (lib/symtab.c, src/symbol): which name stands for an address.

load lib
load perfdec

ID=0123456789abcdef0123456789abcdef01234567

setup_file() {
	helpers perfmake jitmake rss elfholes fuzz-elf fuzz-lists
	use_archive
	build_c "$BATS_FILE_TMPDIR/symbol" t/unit/symbol.c "$archive" "${LIBRARIES[@]}"
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

# letters N: N bytes
letters() {
	head -c "$1" /dev/zero | tr '\0' x
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

@test "elf: the PLT of a file of 32 bits, as objdump" {
	local at name way
	for way in lazy now; do
		# names of several lengths and places in their table
		for name in one two_of_them three four_of_the_kind; do
			printf '%s: call %s@plt\n' "from_$name" "$name"
		done >"$T/src.s"
		mkdir -p "$T/root"
		{ as --32 -o "$T/32.o" "$T/src.s" && ld -m elf_i386 -shared -z $way -o "$T/root/32.so" "$T/32.o"; } 2>"$T/err" ||
			skip "no linker for i386"
		objdump -d --no-show-raw-insn "$T/root/32.so" |
			sed -n 's/^0*\([0-9a-f]*\) <\([a-z_]*@plt\)>:$/\1 \2/p' >"$T/plt"
		[ "$(wc -l <"$T/plt")" -eq 4 ]
		sort -u -k 2 "$T/plt" | same <(sort -k 2 "$T/plt") -
		# the offset in the file is the address
		while read -r at name; do
			printf 'object /32.so - %s\n' "$at" >&3
			echo "$name+0x0"
		done <"$T/plt" 3>"$T/questions" >"$T/want"
		answers "$T/want" -s "$T/root" <"$T/questions"
	done
}

@test "elf: a name that its table cuts off, and a table of symbols of another size" {
	local headers strtab symtab start k
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "files as on x86_64" ;;
	esac
	cat >"$T/src.c" <<-'END'
		__asm__(".text\n.type one, %function\none: .ascii \"@one@@@@\"\n.size one, 8\n"
			".type last, %function\nlast: .ascii \"@last@@@\"\n.size last, 8\n");
	END
	mkdir root
	${CC:-cc} -w -shared -fPIC -nostdlib -o whole src.c
	headers=$(od -A n -t u8 -j 40 -N 8 whole)
	strtab=$((headers + 64 * $(readelf -SW whole | sed -n 's/^ *\[ *\([0-9]*\)\] \.strtab .*/\1/p')))
	symtab=$((headers + 64 * $(readelf -SW whole | sed -n 's/^ *\[ *\([0-9]*\)\] \.symtab .*/\1/p')))
	# the table of names ends in "last", behind it, and behind its NUL
	start=$(($(LC_ALL=C grep -abo last whole | tail -n 1 | cut -d : -f 1) - $(od -A n -t u8 -j $((strtab + 24)) -N 8 whole)))
	for k in 0 1 4 5; do
		cp whole root/a.so
		patch root/a.so $((strtab + 32)) "$(printf '\\x%02x\\x%02x' $(((start + k) % 256)) $(((start + k) / 256)))"
		printf 'one+0x0\n%s\n' "$([ $k = 5 ] && echo last+0x0 || echo none)" >want
		printf 'object /a.so - %s\n' "$(at /a.so one@@@)" "$(at /a.so last@@)" >questions
		answers want -s root <questions || fail "$k bytes of it" || return
	done
	cp whole root/a.so
	patch root/a.so $((symtab + 56)) '\x19'
	printf '%s\n' none none 'miss /a.so: its symbol table cannot be read' >want
	answers want -s root <questions
}

@test "elf by tables: headers, notes, debug links, marks, PLTs, compressed sections, changed files" {
	local archive
	use_archive
	build_c "$T/elf" t/unit/elf.c "$archive" "${LIBRARIES[@]}"
	want_status 0 "$T/elf" "$T"
	silent
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

@test "elf: a function without a name names nothing" {
	local at number size
	elf /lib/a.so
	read -r at size < <(readelf -SW "$T/root/lib/a.so" |
		sed -n 's/.* \.symtab  *SYMTAB  *[0-9a-f]* \([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p')
	number=$(readelf -sW "$T/root/lib/a.so" | sed -n 's/^ *\([0-9]*\): .* kept$/\1/p')
	answers <(echo kept+0x0) -s "$T/root" <<<"object /lib/a.so - $(at /lib/a.so kept-)"
	patch "$T/root/lib/a.so" $((0x$at + 0x$size * number)) '\0\0\0\0'
	answers <(echo hidden+0x7) -s "$T/root" <<<"object /lib/a.so - $(at /lib/a.so kept-)"
	# even if the table of names does not begin with an empty one
	at=$(readelf -SW "$T/root/lib/a.so" | sed -n 's/.* \.strtab  *STRTAB  *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	patch "$T/root/lib/a.so" $((0x$at)) X
	answers <(echo hidden+0x7) -s "$T/root" <<<"object /lib/a.so - $(at /lib/a.so kept-)"
}

@test "elf: of several stripped files, none has more names than the first" {
	need strip
	elf /lib/a.so
	strip "$T/root/lib/a.so"
	mkdir -p "$T/root/usr/lib/debug/lib"
	cp "$T/root/lib/a.so" "$T/root/usr/lib/debug/lib"
	answers <(printf '%s\n' first+0x1 none) -s "$T/root" <<-END
		object /lib/a.so $ID $(printf %x $((0x$(at /lib/a.so first) + 1)))
		object /lib/a.so $ID $(at /lib/a.so label)
	END
}

@test "elf: a debug file alone does not tell where code is" {
	need objcopy strip
	elf /lib/a.so
	at=$(at /lib/a.so kept-)
	mkdir -p "$T/root/usr/lib/debug/lib"
	objcopy --only-keep-debug "$T/root/lib/a.so" "$T/root/usr/lib/debug/lib/a.so.debug"
	rm "$T/root/lib/a.so"
	printf '%s\n' none 'miss /lib/a.so: only its debug file was found, which does not show where its code is' >"$T/want"
	answers "$T/want" -s "$T/root" <<<"object /lib/a.so $ID $at"
	# a static program is stripped of all that the file that runs is known by
	cat >"$T/static.c" <<-'END'
		__asm__(".text\n.balign 8192\n.type kept, %function\nkept: .ascii \"@kept-@\"\n.size kept, 7\n");
		void _start(void) { }
	END
	${CC:-cc} -w -static -nostdlib -Wl,--build-id=0x$ID -o "$T/root/lib/a.so" "$T/static.c"
	at=$(at /lib/a.so kept-)
	objcopy --only-keep-debug "$T/root/lib/a.so" "$T/root/usr/lib/debug/lib/a.so.debug"
	strip "$T/root/lib/a.so"
	printf 'kept+0x0\n' >"$T/want"
	answers "$T/want" -s "$T/root" <<<"object /lib/a.so $ID $at"
}

@test "elf: a build id that differs is refused, whatever else fits" {
	elf /lib/a.so
	cat >"$T/want" <<-'END'
		first+0x0
		first+0x0
		none
		none
		miss /lib/a.so: its build id differs from the recording's
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
	printf 'none\nmiss /lib/a.so: it has no build id, but the recording gives one\n' >"$T/want"
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

@test "elf: a debug file whose sections have other numbers than those of the object" {
	need objcopy strip
	elf /lib/a.so
	a=$T/root/lib/a.so
	objcopy --only-keep-debug "$a" "$T/root/lib/a.debug"
	# what is left out comes first, so that all other numbers change
	strip -R .hash -R .gnu.hash "$a"
	objcopy --add-gnu-debuglink="$T/root/lib/a.debug" "$a"
	numbers=$(readelf -SW "$a" "$T/root/lib/a.debug" | sed -n 's/^ *\[ *\([0-9]*\)\] \.text .*/\1/p' | uniq | wc -l)
	[ "$numbers" -eq 2 ]
	printf 'label+0x0\nkept+0x0\n' >"$T/want"
	answers "$T/want" -s "$T/root" <<-END
		object /lib/a.so $ID $(at /lib/a.so label)
		object /lib/a.so $ID $(at /lib/a.so kept-)
	END
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

@test "the vdso of this machine, which is in no file" {
	local id at name
	need python3 readelf nm
	python3 -c '
for line in open("/proc/self/maps"):
    if line.endswith("[vdso]\n"):
        a, b = (int(x, 16) for x in line.split()[0].split("-"))
        with open("/proc/self/mem", "rb") as f:
            f.seek(a)
            open("vdso", "wb").write(f.read(b - a))' 2>/dev/null || skip "no vdso here"
	id=$(readelf -n vdso 2>/dev/null | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || skip "no vdso with a build id here"
	read -r at _ name < <(nm -D vdso | sed "s/@.*//" | grep -m 1 ' T __.*gettime')
	printf 'object [vdso] %s %s\n' "$id" "$at" "$ID" "$at" >questions
	# another name for the same function may be taken
	want_status 0 "$BATS_FILE_TMPDIR/symbol" <questions
	[[ $name+0x0 == *"$(head -n 1 out)" ]] || fail "$name: $(cat out)"
	[ "$(sed -n 2p out)" = none ]
	answers <(echo none) <<<"object [vdso] 0000000000000000000000000000000000000000 $at"
	# whatever allocation fails: its name, or a word about memory
	helpers fault nomem.so
	if [[ ${CFLAGS-} != *sanitize* ]] && fault true >/dev/null; then
		event sample 1 '[u]' m 1 ip=0x1 dso=x "frames=u:[vdso]@$id+0x$at" >vdso.ev
		want_status 0 fault -m "$HELPERS/nomem.so" afsym --no-marks vdso.ev
	fi
	# below another root, this machine's is still the one with that build id
	want_status 0 "$BATS_FILE_TMPDIR/symbol" -s "$T" <questions
	[ "$(sed -n 2p out)" = none ]
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

@test "kallsyms: all spellings of addresses, and damaged lines" {
	{
		echo 'ffffffff81000000 T _text'
		echo 'ffffffff81000008gT no_blank_behind_the_address'
		echo 'ffffffff81000008 Tgno_blank_behind_the_type'
		echo 'ffffffff81000008 T '
		echo 'FFFFFFFF81000010 T upper_case'
		printf 'ffffffff8100002%s T damaged_digit\n' g o / : ' ' '`' @ G $'\x80' $'\xe1'
		printf 'fffffff%s81000028 T damaged_digit\n' g o / : ' ' '`' @ G $'\x80' $'\xe1'
		echo '0ffffffff81000030 T 17_digits'
		printf 'ffffffff81000040 T name_with\0nul_at_some_place\n'
		printf 'ffffffff81000050 T short\0\n'
		echo '081000060 T nine_digits'
		echo 'ffffffff81000070 T last_of_all'
		echo 'ffffffff81000080 T x'
		printf 'ffffffffc0000000 t name_in_module\t[module]\n'
		printf 'ffffffffc0000010 t short\t[module]\n'
	} >"$T/k"
	cat >"$T/want" <<-'END'
		_text+0xf
		upper_case+0x0
		upper_case+0x5f
		last_of_all+0xf
		x+0x0
		nine_digits+0x2
		name_in_module+0xf
		short+0x1
	END
	answers "$T/want" -k "$T/k" <<-'END'
		kernel _text ffffffff81000000 ffffffff8100000f
		kernel _text ffffffff81000000 ffffffff81000010
		kernel _text ffffffff81000000 ffffffff8100006f
		kernel _text ffffffff81000000 ffffffff8100007f
		kernel _text ffffffff81000000 ffffffff81000080
		kernel - 0 0000000081000062
		kernel - 0 ffffffffc000000f
		kernel - 0 ffffffffc0000011
	END
}

@test "kallsyms: a NUL, and the TAB before a module, at each place of a name" {
	local letter len n at=0 name
	printf 'ffffffff81000000 T _text\nffffffff81100000 T other\n' >"$T/k"
	: >"$T/want"
	: >"$T/questions"
	# the letters of a name are looked at eight at a time
	for letter in a o p z; do
		for len in 7 8 15 16 17 27; do
			name=$(letters "$len" | tr x "$letter")
			for ((n = 1; n <= len; n++)); do
				at=$((at + 1))
				printf 'ffffffff81%05x0 T %s\0%s\n' $at "${name::n}" "${name:n}" >&3
				printf 'kernel _text ffffffff81000000 ffffffff81%05x0\n' $at >&4
				printf '_text+0x%x0\n' $at
				printf 'ffffffffc%03x0000 t %s\t%s\n' $at "${name::n}" "${name:n}m" >&3
				printf 'kernel _text ffffffff81000000 ffffffffc%03x0000\n' $at >&4
				printf '%s+0x0\n' "${name::n}"
			done
		done
	done 3>>"$T/k" 4>>"$T/questions" >>"$T/want"
	answers "$T/want" -k "$T/k" <"$T/questions"
}

@test "kallsyms: a list that was cut gives no names" {
	local n
	kernel_list | head -c -3 >"$T/k"
	printf 'none\nmiss [kernel.kallsyms]: it ends without a line break: it was cut\n' >"$T/want"
	answers "$T/want" -k "$T/k" <<<"kernel _text ffffffff81000000 ffffffff810000ff"
	# within a line that is longer than any; one of them is twice as long as the buffer
	for n in 200000 131053; do
		{
			kernel_list
			printf 'ffffffff81004000 T %s' "$(letters $n)"
		} >"$T/k"
		answers "$T/want" -k "$T/k" <<<"kernel _text ffffffff81000000 ffffffff810000ff"
	done
}

@test "kallsyms: what is no function of the kernel is left out" {
	# shellcheck disable=SC2016 # a name with a dollar sign
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000100 b data' 'ffffffff81000200 B Data' \
		'ffffffff81000300 t _entry_trampoline' 'ffffffff81000400 t __entry_SYSCALL_64_trampoline' \
		'ffffffff81000500 t __entry' 'ffffffff81000600 V weak_object' 'ffffffff81000700 1 odd' 'ffffffff81000800 t $x' >"$T/k"
	printf '%s\n' _text+0xff data+0xff Data+0x2ff __entry+0x0 >"$T/want"
	answers "$T/want" -k "$T/k" <<-'END'
		kernel _text ffffffff81000000 ffffffff810000ff
		kernel _text ffffffff81000000 ffffffff810001ff
		kernel _text ffffffff81000000 ffffffff810004ff
		kernel _text ffffffff81000000 ffffffff81000500
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
	answers "$T/want" -k "$T/hidden" <<<"kernel _text 0 10"
	# the same of one that stays in its file
	text_list | sed 's/^[0-9a-f]*/0000000000000000/' | cached
	want_status 0 "$BATS_FILE_TMPDIR/symbol" -c "$T/cache" -s "$T" <<<"kernel _text 0 10 $ID"
	[ "$(head -n 1 "$T/out")" = none ]
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

# text_list: a list as perf keeps it; the kernel's own code is [a10010f0, a1001300).
text_list() {
	cat <<-'END'
		0000000000001000 A absolute
		ffffffffa1001000 T _text
		ffffffffa1001010 T head
		ffffffffa10010f0 t __first
		ffffffffa10010f0 T _stext
		ffffffffa1001100 t local
		ffffffffa1001200 W weak
		ffffffffa1001200 T __strong
		ffffffffa1001280 R rodata
		ffffffffa1001300 T _etext
		ffffffffa1001400 D data
		ffffffffc0000000 t module	[mod]
	END
}

# cached TEXT: what perf's cache has of the kernel with the build id $ID.
cached() {
	mkdir -p "$T/cache/.build-id/01/${ID:2}"
	cat >"$T/cache/.build-id/01/${ID:2}/kallsyms"
}

@test "kallsyms: of a list in perf's cache, only the kernel's own code" {
	local address
	text_list | cached
	printf '%s\n' _stext+0x0 _stext+0xf local+0x0 local+0xff __strong+0x0 __strong+0xff \
		none none none none none none none none >"$T/want"
	for address in a10010f0 a10010ff a1001100 a10011ff a1001200 a10012ff \
		00001000 a1001000 a100100f a10010ef a1001300 a1001400 c0000000; do
		echo "kernel _text ffffffffa1001000 ffffffff$address $ID"
	done | sed '7s/ffffffff00001000/0000000000001000/' >"$T/questions"
	echo "kernel _text ffffffffa1001000 ffffffffffffffff $ID" >>"$T/questions"
	answers "$T/want" -c "$T/cache" <"$T/questions"
	# in another order: what is asked first makes no difference
	tac "$T/want" >"$T/tnaw"
	tac "$T/questions" >"$T/snoitseuq"
	answers "$T/tnaw" -c "$T/cache" <"$T/snoitseuq"
}

# many_symbols: a list of 3000, some of which share an address, or are of a kind that is not used
many_symbols() {
	awk 'BEGIN {
		srand(7); split("t T W t T w A R d t", type, " ")
		print "ffffffffa1000000 T _text"; print "ffffffffa1000100 T _stext"
		for (at = 256; n < 3000; n++) {
			if (rand() < 0.7)
				at += int(rand() * 64)
			printf "ffffffffa1%06x %s %s%s\n", at, type[1 + int(rand() * 10)], rand() < 0.3 ? "__" : "", "name" n
		}
		printf "ffffffffa1%06x T _etext\n", at
	}'
}

@test "kallsyms: a list in perf's cache gives the same names as one that is read as a whole" {
	local address end
	many_symbols >"$T/list"
	cached <"$T/list"
	end=$(sed -n 's/ T _etext//p' "$T/list")
	for ((address = 0xffffffffa1000100; address < 0x$end; address += 7)); do
		printf 'kernel _text ffffffffa1000000 %x %s\n' $address "$ID"
	done >"$T/in"
	# in order, and in another one: which address is asked for first makes no difference
	{
		cat "$T/in"
		sort -k 5 -k 4.15 "$T/in"
		awk '{ print substr($4, 14), $0 }' "$T/in" | sort -r | cut -d ' ' -f 2-
	} >"$T/questions"
	"$BATS_FILE_TMPDIR/symbol" -k "$T/list" <"$T/questions" >"$T/want"
	[ "$(sort -u "$T/want" | wc -l)" -gt 2000 ]
	answers "$T/want" -c "$T/cache" <"$T/questions"
}

@test "kallsyms: a list in perf's cache that changes is not read any further" {
	many_symbols | cached
	local how list="$T/cache/.build-id/01/${ID:2}/kallsyms"
	local first="kernel _text ffffffffa1000000 ffffffffa1000101 $ID" second="kernel _text ffffffffa1000000 ffffffffa1004000 $ID"
	want_status 0 "$BATS_FILE_TMPDIR/symbol" -c "$T/cache" <<<"$first"$'\n'"$second"
	! grep -q 'none\|miss' "$T/out" || fail "$(cat "$T/out")"
	for how in append rewrite chmod cut; do
		many_symbols | cached
		chmod 644 "$list"
		sleep 0.02 # so that its times differ
		printf '%s\n' "$first" "$how $list" "$second" >"$T/questions"
		want_status 0 "$BATS_FILE_TMPDIR/symbol" -c "$T/cache" <"$T/questions"
		[ "$(sed -n 2p "$T/out")" = none ] || fail "$how: $(cat "$T/out")"
	done
}

@test "kallsyms: a damaged list in perf's cache, or that of another kernel, is not used" {
	local n=0 edit question="kernel _text ffffffffa1001000 ffffffffa1001110 $ID"
	text_list | cached
	answers <(echo local+0x10) -c "$T/cache" <<<"$question"
	# shellcheck disable=SC2016 # sed's $
	for edit in '/_etext/,$d' '/_stext/d' 's/ _etext/&s/' '/__strong/s/1200/1050/' 's/local/&\t[mod]/' 's/local/\t[mod]/' \
		's/local/a\x00b/' 's/ffffffffa1001100 /x/' '/local/s/a1001100/&0000000000/' '/local/s/.*//' \
		'/_text/s/a1001000/a1001001/' '/_text/d' '/_etext/s/T/A/' '/^f/s/ffffffffa1/ffffffffa2/' \
		"/local/s/\$/$(printf '%070000d' 0)/" 's/^[0-9a-f]*/0000000000000000/'; do
		text_list | LC_ALL=C sed "$edit" | cached
		want_status 0 "$BATS_FILE_TMPDIR/symbol" -c "$T/cache" <<<"$question" || return
		[ "$(head -n 1 "$T/out")" = none ] || fail "used after $edit"
		n=$((n + 1))
	done
	[ $n -eq 16 ]
	text_list | head -c 250 | cached
	want_status 0 "$BATS_FILE_TMPDIR/symbol" -c "$T/cache" <<<"$question"
	[ "$(head -n 1 "$T/out")" = none ]
	text_list | cached
	for question in "kernel _text ffffffffa1001000 ffffffffa1001110 1${ID:1}" \
		"kernel _text ffffffffa1001000 ffffffffa1001110" "kernel - 0 ffffffffa1001110 $ID"; do
		want_status 0 "$BATS_FILE_TMPDIR/symbol" -c "$T/cache" <<<"$question"
		[ "$(head -n 1 "$T/out")" = none ]
	done
}

@test "kallsyms: what is not in a list in perf's cache is in that of the running kernel" {
	local id other own
	own=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms) && [ -n "$own" ] || skip "no /proc/kallsyms here"
	[ "$own" != 0000000000000000 ] || skip "the addresses of the kernel are hidden"
	id=$(od -An -v -tx1 -w4096 /sys/kernel/notes 2>/dev/null | tr -d ' ' |
		sed -nE 's/.*040000001400000003000000474e5500(.{40}).*/\1/p')
	[ -n "$id" ] || skip "no /sys/kernel/notes here"
	# code behind that of the list in the cache
	other=$(awk 'NF == 3 && $2 ~ /[tT]/ { print $1 }' /proc/kallsyms | sort | awk 'NR % 1000 == 0' | tail -n 1)
	mkdir -p "$T/cache/.build-id/${id::2}/${id:2}"
	{
		echo "$own T _text"
		echo "$own T _stext"
		printf '%x t of_the_cache\n%x T _etext\n' $((0x$own + 0x100)) $((0x$own + 0x200))
	} >"$T/cache/.build-id/${id::2}/${id:2}/kallsyms"
	"$BATS_FILE_TMPDIR/symbol" -k /proc/kallsyms <<<"kernel _text $own $other $id" >"$T/other"
	printf '%s\n' of_the_cache+0x0 none "$(cat "$T/other")" of_the_cache+0x1 \
		"miss [kernel.kallsyms]: not the recording's kernel: the reference symbol is missing" >"$T/want"
	grep -q '+0x0$' "$T/other"
	answers "$T/want" -c "$T/cache" <<-END
		kernel _text $own $(printf %x $((0x$own + 0x100))) $id
		kernel _no_such $own $(printf %x $((0x$own + 0x100)))
		kernel _text $own $other $id
		kernel _text $own $(printf %x $((0x$own + 0x101))) $id
	END
}

@test "kallsyms: the running kernel is not taken for another one" {
	want_status 0 "$BATS_FILE_TMPDIR/symbol" <<<"kernel _text 1234000 1234010"
	[ "$(head -n 1 "$T/out")" = none ]
	grep -q '^miss \[kernel.kallsyms\]: ' "$T/out"
}

@test "JIT maps: damaged lines, and whom to believe" {
	mkdir -p "$T/root/tmp"
	m=$T/root/tmp
	printf '1000 10 LazyCompile:~f /a b.js:1:2\nnonsense\n2000\n2000 10\n2000 10 \n%s %s\n0x3000 0x20 a\n0X6000 0X10 x\n6020 10 nu\0l\n5000 20 old code\n5000 10 b\n4000 8 cut in the mid' \
		11112222333344445 '10 too long' >"$m/perf-10.map"
	ln -s perf-10.map "$m/perf-11.map"
	mkfifo "$m/perf-12.map"
	echo nothing >"$m/perf-13.map"
	cat >"$T/want" <<-'END'
		LazyCompile:~f /a b.js:1:2+0xf
		none
		none
		a+0x1f
		none
		b+0xf
		none
		x+0xf
		none
		none
		none
		none
		none
		miss /tmp/perf-11.map: not a regular file
		miss /tmp/perf-12.map: not a regular file
		miss /tmp/perf-13.map: no symbols in it
	END
	answers "$T/want" -s "$T/root" <<-'END'
		jit 10 100f
		jit 10 1010
		jit 10 2000
		jit 10 301f
		jit 10 4007
		jit 10 500f
		jit 10 5010
		jit 10 600f
		jit 10 6020
		jit 11 1000
		jit 12 1000
		jit 13 1000
		jit 4294967295 1000
	END
	[ "$(id -u)" -eq 0 ] || skip "only root can give a file away"
	chown 12345 "$m/perf-10.map"
	answers <(printf '%s\n' none 'miss /tmp/perf-10.map: belongs to another user') -s "$T/root" \
		<<<"jit 10 1000"
	# that user may believe it
	need setpriv
	cp "$BATS_FILE_TMPDIR/symbol" "$T/root"
	(cd "$T/root" && setpriv --reuid=12345 --clear-groups ./symbol -s . </dev/null >/dev/null) || skip "that user cannot come here"
	(cd "$T/root" && setpriv --reuid=12345 --clear-groups ./symbol -s . <<<"jit 10 1000") >"$T/out"
	[ "$(cat "$T/out")" = "LazyCompile:~f /a b.js:1:2+0x0" ]
}

@test "jitdumps of a recording that says nothing of its machine" {
	echo header 17 | jitmake >jit-17.dump
	printf '%s\n' dump none none none none "miss /tmp/other: it is not known to belong to process 17" "miss /tmp/none/jit-17.dump: open: No such file or directory" \
		"miss $T/jit-17.dump: it is not known to belong to process 18" "miss : not a file" | sort >want
	printf '%s\n' "dump 17 $T/jit-17.dump" "dump 18 $T/jit-17.dump" "dump 17 /tmp/none/jit-17.dump" "dump 17 " "dump 17 /tmp/other" |
		"$BATS_FILE_TMPDIR/symbol" >out
	sort out | diff want -
}

@test "JIT maps: a line whose size is 0 names nothing, and takes no name away" {
	mkdir -p "$T/root/tmp"
	printf '%s\n' '1000 0 stub' '2000 10 code' '2000 0 label' '3000 0x0 last' >"$T/root/tmp/perf-10.map"
	printf '%s\n' '1000 0 stub' >"$T/root/tmp/perf-11.map"
	printf '%s\n' none none code+0x0 code+0xf none none none 'miss /tmp/perf-11.map: no symbols in it' >"$T/want"
	answers "$T/want" -s "$T/root" <<-'END'
		jit 10 1000
		jit 10 1fff
		jit 10 2000
		jit 10 200f
		jit 10 3000
		jit 10 3fff
		jit 11 1000
	END
}

@test "JIT maps: a line longer than the buffer is left out, its neighbours are not" {
	mkdir -p "$T/root/tmp"
	{
		echo '1000 10 before'
		# each 64 KiB of it look like a line
		printf '2000 10 %s' "$(letters 65528)"
		printf '2010 10 %s' "$(letters 65528)"
		printf '2020 10 end\n'
		printf '3000 10 %s\n' "$(letters 65527)"
		printf '4000 10 %s\n' "$(letters 65528)"
		printf '5000 10 after\n'
	} >"$T/root/tmp/perf-10.map"
	printf '%s+0x0\n' before none none none "$(letters 65527)" none after | sed 's/^none.*/none/' >"$T/want"
	printf 'jit 10 %s\n' 1000 2000 2010 2020 3000 4000 5000 >"$T/questions"
	answers "$T/want" -s "$T/root" <"$T/questions"
}

# ---- --symfs is the root

# behind DIR: files in DIR/root, and a.so beside it, which nobody may find from there.
sealed() {
	elf /lib/a.so
	rm -rf "$1"
	mkdir -p "$1/root/lib" "$1/other"
	cp "$T/root/lib/a.so" "$1/outside.so"
	cp "$T/root/lib/a.so" "$1/root/inside.so"
	printf '1000 10 outside\n' >"$1/other/perf-10.map"
	ln -s ../../outside.so "$1/root/lib/up.so"
	ln -s "$1/outside.so" "$1/root/lib/far.so" # below the root there is nothing of that name
	ln -s /inside.so "$1/root/lib/near.so"
	ln -s ../../../../../../inside.so "$1/root/lib/wall.so"
	ln -s . "$1/root/lib/here"
	ln -s /lib "$1/root/lib64"
	ln -s loop2.so "$1/root/lib/loop.so"
	ln -s loop.so "$1/root/lib/loop2.so"
	ln -s ../other "$1/root/tmp"
	ln -s inside.so "$1/root/link.so"
}

questions() {
	local path
	for path in /../outside.so /lib/../../outside.so /lib/up.so /lib/far.so /lib/gone/../../inside.so \
		/lib/here/../inside.so/ /lib/loop.so /inside.so/../inside.so \
		/inside.so /lib/near.so /lib/wall.so /../inside.so /lib/here/./here//near.so \
		/lib64/near.so /lib64/here/here/near.so /../../../link.so; do
		echo "object $path - $1"
	done
	echo 'jit 10 1000'
}

@test "symfs: .. and symbolic links stay below it, as if it were the root" {
	local path way
	sealed "$T/sealed"
	{
		for _ in 1 2 3 4 5 6 7 8; do echo none; done
		for _ in 1 2 3 4 5 6 7 8; do echo first+0x0; done
		echo none
		for path in /../outside.so /lib/../../outside.so /lib/up.so /lib/far.so /lib/gone/../../inside.so; do
			echo "miss $path: open: No such file or directory"
		done
		echo 'miss /lib/here/../inside.so/: open: Not a directory'
		echo 'miss /lib/loop.so: open: Too many levels of symbolic links'
		echo 'miss /inside.so/../inside.so: open: Not a directory'
	} >"$T/want"
	questions "$(at /lib/a.so first)" >"$T/q"
	answers "$T/want" -s "$T/sealed/root" <"$T/q"
	answers "$T/want" -s "$T/sealed/root/" <"$T/q"
	(cd "$T/sealed" && answers "$T/want" -s root <"$T/q")
	# where the kernel cannot do it, each link is followed by hand
	[[ ${CFLAGS-} != *sanitize* ]] || skip "leaks cannot be looked for under strace"
	need strace
	for way in openat2:error=ENOSYS openat2:error=EPERM openat2:error=EMFILE; do
		answers "$T/want" -s "$T/sealed/root" <"$T/q"
		want_status 0 strace -qq -o "$T/trace" -e trace=openat2,openat -e "inject=$way" \
			"$BATS_FILE_TMPDIR/symbol" -s "$T/sealed/root" <"$T/q"
		grep -q INJECTED "$T/trace" || skip "strace injects nothing here"
		same "$T/want" "$T/out" || fail "$way"
		[ "$(grep -c "open[a-z0-9]*([^ ]* \"[^\"]*outside.so.* = [0-9]" "$T/trace")" -eq 0 ]
	done
	# without /proc the name is opened
	want_status 0 strace -qq -o "$T/trace" -P /proc/self/fd/4 -P /proc/self/fd/5 -P /proc/self/fd/3 \
		-e trace=openat -e inject=openat:error=ENOENT "$BATS_FILE_TMPDIR/symbol" -s "$T/sealed/root" <"$T/q"
	same "$T/want" "$T/out"
}

@test "symfs: JIT maps of this machine are not those of the one that was recorded" {
	local map=/tmp/perf-4294967287.map
	[ ! -e $map ] || skip "$map is there"
	mkdir -p "$T/root/tmp"
	printf '1000 10 of_this_machine\n' >$map
	answers <(echo of_this_machine+0x0) <<<"jit 4294967287 1000" || { rm $map; return 1; }
	want_status 0 "$BATS_FILE_TMPDIR/symbol" -s "$T/root" <<<"jit 4294967287 1000" || { rm $map; return 1; }
	rm $map
	echo none | same - "$T/out"
}

@test "the kernel's own files, devices and pipes are not opened by a name that is recorded" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "leaks cannot be looked for under strace"
	need strace
	mkdir -p "$T/root"
	mkfifo "$T/fifo"
	ln -s /dev/zero "$T/link"
	printf 'none\nnone\nnone\nnone\nnone\nmiss %s: not a regular file\nmiss %s: not a regular file\nmiss %s: not a regular file\nmiss %s: not a regular file\nmiss %s: not a regular file\n' \
		/proc/version /dev/zero "$T/fifo" "$T/link" /dev >"$T/want"
	printf 'object %s - 0\n' /proc/version /dev/zero "$T/fifo" "$T/link" /dev >"$T/q"
	want_status 0 strace -qq -o "$T/trace" -e trace=openat,open,openat2 "$BATS_FILE_TMPDIR/symbol" <"$T/q"
	same "$T/want" "$T/out"
	grep -E '"(/proc/version|/dev/zero|/dev|[^"]*/fifo|[^"]*/link)"' "$T/trace" | grep -v O_PATH >"$T/opened" || :
	[ ! -s "$T/opened" ] || fail "$(cat "$T/opened")"
	# without O_PATH's way the name is looked at before it is opened
	want_status 0 strace -qq -o "$T/trace" -e trace=openat -P /dev/zero -e inject=openat:error=EMFILE \
		"$BATS_FILE_TMPDIR/symbol" <<<"object /dev/zero - 0"
	printf 'none\nmiss /dev/zero: not a regular file\n' | same - "$T/out"
}

# ---- failures of the system

# A recording "dir" with names from each kind of place, and "root" to find them in.
named_recording() {
	local at
	mkdir -p root/tmp root/usr/lib/debug/lib dir/kcore_dir
	elf /lib/a.so
	elf /lib/b.so
	objcopy --only-keep-debug root/lib/b.so b.debug
	strip root/lib/b.so
	objcopy --add-gnu-debuglink=b.debug root/lib/b.so
	mv b.debug root/usr/lib/debug/lib/b.debug
	printf '1000 100 jitted\n' >root/tmp/perf-7.map
	printf 'ffffffff81000000 T _text\nffffffff81000100 T kern\nffffffff81000200 T end\n' >dir/kcore_dir/kallsyms
	at=$(at /lib/a.so kept-)
	perfmake >dir/data <<-END
		comm 7 7 1 prog
		mmap 4294967295 0 1 k 0xffffffff81000000 0x1000000 0xffffffff81000000 [kernel.kallsyms]_text
		mmap 7 7 2 u 0x400000 0x10000 0 /lib/a.so
		mmap 7 7 2 u 0x500000 0x10000 0 /lib/b.so
		mmap 7 7 2 u 0x600000 0x10000 0 /lib/gone.so
		mmap 7 7 2 u 0x1000 0x1000 0 //anon
		sample 7 7 10 u $((0x400000 + 0x$at))
		sample 7 7 11 u $((0x500000 + 0x$at))
		sample 7 7 12 u 0x1010
		sample 7 7 13 k 0xffffffff81000110
		sample 7 7 14 u 0x600010
	END
	want_status 0 perfdec --symfs root dir || return
	grep '^sample' out | cut -f 4 >names
	printf 'kept\nkept\njitted\nkern\n[gone.so]\n' | same - names || return
	cp out whole
}

# as_whole_or_failed STATUS WHAT: the last run gave all names, or says that it did not.
as_whole_or_failed() {
	case $1 in
	0) same whole out || fail "$2: status 0, and other lines" ;;
	3)
		[ -s err ] || fail "$2: status 3, and nothing is said" || return
		# the output itself may be what failed: then it may have no end, or all of it
		! grep -q '^#end.*	complete' out || same whole out || fail "$2: marked as complete"
		;;
	*) fail "$2: status $1: $(head -n 2 err)" ;;
	esac
}

# faults CALL ERROR: each such call after the operand is first looked at fails once.
faults() {
	local call=$1 error=$2 k from to status step=3
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	strace -qq -o trace perfdec --symfs root dir >out 2>err
	from=$(sed '1d;/"dir"/,$d' trace | grep -c "^$call(" || :)
	to=$(grep -c "^$call(" trace || :)
	for ((k = from + 1; k <= to; k += step)); do
		status=0
		strace -qq -o injected -e "trace=$call" -e "inject=$call:error=$error:when=$k" \
			perfdec --symfs root dir >out 2>err || status=$?
		as_whole_or_failed $status "$(grep INJECTED injected)" || return
		count=$((count + 1))
	done
}

# bats test_tags=slow,sanitize
@test "whatever call fails while names are looked up: the same names, or status 3 and partial" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers do not run under strace"
	need strace objcopy strip
	strace -qq -o strace -e inject=getpid:error=EIO true || skip "strace injects nothing here"
	count=0
	named_recording
	for call in openat openat2; do
		for error in EIO EMFILE ENOMEM; do
			faults $call $error
		done
	done
	for call in open newfstatat fstat stat lstat fstatfs statfs read pread64 lseek; do
		faults $call EIO
	done
	faults openat2 ENOSYS
	faults mmap ENOMEM
	faults close EIO
	[ $count -gt 40 ]
}

@test "whatever allocation fails while names are looked up: the same" {
	local k status last=0 step=3
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	need objcopy strip
	helpers nomem.so || skip "no preloading here"
	named_recording
	LD_PRELOAD=$HELPERS/nomem.so NOMEM=0 perfdec --symfs root dir | same whole - || skip "no preloading here"
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	for ((k = 1; k < 400 && last < 20; k += step)); do
		status=0
		LD_PRELOAD=$HELPERS/nomem.so AFPIPE_SANDBOX=0 NOMEM=$k perfdec --symfs root dir >out 2>err || status=$?
		last=$((status == 0 ? last + 1 : 0))
		[ $status -eq 0 ] || [ -s out ] || continue # before there was a stream
		as_whole_or_failed $status "allocation $k"
	done
	[ $k -gt 60 ]
}

@test "few descriptors are enough, and with too few it is said" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers open files of their own"
	need objcopy strip
	named_recording
	for n in 5 6 7 9; do
		want_status 0 bash -c "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&-; ulimit -n $n; exec perfdec --symfs root dir"
		same whole out || fail "with $n"
	done
	want_status 3 bash -c "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&-; ulimit -n 4; exec perfdec --symfs root dir"
	said "no symbols for /lib/a.so: open: Too many open files"
	said "no symbols for /tmp/perf-7.map: open: Too many open files"
	said "no symbols for [kernel.kallsyms]: the recording's own list: Too many open files"
	tail -n 1 out | grep -q '	partial	failed$'
}

@test "few descriptors are enough for the lines of many objects" {
	local n at
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers open files of their own"
	# far from the headers, which are kept
	cat >far.s <<-'END'
		.data
		.fill 1000000, 1, 1
		.section .debug_str, "MS", @progbits, 1
		.fill 1000000, 1, 'a'
		.byte 0
	END
	elf /lib/1.so -g far.s
	at=$(nm "$T/root/lib/1.so" | sed -n 's/ T caller$//p')
	for n in {2..9}; do cp "$T/root/lib/1.so" "$T/root/lib/$n.so"; done
	{
		for n in {1..9}; do echo "mmap 7 7 2 u 0x${n}00000 0x10000 0 /lib/$n.so"; done
		for n in {1..9}; do echo "sample 7 7 1$n u $((n * 0x100000 + 0x$at))"; done
	} | perfmake >many.data
	want_status 0 bash -c "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&-; ulimit -n 9; exec perfdec --symfs root --srcline many.data"
	silent
	[ "$(grep -c '^sample	.*	caller	.*	line=[^	]*/src.c:[0-9]*	' out)" -eq 9 ] || fail "$(grep '^sample' out)"
}

# ---- what input makes of time and memory

# bats test_tags=slow
@test "paths that are chosen to collide cost no more than others" {
	local n
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have instructions of their own"
	need valgrind
	helpers collide
	for n in 400 4000; do
		collide paths $n | awk '{
			printf "mmap 1 1 1 u %d 0x1000 0 %s\nsample 1 1 %d u %d\n", NR * 4096, $1, NR + 1, NR * 4096
		}' | perfmake >$n.data
	done
	mkdir -p root
	linear 400.data 4000.data perfdec --symfs root
	[ "$(grep -c '^sample' "$T/out")" -eq 4000 ]
}

@test "elf: files of holes that claim gigabytes cost neither memory nor names" {
	local what kib
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers need memory of their own"
	mkdir -p root
	echo 'sample 1 1 2 u 0x10010' >lines
	(echo 'mmap 1 1 1 u 0x10000 0x1000 0 /holes'; cat lines) | perfmake >made.data
	elfholes root/holes far || skip "no holes here"
	[ "$(du -k root/holes | cut -f 1)" -lt 1000 ] || skip "no holes here"
	for what in symtab far names plt note debuglink opd strings count "symtab plt note debuglink opd strings count"; do
		# shellcheck disable=SC2086 # a list
		elfholes root/holes $what
		want_status 0 rss used perfdec --symfs root made.data || fail "$what"
		kib=$(cut -d ' ' -f 2 used)
		[ "$kib" -lt 20000 ] || fail "$what: $kib KiB"
		[ "$(grep -c '	there	' out)" -eq "$(grep -cE 'symtab|far|plt' <<<"$what")" ] || fail "$what: $(cat out)"
	done
	elfholes root/holes names
	want_status 0 perfdec --symfs root made.data
	said "no symbols for /holes: its symbol names overlap too much"
}

@test "crafted object files: bounded, and no crash" {
	local corpus=$ROOT/t/fuzz/corpus/elf step=13
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	want_status 0 fuzz-elf "$corpus"/*
	want_status 0 fuzz-elf --prefixes "$step" "$corpus"/*
	want_status 0 fuzz-elf --flips "3${AFPIPE_SLOW:+0}00" 1 "$corpus"/*
}

@test "crafted lists of symbols: no crash" {
	kernel_list >list
	printf '1000 80 f\n1010 10 g h\n3000 0 k\n' >map
	printf '%s\n' '100 T _text' '110 T _stext' '120 T a' '200 t b' '200 t c' '800 T _etext' >text
	want_status 0 fuzz-lists list map text "$ROOT"/t/fuzz/corpus/lists/*
	want_status 0 fuzz-lists --prefixes 3 list map text
	want_status 0 fuzz-lists --flips 300 1 list map text
}
