/* SPDX-License-Identifier: ISC */
/*
 * write.c - the message Profile and its parts, in the wire format of protocol buffers.
 *
 * The message is that of https://github.com/google/pprof/blob/main/proto/profile.proto.  A field is
 * a varint of its number and type, then a varint, or the length of its bytes and these.  Fields
 * that are 0 are left out, except in packed lists.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "lib/zip.h"
#include "src/pprof/pprofint.h"

/* The numbers of fields. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE,
};
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STR };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_FILE_OFFSET,
	MAPPING_FILENAME,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES,
	MAPPING_HAS_LINE_NUMBERS,
	MAPPING_HAS_INLINE_FRAMES,
};
enum { LOCATION_ID = 1, LOCATION_MAPPING_ID, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION_ID = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME };

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

#define VARINT_MAX 10
#define PAGE ((uint64_t)4096)
#define FIRST_START ((uint64_t)0x400000)
/* Offsets from here on are not in files: they are addresses in the kernel or in JIT memory. */
#define OFFSET_MAX ((uint64_t)1 << 32)
#define SHOWN_MAX 60 /* bytes of a name in a message */
#define PENDING ((size_t)64 * 1024) /* bytes that are compressed at a time */

/* An object file, or none (file is empty). */
struct mapping {
	uint64_t least, most; /* of the places in it */
	uint64_t start;
};

/* Where a location is. */
struct located {
	uint32_t mapping; /* its number */
	uint64_t place;
};

/*
 * An item of a table of texts; or a stack or a set, whose text has ranks in place of the numbers of
 * locations or values.
 */
struct ranked {
	struct slice text;
	uint32_t number;
	bool extended; /* of a stack: another one begins with it */
};

struct ordered {
	const struct ranked *stack, *set; /* elements of writer.stack and writer.set */
	uint32_t number;
};

/* Where the labels of a value are in writer.labels; 0 bytes if they are not there yet. */
struct label {
	size_t from;
	uint32_t bytes;
};

struct writer {
	const struct pprof *p;
	struct zip zip;
	struct buf pending, message, inner; /* bytes to compress; a message; one inside it */
	struct tab strings, types; /* types: the names of sample types */
	struct tab functions; /* NAME TAB FILE */
	struct tab mappings; /* FILE TAB BUILDID */
	struct mapping *mapping;
	size_t mapping_cap;
	uint32_t main; /* the mapping that comes first */
	struct ranked *location, *value; /* of p->locations and p->values, sorted */
	struct located *located; /* of each of these locations */
	struct ranked *stack, *set; /* sorted */
	uint32_t *stack_ranks, *set_ranks; /* their words */
	struct ordered *sample; /* sorted */
	struct label *label; /* of each of these values */
	struct buf labels; /* fields of Sample */
	struct buf key; /* scratch */
	bool failed; /* memory ran out */
	int rc; /* of compression */
	struct err err;
};

/* ---- the wire format */

static void
put_varint(struct writer *w, struct buf *b, uint64_t v)
{
	char *p;

	if (!buf_room(b, VARINT_MAX)) {
		w->failed = true;
		return;
	}
	for (p = b->p + b->len; v >= 0x80; v >>= 7)
		*p++ = (char)(unsigned char)(v | 0x80);
	*p++ = (char)v;
	b->len = (size_t)(p - b->p);
}

static void
put_number(struct writer *w, struct buf *b, unsigned field, uint64_t v)
{
	if (v == 0)
		return;
	put_varint(w, b, field << 3 | WIRE_VARINT);
	put_varint(w, b, v);
}

static void
put_bytes(struct writer *w, struct buf *b, unsigned field, struct slice s)
{
	put_varint(w, b, field << 3 | WIRE_BYTES);
	put_varint(w, b, s.len);
	w->failed |= !buf_put(b, s.p, s.len);
}

static void
flush(struct writer *w, bool last)
{
	if (w->rc == 0 && !w->failed)
		w->rc = zip_put(&w->zip, w->pending.p, w->pending.len, last, &w->err);
	w->pending.len = 0;
}

/* Writes w->message as a field of the profile. */
static void
put_message(struct writer *w, unsigned field)
{
	put_bytes(w, &w->pending, field, buf_slice(&w->message));
	w->message.len = 0;
	if (w->pending.len >= PENDING)
		flush(w, false);
}

static void
put_inner(struct writer *w, unsigned field)
{
	put_bytes(w, &w->message, field, buf_slice(&w->inner));
	w->inner.len = 0;
}

/* Returns the number of a string; "" is 0. */
static uint64_t
string(struct writer *w, struct slice s)
{
	size_t n = tab_add(&w->strings, s, NULL);

	w->failed |= n == TAB_NONE;
	return n;
}

/* ---- the parts of a location */

/* Removes the text before the next TAB, and the TAB, from *rest. */
static struct slice
take_word(struct slice *rest)
{
	const char *tab = memchr(rest->p, '\t', rest->len);
	size_t n = tab == NULL ? rest->len : (size_t)(tab - rest->p);
	struct slice s = { rest->p, n };

	n += tab != NULL;
	*rest = (struct slice){ rest->p + n, rest->len - n };
	return s;
}

/* Returns the position of the last C in s, or s.len. */
static size_t
find_last(struct slice s, char c)
{
	size_t i = s.len;

	while (i > 0 && s.p[i - 1] != c)
		i--;
	return i == 0 ? s.len : i - 1;
}

/*
 * Returns the build id in an identity: it is the first of one or of five words.  (Without it there
 * are four.)
 */
static struct slice
build_id_of(struct slice identity)
{
	struct slice id = identity;
	size_t i, words = 1;

	for (i = 0; i < identity.len; i++)
		if (identity.p[i] == ':' && words++ == 1)
			id.len = i;
	if ((words != 1 && words != 5) || (id.len == 1 && id.p[0] == '?'))
		id.len = 0;
	return id;
}

/*
 * Splits MODE:FILE[@IDENTITY]+0xOFFSET[-1].  A return address is counted as the end of the call
 * before it.  Returns false if the text is not a place in a file.
 */
static bool
split_place(struct slice text, struct slice *file, struct slice *build_id, uint64_t *place)
{
	size_t plus = find_last(text, '+'), at;
	struct slice offset;
	bool call;

	*build_id = (struct slice){ "", 0 };
	if (plus == text.len || plus < 2 || text.p[1] != ':')
		return false;
	offset = (struct slice){ text.p + plus + 1, text.len - plus - 1 };
	call = offset.len > 2 && memcmp(offset.p + offset.len - 2, "-1", 2) == 0;
	offset.len -= call ? 2 : 0;
	if (!num_get_hex(offset, place))
		return false;
	*place -= call && *place != 0;
	*file = (struct slice){ text.p + 2, plus - 2 };
	at = find_last(*file, '@');
	if (at != file->len) {
		*build_id = build_id_of((struct slice){ file->p + at + 1, file->len - at - 1 });
		file->len = at;
	}
	return !slice_eq(*file, SLICE("[unknown]"));
}

/* ---- order */

static int
by_text(const void *a, const void *b)
{
	return slice_cmp(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

/* Returns the texts of a table in bytewise order, or NULL if memory runs out. */
static struct ranked *
sorted(struct writer *w, const struct tab *t)
{
	struct ranked *r = mem_alloc((t->count + 1) * sizeof *r);
	size_t i;

	w->failed |= r == NULL;
	if (r == NULL)
		return NULL;
	for (i = 0; i < t->count; i++)
		r[i] = (struct ranked){ t->item[i], (uint32_t)i, false };
	if (t->count != 0)
		qsort(r, t->count, sizeof *r, by_text);
	return r;
}

/* Returns the place in the order of each item, by number, or NULL if memory runs out. */
static uint32_t *
ranks_of(struct writer *w, const struct ranked *sorted, size_t n)
{
	uint32_t *r = mem_alloc((n + 1) * sizeof *r);
	size_t i;

	w->failed |= r == NULL;
	for (i = 0; i < n && !w->failed; i++)
		r[sorted[i].number] = (uint32_t)i;
	return r;
}

static int
compare_words(struct slice x, struct slice y)
{
	size_t i, n = (x.len < y.len ? x.len : y.len) / sizeof(uint32_t);

	for (i = 0; i < n; i++) {
		uint32_t v = pprof_word(x, i), u = pprof_word(y, i);

		if (v != u)
			return v < u ? -1 : 1;
	}
	return (x.len > y.len) - (x.len < y.len);
}

static int
by_words(const void *a, const void *b)
{
	return compare_words(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

/*
 * Returns the stacks or sets of a table in the order of their texts, which are those of T, or NULL
 * if memory runs out.  *RANKS has their words.
 */
static struct ranked *
sorted_words(struct writer *w, const struct tab *table, const struct ranked *texts,
    const struct tab *t, uint32_t **ranks)
{
	uint32_t *rank = ranks_of(w, texts, t->count), *to;
	struct ranked *r = mem_alloc((table->count + 1) * sizeof *r);
	size_t total = 0, i, j;

	for (i = 0; i < table->count; i++)
		total += table->item[i].len;
	*ranks = to = mem_alloc(total + sizeof *to);
	w->failed |= r == NULL || to == NULL;
	for (i = 0; i < table->count && !w->failed; i++) {
		struct slice s = table->item[i];

		r[i] = (struct ranked){ { (const char *)to, s.len }, (uint32_t)i, false };
		for (j = 0; j < s.len / sizeof *to; j++)
			*to++ = rank[pprof_word(s, j)];
	}
	if (!w->failed && table->count != 0)
		qsort(r, table->count, sizeof *r, by_words);
	mem_free(rank);
	return r;
}

/* Compares the words of two samples: those of their stacks, then those of their labels. */
static int
compare_extended(const struct ordered *x, const struct ordered *y)
{
	struct slice labels = x->set->text, rest = y->stack->text;
	size_t shared = x->stack->text.len, m, i;
	int c;

	if (!slice_begins(rest, x->stack->text))
		return -1;
	rest = (struct slice){ rest.p + shared, rest.len - shared };
	m = rest.len;
	i = labels.len < m ? labels.len : m;
	c = compare_words((struct slice){ labels.p, i }, (struct slice){ rest.p, i });
	if (c != 0 || labels.len <= m)
		return c != 0 ? c : -1;
	c = compare_words((struct slice){ labels.p + m, labels.len - m }, y->set->text);
	return c != 0 ? c : -1;
}

/*
 * Samples are in the order of all their words.  That is the order of the stacks, unless one begins
 * with the other, and then labels count, too.
 */
static int
by_sample(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->stack == y->stack)
		return (x->set > y->set) - (x->set < y->set);
	if (x->stack < y->stack)
		return x->stack->extended ? compare_extended(x, y) : -1;
	return y->stack->extended ? -compare_extended(y, x) : 1;
}

/* Sorts the samples by the texts of their locations and labels. */
static void
sort_samples(struct writer *w)
{
	const struct pprof *p = w->p;
	uint32_t *stack, *set;
	size_t i;

	w->stack = sorted_words(w, &p->stacks, w->location, &p->locations, &w->stack_ranks);
	w->set = sorted_words(w, &p->sets, w->value, &p->values, &w->set_ranks);
	stack = ranks_of(w, w->stack, p->stacks.count);
	set = ranks_of(w, w->set, p->sets.count);
	w->sample = mem_alloc((p->samples.count + 1) * sizeof *w->sample);
	w->failed |= w->sample == NULL;
	for (i = 1; i < p->stacks.count && !w->failed; i++)
		w->stack[i - 1].extended = slice_begins(w->stack[i].text, w->stack[i - 1].text);
	for (i = 0; i < p->samples.count && !w->failed; i++)
		w->sample[i] = (struct ordered){ &w->stack[stack[p->samples.item[i].stack]],
			&w->set[set[p->samples.item[i].set]], (uint32_t)i };
	if (!w->failed && p->samples.count != 0)
		qsort(w->sample, p->samples.count, sizeof *w->sample, by_sample);
	mem_free(stack);
	mem_free(set);
}

/* ---- mappings */

/* Returns the number of the mapping, which is noted as one that has the place. */
static uint32_t
mapping_of(struct writer *w, struct slice file, struct slice build_id, uint64_t place)
{
	struct mapping *m;
	bool fresh;
	size_t n;

	w->inner.len = 0;
	w->failed |= !buf_put(&w->inner, file.p, file.len) || !buf_putc(&w->inner, '\t') ||
	    !buf_put(&w->inner, build_id.p, build_id.len);
	n = tab_add(&w->mappings, buf_slice(&w->inner), &fresh);
	w->inner.len = 0;
	w->failed |= n == TAB_NONE || (fresh && !vec_room(w->mapping, n, w->mapping_cap));
	if (w->failed)
		return 0;
	m = &w->mapping[n];
	if (fresh)
		*m = (struct mapping){ .least = place, .most = place };
	m->least = place < m->least ? place : m->least;
	m->most = place > m->most ? place : m->most;
	return (uint32_t)n;
}

static bool
is_library(struct slice file)
{
	return slice_find(file, SLICE(".so")) != file.len;
}

/* Returns how likely the location is in the main program, which pprof wants first. */
static unsigned
rank_of_main(struct slice file, struct slice functions)
{
	struct slice name;

	if (file.len == 0)
		return 0;
	while (functions.len != 0) {
		name = take_word(&functions);
		(void)take_word(&functions);
		if (slice_eq(name, SLICE("main")))
			return 4;
	}
	return file.p[0] != '/' ? 1 : is_library(file) ? 2 : 3;
}

/* Finds the mapping and the place of each location. */
static void
place_locations(struct writer *w)
{
	size_t i, n = w->p->locations.count;
	unsigned best = 0, r;

	w->located = mem_alloc((n + 1) * sizeof *w->located);
	w->failed |= w->located == NULL;
	for (i = 0; i < n && !w->failed; i++) {
		struct slice rest = w->location[i].text, place = take_word(&rest);
		struct slice file, build_id;
		uint64_t at = 0;

		if (!split_place(place, &file, &build_id, &at))
			file = build_id = (struct slice){ "", 0 };
		w->located[i].place = at;
		w->located[i].mapping = mapping_of(w, file, build_id, at);
		r = rank_of_main(file, rest);
		if (r > best) {
			best = r;
			w->main = w->located[i].mapping;
		}
	}
}

static uint64_t
mapping_id(const struct writer *w, uint32_t n)
{
	return n == w->main ? 1 : n < w->main ? n + UINT64_C(2) : n + UINT64_C(1);
}

static uint64_t
page_after(uint64_t place)
{
	return place > UINT64_MAX - PAGE ? UINT64_MAX : (place / PAGE + 1) * PAGE;
}

static void
put_mapping(struct writer *w, uint32_t n, uint64_t start, uint64_t limit)
{
	struct slice rest = w->mappings.item[n], file = take_word(&rest);
	struct buf *b = &w->message;
	unsigned field;

	put_number(w, b, MAPPING_ID, mapping_id(w, n));
	put_number(w, b, MAPPING_START, start);
	put_number(w, b, MAPPING_LIMIT, limit);
	put_number(w, b, MAPPING_FILENAME, string(w, file));
	put_number(w, b, MAPPING_BUILD_ID, string(w, rest));
	/* names have been looked up, and pprof shall not look again */
	for (field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINE_FRAMES; field++)
		put_number(w, b, field, 1);
	put_message(w, PROFILE_MAPPING);
}

/*
 * A stream has offsets into files, but not the addresses at which files were mapped.  So each file
 * gets a range of its own, and an address in it is the offset from its start.
 */
static void
put_mappings(struct writer *w)
{
	uint64_t next = FIRST_START, limit;
	uint32_t n, i;

	/* the order of ids */
	for (i = 0; i < w->mappings.count && !w->failed; i++) {
		struct mapping *m;

		n = i == 0 ? w->main : i <= w->main ? i - 1 : i;
		m = &w->mapping[n];
		m->start = limit = 0;
		if (w->mappings.item[n].p[0] == '\t') {
			put_mapping(w, n, 0, 0);
		} else if (m->most < OFFSET_MAX) {
			m->start = next;
			next += page_after(m->most);
			put_mapping(w, n, m->start, next);
		} else {
			limit = page_after(m->most);
			put_mapping(w, n, m->least / PAGE * PAGE, limit);
		}
	}
}

/* ---- locations and functions */

static uint64_t
function_id(struct writer *w, struct slice name, struct slice file)
{
	size_t n;

	w->key.len = 0;
	w->failed |= !buf_put(&w->key, name.p, name.len) || !buf_putc(&w->key, '\t') ||
	    !buf_put(&w->key, file.p, file.len);
	n = tab_add(&w->functions, buf_slice(&w->key), NULL);
	w->failed |= n == TAB_NONE;
	return n + UINT64_C(1);
}

/* Writes the functions from the last one, which is the innermost, to the first. */
static void
put_lines(struct writer *w, struct slice functions)
{
	struct slice name, text, file;
	uint64_t line;
	size_t tab;

	while (functions.len != 0 && !w->failed) {
		tab = find_last(functions, '\t');
		text = (struct slice){ functions.p + tab + 1, functions.len - tab - 1 };
		functions.len = tab;
		tab = find_last(functions, '\t');
		name = (struct slice){ functions.p + tab + 1, functions.len - tab - 1 };
		functions.len = tab;
		ev_split_line(text, &file, &line);
		put_number(w, &w->inner, LINE_FUNCTION_ID, function_id(w, name, file));
		put_number(w, &w->inner, LINE_LINE, line);
		put_inner(w, LOCATION_LINE);
	}
}

static void
put_locations(struct writer *w)
{
	size_t i;

	for (i = 0; i < w->p->locations.count && !w->failed; i++) {
		const struct located *at = &w->located[i];
		struct slice functions = w->location[i].text, place = take_word(&functions);

		functions = (struct slice){ place.p + place.len,
			functions.len + (size_t)(functions.p - place.p) - place.len };
		put_number(w, &w->message, LOCATION_ID, i + 1);
		put_number(w, &w->message, LOCATION_MAPPING_ID, mapping_id(w, at->mapping));
		put_number(w, &w->message, LOCATION_ADDRESS,
		    w->mapping[at->mapping].start + at->place);
		put_lines(w, functions);
		put_message(w, PROFILE_LOCATION);
	}
}

/*
 * Returns true if pprof can make a name of the source from it.  pprof takes a name that is also the
 * system's for one that it must shorten, without the arguments of templates and functions, and so
 * adds up functions that differ in these alone.
 */
static bool
is_mangled(struct slice name)
{
	return name.len > 2 && name.p[0] == '_' && (name.p[1] == 'Z' || name.p[1] == 'R');
}

static void
put_functions(struct writer *w)
{
	size_t i;

	for (i = 0; i < w->functions.count && !w->failed; i++) {
		struct slice file = w->functions.item[i], name = take_word(&file);
		uint64_t number = string(w, name);

		put_number(w, &w->message, FUNCTION_ID, i + 1);
		put_number(w, &w->message, FUNCTION_NAME, number);
		if (is_mangled(name))
			put_number(w, &w->message, FUNCTION_SYSTEM_NAME, number);
		put_number(w, &w->message, FUNCTION_FILENAME, string(w, file));
		put_message(w, PROFILE_FUNCTION);
	}
}

/* ---- types of samples */

static const struct {
	const char *name, *full;
} times[] = {
	{ "s", "seconds" },
	{ "ms", "milliseconds" },
	{ "us", "microseconds" },
	{ "ns", "nanoseconds" },
};

#define TIMES (sizeof times / sizeof times[0])

/* Returns the number of a unit of time, or TIMES. */
static size_t
time_named(struct slice unit)
{
	size_t i;

	for (i = 0; i < TIMES && !slice_eq(unit, slice_of(times[i].name)); i++)
		;
	return i;
}

/* Returns how many decimals a column with that unit should have: a smaller unit may have none. */
static unsigned
good_scale(struct slice unit, unsigned scale)
{
	size_t i = time_named(unit), j = i;

	while (j < TIMES && 3 * (j - i) < scale)
		j++;
	return j < TIMES ? (unsigned)(3 * (j - i)) : scale;
}

/*
 * Returns true for a unit that pprof would take for another one, and convert: it ignores case and a
 * last s, and takes MB for 2^20 bytes.
 */
static bool
is_misread(struct slice unit)
{
	static const struct slice known[] = { SLICE_INIT("b"), SLICE_INIT("kb"), SLICE_INIT("mb"),
		SLICE_INIT("gb"), SLICE_INIT("tb"), SLICE_INIT("pb"), SLICE_INIT("kbyte"),
		SLICE_INIT("mbyte"), SLICE_INIT("gbyte"), SLICE_INIT("tbyte"), SLICE_INIT("pbyte"),
		SLICE_INIT("kilobyte"), SLICE_INIT("megabyte"), SLICE_INIT("gigabyte"),
		SLICE_INIT("terabyte"), SLICE_INIT("petabyte"), SLICE_INIT("s"), SLICE_INIT("ms"),
		SLICE_INIT("us"), SLICE_INIT("ns") };
	char small[sizeof "kilobytes"];
	struct slice read = { small, unit.len };
	size_t i;

	if (unit.len >= sizeof small || slice_eq(unit, SLICE("B")))
		return false;
	for (i = 0; i < unit.len; i++)
		small[i] = unit.p[i] >= 'A' && unit.p[i] <= 'Z' ? (char)(unit.p[i] + 'a' - 'A')
								: unit.p[i];
	read.len -= unit.len > 2 && small[unit.len - 1] == 's';
	return SLICE_AMONG(read, known);
}

/* Returns the unit of a column's values, which are multiples of 10^-scale of its own. */
static uint64_t
unit_of(struct writer *w, struct slice unit, unsigned scale)
{
	size_t i = time_named(unit) + scale / 3;
	char text[32];

	if (i < TIMES && scale % 3 == 0)
		return string(w, slice_of(times[i].full));
	if (slice_is_nothing(unit))
		unit = SLICE("");
	if (scale == 0 && !is_misread(unit))
		return string(w, unit);
	/* pprof writes it directly after the number: 15x1e-1 J is 1.5 J */
	snprintf(text, sizeof text, "x1e-%u", scale);
	w->key.len = 0;
	w->failed |= (scale != 0 && !buf_puts(&w->key, text)) ||
	    (unit.len != 0 && !buf_putc(&w->key, ' ')) || !buf_put(&w->key, unit.p, unit.len);
	return string(w, buf_slice(&w->key));
}

/* Writes the name of a measure to w->key, with its unit if another has the same name. */
static void
spell_name(struct writer *w, const struct measure *m, const char *suffix)
{
	struct slice name = buf_slice(&m->name), unit = buf_slice(&m->unit);
	bool alone = true;
	size_t i;

	for (i = 0; i < w->p->measures; i++)
		if (w->p->measure[i] != NULL && w->p->measure[i] != m)
			alone &= !slice_eq(buf_slice(&w->p->measure[i]->name), name);
	w->key.len = 0;
	w->failed |= !buf_put(&w->key, name.p, name.len) || !buf_puts(&w->key, suffix);
	if (!alone)
		w->failed |= !buf_puts(&w->key, " [") || !buf_put(&w->key, unit.p, unit.len) ||
		    !buf_putc(&w->key, ']');
}

/*
 * Writes a type of samples, and returns the number of its name.  pprof selects types by their
 * names, so two with the same one are an error.
 */
static uint64_t
put_type(struct writer *w, const struct measure *m, enum pprof_column c)
{
	bool value = c == COLUMN_VALUE, fresh;
	uint64_t number;

	spell_name(w, m, value ? "" : ".samples");
	w->failed |= tab_add(&w->types, buf_slice(&w->key), &fresh) == TAB_NONE;
	if (w->rc == 0 && !w->failed && !fresh)
		w->rc =
		    err_data(&w->err, "two types of samples would be called %.*s (see --measure)",
			slice_shown(buf_slice(&w->key), SHOWN_MAX), w->key.p);
	number = string(w, buf_slice(&w->key));
	put_number(w, &w->message, VALUE_TYPE_TYPE, number);
	put_number(w, &w->message, VALUE_TYPE_UNIT,
	    unit_of(w,
		!value         ? SLICE("count")
		    : m->bytes ? SLICE("B")
			       : buf_slice(&m->unit),
		m->scale[c]));
	put_message(w, PROFILE_SAMPLE_TYPE);
	return number;
}

static void
put_types(struct writer *w)
{
	uint64_t first = 0, name;
	size_t i;

	for (i = 0; i < w->p->measures && !w->failed; i++) {
		struct measure *m = w->p->measure[i];

		if (m == NULL)
			continue;
		if (m->used[COLUMN_COUNT])
			(void)put_type(w, m, COLUMN_COUNT);
		if (m->used[COLUMN_VALUE]) {
			name = put_type(w, m, COLUMN_VALUE);
			first = first == 0 || i == w->p->foremost ? name : first;
		}
	}
	put_number(w, &w->pending, PROFILE_DEFAULT_SAMPLE_TYPE, first);
}

/* ---- samples */

/* Stores the bytes of a value's label in w->labels, in the field of a sample. */
static void
spell_label(struct writer *w, uint32_t rank)
{
	struct slice text = w->value[rank].text;
	size_t number = (size_t)(text.p[0] - '0'), from = w->labels.len;

	(void)take_word(&text);
	put_number(w, &w->inner, LABEL_KEY, string(w, w->p->label[number]));
	put_number(w, &w->inner, LABEL_STR, string(w, text));
	put_bytes(w, &w->labels, SAMPLE_LABEL, buf_slice(&w->inner));
	w->inner.len = 0;
	w->label[rank] = (struct label){ from, (uint32_t)(w->labels.len - from) };
}

static void
put_labels(struct writer *w, struct slice words)
{
	size_t i;

	for (i = 0; i < words.len / sizeof(uint32_t) && !w->failed; i++) {
		const struct label *l = &w->label[pprof_word(words, i)];

		if (l->bytes == 0)
			spell_label(w, pprof_word(words, i));
		w->failed |= !buf_put(&w->message, w->labels.p + l->from, l->bytes);
	}
}

static void
put_values(struct writer *w, uint32_t sample)
{
	size_t i;

	for (i = 0; i < w->p->measures; i++) {
		const struct measure *m = w->p->measure[i];
		int c;

		for (c = 0; m != NULL && c < COLUMNS; c++)
			if (m->used[c])
				put_varint(w, &w->inner,
				    sample < m->cap ? m->sum[sample][c].lo : 0);
	}
	put_inner(w, SAMPLE_VALUE);
}

/* Stores the field of a sample for its locations in w->key. */
static void
spell_stack(struct writer *w, struct slice words)
{
	size_t i;

	for (i = 0; i < words.len / sizeof(uint32_t); i++)
		put_varint(w, &w->inner, pprof_word(words, i) + UINT64_C(1));
	w->key.len = 0;
	put_bytes(w, &w->key, SAMPLE_LOCATION_ID, buf_slice(&w->inner));
	w->inner.len = 0;
}

/* Many adjacent samples have the same stack. */
static void
put_samples(struct writer *w)
{
	const struct ranked *stack = NULL;
	size_t i;

	w->label = mem_zero(w->p->values.count + 1, sizeof *w->label);
	w->failed |= w->label == NULL;
	for (i = 0; i < w->p->samples.count && !w->failed; i++) {
		const struct ordered *s = &w->sample[i];

		if (s->stack != stack)
			spell_stack(w, s->stack->text);
		stack = s->stack;
		w->failed |= !buf_put(&w->message, w->key.p, w->key.len);
		put_values(w, s->number);
		put_labels(w, s->set->text);
		put_message(w, PROFILE_SAMPLE);
	}
}

/* ---- everything else */

/* Adds times in nanoseconds.  Returns false if the sum is not between 0 and 2^63. */
static bool
add_time(int64_t *sum, struct wide v)
{
	if (v.hi != 0 || v.lo > (uint64_t)INT64_MAX || *sum > INT64_MAX - (int64_t)v.lo)
		return false;
	*sum += (int64_t)v.lo;
	return true;
}

/* Returns the time of day of a run's first event, or 0. */
static int64_t
first_time(const struct clock *c)
{
	int64_t t = c->wall;

	if (!c->dated)
		return 0;
	if (wide_cmp(c->first, c->at) >= 0)
		return add_time(&t, wide_sub(c->first, c->at)) ? t : 0;
	t = 0;
	if (!add_time(&t, wide_sub(c->at, c->first)) || t > c->wall)
		return 0;
	return c->wall - t;
}

/*
 * Writes the time of the first event, if all runs tell the time of day, and the sum of their
 * lengths.
 */
static void
put_times(struct writer *w)
{
	int64_t first = INT64_MAX, length = 0, t;
	bool any = false, fits = true;
	size_t i;

	for (i = 0; i < w->p->runs.count; i++) {
		const struct clock *c = &w->p->clock[i];

		if (!c->timed)
			continue;
		any = true;
		t = first_time(c);
		first = t < first ? t : first;
		fits &= add_time(&length, wide_sub(c->last, c->first));
	}
	put_number(w, &w->pending, PROFILE_TIME_NANOS, any ? (uint64_t)first : 0);
	put_number(w, &w->pending, PROFILE_DURATION_NANOS, fits ? (uint64_t)length : 0);
}

static void
put_comments(struct writer *w)
{
	const struct buf *b = &w->p->comments;
	size_t i, n;

	for (i = 0; i < b->len; i += n + 1) {
		n = strlen(b->p + i);
		/* not left out if it is 0, which it never is */
		put_number(w, &w->pending, PROFILE_COMMENT,
		    string(w, (struct slice){ b->p + i, n }));
	}
}

static void
put_strings(struct writer *w)
{
	size_t i;

	for (i = 0; i < w->strings.count && !w->failed; i++) {
		put_bytes(w, &w->pending, PROFILE_STRING, w->strings.item[i]);
		if (w->pending.len >= PENDING)
			flush(w, false);
	}
}

/* ---- the whole */

/* Returns the power of 2 that a unit of memory is in bytes, or 0 if it is not such a unit. */
static unsigned
power_of_unit(struct slice unit)
{
	static const char *const names[] = { "KiB", "MiB", "GiB", "TiB" };
	unsigned i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		if (slice_eq(unit, slice_of(names[i])))
			return 10 * (i + 1);
	return 0;
}

/*
 * Writes fractions of a unit of memory in bytes, if they are whole numbers of bytes and their total
 * fits.
 */
static void
settle_bytes(struct measure *m)
{
	unsigned power = power_of_unit(buf_slice(&m->unit)), i;
	uint64_t total = 0, by = 1;
	size_t n;

	if (power == 0 || m->scale[COLUMN_VALUE] == 0)
		return;
	for (i = 0; i < m->scale[COLUMN_VALUE]; i++)
		by *= 10;
	for (n = 0; n < m->cap; n++) {
		struct wide v = wide_magnitude(m->sum[n][COLUMN_VALUE]);

		if (v.hi != 0 || v.lo > (uint64_t)INT64_MAX >> power || (v.lo << power) % by != 0)
			return;
		total += (v.lo << power) / by;
		if (total > (uint64_t)INT64_MAX)
			return;
	}
	for (n = 0; n < m->cap; n++) {
		struct wide *sum = &m->sum[n][COLUMN_VALUE], v = wide_magnitude(*sum);

		v.lo = (v.lo << power) / by;
		*sum = wide_is_negative(*sum) ? wide_negated(v) : v;
	}
	m->scale[COLUMN_VALUE] = 0;
	m->bytes = true;
}

/*
 * Checks that all sums of a column, and the total that pprof computes, fit into 64 bits, and
 * chooses the unit.
 */
static int
settle_column(struct measure *m, enum pprof_column c, size_t samples, struct err *e)
{
	struct slice name = buf_slice(&m->name);
	unsigned scale = good_scale(buf_slice(&m->unit), m->scale[c]), i;
	struct wide total = { 0, 0 };
	size_t n;

	for (n = 0; n < samples && n < m->cap; n++) {
		(void)wide_add(total, wide_magnitude(m->sum[n][c]), &total);
		if (total.hi != 0 || total.lo > (uint64_t)INT64_MAX)
			return err_data(e,
			    "the sum of %.*s does not fit into the 64 bits of a profile",
			    slice_shown(name, SHOWN_MAX), name.p);
	}
	for (i = m->scale[c]; i < scale; i++)
		total.lo = total.lo > INT64_MAX / 10 ? UINT64_MAX : total.lo * 10;
	if (total.lo <= (uint64_t)INT64_MAX)
		measure_rescale(m, c, scale);
	return 0;
}

/* Returns true if the unit of the values is a fraction of their own that has no name. */
static bool
is_fraction(const struct measure *m)
{
	unsigned scale = m->scale[COLUMN_VALUE];

	return scale != 0 &&
	    (scale % 3 != 0 || time_named(buf_slice(&m->unit)) + scale / 3 >= TIMES);
}

static int
settle_columns(struct pprof *p, struct err *e)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < p->measures && rc == 0; i++) {
		struct measure *m = p->measure[i];

		if (m == NULL)
			continue;
		rc = settle_column(m, COLUMN_COUNT, p->samples.count, e);
		settle_bytes(m);
		if (rc == 0)
			rc = settle_column(m, COLUMN_VALUE, p->samples.count, e);
	}
	return rc;
}

static uint64_t
count_fractions(const struct pprof *p)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < p->measures; i++)
		n += p->measure[i] != NULL && is_fraction(p->measure[i]);
	return n;
}

static void
put_profile(struct writer *w)
{
	(void)string(w, SLICE(""));
	put_types(w);
	if (w->rc != 0)
		return;
	w->location = sorted(w, &w->p->locations);
	w->value = sorted(w, &w->p->values);
	sort_samples(w);
	if (w->failed)
		return;
	place_locations(w);
	put_samples(w);
	put_mappings(w);
	put_locations(w);
	put_functions(w);
	put_times(w);
	put_comments(w);
	put_strings(w);
	flush(w, true);
}

static void
free_writer(struct writer *w)
{
	buf_free(&w->pending);
	buf_free(&w->message);
	buf_free(&w->inner);
	buf_free(&w->key);
	tab_free(&w->strings);
	tab_free(&w->types);
	tab_free(&w->functions);
	tab_free(&w->mappings);
	mem_free(w->mapping);
	mem_free(w->location);
	mem_free(w->located);
	mem_free(w->value);
	mem_free(w->stack);
	mem_free(w->stack_ranks);
	mem_free(w->set);
	mem_free(w->set_ranks);
	mem_free(w->sample);
	mem_free(w->label);
	buf_free(&w->labels);
}

int
pprof_write(struct pprof *p, struct out *o, struct err *e)
{
	struct writer w = { .p = p };
	int rc;

	if (p->full)
		return err_data(e, "no profile is written, since a value did not fit into it");
	if ((rc = settle_columns(p, e)) != 0)
		return rc;
	if ((rc = zip_open(&w.zip, o, ZIP_GZIP, e)) != 0)
		return rc;
	put_profile(&w);
	zip_close(&w.zip);
	free_writer(&w);
	if (w.failed)
		return err_nomem(e);
	if (w.rc == 0)
		p->fractions = count_fractions(p);
	else
		*e = w.err;
	return w.rc;
}
