/* SPDX-License-Identifier: ISC */
/* sandbox.c - system calls by seccomp(2), and files by landlock(7). */
#define _GNU_SOURCE /* syscall, O_TMPFILE, si_syscall */
#include "lib/sandbox.h"

#if defined(__linux__) && !defined(NO_SANDBOX)

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
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

/* The calling convention whose numbers the program uses (linux/audit.h). */
#if defined(__x86_64__) && defined(__LP64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCH AUDIT_ARCH_I386
#elif defined(__aarch64__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__arm__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define ARCH AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define ARCH AUDIT_ARCH_S390X
#endif

#ifdef ARCH

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

/* clang-format off */
#define DENY(call, purpose) { SYS_##call, #call, purpose }

static const struct denied denied[] = {
	/* other programs */
	DENY(execve, TO_DEBUG), DENY(execveat, TO_DEBUG), DENY(kill, TO_DEBUG),
	DENY(ptrace, TO_DEBUG),
	DENY(process_vm_readv, NEVER), DENY(process_vm_writev, NEVER),
	/* the network */
	DENY(socket, TO_FETCH), DENY(socketpair, TO_FETCH), DENY(connect, TO_FETCH),
	DENY(bind, TO_FETCH), DENY(listen, TO_FETCH), DENY(accept4, TO_FETCH),
	/* names and modes of files */
	DENY(unlinkat, TO_SPILL), DENY(renameat2, TO_FETCH), DENY(mkdirat, TO_FETCH),
	DENY(fchmod, TO_FETCH), DENY(fchmodat, TO_FETCH), DENY(utimensat, TO_FETCH),
	DENY(truncate, NEVER), DENY(linkat, NEVER), DENY(symlinkat, NEVER), DENY(mknodat, NEVER),
	DENY(fchown, NEVER), DENY(fchownat, NEVER), DENY(setxattr, NEVER), DENY(lsetxattr, NEVER),
	DENY(fsetxattr, NEVER),
	/* the machine */
	DENY(mount, NEVER), DENY(umount2, NEVER), DENY(pivot_root, NEVER), DENY(chroot, NEVER),
	DENY(unshare, NEVER), DENY(setns, NEVER), DENY(bpf, NEVER), DENY(perf_event_open, NEVER),
	DENY(init_module, NEVER), DENY(finit_module, NEVER), DENY(kexec_load, NEVER),
	DENY(reboot, NEVER), DENY(add_key, NEVER), DENY(keyctl, NEVER), DENY(userfaultfd, NEVER),
	DENY(open_by_handle_at, NEVER),
	/* older forms of the above, which newer machines do not have */
#ifdef SYS_open
	DENY(fork, TO_DEBUG), DENY(vfork, TO_DEBUG), DENY(unlink, TO_SPILL), DENY(creat, TO_SPILL),
	DENY(rename, TO_FETCH), DENY(mkdir, TO_FETCH), DENY(rmdir, TO_FETCH), DENY(chmod, TO_FETCH),
	DENY(link, NEVER), DENY(symlink, NEVER), DENY(mknod, NEVER), DENY(chown, NEVER),
	DENY(lchown, NEVER),
#endif
#ifdef SYS_renameat
	DENY(renameat, TO_FETCH),
#endif
#ifdef SYS_accept
	DENY(accept, TO_FETCH),
#endif
#ifdef SYS_socketcall
	DENY(socketcall, TO_FETCH),
#endif
#ifdef SYS_truncate64
	DENY(truncate64, NEVER),
#endif
#ifdef SYS_chown32
	DENY(chown32, NEVER), DENY(fchown32, NEVER), DENY(lchown32, NEVER),
#endif
	/* newer ones */
#ifdef SYS_io_uring_setup
	DENY(io_uring_setup, NEVER),
#endif
#ifdef SYS_pidfd_getfd
	DENY(pidfd_getfd, NEVER),
#endif
};

/* Calls that are denied for some arguments only. */
static const struct denied in_part[] = {
#ifdef SYS_open
	DENY(open, NEVER),
#endif
	DENY(openat, NEVER), DENY(clone, NEVER), DENY(ioctl, NEVER),
};
/* clang-format on */

#define DENIED (sizeof denied / sizeof denied[0])
#define IN_PART (sizeof in_part / sizeof in_part[0])

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
	const char *name = name_in(denied, DENIED, info->si_syscall);
	char program[17] = "";

	(void)sig;
	(void)context;
	if (name == NULL)
		name = name_in(in_part, IN_PART, info->si_syscall);
	(void)prctl(PR_GET_NAME, program, 0, 0, 0);
	say(program);
	say(": the sandbox stopped this program at the system call ");
	say(name == NULL ? "?" : name);
	say(" (see --no-sandbox)\n");
	_exit(3);
}

/* A program of the kernel's packet filter, which judges each call: struct seccomp_data. */
struct filter {
	unsigned short n;
	struct sock_filter at[2 * DENIED + 48];
};

#define TRAP (BPF_RET | BPF_K), SECCOMP_RET_TRAP, 0, 0
#define ALLOW (BPF_RET | BPF_K), SECCOMP_RET_ALLOW, 0, 0
#define EQUAL (BPF_JMP | BPF_JEQ | BPF_K)
#define ANY_BIT (BPF_JMP | BPF_JSET | BPF_K)
#define LOAD (BPF_LD | BPF_W | BPF_ABS)

/* Adds an instruction; of a jump, THEN and ELSE_ are how many instructions are passed over. */
static void
add(struct filter *f, unsigned short code, uint32_t k, unsigned char then, unsigned char else_)
{
	f->at[f->n++] = (struct sock_filter){ code, then, else_, k };
}

/* Loads the low half of an argument, which has all that matters here. */
static void
load_argument(struct filter *f, size_t i)
{
	size_t half = __BYTE_ORDER == __BIG_ENDIAN ? 4 : 0;

	add(f, LOAD, (uint32_t)(offsetof(struct seccomp_data, args) + i * 8 + half), 0, 0);
}

static void
deny(struct filter *f, int number)
{
	add(f, EQUAL, (uint32_t)number, 0, 1);
	add(f, TRAP);
}

/* Makes a call fail as if the kernel did not know it. */
static void
forget(struct filter *f, int number)
{
	add(f, EQUAL, (uint32_t)number, 0, 1);
	add(f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
}

/* Denies opening files to change them, save those without a name. */
static void
deny_writing(struct filter *f, int number, size_t flags)
{
	add(f, EQUAL, (uint32_t)number, 0, 5);
	load_argument(f, flags);
	add(f, ANY_BIT, O_TMPFILE & ~O_DIRECTORY, 1, 0);
	add(f, ANY_BIT, O_ACCMODE | O_CREAT | O_TRUNC, 1, 0);
	add(f, ALLOW);
	add(f, TRAP);
}

/* Denies processes: threads are clones with the flag CLONE_THREAD of linux/sched.h. */
static void
deny_processes(struct filter *f)
{
	const size_t flags = __BYTE_ORDER == __BIG_ENDIAN ? 1 : 0; /* s390x has the stack first */

	add(f, EQUAL, SYS_clone, 0, 4);
	load_argument(f, flags);
	add(f, ANY_BIT, 0x10000, 0, 1);
	add(f, ALLOW);
	add(f, TRAP);
#ifdef SYS_clone3
	forget(f, SYS_clone3); /* has its flags in memory; the C library falls back to clone */
#endif
}

/* Denies typing on the terminal as its user would: TIOCSTI. */
static void
deny_typing(struct filter *f)
{
	add(f, EQUAL, SYS_ioctl, 0, 4);
	load_argument(f, 1);
	add(f, EQUAL, 0x5412, 0, 1);
	add(f, TRAP);
	add(f, ALLOW);
}

static void
deny_all(struct filter *f, unsigned allowed)
{
	size_t i;

	add(f, LOAD, offsetof(struct seccomp_data, arch), 0, 0);
	add(f, EQUAL, ARCH, 1, 0);
	add(f, TRAP);
	add(f, LOAD, offsetof(struct seccomp_data, nr), 0, 0);
#ifdef __x86_64__
	/* the numbers of x32, but not -1, which a tracer leaves of a call that it has done */
	add(f, EQUAL, UINT32_MAX, 2, 0);
	add(f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
	add(f, TRAP);
#endif
	for (i = 0; i < DENIED; i++)
		if ((denied[i].purpose & allowed) == 0)
			deny(f, denied[i].number);
	if ((allowed & TO_SPILL) == 0) {
#ifdef SYS_open
		deny_writing(f, SYS_open, 1);
#endif
		deny_writing(f, SYS_openat, 2);
#ifdef SYS_openat2
		forget(f, SYS_openat2); /* has its flags in memory */
#endif
	}
	if ((allowed & TO_DEBUG) == 0)
		deny_processes(f);
	deny_typing(f);
	add(f, ALLOW);
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
	struct filter f = { 0 };
	struct sock_fprog program;

	deny_all(&f, allowed_for(needs));
	program = (struct sock_fprog){ f.n, f.at };
	sa.sa_sigaction = on_denied;
	(void)sigemptyset(&sa.sa_mask);
	if (sigaction(SIGSYS, &sa, NULL) == 0)
		(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
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
