/* SPDX-License-Identifier: ISC */
/*
 * event.c - features about events, their groups, the units (PMUs) that count them, and the BPF
 * programs that were loaded.
 */
#include "lib/num.h"
#include "src/perfdata/header/parts.h"
#include "src/perfdata/tags.h"

/* A tag with a list of the u64 that c covers, in hex.  No tag if there are none. */
static void
put_hex_list(struct evwrite *w, struct slice key, struct cur c)
{
	if (cur_left(&c) >= 8)
		tags_put_words(w, key, &c);
}

bool
feature_events(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), attr_size = cur_u32(&f->c), i;

	if (!cur_ok(&f->c) || (n > 0 && attr_size < ATTR_SIZE_MIN))
		return false;
	for (i = 0; i < n; i++) {
		struct cur attr = cur_sub(&f->c, attr_size), ids;
		struct attr_values values;
		uint32_t nids = cur_u32(&f->c);
		struct slice name;
		struct evwrite *w;

		if (!feature_string(&f->c, &name) || nids > cur_left(&f->c) / 8)
			return false;
		ids = cur_sub(&f->c, (size_t)nids * 8);
		w = feature_begin(f, f->name);
		evw_text(w, name);
		attr_read(&values, &attr);
		attr_put_words(w, &values);
		evw_tag_u64(w, SLICE("ids_count"), nids);
		put_hex_list(w, SLICE("ids"), ids);
		feature_end(f);
	}
	return true;
}

/*
 * The names of the group's events, the leader first.  An event is in only one group, so
 * all groups together have no more than *left events.
 */
static void
put_members(struct evwrite *w, const struct events *ev, uint32_t leader, uint32_t members,
    size_t *left)
{
	size_t n = leader < ev->count ? ev->count - leader : 0, i, k;

	n = members < n ? members : n;
	n = *left < n ? *left : n;
	*left -= n;
	if (n == 0)
		return;
	evw_tag_begin(w, SLICE("events"));
	for (i = 0; i < n; i++) {
		const struct buf *name = &ev->item[leader + i].name;

		evw_bytes(w, ";", i > 0);
		for (k = 0; k < name->len; k++) /* escaped as a column already */
			evw_bytes(w, name->p[k] == ';' ? "\\x3b" : name->p + k,
			    name->p[k] == ';' ? 4 : 1);
	}
	evw_tag_end(w, SLICE("events"));
}

bool
feature_groups(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;
	size_t left = f->run->events->count;

	for (i = 0; i < n; i++) {
		struct slice name;
		uint32_t leader, members;
		struct evwrite *w;

		if (!feature_string(&f->c, &name))
			return false;
		leader = cur_u32(&f->c);
		members = cur_u32(&f->c);
		if (!cur_ok(&f->c))
			return false;
		w = feature_begin(f, f->name);
		evw_text(w, name);
		evw_tag_u64(w, SLICE("leader"), leader);
		evw_tag_u64(w, SLICE("members"), members);
		put_members(w, f->run->events, leader, members, &left);
		feature_end(f);
	}
	return cur_ok(&f->c);
}

bool
feature_pmus(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		uint32_t type = cur_u32(&f->c);
		struct slice name;
		struct evwrite *w;

		if (!feature_string(&f->c, &name))
			return false;
		w = feature_begin(f, f->name);
		evw_text(w, name);
		evw_tag_u64(w, SLICE("type"), type);
		feature_end(f);
	}
	return cur_ok(&f->c);
}

/* n pairs of name and value; pmu.p is NULL for the processor's own capabilities. */
static bool
put_caps(struct feature *f, struct cur *c, uint32_t n, struct slice pmu)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct slice name, value;
		struct evwrite *w;

		if (!feature_string(c, &name) || !feature_string(c, &value))
			return false;
		w = feature_begin(f, f->name);
		evw_text(w, name);
		if (pmu.p != NULL)
			evw_tag_text(w, SLICE("pmu"), pmu);
		evw_tag_text(w, SLICE("value"), value);
		feature_end(f);
	}
	return true;
}

bool
feature_cpu_pmu_caps(struct feature *f)
{
	uint32_t n = cur_u32(&f->c);

	return cur_ok(&f->c) && put_caps(f, &f->c, n, (struct slice){ NULL, 0 });
}

/* The name of the unit follows its capabilities. */
bool
feature_pmu_caps(struct feature *f)
{
	uint32_t pmus = cur_u32(&f->c), i, k;

	for (i = 0; i < pmus; i++) {
		uint32_t n = cur_u32(&f->c);
		struct cur caps = f->c;
		struct slice s;

		for (k = 0; k < n; k++)
			if (!feature_string(&f->c, &s) || !feature_string(&f->c, &s))
				return false;
		if (!feature_string(&f->c, &s) || !put_caps(f, &caps, n, s))
			return false;
	}
	return cur_ok(&f->c);
}

/*
 * ---- BPF programs: struct bpf_prog_info in include/uapi/linux/bpf.h, inside struct perf_bpil in
 * tools/perf/util/bpf-utils.h; its pointers are offsets into the data after it
 */

#define TAG_SIZE 8
#define PROGRAM_NAME_SIZE 16

struct program {
	uint32_t type, id;
	const unsigned char *tag;
	uint32_t jited_len, xlated_len;
	uint64_t load_time;
	uint32_t uid, maps;
	struct slice name;
	uint32_t functions, lens; /* how many */
	uint64_t function_at, len_at; /* in the data */
	uint32_t btf;
};

/* The info of older kernels is shorter: missing fields are 0. */
static void
take_program(struct program *p, struct cur c)
{
	struct cur name;

	*p = (struct program){ .type = cur_u32(&c) };
	p->id = cur_u32(&c);
	p->tag = cur_take(&c, TAG_SIZE);
	p->jited_len = cur_u32(&c);
	p->xlated_len = cur_u32(&c);
	(void)cur_take(&c, 16);
	p->load_time = cur_u64(&c);
	p->uid = cur_u32(&c);
	p->maps = cur_u32(&c);
	(void)cur_u64(&c);
	name = cur_sub(&c, PROGRAM_NAME_SIZE);
	p->name.p = cur_rest_string(&name, &p->name.len);
	(void)cur_take(&c, 24);
	p->functions = cur_u32(&c);
	p->lens = cur_u32(&c);
	p->function_at = cur_u64(&c);
	p->len_at = cur_u64(&c);
	p->btf = cur_u32(&c);
}

/* An array inside the data; empty if it does not fit. */
static struct cur
array(struct cur data, uint64_t at, uint32_t n, unsigned width)
{
	struct cur none = { .bad = true };

	if (at > cur_left(&data) || n > (cur_left(&data) - at) / width)
		return none;
	(void)cur_take(&data, (size_t)at);
	return cur_sub(&data, (size_t)n * width);
}

static void
put_u32_list(struct evwrite *w, struct slice key, struct cur c)
{
	char digits[NUM_MAX];
	bool more = false;

	if (cur_left(&c) == 0)
		return;
	evw_tag_begin(w, key);
	for (; cur_left(&c) > 0; more = true) {
		evw_bytes(w, ";", more);
		evw_bytes(w, digits, num_put_u64(digits, cur_u32(&c)));
	}
	evw_tag_end(w, key);
}

static void
put_program(struct feature *f, const struct program *p, struct cur data)
{
	struct evwrite *w = feature_begin(f, f->name);

	evw_u64(w, p->id);
	evw_tag_u64(w, SLICE("type"), p->type);
	evw_tag_begin(w, SLICE("tag"));
	evw_hex_bytes(w, p->tag, p->tag == NULL ? 0 : TAG_SIZE);
	evw_tag_end(w, SLICE("tag"));
	evw_tag_text(w, SLICE("name"), p->name);
	evw_tag_u64(w, SLICE("jited_len"), p->jited_len);
	evw_tag_u64(w, SLICE("xlated_len"), p->xlated_len);
	evw_tag_u64(w, SLICE("load_time"), p->load_time);
	evw_tag_u64(w, SLICE("uid"), p->uid);
	evw_tag_u64(w, SLICE("maps"), p->maps);
	evw_tag_u64(w, SLICE("btf"), p->btf);
	put_hex_list(w, SLICE("addrs"), array(data, p->function_at, p->functions, 8));
	put_u32_list(w, SLICE("lens"), array(data, p->len_at, p->lens, 4));
	evw_tag_u64(w, SLICE("bytes"), cur_left(&data));
	feature_end(f);
}

bool
feature_bpf_progs(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		uint32_t info_len = cur_u32(&f->c), data_len = cur_u32(&f->c);
		struct cur info, data;
		struct program p;

		(void)cur_u64(&f->c); /* which of the arrays are present */
		info = cur_sub(&f->c, info_len);
		data = cur_sub(&f->c, data_len);
		if (!cur_ok(&f->c))
			return false;
		take_program(&p, info);
		put_program(f, &p, data);
	}
	return cur_ok(&f->c);
}

bool
feature_btfs(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		uint32_t id = cur_u32(&f->c), size = cur_u32(&f->c);
		struct evwrite *w;

		if (cur_take(&f->c, size) == NULL)
			return false;
		w = feature_begin(f, f->name);
		evw_u64(w, id);
		evw_tag_u64(w, SLICE("bytes"), size);
		feature_end(f);
	}
	return cur_ok(&f->c);
}
