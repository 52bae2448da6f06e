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
	fails 2 'frames' perfdec --frames --tags comm "$file"
	fails 2 'wall' afdec --wall --tags comm "$ROOT/t/cases/afperf/good/g26_nested_regions.afperf"
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
@test "a program that reads a tag that --tags left out says so" {
	lacking none cpu afagg --by cpu
	lacking comm pcomm afagg --by pcomm
	lacking comm stack afagg --by frame
	lacking comm addr afagg --of addr
	lacking comm cpu afcut cpu,region
	lacking stack comm afsel --where comm=x
	lacking comm stack foldenc
	lacking stack comm flameenc --root comm
	lacking cpu comm csvenc --columns region,comm
	lacking stack,comm pid flameenc --by-time
	lacking comm stack pprofenc
	lacking stack pid traceenc --for perfetto
	lacking comm frames afsym
	lacking comm cpu aftop --by cpu
	lacking comm tid afpair --from region~0$ --to region~1$ --on tid
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
