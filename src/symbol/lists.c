/* SPDX-License-Identifier: ISC */
/*
 * lists.c - reads symbols from the text lists of kernels and JIT compilers.
 *
 * In both, the length of lines and the number of bytes are bounded.
 */
#include "src/symbol/lists.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cur.h"
#include "lib/err.h"
#include "lib/hint.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/sig.h"
#include "lib/slice.h"
#include "lib/vec.h"

struct lines;

#define LINE_MAX_LEN ((size_t)64 << 10)
#define BYTES_MAX ((uint64_t)1 << 30)

struct lines {
	int fd;
	bool ended, cut, skipped; /* skipped: a line was too long */
	uint64_t total;
	size_t pos, filled; /* unread bytes: buf[pos..filled) */
	char buf[LINE_MAX_LEN];
};

/* Prepares to read from fd, which the caller still owns.  Returns NULL if memory runs out. */
static struct lines *
lines_open(int fd)
{
	struct lines *l = mem_alloc(sizeof *l);

	if (l != NULL) {
		l->fd = fd;
		l->ended = l->cut = l->skipped = false;
		l->total = 0;
		l->pos = l->filled = 0;
	}
	return l;
}

static void
lines_close(struct lines *l)
{
	mem_free(l);
}

/* Moves the unread bytes to the front and adds the bytes of one read. */
static int
fill(struct lines *l, struct err *e)
{
	ssize_t got;

	memmove(l->buf, l->buf + l->pos, l->filled - l->pos);
	l->filled -= l->pos;
	l->pos = 0;
	do {
		if (sig_wait_input(l->fd, -1) == SIG_WAIT_STOP)
			return err_stop(e);
		got = read(l->fd, l->buf + l->filled, LINE_MAX_LEN - l->filled);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_sys(e, errno, "read");
	if (got == 0)
		l->ended = true;
	l->filled += (size_t)got;
	l->total += (uint64_t)got;
	return l->total > BYTES_MAX
	    ? err_data(e, "longer than %llu bytes", (unsigned long long)BYTES_MAX)
	    : 0;
}

/* Ends the line that begins at l->pos at the newline NL, and passes it on. */
static inline void
take_line(struct lines *l, char *nl, const char **line, size_t *len)
{
	*line = l->buf + l->pos;
	*len = (size_t)(nl - *line);
	l->pos = (size_t)(nl - l->buf) + 1;
	*nl = '\0';
}

/* Does what lines_next does for a line that is not in the buffer as a whole. */
static HINT_APART int
next_line_read(struct lines *l, const char **line, size_t *len, struct err *e)
{
	bool skipping = false;
	size_t seen = 0;
	char *nl;
	int rc;

	for (;;) {
		nl = memchr(l->buf + l->pos + seen, '\n', l->filled - l->pos - seen);
		if (nl != NULL && !skipping)
			break;
		if (nl != NULL) {
			l->pos = (size_t)(nl - l->buf) + 1;
			skipping = false;
			seen = 0;
			continue;
		}
		if (l->ended) {
			l->cut = skipping || l->filled > l->pos;
			*line = NULL;
			*len = 0;
			return 0;
		}
		seen = l->filled - l->pos;
		if (seen == LINE_MAX_LEN) {
			skipping = l->skipped = true;
			l->pos = l->filled;
			seen = 0;
		}
		if ((rc = fill(l, e)) != 0)
			return rc;
	}
	take_line(l, nl, line, len);
	return 0;
}

/*
 * Reads the next line, without its newline and NUL-terminated (it may contain other NULs), valid
 * until the next call.  A line longer than 64 KiB is ignored.  So is a last line without a newline,
 * because it may have been truncated.  *line is NULL at the end.  Returns ERR_SYS if reading fails,
 * ERR_DATA if the list is longer than 1 GiB, and ERR_STOP if a signal asked to stop.
 */
static HINT_INLINE int
lines_next(struct lines *l, const char **line, size_t *len, struct err *e)
{
	char *nl = memchr(l->buf + l->pos, '\n', l->filled - l->pos);

	if (nl == NULL)
		return next_line_read(l, line, len, e);
	take_line(l, nl, line, len);
	return 0;
}

/* Returns the offset of the next line, counted from where reading began. */
static uint64_t
lines_offset(const struct lines *l)
{
	return l->total - (l->filled - l->pos);
}

/* Call it at the end.  Returns true if there was a last line without a newline. */
static bool
lines_are_cut(const struct lines *l)
{
	return l->cut;
}

/* Returns the digit's value, or more than 15 if it is not a digit. */
static inline unsigned
digit(char c)
{
	static const unsigned char above[256] = { ['0'] = 1,
		['1'] = 2,
		['2'] = 3,
		['3'] = 4,
		['4'] = 5,
		['5'] = 6,
		['6'] = 7,
		['7'] = 8,
		['8'] = 9,
		['9'] = 10,
		['a'] = 11,
		['b'] = 12,
		['c'] = 13,
		['d'] = 14,
		['e'] = 15,
		['f'] = 16,
		['A'] = 11,
		['B'] = 12,
		['C'] = 13,
		['D'] = 14,
		['E'] = 15,
		['F'] = 16 };

	return (unsigned)above[(unsigned char)c] - 1;
}

/* Parses a number of any length up to 16 digits. */
static const char *
any_hex(const char *p, const char *end, uint64_t *value)
{
	const char *start = p, *limit = end - p > 16 ? p + 16 : end;
	uint64_t v = 0;
	unsigned d;

	for (; p < limit && (d = digit(*p)) <= 15; p++)
		v = v << 4 | d;
	*value = v;
	if (p == start || (p == limit && p < end && digit(*p) <= 15))
		return NULL;
	return p;
}

#define BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Reads eight hex digits at once.  Returns false if they are not digits of lower case. */
static HINT_INLINE bool
eight_digits(const char *p, uint64_t *value)
{
	uint64_t text = cur_word64((const unsigned char *)p, !cur_host_big());
	uint64_t v = (text & BYTES(15)) + (text >> 6 & BYTES(1)) * 9;
	uint64_t letters = (v + BYTES(6)) >> 4 & BYTES(1);

	if ((v & BYTES(0xf0)) != 0 || v + BYTES('0') + letters * ('a' - '9' - 1) != text)
		return false;
	v = (v | v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
	*value = (v | v >> 16) & UINT32_MAX;
	return true;
}

/* The first eight digits of an address.  Most lines of a kernel's list share them. */
struct high_digits {
	char text[8];
	uint64_t value;
};

struct entry {
	struct high_digits high; /* those of a line before, NO_LINE_BEFORE at first */
	uint64_t addr;
	char type;
	const char *name;
	size_t namelen;
	struct slice module; /* "[name]", empty for the kernel itself */
};

#define NO_LINE_BEFORE ((struct high_digits){ "00000000", 0 })

struct list {
	struct symtab *t;
	bool hidden; /* all addresses are 0 */
};

struct reference {
	const char *name; /* NULL: none */
	uint64_t addr; /* its address in the recording */
	uint64_t listed; /* its address in the list */
	bool found;
};

/* Returns true if n >= 8 bytes have neither NUL nor TAB.  Other control bytes may make it false. */
static HINT_INLINE bool
is_plain(const char *s, size_t n)
{
	uint64_t below = 0, word;
	size_t i;

	/* a byte below 0x10 borrows from its high bit, unless that is set */
	for (i = 0; i + 8 < n; i += 8) {
		word = short_word(s + i);
		below |= (word - BYTES(0x10)) & ~word;
	}
	word = short_word(s + n - 8);
	below |= (word - BYTES(0x10)) & ~word;
	return (below & BYTES(0x80)) == 0;
}

/* Parses the address at the start of a line. */
static HINT_INLINE const char *
parse_address(const char *line, const char *end, struct entry *en)
{
	uint64_t low;

	if (end - line <= 16 || line[16] != ' ' || !eight_digits(line + 8, &low))
		return any_hex(line, end, &en->addr);
	if (memcmp(line, en->high.text, sizeof en->high.text) != 0) {
		if (!eight_digits(line, &en->addr))
			return any_hex(line, end, &en->addr);
		memcpy(en->high.text, line, sizeof en->high.text);
		en->high.value = en->addr << 32;
	}
	en->addr = en->high.value | low;
	return line + 16;
}

static HINT_INLINE bool
parse(const char *line, size_t len, struct entry *en)
{
	const char *end = line + len, *p = parse_address(line, end, en), *tab;

	if (p == NULL || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	en->type = p[1];
	en->name = p + 3;
	en->namelen = (size_t)(end - en->name);
	en->module = SLICE("");
	if (en->namelen >= 8 && is_plain(en->name, en->namelen))
		return true;
	tab = memchr(en->name, '\t', (size_t)(end - en->name));
	en->module = tab != NULL ? (struct slice){ tab + 1, (size_t)(end - tab) - 1 } : SLICE("");
	en->namelen = (size_t)((tab != NULL ? tab : end) - en->name);
	return en->namelen > 0 && memchr(en->name, '\0', en->namelen) == NULL;
}

static bool
begins(const struct entry *en, const char *with)
{
	size_t n = strlen(with);

	return en->namelen >= n && memcmp(en->name, with, n) == 0;
}

static bool
is_wanted(const struct entry *en)
{
	switch (en->type) {
	case 't':
	case 'T':
	case 'w':
	case 'W':
	case 'd':
	case 'D':
	case 'b':
	case 'B': break;
	default: return false;
	}
	if (en->name[0] != '_')
		return en->name[0] != '$';
	return !begins(en, "_entry_trampoline") && !begins(en, "__entry_SYSCALL_64_trampoline");
}

static void
note_reference(struct reference *ref, const struct entry *en)
{
	if (ref->name == NULL || ref->found || en->module.len != 0 ||
	    strchr("tTwW", en->type) == NULL)
		return;
	if (en->namelen == strlen(ref->name) && memcmp(en->name, ref->name, en->namelen) == 0) {
		ref->listed = en->addr;
		ref->found = true;
	}
}

static int
add_entry(struct list *list, struct reference *ref, const struct entry *en, struct err *e)
{
	enum sym_binding binding = en->type == 'W' ? SYM_WEAK
	    : en->type <= 'Z'                      ? SYM_GLOBAL
						   : SYM_LOCAL;

	if (en->addr != 0)
		list->hidden = false;
	note_reference(ref, en);
	if (en->module.len != 0) /* it ends the line */
		return symtab_add_of_module(list->t, en->addr, binding, en->name,
		    en->namelen + 1 + en->module.len, en->namelen, e);
	return symtab_add(list->t, en->addr, 0, binding, en->name, en->namelen, e);
}

static int
read_list(int fd, struct list *list, struct reference *ref, struct err *e)
{
	struct lines *l = lines_open(fd);
	struct entry en = { .high = NO_LINE_BEFORE };
	const char *line;
	size_t len;
	int rc;

	if (l == NULL)
		return err_nomem(e);
	while ((rc = lines_next(l, &line, &len, e)) == 0 && line != NULL) {
		if (!parse(line, len, &en) || !is_wanted(&en))
			continue;
		if ((rc = add_entry(list, ref, &en, e)) != 0)
			break;
	}
	/* otherwise the last symbol would extend over all missing ones */
	if (rc == 0 && lines_are_cut(l))
		rc = err_data(e, "it ends without a line break: it was cut");
	lines_close(l);
	return rc;
}

static int
check_reference(const struct reference *ref, enum kallsyms_policy policy, struct err *e)
{
	if (ref->name == NULL)
		return 0;
	if (!ref->found)
		return err_data(e, "not the recording's kernel: the reference symbol is missing");
	if (ref->listed != ref->addr && policy == KALLSYMS_REFUSE)
		return err_data(e, "not the recording's kernel, or not the same boot");
	return 0;
}

static int
settle(struct symtab *t, const struct reference *ref, enum kallsyms_policy policy, bool hidden,
    struct err *e)
{
	int rc;

	if (symtab_count(t) == 0)
		return err_data(e, "no symbols in it");
	if (hidden)
		return err_data(e, "its addresses are hidden");
	if ((rc = check_reference(ref, policy, e)) != 0)
		return rc;
	if (ref->name != NULL && ref->listed != ref->addr)
		symtab_relocate(t, ref->addr - ref->listed);
	return symtab_finish(t, SYMTAB_KERNEL, e);
}

int
kallsyms_load(int fd, const char *ref_name, uint64_t ref_addr, enum kallsyms_policy policy,
    struct symtab **out, struct err *e)
{
	struct reference ref = { .name = ref_name, .addr = ref_addr };
	struct list list = { .t = symtab_new(), .hidden = true };
	int rc;

	if (list.t == NULL)
		return err_nomem(e);
	rc = read_list(fd, &list, &ref, e);
	if (rc == 0)
		rc = settle(list.t, &ref, policy, list.hidden, e);
	if (rc == 0)
		*out = list.t;
	else
		symtab_free(list.t);
	return rc;
}

/* ---- a list that stays in its file */

#define PART_LINES 32 /* many functions of a kernel are never seen, and a look-up reads few bytes */

/* Some lines of the file, which begin with a symbol that no line before them shares its address. */
struct part {
	uint64_t addr; /* of the first line */
	uint64_t offset; /* of the first line in the file */
	struct symtab *symbols; /* NULL: not yet read */
};

struct kernel_text {
	int fd;
	struct stat st;
	struct part *part; /* after the last one, the line of _etext */
	size_t parts, cap;
};

/* What has been read of the kernel's own code. */
struct text {
	struct kernel_text *kept;
	uint64_t last; /* the address in the last line */
	size_t lines; /* since the current part began */
	struct span span; /* from _stext; to _etext */
	bool begun, ended;
};

static bool
is_named(const struct entry *en, const char *name)
{
	return en->namelen == strlen(name) && begins(en, name);
}

/* Begins a part with a wanted line, if it is time to. */
static int
note_part(struct text *t, const struct entry *en, uint64_t offset, struct err *e)
{
	struct kernel_text *k = t->kept;

	if (k->parts > 0 && !t->ended && (t->lines < PART_LINES || en->addr == t->last))
		return 0;
	if (!vec_room(k->part, k->parts, k->cap))
		return err_nomem(e);
	k->part[k->parts++] = (struct part){ .addr = en->addr, .offset = offset };
	t->lines = 0;
	return 0;
}

/*
 * Notes where the code begins and ends.  Another program may have written the list, and a disk may
 * have been full, so nothing is accepted that a kernel does not print.
 */
static int
check_entry(struct text *t, const struct entry *en, uint64_t offset, struct err *e)
{
	int rc = 0;

	if (en->addr < t->last || en->module.len != 0)
		return err_data(e, "its symbols are not in order");
	if (is_wanted(en)) {
		if (!t->begun && en->name[0] == '_' && is_named(en, "_stext")) {
			t->begun = true;
			t->span.from = en->addr;
		}
		t->ended = t->begun && is_named(en, "_etext");
		rc = note_part(t, en, offset, e);
	}
	t->lines++;
	t->last = en->addr;
	t->span.to = en->addr;
	return rc;
}

/* Reads up to the end of the kernel's own code. */
static int
read_text(struct text *t, struct reference *ref, struct err *e)
{
	struct lines *l = lines_open(t->kept->fd);
	struct entry en = { .high = NO_LINE_BEFORE };
	const char *line;
	size_t len;
	int rc = l == NULL ? err_nomem(e) : 0;

	while (rc == 0 && !t->ended && (rc = lines_next(l, &line, &len, e)) == 0) {
		if (line == NULL)
			rc = err_data(e, "it has no _stext and _etext: it was cut");
		else if (!parse(line, len, &en) || l->skipped)
			rc = err_data(e, "a line is not ADDRESS TYPE NAME");
		else if ((rc = check_entry(t, &en, lines_offset(l) - len - 1, e)) == 0)
			note_reference(ref, &en);
	}
	lines_close(l);
	return rc;
}

int
kernel_text_open(int fd, const char *ref_name, uint64_t ref_addr, struct kernel_text **out,
    struct span *span, struct err *e)
{
	struct reference ref = { .name = ref_name, .addr = ref_addr };
	struct text text = { .kept = mem_zero(1, sizeof *text.kept) };
	int rc;

	if (text.kept == NULL)
		return err_nomem(e);
	text.kept->fd = fd;
	rc = fstat(fd, &text.kept->st) != 0 ? err_sys(e, errno, "fstat") : 0;
	if (rc == 0)
		rc = read_text(&text, &ref, e);
	if (rc == 0)
		rc = check_reference(&ref, KALLSYMS_REFUSE, e);
	if (rc == 0 && text.span.from >= text.span.to)
		rc = err_data(e, "its addresses are hidden");
	if (rc != 0) {
		text.kept->fd = -1;
		kernel_text_free(text.kept);
		return rc;
	}
	*out = text.kept;
	*span = text.span;
	return 0;
}

void
kernel_text_free(struct kernel_text *k)
{
	size_t i;

	if (k == NULL)
		return;
	for (i = 0; i < k->parts; i++)
		symtab_free(k->part[i].symbols);
	if (k->fd >= 0)
		(void)close(k->fd);
	mem_free(k->part);
	mem_free(k);
}

static int
refuse_changed(struct err *e)
{
	return err_data(e, "it has changed while it was read");
}

static bool
has_changed(const struct kernel_text *k, const struct stat *st)
{
	return st->st_size != k->st.st_size ||
	    file_time(&st->st_mtim) != file_time(&k->st.st_mtim) ||
	    file_time(&st->st_ctim) != file_time(&k->st.st_ctim);
}

/* Reads the n bytes of a part. */
static int
read_part(const struct kernel_text *k, uint64_t offset, char *p, size_t n, struct err *e)
{
	struct stat st;
	ssize_t got;

	while (n > 0) {
		got = pread(k->fd, p, n, (off_t)offset);
		if (got < 0 && errno != EINTR)
			return err_sys(e, errno, "read");
		if (got == 0)
			return refuse_changed(e);
		if (got < 0)
			continue;
		p += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	if (fstat(k->fd, &st) != 0)
		return err_sys(e, errno, "fstat");
	return has_changed(k, &st) ? refuse_changed(e) : 0;
}

/* Makes a table of the n bytes at p, which are the lines of a part.  NEXT is the next part. */
static int
add_lines(struct symtab *t, const char *p, size_t n, const struct part *next, struct err *e)
{
	struct entry en = { .high = NO_LINE_BEFORE };
	const char *end = p + n, *nl;
	int rc = 0;

	for (; rc == 0 && p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL || !parse(p, (size_t)(nl - p), &en))
			return refuse_changed(e);
		if (is_wanted(&en))
			rc = symtab_add(t, en.addr, 0, SYM_LOCAL, en.name, en.namelen, e);
	}
	if (rc == 0) /* so that the last one ends there */
		rc = symtab_add(t, next->addr, 0, SYM_LOCAL, "", 0, e);
	return rc == 0 ? symtab_finish(t, SYMTAB_KERNEL, e) : rc;
}

static int
load_part(const struct kernel_text *k, struct part *part, struct err *e)
{
	size_t n = (size_t)(part[1].offset - part->offset);
	struct symtab *t = symtab_new();
	char *bytes = mem_alloc(n);
	int rc = t == NULL || bytes == NULL ? err_nomem(e) : 0;

	if (rc == 0)
		rc = read_part(k, part->offset, bytes, n, e);
	if (rc == 0)
		rc = add_lines(t, bytes, n, part + 1, e);
	mem_free(bytes);
	if (rc == 0)
		part->symbols = t;
	else
		symtab_free(t);
	return rc;
}

int
kernel_text_find(struct kernel_text *k, uint64_t addr, const struct symtab **table,
    struct span *span, struct err *e)
{
	size_t low = 1, high = k->parts - 1, mid;
	struct part *part;
	int rc;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (k->part[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	part = &k->part[low - 1];
	if (part->symbols == NULL && (rc = load_part(k, part, e)) != 0)
		return rc;
	*table = part->symbols;
	*span = (struct span){ part->addr, part[1].addr };
	return 0;
}

/* ---- lists of JIT compilers */

static const char *
skip_0x(const char *p, const char *end)
{
	return end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? p + 2 : p;
}

/*
 * Adds one line.  A damaged line is not an error.  A line of size 0 lists no code; as a symbol it
 * would extend up to the next one.
 */
static int
add_line(struct symtab *t, const char *line, size_t len, struct err *e)
{
	const char *end = line + len, *p;
	uint64_t start, size;

	p = any_hex(skip_0x(line, end), end, &start);
	if (p == NULL || p == end || *p++ != ' ')
		return 0;
	p = any_hex(skip_0x(p, end), end, &size);
	if (p == NULL || p == end || *p++ != ' ' || p == end ||
	    memchr(p, '\0', (size_t)(end - p)) != NULL || size == 0)
		return 0;
	return symtab_add(t, start, size, SYM_GLOBAL, p, (size_t)(end - p), e);
}

/* Reads lines from fd to t.  Adds the number of their bytes to *offset. */
static int
read_map(int fd, struct symtab *t, off_t *offset, struct err *e)
{
	struct lines *l = lines_open(fd);
	const char *line;
	uint64_t read = 0;
	size_t len;
	int rc;

	if (l == NULL)
		return err_nomem(e);
	while ((rc = lines_next(l, &line, &len, e)) == 0 && line != NULL) {
		read = lines_offset(l);
		if ((rc = add_line(t, line, len, e)) != 0)
			break;
	}
	lines_close(l);
	*offset += (off_t)read;
	if (rc == 0 && symtab_count(t) == 0)
		rc = err_data(e, "no symbols in it");
	return rc == 0 ? symtab_finish(t, SYMTAB_JIT, e) : rc;
}

int
list_open_trusted(const struct file_name *name, int *fd, struct stat *st, struct err *e)
{
	struct file_name own = *name;
	int rc;

	own.no_link = true;
	if ((rc = file_open(&own, fd, st, e)) != 0)
		return rc;
	if (st->st_uid == 0 || st->st_uid == geteuid())
		return 0;
	close(*fd);
	return err_data(e, "belongs to another user");
}

int
perfmap_load(const struct file_name *name, struct perfmap_end *end, struct symtab **out,
    struct err *e)
{
	struct symtab *t;
	struct stat st;
	int fd = -1, rc;

	if ((rc = list_open_trusted(name, &fd, &st, e)) != 0)
		return rc;
	if (st.st_dev != end->dev || st.st_ino != end->ino || st.st_size < end->offset)
		*end = (struct perfmap_end){ st.st_dev, st.st_ino, 0 };
	if (st.st_size == end->offset) {
		close(fd);
		return err_data(e, "no symbols in it");
	}
	t = symtab_new();
	if (t == NULL)
		rc = err_nomem(e);
	else if (lseek(fd, end->offset, SEEK_SET) < 0)
		rc = err_sys(e, errno, "lseek");
	else
		rc = read_map(fd, t, &end->offset, e);
	close(fd);
	if (rc != 0) {
		symtab_free(t);
		return rc;
	}
	*out = t;
	return 0;
}
