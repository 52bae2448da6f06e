#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# afagg.bats - aggregates, judged by python3's fractions and by mawk.

load lib

setup() {
	cd "$T" || return
}

# line FIELD...: one line of the stream, TABs between.
line() {
	local IFS=$'\t'
	printf '%s\n' "$*"
}

# results: what afagg printed, less the marks, with blanks for TABs.
results() {
	unmarked out | tr '\t' ' '
}

# judge {INPUT OUTPUT KEYS STATS}...: an independent judge of afagg's OUTPUT for INPUT, with these
# options.
judge() {
	cat >judge.py <<-'EOF'
	import sys, math
	from fractions import Fraction
	from decimal import Decimal, getcontext
	getcontext().prec = 1500
	cols = ['kind', 'time', 'run', 'region', 'measure', 'value']

	def parse(path):
	    for text in open(path, encoding='utf-8', newline='\n'):
	        f = text.rstrip('\n').split('\t')
	        if f[0].startswith('#') or f[0] not in ('sample', 'span', 'agg'):
	            continue
	        tags = {}
	        for t in f[6:]:
	            k, v = t.split('=', 1)
	            tags.setdefault(k, v)
	        yield f, tags

	def number(t):
	    try:
	        return -0.0 if t == '-0' else int(t)
	    except ValueError:
	        return float(t)

	def finite(vals):
	    return all(isinstance(v, int) or math.isfinite(v) for v in vals)

	def stat(name, vals):
	    n = len(vals)
	    if name == 'count':
	        return n
	    if name in ('min', 'max') and any(v != v for v in vals):
	        return math.nan
	    if name == 'min':
	        return min(vals, key=lambda v: (v, math.copysign(1, v), isinstance(v, float)))
	    if name == 'max':
	        return max(vals, key=lambda v: (v, math.copysign(1, v), isinstance(v, int)))
	    ints = all(isinstance(v, int) for v in vals)
	    if name in ('sum', 'mean'):
	        if not finite(vals):
	            return sum(float(v) if isinstance(v, float) else 0.0 for v in vals if isinstance(v, float) and not math.isfinite(v))
	        s = sum(Fraction(v) for v in vals)
	        if name == 'mean':
	            s /= n
	        if ints and s.denominator == 1:
	            return s.numerator
	        return nearest(s)
	    assert name == 'stddev', name
	    if n < 2:
	        return '.'
	    if not finite(vals):
	        return math.nan
	    s = sum(Fraction(v) for v in vals)
	    q = sum(Fraction(v) ** 2 for v in vals)
	    var = (q - s * s / n) / (n - 1)
	    return float((Decimal(var.numerator) / Decimal(var.denominator)).sqrt())

	def nearest(f):
	    try:
	        return float(f)
	    except OverflowError:
	        return math.inf if f > 0 else -math.inf

	def judge(src, out, keys, stats):
	    groups = {}
	    for f, tags in parse(src):
	        key = tuple(f[cols.index(k)] if k in cols else tags.get(k, '.') for k in keys)
	        what = (f[4], tags.get('type', '.'), tags.get('unit', '.'))
	        groups.setdefault((key, what), []).append((f, tags))
	    want = []
	    for (key, what), rows in sorted(groups.items(), key=lambda kv: [[x.encode() for x in part] for part in kv[0]]):
	        vals = [number(f[5]) for f, _ in rows] if stats != ['count'] else rows
	        for name in stats:
	            want.append((key, what, name, stat(name, vals), rows))
	    got = list(parse(out))
	    assert len(want) == len(got), (len(want), len(got))
	    for (key, what, name, value, rows), (f, tags) in zip(want, got):
	        where = (key, what, name)
	        assert f[0] == 'agg' and f[4] == what[0], where
	        have = tuple(f[cols.index(k)] if k in ('run', 'region', 'measure') else tags[k] for k in keys)
	        assert have == key, (where, have)
	        assert tags['stat'] == name and tags['n'] == str(len(rows)), where
	        assert tags.get('type', '.') == what[1] and tags.get('unit', '.') == what[2], where
	        if 'region' not in keys:
	            assert f[3] == '.', where
	        runs = {r[0][2] for r in rows}
	        assert f[2] == (runs.pop() if len(runs) == 1 else '.'), where
	        times = [int(r[0][1]) for r in rows if r[0][1] != '.']
	        starts = [int(r[1].get('start', r[0][1])) for r in rows if r[0][1] != '.']
	        assert f[1] == (str(max(times)) if times else '.'), where
	        assert tags.get('start') == (str(min(starts)) if times else None), where
	        if value == '.':
	            assert f[5] == '.', where
	        elif isinstance(value, int):
	            assert f[5] == str(value), (where, f[5], value)
	        else:
	            g = float(f[5])
	            assert g == value or (g != g and value != value), (where, f[5], value)

	for at in range(1, len(sys.argv), 4):
	    src, out, keys, stats = sys.argv[at:at + 4]
	    try:
	        judge(src, out, keys.split(',') if keys else [], stats.split(','))
	    except AssertionError as e:
	        sys.exit('%s by %s: %s' % (src, keys, e))
	EOF
	python3 judge.py "$@" >judge.out 2>&1 || fail "$(tail -n 3 judge.out)"
}

# data {FILE SEED KIND N}...: writes N lines made at random to each FILE; KIND says what the values are.
data() {
	cat >data.py <<-'EOF'
	import random, sys
	def value(r, kind):
	    if kind == 'small':
	        return str(r.randrange(-1000, 1000))
	    if kind == 'big':
	        v = r.choice([-1, 1]) * (r.getrandbits(r.choice([8, 59, 60, 61, 62, 63, 64, 65, 127, 128])))
	        return str(v)
	    if kind == 'double':
	        return repr(r.uniform(-1, 1) * 10.0 ** r.randrange(-8, 9))
	    if kind == 'wild':
	        return repr(r.choice([-1, 1]) * (1 + r.random()) * 2.0 ** r.randrange(-1074, 1023))
	    if kind == 'mixed':
	        return r.choice([str(r.randrange(10 ** 17, 10 ** 20)), repr(r.uniform(0, 1e18)), str(r.randrange(9)), '0.1', '-0'])
	    if kind == 'odd':
	        return r.choice(['inf', '-inf', 'nan', '1', '2.5', '-3'] + ['7'] * 30)
	def line(r, kind):
	    t = r.choice(['.', str(r.randrange(10 ** 6)), str(r.randrange(10 ** 6)), str(r.getrandbits(100))])
	    f = ['sample', t, r.choice(['r1', 'r2', 'r2']), r.choice(['f', 'g', 'main', 'é', 'a b', 'a', r'x\\y']), r.choice(['m', 'm', 'm2']), value(r, kind)]
	    if r.random() < .7:
	        f.append('cpu=%d' % r.randrange(12))
	    if r.random() < .3:
	        f[0] = 'span'
	        f.append('start=%d' % r.randrange(10 ** 6 if t == '.' else int(t) + 1))
	    if r.random() < .5:
	        f.append('tag.x\\x3dy=%s' % r.choice(['a;b', 'k=v', '.', r'\.']))
	    if r.random() < .2:
	        f.append('unit=ns')
	    if r.random() < .2:
	        f.append('type=int64')
	    return '\t'.join(f) + '\n'
	for at in range(1, len(sys.argv), 4):
	    name, seed, kind, n = sys.argv[at:at + 4]
	    r = random.Random(int(seed))
	    with open(name, 'w', encoding='utf-8') as f:
	        f.writelines(line(r, kind) for i in range(int(n)))
	EOF
	python3 data.py "$@"
}

@test "count and sum are the default, one group a measure" {
	lines in <<-'EOF'
	sample 10 r f m 5
	sample 30 r g m -7
	sample 20 r f m2 1
	EOF
	want_status 0 afagg in
	want 'agg 30 r . m 2 stat=count start=10 n=2
agg 30 r . m -2 stat=sum start=10 n=2
agg 20 r . m2 1 stat=count start=20 n=1
agg 20 r . m2 1 stat=sum start=20 n=1'
	silent
}

# bats test_tags=quick
@test "every statistic, in the order that is asked for" {
	lines in <<-'EOF'
	sample 10 r f m 1
	sample 20 r f m 2
	sample 30 r f m 4
	sample 40 r f m 9
	EOF
	want_status 0 afagg --stat stddev,max,min,mean,sum,count in
	want 'agg 40 r . m 3.559026084010437 stat=stddev start=10 n=4
agg 40 r . m 9 stat=max start=10 n=4
agg 40 r . m 1 stat=min start=10 n=4
agg 40 r . m 4 stat=mean start=10 n=4
agg 40 r . m 16 stat=sum start=10 n=4
agg 40 r . m 4 stat=count start=10 n=4'
}

# all_stats: their names, a line each, to the file stats.
all_stats() {
	sed -n 's/.*\[STAT_.*SLICE_INIT("\(.*\)").*/\1/p' "$ROOT/src/aggregate/stats.c" >stats
	[ "$(wc -l <stats)" -ge 6 ]
}

@test "the statistics are those of the pages" {
	local stat
	all_stats
	want_status 0 afagg --help
	tr '\n' ' ' <out >help
	while read -r stat; do
		grep -qE "any of [a-z ]*\b$stat\b" help || fail "--help: $stat"
		grep -q "^\.Cm $stat\b" "$ROOT/man/afagg.1" || fail "afagg(1): $stat"
		sed -n '/count, sum/,/)/p' "$ROOT/man/afstream.5" | grep -qw "$stat" || fail "afstream(5): $stat"
		grep '^| .afagg. |' "$ROOT/README.md" | grep -qw "$stat" || fail "README.md: $stat"
	done <stats
}

@test "each statistic can be asked for alone" {
	local stat
	all_stats
	lines in <<-'EOF'
	sample 1 r a m 7
	sample 2 r a m 12345678901234567890
	sample 3 r a m 0.5
	sample 4 r b m 3
	EOF
	want_status 0 afagg --by region --stat "$(paste -s -d , stats)" in
	cp out together
	while read -r stat; do
		grep -P "\tstat=$stat\t" together >want || fail "$stat"
		want_status 0 afagg --by region --stat "$stat" in
		unmarked out >got
		same want got
	done <stats
}

@test "one value has no deviation" {
	lines in <<<'sample 10 r f m 1.5'
	want_status 0 afagg --stat stddev,mean in
	want 'agg 10 r . m . stat=stddev start=10 n=1
agg 10 r . m 1.5 stat=mean start=10 n=1'
}

@test "judged by python: integers, doubles, the whole range, in all groupings" {
	need python3
	local kind keys made=() judged=() seed=1 stats=count,sum,mean,min,max,stddev
	local groupings=('' region 'region,cpu' 'cpu,run,kind' 'tag.x=y,measure' 'time,value' 'unit,type')
	for kind in small big double wild mixed; do
		for keys in "${groupings[@]}"; do
			seed=$((seed + 1))
			made+=("in.$seed" "$seed" "$kind" 400)
		done
	done
	data "${made[@]}"
	seed=1
	for kind in small big double wild mixed; do
		for keys in "${groupings[@]}"; do
			seed=$((seed + 1))
			if [ "$kind" = big ]; then
				grep -E $'^([^\t]*\t){5}-?[0-9]{1,38}(\t|$)' in.$seed >small && mv small in.$seed
			fi
			want_status 0 afagg ${keys:+--by "$keys"} --stat $stats in.$seed || fail "seed $seed, $kind, by $keys"
			silent
			mv out out.$seed
			judged+=("in.$seed" "out.$seed" "${keys/tag.x=y/tag.x\\x3dy}" "$stats")
		done
	done
	judge "${judged[@]}"
}

@test "judged by python: inf and nan" {
	need python3
	local seed judged=() stats=sum,mean,min,max,stddev
	data in.1 1 odd 60 in.2 2 odd 60 in.3 3 odd 60 in.4 4 odd 60 in.5 5 odd 60
	for seed in 1 2 3 4 5; do
		want_status 0 afagg --by region,cpu --stat $stats in.$seed
		mv out out.$seed
		judged+=("in.$seed" "out.$seed" 'region,cpu' "$stats")
	done
	judge "${judged[@]}"
}

@test "judged by mawk: count and sum by region and cpu" {
	need mawk
	mawk 'BEGIN { OFS = "\t"; x = 1; for (i = 0; i < 20000; i++) { x = (x * 16807) % 2147483647;
		print "sample", 1000 + i, "r", "f" x % 97, "m", x % 1000003, "pid=1", "cpu=" x % 4 } }' >in
	mawk -F '\t' '{ c[$4 "\t" $8]++; s[$4 "\t" $8] += $6 }
		END { for (k in c) { split(k, p, "\t"); printf "%s\t%s\t%d\t%.0f\n", p[1], p[2], c[k], s[k] } }' in |
		sort >want
	want_status 0 afagg --by region,cpu in
	unmarked out | mawk -F '\t' '$8 == "stat=count" { n = $6 } $8 == "stat=sum" { print $4 "\t" $7 "\t" n "\t" $6 }' |
		sort >got
	same want got
}

@test "the order of the input changes nothing" {
	need python3
	local kind
	for kind in small big double wild mixed odd; do
		data made 77 $kind 3000
		sed '/\t-\?[0-9]\{39,\}/d' made >in
		want_status 0 afagg --by region --stat count,sum,mean,min,max,stddev in
		unmarked out >want
		tac in >in2
		sort -t "$(printf '\t')" -k 6,6 in >in3
		sort -t "$(printf '\t')" -k 2,2r in >in4
		for f in in2 in3 in4; do
			want_status 0 afagg --by region --stat count,sum,mean,min,max,stddev $f
			unmarked out >got
			same want got
		done
	done
}

@test "several operands are one input" {
	need python3
	data in 5 mixed 999
	want_status 0 afagg --by cpu --stat count,sum,mean,stddev in
	unmarked out >want
	split -l 100 in part.
	want_status 0 afagg --by cpu --stat count,sum,mean,stddev part.*
	unmarked out >got
	same want got
	want_status 0 afagg --by cpu --stat count,sum,mean,stddev - <in
	unmarked out >got
	same want got
}

@test "integers beyond 64 and 128 bits" {
	lines in <<-'EOF'
	sample 1 r f m 170141183460469231731687303715884105727
	sample 2 r f m 340282366920938463463374607431768211455
	sample 3 r f m -340282366920938463463374607431768211455
	sample 4 r f m 9223372036854775807
	sample 5 r f m 1
	sample 6 r f m 0000000000000000000000000000000000000000000000000000000000000001
	EOF
	want_status 0 afagg --stat sum,min,max in
	want 'agg 6 r . m 170141183460469231740910675752738881536 stat=sum start=1 n=6
agg 6 r . m -340282366920938463463374607431768211455 stat=min start=1 n=6
agg 6 r . m 340282366920938463463374607431768211455 stat=max start=1 n=6'
	lines in <<-'EOF'
	sample 1 r f m 5
	sample 2 r f m 340282366920938463463374607431768211456
	EOF
	want_status 1 afagg in
	said 'afagg: in:2: value "340282366920938463463374607431768211456" has more than 128 bits'
	want 'agg 1 r . m 1 stat=count start=1 n=1
agg 1 r . m 5 stat=sum start=1 n=1'
}

@test "sums that pass 64 bits and 128 bits do not wrap" {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do line sample $i r f m 999999999999999999; done >in
	want_status 0 afagg --stat sum,mean,stddev in
	want 'agg 12 r . m 11999999999999999988 stat=sum start=1 n=12
agg 12 r . m 999999999999999999 stat=mean start=1 n=12
agg 12 r . m 0 stat=stddev start=1 n=12'
	for i in 1 2; do line sample $i r f m 340282366920938463463374607431768211455; done >in
	want_status 0 afagg --stat sum in
	want 'agg 2 r . m 680564733841876926926749214863536422910 stat=sum start=1 n=2'
}

@test "a sum of doubles is rounded once" {
	lines in <<-'EOF'
	sample 1 r f m 1e16
	sample 2 r f m 1.0
	sample 3 r f m -1e16
	sample 4 r f m 1e308
	sample 5 r f m 1e308
	sample 6 r f m -1e308
	sample 7 r f m -1e308
	EOF
	want_status 0 afagg --stat sum in
	want 'agg 7 r . m 1 stat=sum start=1 n=7'
}

@test "infinities, nan and -0" {
	lines in <<-'EOF'
	sample 1 r a m inf
	sample 2 r a m 1
	sample 3 r b m inf
	sample 4 r b m -inf
	sample 5 r c m nan
	sample 6 r c m 5
	sample 7 r d m -0
	sample 8 r d m -0
	sample 9 r e m -0
	sample 9 r e m 0
	EOF
	want_status 0 afagg --by region --stat sum,min,max,stddev in
	want 'agg 2 r a m inf stat=sum start=1 n=2
agg 2 r a m 1 stat=min start=1 n=2
agg 2 r a m inf stat=max start=1 n=2
agg 2 r a m nan stat=stddev start=1 n=2
agg 4 r b m nan stat=sum start=3 n=2
agg 4 r b m -inf stat=min start=3 n=2
agg 4 r b m inf stat=max start=3 n=2
agg 4 r b m nan stat=stddev start=3 n=2
agg 6 r c m nan stat=sum start=5 n=2
agg 6 r c m nan stat=min start=5 n=2
agg 6 r c m nan stat=max start=5 n=2
agg 6 r c m nan stat=stddev start=5 n=2
agg 8 r d m -0 stat=sum start=7 n=2
agg 8 r d m -0 stat=min start=7 n=2
agg 8 r d m -0 stat=max start=7 n=2
agg 8 r d m 0 stat=stddev start=7 n=2
agg 9 r e m 0 stat=sum start=9 n=2
agg 9 r e m -0 stat=min start=9 n=2
agg 9 r e m 0 stat=max start=9 n=2
agg 9 r e m 0 stat=stddev start=9 n=2'
}

@test "an integer and a double of the same worth: min and max spell the integer" {
	lines in <<-'EOF'
	sample 1 r f m 1e17
	sample 2 r f m 100000000000000000
	EOF
	want_status 0 afagg --stat min,max in
	want 'agg 2 r . m 100000000000000000 stat=min start=1 n=2
agg 2 r . m 100000000000000000 stat=max start=1 n=2'
	tac in >in2
	unmarked out >want
	want_status 0 afagg --stat min,max in2
	unmarked out >got
	same want got
	lines in3 <<-'EOF'
	sample 1 r f m 1e18
	sample 2 r f m 1000000000000000000
	EOF
	tac in3 >in4
	local f
	for f in in3 in4; do
		want_status 0 afagg --stat min,max $f
		want 'agg 2 r . m 1000000000000000000 stat=min start=1 n=2
agg 2 r . m 1000000000000000000 stat=max start=1 n=2'
	done
}

@test "a value that is no number counts for nothing and is reported" {
	lines in <<-'EOF'
	sample 1 r f m abc
	sample 2 r f m 5
	sample 3 r f m .
	sample 4 r g m 1e999
	sample 5 r f m 0x10
	sample 6 r g m -1e-400
	EOF
	want_status 1 afagg --by region in
	want 'agg 2 r f m 1 stat=count start=2 n=1
agg 2 r f m 5 stat=sum start=2 n=1'
	said 'afagg: in:1: value "abc" is not a number'
	said 'afagg: in:3: value "." is not a number'
	said 'afagg: in:4: value "1e999" is too large for a double'
	said 'afagg: in:5: value "0x10" is not a number'
	said 'afagg: in:6: value "-1e-400" is too small for a double'
	tail -n 1 out | grep -q $'\tpartial\t' || fail "not partial"
}

@test "count alone takes any value" {
	lines in <<-'EOF'
	sample 1 r f m abc type=text
	sample 2 r f m .
	sample 3 r f m x type=text
	EOF
	want_status 0 afagg --stat count in
	want 'agg 2 r . m 1 stat=count start=2 n=1
agg 3 r . m 2 stat=count start=1 n=2 type=text'
	silent
}

# texts: a stream with two measures of texts, one of them also with numbers, as $T/in; and the note.
texts() {
	lines in <<-'EOF'
	run 0 r . . . unit=ns
	sample 1 r f m hi type=text w=2
	sample 2 r f m 12 type=text w=3
	sample 3 r g m 1e999 type=text w=0
	sample 4 r g m . type=text w=1
	sample 4 r g m 7 w=1
	sample 5 r f \x01 blue type=text w=1
	sample 6 r f n 5 type=bool w=1
	EOF
	NOTE="afagg: left out all statistics except count of measures whose values are texts: \\x01, m \
(--stat count --by value counts each text; afsel -w 'measure!=NAME' leaves a measure out)"
}

@test "texts are counted, and one note says that they have no other statistic" {
	local stat all=count,sum,mean,min,max,stddev,median,mad,first,last,distinct,mode,rate,share,hist,p99
	texts
	want_status 0 afagg --by region in
	want 'run 0 r . . . unit=ns
agg 5 r f \x01 1 stat=count start=5 n=1 type=text
agg 2 r f m 2 stat=count start=1 n=2 type=text
agg 6 r f n 1 stat=count start=6 n=1 type=bool
agg 6 r f n 5 stat=sum start=6 n=1 type=bool
agg 4 r g m 1 stat=count start=4 n=1
agg 4 r g m 7 stat=sum start=4 n=1
agg 4 r g m 2 stat=count start=3 n=2 type=text'
	echo "$NOTE" | same - err
	tail -n 1 out | grep -q 'complete$'
	# no statistic changes the count, and none is computed from other values
	want_status 0 afagg --by region --stat "$all" in
	echo "$NOTE" | same - err
	results | grep 'type=text' >got
	afagg --by region in 2>/dev/null | tr '\t' ' ' | grep 'type=text' | same - got
	want_status 0 afagg --stat mode --by region in
	echo "$NOTE" | same - err
	want 'run 0 r . . . unit=ns
agg 6 r f n 5 stat=mode start=6 n=1 type=bool
agg 4 r g m 7 stat=mode start=4 n=1'
	want_status 0 afagg --stat count --by region in
	silent
	# each text, weights, and the groups of frames, with totals
	want_status 0 afagg --by measure,value in
	results | grep -q '^agg 1 r . m 1 value=hi stat=count start=1 n=1 type=text$'
	want_status 0 afagg --weight w --stat count,mean in
	results | grep -q '^agg 4 r . m 6 stat=count start=1 n=3 of=value\*w type=text$'
	want_status 0 sh -c 'sed "s/$/	stack=a;b/" in | afagg --by frame'
	results | grep -q '^agg 4 r . m 4 frame=a stat=count total=4 start=1 n=4 type=text$'
	# what the note advises
	want_status 0 sh -c 'afsel -w "measure!=m" in | afagg'
	echo "${NOTE/, m/}" | same - err
	# interim results, which have no note of their own
	want_status 0 sh -c '{ cat in; sleep 1; } | afagg --every 20ms --by region'
	echo "$NOTE" | same - err
	grep -q '^#~agg.*type=text' out || grep -q '^#.*agg.*type=text' out
}

@test "texts: the same with threads, partial results, merged ones and groups on disk" {
	texts
	{
		cat in
		awk 'BEGIN { OFS = "\t"; for (i = 0; i < 20000; i++)
			print "sample", i, "r", "f" i % 7, i % 3 ? "m" : "c", "x" i % 5, "type=text", "w=1" }'
	} >many
	local note=${NOTE/x01, m/x01, c, m}
	want_status 0 afagg --by region --stat count,sum,p50,first many
	echo "$note" | same - err
	unmarked out >whole
	want_status 0 afagg --jobs 3 --by region --stat count,sum,p50,first many
	echo "$note" | same - err
	unmarked out | same - whole
	sed -n '1,9000p' many | afagg --by region --stat count,sum,p50,first --partial >a.part 2>err
	[ ! -s err ]
	sed -n '9001,$p' many | afagg --jobs 2 --by region --stat count,sum,p50,first --partial >b.part
	for order in 'a.part b.part' 'b.part a.part'; do
		# shellcheck disable=SC2086
		want_status 0 afagg $order
		echo "$note" | same - err
		unmarked out | same - whole
	done
	afagg --partial a.part b.part >c.part
	want_status 0 afagg c.part
	unmarked out | same - whole
}

@test "texts in aggregates: their counts are numbers, their extremes are left out" {
	texts
	lines in <<-'EOF'
	agg 1 r f m 2 stat=count n=2 type=text
	agg 2 r f m 3 stat=count n=3 type=text
	agg 1 r f m hi stat=max n=2 type=text
	agg 2 r f m z stat=max n=3 type=text
	agg 2 r f k 3 stat=max n=3
	EOF
	want_status 0 afagg --kind agg --by region in
	want 'agg 2 r f k 3 stat=max start=2 n=3
agg 2 r f m 5 stat=count start=1 n=5 type=text'
	echo "${NOTE/'\x01, '/}" | same - err
	want_status 0 afagg --kind agg --by region --stat max in
	want 'agg 2 r f k 3 stat=max start=2 n=1 of=max
agg 2 r f m 3 stat=max start=1 n=2 of=count type=text'
	echo "${NOTE/'\x01, '/}" | same - err
	printf 'agg\t1\tr\tf\tm\thi\tstat=sum\tn=2\ttype=text\n' >in
	want_status 1 afagg --kind agg --by region in
	said 'afagg: in:1: value "hi" is not a number'
}

@test "what is not declared as a text has to be a number, next to texts, too" {
	texts
	printf 'sample\t9\tr\tf\tm\thi\nsample\t9\tr\tf\tm\tlo\ttype=string\n' >>in
	want_status 1 afagg --by region in
	said 'afagg: in:9: value "hi" is not a number'
	said 'afagg: in:10: value "lo" is not a number'
	printf 'sample\t9\tr\tf\tm\t1\ttype=text\tof=x\n' >in
	want_status 1 afagg --of of in
	said 'afagg: in:1: value "x" is not a number'
}

@test "the note about texts names as many measures as there is room for, in their order" {
	awk 'BEGIN { OFS = "\t"; for (i = 40; i-- > 0;) print "sample", 1, "r", "f", "measure" 10 + i, "x", "type=text" }' >in
	want_status 0 afagg in
	said 'texts: measure10, measure11, measure12, measure13, measure14, measure15, measure16, measure17, measure18, measure19, measure20, ... (--stat'
	# 120 bytes with the comma between two of them, and one more
	local first second
	first=$(printf '%060d' 1)
	for second in "$(printf '1%057d' 1)" "$(printf '1%058d' 1)"; do
		printf 'sample\t1\tr\tf\t%s\tx\ttype=text\n' "$first" "$second" >in
		want_status 0 afagg in
		[ ${#second} -eq 58 ] || second=...
		said "texts: $first, $second (--stat"
	done
}

@test "AFPerf with texts: a result, a table and status 0" {
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,0,nanoseconds,0,1.0.0,1,app,1,' 'MeasurementType,0,1,1,m,string,text,,' \
		'MeasurementType,0,1,2,b,bool,count,,' 'RegionStart,1,1,1,f,' 'RegionPoint,1,1,1,hi,2,1' 'RegionStop,9,1' >t.string
	want_status 0 afdec --check t.string
	silent
	want_status 0 sh -c 'afdec t.string | afdur | afagg --by region'
	results | grep '^agg' >got
	cat >want <<-'EOF'
	agg 1 1 f b 1 stat=count start=1 n=1 mid=2 unit=count type=bool
	agg 1 1 f b 1 stat=sum start=1 n=1 mid=2 unit=count type=bool
	agg 9 1 f inclusive 1 stat=count start=1 n=1 unit=ns type=int64
	agg 9 1 f inclusive 8 stat=sum start=1 n=1 unit=ns type=int64
	agg 1 1 f m 1 stat=count start=1 n=1 mid=1 unit=text type=text
	agg 9 1 f self 1 stat=count start=1 n=1 unit=ns type=int64
	agg 9 1 f self 8 stat=sum start=1 n=1 unit=ns type=int64
	EOF
	same want got
	said 'afagg: left out all statistics except count of measures whose values are texts: m ('
	cp out agg
	want_status 0 aftab agg
	silent
	grep -A 2 '^m \[text\]' out | same - <(printf 'm [text]: 1 group\nregion  count       %%\nf           1  100.0%%\n')
	want_status 0 afdiff agg agg
	want_status 0 sh -c 'afdec t.string | aftop'
	said 'aftop: left out all statistics except count of measures whose values are texts: m ('
}

@test "a time that is none is reported" {
	lines in <<-'EOF'
	sample x r f m 1
	span 9 r f m 1 start=1.5
	sample 3 r f m 1
	EOF
	want_status 1 afagg in
	said 'afagg: in:1: time "x" is not a time'
	said 'afagg: in:2: start "1.5" is not a time'
	want 'agg 3 r . m 1 stat=count start=3 n=1
agg 3 r . m 1 stat=sum start=3 n=1'
}

@test "times: spans begin at start=, no time at all, more than 64 bits" {
	lines in <<-'EOF'
	span 50 r f m 1 start=7
	sample 60 r f m 1
	sample . r f m 1
	sample . r g m 1
	span 18446744073709551616000000000 r h m 1 start=18446744073709551615
	EOF
	want_status 0 afagg --by region --stat count in
	want 'agg 60 r f m 3 stat=count start=7 n=3
agg . r g m 1 stat=count n=1
agg 18446744073709551616000000000 r h m 1 stat=count start=18446744073709551615 n=1'
}

@test "times: a start after the end is none" {
	lines in <<-'EOF'
	span 5 r f m 1 start=7
	span 9 r f m 1 start=8
	EOF
	want_status 0 afagg --by region --stat count,rate in
	want 'agg 9 r f m 2 stat=count start=5 n=2
agg 9 r f m 500000000 stat=rate start=5 n=2'
}

@test "unlike things are not mixed: type, unit; mid only where all agree" {
	lines in <<-'EOF'
	sample 1 r f m 1 mid=0x1 unit=ns type=int64
	sample 2 r f m 2 mid=0x1 unit=ns type=int64
	sample 3 r f m 4 mid=0x1 unit=ms type=int64
	sample 4 r f m 8 mid=0x2 unit=ms type=int64
	sample 5 r f m 16 unit=ms
	EOF
	want_status 0 afagg --stat sum in
	want 'agg 5 r . m 16 stat=sum start=5 n=1 unit=ms
agg 4 r . m 12 stat=sum start=3 n=2 unit=ms type=int64
agg 2 r . m 3 stat=sum start=1 n=2 mid=0x1 unit=ns type=int64'
	want_status 0 afagg --by unit,mid --stat sum in
	want 'agg 5 r . m 16 unit=ms mid=. stat=sum start=5 n=1
agg 3 r . m 4 unit=ms mid=0x1 stat=sum start=3 n=1 type=int64
agg 4 r . m 8 unit=ms mid=0x2 stat=sum start=4 n=1 type=int64
agg 2 r . m 3 unit=ns mid=0x1 stat=sum start=1 n=2 type=int64'
}

@test "the run column names the run where all lines came from one" {
	lines in <<-'EOF'
	sample 1 r1 f m 1
	sample 2 r2 f m 1
	sample 3 r2 g m 1
	EOF
	want_status 0 afagg --by region --stat sum in
	want 'agg 2 . f m 2 stat=sum start=1 n=2
agg 3 r2 g m 1 stat=sum start=3 n=1'
	want_status 0 afagg --by run --stat sum in
	want 'agg 1 r1 . m 1 stat=sum start=1 n=1
agg 3 r2 . m 2 stat=sum start=2 n=2'
}

@test "keys: columns as tags, tags that are missing, with = and ;, repeated" {
	line sample 1 r f m 1 'tag.a\x3db=x;y' 'p.k=1' 'p.k=2' >in
	line span 2 r f m 2 'p.k=3' >>in
	want_status 0 afagg --by 'kind,tag.a=b,p.k,value' --stat sum in
	want 'agg 1 r . m 1 kind=sample tag.a\x3db=x;y p.k=1 value=1 stat=sum start=1 n=1
agg 2 r . m 2 kind=span tag.a\x3db=. p.k=3 value=2 stat=sum start=2 n=1'
	want_status 0 afagg --by time --stat count in
	want 'agg 1 r . m 1 time=1 stat=count start=1 n=1
agg 2 r . m 1 time=2 stat=count start=2 n=1'
}

@test "a unit that a measure line gives after the last event is not that of the results" {
	lines in <<-'EOF'
	measure . r . m . unit=B
	sample 1 r f m 5
	measure . r . m . unit=ns
	EOF
	want_status 0 afagg --by region --stat sum in
	want 'measure . r . m . unit=B
measure . r . m . unit=ns
agg 1 r f m 5 stat=sum start=1 n=1 unit=B'
	afagg --by region --stat sum in | aftab >table
	[ "$(head -n 1 table)" = 'm [B]: 1 group' ]
	afagg --by region --stat sum --partial in >part
	want_status 0 afagg part
	want 'measure . r . m . unit=B
measure . r . m . unit=ns
agg 1 r f m 5 stat=sum start=1 n=1 unit=B'
	# nor is that of another run, if the group has events of several
	lines in <<-'EOF'
	measure . r . m . unit=B
	measure . s . m . unit=B
	measure . t . m . unit=ns
	sample 1 r f m 5
	sample 1 s f m 5
	EOF
	want_status 0 afagg --by region --stat sum in
	want 'measure . r . m . unit=B
measure . s . m . unit=B
measure . t . m . unit=ns
agg 1 . f m 10 stat=sum start=1 n=2 unit=B'
}

@test "output is sorted bytewise by keys, measure, type, unit" {
	printf '%s\n' 'sample 1 r b m 1' 'sample 1 r a\\x m 1' 'sample 1 r a m2 1' 'sample 1 r é m 1' 'sample 1 r aa m 1' \
		'sample 1 r B m 1' 'sample 1 r a m 1' 'sample 1 r . m 1' 'sample 1 r a m 1 unit=x' | lines in
	want_status 0 afagg --by region --stat count in
	results | cut -d ' ' -f 4,5,10- >got
	printf '%s\n' '. m' 'B m' 'a m' 'a m unit=x' 'a m2' 'a\\x m' 'aa m' 'b m' 'é m' >want
	same want got
}

@test "run, measure, lost and unknown kinds pass, the rest is consumed" {
	local kind
	lines in <<-'EOF'
	run 1 r . . . unit=ns
	measure 2 r . m . id=1
	sample 3 r f m 1
	lost 4 r . . 5
	gizmo 5 r . . . x=y
	EOF
	for kind in section start stop agg pause model header mmap comm fork exit switch other throttle ksymbol; do
		line $kind 9 r . . 1
	done >>in
	want_status 0 afagg --stat sum in
	want 'run 1 r . . . unit=ns
measure 2 r . m . id=1
lost 4 r . . 5
gizmo 5 r . . . x=y
agg 3 r . m 1 stat=sum start=3 n=1'
}

@test "--kind lost: a note says by how much sums are too large, since lines count losses again" {
	local note='afagg: sums of lost events are too large by' already='which lines before have counted already (tag again)'

	cd "$T"
	lines >in <<-'EOF'
	lost 1 r . cycles 10 why=lost
	lost 2 r . cycles 15 why=lost_samples again=10
	lost 3 s . cycles 7 why=read again=7
	lost 4 s . cycles . why=lost
	EOF
	lines >first <<-'EOF'
	lost 1 r . cycles 10 why=lost
	lost 2 r . cycles 15 why=lost_samples again=10
	EOF
	want_status 0 afagg --kind lost --stat sum first
	grep -q '	25	stat=sum	' out
	echo "$note 10, $already" | same - err
	want_status 0 afagg --kind lost,sample --stat rate --window 1s --jobs 2 first
	[ "$(grep -cF "$note 10, $already" err)" -eq 1 ]
	want_status 1 afagg --kind lost --stat sum in # a number is not known
	said "$note 17, $already"
	want_status 0 afagg --kind lost --stat count,max first
	silent
	want_status 0 afagg --kind lost --stat sum --of again first
	[ "$(grep -c 'too large' err)" -eq 0 ]
	want_status 0 afagg --kind lost --stat sum --partial first
	mv out first.part
	want_status 0 afagg --kind lost --stat sum --partial <(sed -n 3p in)
	mv out second.part
	want_status 0 afagg first.part second.part
	echo "$note 17, $already" | same - err
	# the largest number stands for more
	{
		cat first
		echo 'lost 2 r . cycles 18446744073709551615 again=18446744073709551615' | tr ' ' '\t'
	} >many
	want_status 0 afagg --kind lost --stat sum many
	echo "$note 18446744073709551615, $already" | same - err
	# more than there are is no number of them
	{
		cat first
		echo 'lost 2 r . cycles 5 again=6' | tr ' ' '\t'
	} >many
	want_status 0 afagg --kind lost --stat sum many
	echo "$note 10, $already" | same - err
}

@test "--kind takes others instead; statistics of agg lines are kept apart" {
	lines in <<-'EOF'
	sample 1 r f m 100
	agg 2 r f m 3 stat=count start=1 n=3
	agg 2 r f m 30 stat=sum start=1 n=3
	agg 3 r f m 4 stat=count start=2 n=4
	start 4 r f m 7
	EOF
	want_status 0 afagg --kind agg --stat sum in
	want 'agg 3 r . m 7 stat=sum start=1 n=2 of=count
agg 2 r . m 30 stat=sum start=1 n=1 of=sum'
	want_status 0 afagg --kind start,sample --stat sum in
	want 'agg 4 r . m 107 stat=sum start=1 n=2'
}

@test "changes are no values: those of counts and of sums would be added up" {
	lines in <<-'EOF'
	diff . . f m -2 stat=count before=4 after=2
	diff . . f m 200 stat=sum before=100 after=300
	EOF
	for kind in diff agg,diff; do
		want_status 2 afagg --kind "$kind" in
		head -n 1 err | same - <(echo 'afagg: --kind: changes cannot be aggregated (aftab shows them)')
		[ ! -s out ] || fail "$kind"
		want_status 2 aftop --kind "$kind" in
		head -n 1 err | same - <(echo 'aftop: --kind: changes cannot be aggregated (aftab shows them)')
	done
}

@test "results of counts and the like have no unit, whatever that of their measure" {
	lines in <<-'EOF'
	measure . r . m . unit=ns
	agg 2 r f m 3 stat=count start=1 n=3
	agg 2 r f m 30 stat=sum start=1 n=3
	agg 2 r f m 5 stat=rate start=1 n=3
	EOF
	want_status 0 afagg --kind agg --stat max in
	want 'measure . r . m . unit=ns
agg 2 r . m 3 stat=max start=1 n=1 of=count unit=.
agg 2 r . m 30 stat=max start=1 n=1 of=sum unit=ns
agg 2 r . m 5 stat=max start=1 n=1 of=rate unit=ns/s'
	# no measure line, or one without a unit
	for unit in . ''; do
		lines in <<-EOF
		${unit:+measure . r . m . unit=$unit}
		agg 2 r f m 5 stat=rate start=1 n=3
		EOF
		sed -i '/^$/d' in
		want_status 0 afagg --kind agg --stat max in
		grep -qx 'agg	2	r	.	m	5	stat=max	start=1	n=1	of=rate\(	unit=\.\)\{0,1\}' out
	done
	# the line gives it
	lines in <<-'EOF'
	agg 2 r f m 3 stat=count start=1 n=3 unit=ns
	agg 2 r f m 30 stat=sum start=1 n=3 unit=ns
	EOF
	want_status 0 afagg --kind agg --stat mean,count in
	want 'agg 2 r . m 3 stat=mean start=1 n=1 of=count
agg 2 r . m 1 stat=count start=1 n=1 of=count
agg 2 r . m 30 stat=mean start=1 n=1 of=sum unit=ns
agg 2 r . m 1 stat=count start=1 n=1 of=sum unit=ns'
}

@test "an end mark that says partial: status 1, and ours says partial" {
	line '#afstream' 1 x y >in
	line sample 1 r f m 1 >>in
	line '#end' x y 1 partial killed >>in
	want_status 1 afagg in
	said 'ended partial'
	grep -q $'^#end\tafagg\tin\t2\tpartial\t' out || fail "not partial: $(tail -n 1 out)"
	want_status 0 afagg --no-marks in
	grep -q $'^#end\tafagg\tin\t2\tcomplete$' out || fail "not complete: $(tail -n 1 out)"
}

@test "lost= is carried on" {
	line '#afstream' 1 x y >in
	line '#end' x y 0 complete lost=7 >>in
	want_status 0 afagg in
	grep -q $'^#end\tafagg\tin\t0\tcomplete\tlost=7$' out || fail "$(tail -n 1 out)"
}

@test "input that is empty, not there, CRLF, of unknown escapes" {
	: >empty
	want_status 1 afagg empty
	said 'afagg: empty: empty input'
	line sample 1 r f m 1 >good
	want_status 3 afagg none good
	said 'afagg: none: cannot open'
	want 'agg 1 r . m 1 stat=count start=1 n=1
agg 1 r . m 1 stat=sum start=1 n=1'
	printf 'sample\t1\tr\tf\tm\t1\r\n' >in
	want_status 1 afagg in
	said 'afagg: in:1: carriage return'
	printf 'sample\t1\tr\tf\\q\tm\t1\n' >in
	want_status 1 afagg in
	said 'afagg: in:1: unknown escape'
}

@test "a line of 17 MiB is refused, one of 15 MiB is a group" {
	{
		printf 'sample\t1\tr\t'
		head -c 17825792 /dev/zero | tr '\0' x
		printf '\tm\t1\n'
		printf 'sample\t2\tr\tf\tm\t1\n'
	} >in
	want_status 1 afagg --by region --stat sum in
	said 'afagg: in:1: line longer than 16 MiB'
	want 'agg 2 r f m 1 stat=sum start=2 n=1'
	{
		printf 'sample\t1\tr\t'
		head -c 15728640 /dev/zero | tr '\0' x
		printf '\tm\t1\n'
	} >in
	want_status 0 afagg --by region --stat sum in
	[ "$(unmarked out | wc -c)" -gt 15728640 ] || fail "cut"
}

@test "many groups" {
	need mawk
	mawk 'BEGIN { for (i = 0; i < 300000; i++) print "sample\t" i "\tr\tf" i % 150000 "\tm\t" i }' >in
	want_status 0 afagg --by region --stat sum in
	[ "$(unmarked out | wc -l)" -eq 150000 ] || fail "$(unmarked out | wc -l) groups"
	unmarked out | cut -f 4 | sort -c || fail "not sorted"
	grep -q $'\tf149999\tm\t449998\t' out || fail "wrong sum"
}

@test "the reader's scan, in all ways that this processor knows, against a plain loop" {
	local most
	for most in 0 1 2 3; do
		build_c "$T/scan" -DSCAN_MOST=$most t/unit/scan.c lib/{scan,mem,vec}.c
		want_status 0 "$T/scan"
	done
}

@test "the reader's scan on AArch64" {
	need aarch64-linux-gnu-gcc qemu-aarch64
	[[ ${CFLAGS-} != *sanitize* ]] || skip "another compiler's sanitizers"
	CC="aarch64-linux-gnu-gcc -static" CFLAGS=-O2 build_c "$T/scan" t/unit/scan.c lib/{scan,mem,vec}.c
	want_status 0 qemu-aarch64 "$T/scan"
}

@test "usage" {
	local a
	for a in --by= '--by=a,' --by=,a --by=a,,b --by=a,b,a --by=stat --by=n --stat=foo --stat= --stat=sum,sum --kind= --kind=a,a \
		--bogus; do
		want_status 2 afagg "$a"
		said 'usage: afagg [--by'
		[ ! -s out ] || fail "output with $a"
	done
	want_status 2 afagg --by a --by b
	want_status 2 afagg --by
	want_status 0 afagg --help
	head -n 1 out | grep -q '^usage: afagg \[OPTION...\] \[FILE...\]$' || fail "$(head -n 1 out)"
}

@test "kinds that are neither counted nor kept are named on standard error" {
	printf 'sample\t1\tr\tx\tm\t1\nstart\t1\tr\tx\t.\t.\nagg\t1\tr\tx\tm\t1\tstat=sum\nagg\t2\tr\tx\tm\t1\tstat=sum\n' >in
	want_status 0 afagg --by region in
	said "afagg: left out lines of other kinds (see --kind): 1 start, 2 agg; afdur turns starts and stops into spans"
}

@test "a resource that is too large for a line is left out, and other headers are not missed" {
	{
		printf '{"header":{"type":"time","cmd":"c"},"snapshots":[{"resources":[{"uid":"a","amount":1,"x":"'
		head -c 1200000 /dev/zero | tr '\0' y
		printf '"},{"uid":"b","amount":2}]}]}'
	} >profile
	perundec profile >stream 2>said
	want_status 0 afagg --by region stream
	results | grep '^agg' >one
	echo 'afagg: left out resources larger than 1 MiB: 1 (see perunquery)' | same - err
	want_status 0 afagg --jobs 3 --by region stream
	echo 'afagg: left out resources larger than 1 MiB: 1 (see perunquery)' | same - err
	results | grep '^agg' | same - one
	want_status 0 aftop stream
	echo 'aftop: left out resources larger than 1 MiB: 1 (see perunquery)' | same - err
}

@test "no line that speaks of single events outlives them, whatever its kind" {
	local kind
	build_c "$T/kinds" t/unit/kinds.c lib/{err,ev,kinds,mem,num,seed,tab}.c -lxxhash
	printf 'sample\t1\tr\tx\tm\t1\n' >in
	for kind in $("$T/kinds" | sed '/ outlives/d; / about/d; /^sample$/d; /^span$/d; /^part$/d'); do
		printf '%s\t1\tr\tx\tm\t1\n' "$kind"
	done >>in
	[ "$(wc -l <in)" -gt 50 ]
	want_status 0 afagg --by region in
	unmarked out | grep -v '^agg' >passed || :
	[ ! -s passed ] || fail "passed: $(cut -f 1 passed | tr '\n' ' ')"
	said ", 1 mmap, "
	# a list that is cut, a long name, more kinds than are counted each for itself
	"$T/kinds" 0 131 3 129 3 130 12 137 12 136 96 4000 100 4000 |
		sed "s/^left out lines of other kinds: //; s/0\{40\}/LONG/; s/, 4 k3, .*, 94 k93,/, 4, .../" >got
	cat >want <<-'END'
		none
		1 k0, 2 start, 3 LONG
		1 k0, 2 start, 3 LONG; afdur turns starts and stops into spans
		1 k0, 2 start, 3 LONG, 4 k3, 5 k4, 6 k5, 7 k6, 8 k7, 9 k8, 10 k9, ...
		1 k0, 2 start, 3 LONG, 4 k3, 5 k4, 6 k5, 7 k6, 8 k7, 9 k8, ...
		1 k0, 2 start, 3 LONG, 4, ... 95 k94, 96 k95; afdur turns starts and stops into spans
		1 k0, 2 start, 3 LONG, 4, ... 95 k94, 96 k95, 394 of further kinds; afdur turns starts and stops into spans
	END
	same want got
	said ", 1 sp_dso, "
	said ", 1 unknown"
}

@test "a tag of --of or --weight that no line has: the ? of keys is not suggested" {
	printf 'sample\t1\tr\tf\tm\t1\n' >"$T/in"
	want_status 1 afagg --of period "$T/in"
	grep -qx "afagg: no line has 'period'" "$T/err"
	want_status 1 afagg --weight period "$T/in"
	grep -qx "afagg: no line has 'period'" "$T/err"
	want_status 1 afagg --by period "$T/in"
	said "no line has 'period' ('period?' allows that)"
	want_status 1 afagg --by period --of period "$T/in"
	grep -qx "afagg: no line has 'period'" "$T/err"
	# what the lines of runs have is known, although all other lines are left out
	printf 'run\t.\tr\t.\t.\t.\thost=h;tag.len=1\n' | tr ';' '\t' | cat - "$T/in" >"$T/runs"
	want_status 1 afagg --by run.hots --of len "$T/runs"
	printf 'afagg: %s\n' "no run line has 'hots'; did you mean run.host?" \
		"only run lines have 'tag.len': use 'run.tag.len'" '1 line without len is not counted' | same err -
	want_status 1 afagg --by run.host --weight tag.len "$T/runs"
	printf 'afagg: %s\n' "only run lines have 'tag.len': use 'run.tag.len'" \
		'1 line without tag.len is not counted' | same err -
}

@test "an interruption is reported once" {
	helpers sigdfl
	mkfifo "$T/fifo"
	lines() { awk 'BEGIN { OFS = "\t"; for (i = 0; i < 300000; i++) print "sample", i, "r", "f" i, "m", 1 }'; }
	sigdfl afagg --by region --max-memory 8M "$T/fifo" >"$T/out" 2>"$T/err" 3>&- &
	pid=$!
	exec 9>"$T/fifo"
	lines >&9
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	exec 9>&-
	[ "$status" -eq 1 ]
	[ "$(grep -c interrupted "$T/err")" -eq 1 ] || fail "$(cat "$T/err")"
}

@test "--max-memory is shown as it was given" {
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 60000; i++) print "sample", i, "r", "f", "m", i, "unit=u" i }' >"$T/in"
	want_status 1 afagg --by region --max-memory 1536K "$T/in"
	said "than the 1536 KiB that --max-memory allows"
	want_status 1 afagg --by region --max-memory 2M "$T/in"
	said "than the 2 MiB that --max-memory allows"
}

@test "a key that does not fit into a line is left out of each line of the group" {
	local n=$((16 * 1024 * 1024 - 700))
	{
		printf 'sample\t1\tr\tf\tm\t5\tb=2\tcomm='
		head -c "$n" /dev/zero | tr '\0' c
		printf '\n'
	} >in
	want_status 0 afagg --by comm,b --stat count,sum,hist --bins 1 in
	said 'afagg: tags left out of lines that would be longer than 16 MiB: 3'
	want 'agg 1 r . m 1 b=2 stat=count start=1 n=1 omitted=comm
agg 1 r . m 5 b=2 stat=sum start=1 n=1 omitted=comm
agg 1 r . m 1 b=2 stat=hist lo=5 hi=6 start=1 n=1 omitted=comm'
}

# bats test_tags=slow,sanitize
@test "judged by python: many groups, long keys, lines cut anywhere, refused lines by number" {
	need python3
	python3 "$ROOT/t/tools/aggmany.py" "$(command -v afagg)" 1 2 >"$T/log" 2>&1 ||
		fail "$(tail -n 1 "$T/log")"
}

@test "a stream without values: one note, with the kinds that it has" {
	lines in <<-'END'
	run 0 r . . . unit=ns
	measure 0 r . m .
	header . r . . . name=x
	section 0 r . . .
	END
	want_status 0 afagg in
	echo 'afagg: the input has no lines to aggregate, so there are no results; it has header, section' | same - err
	# as many kinds as there is room for
	printf '%s\t.\tr\tm\tx\t1\n' mmap comm exit fork throttle unthrottle itrace_start switch namespaces \
		ksymbol bpf_event cgroup text_poke read thread_map cpu_map stat_config stat_round time_conv id_index \
		auxtrace_info auxtrace event_update compressed finished_round finished_init >kinds
	want_status 0 afagg kinds
	[[ $(head -n 1 err) == *'; it has mmap, comm, exit, fork, throttle, '*', time_conv, id_index, ...' ]] ||
		fail "$(cat err)"
	# a shard, too: of many recordings, it is one of which nothing will be in the result
	want_status 0 afagg --partial in
	echo 'afagg: the input has no lines to aggregate, so there are no results; it has header, section' | same - err
	# other messages say more
	want_status 0 afagg --kind agg in
	[ "$(wc -l <err)" -eq 1 ]
	lines some <<<'sample 1 r f m 1'
	want_status 0 afagg in some
	silent
	want_status 0 afagg --kind span in some
	said 'no results; it has header, section, sample'
	want_status 1 afagg --kind spam in some
	[ "$(wc -l <err)" -eq 2 ]
}

@test "results with different keys in a group: a note, since some contain others" {
	local note='groups have results with different keys (afagg --by): sums count the same several times, and means mix results of different sorts (to choose some, for example those with comm: afsel -k agg -w '"'comm~.')"
	local jobs
	cd "$T" || return
	# shellcheck disable=SC2034 # event uses it
	for run in r s; do
		event sample 1 f m 5 comm=a
		event sample 2 f m 6 comm=b
		event sample 3 g m 7 comm=b
		event sample 4 g m 8 comm=a
	done >in
	afagg --no-marks --by run,region in | grep -v '^#' >coarse
	afagg --no-marks --by run,region,comm in | grep -v '^#' >fine
	cat coarse fine >both
	for jobs in 1 2; do
		want_status 0 afagg --jobs $jobs --kind agg --by region both
		echo "afagg: $note" | same - err
		want_status 0 afagg --jobs $jobs --kind agg --by region --stat mean both
		echo "afagg: $note" | same - err
	done
	# a run that another command has aggregated adds to the sum, but not to the mean
	grep "	s	" fine | cat <(grep "	r	" coarse) - >runs
	want_status 0 afagg --kind agg --by region runs
	silent
	want_status 0 afagg --kind agg --by region --stat mean runs
	echo "afagg: $note" | same - err
	# extremes may be those of parts, and keys tell the results apart
	want_status 0 afagg --kind agg --by region --stat max both
	silent
	want_status 0 afagg --kind agg --by region,comm? both
	silent
	want_status 0 afagg --kind agg --by region fine
	silent
	afagg --no-marks --by run,region --stat max,min in | grep -v '^#' >coarse
	afagg --no-marks --by run,region,comm --stat max,min in | grep -v '^#' >fine
	want_status 0 afagg --kind agg --by region coarse fine
	silent
}
