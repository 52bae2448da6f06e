# SPDX-License-Identifier: ISC
# afarray.bats - afarray with a real Slurm: a controller and three nodes on this machine.

load ../lib
load ../afarray.bash

COUNT=60

setup_file() {
	command -v slurmctld >/dev/null && [ "$(id -u)" -eq 0 ] || return 0
	make_recordings $COUNT || return
	cd "$BATS_FILE_TMPDIR/in" || return
	# shellcheck disable=SC2086 # words
	perfdec --no-symbols ./* | afagg $KEYS >"$BATS_FILE_TMPDIR/want"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR"
	bash "$ROOT/t/tools/slurm" start "$BATS_FILE_TMPDIR/slurm" >"$BATS_FILE_TMPDIR/env"
}

teardown_file() {
	[ ! -e "$BATS_FILE_TMPDIR/env" ] || bash "$ROOT/t/tools/slurm" stop "$BATS_FILE_TMPDIR/slurm"
}

setup() {
	app slurmctld
	[ "$(id -u)" -eq 0 ] || skip "only root can start a Slurm with several nodes"
	. "$BATS_FILE_TMPDIR/env"
	cd "$BATS_FILE_TMPDIR/in" || return
}

teardown() {
	[ -e "$BATS_FILE_TMPDIR/env" ] || return 0
	touch "$T/go"
	scancel -u root
	soon no_jobs
	lab revive
}

# lab COMMAND [NODE]: kills nodes, or revives them.
lab() {
	bash "$ROOT/t/tools/slurm" "$1" "$BATS_FILE_TMPDIR/slurm" ${2+"$2"}
}

# go ARGUMENT...: afarray with its shards in $T/d.
go() {
	"$AFARRAY" --slurm --dir "$T/d" "$@"
}

# begin ARGUMENT...: the same in the background, with a command that waits until $T/go exists, on
# each node one.  Returns when three of them wait.  Sets pid.
begin() {
	"$AFARRAY" --slurm --dir "$T/d" --map "touch '$T/on.'\$SLURMD_NODENAME; until [ -e '$T/go' ]; do sleep 0.1; done; $MAP" \
		"$@" >"$T/out" 2>"$T/err" &
	pid=$!
	soon [ -e "$T/on.n1" ] && soon [ -e "$T/on.n2" ] && soon [ -e "$T/on.n3" ]
}

# ends STATUS: waits for it.
ends() {
	local got=0
	wait "$pid" || got=$?
	[ $got -eq "$1" ] && return
	cat "$T/err" >&2
	fail "status $got, not $1"
}

no_jobs() {
	[ -z "$(squeue -h)" ]
}

@test "60 recordings on 3 nodes: the bytes of a single run" {
	want_status 0 go --map "touch '$T/on.'\$SLURMD_NODENAME; $MAP" ./*
	silent
	same "$BATS_FILE_TMPDIR/want" "$T/out"
	[ -e "$T/on.n1" ]
	[ -e "$T/on.n2" ]
	[ -e "$T/on.n3" ]
	[ "$(ls "$T/d")" = shards ] || fail "$(ls "$T/d")"
	[ "$(find "$T/d/shards" -name '*.part' | wc -l)" -eq $COUNT ]
	[ "$(find "$T/d/shards" -type f | wc -l)" -eq $((2 * COUNT)) ]
}

@test "a node dies in the middle: its tasks are done by others" {
	begin ./*
	lab kill n2
	touch "$T/go"
	ends 0
	same "$BATS_FILE_TMPDIR/want" "$T/out"
}

@test "a node dies, and its jobs are not requeued: named, or done by --retry" {
	begin --sbatch --no-requeue ./*
	lab crash n3
	touch "$T/go"
	ends 3
	[ ! -s "$T/out" ]
	grep -q '^afarray: .*: task [0-9]* ended early on n3$' "$T/err" || fail "$(cat "$T/err")"
	lab revive
	rm "$T/go" "$T"/on.*
	mv "$T/d" "$T/d.old"
	begin --sbatch --no-requeue --retry 1 ./*
	lab crash n1
	touch "$T/go"
	ends 0
	same "$BATS_FILE_TMPDIR/want" "$T/out"
}

@test "a damaged file, one that does not exist, a full disk, a shard cut by hand" {
	cp -R . "$T/in"
	cd "$T/in"
	head -c 500 a >cut.data
	want_status 3 go --map "$MAP" ./* missing
	[ ! -s "$T/out" ]
	grep -q '^afarray: ./cut.data: failed on n[1-3], with status 1:$' "$T/err" || fail "$(cat "$T/err")"
	said 'perfdec: ./cut.data: 0x'
	said 'afarray: missing: No such file or directory'
	said "afarray: 2 of $((COUNT + 2)) files failed"
	rm cut.data
	want_status 0 go --map "$MAP" ./*
	silent
	single ./*
	same "$T/want" "$T/out"

	want_status 3 go --map "$MAP # cut
		case {} in ./rank60) ls -d '$T/d/shards/'*.part | while read -r f; do truncate -s -9 \"\$f\"; done ;; esac" ./*
	[ ! -s "$T/out" ]
	said 'was damaged after it had been written'

	mkdir -p "$T/full/shards"
	mount -t tmpfs -o size=64k none "$T/full/shards" 2>/dev/null || skip "mounting is not allowed"
	dd if=/dev/zero of="$T/full/shards/fill" bs=1k count=60 2>/dev/null || :
	want_status 3 "$AFARRAY" --slurm --dir "$T/full" --map "$MAP" ./* || {
		umount "$T/full/shards"
		fail "no status 3"
	}
	umount "$T/full/shards"
	[ ! -s "$T/out" ]
	said 'No space left on device'
	said 'files failed; the same command does only these again'
}

@test "cancelled jobs, and those of a program that was stopped: the same command does the rest" {
	begin ./*
	scancel -n afarray
	touch "$T/go"
	ends 3
	[ ! -s "$T/out" ]
	grep -q 'task [0-9]* \(ended early on n[1-3]\|never began\)$' "$T/err" || fail "$(cat "$T/err")"
	soon no_jobs
	rm "$T/go" "$T"/on.*
	begin ./*
	kill "$pid"
	ends 1
	said 'afarray: interrupted; the same command does what is missing'
	soon no_jobs
	touch "$T/go"
	begin ./*
	ends 0
	same "$BATS_FILE_TMPDIR/want" "$T/out"
}

@test "a requeued task leaves no half shard" {
	begin ./*
	scontrol requeue "$(squeue -h -t R -o %A -n afarray | head -n 1)"
	touch "$T/go"
	ends 0
	same "$BATS_FILE_TMPDIR/want" "$T/out"
	[ "$(find "$T/d/shards" -type f | wc -l)" -eq $((2 * COUNT)) ]
}

@test "messages of commands that succeed come back from the nodes, and again with their shards" {
	want_status 0 go --map "echo 'prog: 3 names are missing' >&2; $MAP" ./*
	[ "$(cat "$T/err")" = "afarray: $COUNT files, such as ./\$(date): prog: 3 names are missing" ] || fail "$(cat "$T/err")"
	want_status 0 go --map "echo 'prog: 3 names are missing' >&2; $MAP" ./*
	said "afarray: reused: $COUNT files, such as ./\$(date): prog: 3 names are missing"
	said '--fresh makes them anew'
	want_status 0 go --fresh --map "echo 'prog: 3 names are missing' >&2; $MAP" ./*
	! grep -q reused "$T/err" || fail "$(cat "$T/err")"
	same "$BATS_FILE_TMPDIR/want" "$T/out"
}

@test "--no-wait, --tasks" {
	want_status 0 go --no-wait --tasks 2 --map "$MAP" ./*
	run=$(cat "$T/out")
	soon [ -e "$run/status" ]
	[ "$(cat "$run/status")" -eq 0 ]
	[ ! -s "$run/messages" ]
	same "$BATS_FILE_TMPDIR/want" "$run/result"
	[ "$(find "$run/log" -type f | wc -l)" -eq 2 ]
}

# srun_script: the script of afbatch(7), for three ranks that take half a second each.
srun_script() {
	awk '$0 == "#!/bin/sh" { on = 1 } /^\.Ed/ { on = 0 } on' "$ROOT/man/afbatch.7" |
		sed 's/\\e/\\/g; s/--ntasks=64/--ntasks=3/; s,-- \./rank,-- ./burn 40,'
}

@test "a node without a temporary directory: the reason" {
	export TMPDIR=/proc	# Slurm replaces one that does not exist
	status=0
	"$AFARRAY" --slurm --dir "$T/d" --map "$MAP" a >"$T/out" 2>"$T/err" || status=$?
	[ $status -eq 3 ]
	[ ! -s "$T/out" ]
	grep -q '^afarray: a: task 0 ended early on n[1-3]$' "$T/err" || fail "$(cat "$T/err")"
	said '	afarray: no temporary directory: is TMPDIR right?'
}

@test "inside the job: the script of afbatch(7), and the bytes of single runs on the same recordings" {
	app perf
	perf record -q -o /dev/null -F 99 -g -- true 2>/dev/null || skip "perf may not record here"
	mkdir "$T/bin" "$T/job" && cd "$T/job"
	build_c "$T/job/burn" share/demo/burn.c
	srun_script >script
	grep -q '^#SBATCH --ntasks=3$' script && grep -q 'burn 40' script || fail "$(cat script)"
	# what perf writes is also kept, for the single runs
	cat >"$T/bin/perf" <<-END
	#!/usr/bin/env bash
	$(command -v perf) "\$@" | tee "\$OUT/\$SLURM_PROCID.data"
	exit "\${PIPESTATUS[0]}"
	END
	chmod 755 "$T/bin/perf"
	id=$(PATH=$T/bin:$PATH sbatch --parsable --wait --output=job.out --error=job.err script) ||
		fail "$(cat job.err)"
	cat job.out job.err >&2
	parts=parts.$id
	[ "$(find "$parts" -name '*.part' | wc -l)" -eq 3 ]
	[ -z "$(find "$parts" -name '*.new')" ]
	awk '$2 == "[burn]" || /multiply|sieve|dot/' job.out | grep -q . || fail "$(cat job.out)"
	for ((rank = 0; rank < 3; rank++)); do
		host=$(sed -n 's/^part.*\thost=\(n[1-3]\)\t.*/\1/p' "$parts/$rank.part" | sort -u)
		[[ $host == n[1-3] ]] || fail "rank $rank: $host"
		want_status 0 perfdec --run "$id.$rank" --tag "host=$host" "$parts/$rank.data"
		cp "$T/out" $rank.af
	done
	[ "$(grep -ho 'host=n[1-3]' ./*.af | sort -u | wc -l)" -eq 3 ] || fail "not on all nodes"
	want_status 0 afagg --by region,run,host ./*.af
	grep -v '^#' "$T/out" >want
	aftab --top 20 <"$T/out" >table
	want_status 0 afagg --whole "$parts"/*.part
	grep -v '^#' "$T/out" >got
	same want got
	same table job.out
	# a rank or a perf that fails is noticed
	# shellcheck disable=SC2016 # the rank expands them
	for dies in 'exit 7' 'kill -9 \$\$' 'kill -9 \$PPID; sleep 0.1'; do
		sed "s,-- \\./burn 40,-- sh -c \"[ \\\\\$SLURM_PROCID -ne 1 ] || { ${dies//\\/\\\\}; }; ./burn 1\"," script >dies
		status=0
		PATH=$T/bin:$PATH sbatch --parsable --wait --output=job.out --error=job.err dies >/dev/null || status=$?
		[ $status -eq 1 ] || fail "$dies: status $status"
		grep -qx 'only 2 of 3 ranks' job.err || fail "$dies: $(cat job.err)"
		[ ! -s job.out ] || fail "$dies: $(cat job.out)"
	done
}
