/* SPDX-License-Identifier: ISC */
/*
 * facts_bpf.c - facts of the header about BPF programs and their types.
 *
 * Layouts: struct bpf_prog_info in include/uapi/linux/bpf.h, inside struct perf_bpil in
 * tools/perf/util/bpf-utils.h: its pointers are offsets into the data after it.
 */
#include "lib/num.h"
#include "src/perfdata/header/facts.h"

#define TAG_SIZE 8
#define NAME_SIZE 16

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
	name = cur_sub(&c, NAME_SIZE);
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
	struct evwrite *w = fact_begin(f->d, f->name);

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
	fact_hex_list(w, SLICE("addrs"), array(data, p->function_at, p->functions, 8));
	put_u32_list(w, SLICE("lens"), array(data, p->len_at, p->lens, 4));
	evw_tag_u64(w, SLICE("bytes"), cur_left(&data));
	fact_end(f->d, f->number);
}

bool
facts_bpf_progs(struct feature *f)
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
facts_btfs(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		uint32_t id = cur_u32(&f->c), size = cur_u32(&f->c);
		struct evwrite *w;

		if (cur_take(&f->c, size) == NULL)
			return false;
		w = fact_begin(f->d, f->name);
		evw_u64(w, id);
		evw_tag_u64(w, SLICE("bytes"), size);
		fact_end(f->d, f->number);
	}
	return cur_ok(&f->c);
}
