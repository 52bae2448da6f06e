#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# sandbox.bats - what the decoders give up before they read outside bytes.

load lib

setup() {
	cd "$T" || return
	[ "$(uname -s)" = Linux ] || skip "Linux only"
	grep -q '^Seccomp_filters' /proc/self/status || skip "no seccomp here"
	preload escape
	echo whole >file
	cp "$ROOT/t/data/perf/chain.data" in.data
}

# escape WAY COMMAND...: tries WAY when the command reads in.data.
escape() {
	local way=$1
	shift
	ESCAPE=$way ESCAPE_AT=in.data ESCAPE_PATH=$T/file LD_PRELOAD=$HELPERS/escape.so "$@"
}

# stopped WAY CALL COMMAND...: the sandbox stops the command, and names the system call.
stopped() {
	local way=$1 call=$2 status=0
	shift 2
	escape "$way" "$@" >out 2>err || status=$?
	[ $status -eq 3 ] || fail "$way: status $status: $(cat err)"
	echo "$1: the sandbox stopped this program at the system call $call (see --no-sandbox)" >want
	same want err || fail "$way"
	[ "$(grep -c ': done$' err)" -eq 0 ] || fail "$way: done"
	[ "$(cat file) $(stat -c %a file)" = 'whole 644' ] || fail "$way changed the file"
}

@test "the sandbox stops programs, connections and changes of files" {
	local prog=perfdec
	umask 022
	chmod 644 file
	case $(uname -m) in
	x86_64) ;;
	*) skip "names of system calls as on x86_64" ;;
	esac
	stopped exec execve $prog in.data
	stopped fork clone $prog in.data
	stopped socket socket $prog in.data
	stopped thread_socket socket $prog in.data
	stopped ptrace ptrace $prog in.data
	stopped mount mount $prog in.data
	stopped chmod chmod $prog in.data
	stopped unlink unlink $prog in.data
	stopped write openat $prog in.data
	stopped create openat $prog in.data
	stopped typing ioctl $prog in.data
	stopped socket socket $prog <in.data
	AFPIPE_SANDBOX=1 stopped exec execve $prog in.data # only 0 switches it off
	# posix_spawn blocks signals, so the kernel kills the program
	status=0
	escape spawn $prog in.data >out 2>err || status=$?
	[ "$status" -eq 159 ] || fail "spawn: status $status"
}

@test "every decoder and afsym are in the sandbox" {
	local prog
	for prog in perfdec afdec 'afdec --check' dcpidec perundec jsondec afsym 'afsym --missing'; do
		case $prog in
		perfdec) cp "$ROOT/t/data/perf/chain.data" in.data ;;
		*) echo 'nothing that is recognized' >in.data ;;
		esac
		# shellcheck disable=SC2086 # words
		stopped socket socket $prog in.data
		# shellcheck disable=SC2086
		escape socket $prog --no-sandbox in.data >out 2>err || [ $? -eq 1 ]
		grep -q '^socket: done$' err || fail "$prog --no-sandbox: $(cat err)"
	done
}

@test "dcpidec --image: the images are read in the sandbox, and the profiles before they are decoded" {
	need python3
	local good=$ROOT/t/data/dcpi/good/g03_manpage_xemacs.dcpi
	cp "$good" profile
	cp "$(command -v dcpidec)" in.data # a program of this machine
	stopped socket socket dcpidec --image in.data profile
	escape socket dcpidec --no-sandbox --image in.data profile >out 2>err || [ $? -eq 1 ]
	grep -q '^socket: done$' err
	mv in.data image
	cp "$good" in.data
	stopped socket socket dcpidec --image image in.data
}

@test "inside the sandbox, threads and temporary files are allowed, and results are the same" {
	local way
	perfdec --no-sandbox in.data >want 2>/dev/null
	for way in thread temporary; do
		escape $way perfdec in.data >out 2>err
		grep -q "^$way: done\$" err || fail "$way: $(cat err)"
		same want out
	done
	# from a pipe, which is copied to a temporary file
	mkdir spill
	TMPDIR=$T/spill perfdec --no-sandbox - <in.data >want 2>/dev/null
	TMPDIR=$T/spill perfdec - < <(cat in.data) >out 2>/dev/null
	same want out
	[ -z "$(ls spill)" ]
	AFPIPE_SANDBOX=0 escape socket perfdec in.data >out 2>err
	grep -q '^socket: done$' err
}

@test "afsym --debuginfod may connect, but not start programs" {
	[ "$(uname -m)" = x86_64 ] || skip "names of system calls as on x86_64"
	DEBUGINFOD_URLS=http://127.0.0.1:9 afsym --debuginfod --no-marks </dev/null >out 2>err || skip "no libdebuginfod here"
	export DEBUGINFOD_URLS=http://127.0.0.1:9
	stopped exec execve afsym --debuginfod in.data
	escape socket afsym --debuginfod in.data >out 2>err || [ $? -eq 1 ]
	grep -q '^socket: done$' err
}
