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

setup() {
	cd "$T" || return
}
