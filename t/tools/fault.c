/* SPDX-License-Identifier: ISC */
/*
 * fault.c - runs a command again and again; each time something that it asks the system for is
 * refused, at one place after the other.  Linux on x86-64; elsewhere the status is 77.
 *
 *	fault [-m nomem.so] [-n N] [-s] [-p] [-T] [-i FILE] [-w FILE] [-r TEXT] COMMAND...
 *
 * First the command runs undisturbed.  Then the K-th system call fails (of those in the table
 * below), for K = 1, 2, 3 ... until there is no K-th one: once, and in a second round from then on.
 * Further rounds use other errors, or let reads and writes be short.  With -m the K-th allocation
 * fails instead, by the library t/tools/nomem.c, which loads the program only once.  Only the
 * program itself is disturbed, and only from its entry point on, not its children or the loader.
 *
 * Each run must end as the undisturbed one did, or with status 3 and a message, without a mark that
 * calls a stream complete.  If it ends like the undisturbed one and says more, that is all right.
 * One that has fewer names of functions and says so is, too.  Anything else is printed: the fault,
 * and what came of it.  At the end it prints how many runs there were, and exits with 1 if any of
 * them was wrong.
 *
 *	-n N     at most about N places in each round, evenly spaced (default: all up to 400, and
 *	         then fewer and fewer)
 *	-s       the program has sanitizers: leave the memory that they map alone
 *	-p       standard input and output are pipes (default: files)
 *	-T       standard output is the controlling terminal, and is not compared
 *	-i FILE  standard input (default: /dev/null)
 *	-w FILE  the command changes this file: it is restored before each run, and after a failed
 *	         one must be as before, or as after one that succeeds
 *	-r TEXT  any run may also end with status 1 if it says TEXT
 *	-v       print each run
 */
#define _GNU_SOURCE /* memfd_create, execvpe */
#include <stdio.h>

#if !defined(__linux__) || !defined(__x86_64__)
int
main(void)
{
	(void)fputs("fault: not for this machine\n", stderr);
	return 77;
}
#else

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/tools/nomem.h"

#define SECONDS 20 /* a run that takes longer hangs */
#define ALL_UP_TO 400 /* places that are all tried */

enum {
	BY_FD = 1, /* "from then on" is for this descriptor, not for all such calls */
	MEMORY = 2, /* sanitizers use it, too */
	COUNTS = 4, /* the third argument is a number of bytes, which may be less */
};

/* The errors of the rounds; 0: not in that round. */
struct call {
	long nr;
	const char *name;
	int error[5]; /* ERRORS */
	unsigned flags;
};

static const struct call calls[] = {
	{ SYS_read, "read", { EIO, EINTR, 0, 0, EISDIR }, BY_FD | COUNTS },
	{ SYS_pread64, "pread64", { EIO, EINTR }, BY_FD | COUNTS },
	{ SYS_write, "write", { ENOSPC, EINTR }, BY_FD | COUNTS },
	{ SYS_pwrite64, "pwrite64", { ENOSPC, EINTR }, BY_FD | COUNTS },
	{ SYS_writev, "writev", { ENOSPC }, BY_FD },
	{ SYS_open, "open", { EMFILE, EINTR, EACCES, ENOMEM, EIO }, 0 },
	{ SYS_openat, "openat", { EMFILE, EINTR, EACCES, ENOMEM, EIO }, 0 },
	{ SYS_openat2, "openat2", { EMFILE, EINTR, EACCES, ENOMEM, ENOSYS }, 0 },
	{ SYS_close, "close", { EIO, EINTR }, BY_FD },
	{ SYS_stat, "stat", { EIO, 0, EACCES }, 0 },
	{ SYS_lstat, "lstat", { EIO, 0, EACCES }, 0 },
	{ SYS_fstat, "fstat", { EIO, 0, EOVERFLOW }, BY_FD },
	{ SYS_newfstatat, "newfstatat", { EIO, 0, EACCES, EOVERFLOW }, 0 },
	{ SYS_statx, "statx", { EIO, 0, EACCES }, 0 },
	{ SYS_statfs, "statfs", { EIO }, 0 },
	{ SYS_fstatfs, "fstatfs", { EIO }, 0 },
	{ SYS_access, "access", { EIO, 0, EACCES }, 0 },
	{ SYS_readlink, "readlink", { EIO, 0, EACCES }, 0 },
	{ SYS_readlinkat, "readlinkat", { EIO, 0, EACCES }, 0 },
	{ SYS_getdents64, "getdents64", { EIO }, BY_FD },
	{ SYS_lseek, "lseek", { EIO, 0, ESPIPE }, BY_FD },
	{ SYS_ftruncate, "ftruncate", { EIO, EINTR }, BY_FD },
	{ SYS_fallocate, "fallocate", { ENOSPC, EINTR }, BY_FD },
	{ SYS_fsync, "fsync", { EIO }, BY_FD },
	{ SYS_fadvise64, "fadvise64", { EINVAL }, BY_FD },
	{ SYS_copy_file_range, "copy_file_range", { EIO }, BY_FD },
	{ SYS_sendfile, "sendfile", { EIO }, BY_FD },
	{ SYS_unlink, "unlink", { EACCES }, 0 },
	{ SYS_rename, "rename", { EACCES }, 0 },
	{ SYS_ioctl, "ioctl", { ENOTTY, EINTR, EIO }, BY_FD },
	{ SYS_fcntl, "fcntl", { EINVAL, EINTR, EMFILE, EPERM }, BY_FD },
	{ SYS_dup, "dup", { EMFILE }, 0 },
	{ SYS_dup2, "dup2", { EMFILE, EINTR }, 0 },
	{ SYS_dup3, "dup3", { EMFILE, EINTR }, 0 },
	{ SYS_pipe2, "pipe2", { EMFILE }, 0 },
	{ SYS_mmap, "mmap", { ENOMEM, 0, 0, ENODEV }, MEMORY },
	{ SYS_mremap, "mremap", { ENOMEM }, MEMORY },
	{ SYS_munmap, "munmap", { ENOMEM }, MEMORY },
	{ SYS_mprotect, "mprotect", { ENOMEM }, MEMORY },
	{ SYS_madvise, "madvise", { EINVAL }, MEMORY },
	{ SYS_getrandom, "getrandom", { ENOSYS, EINTR }, 0 },
	{ SYS_clock_gettime, "clock_gettime", { EINVAL }, 0 },
	{ SYS_poll, "poll", { ENOMEM, EINTR }, 0 },
	{ SYS_ppoll, "ppoll", { ENOMEM, EINTR }, 0 },
	{ SYS_select, "select", { ENOMEM, EINTR }, 0 },
	{ SYS_pselect6, "pselect6", { ENOMEM, EINTR }, 0 },
	{ SYS_rt_sigaction, "rt_sigaction", { EINVAL }, 0 },
	{ SYS_uname, "uname", { EFAULT }, 0 },
	{ SYS_sysinfo, "sysinfo", { EFAULT }, 0 },
	{ SYS_prlimit64, "prlimit64", { EPERM }, 0 },
	{ SYS_getcwd, "getcwd", { ENOENT }, 0 },
	{ SYS_flock, "flock", { ENOLCK, EINTR }, BY_FD },
	{ SYS_clone, "clone", { EAGAIN }, 0 },
	{ SYS_clone3, "clone3", { EAGAIN }, 0 },
	{ SYS_vfork, "vfork", { EAGAIN }, 0 },
	{ SYS_wait4, "wait4", { 0, EINTR }, 0 },
};

#define NCALLS (sizeof calls / sizeof *calls)

enum { ERRORS = 5, SHORT = ERRORS, KINDS };

/* A round: which of the errors (or SHORT), and whether later calls fail, too. */
struct round {
	int kind;
	bool more;
};

static const struct round rounds[] = { { 0, false }, { 0, true }, { 1, false }, { 2, false },
	{ 2, true }, { 3, false }, { 4, false }, { SHORT, false }, { SHORT, true } };

static const struct round memory_rounds[] = { { 0, false }, { 0, true } };

/* What is to be refused. */
struct fault {
	struct round round;
	long k; /* 0: nothing */
};

struct text {
	char *at;
	size_t len;
};

struct result {
	struct text out, err, file;
	int status; /* or 1000 and the signal, or 2000 if it did not end */
	long made[KINDS]; /* calls that could fail in such a round; allocations: the first */
	char hit[300]; /* the call that failed, or empty */
	bool hit_err; /* it was about standard error */
};

/* A process with nomem.c that runs the command, and what it shares with this one. */
struct server {
	pid_t pid; /* 0: none has been started, or it had to be killed */
	int socket, count;
};

struct options {
	const char *nomem, *in, *file, *remark;
	char **command;
	struct text before; /* of the file */
	long few;
	bool sanitized, pipes, terminal, verbose;
	struct server *server;
};

static volatile sig_atomic_t late;

static void
on_alarm(int sig)
{
	(void)sig;
	late = 1;
}

static _Noreturn void
die(const char *what)
{
	(void)fprintf(stderr, "fault: %s: %s\n", what, strerror(errno));
	exit(2);
}

static struct text
contents(int fd)
{
	struct text t = { 0 };
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) != 0 || (t.at = malloc((size_t)st.st_size + 1)) == NULL)
		die("read");
	while (t.len < (size_t)st.st_size &&
	    (n = pread(fd, t.at + t.len, (size_t)st.st_size - t.len, (off_t)t.len)) > 0)
		t.len += (size_t)n;
	t.at[t.len] = '\0';
	return t;
}

static struct text
file_contents(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct text t = { 0 };

	if (fd >= 0) {
		t = contents(fd);
		(void)close(fd);
	}
	return t;
}

static void
write_file(const char *name, struct text t)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0 || write(fd, t.at, t.len) != (ssize_t)t.len || close(fd) != 0)
		die(name);
}

/* ---- one run */

struct files {
	int in, out, err; /* of the command */
	int kept_out; /* what was written to out */
	int terminal; /* the other side of it */
	pid_t copier[3];
	int copiers;
};

/* Starts a process that copies, and closes both descriptors here. */
static void
copy(struct files *f, int from, int to, const int *close_too)
{
	char buf[4096];
	ssize_t n;
	pid_t pid = fork();

	if (pid == 0) {
		(void)close(*close_too);
		(void)signal(SIGPIPE, SIG_DFL);
		while ((n = read(from, buf, sizeof buf)) > 0)
			if (write(to, buf, (size_t)n) != n)
				break;
		_exit(0);
	}
	if (pid > 0)
		f->copier[f->copiers++] = pid;
	(void)close(from);
	(void)close(to);
}

static void
open_terminal(struct files *f)
{
	f->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (f->terminal < 0 || grantpt(f->terminal) != 0 || unlockpt(f->terminal) != 0)
		die("terminal");
	f->out = open(ptsname(f->terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (f->out < 0)
		die("terminal");
}

static struct files
open_files(const struct options *o)
{
	struct files f = { .terminal = -1 };
	int p[2], fd;

	f.in = open(o->in, O_RDONLY | O_CLOEXEC);
	f.out = f.kept_out = memfd_create("out", MFD_CLOEXEC);
	f.err = memfd_create("err", MFD_CLOEXEC);
	if (f.in < 0 || f.out < 0 || f.err < 0)
		die(o->in);
	if (o->terminal)
		open_terminal(&f);
	if (!o->pipes)
		return f;
	if (pipe2(p, O_CLOEXEC) != 0)
		die("pipe");
	fd = f.in;
	f.in = p[0];
	copy(&f, fd, p[1], &p[0]);
	if (o->terminal)
		return f;
	if (pipe2(p, O_CLOEXEC) != 0 || (fd = dup(f.out)) < 0)
		die("pipe");
	f.out = p[1];
	copy(&f, p[0], fd, &p[1]);
	return f;
}

/* Every call in the table stops the program. */
static void
filter_calls(void)
{
	struct sock_filter code[NCALLS + 5];
	struct sock_fprog prog = { .filter = code };
	unsigned n = 0, i;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	    offsetof(struct seccomp_data, nr));
	for (i = 0; i < NCALLS; i++)
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
		    (unsigned)calls[i].nr, (unsigned char)(NCALLS - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	prog.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0)
		_exit(126);
}

static void
set_number(const char *name, int n)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%d", n);
	if (setenv(name, text, 1) != 0 || fcntl(n, F_SETFD, 0) != 0)
		_exit(126);
}

static _Noreturn void
become(const struct options *o, const struct files *f)
{
	if (o->terminal) /* a session of its own, with that terminal */
		(void)(setsid() < 0 || ioctl(f->out, TIOCSCTTY, 0));
	else
		(void)setpgid(0, 0);
	(void)signal(SIGPIPE, SIG_DFL);
	if (dup2(f->in, 0) < 0 || dup2(f->out, 1) < 0 || dup2(f->err, 2) < 0)
		_exit(126);
	if (o->nomem != NULL) {
		set_number("NOMEM_FD", o->server->count);
		set_number("NOMEM_SERVER", o->server->socket);
		if (setenv("LD_PRELOAD", o->nomem, 1) != 0)
			_exit(126);
	} else {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
			_exit(126);
		(void)raise(SIGSTOP);
		filter_calls();
	}
	(void)execvp(*o->command, o->command);
	_exit(127);
}

/* ---- by system calls */

struct trace {
	pid_t pid;
	const struct options *o;
	const struct fault *x;
	struct result *r;
	uint64_t entry; /* of the program; 0: it has been reached */
	long code; /* the instructions that were there */
	const struct call *failed;
	uint64_t failed_fd;
};

static void
stop_at_entry(struct trace *t)
{
	char name[64];
	Elf64_auxv_t aux;
	FILE *f;

	(void)snprintf(name, sizeof name, "/proc/%d/auxv", (int)t->pid);
	f = fopen(name, "r");
	t->entry = 0;
	while (f != NULL && fread(&aux, sizeof aux, 1, f) == 1)
		if (aux.a_type == AT_ENTRY)
			t->entry = aux.a_un.a_val;
	if (f == NULL || t->entry == 0)
		die("entry point");
	(void)fclose(f);
	errno = 0;
	t->code = ptrace(PTRACE_PEEKTEXT, t->pid, t->entry, 0);
	if (errno != 0 || ptrace(PTRACE_POKETEXT, t->pid, t->entry, (t->code & ~0xffL) | 0xcc) != 0)
		die("entry point");
}

static void
begin_at_entry(struct trace *t, struct user_regs_struct *regs)
{
	if (ptrace(PTRACE_POKETEXT, t->pid, t->entry, t->code) != 0)
		die("entry point");
	regs->rip = t->entry;
	if (ptrace(PTRACE_SETREGS, t->pid, 0, regs) != 0)
		die("entry point");
	t->entry = 0;
}

/* Describes the call: its name, descriptor and, if it has one, path. */
static void
describe(struct trace *t, const struct call *c, const struct user_regs_struct *regs, int error)
{
	char path[200] = "", name[64];
	uint64_t at = regs->rsi;
	int fd, n;
	ssize_t got = 0;

	if (c->nr == SYS_open || c->nr == SYS_stat || c->nr == SYS_lstat || c->nr == SYS_access ||
	    c->nr == SYS_readlink || c->nr == SYS_unlink)
		at = regs->rdi;
	else if (c->flags != 0 ||
	    (c->nr != SYS_openat && c->nr != SYS_openat2 && c->nr != SYS_newfstatat &&
		c->nr != SYS_statx))
		at = 0;
	(void)snprintf(name, sizeof name, "/proc/%d/mem", (int)t->pid);
	fd = at == 0 ? -1 : open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = pread(fd, path, sizeof path - 1, (off_t)at);
		(void)close(fd);
	} else if ((c->flags & BY_FD) != 0) {
		(void)snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)t->pid, (int)regs->rdi);
		got = readlink(name, path, sizeof path - 1);
	}
	path[got > 0 ? got : 0] = '\0';
	n = snprintf(t->r->hit, sizeof t->r->hit, "%s(%lld, %s, %lld) %s", c->name,
	    (long long)regs->rdi, path, (long long)regs->rdx,
	    error == 0 ? "short" : strerrorname_np(error));
	(void)n;
	t->r->hit_err = c->nr == SYS_write && regs->rdi == 2;
}

/* Returns true if the call can fail in rounds of that kind. */
static bool
can_fail(const struct trace *t, const struct call *c, const struct user_regs_struct *regs, int kind)
{
	if (t->o->sanitized && (c->flags & MEMORY) != 0)
		return false;
	return kind == SHORT ? (c->flags & COUNTS) != 0 && regs->rdx > 1 : c->error[kind] != 0;
}

static void
at_call(struct trace *t)
{
	struct user_regs_struct regs;
	const struct call *c = calls;
	int kind = t->x->round.kind, i;

	if (ptrace(PTRACE_GETREGS, t->pid, 0, &regs) != 0)
		return;
	while (c < calls + NCALLS && c->nr != (long)regs.orig_rax)
		c++;
	for (i = 0; c < calls + NCALLS && i < KINDS; i++)
		t->r->made[i] += can_fail(t, c, &regs, i);
	if (t->x->k == 0 || c == calls + NCALLS || !can_fail(t, c, &regs, kind))
		return;
	if (t->r->made[kind] != t->x->k &&
	    !(t->x->round.more && t->failed == c &&
		((c->flags & BY_FD) == 0 || t->failed_fd == regs.rdi)))
		return;
	if (t->failed == NULL)
		describe(t, c, &regs, kind == SHORT ? 0 : c->error[kind]);
	t->failed = c;
	t->failed_fd = regs.rdi;
	if (kind == SHORT) {
		regs.rdx = t->x->round.more ? (regs.rdx + 1) / 2 : 1;
	} else {
		regs.orig_rax = (unsigned long long)-1;
		regs.rax = (unsigned long long)-c->error[kind];
	}
	(void)ptrace(PTRACE_SETREGS, t->pid, 0, &regs);
}

/* Handles a stop of the program itself, and returns the signal that it is to get. */
static int
at_stop(struct trace *t, int status)
{
	struct user_regs_struct regs;
	int event = status >> 16, sig = WSTOPSIG(status);

	if (event == PTRACE_EVENT_EXEC)
		stop_at_entry(t);
	else if (event == PTRACE_EVENT_SECCOMP && t->entry == 0)
		at_call(t);
	if (event != 0)
		return 0;
	if (sig == SIGTRAP && t->entry != 0 && ptrace(PTRACE_GETREGS, t->pid, 0, &regs) == 0 &&
	    regs.rip == t->entry + 1) {
		begin_at_entry(t, &regs);
		return 0;
	}
	return sig;
}

/* Returns the status with which the program ended. */
static int
trace(struct trace *t)
{
	int status;
	pid_t pid;

	t->entry = 1;
	if (waitpid(t->pid, &status, 0) != t->pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, t->pid, 0,
		PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
		    PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0 ||
	    ptrace(PTRACE_CONT, t->pid, 0, 0) != 0) {
		(void)fputs("fault: ptrace is not allowed here\n", stderr);
		exit(77);
	}
	for (;;) {
		pid = waitpid(-1, &status, __WALL);
		if (pid < 0 && late) {
			(void)kill(-t->pid, SIGKILL);
			late = 0;
			(void)waitpid(t->pid, &status, __WALL);
			return -1;
		}
		if (pid < 0 && errno != EINTR)
			die("wait");
		if (pid < 0)
			continue;
		if (pid == t->pid && !WIFSTOPPED(status))
			return status;
		if (WIFSTOPPED(status)) {
			int sig = pid == t->pid ? at_stop(t, status)
			    : status >> 16 == 0 && WSTOPSIG(status) != SIGSTOP &&
				WSTOPSIG(status) != SIGTRAP
			    ? WSTOPSIG(status)
			    : 0;

			(void)ptrace(PTRACE_CONT, pid, 0, sig);
		}
	}
}

/* ---- a run, continued */

/* Leaves the files to the command, and reads what it draws on a terminal until it ends. */
static void
leave_files(struct files *f)
{
	(void)close(f->in);
	if (f->out != f->kept_out)
		(void)close(f->out);
	if (f->terminal >= 0)
		copy(f, dup(f->terminal), open("/dev/null", O_WRONLY), &f->err);
}

static void
start_server(const struct options *o)
{
	struct server *s = o->server;
	int pair[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct files f = { .in = null, .out = null, .err = null };

	s->count = memfd_create("count", MFD_CLOEXEC);
	if (null < 0 || s->count < 0 || ftruncate(s->count, sizeof(long)) != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		die("server");
	s->socket = pair[1];
	s->pid = fork();
	if (s->pid == 0)
		become(o, &f);
	if (s->pid < 0)
		die("fork");
	(void)close(null);
	(void)close(pair[1]);
	s->socket = pair[0];
}

static void
end_server(struct server *s)
{
	if (s->pid == 0)
		return;
	(void)close(s->socket);
	(void)close(s->count);
	(void)waitpid(s->pid, NULL, 0);
	s->pid = 0;
}

static void
request(const struct server *s, const struct fault *x, const struct files *f)
{
	struct nomem_request r = { x->k, x->round.more };
	int fd[NOMEM_FILES] = { f->in, f->out, f->err };
	struct iovec text = { &r, sizeof r };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof fd)];
	} files = { .head = { .cmsg_len = CMSG_LEN(sizeof fd),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS } };
	struct msghdr m = { .msg_iov = &text,
		.msg_iovlen = 1,
		.msg_control = &files,
		.msg_controllen = sizeof files };

	memcpy(CMSG_DATA(&files.head), fd, sizeof fd);
	if (sendmsg(s->socket, &m, MSG_NOSIGNAL) != sizeof r)
		die("request");
}

/* Runs the command while allocations fail, and returns its status, or -1 if it does not end. */
static int
run_served(const struct options *o, const struct fault *x, struct files *f, struct result *r)
{
	struct server *s = o->server;
	int status;

	if (s->pid == 0)
		start_server(o);
	request(s, x, f);
	leave_files(f);
	while (recv(s->socket, &status, sizeof status, 0) != sizeof status) {
		if (errno != EINTR)
			die("answer");
		if (!late)
			continue;
		(void)kill(-s->pid, SIGKILL);
		late = 0;
		end_server(s);
		return -1;
	}
	if (pread(s->count, r->made, sizeof *r->made, 0) != sizeof *r->made)
		die("count");
	if (x->k != 0 && *r->made >= x->k)
		(void)snprintf(r->hit, sizeof r->hit, "allocation");
	return status;
}

static void
set_alarm(int seconds)
{
	struct itimerval v = { .it_value = { .tv_sec = seconds },
		.it_interval = { .tv_sec = seconds != 0 } };

	late = 0;
	(void)setitimer(ITIMER_REAL, &v, NULL);
}

/* Runs the command while system calls fail, and returns its status, or -1 if it does not end. */
static int
run_traced(const struct options *o, const struct fault *x, struct files *f, struct result *r)
{
	struct trace t = { .o = o, .x = x, .r = r };

	t.pid = fork();
	if (t.pid == 0)
		become(o, f);
	if (t.pid < 0)
		die("fork");
	leave_files(f);
	return trace(&t);
}

static void
close_files(struct files *f)
{
	int i;

	if (f->terminal >= 0)
		(void)close(f->terminal);
	for (i = 0; i < f->copiers; i++)
		while (waitpid(f->copier[i], NULL, 0) < 0 && errno == EINTR)
			continue;
}

static struct result
run(const struct options *o, const struct fault *x)
{
	struct result r = { 0 };
	struct files f;
	int status;

	if (o->file != NULL)
		write_file(o->file, o->before);
	f = open_files(o);
	set_alarm(SECONDS);
	status = o->nomem == NULL ? run_traced(o, x, &f, &r) : run_served(o, x, &f, &r);
	set_alarm(0);
	close_files(&f);
	r.status = status == -1   ? 2000
	    : WIFSIGNALED(status) ? 1000 + WTERMSIG(status)
				  : WEXITSTATUS(status);
	r.out = contents(f.kept_out);
	r.err = contents(f.err);
	if (o->file != NULL)
		r.file = file_contents(o->file);
	(void)close(f.kept_out);
	(void)close(f.err);
	return r;
}

static void
forget(struct result *r)
{
	free(r->out.at);
	free(r->err.at);
	free(r->file.at);
}

/* ---- judging */

/* A line of a text, without its end.  *at moves on. */
static struct text
line_of(struct text t, size_t *at)
{
	struct text l = { t.at + *at, 0 };
	const char *end = memchr(l.at, '\n', t.len - *at);

	l.len = end == NULL ? t.len - *at : (size_t)(end - l.at);
	*at += l.len + (end != NULL);
	return l;
}

static bool
is(struct text a, struct text b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static bool
begins(struct text t, const char *with)
{
	return t.len >= strlen(with) && memcmp(t.at, with, strlen(with)) == 0;
}

static bool
has(struct text t, const char *part)
{
	return memmem(t.at, t.len, part, strlen(part)) != NULL;
}

/* A field of a line, without its tab. */
static struct text
field_of(struct text l, size_t *at)
{
	struct text f = { l.at + *at, 0 };
	const char *end = memchr(f.at, '\t', l.len - *at);

	f.len = end == NULL ? l.len - *at : (size_t)(end - f.at);
	*at += f.len + (end != NULL);
	return f;
}

/* Which fields need not be the same. */
enum leniency { DATES = 1, NAMES = 2 };

/* The fields that say the name of a place, and what only a place with a name has. */
static bool
is_name(unsigned column, struct text field)
{
	return column == 3 || begins(field, "stack=") || begins(field, "symoff=") ||
	    begins(field, "line=") || begins(field, "lines=") || begins(field, "sym=");
}

/* The next field that must be the same.  Returns false at the end of the line. */
static bool
next_field(struct text line, size_t *at, unsigned *column, unsigned leniency, struct text *field)
{
	while (*at < line.len) {
		*field = field_of(line, at);
		(*column)++;
		if (begins(line, "origin\t") && begins(*field, "end="))
			continue; /* the time of day, or of the file */
		if ((leniency & NAMES) == 0 || begins(line, "#") || !is_name(*column - 1, *field))
			return true;
	}
	return false;
}

static bool
is_line(struct text a, struct text b, unsigned leniency)
{
	size_t i = 0, j = 0;
	unsigned m = 0, n = 0;
	struct text x, y;

	if (is(a, b))
		return true;
	while (next_field(a, &i, &m, leniency, &x))
		if (!next_field(b, &j, &n, leniency, &y) || !is(x, y))
			return false;
	return !next_field(b, &j, &n, leniency, &y);
}

static bool
is_output(struct text a, struct text b, unsigned leniency)
{
	size_t i = 0, j = 0;

	if (is(a, b))
		return true;
	while (i < a.len && j < b.len)
		if (!is_line(line_of(a, &i), line_of(b, &j), leniency))
			return false;
	return i >= a.len && j >= b.len;
}

/* Returns true if all lines of a are in b. */
static bool
is_within(struct text a, struct text b)
{
	size_t i = 0;

	while (i < a.len) {
		struct text l = line_of(a, &i);
		size_t j = 0;
		bool found = false;

		while (j < b.len && !found)
			found = is(l, line_of(b, &j));
		if (!found)
			return false;
	}
	return true;
}

/*
 * Returns true if all streams of a text say that they are complete.  The names in the marks do not
 * matter.
 */
static bool
is_complete(struct text t)
{
	struct text l = { t.at, 0 };
	size_t at = 0;

	while (at < t.len) {
		l = line_of(t, &at);
		if (begins(l, "#end\t") && !has(l, "\tcomplete"))
			return false;
	}
	return begins(l, "#end\t");
}

/* Returns true if it says that there are fewer names or lines of source. */
static bool
says_less_is_known(const struct result *want, const struct result *got)
{
	return !is_within(got->err, want->err) &&
	    (has(got->err, ": no symbols for ") || has(got->err, ": no debug information for ") ||
		has(got->err, ": no complete debug information for "));
}

/* Returns what is wrong with a failure that the program has noticed, or NULL. */
static const char *
judge_failed(const struct options *o, const struct result *want, const struct result *got)
{
	bool same = is_output(want->out, got->out, DATES);

	if (got->err.len == 0 && !got->hit_err)
		return "failed without a message";
	if (!same && is_complete(got->out))
		return "failed, and its stream says that it is complete";
	if (o->file != NULL && !is(got->file, want->file) && !is(got->file, o->before))
		return "failed, and has changed the file in part";
	return NULL;
}

/* Returns what is wrong, or NULL. */
static const char *
judge(const struct options *o, const struct result *want, const struct result *got)
{
	bool same = (o->terminal || is_output(want->out, got->out, DATES)) &&
	    (o->file == NULL || is(want->file, got->file));

	if (has(got->err, "Sanitizer") || has(got->err, "runtime error"))
		return "sanitizer";
	if (got->status == 2000)
		return "does not end";
	if (got->status >= 1000)
		return "ended by a signal";
	if (got->status == 3)
		return judge_failed(o, want, got);
	if (o->remark != NULL && got->status == 1 && has(got->err, o->remark))
		return NULL;
	if (got->status != want->status)
		return "another status";
	if (same && !got->hit_err && !is_within(want->err, got->err) &&
	    is_within(got->err, want->err))
		return "messages are missing";
	if (same)
		return NULL;
	if (is_output(want->out, got->out, DATES | NAMES) && says_less_is_known(want, got))
		return NULL;
	return "other output";
}

/* Prints a line of what differs. */
static void
show_difference(struct text want, struct text got)
{
	size_t i = 0, j = 0;

	while (i < want.len || j < got.len) {
		struct text a = line_of(want, &i), b = line_of(got, &j);

		if (is_line(a, b, DATES))
			continue;
		(void)printf("    - %.*s\n    + %.*s\n", a.len > 300 ? 300 : (int)a.len, a.at,
		    b.len > 300 ? 300 : (int)b.len, b.at);
		return;
	}
}

static void
show(const struct options *o, const struct fault *x, const char *wrong, const struct result *want,
    const struct result *got)
{
	char **a;

	(void)printf("%s: status %d: %s %ld%s: %s\n   ", wrong == NULL ? "ok" : wrong, got->status,
	    o->nomem == NULL ? "call" : "allocation", x->k, x->round.more ? " and on" : "",
	    got->hit);
	for (a = o->command; *a != NULL; a++)
		(void)printf(" %s", *a);
	(void)printf("%s%s\n", strcmp(o->in, "/dev/null") == 0 ? "" : " <",
	    strcmp(o->in, "/dev/null") == 0 ? "" : o->in);
	if (got->err.len > 0)
		(void)printf("    said: %.*s\n", got->err.len > 400 ? 400 : (int)got->err.len - 1,
		    got->err.at);
	if (!o->terminal)
		show_difference(want->out, got->out);
}

/* ---- the loops */

struct tally {
	long runs, wrong, refused;
};

/* Returns true if there was a K-th call. */
static bool
try(const struct options *o, const struct fault *x, const struct result *want, struct tally *n)
{
	struct result got = run(o, x);
	const char *wrong = judge(o, want, &got);
	bool hit = got.hit[0] != '\0';

	n->runs++;
	n->refused += got.status == 3;
	n->wrong += wrong != NULL;
	if (wrong != NULL || o->verbose)
		show(o, x, wrong, want, &got);
	forget(&got);
	return hit;
}

static void
loop(const struct options *o, struct round round, const struct result *want, struct tally *n)
{
	struct fault x = { .round = round, .k = 0 };
	long made = want->made[round.kind], step = o->few == 0 ? 1 : made / o->few;

	if (o->few != 0) { /* from a place that differs between commands */
		step = step == 0 ? 1 : step;
		for (x.k = 1 + (made * 7 + (long)want->out.len) % step; x.k <= made; x.k += step)
			(void)try(o, &x, want, n);
		return;
	}
	for (x.k = 1; try(o, &x, want, n); x.k += x.k > ALL_UP_TO ? x.k / 50 : 1)
		continue;
}

static int
loops(const struct options *o)
{
	const struct round *r = o->nomem == NULL ? rounds : memory_rounds;
	size_t i, nrounds = o->nomem == NULL ? sizeof rounds / sizeof *rounds : 2;
	struct tally n = { 0 };
	struct fault none = { 0 };
	struct result want = run(o, &none);

	if (want.status != 0 &&
	    !(want.status == 1 && o->remark != NULL && has(want.err, o->remark))) {
		show(o, &none, "wrong without a fault", &want, &want);
		n.wrong++;
		nrounds = 0;
	}
	if (o->verbose)
		show(o, &none, NULL, &want, &want);
	for (i = 0; i < nrounds; i++)
		loop(o, r[i], &want, &n);
	(void)printf("%s: %ld runs, %ld refused, %ld wrong\n", *o->command, n.runs, n.refused,
	    n.wrong);
	if (n.runs == 0 && n.wrong == 0)
		(void)printf("%s: nothing to refuse\n", *o->command);
	forget(&want);
	return n.wrong != 0 || n.runs == 0;
}

int
main(int argc, char **argv)
{
	struct server server = { 0 };
	struct options o = { .in = "/dev/null", .server = &server };
	struct sigaction sa = { .sa_handler = on_alarm };
	int c;

	while ((c = getopt(argc, argv, "+m:n:spTi:w:r:v")) != -1)
		switch (c) {
		case 'm': o.nomem = optarg; break;
		case 'n': o.few = atol(optarg); break;
		case 's': o.sanitized = true; break;
		case 'p': o.pipes = true; break;
		case 'T': o.terminal = true; break;
		case 'i': o.in = optarg; break;
		case 'w': o.file = optarg; break;
		case 'r': o.remark = optarg; break;
		case 'v': o.verbose = true; break;
		default: return 2;
		}
	o.command = argv + optind;
	if (optind == argc)
		return 2;
	if (o.file != NULL)
		o.before = file_contents(o.file);
	(void)sigaction(SIGALRM, &sa, NULL);
	c = loops(&o);
	end_server(&server);
	free(o.before.at);
	return c;
}

#endif
