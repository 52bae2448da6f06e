#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# cli.bats - what all programs have in common for those who type: letters, --help, terminals,
# completion.

load lib

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	cp "$ROOT/share/demo/burn.data" perf.data
	cp "$ROOT/t/cases/afperf/good/g26_nested_regions.afperf" run.afperf
	cp "$ROOT/t/data/dcpi/good/g03_manpage_xemacs.dcpi" run.dcpi
	cp run.dcpi day1.dcpi
	cp run.dcpi day2.dcpi
	cp "$ROOT/t/data/perun/snapshots.data" run.perf
	perfdec --no-symbols perf.data >stream
	jsonenc stream >perf.jsonl
	afagg --by region stream >before.agg
	cp before.agg after.agg
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

# on_terminal TYPED COMMAND...: want_status 2 and the like can run it with a terminal as input.
on_terminal() {
	local typed=$1
	shift
	printf '%b' "$typed" | python3 "$ROOT/t/tools/terminal.py" "$@"
}

# ---- letters

# letters: a line for each letter of an option, "PROGRAM LETTER NAME".
letters() {
	local p
	for p in $(programs); do
		"$p" --list-options | awk -F'\t' -v p="$p" '$1 != "." { print p, $1, $2 }'
	done
}

@test "a letter means the same in all programs" {
	letters | cut -d ' ' -f 2,3 | sort -u >"$T/all"
	[ "$(wc -l <"$T/all")" -ge 16 ]
	cut -d ' ' -f 1 "$T/all" | sort | uniq -d >"$T/twice"
	[ ! -s "$T/twice" ] || fail "$(cat "$T/twice")"
}

@test "letters are in the pages" {
	local p letter name
	letters >"$T/all"
	while read -r p letter name; do
		grep -qE "^\.It .*Fl ${letter#-} , Fl ${name#-}( |$)" "$ROOT/man/$p.1" || fail "man/$p.1: $letter $name"
		[ "$letter" = -h ] || [ "$letter" = -V ] ||
			grep -A 1 "^\.Fl ${letter#-}$" "$ROOT/man/afpipe.7" -A 2 | grep -q "^\.Fl ${name#-}" ||
			fail "afpipe(7): $letter $name"
	done <"$T/all"
	# and no other
	grep -HoE '^\.It .*Fl [a-zA-Z] , Fl -[a-z-]+' "$ROOT"/man/*.1 | sed -E 's/.*\/(.*)\.1:/\1 /' |
		while read -r p line; do
			grep -oE 'Fl [a-zA-Z] , Fl -[a-z-]+' <<<"$line" | sed -E "s/Fl (.) , Fl /$p -\1 -/"
		done | sort >"$T/pages"
	sort "$T/all" | comm -13 - "$T/pages" >"$T/more"
	[ ! -s "$T/more" ] || fail "$(cat "$T/more")"
}

@test "-h and -V are --help and --version" {
	local p
	for p in $(programs); do
		want_status 0 "$p" --help
		cp "$T/out" "$T/want"
		want_status 0 "$p" -h
		silent
		same "$T/want" "$T/out"
		want_status 0 "$p" -V
		grep -q "^$p (afpipe) " "$T/out" || fail "$p -V"
	done
}

@test "letters and names do the same" {
	want_status 0 afagg --by comm,region --stat count,max --kind sample --window 100ms stream
	cp "$T/out" "$T/want"
	want_status 0 afagg -b comm,region -s count,max -k sample -W 100ms stream
	same "$T/want" "$T/out"
	want_status 0 afagg -bcomm,region -scount,max -ksample -W100ms stream
	same "$T/want" "$T/out"
	cp "$T/out" "$T/agg"
	want_status 0 aftab --human --top 3 --sort max:asc "$T/agg"
	cp "$T/out" "$T/want"
	want_status 0 aftab -H -n 3 -S max:asc "$T/agg"
	same "$T/want" "$T/out"
	want_status 0 aftab -Hn3 -Smax:asc "$T/agg"
	same "$T/want" "$T/out"
	want_status 0 afsel --where region=main --time 10%, stream
	cp "$T/out" "$T/want"
	want_status 0 afsel -w region=main -t 10%, stream
	same "$T/want" "$T/out"
	want_status 0 perfdec --no-symbols --all --tags cpu perf.data
	cp "$T/out" "$T/want"
	want_status 0 perfdec --no-symbols -aT cpu perf.data
	same "$T/want" "$T/out"
}

@test "letters that are wrong" {
	want_status 2 afagg --partial -x stream
	head -n 1 "$T/err" >"$T/line" && echo 'afagg: no such option: -x' >"$T/want" && same "$T/want" "$T/line"
	want_status 2 aftab --human -Hx stream
	said 'aftab: no such option: -x'
	want_status 2 perfdec -i perf.data
	said 'perfdec: no such option: -i (input files are operands, and output goes to standard output)'
	want_status 2 afagg -o result stream
	said 'afagg: no such option: -o (input files are operands, and output goes to standard output)'
	want_status 2 aftab -S
	said 'aftab: option -S needs an argument'
	want_status 2 aftab -HS
	said 'aftab: option -S needs an argument'
	want_status 2 aftab --sort
	said 'aftab: option --sort needs an argument'
	want_status 2 aftab --no-such-option -H stream
	grep -qx 'aftab: no such option: --no-such-option' "$T/err"
	want_status 2 afagg -b region --by region stream
	said 'afagg: --by is given twice'
	# another option of that name, which takes no argument
	want_status 2 afdur -S stream
	said 'afdur: no such option: -S'
}

@test "a program that fails at the head of a pipe: one line of each later program, which points there" {
	want_status 1 bash -o pipefail -c 'perfdec --no-such x | afagg | aftab'
	grep -v '^ \|^usage:' "$T/err" >"$T/got"
	printf '%s\n' 'perfdec: no such option: --no-such' \
		'afagg: -: empty input: the program before this one in the pipe wrote nothing' \
		'aftab: -:2: afagg - ended partial: input incomplete or refused' >"$T/want"
	same "$T/want" "$T/got"
	want_status 1 afagg - </dev/null
	echo 'afagg: -: empty input' | same - "$T/err"
	# in a script, standard input may be empty
	want_status 1 perfdec </dev/null
	printf '%s\n' 'perfdec: no FILE given, and standard input is /dev/null' 'perfdec: -: 0x0: empty file' |
		same - "$T/err"
	: >"$T/empty"
	want_status 1 afagg <"$T/empty"
	echo 'afagg: -: empty input' | same - "$T/err"
}

@test "the refusal of an option that says what to type instead is one line, without the synopsis" {
	want_status 2 perfdec -i perf.data
	echo 'perfdec: no such option: -i (input files are operands, and output goes to standard output)' |
		same - "$T/err"
	want_status 2 afagg --by region --top 5 stream
	echo 'afagg: no such option: --top (aftab has it)' | same - "$T/err"
	want_status 2 afdur -S stream
	echo 'afdur: no such option: -S; did you mean --sort?' | same - "$T/err"
	want_status 2 afagg --max-memry 1G stream
	echo 'afagg: no such option: --max-memry; did you mean --max-memory?' | same - "$T/err"
	# others have it
	want_status 2 afagg -x stream
	said 'usage: afagg '
}

@test "an option of another program, a misspelled one, and one that was forgotten" {
	want_status 2 afagg --by region --top 5 stream
	grep -qx 'afagg: no such option: --top (aftab has it)' "$T/err"
	want_status 2 perfdec --by region perf.data
	said 'perfdec: no such option: --by (afagg has it)'
	want_status 2 afpair --off-cpu
	said 'afpair: no such option: --off-cpu (afpair --sched has it)'
	want_status 2 aftab --where=x stream
	grep -qx 'aftab: no such option: --where=x (afsel has it)' "$T/err"
	want_status 2 afagg --measure cycles stream
	said 'afagg: no such option: --measure (afsel --where measure=NAME chooses one)'
	# letters get the same answers, and an option without an argument is one to be named in full
	for letter in b:by m:measure n:top H:human w:where; do
		want_status 2 afdec "-${letter%:*}" 1 run.afperf
		head -n 1 "$T/err" | sed "s/ -${letter%:*} / --${letter#*:} /" >"$T/letter"
		want_status 2 afdec "--${letter#*:}" 1 run.afperf
		head -n 1 "$T/err" | same - "$T/letter"
		grep -q '(af' "$T/letter"
	done
	want_status 2 afagg -m cycles stream
	said 'afagg: no such option: -m (afsel --where measure=NAME chooses one)'
	want_status 2 afdur -S stream
	grep -qx 'afdur: no such option: -S; did you mean --sort?' "$T/err"
	want_status 2 afagg -T x stream
	grep -qx 'afagg: no such option: -T' "$T/err"
	want_status 2 afdiff --normalize total before.agg after.agg
	said 'afdiff: no such option: --normalize; did you mean --normalise?'
	want_status 2 afagg --max-memry 1G stream
	said 'afagg: no such option: --max-memry; did you mean --max-memory?'
	want_status 2 afagg --wind 5s stream
	said 'afagg: no such option: --wind; did you mean --window or --window-from?'
	want_status 2 afagg --=x stream
	grep -qx 'afagg: no such option: --=x' "$T/err"
	# the name of another program's option abbreviates nothing
	want_status 2 flameenc --by stream
	grep -qx 'flameenc: no such option: --by (afagg has it)' "$T/err"
	want_status 2 flameenc --by=x stream
	grep -qx 'flameenc: no such option: --by=x (afagg has it)' "$T/err"
	for option in '--time 5s' --time=5s; do
		# shellcheck disable=SC2086
		want_status 2 afsym $option stream
		said "afsym: no such option: ${option%% *} (afsel has it)"
	done
	want_status 0 perfdec --no-symbols --tag x=y --sta perf.data
	want_status 2 afagg --run R stream
	grep -qx 'afagg: no such option: --run (afsel --where run=ID chooses one; decoders give new ids)' "$T/err"
	want_status 2 afsel --tag x=y stream
	grep -qx 'afsel: no such option: --tag (decoders have it)' "$T/err"
	want_status 2 afsel --thread 5 stream
	grep -qx 'afsel: no such option: --thread (afsel --where tid=N chooses one)' "$T/err"
	want_status 2 foldenc --title x stream
	grep -qx 'foldenc: no such option: --title (flameenc has it)' "$T/err"
	want_status 2 aftab --before x stream
	grep -qx 'aftab: no such option: --before (afdiff and flameenc have it)' "$T/err"
	want_status 2 aftab --csv stream
	grep -qx 'aftab: no such option: --csv (csvenc writes CSV)' "$T/err"
	want_status 2 afagg --json stream
	grep -qx 'afagg: no such option: --json (jsonenc writes JSON)' "$T/err"
	# what other tools have
	want_status 2 perfdec -e cycles perf.data
	echo 'perfdec: no such option: -e (afsel --where measure=NAME chooses one)' | same - "$T/err"
	want_status 2 afagg -g region stream
	echo 'afagg: no such option: -g (--by KEY groups; foldenc and flameenc show stacks)' | same - "$T/err"
	want_status 2 aftab -g stream
	grep -qx 'aftab: no such option: -g' "$T/err"
	want_status 2 afdiff --threshold=5 before.agg after.agg
	echo 'afdiff: no such option: --threshold=5 (--fail-if sets a limit, and --min-share leaves out small groups)' |
		same - "$T/err"
	for option in 'diff (--before FILE gives the other side)' 'width (the page fits its window, and --svg is 1200 pixels wide)' \
		'height (all frames have the same height)' \
		'inverted (the root is at the top, or with --flame at the bottom)' \
		'reverse (afagg --by region,caller lists callers)' 'colors (the page has buttons for them)'; do
		want_status 2 flameenc "--${option%% *}" stream
		echo "flameenc: no such option: --$option" | same - "$T/err"
	done
	want_status 2 foldenc --height 5 stream
	grep -qx 'foldenc: no such option: --height' "$T/err"
	want_status 3 afagg region stream
	said 'afagg: region: cannot open: No such file or directory; did you mean --by?'
	want_status 3 afagg comm,region stream
	said 'directory; did you mean --by?'
	want_status 3 afagg --jobs 2 region stream
	said 'afagg: region: cannot open: No such file or directory; did you mean --by?'
	want_status 3 aftop region stream
	said 'aftop: region: cannot open: No such file or directory; did you mean --by?'
	want_status 3 afsel comm=sorter stream
	said 'afsel: comm=sorter: cannot open: No such file or directory; did you mean --where?'
	want_status 3 afagg nothing.af
	grep -qx 'afagg: nothing.af: cannot open: No such file or directory' "$T/err"
	want_status 3 afcut region region
	grep -qx 'afcut: region: cannot open: No such file or directory' "$T/err"
}

@test "each message is one write, so that those of a pipeline do not mix" {
	need python3
	cat >"$T/packets.py" <<-'EOF'
	# Prints the packets that a command writes to standard error, as Python spells them.
	import socket, subprocess, sys
	a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
	subprocess.run(sys.argv[1:], stderr=b, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
	b.close()
	while packet := a.recv(1 << 20):
	    print(packet)
	EOF
	printf 'sample\tx\tr\tf\tm\t1\nsample\n' >"$T/$(printf 'a\tb')"
	want_status 0 python3 "$T/packets.py" afagg --by comm "$T/$(printf 'a\tb')" "$T/none" -
	sed "s|$T|T|" "$T/out" | cut -c 1-60 >"$T/got"
	same - "$T/got" <<-'EOF'
	b'afagg: T/a\\tb:1: time "x" is not a time of up to 128 bits
	b'afagg: T/a\\tb:2: 1 column, not 6 or more: output of anoth
	b'afagg: T/none: cannot open: No such file or directory\n'
	b'afagg: -: empty input\n'
	EOF
	want_status 0 python3 "$T/packets.py" afagg --nothing
	[ "$(wc -l <"$T/out")" -eq 1 ]
	# what is too long for one is whole, in several
	want_status 3 afagg "$(printf '\001%.0s' {1..2000})"
	printf 'afagg: %s: cannot open: File name too long\n' "$(printf '\\x01%.0s' {1..2000})" | same - "$T/err"
}

# ---- --help

@test "--help fits a screen, and ends with an example" {
	local p
	for p in $(programs); do
		want_status 0 "$p" --help
		[ "$(wc -l <"$T/out")" -le 24 ] || fail "$p: $(wc -l <"$T/out") lines"
		[ "$(wc -L <"$T/out")" -le 80 ] || fail "$p: $(wc -L <"$T/out") columns"
		tail -n 1 "$T/out" | grep -q "^Example: .*\b$p\b" || fail "$p: $(tail -n 1 "$T/out")"
	done
}

@test "the examples of --help work" {
	local p example
	for p in $(programs); do
		rm -rf "$T/here"
		mkdir "$T/here"
		cp run.* day?.dcpi ./*.agg perf.jsonl "$T/here"
		cp perf.data "$T/here"
		[ "$p" != afpair ] || cp "$ROOT/t/data/perf/wide.data" "$T/here/perf.data"
		example=$("$p" --help | sed -n 's/^Example: //p')
		(cd "$T/here" && bash -c "set -eo pipefail; $example") >"$T/out" 2>"$T/err" ||
			fail "$example: status $?: $(cat "$T/err")"
		# what an ordinary recording lacks is in the help
		[ "$p" != afpair ] || afpair --help | grep -q -- '--switch-events' || fail "$p: which recording?"
		case $example in
		*'>'*) [ -s "$T/here/${example##*>}" ] || fail "$example: no output" ;;
		*) [ "$(wc -l <"$T/out")" -ge 1 ] || fail "$example: no output" ;;
		esac
	done
}

# ---- terminals

# typing PROG: arguments without which it would be another error.
typing() {
	case $1 in
	afcut) echo region ;;
	afdiff) echo "--before before.agg" ;;
	afpair) echo --sched ;;
	afsel) echo '--where region=x' ;;
	perunquery) echo frame ;;
	esac
}

# bats test_tags=slow,sanitize
@test "nobody waits for a terminal without being told" {
	local p why
	need python3
	mkdir -p "$T/nothing"
	for p in $(programs); do
		why="no FILE given, and standard input is a terminal ('-' reads it)"
		[ "$p" != perfdec ] ||
			why="no FILE given, there is no perf.data here, and standard input is a terminal ('-' reads it)"
		cp before.agg "$T/nothing"
		# shellcheck disable=SC2046 # none, or words
		(cd "$T/nothing" && want_status 2 on_terminal '' "$p" $(typing "$p")) || fail "$p"
		{
			echo "$p: $why"
			"$p" --no-such-option 2>&1 | sed 1d
		} >"$T/want"
		grep -q "^usage: $p " "$T/want"
		same "$T/want" "$T/err" || fail "$p"
		[ ! -s "$T/out" ] || fail "$p: output"
	done
}

@test "perfdec reads perf.data from a terminal, and only then" {
	need python3
	want_status 0 perfdec --no-symbols perf.data
	cp "$T/out" "$T/want"
	want_status 0 on_terminal '' perfdec --no-symbols
	silent
	same "$T/want" "$T/out"
	want_status 0 on_terminal '' perfdec --no-symbols --stats
	# not with an operand, nor with a file or a pipe as input
	want_status 3 on_terminal '' perfdec --no-symbols other.data
	want_status 1 perfdec --no-symbols </dev/null
	said 'perfdec: -: 0x0: empty file'
	want_status 1 sh -c ': | perfdec --no-symbols'
	said 'perfdec: -: 0x0: empty file'
}

@test "no binary output for a terminal" {
	need python3
	local command
	printf 'sample\t1\tr\tmain\tcycles\t5\n' >lines
	for command in pprofenc dcpienc 'perunenc --pack'; do
		# shellcheck disable=SC2086 # words
		want_status 2 python3 "$ROOT/t/tools/terminal.py" --all $command --no-marks lines </dev/null
		grep -q "^${command%% *}: the output is binary, and standard output is a terminal: add >FILE" "$T/out" || fail "$command"
	done
	want_status 0 python3 "$ROOT/t/tools/terminal.py" --all foldenc --no-marks lines </dev/null
}

@test "the operand - reads lines that are typed" {
	need python3
	want_status 0 on_terminal 'sample\t1\tr\tmain\tcycles\t5\n\004' afcut region,value -
	printf 'main\t5\n' >"$T/want"
	same "$T/want" "$T/out"
	want_status 0 on_terminal 'sample\t1\tr\tmain\tcycles\t5\n\004' aftop -
	said_nothing_of_terminals
}

said_nothing_of_terminals() {
	! grep -q terminal "$T/err" || fail "$(cat "$T/err")"
}

# ---- completion

# completions DIR: installs the completions of the shells.
completions() {
	local names
	names="$(programs | tr '\n' ' ')afarray"
	mkdir -p "$1/zsh" "$1/fish"
	sed "s/@PROGRAMS@/$names/" "$ROOT/share/completions/afpipe.bash" >"$1/afpipe.bash"
	sed "s/@PROGRAMS@/$names/" "$ROOT/share/completions/afpipe.zsh" >"$1/zsh/_afpipe"
	for p in $names; do
		cp "$ROOT/share/completions/afpipe.fish" "$1/fish/$p.fish"
	done
}

# completed START SHELL...: types the lines of the file lines, before " => ", each with a TAB, into
# the shell, after START, and compares what they become with what comes after that.
completed() {
	local start=$1 line
	shift
	{
		printf '%s\r' "$start"
		while IFS= read -r line; do
			printf '%s\t\001echo DONE \r' "${line%% => *}"
		done <lines
		printf 'exit\r'
	} | python3 "$ROOT/t/tools/terminal.py" --all "$@" | tr -d '\r' | grep -a '^DONE ' |
		sed 's/^DONE //; s/ *$//' >"$T/got"
	sed 's/.* => //; s/ *$//' lines >"$T/want"
	same "$T/want" "$T/got"
}

cases() {
	cat <<-'END'
		afarray --sba => afarray --sbatch
		afarray --dir run.d => afarray --dir run.dir/
		afagg --perc => afagg --percentile
		afagg --stat medi => afagg --stat median
		afagg -s count,medi => afagg -s count,median
		afagg --by region,lea => afagg --by region,leaf
		afagg --kind spa => afagg --kind span
		afdiff --fail-on inter => afdiff --fail-on interval
		afenc --record-id bla => afenc --record-id blank
		perfdec --no-sym => perfdec --no-symbols
		perfdec run.afp => perfdec run.afperf
		perfdec --kallsyms run.dc => perfdec --kallsyms run.dcpi
		perfdec --symfs run.d => perfdec --symfs run.dir/
		perfdec --tag ho => perfdec --tag host
		perfdec --tag com => perfdec --tag com
		perunquery reso => perunquery resources
		perunquery --max-memory 1G reso => perunquery --max-memory 1G resources
		perunquery resources run.afp => perunquery resources run.afperf
		perunquery --com => perunquery --compat
		aftab --top run.af => aftab --top run.af
		aftop --sort medi => aftop --sort median
		aftab --sort run.a => aftab --sort run.a
		aftab --sort medi => aftab --sort median
		aftab --sort regi => aftab --sort region
		afdiff --sort chan => afdiff --sort change
		csvenc --columns run.a => csvenc --columns run.a
		csvenc --columns region,com => csvenc --columns region,comm
		afdec --tag com => afdec --tag com
		traceenc --for speed => traceenc --for speedscope
		flameenc --no-prog => flameenc --no-progress
	END
}

# place DIR: goes to a new directory with the completions and files to complete.
place() {
	mkdir -p "$1/run.dir" && cd "$1" || return
	cp "$BATS_FILE_TMPDIR"/run.[adp]* .
	PATH=$ROOT/contrib/slurm:$PATH
	completions .
	cases >lines
}

@test "completion in bash" {
	need python3
	place "$T/bash"
	printf 'traceenc --for=speed => traceenc --for=speedscope\n' >>lines
	completed "source ./afpipe.bash; bind 'set bell-style none'" \
		env HOME="$T/bash" PS1='$ ' INPUTRC=/dev/null TERM=dumb bash --norc --noprofile -i
}

@test "completion in zsh" {
	need python3 zsh
	place "$T/zsh"
	completed "fpath=($T/zsh/zsh \$fpath); autoload -U compinit; compinit -u -D; bindkey -e; unsetopt beep autoremoveslash" \
		env HOME="$T/zsh" TERM=dumb zsh -f -i
}

@test "completion in fish" {
	need python3 fish
	place "$T/fish"
	printf 'traceenc --for=speed => traceenc --for=speedscope\n' >>lines
	completed "set -p fish_complete_path $T/fish/fish; function fish_prompt; echo '\$ '; end" \
		env HOME="$T/fish" TERM=dumb fish --no-config -i
}

@test "completions are installed, and removed" {
	local p
	[ -z "${AFPIPE_BIN-}" ] || skip "another build is tested"
	cd "$ROOT"
	make -s install DESTDIR="$T/root" PREFIX=/usr
	for p in $(programs) afarray; do
		grep -q "^complete -o default -F _afpipe $p$" "$T/root/usr/share/bash-completion/completions/$p"
		[ -s "$T/root/usr/share/fish/vendor_completions.d/$p.fish" ]
		grep -q "^#compdef .*\b$p\b" "$T/root/usr/share/zsh/site-functions/_afpipe"
	done
	find "$T/root" -type f ! -perm -444 >"$T/secret"
	[ ! -s "$T/secret" ] || fail "$(cat "$T/secret")"
	make -s uninstall DESTDIR="$T/root" PREFIX=/usr
	find "$T/root" -type f >"$T/left"
	[ ! -s "$T/left" ] || fail "$(cat "$T/left")"
	[ ! -e "$T/root/usr/share/afpipe" ]
}

@test "foreign files are not removed" {
	local data=$T/root/usr/share/afpipe
	[ -z "${AFPIPE_BIN-}" ] || skip "another build is tested"
	cd "$ROOT"
	make -s install DESTDIR="$T/root" PREFIX=/usr
	mkdir "$data/mine"
	touch "$data/notes" "$data/demo/perf.data" "$data/mine/perfdec" "$T/root/usr/bin/afmine"
	make -s uninstall DESTDIR="$T/root" PREFIX=/usr
	(cd "$T/root/usr" && find . -type f | LC_ALL=C sort) >"$T/left"
	printf './%s\n' bin/afmine share/afpipe/demo/perf.data share/afpipe/mine/perfdec share/afpipe/notes >"$T/want"
	same "$T/want" "$T/left"
	[ ! -e "$data/flame" ]
}

@test "a directory where a file is needed: its files can be named" {
	local prog
	mkdir "$T/before"
	cd "$T"
	for prog in afagg 'afcut region' afdec perfdec perundec jsondec; do
		for name in before before/; do
			# shellcheck disable=SC2086 # words
			want_status 3 $prog $name
			said "${prog%% *}: $name: cannot read: Is a directory; name the files in it (DIRECTORY/*)"
		done
	done
}

@test "standard input can be read only once" {
	local operands
	printf 'sample\t1\tr\tf\tm\t1\n' >"$T/in"
	: >"$T/empty"
	cd "$T"
	want_status 1 afagg --by region - - <in
	printf 'afagg: -: %s\n' 'empty input: standard input can be read only once' \
		'this file is given twice: is it counted twice?' >want
	same want err
	# the operand that is empty, and what is said of it
	while IFS=: read -r operands name more; do
		status=0
		# shellcheck disable=SC2086 # words
		afagg --by region $operands < <(cat in) >out 2>err || status=$?
		[ $status -eq 1 ] || fail "$operands: status $status" || return
		echo "afagg: $name: empty input$more" >want
		same want err || fail "$operands" || return
	done <<-'END'
		- in -:-:: standard input can be read only once
		- empty:empty:
		empty -:empty:
	END
	want_status 1 afagg --by region - in </dev/null
	echo 'afagg: -: empty input' >want
	same want err
	want_status 1 afagg --by region in - </dev/null
	same want err
}

@test "a byte order mark is refused before the first line of each input; elsewhere it is a character" {
	local mark=$'\xef\xbb\xbf'
	cd "$T"
	printf 'sample\t1\tr\tf\tm\t1\n' >in
	{ printf %s "$mark" && cat in; } >marked
	want_status 1 afagg --by region in marked
	echo "afagg: marked: this is text after a byte order mark, not a stream: put 'tail -c +4 FILE |' in front" >want
	same want err
	printf '%s\t.\tr\t.\t.\t.\n' "$mark" "${mark}run" | cat in - >later
	want_status 0 afcut kind later
	silent
	printf '%s\n' sample "$mark" "${mark}run" >want
	same want out
}

@test "messages: names of any length as they are, twenty notes and how many more" {
	local name i
	name=$(printf 'e\xc3\xa9%.0s' {1..70})
	cd "$T"
	want_status 3 afcut region "$name/x"
	printf 'afcut: %s/x: cannot open: No such file or directory\n' "$name" | same - err
	want_status 3 afcut region "$(printf '\na%.0s' {1..90})"
	printf 'afcut: %s: cannot open: No such file or directory\n' "$(printf '\\na%.0s' {1..90})" | same - err
	helpers perfmake
	for i in {01..25}; do
		echo unknown 200 1 | perfmake >"$i.data"
	done
	want_status 0 perfdec ./*.data
	{
		printf 'perfdec: ./%s.data: 1 record of unknown type ignored: 200 (1)\n' {01..20}
		echo 'perfdec: and 5 more notes'
	} | same - err
	want_status 1 perfdec --strict ./*.data
	tail -n 1 err >last
	echo 'perfdec: and 5 more messages' | same - last
}

@test "messages: no character of a long name is cut, wherever it stands" {
	local n name
	cd "$T"
	for n in {1019..1024} 2046 2047; do
		name=$(printf "%${n}s" '' | tr ' ' a)$(printf '\xf0\x9f\x98\x80\xc3\xa9')z
		want_status 3 afcut region "$name"
		echo "afcut: $name: cannot open: File name too long" | same - err
	done
	# more continuation bytes than a character has are none
	name=$(printf '%1020s\x80\x80\x80\x80\x80\x80\x80' '' | tr ' ' a)
	want_status 3 afcut region "$name"
	echo "afcut: ${name%%$'\x80'*}$(printf '\\x80%.0s' {1..7}): cannot open: File name too long" | same - err
	# what a message cuts ends with a whole character
	event sample 1 f m 1 a=1 >in
	for n in 61 62 63 64; do
		name=$(printf "%${n}s" '' | tr ' ' a)
		want_status 1 afcut "$name$(printf '\xc3\xa9\xc3\xa9')" in
		[ "$n" -ne 62 ] || name+=$(printf '\xc3\xa9')
		[ "$n" -ne 61 ] || name+=$(printf '\xc3\xa9')
		said "afcut: no line has '$name' ("
	done
}

@test "standard input that is another device than /dev/null" {
	local status=0 pid
	[ -c /dev/zero ] || skip "no /dev/zero here"
	need_proc
	helpers sigdfl
	cd "$T"
	sigdfl afcut region </dev/zero >out 2>err 3>&- &
	pid=$!
	soon catches $pid
	kill -TERM $pid
	wait $pid || status=$?
	[ "$status" -eq 1 ] || fail "status $status"
	[ "$(grep -c 'no FILE given' err)" -eq 0 ] || fail "$(cat err)"
	want_status 1 afcut region </dev/null
	said 'afcut: no FILE given, and standard input is /dev/null'
}
