# SPDX-License-Identifier: ISC
# bugs.bats - what was once wrong stays mended.  Each t/bugs/NAME.sh is a command line as a user would
# type it, and t/bugs/NAME.want what it prints: its output, then its messages, then its status.

load lib

# go NAME: runs it in an empty folder and compares.
go() {
	local name=$1 status=0
	mkdir -p "$T/$name" && cd "$T/$name" || return
	BUGS=$ROOT/t/bugs sh "$ROOT/t/bugs/$name.sh" >"$T/out" 2>"$T/err" </dev/null || status=$?
	{
		cat "$T/out" "$T/err"
		echo "status $status"
	} >"$T/got"
	same "$ROOT/t/bugs/$name.want" "$T/got"
}

@test "each fault that was found is still mended" {
	local f name bad=0 n=0
	for f in "$ROOT"/t/bugs/*.sh; do
		name=$(basename "$f" .sh)
		go "$name" || {
			echo "in: t/bugs/$name.sh" >&2
			bad=1
		}
		n=$((n + 1))
	done
	[ $bad -eq 0 ] && [ $n -eq "$(find "$ROOT/t/bugs" -name '*.want' | wc -l)" ]
}
