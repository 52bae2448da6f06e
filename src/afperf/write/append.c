/* SPDX-License-Identifier: ISC */
/* append.c - adds records to an AFPerf file, all or nothing. */
#include "src/afperf/write/encode.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/in.h"
#include "lib/mem.h"
#include "lib/sig.h"
#include "src/afperf/afperf.h"
#include "src/afperf/records.h"

#define CHUNK ((size_t)256 * 1024)
#define LOCK_WAIT_MAX 50 /* milliseconds between two attempts to lock */
#define MAGIC_SIZE (sizeof AFPERF_MAGIC - 1)

/*
 * Waits for other writers by trying again, since a signal just before a blocking call would be
 * lost.
 */
static int
lock(int fd, struct err *e)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int ms = 1;

	while (fcntl(fd, F_SETLK, &all) != 0) {
		if (errno != EACCES && errno != EAGAIN && errno != EINTR)
			return err_sys(e, errno, "cannot lock");
		if (sig_wait_input(-1, ms) == SIG_WAIT_STOP)
			return err_stop(e);
		ms = ms * 2 < LOCK_WAIT_MAX ? ms * 2 : LOCK_WAIT_MAX;
	}
	return 0;
}

/* Reads an id.  Skips blanks and a sign before it, which readers accept. */
static bool
read_id(struct slice s, uint64_t *v)
{
	bool hex;

	while (s.len > 0 && (s.p[0] == ' ' || (s.p[0] >= '\t' && s.p[0] <= '\r')))
		s = (struct slice){ s.p + 1, s.len - 1 };
	if (s.len > 0 && s.p[0] == '+')
		s = (struct slice){ s.p + 1, s.len - 1 };
	return afperf_digits(s, v, &hex) == DIGITS_OK;
}

/*
 * Returns whether the record relies on the file's only run, which a second run would make
 * ambiguous.
 */
static bool
is_of_only_run(const struct afperf_append *a, const struct record *r, const struct afperf_layout *l)
{
	size_t stat = l->at[FIELD_AGGREGATION];

	return !a->runs_seen && l->role == ROLE_AGGREGATE && r->n > stat &&
	    record_field(r, l->at[FIELD_RUN] + l->at[FIELD_OWNER]).len == 0 &&
	    record_field(r, stat).len != 0;
}

/* If the record defines an id that must be unique, stores it. */
static int
take_record(struct afperf_append *a, const struct record *r, struct err *e)
{
	enum afperf_record type = afperf_record_of(record_field(r, 0));
	const struct afperf_layout *l = &afperf_layouts[type % AFPERF_RECORDS];
	size_t at = l->at[type == AFPERF_RUN_INFO ? FIELD_RUN : FIELD_OWNER];
	struct ids *t = type == AFPERF_RUN_INFO ? &a->runs
	    : type == AFPERF_REGION_START       ? &a->regions
	    : type == AFPERF_SECTION_INFO       ? &a->sections
						: NULL;
	struct ids_entry *entry;
	uint64_t id;

	a->runs_seen |= type == AFPERF_RUN_INFO;
	if (is_of_only_run(a, r, l))
		return err_line(e, r->line,
		    "a blank record id before the first run: with a second run it would "
		    "belong to no run");
	if (t == NULL || r->n <= at || !read_id(record_field(r, at), &id))
		return 0;
	entry = ids_get(t, 0, id, false);
	if (entry == NULL)
		return err_nomem(e);
	entry->state = IDS_OPEN;
	return 0;
}

static int
take_comment(const struct record *r, struct err *e)
{
	bool header = r->text.len >= 10 && memcmp(r->text.p, "# AFPerf v", 10) == 0;

	return header && !slice_eq(r->text, SLICE(AFPERF_MAGIC))
	    ? err_line(e, r->line, "a header of another version")
	    : 0;
}

static int
read_records(struct afperf_append *a, struct records *x, struct err *e)
{
	struct slice head;
	struct record r;
	enum afperf_rule rule;
	int rc = records_peek(x, MAGIC_SIZE, &head, e);

	if (rc == 0 && !slice_eq(head, SLICE(AFPERF_MAGIC)))
		rc = err_data(e, "not an AFPerf v1 file");
	while (rc == 0) {
		switch (records_next(x, &r, &rule, e)) {
		case RECORDS_END: return 0;
		case RECORDS_RECORD: rc = take_record(a, &r, e); break;
		case RECORDS_COMMENT: rc = take_comment(&r, e); break;
		case RECORDS_BROKEN:
		case RECORDS_LOST:
		case RECORDS_FAILED: return e->code;
		}
	}
	return rc;
}

static int
read_file(struct afperf_append *a, struct err *e)
{
	struct records x;
	struct stat st;
	char last = '\n';
	int rc;

	if (fstat(a->fd, &st) != 0)
		return err_sys(e, errno, "cannot read");
	if (!S_ISREG(st.st_mode))
		return err_data(e, "not a regular file");
	if (!records_open(&x, (struct in){ .fd = a->fd, .seekable = true }, AFPERF_RECORD_MAX))
		return err_nomem(e);
	rc = read_records(a, &x, e);
	/* if a line break were added, a truncated record would look complete */
	if (rc == 0 && x.unterminated)
		rc = err_line(e, x.lines, "ends without a line break: it may have been cut");
	records_close(&x);
	if (rc != 0)
		return rc;
	a->size = (uint64_t)st.st_size;
	if (pread(a->fd, &last, 1, st.st_size - 1) != 1)
		return err_sys(e, errno, "cannot read");
	a->unended = last != '\n';
	return 0;
}

int
afperf_append_open(struct afperf_append *a, const char *name, struct err *e)
{
	int rc;

	*a = (struct afperf_append){ .fd = open(name, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
	if (a->fd < 0)
		return err_sys(e, errno, "cannot open");
	rc = lock(a->fd, e);
	if (rc == 0)
		rc = read_file(a, e);
	if (rc != 0)
		afperf_append_close(a);
	return rc;
}

void
afperf_append_close(struct afperf_append *a)
{
	(void)close(a->fd);
	ids_free(&a->runs);
	ids_free(&a->regions);
	ids_free(&a->sections);
}

/* Signals that end a program by default. */
static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1,
	SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF };

/* Returns one of these signals that is blocked and pending, or 0. */
static int
held_back(void)
{
	sigset_t set;
	size_t i;

	if (sigpending(&set) == 0)
		for (i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
			if (deadly[i] != SIGXFSZ && sigismember(&set, deadly[i]) == 1)
				return deadly[i];
	return 0;
}

static int
write_at(int fd, const char *p, size_t n, uint64_t at, struct err *e)
{
	while (n > 0) {
		ssize_t w = pwrite(fd, p, n, (off_t)at);

		if (w < 0 && errno != EINTR)
			return err_sys(e, errno, "cannot write; nothing is appended");
		if (w > 0) {
			p += w;
			n -= (size_t)w;
			at += (uint64_t)w;
		}
	}
	return 0;
}

/* Appends all of FROM to the file.  Returns ERR_STOP if a signal is pending. */
static int
copy(struct afperf_append *a, int from, char *chunk, struct err *e)
{
	struct in in = { .fd = from, .seekable = true };
	uint64_t at = 0, end = a->size + a->unended;
	size_t got;
	int rc = a->unended ? write_at(a->fd, "\n", 1, a->size, e) : 0;

	do {
		if (rc == 0)
			rc = in_read_at(&in, at, chunk, CHUNK, &got, e);
		if (rc == 0)
			rc = write_at(a->fd, chunk, got, end + at, e);
		at += rc == 0 ? got : 0;
		if (rc == 0 && held_back() != 0)
			rc = ERR_STOP;
	} while (rc == 0 && got == CHUNK);
	if (rc == 0 && fsync(a->fd) != 0)
		rc = err_sys(e, errno, "cannot write; nothing is appended");
	return rc == 0 && held_back() != 0 ? ERR_STOP : rc;
}

/* Delivers a pending signal, which can no longer damage anything. */
static int
die_of(int sig, struct err *e)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };
	sigset_t one;

	sigemptyset(&sa.sa_mask);
	sigemptyset(&one);
	sigaddset(&one, sig);
	(void)sigaction(sig, &sa, NULL);
	(void)sigprocmask(SIG_UNBLOCK, &one, NULL);
	*e = (struct err){ .code = ERR_STOP, .msg = "interrupted" };
	return ERR_STOP;
}

static int
copy_or_cut(struct afperf_append *a, int from, char *chunk, struct err *e)
{
	int rc = copy(a, from, chunk, e);

	if (rc == 0)
		return 0;
	if (ftruncate(a->fd, (off_t)a->size) != 0) {
		err_sys(e, errno, "cannot be truncated to its old length");
		return ERR_SYS;
	}
	return rc == ERR_STOP ? die_of(held_back(), e) : rc;
}

int
afperf_append_commit(struct afperf_append *a, int from, struct err *e)
{
	char *chunk = mem_alloc(CHUNK);
	sigset_t block, old;
	struct stat st;
	size_t i;
	int rc;

	if (chunk == NULL)
		return err_nomem(e);
	sigemptyset(&block);
	for (i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
		sigaddset(&block, deadly[i]);
	(void)sigprocmask(SIG_BLOCK, &block, &old);
	if (sig_stop()) { /* the signal came at a time when no read could be interrupted */
		*e = (struct err){ .code = ERR_STOP, .msg = "interrupted" };
		rc = ERR_STOP;
	} else if (fstat(a->fd, &st) != 0) {
		rc = err_sys(e, errno, "cannot read");
	} else if ((uint64_t)st.st_size != a->size) {
		rc = err_data(e, "another program has changed it; nothing is appended");
	} else {
		rc = copy_or_cut(a, from, chunk, e);
	}
	/* after an error SIGXFSZ may be pending, which must not kill the program */
	if (rc == 0)
		(void)sigprocmask(SIG_SETMASK, &old, NULL);
	mem_free(chunk);
	return rc;
}
