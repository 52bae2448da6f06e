/* SPDX-License-Identifier: ISC */
/* userrec.c - the parts of perf's own records that are not plain fields. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/record/fields.h"
#include "src/perfdata/record/record.h"

#define ERROR_TEXT 64
#define METADATA_KEY 64
#define METADATA_VALUE 256
#define METADATA_ITEM (METADATA_KEY + METADATA_VALUE)
#define METADATA_NAME 512 /* KSYM_NAME_LEN; it was less in older kernels */

/* The next ROOM bytes: a text that fills them or ends in NUL. */
static struct slice
take_text(struct cur *c, size_t room)
{
	struct cur part = cur_sub(c, room);
	struct slice s;

	s.p = cur_rest_string(&part, &s.len);
	return s.p == NULL ? SLICE("") : s;
}

/* The fields of an attr after its flags: only those that are not 0, since most are 0. */
static void
attr_rest(struct evwrite *w, struct cur *c)
{
	static const struct {
		const char *key;
		unsigned width;
	} field[] = { { "wakeup", 4 }, { "bp_type", 4 }, { "config1", 8 }, { "config2", 8 },
		{ "branch_sample_type", 8 }, { "regs_user", 8 }, { "stack_user", 4 },
		{ "clockid", 4 }, { "regs_intr", 8 }, { "aux_watermark", 4 }, { "max_stack", 2 },
		{ NULL, 2 }, { "aux_sample_size", 4 }, { "aux_action", 4 }, { "sig_data", 8 },
		{ "config3", 8 }, { "config4", 8 } };
	size_t i;

	for (i = 0; i < sizeof field / sizeof field[0] && cur_left(c) >= field[i].width; i++) {
		uint64_t v = field[i].width == 8 ? cur_u64(c)
		    : field[i].width == 4        ? cur_u32(c)
						 : cur_u16(c);

		if (v == 0 || field[i].key == NULL)
			continue;
		if (field[i].width == 8)
			evw_tag_hex(w, slice_of(field[i].key), v);
		else
			evw_tag_u64(w, slice_of(field[i].key), v);
	}
	if (cur_left(c) > 0)
		fields_put_bytes(w, SLICE("more"), c->p, cur_left(c));
}

void
userrec_attr(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct evwrite *w = d->w;
	uint32_t type = cur_u32(c), size = cur_u32(c);
	uint64_t config, period, sample_type, read_format, flags;
	struct cur a;

	(void)r, (void)n;
	a = cur_sub(c, (size == 0 ? ATTR_SIZE_MIN : size) - (size_t)8);
	config = cur_u64(&a);
	period = cur_u64(&a);
	sample_type = cur_u64(&a);
	read_format = cur_u64(&a);
	flags = cur_bits64(&a);
	if (!cur_ok(&a))
		return;
	evw_tag_u64(w, SLICE("type"), type);
	evw_tag_u64(w, SLICE("size"), size);
	evw_tag_hex(w, SLICE("config"), config);
	evw_tag_u64(w, (flags & A_FREQ) != 0 ? SLICE("freq") : SLICE("period"), period);
	evw_tag_hex(w, SLICE("sample_type"), sample_type);
	evw_tag_hex(w, SLICE("read_format"), read_format);
	evw_tag_hex(w, SLICE("flags"), flags);
	attr_rest(w, &a);
	fields_put_words(w, SLICE("ids"), c);
}

/* Newer perf appends, after all entries, the guest and virtual processor of each. */
void
userrec_id_index(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur items = fields_items(c, n, 32);
	bool guests = n != 0 && n <= cur_left(c) / 16, first = true;

	(void)r;
	evw_tag_begin(d->w, SLICE("ids"));
	for (; cur_left(&items) >= 32; first = false) {
		uint64_t id = cur_u64(&items), idx = cur_u64(&items);
		int64_t cpu = (int64_t)cur_u64(&items), tid = (int64_t)cur_u64(&items);

		fields_item(d->w, first, "0x%" PRIx64 ":%" PRIu64 ":%" PRId64 ":%" PRId64, id, idx,
		    cpu, tid);
		if (guests) {
			int64_t machine = (int64_t)cur_u64(c), vcpu = (int64_t)cur_u64(c);
			char text[64];
			int len =
			    snprintf(text, sizeof text, ":%" PRId64 ":%" PRId64, machine, vcpu);

			evw_bytes(d->w, text, (size_t)len);
		}
	}
	fields_list_end(d->w, SLICE("ids"), first);
}

void
userrec_auxtrace_info(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	(void)cur_u32(c); /* reserved */
	fields_put_words(d->w, SLICE("priv"), c);
}

/* The first format has no time; the third has the guest. */
void
userrec_auxtrace_error(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur head = record_body(d, r);
	uint32_t format;

	(void)n;
	(void)cur_take(&head, 20);
	format = cur_u32(&head);
	if (format >= 1)
		fields_put(d->w, "at:q", c);
	if (format >= 2 && cur_left(c) >= ERROR_TEXT) {
		struct cur text = cur_sub(c, ERROR_TEXT);

		fields_put(d->w, "message:s", &text);
		fields_put(d->w, "machine:d vcpu:d", c);
	} else {
		fields_put(d->w, "message:s", c);
	}
}

void
userrec_thread_map(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur items = fields_items(c, n, 8 + THREAD_COMM_SIZE);
	bool first = true;

	(void)r;
	evw_tag_begin(d->w, SLICE("threads"));
	for (; cur_left(&items) >= 8 + THREAD_COMM_SIZE; first = false) {
		int64_t pid = (int64_t)cur_u64(&items);
		struct slice comm = take_text(&items, THREAD_COMM_SIZE);

		fields_item(d->w, first, "%" PRId64 ":%.*s", pid, (int)comm.len, comm.p);
	}
	fields_list_end(d->w, SLICE("threads"), first);
}

void
userrec_cpus(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur peek = *c;
	uint16_t encoding = cur_u16(&peek);
	struct cpumap cpus = { 0 };
	struct buf list = { 0 };
	struct err e;

	(void)r, (void)n;
	if (!cur_ok(&peek))
		return;
	if (cpumap_take(&cpus, c, &e) == ERR_SYS || !cpumap_put(&cpus, ';', &list))
		evw_nomem(d->w);
	evw_tag_u64(d->w, SLICE("encoding"), encoding);
	evw_tag_raw(d->w, SLICE("cpus"), list.len == 0 ? SLICE(".") : buf_slice(&list));
	buf_free(&list);
	cpumap_free(&cpus);
}

void
userrec_stat_config(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur items = fields_items(c, n, 16);
	bool first = true;

	(void)r;
	evw_tag_begin(d->w, SLICE("config"));
	for (; cur_left(&items) >= 16; first = false) {
		uint64_t tag = cur_u64(&items), value = cur_u64(&items);
		const char *name = fields_name(NAMES_STAT_CONFIG, tag);

		if (name != NULL)
			fields_item(d->w, first, "%s:%" PRIu64, name, value);
		else
			fields_item(d->w, first, "%" PRIu64 ":%" PRIu64, tag, value);
	}
	fields_list_end(d->w, SLICE("config"), first);
}

static void
scale(struct evwrite *w, struct cur *c)
{
	uint64_t bits = cur_u64(c);
	char text[NUM_MAX];
	double v;

	if (!cur_ok(c))
		return;
	memcpy(&v, &bits, sizeof v);
	evw_tag_begin(w, SLICE("scale"));
	evw_bytes(w, text, num_put_double(text, v));
	evw_tag_end(w, SLICE("scale"));
}

void
userrec_event_update(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur head = record_body(d, r);

	switch (cur_u64(&head)) {
	case UPDATE_UNIT: fields_put(d->w, "unit:s", c); break;
	case UPDATE_SCALE: scale(d->w, c); break;
	case UPDATE_NAME: fields_put(d->w, "name:s", c); break;
	case UPDATE_CPUS: userrec_cpus(d, r, c, n); break;
	}
}

void
userrec_compressed(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	evw_tag_u64(d->w, SLICE("bytes"), cur_left(c));
}

/* Does a name of that many bytes leave room for exactly the items counted after it? */
static bool
metadata_fills(struct cur c, size_t name, uint64_t *n)
{
	(void)cur_take(&c, name);
	*n = cur_u64(&c);
	return cur_ok(&c) && *n <= cur_left(&c) / METADATA_ITEM &&
	    *n * METADATA_ITEM == cur_left(&c);
}

/*
 * The length of the program's name is not in the record and depends on the kernel.
 * 0 if no length fits.
 */
static size_t
metadata_name(struct cur c, uint64_t *n)
{
	size_t size = cur_left(&c), items, behind;

	if (metadata_fills(c, METADATA_NAME, n))
		return METADATA_NAME;
	for (items = size / METADATA_ITEM + 1; items-- > 0;) {
		behind = 8 + METADATA_ITEM * items;
		if (behind < size && size - behind < METADATA_NAME &&
		    metadata_fills(c, size - behind, n))
			return size - behind;
	}
	return 0;
}

bool
userrec_metadata_fits(struct cur c)
{
	uint64_t n;

	return metadata_name(c, &n) != 0;
}

void
userrec_metadata(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	size_t length = metadata_name(*c, &n);
	struct cur name = cur_sub(c, length);
	bool first = true;

	(void)r;
	if (length == 0)
		return;
	(void)cur_u64(c);
	fields_put(d->w, "prog:s", &name);
	evw_tag_u64(d->w, SLICE("entries"), n);
	evw_tag_begin(d->w, SLICE("metadata"));
	for (; cur_left(c) >= METADATA_ITEM; first = false) {
		struct slice key = take_text(c, METADATA_KEY);
		struct slice value = take_text(c, METADATA_VALUE);

		fields_item(d->w, first, "%.*s:%.*s", (int)key.len, key.p, (int)value.len, value.p);
	}
	fields_list_end(d->w, SLICE("metadata"), first);
}

/* Their number and meaning depend on the version. */
void
userrec_counters(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	bool first = true;

	(void)r, (void)n;
	evw_tag_begin(d->w, SLICE("counters"));
	for (; cur_left(c) >= 4; first = false)
		fields_item(d->w, first, "%" PRIu32, cur_u32(c));
	fields_list_end(d->w, SLICE("counters"), first);
}
