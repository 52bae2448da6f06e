# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# perun.bash - loaded by the tests of Perun's profiles after lib.bash: the small profiles, and the
# folder in which a test runs.

# shellcheck disable=SC2034 # used by the files that load this
DATA=$BATS_TEST_DIRNAME/data/perun

# dumps FILE: prints the JSON text as Python's json.dumps spells it, without origin.
dumps() {
	python3 -c '
import json, sys
v = json.loads(open(sys.argv[1], "rb").read().decode())
if isinstance(v, dict): v.pop("origin", None)
sys.stdout.write(json.dumps(v))' "$1"
}

# ask STATUS JSON [OPTION|FUNCTION|KEY]...: queries a profile, and checks the status.
ask() {
	local status=$1
	printf '%s' "$2" >profile
	shift 2
	perundec profile >stream
	want_status "$status" sh -c 'perunquery "$@" <stream' sh "$@"
}

# damaged COMMAND...: runs the command with streams of perundec, cut or damaged anywhere, on
# standard input.  Checks that the status is 0 or 1 (1 if the stream was cut), and that the
# sanitizers find nothing.
damaged() {
	need python3
	perundec "$DATA/resources.data" >a
	perundec "$DATA/snapshots.data" >b
	want_status 0 python3 -c '
import random, subprocess, sys
random.seed(1)
for name in "a", "b":
    whole = open(name, "rb").read()
    for n in range(120):
        p = bytearray(whole)
        if n < 40:
            p = p[:len(p) * n // 40]
        else:
            for _ in range(random.randint(1, 3)):
                p[random.randrange(len(p))] = random.choice(b"\t\n{}[]\":;=.0\\x")
        r = subprocess.run(sys.argv[1:], input=bytes(p), capture_output=True)
        assert r.returncode in ((1,) if n < 40 else (0, 1)), (name, n, r)' "$@"
}

setup() {
	cd "$T" || return
}
