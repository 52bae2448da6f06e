#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# afagg_parts.bats - partial results, whose merge gives what one run would have given; groups on
# disk.

load lib

setup() {
	cd "$T" || return
}

@test "the input that lacks its end mark is named, wherever it stands" {
	local i
	for i in 1 2 3; do
		{
			printf '#afstream\t1\ttest\tx%s\n' "$i"
			event sample "$i" f cycles 5
			printf '#end\ttest\tx%s\t1\tcomplete\n' "$i"
		} | run=0x$i afagg --by region --partial >"$i.part"
	done
	sed '/^#end/d' 1.part >cut.1
	want_status 1 afagg cut.1 2.part 3.part
	printf 'afagg: cut.1: no end mark of afagg -: it died, or the stream was cut\n' >want
	same want "$T/err"
	sed '/^#end/d' 3.part >cut.3
	want_status 1 afagg cut.1 2.part cut.3
	said 'afagg: cut.1: no end mark of afagg -:'
	said 'afagg: cut.3: no end mark of afagg -:'
}

# bats test_tags=quick
@test "partial results carry the whole state, and merge to the results of one run" {
	lines a <<-'EOF'
	run 0 r . . . unit=ns
	measure . r . m . unit=ns
	sample 1 r f m 5
	sample 2 r f m 0.5
	EOF
	lines b <<-'EOF'
	sample 3 r f m 9
	sample 4 r g m 7
	EOF
	want_status 0 afagg --by region --stat count,sum,mean,stddev,p50 a b
	grep '^agg' out >whole
	want_status 0 afagg --by region --stat count,sum,mean,stddev,p50 --partial a
	cp out a.part
	grep '^part' out | tr '\t' ' ' >got
	cat >want <<-'EOF'
	part 2 r f m . start=1 part.unit=ns part.by=region part.stat=count,sum,mean,stddev,p50 agg.n=2 agg.sum=11p-1 agg.sq=101p-2 agg.odd=1;0;0;0;0 agg.values=0.5*1;5*1
	EOF
	same want got
	want_status 0 afagg --by region --stat count,sum,mean,stddev,p50 --partial b
	cp out b.part
	for order in "a.part b.part" "b.part a.part"; do
		# shellcheck disable=SC2086
		want_status 0 afagg $order
		grep '^agg' out >got
		same whole got
	done
	want_status 0 afagg --by region --stat count,sum,mean,stddev,p50 a.part b.part
	grep '^agg' out >got
	same whole got
}

# bats test_tags=slow,sanitize
@test "judged by random streams: shards merged in one step and in a tree, with all statistics" {
	need python3
	python3 "$ROOT/t/tools/aggparts.py" "$(command -v afagg)" 1 32 >log 2>&1 || fail "$(cat log)"
}

# bats test_tags=slow,sanitize
@test "groups on disk give the same bytes" {
	need python3
	python3 "$ROOT/t/tools/aggparts.py" "$(command -v afagg)" 2 16 --max-memory 1M >log 2>&1 ||
		fail "$(cat log)"
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 60000; i++)
		print "sample", i, "r" i % 2, "f" i * 7919 % 20011, "m", i, "type=t" i % 3 }' >in
	want_status 0 afagg --by region,type --stat count,sum,median in
	cp out want
	[ "$(grep -c '^agg' want)" -gt 100000 ]
	want_status 0 afagg --by region,type --stat count,sum,median --max-memory 2M in
	same want out
	want_status 0 afagg --by region,type --stat count,sum,median --max-memory 2M --partial in
	cp out part
	want_status 0 afagg --max-memory 2M part
	grep '^agg' want >want.agg
	grep '^agg' out >got.agg
	same want.agg got.agg
	# results that are joined, each of several lines
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 60000; i++)
		print "agg", i, "r", "f" i * 7919 % 20011, "m", i, "stat=sum", "n=" i % 7 }' >in
	want_status 0 afagg --kind agg --by region --no-marks in
	cp out want
	[ "$(grep -c '	n=[0-9]*$' out)" -eq 20011 ]
	want_status 0 afagg --kind agg --by region --no-marks --max-memory 2M in
	same want out
}

@test "groups on disk, of several measures and units: their order, and the lines that results count" {
	local options
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 30000; i++)
			print "sample", i, "r" i % 3, "f" i * 7919 % 5003, i % 5 < 2 ? "z" : i % 7 < 3 ? "m" : "a", i % 977,
				"unit=" (i % 11 == 0 ? "B" : "ns"), "cpu=" i % 4
	}' >in
	afagg --no-marks --by region,run,cpu --stat count,sum,min in >results
	for options in '--by region in' '--by region,cpu --stat median,share,rate in' '--kind agg --by region results'; do
		# shellcheck disable=SC2086 # words
		want_status 0 afagg --no-marks $options
		mv out whole
		# shellcheck disable=SC2086
		want_status 0 afagg --no-marks --max-memory 700K $options
		same whole out
	done
}

@test "a key that only one shard has is there; one that no shard has is not" {
	lines a <<<'sample 1 r f m 5 cpu=1'
	lines b <<<'sample 2 r f m 5'
	for f in a b; do
		want_status 0 afagg --by cpu,tag.x --partial $f
		silent
		cp out $f.1
		want_status 0 afagg --by cpu --partial $f
		cp out $f.2
	done
	want_status 1 afagg a.1 b.1
	said "no line has 'tag.x'"
	[ "$(grep -c '^agg' out)" -eq 0 ]
	want_status 0 afagg a.2 b.2
	want_status 1 afagg b.2
	said "no line has 'cpu'"
}

@test "keys that are . on all lines of some shards, and of all" {
	local shards i
	event sample 1 f m 1 x=1 y=. z=. >a
	event sample 2 f m 1 x=. y=1 z=. >b
	event sample 3 f m 1 x=. y=. z=. >c
	for i in a b c; do
		want_status 0 afagg --by x,y,z,w? --partial $i
		silent
		mv out part.$i
	done
	for shards in a b c 'a b' 'b a' 'b c' 'c a' 'a b c'; do
		# shellcheck disable=SC2086 # words
		want_status 0 afagg --by x,y,z,w? $shards
		mv err want
		# shellcheck disable=SC2046,SC2086
		want_status 0 afagg $(printf 'part.%s ' $shards)
		same err want
		# shellcheck disable=SC2046,SC2086
		want_status 0 afagg --partial $(printf 'part.%s ' $shards)
		mv out merged
		want_status 0 afagg merged
		same err want
	done
	# those of the last one
	printf 'afagg: %s is not recorded: it is "." on all lines\n' z | same want -
}

@test "a tag of --weight or --of, or a function, that no shard has is an error of the merge" {
	local options note error name
	lines a <<<'sample 1 r f m 5 tid=3 stack=main;f'
	lines b <<<'sample 2 s g m 7 tid=4 stack=main;g'
	# shellcheck disable=SC2086 # $options are words
	while IFS='|' read -r options note error; do
		want_status 1 afagg $options a b
		said "$error"
		sed 's/ (tags: .*)$//' err >direct # which no partial result knows
		for name in a b; do
			want_status 0 afagg --partial $options $name
			same err - <<<"afagg: $note"
			mv out part.$name
		done
		want_status 1 afagg part.a part.b
		same direct err
		[ "$(tail -n 1 out)" = $'#end\tafagg\tpart.a part.b\t0\tpartial\tinput incomplete or refused' ] || fail "$(cat out)"
		# merged twice
		want_status 0 afagg --partial part.a part.b
		mv out both
		want_status 1 afagg both
		same direct err
	done <<-'END'
	--by region --weight w|1 line without w is not counted|no line has 'w' (tags: stack, tid)
	--by region --of w|1 line without w is not counted|no line has 'w' (tags: stack, tid)
	--by caller:w|left out 1 of 1 lines, whose stacks do not have w|no stack has the function 'w' (perfdec --inline shows those that the compiler has inlined)
	END
	# another shard has it
	lines c <<<'sample 3 t f m 9 tid=3 stack=w;f w=2'
	# shellcheck disable=SC2086
	for options in '--by region --weight w' '--by caller:w' '--by region --of w'; do
		for name in a b c; do
			want_status 0 afagg --partial $options $name
			mv out part.$name
		done
		want_status 0 afagg $options a b c
		grep -v '^#' out >direct
		sed 's/ of [0-9]* lines/ lines/' err >notes
		want_status 0 afagg part.a part.c part.b
		same notes err
		grep -v '^#' out | same direct -
	done
	# keys on lines that were left out do not count if others were counted, as without shards
	lines d <<<'sample 4 u f m 9 key=1'
	want_status 1 afagg --by key --weight w c d
	said "no line has 'key'"
	for name in c d; do
		want_status 0 afagg --partial --by key --weight w $name
		mv out part.$name
	done
	want_status 1 afagg part.c part.d
	said "no line has 'key'"
	want_status 1 afagg part.d
	printf 'afagg: %s\n' "no line has 'w'" '1 line without w is not counted' | same - err
	# a partial result says that lines were left out only if there were no others
	cat c d >e
	lines f <<<'lost 5 . . m 1'
	for name in c d e f; do
		want_status 0 afagg --partial --by key --weight w $name
		mv out part.$name
	done
	grep -c 'part.over=skipped' part.[cdef] | same - <(printf '%s\n' part.c:0 part.d:1 part.e:0 part.f:0)
	for name in c d e f; do
		want_status 0 afagg --partial part.d part.$name
		[ "$(grep -c 'part.over=skipped' out)" -eq $(($(grep -c agg.n= out) == 0)) ] || fail "$name"
	done
}

@test "a merge notes what the shards noted of their lines" {
	local options notes
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 400; i++) {
			stack = i % 7 == 0 ? "" : "\tstack=main;" (i % 2 ? "g;" : "") "f" i % 3
			print "sample", i * 10, "r" i % 2, "f" i % 3, "m", i % 5 stack (i % 3 ? "\tw=2" : "") (i % 5 ? "" : "\tevent=" i % 4)
			print "span", 1000 * i + 900, "r" i % 2, "f", "time", 700, "start=" (i % 3 ? 1000 * i + 200 : i ? 1000 * i - 500 : 0)
		}
	}' >in
	awk '{ print >(/^span/ ? "spans" : "samples") }' in
	# with a part of the lines that have an effect in each shard, and with none in one
	for name in spans samples; do
		head -n 150 $name >$name.a
		sed -n '151,400p' $name >$name.b
		printf '%s\t2000000\tr0\tf\tx\t5\tstart=1999990\tstack=main;g\tw=1\n' "${name%s}" >$name.c
	done
	while IFS='|' read -r name options notes; do
		# shellcheck disable=SC2086 # words
		want_status 0 afagg $options $name.a $name.b $name.c
		sed 's/ of [0-9]* lines/ lines/' err >want
		[ "$(wc -l <err)" -eq "$notes" ] || fail "$options: $(cat err)"
		grep '^agg' out >direct
		for shard in a b c; do
			# shellcheck disable=SC2086
			want_status 0 afagg $options --partial $name.$shard
			mv out part.$shard
		done
		want_status 0 afagg part.c part.a part.b
		same want err
		grep '^agg' out | same direct -
		want_status 0 afagg --partial part.b part.a
		mv out part.ba
		want_status 0 afagg part.ba part.c
		same want err
	done <<-'END'
		samples|--by frame|2
		samples|--by caller:f1|3
		samples|--by caller:g|2
		samples|--by region --weight w|2
		samples|--by region,event? --of w|1
		spans|--by region --window 1us|1
		samples|--by region|1
		samples|--by event|0
	END
	# a shard of which nothing was counted
	printf 'sample\t1\tr0\tf\tm\t1\n' >samples.a
	for shard in a c; do
		want_status 0 afagg --by caller:g --partial samples.$shard
		mv out part.$shard
	done
	want_status 0 afagg part.a part.c
	echo 'afagg: left out 1 line, whose stacks do not have g' | same - err
	# counts that are none
	want_status 0 afagg --no-marks --by caller:g --partial samples.b
	cat out out >parts
	for count in x -1 18446744073709551616 18446744073709551615; do
		sed "s/part.outside=[0-9]*/part.outside=$count/" parts >bad
		want_status 1 afagg bad
		said 'the tag part.outside is not a number, or makes a total too large'
	done
}

@test "partial results of other settings, and events among them, are refused" {
	lines a <<<'sample 1 r f m 5'
	want_status 0 afagg --by region --partial a
	cp out a.1
	want_status 0 afagg --by region --stat sum --partial a
	cp out a.2
	want_status 1 afagg a.1 a.2
	said 'a.2:2: this partial result was made with --stat sum: unlike the first one'
	want_status 1 afagg a.2 a.1
	said 'this partial result was made without --stat: unlike the first one'
	want_status 1 afagg --by comm a.1
	said 'this partial result was made with --by region: it belongs to the afagg --partial that makes them (with afarray, in --map), not here'
	# fewer keys: the results can be joined, and the sums are those of all lines
	lines b <<-'EOF'
	sample 1 r f m 5 rank=0
	sample 2 r g m 7 rank=0
	sample 3 s f m 9 rank=1
	EOF
	want_status 0 afagg --by rank,region --partial b
	cp out b.1
	want_status 1 afagg --by rank b.1
	said '(with afarray, in --map), not here; afagg PART... | afagg --kind agg --by rank adds up counts, sums'
	want_status 0 afagg --by rank b
	unmarked out >want
	want_status 0 sh -c 'afagg b.1 | afagg --kind agg --by rank'
	unmarked out | same want -
	want_status 1 afagg --by ran,region b.1
	said '(with afarray, in --map), not here'
	! grep -q 'adds up' err || fail "$(cat err)"
	# one error for all of them, and their number
	lines a <<-'EOF'
	sample 1 r f m 5
	sample 1 r g m 5
	EOF
	want_status 0 afagg --by region --partial a
	cp out a.3
	for f in 'a.3 a.3 a.3' 'a.2 a.3 a.3 a.3'; do
		case $f in a.2*) set -- ;; *) set -- --stat mean ;; esac
		# shellcheck disable=SC2086 # files
		want_status 1 afagg --no-marks "$@" $f
		[ "$(grep -c 'this partial result was made without --stat' err)" -eq 1 ]
		said 'afagg: 6 lines of partial results were left out, since they do not fit'
	done
	# other bins, in the settings and in the text of a result
	want_status 0 afagg --by region --stat hist --bins 0,2,4 --partial a
	cp out bins
	grep -q '	part.bins=0,2,4	.*	agg.hist=e0,2,4:3\*1$' bins
	want_status 0 afagg --by region --stat hist --bins 0,2,4 bins bins
	for text in s=0,2,4/s=1,2,4 s=0,2,4/s=0,2 e0,2,4/e1,2,4 e0,2,4/e0,3,4 e0,2,4/e0,2,5 e0,2,4/e0,2 e0,2,4/w2 e0,2,4/log2; do
		sed "s/$text/" bins >other
		want_status 1 afagg --by region --stat hist --bins 0,2,4 bins other
		said 'other:2: '
		case $text in e*) said 'is not the bins of --bins' ;; esac
	done
	want_status 1 afagg --no-marks a.1 a
	said 'a:1: partial results and other lines cannot be aggregated together'
	want_status 1 afagg --no-marks a a.1
	said 'a.1:2: partial results and other lines cannot be aggregated together'
	# nor do finished results, whose events would be missing, in any order
	printf 'sample\t1\tr2\tf\tm\t5\n' | afagg --by region | sed '/^#/d' >a.6
	for f in 'a.1 a.6' 'a.6 a.1'; do
		# shellcheck disable=SC2086 # two files
		want_status 1 afagg --no-marks $f
		said 'afagg: results (lines of kind agg) beside partial results were left out: 2 (make all of them with --partial)'
		! grep -q 'other kinds' err || fail "$(cat err)"
		[ "$(tail -n 1 out | cut -f 5)" = partial ]
	done
	# what does not fit the command line changes nothing for the lines after it
	for stat in count p99,mad hist; do
		want_status 0 afagg --no-marks --stat $stat a
		mv out want
		want_status 1 afagg --no-marks --stat $stat a.3 a
		said 'a.3:2: this partial result was made with'
		grep '^agg' out | cmp - <(grep '^agg' want)
	done
	# after damaged settings there are none
	printf 'part\t1\tr\tf\tm\t.\tpart.by=region\tpart.stat=%s\tagg.n=1\n' mad,p999 >a.4
	printf 'part\t1\tr\tf\tm\t.\tpart.stat=mad\tpart.sketch=1%%\tagg.n=1\n' >a.5
	for f in a.4 a.5; do
		want_status 1 afagg --no-marks $f a
		said "$f:1: "
		said 'a:1: partial results and other lines cannot be aggregated together'
		said 'a:2: partial results and other lines cannot be aggregated together'
		[ "$(grep -c '^agg' out)" -eq 0 ]
	done
}

@test "a regular expression in a partial result is not compiled at any price" {
	{
		printf '#afstream\t1\tafagg\tin\n'
		printf 'part\t1\tr\t.\tm\t.\tcallee=f\tstart=1\tpart.by=callee~(a*)%s\tagg.n=1\tagg.sum=5\n' "$(printf '+%.0s' {1..40})"
		printf '#end\tafagg\tin\t1\tcomplete\n'
	} >part
	want_status 1 timeout 20 afagg part
	said 'too large, or nested too deeply, when what it repeats is written out'
}

@test "a damaged partial result: its group has no result" {
	printf 'sample\t1\tr\tf\tm\t5\nsample\t1\tr\tg\tm\t6\n' >a
	want_status 0 afagg --by region --stat sum --partial a
	sed 's/agg.sum=5/agg.sum=5x/' out >bad
	want_status 1 afagg bad
	said 'bad:2: agg.sum'
	[ "$(grep -c $'\tf\tm\t' out)" -eq 0 ] || fail "$(cat out)"
	grep -q $'\tg\tm\t6\t' out || fail "$(cat out)"
	want_status 0 afagg --by region --stat sum --partial a
	sed 's/\tagg.sum=5//' out >bad
	want_status 1 afagg bad
	[ "$(grep -c $'\tf\tm\t' out)" -eq 0 ] || fail "$(cat out)"
}

@test "each tag of a partial result that was changed is refused by its name, and other groups have results" {
	lines in <<-'EOF'
	sample 5 r f m 1 w=3
	sample 6 r g m -3.5 w=1
	EOF
	want_status 0 afagg --no-marks --by region --window 10ns --stat sum,var,p50,first,hist --sketch 1% --bins 0,2 --weight w --partial in
	cp out part
	want_status 0 afagg --no-marks part
	silent
	grep $'\tg\tm\t' out >want
	set -- \
		agg.n=1 agg.n=18446744073709551616 'agg.n: "18446744073709551616" is not a count' \
		agg.n=1 agg.n= 'agg.n: "" is empty' \
		agg.w=3 agg.w=03 'agg.w: "03" is not a sum of weights' \
		agg.w=3 agg.w=1234567890123456789012345678901234567890 'agg.w: "1234567890123456789012345678901234567890" is not a sum of weights' \
		agg.sum=3 agg.sum=- 'agg.sum: "-" is not a sum' \
		agg.sum=3 agg.sum=03 'agg.sum: "03" is not a sum' \
		agg.sum=3 agg.sum=-0 'agg.sum: "-0" is not a sum' \
		agg.sum=3 agg.sum=3p0 'agg.sum: "3p0" is not a sum' \
		agg.sum=3 agg.sum=1p1216 'agg.sum: "1p1216" is not a sum' \
		agg.sum=3 agg.sum=3p1215 'agg.sum: "3p1215" is not a sum' \
		agg.sum=3 agg.sum=3p1151 'agg.sum: "3p1151" is not a sum' \
		agg.sum=3 "agg.sum=$(printf '9%.0s' {1..1100})" "agg.sum: \"$(printf '9%.0s' {1..60})\" is not a sum" \
		agg.sum=3 agg.sum=1p-1075 'agg.sum: "1p-1075" is not a sum' \
		agg.sq=3 agg.sq=-3 'agg.sq: "-3" is not a sum of squares' \
		agg.min=1 agg.min=nan 'agg.min: "nan" is not a number as the stream spells it' \
		agg.max=1 agg.max=1.0 'agg.max: "1.0" is not a number as the stream spells it' \
		agg.first=5:1 agg.first=5 'agg.first: "5" is not a time and a value' \
		agg.first=5:1 agg.first=05:1 'agg.first: "05:1" is not a time and a value' \
		agg.sketch=6:68800 agg.sketch=7:68800 'agg.sketch: "7" is not the precision of --sketch' \
		:68800*3 : 'agg.sketch: "6" is not a bucket and a count' \
		:68800*3 :68800*0 'agg.sketch: "68800*0" is not a bucket and a count' \
		:68800*3 :1*3 'agg.sketch: "1*3" is not a bucket and a count' \
		:68800*3 :1.5*3 'agg.sketch: "1.5*3" is not a bucket and a count' \
		:68800*3 :99999999999*3 'agg.sketch: "99999999999*3" is not a bucket and a count' \
		:68800*3 :-99999999999*3 'agg.sketch: "-99999999999*3" is not a bucket and a count' \
		:68800*3 :9223372036854775808*3 'agg.sketch: "9223372036854775808*3" is not a bucket and a count' \
		:68800*3 ':0*18446744073709551615;0*1' 'agg.sketch: "0*1" makes a total too large' \
		2:1*3 2: 'agg.hist: "e0,2" is not a bin and a count' \
		2:1*3 2:3*3 'agg.hist: "3*3" is not a bin and a count' \
		2:1*3 2:-1*3 'agg.hist: "-1*3" is not a bin and a count' \
		window=0 window=x 'the window of this partial result is not a time' \
		window=0 window= 'the window of this partial result is not a time' \
		window=0 window=-x 'the window of this partial result is not a time' \
		window=0 window=-0 'the window of this partial result is not a time' \
		start=5 start=x 'start "x" is not a time of up to 128 bits' \
		part.by part.over=more\\tpart.by 'the tag part.over is none of total, run, nested, event, lines, skipped, outside'
	while [ $# -gt 0 ]; do
		sed "2s/${1//\*/\\*}/$2/" part >bad
		! cmp -s part bad || fail "nothing to change: $1"
		want_status 1 afagg --no-marks bad
		echo "afagg: bad:2: $3" | same - err || fail "$1 $2"
		grep '^agg' out | same want - || fail "$1 $2"
		shift 3
	done
	# what is a number by itself, but fits nothing
	for change in agg.w=3/agg.w=0 agg.min=1/agg.min=2 agg.max=1/agg.max=. 68800*3/68800*2 2:1*3/2:1*2 \
		68800*3/68800*4 2:1*3/2:1*4 '68800*3/0*1;68800*3' '2:1*3/2:0*1;1*3' '68800*3/0*4;68800*2' '2:1*3/2:0*4;1*2' \
		'68800*3/68800*18446744073709551615;68800*1' '68800*3/4294967297*3'; do
		sed "2s/${change//\*/\\*}/" part >bad
		want_status 1 afagg --no-marks bad
		echo 'afagg: the parts of a partial result do not fit together: a line is missing, is duplicated, or was changed' | same - err || fail "$change"
	done
	# the groups before and after it are there
	lines in <<-'EOF'
	sample 1 r f m 1
	sample 2 r g m 2
	sample 3 r h m 3
	sample 4 r i m 4
	EOF
	local unfit='afagg: the parts of a partial result do not fit together: a line is missing, is duplicated, or was changed'
	afagg --no-marks --by region --stat min,max --partial in | sed '3,4s/agg.min=./agg.min=9/' >bad
	want_status 1 afagg --no-marks bad
	want 'agg 1 r f m 1 stat=min start=1 n=1
agg 1 r f m 1 stat=max start=1 n=1
agg 4 r i m 4 stat=min start=4 n=1
agg 4 r i m 4 stat=max start=4 n=1'
	echo "$unfit (groups left out: 2)" | same - err
	want_status 1 afagg --no-marks --partial <(sed 4d bad)
	[ "$(grep '^part' out | cut -f 4 | xargs)" = 'f i' ] || fail "$(cat out)"
	echo "$unfit" | same - err
	# weights, where there is nothing else: each value counted has one of 1 at least
	lines in <<-'EOF'
	sample 5 r f m 1 w=2
	sample 6 r f m 1 w=3
	sample 6 r g m 1 w=0
	EOF
	afagg --no-marks --by region --stat count --weight w --partial in >weighted
	for change in w=5/agg.w=1 w=5/agg.w=0 w=0/agg.w=1; do
		want_status 1 afagg --no-marks <(sed "s/agg\.$change/" weighted)
		echo 'afagg: the parts of a partial result do not fit together: a line is missing, is duplicated, or was changed' | same - err || fail "$change"
	done
	want_status 0 afagg --no-marks <(sed 's/agg.w=5/agg.w=2/' weighted)
	# counts that are too large only together
	for change in 'n=1 n=18446744073709551615' 'odd=1;0;0;0;0 odd=1;18446744073709551615;0;0;0'; do
		sed "3s/agg.${change/ //agg.}/" part >bad
		sed '3s/part	6/part	7/' bad >worse
		want_status 1 afagg --no-marks bad worse
		text=${change#* }
		echo "afagg: worse:3: agg.${text/=/: \"}\" makes a total too large" | same - err || fail "$change"
		[ "$(grep -c '	g	m	' out)" -eq 0 ] || fail "$change: $(cat out)"
	done
	# the first of the groups that are left out says why
	lines in <<-'EOF'
	sample 1 r a m 1
	sample 1 r b k 1
	sample 1 r c n 1
	EOF
	afagg --no-marks --by region --stat share,min --partial in >part
	sed '/\ta\tm/s/agg.min=1/agg.min=./; /\tk\t.*part.over=total/d' part >bad
	want_status 1 afagg --no-marks bad
	echo "$unfit (groups left out: 2)" | same - err
	[ "$(grep -c '^agg.*	c	n	' out)" -eq 2 ] && [ "$(grep -c '^agg' out)" -eq 2 ]
	sed '/\tb\tk/s/agg.min=1/agg.min=./; /\tm\t.*part.over=total/d' part >bad
	want_status 1 afagg --no-marks bad
	echo 'afagg: the total of a measure is not in the partial results, or only a part of it' \
		'(lines with part.over=total) (groups left out: 2)' | same - err
}

@test "groups that are damaged have no result on disk either, and no partial one" {
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 20000; i++)
		print "sample", i, "r", "f" i % 10000, "m", i }' >in
	afagg --no-marks --by region --stat count,sum,p50 --partial in >a
	afagg --no-marks --by region --stat count,sum,p50 in | awk -F '\t' '$4 != "f77" && /^agg/' >want
	# the damage comes first or last, of lines that are in memory and on disk
	sed '/\tf77\t/!d; s/agg.sum=/&0/' a >bad
	grep -v '	f77	' a >rest
	for files in 'bad rest' 'rest bad'; do
		for memory in 1M 100M; do
			# shellcheck disable=SC2086 # files
			want_status 1 afagg --no-marks --max-memory $memory $files
			[ "$(wc -l <err)" -eq 1 ]
			grep -q '^afagg: bad:[12]: agg.sum: "0' err || fail "$(cat err)"
			grep '^agg' out | same want - || fail "$files $memory"
			# shellcheck disable=SC2086 # files
			want_status 1 afagg --no-marks --max-memory $memory --partial $files
			[ "$(grep -c '	f77	' out)" -eq 0 ]
			[ "$(grep -c '^part' out)" -eq 9999 ]
		done
	done
}

@test "a damaged group, and memory that runs out after it" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	helpers nomem.so || skip "no preloading here"
	# the state of the next group is longer, so that writing it takes memory
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 2000; i++) print "sample", i, "r", i == 0 ? "a" : "b", "m", i }' |
		afagg --no-marks --by region --stat min,median --partial | sed '/\ta\t/s/agg.min=0/agg.min=./' >bad
	local k status=0 refused=0
	afagg --no-marks --partial bad >whole 2>whole.err || status=$?
	[ $status -eq 1 ] && [ "$(grep -c agg.n= whole)" -eq 1 ]
	for ((k = 1; k < 150; k++)); do
		status=0
		LD_PRELOAD=$HELPERS/nomem.so NOMEM=$k afagg --no-marks --partial bad >out 2>err || status=$?
		if [ $status -eq 1 ]; then
			same out whole && same err whole.err || fail "allocation $k" || return
		else
			[ $status -eq 3 ] && grep -q memory err || fail "allocation $k: $status: $(cat err)" || return
			refused=$((refused + 1))
		fi
	done
	[ $refused -gt 20 ] && [ $refused -lt 149 ] || fail "$refused"
}

@test "totals and extents that are damaged, settings that are none, and results among partial ones" {
	lines in <<-'EOF'
	sample 1 r f m 5
	sample 2 r g m 15
	EOF
	afagg --no-marks --by region --stat sum,share --partial in >part
	sed 's/part.over=total\(.*\)agg.sum=20/part.over=total\1agg.sum=020/' part >bad
	want_status 1 afagg --no-marks bad
	said 'agg.sum: "020" is not a sum'
	[ "$(grep -c '^agg' out)" -eq 0 ] || fail "$(cat out)"
	want_status 1 afagg --no-marks --partial bad
	[ "$(grep -c 'part.over=total' out)" -eq 0 ] || fail "$(cat out)"
	afagg --no-marks --by region --stat rate --partial in >part
	sed 's/part.over=run/&\tpart.run=several/' part >bad
	want_status 1 afagg --no-marks bad
	said 'the extent of several runs'
	sed 's/part.by=region/part.by=reg\\x00ion/' part >bad
	want_status 1 afagg --no-marks bad
	said 'bad:2: the settings of this partial result are damaged'
	afagg --no-marks --by region in >results
	for files in 'part results' 'results part'; do
		# shellcheck disable=SC2086 # files
		want_status 1 afagg --no-marks --kind agg --by region $files
		said 'partial result'
	done
}

@test "other programs do not take partial results for results" {
	printf 'sample\t1\tr\tf\tm\t5\n' >a
	want_status 0 afagg --by region --partial a
	cp out part
	for f in aftab foldenc afenc; do
		want_status 1 "$f" part
		[ "$(cat err)" = "$f: part: the input has partial results; merge them with afagg first" ] || fail "$(cat err)"
		[ "$(grep -cv '^#' out)" -eq 0 ] || fail "$(cat out)"
	done
}

# bats test_tags=slow
@test "10 million groups in 256 MiB" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers allocate otherwise"
	need python3
	cat >most.py <<-'EOP'
	import resource, subprocess, sys
	n = 10000000
	made = subprocess.Popen(['awk', 'BEGIN { OFS = "\t"; for (i = 0; i < %d; i++)'
	    ' print "sample", i, "r", "f" (i * 7919) %% %d, "m", i %% 1000 }' % (n, n)], stdout=subprocess.PIPE)
	afagg = subprocess.Popen([sys.argv[1], '--by', 'region', '--max-memory', '256M'], stdin=made.stdout, stdout=subprocess.PIPE)
	ends = subprocess.run(['tail', '-n', '1'], stdin=afagg.stdout, capture_output=True).stdout
	assert afagg.wait() == 0 and ends == b'#end\tafagg\t-\t%d\tcomplete\n' % (2 * n), ends
	assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 400 * 1024
	EOP
	python3 most.py "$(command -v afagg)" 2>log || fail "$(tail -n 1 log)"
}

@test "a total or an extent that was lost, or is there twice, is noticed" {
	lines a <<-'EOS'
	sample 1 r a m 10 stack=x;y
	sample 9 r b m 20 stack=x
	EOS
	for options in '--by region --stat share' '--by frame --stat sum'; do
		# shellcheck disable=SC2086 # options are words
		want_status 0 afagg $options --partial a
		grep -v over=total out >lost
		want_status 1 afagg lost
		said 'the total of a measure is not in the partial results'
	done
	want_status 0 afagg --by region --stat share --partial a
	(cat out && grep over=total out) >twice
	want_status 1 afagg twice
	said 'partial results are missing, or appear twice'
	want_status 0 afagg --by region --stat rate --partial a
	grep -v over=run out >lost
	want_status 1 afagg lost
	said 'the times of a run are not in the partial results'
	want_status 0 afagg --by region,stack --partial a
	sed 's/\tstack=x;y//' out >less
	want_status 1 afagg less
	said 'less:2: the key stack is missing'
}

@test "the type as a key: each total is that of its type" {
	lines in <<-'EOF'
	sample 1 r f m 5 type=int64 stack=a;f
	sample 2 r f m 7 type=double stack=a;f
	sample 3 r g m 3 type=int64 stack=a;g
	sample 4 r g m x type=text stack=a;g
	EOF
	for key in region frame; do
		afagg --by "type,$key" --stat count,share in >whole
		afagg --by "type,$key" --stat count,share --partial in >part
		want_status 0 afagg part
		diff <(grep -v '^#' whole) <(grep -v '^#' out)
	done
}

@test "a state of several lines is not written to disk before it is complete" {
	need python3
	python3 -c 'for g in range(100): print("sample", g, "r", "a%d" % g, "m", g, sep="\t")
for g in range(3):
	    for i in range(60000): print("sample", i, "r", "f%d" % g, "m", i * 1000003 % 99999999999, sep="\t")' >in
	want_status 0 afagg --by region --stat median,count in
	grep '^agg' out >whole
	want_status 0 afagg --by region --stat median,count --partial in
	cp out part
	[ "$(grep -c '^part' part)" -gt 6 ]
	want_status 0 afagg --max-memory 12M part
	grep '^agg' out | same whole -
}

# bats test_tags=slow
@test "groups on disk: the work is in proportion to the units of one key" {
	need valgrind
	[[ ${CFLAGS-} != *coverage* ]] || skip "counters have instructions of their own"
	for n in 4000 40000; do
		awk -v n=$n 'BEGIN { OFS = "\t"; for (i = 0; i < 2 * n; i++)
			print "sample", i, "r", "f", "m", i, "unit=u" (i * 7919) % n }' >in.$n
	done
	afagg --by region in.40000 | grep '^agg' >want
	want_status 0 afagg --by region --max-memory 40M in.40000
	grep '^agg' out >got
	same want got
	# the few lines go to disk, too
	few=$(instructions afagg --by region --max-memory 4M in.4000)
	many=$(instructions afagg --by region --max-memory 40M in.40000)
	[ "$many" -le $((few * 14)) ] || fail "$few instructions, and $many for ten times the input"
}

@test "squares that add up to 128 bits only when results are merged" {
	local i v=4611686018427387904 # 2^62
	for i in 1 2 3 4 5 6 7 8; do
		printf 'sample\t%d\tr\tf\tm\t%s\n' $i $v $i -$v
	done >whole
	head -n 2 whole | afagg --no-marks --stat var,stddev,pstddev --partial >few
	tail -n 14 whole | afagg --no-marks --stat var,stddev,pstddev --partial >many
	afagg --no-marks --stat var,stddev,pstddev whole | grep '^agg' >want
	[ "$(awk -F'\t' '/stat=pstddev/ { print $6 }' want)" = 4.611686018427388e18 ]
	afagg few many | grep '^agg' >got
	same want got
	afagg many few | grep '^agg' >got
	same want got
}

@test "a merge has the notes of one run about values that contain each other, however they were divided" {
	local scopes='sums and means count the same several times: values of a whole run, region or section contain those of the regions inside (to tell them apart: --by scope,region)'
	local regions='sums and means of inclusive and .delta count the same several times, since regions contain each other: use the measure self, or --by region, or choose one region'
	local by i note told=0
	# shellcheck disable=SC2034 # event uses it
	local run=r
	{
		event span 100 . m 100 scope=run start=0
		event span 50 f m 40 scope=region start=0
		event span 90 g m 30 scope=region start=50
		run=s event span 90 g u 30 scope=region start=50
		event span 50 f inclusive 40 scope=region start=0 'stack=f'
		event span 40 g inclusive 30 scope=region start=10 'stack=f;g'
	} >in
	for by in comm? region scope scope,region run window; do
		set -- --by "$by"
		[ "$by" != window ] || set -- --window 1s
		want_status 0 afagg --no-marks "$@" in
		cp err "want.$by"
		cat err >>all
		for i in 1 2 3 4 5 6; do
			sed "${i}q;d" in | afagg --no-marks "$@" --partial >"part.$i"
		done
		want_status 0 afagg part.3 part.6 part.1 part.5 part.2 part.4
		same "want.$by" err
		afagg --partial part.6 part.5 part.2 2>/dev/null >left
		afagg --partial part.4 part.1 part.3 2>/dev/null >right
		grep -v '^#' left right -h | LC_ALL=C sort -r >sorted
		want_status 0 afagg --no-marks sorted
		same "want.$by" err
		# found in a part, which says so
		afagg --no-marks "$@" --partial in 2>/dev/null >part
		want_status 0 afagg part
		same "want.$by" err
	done
	for note in "$scopes" "$regions"; do
		told=$((told + $(grep -cxF "afagg: $note" all)))
	done
	[ "$told" -eq 8 ] || fail "$(cat all)"
}

@test "what partial results say about nesting may be damaged" {
	local text
	event span 50 f m 40 scope=region start=0 | afagg --no-marks --by tid? --partial >part
	grep -q '	part.nested=c\\tm\\t0x1\\t\.\\tregion\\tf	' part || fail "$(cat part)"
	for text in x rx rrx 'c' 'c\\tm' 'c\\tm\\t0x1\\t.' 'c\\tm\\t0x1\\t.\\t' 'q\\tm\\t0x1' ''; do
		sed "s/part.nested=[^	]*/part.nested=$text/" part >bad
		want_status 1 afagg --no-marks bad
		echo 'afagg: bad:2: the tag part.nested is damaged' | same - err || fail "$text"
	done
}

@test "partial results without their counters, or with texts that no part has" {
	lines in <<<'sample 1 r f m 5 tid=3 stack=main;f'
	local options error
	while IFS='|' read -r options error; do
		# shellcheck disable=SC2086 # options are words
		want_status 0 afagg --partial $options in
		grep -v part.over=lines out >part
		want_status 1 afagg --no-marks part
		same err - <<<"afagg: $error"
		want_status 0 afagg --partial part
		grep '^part' out | same - <(grep '^part' part)
	done <<-'END'
	--by caller:w|no stack has the function 'w' (perfdec --inline shows those that the compiler has inlined)
	--by region --weight w|no line has 'w'
	END
	# lines that lacked a function, although no key has one
	want_status 0 afagg --partial --by caller:w in
	sed 's/caller:w/region/' out >part
	want_status 0 afagg part
	said 'left out 1 line, whose stacks do not have .'
	# a function that was there, but not for its key
	want_status 0 afagg --partial --by caller:f --stat count in
	sed 's/part.by/part.unrecorded=caller:f;\t&/' out >part
	want_status 1 afagg --no-marks part
	same err - <<<"afagg: no stack has the function 'f' (perfdec --inline shows those that the compiler has inlined)"
	# an optional key is not asked for, whatever is said of it
	want_status 0 afagg --no-marks --by region,y? in
	cp out whole
	want_status 0 afagg --partial --by region,y? in
	sed 's/part.by/part.unrecorded=y;\t&/' out >part
	want_status 0 afagg --no-marks part
	silent
	grep -v '^#' out | same - <(grep -v '^#' whole)
	event span 9 f m 5 start=1 scope=region | afagg --no-marks --by tid? --partial >part
	local scopes
	for scopes in x 100 -1 ''; do
		sed "s/part.scopes=[0-9]*/part.scopes=$scopes/" part >bad
		want_status 1 afagg --no-marks bad
		same err - <<<'afagg: bad:3: the tag part.scopes is not a number up to 31'
	done
}

@test "partial results that fit only without each other" {
	# sums of weights
	lines in <<<'sample 1 r f m 5 w=18446744073709551615'
	afagg --no-marks --by region --stat count --weight w --partial in >part
	sed 's/agg.w=[0-9]*/agg.w=340282366920938463463374607431768211455/; s/agg.n=1/agg.n=18446744073709551614/' part >most
	want_status 1 afagg --no-marks most part
	same err - <<<'afagg: part:2: the weights of the group add up to more than 128 bits'
	# sums of nothing
	afagg --no-marks --by region --stat sum --partial in | sed s/agg.n=1/agg.n=0/ >part
	want_status 1 afagg --no-marks part
	said 'the parts of a partial result do not fit together'
	# a nan among the values, but not in their number; a number longer than any
	afagg --no-marks --by region --stat median,min --partial in >part
	sed 's/agg.values=5/agg.values=nan/' part >bad
	want_status 1 afagg --no-marks bad
	said 'the parts of a partial result do not fit together'
	sed "s/agg.min=5/agg.min=$(printf '9%.0s' {1..500})/" part >bad
	want_status 1 afagg --no-marks bad
	said 'bad:2: agg.min: "999'
	# bins beyond the last one
	afagg --no-marks --stat hist --bins 10 --partial in >width
	afagg --no-marks --stat hist --partial in >log2
	sed 's/w10:0/w10:4611686018427387905/' width >bad.1
	sed 's/w10:0/w10:-4611686018427387906/' width >bad.2
	sed 's/log2:[0-9]*/log2:4294967297/' log2 >bad.3
	grep -ho '	agg.hist=.*' bad.? | sed 's/.*://; s/$/ /' | paste -sd ' ' | same - <(echo '4611686018427387905*1  -4611686018427387906*1  4294967297*1 ')
	local i
	for i in 1 2 3; do
		want_status 1 afagg --no-marks bad.$i
		[[ $(<err) == "afagg: bad.$i:2: agg.hist: \""*'*1" is not a bin and a count' ]] || fail "$(cat err)"
		[ -z "$(unmarked out)" ]
	done
	for i in 4611686018427387904 -4611686018427387905; do # those of all beyond
		want_status 0 afagg --no-marks <(sed "s/w10:0/w10:$i/" width)
	done
	# a damaged group that a later part has, too
	lines in <<-'END'
	sample 1 r f m 5
	sample 1 r g m 5
	END
	afagg --no-marks --by region --stat sum --partial in >part
	sed '2s/agg.sum=5/agg.sum=05/' part >bad
	cp part again
	for i in 'bad part again' 'part bad again'; do
		# shellcheck disable=SC2086 # files
		want_status 1 afagg --no-marks $i
		want 'agg 1 r g m 15 stat=sum start=1 n=3'
		same err - <<<'afagg: bad:2: agg.sum: "05" is not a sum'
	done
}

@test "totals and times of only some of the partial results" {
	lines a <<-'END'
	sample 3 r f m 5 stack=a;b
	sample 5 r g m 5 stack=a
	END
	lines b <<-'END'
	sample 1 r f m 5 stack=a;b
	sample 9 r g m 5 stack=a
	END
	local file
	for file in a b; do
		afagg --no-marks --by frame --stat sum --partial $file >frame.$file
		afagg --no-marks --by region --stat rate --partial $file >rate.$file
	done
	# of frame=a there are more lines than in the total; of the run there are earlier and later times
	grep -v over=total frame.b | want_status 1 afagg --no-marks frame.a -
	said 'afagg: the total of a measure is not in the partial results, or only a part of it'
	unmarked out | grep -c 'frame=a' | same - <(echo 0)
	grep -v over=run rate.b | want_status 1 afagg --no-marks rate.a -
	same err - <<<'afagg: the times of a run are not in the partial results, or only a part of them (lines with part.over=run) (groups left out: 2)'
	[ -z "$(unmarked out)" ]
	grep -v over=run rate.a | want_status 0 afagg --no-marks rate.b -
	want 'agg 3 r f m 1250000000 stat=rate start=1 n=2
agg 9 r g m 1250000000 stat=rate start=5 n=2'
	# a total that is damaged, where it is a tag
	sed 's/\(over=total.*agg.sum=\)/\10/' frame.a >bad
	want_status 1 afagg --no-marks bad
	said 'bad:2: agg.sum: "010" is not a sum'
	[ -z "$(unmarked out)" ]
}

@test "damaged groups and totals whose units turn out to be the same, and with zeros" {
	lines a <<-'END'
	measure . r . m . unit=ns
	sample 3 r f m 5
	END
	lines b <<-'END'
	sample 3 r f m 6
	sample 3 r g m 6
	END
	local file
	for file in a b; do
		afagg --no-marks --by region --stat sum,share --partial $file >part.$file
		sed 's/\(	f	.*agg.sum=\)/\10/' part.$file >bad.$file
		sed 's/\(over=total.*agg.sum=\)/\10/' part.$file >total.$file
	done
	for file in 'bad.a part.b' 'part.b bad.a' 'part.a bad.b' 'bad.b part.a' 'bad.a bad.b'; do
		# shellcheck disable=SC2086 # files
		want_status 1 afagg --no-marks $file
		said 'is not a sum'
		[ "$(unmarked out | grep '^agg' | cut -f 4,6,7 | tr '\t' ' ' | paste -sd,)" = 'g 6 stat=sum,g 0.35294117647058826 stat=share' ] || fail "$file: $(cat out)"
	done
	for file in 'total.a part.b' 'part.b total.a' 'total.a total.b'; do
		# shellcheck disable=SC2086
		want_status 1 afagg --no-marks $file
		[ "$(grep -c '^agg' out)" -eq 0 ] || fail "$file: $(cat out)"
	done
	sed 's/\(agg.sum=\)/\10/' part.a >both # its total and its only group
	want_status 1 afagg --no-marks both
	[ "$(grep -c 'agg.sum: "05" is not a sum' err)" -eq 2 ] && [ "$(wc -l <err)" -eq 2 ]
	[ "$(grep -c '^agg' out)" -eq 0 ]
	lines in <<-'END'
	sample 1 r f m 5 cpu=1
	sample 2 r g m 5 cpu=1
	sample 3 r f m 5 cpu=2
	END
	afagg --no-marks --by cpu,region --stat sum --zeros region --partial in >part
	sed '/cpu=2/s/agg.sum=5/agg.sum=05/' part >bad
	want_status 1 afagg --no-marks bad
	want <<-'END'
	agg 1 r f m 5 cpu=1 stat=sum start=1 n=1
	agg 2 r g m 5 cpu=1 stat=sum start=2 n=1
	agg . . g m 0 cpu=2 stat=sum n=0
	END
}

@test "partial results with zeros, and with a long sketch, that are moved to disk" {
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 5000; i++) print "sample", i, "r", "f" i % 2003, "m", i, "cpu=" i % 5 }' >in
	want_status 0 afagg --no-marks --by cpu,region --stat sum --zeros cpu in
	grep '^agg' out >whole
	want_status 0 afagg --no-marks --by cpu,region --stat sum --zeros cpu --partial in
	cp out part
	want_status 0 afagg --no-marks --by cpu,region --stat sum --zeros cpu --partial --max-memory 900K in
	same part out
	want_status 0 afagg --no-marks part
	grep '^agg' out | same whole -
	# one line of a sketch is not enough
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 120000; i++) print "sample", i, "r", "f", "m", i % 97 + 1 "e" i % 600 - 300 }' >in
	want_status 0 afagg --no-marks --stat p10,p50,p90 --sketch 0.01% in
	grep '^agg' out >whole
	want_status 0 afagg --no-marks --stat p10,p50,p90 --sketch 0.01% --partial in
	cp out part
	[ "$(grep -c '^part' part)" -gt 1 ]
	want_status 0 afagg --no-marks part
	grep '^agg' out | same whole -
}

@test "more about nesting than is remembered, or than fits into a line" {
	event span 50 f m 40 scope=region start=0 | afagg --no-marks --by tid? --partial >part
	# the scopes of 65,536 runs, and two that contain each other after them
	awk 'BEGIN { FS = OFS = "\t" } /part.over=nested/ { for (i = 0; i < 32768; i++) { t = $0; sub(/0x1/, i, t); print t }
		sub(/tregion/, "trun"); print; sub(/trun/, "tregion") } { print }' part >many
	local note='afagg: sums and means count the same several times: values of a whole run, region or section contain'
	want_status 0 afagg --no-marks many
	[ ! -s err ] || fail "$(cat err)"
	awk '!/part.over=nested/ || ++n > 32000' many >fewer
	want_status 0 afagg --no-marks fewer
	said "$note"
	# a stack of 70,000 bytes is not told to other parts
	local stack
	stack=$(printf 'f%06d;' {1..10000})
	event sample 9 f inclusive 5 "stack=${stack}f" >in
	want_status 0 afagg --no-marks --by run --partial in
	[ "$(grep -c part.nested out)" -eq 0 ] && [ "$(grep -c agg.sum=5 out)" -eq 1 ]
	stack=$(printf 'f%04d;' {1..100})
	event sample 9 f inclusive 5 "stack=${stack}f" >in
	want_status 0 afagg --no-marks --by run --partial in
	[ "$(grep -c part.nested out)" -eq 101 ]
}

@test "keys and kinds so long that a partial result cannot repeat them all" {
	event sample 1 f m 5 | tee in | afagg --no-marks --by K --partial | grep agg.n= >key
	afagg --no-marks --by region --kind K,sample --partial in | grep agg.n= >kind
	cat >make.py <<-'PYTHON'
	# The longest line that can be read, with the tags up to the one whose name is given.
	import sys
	line = open(sys.argv[1]).read().rstrip('\n').split('\t')
	unseen = [t.split('=')[0] for t in line if t.startswith('part.un')]
	later = unseen[unseen.index(sys.argv[2]) + 1:] if sys.argv[2] in unseen else unseen
	text = '\t'.join(t for t in line if t.split('=')[0] not in later)
	print(text.replace('K', 'K' * (((1 << 24) - 100 - len(text)) // text.count('K'))))
	PYTHON
	local from tag
	for from in key:part.by key:part.unseen key:part.unrecorded kind:part.kind kind:part.unseen_kinds; do
		tag=${from#*:}
		python3 make.py "${from%:*}" "$tag" >long
		want_status 0 afagg --no-marks --partial long
		same err - <<<'afagg: tags left out of lines that would be longer than 16 MiB: 1'
		# all but the last of those tags, which is named
		tr '\t' '\n' <long | grep -v "^$tag=" | cat - <(echo "omitted=$tag") | sort >want
		grep agg.n= out | tr '\t' '\n' | sort | same - want
	done
}

@test "partial results whose results afdiff cannot store" {
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 30000; i++) print "sample", i, "r", "f" i, "m", i }' >in
	afagg --no-marks --by region --partial in >part
	sed 's/agg.sum=/&1/' part >after
	want_status 3 env TMPDIR="$T/nothing" afdiff --no-marks part after
	said 'afdiff: '
	said 'No such file or directory'
	(ulimit -f 100 && trap '' XFSZ && want_status 3 afdiff --no-marks part after)
	same err - <<<'afdiff: cannot write the temporary file: File too large'
}
