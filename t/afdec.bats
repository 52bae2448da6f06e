# SPDX-License-Identifier: ISC
# afdec.bats - AFPerf to the stream and back: the cases of t/cases/afperf, what no case has, and
# files that are random, cut or damaged.

load lib

CASES=$BATS_TEST_DIRNAME/cases/afperf
RUN='RunInfo,0,nanoseconds,1639527663.713,1.0.0,1,app,1,'
TYPE='MeasurementType,0,1,7,t,double,s,,'

setup_file() {
	helpers afperfmake fuzz-afperf
}

setup() {
	PATH=$BATS_FILE_TMPDIR:$PATH
	cd "$T" || return
}

# made LINE...: a file of these records, with the header, as $T/in.afperf.
made() {
	printf '# AFPerf v1     \n' >in.afperf
	printf '%s\n' "$@" >>in.afperf
}

# is LINE...: exactly these lines, less marks, are what the last want_status printed.
is() {
	printf '%s\n' "$@" >want
	unmarked out >got
	same want got
}

# is_said TEXT...: exactly these are the messages of the last want_status, about in.afperf; a text that
# begins with a number is about that line.
is_said() {
	local text
	for text; do
		[[ $text == [0-9]* ]] && echo "afdec: in.afperf:$text" || echo "afdec: in.afperf: $text"
	done >want
	same want err
}

# judged N TEXT [OPTION]...: afdec ends with status N and says TEXT.
judged() {
	local status=$1 text=$2
	shift 2
	want_status "$status" afdec "$@" in.afperf
	said "$text"
}

# proportional GENERATE N: afdec takes an input that "GENERATE N" prints, and one of ten times the size
# takes no more than ten times as long.
proportional() {
	command -v valgrind >/dev/null || return 0
	[[ ${CFLAGS-} != *sanitize* ]] || return 0
	"$1" "$2" >small.afperf && "$1" "${2}0" >large.afperf && linear small.afperf large.afperf afdec
}

# there_and_back FILE [OPTION]...: decoded, encoded and decoded again gives the same lines, of which
# none has to wait, and encoded once more the same file.
there_and_back() {
	local file=$1
	shift
	afdec "$@" "$file" >once 2>err || return
	afenc once >written.afperf 2>err2 || { cat err2 >&2; return 1; }
	! grep -v '^afenc: sources that end without a line break\|afdec --lenient' err2 >&2 || return
	afdec --wait 0 "$@" written.afperf >twice 2>err || return
	unmarked once >once.lines
	unmarked twice >twice.lines
	same once.lines twice.lines || return
	afenc twice >again.afperf || return
	same written.afperf again.afperf
}

# bats test_tags=quick
@test "good cases: every record and value that is listed" {
	need python3
	local f n=0
	for f in "$CASES"/good/*.afperf; do
		want_status 0 afdec "$f"
		silent
		cp out case.ev
		want_status 0 python3 "$ROOT/t/tools/afperfcases.py" "${f%.afperf}.records.tsv" \
			"${f%.afperf}.values.tsv" case.ev
		n=$((n + 1))
	done
	[ $n -eq 15 ]
}

@test "good cases pass --check, which prints nothing" {
	local f
	for f in "$CASES"/good/*.afperf; do
		want_status 0 afdec --check "$f"
		silent
		[ ! -s out ]
	done
}

@test "good cases are the same there and back" {
	local f
	for f in "$CASES"/good/*.afperf; do
		there_and_back "$f"
		there_and_back "$f" --all
	done
}

@test "bad cases are refused, at the line that is listed" {
	local name kind line rule option n=0
	while IFS=$'\t' read -r name kind line rule _; do
		[ "$name" != case ] || continue
		option=--all
		[ "$kind" = spec ] || option=--check
		want_status 1 afdec $option "$CASES/bad/$name.afperf"
		grep -q "^afdec: $CASES/bad/$name.afperf:$line: ." err || fail "$name: $rule: $(cat err)"
		want_status 1 afdec --check "$CASES/bad/$name.afperf"
		grep -q "^afdec: $CASES/bad/$name.afperf:$line: .*\[[a-z0-9-]*\]$" err || fail "$name: $(cat err)"
		n=$((n + 1))
	done <"$CASES/bad/index.tsv"
	[ $n -eq "$(find "$CASES/bad" -name '*.afperf' | wc -l)" ]
}

@test "policies are warnings, and status 0, without --check and --strict" {
	local name kind line n=0
	while IFS=$'\t' read -r name kind line _; do
		[ "$kind" = policy ] || continue
		want_status 0 afdec "$CASES/bad/$name.afperf"
		grep -q "^afdec: $CASES/bad/$name.afperf:$line: warning: .*\[[a-z0-9-]*\]$" err
		grep -q "complete$" out
		want_status 1 afdec --strict "$CASES/bad/$name.afperf"
		grep -q "partial	input incomplete or refused$" out
		n=$((n + 1))
	done <"$CASES/bad/index.tsv"
	[ $n -eq 6 ]
}

@test "bad cases: the words" {
	local name
	for name in "$CASES"/bad/*.afperf; do
		want_status 1 sh -c "afdec --check '$name'"
		sed "s|^afdec: $CASES/bad/||" err
	done >words
	same "$BATS_TEST_DIRNAME/data/afdec/bad.words" words
}

@test "ambiguous cases: as the table of the manual says" {
	local name plain check how word n=0
	while IFS=$'\t' read -r name plain check how; do
		want_status "$plain" afdec "$CASES/ambig/$name.afperf"
		word=$(sed -n 's/.*\(warning\|error\) \([a-z-]*\)$/\2/p' <<<"$how")
		case $how in
		*note) [ "$(grep -c '(first in line' err)" -eq 1 ] ;;
		*warning*) grep -q "warning: .*\[$word\]$" err ;;
		*error*) : ;;
		*) silent ;;
		esac
		want_status "$check" afdec --check "$CASES/ambig/$name.afperf"
		[ -z "$word" ] || grep -q "\[$word\]$" err
		n=$((n + 1))
	done < <(sed -n 's/^\.It \(a[0-9]*_[a-z_]*\) Ta \([01]\) Ta \([01]\) Ta /\1\t\2\t\3\t/p' "$ROOT/man/afdec.1")
	[ $n -eq "$(find "$CASES/ambig" -name '*.afperf' | wc -l)" ]
}

@test "rules: those of the manual are those that there are" {
	sed -n '/^Errors:/,/^\.Ss Ambiguous/s/^\.It \([a-z0-9-]*\) Ta .*/\1/p' "$ROOT/man/afdec.1" | sort >want
	sed -n 's/.*\[RULE_.*\] = "\(.*\)",/\1/p' "$ROOT/src/afperf/afperf.c" | sort >got
	same want got
}

@test "the page's own examples: errors, and --lenient reads them" {
	local line in=$CASES/examples/spec_examples.afperf
	want_status 1 afdec "$in"
	for line in 2 7 12; do
		grep -q "^afdec: $in:$line: " err || fail "line $line: $(cat err)"
	done
	# what the examples refer to and do not have
	{
		head -n 1 "$in"
		printf '%s\n' 'MeasurementType,1,0xbad0bad0,0xcccddd,T,double,ns,,' \
			'MeasurementType,1,0xbad0bad0,0xeeeeffff,T,double,ns,,' \
			'SectionInfo,,0xbad0bad0,0xaaaa0000,S,' 'SectionStart,1,0xaaaa0000,3'
		tail -n +2 "$in"
	} >whole.afperf
	want_status 0 afdec --lenient whole.afperf
	for line in 6 7 9 11 15 16 18; do
		grep -q "^afdec: whole.afperf:$line: warning: .*\[[a-z]*\]$" err || fail "line $line: $(cat err)"
	done
	[ "$(grep -c warning err)" -eq 7 ]
	same "$BATS_TEST_DIRNAME/data/afdec/lenient.ev" <(unmarked out)
	there_and_back whole.afperf --lenient
	want_status 1 afdec --lenient --check whole.afperf
	want_status 1 afdec --lenient --strict whole.afperf
}

@test "--lenient: records without a run id are of the only run, and of none of several" {
	made 'RegionPoint,3,9,7,0.5' 'RegionStart,2,9,r,' "$RUN" "$TYPE" 'RegionStop,4,9' 'SectionInfo,2,3,s,'
	want_status 0 afdec --lenient in.afperf
	[ "$(grep -c warning err)" -eq 2 ]
	[ "$(unmarked out | cut -f 1 | tr "\n" " ")" = "run measure start sample stop section " ]
	there_and_back in.afperf --lenient
	printf '%s\n' "${RUN/,1,app/,2,app}" >>in.afperf
	want_status 1 afdec --lenient in.afperf
	said 'in.afperf:3: no run id, and the file has several runs'
	said 'in.afperf:7: no run id, and the file has several runs'
	said 'in.afperf:2: field 3: region 9 never defined'
	[ "$(grep -c warning err)" -eq 0 ]
	made 'RegionStart,2,9,r,'
	judged 1 'in.afperf:2: the only run never defined' --lenient
}

# bats test_tags=slow,sanitize
@test "records: as libcsv reads them, by words of 16 bytes and by bytes" {
	local how n=10000
	[ -z "${AFPIPE_SLOW-}" ] || n=50000
	for how in '' -DCUT_PORTABLE; do
		# shellcheck disable=SC2086 # one or none
		build_c "$T/csv" $how t/unit/csv.c src/afperf/records.c \
			lib/{buf,csv,esc,err,file,in,mem,vec,out,sig}.c -lcsv
		want_status 0 ./csv $n 1 "$T"
		want_status 0 ./csv $n 2 "$T"
	done
}

@test "forward references: everything behind what it refers to" {
	made 'RegionPoint,5,9,7,0.5' 'RegionStop,9,9' 'SectionPoint,3,4,0,7,2' 'SectionStart,2,4,0' \
		'RunPoint,1,1,7,1' "$TYPE" 'RegionStart,4,1,9,r,' 'SectionInfo,,1,4,s,' "$RUN"
	want_status 0 afdec in.afperf
	sed 's/	.*//' out | grep -v '^#' | tr '\n' ' ' >kinds
	printf 'run measure sample start sample stop section start sample ' >want
	same want kinds
	there_and_back in.afperf
}

@test "a type that is defined again: what stands between goes by the first" {
	made "$RUN" 'RunPoint,1,1,7,1' "$TYPE" 'RunPoint,2,1,7,2' 'MeasurementType,0,1,7,u,int32,count,,' \
		'RunPoint,3,1,7,3' 'RegionPoint,3,5,7,4' 'MeasurementType,0,1,7,v,int32,B,,' 'RegionStart,0,1,5,r,'
	want_status 0 afdec in.afperf
	cut -f 5,6 <(grep '^sample' out) >got
	printf 't\t1\nt\t2\nu\t3\nu\t4\n' >want
	same want got
}

@test "--run: the id of the only run, in all places; another run is an error" {
	made "$RUN" "$TYPE" 'RegionStart,1,1,,r,' 'RegionAggregate,2,1,,mean,7,1' 'RegionPoint,2,,7,1.5' 'RegionStop,3,'
	want_status 0 afdec --strict in.afperf
	[ "$(grep '^agg' out | cut -f 3,4,8)" = "1	.	id=1" ]
	unmarked out | sed 's/^\([^	]*	[^	]*	\)1	/\1n\\t17	/; /^agg/s/	id=1//' >want
	want_status 0 afdec --strict --run 'n	17' in.afperf
	silent
	unmarked out >got
	same want got
	# it can be written back: the numbers are new
	want_status 0 sh -c 'afdec --run n17 in.afperf | afenc | afdec | afcut -k sample region,value'
	grep -q '^r	1.5$' out
	made "$RUN" 'RunInfo,0,nanoseconds,1639527663.713,1.0.0,2,app,1,' "$TYPE"
	want_status 1 afdec --run n17 in.afperf
	said "in.afperf:3: field 6: --run: there is another run, 2"
	want_status 2 afdec --run '' in.afperf
	want_status 2 afdec --run a --check in.afperf
}

@test "--tag: each event gets it, what describes a run does not" {
	made "$RUN" "$TYPE" 'RegionStart,1,1,5,a,' 'RegionPoint,2,5,7,1.5' 'RegionStop,4,5'
	want_status 0 afdec in.afperf
	unmarked out | awk -F '\t' -v OFS='\t' '/^(sample|start|stop)/ { print $0, "build=o ld"; next } 1' >want
	want_status 0 afdec --tag 'build=o ld' in.afperf
	silent
	unmarked out >got
	same want got
	want_status 2 afdec --tag scope=x in.afperf
	said "is not yet used"
	want_status 2 afdec --tag tag.x=y in.afperf
	for build in old new; do
		afdec --tag build=$build in.afperf
	done | afagg --by build,region | aftab --wide build >table
	grep -q 'new.*old' table
}

@test "a tag of a region by its name alone: the message gives the key" {
	made "$RUN" "$TYPE" 'RegionStart,1,1,5,a,phase=init' 'RegionPoint,2,5,7,1.5' 'RegionStop,4,5'
	afdec in.afperf | afdur >in.af
	want_status 1 afagg --by phase in.af
	said "afagg: no line has 'phase'; did you mean tag.phase?"
	want_status 0 afagg --by tag.phase --stat sum in.af
	grep -q '^agg.*	inclusive	3	.*tag.phase=init' out
}

@test "several runs, each with its unit, and records of one in the other" {
	made 'RunInfo,1,seconds,0,1.0.0,1,a,,' 'RunInfo,1,microseconds,0,1.0.0,0x2,b,,' 'RegionStart,5,1,1,r,' \
		'RegionStart,5,0x2,2,s,' 'RegionStop,18446744073709551615,1' 'RegionStop,6,2'
	want_status 0 afdec in.afperf
	is 'run	1000000000	1	.	.	.	unit=s	wall=0	app=a	afperf=1.0.0' \
		'run	1000	0x2	.	.	.	unit=us	wall=0	app=b	afperf=1.0.0' \
		'start	5000000000	1	r	.	.	scope=region	id=1' 'start	5000	0x2	s	.	.	scope=region	id=2' \
		'stop	18446744073709551615000000000	1	r	.	.	scope=region	id=1' \
		'stop	6000	0x2	s	.	.	scope=region	id=2'
	there_and_back in.afperf
}

@test "a value that waits for its type stays with its region, also if another run takes that id" {
	made 'RunInfo,0,nanoseconds,0,1.0.0,1,a,,' 'RegionStart,1,1,5,first,' 'RegionPoint,2,5,7,10' \
		'RegionStop,3,5' 'RunInfo,0,nanoseconds,0,1.0.0,2,b,,' 'RegionStart,4,2,5,second,' 'RegionStop,6,5' \
		'MeasurementType,0,2,7,other,int64,count,,' 'MeasurementType,0,1,7,m,int64,count,,'
	judged 0 'in.afperf:7: warning: field 4: region 5 of another run (line 3) is started again'
	grep '^sample' out >got
	lines >want <<<'sample 2 1 first m 10 scope=region id=5 mid=7 unit=count type=int64'
	same want got
}

@test "blank ids: the innermost is stopped, data are of what is above them" {
	made 'RunInfo,0,nanoseconds,0,1.0.0,,a,,' 'MeasurementType,0,,7,t,int32,count,,' 'RegionStart,1,,,outer,' \
		'RegionStart,2,,,inner,' 'RegionPoint,2,,7,1' 'RegionStop,3,' 'RegionAggregate,3,2,,,7,2' \
		'RegionStop,4,' 'RegionPoint,4,,7,3'
	want_status 0 afdec in.afperf
	grep -v '^#' out | cut -f 1,4,6,8 >got
	printf '%s\n' 'run	.	.	wall=0' 'measure	.	.	type=int32' 'start	outer	.	id=@1' 'start	inner	.	id=@2' \
		'sample	inner	1	id=@2' 'stop	inner	.	id=@2' 'span	inner	2	id=@2' 'stop	outer	.	id=@1' \
		'sample	outer	3	id=@1' >want
	same want got
	there_and_back in.afperf
}

@test "an id is none of the blank ones, whatever its number, and how it is spelled does not matter" {
	made "$RUN" "$TYPE" 'RegionStart,1,1,1,one,' 'RegionStart,2,1,,none,' 'RegionStop,3,' 'RegionStop,4,1' \
		'RegionPoint,4,1,7,1' 'RegionStart,6,1,0x0000000000000000000002,two,' \
		'RegionPoint,7,0x0000000000000000000002,7,1' 'RegionPoint,8,0x0000000000000000000002,7,2' 'RegionStop,9,2'
	want_status 0 afdec in.afperf
	silent
	grep -v '^#\|^run\|^measure' out | cut -f 1,2,4,6,8 >got
	lines >want <<-'END'
		start 1 one . id=1
		start 2 none . id=@1
		stop 3 none . id=@1
		stop 4 one . id=1
		sample 4 one 1 id=1
		start 6 two . id=0x2
		sample 7 two 1 id=0x2
		sample 8 two 2 id=0x2
		stop 9 two . id=0x2
	END
	same want got
}

@test "a label with a comma is not that of another region whose fields are the same text" {
	made "$RUN" 'RegionStart,1,1,1,a,"b=1,c=2"' 'RegionStart,2,1,2,"a,b=1",c=2' 'RegionStart,3,1,3,a,"b=1,c=2"'
	want_status 0 afdec in.afperf
	grep '^start' out | cut -f 4,9 >got
	lines >want <<-'END'
		a tag.b=1,c=2
		a,b=1 tag.c=2
		a tag.b=1,c=2
	END
	same want got
}

@test "after an event that is refused, data with its blank id are refused, until the next event" {
	local event data='RegionPoint,9,,7' n=0
	made "$RUN" "$TYPE" 'SectionInfo,,1,5,s,'
	for event in 'RegionStart,2,1,3,r,' 'RegionStop,3,3' 'SectionStart,4,5,2' 'SectionStop,5,5,2'; do
		[[ $event != Section* ]] || data='SectionPoint,9,5,,7'
		printf '%s\n' "${event/,/,x}" "$data,$((n++))" "$event" "$data,$((n++))" >>in.afperf
	done
	# blank ids of data never mean a SectionInfo, whether it is refused or not
	printf '%s\n' 'SectionInfo,x,1,6,t,' "$data,8" 'SectionInfo,,1,6,t,' "$data,9" 'SectionStart,6,6,0' \
		'SectionStop,6,6,0' "${data/5/6},10" >>in.afperf
	want_status 1 afdec in.afperf
	awk -F '\t' '$1 == "sample" { print $4, $6 }' out >got
	printf '%s\n' 'r 1' 'r 3' 's 5' 's 7' 't 10' >want
	same want got
	grep -o '^afdec: in.afperf:[0-9]*: field [0-9]: blank id' err >got
	printf 'afdec: in.afperf:%d: field %d: blank id\n' 6 3 10 3 14 4 18 4 22 4 24 4 >want
	same want got
}

@test "blank ids without what they go by" {
	made "$RUN" "$TYPE" 'RegionPoint,1,,7,1' 'RegionStop,1,' 'SectionStart,1,,0' 'RegionStart,1,1,5' \
		'RegionPoint,1,,7,1'
	want_status 1 afdec in.afperf
	said 'in.afperf:4: field 3: blank id, and no RegionStart or RegionStop comes before it'
	said 'in.afperf:5: field 3: blank id, and no open RegionStart'
	said 'in.afperf:6: field 3: blank id, and no SectionInfo comes before it'
	said 'in.afperf:8: field 3: blank id, and no RegionStart or RegionStop comes before it, or it was left out'

	# the last section is not what other records between are about
	made "$RUN" "$TYPE" 'SectionInfo,,1,5,s,' 'RegionStart,1,1,6,r,' 'SectionStart,1,,1' 'RegionStop,1,6' \
		'SectionStart,2,,2' 'RegionStart,3,1,7,r,' 'SectionStop,3,,2' 'RegionStop,4,7' 'SectionStop,4,,1'
	want_status 0 afdec in.afperf
	silent
	awk -F '\t' '/interval=/ { print $1, $2, $8, $9 }' out >got
	printf '%s id=5 interval=%d\n' 'start 1' 1 'start 2' 2 'stop 3' 2 'stop 4' 1 >want
	same want got

	# each record of a run, without a run: the field is that of the run, or of what belongs to it
	made 'MeasurementType,0,,7,t,int32,count,,' 'RegionStart,1,,,outer,' 'PauseResume,2,1,' 'SectionInfo,1,,,s,' \
		'RunPoint,1,,7,1' 'RegionPoint,1,,7,1' 'RegionAggregate,2,1,,,7,1'
	want_status 1 afdec in.afperf
	printf 'afdec: in.afperf:%s\n' '2: field 3: blank id, and no RunInfo comes before it' \
		'3: field 3: blank id, and no RunInfo comes before it' \
		'4: field 4: blank id, and no RunInfo comes before it, or it was left out' \
		'5: field 3: blank id, and no RunInfo comes before it, or it was left out' \
		'6: field 3: blank id, and no RunInfo comes before it, or it was left out' \
		'7: field 3: blank id, and no RegionStart or RegionStop comes before it, or it was left out' \
		'8: field 4: blank id, and no RegionStart or RegionStop comes before it, or it was left out' >want
	same want err
	# a processed aggregate is of the only run, which was left out
	made 'RunInfo,x,nanoseconds,0,1.0.0,1,a,,' 'RegionAggregate,2,1,,mean,7,1'
	want_status 1 afdec in.afperf
	printf 'afdec: in.afperf:%s\n' '2: field 2: bad integer x' \
		'3: field 4: blank id, and no RunInfo comes before it, or it was left out' >want
	same want err
}

@test "blank ids after a run or a section that was left out are not of the one before it" {
	local none='blank id, and no RunInfo comes before it, or it was left out'
	made "$RUN" 'SectionInfo,1,1,3,s,' 'RunInfo,1,nanoseconds,1,1.0.0,2' 'SectionInfo,2,1' \
		'MeasurementType,1,,7,t,int32,count,,' 'RegionStart,2,,,r,' 'SectionStart,3,,0' 'SectionStart,4,3,0' \
		'SectionStop,4,,0' 'SectionStop,5,3,0' 'SectionInfo,3,,5,s,' 'PauseResume,2,1,' 'RunPoint,3,,7,1' \
		'RegionAggregate,2,1,,mean,7,1'
	want_status 1 afdec in.afperf
	is 'run	0	1	.	.	.	unit=ns	wall=1639527663.713	app=app	version=1	afperf=1.0.0' \
		'section	1	1	s	.	.	scope=section	id=3' 'start	4	1	s	.	.	scope=section	id=3	interval=0' \
		'stop	5	1	s	.	.	scope=section	id=3	interval=0'
	printf 'afdec: in.afperf:%s\n' '4: RunInfo needs 8 fields after its type (time, unit of times, wall clock,'\
' format version, run, application, its version, tags), has 5' \
		'5: SectionInfo needs 5 fields after its type (time, run, section, name, tags), has 2' \
		"6: field 3: $none" "7: field 3: $none" "8: field 3: ${none/RunInfo/SectionInfo}" \
		"10: field 3: ${none/RunInfo/SectionInfo}" "12: field 3: $none" "13: field 4: $none" "14: field 3: $none" \
		'15: warning: field 4: blank record id in a file of several runs: the last one is used [which-run]' \
		"15: field 4: $none" >want
	same want err
	# the next ones can be referred to
	printf '%s\n' "${RUN/1,app/9,app}" 'RegionStart,2,,,r,' 'RegionStop,3,' 'SectionInfo,3,,5,s,' 'SectionStart,4,,0' \
		'SectionStop,5,,0' >>in.afperf
	want_status 1 afdec in.afperf
	same want err
	unmarked out | tail -n +5 >got
	printf '%s\n' 'run	0	9	.	.	.	unit=ns	wall=1639527663.713	app=app	version=1	afperf=1.0.0' \
		'start	2	9	r	.	.	scope=region	id=@2' 'stop	3	9	r	.	.	scope=region	id=@2' 'section	3	9	s	.	.	scope=section	id=5' \
		'start	4	9	s	.	.	scope=section	id=5	interval=0' \
		'stop	5	9	s	.	.	scope=section	id=5	interval=0' | same - got
}

@test "a group of aggregates is its agg lines; with data behind its stop it is a region" {
	local group=('RegionStart,5,1,,label,k=v' 'RegionAggregate,9,5,,mean,7,1.5' 'RegionAggregate,9,5,,max,7,2'
		'RegionStop,5,')
	made "$RUN" "$TYPE" "${group[@]}"
	want_status 0 afdec in.afperf
	is "$(afdec in.afperf | grep '^run')" "$(afdec in.afperf | grep '^measure')" \
		'agg	9	1	label	t	1.5	scope=group	stat=mean	start=5	mid=7	unit=s	type=double	tag.k=v' \
		'agg	9	1	label	t	2	scope=group	stat=max	start=5	mid=7	unit=s	type=double	tag.k=v'
	there_and_back in.afperf
	afenc out | tail -n 4 >got
	printf '%s\n' "${group[@]}" >want
	same want got
	made "$RUN" "$TYPE" "${group[@]}" 'RegionPoint,5,,7,1'
	want_status 0 afdec in.afperf
	is "$(afdec in.afperf | grep '^run')" "$(afdec in.afperf | grep '^measure')" \
		'start	5	1	label	.	.	scope=region	id=@1	tag.k=v' \
		'agg	9	1	.	t	1.5	scope=region	id=1	stat=mean	start=5	mid=7	unit=s	type=double' \
		'agg	9	1	.	t	2	scope=region	id=1	stat=max	start=5	mid=7	unit=s	type=double' \
		'stop	5	1	label	.	.	scope=region	id=@1	tag.k=v' \
		'sample	5	1	label	t	1	scope=region	id=@1	mid=7	unit=s	type=double	tag.k=v'
	there_and_back in.afperf
}

@test "only a region without an id begins a group, whatever its other records look like" {
	made "$RUN" "$TYPE" 'RegionStart,1,1,,p,' 'RegionPoint,1,,7,1' 'RegionStop,1,' \
		'RegionStart,1,1,,r,' 'RegionPoint,5,,7,1' 'RegionAggregate,5,1,,min,7,3' 'RegionStop,5,' \
		'RegionStart,6,1,9,s,' 'RegionAggregate,6,1,9,,7,4' 'RegionStop,6,9' \
		'RegionStart,6,1,,g,' 'RegionAggregate,6,1,,min,7,5' 'RegionStop,6,' 'RegionStart,7,1,,q,' 'RegionStop,7,'
	want_status 0 afdec in.afperf
	grep -v '^run\|^measure\|^#' out | cut -f 1,2,4,6-8 | tr '\t' ' ' >got
	printf '%s\n' 'start 1 p . scope=region id=@1' 'sample 1 p 1 scope=region id=@1' 'stop 1 p . scope=region id=@1' \
		'start 1 r . scope=region id=@2' 'sample 5 r 1 scope=region id=@2' 'agg 5 . 3 scope=region id=1' \
		'stop 5 r . scope=region id=@2' 'start 6 s . scope=region id=9' 'span 6 s 4 scope=region id=9' \
		'stop 6 s . scope=region id=9' 'agg 6 g 5 scope=group stat=min' 'start 7 q . scope=region id=@3' \
		'stop 7 q . scope=region id=@3' >want
	same want got
}

@test "a group of aggregates: of more records than a group may have it is a region" {
	local n kinds
	while read -r n kinds; do
		made "$RUN" "$TYPE" 'RegionStart,5,1,,label,'
		{ yes 'RegionAggregate,9,5,,max,7,2' | head -n "$n" && echo 'RegionStop,5,'; } >>in.afperf
		want_status 0 afdec in.afperf
		silent
		unmarked out | cut -f 1 | sort | uniq -c | awk '{ print $2 $1 }' | paste -sd ' ' >got
		echo "$kinds" | same - got
	done <<-'END'
		4095 agg4095 measure1 run1
		4096 agg4096 measure1 run1 start1 stop1
	END
}

@test "a group of another writer: its tags are those of the label, whatever their names" {
	{
		printf '# AFPerf v1     \n'
		printf '%s\n' 'RunInfo,1,nanoseconds,1.5,1.0.0,1,m,2,AFPIPE=agg;n=1' MeasurementType,1,1,7,t,double,s,, \
			'RegionStart,5,,,f,n=3;AFPIPE=other;total=4' RegionAggregate,9,5,,sum,7,2 RegionStop,5, \
			'RegionStart,5,,,f,AFPIPE=agg;stat=a;start=b;Key=c;{k=e;a\x{3d}b=d' RegionAggregate,9,5,,sum,7,3 RegionStop,5, \
			'RegionStart,5,,9,f,AFPIPE=agg;n=3' RegionStop,6,9 \
			'RegionStart,5,,,f,AFPIPE=agg;n=	3;k=\xff' RegionAggregate,9,5,,sum,7,4 RegionStop,5,
	} >"$T/in"
	want_status 0 afdec "$T/in"
	# shellcheck disable=SC2028
	printf '%s\n' 'run	1	1	.	.	.	unit=ns	wall=1.5	app=m	version=2	afperf=1.0.0	tag.AFPIPE=agg	tag.n=1' \
		'measure	1	1	.	t	.	id=7	type=double	unit=s' \
		'agg	9	1	f	t	2	scope=group	stat=sum	start=5	mid=7	unit=s	type=double	tag.n=3	tag.AFPIPE=other	tag.total=4' \
		'agg	9	1	f	t	3	scope=group	stat=sum	start=5	mid=7	unit=s	type=double	tag.stat=a	tag.start=b	tag.Key=c	tag.{k=e	tag.a\x3db=d' \
		'start	5	1	f	.	.	scope=region	id=9	tag.AFPIPE=agg	tag.n=3' \
		'stop	6	1	f	.	.	scope=region	id=9	tag.AFPIPE=agg	tag.n=3' \
		'agg	9	1	f	t	4	stat=sum	start=5	mid=7	unit=s	n=\t3	k=\xff' |
		same - <(grep -v '^#' "$T/out")
}

@test "a group of aggregates: its fields are counted, and messages call it a region" {
	made "$RUN" "$TYPE" 'RegionStart,5,1,,label,' 'RegionAggregate,9,5,,mean,7,1.5' 'RegionStop,5,,x'
	want_status 1 afdec in.afperf
	is_said '6: field 4: RegionStop has 3 fields after its type, not 2'
	[ "$(grep -c '^agg' out)" -eq 1 ]
	made "${RUN/1.0.0/1.1.0}" "$TYPE" 'RegionStart,5,1,,label,,x' 'RegionAggregate,9,5,,mean,7,1.5' 'RegionStop,5,,x'
	want_status 0 afdec in.afperf
	is_said 'records with unknown fields: 2 (first in line 4)'
	made "$RUN" "$TYPE" 'RegionStart,5,1,,label,,x' 'RegionAggregate,9,5,,mean,7,1.5' 'RegionStop,5,'
	want_status 1 afdec in.afperf
	is_said '4: field 7: RegionStart has 6 fields after its type, not 5' '5: field 4: region @1 never defined' \
		'6: field 3: region @1 never defined'
	# a refused run is the reason for all that is left out
	made 'RunInfo,0,ns,,1.0.0,1,app,1,' 'RegionStart,1,1,,g,' 'RegionAggregate,1,0,,mean,7,1' 'RegionStop,1,'
	want_status 1 afdec in.afperf
	sed -n '2,$p' err >got
	echo 'afdec: in.afperf: records left out because the RunInfo of their run was refused: 3 (first in line 3)' >want
	same want got
}

@test "aggregates with an aggregation and without an id are of the run" {
	made "${RUN/,1,app/,,app}" "${TYPE/,1,7/,,7}" 'RegionStart,1,,,r,' 'RegionAggregate,2,1,,mean,7,1' \
		'RegionStop,3,' 'RegionAggregate,3,1,,max,7,2' 'SectionInfo,,,,s,' 'SectionStart,4,,' \
		'SectionAggregate,4,4,,,sum,7,3' 'SectionStop,5,,' 'SectionInfo,,,8,s,' \
		'SectionAggregate,5,4,,,sum,7,4' 'RunAggregate,5,4,,sum,7,5'
	want_status 0 afdec --strict in.afperf
	grep '^agg' out | cut -f 3,4,6-10 >got
	printf '%s\n' '@1	.	1	scope=region	id=@1	stat=mean	start=1' \
		'@1	.	2	scope=region	id=@1	stat=max	start=1' \
		'@1	.	3	scope=section	id=@1	stat=sum	start=4' \
		'@1	.	4	scope=section	stat=sum	start=4	mid=7' \
		'@1	.	5	scope=run	stat=sum	start=4	mid=7' >want
	same want got
	there_and_back in.afperf
	# of two runs: that of the region
	made "$RUN" "${RUN/,1,app/,2,app}" "$TYPE" 'RegionStart,1,1,,r,' 'RegionAggregate,2,1,,mean,7,1' 'RegionStop,3,'
	want_status 0 afdec --strict in.afperf
	[ "$(grep '^agg' out | cut -f 3,4,8)" = "1	.	id=1" ]
	there_and_back in.afperf
}

@test "an aggregate with an interval id and an aggregation: a warning" {
	made "$RUN" "$TYPE" 'SectionAggregate,2,1,,4,mean,7,1' 'SectionAggregate,2,1,1,0x5,mean,7,1'
	want_status 0 afdec in.afperf
	said 'in.afperf:4: warning: field 5: SectionAggregate with an interval id and an aggregation [interval]'
	said 'in.afperf:5: warning: field 5: SectionAggregate with an interval id and an aggregation [interval]'
	[ "$(grep '^agg' out | grep -o 'interval=[^	]*' | tr '\n' ' ')" = "interval=4 interval=0x5 " ]
	there_and_back in.afperf
	want_status 1 afdec --check in.afperf
}

@test "what is empty, or a dot, is said so" {
	made 'RunInfo,0,,0,1.0.0,5,a,,' 'RunInfo,0,seconds,0,,6,a,,' 'RunInfo,0,.,0,1.0.0,5,a,,' \
		'RunInfo,0,seconds,0,1.0.0,1,a,,k=v;' 'MeasurementType,0,1,7,t,,s,,' 'MeasurementType,0,1,7,t,.,s,,' \
		'MeasurementType,0,1,8,b,bool,-,,' 'RunPoint,0,1,8,' 'RunPoint,0,1,8,\x'
	want_status 1 afdec --check in.afperf
	sed 's/^afdec: in.afperf://' err >got
	printf '%s\n' '2: field 3: no timestamp units: expected nanoseconds, microseconds, milliseconds or seconds [time-units]' '3: field 5: no format version [version]' \
		'4: field 3: bad timestamp units .: expected nanoseconds, microseconds, milliseconds or seconds [time-units]' '5: warning: field 9: empty tag [tags]' \
		'6: field 6: no datatype [datatype]' "7: field 6: unknown datatype '.' [datatype]" \
		'9: field 5: empty bool value [value]' '10: field 5: bool is not 0 or 1: \x [value]' >want
	same want got
}

@test "aggregates of the run that stand before it wait to the end, where there is one run only" {
	made 'RegionAggregate,2,1,,mean,7,1' 'RunAggregate,2,1,,mean,7,2' "$TYPE" "$RUN" 'RunPoint,3,1,7,3'
	want_status 0 afdec --strict in.afperf
	[ "$(unmarked out | cut -f 1,6 | tr "\n\t" "  ")" = "run . measure . sample 3 agg 1 agg 2 " ]
	there_and_back in.afperf
	printf '%s\n' "${RUN/,1,app/,2,app}" 'SectionAggregate,2,1,,,mean,7,1' >>in.afperf
	want_status 1 afdec in.afperf
	said 'in.afperf:2: field 4: blank record id, and the file has several runs, none before it'
	said 'in.afperf:3: field 4: blank record id, and the file has several runs, none before it'
	said 'in.afperf:8: warning: field 4: blank record id in a file of several runs: the last one is used [which-run]'
	made 'RegionAggregate,2,1,,mean,7,1'
	judged 1 'in.afperf:2: field 4: the only run never defined'
	made "$TYPE" 'RunAggregate,2,1,5,mean,7,2'
	judged 1 'in.afperf:3: field 4: run 5 never defined'
}

@test "what afagg and afenc make is read back" {
	afdec "$CASES/good/g04_all_types_by_number.afperf" | afagg --by region --stat count,mean | afenc >x.afperf
	want_status 0 afdec x.afperf
	[ "$(grep -c '^agg' out)" -gt 3 ]
	there_and_back x.afperf
	want_status 0 afdec --check x.afperf
}

@test "what afdur and afenc make of it is as the format asks" {
	local f
	for f in "$CASES"/good/g04*.afperf "$CASES"/good/g26*.afperf; do
		afdec "$f" | afdur | afenc >x.afperf
		want_status 0 afdec --check x.afperf
	done
}

@test "goldens of afenc are read, and written back the same" {
	local f
	for f in "$BATS_TEST_DIRNAME"/data/afenc/*.afperf; do
		want_status 0 afdec "$f"
		there_and_back "$f"
		# an integer of 30 digits in a double, which has fewer
		sed '/^SectionPoint,11,.*0123456789/s/,[^,]*$/,1.2345678901234568e29/' "$f" >want.afperf
		same want.afperf written.afperf
	done
}

@test "a later minor version: counted, and printed and written back with --all" {
	made 'Novelty,1,"x;y",' 'RunInfo,0,nanoseconds,0,1.3.0,1,a,,,more' '# a comment; \x{01}' "$TYPE" \
		'RunPoint,1,1,7,1,extra' 'RegionStart,1,1,5,r,,,"a,b"' 'RegionStop,2,5,'
	want_status 0 afdec in.afperf
	said 'records of an unknown type: 1 (first in line 2)'
	said 'records with unknown fields: 4 (first in line 3)'
	[ "$(grep -c 'extra=\|^other\|^comment' out)" -eq 0 ]
	want_status 0 afdec --all in.afperf
	grep -v '^#\|^measure' out >got
	printf '%s\n' 'run	0	1	.	.	.	unit=ns	wall=0	app=a	afperf=1.3.0	extra=more' \
		'other	.	.	.	.	.	record=Novelty	fields=1;x\x3by;.' 'comment	.	.	.	.	 a comment; \x01	type=text' \
		'sample	1	1	.	t	1	scope=run	mid=7	unit=s	type=double	extra=extra' \
		'start	1	1	r	.	.	scope=region	id=5	extra=.;a,b' 'stop	2	1	r	.	.	scope=region	id=5	extra=.' >want
	same want got
	there_and_back in.afperf --all
	made "$RUN" 'RunInfo,0,nanoseconds,0,1.3.0,2,a,,' 'PauseResume,2,1,1,extra' 'PauseResume,2,1,2,extra'
	judged 1 'in.afperf:4: field 5: PauseResume has 4 fields after its type, not 3'
	[ "$(grep -c '^pause' out)" -eq 1 ]
}

@test "text: every byte comes through, both ways" {
	printf '# AFPerf v1     \r\n%s\r\n' "$RUN" '"MeasurementType",0,1,7,"a ""b"", c",string,text,,' \
		'RegionStart,1,1,5,"tab	cr
lf \x41\",.=..;k= ' $'RunPoint,1,1,7,\x7f\x01\xc2\x9b\xe2\x80\xae' 'RunPoint,1,1,7,.' 'RunPoint,1,1,7,' \
		'RunPoint,1,1,7,\x{01}\\x{01}\\\x{01}' >in.afperf
	want_status 0 afdec in.afperf
	grep '^s[at]' out | cut -f 4,6,9- >got
	printf '%s\n' 'tab\tcr\nlf \\x41\\	.	tag..=..	tag.k= ' '.	\x7f\x01\xc2\x9b\xe2\x80\xae	unit=text	type=text' \
		'.	\.	unit=text	type=text' '.	.	unit=text	type=text' '.	\x01\\x{01}\\\x01	unit=text	type=text' >want
	same want got
	there_and_back in.afperf
}

@test "text: a path of Windows is no escape, and bytes that have one come back" {
	local app='D:\build\x86\a;\\server\x86_64\x01\x{8}\x{8A}\x{41}\{80}\x{80'
	made "RunInfo,0,nanoseconds,0,1.0.0,1,$app,,path=C:\\xff\\x3b" \
		'MeasurementType,0,1,7,\x86,string,text,,' 'RunPoint,1,1,7,\x1f\x9b\\x86'
	want_status 0 afdec in.afperf
	printf '%s\n' "${app//\\/\\\\}"$'	tag.path=C:\\\\xff\\\\x3b' '\\x86' '\\x86	\\x1f\\x9b\\\\x86' >want
	sed -n 's/^run.*app=\([^	]*\).*	\(tag[^	]*\)/\1	\2/p; s/^measure.*	\(\S*x86\)	.*/\1/p; s/^sample.*	\(\S*x86\)	\(\S*\)	scope.*/\1	\2/p' out >got
	same want got
	there_and_back in.afperf
}

@test "tags: the odd ones are read as afenc would write them" {
	made 'RunInfo,0,nanoseconds,0,1.0.0,1,a,,k=v;novalue;=w;;k=2;a=b=c'
	want_status 0 afdec in.afperf
	[ "$(grep -c '\[tags\]$' err)" -eq 3 ]
	is 'run	0	1	.	.	.	unit=ns	wall=0	app=a	afperf=1.0.0	tag.k=v	tag.novalue=.	tag.w=.	tag.k=2	tag.a=b=c'
	there_and_back in.afperf
}

@test "a wall clock that is no number" {
	local wall
	for wall in a1 -a1 x1.5 1a 1.5a - .; do
		printf '# AFPerf v1     \nRunInfo,0,nanoseconds,%s,1.0.0,0x1,,,\n' "$wall" >in
		want_status 1 afdec in
		echo "afdec: in:2: field 4: bad wall clock value $wall" | same - err
	done
}

@test "--wall: the time of day, in integers" {
	made 'RunInfo,1000,nanoseconds,1639527663.713,1.0.0,1,a,,' 'PauseResume,1000,999,1' \
		'PauseResume,287000001000,0,1' 'PauseResume,0,0,1' 'RunInfo,0,seconds,-0.5,1.0.0,2,a,,' \
		'PauseResume,951868800,1,2' 'PauseResume,18446744073709551615,1,2' \
		'RunInfo,0,milliseconds,1.6e9,1.0.0,3,a,,' 'PauseResume,1,1,3' 'RunInfo,0,seconds,,1.0.0,4,a,,' \
		'PauseResume,1,1,4' 'RunInfo,0,nanoseconds,1639527663.9999999996,1.0.0,5,a,,' 'PauseResume,1,1,5'
	want_status 0 afdec --wall in.afperf
	grep -o 'utc=[^	]*' <(grep '^pause' out) >got
	printf 'utc=%s\n' 2021-12-15T00:21:03.713000000Z 2021-12-15T00:25:50.713000000Z \
		2021-12-15T00:21:03.712999000Z 2000-02-29T23:59:59.500000000Z . 2020-09-13T12:26:40.001000000Z . \
		2021-12-15T00:21:04.000000000Z >want
	same want got
	afenc out >a.afperf
	afdec in.afperf | afenc >b.afperf
	same a.afperf b.afperf
	# exponents, and times that are not in the years 0 to 9999
	made 'RunInfo,0,seconds,16395276637130e-4,1.0.0,1,a,,' 'PauseResume,1,1,1' 'RunInfo,0,seconds,1e300,1.0.0,2,a,,' \
		'PauseResume,1,1,2' 'RunInfo,0,seconds,-1e300,1.0.0,3,a,,' 'PauseResume,1,1,3' \
		'RunInfo,0,seconds,-62167219200,1.0.0,4,a,,' 'PauseResume,1,1,4' 'RunInfo,0,seconds,-62167219201,1.0.0,5,a,,' \
		'PauseResume,1,1,5' 'RunInfo,0,seconds,253402300799,1.0.0,6,a,,' 'PauseResume,0,0,6' 'PauseResume,1,1,6' \
		'RunInfo,0,seconds,253402300800,1.0.0,7,a,,' 'PauseResume,0,0,7' 'RunInfo,2,seconds,-62167219200,1.0.0,8,a,,' \
		'PauseResume,1,1,8' 'RunInfo,0,seconds,1e-999999999999,1.0.0,9,a,,' 'PauseResume,1,1,9'
	want_status 1 afdec --wall in.afperf
	grep 'not a time of day' err >got
	printf 'afdec: in.afperf:%s: field 4: not a time of day: %s\n' 4 1e300 6 -1e300 10 -62167219201 15 253402300800 >want
	same want got
	grep -o 'utc=[^	]*' <(grep '^pause' out) >got
	printf 'utc=%s\n' 2021-12-15T00:21:04.713000000Z 0000-01-01T00:00:01.000000000Z \
		9999-12-31T23:59:59.000000000Z . . 1970-01-01T00:00:01.000000000Z >want
	same want got
}

@test "--wait: the bound is said, what waits within it is printed" {
	made 'RunPoint,1,1,7,1' 'RunPoint,2,1,7,2' 'RunPoint,3,1,7,3' "$TYPE" "$RUN"
	want_status 0 afdec --wait 4 in.afperf
	want_status 1 afdec --wait 3 in.afperf
	said 'in.afperf:5: field 3: run 1 not yet defined, and 3 records wait already'
	want_status 1 afdec --wait 0 in.afperf
	said 'in.afperf:2: field 3: run 1 not yet defined, and 0 records wait already'
	[ "$(grep -vc '^#' out)" -eq 1 ]
	want_status 2 afdec --wait -1 in.afperf
}

@test "--max-record: a longer one is left out, also inside of quotes" {
	made "$RUN" "RegionStart,1,1,5,$(printf '%0200d' 0)," 'RegionStart,2,1,6,r,' '"RegionStart",2,1,7,r,'
	judged 1 'in.afperf:3: record longer than 100 bytes' --max-record 100
	[ "$(grep -c '^start' out)" -eq 2 ]
	made "$RUN" "RegionStart,1,1,5,\"$(printf '%0200d' 0)\"," 'RegionStart,2,1,6,r,'
	judged 1 'in.afperf:3: record longer than 100 bytes' --max-record 100
	[ "$(grep -c '^start' out)" -eq 1 ]
	made "$RUN" "RegionStart,1,1,5,\"$(seq 200)\"," 'RegionStart,2,1,6,r,'
	judged 1 'in.afperf:3: record longer than 100 bytes, inside quotes' --max-record 100
	made "$RUN"
	{
		cat in.afperf
		printf 'RegionStart,1,1,5,'
		head -c 17000000 /dev/zero | tr '\0' x
		printf ',\nRegionStart,2,1,6,r,\n'
	} >long.afperf
	want_status 1 afdec --max-record 64 long.afperf
	said 'long.afperf:3: record longer than 64 bytes'
	[ "$(grep -c '^start' out)" -eq 1 ]
	head -c 3000000 long.afperf >cut.afperf
	want_status 1 afdec --max-record 64 cut.afperf
	said 'cut.afperf:3: record longer than 64 bytes'
	want_status 1 afdec long.afperf
	said 'long.afperf:3: record longer than 16777216 bytes'
	[ "$(grep -c '^start' out)" -eq 1 ]
	# exactly, without the end of the line, however it is spelled
	local end name record
	for end in '\n' '\r\n' ''; do
		for name in r '"r"' '"\n\r\nr"' '"r\n"'; do
			record="RegionStart,1,1,5,$name,"
			made "$RUN" "RegionStart,1,1,4,$(printf '%081d' 0),"
			record+=$(printf '%0*d' $((101 - $(printf %b "$record" | wc -c))) 0)
			printf %b "${record%0}$end" >>in.afperf
			want_status 0 afdec --max-record 100 in.afperf
			[ "$(grep -c '^start' out)" -eq 2 ] || fail "$record$end" || return
			made "$RUN" "RegionStart,1,1,4,$(printf '%082d' 0),"
			printf %b "$record$end" >>in.afperf
			want_status 1 afdec --max-record 100 in.afperf
			[ "$(grep -c '^start' out)" -eq 0 ] || fail "$record$end" || return
			[ "$(grep -c 'in.afperf:[34]: record longer than 100 bytes' err)" -eq 2 ] || fail "$record$end" || return
		done
	done
}

@test "a text of 64 KiB is read, a longer one is not, whatever the field" {
	local long record
	long=$(printf '%065534d' 0)
	for record in '5:RegionStart,1,1,5,k=LONG,' 6:RegionStart,1,1,5,r,k=LONG 6:SectionInfo,1,1,5,s,k=LONG \
		'5:MeasurementType,0,1,8,k=LONG,int32,u,,' '7:MeasurementType,0,1,8,n,int32,k=LONG,,'; do
		made "$RUN" "${record#*:}"
		sed "s/LONG/$long/" in.afperf >long.afperf
		want_status 0 afdec long.afperf
		sed "s/LONG/1$long/" in.afperf >long.afperf
		want_status 1 afdec long.afperf
		said "long.afperf:3: field ${record%%:*}: text longer than 65536 bytes"
	done
}

@test "no line is longer than 16 MiB: what is too long is left out and named" {
	local n
	for n in 4190000 4200000; do # 16760000 and 16800000 bytes in the stream
		head -c $n /dev/zero | tr '\0' '\001' >long
		{
			printf '# AFPerf v1     \n%sk=v;l=' "$RUN"
			cat long
			printf ';m=w\n%s\nMeasurementType,0,1,8,t,string,text,,\n' "$TYPE"
			printf 'RunAggregate,1,1,1,max,7,5,8,'
			cat long
			printf ',7,6\nRunAggregate,1,1,1,'
			cat long
			printf ',7,5\n'
		} >long.afperf
		want_status 1 afdec long.afperf
		said 'long.afperf:6: field 5: text longer than 65536 bytes'
		[ "$(awk '{ if (length($0) > 16777216) n++ } END { print n + 0 }' out)" -eq 0 ]
		grep '^run\|^agg' out | cut -f 6- | sed 's/\\x01/\x01/g' | awk '{
			n = length
			if (sub(/\001+/, "LONG"))
				sub(/LONG/, "LONG" (n - length + 4))
			print }' >got.$n
	done
	said 'tags left out of lines that would be longer than 16 MiB: 2'
	printf '%s\n' '.	unit=ns	wall=1639527663.713	app=app	version=1	afperf=1.0.0	tag.k=v	tag.l=LONG4190000	tag.m=w' \
		'5	scope=run	stat=max	start=1	mid=7	unit=s	type=double' \
		'LONG4190000	scope=run	stat=max	start=1	mid=8	unit=text	type=text' \
		'6	scope=run	stat=max	start=1	mid=7	unit=s	type=double' >want.4190000
	sed 's/	tag.l=LONG[0-9]*\(.*\)/\1	omitted=tag.l/; s/^LONG[0-9]*\(.*\)/.\1	omitted=column/' want.4190000 >want.4200000
	same want.4190000 got.4190000
	same want.4200000 got.4200000
}

@test "no line is longer than 16 MiB with the tags that --tag adds" {
	local n
	{
		printf '# AFPerf v1     \n%s\nMeasurementType,0,1,8,t,string,text,,\nRunPoint,1,1,8,' "$RUN"
		head -c 16760000 /dev/zero | tr '\0' x
		printf '\nRunPoint,1,1,8,x\n'
	} >long.afperf
	for n in '16000 mid,unit,type,scope' '17500 mid,unit,type,scope' 17500; do
		set -- --tag a=1 --tag "b=$(printf "%0${n% *}d" 0)" long.afperf
		[ "$n" = 17500 ] || set -- --tags "${n#* }" "$@"
		want_status 0 afdec "$@"
		[ "$(LC_ALL=C awk 'length > 16777216' out | wc -l)" -eq 0 ]
		case $n in 175*) said 'tags left out of lines that would be longer than 16 MiB: 2' ;; esac
		grep '^sample' out | cut -f 10- | sed 's/0*$//'
	done >got
	printf '%s\n' 'type=text	a=1	b=' 'type=text	a=1	b=' 'type=text	omitted=a;b' 'type=text	a=1	b=' \
		'type=text	omitted=a;b' 'type=text	a=1	b=' >want
	same want got
}

@test "every message of --check is said" {
	{
		printf '# AFPerf v1     \n%s\n' "$RUN"
		seq 100 | sed 's/.*/RunPoint,0&,1,7,1/'
	} >in.afperf
	want_status 1 afdec --check in.afperf
	[ "$(grep -c '\[integer\]$' err)" -eq 100 ]
	want_status 1 afdec in.afperf
	said 'and 80 more messages'
}

@test "a number out of the range of a double is said, also one below the smallest" {
	made "$RUN" "$TYPE" RunPoint,1,1,7,1e-400,7,-1e-400,7,0x1p-2000,7,1e400,7,-1e400 \
		RunPoint,2,1,7,0e-400,7,5e-324,7,inf,7,-0
	want_status 0 afdec in.afperf
	sed -n 's/^sample.*\tt\t\([^\t]*\)\t.*/\1/p' out | paste -sd ' ' >got
	echo '0 -0 0 inf -inf 0 5e-324 inf -0' >want
	same want got
	printf 'afdec: in.afperf:4: warning: field %s\n' '5: 1e-400 is too small for a double: 0 [underflow]' \
		'7: -1e-400 is too small for a double: 0 [underflow]' '9: 0x1p-2000 is too small for a double: 0 [underflow]' \
		'11: 1e400 is beyond the range of a double: infinity [overflow]' \
		'13: -1e400 is beyond the range of a double: infinity [overflow]' >want
	same want err
}

@test "integers of every spelling: a time, and a value of 32 bits" {
	local spelled
	while IFS= read -r spelled; do
		made "$RUN" 'MeasurementType,0,1,7,t,int32,count,,' "PauseResume,$spelled,0,1" "RunPoint,9,1,7,$spelled"
		printf '%s:' "$spelled"
		afdec in.afperf 2>err | awk -F '\t' '
			$1 == "pause" || $1 == "resume" { printf " time %s", $2 }
			$1 == "sample" { printf " value %s", $6 }'
		sed 's/^afdec: in.afperf:/ ! /' err | sort | tr -d '\n'
		echo
	done >got <<-'END'
		5
		+5
		 5
		 +5
		-5
		-0
		05
		-05
		0x1F
		+0X1f
		-0x80000000
		-2147483649
		2147483648
		
		+
		+ 5
		-x
		0x
		18446744073709551615
		18446744073709551616
		-18446744073709551616
		+0x10000000000000000
	END
	cat >want <<-'END'
		5: time 5 value 5
		+5: time 5 value 5 ! 4: warning: field 2: a plus sign before an integer: +5 [blanks]
		 5: time 5 value 5 ! 4: warning: field 2: blanks before an integer:  5 [blanks] ! 5: warning: field 5: blanks before an integer:  5 [blanks]
		 +5: time 5 value 5 ! 4: warning: field 2: blanks before an integer:  +5 [blanks] ! 5: warning: field 5: blanks before an integer:  +5 [blanks]
		-5: value -5 ! 4: field 2: negative integer -5
		-0: value 0 ! 4: field 2: negative integer -0
		05: ! 4: field 2: octal integer 05 ! 5: field 5: octal integer 05
		-05: ! 4: field 2: octal integer -05 ! 5: field 5: octal integer -05
		0x1F: time 31 value 31
		+0X1f: time 31 value 31 ! 4: warning: field 2: a plus sign before an integer: +0X1f [blanks]
		-0x80000000: value -2147483648 ! 4: field 2: negative integer -0x80000000
		-2147483649: ! 4: field 2: negative integer -2147483649 ! 5: field 5: value does not fit int32: -2147483649
		2147483648: time 2147483648 ! 5: field 5: value does not fit int32: 2147483648
		: ! 4: field 2: no integer ! 5: field 5: empty int32 value
		+: ! 4: field 2: bad integer + ! 5: field 5: bad int32 value +
		+ 5: ! 4: field 2: bad integer + 5 ! 5: field 5: bad int32 value + 5
		-x: ! 4: field 2: bad integer -x ! 5: field 5: bad int32 value -x
		0x: ! 4: field 2: bad integer 0x ! 5: field 5: bad int32 value 0x
		18446744073709551615: time 18446744073709551615 ! 5: field 5: value does not fit int32: 18446744073709551615
		18446744073709551616: ! 4: field 2: integer of more than 64 bits 18446744073709551616 ! 5: field 5: value does not fit int32: 18446744073709551616
		-18446744073709551616: ! 4: field 2: integer of more than 64 bits -18446744073709551616 ! 5: field 5: value does not fit int32: -18446744073709551616
		+0x10000000000000000: ! 4: field 2: integer of more than 64 bits +0x10000000000000000 ! 5: field 5: value does not fit int32: +0x10000000000000000
	END
	same want got
}

@test "an id that is none is none each time, and one that is oddly spelled is said each time" {
	local id text
	while IFS='|' read -r id text; do
		made "$RUN" 'MeasurementType,0,1,1,t,double,s,,' "RunPoint,1,$id,1,1" "RunPoint,2,$id,1,1" \
			"RunPoint,3,1,$id,1" "RunPoint,4,1,$id,1" 'RunPoint,5,1,1,1'
		if [[ $text = *'[blanks]' ]]; then
			want_status 0 afdec in.afperf
			[ "$(grep -c '^sample' out)" -eq 5 ]
			text="warning: $text"
		else
			want_status 1 afdec in.afperf
			[ "$(grep -c '^sample' out)" -eq 1 ]
		fi
		printf 'afdec: in.afperf:%d: field %d: %s\n' 4 3 "$text" 5 3 "$text" 6 4 "$text" 7 4 "$text" |
			sed 's/: field \([0-9]\): warning/: warning: field \1/' >want
		same want err
	done <<-'END'
		1x|bad integer 1x
		01|octal integer 01
		1 |bad integer 1 
		0x1g|bad integer 0x1g
		18446744073709551616|integer of more than 64 bits 18446744073709551616
		0x10000000000000000|integer of more than 64 bits 0x10000000000000000
		-1|negative integer -1
		 1|blanks before an integer:  1 [blanks]
		+1|a plus sign before an integer: +1 [blanks]
	END
}

@test "a run id is spelled as in RunInfo, if a stream may have it; other ids lose zeros and capitals" {
	local id run
	while read -r id run; do
		made "RunInfo,0,nanoseconds,1,1.0.0,$id,app,1," "MeasurementType,0,$id,0x0A,t,double,s,," \
			'RunPoint,1,0x0aB,10,1' "RegionAggregate,1,0,$id,sum,10,1"
		want_status 0 afdec in.afperf
		[ "$(grep -v '^#' out | cut -f 3 | sort -u)" = "$run" ] || fail "$id" || return
		grep -oE '	m?id=[^	]*' out | tr '\n' ' ' >ids
		[ "$(<ids)" = "	id=0xa 	mid=0xa 	id=$run 	mid=0xa " ] || fail "$id: $(<ids)" || return
		afenc out >back.afperf
		afdec back.afperf >back
		diff <(grep -v '^#' out) <(grep -v '^#' back)
	done <<-'END'
		0xab 0xab
		0x00AB 0x00AB
		0X00AB 0xab
		0x00000000000000aB 0x00000000000000aB
		0x000000000000000ab 0xab
		171 171
	END
}

@test "--check says all notes of all files" {
	local i
	for i in $(seq 11 40); do
		printf '# AFPerf v1     \n%s\nRegionStart,10,1,1,a,\n' "$RUN" >"f$i"
		echo "afdec: f$i: regions that are never stopped: 1 (first in line 3); afdur reports them as errors"
	done >want
	want_status 0 afdec --check f??
	same want err
}

@test "a record with a NUL is read, but not if it is no UTF-8 either" {
	made "$RUN" && printf 'RegionStart,1,1,5,a\0b,\nRegionStop,2,5\n' >>in.afperf
	want_status 0 afdec in.afperf
	said 'in.afperf:3: warning: field 5: NUL byte: a\x00b [nul]'
	made "$RUN" && printf 'RegionStart,1,1,5,a\0b\351,\nRegionStop,2,5\n' >>in.afperf
	judged 1 'in.afperf:3: field 5: invalid UTF-8: a\x00b\xe9'
}

@test "regions: apart, nested and crossing, in any order of the records" {
	made "$RUN" 'RegionStart,1,1,5,a,' 'RegionStart,3,1,6,b,' 'RegionStop,8,5' 'RegionStop,8,6' \
		'RegionStart,20,1,7,c,' 'RegionStart,10,1,8,d,' 'RegionStop,20,8' 'RegionStop,20,7'
	want_status 0 afdec in.afperf
	grep '^stop' out | cut -f 8 | tr '\n' ' ' >got
	printf 'id=6 id=5 id=8 id=7 ' >want
	same want got
	made "$RUN" 'RegionStart,3,1,6,b,' 'RegionStart,1,1,5,a,' 'RegionStop,8,6' 'RegionStop,5,5'
	judged 1 'in.afperf:6: region 5 ends inside region 6'
	made "$RUN" 'RegionStart,3,1,6,b,' 'RegionStart,1,1,5,a,' 'RegionStop,4,5' 'RegionStop,5,6'
	judged 1 'in.afperf:5: region 5 ends inside region 6'
	# what began first stops last, if both stop at one time
	made "$RUN" 'RegionStart,2,1,6,b,' 'RegionStart,1,1,5,a,' 'RegionStart,5,1,7,c,' \
		'RegionStop,8,5' 'RegionStop,8,6' 'RegionStop,8,7'
	want_status 0 afdec in.afperf
	grep '^stop' out | cut -f 8 | tr '\n' ' ' >got
	printf 'id=7 id=6 id=5 ' >want
	same want got
	made "$RUN" 'RegionStart,1,1,5,a,' 'RegionStart,3,1,6,b,' 'RegionStop,5,5'
	want_status 0 afdec in.afperf
	said 'regions that are never stopped: 1 (first in line 4)'
	[ "$(grep -c '^stop' out)" -eq 1 ]
}

@test "a stop that waited in vain for one inside it comes late, which the notes and afdur explain" {
	made "$RUN" 'RegionStart,10,1,1,a,' 'RegionStart,12,1,2,b,' 'RegionStop,20,1' \
		'RegionStart,30,1,3,c,' 'RegionStop,40,3'
	want_status 0 afdec in.afperf
	cp out stream
	same - err <<-'EOF'
	afdec: in.afperf: regions that are never stopped: 1 (first in line 4); afdur reports them as errors
	afdec: in.afperf: stops written at the end since a region in them never stops: 1 (first in line 5); afdur needs --sort
	EOF
	want_status 0 afdec --check in.afperf
	same - err <<-'EOF'
	afdec: in.afperf: regions that are never stopped: 1 (first in line 4); afdur reports them as errors
	EOF
	want_status 1 afdur stream
	same - err <<-'EOF'
	afdur: stream:7: goes back in time: it is left out, perhaps because region 2 "b" of line 4 in it is never stopped; use --sort, or sort -s -t "$(printf '\t')" -k 3,3 -k 2,2n before
	afdur: stream:3: start of region 1 "a", whose stop was left out
	afdur: stream:4: start of region 2 "b", which is never stopped
	EOF
	want_status 1 afdur --sort stream
	same - err <<-'EOF'
	afdur: stream:7: stop of region 1 "a" while region 2 "b" of line 4 is open: the latter is left out
	EOF
	# nothing is late if it is the last one
	made "$RUN" 'RegionStart,10,1,1,a,' 'RegionStart,12,1,2,b,' 'RegionStop,20,1'
	want_status 0 afdec in.afperf
	[ "$(wc -l <err)" -eq 1 ]
}

@test "regions that cross at equal times, or that were never open together" {
	made "$RUN" 'RegionStart,4,1,3,a,' 'RegionStart,5,1,0,b,' 'RegionStart,5,1,1,c,' \
		'RegionStop,8,3' 'RegionStop,8,0' 'RegionStop,9,1'
	judged 1 'in.afperf:6: region 3 ends inside region 1'
	judged 1 'in.afperf:6: region 3 ends inside region 1 [nesting]' --check
	made "$RUN" 'RegionStart,1,1,0,a,' 'RegionStop,4,0' 'RegionStart,3,1,1,b,' 'RegionStop,7,1'
	want_status 0 afdec in.afperf
	judged 1 'in.afperf:4: region 0 ends inside region 1 [nesting]' --check
	made "$RUN" 'RegionStart,1,1,0,a,' 'RegionStop,4,0' 'RegionStart,4,1,1,b,' 'RegionStop,7,1' \
		'RegionStart,4,1,2,b,' 'RegionStop,6,2' 'RegionStart,6,1,3,b,' 'RegionStop,7,3'
	want_status 0 afdec --check in.afperf
	silent
}

@test "regions that begin together: what crosses one of them, and their stops in the order of time" {
	made "$RUN" 'RegionStart,0,1,16,a,' 'RegionStart,0,1,13,b,' 'RegionStart,1,1,7,c,' \
		'RegionStop,2,16' 'RegionStop,3,7' 'RegionStart,4,1,22,d,' 'RegionStop,4,22' 'RegionStop,4,13'
	judged 1 'in.afperf:6: region 16 ends inside region 7'
	judged 1 'in.afperf:6: region 16 ends inside region 7 [nesting]' --check
	# two that stop together, too: the later one first, in each order of the records
	for ids in '4 9' '9 4'; do
		made "$RUN" "RegionStart,0,1,${ids% *},a," "RegionStart,0,1,${ids#* },b," 'RegionStart,1,1,7,c,' \
			"RegionStop,2,${ids% *}" "RegionStop,2,${ids#* }" 'RegionStop,3,7'
		want_status 1 afdec --check in.afperf
		printf "afdec: in.afperf:%s: region %s ends inside region 7 [nesting]\\n" 7 "${ids#* }" 6 "${ids% *}" >want
		echo 'afdec: in.afperf: regions that end inside others: 2 (first in line 6); what may overlap are intervals of a section' >>want
		same want err
	done
	made "$RUN" 'RegionStart,0,1,16,a,' 'RegionStart,0,1,13,b,' 'RegionStop,2,16' 'RegionStop,4,13'
	want_status 0 afdec --check in.afperf
	want_status 0 afdec in.afperf
	grep '^stop' out | cut -f 2,8 >got
	printf '%s\tid=%s\n' 2 16 4 13 >want
	same want got
	# stops that are not in the order of time, and with them the starts
	for ids in '' 'RegionStart,15,1,8,x,'; do
		made "$RUN" $ids 'RegionStart,1,1,16,a,' 'RegionStart,1,1,13,b,' 'RegionStart,2,1,7,c,' \
			'RegionStop,10,7' 'RegionStop,5,16' 'RegionStop,12,13' ${ids:+'RegionStop,20,8'}
		judged 1 "in.afperf:$((7 + (${#ids} > 0))): region 16 ends inside region 7"
		judged 1 "in.afperf:$((7 + (${#ids} > 0))): region 16 ends inside region 7 [nesting]" --check
		[ "$(wc -l <err)" -eq 2 ]
	done
}

# bats test_tags=slow,sanitize
@test "random regions: plain afdec finds all that cross in the order of time, --check all" {
	need python3
	want_status 0 python3 "$ROOT/t/tools/nestjudge.py" 1 400
	[ ! -s out ] || fail "$(cat out)"
}

@test "stops that wait for those inside of them cost no more than their number" {
	awk -v run="$RUN" 'BEGIN {
		printf "# AFPerf v1     \n%s\n", run
		for (j = 0; j < 24000; j += 4000) {
			for (i = 0; i < 4000; i++)
				printf "RegionStart,%d,1,%d,r,\n", j + i, j + i
			for (i = 0; i < 4000; i++)
				printf "RegionStop,%d,%d\n", j + 4000, j + i
		}
	}' >in.afperf
	want_status 0 afdec in.afperf
	grep '^stop' out | cut -f 8 >got
	for i in 3 7 11 15 19 23; do
		seq "${i}999" -1 "$((i - 3))000"
	done | sed 's/^0*\(.\)/\1/' | sed 's/^/id=/' >want
	same want got
	awk -v run="$RUN" 'BEGIN {
		printf "# AFPerf v1     \n%s\n", run
		for (j = 0; j < 24000; j += 4000) {
			for (i = 0; i < 4000; i++)
				printf "RegionStart,%d,1,%d,r,\n", j + (i >= 2000), j + i
			for (i = 0; i < 4000; i++)
				printf "RegionStop,%d,%d\n", j + 4000, j + i
		}
	}' >in.afperf
	want_status 0 afdec in.afperf
	grep '^stop' out | cut -f 8 >got
	for i in 0 4 8 12 16 20; do
		seq "$((i + 2))000" "$((i + 3))999"
		seq "${i}000" "$((i + 1))999"
	done | sed 's/^0*\(.\)/\1/' | sed 's/^/id=/' >want
	same want got
	made "$RUN" 'RegionStart,1,1,5,a,' 'RegionStart,2,1,6,b,' 'RegionStop,9,5' 'RegionStop,9,5' \
		'RegionStop,8,6'
	judged 1 'in.afperf:6: region 5 stopped twice (started in line 3)'
	[ "$(grep -c '^stop' out)" -eq 2 ]
}

# bats test_tags=slow
@test "a record of many pairs that waits for each of their types costs no more than their number" {
	pairs() {
		awk -v n="$1" -v run="$RUN" 'BEGIN {
			printf "# AFPerf v1     \n%s\nRunPoint,1,1", run
			for (i = 0; i < n; i++)
				printf ",%d,%d", i, i
			for (i = 0; i < n; i++)
				printf "\nMeasurementType,0,1,%d,t%d,int32,count,,", i, i
			printf "\n"
		}'
	}
	proportional pairs 400
	pairs 100000 >in.afperf
	want_status 0 afdec in.afperf
	grep '^sample' out | cut -f 5,6 >got
	seq 0 99999 | sed 's/.*/t&\t&/' >want
	same want got
}

@test "values that wait between many definitions of their type go by theirs" {
	values() {
		awk -v n="$1" -v run="$RUN" 'BEGIN {
			printf "# AFPerf v1     \n%s\n", run
			for (i = 0; i < n; i++) {
				printf "MeasurementType,0,1,7,t%d,int32,count,,\n", i
				for (j = 0; j < (i == 0 ? n : i % 1000 == 7); j++)
					printf "RegionPoint,1,9,7,%d\n", i
			}
			print "RegionStart,0,1,9,r,"
		}'
	}
	proportional values 400
	values 100000 >in.afperf
	want_status 0 afdec in.afperf
	grep '^sample' out | cut -f 5,6 >got
	{
		yes 0 | head -n 100000
		seq 7 1000 99999
	} | sed 's/.*/t&\t&/' >want
	same want got
}

@test "what is odd is said once of each field, also of records that wait" {
	made 'RunInfo,0,nanoseconds,0,1.1.0,2,app,,' 'MeasurementType,0,1, 7,t,double,s,,' \
		'RunPoint,1, 1,7,1, 8,2,+7,3' 'RunPoint,1, 1,7,1' "$RUN" 'MeasurementType,0,1,8,u,double,s,,' \
		'RunPoint,1,2,9,1,9,2,x' 'MeasurementType,0,2,9,u,double,s,,' 'RunPoint,1,1,+7,1'
	want_status 0 afdec in.afperf
	grep -o '[0-9]*: warning: field [0-9]*' err | sort >got
	printf '%s: warning: field %s\n' 10 4 3 4 4 3 4 6 4 8 5 3 >want
	sort -o want want
	same want got
	said 'records with unknown fields: 1 (first in line 8)'
	# stops that wait for a stop inside, or for an interval
	made "${RUN/1.0.0/1.1.0}" 'RegionStart,1,1,1,outer,' 'RegionStart,2,1,2,inner,' 'RegionStop,10,1,x' \
		'RegionStop,5,2' 'SectionStop,9,3,1,x' 'SectionInfo,0,1,3,s,' 'SectionStart,1,3,1'
	want_status 0 afdec in.afperf
	is_said 'records with unknown fields: 2 (first in line 5)'
}

@test "tags that are odd are odd in each record that has them" {
	local tags twice=()
	for tags in 'a=1;;b=2' 'a' 'a=1;=2;b' 'a=1'; do
		twice+=("RegionStart,1,1,,r,$tags" 'RegionStop,1,' "SectionInfo,,1,,r,$tags" \
			"RegionStart,1,1,,r,$tags" 'RegionStop,1,' "SectionInfo,,1,,r,$tags")
	done
	made "$RUN" "${twice[@]}"
	want_status 0 afdec in.afperf
	# lines of the records, and the messages about the tags of each four
	awk 'BEGIN {
		m[0] = "empty tag"
		m[1] = "tag without \x27=\x27: a"
		m[2] = "tag without a name: =2|tag without \x27=\x27: b"
		for (i = 0; i < 3; i++)
			for (j = 0; j < 6; j++)
				if (j != 1 && j != 4) {
					n = split(m[i], text, "|")
					for (k = 1; k <= n; k++)
						printf "%d: warning: field 6: %s [tags]\n", 3 + 6 * i + j, text[k]
				}
	}' >odd
	mapfile -t twice <odd
	is_said "${twice[@]}"
}

@test "the first line that a note gives is the first one in the file, whatever refers to its region" {
	made "$RUN" "$TYPE" 'RegionPoint,9,9,7,1' 'RegionStart,1,1,8,x,' 'RegionStart,2,1,9,y,'
	want_status 0 afdec in.afperf
	is_said 'regions that are never stopped: 2 (first in line 5); afdur reports them as errors'
}

@test "what is odd but breaks no rule is counted, in each type of record, and the status is 0" {
	local time event
	# a number of each type, of the run's first time and of the time before
	made "${RUN/Info,0/Info,100}" "$TYPE" 'RegionStart,100,1,4,r,' 'RegionStop,100,4' 'SectionInfo,,1,5,s,'
	for time in 100 99; do
		for event in "RegionStart,$time,1,1$time,r," "RegionStop,106,1$time" "SectionStart,$time,5,$time" \
			"SectionStop,106,5,$time" "PauseResume,105,$time,1" "RunPoint,$time,1,7,1" \
			"RegionPoint,$time,4,7,1" "SectionPoint,$time,5,,7,1" "RunAggregate,105,$time,1,min,7,1" \
			"RegionAggregate,105,$time,1,min,7,1" "SectionAggregate,105,$time,1,,min,7,1,7,2"; do
			echo "$event" >>in.afperf
		done
	done
	want_status 0 afdec in.afperf
	is_said 'events before the start of their run: 9 (first in line 18)'
	made "$RUN" 'SectionInfo,,1,5,s,' 'SectionStart,9,5,1' 'SectionStop,9,5,1' 'SectionStart,9,5,2' \
		'SectionStart,8,5,3'
	want_status 0 afdec in.afperf
	is_said 'intervals that are never stopped: 2 (first in line 6); afdur reports them as errors'
	made 'RunInfo,0,nanoseconds,0,1.0.0,1,app,1,' 'RunInfo,0,nanoseconds,,1.0.0,2,app,1,' \
		'RunInfo,0,nanoseconds,,1.0.0,3,app,1,'
	want_status 0 afdec in.afperf
	is_said 'runs without a wall clock time: 2 (first in line 3)'
	made "$RUN" "$TYPE" "${TYPE/,s,/,parsecs,}" "${TYPE/,s,/,-,}" "${TYPE/double,s,/bool,-,}" \
		"${TYPE/,s,/,count,}"
	want_status 0 afdec in.afperf
	is_said 'measurement types with an unusual unit: 2 (first in line 4)'
}

# bats test_tags=slow
@test "ids that are chosen to collide cost no more than others" {
	need python3
	colliding() {
		python3 - "$1" <<-'EOF'
		import sys
		M, C = 2**64 - 1, 0xd6e8feb86659fd93
		inverse = pow(C, -1, 2**64)
		def undo(h):
		    h ^= h >> 32
		    h = h * inverse & M
		    h ^= h >> 32
		    h = h * inverse & M
		    return h ^ h >> 32
		print('# AFPerf v1     \nRunInfo,0,nanoseconds,1,1.0.0,1,app,1,')
		ids = (undo(k << 32) for k in range(1, int(sys.argv[1])))
		for i in (v // 2 for v in ids if v % 2 == 0):
		    print('SectionInfo,,1,%d,s,' % i)
		EOF
	}
	proportional colliding 2000
	colliding 500000 >in.afperf
	want_status 0 afdec in.afperf
	[ "$(grep -c '^section' out)" -gt 200000 ]
}

@test "types of records as numbers, decimal and hexadecimal" {
	made "0x8,${RUN#*,}" '0x1,0,1,7,t,double,s,,' '9,1,1,7,1' '0xe,1,2,3'
	judged 1 'in.afperf:5: field 3: section 2 never defined'
	[ "$(unmarked out | cut -f 1 | tr "\n" " ")" = "run measure sample " ]
	made "$RUN" '0X0000000000000000002,1,0,1' '0xf,1' '02,1,0,1' '0x,1,0,1'
	judged 1 "in.afperf:4: field 1: unknown record type '0xf'"
	said "in.afperf:5: field 1: unknown record type '02'"
	said "in.afperf:6: field 1: unknown record type '0x'"
	[ "$(grep -c '^pause' out)" -eq 1 ]
}

@test "10,000 regions that are never stopped, and as many deep" {
	awk -v run="$RUN" 'BEGIN {
		printf "# AFPerf v1     \n%s\n", run
		for (i = 0; i < 10000; i++)
			printf "RegionStart,%d,1,%d,r,\n", i, i
		for (i = 9999; i >= 0; i--)
			printf "RegionStop,%d,%d\n", 20000 - i, i
	}' >in.afperf
	want_status 0 afdec in.afperf
	said 'regions nested too deeply to check for crossings: 6144'
	[ "$(grep -c '^stop' out)" -eq 10000 ]
	sed '/Stop/d' in.afperf >open.afperf
	want_status 0 afdec open.afperf
	said 'regions that are never stopped: 10000 (first in line 3)'
}

@test "100,000 regions without an id, each in the one before it; 4096 intervals" {
	awk -v run="$RUN" 'BEGIN {
		printf "# AFPerf v1     \n%s\n", run
		for (i = 0; i < 100000; i++)
			print "RegionStart,1,1,,r,"
		for (i = 0; i < 100000; i++)
			print "RegionStop,2,"
	}' >in.afperf
	want_status 0 afdec in.afperf
	grep '^stop' out | cut -f 8 >got
	seq 100000 -1 1 | sed 's/^/id=@/' >want
	same want got
	{
		printf '# AFPerf v1     \n%s\nSectionInfo,,1,3,s,\n' "$RUN"
		yes SectionStart,1,3, | head -n 4097
	} >in.afperf
	judged 1 'in.afperf:4100: 4096 of this kind are already open without ids'
	[ "$(grep -c '^start' out)" -eq 4096 ]
}

@test "several operands, CRLF, no newline at the end" {
	made "$RUN" "$TYPE" 'RunPoint,1,1,7,1'
	sed 's/$/\r/' in.afperf >crlf.afperf
	printf '%s' "$(cat in.afperf)" >short.afperf
	want_status 0 afdec in.afperf
	unmarked out >want
	want_status 0 afdec crlf.afperf
	unmarked out | cmp - want
	want_status 0 afdec short.afperf
	unmarked out | cmp - want
	said 'afdec: short.afperf:4: warning: ends without a line break: it may have been cut [unterminated]'
	tail -n 1 out | grep -q '	complete	unterminated=1$'
	printf '# AFPerf v1     ' >head.afperf
	want_status 0 afdec head.afperf
	said 'afdec: head.afperf:1: warning: ends without a line break: it may have been cut [unterminated]'
	tail -n 1 out | grep -q '	complete	unterminated=1$'
	want_status 1 afdec --check short.afperf
	want_status 1 afdec --strict short.afperf
	tail -n 1 out | grep -q '	partial	.*unterminated=1'
	want_status 1 afdec in.afperf /dev/null crlf.afperf
	unmarked out | cmp - <(cat want want)
	said 'afdec: /dev/null: empty'
}

# bats test_tags=slow,sanitize
@test "random files: the same there and back" {
	local i n=100
	[ -z "${AFPIPE_SLOW-}" ] || n=1000
	for i in $(seq $n); do
		afperfmake random "$i" >random.afperf
		there_and_back random.afperf --all || fail "afperfmake random $i: $(cat err)"
		[ "$(grep -vc ': warning: .*\[\(pause-run\|unterminated\)\]$\|(first in line\|more messages' err)" -eq 0 ] || fail "afperfmake random $i: $(cat err)"
	done
}

@test "a record that is cut anywhere is refused, or reported" {
	local cut whole start in=0 reported=0 step=3
	made "$RUN" "$TYPE" '# words' 'RegionStart,1,1,5,r,k=v' 'RegionPoint,1,5,7,12345.678' \
		'MeasurementType,0,1,8,t,string,text,,' 'RunPoint,1,1,8,"a ""quoted""' 'text"' 'RegionStop,17,5'
	small whole in.afperf
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	for ((cut = 18; cut < ${#whole}; cut += step)); do
		start=${whole:0:cut}
		printf '%s' "$start" >cut.afperf
		[[ $start != *$'\n' ]] || continue
		if [[ ${start##*$'\n'} == '#'* ]]; then # nothing of it is printed without --all
			want_status 0 afdec --strict cut.afperf
			silent
		fi
		in=$((in + 1))
		if afdec --all cut.afperf >out 2>err; then
			grep -q 'warning: ends without a line break: it may have been cut \[unterminated\]$' err
			tail -n 1 out | grep -q '	unterminated=1$'
			reported=$((reported + 1))
			want_status 1 afdec --all --strict cut.afperf
		fi
		want_status 1 afdec --all --check cut.afperf
	done
	[ $in -gt $((150 / step)) ] && [ $reported -gt $((10 / step)) ]
}

@test "a file says the same in any order of its records" {
	afperfmake mixed 1200 >mixed.afperf
	{
		head -n 1 mixed.afperf
		tail -n +2 mixed.afperf | awk 'BEGIN { srand(1) } { print rand() "\t" $0 }' | sort -n | cut -f 2-
	} >any.afperf
	want_status 0 afdec mixed.afperf
	unmarked out | sort >want
	want_status 0 afdec any.afperf
	unmarked out | sort >got
	[ "$(wc -l <got)" -gt 1300 ]
	same want got
	there_and_back any.afperf
}

@test "all prefixes: lines are the whole's" {
	local step=5 i
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	for i in 2 9 20; do
		afperfmake random "$i" >"random.$i"
	done
	want_status 0 fuzz-afperf --prefixes $step random.*
}

@test "10,000 damaged copies: read or refused" {
	local i n=2500
	[ -z "${AFPIPE_SLOW-}" ] || n=10000
	for i in 2 5 10 20; do
		afperfmake random "$i" >"random.$i"
	done
	want_status 0 fuzz-afperf --flips $n 1 random.*
}

@test "what fuzzing has found stays found, and takes little memory" {
	local files
	shopt -s nullglob
	files=("$ROOT"/t/fuzz/corpus/afperf/* "$CASES"/*/*.afperf)
	[ ${#files[@]} -gt 100 ]
	[[ ${CFLAGS-} == *sanitize* ]] || export FUZZ_KIB=65536
	want_status 0 fuzz-afperf "${files[@]}"
}

@test "memory does not grow with the file" {
	helpers rss
	afperfmake points 300000 20000 >points.afperf
	want_status 0 rss used afdec points.afperf
	[[ ${CFLAGS-} == *sanitize* ]] || [ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 8192 ] ||
		fail "KiB used: $(cat used)"
}

@test "memory that runs out, at each of its allocations" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	local i
	for i in 2 9; do
		afperfmake random "$i" >random.$i
		starves 50 afdec --all random.$i
	done
}

# bats test_tags=slow
@test "memory for a text that is spelled with a backslash, in each field" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	local long record string=${TYPE/double,s/string,text}
	# longer than any text before it
	long='\x{01}'$(printf '%02000d' 0)
	for record in "${RUN/app/$long}" "RunInfo,0,nanoseconds,0,1.0.0,1,app,1,$long=v" \
		"RunInfo,0,nanoseconds,0,1.0.0,1,app,1,k=$long" "${TYPE/,t,/,$long,}" "${TYPE/,s,/,$long,}" \
		"${TYPE/%,/,$long}" "RegionStart,0,1,1,$long," "SectionInfo,0,1,1,s,$long=v" \
		"SectionInfo,0,1,1,s,k=$long" "RunPoint,1,1,7,$long" "RunAggregate,1,0,1,$long,7,x" "Other,$long"; do
		case $record in
		RunInfo*) made "$record" ;;
		RunPoint* | RunAggregate*) made "$RUN" "$string" "$record" ;;
		Other*) made "${RUN/1.0.0/1.1.0}" "$record" ;;
		*) made "$RUN" "$record" ;;
		esac
		AFPIPE_SLOW=yes starves 10 afdec --all in.afperf || fail "$record"
		grep -q '\\x0100*' whole || fail "${record:0:40}: $(cat whole)"
	done
}

@test "a type that is refused: what its units may be, and values are not said to lack a definition" {
	made "$RUN" 'MeasurementType,0,1,3,state,enum,count,,' 'MeasurementType,0,1,4,on,bool,,,' \
		'MeasurementType,0,1,5,name,string,,,' 'RunPoint,6,1,3,a' 'RunPoint,6,1,4,1' 'RunPoint,6,1,9,1'
	want_status 1 afdec --check in.afperf
	cat >want <<-'END'
		afdec: in.afperf:3: field 7: units count with datatype enum: put - [units]
		afdec: in.afperf:4: field 7: no units: put - [units]
		afdec: in.afperf:5: field 7: no units: put text [units]
		afdec: in.afperf:6: field 4: measurement type 3 of run 1 was refused [defined]
		afdec: in.afperf:7: field 4: measurement type 4 of run 1 was refused [defined]
		afdec: in.afperf:8: field 4: measurement type 9 of run 1 never defined [defined]
	END
	same want err
	made "$RUN" 'MeasurementType,0,1,3,state,enum,-,,' 'MeasurementType,0,1,4,on,bool,-,,' \
		'MeasurementType,0,1,5,name,string,text,,' 'RunPoint,6,1,3,a,4,1,5,b'
	want_status 0 afdec --check in.afperf
	[ ! -s err ]
}

@test "a run that is refused: one line, and a count of what belongs to it" {
	local bad
	for bad in 'RunInfo,0,ns,1639527663.713,1.0.0,1,app,1,' 'RunInfo,0,nanoseconds,,1.0.0' \
		'RunInfo,0,nanoseconds,,1.0.0,010,app,1,'; do
		made "$bad" "$TYPE" 'SectionInfo,1,1,6,s,' 'RegionStart,1,1,5,r,' 'RegionPoint,2,5,7,1' \
			'RegionStop,3,5' 'SectionStart,3,6,4,' 'SectionPoint,4,6,4,7,1' 'SectionStop,5,6,4' 'RunPoint,6,1,7,1'
		want_status 1 afdec in.afperf
		[ "$(wc -l <err)" -eq 2 ] || fail "$bad: $(cat err)"
		grep -q '^afdec: in.afperf:2: ' err
		said 'afdec: in.afperf: records left out because the RunInfo of their run was refused: 9 (first in line 3)'
		[ "$(unmarked out | wc -l)" -eq 0 ]
		# what is missing for another reason is still reported
		made "$bad" "${RUN/,1,app/,2,app}" 'RegionStart,1,1,5,r,' 'RegionPoint,2,9,7,1' 'RunPoint,2,2,8,1'
		want_status 1 afdec in.afperf
		said 'afdec: in.afperf:5: field 3: region 9 never defined'
		said 'afdec: in.afperf:6: field 4: measurement type 8 of run 2 never defined'
		said 'records left out because the RunInfo of their run was refused: 1 (first in line 4)'
		[ "$(wc -l <err)" -eq 4 ] || fail "$bad: $(cat err)"
	done
	# another run is not excused where the refused one is known
	made 'RunInfo,0,ns,,1.0.0,1,app,1,' 'RunPoint,2,3,7,1'
	want_status 1 afdec in.afperf
	said 'field 3: run 3 never defined'
	# a good definition of the same run counts
	made 'RunInfo,0,ns,,1.0.0,1,app,1,' "$RUN" "$TYPE" 'RunPoint,6,1,7,1'
	want_status 1 afdec in.afperf
	[ "$(wc -l <err)" -eq 1 ]
	[ "$(grep -c '^sample' out)" -eq 1 ]
}

@test "units of microseconds have one spelling in the stream, and afenc writes it" {
	{
		printf '# AFPerf v1     \n'
		printf '%s\n' RunInfo,1,nanoseconds,1.5,1.0.0,1,m,2, 'MeasurementType,1,1,7,t,double,µs,,' \
			'MeasurementType,1,1,8,u,double,μs,,' RunPoint,5,1,7,2.5 RunPoint,5,1,8,3.5
	} >in
	want_status 0 afdec in
	said 'in:4: warning: field 7: units with U+03BC, not U+00B5 [micro]'
	mv out back
	grep -v '^[#r]' back | same - <(printf '%s\n' \
		'measure	1	1	.	t	.	id=7	type=double	unit=us' \
		'measure	1	1	.	u	.	id=8	type=double	unit=us' \
		'sample	5	1	.	t	2.5	scope=run	mid=7	unit=us	type=double' \
		'sample	5	1	.	u	3.5	scope=run	mid=8	unit=us	type=double')
	want_status 0 afenc back
	same <(sed 's/µs/us/; s/μs/us/' in) out
}
