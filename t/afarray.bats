# SPDX-License-Identifier: ISC
# afarray.bats - a command for each of many files, on this machine.  t/apps/afarray.bats has Slurm.

load lib
load afarray.bash

setup_file() {
	make_recordings 8
}

setup() {
	cd "$BATS_FILE_TMPDIR/in" || return
	OUT="--dir $T/shards"
}

# shards: how many shards there are.
shards() {
	find "$T/shards/shards" -name '*.part' | wc -l
}

# bats test_tags=quick
@test "the result is that of one program, whatever the number of processes" {
	single ./*
	for jobs in 1 2 8; do
		rm -rf "$T/shards"
		# shellcheck disable=SC2086 # words
		want_status 0 "$AFARRAY" $OUT -j $jobs --map "$MAP" ./*
		silent
		same "$T/want" "$T/out"
		[ "$(shards)" -eq 8 ]
		[ "$(ls "$T/shards")" = shards ] || fail "$(ls "$T/shards")"
	done
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT --map "$MAP" --reduce 'afagg | aftab --top 2' ./*
	aftab --top 2 <"$T/want" >"$T/table"
	same "$T/table" "$T/out"
	# shellcheck disable=SC2086
	printf '%s\n\n' ./* | want_status 0 "$AFARRAY" $OUT "--map=$MAP" -j2 --files-from -
	same "$T/want" "$T/out"
}

@test "files with texts are shards like others, and the merge says what it leaves out" {
	local i
	cd "$T" && mkdir texts || return
	for i in 1 2 3; do
		printf '%s\n' '# AFPerf v1     ' "RunInfo,0,nanoseconds,0,1.0.0,$i,app,1," "MeasurementType,0,$i,1,m,string,text,," \
			"RegionStart,1,$i,1,f," "RegionPoint,1,1,1,hi$i" 'RegionStop,9,1' >"texts/$i"
	done
	afdec texts/* | afdur | afagg --by region 2>said | sed '/^#/d' >want
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT -j 2 --map 'afdec {} | afdur | afagg --by region --partial' texts/*
	same said err
	unmarked out | same want -
	[ "$(shards)" -eq 3 ]
}

# bats test_tags=slow,sanitize
@test "more shards than one process merges: a tree, and the same bytes" {
	mkdir "$T/many" && cd "$T/many"
	awk 'BEGIN {
		OFS = "\t"
		for (n = 0; n < 300; n++) {
			r = n % 290	# some runs are in two files of different processes,
			if (n > 12 && n < 20)
				r = 12	# one in many of one process, and one in both
			if (n == 130 || n == 260)
				r = 9
			print "#afstream\t1\tx", n >n
			print "run", n, "r" r, ".", ".", "." >n
			if (r % 7)
				print "measure", ".", "r" r, ".", "m", ".", "unit=" (r % 5 ? "ns" : "s") >n
			for (i = 0; i < 20; i++)
				print "sample", n * 10 + i, "r" r, "f" (i * n) % 31, "m", i * i >n
			print "#end\tx", n, 22 - (r % 7 == 0), "complete" >n
			close(n)
		}
	}'
	for stat in count,sum,mean,p90 rate,share,min; do
		want_status 0 afagg --by region --stat $stat ./*
		sed 's/\tafagg\t.*\t\([0-9]*\tcomplete\)/\tafagg\t\1/; 1d' "$T/out" >"$T/want"
		tail -n 1 "$T/want" | grep -q 'twice=11$' || fail "$(tail -n 1 "$T/want")"
		# shellcheck disable=SC2086 # words
		want_status 0 "$AFARRAY" $OUT -j 3 --map "afagg --by region --stat $stat --partial {}" ./*
		sed 's/\tafagg\t.*\t\([0-9]*\tcomplete\)/\tafagg\t\1/; 1d' "$T/out" >"$T/got"
		same "$T/want" "$T/got"
	done
}

@test "again: only files whose shards are missing, damaged, old or of another command" {
	local map="echo {} >>'$T/log'; $MAP" shard
	cp -R . "$T/in"
	cd "$T/in"
	# shellcheck disable=SC2086 # words
	want_status 0 "$AFARRAY" $OUT --map "$map" ./*
	cp "$T/out" "$T/want"
	[ "$(wc -l <"$T/log")" -eq 8 ]
	: >"$T/log"
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT --map "$map" ./*
	[ ! -s "$T/log" ]
	same "$T/want" "$T/out"
	touch -d 2001-01-01 a
	shard=("$T"/shards/shards/*.part)
	truncate -s -40 "${shard[0]}"
	sed -i 's/agg.n=/agg.n=1/' "${shard[1]}"
	rm "${shard[2]}" "${shard[3]%part}sum"
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT --map "$map" ./*
	same "$T/want" "$T/out"
	sort -u "$T/log" >"$T/log.u"
	[ "$(wc -l <"$T/log")" -ge 4 ]
	[ "$(wc -l <"$T/log")" -le 5 ]
	grep -qx ./a "$T/log"
	: >"$T/log"
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT --map "$map # another" ./*
	[ "$(wc -l <"$T/log")" -eq 8 ]
}

@test "a file that fails: its name, its messages, a status, and no result" {
	cp -R . "$T/in"
	cd "$T/in"
	head -c 500 a >cut.data
	# shellcheck disable=SC2086
	want_status 3 "$AFARRAY" $OUT --map "$MAP" ./* missing
	[ ! -s "$T/out" ]
	said "afarray: ./cut.data: failed on $(uname -n), with status 1:"
	said 'perfdec: ./cut.data: 0x'
	said 'afarray: missing: No such file or directory'
	said 'afarray: 2 of 10 files failed; the same command does only these again'
	# shellcheck disable=SC2086
	want_status 1 "$AFARRAY" $OUT --map "$MAP" ./*
	[ ! -s "$T/out" ]
	# shellcheck disable=SC2086
	want_status 1 "$AFARRAY" $OUT --incomplete --map "$MAP" --reduce 'afagg | aftab' ./*
	said 'afagg: -:2: afarray ./cut.data ended partial: it failed'
	said 'input incomplete or refused'
	[ "$(grep -c 'it died' "$T/err")" -eq 0 ] # nothing but the file is missing
	grep -q 'cpu-clock' "$T/out"
	# if nothing is left, no program says that its input is empty or incomplete
	want_status 1 "$AFARRAY" --dir "$T/none" --incomplete --map "$MAP" --reduce 'afagg | aftab' ./cut.data
	[ ! -s "$T/out" ]
	[ "$(grep -c '^afarray: \|^	perfdec: ./cut.data: \|^	afagg: -:[0-9]*: perfdec ./cut.data' "$T/err")" -eq "$(wc -l <"$T/err")" ]
	[ "$(tail -n 1 "$T/err")" = 'afarray: 1 of 1 files failed; the same command does only these again' ]
	# a command that says nothing
	want_status 1 "$AFARRAY" --dir "$T/none" --map 'exit 1 {}' ./cut.data
	printf 'afarray: %s\n' "./cut.data: failed on $(uname -n), with status 1" \
		'1 of 1 files failed; the same command does only these again' | same - "$T/err"
	cp a cut.data
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT --map "$MAP" ./*
	single ./*
	same "$T/want" "$T/out"
}

@test "results that are no partial results are not merged, and the message says how they are" {
	want_status 1 "$AFARRAY" --dir "$T/d" --map 'perfdec --no-symbols {} | afagg --by region' ./*
	head -n 1 "$T/err" >"$T/first"
	echo 'afarray: the streams have results, not partial results: afagg in --map needs --partial, and all other options of afagg belong there' >"$T/want"
	same "$T/want" "$T/first"
	said 'afagg: no events, only results'
	! grep -q '^agg' "$T/out" || fail "merged"
	want_status 0 "$AFARRAY" --dir "$T/d" --reduce 'afagg --kind agg' --map 'perfdec {} | afagg --by region' ./*
}

@test "--slurm without Slurm, and with one that does not answer: a message, and nothing is left" {
	local prog
	mkdir "$T/bin"
	for prog in afagg awk tr sha256sum; do
		ln -s "$(command -v $prog)" "$T/bin"
	done
	PATH=$T/bin want_status 3 "$AFARRAY" --dir "$T/d" --slurm --map "$MAP" a
	echo 'afarray: --slurm: Slurm is not installed here: no sbatch; -j N runs the commands on this machine' >"$T/want"
	same "$T/want" "$T/err"
	[ ! -e "$T/d" ]
	rm "$T/bin/"*
	for prog in sbatch squeue; do
		printf '#!/bin/sh\nexit 1\n' >"$T/bin/$prog"
	done
	printf '#!/bin/sh\necho "scontrol: error: no configuration" >&2\nexit 1\n' >"$T/bin/scontrol"
	chmod +x "$T/bin/"*
	PATH=$T/bin:$PATH want_status 3 "$AFARRAY" --dir "$T/d" --slurm --map "$MAP" a
	{
		echo "afarray: Slurm does not answer: 'scontrol show config' does not print MaxArraySize:"
		printf '\tscontrol: error: no configuration\n'
	} >"$T/want"
	same "$T/want" "$T/err"
	[ -z "$(ls -d "$T/d/run."* 2>/dev/null)" ] || fail "$(ls "$T/d")"
}

@test "what is not a whole stream is no shard, and statuses are those of the commands" {
	local status map text
	while IFS='%' read -r status map text; do
		# shellcheck disable=SC2086
		want_status "$status" "$AFARRAY" $OUT --map "$map" a || fail "$map"
		[ ! -s "$T/out" ] || fail "$map"
		said "$text" || fail "$map"
	done <<-'END'
	1%: {}%did not write a whole stream
	1%echo {}%(a program that writes no stream, such as aftab, belongs in --reduce)
	1%perfdec {} | grep -v '^#end'%did not write a whole stream
	1%perfdec {} | grep -v '^#afstream'%did not write a whole stream
	1%: {}; printf '#afstream\t1\tx\tcomplete\n#end\tx\tcomplete\t0\tpartial\tit is\n'%did not write a whole stream
	1%perfdec {} | head -c -1%did not write a whole stream
	2%perfdec --nonsense {}%with status 2:
	3%exit 77 {}%with status 3
	3%no-such-program {}%with status 3:
	3%kill -9 $$ {}%with status 3:
	3%perfdec {}; sleep 0.01; touch {}%the file has changed since it was listed
	END
	# shellcheck disable=SC2086
	want_status 4 "$AFARRAY" $OUT --map "$MAP" --reduce 'cat >/dev/null; exit 4' a
	# one that stops reading has what it wants
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT --map 'perfdec {}; head -c 1000000 /dev/zero | tr "\0" "#"; echo; perfdec {}' --reduce 'head -n 1' a
	! grep -q xargs "$T/err" || fail "$(cat "$T/err")"
	grep -q '^#afstream' "$T/out"
	# shellcheck disable=SC2086
	want_status 3 "$AFARRAY" $OUT --map "$MAP" --reduce 'no-such-program' a
	# shellcheck disable=SC2086,SC2016
	want_status 3 "$AFARRAY" $OUT --map "$MAP" --reduce 'kill -9 $$' a
}

@test "what a failed use has left is deleted when the next one ends" {
	local map="perfdec --no-symbols {} | afagg --partial; [ -e '$T/fixed' ]"
	# shellcheck disable=SC2086
	for _ in 1 2 3; do
		want_status 1 "$AFARRAY" $OUT --map "$map" a
		[ "$(find "$T/shards" -maxdepth 1 -name 'run.*' | wc -l)" -eq 1 ]
	done
	# shellcheck disable=SC2086
	want_status 3 "$AFARRAY" $OUT --map "$map" --files-from nowhere
	said 'nowhere: cannot be read'
	mkdir "$T/bin"
	printf '#!/bin/sh\necho "MaxArraySize = 9"\n' | tee "$T/bin/scontrol" >"$T/bin/squeue"
	printf '#!/bin/sh\nexit 1\n' >"$T/bin/sbatch"
	chmod +x "$T/bin/"*
	# shellcheck disable=SC2086
	PATH=$T/bin:$PATH want_status 3 "$AFARRAY" $OUT --slurm --map "$map" a
	said 'afarray: sbatch failed'
	# one that may still be going on stays
	mkdir "$T/shards/run.other"
	: >"$T/fixed"
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT --map "$map" a
	[ "$(cd "$T/shards" && echo *)" = 'run.other shards' ]
	# shellcheck disable=SC2086
	want_status 1 "$AFARRAY" $OUT --map "$map" --files-from /dev/null
	said 'afarray: no files'
	[ "$(cd "$T/shards" && echo *)" = 'run.other shards' ]
}

@test "quotes around {} are refused, since the name has some" {
	local map
	for map in 'perfdec "{}"' "perfdec '{}'"; do
		# shellcheck disable=SC2086
		want_status 2 "$AFARRAY" $OUT --map "$map" a
		said "afarray: --map: {} stands for the name in quotes, so put none around it: $map"
	done
}

@test "--reduce without a command, which would print nothing, is refused" {
	local reduce
	for reduce in '' ' ' $'\t\n'; do
		# shellcheck disable=SC2086
		want_status 2 "$AFARRAY" $OUT --map "$MAP" --reduce "$reduce" a
		said 'afarray: --reduce needs a command'
	done
}

@test "--retry runs failed commands again" {
	local map="perfdec --no-symbols {} | afagg --partial; mkdir '$T/'{} 2>/dev/null && exit 3 || :"
	# shellcheck disable=SC2086
	want_status 3 "$AFARRAY" $OUT --map "$map # 1" a '{}'
	rmdir "$T/a" "$T/{}"
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT --retry 1 -j 2 --map "$map # 2" a '{}'
	silent
}

@test "a full disk: no half shard, a message and status 3" {
	[ "$(id -u)" -eq 0 ] || skip "only root may mount"
	mkdir -p "$T/d/shards"
	mount -t tmpfs -o size=64k none "$T/d/shards" 2>/dev/null || skip "mounting is not allowed"
	dd if=/dev/zero of="$T/d/shards/fill" bs=1k count=60 2>/dev/null || :
	status=0
	"$AFARRAY" --dir "$T/d" --map "perfdec --no-symbols {}" ./* >"$T/out" 2>"$T/err" || status=$?
	find "$T/d/shards" -name '*.tmp*' >"$T/left"
	umount "$T/d/shards"
	[ $status -eq 3 ]
	[ ! -s "$T/out" ]
	[ ! -s "$T/left" ]
	said 'No space left on device'
	said 'files failed; the same command does only these again'
}

@test "signals: the rest is done by the next command, and nothing is left behind" {
	need ps
	local pid map="[ ! -e '$T/slow' ] || { touch '$T/began'; sleep 60; }; $MAP"
	touch "$T/slow"
	# as in a job of an array that is not ours
	# shellcheck disable=SC2086
	SLURM_ARRAY_JOB_ID=7 "$AFARRAY" $OUT -j 2 --map "$map" ./* >"$T/out" 2>"$T/err" &
	pid=$!
	soon [ -e "$T/began" ]
	kill "$pid"
	status=0
	wait "$pid" || status=$?
	[ $status -eq 1 ]
	said 'afarray: interrupted'
	[ ! -s "$T/out" ]
	[ -z "$(find "$T/shards/shards" -type f)" ]
	rm "$T/slow"
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" $OUT -j 2 --map "$map" ./*
	single ./*
	same "$T/want" "$T/out"
}

@test "command lines" {
	local words
	while read -r words; do
		eval "want_status 2 '$AFARRAY' $OUT $words" || fail "$words"
		said 'usage: afarray' || fail "$words"
	done <<-'END'
	a
	--map 'perfdec {}'
	--map 'perfdec' a
	--map
	--map 'perfdec {}' -j 0 a
	--map 'perfdec {}' -j x a
	--map 'perfdec {}' -j 2 --slurm a
	--map 'perfdec {}' --tasks 2 a
	--map 'perfdec {}' --nonsense a
	--map 'perfdec {}' --files-from a --files-from b
	--map 'perfdec {}' --dir '' a
	--map 'perfdec {}' --dir $'a\nb' a
	--map 'perfdec {}' --incomplete=1 a
	--map 'perfdec {}' ''
	--map 'perfdec {}' $'a\nb'
	a --map 'perfdec {}' --retry
	a --map 'perfdec {}' -j 0
	a --nonsense=1
	END
	[ ! -e "$T/shards" ]
	want_status 0 "$AFARRAY" --help
	want_status 0 "$AFARRAY" -h
	grep -oE -- '--[a-z][a-z-]+' "$T/out" | grep -v -e --by -e --partial | sort -u >"$T/options"
	while read -r words; do
		grep -q "Fl ${words#-}\( \|$\)" "$ROOT/man/afarray.1" || fail "$words"
	done <"$T/options"
	want_status 0 "$AFARRAY" --version
	[ "$(cat "$T/out")" = "$(afagg --version | sed 's/^afagg/afarray/')" ]
	# options after files, as in all programs
	single ./a ./-n
	# shellcheck disable=SC2086
	want_status 0 "$AFARRAY" ./a -j 2 --map "$MAP" $OUT -- -n
	same "$T/want" "$T/out"
}

@test "names and messages with control characters are escaped, as by all programs" {
	local name
	mkdir "$T/in" && cd "$T/in"
	printf '%s\n' $'c1\x9b2J' $'c1 \xc2\x9b' $'esc\e[2J' $'del\x7f' $'bidi\xe2\x80\xae' \
		$'\xe2\x81\xa9' $'cut\xe2\x80' $'surrogate\xed\xa0\x80' $'long\xc0\xaf' $'\xe0\x9f\xbf' \
		$'high\xf4\x90\x80\x80' 'a\b' 'plain' \
		$'\xc3\xa4\xc2\x85\xc2\xa0\xdf\xbf\xe0\xa0\x80\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xb0' \
		$'\xe3\x81\x82\xed\x9f\xbf\xef\xbf\xbd\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf' >names
	while IFS= read -r name; do
		afagg -- "$name" 2>&1 >/dev/null </dev/null | sed -n 's/^afagg: \(.*\): cannot open: .*/\1/p'
	done <names >want
	[ "$(wc -l <want)" -eq 15 ]
	want_status 3 "$AFARRAY" --dir "$T/d" --map "cat {}" --files-from names
	sed -n 's/^afarray: \(.*\): No such file or directory$/\1/p' "$T/err" >got
	same want got
	printf 'x\n' >data
	want_status 1 "$AFARRAY" --dir "$T/d" --map 'printf "\\233\\000\\033\\n" >&2; cat {}' data
	said '	\x9b?\x1b'
}

@test "without a temporary directory or afagg there is a message, and nothing is begun" {
	# shellcheck disable=SC2086
	TMPDIR=/nonexistent want_status 3 "$AFARRAY" $OUT -j 2 --map "$MAP" ./*
	said 'afarray: no temporary directory: is TMPDIR right?'
	[ ! -e "$T/shards" ]
	# shellcheck disable=SC2086
	PATH=/usr/bin:/bin want_status 3 "$AFARRAY" $OUT --map "$MAP" ./*
	said 'afarray: afagg cannot be started'
	[ ! -e "$T/shards" ]
	mkdir "$T/tmp"
	# shellcheck disable=SC2086
	TMPDIR=$T/tmp want_status 0 "$AFARRAY" $OUT -j 2 --map "$MAP" ./*
	[ -z "$(ls "$T/tmp")" ]
	# shellcheck disable=SC2086
	TMPDIR=$T/tmp want_status 1 "$AFARRAY" $OUT --map "$MAP" --files-from /dev/null
	[ -z "$(ls "$T/tmp")" ]
}

@test "many failures: some are shown, the rest is counted, the highest status" {
	local i
	mkdir "$T/in" && cd "$T/in"
	for ((i = 0; i < 40; i++)); do
		echo $((i == 33 ? 2 : 1)) >f$i
	done
	want_status 2 "$AFARRAY" --dir "$T/d" -j 3 --retry 1 --map "exit \$(cat {})" ./*
	[ "$(grep -c 'failed on' "$T/err")" -eq 20 ]
	said 'afarray: 20 more files failed: every other line of'
	said 'afarray: 40 of 40 files failed; the same command does only these again'
	want_status 3 "$AFARRAY" --dir "$T/d" -j 3 --map "exit \$(cat {})" ./* missing
}

@test "lists without a last line end, and names that are words of find and awk" {
	mkdir "$T/in" && cd "$T/in"
	printf 'sample\t1\tr\tf\tm\t1\n' >event
	mkdir '!' '(' && cp event '!/data' && cp event '(/data'
	printf 'event\n!' >list
	want_status 0 "$AFARRAY" --dir "$T/x\\ty" --map 'cat {} {}/data 2>/dev/null | afagg --no-marks >/dev/null; afagg --stat count event' \
		--reduce 'grep -c "^agg"' --files-from list '('
	[ "$(cat "$T/out")" -eq 3 ]
}

@test "a directory that is a link, or has one: what changes is done again" {
	mkdir "$T/in" && cd "$T/in"
	mkdir d1 d2
	printf 'sample\t1\tr\tf\tm\t1\n' | tee d1/data >real
	ln -s d1 dl
	ln -s ../real d2/data
	map='afagg --stat sum {}/data'
	want_status 0 "$AFARRAY" --dir "$T/d" --map "$map" --reduce 'grep ^agg | cut -f 6' dl d2
	printf '%s\n' 1 1 | diff - "$T/out"
	printf 'sample\t1\tr\tf\tm\t22\n' | tee d1/data >real
	want_status 0 "$AFARRAY" --dir "$T/d" --map "$map" --reduce 'grep ^agg | cut -f 6' dl d2
	printf '%s\n' 22 22 | diff - "$T/out"
}

@test "a file of the same name, size and time is another one: elsewhere, put in its place, or behind a link" {
	local i name log="$T/log"
	local map="echo {} >>'$log'; cat {}/data 2>/dev/null || cat {}"
	# put FILE VALUE: a file of always the same size and time
	put() {
		printf 'sample\t1\tr\tf\tm\t%s\n' "$2" | afagg --by region --stat sum --no-marks 2>/dev/null >"$1"
		touch -d 2001-01-01 "$1"
	}
	# gives DIRECTORY NAME VALUE: what the shard of the file has
	gives() {
		cd "$1" || return
		want_status 0 "$AFARRAY" --dir "$T/d" --map "$map" --reduce 'grep ^agg | cut -f 6' "$2"
		[ "$(cat "$T/out")" -eq "$3" ] || fail "$1/$2: $(cat "$T/out"), not $3"
	}
	mkdir -p "$T/A/dir" "$T/B/dir"
	for name in x dir/data; do
		put "$T/A/$name" 100
		put "$T/B/$name" 999
	done
	for name in x dir; do
		gives "$T/A" $name 100
		gives "$T/B" $name 999
		gives "$T/A" $name 100
	done
	[ "$(wc -l <"$log")" -eq 4 ] || fail "$(cat "$log")"
	put "$T/new" 555
	mv "$T/new" "$T/A/x"
	put "$T/A/dir/data" 555
	gives "$T/A" x 555
	gives "$T/A" dir 555
	for i in A B; do
		ln -sfn "$i" "$T/latest"
		gives "$T" latest/x "$(grep ^agg "$T/$i/x" | cut -f 6)"
		gives "$T/latest" dir "$(grep ^agg "$T/$i/dir/data" | cut -f 6)"
	done
}

@test "a shard that disappears while it is merged" {
	mkdir "$T/in" && cd "$T/in"
	# so large that the pipe does not take it all at once
	awk 'BEGIN { OFS = "\t"; print "#afstream\t1\tx\tx"
		for (i = 0; i < 60000; i++) print "sample", i, "r", "f", "m", 1
		print "#end\tx\tx\t60000\tcomplete" }' | tee a b c >d
	want_status 3 "$AFARRAY" --dir "$T/d" --map 'cat {}' \
		--reduce "rm '$T/d/shards/'*.part; afagg | aftab" a b c d
	said 'ended partial'
}

# bats test_tags=slow,sanitize
@test "the script that measures how the cost grows" {
	want_status 0 bash "$ROOT/t/tools/arrayscale" --small files merge
	silent
	awk '$1 ~ /^[0-9]+$/ { print $1 } /^[a-z]/ { print $1 }' "$T/out" >"$T/got"
	printf '%s\n' files: recordings 1 3 10 merge: 1 2 5 100 nodes: 100 1000 10000 100000 >"$T/want"
	same "$T/want" "$T/got"
	want_status 2 bash "$ROOT/t/tools/arrayscale" --small nonsense
}

# ---- messages of commands that succeed

# loud NAME: makes the file, an event, and what its command says from standard input.
loud() {
	printf 'sample\t1\tr\tf\tm\t1\n' >"$1"
	cat >"$1.says"
}

# messages: checks that standard error of the last want_status is standard input.
messages() {
	cat >"$T/messages"
	diff -u "$T/messages" "$T/err" >&2 || fail "other messages"
}

SAYING='cat {}.says >&2; afagg --stat sum --partial {}'
AGAIN='afarray: shards are used again even if symbol files have changed; --fresh makes them anew'

# bats test_tags=quick
@test "messages of commands that succeed: each once, and again when a shard is used again" {
	mkdir "$T/in" && cd "$T/in"
	echo 'perfdec: no symbols for /srv: gone (120 samples)' | loud a
	printf 'perfdec: b: 1 thing lost\n\nperfdec: no symbols for /srv: gone (1 sample)\n' | loud b
	printf 'perfdec: c: 22 things lost\nperfdec: no symbols for /other: gone (7 samples)' | loud c
	loud d </dev/null
	want_status 0 "$AFARRAY" --dir "$T/d" -j 2 --map "$SAYING" a b c d
	messages <<-'END'
		afarray: 2 files, such as a: perfdec: no symbols for /srv: gone (120 samples)
		afarray: 2 files, such as b: perfdec: b: 1 thing lost
		afarray: c: perfdec: no symbols for /other: gone (7 samples)
	END
	# what is new is told apart from what is used again; a file that is given twice counts twice
	touch -d 2001-01-01 c
	want_status 0 "$AFARRAY" --dir "$T/d" --map "$SAYING" --reduce 'afagg 2>/dev/null' d c b a a
	messages <<-END
		afarray: c: perfdec: c: 22 things lost
		afarray: c: perfdec: no symbols for /other: gone (7 samples)
		afarray: reused: b: perfdec: b: 1 thing lost
		afarray: reused: 3 files, such as b: perfdec: no symbols for /srv: gone (1 sample)
		$AGAIN
	END
	# a shard of an older version, which has no messages, is as good
	sed -i '2,$d' "$T/d/shards/"*.sum
	want_status 0 "$AFARRAY" --dir "$T/d" --map "echo {} >>'$T/log'; $SAYING" a b c d
	: >"$T/log"
	sed -i '2,$d' "$T/d/shards/"*.sum
	want_status 0 "$AFARRAY" --dir "$T/d" --map "echo {} >>'$T/log'; $SAYING" a b c d
	silent
	[ ! -s "$T/log" ]
}

@test "--fresh makes the shards of the files anew, and a stale one is not used if that fails" {
	local map="[ ! -e '$T/fails' ] || exit 3; $SAYING"
	mkdir "$T/in" && cd "$T/in"
	echo 'prog: no symbols' | loud a
	loud b </dev/null
	want_status 0 "$AFARRAY" --dir "$T/d" --map "$map" a b
	: >a.says
	want_status 0 "$AFARRAY" --dir "$T/d" --map "$map" a b
	messages <<-END
		afarray: reused: a: prog: no symbols
		$AGAIN
	END
	touch "$T/fails"
	want_status 3 "$AFARRAY" --dir "$T/d" --fresh --map "$map" a
	said 'afarray: 1 of 1 files failed; the same command without --fresh does only these again'
	[ ! -s "$T/out" ]
	[ "$(find "$T/d/shards" -name '*.part' | wc -l)" -eq 1 ]
	rm "$T/fails"
	want_status 0 "$AFARRAY" --dir "$T/d" --fresh --map "$map" a b
	silent
}

@test "messages are bounded, and escaped as all others" {
	local name=$'esc\e[2J\tx'
	mkdir "$T/in" && cd "$T/in"
	for ((i = 0; i < 30; i++)); do echo "line$i: $(printf '%0600d' 0)"; done | loud many
	printf 'prog: esc\\x1b[2J\\tx: %s \xff\0\e[1m lost\n' 3 | loud "$name"
	printf '%s\n' 'prog: plain: 4 \xff?\x1b[1m lost' | loud plain
	for ((i = 0; i < 40; i++)); do echo "other$i" | loud "o$i"; done
	want_status 0 "$AFARRAY" --dir "$T/d" -j 2 --map "$SAYING" plain "$name" many
	[ "$(wc -l <"$T/err")" -eq 21 ]
	[ "$(LC_ALL=C tr -d '\n -~' <"$T/err" | wc -c)" -eq 0 ]
	[ "$(head -n 1 "$T/err")" = 'afarray: 2 files, such as plain: prog: plain: 4 \xff?\x1b[1m lost' ]
	[ "$(wc -L <"$T/err")" -le 520 ]
	said "afarray: further messages are in $T/d/shards/*.sum: 2"
	want_status 0 "$AFARRAY" --dir "$T/d" -j 2 --map "$SAYING" o? o?? many
	[ "$(grep -c '^afarray: o' "$T/err")" -eq 20 ]
	[ "$(grep -c '^afarray: reused: many: line' "$T/err")" -eq 20 ]
	said "afarray: further messages are in $T/d/shards/*.sum: 21"
}

@test "a program that was not at hand when a shard was made: said each time, until it is made anew" {
	mkdir "$T/in" "$T/root" && cd "$T/in"
	for name in 1 2; do
		printf '%s\n' "mmap 7 7 $name u 0x400000 0x1000 0 /gone/srv" "sample 7 7 $name u 0x400010" | perfmake >$name.data
	done
	want_status 0 "$AFARRAY" --dir "$T/d" --map "perfdec --symfs '$T/root' {} | afagg --by region --partial" 1.data 2.data
	messages <<-END
		afarray: 2 files, such as 1.data: perfdec: no symbols for /gone/srv: open: No such file or directory (1 sample)
	END
	want_status 0 "$AFARRAY" --dir "$T/d" --map "perfdec --symfs '$T/root' {} | afagg --by region --partial" 1.data 2.data
	messages <<-END
		afarray: reused: 2 files, such as 1.data: perfdec: no symbols for /gone/srv: open: No such file or directory (1 sample)
		$AGAIN
	END
}
