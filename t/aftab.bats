# SPDX-License-Identifier: ISC
# aftab.bats - aggregates as tables.

load lib

D=$BATS_TEST_DIRNAME/data/aftab

# bats test_tags=quick
@test "a table: keys, statistics, shares" {
	want_status 0 aftab "$D/groups.af"
	silent
	same "$D/groups.txt" "$T/out"
}

@test "two measures, a long key, UTF-8" {
	want_status 0 aftab "$D/wide.af"
	silent
	same "$D/wide.txt" "$T/out"
}

@test "--top --human --sort --width" {
	want_status 0 aftab --top 3 --human --sort mean --width 0 "$D/wide.af"
	silent
	same "$D/top.txt" "$T/out"
}

@test "the order of lines does not matter for one measure" {
	sort -r "$D/groups.af" >"$T/in"
	want_status 0 aftab --sort sum "$T/in"
	tr -s ' ' '\n' <"$T/out" | sort >"$T/got"
	tr -s ' ' '\n' <"$D/groups.txt" | sort >"$T/want"
	same "$T/want" "$T/got"
}

@test "events instead of aggregates" {
	printf 'sample\t1\t1\tf\tm\t1\nspan\t2\t1\tf\tm\t1\tstart=1\n' >"$T/in"
	want_status 1 aftab "$T/in"
	said "aftab: 2 sample or span lines and no aggregates: pipe the stream through afagg first"
	{
		event start 1 a . . id=1
		event stop 2 a . . id=1
	} >"$T/starts"
	want_status 1 aftab "$T/starts"
	said "aftab: 2 start and stop lines and no aggregates: pipe the stream through afdur and afagg first"
	want_status 1 csvenc --wide stat "$T/starts"
	said "csvenc: 2 start and stop lines and no aggregates: pipe the stream through afdur and afagg first"
	[ ! -s "$T/out" ]
	[ ! -s "$T/out" ]
	cat "$D/groups.af" >>"$T/in"
	want_status 0 aftab "$T/in"
	said "left out sample or span lines, which are not aggregates: 2"
	same "$D/groups.txt" "$T/out"
}

@test "a whole table of windows is in the order of time; its top, and a wish, in another" {
	local window region value
	while read -r window region value; do
		printf 'agg\t.\t0x1\t%s\tm\t%s\twindow=%s\tstat=sum\tunit=ns\n' "$region" "$value" "$window"
	done >"$T/in" <<-END
		20 a 5
		10 b 1
		10 a 3
		100 a 4
		20 c 5
		10 d 7
	END
	shown() {
		want_status 0 aftab --no-marks "$@" "$T/in"
		awk 'NR > 2 && $1 != "..." { printf "%s%s ", $1, $3 }' "$T/out"
	}
	[ "$(shown)" = 'd7 a3 b1 a5 c5 a4 ' ] || fail "$(shown)"
	[ "$(shown --top 2)" = 'd7 a5 ' ] || fail "$(shown --top 2)"
	[ "$(shown --sort sum)" = 'd7 a5 c5 a4 a3 b1 ' ] || fail "$(shown --sort sum)"
}

@test "what a table does not show is said" {
	{
		cat "$D/groups.af"
		printf 'lost\t5\t1\t.\t.\t7\nmmap\t5\t1\t.\t.\t.\n'
		tail -n 1 "$D/groups.af"
	} >"$T/in"
	want_status 0 aftab "$T/in"
	said "aftab: the source lost events"
	said "aftab: left out lines of other kinds: 1 mmap"
	said "aftab: 1 lines repeat others"
	same "$D/groups.txt" "$T/out"
}

@test "groups whose start and end have the same digits in a row are not one" {
	cd "$T"
	lines >in <<-'EOF'
	agg 212 r f m 7 stat=sum start=1 n=1
	agg 12 r f m 7 stat=sum start=12 n=1
	EOF
	want_status 0 aftab in
	silent
	same - out <<-'EOF'
	m: 2 groups
	region  start  sum      %
	f       1        7  50.0%
	f       12       7  50.0%
	EOF
}

@test "stacks that could not be unwound are one note, with or without a mark that counts them" {
	{
		cat "$D/groups.af"
		printf 'incomplete\t.\t1\t.\tunwind\t7\twhy=short_copy\n'
	} | grep -v '^#' >"$T/lines"
	want_status 0 aftab "$T/lines"
	echo 'aftab: left out lines of other kinds: 1 incomplete' >"$T/want"
	same "$T/want" "$T/err"
	{
		printf '#afstream\t1\ttest\tx\n'
		cat "$T/lines"
		printf '#end\ttest\tx\t%d\tcomplete\tincomplete=7\n' "$(grep -c . "$T/lines")"
	} >"$T/in"
	want_status 0 aftab "$T/in"
	echo 'aftab: samples whose stacks could not be unwound completely: 7' >"$T/want"
	same "$T/want" "$T/err"
}

@test "a group that has two values of one statistic" {
	tail -n 1 "$D/groups.af" | awk 'BEGIN { FS = OFS = "\t" } { print; $6 = 5; print }' >"$T/in"
	want_status 1 aftab "$T/in"
	said "aftab: $T/in:2: the group already has another value of this statistic"
}

@test "groups that differ in their time only show it, runs that differ too" {
	{
		printf 'agg\t19\t1\tf\tm\t3\tstat=sum\tstart=10\nagg\t29\t1\tf\tm\t4\tstat=sum\tstart=20\n'
	} >"$T/in"
	want_status 0 aftab "$T/in"
	printf 'm: 2 groups\nregion  start  sum      %%\nf       20       4  57.1%%\nf       10       3  42.9%%\n' >"$T/want"
	same "$T/want" "$T/out"
	printf 'agg\t19\t1\tf\tm\t3\tstat=sum\tstart=10\nagg\t19\t2\tf\tm\t4\tstat=sum\tstart=10\n' >"$T/in"
	want_status 0 aftab "$T/in"
	printf 'm: 2 groups\nrun  region  sum      %%\n2    f         4  57.1%%\n1    f         3  42.9%%\n' >"$T/want"
	same "$T/want" "$T/out"
}

@test "integers beyond doubles are sorted and shown exactly, negative ones have no shares" {
	printf 'agg\t1\t1\t%s\tm\t%s\tstat=sum\n' a 9007199254740993 b 9007199254740992 c 9007199254740994 >"$T/in"
	want_status 0 aftab "$T/in"
	awk 'NR > 2 { print $1, $2 }' "$T/out" >"$T/got"
	printf '%s\n' 'c 9007199254740994' 'a 9007199254740993' 'b 9007199254740992' >"$T/want"
	same "$T/want" "$T/got"
	printf 'agg\t1\t1\t%s\tm\t%s\tstat=sum\n' a -5 b 7 c nan d -50 >"$T/in"
	want_status 0 aftab "$T/in"
	printf '%s\n' 'm: 4 groups' 'region  sum' 'b         7' 'a        -5' 'd       -50' 'c       nan' >"$T/want"
	same "$T/want" "$T/out"
}

@test "a count is the base of shares where there is no sum" {
	printf 'agg\t1\t1\t%s\tm\t%s\tstat=count\n' a 1 b 3 >"$T/in"
	want_status 0 aftab "$T/in"
	printf '%s\n' 'm: 2 groups' 'region  count      %' 'b           3  75.0%' 'a           1  25.0%' >"$T/want"
	same "$T/want" "$T/out"
}

@test "the largest value of a column determines its decimals" {
	local largest shown second
	# at each bound, and just below it
	while read -r largest shown second; do
		printf 'agg\t1\t1\t%s\tm\t%s\tstat=mean\n' a "$largest" b 0.00005 >"$T/in"
		want_status 0 aftab "$T/in"
		awk 'NR > 2 { print $2 }' "$T/out" >"$T/got"
		printf '%s\n' "$shown" "$second" >"$T/want"
		same "$T/want" "$T/got"
	done <<'EOF'
1000 1000.0 0.0
999 999.00 0.00
10 10.00 0.00
9.999 9.999 0.000
0.1 0.100 0.000
0.09 0.090000 0.000050
0.0001 0.000100 0.000050
0.00009 0.000090000 0.000050000
EOF
}

@test "bad options" {
	want_status 2 aftab --top 0 "$D/groups.af"
	said "aftab: --top: expected a number from 1 on, or N:KEY"
	for top in x -1 18446744073709551616 :region; do
		want_status 2 aftab --top $top "$D/groups.af"
		said "aftab: --top: expected a number from 1 on, or N:KEY"
	done
	want_status 2 aftab --top 1: "$D/groups.af"
	said "aftab: --top: an empty name"
	want_status 1 aftab --sort p99 "$D/groups.af"
	said "aftab: --sort: no group has this key or statistic: p99 (there are: "
	same "$D/groups.txt" "$T/out"
	for name in % percent; do
		want_status 1 aftab --sort $name "$D/groups.af"
		echo "aftab: --sort: $name is the share of sum: use --sort sum" >"$T/want"
		same "$T/want" "$T/err"
	done
	want_status 1 aftab --sort count:up "$D/groups.af"
	said "aftab: --sort: the order is asc or desc, not 'up'"
	want_status 1 aftab --sort -count "$D/groups.af"
	said "aftab: --sort: no sign belongs before count: the largest comes first, or with count:asc the smallest"
	want_status 1 aftab --sort -count:asc "$D/groups.af"
	said "aftab: --sort: no sign belongs before count: the largest comes first, or with count:asc the smallest"
	want_status 1 aftab --sort +count "$D/groups.af"
	said "aftab: --sort: no sign belongs before count: the largest comes first, or with count:asc the smallest"
	want_status 1 aftab --sort +more "$D/groups.af"
	said "aftab: --sort: no group has this key or statistic: +more (there are: "
	want_status 1 aftab --sort count,sum "$D/groups.af"
	said "aftab: --sort: no group has this key or statistic: count,sum (only one is possible)"
	# without the statistic there is no share of it
	afagg --no-marks --by region --stat mean <(event sample 1 f m 5) >"$T/in"
	want_status 1 aftab --sort percent "$T/in"
	said "aftab: --sort: no group has this key or statistic: percent (there are: run, region, start, mean)"
}

# cells N: lines of N groups, each with a key of its own.
own_keys() {
	awk -v n="$1" 'BEGIN { OFS = "\t"; for (i = 0; i < n; i++) print "agg", 1, "r", "f" i, "m", i, "stat=sum", "k" i "=1" }'
}

@test "a table has 256 columns at most, and a line that brings more is left out" {
	own_keys 252 >"$T/in" # with run, region, start and sum
	want_status 0 aftab "$T/in"
	silent
	[ "$(wc -l <"$T/out")" -eq 254 ]
	own_keys 254 >"$T/in"
	want_status 1 aftab "$T/in"
	said "aftab: $T/in:253: the table would have more than 256 columns: the line is left out"
	said "aftab: $T/in:254: the table would"
	[ "$(wc -l <"$T/out")" -eq 254 ]
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 254; i++) print "agg", 1, "r", "f", "m", i, "stat=s" i }' >"$T/in"
	want_status 1 aftab "$T/in"
	said "aftab: $T/in:254: the table would"
	[ "$(grep -c ':253:' "$T/err")" -eq 0 ]
}

# bats test_tags=slow
@test "tables take no time, and no output, that grows with the square of the input" {
	need valgrind
	for n in 1000 10000; do
		own_keys $n >"$T/$n"
		awk -v n=$n 'BEGIN { OFS = "\t"; for (i = 0; i < n; i++) {
			print "agg", 1, "r", "f", "m", i, "stat=s" i
			print "agg", 1, "r", "f", "m" i, i, "stat=sum"
		} }' >>"$T/$n"
	done
	linear "$T/1000" "$T/10000" aftab
	[ "$(wc -c <"$T/out")" -lt 20000000 ]
	# one long cell of each kind, and many short ones
	awk 'BEGIN { OFS = "\t"; for (x = "1"; length(x) < 300000;) x = x x
		print "agg", 1, "r", x, "m", 1, "stat=sum"
		print "agg", 1, "r", "g", "m", x, "stat=max"
		print "agg", 1, "r", "g", "m", 5, "stat=" x
		for (i = 0; i < 3000; i++) print "agg", 1, "r", "f" i, "m", i, "stat=sum"
	}' >"$T/in"
	for option in "" "--width 0"; do
		# shellcheck disable=SC2086 # options are words
		want_status 0 aftab $option "$T/in"
		[ "$(wc -c <"$T/out")" -lt 5000000 ]
		[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' "$T/out")" -gt 300000 ]
	done
}

@test "--human gives the unit only to statistics that have it" {
	printf 'sample\t%d\tr\tf\tm\t%d\tunit=ns\n' 1 2000 2 4000 >"$T/in"
	want_status 0 sh -c "afagg --by region --stat mean,distinct,var,p50 '$T/in' --no-marks | aftab --human"
	tail -n 1 "$T/out" | grep -Eq '^f +3.00 us +2 +2.00M +3.00 us$' || fail "$(cat "$T/out")"
	# what is rounded to 1000 gets the next unit
	local value unit want
	while read -r value unit want; do
		event agg . f m "$value" stat=sum "unit=$unit" >"$T/in"
		want_status 0 aftab --human "$T/in"
		tail -n 1 "$T/out" | grep -q "^f  *$want  *100.0%$" || fail "$value $unit: $(cat "$T/out")" || return
	done <<-'END'
		999.4 ns 999 ns
		999.5 ns 1.00 us
		999499 ns 999 us
		999500 ns 1.00 ms
		0.9994 s 999 ms
		0.9995 s 1.00 s
		999.4 . 999
		999.5 . 1.00k
		999499 . 999k
		999500 . 1.00M
		0.0009995 s 1.00 ms
		1.7e308 ns 4.72e295 h
		1.7e308 s 4.72e304 h
		5e-324 s 4.94e-315 ns
		1e-7 ns 1.00e-7 ns
		1e30 B 8.67e11 EiB
		0.05 B 0.0500 B
		0.05 . 50.0m
		0.00001 . 10.0u
		1e30 . 1.00e30
	END
	# the same below 0, where there is no share
	while read -r value unit want; do
		event agg . f m "$value" stat=sum "unit=$unit" >"$T/in"
		want_status 0 aftab --human "$T/in"
		tail -n 1 "$T/out" | grep -q "^f  *$want$" || fail "$value $unit: $(cat "$T/out")" || return
	done <<-'END'
		-999.5 ns -1.00 us
		-1.7e308 ns -4.72e295 h
		-0.00001 ns -1.00e-5 ns
		-1e30 B -8.67e11 EiB
		-0.05 . -50.0m
		-0.5 . -0.500
		-1e30 . -1.00e30
	END
}

@test "partial results are refused, but what else there is is shown" {
	printf 'sample\t%s\t1\t%s\tm\t5\n' 1 f 2 g >"$T/events"
	afagg --by region --partial "$T/events" >"$T/in"
	want_status 1 aftab "$T/in"
	said "aftab: $T/in: the input has partial results; merge them with afagg first"
	[ "$(wc -l <"$T/err")" -eq 1 ]
	[ ! -s "$T/out" ]
	cat "$D/groups.af" >>"$T/in"
	want_status 1 aftab "$T/in"
	same "$D/groups.txt" "$T/out"
}

# sample TIME REGION VALUE STACK: a sample of the measure m.
sample() {
	printf 'sample\t%s\t1\t%s\tm\t%s\tstack=%s\tcpu=.\n' "$@"
}

@test "groups that overlap have shares of the total, and are not added up" {
	{
		sample 1 f 10 'main;f'
		sample 2 g 30 'main;g'
		sample 3 main 10 main
	} >"$T/events"
	afagg --by frame "$T/events" >"$T/in"
	want_status 0 aftab --top 2 "$T/in"
	silent
	printf '%s\n' 'm: 3 groups' 'frame  count  sum       %' 'main       3   50  100.0%' \
		'g          1   30   60.0%' '... 1 more' >"$T/want"
	same "$T/want" "$T/out"
	# a group that is not known to be part of that total has no share
	afagg --by region "$T/events" | sed -n '/	f	/p' >>"$T/in"
	want_status 0 aftab --no-marks "$T/in"
	[ "$(grep '^f' "$T/out" | tr -s ' ')" = 'f . 1 10 .' ]
	# an event is in two windows
	afagg --by region --window 2ns/1ns "$T/events" >"$T/in"
	want_status 0 aftab --top 3 "$T/in"
	awk 'NR > 2 && NR < 6 { print $1, $2, $5 }' "$T/out" >"$T/got"
	printf '%s\n' 'g 0.000000001s 60.0%' 'g 0.000000002s 60.0%' 'f 0.000000000s 20.0%' >"$T/want"
	same "$T/want" "$T/got"
	grep -qx '... 3 more' "$T/out"
	afagg --by frame --stat count "$T/events" >"$T/in"
	want_status 0 aftab "$T/in"
	grep -q '^f  *1  *33.3%$' "$T/out"
	# the total is that of the run
	awk -F '\t' -v OFS='\t' 'NR < 3 { $3 = 2; print }' "$T/events" | cat "$T/events" - >"$T/runs"
	afagg --by run,frame --stat sum "$T/runs" >"$T/in"
	want_status 0 aftab "$T/in"
	printf '%s\n' 'm: 6 groups' 'run  frame  sum  % of run' '1    main    50    100.0%' \
		'2    main    40    100.0%' '1    g       30     60.0%' '2    g       30     75.0%' \
		'1    f       10     20.0%' '2    f       10     25.0%' >"$T/want"
	same "$T/want" "$T/out"
	# a total that is no number, or negative, gives no share
	for total in . x -5 0 inf nan; do
		printf 'agg\t1\t1\t.\tm\t5\tframe=f\tstat=sum\ttotal=%s\n' "$total" >"$T/in"
		want_status 0 aftab "$T/in"
		printf '%s\n' 'm: 1 group' 'frame  sum' 'f        5' >"$T/want"
		same "$T/want" "$T/out"
	done
}

@test "values of whole regions, sections and runs contain each other: no shares, also without a total" {
	local scope
	cd "$T" || return
	for scope in region section run; do
		{
			event agg 1 f m 5 "scope=$scope" stat=sum
			event agg 1 g m 3 "scope=$scope" stat=sum
		} >in
		want_status 0 aftab --top 1 in
		silent
		printf '%s\n' 'm: 2 groups' 'region scope sum' "f $scope 5" '... 1 more' | same - <(tr -s ' ' <out)
	done
	# another scope says nothing
	sed -i 's/scope=run/scope=thread/' in
	want_status 0 aftab in
	sed -n 2p out | grep -q ' %$'
}

@test "one table for what was aggregated: no sums of sums and counts" {
	{
		sample 1 f 10 f
		sample 2 g 30 g
		sample 3 g 10 g
	} | afagg --by region --stat count,sum >"$T/events"
	afagg --kind agg --by region --stat sum "$T/events" >"$T/in"
	want_status 0 aftab "$T/in"
	silent
	printf '%s\n' 'm, of count: 2 groups' 'region  sum      %' 'g         2  66.7%' 'f         1  33.3%' '' \
		'm, of sum: 2 groups' 'region  sum      %' 'g        40  80.0%' 'f        10  20.0%' >"$T/want"
	same "$T/want" "$T/out"
	printf 'measure\t.\t1\t.\tm\t.\tunit=ns\n' | cat - "$T/in" >"$T/unit"
	want_status 0 aftab --human "$T/unit"
	silent
	printf '%s\n' 'm, of count: 2 groups' 'm [ns], of sum: 2 groups' >"$T/want"
	grep '^m' "$T/out" >"$T/got"
	same "$T/want" "$T/got"
}

@test "a key that is never recorded keeps its column" {
	sample 1 f 10 f | afagg --by region,cpu >"$T/in" 2>"$T/err"
	want_status 0 aftab "$T/in"
	silent
	printf '%s\n' 'm: 1 group' 'region  cpu  count  sum       %' 'f       .        1   10  100.0%' >"$T/want"
	same "$T/want" "$T/out"
}

@test "the number of lost events is that of the end marks" {
	{
		printf '#afstream\t1\tafagg\tx\nlost\t1\t1\t.\t.\t7\n'
		head -n 5 "$D/groups.af"
		printf '#end\tafagg\tx\t6\tcomplete\tlost=10453\n'
	} >"$T/in"
	want_status 0 aftab "$T/in"
	[ "$(cat "$T/err")" = "aftab: the source lost 10453 events, so the numbers are too small" ]
}

# order COLUMN OPTION...: the cells of a column, in the order of the rows of $T/in.
order() {
	local column=$1
	shift
	want_status 0 aftab "$@" "$T/in" || return
	awk -v c="$column" 'NR > 2 { printf "%s%s", sep, $c; sep = " " }' "$T/out"
}

@test "sorted by keys, numbers as numbers, empty cells last, in both directions" {
	printf 'agg\t1\t1\t%s\tm\t%s\tcpu=%s\tstat=sum\tstart=%s\n' \
		a 5 10 7 b 7 9 8 c 6 x 1 d 5 . 3 e 5 0x10 2 f 5 0x9 9 >"$T/in"
	[ "$(order 1 --sort cpu)" = 'b a f e c d' ]
	[ "$(order 1 --sort cpu:desc)" = 'a b e f c d' ]
	[ "$(order 1 --sort region:desc)" = 'f e d c b a' ]
	[ "$(order 1 --sort sum)" = 'b c a d e f' ]
	[ "$(order 1 --sort sum:asc)" = 'a d e f c b' ]
	[ "$(order 1 --sort time)" = 'c e d a b f' ]
	[ "$(order 2 --sort start)" = '1 2 3 7 8 9' ]
	sed 's/	[abcdef]	/	.	/' "$T/in" >"$T/pooled"
	want_status 1 aftab --sort cpu,sum "$T/pooled"
	said "aftab: --sort: no group has this key or statistic: cpu,sum (only one is possible)"
	want_status 2 aftab --sort cpu --sort sum "$T/pooled"
	said "aftab: --sort is given twice"
	want_status 1 aftab --sort region "$T/pooled"
	said "aftab: --sort: no group has this key or statistic: region"
	want_status 2 aftab --sort :asc "$T/in"
	said "aftab: --sort: an empty name"
}

@test "windows are sorted as numbers and shown in seconds" {
	printf 'agg\t1\t1\tf\tm\t5\twindow=%s\tstat=sum\n' 12000000000 -500000000 9000000000 . 0 >"$T/in"
	[ "$(order 2 --sort window)" = '-0.500s 0.000s 9.000s 12.000s .' ]
	[ "$(order 2 --sort window:desc)" = '12.000s 9.000s 0.000s -0.500s .' ]
	[ "$(order 2)" = '-0.500s 0.000s 9.000s 12.000s .' ] # equal sums
	[ "$(sed -n 4p "$T/out")" = 'f        0.000s    5  20.0%' ]
	printf 'agg\t1\t1\tf\tm\t5\twindow=%s\tstat=sum\n' 12000000000 3000000000 >"$T/in"
	[ "$(order 2)" = '3s 12s' ]
	printf 'agg\t1\t1\tf\tm\t5\twindow=%s\tstat=sum\n' 12000000001 -1 123456789012345678901234567890 >"$T/in"
	[ "$(order 2)" = '-0.000000001s 12.000000001s 123456789012345678901.234567890s' ]
	printf 'agg\t1\t1\tf\tm\t5\twindow=%s\tstat=sum\n' 12000000000 x >"$T/in"
	[ "$(order 2)" = '12000000000 x' ]
}

@test "windows of different sizes are in different tables, whose titles name them" {
	cd "$T"
	lines >in <<-'EOF'
	sample 0 r f t 1
	sample 1000000000 r f t 2
	sample 2000000000 r f t 3
	EOF
	{
		afagg --by region --window 2s --stat sum in
		afagg --by region --window 1s --stat sum in
		afagg --by region --window 2s/500ms --window-from first --stat sum in
		afagg --by region --stat sum in
	} >all
	want_status 0 aftab --top 2 --sort sum all
	sed 's/  *$//' <<-'EOF' | same - out
	t, windows of 2s: 2 groups
	region  window  sum      %
	f           0s    3  50.0%
	f           2s    3  50.0%

	t, windows of 1s: 3 groups
	region  window  sum      %
	f           2s    3  50.0%
	f           1s    2  33.3%
	... 1 more, 16.7% of sum

	t, windows of 2s every 0.500s from first: 8 groups
	region  window  sum      %
	f       0.500s    5  83.3%
	f       1.000s    5  83.3%
	... 6 more

	t: 1 group
	region  sum       %
	f         6  100.0%
	EOF
	# they are no columns next to each other either
	head -n 10 all | want_status 0 aftab --no-marks --wide window
	[ "$(grep -c '^t, sum, windows of' "$T/out")" -eq 2 ]
	# windows that are the same everywhere are not named
	afagg --by region --window 2s --stat sum in | want_status 0 aftab
	[ "$(head -n 1 "$T/out")" = 't: 2 groups' ]
}

@test "long keys that would look alike are shown whole, and very long ones with a number" {
	local n i=0 long=this_text_makes_the_name_longer_than_one_hundred_characters
	for n in alike_partition alike_partition_pivot alike_partition_pivot otherwise; do
		event agg . "begins_${n}_and_ends_alike_with_many_more_letters" m 5 stat=sum tid=$((i++))
	done >"$T/in"
	want_status 0 aftab --width 20 "$T/in"
	awk 'NR > 2 { print $1 }' "$T/out" | sort >"$T/got"
	printf '%s\n' begins_alike_partition_and_ends_alike_with_many_more_letters \
		begins_alike_partition_pivot_and_ends_alike_with_many_more_letters \
		begins_alike_partition_pivot_and_ends_alike_with_many_more_letters \
		begins_ot..._letters >"$T/want"
	same "$T/want" "$T/got"
	for n in a b b c; do
		event agg . "begins_alike_${n}_${long}_${long}_and_ends_alike" m 5 stat=sum tid=$((i++))
	done >"$T/in"
	want_status 0 aftab --width 20 "$T/in"
	awk 'NR > 2 { print $1 }' "$T/out" | sort >"$T/got"
	printf 'begin...alike#%s\n' 0f6c55 c0a865 c0a865 c9aa03 >"$T/want"
	same "$T/want" "$T/got"
	# a name has the same number in another table, in another order and among others
	sed -n '3,4p' "$T/in" | sed 's/	5	/	9	/' | cat - <(sed -n 1p "$T/in") >"$T/less"
	want_status 0 aftab --width 20 "$T/less"
	awk 'NR > 2 { print $1 }' "$T/out" >"$T/got"
	printf 'begin...alike#%s\n' c0a865 c9aa03 0f6c55 | same - "$T/got"
	awk 'NR > 1 { print length }' "$T/out" | sort -u >"$T/lengths"
	[ "$(wc -l <"$T/lengths")" -eq 1 ]
	for n in 0 9; do
		want_status 0 aftab --width $n "$T/in"
		[ "$(grep -c "$long" "$T/out")" -eq 4 ]
	done
	want_status 0 aftab --width 10 "$T/less" # room for the number alone
	awk 'NR > 2 { print $1 }' "$T/out" >"$T/got"
	printf '...#%s\n' c0a865 c9aa03 0f6c55 | same - "$T/got"
	# names of 100 characters are shown whole, those of 101 have a number
	long=$(printf 'x%.0s' {1..50})
	for n in a b; do event agg . "${long}_${n}_${long:0:47}" m 5 stat=sum; done >"$T/in"
	for n in c d; do event agg . "${long}__${n}_${long:0:47}" m 4 stat=sum; done >>"$T/in"
	want_status 0 aftab --width 20 "$T/in"
	awk 'NR > 2 { print length($1) }' "$T/out" >"$T/got"
	printf '%d\n' 100 100 20 20 | same - "$T/got"
}

@test "numbers are below each other, however long the names are" {
	local n long many
	# columns LINES: the places at which the numbers and percentages of lines end, each once
	columns() {
		awk -v from="$1" 'NR > from && / [0-9.]+ +[0-9.]+%$/ { match($0, / [0-9.]+ +[0-9.]+%$/)
			print RSTART + index(substr($0, RSTART + 1), " "), length }' "$T/out" | sort -u
	}
	# shown whole, since they would look alike: as far as the longest
	long=$(printf 'x%.0s' {1..60})
	for n in a b; do event agg . "begins_alike_${n}_${long}_and_ends_alike" m 5 stat=sum; done >"$T/in"
	event agg . short m 70 stat=sum >>"$T/in"
	want_status 0 aftab --width 20 "$T/in"
	[ "$(grep -c "alike_[ab]_$long" "$T/out")" -eq 2 ]
	[ "$(columns 2 | wc -l)" -eq 1 ] || fail "$(cat "$T/out")"
	# names of 300 characters that are not cut: the row continues on the next line
	many=$(printf '%0300d' 1)
	for n in a b; do event agg . "f<$n$many>" m 5 stat=sum tid=1; done >"$T/in"
	event agg . short m 70 stat=sum tid=12345 >>"$T/in"
	want_status 0 aftab --width 0 "$T/in"
	printf '%s\n' 'm: 3 groups' 'region  tid    sum      %' 'short   12345   70  87.5%' "f<a$many>" \
		'        1        5   6.2%' "f<b$many>" '        1        5   6.2%' >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 aftab "$T/in"
	[ "$(columns 2 | wc -l)" -eq 1 ] || fail "$(cat "$T/out")"
	# a column is as wide as 256 characters at most, also where names are not cut because they look alike
	for n in 0 9; do
		for many in 245 246; do
			for i in x y; do event agg . "alike_${i}_$(printf '%0*d' $((many + 3)) 1)" m 5 stat=sum; done >"$T/in"
			want_status 0 aftab --width $n "$T/in"
			[ "$(wc -l <"$T/out")" -eq $((many == 245 ? 4 : 6)) ] || fail "$n $many: $(cat "$T/out")"
		done
	done
}

@test "long keys lose the arguments of templates first" {
	local names=(
		'std::map<std::string, std::vector<int> >::operator[]'
		'std::operator<<<std::char_traits<char> >'
		'<core::iter::Map<I, core::ops::Fn> as Iterator>::fold'
		'app::compare::operator()<std::pair<int, int>*>'
		'app::less<(a->b), int>::operator<'
		'app::never<closed::a_name_that_is_too_long'
		'main;std::map<std::string, int>::find;memcmp'
		'T<std::string, std::allocator<char> >::at'
		'a::T<int>::find(unsigned long)<1234>'
	)
	for n in "${names[@]}"; do
		printf 'agg\t1\t1\t%s\tm\t5\tstat=sum\n' "$n"
	done >"$T/in"
	want_status 0 aftab --width 32 "$T/in"
	sed '1,2d; s/  .*//' "$T/out" | sort >"$T/got"
	sort >"$T/want" <<-'END'
		<core::iter::Ma...terator>::fold
		T<...>::at
		a::T<int>::find...ned long)<...>
		app::compare::operator()<...>
		app::less<...>::operator<
		app::never<clos...at_is_too_long
		main;std::map<...>::find;memcmp
		std::map<...>::operator[]
		std::operator<<..._traits<...> >
	END
	same "$T/want" "$T/got"
}

@test "long keys are cut in the middle" {
	printf 'agg\t1\t1\t%s\tm\t5\tstat=sum\n' aäöüefghijkä abcdefghijk abcdef a >"$T/in"
	[ "$(order 1 --width 11)" = 'a abcdef abcdefghijk aäöü...ijkä' ]
	[ "$(order 1 --width 6)" = 'a abcdef ab...k aä...ä' ]
	[ "$(order 1 --width 5)" = 'a a...f a...k a...ä' ]
	[ "$(order 1 --width 0)" = 'a abcdef abcdefghijk aäöüefghijkä' ]
	[ "$(head -n 2 "$T/out" | tail -n 1)" = 'region        sum      %' ]
	want_status 2 aftab --wide measure "$T/in"
	said "--wide: measures are never columns, since units differ"
	want_status 2 aftab --width 4 "$T/in"
	said "aftab: --width: less than 5"
}

@test "a list that is cut does not look like one name" {
	printf 'agg\t1\t1\t.\tm\t5\tstack=%s\tstat=sum\n' 'sort_first;middle;sort_last' 'a;b' 'abcdefghijkl;b' >"$T/in"
	[ "$(order 1 --width 20)" = 'a;b abcdefghijkl;b sort_fi...;...t_last' ]
	[ "$(order 1 --width 11)" = 'a;b abcd...kl;b so...;...st' ]
	[ "$(order 1 --width 10)" = 'a;b abcd...l;b sort...ast' ]
}

@test "--wide run: columns in the order in which the runs came" {
	{
		printf 'run\t1\t%s\t.\t.\t.\n' zz aa mm
		printf 'agg\t1\t%s\tf\tm\t5\tstat=sum\n' aa mm other zz
	} >"$T/in"
	want_status 0 aftab --wide run "$T/in"
	[ "$(sed -n 2p "$T/out" | tr -s ' ')" = 'region zz aa mm other' ]
}

@test "--top N:KEY: the first rows of each value of a key" {
	printf 'agg\t1\t1\t%s\tm\t%s\ttid=%s\tstat=sum\n' a 10 1 b 30 1 c 20 1 a 5 2 b 50 . c 15 . d 9 . >"$T/in"
	want_status 0 aftab --top 2:tid "$T/in"
	silent
	printf '%s\n' 'm: 7 groups' 'region  tid  sum      %' 'b       .     50  36.0%' 'b       1     30  21.6%' \
		'c       1     20  14.4%' 'c       .     15  10.8%' 'a       2      5   3.6%' '... 2 more, 13.7% of sum' >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 aftab --top 1:tid --sort tid "$T/in"
	awk 'NR > 2 { print $1, $2, $3 }' "$T/out" | head -n 3 >"$T/got"
	printf '%s\n' 'b 1 30' 'a 2 5' 'b . 50' >"$T/want"
	same "$T/want" "$T/got"
	# a table without the key has all its rows
	sed 's/	m	/	bare	/; s/	tid=[^	]*//' "$T/in" | head -n 3 >"$T/bare"
	want_status 0 aftab --top 1:tid "$T/in" "$T/bare"
	[ "$(grep -c '^[abc] *[0-9]* *[0-9.]*%$' "$T/out")" -eq 3 ]
	want_status 1 aftab --top 1:cpu "$T/in"
	said "aftab: --top: no group has this key: cpu (there are: run, region, tid)"
}

@test "times that contain each other have no shares" {
	local m
	for m in inclusive union m.delta; do
		event agg 9 f $m 12 stat=sum
		event agg 9 f $m 2 stat=count
		event agg 9 g $m 6 stat=sum
		event agg 9 g $m 3 stat=count
	done >"$T/in"
	want_status 0 aftab "$T/in"
	[ "$(grep -c '^region *sum *count$' "$T/out")" -eq 3 ]
	# each call is counted once
	event agg 9 f inclusive 3 stat=count >"$T/in"
	want_status 0 aftab "$T/in"
	grep -q '100.0%' "$T/out"
}

@test "--percent-of: shares within each value of a key" {
	printf 'agg\t1\t1\t%s\tm\t%s\ttid=%s\tstat=sum\n' a 10 1 b 30 1 a 5 2 b 5 . c 15 . d 0 3 >"$T/in"
	want_status 0 aftab --percent-of tid --sort tid --top 5 "$T/in"
	silent
	printf '%s\n' 'm: 6 groups' 'region  tid  sum  % of tid' 'b       1     30     75.0%' \
		'a       1     10     25.0%' 'a       2      5    100.0%' 'd       3      0         .' \
		'c       .     15     75.0%' '... 1 more' >"$T/want"
	same "$T/want" "$T/out"
	# a second table has shares of its own, and one without the key none
	{
		cat "$T/in"
		sed 's/	m	/	other	/' "$T/in"
		sed 's/	m	/	bare	/; s/	tid=.*	/	/' "$T/in" | head -n 2
	} >"$T/three"
	mv "$T/three" "$T/in"
	want_status 0 aftab --percent-of tid --sort tid --top 5 "$T/in"
	silent
	sed 's/^m:/other:/' "$T/want" >"$T/second"
	{
		cat "$T/want"
		echo
		cat "$T/second"
		echo
		printf '%s\n' 'bare: 2 groups' 'region  sum' 'b        30' 'a        10'
	} >"$T/all"
	same "$T/all" "$T/out"
	want_status 1 aftab --percent-of cpu "$T/in"
	said "aftab: --percent-of: no group has this key: cpu (there are: run, region, tid)"
	[ "$(grep -c % "$T/out")" -eq 0 ]
	sed 's/$/	total=65/' "$T/in" >"$T/over"
	want_status 1 aftab --percent-of tid "$T/over"
	said "aftab: --percent-of: the groups overlap (total=), so only their share of the total is known"
	[ "$(grep -c % "$T/out")" -eq 0 ]
	want_status 2 aftab --percent-of "" "$T/in"
	said "aftab: --percent-of: an empty name"
	# what is asked for and not there is not left out in silence
	sed 's/stat=sum/stat=mean/' "$T/in" >"$T/mean"
	want_status 1 aftab --percent-of tid "$T/mean"
	printf 'aftab: --percent-of: only sums and counts have shares, and there are none\n' >"$T/want"
	same "$T/want" "$T/err"
	grep 'tid=' "$T/in" | sed 's/	30	/	-30	/' >"$T/negative"
	want_status 0 aftab --percent-of tid "$T/negative"
	printf 'aftab: --percent-of: no shares, since some values are negative or infinite, all are 0, or they contain each other\n' >"$T/want"
	same "$T/want" "$T/err"
	want_status 0 aftab "$T/negative"
	silent
}

@test "--wide: rows of several runs are one if each column is of one run" {
	local of
	{
		printf '#afstream\t1\ttest\tx\n'
		for of in 'old 1 f 5' 'new 2 f 7' 'old 1 g 3' 'new 2 h 4'; do
			# shellcheck disable=SC2086 # words
			set -- $of
			printf 'agg\t.\t%s\t%s\tt\t%s\tfile=%s\tstat=sum\n' "$2" "$3" "$4" "$1"
		done
		printf '#end\ttest\tx\t4\tcomplete\n'
	} >"$T/in"
	want_status 0 aftab --wide file "$T/in"
	printf '%s\n' 't, sum: 3 groups' 'region  new  old' 'f         7    5' 'h         4    .' 'g         .    3' >"$T/want"
	same "$T/want" "$T/out"
	# another run has the file too, and the same key: which is which is to be seen
	sed -i 's/4	complete/5	complete/; 2i agg	.	3	f	t	9	file=old	stat=sum' "$T/in"
	want_status 0 aftab --wide file "$T/in"
	printf '%s\n' 't, sum: 5 groups' 'run  region  new  old' '3    f         .    9' '2    f         7    .' '1    f         .    5' \
		'2    h         4    .' '1    g         .    3' >"$T/want"
	same "$T/want" "$T/out"
}

@test "--wide: the values of a key are columns" {
	printf 'agg\t%s\t1\t%s\tm\t%s\tcpu=%s\tstat=sum\tstart=1\n' \
		1 a 5 10 2 a 7 9 3 b 8 . 4 b 20 9 5 c 1 10 6 c 6 9 >"$T/in"
	want_status 0 aftab "$T/in"
	cp "$T/out" "$T/usual"
	want_status 0 aftab --wide stat "$T/in"
	silent
	same "$T/usual" "$T/out"
	want_status 0 aftab --wide cpu "$T/in"
	silent
	printf '%s\n' 'm, sum: 3 groups' 'region   9  10  .' 'b       20   .  8' 'a        7   5  .' 'c        6   1  .' >"$T/want"
	same "$T/want" "$T/out"
	[ "$(order 1 --wide cpu --sort sum:asc)" = 'c a b' ]
	[ "$(order 1 --wide cpu --sort region:desc)" = 'c b a' ]
	want_status 0 aftab --wide region "$T/in"
	printf '%s\n' 'm, sum: 3 groups' 'cpu  a   b  c' '9    7  20  6' '.    .   8  .' '10   5   .  1' >"$T/want"
	same "$T/want" "$T/out"
	# nothing else says which statistic it is
	printf 'agg\t1\t1\ta\tm\t%s\tcpu=%s\tstat=max\tof=sum\tunit=ns\n' 5 1 7 2 >"$T/max"
	want_status 0 aftab --wide cpu "$T/max"
	printf '%s\n' 'm [ns], max, of sum: 1 group' 'region  1  2' 'a       5  7' | same - "$T/out"
	want_status 0 aftab --wide cpu <(sed 's/	of=sum//' "$T/max")
	printf '%s\n' 'm [ns], max: 1 group' 'region  1  2' 'a       5  7' | same - "$T/out"
	# rows are sorted by the largest value of any column, also the first, and by fractions
	printf 'agg\t1\t1\t%s\tm\t%s\tcpu=%s\tstat=sum\n' a 10.5 1 a 1 2 b 5 1 b 6.25 2 c 6.75 1 d 6.5 2 >"$T/rows"
	[ "$(want_status 0 aftab --wide cpu "$T/rows" && awk 'NR > 2 { printf "%s ", $1 }' "$T/out")" = 'a c d b ' ]
	# several statistics, and windows
	sed 's/cpu=9/cpu=1500000000/; s/cpu=/window=/; s/=10	/=0	/' "$T/in" >"$T/sum"
	sed 's/stat=sum/stat=count/; s/	m	20/	m	3/' "$T/sum" | cat "$T/sum" - >"$T/in"
	want_status 0 aftab --wide window --sort count --top 1 "$T/in"
	printf '%s\n' 'm: 3 groups' 'region  0.000s sum  0.000s count  1.500s sum  1.500s count  . sum  . count' \
		'b                .             .          20             3      8        8' '... 2 more' >"$T/want"
	same "$T/want" "$T/out"
	want_status 1 aftab --wide nix "$T/in"
	said "aftab: --wide: no group has this key: nix (there are: run, region, window)"
	want_status 2 aftab --wide window --percent-of region "$T/in"
	want_status 2 aftab --wide "" "$T/in"
	said "aftab: --wide: an empty name"
	# two values for one cell
	printf 'agg\t%s\t1\ta\tm\t%s\tcpu=9\tstat=sum\n' 1 5 2 7 >"$T/in"
	want_status 1 aftab --wide cpu "$T/in"
	said "aftab: $T/in:2: the group already has another value of this statistic"
	# a table has at most 256 columns
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 300; i++) print "agg", 1, "1", "f", "m", i, "cpu=" i, "stat=sum" }' >"$T/in"
	want_status 1 aftab --wide cpu "$T/in"
	[ "$(head -n 1 "$T/err")" = "aftab: $T/in:254: the table would have more than 256 columns: the line is left out" ]
}

@test "--wide: long names of columns are cut like keys, and stay different" {
	cd "$T" || return
	printf 'agg\t1\t1\t%s\tm\t%s\tstat=sum\n' 'map<std::pair>::insert' 1 'map<std::list>::insert' 2 \
		'set<std::list>::insert' 3 short 4 >in
	want_status 0 aftab --wide region --width 16 in
	silent
	# what would look alike is shown in full
	same out - <<-'END'
	m, sum: 1 group
	map<std::list>::insert  map<std::pair>::insert  set<...>::insert  short
	                     2                       1                 3      4
	END
	want_status 0 aftab --wide region --width 16 <(grep -v pair in)
	same out - <<-'END'
	m, sum: 1 group
	map<...>::insert  set<...>::insert  short
	               2                 3      4
	END
	for width in 0 22; do
		want_status 0 aftab --wide region --width "$width" in
		[ "$(sed -n 2p out)" = 'map<std::list>::insert  map<std::pair>::insert  set<std::list>::insert  short' ] || fail "$(cat out)"
	done
	# the statistics are not cut
	{ grep set in && sed -n 's/stat=sum/stat=rate/; /set/p' in; } >both
	want_status 0 aftab --wide region --width 5 both
	same out - <<-'END'
	m: 1 group
	s...t sum  s...t rate [/s]
	        3                3
	END
}

@test "--wide type: groups that differ only in their type share a row" {
	cd "$T" || return
	{
		event agg 1 f m 5 type=int64 stat=sum start=1
		event agg 2 f m 7 type=double stat=sum start=2
		event agg 2 g m 6 type=double stat=sum start=2
		event agg 3 g m 1 stat=sum start=3
	} >in
	want_status 0 aftab --wide type in
	silent
	same out - <<-'END'
	m, sum: 2 groups
	region  double  int64  .
	f            7      5  .
	g            6      .  1
	END
	# the type takes no place of its own among the columns
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 300; i++) print "agg", 1, "1", "f", "m", i, "type=t" i, "stat=sum" }' >in
	want_status 1 aftab --wide type in
	[ "$(head -n 1 err)" = "aftab: in:254: the table would have more than 256 columns: the line is left out" ]
	[ "$(sed -n 1p out)" = 'm, sum: 1 group' ]
}

# changes LINE...: a stream of these lines of kind diff: REGION VALUE TAGS, with blanks for TABs.
changes() {
	local line
	printf '#afstream\t1\tafdiff\tx\n'
	printf 'measure\t.\t1\t.\tt\t.\tunit=ns\n'
	for line; do
		# shellcheck disable=SC2086 # words
		set -- $line
		printf 'diff\t.\t.\t%s\tt\t%s' "$1" "$2"
		printf '\t%s' "${@:3}"
		printf '\n'
	done
	printf '#end\tafdiff\tx\t%d\tcomplete\n' $(($# + 1))
}

@test "changes: the interval that is shown agrees with the verdict" {
	local n="p=0.5 n.before=5 n.after=5"
	changes "up 10 stat=sum before=1e9 after=1000000010 change=1e-8 delta.lo=9.25 delta.hi=11.5 change.lo=9.25e-9 change.hi=1.15e-8 $n" \
		"either 2 stat=sum before=1e9 after=1000000002 change=2e-9 delta.lo=-57.5 delta.hi=61.5 change.lo=-5.75e-8 change.hi=6.15e-8 $n" \
		"half 1 stat=sum before=100 after=101 change=0.01 delta.lo=0.004 delta.hi=2 change.lo=0.00004 change.hi=0.02 $n" \
		"edge 1 stat=sum before=100 after=101 change=0.01 delta.lo=-0.005 delta.hi=2 change.lo=-0.00005 change.hi=0.02 $n" \
		"even 0 stat=sum before=5 after=5 change=0 delta.lo=0 delta.hi=0 change.lo=0 change.hi=0 $n" >"$T/in"
	want_status 0 aftab "$T/in"
	silent
	cat >"$T/want" <<-'EOF'
	t [ns], change of sum: 5 groups
	region        before       after  difference  change              interval  verdict
	up      1000000000.0  1000000010          10  +0.00%  +9.25e-7%..+1.15e-6%     more
	either  1000000000.0  1000000002           2  +0.00%  -0.00001%..+0.00001%  unclear
	edge           100.0         101           1  +1.00%        -0.01%..+2.00%  unclear
	half           100.0         101           1  +1.00%       +0.004%..+2.00%     more
	even             5.0           5           0  +0.00%        +0.00%..+0.00%     same
	EOF
	same "$T/want" "$T/out"
	want_status 0 aftab -H "$T/in"
	sed 's/.*  \(.*\.\.\)/\1/' "$T/want" | tail -n 5 >"$T/ends"
	sed 's/.*  \(.*\.\.\)/\1/' "$T/out" | tail -n 5 | same "$T/ends" -
	# of one change, the interval of the percentage would give another verdict
	changes "up 10 stat=sum before=100 after=110 change=0.1 delta.lo=1 delta.hi=19 change.lo=0.01 change.hi=0.2 $n" \
		"down -98 stat=sum before=100 after=2 change=-0.98 delta.lo=-113 delta.hi=-86 change.lo=-1 change.hi=inf $n" >"$T/in"
	want_status 0 aftab "$T/in"
	cat >"$T/want" <<-'EOF'
	t [ns], change of sum: 2 groups
	region  before  after  difference  difference interval   change         interval  verdict
	down       100      2         -98            -113..-86  -98.00%   -100.00%..+inf     less
	up         100    110          10                1..19  +10.00%  +1.00%..+20.00%     more
	EOF
	same "$T/want" "$T/out"
	# -0 has one sign
	changes "f 0 stat=sum before=-5 after=-5 change=-0 delta.lo=-0 delta.hi=0 change.lo=-0 change.hi=0 $n" >"$T/in"
	want_status 0 aftab "$T/in"
	printf '%s\n' 't [ns], change of sum: 1 group' \
		'region  before  after  difference  change        interval  verdict' \
		'f           -5     -5           0  +0.00%  +0.00%..+0.00%     same' >"$T/want"
	same "$T/want" "$T/out"
	# a change from 0 has only that of the difference
	changes "h 7 stat=sum before=0 after=7 change=inf delta.lo=-1 delta.hi=15 p=0.5 $n" >"$T/in"
	want_status 0 aftab -H "$T/in"
	printf '%s\n' 't [ns], change of sum: 1 group' \
		'region  before  after  difference  difference interval  change  verdict' \
		'h         0 ns   7 ns        7 ns         -1 ns..15 ns    +inf  unclear' >"$T/want"
	same "$T/want" "$T/out"
}

@test "changes: the largest first, percentages, intervals and verdicts" {
	local n="n.before=5 n.after=5"
	set -- "f 5 cpu=0 stat=sum before=100 after=105 change=0.05 delta.lo=1 delta.hi=9.5 change.lo=0.01 change.hi=0.095 p=0.01 $n beyond=sum>1%" \
		"g -50 cpu=0 stat=sum before=200.5 after=150.5 change=-0.249377 delta.lo=-70 delta.hi=-20 change.lo=-0.35 change.hi=-0.1 p=0.01 $n" \
		"h 7 cpu=1 stat=sum before=0 after=7 change=inf delta.lo=-1 delta.hi=inf p=0.5 $n" \
		"i 6 cpu=1 stat=sum before=6 after=12 change=1 n.before=1 n.after=1" \
		"j . cpu=1 stat=sum before=6 after=. n.before=1 n.after=0"
	changes "$@" >"$T/in"
	want_status 0 aftab "$T/in"
	said "aftab: changes without an interval, which may be chance (see afdiff): 1"
	cat >"$T/want" <<-'EOF'
	t [ns], change of sum: 5 groups
	region  cpu  before   after  difference  difference interval    change          interval  verdict
	g       0    200.50  150.50         -50             -70..-20   -24.94%  -35.00%..-10.00%     less
	h       1      0.00    7.00           7              -1..inf      +inf                 .  unclear
	i       1      6.00   12.00           6                    .  +100.00%                 .        .
	f       0    100.00  105.00           5               1..9.5    +5.00%    +1.00%..+9.50%   ! more
	j       1      6.00       .           .                    .         .                 .        .
	EOF
	same "$T/want" "$T/out"
	want_status 0 aftab --sort change:asc --top 1 "$T/in"
	grep -q '^g .*-24.94%' "$T/out"
	# for people, the ends of an interval have units
	want_status 0 aftab --human "$T/in"
	cat >"$T/want" <<-'EOF'
	t [ns], change of sum: 5 groups
	region  cpu  before   after  difference  difference interval    change          interval  verdict
	g       0    200 ns  150 ns      -50 ns       -70 ns..-20 ns   -24.94%  -35.00%..-10.00%     less
	h       1      0 ns    7 ns        7 ns           -1 ns..inf      +inf                 .  unclear
	i       1      6 ns   12 ns        6 ns                    .  +100.00%                 .        .
	f       0    100 ns  105 ns        5 ns        1 ns..9.50 ns    +5.00%    +1.00%..+9.50%   ! more
	j       1      6 ns       .           .                    .         .                 .        .
	EOF
	same "$T/want" "$T/out"
	want_status 0 aftab --sort difference --top 1 "$T/in"
	grep -q '^h ' "$T/out"
	want_status 1 aftab --percent-of cpu "$T/in"
	said "aftab: --percent-of: changes are not parts of a whole"
	want_status 1 aftab --wide cpu "$T/in"
	# once, not for each of them
	printf 'aftab: %s\n' "$T/in:$(awk '/^diff/ { print NR; exit }' "$T/in"): --wide is for aggregates: changes are left out" \
		'--wide: no group has this key: cpu' >"$T/want"
	same "$T/want" "$T/err"
	# the same lines twice, and another change of a group
	{ changes "$@"; changes "$@"; } >"$T/in"
	want_status 0 aftab "$T/in"
	said "5 lines repeat others"
	changes "f 5 stat=sum before=1 after=6" "f 6 stat=sum before=1 after=7" >"$T/in"
	want_status 1 aftab "$T/in"
	said "the group already has another change"
}

@test "changes: a table for each statistic and divisor, with its unit" {
	changes "f 5 stat=sum before=1 after=6" "f 5 stat=count before=1 after=6" \
		"f 5 stat=max of=mean before=1 after=6" \
		"f 0.5 stat=sum before=1 after=1.5 normalised=total" >"$T/in"
	want_status 0 aftab "$T/in"
	grep '^t' "$T/out" >"$T/got"
	printf '%s\n' "t [ns], change of sum: 1 group" "t, change of count: 1 group" \
		"t [ns], change of max, of mean: 1 group" "t, change of sum by total: 1 group" >"$T/want"
	same "$T/want" "$T/got"
}

@test "changes: lines without a statistic, of too many keys, and with ends too long to show" {
	local many
	many=$(printf 'k%d=1\t' {1..251})
	{
		event diff . f m 0.5 before=4 after=6
		event diff . g m 0.25 before=4 after=5 stat=
		event diff . h m 2 before=4 after=6 stat=sum "delta.lo=1.$(printf '0%.0s' {1..250})1" "delta.hi=2.$(printf '0%.0s' {1..250})1"
		event diff . i m 2 before=4 after=6 stat=sum delta.lo=1 delta.hi=3
		event diff . j m 2 before=4 after=6 stat=sum "${many%?}"
		event agg . k m 2 stat=max type=int64
		event agg . k m 2 stat=max "${many%?}" type=int64 k252=1 k253=1
	} >"$T/in"
	want_status 1 aftab "$T/in"
	said "in:1: diff line without stat="
	said "in:2: diff line without stat="
	said "in:5: the table would have more than 256 columns: the line is left out"
	said "in:7: the table would have more than 256 columns: the line is left out"
	[ "$(wc -l <"$T/err")" -eq 4 ] || fail "$(cat "$T/err")"
	cat >"$T/want" <<-'END'
		m, change of sum: 2 groups
		region  before  after  difference  difference interval  change  verdict
		h            4      6           2                    .       .     more
		i            4      6           2                 1..3       .     more

		m: 1 group
		region  max
		k         2
	END
	same "$T/want" "$T/out"
}

@test "changes: as afdiff finds them" {
	local side
	for side in a b; do
		awk -v factor="$([ $side = a ] && echo 10 || echo 12)" 'BEGIN {
			for (run = 1; run <= 5; run++)
				for (i = 1; i <= 20; i++)
					print "sample", i, run, "f" i % 3, "t", factor * (100 + run + i)
		}' </dev/null | tr ' ' '\t' | afagg --no-marks --by run,region --stat sum >"$T/$side"
	done
	afdiff --fail-if 'region=f1 sum>1%' "$T/a" "$T/b" 2>"$T/said" >"$T/in" || [ $? -eq 4 ]
	want_status 0 aftab "$T/in"
	silent
	[ "$(grep -c ' more$' "$T/out")" -eq 3 ]
	[ "$(grep -c '^f1 .* +20.00% .* ! more$' "$T/out")" -eq 1 ]
}

@test "very large fractions, infinities and nans: as in the stream, and no digits that mean nothing" {
	printf 'agg\t.\tr\tf%s\tm\t%s\tstat=sum\n' 1 1e300 2 5 3 1.5 4 nan 5 inf 6 -inf \
		7 123456789012345678901234567890 8 -1.2345678901234567e20 >"$T/in"
	want_status 0 aftab --sort region "$T/in"
	awk 'NR > 2 { print $2 }' "$T/out" >"$T/got"
	printf '%s\n' 1e300 5.0 1.5 nan inf -inf 123456789012345678901234567890.0 -1.2345678901234567e20 >"$T/want"
	same "$T/want" "$T/got"
	# their size does not decide how many decimals the others have
	grep -E '	(1e300|5|1.5)	' "$T/in" >"$T/few"
	want_status 0 aftab "$T/few"
	printf '%s\n' 'm: 3 groups' 'region    sum       %' 'f1      1e300  100.0%' 'f2      5.000    0.0%' \
		'f3      1.500    0.0%' >"$T/want"
	same "$T/want" "$T/out"
	grep -E '	(1e300|5)	' "$T/in" >"$T/few"
	want_status 0 aftab "$T/few"
	[ "$(sed -n 4p "$T/out" | tr -s ' ')" = 'f2 5 0.0%' ]
	# a share of numbers near the largest double
	printf 'agg\t.\tr\tf%s\tm\t%s\tstat=sum\n' 1 1e308 2 5e307 >"$T/in"
	want_status 0 aftab "$T/in"
	printf '%s\n' 'm: 2 groups' 'region    sum      %' 'f1      1e308  66.7%' 'f2      5e307  33.3%' >"$T/want"
	same "$T/want" "$T/out"
	printf 'agg\t.\tr\tf%s\tm\t%s\tstat=sum\n' 1 1.5e308 2 1e308 >"$T/in"
	want_status 0 aftab "$T/in"
	[ "$(grep -c '%' "$T/out")" -eq 0 ] # the total is beyond them
	want_status 0 aftab --human "$T/in"
	grep -q '^f1  *1.50e308$' "$T/out"
}

@test "changes: very large ones, infinities and nans" {
	changes "a 1e300 stat=sum before=1 after=1e300 change=1e300 n.before=1 n.after=1" \
		"b nan stat=sum before=nan after=5 change=nan n.before=1 n.after=1" \
		"c -inf stat=sum before=5 after=-inf change=-inf n.before=1 n.after=1" \
		"d 5 stat=sum before=0 after=5 change=inf delta.lo=1 delta.hi=9 change.lo=nan change.hi=1.5e307 n.before=2 n.after=2" >"$T/in"
	want_status 0 aftab --sort region "$T/in"
	cat >"$T/want" <<-'EOF'
	t [ns], change of sum: 4 groups
	region  before  after  difference  difference interval      change         interval  verdict
	a            1  1e300       1e300                    .  +1.00e302%                .        .
	b          nan      5         nan                    .         nan                .        .
	c            5   -inf        -inf                    .        -inf                .        .
	d            0      5           5                 1..9        +inf  nan..+1.50e309%     more
	EOF
	same "$T/want" "$T/out"
}

@test "the rows of --top are the first ones, and the share of the others is right" {
	local sort n
	awk 'BEGIN { srand(3); OFS = "\t"; for (i = 0; i < 500; i++) {
		tid = "tid=" int(9 * rand())
		print "agg", 1, "r", "f" i, "m", int(40 * rand()), "stat=sum", tid
		print "agg", 1, "r", "f" i, "m", int(3 * rand()) - 0.5, "stat=mean", tid
	} }' >"$T/in"
	for sort in sum sum:asc mean region region:desc tid; do
		want_status 0 aftab --sort $sort "$T/in"
		tr -s ' ' <"$T/out" | sed 1,2d >"$T/all"
		for n in 1 2 3 7 100 499 500 501; do
			want_status 0 aftab --sort $sort --top $n "$T/in"
			tr -s ' ' <"$T/out" | sed '1,2d; /^\.\.\./d' >"$T/got"
			same <(head -n $n "$T/all") "$T/got"
			[ $n -ge 500 ] || sed -n '$p' "$T/out" >"$T/last"
			[ $n -ge 500 ] || same <(awk -v n=$n '{ all += $3 } NR > n { rest += $3 }
				END { printf "... %d more, %.1f%% of sum\n", 500 - n, 100 * rest / all }' "$T/all") "$T/last"
		done
	done
}

@test "the run is shown only where it is a key, or tells groups apart" {
	cd "$T"
	printf 'sample\t1\tr1\tf\tm\t5\nsample\t1\tr2\tf\tm\t5\nsample\t1\tr2\tg\tm\t5\n' >in
	afagg --no-marks --by region in >pooled
	aftab pooled >out
	same out - <<-'END'
		m: 2 groups
		region  count  sum      %
		f           2   10  66.7%
		g           1    5  33.3%
	END
	aftab --sort run pooled >out
	[ "$(sed -n 2p out)" = "run  region  count  sum      %" ]
	afagg --no-marks --by region,run in | aftab >out
	[ "$(grep -c '^r[12] ' out)" -eq 3 ]
	# a group of one run, and the same of several
	printf 'agg\t1\tr2\tf\tm\t1\tstat=count\tn=1\n' | cat pooled - | aftab >out
	awk 'NR > 2 { print $1, $2 }' out | sort >rows
	printf '%s\n' '. f' 'r2 f' 'r2 g' >want
	same want rows
}

@test "the key time: a table in the order of time, in seconds with -H" {
	cd "$T"
	printf 'sample\t%s\tr\t%s\tm\t%s\n' 500000000 f 1 2000000000 f 8 300000000 f 7 300000000 g 9 . f 3 >in
	afagg --no-marks --by time,region --stat sum in >agg
	want_status 0 aftab agg
	same out - <<-'END'
		m: 5 groups
		region  time        sum      %
		g       300000000     9  32.1%
		f       300000000     7  25.0%
		f       500000000     1   3.6%
		f       2000000000    8  28.6%
		f       .             3  10.7%
	END
	want_status 0 aftab -H agg
	same out - <<-'END'
		m: 5 groups
		region    time  sum      %
		g       0.300s    9  32.1%
		f       0.300s    7  25.0%
		f       0.500s    1   3.6%
		f       2.000s    8  28.6%
		f            .    3  10.7%
	END
	want_status 0 aftab -H --wide time agg
	[ "$(sed -n 2p out)" = 'region  0.300s  0.500s  2.000s  .' ] || fail "$(cat out)"
	want_status 0 aftab --wide time agg
	[ "$(sed -n 2p out | cut -c -26)" = 'region  300000000  5000000' ] || fail "$(cat out)"
	# in another order
	want_status 0 aftab --sort sum agg
	[ "$(awk 'NR > 2 { printf "%s ", $3 }' out)" = '9 8 7 3 1 ' ]
	want_status 0 aftab --top 2 agg
	[ "$(awk 'NR > 2 && NF == 4 { printf "%s ", $3 }' out)" = '9 8 ' ]
	want_status 0 aftab --sort time:desc agg
	[ "$(awk 'NR > 2 { printf "%s ", $2 }' out)" = '2000000000 500000000 300000000 300000000 . ' ]
	# times that are none
	sed 's/time=500000000/time=x/' agg >odd
	want_status 0 aftab -H odd
	grep -q '^f       x ' out
}

@test "the run is not shown where a label tells the runs apart, but where other tags do" {
	local keys
	cd "$T"
	printf '%s\t%s\n' 'sample	1	r1	f	m	5' 'node=n1	tid=1' 'sample	1	r2	f	m	6' 'node=n2	tid=2' \
		'sample	1	r2	g	m	7' 'node=n2	tid=2' >in
	# heading KEYS OPTION...: the heading of the table with these keys
	heading() {
		afagg --no-marks --by "$1" --stat sum in | aftab "${@:2}" | sed -n '2s/  */ /gp'
	}
	[ "$(heading node)" = 'node sum %' ]
	[ "$(heading node,region)" = 'region node sum %' ]
	[ "$(heading run,node,tid)" = 'node tid sum %' ]
	for keys in run,region run,tid tid,region; do
		[ "$(heading $keys | cut -d ' ' -f 1)" = run ] || fail "$keys"
	done
	[ "$(heading node --sort run)" = 'run node sum %' ]
	[ "$(heading node,region --percent-of run)" = 'run region node sum % of run' ]
	[ "$(heading node,region --top 1:run)" = 'run region node sum %' ]
	# tags of the run, and a label of two runs
	printf 'run\t.\t%s\t.\t.\t.\thost=%s\n' r1 a r2 b | cat - in >labelled
	afagg --no-marks --by run.host --stat sum labelled | aftab >out
	[ "$(sed -n 2p out | tr -s ' ')" = 'run.host sum %' ] || fail "$(cat out)"
	printf 'sample\t1\tr3\tf\tm\t5\tnode=n1\ttid=1\n' >>in
	[ "$(heading run,node)" = 'run node sum %' ]
	[ "$(heading node)" = 'node sum %' ]
}

@test "the type and the start are shown where an option names them" {
	local key
	cd "$T" || return
	event agg 2 f m 5 type=int64 stat=sum start=1 >in
	event agg 3 g m 4 type=double stat=sum start=2 >>in
	event agg 3 h m 3 type=double stat=sum start=2 >>in
	heading() {
		aftab "$@" in | sed -n '2s/  */ /gp'
	}
	[ "$(heading)" = 'region sum %' ]
	[ "$(heading --sort region)" = 'region sum %' ]
	for key in start type; do
		[ "$(heading --sort $key)" = "region $key sum %" ]
		[ "$(heading --percent-of $key)" = "region $key sum % of $key" ]
		[ "$(heading --top 1:$key)" = "region $key sum %" ]
	done
	[ "$(heading --percent-of time)" = 'region start sum % of time' ]
	want_status 0 aftab --percent-of type in
	silent
	same out - <<-'END'
	m: 3 groups
	region  type    sum  % of type
	f       int64     5     100.0%
	g       double    4      57.1%
	h       double    3      42.9%
	END
}

@test "rates: of the measure's unit per second, computed from the lines themselves" {
	printf '%s\n' 'measure . r . t . unit=ns' 'sample 1000000000 r f t 100' 'sample 2000000000 r g t 300' \
		'sample 5000000000 r f t 500' | tr ' ' '\t' >"$T/in"
	# 4 seconds from the first line to the last
	printf '%s\n' 't [ns]: 2 groups' "region  rate [ns/s]  count      %" \
		"f               $(((100 + 500) / 4))      2  66.7%" "g                $((300 / 4))      1  33.3%" >"$T/want"
	afagg --no-marks --by region --stat rate,count "$T/in" >"$T/agg"
	want_status 0 aftab "$T/agg"
	same "$T/want" "$T/out"
	want_status 0 aftab --sort rate:asc "$T/agg"
	[ "$(awk 'NR == 3 { print $1 }' "$T/out")" = g ]
	# without a unit
	sed 1d "$T/in" | afagg --no-marks --by region --stat rate >"$T/agg"
	want_status 0 aftab "$T/agg"
	[ "$(sed -n 2p "$T/out")" = 'region  rate [/s]' ]
	# columns that are values of a key: each names the statistic, or else the title does
	afagg --no-marks --by region --stat rate,count --window 1s "$T/in" >"$T/agg"
	want_status 0 aftab --wide window "$T/agg"
	[ "$(sed -n 2p "$T/out" | cut -c -40)" = 'region  1s rate [ns/s]  1s count  2s rat' ] || fail "$(cat "$T/out")"
	afagg --no-marks --by region --stat rate --window 1s "$T/in" >"$T/agg"
	want_status 0 aftab --wide window "$T/agg"
	printf '%s\n' 't, rate [ns/s]: 2 groups' 'region   1s   2s   5s' 'f       100    .  500' 'g         .  300    .' >"$T/want"
	same "$T/want" "$T/out"
	afagg --no-marks --by region --stat count --window 1s "$T/in" >"$T/agg"
	want_status 0 aftab --wide window "$T/agg"
	[ "$(head -n 1 "$T/out")" = 't, count: 2 groups' ]
	# results of rates, and changes
	afagg --no-marks --by region --stat rate "$T/in" >"$T/agg"
	afagg --kind agg --stat max "$T/agg" >"$T/max"
	want_status 0 aftab "$T/max"
	[ "$(head -n 1 "$T/out")" = 't, of rate [ns/s]: 1 group' ] || fail "$(cat "$T/out")"
	afdiff "$T/agg" "$T/agg" >"$T/change" 2>"$T/said"
	want_status 0 aftab "$T/change"
	[ "$(head -n 1 "$T/out")" = 't, change of rate [ns/s]: 2 groups' ] || fail "$(cat "$T/out")"
	sed 1d "$T/in" | afagg --no-marks --by region --stat rate | afagg --kind agg --stat max >"$T/max"
	want_status 0 aftab "$T/max"
	[ "$(head -n 1 "$T/out")" = 't, of rate [/s]: 1 group' ] || fail "$(cat "$T/out")"
	# a name that leaves no room for a unit is whole
	name=$(printf 'x%.0s' {1..500})
	printf 'agg\t1\tr\tf\tt\t5\tcpu=%s\tstat=%s\n' "$name" rate "$name" count >"$T/long"
	want_status 0 aftab --wide cpu --width 0 "$T/long"
	grep -q "$name rate$" "$T/out"
}

@test "--sort: infinities are beyond all integers, and doubles beyond 2^53 are compared exactly with these" {
	local n
	cd "$T" || return
	n=1$(printf '%0400d' 0)
	printf 'agg\t.\tr\t%s\tm\t%s\tstat=sum\n' l -inf a 1e16 b 10000000000000001 e inf c "$n" d "1$n" f nan \
		g "-$n" h -1e300 i 9999999999999999 j . k x >in
	want_status 0 aftab --sort sum in
	sed '1,2d; s/ .*//' out | same - <(printf '%s\n' e d c b a i h g l k f j)
	want_status 0 aftab --sort sum:asc in
	sed '1,2d; s/ .*//' out | same - <(printf '%s\n' l g h i a b c d e f k j)
	tac in >back
	want_status 0 aftab --sort sum in
	cp out want
	want_status 0 aftab --sort sum back
	# what is no number is in the order of the input
	grep -v '^[fk] ' want >a && grep -v '^[fk] ' out | same - a
}

@test "intervals of changes that are not whole: none is shown, and there is no verdict" {
	cd "$T" || return
	printf 'diff\t.\t.\t%s\tm\t1\tstat=sum\tbefore=1\tafter=2\tchange=1\tdelta.lo=%s\tdelta.hi=%s\tchange.lo=%s\tchange.hi=%s\tp=0.1\n' \
		g 0 0 x 1 h -1 0 -0.1 0 i 1 x 0.5 inf j 0 5 0 0.5 k -5 -4 -0.5 -0.4 >in
	printf 'diff\t.\t.\t%s\tm\t1\t%sbefore=1\tafter=2\tchange=1\tdelta.lo=4\tp=0.1\n' l $'stat=sum\t' m '' >>in
	want_status 1 aftab in
	same out - <<-'EOF'
	m, change of sum: 6 groups
	region  before  after  difference  difference interval    change          interval  verdict
	g            1      2           1                 0..0  +100.00%                 .     same
	h            1      2           1                -1..0  +100.00%   -10.00%..+0.00%  unclear
	i            1      2           1                    .  +100.00%     +50.00%..+inf        .
	j            1      2           1                 0..5  +100.00%   +0.00%..+50.00%  unclear
	k            1      2           1               -5..-4  +100.00%  -50.00%..-40.00%     less
	l            1      2           1                    .  +100.00%                 .        .
	EOF
	same err - <<-'EOF'
	aftab: in:7: diff line without stat=
	aftab: changes without an interval, which may be chance (see afdiff): 2
	EOF
}

@test "the key mid tells groups apart; a mid that all lines of a group share is no key" {
	{
		event sample 5 f m 10 mid=1
		event sample 5 f m 12 mid=2
	} >"$T/in"
	afagg --no-marks --by mid "$T/in" >"$T/agg"
	want_status 0 aftab "$T/agg"
	silent
	same "$T/out" - <<-'END'
		m: 2 groups
		mid  count  sum      %
		2        1   12  54.5%
		1        1   10  45.5%
	END
	sed '/stat=sum/s/\t12\t/\t13\t/' "$T/agg" >"$T/after"
	want_status 0 afdiff "$T/agg" "$T/after"
	mv "$T/out" "$T/change"
	want_status 0 aftab "$T/change"
	same "$T/out" - <<-'END'
		m, change of count: 2 groups
		mid  before  after  difference  change  interval  verdict
		1         1      1           0  +0.00%         .        .
		2         1      1           0  +0.00%         .        .

		m, change of sum: 2 groups
		mid  before  after  difference  change  interval  verdict
		2        12     13           1  +8.33%         .        .
		1        10     10           0  +0.00%         .        .
	END
	# a mid after the statistic
	sed 1d "$T/in" >"$T/one"
	afagg --no-marks --by region "$T/one" >"$T/agg"
	want_status 0 aftab "$T/agg"
	same "$T/out" - <<-'END'
		m: 1 group
		region  count  sum       %
		f           1   12  100.0%
	END
}

# tabled STATUS OPTION... reads lines of events: the table and the messages are those in want.
tabled() {
	local status=$1
	shift
	want_status "$status" aftab "$@" in
	cat out err | same want -
}

@test "lines of other programs: what there is instead of a key, a statistic or a share" {
	local many word
	cd "$T"
	# nothing to sort by, or nothing at all
	event agg . . m 5 stat=sum >in
	printf '%s\n' 'm: 1 group' 'sum       %' '  5  100.0%' \
		'aftab: --sort: no group has this key or statistic: foo (there are: run, sum)' >want
	tabled 1 --sort foo
	printf '%s\n' 'm: 1 group' 'sum       %' '  5  100.0%' \
		'aftab: --sort: no group has this key or statistic: foo:up (there are: run, sum)' >want
	tabled 1 --sort foo:up
	{
		event agg . f m 5 stat=sum cpu=0
		event agg . f m 6 stat=sum cpu=1
	} >in
	printf '%s\n' 'm, sum: 1 group' 'region  0  1' 'f       5  6' \
		'aftab: --sort: no group has this key or statistic: foo (there are: run, region, sum)' >want
	tabled 1 --wide cpu --sort foo
	{
		event agg . f m 5
		event agg . f m 5 stat=
	} >in
	printf 'aftab: %s\n' 'in:1: agg line without stat=' 'in:2: agg line without stat=' \
		'--sort: no group has this key or statistic: foo' >want
	tabled 1 --sort foo
	{
		printf '#afstream\t1\tx\tx\n#end\tx\tx\t0\tcomplete\n'
	} >in
	: >want
	tabled 0 --percent-of region
	# the first line of a table has too many keys
	many=$(printf 'k%d=1\t' {1..256})
	event agg . f m 5 stat=sum "${many%?}" >in
	for word in sum cpu; do
		printf '%s\n' 'm: 0 groups' '' \
			'aftab: in:1: the table would have more than 256 columns: the line is left out' >want
		[ $word = sum ] || printf 'aftab: --wide: no group has this key: cpu\n' >>want
		[ $word = sum ] && tabled 1 || tabled 1 --wide cpu
	done
	# shares: of a part without the key, of counts that are 0, and none for other statistics
	{
		event agg . f m 3 stat=sum comm=a
		event agg . f m 1 stat=sum
		event agg . g m 4 stat=sum
		event agg . h m 4 stat=max
	} >in
	printf '%s\n' 'm: 4 groups' 'region  comm  sum  % of comm  max' 'g       .       4      80.0%    .' \
		'f       a       3     100.0%    .' 'f       .       1      20.0%    .' \
		'h       .       .          .    4' >want
	tabled 0 --percent-of comm
	printf '%s\n' 'm: 4 groups' 'region  comm  sum      %  max' 'g       .       4  50.0%    .' \
		'... 3 more, 50.0% of sum' >want
	tabled 0 --top 1
	{
		event agg . f m 0 stat=count prio=5
		event agg . f m 0 stat=count prio=-5
		event agg . f m 0 stat=count prio=5 type=text
	} >in
	printf '%s\n' 'm: 3 groups' 'region  prio  type  count' 'f       -5    .         0' \
		'f       5     text      0' 'f       5     .         0' \
		'aftab: --percent-of: no shares, since some values are negative or infinite, all are 0, or they contain each other' >want
	tabled 0 --percent-of prio
	{
		event agg . f m 9 stat=max total=12
		event agg . f m 9 stat=sum total=12
	} >in
	printf '%s\n' 'm: 1 group' 'region  max  sum      %' 'f         9    9  75.0%' >want
	tabled 0
	# times alone tell the groups apart
	{
		event agg 5 f m 9 stat=sum start=1
		event agg 9 f m 9 stat=sum start=5
	} >in
	printf '%s\n' 'm: 2 groups' 'region  start  sum      %' 'f       1        9  50.0%' 'f       5        9  50.0%' >want
	tabled 0
	# windows whose sizes are no numbers
	{
		event agg . f m 5 stat=sum windows=soon
		event agg . g m 6 stat=sum windows=x@first
	} >in
	printf '%s\n' 'm, windows of soon: 1 group' 'region  sum       %' 'f         5  100.0%' '' \
		'm, windows of x from first: 1 group' 'region  sum       %' 'g         6  100.0%' >want
	tabled 0
}

@test "numbers of other programs: infinite, tiny, and with more zeros than there is room for" {
	local zeros
	cd "$T"
	{
		event agg . f m inf stat=sum
		event agg . g m 0 stat=sum
		event agg . h m 1e-15 stat=sum
		event agg . i m nan stat=sum
	} >in
	printf '%s\n' 'm: 4 groups' 'region       sum' 'f            inf' 'h       1.00e-15' 'g              0' \
		'i            nan' >want
	tabled 0 -H
	zeros=$(printf '0%.0s' {1..399})
	{
		event agg . f m "${zeros}5" stat=sum
		event agg . g m 0.5 stat=sum
	} >in
	want_status 0 aftab in
	silent
	sed 's/  *[^ ]*%$//; s/  */ /g; s/ *$//' out >got
	printf '%s\n' 'm: 2 groups' 'region sum %' "f ${zeros}5" 'g 0.500' | sed 's/ %//' | same - got
}

@test "changes of other programs: counts, ends too long for a unit, and a change near 0" {
	local zeros
	cd "$T"
	zeros=$(printf '0%.0s' {1..199})
	{
		event measure . . t . unit=ns
		event diff . f t 1 stat=count before=1 after=2 change=1 delta.lo=-1000 delta.hi=2000
		event diff . g t 2 stat=sum before=1 after=2 change=1 "delta.lo=1.${zeros}1" delta.hi=3 change.lo=1 change.hi=2
		event diff . h t 2 stat=sum before=1 after=2 change=1 delta.lo=-1 delta.hi=3 change.lo=-1 change.hi=1e-10
		event diff . i t 1 stat=sum before=0 after=1 change=inf delta.lo=-1000 delta.hi=2000
	} >in
	want_status 0 aftab -H in
	silent
	sed "s/$zeros/Z/; s/   */  /g" out >got
	cat >want <<-'END'
	t, change of count: 1 group
	region  before  after  difference  difference interval  change  verdict
	f  1  2  1  -1.00k..2.00k  +100.00%  unclear

	t [ns], change of sum: 3 groups
	region  before  after  difference  difference interval  change  interval  verdict
	g  1 ns  2 ns  2 ns  1.Z1..3  +100.00%  +100.00%..+200.00%  more
	h  1 ns  2 ns  2 ns  -1 ns..3 ns  +100.00%  -100.00%..+1.00e-8%  unclear
	i  0 ns  1 ns  1 ns  -1.00 us..2.00 us  +inf  .  unclear
	END
	same want got
	# the largest change first, not the first window
	{
		event diff . f t 1 stat=sum before=1 after=2 window=3000000000
		event diff . f t 5 stat=sum before=1 after=6 window=4000000000
	} >in
	printf '%s\n' 't, change of sum: 2 groups' \
		'region  window  before  after  difference  change  interval  verdict' \
		'f           4s       1      6           5       .         .        .' \
		'f           3s       1      2           1       .         .        .' \
		'aftab: changes without an interval, which may be chance (see afdiff): 2' >want
	tabled 0
}

@test "columns of other programs: long statistics, a window that is no time, and what is no percentile" {
	local name
	cd "$T"
	name=$(printf 'x%.0s' {1..450})
	{
		event agg . f m 5 stat="$name" cpu=0
		event agg . f m 6 stat="${name}y" cpu=0
	} >in
	want_status 0 aftab --wide cpu in
	silent
	sed "s/$name/X/g; s/  */ /g" out >got
	printf '%s\n' 'm: 1 group' 'region 0 X' ' 0 Xy' 'f 5 6' | same - got
	{
		event agg . f m 5 stat=sum window=late
		event agg . f m 7 stat=sum window=3000000000
	} >in
	printf '%s\n' 'm, sum: 1 group' 'region  3000000000  late' 'f                7     5' >want
	tabled 0 --wide window
	{
		event agg . f m 5 stat=p percentile=x
		event agg . f m 5 stat=px percentile=y
		event agg . f m 5 stat=p/ percentile=z
	} >in
	printf '%s\n' 'm: 1 group' 'region  p  px  p/' 'f       5   5   5' >want
	tabled 0
}

@test "units that come after the results: in the title if they are those of all" {
	local late='aftab: measure lines after the aggregates give different units of t'
	cd "$T"
	{
		run=r1 event agg . f t 5 stat=sum
		run=r2 event agg . g t 6 stat=sum
		run=r1 event measure . . t . unit=ns
	} >in
	printf '%s\n' 't: 2 groups' 'run  region  sum      %' 'r2   g         6  54.5%' 'r1   f         5  45.5%' >rows
	{
		sed 's/^t:/t [ns]:/' rows
	} >want
	run=r2 event measure . . t . unit=ns >later
	want_status 0 aftab --no-marks in later
	silent
	same want out
	run=r2 event measure . . t . unit=us >later
	want_status 1 aftab --no-marks in later
	echo "$late" | same - err
	same rows out
	# another table has that unit
	{
		run=r1 event agg . f t 5 stat=sum unit=ns
		run=r2 event agg . g t 6 stat=sum
		run=r2 event agg . h t 6 stat=sum
		run=r2 event measure . . t . unit=ns
	} >in
	printf '%s\n' 't [ns]: 1 group' 'region  sum       %' 'f         5  100.0%' '' \
		't: 2 groups' 'region  sum      %' 'g         6  50.0%' 'h         6  50.0%' "$late" >want
	tabled 1
	# units of other runs, or after unit=., say nothing about the results
	{
		run=r2 event agg . g t 6 stat=sum
		run=r2 event agg . h t 6 stat=sum
		run=r3 event measure . . t . unit=ns
		run=r4 event measure . . t . unit=us
	} >in
	printf '%s\n' 't: 2 groups' 'region  sum      %' 'g         6  50.0%' 'h         6  50.0%' >want
	tabled 0
	{
		run=r2 event agg . g t 6 stat=sum unit=.
		run=r2 event agg . h t 6 stat=sum unit=.
		run=r2 event measure . . t . unit=ns
	} >in
	tabled 0
}

@test "groups that contain others are noted; without groups, a key is not what is missing" {
	cd "$T"
	{
		event agg . g t 6 stat=sum n=2
		event agg . g t 4 cpu=0 stat=sum n=1
		event agg . g t 2 cpu=1 stat=sum n=1
	} >in
	printf '%s\n' 't: 3 groups' 'region  cpu  sum      %' 'g       .      6  50.0%' 'g       0      4  33.3%' \
		'g       1      2  16.7%' \
		"aftab: groups have different keys (afagg --by): some contain others, so sums and shares count the same several times (to choose some, for example those with comm: afsel -k agg -w 'comm~.')" >want
	tabled 0
	event sample 1 g t 6 >in
	echo 'aftab: 1 sample or span lines and no aggregates: pipe the stream through afagg first' >want
	tabled 1 --wide cpu
}

@test "percentiles that were found in different ways are noted" {
	local i note='percentiles in one table were found in different ways'
	cd "$T"
	for i in 1 2 3 4; do event sample $i f t $i; done >in
	afagg --no-marks --by region --stat sum,p50 in >usual
	sed 's/\tf\t/\tg\t/' in | afagg --no-marks --by region --stat sum,median --percentile nearest >near
	sed 's/\tf\t/\th\t/' in | afagg --no-marks --by region --stat sum,iqr --sketch 1% >sketch
	for i in usual near sketch; do
		want_status 0 aftab --no-marks $i
		silent
		cat $i $i | sed 's/\tt\t/\tu\t/' | cat usual - >other
		# tables of their own
		want_status 0 aftab --no-marks other
		[ "$(grep -c 'different ways' err)" -eq 0 ]
	done
	for i in near sketch; do
		cat usual $i >both
		want_status 0 aftab --no-marks both
		said "aftab: $note"
		want_status 0 csvenc --no-marks --wide region both
		said "csvenc: $note"
	done
}
