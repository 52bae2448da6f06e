# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# lib.bash - loaded by every test file: locates the programs, and has functions to check them.
#
# Environment: AFPIPE_BIN, the folder of the programs under test (default: filters), so an installed
# suite can be tested, too; CC and CFLAGS for build_c; CHECK_HELPERS, set by t/tools/check, the
# folder of programs that several files use.

# bats traces each command, to know where a test fails.  That makes loops twenty times as slow, and
# a process twice as expensive, so the place is found out when a command fails.
bats_debug_trap() {
	trap - DEBUG
	set +T
}
bats_error_trap() {
	bats_check_status_from_trap
	[ -n "$BATS_DEBUG_LAST_STACK_TRACE_IS_VALID" ] || bats_capture_stack_trace
	BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
}

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
T=${BATS_TEST_TMPDIR-}	# this test's own folder, removed after it
HELPERS=${CHECK_HELPERS:-${BATS_RUN_TMPDIR-}/helpers}	# programs of the tests, for a whole run
PATH=${AFPIPE_BIN:-$ROOT/filters}:$HELPERS:$PATH
HOME=${BATS_RUN_TMPDIR-/nonexistent}/home	# perf's build-id cache is in there
LC_ALL=C
TZ=UTC
# By default sanitizers exit with 1, which means "input damaged" here, so give them another status.
ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS-}
UBSAN_OPTIONS=exitcode=99:print_stacktrace=1:${UBSAN_OPTIONS-}
export PATH HOME LC_ALL TZ ASAN_OPTIONS UBSAN_OPTIONS

# fail TEXT...: ends the test and prints the reason.
fail() {
	printf '%s\n' "$*" >&2
	return 1
}

# want_status N COMMAND...: runs the command with stdout to $T/out and stderr to $T/err, and fails
# unless it exits with exactly N.  99 (a sanitizer) and 126 and above (not found, a signal) always
# fail, except for 141 (SIGPIPE) if that is N.
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

# small NAME FILE: sets the variable to the contents of the file, without a process of its own.  It
# fails if there is no such file, or if they have a NUL, which a variable cannot hold, or 64 KiB, since
# bash reads slowly.
small() {
	[ -r "$2" ] && [ ! -d "$2" ] && ! IFS= read -r -d '' -n 65536 "$1" <"$2"
}

# same A B: compares the files byte for byte and shows the differences; "-" is standard input.  The
# date of a recording in origin lines is that of its file, or the time of day, so it is not compared.
same() {
	local a b typed=${BATS_TEST_TMPDIR-}.stdin # outside $T, whose files some tests count
	case "$1 $2" in
	"- "*) cat >"$typed" && set -- "$typed" "$2" ;;
	*" -") cat >"$typed" && set -- "$1" "$typed" ;;
	esac
	# what can be read only once would be empty for the second comparison
	[ ! -p "$1" ] || { cat "$1" >"$typed.1" && set -- "$typed.1" "$2"; }
	[ ! -p "$2" ] || { cat "$2" >"$typed.2" && set -- "$1" "$typed.2"; }
	small a "$1" && small b "$2" && [ "$a" = "$b" ] && return 0
	# what cannot be read would be the same as an empty file
	{ [ -r "$1" ] && [ ! -d "$1" ] && [ -r "$2" ] && [ ! -d "$2" ]; } || fail "same: $1 or $2 is no readable file" || return
	cmp -s "$1" "$2" || cmp -s <(undated <"$1") <(undated <"$2") && return 0
	diff -u "$1" "$2" | head -n 40 | cut -c 1-400 >&2
	fail "$1 and $2 differ"
}

# said TEXT: checks that standard error of the last want_status contains TEXT literally.
said() {
	local err
	if small err "$T/err"; then
		[[ $err != *"$1"* ]] || return 0
	else
		! grep -qF -e "$1" "$T/err" || return 0
	fi
	{
		printf 'not said: %s\nbut:\n' "$1"
		head -n 20 "$T/err" | cut -c 1-400
	} >&2
	return 1
}

# silent: checks that the last want_status wrote nothing to standard error.
silent() {
	[ ! -s "$T/err" ] && return 0
	{
		echo 'standard error should be empty, but:'
		head -n 20 "$T/err" | cut -c 1-400
	} >&2
	return 1
}

# event KIND TIME REGION MEASURE VALUE [TAG]...: a line of a stream, of the run $run or else 0x1.
event() {
	local kind=$1 time=$2 region=$3 measure=$4 value=$5
	shift 5
	printf '%s\t%s\t%s\t%s\t%s\t%s' "$kind" "$time" "${run-0x1}" "$region" "$measure" "$value"
	[ $# -eq 0 ] || printf '\t%s' "$@"
	printf '\n'
}

# programs: the names of all programs.
programs() {
	local f
	for f in "$ROOT"/filters/*.c; do
		f=${f##*/}
		echo "${f%.c}"
	done
}

# need PROG...: skips the test if one of the programs is not installed.
need() {
	local prog
	for prog; do
		command -v "$prog" >/dev/null 2>&1 || skip "no $prog here"
	done
}

# app PROG [MODULE]: for t/apps: checks that a large program is here, or a Python that has a module
# (app python3 pandas).  Otherwise the test is skipped, or fails if APPS is "required".  $python is
# the program that was found: the first Python on the PATH may not be the one with Debian's modules.
app() {
	local prog=$1 module=${2-} what=$1${2:+-$2}
	for python in "$(command -v "$prog")" "/usr/bin/$prog"; do
		[ -x "$python" ] || continue
		[ -z "$module" ] || HOME=/nonexistent "$python" -c "import $module" 2>/dev/null || continue
		return 0
	done
	[ "${APPS-}" != required ] || fail "$what is required, and not here" || return
	skip "no $what here"
}

# patch FILE OFFSET BYTES: overwrites bytes.
patch() {
	# shellcheck disable=SC2059 # bytes are spelled as for printf
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

UNDATED='/^origin\t/s/\tend=[0-9]*//' # for sed

# undated: standard input without the dates of recordings, which are not in them.
undated() {
	sed "$UNDATED"
}

# unmarked FILE [-e EXPRESSION]: prints a stream, also as JSON, without its # lines and dates, for byte
# comparisons, changed by sed's expression.
unmarked() {
	sed -e '/^#/d; /^{"kind":"#/d' -e "$UNDATED" "${@:2}" "$1"
}

# lines [FILE]: standard input with TABs for blanks.
lines() {
	local text
	if [ $# -ne 0 ]; then
		lines >"$1"
	elif IFS= read -r -d '' -n 4096 text; then
		{
			printf '%s' "$text"
			[ ${#text} -eq 4096 ] || printf '\0' # which ended it
			cat
		} | tr ' ' '\t'
	else
		printf '%s' "${text// /$'\t'}"
	fi
}

# want [TEXT]: the output in the file out, without its marks and with blanks for TABs, is exactly that
# text, or standard input.
want() {
	local text
	if [ $# -ne 0 ]; then
		printf '%s\n' "$1"
	elif IFS= read -r -d '' text; then
		fail "want: text with a NUL" || return
	else
		printf '%s' "$text"
	fi >want
	unmarked out -e 'y/\t/ /' >got
	same want got
}

# build_c OUT SOURCE...: compiles a small helper or unit test.  Sources are named from the root of
# the tree, and libraries may follow.  They are always compiled, so they do not depend on how the
# archive was built, and without link-time optimization, which is slow and of no use here.
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

# use_archive: sets $archive to an archive of lib and src.  This is the archive of the programs
# under test if it exists and has the sanitizers of CFLAGS, and otherwise one that is compiled once
# per run.
use_archive() {
	local sanitized=no wanted=no
	archive=${AFPIPE_BIN:-$ROOT/filters}/../afpipe.a
	grep -qs "__asan_\|__msan_" "$archive" && sanitized=yes
	[[ ${CFLAGS-} == *sanitize* ]] && wanted=yes
	[ ! -e "$archive" ] || [ $sanitized != $wanted ] || return 0
	archive=$HELPERS/afpipe.a
	mkdir -p "$HELPERS/objects" || return
	(
		flock 9
		[ ! -e "$archive" ] || exit 0
		export -f build_c
		export ROOT HELPERS
		cd "$ROOT" && make -s src/flame/assets.inc || exit
		# shellcheck disable=SC2016 # the inner shell expands it
		find lib src -name '*.c' -print0 | xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" bash -c '
			build_c "$HELPERS/objects/${1//\//-}.o" -c "$1"' _ || exit
		ar -rcs "$archive.new" "$HELPERS"/objects/*.o && mv "$archive.new" "$archive"
	) 9>"$HELPERS/lock"
}

LIBRARIES=(-lncursesw -ltraceevent -ldw -lelf -lzstd -llzma -lz -lcsv -ljansson -lxxhash -lgmp -liberty -lm)

# For build_c: what t/unit/refuse.h refuses.
# shellcheck disable=SC2034,SC2054 # tests use it; the commas are in braces
REFUSABLE=(-Wl,--wrap={mem_{alloc,zero,resize,array,array_zeros},vec_grow{,_zero},buf_grow,tab_add})

# helpers NAME...: builds programs of the tests, unless another test of this run has built them.
# They are on the PATH.  NAME is a program in t/tools, NAME.so a library in t/tools to be preloaded,
# and fuzz-NAME the driver t/fuzz/NAME.c.
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

# instructions COMMAND...: prints how many instructions the command executes, which does not depend
# on how busy the machine is.  Its output goes to $T/out and $T/err.
instructions() {
	AFPIPE_SANDBOX=0 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file="$T/cachegrind" \
		--log-file="$T/valgrind" "$@" >"$T/out" 2>"$T/err"
	sed -n 's/,//g; s/.*I *refs: *\([0-9]*\)$/\1/p' "$T/valgrind" | grep .
}

# linear SMALL LARGE COMMAND...: checks that the command executes at most twelve times as many
# instructions with LARGE on standard input as with SMALL, which has a tenth of its contents.
linear() {
	local small=$1 large=$2 few many
	shift 2
	[[ ${CFLAGS-} != *sanitize* && ${CFLAGS-} != *coverage* ]] ||
		skip "sanitizers and counters have instructions of their own"
	few=$(instructions "$@" <"$small") && many=$(instructions "$@" <"$large") ||
		fail "not counted: $*" || return
	[ "$many" -le $((few * 12)) ] ||
		fail "$few instructions, and $many for ten times the input: $*"
}

# starves LEAST COMMAND...: without one of its allocations, whichever it is, the command writes the
# same, messages included, or ends with status 3 and a message.  It reads standard input as the pipe <(cat $input), if
# $input is set.  There must be LEAST allocations.  Every seventh is refused, and each with
# AFPIPE_SLOW (make check-faults refuses each of them, too, to a table of commands).
starves() {
	local least=$1 k n step=7 status err
	shift
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	helpers nomem.so || skip "no preloading here"
	without() {
		if [ -n "${input-}" ]; then
			exec 8< <(cat "$input")
		else
			exec 8</dev/null
		fi
		LD_PRELOAD=$HELPERS/nomem.so AFPIPE_SANDBOX=0 NOMEM=$1 "${@:2}" >"$T/out" 2>"$T/err" \
			9<>"$T/allocations" <&8 8<&-
	}
	head -c 8 /dev/zero >"$T/allocations"
	NOMEM_FD=9 without 0 "$@" || fail "$*: $(cat "$T/err")" || return
	mv "$T/out" "$T/whole" && mv "$T/err" "$T/whole.err"
	n=$(od -A n -t d8 "$T/allocations")
	[ "$n" -ge "$least" ] || fail "$*: only $n allocations" || return
	for ((k = 1; k <= n; k += step)); do
		status=0
		without $k "$@" || status=$?
		if [ $status -eq 0 ]; then
			same "$T/whole" "$T/out" && same "$T/whole.err" "$T/err" ||
				fail "$*: allocation $k" || return
		else
			[ $status -eq 3 ] || fail "$*: allocation $k: status $status: $(cat "$T/err")" || return
			small err "$T/err" && [[ $err == *memory$'\n'* ]] ||
				fail "$*: allocation $k: $(cat "$T/err")" || return
		fi
	done
}

# soon COMMAND...: waits until the command succeeds, 20 seconds at most.
soon() {
	local tries
	for ((tries = 0; tries < 1000; tries++)); do
		"$@" && return
		sleep 0.02
	done
	fail "still not: $*"
}

# catches PID: checks that the program has installed its signal handlers.  (In /proc/PID/status,
# SIGTERM is bit 14.  Before the process becomes the program, it is a copy of this shell.)
catches() {
	[ ! "/proc/$1/exe" -ef "/proc/$$/exe" ] &&
		grep -q '^SigCgt:.*[4-7c-f][0-9a-f][0-9a-f][0-9a-f]$' "/proc/$1/status" 2>/dev/null
}

# waits PID: checks that the program has installed its signal handlers and now sleeps.  So it waits
# for input, a lock or its reader, and has done all it could do.
waits() {
	catches "$1" && grep -q '^State:	S' "/proc/$1/status"
}

# has_ended PID: checks that the process has ended, whether or not the shell has noticed it.
has_ended() {
	! grep -q '^State:	[^ZX]' "/proc/$1/status" 2>/dev/null
}

# ended: waits for the program $pid; its status in $st.  What hangs is killed.
# shellcheck disable=SC2034 # tests use st
ended() {
	soon has_ended "$pid" || kill -9 "$pid"
	st=0
	wait "$pid" || st=$?
}

# need_proc: skips the test if there is no /proc to examine processes.
need_proc() {
	[ -e /proc/self/status ] || skip "no /proc/self/status here"
}

# preload NAME: builds t/tools/NAME.c as the library $HELPERS/NAME.so for preloading.
preload() {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers want to be loaded first"
	helpers "$1.so"
}
