# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# afarray.bash - loaded by the tests of afarray after lib.bash: recordings with different runs and
# awkward names.

# shellcheck disable=SC2034 # used by the files that load this
AFARRAY=$ROOT/contrib/slurm/afarray
[ ! -x "${AFPIPE_BIN-}/afarray" ] || AFARRAY=$AFPIPE_BIN/afarray
KEYS='--by region,cpu --stat count,sum,mean,p90'
MAP="perfdec --no-symbols {} | afagg $KEYS --partial"

# make_recordings N: makes N recordings in $BATS_FILE_TMPDIR/in: the first with names that a shell
# could take for something else.
make_recordings() {
	local i names=(a "it's" "\$(date)" 'with  blanks' '{}' -n "a	tab" '*')
	helpers perfmake || return
	mkdir "$BATS_FILE_TMPDIR/in" || return
	for ((i = 1; i <= $1; i++)); do
		awk -v n="$i" 'BEGIN {
			for (f = 0; f < 4; f++)
				printf "mmap 7 7 %d u 0x%x 0x1000 0 /bin/f%d\n", n, 4096 * (f + 1), (n + f) % 7
			for (s = 0; s < 40 + n; s++)
				printf "sample 7 7 %d u 0x%x\n", 1000 * n + s, 4096 * (s * n % 4 + 1) + s
		}' | perfmake >"$BATS_FILE_TMPDIR/in/${names[i - 1]-rank$i}" || return
	done
}

# single FILE...: the result of one program, in $T/want.
single() {
	# shellcheck disable=SC2086 # words
	perfdec --no-symbols "$@" | afagg $KEYS >"$T/want"
}
