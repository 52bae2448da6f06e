# SPDX-License-Identifier: ISC
# faults.bats - what the system refuses is reported, or does no harm: a sample of t/tools/faults, the
# whole of which is make check-faults.

load lib

setup_file() {
	helpers fault nomem.so perfmake perfconv jitmake
}

# faults ARGUMENT...: the sample, with the helpers of this run.
faults() {
	local status=0
	CHECK_HELPERS=$HELPERS bash "$ROOT/t/tools/faults" "$@" >"$T/log" 2>&1 || status=$?
	[ $status -ne 77 ] || skip "nothing can be refused here"
	[ $status -eq 0 ] || fail "$(grep -a -A 8 '^wrong\|: status ' "$T/log" | head -n 40; tail -n 1 "$T/log")"
}

@test "each program: what it asks for is refused at a few places" {
	local f name
	faults -n 1
	for f in "$ROOT"/filters/*.c; do
		name=${f##*/}
		grep -q "^${name%.c}: " "$T/log" || fail "${name%.c} is not in the table of t/tools/faults"
	done
	tail -n 1 "$T/log" | grep -q '^[0-9]* commands, [0-9]\{4,\} runs, [0-9]\{2,\} refused, 0 wrong$'
}

@test "each program: additions to its buffers are refused memory at a few places" {
	[[ ${CFLAGS-} != *coverage* ]] || skip "the coverage's own messages differ; make coverage runs it"
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers want to be loaded first"
	faults -t -n 1
	tail -n 1 "$T/log" | grep -q '^[0-9]* commands, [0-9]\{3,\} runs, [0-9]\{2,\} refused, 0 wrong$'
}

# A sample seldom has those before the first read.
# bats test_tags=slow
@test "each program: each allocation is refused" {
	[[ ${CFLAGS-} != *coverage* ]] || skip "make coverage runs it"
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers want to be loaded first"
	faults -m
}

# perundec had left out the members that the resources of a type have in common, without a word
# bats test_tags=slow
@test "each program: each addition to its buffers is refused memory" {
	[[ ${CFLAGS-} != *coverage* ]] || skip "make coverage runs it"
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers want to be loaded first"
	faults -t
}

# A read that failed once more each time it was tried again would never end.
@test "perfdec: each call is refused, with the object of a name" {
	local status=0
	fault true >"$T/log" 2>&1 || [ $? -ne 77 ] || skip "nothing can be refused here"
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers make calls of their own"
	cd "$T"
	echo 'int twice(int x) { return x * 2; }' >twice.c
	${CC:-cc} -O0 -shared -fPIC -Wl,--build-id -o twice.so twice.c
	perfmake >twice.data <<-END
		mmap 1 1 1 u 0x400000 0x100000 0 $PWD/twice.so
		sample 1 1 10 u $(printf '0x%x' $((0x400000 + 0x$(nm twice.so | sed -n 's/ T twice$//p')))) u
	END
	perfdec twice.data | grep -q '^sample	10	[^	]*	twice	'
	fault perfdec twice.data >"$T/log" 2>&1 || status=$?
	[ $status -eq 0 ] || fail "$(head -n 20 "$T/log")"
	grep -q '^perfdec: [0-9]\{3\} runs, [0-9]\{2\} refused, 0 wrong$' "$T/log"
}

@test "the judge finds what is wrong" {
	fault true >"$T/log" 2>&1 || [ $? -ne 77 ] || skip "nothing can be refused here"
	cat >"$T/careless.c" <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		#include <fcntl.h>
		int main(int argc, char **argv)
		{
			char text[100] = "", *p;
			int fd = open(argv[1], O_RDONLY);
			ssize_t n = read(fd, text, 90);
			(void)argc;
			if (strcmp(argv[2], "silent") == 0) {
				printf("%s#end\tx\ty\t1\tcomplete\n", text);
				return n < 0 ? 3 : 0;
			}
			if (strcmp(argv[2], "mark") == 0) {
				printf("%s#end\tx\ty\t1\tcomplete\n", text);
				if (n < 0)
					fputs("failed\n", stderr);
				return n < 0 ? 3 : 0;
			}
			p = malloc(10);
			if (strcmp(argv[2], "crash") == 0)
				*p = 1;
			printf("%s", text);
			return 0;
		}
	END
	CFLAGS=-O0 build_c "$T/careless" "$T/careless.c"
	printf 'line\n' >"$T/in"
	want_status 1 fault "$T/careless" "$T/in" quiet
	grep -q '^other output: status 0: call .*: read([0-9]*, .*/in, 90) EIO' "$T/out"
	want_status 1 fault "$T/careless" "$T/in" silent
	grep -q '^failed without a message: status 3: call .*: read([0-9]*, .*/in, 90) EIO' "$T/out"
	want_status 1 fault "$T/careless" "$T/in" mark
	grep -q '^failed, and its stream says that it is complete: status 3: ' "$T/out"
	[[ ${CFLAGS-} != *sanitize* ]] || return 0
	want_status 1 fault -m "$HELPERS/nomem.so" "$T/careless" "$T/in" crash
	grep -q '^ended by a signal: status 1011: allocation 1: ' "$T/out"
}
