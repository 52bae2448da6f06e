/* SPDX-License-Identifier: ISC */
/*
 * line.c - checks a record and writes its line, as directed by a text that describes its fields.
 * Also handles records of unknown types.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/num.h"
#include "src/perfdata/record/parts.h"
#include "src/perfdata/sample/sample.h"
#include "src/perfdata/tags.h"

#define TEXT_MAX 512
#define NAMES_MAX 8
#define KEY_MAX 32

/* Names by value; for bits, by the bit's number. */
static const char *const tables[][NAMES_MAX] = {
	[NAMES_KSYMBOL] = { NULL, "bpf", "ool" },
	[NAMES_KSYMBOL_FLAGS] = { "unregister" },
	[NAMES_BPF_EVENT] = { NULL, "load", "unload" },
	[NAMES_AUX_FLAGS] = { "truncated", "overwrite", "partial", "collision" },
	[NAMES_AUXTRACE] = { NULL, "intel_pt", "intel_bts", "cs_etm", "arm_spe", "s390_cpumsf",
	    "hisi_ptt", "vpa_dtl" },
	[NAMES_AUXTRACE_ERROR] = { NULL, "itrace" },
	[NAMES_STAT_ROUND] = { "interval", "final" },
	[NAMES_EVENT_UPDATE] = { "unit", "scale", "name", "cpus" },
	[NAMES_SP_CHAIN] = { "original_offline", "original_remote", "joined_offline",
	    "joined_remote" },
	[NAMES_STAT_CONFIG] = { "aggr_mode", "interval", "scale", "aggr_level" },
};

struct field {
	struct slice key;
	char type;
	unsigned arg;
	bool newer;
};

/* Removes the next field from *text.  Returns false at the end. */
static bool
next_field(const char **text, struct field *f)
{
	const char *p = *text, *colon;

	if (p == NULL)
		return false;
	for (; *p == ' ' || *p == '|'; p++)
		f->newer = f->newer || *p == '|';
	colon = strchr(p, ':');
	if (colon == NULL)
		return false;
	f->key = (struct slice){ p, (size_t)(colon - p) };
	f->type = colon[1];
	f->arg = 0;
	for (p = colon + 2; *p != ' ' && *p != '\0'; p++)
		f->arg = f->arg * 10 + (unsigned)(*p - '0');
	*text = p;
	return true;
}

static size_t
width_of(char type)
{
	switch (type) {
	case 's': return 0;
	case 'b': return 1;
	case 'h':
	case 'w':
	case 'p':
	case 'f': return 2;
	case 'd':
	case 'u':
	case 'y':
	case 'v': return 4;
	default: return 8;
	}
}

static uint64_t
take(struct cur *c, size_t width)
{
	switch (width) {
	case 1: return cur_u8(c);
	case 2: return cur_u16(c);
	case 4: return cur_u32(c);
	default: return cur_u64(c);
	}
}

const char *
fields_name(unsigned t, uint64_t v)
{
	return v < NAMES_MAX ? tables[t][v] : NULL;
}

/* Writes KEY_name: the name of the number. */
static void
put_name(struct evwrite *w, const struct field *f, uint64_t v)
{
	static const char suffix[] = "_name";
	char text[KEY_MAX + sizeof suffix];
	struct slice key = { text, f->key.len + sizeof suffix - 1 };
	const char *name = fields_name(f->arg, v);

	memcpy(text, f->key.p, f->key.len);
	memcpy(text + f->key.len, suffix, sizeof suffix);
	if (strchr("fg", f->type) != NULL)
		tags_put_bits(w, key, v, tables[f->arg], NAMES_MAX);
	else if (name != NULL)
		evw_tag_raw(w, key, slice_of(name));
}

static uint64_t
put_field(struct evwrite *w, const struct field *f, struct cur *c)
{
	struct slice text;
	uint64_t v;

	if (f->type == 's') {
		text.p = cur_rest_string(c, &text.len);
		evw_tag_text(w, f->key, text);
		return 0;
	}
	v = take(c, width_of(f->type));
	switch (f->type) {
	case 'p': break;
	case 'd': evw_tag_i64(w, f->key, (int32_t)(uint32_t)v); break;
	case 'x':
	case 'y':
	case 'f':
	case 'g': evw_tag_hex(w, f->key, v); break;
	default: evw_tag_u64(w, f->key, v); break;
	}
	if (strchr("wvzfg", f->type) != NULL)
		put_name(w, f, v);
	return f->type == 'n' ? v : 0;
}

static bool
is_who(struct slice key)
{
	return slice_eq(key, SLICE("pid")) || slice_eq(key, SLICE("tid"));
}

uint64_t
fields_put(struct evwrite *w, const char *text, struct cur *c)
{
	struct field f = { .newer = false };
	uint64_t n = 0;

	while (next_field(&text, &f) && cur_left(c) >= width_of(f.type)) {
		if (is_who(f.key))
			(void)cur_u32(c);
		else
			n = put_field(w, &f, c);
	}
	return n;
}

/* Returns true if all fields are there, and all items that they count. */
static bool
fields_fit(const char *text, struct cur c)
{
	struct field f = { .newer = false };
	uint64_t n;

	while (next_field(&text, &f) && !f.newer && f.type != 's') {
		n = take(&c, width_of(f.type));
		if (f.type == 'n' && n > cur_left(&c) / f.arg)
			return false;
	}
	return cur_ok(&c);
}

/* Reads pid and tid from the record.  Returns true if it has both. */
static bool
fields_who(const char *text, struct cur c, uint32_t *pid, uint32_t *tid)
{
	struct field f = { .newer = false };
	unsigned found = 0;

	while (next_field(&text, &f) && f.type != 's') {
		uint64_t v = take(&c, width_of(f.type));

		if (!is_who(f.key))
			continue;
		*(f.key.p[0] == 'p' ? pid : tid) = (uint32_t)v;
		found++;
	}
	return found == 2 && cur_ok(&c);
}

struct cur
fields_items(struct cur *c, uint64_t n, size_t size)
{
	size_t most = cur_left(c) / size;

	return cur_sub(c, (n < most ? (size_t)n : most) * size);
}

/* ---- the whole record */

static void
count(struct unknown *u, uint32_t type)
{
	size_t i;

	u->records++;
	for (i = 0; i < u->types && u->of[i].type != type; i++)
		;
	if (i == UNKNOWN_TYPES)
		return;
	if (i == u->types) {
		u->types++;
		u->of[i].type = type;
	}
	u->of[i].records++;
}

bool
record_fits(struct unknown *u, uint32_t number, struct cur body)
{
	const struct record_type *type = record_type_of(number);

	if (type == NULL) {
		count(u, number);
		return true;
	}
	return fields_fit(type->fields, body) && (type->fits == NULL || type->fits(body));
}

int
record_check(struct run *run, struct unknown *u, const struct rec *r, struct err *e)
{
	if (record_fits(u, r->type, events_body(run->events, r)))
		return 0;
	return err_byte(e, r->offset, "record of type %" PRIu32 " with %u bytes is too short",
	    r->type, r->size);
}

/* Writes a record of an unknown type as its bytes, since nothing else is known about it. */
static void
put_unknown(struct run *run, const struct rec *r, struct cur *c)
{
	size_t n = cur_left(c);

	evw_tag_u64(run->w, SLICE("type"), r->type);
	evw_tag_u64(run->w, SLICE("size"), r->size);
	evw_tag_hex(run->w, SLICE("misc"), r->misc);
	tags_put_bytes(run->w, SLICE("raw"), cur_take(c, n), n);
}

/* Writes the id of the event that the record belongs to, if the trailer has one. */
static void
put_trailer_ids(struct evwrite *w, const struct trailer *t)
{
	if ((t->have & (S_ID | S_IDENTIFIER)) != 0)
		evw_tag_hex(w, SLICE("event_id"), t->id);
	if ((t->have & S_STREAM_ID) != 0)
		evw_tag_hex(w, SLICE("event_stream"), t->stream_id);
}

void
record_put_line(struct run *run, const struct rec *r, struct cur c)
{
	const struct record_type *type = record_type_of(r->type);
	struct trailer t = events_trailer(run->events, r);
	uint64_t n;

	if (type != NULL && fields_who(type->fields, c, &t.pid, &t.tid))
		t.have |= S_TID;
	run_put_head(run, type == NULL ? SLICE("unknown") : slice_of(type->kind), &t, SLICE("."),
	    NULL);
	if (type == NULL) {
		put_unknown(run, r, &c);
	} else {
		n = fields_put(run->w, type->fields, &c);
		if (type->rest != NULL)
			type->rest(run, r, &c, n);
	}
	put_trailer_ids(run->w, &t);
	run_put_end(run);
}

void
record_put(struct run *run, const struct rec *r)
{
	if (!loss_is_all(r, run->events->big_endian))
		record_put_line(run, r, events_body(run->events, r));
}

/* Reports records of unknown types, unless all records are printed or counted anyway. */
void
unknown_note(const struct unknown *u, const struct run *run)
{
	uint64_t listed = 0;
	char text[TEXT_MAX];
	size_t i, n;

	if (u->records == 0 || run->opt->all || run->opt->stats || run->opt->header)
		return;
	n = (size_t)snprintf(text, sizeof text,
	    "%" PRIu64 " record%s of unknown type ignored:", u->records,
	    u->records == 1 ? "" : "s");
	for (i = 0; i < u->types && n < sizeof text; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "%s %" PRIu32 " (%" PRIu64 ")",
		    i == 0 ? "" : ",", u->of[i].type, u->of[i].records);
		listed += u->of[i].records;
	}
	if (listed != u->records && n < sizeof text)
		(void)snprintf(text + n, sizeof text - n, ", others (%" PRIu64 ")",
		    u->records - listed);
	input_note(run->input, text);
}
