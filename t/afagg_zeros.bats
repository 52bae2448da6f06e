#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# afagg_zeros.bats - results of 0 for groups without lines (--zeros), and the note about groups with
# fewer results than others.

load lib

setup() {
	cd "$T" || return
}

# want: compares the agg lines of the last output with standard input, which has blanks.
want() {
	grep '^agg' out | tr '\t' ' ' >got || true
	same - got
}

# values STAT: the column of a statistic, with the region, from the last output.
values() {
	afcut --kind agg region,stat,value <out | awk -F '\t' -v stat="$1" '$2 == stat { print $1, $3 }' |
		paste -s -d ' '
}

# four: a function that four threads ran, and one that only the first one ran.
four() {
	lines <<-'EOF'
	sample 1 r hot t 1000000 tid=1
	sample 2 r work t 10 tid=1
	sample 3 r work t 20 tid=2
	sample 4 r work t 30 tid=3
	sample 5 r work t 40 tid=4
	EOF
}

@test "a function that one of four threads ran has results for all, and so a true mean" {
	four >in
	want_status 0 afagg --by tid,region -s sum --zeros region in
	silent
	want <<-'EOF'
	agg 1 r hot t 1000000 tid=1 stat=sum start=1 n=1
	agg 2 r work t 10 tid=1 stat=sum start=2 n=1
	agg . r hot t 0 tid=2 stat=sum n=0
	agg 3 r work t 20 tid=2 stat=sum start=3 n=1
	agg . r hot t 0 tid=3 stat=sum n=0
	agg 4 r work t 30 tid=3 stat=sum start=4 n=1
	agg . r hot t 0 tid=4 stat=sum n=0
	agg 5 r work t 40 tid=4 stat=sum start=5 n=1
	EOF
	cp out sums
	want_status 0 afagg --kind agg --by region --stat mean,min,max,stddev,p50,count sums
	silent
	[ "$(values mean)" = 'hot 250000 work 25' ]
	[ "$(values min)" = 'hot 0 work 10' ]
	[ "$(values max)" = 'hot 1000000 work 40' ]
	[ "$(values stddev)" = 'hot 500000 work 12.909944487358056' ]
	[ "$(values p50)" = 'hot 0 work 25' ]
	[ "$(values count)" = 'hot 4 work 4' ]
	# added up, zeros change nothing
	want_status 0 afagg --kind agg --by region sums
	grep '^agg' out >with
	afagg --by tid,region -s sum in >sums
	afagg --kind agg --by region sums | grep '^agg' | same - with
}

@test "the run of another commit does not count as absent" {
	lines >in <<-'EOF'
	sample 1 a f t 10 tag.commit=old
	sample 1 b f t 20 tag.commit=old
	sample 1 b g t 3 tag.commit=old
	sample 1 c f t 50 tag.commit=new
	sample 1 d f t 60 tag.commit=new
	sample 1 e f t 70 tag.commit=new
	sample 1 e h t 9 tag.commit=new
	EOF
	want_status 0 afagg --by tag.commit,run,region --stat sum --zeros region in
	want <<-'EOF'
	agg 1 c f t 50 tag.commit=new stat=sum start=1 n=1
	agg . c g t 0 tag.commit=new stat=sum n=0
	agg . c h t 0 tag.commit=new stat=sum n=0
	agg 1 d f t 60 tag.commit=new stat=sum start=1 n=1
	agg . d g t 0 tag.commit=new stat=sum n=0
	agg . d h t 0 tag.commit=new stat=sum n=0
	agg 1 e f t 70 tag.commit=new stat=sum start=1 n=1
	agg . e g t 0 tag.commit=new stat=sum n=0
	agg 1 e h t 9 tag.commit=new stat=sum start=1 n=1
	agg 1 a f t 10 tag.commit=old stat=sum start=1 n=1
	agg . a g t 0 tag.commit=old stat=sum n=0
	agg . a h t 0 tag.commit=old stat=sum n=0
	agg 1 b f t 20 tag.commit=old stat=sum start=1 n=1
	agg 1 b g t 3 tag.commit=old stat=sum start=1 n=1
	agg . b h t 0 tag.commit=old stat=sum n=0
	EOF
	afagg --kind agg --by tag.commit,region --stat mean out >means 2>err
	[ ! -s err ]
	[ "$(afcut --kind agg tag.commit,region,value <means | paste -s -d ' ')" = \
		'new	f	60 new	g	0 new	h	3 old	f	15 old	g	1.5 old	h	0' ]
}

@test "each measure, with its unit, has values and combinations of its own" {
	lines >in <<-'EOF'
	measure . r . t . unit=ns
	sample 1 r f t 1 tid=1 mid=7
	sample 2 r g t 2 tid=2 mid=7
	sample 3 r g t 4 tid=3 unit=bytes
	sample 4 s h u 8 tid=1
	sample 5 r i u 16 tid=1
	sample 6 r h u 32 tid=2
	sample 7 r f w x tid=2 type=text
	sample 8 r g w y tid=3 type=text
	EOF
	want_status 0 afagg --by tid,region -s count,sum --zeros region in
	said 'measures whose values are texts: w'
	want <<-'EOF'
	agg 1 r f t 1 tid=1 stat=count start=1 n=1 mid=7 unit=ns
	agg 1 r f t 1 tid=1 stat=sum start=1 n=1 mid=7 unit=ns
	agg . r g t 0 tid=1 stat=count n=0 mid=7 unit=ns
	agg . r g t 0 tid=1 stat=sum n=0 mid=7 unit=ns
	agg 4 s h u 1 tid=1 stat=count start=4 n=1
	agg 4 s h u 8 tid=1 stat=sum start=4 n=1
	agg 5 r i u 1 tid=1 stat=count start=5 n=1
	agg 5 r i u 16 tid=1 stat=sum start=5 n=1
	agg . r f t 0 tid=2 stat=count n=0 mid=7 unit=ns
	agg . r f t 0 tid=2 stat=sum n=0 mid=7 unit=ns
	agg 7 r f w 1 tid=2 stat=count start=7 n=1 type=text
	agg 2 r g t 1 tid=2 stat=count start=2 n=1 mid=7 unit=ns
	agg 2 r g t 2 tid=2 stat=sum start=2 n=1 mid=7 unit=ns
	agg . r g w 0 tid=2 stat=count n=0 type=text
	agg 6 r h u 1 tid=2 stat=count start=6 n=1
	agg 6 r h u 32 tid=2 stat=sum start=6 n=1
	agg . r i u 0 tid=2 stat=count n=0
	agg . r i u 0 tid=2 stat=sum n=0
	agg . r f w 0 tid=3 stat=count n=0 type=text
	agg 3 r g t 1 tid=3 stat=count start=3 n=1 unit=bytes
	agg 3 r g t 4 tid=3 stat=sum start=3 n=1 unit=bytes
	agg 8 r g w 1 tid=3 stat=count start=8 n=1 type=text
	EOF
	# tid 1 has lines of two runs of u, so that a result of 0 would have none of them
	sed -i 's/i	u	16	tid=1/i	u	16	tid=2/; s/^sample	4/&\t/; s/		s/	s/' in
	event sample 9 k u 1 tid=1 >>in
	run=r event sample 9 l u 1 tid=1 >>in
	want_status 0 afagg --by tid,region -s sum --zeros region in
	grep -q '^agg	\.	\.	i	u	0	tid=1' out
}

@test "several keys: their combinations that occur are the values" {
	lines >in <<-'EOF'
	sample 1 a f t 1 dso=x
	sample 1 a g t 1 dso=x
	sample 1 b f t 1 dso=y
	sample 1 b f t 1 dso=x
	EOF
	want_status 0 afagg --by dso,run,region -s sum --zeros region,dso in
	want <<-'EOF'
	agg 1 a f t 1 dso=x stat=sum start=1 n=1
	agg 1 a g t 1 dso=x stat=sum start=1 n=1
	agg 1 b f t 1 dso=x stat=sum start=1 n=1
	agg . b g t 0 dso=x stat=sum n=0
	agg . a f t 0 dso=y stat=sum n=0
	agg 1 b f t 1 dso=y stat=sum start=1 n=1
	EOF
	cp out both
	want_status 0 afagg --by dso,run,region -s sum --zeros run in
	same both out
}

@test "windows, the total of functions that share lines, weights, another number, a key that may be missing" {
	lines >in <<-'EOF'
	sample 10 r f t 1 tid=1 stack=m;f w=2 x=5
	sample 110 r g t 2 tid=2 stack=m;g w=0 x=6 cpu=1
	sample . r f t 4 tid=2 stack=f
	EOF
	want_status 0 afagg --by region --window 100ns -s sum --zeros window in
	want <<-'EOF'
	agg . r f t 4 window=. stat=sum n=1 windows=100
	agg 10 r f t 1 window=0 stat=sum start=10 n=1 windows=100
	agg . r f t 0 window=100 stat=sum n=0 windows=100
	agg . r g t 0 window=. stat=sum n=0 windows=100
	agg . r g t 0 window=0 stat=sum n=0 windows=100
	agg 110 r g t 2 window=100 stat=sum start=110 n=1 windows=100
	EOF
	want_status 0 afagg --by tid,frame -s sum --zeros frame in
	want <<-'EOF'
	agg 10 r . t 1 tid=1 frame=f stat=sum total=7 start=10 n=1
	agg . r . t 0 tid=1 frame=g stat=sum total=7 n=0
	agg 10 r . t 1 tid=1 frame=m stat=sum total=7 start=10 n=1
	agg . r . t 4 tid=2 frame=f stat=sum total=7 n=1
	agg 110 r . t 2 tid=2 frame=g stat=sum total=7 start=110 n=1
	agg 110 r . t 2 tid=2 frame=m stat=sum total=7 start=110 n=1
	EOF
	want_status 0 afagg --by tid,region -s count,sum,distinct --weight w --zeros region in
	[ "$(grep -c 'n=0' out)" -eq 9 ] # one of them is a line of weight 0
	want_status 0 afagg --by 'region,cpu?' -s sum --of x --zeros 'cpu?' in
	want <<-'EOF'
	agg 10 r f t 5 cpu=. stat=sum start=10 n=1 of=x
	agg . r f t 0 cpu=1 stat=sum n=0 of=x
	agg . r g t 0 cpu=. stat=sum n=0 of=x
	agg 110 r g t 6 cpu=1 stat=sum start=110 n=1 of=x
	EOF
	want_status 0 afagg --by stack:-1,tid -s count --zeros stack:-1 in
	[ "$(grep -c 'n=0' out)" -eq 1 ]
}

@test "a line of weight 0 gives a result of 0 no run, in any number of threads and any division" {
	local i

	awk 'BEGIN {
		OFS = "\t"
		print "sample", 1, "s", "f", "m", 5, "tid=1", "w=0"
		print "sample", 1, "s", "h", "m", 5, "tid=1", "w=0"
		for (i = 0; i < 30000; i++)
			print "sample", i, "r", "g", "m", 1, "tid=2", "w=1", "comm=some-program"
		print "sample", 7, "r", "f", "m", 5, "tid=1", "w=1", "mid=3"
	}' >in
	want_status 0 afagg --by tid,region -s sum --weight w --zeros region in
	mv out one
	grep '	tid=1	' one | tr '\t' ' ' >got
	same - got <<-'EOF'
	agg 7 r f m 5 tid=1 stat=sum start=7 n=1 of=value*w mid=3
	agg . r g m 0 tid=1 stat=sum n=0 of=value*w mid=3
	agg . s h m 0 tid=1 stat=sum n=0 of=value*w
	EOF
	want_status 0 afagg --by tid,region -s sum --weight w --zeros region --jobs 3 in
	same one out
	split -n l/3 in shard.
	for i in shard.a?; do
		want_status 0 afagg --by tid,region -s sum --weight w --zeros region --partial "$i"
		mv out "$i.part"
	done
	want_status 0 afagg shard.a?.part
	same <(grep '^agg' one) <(grep '^agg' out)
	# only lines of weight 0, of two runs
	lines <<-'EOF' >none
	sample 1 r f m 5 tid=1 w=0
	sample 1 s h m 5 tid=1 w=0
	sample 1 s g m 5 tid=2 w=1
	EOF
	want_status 0 afagg --by tid,region -s sum --weight w --zeros region none
	grep -q '^agg	.	.	g	m	0	tid=1	' out
}

@test "a result of 0 has the total and the mid of its own run, whichever of its keys is a value" {
	local z

	lines >in <<-'EOF'
	sample 1 a f t 100 stack=m;f mid=1
	sample 2 a g t 300 stack=m;g mid=1
	sample 1 b g t 1000 stack=m;g mid=2
	EOF
	for z in frame run; do
		want_status 0 afagg --by run,frame -s sum --zeros "$z" in
		want <<-'EOF'
		agg 1 a . t 100 frame=f stat=sum total=400 start=1 n=1 mid=1
		agg 2 a . t 300 frame=g stat=sum total=400 start=2 n=1 mid=1
		agg 2 a . t 400 frame=m stat=sum total=400 start=1 n=2 mid=1
		agg . b . t 0 frame=f stat=sum total=1000 n=0 mid=2
		agg 1 b . t 1000 frame=g stat=sum total=1000 start=1 n=1 mid=2
		agg 1 b . t 1000 frame=m stat=sum total=1000 start=1 n=1 mid=2
		EOF
	done
}

@test "partial results have no zeros; their merge adds them" {
	four >in
	want_status 0 afagg --by tid,region --zeros region in
	grep '^agg' out >whole
	head -n 2 in | afagg --by tid,region --zeros region --partial >p1
	tail -n 3 in | afagg --by tid,region --zeros region --partial >p2
	[ "$(grep -c '^part' p1)" -eq 2 ]
	grep '^part' p1 | grep -qv 'part.zeros=region' && fail "a part without the option"
	want_status 0 afagg p1 p2
	grep '^agg' out | same - whole
	afagg --partial p2 p1 >p3
	want_status 0 afagg p3
	grep '^agg' out | same - whole
	head -n 2 in | afagg --by tid,region --partial >p4
	want_status 1 afagg --by tid,region --zeros region p4
	said 'this partial result was made without --zeros: it belongs to the afagg --partial that makes them'
	# results of shards can also be joined, and zeros added then
	afagg --by tid,region in >r1
	want_status 0 afagg --kind agg --by tid,region --zeros region r1
	grep '^agg' out | same - whole
	afagg --by tid,region -s sum,max in >r1
	want_status 1 afagg --kind agg --by tid,region --zeros region r1
	said 'results of the statistic "max" are not 0 where there are no lines, as --zeros needs it: choose counts and sums (afsel -k agg -w stat=sum)'
}

@test "usage" {
	local stat
	for stat in mean min max stddev pstddev var median iqr mad first last mode rate share hist p99 sum,mean; do
		want_status 2 afagg --by tid,region --stat $stat --zeros region
		said "afagg: --zeros cannot be used with --stat ${stat#sum,}: only count, sum and distinct are 0 without lines"
	done
	want_status 2 afagg --zeros region
	said 'afagg: --zeros: region is not a key of --by'
	want_status 2 afagg --by tid,region --zeros window
	said 'afagg: --zeros: window is not a key of --by'
	want_status 2 afagg --by region --zeros region
	said 'afagg: --zeros needs another key: results are missing only in a part of all'
	want_status 2 afagg --by region,tid --zeros region,tid,region
	said 'afagg: --zeros needs another key'
	want_status 2 afagg --by region --window 1s --zeros region,window
	want_status 2 afagg --by region,measure --zeros measure
	said 'afagg: --zeros: each measure has results of its own, so that no other measure can have one'
	want_status 2 afagg --by region,unit --zeros unit
	want_status 2 afagg --by region,tid --zeros ''
	want_status 2 afagg --by region,tid --zeros "$(seq -s, -f 'k%g' 1 65)"
	said 'afagg: --zeros: more than 64 keys'
	want_status 2 afagg --by region,tid --zeros region,
	want_status 2 afagg --by region,tid --zeros region --zeros tid
}

# grid N M: N contexts and M values, with a line each.
grid() {
	awk -v n="$1" -v m="$2" 'BEGIN {
		OFS = "\t"
		for (i = 0; i < n || i < m; i++)
			print "sample", i, "r", "f" (i < m ? i : 0), "t", 1, "tid=" (i < n ? i : 0) }'
}

@test "too many results are refused before the first, and many need little memory" {
	grid 10000 10001 >in
	want_status 1 afagg --by tid,region -s sum --zeros region in
	said 'afagg: --zeros region would give 100010000 results, since there are 10000 combinations of the other keys, and 10001 of these; the most is 100000000'
	grep '^agg' out && fail "there are results"
	[ "$(tail -n 1 out | cut -f 5)" = partial ]
	# of two measures, each with many of one side only, nothing is made, but all would be looked at
	{
		grid 20000 1
		grid 1 20000 | sed 's/	t	/	u	/'
	} >in
	want_status 1 afagg --by tid,region -s sum --zeros region in
	said 'would give 400000000 results'
	grid 700 700 >in
	want_status 0 afagg --max-memory 4M --by tid,region -s sum --zeros region in
	[ "$(grep -c '^agg' out)" -eq 490000 ]
	[ "$(grep -c 'n=0$' out)" -eq 489300 ]
	LC_ALL=C sort -c -k 7,7 -k 4,4 <(grep '^agg' out)
}

@test "groups on disk, and several threads" {
	grid 500 3000 >in
	grid 20 300 | sed 's/	f/	h/' >>in
	want_status 0 afagg --by tid,region --zeros region in
	cp out want
	mkdir tmp
	TMPDIR=$T/tmp want_status 0 afagg --max-memory 900K --by tid,region --zeros region in
	same want out
	TMPDIR=$T/none want_status 3 afagg --max-memory 900K --by tid,region --zeros region in
	said 'cannot make a temporary file'
	want_status 0 afagg --jobs 3 --by tid,region --zeros region in
	same want out
	# those that run out of memory say so
	TMPDIR=$T/tmp want_status 1 afagg --max-memory 300K --by tid,region --zeros region in
	[ -s err ]
}

@test "judged by tables with a place for each combination" {
	need python3
	local rounds=60
	[ -z "${AFPIPE_SLOW-}" ] || rounds=400
	judge() {
		python3 "$ROOT/t/tools/zerosjudge.py" "$(command -v afagg)" "$@" >log 2>&1 || fail "$(cat log)"
	}
	judge 1 $rounds
	judge 2 $((rounds / 3)) --max-memory 800K
	judge 3 $((rounds / 3)) --jobs 3
}

@test "differences are the same with zeros and without" {
	local run f n=0
	for run in a b c d e f; do
		for f in f g h i; do
			n=$(((n + 37) % 101))
			[ $f$run = ga ] || [ $f$run = hb ] || [ $f$run = hc ] || [ $f$run = id ] ||
				event sample 1 $f t $n
		done
	done >in
	afagg --by run,region --stat sum <(grep '	[abc]	' in) >before
	afagg --by run,region --stat sum <(grep '	[def]	' in) >after
	want_status 0 afdiff before after
	grep '^diff' out >want
	[ "$(wc -l <want)" -eq 4 ]
	afagg --by run,region --stat sum --zeros region <(grep '	[abc]	' in) >before
	afagg --by run,region --stat sum --zeros region <(grep '	[def]	' in) >after
	want_status 0 afdiff before after
	grep '^diff' out | same - want
}

# await: waits until the file live has an interim result.
await() {
	soon grep -qs '#interim_end' live >&2
}

@test "an interim result has its zeros" {
	{
		four
		await
	} | afagg --by tid,region -s sum --zeros region --every 20ms - >live
	[ "$(sed '/#interim_end/q' live | grep -c '^#interim.*n=0')" -eq 3 ]
	[ "$(grep -c '^agg.*n=0' live)" -eq 3 ]
}

note='absent ones do not count as 0; see --zeros'

# fewer N M LEAST MOST: the last program said so, and nothing else.
fewer() {
	local have=have
	[ "$1" -ne 1 ] || have=has
	said "afagg: $1 of $2 groups $have fewer results than others ($3, others $4): $note"
	[ "$(wc -l <err)" -eq 1 ]
}

@test "a mean of sums says how many groups have fewer of them" {
	four >in
	afagg --by tid,region -s sum in >sums
	local stat
	for stat in mean min stddev pstddev var median iqr mad distinct mode hist p99 mean,max; do
		want_status 0 afagg --kind agg --by region --stat $stat sums
		fewer 1 2 1 4
	done
	# these are the same with zeros
	for stat in sum count max first,last share rate sum,count,max; do
		want_status 0 afagg --kind agg --by region --stat $stat sums
		! grep 'fewer results' err || fail "$stat"
	done
	want_status 0 afagg --kind agg --by region sums
	silent
	# results of mean, or weighted ones, are others
	afagg --by tid,region -s max in >maxima
	want_status 0 afagg --kind agg --by region --stat mean maxima
	silent
	want_status 0 afagg --kind agg --by region --stat mean --weight n sums
	silent
	# nothing to compare with
	want_status 0 afagg --kind agg --stat mean sums
	silent
	afsel --kind agg --where region=hot sums >hot
	want_status 0 afagg --kind agg --by region --stat mean hot
	silent
	want_status 0 afagg --kind agg --by tid,region --stat mean sums
	silent
	# counts, and sums of sums
	afagg --by tid,region -s count in >counts
	want_status 0 afagg --kind agg --by region --stat mean counts
	fewer 1 2 1 4
	afagg --kind agg --by tid,region -s sum sums >again
	want_status 0 afagg --kind agg --by region --stat mean again
	fewer 1 2 1 4
	# with threads
	want_status 0 afagg --jobs 3 --kind agg --by region --stat mean sums
	fewer 1 2 1 4
	# of equal differences that of the most results is said, wherever it is; and a measure that only
	# one group has is not compared
	local few
	for few in a z; do
		{
			printf "agg\t1\tr\t%s\t$few\t1\tstat=sum\ttid=%d\n" f 1 g 1 g 2 g 3
			printf 'agg\t1\tr\t%s\tm\t1\tstat=sum\ttid=%d\n' f 1 f 2 f 3 g 1 g 2 g 3 g 4 g 5
			printf 'agg\t1\tr\tf\talone\t1\tstat=sum\ttid=%d\n' 1 2
		} >sums
		want_status 0 afagg --kind agg --by region --stat mean sums
		fewer 2 4 3 5
	done
}

@test "runs: compared within each commit, whose runs may be more" {
	local run commit=old
	for run in a b c d e f; do
		[ $run != c ] || commit=new
		event sample 1 f t 1 tag.commit=$commit
		event sample 1 g t 1 tag.commit=$commit
	done >in
	afagg --by tag.commit,run,region -s sum in >sums
	want_status 0 afagg --kind agg --by tag.commit,region --stat mean sums
	silent
	want_status 0 afagg --kind agg --by region,tag.commit --stat mean sums
	silent
	run=c event sample 1 rare t 1 tag.commit=new >>in
	run=a event sample 1 rare t 1 tag.commit=old >>in
	afagg --by tag.commit,run,region -s sum in >sums
	want_status 0 afagg --kind agg --by tag.commit,region --stat mean sums
	fewer 2 6 1 4
	afagg --by tag.commit,run,region -s sum --zeros region in >sums
	want_status 0 afagg --kind agg --by tag.commit,region --stat mean sums
	silent
	# the whole time of each run, in each commit
	afagg --by tag.commit,run -s sum in >sums
	want_status 0 afagg --kind agg --by tag.commit --stat mean sums
	silent
}

@test "no note where the results of a group are parts of it, or belong to nothing else" {
	lines >in <<-'EOF'
	sample 1 r f t 1 tid=1 pid=1 comm=job id=1 addr=1
	sample 1 r g t 1 tid=1 pid=1 comm=job id=2 addr=2
	sample 1 r f t 1 tid=2 pid=1 comm=job id=3 addr=1
	sample 1 r f t 1 tid=3 pid=3 comm=other id=4 addr=3
	EOF
	# functions of a thread, addresses and calls of a function
	local by
	for by in tid,region:tid region,addr:region region,id:region 'comm,tid:comm' 'pid,tid:pid' 'comm,pid,tid:comm,pid'; do
		afagg --by "${by%:*}" -s sum in >sums
		want_status 0 afagg --kind agg --by "${by#*:}" --stat mean sums
		silent
	done
	# a thread that was renamed is in two programs, but most are not
	event sample 1 f t 1 tid=1 comm=sh >>in
	afagg --by comm,tid -s sum in >sums
	want_status 0 afagg --kind agg --by comm --stat mean sums
	silent
}

@test "without a place in the code: windows of processors, runs of programs" {
	lines >in <<-'EOF'
	sample 10 a f t 1 cpu=0 comm=job
	sample 110 a f t 1 cpu=0 comm=job
	sample 210 a f t 1 cpu=0 comm=cron
	sample 210 a f t 1 cpu=1 comm=job
	sample 20 b f t 1 cpu=1 comm=job
	sample 120 b f t 1 cpu=1 comm=job
	sample 120 b f t 1 cpu=1 comm=sh
	sample 220 a f t 1 cpu=0 comm=sh
	EOF
	afagg --by cpu --window 100ns -s sum in >sums
	want_status 0 afagg --kind agg --by cpu --stat mean sums
	silent
	sed 4d in | afagg --by cpu --window 100ns -s sum >sums
	want_status 0 afagg --kind agg --by cpu --stat mean sums
	fewer 1 2 2 3
	afagg --by run,comm -s sum in >sums
	want_status 0 afagg --kind agg --by comm --stat mean sums
	fewer 1 3 1 2
	want_status 0 afagg --jobs 3 --kind agg --by comm --stat mean sums
	fewer 1 3 1 2
	afagg --by run,comm -s sum --zeros comm in >sums
	want_status 0 afagg --kind agg --by comm --stat mean sums
	silent
	# of several keys, any may be the one: complete for one of them is complete
	afagg --by run,comm,cpu -s sum --zeros comm,cpu in >sums
	want_status 0 afagg --kind agg --by comm,cpu --stat mean sums
	silent
}

@test "zeros of windows are in these windows again" {
	lines in <<-'END'
	sample 500 r a m 1
	sample 1600 r b m 10
	END
	afagg --by region -s sum --window 1us --zeros region in >sums
	want_status 0 afagg --kind agg --window 1us -s mean sums
	want <<-'END'
	agg 500 r . m 0.5 window=0 stat=mean start=500 n=2 of=sum windows=1000
	agg 1600 r . m 5 window=1000 stat=mean start=1600 n=2 of=sum windows=1000
	END
	want_status 0 afagg --kind agg --window 4us/2us -s count sums
	want <<-'END'
	agg 1600 r . m 4 window=-2000 stat=count total=4 start=500 n=4 of=sum windows=4000/2000
	agg 1600 r . m 4 window=0 stat=count total=4 start=500 n=4 of=sum windows=4000/2000
	END
	# in smaller windows, and in others, they might be in several
	for how in 500ns '1us --window-from 500' '1us --window-from first' 1500ns; do
		# shellcheck disable=SC2086 # words
		want_status 1 afagg --kind agg -s mean --window $how sums
		said 'afagg: sums:3: a result without a time, of window=1000 and windows=1000, may be of several windows: use --by window'
	done
	# times since the run began, some of them before it did
	lines in <<-'END'
	run 1000 r . . .
	sample 500 r a m 1
	sample 1600 r b m 10
	sample 2600 r b m 20
	END
	afagg --by region -s sum --window 1us --window-from first --zeros region in >sums
	want_status 0 afagg --kind agg --window 2us --window-from first -s mean sums
	want <<-'END'
	agg 500 r . m 0.5 window=-2000 stat=mean start=500 n=2 of=sum windows=2000@first
	agg 2600 r . m 7.5 window=0 stat=mean start=1600 n=4 of=sum windows=2000@first
	END
	# short ones, and what is none
	lines in <<-'END'
	run 10 r . . .
	sample 8 r a m 1
	sample 12 r b m 10
	END
	afagg --by region -s sum --window 5ns --window-from first --zeros region in >sums
	want_status 0 afagg --kind agg --window 5ns --window-from first -s mean sums
	want <<-'END'
	agg 8 r . m 0.5 window=-5 stat=mean start=8 n=2 of=sum windows=5@first
	agg 12 r . m 5 window=0 stat=mean start=12 n=2 of=sum windows=5@first
	END
	for how in - -- -5- 5x -0 00 -18446744073709551615; do
		sed "s/window=-5/window=$how/" sums >bad
		want_status 1 afagg --kind agg --window 5ns --window-from first -s mean bad
		said "afagg: bad:5: a result without a time, of window=$how and windows=5@first, may be of several windows: use --by window"
	done
}
