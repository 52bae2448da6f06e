/* SPDX-License-Identifier: ISC */
/*
 * facts_android.c - facts that Android's simpleperf adds to the header.
 *
 * Layouts: record_file_format.h and record_file.proto of simpleperf.  Its messages are
 * protocol buffers: keys and integers in groups of 7 bits, lowest first.
 */
#include "src/perfdata/header/facts.h"

/* The minimum size of a symbol in a FILE entry: address, length, a NUL. */
#define SYMBOL_MIN 13

struct file {
	struct slice path;
	uint64_t type, min_vaddr, symbols;
};

static void
put_file(struct feature *f, const struct file *file)
{
	static const char *const type[] = { "kernel", "kernel_module", "elf", "dex", "symbol_map",
		"unknown" };
	struct evwrite *w = fact_begin(f->d, f->name);

	evw_text(w, file->path);
	if (file->type < sizeof type / sizeof type[0])
		evw_tag_raw(w, SLICE("type"), slice_of(type[file->type]));
	else
		evw_tag_u64(w, SLICE("type"), file->type);
	evw_tag_hex(w, SLICE("min_vaddr"), file->min_vaddr);
	evw_tag_u64(w, SLICE("symbols"), file->symbols);
	fact_end(f->d, f->number);
}

/* A text up to its NUL, which must be there. */
static bool
take_text(struct cur *c, struct slice *s)
{
	const char *p = (const char *)c->p;
	size_t left = cur_left(c);
	const char *nul = left == 0 ? NULL : memchr(p, 0, left);

	if (nul == NULL)
		return false;
	*s = (struct slice){ p, (size_t)(nul - p) };
	return cur_take(c, s->len + 1) != NULL;
}

bool
facts_files(struct feature *f)
{
	while (cur_left(&f->c) > 0) {
		uint32_t size = cur_u32(&f->c);
		struct cur c = cur_sub(&f->c, size);
		struct file file = { .type = 0 };

		if (!take_text(&c, &file.path))
			return false;
		file.type = cur_u32(&c);
		file.min_vaddr = cur_u64(&c);
		file.symbols = cur_u32(&c);
		if (!cur_ok(&c) || file.symbols > cur_left(&c) / SYMBOL_MIN)
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

/* FileFeature: path 1, type 2, min_vaddr 3, a symbol 4. */
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
		}
	}
	return cur_ok(&c);
}

bool
facts_files2(struct feature *f)
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
facts_meta_info(struct feature *f)
{
	while (cur_left(&f->c) > 0) {
		struct slice key, value;
		struct evwrite *w;

		if (!take_text(&f->c, &key) || !take_text(&f->c, &value))
			return false;
		w = fact_begin(f->d, f->name);
		evw_text(w, key);
		evw_tag_text(w, SLICE("value"), value);
		fact_end(f->d, f->number);
	}
	return true;
}

/* DebugUnwindFeature: a file 1; in it path 1, size 2. */
bool
facts_debug_unwind(struct feature *f)
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
		w = fact_begin(f->d, f->name);
		evw_text(w, path);
		evw_tag_u64(w, SLICE("size"), size);
		fact_end(f->d, f->number);
	}
	return true;
}
