# SPDX-License-Identifier: ISC
# afpipe.bats - libafpipe as it is installed: what it gives to linkers, and what its functions do.

load lib

# The folder of an installation, the same for all tests of this file.
stage=$BATS_FILE_TMPDIR/root

setup() {
	local tree=$ROOT
	[[ ${CFLAGS-} != *coverage* ]] || tree=$AFPIPE_BIN/..
	[[ -z ${AFPIPE_BIN-} || ${CFLAGS-} == *coverage* ]] || skip "another build is tested"
	need pkg-config
	[ -d "$stage" ] || (cd "$tree" && make -s install PREFIX="$stage")
	export PKG_CONFIG_PATH=$stage/lib/pkgconfig LD_LIBRARY_PATH=$stage/lib
	demo=$ROOT/share/demo
	export SYMFS=$demo/symfs
	cd "$T"
}

# compile OUT SOURCE WORD...: compiles a program with the flags of pkg-config, and nothing of the tree.
compile() {
	local out=$1 source=$2
	shift 2
	# shellcheck disable=SC2046,SC2086 # flags are words
	${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -pedantic -Werror ${CFLAGS:--O1 -g} \
		-fno-lto $(pkg-config --cflags afpipe) -o "$out" "$source" "$@" >&2
}

# statically OUT SOURCE: does it with the archive of the library.  With make coverage it is the shared
# one, because the archive contains parts of clang's runtime, which the program has, too.
statically() {
	if [[ ${CFLAGS-} == *coverage* ]]; then
		# shellcheck disable=SC2046 # flags are words
		compile "$1" "$2" $(pkg-config --libs afpipe)
		return
	fi
	# shellcheck disable=SC2046 # flags are words
	compile "$1" "$2" "$stage/lib/libafpipe.a" \
		$(pkg-config --static --libs-only-l afpipe | sed 's/-lafpipe//')
}

# libuse: the program that calls the library, compiled once.
libuse() {
	local prog=$BATS_FILE_TMPDIR/libuse
	# shellcheck disable=SC2046 # flags are words
	[ -x "$prog" ] || compile "$prog" "$ROOT/t/tools/libuse.c" $(pkg-config --libs afpipe) -lpthread
	"$prog" "$@"
}

# like_perfdec FILE FLAGS WORD...: checks that the library gives the lines that perfdec prints with
# these options, and the same messages and status.
like_perfdec() {
	local file=$1 flags=$2 status=0
	shift 2
	perfdec "$@" "$file" >stream 2>said || status=$?
	unmarked stream >want
	want_status $status libuse decode "$file" "$flags"
	undated <"$T/out" >got
	same want got
	sed "s/^perfdec: //; s|^$file: ||; s/^0x[0-9a-f]*: //" said | sort >want
	# perfdec leaves what the end mark counts to later programs
	sed -E '/^end: /d; /^note: (the source lost|samples whose stacks)/d; s/^note: //; s/^report: .* errno [0-9]+: //' "$T/err" | sort >got
	same want got
}

@test "the symbols are those of the header" {
	need nm
	nm -D --defined-only "$stage/lib/libafpipe.so.0" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
		sort >got
	nm -g --defined-only "$stage/lib/libafpipe.a" | awk 'NF == 3 { print $3 }' | sort >archive
	sed -n '/^AFPIPE_API/,/;/p' "$stage/include/afpipe.h" | grep -oE '\bafpipe_[a-z0-9_]+\(' |
		tr -d '(' | sort -u >want
	[ "$(wc -l <want)" -gt 15 ]
	[[ ${CFLAGS-} == *coverage* ]] || same want got
	[[ ${CFLAGS-} == *sanitize* || ${CFLAGS-} == *coverage* ]] || same want archive
}

@test "the page names every function, and no other" {
	sed -n '/^AFPIPE_API/,/;/p' "$stage/include/afpipe.h" | grep -oE '\bafpipe_[a-z0-9_]+\(' |
		tr -d '(' | sort -u >want
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$ROOT/man/libafpipe.3" |
		sed -nE 's/^\.F[on] (afpipe_[a-z0-9_]+).*/\1/p' | grep -vx afpipe_line_sink | sort -u >got
	same want got
	grep -oE '\bAFPIPE_(PERF_)?[A-Z]+( = [0-9]+)?,? ' "$stage/include/afpipe.h" |
		grep -oE 'AFPIPE_[A-Z_]+' | grep -vxE 'AFPIPE_(API|OK|H|TIME|RUN|REGION|MEASURE)' | sort -u |
		while read -r name; do
			grep -q "$name" "$ROOT/man/libafpipe.3" || fail "libafpipe(3) does not name $name" || exit
		done
}

@test "the version is the same everywhere" {
	perfdec --version | sed 's/.* //' >want
	pkg-config --modversion afpipe >got
	same want got
	sed -n 's/^#define AFPIPE_VERSION "\(.*\)"/\1/p' "$stage/include/afpipe.h" >got
	same want got
	sed -n 's/^#define AFPIPE_VERSION_NUMBER \([0-9]*\).*/\1/p' "$stage/include/afpipe.h" |
		awk '{ print int($1 / 10000) "." int($1 / 100) % 100 "." $1 % 100 }' >got
	same want got
}

@test "the example, compiled as C and as C++, with the shared library and the static one" {
	local libs source=$stage/share/afpipe/example/share.c
	libs=$(pkg-config --libs afpipe)
	# shellcheck disable=SC2086 # libraries are words
	compile ./shared "$source" $libs
	statically ./static "$source"
	libuse decode "$demo/burn.data" |
		awk -F '\t' '$1 == "sample" { all++; n += $4 == "dot" } END { print "dot: " n " of " all " samples" }' >want
	cp -R "$demo/symfs/opt" opt
	for program in ./shared ./static; do
		want_status 0 $program "$demo/burn.data" main
		silent
		grep -qE '^main: [0-9]+ of 541 samples$' out
		want_status 3 $program nowhere main
		[ "$(cat err)" = "nowhere: cannot open: No such file or directory" ]
		want_status 2 $program
	done
	[[ ${CFLAGS-} != *sanitize* ]] || return 0
	need g++
	# shellcheck disable=SC2046,SC2086 # flags are words
	g++ -Wall -Wextra -pedantic -Werror $(pkg-config --cflags afpipe) -o plus -x c++ "$source" -x none $libs
	want_status 0 ./plus "$demo/burn.data" main
	silent
}

@test "a program may have functions with the names of ours" {
	cat >clash.c <<-'END'
		#include <afpipe.h>
		#include <stdlib.h>
		int mem_alloc(void); int buf_put(void); int evread_next(void); int perf_decode(void);
		int mem_alloc(void) { abort(); }
		int buf_put(void) { abort(); }
		int evread_next(void) { abort(); }
		int perf_decode(void) { abort(); }
		static int take(void *user, const struct afpipe_line *line) { (void)line; ++*(long *)user; return 0; }
		int
		main(int argc, char **argv)
		{
			long n = 0;
			return argc != 2 || afpipe_perf_decode(argv[1], NULL, take, &n, NULL) != 0 || n != 543;
		}
	END
	statically ./static clash.c
	want_status 0 ./static "$demo/burn.data"
	# shellcheck disable=SC2046 # flags are words
	compile ./shared clash.c -rdynamic $(pkg-config --libs afpipe)
	want_status 0 ./shared "$demo/burn.data"
}

@test "the lines, messages and statuses are those of perfdec" {
	local file
	for file in "$demo/burn.data" "$ROOT"/t/data/perf/*.data "$ROOT/t/data/perf/threads"; do
		like_perfdec "$file" 0 --symfs "$SYMFS"
		[[ $file == *threads ]] || { libuse decode - <"$file" 2>/dev/null | undated >got && same <(unmarked stream) got; }
	done
	like_perfdec "$demo/burn.data" 1 --symfs "$SYMFS" --all
	like_perfdec "$demo/burn.data" 2 --symfs "$SYMFS" --frames
	like_perfdec "$demo/burn.data" 4 --symfs "$SYMFS" --no-symbols
	like_perfdec "$demo/burn.data" 96 --symfs "$SYMFS" --inline --srcline
	like_perfdec "$ROOT/t/data/perf/stackdump.data" 8 --symfs "$SYMFS" --no-unwind
	like_perfdec "$ROOT/t/data/perf/clock.data" 256 --symfs "$SYMFS" --wall
}

@test "a pipe" {
	unmarked <(perfdec --symfs "$SYMFS" --no-spool - <"$ROOT/t/data/perf/pipe.data") >want
	libuse decode - 512 < <(cat "$ROOT/t/data/perf/pipe.data") | undated >got
	same want got
}

@test "what an end mark would count is a note" {
	want_status 0 libuse decode "$ROOT/t/data/perf/lost.data"
	said "note: the source lost 13 events, so the numbers are too small"
}

@test "a callback may stop" {
	libuse decode "$demo/burn.data" 2>/dev/null >all
	for n in 1 2 100 543; do
		want_status 4 libuse decode "$demo/burn.data" 0 $n
		[ "$(cat err)" = "end: code 4 place 0 at 0 errno 0: a callback asked to stop" ]
		head -n $n all >want
		same want out
	done
}

@test "a callback that stops is the last one that is called, whatever comes later in the recording" {
	local file n
	for file in "$ROOT"/t/data/perf/*.data; do
		for n in 1 7; do
			[ "$(libuse decode "$file" 0 2>/dev/null | wc -l)" -ge $n ] || continue
			want_status 4 libuse decode "$file" 0 $n
			tail -n 1 err >last
			echo 'end: code 4 place 0 at 0 errno 0: a callback asked to stop' | same - last
			[ "$(wc -l <out)" -eq $n ]
		done
	done
	# more lines than wait at a time, and then what would be reported and noted
	helpers perfmake
	awk 'BEGIN {
		print "unknown 200 1"
		for (i = 10; i < 8000; i++)
			print "sample 1 1 " i " u 0x1000" (i % 100 == 0 ? "\nround" : "")
		print "unknown 201 9000"
		print "raw 9 2 8:1"
	}' | perfmake >large
	want_status 1 libuse decode large
	said 'note: 2 records of unknown type ignored: 200 (1), 201 (1)'
	said 'too short for its contents'
	for n in 1 3000; do
		want_status 4 libuse decode large 0 $n
		echo 'end: code 4 place 0 at 0 errno 0: a callback asked to stop' | same - err
		[ "$(wc -l <out)" -eq $n ]
	done
}

@test "damaged recordings are errors" {
	local n
	for n in 0 8 100 20000 59000; do
		head -c $n "$demo/burn.data" >cut.data
		like_perfdec cut.data 0 --symfs "$SYMFS"
		want_status 1 libuse decode cut.data
		sed -n 's/^report: code 1 //p' err | head -n 1 >first
		sed -n 's/^end: code 1 //p' err >end
		same first end
		[ -s end ]
	done
	want_status 1 libuse decode "$demo/burn.c"
	[ ! -s out ]
	want_status 3 libuse decode nowhere
	[ "$(cat err)" = "report: code 3 place 0 at 0 errno 2: cannot open: No such file or directory
end: code 3 place 0 at 0 errno 2: cannot open: No such file or directory" ]
	want_status 3 libuse decode . # a folder without data
	cp "$demo/burn.data" ./-
	want_status 0 libuse misuse - # a file, since standard input is the caller's
}

@test "a failure of the system is the error that is returned, whatever was damaged before" {
	local n
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers open files of their own"
	few() {
		sh -c 'exec 3>&- 4>&- 5>&-; ulimit -n 4; exec "$@"' sh "$@"
	}
	libuse decode cut.data >compiled 2>&1 || :
	for n in 59000 60000; do
		head -c $n "$demo/burn.data" >cut.data
		want_status 3 few perfdec --symfs "$SYMFS" cut.data
		said 'no symbols for /opt/afpipe-demo/burn: open: Too many open files'
		want_status 3 few "$BATS_FILE_TMPDIR/libuse" decode cut.data
		sed -n 's/^report: code 3 //p' err >want
		sed -n 's/^end: code 3 //p' err | same want -
		grep -q '^place 0 at 0 errno 0: no symbols for /opt/afpipe-demo/burn: ' want
	done
}

@test "wrong calls are refused, and structs of other versions known" {
	want_status 0 libuse misuse "$demo/burn.data"
	silent
}

@test "a stream in memory: lines, tags, lists, numbers, errors" {
	{
		printf '#afstream\t1\tx\ty\n'
		event sample 1 f cycles 2 pid=7 'stack=a;\x3b\\b;.;\.'
		echo nonsense
		event sample 2 'a\tb' cycles 3 pid=-1
		printf '#end\tx\ty\t2\tcomplete\tlost=5\n'
	} >stream
	want_status 1 libuse read <stream
	cat >want <<-'END'
		2|sample|1|0x1|f|cycles|2|stack=a|stack=;\b|stack=|stack=.|pid=1 7
		4|sample|2|0x1|a\tb|cycles|3|pid=0 0
		lost 5 unknown 0
	END
	same want out
	[ "$(cat err)" = "read: code 1 place 2 at 3 errno 0: 1 column, not 6 or more: output of another program in the stream?" ]
	grep -v nonsense stream >good
	want_status 0 libuse read <good
	silent
	want_status 0 libuse read 2 <good
	sed '2d' good >less
	want_status 1 libuse read 2 <less # AFPIPE_WHOLE
	want_status 0 libuse read 0 <less
	sed '$d' good >endless
	want_status 1 libuse read <endless
	want_status 0 libuse read 1 <endless # AFPIPE_NO_MARKS
	want_status 1 libuse read </dev/null
	head -c 60 good >cut.ev
	want_status 1 libuse read 1 <cut.ev
	said "no newline at the end: the line is cut"
}

@test "a copy of a stream is the stream, and counts are passed on" {
	local file
	for file in "$ROOT"/t/data/perf/*.ev; do
		! grep -q '^#end.*	partial' "$file" || continue
		want_status 0 libuse copy <"$file"
		silent
		same <(grep -v '^#' "$file") <(grep -v '^#' out)
		mv out copied.ev
		want_status 0 afagg --whole copied.ev
	done
	perfdec "$ROOT/t/data/perf/lost.data" >lost.ev || :
	want_status 0 libuse copy <lost.ev
	tail -n 1 lost.ev | grep -o '	lost=.*' >want
	tail -n 1 out | grep -o '	lost=.*' >got
	same want got
	want_status 1 libuse copy < <(sed '$d' lost.ev)
	tail -n 1 out | grep -q '	partial	damaged'
}

@test "a stream that is written, and a failing descriptor" {
	want_status 0 libuse write
	silent
	printf '#afstream\t1\tlibuse\ta\\tb\nsample\t12\t0x1\tf\\n\\\\\t.\t\\.\tcomm=a\\tb\\xff\tnone=.\n' >want
	printf '#end\tlibuse\ta\\tb\t1\tcomplete\n' >>want
	same want out
	mv out made.ev
	want_status 0 libuse read 2 <made.ev
	[ -e /dev/full ] || skip "no /dev/full here"
	local status=0
	libuse write >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ]
	[ "$(cat err)" = "open: code 3 place 0 at 0 errno 28: cannot write: No space left on device" ]
}

@test "a stream that ends early: the reason, and counts that are as large as they can be" {
	want_status 0 libuse ends
	silent
	printf '#afstream\t1\tlibuse\tx\n#end\tlibuse\tx\t0\tpartial\ta reason\tlost=18446744073709551615\tlate=6\n' |
		same - out
}

@test "a pipe that nobody reads any more: the call that fails says so, and the end" {
	want_status 3 libuse broken
	printf '%s: code 3 place 0 at 0 errno 32: cannot write: Broken pipe\n' flush end | same - err
}

@test "whatever allocation fails: an error of the system, or all lines" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	helpers fault nomem.so
	fault true >/dev/null || skip "no processes can be traced here"
	libuse write >/dev/null
	for words in "decode $ROOT/t/data/perf/lost.data" write ends long cut; do
		# shellcheck disable=SC2086 # words
		want_status 0 fault -m "$HELPERS/nomem.so" "$BATS_FILE_TMPDIR/libuse" $words
	done
}

@test "a line for which there is no memory: the end is an error, too, and the mark says that it failed" {
	local k status word reason
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	helpers nomem.so || skip "no preloading here"
	for k in {1..6}\ {long\ failed,cut\ a\ reason}; do
		read -r k word reason <<<"$k"
		libuse "$word" >want
		status=0
		LD_PRELOAD=$HELPERS/nomem.so NOMEM=$k "$BATS_FILE_TMPDIR/libuse" "$word" >got 2>err || status=$?
		if cmp -s want got; then
			[ "$status" -eq 0 ] && [ ! -s err ] || fail "$k: status $status: $(cat err)"
			continue
		fi
		[ "$status" -eq 3 ] || fail "$k: status $status"
		same err - <<<'end: code 3 place 0 at 0 errno 12: out of memory'
		[ ! -s got ] || printf '#afstream\t1\tlibuse\tx\n#end\tlibuse\tx\t0\tpartial\t%s\n' "$reason" | same - got
	done
}

@test "the locale of the program, and that of its threads, stay and change nothing" {
	need localedef
	localedef -i de_DE -f UTF-8 "$T/de_DE.UTF-8" 2>/dev/null || skip "no sources of locales here"
	export LOCPATH=$T LC_ALL=
	perfdec "$ROOT/t/data/perf/stat.data" | grep -q '\.[0-9]'
	unmarked <(perfdec "$ROOT/t/data/perf/stat.data") >want
	want_status 0 libuse locale de_DE.UTF-8 "$ROOT/t/data/perf/stat.data"
	undated <out >got
	same want got
}

@test "where there is no memory for a locale nothing is decoded in the one of the program" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers want to be loaded first"
	cat >nolocale.c <<-'END'
		#include <errno.h>
		#include <locale.h>
		locale_t newlocale(int mask, const char *name, locale_t base)
		{
			(void)mask, (void)name, (void)base;
			errno = ENOMEM;
			return (locale_t)0;
		}
	END
	compile nolocale.so nolocale.c -shared -fPIC
	libuse decode "$demo/burn.data" >/dev/null 2>&1 # compiles it
	want_status 3 env LD_PRELOAD="$PWD/nolocale.so" "$BATS_FILE_TMPDIR/libuse" decode "$demo/burn.data"
	[ ! -s out ]
	[ "$(cat err)" = "end: code 3 place 0 at 0 errno 12: out of memory" ]
}

@test "several threads at once" {
	want_status 0 libuse threads "$demo/burn.data"
	silent
	[ "$(uniq -c <out | awk '{ print $1 }' | tr '\n' ' ')" = "2 2 " ]
	head -n 1 out | grep -q '^543 lines, '
	tail -n 1 out | grep -q '^1000 lines, '
}

@test "the example of the page" {
	local libs
	libs=$(pkg-config --libs afpipe)
	sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' "$ROOT/man/libafpipe.3" | sed '1,/^\.Bd/d; /^\.Ed/d; s/\\e/\\/g' >functions.c
	# shellcheck disable=SC2086 # libraries are words
	compile ./functions functions.c $libs
	cp "$demo/burn.data" perf.data
	want_status 0 ./functions
	[ "$(wc -l <out)" -eq 541 ]
}

@test "nothing is printed, installed or left open" {
	need strace
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers open files of their own"
	libuse decode "$demo/burn.data" >/dev/null 2>&1 || :
	want_status 0 strace -f -o trace "$BATS_FILE_TMPDIR/libuse" decode - \
		< <(cat "$ROOT/t/data/perf/pipe.data")
	! grep -E '^[0-9]+ +(rt_sigaction|rt_sigprocmask|prctl|seccomp|landlock|setrlimit|pipe)' trace >got ||
		fail "$(cat got)"
	awk '/openat.* = [0-9]/ { open++ } /close\([3-9]|close\([1-9][0-9]/ { shut++ } END { exit open != shut }' trace
}

# bats test_tags=slow,sanitize
@test "valgrind finds nothing" {
	need valgrind
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers look for themselves"
	libuse decode "$demo/burn.data" >/dev/null 2>&1 || :
	head -c 20000 "$demo/burn.data" >cut.data
	for words in "decode $demo/burn.data" "decode cut.data" "decode $demo/burn.data 0 9" "misuse $demo/burn.data" \
		write "threads $demo/burn.data"; do
		# shellcheck disable=SC2086 # words
		valgrind -q --leak-check=full --show-leak-kinds=all --error-exitcode=77 --log-file=found \
			"$BATS_FILE_TMPDIR/libuse" $words >/dev/null 2>&1 || [ $? -ne 77 ] || fail "$(cat found)"
		! grep -q '^==' found || fail "$(cat found)" # other lines are of system calls it does not know
	done
	valgrind -q --leak-check=full --error-exitcode=77 "$BATS_FILE_TMPDIR/libuse" copy <"$ROOT/t/data/perf/flat.ev" >/dev/null
	valgrind -q --leak-check=full --error-exitcode=77 "$BATS_FILE_TMPDIR/libuse" read <"$ROOT/t/data/perf/flat.ev" >/dev/null
}

# bats test_tags=slow
@test "no data races" {
	need valgrind
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers and valgrind exclude each other"
	[[ ${CFLAGS-} != *coverage* ]] || skip "all threads add to the same counters"
	libuse threads "$demo/burn.data" >want
	want_status 0 valgrind -q --tool=helgrind --error-exitcode=77 "$BATS_FILE_TMPDIR/libuse" threads "$demo/burn.data"
	! grep '^==' err || fail "a race"
	same want out
}

@test "make uninstall leaves nothing of it" {
	(cd "$ROOT" && make -s install DESTDIR="$T/stage" PREFIX=/usr LIBDIR=/usr/lib/here)
	grep -q '^libdir=/usr/lib/here$' stage/usr/lib/here/pkgconfig/afpipe.pc
	! grep -r "$T" stage/usr/lib stage/usr/include || fail "the folder of the installation is in a file"
	[ "$(readlink stage/usr/lib/here/libafpipe.so)" = libafpipe.so.0 ]
	[ -e stage/usr/share/man/man3/libafpipe.3 ]
	(cd "$ROOT" && make -s uninstall DESTDIR="$T/stage" PREFIX=/usr LIBDIR=/usr/lib/here)
	find stage ! -type d >left
	[ ! -s left ] || fail "$(cat left)"
}
