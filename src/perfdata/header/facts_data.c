/* SPDX-License-Identifier: ISC */
/* facts_data.c - facts of the header about the data: its traces, times, clocks and compression. */
#include "src/perfdata/header/facts.h"

#define COMPRESSED_ZSTD 1

/* The places of AUX trace records.  simpleperf writes the index without its length. */
bool
facts_auxtrace(struct feature *f)
{
	uint64_t n = cur_left(&f->c) / 16;

	if (cur_left(&f->c) % 16 == 8) {
		n = cur_u64(&f->c);
		if (n > cur_left(&f->c) / 16)
			return false;
	}
	for (; n > 0; n--) {
		uint64_t offset = cur_u64(&f->c);
		struct evwrite *w = fact_begin(f->d, f->name);

		evw_u64(w, offset);
		evw_tag_u64(w, SLICE("size"), cur_u64(&f->c));
		fact_end(f->d, f->number);
	}
	return cur_left(&f->c) == 0;
}

bool
facts_sample_time(struct feature *f)
{
	uint64_t first = cur_u64(&f->c), last = cur_u64(&f->c);

	if (!cur_ok(&f->c))
		return false;
	fact_u64(f, "sample_time_first", first);
	fact_u64(f, "sample_time_last", last);
	return true;
}

bool
facts_clock_data(struct feature *f)
{
	uint32_t version = cur_u32(&f->c);
	int32_t id = (int32_t)cur_u32(&f->c);
	uint64_t wall = cur_u64(&f->c), time = cur_u64(&f->c);
	const char *clock = attr_clock_name(id);
	struct evwrite *w;

	if (!cur_ok(&f->c))
		return false;
	w = fact_begin(f->d, f->name);
	evw_u64(w, time);
	evw_tag_u64(w, SLICE("wall_ns"), wall);
	evw_tag_i64(w, SLICE("clockid"), id);
	if (clock != NULL)
		evw_tag_raw(w, SLICE("clock"), slice_of(clock));
	evw_tag_u64(w, SLICE("version"), version);
	fact_end(f->d, f->number);
	return true;
}

bool
facts_compressed(struct feature *f)
{
	uint32_t version = cur_u32(&f->c), type = cur_u32(&f->c), level = cur_u32(&f->c),
		 ratio = cur_u32(&f->c), mmap_len = cur_u32(&f->c);
	struct evwrite *w;

	if (!cur_ok(&f->c))
		return false;
	w = fact_begin(f->d, f->name);
	if (type == COMPRESSED_ZSTD)
		evw_raw(w, SLICE("zstd"));
	else
		evw_u64(w, type);
	evw_tag_u64(w, SLICE("version"), version);
	evw_tag_u64(w, SLICE("level"), level);
	evw_tag_u64(w, SLICE("ratio"), ratio);
	evw_tag_u64(w, SLICE("mmap_len"), mmap_len);
	fact_end(f->d, f->number);
	return true;
}
