/* SPDX-License-Identifier: ISC */
/* process.c - recognizes processes of the recording that are still running; see proc(5). */
#include "src/symbol/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/buf.h"

#define ADDR_NO_RANDOMIZE 0x0040000 /* <sys/personality.h> */
#define PROC_MAX ((size_t)16 << 20) /* bytes of a file of /proc; a line of maps has about 100 */

/* Reads a file of the kernel, with a NUL at the end.  Returns false if that is impossible. */
static bool
slurp(const char *path, struct buf *to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;

	to->len = 0;
	while (fd >= 0 && n > 0 && to->len < PROC_MAX && buf_room(to, 4096)) {
		n = read(fd, to->p + to->len, to->cap - to->len);
		if (n < 0 && errno == EINTR)
			n = 1;
		else
			to->len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0 && n == 0 && buf_putc(to, '\0');
}

static bool
slurp_of(uint32_t pid, const char *name, struct buf *to)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/%s", pid, name);
	return slurp(path, to);
}

/* Returns true if the kernel chose the addresses of the process at random. */
static bool
is_random(uint32_t pid, struct buf *text)
{
	if (!slurp("/proc/sys/kernel/randomize_va_space", text) || strtol(text->p, NULL, 10) == 0)
		return false;
	return slurp_of(pid, "personality", text) &&
	    (strtoul(text->p, NULL, 16) & ADDR_NO_RANDOMIZE) == 0;
}

/* Returns true if a line of maps, which ends with a NUL, has that start and that name. */
static bool
is_mapping(const char *line, uint64_t address, struct slice file)
{
	size_t len = strlen(line);
	char *end;

	return strtoull(line, &end, 16) == address && *end == '-' && len > file.len &&
	    line[len - file.len - 1] == ' ' && memcmp(line + len - file.len, file.p, file.len) == 0;
}

static bool
has_mapping(struct buf *maps, uint64_t address, struct slice file)
{
	char *line = maps->p, *end;

	for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		if (is_mapping(line, address, file))
			return true;
	}
	return false;
}

/* Finds the innermost of the pids in the line "NSpid:\t1234\t1". */
static bool
find_own_pid(const struct buf *status, uint32_t *pid)
{
	const char *p = strstr(status->p, "\nNSpid:");
	char *end;
	bool found = false;

	if (p == NULL)
		return false;
	for (p += strlen("\nNSpid:"); *p == '\t'; p = end) {
		*pid = (uint32_t)strtoul(p + 1, &end, 10);
		found = end != p + 1;
		if (!found)
			return false;
	}
	return found;
}

bool
process_find(const struct sym_process *p, struct process_view *out)
{
	struct buf text = { 0 };
	bool ok = p->file.p != NULL && p->file.len > 0 && is_random(p->pid, &text) &&
	    slurp_of(p->pid, "maps", &text) && has_mapping(&text, p->address, p->file) &&
	    slurp_of(p->pid, "status", &text) && find_own_pid(&text, &out->pid);

	buf_free(&text);
	(void)snprintf(out->root, sizeof out->root, "/proc/%" PRIu32 "/root", p->pid);
	return ok;
}
