/* SPDX-License-Identifier: ISC */
/*
 * format.c - parses the text that describes a tracepoint into a table of its fields.
 *
 * libtraceevent reads the text, but only after it has been checked, because the library trusts that
 * the kernel wrote it.  With any other text it may leak memory or read through NULL.
 */
#include <string.h>
#include <traceevent/event-parse.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "src/perfdata/trace/trace.h"

#define KEY_PREFIX "tp."

/* No record contains more. */
#define RAW_MAX 65535

/*
 * The maximum length of the lines with the fields.  The lines of the kernel's own tracepoints are
 * shorter than 8 KiB.
 */
#define TRACE_TEXT_MAX ((size_t)64 * 1024)
#define TRACE_LINE_MAX ((size_t)1024)

/*
 * The parts of a text: the lines before the fields; two groups of fields, each ended by an empty
 * line; the rest.
 */
enum trace_part {
	TRACE_TEXT_HEAD,
	TRACE_TEXT_COMMON,
	TRACE_TEXT_OWN,
	TRACE_TEXT_AFTER,
};

/* The text for the library, and the number of fields that it must find there. */
struct trace_text {
	struct buf text;
	struct buf lists; /* a byte for each field: 1 if it is an array of strings */
	size_t fields;
	enum trace_part part;
};

/* ---- the check */

static const char attribute[] = "__attribute__((";
static const char head[] = "name: event\nID: 1\nformat:\n";
static const char tail[] = "\nprint fmt: \"\"\n";

static bool
begins(const char *p, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	return (size_t)(end - p) >= n && memcmp(p, prefix, n) == 0;
}

static const char *
after_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static const char *
after_word(const char *p, const char *end)
{
	while (p < end &&
	    ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
		*p == '_'))
		p++;
	return p;
}

/* Skips KEY, decimal digits and ';'.  Returns NULL if the text is different. */
static const char *
after_number(const char *p, const char *end, const char *key)
{
	p = after_blanks(p, end);
	if (!begins(p, end, key))
		return NULL;
	for (p += strlen(key); p < end && *p >= '0' && *p <= '9'; p++)
		;
	return p < end && *p == ';' && p[-1] != ':' ? p + 1 : NULL;
}

/* Skips past the closing bracket.  The text inside is a number or the name of a number. */
static const char *
after_bounds(const char *p, const char *end)
{
	for (p++; p < end && *p != ']'; p++)
		if (*p < ' ' || *p > '~' || strchr("[;\"'", *p) != NULL)
			return NULL;
	return p < end ? p + 1 : NULL;
}

/*
 * Skips "TYPE NAME", "TYPE NAME[BOUNDS]" or "TYPE[BOUNDS] NAME" and ';'.  Returns NULL if the text
 * is different.
 */
static const char *
after_declaration(const char *p, const char *end)
{
	size_t words = 0;
	bool pointer = false;

	for (;;) {
		const char *q = after_word(p = after_blanks(p, end), end);

		if (q != p)
			words++;
		else if (p < end && *p == '*' && words > 0)
			q = p + 1;
		else
			break;
		pointer = *p == '*';
		p = q;
	}
	if (words < 2 || pointer)
		return NULL;
	if (p < end && *p == '[') {
		p = after_bounds(p, end);
		if (p == NULL)
			return NULL;
		p = after_blanks(after_word(after_blanks(p, end), end), end);
	}
	return p < end && *p == ';' ? p + 1 : NULL;
}

/*
 * Returns true for "field:TYPE NAME; offset:N; size:N; signed:N;".  Old kernels do not write the
 * last part.
 */
static bool
is_field(const char *p, const char *end)
{
	p = after_blanks(p, end);
	if (!begins(p, end, "field:") || (p = after_declaration(p + 6, end)) == NULL ||
	    (p = after_number(p, end, "offset:")) == NULL ||
	    (p = after_number(p, end, "size:")) == NULL)
		return false;
	if (after_blanks(p, end) != end)
		p = after_number(p, end, "signed:");
	return p != NULL && after_blanks(p, end) == end;
}

/*
 * Skips past the two parentheses that close those open at p.  Returns NULL if they are not closed.
 */
static const char *
after_attribute(const char *p, const char *end)
{
	int depth = 2;

	for (; p < end && depth > 0; p++)
		depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
	return depth == 0 ? p : NULL;
}

/*
 * Returns true for the second brackets of "__data_loc char[][3]", which the kernel writes for an
 * array of strings in a probe and the library does not know.  The size of the field tells the
 * number, too.
 */
static bool
is_list(struct slice before, const char *p, const char *end)
{
	static const char type[] = "field:__data_loc char[]";
	size_t n = sizeof type - 1;

	return begins(p, end, "[") && before.len >= n &&
	    memcmp(before.p + before.len - n, type, n) == 0;
}

/*
 * Appends a field's line without attributes, which do not affect the layout, and without second
 * brackets.
 */
static int
clean_field(struct trace_text *t, const char *p, const char *end)
{
	size_t begin = t->text.len;
	bool list = false;

	t->fields++;
	while (p < end) {
		struct slice before = { t->text.p + begin, t->text.len - begin };

		if (!list && is_list(before, p, end)) {
			list = true;
			p = after_bounds(p, end);
			if (p == NULL)
				return ERR_DATA;
		} else if (begins(p, end, attribute)) {
			p = after_attribute(p + sizeof attribute - 1, end);
			if (p == NULL)
				return ERR_DATA;
		} else if (!buf_putc(&t->text, *p++)) {
			return ERR_SYS;
		}
	}
	if (!is_field(t->text.p + begin, t->text.p + t->text.len))
		return ERR_DATA;
	return buf_putc(&t->text, '\n') && buf_putc(&t->lists, list) ? 0 : ERR_SYS;
}

static int
clean_line(struct trace_text *t, const char *p, const char *end)
{
	if ((size_t)(end - p) > TRACE_LINE_MAX || t->text.len > TRACE_TEXT_MAX)
		return ERR_DATA;
	if (t->part == TRACE_TEXT_HEAD) { /* the event's name and id, which the caller knows */
		t->part = begins(p, end, "format:") ? TRACE_TEXT_COMMON : TRACE_TEXT_HEAD;
		return 0;
	}
	if (after_blanks(p, end) != end)
		return t->part == TRACE_TEXT_AFTER ? ERR_DATA : clean_field(t, p, end);
	t->part = t->part == TRACE_TEXT_COMMON ? TRACE_TEXT_OWN : TRACE_TEXT_AFTER;
	return buf_putc(&t->text, '\n') ? 0 : ERR_SYS;
}

/*
 * Rewrites a text in a form that the library can read safely: a fixed head, then the lines of the
 * fields, checked and without attributes.  The text after "print fmt:" is an expression for
 * printing.  It is not needed here, and the library would parse it with a recursion as deep as the
 * text demands.  *t must be zeroed beforehand, and the caller frees its texts.  Returns 0, ERR_DATA
 * (t->fields is the number of the bad field) or ERR_SYS.
 */
static int
clean_text(struct trace_text *t, struct slice text)
{
	const char *p = text.p, *end = text.p + text.len;
	int rc = buf_put(&t->text, head, sizeof head - 1) ? 0 : ERR_SYS;

	while (rc == 0 && p < end && !begins(p, end, "print fmt:")) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		if (lf == NULL)
			lf = end;
		rc = clean_line(t, p, lf);
		p = lf < end ? lf + 1 : end;
	}
	if (rc == 0 && t->part == TRACE_TEXT_HEAD)
		rc = ERR_DATA;
	for (; rc == 0 && t->part < TRACE_TEXT_AFTER; t->part++)
		rc = buf_putc(&t->text, '\n') ? 0 : ERR_SYS;
	if (rc == 0 && !buf_put(&t->text, tail, sizeof tail - 1))
		rc = ERR_SYS;
	return rc;
}

/* ---- the table */

/* Returns a field's type without qualifiers, array bounds and storage. */
static struct slice
base_type(const char *type)
{
	static const char *const before[] = { "__data_loc ", "__rel_loc ", "const ", "volatile " };
	size_t i = 0;
	struct slice s;

	while (i < sizeof before / sizeof before[0]) {
		size_t n = strlen(before[i]);

		if (strncmp(type, before[i], n) == 0) {
			type += n;
			i = 0;
		} else {
			i++;
		}
	}
	s.p = type;
	s.len = strcspn(type, "[");
	while (s.len > 0 && s.p[s.len - 1] == ' ')
		s.len--;
	return s;
}

static bool
is_word(struct slice s, const char *word)
{
	return s.len == strlen(word) && memcmp(s.p, word, s.len) == 0;
}

/* Returns the size of an integer of that type, or 0 if the type's name does not show it. */
static unsigned
width_of(struct slice base, unsigned long_size)
{
	static const struct {
		const char *name;
		unsigned width; /* 0: the size of a long */
	} known[] = {
		{ "char", 1 },
		{ "signed char", 1 },
		{ "unsigned char", 1 },
		{ "bool", 1 },
		{ "u8", 1 },
		{ "s8", 1 },
		{ "__u8", 1 },
		{ "__s8", 1 },
		{ "uint8_t", 1 },
		{ "int8_t", 1 },
		{ "short", 2 },
		{ "unsigned short", 2 },
		{ "u16", 2 },
		{ "s16", 2 },
		{ "__u16", 2 },
		{ "__s16", 2 },
		{ "uint16_t", 2 },
		{ "int16_t", 2 },
		{ "int", 4 },
		{ "unsigned int", 4 },
		{ "unsigned", 4 },
		{ "u32", 4 },
		{ "s32", 4 },
		{ "__u32", 4 },
		{ "__s32", 4 },
		{ "uint32_t", 4 },
		{ "int32_t", 4 },
		{ "pid_t", 4 },
		{ "long", 0 },
		{ "unsigned long", 0 },
		{ "size_t", 0 },
		{ "long long", 8 },
		{ "unsigned long long", 8 },
		{ "u64", 8 },
		{ "s64", 8 },
		{ "__u64", 8 },
		{ "__s64", 8 },
		{ "uint64_t", 8 },
		{ "int64_t", 8 },
	};
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (is_word(base, known[i].name))
			return known[i].width == 0 ? long_size : known[i].width;
	return 0;
}

static bool
is_prefix(const char *prefix, struct slice s)
{
	size_t n = strlen(prefix);

	return s.len >= n && memcmp(s.p, prefix, n) == 0;
}

static bool
is_integer_width(uint64_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* Returns true for a structure or union by value, which is not a number, whatever its size. */
static bool
is_aggregate(struct slice base)
{
	return is_prefix("struct ", base) || is_prefix("union ", base);
}

static void
set_array_kind(struct trace_field *f, const struct tep_format_field *from, unsigned long_size)
{
	struct slice base = base_type(from->type);
	bool pointer = base.len > 0 && base.p[base.len - 1] == '*';
	unsigned width = pointer ? long_size : width_of(base, long_size);

	f->kind = TRACE_BYTES;
	if (is_word(base, "char")) {
		f->kind = TRACE_TEXT;
		return;
	}
	if (width == 0 && f->storage == TRACE_HERE && from->arraylen != 0 && !is_aggregate(base) &&
	    f->size % from->arraylen == 0 && is_integer_width(f->size / from->arraylen))
		width = f->size / from->arraylen;
	if (width < 2)
		return; /* single bytes are data more often than numbers */
	f->width = (uint8_t)width;
	f->kind = pointer ? TRACE_POINTERS : TRACE_INTS;
}

/* Returns true for a pointer, or for the address of a probe, whose type is unsigned long. */
static bool
is_address(const struct tep_format_field *from)
{
	static const char *const probe[] = { "__probe_ip", "__probe_func", "__probe_ret_ip" };
	size_t i;

	for (i = 0; i < sizeof probe / sizeof probe[0]; i++)
		if (strcmp(from->name, probe[i]) == 0)
			return true;
	return (from->flags & TEP_FIELD_IS_POINTER) != 0;
}

static void
set_kind(struct trace_field *f, const struct tep_format_field *from, unsigned long_size)
{
	bool array = (from->flags & TEP_FIELD_IS_ARRAY) != 0;

	f->storage = TRACE_HERE;
	f->is_signed = (from->flags & TEP_FIELD_IS_SIGNED) != 0;
	if ((from->flags & TEP_FIELD_IS_RELATIVE) != 0 && f->size == 4)
		f->storage = TRACE_REL_LOC;
	else if ((from->flags & TEP_FIELD_IS_DYNAMIC) != 0 && f->size == 4)
		f->storage = TRACE_LOC;
	else if (array && f->size == 0)
		f->storage = TRACE_TO_END;
	if (array) {
		set_array_kind(f, from, long_size);
	} else if (f->storage == TRACE_HERE && is_integer_width(f->size) &&
	    !((from->flags & TEP_FIELD_IS_POINTER) == 0 && is_aggregate(base_type(from->type)))) {
		f->width = (uint8_t)f->size;
		f->kind = is_address(from) ? TRACE_POINTER : TRACE_INT;
	} else {
		f->kind = TRACE_BYTES;
	}
}

static bool
put_key(struct buf *keys, const char *name)
{
	return buf_put(keys, KEY_PREFIX, sizeof KEY_PREFIX - 1) &&
	    esc_append(keys, name, strlen(name), ESC_KEY);
}

/* Adds one list of fields to the table.  The caller has made room. */
static int
take_fields(struct trace_format *f, const struct tep_format_field *from, unsigned long_size,
    struct err *e)
{
	for (; from != NULL; from = from->next) {
		struct trace_field *to = &f->field[f->count++];
		size_t begin = f->keys.len;

		if (from->offset < 0 || from->size < 0 || from->offset > RAW_MAX ||
		    from->size > RAW_MAX - from->offset)
			return err_data(e, "a field beyond the largest record");
		to->offset = (uint32_t)from->offset;
		to->size = (uint32_t)from->size;
		set_kind(to, from, long_size);
		if (!put_key(&f->keys, from->name))
			return err_nomem(e);
		to->key.len = f->keys.len - begin;
		if (to->offset + to->size > f->end)
			f->end = to->offset + to->size;
	}
	return 0;
}

static size_t
count_fields(const struct tep_format_field *from)
{
	size_t n = 0;

	for (; from != NULL; from = from->next)
		n++;
	return n;
}

/*
 * Returns true if the fields do not overlap.  Otherwise a small text could cause any amount of
 * output.
 */
static bool
is_sane(const struct trace_format *f)
{
	size_t i, sum = 0;

	for (i = 0; i < f->count; i++)
		sum += f->field[i].storage == TRACE_TO_END ? RAW_MAX / 4 : f->field[i].size;
	return sum <= RAW_MAX;
}

static int
take_event(struct trace_format *f, const struct tep_event *event, unsigned long_size, struct err *e)
{
	size_t common = count_fields(event->format.common_fields);
	size_t n = common + count_fields(event->format.fields), at = 0, i;

	f->field = mem_zero(n == 0 ? 1 : n, sizeof *f->field);
	if (f->field == NULL)
		return err_nomem(e);
	if (take_fields(f, event->format.common_fields, long_size, e) != 0 ||
	    take_fields(f, event->format.fields, long_size, e) != 0)
		return e->code;
	f->common = common;
	for (i = 0; i < n; i++) { /* the buffer keys does not move from now on */
		f->field[i].key.p = f->keys.p + at;
		at += f->field[i].key.len;
	}
	return is_sane(f) ? 0 : err_data(e, "fields of more bytes than a record has");
}

/*
 * Marks the arrays of strings.  The fields are in the order of the text.  Returns false if the size
 * of one is not that of a number of strings.
 */
static bool
mark_lists(struct trace_format *f, const struct buf *lists)
{
	size_t i;

	for (i = 0; i < f->count; i++) {
		if (lists->p[i] == 0)
			continue;
		if (f->field[i].size == 0 || f->field[i].size % 4 != 0)
			return false;
		f->field[i].kind = TRACE_TEXTS;
	}
	return true;
}

/*
 * Returns the maximum memory that libtraceevent uses for a checked text.  The library neither
 * counts its memory nor survives running out of it.  A field, which has at least 37 bytes of text,
 * needs 400.
 */
static size_t
library_needs(const struct trace_text *t)
{
	return (size_t)64 * 1024 + t->text.len * 16;
}

static int
parse_clean(struct trace_format *f, const struct trace_text *t, unsigned long_size, struct err *e)
{
	struct tep_handle *tep = tep_alloc();
	enum tep_errno why;
	int rc = 0;

	if (tep == NULL)
		return err_nomem(e);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, (int)long_size);
	why = tep_parse_event(tep, t->text.p, t->text.len, "");
	if (why == TEP_ERRNO__MEM_ALLOC_FAILED)
		rc = err_nomem(e);
	else if (why != 0 || tep_get_first_event(tep) == NULL)
		rc = err_data(e, "not in the form that the kernel writes");
	else
		rc = take_event(f, tep_get_first_event(tep), long_size, e);
	if (rc == 0 && (f->count != t->fields || !mark_lists(f, &t->lists)))
		rc = err_data(e, "not in the form that the kernel writes");
	tep_free(tep);
	return rc;
}

/*
 * Calls the library after claiming memory for it and making sure that this memory is really
 * available.
 */
static int
parse_in_claim(struct trace_format *f, const struct trace_text *t, unsigned long_size,
    struct err *e)
{
	void *there = mem_alloc(library_needs(t));
	int rc;

	mem_free(there);
	if (there == NULL || !mem_claim(library_needs(t)))
		return err_nomem(e);
	rc = parse_clean(f, t, long_size, e);
	mem_release(library_needs(t));
	return rc;
}

int
trace_format_parse(struct slice text, struct trace_machine machine, struct trace_format **out,
    struct err *e)
{
	struct trace_format *f = mem_zero(1, sizeof *f);
	struct trace_text t = { .fields = 0 };
	int rc = f == NULL ? ERR_SYS : clean_text(&t, text);

	if (rc == 0)
		rc = parse_in_claim(f, &t, machine.long_size, e);
	else if (rc == ERR_DATA)
		err_data(e, "line %zu of its fields is not in the form that the kernel writes",
		    t.fields);
	else
		err_nomem(e);
	buf_free(&t.text);
	buf_free(&t.lists);
	if (rc != 0) {
		trace_format_free(f);
		return rc;
	}
	f->big_endian = machine.big_endian;
	*out = f;
	return 0;
}

void
trace_format_free(struct trace_format *f)
{
	if (f == NULL)
		return;
	mem_free(f->field);
	buf_free(&f->keys);
	mem_free(f);
}
