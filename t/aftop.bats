# SPDX-License-Identifier: ISC
# aftop.bats - the live table: without a terminal, and on one of tmux.
# shellcheck disable=SC2030,SC2031 # LC_ALL is set and used in the same test

load lib

# stream [N]: samples with stacks of known callers, their end mark apart (see end).
stream() {
	printf '#afstream\t1\ttest\tmade\n'
	printf 'run\t1000\t0x1\t.\t.\t.\tunit=ns\tapp=test\n'
	printf 'measure\t.\t0x1\t.\tcycles\t.\ttype=int64\tunit=cycles\n'
	printf 'measure\t.\t0x1\t.\tfaults\t.\ttype=int64\n'
	samples "${1:-400}"
}

# samples N [FIRST]: a sample each 10 ms.
samples() {
	awk -v n="$1" -v first="${2:-0}" 'BEGIN {
		OFS = "\t"
		split("alpha beta gamma delta", f, " ")
		for (i = first; i < first + n; i++) {
			leaf = f[i * i % 13 % 4 + 1]
			stack = "main;" f[i % 3 + 1] ";" leaf
			print "sample", sprintf("%.0f", i * 10000000), "0x1", leaf, i % 10 ? "cycles" : "faults", i % 10 ? 1000 + i : 1,
			    "pid=1", "tid=" i % 2, "comm=job", "stack=" stack
		}
	}'
}

end() {
	printf '#end\ttest\tmade\t0\tcomplete\n'
}

setup_file() {
	export INPUTS=$BATS_FILE_TMPDIR
	{
		stream
		end
	} | sed 's/made	0	complete/made	403	complete/' >"$INPUTS/in"
}

teardown() {
	[ ! -e "$T/socket" ] || tmux -S "$T/socket" kill-server 2>/dev/null || :
}

# live WIDTH HEIGHT COMMAND: runs the command on a terminal of that size.  Its status follows, and
# whether the terminal is as before.
live() {
	need tmux
	cat >"$T/command" <<-EOF
		cd "$T"
		trap : INT # the second Ctrl-C is for the program
		stty -a >before
		$3
		printf 'status %s\n' "\$?"
		stty -a >after
		cmp before after && echo terminal restored
		exec cat
	EOF
	mkfifo "$T/pipe"
	tmux -S "$T/socket" -f /dev/null -u new-session -d -x "$1" -y "$2" "exec bash '$T/command'"
	tmux -S "$T/socket" set-option -g history-limit 5000
}

is_gone() {
	! kill -0 "$1" 2>/dev/null || return
}

# leave: ends the terminal, and waits for that: one that is made at once would be a part of it.
leave() {
	local server
	server=$(tmux -S "$T/socket" display-message -p '#{pid}')
	tmux -S "$T/socket" kill-server
	soon is_gone "$server"
}

# again: lets live be called again.
again() {
	teardown
	rm -f "$T/pipe" "$T/socket"
}

keys() {
	tmux -S "$T/socket" send-keys -t 0 "$@"
}

# screen [OPTION]...: what the terminal shows.
screen() {
	tmux -S "$T/socket" capture-pane -p -t 0 "$@" >"$T/screen"
}

# shows TEXT: whether the terminal shows it, now or in a moment (soon shows TEXT).
shows() {
	screen && grep -qF -e "$1" "$T/screen"
}

hides() {
	screen && [ "$(grep -cF -e "$1" "$T/screen")" -eq 0 ]
}

# like REGEX: the same for a pattern.
like() {
	screen && grep -q -e "$1" "$T/screen"
}

# first_is NAME: whether it is in the first row.
first_is() {
	screen && [ "$(sed -n 4p "$T/screen" | cut -d ' ' -f 1)" = "$1" ]
}

# differs REGEX FILE: whether the lines with the pattern are not those of the file.
differs() {
	like "$1" && ! grep -e "$1" "$T/screen" | cmp -s - "$2"
}

# is_left: whether the terminal shows what it showed before the table, and its cursor.
is_left() {
	[ "$(tmux -S "$T/socket" display-message -p -t 0 '#{alternate_on} #{cursor_flag}')" = '0 1' ]
}

sees() {
	soon "$@" || {
		cat "$T/screen" >&2
		return 1
	}
}

# restored: checks that the terminal is as before.
restored() {
	sees shows "terminal restored" && soon is_left
}

# feed N: begins the stream in the pipe, with N samples, and leaves it open (7).
feed() {
	exec 7>"$T/pipe"
	stream "$1" >&7
}

# bats test_tags=quick
@test "without a terminal: the table that aftab shows" {
	local by
	for by in region frame caller comm,region tid,region; do
		want_status 0 aftop --by $by --sort count "$INPUTS/in"
		silent
		mv "$T/out" "$T/got"
		afagg --by $by "$INPUTS/in" >"$T/agg"
		want_status 0 aftab --sort count "$T/agg"
		same "$T/out" "$T/got"
	done
	want_status 0 aftop --stat count,mean,p90 --human --top 2 --width 6 --every 100ms --last 1s "$INPUTS/in"
	mv "$T/out" "$T/got"
	afagg --by region --stat count,mean,p90 "$INPUTS/in" | aftab --human --top 2 --width 6 >"$T/want"
	same "$T/want" "$T/got"
}

@test "one measure" {
	aftop "$INPUTS/in" >"$T/all"
	want_status 0 aftop --measure faults "$INPUTS/in"
	sed '1,/^$/d' "$T/all" >"$T/want"
	same "$T/want" "$T/out"
}

@test "input that is damaged, other lines, and losses are reported as by aftab" {
	sed '9s/\t1[0-9]*\tpid/\tmany\tpid/' "$INPUTS/in" >"$T/bad"
	want_status 1 aftop "$T/bad"
	said "aftop: $T/bad:9: value \"many\" is not a number"
	grep -q '^alpha' "$T/out"
	{
		cat "$INPUTS/in"
		printf 'lost\t5\t0x1\t.\tcpu\t12\twhy=ring\nstart\t6\t0x1\tf\t.\t.\n'
	} >"$T/lost"
	want_status 0 aftop "$T/lost"
	said "aftop: the source lost events, so the numbers are too small"
	said "aftop: left out lines of other kinds: 1 start"
	printf 'incomplete\t.\t0x1\t.\tunwind\t7\twhy=short_copy\n' | cat "$INPUTS/in" - | grep -v '^#' >"$T/lines"
	want_status 0 aftop "$T/lines"
	said "aftop: left out lines of other kinds: 1 incomplete"
	{
		printf '#afstream\t1\ttest\tx\n'
		cat "$T/lines"
		printf '#end\ttest\tx\t%d\tcomplete\tincomplete=7\n' "$(grep -c . "$T/lines")"
	} >"$T/marked"
	want_status 0 aftop "$T/marked"
	echo 'aftop: samples whose stacks could not be unwound completely: 7' >"$T/want"
	same "$T/want" "$T/err"
	want_status 1 aftop --by nothing "$INPUTS/in"
	said "nothing"
	[ ! -s "$T/out" ]
	afagg --partial "$INPUTS/in" >"$T/parts"
	want_status 1 aftop "$T/parts"
	said "the input has partial results; merge them with afagg first"
	afagg "$INPUTS/in" >"$T/results"
	want_status 1 aftop "$T/results"
	said "aftop: no events, only results (lines of kind agg): aftab shows them"
	want_status 1 aftop --sort nothing "$INPUTS/in"
	said "aftop: --sort: no group has this key or statistic: nothing"
	live 100 30 "aftop --every 100ms --measure faults pipe"
	feed 400
	sees like 'faults'
	sees hides cycles
	keys m
	sees hides cycles
	exec 7>&-
}

@test "a measure that there is not" {
	want_status 1 aftop --measure nothing "$INPUTS/in"
	said "aftop: no line has a value of the measure nothing"
	want_status 1 aftop --measure cycle "$INPUTS/in"
	said "aftop: no line has a value of the measure cycle; did you mean cycles?"
}

# bats test_tags=sanitize
@test "memory for the sums that the live table shows runs out anywhere" {
	local archive
	use_archive
	build_c "$T/sums" t/unit/sums.c "$archive" "${LIBRARIES[@]}"
	want_status 0 "$T/sums"
	silent
}

@test "settings that mean nothing" {
	local option
	for option in --every=0s --every=10ms --every=x --last=0s --last=1 --width=3 --measure= --sort= --by= --top=0; do
		want_status 2 aftop "$option" "$INPUTS/in"
		[ ! -s "$T/out" ]
	done
}

@test "the table changes while the stream is read; after q the final one stays" {
	live 100 30 "aftop --every 100ms pipe"
	feed 100
	sees shows "100 samples"
	sees shows "cycles [cycles]  sum of all  by region, 4 groups"
	sees like '^region *count *sum *%$'
	sees like '^alpha '
	sees shows "q quit"
	samples 300 100 >&7
	sees shows "400 samples"
	afagg --by region "$INPUTS/in" | aftab >"$T/want"
	end >&7
	exec 7>&-
	sees shows "end of the input  400 samples  0 lost"
	keys q
	sees shows "status 0"
	restored
	sed '/^status 0$/,$d' "$T/screen" >"$T/got"
	same "$T/want" "$T/got"
}

@test "a stored file: keys work until q, Ctrl-C or the background end it, and the table is whole" {
	local end
	afagg --by frame "$INPUTS/in" | aftab --sort count >"$T/want"
	for end in q C-c; do
		live 100 30 "aftop --by frame --sort count '$INPUTS/in'"
		sees shows "end of the input  400 samples  0 lost"
		sees shows "cycles [cycles]  sum of all  by frame, 5 groups"
		keys Down Enter
		sees shows "callers and callees of alpha"
		keys Escape
		sees shows "by frame, 5 groups"
		keys / l p h
		sees shows "1 of 5"
		keys Escape
		sees shows "by frame, 5 groups"
		keys "$end"
		sees shows "status 0"
		restored
		sed '/^status 0$/,$d' "$T/screen" >"$T/got"
		same "$T/want" "$T/got"
		again
	done
	live 100 30 "aftop --quit-at-end --by frame --sort count '$INPUTS/in'"
	sees shows "status 0"
	restored
	sed '/^status 0$/,$d' "$T/screen" >"$T/got"
	same "$T/want" "$T/got"
}

@test "a stored file on a terminal whose size changes, or that is written to" {
	live 100 30 "aftop --by frame '$INPUTS/in'"
	sees shows "end of the input"
	tmux -S "$T/socket" resize-window -x 40 -y 10
	sees hides "units"
	[ "$(wc -l <"$T/screen")" -eq 10 ]
	sees like '^main .*%$'
	printf '\033[H\033[Jspoilt' >"$(tmux -S "$T/socket" display-message -p -t 0 '#{pane_tty}')"
	sees shows spoilt
	keys C-l
	sees hides spoilt
	sees like '^main .*%$'
	keys / # also while a filter is typed
	sees shows "filter:"
	printf '\033[H\033[Jspoilt' >"$(tmux -S "$T/socket" display-message -p -t 0 '#{pane_tty}')"
	sees shows spoilt
	keys C-l
	sees hides spoilt
	sees shows "filter:"
}

@test "what a producer writes to the terminal at its end does not stay in the table" {
	live 60 9 "{ cat pipe; printf 'it says\\nsome lines\\n' >&2; } | aftop --every 100ms"
	feed 400
	sees shows "400 samples"
	end >&7
	exec 7>&-
	sees shows "end of the input"
	sees are "cycles [cycles]  sum of all  by region, 4 groups" "end of the input  400 samples  0 lost" \
		"region  count     sum      %" "alpha     138  165510  38.3%" "beta      110  131844  30.5%" \
		"delta      56   67323  15.6%" "gamma      56   67323  15.6%" "" \
		"q quit  p pause  / filter  s sort  r reverse  Enter callers"
}

@test "nothing to look at does not wait for keys" {
	live 100 30 "aftop --by nothing '$INPUTS/in'; echo \$?; aftop /dev/null; echo \$?; aftop nowhere"
	sees shows "no line has 'nothing'"
	sees shows "status 3"
}

@test "in the background it ends with the input" {
	need tmux
	cd "$T"
	tmux -S "$T/socket" -f /dev/null -u new-session -d -x 100 -y 30 "PS1='>> ' exec bash --norc --noprofile"
	sees shows ">>"
	keys "aftop '$INPUTS/in' & wait; echo stat''us \$?" Enter
	sees shows "status 0"
	keys "clear; aftop '$INPUTS/in'" Enter
	sees shows "end of the input"
	keys C-z
	sees shows Stopped
	keys "clear; bg; wait; echo stat''us \$?" Enter
	sees shows "status 0"
	sees like '^alpha '
}

@test "losses on the screen are those of the end mark: each once" {
	live 100 30 "aftop --every 100ms pipe"
	feed 100
	printf 'lost\t5\t0x1\t.\tcycles\t12\twhy=lost\n' >&7
	sees shows "  12 lost"
	printf 'lost\t6\t0x1\t.\t.\t15\twhy=lost_samples\tagain=12\nlost\t7\t0x1\t.\t.\t900\twhy=bpf\n' >&7
	sees shows "  15 lost"
	samples 300 100 >&7
	sees shows "400 samples"
	sees shows "  15 lost"
	keys q
	sees shows "status"
	exec 7>&-
}

@test "keys: sorting, reverse, choosing a row, pause, units, measure" {
	live 100 30 "aftop --every 100ms pipe"
	feed 400
	sees shows "400 samples"
	sees first_is alpha
	keys r # the column by which it is sorted
	sees first_is delta
	keys r
	sees first_is alpha
	keys s
	sees first_is alpha
	keys r
	sees first_is gamma
	[ "$(sed -n 4,7p "$T/screen" | cut -d ' ' -f 1 | tr '\n' ' ')" = "gamma delta beta alpha " ]
	keys m
	sees shows "faults  sum of all"
	keys m
	sees shows "cycles [cycles]"
	keys h
	sees like '^alpha .*[0-9]k '
	keys p
	sees shows PAUSED
	screen
	grep '^alpha' "$T/screen" >"$T/want"
	samples 100 400 >&7
	sees shows "500 samples"
	grep '^alpha' "$T/screen" >"$T/got"
	same "$T/want" "$T/got"
	keys p
	sees hides PAUSED
	sees differs '^alpha' "$T/want"
	exec 7>&-
}

# rows FILE: whether the table, less blanks, is that of the file.
rows() {
	screen && sed '1,2d; /^$/,$d; s/  */ /g; s/ $//' "$T/screen" | cmp -s - <(sed 's/  */ /g' "$1")
}

# headed TEXT: whether these are the headings, less blanks, with what is shown as sorted in <>.
headed() {
	screen -e && [ "$(sed -n 's/\x1b\[46m/</g; s/\x1b\[42m/>/g; s/\x1b\[[0-9;]*m//g; s/  */ /g; 3p' "$T/screen" |
		sed 's/^>//')" = "$1" ]
}

@test "keys: sorting goes through all columns but shares, and marks the heading of one" {
	local back
	live 100 30 "aftop --every 100ms --by tid,region --stat count,sum,max pipe"
	feed 400
	sees shows "400 samples"
	sees headed 'region tid count <sum> % max'
	keys Right
	sees headed 'region tid count sum % <max>'
	keys s
	sees headed '<region> tid count sum % max'
	keys r
	sees first_is gamma
	headed '<region> tid count sum % max'
	keys s
	sees headed 'region <tid> count sum % max'
	keys s
	sees headed 'region tid <count> sum % max'
	keys s
	sees headed 'region tid count <sum> % max'
	for back in count tid region max sum; do
		keys Left
		sees headed "$(echo 'region tid count sum % max' | sed "s/$back/<&>/")"
	done
	keys q
	exec 7>&-
}

@test "a heading ends where its numbers end, also with a unit that is not ASCII" {
	sed 's/unit=cycles/unit=µs/; s/^\(sample\t50000000\t.*\tcycles\t\)[0-9]*/\190000000000000/' "$INPUTS/in" >"$T/in"
	LC_ALL=C.UTF-8 live 100 30 "LC_ALL=C.UTF-8 aftop --stat rate in"
	sees shows "end of the input"
	sees like '^region *rate \[µs/s\]$'
	[ "$(sed -n '3,7{s/µ/u/;p}' "$T/screen" | awk '{ print length($0) }' | sort -u | wc -l)" -eq 1 ]
}

@test "keys: a column whose heading has a unit is sorted, too" {
	live 100 30 "aftop --every 100ms --stat rate pipe"
	feed 400
	sees shows "400 samples"
	sees like '^region *rate \[cycles/s\]$'
	sees first_is alpha
	keys r
	sees first_is delta
	keys q
	exec 7>&-
}

@test "keys: reverse turns any order round, also one of the command line" {
	local sort
	for sort in sum:desc sum:asc region:asc region:desc count; do
		live 100 30 "aftop --sort $sort '$INPUTS/in'"
		sees shows "end of the input"
		aftop --sort "$sort" --measure cycles "$INPUTS/in" | sed 1d >"$T/forth"
		case $sort in
		count) aftop --sort count:asc --measure cycles "$INPUTS/in" ;;
		*:asc) aftop --sort "${sort%asc}desc" --measure cycles "$INPUTS/in" ;;
		*) aftop --sort "${sort%desc}asc" --measure cycles "$INPUTS/in" ;;
		esac | sed 1d >"$T/back"
		! cmp -s "$T/forth" "$T/back" || fail "the order is the same"
		sees rows "$T/forth"
		keys r
		sees rows "$T/back"
		keys r
		sees rows "$T/forth"
		keys q
		again
	done
}

@test "an order that only callers have is not that of other tables" {
	live 100 40 "aftop --by frame --sort count '$INPUTS/in'"
	sees shows "end of the input"
	sees headed 'frame <count> sum %'
	keys Enter
	sees headed 'caller <count> sum %'
	keys Left
	sees headed '<caller> count sum %'
	keys r Escape
	sees headed 'frame <count> sum %'
	sees first_is main
	keys q
	sees shows "status 0"
	restored
	sed '/^status 0$/,$d' "$T/screen" >"$T/got"
	afagg --by frame "$INPUTS/in" | aftab --sort count >"$T/want"
	same "$T/want" "$T/got"
}

@test "keys: the next measure, also if the one that is shown has no samples" {
	{
		printf '#afstream\t1\ttest\tmade\n'
		one() { printf 'sample\t%d00000000\t0x1\t%s\t%s\t1\n' "$@"; }
		one 1 f first
		one 2 f second
		one 3 f third
		one 11 g first
		one 12 g second
		one 22 h first
	} >"$T/in"
	live 100 30 "aftop --no-marks --last 1s in"
	sees shows "end of the input"
	sees shows "first  1.0s to 2.0s"
	keys w
	sees shows "first  sum of all"
	keys m
	sees shows "second  sum of all"
	keys m
	sees shows "third  sum of all"
	keys w
	sees shows "aftop  1.0s to 2.0s  by region"
	sees like '^  no samples of this measure yet$'
	keys r s # there is nothing to sort
	keys m
	sees shows "first  1.0s to 2.0s  by region, 1 group"
	sees like '^g  *1  *1  *100\.0%$'
	sees hides "no samples"
	leave
	# a window with only one measure, which is not the first that is shown
	rm "$T/pipe"
	printf 'sample\t3000000000\t0x1\tf\tfirst\t1\n' >>"$T/in"
	live 100 30 "aftop --no-marks --last 1s in"
	sees shows "first  2.0s to 3.0s"
	keys w
	sees shows "first  sum of all"
	keys m
	sees shows "second  sum of all"
	keys w
	sees shows "no samples of this measure yet"
	keys m
	sees shows "first  2.0s to 3.0s  by region, 1 group"
	sees like '^h '
	keys m
	sees shows "first  2.0s to 3.0s  by region, 1 group"
}

# foot TEXT: whether the last line is this.
foot() {
	screen && [ "$(tail -n 1 "$T/screen")" = "$1" ]
}

@test "a filter" {
	local all="q quit  p pause  / filter  s sort  r reverse  Enter callers  w window  m measure  h units"
	live 110 30 "aftop --every 100ms pipe"
	feed 400
	sees shows "400 samples"
	sees like '^beta '
	sees foot "$all"
	keys p # so the table changes only because of the keys
	sees shows PAUSED
	keys / BSpace A M # there is nothing to erase yet
	sees shows "filter: AM"
	sees hides "beta"
	sees shows "1 of 4"
	sees like '^gamma '
	sees foot "filter: AM   Enter: keep it  Esc: no filter"
	keys BSpace
	sees like '^delta '
	keys é 😀 BSpace BSpace M # characters of two and of four bytes
	sees foot "filter: AM   Enter: keep it  Esc: no filter"
	keys Enter
	sees foot "/ AM  Esc no filter  $all"
	sees hides "beta"
	keys Escape
	sees like '^beta '
	sees foot "$all"
	keys End / z # the row that is chosen goes, too
	sees shows "0 of 4"
	keys "$(printf '%070d' 0)" # more than it holds
	sees foot "filter: z$(printf '%063d' 0)   Enter: keep it  Esc: no filter"
	keys Escape
	sees like '^beta '
	printf 'sample\t5\t0x1\tZeta\tcycles\t5\tpid=1\n' >&7
	keys p
	sees like '^Zeta '
	keys / z e t a # a whole name, and one of which it is the end
	sees shows "1 of 5"
	keys BSpace BSpace BSpace BSpace T A
	sees shows "3 of 5"
	sees hides "alpha"
	keys Escape
	sees like '^alpha '
	exec 7>&-
}

@test "a filter is that of one place: it goes where another one is shown" {
	live 110 30 "aftop --every 100ms --by frame --sort frame pipe"
	feed 400
	sees shows "400 samples"
	sees like '^alpha '
	keys p / g a Enter
	sees like '^/ ga  Esc no filter  q quit'
	sees shows "1 of 5"
	keys Enter
	sees shows "callers and callees of gamma"
	sees like '^Esc back  q quit'
	sees like '^main '
	keys / a l p Enter
	sees like '^/ alp  Esc '
	sees hides "beta"
	keys Escape # all groups again, without either of the filters
	sees shows "by frame, 5 groups"
	sees like '^q quit'
	sees like '^beta '
	exec 7>&-
}

# neighbours WHICH FUNCTION: the callers or callees, from the stacks, as "NAME COUNT SUM" lines.
neighbours() {
	awk -F '\t' -v which="$1" -v f="$2" '$1 == "sample" && $5 == "cycles" {
		for (i = 7; i <= NF; i++)
			if ($i ~ /^stack=/) n = split(substr($i, 7), s, ";")
		first = last = 0
		for (i = 1; i <= n; i++)
			if (s[i] == f) { last = i; if (!first) first = i }
		if (!first) next
		name = which == "callers" ? (first > 1 ? s[first - 1] : "[root]") : (last < n ? s[last + 1] : "[self]")
		c[name]++; v[name] += $6
	} END { for (name in c) print name, c[name], v[name] }' "$INPUTS/in" | LC_ALL=C sort
}

@test "callers and callees of a function are those of the stacks" {
	live 100 30 "aftop --every 100ms --by frame --sort frame pipe"
	feed 400
	sees shows "400 samples"
	sees like '^alpha '
	keys Enter
	sees shows "callers and callees of alpha"
	sees like '^callee'
	sed -n '/^caller/,/^callee/p' "$T/screen" | awk '!/^calle[re] / { print $1, $2, $3 }' | LC_ALL=C sort >"$T/got"
	neighbours callers alpha >"$T/want"
	same "$T/want" "$T/got"
	sed -n '/^callee/,/^$/p' "$T/screen" | awk 'NF && !/^callee / { print $1, $2, $3 }' | LC_ALL=C sort >"$T/got"
	neighbours callees alpha >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 1 ]
	same "$T/want" "$T/got"
	keys End Enter
	sees hides "callees of alpha"
	sees shows "callers and callees of"
	keys Escape Escape
	sees shows "by frame, 5 groups"
	exec 7>&-
}

@test "callers of values of whole regions have no shares, and rows without a function no callers" {
	live 110 30 "aftop --every 100ms --by scope,region pipe"
	exec 7>"$T/pipe"
	{
		printf '#afstream\t1\ttest\tmade\n'
		run=r event span 100 . m 100 scope=run start=0
		run=r event span 50 f m 40 scope=region start=0 'stack=main;f'
		run=r event span 90 g m 30 scope=region start=50 'stack=main;g'
	} >&7
	sees shows "3 samples"
	sees like '^f  *region  *1  *40$'
	sees foot "q quit  p pause  / filter  s sort  r reverse  w window  m measure  h units"
	keys p Down
	sees foot "q quit  p pause  / filter  s sort  r reverse  Enter callers  w window  m measure  h units"
	keys Enter
	sees shows "callers and callees of f"
	sees like '^main  *1  *40$'
	sees hides %
	exec 7>&-
}

@test "callers of values with a unit of their own have counts, and units are not mixed" {
	{
		printf '#afstream\t1\ttest\tmade\n'
		run=r event measure . . m . unit=B
		run=r event sample 1 f m 1 unit=ns 'stack=main;f'
		run=r event sample 1 f m 2 unit=ns 'stack=main;g;f'
		run=r event sample 2 f m 4 unit=. 'stack=main;f'
		run=r event sample 3 f m 8 'stack=main;f'
		run=r event sample 3 f m 16 'stack=main;f'
	} >"$T/in"
	live 100 9 "aftop --no-marks in"
	sees shows "end of the input"
	keys Enter
	sees are "m  callers and callees of f" "end of the input  5 samples  0 lost" \
		"caller  count  sum       %" "main        1    4  100.0%" \
		"callee  count  sum       %" "[self]      1    4  100.0%" "" "" \
		"Esc back  q quit  p pause  / filter  s sort  r reverse  Enter callers  w window  m measure  h units"
	keys m
	sees shows "m [B]  callers and callees of f"
	sees like '^main  *2  *24  *100\.0%$'
	keys m
	sees shows "m [ns]  callers and callees of f"
	sees like '^main  *1  *1  *33\.3%$'
	sees like '^g  *1  *2  *66\.7%$'
}

@test "callers of results are joined by their statistics, or are those of one of them" {
	sed 's/^#end.*/#end\ttest\tmade\t803\tcomplete/; s/^sample\(.*\)/agg\1\tstat=sum\tn=2\
agg\1\tstat=count\tn=2/' "$INPUTS/in" >"$T/agg"
	live 100 30 "aftop --kind agg --by frame agg"
	sees shows "end of the input"
	keys m Down Enter # the sums: counts have no unit, as in the table of all
	sees shows "cycles [cycles]  callers and callees of alpha"
	sed -n '/^caller/,/^callee/p' "$T/screen" | awk '!/^calle[re] / { print $1, $2 }' | LC_ALL=C sort >"$T/got"
	neighbours callers alpha | awk '{ print $1, $3 }' >"$T/want"
	same "$T/want" "$T/got"
	again
	live 100 30 "aftop --kind agg --stat sum agg"
	sees shows "cycles, of count"
	keys Enter
	sees shows "cycles, of count  callers and callees of alpha"
	sed -n '/^caller/,/^callee/p' "$T/screen" | awk '!/^calle[re] / { print $1, $2, $3 }' | LC_ALL=C sort >"$T/got"
	neighbours callers alpha | awk '{ print $1, $2, $3 }' >"$T/want"
	same "$T/want" "$T/got"
}

# chosen NAME [FIRST]: whether the row that is marked has this name, and the first one that.
chosen() {
	screen -e && [ "$(sed -n '$d; s/^\(\x1b\[[0-9]*m\)*\x1b\[46m\([^ \x1b]*\) .*/\2/p' "$T/screen")" = "$1" ] &&
		{ [ $# -eq 1 ] || [ "$(sed -n '4{s/\x1b\[[0-9]*m//g; s/ .*//p;}' "$T/screen")" = "$2" ]; }
}

@test "keys: choosing a row, and the rows that are shown" {
	local key row first
	for row in {10..39}; do
		event sample "$row" "f$row" m $((100 - row)) "stack=top$((row % 2));f$row"
	done >"$T/in"
	live 100 12 "aftop --no-marks in" # 8 rows, so a page is 7
	sees shows "by region, 30 groups"
	sees chosen f10 f10
	while read -r key row first; do
		keys "$key"
		sees chosen "$row" "$first"
	done <<-'END'
		Up f10 f10
		Down f11 f10
		j f12 f10
		k f11 f10
		Up f10 f10
		k f10 f10
		NPage f17 f10
		Down f18 f11
		NPage f25 f18
		Up f24 f18
		PPage f17 f17
		PPage f10 f10
		PPage f10 f10
		Down f11 f10
		PPage f10 f10
		End f39 f32
		Down f39 f32
		NPage f39 f32
		k f38 f32
		Home f10 f10
	END
	# a row that the filter hides: the last one is chosen instead
	keys End / 2 Enter
	sees shows "12 of 30"
	sees chosen f32 f23
	keys Escape
	sees chosen f39 f32
	# elsewhere it is the first one, and rows of both tables can be chosen
	keys PPage
	sees chosen f32 f32
	keys Enter
	sees shows "callers and callees of f32"
	sees chosen top0
	keys End
	sees chosen "[self]"
	keys Up Enter
	sees shows "callers and callees of top0"
	sees chosen "[root]"
	keys NPage
	sees chosen f22
	keys BSpace
	sees shows "callers and callees of f32"
	sees chosen top0
	keys BSpace
	sees shows "by region, 30 groups"
	sees chosen f10 f10
	keys F5 Down # one that means nothing
	sees chosen f11 f10
	keys Space
	sees shows PAUSED
	keys Space
	sees hides PAUSED
	keys q
}

# are LINE...: whether the terminal shows these lines.
are() {
	screen && printf '%s\n' "$@" | cmp -s - "$T/screen"
}

@test "terminals of a few lines" {
	local title="cycles [cycles]  sum of all  by frame, 5 groups" rates="end of the input  400 samples  0 lost"
	local foot="q quit  p pause  / filter  s sort  r reverse  Enter callers"
	local head="frame  count     sum       %" main="main     360  432000  100.0%" alpha="alpha    213  255738   59.2%"
	live 60 8 "aftop --by frame '$INPUTS/in'"
	sees shows "end of the input"
	keys Down
	tmux -S "$T/socket" resize-window -y 6
	sees are "$title" "$rates" "$head" "$main" "$alpha" "$foot"
	tmux -S "$T/socket" resize-window -y 5
	sees are "$title" "$head" "$main" "$alpha" "$foot"
	tmux -S "$T/socket" resize-window -y 4
	sees are "$title" "$head" "$main" "$alpha"
	tmux -S "$T/socket" resize-window -y 3
	sees are "$title" "frame  count     sum      %" "alpha    213  255738  59.2%"
	tmux -S "$T/socket" resize-window -y 2
	sees are "$title" "frame  count  sum  %"
	tmux -S "$T/socket" resize-window -y 1
	sees are "$title"
	keys Enter
	title="cycles [cycles]  callers and callees of alpha" head="caller  count  sum  %"
	sees are "$title"
	tmux -S "$T/socket" resize-window -y 2
	sees are "$title" "$head"
	tmux -S "$T/socket" resize-window -y 3
	sees are "$title" "$head" "${head/caller/callee}"
	tmux -S "$T/socket" resize-window -y 4
	sees are "$title" "$head" "callee  count     sum      %" "[self]    138  165510  64.7%"
	# and rows that do not fit are shown again when there is room
	keys End
	sees are "$title" "$head" "callee  count    sum     %" "gamma      19  22906  9.0%"
	tmux -S "$T/socket" resize-window -y 12
	sees parts 3 4
	keys q
}

@test "nothing to show: no samples, one group, and events without a time" {
	live 100 12 "aftop --every 100ms --last 1s --kind sample pipe"
	feed 0
	sees shows "aftop  last window of 1s  by region"
	sees shows "0 samples, 0/s"
	sees shows "no window is complete yet: it begins with the next samples"
	keys w
	sees like '^  no samples yet (perf record -m 4 hands them on sooner)$'
	keys s r m h Enter Down End p # which do nothing without a table
	sees shows PAUSED
	event sample . one cycles 5 stack=one >&7
	sees shows "1 sample, "
	sees shows "no samples yet"
	keys p
	sees shows "cycles [cycles]  sum of all  by region, 1 group"
	sees like '^one  *1  *5  *100\.0%$'
	[ "$(grep -c '1 groups' "$T/screen")" -eq 0 ]
	keys w
	sees shows "no window is complete yet: it begins with the next samples"
	keys q
	exec 7>&-
}

@test "events that are too late for their window, and losses whose number is not known" {
	live 100 12 "aftop --every 100ms --last 1s pipe"
	feed 0
	event sample 500000000 early cycles 1 >&7
	event sample 1500000000 in cycles 2 >&7
	event sample 2500000000 after cycles 4 >&7
	sees shows "1.0s to 2.0s  by region, 1 group"
	event sample 2000000000 just cycles 8 >&7
	event sample 1999999999 late cycles 16 >&7
	sees shows "5 samples"
	sees shows "  1 too late for their window"
	event lost 5 . . many why=lost >&7
	event lost 5 . cycles 20 why=lost again=7 >&7
	event lost 5 . cycles 20 why=lost again=x >&7
	event lost 5 . cycles 20 again=21 >&7
	sees shows "  53 lost"
	event sample 3000000000 next cycles 32 >&7
	sees shows "2.0s to 3.0s  by region, 2 groups"
	sees like '^after  *1  *4  *33\.3%$'
	sees like '^just  *1  *8  *66\.7%$'
	keys w
	sees shows "sum of all  by region, 6 groups"
	sees hides "too late"
	keys q
	exec 7>&-
}

@test "several messages: the last one is shown" {
	live 100 30 "aftop --every 100ms pipe"
	feed 3
	event sample 1 f cycles many >&7
	event sample 1 f cycles none >&7
	sees like '^3 samples, .* lost, 0/s  pipe:[0-9]*: value "none" is not a number$'
	[ "$(grep -c many "$T/screen")" -eq 0 ]
	keys q
	sees shows 'value "many"'
	sees shows 'value "none"'
	exec 7>&-
}

# parts CALLERS CALLEES: whether the screen shows so many of each.
parts() {
	screen && [ "$(awk '/^caller/ { i = 1 } /^callee/ { i = 2 } NF > 3 && i && !/^call|^Esc/ { n[i]++ }
		END { print n[1] + 0, n[2] + 0 }' "$T/screen")" = "$*" ]
}

@test "callers and callees share the lines of a small terminal, and one gets what the other leaves" {
	local where height callers callees
	live 110 12 "aftop --every 100ms --by frame --sort frame pipe"
	feed 400
	sees shows "400 samples"
	keys p
	# alpha has 3 callers and 4 callees, delta 3 and 1, main 1 and 3
	while read -r where height callers callees; do
		keys Escape
		sees shows "by frame, 5 groups"
		case $where in
		alpha) keys Home Enter ;;
		delta) keys Home Down Down Enter ;;
		main) keys End Enter ;;
		esac
		sees shows "callers and callees of $where"
		tmux -S "$T/socket" resize-window -y "$height"
		sees parts "$callers" "$callees"
	done <<-'END'
		alpha 12 3 4
		alpha 11 3 3
		alpha 10 2 3
		alpha 9 2 2
		alpha 8 1 2
		alpha 7 1 1
		alpha 6 0 1
		delta 9 3 1
		delta 8 2 1
		delta 7 1 1
		main 9 1 3
		main 8 1 2
		main 7 1 1
	END
	exec 7>&-
}

@test "the last window" {
	live 100 30 "aftop --every 100ms --last 1s pipe"
	feed 50
	sees shows "last window of 1s"
	sees like '^  no window is complete yet: 1.0s to 2.0s is next$'
	samples 100 50 >&7
	sees shows "no window is complete yet: 1.0s to 2.0s is being collected"
	samples 200 150 >&7
	sees shows "2.0s to 3.0s"
	awk -F '\t' '$1 == "sample" && $2 >= 2e9 && $2 < 3e9 || $1 != "sample"' "$INPUTS/in" | grep -v '^#' |
		afagg --by region | aftab | sed '1d; /^$/,$d' >"$T/want"
	sees like '^alpha '
	sed '1,2d; /^$/,$d' "$T/screen" >"$T/got"
	same "$T/want" "$T/got"
	keys w
	sees shows "sum of all"
	exec 7>&-
}

@test "the times of a window have the decimals of its size" {
	local size times
	while read -r size times; do
		live 100 30 "aftop --last $size '$INPUTS/in'"
		sees shows "end of the input"
		sees shows "]  $times  by region"
		again
	done <<-'END'
		1s 2.0s to 3.0s
		100ms 3.8s to 3.9s
		250ms 3.50s to 3.75s
		100.25ms 3.80950s to 3.90975s
	END
	live 100 30 "aftop --every 100ms --last 1.125s pipe"
	feed 50
	sees like '^  no window is complete yet: 1\.125s to 2\.250s is next$'
	exec 7>&-
}

@test "a rate in a window is the sum of each second of it, wherever its lines are" {
	{
		run=r event sample 500000000 a m 1
		run=r event sample 2500000000 a m 10 'stack=main;a'
		run=r event sample 2600000000 b m 3 'stack=main;b'
		run=r event sample 2700000000 a m 20 'stack=main;a'
		run=r event sample 4000000000 a m 1
	} >"$T/in"
	live 100 12 "aftop --no-marks --last 2s --stat sum,rate in"
	sees shows "m  2.0s to 4.0s  by region, 2 groups"
	afagg --no-marks --by region --window 2s --stat sum,rate "$T/in" |
		aftab | awk '$2 == "2s" { print $1, $3, $5 }' >"$T/want"
	[ "$(wc -l <"$T/want")" -eq 2 ]
	sed -n 4,5p "$T/screen" | awk '{ print $1, $2, $4 }' >"$T/got"
	same "$T/want" "$T/got"
	again
	# of one line
	sed -i 3,4d "$T/in"
	live 100 12 "aftop --no-marks --last 2s --by frame --stat rate in"
	sees shows "m  2.0s to 4.0s  by frame, 2 groups"
	sees like '^main  *5$'
}

@test "a unit that comes again is that of later windows" {
	local unit
	live 100 12 "aftop --every 100ms --last 1s pipe"
	feed 0
	for unit in ns us ns; do
		event measure . . t . unit=$unit >&7
	done
	event sample 500000000 a t 1 >&7
	event sample 1500000000 b t 2 >&7
	event sample 2500000000 c t 4 >&7
	sees shows "t [ns]  1.0s to 2.0s  by region, 1 group"
	keys q
	exec 7>&-
}

@test "the key w says at once which window it collects" {
	live 100 30 "aftop --every 60s pipe"
	feed 150
	keys w
	sees shows "last window of 5s"
	sees shows "no window is complete yet: it begins with the next samples"
	grep 'samples, 0/s' "$T/screen" >"$T/rates"
	samples 10 150 >&7
	keys w w
	sees shows "no window is complete yet: 5.0s to 10.0s is next"
	# but the rates are those of whole minutes
	grep '/s' "$T/screen" | same "$T/rates" -
	exec 7>&-
}

@test "no window can be complete after the end of the input" {
	live 100 30 "aftop --every 100ms --last 1s pipe"
	feed 50
	sees like '^  no window is complete yet: 1.0s to 2.0s is next$'
	exec 7>&-
	sees like '^  no window was complete before the end of the input$'
	keys w
	sees shows "sum of all"
	keys w
	sees like '^  no window was complete before the end of the input$'
	keys q
}

@test "the key w after the end of the input: nobody has collected windows" {
	live 100 12 "aftop '$INPUTS/in'"
	sees shows "end of the input"
	keys w
	sees like '^  no window was collected: --last, or the key w before the end, begins with it$'
	keys w
	sees shows "sum of all"
	again
	live 100 12 "aftop --last 1.5s '$INPUTS/in'"
	sees shows "1.5s to 3.0s"
	# and lines without a time are in none
	again
	event sample . f m 1 >"$T/in"
	live 100 12 "aftop --no-marks --last 1s in"
	sees shows "end of the input  1 sample  0 lost  1 without a time"
	sees like '^  no window: no sample has a time$'
}

@test "the size of the terminal changes" {
	local i
	live 100 30 "aftop --every 100ms pipe"
	feed 400
	sees shows "400 samples"
	tmux -S "$T/socket" resize-window -x 40 -y 10
	sees hides "units"
	sees shows "q quit"
	[ "$(wc -l <"$T/screen")" -eq 10 ]
	sees like '^alpha .*%$'
	tmux -S "$T/socket" resize-window -x 300 -y 80
	sees shows "units"
	sees like '^alpha .*%$'
	tmux -S "$T/socket" resize-window -x 3 -y 2
	samples 100 400 >&7
	tmux -S "$T/socket" resize-window -x 80 -y 8
	sees shows "500 samples"
	# the last row stays the last one as the screen grows, and no line is empty before all are there
	for ((i = 1; i <= 20; i++)); do
		event sample 1 "f$i" cycles $((100 - i))
	done >&7
	sees shows "24 groups"
	keys End
	sees like '^f20 '
	tmux -S "$T/socket" resize-window -x 80 -y 14
	sees like '^f11 '
	sees like '^f20 '
	hides 'f10 '
	tmux -S "$T/socket" resize-window -x 80 -y 30
	sees like '^alpha '
	sees like '^f20 '
	exec 7>&-
}

# has_lines N: whether the terminal of the program has so many lines, as the program is told.
has_lines() {
	[ "$(stty size <"$(tmux -S "$T/socket" display-message -p -t 0 '#{pane_tty}')")" = "$1 100" ]
}

@test "the size of the terminal changes, and back before anybody looks" {
	live 100 12 "bash -c 'echo \$\$ >pid; exec aftop --every 100ms pipe'"
	feed 400
	sees like '^gamma '
	kill -STOP "$(cat "$T/pid")"
	tmux -S "$T/socket" resize-window -y 2
	soon has_lines 2
	tmux -S "$T/socket" resize-window -y 12
	soon has_lines 12
	hides gamma
	kill -CONT "$(cat "$T/pid")"
	sees like '^gamma '
	shows "cycles [cycles]  sum of all  by region, 4 groups"
	keys q
	exec 7>&-
}

@test "names are cut as far as the other columns need" {
	live 60 10 "aftop --every 100ms --by cpu,region pipe"
	exec 7>"$T/pipe"
	{
		printf '#afstream\t1\ttest\tmade\n'
		printf 'sample\t1\t.\t%s\tm\t%d\tcpu=1\n' "$(printf %s {a..z} {a..z})" 1000000000000000 b 2000000000000000
	} >&7
	# wider than the column of numbers, which is wider than the processor's
	sees like '^abcdefghij\.\.\.qrstuvwxyz  1        1  1000000000000000  33\.3%$'
	tmux -S "$T/socket" resize-window -x 45 -y 10
	sees like '^abc\.\.\.yz  1        1  1000000000000000  33\.3%$'
	sees like '^b         1        1  2000000000000000  66\.7%$'
	exec 7>&-
}

# producer FILE: a program that writes samples until SIGINT, and then ends its stream.
producer() {
	{
		cat <<-'EOF'
			trap 'printf "#end\ttest\tmade\t0\tcomplete\n"; exit' INT
		EOF
		printf 'cat start\nn=0\n'
		cat <<-'EOF'
			while :; do
				n=$((n + 1))
				printf 'sample\t%d\t0x1\tlater\tcycles\t1\n' "$n"
				sleep 0.02
			done
		EOF
	} >"$1"
	stream 100 >"$T/start"
}

@test "Ctrl-C: the producer ends its stream, and the final table is whole" {
	producer "$T/producer"
	live 100 30 "bash producer | aftop --every 100ms"
	sees like '^later '
	keys C-c
	sees shows "status 0"
	restored
	sees hides "NOT THE WHOLE"
	sees like '^later '
}

@test "a second Ctrl-C kills, and the terminal is as it was" {
	live 100 30 "bash -c 'trap \"\" INT; cat pipe' | aftop --every 100ms"
	feed 400
	sees shows "400 samples"
	keys C-c
	sees shows "again: kill"
	keys C-c
	sees hides "400 samples"
	exec 7>&-
	sees shows "status 130"
	restored
}

@test "a producer that is killed: status 1, and the table says so" {
	live 100 30 "aftop --every 100ms pipe"
	feed 400
	sees shows "400 samples"
	exec 7>&-
	sees shows "end of the input"
	sees shows "no end mark of test"
	keys q
	sees shows "status 1"
	sees shows "no end mark of test"
	sees shows "NOT THE WHOLE INPUT: it was incomplete or damaged, or the program was interrupted"
	sees like '^alpha '
	restored
}

@test "doubtful input is not incomplete, even if it is an error" {
	aftop --measure cycles "$INPUTS/in" "$INPUTS/in" >"$T/want" 2>/dev/null
	live 200 30 "aftop --strict --quit-at-end --measure cycles '$INPUTS/in' '$INPUTS/in'"
	sees shows "status 1"
	grep -q 'run 0x1 also came from another source' "$T/screen"
	sed '1d; /^status 1$/,$d' "$T/screen" >"$T/got"
	same "$T/want" "$T/got"
}

@test "q ends at once" {
	live 100 30 "aftop --every 100ms pipe"
	feed 400
	sees shows "400 samples"
	keys q
	sees shows "status 1"
	sees shows "NOT THE WHOLE INPUT: quit with the key q"
	sees like '^alpha '
	restored
	exec 7>&-
}

@test "the final table has the width of names that was wanted, whatever the screen had room for" {
	local width name
	name=begins_$(printf 'x%.0s' {1..90})_ends
	for width in 48 20; do
		live 150 30 "aftop --every 100ms $([ $width -eq 48 ] || echo "--width $width") pipe"
		feed 100
		printf 'sample\t5\t0x1\t%s\tcycles\t5\n' "$name" >&7
		sees shows "$name"
		keys q
		sees shows "status 1"
		restored
		printf 'sample\t5\t0x1\t%s\tcycles\t5\n' "$name" | afagg --no-marks --by region |
			aftab --no-marks --width $width | tail -n 1 | cut -d ' ' -f 1 >"$T/want"
		[ "$(tr -d '\n' <"$T/want" | wc -c)" -eq $width ]
		grep '^begins_' "$T/screen" | cut -d ' ' -f 1 >"$T/got"
		same "$T/want" "$T/got"
		exec 7>&-
		again
	done
}

@test "the final tables fit the terminal" {
	local height rows
	for height in 17:3 14:2 11:1 5:1; do
		rows=${height#*:} height=${height%:*}
		live 100 "$height" "aftop --quit-at-end --every 100ms pipe"
		feed 400
		end >&7
		exec 7>&-
		restored
		screen -S - # with what has scrolled away
		sed '/^status 0$/,$d' "$T/screen" >"$T/got"
		afagg --by region "$INPUTS/in" | aftab --top "$rows" >"$T/want"
		same "$T/want" "$T/got"
		again
	done
}

@test "hostile names" {
	local esc
	esc=$(printf '\033')
	export LC_ALL=C.UTF-8
	live 80 20 "aftop --every 100ms pipe"
	exec 7>"$T/pipe"
	printf '#afstream\t1\ttest\tmade\n' >&7
	printf 'sample\t1\t0x1\t%s\tm\t%d\n' 'red\x1b[31m' 6 'line\nbreak' 5 'tab\tx' 4 'ok' 3 >&7
	printf 'sample\t1\t0x1\t日本語日本語\tm\t2\nsample\t1\t0x1\té\u0301\u0301x\tm\t1\n' >&7
	printf 'sample\t1\t0x1\t%s\tm\t1\n' "$(printf 'a%.0s' {1..3000})" '%s%n%d' >&7
	sees shows "8 samples"
	sees like '^red\\x1b\[31m .* 1  *6  *[0-9.]*%$'
	sees like '^line\\nbreak '
	sees like '^aaa.*\.\.\.aaa* *1  *1  *[0-9.]*%$'
	sees like '^%s%n%d '
	sees like '^日本語日本語 .* 1  *2  *[0-9.]*%$'
	[ "$(grep -c "$esc" "$T/screen")" -eq 0 ]
	# what follows an accent that is a character of its own is where it would be without
	keys / e $'\xcc\x81' x
	sees foot $'filter: e\xcc\x81x   Enter: keep it  Esc: no filter'
	# the filter is at most 64 bytes, and has no half characters
	keys Escape / "$(printf 'z%.0s' {1..62})" 日 $'\xcc\x81' é
	sees foot "filter: $(printf 'z%.0s' {1..62})"$'\xcc\x81   Enter:'
	keys BSpace 日 é y x y
	sees foot "filter: $(printf 'z%.0s' {1..62})é   Enter:"
	exec 7>&-
}

@test "names with wide characters have the columns that they take, or are cut as others" {
	export LC_ALL=C.UTF-8
	{
		event sample 1 r m 8 'comm=日本語' 'thing=x'
		event sample 1 r m 4 'comm=日本人' 'thing=日本語日本語日本人'
		event sample 1 r m 2 $'comm=e\xcc\x81' 'thing=.'
	} >"$T/in"
	live 80 8 "aftop --no-marks --by comm,thing in"
	sees shows "end of the input"
	sees are "m  sum of all  by comm,thing, 3 groups" "end of the input  3 samples  0 lost" \
		"comm    thing               count  sum      %" \
		"日本語  x                       1    8  57.1%" \
		"日本人  日本語日本語日本人      1    4  28.6%" \
		$'e\xcc\x81       .                       1    2  14.3%' "" \
		"q quit  p pause  / filter  s sort  r reverse  w window  m measure  h units"
	tmux -S "$T/socket" resize-window -x 40
	sees like '^日本人  日本語\.\.\.本人 *1    4  28.6%$'
	tmux -S "$T/socket" resize-window -x 10
	sees like '^\.\.\. '
}

@test "names on a terminal without UTF-8, and keys of the command line" {
	event sample 1 日本x m 4 'c=d' >"$T/in"
	event sample 1 $'\xcc\x81y' m 2 'c=d' >>"$T/in"
	live 80 8 "LC_ALL=C aftop --no-marks --by $'region,a\x07b\x7fc?' in"
	sees shows "end of the input"
	sees are "m  sum of all  by region,a?b?c?, 2 groups" "end of the input  2 samples  0 lost" \
		"region  a\\x07b\\x7fc  count  sum      %" \
		"??x     .                1    4  66.7%" "?y      .                1    2  33.3%" "" "" \
		"q quit  p pause  / filter  s sort  r reverse  Enter callers  w window  m measure"
	again
	live 80 8 "LC_ALL=C.UTF-8 aftop --no-marks in"
	sees shows "end of the input"
	sees like '^日本x .* 1  *4  *66\.7%$'
	sees like '^y .* 1  *2  *33\.3%$' # an accent has nothing to be put on
}

# marked NAME: whether the row is marked on a terminal without colors.
marked() {
	screen -e && grep -q "^$(printf '\033')\[7m$1 " "$T/screen"
}

@test "a terminal without colors" {
	live 80 8 "TERM=vt100 aftop '$INPUTS/in'"
	sees shows "end of the input"
	keys Down
	sees marked beta
	sed 's/\x1b\[39m\x1b\[49m//g; s/\x1b\[\([0-9;]*\)m/{\1}/g; 8s/ units.*//' "$T/screen" >"$T/got"
	cat >"$T/want" <<-'END'
		{1}cycles [cycles]{0}  sum of all  by region, 4 groups
		{1}end of the input  {0}400 samples  0 lost
		{1;4}region  count     {0;1;7}sum{0;1;4}      %
		{0}alpha     138  165510  38.3%
		{7}beta      110  131844  30.5%
		{0}delta      56   67323  15.6%
		gamma      56   67323  15.6%
		{7}q{0} quit  {7}p{0} pause  {7}/{0} filter  {7}s{0} sort  {7}r{0} reverse  {7}Enter{0} callers  {7}w{0} window  {7}m{0} measure
	END
	same "$T/want" "$T/got"
}

# bats test_tags=slow
@test "callers of callers: as many as it remembers, and all the way back" {
	event sample 1 b m 1 'stack=a;b' >"$T/in"
	live 80 12 "aftop --no-marks in"
	sees shows "end of the input"
	keys Enter
	sees shows "callers and callees of b"
	for _ in {1..16}; do
		keys Home Enter End Enter # the last of these 33 does nothing
	done
	sees shows "callers and callees of a"
	for _ in {1..31}; do
		keys BSpace
	done
	sees shows "callers and callees of b"
	keys BSpace
	sees shows "by region, 1 group"
}

@test "a message does not disturb the table, and is printed after it" {
	live 100 30 "aftop --every 100ms pipe"
	feed 100
	printf 'sample\t1\t0x1\tx\tcycles\tmany\tpid=1\n' >&7
	samples 300 100 >&7
	sees shows "400 samples"
	sees shows 'value "many" is not a number'
	[ "$(grep -c '^aftop:' "$T/screen")" -eq 0 ]
	end >&7
	exec 7>&-
	sees shows "end of the input"
	keys q
	sees shows "status 1"
	sees shows 'aftop: pipe:105: value "many" is not a number'
}

@test "a signal that kills the program leaves the terminal as it was" {
	local signal
	for signal in TERM HUP QUIT USR1 ABRT XCPU XFSZ; do
		rm -f "$T/pipe"
		live 100 30 "bash -c 'echo \$\$ >pid; exec aftop --every 100ms pipe'"
		feed 400
		sees shows "400 samples"
		kill -"$signal" "$(cat "$T/pid")"
		restored
		[ "$(grep -c '400 samples' "$T/screen")" -eq 0 ]
		exec 7>&-
		leave
		rm -f "$T/pid"
	done
}

@test "Ctrl-Z suspends, fg continues, and the stream is whole" {
	need tmux
	cd "$T"
	mkfifo pipe
	tmux -S "$T/socket" -f /dev/null -u new-session -d -x 100 -y 30 "PS1='>> ' exec bash --norc --noprofile"
	sees shows ">>"
	keys "stty -a >before; aftop --every 100ms pipe" Enter
	feed 100
	sees shows "100 samples"
	keys C-z
	sees shows Stopped
	soon is_left
	keys "stty -a >after; cmp before after && echo rest''ored" Enter
	sees shows restored
	keys fg Enter
	sees shows "100 samples"
	samples 300 100 >&7
	sees shows "400 samples"
	# in the background it reads on, and leaves the terminal alone
	keys C-z
	soon is_left
	keys bg Enter
	samples 20000 400 >&7 &
	soon has_ended $!
	is_left
	keys fg Enter
	sees shows "20400 samples"
	end >&7
	exec 7>&-
	sees shows "end of the input"
	keys q
	sees shows "cycles [cycles]: 4 groups"
	keys 'echo stat''us $?' Enter
	sees shows "status 0"
}

@test "a terminal whose size changes while it is not ours" {
	need tmux
	cd "$T"
	tmux -S "$T/socket" -f /dev/null -u new-session -d -x 100 -y 30 "PS1='>> ' exec bash --norc --noprofile"
	sees shows ">>"
	keys "aftop '$INPUTS/in'" Enter
	sees shows "end of the input"
	keys C-z
	sees shows Stopped
	tmux -S "$T/socket" resize-window -x 60 -y 8
	keys fg Enter
	sees foot "q quit  p pause  / filter  s sort  r reverse  Enter callers"
	sees first_is alpha
	screen
	[ "$(head -n 1 "$T/screen")" = "cycles [cycles]  sum of all  by region, 4 groups" ]
	keys q
}

# bats test_tags=slow
@test "memory runs out while a terminal shows the table: the final one is whole, or status 3" {
	local k n status table=$T/table
	helpers nomem.so || skip "no preloading here"
	# typed K: the K-th allocation fails, while keys choose rows, callers, callers of these, the
	# last window, the measure, a filter, the order, and units
	typed() {
		status=0
		# shellcheck disable=SC2016 # for that shell
		printf 'jj\r\rjw\033m/al\rsrr\033uq' | TERM=xterm timeout 60 python3 "$ROOT/t/tools/terminal.py" --all \
			sh -c 'stty -echo; exec env LD_PRELOAD="$0" "$@"' "$HELPERS/nomem.so" NOMEM_FD=9 "NOMEM=$1" \
			"$(command -v aftop)" "$INPUTS/in" >"$T/drawn" 9<>"$T/allocations" || status=$?
		tr -d '\r' <"$T/drawn" >"$T/shown"
	}
	truncate -s 8 "$T/allocations"
	typed 0
	[ "$status" -eq 0 ]
	n=$(od -A n -t d8 "$T/allocations")
	[ "$n" -gt 500 ]
	aftop "$INPUTS/in" >"$table"
	for ((k = 1; k < n; k += 13)); do
		typed $k
		case $status in
		0) [[ $(<"$T/shown") == *"$(<"$table")"* ]] || fail "$k: $(cat -v "$T/shown")" ;;
		3) grep -q 'out of memory' "$T/shown" || fail "$k: $(cat -v "$T/shown")" ;;
		*) fail "$k: status $status: $(cat -v "$T/shown")" ;;
		esac
	done
}

@test "too little of the system: the final table only" {
	aftop "$INPUTS/in" >"$T/want"
	# shellcheck disable=SC2016 # for the shell of the terminal
	live 100 90 'for n in 5 6 7 8; do (ulimit -n $n; aftop '"'$INPUTS/in'"'); done 2>&1'
	sees shows "status 0"
	restored
	sed '/^status 0$/,$d' "$T/screen" >"$T/got"
	for _ in 1 2 3 4; do
		cat "$T/want"
	done | same - "$T/got"
	again
	# memory for a small terminal is not enough for a large one
	live 80 8 "aftop --max-memory 1M '$INPUTS/in'"
	sees shows "end of the input"
	again
	live 300 80 "aftop --max-memory 1M '$INPUTS/in'"
	sees shows "status 0"
	restored
	sed '/^status 0$/,$d' "$T/screen" >"$T/got"
	same "$T/want" "$T/got"
}

@test "a terminal that cannot show a table, in the foreground at last" {
	need tmux
	cd "$T"
	mkfifo pipe
	tmux -S "$T/socket" -f /dev/null -u new-session -d -x 100 -y 30 "PS1='>> ' exec bash --norc --noprofile"
	sees shows ">>"
	keys "TERM=dumb aftop pipe & sleep 0.2; fg" Enter
	exec 7>pipe
	{
		stream 400
		end
	} >&7
	exec 7>&-
	sees shows "faults: 4 groups"
}

@test "rows of the final table: as many as wanted, whatever the terminal has room for" {
	live 100 30 "aftop --quit-at-end --top 2 '$INPUTS/in'"
	sees shows "status 0"
	restored
	sed '/^status 0$/,$d' "$T/screen" >"$T/got"
	aftop --top 2 "$INPUTS/in" >"$T/want"
	same "$T/want" "$T/got"
}

@test "too many stacks or groups for the memory: which tables there are, and that all is counted" {
	{
		printf '#afstream\t1\ttest\tmade\n'
		awk 'BEGIN { OFS = "\t"; for (i = 0; i < 20000; i++) print "sample", i, "0x1", "f" i % 3, "m", 1, "stack=main;g" i }'
		printf '#end\ttest\tmade\t20000\tcomplete\n'
	} >"$T/in"
	live 100 10 "aftop --max-memory 4M in"
	sees shows "end of the input  20000 samples"
	sees like '^f0  *6667  *6667  *33\.3%$'
	keys Enter
	sees are "aftop  callers and callees of f0" "end of the input  20000 samples  0 lost" "" "" \
		"  too many stacks: callers and callees are not known" "" "" "" "" \
		"Esc back  q quit  p pause  / filter  s sort  r reverse  w window  m measure  h units"
	keys q
	sees shows "status 0"
	sees like '^f0  *6667  *6667  *33\.3%$'
	again
	live 100 10 "aftop --by stack --max-memory 4M in"
	sees are "aftop  sum of all  by stack" "end of the input  20000 samples  0 lost" "" "" \
		"  groups have been moved to disk" "" "" "" "" \
		"q quit  p pause  / filter  s sort  r reverse  w window  m measure  h units"
	keys q
	sees shows "status 1"
	again
	# a stack whose value is no number has no sum
	event sample 1 f m 5 'stack=main;f' >"$T/in"
	event sample 1 f m text 'stack=main;f' >>"$T/in"
	live 100 10 "aftop --no-marks --stat count in"
	sees like '^f  *2  *100\.0%$'
	keys Enter
	sees shows "end of the input  2 samples  0 lost  1 sample is not in these tables"
	sees like '^main  *1  *5  *100\.0%$'
}

@test "begun in the background, and stopped by others" {
	need tmux
	cd "$T"
	mkfifo pipe
	tmux -S "$T/socket" -f /dev/null -u new-session -d -x 100 -y 30 "PS1='>> ' exec bash --norc --noprofile"
	sees shows ">>"
	keys "aftop --every 100ms pipe & echo \$! >pid" Enter
	exec 7<>pipe # which does not wait
	stream 20000 >&7 &
	soon has_ended $!
	is_left
	keys fg Enter
	sees shows "20000 samples"
	kill -STOP "$(cat pid)"
	sees shows Stopped
	keys bg Enter
	end >&7
	exec 7>&-
	soon has_ended "$(cat pid)"
	sees shows "cycles [cycles]: 4 groups"
}

@test "a terminal that has one screen only: the final table is not written over the keys" {
	live 100 9 "TERM=linux aftop --measure cycles --top 2 '$INPUTS/in'"
	sees shows "end of the input"
	keys q
	sees shows "terminal restored"
	aftop --measure cycles --top 2 "$INPUTS/in" >"$T/want"
	sed -n '/^cycles/,/^status/p' "$T/screen" | sed '$d' >"$T/got"
	same "$T/want" "$T/got"
}

@test "no terminal for keys, or an unknown one: the final table only" {
	live 100 30 "TERM=dumb aftop '$INPUTS/in'; TERM=unheard-of aftop '$INPUTS/in'; setsid -w aftop '$INPUTS/in'"
	sees shows "status 0"
	screen -S -
	[ "$(grep -c '^alpha' "$T/screen")" -eq 6 ]
}

# bats test_tags=slow,sanitize
@test "a terminal that stops reading does not stop the pipe, and gets whole screens afterwards" {
	need python3
	python3 - >"$T/seen" <<-'EOF'
	import fcntl, os, pty, select, struct, sys, termios, time

	stream, feed = os.pipe()
	pid, screen = pty.fork()
	if pid == 0:
	    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 150, 250, 0, 0))
	    os.close(feed)
	    os.dup2(stream, 0)
	    os.environ["TERM"] = "xterm"
	    os.execvp("aftop", ["aftop", "--quit-at-end", "--every", "100ms", "--by", "region,comm", "--width", "200"])
	os.close(stream)
	os.set_blocking(feed, False)

	def wait(fd, how, text):
	    reading, writing = ([fd], []) if how == "read" else ([], [fd])
	    if select.select(reading, writing, [], 20) == ([], [], []):
	        os.kill(pid, 9)
	        sys.exit("stalled: " + text)

	def put(text):
	    data = text.encode()
	    while data:
	        wait(feed, "write", "aftop reads no more of the stream")
	        data = data[os.write(feed, data[:4096]):]

	def get(text, seen=b""):
	    while text.encode() not in seen:
	        wait(screen, "read", "the terminal does not show " + text)
	        try:
	            seen = seen[-len(text):] + os.read(screen, 65536)
	        except OSError:
	            sys.exit("not shown: " + text)

	def samples(first, n):
	    for i in range(first, first + n):
	        put("".join("sample\t%d\t0x1\tf%d\tm\t%d\tcomm=%s\n" % (i, k, (i + 1) * (k + 1), (chr(97 + i % 26) + str(k)) * 40)
	            for k in range(150)))

	put("#afstream\t1\ttest\tmade\n")
	samples(0, 1)
	get("150 samples")
	# nothing reads the terminal: dozens of screens, each with other rows, do not fit into it
	begun = time.monotonic()
	n = 1
	while time.monotonic() < begun + 5:
	    samples(n, 20)
	    n += 20
	# now something does, and sees all; of a number that changes only the last digits are drawn
	# anew, so a terminal of another size makes sure that it is seen whole
	count = "%d samples" % (n * 150)
	seen, rows = b"", 150
	begun = time.monotonic()
	while count.encode() not in seen:
	    if time.monotonic() > begun + 30:
	        sys.exit("not shown: " + count)
	    if select.select([screen], [], [], 0.5)[0]:
	        seen = (seen + os.read(screen, 65536))[-200000:]
	    else:
	        rows = 299 - rows
	        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 250, 0, 0))
	put("#end\ttest\tmade\t%d\tcomplete\n" % (n * 150))
	os.close(feed)
	get("m: ")
	while True:
	    try:
	        rest = os.read(screen, 65536)
	    except OSError:
	        break
	    if not rest:
	        break
	print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	EOF
	[ "$(cat "$T/seen")" = "status 0" ]
}
