/* SPDX-License-Identifier: ISC */
/* sandbox.c - system calls by seccomp(2), and files by landlock(7). */
#define _GNU_SOURCE /* syscall, O_TMPFILE, si_syscall */
#include "lib/sandbox.h"

#if defined(__linux__) && !defined(NO_SANDBOX)

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/in.h"

/* Sanitizers start programs. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* ---- files */

#if defined(__has_include) && defined(SYS_landlock_create_ruleset)
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#endif

#ifdef LANDLOCK_CREATE_RULESET_VERSION

/* What changes files; the first version of Landlock has all of it. */
#define CHANGES \
	((SANITIZED ? 0 : LANDLOCK_ACCESS_FS_EXECUTE) | LANDLOCK_ACCESS_FS_WRITE_FILE | \
	    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
	    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | \
	    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | \
	    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | \
	    LANDLOCK_ACCESS_FS_MAKE_SYM)

/* What in_temp does. */
#define SPILLS \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
	    LANDLOCK_ACCESS_FS_MAKE_REG)

/* Allows no change of a file, save that temporary files may be made. */
static void
restrict_files(void)
{
	struct landlock_ruleset_attr all = { .handled_access_fs = CHANGES };
	struct landlock_path_beneath_attr spill = { .allowed_access = SPILLS };
	int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0u);
	bool ready = false;

	if (rules < 0)
		return;
	spill.parent_fd = open(in_temp_folder(), O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* without the folder, nothing can be spilled there either */
	ready = spill.parent_fd < 0 ||
	    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &spill, 0u) == 0;
	if (ready)
		(void)syscall(SYS_landlock_restrict_self, rules, 0u);
	if (spill.parent_fd >= 0)
		(void)close(spill.parent_fd);
	(void)close(rules);
}

#else

static void
restrict_files(void)
{
}

#endif

/* ---- system calls */

#ifdef HAVE_SECCOMP

#include <seccomp.h>

/* What a denied system call is needed for: bits, of which some may be allowed. */
enum purpose {
	NEVER = 0,
	TO_FETCH = 1, /* with SANDBOX_FETCHES */
	TO_SPILL = 2, /* with that, and where in_temp has to make a file with a name */
	TO_DEBUG = 4, /* with sanitizers */
};

struct denied {
	int number;
	const char *name;
	enum purpose purpose;
};

#define DENY(call, purpose) \
	{ \
		SCMP_SYS(call), #call, purpose \
	}

static const struct denied denied[] = {
	/* other programs */
	DENY(execve, TO_DEBUG),
	DENY(execveat, TO_DEBUG),
	DENY(fork, TO_DEBUG),
	DENY(vfork, TO_DEBUG),
	DENY(kill, TO_DEBUG),
	DENY(ptrace, TO_DEBUG),
	DENY(process_vm_readv, NEVER),
	DENY(process_vm_writev, NEVER),
	DENY(pidfd_getfd, NEVER),
	/* the network */
	DENY(socket, TO_FETCH),
	DENY(socketpair, TO_FETCH),
	DENY(connect, TO_FETCH),
	DENY(bind, TO_FETCH),
	DENY(listen, TO_FETCH),
	DENY(accept, TO_FETCH),
	DENY(accept4, TO_FETCH),
	/* names and modes of files */
	DENY(unlink, TO_SPILL),
	DENY(unlinkat, TO_SPILL),
	DENY(rename, TO_FETCH),
	DENY(renameat, TO_FETCH),
	DENY(renameat2, TO_FETCH),
	DENY(mkdir, TO_FETCH),
	DENY(mkdirat, TO_FETCH),
	DENY(rmdir, TO_FETCH),
	DENY(chmod, TO_FETCH),
	DENY(fchmod, TO_FETCH),
	DENY(fchmodat, TO_FETCH),
	DENY(utimensat, TO_FETCH),
	DENY(truncate, NEVER),
	DENY(link, NEVER),
	DENY(linkat, NEVER),
	DENY(symlink, NEVER),
	DENY(symlinkat, NEVER),
	DENY(mknod, NEVER),
	DENY(mknodat, NEVER),
	DENY(chown, NEVER),
	DENY(fchown, NEVER),
	DENY(fchownat, NEVER),
	DENY(lchown, NEVER),
	DENY(setxattr, NEVER),
	DENY(lsetxattr, NEVER),
	DENY(fsetxattr, NEVER),
	/* the machine */
	DENY(mount, NEVER),
	DENY(umount2, NEVER),
	DENY(pivot_root, NEVER),
	DENY(chroot, NEVER),
	DENY(unshare, NEVER),
	DENY(setns, NEVER),
	DENY(bpf, NEVER),
	DENY(perf_event_open, NEVER),
	DENY(init_module, NEVER),
	DENY(finit_module, NEVER),
	DENY(kexec_load, NEVER),
	DENY(reboot, NEVER),
	DENY(add_key, NEVER),
	DENY(keyctl, NEVER),
	DENY(io_uring_setup, NEVER),
	DENY(userfaultfd, NEVER),
	DENY(open_by_handle_at, NEVER),
};

/* Calls that are denied for some arguments only. */
static const struct denied in_part[] = {
	DENY(open, NEVER),
	DENY(openat, NEVER),
	DENY(creat, NEVER),
	DENY(clone, NEVER),
	DENY(ioctl, NEVER),
};

static const char *
name_in(const struct denied *list, size_t n, int number)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].number == number)
			return list[i].name;
	return NULL;
}

static void
say(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
}

/* Names the denied system call and ends the program.  Only uses what a handler may. */
static void
on_denied(int sig, siginfo_t *info, void *context)
{
	const char *name = name_in(denied, sizeof denied / sizeof *denied, info->si_syscall);
	char program[17] = "";

	(void)sig;
	(void)context;
	if (name == NULL)
		name = name_in(in_part, sizeof in_part / sizeof *in_part, info->si_syscall);
	(void)prctl(PR_GET_NAME, program, 0, 0, 0);
	say(program);
	say(": the sandbox stopped this program at the system call ");
	say(name == NULL ? "?" : name);
	say(" (see --no-sandbox)\n");
	_exit(3);
}

/* Returns true if in_temp makes files that never have a name. */
static bool
spills_unnamed(void)
{
	int fd = open(in_temp_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

/* Denies opening files to write them, save those without a name. */
static bool
deny_writing(scmp_filter_ctx f, int call, unsigned at)
{
	const uint32_t unnamed = O_TMPFILE & ~O_DIRECTORY, mask = O_ACCMODE | unnamed;
	uint32_t mode;
	bool ok = true;

	for (mode = O_WRONLY; ok && mode <= O_ACCMODE; mode++)
		ok = seccomp_rule_add(f, SCMP_ACT_TRAP, call, 1,
			 SCMP_CMP(at, SCMP_CMP_MASKED_EQ, mask, mode)) == 0;
	return ok &&
	    seccomp_rule_add(f, SCMP_ACT_TRAP, call, 1,
		SCMP_CMP(at, SCMP_CMP_MASKED_EQ, O_CREAT | unnamed, O_CREAT)) == 0;
}

/*
 * Threads are clones with the flag of a thread.  clone3 has its flags in memory, where no filter
 * can see them; without it the C library falls back to clone.
 */
static bool
deny_processes(scmp_filter_ctx f)
{
	const uint64_t thread = 0x10000; /* CLONE_THREAD of linux/sched.h */

	return seccomp_rule_add(f, SCMP_ACT_TRAP, SCMP_SYS(clone), 1,
		   SCMP_A0(SCMP_CMP_MASKED_EQ, thread, 0)) == 0 &&
	    seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
}

/* Denies what depends on the arguments.  Those of openat2 are in memory, too. */
static bool
deny_in_part(scmp_filter_ctx f, unsigned allowed)
{
	const uint64_t type_ahead = 0x5412; /* TIOCSTI: types on the terminal as its user would */
	bool ok = seccomp_rule_add(f, SCMP_ACT_TRAP, SCMP_SYS(ioctl), 1,
		      SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, type_ahead)) == 0;

	if (ok && (allowed & TO_DEBUG) == 0)
		ok = deny_processes(f);
	if (!ok || (allowed & TO_SPILL) != 0)
		return ok;
	return deny_writing(f, SCMP_SYS(open), 1) && deny_writing(f, SCMP_SYS(openat), 2) &&
	    seccomp_rule_add(f, SCMP_ACT_TRAP, SCMP_SYS(creat), 0) == 0 &&
	    seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2), 0) == 0;
}

static bool
deny_all(scmp_filter_ctx f, unsigned allowed)
{
	size_t i;

	for (i = 0; i < sizeof denied / sizeof *denied; i++)
		if ((denied[i].purpose & allowed) == 0 &&
		    seccomp_rule_add(f, SCMP_ACT_TRAP, denied[i].number, 0) != 0)
			return false;
	return deny_in_part(f, allowed);
}

static unsigned
allowed_for(unsigned needs)
{
	unsigned allowed = SANITIZED ? TO_DEBUG : 0;

	if ((needs & SANDBOX_FETCHES) != 0)
		return allowed | TO_FETCH | TO_SPILL;
	return spills_unnamed() ? allowed : allowed | TO_SPILL;
}

static void
restrict_calls(unsigned needs)
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO };
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);

	if (f == NULL)
		return;
	sa.sa_sigaction = on_denied;
	(void)sigemptyset(&sa.sa_mask);
	if (deny_all(f, allowed_for(needs)) && sigaction(SIGSYS, &sa, NULL) == 0)
		(void)seccomp_load(f);
	seccomp_release(f);
}

#else

static void
restrict_calls(unsigned needs)
{
	(void)needs;
}

#endif

void
sandbox_enter(unsigned needs)
{
	/* without this, only root may restrict itself */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return;
	if (needs == 0)
		restrict_files();
	restrict_calls(needs);
}

#else

void
sandbox_enter(unsigned needs)
{
	(void)needs;
}

#endif
