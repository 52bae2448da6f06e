#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# symbol_dwarf.bats - inlined functions and source lines (src/symbol/dwarf.h) at the addresses of
# programs that the tests build, compared with llvm-addr2line and eu-addr2line.

load lib

setup_file() {
	helpers fuzz-dwarf
	use_archive
	build_c "$BATS_FILE_TMPDIR/frames" t/unit/dwarf.c "$archive" "${LIBRARIES[@]}"
	cd "$BATS_FILE_TMPDIR" || return
	cat >one.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		struct item { int key; char name[16]; };
		int other(int, struct item *);
		static inline int order(const struct item *a, const struct item *b)
		{
			return a->key < b->key ? -1 : a->key > b->key;
		}
		static int compare(const void *a, const void *b) { return order(a, b); }
		static inline unsigned hash(const char *s)
		{
			unsigned h = 5381;
			while (*s)
				h = h * 33 ^ (unsigned char)*s++;
			return h;
		}
		static void fill(struct item *v, int n)
		{
			for (int i = 0; i < n; i++) {
				v[i].key = rand() % 100;
				snprintf(v[i].name, 16, "n%u", hash(getenv("X")) % 10u + i);
			}
		}
		__attribute__((noinline, cold)) static void bad(int x) { fprintf(stderr, "%d", x); abort(); }
		int main(int argc, char **argv)
		{
			struct item v[50];
			(void)argv;
			fill(v, 50);
			qsort(v, 50, sizeof *v, compare);
			if (v[0].key > v[49].key)
				bad(v[0].key);
			return other(argc, v);
		}
	END
	cat >two.c <<-'END'
		#include <stdio.h>
		#include <string.h>
		struct item { int key; char name[16]; };
		static inline int len(const struct item *i) { return (int)strlen(i->name); }
		static int total(struct item *v, int n)
		{
			int s = 0;
			for (int i = 0; i < n; i++)
				s += len(&v[i]) * v[i].key;
			return s;
		}
		int other(int n, struct item *v)
		{
			printf("%d", total(v, n * 10));
			return total(v, 3) & 1;
		}
	END
	cat >three.cc <<-'END'
		#include <algorithm>
		#include <functional>
		#include <iostream>
		#include <map>
		#include <regex>
		#include <thread>
		#include <vector>
		template <class T, int N> struct many { T v[N]; T sum() const { T s{}; for (auto &x : v) s += x; return s; } };
		namespace a { namespace b { inline int f(int x) { return x % 7 ? x * 3 : x / 2; } } }
		int main(int argc, char **argv)
		{
			std::regex re("([a-z]+)([0-9]*)");
			std::smatch m;
			std::string s = argc > 1 ? argv[1] : "abc123";
			std::map<std::string, int> counts;
			std::vector<int> v;
			for (int i = 0; i < argc * 1000; i++)
				v.push_back(a::b::f(i));
			std::thread t([&] { std::sort(v.begin(), v.end(), [](int x, int y) { return a::b::f(x) < a::b::f(y); }); });
			t.join();
			if (std::regex_match(s, m, re))
				counts[m[1]] += (int)v.size();
			many<double, 8> d{{1, 2, 3}};
			std::function<int(int)> add = [=](int q) { return q + (int)d.sum(); };
			for (auto &p : counts)
				std::cout << p.first << p.second << add(argc);
		}
	END
	cat >four.cc <<-'END'
		extern volatile int sink;
		volatile int sink;
		namespace alpha { template<class T> static inline T work(T n) { T s = 0; while (n-- > 0) s ^= n + sink; return s; } }
		namespace { template<class T> static inline T work(T n) { T s = 1; while (n-- > 0) s += n ^ sink; return s; } }
		inline namespace v1 { namespace in { static inline int work(int n) { int s = 2; while (n-- > 0) s -= n ^ sink; return s; } } }
		template<class T> struct K { struct J { template<class U> static U run(U n) { U s = 3; while (n-- > 0) s ^= n - sink; return s; } }; };
		namespace { struct A { int n; A(int k); ~A() { sink += n; } struct B; union U { int i; int get() const { int s = 7; for (int k = i; k-- > 0;) s ^= k * sink; return s; } }; };
		struct A::B { static int go(int n) { int s = 5; while (n-- > 0) s += n * sink; return s; } };
		inline A::A(int k) : n(k) { while (k-- > 0) n ^= k + sink; } }
		namespace c { extern "C" { int of_c(int n) { int s = 8; while (n-- > 0) s ^= n + 5 + sink; return s; } } }
		namespace o { static int outer(int n) { struct Loc { static int run(int n) { int s = 9; while (n-- > 0) s ^= n + 8 + sink; return s; } }; return Loc::run(n); } }
		static int plain(int n) { int s = 10; while (n-- > 0) s ^= n + 9 + sink; return s; }
		int main(int c, char **)
		{
			{ A a(c); A::U u; u.i = c; sink += u.get(); }
			sink += alpha::work(c) + work(c) + in::work(c) + K<int>::J::run(c) + A::B::go(c) + c::of_c(c) + o::outer(c) + plain(c);
		}
	END
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	PATH=$BATS_FILE_TMPDIR:$PATH
}

# addresses FILE STEP: the addresses of its code, each STEP-th.
addresses() {
	readelf -SW "$1" | sed -n 's/^.*\] //p' | awk -v step="$2" '
		function hex(s,  i, v) { for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
		$7 ~ /X/ { a = hex($3); n = hex($5); for (i = 0; i < n; i += step) printf "0x%x\n", a + i }'
}

# normal: joins the lines of each address.  The outermost function, which the judges take from the
# symbols, becomes "*", and what only says that nothing is known is left out.
normal() {
	awk '
		function flush(  i, s) {
			if (at == "") return
			if (n == 1 && place[1] ~ /^[^\/]*:[?]$/) n = 0
			s = at
			for (i = 1; i <= n; i++) s = s " | " (i < n ? name[i] : "*") " " place[i]
			print s
		}
		/^0x[0-9a-f]+$/ { flush(); sub(/^0x0*/, "0x"); at = $0; n = 0; odd = 0; next }
		!odd { sub(/ inlined at .*/, ""); sub(/ \(inlined\)$/, ""); name[n + 1] = $0; odd = 1; next }
		{
			sub(/ \(discriminator [0-9]+\)$/, ""); sub(/:0$/, ":?"); sub(/:0:0$/, ":?")
			place[++n] = $0; odd = 0
		}
		END { flush() }'
}

# like_llvm FILE STEP: the same frames as llvm-addr2line, and at least one inlined function.
like_llvm() {
	need llvm-addr2line
	addresses "$1" "$2" >places
	[ -s places ]
	frames "$1" <places 2>err | normal >got
	[ ! -s err ] || fail "$1: $(cat err)" || return
	llvm-addr2line -a -i -f -e "$1" <places | normal >want
	same want got || fail "$1" || return
	grep -q '|.*|' got
}

# like_llvm_scoped FILE STEP: the same, but a name may have scopes before it, which llvm-addr2line
# does not print.
like_llvm_scoped() {
	need llvm-addr2line
	addresses "$1" "$2" >places
	frames "$1" <places 2>err >got
	[ ! -s err ] || fail "$1: $(cat err)" || return
	llvm-addr2line -a -i -f -e "$1" <places >want
	# of the lines that differ, all that ours have more is a text that ends with "::"
	paste -d '\n' <(normal <got | tr '|' '\n') <(normal <want | tr '|' '\n') | awk '
		NR % 2 { g = $0; next }
		g != $0 && !(substr(g, length(g) - length($0) + 2) == substr($0, 2) &&
			substr(g, 1, length(g) - length($0) + 1) ~ /:: ?$/) { print g; print $0; bad = 1 }
		g != $0 { scoped = 1 }
		END { exit bad || !scoped }'
}

# like FILE OTHER STEP: the same frames as in OTHER, whose code is the same.
like() {
	addresses "$2" "$3" >places
	frames "$1" <places >got 2>err
	[ ! -s err ] || fail "$1: $(cat err)" || return
	frames "$2" <places >want
	same want got || fail "$1" || return
	[ "$(wc -l <got)" -gt "$(wc -l <places)" ]
}

# bats test_tags=quick
@test "C, of every version of DWARF, as llvm-addr2line" {
	local cc v
	for cc in gcc clang; do
		need $cc
		for v in 2 3 4 5; do
			$cc -O2 -gdwarf-$v one.c two.c -o c
			like_llvm c 1
		done
	done
}

@test "DWARF 2 gives a unit the addresses of one section: functions in others are found, too" {
	need gcc
	gcc -O2 -gdwarf-4 one.c two.c -o wide
	gcc -O2 -gdwarf-2 -gstrict-dwarf one.c two.c -o strict
	objdump --dwarf=Ranges strict >dump
	! grep -q '^ ' dump || skip "this gcc writes ranges"
	addresses strict 1 >places
	same <(addresses wide 1) places
	# the innermost lines, since DWARF 2 has none for calls
	for file in wide strict; do
		frames $file <places 2>err | normal | awk '{ print $1, $4 }' >$file.lines
		[ ! -s err ]
	done
	same wide.lines strict.lines
	grep -q one.c strict.lines
}

# bats test_tags=slow,sanitize
@test "C in other forms, as llvm-addr2line" {
	local flags
	need gcc
	for flags in -gdwarf64 -flto -gz=zlib "-ffunction-sections -Wl,--gc-sections" -g1 -O3 \
		-fdebug-types-section -no-pie "-static -gdwarf-4" "-ffile-prefix-map=$PWD=./here"; do
		# shellcheck disable=SC2086 # flags are words
		gcc -g -O2 $flags one.c two.c -o c
		like_llvm c 1
	done
}

# bats test_tags=slow,sanitize
@test "C++ with templates, lambdas and threads, as llvm-addr2line" {
	local v
	need g++ clang++
	for v in 4 5; do
		clang++ -O2 -gdwarf-$v three.cc -o cc -pthread
		like_llvm cc 3
		g++ -O2 -gdwarf-$v three.cc -o cc -pthread
		like_llvm_scoped cc 3
	done
}

# inlined FILE: the names of inlined functions.
inlined() {
	addresses "$1" 1 >places
	frames "$1" <places 2>err | normal | tr '|' '\n' | awk '/^ [^*0]/ { sub(/^ /, ""); sub(/ [^ ]*:[0-9?]+ *$/, ""); print }' |
		c++filt -p | sort -u
	[ ! -s err ] || fail "$1: $(cat err)"
}

@test "C++ functions without linkage names: named as their symbols are where they are not inlined" {
	local flags
	need g++ nm c++filt dwz
	g++ -O2 -fno-inline four.cc -o apart
	nm apart | awk '$2 ~ /^[tTwW]$/ { print $3 }' | c++filt -p | sed 's/outer(int)/outer/' |
		grep -E '::|plain|of_c' | sort -u >want
	[ "$(wc -l <want)" -eq 12 ]
	for flags in -gdwarf-4 "-flto -g" "-fdebug-types-section -g" "-gsplit-dwarf -g"; do
		# shellcheck disable=SC2086 # flags are words
		g++ -O2 $flags four.cc -o cc
		inlined cc >got
		same want got || fail "$flags" || return
	done
	g++ -O2 -g -Wl,--build-id four.cc -o cc
	g++ -O3 -g -Wl,--build-id four.cc -o cc2
	rm -f shared4
	dwz -m shared4 cc cc2
	inlined cc >got
	same want got
	# a lambda has no name
	cat >five.cc <<-'END'
		volatile int sink;
		namespace n { static int f(int c) { return [](int k) { while (k-- > 0) sink++; return sink; }(c); } }
		int main(int c, char **) { return n::f(c); }
	END
	g++ -O2 -g five.cc -o cc
	[ "$(inlined cc)" = "$(printf 'n::f\nn::f::{unnamed type}::operator()')" ]
}

@test "AArch64 and i386, as llvm-addr2line" {
	need aarch64-linux-gnu-gcc i686-linux-gnu-gcc
	aarch64-linux-gnu-gcc -O2 -g one.c two.c -o c
	like_llvm c 1
	local v
	for v in 3 4 5; do
		i686-linux-gnu-gcc -O2 -gdwarf-$v one.c two.c -o c
		like_llvm c 1
	done
}

@test "a big-endian program, as llvm-addr2line" {
	local v
	need aarch64-linux-gnu-gcc
	cat >big.c <<-'END'
		static volatile int sink;
		static inline int twice(int x) { sink = x; return x * 2; }
		static inline int both(int x) { return twice(x) + twice(x + sink); }
		__attribute__((section(".text.cold"))) int cold(int x) { return both(x) - 1; }
		int main(int c, char **v) { (void)v; return c > 1 ? cold(both(c)) : twice(c); }
	END
	for v in 3 4 5; do
		aarch64-linux-gnu-gcc -mbig-endian -nostdlib -static -Wl,-e,main -O2 -gdwarf-$v big.c -o c
		readelf -h c | grep -q 'big endian'
		like_llvm c 1
	done
}

@test "a debug file: the same frames as in the program that it was taken from" {
	need gcc
	gcc -O2 -g one.c two.c -o plain
	objcopy --only-keep-debug plain plain.debug
	like plain.debug plain 1
}

@test "sections compressed with zstd: the same frames as without" {
	need gcc
	gcc -O2 -g one.c two.c -o plain
	cp plain zstd
	objcopy --compress-debug-sections=zstd zstd 2>/dev/null || skip "objcopy without zstd"
	like zstd plain 1
}

@test "sections compressed in the old way (.zdebug_info): the same frames as without" {
	local v size
	need gcc objcopy
	for v in 4 5; do
		gcc -O2 -gdwarf-$v one.c two.c -o plain
		cp plain old
		objcopy --compress-debug-sections=zlib-gnu old
		[ "$(readelf -SW old | grep -c ' \.zdebug_')" -ge 4 ]
		like old plain 1
	done
	# the size that its header claims is wrong, or there is no such header
	addresses plain 1 >places
	main=$(nm plain | sed -n 's/ T main$//p')
	for size in '\0\0\0\1' '\0\0\0\0' '\377\377\377\377'; do
		at=$(readelf -SW old | sed -n 's/.* \.zdebug_line  *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
		cp old bad
		patch bad $((0x$at + 8)) "$size"
		frames bad <places 2>err >got
		grep -q '^[0-9]* damaged: a compressed section ' err || fail "$size: $(cat err)"
		# the first place that needs it is told the reason, too
		frames bad <<<"$main" 2>err >got
		grep -q '^1 damaged: a compressed section ' err || fail "$size: $(cat err)"
	done
	patch bad $((0x$at)) L
	frames bad <places 2>err >got
	grep -q '^[0-9]* damaged: a compressed section ' err
	frames bad <<<"$main" 2>err >got
	echo '1 damaged: unknown compression' | same - err
}

# spoil SECTION HOW: makes bad from whole, with other contents of the section.
spoil() {
	local size
	objcopy --dump-section ".debug_$1=section" whole junk 2>/dev/null || return
	size=$(stat -c %s section)
	case $2 in
	zeros) head -c "$size" /dev/zero ;;
	ones) head -c "$size" /dev/zero | tr '\0' '\377' ;;
	half) head -c $((size / 2)) section ;;
	byte) head -c 1 section ;;
	esac >new
	if [ "$2" = gone ]; then
		objcopy --remove-section ".debug_$1" whole bad
	else
		objcopy --update-section ".debug_$1=new" whole bad 2>/dev/null
	fi
}

# bats test_tags=slow,sanitize
@test "damage in any section is an error where lines or functions are missing" {
	local cc v section how n=0
	need gcc clang objcopy
	for cc in gcc-4 gcc-5 clang-4 clang-5; do
		${cc%-?} -O2 -gdwarf-"${cc#*-}" one.c two.c -o whole
		addresses whole 1 >places
		frames whole <places >want 2>err
		[ ! -s err ]
		for section in $(readelf -SW whole |
			sed -n 's/.* \.debug_\(info\|abbrev\|line\|line_str\|str\|str_offsets\|addr\|ranges\|rnglists\) .*/\1/p'); do
			for how in zeros ones half byte gone; do
				[ "$section-$how" != info-gone ] || continue
				spoil "$section" $how
				frames bad <places >got 2>err
				! cmp -s want got || fail "$cc $section $how: nothing is missing"
				grep -q '^[1-9][0-9]* damaged: ' err || fail "$cc $section $how: no error"
				n=$((n + 1))
			done
		done
	done
	[ $n -gt 100 ]
}

# bats test_tags=slow,sanitize
@test "damage in a .dwo file, or in the program that refers to it, is an error" {
	local cc section how n=0
	need gcc clang objcopy
	rm -f split.dwp
	for cc in gcc-4 gcc-5 clang-4 clang-5; do
		${cc%-?} -O2 -gdwarf-"${cc#*-}" -gsplit-dwarf -c one.c -o split1.o
		${cc%-?} -O2 -gdwarf-"${cc#*-}" -gsplit-dwarf -c two.c -o split2.o
		${cc%-?} split1.o split2.o -o split
		addresses split 1 >places
		frames split <places >want 2>err
		[ ! -s err ]
		cp split1.dwo whole
		for section in $(readelf -SW whole |
			sed -n 's/.* \.debug_\(info\|abbrev\|str\|str_offsets\|rnglists\)\.dwo .*/\1.dwo/p'); do
			for how in zeros ones half byte; do
				# version 4 has no header there, and 0 is the offset of a text
				[ "$cc-$section-$how" != "${cc%-?}-4-str_offsets.dwo-zeros" ] || continue
				spoil "$section" $how
				mv bad split1.dwo
				frames split <places >got 2>err
				cmp -s want got || grep -q '^[1-9][0-9]* damaged: ' err || fail "$cc $section $how: no error"
				n=$((n + 1))
			done
		done
		cp whole split1.dwo
		# in version 4, addresses that are zeros are like those of code that the linker dropped
		cp split whole
		for section in abbrev line line_str str ranges rnglists; do
			for how in zeros ones half byte gone; do
				spoil $section $how || continue
				frames bad <places >got 2>err
				cmp -s want got || grep -q '^[1-9][0-9]* damaged: ' err || fail "$cc $section $how: no error"
				n=$((n + 1))
			done
		done
	done
	[ $n -gt 100 ]
}

@test "a section header that is wrong, tables without their headers, and numbers of nothing" {
	local at index headers
	need clang objcopy
	clang -O2 -gdwarf-5 one.c two.c -o whole
	addresses whole 1 >places
	headers=$(od -A n -t u8 -j 40 -N 8 whole)
	for section in info str addr rnglists line; do
		# the section claims to be longer than the file
		index=$(readelf -SW whole | sed -n "s/^ *\[ *\([0-9]*\)\] \.debug_$section .*/\1/p")
		cp whole bad
		patch bad $((headers + index * 64 + 32)) '\0\0\0\1\0\0\0\0'
		frames bad <places >got 2>err
		grep -q 'damaged: a section of its debug information reaches beyond its end$' err || fail "$section"
	done
	# section 0 is none, whatever its header says: the first bytes of the file are no section
	frames whole <places >want 2>err
	[ ! -s err ]
	for section in info str addr rnglists line; do
		index=$(readelf -SW whole | sed -n "s/^ *\[ *\([0-9]*\)\] \.debug_$section .*/\1/p")
		cp whole bad
		dd if=whole of=bad bs=1 skip=$((headers + index * 64)) seek="$headers" count=64 conv=notrunc 2>/dev/null
		patch bad $((headers + 24)) '\0\0\0\0'
		frames bad <places >got 2>err
		[ ! -s err ] || fail "$section: $(cat err)" || return
		same want got
	done
	for section in addr rnglists str_offsets; do
		# another version in the header of the table
		at=$(readelf -SW whole | sed -n "s/.* \.debug_$section  *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p")
		cp whole bad
		patch bad $((0x$at + 4)) '\6'
		frames bad <places >got 2>err
		grep -q 'damaged: .* its debug information is damaged$' err || fail "$section"
	done
	# a version of a unit that does not exist
	at=$(readelf -SW whole | sed -n 's/.* \.debug_info  *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	cp whole bad
	patch bad $((0x$at + 4)) '\6'
	frames bad <places >got 2>err
	grep -q 'damaged: its debug information has units of an unknown version or kind$' err
	# addresses of code that are none
	at=$(readelf -SW whole | sed -n 's/.* \.debug_addr  *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	cp whole bad
	patch bad $((0x$at + 8)) '\0\0\0\1'
	frames bad <places >got 2>err
	grep -q 'damaged: an address of its debug information is outside of its code$' err
}

# bats test_tags=slow,sanitize
@test "split DWARF, of .dwo and .dwp files: the same frames as without" {
	local cc v
	for cc in gcc clang; do
		need $cc
		for v in 4 5; do
			$cc -O2 -gdwarf-$v one.c two.c -o plain
			$cc -O2 -gdwarf-$v -gsplit-dwarf -c one.c -o split1.o
			$cc -O2 -gdwarf-$v -gsplit-dwarf -c two.c -o split2.o
			$cc split1.o split2.o -o split
			rm -f split.dwp
			like split plain 1
			command -v llvm-dwp >/dev/null || continue
			timeout 5 llvm-dwp -e split -o split.dwp || continue # version 14 does not end for some of gcc
			rm split1.dwo split2.dwo
			like split plain 1
		done
	done
}

@test "split DWARF: llvm-addr2line knows the same, where a unit has several ranges" {
	need clang
	(cat two.c && echo '__attribute__((section(".text.third"))) int third(int x) { return x * 3; }') >more.c
	rm -f split.dwp
	clang -O2 -gdwarf-5 -gsplit-dwarf -c one.c -o split1.o
	clang -O2 -gdwarf-5 -gsplit-dwarf -c more.c -o split2.o
	clang split1.o split2.o -o split
	like_llvm split 1
}

@test "a .dwo file that is missing or of another compilation: only lines, which is said" {
	need gcc
	rm -f split.dwp
	gcc -O2 -g -gsplit-dwarf -c one.c -o split1.o
	gcc -O2 -g -gsplit-dwarf -c two.c -o split2.o
	gcc split1.o split2.o -o split
	cp split1.dwo good
	addresses split 1 >places
	cp split2.dwo split1.dwo
	frames split <places >got 2>err
	grep -q '[1-9][0-9]* missing: a .dwo file is from another compilation' err
	rm split1.dwo
	frames split <places >got 2>err
	grep -q '[1-9][0-9]* missing: a .dwo file is not available: ' err
	grep -q '/one.c:[0-9]' got
	[ "$(grep -c '^fill$' got)" -eq 0 ]
	cp good split1.dwo
	frames split <places >got 2>err
	[ ! -s err ]
	grep -q '^fill$' got
}

@test "dwz, with and without a shared file: the same frames as before" {
	local v
	need gcc dwz
	for v in 4 5; do
		gcc -O2 -gdwarf-$v -Wl,--build-id one.c two.c -o first
		gcc -O1 -gdwarf-$v -Wl,--build-id one.c two.c -o second
		cp first first.before
		cp second second.before
		rm -f shared
		dwz -m shared first second
		readelf -SW first | grep -q gnu_debugaltlink
		like first first.before 1
		like second second.before 1
		cp first.before alone
		dwz alone || continue
		like alone first.before 1
	done
	mv shared away
	addresses first 1 >places
	frames first <places >got 2>err
	grep -q "missing: dwz's file is not available: " err
}

@test "dwz's shared file, as eu-addr2line" {
	need gcc dwz eu-addr2line
	gcc -O2 -g -Wl,--build-id one.c two.c -o first
	gcc -O1 -g -Wl,--build-id one.c two.c -o second
	rm -f shared
	dwz -m shared first second
	addresses second 1 >places
	frames second <places | normal >got
	eu-addr2line -a -i -f -e second <places | sed 's/^\(.*:[0-9]*\):[0-9]*$/\1/' | normal >want
	# it also knows lines of the bytes between functions
	paste -d '\n' got want | awk 'NR % 2 { g = $0; next } g != $0 && g ~ /\|/ { print g; print $0; bad = 1 } END { exit bad }'
	grep -q '|.*|' got
}

@test "crafted DWARF: bounded, and the same answers in any order" {
	local corpus=$ROOT/t/fuzz/corpus/dwarf step=7
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	FUZZ_KIB=400000 want_status 0 fuzz-dwarf "$corpus"/*
	grep -q " 0 refused$" "$T/out"
	want_status 0 fuzz-dwarf --prefixes $step "$corpus"/*
	want_status 0 fuzz-dwarf --flips 300 1 "$corpus"/*
}
