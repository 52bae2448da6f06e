/* SPDX-License-Identifier: ISC */
/*
 * file.c - opens files whose names come from the input: regular files only.
 *
 * On Linux a descriptor that only refers to the file (O_PATH) is checked and then opened through
 * /proc/self/fd, so the file opened is the file checked.  If that is impossible (no O_PATH, no
 * /proc, no openat2, no spare descriptor), the name is checked and then opened, and both must be
 * the same file by device and inode.  In between the name could be changed to refer to a device,
 * but only by someone with write access to the directories on the path.
 */
#define _GNU_SOURCE /* O_PATH, syscall */
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#define LINKS_MAX 40 /* as in Linux */
#define READ_FLAGS (O_RDONLY | O_NOCTTY | O_CLOEXEC)

static bool
errno_is_away(int errnum)
{
	switch (errnum) {
	case ENOENT:
	case ENOTDIR:
	case EACCES:
	case EPERM:
	case ELOOP:
	case EXDEV: /* a link of the kernel that leads out of the root */
	case ENAMETOOLONG: /* no file has such a name */ return true;
	}
	return false;
}

bool
file_is_away(const struct err *e)
{
	return e->code == ERR_SYS && !e->ceiling && errno_is_away(e->errnum);
}

/* Closes fd without changing errno; returns -1. */
static int
drop(int fd)
{
	int kept = errno;

	(void)close(fd);
	errno = kept;
	return -1;
}

/* A walk from a root to a file, one link at a time.  It needs no descriptor. */
struct walk {
	char real[FILE_PATH_MAX]; /* the root, then the part whose links have been resolved */
	size_t rootlen, len;
	char rest[FILE_PATH_MAX]; /* the part still to be walked */
	unsigned links;
	bool no_link;
};

/*
 * Removes the first name from the rest.  Returns false if there is none.  *last is true if nothing
 * follows.
 */
static bool
next_name(struct walk *w, char name[FILE_PATH_MAX], bool *last)
{
	const char *p = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(p, "/");

	memcpy(name, p, n);
	name[n] = '\0';
	*last = p[n] == '\0';
	memmove(w->rest, p + n, strlen(p + n) + 1);
	return n > 0;
}

static void
go_up(struct walk *w)
{
	while (w->len > w->rootlen && w->real[--w->len] != '/')
		;
	w->real[w->len] = '\0';
}

static int
go_down(struct walk *w, const char *name)
{
	size_t n = strlen(name);

	if (n + 2 > sizeof w->real - w->len) {
		errno = ENAMETOOLONG;
		return -1;
	}
	w->real[w->len] = '/';
	memcpy(w->real + w->len + 1, name, n + 1);
	w->len += n + 1;
	return 0;
}

/* Inserts the target of the current link before the rest. */
static int
follow(struct walk *w)
{
	char target[FILE_PATH_MAX];
	ssize_t n = readlink(w->real, target, sizeof target);
	size_t len = strlen(w->rest), at = (size_t)n;

	if (n < 0)
		return -1;
	if (++w->links > LINKS_MAX) {
		errno = ELOOP;
		return -1;
	}
	if (at == 0 || at + len >= sizeof w->rest) {
		errno = at == 0 ? ENOENT : ENAMETOOLONG;
		return -1;
	}
	memmove(w->rest + at, w->rest, len + 1);
	memcpy(w->rest, target, at);
	go_up(w);
	if (target[0] == '/')
		w->real[w->len = w->rootlen] = '\0';
	return 0;
}

static int
walk_on(struct walk *w, const char *name, bool last)
{
	struct stat st;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		go_up(w);
		return 0;
	}
	if (go_down(w, name) != 0 || lstat(w->real, &st) != 0)
		return -1;
	if (S_ISLNK(st.st_mode) && !(last && w->no_link))
		return follow(w);
	if (!last && !S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return -1;
	}
	return 0;
}

/* Leaves a path to the file in w->real that has no links below the root. */
static int
walk(struct walk *w, const struct file_name *f)
{
	char name[FILE_PATH_MAX];
	bool last;

	w->rootlen = w->len = strlen(f->root);
	w->links = 0;
	w->no_link = f->no_link;
	if (w->len >= sizeof w->real || strlen(f->path) >= sizeof w->rest) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(w->real, f->root, w->len + 1);
	memcpy(w->rest, f->path, strlen(f->path) + 1);
	while (next_name(w, name, &last))
		if (walk_on(w, name, last) != 0)
			return -1;
	return 0;
}

#if defined(O_PATH) && defined(SYS_openat2)
/* Like open, for a name below a root. */
static int
open_in_root(const struct file_name *f, int flags)
{
	struct open_how how = { .flags = (unsigned)flags, .resolve = RESOLVE_IN_ROOT };
	int root = open(f->root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (root < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, root, f->path, &how, sizeof how);
	(void)drop(root);
	return fd;
}
#else
static int
open_in_root(const struct file_name *f, int flags)
{
	(void)f;
	(void)flags;
	errno = ENOSYS;
	return -1;
}
#endif

/* Returns a descriptor that only refers to the file, or -1. */
static int
point_at(const struct file_name *f)
{
#ifdef O_PATH
	int flags = O_PATH | O_CLOEXEC | (f->no_link ? O_NOFOLLOW : 0);

	return f->root == NULL ? open(f->path, flags) : open_in_root(f, flags);
#else
	(void)f;
	errno = ENOSYS;
	return -1;
#endif
}

#ifdef __linux__
/*
 * Returns true for the kernel's own file systems.  Their files look regular, but reading or closing
 * them may have side effects: /proc/kmsg waits for messages and consumes them, and tracefs has a
 * file that empties the trace on close.
 */
static bool
is_kernels(const struct statfs *fs)
{
	switch ((uint32_t)fs->f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
	case SECURITYFS_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
	case BPF_FS_MAGIC:
	case EFIVARFS_MAGIC:
	case PSTOREFS_MAGIC:
	case SELINUX_MAGIC: return true;
	}
	return false;
}

/*
 * Checks whether the file of fd, or of path if fd is -1, may be read.  If not, returns errors like
 * file_open.
 */
static int
check(int fd, const char *path, const struct stat *st, struct err *e)
{
	struct statfs fs;

	if (!S_ISREG(st->st_mode))
		return err_data(e, "not a regular file");
	if ((fd >= 0 ? fstatfs(fd, &fs) : statfs(path, &fs)) != 0)
		return err_sys(e, errno, "stat");
	return is_kernels(&fs) ? err_data(e, "not a regular file") : 0;
}
#else
static int
check(int fd, const char *path, const struct stat *st, struct err *e)
{
	(void)fd;
	(void)path;
	return S_ISREG(st->st_mode) ? 0 : err_data(e, "not a regular file");
}
#endif

/*
 * Returns true if opening by name may work instead.  Old sandboxes return EPERM for unknown calls,
 * and EAGAIN means that links changed in the meantime.
 */
static bool
may_go_by_name(int errnum)
{
	return errnum == ENOSYS || errnum == EPERM || errnum == EAGAIN || errnum == EINVAL ||
	    errnum == EMFILE || errnum == ENFILE;
}

/* Like file_open, for a path whose last part is a link only if that may be followed. */
static int
open_by_path(const char *path, int follow_flag, int *fd, struct stat *st, struct err *e)
{
	struct stat before;

	if (fstatat(AT_FDCWD, path, &before, follow_flag == 0 ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
		return err_sys(e, errno, "open");
	if (check(-1, path, &before, e) != 0)
		return e->code;
	*fd = open(path, READ_FLAGS | O_NONBLOCK | follow_flag);
	if (*fd < 0)
		return err_sys(e, errno, "open");
	if (fstat(*fd, st) != 0 || fcntl(*fd, F_SETFL, 0) != 0) {
		(void)drop(*fd);
		return err_sys(e, errno, "stat");
	}
	if (st->st_dev != before.st_dev || st->st_ino != before.st_ino) {
		(void)close(*fd);
		return err_sys(e, ESTALE, "open");
	}
	return 0;
}

static int
open_by_name(const struct file_name *f, int *fd, struct stat *st, struct err *e)
{
	struct walk w;

	if (f->root == NULL)
		return open_by_path(f->path, f->no_link ? O_NOFOLLOW : 0, fd, st, e);
	if (walk(&w, f) != 0)
		return err_sys(e, errno, "open");
	return open_by_path(w.real, O_NOFOLLOW, fd, st, e);
}

int
file_open(const struct file_name *name, int *fd, struct stat *st, struct err *e)
{
	char self[64];
	int at = point_at(name);

	if (at < 0)
		return may_go_by_name(errno) ? open_by_name(name, fd, st, e)
					     : err_sys(e, errno, "open");
	if (fstat(at, st) != 0) {
		(void)drop(at);
		return err_sys(e, errno, "stat");
	}
	if (check(at, name->path, st, e) != 0) {
		(void)close(at);
		return e->code;
	}
	(void)snprintf(self, sizeof self, "/proc/self/fd/%d", at);
	*fd = open(self, READ_FLAGS);
	(void)close(at);
	return *fd >= 0 ? 0 : open_by_name(name, fd, st, e);
}
