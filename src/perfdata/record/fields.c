/* SPDX-License-Identifier: ISC */
/* fields.c - writes the fields of a record as tags, by a text that describes their layout. */

#include <string.h>

#include "src/perfdata/record/parts.h"
#include "src/perfdata/tags.h"

#define NAMES_MAX 8
#define KEY_MAX 32

/* By value; for bits by the bit's number. */
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

/* Takes the next field off *text; false at its end. */
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
	for (p = colon + 2; *p >= '0' && *p <= '9'; p++)
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

/* KEY_name: the number in words. */
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
	case 'i': evw_tag_i64(w, f->key, (int64_t)v); break;
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

bool
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

bool
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
