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

# bats test_tags=quick
@test "samples: sections, points, and what is left out is counted" { golden raw; }
@test "aggregates: a block of records a group" { golden agg; }
@test "spans and pauses: intervals of a section" { golden span; }
@test "two runs, one with an id that is no number and no time" { golden two_runs; }
@test "runs that were pooled get one of their own" { golden pooled; }
# pooled UNIT TEXTS UNIT TEXTS: writes a pool of two runs, whose measures have these.
pooled() {
	local run
	for run in 1 2; do
		printf 'run\t0\t0x%d\t.\t.\t.\tunit=ns\n' $run
		printf 'measure\t.\t0x%d\t.\tm\t.\tid=1\ttype=int64\tunit=%s\t%b\n' $run "$1" "$2"
		shift 2
	done >"$T/in"
	printf 'agg\t6\t.\tf\tm\t7\tstat=sum\tstart=5\n' >>"$T/in"
	want_status 0 afenc "$T/in" || return
	grep ^MeasurementType "$T/out" | tail -n 1 | cut -d, -f5- >"$T/got"
}

# back STREAM: encodes the stream to $T/file and decodes that to $T/out.
back() {
	want_status 0 afenc "$1" && mv "$T/out" "$T/file" && want_status 0 afdec "$T/file"
}

@test "results come back as they were, with the same answers: random ones" {
	local rounds=8
	need python3
	[ -z "${AFPIPE_SLOW-}" ] || rounds=200
	want_status 0 python3 "$ROOT/t/tools/resback.py" "$T" 1 "$rounds"
}

@test "results come back as they were: the number of lines is no key, and groups overlap" {
	printf 'run\t0\t1\t.\t.\t.\tunit=ns\nmeasure\t.\t1\t.\tm\t.\ttype=int64\tunit=ns\n' >"$T/in"
	printf 'sample\t%d\t1\tf\tm\t7\tstack=main;f\n' 1 2 3 >>"$T/in"
	afagg --by frame --stat sum "$T/in" >"$T/agg"
	back "$T/agg"
	grep ^agg "$T/out" | same - <(printf 'agg\t3\t1\t.\tm\t21\tstat=sum\tstart=1\tmid=0x34f591db97e54c50\tunit=ns\tframe=%s\ttotal=21\tn=3\n' f main)
	mv "$T/out" "$T/back"
	want_status 1 foldenc "$T/back"
	said "foldenc: $T/back: the groups overlap (total=), so they cannot be added up"
}

@test "a key of the stream and a tag of the same name: two names, and both come back" {
	local line
	printf 'run\t0\t1\t.\t.\t.\tunit=ns\nmeasure\t.\t1\t.\tm\t.\tid=7\ttype=int64\tunit=ns\n' >"$T/in"
	printf 'agg\t3\t1\tf\tm\t2\ttag.n=8\ttag.k=v\tstat=sum\tstart=1\tn=1\n' >>"$T/in"
	printf 'agg\t3\t1\tf\tm\t3\ttag.AFPIPE=a\tstack=a\\x3bb;c\tstat=sum\tstart=1\tn=2\n' >>"$T/in"
	back "$T/in"
	grep ^RegionStart "$T/file" >"$T/starts"
	printf '%s\n' 'RegionStart,1,1,,f,AFPIPE=agg;tag.n=8;AFPIPE=tag;k=v;AFPIPE=agg;n=1' \
		'RegionStart,1,1,,f,AFPIPE=agg;tag.AFPIPE=a;stack=a\x3bb\x{3b}c;n=2' | same - "$T/starts"
	line='agg	3	1	f	m	%s	stat=sum	start=1	mid=7	unit=ns	%s\n'
	# shellcheck disable=SC2059
	{
		printf "$line" 2 'tag.n=8	tag.k=v	n=1'
		printf "$line" 3 'tag.AFPIPE=a	stack=a\x3bb;c	n=2'
	} | same - <(grep ^agg "$T/out")
}

@test "a key of a result that is nothing but separators, each of which becomes six bytes" {
	local value
	value=$(printf ';%.0s' {1..7000}) # 7000 * 4 bytes have room in 32 KiB, 7000 * 6 have not
	printf 'run\t0\t1\t.\t.\t.\tunit=ns\nmeasure\t.\t1\t.\tm\t.\tid=7\ttype=int64\tunit=ns\n' >"$T/in"
	printf 'agg\t3\t1\tf\tm\t2\tstat=sum\tstart=1\tstack=%s\tn=1\n' "$value" >>"$T/in"
	back "$T/in"
	grep -o 'stack=[^	]*' "$T/out" | same - <(echo "stack=$value")
	[ "$(grep -o 'x{3b}' "$T/file" | wc -l)" -eq 7000 ]
}

@test "results of several runs come back without a run, and afdiff does not count one" {
	printf 'run\t0\t%d\t.\t.\t.\tunit=ns\nmeasure\t.\t%d\t.\tm\t.\ttype=int64\tunit=ns\n' 1 1 2 2 >"$T/in"
	printf 'sample\t5\t%d\tf\tm\t7\n' 1 2 >>"$T/in"
	afagg --by region --stat sum "$T/in" >"$T/agg"
	back "$T/agg"
	[ "$(grep -c '^run' "$T/out")" -eq 2 ]
	grep ^agg "$T/out" | same - <(printf 'agg\t5\t.\tf\tm\t14\tstat=sum\tstart=5\tmid=0x1d266715ba8ca5e9\tunit=ns\tn=2\n')
	mv "$T/out" "$T/back"
	want_status 0 afdiff --table "$T/back" "$T/back"
	grep -q 'runs: 1 before, 1 after' "$T/out"
}

@test "results without a unit come back without one, and afdiff compares them with those kept" {
	{
		printf 'run\t0\t1\t.\t.\t.\tunit=ns\n'
		printf 'measure\t.\t1\t.\tr\t.\ttype=double\tunit=.\n'
		printf 'measure\t.\t1\t.\tn\t.\tid=7\ttype=int64\tunit=count\n'
		printf 'measure\t.\t1\t.\tm\t.\tid=8\ttype=int64\tunit=B\n'
		printf 'agg\t5\t1\tf\tr\t0.5\ttag.k=v\tstat=sum\tstart=5\tn=1\n'
		printf 'agg\t5\t1\tf\tn\t3\ttag.k=v\tstat=sum\tstart=5\tmid=7\tn=1\n'
		printf 'agg\t5\t1\tf\tm\t4\ttag.k=v\tstat=sum\tstart=5\tmid=8\tn=1\n'
		printf 'agg\t5\t1\tf\tm\t5\ttag.k=v\tstat=sum\tstart=5\tmid=8\tn=1\tof=w\tunit=.\n'
		printf 'agg\t5\t1\tf\ts\t1\tstat=count\tstart=5\tunit=.\ttype=text\n'
	} >"$T/in"
	back "$T/in"
	grep Start "$T/file" | same - <(printf 'RegionStart,5,1,,f,%s\n' 'k=v;AFPIPE=agg;unit=;n=1' \
		'k=v;AFPIPE=agg;n=1' 'k=v;AFPIPE=agg;unit=;n=1;of=w' 'AFPIPE=agg;unit=')
	grep ^agg "$T/out" | sed 's/mid=0x[^	]*/mid=*/' | same - <(sed 's/^ *//; s/ /\t/g' <<-'END'
		agg 5 1 f r 0.5 stat=sum start=5 mid=* tag.k=v unit=. n=1
		agg 5 1 f n 3 stat=sum start=5 mid=7 unit=count tag.k=v n=1
		agg 5 1 f m 4 stat=sum start=5 mid=8 unit=B tag.k=v n=1
		agg 5 1 f m 5 stat=sum start=5 mid=* tag.k=v unit=. n=1 of=w
		agg 5 1 f s 1 stat=count start=5 mid=* type=text unit=.
	END
	)
	mv "$T/out" "$T/back"
	want_status 0 afenc "$T/back"
	same "$T/file" "$T/out"
	want_status 0 afdiff --no-marks "$T/in" "$T/back"
	grep '^diff' "$T/out" | cut -f 4-6 | sort | same - <(printf 'f\t%s\t0\n' m m n r s)
	# a label may have such a tag, and no other unit is one of a group
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,0,nanoseconds,,1.0.0,1,,,' 'MeasurementType,0,1,7,m,int64,B,,' \
		'RegionStart,1,1,,f,unit=;AFPIPE=agg;unit=s;n=1' 'RegionAggregate,2,1,,sum,7,3' 'RegionStop,1,' >"$T/file"
	want_status 0 afdec "$T/file"
	grep '^agg' "$T/out" | same - <(printf 'agg\t2\t1\tf\tm\t3\tstat=sum\tstart=1\tmid=7\tunit=B\ttag.unit=.\ttag.unit=s\tn=1\n')
}

@test "results of several runs have no unit if the measure lines of all of these give none" {
	{
		printf 'run\t0\t%s\t.\t.\t.\tunit=ns\n' 1 2
		printf 'measure\t.\t%s\t.\tm\t.\ttype=int64\n' 1 2
		printf 'measure\t.\t%s\t.\tb\t.\ttype=int64\tunit=B\n' 1 2
		printf 'measure\t.\t1\t.\tx\t.\ttype=int64\tunit=B\n'
		printf 'measure\t.\t2\t.\tx\t.\ttype=int64\n'
		printf 'agg\t5\t%s\tf\tm\t3\tstat=sum\tstart=5\tn=2\n' . 1
		printf 'agg\t5\t.\tf\t%s\t3\tstat=sum\tstart=5\tn=2\n' b x
	} >"$T/in"
	back "$T/in"
	grep ^agg "$T/out" | sed 's/mid=[^	]*/mid=*/' | same - <(sed 's/^ *//; s/ /\t/g' <<-'END'
		agg 5 . f m 3 stat=sum start=5 mid=* unit=. n=2
		agg 5 1 f m 3 stat=sum start=5 mid=* unit=. n=2
		agg 5 . f b 3 stat=sum start=5 mid=* unit=B n=2
		agg 5 . f x 3 stat=sum start=5 mid=* unit=count n=2
	END
	)
}

@test "results of one group: more than a group may have are several groups, and all come back" {
	local results
	# 10,000 small ones, and 6 MiB
	for results in '10000 1' '120 50000'; do
		awk -v n="${results% *}" -v bytes="${results#* }" 'BEGIN {
			OFS = "\t"
			text = sprintf("%0" bytes "d", 0)
			print "run", 0, 1, ".", ".", ".", "unit=ns", "wall=1"
			for (i = 0; i < n; i++)
				print "agg", 9, 1, "f", "m", i "." text, "stat=sum", "start=5", "n=2"
		}' >"$T/in"
		want_status 0 afenc "$T/in"
		[ "$(grep -c ^RegionStart "$T/out")" -gt 1 ]
		cp "$T/out" "$T/file"
		want_status 0 afdec "$T/file"
		silent
		# all lines but these two, and of each all but its value, up to the point, and what it belongs to
		grep -v '^#\|^run\|^measure' "$T/out" | cut -f 1-4,6 | cut -d . -f 1 >"$T/got"
		grep '^agg' "$T/in" | cut -f 1-4,6 | cut -d . -f 1 | same - "$T/got"
	done
}

@test "texts about some runs are not given to what was pooled" {
	local note='afenc: the runs describe 1 measure in different ways: no text for what was pooled'
	pooled ns 'summary=time\tdescription=real' ns 'summary=time\tdescription=real'
	echo m,int64,ns,time,real | same - "$T/got"
	silent
	pooled ns 'summary=wall\tdescription=real' ns 'summary=cpu\tdescription=real'
	echo m,int64,ns,,real | same - "$T/got"
	echo "$note" | same - "$T/err"
	pooled ns 'summary=time\tdescription=real' ns 'summary=time\tdescription=user'
	echo m,int64,ns,time, | same - "$T/got"
	echo "$note" | same - "$T/err"
	pooled ns 'summary=time\tdescription=real' ns x=y
	echo m,int64,ns,, | same - "$T/got"
	printf '%s\n' 'afenc: left out 1 tag of 1 line: AFPerf has no place for them' "$note" | same - "$T/err"
	# other units: nothing is given to it
	pooled ns summary=time us summary=cpu
	echo m,int64,count,, | same - "$T/got"
	silent
}

# with_units LINE...: got has the types of these lines after a run (name, datatype, unit), and the
# values (name, unit, value).  Fields of LINE are separated by blanks.
with_units() {
	printf '%s\n' 'run 0 0x1 . . . unit=ns' "$@" | tr ' ' '\t' >"$T/in"
	want_status 0 afenc --no-marks "$T/in" || return
	awk -F , '/^MeasurementType/ { unit[$4] = $7; print $5, $6, $7 }
		/^(SectionPoint|RegionAggregate|SectionAggregate)/ { id = $1 == "SectionPoint" ? $5 : $4
			print unit[id], $1 == "SectionPoint" ? $6 : $NF }' "$T/out" >"$T/got"
}

@test "a value whose line says that it has no unit does not get that of its measure" {
	with_units 'measure . 0x1 . m . unit=ns' 'sample 1 0x1 f m 100' 'sample 2 0x1 f m 7 unit=.' 'sample 3 0x1 f m 8 unit=.'
	printf '%s\n' 'm int64 ns' 'm int64 count' 'ns 100' 'count 7' 'count 8' | same - "$T/got"
	# before the measure line, too
	with_units 'sample 2 0x1 f m 7 unit=.' 'sample 1 0x1 f m 100' 'measure . 0x1 . m . unit=ns'
	printf '%s\n' 'm int64 count' 'm int64 ns' 'count 7' 'ns 100' | same - "$T/got"
	# a measure that has none
	with_units 'measure . 0x1 . m .' 'sample 1 0x1 f m 100' 'sample 2 0x1 f m 7 unit=.'
	printf '%s\n' 'm int64 count' 'count 100' 'count 7' | same - "$T/got"
	# what afagg says of other numbers than the values
	printf '%s\n' 'run 0 0x1 . . . unit=ns' 'measure . 0x1 . m . unit=ns' 'sample 1 0x1 f m 100 tid=7' \
		'sample 2 0x1 f m 100 tid=8' | tr ' ' '\t' >"$T/in"
	afagg --no-marks --by region --of tid --stat sum "$T/in" | afenc >"$T/file" 2>/dev/null
	grep -cE '^MeasurementType,.*,m,int64,count,,$' "$T/file" | same - <(echo 1)
	afdec "$T/file" 2>/dev/null | afagg --kind agg --by region --stat sum | awk -F '\t' '/^agg/ { print $6 }' | same - <(echo 15)
}

@test "a value without a unit gets that of other values of its measure: a note, if no measure line says it" {
	local note='values of 1 measure that have no unit get that of the others, which no measure line says (unit=. means none)'
	with_units 'sample 1 0x1 f m 5 unit=ns' 'sample 2 0x1 f m 6'
	said "$note"
	with_units 'sample 1 0x1 f m 5' 'sample 2 0x1 f m 6 unit=ns'
	said "$note"
	printf '%s\n' 'm int64 ns' 'ns 5' 'ns 6' | same - "$T/got"
	with_units 'sample 1 0x1 f m 5' 'sample 2 0x1 f m 6 unit=ns' 'measure . 0x1 . m . unit=ns'
	silent
	with_units 'sample 1 0x1 f m 5 unit=ns' 'sample 2 0x1 f m 6 unit=.'
	[ "$(grep -c 'get that of the others' "$T/err")" -eq 0 ]
	# a measure of numbers and texts is one measure, and lines after the two change nothing
	with_units 'sample 1 0x1 f m 5 unit=ns' 'sample 2 0x1 f m 6' 'sample 3 0x1 f m idle' 'sample 4 0x1 f m 7 unit=ns mid=3'
	said "$note"
}

@test "a measure that is defined again, without ids and datatypes: types from the values of each" {
	with_units 'measure . 0x1 . m . unit=KiB' 'sample 1 0x1 f m 20' 'measure . 0x1 . m . unit=B' 'sample 2 0x1 f m 30.5'
	printf '%s\n' 'm int64 KiB' 'm double B' 'KiB 20' 'B 30.5' | same - "$T/got"
}

@test "a measure line that comes again: what data lines have named, and it has described, stays" {
	local id
	for id in '' ' id=7'; do
		with_units 'sample 1 0x1 f m 20 unit=us' 'sample 1 0x1 f m 30 unit=ns' "measure . 0x1 . m . unit=us$id" \
			"measure . 0x1 . m . unit=us$id" 'sample 2 0x1 f m 40 unit=us' 'sample 2 0x1 f m 50 unit=ns'
		printf '%s\n' 'm int64 us' 'm int64 ns' 'us 20' 'ns 30' 'us 40' 'ns 50' | same - "$T/got"
	done
}

@test "measures whose names, units and ids, put together, are the same text" {
	local pair a b name unit id name2 unit2 id2
	for pair in 'ab s .|a bs .' 'a bs .|ab s .' 'c s 12|c s1 2' 'c s1 2|c s 12' 'ds 1 2|d s 12'; do
		a=${pair%|*} b=${pair#*|}
		read -r name unit id <<<"$a"
		read -r name2 unit2 id2 <<<"$b"
		[ "$id" = . ] && a='' b='' || a="id=$id" b="id=$id2"
		with_units "sample 1 0x1 f $name 1 unit=$unit${a:+ m$a}" "sample 2 0x1 f $name2 2 unit=$unit2${b:+ m$b}" \
			"measure . 0x1 . $name . unit=$unit${a:+ $a}" "measure . 0x1 . $name2 . unit=$unit2${b:+ $b}" \
			"sample 3 0x1 f $name 3 unit=$unit" "sample 4 0x1 f $name2 4 unit=$unit2"
		silent
		printf '%s\n' "$name int64 $unit" "$name2 int64 $unit2" "$unit 1" "$unit2 2" "$unit 3" "$unit2 4" |
			same - "$T/got"
	done
}

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
	said "afenc: $T/in:10: the run is defined again, but differently"
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

@test "the time of day of a run, in any spelling; what afdec would refuse stays a tag" {
	local wall utc
	while IFS='|' read -r wall utc; do
		printf 'run\t0\t1\t.\t.\t.\tunit=ns\twall=%s\tapp=a\tafperf=1.0.0\npause\t5\t1\t.\t.\t.\tstart=5\n' \
			"$wall" >"$T/in"
		want_status 0 afenc "$T/in"
		silent
		if [ -n "$utc" ]; then
			printf '# AFPerf v1     \nRunInfo,0,nanoseconds,%s,1.0.0,1,a,,\nPauseResume,5,5,1\n' "$wall"
		else
			printf '# AFPerf v1     \nRunInfo,0,nanoseconds,,1.0.0,1,a,,wall=%s\nPauseResume,5,5,1\n' "$wall"
		fi >"$T/want"
		same "$T/want" "$T/out"
		afdec --wall "$T/want" 2>"$T/err" | sed -n 's/^pause.*utc=//p' >"$T/got"
		printf '%s\n' "${utc:-.}" | same - "$T/got"
	done <<-'END'
		1e9|2001-09-09T01:46:40.000000005Z
		1E9|2001-09-09T01:46:40.000000005Z
		1e+9|2001-09-09T01:46:40.000000005Z
		1.5E+09|2017-07-14T02:40:00.000000005Z
		15000000000e-1|2017-07-14T02:40:00.000000005Z
		2.5e-7|1970-01-01T00:00:00.000000255Z
		2.5E-7|1970-01-01T00:00:00.000000255Z
		-2.5e-7|1969-12-31T23:59:59.999999755Z
		2.5e-10|1970-01-01T00:00:00.000000005Z
		2.5e11|9892-03-08T12:26:40.000000005Z
		-6E10|0068-09-03T13:20:00.000000005Z
		1e12|
		1E12|
		1e+12|
		1E+12|
		2.6e11|
		2.6e+11|
		-7e10|
		1e300|
		1E300|
		1e+300|
		1e|
		nan|
		inf|
	END
}

@test "kinds that are left out: sixteen by name, long names cut, and the number of the others" {
	local n names long want
	long=$(printf 'z%.0s' {1..60})
	# others COUNT [ENDING]: what is said about lines of that many kinds; the last kind has two.
	others() {
		{
			printf 'run\t0\tr\t.\t.\t.\tunit=ns\nmeasure\t.\tr\t.\tm\t.\tmid=1\nsample\t1\tr\tx\tm\t1\n'
			for ((n = 0; n < $1; n++)); do
				printf 'k%d%s\t1\tr\tx\tm\t1\n' $n "${2-}"
			done
			printf 'k%d%s\t1\tr\tx\tm\t1\n' $((n - 1)) "${2-}"
		} >"$T/in"
		want_status 0 afenc "$T/in"
		cat "$T/err"
	}
	[ "$(others 1)" = 'afenc: left out 2 k0 lines' ]
	names=$(printf '1 k%d line, ' {0..14})
	[ "$(others 16)" = "afenc: left out ${names}2 k15 lines" ]
	[ "$(others 17)" = "afenc: left out ${names}1 k15 line and 1 more kind" ]
	[ "$(others 18)" = "afenc: left out ${names}1 k15 line and 2 more kinds" ]
	want=$(printf "1 k%d${long:0:38} line, " {0..8})
	[ "$(others 9 "$long")" = "afenc: left out ${want%1 k8*}2 k8${long:0:38} lines" ]
	[ "$(others 15 "$long")" = "afenc: left out ${want%, } and 6 more kinds" ]
}

@test "lines that end in CR LF are refused" {
	sed 's/$/\r/' "$D/agg.af" >"$T/in"
	want_status 1 afenc "$T/in"
	said "$T/in:1: carriage return"
	[ ! -s "$T/out" ]
}

@test "no place for the temporary file" {
	TMPDIR=$T/none want_status 3 afenc "$D/agg.af"
	said "cannot make a temporary file in $T/none (TMPDIR): No such file or directory"
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

@test "a run id comes back from afdec as it was: with its zeros and capitals, and with --hex" {
	local id option
	for id in 0 7 0x7 0x0699bbfc9baea960 0x0000000000000000 0x00aB 18446744073709551615 0xffffffffffffffff; do
		printf '%s\n' "run	1	$id	.	.	.	unit=ns" "sample	1	$id	r	m	1	unit=ns" \
			"agg	5	$id	r	m	7	stat=sum	unit=ns	n=1" >"$T/in"
		for option in '' --hex; do
			[[ $option != --hex || $id = 0x* ]] || continue
			want_status 0 afenc --no-marks $option "$T/in"
			afdec "$T/out" >"$T/once"
			[ "$(grep -v '^#' "$T/once" | cut -f 3 | sort -u)" = "$id" ] || fail "$option $id" || return
			want_status 0 afenc "$T/once"
			afdec "$T/out" >"$T/twice"
			same "$T/once" "$T/twice"
		done
	done
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

@test "the time of day of a run line without a time is that of time 0" {
	local run='run	.	r1	.	.	.	unit=ns' samples
	samples=$(printf '%s\n' 'measure	.	r1	.	m	.	type=int64	unit=ns' 'sample	5000000000	r1	f	m	1' \
		'sample	7000000000	r1	f	m	1')
	printf '%s\n' "$run	wall=1000" "$samples" >"$T/in"
	want_status 0 afenc --no-marks "$T/in"
	grep -q '^RunInfo,0,nanoseconds,1000,' "$T/out"
	mv "$T/out" "$T/back"
	want_status 0 afdec --wall "$T/back"
	grep -o 'utc=.*' "$T/out" | uniq >"$T/utc"
	printf 'utc=1970-01-01T00:16:4%s.000000000Z\n' 0 5 7 | same - "$T/utc"
	# the run line comes last, or has no time of day
	printf '%s\n' "$samples" "$run	wall=1000" >"$T/in"
	want_status 0 afenc --no-marks "$T/in"
	grep -q '^RunInfo,0,nanoseconds,1000,' "$T/out"
	printf '%s\n' "$run" "$samples" >"$T/in"
	want_status 0 afenc --no-marks "$T/in"
	grep -q '^RunInfo,5000000000,nanoseconds,,' "$T/out"
}

@test "aggregates that only afdec --lenient reads are said" {
	local agg='agg	5	1	f	lat	7	scope=region	id=9	stat=sum	start=2000	mid=1	unit=ns	type=int64'
	native 'measure	2000	1	.	lat	.	id=1	type=int64	unit=ns' 'start	2000	1	f	.	.	scope=region	id=9' \
		"${agg/	5	/	5000	}" 'stop	9000	1	f	.	.	scope=region	id=9' >"$T/in"
	want_status 0 afenc --no-marks "$T/in"
	echo 'afenc: wrote 1 aggregate with both an id and an aggregation, as read by afdec --lenient: afdec alone refuses it' |
		same - "$T/err"
	grep -qx 'RegionAggregate,5,2,9,sum,1,7' "$T/out"
	mv "$T/out" "$T/back"
	want_status 0 afdec --lenient "$T/back"
}

@test "samples that are not in the order of time: the stop is at the last one, those before the start are counted" {
	# points TIME...: the times of the points and of the stop
	points() {
		printf 'sample\t%s\tr\tf\tm\t1\n' "$@" >"$T/in"
		want_status 0 afenc "$T/in"
		grep -v '^afenc: no .* line for 1 ' "$T/err" >"$T/notes" || :
		sed -n 's/^Section\(Start\|Point\|Stop\),\([0-9]*\),.*/\2/p' "$T/out" | paste -s -d ' '
	}
	[ "$(points 5)" = '5 5 5' ]
	[ ! -s "$T/notes" ]
	# as early as the start, or later, is not before it
	[ "$(points 5 9 5 8 9)" = '5 5 9 5 8 9 9' ]
	[ ! -s "$T/notes" ]
	[ "$(points 5 9 4)" = '5 5 9 4 9' ]
	echo 'afenc: wrote 1 point from before the start of their section: the stream is not sorted by time' >"$T/want"
	same "$T/want" "$T/notes"
	[ "$(points 5 4 5 0 9 10 9 4)" = '5 5 4 5 0 9 10 9 4 10' ]
	sed -i 's/1 point/3 points/' "$T/want"
	same "$T/want" "$T/notes"
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
	printf '%s\n' '5: its id was blank, and other records have come in between, so AFPerf cannot identify it' \
		'6: its id was blank, and other records have come in between, so AFPerf cannot identify it' \
		"7: not a multiple of the run's unit of time, or beyond 64 bits" '8: a line of this kind cannot have this scope=' \
		'9: id= or interval= is missing, or is not an id' '10: id= or interval= is missing, or is not an id' \
		'11: its run has not been defined' '12: a comment that would be a header' \
		'13: a comment of several lines' >"$T/want"
	same "$T/want" "$T/got"
	[ "$(grep -c '^RegionStart,' "$T/out")" -eq 2 ]
}

# refused LINE...: of the stream $T/in these are refused, by number and reason; what is left is read.
refused() {
	want_status 1 afenc "$T/in" || return
	printf "afenc: $T/in:%s\n" "$@" >"$T/want"
	same "$T/want" "$T/err" || return
	sed "$(printf '%sd;' "${@%%:*}")" "$T/in" >"$T/rest"
	cp "$T/out" "$T/file"
	want_status 0 afenc "$T/rest" || return
	same "$T/out" "$T/file" || return
	want_status 0 afdec --check "$T/file"
}

@test "what was AFPerf: a region is started once, and stops once, later" {
	native 'stop	5000	1	r	.	.	scope=region	id=9' 'start	5000	1	r	.	.	scope=region	id=9' \
		'start	5000	1	r	.	.	scope=region	id=0x9' 'stop	4000	1	r	.	.	scope=region	id=9' \
		'stop	6000	1	r	.	.	scope=region	id=9' 'stop	6000	1	r	.	.	scope=region	id=9' \
		'start	7000	1	r	.	.	scope=region	id=9' >"$T/in"
	refused '3: region 9 has not been started' '5: region 0x9 is started twice' \
		'6: region 9 stops before it starts' '8: region 9 is stopped twice' '9: region 9 is started twice'
	# those of blank ids, and the ones that --ids gives numbers
	sed 's/id=0*x*9/id=@1/' "$T/in" >"$T/blank"
	want_status 1 afenc "$T/blank"
	[ "$(grep -c '^Region' "$T/out")" -eq 2 ]
	want_status 1 afenc --ids "$T/in"
	[ "$(grep -c '^Region' "$T/out")" -eq 2 ]
	# the same file twice
	cat "$T/rest" "$T/rest" >"$T/in"
	refused '7: region 9 is started twice' '8: region 9 is stopped twice'
}

@test "what was AFPerf: a region of another run" {
	{
		native 'start	5000	1	r	.	.	scope=region	id=9'
		sed 's/	1	/	2	/' < <(native 'start	5000	1	r	.	.	scope=region	id=9' \
			'stop	6000	1	r	.	.	scope=region	id=9')
		native 'stop	6000	1	r	.	.	scope=region	id=9' | tail -n 1
	} >"$T/in"
	refused '6: region 9 is started twice' '7: region 9 belongs to another run'
	# it may have that id once the other has stopped, and is told from it
	{
		native 'start	5000	1	r	.	.	scope=region	id=9' 'stop	6000	1	r	.	.	scope=region	id=9'
		native 'start	7000	1	q	.	.	scope=region	id=9' \
			'sample	7000	1	q	t	0.5	scope=region	id=9	mid=7	unit=s	type=double' \
			'stop	8000	1	q	.	.	scope=region	id=9' | sed 's/	1	/	2	/'
		native 'sample	6000	1	r	t	0.5	scope=region	id=9	mid=7	unit=s	type=double' | tail -n 1
	} >"$T/in"
	want_status 0 afenc "$T/in"
	[ "$(grep -c '^RegionPoint' "$T/out")" -eq 1 ]
	[ "$(grep -c '^SectionPoint' "$T/out")" -eq 1 ]
	cp "$T/out" "$T/file"
	want_status 0 afdec "$T/file"
}

@test "what was AFPerf: a section is defined once, an interval is started once, and stops once, later" {
	native 'start	1000	1	s	.	.	scope=section	id=4	interval=0' 'section	.	1	s	.	.	scope=section	id=4' \
		'section	.	1	s	.	.	scope=section	id=4' 'stop	1000	1	s	.	.	scope=section	id=4	interval=0' \
		'start	1000	1	s	.	.	scope=section	id=4	interval=0' 'start	2000	1	s	.	.	scope=section	id=4	interval=0' \
		'start	3000	1	s	.	.	scope=section	id=4	interval=1' 'stop	2000	1	s	.	.	scope=section	id=4	interval=1' \
		'stop	4000	1	s	.	.	scope=section	id=4	interval=0' 'stop	4000	1	s	.	.	scope=section	id=4	interval=0' \
		'start	5000	2	s	.	.	scope=section	id=4	interval=2' >"$T/in"
	native | sed -n '1s/	1	/	2	/p' | cat - "$T/in" >"$T/two"
	mv "$T/two" "$T/in"
	refused '4: section 4 has not been defined' '6: section 4 is defined twice' '7: interval 0 has not been started' \
		'9: interval 0 is started twice' '11: interval 1 stops before it starts' '13: interval 0 is stopped twice' \
		'14: section 4 belongs to another run'
}

@test "what was AFPerf: sections that are made of other samples have numbers of their own" {
	native 'sample	6000	1	r	t	0.5' 'section	.	1	s	.	.	scope=section	id=1' \
		'section	.	1	s	.	.	scope=section	id=9223372036854775810' 'sample	6000	1	q	t	0.5' >"$T/in"
	refused '4: section 1 is defined twice'
	[ "$(grep '^SectionInfo' "$T/file" | cut -d , -f 4 | sort -u | wc -l)" -eq 3 ]
}

@test "what was AFPerf: what is blank goes by no section that is made" {
	native 'start	5000	1	r	.	.	scope=region	id=@1' 'sample	6000	1	r	t	0.5' \
		'sample	6000	1	r	t	0.5	scope=region	id=@1	mid=7	unit=s	type=double' \
		'section	.	1	s	.	.	scope=section	id=@1' 'sample	6000	1	q	t	0.5' \
		'start	7000	1	s	.	.	scope=section	id=@1	interval=0' 'stop	8000	1	r	.	.	scope=region	id=@1' >"$T/in"
	refused '5: its id was blank, and other records have come in between, so AFPerf cannot identify it' \
		'8: its id was blank, and other records have come in between, so AFPerf cannot identify it'
}

@test "what was AFPerf: a processed aggregate of what has not been defined" {
	local agg='agg	7000	1	.	t	2	scope=region	id=5	stat=mean	start=5000	mid=7	unit=s	type=double'
	native "$agg" "${agg/region/section}" "${agg/id=5/id=1}" >"$T/in"
	refused "3: id= names neither the line's run nor one of that run's regions or sections" \
		"4: id= names neither the line's run nor one of that run's regions or sections"
}

@test "times have 64 bits, in the unit of the run" {
	local zeros="" unit line max=18446744073709551615 over=18446744073709551616
	for unit in ns us ms s; do
		printf '%s\n' "run	0	1	.	.	.	unit=$unit	wall=0	app=a	afperf=1.0.0" \
			"measure	$max$zeros	1	.	t	.	id=7	type=double	unit=s" \
			"measure	$over$zeros	1	.	u	.	id=8	type=double	unit=s" \
			"sample	$max$zeros	1	.	t	1	scope=run	mid=7	unit=s	type=double" \
			"sample	$over$zeros	1	.	t	1	scope=run	mid=7	unit=s	type=double" \
			"start	$over$zeros	1	r	.	.	scope=region	id=1" \
			"run	$over$zeros	2	.	.	.	unit=$unit	wall=0	app=a	afperf=1.0.0" >"$T/in"
		want_status 1 afenc "$T/in"
		for line in 3 5 6 7; do
			echo "afenc: $T/in:$line: not a multiple of the run's unit of time, or beyond 64 bits"
		done >"$T/want"
		same "$T/want" <(grep ':[0-9]*: ' "$T/err")
		[ "$(grep -c ",$max,\|,$max\$" "$T/out")" -eq 2 ]
		[ "$(grep -c "$over" "$T/out")" -eq 0 ]
		cp "$T/out" "$T/file"
		want_status 0 afdec --check "$T/file"
		zeros+=000
	done
}

@test "what was AFPerf, without its start: a section as for any other sample" {
	native 'sample	6000	1	r	t	0.5	scope=region	id=5	mid=7	unit=s	type=double	tag.k=v' >"$T/in"
	want_status 0 afenc "$T/in"
	said 'left out 3 tags of 1 line'
	grep -q '^SectionInfo,6,1,1,r,$' "$T/out"
	grep -q '^SectionPoint,6,1,0,7,0.5$' "$T/out"
}

@test "several events with one name get one type, and a note" {
	local note="afenc: several events have the same name, and get one measurement type (to choose one: afsel -w 'event=N || event=.')"
	{
		printf 'run\t1\t7\t.\t.\t.\tunit=ns\n'
		printf 'measure\t.\t7\t.\tm\t.\tid=%d\tevent=%d\ttype=int64\tunit=ns\n' 1 1 2 2
		printf 'sample\t1\t7\tf\tm\t3\tevent=1\n'
	} >"$T/one"
	{
		cat "$T/one"
		printf 'sample\t%d\t7\tf\tm\t3\tevent=2\n' 2 3
	} >"$T/both"
	want_status 0 afenc --no-marks "$T/both"
	said "$note"
	want_status 0 afenc --no-marks "$T/one"
	! grep -q 'same name' "$T/err" || fail "$(cat "$T/err")"
	# results keep the event, which tells them apart
	afagg --by region,event --no-marks "$T/both" >"$T/agg"
	want_status 0 afenc "$T/agg"
	! grep -q 'same name' "$T/err" || fail "$(cat "$T/err")"
}

@test "tags of a measure without a place in its record are counted" {
	{
		printf 'run\t1\t7\t.\t.\t.\tunit=ns\n'
		printf 'measure\t.\t7\t.\tm\t.\tid=1\ttype=int64\tunit=count\tscale=2.3e-10\tscaled_unit=Joules\n'
		printf 'measure\t.\t7\t.\tn\t.\tmid=2\ttype=int64\tunit=B\tsummary=s\tdescription=d\n'
		printf 'sample\t1\t7\tf\tm\t3\ttid=1\n'
	} >"$T/in"
	want_status 0 afenc --no-marks "$T/in"
	echo 'afenc: left out 3 tags of 2 lines: AFPerf has no place for them' | same - "$T/err"
	grep '^Meas' "$T/out" >"$T/got"
	same - "$T/got" <<-'END'
		MeasurementType,1,7,1,m,int64,count,,
		MeasurementType,1,7,2,n,int64,B,s,d
	END
}

@test "tags and values of starts, stops, sections and pauses that have no place are counted" {
	native 'start	2000	1	f	.	.	scope=region	id=5	tag.k=v' 'pause	4000	1	.	.	.	start=3000	pid=7	utc=.' \
		'stop	5000	1	f	t	9	scope=region	id=5	tag.k=v	tag.status=bad' \
		'section	.	1	s	.	.	scope=section	id=3' \
		'start	5000	1	s	t	0	scope=section	id=3	interval=0	tag.rq=12' >"$T/in"
	want_status 0 afenc "$T/in"
	printf '%s\n' 'afenc: left out 4 tags of 3 lines: AFPerf has no place for them' \
		'afenc: left out 2 values of starts, stops, sections and pauses: AFPerf has values in records of their own' |
		same - "$T/err"
	event pause 7 1 . . . >"$T/in"
	want_status 1 afenc "$T/in"
	said "afenc: $T/in:1: pause without start="
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

@test "what was AFPerf: no type is defined for a run without an id once another run has come" {
	local t='mid=7	unit=s	type=double' r='scope=region	id=9'
	printf '%s\n' 'run	0	@1	.	.	.	unit=ns	app=a	afperf=1.0.0' \
		'measure	0	@1	.	t	.	id=7	type=double	unit=s' "start	1	@1	r	.	.	$r" "sample	2	@1	r	t	0.5	$r	$t" \
		"sample	2	@1	r	made	5	$r	mid=9" 'measure	0	@1	.	u	.	id=7	type=double	unit=s' \
		'run	0	@2	.	.	.	unit=ns	app=b	afperf=1.0.0' "sample	3	@1	r	u	0.25	$r	$t" \
		"sample	3	@1	r	t	0.5	$r	$t" "sample	3	@1	r	made	6	$r	mid=9" \
		"sample	3	@1	r	new	6	$r	mid=10	type=double	unit=s" "sample	3	@1	r	u	0.75	$r	$t" "stop	4	@1	r	.	.	$r" >"$T/in"
	want_status 1 afenc "$T/in"
	grep -v '^afenc: no measure line\|^afenc: left out' "$T/err" >"$T/notes"
	printf "afenc: $T/in:%s: its id was blank, and other records have come in between, so AFPerf cannot identify it\n" \
		9 10 11 >"$T/want"
	same "$T/want" "$T/notes"
	printf '%s\n' '# AFPerf v1     ' RunInfo,0,nanoseconds,,1.0.0,,a,, MeasurementType,0,,7,t,double,s,, \
		RegionStart,1,,9,r, RegionPoint,2,9,7,0.5 MeasurementType,0,,9,made,int64,count,, SectionInfo,2,,1,r, \
		SectionStart,2,1,0 SectionPoint,2,1,0,9,5 MeasurementType,0,,7,u,double,s,, RunInfo,0,nanoseconds,,1.0.0,,b,, \
		RegionPoint,3,9,7,0.25 RegionPoint,3,9,7,0.75 RegionStop,4,9 SectionStop,2,1,0 >"$T/want"
	same "$T/want" "$T/out"
}

@test "a type that was AFPerf and is defined the same again: its record again, which is in force" {
	local t='measure	2000	1	.	t	.	id=7	type=double	unit=s'
	native "$t" "${t/	t	/	u	}" \
		'sample	6000	1	.	t	1	scope=run	mid=7	unit=s	type=double' "${t/	t	/	u	}" \
		'sample	6000	1	.	t	2	scope=run	mid=7	unit=s	type=double' "${t/	t	/	v	}" \
		'sample	6000	1	.	t	3	scope=run	mid=7	unit=s	type=double' >"$T/in"
	want_status 0 afenc "$T/in"
	grep -o '^[MR][a-zP]*Type.*\|^RunPoint.*' "$T/out" >"$T/got"
	printf '%s,7,%s\n' MeasurementType,2,1 t,double,s,, MeasurementType,2,1 t,double,s,, \
		MeasurementType,2,1 u,double,s,, MeasurementType,2,1 t,double,s,, RunPoint,6,1 1 \
		MeasurementType,2,1 u,double,s,, MeasurementType,2,1 t,double,s,, RunPoint,6,1 2 \
		MeasurementType,2,1 v,double,s,, MeasurementType,2,1 t,double,s,, RunPoint,6,1 3 >"$T/want"
	same "$T/want" "$T/got"
}

# by_options FILE: the file's stream is the same there and back with each option, as far as that
# leaves it the same, and encoding what came back gives the same file.
by_options() {
	local how
	afdec --all "$1" 2>/dev/null >"$T/all" || return
	sed '/^#/d; s/\t@\([0-9]*\)\t/\t\1\t/; s/\(\tid\|\tinterval\)=@/\1=/g' "$T/all" >"$T/--ids"
	unmarked "$T/all" | tee "$T/--crlf" "$T/--record-numbers" "$T/--hex" >"$T/--decimal"
	sed '/^#/d; /^agg/s/\tid=[^\t]*//' "$T/all" | tee "$T/--record-id blank" >"$T/--record-id run"
	for how in --crlf --record-numbers --hex --decimal '--record-id blank' '--record-id run' --ids; do
		# shellcheck disable=SC2086 # an option and its argument
		if ! afenc $how "$T/all" >"$T/one" 2>"$T/err"; then
			grep -q 'whose id was blank cannot have a number' "$T/err" || fail "$how" || return
			[ "$how" = --ids ] || return
			continue
		fi
		sed -i '/^afenc: sources that end without a line break/d' "$T/err"
		silent || return
		afdec --all "$T/one" >"$T/back" 2>/dev/null || return
		# shellcheck disable=SC2086
		afenc $how "$T/back" >"$T/two" 2>"$T/err" || return
		same "$T/one" "$T/two" || return
		case $how in
		--record-id*) sed -i '/^agg/s/\tid=[^\t]*//' "$T/back" ;;
		--hex | --decimal)
			# spelled as one, to compare
			afenc --hex "$T/back" | afdec --all 2>/dev/null | unmarked - >"$T/back1"
			afenc --hex "$T/$how" | afdec --all 2>/dev/null | unmarked - >"$T/$how.1"
			same "$T/$how.1" "$T/back1" || return
			continue
			;;
		esac
		unmarked "$T/back" >"$T/back1"
		same "$T/$how" "$T/back1" || return
	done
}

# bats test_tags=slow,sanitize
@test "options: the same there and back, and canonical" {
	local f i n=5
	[ -z "${AFPIPE_SLOW-}" ] || n=40
	helpers afperfmake
	for f in "$BATS_TEST_DIRNAME"/cases/afperf/good/g*.afperf; do
		[ "${f##*/}" = g01_header_only.afperf ] || by_options "$f" || fail "$f"
	done
	for ((i = 1; i <= n; i++)); do
		afperfmake random $i >"$T/random"
		by_options "$T/random" || fail "seed $i"
	done
}

@test "--hex, --decimal, --record-numbers, --crlf: the bytes" {
	native 'start	5000	1	r	.	.	scope=region	id=0x1f' \
		'sample	6000	1	r	t	0.5	scope=region	id=0x1f	mid=7	unit=s	type=double' \
		'stop	7000	1	r	.	.	scope=region	id=0x1f' >"$T/in"
	want_status 0 afenc --hex --record-numbers --crlf "$T/in"
	printf '%s\r\n' '# AFPerf v1     ' '8,2,microseconds,1.5,1.2.0,0x1,a,,k=v' '1,2,0x1,0x7,t,double,s,,' \
		'5,5,0x1,0x1f,r,' '4,6,0x1f,0x7,0.5' '6,7,0x1f' >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 afenc --hex --decimal "$T/in"
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,2,microseconds,1.5,1.2.0,1,a,,k=v' \
		'MeasurementType,2,1,7,t,double,s,,' 'RegionStart,5,1,31,r,' 'RegionPoint,6,31,7,0.5' \
		'RegionStop,7,31' >"$T/want"
	same "$T/want" "$T/out"
}

@test "what was AFPerf: a header keeps a region from being a group, at every end of a record" {
	local end
	local -A option=([lf]="" [crlf]=--crlf)
	native 'start	5000	1	r	.	.	scope=region	id=@1' \
		'agg	7000	1	.	t	2	scope=region	id=@1	stat=mean	start=5000	mid=7	unit=s	type=double' \
		'stop	5000	1	r	.	.	scope=region	id=@1' | awk 'BEGIN { FS = OFS = "\t" } { $3 = "@1" } 1' >"$T/in"
	for end in lf crlf; do
		want_status 0 afenc --record-numbers ${option[$end]:+"${option[$end]}"} "$T/in"
		printf '%s\n' '# AFPerf v1     ' '8,2,microseconds,1.5,1.2.0,,a,,k=v' '1,2,,7,t,double,s,,' \
			'5,5,,,r,' '3,7,5,,mean,7,2' '# AFPerf v1     ' '6,5,' >"$T/want"
		[ $end = lf ] || sed -i 's/$/\r/' "$T/want"
		same "$T/want" "$T/out"
		cp "$T/out" "$T/$end"
		same "$T/in" <(afdec "$T/$end" 2>/dev/null | grep -v '^#')
	done
	# to a file of either end, and to what that gives
	for end in lf crlf; do
		cp "$T/$end" "$T/file"
		appended 0 --renumber --crlf
		appended 0 --renumber
		want_status 0 afdec "$T/file"
		[ "$(grep -c 'id=@.	stat=mean' "$T/out")" -eq 3 ]
		[ "$(grep -c 'scope=group' "$T/out")" -eq 0 ]
	done
}

@test "--hex and --decimal: ids that are made, too" {
	want_status 0 afenc --hex "$D/raw.af"
	[ "$(grep -cE '^(SectionInfo|SectionStart|SectionPoint),[0-9]*,[0-9]+,' "$T/out")" -eq 0 ]
	grep -vE '^(RunInfo|#)' "$D/two_runs.af" >"$T/in"
	want_status 0 afenc --decimal "$T/in"
	[ "$(grep -c 0x "$T/out")" -eq "$(grep -c 'run=0x\|,,0x' "$T/out")" ]
}

@test "--ids: numbers where there were none, also besides others" {
	printf '%s\n' 'run	0	@1	.	.	.	unit=ns	wall=0	app=a	afperf=1.0.0' \
		'start	1	@1	a	.	.	scope=region	id=@1' 'start	2	@1	b	.	.	scope=region	id=2' \
		'start	3	@1	c	.	.	scope=region	id=@2' 'start	4	@1	d	.	.	scope=region	id=3' \
		'stop	5	@1	c	.	.	scope=region	id=@2' 'stop	6	@1	d	.	.	scope=region	id=3' \
		'section	7	@1	s	.	.	scope=section	id=@1' 'start	7	@1	s	.	.	scope=section	id=@1	interval=@1' \
		'start	8	@1	s	.	.	scope=section	id=@1	interval=1' \
		'stop	9	@1	s	.	.	scope=section	id=@1	interval=@1' \
		'stop	9	@1	s	.	.	scope=section	id=@1	interval=1' >"$T/in"
	want_status 0 afenc --ids "$T/in"
	said 'gave another number to 2 ids that were in use'
	printf '%s\n' 'RunInfo,0,nanoseconds,0,1.0.0,1,a,,' 'RegionStart,1,1,1,a,' 'RegionStart,2,1,2,b,' \
		'RegionStart,3,1,3,c,' 'RegionStart,4,1,4,d,' 'RegionStop,5,3' 'RegionStop,6,4' 'SectionInfo,7,1,1,s,' \
		'SectionStart,7,1,1' 'SectionStart,8,1,2' 'SectionStop,9,1,1' 'SectionStop,9,1,2' >"$T/want"
	tail -n +2 "$T/out" >"$T/got"
	same "$T/want" "$T/got"
}

@test "--record-id: of processed aggregates" {
	native 'start	5000	1	r	.	.	scope=region	id=5' 'stop	7000	1	r	.	.	scope=region	id=5' \
		'agg	7000	1	.	t	2	scope=region	stat=mean	start=5000	mid=7	unit=s	type=double' \
		'agg	7000	1	.	t	2	scope=region	id=1	stat=sum	start=5000	mid=7	unit=s	type=double' \
		'agg	7000	1	.	t	2	scope=section	id=1	stat=sum	start=5000	mid=7	unit=s	type=double' >"$T/in"
	local how
	for how in keep blank run; do
		want_status 0 afenc --record-id $how "$T/in"
		grep Aggregate "$T/out"
	done >"$T/got"
	printf '%s\n' 'RegionAggregate,7,5,,mean,7,2' 'RegionAggregate,7,5,1,sum,7,2' 'SectionAggregate,7,5,1,,sum,7,2' \
		'RegionAggregate,7,5,,mean,7,2' 'RegionAggregate,7,5,,sum,7,2' 'SectionAggregate,7,5,,,sum,7,2' \
		'RegionAggregate,7,5,1,mean,7,2' 'RegionAggregate,7,5,1,sum,7,2' 'SectionAggregate,7,5,1,,sum,7,2' >"$T/want"
	same "$T/want" "$T/got"
	want_status 2 afenc --record-id none "$T/in"
	said '--record-id: not keep, blank or run: none'
	want_status 2 afenc --renumber "$T/in"
	said '--renumber without --append'
}

# run_of ID: a stream of a run with that id, that has a region and a section of that id, too.
run_of() {
	printf '%s\n' "run	0	$1	.	.	.	unit=ns	wall=0	app=a	afperf=1.0.0" \
		"measure	0	$1	.	t	.	id=7	type=double	unit=s" "start	1	$1	r	.	.	scope=region	id=$1" \
		"sample	1	$1	r	t	0.5	scope=region	id=$1	mid=7	unit=s	type=double" \
		"stop	2	$1	r	.	.	scope=region	id=$1" "section	.	$1	s	.	.	scope=section	id=$1" \
		"start	3	$1	s	.	.	scope=section	id=$1	interval=0" \
		"stop	4	$1	s	.	.	scope=section	id=$1	interval=0"
}

# appended STATUS OPTION...: what $T/in has, to $T/file; a status other than 0 leaves that alone.
appended() {
	local status=$1
	shift
	cp "$T/file" "$T/before"
	want_status "$status" afenc --append "$T/file" "$@" "$T/in" || return
	[ ! -s "$T/out" ] || fail 'something on standard output' || return
	[ "$status" -eq 0 ] || same "$T/before" "$T/file"
}

@test "--append: adds a run, and does not mend the end of a record that may be cut" {
	run_of 1 | afenc >"$T/file"
	run_of 2 >"$T/in"
	cp "$T/file" "$T/want"
	afenc "$T/in" | tail -n +2 >>"$T/want"
	appended 0
	silent
	same "$T/want" "$T/file"
	want_status 0 afdec --check "$T/file"
	run_of 1 | afenc | head -c -1 >"$T/file"
	appended 1
	said "afenc: $T/file:9: ends without a line break: it may have been cut"
	printf '# AFPerf v1     ' >"$T/file"
	appended 0
	same <(afenc "$T/in") "$T/file"
	# a file that is read while it is written to
	want_status 0 sh -c "afdec '$T/file' | afenc --append '$T/file' --renumber"
	want_status 0 afdec --check "$T/file"
	[ "$(grep -c '^RunInfo' "$T/file")" -eq 2 ]
	# a comment is no record
	{
		run_of 1 | afenc
		printf '# words'
	} >"$T/file"
	appended 0
	grep -qx '# words' "$T/file"
	want_status 0 afdec --check "$T/file"
}

@test "--append: ids that are there already are refused, or get others" {
	run_of 1 | afenc --hex | sed 's/,0x1\b/,0X01/g' >"$T/file"
	run_of 0x1 >"$T/in"
	appended 1
	said "afenc: $T/in:1: run id 0x1 is in the file already (--renumber gives another)"
	said "afenc: $T/in:3: region id 0x1 is in the file already (--renumber gives another)"
	said "afenc: $T/in:6: section id 0x1 is in the file already (--renumber gives another)"
	said "afenc: $T/file: nothing is appended"
	appended 0 --renumber
	said 'gave another number to 3 ids that were in use'
	appended 0 --renumber
	want_status 0 afdec --check "$T/file"
	[ "$(afdec "$T/file" | grep '^run' | cut -f 3 | sort -u | wc -l)" -eq 3 ]
	cut -f 2-4 <(afdec "$T/file" | grep '^sample' | sed 's/.*id=\(0x[0-9a-f]*\)	mid.*/a	b	c	\1/') >"$T/got"
	printf 'b\tc\t%s\n' 0x1 0x2 0x3 >"$T/want"
	same "$T/want" "$T/got"
	# what was no AFPerf before: the same recording again is refused, sections get the next numbers
	afenc "$D/raw.af" >"$T/file"
	cp "$D/raw.af" "$T/in"
	appended 1
	appended 0 --renumber
	want_status 0 afdec --check "$T/file"
}

# point VALUE [TAG]...: a sample with that value.
point() {
	local value=$1
	shift
	event sample 1 f m "$value" "$@"
}

@test "the type of a measure without a line is that of its value" {
	local value type
	while IFS='|' read -r value type; do
		point "$value" >"$T/in"
		want_status 0 afenc "$T/in"
		grep -q "^MeasurementType,1,0x1,0x[0-9a-f]*,m,$type," "$T/out" || fail "$value" || return
		grep -q "^SectionPoint,.*,$value\$" "$T/out" || fail "$value" || return
	done <<-END
		1.5|double
		-1.5|double
		.5|double
		-.5|double
		5.|double
		1e5|double
		-0|double
		007|double
		inf|double
		-inf|double
		nan|double
		99999999999999999999|double
		1$(printf '%0301d' 0).5|double
		0|int64
		-9223372036854775808|int64
		123456789012345|int64
		1234567890123456|int64
		1.5.2|string
		1:5|string
		1e400|string
		1e-400|string
		-|string
	END
}

@test "values that a type does not have are refused, each with its line" {
	local type good bad value
	while IFS='|' read -r type good bad; do
		for value in $good; do
			{
				event measure . . m . "type=$type" id=1
				point "$value"
			} >"$T/in"
			want_status 0 afenc "$T/in"
			[ "$value" != . ] || value='""'
			grep -q "^SectionPoint,1,1,0,1,$value\$" "$T/out" || fail "$type $value" || return
		done
		for value in $bad; do
			{
				event measure . . m . "type=$type" id=1
				point "$value"
			} >"$T/in"
			want_status 1 afenc "$T/in"
			said "afenc: $T/in:2: value of type $type: $value"
		done
	done <<-'END'
		int32|1 -2147483648 2147483647|-2147483649 2147483648 99999999999999999999 1.5 x
		bool|0 1|2 -1 99999999999999999999 true
		enum|. x 5|
		string|. x 5|
	END
	for value in . ''; do
		event agg 1 f m 5 "stat=$value" >"$T/in"
		want_status 1 afenc "$T/in"
		said "afenc: $T/in:1: agg line without stat="
	done
	for value in 2.0.0 x 1.0 ''; do
		event run 1 . . . "afperf=$value" unit=nanoseconds >"$T/in"
		want_status 1 afenc "$T/in"
		said "afenc: $T/in:1: afperf= is not a version of AFPerf v1"
	done
}

@test "what was AFPerf: comments and records that would be others" {
	local name
	native 'comment	.	.	.	.	words\r	type=text' >"$T/in"
	want_status 1 afenc "$T/in"
	said ": a comment that ends in a carriage return"
	native 'comment	.	.	.	.	.	type=text' >"$T/in"
	want_status 0 afenc "$T/in"
	[ "$(tail -n 1 "$T/out")" = '#' ]
	for name in '\t' ' ' '\t ' '#X' 'RunInfo'; do
		native "other	.	.	.	.	.	record=$name	fields=1" >"$T/in"
		want_status 1 afenc "$T/in"
		said ": record= is not the name of an unknown type" || fail "$name" || return
	done
	native 'other	.	.	.	.	.	record=\tX	fields=1' >"$T/in"
	want_status 0 afenc "$T/in"
	[ "$(tail -n 1 "$T/out")" = '"	X",1' ]
}

@test "--append: ids that a file spells with blanks and signs, and records that are cut" {
	local id
	run_of 0x1 >"$T/in"
	for id in ' 1' $'\t1' '+1' ' +1' $'\v\f\r 1' '0x01'; do
		printf '# AFPerf v1     \nRunInfo,0,nanoseconds,0,1.0.0,"%s",a,1,\n' "$id" >"$T/file"
		appended 1
		said "afenc: $T/in:1: run id 0x1 is in the file already" || fail "$id" || return
	done
	# no ids are what is no number, another sign, or missing
	for id in x -1 '1 ' '' '!1' $'\x0e1'; do
		printf '# AFPerf v1     \nRunInfo,0,nanoseconds,0,1.0.0,"%s",a,1,\n' "$id" >"$T/file"
		appended 0
		[ "$(grep -c '^RunInfo' "$T/file")" -eq 2 ] || fail "$id" || return
	done
	printf '# AFPerf v1     \nRunInfo,0\n' >"$T/file"
	appended 0
	[ "$(grep -c '^RunInfo' "$T/file")" -eq 2 ]
	# an aggregate of nobody, before the first run, belongs to the only run
	for id in '1,0,,mean,1,5' '1,0,7,mean,1,5' '1,0,,,1,5' '1,0'; do
		printf '# AFPerf v1     \nRegionAggregate,%s\nRunInfo,0,nanoseconds,0,1.0.0,7,a,1,\n' "$id" >"$T/file"
		if [ "$id" = '1,0,,mean,1,5' ]; then
			appended 1
			said "afenc: $T/file:2: a blank record id before the first run: with a second run it would belong to no run"
		else
			appended 0
		fi
	done
}

@test "times that are none, and that a unit does not have" {
	local time
	for time in -1 1.5 007 -123456789012345678 0123456789012345678 01234567890123456789 012345678901234567890 \
		-12345678901234567890 1234567890123456789x 123456789012345678.5 "$(printf '1%060d' 0)"; do
		event sample "$time" f m 1 >"$T/in"
		want_status 1 afenc "$T/in"
		[ "$(grep '^afenc: [^:]*:1: ' "$T/err")" = "afenc: $T/in:1: not a time: ${time:0:60}" ] || fail "$time" || return
		[ "$(grep -c '^SectionPoint' "$T/out")" -eq 0 ] || fail "$time" || return
	done
	for time in 0 7 100000000000000000 100000000000000001 1000000000000000000 1000000000000000001 \
		9099999999999999999 10000000000000000000 10000000000000000001 18446744073709551615; do
		event sample "$time" f m 1 >"$T/in"
		want_status 0 afenc "$T/in"
		[ "$(grep -c "^SectionPoint,$time,1,0,0x[0-9a-f]*,1$" "$T/out")" -eq 1 ] || fail "$time" || return
	done
	for time in 5 500000000 1500000000; do
		{
			event run . . . . afperf=1.0.0 unit=s
			event start "$time" r . . scope=region id=7
		} | sed 's/0x1/1/' >"$T/in"
		want_status 1 afenc "$T/in"
		said "afenc: $T/in:2: not a multiple of the run's unit of time, or beyond 64 bits"
	done
}

@test "--append: a run with a name instead of a number is there already, or gets another one" {
	run=name event run 1 . . . app=a >"$T/in"
	run=name event sample 2 f m 1 >>"$T/in"
	afenc "$T/in" >"$T/file" 2>/dev/null
	appended 1
	said "is in the file already"
	appended 0 --renumber
	said 'gave another number to '
	[ "$(grep -c '^RunInfo' "$T/file")" -eq 2 ]
	[ "$(grep '^RunInfo' "$T/file" | cut -d , -f 6 | sort -u | wc -l)" -eq 2 ]
	want_status 0 afdec --check "$T/file"
}

@test "what was AFPerf: a name that only begins as the region's, and tags that begin as known ones" {
	native 'start	5000	1	region	.	.	scope=region	id=5' 'stop	6000	1	reg	.	.	scope=region	id=5' \
		'stop	6000	1	region	.	.	scope=region	id=5' >"$T/in"
	want_status 1 afenc "$T/in"
	said "afenc: $T/in:4: "
	[ "$(grep -c '^RegionStop' "$T/out")" -eq 1 ]
	point 1 stacks=1 stack=a 'stac=2' staca=3 >"$T/in"
	want_status 0 afenc "$T/in"
	said "left out 4 tags of 1 line: AFPerf has no place for them"
}

@test "--append: nothing is appended where anything is wrong" {
	run_of 1 | afenc >"$T/file"
	{
		run_of 2
		echo 'sample	1	2	r	t	text	scope=region	id=2	mid=7	unit=s	type=double'
	} >"$T/in"
	appended 1
	printf '#afstream\t1\tp\tx\n' >"$T/in"
	run_of 2 >>"$T/in"
	appended 1
	: >"$T/in"
	appended 1
	run_of 2 >"$T/in"
	local bad
	for bad in '# AFPerf v2     ' '# AFPerf v1' '' 'RunInfo,1' '# AFPerf v1     \n# AFPerf v2     \n' \
		'# AFPerf v1     \nRunInfo,"' '# AFPerf v1     \na,b"c\n'; do
		# shellcheck disable=SC2059 # it is the format
		printf "$bad" >"$T/file"
		appended 1
		said "afenc: $T/file:"
	done
	rm "$T/file"
	want_status 3 afenc --append "$T/file" "$T/in"
	said "afenc: $T/file: cannot open: No such file or directory"
	[ ! -e "$T/file" ]
	want_status 3 afenc --append "$T" "$T/in"
	want_status 1 afenc --append /dev/null "$T/in"
	said 'not a regular file'
	run_of 1 | afenc >"$T/file"
	TMPDIR=$T/none appended 3
	if [ "$(id -u)" -ne 0 ]; then
		chmod a-w "$T/file"
		appended 3
	fi
}

@test "--append: with closed descriptors, the file is not taken for standard input or error" {
	run_of 1 | afenc >"$T/file"
	cp "$T/file" "$T/want"
	event note . . . . 'text=not for AFPerf' | cat - <(run_of 2) >"$T/in"
	want_status 0 afenc --append "$T/want" "$T/in"
	said 'left out 1 note line'
	afenc --append "$T/file" "$T/in" 2>&-
	same "$T/want" "$T/file"
	want_status 3 afenc --append "$T/file" --renumber - <&-
	said 'afenc: -: '
	same "$T/want" "$T/file"
}

@test "--append: a disk that is full" {
	run_of 1 | afenc >"$T/file"
	awk 'BEGIN { for (i = 0; i < 20; i++) print "# " i, "words words words words words" }' >>"$T/file"
	run_of 2 >"$T/in"
	# files of at most 1024 bytes: the temporary one fits, the other does not
	[ "$(wc -c <"$T/file")" -lt 1024 ]
	[ "$(($(wc -c <"$T/file") + $(afenc "$T/in" | wc -c) - 17))" -gt 1024 ]
	cp "$T/file" "$T/before"
	want_status 3 bash -c "ulimit -f 1; afenc --append '$T/file' '$T/in'"
	said 'cannot write; nothing is appended: File too large'
	same "$T/before" "$T/file"
}

@test "--append: two writers, one after the other" {
	local i pid
	need_proc
	run_of 1 | afenc >"$T/file"
	mkfifo "$T/slow"
	afenc --append "$T/file" "$T/slow" 3>&- &
	pid=($!)
	exec 7>"$T/slow"
	soon waits "${pid[0]}" # it has the lock
	for i in 3 4 5 6; do
		run_of $i >"$T/in.$i"
		afenc --append "$T/file" "$T/in.$i" 3>&- 7>&- &
		pid+=($!)
	done
	for i in "${pid[@]}"; do
		soon waits "$i"
	done
	run_of 2 >&7
	exec 7>&-
	for i in "${pid[@]}"; do
		wait "$i"
	done
	want_status 0 afdec --check "$T/file"
	afdec "$T/file" | grep '^run' | cut -f 3 | sort | tr '\n' ' ' >"$T/got"
	printf '1 2 3 4 5 6 ' >"$T/want"
	same "$T/want" "$T/got"
}

@test "--append: signals leave all or nothing" {
	local sig pid status
	need_proc
	helpers sigdfl
	run_of 1 | afenc >"$T/file"
	cp "$T/file" "$T/before"
	mkfifo "$T/slow"
	for sig in HUP INT QUIT TERM USR1 ALRM PIPE; do
		# a background job ignores INT and QUIT
		sigdfl afenc --append "$T/file" "$T/slow" 2>/dev/null 3>&- &
		pid=$!
		exec 7>"$T/slow"
		run_of 2 >&7
		soon waits $pid
		kill -s "$sig" $pid
		exec 7>&-
		status=0
		wait $pid || status=$?
		if [ "$sig" = INT ]; then # the producer ends first: all of it came
			[ $status -eq 0 ]
			cp "$T/before" "$T/file"
		else
			[ $status -ne 0 ]
			same "$T/before" "$T/file"
		fi
	done
}

@test "--append: a signal at any time leaves all or nothing" {
	local i status nothing=0
	preload sigat
	run_of 1 | afenc >"$T/file"
	cp "$T/file" "$T/before"
	{
		run_of 2
		awk 'BEGIN { for (i = 0; i < 30000; i++)
			print "sample\t" i "\t2\tr\tt\t0.5\tscope=region\tid=2\tmid=7\tunit=s\ttype=double" }'
	} >"$T/in"
	cp "$T/file" "$T/whole"
	afenc "$T/in" | tail -n +2 >>"$T/whole"
	for ((i = 1; i < 1000; i++)); do
		cp "$T/before" "$T/file"
		status=0
		SIGAT=$i LD_PRELOAD=$HELPERS/sigat.so afenc --append "$T/file" "$T/in" 2>"$T/err" || status=$?
		if [ $status -eq 0 ]; then
			same "$T/whole" "$T/file"
			break
		fi
		same "$T/before" "$T/file"
		nothing=$((nothing + 1))
	done
	[ $status -eq 0 ]
	[ $nothing -gt 10 ]
	silent
}

@test "any stream: what is written comes back, every line" {
	local n=1000 step=37 corpus=$ROOT/t/fuzz/corpus/afenc
	helpers fuzz-afenc
	[ -z "${AFPIPE_SLOW-}" ] || { n=5000 step=5; }
	want_status 0 fuzz-afenc "$corpus"/* "$D"/*.af
	want_status 0 fuzz-afenc --random $n 1
	want_status 0 fuzz-afenc --prefixes $step "$corpus"/*
	want_status 0 fuzz-afenc --flips 150 1 "$corpus"/*
	silent
}

# bats test_tags=slow
@test "many runs and types take no time that grows with their square" {
	local n
	need valgrind
	for n in 200 2000; do
		awk -v n=$n 'BEGIN { OFS = "\t"; for (i = 1; i <= n; i++) {
			print "run", i, i, ".", ".", ".", "unit=ns", "wall=0", "app=a", "afperf=1.0.0"
			print "measure", 0, i, ".", "m", ".", "id=1", "type=double", "unit=s"
			print "measure", 0, 1, ".", "m" i, ".", "id=" i + 1, "type=double", "unit=s"
			print "sample", i, i, ".", "m", 0.5, "scope=run", "mid=1", "unit=s", "type=double"
		} }' >"$T/$n"
		sort -r "$T/$n" >"$T/late.$n"
	done
	linear "$T/200" "$T/2000" afenc --no-marks
	silent
	[ "$(wc -l <"$T/out")" -eq 8001 ]
	linear "$T/late.200" "$T/late.2000" afenc --no-marks
}

# grows LINES NAMES...: the time of a stream grows as it does, of these lines for each name that the
# command prints: NAME in them is the name, and NUMBER its number.
grows() {
	local text=$1 n
	shift
	for n in 400 4000; do
		"$@" | head -n $n | awk -v text="$text" '{ line = text; gsub("NAME", $1, line)
			gsub("NUMBER", NR, line); print line }' >"$T/$n"
	done
	linear "$T/400" "$T/4000" afenc --no-marks || return
	[ -s "$T/out" ] || fail 'no output'
}

# bats test_tags=slow
@test "names that collide without a seed take no time that grows with their square" {
	local run='run\t1\tNAME\t.\t.\t.\twall=0' sample='sample\t1\tNAME\tf\tm\tNUMBER' type names
	need valgrind
	helpers collidenames
	type='measure\t.\t1\t.\tNAME\t.\ttype=int64\tunit=nsNUMBER'
	for names in 'collidenames 4000' 'seq 4000' 'seq -f name-%.0f 4000' 'seq -f 0x%.0f 4000'; do
		# shellcheck disable=SC2086 # words
		grows "$run\n$sample" $names || fail "runs: $names"
		[ "$(grep '^RunInfo' "$T/out" | cut -d , -f 6 | sort -u | wc -l)" -eq 4000 ]
	done
	for names in 'collidenames 4000 1' 'seq 4000' 'yes same'; do
		# shellcheck disable=SC2086
		grows "$type" $names || fail "types: $names"
		[ "$(grep '^MeasurementType' "$T/out" | cut -d , -f 4 | sort -u | wc -l)" -eq 4000 ]
	done
}

# bats test_tags=slow
@test "types after one whose record has to wait take no time that grows with their square" {
	local n
	need valgrind
	for n in 400 4000; do
		awk -v n=$n 'BEGIN { OFS = "\t"
			print "run", 0, 1, ".", ".", ".", "wall=0"
			print "measure", 0, 1, ".", "of-no-type", ".", "unit=ns"
			for (i = 0; i < n; i++) {
				print "measure", 0, 1, ".", "m" i, ".", "type=int64", "unit=ns"
				print "sample", i, 1, "f", "m" i, i
			}
		}' >"$T/$n"
	done
	linear "$T/400" "$T/4000" afenc --no-marks
	[ "$(grep -c '^SectionPoint' "$T/out")" -eq 4000 ]
	silent
}

# Most samples are read in one step, all other lines step by step.  scope=. means no scope, but a line
# with it is not read in one step.
# bats test_tags=slow,sanitize
@test "random samples: those read in one step give the same file as the others" {
	local seed option status
	for seed in $(seq 80); do
		mawk -v seed="$seed" 'function one_of(list,  a, n) { n = split(list, a, " "); return a[1 + int(n * rand())] }
		BEGIN {
			srand(seed); OFS = "\t"; time = 100000
			odd = one_of("0 00 1.5 -3 . t 9007199254740993"); tag = one_of("stat start=5 mid=1 type=text tid=2")
			runs = one_of("0x1 0x1,@1 0x1,@1,."); gsub(",", " ", runs)
			if (rand() < .8) print "run", one_of("90 ."), "0x1", ".", ".", ".", "unit=ns", one_of("app=x afperf=1.0.0")
			if (rand() < .5) print "run", ".", "@1", ".", ".", ".", "afperf=1.0.0", "unit=ns"
			for (i = 0; i < 60; i++) {
				if (rand() < (i < 3 ? .8 : .06))
					print "measure", ".", one_of(runs), ".", one_of("a b"), ".", "id=" one_of("1 1 2"), \
					    "type=" one_of("int64 int64 double int32 bool string"), "unit=ns"
				if (rand() < .03) print "run", time, "0x" 10 + i, ".", ".", ".", "unit=ns"
				if (rand() < .03) print "agg", time, "0x1", "f", "a", "1.5", "stat=mean", "start=" time
				time += int(9 * rand()) * 1000 - 3500
				print "sample", rand() < .98 ? time : one_of(". 0 007 x 12345678901234567890"), one_of(runs), \
				    one_of("f f main long_name_of_a_function_that_is_called g . a,b"), \
				    one_of("a a b"), rand() < .93 ? 1 + int(1000 * rand()) : odd, \
				    "pid=1", rand() < .9 ? "stack=f;g" : tag
			}
		}' >"$T/plain"
		mawk 'BEGIN { FS = OFS = "\t" } $1 == "sample" { $7 = "scope=.\t" $7 } { print }' "$T/plain" >"$T/spelled"
		for option in --hex --ids --crlf; do
			status=0
			afenc --no-marks "$option" <"$T/plain" >"$T/one" 2>"$T/one.err" || status=$?
			[ "$status" -le 1 ]
			[ -s "$T/one" ]
			want_status "$status" afenc --no-marks "$option" <"$T/spelled"
			same "$T/one" "$T/out"
			same "$T/one.err" "$T/err"
		done
	done
}

# Lines name a measure with its unit and id, or less.  What a line leaves open, the first measure that
# fits has.  The model looks at all measures for each line.
@test "measures that only data has named: each value is with the type that its line names" {
	need python3
	python3 - <<-'END'
		import csv, random, subprocess
		def of(names, measures, key):
		    """The measure of a line that gives this name, unit and id."""
		    if key not in names:
		        for m in measures:
		            if m[0] == key[0] and all("." in (a, b) or a == b for a, b in zip(m[1:], key[1:])):
		                break
		        else:
		            measures.append(m := ["."] * 3)
		        units.setdefault(id(m), set()).add(key[1] != ".")
		        m[:] = [k if had == "." else had for had, k in zip(m, key)]
		        names[key] = m
		    return names[key]
		for seed in range(60):
		    r, names, measures, lines, want, units = random.Random(seed), {}, [], [], {}, {}
		    for value in range(1000, 1000 + r.choice((6, 12, 40))):
		        name = r.choice("mst") + r.choice(("", "", "m"))
		        key = (name, r.choice("..ms"), r.choice((".", ".", "1%d" % ord(name[0]), "2%d" % ord(name[0]))))
		        lines.append("sample\t%d\t0x1\tr\t%s\t%d" % (value, name, value))
		        lines[-1] += "".join("\t%s=%s" % tag for tag in zip(("unit", "mid"), key[1:]) if tag[1] != ".")
		        want[value] = of(names, measures, key)
		    out = subprocess.run(["afenc", "--no-marks"], input="\n".join(lines) + "\n", text=True,
		                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
		    both = sum(len(u) == 2 for u in units.values())
		    assert out.stderr == "afenc: no run line for 1 run: made from the data\n" \
		        "afenc: no measure line for %d measure%s: made from the data\n" % (
		        len(measures), "s" * (len(measures) > 1)) + (
		        "afenc: values of %d measure%s that have no unit get that of the others, which no "
		        "measure line says (unit=. means none)\n" % (both, "s" * (both > 1)) if both else ""), (
		        seed, out.stderr)
		    types, made = {}, {}
		    for row in csv.reader(out.stdout.splitlines()):
		        if row[0] == "MeasurementType":
		            types[row[3]] = row[4], row[6]
		        elif row[0] == "SectionPoint":
		            m = want.pop(int(row[5]))
		            assert types[row[4]] == (m[0], "count" if m[1] == "." else m[1]), (seed, row)
		            assert made.setdefault(id(m), row[4]) == row[4], (seed, row)
		            if [o[2] for o in measures].count(m[2]) == 1 and m[2] != ".":
		                assert row[4] == m[2], (seed, row)
		    assert not want and len(types) == len(set(made.values())) == len(measures), seed
	END
}

# bats test_tags=slow
@test "measures that only data has named take no time that grows with their square" {
	local sample='sample\t1\t1\tf\tm\t1\tmid=NUMBER\tunit=uNUMBER' measure
	need valgrind
	measure='measure\t1\t1\t.\tm\t.\tid=NUMBER\tunit=uNUMBER\ttype=int64'
	grows "$sample" seq 4000
	[ "$(grep -c '^MeasurementType' "$T/out")" -eq 4000 ]
	grows "${sample%unit*}" seq 4000
	grows "${sample%mid*}unit=uNUMBER" seq 4000
	grows "$sample\n${sample%unit*}\n$measure" seq 4000
	[ "$(grep -c '^MeasurementType' "$T/out")" -eq 4000 ]
}

# bats test_tags=slow
@test "what is blank and open takes no time that grows with its square" {
	local kind n
	need valgrind
	for kind in region interval; do
		for n in 400 4000; do
			awk -v n=$n -v kind=$kind 'BEGIN { OFS = "\t"
				print "run", 0, 1, ".", ".", ".", "unit=ns", "wall=0", "afperf=1.0.0"
				for (s = 1; s <= 2; s++)
					print "section", 0, 1, "s", ".", ".", "scope=section", "id=" s
				for (i = 1; i <= n; i++)
					print "start", i, 1, "r", ".", ".", "scope=region", "id=@" i
				for (i = 1; kind == "interval" && i <= n; i++)
					print "start", i, 1, "s", ".", ".", "scope=section", "id=1", "interval=@" i
				for (i = n; i > 0; i--)
					print "stop", 2 * n, 1, "r", ".", ".", "scope=region", "id=@" i
			}' >"$T/$n"
		done
		linear "$T/400" "$T/4000" afenc --no-marks
		[ "$(grep -c '^RegionStop' "$T/out")" -eq 4000 ]
		silent
	done
}

# bats test_tags=slow
@test "a type that is defined anew again and again takes no time that grows with the square" {
	local names n
	need valgrind
	for names in 200000 2; do
		for n in 400 4000; do
			native | head -n 1 >"$T/$n"
			awk -v names=$names -v n=$n 'BEGIN { OFS = "\t"; for (i = 0; i < n; i++) {
				print "measure", 2000, 1, ".", "m" i % names, ".", "id=7", "type=double", "unit=s"
				print "sample", 2000, 1, ".", "m" i % names, 2, "scope=run", "mid=7", "unit=s", "type=double"
			} }' >>"$T/$n"
		done
		linear "$T/400" "$T/4000" afenc --no-marks
		silent
		[ "$(wc -l <"$T/out")" -eq 8002 ]
	done
}

@test "--append: a signal during the copy cuts the file back, and ends the program" {
	local status=0
	preload sigwrite
	run_of 1 | afenc >"$T/file"
	cp "$T/file" "$T/before"
	run_of 2 >"$T/in"
	LD_PRELOAD=$HELPERS/sigwrite.so afenc --append "$T/file" "$T/in" >"$T/out" 2>"$T/err" || status=$?
	[ $status -eq 143 ]
	same "$T/before" "$T/file"
}

# one_fails K OPTION...: encodes $T/in to $T/got, or adds it to what is there, and the K-th allocation
# fails.  What it says goes to $T/err.
one_fails() {
	local k=$1 status=0
	shift
	case ${1-} in
	--append)
		cp "$T/file" "$T/got"
		LD_PRELOAD=$HELPERS/nomem.so NOMEM=$k afenc --append "$T/got" --renumber "$T/in" 2>"$T/err" || status=$?
		;;
	*) LD_PRELOAD=$HELPERS/nomem.so NOMEM=$k afenc "$@" "$T/in" >"$T/got" 2>"$T/err" || status=$? ;;
	esac
	return $status
}

@test "memory for the key of a measure that lines have named before its definition, and for its entry" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	local i unit
	helpers fault nomem.so
	fault true >"$T/log" 2>&1 || [ $? -ne 77 ] || skip "not for this machine"
	refused() {
		local status=0
		fault -m "$HELPERS/nomem.so" afenc "$T/in" >"$T/log" 2>&1 || status=$?
		[ $status -eq 0 ] || fail "$(head -n 20 "$T/log" | cut -c 1-400)"
		grep -q '^afenc: [0-9]\{3\} runs, [0-9]\{2,\} refused, 0 wrong$' "$T/log"
	}
	# a unit that makes the key longer than any before it
	unit=$(printf '%03000d' 0)
	{
		run=7 event run . . . .
		run=7 event sample 5 f m 1
		run=7 event measure . . m . "unit=$unit" mid=0x5
		run=7 event sample 6 f m 2 "unit=$unit" mid=0x5
		run=7 event measure . . m . unit=s
		run=7 event sample 7 f m 3 unit=s
	} >"$T/in"
	refused
	# as many measures as there is room for at the definition
	{
		run=7 event run . . . .
		for i in {1..16}; do
			run=7 event sample 5 f "m$i" 1
		done
		run=7 event measure . . m3 . unit=s
		run=7 event sample 6 f m3 2 unit=s
	} >"$T/in"
	refused
}

# bats test_tags=slow
@test "memory for a text that is spelled with a backslash, in each field" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	local long line regex
	# longer than any text before it
	long='\x01'$(printf '%02000d' 0)
	regex='\\x\{?010*'
	for line in "run 0 $long . . ." "run 0 1 . . . app=$long" "run 0 1 . . . tag.$long=v" \
		"run 0 1 . . . k=$long" "measure . 1 . $long ." "measure . 1 . m . unit=$long" \
		"measure . 1 . m . summary=$long" "measure . 1 . m . description=$long" "sample 1 1 $long m 1" \
		"sample 1 1 f m $long" "agg 1 1 $long m 1 stat=sum" "agg 1 1 f m 1 stat=$long" \
		"agg 1 1 f m 1 stat=sum k=$long" "agg 1 1 f m 1 stat=sum tag.$long=v" "span 1 1 $long . 1"; do
		lines "$T/in" <<<"$line"
		AFPIPE_SLOW=yes starves 10 afenc "$T/in" || fail "$line"
		grep -qE "$regex" "$T/whole" || fail "$line: $(cat "$T/whole")"
	done
	# what was AFPerf
	for line in "RegionStart,0,1,1,${long/01/{01\}}," "RegionStart,0,1,1,f,${long/01/{01\}}=v" \
		"RegionStart,0,1,1,f,k=${long/01/{01\}}" "RegionStart,0,1,1,f,,${long/01/{01\}}" \
		"Other,1,${long/01/{01\}}" "${long/01/{01\}},x"; do
		printf '%s\n' '# AFPerf v1     ' 'RunInfo,0,nanoseconds,0,1.1.0,1,app,1,' "$line" |
			afdec --all - >"$T/in" 2>"$T/err"
		AFPIPE_SLOW=yes starves 10 afenc "$T/in" || fail "$line"
		grep -qE "$regex" "$T/whole" || fail "$line: $(cat "$T/whole")"
	done
}

# bats test_tags=slow,sanitize
@test "memory that runs out, at each of its allocations" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	local k n status how f step=11 beyond=5
	[ -z "${AFPIPE_SLOW-}" ] || { step=1 beyond=10; }
	helpers nomem.so || skip "no preloading here"
	run_of 1 | afenc >"$T/file"
	# ids that are numbers, and those that are made of a name
	{
		run_of 0x3
		run_of 44 | sed 's/	44	/	job	/'
	} >"$T/plain"
	for f in "$BATS_TEST_DIRNAME"/fuzz/corpus/afenc/blank "$D"/{agg,pooled,redefined,undefined}.af "$T/plain"; do
		cp "$f" "$T/in"
		for how in '' --ids --append; do
			# shellcheck disable=SC2086 # nothing, or one word
			one_fails 0 $how || fail "$(cat "$T/err")"
			cp "$T/got" "$T/want"
			for ((k = 1, n = 0; n < beyond; k += step)); do # no allocation fails beyond the last
				status=0
				# shellcheck disable=SC2086
				one_fails $k $how || status=$?
				case $status in
				0) same "$T/want" "$T/got" && n=$((n + 1)) ;;
				3) n=0 && { [ "$how" != --append ] || same "$T/file" "$T/got"; } ;;
				*) false ;;
				esac || fail "$f $how: allocation $k: status $status: $(cat "$T/err")"
			done
			[ "$k" -gt 50 ]
		done
	done
}

@test "texts and numbers of one measure: two types, and numbers come back as numbers" {
	local first=7 second='abc	type=text' i
	for i in 1 2; do
		printf 'run\t0\t1\t.\t.\t.\tunit=ns\nmeasure\t.\t1\t.\tm\t.\tunit=s\n' >"$T/in"
		printf 'sample\t5\t1\tf\tm\t%s\n' "$first" "$second" '12	type=text' 2.5 >>"$T/in"
		back "$T/in"
		grep ^MeasurementType "$T/file" | cut -d , -f 5-7 | sort | same - <(printf 'm,%s,s\n' double string)
		grep ^sample "$T/out" | cut -f 6,12 | sort |
			same - <(printf '%s\n' '12	type=text' '2.5	type=double' '7	type=double' 'abc	type=text')
		first='abc	type=text' second=7
	done
	# with a datatype, there is one type
	sed -i 's/unit=s/type=string\tunit=s/' "$T/in"
	back "$T/in"
	[ "$(grep -c ^MeasurementType "$T/file")" -eq 1 ]
	[ "$(grep -c '^sample.*type=text' "$T/out")" -eq 4 ]
}

@test "texts and numbers of a measure without a line: two types, whichever comes first" {
	local lines=('a	type=text' 5 '7	type=text' 2.5)
	printf 'sample\t5\t1\tf\tm\t%s\n' "${lines[@]}" >"$T/in"
	back "$T/in"
	grep '^sample' "$T/out" | cut -f 6,12 |
		same - <(printf '%s\n' 'a	type=text' '5	type=double' '7	type=text' '2.5	type=double')
	printf 'sample\t5\t1\tf\tm\t%s\n' 5 'a	type=text' 2.5 '7	type=text' >"$T/in"
	back "$T/in"
	grep '^sample' "$T/out" | cut -f 6,12 |
		same - <(printf '%s\n' '5	type=double' 'a	type=text' '2.5	type=double' '7	type=text')
}

@test "results that are numbers, of a measure of texts: they come back as numbers, and afdiff compares them" {
	native 'measure	2000	1	.	e	.	id=8	type=enum	unit=-' \
		'measure	2000	1	.	state	.	id=9	type=string	unit=text' \
		'sample	3000	1	.	e	ON	scope=run	mid=8	unit=-	type=text	tid=12' \
		'sample	3000	1	.	state	5	scope=run	mid=9	unit=text	type=text	tid=13' >"$T/in"
	want_status 0 afagg --of tid --stat sum,mean,count "$T/in"
	mv "$T/out" "$T/results"
	back "$T/results"
	grep '^agg' "$T/out" | cut -f 5,6,7 | sort | same - <(printf '%s\n' 'e	1	stat=count' 'e	12	stat=mean' \
		'e	12	stat=sum' 'state	1	stat=count' 'state	13	stat=mean' 'state	13	stat=sum')
	! grep '^agg.*type=text' "$T/out" || fail 'a text'
	mv "$T/out" "$T/back"
	want_status 0 afdiff "$T/results" "$T/back"
	# counts of texts are what they were
	want_status 0 afagg --stat count "$T/in"
	mv "$T/out" "$T/results"
	back "$T/results"
	[ "$(grep -c '^agg.*stat=count.*type=text' "$T/out")" -eq 2 ]
}

@test "results without a time come back without one: those of --zeros are in their own window" {
	printf '%s\n' 'run	3	1	.	.	.	unit=ns' 'measure	.	1	.	m	.	type=int64	unit=ns' 'sample	5	1	f	m	7' \
		'sample	6	1	g	m	9' 'sample	25	1	g	m	3' >"$T/in"
	want_status 0 afagg --by region --window 10ns --zeros region --stat sum "$T/in"
	grep -q '^agg	\.	.*	window=20	.*	n=0' "$T/out"
	mv "$T/out" "$T/results"
	back "$T/results"
	[ "$(grep -c start= "$T/file")" -eq 1 ]
	grep '^agg' "$T/out" | cut -f 1-7,10- >"$T/got"
	same - "$T/got" <<-'END'
		agg	5	1	f	m	7	stat=sum	unit=ns	window=0	n=1	windows=10
		agg	.	1	f	m	0	stat=sum	window=20	n=0	windows=10
		agg	6	1	g	m	9	stat=sum	unit=ns	window=0	n=1	windows=10
		agg	25	1	g	m	3	stat=sum	unit=ns	window=20	n=1	windows=10
	END
	mv "$T/out" "$T/back"
	for file in results back; do
		want_status 0 afagg --kind agg --window 10ns --stat mean "$T/$file"
		grep '^agg' "$T/out" | cut -f 2-8,9 >"$T/$file.mean"
	done
	same "$T/results.mean" "$T/back.mean"
	# a time of the key is not a lack of one, nor is a tag of a label
	printf 'agg\t7\t1\tf\tm\t1\tstat=sum\ttime=.\ttag.start=.\tstart=7\tn=1\n' >"$T/in"
	back "$T/in"
	grep -q '^agg	7	.*	start=7	.*	tag.start=\.' "$T/out"
}

@test "a word among the tags of a result is not that it has no unit" {
	printf 'agg\t9\t1\tf\tm\t4\tunit\tstat=sum\tstart=3\tunit=ns\n' >"$T/in"
	afenc --no-marks "$T/in" >"$T/file" 2>"$T/err"
	afdec "$T/file" 2>"$T/err" | grep '^agg' >"$T/got"
	grep -q '	unit=ns' "$T/got"
	[ "$(grep -c 'unit=\.' "$T/got")" -eq 1 ]
	grep -q '	tag\.unit=\.' "$T/got"
}

@test "times that are no multiples of the unit of a run that was AFPerf: starts, and lines like those before" {
	native 'span	8000	1	f	t	2	start=5500' 'sample	8000	1	f	t	2' 'sample	9000	1	f	t	3' \
		'sample	9500	1	f	t	4' 'sample	10000	1	f	t	5' >"$T/in"
	want_status 1 afenc "$T/in"
	printf "afenc: $T/in:%d: not a multiple of the run's unit of time, or beyond 64 bits\n" 3 6 | same - "$T/err"
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,2,microseconds,1.5,1.2.0,1,a,,k=v' 'MeasurementType,2,1,7,t,double,s,,' \
		'SectionInfo,8,1,1,f,' 'SectionStart,8,1,0' 'SectionPoint,8,1,0,7,2' 'SectionPoint,9,1,0,7,3' \
		'SectionPoint,10,1,0,7,5' 'SectionStop,10,1,0' | same - "$T/out"
}

@test "values at the edges of their types: doubles without a digit on a side, bits, integers of any size" {
	printf '%s\n' 'run	0	1	.	.	.	app=a	unit=ns' 'sample	1	1	f	d	.5' 'sample	1	1	f	d	-5.' \
		'sample	6	1	f	b	0' 'measure	7	1	.	b	.	type=bool	unit=count' \
		'sample	8	1	f	b	123456789012345678901' 'sample	8	1	f	b	2' 'sample	8	1	f	b	1' >"$T/in"
	want_status 1 afenc --no-marks "$T/in"
	printf '%s\n' "afenc: $T/in:6: value of type bool: 123456789012345678901" "afenc: $T/in:7: value of type bool: 2" \
		'afenc: no measure line for 1 measure: made from the data' | same - "$T/err"
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,0,nanoseconds,,1.0.0,1,a,,' \
		'MeasurementType,0,1,0x456ee27ce7e3c396,d,double,count,,' \
		'MeasurementType,7,1,0x70f6dbc2e36ae52e,b,int64,count,,' 'SectionInfo,1,1,1,f,' 'SectionStart,1,1,0' \
		'SectionPoint,1,1,0,0x456ee27ce7e3c396,.5' 'SectionPoint,1,1,0,0x456ee27ce7e3c396,-5.' \
		'SectionPoint,6,1,0,0x70f6dbc2e36ae52e,0' 'SectionPoint,8,1,0,0x70f6dbc2e36ae52e,1' \
		'SectionStop,8,1,0' >"$T/want"
	same "$T/want" "$T/out"
}

@test "what was AFPerf: an enum with the unit text, which afdec accepts, keeps it" {
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,1,nanoseconds,1,1.0.0,1,a,,' 'MeasurementType,1,1,7,e,enum,text,,' \
		'RunPoint,2,1,7,RED' >"$T/file"
	want_status 0 afdec "$T/file"
	afenc "$T/out" | same "$T/file" -
}

@test "a pause before all else of its run" {
	printf '%s\n' 'pause	9	2	.	.	.	start=5' 'sample	10	2	f	m	1' >"$T/in"
	want_status 0 afenc --no-marks "$T/in"
	printf '%s\n' 'afenc: no run line for 1 run: made from the data' \
		'afenc: no measure line for 1 measure: made from the data' | same - "$T/err"
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,5,nanoseconds,,1.0.0,2,,,' \
		'MeasurementType,5,2,0x13ce9555caf1bc72,m,int64,count,,' 'PauseResume,9,5,2' 'SectionInfo,10,2,1,f,' \
		'SectionStart,10,1,0' 'SectionPoint,10,1,0,0x13ce9555caf1bc72,1' 'SectionStop,10,1,0' | same - "$T/out"
}
