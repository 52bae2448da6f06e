# SPDX-License-Identifier: ISC
# pprofenc.bats - profiles of pprofenc in go tool pprof.

load ../lib

setup_file() {
	export PPROF_TMPDIR=$BATS_FILE_TMPDIR
}

setup() {
	app go
	cd "$T"
}

# flat TYPE FILE: what pprof -top prints: FLAT NAME, times in ns.
flat() {
	HOME=$T go tool pprof -top -nodecount=0 -nodefraction=0 -edgefraction=0 -unit=ns -sample_index="$1" \
		"$2" 2>err | sed '1,/flat%/d' | awk '{ flat = $1; $1 = $2 = $3 = $4 = $5 = ""; sub(/^ */, ""); printf "%d %s\n", flat, $0 }'
}

@test "pprof's flat values are afagg's sums, to the unit" {
	local file measure agreed=0
	for file in "$ROOT"/t/data/perf/*.ev "$ROOT/share/demo/burn.data"; do
		case $file in
		*.data) perfdec "$file" >in ;;
		*) cp "$file" in ;;
		esac
		pprofenc --no-marks in >profile.gz 2>err || fail "$file" || return
		afsel --no-marks --kind sample --where 'value!=.' in 2>err | afagg --by region --stat sum 2>err >sums
		while read -r measure; do
			flat "$measure" profile.gz |
				sed 's/ (inline)$//' | awk '$1 != 0' | sort >got
			awk -F '\t' -v m="$measure" '$1 == "agg" && $5 == m && $6 != 0 {
				name = $4; sub(/^[.]$/, "[unknown]", name); sum[name] += $6
			} END { for (i in sum) printf "%d %s\n", sum[i], i }' sums | sort >want
			same want got || fail "$file $measure" || return
			agreed=$((agreed + 1))
		done < <(awk -F '\t' '$1 == "agg" { print $5 }' sums | sort -u)
	done
	[ "$agreed" -ge 15 ] || fail "$agreed"
}

@test "pprof shows stacks, labels, lines, inlined functions and comments" {
	{
		printf 'sample\t1\t0x1\tin\tcycles\t5\tcomm=job\tstack=main;f;in\tlines=m.c:1;f.c:2;i.h:3\t'
		printf 'frames=u:/bin/m@0123456789abcdef0123456789abcdef01234567+0x10-1;u:/lib/f.so@?+0x20\tinlined=0;1\n'
		printf 'sample\t2\t0x1\tx\tother\t7\n'
	} >in
	want_status 0 pprofenc in
	mv out profile.gz
	export HOME=$T
	want_status 0 go tool pprof -traces -sample_index=cycles profile.gz
	sed -n '/comm/,/main/s/^ *//p' out >got
	printf '%s\n' 'comm:  job' '5   in (inline)' 'f' 'main' >want
	same want got
	grep -qx 'File: m' out
	grep -qx 'Build ID: 0123456789abcdef0123456789abcdef01234567' out
	want_status 0 go tool pprof -top -lines -sample_index=cycles profile.gz
	grep -qE '^ +5 +100% +100% +5 +100% +in i.h:3 \(inline\)$' out
	grep -qE '^ +0 +0% +100% +5 +100% +f f.c:2$' out
	want_status 0 go tool pprof -tags -sample_index=cycles profile.gz
	grep -q 'job' out
	# the first measure is shown
	want_status 0 go tool pprof -top profile.gz
	grep -qx 'Type: cycles' out
	printf 'start\t3\t0x1\tx\t.\t.\n' >>in
	want_status 0 pprofenc in
	mv out profile.gz
	want_status 0 go tool pprof -comments profile.gz
	grep -q 'left out start and stop lines: 1' out
}
