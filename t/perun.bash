# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# perun.bash - what the tests of Perun's profiles load after lib.bash: the small profiles, and
# the folder that a test runs in.

# shellcheck disable=SC2034 # of those who load this
DATA=$BATS_TEST_DIRNAME/data/perun

# dumps FILE: the JSON text as Python's json.dumps spells it, without origin.
dumps() {
	python3 -c '
import json, sys
v = json.loads(open(sys.argv[1], "rb").read().decode())
if isinstance(v, dict): v.pop("origin", None)
sys.stdout.write(json.dumps(v))' "$1"
}

# ask STATUS JSON [OPTION|FUNCTION|KEY]...: the answer to a query of that profile.
ask() {
	local status=$1
	printf '%s' "$2" >profile
	shift 2
	perundec profile >stream
	want_status "$status" sh -c 'perunquery "$@" <stream' sh "$@"
}

# damaged COMMAND...: with streams of perundec, cut or damaged anywhere, as its standard input: status
# 0 or 1 (1 if it was cut), and nothing of what the sanitizers look for.
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
