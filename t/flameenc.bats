# SPDX-License-Identifier: ISC
# flameenc.bats - flame graphs: the data of the page, the picture, and what they say of themselves.
# t/apps/flameenc.bats looks at the page in a browser.

load lib

setup() {
	cd "$T" || return
}

# dumped [SIDE]: the data of the page that flameenc wrote last, as text in $T/dump.
dumped() {
	python3 "$ROOT/t/tools/flamedump.py" "$T/out" "$@" >"$T/dump"
}

# panel_is LINE...: the dump has these lines, and then only notes.
panel_is() {
	: >"$T/want"
	[ $# -eq 0 ] || printf '%s\n' "$@" >"$T/want"
	grep -v '^note: ' "$T/dump" >"$T/got" || :
	same "$T/want" "$T/got"
}

# notes TEXT...: the page has these notes, and no others.
notes() {
	: >"$T/want"
	[ $# -eq 0 ] || printf 'note: %s\n' "$@" >"$T/want"
	grep '^note: ' "$T/dump" >"$T/got" || :
	same "$T/want" "$T/got"
}

# bats test_tags=quick
@test "stacks become a tree, with each weight in all its digits" {
	need python3
	{
		event sample 1 c cycles 5 comm=job 'stack=main;b;c'
		event sample 1 a cycles 1 comm=job 'stack=main;a'
		event sample 1 c cycles 7 comm=job 'stack=main;b;c'
		event sample 1 main cycles 2 comm=job 'stack=main'
		event sample 1 a cycles 340282366920938463463374607431768211455 comm=other 'stack=main;a'
		event sample 1 a cycles 1 comm=other 'stack=main;a'
		event sample 1 x cycles 0.1 'stack=main b'
		event sample 1 x cycles 0.2 'stack=main b'
		event sample 1 x cycles 4 'stack=main 7'
		event sample 1 x cycles 4 'stack=main 7;x'
	} >in
	want_status 0 flameenc in
	silent
	dumped
	panel_is '# cycles .' 'job;main 2' 'job;main;a 1' 'job;main;b;c 12' 'main 7 4' 'main 7;x 4' \
		'main b 0.30000000000000004' 'other;main;a 340282366920938463463374607431768211456'
	notes
	# one node for "main 7", as itself and as a caller
	[ "$(grep -o '"main 7"' out | wc -l)" -eq 1 ]
	want_status 0 flameenc --root . --count in
	dumped
	panel_is '# cycles .' 'main 1' 'main 7 1' 'main 7;x 1' 'main b 2' 'main;a 3' 'main;b;c 2'
}

@test "the object of a function, unless it is in several" {
	need python3
	{
		for dso in x y z z; do event sample 1 a cycles 1 'stack=main;a' "dso=$dso"; done
		for dso in z z .; do event sample 1 b cycles 1 'stack=main;b' "dso=$dso"; done
		for dso in . .; do event sample 1 c cycles 1 'stack=main;c' "dso=$dso"; done
		for dso in . x; do event sample 1 d cycles 1 'stack=main;d' "dso=$dso"; done
		event sample 1 e cycles 1 'stack=main;e'
	} >in
	want_status 0 flameenc in
	dumped o
	panel_is '# cycles .' 'main;a -1' 'main;b z' 'main;d x'
}

@test "the object of a function on two sides" {
	need python3
	for dso in x y z; do
		event sample 1 a cycles 1 'stack=main;a' dso=x
		event sample 1 "$dso" cycles 1 "stack=main;$dso" "dso=$dso"
	done >in
	{
		event sample 1 a cycles 1 'stack=main;a' dso=x
		event sample 1 x cycles 1 'stack=main;x' dso=y
		event sample 1 y cycles 1 'stack=main;y'
		event sample 1 b cycles 1 'stack=main;b' dso=x
	} >new
	want_status 0 flameenc --before in -- new
	dumped o
	panel_is '# cycles .' 'main;a x' 'main;b x' 'main;x -1' 'main;y y' 'main;z z'
}

@test "the same stacks and weights as foldenc, for random streams" {
	need python3
	python3 - <<-'END'
		import random
		random.seed(7)
		names = ["f%d" % i for i in range(30)] + ["a b", "a", "a\\x3bb", "z\\\\", "é", ".x", "a;"[0] + "!", "a-", "\\."]
		for k in range(3):
		    with open("in%d" % k, "w") as f:
		        for i in range(3000):
		            stack = [random.choice(names) for _ in range(random.choice([1, 2, 3, 5, 40]))]
		            value = random.choice(["1", "%d" % random.randrange(10**6), "%.3f" % random.random(), "1e22", "9" * 30, "0"])
		            f.write("sample\t%d\t0x1\t%s\tm\t%s\tcomm=c%d\tstack=%s\n" % (i, stack[-1], value, i % 3, ";".join(stack)))
	END
	for k in 0 1 2; do
		want_status 0 flameenc in$k
		dumped
		# foldenc spells a blank before a last number in its own way; none is here
		foldenc in$k | grep -v ' 0$' | LC_ALL=C sort >want
		sed 1d dump | LC_ALL=C sort >got
		[ "$(wc -l <got)" -gt 1000 ]
		same want got
	done
}

@test "each measure and each unit has a graph of its own, or all of one unit have one" {
	need python3
	{
		event sample 1 f t 1 unit=s
		event sample 1 f t 7 unit=ms
		event sample 1 g u 2 unit=s
		event sample 1 f t 4
		event span 1 f inclusive 100 unit=s start=0
		event span 1 f u.delta 100 unit=s start=0
	} >in
	want_status 0 flameenc in
	dumped
	panel_is '# t s' 'f 1' '# t ms' 'f 7' '# u s' 'g 2' '# t .' 'f 4'
	notes 'left out lines of other measures (see --measure, --add-measures): 2, inclusive [s];u.delta [s]' \
		'no line has a stack, so its region is its only frame (perf record -g, without afagg): 4'
	said 'flameenc: left out lines of other measures (see --measure, --add-measures): 2, inclusive [s];u.delta [s]' \
		'flameenc: no line has a stack, so its region is its only frame (perf record -g, without afagg): 4'
	want_status 0 flameenc --add-measures in
	dumped
	panel_is '# . s' 'f 1' 'g 2' '# . ms' 'f 7' '# . .' 'f 4'
	want_status 0 flameenc --measure t in
	dumped
	panel_is '# t s' 'f 1' '# t ms' 'f 7' '# t .' 'f 4'
	want_status 0 flameenc --measure inclusive in
	dumped
	panel_is '# inclusive s' 'f 100'
	want_status 1 flameenc --measure none in
	said 'flameenc: no line has a value of the measure none'
	[ ! -s out ]
	# with two sides, one of them may lack it
	event sample 1 a none 5 >other
	want_status 1 flameenc --measure none --before in in
	said 'flameenc: no line has a value of the measure none'
	[ ! -s out ]
	want_status 0 flameenc --measure none --before in other
	want_status 0 flameenc --measure none --before other in
}

@test "measures beyond the limit are counted" {
	need python3
	for ((i = 0; i < 70; i++)); do
		event sample 1 f "m$i" 1 stack=f
		event sample 1 f "m$i" 2 stack=f
	done >in
	want_status 0 flameenc in
	dumped
	[ "$(grep -c '^# ' dump)" -eq 64 ]
	[ "$(grep -c '^f 3$' dump)" -eq 64 ]
	said 'left out lines of other measures (see --measure, --add-measures): 12, m64;m65;m66;m67;m68;m69'
}

@test "results of afagg give the same graph as the events" {
	need python3
	{
		event sample 1 c cycles 5 'stack=main;b;c'
		event sample 1 a cycles 1 'stack=main;a'
		event sample 1 c cycles 7 'stack=main;b;c'
	} >events
	afagg --by stack --stat sum,count events >in
	want_status 0 flameenc in
	dumped
	panel_is '# cycles .' 'main;a 1' 'main;b;c 12'
	afagg --by frame events >in
	want_status 1 flameenc in
	said 'the groups overlap (total=), so they cannot be added up'
	dumped
	grep -q '^note: the input is incomplete or damaged, .*: the groups overlap' dump
}

@test "two streams: stacks are matched by their text" {
	need python3
	{
		event sample 1 a cycles 3 'stack=main;a'
		event sample 1 b cycles 4 'stack=main;b'
		event sample 1 a loads 9 'stack=main;a'
	} >one
	{
		event sample 1 a cycles 5 'stack=main;a'
		event sample 1 c cycles 6 'stack=main;c'
		event lost 1 . . 3
	} >two
	want_status 0 flameenc --before one two
	said 'flameenc: the source lost events: the weights are too small'
	dumped
	panel_is '# cycles .' 'main;a 5' 'main;c 6' '# loads .'
	notes 'not compared, since only one side has it: loads (before)' \
		'after: left out lines of other kinds (see --kind): 1 lost' \
		'after: the source lost events: the weights are too small'
	dumped b
	panel_is '# cycles .' 'main;a 3' 'main;b 4' '# loads .' 'main;a 9'
	want_status 0 sh -c 'flameenc --before one --before one two'
	dumped b
	panel_is '# cycles .' 'main;a 6' 'main;b 8' '# loads .' 'main;a 18'
	sed '$d' two >three
	want_status 0 flameenc --svg --before one three
	grep -q 'before: 7; red: a larger share than before' out
}

@test "two streams: the picture is the redder, or the bluer, the larger the change of the share" {
	need python3
	{
		event sample 1 a cycles 1 'stack=same'
		event sample 1 a cycles 1 'stack=more'
		event sample 1 a cycles 4 'stack=less'
		event sample 1 a cycles 2 'stack=gone'
	} >one
	{
		event sample 1 a cycles 2 'stack=same' # of 16, not of 8
		event sample 1 a cycles 8 'stack=more'
		event sample 1 a cycles 2 'stack=less'
		event sample 1 a cycles 4 'stack=new'
	} >two
	# by the square root of the change, as a part of the larger share: 0, 3/4, 3/4 and 1
	want_status 0 flameenc --svg --before one two
	sed -n 's/.*fill="\(rgb[^"]*\)"\/><title>\([a-z]*\),.*/\2 \1/p' out | sort | same - <(
		echo 'less rgb(106,162,247)'
		echo 'more rgb(231,106,97)'
		echo 'new rgb(230,85,75)'
		echo 'same rgb(240,240,240)'
	)
}

@test "two streams that give a measure in different units: a note, here and in the page" {
	need python3
	event sample 1 a m 3 'stack=a' unit=ms >one
	event sample 1 a m 5 'stack=a' unit=ns >two
	want_status 0 flameenc --before one two
	echo 'flameenc: before and after give m in different units, so it is not compared' >want
	same want err
	dumped
	notes 'before and after give m in different units, so it is not compared'
	want_status 0 flameenc --root . --before one two
	said 'flameenc: before and after give m in different units, so it is not compared'
	# with the same unit besides, that is compared
	cat one two >both
	want_status 0 flameenc --before one both
	echo 'flameenc: not compared, since only one side has it: m [ns] (after)' >want
	same want err
}

@test "two streams with different measures: a note, here and in the page" {
	local key text
	need python3
	event sample 1 a clock:ppp 3 'stack=main;a' comm=old unit=ns >one
	{
		event sample 1 a faults 5 'stack=main;a' comm=new
		event sample 1 a clock 5 'stack=main;a' comm=new unit=ns
	} >two
	for key in comm .; do
		want_status 0 flameenc --root $key --before one two
		text='not compared, since only one side has it: clock:ppp [ns] (before), faults;clock [ns] (after)'
		echo "flameenc: $text" >want
		same want err
		dumped
		notes "$text"
	done
	# roots matter where there is something to compare
	event sample 1 a faults 3 'stack=main;a' comm=old >>one
	want_status 0 flameenc --before one two
	said 'flameenc: before and after share no root, so all functions differ; --root . leaves roots out'
	want_status 0 flameenc --root . --before one two
	echo 'flameenc: not compared, since only one side has it: clock:ppp [ns] (before), clock [ns] (after)' >want
	same want err
	want_status 0 flameenc --root . --measure faults --before one two
	said 'left out lines of other measures'
	[ "$(grep -c 'not compared' err)" -eq 0 ]
	# measures that are added up have no name
	want_status 0 flameenc --root . --add-measures --before one two
	silent
	# changes have both sides
	event diff . a clock 5 stack=a stat=sum before=0 after=5 unit=ns >two
	want_status 0 flameenc two
	silent
}

@test "two streams: tags of the run line are roots on both sides" {
	need python3
	{
		event run . . . . machine=big
		event sample 1 a cycles 3 'stack=main;a'
	} >one
	sed 's/\t3\t/\t5\t/' one >two
	want_status 0 flameenc --root run.machine --before one two
	silent
	dumped
	panel_is '# cycles .' 'big;main;a 5'
	dumped b
	panel_is '# cycles .' 'big;main;a 3'
}

@test "two streams that share no root: a note, here and in the page" {
	need python3
	event sample 1 a cycles 3 'stack=main;a' comm=old >one
	event sample 1 a cycles 5 'stack=main;a' comm=new >two
	want_status 0 flameenc --before one two
	echo 'flameenc: before and after share no root, so all functions differ; --root . leaves roots out' >want
	same want err
	dumped
	notes 'before and after share no root, so all functions differ; --root . leaves roots out'
	want_status 0 flameenc --root . --before one two
	silent
	event sample 1 b cycles 5 'stack=main;b' comm=old >>two
	want_status 0 flameenc --before one two
	silent
	# nothing on one side is another matter
	event measure . . cycles . unit=1 >none
	want_status 0 flameenc --before none two
	echo 'flameenc: not compared, since only one side has it: cycles (after)' >want
	same want err
	want_status 0 flameenc --before two none
	echo 'flameenc: not compared, since only one side has it: cycles (before)' >want
	same want err
}

@test "the page itself says what is missing" {
	need python3
	{
		printf '#afstream\t1\ttest\tmade\n'
		event sample 1 a cycles 3 'stack=main;a'
		event sample 1 b cycles 4
		event sample 1 b cycles 4 omitted=stack
		event sample 1 b cycles -4 'stack=x'
		event pause 1 . . .
		event lost 1 . . 3
		printf '#end\ttest\tmade\t6\tcomplete\tlost=3\tincomplete=4\ttwice=1\n'
	} >in
	want_status 0 flameenc in
	dumped
	notes 'left out lines of other kinds (see --kind): 1 pause, 1 lost' \
		'lines without room for their stack, folded by region alone: 1' \
		'left out stacks whose sum is negative or not a number: 1' \
		'the source lost events: the weights are too small' \
		'lines without a stack, whose region is their only frame: 2' \
		'the source lost 3 events, so the numbers are too small' \
		'samples whose stacks could not be unwound completely: 4' \
		'runs that come from more than one source, and may have been counted twice: 1'
	sed 's/^note: \(.*\)/\1/; s/[&<>"]/./g' dump | sed '/^#/d; /^[^ ]* [0-9]*$/d' >texts
	want_status 0 flameenc --svg in
	while read -r text; do
		grep -qF ">$text</text>" out
	done <texts
	sed '$d' in >cut.ev
	want_status 1 flameenc cut.ev
	said 'no end mark of test made'
	dumped
	grep -q '^note: the input is incomplete or damaged, so the values may be too small: no end mark of test made.* (errors: 1)$' dump
	want_status 1 flameenc --svg cut.ev
	grep -q 'the input is incomplete or damaged, so the values may be too small: no end mark' out
	# the picture is as high as its text and its notes
	python3 - out <<-'END'
		import sys, xml.etree.ElementTree as tree
		root = tree.parse(sys.argv[1]).getroot()
		last = max(float(t.get("y")) for t in root.iter() if t.tag.endswith("}text"))
		assert last < float(root.get("height")) < last + 17, (last, root.get("height"))
	END
	want_status 1 flameenc --before cut.ev in
	dumped
	grep -q '^note: the input is incomplete or damaged' dump
	# lines that the end mark of their side counts are not left out
	sed 's/^pause/incomplete/' in >told
	for n in 'told in' 'in told'; do
		# shellcheck disable=SC2086 # two files
		want_status 0 flameenc --before $n
		[ "$(grep -c '1 incomplete' err)" -eq 0 ]
		[ "$(grep -c '1 pause, 1 lost' err)" -eq 1 ]
	done
	sed '$s/complete.*/partial\tits reason/' in >partial
	want_status 1 flameenc partial
	dumped
	grep -q '^note: the input is incomplete or damaged.*its reason' dump
}

# hostile: names that would like to be markup or script.
hostile() {
	local name
	for name in '</script><script>alert(1)</script>' '<img src=x onerror=alert(2)>' '"><svg onload=alert(3)>' \
		"');alert(4);//" '&lt;b&gt;' '<!--<script>' ']]>' '{{data}}' '\\u003cscript>' $'a\xe2\x80\xa8b\xe2\x80\xa9c' \
		$'\xef\xbf\xbe\xef\xbf\xbf\xef\xbb\xbf' '\x00\x1b[31m\xff\xfe' '-->' 'javascript:alert(5)' '%3Cscript%3E'; do
		event sample 1 "${name//;/\\x3b}" cycles 1 "stack=main;${name//;/\\x3b}" "dso=$name"
	done
	printf 'sample\t1\t0x1\tlong\tcycles\t1\tstack=main;'
	head -c 1000000 /dev/zero | tr '\0' '<'
	printf '\n'
}

@test "names are data, in the page and in the picture" {
	need python3
	hostile >in
	want_status 0 flameenc --title '</title><script>alert(6)</script>' in
	dumped
	foldenc in | sed 's/\\x20/ /' | LC_ALL=C sort >want
	sed 1d dump | LC_ALL=C sort >got
	same want got
	# two scripts: the data and the program; nothing else begins an element with a name from the input
	[ "$(grep -c '<script' out)" -eq 2 ]
	[ "$(grep -cE '<(img|svg|b)\b|<!--<|onload=alert.3.>' out)" -eq 0 ]
	[ "$(LC_ALL=C grep -cP '\xe2\x80[\xa8\xa9]' out)" -eq 0 ]
	want_status 0 flameenc --svg --title $'</title>\x01\xff<script>alert(6)</script>' in
	python3 - out <<-'END'
		import sys, xml.etree.ElementTree as tree
		names = {e.tag.split("}")[1] for e in tree.parse(sys.argv[1]).iter()}
		assert names == {"svg", "g", "rect", "text", "title"}, names
	END
	[ "$(wc -c <out)" -lt 20000 ]
}

@test "the picture: clipped texts, and frames too narrow for a pixel are counted" {
	need python3
	{
		event sample 1 w cycles 100000 'stack=main;wide'
		event sample 1 n cycles 10 'stack=main;wide;narrow;deep'
		event sample 1 n cycles 10 'stack=main;thin'
		event sample 1 n cycles 2000 'stack=main;a_very_long_name_that_does_not_fit_into_its_box'
	} >in
	for option in "" --flame; do
		# shellcheck disable=SC2086 # an option or none
		want_status 0 flameenc --svg $option in
		grep -q 'frames that are not drawn, because they are narrower .*: 3<' out
		python3 - out <<-'END'
			import sys, xml.etree.ElementTree as tree
			n = "{http://www.w3.org/2000/svg}"
			root = tree.parse(sys.argv[1]).getroot()
			boxes = root.findall(n + "g")
			assert [b.find(n + "title").text.split(",")[0] for b in boxes] == \
			    ["all", "main", "a_very_long_name_that_does_not_fit_into_its_box", "wide"], boxes
			for b in boxes:
			    r, s = b.find(n + "rect"), b.find(n + "svg")
			    assert 0 <= float(r.get("x")) and float(r.get("x")) + float(r.get("width")) <= 1190.01
			    assert float(r.get("y")) + 16 < float(root.get("height"))
			    if s is not None:
			        assert len(s.find(n + "text").text) * 7.2 < float(s.get("width"))
		END
	done
	event sample 1 w cycles 0 'stack=main' >in
	want_status 0 flameenc --svg in
	: >in
	want_status 1 flameenc --svg in
}

@test "the picture: rows in either direction, a panel below the other, and the notes" {
	local option want
	{
		event sample 1 w cycles 6 'stack=main;a;b'
		event sample 1 w cycles 4 'stack=main'
		event sample 1 w faults 1 'stack=x'
		event lost 5 . . 7
	} >in
	for option in '' --flame; do
		# shellcheck disable=SC2086 # an option or none
		want_status 0 flameenc --no-marks --root . --svg $option in
		want='cycles: 10 43|all 47 1179.40|main 64 1179.40|a 81 707.40|b 98 707.40|faults: 1 138|all 142 1179.40|x 159 1179.40|'
		[ -z "$option" ] ||
			want='cycles: 10 43|all 98 1179.40|main 81 1179.40|a 64 707.40|b 47 707.40|faults: 1 138|all 159 1179.40|x 142 1179.40|'
		sed -n 's/<text x="10" y="\(.*\)\.0">\(.*\)<.text>/\2 \1/p
			s/<g><rect x="10.00" y="\(.*\)\.0" width="\(.*\)" height="16".*<title>\([^,]*\),.*/\3 \1 \2/p' out |
			tr '\n' '|' >got
		echo >>got
		echo "$want$(sed -n 's/^flameenc: //p' err | awk '{ print $0, 199 + 17 * (NR - 1) "|" }' | tr -d '\n')" |
			same - got
		grep -q ' height="230" viewBox="0 0 1200 230" ' out
	done
}

@test "--count: numbers of events have no unit, whatever their values have" {
	local in
	cd "$T"
	printf 'sample\t1\tr\ta\tm\t%s\tstack=%s\tunit=ns\n' 5000 'a;c' 6000 'a;b' 7000 'a;c' >more.ev
	head -n 2 more.ev >events
	afagg --no-marks --by stack events >results
	for in in events results; do
		want_status 0 flameenc --no-marks --count --svg --measure m "$in"
		grep -o '<title>[^<]*' out >titles
		same titles - <<-'EOF'
		<title>all, 2, 100.00%
		<title>a, 2, 100.00%
		<title>b, 1, 50.00%
		<title>c, 1, 50.00%
		EOF
		want_status 0 flameenc --no-marks --count "$in"
		[ "$(grep -ao '"unit":"[^"]*"' out)" = '"unit":"."' ] || fail "$in"
	done
	want_status 0 flameenc --no-marks --count --svg --before events more.ev
	grep -o '<title>[^<]*' out >titles
	same titles - <<-'EOF'
	<title>all, 3, 100.00%; before 2, 100.00%
	<title>a, 3, 100.00%; before 2, 100.00%
	<title>b, 1, 33.33%; before 1, 50.00%
	<title>c, 2, 66.67%; before 1, 50.00%
	EOF
}

@test "--count: a measure with several units has a graph for each, also over time" {
	need python3
	{
		event sample 1 a m 5 stack=a unit=ns
		event sample 2 a m 5 stack=a unit=ns
		event sample 3 a m 5 stack=a unit=ms
		event sample 4 b m 5 stack=b
		event sample 5 b k 5 stack=b unit=s
	} >in
	want_status 0 flameenc --count in
	silent
	dumped
	panel_is '# m [ns] .' 'a 2' '# m [ms] .' 'a 1' '# m .' 'b 1' '# k .' 'b 1'
	want_status 0 flameenc --count --by-time in
	[ "$(grep -o '"panel":[0-9]*,.*"count":[0-9]*' out | sed 's/,.*,/ /' | tr '\n' ' ')" = \
		'"panel":0 "count":2 "panel":1 "count":1 "panel":2 "count":1 "panel":3 "count":1 ' ]
	want_status 0 flameenc --count --add-measures in
	silent
	dumped
	panel_is '# all measures [ns] .' 'a 2' '# all measures [ms] .' 'a 1' '# all measures .' 'b 1' \
		'# all measures [s] .' 'b 1'
	head -n 3 in >old
	want_status 0 flameenc --count --svg --before old -- in
	said 'flameenc: not compared, since only one side has it: m;k (after)'
	grep -o '>m[^<]*: [^<]*; before: [0-9]*' out | same - <(printf '%s\n' '>m [ns]: 2; before: 2' \
		'>m [ms]: 1; before: 1' '>m: 1; before: 0')
}

@test "a picture gives values as the page does: times also in a readable unit" {
	local value
	{
		printf 'measure\t.\t0x1\t.\tt\t.\tunit=ns\n'
		for value in 9009009 999 1000 1234567890123 2.5; do
			event sample 1 "f$value" t "$value"
		done
		printf 'measure\t.\t0x1\t.\tcycles\t.\n'
		event sample 1 f cycles 1234567
	} >in
	want_status 0 flameenc --svg --measure t in
	grep -o '<title>f[^<]*' out >got
	echo '<title>f1234567890123, 1235 s (1,234,567,890,123 ns), 100.00%' >want
	same want got
	sed -i /1234567890123/d in
	want_status 0 flameenc --svg --measure t in
	grep -o '<title>all[^<]*' out >got
	echo '<title>all, 9.011 ms (9011010.5 ns), 100.00%' >want
	same want got
	printf 'sample\t1\t.\tf\tt\t%s\tunit=ns\n' 999 0.5 >short
	want_status 0 flameenc --svg short
	grep -o '<title>f[^<]*' out >got
	echo '<title>f, 999.5 ns, 100.00%' >want
	same want got
	echo 'sample	1	.	f	t	1000	unit=ns' >short
	want_status 0 flameenc --svg short
	grep -o '<title>f[^<]*' out >got
	echo '<title>f, 1 µs (1,000 ns), 100.00%' >want
	same want got
	# the unit is that of the rounded value
	printf 'sample\t1\t.\t%s\tt\t%s\tunit=ns\n' f 999949 g 999950 h 999999999 >short
	want_status 0 flameenc --svg short
	grep -o '<title>[fgh],[^<]*)' out >got
	printf '<title>%s\n' 'f, 999.9 µs (999,949 ns)' 'g, 1 ms (999,950 ns)' 'h, 1 s (999,999,999 ns)' >want
	same want got
	want_status 0 flameenc --svg --measure cycles in
	grep -o 'cycles: [^<]*' out >got
	echo 'cycles: 1,234,567' >want
	same want got
}

@test "no samples at all: a page without frames" {
	need python3
	printf '#afstream\t1\ttest\tmade\n#end\ttest\tmade\t0\tcomplete\n' >in
	want_status 0 flameenc in
	dumped
	panel_is
	want_status 0 flameenc --svg in
}

# bats test_tags=slow,sanitize
@test "a page of 100000 different frames is small, and deep stacks are no trouble" {
	need python3
	awk 'BEGIN {
		for (i = 0; i < 20000; i++) {
			printf "sample\t1\t0x1\tf\tcycles\t%d\tstack=main", i % 100 + 1
			for (k = 0; k < 5; k++)
				printf ";namespace%d::Class::method_%d(int, std::vector<int>)", i * 5 + k, i
			print ""
		}
	}' >in
	want_status 0 flameenc in
	[ "$(wc -c <out)" -lt 25000000 ]
	dumped
	foldenc in >want
	sed 1d dump >got
	same want got
	awk 'BEGIN {
		for (i = 0; i < 3; i++) {
			printf "sample\t1\t0x1\tf\tcycles\t1\tstack=main"
			for (k = 0; k < 1000000 - i * 5000; k++)
				printf ";r"
			print ";end" i
		}
	}' >in
	want_status 0 flameenc in
	dumped
	foldenc in | cksum >want
	sed 1d dump | cksum >got
	same want got
	want_status 0 flameenc --svg in
	grep -q 'deeper than 400 levels' out
}

@test "options" {
	event sample 1 a cycles 1 stack=a >in
	want_status 2 flameenc --measure a --add-measures in
	want_status 2 flameenc --root , in
	want_status 0 flameenc --title 'x & y' --flame in
	grep -qF '<title>x &amp; y</title>' out
	grep -qF '"upwards":true' out
	want_status 3 flameenc --before /nonexistent in
}

# moment TIME TID STACK [TAG]...: a sample of a thread.
moment() {
	local time=$1 tid=$2 stack=$3
	shift 3
	event sample "$time" "${stack##*;}" cycles 1 pid=7 tid="$tid" comm=job stack="$stack" "$@"
}

# charts: prints the parts of each thread that flameenc wrote last: from, length, what, mark, count.
charts() {
	python3 - "$T/out" <<-'END'
		import json, sys
		page = open(sys.argv[1], encoding="utf-8").read()
		begin = page.index('id="data">') + len('id="data">')
		data = json.loads(page[begin:page.index("</script>", begin)])
		for p in data["panels"]:
		    p["text"], path = ["."], []
		    for name, up in list(zip(p["n"], p["u"]))[1:]:
		        del path[len(path) - up:]
		        path.append(data["names"][name])
		        p["text"].append(";".join(path))
		for t in data["time"]["threads"]:
		    name = lambda k: data["names"][t[k]] if k in t else "."
		    print("thread", name("comm"), name("pid"), name("tid"), t["count"], t["dropped"], t["longest"])
		    at = 0
		    for i, f in enumerate(t["f"]):
		        at += f
		        what = data["names"][t["k"][i]] if t["panel"] < 0 else data["panels"][t["panel"]]["text"][t["k"][i]]
		        print(at, t["l"][i], what, t["m"][i], *([t["c"][i]] if "c" in t else []))
		print("gap", data["time"]["gap"], "untimed", data["time"]["untimed"])
	END
}

@test "over time: equal neighbours are joined, gaps and threads stay apart" {
	need python3
	{
		moment 100 1 'main;a'
		moment 101 1 'main;a'
		moment 101 2 'main;a'
		moment 102 1 'main;b'
		moment 103 1 'main;a'
		moment 104 1 'main;a'
		moment 90 1 'main;c' late=1
		moment 107 1 'main;a'
		moment 108 1 'main;a'
		moment . 1 'main;a'
	} >in
	want_status 0 flameenc --root . --by-time in
	silent
	charts >got
	cat >want <<-END
		thread job 7 1 8 0 0
		10 0 main;c 0 1
		20 1 main;a 0 2
		22 0 main;b 0 1
		23 1 main;a 0 2
		27 1 main;a 0 2
		thread job 7 2 1 0 0
		11 0 main;a 0 1
		gap 2 untimed 1
	END
	# 0 is the earliest sample
	sed -i 's/^10 0 main;c/0 0 main;c/; s/^20 /10 /; s/^22 /12 /; s/^23 /13 /; s/^27 /17 /' want
	same want got
	dumped
	panel_is '# cycles .' 'main;a 8' 'main;b 1' 'main;c 1'
}

@test "the first graph is that of self, or of the first measure that the source lists" {
	need python3
	{
		event measure . . c . unit=ns
		event measure . . a .
		event sample 1 fa a 1 tid=1
		event sample 2 fb b 2 tid=2
		event sample 3 fc c 3 tid=3
		event sample 4 fd d 4 tid=4
		event span 5 fs e 5 tid=5 start=4
	} >in
	want_status 0 flameenc --root . --by-time in
	charts | grep -v ^gap >got
	cat >want <<-'END'
		thread . . 3 1 0 0
		2 0 fc 0 1
		thread . . 1 1 0 0
		0 0 fa 0 1
		thread . . 2 1 0 0
		1 0 fb 0 1
		thread . . 4 1 0 0
		3 0 fd 0 1
		thread . . 5 1 0 0
		3 1 fs 0
	END
	same want got
	dumped
	panel_is '# c ns' 'fc 3' '# a .' 'fa 1' '# b .' 'fb 2' '# d .' 'fd 4' '# e .' 'fs 5'
	sed 's/	e	/	self	/' in >two
	want_status 0 flameenc --root . two
	dumped
	panel_is '# self .' 'fs 5' '# a .' 'fa 1' '# b .' 'fb 2' '# c ns' 'fc 3' '# d .' 'fd 4'
	# the order of the other side does not matter
	want_status 0 flameenc --root . --before two -- in
	dumped
	grep '^#' dump >got
	printf '# %s\n' 'c ns' 'a .' 'b .' 'd .' 'e .' 'self .' >want
	same want got
}

@test "over time: the usual distance is that of all times of the input" {
	need python3
	# the first two are far apart; each later time is that of three samples
	{
		moment 0 1 main
		moment 1000 1 main
		for time in 1010 1020 1030 1040; do
			for stack in main main main; do
				moment $time 1 $stack
			done
		done
	} >in
	want_status 0 flameenc --root . --by-time in
	charts >got
	printf '%s\n' 'thread job 7 1 14 0 0' '0 0 main 0 1' '1000 40 main 0 13' 'gap 20 untimed 0' >want
	same want got
}

@test "over time: memory does not grow with the samples, or the spans" {
	need python3
	awk 'BEGIN {
		for (i = 0; i < 200000; i++)
			printf "sample\t%d\t0x1\tx\tcycles\t1\ttid=1\tstack=main;f%d\n", i * 10, i % 3
	}' >in
	want_status 0 flameenc --max-memory 4M --by-time --slices 1000 in
	charts >got
	head -n 1 got | same <(echo 'thread . . 1 200000 0 0') -
	[ "$(wc -l <got)" -le 1002 ]
	awk 'BEGIN {
		for (i = 0; i < 200000; i++)
			printf "span\t%d\t0x1\tx\ttime\t%d\tstart=%d\ttid=1\n", i * 10 + i % 7, i % 7, i * 10
	}' >in
	want_status 0 flameenc --max-memory 4M --by-time --slices 1000 in
	charts >got
	head -n 1 got | same <(echo 'thread . . 1 200000 199000 6') -
	[ "$(wc -l <got)" -eq 1002 ]
}

@test "over time: at most --slices parts, and no frame where it did not run" {
	need python3
	awk 'BEGIN {
		for (i = 0; i < 5000; i++)
			printf "sample\t%d\t0x1\tx\tcycles\t1\ttid=1\tstack=main;%s;f%d\n", 77777 + i * 10, i < 2500 ? "a" : "b", i % 3
	}' >in
	for n in 2 10 100 1000 5000; do
		want_status 0 flameenc --by-time --slices $n in
		charts >got
		awk -v n=$n '
			NR == 1 { if ($5 != 5000) exit 1; next }
			$1 == "gap" { next }
			{
				parts++; sum += $5
				if ($1 != next_at) { print "a hole before " $0; exit 1 }
				next_at = $1 + $2 + 10
				if ($4 == 1 && $3 ~ /f/) { print "no common frame: " $0; exit 1 }
				if ($1 + $2 < 25000 && $3 !~ /^main;a/) { print "not in a: " $0; exit 1 }
				if ($1 >= 25000 && $3 !~ /^main;b/) { print "not in b: " $0; exit 1 }
				if ($4 == 0 && $5 > 1) { print "joined: " $0; exit 1 }
			}
			END { if (parts > n || sum != 5000) { print parts, sum; exit 1 } }' got
	done
	# nothing is joined where there is room
	[ "$(grep -c ' 1 [0-9]*$' got)" -eq 0 ]
}

@test "over time: samples that come after later ones were joined" {
	need python3
	{
		for time in 10 20 30 40; do
			moment $time 1 "main;a;$((time / 10 % 2))"
		done
		moment 5 1 'main;a;1'
		moment 25 1 'main;a;1'
		moment 26 1 'main;b'
	} >in
	want_status 0 flameenc --by-time --slices 2 in
	charts >got
	printf '%s\n' 'thread job 7 1 7 0 0' '0 15 job;main;a 1 3' '20 15 job;main 1 4' 'gap 20 untimed 0' >want
	same want got
}

@test "over time: frames that are shared beyond the 2000th, and stacks without a weight" {
	need python3
	local frames
	frames=$(printf 'f;%.0s' {1..2500})
	{
		moment 10 1 "${frames}a"
		moment 20 1 "${frames}b"
		moment 30 1 "${frames}b"
		event sample 40 z cycles -1 pid=7 tid=1 comm=job 'stack=z'
	} >in
	want_status 0 flameenc --by-time --root . --slices 2 in
	said 'left out stacks whose sum is negative or not a number: 1'
	charts >got
	frames=${frames:0:3999}
	printf '%s\n' 'thread job 7 1 4 0 0' "0 20 $frames 1 3" '30 0 . 0 1' 'gap 20 untimed 0' >want
	same want got
}

@test "over time: the spans of afdur as they are" {
	need python3
	{
		printf 'start\t10\t0x1\tout.er\t.\t.\tscope=region\n'
		printf 'start\t20\t0x1\tin\t.\t.\tscope=region\n'
		printf 'stop\t50\t0x1\tin\t.\t.\tscope=region\n'
		printf 'start\t60\t0x1\tin\t.\t.\tscope=region\n'
		printf 'stop\t61\t0x1\tin\t.\t.\tscope=region\n'
		printf 'stop\t99\t0x1\tout.er\t.\t.\tscope=region\n'
	} | afdur >in
	want_status 0 flameenc --by-time in
	charts >got
	cat >want <<-END
		thread . . . 3 0 0
		0 89 out.er 1
		10 30 in 2
		50 1 in 2
		gap 0 untimed 0
	END
	same want got
	dumped
	panel_is '# self ns' 'out.er 58' 'out.er;in 31'
	want_status 0 flameenc --by-time --slices 2 in
	charts >got
	grep -qx 'thread . . . 3 1 1' got
	[ "$(grep -c '^50 ' got)" -eq 0 ]
	{
		printf 'span\t9\t0x1\tx\tlatency\t5\tstart=4\ttid=1\n'
		printf 'span\t7\t0x1\ty\tlatency\t5\tstart=2\ttid=1\n'
		printf 'span\t1\t0x1\tz\tlatency\t5\tstart=2\ttid=1\n'
	} >in
	want_status 0 flameenc --by-time in
	charts >got
	printf '%s\n' 'thread . . 1 2 0 0' '0 5 y 0' '2 5 x 0' 'gap 0 untimed 1' >want
	same want got
	want_status 2 flameenc --by-time --svg in
	want_status 2 flameenc --by-time --before in in
	want_status 2 flameenc --slices 5 in
}

@test "over time: of spans that begin together the longest comes first, then the outermost" {
	need python3
	{
		event span 20 b inclusive 10 start=10 depth=2 tid=1
		event span 30 d inclusive 20 start=10 depth=2 tid=1
		event span 30 c inclusive 20 start=10 depth=2 tid=1
		event span 30 a inclusive 20 start=10 depth=1 tid=1
		event span 30 e inclusive 20 start=10 depth=4294967295 tid=1
		event span 20 f inclusive 10 start=10 depth=2 tid=1
		# what else is known of a
		event span 30 a self 5 start=10 depth=1 tid=1
		event span 30 a mem.delta 5 start=10 depth=1 tid=1
	} >in
	want_status 0 flameenc --by-time in
	charts >got
	printf '%s\n' 'thread . . 1 6 0 0' '0 20 a 2' '0 20 d 3' '0 20 c 3' '0 20 e 0' '0 10 b 3' '0 10 f 3' 'gap 0 untimed 0' >want
	same want got
}

@test "characters that end a line of JavaScript, or are none of XML, and others that begin with the same byte" {
	# U+2028, U+2029, U+2026, U+20AC, U+FF01, U+FFFD, U+FFFE, U+FFFF
	local plain none
	plain=$(printf '\342\200\246|\342\202\254|\357\274\201|\357\277\275')
	none=$(printf '\357\277\276|\357\277\277')
	event sample 1 "$(printf '\342\200\250|\342\200\251')|$plain|$none" m 1e300 >in
	want_status 0 flameenc in
	grep -qF "\"\\u2028|\\u2029|$plain|$none\"" out || fail "$(grep -aF u2028 out)"
	want_status 0 flameenc --svg in
	grep -qF "$(printf '\342\200\250|\342\200\251')|$plain|$(printf '\357\277\275|\357\277\275'), 1e300, 100.00%<" out ||
		fail "$(grep -a 1e300 out)"
}

@test "limits of a picture: digits in groups, letters in a box, bytes of a name, levels" {
	local n stack value shown
	while read -r value shown; do
		event sample 1 a m "$value" >in
		want_status 0 flameenc --svg in
		grep -qF ">a, $shown, 100.00%<" out || fail "$value" || return
	done <<-'END'
		999 999
		1000 1,000
		100000000000000 100,000,000,000,000
		999999999999999 999,999,999,999,999
		1000000000000000 1e15
		1234567890123456 1.23456789012e15
	END
	# boxes with room for two and three letters besides the dots
	{
		event sample 1 abcdefgh m 40
		event sample 1 ijklmnop m 45
		event sample 1 rest m 1095
	} >in
	want_status 0 flameenc --svg --root . in
	[ "$(grep -c '>ab\.\.<' out)" -eq 0 ]
	[ "$(grep -c '>ijk\.\.<' out)" -eq 1 ]
	for n in 400 401; do
		event sample 1 "$(printf '%0*d' $n 0)" m 1 >in
		want_status 0 flameenc --svg in
		grep -qF "<title>$(printf '%0400d' 0)$([ $n -eq 400 ] || echo ...), 1, " out
	done
	# the root is a level, too
	for n in 399 400; do
		stack=$(printf 'f;%.0s' $(seq $n))
		event sample 1 f m 1 "stack=${stack%;}" >in
		want_status 0 flameenc --svg --root . in
		[ "$(grep -c 'deeper than 400 levels, or without a weight: 1<' out)" -eq $((n - 399)) ]
	done
}

@test "changes of afdiff are two sides" {
	need python3
	{
		event sample 1 a cycles 3 'stack=main;a'
		event sample 1 b cycles 4 'stack=main;b'
	} | afagg --by stack --stat sum >one
	{
		event sample 1 a cycles 5 'stack=main;a'
		event sample 1 b cycles 4 'stack=main;b'
	} | afagg --by stack --stat sum >two
	afdiff one two >in
	want_status 0 flameenc in
	dumped b
	panel_is '# cycles .' 'main;a 3' 'main;b 4'
	dumped
	panel_is '# cycles .' 'main;a 5' 'main;b 4'
	grep -q '"compares":true' out
	want_status 1 flameenc --before in in
	said 'lines of kind diff already have two sides: --before cannot be used'
}

@test "fuzz: pages and pictures" {
	helpers fuzz-flame
	[[ ${CFLAGS-} == *sanitize* ]] || export FUZZ_KIB=65536
	want_status 0 fuzz-flame "$ROOT"/t/fuzz/corpus/flame/*
	want_status 0 fuzz-flame --prefixes 1 "$ROOT"/t/fuzz/corpus/flame/*
	want_status 0 fuzz-flame --flips 1000 1 "$ROOT"/t/fuzz/corpus/flame/*
}

@test "--before: partial results are an error, and leave out nothing else" {
	cd "$T"
	event sample 1 f m 1 stack=f >in
	afagg --no-marks --by stack --stat sum --partial in >part
	cat part in >both
	want_status 1 flameenc --before both in
	said 'flameenc: both: the input has partial results; merge them with afagg first'
	[ "$(grep -c 'not compared' err)" -eq 0 ] || fail "$(cat err)"
}

@test "--count: a measure of several units has a graph for each, however long its name is" {
	need python3
	local name
	printf -v name 'm%0200d' 1
	event sample 1 f "$name" 5 unit=B >in
	event sample 2 f "$name" 7 unit=s >>in
	want_status 0 flameenc --no-marks --count in
	python3 "$ROOT/t/tools/flamedump.py" out | grep '^#' | LC_ALL=C sort |
		same - <(printf '# %s .\n' "$name [B]" "$name [s]")
}
