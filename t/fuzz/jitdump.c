/* SPDX-License-Identifier: ISC */
/*
 * jitdump.c - fuzzes the reader of jitdumps.
 *
 * An input is a jitdump, read as that of the process in its header, with each kind of clock.
 *
 * Always: the code at an address at a time is what a plain walk over all records up to that time
 * finds, and is the same everywhere in the spans of the answer, also if the file comes in parts.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cur.h"
#include "src/symbol/jitdump.h"
#include "src/unwind/cfi.h"
#include "t/fuzz/fuzz.h"

#define SEEN_MAX 40 /* placements that a walk keeps; inputs with more are only read */

enum seen_kind { SEEN_LOAD, SEEN_MOVE };

/* Code at an address from a time on. */
struct seen {
	enum seen_kind kind;
	uint64_t time, start, end, index;
	uint64_t old; /* of moved code: its old address */
	const char *name; /* NULL: none */
	bool left; /* it moved away at the time GONE */
	uint64_t gone;
};

struct model {
	struct seen seen[SEEN_MAX];
	size_t n;
	bool too_many;
	uint64_t known;
};

static uint32_t
pid_of(const uint8_t *data, size_t size, bool *big)
{
	struct cur c = cur_over(data, size, false);
	uint32_t magic = cur_u32(&c);

	*big = magic != 0x4a695444;
	c = cur_over(data, size, *big);
	(void)cur_take(&c, 20);
	return cur_u32(&c);
}

/* Adds a record to the model.  Returns false if it is damaged. */
static bool
add(struct model *m, uint32_t type, uint64_t time, struct cur c, uint32_t pid)
{
	struct seen s = { .kind = type == 0 ? SEEN_LOAD : SEEN_MOVE, .time = time };
	uint32_t own = cur_u32(&c);
	uint64_t size;
	const char *text;
	size_t room;

	(void)cur_take(&c, 12);
	if (type == 1)
		s.old = cur_u64(&c);
	s.start = cur_u64(&c);
	size = cur_u64(&c);
	s.index = cur_u64(&c);
	s.end = s.start + size;
	if (!cur_ok(&c) || size >= UINT64_MAX - s.start ||
	    (type == 1 && size >= UINT64_MAX - s.old) || (type == 0 && size > cur_left(&c)))
		return false;
	if (type == 0) {
		room = cur_left(&c) - (size_t)size;
		text = (const char *)cur_take(&c, room);
		if (room <= 32768 && (room == 0 || memchr(text, 0, room) == NULL))
			return false;
		if (text[0] != '\0' && memchr(text, 0, room < 32768 ? room : 32768) != NULL)
			s.name = text;
	}
	if (own != pid || size == 0)
		return true;
	m->too_many |= m->n == SEEN_MAX;
	if (!m->too_many)
		m->seen[m->n++] = s;
	return true;
}

static bool
is_damaged_unwinding(struct cur c)
{
	uint64_t size = cur_u64(&c), header = cur_u64(&c);

	(void)cur_u64(&c);
	return !cur_ok(&c) || size > cur_left(&c) || header > size;
}

static void
read_all(struct model *m, const uint8_t *data, size_t size, bool big, uint32_t pid)
{
	struct cur c = cur_over(data, size, big), body;
	uint32_t type, length;
	uint64_t time, last = 0;
	bool ok = true;

	(void)cur_take(&c, 8);
	length = cur_u32(&c);
	c = cur_over(data, size, big);
	(void)cur_take(&c, length);
	for (m->known = UINT64_MAX; ok && cur_left(&c) >= 16; last = time > last ? time : last) {
		type = cur_u32(&c);
		length = cur_u32(&c);
		time = cur_u64(&c);
		time -= time == UINT64_MAX; /* which means no end */
		ok = length >= 16;
		if (ok && length - 16 > cur_left(&c))
			return;
		if (ok) {
			body = cur_sub(&c, length - 16);
			ok = type == 4 ? !is_damaged_unwinding(body)
				       : type > 1 || add(m, type, time, body, pid);
		}
		if (!ok)
			m->known = last < UINT64_MAX - 1 ? last : UINT64_MAX;
	}
}

/* Returns the code at an address that came last before number N, or NULL. */
static struct seen *
last_at(struct model *m, size_t n, uint64_t address)
{
	for (; n > 0; n--)
		if (address >= m->seen[n - 1].start && address < m->seen[n - 1].end)
			return &m->seen[n - 1];
	return NULL;
}

/* Sorts by time, keeping the order of equal times. */
static void
sort(struct model *m)
{
	size_t i, k;

	for (i = 1; i < m->n; i++)
		for (k = i; k > 0 && m->seen[k - 1].time > m->seen[k].time; k--) {
			struct seen s = m->seen[k];

			m->seen[k] = m->seen[k - 1];
			m->seen[k - 1] = s;
		}
}

/* Gives moved code its name, and notes when it left its old address. */
static void
follow(struct model *m)
{
	struct seen *at[SEEN_MAX], *from;
	size_t i, k;

	for (i = 0; i < m->n; i++) {
		struct seen *s = &m->seen[i];

		at[i] = s;
		if (s->kind == SEEN_LOAD)
			continue;
		for (k = i; k > 0; k--)
			if (m->seen[k - 1].kind == SEEN_LOAD && m->seen[k - 1].index == s->index)
				break;
		if (k == 0)
			continue;
		from = at[k - 1];
		if (from->start != s->old || from->end - from->start != s->end - s->start)
			continue;
		s->name = from->name;
		from->left = true;
		from->gone = s->time;
		at[k - 1] = s;
	}
}

/* Checks whether the code found has that name and place. */
static bool
is_seen(const struct sym_code *c, const struct seen *s)
{
	if (s == NULL || s->name == NULL)
		return c->symbol == NULL;
	return c->symbol != NULL && strcmp(c->symbol->name, s->name) == 0 &&
	    c->symbol->start == s->start && c->symbol->end == s->end;
}

/*
 * Returns the code at an address at a time.  Code that has moved away hides what was there before;
 * it has no successor that is older than its move.
 */
static const struct seen *
at_time(struct model *m, uint64_t address, uint64_t time)
{
	const struct seen *s;
	size_t n = 0;

	while (n < m->n && m->seen[n].time <= time)
		n++;
	s = last_at(m, n, address);
	return s == NULL || (s->left && s->gone <= time) || time > m->known ? NULL : s;
}

static bool
agrees(const struct sym_code *a, const struct sym_code *b)
{
	return a->symbol == b->symbol;
}

/* Checks the ends of the spans of an answer. */
static void
check_spans(const struct jitdump *d, const struct sym_code *c, uint64_t address, uint64_t time)
{
	struct sym_code again;

	check(address >= c->address.from &&
		(address < c->address.to || c->address.to == UINT64_MAX),
	    "the address is not in its span");
	check(time >= c->time.from && (time < c->time.to || c->time.to == UINT64_MAX),
	    "the time is not in its span");
	jitdump_find(d, c->address.from, c->time.from, &again);
	check(agrees(c, &again), "other code at the start of the spans");
	jitdump_find(d, c->address.to - (c->address.to != UINT64_MAX),
	    c->time.to - (c->time.to != UINT64_MAX), &again);
	check(agrees(c, &again), "other code at the end of the spans");
}

/* Checks that the answer is the same where the code of a record begins, if that is in its spans. */
static void
check_within(const struct jitdump *d, const struct model *m, const struct sym_code *c)
{
	struct sym_code again;
	size_t i;

	for (i = 0; i < m->n; i++) {
		uint64_t address = m->seen[i].start,
			 time = m->seen[i].time > c->time.from ? m->seen[i].time : c->time.from;

		if (address < c->address.from || address >= c->address.to || time >= c->time.to)
			continue;
		jitdump_find(d, address, time, &again);
		check(agrees(c, &again), "other code within the spans");
	}
}

static void
try_unwinding(struct jitdump *d, const struct sym_code *c, uint64_t address)
{
	const struct cfi *cfi = jitdump_unwind(d, c);
	struct cfi_rule rule;

	if (cfi != NULL)
		(void)cfi_find(cfi, address + c->shift, &rule);
}

/* Whatever line is found has a file. */
static void
try_line(struct jitdump *d, const struct sym_code *c, uint64_t address)
{
	struct sym_line line;

	if (jitdump_line(d, c, address, &line))
		check(c->symbol != NULL && line.file.len > 0 && line.line <= INT32_MAX,
		    "a line that is none");
}

static void
ask(struct jitdump *d, struct model *m, uint64_t address, uint64_t time)
{
	struct sym_code c;
	size_t i;

	jitdump_find(d, address, time, &c);
	check_spans(d, &c, address, time);
	check_within(d, m, &c);
	try_unwinding(d, &c, address);
	try_line(d, &c, address);
	if (m->too_many)
		return;
	check(is_seen(&c, at_time(m, address, time)), "not the code that was there");
	for (i = 0; c.never && i < m->n; i++)
		check(address < m->seen[i].start || address >= m->seen[i].end,
		    "never any code, but it was there");
}

/* Asks without times: code is known where all records give one function. */
static void
ask_timeless(struct jitdump *d, struct model *m, uint64_t address)
{
	const struct seen *one = NULL;
	struct sym_code c;
	bool several = false;
	size_t i;

	jitdump_find(d, address, 0, &c);
	check_spans(d, &c, address, 0);
	check_within(d, m, &c);
	try_unwinding(d, &c, address);
	try_line(d, &c, address);
	for (i = 0; i < m->n; i++) {
		const struct seen *s = &m->seen[i];

		if (address < s->start || address >= s->end)
			continue;
		several |= one != NULL &&
		    (one->name == NULL || s->name == NULL || one->start != s->start ||
			strcmp(one->name, s->name) != 0);
		one = s;
	}
	if (m->too_many)
		return;
	if (several || one == NULL || one->name == NULL)
		check(c.symbol == NULL, "a name for several functions");
	else
		check(c.symbol != NULL && strcmp(c.symbol->name, one->name) == 0 &&
			c.symbol->start == one->start,
		    "not the only function");
}

static void
ask_all(struct jitdump *d, struct model *m, enum sym_clock_kind kind)
{
	static const uint64_t no[] = { 0, 1, UINT64_MAX - 1, UINT64_MAX };
	uint64_t address[2 * SEEN_MAX + 4];
	size_t i, k, n = 0;

	memcpy(address, no, sizeof no);
	for (n = 4, i = 0; i < m->n; i++) {
		address[n++] = m->seen[i].start - (i & 1);
		address[n++] = m->seen[i].end - (i >> 1 & 1);
	}
	for (i = 0; i < n; i++) {
		if (kind == SYM_CLOCK_OTHER) {
			ask_timeless(d, m, address[i]);
			continue;
		}
		ask(d, m, address[i], no[i % 4]);
		for (k = 0; k < m->n; k++) {
			ask(d, m, address[i], m->seen[k].time);
			ask(d, m, address[i], m->seen[k].time - 1);
		}
	}
}

/* Loads a file that grows in three steps. */
static struct jitdump *
load_growing(const char *path, const uint8_t *data, size_t size,
    const struct jitdump_expected *expected)
{
	const size_t length[] = { size / 3, size - size / 4, size };
	struct file_name name = { .path = path };
	struct jitdump *d = NULL;
	struct err e;
	size_t i;
	int fd = open(path, O_WRONLY);

	check(fd >= 0, "no temporary file");
	for (i = 0; i < sizeof length / sizeof length[0]; i++) {
		check(ftruncate(fd, 0) == 0 && pwrite(fd, data, length[i], 0) == (ssize_t)length[i],
		    "the temporary file cannot be written");
		if (jitdump_load(&name, expected, &d, &e) != 0)
			check_error(&e);
	}
	close(fd);
	return d;
}

/* Asks a file that has grown the same as the whole one.  Odd code that moves may have no name. */
static void
check_growing(const char *path, const uint8_t *data, size_t size,
    const struct jitdump_expected *expected, struct model *m)
{
	struct jitdump *d;
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->seen[i].kind == SEEN_MOVE)
			return;
	d = load_growing(path, data, size, expected);
	check(d != NULL, "a file that has grown is refused");
	ask_all(d, m, SYM_CLOCK_MONOTONIC);
	jitdump_free(d);
}

static bool
take_clock(const char *path, const uint8_t *data, size_t size, enum sym_clock_kind kind)
{
	struct jitdump_expected expected = { .lines = true,
		.clock = { .kind = kind, .shift = 4, .mult = 3 } };
	struct file_name name = { .path = path };
	struct model m = { .n = 0 };
	struct jitdump *d = NULL;
	struct err e;
	bool big;

	expected.pid = pid_of(data, size, &big);
	if (jitdump_load(&name, &expected, &d, &e) != 0) {
		check_error(&e);
		return false;
	}
	if (kind != SYM_CLOCK_PERF) {
		read_all(&m, data, size, big, expected.pid);
		sort(&m);
		follow(&m);
		ask_all(d, &m, kind);
	}
	if (kind == SYM_CLOCK_MONOTONIC)
		check_growing(path, data, size, &expected, &m);
	jitdump_free(d);
	return true;
}

static bool
take(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/afpipe-fuzz-XXXXXX";
	int fd = mkstemp(path);
	bool good;

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no temporary file");
	/* a time of the processor's clock cannot be compared with the other ones */
	if (size >= 40 && (data[32] & 1) == 0 && (data[39] & 1) == 0) {
		good = take_clock(path, data, size, SYM_CLOCK_MONOTONIC);
		(void)take_clock(path, data, size, SYM_CLOCK_OTHER);
	} else {
		good = take_clock(path, data, size, SYM_CLOCK_PERF);
	}
	close(fd);
	unlink(path);
	return good;
}

const struct fuzz_driver fuzz_driver = { .take = take };
