# SPDX-License-Identifier: ISC
# csvenc.bats - a stream as CSV: columns, quotes, and what waits.

load lib
load perun

# made LINE...: a stream of these lines; \t and such as printf has them.
made() {
	printf %b "$*" >stream
}

# table LINE...: the output is these lines.
table() {
	printf '%s\n' "$@" >want
	same want out
}

# fields FILE: what Python's csv module reads of it, as JSON, a record a line.
fields() {
	python3 -c '
import csv, json, sys
for row in csv.reader(open(sys.argv[1], newline="", encoding="utf-8", errors="surrogateescape"), strict=True):
    print(json.dumps(row))' "$1"
}

SAMPLES='run\t1\t0x1\t.\t.\t.\tunit=ns\nmeasure\t.\t0x1\t.\tcycles\t.\tid=1
sample\t1\t0x1\tmain\tcycles\t10\tpid=1\tcomm=a,b
sample\t2\t0x1\tmain\tcycles\t-0\tcomm=.\tcpu=3
section\t.\t0x1\ts\t.\t.\tid=1
agg\t.\t.\tf\tcycles\t1e300\tstat=sum\n'

# bats test_tags=quick
@test "columns in the order of their first coming" {
	made "$SAMPLES"
	want_status 0 csvenc stream
	silent
	table kind,time,run,region,measure,value,pid,comm,cpu,stat \
		'sample,1,0x1,main,cycles,10,1,"a,b",,' \
		'sample,2,0x1,main,cycles,-0,,,3,' \
		'agg,,,f,cycles,1e300,,,,sum'
}

@test "tags out of the order of the columns, repeated, or named like a column" {
	made 'sample\t1\tr\ta\tm\t1\tx=1\ty=2\tz=3
sample\t2\tr\ta\tm\t1\tz=3\tx=1
sample\t3\tr\ta\tm\t1\ty=2\ty=4\tz=3
sample\t4\tr\ta\tm\t1\tx=,\tkind=k\tz= 5
sample\t5\tr\ta\tm\t1\tz=\\\\\tlone\n'
	want_status 0 csvenc stream
	silent
	table kind,time,run,region,measure,value,x,y,z,y,kind, \
		sample,1,r,a,m,1,1,2,3,,, \
		sample,2,r,a,m,1,1,,3,,, \
		sample,3,r,a,m,1,,2,3,4,, \
		'sample,4,r,a,m,1,",",," 5",,k,' \
		'sample,5,r,a,m,1,,,\,,,lone'
}

@test "short keys that differ in one byte are columns of their own" {
	local key keys='xbc axc abx xb ax x' all=abc,ab,a,xbc,axc,abx,xb,ax,x
	{
		event sample 1 f m 1 abc=1 ab=2 a=3
		for key in $keys; do event sample 2 f m 1 "$key=1"; done
	} >stream
	want_status 0 csvenc stream
	table kind,time,run,region,measure,value,$all sample,1,0x1,f,m,1,1,2,3,,,,,, \
		sample,2,0x1,f,m,1,,,,1,,,,, sample,2,0x1,f,m,1,,,,,1,,,, sample,2,0x1,f,m,1,,,,,,1,,, \
		sample,2,0x1,f,m,1,,,,,,,1,, sample,2,0x1,f,m,1,,,,,,,,1, sample,2,0x1,f,m,1,,,,,,,,,1
	for key in $keys; do
		{
			event sample 1 f m 1 abc=1 ab=2 a=3
			event sample 2 f m 1 abc=1 ab=2 a=3 "$key=4"
			# in the place of the key that it is like
			case ${#key} in
			1) event sample 3 f m 1 abc=1 ab=2 "$key=5" ;;
			2) event sample 3 f m 1 abc=1 "$key=5" a=3 ;;
			3) event sample 3 f m 1 "$key=5" ab=2 a=3 ;;
			esac
		} >stream
		want_status 0 csvenc stream
		case ${#key} in
		1) tail -n 1 out | grep -qx 'sample,3,0x1,f,m,1,1,2,,5' ;;
		2) tail -n 1 out | grep -qx 'sample,3,0x1,f,m,1,1,,3,5' ;;
		3) tail -n 1 out | grep -qx 'sample,3,0x1,f,m,1,,2,3,5' ;;
		esac
	done
}

@test "blanks at the ends are quoted, also in lines without anything else to quote" {
	made 'sample\t1\t.\tf\tm\t1\ta= x\nsample\t2\t.\tf\tm\t1\ta=x y\nsample\t3\t.\tf\tm\t1\ta=x \nsample\t4\t.\tf\tm\t1\ta= \n'
	want_status 0 csvenc stream
	silent
	table kind,time,run,region,measure,value,a 'sample,1,,f,m,1," x"' 'sample,2,,f,m,1,x y' \
		'sample,3,,f,m,1,"x "' 'sample,4,,f,m,1," "'
}

@test "--kind" {
	made "$SAMPLES"
	want_status 0 csvenc --kind run,measure stream
	silent
	table kind,time,run,region,measure,value,unit,id 'run,1,0x1,,,,ns,' 'measure,,0x1,,cycles,,,1'
	want_status 0 csvenc --kind all stream
	[ "$(wc -l <out)" -eq 7 ]
	want_status 0 csvenc --kind span stream
	said "csvenc: left out all lines: none is of a selected kind"
	table kind,time,run,region,measure,value
}

@test "--columns: these, and no temporary file" {
	made "$SAMPLES"
	want_status 0 env TMPDIR="$T/not here" csvenc --columns 'cpu,region?,none?' stream
	table cpu,region,none ,main, 3,main, ,f,
	echo 'csvenc: rows of several kinds, which only the column kind tells apart (see --kind): 2 sample, 1 agg' >want
	same want err
	# a name without ? that no line has
	want_status 1 csvenc --columns cpu,region,none,nil,none? stream
	table cpu,region,none,nil,none ,main,,, 3,main,,, ,f,,,
	{
		printf "csvenc: no line has '%s' ('%s?' allows that; tags: comm, cpu, pid, stat)\n" none none nil nil
		echo 'csvenc: rows of several kinds, which only the column kind tells apart (see --kind): 2 sample, 1 agg'
	} >want
	same want err
	want_status 2 csvenc --columns 'cpu,?' stream
	said 'csvenc: --columns: an empty name'
	want_status 3 env TMPDIR="$T/not here" csvenc stream
	said "cannot make a temporary file in "
}

@test "--columns: rows of several kinds are said, if nothing tells them apart" {
	event sample 5 f m 7 >one
	{
		cat one
		event lost . . m 13 why=lost
		event start 5 f . .
		event origin . . . .
	} >some
	local columns several='csvenc: rows of several kinds, which only the column kind tells apart (see --kind): 1 sample, 1 lost, 1 start'
	want_status 0 csvenc --no-marks --columns region,value some
	table region,value f,7 ,13 f,
	echo "$several" | same - err
	for columns in 'kind,value' 'kind?,value'; do
		want_status 0 csvenc --no-marks --columns "$columns" some
		table kind,value sample,7 lost,13 start,
		silent
	done
	want_status 0 csvenc --no-marks --kind sample,lost --columns value some
	table value 7 13
	silent
	want_status 0 csvenc --no-marks --columns value one
	table value 7
	silent
	want_status 0 csvenc --no-marks some
	silent
}

@test "--columns: values of several measures or statistics are said, if nothing tells them apart" {
	{
		event agg 5 f m 7 stat=sum
		event agg 5 f m 1 stat=count
		event agg 5 f n 7 stat=sum
	} >some
	local measures='csvenc: values of several measures, which only the column measure tells apart: m, n'
	local stats='csvenc: values of several statistics, which only the column stat tells apart: sum, count'
	want_status 0 csvenc --columns region,value some
	table region,value f,7 f,1 f,7
	printf '%s\n' "$measures" "$stats" | same - err
	want_status 0 csvenc --columns measure,value some
	echo "$stats" | same - err
	want_status 0 csvenc --columns 'stat,value' some
	echo "$measures" | same - err
	want_status 0 csvenc --columns region some
	silent
	want_status 0 csvenc some
	silent
}

@test "--columns: what only a tag tells apart is said: of, windows, unit" {
	local of='csvenc: values of several quantities, which only the column of tells apart: count, sum'
	{
		event agg 5 f m 138 stat=mean n=2 of=count windows=10
		event agg 5 f m 3493 stat=mean n=2 of=sum unit=ns windows=10
		event agg 5 f m 2 stat=max n=2 of=p50 windows=10
	} >some
	want_status 0 csvenc --columns region,stat,measure,value some
	echo "$of" | same - err
	want_status 0 csvenc --columns of,value,stat some
	silent
	# a value itself, and its mean
	sed '1s/of=count	//' some >other
	want_status 0 csvenc --columns stat,value other
	echo "${of/count/value}" | same - err
	sed '2s/windows=10/windows=10@first/; 2s/of=sum/of=count/' some >other
	want_status 0 csvenc --columns stat,value other
	echo 'csvenc: values of several sorts of windows, which only the column windows tells apart: 10, 10@first' | same - err
	want_status 0 csvenc --columns stat,windows,value other
	silent
	{
		event sample 1 a m 1 unit=s
		event sample 1 a m 2
		event sample 1 a m 2 unit=s
		event sample 1 a n 2 unit=count
		event sample 1 a m 1000 unit=ms
		event sample 1 a m 1000 unit=us
	} >some
	want_status 0 csvenc --columns region,measure,value some
	echo 'csvenc: values of several units, which only the column unit tells apart: s, ms' | same - err
	want_status 0 csvenc --columns unit,measure,value some
	silent
	# other measures may have other units
	head -n 4 some >other
	want_status 0 csvenc --columns region,measure,value other
	silent
}

@test "--columns: groups that overlap are said" {
	local total='csvenc: events are in several groups, which must not be added up (see the column total)'
	{
		event agg 5 . m 1 frame=a stat=sum total=1
		event agg 5 . m 1 frame=b stat=sum total=1
	} >some
	want_status 0 csvenc --columns frame,value some
	table frame,value a,1 b,1
	echo "$total" | same - err
	want_status 0 csvenc --columns frame,value,total some
	silent
	want_status 0 csvenc --columns frame some
	silent
	# nobody adds up what is the greatest
	sed 's/stat=sum/stat=max/' some >other
	want_status 0 csvenc --columns frame,value other
	silent
}

@test "--wide: lost events are said, once" {
	{
		event agg 5 f m 7 stat=sum
		event lost . . m 13 why=lost
	} >some
	want_status 0 csvenc --no-marks --wide stat some
	table measure,unit,run,region,sum m,,0x1,f,7
	echo 'csvenc: the source lost events, so the numbers are too small' | same - err
	{
		printf '#afstream\t1\tx\t-\n'
		cat some
		printf '#end\tx\t-\t2\tcomplete\tlost=13\n'
	} >marked
	want_status 0 csvenc --wide stat marked
	table measure,unit,run,region,sum m,,0x1,f,7
	echo 'csvenc: the source lost 13 events, so the numbers are too small' | same - err
}

@test "--columns: more of them than lines have tags, and tags that are none of them" {
	cd "$T"
	event sample 1 f m 5 k7=a other=b k199=c k7=d >in
	want_status 0 csvenc --columns "region,$(seq -s, -f 'k%g?' 1 200),k7?" in
	{
		echo "region,$(seq -s, -f 'k%g' 1 200),k7"
		echo "f,,,,,,,a$(printf ',%.0s' {8..199})c,,d"
	} | same - out
}

@test "--columns: rows come as the lines do" {
	mkfifo lines rows
	csvenc --columns region,value <lines >rows &
	exec 8>lines 9<rows
	printf 'sample\t1\t.\tone\tm\t1\n' >&8
	local row
	read -r -t 20 row <&9
	[ "$row" = region,value ]
	read -r -t 20 row <&9
	[ "$row" = one,1 ]
	exec 8>&-
	wait
}

@test "one column: a row without anything is no empty line" {
	made 'sample\t1\t.\t.\tm\t1\nsample\t1\t.\tx\tm\t1\n'
	want_status 0 csvenc --columns region stream
	table region '""' x
}

@test "escapes are undone, and what needs quotes has them" {
	made 'sample\t1\t.\ta\\n"b\\rc\tm\\\\\t.\tblank= x\tend=x \tnul=\\x00\ttab=a\\tb\tdot=\\.\tbad=\\xff\tapo='"'"'\n'
	want_status 0 csvenc stream
	printf 'kind,time,run,region,measure,value,blank,end,nul,tab,dot,bad,apo\nsample,1,,"a\n""b\rc",m\\,," x","x ","\0","a\tb",.,\377,'"'"'\n' >want
	same want out
}

@test "--escaped: what the stream has" {
	made 'sample\t1\t.\ta\\n"b\tm\t1\tdot=\\.\tstack=a\\x3bb;c\tp.x\\x3dy=1\n'
	want_status 0 csvenc --escaped stream
	table kind,time,run,region,measure,value,dot,stack,p.x=y 'sample,1,,"a\n""b",m,1,\.,a\x3bb;c,1'
	want_status 0 csvenc --columns stack,dot stream
	table stack,dot 'a;b;c,.'
}

@test "keys that repeat are columns that repeat" {
	made 'sample\t1\t.\tr\tm\t1\tp.a=1\tkind=k\tp.a=2\nsample\t1\t.\tr\tm\t1\tp.a=3\np\t1\t.\tr\tm\t1\tp.b=6\tp.a=4\tp.a=.\tp.a=5\n'
	want_status 0 csvenc stream
	table kind,time,run,region,measure,value,p.a,kind,p.a,p.b,p.a \
		sample,1,,r,m,1,1,k,2,, sample,1,,r,m,1,3,,,, p,1,,r,m,1,4,,,6,5
	want_status 0 csvenc --columns p.a,p.a,kind,kind stream
	table p.a,p.a,kind,kind 1,2,sample,k 3,,sample, 4,,p,
}

@test "the first row names the same columns again" {
	need python3
	made 'sample\t1\t.\tr\tm\t1\tp.a\\x3d\\n"=1\tp.,=2\tp.\\\\=3\tp.,=4\t.=5\tvalue=6\n'
	want_status 0 csvenc stream
	mv out first
	want_status 0 csvenc --columns "$(python3 -c '
import sys
t = open("first", newline="").read()
sys.stdout.write(t[:t.index("value\n")] + "value")')" stream
	same first out
}

@test "rows that come before their columns, with line breaks and quotes at any place" {
	local kind
	for kind in plain blanks breaks; do
		awk -v kind=$kind 'BEGIN {
			OFS = "\t"
			print "#afstream", 1, "make", "x"
			for (i = 1; i <= 30000; i++) {
				text = "text " i
				if (kind != "plain" && i % 3 == 0)
					text = " " text " "
				if (kind == "breaks" && i % 7 == 0)
					text = text "\\n\"" i "\\n\"\","
				line = "sample\t" i "\tr\t" text "\tm\t" i
				if (i % 5 == 0 || i > 20000) line = line "\tcomm=" text
				if (i == 1000 || i == 9000 || i == 29999) line = line "\tlate" i "=" text
				print line
			}
			print "#end", "make", "x", 30000, "complete"
		}' >stream
		want_status 0 csvenc stream
		mv out first
		# with --columns, rows are written at once
		want_status 0 csvenc --columns "$(head -n 1 first)" stream
		same first out
		[ "$(head -n 1 first)" = kind,time,run,region,measure,value,comm,late1000,late9000,late29999 ]
	done
}

@test "what cannot be wanted" {
	made "$SAMPLES"
	want_status 2 csvenc --columns a,,b stream
	said "csvenc: --columns: an empty name"
	want_status 2 csvenc --columns '' stream
	said "csvenc: --columns: no names given"
	want_status 2 csvenc --columns 'a"b' stream
	said "csvenc: --columns: this is not a CSV record"
	want_status 2 csvenc --columns '"a' stream
	said "csvenc: --columns: this is not a CSV record"
	want_status 2 csvenc --kind a,,b stream
	said "csvenc: --kind: an empty name"
	# as many as there may be, of which no line is one, and one more
	names=$(printf 'other%d,' {1..256})
	want_status 1 csvenc --kind "${names%,}" stream
	said "csvenc: no line is of kind 'other1'"
	want_status 2 csvenc --kind "${names}other" stream
	said "csvenc: --kind: more than 256 names"
}

@test "--columns: names separated by the delimiter are refused" {
	made "$SAMPLES"
	want_status 2 csvenc --delimiter ';' --columns 'region;value' stream
	said "csvenc: --columns: names are separated by commas, also with --delimiter ';': \"region;value\""
	[ ! -s out ]
	want_status 2 csvenc --columns 'pid,region	value' --delimiter '	' stream
	said "also with --delimiter '	'"
	want_status 0 csvenc --delimiter '	' --columns region,value stream
	cp out want
	for tab in tab '\t'; do
		want_status 0 csvenc -d "$tab" --columns region,value stream
		same want out
	done
	want_status 0 csvenc --delimiter ';' --columns region,value stream
	table 'region;value' 'main;10' 'main;-0' 'f;1e300'
	want_status 1 csvenc --delimiter '|' --columns 'region;value' stream
	said "csvenc: no line has 'region;value'"
	want_status 1 csvenc --columns function stream
	said "csvenc: no line has 'function'; did you mean region?"
	# a name that has the delimiter is quoted, as in the first row of the output
	made 'sample\t1\t.\tr\tm\t1\tp.a;b=7\n'
	want_status 0 csvenc --delimiter ';' --columns '"p.a;b",value' stream
	silent
	table '"p.a;b";value' '7;1'
}

@test "what has moved to perunquery" {
	made "$SAMPLES"
	want_status 2 csvenc --perun stream
	said "csvenc: --perun is now 'perunquery frame'"
	want_status 2 csvenc --perun --kind sample stream
	said "csvenc: --perun is now 'perunquery frame'"
	want_status 2 csvenc --compat stream
	said "csvenc: --compat is now 'perunquery --compat frame'"
}

@test "what others read is what the stream says" {
	need python3
	python3 -c '
import random
r = random.Random(7)
def text():
    return "".join(r.choice(["\\n", "\\r", "\"", ",", " ", "x", "\u00e9", "\\x00", "\\\\", ";", "="]) for _ in range(r.randint(1, 6)))
for i in range(2000):
    tags = r.sample("abcdefgh", r.randint(0, 8))
    print("sample", i, ".", text(), "m", "1", *["tag.%s=%s" % (t, text()) for t in tags], sep="\t")' >stream
	want_status 0 csvenc stream
	fields out >got
	python3 -c '
import json, re
names = ["kind", "time", "run", "region", "measure", "value"]
rows = []
known = {"n": "\n", "r": "\r", "\\": "\\", "x00": "\0"}
undo = lambda s: "" if s == "." else re.sub(r"\\(n|r|\\|x00)", lambda m: known[m[1]], s)
for line in open("stream", encoding="utf-8", newline="\n"):
    f = line[:-1].split("\t")
    row = dict(zip(names[:6], map(undo, f[:6])))
    for t in f[6:]:
        k, v = t.split("=", 1)
        names += [k] * (k not in names)
        row[k] = undo(v)
    rows.append(row)
print(json.dumps(names))
for row in rows:
    print(json.dumps([row.get(n, "") for n in names]))' >want
	same want got
}

@test "a stream of perf, of AFPerf, of a profile" {
	want_status 0 csvenc --columns region,value,stack "$DATA/perf.af"
	[ "$(head -n 1 out)" = region,value,stack ]
	afdec "$ROOT/t/cases/afperf/good/g26_nested_regions.afperf" >stream
	want_status 0 csvenc stream
	silent
	need python3
	fields out >got
	[ "$(wc -l <got)" -eq $((1 + $(unmarked stream | grep -cvE '^(run|measure|section|header)	'))) ]
}

@test "too many columns" {
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 1000000; i++) print "sample", 1, ".", ".", ".", 1, "tag.a" i "=1" }' >stream
	want_status 1 csvenc stream
	said "csvenc: stream: there are more than 16384 columns: select some with --columns"
	[ ! -s out ]
	want_status 0 csvenc --columns tag.a999999,value stream
	[ "$(tail -n 1 out)" = 1,1 ]
	awk 'BEGIN { ORS = "\t"; print "sample\t1\t.\t.\t."; printf "1"
		for (i = 0; i < 1000000; i++) printf "\ttag.a=%d", i; printf "\n" }' >stream
	want_status 1 csvenc stream
	said "more than 16384 columns"
	want_status 0 csvenc --columns tag.a,tag.a stream
	table tag.a,tag.a 0,1
	awk 'BEGIN { for (i = 0; i < 5; i++) { printf "sample\t1\t.\t.\t.\t1\ttag." i
		for (j = 0; j < 100000; j++) printf "abcdefghij"; printf "=1\n" } }' >stream
	want_status 1 csvenc stream
	said "the names of all columns have more than 4194304 bytes"
}

@test "4 MiB of names, counted once each" {
	local n mega last
	mega=$((1024 * 1024))
	# with kind to value, the key a, and a column for another a on the same line
	last=$((mega - 29 - 1 - 3))
	for n in $last $((last + 1)); do
		printf 'sample\t1\t.\t.\t.\t1\t%0*d=1\n' $mega 1 $mega 2 $mega 3 "$n" 4 >stream
		for _ in {1..20}; do
			event sample 1 . . 1 a=1 a=2
		done >>stream
		if [ "$n" -eq $last ]; then
			want_status 0 csvenc stream
			[ "$(wc -l <out)" -eq 25 ]
		else
			want_status 1 csvenc stream
			said 'csvenc: stream: the names of all columns have more than 4194304 bytes'
		fi
	done
}

@test "16384 columns" {
	awk 'BEGIN { for (j = 0; j < 3; j++) { printf "sample\t1\t.\t.\t.\t1"
		for (i = j; i < 16378; i += j + 1) printf "\ttag.a%d=%d", i, i; printf "\n" } }' >stream
	want_status 0 csvenc stream
	silent
	[ "$(wc -l <out)" -eq 4 ]
	[ "$(awk -F, '{ print NF }' out | uniq)" = 16384 ]
	[ "$(sed -n 4p out | cut -d, -f 7-14)" = ,,2,,,5,, ]
}

@test "memory does not grow with the rows" {
	helpers rss
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 400000; i++) print "sample", i, "0x1", "region" i, "m", i, "stack=aaaaaaaaaaaaaaaaaaaaa;" i }' >stream
	want_status 0 rss took csvenc stream
	[ "$(wc -l <out)" -eq 400001 ]
	[[ ${CFLAGS-} == *sanitize* ]] || [ "$(cut -d ' ' -f 2 took)" -lt 16384 ] || fail "$(cat took)"
}

@test "a full disk, while rows are copied from the temporary file" {
	cd "$T"
	[ -e /dev/full ] || skip "no /dev/full here"
	awk 'BEGIN { for (i = 0; i < 30000; i++)
		printf "sample\t%d\tr\tf\tm\t1\tcomm=a_long_name%s\n", i, i < 24000 ? "" : "\tlate=1" }' >in
	local status=0
	csvenc --no-marks in >/dev/full 2>err || status=$?
	[ $status -eq 3 ] || fail "status $status"
	echo 'csvenc: standard output: No space left on device' | same - err
}

@test "a resource that is too large for a line is said to be left out" {
	{
		printf '{"snapshots":[{"resources":[{"uid":"a","amount":1,"x":"'
		head -c 1200000 /dev/zero | tr '\0' y
		printf '"},{"uid":"b","amount":2}]}]}'
	} >profile
	perundec profile >whole
	want_status 0 csvenc --columns region,value whole
	table region,value b,2
	said 'csvenc: left out resources larger than 1 MiB: 1 (see perunquery)'
	want_status 0 perunquery frame whole
	silent
	[ "$(wc -l <out)" -eq 3 ]
	want_status 0 csvenc --columns region --kind header whole
	silent
}

@test "a cut stream" {
	perundec "$DATA/snapshots.data" | sed '$d' >stream
	want_status 1 csvenc stream
	said "no end mark"
	want_status 0 csvenc --no-marks stream
}

@test "memory that runs out, at each of its allocations" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	local how
	perundec "$DATA/snapshots.data" >events
	printf 'sample\t1\tr\tf\\x00\tm\t1\tcpu=2\n' | afagg --by region,cpu >groups
	for how in --no-marks --escaped --columns=region,p.uid,json; do
		starves 10 csvenc $how events
	done
	for how in --wide=stat --wide=cpu; do
		starves 10 csvenc $how groups
	done
}

@test "all prefixes of a stream, and damaged copies" {
	local n=2000 step=1
	helpers fuzz-csvenc
	[[ ${CFLAGS-} != *sanitize* ]] || { n=200 step=7; }
	[ -z "${AFPIPE_SLOW-}" ] || n=20000
	want_status 0 fuzz-csvenc --prefixes $step "$ROOT/t/fuzz/corpus/csvenc/whole"
	want_status 0 fuzz-csvenc --flips $n 1 "$ROOT/t/fuzz/corpus/csvenc/whole"
	grep -q "^$n damaged copies, " out
}

@test "what fuzzing started from, and has found" {
	helpers fuzz-csvenc
	want_status 0 fuzz-csvenc "$ROOT"/t/fuzz/corpus/csvenc/* "$DATA"/*.ev "$DATA/perf.af"
}

# groups: aggregates of two measures, with texts that need quotes and results that are absent.
groups() {
	tr ' ' '\t' <<-'EOG' | afagg --by region,cpu --stat count,sum,mean
	measure . r . m . unit=ns
	sample 1 r f m 5 cpu=0
	sample 2 r f m 6 cpu=10
	sample 3 r g;\xe9 m 7.5 cpu=2
	sample 3 r h,"y c nan cpu=2
	sample 4 r . c 123456789012345678901234567890 cpu=.
	EOG
}

@test "--wide stat: a row for each group, a column for each statistic" {
	groups >"$T/in"
	want_status 0 csvenc --wide stat "$T/in"
	silent
	cat >"$T/want" <<-'EOF'
	measure,unit,run,region,start,cpu,count,sum,mean
	c,,r,,4,,1,123456789012345678901234567890,123456789012345678901234567890
	m,ns,r,f,1,0,1,5,5
	m,ns,r,f,2,10,1,6,6
	EOF
	printf 'm,ns,r,g;\351,3,2,1,7.5,7.5\nc,,r,"h,""y",3,2,1,nan,nan\n' >>"$T/want"
	sort "$T/want" >"$T/want.sorted"
	sort "$T/out" >"$T/got.sorted"
	same "$T/want.sorted" "$T/got.sorted"
	head -n 1 "$T/out" >"$T/got"
	head -n 1 "$T/want" >"$T/head"
	same "$T/head" "$T/got"
	want_status 0 csvenc --wide stat --escaped "$T/in"
	grep -qF 'g;\xe9,3' "$T/out"
	# a table of one group and one value
	event agg 4 . m 5 stat=sum cpu=2 >"$T/in"
	want_status 0 csvenc --wide stat "$T/in"
	same - "$T/out" <<<$'measure,unit,run,cpu,sum\nm,,0x1,2,5'
	want_status 0 csvenc --wide cpu "$T/in"
	same - "$T/out" <<<$'measure,unit,stat,run,2\nm,,sum,0x1,5'
}

@test "--wide: what was aggregated is a column where some results say it" {
	cd "$T"
	{
		event agg 1 f m 5 stat=sum
		event agg 1 f m 7 stat=sum of=len
		event agg 2 g m 0.5 stat=mean of=len
	} >in
	want_status 0 csvenc --no-marks --wide stat in
	printf '%s\n' measure,unit,of,run,region,sum,mean m,,,0x1,f,5, m,,len,0x1,f,7, m,,len,0x1,g,,0.5 | same - out
}

@test "--wide: windows of different sizes are in different rows, and a column tells them apart" {
	cd "$T"
	{
		event agg 1 f m 5 window=0 stat=sum windows=2
		event agg 1 f m 7 window=0 stat=sum windows=2/1
		event agg 1 f m 8 window=2 stat=sum windows=2
	} >in
	want_status 0 csvenc --no-marks --wide window in
	printf '%s\n' measure,unit,windows,stat,run,region,0,2 m,,2,sum,0x1,f,5,8 m,,2/1,sum,0x1,f,7, |
		same - out
	grep -v '2/1' in >one
	want_status 0 csvenc --no-marks --wide window one
	printf '%s\n' measure,unit,stat,run,region,0,2 m,,sum,0x1,f,5,8 | same - out
}

@test "--wide KEY: rows of several runs are one if each column is of one run" {
	{
		printf 'agg\t9\tr%s\tf\tm\t%s\tstat=sum\tbuild=%s\n' 1 5 old 2 6 new
		printf 'agg\t9\tr1\tg\tm\t7\tstat=sum\tbuild=old\n'
	} >in
	want_status 0 csvenc --no-marks --wide build in
	printf '%s\n' measure,unit,stat,region,new,old m,,sum,f,6,5 m,,sum,g,,7 >want
	same want out
	# of one run: it is there
	grep old in >one
	want_status 0 csvenc --no-marks --wide build one
	printf '%s\n' measure,unit,stat,run,region,old m,,sum,r1,f,5 m,,sum,r1,g,7 >want
	same want out
	# the run is no key: f is in both runs in one window, and in one of them in the other
	{
		printf 'agg\t9\t%s\tf\tm\t%s\tstat=sum\twindow=%s\n' . 5 0 r1 6 100
		printf 'agg\t9\t%s\tg\tm\t%s\tstat=sum\twindow=%s\n' r2 7 0 r1 8 100
	} >pooled
	want_status 0 csvenc --no-marks --wide window pooled
	printf '%s\n' measure,unit,stat,region,0,100 m,,sum,f,5,6 m,,sum,g,7,8 >want
	same want out
	want_status 0 aftab --no-marks --wide window pooled
	printf '%s\n' 'm, sum: 2 groups' 'region  0.000000000s  0.000000100s' \
		'g                  7             8' 'f                  5             6' >want
	same want out
	# results of another aggregation in the same columns
	printf 'agg\t9\tr3\tf\tm\t9\tstat=sum\twindow=100\n' >>pooled
	want_status 0 csvenc --no-marks --wide window pooled
	printf '%s\n' measure,unit,stat,run,region,0,100 m,,sum,,f,5,6 m,,sum,,g,7,8 m,,sum,r3,f,,9 >want
	same want out
	# results of each run, and then those of all of them
	printf 'agg\t9\t%s\tm\t%s\tstat=sum\n' 'r1\tf' 1 'r2\tf' 2 'r2\tg' 4 '.\tf' 3 '.\tg' 4 |
		awk '{ gsub(/\\t/, "\t") } 1' >each
	want_status 0 csvenc --no-marks --wide region each
	printf '%s\n' measure,unit,stat,run,f,g m,,sum,r1,1, m,,sum,r2,2,4 m,,sum,,3,4 >want
	same want out
	want_status 0 aftab --no-marks --wide region each
	printf '%s\n' 'm, sum: 3 groups' 'run  f  g' 'r2   2  4' '.    3  4' 'r1   1  .' >want
	same want out
	# a column of several runs: nothing is joined
	printf 'agg\t9\tr3\tf\tm\t8\tstat=sum\tbuild=new\n' >>in
	want_status 0 csvenc --no-marks --wide build in
	[ "$(wc -l <out)" -eq 5 ]
}

@test "--wide KEY: whether rows of several runs are one is the same in all tables" {
	# of m, each function is in one run by chance; n shows that functions do not tell runs apart
	{
		printf 'agg\t9\tr%s\t%s\tm\t%s\tstat=%s\n' 1 f 5 sum 2 g 7 sum
		printf 'agg\t9\tr%s\tf\tn\t%s\tstat=max\n' 1 3 2 4
	} >some
	want_status 0 csvenc --no-marks --wide region some
	silent
	printf '%s\n' 'measure,unit,run,f sum,f max,g sum' m,,r1,5,, m,,r2,,,7 n,,r1,,3, n,,r2,,4, | same - out
	want_status 0 aftab --no-marks --wide region some
	silent
	same - out <<-'EOF'
	m, sum: 2 groups
	run  f  g
	r2   .  7
	r1   5  .

	n, max: 2 groups
	run  f
	r2   4
	r1   3
	EOF
	# results of several runs are none of the one that others have
	sed 's/r2\tf/.\tf/' some >pooled
	want_status 0 csvenc --no-marks --wide region pooled
	printf '%s\n' 'measure,unit,run,f sum,f max,g sum' m,,r1,5,, m,,r2,,,7 n,,,,4, n,,r1,,3, >want
	LC_ALL=C sort out >sorted
	LC_ALL=C sort want | same - sorted
}

@test "--wide: columns and tags of results that are no keys of groups" {
	local key
	printf 'agg\t.\t1\tf\tt\t5\tstat=sum\n' >in
	for key in unit of type n mid start total; do
		want_status 2 csvenc --wide $key in
		said "csvenc: --wide: $key is not a key of groups"
		[ ! -s out ]
	done
}

@test "--wide KEY: a column for each value and statistic, in their order, and empty fields" {
	groups | grep -v '123456' >"$T/in"
	want_status 0 csvenc --no-marks --wide cpu --escaped "$T/in"
	cat >"$T/want" <<-'EOF'
	measure,unit,run,region,0 count,0 sum,0 mean,2 count,2 sum,2 mean,10 count,10 sum,10 mean,. count
	c,,r,,,,,,,,,,,1
	c,,r,"h,""y",,,,1,nan,nan,,,,
	m,ns,r,f,1,5,5,,,,1,6,6,
	m,ns,r,g;\xe9,,,,1,7.5,7.5,,,,
	EOF
	same "$T/want" "$T/out"
	grep -v 'stat=[cm]' "$T/in" >"$T/sums"
	want_status 0 csvenc --no-marks --wide cpu --escaped --delimiter ';' --bom "$T/sums"
	printf '\357\273\277measure;unit;stat;run;region;0;2;10\n' >"$T/want"
	cat >>"$T/want" <<-'EOF'
	m;ns;sum;r;f;5;;6
	m;ns;sum;r;"g;\xe9";;7.5;
	c;;sum;r;"h,""y";;nan;
	EOF
	same "$T/want" "$T/out"
}

@test "--wide KEY: a value that is the name of another column" {
	local value
	for value in measure unit stat run region cpu; do
		printf 'agg\t1\tr\tf\tm\t2\tk=%s\tcpu=0\tstat=sum\n' "$value" >"$T/in"
		want_status 1 csvenc --wide k "$T/in"
		echo "csvenc: two columns would have the name $value" | same - "$T/err"
		[ ! -s "$T/out" ]
	done
	# with several statistics the names of columns have them, and no other column says them
	sed 'p; s/sum/count/' "$T/in" >"$T/two"
	want_status 0 csvenc --wide k "$T/two"
	silent
	printf '%s\n' 'measure,unit,run,region,cpu,cpu sum,cpu count' m,,r,f,0,2,2 | same - "$T/out"
	for value in of total; do
		printf 'agg\t1\tr\tf\tm\t2\tk=%s\tof=tid\tstat=sum\n' "$value" >"$T/in"
		want_status $((${#value} == 2)) csvenc --wide k "$T/in"
	done
	printf '%s\n' measure,unit,of,stat,run,region,total m,,tid,sum,r,f,2 | same - "$T/out"
}

@test "--wide KEY: a value that is a full stop, with several statistics, and one that is missing" {
	local value
	for value in '\.' 'a\tb' .; do
		printf 'agg\t1\tr\tf\tm\t%s\tk=%s\tstat=%s\n' 2 "$value" count 5 "$value" sum
	done >"$T/in"
	grep -v 'k=\.' "$T/in" >"$T/some"
	want_status 0 csvenc --wide k "$T/some"
	silent
	printf '%s\n' 'measure,unit,run,region,. count,. sum,"a	b count","a	b sum"' m,,r,f,2,5,2,5 | same - "$T/out"
	want_status 0 csvenc --wide k --escaped "$T/some"
	silent
	printf '%s\n' 'measure,unit,run,region,\. count,\. sum,a\tb count,a\tb sum' m,,r,f,2,5,2,5 | same - "$T/out"
	want_status 1 csvenc --wide k "$T/in"
	echo 'csvenc: two columns would have the name . count' | same - "$T/err"
	[ ! -s "$T/out" ]
	want_status 0 csvenc --wide k --escaped "$T/in"
	silent
	printf '%s\n' 'measure,unit,run,region,\. count,\. sum,a\tb count,a\tb sum,. count,. sum' \
		m,,r,f,2,5,2,5,2,5 | same - "$T/out"
	grep stat=sum "$T/in" >"$T/sums"
	want_status 0 csvenc --wide k "$T/sums"
	silent
	printf '%s\n' 'measure,unit,stat,run,region,.,"a	b",' m,,sum,r,f,5,5,5 | same - "$T/out"
}

@test "--wide has the numbers of aftab --wide, and of the stream" {
	need python3
	awk 'BEGIN { OFS = "\t"; srand(3); for (i = 0; i < 3000; i++)
		print "sample", i, "r", "f" int(rand() * 40), "m" int(rand() * 2),
		    int(rand() * 1000), "cpu=" int(rand() * 30), "comm=c" int(rand() * 3) }' |
		afagg --by region,comm,cpu --stat sum,max >"$T/in"
	want_status 0 csvenc --wide cpu "$T/in"
	python3 - "$T/in" "$T/out" <<-'EOF'
	import csv, sys
	want = {}
	for line in open(sys.argv[1]):
	    if line.startswith('agg'):
	        c = line.rstrip('\n').split('\t')
	        t = dict(x.split('=', 1) for x in c[6:])
	        want[c[4], c[3], t['comm'], t['cpu'] + ' ' + t['stat']] = c[5]
	got = {}
	for row in csv.DictReader(open(sys.argv[2])):
	    for name, value in row.items():
	        if ' ' in name and value != '':
	            key = row['measure'], row['region'], row['comm'], name
	            assert key not in got, key
	            got[key] = value
	assert got == want, (len(got), len(want))
	EOF
	cut -d , -f 5- "$T/out" | head -n 1 | tr ',' '\n' | sed 's/ .*//' | uniq >"$T/order"
	sort -n "$T/order" | sed '/c/d' >"$T/want"
	sed '/c/d' "$T/order" >"$T/got"
	same "$T/want" "$T/got"
}

@test "--wide: no 0 is made up for windows and groups without lines, as in aftab --wide" {
	local stat
	printf '%s\n' 'sample 1000000000 1 f t 100' 'sample 2000000000 1 g t 300' 'sample 2500000000 1 f t 0' \
		'sample 5000000000 1 f t 500' 'sample 5500000000 2 g t 20' | tr ' ' '\t' >"$T/in"
	for stat in count sum mean; do
		afagg --no-marks --by run,region --stat $stat --window 1s "$T/in" >"$T/agg"
		want_status 0 csvenc --wide window "$T/agg"
		silent
		cut -d , -f 4- "$T/out" >"$T/fields"
		want_status 0 aftab --wide window "$T/agg"
		silent
		tail -n +3 "$T/out" | LC_ALL=C sort | tr -s ' ' , | sed 's/,\./,/g' >"$T/cells"
		tail -n +2 "$T/fields" | LC_ALL=C sort | same "$T/cells" -
	done
	afagg --no-marks --by run,region --stat sum --window 1s "$T/in" | csvenc --wide window | cut -d , -f 4- >"$T/got"
	printf '%s\n' run,region,1000000000,2000000000,5000000000 1,f,100,0,500 1,g,,300, 2,g,,,20 >"$T/want"
	same "$T/want" "$T/got"
}

@test "--wide: what would be ambiguous or lost is refused, and there is no table" {
	groups >"$T/in"
	sed '/f.*stat=sum/s/	5	/	77	/' "$T/in" | cat "$T/in" - >"$T/two"
	want_status 1 csvenc --wide stat "$T/two"
	said "the group already has another value of this statistic"
	[ ! -s "$T/out" ]
	cat "$T/in" "$T/in" >"$T/two"
	want_status 0 csvenc --wide stat "$T/two"
	said "lines repeat others"
	want_status 1 csvenc --wide coop "$T/in"
	said "csvenc: --wide: no group has this key: coop (there are: run, region, cpu)"
	[ ! -s "$T/out" ]
	sed 's/cpu=/count=/' "$T/in" >"$T/same"
	want_status 1 csvenc --wide stat "$T/same"
	said "two columns would have the name count"
	[ ! -s "$T/out" ]
	# a key of another program has the name of a column that is always there
	event agg . f m 5 cpu=0 measure=x stat=sum >"$T/named"
	want_status 1 csvenc --no-marks --wide cpu "$T/named"
	echo 'csvenc: two columns would have the name measure' | same - "$T/err"
	[ ! -s "$T/out" ]
	printf 'sample\t1\tr\tf\tm\t1\n' >"$T/events"
	want_status 1 csvenc --wide stat "$T/events"
	said "no aggregates: pipe the stream through afagg first"
	afagg --partial "$T/events" >"$T/part"
	want_status 1 csvenc --wide stat "$T/part"
	said "merge them with afagg first"
	afdiff --before "$T/in" "$T/in" >"$T/changes"
	want_status 1 csvenc --wide stat "$T/changes"
	said "--wide: a change is not a group of aggregates"
	[ ! -s "$T/out" ]
	printf 'sample\t1\tr\tf\tm\t1\tstack=a;b\n' | afagg --by frame >"$T/overlap"
	want_status 0 csvenc --wide stat "$T/overlap"
	said "events are in several groups, which must not be added up"
	head -n 3 "$T/in" >"$T/cut"
	want_status 1 csvenc --wide stat "$T/cut"
}

@test "--wide: as many columns as a spreadsheet has, and no more" {
	for n in 16375 17000; do
		awk -v n=$n 'BEGIN { OFS = "\t"; for (i = 0; i < n; i++)
			print "agg", 1, "r", ".", "m", i, "tid=" i, "stat=sum" }' >"$T/in"
		if [ "$n" -gt 16384 ]; then
			want_status 1 csvenc --wide tid "$T/in"
			said "the table would have more than 16384 columns"
			[ ! -s "$T/out" ]
		else
			want_status 0 csvenc --wide tid "$T/in"
			[ "$(wc -l <"$T/out")" -eq 2 ]
		fi
	done
}

@test "--delimiter and --bom without --wide; usage" {
	printf 'sample\t1\tr\ta;b\tm\t1\tx=1,5\nsample\t1\tr\tb\tm\t1\ty=2\n' >"$T/in"
	want_status 0 csvenc --delimiter ';' --bom "$T/in"
	printf '\357\273\277kind;time;run;region;measure;value;x;y\n' >"$T/want"
	printf 'sample;1;r;"a;b";m;1;1,5;\nsample;1;r;b;m;1;;2\n' >>"$T/want"
	same "$T/want" "$T/out"
	want_status 0 csvenc --delimiter '	' --columns region,x "$T/in"
	printf 'region\tx\na;b\t1,5\nb\t\n' >"$T/want"
	same "$T/want" "$T/out"
	for bad in '' a ';;' '"' . 5; do
		want_status 2 csvenc --delimiter "$bad" "$T/in"
		said "--delimiter: expected"
	done
	want_status 2 csvenc --wide '' "$T/in"
	want_status 2 csvenc --wide measure "$T/in"
	said "--wide: measures are never columns, since units differ"
	want_status 2 csvenc --wide cpu --columns region "$T/in"
	want_status 2 csvenc --wide cpu --kind agg "$T/in"
}

@test "--wide: time, value and kind are keys if they are those of the groups, not columns of results" {
	local key
	lines in <<-'END'
	sample 10 r f m 3
	sample 10 r g m 4
	sample 20 r f m 3
	END
	want_status 0 afagg --by region,time --stat sum in
	mv out agg
	want_status 0 csvenc --wide time agg
	same out - <<-'END'
	measure,unit,stat,run,region,10,20
	m,,sum,r,f,3,3
	m,,sum,r,g,4,
	END
	want_status 0 afagg --by region,value --stat count in
	mv out agg
	want_status 0 csvenc --wide value agg
	same out - <<-'END'
	measure,unit,stat,run,region,3,4
	m,,count,r,f,2,
	m,,count,r,g,,1
	END
	want_status 0 afagg --by region --stat sum in
	mv out agg
	for key in time value kind; do
		want_status 1 csvenc --wide $key agg
		same err - <<<"csvenc: --wide: no group has this key: $key (there are: run, region)"
		[ ! -s out ]
		want_status 1 aftab --wide $key agg
		said "aftab: --wide: no group has this key: $key (there are: run, region)"
	done
	for key in unit start n total; do
		want_status 2 csvenc --wide $key agg
		said "csvenc: --wide: $key is not a key of groups"
	done
}

@test "a stream without lines: the header alone, and nothing is said" {
	cd "$T"
	printf '#afstream\t1\ttest\tx\n#end\ttest\tx\t0\tcomplete\n' >in
	for options in '' '--kind agg'; do
		# shellcheck disable=SC2086 # none or two
		want_status 0 csvenc $options in
		silent
		echo kind,time,run,region,measure,value | same - out
	done
	want_status 0 csvenc --columns region,none in
	silent
	echo region,none | same - out
	# lines, but none of a kind that becomes a row
	{
		sed -n 1p in
		event run 1 . . . unit=ns
		sed 1d in
	} >lines
	want_status 0 csvenc --no-marks lines
	echo 'csvenc: left out all lines: none is of a selected kind' | same - err
}

@test "a full disk, and a resource that is too large for a line: only the former is reported" {
	local status=0
	cd "$T"
	[ -e /dev/full ] || skip "no /dev/full here"
	{
		event header . /resources/0 . '}' part=2 parts=2
		awk 'BEGIN { for (i = 0; i < 30000; i++) printf "sample\t%d\tr\ta_long_name\tm\t1\n", i }'
	} >in
	csvenc --columns region,time,region,region in >/dev/full 2>err || status=$?
	[ "$status" -eq 3 ] || fail "status $status"
	echo 'csvenc: standard output: No space left on device' | same - err
}
