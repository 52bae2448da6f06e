#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# tags.bats - --tags of the decoders, and what the readers of a stream say of tags that it left out.

load lib

setup() {
	cd "$T" || return
}

# fails STATUS TEXT COMMAND...
fails() {
	want_status "$1" "${@:3}"
	said "$2"
}

# tags_are LIST PROG FILE [OPTION]...: the decoder writes those tags and no others.
tags_are() {
	local list=$1 prog=$2 file=$3
	shift 3
	"$prog" "$@" "$file" >all 2>/dev/null || [ $? -eq 1 ]
	LIST=$list awk -f "$ROOT/t/tools/keeptags" all >want
	"$prog" "$@" --tags "$list" "$file" 2>/dev/null | grep -Ev '^(#end|incomplete|origin)	' >got
	same want got || fail "$prog $* --tags $list $file"
}
# names FILE: a few of the tags of its lines, parted by commas.
names() {
	awk -F '\t' '!/^#/ { for (i = 7; i <= NF; i++) { sub("=.*", "", $i); if ($i !~ /[\\,;]/ && !seen[$i]++ && n++ % 3 == 0) s = s "," $i } }
		END { print s == "" ? "none" : substr(s, 2) }' "$1"
}
@test "decoders: --tags leaves the columns, what they mean, and the tags of its list" {
	local file n=0 prog options
	for file in "$ROOT"/t/data/perf/*.data "$ROOT"/t/cases/afperf/good/*.afperf \
		"$ROOT"/t/data/dcpi/good/*.dcpi "$ROOT"/t/data/perun/*.data; do
		[ -f "$file" ] || continue
		options=
		case $file in
		*/data/perf/*) prog=perfdec options='--all --no-symbols' ;;
		*/afperf/*) prog=afdec options=--all ;;
		*/dcpi/*) prog=dcpidec ;;
		*) prog=perundec ;;
		esac
		# shellcheck disable=SC2086 # words
		"$prog" $options "$file" >whole 2>/dev/null || [ $? -eq 1 ]
		# shellcheck disable=SC2086
		tags_are none $prog "$file" $options
		# shellcheck disable=SC2086
		tags_are "$(names whole | cut -d , -f 1-60)" $prog "$file" $options
		n=$((n + 1))
	done
	[ $n -ge 60 ] || fail "only $n files"
}

@test "decoders: --tags takes tags" {
	local file=$ROOT/t/data/perf/chain.data
	fails 2 'region is a column' perfdec --tags region "$file"
	fails 2 'an empty name' perfdec --tags cpu,,comm "$file"
	fails 2 'there twice' perfdec --tags cpu,cpu "$file"
	fails 2 'given twice' perfdec --tags cpu --tags comm "$file"
	fails 2 'cannot be a name' perfdec --tags none,cpu "$file"
	fails 2 'cannot be a name' perfdec --tags 'stack;comm' "$file"
	fails 2 'cannot be a name' perfdec --tags . "$file"
	# others are spelled as in the stream
	want_status 0 perfdec --no-symbols --tags $'x\ty=\xff' "$file"
	grep -qF '	tags=x\x09y\x3d\xff' out || grep -qF '	tags=x\ty\x3d\xff' out
	want_status 0 perundec --tags 'p.=' "$ROOT/t/data/perun/names.data"
	grep -q '	p[.].x3d=2$' out
	fails 2 "--frames writes the tag 'frames'" perfdec --frames --tags comm "$file"
	fails 2 "--srcline writes the tag 'lines'" perfdec --srcline --tags comm,stack "$file"
	want_status 0 perfdec --srcline --tags lines "$file"
	want_status 0 perfdec --srcline --tags line "$file"
	file=$ROOT/t/cases/afperf/good/g26_nested_regions.afperf
	fails 2 "--wall writes the tag 'utc'" afdec --wall --tags id,wall "$file"
	want_status 0 afdec --wall --tags utc "$file"
	[ "$(grep -c '^start.*	utc=' out)" -gt 0 ]
	file=$ROOT/share/dcpi/profile
	fails 2 "--events writes the tag 'events'" dcpidec --events --tags addr "$file"
	want_status 0 dcpidec --events --tags events "$file"
	[ "$(grep -c '^sample.*	events=' out)" -gt 0 ]
	file=$ROOT/t/data/perf/chain.data
	want_status 0 perfdec --no-symbols --tags comm,cmom "$file"
	grep -q "no event has a tag 'cmom'" err
	[ "$(grep -c frames= out)" -eq 0 ]
}

# lacking LIST KEY COMMAND...: the command misses KEY in a stream with the tags of LIST alone.
lacking() {
	local list=$1 key=$2
	shift 2
	perfdec --no-symbols --tags "$list" "$ROOT/t/data/perf/chain.data" 2>/dev/null >few
	want_status 1 "$@" few
	grep -q "few:2: the tag '$key' of the events was left out (--tags .*), and is needed here" err ||
		fail "$*: $(cat err)"
}
@test "decoders: --tags takes 128 names" {
	want_status 0 perfdec --tags "$(seq -s, -f k%g 1 128)" "$ROOT/share/demo/burn.data"
	want_status 2 perfdec --tags "$(seq -s, -f k%g 1 129)" "$ROOT/share/demo/burn.data"
	head -n 1 "$T/err" >"$T/first"
	echo 'perfdec: --tags: more than 128 names' | same - "$T/first"
	[ ! -s "$T/out" ]
}

@test "a program that reads a tag that --tags left out says so" {
	lacking none cpu afagg --by cpu
	lacking comm pcomm afagg --by pcomm
	lacking comm stack afagg --by frame
	lacking comm addr afagg --of addr
	lacking comm cpu afcut cpu,region
	lacking comm cpu afcut region,comm,cpu
	lacking comm,pcomm pid afcut region,pcomm
	# the name of a process is that of its first thread, which tid tells
	lacking pid,comm,pcomm tid afcut region,pcomm
	lacking pid,comm,pcomm tid afagg --by pcomm
	lacking pid,tid,pcomm comm afagg --by pcomm
	lacking pid,tid,pcomm comm afsel --where pcomm=x
	lacking pid,comm,pcomm,stack tid foldenc --root pcomm
	lacking pid,tid,pcomm,stack comm flameenc --root pcomm
	lacking pid,comm,pcomm,stack tid pprofenc --label pcomm
	lacking stack,pid tid pprofenc --label pid,tid
	lacking stack comm afsel --where comm=x
	lacking comm stack foldenc
	lacking stack comm flameenc --root comm
	lacking cpu comm csvenc --columns region,comm
	lacking stack,comm pid flameenc --by-time
	lacking stack,comm,pid tid flameenc --by-time
	lacking comm stack pprofenc
	lacking stack pid traceenc --for speedscope
	lacking stack,pid tid traceenc --for speedscope
	lacking pid,tid stack traceenc --for firefox
	lacking comm frames afsym
	# what tells that the region is the last frame, and whose code it is
	lacking frames,stack ip afsym
	lacking frames,ip,stack place afsym
	lacking frames,ip,place pid afsym
	lacking comm cpu aftop --by cpu
	lacking comm tid afpair --from region~0$ --to region~1$ --on tid
	lacking tid cpu afpair --from cpu=0 --to region~1$ --on tid
	lacking tid cpu afpair --from region~0$ --to cpu=0 --on tid
	perfdec --no-symbols --tags comm "$ROOT/t/data/perf/chain.data" >few
	local prog
	for prog in afenc dcpienc perunenc 'perunquery resources'; do
		# shellcheck disable=SC2086 # words
		want_status 1 $prog few
		grep -q 'few:2: tags of the events were left out (--tags comm); all are needed here' err
	done
	# a tag that stacks may lack
	perfdec --no-symbols --tags stack "$ROOT/t/data/perf/chain.data" >stacks
	want_status 0 foldenc stacks
	silent
	want_status 0 flameenc stacks
	silent
	# what has tags of its own does not pass the word on
	want_status 0 afagg --by region,comm few
	mv out sums
	[ "$(grep -c 'tags=' sums)" -eq 0 ]
	want_status 0 afcut stat sums
	# and what is there is not missed
	want_status 0 afagg --by comm,unit? few
	silent
	want_status 0 afsel --where comm~. few
	same <(grep -v '^#' few) <(grep -v '^#' out)
}

@test "afsym and afpair pass on which tags were left out" {
	local list=frames,ip,place,pid
	perfdec --no-symbols --tags $list "$ROOT/t/data/perf/chain.data" >few 2>/dev/null
	want_status 0 afsym few
	grep -q $'^run\t.*\ttags=frames;ip;place;pid;forced;symoff;line;lines\t' out || grep -q $'^run\t.*\ttags=frames;ip;place;pid;forced;symoff;line;lines$' out
	mv out named
	want_status 1 foldenc named
	grep -q "named:2: the tag 'stack' of the events was left out (--tags frames;.*), and is needed here" err
	# what it may add is not missed
	want_status 1 afcut symoff,ip named
	[ "$(grep -c 'left out' err)" -eq 0 ]
	{
		event run . . . . app=x tags=none
		event sample 1 a m 1
		event sample 2 b m 1
	} >few
	want_status 0 afpair --no-marks --from region=a --to region=b --on measure few
	grep -q $'^run\t.*\ttags=syscall;lost$' out
	mv out pairs
	want_status 1 foldenc --no-marks pairs
	said "the tag 'stack' of the events was left out"
	want_status 0 afcut --no-marks --kind span syscall? pairs
	silent
}

# untraced NAME LIST [KEY LINE]: traceenc misses KEY in LINE of such a recording, or nothing.
untraced() {
	perfdec --no-symbols --tags "$2" "$ROOT/t/data/perf/$1.data" 2>/dev/null >few
	want_status $(($# == 4)) traceenc few
	grep 'was left out (--tags' err >got || true
	: >want
	[ $# -eq 2 ] ||
		echo "traceenc: few:$4: the tag '$3' of the events was left out (--tags), and is needed here" >want
	same want got
}
@test "traceenc for perfetto needs the tags that its lines need" {
	untraced chain stack pid 4
	untraced chain stack,pid tid 4
	untraced chain pid,tid stack 4
	untraced chain pid,tid,stack
	# counters have no stacks
	untraced stat none tid 6
	untraced stat cpu tid 6
	untraced stat tid,stack cpu 6
	untraced stat tid,cpu
	# nor do values of regions; those of the run belong to nothing else
	{
		event run 0 . . . tags=none
		event sample 1 . m 1 scope=run
		event sample 1 f m 1 scope=region
	} >values
	want_status 1 traceenc values
	echo "traceenc: values:3: the tag 'id' of the events was left out (--tags), and is needed here" | same - err
	event span 2 f m 1 start=1 >>values
	sed -i 's/tags=none/tags=id;interval;pid/' values
	want_status 1 traceenc values
	echo "traceenc: values:4: the tag 'tid' of the events was left out (--tags), and is needed here" | same - err
	# another run has its own
	sed -i '/^run/!s/0x1/0x2/' values
	want_status 0 traceenc values
	silent
}

@test "lines that are no events have all their tags, whatever --tags says" {
	{
		event run . . . . app=x tags=none
		event lost 1 . m 5 cpu=1 why=lost again=2
		event sample 2 f m 1
	} >few
	want_status 0 afcut --kind lost 'value,again?,why' few
	silent
	printf '5\t2\tlost\n' | same - out
	want_status 0 csvenc --kind lost,run --columns value,why,run.app? few
	silent
	printf '%s\n' value,why,run.app ',,' 5,lost, | same - out
	want_status 0 afsel --kind lost --where why=lost few
	silent
	[ "$(grep -c '^lost' out)" -eq 1 ]
	# events among them lack theirs
	want_status 1 afcut --kind lost,sample why few
	said "afcut: few:1: the tag 'why' of the events was left out (--tags none), and is needed here"
	want_status 1 csvenc --kind all --columns why few
	said "csvenc: few:1: the tag 'why' of the events was left out (--tags none), and is needed here"
	want_status 1 afsel --kind lost,sample --where why=lost few
	said "afsel: few:1: the tag 'why' of the events was left out (--tags none), and is needed here"
	# tags of the run are there all the same
	want_status 0 afcut --kind lost 'run.app,why' few
	printf '.\tlost\n' | same - out
}

@test "decoders: --tags leaves what tells that values contain others, and what results are" {
	{
		printf '# AFPerf v1     \n'
		printf '%s\n' 'RunInfo,0,nanoseconds,0,1.0.0,1,p,1,' 'MeasurementType,0,1,1,t,int64,ns,,' RegionStart,0,1,1,f, \
			RegionStop,9,1 RegionAggregate,9,0,1,,1,9 RunAggregate,9,0,1,,1,9
	} >values
	want_status 0 afdec values
	mv out stream
	want_status 0 afagg --kind span stream
	mv out want
	mv err want.err
	want_status 0 afdec --tags none values
	mv out stream
	want_status 0 afagg --kind span stream
	same want.err err
	same <(grep ^agg want) <(grep ^agg out)
	said 'sums and means count the same several times'
	grep -q '^agg.*	18	stat=sum	total=[.]	' out
	# results, and of what they are
	event sample 1 f m 2 size=3 'stack=a;b' | afagg --by frame --of size --stat max,count | afenc >results 2>/dev/null
	afdec results >all 2>/dev/null
	want_status 0 afdec --tags frame results
	sed 's/	n=1//' all | grep ^agg >want
	grep ^agg out >got
	same want got
	grep -q '	stat=max	.*	frame=a	total=3	of=size$' got
}

# The tags of run lines, as keys of the lines of the run.

# runs: two runs whose lines say so, one whose lines do not, and a line without a run.
runs() {
	tr ' ' '\t' <<-'EOF'
		sample 1 a early m 1 unit=n
		run 0 a . . . unit=ns host=left tag.seed=1 tag.seed=9 tag.x\x3dy=\x00
		run 0 b . . . unit=ns host=right
		run 0 c . . . unit=ns
		sample 2 a f m 2 unit=n
		sample 3 b f m 4 unit=n tag.seed=own
		sample 4 b g m 8 unit=n run.host=own
		sample 5 c g m 16 unit=n
		sample 6 . h m 32 unit=n
		span 7 b g m 64 start=2 unit=n
	EOF
}

@test "run.KEY: the tag of the run line before, in each program with keys" {
	runs >in
	want_status 0 afcut -k sample,span region,run.host,run.tag.seed,host?,run.unit in
	tr '|' '\t' >want <<-'EOF'
		early|.|.|.|.
		f|left|1|.|ns
		f|right|.|.|ns
		g|own|.|.|ns
		g|.|.|.|ns
		h|.|.|.|.
		g|right|.|.|ns
	EOF
	same want out
	want_status 0 afcut --raw -k sample,span 'run.tag.x\x3dy,run.no?' in
	printf '\t\n\0\t\n\t\n\t\n\t\n\t\n\t\n' >want
	same want out
	want_status 0 csvenc --columns region,run.host,run.no? in
	printf '%s\n' region,run.host,run.no early,, f,left, f,right, g,own, g,, h,, g,right, >want
	same want out
	want_status 0 afagg --by run.host,run.no? --stat sum in
	grep '^agg' out | cut -f 3,6- >got
	tr '|' '\t' >want <<-'EOF'
		.|49|run.host=.|run.no=.|stat=sum|start=1|n=3|unit=n
		a|2|run.host=left|run.no=.|stat=sum|start=2|n=1|unit=n
		b|8|run.host=own|run.no=.|stat=sum|start=4|n=1|unit=n
		b|68|run.host=right|run.no=.|stat=sum|start=2|n=2|unit=n
	EOF
	same want got
	# the lines that afsel writes have the tags
	for where in 'run.host=right' 'run.host?=right'; do
		want_status 0 afsel --time 0%,90% --where "$where && kind=sample" in
		grep -v '^#' out >got
		grep '^run	0	b	' in >want
		printf 'sample\t3\tb\tf\tm\t4\tunit=n\ttag.seed=own\trun.host=right\n' >>want
		same want got
	done
	cp out chosen
	want_status 0 afagg --by run.host --stat count chosen
	grep -q '^agg.*	run.host=right' out
	want_status 0 afpair --from region=f --to region=g --on run.host --keep 'run.unit?' --loose in
	grep '^span.*latency' out | cut -f 1-9 >got
	printf 'span\t7\tb\tf\tlatency\t4\tstart=3\trun.host=right\trun.unit=ns\n' >want
	same want got
	want_status 0 aftop --by run.host --stat sum in
	grep -q '^right *68' out
	printf '%s\n' 'early 1' 'g 16' 'h 32' 'left;f 2' 'own;g 8' 'right;f 4' 'right;g 64' >want
	want_status 0 foldenc --root run.host in
	same want out
	want_status 0 flameenc --root run.host --svg in
	[ "$(grep -c '<title>right, 68' out)" -eq 1 ]
}

@test "run.KEY: labels of pprofenc" {
	need python3 protoc
	runs >in
	want_status 0 pprofenc --label run.host,run.unit in
	silent
	mv out profile.gz
	python3 "$ROOT/t/tools/pprofread.py" profile.gz | grep '^sample' >got
	printf 'sample 1 %s\n' '1 early' '16 g run.unit=ns' '2 f run.host=left run.unit=ns' '32 h' \
		'4 f run.host=right run.unit=ns' '64 g run.host=right run.unit=ns' \
		'8 g run.host=own run.unit=ns' >want
	same want got
	want_status 1 pprofenc --label run.hots in
	said "pprofenc: no run line has 'hots'; did you mean run.host?"
	[ ! -s out ]
}

@test "run.KEY: aggregates of a run, partial results, several threads" {
	runs >in
	want_status 0 afagg --by run,region --stat sum in
	grep -v '^#' out >agg
	want_status 0 csvenc --columns region,run.host,value agg
	printf '%s\n' region,run.host,value h,,32 early,left,1 f,left,2 f,right,4 g,right,72 g,,16 >want
	same want out
	for jobs in 1 2 3; do
		{
			for i in 1 2 3 4 5 6 7; do
				runs | sed "s/^\(run\t0\t\)/\1/; s/host=left/host=left$i/"
				yes 'sample	2	a	f	m	2	unit=n' | head -n 20000
			done
		} | afagg --no-marks --jobs $jobs --by run.host,region --stat sum,count,p90 | grep -v '^#' >got.$jobs
	done
	same got.1 got.2
	same got.1 got.3
	grep -q 'run.host=left7.*n=20001' got.1 || fail "$(cat got.1)"
	grep '^run	0	a' in >one
	(cat one && grep '	a	f' in) | afagg --no-marks --by run.host --partial >1.part
	(grep '^run' in && grep '	b	' in | grep -v ^run) | afagg --no-marks --by run.host --partial >2.part
	(grep '^run' in && grep '	[ab]	' in | grep -v '^run\|early') | afagg --no-marks --by run.host | grep ^agg >want
	want_status 0 afagg 2.part 1.part
	grep '^agg' out >got
	same want got
}

@test "run.KEY: which run line counts, and what the messages say" {
	runs >in
	# the last one before the line, also of an earlier input
	(sed '1,4d' in && grep '^run.*	b	' in | sed 's/right/new/' && tail -n 1 in) >next
	want_status 0 afcut -k sample,span run,region,run.host in next
	tail -n 7 out >got
	printf '%s\t%s\t%s\n' a f left b f right b g own c g . . h . b g right b g new >want
	same want got
	# a run line after all events is too late
	(grep -v '^run' in && grep '^run' in) >late
	want_status 0 afagg --by run.tag.seed --stat count late
	said 'afagg: run.tag.seed is not recorded: it is "." on all lines'
	grep -v tag.seed=own in >plain
	for command in 'afagg --by tag.seed' 'afsel --where tag.seed=1' 'csvenc --columns tag.seed' \
		'afcut --kind sample tag.seed' 'afpair --from region=f --to region=g --on tag.seed' 'aftop --by tag.seed'; do
		# shellcheck disable=SC2086 # words
		want_status 1 $command plain
		said "only run lines have 'tag.seed': use 'run.tag.seed'"
	done
	want_status 1 afagg --by seed plain
	said "only run lines have 'tag.seed': use 'run.tag.seed'"
	for command in 'afagg --by run.hots' 'afsel --where run.hots=1' 'csvenc --columns run.hots' \
		'afcut --kind sample run.hots' 'afcut run.hots' 'aftop --by run.hots' \
		'afpair --from region=f --to region=g --on run.hots'; do
		# shellcheck disable=SC2086 # words
		want_status 1 $command in
		said "no run line has 'hots'; did you mean run.host?"
	done
	want_status 1 afagg --by run.nothing in
	said "no run line has 'nothing' ('run.nothing?' allows that; tags: host, tag.seed, tag.x\\x3dy, unit)"
	# it is no tag that --tags could have left out
	perfdec --tags none "$ROOT/t/data/perf/chain.data" >few 2>/dev/null
	want_status 0 afagg --by run.app --stat count few
	grep -q 'run.app=perf' out
}

@test "run.KEY: all other lines, damage, and any pieces of input" {
	local long
	long=$(head -c 16777190 /dev/zero | tr '\0' 0)
	{
		printf '#afstream\t1\tx\ty\n'
		runs
		printf 'sample\t1\ta\tf\tm\n\nsample\t1\ta\tf\tm\t1\r\nsample\n#run\ta\n'
		printf 'run\t0\td\t.\t.\t.\thost=\\x41\nsample\t1\td\tf\tm\t1\nmeasure\t.\ta\t.\tm\t.\tunit=n\n'
		printf 'section\t.\ta\tf\t.\t.\nstrange\t1\ta\tf\tm\t1\nsample\t1\ta\tf\tm\t7\n'
		printf '#end\tx\ty\t20\tcomplete\nsample\t2\ta\tcut\tm\t1'
	} >in
	want_status 1 afsel --where 'region!=none' in
	mv err want.err
	unmarked out >want
	want_status 1 afsel --where 'region!=none && run.tag.seed!=none' --or 'run.host=none' in
	same want.err err
	grep -q '^sample	1	a	f	m	7	run.tag.seed=1	run.host=left$' out
	[ "$(grep -c '^\(run\|measure\|section\|strange\).*	run\.' out)" -eq 0 ]
	unmarked out | sed 's/	run.tag.seed=1//; /host=own$/!s/	run.host=.*//' >got
	same want got
	unmarked out >want
	dd if=in bs=1 status=none | afsel --where 'region!=none && run.tag.seed!=none' --or 'run.host=none' 2>/dev/null >out || true
	unmarked out >got
	same want got
	# what does not fit into a line is not lost in silence; a line that is too long stays so
	{
		runs
		printf 'sample\t1\ta\tf\tm\t1\tx=%s\n' "$long"
		printf 'sample\t1\ta\tf\tm\t1\tx=%s%s\nsample\t1\ta\tlast\tm\t1\n' "$long" "$long"
	} >in
	want_status 1 afsel --where 'run.cmdline?!=none' in
	echo 'afsel: in:12: line longer than 16 MiB' >want
	same want err
	grep -q '^sample	1	a	last' out
	want_status 1 afsel --where 'run.host!=none' in
	printf '%s\n' 'afsel: in:11: line longer than 16 MiB' 'afsel: in:12: line longer than 16 MiB' >want
	same want err
	grep -q '^sample	1	a	last	m	1	run.host=left$' out
}
