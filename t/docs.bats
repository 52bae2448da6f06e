# SPDX-License-Identifier: ISC
# docs.bats - the commands of README.md and of all man pages run, and print what the pages show.

load lib

setup() {
	cd "$T" || return
}

# pages PAGE...: runs their commands, as t/tools/docs.py describes.
pages() {
	need python3 nm
	want_status 0 python3 "$ROOT/t/tools/docworld.py" "$ROOT" world || return
	python3 "$ROOT/t/tools/docs.py" world "$ROOT/t/docs/exceptions" work "$@" >out || fail "$(head -c 4000 out)" || return
	grep '^not run' out | sed 's/^/# /' >&3 || :
}

@test "the commands of the README" {
	pages "$ROOT/README.md"
	[ "$(sed -n 's/ commands run.*//p' out)" -ge 15 ]
}

# bats test_tags=slow,sanitize
@test "the commands of the cookbook" {
	pages "$ROOT/man/afpipe-cookbook.7"
	[ "$(sed -n 's/ commands run.*//p' out)" -ge 70 ]
}

# bats test_tags=slow,sanitize
@test "the commands of all other man pages" {
	local page
	local -a others=()
	for page in "$ROOT"/man/*.[1-8]; do
		[ "${page##*/}" = afpipe-cookbook.7 ] || others+=("$page")
	done
	pages "${others[@]}"
	[ "$(sed -n 's/ commands run.*//p' out)" -ge 130 ]
}

# faulty: standard input is the examples of a page.  Prints what is wrong with them.
faulty() {
	mkdir -p world/base
	: >exceptions
	cat >page.1
	[ -e rules ] && cp rules exceptions
	rm -rf work
	! python3 "$ROOT/t/tools/docs.py" world exceptions work page.1 || fail "nothing is wrong"
}

@test "a page that shows something else is noticed" {
	need python3
	[[ $(faulty <<-'END'
		.Bd -literal
		$ echo 5
		6
		.Ed
	END
	) == *'prints something else:
5'* ]]
	[[ $(faulty <<<'.Dl false') == *'status 1'* ]]
	[[ $(faulty <<<'.Dl true') == *'prints nothing'* ]]
	[[ $(faulty <<<'.Dl no-such-program-anywhere') == *'status 127'* ]]
	[[ $(faulty <<<'.Dl echo x > file; : > file') == *'prints nothing'* ]]
	[[ $(faulty <<<".Dl echo y; echo 'afsel: none of 5 lines was chosen' >&2") == *'selects nothing'* ]]
	[[ $(faulty <<-'END'
		.Bd -literal
		$ printf '%s\en' a b c
		a
		\&...
		d
		.Ed
	END
	) == *'prints something else'* ]]
	printf 'page.1\tgone\tskip\tit has gone\n' >rules
	[[ $(faulty <<<'.Dl echo 5') == *'applies to nothing: page.1: skip gone'* ]]
}

@test "a page that shows the same is taken: several lines, text left out, statuses" {
	need python3
	mkdir -p world/base
	: >exceptions
	cat >page.1 <<-'END'
		.Bd -literal
		$ printf '%s\en' a b |
		    cat - | awk '{
		        print }'
		a
		\&...
		$ cat <<-X
		5 (of 7)
		X
		5 (...)
		$ false
		$ echo $?
		1
		desk$ cd .
		.Ed
		.Dl for i in 1 2; do
		.Dl \ \ echo \(dq$i\(dq
		.Dl done
	END
	want_status 0 python3 "$ROOT/t/tools/docs.py" world exceptions work page.1 || fail "$(cat out)"
	[ "$(cat out)" = "6 commands run, 0 not run" ]
}

@test "vim: columns, tags, escapes, marks and doubtful ends have their own colours" {
	need vim
	vim --version | grep -qF +syntax || skip "no vim with syntax here"
	printf '%s\n' '#afstream	1	x	y' 'sample	5	0x1	a\tb	m	.	comm=	tid=3;4' 'lost	5	.	.	.	3' '#end	x	y	2	complete' \
		'#end	x	y	2	complete	lost=3' '#end	x	y	2	partial	z' >s.af
	cat >groups.vim <<-'END'
		for l in range(1, line('$'))
		  let [groups, last] = [&filetype, '']
		  for c in range(1, col([l, '$']) - 1)
		    let name = synIDattr(synID(l, c, 1), 'name')
		    let [groups, last] = [name ==# last ? groups : groups .. ' ' .. c .. ':' .. name, name]
		  endfor
		  call writefile([groups], 'got', 'a')
		endfor
	END
	want_status 0 vim -u NONE -N -i NONE -es --cmd "set rtp^=$ROOT/contrib/vim" --cmd 'filetype on' --cmd 'syntax on' \
		s.af -c 'source groups.vim' -c 'qa!'
	cat >want <<-'END'
		afstream 1:afMark
		afstream 1:afKind 7:afTime 9:afRun 13:afRegion 15:afEscape 17:afRegion 18:afMeasure 20:afValue 21:afNone 22:afKey 33:afTag
		afstream 1:afLost 5:afTime 7:afRun 8:afNone 9:afRegion 10:afNone 11:afMeasure 12:afNone 13:afValue
		afstream 1:afMark
		afstream 1:afDoubt
		afstream 1:afDoubt
	END
	same want got
}

@test "the picture is that of the recording" {
	want_status 0 sh "$ROOT/share/demo/picture"
	same "$ROOT/share/demo/burn.svg" out
}

@test "the DCPI sample is as its program makes it, and the commands of the pages read it" {
	need python3
	want_status 0 python3 "$ROOT/t/tools/dcpisample.py" made
	want_status 0 diff -r made "$ROOT/share/dcpi"
	cd "$ROOT/share/dcpi" || return
	want_status 0 dcpidec --strict profile
	want_status 0 dcpidec dcpidb/200212042334
	echo 'dcpidec: 2 images: addresses without names, which several may have (afagg --by image,region)' >"$T/note"
	same "$T/note" "$T/err"
	[ "$(grep -c '^run' "$T/out")" -eq 2 ]
	dcpidec --image xemacs profile | afagg --by region --stat sum | afcut --kind agg region,value >"$T/got"
	printf 'main\t29\nother\t23\n' | same - "$T/got"
	want_status 0 sh -c 'dcpidec dcpidb/200212042334 | afagg --by run.hdr.path --stat sum | aftab'
	same "$T/note" "$T/err"
	awk 'NR > 2 { print $1, $2 }' "$T/out" | same - <(printf '%s\n' '/usr/local/bin/xemacs 52' '/vmunix 27')
	want_status 0 sh -c 'dcpidec --image xemacs dcpidb/200212042334 |
		afsel --where run.hdr.path=/usr/local/bin/xemacs | afagg --by region --stat sum | aftab'
	echo 'dcpidec: 1 other image: addresses without names' | same - "$T/err"
	same "$T/out" - <<-'EOF'
	cycles [samples]: 2 groups
	region  sum      %
	main     29  55.8%
	other    23  44.2%
	EOF
}

@test "the demonstration runs" {
	want_status 0 sh "$ROOT/share/demo/demo"
}

# figure NUMBER WORDS...: t/TESTING.md has these words after a number that is not far from this one.
figure() {
	local want=$1 got
	shift
	[[ $(<"$ROOT/t/TESTING.md") =~ ([0-9,]+)" $*" ]] || fail "t/TESTING.md lacks a number before: $*" || return
	got=${BASH_REMATCH[1]//,/}
	((got * 10 >= want * 9 && got * 10 <= want * 11)) ||
		fail "t/TESTING.md says $got $*, and there are $want"
}

# entries FILE: how many lines are no comments.
entries() {
	grep -cv '^#' "$ROOT/$1"
}

@test "the figures of t/TESTING.md are about those of the tree" {
	local all slow
	cd "$ROOT"
	# bats --count says the same, in as many seconds
	all=$(cat t/*.bats t/apps/*.bats t/growth/*.bats | grep -c '^@test ')
	slow=$(cat t/*.bats | grep -c '^# bats test_tags=slow')
	figure "$all" "tests, in"
	figure "$(printf '%s\n' t/*.bats t/apps/*.bats t/growth/*.bats | wc -l)" "files of tests"
	figure "$(($(cat t/*.bats | grep -c '^@test ') - slow))" "with \`make check\`"
	figure "$slow" "tagged slow"
	figure "$(cat t/apps/*.bats | grep -c '^@test ')" "with large programs"
	figure "$(printf '%s\n' t/unit/*.c | wc -l)" "unit tests"
	figure "$(find t/bugs -name '*.want' -o -name '*.err' | wc -l)" "faults"
	figure "$(find t/fuzz/corpus -mindepth 1 -type d | wc -l)" "fuzz drivers"
	figure "$(find t/fuzz/corpus -type f | wc -l)" "files to begin with"
	figure "$(awk '!/^#/ { n += $2 } END { printf "%d", n / 1e6 }' t/fuzz/executions)" "million executions"
	figure "$(sed -n '/^table()/,/^END/p' t/tools/faults | grep -cE '^( |-[a-zA-Z]).*: ')" "commands"
	figure "$(entries t/growth/table)" "inputs that grow"
	figure "$(find lib src filters -name '*.[ch]' -exec cat {} + | wc -l)" "lines of programs"
	figure "$(find t \( -name '*.ba[ts]*' -o -name '*.[ch]' -o -path 't/tools/*' \) -exec cat {} + | wc -l)" "lines of tests"
	figure "$(entries t/mutants.txt)" "mutants that change nothing"
}
