#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# afagg_keys.bats - which lines form a group: missing keys, keys computed from the stack, windows;
# and results that must not be added up.

load lib

setup() {
	cd "$T" || return
}

# stacks: a stream of samples with stacks, in the file in.
stacks() {
	lines in <<-'EOF'
	sample 10 r leaf m 1 pid=1 tid=1 comm=a cpu=. stack=main;f;leaf
	sample 20 r leaf m 2 pid=1 tid=2 comm=b pcomm=a cpu=. stack=main;f;f;leaf
	sample 30 r main m 4 pid=1 tid=1 comm=a cpu=. stack=main
	sample 40 r idle m 8 pid=2 tid=3 comm=c cpu=.
	EOF
}

@test "a key that no line has: no results, status 1, the nearest name" {
	lines odd <<<'sample 1 r f m 1 p.=1'
	want_status 1 afagg --by p.a odd
	said "afagg: no line has 'p.a'; did you mean p.?"
	stacks
	want_status 1 afagg --by regoin in
	said "afagg: no line has 'regoin'; did you mean region?"
	[ "$(grep -c '^agg' out)" -eq 0 ] || fail "results"
	grep -q $'^#end\tafagg\tin\t0\tpartial' out || fail "not partial"
	want_status 1 afagg --by region,tag.x in
	said "no line has 'tag.x' ('tag.x?' allows that; tags: comm, cpu, pcomm, pid, stack, tid)"
	want_status 0 afagg --by 'tag.x?' --stat sum in
	want 'agg 40 r . m 15 tag.x=. stat=sum start=10 n=4'
	silent
}

@test "a key that one line has is there" {
	stacks
	want_status 0 afagg --by pcomm --stat sum in
	want_status 1 afagg --by tid,pcom in
}

@test "input without a line to aggregate is not judged" {
	lines in <<<'comm 10 r . . . pid=1'
	want_status 0 afagg --by regoin in
	said 'left out lines of other kinds (see --kind): 1 comm'
}

@test "a key that is never recorded: a note that says what to do" {
	stacks
	want_status 0 afagg --by region,cpu --stat sum in
	said 'cpu is not recorded: it is "." on all lines; perf records the processor only with -a or --sample-cpu'
	grep -q $'cpu=\.\tstat=sum' out || fail "no key"
	printf 'sample\t1\tr\tf\tm\t1\tstack=f\n' >flat
	want_status 0 afagg --no-marks --by caller flat
	said 'caller is not recorded: it is "." on all lines; each stack has one frame only (perf record --call-graph dwarf finds more)'
	want_status 0 afagg --by 'region,cpu?' --stat sum in
	silent
}

@test "pcomm is comm for the first thread of a process" {
	stacks
	want_status 0 afagg --by pcomm --stat sum in
	want 'agg 40 r . m 8 pcomm=. stat=sum start=40 n=1
agg 30 r . m 7 pcomm=a stat=sum start=10 n=3'
	# without a pid, comm may be the name of any thread
	afagg --by comm --stat sum in >results
	want_status 1 afagg --kind agg --by pcomm results
	said "no line has 'pid', which 'pcomm' needs"
	want_status 0 afagg --kind agg --by 'pcomm?' results
	want 'agg 40 r . m 15 pcomm=. stat=sum start=10 n=4'
}

@test "with the run as a key, totals and shares are those of each run, also of merged parts" {
	local how
	lines in <<-'EOF'
	measure . s . n . unit=ns
	sample 1 r f m 2 stack=main;f
	sample 2 r g m 6 stack=main;g
	sample 1 s f m 10 stack=main;f
	sample 2 s f n 7 stack=f
	EOF
	cat >results <<-'EOF'
	measure . s . n . unit=ns
	agg 1 r . m 2 frame=f stat=sum total=8 start=1 n=1
	agg 1 r . m 0.25 frame=f stat=share total=1 start=1 n=1
	agg 2 r . m 6 frame=g stat=sum total=8 start=2 n=1
	agg 2 r . m 0.75 frame=g stat=share total=1 start=2 n=1
	agg 2 r . m 8 frame=main stat=sum total=8 start=1 n=2
	agg 2 r . m 1 frame=main stat=share total=1 start=1 n=2
	agg 1 s . m 10 frame=f stat=sum total=10 start=1 n=1
	agg 1 s . m 1 frame=f stat=share total=1 start=1 n=1
	agg 2 s . n 7 frame=f stat=sum total=7 start=2 n=1
	agg 2 s . n 1 frame=f stat=share total=1 start=2 n=1
	agg 1 s . m 10 frame=main stat=sum total=10 start=1 n=1
	agg 1 s . m 1 frame=main stat=share total=1 start=1 n=1
	EOF
	sed -n '1,3p' in >a
	sed -n '1p;4,$p' in >b
	for how in 'in' '--jobs 3 in' '--partial in' '--partial a' '--partial b'; do
		# shellcheck disable=SC2086
		want_status 0 afagg --no-marks --by run,frame --stat sum,share $how || return
		case $how in
		*partial*) cp out "part.${how##* }" ;;
		*) want "$(cat results)" || return ;;
		esac
	done
	want_status 0 afagg part.in
	want "$(cat results)"
	want_status 0 afagg part.a part.b
	want "$(sed -n 1p results; cat results)"
	# each line is in one group
	want_status 0 afagg --no-marks --by run,region --stat share in
	want 'measure . s . n . unit=ns
agg 1 r f m 0.25 stat=share start=1 n=1
agg 2 r g m 0.75 stat=share start=2 n=1
agg 1 s f m 1 stat=share start=1 n=1
agg 2 s f n 1 stat=share start=2 n=1'
	# a run that is no key
	want_status 0 afagg --no-marks --by frame --stat sum a b
	want 'measure . s . n . unit=ns
measure . s . n . unit=ns
agg 1 . . m 12 frame=f stat=sum total=18 start=1 n=2
agg 2 s . n 7 frame=f stat=sum total=7 start=2 n=1
agg 2 r . m 6 frame=g stat=sum total=18 start=2 n=1
agg 2 . . m 18 frame=main stat=sum total=18 start=1 n=3'
}

@test "frame: each function of a stack once, with the total over the samples" {
	stacks
	want_status 0 afagg --by frame --stat sum,count in
	want 'agg 40 r . m 8 frame=. stat=sum total=15 start=40 n=1
agg 40 r . m 1 frame=. stat=count total=4 start=40 n=1
agg 20 r . m 3 frame=f stat=sum total=15 start=10 n=2
agg 20 r . m 2 frame=f stat=count total=4 start=10 n=2
agg 20 r . m 3 frame=leaf stat=sum total=15 start=10 n=2
agg 20 r . m 2 frame=leaf stat=count total=4 start=10 n=2
agg 30 r . m 7 frame=main stat=sum total=15 start=10 n=3
agg 30 r . m 3 frame=main stat=count total=4 start=10 n=3'
	said 'afagg: 1 of 4 lines have no stack'
}

@test "frame: the time of a region contains that of inner ones; a recursion counts once" {
	lines recursive <<-'EOF'
	start 0 r a . . scope=region id=1
	start 10 r f . . scope=region id=2
	start 20 r f . . scope=region id=3
	stop 60 r . . . scope=region id=3
	stop 90 r . . . scope=region id=2
	stop 100 r . . . scope=region id=1
	EOF
	afdur recursive >spans
	want_status 0 afagg --by frame --stat sum,share spans
	cp out all
	grep ^agg all >out
	want 'agg 100 r . inclusive 100 frame=a stat=sum total=. start=0 n=1 unit=ns type=int64
agg 100 r . inclusive . frame=a stat=share total=. start=0 n=1 unit=ns type=int64
agg 100 r . self 100 frame=a stat=sum total=100 start=0 n=3 unit=ns type=int64
agg 100 r . self 1 frame=a stat=share total=1 start=0 n=3 unit=ns type=int64
agg 90 r . inclusive 80 frame=f stat=sum total=. start=10 n=1 unit=ns type=int64
agg 90 r . inclusive . frame=f stat=share total=. start=10 n=1 unit=ns type=int64
agg 90 r . self 80 frame=f stat=sum total=100 start=10 n=2 unit=ns type=int64
agg 90 r . self 0.8 frame=f stat=share total=1 start=10 n=2 unit=ns type=int64'
	said 'afagg: 2 groups have no share: values of inclusive, union and .delta contain each other'
	# the same from partial results
	want_status 0 afagg --by frame --stat sum,share --partial spans
	cp out part
	want_status 0 afagg part
	unmarked out | grep ^agg >merged
	grep ^agg all >whole
	same whole merged
}

# neighbours SIDE REGEX FILE: the callers or callees of the functions that match, from stacks alone:
# "NAME SUM COUNT", sorted.  The caller is that of the outermost call, the callee of the innermost.
neighbours() {
	awk -F '\t' -v side="$1" -v f="$2" '$1 == "sample" {
		n = first = last = 0
		for (i = 7; i <= NF; i++)
			if (sub(/^stack=/, "", $i)) n = split($i, s, ";")
		for (i = 1; i <= n; i++)
			if (s[i] ~ f) { last = i; if (!first) first = i }
		if (n == 0 && $4 ~ f) name = "."
		else if (!first) next
		else if (side == "caller") name = first > 1 ? s[first - 1] : "[root]"
		else name = last < n ? s[last + 1] : "[self]"
		sum[name] += $6; count[name]++
	} END { for (name in sum) print name, sum[name], count[name] }' "$3" | LC_ALL=C sort
}

# shown SIDE: the results in $T/out in the same form.
shown() {
	awk -F '\t' -v side="$1" '$1 == "agg" {
		for (i = 7; i <= NF; i++) { split($i, t, "="); v[t[1]] = substr($i, length(t[1]) + 2) }
		if (v["stat"] == "sum") sum[v[side]] = $6
		if (v["stat"] == "count") count[v[side]] = $6
	} END { for (name in sum) print name, sum[name], count[name] }' out | LC_ALL=C sort
}

# random_stacks N: as many samples, in whose stacks functions call each other and themselves.
random_stacks() {
	awk -v n="$1" 'BEGIN {
		srand(7)
		OFS = "\t"
		for (i = 0; i < n; i++) {
			depth = int(rand() * 9)
			stack = ""
			for (k = 0; k < depth; k++)
				stack = stack (k ? ";" : "") (leaf = "f" int(rand() * 5))
			print "sample", i, "r", depth ? leaf : "f1", "m", int(rand() * 1000), "tid=" i % 3, depth ? "stack=" stack : "x=1"
		}
	}'
}

@test "caller:NAME, callee:NAME and those that match: as the stacks say, each line once" {
	local side key f count sum
	random_stacks 3000 >in
	for side in caller callee; do
		for f in f0 f1 f4 'f[02]' 'f[0-4]'; do
			for key in $side:$f $side~"^$f\$"; do
				[[ $key == *:*'['* ]] && continue
				want_status 0 afagg --by "$key" in
				neighbours $side "^$f\$" in >want
				[ "$(wc -l <want)" -ge 2 ]
				shown $side >got
				same want got
				# partial results make the same
				unmarked out >whole
				head -n 1000 in | afagg --no-marks --by "$key" --partial >a.part 2>err
				tail -n +1001 in | afagg --no-marks --by "$key" --partial >b.part 2>err
				want_status 0 afagg a.part b.part
				unmarked out >got
				same whole got
			done
			count=$(awk '{ n += $3 } END { print n }' want)
			want_status 0 afagg --by "$side~^$f\$" --stat count,share in
			[ "$count" -eq 3000 ] || said "afagg: left out $((3000 - count)) of 3000 lines, whose stacks do not have a function that matches '^$f\$'"
			sum=$(awk -F '\t' '/stat=share/ { s += $6 } END { printf "%.6f", s }' out)
			[ "$sum" = 1.000000 ]
		done
	done
	# enough lines for several threads: they say the same
	random_stacks 40000 >big
	for key in caller:f3 callee~f; do
		want_status 0 afagg --by "$key" big
		mv out whole && mv err said
		want_status 0 afagg --jobs 4 --by "$key" big
		same whole out
		same said err
	done
	# the same as afagg computes of the stacks
	afagg --by 'region,stack?' in >stacks.agg
	want_status 0 afagg --by callee:f2 in
	grep ^agg out | cut -f 5-9 >want
	want_status 0 afagg --kind agg --by callee:f2 stacks.agg
	grep ^agg out | cut -f 5-9 >got
	same want got
}

@test "callers and callees with other keys, names with escapes, and lines without a stack" {
	lines in <<-'EOF'
	sample 10 r g(a;b) m 1 tid=1 stack=main;f(int,\x20char);g(a\x3bb)
	sample 20 r x=y m 2 tid=2 stack=main;g(a\x3bb);x=y
	sample 30 r g(a;b) m 4 tid=1 caller=mine
	sample 40 r other m 8 tid=1 callee=mine
	EOF
	sed -i 's/\\x20/ /' in
	want_status 0 afagg --by 'tid,caller:g(a;b)' --stat sum in
	printf 'agg 30 r . m 4 tid=1 caller=. stat=sum start=30 n=1\nagg 10 r . m 1 tid=1 caller=f(int,+char) stat=sum start=10 n=1\n' >want
	printf 'agg 20 r . m 2 tid=2 caller=main stat=sum start=20 n=1\n' >>want
	unmarked out | tr ' \t' '+ ' >got
	same want got
	said 'afagg: left out 1 of 4 lines, whose stacks do not have g(a;b)'
	said 'afagg: 1 of 3 lines have no stack'
	want_status 0 afagg --by 'callee:x=y' --stat sum in
	want 'agg 20 r . m 2 callee=[self] stat=sum start=20 n=1'
	want_status 0 afagg --by 'callee~^f.int. char' --stat sum in
	want 'agg 10 r . m 1 callee=g(a;b) stat=sum start=10 n=1'
	want_status 0 afagg --by 'frame,caller:main,callee:main' --stat sum in
	want 'agg 10 r . m 1 frame=f(int, char) caller=[root] callee=f(int, char) stat=sum total=3 start=10 n=1
agg 10 r . m 1 frame=g(a;b) caller=[root] callee=f(int, char) stat=sum total=3 start=10 n=1
agg 20 r . m 2 frame=g(a;b) caller=[root] callee=g(a;b) stat=sum total=3 start=20 n=1
agg 10 r . m 1 frame=main caller=[root] callee=f(int, char) stat=sum total=3 start=10 n=1
agg 20 r . m 2 frame=main caller=[root] callee=g(a;b) stat=sum total=3 start=20 n=1
agg 20 r . m 2 frame=x=y caller=[root] callee=g(a;b) stat=sum total=3 start=20 n=1'
}

@test "callers and callees by the times of regions: what contains other values counts once" {
	lines recursive <<-'EOF'
	start 0 r a . . scope=region id=1
	start 10 r f . . scope=region id=2
	start 20 r f . . scope=region id=3
	start 30 r g . . scope=region id=4
	start 35 r f . . scope=region id=5
	stop 45 r . . . scope=region id=5
	stop 50 r . . . scope=region id=4
	stop 60 r . . . scope=region id=3
	stop 90 r . . . scope=region id=2
	stop 100 r . . . scope=region id=1
	EOF
	afdur recursive >spans
	want_status 0 afagg --by caller:f --stat sum spans
	grep ^agg out >all
	mv all out
	want 'agg 90 r . inclusive 80 caller=a stat=sum start=10 n=1 unit=ns type=int64
agg 90 r . self 80 caller=a stat=sum start=10 n=4 unit=ns type=int64'
	want_status 0 afagg --by callee:f --stat sum spans
	grep ^agg out >all
	mv all out
	want 'agg 90 r . self 70 callee=[self] stat=sum start=10 n=3 unit=ns type=int64
agg 60 r . inclusive 40 callee=f stat=sum start=20 n=1 unit=ns type=int64
agg 50 r . self 10 callee=g stat=sum start=30 n=1 unit=ns type=int64'
}

@test "a function that no stack has: status 1, and what it may be called" {
	stacks
	local name
	sed -i 's/;leaf/;py::leaf:\/home\/job.py/' in
	want_status 1 afagg --by caller:leaf in
	echo "afagg: no stack has the function 'leaf', but py::leaf:/home/job.py, which caller~leaf finds" | same - err
	[ "$(grep -c '^agg' out)" -eq 0 ]
	grep -q $'^#end\tafagg\tin\t0\tpartial' out
	sed 's/py::leaf/py::leaf_1/' in >other
	for name in py: job.py leaf_; do
		want_status 1 afagg --by callee:$name other
		said "no stack has the function '$name', but py::leaf_1:/home/job.py"
	done
	want_status 1 afagg --by callee:nothing in
	local inlined='(perfdec --inline shows those that the compiler has inlined)'
	echo "afagg: no stack has the function 'nothing' $inlined" | same - err
	want_status 1 afagg --by callee~nothing. in
	echo "afagg: no stack has a function that matches 'nothing.' $inlined" | same - err
	want_status 0 afagg --by 'callee:nothing?' in
	echo "afagg: left out 4 of 4 lines, whose stacks do not have nothing" | same - err
	# other parts of the input may have it
	want_status 0 afagg --by caller:nothing --partial in
	echo "afagg: left out 4 of 4 lines, whose stacks do not have nothing" | same - err
	# if none has it, the merge knows what it may be called
	afagg --by 'callee:main?,caller:leaf' --partial in >no.part
	afagg --by 'callee:main?,caller:leaf' --partial <(grep -v leaf in) >none.part
	for name in "no.part" "none.part no.part" "again.part"; do
		# shellcheck disable=SC2086 # words
		want_status 1 afagg $name
		said "afagg: no stack has the function 'leaf', but py::leaf:/home/job.py, which caller~leaf finds"
		afagg --partial none.part no.part >again.part
	done
	# a shard need not have it, but one must
	afagg --by caller:nothing --partial in >no.part
	want_status 0 afagg --by caller:main --partial in
	afagg --by caller~leaf --partial in >some.part
	sed 1q in | afagg --no-marks --by caller~f --partial >other.part
	grep -v leaf in | afagg --by caller~leaf --partial >none.part
	want_status 0 afagg some.part none.part
	grep -q 'caller=f' out
	grep -v stack= in >flat
	want_status 1 afagg --by caller:main flat
	said "afagg: no line has 'stack', which 'caller:main' needs (perf record -g records stacks; 'caller:main?' allows that)"
}

@test "keys with a function that cannot be" {
	local key
	for key in caller: callee~ 'caller~(' 'caller~a,caller:b' 'caller,caller:a' 'callee:a,callee:a'; do
		want_status 2 afagg --by "$key" /dev/null
		[ ! -s out ]
	done
	said 'is given twice'
	want_status 2 afagg --by caller: /dev/null
	said 'afagg: --by: "caller:": a function is expected at the end'
}

@test "leaf, caller, root, stack:N" {
	stacks
	want_status 0 afagg --by leaf,caller,root --stat sum in
	want 'agg 40 r . m 8 leaf=. caller=. root=. stat=sum start=40 n=1
agg 20 r . m 3 leaf=leaf caller=f root=main stat=sum start=10 n=2
agg 30 r . m 4 leaf=main caller=. root=main stat=sum start=30 n=1'
	want_status 0 afagg --by stack:2 --stat sum in
	want 'agg 40 r . m 8 stack=. stat=sum start=40 n=1
agg 30 r . m 4 stack=main stat=sum start=30 n=1
agg 20 r . m 3 stack=main;f stat=sum start=10 n=2'
	local depth
	for depth in 100000 -100000; do
		want_status 0 afagg --by stack:$depth --stat sum in
		grep ^agg out | cut -f 6,7 | tr '\t' ' ' | same - <(printf '%s\n' '8 stack=.' '4 stack=main' \
			'2 stack=main;f;f;leaf' '1 stack=main;f;leaf')
	done
	want_status 0 afagg --by stack:-2 --stat sum in
	want 'agg 40 r . m 8 stack=. stat=sum start=40 n=1
agg 20 r . m 3 stack=f;leaf stat=sum start=10 n=2
agg 30 r . m 4 stack=main stat=sum start=30 n=1'
}

@test "a function's name is the same text as a key and as a region" {
	printf 'sample\t1\tr\ta;b\tm\t1\tstack=main;a\\x3bb\n' >in
	want_status 0 afagg --by region,leaf,frame --stat sum in
	grep -qF $'\ta;b\tm\t1\tleaf=a;b\tframe=a;b\t' out || fail "$(cat out)"
}

@test "a stream without stacks has no frames" {
	lines in <<<'sample 10 r f m 1 comm=a'
	want_status 1 afagg --by frame in
	said "no line has 'stack'"
}

# again ARGS...: results of in, in the file results.
again() {
	afagg --no-marks "$@" in >results
}

@test "a computed key that results have as a tag is taken from there, without a word" {
	local key tag
	lines in <<-'EOF'
	sample 1 r f m 2 stack=main;f pid=1 tid=1 comm=c
	sample 2 r g m 6 stack=main;g pid=1 tid=1 comm=c
	sample 1 s f m 10 stack=main;f pid=1 tid=1 comm=c
	sample 2 s g m 7 stack=main;g pid=1 tid=1 comm=c
	EOF
	again --by run,frame --stat sum
	for key in frame 'frame?'; do
		want_status 0 afagg --kind agg --by "$key" --stat mean,min results
		silent
		# the results overlap, so no statistic over all of them means anything
		want 'agg 1 . . m 6 frame=f stat=mean total=. start=1 n=2 of=sum
agg 1 . . m 2 frame=f stat=min total=. start=1 n=2 of=sum
agg 2 . . m 6.5 frame=g stat=mean total=. start=2 n=2 of=sum
agg 2 . . m 6 frame=g stat=min total=. start=2 n=2 of=sum
agg 2 . . m 12.5 frame=main stat=mean total=. start=1 n=2 of=sum
agg 2 . . m 8 frame=main stat=min total=. start=1 n=2 of=sum'
	done
	cp out one
	want_status 0 afagg --jobs 3 --kind agg --by 'frame?' --stat mean,min results
	same one out
	# what is made from them overlaps as well
	want_status 1 afagg --kind agg --by frame --stat sum results
	said 'results with the tag total count lines several times and cannot be added up'
	afagg --no-marks --kind agg --by frame --stat max results >twice
	want_status 0 afagg --kind agg --by frame --stat mean twice
	silent
	for key in caller leaf root pcomm caller:main callee:main caller~main; do
		again --by "run,$key" --stat sum
		tag=${key%%[:~]*}
		want_status 0 afagg --kind agg --by "$tag" --stat mean results
		silent
		[ "$(grep -c $'\t'"$tag=[^.].*stat=mean.*n=2" out)" -ge 1 ] || fail "$key: $(cat out)"
	done
	# stacks of results are like those of samples
	again --by run,stack --stat sum
	want_status 0 afagg --kind agg --by frame --stat sum results
	silent
	want 'agg 1 . . m 12 frame=f stat=sum total=25 start=1 n=2 of=sum
agg 2 . . m 13 frame=g stat=sum total=25 start=2 n=2 of=sum
agg 2 . . m 25 frame=main stat=sum total=25 start=1 n=4 of=sum'
}

@test "results have one computed key, but not another" {
	stacks
	again --by run,frame,pcomm --stat max
	want_status 1 afagg --kind agg --by frame,pcomm,leaf,root --stat max results
	said "afagg: no line has 'stack', which 'leaf' needs (perf record -g records stacks; 'leaf?' allows that)"
	[ "$(grep -c 'no line has' err)" -eq 1 ]
	# the results do not tell whose callers they have
	again --by caller:main --stat max
	want_status 1 afagg --kind agg --by caller:f --stat max results
	said "afagg: no line has 'stack', which 'caller:f' needs, but lines have 'caller': use that key"
	# some lines have neither
	again --by frame --stat sum
	lines more <<<'agg 1 r . m 5 stat=sum'
	want_status 0 afagg --no-marks --kind agg --by frame --stat max results more
	echo 'afagg: 1 of 5 lines have no stack' | same - err
	# it is known, and nothing
	lines in <<<'agg 1 r . m 5 frame=. stat=sum'
	want_status 0 afagg --kind agg --by frame --stat max in
	echo 'afagg: frame is not recorded: it is "." on all lines' | same - err
}

@test "results whose total is unknown cannot be added up either" {
	lines in <<-'EOF'
	span 1 r f inclusive 5 start=0 stack=main;f depth=1
	span 2 r main inclusive 7 start=0 stack=main depth=0
	EOF
	again --by run,frame --stat sum
	grep -q $'\ttotal=\\.' results
	want_status 1 afagg --kind agg --by run --stat sum results
	said 'results with the tag total count lines several times and cannot be added up'
}

@test "what a missing key needs, or is called in the stream" {
	lines in <<<'sample 10 r f m 1 comm=a tid=1'
	want_status 1 afagg --by frame in
	grep -qxF "afagg: no line has 'stack', which 'frame' needs (perf record -g records stacks; 'frame?' allows that)" err
	want_status 1 afagg --by callers,frames,callee in
	said "afagg: no line has 'callers' (afagg's key is caller; 'callers?' allows that)"
	said "afagg: no line has 'frames' (afagg's key is frame; 'frames?' allows that)"
	said "afagg: no line has 'callee' (afagg's key is callee:NAME; 'callee?' allows that)"
	want_status 1 afagg --by stack in
	said "afagg: no line has 'stack' (perf record -g records stacks; 'stack?' allows that)"
	want_status 1 afagg --by stack:-2 in
	said "no line has 'stack', which 'stack:-2' needs (perf"
	# two keys that need it: the first one is named
	want_status 1 afagg --by root,leaf in
	said "no line has 'stack', which 'root' needs (perf"
	want_status 1 afagg --by process,thread,function in
	said "afagg: no line has 'process'; did you mean comm?"
	said "afagg: no line has 'thread'; did you mean tid?"
	said "afagg: no line has 'function'; did you mean region?"
	# what is not there is not suggested
	want_status 1 afagg --by object in
	said "afagg: no line has 'object' ('object?' allows that; tags: comm, tid)"
	want_status 1 afagg --by srcline in
	said "afagg: no line has 'srcline' (perfdec --srcline adds it as line; 'srcline?' allows that)"
	want_status 1 afagg --by window in
	said "afagg: no line has 'window' (afagg --window SIZE makes windows; 'window?' allows that)"
	want_status 1 afagg --by syscall in
	said "afagg: no line has 'syscall' (afpair adds it to pairs of raw_syscalls; 'syscall?' allows that)"
	lines in <<<'sample 10 r f m 1 dso=/lib/a.so line=a.c:5'
	want_status 1 afagg --by object in
	said "afagg: no line has 'object'; did you mean dso?"
	want_status 1 afagg --by srcline in
	said "afagg: no line has 'srcline'; did you mean line?"
}

@test "windows: aligned to time 0, shifted, from the first line, without a time" {
	lines in <<-'EOF'
	sample 95 r f m 1
	sample 100 r f m 2
	sample 199 r f m 4
	sample 1000 r f m 8
	sample . r f m 16
	EOF
	want_status 0 afagg --window 100ns --stat sum in
	want 'agg . r . m 16 window=. stat=sum n=1 windows=100
agg 95 r . m 1 window=0 stat=sum start=95 n=1 windows=100
agg 199 r . m 6 window=100 stat=sum start=100 n=2 windows=100
agg 1000 r . m 8 window=1000 stat=sum start=1000 n=1 windows=100'
	want_status 0 afagg --window 0.1us --window-from 96 --stat sum in
	want 'agg . r . m 16 window=. stat=sum n=1 windows=100
agg 95 r . m 1 window=-4 stat=sum start=95 n=1 windows=100
agg 100 r . m 2 window=96 stat=sum start=100 n=1 windows=100
agg 199 r . m 4 window=196 stat=sum start=199 n=1 windows=100
agg 1000 r . m 8 window=996 stat=sum start=1000 n=1 windows=100'
	cp out at
	want_status 0 afagg --window 0.1us --window-from 0.096us --stat sum in
	same at out
	want_status 0 afagg --window 100ns --window-from first --stat sum in
	want 'agg . r . m 16 window=. stat=sum n=1 windows=100@first
agg 100 r . m 3 window=0 stat=sum start=95 n=2 windows=100@first
agg 199 r . m 4 window=100 stat=sum start=199 n=1 windows=100@first
agg 1000 r . m 8 window=900 stat=sum start=1000 n=1 windows=100@first'
}

@test "windows from the first line: the times of each run since it began, however runs are mixed" {
	lines in <<-'EOF'
	run 90 a . . . host=x
	run 5000000090 b . . . host=y
	sample 5000000095 b f m 1
	sample 95 a f m 2
	sample 80 a f m 4
	sample 190 a f m 8
	sample 5000000189 b f m 16
	sample 700 c f m 32
	sample 650 c f m 64
	sample 800 c f m 128
	EOF
	want_status 0 afagg --by run --window 100ns --window-from first --stat sum in
	want 'run 90 a . . . host=x
run 5000000090 b . . . host=y
agg 80 a . m 4 window=-100 stat=sum start=80 n=1 windows=100@first
agg 95 a . m 2 window=0 stat=sum start=95 n=1 windows=100@first
agg 190 a . m 8 window=100 stat=sum start=190 n=1 windows=100@first
agg 5000000189 b . m 17 window=0 stat=sum start=5000000095 n=2 windows=100@first
agg 650 c . m 64 window=-100 stat=sum start=650 n=1 windows=100@first
agg 700 c . m 32 window=0 stat=sum start=700 n=1 windows=100@first
agg 800 c . m 128 window=100 stat=sum start=800 n=1 windows=100@first'
	silent
	# rows of runs with different clocks meet; what was chosen changes nothing
	afsel --where 'region=f && value!=1' in | afagg --by run.host? --window 100ns --window-from first --stat sum |
		aftab --wide run.host 2>/dev/null >out
	grep -q '^ 0\.000000000s  2  16   32$' out || fail "$(cat out)"
	want_status 0 afagg --by run.host? --window 200ns/100ns --window-from first --stat sum,rate in
	unmarked out | grep -c 'window=-100.*stat=sum' | grep -qx 3
}

@test "windows from the first line: the last run line counts, a run line without a time or of another kind does not" {
	lines in <<-'EOF'
	run . a . . .
	sample 30 a f m 1
	run x a . . .
	lost 7 a . . 1
	sample 40 a f m 2
	run 100 a . . .
	sample 105 a f m 4
	EOF
	want_status 0 afagg --no-marks --window 10ns --window-from first --stat sum in
	unmarked out | grep '^agg' | cut -f 6,7 | paste -s -d ' ' >got
	printf '%s\n' '1	window=0 4	window=0 2	window=10' >want
	sed -i 's/1	window=0 4	window=0/5	window=0/' want
	same want got
	# the kind run may be aggregated itself
	want_status 0 afagg --kind run,sample --stat count --window 10ns --window-from first <(sed 3d in)
	unmarked out | grep '^agg' | cut -f 6,7 | paste -s -d ' ' | grep -q '^1	window=\. '
}

@test "windows from the first line: the ends of the clock" {
	lines in <<-'EOF'
	run 18446744073709551615 a . . .
	sample 18446744073709551615 a f m 1
	sample 0 a f m 2
	sample 18446744073709551614 a f m 4
	EOF
	want_status 0 afagg --window 3ns --window-from first --stat sum <(head -n 2 in; tail -n 1 in)
	unmarked out | grep '^agg' | cut -f 6,7 | paste -s -d ' ' >got
	printf '4	window=-3 1	window=0\n' | same got -
	want_status 1 afagg --window 3ns --window-from first --stat sum in
	said 'afagg: in:3: time "0" is too long before the run began'
	lines in <<-'EOF'
	run 18446744073709551614 a . . .
	sample 0 a f m 2
	EOF
	want_status 0 afagg --window 1ns --window-from first --stat sum in
	unmarked out | grep -q 'window=-18446744073709551614'
}

@test "windows from the first line: intervals that began before their window, and before their run" {
	lines in <<-'EOF'
	run 1000 a . . .
	span 1100 a f m 100 start=900
	span 1210 a f m 50 start=1160
	EOF
	want_status 0 afagg --window 100ns --window-from first --stat sum in
	said 'afagg: 2 of 2 spans or intervals began before the window in which they end'
	want 'run 1000 a . . .
agg 1100 a . m 100 window=100 stat=sum start=900 n=1 windows=100@first
agg 1210 a . m 50 window=200 stat=sum start=1160 n=1 windows=100@first'
	sed -i 's/1160/1200/' in
	want_status 0 afagg --window 200ns --window-from first --stat sum in
	said 'afagg: 1 of 2 spans or intervals began before'
}

@test "windows: intervals that began before are said, as the windows before have none of their value" {
	lines in <<-'EOF'
	span 95 r f m 90 start=5
	span 1000 r f m 101 start=899
	span 2000 r f m 100 start=1900
	span 3000 r f m 800 start=2200
	EOF
	local how why='spans or intervals began before the window in which they end: the whole value counts there, and none before'
	want_status 0 afagg --window 100ns --stat sum in
	want 'agg 95 r . m 90 window=0 stat=sum start=5 n=1 windows=100
agg 1000 r . m 101 window=1000 stat=sum start=899 n=1 windows=100
agg 2000 r . m 100 window=2000 stat=sum start=1900 n=1 windows=100
agg 3000 r . m 800 window=3000 stat=sum start=2200 n=1 windows=100'
	said "afagg: 3 of 4 $why"
	want_status 0 afagg --jobs 2 --window 200ns --stat rate in
	said "afagg: 3 of 4 $why"
	# a distribution of what ends in a window is what it seems to be
	want_status 0 afagg --window 100ns --stat count,median,max in
	silent
	# few that are not longer are the usual error at edges; many are not
	{
		for i in 1 2 3 4 5 6 7 8 9; do event sample ${i}50 f m 1 "start=${i}00"; done
		event sample 1050 f m 1 start=970
	} >in
	want_status 0 afagg --window 100ns --stat sum in
	silent
	# one that is longer is always said, one that is as long not
	sed 's/start=970/start=950/' in >as_long
	want_status 0 afagg --window 100ns --stat sum as_long
	silent
	sed 's/start=970/start=949/' in >longer
	want_status 0 afagg --window 100ns --stat sum longer
	said "afagg: 1 of 10 $why"
	event sample 1150 f m 1 start=1070 >>in
	want_status 0 afagg --window 100ns --stat sum in
	said "afagg: 2 of 11 $why"
	want_status 0 afagg --window 10us --stat sum in
	silent
	# of perf stat, none of which is within a window
	printf 'sample\t%s\tr\t.\tcycles\t7\tstart=%s\n' 1020 20 2030 1020 3030 2030 >stat
	for how in 1us 700ns; do
		want_status 0 afagg --window "$how" --stat sum stat
		echo "afagg: 3 of 3 $why (--by time instead of --window shows intervals as they are)" | same - err
		want_status 0 afagg --jobs 2 --window "$how" --stat sum stat
		echo "afagg: 3 of 3 $why (--by time instead of --window shows intervals as they are)" | same - err
	done
	printf 'sample\t3990\tr\t.\tcycles\t7\tstart=3040\n' >>stat
	want_status 0 afagg --window 1us --stat sum stat
	echo "afagg: 3 of 4 $why" | same - err
	# samples at one time are no intervals
	event sample 5 f m 1 >>in
	want_status 0 afagg --window 100ns --stat sum in
	said "afagg: 2 of 11 $why"
}

@test "windows that overlap: a line is in several, and the total counts it once" {
	lines in <<-'EOF'
	sample 250 r f m 1
	sample 310 r f m 2
	EOF
	want_status 0 afagg --window 200ns/100ns --stat sum,rate in
	want 'agg 250 r . m 1 window=100 stat=sum total=3 start=250 n=1 windows=200/100
agg 250 r . m 5000000 window=100 stat=rate total=. start=250 n=1 windows=200/100
agg 310 r . m 3 window=200 stat=sum total=3 start=250 n=2 windows=200/100
agg 310 r . m 15000000 window=200 stat=rate total=. start=250 n=2 windows=200/100
agg 310 r . m 2 window=300 stat=sum total=3 start=310 n=1 windows=200/100
agg 310 r . m 10000000 window=300 stat=rate total=. start=310 n=1 windows=200/100'
}

@test "rate without windows: per second from the run's first line to its last" {
	lines in <<-'EOF'
	sample 1000000000 a f m 6
	sample 3000000000 a g m 4
	sample 1000000000 b f m 1
	EOF
	want_status 0 afagg --by run,region --stat rate in
	want 'agg 1000000000 a f m 3 stat=rate start=1000000000 n=1
agg 3000000000 a g m 2 stat=rate start=3000000000 n=1
agg 1000000000 b f m . stat=rate start=1000000000 n=1'
	said "1 group has no rate"
	want_status 0 afagg --by region --stat rate in
	said "1 group has no rate"
}

@test "--of: another number of the line; lines without it are counted" {
	lines in <<-'EOF'
	sample 1 r f m 5 tp.len=10
	sample 2 r f m 5 tp.len=30
	sample 3 r f m 5
	EOF
	want_status 0 afagg --of tp.len --stat count,sum in
	want 'agg 2 r . m 2 stat=count start=1 n=2 of=tp.len
agg 2 r . m 40 stat=sum start=1 n=2 of=tp.len'
	said '1 line without tp.len is not counted'
	want_status 1 afagg --of tp.length in
	said "no line has 'tp.length'; did you mean tp.len?"
}

@test "--weight: a line counts as often as its tag says" {
	lines in <<-'EOF'
	sample 1 r f m 5 w=3
	sample 2 r f m 9 w=1
	sample 3 r f m 7 w=0
	EOF
	want_status 0 afagg --weight w --stat count,sum,mean,median in
	# nobody shall take them for results of the values themselves
	want 'agg 2 r . m 4 stat=count start=1 n=2 of=value*w
agg 2 r . m 24 stat=sum start=1 n=2 of=value*w
agg 2 r . m 6 stat=mean start=1 n=2 of=value*w
agg 2 r . m 5 stat=median start=1 n=2 of=value*w'
	unmarked out >whole
	afagg --weight w --stat count,sum,mean,median --partial in | afagg | unmarked - | same whole -
	want_status 0 sh -c 'afagg --weight w --stat sum in | afagg --kind agg --by region?'
	want 'agg 2 r . m 24 of=value*w stat=sum start=1 n=2'
	want_status 0 afagg --of w --weight w --stat sum in
	want 'agg 2 r . m 10 stat=sum start=1 n=2 of=w*w'
	# results that are joined are still what they were
	lines agg <<-'EOF'
	agg 1 r f m 5 stat=mean n=3
	agg 1 r g m 9 stat=mean n=1
	EOF
	want_status 0 afagg --kind agg --weight n --stat mean agg
	want 'agg 1 r . m 6 stat=mean start=1 n=4 of=mean'
	# sums and counts are not joined by that
	lines agg <<-'EOF'
	agg 1 r f m 5 stat=sum n=3
	agg 1 r g m 9 stat=sum n=1
	agg 1 r g m 2 stat=count n=1
	agg 1 r g m 2 stat=count n=1 of=max
	EOF
	want_status 0 afagg --kind agg --weight n --stat sum agg
	want 'agg 1 r . m 2 stat=sum start=1 n=1 of=count*n
agg 1 r . m 2 stat=sum start=1 n=1 of=count*n(max)
agg 1 r . m 24 stat=sum start=1 n=4 of=sum*n'
	lines in <<<'sample 1 r f m 5 w=-1'
	want_status 1 afagg --weight w in
	said 'weight "-1" is not an integer from 0 to 2^64 - 1'
}

@test "--weight n: means that are joined in two steps are those of all lines" {
	lines in <<-'EOF'
	sample 1 r f m 10 cpu=0 w=7
	sample 2 r f m 20 cpu=0 w=7
	sample 3 r f m 60 cpu=1 w=7
	sample 4 r g m 7 cpu=1 w=1
	EOF
	afagg --by region,cpu -s mean in >cpus
	want_status 0 afagg --kind agg --by region --weight n -s mean cpus
	want 'agg 3 r f m 30 stat=mean start=1 n=3 of=mean
agg 4 r g m 7 stat=mean start=4 n=1 of=mean'
	mv out regions
	want_status 0 afagg --kind agg --weight n -s mean regions
	want 'agg 4 r . m 24.25 stat=mean start=1 n=4 of=mean(mean)'
	# another weight makes another quantity, which has no number of lines
	afagg --by region,cpu,w -s mean in >weighted
	want_status 0 afagg --kind agg --by region --weight w -s mean weighted
	want 'agg 3 r f m 37.5 stat=mean start=1 n=2 of=mean*w
agg 4 r g m 7 stat=mean start=4 n=1 of=mean*w'
	mv out regions
	want_status 1 afagg --kind agg --weight n -s mean regions
	said 'means of mean*w do not have the weight n, the number of lines'
	afagg --by region,cpu,w -s mean in | want_status 0 afagg --kind agg,sample --weight w -s mean - in
	want 'agg 4 r . m 35.46666666666667 stat=mean start=1 n=3 of=mean*w
agg 4 r . m 28.954545454545453 stat=mean start=1 n=4 of=value*w'
}

@test "--of and --weight: lines without one of the tags are counted together" {
	lines in <<-'EOF'
	sample 1 r f m 5 len=10 w=3
	sample 2 r f m 5 len=30
	sample 3 r f m 5 w=2
	sample 4 r f m 5
	EOF
	want_status 0 afagg --of len --weight w in
	want 'agg 1 r . m 3 stat=count start=1 n=1 of=len*w
agg 1 r . m 30 stat=sum start=1 n=1 of=len*w'
	echo 'afagg: 3 lines without one of the tags are not counted' | same - err
	want_status 0 afagg --of len --weight w <(head -n 2 in)
	echo 'afagg: 1 line without one of the tags is not counted' | same - err
	head -n 2 in >weights
	want_status 0 afagg --weight w weights
	echo 'afagg: 1 line without w is not counted' | same - err
}

@test "results and other lines: each statistic apart from the values of the lines" {
	lines in <<-'EOF'
	sample 1 r f m 5
	sample 2 r f m 9
	EOF
	afagg --no-marks --by region --stat count,sum in >results
	want_status 0 afagg --no-marks --kind agg,sample --by region --stat mean,max results in
	want 'agg 2 r f m 7 stat=mean start=1 n=2
agg 2 r f m 9 stat=max start=1 n=2
agg 2 r f m 2 stat=mean start=1 n=1 of=count
agg 2 r f m 2 stat=max start=1 n=1 of=count
agg 2 r f m 14 stat=mean start=1 n=1 of=sum
agg 2 r f m 14 stat=max start=1 n=1 of=sum'
	silent
	# a histogram is added up by its bins only
	afagg --no-marks --by region --stat hist --bins 7 in >bins
	want_status 0 afagg --no-marks --kind agg --by region,lo,hi bins bins
	want 'agg 2 r f m 2 lo=0 hi=7 stat=hist start=1 n=4
agg 2 r f m 2 lo=7 hi=14 stat=hist start=1 n=4'
	want_status 1 afagg --no-marks --kind agg --by region bins
	said 'results of the statistic "hist" cannot be added up'
	unmarked out | same /dev/null -
}

@test "results are joined by the rule of their statistic" {
	lines in <<-'EOF'
	sample 1 r f m 5
	sample 2 r f m 9
	EOF
	lines in2 <<-'EOF'
	sample 3 s f m 1
	sample 4 s g m 2
	EOF
	want_status 0 afagg --by region --stat count,sum,min,max in
	unmarked out >a
	want_status 0 afagg --by region --stat count,sum,min,max in2
	unmarked out >b
	want_status 0 afagg --by region --stat count,sum,min,max in in2
	unmarked out | LC_ALL=C sort >whole
	want_status 0 afagg --no-marks --kind agg --by region b a
	unmarked out | LC_ALL=C sort >joined
	same whole joined
}

@test "means, deviations and percentiles are not joined: status 1, and what to do" {
	local stat
	lines in <<-'EOF'
	sample 1 r f m 5
	sample 2 r f m 9
	EOF
	for stat in mean stddev median p99 share rate; do
		want_status 0 afagg --stat "sum,$stat" in
		unmarked out >shard
		want_status 1 afagg --no-marks --kind agg shard
		said "results of the statistic \"$stat\" cannot be added up: make partial results (afagg --partial) and merge those"
		want_status 1 afagg --no-marks --kind agg --stat sum shard
		said "results of the statistic \"$stat\" cannot be added up"
	done
	lines in <<<'sample 1 r f m 5 stack=a;b'
	want_status 0 afagg --by frame in
	unmarked out >shard
	want_status 1 afagg --no-marks --kind agg shard
	said 'count lines several times and cannot be added up'
}

@test "results that are not joined: one message and their number, whatever the number of threads" {
	local jobs
	for i in $(seq 40); do echo "sample $i r f$i m 5 rank=$((i % 2))"; done | lines in
	want_status 0 afagg --by rank,region --stat count,sum,p99,mean in
	cp out shard
	cat >want <<-'EOF'
	afagg: shard:4: results of the statistic "p99" cannot be added up: make partial results (afagg --partial) and merge those
	afagg: 80 results were left out for such reasons
	EOF
	for jobs in 1 3; do
		want_status 1 afagg --kind agg --by rank --jobs $jobs shard
		same want err
		[ "$(grep -c '^agg' out)" -eq 4 ]
		tail -n 1 out | grep -q '	partial	input incomplete or refused$'
	done
	# what else is wrong is told each time
	{
		grep -v '^#end' shard
		printf 'agg\t.\tr\tf\tm\t5\tstat=%s\tn=%s\trank=0\n' count x p99 1 sum y
		grep '^#end' shard | sed 's/160/163/'
	} >others
	{
		sed 's/shard/others/; 1q' want
		echo 'afagg: others:162: n "x" is not a number of lines'
		echo 'afagg: others:164: n "y" is not a number of lines'
		sed '1d; s/80/81/' want
	} >want.others
	for jobs in 1 3; do
		want_status 1 afagg --kind agg --by rank --jobs $jobs others
		same want.others err
	done
	# one of them only
	want_status 0 afagg --stat sum,p99 in
	cp out shard
	want_status 1 afagg --kind agg --by rank? shard
	sed 's/shard:4/shard:3/; 1q' want | same - err
}

@test "statistics over results: each statistic apart" {
	lines in <<-'EOF'
	agg 1 r f m 5 stat=mean n=2
	agg 2 s f m 9 stat=mean n=2
	agg 2 s f m 100 stat=sum n=2
	EOF
	want_status 0 afagg --kind agg --stat max in
	want 'agg 2 . . m 9 stat=max start=1 n=2 of=mean
agg 2 s . m 100 stat=max start=2 n=1 of=sum'
}

@test "afagg after afagg: a refusal, not an empty table" {
	lines in <<<'sample 1 r f m 5'
	want_status 0 afagg in
	cp out one
	want_status 1 afagg --by region one
	said 'no events, only results (lines of kind agg): --kind agg joins them'
	lines in <<<'diff . . f m 3 stat=sum before=4 after=7'
	want_status 1 afagg in
	said 'afagg: no events, only changes (lines of kind diff)'
}

@test "usage: keys, windows, tags" {
	local arg
	for arg in stack:0 stack:x stack: stack:100001 stack:-100001 caller: stat agg.n part.by 'a,a' 'stack:1,stack:-1' total; do
		want_status 2 afagg --by "$arg"
	done
	for arg in 0s 1 1x 1s/0.3s .5s 1.s 99999999999999h 1s/1ns '' 1s/; do
		want_status 2 afagg --window "$arg"
	done
	want_status 2 afagg --window-from 0
	want_status 2 afagg --window 1s --window-from soon
	want_status 2 afagg --of value
	want_status 2 afagg --of ''
	want_status 2 afagg --partial --window 1s --window-from first
	want_status 2 afagg --partial --kind agg
	want_status 2 afagg --partial --by unit
	want_status 2 afagg --kind part
}

@test "judged by perf report --children: inclusive totals of each function with a name" {
	need perf python3
	perf record -q -e cpu-clock -o probe.data true 2>/dev/null || skip "perf cannot record here"
	cat >prog.c <<-'EOC'
	#include <stdlib.h>
	volatile unsigned long x;
	__attribute__((noinline)) void leaf(unsigned long n) { while (n-- > 0) x += n * n; }
	__attribute__((noinline)) void once(void) { leaf(100000); x++; }
	__attribute__((noinline)) void down(int n) { if (n > 0) down(n - 1); leaf(20000); x++; }
	__attribute__((noinline)) int cmp(const void *a, const void *b) { leaf(20); return *(const int *)a - *(const int *)b; }
	int main(void) {
		int v[2000], i, k;
		for (k = 0; k < 40; k++) {
			for (i = 0; i < 2000; i++) v[i] = rand();
			qsort(v, 2000, sizeof *v, cmp); down(10); once();
		}
		return 0;
	}
	EOC
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o prog prog.c
	perf record -q -F 2000 -e cpu-clock -g -o data ./prog
	perf report -i data --children --no-inline -g none --sort sym --stdio --percent-limit 0 >children 2>/dev/null
	perfdec data >in 2>/dev/null
	want_status 0 afagg --by frame --stat sum in
	cat >judge.py <<-'EOP'
	import re
	want = {}
	for line in open('children', errors='replace'):
	    m = re.match(r'\s*([\d.]+)%\s+[\d.]+%\s+\[.\] (.*?)\s*$', line)
	    if m and not m.group(2).startswith('0'):
	        want[m.group(2)] = want.get(m.group(2), 0) + float(m.group(1))
	got = {}
	for line in open('out'):
	    f = line.rstrip('\n').split('\t')
	    if f[0] == 'agg':
	        tags = dict(t.split('=', 1) for t in f[6:])
	        got[tags['frame']] = 100 * int(f[5]) / int(tags['total'])
	assert len(want) > 5 and want['main'] > 10, want
	for name in want:
	    if name == '_init' and any(x.endswith('@plt') for x in got):
	        continue # perf's name for the stubs of calls into libraries
	    assert abs(got.get(name, -1) - want[name]) <= 0.0101, (name, want[name], got.get(name))
	EOP
	python3 judge.py 2>log || fail "$(tail -n 1 log)"
}

@test "--of: neither the unit nor the type of the value; statistics of different tags stay apart" {
	lines in <<-'EOS'
	sample 1 r f m 5 cpu=1 unit=ns
	sample 2 r f m 5 cpu=3 unit=us type=text
	EOS
	want_status 0 afagg --of cpu --stat sum in
	want 'agg 2 r . m 4 stat=sum start=1 n=2 of=cpu'
	cp out a
	want_status 0 afagg --stat sum --kind sample in
	cp out b
	want_status 0 afagg --no-marks --kind agg --stat sum a b
	grep -q 'of=sum(cpu)' out || fail "$(cat out)"
}

@test "a width of bins is exact, so that each value is between the bounds of its bin" {
	local width
	lines in <<<'sample 1 r f m 3'
	for width in 0.1 0.3 2.7; do
		want_status 2 afagg --stat hist --bins "$width" in
		said "a width of $width has no exact value in binary"
	done
	for width in 1e3 1e-1 9007199254740993.5; do
		want_status 2 afagg --stat hist --bins "$width" in
		said "a width is an integer, or a decimal of up to 15 digits without an exponent: $width is neither"
	done
	for width in 1 0.25 0.5 2.75 10 0.0625 2.50; do
		want_status 0 afagg --stat hist --bins "$width" in
	done
}

@test "as many keys as there may be, and a window" {
	want_status 2 afagg --by "$(seq -s, -f 'k%g?' 1 64)" --window 1s
	want_status 2 afagg --by "$(seq -s, -f 'k%g?' 1 65)"
	said 'afagg: --by: more than 64 keys'
	want_status 2 afagg --by 'window?' --window 1s
	said 'window is a key already'
	# results have further keys: what they are of, and how their windows lie
	lines in <<<'agg 1 r f m 5 stat=sum n=1 window=0 windows=10'
	local keys most
	while read -r most options; do
		keys=$(seq -s, -f 'k%g?' 1 $((most - 1)))
		# shellcheck disable=SC2086 # options are words
		want_status 0 afagg --no-marks --kind agg --by "window?,$keys" $options in
		[ "$(grep -o '	k[0-9]*=\.' out | wc -l)" -eq $((most - 1)) ] || fail "$options: $(cat out)"
		grep -q '	windows=10$' out
		# shellcheck disable=SC2086
		want_status 2 afagg --no-marks --kind agg --by "window?,$keys,more?" $options in
		said 'afagg: more than 64 keys'
	done <<-'END'
	62
	63 --stat count
	END
	keys=$(seq -s, -f 'k%g?' 1 62)
	want_status 0 afagg --no-marks --kind agg --by "$keys" --window 1s in
	grep -q '	windows=1000000000' out
	want_status 2 afagg --no-marks --kind agg --by "$keys,more?" --window 1s in
	said 'afagg: more than 64 keys'
}

@test "values of a whole run, region or section are no parts of a total, whatever they are called" {
	local t
	local why='afagg: sums and means count the same several times: values of a whole run, region or section contain those of the regions inside (to tell them apart: --by scope,region)'
	printf '%s\n' '# AFPerf v1     ' RunInfo,0,nanoseconds,1639527663.5,1.0.0,1,m,2, \
		MeasurementType,0,1,1,cpu,int64,ns,, RegionStart,0,1,1,main, RegionStart,10,1,2,parse, \
		RegionStop,50,2 RegionAggregate,50,10,2,,1,40 RegionStop,100,1 \
		RegionAggregate,100,0,1,,1,100 RunAggregate,100,0,1,,1,105 >in
	want_status 0 afdec in
	grep -v '^st' out >af
	unmarked af >lines
	want_status 0 afagg --by region --stat sum,share af
	grep ^agg out >whole
	same whole - <<-'EOF'
	agg	100	1	.	cpu	105	stat=sum	total=.	start=0	n=1	mid=1	unit=ns	type=int64
	agg	100	1	.	cpu	.	stat=share	total=.	start=0	n=1	mid=1	unit=ns	type=int64
	agg	100	1	main	cpu	100	stat=sum	total=.	start=0	n=1	mid=1	unit=ns	type=int64
	agg	100	1	main	cpu	.	stat=share	total=.	start=0	n=1	mid=1	unit=ns	type=int64
	agg	50	1	parse	cpu	40	stat=sum	total=.	start=10	n=1	mid=1	unit=ns	type=int64
	agg	50	1	parse	cpu	.	stat=share	total=.	start=10	n=1	mid=1	unit=ns	type=int64
	EOF
	want_status 0 aftab --no-marks whole
	same out - <<-'EOF'
	cpu [ns]: 3 groups
	region  sum  share
	.       105      .
	main    100      .
	parse    40      .
	EOF
	# the same from partial results, of which each has one line
	for t in run main parse; do
		grep -v '^span' lines >shard
		case $t in
		run) grep scope=run lines >>shard ;;
		*) grep "^span	.*	$t	" lines >>shard ;;
		esac
		want_status 0 afagg --no-marks --by region --stat sum,share --partial shard
		cp out "$t.part"
	done
	want_status 0 afagg run.part main.part parse.part
	unmarked out | grep ^agg >merged
	same whole merged
	# a group with several of them
	echo "$why" >why
	want_status 0 afagg af
	same why err
	want_status 0 afagg --jobs 2 af
	same why err
	want_status 0 afagg --by scope af
	same why err
	want_status 0 afagg --by scope,region af
	silent
	want_status 0 afagg --by id --stat max af
	silent
	grep -v 'main' af | sed 's/	complete$/	partial/' >some
	want_status 0 afagg --no-marks --by scope some
	silent
	# points of several scopes, and what one name says of two scopes
	printf 'sample\t1\tr\tf\tm\t%s\tscope=%s\n' 1 run 2 region >points
	want_status 0 afagg --no-marks --by region points
	same why err
	[ "$(grep -c 'total=\.' out)" -eq 2 ]
	sed -i '$s/region/run/' points
	want_status 0 afagg --no-marks --by region points
	silent
	[ "$(grep -c 'total=' out)" -eq 0 ]
	# self times are those of one region alone, and so are those that a Perun profile has
	for t in self time.self inclusive; do
		printf 'span\t1\tr\tf\t%s\t%s\tscope=%s\n' $t 1 run $t 2 region >points
		want_status 0 afagg --no-marks --stat sum,max points
		silent
		[ "$(grep -c 'total=' out)" -eq 0 ]
	done
	# aggregates of the source: run and region are not added up in silence, and aftab has no shares
	printf 'agg\t9\tr\t%s\tm\t%s\tscope=%s\tstat=sum\tunit=ns\n' . 105 run main 100 region >aggs
	want_status 0 afagg --no-marks --kind agg aggs
	same why err
	want_status 0 aftab --no-marks aggs
	same out - <<-'EOF'
	m [ns]: 2 groups
	region  scope   sum
	.       run     105
	main    region  100
	EOF
	want_status 1 foldenc --no-marks aggs
	same out /dev/null
	said 'foldenc: aggs: the groups overlap (scope=), so they cannot be added up'
}

@test "durations that contain each other are added up: a note, unless nothing does" {
	local why='afagg: sums and means of inclusive and .delta count the same several times, since regions contain each other: use the measure self, or --by region, or choose one region'
	lines starts <<-'EOF'
	start 0 r a . . scope=region id=1
	start 10 r f . . scope=region id=2
	start 20 r g . . scope=region id=3
	stop 60 r . . . scope=region id=3
	stop 90 r . . . scope=region id=2
	start 91 r f . . scope=region id=4
	stop 95 r . . . scope=region id=4
	stop 100 r . . . scope=region id=1
	EOF
	afdur starts >spans
	echo "$why" >why
	# nests ARGUMENT...: the note is the only message; apart: there is none.
	nests() {
		want_status 0 afagg "$@" && same why err || fail "$*"
	}
	apart() {
		want_status 0 afagg "$@" && silent || fail "$*"
	}
	nests spans
	nests --stat sum,max spans
	nests --stat mean spans
	nests --stat rate spans
	nests --by run --partial spans
	nests --by scope,run --window 1s spans
	nests --by stack:1 spans
	nests --by root spans
	apart --stat max,p95,count,stddev spans
	apart --by region spans
	apart --by frame spans
	apart --by stack spans
	apart --by leaf spans
	apart --by id spans
	apart --by depth spans
	apart --by parent spans
	apart --by caller spans
	# selections, of which only some contain each other
	selected() {
		want_status 0 afsel --where "measure=inclusive && ($1)" spans
		cp out chosen
	}
	selected depth=0
	apart chosen
	selected region=f
	apart chosen
	selected 'region=a || region=g'
	nests chosen
	selected 'region=f || region=g'
	nests chosen
	want_status 0 afsel --where measure=self spans
	cp out chosen
	apart chosen
	# the outer one in another run; the outer one first; growth; a recursion; without stacks
	selected region=g
	cp chosen inner
	selected region=a
	sed 's/	r	/	s	/' chosen >other
	apart inner other
	nests inner chosen
	nests chosen inner
	sed 's/	inclusive	/	bytes.delta	/' spans >growth
	nests growth
	sed 's/a;f/f;f/; s/stack=a	/stack=f	/' spans >recursion
	nests recursion
	apart --by region recursion
	apart --by stack recursion
	apart --by leaf recursion
	apart --by cpu?,leaf recursion
	sed 's/	stack=[^	]*//' spans >flat
	apart flat
	# several threads see parts of it, the outer region long after the inner one
	{
		grep ^span inner | awk '{ for (i = 0; i < 60000; i++) print }'
		grep ^span chosen
	} >many
	nests --jobs 3 many
	sed -i '$d' many
	apart --jobs 3 many
}

@test "results of several regions that may contain each other are added up: a note" {
	local why='afagg: sums and means of inclusive and .delta may count the same several times, since regions can contain each other: use the measure self, or --by region, or choose one region'
	local n
	nests() {
		want_status 0 afagg --kind agg "$@" && same err - <<<"$why" || fail "$*"
	}
	apart() {
		want_status 0 afagg --kind agg "$@" && silent || fail "$*"
	}
	printf 'span\t9\t%s\t%s\tinclusive\t5\ttid=%s\n' r f 1 r g 2 s g 3 >spans
	want_status 0 afagg --by run,region,tid --stat count,sum spans
	cp out all
	nests all
	nests --by run --stat sum all
	nests --stat mean all
	apart --by region all
	apart --by region,tid --stat mean all
	apart --stat max all
	# each group is of one region
	apart --by run,tid all
	want_status 0 afsel --where stat=count all
	cp out counts
	apart counts
	want_status 0 afsel --where region=f all
	cp out one
	apart one
	sed 's/\tinclusive\t/\tself\t/' all >self
	apart self
	sed 's/\tinclusive\t/\tmem.delta\t/' all >growth
	nests growth
	# without a region nothing is known
	sed 's/\t[fg]\t/\t.\t/' all >placeless
	apart placeless
	# several threads see parts of it
	{
		grep -v '^#' one
		for n in {1..20000}; do printf 'agg\t9\tr\tf\tinclusive\t5\ttid=%d\tstat=sum\tn=1\n' "$n"; done
		grep 'stat=sum' all | grep $'\tr\tg\t'
	} >many
	nests --jobs 3 many
	nests --jobs 1 many
	sed -i '$d' many
	apart --jobs 3 many
}

@test "memory for the notes about values that contain each other" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers take memory of their own"
	# one that is long takes memory of its own
	local long input
	long=$(printf '%0100000d' 1)
	printf 'span\t1\tr\tf\tinclusive\t1\tscope=region\tstack=%s\n' "a;$long" "a" >stacks
	printf 'span\t1\tr\t%s\tm\t1\tscope=region\n' "$long" g >scopes
	printf 'agg\t1\tr\t%s\tinclusive\t1\tstat=sum\n' "$long" g >results
	for input in stacks scopes; do
		afagg --no-marks $input 2>err >out
		grep -q '^afagg: sums and means .*count the same several times' err
		AFPIPE_SLOW=yes starves 20 afagg --no-marks $input
	done
	afagg --no-marks --kind agg results 2>err >out
	grep -q '^afagg: sums and means .*may count the same several times' err
	AFPIPE_SLOW=yes starves 20 afagg --no-marks --kind agg results
}

@test "results of several runs are no part of any: a note" {
	local key jobs
	for run in 1 2; do
		event run 1 . . . host=h$run
		event sample 1 both m $run
		event sample 1 only$run m $run
	done >"$T/events"
	afagg --by region --stat sum "$T/events" >"$T/agg"
	for key in run run.host region,run.host; do
		for jobs in 1 3; do
			want_status 0 afagg --jobs $jobs --kind agg --by $key "$T/agg"
			said 'afagg: 1 of 3 results are of several runs (run=.), and are no part of any: the values of each run are too small (use --by run,... for the events)'
		done
	done
	# without such a key; those of each run; no result of one run
	want_status 0 afagg --kind agg --by region "$T/agg"
	silent
	afagg --by run,region --stat sum "$T/events" | afagg --kind agg --by run >"$T/out" 2>"$T/err"
	silent
	afsel --where run=. "$T/agg" | afagg --kind agg --by run >"$T/out" 2>"$T/err"
	! grep -q 'several runs' "$T/err" || fail "$(cat "$T/err")"
}

@test "values of several events with the same name are noted, unless a key tells them apart" {
	local why="afagg: groups have values of several events with the same name (to tell them apart, add event to --by; to choose one: afsel -w 'event=N || event=.')"
	local keys jobs
	events() { # RUN MEASURE NUMBER...
		local of=$1 measure=$2 number
		shift 2
		for number; do
			run=$of event sample 5 f "$measure" 1 "id=$number" 'stack=main;f' "event=$number"
		done
	}
	{
		events 1 cycles 1 2
		events 1 faults .
	} >both
	for keys in 'region' 'frame' 'cpu?' 'region --window 2ns' 'run,measure -s max' 'event.x?'; do
		# shellcheck disable=SC2086 # options are words
		want_status 0 afagg --by $keys both
		said "$why"
	done
	for keys in event id 'event,frame'; do
		want_status 0 afagg --by "$keys" both
		silent
	done
	# the sum of both, which has no mark of that but the note
	want_status 0 afagg both
	unmarked out >got
	same got - <<-'EOF'
	agg	5	1	.	cycles	2	stat=count	start=5	n=2
	agg	5	1	.	cycles	2	stat=sum	start=5	n=2
	agg	5	1	.	faults	1	stat=count	start=5	n=1
	agg	5	1	.	faults	1	stat=sum	start=5	n=1
	EOF
	# results by event, which are added up
	want_status 0 afagg --by event both
	cp out results
	want_status 0 afagg --kind agg --by measure results
	said "$why"
	# the one who merges partial results may not have seen the note of who made them
	want_status 0 afagg --partial both
	said "$why"
	cp out parts
	want_status 0 afagg parts
	said "$why"
	# or there was none to see: each shard has one of the events
	local number
	for number in 1 2; do
		{
			events 1 cycles $number
			events 2 cycles 1
		} >one
		want_status 0 afagg --by 'id?' --partial one
		silent
		cp out part.id.$number
		want_status 0 afagg --partial one
		silent
		cp out part.$number
	done
	want_status 0 afagg part.1 part.2
	said "$why"
	want_status 0 afagg --partial part.1 part.2
	said "$why"
	want_status 0 afagg --partial part.1
	silent
	grep -v '^#' out | cat - part.2 >parts
	want_status 0 afagg --no-marks parts
	said "$why"
	want_status 0 afagg part.id.1 part.id.2
	silent
	events 3 cycles 2 >one
	want_status 0 afagg --partial one
	cp out part.3
	want_status 0 afagg part.1 part.3
	silent
	# one event of each name and run, and tags of other programs
	{
		events 1 cycles 1 1
		events 2 cycles 2 2
		events 1 faults 2
		events 3 cycles begin end
	} >apart
	want_status 0 afagg --by region apart
	silent
	# each thread has seen another event
	{
		awk 'BEGIN { for (i = 0; i < 20000; i++) print "sample\t5\t1\tf\tcycles\t1\tevent=1" }'
		awk 'BEGIN { for (i = 0; i < 20000; i++) print "sample\t5\t1\tf\tcycles\t1\tevent=2" }'
	} >long
	for jobs in 1 4; do
		want_status 0 afagg --jobs "$jobs" --by region long
		said "$why"
	done
	sed 's/event=2/event=1/' long >one
	want_status 0 afagg --jobs 4 --by region one
	silent
}

@test "stacks without frames, and frames without a name, as no decoder writes them" {
	local key
	cd "$T" || return
	printf 'sample\t%s\t1\tf\tm\t1\tstack=%s\n' 1 '' 2 ';' 3 ';b;c' 4 'a;;c' 5 'a;b;' >in
	for key in root leaf caller stack:1 stack:2 frame; do
		want_status 0 afagg --by "$key" --stat count in
		silent
		unmarked out | cut -f 6,7
	done | tr '\t' ' ' >got
	same got - <<-'END'
	3 root=
	2 root=a
	3 leaf=
	2 leaf=c
	2 caller=
	1 caller=.
	2 caller=b
	3 stack=
	2 stack=a
	1 stack=
	1 stack=;
	1 stack=;b
	1 stack=a;
	1 stack=a;b
	5 frame=
	2 frame=a
	2 frame=b
	2 frame=c
	END
}

@test "windows that overlap: each of them has all functions of a stack" {
	cd "$T"
	printf 'sample\t7\tr\tb\tm\t1\tstack=a;b\nsample\t12\tr\tb\tm\t2\tstack=a;c;b\n' >in
	want_status 0 afagg --no-marks --by frame --window 10ns/5ns --stat sum in
	same <(grep '^agg' out | cut -f 6-8) - <<-'END'
	1	frame=a	window=0
	3	frame=a	window=5
	2	frame=a	window=10
	1	frame=b	window=0
	3	frame=b	window=5
	2	frame=b	window=10
	2	frame=c	window=5
	2	frame=c	window=10
	END
}
@test "results: other tags than the value, windows again, one bound of a bin, and zeros" {
	lines in <<-'END'
	agg 1 r f m 5 window=0 stat=sum n=1 x=1 windows=10
	agg 12 r f m 6 window=10 stat=sum n=1 x=1 windows=10
	END
	want_status 2 afagg --kind agg --of x --by region in
	said 'afagg: --of cannot be used with --kind agg'
	want_status 0 afagg --kind agg --by region --window 100ns in
	want 'agg 12 r f m 11 window=0 stat=sum start=1 n=2 windows=100'
	# windows of two sizes are not mixed
	sed 's/windows=10/windows=20/' in >wider
	want_status 0 afagg --kind agg --by window in wider
	want <<-'END'
	agg 1 r . m 5 window=0 stat=sum start=1 n=1 windows=10
	agg 1 r . m 5 window=0 stat=sum start=1 n=1 windows=20
	agg 12 r . m 6 window=10 stat=sum start=12 n=1 windows=10
	agg 12 r . m 6 window=10 stat=sum start=12 n=1 windows=20
	END
	lines in <<-'END'
	agg 1 r f m 5 lo=1 hi=2 stat=hist n=5
	agg 1 r f m 6 lo=1 hi=3 stat=hist n=5
	END
	want_status 1 afagg --kind agg --by lo in
	[ -z "$(unmarked out)" ]
	said 'in:1: results of the statistic "hist" cannot be added up'
	said 'afagg: 2 results were left out'
	# each statistic of results is of its own; there are no results of max for f of cpu 2
	lines in <<-'END'
	agg 1 r f m 5 cpu=1 stat=max n=1
	agg 1 r g m 5 cpu=2 stat=max n=1
	END
	want_status 0 afagg --kind agg --by cpu,region --stat count --zeros region in
	want <<-'END'
	agg 1 r f m 1 cpu=1 stat=count start=1 n=1 of=max
	agg . r g m 0 cpu=1 stat=count n=0 of=max
	agg . r f m 0 cpu=2 stat=count n=0 of=max
	agg 1 r g m 1 cpu=2 stat=count start=1 n=1 of=max
	END
	# a statistic without a name is none that is 0 without lines; no more lines than can be counted
	lines in <<-'END'
	agg 1 r . m 5 comm=x stat= n=18446744073709551615
	agg 1 r . m 7 comm=x stat= n=2
	END
	want_status 0 afagg --kind agg --by comm --stat mean in
	want 'agg 1 r . m 6 comm=x stat=mean start=1 n=2 of='
	sed 's/stat=/&sum/' in >sums
	want_status 0 afagg --kind agg --by comm sums
	want 'agg 1 r . m 12 comm=x stat=sum start=1 n=18446744073709551615'
}

@test "zeros by a caller, by the tag that results have" {
	lines in <<-'END'
	sample 1 r f m 5 cpu=1 stack=a;f
	sample 1 r f m 5 cpu=2 stack=b;f
	END
	want_status 0 afagg --by cpu,caller:f --stat count --zeros caller in
	want <<-'END'
	agg 1 r . m 1 cpu=1 caller=a stat=count start=1 n=1
	agg . r . m 0 cpu=1 caller=b stat=count n=0
	agg . r . m 0 cpu=2 caller=a stat=count n=0
	agg 1 r . m 1 cpu=2 caller=b stat=count start=1 n=1
	END
	cp out by.tag
	want_status 0 afagg --by cpu,caller:f --stat count --zeros caller:f in
	same by.tag out
}

@test "windows that overlap at the end of the clock" {
	local time
	for time in 3 5; do
		echo "sample 1844674407370955161$time r f m $time"
	done | lines in
	want_status 0 afagg --by time --stat count --window 18446744073709551614ns/9223372036854775807ns in
	want <<-'END'
	agg 18446744073709551613 r . m 1 time=18446744073709551613 window=0 stat=count total=2 start=18446744073709551613 n=1 windows=18446744073709551614/9223372036854775807
	agg 18446744073709551613 r . m 1 time=18446744073709551613 window=9223372036854775807 stat=count total=2 start=18446744073709551613 n=1 windows=18446744073709551614/9223372036854775807
	agg 18446744073709551615 r . m 1 time=18446744073709551615 window=9223372036854775807 stat=count total=2 start=18446744073709551615 n=1 windows=18446744073709551614/9223372036854775807
	agg 18446744073709551615 r . m 1 time=18446744073709551615 window=18446744073709551614 stat=count total=2 start=18446744073709551615 n=1 windows=18446744073709551614/9223372036854775807
	END
}

@test "kinds that no page names: a merge has the results of one run, and its error" {
	lines one <<<'foo 5 . a m 7'
	lines two <<<'sample 6 . a m 9'
	afagg --no-marks --kind sample,foo one two >out
	unmarked out >whole
	want_status 0 afagg --no-marks --kind sample,foo --partial one
	cp out p1
	want_status 0 afagg --no-marks --kind sample,foo --partial two
	cp out p2
	want_status 0 afagg p1 p2
	unmarked out | same whole -
	want_status 0 afagg --partial p2 p1
	cp out both
	want_status 0 afagg both
	unmarked out | same whole -
	# in no part
	want_status 1 afagg --no-marks --kind sample,foo two
	unmarked out >whole
	want_status 1 afagg p2
	said "afagg: no line is of kind 'foo'"
	unmarked out | same whole -
	# several, each of which some part has or none
	local i shards
	lines in1 <<<'bar 7 . a m 1'
	for i in one two in1; do
		want_status 0 afagg --no-marks --kind foo,bar,qux,sample --partial $i
		mv out part.$i
	done
	for shards in one two in1 'one two' 'one in1' 'in1 two' 'two one in1'; do
		# shellcheck disable=SC2086 # words
		want_status 1 afagg --no-marks --kind foo,bar,qux,sample $shards
		mv err whole
		# shellcheck disable=SC2046,SC2086
		want_status 1 afagg --no-marks $(printf 'part.%s ' $shards)
		same err whole
	done
	same whole - <<<"afagg: no line is of kind 'qux'"
}

@test "more kinds than are judged: the first 64" {
	local kinds
	kinds=$(seq -s, -f 'kind%g' 1 70)
	lines in <<<'kind70 1 r f m 5'
	want_status 1 afagg --kind "$kinds" in
	said "afagg: no line is of kind 'kind1'"
	said 'afagg: and 44 more messages'
	[ "$(wc -l <err)" -eq 21 ]
	seq 1 64 | sed 's/.*/kind& 1 r f m 5/' | lines >>in
	want_status 0 afagg --no-marks --kind "$kinds" in
	silent
	want 'agg 1 r . m 65 stat=count start=1 n=65
agg 1 r . m 325 stat=sum start=1 n=65'
}

@test "a second measure of which values contain each other, and one group without a share" {
	lines in <<-'END'
	sample 1 r f inclusive 5 stack=a;f
	sample 1 r a inclusive 5 stack=a
	sample 1 r a x.delta 5 stack=a
	sample 1 r f x.delta 5 stack=a;f
	END
	want_status 0 afagg --by run --stat sum in
	[ "$(wc -l <err)" -eq 1 ]
	said 'since regions contain each other'
	want <<-'END'
	agg 1 r . inclusive 10 stat=sum start=1 n=2
	agg 1 r . x.delta 10 stat=sum start=1 n=2
	END
	head -n 1 in >one
	want_status 0 afagg --by region --stat share one
	want 'agg 1 r f inclusive . stat=share start=1 n=1'
	said 'afagg: 1 group has no share: values of inclusive'
}

@test "many results without the others' keys: nothing is said of groups with fewer" {
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 70000; i++) for (k = 0; k < 2 - (i > 40000); k++)
		print "agg", 1, "r", ".", "m", 5, "comm=c" k, "of.what=" i, "stat=sum", "n=1" }' >in
	want_status 0 afagg --kind agg --by comm --stat mean in
	[ "$(grep -c '^agg.*	5	' out)" -eq 2 ]
	silent
	head -n 90000 in >fewer
	want_status 0 afagg --kind agg --by comm --stat mean fewer
	said 'fewer results than others'
}

@test "results by kind, time or value are joined by their tags, not by their own columns" {
	lines texts <<-'END'
	sample 1 r a m ok type=text
	sample 2 r a m ok type=text
	sample 3 r a m bad type=text
	sample 4 r a m bad type=text
	END
	afagg --by measure,value -s count texts >counts
	want_status 0 afagg --kind agg --by measure,value counts counts
	want <<-'END'
	agg 4 r . m 4 value=bad stat=count start=3 n=4 type=text
	agg 2 r . m 4 value=ok stat=count start=1 n=4 type=text
	END
	want_status 0 afagg --jobs 3 --kind agg,sample --by measure,value -s count counts texts
	want <<-'END'
	agg 4 r . m 2 value=bad stat=count start=3 n=2 type=text
	agg 4 r . m 1 value=bad stat=count start=3 n=1 of=count type=text
	agg 2 r . m 2 value=ok stat=count start=1 n=2 type=text
	agg 2 r . m 1 value=ok stat=count start=1 n=1 of=count type=text
	END
	lines in <<-'END'
	sample 5 r a m 1
	span 6 r b m 10
	END
	afagg --by kind -s sum in >sums
	want_status 0 afagg --kind agg --by kind sums
	want <<-'END'
	agg 5 r . m 1 kind=sample stat=sum start=5 n=1
	agg 6 r . m 10 kind=span stat=sum start=6 n=1
	END
	# zeros have no time but that of their key
	afagg --by time,region -s sum --zeros region in >sums
	want_status 0 afagg --kind agg --by time -s mean sums
	silent
	want <<-'END'
	agg 5 r . m 0.5 time=5 stat=mean start=5 n=2 of=sum
	agg 6 r . m 5 time=6 stat=mean start=6 n=2 of=sum
	END
	# results that have no such key are grouped by the column
	afagg --by region -s sum in >sums
	want_status 0 afagg --kind agg --by value,time -s count sums
	want <<-'END'
	agg 5 r . m 1 value=1 time=5 stat=count start=5 n=1 of=sum
	agg 6 r . m 1 value=10 time=6 stat=count start=6 n=1 of=sum
	END
}

@test "--weight: results that are joined by their rules have no weights, nor means another one" {
	lines in <<-'END'
	sample 1 a f m 10 w=9
	sample 2 b f m 20 w=1
	sample 3 b f m 20 w=1
	END
	afagg --by run in >sums
	want_status 2 afagg --kind agg --weight n sums
	said 'afagg: --weight with --kind agg needs --stat'
	# the lines of run a count nine times, so n is not the weight
	afagg --by run --weight w -s mean,max in >means
	want_status 1 afagg --kind agg --weight n -s mean means
	want 'agg 3 . . m 16.666666666666668 stat=mean start=1 n=3 of=max(value*w)'
	same - err <<-'END'
	afagg: means:2: means of value*w do not have the weight n, the number of lines: make partial results (afagg --partial) and merge those
	afagg: 2 results were left out for such reasons
	END
	# n is the weight of means of means
	afagg --by run --weight w -s mean in | afagg --kind agg --by run -s mean >twice
	want_status 0 afagg --kind agg --weight n -s mean twice
	want 'agg 3 . . m 15 stat=mean start=1 n=2 of=mean(mean(value*w))'
}
