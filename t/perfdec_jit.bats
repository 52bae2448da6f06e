#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# perfdec_jit.bats - names and stacks of code made at run time: jitdumps (src/symbol/jitdump.c), and
# the files of containers (src/symbol/process.c).

load lib
load perfdec

PID=4194298	# no process of this machine has it

setup_file() {
	helpers perfmake jitmake fuzz-jitdump
}

# dumped: makes jit-$PID.dump from the lines on standard input.
dumped() {
	jitmake "$@" >jit-$PID.dump
}

# unlisted N FILE: all that was said is that the jitdump does not list the code of N samples.
unlisted() {
	same <(echo "perfdec: no symbols for JIT code that $2 does not list ($1 sample$([ "$1" = 1 ] || echo s))") err
}

# recorded: makes jit.data, in which process $PID maps the dump and JIT memory from 0x1000 on, and
# then the records on standard input.  The clock is CLOCK_MONOTONIC.  FIELDS is sample_type.
recorded() {
	{
		echo "clock ${CLOCK-1}"
		echo "comm $PID $PID 1 prog"
		echo "mmap2 $PID $PID 2 u 0x700000 0x1000 0 $(stat -c %i jit-$PID.dump) $PWD/jit-$PID.dump"
		echo "mmap $PID $PID 2 u 0x1000 0x100000 0 //anon"
		cat
	} | if [ -n "${CLOCK-1}" ]; then cat; else sed 1d; fi | perfmake --type "${FIELDS-0x1a7}" >jit.data
}

# copying: the beginning of records with copies of stacks, which "perfmake --no-attr --type 0x3027"
# makes a recording of: registers of x86-64, the dump in root, and JIT memory from 0x1000 on.
copying() {
	echo "raw 64 0 4:1 4:112 8:0 8:1000000 8:0x3027 8:0 8:0x2040000 8:0 8:0 8:0 8:0 8:0x1c0 4:60000 4:1 8:0 8:0 8:7"
	echo "raw 80 0 8:6 4:64 s64:x86_64"
	echo "mmap2 $PID $PID 0 u 0x700000 0x1000 0 7 /tmp/jit-$PID.dump"
	echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
}

# called MS:ADDRESS...: samples there, with a stack of four words (STACK).
called() {
	local one
	for one; do
		echo "raw 9 2 8:${one#*:} 4:$PID 4:$PID 8:${one%:*}000000 8:2 8:0xfffffffffffffe00 8:${one#*:}" \
			"8:2 8:0xdead 8:0x7000 8:${one#*:} 8:32 ${STACK-8:0 8:0 8:0 8:0x3010} 8:32"
	done
}

# asked TIME:ADDRESS...: records with samples there.
asked() {
	local one
	for one; do
		echo "sample $PID $PID ${one%:*} u ${one#*:}"
	done | recorded
}

# answers: the time and the region of each sample of the last want_status.
answers() {
	awk -F '\t' '$1 == "sample" { print $2, $4 }' out
}

# decoded OPTION...: perfdec decodes jit.data, and afsym gives the same names later.
decoded() {
	want_status 0 perfdec "$@" jit.data || return
	perfdec --no-symbols jit.data >places.ev 2>later.err
	afsym "$@" places.ev >later.ev 2>later.err
	unmarked out >now
	unmarked later.ev >later
	same now later
}

# bats test_tags=quick
@test "the name of jitted code depends on the time" {
	local order
	cat >lines <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
		load 100 $PID 0x1100 0x100 2 neighbour;two
		load 200 $PID 0x1000 0x100 3 second
		load 300 $PID 0x1080 0x100 4 across
		move 400 $PID 0x1080 0x3000 0x100 4
		load 400 $((PID + 1)) 0x1000 0x100 5 child
		load 500 $PID 0x1000 0x40 6 short
		load 600 $PID 0x2000 0 7 empty
		close 700
	END
	for order in "" --big; do
		dumped $order <lines
		asked 99:0x1000 100:0x1000 199:0x10ff 200:0x1000 250:0x1100 299:0x1080 300:0x1080 \
			350:0x117f 350:0x1180 350:0x107f 400:0x1080 400:0x3000 450:0x30ff 450:0x3100 \
			450:0x1000 500:0x1000 501:0x1040 600:0x2000
		decoded
		unlisted 4 "$PWD/jit-$PID.dump"
		answers >got
		cat >want <<-END
			99 [perf-$PID.map]
			100 first
			199 first
			200 second
			250 neighbour;two
			299 second
			300 across
			350 across
			350 neighbour;two
			350 second
			400 [perf-$PID.map]
			400 across
			450 across
			450 [perf-$PID.map]
			450 second
			500 short
			501 second
			600 [perf-$PID.map]
		END
		same want got
	done
	# also where the cache has the other answer, and in callchains
	recorded <<-END
		sample $PID $PID 199 u 0x1000 u 0x1000 0x1100
		sample $PID $PID 200 u 0x1000 u 0x1000 0x1100
		sample $PID $PID 300 u 0x1000 u 0x1000 0x1100
	END
	decoded
	grep -o 'dso=.*' out >got
	cat >want <<-END
		dso=/tmp/perf-$PID.map	symoff=0x0	stack=neighbour\x3btwo;first
		dso=/tmp/perf-$PID.map	symoff=0x0	stack=neighbour\x3btwo;second
		dso=/tmp/perf-$PID.map	symoff=0x0	stack=across;second
	END
	same want got
}

# own_lines: the line of each sample of the last want_status, or - if there is none.
own_lines() {
	awk -F '\t' '$1 == "sample" { line = "-"; for (i = 7; i <= NF; i++) if ($i ~ /^line=/) line = substr($i, 6); print line }' out
}

@test "--srcline: the lines of jitted code" {
	local order
	cat >lines <<-END
		header $PID
		lines 100 0x1000 0 10 /src/a.js 0x10 11 - 0x20 12 /src/b;c.js 0x20 13 - 0x80 0 -
		load 100 $PID 0x1000 0x100 1 first
		load 100 $PID 0x1100 0x100 2 without
		lines 200 0x1000 0x8 20 two.js
		load 200 $PID 0x1000 0x80 3 second
		move 300 $PID 0x1000 0x3000 0x80 3
		lines 400 0x2000 0 30 lost.js
		lines 400 0x2000 0 31 used.js
		load 400 $PID 0x2000 0x80 4 third
	END
	for order in "" --big; do
		dumped $order <lines
		asked 100:0x1000 100:0x100f 100:0x1010 100:0x101f 100:0x1020 100:0x107f 100:0x10ff 100:0x1100 \
			200:0x1007 200:0x1008 200:0x1080 300:0x3007 300:0x307f 400:0x2000 99:0x1000
		decoded --srcline
		unlisted 1 "$PWD/jit-$PID.dump"
		own_lines >got
		printf '%s\n' - /src/a.js:10 /src/a.js:10 /src/a.js:11 /src/a.js:11 '/src/b\x3bc.js:13' '/src/b\x3bc.js:13' \
			'/src/b\x3bc.js:?' - - two.js:20 '/src/b\x3bc.js:?' - two.js:20 used.js:31 >want
		same want got
	done
	# a return address is in the line of the call
	recorded <<-END
		sample $PID $PID 100 u 0x1000 u 0x1000 0x1020 0x1000 0x1110
		sample $PID $PID 100 u 0x1010 u 0x1010 0x1011
	END
	decoded --srcline
	grep -o '	lines=[^	]*' out >got
	printf '\tlines=%s\n' '?;/src/a.js:10;/src/a.js:11;/src/a.js:10' '/src/a.js:11;/src/a.js:11' >want
	same want got
	decoded
	[ "$(grep -c 'line' out)" -eq 0 ]
}

@test "--srcline: lines of jitted code that cannot be those are not used" {
	local bad n=0
	# each with a function whose lines are good
	while read -r bad; do
		dumped <<-END
			header $PID
			$bad
			load 100 $PID 0x1000 0x100 1 first
			lines 100 0x2000 0 7 good.js
			load 100 $PID 0x2000 0x100 2 second
		END
		asked 100:0x1000 100:0x1050 100:0x2000
		decoded --srcline || return
		said "no complete debug information for $PWD/jit-$PID.dump: the lines of 1 function are damaged" || fail "silent: $bad"
		[ "$(own_lines | tr '\n' ' ')" = "- - good.js:7 " ] || fail "used: $bad"
		[ "$(answers | tr '\n' ' ')" = "100 first 100 first 100 second " ] || return
		n=$((n + 1))
	done <<-END
		lines 100 0x1000 0 1 a.js 0x100 2 a.js
		lines 100 0x1000 8 1 a.js 4 2 a.js
		lines 100 0x1001 0 1 a.js
		lines 100 0x1000 0 1 -
		record 2 100 00100000000000000100000000000000001000000000000001000000000000000100
		lines 100 0x1000 0 0x80000000 a.js
		lines 100 0x1000 -1 1 a.js
		record 2 100 00100000000000000200000000000000001000000000000001000000000000006100
		record 2 100 001000000000000001000000000000000010000000000000010000000000000061
		record 2 100 001000000000000001000000000000000010000000000000010000000000000061000001020304050607
		record 2 100 00100000000000000100000000
	END
	[ $n -eq 11 ]
	# all are where V8 puts them
	dumped <<-END
		header $PID
		lines 100 0x1000 0x40 1 a.js 0x50 2 -
		load 100 $PID 0x1000 0x100 1 first
	END
	asked 100:0x1050
	decoded --srcline
	[ "$(own_lines)" = - ]
	said "its lines may be those of other addresses"
}

@test "code without a name, without bytes, and at the end of memory" {
	local long zero at=0050000000000000 size=1000000000000000 pid bad
	long=$(head -c 33000 /dev/zero | tr '\0' n)
	zero=$(printf '%064d' 0)
	pid=$(printf '%08x' $PID | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/')
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
		load 101 $PID 0x2000 0x100 2 ${long:0:32767}
		load 101 $PID 0x3000 0x100 3 $long
		load 101 $PID 0x4000 0 4 nothing
		record 0 101 $pid${zero:0:8}$at$at$size$at${zero:0:2}${zero:0:32}
		move 102 $PID 0x1000 0x6000 0 1
		load 103 17 0x1000 0x100 9 other
		load 104 $PID 0xffffffffffffff00 0xfe 10 last
	END
	{
		echo "mmap $PID $PID 2 u 0xffffffffffff0000 0xffff 0 //anon"
		for at in 0x1000 0x2000 0x3000 0x4000 0x5008 0xfffffffffffffffd; do
			echo "sample $PID $PID 200 u $at"
		done
	} | recorded
	decoded
	answers | cut -c 1-40 >got
	printf '%s\n' '200 first' "200 ${long:0:36}" "200 [perf-$PID.map]" "200 [perf-$PID.map]" "200 [perf-$PID.map]" '200 last' >want
	same want got
	# what reaches beyond it is damage
	for bad in "load 150 $PID 0xffffffffffffff00 0x100 1 x" "move 150 $PID 0x1000 0xffffffffffffff00 0x100 1" \
		"move 150 $PID 0xffffffffffffff00 0x9000 0x100 1" "move 150 $PID 0x1000 0x9000 0xffffffffffffffff 1"; do
		dumped <<-END
			header $PID
			load 100 $PID 0x1000 0x100 1 first
			$bad
			load 160 $PID 0x1000 0x100 2 second
		END
		asked 100:0x1000 200:0x1000
		decoded
		said "no symbols for some code of $PWD/jit-$PID.dump: damaged at byte 0x"
		said ": code is longer than "
		[ "$(answers | tr '\n' ' ')" = "100 first 200 [perf-$PID.map] " ] || fail "$bad"
	done
	# times at the end of all times
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
		load 0xffffffffffffffff $PID 0x1000 0x100 1 second
		record 0 0xffffffffffffffff 00
	END
	asked 100:0x1000 0xfffffffffffffff0:0x1000
	decoded
	[ "$(answers | tr '\n' ' ')" = "100 first 18446744073709551600 first " ]
}

@test "a code index that was used twice: the last code with it moves" {
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 7 first
		load 200 $PID 0x2000 0x100 7 second
		load 200 $PID 0x3000 0x100 8 other
		move 300 $PID 0x2000 0x4000 0x100 7
		move 400 $PID 0x1000 0x5000 0x100 7
	END
	asked 250:0x2000 350:0x2000 350:0x4000 500:0x1000 500:0x5000 500:0x3000
	decoded
	answers >got
	printf '%s\n' '250 second' "350 [perf-$PID.map]" '350 second' '500 first' "500 [perf-$PID.map]" '500 other' >want
	same want got
}

@test "--srcline: lines of code of 32 bits, and of more than there are" {
	need python3
	local machine
	# 52 bytes is the length of its ELF header, which old versions of perf took to be before the code
	for machine in '\3' '\50'; do
		printf '%s\n' "header $PID" "lines 100 0x1000 51 1 a.js" "load 100 $PID 0x1000 0x100 1 first" \
			"lines 100 0x2000 60 2 b.js" "load 100 $PID 0x2000 0x100 2 second" | dumped
		patch jit-$PID.dump 12 "$machine"
		asked 100:0x1040 100:0x2040
		decoded --srcline
		silent
		[ "$(own_lines | tr '\n' ' ')" = "a.js:1 b.js:2 " ]
		printf '%s\n' "header $PID" "lines 100 0x1000 60 1 a.js" "load 100 $PID 0x1000 0x100 1 first" | dumped
		asked 100:0x1040
		decoded --srcline
		silent
		[ "$(own_lines)" = a.js:1 ]
		patch jit-$PID.dump 12 "$machine"
		decoded --srcline
		said "its lines may be those of other addresses"
		[ "$(own_lines)" = - ]
	done
	# more than is read at once, and unwind information that is too long
	{
		echo "header $PID"
		printf 'lines 100 0x1000 0 1 a.js'
		seq -f ' %.0f 7 -' -s '' 1 4999
		echo
		echo "record 4 100 $(printf '%02x' $((70000 & 255)) $((70000 >> 8 & 255)) $((70000 >> 16)))0000000000$(printf '%032d' 0)$(head -c 140000 /dev/zero | tr '\0' 1)"
		echo "load 100 $PID 0x1000 0x2000 1 first"
	} | dumped
	asked 100:0x1000 100:0x2386 100:0x2ff0
	decoded --srcline
	silent
	[ "$(own_lines | tr '\n' ' ')" = "a.js:1 a.js:7 a.js:7 " ]
	[ "$(answers | sort -u)" = "100 first" ]
	# offsets of more than 32 bits, a name that is a control character, and a record of more than 16 MiB
	for bad in "lines 100 0x1000 0x100000000 1 a.js" 'lines 100 0x1000 0 1 a\x7f.js' big; do
		{
			printf '%s\n' "header $PID" "lines 100 0x2000 0 7 good.js" "load 100 $PID 0x2000 0x100 2 second"
			[ "$bad" = big ] || printf '%b\n' "$bad"
			echo "load 100 $PID 0x1000 0x100 1 first"
		} | dumped
		if [ "$bad" = big ]; then
			python3 -c '
import struct, sys
n = 17 << 20
sys.stdout.buffer.write(struct.pack("<IIQQQ", 2, n, 100, 0x1000, (n - 32) // 18))
entry = struct.pack("<QII", 0x1000, 1, 0)
sys.stdout.buffer.write(entry + b"a\0" + (entry + b"\xff\0") * ((n - 32) // 18 - 1))
sys.stdout.buffer.write(bytes((n - 32) % 18))' >record
			size=$(printf '%s\n' "header $PID" | jitmake | wc -c)
			{
				head -c "$size" jit-$PID.dump
				cat record
				tail -c +$((size + 1)) jit-$PID.dump
			} >whole
			mv whole jit-$PID.dump
		fi
		asked 100:0x1000 100:0x2000
		decoded --srcline
		[ "$bad" != big ] || continue
		said "the lines of 1 function are damaged"
		[ "$(own_lines | tr '\n' ' ')" = "- good.js:7 " ] || fail "$bad"
	done
	said "the lines of 1 function are damaged"
	[ "$(own_lines | tr '\n' ' ')" = "- good.js:7 " ]
}

@test "names of C++ in a jitdump are those of the source" {
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 _ZN3FooIiE3barEv
	END
	asked 100:0x1000
	decoded
	[ "$(answers)" = "100 Foo<int>::bar" ]
	decoded --no-demangle
	[ "$(answers)" = "100 _ZN3FooIiE3barEv" ]
}

@test "without -k mono only addresses that had one function have names" {
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
		load 200 $PID 0x1000 0x100 2 second
		load 300 $PID 0x2000 0x100 3 only
		load 400 $PID 0x3000 0x100 4 again
		load 500 $PID 0x3000 0x100 5 again
		load 600 $PID 0x4000 0x100 6 part
		load 700 $PID 0x4080 0x100 7 over
	END
	for CLOCK in "" 7; do
		asked 10:0x1000 20:0x2000 30:0x30ff 40:0x4000 50:0x4080 60:0x4100 70:0x5000
		decoded
		said "no symbols for some code of $PWD/jit-$PID.dump: memory was reused, and recorded without -k mono (3 samples)"
		answers >got
		printf '%s\n' "10 [perf-$PID.map]" '20 only' '30 again' '40 part' "50 [perf-$PID.map]" '60 over' \
			"70 [perf-$PID.map]" >want
		same want got
	done
	# samples without times
	printf "raw 9 2 8:%d 4:$PID 4:$PID 8:0 8:1\\n" 0x1000 0x2000 0x30ff | CLOCK=1 FIELDS=0x183 recorded
	decoded
	said "no symbols for some code of $PWD/jit-$PID.dump: memory was reused, and recorded without -k mono"
	answers >got
	printf '%s\n' ". [perf-$PID.map]" '. only' '. again' >want
	same want got
	# nothing to say where all code has its name
	CLOCK=
	dumped <<-END
		header $PID
		load 300 $PID 0x2000 0x100 3 only
	END
	asked 20:0x2000
	decoded
	silent
	[ "$(answers)" = "20 only" ]
	# lines of a function that was compiled again may be those of the other time
	dumped <<-END
		header $PID
		lines 100 0x1000 0 1 a.js
		load 100 $PID 0x1000 0x100 1 alone
		lines 200 0x2000 0 2 a.js
		load 200 $PID 0x2000 0x100 2 again
		lines 300 0x2000 0 3 a.js
		load 300 $PID 0x2000 0x100 3 again
		lines 400 0x3000 0 4 a.js
		load 400 $PID 0x3000 0x100 4 longer
		lines 500 0x3000 0 5 a.js
		load 500 $PID 0x3000 0x140 5 longer
	END
	asked 10:0x1000 20:0x2000 30:0x3000 40:0x3120
	decoded --srcline
	[ "$(answers | tr '\n' ' ')" = "10 alone 20 again 30 longer 40 longer " ]
	[ "$(own_lines | tr '\n' ' ')" = "a.js:1 - - a.js:5 " ]
}

# perf writes it before all samples.
@test "a conversion of the processor's clock that comes after the first names: the dump stays as it was read" {
	dumped <<-END
		header $PID 1
		load 1000 $PID 0x1000 0x100 1 first
		load 2000 $PID 0x1000 0x100 2 second
		load 1000 $PID 0x2000 0x100 3 other
	END
	CLOCK=
	printf '%s\n' "sample $PID $PID 236 u 0x2000" round round \
		'raw 79 0 8:4 8:3 8:50' "sample $PID $PID 424 u 0x1000" "sample $PID $PID 425 u 0x1000" \
		"sample $PID $PID 425 u 0x2000" | recorded
	want_status 0 perfdec jit.data
	answers >got
	printf '%s\n' '236 other' "424 [perf-$PID.map]" "425 [perf-$PID.map]" '425 other' >want
	same want got
	said "memory was reused, and the recording cannot convert its times"
	[ "$(wc -l <err)" -eq 1 ]
}

@test "times of the processor's clock are converted as the recording says" {
	local clock
	dumped <<-END
		header $PID 1
		load 1000 $PID 0x1000 0x100 1 first
		load 2000 $PID 0x1000 0x100 2 second
	END
	CLOCK=
	# 50 + ticks * 3 / 16
	cat >conv <<-END
		raw 79 0 8:4 8:3 8:50
		sample $PID $PID 236 u 0x1000
		sample $PID $PID 237 u 0x1000
		sample $PID $PID 424 u 0x1000
		sample $PID $PID 425 u 0x1000
	END
	recorded <conv
	decoded
	unlisted 1 "$PWD/jit-$PID.dump"
	answers >got
	printf '%s\n' "236 [perf-$PID.map]" '237 first' '424 first' '425 second' >want
	same want got
	for clock in 0 1 4 7; do
		CLOCK=$clock recorded <conv
		decoded
		said "memory was reused, and its clock is not the recording's"
		[ "$(answers | sort -u -k 2)" = "236 [perf-$PID.map]" ]
		[ "$(grep -c '^origin.*	clock=' places.ev)" -eq $((clock == 1)) ] || fail "clock $clock"
	done
	sed '1s/8:4/8:64/' conv | recorded
	want_status 1 perfdec jit.data
	said "conversion of times with a shift of 64 bits"
	said "and the recording cannot convert its times"
	sed 1d conv | recorded
	decoded
	said "and the recording cannot convert its times"
	[ "$(answers | sort -u -k 2)" = "236 [perf-$PID.map]" ]
}

# refused REASON: the dump is not used, and this is why.
refused() {
	decoded
	said "no symbols for $PWD/jit-$PID.dump: $1"
	[ "$(answers)" = "100 [perf-$PID.map]" ]
}

@test "a jitdump that is there and is not used is reported" {
	local good="load 100 $PID 0x1000 0x100 1 first"
	printf '%s\n' "header $PID" "$good" | dumped
	asked 100:0x1000
	cp jit-$PID.dump good
	decoded
	[ "$(answers)" = "100 first" ]
	# another file
	cp good copy && mv copy jit-$PID.dump
	refused "not the file that was mapped"
	asked 100:0x1000
	printf '%s\n' "header 17" "$good" | jitmake >jit-$PID.dump
	refused "it belongs to process 17"
	printf '%s\n' "header $PID 2" "$good" | jitmake >jit-$PID.dump
	refused "unknown flags 0x2"
	printf '%s\n' "header $PID 0 2" "$good" | jitmake >jit-$PID.dump
	refused "version 2 of the format is not known"
	printf '%s\n' "header $PID 0 1 39" "$good" | jitmake >jit-$PID.dump
	refused "a header of 39 bytes"
	printf '%s\n' "header $PID 0 1 4000" "$good" | jitmake >jit-$PID.dump
	refused "a header of 4000 bytes"
	echo "this is not a jitdump, but it is long enough" >jit-$PID.dump
	refused "not a jitdump"
	head -c 39 good >jit-$PID.dump
	refused "too short for a jitdump"
	mv jit-$PID.dump other && ln -s other jit-$PID.dump
	refused "not a regular file"
	rm jit-$PID.dump && mkfifo jit-$PID.dump
	refused "not a regular file"
	rm jit-$PID.dump
	refused "open: No such file or directory"
	cp good jit-$PID.dump && asked 100:0x1000
	if chown 12345 jit-$PID.dump 2>/dev/null; then
		refused "belongs to another user"
	fi
}

@test "after damage, code has names only up to the last good record" {
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
		load 200 $PID 0x2000 0x100 2 second
		record 0 300 00
		load 400 $PID 0x1000 0x100 3 third
	END
	asked 150:0x1000 200:0x2000 201:0x1000 401:0x1000
	decoded
	said "no symbols for some code of $PWD/jit-$PID.dump: damaged at byte 0x"
	said "a record of loaded code is too short"
	answers >got
	printf '%s\n' '150 first' '200 second' "201 [perf-$PID.map]" "401 [perf-$PID.map]" >want
	same want got
	# without times nothing is certain
	CLOCK='' asked 150:0x1000
	decoded
	said "no symbols for $PWD/jit-$PID.dump: a record of loaded code is too short"
	[ "$(answers)" = "150 [perf-$PID.map]" ]
	# a file that is still being written
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
		load 200 $PID 0x1000 0x100 2 second
		cut 1
	END
	asked 150:0x1000 300:0x1000
	decoded
	silent
	answers >got
	printf '%s\n' '150 first' '300 first' >want
	same want got
}

@test "a dump that becomes shorter while it is read gives no wrong name" {
	local size n
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers want to be loaded first"
	cat >short.c <<-'END'
		#include <stdlib.h>
		#include <sys/stat.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		ssize_t pread64(int fd, void *p, size_t n, long long at)
		{
			const long long end = atoll(getenv("SHORT"));
			struct stat st;
			if (fstat(fd, &st) == 0 && st.st_ino == strtoull(getenv("INODE"), NULL, 10))
				n = at >= end ? 0 : (long long)n > end - at ? (size_t)(end - at) : n;
			return syscall(SYS_pread64, fd, p, n, at);
		}
	END
	${CC:-cc} -shared -fPIC -o short.so short.c
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
		move 200 $PID 0x1000 0x2000 0x100 1
		load 300 $PID 0x3000 0x10 2 last
	END
	asked 150:0x1000 250:0x2000 350:0x3000
	size=$(stat -c %s jit-$PID.dump)
	for n in $(seq 41 13 "$size") "$size"; do
		want_status 0 env LD_PRELOAD="$PWD/short.so" SHORT="$n" INODE="$(stat -c %i jit-$PID.dump)" perfdec jit.data
		answers >got
		! grep -vxE "150 first|250 first|350 last|[0-9]* \[perf-$PID\.map\]" got || fail "$n of $size bytes" || return
	done
	printf '%s\n' '150 first' '250 first' '350 last' | same - got
	# nothing of the record that is missing is used
	command -v valgrind >/dev/null || return 0
	want_status 0 env LD_PRELOAD="$PWD/short.so" SHORT=64 INODE="$(stat -c %i jit-$PID.dump)" \
		AFPIPE_SANDBOX=0 valgrind -q --error-exitcode=9 perfdec jit.data
}

@test "an exec ends the code, a fork keeps what was there" {
	local child=4194297
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
		load 200 $PID 0x1000 0x100 2 second
	END
	recorded <<-END
		fork $child $child $PID $PID 150
		sample $child $child 160 u 0x1000
		sample $PID $PID 160 u 0x1000
		sample $child $child 260 u 0x1000
		sample $PID $PID 260 u 0x1000
		exec $PID $PID 300 other
		mmap $PID $PID 301 u 0x1000 0x1000 0 //anon
		sample $PID $PID 310 u 0x1000
		sample $child $child 310 u 0x1000
	END
	decoded
	answers >got
	printf '%s\n' '160 first' '160 first' '260 first' '260 second' "310 [perf-$PID.map]" '310 first' >want
	same want got
}

@test "a fork of a fork has the code from before the first of them, and no later one" {
	local child=4194297 grandchild=4194296
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
		load 200 $PID 0x2000 0x100 2 later
	END
	recorded <<-END
		fork $child $child $PID $PID 150
		fork $grandchild $grandchild $child $child 250
		sample $PID $PID 300 u 0x1000
		sample $child $child 301 u 0x1000
		sample $grandchild $grandchild 302 u 0x1000
		sample $PID $PID 303 u 0x2000
		sample $child $child 304 u 0x2000
		sample $grandchild $grandchild 305 u 0x2000
	END
	decoded
	answers >got
	printf '%s\n' '300 first' '301 first' '302 first' '303 later' "304 [perf-$PID.map]" "305 [perf-$PID.map]" >want
	same want got
}

@test "memory of a file without a name is that file, in a process without a dump" {
	{
		echo "mmap 9 9 1 u 0x1000 0x1000 0 /memfd:cache (deleted)"
		echo 'sample 9 9 10 u 0x1010'
	} | perfmake >jit.data
	want_status 0 perfdec --no-symbols jit.data
	[ "$(answers)" = '10 [memfd:cache (deleted)]' ]
}

@test "several dumps of one process: the newest code counts, however they are ordered" {
	local i order
	for i in 1 2 3; do
		printf '%s\n' "header $((PID + i))" "load ${i}00 $((PID + i)) 0x1000 0x100 1 of$i" \
			"load 50 $((PID + i)) $((0x2000 + i * 0x100)) 0x100 2 own$i" | jitmake >jit-$((PID + i)).dump
	done
	for order in '1 2 3' '3 2 1' '2 3 1' '1 1 3 2'; do
		{
			echo 'clock 1'
			for i in $order; do
				echo "mmap2 $PID $PID 2 u 0x70${i}000 0x1000 0 $(stat -c %i jit-$((PID + i)).dump) $PWD/jit-$((PID + i)).dump"
			done
			echo "mmap $PID $PID 2 u 0x1000 0x10000 0 //anon"
			printf "sample $PID $PID %s u %s\n" 90 0x1000 150 0x1000 250 0x1000 350 0x1000 400 0x2110 401 0x2210 402 0x2310
		} | perfmake >jit.data
		want_status 0 perfdec jit.data
		answers >got
		printf '%s\n' "90 [perf-$PID.map]" '150 of1' '250 of2' '350 of3' '400 own1' '401 own2' '402 own3' >want
		same want got || fail "$order"
	done
}

@test "several dumps of one process: code that none lists is counted for the last mapped that says why" {
	local i order want
	for i in 1 2 3; do
		printf '%s\n' "header $((PID + i))" "load 1 $((PID + i)) $((0x2000 + i * 0x100)) 0x100 1 of$i" \
			"$([ $i = 1 ] || echo "record 0 2 00")" | jitmake >jit-$((PID + i)).dump
	done
	while IFS='|' read -r order want; do
		{
			echo 'clock 1'
			for i in $order; do
				echo "mmap2 $PID $PID 2 u 0x70${i}000 0x1000 0 $(stat -c %i jit-$((PID + i)).dump) $PWD/jit-$((PID + i)).dump"
			done
			echo "mmap $PID $PID 2 u 0x1000 0x10000 0 //anon"
			printf "sample $PID $PID %s u %s\n" 5 0x1000 6 0x1010
			# code of another process, with a dump that says nothing
			echo "mmap2 9 9 7 u 0x700000 0x1000 0 $(stat -c %i jit-$((PID + 1)).dump) $PWD/jit-$((PID + 1)).dump"
			echo "mmap 9 9 7 u 0x1000 0x10000 0 //anon"
			echo "sample 9 9 8 u 0x1010"
		} | perfmake >jit.data
		decoded
		for i in 1 2 3; do
			sed -n "s|^perfdec: no symbols for .*$PWD/jit-$((PID + i))\.dump[: ].*(\([0-9]*\) samples\?)$|$i:\1|p" err
		done | sort | paste -s -d ' ' >got
		[ "$(cat got)" = "$want" ] || fail "$order: $(cat got err)" || return
		[ "$(grep -c 'only callers' err)" -eq 0 ] || fail "$order: $(cat err)" || return
	done <<-'END'
		1|1:1 1:2
		1 2|1:1 2:2
		2 1|1:1 2:2
		1 2 3|1:1 3:2
		3 2 1|1:1 2:2
		2 1 3|1:1 3:2
	END
}

@test "a dump that is mapped again, as another file; samples at the end of time" {
	dumped <<-END
		header $PID
		load 10 $PID 0x1000 0x100 1 first
		load 20 $PID 0x1000 0x100 2 second
	END
	{
		echo "mmap2 $PID $PID 3 u 0x701000 0x1000 0 $(($(stat -c %i jit-$PID.dump) + 1)) $PWD/jit-$PID.dump"
		echo "sample $PID $PID 15 u 0x1010"
		echo "sample $PID $PID 25 u 0x1010"
	} | recorded
	want_status 0 perfdec jit.data
	answers | same - <(printf '%s\n' '15 first' '25 second')
	# the clock ends there: what was there last
	{
		printf "sample $PID $PID %s u 0x1010\n" 15 25
		echo round
		echo round
		printf "sample $PID $PID -1 u %s\n" 0x1010 0x1020 0x5010
	} | recorded
	want_status 0 perfdec jit.data
	answers | same - <(printf '%s\n' '15 first' '25 second' '18446744073709551615 second' \
		'18446744073709551615 second' "18446744073709551615 [perf-$PID.map]")
}

@test "more dumps than a process has: those after the sixteenth are not read" {
	local i
	for i in {1..18}; do
		printf '%s\n' "header $((PID + i))" "load 1 $((PID + i)) $((0x1000 + i * 0x100)) 0x100 1 f$i" | jitmake >jit-$((PID + i)).dump
	done
	{
		echo 'clock 1'
		for i in {1..18}; do
			printf 'mmap2 %d %d 2 u 0x%x 0x1000 0 %d %s\n' $PID $PID $((0x700000 + 4096 * i)) \
				"$(stat -c %i jit-$((PID + i)).dump)" "$PWD/jit-$((PID + i)).dump"
		done
		echo "mmap $PID $PID 2 u 0x1000 0x10000 0 //anon"
		for i in {1..18}; do
			echo "sample $PID $PID 10 u $((0x1000 + i * 0x100 + 4))"
		done
	} | perfmake >jit.data
	want_status 0 perfdec jit.data
	answers | cut -d ' ' -f 2 >got
	{ printf 'f%d\n' {1..16} && printf '[perf-%d.map]\n' $PID $PID; } >want
	same want got
}

@test "below --symfs only the jitdump there counts, whatever its inode" {
	mkdir -p "root$PWD"
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 outside
	END
	asked 100:0x1000
	decoded --symfs root
	said "no symbols for $PWD/jit-$PID.dump: open: No such file or directory"
	[ "$(answers)" = "100 [perf-$PID.map]" ]
	printf '%s\n' "header $PID" "load 100 $PID 0x1000 0x100 1 inside" | jitmake >"root$PWD/jit-$PID.dump"
	decoded --symfs root
	[ "$(answers)" = "100 inside" ]
}

@test "the file of another pid: of a container, or of the parent" {
	printf '%s\n' "header 17" "load 100 17 0x1000 0x100 1 inside" | jitmake >jit-17.dump
	# mapped when the process ran, mapped before the recording began, and with another inode
	{
		echo "clock 1"
		echo "mmap2 $PID $PID 2 u 0x700000 0x1000 0 $(stat -c %i jit-17.dump) $PWD/jit-17.dump"
		echo "mmap $PID $PID 2 u 0x1000 0x100000 0 //anon"
		echo "sample $PID $PID 100 u 0x1000"
	} >lines
	perfmake <lines >jit.data
	decoded
	[ "$(answers)" = "100 inside" ]
	sed "s/^mmap2 $PID $PID 2/mmap2 $PID $PID 0/" lines | perfmake >jit.data
	decoded
	said "no symbols for $PWD/jit-17.dump: it is not known to belong to process $PID"
	[ "$(answers)" = "100 [perf-$PID.map]" ]
	sed "s/ [0-9]* \(\/.*dump\)/ 0 \1/" lines | perfmake >jit.data
	decoded
	said "it is not known to belong to process $PID"
}

@test "a JIT map gives names only where a jitdump never has code" {
	mkdir -p "root$PWD" root/tmp
	printf '%s\n' "header $PID" "load 100 $PID 0x1000 0x100 1 dumped" | jitmake >"root$PWD/jit-$PID.dump"
	cp "root$PWD/jit-$PID.dump" .
	printf '1000 100 mapped\n2000 100 mapped too\n' >root/tmp/perf-$PID.map
	asked 50:0x1000 100:0x1000 100:0x2000
	decoded --symfs root
	answers >got
	printf '%s\n' "50 [perf-$PID.map]" '100 dumped' '100 mapped too' >want
	same want got
	# a damaged one, too, before all of its code, between, behind, and where it has code later
	printf '%s\n' "header $PID" "load 100 $PID 0x2000 0x100 1 dumped" "load 150 $PID 0x4000 0x100 2 later" \
		"record 0 300 00" | tee jit-$PID.dump | jitmake >"root$PWD/jit-$PID.dump"
	printf '%d000 1000 mapped%d\n' 1 1 2 2 3 3 4 4 5 5 >root/tmp/perf-$PID.map
	asked {100,200}:0x{1,2,3,4,5}000
	decoded --symfs root
	answers | cut -d ' ' -f 2 >got
	printf '%s\n' mapped1 dumped mapped3 "[perf-$PID.map]" mapped5 \
		mapped1 "[perf-$PID.map]" mapped3 "[perf-$PID.map]" mapped5 >want
	same want got
	# without times: before all of its code, where it has one function, one twice, several, between, behind
	printf '%s\n' "header $PID" "load 100 $PID 0x2000 0x100 1 one" "load 150 $PID 0x3000 0x100 2 twice" \
		"load 160 $PID 0x3000 0x100 3 twice" "load 170 $PID 0x4000 0x100 4 some" "load 180 $PID 0x4000 0x100 5 other" \
		"load 190 $PID 0x6000 0x100 6 last" | tee jit-$PID.dump | jitmake >"root$PWD/jit-$PID.dump"
	printf '%d000 1000 mapped%d\n' 1 1 2 2 3 3 4 4 5 5 6 6 7 7 >root/tmp/perf-$PID.map
	CLOCK='' asked 100:0x{1,2,3,4,5,6,7}000
	decoded --symfs root
	answers | cut -d ' ' -f 2 >got
	printf '%s\n' mapped1 one twice "[perf-$PID.map]" mapped5 last mapped7 >want
	same want got
}

# counted: both programs say what is on standard input about x.data, below root.
counted() {
	cat >want
	want_status 0 perfdec --symfs root x.data
	diff -u want err || fail "another summary"
	perfdec --no-symbols x.data >x.ev
	want_status 0 afsym --symfs root x.ev
	sed 's/^perfdec/afsym/' want | diff -u - err || fail "another summary by afsym"
}

@test "JIT code that nothing lists is counted, with what to do, in the order of samples" {
	local advice="record node with --perf-basic-prof, java with -XX:+DumpPerfMapAtExit, python with -X perf" i
	mkdir -p root/tmp
	{
		echo "mmap $PID $PID 0 u 0x1000 0x1000 0 //anon"
		echo "mmap 11 11 0 u 0x1000 0x1000 0 //anon"
		echo "mmap $PID $PID 0 u 0x400000 0x1000 0 /gone/libnode.so"
		echo "mmap $PID $PID 0 u 0x500000 0x1000 0 /gone/a.so"
		echo "sample $PID $PID 1 u 0x500010"
		echo "sample 11 11 1 u 0x1010"
		for i in 2 3 4; do
			echo "sample $PID $PID $i u 0x1010"
			echo "sample $PID $PID $i u 0x400010"
		done
	} | perfmake >x.data
	counted <<-END
		perfdec: no symbols for JIT code without /tmp/perf-PID.map (4 samples): $advice
		perfdec: no symbols for /gone/libnode.so: open: No such file or directory (3 samples)
		perfdec: no symbols for 1 other object (1 sample); --missing lists them
	END
	want_status 0 perfdec --missing --symfs root x.data
	said "no symbols for /tmp/perf-$PID.map: open: No such file or directory (3 samples)"
	[ "$(wc -l <err)" -eq 4 ]
	# code with a map is counted only if the map does not list it
	printf '1010 1 listed\n' >root/tmp/perf-$PID.map
	counted <<-END
		perfdec: no symbols for /gone/libnode.so: open: No such file or directory (3 samples)
		perfdec: no symbols for JIT code without /tmp/perf-PID.map (1 sample): $advice
		perfdec: no symbols for 1 other object (1 sample); --missing lists them
	END
	printf '2000 1 listed\n' >root/tmp/perf-$PID.map
	cp root/tmp/perf-$PID.map root/tmp/perf-11.map
	counted <<-END
		perfdec: no symbols for JIT code that /tmp/perf-$PID.map does not list (3 samples)
		perfdec: no symbols for /gone/libnode.so: open: No such file or directory (3 samples)
		perfdec: no symbols for JIT code that /tmp/perf-11.map does not list (1 sample)
		perfdec: no symbols for 1 other object (1 sample); --missing lists them
	END
}

# came N: as many samples have been printed.
came() {
	[ "$(grep -c '^sample' out)" -ge "$1" ]
}

# grown COMMAND...: perfdec decodes text.1, text.2 ... of perfmake, which come one after the other; before
# each but the first, a command is run.  got has the time, the region and the stack of each sample.
# MAKING and READING are options of perfmake and perfdec.
grown() {
	local pid part=1 count=0 head making=() reading=()
	read -ra making <<<"${MAKING-}"
	read -ra reading <<<"${READING---tags stack}"
	head=$(perfmake "${making[@]}" </dev/null | wc -c)
	mkfifo in
	perfdec --symfs root "${reading[@]}" <in >out 2>err 3>&- &
	pid=$!
	exec 9>in
	for part in $(seq $(($# + 1))); do
		[ "$part" -eq 1 ] || { eval "$1" && shift; }
		count=$((count + $(grep -cE '^(sample|raw 9) ' "text.$part")))
		# a round shows what came before the last one
		printf '%s\n' round round >>"text.$part"
		perfmake "${making[@]}" <"text.$part" | if [ "$part" -eq 1 ]; then cat; else tail -c "+$((head + 1))"; fi >&9
		soon came $count
	done
	exec 9>&-
	wait $pid
	awk -F '\t' -v OFS=' ' '$1 == "sample" { sub(/^stack=/, "", $7); print int($2 / 1000000), $4, $7 }' out >got
}

@test "a JIT map that lists an address with several names is named" {
	local note again n
	note="/tmp/perf-$PID.map lists %s with several names: samples there have the last one, also those of code before (a jitdump has times)\n"
	mkdir -p root/tmp
	{
		echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
		echo "sample $PID $PID 1 u 0x2010"
	} | perfmake >in.data
	while IFS='|' read -r n again; do
		printf '1000 100 first\n2000 100 second\n%b' "$again" >root/tmp/perf-$PID.map
		want_status 0 perfdec --symfs root in.data || return
		perfdec --no-symbols in.data 2>later.err | afsym --symfs root >later 2>later.err
		if [ -z "$n" ]; then silent && [ ! -s later.err ] && continue; return 1; fi
		# shellcheck disable=SC2059 # a format
		{ printf 'perfdec: ' && printf "$note" "$n"; } | same - err || return
		# shellcheck disable=SC2059
		{ printf 'afsym: ' && printf "$note" "$n"; } | same - later.err || return
		perfdec --no-symbols in.data 2>later.err | afsym --symfs root --missing - | same /dev/null - || return
	done <<-'END'
		|
		|3000 100 third\n
		|1000 200 first\n
		1 address|1000 100 third\n
		1 address|2000 100 first\n2000 100 first\n
		2 addresses|2000 100 third\n1000 80 fourth\n
		3 addresses|2000 100 third\n1000 80 fourth\n2000 100 fifth\n
	END
	# and what it does not list
	printf '1000 100 first\n1000 100 second\n' >root/tmp/perf-$PID.map
	want_status 0 perfdec --symfs root in.data
	# shellcheck disable=SC2059
	{
		printf "perfdec: $note" '1 address'
		echo "perfdec: no symbols for JIT code that /tmp/perf-$PID.map does not list (1 sample)"
	} | same - err
}

@test "a JIT map that grows is read on, while the recording comes" {
	local i ms=000000 chain
	chain="u 0x1010 0x3010$(printf ' 0x2010%.0s' 1 2 3 4 5 6 7 8)"
	mkdir -p root/tmp
	printf '1000 100 first\n20' >root/tmp/perf-$PID.map # its last line is not complete
	{
		echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
		for i in 1 40; do echo "sample $PID $PID $i$ms u 0x2010"; done
		echo "sample $PID $PID 41$ms u 0x1010 $chain"
	} >text.1
	{
		echo "sample $PID $PID 42$ms u 0x2010"
		for i in 43 120; do echo "sample $PID $PID $i$ms u 0x1010 $chain"; done
		echo "sample $PID $PID 121$ms u 0x3010"
	} >text.2
	for i in 300:0x3010 301:0x2010 302:0x1010; do echo "sample $PID $PID ${i%:*}$ms u ${i#*:}"; done >text.3
	grown "echo '00 100 second' >>root/tmp/perf-$PID.map" \
		"printf '%s\n' '2000 100 renamed' '3000 100 third' >>root/tmp/perf-$PID.map"
	# new lines are looked for after 100 ms, in stacks, too, of which the outer part is the same
	sed "s/unknown/[perf-$PID.map]/g" >want <<-'END'
		1 unknown unknown
		40 unknown unknown
		41 first unknown;unknown;unknown;unknown;unknown;unknown;unknown;unknown;unknown;first
		42 unknown unknown
		43 first unknown;unknown;unknown;unknown;unknown;unknown;unknown;unknown;unknown;first
		120 first second;second;second;second;second;second;second;second;unknown;first
		121 unknown unknown
		300 third third
		301 renamed renamed
		302 first first
	END
	same want got
	said "no symbols for JIT code that /tmp/perf-$PID.map does not list (4 samples)"
}

@test "a JIT map in whose place another one comes, or that is written anew, is read from its beginning" {
	mkdir -p root/tmp
	printf '1000 100 first\n' >root/tmp/perf-$PID.map
	printf '1000 100 other\n2000 100 second\n' >new
	{
		echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
		samples 1:0x1010
	} >text.1
	samples 160:0x2010 161:0x1010 >text.2
	samples 320:0x3008 321:0x2010 >text.3
	grown "mv new root/tmp/perf-$PID.map" "echo '3000 10 third' >root/tmp/perf-$PID.map"
	cut -d ' ' -f 1,2 got >names
	printf '%s\n' '1 first' '160 second' '161 other' '320 third' '321 second' | same - names
}

# samples MS:ADDRESS...
samples() {
	local one
	for one; do echo "sample $PID $PID ${one%:*}000000 u ${one#*:}"; done
}

@test "a jitdump that grows is read on, while the recording comes" {
	local dump=root/tmp/jit-$PID.dump n
	mkdir -p root/tmp
	cat >lines <<-END
		header $PID
		load 500000 $PID 0x1000 0x100 1 first
		load 500001 $PID 0x1100 0x100 2 other
		load 45000000 $PID 0x2000 0x100 3 second
		load 150000000 $PID 0x1000 0x100 4 renamed
		move 250000000 $PID 0x2000 0x3000 0x100 3
		move 250000001 $PID 0x1100 0x4000 0x100 9
		load 400000000 $PID 0x2000 0x100 5 third
		load 500000000 $PID 0x5000 0x100 6 fourth
		move 500000001 $PID 0x3000 0x6000 0x100 3
	END
	jitmake <lines >all
	size() { head -n "$1" lines | jitmake | wc -c; }
	for n in 1 2 3 4 5 6 7 8 9; do size $n; done >sizes
	# upto SIZE: the dump becomes that long
	upto() {
		local has
		has=$(stat -c %s $dump)
		head -c "$1" all | tail -c "+$((has + 1))" >>$dump
	}
	line() { sed -n "$1p" sizes; }
	: >$dump && upto $(($(line 3) + 30)) # the last record is not complete
	{
		echo 'clock 1'
		echo "mmap2 $PID $PID 0 u 0x700000 0x1000 0 7 /tmp/jit-$PID.dump"
		echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
		samples 1:0x1010 40:0x2010 41:0x1110
	} >text.1
	samples 49:0x2010 60:0x2010 102:0x1010 140:0x1010 151:0x1010 >text.2
	samples 160:0x1010 180:0x1010 211:0x2010 212:0x1110 >text.3
	samples 320:0x3010 321:0x2010 322:0x4010 323:0x1110 >text.4
	samples 440:0x2010 441:0x5010 >text.5
	samples 560:0x5010 561:0x6010 562:0x3010 >text.6
	grown "upto $(line 4)" "upto $(line 5)" "upto $(line 7)" "upto $(line 8)" 'upto 1000000'
	cut -d ' ' -f 1,2 got >names
	sed "s/unknown/[perf-$PID.map]/g" >want <<-'END'
		1 first
		40 unknown
		41 other
		49 unknown
		60 second
		102 first
		140 first
		151 first
		160 first
		180 renamed
		211 second
		212 other
		320 second
		321 unknown
		322 unknown
		323 other
		440 third
		441 unknown
		560 fourth
		561 second
		562 unknown
	END
	same want names
	said "no symbols for JIT code that /tmp/jit-$PID.dump does not list (6 samples)"
	# the whole file gives the same names, but those that came too late
	cat text.? | grep -v '^round' | perfmake >whole.data
	want_status 0 perfdec --symfs root --tags stack whole.data
	unlisted 5 "/tmp/jit-$PID.dump"
	awk -F '\t' '$1 == "sample" { print int($2 / 1000000), $4 }' out >names
	sed -i '/^49 /s/ .*/ second/; /^1[56][0-9] /s/ .*/ renamed/' want
	same want names
}

@test "a jitdump that grows: code moves that came before, the last at that address" {
	local dump=root/tmp/jit-$PID.dump
	mkdir -p root/tmp
	cat >lines <<-END
		header $PID
		load 500000 $PID 0x1000 0x100 1 first
		load 500001 $PID 0x2000 0x100 2 longer
		load 900000000 $PID 0x7000 0x100 8 later
		load 150000000 $PID 0x1000 0x100 3 second
		move 250000000 $PID 0x1000 0x4000 0x100 3
		move 250000001 $PID 0x2000 0x5000 0x80 2
		move 250000002 $PID 0x7000 0x6000 0x100 8
	END
	head -n 4 lines | jitmake >$dump
	head -n 5 lines | jitmake >second
	jitmake <lines >all
	{
		echo 'clock 1'
		echo "mmap2 $PID $PID 0 u 0x700000 0x1000 0 7 /tmp/jit-$PID.dump"
		echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
		samples 1:0x1010
	} >text.1
	samples 160:0x1010 180:0x1010 >text.2
	# code of another size, or that was not there yet, has not moved
	samples 320:0x4010 321:0x5010 322:0x6010 323:0x2010 324:0x1010 950:0x7010 >text.3
	grown "tail -c +$(($(wc -c <$dump) + 1)) second >>$dump" "tail -c +$(($(wc -c <second) + 1)) all >>$dump"
	cut -d ' ' -f 1,2 got >names
	sed "s/unknown/[perf-$PID.map]/g" >want <<-'END'
		1 first
		160 second
		180 second
		320 second
		321 unknown
		322 unknown
		323 longer
		324 unknown
		950 later
	END
	same want names
	# the whole file gives the same names
	cat text.? | grep -v '^round' | perfmake >whole.data
	want_status 0 perfdec --symfs root whole.data
	awk -F '\t' '$1 == "sample" { print int($2 / 1000000), $4 }' out | same want -
}

@test "a jitdump that grows: what it says of code before the code itself is not lost" {
	local dump=root/tmp/jit-$PID.dump n entry header MAKING='--no-attr --type 0x3027' READING='--srcline --tags stack,lines'
	mkdir -p root/tmp
	# 18 bytes of code: from byte 10 on the frame has 32 bytes, the return address is the last word
	entry=1400000000000000017a5200017810011b0c070890010000
	entry+=1c0000001c000000c8ffffff1200000000410e108602490e20460e10410e08c600000000
	header=011b033bc0ffffff01000000acffffffdcffffff
	cat >lines <<-END
		header $PID
		load 1000000 $PID 0x3000 0x100 1 outer
		lines 2000000 0x1000 0 10 a.js
		unwind 2000000 20 $entry$header
		load 2000000 $PID 0x1000 18 2 first
		unwind 150000000 20 $entry$header
		lines 150000000 0x2000 0 20 b.js
		load 150000000 $PID 0x2000 18 3 second
		move 350000000 $PID 0x1000 0x5000 18 2
	END
	for n in 3 6 8 9; do
		head -n $n lines | jitmake >dump.$n
	done
	{
		copying
		called 10:0x100c
	} >text.1
	called 160:0x100c 161:0x200c >text.2
	called 320:0x200c 321:0x100c >text.3
	called 480:0x500c >text.4
	cp dump.3 $dump
	grown "tail -c +$(($(wc -c <dump.3) + 1)) dump.6 >>$dump" "tail -c +$(($(wc -c <dump.6) + 1)) dump.8 >>$dump" \
		"tail -c +$(($(wc -c <dump.8) + 1)) dump.9 >>$dump"
	sed -n 's/^sample	\([0-9]*\)000000	.*	stack=/\1 /p' out | tr '\t' ' ' >got
	sed "s/unknown/[perf-$PID.map]/g" >want <<-'END'
		10 [truncated];unknown lines=?;?
		160 outer;first lines=?;a.js:10
		161 [truncated];unknown lines=?;?
		320 outer;second lines=?;b.js:20
		321 outer;first lines=?;a.js:10
		480 outer;first lines=?;a.js:10
	END
	same want got
	# lines whose code has not come yet are no sign that lines are those of other addresses
	printf 'perfdec: %s\n' "-: some callers in user code are not known for 2 of 6 samples with copies of their"\
' stacks (code that its jitdump does not list: 2); a compiler may list code late: decode a stored recording, when'\
' the program has ended' "no symbols for JIT code that /tmp/jit-$PID.dump does not list (2 samples)" >want
	same want err
	# memory that runs out for any of it is no reason to write less
	[[ ${CFLAGS-} != *sanitize* ]] || return 0
	helpers fault nomem.so
	fault true >out 2>&1 || [ $? -ne 77 ] || return 0
	grep -hv '^round' text.[1234] | perfmake --no-attr --type 0x3027 >whole.data
	want_status 0 fault -m "$HELPERS/nomem.so" perfdec --symfs root --srcline whole.data ||
		fail "$(head -n 20 out | cut -c 1-400)"
}

@test "unwind information of several entries, that of later code first" {
	mkdir -p root/tmp
	# 18 bytes of code: a frame of 32 bytes from byte 10 on, and one of 16 bytes from byte 1 on
	cat <<-END | jitmake >root/tmp/jit-$PID.dump
		header $PID
		load 1000000 $PID 0x3000 0x100 1 outer
		unwind 2000000 28 1400000000000000017a5200017810011b0c070890010000$(
		)140000001c000000d2ffffff08000000000e200000000000$(
		)1400000034000000b0ffffff0a00000000410e1000000000$(
		)00000000011b033bb0ffffff020000009cffffffe4ffffffa6ffffffccffffff
		load 2000000 $PID 0x1000 18 2 inner
	END
	{
		copying
		# the return address is the first word, the second, the last
		STACK='8:0x3030 8:0x3020 8:0 8:0x3010' called 10:0x1000 10:0x1005 10:0x100c
	} | perfmake --no-attr --type 0x3027 >whole.data
	want_status 1 perfdec --symfs root --frames whole.data
	sed -n 's/^sample.*	stack=\([^	]*\).*frames=\[truncated\];[^+]*+\(0x[^;]*\).*/\1 \2/p' out | same <(
		printf '[truncated];outer;inner %s\n' 0x302f 0x301f 0x300f) -
}

@test "unwind information of a jitdump: before its header or after it, and what is no header" {
	local n=0 header frames first=1400000000000000017a5200017810011b0c070890010000
	local form size before after want code stack
	mkdir -p root/tmp
	printf '%s\n' "header $PID" "load 1000000 $PID 0x3000 0x100 1 outer" >lines
	copying >text
	# the size of the header as the record tells it, and the bytes on both sides of the frames
	while read -r form size before after want; do
		n=$((n + 1))
		code=$((0x3000 + n * 0x100))
		before=${before#-} after=${after#-}
		# code of 18 bytes, which begins 24 bytes before the information
		frames=$(printf '%08x' $(((-24 - ${#before} / 2 - 32) & 0xffffffff)))
		frames=$first"1c0000001c000000${frames:6:2}${frames:4:2}${frames:2:2}${frames:0:2}1200000000410e108602490e20460e10410e08c600000000"
		printf '%s\n' "unwind 2000000 $size $before$frames$after" "load 2000000 $PID $code 18 $((n + 1)) $form" >>lines
		called "$((n + 9)):$((code + 12))" >>text
		stack="outer;$form"
		[ "$want" = found ] || stack="[truncated];$form"
		echo "$((n + 9)) $stack" >>want
	done <<-'END'
		behind 20 - 011b033bc0ffffff01000000acffffffdcffffff found
		ahead 20 011b033bc0ffffff01000000acffffffdcffffff - found
		behind_short 4 - 011b033b found
		ahead_short 4 011b033b - found
		behind_of_three 3 - 011b03 none
		ahead_of_three 3 011b03 - none
		behind_another 4 - 021b033b none
		ahead_another 4 021b033b - none
		ahead_later 4 00010000 - none
		without 0 - - none
	END
	jitmake <lines >root/tmp/jit-$PID.dump
	printf '%s\n' round round >>text
	perfmake --no-attr --type 0x3027 <text >x.data
	want_status 1 perfdec --symfs root --tags stack x.data
	same err <(echo "perfdec: x.data: some callers in user code are not known for 6 of 10 samples with copies of" \
		"their stacks (no unwind information: 6)")
	sed -n 's/^sample	\([0-9]*\)000000	.*	stack=/\1 /p' out >got
	same want got
}

@test "a jitdump that grows, without times that can be compared: read anew when it has grown by a quarter" {
	local dump=root/tmp/jit-$PID.dump n
	mkdir -p root/tmp
	cat >lines <<-END
		header $PID
		load 1000000 $PID 0x1000 0x100 1 first
		load 2000000 $PID 0x2000 0x10 2 second
		load 3000000 $PID 0x3000 0x100 3 third
	END
	for n in 2 3 4; do head -n $n lines | jitmake >dump.$n; done
	[ $(($(wc -c <dump.3) - $(wc -c <dump.2))) -lt $(($(wc -c <dump.2) / 4)) ]
	cp dump.2 $dump
	{
		echo "mmap2 $PID $PID 0 u 0x700000 0x1000 0 7 /tmp/jit-$PID.dump"
		echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
		samples 1:0x1010
	} >text.1
	samples 160:0x2008 161:0x1010 >text.2
	samples 320:0x2008 321:0x3010 322:0x1010 >text.3
	grown "tail -c +$(($(wc -c <dump.2) + 1)) dump.3 >>$dump" "tail -c +$(($(wc -c <dump.3) + 1)) dump.4 >>$dump"
	cut -d ' ' -f 1,2 got >names
	printf '%s\n' '1 first' "160 [perf-$PID.map]" '161 first' '320 second' '321 third' '322 first' | same - names
}

@test "a jitdump whose header comes late, and one that is damaged later" {
	local dump=root/tmp/jit-$PID.dump n
	mkdir -p root/tmp
	printf '%s\n' "header $PID" "load 1000000 $PID 0x1000 0x100 1 first" | jitmake >all
	: >$dump
	{
		echo 'clock 1'
		echo "mmap2 $PID $PID 0 u 0x700000 0x1000 0 7 /tmp/jit-$PID.dump"
		echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
		samples 2:0x1010
	} >text.1
	samples 110:0x1010 >text.2
	samples 220:0x1010 >text.3
	samples 330:0x1010 >text.4
	grown "cat all >$dump" "head -c 20 /dev/zero >>$dump" "tail -c +41 all >>$dump"
	cut -d ' ' -f 1,2 got >names
	printf '%s\n' "2 [perf-$PID.map]" '110 first' "220 [perf-$PID.map]" "330 [perf-$PID.map]" | same - names
	said "/tmp/jit-$PID.dump"
	said 'damaged at byte'
}

@test "a jitdump that goes away: the names that have been read stay" {
	local dump=root/tmp/jit-$PID.dump
	mkdir -p root/tmp
	printf '%s\n' "header $PID" "load 1000000 $PID 0x1000 0x100 1 first" | jitmake >$dump
	{
		echo 'clock 1'
		echo "mmap2 $PID $PID 0 u 0x700000 0x1000 0 7 /tmp/jit-$PID.dump"
		echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
		samples 2:0x1010
	} >text.1
	samples 110:0x1010 111:0x2010 >text.2
	grown "rm $dump"
	cut -d ' ' -f 1,2 got >names
	printf '%s\n' '2 first' '110 first' "111 [perf-$PID.map]" | same - names
	unlisted 1 "/tmp/jit-$PID.dump"
}

@test "a jitdump in whose place another file comes is not read on in that" {
	local dump=root/tmp/jit-$PID.dump
	mkdir -p root/tmp
	printf '%s\n' "header $PID" "load 1000000 $PID 0x1000 0x100 1 first" | jitmake >$dump
	printf '%s\n' "header $PID" "load 1000000 $PID 0x1000 0x100 1 other" \
		"load 2000000 $PID 0x2000 0x100 2 later" | jitmake >new
	{
		echo 'clock 1'
		echo "mmap2 $PID $PID 0 u 0x700000 0x1000 0 7 /tmp/jit-$PID.dump"
		echo "mmap $PID $PID 0 u 0x1000 0x10000 0 //anon"
		samples 2:0x1010
	} >text.1
	samples 110:0x1010 111:0x2010 >text.2
	grown "mv new $dump"
	cut -d ' ' -f 1,2 got >names
	printf '%s\n' '2 first' '110 first' "111 [perf-$PID.map]" | same - names
}

@test "--frames says where the code is listed, enough for a later look-up" {
	dumped <<-END
		header $PID
		load 100 $PID 0x1000 0x100 1 first
	END
	recorded <<-END
		sample $PID $PID 100 u 0x1010 u 0x1010 0x9000
		mmap $PID $PID 101 u 0x200000 0x1000 0 /memfd:doublemapper (deleted)
		sample $PID $PID 102 u 0x200010
		mmap 2 2 103 u 0x1000 0x1000 0 //anon
		sample 2 2 104 u 0x1010
	END
	local inode; inode=$(stat -c %i jit-$PID.dump)
	want_status 0 perfdec --frames jit.data
	grep -o 'frames=.*' out >got
	cat >want <<-END
		frames=u:$PWD/jit-$PID.dump@$inode:1:$PID+0x9000-1;u:$PWD/jit-$PID.dump@$inode:1:$PID+0x1010
		frames=u:$PWD/jit-$PID.dump@$inode:1:$PID+0x200010
		frames=u:/tmp/perf-2.map+0x1010
	END
	same want got
	want_status 0 perfdec --no-symbols jit.data
	grep -o 'frames=.*' out >got
	same want got
	rm jit-$PID.dump
	want_status 0 perfdec --no-symbols jit.data
	silent
	grep -o 'frames=.*' out >got
	same want got
}

@test "crafted jitdumps: bounded, and the code that a plain walk finds" {
	local corpus=$ROOT/t/fuzz/corpus/jitdump
	want_status 0 fuzz-jitdump "$corpus"/*
	want_status 0 fuzz-jitdump --prefixes 1 "$corpus"/*
	want_status 0 fuzz-jitdump --flips 2000 1 "$corpus"/*
}

# bats test_tags=slow
@test "a large jitdump is read in time proportional to its size" {
	local n few many
	need valgrind
	for n in 2000 20000; do
		awk -v n=$n -v pid=$PID 'BEGIN { print "header", pid; for (i = 0; i < n; i++)
			printf "load %d %d %d %d %d function %d\n", 100 + i, pid, 4096 + 64 * (i % 1000), 64 + i % 100, i, i }' | dumped
		cp jit-$PID.dump $n.dump
	done
	asked 50:0x1000
	cp jit.data large.data
	cp 2000.dump copy && cat copy >jit-$PID.dump
	few=$(instructions perfdec large.data)
	cat 20000.dump >jit-$PID.dump
	many=$(instructions perfdec large.data)
	[ "$many" -le $((few * 12)) ] || fail "$few, then $many"
}

# ---- code that runs

can_record() {
	need perf
	perf record -q -k mono -e cpu-clock:u -o probe.data true 2>/dev/null || skip "perf cannot record here"
	[ "$(uname -m)" = x86_64 ] || skip "not an x86_64"
}

# stacks: the usual stacks of functions of jitmake.  At the first instructions of a function with a
# frame pointer its caller is missing.
stacks() {
	grep -o '	stack=[^	]*' out | grep -o 'main;run_for;\(frame[a-z]*;\|\)spin_.*' | sort | uniq -c |
		awk '$1 > 3 { print $2 }'
}

@test "a JIT compiler that runs: its names are perf's, its stacks are its own" {
	can_record
	${CC:-cc} -O1 -fno-omit-frame-pointer -I "$ROOT" -o jit "$ROOT/t/tools/jitmake.c" -std=c11
	perf record -q -k mono -F 1500 -e cpu-clock:u --call-graph dwarf,16384 -o live.data ./jit --run "$PWD" 60 2>/dev/null
	want_status 0 perfdec live.data
	stacks >got
	printf '%s\n' 'main;run_for;framed;spin_third' 'main;run_for;frameless;spin_fourth' \
		'main;run_for;spin_first' 'main;run_for;spin_second' >want
	same want got
	[ "$(grep -c '\[truncated\]' out)" -le 2 ]
	answers | sed 's/^[0-9]* //' >ours
	perf inject -j -i live.data -o injected.data 2>/dev/null || skip "perf cannot inject here"
	# moved code has no name in perf, which looks for a file that it has not written
	perf script --no-inline -F ip,sym -G -i injected.data 2>/dev/null | awk '{ print $2 }' >perfs
	[ "$(wc -l <ours)" -eq "$(wc -l <perfs)" ]
	paste ours perfs | awk '$1 != $2 && $2 != "[unknown]" && !($1 ~ /@plt$/ && $2 == "_init") { print; bad = 1 } $1 == $2 { n++ } END { exit bad || n < 40 }'
	# and its lines, which perf finds where it has the code
	want_status 0 perfdec --srcline live.data
	own_lines >ours
	# (an address in no file has no second line)
	perf script --no-inline -F ip,srcline -G -i injected.data 2>/dev/null |
		awk '/^ *[0-9a-f]+$/ { if (NR > 1) print line; line = "-"; next } { line = $1 } END { print line }' >perfs
	[ "$(wc -l <ours)" -eq "$(wc -l <perfs)" ]
	paste ours perfs | sed 's|^/src/||' | awk '$2 ~ /\.jit:/ && $1 != $2 { print; bad = 1 } $1 == $2 { n++ } END { exit bad || n < 40 }'
}

@test "code that nothing lists is not unwound by the frame pointer" {
	can_record
	perf record -q -k mono -F 1500 -e cpu-clock:u --call-graph dwarf,4096 -o live.data jitmake --run "$PWD" 20 2>/dev/null
	mkdir whole
	mv jit-*.dump whole
	perfdec --missing live.data >out 2>err || [ $? -eq 1 ] # other objects may have more samples
	grep -o '	stack=[^	]*' out | grep 'perf-[0-9]*\.map' | sort -u | sed 's/[0-9][0-9]*/N/' >got
	printf '\tstack=[truncated];[perf-N.map]\n' >want
	same want got
	grep -q '^incomplete.*why=no_file	object=/tmp/perf-[0-9]*\.map$' out
	grep -q 'no symbols for .*/jit-[0-9]*\.dump: open: No such file' err
	grep -q 'callers in user code .*no object file: [0-9]*\(, .*\|\))$' err
	# a compiler that has not listed anything yet
	mv whole/jit-*.dump .
	truncate -s 40 jit-*.dump
	perfdec live.data >out 2>err || [ $? -eq 1 ]
	grep -o '	stack=[^	]*' out | grep 'perf-[0-9]*\.map' | sort -u | sed 's/[0-9][0-9]*/N/' >got
	same want got
	grep -q '^incomplete.*why=unlisted	object=/tmp/perf-[0-9]*\.map$' out
	grep -q 'code that its jitdump does not list: .*); a compiler may list code late: decode a stored recording, when the program has ended$' err || fail "$(cat err)"
}

@test "a container: the JIT map and the jitdump are those that the process sees" {
	can_record
	need unshare
	unshare --pid --fork --mount true 2>/dev/null || skip "no containers here"
	[ "$(cat /proc/sys/kernel/randomize_va_space)" != 0 ] || skip "addresses are not random here"
	mkdir tmp
	mkfifo wait
	cp "$HELPERS/jitmake" tmp/jit
	cat >inside <<-'END'
		mount --make-rprivate / && mount --bind tmp /tmp && exec /tmp/jit --stay /tmp 30
	END
	exec 7<>./wait
	# shellcheck disable=SC2016 # the inner shell expands it
	perf record -q -k mono -F 1500 -e cpu-clock:u -o live.data sh -c '
		unshare --pid --fork --mount sh -e inside <wait 7>&- &
		for i in $(seq 500); do [ ! -e tmp/done ] || exit 0; sleep 0.02; done' 2>/dev/null
	[ -e tmp/jit-1.dump ]
	[ -e tmp/perf-1.map ]
	want_status 0 perfdec live.data
	awk '/\tcomm=jit\t/ && $4 ~ /^spin_/ { print $4 }' out | sort -u >got
	printf '%s\n' spin_first spin_fourth spin_mapped spin_second spin_third >want
	same want got
	pid=$(sed -n 's/^sample.*\tpid=\([0-9]*\)\t.*\tcomm=jit\t.*/\1/p' out | head -n 1)
	[ ! -e /tmp/jit-1.dump ] || skip "/tmp/jit-1.dump is somebody's"
	mkdir root
	want_status 0 perfdec --symfs root live.data
	[ "$(grep -c '	spin_' out)" -eq 0 ]
	# and of a process that has ended nothing is left
	exec 7>&-
	soon has_ended "$pid"
	want_status 0 perfdec --missing live.data
	said "no symbols for /tmp/jit-1.dump: "
	[ "$(grep -c '	spin_' out)" -eq 0 ]
}

# shut_in [COMMAND...]: starts a process with a /tmp of its own, in which it has pid 1 and a JIT map,
# and sets pid.  It ends when descriptor 7 is closed.
shut_in() {
	mkfifo held ready
	cat >inside <<-'END'
		mount --make-rprivate / && mount -t tmpfs none /tmp && printf '1000 100 inside\n' >/tmp/perf-1.map
		exec "$@" cat <&3 >&4
	END
	unshare --pid --fork --mount sh inside "$@" 3<./held 4>./ready 7>&- &
	exec 7>./held
	echo >&7
	head -n 1 <ready >/dev/null # so cat runs
	pid=$(cat "/proc/$!/task/$!/children")
	pid=${pid% }
}

# seen_as ADDRESS FILE: the region of a sample in code that no file has, in a recording of the process
# with that mapping.
seen_as() {
	printf '%s\n' "mmap $pid $pid 0 u $1 0x1000 0 $2" "mmap $pid $pid 2 u 0x1000 0x1000 0 //anon" \
		"sample $pid $pid 3 u 0x1010" | perfmake >seen.data
	perfdec seen.data >seen.ev 2>seen.err
	awk -F '\t' '$1 == "sample" { print $4 }' seen.ev
}

# containers: skips the test where there are none, or where they give nothing away.
containers() {
	need unshare
	unshare --pid --fork --mount true 2>/dev/null || skip "no containers here"
	[ "$(cat /proc/sys/kernel/randomize_va_space)" != 0 ] || skip "addresses are not random here"
}

# mapped: sets at and file to the address and the name of the first mapping of the process.
mapped() {
	read -r at file < <(awk '$6 ~ /cat$/ { sub(/-.*/, "", $1); print $1, $6; exit }' "/proc/$pid/maps")
}

@test "a process that still runs is the recorded one if it has the same mapping, at a random address" {
	local at file other
	containers
	need setarch
	shut_in
	mapped
	[ "$(seen_as "0x$at" "$file")" = inside ]
	# another address, another file, and names that are only part of the file's
	[ "$(seen_as "0x${at%????}0000" "$file")" = "[perf-$pid.map]" ] || [ "${at: -4}" = 0000 ]
	for other in "" "${file#/}" "$file.so" "/other$file" "/${file:2}" "$(head -c 3000 /dev/zero | tr '\0' x)"; do
		[ "$(seen_as "0x$at" "$other")" = "[perf-$pid.map]" ] || fail "$other"
	done
	exec 7>&-
	soon has_ended "$pid"
	[ "$(seen_as "0x$at" "$file")" = "[perf-$pid.map]" ]
	# at an address that is not random, another program has the same mapping
	rm held ready
	shut_in setarch -R
	mapped
	[ "$(seen_as "0x$at" "$file")" = "[perf-$pid.map]" ]
	exec 7>&-
}

# bats test_tags=slow,sanitize
@test "a process that still runs: whatever call fails, the same names, or as if it did not run" {
	local at file
	containers
	helpers fault nomem.so
	shut_in
	mapped
	[ "$(seen_as "0x$at" "$file")" = inside ]
	if [[ ${CFLAGS-} != *sanitize* ]] && fault true >/dev/null; then
		want_status 0 fault perfdec seen.data
		want_status 0 fault -m "$HELPERS/nomem.so" perfdec seen.data
	fi
	exec 7>&-
}

@test "node: the names are perf's" {
	local moved
	can_record
	need node
	cat >work.js <<-'END'
		function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
		function outer() { let s = 0; for (let i = 0; i < 5; i++) s += fib(20); return s }
		while (process.cpuUsage().user < 600000) outer(); // however busy the machine is
	END
	perf record -q -k mono -F 999 -e cpu-clock:u -g -o dump.data node --perf-prof work.js 2>/dev/null
	want_status 0 perfdec dump.data
	answers | sed 's/^[0-9]* //' >ours
	perf inject -j -i dump.data -o injected.data 2>/dev/null || skip "perf cannot inject here"
	perf script --no-inline -F ip,sym -G -i injected.data 2>/dev/null | sed 's/^ *[0-9a-f]* //' >perfs
	[ "$(grep -c '^JS:.fib ' ours)" -gt 50 ]
	# what is in the file of the program has the name that it has there
	paste ours perfs | awk -F '\t' '$1 == $2 { n++; next } $2 ~ /^(Builtin|BytecodeHandler):/ { next }
		$2 == "[unknown]" && $1 ~ /^(\[|__vdso)/ { next } { print; bad = 1 } END { exit bad || n < 100 }'
	perf record -q -F 999 -e cpu-clock:u -g -o map.data node --perf-basic-prof work.js 2>/dev/null
	want_status 0 perfdec map.data
	moved=$(grep -o '/tmp/perf-[0-9]*\.map' out | head -n 1)
	answers | sed 's/^[0-9]* //' >ours
	perf script --no-inline -F ip,sym -G -i map.data 2>/dev/null | sed 's/^ *[0-9a-f]* //' >perfs
	rm -f "$moved"
	[ "$(grep -c '^JS:.fib ' ours)" -gt 50 ]
	paste ours perfs | awk -F '\t' '$1 == $2 { n++; next } $2 == "[unknown]" && $1 ~ /^(\[|__vdso)/ { next } { print; bad = 1 } END { exit bad || n < 100 }'
}

@test "a stack does not depend on the stacks before it" {
	local pid seed i name
	need python3
	mkdir -p root/tmp
	# JIT code that replaces other code, in dumps and in a map
	for pid in $((PID - 1)) $((PID - 2)); do
		{
			echo "header $pid"
			for i in {1..60}; do
				echo "load $((i * pid % 997 * 5)) $pid $((0x1000 + i * pid % 37 * 64)) $((64 + i % 3 * 100)) $i of_${pid}_$i"
			done
		} | jitmake >root/tmp/jit-$pid.dump
		echo "$pid $(stat -c %i root/tmp/jit-$pid.dump) /tmp/jit-$pid.dump"
	done >dumps
	for i in {0..9}; do
		printf '%x %x mapped_%d\n' $((0x1000 + i * 300)) 200 "$i"
	done >root/tmp/perf-4000.map
	for i in {0..9}; do
		printf 'ffffffff81%06x t kernel_%d\n' $((i * 150)) "$i"
		printf 'ffffffffc0%06x t module_%d\t[one]\n' $((i * 150)) "$i"
	done | sort | sed '1s/.*/ffffffff81000000 T _text/' >kallsyms
	for seed in 1 ${AFPIPE_SLOW:+2 3 4}; do
		python3 "$ROOT/t/tools/stackmake.py" make "$seed" 2500 whole parts dumps
		perfmake <whole >whole.data
		perfmake <parts >parts.data
		perfdec --symfs root --kallsyms kallsyms whole.data >whole.ev 2>err || fail "$(cat err)"
		perfdec --symfs root --kallsyms kallsyms parts.data >parts.ev 2>err || fail "$(cat err)"
		for name in of_ mapped_ bpf_ kernel_ module_ '\[a\]' '\[unknown\]'; do
			grep -q "stack=.*$name" whole.ev || fail "no $name in any stack"
		done
		python3 "$ROOT/t/tools/stackmake.py" compare whole.ev parts.ev >said || fail "seed $seed: $(cat said)"
	done
}
