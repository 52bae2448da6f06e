/* SPDX-License-Identifier: ISC */
/* in.c - reads bytes from a file, a pipe or standard input. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "lib/in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/esc.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/sig.h"

#define NSEC ((uint64_t)1000000000)
#define MSEC ((uint64_t)1000000)
#define SPOOL_CHUNK ((size_t)128 * 1024)
#define FOLDER_SHOWN 150 /* bytes of the name in a message */

static struct {
	in_watcher *watcher;
	void *ctx;
} watch;

void
in_watch(in_watcher *watcher, void *ctx)
{
	watch.watcher = watcher;
	watch.ctx = ctx;
}

static int
refuse(struct in *in, int errnum, const char *what, struct err *e)
{
	in_close(in);
	return err_sys(e, errnum, what);
}

int
in_descriptor(const char *name)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY, fd;
	struct stat st;

	if (stat(name, &st) != 0 || !S_ISFIFO(st.st_mode))
		return open(name, flags);
	fd = open(name, flags | O_NONBLOCK);
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, 0);
	return fd;
}

/* Returns the size of a block device, which fstat does not know. */
static uint64_t
device_size(int fd)
{
	off_t at = lseek(fd, 0, SEEK_CUR), end = lseek(fd, 0, SEEK_END);

	return at < 0 || end < 0 || lseek(fd, at, SEEK_SET) < 0 ? 0 : (uint64_t)end;
}

/* Completes an input whose descriptor is open. */
static int
describe(struct in *in, struct err *e)
{
	struct stat st;

	if (fstat(in->fd, &st) != 0)
		return refuse(in, errno, "cannot read", e);
	if (S_ISDIR(st.st_mode))
		return refuse(in, EISDIR, "cannot read", e);
	in->seekable = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
	in->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size
	    : S_ISBLK(st.st_mode)      ? device_size(in->fd)
				       : 0;
	in->changed = S_ISREG(st.st_mode) ? file_time(&st.st_mtim) : 0;
	in->pipe = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	if (in->pipe)
		sig_reading_pipe();
	else
		sig_reading_file();
	return 0;
}

int
in_open(struct in *in, const char *name, struct err *e)
{
	int rc;

	if (strcmp(name, "-") == 0)
		return in_open_fd(in, STDIN_FILENO, e);
	*in = (struct in){ .watched = true, .ours = true };
	do {
		in->fd = in_descriptor(name);
	} while (in->fd < 0 && errno == EINTR && !sig_stop());
	if (in->fd >= 0) {
		rc = describe(in, e);
		if (rc == ERR_SYS && e->errnum == EISDIR)
			(void)err_add(e, "; name the files in it (DIRECTORY/*)");
		return rc;
	}
	in->ours = false;
	return errno == EINTR ? err_stop(e) : err_sys(e, errno, "cannot open");
}

int
in_open_fd(struct in *in, int fd, struct err *e)
{
	*in = (struct in){ .fd = fd, .watched = true };
	return describe(in, e);
}

void
in_open_memory(struct in *in, struct slice bytes)
{
	*in = (struct in){ .fd = -1, .memory = bytes };
	if (bytes.p == NULL)
		in->memory = SLICE("");
}

int
in_open_regular(struct in *in, const char *path, struct err *e)
{
	struct file_name name = { .path = path };
	struct stat st;
	int fd, rc = file_open(&name, &fd, &st, e);

	*in = (struct in){ .fd = -1 };
	if (rc == ERR_SYS)
		return err_sys(e, e->errnum, "cannot open");
	if (rc != 0)
		return rc;
	*in = (struct in){ .fd = fd,
		.ours = true,
		.seekable = true,
		.size = (uint64_t)st.st_size,
		.changed = file_time(&st.st_mtim) };
	sig_reading_file();
	return 0;
}

void
in_close(struct in *in)
{
	if (in->ours)
		(void)close(in->fd);
	*in = (struct in){ .fd = -1 };
}

uint64_t
in_now(void)
{
	struct timespec t = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NSEC + (uint64_t)t.tv_nsec;
}

/* Does what is due.  Returns how many milliseconds remain until the next time; -1: no limit. */
static int
run_timer(struct in_timer *t)
{
	uint64_t time, left;

	if (t == NULL)
		return -1;
	time = in_now();
	if (t->next == 0)
		t->next = time + t->every;
	if (time >= t->next) {
		t->due(t->ctx);
		time = in_now();
		t->next += t->every;
		if (t->next <= time)
			t->next = time + t->every;
	}
	left = (t->next - time + MSEC - 1) / MSEC;
	return left > INT_MAX ? INT_MAX : (int)left;
}

static size_t
read_memory(struct in *in, void *dst, size_t n)
{
	if (n > in->memory.len)
		n = in->memory.len;
	if (n != 0)
		memcpy(dst, in->memory.p, n);
	in->memory.p += n;
	in->memory.len -= n;
	return n;
}

/* Waits for input.  Pending output is flushed first, so that readers see it in the meantime. */
static enum sig_wait
wait_input(struct in *in)
{
	bool idle = in->idle != NULL && in->idle->len != 0;
	enum sig_wait w = SIG_WAIT_IDLE;

	if (idle) {
		w = sig_wait_input(in->fd, 0);
		if (w == SIG_WAIT_IDLE)
			(void)out_flush(in->idle);
	}
	while (w == SIG_WAIT_IDLE)
		w = sig_wait_input(in->fd, run_timer(in->timer));
	return w;
}

int
in_read(struct in *in, void *dst, size_t n, size_t *got, struct err *e)
{
	ssize_t r;

	*got = 0;
	if (in->timer != NULL)
		(void)run_timer(in->timer);
	if (in->memory.p != NULL) {
		*got = read_memory(in, dst, n);
		return 0;
	}
	do {
		if (in->seekable ? sig_stop() : wait_input(in) == SIG_WAIT_STOP)
			return err_stop(e);
		r = read(in->fd, dst, n);
	} while (r < 0 && (errno == EINTR || errno == EAGAIN));
	if (r < 0)
		return err_sys(e, errno, "cannot read");
	*got = (size_t)r;
	if (watch.watcher != NULL && in->watched)
		watch.watcher(watch.ctx, in);
	return 0;
}

bool
in_is_ready(const struct in *in)
{
	return in->seekable || in->memory.p != NULL || sig_wait_input(in->fd, 0) != SIG_WAIT_IDLE;
}

int
in_fill(struct in *in, void *dst, size_t n, size_t *got, struct err *e)
{
	size_t more;
	int rc = 0;

	for (*got = 0; *got < n; *got += more) {
		rc = in_read(in, (char *)dst + *got, n - *got, &more, e);
		if (rc != 0 || more == 0)
			break;
	}
	return rc;
}

int
in_read_at(struct in *in, uint64_t offset, void *dst, size_t n, size_t *got, struct err *e)
{
	ssize_t r;

	*got = 0;
	if (offset > (uint64_t)INT64_MAX - n)
		return 0;
	while (*got < n) {
		r = pread(in->fd, (char *)dst + *got, n - *got, (off_t)(offset + *got));
		if (r == 0)
			break;
		if (r > 0)
			*got += (size_t)r;
		else if (errno != EINTR)
			return err_sys(e, errno, "cannot read");
	}
	return 0;
}

size_t
in_peek(const char *name, void *dst, size_t n)
{
	bool ours = strcmp(name, "-") != 0;
	struct stat st;
	struct in in;
	size_t got;
	struct err e;

	/* a pipe is not even opened, since its writer would notice */
	if ((ours ? stat(name, &st) : fstat(STDIN_FILENO, &st)) != 0 || !S_ISREG(st.st_mode) ||
	    (!ours && lseek(STDIN_FILENO, 0, SEEK_CUR) != 0))
		return 0;
	in = (struct in){ .fd = ours ? in_descriptor(name) : STDIN_FILENO, .ours = ours };
	if (in.fd < 0 || in_read_at(&in, 0, dst, n, &got, &e) != 0)
		got = 0;
	if (in.fd >= 0)
		in_close(&in);
	return got;
}

const char *
in_temp_folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir != NULL && *dir != '\0' ? dir : "/tmp";
}

int
in_temp_failed(struct err *e, int errnum, const char *verb)
{
	const char *dir = in_temp_folder();
	char shown[FOLDER_SHOWN * ESC_MAX_GROWTH], what[200];
	int n = (int)esc_write(shown, dir, strnlen(dir, FOLDER_SHOWN), ESC_MESSAGE);

	/* room for the reason is left in the message */
	(void)snprintf(what, sizeof what, "cannot %s a temporary file in %.*s (TMPDIR)", verb,
	    n < FOLDER_SHOWN ? n : FOLDER_SHOWN, shown);
	return err_sys(e, errnum, what);
}

/* Opens a file that never has a name.  Not every system and file system can do that. */
static int
open_unnamed(const char *dir)
{
#ifdef O_TMPFILE
	return open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
	(void)dir;
	errno = EOPNOTSUPP;
	return -1;
#endif
}

int
in_temp(int *fd, struct err *e)
{
	const char *dir = in_temp_folder();
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/afpipe.XXXXXX", dir);

	if ((size_t)n >= sizeof path)
		return in_temp_failed(e, ENAMETOOLONG, "make");
	*fd = open_unnamed(dir);
	if (*fd >= 0)
		return 0;
	if (errno == EOPNOTSUPP || errno == EISDIR) {
		*fd = mkstemp(path);
		if (*fd >= 0)
			(void)unlink(path);
	}
	if (*fd < 0)
		return in_temp_failed(e, errno, "make");
	(void)fcntl(*fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int
write_all(int fd, const char *p, size_t n, struct err *e)
{
	while (n > 0) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno != EINTR)
			return in_temp_failed(e, errno, "write");
		if (w > 0) {
			p += w;
			n -= (size_t)w;
		}
	}
	return 0;
}

int
in_spool(struct in *in, const void *head, size_t headlen, struct err *e)
{
	char *chunk = mem_alloc(SPOOL_CHUNK);
	uint64_t size = headlen;
	int fd = -1, rc;
	size_t got;

	if (chunk == NULL)
		return err_nomem(e);
	rc = in_temp(&fd, e);
	if (rc == 0)
		rc = write_all(fd, head, headlen, e);
	while (rc == 0) {
		rc = in_read(in, chunk, SPOOL_CHUNK, &got, e);
		if (rc != 0 || got == 0)
			break;
		size += got;
		rc = write_all(fd, chunk, got, e);
	}
	mem_free(chunk);
	if (rc == 0 && lseek(fd, 0, SEEK_SET) != 0)
		rc = err_sys(e, errno, "cannot seek in the temporary file");
	if (rc != 0) {
		if (fd >= 0)
			(void)close(fd);
		return rc;
	}
	if (in->ours)
		(void)close(in->fd);
	*in = (struct in){ .fd = fd,
		.ours = true,
		.seekable = true,
		.size = size,
		.idle = in->idle,
		.timer = in->timer };
	return 0;
}
