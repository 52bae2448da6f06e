/* SPDX-License-Identifier: ISC */
/*
 * android.c - features that Android's simpleperf adds to the header.
 *
 * Layouts: record_file_format.h and record_file.proto of simpleperf.  Its messages are protocol
 * buffers: keys and integers in groups of 7 bits, lowest first.
 */
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "src/perfdata/header/parts.h"

/* The minimum size of a symbol in a FILE entry: an address, a length and a NUL. */
#define SYMBOL_MIN 13

/* enum DsoType of simpleperf. */
enum { FILE_KERNEL, FILE_MODULE, FILE_ELF, FILE_DEX };

struct file {
	struct slice path;
	uint64_t type, min_vaddr, symbols;
	uint64_t min_offset; /* the place of min_vaddr in an ELF file */
	bool has_min_offset;
	struct symtab *table; /* takes the symbols, if it is not NULL */
};

static void
put_file(struct feature *f, const struct file *file)
{
	static const char *const type[] = { "kernel", "kernel_module", "elf", "dex", "symbol_map",
		"unknown" };
	struct evwrite *w = feature_begin(f, f->name);

	evw_text(w, file->path);
	if (file->type < sizeof type / sizeof type[0])
		evw_tag_raw(w, SLICE("type"), slice_of(type[file->type]));
	else
		evw_tag_u64(w, SLICE("type"), file->type);
	evw_tag_hex(w, SLICE("min_vaddr"), file->min_vaddr);
	evw_tag_u64(w, SLICE("symbols"), file->symbols);
	feature_end(f);
}

/* Reads a text up to its NUL, which must be there. */
static bool
take_text(struct cur *c, struct slice *s)
{
	s->p = cur_string(c, &s->len);
	return s->p != NULL;
}

/* Reads an entry of FILE up to its symbols. */
static bool
take_entry(struct file *file, struct cur *c)
{
	*file = (struct file){ .type = 0 };
	if (!take_text(c, &file->path))
		return false;
	file->type = cur_u32(c);
	file->min_vaddr = cur_u64(c);
	file->symbols = cur_u32(c);
	return cur_ok(c) && file->symbols <= cur_left(c) / SYMBOL_MIN;
}

bool
feature_files(struct feature *f)
{
	while (cur_left(&f->c) > 0) {
		uint32_t size = cur_u32(&f->c);
		struct cur c = cur_sub(&f->c, size);
		struct file file;

		if (!take_entry(&file, &c))
			return false;
		put_file(f, &file);
	}
	return cur_ok(&f->c);
}

static uint64_t
varint(struct cur *c)
{
	uint64_t v = 0;
	unsigned shift;

	for (shift = 0; shift < 64; shift += 7) {
		uint8_t b = cur_u8(c);

		v |= (uint64_t)(b & 127) << shift;
		if (b < 128)
			return v;
	}
	c->bad = true;
	return 0;
}

/* A field of a message: a number, or bytes. */
struct field {
	uint64_t number, value;
	struct cur bytes; /* empty and bad if the field is a number */
};

static bool
next_field(struct cur *c, struct field *field)
{
	uint64_t key = varint(c), len;

	*field = (struct field){ .number = key >> 3, .bytes = { .bad = true } };
	switch (key & 7) {
	case 0: field->value = varint(c); break;
	case 1: (void)cur_u64(c); break;
	case 2:
		len = varint(c);
		field->bytes = cur_sub(c, len > cur_left(c) ? SIZE_MAX : (size_t)len);
		break;
	case 5: (void)cur_u32(c); break;
	default: c->bad = true;
	}
	return cur_ok(c);
}

static struct slice
text_of(const struct field *field)
{
	struct cur c = field->bytes;

	return (struct slice){ cur_left(&c) > 0 ? (const char *)c.p : "", cur_left(&c) };
}

/* Reads an ElfFile: file_offset_of_min_vaddr 1. */
static bool
take_elf(struct file *file, struct cur c)
{
	struct field field;

	while (cur_left(&c) > 0) {
		if (!next_field(&c, &field))
			return false;
		if (field.number == 1) {
			file->min_offset = field.value;
			file->has_min_offset = true;
		}
	}
	return cur_ok(&c);
}

/* Reads a FileFeature: path 1, type 2, min_vaddr 3, a symbol 4, an ElfFile 6. */
static bool
take_file(struct file *file, struct cur c)
{
	struct field field;

	*file = (struct file){ .path = SLICE("") };
	while (cur_left(&c) > 0) {
		if (!next_field(&c, &field))
			return false;
		switch (field.number) {
		case 1: file->path = text_of(&field); break;
		case 2: file->type = field.value; break;
		case 3: file->min_vaddr = field.value; break;
		case 4: file->symbols++; break;
		case 6:
			if (!take_elf(file, field.bytes))
				return false;
			break;
		}
	}
	return cur_ok(&c);
}

bool
feature_files2(struct feature *f)
{
	while (cur_left(&f->c) > 0) {
		uint32_t size = cur_u32(&f->c);
		struct cur c = cur_sub(&f->c, size);
		struct file file;

		if (!take_file(&file, c))
			return false;
		put_file(f, &file);
	}
	return cur_ok(&f->c);
}

bool
feature_meta_info(struct feature *f)
{
	while (cur_left(&f->c) > 0) {
		struct slice key, value;
		struct evwrite *w;

		if (!take_text(&f->c, &key) || !take_text(&f->c, &value))
			return false;
		w = feature_begin(f, f->name);
		evw_text(w, key);
		evw_tag_text(w, SLICE("value"), value);
		feature_end(f);
	}
	return true;
}

/* ---- the symbols in these features: those that simpleperf found for the samples */

/*
 * Returns true if the symbols' addresses can be converted to places in the object.  See
 * IpToVaddrInFile in simpleperf's dso.cpp: modules need their layout in memory, and older
 * recordings do not have the offset of an ELF file's code.
 */
static bool
has_places(const struct file *file)
{
	return file->type == FILE_KERNEL || file->type == FILE_DEX ||
	    (file->type == FILE_ELF && file->has_min_offset);
}

/* A symbol without a length would extend to the next one, and most of them are not listed. */
static int
add_symbol(const struct file *file, uint64_t vaddr, uint64_t len, struct slice name, struct err *e)
{
	uint64_t shift = file->type == FILE_ELF ? file->min_offset - file->min_vaddr : 0;

	if (len == 0 || name.len == 0)
		return 0;
	return symtab_add(file->table, vaddr + shift, len, SYM_GLOBAL, name.p, name.len, e);
}

/* Reads the symbols of an entry of FILE, and then the offset that newer versions add. */
static int
add_symbols(struct file *file, struct cur c, struct err *e)
{
	struct cur first = c, end = c;
	struct slice name;
	uint64_t i, start;
	uint32_t len;

	for (i = 0; i < file->symbols; i++) {
		(void)cur_u64(&end);
		(void)cur_u32(&end);
		if (!take_text(&end, &name))
			return err_data(e, "file feature is cut short");
	}
	file->has_min_offset = file->type == FILE_ELF && cur_left(&end) >= 8;
	if (file->has_min_offset)
		file->min_offset = cur_u64(&end);
	for (i = 0; i < file->symbols && has_places(file); i++) {
		start = cur_u64(&first);
		len = cur_u32(&first);
		(void)take_text(&first, &name);
		if (add_symbol(file, start, len, name, e) != 0)
			return e->code;
	}
	return 0;
}

/* Reads the symbols of a FileFeature: vaddr 1, len 2, name 3. */
static int
add_symbols2(struct file *file, struct cur c, struct err *e)
{
	struct field symbol, field;

	while (has_places(file) && cur_left(&c) > 0) {
		struct slice name = SLICE("");
		uint64_t vaddr = 0, len = 0;

		(void)next_field(&c, &symbol); /* take_file has read it */
		if (symbol.number != 4)
			continue;
		while (cur_left(&symbol.bytes) > 0) {
			if (!next_field(&symbol.bytes, &field))
				return err_data(e, "file feature is cut short");
			switch (field.number) {
			case 1: vaddr = field.value; break;
			case 2: len = field.value; break;
			case 3: name = text_of(&field); break;
			}
		}
		if (add_symbol(file, vaddr, len, name, e) != 0)
			return e->code;
	}
	return 0;
}

/* Makes the table of one file, by the function for its layout, and keeps it. */
static int
keep_symbols(struct listed *listed, struct file *file, struct cur c,
    int (*add)(struct file *file, struct cur c, struct err *e), struct err *e)
{
	int rc;

	if ((file->table = symtab_new()) == NULL)
		return err_nomem(e);
	rc = add(file, c, e);
	if (rc == 0)
		rc = symtab_finish(file->table, SYMTAB_OBJECT, e);
	if (rc == 0 && symtab_count(file->table) != 0)
		return listed_put(listed, file->path, file->table, e);
	symtab_free(file->table);
	return rc;
}

int
feature_list_symbols(struct listed *listed, unsigned feature, struct cur *all, struct err *e)
{
	struct file file;

	while (cur_left(all) > 0) {
		uint32_t size = cur_u32(all);
		struct cur c = cur_sub(all, size);
		int rc;

		if (feature == FEAT_FILE ? !take_entry(&file, &c) : !take_file(&file, c))
			return err_data(e, "file feature is cut short");
		rc = keep_symbols(listed, &file, c,
		    feature == FEAT_FILE ? add_symbols : add_symbols2, e);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* Reads a DebugUnwindFeature: a file 1, which has path 1 and size 2. */
bool
feature_debug_unwind(struct feature *f)
{
	while (cur_left(&f->c) > 0) {
		struct field file, field;
		struct slice path = SLICE("");
		uint64_t size = 0;
		struct evwrite *w;

		if (!next_field(&f->c, &file))
			return false;
		while (cur_left(&file.bytes) > 0) {
			if (!next_field(&file.bytes, &field))
				return false;
			if (field.number == 1)
				path = text_of(&field);
			else if (field.number == 2)
				size = field.value;
		}
		w = feature_begin(f, f->name);
		evw_text(w, path);
		evw_tag_u64(w, SLICE("size"), size);
		feature_end(f);
	}
	return true;
}

/*
 * ---- META_INFO consists of keys and values, each ended by a NUL.  The value of event_type_info
 * has a line NAME,TYPE,CONFIG for each event.  The value of the older tracepoint_events has lines
 * NAME CONFIG (simpleperf/cmd_record.cpp).  Other events get the names that perf gives them.
 */

/* Returns the text before the next SEP and skips both, or returns all of it if there is no SEP. */
static struct slice
part(struct slice *text, char sep)
{
	const char *end = text->len == 0 ? NULL : memchr(text->p, sep, text->len);
	size_t n = end == NULL ? text->len : (size_t)(end - text->p);
	struct slice s = { text->p, n };

	n += end != NULL;
	text->p += n;
	text->len -= n;
	return s;
}

/* An event that has no name yet. */
struct nameless {
	uint64_t config;
	struct event *event;
};

/* All events without names, sorted by config, since there may be as many lines as events. */
struct namelesses {
	struct nameless *item;
	size_t count;
};

static int
compare(const void *a, const void *b)
{
	const struct nameless *x = a, *y = b;

	return (x->config > y->config) - (x->config < y->config);
}

static int
find_nameless(const struct events *ev, struct namelesses *n, struct err *e)
{
	size_t i;

	n->item = mem_alloc((ev->count + 1) * sizeof *n->item);
	if (n->item == NULL)
		return err_nomem(e);
	for (i = 0; i < ev->count; i++) {
		struct event *event = &ev->item[i];

		if (event->attr.type == PTYPE_TRACEPOINT && event_is_nameless(event))
			n->item[n->count++] = (struct nameless){ event->attr.config, event };
	}
	qsort(n->item, n->count, sizeof *n->item, compare);
	return 0;
}

/*
 * Names all events with the same config.  They get their names together, so the first one shows
 * whether they have names already.
 */
static int
name_event(const struct namelesses *n, struct slice name, struct slice config, struct err *e)
{
	size_t low = 0, high = n->count;
	uint64_t id;

	if (!num_get_u64(config, &id))
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (n->item[middle].config < id)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n->count && n->item[low].config == id && !n->item[low].event->named; low++) {
		n->item[low].event->named = true;
		if (event_set_name(n->item[low].event, name, e) != 0)
			return e->code;
	}
	return 0;
}

static int
name_events(const struct namelesses *n, struct slice lines, char sep, struct err *e)
{
	while (lines.len > 0) {
		struct slice line = part(&lines, '\n'), name = part(&line, sep);

		if (sep == ',' && !slice_eq(part(&line, sep), SLICE("2")))
			continue; /* not a tracepoint */
		if (name_event(n, name, part(&line, sep), e) != 0)
			return e->code;
	}
	return 0;
}

int
feature_name_tracepoints(struct events *ev, struct cur *c, struct err *e)
{
	size_t n = cur_left(c);
	struct slice text = { (const char *)cur_take(c, n), n };
	struct namelesses nameless = { NULL, 0 };
	int rc = find_nameless(ev, &nameless, e);

	while (rc == 0 && text.len > 0) {
		struct slice key = part(&text, '\0'), value = part(&text, '\0');

		if (slice_eq(key, SLICE("event_type_info")))
			rc = name_events(&nameless, value, ',', e);
		else if (slice_eq(key, SLICE("tracepoint_events")))
			rc = name_events(&nameless, value, ' ', e);
	}
	mem_free(nameless.item);
	return rc;
}
