# SPDX-License-Identifier: ISC
# perf_corpus.bats - does perfdec say what perf, quipper, simpleperf and perfparser say of the files of
# a larger collection?  AFPIPE_CORPUS names it: perf/manifest.tsv (what is in each file), perf/files and
# perf/recordings.tar.zst (the files), perf/ref (what perf printed), perf/goldens (what others did).
# Nothing of it is part of this project.

load lib

setup_file() {
	export PERF=${AFPIPE_CORPUS-}/perf
	[ -f "$PERF/manifest.tsv" ] || return 0
	command -v zstd >/dev/null || return 0
	tar --zstd -xf "$PERF/recordings.tar.zst" -C "$BATS_FILE_TMPDIR" || return
	cd "$BATS_FILE_TMPDIR/recordings" || return
	cp perf-*.map symfs/tmp
	zcat kallsyms.gz >kallsyms
}

setup() {
	[ -n "${AFPIPE_CORPUS-}" ] || skip "AFPIPE_CORPUS names no collection"
	need python3 zcat zstd
	[ -f "$PERF/manifest.tsv" ] || fail "no manifest.tsv in $PERF"
	RECORDINGS=$BATS_FILE_TMPDIR/recordings
	cd "$T" || return
}

# rows COLUMN...: those columns of the manifest, parted by '|', a line for each file.
rows() {
	awk -F '\t' -v want="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, name, " "); next }
		{
			line = $at[name[1]]
			for (i = 2; i <= n; i++) line = line "|" $at[name[i]]
			print line
		}' "$PERF/manifest.tsv"
}

# place SET NAME: where that file is.
place() {
	if [ "$1" = local ]; then
		echo "$RECORDINGS/local/$2"
	else
		echo "$PERF/files/$2"
	fi
}

# judged WHAT: how the loop of a test went, in $agreed and $bad.
judged() {
	echo "# $BATS_TEST_DESCRIPTION: $agreed agree, $bad do not" >&3
	[ "$bad" -eq 0 ] || return
	[ "$agreed" -gt 0 ] || fail "not one file could be compared"
}

# differs NAME WHY...: one more that does not agree.
differs() {
	bad=$((bad + 1))
	echo "$1: ${*:2}" >&2
}

@test "corpus: exit status, and a reason where it is 1" {
	local name set status got want agreed=0 bad=0
	while IFS='|' read -r name set status; do
		case $status in
		ok) want=0 ;;
		fuzz) want='[01]' ;;
		*) want=1 ;;
		esac
		got=0
		perfdec --no-symbols --no-unwind "$(place "$set" "$name")" >stream 2>err || got=$?
		# shellcheck disable=SC2254 # a pattern is wanted
		case $got in
		$want) ;;
		*)
			differs "$name" "$status, status $got: $(head -n 1 err)"
			continue
			;;
		esac
		# one that says where, or what it is and what to do
		if [ "$got" -eq 1 ] && ! grep -Eq ': 0x[0-9a-f]*: .* |: this is .*, not a recording' err; then
			differs "$name" "$status: no reason: $(head -n 1 err)"
			continue
		fi
		if [ "$got" -eq 1 ] && ! tail -n 1 stream | grep -q '^#end.*	partial'; then
			differs "$name" "$status: no partial end"
			continue
		fi
		agreed=$((agreed + 1))
	done < <(rows file set status)
	judged
}

@test "corpus: --tags leaves out what it should, and nothing else" {
	local name set list agreed=0 bad=0
	while IFS='|' read -r name set; do
		perfdec --no-symbols --no-unwind --all "$(place "$set" "$name")" >stream 2>/dev/null || [ $? -eq 1 ]
		for list in none comm,cpu,stack; do
			LIST=$list awk -f "$ROOT/t/tools/keeptags" stream >want
			perfdec --no-symbols --no-unwind --all --tags "$list" "$(place "$set" "$name")" 2>/dev/null |
				grep -Ev '^(#end|incomplete|origin)	' >got
			if cmp -s want got; then
				agreed=$((agreed + 1))
			else
				differs "$name" "--tags $list: $(diff want got | head -n 3)"
			fi
		done
	done < <(rows file set)
	judged
}

# What of the counts cannot agree, and why.
uncounted() {
	case $1 in
	# records before any event: nothing tells how they are laid out, and they are refused
	*_poc-15c4696a* | *_poc-3c490f25* | *_poc-c5303470*) echo MMAP EXIT NAMESPACES ;;
	# of a pipe that ends within its second record before any event perfdec says that, and counts nothing
	*_poc-39297b2a* | *_poc-62e91c55* | *_poc-6811aac6*) echo HEADER_FEATURE STAT HEADER_BUILD_ID ;;
	esac
}

@test "corpus: as many records of each type as there are" {
	local name set records status agreed=0 bad=0
	while IFS='|' read -r name set records status; do
		[ "$records" != '{}' ] && [ -n "$records" ] || continue
		perfdec --stats --no-symbols "$(place "$set" "$name")" >stream 2>err || :
		# shellcheck disable=SC2046 # words
		if python3 "$ROOT/t/tools/countcompare.py" "$records" stream $(uncounted "$name") >differences; then
			agreed=$((agreed + 1))
		else
			differs "$name" "$status: $(head -n 1 err) $(head -c 500 differences)"
		fi
	done < <(rows file set records status)
	judged
}

# unwinding NAME: --no-unwind for a recording whose stacks cannot be compared.
unwinding() {
	case $1 in
	# of the whole machine: most objects are not at hand, and perf follows frame pointers there
	file_zstd_systemwide.data) echo --no-unwind ;;
	esac
}

# known NAME BY STACK_USER SET: what of perf's text is known to differ, as words for perfcompare.py; each is
# told of in VIOLATIONS.md.
known() {
	case $2 in
	6.12) echo addresses growth ;;
	7.*) echo addresses growth exited unmodified ;;
	esac
	# perf unwinds copies of stacks; only the files of our own recordings are at hand
	[ -z "$3" ] || if [ "$4$(unwinding "$1")" = local ]; then echo frames=unwound; else echo frames=recorded; fi
	case $1 in
	*.lbr.*) echo frames=lbr ;;                        # perf reads behind empty lists of branches
	*intel_pt*) echo without=psb,cbr,branches ;; # perf makes samples of trace data
	esac
}

# reference NAME BY: what perf printed of it; 6.1-stripped: without leading records that no perf reads.
reference() {
	case $2 in
	6.1) echo "$PERF/ref/$1.script.gz" ;;
	6.1-stripped) echo "$PERF/ref/$1.stripped.script.gz" ;;
	6.12) echo "$PERF/ref/$1.script.p612.gz" ;;
	*) echo "$PERF/ref/$1.script.p73.gz" ;;
	esac
}

# same_samples SET OPTION... [-- WORD...]: every file of that set, perfdec with those options.
same_samples() {
	local of=$1 name set stack by fields options=() words=() ref status agreed=0 bad=0 without=0 got
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	while IFS='|' read -r name set stack by fields status; do
		[ "$set" = "$of" ] || continue
		# all perfs failed on it, and some printed what they could before
		if [ "$by" = none ]; then
			by=6.1
			[ -f "$(reference "$name" 6.1)" ] || continue
		fi
		ref=$(reference "$name" "$by")
		if [ ! -f "$ref" ]; then
			# perf printed not a line: of broken files, and where 6.1 does not know the field cgroup
			without=$((without + 1))
			continue
		fi
		read -r -d '' -a words < <(known "$name" "$by" "$stack" "$of") || :
		# of a broken file perfdec refuses records that perf takes without knowing how they are laid out
		[ "$status" = fuzz ] || words+=(records)
		got=0
		: >differences
		# shellcheck disable=SC2046 # a word or none
		perfdec --frames --all "${options[@]}" $(unwinding "$name") "$(place "$set" "$name")" >stream 2>err || got=$?
		if { [ $got -eq 0 ] || [ "$status" != ok ]; } && python3 "$ROOT/t/tools/perfcompare.py" \
			"$ref" stream "fields=${fields:-comm,pid,tid,cpu,time,event,period,ip,sym,symoff,dso}" "${words[@]}" "$@" >differences; then
			agreed=$((agreed + 1))
		else
			differs "$name" "status $got: $(head -n 1 err) $(head -c 700 differences)"
		fi
	done < <(rows file set stack_user ref_by ref_fields status)
	echo "# perf printed nothing of $without" >&3
	judged
}

@test "corpus: every field of every sample that perf prints, and the other records" {
	same_samples files --no-symbols --no-unwind
}

@test "corpus: recordings with the files that were recorded, and their symbols" {
	# the functions of what was built for the recordings, of the kernel and of JITs; the
	# system's libraries are not the collection's
	same_samples local --no-demangle --symfs "$RECORDINGS/symfs" --kallsyms "$RECORDINGS/kallsyms" -- \
		'symbols=/tmp/lab/corpus/local/bin/,[kernel,/tmp/perf-'
}

@test "corpus: afsym gives the names that perfdec finds, inlined functions and lines included" {
	local recording name agreed=0 bad=0
	local options=(--symfs "$RECORDINGS/symfs" --kallsyms "$RECORDINGS/kallsyms" --inline --srcline)
	for recording in "$RECORDINGS"/local/* "$PERF"/files/*; do
		name=${recording##*/}
		perfdec "${options[@]}" "$recording" >named 2>/dev/null || :
		perfdec --no-symbols --symfs "$RECORDINGS/symfs" "$recording" >places 2>/dev/null || :
		afsym "${options[@]}" places >later 2>/dev/null || :
		if [ "$(tail -n 1 named | cut -f 4-5)" = "$(tail -n 1 later | cut -f 4-5)" ] &&
			cmp -s <(unmarked named) <(unmarked later); then
			agreed=$((agreed + 1))
		else
			differs "$name" "$(cmp <(unmarked named) <(unmarked later) 2>&1)"
		fi
	done
	judged
}

@test "corpus: what quipper reads, and its build ids" {
	local golden name agreed=0 bad=0
	for golden in "$PERF"/goldens/*.pb_text.gz "$PERF"/goldens/*.buildids; do
		name=${golden##*/}
		name=${name%.pb_text.gz}
		name=${name%.buildids}
		[ -f "$PERF/files/$name" ] || continue
		perfdec --all --frames --no-symbols --no-unwind "$PERF/files/$name" >stream 2>err || :
		perfdec --stats "$PERF/files/$name" >counts 2>>err || :
		if python3 "$ROOT/t/tools/quippercompare.py" "$golden" stream counts >differences 2>&1; then
			agreed=$((agreed + 1))
		else
			differs "${golden##*/}" "$(head -n 1 err) $(head -c 700 differences)"
		fi
	done
	judged
}

@test "corpus: what simpleperf and perfparser read" {
	local golden name file agreed=0 bad=0
	for golden in "$PERF"/goldens/*perf-script.gz; do
		name=${golden##*/}
		file=$PERF/files/${name%%.*perf-script.gz}.data
		[ -f "$file" ] || file=$PERF/files/${name%.perf-script.gz}.data
		perfdec --all --frames --no-symbols --no-unwind "$file" >stream 2>err || :
		if python3 "$ROOT/t/tools/textcompare.py" simpleperf "$golden" stream >differences 2>&1; then
			agreed=$((agreed + 1))
		else
			differs "$name" "$(head -n 1 err) $(head -c 700 differences)"
		fi
	done
	for golden in "$PERF"/goldens/*.data*.expected.txt.gz; do
		name=${golden##*/}
		for file in "$PERF/files/${name%.expected.txt.gz}"@*; do
			perfdec --all --frames --no-symbols --no-unwind "$file" >stream 2>err || :
			if python3 "$ROOT/t/tools/textcompare.py" perfparser "$golden" stream >differences 2>&1; then
				agreed=$((agreed + 1))
			else
				differs "$name" "$(head -n 1 err) $(head -c 700 differences)"
			fi
		done
	done
	judged
}
