# SPDX-License-Identifier: ISC
# perfdec_stat.bats - counters in perf.data: perf stat record, READ records, read_format, and what
# counters say was lost.  The last tests ask perf itself.

# shellcheck disable=SC2094 # perf script does not write what it reads

load lib
load perfdec

setup_file() {
	helpers perfconv perfmake rss
}

# made STATUS [OPTION...]: decodes the text on standard input; got is the stream without marks and
# run id, out the whole of it.
made() {
	local status=$1
	shift
	perfmake >made.data
	want_status "$status" perfdec --no-symbols --run R "$@" made.data
	sed -n '/^#/d;/^origin\t/d;s/\tpcomm=[^\t]*//;s/\tR\t/\t/p' out >got
}

# tabbed FILE: from standard input, blanks to TABs (\_ stays a blank).
tabbed() {
	tr ' ' '\t' >"$1"
}

# sums FILE: what afagg makes of all values, one line a measure.
sums() {
	afagg --stat sum "$1" | sed -n 's/^agg\t[^\t]*\t[^\t]*\t\.\t\([^\t]*\)\t\([^\t]*\)\t.*/\1 \2/p' | LC_ALL=C sort
}

# ---- perf stat record

@test "stat: a sample for each event, processor, thread and interval" {
	made 0 <<-'END'
		events 2 0x10086 0x7 0 0x140000
		unit 0x10 msec
		scale 0x10 1e-06
		cpus 0x20 range 0 1
		threadmap 0x11 main 0x12 w\x09x
		cpumap list 0 1
		statconfig 0 3 1 100 2 1
		stat 0x10 -1 0 100 50 50
		stat 0x20 -1 0 0 50 0
		stat 0x11 0 1 10 40 20
		stat 0x21 -1 2 3 40 40
		stat 0x10 1 0 0 0 0
		stat 0x20 1 0 7 50 0
		statround 0 1000
		stat 0x10 -1 0 150 100 75
		stat 0x20 -1 0 0 60 0
		stat 0x11 0 1 10 40 20
		stat 0x21 -1 2 2 20 20
		statround 0 3000
		stat 0x10 -1 0 150 120 75
		stat 0x20 -1 0 9 70 5
		statround 1 4000
	END
	tabbed want <<-'END'
		run 1000 . . . unit=ns app=perf
		measure . . cpu-clock . id=0x10 type=int64 unit=ns scale=1e-6 scaled_unit=msec
		measure . . task-clock . id=0x20 type=int64 unit=ns cpus=0-1
		sample 1000 . cpu-clock 100 pid=. tid=17 comm=main cpu=. id=0x10 count=100 enabled=50 running=50 round=interval start=0
		sample 1000 . task-clock . pid=. tid=17 comm=main cpu=. id=0x20 count=0 enabled=50 running=0 round=interval start=0
		sample 1000 . cpu-clock 20 pid=. tid=18 comm=w\tx cpu=0 id=0x11 count=10 enabled=40 running=20 raw=10 round=interval start=0
		sample 1000 . task-clock 3 pid=. tid=. comm=. cpu=. id=0x21 count=3 enabled=40 running=40 thread=2 round=interval start=0
		sample 1000 . cpu-clock . pid=. tid=17 comm=main cpu=1 id=0x10 count=0 enabled=0 running=0 round=interval start=0
		sample 1000 . task-clock . pid=. tid=17 comm=main cpu=1 id=0x20 count=7 enabled=50 running=0 round=interval start=0
		sample 3000 . cpu-clock 100 pid=. tid=17 comm=main cpu=. id=0x10 count=150 enabled=100 running=75 raw=50 round=interval start=1000
		sample 3000 . task-clock . pid=. tid=17 comm=main cpu=. id=0x20 count=0 enabled=60 running=0 round=interval start=1000
		sample 3000 . cpu-clock 0 pid=. tid=18 comm=w\tx cpu=0 id=0x11 count=10 enabled=40 running=20 round=interval start=1000
		sample 3000 . task-clock 2 pid=. tid=. comm=. cpu=. id=0x21 count=2 enabled=20 running=20 thread=2 round=interval start=1000
		sample 4000 . cpu-clock . pid=. tid=17 comm=main cpu=. id=0x10 count=150 enabled=120 running=75 round=final start=3000
		sample 4000 . task-clock 18 pid=. tid=17 comm=main cpu=. id=0x20 count=9 enabled=70 running=5 raw=9 round=final start=3000
	END
	same want got
}

@test "what is learned of an event after its first sample is a further measure line" {
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		stat 0x10 0 0 1 1 1
		statround 0 1000
		unit 0x10 msec
		stat 0x10 0 0 2 2 2
		statround 1 2000
	END
	tabbed want <<-'END'
		run 1000 . . . unit=ns app=perf
		measure . . cpu-clock . id=0x10 type=int64 unit=ns
		sample 1000 . cpu-clock 1 pid=. tid=. comm=. cpu=0 id=0x10 count=1 enabled=1 running=1 thread=0 round=interval start=0
		measure . . cpu-clock . id=0x10 type=int64 unit=ns scaled_unit=msec
		sample 2000 . cpu-clock 1 pid=. tid=. comm=. cpu=0 id=0x10 count=2 enabled=2 running=2 thread=0 round=final start=1000
	END
	same want got
	# an event that is counted in ns has this unit, unless perf multiplies it
	for scale in 1 1000; do
		made 0 <<-END
			events 3 0x10086 0x7 0 0x140000
			unit 0x30 ns
			scale 0x30 $scale
			stat 0x30 0 0 1 1 1
			statround 1 1000
		END
		grep '^measure' got | tail -n 1 | tr '\t' ' ' >last
		case $scale in
		1) [ "$(cat last)" = 'measure . . page-faults . id=0x30 type=int64 unit=ns scale=1 scaled_unit=ns' ] ;;
		*) [ "$(cat last)" = 'measure . . page-faults . id=0x30 type=int64 unit=count scale=1000 scaled_unit=ns' ] ;;
		esac || fail "$(cat last)"
	done
	# a unit that is empty is none
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		unit 0x10 msec
		stat 0x10 0 0 1 1 1
		raw 78 0 8:0 8:0x10 8:0
		statround 1 2000
	END
	printf 'measure\t.\t.\tcpu-clock\t.\tid=0x10\ttype=int64\tunit=ns\n' >want
	grep '^measure' got >line
	same want line
	# samples that are no counters have only the name
	made 0 <<-'END'
		sample 1 1 1 u 0x10
		sample 1 1 2 u 0x10
		round
		sample 1 1 3 u 0x10
		round
		unit 7 msec
		raw 78 0 8:2 8:7 s16:renamed
		sample 1 1 3 u 0x10
	END
	cut -f 1,4 got >names
	tabbed want <<-'END'
		run .
		measure cpu-clock
		sample cpu-clock
		sample cpu-clock
		measure renamed
		sample renamed
		sample renamed
	END
	same want names
}

@test "stat: without scaling, as it was asked for" {
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		statconfig 2 0
		stat 0x10 1 0 10 40 20
		statround 1 1000
	END
	tail -n 1 got >line
	tabbed want <<-'END'
		sample 1000 . cpu-clock 10 pid=. tid=. comm=. cpu=1 id=0x10 count=10 enabled=40 running=20 thread=0 round=final start=0
	END
	same want line
}

@test "stat: no events are 0 while the counter runs or is not enabled, and unknown while another one runs" {
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		stat 0x10 0 0 0 10 10
		stat 0x10 1 0 5 10 10
		statround 0 1
		stat 0x10 0 0 0 20 11
		stat 0x10 1 0 5 20 10
		statround 0 2
		stat 0x10 0 0 0 30 11
		stat 0x10 1 0 5 20 10
		statround 0 3
		stat 0x10 0 0 1 40 11
		stat 0x10 1 0 5 20 11
		statround 0 4
	END
	grep '^sample' got | cut -f 2,5 | tr '\t' ' ' >values
	printf '%s\n' '1 0' '1 5' '2 0' '2 .' '3 .' '3 0' '4 1' '4 0' >want
	same want values
}

@test "stat: scaled exactly, up to 64 bits, and never beyond" {
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		stat 0x10 0 0 0xfffffffffffffff0 0xfffffffffffffff3 0xfffffffffffffff1
		stat 0x10 1 0 0xfffffffffffffff0 200 100
		stat 0x10 2 0 9007199254740993 3 1
		stat 0x10 3 0 1 0xffffffffffffffff 0xfffffffffffffffe
		stat 0x10 4 0 0x8000000000000000 4 2
		stat 0x10 5 0 0x8000000000000000 3 2
		stat 0x10 6 0 18446744073709550616 13835058055282176057 13835058055282175306
	END
	grep '^sample' got | cut -f 5 >values
	printf '%s\n' 18446744073709551601 18446744073709551615 27021597764222979 1 18446744073709551615 \
		13835058055282163712 18446744073709551615 | sort >want
	sort values >sorted
	same want sorted
}

@test "stat: what comes after the last round has no time; what adds nothing is no sample" {
	made 0 <<-'END'
		events 2 0x10086 0x7 0 0x140000
		threadmap -1 x
		stat 0x10 0 0 10 10 10
		stat 0x20 0 0 5 10 10
		statround 0 1000
		stat 0x10 0 0 12 12 12
		stat 0x20 0 0 5 10 10
	END
	sed -n '/^sample/p' got >lines
	tabbed want <<-'END'
		sample 1000 . cpu-clock 10 pid=. tid=. comm=. cpu=0 id=0x10 count=10 enabled=10 running=10 round=interval start=0
		sample 1000 . task-clock 5 pid=. tid=. comm=. cpu=0 id=0x20 count=5 enabled=10 running=10 round=interval start=0
		sample . . cpu-clock 2 pid=. tid=. comm=. cpu=0 id=0x10 count=12 enabled=12 running=12 start=1000
	END
	same want lines
	# with --all there is a line for each record all the same
	want_status 0 perfdec --no-symbols --all --run R made.data
	[ "$(grep -c '^sample' out)" -eq 3 ]
	grep '^stat	' out >line
	printf 'stat\t.\tR\t.\ttask-clock\t0\tpid=.\ttid=.\tcomm=.\tcpu=0\tid=0x20\tcount=5\tenabled=10\trunning=10\tstart=1000\n' >want
	same want line
	# time alone adds something, and so do events alone
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		stat 0x10 0 0 10 10 10
		stat 0x10 2 0 10 10 10
		stat 0x10 3 0 10 10 10
		statround 0 1000
		stat 0x10 0 0 10 11 10
		stat 0x10 2 0 11 10 10
		stat 0x10 3 0 10 10 10
	END
	awk -F '\t' '$1 == "sample" && $2 == "." { print $5, $9 }' got >values
	printf '%s\n' '. cpu=0' '1 cpu=2' >want
	same want values
}

@test "stat: events that perf could not count are named" {
	made 0 <<-'END'
		events 3 0x10086 0x7 0 0x140000
		stat 0x10 0 0 1 1 1
		stat 0x20 0 0 2 1 1
		stat 0x30 0 0 3 1 0
	END
	[ "$(grep -c 'no counts' "$T/err")" -eq 0 ]
	made 0 <<-'END'
		events 3 0x10086 0x7 0 0x140000
		stat 0x10 0 0 1 1 1
		stat 0x30 0 0 2 1 1
	END
	said 'the recording has no counts of task-clock (not supported there?)'
	made 0 <<-'END'
		events 3 0x10086 0x7 0 0x140000
		stat 0x20 0 0 1 1 1
	END
	said 'the recording has no counts of cpu-clock and 1 more (not supported there?)'
}

@test "stat: without any round" {
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		stat 0x10 0 0 10 10 10
		stat 0x10 0 0 10 10 10
	END
	[ "$(grep -c '^sample	\.	' got)" -eq 2 ]
	printf 'run\t.\t.\t.\t.\tunit=ns\tapp=perf\n' >want
	head -n 1 got >line
	same want line
}

@test "stat: every form of a list of processors" {
	local form
	for form in "list 0 2 3 -1" "mask4 0 2 3" "mask8 0 2 3" "range 1 4" "list -1 0 1" "range 3 3" "list 5 6 6 7 3"; do
		printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "cpus 0x10 $form" "stat 0x10 0 0 1 1 1" |
			perfmake >made.data
		want_status 0 perfdec made.data
		sed -n 's/^measure.*\tcpus=//p' out
	done >got
	printf '%s\n' 0,2-3,any 0,2-3 0,2-3 1-4 any,0-1 3 5-6,6-7,3 >want
	same want got
}

@test "stat: many processors in few bytes take little memory and time" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		print "events 1000 0x10086 0x7 0 0x140000"
		for (i = 1; i <= 1000; i++) printf "cpus 0x%x range 0 65535\n", i * 16
		for (i = 1; i <= 20000; i++) print "cpumap range 0 65535"
		print "stat 0x10 65535 0 1 1 1"
	}' | perfmake >many.data
	want_status 0 rss used perfdec --no-symbols many.data
	[ "$(grep -c '^measure.*	cpus=0-65535$' out)" -eq 1000 ]
	[ "$(grep -c "^sample.*	cpu=65535	" out)" -eq 1 ]
	[ "$(cut -d ' ' -f 2 used)" -lt 16384 ] || fail "KiB used: $(cat used)"
	# every second of 60000, and readings of such that are not among them
	awk 'BEGIN {
		print "events 1 0x10086 0x7 0 0x140000"
		printf "cpumap mask8"
		for (i = 0; i < 60000; i += 2) printf " %d", i
		print ""
		for (i = 1; i <= 20000; i++) print "stat 0x10 59999 0 1 1 1"
	}' | perfmake >odd.data
	want_status 0 timeout 5 perfdec --no-symbols odd.data
	[ "$(grep -c '^sample.*	cpu=59999	' out)" -eq 20000 ]
}

# bats test_tags=slow
@test "stat: a list of processors in any order takes no time that grows with its square" {
	local n
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		cpumap list 9 4 5 3 9
		stat 0x10 3 0 1 1 1
		stat 0x10 2 0 1 1 1
		stat 0x10 5 0 1 1 1
		stat 0x10 6 0 1 1 1
	END
	sed -n 's/^sample.*	\(cpu=[^	]*\)	.*/\1/p' got >cpus
	printf 'cpu=%s\n' 3 5 5 6 >want
	same want cpus
	need valgrind
	for n in 2000 20000; do
		awk -v n=$n 'BEGIN {
			print "events 1 0x10086 0x7 0 0x140000"
			printf "cpumap list"
			for (i = n; i > 0; i--) printf " %d", 2 * i
			print ""
			for (i = n; i > 0; i--) print "stat 0x10", 2 * i, 0, 1, 1, 1
		}' | perfmake >$n
	done
	linear 2000 20000 perfdec --no-symbols
}

@test "stat: where perf has written places in the list of processors" {
	local cpu
	made 0 <<-'END'
		events 2 0x10086 0x7 0 0x140000
		cpus 0x20 list 12 8
		cpumap list 4 6 8 12
		stat 0x10 0 0 1 1 1
		stat 0x10 3 0 1 1 1
		stat 0x20 1 0 1 1 1
		stat 0x20 12 0 1 1 1
	END
	grep '^sample' got | cut -f 9 >cpus
	printf 'cpu=%s\n' 4 12 8 12 >want
	same want cpus
	printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "cpumap list -1" "stat 0x10 0 0 1 1 1" | made 0
	[ "$(tail -n 1 got | cut -f 9)" = cpu=. ]
	# where it says which perf it was there is nothing to guess
	printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "version 5.16.9" "cpumap list 1 0" "stat 0x10 1 0 1 1 1" | made 0
	[ "$(tail -n 1 got | cut -f 9)" = cpu=0 ]
	printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "version 5.17.rc1" "cpumap list 1 0" "stat 0x10 1 0 1 1 1" | made 0
	[ "$(tail -n 1 got | cut -f 9)" = cpu=1 ]
	# other versions before it and after it, long ones, and what is none: there a processor of the list is itself
	local version
	for version in 3.10.0=0 4.9=0 5.16.0-0.bpo.4-a-version-that-is-long=0 6.1=1 10.0=1 \
		6.1.0-28-amd64-a-version-that-is-long=1 next=1; do
		printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "version ${version%=*}" "cpumap list 1 0" "stat 0x10 1 0 1 1 1" | made 0
		[ "$(tail -n 1 got | cut -f 9)" = "cpu=${version#*=}" ] || fail "$version: $(tail -n 1 got)"
	done
	# a list whose later ranges have earlier ones inside of them, or end where those begin
	for cpu in 1 9 11 12; do
		printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "cpumap list 3 4 0 1 2 3 4 5 6 7 8 9 11 11 12" \
			"stat 0x10 $cpu 0 1 1 1" | made 0
		[ "$(tail -n 1 got | cut -f 9)" = "cpu=$cpu" ] || fail "$cpu: $(tail -n 1 got)"
	done
	printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "cpumap list 3 4 0 1 2 3 4 5 6 7 8 9 11 11 12" \
		"stat 0x10 10 0 1 1 1" | made 0
	[ "$(tail -n 1 got | cut -f 9)" = cpu=8 ]
	# a list that names one twice
	printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "cpumap list 0 0" "stat 0x10 1 0 1 1 1" | made 0
	[ "$(tail -n 1 got | cut -f 9)" = cpu=0 ]
}

# bats test_tags=slow
@test "stat: more counters than wait for their round are printed without its time" {
	local i
	echo 'events 1 0x10086 0x7 0 0x140000' | perfmake >made.data
	printf '%s\n' 'events 1 0x10086 0x7 0 0x140000' 'stat 0x10 1 0 10 40 40' | perfmake | tail -c 48 >stats
	for ((i = 0; i < 20; i++)); do
		cat stats stats >twice
		mv twice stats
	done
	cat stats >>made.data
	# 2^20 of them and one more, whose counter has grown
	printf '%s\n' 'stat 0x10 1 0 30 60 60' 'statround 1 1000' | perfmake --no-attr | tail -c +17 >>made.data
	want_status 0 perfdec --no-symbols made.data
	silent
	afcut --no-marks time,value out | sort | uniq -c | awk '{ print $1, $2, $3 }' | sort >got
	printf '%s\n' '1 . 10' '1 1000 20' '1048575 . 0' | sort >want
	grep -v ' \. \.$' got >counted
	same want counted
}

@test "stat: an unknown id is an error at its place; the others are printed" {
	made 1 <<-'END'
		events 2 0x10086 0x7 0 0x140000
		stat 0x99 0 0 1 1 1
		stat 0x10 0 0 2 1 1
		statround 1 5
	END
	said "perfdec: made.data: 0x140: counter of unknown id 0x99"
	[ "$(grep -c '^sample' got)" -eq 1 ]
	# of one event alone any id is, and without ids the first one
	printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "stat 0x99 0 0 1 1 1" | made 0
	[ "$(tail -n 1 got | cut -f 4,5)" = "cpu-clock	1" ]
	printf '%s\n' "events 2 0x10086 0x7 0 0x140000" "stat 0 0 0 1 1 1" | made 0
	[ "$(tail -n 1 got | cut -f 4,5)" = "cpu-clock	1" ]
}

@test "stat: numbers of processors and threads up to what is told apart; rounds that do not move on" {
	made 1 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		stat 0x10 0xfffffe 0xffffff 1 1 1
		stat 0x10 -1 0xffffff 2 2 2
		stat 0x10 0xffffff 0 3 3 3
		stat 0x10 0xfffffffe 0 3 3 3
		stat 0x10 0 0x1000000 4 4 4
		stat 0x10 0 0xffffffff 4 4 4
		statround 0 1000
		stat 0x10 0xfffffe 0xffffff 3 3 3
		statround 0 1000
		stat 0x10 0xfffffe 0xffffff 4 4 4
		statround 0 900
		stat 0x10 0xfffffe 0xffffff 5 5 5
		statround 7 900
	END
	sed 's/.*: 0x[0-9a-f]*: //' "$T/err" >said
	cat >want <<-'END'
		counter of processor 16777215 and thread 0: these numbers are too large
		counter of processor 4294967294 and thread 0: these numbers are too large
		counter of processor 0 and thread 16777216: these numbers are too large
		counter of processor 0 and thread 4294967295: these numbers are too large
	END
	same want said
	grep '^sample' got >lines
	tabbed want <<-'END'
		sample 1000 . cpu-clock 1 pid=. tid=. comm=. cpu=16777214 id=0x10 count=1 enabled=1 running=1 thread=16777215 round=interval start=0
		sample 1000 . cpu-clock 2 pid=. tid=. comm=. cpu=. id=0x10 count=2 enabled=2 running=2 thread=16777215 round=interval start=0
		sample 1000 . cpu-clock 2 pid=. tid=. comm=. cpu=16777214 id=0x10 count=3 enabled=3 running=3 thread=16777215 round=interval start=1000
		sample 900 . cpu-clock 1 pid=. tid=. comm=. cpu=16777214 id=0x10 count=4 enabled=4 running=4 thread=16777215 round=interval
		sample 900 . cpu-clock 1 pid=. tid=. comm=. cpu=16777214 id=0x10 count=5 enabled=5 running=5 thread=16777215 round=7 start=900
	END
	same want lines
}

@test "stat: a second list of threads takes the place of the first" {
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140000
		threadmap 1 a 2 b 3 c
		stat 0x10 0 0 1 1 1
		stat 0x10 0 2 1 1 1
		statround 0 5
		threadmap 7 g
		stat 0x10 0 0 2 2 2
		stat 0x10 0 1 1 1 1
		statround 0 6
		threadmap
		stat 0x10 0 0 3 3 3
		statround 0 7
		threadmap 8 h 9 i
		stat 0x10 0 1 3 3 3
		statround 0 8
	END
	grep '^sample' got | cut -f 2,7,8 | sed 's/tid=//;s/comm=//' | tr '\t' ' ' >threads
	printf '%s\n' '5 1 a' '5 3 c' '6 7 g' '6 . .' '7 . .' '8 9 i' >want
	same want threads
}

@test "stat: the same in every form, and the run id differs between recordings" {
	local form id
	perfdec --no-symbols --all "$DATA/stat.data" | sed '/^#/d' | grep '^sample' >want
	[ "$(wc -l <want)" -gt 10 ]
	for form in "--pipe" "--big" "--big --pipe" "--pipe --zstd 81"; do
		# shellcheck disable=SC2086 # options are words
		perfconv $form "$DATA/stat.data" >form.data
		want_status 0 perfdec --no-symbols form.data
		grep '^sample' out >got
		same want got || fail "$form"
	done
	want_status 0 sh -c "cat '$DATA/stat.data' | perfdec --no-symbols"
	grep '^sample' out >got
	same want got
	id=$(cut -f 3 want | sort -u)
	[[ $id =~ ^0x[0-9a-f]{16}$ ]]
	printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "stat 0x10 0 0 1 1 1" "statround 1 7" | perfmake >a
	printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "stat 0x10 0 0 1 1 1" "statround 1 8" | perfmake >b
	[ "$(perfdec a | sed -n 's/^sample\t[^\t]*\t\([^\t]*\)\t.*/\1/p')" != \
		"$(perfdec b | sed -n 's/^sample\t[^\t]*\t\([^\t]*\)\t.*/\1/p')" ]
	cat a b >both
	want_status 0 perfdec both
	[ "$(grep -c '^sample' out)" -eq 2 ]
	[ "$(grep '^sample' out | cut -f 6 | sort -u)" = 1 ]
}

# edges FILE: where the records of a recording in pipe mode begin and end.
edges() {
	od -An -v -tu1 -w1 "$1" | awk '{ b[NR - 1] = $1 } END {
		for (at = 16; at < NR; at += b[at + 6] + 256 * b[at + 7])
			print at
		print at
	}'
}

@test "stat: a prefix is refused at a place, unless it ends between records, and every list is bounded" {
	local n step=101
	[ -z "${AFPIPE_SLOW-}" ] || step=7
	perfconv --pipe "$DATA/stat.data" >whole
	edges whole >edges
	[ "$(tail -n 1 edges)" -eq "$(wc -c <whole)" ]
	# after the first of them there is no event yet
	for n in $(seq 20 $step "$(wc -c <whole)") $(sed 1d edges); do
		head -c "$n" whole >short
		if grep -qx "$n" edges; then
			want_status 0 perfdec --no-symbols short
			continue
		fi
		want_status 1 perfdec --no-symbols short
		grep -q '^perfdec: short: 0x[0-9a-f]*: record ' err
		tail -n 1 out | grep -q '^#end	perfdec	short	[0-9]*	partial	damaged$'
	done
	# what stands behind the one attr, and where it says how much it holds
	for n in '176 threadmap 1 a' '178 cpumap list 1' '178 cpumap mask4 1' '178 cpumap mask8 1' \
		'176 statconfig 1 1'; do
		printf '%s\n' "events 1 0x10086 0x7 0 0x140000" "${n#* }" "stat 0x10 0 0 1 1 1" | perfmake >made.data
		printf '\377\377' | dd of=made.data bs=1 seek="${n%% *}" conv=notrunc 2>/dev/null
		want_status 1 perfdec --no-symbols made.data
		said "perfdec: made.data: 0xa8: "
		[ "$(grep -c '^sample' out)" -eq 1 ]
	done
}

# ---- READ records

@test "read: a counter that is not inherited is not its thread's, and does not end with it" {
	made 0 <<-'END'
		events 1 0x10086 0x4 0 0x140000
		raw 3 0 4:1 4:2 s8:thread 8:0
		raw 4 0 4:1 4:1 4:2 4:1 8:150 8:0
		read 0x10 1 2 200 9 9 160:0x10:
		read 0x10 1 2 300 9 9 170:0x10:
		read 0x10 1 3 400 9 9 190:0x10:
	END
	grep '^sample' got | cut -f 2,4-6 >sums
	printf '%d\tcpu-clock\t%d\tpid=1\n' 200 160 300 10 400 20 | same - sums
}

@test "read: where samples have periods it is a kind of its own, and is not summed with them" {
	made 0 <<-'END'
		events 1 0x10186 0x17 1000 0x140002
		counted 0x10 1 2 100
		counted 0x10 1 2 200
		read 0x10 1 2 300 50 50 2500:0x10:0
		read 0x10 1 3 310 50 0 0:0x10:0
	END
	tabbed want <<-'END'
		run 100 . . . unit=ns app=perf
		measure . . cpu-clock . id=0x10 type=int64 unit=ns
		sample 100 [unknown] cpu-clock 1000 pid=1 tid=2 comm=:2 cpu=1 id=0x10
		sample 200 [unknown] cpu-clock 1000 pid=1 tid=2 comm=:2 cpu=1 id=0x10
		read 300 . cpu-clock 2500 pid=1 tid=2 comm=:2 cpu=1 id=0x10 count=2500 enabled=50 running=50
		read 310 . cpu-clock . pid=1 tid=3 comm=:3 cpu=1 id=0x10 count=0 enabled=50 running=0
	END
	same want got
	cp out whole
	afagg --by region --stat sum whole >summed 2>/dev/null
	[ "$(grep '^agg' summed | cut -f 4,6)" = "[unknown]	2000" ]
	want_status 0 perfdec --no-symbols --all --run R made.data
	[ "$(grep -c '^read	' out)" -eq 2 ]
}

@test "read: of an event without samples of its own it is a sample" {
	made 0 <<-'END'
		events 1 0x10086 0x7 0 0x140002
		read 0x10 1 2 300 50 50 2500:0x10:0
		read 0x10 1 2 310 60 60 2600:0x10:0
		read 0x10 1 3 320 60 60 40:0x10:0
	END
	sed -n '/^sample/p' got >lines
	tabbed want <<-'END'
		sample 300 . cpu-clock 2500 pid=1 tid=2 comm=:2 cpu=1 id=0x10 count=2500 enabled=50 running=50
		sample 310 . cpu-clock 100 pid=1 tid=2 comm=:2 cpu=1 id=0x10 count=2600 enabled=60 running=60
		sample 320 . cpu-clock 40 pid=1 tid=3 comm=:3 cpu=1 id=0x10 count=40 enabled=60 running=60
	END
	same want lines
	want_status 0 perfdec made.data
	silent
	[ "$(sed -n 's/^sample\t[^\t]*\t\([^\t]*\)\t.*/\1/p' out | sort -u | wc -l)" -eq 1 ]
}

@test "read: a record that comes first begins the run: recordings with other counts are other runs" {
	local count
	for count in 2500 2501 2500; do
		printf '%s\n' "events 1 0x10086 0x7 0 0x140002" "read 0x10 1 2 300 50 50 $count:0x10:0" |
			perfmake >made.data
		want_status 0 perfdec --no-symbols made.data
		grep '^run' out | cut -f 3
	done >runs
	[ "$(sort -u runs | wc -l)" -eq 2 ]
	[ "$(sed -n 1p runs)" = "$(sed -n 3p runs)" ]
}

@test "read: behind samples that read the same counter it adds what has grown since" {
	made 0 <<-'END'
		events 2 0x10096 0xf 1000 0x140002
		counted 0x10 1 2 100 5 5 100:0x10:0 7:0x20:0
		counted 0x10 1 2 200 9 9 110:0x10:0 7:0x20:0
		read 0x10 1 2 300 9 9 160:0x10:0 9:0x20:0
	END
	cp out whole
	sums whole >got
	printf '%s\n' 'cpu-clock 160' 'task-clock 9' >want
	same want got
}

@test "read: a counter that is smaller than before has begun again" {
	made 0 <<-'END'
		with read
		sample 1 1 10 u 0x5 r 100
		sample 1 1 20 u 0x5 r 150
		sample 1 1 30 u 0x5 r 30
		sample 1 1 40 u 0x5 r 35
	END
	sed -n 's/^sample\t//p' got | cut -f 1,4 | tr '\t' ' ' >values
	printf '%s\n' '10 100' '20 50' '30 30' '40 5' >want
	same want values
}

@test "read: a thread that has ended leaves its number to another, which counts from 0" {
	{
		printf '%s\n' "events 1 0x10096 0x7 1000 0x140002" \
			"counted 0x10 1 2 100 5 5 100:0x10:0"
		echo "exit 1 2 1 1 150"
		printf '%s\n' "read 0x10 1 2 200 9 9 110:0x10:0" "counted 0x10 1 2 300 5 5 400:0x10:0"
	} >text
	# perfmake's exit has no identifier at its end: one event, so that none is needed
	sed -i 's/0x10096/0x96/' text
	made 0 <text
	grep '^sample' got | cut -f 5 >values
	printf '%s\n' 100 10 400 >want
	same want values
}

@test "read: only threads that inherit a counter each have their own" {
	local flags
	for flags in 0x140000:100,50,20 0x140002:100,150,70; do
		made 0 <<-END
			events 1 0x10096 0x4 1000 ${flags%:*}
			counted 0x10 1 2 100 0 0 100:0x10:0
			counted 0x10 1 3 200 0 0 150:0x10:0
			counted 0x10 1 2 300 0 0 170:0x10:0
		END
		[ "$(grep '^sample' got | cut -f 5 | paste -s -d ,)" = "${flags#*:}" ]
	done
}

# ---- read_format

@test "read: its event is known by the id at its end, of either kind" {
	local type
	for type in 0x10086 0xc6; do
		made 0 <<-END
			events 3 $type 0x3 0 0x140002
			read 0x10 1 2 300 99 70 1600:0:0
			read 0x20 1 2 310 99 70 9:0:0
			read 0x31 1 2 320 99 70 7:0:0
			read 0x11 1 2 330 99 70 1700:0:0
		END
		sed -n '/^sample/p' got >lines
		tabbed want <<-'END'
			sample 300 . cpu-clock 1600 pid=1 tid=2 comm=:2 cpu=1 count=1600 enabled=99 running=70
			sample 310 . task-clock 9 pid=1 tid=2 comm=:2 cpu=1 count=9 enabled=99 running=70
			sample 320 . page-faults 7 pid=1 tid=2 comm=:2 cpu=1 count=7 enabled=99 running=70
			sample 330 . cpu-clock 1700 pid=1 tid=2 comm=:2 cpu=1 count=1700 enabled=99 running=70
		END
		same want lines || fail "$type" || return
	done
}

# tags FORMAT ID COUNT ENABLED RUNNING: those of a counter in a READ record.
tags() {
	local f=$1
	[ $((f & 4)) -eq 0 ] || printf ' id=%s' "$2"
	printf ' count=%s' "$3"
	[ $((f & 1)) -eq 0 ] || printf ' enabled=%s' "$4"
	[ $((f & 2)) -eq 0 ] || printf ' running=%s' "$5"
}

# line FORMAT sample|read TIME MEASURE VALUE ID LOST COUNT ENABLED RUNNING: what is printed of a
# counter, and the lost line before it.
line() {
	local f=$1 who="pid=1 tid=2 comm=:2 cpu=1"
	[ $((f & 16)) -eq 0 ] || [ "$7" -eq 0 ] ||
		printf 'lost %s . %s %s %s why=read\n' "$3" "$4" "$7" "$who"
	if [ "$2" = read ]; then
		printf 'sample %s . %s %s %s%s\n' "$3" "$4" "$5" "$who" "$(tags "$f" "$6" "$8" "$9" "${10}")"
	elif [ "$5" -ne 0 ]; then
		printf 'sample %s [unknown] %s %s %s id=%s%s\n' "$3" "$4" "$5" "$who" "$6" \
			"$(tags $((f & ~4)) - "$8" "$9" "${10}")"
	fi
}

# bats test_tags=slow,sanitize
@test "read_format: all 32, of one event and of two" {
	local f total=0
	for f in $(seq 0 31); do
		# one event; with a group, a group of one
		made 0 <<-END
			events 1 0x10096 $f 1000 0x140002
			counted 0x10 1 2 100 50 40 1000:0x10:3
			counted 0x10 1 2 200 90 60 1500:0x10:3
			read 0x10 1 2 300 99 70 1600:0x10:4
		END
		{
			line "$f" sample 100 cpu-clock 1000 0x10 3 1000 50 40
			line "$f" sample 200 cpu-clock 500 0x10 0 1500 90 60
			line "$f" read 300 cpu-clock 100 0x10 1 1600 99 70
		} | tabbed want
		sed 1,2d got >rest
		same want rest || fail "read_format $f"
		# two
		if [ $((f & 8)) -ne 0 ]; then
			cat <<-END
				events 2 0x10096 $f 1000 0x140002
				counted 0x10 1 2 100 50 40 1000:0x10:3 7:0x20:0
				counted 0x20 1 2 200 90 60 1500:0x10:3 7:0x20:2
				read 0x10 1 2 300 99 70 1600:0x10:4 9:0x20:2
			END
		else
			cat <<-END
				events 2 0x10096 $f 1000 0x140002
				counted 0x10 1 2 100 50 40 1000:0x10:3
				counted 0x20 1 2 100 50 40 7:0x20:0
				counted 0x10 1 2 200 90 60 1500:0x10:3
				counted 0x20 1 2 200 90 60 7:0x20:2
				read 0x10 1 2 300 99 70 1600:0x10:4
				read 0x20 1 2 300 99 70 9:0x20:2
			END
		fi >text
		made 0 <text
		{
			line "$f" sample 100 cpu-clock 1000 0x10 3 1000 50 40
			line "$f" sample 100 task-clock 7 "$([ $((f & 12)) -eq 8 ] && echo 0x10 || echo 0x20)" 0 7 50 40
			line "$f" sample 200 cpu-clock 500 "$([ $((f & 12)) -eq 8 ] && echo 0x20 || echo 0x10)" 0 1500 90 60
			line "$f" sample 200 task-clock 0 0x20 2 7 90 60
			line "$f" read 300 cpu-clock 100 0x10 1 1600 99 70
			line "$f" read 300 task-clock 2 0x20 0 9 99 70
		} | tabbed want
		sed 1,3d got >rest
		same want rest || fail "read_format $f, two events"
		total=$((total + $(wc -l <want)))
	done
	[ "$total" -gt 160 ]
}

@test "read_format: a READ record whose counters go beyond its end is said, and no part of it is printed" {
	local text
	# a group of two, and one that has no room for its times; ids and times are 8 bytes each
	for text in '8:2 8:5 8:5 8:1 8:0x10' '8:9 8:5' '8:0xffffffffffffffff 8:5 8:5'; do
		made 1 <<-END
			events 2 0x96 0xf 1000 0x140000
			raw 8 0 4:1 4:1 $text
			counted 0x10 1 2 100 5 5 3:0x10:
		END
		said "more counters than the record has room for"
		[ "$(grep -c '^sample' got)" -eq 1 ]
	done
}

@test "read_format: a sample with one counter that is nobody's is left out as a whole" {
	made 1 <<-'END'
		events 2 0x10096 0xc 1000 0x140000
		counted 0x10 1 2 100 0 0 1000:0x10:0 7:0x99:0
		counted 0x10 1 2 200 0 0 1500:0x10:0 8:0x20:0
	END
	said "perfdec: made.data: 0x140: counter of unknown id 0x99"
	sed 1,3d got >rest
	tabbed want <<-'END'
		sample 200 [unknown] cpu-clock 1500 pid=1 tid=2 comm=:2 cpu=1 id=0x10 count=1500
		sample 200 [unknown] task-clock 8 pid=1 tid=2 comm=:2 cpu=1 id=0x20 count=8
	END
	same want rest
	# a group without ids that is not all events: whose its counters are is not known
	made 1 <<-'END'
		events 3 0x10096 0x8 1000 0x140000
		counted 0x10 1 2 100 0 0 1000:0:0 7:0:0
		counted 0x10 1 2 200 0 0 1500:0:0
	END
	said "2 counters without ids"
	sed 1,4d got >rest
	tabbed want <<-'END'
		sample 200 [unknown] cpu-clock 1500 pid=1 tid=2 comm=:2 cpu=1 id=0x10 count=1500
	END
	same want rest
}

@test "read_format: counters without ids are told apart by the id of their sample" {
	made 0 <<-'END'
		events 1 0x10096 0 1000 0x140000
		counted 0x10 1 2 100 0 0 1000:0:0
		counted 0x11 1 2 200 0 0 400:0:0
		counted 0x10 1 2 300 0 0 1500:0:0
		counted 0x11 1 2 400 0 0 900:0:0
	END
	sed -n 's/^sample\t//p' got | cut -f 1,3,4 >values
	printf '%s\n' '100 cpu-clock 1000' '200 cpu-clock 400' '300 cpu-clock 500' '400 cpu-clock 500' | tabbed want
	same want values
	made 0 <<-'END'
		events 2 0x10096 0x8 1000 0x140000
		counted 0x10 1 2 100 0 0 1000:0:0 7:0:0
		counted 0x11 1 2 200 0 0 400:0:0 3:0:0
		counted 0x10 1 2 300 0 0 1500:0:0 9:0:0
		counted 0x11 1 2 400 0 0 900:0:0 8:0:0
	END
	sed -n 's/^sample\t//p' got | cut -f 1,3,4 >values
	printf '%s\n' '100 cpu-clock 1000' '100 task-clock 7' '200 cpu-clock 400' '200 task-clock 3' \
		'300 cpu-clock 500' '300 task-clock 2' '400 cpu-clock 500' '400 task-clock 5' | tabbed want
	same want values
	# where samples have none either, there is one counter of each event
	made 0 <<-'END'
		events 2 0x97 0x8 1000 0x140000
		counted 0x10 1 2 100 0 0 1000:0:0 7:0:0
		counted 0x11 1 2 200 0 0 1400:0:0 8:0:0
	END
	sed -n 's/^sample\t//p' got | cut -f 1,3,4 >values
	printf '%s\n' '100 cpu-clock 1000' '100 task-clock 7' '200 cpu-clock 400' '200 task-clock 1' | tabbed want
	same want values
}

# ---- lost

# lost_is N: the end mark has N, and the lines add up to it.
lost_is() {
	tail -n 1 out | grep -q "	lost=$1$" || fail "$(tail -n 1 out)"
	[ "$(afcut --kind lost 'value,again?' out | awk '{ n += $1 - $2 } END { print n }')" -eq "$1" ] ||
		fail "$(grep ^lost out)"
}

@test "lost: the event is that of the record's own id, or else that of its trailer" {
	# LOST_SAMPLES and THROTTLE with the trailer of sample_id_all: tid, time, cpu, identifier
	made 0 <<-'END'
		events 2 0x10086 0x4 1 0x140000
		bytes 4:13 2:0 2:48 8:3 4:7 4:8 8:100 4:1 4:0 8:0x20
		bytes 4:13 2:0 2:48 8:4 4:7 4:8 8:100 4:1 4:0 8:0x99
		bytes 4:2 2:0 2:56 8:0x10 8:5 4:7 4:8 8:100 4:1 4:0 8:0x20
		bytes 4:2 2:0 2:56 8:0x99 8:6 4:7 4:8 8:100 4:1 4:0 8:0x20
		bytes 4:5 2:0 2:64 8:100 8:0x20 8:0 4:7 4:8 8:100 4:1 4:0 8:0x10
	END
	grep '^lost' got >lines
	tabbed want <<-'END'
		lost 100 . task-clock 3 pid=7 tid=8 comm=:8 cpu=1 why=lost_samples
		lost 100 . . 4 pid=7 tid=8 comm=:8 cpu=1 why=lost_samples
		lost 100 . cpu-clock 5 pid=7 tid=8 comm=:8 cpu=1 why=lost
		lost 100 . . 6 pid=7 tid=8 comm=:8 cpu=1 why=lost
		lost 100 . task-clock 1 pid=7 tid=8 comm=:8 cpu=1 why=throttle
	END
	same want lines
}

@test "lost: what counters say, what records say and what perf says at the end count once" {
	printf '%s\n' "events 1 0x10096 0x14 1000 0x140000" \
		"counted 0x10 1 2 10 0 0 1000:0x10:5" "counted 0x10 1 2 20 0 0 2000:0x10:5" \
		"counted 0x10 1 2 30 0 0 3000:0x10:9" | made 0
	grep '^lost' got | cut -f 2,4,5,10 >lines
	printf '10\tcpu-clock\t5\twhy=read\n30\tcpu-clock\t4\twhy=read\n' >want
	same want lines
	lost_is 9
	# one that is smaller has begun anew
	printf '%s\n' "events 1 0x10096 0x14 1000 0x140000" \
		"counted 0x10 1 2 10 0 0 1000:0x10:5" "counted 0x10 1 2 20 0 0 2000:0x10:2" | made 0
	lost_is 7
	# the other views of the same
	printf '%s\n' "events 1 0x96 0x14 1000 0x140000" "lost 5 8" "lost_samples 6 11" \
		"counted 0x10 1 2 10 0 0 1000:0x10:5" | made 0
	lost_is 11
	printf '%s\n' "events 1 0x96 0x14 1000 0x140000" "lost 5 2" "lost_samples 6 3" \
		"counted 0x10 1 2 10 0 0 1000:0x10:5" | made 0
	lost_is 5
	[ "$(grep -c '^lost' out)" -eq 3 ]
}

# ---- perf itself

# can_count: skips where perf is missing or may not count; leaves a program that keeps it busy.
can_count() {
	need perf python3
	perf stat record -o try.data -e cpu-clock,page-faults true >/dev/null 2>&1 || skip "perf may not count here"
	cat >burn.c <<-'END'
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile unsigned long sink;
		static void spin(unsigned long n) { while (n--) sink += n; }
		int main(void)
		{
			int i;
			for (i = 0; i < 3; i++)
				if (fork() == 0) { spin(30000000); _exit(0); }
			for (i = 0; i < 2000; i++) { char *p = malloc(1 << 20); p[4096] = 1; }
			spin(60000000);
			while (wait(0) > 0) ;
			return 0;
		}
	END
	${CC:-cc} -O0 -o burn burn.c
}

# says_the_same FILE: perfdec, perf script and perf stat report.
says_the_same() {
	want_status 0 perfdec --no-symbols "$1"
	cp out stream
	perf script -i "$1" >script 2>/dev/null
	want_status 0 python3 "$ROOT/t/tools/statcompare.py" script stream || fail "$1: $(head -n 20 out)"
	perf stat report -i "$1" >report 2>&1
	want_status 0 python3 "$ROOT/t/tools/statcompare.py" --report report stream || fail "$1: $(head -n 20 out)"
	grep -q ' 0 differences' out
}

@test "perf: stat record, of a command, by interval, by processor and by thread" {
	local pid got=0
	can_count
	perf stat record -o r.data -e cpu-clock,task-clock,page-faults,context-switches ./burn >/dev/null 2>&1
	says_the_same r.data
	perf stat record -o r.data -I 10 -e cpu-clock,page-faults,context-switches ./burn >/dev/null 2>&1
	says_the_same r.data
	[ "$(grep '^sample' stream | cut -f 2 | sort -u | wc -l)" -gt 1 ]
	sh -c 'while :; do :; done' 3>&- &
	pid=$!
	perf stat record -o r.data --per-thread -I 20 -e cpu-clock,page-faults -p $pid -- sleep 0.1 >/dev/null 2>&1 ||
		got=$?
	kill $pid
	[ $got -eq 0 ]
	says_the_same r.data
	grep -q "	tid=$pid	comm=sh	" stream
	perf stat record -o r.data -a -I 50 -e cpu-clock,page-faults ./burn >/dev/null 2>&1 ||
		skip "not the whole machine here"
	says_the_same r.data
	perf stat record -o r.data -a -A -e cpu-clock,context-switches ./burn >/dev/null 2>&1
	says_the_same r.data
	grep -q '	cpu=0	' stream
}

@test "perf: stat record through a pipe, live" {
	can_count
	perf stat record -o - -I 20 -e cpu-clock,page-faults ./burn 2>/dev/null | tee pipe.data |
		perfdec --no-symbols >live
	grep -q '	complete$' live
	says_the_same pipe.data
	sed '/^#/d' live >got
	sed '/^#/d' stream >want
	same want got
}

@test "perf: READ records are the sums that perf shows by thread" {
	can_count
	perf record -q -s -e cpu-clock,page-faults -o r.data ./burn 2>/dev/null
	want_status 0 perfdec --no-symbols r.data
	grep '^read' out | awk -F '\t' '{ split($8, tid, "="); sum[tid[2] " " $5] += $6 }
		END { for (k in sum) print k, sum[k] }' | sort >got
	perf report -i r.data -T --stdio 2>/dev/null | awk '/^#  *PID  *TID/ { a = $4; b = $5; on = 1; next }
		on && NF == 4 { print $2, a, $3; print $2, b, $4 }' | sort >want
	[ -s want ] || skip "perf report -T shows nothing here"
	same want got
}

@test "corpus: the recordings of perf stat" {
	local name agreed=0
	[ -n "${AFPIPE_CORPUS-}" ] || skip "AFPIPE_CORPUS names no collection"
	need python3 zstd
	tar --zstd -xf "$AFPIPE_CORPUS/perf/recordings.tar.zst" || fail "cannot unpack"
	for name in stat_record.data:script.gz p612_stat.data:script.p612.gz; do
		[ -e "recordings/local/${name%:*}" ] || continue
		want_status 0 perfdec --no-symbols "recordings/local/${name%:*}"
		cp out stream
		want_status 0 python3 "$ROOT/t/tools/statcompare.py" "$AFPIPE_CORPUS/perf/ref/${name%:*}.${name#*:}" stream
		agreed=$((agreed + 1))
	done
	[ $agreed -gt 0 ]
}
