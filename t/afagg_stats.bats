#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# afagg_stats.bats - every statistic of afagg against python3's fractions; sketches; states as text.

load lib

setup_file() {
	cat >"$BATS_FILE_TMPDIR/judge.py" <<-'PYTHON'
	# judge.py make DIR SEED N: writes N inputs, and prints the options for each.
	# judge.py judge INPUT OUTPUT [OPTION...]: judges afagg's OUTPUT.
	import math, random, sys
	from fractions import Fraction as F
	from decimal import Decimal, getcontext
	getcontext().prec = 1600

	def number(t):
	    try:
	        return -0.0 if t == '-0' else int(t)
	    except ValueError:
	        return float(t)

	def key(v):
	    "Values in order: -0 before 0, all nans after everything."
	    if v != v:
	        return (1, 0, 0)
	    return (0, v, math.copysign(1, v) if v == 0 and isinstance(v, float) else 1)

	def isint(v):
	    return isinstance(v, int)

	def nearest(f):
	    try:
	        return float(f)
	    except OverflowError:
	        return math.inf if f > 0 else -math.inf

	class Group:
	    def __init__(self):
	        self.lines = []		# (value, weight, time)

	    def close(self):
	        self.lines = [l for l in self.lines if l[1] > 0]
	        runs = {}
	        for v, w, t in self.lines:
	            old = runs.get(key(v), (v, 0))
	            runs[key(v)] = (v if isint(v) else old[0], old[1] + w)
	        self.runs = [runs[k] for k in sorted(runs)]
	        self.n = sum(w for v, w, t in self.lines)
	        self.ints = all(isint(v) for v, w, t in self.lines)
	        self.nan = any(v != v for v, w, t in self.lines)
	        self.finite = all(isint(v) or math.isfinite(v) for v, w, t in self.lines)
	        if self.finite:
	            self.sum = sum((F(v) * w for v, w in self.runs), F(0))

	    def at(self, rank):
	        for v, w in self.runs:
	            if rank < w:
	                return v
	            rank -= w

	    def exact(self, f):
	        return f.numerator if self.ints and f.denominator == 1 else nearest(f)

	    def between(self, p, how):
	        "A percentile as a Fraction, or a float that is not finite; and the value itself if it is one."
	        if how == 'nearest':
	            v = self.at(max(0, math.ceil(self.n * p) - 1))
	            return (F(v) if math.isfinite(v) else v), v
	        h = (self.n - 1) * p
	        a = self.at(math.floor(h))
	        b = self.at(math.floor(h) + 1)
	        f = h - math.floor(h)
	        if f == 0 or key(a) == key(b):
	            return (F(a) if isint(a) or math.isfinite(a) else a), a
	        if not (isint(a) or math.isfinite(a)) or not (isint(b) or math.isfinite(b)):
	            def part(v, f):
	                return v if not isint(v) and math.isinf(v) else 0.0
	            return part(a, 1 - f) + part(b, f), None
	        return F(a) + f * (F(b) - F(a)), None

	    def infinities(self):
	        return sum(v for v, w in self.runs if isinstance(v, float) and not math.isfinite(v))

	    def stat(self, name, opt, total, duration):
	        "The result: a str, an int, a float (compared as such), or ('spelled', value)."
	        n, runs = self.n, self.runs
	        if n == 0:
	            return 0 if name in ('count', 'sum', 'distinct') else '.'
	        if name == 'count':
	            return n
	        if name == 'distinct':
	            return len(runs)
	        if name == 'mode':
	            best = max(w for v, w in runs)
	            return next(v for v, w in runs if w == best)
	        if name in ('first', 'last'):
	            timed = [(t, key(v), 0 if isint(v) else 1, i) for i, (v, w, t) in enumerate(self.lines) if t is not None]
	            if not timed:
	                return '.'
	            when = (min if name == 'first' else max)(t[0] for t in timed)
	            return self.lines[min(t for t in timed if t[0] == when)[3]][0]
	        if name in ('sum', 'mean', 'rate'):
	            if name == 'rate' and not duration:
	                return '.'
	            if not self.finite:
	                return self.infinities()
	            if all(isinstance(v, float) and v == 0 and math.copysign(1, v) < 0 for v, w in runs):
	                return -0.0
	            return self.exact({'sum': lambda: self.sum, 'mean': lambda: self.sum / n,
	                'rate': lambda: self.sum * 10 ** 9 / duration}[name]())
	        if name == 'share':
	            return '.' if not total or not self.finite else nearest(self.sum / total)
	        if name in ('stddev', 'pstddev', 'var'):
	            if n < 2 and name != 'pstddev':
	                return '.'
	            if not self.finite:
	                return math.nan
	            q = sum(F(v) ** 2 * w for v, w in runs)
	            d = (q - self.sum ** 2 / n) / (n if name == 'pstddev' else n - 1)
	            return nearest(d) if name == 'var' else float((Decimal(d.numerator) / Decimal(d.denominator)).sqrt())
	        if self.nan:
	            return math.nan
	        if name == 'min':
	            return runs[0][0]
	        if name == 'max':
	            return runs[-1][0]
	        how = opt.get('percentile')
	        if name == 'iqr':
	            a, b = self.between(F(1, 4), how)[0], self.between(F(3, 4), how)[0]
	            if isinstance(a, float) or isinstance(b, float):
	                return (b if isinstance(b, float) else 0.0) - (a if isinstance(a, float) else 0.0)
	            return self.exact(b - a)
	        if name == 'mad':
	            m = self.between(F(1, 2), None)[0]
	            if isinstance(m, float):
	                return m - m
	            d = Group()
	            d.n, d.ints = n, self.ints
	            far = {}
	            for v, w in runs:
	                x = abs(F(v) - m) if isint(v) or math.isfinite(v) else math.inf
	                far[x] = far.get(x, 0) + w
	            def nth(rank):
	                for x in sorted(far):
	                    if rank < far[x]:
	                        return x
	                    rank -= far[x]
	            a, b = nth((n - 1) // 2), nth(n // 2)
	            return math.inf if math.inf in (a, b) else self.exact((a + b) / 2)
	        p = F(1, 2) if name == 'median' else F(name[1:]) / 100
	        r, v = self.between(p, how)
	        return v if v is not None else r if isinstance(r, float) else self.exact(r)

	    def hist(self, bins):
	        "Lines (count, lo, hi), where lo and hi are numbers."
	        out = {}
	        for v, w in self.runs:
	            out[self.bin(v, bins)] = out.get(self.bin(v, bins), 0) + w
	        return [(w, lo, hi) for (lo, hi), w in sorted(out.items(), key=lambda i: (key(i[0][0]), key(i[0][1])))]

	    def bin(self, v, bins):
	        if v != v:
	            return (math.nan, math.nan)
	        if bins is None:
	            if v == 0 or (isinstance(v, float) and math.isinf(v)):
	                return (abs(v) if v == 0 else v,) * 2
	            k, a = 0, abs(F(v))
	            k = a.numerator.bit_length() - a.denominator.bit_length()
	            while F(2) ** k > a:
	                k -= 1
	            while F(2) ** (k + 1) <= a:
	                k += 1
	            lo, hi = nearest(F(2) ** k), nearest(F(2) ** (k + 1))
	            return (lo, hi) if v > 0 else (-hi, -lo)
	        edges = [number(e) for e in bins.split(',')]
	        if len(edges) > 1:
	            at = sum(e <= v for e in edges)
	            return ([-math.inf] + edges)[at], (edges + [math.inf])[at]
	        w, last = F(edges[0]), 2 ** 62
	        if isint(v) or math.isfinite(v):
	            k = math.floor(F(v) / w)
	        else:
	            k = 2 ** 70 if v > 0 else -2 ** 70
	        def mul(k):
	            return int(k * w) if isint(edges[0]) else nearest(k * w)
	        if k < -last:
	            return -math.inf, mul(-last)
	        return (mul(k), mul(k + 1)) if k < last else (mul(last), math.inf)

	def spells(text, want):
	    if isinstance(want, str):
	        return text == want
	    if isint(want):
	        return text == str(want) or (float(text) == want and False)
	    got = float(text)
	    if want != want:
	        return text == 'nan'
	    return got == want and math.copysign(1, got) == math.copysign(1, want)

	def same(a, b):
	    return a == b or (a != a and b != b)

	def read(path):
	    for text in open(path, encoding='utf-8', newline='\n'):
	        f = text.rstrip('\n').split('\t')
	        if not f[0].startswith('#'):
	            yield f, dict(t.split('=', 1) for t in f[6:])

	def judge(src, out, opt):
	    groups = {}
	    for f, tags in read(src):
	        g = groups.setdefault(f[3], Group())
	        g.lines.append((number(f[5]), int(tags.get('w', 1)) if 'weight' in opt else 1,
	            None if f[1] == '.' else int(f[1])))
	    times = [t for g in groups.values() for v, w, t in g.lines if t is not None and w]
	    untimed = any(t is None and w for g in groups.values() for v, w, t in g.lines)
	    duration = max(times) - min(times) if times and not untimed else None
	    for g in groups.values():
	        g.close()
	    total = sum(g.sum for g in groups.values()) if all(g.finite for g in groups.values()) else None
	    got = list(read(out))
	    at = 0
	    for region in sorted(groups, key=str.encode):
	        g = groups[region]
	        for name in opt['stat'].split(','):
	            if name == 'hist':
	                for count, lo, hi in g.hist(opt.get('bins')):
	                    f, tags = got[at]
	                    at += 1
	                    assert (f[3], tags['stat'], f[5]) == (region, name, str(count)), (f, count, lo, hi)
	                    assert same(float(tags['lo']), float(lo)) and same(float(tags['hi']), float(hi)), (f, count, lo, hi)
	                continue
	            want = g.stat(name, opt, total, duration)
	            f, tags = got[at]
	            at += 1
	            assert f[3] == region and tags['stat'] == name and tags['n'] == str(len(g.lines)), (f, region, name)
	            assert spells(f[5], want), (f, want, g.runs[:20], g.n)
	    assert at == len(got), (at, len(got))

	def value(r, kind):
	    if kind == 'small':
	        return str(r.randrange(-20, 20))
	    if kind == 'big':
	        return str(r.choice([-1, 1]) * r.getrandbits(r.choice([8, 59, 60, 61, 63, 64, 65, 127, 128])) or 0)
	    if kind == 'double':
	        return repr(r.choice([-1, 1]) * r.randrange(1, 40) / r.choice([1, 2, 4, 10]))
	    if kind == 'wild':
	        return repr(r.choice([-1, 1]) * (1 + r.random()) * 2.0 ** r.randrange(-1074, 1023))
	    if kind == 'tiny':
	        return repr(r.randrange(-9, 9) * 5e-324)
	    if kind == 'odd':
	        return r.choice(['inf', '-inf', 'nan', '-0', '0', '2.5'] + ['%d' % r.randrange(9)] * r.choice([3, 9, 30]))
	    return value(r, r.choice(['small', 'big', 'double', 'wild', 'tiny']) if r.random() < .9 else 'tiny')

	ALL = ['count', 'sum', 'mean', 'min', 'max', 'stddev', 'pstddev', 'var', 'median', 'iqr', 'mad', 'first', 'last',
	    'distinct', 'mode', 'rate', 'share', 'hist', 'p0', 'p1', 'p25', 'p33.3', 'p75', 'p99.9', 'p99.9999999', 'p100']

	def make(folder, seed, n):
	    r = random.Random(seed)
	    for i in range(n):
	        kind = ['small', 'big', 'double', 'wild', 'tiny', 'odd', 'mixed'][i % 7]
	        weights = r.random() < .4
	        untimed = ['.'] if r.random() < .5 else []
	        pool = [value(r, kind) for k in range(r.choice([1, 2, 5, 20, 100]))]
	        with open('%s/in.%d' % (folder, i), 'w') as f:
	            for k in range(r.choice([1, 2, 3, 10, 60, 300])):
	                t = r.choice(untimed + [str(r.randrange(10)), str(r.randrange(10 ** 10)), str(r.getrandbits(100))])
	                w = '\tw=%d' % r.choice([0, 1, 1, 2, 3, r.getrandbits(20), r.getrandbits(63) if i % 3 else 7]) if weights else ''
	                f.write('sample\t%s\tr\t%s\tm\t%s%s\n' % (t, r.choice('abc'), r.choice(pool), w))
	        names = r.sample(ALL, len(ALL))
	        opts = []
	        if weights:
	            opts.append('--weight=w')
	            if i % 3:
	                names.remove('hist')
	        if r.random() < .3:
	            opts.append('--percentile=nearest')
	        if 'hist' in names and r.random() < .6:
	            opts.append('--bins=' + r.choice(['-5,0,1,2.5,10', '0,1e300', '7', '3', '0.125', '0.0009765625', '100000000000000000000', '12345678901234567890123']))
	        print('--stat=' + ','.join(names), *opts)

	if sys.argv[1] == 'make':
	    make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
	else:
	    for text in open(sys.argv[2]):
	        src, out, *opts = text.split()
	        try:
	            judge(src, out, dict(o[2:].split('=', 1) for o in opts))
	        except AssertionError as e:
	            sys.exit('%s %s: %s' % (src, opts, str(e)[:1500]))
	PYTHON
	export JUDGE="$BATS_FILE_TMPDIR/judge.py"
}

setup() {
	cd "$T" || return
}

# values FILE VALUE...: a line for each value.
values() {
	local file=$1 v i=0
	shift
	for v; do
		i=$((i + 1))
		printf 'sample\t%d\tr\tf\tm\t%s\n' $i "$v"
	done >"$file"
}

# results: the values that afagg printed, on one line.
results() {
	unmarked out | cut -f 6 | paste -s -d ' '
}

# gives TEXT OPTION...: afagg's results for the file in are exactly that.
gives() {
	local want=$1
	shift
	want_status 0 afagg "$@" in || return
	[ "$(results)" = "$want" ] || fail "$*: $(results), not $want"
}

# bats test_tags=quick
@test "every statistic of a few values" {
	values in 1 2 4 9 10 4
	gives '4 1 10 2.5 7.75 5.25 2.5' --stat median,p0,p100,p25,p75,iqr,mad
	gives '4 1 10 2 9 7 2.5' --percentile nearest --stat median,p0,p100,p25,p75,iqr,mad
	gives '5 4 1 4' --stat distinct,mode,first,last
	gives '13.6 3.687817782917155 3.3665016461206925' --stat var,stddev,pstddev
	gives '6000000000 1' --stat rate,share
	gives '1 1 2 2' --stat hist
	unmarked out | cut -f 7-9 | tr '\t\n' ' ;' >got
	printf 'stat=hist lo=1 hi=2;stat=hist lo=2 hi=4;stat=hist lo=4 hi=8;stat=hist lo=8 hi=16;' >want
	same want got
	gives '1 1 2 2' --stat hist --bins 2,4,4.5
	grep -q 'stat=hist	lo=-inf	hi=2	' out || fail 'no first bin'
}

@test "rate, first, last: nothing if a line has no time, or the times are of several clocks" {
	printf 'sample\t%s\tr\tf\tm\t%s\n' 1000000000 1 3000000000 3 . 100 >in
	printf 'sample\t%s\tr\tf\tother\t1\n' 1000000000 3000000000 >>in
	want_status 0 afagg --no-marks --by region --stat sum,rate,first,last in
	unmarked out >got
	tr ' ' '\t' >want <<-'END'
		agg 3000000000 r f m 104 stat=sum start=1000000000 n=3
		agg 3000000000 r f m . stat=rate start=1000000000 n=3
		agg 3000000000 r f m 1 stat=first start=1000000000 n=3
		agg 3000000000 r f m 3 stat=last start=1000000000 n=3
		agg 3000000000 r f other 2 stat=sum start=1000000000 n=2
		agg 3000000000 r f other 1 stat=rate start=1000000000 n=2
		agg 3000000000 r f other 1 stat=first start=1000000000 n=2
		agg 3000000000 r f other 1 stat=last start=1000000000 n=2
	END
	same want got
	said "afagg: 1 group has no rate: the lines have no times, or only one, or come from several runs, or some have no time (afsel -w 'time>=0' leaves these out)"
	want_status 0 afagg --no-marks --by region --stat sum,rate,first,last --partial in
	mv out part
	want_status 0 afagg part
	unmarked out >got
	same want got
	want_status 0 afagg --no-marks --window 1s --stat rate in
	grep '	m	' out | cut -f 6,7 >got
	tr ' ' '\t' >want <<-'END'
		100 window=.
		1 window=1000000000
		3 window=3000000000
	END
	sed -i 's/^100/./' want
	same want got
	# two runs
	printf 'sample\t%s\t%s\tf\tm\t%s\n' 5 r1 1 6 r1 2 7 r2 3 8 r2 4 >in
	want_status 0 afagg --no-marks --stat first,last,sum in
	[ "$(unmarked out | cut -f 6 | tr '\n' ' ')" = '. . 10 ' ] || fail "$(cat out)"
	said 'afagg: 1 group has no first or last: the lines come from several runs, whose clocks may differ'
	want_status 0 afagg --no-marks --by run --stat first,last in
	silent
	[ "$(unmarked out | cut -f 6 | tr '\n' ' ')" = '1 2 3 4 ' ] || fail "$(cat out)"
}

@test "rate: a note if a window has several runs, whose values are added up" {
	local run first
	for run in 0x1 0x2; do
		printf 'run\t0\t%s\t.\t.\t.\n' $run
		printf 'sample\t%s\t%s\tf\tm\t1000\n' 100000000 $run 600000000 $run 1600000000 $run
	done >in
	for first in "" "--window-from first"; do
		# shellcheck disable=SC2086 # words
		want_status 0 afagg --no-marks --by region --window 1s $first --stat rate in
		[ "$(unmarked out | grep ^agg | cut -f 6 | tr '\n' ' ')" = '4000 2000 ' ] || fail "$(cat out)"
		said 'afagg: 2 groups have the rate of several runs together, which is that of none (to tell them apart, add run to --by)'
		# shellcheck disable=SC2086 # words
		want_status 0 afagg --no-marks --by run,region --window 1s $first --stat rate in
		silent
	done
	# in threads, in parts, and not without a rate
	want_status 0 afagg --no-marks --window 1s --stat rate --jobs 2 in
	said 'afagg: 2 groups have the rate of several runs together'
	want_status 0 afagg --no-marks --window 1s --stat rate --partial in
	silent
	mv out part
	want_status 0 afagg part
	said 'afagg: 2 groups have the rate of several runs together'
	want_status 0 afagg --no-marks --window 1s --stat sum in
	silent
}

@test "every statistic against python's fractions, with weights, bins and both kinds of percentiles" {
	need python3
	local i=0 options
	mkdir made
	python3 "$JUDGE" make made 1 210 >list
	while read -r options; do
		# shellcheck disable=SC2086 # options are words
		want_status 0 afagg --by region $options made/in.$i || fail "in.$i $options"
		[ "$(grep -vc 'no rate\|is a width' err)" -eq 0 ] || fail "in.$i $options: $(cat err)"
		mv out made/out.$i
		echo "made/in.$i made/out.$i $options" >>cases
		i=$((i + 1))
	done <list
	python3 "$JUDGE" judge cases 2>judged || fail "$(tail -n 1 judged)"
}

@test "percentiles and deviations against R" {
	need Rscript
	need mawk
	mawk 'BEGIN { x = 5; for (i = 0; i < 501; i++) { x = (x * 16807) % 2147483647
		printf "%.17g\n", (x / 1e9 - 1) * 10 ^ (x % 4) } }' >numbers
	sed 's/^/sample\t.\tr\tf\tm\t/' numbers >in
	want_status 0 afagg --stat median,p25,p99.9,p33.3,iqr,mad,stddev,var,mean in
	results | tr ' ' '\n' >got
	Rscript -e 'x <- scan("numbers", quiet = TRUE); options(digits = 17)
		y <- c(median(x), quantile(x, c(.25, .999, .333)), IQR(x), mad(x, constant = 1), sd(x), var(x), mean(x))
		got <- scan("got", quiet = TRUE); quit(status = !all(abs(got - y) <= 1e-9 * abs(y)))' || fail "$(cat got)"
}

@test "times: first and last are by time, then by value, whatever the order" {
	lines in <<-'EOF'
	sample 7 r f m 5
	sample 3 r f m 9
	sample 3 r f m -2
	sample . r f m 1
	span 8 r f m 4 start=1
	sample 8 r f m 6
	EOF
	gives '-2 4' --stat first,last
	tac in >in2 && mv in2 in
	gives '-2 4' --stat first,last
	lines in <<-'EOF'
	sample . r f m 5
	EOF
	gives '. .' --stat first,last
}

@test "infinities and nans" {
	values in 1 2 inf
	gives '2 inf inf 1.5 1' --stat median,p75,p100,p25,mad
	values in -inf 3 inf inf
	gives '-inf inf inf nan' --stat p25,p75,iqr,mad
	values in -inf inf
	gives 'nan -inf inf nan' --stat median,p0,p100,mad
	values in nan 3 nan
	gives 'nan nan nan nan nan 3 2 nan nan nan' --stat sum,min,median,iqr,mad,count,distinct,mode,first,last
	gives '1 2' --stat hist
	grep -q 'lo=nan	hi=nan' out || fail 'no bin of nans'
	values in inf -inf -0 0
	gives '1 2 1' --stat hist
	gives '1 2 1' --stat hist --bins -1,1
	gives '1 2 1' --stat hist --bins 10
	# the bin of a negative value is that of the positive one with the sign changed
	values in -4 -4.5 -8 4
	gives '1 2 1' --stat hist
	grep -o 'stat=hist.*hi=[^	]*' out | tr '\t\n' ' ;' >got
	printf 'stat=hist lo=-16 hi=-8;stat=hist lo=-8 hi=-4;stat=hist lo=4 hi=8;' >want
	same want got
}

@test "-0, and an integer and a double of the same worth" {
	values in -0 -0
	gives '-0 -0 -0 -0 0 0 1' --stat sum,mean,median,mode,iqr,mad,distinct
	values in 0 -0
	gives '0 -0 0 2 -0 -0' --stat sum,p0,p100,distinct,mode,p40 --percentile nearest
	values in 1e17 100000000000000000
	gives '100000000000000000 100000000000000000 1 2' --stat mode,median,distinct,count
	values in 1e20 100000000000000000000 1e20
	gives '100000000000000000000 100000000000000000000 1 3' --stat mode,median,distinct,count
	values in 3 100000000000000000001
	gives '50000000000000000002 100000000000000000001' --stat median,p100
}

@test "weights: lines that count several times, or not at all" {
	lines in <<-'EOF'
	sample 1 r f m 10 w=3
	sample 2 r f m 20 w=1
	sample 3 r f m 99 w=0
	sample 4 r f m 7 w=18446744073709551615
	sample 5 r f m 7 w=18446744073709551615
	EOF
	gives '36893488147419103234 258254417031933722660 7 20 7 7 3' --weight w --stat count,sum,min,max,median,mode,distinct
	want_status 1 afagg --weight w --stat hist in
	said 'afagg: in:5: the weights of the group add up to more than the 64 bits of a bucket'
	lines in <<-'EOF'
	sample 1 r f m 10 w=0
	EOF
	gives '0 0 0 . . . . . .' --weight w --stat count,sum,distinct,mean,min,median,stddev,mode,first
	lines in <<-'EOF'
	sample 1 r f m 10
	sample 1 r f m 10 w=-1
	sample 1 r f m 10 w=18446744073709551616
	sample 1 r f m 10 w=1
	EOF
	want_status 1 afagg --weight w --stat count in
	said 'afagg: 1 line without w is not counted'
	said 'afagg: in:2: weight "-1" is not'
	said 'afagg: in:3: weight "18446744073709551616" is not'
	[ "$(results)" = 1 ] || fail "$(results)"
}

@test "weights: a line of weight 0 does not change the run or the mid of others" {
	local order
	{
		event sample 1 a m 5 w=1 mid=1
		run=0x2 event sample 2 a m 7 w=0 mid=2
		event sample 3 b m 5 w=1
		run=0x2 event sample 4 c m 5 w=0
	} >in
	tr ' ' '\t' >want <<-'END'
		agg 1 0x1 a m 5 stat=first start=1 n=1 of=value*w mid=1
		agg 1 0x1 a m 2500000000 stat=rate start=1 n=1 of=value*w mid=1
		agg 3 0x1 b m 5 stat=first start=3 n=1 of=value*w
		agg 3 0x1 b m 2500000000 stat=rate start=3 n=1 of=value*w
		agg . 0x2 c m . stat=first n=0 of=value*w
		agg . 0x2 c m . stat=rate n=0 of=value*w
	END
	for order in cat tac; do
		$order in >lines
		want_status 0 afagg --no-marks --weight w --by region --stat first,rate lines
		unmarked out | same want -
		want_status 0 afagg --no-marks --weight w --by region --stat first,rate --partial lines
		mv out part
		want_status 0 afagg part
		unmarked out | same want -
		grep -v '^#' part | tac >parts
		want_status 0 afagg --no-marks parts
		unmarked out | same want -
	done
}

@test "weights: squares that add up to more than 128 bits" {
	local i
	for ((i = 0; i < 200; i++)); do
		printf 'sample\t%d\tr\tx\tm\t%s999999999999999999\tw=1\n' $i '' $i -
	done >"$T/in"
	for i in '' '--weight w'; do
		# shellcheck disable=SC2086 # nothing, or two words
		want_status 0 afagg --by region $i --stat count,sum,pstddev "$T/in"
		grep '^agg' "$T/out" | cut -f 6,7 >"$T/got"
		printf '%s\n' '400	stat=count' '0	stat=sum' '1e18	stat=pstddev' >"$T/want"
		same "$T/want" "$T/got"
	done
}

@test "histograms of shards are added up again" {
	values in 1 2 4 9 10 4
	want_status 0 afagg --stat hist in
	cp out shard1
	cp out shard2
	want_status 0 afagg --kind agg --by lo,hi --stat sum shard1 shard2
	[ "$(results)" = "2 2 4 4" ] || fail "$(results)"
	unmarked out | cut -f 7,8 | tr '\t\n' ' ;' >got
	printf 'lo=1 hi=2;lo=2 hi=4;lo=4 hi=8;lo=8 hi=16;' >want
	same want got
}

@test "a sketch: the error is within its bound, and the order changes nothing" {
	need python3
	local error
	cat >check.py <<-'PYTHON'
	import math, random, sys
	if sys.argv[1] == 'make':
	    r = random.Random(3)
	    def value(region):
	        if region == 'a':
	            return r.randrange(10 ** 6)
	        if region == 'b':
	            return r.choice([-1, 1]) * r.getrandbits(r.randrange(1, 128))
	        if region == 'c':
	            return r.choice([-1, 1]) * math.exp(r.gauss(0, 5))
	        return r.choice([0, -0.0, 5e-324, 1e-310, 1.7e308, -1.7e308, 3, -3])
	    for i in range(8000):
	        g = r.choice('abcd')
	        print('sample\t.\tr\t%s\tm\t%s' % (g, repr(value(g)).replace('-0.0', '-0')))
	else:
	    bound = float(sys.argv[2]) / 100 * (1 + 1e-12)
	    groups = {}
	    for l in open('in'):
	        f = l.split('\t')
	        groups.setdefault(f[3], []).append(float(f[5]))
	    for l in open('out'):
	        if l.startswith('#'):
	            continue
	        f = l.split('\t')
	        v = sorted(groups[f[3]])
	        p = float(f[6][6:])
	        want, got = v[max(0, math.ceil(len(v) * p / 100 - 1e-9) - 1)], float(f[5])
	        assert abs(got - want) <= bound * abs(want) + 5e-324, (f, want)
	PYTHON
	python3 check.py make >in
	for error in 0.01 0.5 1 7.5 50; do
		want_status 0 afagg --by region --sketch $error% --stat p0,p0.5,p10,p25,p50,p75,p90,p99,p99.9,p100 in
		python3 check.py judge $error 2>judged || fail "$error: $(tail -n 1 judged)"
	done
	want_status 0 afagg --by region --sketch 1% --stat median,iqr,p99 in
	unmarked out >want
	sort -k 6 in >in2
	want_status 0 afagg --by region --sketch 1% --stat median,iqr,p99 in2
	unmarked out >got
	same want got
}

@test "a sketch: small integers are exact, and nothing is beyond the extremes" {
	values in 1 2 3 3 4 5 60
	gives '3 3' --sketch 1% --stat median,iqr
	values in 1000003
	gives '1000003 1000003 0' --sketch 50% --stat p1,p99,iqr
	values in 2.5 2.5 0 -2.5
	gives '-2.5 0 2.5' --sketch 50% --stat p0,p50,p100
	values in inf -inf nan
	gives 'nan' --sketch 1% --stat p50
	# the coarsest buckets that are fine enough
	local error
	for error in 50%:0 33.333334%:0 33.333333%:1 20%:1 19.999999%:2 1%:6 0.01%:13 0.012206%:12; do
		want_status 0 afagg --sketch "${error%:*}" --stat p50 --partial in
		grep -q "	agg.sketch=${error#*:}:" out || fail "$error"
	done
	values in inf -inf 0
	gives '-inf 0 inf inf' --sketch 1% --stat p0,p50,p100,iqr
}

@test "a state as text: any division, any order, the same bytes; damage is refused" {
	use_archive
	build_c "$T/state" t/unit/state.c "$archive" "${LIBRARIES[@]}"
	want_status 0 "$T/state"
}

@test "the fuzz driver's corpus, cut and with wrong bytes" {
	local n=1000
	[ -z "${AFPIPE_SLOW-}" ] || n=20000
	helpers fuzz-state
	want_status 0 fuzz-state "$ROOT"/t/fuzz/corpus/state/*
	want_status 0 fuzz-state --prefixes 1 "$ROOT"/t/fuzz/corpus/state/*
	want_status 0 fuzz-state --flips $n 1 "$ROOT"/t/fuzz/corpus/state/*
}

@test "usage" {
	values in 1
	local a
	for a in p p-1 p101 p100.1 p1. p.5 p1e1 p1.12345678 p0050 P50; do
		want_status 2 afagg --stat "$a" in
		said "afagg: --stat: no such statistic: \"$a\""
	done
	want_status 2 afagg --stat count,avg in
	said 'afagg: --stat: no such statistic: "avg"; did you mean mean?'
	want_status 2 afagg --stat p999 in
	said 'afagg: --stat: no such statistic: "p999"; did you mean p99.9?'
	want_status 2 afagg --stat medain in
	said 'afagg: --stat: no such statistic: "medain"; did you mean median?'
	want_status 2 afagg --stat P99
	said 'afagg: --stat: no such statistic: "P99"; did you mean p99?'
	want_status 2 afagg --stat 99.9
	said 'afagg: --stat: no such statistic: "99.9"; did you mean p99.9?'
	want_status 2 afagg --stat P
	said 'afagg: --stat: no such statistic: "P" (there are: count,'
	want_status 2 afagg --stat p101 in
	local all='count, sum, mean, min, max, stddev, pstddev, var, median, iqr, mad, first, last, distinct, '
	all+='mode, rate, share, hist; and p0 to p100'
	grep -qx "afagg: --stat: no such statistic: \"p101\" (there are: $all)" err
	want_status 2 afagg --stat p50,p50.0 in
	said 'afagg: --stat: "p50.0" is given twice'
	for a in mad mode distinct; do
		want_status 2 afagg --sketch 1% --stat p50,$a in
		said "afagg: $a needs all values; it cannot be computed with --sketch"
	done
	for a in 1 % 0% 0.009% 50.1% 1%% -1% 1.1234567%; do
		want_status 2 afagg --sketch "$a" --stat p50 in
		said 'afagg: --sketch: expected a percentage from 0.01% to 50%, not'
	done
	want_status 2 afagg --sketch 1% in
	said 'afagg: --sketch needs a percentile, median or iqr in --stat'
	want_status 2 afagg --bins 1,2 in
	said 'afagg: --bins needs hist in --stat'
	for a in x 0 -1 1,1 2,1 '1,' inf 1,nan ''; do
		want_status 2 afagg --bins "$a" --stat hist in
		said 'afagg: --bins: '
	done
	want_status 2 afagg --bins 0,100us --stat hist in
	said 'afagg: --bins: value "100us" is not a number (numbers are in the unit of the values; durations are in ns: 100000)'
	want_status 2 afagg --bins "$(seq -s , 257)" --stat hist in
	said 'afagg: --bins: more than 256 edges'
	want_status 2 afagg --by lo --stat hist in
	said 'afagg: lo and hi cannot be keys with hist'
	want_status 2 afagg --percentile 7 in
	said 'afagg: --percentile: '
	want_status 2 afagg --weight '' in
}

@test "weights: the total of a measure that gets too large is named, and the line counted nowhere" {
	printf 'sample\t1\tr\t%s\tm\t1\tw=18446744073709551615\n' f g >in
	want_status 1 afagg --by region --stat count,share,p50 --sketch 1% --weight w in
	said 'afagg: in:2: the weights of all groups of the measure add up to more than the 64 bits of a bucket'
	[ "$(wc -l <err)" -eq 1 ]
	grep '^agg' out | cut -f 4,6,7 >got
	printf 'f\t18446744073709551615\tstat=count\nf\t1\tstat=share\nf\t1\tstat=p50\n' >want
	same want got
	want_status 1 afagg --by region --window 10ns --stat hist,share --bins 5 --weight w in
	[ "$(grep -c '^agg.*	g	' out)" -eq 0 ]
}

@test "a sketch: counts beyond 32 bits are exact" {
	local w
	for w in 4294967294 4294967295 4294967296 5000000000; do
		printf 'sample\t1\tr\t%s\tm\t700\tw=%s\n' a $w b 2 b $w b 3 c $w c $w \
			d $w d $((w - 1)) >in
		want_status 0 afagg --by region --stat p50 --sketch 1% --weight w --partial in
		sed -n 's/^part.*agg.sketch=.*\*//p' out | paste -s -d ' ' >got
		echo "$w $((w + 5)) $((2 * w)) $((2 * w - 1))" | same - got
	done
}

@test "statistics: no more than 64, percentiles of seven digits, both kinds by name" {
	printf 'sample\t%d\tr\tf\tm\t%d\n' 1 1 2 2 3 4 >"$T/in"
	want_status 0 afagg --stat "$(seq -s, -f p%g 1 64)" "$T/in"
	[ "$(grep -c '^agg' "$T/out")" -eq 64 ]
	want_status 2 afagg --stat "$(seq -s, -f p%g 1 65)" "$T/in"
	said 'afagg: --stat: more than 64 statistics'
	want_status 2 afagg --stat "P$(printf '9%.0s' {1..100})" "$T/in"
	want_status 0 afagg --percentile interpolate --stat p25 "$T/in"
	[ "$(grep '^agg' "$T/out" | cut -f 6)" = 1.5 ]
	want_status 0 afagg --percentile nearest --stat p25 "$T/in"
	[ "$(grep '^agg' "$T/out" | cut -f 6)" = 1 ]
	want_status 2 afagg --percentile linear --stat p25 "$T/in"
	said 'expected nearest or interpolate, not "linear"'
}

@test "a sketch of values of all magnitudes: the error is bounded, and so is the memory" {
	need python3
	cat >sketch.py <<-'EOF'
	import math, random, subprocess
	random.seed(7)
	values = [random.uniform(1, 10) * 10.0 ** random.randint(-300, 300) *
	    random.choice([1, 1, -1]) for i in range(20000)] + [0.0] * 50
	ps = [0, 1, 5, 10, 25, 33, 50, 75, 90, 99, 100]
	seen = set()
	for order in values, sorted(values), sorted(values, reverse=True):
	    text = ''.join('sample\t.\tr\tf%d\tm\t%r\n' % (i, v) for v in order for i in range(8))
	    r = subprocess.run(['afagg', '--by', 'region', '--stat', ','.join('p%d' % p for p in ps),
	        '--sketch', '0.01%', '--percentile', 'nearest', '--max-memory', '48M'],
	        input=text, capture_output=True, text=True)
	    assert r.returncode == 0, r.stderr
	    seen.add(r.stdout)
	assert len(seen) == 1
	lines = [l.split('\t') for l in r.stdout.splitlines() if l.startswith('agg')]
	assert len(lines) == 8 * len(ps)
	values.sort()
	for i, l in enumerate(lines):
	    p, got = ps[i % len(ps)], float(l[5])
	    want = values[max(1, math.ceil(p / 100 * len(values))) - 1]
	    assert abs(got - want) <= 1.0001e-4 * abs(want), (p, got, want)
	EOF
	python3 sketch.py 2>log || fail "$(cat log)"
	for p in 1 2 3; do # partial results of such sketches merge to the same
		awk -v p=$p 'BEGIN { OFS = "\t"; for (i = 0; i < 900; i++) if (i % 3 == p - 1)
			print "sample", ".", "r", "f", "m", (i % 7 ? "" : "-") "3.3e" (i * 37 % 600) - 300 }' >in.$p
		afagg --stat p10,p50,p99 --sketch 0.01% --partial in.$p >part.$p
	done
	afagg --stat p10,p50,p99 --sketch 0.01% in.1 in.2 in.3 | grep '^agg' >want
	afagg part.2 part.3 part.1 | grep '^agg' >got
	same want got
}

@test "--bins with a small integer: a note if it seems to be meant as the number of bins" {
	seq 1 1000 | awk '{ printf "sample\t%d\tr\tf\tm\t%d\n", $1, $1 * 7 }' >in
	want_status 0 afagg --stat hist --bins 4 in
	echo 'afagg: up to 1000 bins in a group: --bins 4 is a width, not a number of bins, and a larger one gives fewer' | same - err
	want_status 0 afagg --stat hist --bins 4 --jobs 2 --by run in
	said 'up to 1000 bins'
	for bins in 1 101 70,80; do
		want_status 0 afagg --stat hist --bins $bins in
		silent
	done
	want_status 0 afagg --stat hist --bins 100 in
	silent
	# 100 bins, and one more; a width of 100, and a larger one
	sed 100q in >hundred
	want_status 0 afagg --stat hist --bins 7 hundred
	silent
	sed 101q in >above
	want_status 0 afagg --stat hist --bins 7 above
	said 'afagg: up to 101 bins in a group: --bins 7 is'
	sed 's/\t[0-9]*$/\t5/' in >same
	want_status 0 afagg --stat hist --bins 100 same
	said 'afagg: each group has one bin: --bins 100 is'
	want_status 0 afagg --stat hist --bins 101 same
	silent
	want_status 0 afagg --stat hist --bins 10 same
	echo 'afagg: each group has one bin: --bins 10 is a width, not a number of bins, and a smaller one gives more' | same - err
	# one value has one bin
	want_status 0 afagg --stat hist --bins 10 --by time same
	silent
}

@test "a sketch of values below 0 that are far apart, of nan alone, and of infinities" {
	values in -1e300 -1e-200 -1e-300
	for error in 1 0.01; do
		want_status 0 afagg --sketch $error% --stat p0,p50,p100 in
		unmarked out | awk -F '\t' -v most=$error '{ d = $6 / -("1e" 300 - (NR > 1) * 500 - (NR > 2) * 100) - 1
			if (d > most / 100 || d < -most / 100) exit wrong = 1 } END { exit wrong || NR != 3 }'
	done
	values in nan nan
	gives 'nan nan nan nan' --sketch 1% --stat p0,p50,p100,iqr
	values in -inf -inf inf
	gives '-inf -inf inf' --sketch 1% --stat p0,p50,p100
	gives '-inf nan' --stat median,mad
	values in 1 inf
	gives 'inf nan' --stat median,mad
	values in 1 2 nan
	gives 'nan nan' --stat median,mad
}

@test "a mean of weights that add up to more than 64 bits" {
	printf 'sample\t1\tr\tf\tm\t%s\tw=%s\n' 0 18446744073709551615 0 5 >in
	gives '0 0 18446744073709551620' --weight w --stat mean,sum,count
	printf 'sample\t1\tr\tf\tm\t%s\tw=%s\n' 1 18446744073709551615 -1 5 >in
	gives '18446744073709551610 1' --weight w --stat sum,median
}

@test "edges and widths of bins that are written with zeros" {
	values in 3 -1
	want_status 0 afagg --stat hist --bins 0.0,2.0,4.00 in
	unmarked out | cut -f 6-9 | tr '\t' ' ' | same - <(printf '1 stat=hist lo=%s hi=%s\n' -inf 0 2 4)
	for width in 2.0 2 2.000; do
		want_status 0 afagg --stat hist --bins $width in
		unmarked out | cut -f 6-9 | tr '\t' ' ' | same - <(printf '1 stat=hist lo=%s hi=%s\n' -2 0 2 4)
	done
	want_status 2 afagg --stat hist --bins 0.0 in
	said 'a width must be above 0'
}

@test "bins of a width that is a binary fraction have exact bounds, also beyond 2^53" {
	need python3
	cd "$T"
	local width
	for width in 62.5 0.25 0.5 2.5 0.015625; do
		python3 - >in <<-'END'
			import random
			random.seed(1)
			for i in range(400):
			    v = random.choice((-1, 1)) * random.getrandbits(random.choice((5, 40, 53, 54, 55)))
			    print("sample", i, "r", "a", "m", v, sep="\t")
		END
		want_status 0 afagg --no-marks --stat hist --bins $width in
		python3 - $width <<-'END'
			import sys
			from fractions import Fraction as F
			from collections import Counter
			width = F(sys.argv[1])
			want = Counter(F(l.split("\t")[5]) // width for l in open("in"))
			got = {}
			for l in open("out"):
			    f = l.rstrip("\n").split("\t")
			    if f[0] == "agg":
			        lo, hi = (F(x.split("=")[1]) for x in f[7:9])
			        assert hi - lo == width and lo % width == 0, l
			        assert lo not in got, l
			        got[lo] = int(f[5])
			assert got == {k * width: n for k, n in want.items()}, sys.argv
		END
	done
}
