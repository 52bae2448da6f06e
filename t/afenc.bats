# SPDX-License-Identifier: ISC
# afenc.bats - the stream to AFPerf: whole files, and what holds of every file.

load lib

D=$BATS_TEST_DIRNAME/data/afenc

# golden NAME: NAME.af gives NAME.afperf, and says NAME.err (nothing where there is none).
golden() {
	want_status 0 afenc "$D/$1.af" && same "$D/$1.afperf" "$T/out" || return
	if [ -f "$D/$1.err" ]; then
		same "$D/$1.err" "$T/err"
	else
		silent
	fi
}

# well_formed FILE: what the format page demands, told by a reader that shares nothing with ours.
well_formed() {
	python3 - "$1" <<'PY'
import csv, io, sys
data = open(sys.argv[1], "rb").read()
assert data[:17] == b"# AFPerf v1     \n", "header"
rows = list(csv.reader(io.StringIO(data[17:].decode("utf-8"), newline=""), strict=True))
size = {"RunInfo": 9, "MeasurementType": 9, "PauseResume": 4, "RegionStart": 6, "RegionStop": 3,
        "RegionAggregate": 7, "SectionInfo": 6, "SectionStart": 4, "SectionStop": 4, "SectionPoint": 6,
        "SectionAggregate": 8}
runs, types, sections, intervals, open_group, run = set(), {}, {}, {}, None, None
def number(s): return int(s, 16 if s.startswith("0x") else 10)
def value(run, mid, text):
    datatype = types[run, number(mid)]
    if datatype == "int64": assert -2**63 <= int(text) < 2**63
    elif datatype == "double": float(text)
    else: assert datatype == "string", datatype
for r in rows:
    kind = r[0]
    assert len(r) == size[kind], r
    if open_group is not None: assert kind in ("RegionAggregate", "RegionStop"), r
    if kind == "RunInfo":
        assert number(r[5]) not in runs and r[2] == "nanoseconds" and r[4] == "1.0.0", r
        runs.add(number(r[5])); int(r[1]); r[3] == "" or float(r[3])
        assert all(t.split("=", 1)[0] for t in r[8].split(";") if r[8]), r
    elif kind == "MeasurementType":
        assert number(r[2]) in runs and r[6] != "", r
        assert (r[6] == "text") <= (r[5] == "string") and (r[6] == "count") <= (r[5] != "string"), r
        types[number(r[2]), number(r[3])] = r[5]
    elif kind == "RegionStart":
        assert r[3] == "" and number(r[2]) in runs, r
        open_group = (int(r[1]), number(r[2])); held = 0
    elif kind == "RegionAggregate":
        assert r[3] == "" and r[4] != "" and int(r[2]) <= int(r[1]), r
        value(open_group[1], r[5], r[6]); held += 1
    elif kind == "RegionStop":
        assert r[2] == "" and int(r[1]) == open_group[0] and held > 0, r
        open_group = None
    elif kind == "SectionInfo":
        assert r[3] not in sections and number(r[2]) in runs, r
        sections[r[3]] = number(r[2])
    elif kind == "SectionStart":
        assert (r[2], r[3]) not in intervals, r
        intervals[r[2], r[3]] = int(r[1])
    elif kind == "SectionStop":
        assert intervals[r[2], r[3]] <= int(r[1]), r
        intervals[r[2], r[3]] = None
    elif kind == "SectionPoint":
        assert intervals[r[2], r[3]] is not None, r
        value(sections[r[2]], r[4], r[5])
    elif kind == "SectionAggregate":
        assert intervals[r[3], r[4]] is not None and r[5] == "" and int(r[2]) <= int(r[1]), r
        value(sections[r[3]], r[6], r[7])
    elif kind == "PauseResume":
        assert int(r[2]) <= int(r[1]) and number(r[3]) in runs, r
assert open_group is None and not [i for i in intervals.values() if i is not None]
PY
}

@test "samples: sections, points, and what is left out is counted" { golden raw; }
@test "aggregates: a block of records a group" { golden agg; }
@test "spans and pauses: intervals of a section" { golden span; }
@test "two runs, one with an id that is no number and no time" { golden two_runs; }
@test "runs that were pooled get one of their own" { golden pooled; }
@test "quoting, escapes, tags with separators" { golden quoting; }
@test "a measure that is defined again" { golden redefined; }
@test "no run and no measure lines: types from the values" { golden undefined; }

@test "every golden is well-formed" {
	need python3
	local f
	for f in "$D"/*.afperf; do
		well_formed "$f" || fail "$f"
	done
}

@test "the order of run, measure and data lines does not matter" {
	local f
	for f in agg pooled; do
		LC_ALL=C sort "$D/$f.af" >"$T/in"
		want_status 0 afenc "$T/in"
		sort "$T/out" >"$T/got"
		sort "$D/$f.afperf" >"$T/want"
		same "$T/want" "$T/got"
	done
}

@test "the same twice, and from a pipe" {
	local f
	for f in "$D"/*.af; do
		want_status 0 afenc - <"$f"
		same "${f%.af}.afperf" "$T/out"
		want_status 0 sh -c "cat '$f' | afenc"
		same "${f%.af}.afperf" "$T/out"
	done
}

@test "records that are spooled are the same as those that are not" {
	need python3
	awk 'BEGIN {
		OFS = "\t"
		print "run", 5, "0x1", ".", ".", ".", "app=x"
		print "measure", ".", "0x1", ".", "cycles", ".", "type=int64", "unit=count", "id=3"
		for (i = 0; i < 30000; i++)
			print "sample", 10 + i, "0x1", "f" i % 700, "cycles", i
	}' >"$T/in"
	want_status 0 afenc "$T/in"
	well_formed "$T/out"
	cp "$T/out" "$T/straight"
	{ sed '1,2d' "$T/in"; sed -n 2p "$T/in"; sed -n 1p "$T/in"; } >"$T/late"
	want_status 0 afenc "$T/late"
	same "$T/straight" "$T/out"
}

@test "an aggregate that is wider than its type widens it, also after points" {
	need python3
	{
		cat "$D/span.af"
		printf 'agg\t60\t9\tload\twall\t33.5\tstat=mean\tstart=10\tn=3\n'
	} >"$T/in"
	want_status 0 afenc "$T/in"
	well_formed "$T/out"
	grep -n '^MeasurementType,0,9,1,wall' "$T/out" | cut -d , -f 6 >"$T/types"
	printf 'int64\ndouble\n' >"$T/want"
	same "$T/want" "$T/types"
}

@test "a sample that does not fit its type is refused, the rest is written" {
	sed 's/1001001/plenty/' "$D/raw.af" | sed '6s/1001002/1.5/' >"$T/in"
	want_status 1 afenc "$T/in"
	said "afenc: $T/in:4: value of type int64: plenty"
	said "afenc: $T/in:6: value of type int64: 1.5"
	head -n 3 "$D/raw.afperf" >"$T/want"
	same "$T/want" "$T/out"
}

@test "a run that is defined otherwise is refused, the same again is not" {
	{
		cat "$D/agg.af"
		sed -n 1p "$D/agg.af"
	} >"$T/in"
	want_status 0 afenc "$T/in"
	same "$D/agg.afperf" "$T/out"
	sed -n '1s/app=perf/app=gdb/p' "$D/agg.af" >>"$T/in"
	want_status 1 afenc "$T/in"
	said "afenc: $T/in:10: the run is defined again, and otherwise"
	same "$D/agg.afperf" "$T/out"
}

@test "times that are none, and intervals that end before they start" {
	printf 'agg\t5\t1\tf\tm\t1\tstat=sum\tstart=9\n' >"$T/in"
	want_status 1 afenc "$T/in"
	said "$T/in:1: it ends before it starts"
	printf 'sample\t-5\t1\tf\tm\t1\n' >"$T/in"
	want_status 1 afenc "$T/in"
	said "$T/in:1: not a time: -5"
	printf 'agg\t5\t1\tf\tm\t1\n' >"$T/in"
	want_status 1 afenc "$T/in"
	said "$T/in:1: agg line without stat="
}

@test "a stream that says nothing is an empty container, no stream is no file" {
	printf '#afstream\t1\tp\tx\n#end\tp\tx\t0\tcomplete\n' >"$T/in"
	want_status 0 afenc "$T/in"
	printf '# AFPerf v1     \n' >"$T/want"
	same "$T/want" "$T/out"
	want_status 1 afenc </dev/null
	[ ! -s "$T/out" ]
}

@test "a partial stream is written, with status 1" {
	sed '$s/complete/partial/' "$D/raw.af" >"$T/in"
	want_status 1 afenc "$T/in"
	same "$D/raw.afperf" "$T/out"
}

@test "lines that end in CR LF are refused" {
	sed 's/$/\r/' "$D/agg.af" >"$T/in"
	want_status 1 afenc "$T/in"
	said "$T/in:1: carriage return"
	[ ! -s "$T/out" ]
}

@test "no place for the temporary file" {
	TMPDIR=$T/none want_status 3 afenc "$D/agg.af"
	said "cannot make a temporary file: No such file or directory"
}

@test "two measures of one id, two runs of one number: each gets its own" {
	printf '%s\n' 'run	0	1	.	.	.' 'measure	.	1	.	m1	.	type=int64	id=5' \
		'measure	.	1	.	m2	.	type=int64	id=0x5' 'sample	1	1	r	m1	1' 'sample	2	1	r	m2	2' \
		'run	0	0x1	.	.	.' 'sample	3	0x1	r	m1	3' >"$T/in"
	want_status 0 afenc "$T/in"
	grep '^MeasurementType,' "$T/out" | cut -d , -f 3,4,5 | sort -u >"$T/types"
	[ "$(cut -d , -f 1,2 "$T/types" | sort -u | wc -l)" -eq 3 ] || fail "$(cat "$T/types")"
	[ "$(grep '^RunInfo,' "$T/out" | cut -d , -f 6 | sort -u | wc -l)" -eq 2 ]
	[ "$(grep '^SectionPoint,' "$T/out" | cut -d , -f 5 | sort -u | wc -l)" -ge 2 ]
}

@test "a dot as an element of a list is a dot" {
	printf 'sample\t1\t1\ta;\\.;b\tm\t1\tstack=\\.;x\n' >"$T/in"
	want_status 0 afenc "$T/in"
	grep -q '^SectionInfo,.*,a;\.;b,' "$T/out"
	want_status 0 afcut --raw region,stack "$T/in"
	printf 'a;.;b\t.;x\n' >"$T/want"
	same "$T/want" "$T/out"
}

# native LINE...: a stream of a run and a type that were AFPerf, and these lines.
native() {
	printf '%s\n' 'run	2000	1	.	.	.	unit=us	wall=1.5	app=a	afperf=1.2.0	tag.k=v' \
		'measure	2000	1	.	t	.	id=7	type=double	unit=s' "$@"
}

@test "what was AFPerf: the same records, in their unit of time" {
	native 'start	5000	1	r	.	.	scope=region	id=0x5	tag.k=v' \
		'sample	6000	1	r	t	0.5	scope=region	id=0x5	mid=7	unit=s	type=double	tag.k=v' \
		'sample	6000	1	.	t	1	scope=run	mid=7	unit=s	type=double' \
		'stop	7000	1	r	.	.	scope=region	id=0x5	tag.k=v' \
		'span	7000	1	r	t	2	scope=region	id=0x5	start=5000	mid=7	unit=s	type=double	tag.k=v' \
		'pause	9000	1	.	.	.	start=8000' 'other	.	.	.	.	.	record=X	fields=1;.;a\x3bb' \
		'comment	.	.	.	.	 words	type=text' >"$T/in"
	printf '# AFPerf v1     \n' >"$T/want"
	printf '%s\n' 'RunInfo,2,microseconds,1.5,1.2.0,1,a,,k=v' 'MeasurementType,2,1,7,t,double,s,,' \
		'RegionStart,5,1,0x5,r,k=v' 'RegionPoint,6,0x5,7,0.5' 'RunPoint,6,1,7,1' 'RegionStop,7,0x5' \
		'RegionAggregate,7,5,0x5,,7,2' 'PauseResume,9,8,1' 'X,1,,a;b' '# words' >>"$T/want"
	want_status 0 afenc "$T/in"
	silent
	same "$T/want" "$T/out"
}

@test "what was AFPerf: lines that its rules leave no place for are refused" {
	native 'start	5000	1	r	.	.	scope=region	id=@1' 'start	5000	1	q	.	.	scope=region	id=@2' \
		'sample	6000	1	r	t	0.5	scope=region	id=@1	mid=7	unit=s	type=double' \
		'stop	6000	1	r	.	.	scope=region	id=@1' 'start	7001	1	r	.	.	scope=region	id=8' \
		'start	7000	1	r	.	.	scope=run	id=8' 'start	7000	1	r	.	.	scope=region' \
		'stop	7000	1	r	.	.	scope=section	id=8' 'start	7000	2	r	.	.	scope=region	id=8' \
		'comment	.	.	.	.	 AFPerf v2	type=text' 'comment	.	.	.	.	a\nb	type=text' >"$T/in"
	want_status 1 afenc "$T/in"
	sed -n 's|^afenc: [^:]*:\([0-9]*: .*\)|\1|p' "$T/err" >"$T/got"
	printf '%s\n' '5: its id was blank, and with other records between AFPerf cannot say which it was' \
		'6: its id was blank, and with other records between AFPerf cannot say which it was' \
		"7: no multiple of the run's unit of time" '8: a line of this kind has another scope=' \
		'9: id= or interval= is missing, or is no id' '10: id= or interval= is missing, or is no id' \
		'11: its run has not been defined' '12: a comment that would be a header' \
		'13: a comment of several lines' >"$T/want"
	same "$T/want" "$T/got"
	[ "$(grep -c '^RegionStart,' "$T/out")" -eq 2 ]
}

@test "what was AFPerf, without its start: a section as for any other sample" {
	native 'sample	6000	1	r	t	0.5	scope=region	id=5	mid=7	unit=s	type=double	tag.k=v' >"$T/in"
	want_status 0 afenc "$T/in"
	said 'left out 3 tags of 1 sample and span line'
	grep -q '^SectionInfo,6,1,1,r,$' "$T/out"
	grep -q '^SectionPoint,6,1,0,7,0.5$' "$T/out"
}

@test "a type that was defined anew comes into force again for a line of the old one" {
	native 'measure	2000	1	.	u	.	id=7	type=double	unit=s' \
		'sample	6000	1	.	t	1	scope=run	mid=7	unit=s	type=double' \
		'sample	6000	1	.	u	2	scope=run	mid=7	unit=s	type=double' >"$T/in"
	want_status 0 afenc "$T/in"
	grep -o '^[MR][a-zP]*Type.*\|^RunPoint.*' "$T/out" >"$T/got"
	printf '%s\n' 'MeasurementType,2,1,7,t,double,s,,' 'MeasurementType,2,1,7,u,double,s,,' \
		'MeasurementType,2,1,7,t,double,s,,' 'RunPoint,6,1,7,1' 'MeasurementType,2,1,7,u,double,s,,' \
		'RunPoint,6,1,7,2' >"$T/want"
	same "$T/want" "$T/got"
}
