/* SPDX-License-Identifier: ISC */
/* perfmap.c - the symbols that a JIT wrote for perf. */
#include "src/symbol/perfmap.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/symbol/lines.h"

static const char *
skip_0x(const char *p, const char *end)
{
	return end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? p + 2 : p;
}

/* Adds one line; a damaged one is no error. */
static int
add_line(struct symtab *t, const char *line, size_t len, struct err *e)
{
	const char *end = line + len, *p;
	uint64_t start, size;

	p = lines_hex(skip_0x(line, end), end, &start);
	if (p == NULL || p == end || *p++ != ' ')
		return 0;
	p = lines_hex(skip_0x(p, end), end, &size);
	if (p == NULL || p == end || *p++ != ' ' || p == end ||
	    memchr(p, '\0', (size_t)(end - p)) != NULL)
		return 0;
	return symtab_add(t, start, size, SYM_GLOBAL, p, (size_t)(end - p), e);
}

static int
read_map(int fd, struct symtab *t, struct err *e)
{
	struct lines *l = lines_open(fd);
	const char *line;
	size_t len;
	int rc;

	if (l == NULL)
		return err_nomem(e);
	while ((rc = lines_next(l, &line, &len, e)) == 0 && line != NULL)
		if ((rc = add_line(t, line, len, e)) != 0)
			break;
	lines_close(l);
	if (rc == 0 && symtab_count(t) == 0)
		rc = err_data(e, "no symbols in it");
	return rc == 0 ? symtab_finish(t, SYMTAB_JIT, e) : rc;
}

static int
open_trusted(const struct file_name *name, int *fd, struct err *e)
{
	struct file_name own = *name;
	struct stat st;
	int rc;

	own.no_link = true;
	if ((rc = file_open(&own, fd, &st, e)) != 0)
		return rc;
	if (st.st_uid == 0 || st.st_uid == geteuid())
		return 0;
	close(*fd);
	return err_data(e, "belongs to another user");
}

int
perfmap_load(const struct file_name *name, struct symtab **out, struct err *e)
{
	struct symtab *t;
	int fd = -1, rc;

	if ((rc = open_trusted(name, &fd, e)) != 0)
		return rc;
	t = symtab_new();
	rc = t == NULL ? err_nomem(e) : read_map(fd, t, e);
	close(fd);
	if (rc != 0) {
		symtab_free(t);
		return rc;
	}
	*out = t;
	return 0;
}
