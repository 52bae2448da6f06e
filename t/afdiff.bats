# SPDX-License-Identifier: ISC
# afdiff.bats - two sides by hand, simulated pairs, and the rank test before a judge and before R.

load lib

setup() {
	cd "$T" || return
}

# side NAME: standard input, with blanks for TABs, as the whole stream NAME.
side() {
	tr ' ' '\t' >lines
	{
		printf '#afstream\t1\ttest\tx\n'
		cat lines
		printf '#end\ttest\tx\t%d\tcomplete\n' "$(grep -c . lines)"
	} >"$1"
}

# sums NAME REGION VALUE...: adds sums of the runs 1, 2 ... to the lines of NAME.
sums() {
	local name=$1 region=$2 run=0 value
	shift 2
	for value; do
		run=$((run + 1))
		[ "$value" = - ] || echo "agg . $run $region t $value stat=sum n=1" >>"$name.lines"
	done
}

# made NAME...: each as a stream of what sums has added.
made() {
	local name
	for name; do
		side "$name" <"$name.lines"
	done
}

judge() {
	python3 "$ROOT/t/tools/diffjudge.py" "$@"
}

# inside LOW HIGH [VALUE CHANGE]: the parts of intervals that contain these, or 0.
inside() {
	judge share out "${@:3}" >parts
	awk -v low="$1" -v high="$2" '{ print; if ($2 != 2000 || $3 < low || $3 > high) bad = 1 } END { exit bad || NR != 2 }' parts >&2
}

# bats test_tags=quick
@test "one run each: the change, the largest first, and a group of one side is 0 on the other" {
	side a <<-'EOF'
	measure . 1 . t . unit=ns
	agg 9 1 f t 100 cpu=0 stat=sum start=1 n=1 type=int64
	agg 9 1 g t 50 cpu=0 stat=sum start=1 n=1 type=int64
	agg 9 1 same t 5 cpu=0 stat=sum start=1 n=1 type=int64
	EOF
	side b <<-'EOF'
	measure . 2 . t . unit=ns
	novel . 2 . . . x=1
	agg 9 2 new t 3 cpu=0 stat=sum start=1 n=1 type=int64
	agg 9 2 same t 5 cpu=0 stat=sum start=1 n=1 type=int64
	agg 9 2 f t 104 cpu=0 stat=sum start=1 n=1 type=int64
	EOF
	want_status 0 afdiff a b
	said "afdiff: left out intervals and p: 4 groups have fewer than 4 runs on a side (BEFORE 1, AFTER 1)"
	[ "$(grep -c 'by run' "$T/err")" -eq 0 ]
	want <<-'EOF'
	novel . 2 . . . x=1
	diff . . g t -50 cpu=0 stat=sum before=50 after=0 change=-1 n.before=1 n.after=1 unit=ns type=int64
	diff . . f t 4 cpu=0 stat=sum before=100 after=104 change=0.04 n.before=1 n.after=1 unit=ns type=int64
	diff . . new t 3 cpu=0 stat=sum before=0 after=3 change=inf n.before=1 n.after=1 unit=ns type=int64
	diff . . same t 0 cpu=0 stat=sum before=5 after=5 change=0 n.before=1 n.after=1 unit=ns type=int64
	EOF
	want_status 0 afdiff --before a b
	want_status 0 afdiff a - <b
	want_status 0 afdiff --table a b
	grep -q '^          50            0  -100.00%  .* g cpu=0$' out
	want_status 2 afdiff a
	want_status 2 afdiff a b b
}

@test "--before: several files, which the shell may have made of a pattern" {
	local f
	for f in old1 old2 new1 new2; do
		side $f <<<"agg . $f f t ${f#???} stat=sum"
	done
	want_status 0 afdiff --before old1 --before old2 -- new1 new2
	cp out want
	# -- ends them, wherever the option is
	for options in '--before old1 old2 -- new1 new2' \
		'--no-marks --before old1 old2 -- new1 new2' '--before=old1 --before=old2 new1 new2' \
		'new1 --before old1 old2 -- new2' 'new1 new2 --before old1 --before old2' \
		'--before old1 --before old2 --confidence 95 new1 new2'; do
		# shellcheck disable=SC2086 # several
		want_status 0 afdiff $options
		same <(grep -v '^#' want) <(grep -v '^#' out)
	done
	# nobody knows what old2 is
	for options in '--before old1 old2 new1' '--before old1 old2 --before new1 new2' '--before old1 old2 --table new1' 'new1 --before old1 old2'; do
		# shellcheck disable=SC2086
		want_status 2 afdiff $options
		echo "afdiff: --before: is old2 one of its files?  Write -- after the last of them:" \
			"'--before FILE... -- FILE...'" | same - err
		[ ! -s out ]
	done
	want_status 0 afdiff --before old1 new1
	want_status 0 sh -c 'afdiff --before old1 old2 -- <new1'
	grep -q 'n.before=2	n.after=1' out
	want_status 2 afdiff old1 old2 new1
	said 'afdiff: expected two files, or --before OLD... -- NEW...'
}

@test "sides without a common group: the key that tells them apart, and --ignore" {
	local run
	for run in 1 2; do
		side o$run <<-EOF
		measure . $run . t . unit=ns
		agg . $run f t 10 build=old host=h stat=sum
		agg . $run g t 5 build=old host=h stat=sum
		EOF
		side n$run <<-EOF
		measure . 3$run . t . unit=ns
		agg . 3$run f t 12 build=new host=h stat=sum
		agg . 3$run g t 5 build=new host=h stat=sum
		EOF
	done
	want_status 0 afdiff --before o1 o2 -- n1 n2
	said 'afdiff: no group is on both sides: build is old in BEFORE and new in AFTER; --ignore build compares the rest'
	want_status 0 afdiff --ignore build --before o1 o2 -- n1 n2
	cp out ignored
	want <<-'EOF'
	diff . . f t 2 host=h stat=sum before=10 after=12 change=0.2 n.before=2 n.after=2 unit=ns
	diff . . g t 0 host=h stat=sum before=5 after=5 change=0 n.before=2 n.after=2 unit=ns
	EOF
	want_status 0 afdiff --ignore host,build,host --before o1 o2 -- n1 n2
	want <<-'EOF'
	diff . . f t 2 stat=sum before=10 after=12 change=0.2 n.before=2 n.after=2 unit=ns
	diff . . g t 0 stat=sum before=5 after=5 change=0 n.before=2 n.after=2 unit=ns
	EOF
	# one key of the group is enough, and some sides have several values
	sed 's/host=h/host=k/' n2 >k2
	want_status 0 afdiff --before o1 o2 -- n1 k2
	said 'afdiff: no group is on both sides: build is old in BEFORE and new in AFTER; --ignore build compares the rest'
	sed 's/host=h/host=k/' n1 >k1
	want_status 0 afdiff --before o1 o2 -- k1 k2
	said 'no group is on both sides: build is old in BEFORE and new in AFTER, host is h in BEFORE and k in AFTER; --ignore build,host compares the rest'
	# no key, but the regions
	sed 's/build=new/build=old/; s/\t\([fg]\)\t/\t\1\1\t/' n1 >new
	want_status 0 afdiff o1 new
	said 'afdiff: no group is on both sides: all of them are new, or gone'
	want_status 0 afdiff o1 o2
	[ "$(grep -c 'no group' err)" -eq 0 ]
	# a side must not have one group twice
	want_status 1 afdiff --ignore build --before o1 - -- n1 <<<"$(sed s/build=old/build=older/ o1)"
	said 'afdiff: BEFORE has two results of one group and run (region f): merge them with afagg first'
	want_status 1 afdiff --ignore build,bild o1 n1
	said 'afdiff: --ignore: no result has the key bild'
	want_status 2 afdiff --ignore region o1 n1
	said '--ignore: region is a column, not one of the other keys'
	want_status 2 afdiff --ignore '' o1 n1
	said '--ignore: no key'
	want_status 2 afdiff --ignore a,,b o1 n1
	said '--ignore: expected up to 64 keys with commas between them'
	want_status 2 afdiff --ignore "$(seq -s , 65)" o1 n1
	said '--ignore: expected up to 64 keys with commas between them'
}

@test "--fail-if: status 1 if nothing was compared that the limit names" {
	local run
	# each run has a thread of its own, so no interval is beyond a limit
	for run in 1 2 3 4 5 6; do
		echo "agg . $run f t 10 tid=$run stat=sum" >>old.lines
		echo "agg . $run f t 20 tid=3$run stat=sum" >>new.lines
	done
	made old new
	want_status 1 afdiff --fail-if 'sum>+5%' old new
	echo 'afdiff: no group is on both sides: tid is 6 in BEFORE and 36 in AFTER; --ignore tid compares the rest' |
		same - err
	grep -q $'^#end\tafdiff\tnew\t12\tpartial' out
	[ "$(grep -c ^diff out)" -eq 12 ]
	want_status 4 afdiff --ignore tid --fail-if 'sum>+5%' old new
	want_status 0 afdiff old new
	# nor is it a success that a group is new
	want_status 1 afdiff --fail-on point --fail-if 'sum>+5%' old new
	said 'no group is on both sides'
	said 'beyond sum>+5%'

	# some groups are on both sides, but none of those that the limit names
	side a <<-'EOF'
	agg . 1 gone t 10 stat=sum
	agg . 1 f t 10 stat=sum
	agg . 1 f lost 10 stat=sum
	EOF
	side b <<-'EOF'
	agg . 2 new t 10 stat=sum
	agg . 2 f t 10 stat=sum
	EOF
	want_status 1 afdiff --fail-if 'region=gone sum>+5%' a b
	said 'afdiff: --fail-if: no matching group is on both sides: region=gone sum>+5%'
	want_status 1 afdiff --fail-if 'region=new sum<-5%' a b
	said 'afdiff: --fail-if: no matching group is on both sides: region=new sum<-5%'
	want_status 1 afdiff --fail-if 'measure=lost sum>+5%' a b
	said 'afdiff: --fail-if: only one side has the measure of the matching groups: measure=lost sum>+5%'
	# what is new or gone is a change, and one group is enough
	want_status 4 afdiff --fail-if 'region=new sum>+5%' a b
	want_status 4 afdiff --fail-if 'region=gone sum<-5%' a b
	want_status 0 afdiff --fail-if 'region!=new sum>+5%' a b
	said 'left out sum of lost: only BEFORE has this measure'
	[ "$(grep -c -e --fail-if err)" -eq 0 ]
}

@test "--fail-if: a group that nearly all runs of BEFORE have, and none of AFTER, is doubtful" {
	local stat left limit
	sums a f 100 101 102 103
	sums a gone 50 51 - 52
	sums a rare 5 - 5 -
	sums b f 102 103 100 101
	sums b new 7 7 7 7
	made a b
	for stat in sum mean; do
		sed "s/stat=sum/stat=$stat/" a >before
		sed "s/stat=sum/stat=$stat/" b >after
		left=()
		[ $stat = sum ] || left=('left out the change of groups that only BEFORE has: 2: gone, rare'
			'left out the change of groups that only AFTER has: 1: new')
		for limit in '>+5%' '>10'; do
			want_status 0 afdiff --fail-if "region!=new $stat$limit" before after
			grep -v 'left out intervals' err >notes
			printf 'afdiff: %s\n' "${left[@]}" >expected
			[ $stat = mean ] || : >expected
			echo "afdiff: not in AFTER, and not beyond region!=new $stat$limit: 1 of 3 groups: gone" >>expected
			same expected notes
			want_status 1 afdiff --strict --fail-if "region!=new $stat$limit" before after
		done
		# only if the limit names it
		want_status 0 afdiff --strict --fail-if "region=f $stat>+5%" before after
		! grep -q 'not in AFTER' err || fail "$stat"
		want_status 0 afdiff --strict before after
		! grep -q 'not in AFTER' err || fail "$stat"
	done
	# a limit that it is beyond has noticed it, and one that has compared nothing says so
	want_status 4 afdiff --strict --fail-on point --fail-if 'region=gone || region=f sum<-5%' a b
	! grep -q 'not in AFTER' err || fail "$(cat err)"
	want_status 1 afdiff --fail-if 'region=gone sum>+5%' a b
	said 'no matching group is on both sides'
	! grep -q 'not in AFTER' err || fail "$(cat err)"
	# nor if it is too small for limits
	want_status 0 afdiff --strict --min-share 40% --fail-if 'region!=new sum>+5%' a b
	! grep -q 'not in AFTER' err || fail "$(cat err)"
}

@test "--fail-if: a limit is not exceeded only because a run without the group counts as 0: a doubt" {
	local how limit
	sums a main 1000 1001 1002 1003 1004 1005 1006 1007
	sums a f 50 51 52 53 54 55 56 57
	sums a g 40 41 42 43 44 45 - 46
	sums a same 20 21 - 22 23 24 25 26
	sums a few 5 6 - - 7 8 - 9
	sums b main 1000 1001 1002 1003 1004 1005 1006 1007
	sums b f 60 61 62 - 64 - 65 66
	sums b g - 61 62 63 64 65 66 60
	sums b same 20 21 22 23 - 24 25 26
	sums b few 9 - - 9 - - 8 9
	sed -i 's/^agg \. /&x/' b.lines
	made a b
	for how in 'interval >+5%' 'interval >5' 'point >+5%' 'point >5'; do
		limit="region=f sum${how#* }"
		want_status 0 afdiff --fail-on "${how% *}" --fail-if "$limit" a b
		noted "not beyond $limit, only because runs without a group count as 0: 1 of 1 groups: f (not in run x4 and 1 other of AFTER)"
		want_status 1 afdiff --strict --fail-on "${how% *}" --fail-if "$limit" a b
		limit="region=f sum<-${how#* >}"
		limit=${limit/-+/-}
		want_status 0 afdiff --fail-on "${how% *}" --fail-if "$limit" b a
		noted "not beyond $limit, only because runs without a group count as 0: 1 of 1 groups: f (not in run x4 and 1 other of BEFORE)"
	done
	# a group of which the others are not beyond it, or that more than a quarter of the runs lack
	want_status 0 afdiff --strict --fail-if 'region=same || region=few || region=main sum>+5%' a b
	silent
	want_status 0 afdiff --strict --fail-if 'region=f sum>+50%' a b
	silent
	want_status 0 afdiff --strict --fail-if 'region=f sum<-5%' a b
	silent
	want_status 0 afdiff --strict a b
	silent
	# several groups: a run that lacks the first of them; and a run that has a measure line only
	{
		echo 'measure . x0 . t .'
		cat b.lines
	} | side more
	want_status 0 afdiff --fail-if 'region=f || region=g sum>+5%' a more
	noted 'BEFORE has 8 runs of t, and AFTER 9' \
		'AFTER: run x0 has no result of t, and is counted as 0: 1 of 9 runs' \
		'not beyond region=f || region=g sum>+5%, only because runs without a group count as 0: 1 of 2 groups: g (not in run x0 and 1 other of AFTER)'
	# divided by the number of events, which this run does not have
	want_status 0 afdiff --normalise count --fail-if 'region=f || region=g sum>+5%' a more
	said 'count as 0: 1 of 2 groups: g (not in run x1 of AFTER)'
	want_status 0 afdiff --fail-if 'region=f || region=g sum>+5%' a b
	said 'count as 0: 2 of 2 groups: g, f (the first: not in run x1 of AFTER)'
}

@test "--fail-if: the unit in a condition may be that of the measure line" {
	local name value form limit
	for name in a:10 b:12; do
		value=${name#*:}
		name=${name%:*}
		side "$name" <<-EOF
		measure . 1 . t . unit=ns
		measure . 1 . u .
		sample 1 1 f t $value
		sample 1 1 f u 5
		EOF
		afagg --by run,region --stat sum "$name" >"$name.agg"
		afagg --by run,region --stat sum --partial "$name" >"$name.part"
	done
	grep -q "^agg	1	1	f	t	10	stat=sum	start=1	n=1$" a.agg
	for form in agg part; do
		for limit in unit=ns 'unit?=ns' 'unit~^n && region=f' 'unit!=us && measure=t'; do
			want_status 4 afdiff --fail-if "$limit sum>5%" a.$form b.$form
			noted 'left out intervals and p: 2 groups have fewer than 4 runs on a side (BEFORE 1, AFTER 1), so limits apply to the change itself' \
				"beyond $limit sum>5%: 1 of 1 groups: f (t)"
		done
		want_status 0 afdiff --fail-if 'unit!=ns sum>5%' a.$form b.$form
		want_status 1 afdiff --fail-if 'unit=us sum>5%' a.$form b.$form
		! grep -q 'no line has' err || fail "$form"
	done
}

@test "--fail-if: a limit that is a part of a nanosecond" {
	side a <<<"agg . 1 f t 10 stat=sum unit=ns"
	side b <<<"agg . 2 f t 11 stat=sum unit=ns"
	want_status 4 afdiff --fail-if 'sum>0.05' a b
	said "afdiff: --fail-if: sum>0.05 is 0.05 ns; a part of BEFORE is sum>+5%"
	want_status 0 afdiff --fail-if 'region=f sum<-.5' a b
	said "afdiff: --fail-if: region=f sum<-.5 is -0.5 ns; a part of BEFORE is sum<-50%"
	for limit in 'sum>+5%' 'sum>0' 'sum>1' 'sum>+0.5%'; do
		afdiff --fail-if "$limit" a b >out 2>err || [ $? -eq 4 ]
		[ "$(grep -c 'part of BEFORE' err)" -eq 0 ]
	done
	# shares, numbers and parts of a total have no unit, and rates are per second
	for stat in share count distinct hist var; do
		sed "s/stat=sum/stat=$stat/" a >c
		sed "s/stat=sum/stat=$stat/" b >d
		want_status 4 afdiff --fail-if "$stat>0.05" c d
		[ "$(grep -c 'part of BEFORE' err)" -eq 0 ]
	done
	want_status 0 afdiff --normalise total --fail-if 'sum>0.05' a b
	[ "$(grep -c 'part of BEFORE' err)" -eq 0 ]
	sed s/stat=sum/stat=rate/ a >c
	sed s/stat=sum/stat=rate/ b >d
	want_status 4 afdiff --fail-if 'rate>0.05' c d
	said "afdiff: --fail-if: rate>0.05 is 0.05 ns/s; a part of BEFORE is rate>+5%"
	sed -i s/unit=ns/unit=s/ a b
	want_status 4 afdiff --fail-if 'sum>0.05' a b
	[ "$(grep -c 'part of BEFORE' err)" -eq 0 ]
}

@test "a change has the places that the means are known to" {
	side a <<-'EOF'
	agg . 1 f t 5005.6 stat=sum n=1
	agg . 1 g t 100.9 stat=sum n=1
	agg . 1 h t 1e17 stat=sum n=1
	agg . 1 i t 0.3 stat=sum n=1
	EOF
	side b <<-'EOF'
	agg . 2 f t 5104.7 stat=sum n=1
	agg . 2 g t 101 stat=sum n=1
	agg . 2 h t 100000000000000016 stat=sum n=1
	agg . 2 i t 0.1 stat=sum n=1
	EOF
	want_status 0 afdiff a b
	want <<-'EOF'
	diff . . f t 99.1 stat=sum before=5005.6 after=5104.7 change=0.0197978 n.before=1 n.after=1
	diff . . i t -0.2 stat=sum before=0.3 after=0.1 change=-0.666667 n.before=1 n.after=1
	diff . . g t 0.1 stat=sum before=100.9 after=101 change=0.00099108 n.before=1 n.after=1
	diff . . h t 0 stat=sum before=1e17 after=1e17 change=0 n.before=1 n.after=1
	EOF
}

@test "whole numbers up to 2^53 are exact" {
	side a <<<'agg . 1 f t 9007199254740991 stat=sum'
	side b <<<'agg . 1 f t 9007199254740990 stat=sum'
	want_status 0 afdiff a b
	want <<-'EOF'
	diff . . f t -1 stat=sum before=9007199254740991 after=9.00719925474099e15 change=-1.11022e-16 n.before=1 n.after=1
	EOF
}

@test "a mean of no events is not 0, and values that are no numbers are left out" {
	side a <<-'EOF'
	agg . 1 f t 10 stat=mean
	agg . 1 g t 1 stat=mean
	agg . 1 h t inf stat=mean
	EOF
	side b <<-'EOF'
	agg . 1 f t 11 stat=mean
	agg . 2 f t . stat=mean
	agg . 1 h t 2 stat=mean
	EOF
	want_status 0 afdiff a b
	want <<-'EOF'
	diff . . f t 1 stat=mean before=10 after=11 change=0.1 n.before=1 n.after=1
	diff . . g t . stat=mean before=1 after=. n.before=1 n.after=0
	diff . . h t . stat=mean before=. after=2 n.before=0 n.after=1
	EOF
	said "left out the change of groups that only BEFORE has: 1: g"
	said "left out the change of groups that only AFTER has: 1: h"
	said "left out values that are not finite, or above 1e300: 1"
	want_status 1 afdiff --fail-if 'region=g mean>5%' a b
	said "no matching group is on both sides: region=g mean>5%"
	sed -i 's/	10	/	ten	/' a
	want_status 1 afdiff a b
	said 'afdiff: a:2: value "ten" is not a number'
}

@test "a run in which a group does not occur counts as 0" {
	sums a f 10 10 10 10
	sums a g 4 - - -
	sums b f 9.5 10.5 9.5 10.5
	sums b g 4 8 - -
	made a b
	want_status 0 afdiff a b
	silent
	grep -q '^diff	.	.	g	t	2	stat=sum	before=1	after=3	change=2	delta.lo=.*	n.before=4	n.after=4$' out
	# a run with a measure line and no results takes part, too
	{
		echo 'measure . 5 . t .'
		cat b.lines
	} | side b
	want_status 0 afdiff a b
	grep -q '^diff	.	.	g	t	1.4	.*	n.before=4	n.after=5$' out
	grep -q '^diff	.	.	f	t	-2	.*	n.before=4	n.after=5$' out
}

@test "numbers of runs that differ: a note, if there are limits" {
	sums a f 100 100 100 100 100
	sums b f 101 101 101 101
	made a b
	want_status 0 afdiff a b
	[ "$(grep -c 'runs of t' err)" -eq 0 ]
	want_status 0 afdiff --fail-if 'sum>+5%' a b
	said 'afdiff: BEFORE has 5 runs of t, and AFTER 4'
	sums one f 100
	made one
	want_status 0 afdiff --fail-if 'sum>+5%' one b
	said 'afdiff: BEFORE has 1 run of t, and AFTER 4'
	want_status 0 afdiff --fail-if 'sum>+5%' a a
	[ "$(grep -c 'runs of t' err)" -eq 0 ]
}

@test "--fail-on says nothing without a limit" {
	side a <<<'agg . 1 f t 1 stat=sum n=1'
	want_status 2 afdiff --fail-on point a a
	said '--fail-on needs --fail-if'
}

@test "groups that have a value on neither side are counted apart from those of one side" {
	side a <<<$'agg . 1 f t . stat=rate n=1\nagg . 1 g t . stat=rate n=1\nagg . 1 h t 2 stat=max n=1'
	side b <<<$'agg . 2 f t . stat=rate n=1\nagg . 2 i t 2 stat=max n=1'
	want_status 0 afdiff a b
	noted 'left out the change of groups that only BEFORE has: 1: h' \
		'left out the change of groups that only AFTER has: 2: i (max), g (rate)' \
		'left out groups that have no value on either side: 1'
	sed 's/stat=max/stat=sum/' a >c
	want_status 0 afdiff c c
	said 'left out intervals and p: 1 group has fewer than 4 runs on a side (BEFORE 1, AFTER 1)'
}

# runs SIDE FACTOR KEY: results of 6 runs, in which all but the first group have other keys.
runs() {
	local run
	for run in 1 2 3 4 5 6; do
		echo "agg . $1$run idle t $((100 + run)) $3=0 stat=sum n=1"
		echo "agg . $1$run hot t $((30 * $2 + run)) $3=1$2$run stat=sum n=1"
		echo "agg . $1$run hot t $((20 * $2 + run)) $3=2$2$run stat=sum n=1"
	done
}

@test "keys that differ from run to run hide each change: a doubt" {
	local key
	for key in tid window tag.job; do
		side a < <(runs a 1 "$key")
		side b < <(runs b 2 "$key")
		want_status 0 afdiff --fail-if 'sum>+5%' a b
		case $key in
		window) noted '50% of the sum of t is in groups that only one run has, so their changes show nothing: window differs from run to run (afagg --window-from first)' ;;
		*) noted "50% of the sum of t is in groups that only one run has, so their changes show nothing: $key differs from run to run (afagg without that key)" ;;
		esac
		want_status 1 afdiff --strict --fail-if 'sum>+5%' a b
	done
	# results of 0 are no runs that have the group
	sed 's/stat=sum/stat=count/' a >c
	awk -v OFS='\t' '$4 == "hot" {
		for (own = $3; ++i <= 6;) if (own != "a" i) { $3 = "a" i; $6 = 0; print }
		i = 0
	}' c >zeros
	cat c zeros >d
	sed 's/stat=sum/stat=count/' b >e
	want_status 0 afdiff --no-marks d e
	said '50% of the count of t is in groups that only one run has'
	# two keys, of which one is the same in all runs
	sed 's/stat=/cpu=1	core=&/; s/core=stat=sum/stat=sum/' a >c
	sed 's/stat=/cpu=1	&/' b >d
	want_status 0 afdiff c d
	said 'show nothing: tag.job differs from run to run'
	# both of two
	side a < <(runs a 1 tid | sed 's/tid=\([0-9]*\)/pid=\1 tid=\1/')
	side b < <(runs b 2 tid | sed 's/tid=\([0-9]*\)/pid=\1 tid=\1/')
	want_status 0 afdiff --fail-if 'sum>+5%' a b
	said 'show nothing: pid, tid differ from run to run (afagg without these keys)'
}

@test "--fail-if: a limit whose groups are all in one run only is an error" {
	side a < <(runs a 1 tid)
	side b < <(runs b 2 tid | sed 's/tid=\([12]\)2/tid=\11/')
	want_status 1 afdiff --fail-if 'region=hot sum>+5%' --fail-if 'region=idle sum>+50%' a b
	same err - <<-'EOF'
	afdiff: 50% of the sum of t is in groups that only one run has, so their changes show nothing: tid differs from run to run (afagg without that key)
	afdiff: --fail-if: each matching group is in one run only, so that no change is ever beyond the limit: region=hot sum>+5%
	EOF
	grep -q $'^#end\tafdiff\tb\t13\tpartial' out
	[ "$(grep -c ^diff out)" -eq 13 ]
	# the change itself can be beyond it
	want_status 4 afdiff --fail-on point --fail-if 'region=hot sum>+5%' a b
	want_status 0 afdiff --fail-on point --fail-if 'region=idle sum>+5%' a b
	want_status 0 afdiff --fail-if 'region=idle sum>+5%' a b
	# each statistic has groups of its own
	sed 's/stat=sum/stat=count/' a | cat - a >c
	sed 's/stat=sum/stat=count/' b | cat - b >d
	want_status 1 afdiff --no-marks --fail-if 'region=hot sum>+5%' --fail-if 'region=hot count>+5%' c d
	grep -F -e --fail-if err >limits
	same limits - <<-'EOF'
	afdiff: --fail-if: each matching group is in one run only, so that no change is ever beyond the limit: region=hot sum>+5%
	afdiff: --fail-if: each matching group is in one run only, so that no change is ever beyond the limit: region=hot count>+5%
	EOF
}

# made_by NAME SIDE BY STAT RUN...: adds results of f and g for these runs to NAME, each by its own afagg.
made_by() {
	local name=$1 side=$2 by=$3 stat=$4 run
	shift 4
	for run; do
		{
			printf 'run\t0\t%s\t.\t.\t.\tunit=ns\n' "$side$run"
			printf 'sample\t%d\t%s\t%s\tt\t%d\tcomm=job\n' 1 "$side$run" f $((100 + run)) \
				2 "$side$run" g $((200 + run))
		} | afagg --by "$by" --stat "$stat" >>"$name"
	done
}

@test "runs of one side that were aggregated with other keys or statistics are refused" {
	made_by a a run,region sum 1 2 3 4
	made_by a a run,region,comm sum 5 6 7 8
	made_by b b run,region sum 1 2 3 4
	made_by b b run,region,comm sum 5 6 7 8
	want_status 1 afdiff --fail-if 'sum>+5%' a b
	echo 'afdiff: BEFORE: the results of t have other keys for run a5 than for run a1: use the same --by for all runs' |
		same - err
	[ "$(grep -c ^diff out)" -eq 0 ]
	# each run has both
	made_by a a run,region sum 5 6 7 8
	made_by a a run,region,comm sum 1 2 3 4
	want_status 1 afdiff a b
	said 'AFTER: the results of t have other keys for run b5 than for run b1'
	made_by b b run,region sum 5 6 7 8
	made_by b b run,region,comm sum 1 2 3 4
	want_status 0 afdiff --fail-if 'sum>+5%' a b
	# a statistic that some runs lack would be 0 there
	made_by c c run,region count,sum 4 2 3 1
	made_by c c run,region sum 6 5
	made_by d d run,region count,sum 1 2 3 4
	want_status 1 afdiff d c
	echo 'afdiff: AFTER: the results of t lack count for run c5, but not for run c1: use the same --stat for all runs' |
		same - err
	want_status 1 afdiff c d
	said 'afdiff: BEFORE: the results of t lack count for run c5, but not for run c1'
	# of statistics that are not 0 without values, only runs with a value count
	made_by e e run,region mean,sum 1 2 3 4
	made_by e e run,region sum 5
	made_by g g run,region mean,sum 1 2 3 4
	want_status 0 afdiff e g
	# bins are there only for values, and so are texts
	made_by h h run,region count,sum,hist 1 2 3
	grep -v '\ta2\t.*stat=hist' h >i
	want_status 0 afdiff --no-marks i h
	# aggregates of another source need not have them all
	sed 's/\tn=1//' c >j
	want_status 0 afdiff j d
	# pooled results are those of one run
	sed 's/\tc[0-9]\t/\t.\t/; /^run/d' c | sort -u >k
	grep -v stat=sum k >l
	want_status 0 afdiff --no-marks l l
}

# unlike WANT: runs with the results RUN REGION MEASURE STAT [KEY=VALUE...] of standard input are
# refused with this message, or compared if there is none, on either side.
unlike() {
	sed 's/\([^ ]* [^ ]* [^ ]*\) \([^ ]*\)/agg . \1 5 stat=\2 n=1/; s/ n=1 STRANGE//' | side runs
	# a single run that has them all
	awk -F '\t' -v OFS='\t' '/^agg/ { $3 = "one"; key = $0; sub(/\tn=1/, "", key); if (!seen[key]++) print }' runs |
		sort >one
	want_status $((${#1} > 0)) afdiff --no-marks runs one
	[ -z "$1" ] || noted "$1"
	want_status $((${#1} > 0)) afdiff --no-marks one runs
	[ -z "$1" ] || noted "${1/BEFORE/AFTER}"
}

@test "a run that has only results without a region is doubtful if others have only those with one" {
	printf '%s\t.\t%s\t%s\tt\t5\tstat=sum\tn=1\n' agg c . agg b f agg a10 f >all
	printf '%s\t.\t%s\tf\tt\t5\tstat=sum\tn=1\n' agg d agg e >other
	local doubt='no result of t has a region for run c, but each for run a10: was it aggregated by region, too?'
	want_status 0 afdiff --no-marks all other
	grep -qx "afdiff: BEFORE: $doubt" err
	want_status 1 afdiff --no-marks --strict other all
	grep -qx "afdiff: AFTER: $doubt" err
	# the first one is named: of two sides, and of two measures
	sed 's/\tt\t/\tu\t/; s/\tc\t/\tx\t/' all | cat all - >two
	want_status 0 afdiff --no-marks two two
	[ "$(grep 'was it aggregated' err)" = "afdiff: BEFORE: $doubt" ]
	# some of its lines have one
	printf 'agg\t.\tc\tf\tt\t5\tstat=sum\tn=1\n' >>all
	want_status 0 afdiff --no-marks all other
	[ "$(grep -c "no result" err)" -eq 0 ]
}

@test "runs that were aggregated unlike others: which ones are named, and what is not unlike" {
	local i more long by='use the same --by for all runs'
	printf -v long '%070d' 0
	unlike "BEFORE: the results of t have other keys for run a10 than for run b: $by" <<-'END'
		b g u sum z=1
		b f t sum x=1
		b f t sum
		c f t sum x=1
		c f t sum
		d f t sum x=1
		a10 f t sum x=1
	END
	unlike "BEFORE: the results of t have other keys for run b than for run a: $by" <<-'END'
		a f t sum
		a f t sum x=1
		b f t sum x=1
	END
	unlike "BEFORE: the results of t have other keys for run a than for run ${long:0:60}: $by" <<-END
		a f t sum
		$long f t sum
		$long f t sum x=1
	END
	unlike 'BEFORE: the results of t lack count for run a10, but not for run b: use the same --stat for all runs' <<-'END'
		b f t sum
		c f t sum
		a10 f t sum
		a11 f t sum
		c f t count
		b f t count
	END
	# not all lines need to have a region
	unlike '' <<-'END'
		a f t sum
		b f t sum
		b . t sum
		c . t sum
		c f t sum
		d f t sum
	END
	unlike '' <<-'END'
		a f t sum
		b . u sum
	END
	# runs with other measures, with other groups, or of another source
	unlike '' <<-'END'
		a f t sum
		b f t sum
		c f u sum x=1
		d f u sum x=1
		d f u count x=1
		c f u count x=1
	END
	unlike '' <<-'END'
		a f t sum x=1
		b g t sum x=2
		b h t sum x=1
	END
	unlike '' <<-'END'
		a f t sum x=1
		a f t sum
		b f t sum STRANGE
		c f t count STRANGE
	END
	# the last of eight forms, or of more
	for more in '' 9; do
		{
			for i in 1 2 3 4 5 6 7 8 $more; do
				printf 'a f t sum k%d=1\n' "$i"
				[ "$i" -eq 8 ] || printf 'b f t sum k%d=1\n' "$i"
			done
		} | unlike "BEFORE: the results of t have other keys for run b than for run a: $by"
	done
	# the next measure is another matter
	unlike '' <<-'END'
		a f t sum
		a f t count
		b f u count
		b f u sum x=1
		b f u sum
	END
}

@test "if the output cannot be written, nothing else is said" {
	local status=0
	[ -e /dev/full ] || skip "no /dev/full here"
	sums a f 1
	made a
	afdiff --fail-if 'sum>+5%' a a >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ]
	echo 'afdiff: standard output: No space left on device' | same - err
}

@test "a run of which there is only a run line is named" {
	local side
	made_by a a run,region sum 1 2 3 4
	made_by b b run,region sum 1 2 3 4
	printf 'run\t0\t%s\t.\t.\t.\tunit=ns\n' b7 b6 b5 >>b
	want_status 0 afdiff --fail-if 'sum>+5%' a b
	echo 'afdiff: AFTER: run b5 and 2 others have neither results nor measure lines, and are left out: 3 of 7 runs' |
		same - err
	want_status 1 afdiff --strict --fail-if 'sum>+5%' a b
	sed -i '/\tb7\t/d' b
	want_status 0 afdiff a b
	echo 'afdiff: AFTER: run b5 and 1 other have neither results nor measure lines, and are left out: 2 of 6 runs' |
		same - err
	sed -i '/\tb[67]\t/d' b
	want_status 0 afdiff b a
	echo 'afdiff: BEFORE: run b5 has neither results nor measure lines, and is left out: 1 of 5 runs' | same - err
	# pooled results do not say whose they are, but measure lines do
	want_status 0 afagg --kind agg --by region a
	cp out pooled
	want_status 0 afagg --kind agg --by region b
	sed '/\tb4\t/d' out >short
	want_status 0 afdiff --no-marks pooled short
	[ "$(grep -c 'neither results' err)" -eq 0 ]
	for side in pooled short; do
		{
			sed -n 's/^run\t0\t\([^\t]*\).*/measure\t.\t\1\t.\tt\t.\tunit=ns/p' $side | grep -v b5
			cat $side
		} >$side.measured
	done
	want_status 0 afdiff --no-marks pooled.measured short.measured
	grep 'neither results' err >bare
	echo 'afdiff: AFTER: run b5 has neither results nor measure lines, and nothing of the pooled results: 1 of 4 runs' |
		same - bare
	want_status 1 afdiff --no-marks --strict pooled.measured short.measured
	# a measure line says that there is a measure of which the run has nothing
	printf 'measure\t.\tb5\t.\tt\t.\n' >>b
	want_status 0 afdiff b a
	echo 'afdiff: BEFORE: run b5 has no result of t, and is counted as 0: 1 of 5 runs' | same - err
}

@test "--strict: a measure that a limit has compared, and that AFTER lacks" {
	local run
	for run in 1 2 3 4; do
		echo "agg . $run f t $run stat=sum n=1" | tee -a a.lines >>b.lines
		echo "agg . $run f u $run stat=sum n=1" >>a.lines
	done
	sed 's/^agg . /&new/' b.lines >c.lines
	made a c
	want_status 0 afdiff --fail-if 'sum>+500%' a c
	echo 'afdiff: left out sum of u: only BEFORE has this measure' | same - err
	want_status 1 afdiff --strict --fail-if 'sum>+500%' a c
	echo 'afdiff: left out sum of u: only BEFORE has this measure' | same - err
	want_status 0 afdiff --strict --fail-if 'measure=t sum>+500%' a c
	want_status 0 afdiff --strict a c
	want_status 0 afdiff --strict --fail-if 'sum>+500%' c a
	echo 'afdiff: left out sum of u: only AFTER has this measure' | same - err
}

@test "functions that few runs have are no keys that differ, nor are keys of few values" {
	side a < <(runs a 1 addr)
	side b < <(runs b 2 addr)
	want_status 0 afdiff --strict --fail-if 'sum>+5%' a b
	silent
	# groups of one run are less than a tenth
	side a < <(runs a 1 tid | sed 's/idle t 1/idle t 12/')
	side b < <(runs b 2 tid | sed 's/idle t 1/idle t 12/')
	want_status 0 afdiff --strict a b
	silent
	# other statistics leave runs out, and a few runs have no intervals
	side a < <(runs a 1 tid | sed 's/sum/max/')
	side b < <(runs b 2 tid | sed 's/sum/max/')
	want_status 0 afdiff a b
	! grep -q differ err || fail "$(cat err)"
	side a < <(runs a 1 tid | grep ' a[123] ')
	side b < <(runs b 2 tid)
	want_status 0 afdiff a b
	! grep -q differ err || fail "$(cat err)"
}

@test "events that one side has lost are counted by side, since no later program knows it" {
	side a < <(runs a 1 cpu | grep cpu=0)
	side b < <(runs b 2 cpu | grep cpu=0)
	sed 's/complete/&\tlost=7/' b >c
	want_status 0 afdiff --fail-if 'sum>+50%' a c
	noted 'BEFORE lost 0 events, and AFTER 7'
	[ "$(tail -n 1 out)" = $'#end\tafdiff\tc\t1\tcomplete\tlost=7' ] || fail "$(cat out)"
	want_status 0 afdiff --table c a
	noted 'BEFORE lost 7 events, and AFTER 0' \
		'BEFORE: the source lost 7 events, so the numbers are too small'
	want_status 0 afdiff a c
	noted 'BEFORE lost 0 events, and AFTER 7'
	want_status 0 afdiff a b
	silent
}

@test "events beside results are not compared, and a note says so" {
	side a < <(runs a 1 cpu | grep cpu=0)
	side b < <(runs b 2 cpu | grep cpu=0)
	side c < <(runs b 2 cpu | grep cpu=0 && printf 'sample %d b3 f t 7 cpu=0\n' 1 2 && echo 'diff . . f t 7 cpu=0')
	want_status 0 afdiff a c
	noted 'AFTER: left out lines of other kinds: 2 sample, 1 diff'
	want_status 0 afdiff --table c a
	noted 'BEFORE: left out lines of other kinds: 2 sample, 1 diff'
	# without any result, it has been said what to do
	side c <<<'sample 1 b3 f t 7 cpu=0'
	want_status 1 afdiff a c
	noted 'AFTER has events and no aggregates: pipe it through afagg first'
}

@test "tables say which side has doubtful data" {
	side a < <(runs a 1 cpu | grep cpu=0)
	side b < <(runs b 2 cpu | grep cpu=0)
	sed 's/complete/&\tincomplete=3/' b >c
	want_status 0 afdiff --table a c
	noted 'AFTER: samples whose stacks could not be unwound completely: 3'
	want_status 0 afdiff --table c a
	noted 'BEFORE: samples whose stacks could not be unwound completely: 3'
}

@test "a side that has lost more events than the other is doubtful: it may hide a change" {
	side a < <(runs a 1 cpu | grep cpu=0)
	sed 's/complete/&\tlost=7/' a >c
	want_status 1 afdiff --strict --ignore cpu a c
	said 'afdiff: BEFORE lost 0 events, and AFTER 7'
	want_status 1 afdiff --strict --fail-if 'sum>+5%' c a
	said 'afdiff: BEFORE lost 7 events, and AFTER 0'
	side b < <(runs b 2 cpu | grep cpu=0)
	sed -i 's/complete/&\tlost=7/' b
	want_status 0 afdiff --strict --fail-if 'sum>+50%' c b
	noted 'BEFORE lost 7 events, and AFTER 7'
}

@test "--fail-if: the condition is about groups, not about some of their results" {
	local key
	side a < <(runs a 1 cpu)
	for key in run value start n n? total omitted? late; do
		want_status 2 afdiff --fail-if "region=hot && $key!=3 sum>+5%" a a
		said "afdiff: --fail-if: a limit is about groups, and ${key%\?} is no key of these: choose results by afsel, before afdiff"
	done
	want_status 0 afdiff --fail-if 'measure=t && kind=agg && cpu=0 sum>+5%' a a
	said 'all 6 runs of AFTER are also in BEFORE'
}

@test "--fail-if: tags of the run, times and keys that are ignored are refused, unless groups have them" {
	local key side host op
	# BEFORE has runs b1 to b8, and AFTER a1 to a8, whose second half is of another host, and slower
	hosts() {
		awk -v side="$1" -v OFS='\t' 'BEGIN {
			for (i = 1; i <= 8; i++) {
				run = side i
				print "run", 0, run, ".", ".", ".", "host=h" (i > 4 ? 2 : 1), "commit=" side
				print "measure", ".", run, ".", "t", ".", "unit=ns"
				print "sample", (i > 4 ? 2 : 1), run, "x", "t", (i > 4 && side == "a" ? 300 : 100) + i % 4, "commit=" side
			}
		}' | side "$1.af"
	}
	no_result() {
		! grep -q ^diff out || fail "$(cat out)"
	}
	hosts b && hosts a
	for side in b a; do
		afagg --by run,region --stat sum $side.af >$side
		afagg --by run,region,run.host,commit --stat sum $side.af >$side.host
		afagg --by run,region,time --stat sum $side.af >$side.time
	done
	for key in run.host run.host? time; do
		want_status 1 afdiff --fail-if "$key!=3 sum>+5%" b a
		said "afdiff: --fail-if: a limit is about groups, and ${key%\?} is no key of these: choose results by afsel, before afdiff"
		no_result
	done
	want_status 1 afdiff --fail-if 'sum>+5%' --fail-if 'run.host!=h2 sum>+5%' b a
	for host in 1 2; do
		for op in "=h$host" "!=h$((3 - host))"; do
			afsel --where "run.host$op" b >some
			afsel --where "run.host$op" a | want_status $((host == 2 ? 4 : 0)) afdiff --fail-if 'sum>+5%' some -
			want_status $((host == 2 ? 4 : 0)) afdiff --ignore commit --fail-on point --fail-if "run.host$op sum>+5%" b.host a.host
		done
	done
	for key in commit commit? run.host; do
		afsel --where run.host=h1 b.host >b.h1
		afsel --where run.host=h1 a.host >a.h1
		want_status 1 afdiff --ignore commit,run.host --fail-if "$key!=x sum>+5%" b.h1 a.h1
		said "a limit is about groups, and ${key%\?} is no key of these"
		no_result
	done
	# the other half of the runs is 0 in each of these groups
	for key in 'run.host=h2 host --ignore=commit' 'time=2 time'; do
		# shellcheck disable=SC2086 # words
		set -- $key
		want_status 1 afdiff "${@:3}" --fail-if "$1 sum>+5%" "b.$2" "a.$2"
		same err - <<-EOF
		afdiff: each run has one value of ${1%=*} and counts as 0 in the groups of the others, so their means are too small, and no change is beyond chance: compare one value at a time (afsel --where, before afdiff), or use --ignore
		afdiff: --fail-if: each matching group is in some runs only, so that no change is ever beyond the limit: $1 sum>+5%
		EOF
		want_status 4 afdiff "${@:3}" --fail-on point --fail-if "$1 sum>+5%" "b.$2" "a.$2"
	done
	want_status 0 afdiff --ignore commit,run.host b.host a.host
	silent
}

@test "limits: status 4, relative and absolute, intervals and points" {
	sums a f 100 101 99 102
	sums a g 0 1 0 1
	sums b f 110 111 109 112
	sums b g 50 51 52 53
	made a b
	local torn whole
	for torn in 'sum > +5%' 'sum> +5%' 'region=f sum >+5%' 'sum>+ 5%'; do
		want_status 2 afdiff --fail-if "$torn" a b
		said "afdiff: --fail-if: STAT>LIMIT has no blanks, as in 'sum>+5%', not '$torn'"
	done
	for torn in 'sum>+-5%' 'sum<++5%' 'sum>+'; do
		want_status 2 afdiff --fail-if "$torn" a b
		said "not a number or a percentage: $torn"
	done
	# no change of what is not negative is beyond these
	for torn in 'region=f sum<-100%' 'sum<-1e3%'; do
		want_status 0 afdiff --fail-if "$torn" a b
		said "afdiff: --fail-if: no group can be beyond $torn unless it becomes negative"
		want_status 1 afdiff --strict --fail-if "$torn" a b
	done
	want_status 0 afdiff --strict --fail-if 'region=f sum<-99.9%' a b
	want_status 0 afdiff --strict --fail-if 'region=f sum<-100' a b
	for whole in 'region!=a<b> sum>+5%' 'region!=operator>> sum>+5%' 'region!=f- sum>+5%' ' sum>+5%  '; do
		want_status 4 afdiff --fail-if "$whole" a b
	done
	want_status 4 afdiff --fail-if 'region=f sum>+5%' a b
	echo "afdiff: beyond region=f sum>+5%: 1 of 1 groups: f" >want
	same want "$T/err"
	grep -q '	f	.*	beyond=region=f sum>+5%$' out
	tail -n 1 out | grep -q '	complete$'
	want_status 0 afdiff --fail-if 'region=f sum>+9.9%' a b
	want_status 4 afdiff --fail-on point --fail-if 'region=f sum>+9.9%' a b
	want_status 0 afdiff --fail-if 'region=f sum<-5%' a b
	want_status 4 afdiff --fail-if 'region=f sum<-5%' b a
	want_status 4 afdiff --fail-if 'region=f sum>5' a b
	said "afdiff: beyond region=f sum>5: 1 of 1 groups: f"
	sed '/^agg/s/$/	unit=ns/' a >a.ns
	sed '/^agg/s/$/	unit=ns/' b >b.ns
	want_status 4 afdiff --fail-if 'region=f sum>5' a.ns b.ns
	said "afdiff: beyond region=f sum>5 [ns]: 1 of 1 groups: f"
	want_status 4 afdiff --fail-if 'region=f sum>5%' a.ns b.ns
	said "afdiff: beyond region=f sum>5%: 1 of 1 groups: f"
	want_status 0 afdiff --fail-if 'region=f sum>+20' a b
	want_status 4 afdiff --fail-if 'sum>+20' --fail-if 'sum>+1000%' a b
	grep -q '	g	.*	beyond=sum>+20;sum>+1000%$' out
	want_status 0 afdiff --fail-if 'region=g sum>+20000%' a b
	want_status 4 afdiff --fail-if 'region=g || region=x sum>1%' --table a b
	grep -q '!g$' out
}

@test "--min-share: limits skip groups that are a small part of both sides" {
	local overlap
	sums a f 100 101 99 102
	sums a g 1 1 1 1
	sums b f 100 101 99 102
	sums b g 3 3 3 3
	made a b
	want_status 4 afdiff --fail-if 'sum>+5%' a b
	# g is 1 of 101.5 before, and 3 of 103.5 (2.9 %) after
	want_status 4 afdiff --min-share 2.8% --fail-if 'sum>+5%' a b
	grep -q '	g	.*	beyond=sum>+5%$' out
	want_status 0 afdiff --min-share 3 --fail-if 'sum>+5%' a b
	! grep -q 'beyond=' out || fail 'a small group is beyond the limit'
	want_status 4 afdiff --min-share 2.8 --fail-if 'sum<-5%' b a
	want_status 0 afdiff --min-share 3 --fail-if 'sum<-5%' b a
	want_status 4 afdiff --min-share 2.8 --normalise total --fail-if 'sum>+5%' a b
	want_status 0 afdiff --min-share 3 --normalise total --fail-if 'sum>+5%' a b
	want_status 1 afdiff --min-share 3 --fail-if 'region=g sum>+5%' a b
	said 'no matching group is on both sides, or they are below --min-share: region=g sum>+5%'
	for overlap in a b; do # their totals are those of the results
		sed -i 's/stat=sum/stat=sum	total=60/' $overlap
	done
	want_status 4 afdiff --min-share 4.9 --fail-if 'sum>+5%' a b
	want_status 0 afdiff --min-share 5.1 --fail-if 'sum>+5%' a b
	sed 's/stat=sum/stat=mean/' a >c
	want_status 1 afdiff --min-share 1 --fail-if 'mean>+5%' c c
	said '--min-share: only count and sum, not mean (to choose: afsel --where stat=sum, after afagg)'
	cat a c | unmarked - | afsel --where stat=sum >sums
	want_status 0 afdiff --min-share 1 --fail-if 'sum>+5%' sums sums
	want_status 2 afdiff --min-share 1 a b
	want_status 2 afdiff --min-share 101 --fail-if 'sum>+5%' a b
}

@test "groups beyond a limit are named, and those that chance may give are counted" {
	local i
	for i in 1 2 3 4; do
		sums a "f$i" 100 101 99 102
		sums b "f$i" 100$i 101$i 99$i 102$i
	done
	for i in {1..16}; do
		sums a "g$i" 5 6 7 8
		sums b "g$i" 5 6 7 8
	done
	made a b
	want_status 4 afdiff --table --top 1 --fail-if 'sum>+5%' a b
	echo "afdiff: beyond sum>+5%: 4 of 20 groups (on average up to 1 by chance): f4, f3, f2, f1" >want
	same want "$T/err"
	[ "$(sed -n 's/.*!//p' out | tr '\n' ' ')" = 'f4 f3 f2 f1 ' ]
	[ "$(tail -n 1 out)" = '... 16 more' ]
	want_status 4 afdiff --fail-on point --fail-if 'sum>+5%' a b
	said 'afdiff: beyond sum>+5%: 4 of 20 groups: f4, f3, f2, f1'
	# the keys of a group, and a long name
	sed -i "s/	f4	t	/	$(printf 'x%.0s' {1..50})	t	/; s/stat=/cpu=3	stat=/" a b
	want_status 4 afdiff --fail-if 'region~x sum>+5%' a b
	echo "afdiff: beyond region~x sum>+5%: 1 of 1 groups: $(printf 'x%.0s' {1..40})" >want
	same want "$T/err"
	want_status 4 afdiff --fail-if 'region=f3 sum>+5%' a b
	echo 'afdiff: beyond region=f3 sum>+5%: 1 of 1 groups: f3 cpu=3' >want
	same want "$T/err"
}

@test "many groups beyond a limit: the worst ones are named and printed" {
	local i
	for i in {10..49}; do
		sums a "f$i" 100
		sums b "f$i" "3$i"
	done
	made a b
	want_status 4 afdiff --table --top 2 --fail-if 'sum>+5%' a b
	said 'afdiff: beyond sum>+5%: 40 of 40 groups: f49, f48, f47, f46, f45, f44, f43, f42, f41, f40 and 30 more'
	[ "$(sed -n 's/.*!f//p' out | tr '\n' ' ')" = '49 48 47 46 45 44 43 42 41 40 39 38 ' ]
	[ "$(tail -n 1 out)" = '... 28 more, beyond a limit: 28' ]
	want_status 4 afdiff --table --fail-if 'sum>+5%' a b
	[ "$(grep -c '!f' out)" -eq 40 ]
	# names that do not fit
	sed -i "s/	f\(..\)	/	$(printf 'x%.0s' {1..36})\1	/" a b
	want_status 4 afdiff --fail-if 'sum>+5%' a b
	i=$(printf 'x%.0s' {1..36})
	said "afdiff: beyond sum>+5%: 40 of 40 groups: ${i}49, ${i}48, ${i}47 and 37 more"
}

@test "groups of several measures beyond a limit are named with theirs" {
	echo 'agg . 1 f cycles 100 stat=sum n=1
		agg . 1 f t 100 stat=sum n=1' | tr -d '\t' | side a
	sed 's/100/200/' a >b
	want_status 4 afdiff --fail-if 'sum>+5%' a b
	said 'afdiff: beyond sum>+5%: 2 of 2 groups: f (cycles), f (t)'
	# results may come in another order than that of their names
	echo 'agg . 1 f t 100 stat=sum n=1
		agg . 1 g cycles 100 stat=sum n=1' | tr -d '\t' | side a
	sed '/ f\|	f/s/100/200/' a >b
	want_status 4 afdiff --fail-if 'sum>+5%' a b
	said 'afdiff: beyond sum>+5%: 1 of 2 groups: f (t)'
	# several units of a measure, of which 20 bytes are shown
	printf 'agg . 1 f t 100 stat=sum unit=%s\n' B "$(printf 'y%.0s' {1..21})" | side a
	sed 's/100/200/' a >b
	want_status 4 afdiff --fail-if 'sum>+5%' a b
	said "afdiff: beyond sum>+5%: 2 of 2 groups: f (B), f ($(printf 'y%.0s' {1..20}))"
}

@test "--table: long names are cut, unless they would look alike" {
	local long='std::map<std::string, std::vector<int>, std::less<std::string>>::find(std::string const\&)'
	sums a f 100
	sums b f 200
	made a b
	sed -i "s/	f	/	$long	/; s/stat=sum/dso=$(printf 'y%.0s' {1..60})	stat=sum/" a b
	want_status 0 afdiff --table a b
	[ "$(tail -n 1 out | sed 's/.* \. *//')" = "std::map<...>::find(std::string const&) dso=$(printf 'y%.0s' {1..19})...$(printf 'y%.0s' {1..22})" ] ||
		fail "$(tail -n 1 out)"
	want_status 0 afdiff --table --width 10 a b
	grep -q ' std:...t&) dso=...yyy$' out || fail "$(tail -n 1 out)"
	want_status 0 afdiff --table --width 0 a b
	grep -qF "${long/\\/} dso=yyy" out
	want_status 2 afdiff --table --width 4 a b
	said 'afdiff: --width: less than 5'
	want_status 2 afdiff --width 9 a b
	said '--width needs --table'
	# two that would look alike
	unmarked a | sed 's/	dso=[^	]*//; p; s/std::string, std/std::wstring, std/' | tr ' ' '_' | tr '\t' ' ' | side c
	want_status 0 afdiff --table c c
	grep -q 'map<std::wstring,_std::vector<int>,' out
	[ "$(grep -c 'map<std::string,_std::vector<int>,' out)" -eq 1 ]
}

@test "too few runs, because they were not kept apart" {
	local s
	for s in a b; do
		echo 'agg 9 . f t 100 stat=sum n=1' | side $s
	done
	want_status 0 afdiff a b
	said 'fewer than 4 runs on a side (BEFORE 1, AFTER 1); afagg --by run,... keeps runs apart'
}

@test "a limit that applies to no group is an error, never a silent pass" {
	sums a f 1
	sums b f 1
	made a b
	want_status 1 afdiff --fail-if 'region=h sum>5%' a b
	said "no group has this statistic and matches the condition: region=h sum>5%"
	tail -n 1 out | grep -q '	partial	'
	want_status 1 afdiff --fail-if 'mean>5%' a b
	said 'afdiff: --fail-if: no group has the statistic mean (there are: sum)'
	{ cat a.lines && echo 'agg . 1 f t 1 stat=count n=1'; } | side both
	want_status 1 afdiff --fail-if 'sums>5%' both both
	said 'afdiff: --fail-if: no group has the statistic sums (there are: sum, count)'
	want_status 1 afdiff --fail-if 'regoin=f sum>5%' a b
	said "did you mean region?"
	local bad
	for bad in '' sum 'sum>' 'sum>x' 'sum>5%%' '>5' 'region=f' 'sum>nan' 'sum>inf%' 'a= sum>5 x'; do
		want_status 2 afdiff --fail-if "$bad" a b
	done
	want_status 2 afdiff --fail-if 'leaf sum>+5%' a b
	grep -qx "afdiff: --fail-if: expected one of = != ~ !~ < <= > >= at the end: 'leaf' before STAT>LIMIT is not a condition of afsel, such as region=parse" "$T/err"
	want_status 2 afdiff --confidence 100 a b
	want_status 2 afdiff --normalise x a b
	want_status 2 afdiff --fail-on x a b
}

@test "changes of one size are in the order of the names of their groups" {
	local group
	for group in m z a k; do
		echo "agg . 1 $group t 1 stat=sum"
	done | side a
	sed 's/	1	stat/	2	stat/' a >b
	want_status 0 afdiff a b
	grep '^diff' out | cut -f 4 | paste -sd ' ' >got
	same - got <<<'a k m z'
}

@test "a measure that only one side has is left out, and named" {
	side a <<<$'agg . 1 f t 1 stat=sum\nagg . 1 f x 1 stat=sum\nagg . 1 f x 1 stat=mean'
	side b <<<$'agg . 1 f t 1 stat=sum\nagg . 1 f y 1 stat=sum'
	want_status 0 afdiff a b
	grep 'has this measure$' err >got
	printf 'afdiff: left out %s: only %s has this measure\n' 'sum of x' BEFORE 'mean of x' BEFORE 'sum of y' AFTER |
		same - got
	[ "$(grep -c '^diff' out)" -eq 1 ]
}

@test "what cannot be compared is refused" {
	sums a f 1
	made a
	side b <<<'agg . 1 . t 1 stat=sum'
	want_status 1 afdiff a b
	said "only BEFORE is grouped by region"
	want_status 1 afdiff b a
	said "only AFTER is grouped by region"
	side b <<<'agg . 1 f t 1 cpu=1 stat=sum'
	want_status 1 afdiff a b
	echo 'afdiff: only AFTER is grouped by cpu' | same - err
	want_status 1 afdiff b a
	echo 'afdiff: only BEFORE is grouped by cpu' | same - err
	printf 'agg . 1 f t 1 %s\n' stat=sum 'cpu=1 stat=sum' | side both
	want_status 1 afdiff both b
	echo 'afdiff: only BEFORE has results without further keys' | same - err
	side b <<<'agg . 1 f t 1 stat=mean'
	want_status 1 afdiff a b
	echo 'afdiff: t: only BEFORE has the statistic sum: use the same --stat for both' | same - err
	sums c f 1
	printf 'agg . 1 f t 1 stat=%s\n' max count | cat - c.lines | side c
	want_status 1 afdiff c a
	echo 'afdiff: t: only BEFORE has the statistic max: use the same --stat for both, or compare sum alone (afsel --where stat=sum, after afagg)' |
		same - err
	[ "$(grep -c '^diff' out)" -eq 0 ]
	want_status 1 afdiff --table a c
	said 'afdiff: t: only AFTER has the statistic max'
	side b <<<'agg . 1 f t 1 stat=sum of=mean'
	want_status 1 afdiff a b
	echo 'afdiff: t: only BEFORE has results of the values themselves, without the tag of' | same - err
	side d <<<'agg . 1 f t 1 stat=sum of=max'
	want_status 1 afdiff d b
	echo 'afdiff: t: only BEFORE has results with of=max, such as those of afagg --kind agg, --of and --weight' |
		same - err
	side b <<<'agg . 1 f t 1 stat=sum unit=s'
	want_status 1 afdiff a b
	said "t: BEFORE has values without a unit"
	side b <<<'agg . 1 f u 1 stat=sum'
	want_status 1 afdiff a b
	said "no measure is on both sides: BEFORE has t, and AFTER has u"
	side b <<<$'agg . 1 f t 1 stat=sum\nagg . 1 f t 2 stat=sum'
	want_status 1 afdiff a b
	said "AFTER has two results of one group and run (region f)"
	side b <<<'sample 1 1 f t 1'
	want_status 1 afdiff a b
	said "AFTER has events and no aggregates: pipe it through afagg first"
	sed '$d' a >b
	want_status 1 afdiff --fail-if 'sum>5%' a b
	said "no end mark"
}

# shards NAME FACTOR: for each of 6 runs, the events of f, g and a seldom h as the stream NAME.RUN.
shards() {
	local run
	for run in 1 2 3 4 5 6; do
		awk -v run="$1$run" -v factor="$2" 'BEGIN {
			print "measure . " run " . t . unit=ns"
			for (i = 1; i <= 60; i++)
				print "sample", i * 1000, run, substr("ffgfgh", i % 5 + (i % 30 == 0), 1),
				    "t", int(factor * (100 + i * run % 17 + i)), "stack=main;" i % 3
		}' </dev/null | sed 's/ h / f /' | side "$1.$run"
	done
}

@test "partial results are merged: the changes are those of the results" {
	shards a 1
	shards b 1.2
	local f shard stats=sum,mean,p90,rate,share
	for f in a b; do
		afagg --by run,region --stat $stats "$f".? >"$f.agg"
		# the first run as two shards
		sed '30,$d' "$f.1" >x
		printf '#end\ttest\tx\t28\tcomplete\n' >>x
		sed "2,29d; s/	61	complete/	33	complete/" "$f.1" >y
		for shard in x y "$f".[2-6]; do
			afagg --by run,region --stat $stats --partial "$shard"
		done >"$f.part"
	done
	want_status 0 afdiff a.agg b.agg
	unmarked out >expected
	[ "$(wc -l <expected)" -gt 9 ]
	local form
	for form in "a.part b.part" "a.part b.agg" "a.agg b.part"; do
		# shellcheck disable=SC2086 # words
		want_status 0 afdiff $form
		silent
		unmarked out >got
		same expected got
	done
	want_status 4 afdiff --fail-if 'region=f sum>1%' a.part b.part
	want_status 0 afdiff --fail-if 'region=f sum<-1%' --table a.part b.part
	grep -q '6 before, 6 after' out
}

@test "partial results that cannot be merged or compared are refused" {
	shards a 1
	afagg --by run,region --partial a.? >all
	want_status 0 afdiff all all
	afagg --by run,region a.? >agg
	cat all agg >both
	want_status 1 afdiff both agg
	said "afdiff: BEFORE has both results and partial results"
	[ "$(grep -c '^diff' out)" -eq 0 ]
	afagg --by run,region --stat mean --partial a.1 >means
	cat all means >mixed
	want_status 1 afdiff all mixed
	said "was made with --stat mean"
	want_status 1 afdiff all means
	said "only BEFORE has the statistic count: use the same --stat for both"
	afagg --by run --partial a.? >less
	want_status 1 afdiff all less
	said "only BEFORE is grouped by region"
	afagg --by run,region --stat share --partial a.? | grep -v part.over=total >lost
	want_status 1 afdiff --no-marks lost lost
	said "the total of a measure is not in the partial results"
	[ "$(grep -c '^diff' out)" -eq 0 ]
	afagg --by run,cpu --partial a.? >missing
	want_status 1 afdiff missing missing
	said "cpu"
	side b <<<'part 1 1 f t . agg.n=1'
	want_status 1 afdiff all b
	[ "$(grep -c '^diff' out)" -eq 0 ]
}

@test "pooled runs are not compared with single ones, nor with another number of them" {
	side a <<<$'run . 1 . . .\nrun . 2 . . .\nagg . . f t 1 stat=sum'
	side b <<<$'run . 1 . . .\nrun . 2 . . .\nrun . 3 . . .\nagg . . f t 1 stat=sum'
	side c <<<$'agg . 1 f t 1 stat=sum\nagg . 2 f t 1 stat=sum'
	want_status 1 afdiff a b
	said "the runs are pooled, 2 of BEFORE and 3 of AFTER"
	want_status 0 afdiff --normalise total a b
	want_status 0 afdiff a a
	want_status 1 afdiff a c
	said "only AFTER has results by run"
	sed 's/stat=sum/stat=mean/' a >d
	sed 's/stat=sum/stat=mean/' b >e
	want_status 0 afdiff d e
}

@test "executions with one run id: other numbers of them are not compared, also if they were merged before" {
	local i f options
	for i in 1 2 3 4 5 6; do
		printf 'run . 1 . . .\nsample %d 1 f t %d\n' $i $((100 + i)) | side e$i
		printf 'run . 1 . . .\nsample %d 1 f t %d\n' $i $((120 + i)) | side n$i
		for f in e$i n$i; do
			afagg --by run,region --stat sum --partial "$f" >"$f.part"
			afagg --by region --stat sum --partial "$f" >"$f.pooled"
		done
	done
	afagg e?.part >before
	afagg n[1-4].part >after
	said=', 6 of BEFORE and 4 of AFTER: give each its own id, see afpipe-cookbook(7), or use --normalise total or count'
	for options in '--before e?.part -- n[1-4].part' '--before e?.pooled -- n[1-4].pooled' 'before after' \
		'--before e?.part -- after' '--normalise time before after'; do
		# shellcheck disable=SC2086 # several, and patterns
		want_status 1 afdiff --fail-if 'sum>+5%' $options
		said "afdiff: sources with the run id 1 are pooled$said"
		! grep -q ^diff out || fail "$options"
	done
	want_status 1 afdiff e1.part before
	said 'afdiff: sources with the run id 1 are pooled, 1 of BEFORE and 6 of AFTER: '
	want_status 0 afdiff --normalise total before after
	want_status 4 afdiff --fail-if 'sum>+5%' --before e?.part -- n?.part
	# streams whose results are about different groups, which none were added up for
	afagg --by run,region --stat sum e1 >both
	afagg --by run,region --stat mean e1 >>both
	afagg --by run,region --stat sum,mean n1 >one
	want_status 0 afdiff both one
	# a file that is given twice is only named
	sed '/^#/!s/^\([a-z]*	[^	]*	\)1/\12/' e1.part >other
	want_status 0 afdiff --before e1.part other -- n1.part n1.part other
	said 'n1.part:2: run 1 also came from another source'
	# a mean has no more of them
	for f in e? n?; do
		afagg --by run,region --stat mean --partial "$f" >"$f.part"
	done
	want_status 4 afdiff --fail-if 'mean>+5%' --before e?.part -- n[1-4].part
}

@test "inclusive results by run: each has the total of its run, however many runs one afagg reads" {
	local n run
	for n in 6 12; do
		for ((run = 1; run <= n; run++)); do
			printf 'sample\t%d\tr%d\t%s\tm\t%d\tstack=%s\n' 1 $run f $((100 + run * 7 % 5)) 'main;f' \
				2 $run g $((5 + run % 2)) 'main;g'
		done >events
		afagg --no-marks --by run,frame --stat sum events >"by.$n"
	done
	want_status 0 afdiff --normalise total --fail-if 'sum>+5%' by.12 by.6
	grep -q '^diff	.	.	.	m	0	frame=main	stat=sum	before=1	after=1	' out
	# g is 5 % of each run, not of all
	sed 's/\(	m	\)[0-9]*\(	frame=g\)/\19\2/' by.6 >slower
	want_status 4 afdiff --min-share 4% --fail-if 'sum>+5%' by.6 slower
}

@test "--normalise: the same code at ten times the rate has not changed" {
	side a <<-'EOF'
	agg 3000000000 1 f t 60 stat=count start=1000000000 n=60
	agg 2000000000 1 g t 40 stat=count start=1000000000 n=40
	EOF
	side b <<-'EOF'
	agg 12000000000 1 f t 600 stat=count start=10000000000 n=600
	agg 11000000000 1 g t 400 stat=count start=10000000000 n=400
	EOF
	want_status 4 afdiff --fail-if 'count>+5%' a b
	want_status 0 afdiff --fail-if 'count>+5%' --normalise total a b
	grep -q '^diff	.	.	f	t	0	stat=count	before=0.6	after=0.6	.*	normalised=total$' out
	want_status 0 afdiff --fail-if 'count>+5%' --normalise count a b
	want_status 0 afdiff --normalise time a b
	grep -q '^diff	.	.	f	t	270	stat=count	before=30	after=300	' out
	sed 's/start=[0-9]*/total=200/; s/\(	1	[fg]	\)/\1/' a >c
	want_status 0 afdiff --normalise total c c
	grep -q 'before=0.3	after=0.3' out
	want_status 1 afdiff --normalise count c c
	said "the groups overlap"
	sed 's/stat=count/stat=mean/' a >d
	want_status 1 afdiff --normalise total d d
	said "--normalise: only count and sum, not mean"
	sed 's/	[36]0*	1	/	.	1	/; s/start=[0-9]*/start=./; s/^agg	[0-9]*/agg	./' a >e
	want_status 1 afdiff --normalise time e e
	said "run 1 of BEFORE has no time to divide by"
}

@test "--normalise time: a run that no line is of does not lengthen that of pooled results" {
	local order
	for order in before after; do
		{
			[ $order = after ] || echo 'run . 1 . . .'
			echo 'agg 12000000000 . f t 60 stat=count start=10000000000 n=60'
			[ $order = before ] || echo 'run . 1 . . .'
		} >lines.in
		side a <lines.in
		sed 's/ 60 / 80 /' lines.in | side b
		want_status 0 afdiff --normalise time a b
		grep -q '^diff	.	.	f	t	10	stat=count	before=30	after=40	' out || fail "$(cat out)"
	done
}

@test "as many results as memory was made for, in all ways to compare them" {
	# sanitizers find a look at one more
	local option
	sums a f 4 5 6 7
	sums b f 8 10 12 14
	made a b
	for option in --strict --normalise=total --normalise=count --min-share=1; do
		want_status 0 afdiff --fail-if 'sum>+500%' "$option" a b
		[ "$(grep -c '^diff' out)" -eq 1 ]
	done
}

@test "--normalise time: a note says what results were divided by" {
	local run
	for run in 1 2 3 4; do
		echo "agg $((run + 9))000000000 $run f t $run stat=sum start=1000000000 n=1" >>a.lines
		echo "agg $((run + 9))000000000 $run g t $run stat=sum start=500000000 n=1" >>a.lines
		echo "agg 3500000000 2$run f t $run stat=sum start=1000000000 n=1" >>b.lines
	done
	made a b
	want_status 0 afdiff --normalise time a b
	same err - <<<'afdiff: divided by the time from the first to the last event of each run: 9.5 s to 12.5 s before, 2.5 s after'
	want_status 0 afsel --where region=f a
	mv out f
	want_status 0 afdiff --normalise time b f
	same err - <<<'afdiff: divided by the time from the first to the last event of each run: 2.5 s before, 9 s to 12 s after'
	want_status 0 afdiff --normalise total b f
	silent
	# pooled results, whose extent is that of all
	sed '/^#/d; s/^\(agg\t[0-9]*\t\)[0-9]*/\1./' a | awk '$4 == "g"' >c
	want_status 1 afdiff --no-marks --normalise time c b
	printf 'agg\t%s000000000\t.\t%s\tt\t1\tstat=sum\tstart=%s\tn=1\n' 9 f 2000000000 11 g 3000000000 >c
	want_status 0 afdiff --no-marks --normalise time c c
	said 'each run: 9 s before, 9 s after'
}

@test "a bin that a run does not have counts 0 there" {
	side a <<-'EOF'
	agg 1 1 f t 4 stat=hist lo=1 hi=2 n=4
	agg 1 2 f t 3 stat=hist lo=1 hi=2 n=4
	agg 1 2 f t 1 stat=hist lo=8 hi=16 n=4
	EOF
	side b <<-'EOF'
	agg 1 1 f t 1 stat=hist lo=8 hi=16 n=1
	agg 1 2 f t 1 stat=hist lo=8 hi=16 n=1
	EOF
	want_status 0 afdiff a b
	unmarked out | cut -f 6- >got
	tr ' ' '\t' >want <<-'EOF'
	-3.5 hi=2 lo=1 stat=hist before=3.5 after=0 change=-1 n.before=2 n.after=2
	0.5 hi=16 lo=8 stat=hist before=0.5 after=1 change=1 n.before=2 n.after=2
	EOF
	same want got
}

@test "inclusive times have no total: the time in main did not grow because that in load shrank" {
	local measure
	for measure in inclusive union mem.delta; do
		side a <<-EOF
		agg 10 1 main $measure 10 stat=sum start=0 n=1
		agg 10 1 load $measure 6 stat=sum start=0 n=1
		agg 10 1 main $measure 1 stat=count start=0 n=1
		agg 10 1 load $measure 1 stat=count start=0 n=1
		EOF
		sed 's/	6	/	1	/' a >b
		want_status 1 afdiff --normalise total a b
		said "afdiff: --normalise total: values of $measure contain each other, so there is no total (to choose others: afsel --where measure=self, after afagg)"
		! grep -q ^diff out || fail "results"
		want_status 1 afdiff --min-share 1 --fail-if 'sum>+5%' a b
		said "afdiff: --min-share: values of $measure contain each other"
		sed 's/	start=/	total=.	start=/' a >c
		want_status 1 afdiff --normalise total c c
		want_status 0 afdiff --normalise time --fail-if 'sum>+5%' a b
		want_status 0 afdiff --normalise count a b
		afsel --where stat=count a >d 2>/dev/null
		want_status 0 afdiff --normalise total d d
	done
	# so do values of a whole region, whose results have no total
	sed 's/	mem\.delta	/	cpu	/; s/	start=/	total=.	start=/' b >c
	want_status 1 afdiff --normalise total c c
	said 'afdiff: --normalise total: values of cpu contain each other, so there is no total'
	want_status 0 afdiff c c
	[ "$(grep -c 'overlap=1' out)" -eq 4 ]
}

@test "--normalise count: a note if the events of AFTER stand for less, as at another rate" {
	local n how
	# samples N PERIOD: their sums by region; two of three are of f
	samples() {
		seq "$1" | awk -v period="$2" '{ print "sample", $1, 1, $1 % 3 ? "f" : "g", "cpu-clock", period }' |
			tr ' ' '\t' | afagg --no-marks --by run,region --stat sum
	}
	samples 300 1000 >a
	samples 609 493 >b
	want_status 0 afdiff --no-marks --normalise count a b
	said 'afdiff: --normalise count: AFTER has 2.03 times the events of cpu-clock, and 1.00 times their sum: if only the rate of sampling differs, sums are compared without --normalise'
	want_status 0 afdiff --no-marks --normalise count b a
	said 'AFTER has 0.49 times the events of cpu-clock, and 1.00 times their sum'
	# more calls, which take longer; as many; and other divisors
	samples 609 900 >c
	samples 330 700 >d
	for n in 'count a c' 'count a d' 'total a b' 'time a b'; do
		read -r -a how <<<"$n"
		want_status 0 afdiff --no-marks --normalise "${how[@]}"
		[ "$(grep -c 'rate of sampling' err)" -eq 0 ] || fail "$n"
	done
	sed 's/stat=sum/stat=count/' a >e
	want_status 0 afdiff --no-marks --normalise count e e
	[ "$(grep -c 'rate of sampling' err)" -eq 0 ]
}

@test "a note if what is compared depends on the rate of sampling, and only that differs" {
	local run stats want
	for run in 1 2 3 4; do
		seq $((100 * run)) | awk -v run="a$run" '{ print "sample", $1, run, $1 % 3 ? "f" : "g", "t", 4000 }' >>e
		seq $((400 * run)) | awk -v run="b$run" '{ print "sample", $1, run, $1 % 3 ? "f" : "g", "t", 1000 }' >>f
	done
	sed -i 's/ /\t/g' e f
	while read -r stats want; do
		afagg --no-marks --by run,region --stat "$stats" e >a
		afagg --no-marks --by run,region --stat "$stats" f >b
		want_status 0 afdiff a b
		if [ -z "$want" ]; then
			silent
		else
			{
				echo "afdiff: AFTER has 4.00 times the events of t, and 1.00 times their sum: if only the rate of sampling differs, $want cannot be compared, but sum can"
				[ "${want##* }" != max ] ||
					echo 'afdiff: max of t: AFTER has 4.00 times the values, and more values have farther extremes by chance, unlike a percentile such as p99'
			} | same - err
		fi
	done <<-'EOF'
	count,sum count
	mean,p50 mean, p50
	count,sum,mean,share,rate,max count, mean, max
	sum,share,rate
	EOF
	# twice the work at the same rate
	sed 's/\t1000$/\t4000/' f >g
	afagg --no-marks --by run,region e >a
	afagg --no-marks --by run,region g >b
	want_status 0 afdiff a b
	silent
	# results without the number of their events
	sed -i 's/\tn=[0-9]*//' a
	want_status 0 afdiff a b
	silent
}

@test "no note about the rate of sampling if the results of a side do not say how many events they have" {
	local sides
	printf 'agg\t.\t1\tf\tt\t50\tstat=%s\tn=10\n' sum count >known
	printf 'agg\t.\t2\tf\tt\t51\tstat=%s\n' sum count >unknown
	for sides in 'known unknown' 'unknown known' 'unknown unknown'; do
		# shellcheck disable=SC2086 # two files
		want_status 0 afdiff $sides
		[ "$(grep -c 'times the events' err)" -eq 0 ] || fail "$sides: $(cat err)"
	done
	sed 's/$/	n=20/' unknown >counted
	want_status 0 afdiff known counted
	said 'AFTER has 2.00 times the events of t, and 1.02 times their sum'
}

@test "numbers at the edges: no division by zero, no overflow" {
	sums a f 0 0 0 0
	sums a g -3 -4 -5 -4
	sums a h 1e300 1e300 1e299 1e300
	sums a i 1e-320 1e-310 1e-300 0
	sums a j 5 5 5 5
	sums b f 0 0 0 1
	sums b g -6 -8 -10 -7
	sums b h -1e300 1e300 1e299 1e300
	sums b i 1e-300 1e-310 1e-300 0
	sums b j 5 5 5 5
	made a b
	want_status 0 afdiff a b
	silent
	[ "$(grep -c nan out)" -eq 0 ]
	grep -q '	g	t	-3.75	.*	change=-0.9375	' out
	grep -q '	j	t	0	.*	delta.lo=0	delta.hi=0	change.lo=0	change.hi=0	p=1	' out
	grep -q '	f	t	0.25	.*	change=inf	delta.lo=' out
	want_status 4 afdiff --fail-if 'region=g sum<-20%' a b
}

@test "the order of lines and runs changes no byte, --seed does" {
	need python3
	judge simulate lognormal 0 0.5 10 100
	want_status 0 afdiff before after
	silent
	cp out one
	local f
	for f in before after; do
		{
			grep -v '^agg\|^#end' "$f"
			grep '^agg' "$f" | sort -t '	' -k 6 | sed "s/	${f}0	/	x	/; s/	${f}9	/	${f}0	/; s/	x	/	${f}9	/"
			grep '^#end' "$f"
		} >"$f.new"
	done
	mv before.new before
	mv after.new after
	want_status 0 afdiff before after
	same one out
	want_status 0 afdiff --seed 1 before after
	same one out
	want_status 0 afdiff --seed 2 before after
	[ "$(cmp -s one out && echo same)" != same ]
	want_status 0 afdiff --confidence 99 before after
	judge share out
}

# bats test_tags=slow,sanitize
@test "without a difference, 92 to 98% of the intervals contain 0" {
	need python3
	local dist dists=("normal 0 0.2" "lognormal 0 1")
	[ -z "${AFPIPE_SLOW-}" ] || dists+=("normal 0 0.02" "lognormal 0 0.2" "lognormal 0 0.5")
	for dist in "${dists[@]}"; do
		# shellcheck disable=SC2086 # words
		judge simulate $dist 10 2000
		want_status 0 afdiff before after
		inside 0.92 0.98 || fail "$dist"
	done
}

@test "of skewed values, too, 92 to 98% of the intervals contain the difference" {
	need python3
	judge simulate lognormal 0.5 1 10 2000
	want_status 0 afdiff before after
	inside 0.92 0.98 824.361 0.5 # 1000 * exp(0.5) / 2
}

@test "percentages that are large beyond use have no long rows of digits" {
	sums a f 0.000003
	sums a g 1
	sums b f 5
	sums b g 1000
	made a b
	want_status 0 afdiff --table a b
	awk '/ [fg]$/ { print $3, $NF }' out >got
	printf '%s\n' '+99900.00% g' '+1.67e+08% f' | same - got
}

@test "the interval of a percentage whose values have both signs is not wider than theirs" {
	sums a f 10 11 9 10 12 10 9 11 10 10
	sums b f -1 50 52 49 55 48 51 53 47 50
	made a b
	want_status 0 afdiff a b
	# 345 %, with a standard error of 53 %
	afcut change,change.lo,change.hi <out |
		awk '{ print } !($1 > 3.4 && $1 < 3.5 && $2 > 0.3 && $2 < 2.4 && $3 > 4.5 && $3 < 7) { bad = 1 } END { exit bad || NR != 1 }' >&2
}

@test "the interval goes one resample of 1999 farther for each 2000th of confidence" {
	local confidence
	sums a f 1 2.25 4.125 3.5 9.75 6.375 5.0625 8.1 7.7 2.9
	sums b f 5 6.125 2.5 9.25 30.75 11.375 8.9 14.1 12.7 3.3
	made a b
	for confidence in 50 50.05 62.45 62.5 74.9 74.95 75 75.05 95 95.05 99.85 99.9; do
		want_status 0 afdiff --confidence $confidence a b
		afcut delta.lo <out
	done >got
	sort -gr got | same - got
	[ "$(sort -u got | wc -l)" -eq 12 ]
}

@test "the interval of values below 0 is the mirrored one, with other resamples" {
	sums a f 1 2 4 3 9
	sums b f 5 6 2 9 30
	made a b
	want_status 0 afdiff a b
	afcut delta.lo,delta.hi,change.lo,change.hi <out >first
	sed -i 's/	t	/&-/' a b
	want_status 0 afdiff a b
	afcut delta.lo,delta.hi,change.lo,change.hi <out |
		paste first - |
		awk 'function like(x, y) { return x / y > 0.95 && x / y < 1.05 }
			like($1, -$6) && like($2, -$5) && like($3, -$8) && like($4, -$7) { good++ }
			END { exit NR != 1 || good != 1 }'
}

@test "values that are not below 0 cannot shrink by more than 100%" {
	local lo
	sums a f 100 110 90 105 95
	sums b f 0 30 50 20 10
	sums a few 100 110 90 105 95
	sums b few 0 0 0 0 7
	sums a gone 100 110 90 105 95
	sums b gone 0 0 0 0 0
	sums a signs 10 11 9 10 12
	sums b signs -4 30 -20 10 0
	made a b
	want_status 0 afdiff a b
	afcut region,change.lo <out >got
	printf '%s\n' 'gone -1' 'few -1' 'f -1' | tr ' ' '\t' >want
	grep -v signs got | same want -
	lo=$(sed -n 's/signs	//p' got)
	awk -v lo="$lo" 'BEGIN { exit !(lo < -1) }' || fail "values of both signs: $lo"
	want_status 0 afdiff --table a b
	[ "$(grep -c -e '-100.00%\.\.' out)" -eq 3 ] || fail "$(cat out)"
	# mirrored, for values below 0
	sed -i 's/	t	/&-/; s/--//; s/-0/0/' a b
	want_status 0 afdiff a b
	afcut region,change.hi <out >got
	printf '%s\n' 'gone 1' 'few 1' 'f 1' | tr ' ' '\t' >want
	grep -v signs got | same want -
}

@test "a limit sees a change if nearly all runs are equal, or a few are far from the others" {
	local case
	# of GROUP BEFORE... / AFTER...: a group of both sides.
	of() {
		local group=$1 side=a values=()
		shift
		for value in "$@" /; do
			if [ "$value" = / ]; then
				sums $side "$group" "${values[@]}"
				side=b values=()
			else
				values+=("$value")
			fi
		done
	}
	of one {1000,1000,1000,1000,1000}{,} / 2000 2000 2000 2000 2000 2000 2000 2000 2000 2001
	of two 1000 1000 1000 1000 1000 1000 1000 1000 999 1000 / 2000 2000 2001 2001 2000 2000 2000 2000 2000 2000
	of new 0 0 0 0 0 0 0 0 0 0 / 1 1 1 1 1 1 1 1 1 2
	made a b
	want_status 4 afdiff --fail-if 'sum>+5%' --fail-if 'sum>+0.5' a b
	grep -qx 'afdiff: beyond sum>+5%: 3 of 3 groups: two, one, new' err || fail "$(cat err)"
	grep -qx 'afdiff: beyond sum>+0.5: 3 of 3 groups: two, one, new' err || fail "$(cat err)"
	want_status 0 afdiff --fail-if 'region!=new sum>+100.1%' --fail-if 'sum<+99%' --fail-if 'sum>+1005' a b
	want_status 0 afdiff --table a b
	awk '{ print $4, $NF }' out | tail -n +3 >got
	printf '%s\n' '+99.97%..+100.11% two' '+99.99%..+100.03% one' '. new' | same - got
	# no end is infinite
	[ "$(grep -o '[+-]inf' out)" = +inf ] || fail "$(cat out)" # the change from 0
	rm a.lines b.lines

	of far 1000 1010 1020 1030 / 2000 2010 2020 4000
	of less 1000 1010 1020 1030 / 500 510 520 10
	made a b
	want_status 4 afdiff --fail-if 'sum>+5%' --fail-if 'sum<-5%' a b
	same err - <<-'EOF'
	afdiff: beyond sum>+5%: 1 of 2 groups: far
	afdiff: not beyond sum<-5%, only because some runs are far from the others: nearly all runs of AFTER are beyond it: 1 of 2 groups: less
	EOF
	rm a.lines b.lines

	# the mean says nothing, and the ranks do
	of f 1000 1010 1020 1030 / 1100 1110 1120 3000
	of same 1000 1010 1020 1030 / 1001 1009 1021 1000
	of below -1000 -1010 -1020 -1030 / -850 -840 -830 0
	made a b
	for case in +5% +50 0; do
		want_status 0 afdiff --fail-if "region!=below sum>$case" a b
		echo "afdiff: not beyond region!=below sum>$case, only because some runs are far from the others: nearly all runs of AFTER are beyond it: 1 of 2 groups: f" |
			same - err
		want_status 1 afdiff --strict --fail-if "region!=below sum>$case" a b
	done
	want_status 0 afdiff --confidence 99 --fail-if 'sum>+5%' a b
	grep -q 'not beyond sum>+5%, .* 2 of 3 groups: f, below$' err || fail "$(cat err)"
	want_status 0 afdiff --fail-if 'region=f sum>+7%' --fail-if 'region=f sum<-5%' a b
	silent
	want_status 4 afdiff --fail-on point --fail-if 'region=f sum>+7%' a b
	[ "$(grep -c 'not beyond' err)" -eq 0 ]
	rm a.lines b.lines

	# one run of AFTER is among those of BEFORE, and one is far away
	of f 100 101 102 103 104 105 106 107 / 103.5 141 142 143 144 145 146 1500
	of g 100 101 102 103 104 105 106 107 / 103.5 102.5 142 143 144 145 146 1500
	of rest {9000,9000,9000,9000}{,} / {9000,9000,9000,9000}{,}
	made a b
	want_status 0 afdiff --fail-if 'sum>0' a b
	grep 'not beyond' err >got
	echo "afdiff: not beyond sum>0, only because some runs are far from the others: nearly all runs of AFTER are beyond it: 1 of 3 groups: f" |
		same - got
}

@test "counts that hardly vary: a change of 20% is found, and none without a change" {
	need python3
	local sigma runs
	for runs in 4 5 20; do
		for sigma in 0.2 0.3 0.5; do
			judge simulate whole 0.2 $sigma $runs 100
			want_status 4 afdiff --fail-if 'sum>+5%' before after
			grep -q '^afdiff: beyond sum>+5%: 100 of 100 groups' err || fail "$runs $sigma: $(cat err)"
		done
	done
	for sigma in 0.3 0.5; do
		judge simulate whole 0 $sigma 10 500
		want_status 0 afdiff before after
		judge share out >parts
		awk '$3 < 0.95 { bad = 1 } END { exit bad || NR != 2 }' parts || fail "$sigma: $(cat parts)"
	done
}

@test "nearly equal values have the interval of Welch's test, as in R" {
	need Rscript
	sums a f 0 0 0 0 0 0 0 0 0 1
	sums b f 2 2 2 2 2 3
	made a b
	want_status 0 afdiff a b
	afcut delta.lo,delta.hi <out >got
	cat >test.r <<-'EOF'
	i <- t.test(c(2,2,2,2,2,3), c(0,0,0,0,0,0,0,0,0,1))$conf.int
	cat(signif(i[1], 6), "\t", signif(i[2], 6), "\n", sep = "")
	EOF
	Rscript --vanilla test.r |
		same - got
}

@test "a difference of 5% with 2% noise is found in 95% of all pairs" {
	need python3
	judge simulate normal 0.05 0.02 10 2000
	want_status 4 afdiff --fail-if 'sum>+0.5%' before after
	inside 0 0.05
}

@test "Mann-Whitney: p of equal values is none that so few runs cannot have" {
	sums a f 100 100 100 100 100
	sums b f 105 105 105 105 105
	sums a g 100 100 100 100 100
	sums b g 100 100 100 100 100
	sums a h 1 1 1 1 2
	sums b h 1 2 2 2 2
	made a b
	want_status 0 afdiff a b
	# 2 of 252 ways, all, and 52
	afcut region,p <out | sort | same - <(printf 'f\t0.00793651\ng\t1\nh\t0.206349\n')
}

@test "Mann-Whitney: as by counting all ways, with and without ties" {
	need python3
	local seed
	for seed in 1 2 3 4 5; do
		judge ranks $seed 60
	done
}

@test "Mann-Whitney: as in R" {
	local n
	need python3 Rscript
	judge simulate normal 0.03 0.05 30 40
	want_status 0 afdiff before after
	judge r out >all
	judge simulate normal 0.03 0.05 60 40
	want_status 0 afdiff before after
	judge r out >>all
	# the largest samples that are tested exactly, and the next
	for n in 49 50; do
		judge simulate normal 0.03 0.05 $n 10
		want_status 0 afdiff before after
		judge r out >>all
	done
	# with equal values, more than are tested exactly
	judge simulate whole 0 1 21 40
	want_status 0 afdiff before after
	judge r out >>all
	cat >test.r <<-'EOF'
	for (line in readLines("all")) {
		w <- strsplit(line, " ")[[1]]
		x <- as.numeric(strsplit(w[2], ",")[[1]])
		y <- as.numeric(strsplit(w[3], ",")[[1]])
		p <- suppressWarnings(wilcox.test(y, x)$p.value)
		if (abs(p - as.numeric(w[1])) > 1e-5 * p) stop(paste("R has", p, "and afdiff", w[1]))
	}
	EOF
	[ "$(wc -l <all)" -eq 140 ]
	Rscript --vanilla test.r
}

@test "--table --top --sort" {
	sums a f 100
	sums a g 50
	sums a h 8
	sums a i 0
	sums b f 90
	sums b g 70
	sums b h 2
	sums b i 3
	made a b
	# sorted ORDER [--sort COLUMN]: the groups come in this order.
	sorted() {
		want_status 0 afdiff --table "${@:2}" a b
		[ "$(awk 'NR > 2 { printf "%s ", $NF }' out)" = "$1 " ] || fail "$*: $(cat out)"
	}
	sorted 'g f h i'
	sorted 'g f h i' --sort delta
	sorted 'i h f g' --sort delta:asc
	sorted 'f g h i' --sort before
	sorted 'f g h i' -S before:desc
	sorted 'i h g f' --sort before:asc
	sorted 'f g i h' --sort after
	sorted 'i g f h' --sort change # from 0
	sorted 'h f g i' --sort change:asc
	sorted 'f g h i' --sort group
	sorted 'i h g f' --sort group:desc
	sorted 'g f h i' --sort p # nobody has one
	want_status 0 afdiff --table --top 2 --sort after a b
	grep -v : out | awk 'NR > 1 { print $NF }' >got
	printf '%s\n' f g more >want
	same want got
	[ "$(tail -n 1 out)" = '... 2 more' ]
	want_status 0 afdiff --table -n 4 a b
	[ "$(wc -l <out)" -eq 6 ]
	want_status 0 afdiff --table --top 5 a b
	[ "$(wc -l <out)" -eq 6 ]
	want_status 2 afdiff --top 2 a b
	said '--top needs --table'
	want_status 2 afdiff --sort p a b
	said '--sort needs --table'
	local option
	for option in --sort= --sort=x --sort=p:up --sort=p: --sort=:asc --top=0 --top=x; do
		want_status 2 afdiff --table "$option" a b
		said "afdiff: ${option%%=*}: "
	done
}

@test "--table --sort p: the smallest first, groups with too few runs last" {
	sums a f 1 2 1 2 1
	sums b f 1 2 2 1 2
	sums a g 1 2 1 2 1
	sums b g 7 8 9 8 7
	made a b
	want_status 0 afdiff --table --sort p a b
	[ "$(awk 'NR > 2 { printf "%s ", $NF }' out)" = 'g f ' ] || fail "$(cat out)"
	want_status 0 afdiff --table --sort p:desc a b
	[ "$(awk 'NR > 2 { printf "%s ", $NF }' out)" = 'f g ' ] || fail "$(cat out)"
}

@test "--table: every column of a group with several runs is that of the line, rounded" {
	sums a f 100 101 102 100 101 100
	sums b f 146 147 148 146 147 146
	sums a g -3.25 -2.5 -4.125 -3 -2.875 -3.5
	sums b g -3 -2.25 -4.5 -3.125 -2.75 -3.375
	sums a h 10 11 9 10 12
	sums b h -4 30 -20 10 0 5
	sums a none 0 0 0 0 0 0
	sums b none 5 6 5 7 5 6
	made a b
	want_status 0 afdiff a b
	afcut --kind diff before,after,change,change.lo,change.hi,p,region <out | awk -F '\t' '
		function percent(v) { return v == "." ? v : v == "inf" ? "+inf" : sprintf("%+.2f%%", v * 100) }
		function figure(v) { return v == "." ? v : sprintf("%.7g", v) }
		{
			interval = $4 == "." && $5 == "." ? "." : percent($4) ".." percent($5)
			printf "%12s %12s %9s  %-19s %8s  %s\n", figure($1), figure($2), percent($3),
			    interval, $6 == "." ? "." : sprintf("%.4f", $6), $7
		}' >want
	want_status 0 afdiff --table a b
	tail -n +3 out >got
	same want got
}

@test "what is passed on comes out while a side waits for its input" {
	need_proc
	local side pid
	printf 'agg\t.\t1\tf\tt\t5\tstat=sum\n' >other
	mkfifo pipe
	for side in 'pipe other' 'other pipe'; do
		# shellcheck disable=SC2086 # two files
		afdiff --no-marks $side >out 2>err 3>&- &
		pid=$!
		exec 7>pipe
		printf 'lost\t1\t1\t.\t.\t3\n' >&7
		soon grep -q '^lost	1	' out
		printf 'agg\t.\t1\tf\tt\t7\tstat=sum\n' >&7
		exec 7>&-
		wait $pid
		[ "$(grep -c '^diff	' out)" -eq 1 ]
	done
}

@test "memory that runs out in a side ends the comparison: one message, and no results" {
	local before after options
	seq 10 | sed 's/.*/agg . 1 f& m 1 stat=sum n=1/' | side few
	seq 60000 | sed 's/.*/agg . 2 f& m 1 stat=sum n=1/' | side many
	echo "afdiff: many: it needs more memory than the 3 MiB that --max-memory allows" >want
	for options in "" --table; do
		for before in few many; do
			[ $before = few ] && after=many || after=few
			want_status 1 afdiff $options --max-memory 3M --before "$before" "$after"
			same want err
			! grep -v '^#' out || return
		done
	done
}

@test "--table: no region where no group has one, and windows in seconds, also in messages" {
	side a <<-'EOF'
	agg . 1 . t 10 frame=main window=0 stat=sum
	agg . 1 . t 8 frame=f window=600000000 stat=sum
	agg . 1 . u 1 cpu=0 window=500 stat=sum
	agg . 1 g u 1 cpu=1 window=. stat=sum
	agg . 1 . v 1 window=odd stat=sum
	agg . 1 . w 1 stat=sum
	EOF
	side b <<-'EOF'
	agg . 2 . t 11 frame=main window=0 stat=sum
	agg . 2 . t 10 frame=f window=600000000 stat=sum
	agg . 2 . u 3 cpu=0 window=500 stat=sum
	agg . 2 g u 2 cpu=1 window=. stat=sum
	agg . 2 . v 2 window=odd stat=sum
	agg . 2 . w 2 stat=sum
	EOF
	want_status 4 afdiff --table --fail-if 'sum>+15%' a b
	sed -n '/%/ { s/^.\{66\}//; p; }' out >got
	cat >want <<-'EOF'
	!frame=f window=0.600s
	 frame=main window=0.000s
	!. cpu=0 window=0.000000500s
	!g cpu=1 window=.
	!window=odd
	!.
	EOF
	same want got
	said 'beyond sum>+15%: 5 of 6 groups: frame=f window=0.600s (t), . cpu=0 window=0.000000500s (u), g cpu=1 window=. (u), window=odd (v), . (w)'
	want_status 0 afdiff --table --width 12 a b
	grep -qF ' frame=f windo...600s' out || fail "$(cat out)"
	# lines keep the time
	want_status 0 afdiff a b
	[ "$(grep -c 'window=600000000' out)" -eq 1 ]
}

@test "--table: the unit of each statistic" {
	printf 'agg . 1 f t 5 stat=%s unit=ns\n' sum rate share count var >in
	printf 'agg . 1 f %s 5 stat=max of=rate %s\n' t unit=ns/s u id=1 >>in
	side a <in
	want_status 0 afdiff --table a a
	sed -n 's/: runs.*//p' out | LC_ALL=C sort >got
	printf '%s\n' 't [ns], sum' 't, count' 't, max of rate [ns/s]' 't, rate [ns/s]' 't, share' 't, var' 'u, max of rate [/s]' >want
	same want got
}

# noted TEXT...: the messages of the last command, without its name.
noted() {
	printf 'afdiff: %s\n' "$@" >want
	same want err
}

@test "a run with a measure line and no result is named, whether it is counted as 0 or left out" {
	local run of="of t, and"
	for run in 1 2 3 4 5; do
		echo "measure . $run . t . unit=ns" | tee -a a.lines >>b.lines
	done
	sums a f 10 11 10 12 11
	sums a g 4 5 4 5 5
	sums b f 10.5 10.5 - 12.5 10.5
	sums b g 4 5 - 5 5
	made a b
	want_status 0 afdiff a b
	noted "AFTER: run 3 has no result $of is counted as 0: 1 of 5 runs"
	[ "$(grep -c 'n.before=5	n.after=5' out)" -eq 2 ]
	want_status 0 afdiff b a
	noted "BEFORE: run 3 has no result $of is counted as 0: 1 of 5 runs"
	# the least share does not change what is counted
	want_status 0 afdiff --min-share 1 --fail-if 'sum>1000' a b
	noted "AFTER: run 3 has no result $of is counted as 0: 1 of 5 runs"
	[ "$(grep -c 'n.before=5	n.after=5' out)" -eq 2 ] || fail "$(cat out)"
	want_status 0 afdiff --normalise count a b
	noted "AFTER: run 3 has no result $of is left out: 1 of 5 runs"
	[ "$(grep -c 'n.before=5	n.after=4' out)" -eq 2 ]
	# several
	sed -i '1i measure . 9 . t . unit=ns\nmeasure . 8 . t . unit=ns' b.lines
	made b
	want_status 0 afdiff a b
	noted "AFTER: run 3 and 2 others have no result $of are counted as 0: 3 of 7 runs"
	sed '/	3	f/d; /	3	g/d' a >c
	want_status 0 afdiff c b
	noted "BEFORE: run 3 has no result $of is counted as 0: 1 of 5 runs" \
		"AFTER: run 3 and 2 others have no result $of are counted as 0: 3 of 7 runs"
	# other statistics leave such a run out, and some result is enough
	sed 's/stat=sum/stat=mean/' a >d
	sed 's/stat=sum/stat=mean/; /	[89]	/d' b >e
	want_status 0 afdiff --table d e
	noted "AFTER: run 3 has no result $of is left out: 1 of 5 runs"
	[ "$(head -n 1 out)" = 't [ns], mean: runs: 5 before, 4 after' ] || fail "$(cat out)"
	want_status 1 afdiff --strict --fail-if 'mean>+90%' d e
	noted 'BEFORE has 5 runs of t, and AFTER 4' \
		"AFTER: run 3 has no result $of is left out: 1 of 5 runs"
	sed '/	3	f/d' a >c
	want_status 0 afdiff a c
	noted '4 of the 5 runs of AFTER are also in BEFORE, with the same results' \
		'AFTER: run 3 is an outlier: its sum of t is 0.25 times the median'
	# two measures, of which a run has one
	sed '/^#/d; s/	t	/	u	/; /	5	[fg]/d' a | cat a - >both
	want_status 0 afdiff --no-marks a both
	noted 'all 5 runs of AFTER are also in BEFORE, with the same results' \
		'left out sum of u: only AFTER has this measure'
	want_status 0 afdiff --no-marks both both
	noted 'all 5 runs of AFTER are also in BEFORE, with the same results' \
		"BEFORE: run 5 has no result of u, and is counted as 0: 1 of 5 runs" \
		"AFTER: run 5 has no result of u, and is counted as 0: 1 of 5 runs"
}

@test "a run with a value that was left out is no outlier: its total is not known" {
	local run
	for run in 1 2 3 4 5 6; do
		echo "measure . $run . t . unit=ns" | tee -a a.lines >>b.lines
	done
	sums a f 100 101 102 100 101 100
	sums b f 101 102 100 nan 100 101
	sums a g 10 10 10 10 10 10
	sums b g 10 10 10 10 10 10
	made a b
	want_status 0 afdiff a b
	noted 'left out values that are not finite, or above 1e300: 1'
	want_status 1 afdiff --strict a b
	noted 'left out values that are not finite, or above 1e300: 1'
	# with the total of all groups it is known
	sed -i 's/stat=sum/&\ttotal=500/; s/^\(agg.*\t4\t.*total=\)500/\15/' b
	want_status 0 afdiff a b
	noted 'left out values that are not finite, or above 1e300: 1' \
		'AFTER: run 4 is an outlier: its sum of t is 0.01 times the median'
}

@test "--strict: doubtful data that the end mark of either side reports are an error" {
	local word

	sums a f 100 101 102 100 101 100
	sums b f 201 202 200 201 200 201
	made a b
	for word in unterminated incomplete cut_stacks left_out twice unpaired; do
		sed "s/complete$/&	$word=7/" a >c
		want_status 0 afdiff --strict a b
		silent
		want_status 1 afdiff --strict c b
		[ "$(grep -c '^afdiff: BEFORE: .*: 7$' err)" -eq 1 ]
		[ "$(wc -l <err)" -eq 1 ]
		grep -q "^#end	.*	partial	input incomplete or refused	$word=7$" out
		want_status 1 afdiff --strict --fail-if 'sum>+5%' c b
		want_status 1 afdiff --strict b c
		[ "$(grep -c ': 7$' err)" -eq 1 ]
		[ "$(wc -l <err)" -eq 1 ]
		want_status 1 afdiff --strict c c
		[ "$(grep -c ': 7$' err)" -eq 2 ]
		want_status 1 afdiff --strict --table c b
		[ "$(grep -c '^afdiff: BEFORE: .*: 7$' err)" -eq 1 ]
		want_status 0 afdiff c b
		silent
		grep -q "^#end	.*	complete	$word=7$" out
	done
}

@test "--strict: runs that are outliers, or without a result, are errors; their number is not" {
	local run
	for run in 1 2 3 4 5 6; do
		echo "measure . $run . t . unit=ns" | tee -a a.lines >>b.lines
	done
	sums a f 100 101 102 100 101 100
	# five runs are 46 % slower, and one has crashed early
	sums b f 146 147 148 3 146 147
	made a b
	want_status 0 afdiff --fail-if 'sum>+5%' a b
	noted 'AFTER: run 4 is an outlier: its sum of t is 0.02 times the median'
	want_status 1 afdiff --strict --fail-if 'sum>+5%' a b
	noted 'AFTER: run 4 is an outlier: its sum of t is 0.02 times the median'
	grep -q $'^#end\tafdiff\tb\t1\tpartial' out
	[ "$(grep -c ^diff out)" -eq 1 ]
	# the status is not that of the limit, which the run has exceeded
	want_status 4 afdiff --fail-if 'sum<+5%' --fail-on point b a
	want_status 1 afdiff --strict --table --fail-if 'sum<+5%' --fail-on point b a
	sed '/\t4\tf/d' b >c
	want_status 1 afdiff --strict a c
	noted 'AFTER: run 4 has no result of t, and is counted as 0: 1 of 6 runs'
	want_status 1 afdiff --strict --normalise count a c
	noted 'AFTER: run 4 has no result of t, and is left out: 1 of 6 runs'
	# without the run
	afsel --where 'run!=4' b >c
	want_status 4 afdiff --strict --fail-if 'sum>+5%' a c
	said 'BEFORE has 6 runs of t, and AFTER 5'
	want_status 0 afdiff --strict a c
	silent
}

@test "a run whose total is far from that of the others is named" {
	sums a f 100 101 102 103 104
	sums a g 50 51 50 51 50
	sums b f 100.5 100.5 102.5 102.5 104
	sums b g 50 51 50 51 70
	made a b
	want_status 0 afdiff a b
	noted 'AFTER: run 5 is an outlier: its sum of t is 1.14 times the median'
	want_status 0 afdiff --table b a
	noted 'BEFORE: run 5 is an outlier: its sum of t is 1.14 times the median'
	# counts of the same run are not worth a second note
	sed '/^#/d; s/stat=sum/stat=count/' a | cat a - >both
	sed '/^#/d; s/stat=sum/stat=count/' b | cat b - >two
	want_status 0 afdiff --no-marks both two
	[ "$(grep -c outlier err)" -eq 1 ]
	# too few runs, a run without a result, statistics that do not add up, shares of the run
	sed '/	1	[fg]/d' b >four
	want_status 0 afdiff a four
	silent
	want_status 0 afdiff --normalise total a b
	silent
	sed 's/stat=sum/stat=max/' a >d
	sed 's/stat=sum/stat=max/' b >e
	want_status 0 afdiff d e
	silent
	# a part of the median that runs often differ by, or as much as the other side does
	sed 's/	70	/	60	/' b >c
	want_status 0 afdiff a c
	silent
	sums w f 100 120 140 160 180
	sums w g 50 51 50 51 50
	made w
	want_status 0 afdiff w b
	silent
	# groups that overlap have a total; a small one, and several
	{
		for run in 1 2 3 4 5 6; do
			echo "agg . $run f t 9 stat=sum total=$((100 + run)) n=1"
		done
	} | side x
	sed 's/total=103/total=10/; s/total=104/total=1040000/; s/	9	/	9.5	/' x >y
	want_status 0 afdiff x y
	noted 'AFTER: run 4 is an outlier: its sum of t is 10048 times the median (and 1 more)'
	# values below 0 have no median to compare with
	sed 's/	t	/	t	-/' a >c
	sed 's/	t	/	t	-/' b >d
	want_status 0 afdiff c d
	silent
}

@test "the same runs on both sides: a note, and an error with --strict" {
	local options
	sums a f 10 11 12
	sums a g 1 2 3
	sums b f 10 11 13
	sums b g 1 2 3
	made a b
	for options in '' --table '--normalise total' "--fail-if sum>+5%"; do
		# shellcheck disable=SC2086 # several
		want_status 0 afdiff $options a a
		grep -qx 'afdiff: all 3 runs of AFTER are also in BEFORE, with the same results' err || fail "$options"
		# shellcheck disable=SC2086
		want_status 1 afdiff --strict $options a a
	done
	want_status 0 afdiff a b
	said 'afdiff: 2 of the 3 runs of AFTER are also in BEFORE, with the same results'
	want_status 1 afdiff --strict a b
	# other runs, a result more, and fewer runs
	sed 's/^\(agg\t.\t\)/\1x/' a >c
	want_status 0 afdiff a c
	[ "$(grep -c 'with the same' err)" -eq 0 ]
	for options in 'a d' 'd a'; do
		echo "agg . 1 h t 1 stat=sum" | cat a.lines - | side d
		# shellcheck disable=SC2086
		want_status 0 afdiff $options
		said '2 of the 3 runs of AFTER are also in BEFORE, with the same results'
	done
	sed '/\t[23]\t[fg]/d' a.lines | grep ' 1 [fg] ' | side d
	want_status 0 afdiff a d
	said 'afdiff: the run of AFTER is also in BEFORE, with the same results'
	grep ' [12] [fg] ' b.lines | side e
	grep ' [13] [fg] ' b.lines | side d
	want_status 0 afdiff d e
	said 'afdiff: 1 of the 2 runs of AFTER is also in BEFORE, with the same results'
	# pooled results, of which the run lines give the runs
	side d <<<$'run . 1 . . .\nrun . 2 . . .\nagg . . f t 1 stat=sum'
	sed 's/\t2\t/\t3\t/' d >e
	want_status 0 afdiff d d
	said 'afdiff: all 2 runs of AFTER are also in BEFORE, with the same results'
	want_status 0 afdiff d e
	[ "$(grep -c 'with the same' err)" -eq 0 ]
	side d <<<'agg . . f t 1 stat=sum'
	want_status 0 afdiff d d
	[ "$(grep -c 'with the same' err)" -eq 0 ]
	# two parts of a run can be compared
	sums p f 1 2
	sums q f 2 3
	made p q
	want_status 0 afdiff --strict p q
}

# bats test_tags=slow
@test "small numbers of events vary by chance: one of two or three is no outlier" {
	local unit run
	for unit in count ns; do
		: >a.lines
		: >b.lines
		for run in 1 2 3 4 5; do
			echo "measure . $run . t . unit=$unit" | tee -a a.lines >>b.lines
		done
		sums a f 3 3 2 3 3
		sums b f 4 4 3 4 31
		made a b
		want_status 0 afdiff --no-marks a b
		if [ $unit = count ]; then
			noted 'AFTER: run 5 is an outlier: its sum of t is 7.75 times the median'
		else
			noted 'BEFORE: run 3 is an outlier: its sum of t is 0.67 times the median' \
				'AFTER: run 5 is an outlier: its sum of t is 7.75 times the median (and 1 more)'
		fi
		sed 's/stat=sum/stat=count/' a >c
		sed 's/\t31\t/\t5\t/; s/stat=sum/stat=count/' b >d
		want_status 0 afdiff --strict c d
		silent
	done
}

@test "runs that vary by chance are seldom outliers" {
	need python3
	# 60 times 8 measures, each with runs that are normally distributed
	python3 - <<-'EOF'
	import random
	random.seed(1)
	for name, runs, sigma in ("few", 5, 0.05), ("ten", 10, 0.2), ("quiet", 5, 0.02):
	    for i in range(120):
	        with open("%s.%d" % (name, i), "w") as f:
	            for m in range(8):
	                for run in range(runs):
	                    f.write("agg\t.\t%d\tf\tt%d\t%r\tstat=sum\tn=1\n" %
	                            (run, m, random.gauss(1000, 1000 * sigma)))
	EOF
	# chance NAME LEAST MOST: as many of the 960 sides have an outlier.
	chance() {
		local i n least=$2 most=$3
		for ((i = 0; i < 120; i += 2)); do
			afdiff "$1.$i" "$1.$((i + 1))" >out 2>>"$1.err" || fail "$1.$i: status $?" || return
		done
		n=$(grep -c outlier "$1.err" || :)
		[ "$n" -ge "$least" ] && [ "$n" -le "$most" ] || fail "$n of 960 sides of $1"
	}
	chance few 1 30
	chance ten 1 20
	chance quiet 0 0
}

@test "a limit as a part of BEFORE, whose runs are on both sides of 0: none is exceeded where a lower one is not" {
	local sign limit reached
	sums a f -100 -90 1 -95
	sums b f 100 105 102 103
	sums c f 100 90 -1 95
	sums d f -100 -105 -102 -103
	# zeros on one side, and a change that is far larger than chance
	sums e f 0 1 2 1
	sums g f 200 201 205 202
	made a b c d e g
	# +244 % and -244 %, with a standard error of 34 %
	for sign in '>' '<'; do
		for limit in -500 -200 -130 -100 -50 -5 0 5 50 100 130 200 500; do
			afdiff --fail-if "sum$sign$limit%" a b >out 2>err || echo "a$sign$limit"
			afdiff --fail-if "sum$sign$limit%" c d >out 2>err || echo "c$sign$limit"
		done
	done | sort | paste -sd ' ' >got
	{
		printf 'a>%s\n' -500 -200 -130 -100 -50 -5 0 5 50 100 130
		printf 'c<%s\n' -130 -100 -50 -5 0 5 50 100 130 200 500
	} | sort | paste -sd ' ' | same - got
	reached=
	for limit in -500 0 50 500 5000 10000 50000 100000; do
		afdiff --fail-if "sum>$limit%" e g >out 2>err || { [ $? -eq 4 ] && reached="$reached $limit"; }
	done
	[ "$reached" = ' -500 0 50 500 5000' ] || fail "$reached"
	want_status 0 afdiff --fail-if 'sum<-5%' e g
	want_status 4 afdiff --fail-if 'sum<-5%' g e
	# of a limit of 100 % only AFTER is left, whose interval is short
	sums h f -100 90 -80 70
	sums i f 1 2 1 2
	sums j f 100 -90 80 -70
	sums k f -1 -2 -1 -2
	made h i j k
	for limit in 0 90 100 110; do
		want_status 0 afdiff --fail-if "sum>$limit%" h i
		want_status 0 afdiff --fail-if "sum<-$limit%" j k
	done
}

@test "--min-share: a group whose part of the total is not known is judged" {
	side a <<-'EOF'
	agg . 1 f t 100 stat=sum total=nan
	agg . 1 f u 100 stat=sum total=100
	EOF
	sed 's/100/200/' a >b
	want_status 4 afdiff --fail-if 'sum>5%' --min-share 1% a b
	grep -qx 'afdiff: beyond sum>5%: 2 of 2 groups: f (t), f (u)' err
	sed -i 's/nan/inf/' a b
	want_status 4 afdiff --fail-if 'sum>5%' --min-share 1% a b
	grep -qx 'afdiff: beyond sum>5%: 1 of 1 groups: f (u)' err
}

@test "--normalise time: results of one run and those without a run last from the first to the last event" {
	side a <<-'EOF'
	agg 3000000000 5 f t 100 stat=sum start=1000000000 n=4
	agg 5000000000 . g t 200 stat=sum start=3000000000 n=4
	agg 6000000000 5 h t 200 stat=sum start=500000000 n=4
	agg . 5 i t 200 stat=sum n=4
	EOF
	side b <<-'EOF'
	run 0 3 . . . unit=ns
	agg 3000000000 . f t 100 stat=sum start=1000000000 n=4
	agg 4000000000 . g t 100 stat=sum start=2000000000 n=4
	EOF
	want_status 0 afdiff --normalise time a b
	want <<-'EOF'
	diff . . h t -36.3636363636364 stat=sum before=36.3636363636364 after=0 change=-1 n.before=1 n.after=1 normalised=time
	diff . . i t -36.3636363636364 stat=sum before=36.3636363636364 after=0 change=-1 n.before=1 n.after=1 normalised=time
	diff . . f t 15.1515151515151 stat=sum before=18.1818181818182 after=33.3333333333333 change=0.833333 n.before=1 n.after=1 normalised=time
	diff . . g t -3.0303030303031 stat=sum before=36.3636363636364 after=33.3333333333333 change=-0.0833333 n.before=1 n.after=1 normalised=time
	EOF
	# several runs that are pooled have clocks of their own, and no common time
	sed '2s/.*/&\n&/' b | sed '3s/\t3/\t4/' >c
	want_status 1 afdiff --no-marks --normalise time a c
	echo 'afdiff: --normalise time: the 2 runs of AFTER are pooled, so their times are not known: use afagg --by run,...' | same - err
	! grep -q ^diff out || fail "$(cat out)"
	want_status 1 afdiff --no-marks --normalise time c a
	said 'the 2 runs of BEFORE are pooled'
	# no run has a time; one is too much to divide by
	side c <<<'agg . . f t 100 stat=sum n=4'
	want_status 1 afdiff --normalise time c b
	grep -qx 'afdiff: --normalise: run . of BEFORE has no time to divide by' err
	side c <<-'EOF'
	agg . 1 f t 1e290 stat=sum n=4 total=1e-20
	EOF
	side d <<<'agg . 2 f t 1 stat=sum n=4 total=inf'
	want_status 1 afdiff --normalise total c d
	grep -qx 'afdiff: --normalise: run 1 of BEFORE has no total to divide by' err
	want_status 1 afdiff --normalise total d d
	grep -qx 'afdiff: --normalise: run 2 of BEFORE has no total to divide by' err
}

@test "pooled and single runs, one of each: compared; more than one: refused, whichever side it is" {
	local pooled='agg . . f t 100 stat=sum' single='agg . 1 f t 100 stat=sum'
	side a <<<"$pooled"
	side b <<<"$single"
	want_status 0 afdiff a b
	want_status 0 afdiff b a
	side c < <(echo "$single" && echo "${single/1/2}")
	want_status 1 afdiff a c
	grep -qx 'afdiff: only AFTER has results by run: use afagg --by run,... for both sides' err
	want_status 1 afdiff c a
	grep -qx 'afdiff: only BEFORE has results by run: use afagg --by run,... for both sides' err
}

@test "pooled runs are not compared with single ones, whatever the statistic" {
	local stat run
	for run in 1 2 3 4; do
		printf 'sample\t1\tr%d\tf\tt\t%d\n' $run $((100 + run)) $run $((110 + 2 * run))
	done >events
	for stat in max min mean p99 distinct stddev share rate first; do
		afagg --no-marks --by region --stat $stat events >pooled
		afagg --no-marks --by run,region --stat $stat events >single
		want_status 1 afdiff --fail-if "$stat>+5%" pooled single
		echo 'afdiff: only AFTER has results by run: use afagg --by run,... for both sides' | same - err
		! grep -q ^diff out || fail "$stat"
		want_status 1 afdiff single pooled
		said 'afdiff: only BEFORE has results by run: use afagg --by run,... for both sides'
	done
}

@test "no group on both sides: all keys that tell them apart, and what --ignore cannot do" {
	side a <<-'EOF'
	agg . 1 f t 1 cpu=1 cpx=3 tag.a,b=1 tid=7 stat=sum
	agg . 1 f t 1 cpu=2 cpx=3 tag.a,b=1 tid=7 stat=sum
	EOF
	side b <<<'agg . 1 f t 1 cpu=3 cpx=4 tag.a,b=2 tid=7 stat=sum'
	want_status 0 afdiff a b
	grep -qxF 'afdiff: no group is on both sides: cpu is 2 in BEFORE and 3 in AFTER, cpx is 3 in BEFORE and 4 in AFTER; --ignore cpu,cpx compares the rest' err
	side a <<<'agg . 1 f t 1 tag.a,b=1 stat=sum'
	side b <<<'agg . 1 f t 1 tag.a,b=2 stat=sum'
	want_status 0 afdiff a b
	grep -qx 'afdiff: no group is on both sides: all of them are new, or gone' err
}

@test "pooled runs are counted by their measure lines, too" {
	local side run
	for side in b:6 a:3; do
		for run in $(seq "${side#*:}"); do
			lines <<-EOF
			measure . ${side%:*}$run . t . unit=ns
			sample 5 ${side%:*}$run x t 100
			EOF
		done >"${side%:*}"
		afagg --no-marks --by region -s sum "${side%:*}" >"${side%:*}.agg"
	done
	want_status 1 afdiff b.agg a.agg
	said 'the runs are pooled, 6 of BEFORE and 3 of AFTER: use afagg --by run,... or --normalise total or count'
	want_status 0 afdiff --table --normalise count b.agg a.agg
}

@test "results of weights do not know the number of events" {
	local side
	# the same events, on twice as many lines of half the weight
	for side in 'b 10 100' 'a 20 50'; do
		# shellcheck disable=SC2086 # words
		set -- $side
		for run in 1 2 3 4; do
			yes "sample 5 $1$run x t 10 w=$3" | head -n "$2"
		done | lines >"$1"
		afagg --no-marks --by run,region --weight w -s count,sum "$1" >"$1.agg"
		afagg --no-marks --by run,region -s count "$1" | afagg --kind agg --by run -s sum >"$1.twice"
	done
	want_status 0 afdiff --table b.agg a.agg
	silent
	want_status 1 afdiff --normalise count b.agg a.agg
	said 'afdiff: --normalise count: the number of events is not known for results with of=value*w, such as those of afagg --kind agg, --of and --weight: use --normalise total'
	want_status 1 afdiff --normalise count b.twice a.twice
	said 'the number of events is not known for results with of=count'
	want_status 0 afdiff --normalise total b.agg a.agg
}

@test "limits and messages if a measure has several units and statistics" {
	side a <<-'EOF'
	agg . 1 f t 1 stat=sum unit=ns
	agg . 1 f t 1 stat=sum unit=B
	agg . 1 g t 1 stat=sum unit=B
	agg . 1 g t 1 stat=count unit=B
	EOF
	sed 's/t\t1\t/t\t3\t/' a >b
	want_status 4 afdiff --fail-if 'sum>1' --fail-if 'unit=B sum>1' --fail-if 'count>1' --fail-if 'sum>0.5' a b
	grep -v 'left out' err | same - <(printf 'afdiff: %s\n' 'beyond sum>1: 3 of 3 groups: f (B), g (B), f (ns)' \
		'beyond unit=B sum>1 [B]: 2 of 2 groups: f, g' 'beyond count>1: 1 of 1 groups: g' \
		'beyond sum>0.5: 3 of 3 groups: f (B), g (B), f (ns)' 'fail' | sed 's/^afdiff: fail$/afdiff: --fail-if: sum>0.5 is 0.5 ns; a part of BEFORE is sum>+50%/')
	want <<-'EOF'
	diff . . g t 2 stat=count before=1 after=3 change=2 n.before=1 n.after=1 unit=B beyond=count>1
	diff . . f t 2 stat=sum before=1 after=3 change=2 n.before=1 n.after=1 unit=B beyond=sum>1;unit=B sum>1;sum>0.5
	diff . . g t 2 stat=sum before=1 after=3 change=2 n.before=1 n.after=1 unit=B beyond=sum>1;unit=B sum>1;sum>0.5
	diff . . f t 2 stat=sum before=1 after=3 change=2 n.before=1 n.after=1 unit=ns beyond=sum>1;sum>0.5
	EOF
	want_status 1 afdiff --fail-if 'max>3' a b
	said 'afdiff: --fail-if: no group has the statistic max (there are: sum, count)'
	# the unit and the statistic that only one side has
	grep -v 'unit=ns\|count' b >c
	want_status 1 afdiff a c
	grep -qx 'afdiff: t: only BEFORE has the unit ns' err
	grep -v '	f	.*sum\|count' b | sed 's/sum/min/' >c
	want_status 1 afdiff c b
	grep -qx 'afdiff: t: only BEFORE has the statistic min: use the same --stat for both' err
	for stat in sum max min; do echo "agg . 1 f t 1 stat=$stat"; done | side a
	for stat in min sum count max; do echo "agg . 1 f t 1 stat=$stat"; done | side b
	want_status 1 afdiff a b
	grep -qx 'afdiff: t: only AFTER has the statistic count: use the same --stat for both, or compare max alone (afsel --where stat=max, after afagg)' err
	# no measure in common, of one and of several
	side a <<<'agg . 1 f a 1 stat=sum'
	side b <<<'agg . 1 f b 1 stat=sum'
	side c < <(echo 'agg . 1 f c 1 stat=sum' && echo 'agg . 1 f d 1 stat=sum')
	want_status 1 afdiff a b
	grep -qx 'afdiff: no measure is on both sides: BEFORE has a, and AFTER has b' err
	want_status 1 afdiff a c
	grep -qx 'afdiff: no measure is on both sides: BEFORE has a, and AFTER has c and others' err
	want_status 1 afdiff c a
	grep -qx 'afdiff: no measure is on both sides: BEFORE has c and others, and AFTER has a' err
}

@test "too few runs: the numbers are those of the group that has the fewest" {
	sums a f 1 2 3 4 5
	sums a g 1 2 3 4 5
	sums b f 1 2 3
	sums b g 1 2
	sed -i s/sum/max/ a.lines b.lines
	made a b
	want_status 0 afdiff a b
	grep -qx 'afdiff: left out intervals and p: 2 groups have fewer than 4 runs on a side (BEFORE 5, AFTER 2)' err
	want_status 0 afdiff b a
	grep -qx 'afdiff: left out intervals and p: 2 groups have fewer than 4 runs on a side (BEFORE 2, AFTER 5)' err
}

@test "notes about runs: two without a result, and of outliers that are equally far the first name" {
	{
		for i in 9 8 3 4 5; do echo "measure . $i . t . "; done
		for i in 3 4 5; do echo "agg . $i f t 10 stat=sum"; done
	} | sed 's/ $//' | side a
	grep agg a | side b
	want_status 0 afdiff a b
	said 'afdiff: BEFORE: run 8 and 1 other have no result of t, and are counted as 0: 2 of 5 runs'
	{
		echo run 4 77 . . . app=x
		for i in 9 2 3 4 5 6 7 8; do
			v=$((i == 9 || i == 2 ? 30 : 10))
			printf 'agg . %s f t %s stat=%s\n' $i $v sum $i $v count $i $v 'sum unit=B'
		done
	} | side a
	for i in 1 2 3 4 5 6 7 8; do
		printf 'agg . %s f t %s stat=%s\n' $i 10 sum $i 10 count $i $((i == 8 ? 0 : 11)) 'sum unit=B'
	done | side b
	want_status 0 afdiff a b
	same err - <<-'EOF'
	afdiff: BEFORE: run 77 has neither results nor measure lines, and is left out: 1 of 9 runs
	afdiff: BEFORE: run 2 is an outlier: its sum of t is 3.00 times the median (and 1 more)
	afdiff: AFTER: run 8 is an outlier: its sum of t is 0.00 times the median
	EOF
}

@test "changes from 0 and of values that are not there: infinite, or none; in tables, too" {
	side a <<-'EOF'
	agg . 1 f t 0 stat=sum
	agg . 1 f u 1 stat=mean of=rate
	agg . 1 g u . stat=mean of=rate
	agg . 1 f t 100 stat=rate
	EOF
	side b <<-'EOF'
	agg . 1 f t -5 stat=sum
	agg . 1 f u 2 stat=mean of=rate
	agg . 1 h u 3 stat=mean of=rate
	agg . 1 f t 200 stat=rate
	EOF
	want_status 0 afdiff a b
	want <<-'EOF'
	diff . . f t 100 stat=rate before=100 after=200 change=1 n.before=1 n.after=1
	diff . . f t -5 stat=sum before=0 after=-5 change=-inf n.before=1 n.after=1
	diff . . f u 1 stat=mean before=1 after=2 change=1 n.before=1 n.after=1 of=rate
	diff . . g u . stat=mean before=. after=. n.before=0 n.after=0 of=rate
	diff . . h u . stat=mean before=. after=3 n.before=0 n.after=1 of=rate
	EOF
	for sort in before delta change; do
		want_status 0 afdiff --table --sort $sort a b
		same out - <<-'EOF'
		t, rate [/s]: runs: 1 before, 1 after
		      before        after    change  interval                   p  group
		         100          200  +100.00%  .                          .  f

		t, sum: runs: 1 before, 1 after
		      before        after    change  interval                   p  group
		           0           -5      -inf  .                          .  f

		u, mean of rate [/s]: runs: 1 before, 1 after
		      before        after    change  interval                   p  group
		           1            2  +100.00%  .                          .  f
		           .            .         .  .                          .  g
		           .            3         .  .                          .  h
		EOF
	done
	want_status 0 afdiff --table --sort after a b
	tail -n 3 out | sed 's/.* //' | same - <(printf '%s\n' h f g)
	want_status 0 afdiff --table --sort after b a
	tail -n 3 out | sed 's/.* //' | same - <(printf '%s\n' f g h)
}

@test "numbers of a result that are none are refused by line; the largest ones are added up" {
	side a <<-'EOF'
	agg . 1 f t 1 stat=sum total=q
	agg . 1 g t 1 stat=sum total=. n=-1
	agg . 1 g t x stat=sum
	agg . 1 h t 1
	EOF
	side b <<<'agg . 1 f t 1 stat=sum'
	want_status 1 afdiff a b
	same err - <<-'EOF'
	afdiff: a:2: total "q" is not a number
	afdiff: a:3: n "-1" is not a number of events
	afdiff: a:4: value "x" is not a number
	afdiff: a:5: an aggregate without the tag stat
	EOF
	# what else is wrong is said, too, unless a side is empty because of it
	side a <<-'EOF'
	agg . 1 f t 1 stat=sum
	agg . 1 f t 1 stat=count
	agg . 1 h t 1
	EOF
	want_status 1 afdiff a b
	same err - <<-'EOF'
	afdiff: a:4: an aggregate without the tag stat
	afdiff: t: only BEFORE has the statistic count: use the same --stat for both, or compare sum alone (afsel --where stat=sum, after afagg)
	EOF
	side a <<-'EOF'
	agg . 1 f t 100 stat=sum n=18446744073709551615
	agg . 1 g t . stat=sum n=18446744073709551615
	EOF
	sed 's/100/200/' a >b
	want_status 0 afdiff --normalise count a b
	want 'diff . . f t 5.4210108624275e-18 stat=sum before=5.42101086242752e-18 after=1.0842021724855e-17 change=1 n.before=1 n.after=1 normalised=count
diff . . g t . stat=sum before=. after=. n.before=0 n.after=0 normalised=count'
	# one side only has overlapping groups
	side a <<<'agg . . f t 2 stat=sum'
	side b <<<'agg . . f t 3 stat=sum total=4'
	for sides in 'a b 1 2 3 0.5' 'b a -1 3 2 -0.333333'; do
		read -r before after change from to part <<<"$sides"
		want_status 0 afdiff "$before" "$after"
		want "diff . . f t $change stat=sum before=$from after=$to change=$part n.before=1 n.after=1 overlap=1"
		want_status 1 afdiff --normalise count "$before" "$after"
		grep -q 'the groups overlap (total=)' err
	done
	want_status 2 afdiff --confidence 30 a b
	want_status 2 afdiff --confidence x a b
	want_status 2 afdiff --confidence '' a b
	want_status 2 afdiff --fail-on often a b
}

# two SEED RUN...: a stream of these runs, with samples in two regions, each for 4 windows of 10.
two() {
	local seed=$1 run i
	shift
	for run; do
		for i in 0 1 2 3 4 5 6 7; do
			event sample $((5 * i)) "f$((i % 2))" t $(((i * seed + 7) % 11)) w=2
		done
	done
}

# by_run ARGUMENT...: the results of the lines of standard input, by run and region.
by_run() {
	afagg --no-marks --by run,region "$@"
}

@test "windows of another size, or that count from elsewhere, are not compared" {
	two 3 k l | by_run --window 10ns >a
	two 5 m n | by_run --window 20ns >b
	two 5 m n | by_run --window 20ns/10ns >c
	two 5 m n | by_run --window 10ns --window-from first >d
	want_status 1 afdiff a b
	noted 't: the windows differ (BEFORE: 10, AFTER: 20): use the same --window for both'
	want_status 1 afdiff c b
	noted 't: the windows differ (BEFORE: 20/10, AFTER: 20): use the same --window for both'
	want_status 1 afdiff d a
	noted 't: the windows differ (BEFORE: 10@first, AFTER: 10): use the same --window for both'
	# without the tag it is not known how they lie
	want_status 1 afdiff a <(sed 's/\twindows=[0-9]*//' a)
	noted 't: the windows differ (BEFORE: 10, AFTER: not known): use the same --window for both'
	# means over windows, too
	for i in a b; do
		afagg --kind agg --by run,region -s mean $i >mean.$i
	done
	want_status 1 afdiff mean.a mean.b
	noted 't: the windows differ (BEFORE: 10, AFTER: 20): use the same --window for both'
	# other runs of the same side
	{
		grep -v '^#' a
		two 5 longer | by_run --window 20ns | grep -v '^#'
	} >mixed
	want_status 1 afdiff --no-marks mixed mixed
	noted 'BEFORE: the results of t have other windows for run longer than for run k: use the same --window for all runs'
	two 5 m n | by_run --window 10ns >e
	want_status 0 afdiff a e
	grep -q '^diff.*	windows=10$' out
}

@test "percentiles that were found in different ways are not compared" {
	two 3 a b >in
	by_run -s p99,median,mad,sum in >a
	by_run -s p99,median,iqr,sum --sketch 1% in >b
	by_run -s p99,sum --percentile nearest in >c
	grep -q 'stat=p99	percentile=sketch:64	start' b || fail "$(cat b)"
	grep -q 'stat=sum	start' b || fail "$(cat b)"
	grep -c 'percentile=nearest' c | grep -qx 4 || fail "$(cat c)"
	want_status 1 afdiff <(grep -v stat=mad a) <(grep -v stat=iqr b)
	noted 't, p99: the percentiles were found in different ways (BEFORE: interpolate, AFTER: sketch:64): use the same --percentile and --sketch for both'
	want_status 1 afdiff c <(grep -v 'stat=median\|stat=mad' a)
	noted 't, p99: the percentiles were found in different ways (BEFORE: nearest, AFTER: interpolate): use the same --percentile and --sketch for both'
	# as values of a further command they are other quantities
	afagg --kind agg --by region -s max b c 2>/dev/null | grep ' *stat=max' | cut -f 10- |
		grep -o 'of=p99.*' | sort -u | cut -f 1 | same - <(printf 'of=p99:%s\n' nearest sketch:64)
	want_status 0 afdiff b b
	grep -q 'stat=p99.*	percentile=sketch:64' out
}

@test "weights in some runs of a side only: the others would count as 0" {
	two 3 a | by_run --weight w | grep -v '^#' >weighted
	two 3 a | by_run | grep -v '^#' >plain
	two 5 b | by_run | grep -v '^#' >>plain
	two 5 b | by_run | grep -v '^#' | cat weighted - >mixed
	want_status 1 afdiff mixed mixed
	noted 'BEFORE: the results of t are of the values for run b, and of something else for run a: use the same --weight and --of for all runs'
	sed 's/\ta\t/\tlonger\t/' mixed >longer
	want_status 1 afdiff longer longer
	noted 'BEFORE: the results of t are of the values for run b, and of something else for run longer: use the same --weight and --of for all runs'
	# means of other things are not 0 where there are none, but a sum is
	{
		two 3 longer | by_run --weight w -s sum
		two 5 b | by_run -s mean
	} | grep -v '^#' >sums
	want_status 1 afdiff sums sums
	noted 'BEFORE: the results of t are of value*w for run longer, and of something else for run b: use the same --weight and --of for all runs'
	# a run may have no line with the tag, if it has the other results
	want_status 0 afdiff <(cat weighted plain) <(cat weighted plain)
	grep -q 'stat=sum.*n.before=2.*of=value\*w' out
}

@test "extremes of different numbers of values, or of runs, are doubtful" {
	local stat
	two 3 k l m n o | afagg --no-marks --by region -s max,min,mean >a
	two 3 p q | afagg --no-marks --by region -s max,min,mean >b
	for stat in max min distinct p0 p100; do
		two 3 k l m n o | afagg --no-marks --by region -s $stat >a
		two 3 p q | afagg --no-marks --by region -s $stat >b
		want_status 1 afdiff --strict a b
		said "afdiff: $stat of t: AFTER has 0.40 times the values, and more values have farther extremes by chance, unlike a percentile such as p99"
	done
	# each run has some, but those of a side more
	two 3 k l | by_run -s max,mean,min >a
	{
		two 3 m n
		two 5 m n
		two 7 m n
	} | by_run -s max,mean,min >b
	want_status 0 afdiff a b
	said 'afdiff: max, min of t: AFTER has 3.00 times the values, and more values have farther extremes by chance, unlike a percentile such as p99'
	# nothing is said about what does not depend on their number, or if it is the same
	want_status 0 afdiff --strict <(grep -v 'stat=m[ai][xn]' a) <(grep -v 'stat=m[ai][xn]' b)
	[ "$(grep -c extremes err)" -eq 0 ]
	want_status 0 afdiff <(two 3 k l | by_run -s max) <(two 5 m n | by_run -s max)
	[ "$(grep -c extremes err)" -eq 0 ]
	# pooled runs, which are known from their run lines
	side a < <(printf '%s\n' 'run . 1 . . .' 'run . 2 . . .' 'agg . . f t 8 stat=max')
	side b < <(printf '%s\n' 'run . 3 . . .' 'agg . . f t 5 stat=max')
	want_status 1 afdiff --strict a b
	said 'afdiff: max of t: the runs are pooled, 2 of BEFORE and 1 of AFTER, and more runs have farther extremes by chance: use afagg --by run,...'
}

@test "histograms with other bins are not compared" {
	two 3 a b >in
	by_run -s hist in >a
	by_run -s hist --bins 4 in >b
	by_run -s hist --bins 3,6 in >c
	want_status 1 afdiff a b
	noted 't: the bins differ (0 to 4, and 2 to 4): use the same --bins for all runs of both'
	want_status 1 afdiff b c
	noted 't: the bins differ (-inf to 3, and 0 to 4): use the same --bins for all runs of both'
	want_status 1 afdiff --no-marks <(grep 'agg.*	a	' b) <(grep 'agg.*	b	' c)
	noted 't: the bins differ (-inf to 3, and 0 to 4): use the same --bins for all runs of both'
	for bins in a b c; do
		want_status 0 afdiff $bins $bins
	done
	# measures may have other bins
	want_status 0 afdiff <(cat a <(sed 's/\tt\t/\tu\t/' b)) <(cat a <(sed 's/\tt\t/\tu\t/' b))
}

@test "values so near or so far that a change has hardly a digit, or none" {
	side a <<-'END'
	agg . 1 far t 1e-300 stat=sum n=1
	agg . 1 near t 1.00000000000001 stat=sum n=1
	END
	side b <<-'END'
	agg . 2 far t -1e300 stat=sum n=1
	agg . 2 near t 1.00000000000002 stat=sum n=1
	END
	want_status 0 afdiff a b
	want <<-'END'
	diff . . far t -1e300 stat=sum before=1e-300 after=-1e300 change=-inf n.before=1 n.after=1
	diff . . near t 1e-14 stat=sum before=1.00000000000001 after=1.00000000000002 change=1e-14 n.before=1 n.after=1
	END
}

@test "a statistic of one side is not compared with that of another measure" {
	printf 'agg . 1 f %s 1 stat=sum\n' u t | side a
	printf 'agg . 2 f %s 1 stat=%s\n' u sum t mean | side b
	want_status 1 afdiff --no-marks a b
	same err - <<<'afdiff: t: only BEFORE has the statistic sum: use the same --stat for both'
}

@test "a key with several values: their order does not count; events and runs without an id are no results" {
	side a <<-'END'
	run . . . . . x=1
	span 1 1 f t 4 start=0
	agg . 1 f t 1 stat=sum k=2 k=1
	END
	side b <<<'agg . 2 f t 3 stat=sum k=1 k=2'
	want_status 0 afdiff a b
	want <<-'END'
	diff . . f t 2 k=1 k=2 stat=sum before=1 after=3 change=2 n.before=1 n.after=1
	END
	noted 'BEFORE: left out lines of other kinds: 1 span' \
		'left out intervals and p: 1 group has fewer than 4 runs on a side (BEFORE 1, AFTER 1)'
}

@test "--normalise time: the shortest run need not be the first, nor have the results that come first" {
	{
		for run in 3 1 2 4; do
			echo "agg $((run + 9))000000000 $run f t $run stat=sum start=1000000000 n=1"
		done
		echo run 0 9 . . . app=x
	} | side a
	for run in 1 2 3 4; do
		echo "agg 3500000000 2$run f t $run stat=sum start=1000000000 n=1"
	done | side b
	want_status 0 afdiff --normalise time a b
	same err - <<-'END'
	afdiff: divided by the time from the first to the last event of each run: 9 s to 12 s before, 2.5 s after
	afdiff: BEFORE: run 9 has neither results nor measure lines, and is left out: 1 of 5 runs
	END
	# results without a run begin before the one run, and end after it
	side c <<-'END'
	agg 3000000000 5 f t 100 stat=sum start=1000000000 n=4
	agg 5000000000 . g t 200 stat=sum start=500000000 n=4
	END
	want_status 0 afdiff --normalise time c b
	same err - <<-'END'
	afdiff: left out intervals and p: 2 groups have fewer than 4 runs on a side (BEFORE 1, AFTER 4); afagg --by run,... keeps runs apart
	afdiff: divided by the time from the first to the last event of each run: 4.5 s before, 2.5 s after
	END
}

@test "notes about runs: of several without results the first name; each outlier of a measure" {
	{
		printf 'run 0 %s . . . app=x\n' 9 8 10 11
		for i in 1 2 3 4 5 6; do
			echo "agg . $i f t $((i == 2 ? 30 : i == 4 ? 20 : 10)) stat=sum"
			echo "agg . $i f t $((i == 6 ? 50 : 10)) stat=count"
		done
	} | side a
	for i in 1 2 3 4 5 6; do
		printf 'agg . 2%s f t 10 stat=%s\n' $i sum $i count
	done | side b
	want_status 0 afdiff a b
	same err - <<-'END'
	afdiff: BEFORE: run 10 and 3 others have neither results nor measure lines, and are left out: 4 of 10 runs
	afdiff: BEFORE: run 2 is an outlier: its sum of t is 3.00 times the median (and 1 more)
	afdiff: BEFORE: run 6 is an outlier: its count of t is 5.00 times the median
	END
}

@test "keys that are tags of changes are refused" {
	local key
	for key in before after change n.after p beyond; do
		side a <<<"agg . 1 f t 1 cpu=2 $key=7 stat=sum n=1"
		want_status 1 afdiff a a
		echo "afdiff: the key '$key' is also a tag of changes: give it another name, or leave it out (--ignore)" | same - err
		want_status 0 afdiff --ignore $key a a
	done
}

@test "settings and limits that there are not" {
	local i limits=()
	side a <<<'agg . 1 f t 1 stat=sum n=1'
	want_status 2 afdiff --fail-if 'sum>1%' --fail-on often a a
	said 'afdiff: --fail-on: expected interval or point'
	want_status 0 afdiff --fail-if 'sum>1%' --fail-on interval a a
	for ((i = 0; i < 64; i++)); do limits+=(--fail-if "sum>$((i + 1))%"); done
	want_status 0 afdiff "${limits[@]}" a a
	want_status 2 afdiff "${limits[@]}" --fail-if 'sum>99%' a a
	said 'afdiff: --fail-if: more than 64 limits'
}

@test "the table has numbers of any size" {
	side a <<<'agg . 1 f t 1234567890 stat=sum n=1'
	side b <<<'agg . 1 f t 5e20 stat=sum n=1'
	want_status 0 afdiff --table a b
	grep -q '^  1234567890        5e+20  *+' out
}

@test "histograms: keys that are no ends of a bin are keys" {
	side a <<-'EOF'
	agg . 1 f t 5 hi=x lo=1 stat=hist n=1
	agg . 1 f t 3 lo=1 stat=hist n=1
	agg . 1 f t 2 lo=5 hi=4 stat=hist n=1
	EOF
	want_status 0 afdiff a a
	want <<-'EOF'
	diff . . f t 0 hi=4 lo=5 stat=hist before=2 after=2 change=0 n.before=1 n.after=1
	diff . . f t 0 hi=x lo=1 stat=hist before=5 after=5 change=0 n.before=1 n.after=1
	diff . . f t 0 lo=1 stat=hist before=3 after=3 change=0 n.before=1 n.after=1
	EOF
}

@test "--table: losses and lines of unknown kinds, which are not printed, are said" {
	cd "$T"
	side a <<<'agg . r f t 1 stat=sum'
	side b <<-'EOF'
		agg . r2 f t 1 stat=sum
		lost 5 r2 . lost 3
		incomplete 5 r2 . unwind 2
		zoo . . . x 3
	EOF
	want_status 0 afdiff a b
	[ "$(grep -cE '^(lost|incomplete|zoo)	' out)" -eq 3 ]
	[ "$(grep -c 'lost\|left out lines' err)" -eq 0 ]
	want_status 0 afdiff --table a b
	[ "$(grep -cE 'lost|incomplete|zoo' out)" -eq 0 ]
	grep -E 'lost|left out lines' err >got
	printf 'afdiff: AFTER: %s\n' 'the source lost events, so the numbers are too small' \
		'left out lines of other kinds: 1 incomplete, 1 zoo' | same - got
	want_status 0 afdiff --table b a
	grep -E 'lost|left out lines' err | sed 's/BEFORE/AFTER/' | same - got
	# what the end mark counts is said once
	{
		printf '#afstream\t1\tx\ty\n'
		grep -v '^#' b
		printf '#end\tx\ty\t%d\tcomplete\tlost=3\tincomplete=2\n' "$(grep -vc '^#' b)"
	} >marked
	want_status 0 afdiff --table a marked
	grep -E 'lost|incomplete|unwound|zoo' err >got
	printf 'afdiff: %s\n' 'AFTER: left out lines of other kinds: 1 zoo' 'BEFORE lost 0 events, and AFTER 3' \
		'AFTER: the source lost 3 events, so the numbers are too small' \
		'AFTER: samples whose stacks could not be unwound completely: 2' | same - got
}

@test "a mean that is nothing beside the other one, and its interval" {
	for i in 1 2 3 4; do
		run=r$i event agg . f t 1.${i}e-300 stat=mean n=1
	done >a
	sed 's/e-300/e299/' a >b
	want_status 0 afdiff --no-marks a b
	silent
	want "diff . . f t 1.25e299 stat=mean before=1.25e-300 after=1.25e299 change=inf delta.lo=1.08783e299 delta.hi=1.43634e299 change.lo=inf change.hi=inf p=0.0285714 n.before=4 n.after=4"
	want_status 0 afdiff --no-marks b a
	want "diff . . f t -1.25e299 stat=mean before=1.25e299 after=1.25e-300 change=-1 delta.lo=-1.43634e299 delta.hi=-1.08783e299 change.lo=-1 change.hi=-1 p=0.0285714 n.before=4 n.after=4"
}

@test "p is the same whichever side is the larger one" {
	local p
	# 60 and 5 different values, 25 and 5 of which some are equal
	for i in {1..60}; do run=r$i event agg . f t $((i * i + 100)) stat=mean n=1; done >a
	for i in {1..5}; do run=s$i event agg . f t $((i * 700)).5 stat=mean n=1; done >b
	for i in {1..25}; do run=r$i event agg . f t $((i / 2)) stat=mean n=1; done >c
	for i in {1..5}; do run=s$i event agg . f t $((i * 3)) stat=mean n=1; done >d
	for p in "a b 0.123891" "b a 0.123891" "c d 0.219615" "d c 0.219615"; do
		# shellcheck disable=SC2086 # words
		set -- $p
		want_status 0 afdiff --no-marks "$1" "$2"
		grep -q "	p=$3	" out || fail "$p: $(cat out)"
	done
}

@test "histograms of two measures, by a further key" {
	local m r
	for m in b a; do
		for r in 1 2; do
			run=$r event agg . f $m 5 hi=10 lo=0 pid=7 stat=hist n=1
			run=$r event agg . f $m 5 hi=20 lo=10 pid=7 stat=hist n=1
		done
	done >x
	sed '/hi=20/s/5/7/' x >y
	want_status 0 afdiff --no-marks x y
	want <<-'EOF'
	diff . . f a 2 hi=20 lo=10 pid=7 stat=hist before=5 after=7 change=0.4 n.before=2 n.after=2
	diff . . f a 0 hi=10 lo=0 pid=7 stat=hist before=5 after=5 change=0 n.before=2 n.after=2
	diff . . f b 2 hi=20 lo=10 pid=7 stat=hist before=5 after=7 change=0.4 n.before=2 n.after=2
	diff . . f b 0 hi=10 lo=0 pid=7 stat=hist before=5 after=5 change=0 n.before=2 n.after=2
	EOF
	sed 's/hi=20	lo=10/hi=21	lo=9/' y >z
	want_status 1 afdiff --no-marks x z
	said 'the bins differ (0 to 10, and 9 to 21): use the same --bins for all runs of both'
}

@test "a side that has windows of two kinds, of which the other side has one" {
	run=r event agg . f t 1 window=0 windows=5 stat=sum n=1 >a
	run=r event agg . f t 1 window=0 windows=6 stat=sum n=1 | cat a - >b
	want_status 1 afdiff --no-marks a b
	echo 'afdiff: t: the windows differ (BEFORE: 5, AFTER: 6): use the same --window for both' | same - err
	want_status 1 afdiff --no-marks b a
	echo 'afdiff: t: the windows differ (BEFORE: 6, AFTER: 5): use the same --window for both' | same - err
}

@test "values of whole sections overlap with those inside" {
	run=r event agg . f mem 5 scope=section stat=sum n=1 >a
	run=r event agg . f mem 6 scope=section stat=sum n=1 >b
	want_status 0 afdiff --no-marks a b
	want "diff . . f mem 1 scope=section stat=sum before=5 after=6 change=0.2 n.before=1 n.after=1 overlap=1"
}

@test "runs that lack a group: a few of three sides, and a run in which it took no time does not" {
	# three runs, which have no interval, and four
	for i in 1 2 3; do run=a$i event agg . f t 100 stat=sum n=1; done >a
	{
		for i in 1 2 3; do run=b$i event agg . f t 120 stat=sum n=1; done
		run=b4 event measure . . t .
	} >b
	want_status 0 afdiff --no-marks --fail-if 'sum>+5%' a b
	said 'afdiff: not beyond sum>+5%, only because runs without a group count as 0: 1 of 1 groups: f (not in run b4 of AFTER)'
	# the runs in any order, and those of another measure are none of these
	for i in {1..16}; do
		run=a$i event agg . f t 1$((10 + i)) stat=sum n=1
		run=a$i event agg . f u 5 stat=sum n=1
	done >a
	{
		for i in {16..1}; do
			run=b$i event measure . . t .
			run=b$i event agg . f u 5 stat=sum n=1
		done
		for i in {1..13}; do run=b$i event agg . f t 1$((40 + i)) stat=sum n=1; done
	} >b
	want_status 0 afdiff --no-marks --fail-if 'measure=t sum>+5%' a b
	said 'only because runs without a group count as 0: 1 of 1 groups: f (t) (not in run b14 and 2 others of AFTER)'
	# with a result of 0 in one of two runs, that one does not lack it
	for i in {1..8}; do run=a$i event agg . f t "10$i" stat=sum n=1; done >a
	{
		for i in {1..6}; do run=b$i event agg . f t "13$i" stat=sum n=1; done
		for i in 7 8; do run=b$i event measure . . t .; done
	} >b
	want_status 0 afdiff --no-marks --fail-if 'sum>+5%' a b
	said 'only because runs without a group count as 0: 1 of 1 groups: f (not in run b7 and 1 other of AFTER)'
	run=b7 event agg . f t 0 stat=sum n=1 >>b
	want_status 0 afdiff --no-marks --fail-if 'sum>+5%' a b
	! grep -q 'only because runs without' err || fail "$(cat err)"
}

@test "extremes of a few values more, which may be chance, and of many" {
	for i in 1 2 3 4; do run=a$i event agg . f t 10 stat=max n=4; done >a
	for i in 1 2 3 4; do run=b$i event agg . f t 11 stat=max n=5; done >b
	want_status 0 afdiff --no-marks a b
	silent
	sed -i 's/n=4/n=400/' a
	sed -i 's/n=5/n=500/' b
	want_status 0 afdiff --no-marks a b
	echo 'afdiff: max of t: AFTER has 1.25 times the values, and more values have farther extremes by chance, unlike a percentile such as p99' | same - err
}

@test "what only one side has: measures of several statistics, and groups with theirs" {
	run=a1 event agg . f t 1 stat=sum n=1 >a
	run=b1 event agg . f t 2 stat=sum n=1 >b
	{
		cat b
		run=b1 event agg . f x 3 stat=sum n=1
		run=b1 event agg . f x 3 stat=mean n=1
	} >c
	want_status 0 afdiff --no-marks a c
	same - err <<-'EOF'
	afdiff: left out intervals and p: 1 group has fewer than 4 runs on a side (BEFORE 1, AFTER 1)
	afdiff: left out sum of x: only AFTER has this measure
	afdiff: left out mean of x: only AFTER has this measure
	EOF
	for g in f g; do
		run=a event agg . $g t 5 stat=mean n=1 unit=ns
		run=a event agg . $g t 6 stat=max n=1 unit=ns
		run=a event agg . $g u 6 stat=max n=1 unit=ns
	done >d
	grep '	f	' d >e
	want_status 0 afdiff --no-marks d e
	said 'afdiff: left out the change of groups that only BEFORE has: 3: g (max, t), g (mean, t), g (max, u)'
	{
		grep '	t	' d
		grep 'stat=mean' d | sed 's/=ns/=ms/'
	} >f
	grep '	f	' f >e
	want_status 0 afdiff --no-marks f e
	said 'afdiff: left out the change of groups that only BEFORE has: 3: g (mean, ms), g (max, ns), g (mean, ns)'
	# the statistic of the limit need not be the first one
	for stat in count sum; do run=a event agg . f t 5 stat=$stat n=1 unit=ns; done >g
	want_status 0 afdiff --no-marks --fail-if 'sum>0.05' g g
	said 'afdiff: --fail-if: sum>0.05 is 0.05 ns; a part of BEFORE is sum>+5%'
}
