# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# lib.bash - what every test file loads: where the programs are, and how to judge them.
#
# Environment: AFPIPE_BIN, the folder of the programs under test (default: filters, so
# that an installed suite can be tested too); CC and CFLAGS for build_c; CHECK_HELPERS, of
# t/tools/check, the folder of programs that several files use.

ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
T=${BATS_TEST_TMPDIR-}	# this test's own folder, removed after it
HELPERS=${CHECK_HELPERS:-${BATS_RUN_TMPDIR-}/helpers}	# programs of the tests, for all files of a run
PATH=${AFPIPE_BIN:-$ROOT/filters}:$HELPERS:$PATH
LC_ALL=C
TZ=UTC
# Sanitizers end with 1 by default, which is our "input damaged": give them a status of their own.
ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS-}
UBSAN_OPTIONS=exitcode=99:print_stacktrace=1:${UBSAN_OPTIONS-}
export PATH LC_ALL TZ ASAN_OPTIONS UBSAN_OPTIONS

# fail TEXT...: ends the test and says why.
fail() {
	printf '%s\n' "$*" >&2
	return 1
}

# want_status N COMMAND...: runs it, stdout to $T/out and stderr to $T/err, and fails unless it
# ends with exactly N.  99 (a sanitizer) and 126 and more (not found, a signal) always fail, but
# for 141, SIGPIPE, where that is what was asked for.
want_status() {
	local want=$1 got=0
	shift
	"$@" >"$T/out" 2>"$T/err" || got=$?
	if [ "$got" -eq "$want" ] && { [ "$got" -eq 141 ] || { [ "$got" -ne 99 ] && [ "$got" -lt 126 ]; }; }; then
		return 0
	fi
	{
		printf 'status %d, not %d: %s\n' "$got" "$want" "$*"
		head -n 20 "$T/err" | cut -c 1-400
	} >&2
	return 1
}

# same A B: byte for byte; shows how they differ.
same() {
	cmp -s "$1" "$2" && return 0
	diff -u "$1" "$2" | head -n 40 | cut -c 1-400 >&2
	fail "$1 and $2 differ"
}

# said TEXT: standard error of the last want_status has TEXT in it, literally.
said() {
	grep -qF -e "$1" "$T/err" && return 0
	{
		printf 'not said: %s\nbut:\n' "$1"
		head -n 20 "$T/err" | cut -c 1-400
	} >&2
	return 1
}

# silent: the last want_status wrote nothing to standard error.
silent() {
	[ ! -s "$T/err" ] && return 0
	{
		echo 'standard error should be empty, but:'
		head -n 20 "$T/err" | cut -c 1-400
	} >&2
	return 1
}

# need PROG...: skips the test where one of them is not installed.
need() {
	local prog
	for prog; do
		command -v "$prog" >/dev/null 2>&1 || skip "no $prog here"
	done
}

# unmarked FILE: a stream without its # lines, as byte comparisons want it.
unmarked() {
	sed '/^#/d' "$1"
}

# build_c OUT SOURCE...: compiles a small helper or unit test; sources are named from the root of
# the tree, libraries may follow.  They are compiled anew, so that they do not depend on how the
# archive was built; without link-time optimization, which takes long and tells nothing here.
build_c() {
	local out=$1
	shift
	(
		cd "$ROOT" || exit 1
		# shellcheck disable=SC2086 # flags are words
		${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I. \
			-Wall -Wextra ${CFLAGS:--O1 -g} -fno-lto -o "$out" "$@"
	) >&2
}

# use_archive: stores the name of lib and src, compiled, in $archive: the archive of the programs
# under test, if there is one and it has the sanitizers of CFLAGS; else one that is compiled once a
# run.
use_archive() {
	local sanitized=no wanted=no
	archive=${AFPIPE_BIN:-$ROOT/filters}/../libafpipe.a
	grep -qs __asan_ "$archive" && sanitized=yes
	[[ ${CFLAGS-} == *sanitize* ]] && wanted=yes
	[ ! -e "$archive" ] || [ $sanitized != $wanted ] || return 0
	archive=$HELPERS/libafpipe.a
	mkdir -p "$HELPERS/objects" || return
	(
		flock 9
		[ ! -e "$archive" ] || exit 0
		export -f build_c
		export ROOT HELPERS
		cd "$ROOT" || exit
		# shellcheck disable=SC2016 # the inner shell expands it
		find lib src -name '*.c' -print0 | xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" bash -c '
			build_c "$HELPERS/objects/${1//\//-}.o" -c "$1"' _ || exit
		ar -rcs "$archive.new" "$HELPERS"/objects/*.o && mv "$archive.new" "$archive"
	) 9>"$HELPERS/lock"
}

LIBRARIES=(-ltraceevent -ldw -lelf -lzstd -lz -lcsv -ljansson -lxxhash -lgmp -lm)

# helpers NAME...: builds programs of the tests, unless another test of this run has; they are on the
# PATH.  NAME is one of t/tools; NAME.so a library to be preloaded, likewise of t/tools; or fuzz-NAME,
# the driver t/fuzz/NAME.c.
helpers() {
	local name new archive
	mkdir -p "$HELPERS" || return
	for name; do
		[ ! -x "$HELPERS/$name" ] || continue
		new=$(mktemp "$HELPERS/new.XXXXXX") || return
		case $name in
		fuzz-*)
			use_archive && build_c "$new" -DFUZZ_MAIN "t/fuzz/${name#fuzz-}.c" t/fuzz/fuzz.c \
				"$archive" "${LIBRARIES[@]}"
			;;
		*.so) build_c "$new" -shared -fPIC "t/tools/${name%.so}.c" -ldl ;;
		*) build_c "$new" "t/tools/$name.c" -lzstd -lxxhash ;;
		esac || return
		chmod 755 "$new" && mv "$new" "$HELPERS/$name" || return
	done
}

# instructions COMMAND...: how many instructions it takes, however busy the machine is.  What it
# writes goes to $T/out and $T/err.
instructions() {
	valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file="$T/cachegrind" \
		--log-file="$T/valgrind" "$@" >"$T/out" 2>"$T/err"
	sed -n 's/,//g; s/.*I *refs: *\([0-9]*\)$/\1/p' "$T/valgrind" | grep .
}

# linear SMALL LARGE COMMAND...: with the file LARGE as its standard input, which has ten times as
# much in it as SMALL, the command takes at most twelve times the instructions.
linear() {
	local small=$1 large=$2 few many
	shift 2
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have instructions of their own"
	few=$(instructions "$@" <"$small") && many=$(instructions "$@" <"$large") ||
		fail "not counted: $*" || return
	[ "$many" -le $((few * 12)) ] ||
		fail "$few instructions, and $many for ten times the input: $*"
}

# soon COMMAND...: waits until it succeeds, 20 seconds at most.
soon() {
	local tries
	for ((tries = 0; tries < 1000; tries++)); do
		"$@" && return
		sleep 0.02
	done
	fail "still not: $*"
}

# waits PID: the program has taken the signals over, and now sleeps: it waits for input, a lock, or
# its reader, and has done all that it could do.  (In /proc/PID/status, SIGTERM is bit 14.  Before it
# is the program, it is a copy of this shell.)
waits() {
	[ ! "/proc/$1/exe" -ef "/proc/$$/exe" ] &&
		grep -q '^SigCgt:.*[4-7c-f][0-9a-f][0-9a-f][0-9a-f]$' "/proc/$1/status" 2>/dev/null &&
		grep -q '^State:	S' "/proc/$1/status"
}

# has_ended PID: whether or not the shell has taken notice of it.
has_ended() {
	! grep -q '^State:	[^ZX]' "/proc/$1/status" 2>/dev/null
}

# need_proc: skips the test where there is no /proc to look at processes.
need_proc() {
	[ -e /proc/self/status ] || skip "no /proc/self/status here"
}

# preload NAME: builds t/tools/NAME.c as the library $HELPERS/NAME.so, to be preloaded.
preload() {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers want to be loaded first"
	helpers "$1.so"
}
