# SPDX-License-Identifier: ISC
# man.bats - every program has a page, and page, --help and overview say the same.

load lib

# options_of FILE: the options that a page names, as typed.
options_of() {
	sed -e 's/\\-/-/g' -e 's/Fl Fl \([a-z]\)/Fl -\1/g' -e 's/Fl \(-[a-z]\)/-\1/g' "$1" |
		grep -oE -- '--[a-z][a-z-]+' | sort -u
}

@test "every program has a page" {
	local p bad=0
	for p in $(programs); do
		[ -f "$ROOT/man/$p.1" ] || {
			echo "no man/$p.1" >&2
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

@test "a page has what a page must have" {
	local page section bad=0
	for page in "$ROOT"/man/*.1; do
		for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
			grep -q "^\.Sh $section\$" "$page" || {
				echo "${page##*/}: no $section" >&2
				bad=1
			}
		done
		grep -q "^\.Nm $(basename "$page" .1)\$" "$page" || {
			echo "${page##*/}: another name" >&2
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

@test "page and --help name the same options" {
	local p bad=0
	for p in $(programs); do
		[ -f "$ROOT/man/$p.1" ] || continue
		want_status 0 "$p" --help
		grep -oE -- '--[a-z][a-z-]+' "$T/out" | sort -u | grep -vE -e '^--(help|version)$' >"$T/help" || :
		options_of "$ROOT/man/$p.1" >"$T/page"
		comm -23 "$T/help" "$T/page" | sed "s/^/man\/$p.1 does not have /" >"$T/diff"
		sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$ROOT/man/$p.1" >"$T/synopsis"
		options_of "$T/synopsis" | grep -vE -e '^--(help|version)$' | comm -13 "$T/help" - |
			sed "s/^/$p --help does not have /" >>"$T/diff" || :
		if [ -s "$T/diff" ]; then
			cat "$T/diff" >&2
			bad=1
		fi
	done
	[ $bad -eq 0 ]
}

@test "the overview names every program, and no other" {
	programs | sort >"$T/want"
	sed -n 's/^\.It Xr \([a-z]*\) 1$/\1/p' "$ROOT/man/afpipe.7" | sort >"$T/got"
	same "$T/want" "$T/got"
	for p in $(programs); do
		grep -q "$p" "$ROOT/README.md" || fail "README.md does not name $p"
	done
}

@test "pages refer to pages that exist" {
	local page name section bad=0
	while read -r page name section; do
		[ -f "$ROOT/man/$name.$section" ] || {
			echo "${page##*/}: $name($section)" >&2
			bad=1
		}
	done < <(grep -HoE '^\.(It )?Xr (af[a-z]*|[a-z]*(dec|enc|query)) [1-9]' "$ROOT"/man/*.[1-8] |
		sed 's/:\.\(It \)\{0,1\}Xr / /')
	[ $bad -eq 0 ]
}

@test "version: pages, programs and news agree" {
	local p version
	version=$(sed -n 's/^#define AFPIPE_VERSION "\(.*\)"/\1/p' "$ROOT/lib/cli.h")
	[ -n "$version" ]
	grep -q "^## $version" "$ROOT/NEWS.md"
	for p in $(programs); do
		want_status 0 "$p" --version
		echo "$p (afpipe) $version" >"$T/want"
		same "$T/want" "$T/out"
	done
}

@test "a command fits a line of 80 columns, since a filled one that is broken cannot be pasted" {
	local page
	for page in "$ROOT"/man/*.[1-8]; do
		awk -v page="${page##*/}" '/^\.Dl / {
			text = substr($0, 5)
			gsub(/\\&/, "", text)
			gsub(/\\(\(..|.)/, "x", text)
			if (length(text) > 67 && text !~ / Ns /)
				print page ": line " NR ": " $0
		}' "$page"
	done >"$T/long"
	[ ! -s "$T/long" ] || fail "$(cat "$T/long")"
}

@test "on 80 columns, no column of a table is so narrow that each word has a line" {
	need groff
	local page
	for page in "$ROOT"/man/*.[1-8]; do
		groff -mdoc -T ascii -P -cbou -r LL=80n -r LT=80n "$page" >"$T/page"
		# lines of one word, far to the right
		if grep -nE '^ {60,}[^ ]+$' "$T/page" >"$T/narrow"; then
			fail "${page##*/}: $(head -n 3 "$T/narrow")"
		fi
	done
}

@test "mandoc finds nothing to say" {
	need mandoc
	want_status 0 mandoc -T lint -W warning "$ROOT"/man/*.[1-8]
	[ ! -s "$T/out" ] || fail "$(cat "$T/out")"
}
