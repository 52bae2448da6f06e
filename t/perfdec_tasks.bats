# SPDX-License-Identifier: ISC
# perfdec_tasks.bats - threads, processes and what is known of them: tables, names, deferred
# callchains, control groups and namespaces.

load lib
load perfdec

setup_file() {
	helpers perfconv perfmake rss
}

# ---- tables

@test "u32tab: puts and drops against an array, whatever the keys have in common" {
	build_c "$T/u32tab" t/unit/u32tab.c src/perfdata/state/u32tab.c lib/seed.c lib/mem.c -lxxhash
	for stride in 1 2 65536 1048576 2654435769; do
		want_status 0 "$T/u32tab" 60000 $stride
		silent
	done
}

# made [OPTION...]: what perfdec makes of the text on standard input, less marks and run id; the
# same from a pipe and from a machine of the other byte order.
made() {
	local form
	cat >made.txt
	perfmake <made.txt >made.data
	perfmake --big <made.txt >big.data
	for form in "perfdec --run R $* made.data" "perfdec --run R $* big.data" \
		"cat made.data | perfdec --run R $*"; do
		want_status 0 sh -c "$form" || return
		[ "$(grep -cv ': no symbols for ' err)" -eq 0 ] || return
		sed -n '/^#/!s/\tR\t/\t/p' out >made.form
		[ -e made.ev ] || cp made.form made.ev
		same made.ev made.form || return
	done
	cat made.ev
	rm made.ev
}

# ---- deferred callchains

# brief: of samples the time, thread and what follows the object.
brief() {
	grep '^sample' | cut -f 2,7,11- | sed 's/	pcomm=[^	]*//; s/	mode=.//; s/	ip=[^	]*//; s/	dso=[^	]*//' >got
}

@test "deferred: the user part is joined where the sample stands" {
	made --frames <<-'END' | brief
		with defer
		mmap 1 1 0 u 0x1000 0x1000 0 /bin/prog
		ksymbol 1 0xffffffff81000000 0x100 bpf_prog
		sample 1 1 10 k 0xffffffff81000004 k 0xffffffff81000004 0xffffffff81000008 d 77
		sample 2 2 11 u 0x5 u 0x5
		deferred 1 1 12 77 u 0x1100 0x1200
		sample 2 2 13 u 0x6 u 0x6
	END
	cat >want <<-'END'
		10	tid=1	symoff=0x4	stack=[prog];[prog];bpf_prog;bpf_prog	frames=u:/bin/prog+0x200-1;u:/bin/prog+0x100;k:bpf_prog+0xffffffff81000008-1;k:bpf_prog+0xffffffff81000004
		11	tid=2	stack=[unknown]	frames=u:[unknown]+0x5
		13	tid=2	stack=[unknown]	frames=u:[unknown]+0x6
	END
	same want got
}

@test "deferred: several samples with one cookie, before their user part and behind it" {
	made --no-symbols <<-'END' | brief
		with defer
		mmap 1 1 0 u 0x1000 0x1000 0 /bin/prog
		sample 1 1 10 k 0x90 k 0x90 d 7
		sample 1 1 11 u 0x1010 d 7
		deferred 1 1 12 7 0x1100
		sample 1 1 13 k 0x91 k 0x91 d 7
		sample 1 1 14 k 0x92 k 0x92 d 8
		deferred 1 1 15 8 u
	END
	cat >want <<-'END'
		10	tid=1	stack=[prog];[unknown]	frames=u:/bin/prog+0x100;k:[unknown]+0x90
		11	tid=1	stack=[prog]	place=u:/bin/prog+0x10	frames=u:/bin/prog+0x100
		13	tid=1	stack=[prog];[unknown]	frames=u:/bin/prog+0x100;k:[unknown]+0x91
		14	tid=1	stack=[unknown]	frames=k:[unknown]+0x92
	END
	same want got
}

@test "deferred: another thread's cookie of the same number" {
	made --frames <<-'END' | brief
		with defer
		mmap 1 1 0 u 0x1000 0x1000 0 /bin/one
		mmap 2 2 0 u 0x1000 0x1000 0 /bin/two
		sample 1 1 10 k 0x90 k 0x90 d 7
		sample 2 2 11 k 0x90 k 0x90 d 7
		deferred 3 3 12 7 u 0x1300
		deferred 2 2 13 7 u 0x1200
		deferred 1 1 14 7 u 0x1100
	END
	cat >want <<-'END'
		10	tid=1	stack=[one];[unknown]	frames=u:/bin/one+0x100;k:[unknown]+0x90
		11	tid=2	stack=[two];[unknown]	frames=u:/bin/two+0x200;k:[unknown]+0x90
	END
	same want got
}

@test "deferred: the last 256 user parts are kept for samples that come behind them" {
	awk 'BEGIN {
		print "with defer"
		for (i = 1; i <= 700; i++) {
			print "sample", i, i, 10 * i, "k 0x90 k 0x90 d", i
			print "deferred", i, i, 10 * i + 1, i, "u", 4096 + i
		}
		for (i = 1; i <= 700; i++)
			print "sample", i, i, 7010 + i, "k 0x90 k 0x90 d", i
	}' | made --no-symbols | brief
	awk 'BEGIN {
		OFS = "\t"; parts = "stack=[unknown];[unknown]"
		for (i = 1; i <= 700; i++)
			print 10 * i, "tid=" i, parts, sprintf("frames=u:[unknown]+%#x;k:[unknown]+0x90", 4096 + i)
		for (i = 1; i <= 700; i++)
			if (i > 700 - 256)
				print 7010 + i, "tid=" i, parts, sprintf("frames=u:[unknown]+%#x;k:[unknown]+0x90", 4096 + i)
			else
				print 7010 + i, "tid=" i, "stack=[unknown]", "deferred=1", "frames=k:[unknown]+0x90"
	}' >want
	same want got
}

@test "deferred: a user part that never comes is said, and its sample is there" {
	made --frames <<-'END' | brief
		with defer
		sample 1 1 10 k 0x90 k 0x90 d 7
		sample 1 1 11 k 0x91 k 0x91 d 8
		deferred 1 1 12 8 u 0x1
		sample 2 2 13 k 0x92 k 0x92 d 9
		exit 2 2 1 1 14
		sample 3 3 15 k 0x93 k 0x93 d 9
		fork 3 3 1 1 16
		sample 4 4 17 k 0x94 k 0x94 d 9
		sample 5 5 18 u 0x95 d 9
		sample 6 6 19 u 0x95 u 0x95
		deferred 3 3 20 9 u 0x2
	END
	cat >want <<-'END'
		10	tid=1	stack=[unknown]	deferred=1	frames=k:[unknown]+0x90
		11	tid=1	stack=[unknown];[unknown]	frames=u:[unknown]+0x1;k:[unknown]+0x91
		13	tid=2	stack=[unknown]	deferred=1	frames=k:[unknown]+0x92
		15	tid=3	stack=[unknown]	deferred=1	frames=k:[unknown]+0x93
		17	tid=4	stack=[unknown]	deferred=1	frames=k:[unknown]+0x94
		18	tid=5	stack=[unknown]	deferred=1	frames=u:[unknown]+0x95
		19	tid=6	stack=[unknown]	frames=u:[unknown]+0x95
	END
	same want got
}

# since SECONDS: moves the times of samples and deferred parts on, in the text on standard input.
since() {
	awk -v by="$1" '/^(sample|deferred)/ { $4 = sprintf("%.0f", $4 + by * 1000000000) } { print }'
}

# The clock of a recording may have run for days.
@test "deferred: a second to the nanosecond; a sample that was late before it waited counts once" {
	local wait late
	for wait in 1000000000 1000000001; do
		late=$((wait - 1000000000))
		made <<-END | brief
			with defer
			sample 1 1 10 k 0x90 k 0x90 d 7
			sample 3 3 $((10 + wait)) u 0x5 u 0x5
			deferred 1 1 3000000010 7 u 0x1
		END
		grep "^10	tid=1	stack=\[unknown\];\[unknown\]$([ $late -eq 0 ] || printf '\tlate=1')$" got
		[ "$(tail -n 1 out | cut -f 5-)" = "complete$([ $late -eq 0 ] || printf '\tlate=1')" ]
	done
	made <<-'END' | brief
		with defer
		sample 3 3 2000 u 0x5 u 0x5
		round
		round
		sample 1 1 500 k 0x90 k 0x90 d 6
		sample 3 3 3000000000 u 0x5 u 0x5
		round
		round
		deferred 1 1 3000000001 6 u 0x3
	END
	grep '^500	tid=1	stack=\[unknown\];\[unknown\]	late=1$' got
	[ "$(tail -n 1 out | cut -f 5-)" = "complete	late=1" ]
}

@test "deferred: a user part that is kept is not dropped for an older one of its thread" {
	local n
	# the part of cookie 2 is the 200th, and the last that is kept when there are 255 more
	for n in 60 254 255; do
		awk -v n=$n 'BEGIN {
			print "with defer"
			print "deferred 1 1 10 1 u 0x1001"
			for (i = 2; i < 200; i++) print "deferred", i, i, 10, 1, "u 0x5"
			print "deferred 1 1 11 2 u 0x2002"
			for (i = 300; i < 300 + n; i++) print "deferred", i, i, 12, 1, "u 0x5"
			print "sample 1 1 13 k 0x90 k 0x90 d 2"
		}' | made --no-symbols | brief
		printf '13\ttid=1\tstack=[unknown];[unknown]\tframes=u:[unknown]+0x2002;k:[unknown]+0x90\n' >want
		same want got || fail "$n"
	done
}

@test "deferred: a late sample does not end the wait of a newer one of its thread" {
	made <<-'END' | brief
		with defer
		sample 1 1 1000 k 0x90 k 0x90 d 7
		round
		sample 3 3 2000 u 0x5 u 0x5
		round
		round
		sample 1 1 500 k 0x90 k 0x90 d 6
		deferred 1 1 600 6 u 0x3
		deferred 1 1 2500 7 u 0x1
	END
	cat >want <<-'END'
		500	tid=1	stack=[unknown]	deferred=1	late=1
		1000	tid=1	stack=[unknown];[unknown]
		2000	tid=3	stack=[unknown]
	END
	sort -n got >sorted
	same want sorted
}

@test "deferred: in later rounds; after a second of the recording the sample is late" {
	local s
	for s in 0 1 1000 1000000; do
		since $s <<-'END' | made | brief
			with defer
			sample 1 1 10 k 0x90 k 0x90 d 7
			sample 2 2 11 k 0x91 k 0x91 d 7
			round
			sample 3 3 12 u 0x5 u 0x5
			round
			round
			deferred 1 1 1000000010 7 u 0x1
			sample 3 3 1000000011 u 0x5 u 0x5
			round
			sample 3 3 1000000012 u 0x5 u 0x5
			round
			deferred 2 2 5000000000 7 u 0x2
			round
			sample 3 3 5000000001 u 0x5 u 0x5
		END
		awk -v by=$s '{ sub(/^[0-9]+/, sprintf("%.0f", $1 + by * 1000000000)) } { print }' <<-'END' >want
			10	tid=1	stack=[unknown];[unknown]
			12	tid=3	stack=[unknown]
			1000000011	tid=3	stack=[unknown]
			1000000012	tid=3	stack=[unknown]
			11	tid=2	stack=[unknown];[unknown]	late=1
			5000000001	tid=3	stack=[unknown]
		END
		same want got || fail "after $s seconds" || return
		[ "$(tail -n 1 out)" = "#end	perfdec	-	8	complete	late=1" ]
	done
}

@test "deferred: behind 4 MiB of records the sample is late, however short the time" {
	awk 'BEGIN {
		print "with defer"
		print "sample 1 1 10 k 0x90 k 0x90 d 7"
		for (; n < 8000; n++) chain = chain " 0x5"
		for (n = 0; n < 70; n++) print "sample 2 2", 11 + n, "u 0x5 u" chain
		print "deferred 1 1 100 7 u 0x1"
		print "sample 2 2 101 u 0x5 u 0x5"
	}' | perfmake >made.data
	want_status 0 perfdec --no-symbols made.data
	awk -F '\t' '$1 == "sample" { print $2, $8, $NF == "late=1" ? $NF : "" }' out >got
	{
		seq -f '%g tid=2 ' 11 80
		echo '10 tid=1 late=1'
		echo '101 tid=2 '
	} >want
	same want got
	grep -q '^sample	10	.*	stack=\[unknown\];\[unknown\]	' out
	[ "$(tail -n 1 out | cut -f 5-)" = "complete	late=1" ]
}

@test "deferred: that its thread ended is known too late to end the wait of a newer one" {
	local what
	for what in 'exit 1 1 9 9' 'fork 1 1 9 9'; do
		made <<-END | brief
			with defer
			sample 1 1 1000 k 0x90 k 0x90 d 7
			round
			sample 3 3 2000 u 0x5 u 0x5
			round
			round
			$what 500
			deferred 1 1 2500 7 u 0x1
		END
		printf '%s\n' '1000	tid=1	stack=[unknown];[unknown]' '2000	tid=3	stack=[unknown]' >want
		same want got || fail "$what"
	done
}

@test "deferred: names are those of the sample's time, across fork, name and mapping" {
	made <<-'END' | grep '^sample' | cut -f 2,7,8,10- >got
		with defer
		comm 1 1 0 old
		mmap 1 1 0 u 0x1000 0x1000 0 /bin/old
		sample 1 1 10 k 0x90 k 0x90 d 7
		fork 2 2 1 1 11
		exec 1 1 12 new
		mmap 1 1 13 u 0x1000 0x1000 0 /bin/new
		sample 2 2 14 u 0x1000 d 5
		deferred 2 2 15 5 u 0x1100
		deferred 1 1 16 7 u 0x1100
		exit 1 1 1 1 17
		sample 2 2 18 u 0x1000 d 6
		deferred 2 2 19 6 u 0x1100
	END
	cut -f 2- got >names
	cat >want <<-'END'
		tid=1	comm=old	stack=[old];[unknown]
		tid=2	comm=old	dso=/bin/old	stack=[old]
		tid=2	comm=old	dso=/bin/old	stack=[old]
	END
	sed -i 's/	pcomm=[^	]*//; s/	mode=.//; s/	ip=[^	]*//' names
	same want names
}

@test "deferred: with --all the record keeps its own line, in its place" {
	made --all --no-symbols <<-'END' | grep -E '^(sample|callchain_deferred)' | cut -f 1,2 >got
		with defer
		sample 1 1 10 k 0x90 k 0x90 d 7
		sample 2 2 11 u 0x5 u 0x5
		deferred 1 1 12 7 u 0x1100 0x1200
		deferred 1 1 13 8 u 0x1100 0x1200
	END
	printf '%s\n' 'sample	10' 'sample	11' 'callchain_deferred	12' 'callchain_deferred	13' >want
	same want got
}

@test "deferred: records that lie are said; recordings without the bit wait for nothing" {
	perfmake <<-'END' >lie.data
		with defer
		sample 1 1 10 k 0x90 k 0x90 d 7
		deferred 1 1 12 7 u 0x1100
	END
	size=$(wc -c <lie.data)
	printf '\377' | dd of=lie.data bs=1 seek=$((size - 42)) conv=notrunc 2>/dev/null
	want_status 1 perfdec lie.data
	said "deferred callchain of 64 bytes is too short"
	grep -q '^sample.*	deferred=1$' out
	# numbers that only the trailer's words would make up for (there are 2 addresses and 3 such words)
	local n
	for n in 3 5; do
		# shellcheck disable=SC2059 # octal digits
		printf "\\$n\\0" | dd of=lie.data bs=1 seek=$((size - 48)) conv=notrunc 2>/dev/null
		printf '\0\0\0\0\0\0' | dd of=lie.data bs=1 seek=$((size - 46)) conv=notrunc 2>/dev/null
		want_status 1 perfdec --no-symbols --frames lie.data
		said "deferred callchain of 64 bytes is too short"
		grep -q '^sample.*	deferred=1	frames=k:\[unknown\]+0x90$' out
	done
	made <<-'END' | brief
		sample 1 1 10 k 0x90 k 0x90 d 7
		deferred 1 1 12 7 u 0x1100
	END
	printf '10\ttid=1\tstack=[unknown]\tdeferred=1\n' >want
	same want got
}

@test "deferred: samples that wait for ever take little memory" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		print "with defer"
		for (i = 1; i <= 200000; i++) {
			printf "sample 1 %d %d k 0x90 k 0x90 d 1\n", 1 + i % 3000, i * 100000
			if (i % 1000 == 0) print "round"
		}
	}' | perfmake >many.data
	want_status 0 rss used perfdec --no-symbols many.data
	silent
	[ "$(grep -c '^sample.*	deferred=1	' out)" -eq 200000 ]
	[ "$(cut -d ' ' -f 2 used)" -lt 32768 ] || fail "KiB used: $(cat used)"
	# those that were printed in time
	grep '^sample' out | grep -v 'late=1$' | cut -f 2 | sort -n -c
}

# ---- chains with a word that is neither an address nor a known marker

# short: of samples the time, the first element of the stack if it stands for missing ones, the
# number of the others, and the places of frames, outermost first.
short() {
	sed -n '/^sample/p' "$1" | awk -F '\t' '{
		$0 = $0; frames = n = late = ""
		for (i = 7; i <= NF; i++) {
			if ($i ~ /^stack=/) n = split(substr($i, 7), part, ";")
			if ($i == "deferred=1") late = " deferred"
			if ($i ~ /^frames=/) frames = substr($i, 8)
		}
		gsub(/\[unknown\]\+0x|-1/, "", frames)
		print $2 " " (part[1] == "[truncated]" ? "cut " n - 1 : n) late " " frames
	}'
}

# Such a word is a bad return address, or a marker of a later kernel.  The stacks of thread 1 are
# long enough to be kept as text.
@test "records without a time take effect where they are; with --all those that come late count, whatever they are" {
	local option late
	made --all <<-'END' | grep '^sample' | cut -f 2,8 >got
		sample 1 1 5 u 0x1
		sample 1 1 6 u 0x1
		comm 1 1 0 before
		sample 1 1 0 u 0x1
		sample 1 1 0 u 0x1
		sample 1 1 4 u 0x1
		comm 1 1 0 after
		sample 1 1 0 u 0x1
	END
	printf '%s\t%s\n' 0 comm=before 0 comm=before 0 comm=after 4 comm=after 5 comm=after 6 comm=after >want
	same want got
	for option in --all --no-symbols; do
		made "$option" <<-'END' >got
			sample 1 1 50 u 0x1
			round
			round
			comm 1 1 20 before
			sample 1 1 60 u 0x1
		END
		late=$(sed -n '$s/.*late=//p' out)
		[ "$late" = "$([ "$option" != --all ] || echo 1)" ] || fail "$option: $late"
	done
}

@test "a chain ends before an unknown marker, which is marked, counted and reported" {
	local big option
	cat >lines <<-'END'
		with defer
		sample 1 1 10 u 0x11 u 0x11 0x12 0x13 0x14 0x15 0x16 0x17
		sample 1 1 11 u 0x21 u 0x21 0x22 0xfffffffffffffff6 0x14 0x15 0x16 0x17
		sample 1 1 12 u 0x11 u 0x11 0x13 0x14 0x15 0x16 0x17 0xfffffffffffff001
		sample 1 1 13 u 0x11 u 0x11 0x12 0x13 0x14 0x15 0x16 0xfffffffffffff000
		sample 1 1 14 k 0x31 k 0x31 0x32 0xffffffffffffffff 0x33 u 0x14 0x15 0x16
		sample 2 2 15 u 0x41 u 0x41 0xfffffffffffffe01
		sample 2 2 16 u 0x42 0xfffffffffffffff6
		sample 2 2 17 g 0x43 g 0xfffffffffffffff6 0x44 0x45
		sample 2 2 18 u 0x46 u
		sample 3 3 19 k 0x51 k 0x51 d 7
		deferred 3 3 20 7 u 0x52 0xfffffffffffffff6 0x53
		sample 3 3 21 k 0x54 k 0x54 d 8
		deferred 3 3 22 8 u 0x55 d 0x56
		sample 3 3 23 k 0x57 k 0x57 d 9
		sample 3 3 24 k 0x58 k 0x58 0xfffffffffffffff6 d 9
		sample 4 4 25 u 0x61 u 0x61 0x62
		sample 4 4 26 u 0x61 u 0x61 0x62
		sample 4 4 27 u 0x61 u 0x61 0x62
	END
	cat >want <<-'END'
		10 7 u:17;u:16;u:15;u:14;u:13;u:12;u:11
		11 cut 2 [truncated];u:22;u:21
		12 cut 6 [truncated];u:17;u:16;u:15;u:14;u:13;u:11
		13 7 u:fffffffffffff000;u:16;u:15;u:14;u:13;u:12;u:11
		14 cut 2 [truncated];k:32;k:31
		15 cut 1 [truncated];u:41
		16 cut 1 [truncated];u:42
		17 cut 1 [truncated];g:43
		18 1 u:46
		19 cut 2 [truncated];u:52;k:51
		21 cut 2 [truncated];u:55;k:54
		23 1 deferred k:57
		24 cut 1 [truncated];k:58
		25 2 u:62;u:61
		26 2 u:62;u:61
		27 2 u:62;u:61
	END
	for big in "" --big; do
		perfmake $big <lines >cut.data
		for option in "" --srcline --inline --no-unwind; do
			want_status 1 perfdec --run R --frames $option cut.data
			said "cut.data: some callers are not known for 9 of 16 samples with callchains, which have a value that is neither an address nor a known marker"
			short out >got
			same want got
			[ "$(grep '^incomplete' out)" = "incomplete	.	R	.	unwind	9	why=unknown_marker" ]
			[ "$(tail -n 1 out | cut -f 5-)" = "partial	input incomplete or refused	incomplete=9" ]
		done
		# without their stacks
		want_status 0 perfdec --tags cpu cut.data
		! grep incomplete out err || fail "named without stacks"
	done
}

# full N: N addresses of user code, innermost first.
full() {
	seq -f '0x40%04g' "$1" | tr '\n' ' '
}

# The kernel records at most 127 addresses, or as many as the event asks for.
@test "a chain of as many addresses as the kernel records lacks its outermost functions: marked, counted and noted" {
	local big option attr
	attr="raw 64 0 4:1 4:112 8:0 8:1 8:0x27 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:0 4:0 2:3 2:0 8:7"
	cat >lines <<-END
		sample 1 1 10 u 0x400001 u $(full 126)
		sample 1 1 11 u 0x400001 u $(full 127)
		sample 1 1 12 u 0x400001 u $(full 127)
		sample 1 1 13 u 0x400001 u $(full 128)
		sample 1 1 14 k 0x31 k 0x31 u $(full 125)
		sample 1 1 15 k 0x31 k 0x31 u $(full 126)
		sample 1 1 16 u 0x400001 u $(full 127) 0xfffffffffffffff6
		sample 1 1 17 k 0x31 k $(full 127) d 8
	END
	cat >want <<-'END'
		10 126
		11 cut 127
		12 cut 127
		13 128
		14 126
		15 cut 127
		16 cut 127
		17 127 deferred
	END
	for big in "" --big; do
		perfmake $big <lines >full.data
		for option in "" --srcline --frames; do
			want_status 0 perfdec --run R $option full.data
			sed '/no symbols for/d' err >notes
			same - notes <<-'END'
				perfdec: full.data: some callers are not known for 1 of 8 samples with callchains, which have a value that is neither an address nor a known marker
				perfdec: full.data: the outermost functions are missing in 3 of 8 stacks, since the kernel records only so many addresses (sysctl kernel.perf_event_max_stack, or max-stack of the event)
			END
			short out | cut -d ' ' -f 1-3 | sed -E 's/^([0-9]+ [0-9]+) [^d].*/\1/; s/ $//' >got
			same want got
			grep '^incomplete' out >lines.got
			same - lines.got <<-'END'
				incomplete	.	R	.	unwind	1	why=unknown_marker
				incomplete	.	R	.	unwind	3	why=max_stack
			END
			[ "$(tail -n 1 out | cut -f 5-)" = "complete	incomplete=4" ]
		done
		want_status 0 perfdec --tags cpu full.data
		! grep incomplete out err || fail "named without stacks"
		# the event's own limit
		printf '%s\n' "$attr" "raw 9 2 8:0x11 4:1 4:1 8:10 8:4 8:0xfffffffffffffe00 8:0x11 8:0x12 8:0x13" \
			"raw 9 2 8:0x11 4:1 4:1 8:11 8:3 8:0xfffffffffffffe00 8:0x11 8:0x12" |
			perfmake $big --no-attr >three.data
		want_status 0 perfdec --run R --frames three.data
		short out >got
		printf '%s\n' "10 cut 3 [truncated];u:13;u:12;u:11" "11 2 u:12;u:11" | same - got
		said "the outermost functions are missing in 1 of 2 stacks, "
		want_status 1 perfdec --strict three.data
		[ "$(tail -n 1 out | cut -f 5-)" = "partial	input incomplete or refused	incomplete=1" ]
	done
}

# stray N ALL: N of ALL chains have one caller, where nothing is mapped.
stray() {
	local i
	echo 'mmap 1 1 0 u 0x400000 0x1000 0 /bin/x'
	for ((i = 0; i < $2; i++)); do
		echo "sample 1 1 1$i u 0x400010 u 0x400010 $([ $i -lt "$1" ] && echo 0x7 || echo 0x400020)"
	done
}

@test "callchains through guests: each address has the mode of the marker before it" {
	made --frames <<-END >/dev/null
		sample 1 1 10 g 0x5 -2048 0x5 g 0x6 G 0x7 k 0x8 h 0x9 u 0xa
	END
	sed -n 's/^sample.*\tframes=//p' out >got
	echo 'u:[unknown]+0xa;h:[unknown]+0x9;k:[unknown]+0x8;G:[unknown]+0x7;g:[unknown]+0x6;g:[unknown]+0x5' >want
	same want got
}

@test "functions whose only caller is nowhere: a note, if they are many" {
	stray 20 40 | perfmake >stray.data
	want_status 0 perfdec stray.data
	sed '/no symbols for/d' err >notes
	echo 'perfdec: stray.data: callers are missing in 20 of 40 stacks: there is none, or the only one is where nothing is mapped, since the function used the frame pointer for something else (perf record --call-graph dwarf finds them, or build with -fno-omit-frame-pointer)' |
		same - notes
	want_status 0 perfdec --srcline --tags lines stray.data
	said 'callers are missing in 20 of 40 stacks'
	# few; one in twenty is many; without stacks
	stray 19 19 | perfmake >few.data
	stray 20 421 | perfmake >part.data
	stray 20 400 | perfmake >enough.data
	want_status 0 perfdec few.data part.data
	[ "$(grep -c 'callers are missing' err)" -eq 0 ]
	want_status 0 perfdec enough.data
	said 'callers are missing in 20 of 400 stacks'
	want_status 0 perfdec --tags cpu enough.data
	[ "$(grep -c 'callers are missing' err)" -eq 0 ]
	# farther out, in the kernel, of a place that is itself nowhere, and a copy of the stack is another matter
	stray 40 40 | sed '2,9s/ 0x7$/ 0x400020 0x7/; 10,25s/ u / k /g; 26,$s/0x4000/0x9000/g' | perfmake >else.data
	want_status 0 perfdec else.data
	[ "$(grep -c 'callers are missing' err)" -eq 0 ]
}

@test "what the processor kept, and what copies of stacks have, is neither stray nor full" {
	local i branch chain
	chain="8:128 8:-512$(printf ' 8:0x4000%02x' {1..127})"
	{
		echo 'mmap 1 1 0 u 0x400000 0x1000 0 /bin/x'
		for ((i = 0; i < 40; i++)); do
			echo 'raw 9 2 8:0x400010 4:1 4:1 8:3 8:-512 8:0x400010 8:0x7 8:1 8:0x7 8:0x400010 8:0'
		done
	} >stray.txt
	echo "raw 9 2 8:0x400010 4:1 4:1 $chain 8:1 8:0x400020 8:0x400010 8:0" >full.txt
	# the branches are the chain's user part, or only branches
	for branch in 0x808 8; do
		perfmake --type 0x823 --branch $branch <stray.txt >stray.data
		perfmake --type 0x823 --branch $branch <full.txt >full.data
		want_status 0 perfdec --no-symbols stray.data full.data
		[ "$(grep -c 'callers are missing in 40 of 40 stacks' err)" -eq $((branch == 8)) ] || fail "$branch: $(cat err)"
		[ "$(grep -c 'outermost functions are missing in 1 of 1 stacks' err)" -eq $((branch == 8)) ]
	done
	perfmake --type 0x23 <<<"raw 9 2 8:0x400010 4:1 4:1 $chain" >full.data
	want_status 0 perfdec --no-symbols full.data
	said "outermost functions are missing in 1 of 1 stacks"
	perfmake --type 0x2023 <<<"raw 9 2 8:0x400010 4:1 4:1 $chain 8:16 8:0 8:0 8:16" >copy.data
	want_status 0 perfdec --no-symbols copy.data
	[ "$(grep -c 'outermost functions' err)" -eq 0 ]
}

@test "samples without callchains: with lines and inlined functions they have a place, but no lists" {
	perfmake --type 3 <<-'END' >plain.data
		mmap 1 1 0 u 0x400000 0x1000 0 /bin/x
		raw 9 2 8:0x400010 4:1 4:1
	END
	mkdir -p root
	for option in --srcline --inline; do
		want_status 0 perfdec --frames $option --symfs root plain.data
		[ "$(grep '^sample' out | cut -f 4,7-)" = "[x]	pid=1	tid=1	comm=:1	cpu=.	mode=u	ip=0x400010	dso=/bin/x	frames=u:/bin/x+0x10" ]
	done
}

@test "deep stacks of many threads, and with long names: each is whole" {
	local name
	for name in x "$(printf '%060d' 1)"; do
		awk -v name="$name" 'BEGIN {
			print "mmap 1 1 1 u 0x400000 0x10000 0 /bin/" name
			for (i = 1; i <= 500; i++)
				chain = chain " " 4194304 + i
			for (n = 0; n < 2; n++)
				for (i = 1; i <= 256; i++)
					print "sample 1 " i " " 10 + i + 1000 * n " u " 4194304 + 600 + i " u " 4194304 + 600 + i chain
		}' | perfmake >deep.data
		want_status 0 perfdec --no-symbols --tags stack deep.data
		sed -n 's/^sample.*	stack=//p' out | awk -F ';' -v OFS=';' -v name="[$name]" '
			NF != 501 { bad = 1 }
			{ for (i = 1; i <= NF; i++) bad += $i != name }
			END { exit bad || NR != 512 }' || fail "$name"
	done
}

@test "functions without any caller in their chains: the same note" {
	local attr i
	stray 40 40 | sed '2,21s/ 0x7$//' | perfmake >none.data
	want_status 0 perfdec none.data
	said "none.data: callers are missing in 40 of 40 stacks: there is none, or the only one "
	# where a program starts, there is none
	mkdir -p root/tmp
	stray 40 40 | sed 's/ 0x7$//; 1s,/bin/x,//anon,' | perfmake >jit.data
	echo '400000 1000 start' >root/tmp/perf-1.map
	want_status 0 perfdec --symfs root jit.data
	said "jit.data: callers are missing in 40 of 40 stacks: "
	echo '400000 1000 _start' >root/tmp/perf-1.map
	want_status 0 perfdec --symfs root jit.data
	silent
	# the kernel's functions, chains without addresses or with an unknown word, and a limit of 1
	stray 90 90 | sed 's/ 0x7$//; 2,31s/ u / k /g; 32,61s/ u 0x400010$//; 62,$s/$/ 0xfffffffffffffff6/' |
		perfmake >else.data
	want_status 0 perfdec else.data
	[ "$(grep -c 'callers are missing' err)" -eq 0 ]
	attr="raw 64 0 4:1 4:112 8:0 8:1 8:0x27 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:0 4:0 2:1 2:0 8:7"
	{
		echo "$attr"
		echo 'mmap 1 1 0 u 0x400000 0x1000 0 /bin/x'
		for ((i = 10; i < 50; i++)); do
			echo "raw 9 2 8:0x400010 4:1 4:1 8:$i 8:2 8:0xfffffffffffffe00 8:0x400010"
		done
	} | perfmake --no-attr >one.data
	want_status 0 perfdec one.data
	[ "$(grep -c 'callers are missing' err)" -eq 0 ]
	said "one.data: the outermost functions are missing in 40 of 40 stacks"
}

@test "unknown markers in at most half of the chains are noted; with --strict they are an error" {
	printf 'sample 1 1 %d u 0x11 u 0x11 0x12 %s\n' 10 0xfffffffffffffff6 11 0xffffffffffffffff 12 0x13 13 0x14 >lines
	perfmake <lines >half.data
	want_status 0 perfdec half.data
	cat >want <<-'END'
		perfdec: half.data: some callers are not known for 2 of 4 samples with callchains, which have a value that is neither an address nor a known marker
	END
	same want err
	[ "$(tail -n 1 out | cut -f 5-)" = "complete	incomplete=2" ]
	want_status 1 perfdec --strict half.data
	[ "$(tail -n 1 out | cut -f 5-)" = "partial	input incomplete or refused	incomplete=2" ]
	# each recording is judged by itself
	perfmake <<<"sample 1 1 20 u 0x11 u 0x11 0xfffffffffffffff6" >cut.data
	cat half.data cut.data >both.data
	want_status 1 perfdec both.data
	said "for 1 of 1 samples"
	[ "$(tail -n 1 out | cut -f 6-)" = "input incomplete or refused	incomplete=3" ]
	# samples of an event without callchains do not count
	{
		printf 'raw 64 0 4:1 4:112 8:%d 8:1 8:%d 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:0 8:%d\n' 0 0x10027 1 1 0x10007 2
		printf 'raw 9 2 8:1 8:0x11 4:1 4:1 8:%d 8:3 8:0xfffffffffffffe00 8:0x11 8:%s\n' 10 -10 11 -10 12 0x12
		printf 'raw 9 2 8:2 8:0x11 4:1 4:1 8:%d\n' 13 14 15
	} | perfmake --no-attr >mixed.data
	want_status 1 perfdec mixed.data
	[ "$(grep -c ^sample out)" -eq 6 ]
	said "for 2 of 3 samples"
}

# ---- control groups and namespaces

@test "cgroup: a sample's control group by id, and by path where a record has named it" {
	made --no-symbols <<-'END' | grep '^sample' | cut -f 2,14- >got
		with cgroup
		cgroup 0 1 /
		cgroup 5 42 /user.slice/a\x09b
		sample 1 1 10 u 0x5 u 0x5 c 1
		sample 1 1 11 u 0x5 u 0x5 c 42
		sample 1 1 12 u 0x5 u 0x5 c 43
		cgroup 13 43 /late
		cgroup 13 42 /again
		sample 1 1 14 u 0x5 u 0x5 c 43
		sample 1 1 15 u 0x5 u 0x5 c 42
	END
	sed -i 's/	frames=[^	]*//; s/	stack=[^	]*//' got
	cat >want <<-'END'
		10	cgroup_id=1	cgroup=/
		11	cgroup_id=42	cgroup=/user.slice/a\tb
		12	cgroup_id=43
		14	cgroup_id=43	cgroup=/late
		15	cgroup_id=42	cgroup=/user.slice/a\tb
	END
	same want got
	perfdec --all made.data | grep '^cgroup' | cut -f 2,11- >got
	cat >want <<-'END'
		.	cgroup_id=1	cgroup=/
		5	cgroup_id=42	cgroup=/user.slice/a\tb
		13	cgroup_id=43	cgroup=/late
		13	cgroup_id=42	cgroup=/again
	END
	same want got
}

@test "namespaces: each by name, and by number where it has none; a count that lies is said" {
	made --all <<-'END' | grep '^namespaces' | cut -f 2,6- >got
		namespaces 1 2 10 4:40 4:41 4:42 4:43 4:44 4:45 4:46 4:47 5:18446744073709551615
		namespaces 1 1 11 3:1
		namespaces 1 1 12
	END
	cat >want <<-'END'
		10	pid=1	tid=2	comm=:2	cpu=0	net=4:40	uts=4:41	ipc=4:42	pid_ns=4:43	user=4:44	mnt=4:45	cgroup_ns=4:46	ns7=4:47	ns8=5:18446744073709551615
		11	pid=1	tid=1	comm=:1	cpu=0	net=3:1
		12	pid=1	tid=1	comm=:1	cpu=0
	END
	same want got
	perfmake <<-'END' >lie.data
		namespaces 1 1 10 3:1
	END
	size=$(wc -c <lie.data)
	printf '\2' | dd of=lie.data bs=1 seek=$((size - 48)) conv=notrunc 2>/dev/null
	want_status 1 perfdec --all lie.data
	said "record of type 16 with 64 bytes is too short"
	grep -q '^namespaces.*	net=3:1	*' out
}

# ---- memory

@test "maps: forks that would copy without end take little memory, and names are right" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		for (i = 1; i <= 8000; i++)
			printf "mmap 1 1 0 u 0x%x 0x1000 0 /lib/x\n", i * 8192
		for (i = 1; i <= 8000; i++) {
			printf "fork %d %d 1 1 %d\n", i + 10, i + 10, i * 2
			printf "mmap %d %d %d u 0x9990000 0x1000 0 /lib/y\n", i + 10, i + 10, i * 2 + 1
			if (i % 100 == 0) print "round"
		}
		print "mmap 1 1 80000 u 0x4000 0x1000 0 /lib/z"
		print "sample 11 11 90000 u 0x4001 u 0x9990000"
		print "sample 8000 8000 90001 u 0x4001 u 0x9990000"
		print "sample 1 1 90002 u 0x4001 u 0x6001"
	}' | perfmake >forks.data
	want_status 0 rss used perfdec --no-symbols forks.data
	silent
	grep '^sample' out | cut -f 2,4,13- | sed 's/	\(place\|frames\)=.*//' >got
	cat >want <<-'END'
		90000	[x]	dso=/lib/x	stack=[y]
		90001	[x]	dso=/lib/x	stack=[y]
		90002	[z]	dso=/lib/z	stack=[x]
	END
	same want got
	[ "$(cut -d ' ' -f 2 used)" -lt 262144 ] || fail "KiB used: $(cat used)"
}

@test "maps: as many as a process can have, each below the one before, take little time" {
	awk 'BEGIN {
		for (i = 200000; i > 0; i--)
			printf "mmap 1 1 0 u 0x%x 0x1000 0 /lib/x%d\n", i * 4096, i % 10
		print "sample 1 1 10 u 0x1001"
		print "sample 1 1 11 u 0x186a0fff"
		print "sample 1 1 12 u 0x30d40000"
		print "sample 1 1 13 u 0x30d41000"
	}' | perfmake >down.data
	want_status 0 timeout 6 perfdec --no-symbols down.data
	[ "$(grep '^sample' out | cut -f 4 | tr '\n' ' ')" = '[x1] [x0] [x0] [unknown] ' ]
}

# grown AWK: what the program prints for n of 2000 and of 20000 is a recording whose time is in
# proportion to n.
grown() {
	awk -v n=2000 "BEGIN { $1 }" | perfmake >small.data
	awk -v n=20000 "BEGIN { $1 }" | perfmake >large.data
	linear small.data large.data perfdec --no-symbols
}

# bats test_tags=slow
@test "maps: ten times as many in one space take ten times as long, wherever they go" {
	need valgrind
	local map='printf "mmap 1 1 0 u 0x%x 0x%x 0 /lib/x\n"' end='print "sample 1 1 9 u 0x5"'
	# from both ends to the middle, downwards, in pieces of one, each over half of the one before
	grown "for (i = 0; i < n; i++) $map, (i % 2 ? 2 * n - i : i) * 4096 + 4096, 4096; $end"
	grown "for (i = n; i > 0; i--) $map, i * 4096, 4096; $end"
	grown "$map, 4096, n * 8192; for (i = n; i > 0; i--) $map, i * 8192, 4096; $end"
	grown "for (i = 0; i < n; i++) $map, (i % 2 ? n - i : n + i) * 4096, 8192; $end"
}

# bats test_tags=slow
@test "maps: ten times as many over forks that change them take ten times as long" {
	need valgrind
	local map='printf "mmap %d %d 0 u 0x%x 4096 0 /lib/x\n"' fork='printf "fork %d %d %d %d 0\n"'
	# one parent of many, each the parent of the next; both sides change
	grown "for (i = 1; i <= n / 2; i++) $map, 1, 1, i * 8192
		for (i = 2; i <= n / 2; i++) { $fork, i, i, 1, 1; $map, i, i, i * 8192; $map, 1, 1, i * 8192 + 4096 }"
	grown "for (i = 1; i <= n / 2; i++) $map, 1, 1, i * 8192
		for (i = 2; i <= n / 2; i++) { $fork, i, i, i - 1, i - 1; $map, i, i, i * 8192; $map, i - 1, i - 1, 0 }"
}

# bats test_tags=slow
@test "tasks: ten times as many, of any kind, take ten times as long" {
	need valgrind
	local fork='printf "fork %d %d %d %d %d\n"' sample='printf "sample %d %d %d u 0x5\n"'
	# processes that end; threads of one that ends first; a chain of forks; names that change
	grown "for (i = 1; i <= n; i++) { $fork, i, i, 1, 1, i; printf \"exit %d %d 1 1 %d\n\", i, i, i }"
	grown "for (i = 1; i <= n; i++) $fork, 1, i, 1, 1, i; print \"exit 1 1 1 1 1\"; $sample, 1, 2, n + 1"
	grown "for (i = 1; i < n; i++) { $fork, i + 1, i + 1, i, i, i; $sample, i, i, i }"
	grown "for (i = 1; i <= n; i++) { printf \"comm %d %d %d x%d\n\", i % 9, i % 99, i, i; $sample, i % 9, i % 99, i }"
}

# bats test_tags=slow
@test "records: ten times as many that wait, of any kind, take ten times as long" {
	need valgrind
	local sample='printf "sample 1 %d %d k 0x5 k 0x5 d %d\n"' part='printf "deferred 1 %d %d %d u 0x5\n"'
	# parts of the callchain that come, come late, never come; times that go down; short rounds
	grown "print \"with defer\"; for (i = 1; i <= n; i++) $sample, i, i, i; for (i = 1; i <= n; i++) $part, i, n + i, i"
	grown "print \"with defer\"; for (i = 1; i <= n; i++) { $sample, i, i * 1000000, 1; if (i > 1000) $part, i - 1000, i * 1000000, 1 }"
	grown "print \"with defer\"; for (i = 1; i <= n; i++) { $sample, 1, i * 1000000, i; $sample, i + 1, i * 1000000, i }"
	grown "for (i = n; i > 0; i--) printf \"sample 1 1 %d u 0x5\n\", i"
	grown "for (i = 1; i <= n; i++) printf \"sample 1 1 %d u 0x5\nround\n\", n * (i % 2) + i"
}

@test "maps: generations of forks keep what each had, and take little memory" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		for (i = 1; i <= 8000; i++)
			printf "mmap 1 1 0 u 0x%x 0x1000 0 /lib/x\n", i * 8192
		for (i = 1; i <= 2400; i++) {
			printf "fork %d %d %d %d %d\n", i + 1, i + 1, i, i, i * 2
			printf "mmap %d %d %d u 0x%x 0x1000 0 /lib/y%d\n", i + 1, i + 1, i * 2 + 1, i * 8192, i
			printf "sample %d %d %d u 0x%x\n", i + 1, i + 1, i * 2 + 1, i * 8192 + 1
			printf "sample %d %d %d u 0x%x\n", i + 1, i + 1, i * 2 + 1, 8192 + 1
			printf "sample %d %d %d u 0x3e80001\n", i + 1, i + 1, i * 2 + 1
		}
	}' | perfmake >deep.data
	want_status 0 rss used perfdec --no-symbols deep.data
	silent
	grep '^sample' out | cut -f 4 | sort | uniq -c | sort -k 1nr | sed 's/^ *//; 3q' >got
	printf '%s\n' '2401 [y1]' '2400 [x]' '1 [y1000]' >want
	same want got
	[ "$(cut -d ' ' -f 2 used)" -lt 32768 ] || fail "KiB used: $(cat used)"
}

@test "memory: an object, a process with a map, a thread with a counter take some 300 bytes" {
	local n=200000
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk -v n=$n 'BEGIN {
		for (i = 1; i <= n; i++) printf "mmap 1 1 0 u 0x%x 0x1000 0 /%d\n", i * 4096, i
		print "sample 1 1 1 u 0x1005"
	}' | perfmake >objects.data
	awk -v n=$n 'BEGIN {
		for (i = 1; i <= n; i++) printf "mmap %d %d 0 u 0x1000 0x1000 0 /a\n", i, i
		print "sample 1 1 1 u 0x1005"
	}' | perfmake >processes.data
	awk -v n=$n 'BEGIN {
		print "with read"
		for (i = 1; i <= n; i++) printf "sample 1 %d 1 u 0x1005 r 5\n", i
	}' | perfmake >threads.data
	for data in objects processes threads; do
		want_status 0 rss used perfdec --no-symbols $data.data
		[ "$(cut -d ' ' -f 2 used)" -lt $((16384 + n * 400 / 1024)) ] || fail "$data: KiB used: $(cat used)"
	done
}

@test "memory: children share their parent's name, however long" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		for (name = "x"; length(name) < 32768;) name = name name
		print "comm 1 1 1 " name
		for (i = 2; i <= 5000; i++) printf "fork %d %d %d %d 1\n", i, i, i - 1, i - 1
		print "comm 2500 2500 2 other"
		print "sample 5000 5000 3 u 0x5"
		print "sample 2500 2500 3 u 0x5"
	}' | perfmake >names.data
	want_status 0 rss used perfdec --no-symbols names.data
	[ "$(cut -d ' ' -f 2 used)" -lt 16384 ] || fail "KiB used: $(cat used)"
	[ "$(grep '^sample.*	pid=5000' out | cut -f 9 | wc -c)" -eq $((32768 + 6)) ]
	grep -q '^sample.*	comm=other	' out
}

# ---- names of processes

@test "pcomm: the process's name beside that of each thread but its first" {
	made --no-symbols <<-'END' | grep '^sample' | cut -f 2,6-9,12 >got
		comm 10 10 0 server
		comm 10 11 0 worker\x0a1
		sample 10 10 1 u 0x5 u 0x5
		sample 10 11 2 u 0x5 u 0x5
		fork 10 12 10 11 3
		sample 10 12 4 u 0x5 u 0x5
		comm 10 10 5 renamed
		sample 10 12 6 u 0x5 u 0x5
		sample 10 10 7 u 0x5 u 0x5
		sample 20 21 8 u 0x5 u 0x5
		sample 20 20 9 u 0x5 u 0x5
		comm 20 20 10 late
		sample 20 21 11 u 0x5 u 0x5
		fork 30 30 10 10 12
		fork 30 31 30 30 13
		sample 30 31 14 u 0x5 u 0x5
		sample 40 31 15 u 0x5 u 0x5
		sample 20 31 16 u 0x5 u 0x5
		sample 0 5 17 k 0x5 k 0x5
		sample 31 33 18 u 0x5 u 0x5
	END
	cat >want <<-'END'
		1	pid=10	tid=10	comm=server	cpu=0	stack=[unknown]
		2	pid=10	tid=11	comm=worker\n1	cpu=0	pcomm=server
		4	pid=10	tid=12	comm=worker\n1	cpu=0	pcomm=server
		6	pid=10	tid=12	comm=worker\n1	cpu=0	pcomm=renamed
		7	pid=10	tid=10	comm=renamed	cpu=0	stack=[unknown]
		8	pid=20	tid=21	comm=:21	cpu=0	pcomm=:20
		9	pid=20	tid=20	comm=:20	cpu=0	stack=[unknown]
		11	pid=20	tid=21	comm=:21	cpu=0	pcomm=late
		14	pid=30	tid=31	comm=renamed	cpu=0	pcomm=renamed
		15	pid=40	tid=31	comm=renamed	cpu=0	pcomm=:40
		16	pid=20	tid=31	comm=renamed	cpu=0	pcomm=late
		17	pid=0	tid=5	comm=:5	cpu=0	pcomm=swapper
		18	pid=31	tid=33	comm=:33	cpu=0	pcomm=:31
	END
	same want got
}

@test "pcomm: the name stays when the first thread is gone" {
	{
		printf 'comm 10 10 0 server\ncomm 10 11 0 worker\nsample 10 11 1 u 0x5\nexit 10 10 1 1 2\n'
		for i in $(seq 1100); do
			printf 'fork %d %d 1 1 %d\nexit %d %d 1 1 %d\n' $((i + 99)) $((i + 99)) $((i * 2 + 1)) \
				$((i + 99)) $((i + 99)) $((i * 2 + 2))
		done
		echo 'sample 10 11 9999 u 0x5'
	} | perfmake >gone.data
	want_status 0 perfdec --no-symbols gone.data
	grep '^sample' out | cut -f 2,13 >got
	printf '%s\tpcomm=server\n' 1 9999 >want
	same want got
}

@test "pcomm: a process does not have the name of an older one with its number" {
	made --no-symbols <<-'END' | grep '^sample' | cut -f 2,6-8,12 | sed 's/	stack=.*//' >got
		comm 10 10 0 older
		fork 10 11 10 10 1
		sample 10 11 2 u 0x5
		exit 10 11 10 10 3
		exit 10 10 1 1 4
		fork 10 10 99 99 5
		fork 10 12 10 10 6
		sample 10 10 7 u 0x5
		sample 10 12 8 u 0x5
	END
	cat >want <<-'END'
		2	pid=10	tid=11	comm=older	pcomm=older
		7	pid=10	tid=10	comm=:10
		8	pid=10	tid=12	comm=:12	pcomm=:10
	END
	same want got
}

@test "tasks: lines that --all prints do not change whose thread it is" {
	cat >text <<-'END'
		mmap -1 0 0 k 0xffffffff81000000 0x1000 0 [kernel.kallsyms]
		comm 0 0 1 idle
		lost 2 1
		fork 5 5 0 0 3
		sample 0 0 4 k 0x5
		sample 5 5 5 k 0x5
	END
	for form in '' --all; do
		# shellcheck disable=SC2086 # none or one
		made $form <text | grep '^sample' | cut -f 2,6-8 >got
		printf '%s\n' '4	pid=0	tid=0	comm=idle' '5	pid=5	tid=5	comm=idle' >want
		same want got || fail "with '$form'"
	done
}

@test "maps: a note tells of processes whose mappings perf could not read in time" {
	local n
	for n in 1 2; do
		{
			# the last mapping that was read, with PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT
			for pid in $(seq $n); do
				echo "raw 10 0x1002 4:$pid 4:$pid 8:0x1000 8:0x1000 8:0 4:8 4:1 8:9 8:0 4:5 4:2 s8:/a"
			done
			echo 'sample 1 1 9 u 0x5000'
		} | perfmake >unread.data
		want_status 0 perfdec --no-symbols unread.data
		cp err err$n
	done
	note='perfdec: unread.data: mappings are missing, and code in them has no names: perf could not read those of'
	echo "$note 1 process in time (perf record --proc-map-timeout)" | same - err1
	echo "$note 2 processes in time (perf record --proc-map-timeout)" | same - err2
}

@test "counters of a thread go with it: another one of its number begins anew" {
	made --no-symbols <<-'END' | grep '^sample' | cut -f 2,5,7,13- | sed 's/	stack=[^	]*	frames=[^	]*//' >got
		with read
		sample 1 1 1 u 0x5 u 0x5 r 100
		sample 1 2 2 u 0x5 u 0x5 r 30
		sample 1 1 3 u 0x5 u 0x5 r 150
		exit 1 2 1 1 4
		sample 1 2 5 u 0x5 u 0x5 r 31
		fork 1 2 1 1 6
		sample 1 2 7 u 0x5 u 0x5 r 40
		sample 1 2 8 u 0x5 u 0x5 r 45
	END
	sed -i 's/	ip=[^	]*//; s/	stack=[^	]*//; s/	frames=[^	]*//' got
	cat >want <<-'END'
		1	100	tid=1	count=100
		2	30	tid=2	count=30
		3	50	tid=1	count=150
		5	1	tid=2	count=31
		7	40	tid=2	count=40
		8	5	tid=2	count=45
	END
	same want got
}

@test "tasks: of the threads that ended, only those are forgotten that were not there again" {
	{
		# 5 is there again, 6 and 7 have ended twice; 6 has a sample that comes late
		for tid in 5 6 7; do
			echo "comm $tid $tid 1 first$tid"
			echo "exit $tid $tid 1 1 2"
			echo "fork $tid $tid 1 1 3"
			echo "comm $tid $tid 4 second$tid"
		done
		printf '%s\n' 'exit 6 6 1 1 5' 'exit 7 7 1 1 5'
		for tid in $(seq 2000 3017); do
			printf '%s\n' "fork $tid $tid 1 1 6" "exit $tid $tid 1 1 7"
		done
		printf 'sample %d %d 8 u 0x5\n' 5 5 7 7
		for tid in $(seq 4000 4010); do
			printf '%s\n' "fork $tid $tid 1 1 9" "exit $tid $tid 1 1 9"
		done
		printf 'sample %d %d 10 u 0x5\n' 5 5 6 6 7 7
	} | made >all
	sed -n 's/^sample\t//p' all | cut -f 1,7 >got
	printf '%s\n' '8	comm=second5' '8	comm=second7' '10	comm=second5' '10	comm=:6' '10	comm=:7' >want
	same want got
}

@test "tasks: a process whose first thread ended because another one called exec is not forgotten" {
	{
		printf '%s\n' 'comm 10 10 1 old' 'fork 10 11 10 10 2' 'exit 10 10 10 10 3' 'exec 10 10 4 new' \
			'mmap 10 10 5 u 0x1000 0x1000 0 /bin/new' 'sample 10 10 6 u 0x1010'
		for tid in $(seq 2000 3100); do
			printf '%s\n' "fork $tid $tid 1 1 7" "exit $tid $tid 1 1 8"
		done
		printf '%s\n' 'sample 10 10 9 u 0x1010' 'fork 10 12 10 10 10' 'sample 10 12 11 u 0x1010'
	} | made >all
	sed -n 's/^sample\t//p' all | cut -f 1,2,6,7,11- | sed 's/	stack=.*//' >got
	cat >want <<-'END'
		6	[new]	tid=10	comm=new	dso=/bin/new
		9	[new]	tid=10	comm=new	dso=/bin/new
		11	[new]	tid=12	comm=new	dso=/bin/new	pcomm=new
	END
	same want got
}

@test "deferred: user parts that have come are not kept for ever" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	awk 'BEGIN {
		for (chain = ""; n < 1000; n++) chain = chain " 0x1000"
		print "with defer"
		for (i = 1; i <= 6000; i++) {
			printf "sample 1 %d %d k 0x90 k 0x90 d 1\n", i, i * 1000
			printf "deferred 1 %d %d 1%s\n", i, i * 1000 + 1, chain
			if (i % 100 == 0) print "round"
		}
	}' | perfmake >many.data
	want_status 0 rss used perfdec --no-symbols many.data
	silent
	[ "$(cut -d ' ' -f 2 used)" -lt 32768 ] || fail "KiB used: $(cat used)"
	[ "$(grep -c '^sample.*	deferred=1' out)" -eq 0 ]
}
