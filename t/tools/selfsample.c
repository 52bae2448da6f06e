/* SPDX-License-Identifier: ISC */
/*
 * selfsample.c - samples itself at known places and writes the samples as a recording with copies
 * of its stack, as perf record --call-graph dwarf does.
 *
 *	selfsample COPY >RECORDING 2>STACKS
 *
 * COPY is the size of a stack copy in bytes.  STACKS has a line for each sample: those functions of
 * this file that are being called, root first, as the program itself knows them.  Layouts: the
 * comments in Linux' include/uapi/linux/perf_event.h and
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define NAMES_MAX 1024

enum { REC_MMAP2 = 10, REC_COMM = 3, REC_SAMPLE = 9, REC_ATTR = 64, REC_FEATURE = 80 };
enum { FEATURE_ARCH = 6, SAMPLE_TYPE = 0x1 | 0x2 | 0x4 | 0x20 | 0x1000 | 0x2000 };

#if defined __x86_64__
#define REGISTERS UINT64_C(0xff0fff)
#define STACK_POINTER gregs[REG_RSP]
#define PROGRAM_COUNTER gregs[REG_RIP]
#define ILLEGAL "ud2"
#define ILLEGAL_SIZE 2
#elif defined __i386__
#define REGISTERS UINT64_C(0x1ff)
#define STACK_POINTER gregs[REG_ESP]
#define PROGRAM_COUNTER gregs[REG_EIP]
#define ILLEGAL "ud2"
#define ILLEGAL_SIZE 2
#elif defined __aarch64__
#define REGISTERS UINT64_C(0x1ffffffff)
#define STACK_POINTER sp
#define PROGRAM_COUNTER pc
#define ILLEGAL "udf #0"
#define ILLEGAL_SIZE 4
#else
#error "only x86_64, i386 and AArch64"
#endif

static size_t copy_size;
static char *stack_end;
static uint64_t now;

/* The functions that are being called; a thread begins with a list of its own. */
static __thread const char *volatile name[NAMES_MAX];
static __thread volatile size_t names;

static unsigned char record[65536];
static size_t len;

static void
put(const void *p, size_t n)
{
	memcpy(record + len, p, n);
	len += n;
}

static void
put64(uint64_t v)
{
	put(&v, sizeof v);
}

static void
put32(uint32_t v)
{
	put(&v, sizeof v);
}

static void
begin(uint32_t type, uint16_t misc)
{
	len = 0;
	put32(type);
	put(&misc, 2);
	put(&misc, 2);
}

static void
end(void)
{
	uint16_t size;

	while (len % 8 != 0)
		record[len++] = 0;
	size = (uint16_t)len;
	memcpy(record + 6, &size, 2);
	if (write(1, record, len) != (ssize_t)len)
		_exit(1);
}

static void
put_attr(void)
{
	begin(REC_ATTR, 0);
	put32(1); /* software */
	put32(112);
	put64(0); /* cpu-clock */
	put64(1000000);
	put64(SAMPLE_TYPE);
	put64(0);
	put64(0);
	put64(0);
	put64(0);
	put64(0);
	put64(0);
	put64(REGISTERS);
	put32((uint32_t)copy_size);
	put32(0);
	put64(0);
	put64(0);
	put64(7); /* an id, after the attr */
	end();
}

static void
put_arch(void)
{
	struct utsname u;

	(void)uname(&u);
	begin(REC_FEATURE, 0);
	put64(FEATURE_ARCH);
	put32(64);
	put(u.machine, 64);
	end();
}

static void
put_comm(void)
{
	begin(REC_COMM, 0);
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
	put("selfsample\0\0\0\0\0", 16);
	end();
}

static void
put_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long long from, to, offset;
	char line[4096], flags[5], path[4000];

	while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
		path[0] = '\0';
		if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %3999[^\n]", &from, &to, flags,
			&offset, path) < 4)
			continue;
		if (strstr(line, "[stack]") != NULL)
			stack_end = (char *)(uintptr_t)to;
		if (flags[2] != 'x' || path[0] == '\0')
			continue;
		begin(REC_MMAP2, 2);
		put32((uint32_t)getpid());
		put32((uint32_t)getpid());
		put64(from);
		put64(to - from);
		put64(offset);
		put64(0);
		put64(0);
		put64(0);
		put32(5);
		put32(2);
		put(path, strlen(path) + 1);
		end();
	}
	if (maps != NULL)
		(void)fclose(maps);
}

static void
put_registers(const ucontext_t *u)
{
#if defined __x86_64__
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP,
		REG_RSP, REG_RIP, REG_EFL, -1, -1, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12,
		REG_R13, REG_R14, REG_R15 };
	size_t i;

	for (i = 0; i < sizeof order / sizeof order[0]; i++)
		put64(order[i] < 0 ? 0 : (uint64_t)u->uc_mcontext.gregs[order[i]]);
#elif defined __i386__
	static const int order[] = { REG_EAX, REG_EBX, REG_ECX, REG_EDX, REG_ESI, REG_EDI, REG_EBP,
		REG_ESP, REG_EIP };
	size_t i;

	for (i = 0; i < sizeof order / sizeof order[0]; i++)
		put64((uint32_t)u->uc_mcontext.gregs[order[i]]);
#else
	put(u->uc_mcontext.regs, 31 * 8);
	put64(u->uc_mcontext.sp);
	put64(u->uc_mcontext.pc);
#endif
}

static char *
stack_pointer(const ucontext_t *u)
{
	return (char *)(uintptr_t)u->uc_mcontext.STACK_POINTER;
}

static uint64_t
program_counter(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.PROGRAM_COUNTER;
}

/* The stack of this thread ends at LIMIT. */
static __thread char *limit;

static void
put_sample(const ucontext_t *u)
{
	char *sp = stack_pointer(u), *top = limit != NULL ? limit : stack_end;
	size_t used = (size_t)(top - sp) < copy_size ? (size_t)(top - sp) : copy_size;

	used = used / 8 * 8;
	begin(REC_SAMPLE, 2);
	put64(program_counter(u));
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
	put64(now += 1000);
	put64(2);
	put64((uint64_t)-512); /* the user's part follows */
	put64(program_counter(u));
	put64(sizeof(void *) / 4); /* registers of 32 or 64 bits */
	put_registers(u);
	put64(used);
	if (used != 0) {
		put(sp, used);
		put64(used);
	}
	end();
}

/* Samples itself: registers as they are here, and the stack from here on. */
static APART void
sample(void)
{
	ucontext_t u;
	size_t i;

	(void)getcontext(&u);
	put_sample(&u);
	for (i = 0; i < names; i++)
		fprintf(stderr, "%s;", name[i]);
	fprintf(stderr, "sample\n");
}

#define CALLED name[names++] = __func__
#define RETURN names--
#define KEEP __asm__ volatile("" ::: "memory") /* no call is the last thing that a function does */

static APART void
leaf(void)
{
	CALLED;
	sample();
	RETURN;
	KEEP;
}

/* The size of its frame is not known before it runs. */
static APART void
dynamic_frame(size_t n)
{
	char *p = __builtin_alloca(n);

	CALLED;
	memset(p, 1, n);
	leaf();
	RETURN;
	KEEP;
}

static APART void
deep(unsigned n)
{
	volatile char room[200];

	CALLED;
	room[n % 200] = 1;
	if (n == 0)
		leaf();
	else
		deep(n - (unsigned)room[n % 200]);
	RETURN;
	KEEP;
}

static int compared;

static APART int
compare(const void *a, const void *b)
{
	CALLED;
	if (compared++ == 0)
		sample();
	RETURN;
	KEEP;
	return *(const int *)a - *(const int *)b;
}

/* Called back by libc. */
static APART void
sorter(void)
{
	int v[2] = { 2, 1 };

	CALLED;
	qsort(v, 2, sizeof *v, compare);
	RETURN;
	KEEP;
}

static APART void
handler(int sig)
{
	(void)sig;
	CALLED;
	sample();
	RETURN;
	KEEP;
}

/* The signal comes while it runs: the kernel's frame is between it and the handler. */
static APART void
interrupted(void)
{
	CALLED;
	(void)raise(SIGUSR1);
	RETURN;
	KEEP;
}

/*
 * A function whose first instruction is an illegal one.  The interrupted place is the first byte of
 * the function, and the byte before it belongs to another one.
 */
void illegal(void);
__asm__(
    ".text\n.type before_illegal, %function\nbefore_illegal:\n.cfi_startproc\nnop\n.cfi_endproc\n"
    ".size before_illegal, .-before_illegal\n.globl illegal\n.type illegal, %function\n"
    "illegal:\n.cfi_startproc\n" ILLEGAL "\nret\n.cfi_endproc\n.size illegal, .-illegal\n");

static APART void
illegal_handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)sig;
	(void)info;
	CALLED;
	sample();
	RETURN;
	u->uc_mcontext.PROGRAM_COUNTER += ILLEGAL_SIZE;
}

static APART void
calls_illegal(void)
{
	struct sigaction a = { .sa_flags = SA_SIGINFO };

	CALLED;
	a.sa_sigaction = illegal_handler;
	(void)sigaction(SIGILL, &a, NULL);
	name[names++] = "illegal";
	illegal();
	names--;
	RETURN;
	KEEP;
}

/* The call is the last instruction: the return address is that of the next function. */
static APART __attribute__((noreturn)) void
no_return(void)
{
	CALLED;
	sample();
	_exit(0);
}

static APART __attribute__((noreturn)) void
calls_no_return(void)
{
	CALLED;
	no_return();
}

static void *
thread_body(void *arg)
{
	pthread_attr_t a;
	size_t size;
	void *start;

	CALLED;
	if (pthread_getattr_np(pthread_self(), &a) == 0 &&
	    pthread_attr_getstack(&a, &start, &size) == 0)
		limit = (char *)start + size;
	leaf();
	RETURN;
	return arg;
}

int
main(int argc, char **argv)
{
	unsigned char header[16] = "PERFILE2\x10";
	pthread_t t;

	copy_size = argc > 1 ? (size_t)atoi(argv[1]) : 8192;
	name[names++] = "main";
	if (write(1, header, sizeof header) != sizeof header)
		return 1;
	put_attr();
	put_arch();
	put_comm();
	put_mappings();
	leaf();
	dynamic_frame(64 + (size_t)argc);
	dynamic_frame(3000);
	deep(3);
	deep(20);
	deep(200);
	sorter();
	(void)signal(SIGUSR1, handler);
	interrupted();
	calls_illegal();
	if (pthread_create(&t, NULL, thread_body, NULL) == 0)
		(void)pthread_join(t, NULL);
	calls_no_return();
}
