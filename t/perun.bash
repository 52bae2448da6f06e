# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# perun.bash - what the tests of Perun's profiles load after lib.bash: the small profiles, the
# fuzz driver as a program, and the folder that a test runs in.

# shellcheck disable=SC2034 # of those who load this
DATA=$BATS_TEST_DIRNAME/data/perun

# perun_fuzz: builds t/fuzz/perun.c as a program, unless another file of this run has.
perun_fuzz() {
	[ -x "$HELPERS/perunfuzz" ] && return
	mkdir -p "$HELPERS"
	fuzz_driver "$BATS_FILE_TMPDIR/perunfuzz" perun perun &&
		mv "$BATS_FILE_TMPDIR/perunfuzz" "$HELPERS/perunfuzz"
}

# dumps FILE: the JSON text as Python's json.dumps spells it, without origin.
dumps() {
	python3 -c '
import json, sys
v = json.loads(open(sys.argv[1], "rb").read().decode())
if isinstance(v, dict): v.pop("origin", None)
sys.stdout.write(json.dumps(v))' "$1"
}

setup() {
	PATH=$HELPERS:$PATH
	cd "$T" || return
}
