/* SPDX-License-Identifier: ISC */
/* facts_text.c - facts of the header that are one text or one number, and the command line. */
#include "src/perfdata/header/facts.h"

bool
facts_one_text(struct feature *f)
{
	struct slice s;

	if (!fact_string(&f->c, &s))
		return false;
	fact_text(f, f->name, s);
	return true;
}

bool
facts_one_u64(struct feature *f)
{
	uint64_t v = cur_u64(&f->c);

	if (!cur_ok(&f->c))
		return false;
	fact_u64(f, f->name, v);
	return true;
}

bool
facts_one_u32(struct feature *f)
{
	uint32_t v = cur_u32(&f->c);

	if (!cur_ok(&f->c))
		return false;
	fact_u64(f, f->name, v);
	return true;
}

/* Its presence is the whole fact. */
bool
facts_flag(struct feature *f)
{
	evw_none(fact_begin(f->d, f->name));
	fact_end(f->d, f->number);
	return true;
}

/* The other features that count processors come after this one. */
bool
facts_nr_cpus(struct feature *f)
{
	uint32_t available = cur_u32(&f->c), online = cur_u32(&f->c);

	if (!cur_ok(&f->c))
		return false;
	f->d->facts.cpus = available;
	fact_u64(f, "nr_cpus_available", available);
	fact_u64(f, "nr_cpus_online", online);
	return true;
}

bool
facts_total_mem(struct feature *f)
{
	uint64_t v = cur_u64(&f->c);
	struct evwrite *w;

	if (!cur_ok(&f->c))
		return false;
	w = fact_begin(f->d, f->name);
	evw_u64(w, v);
	evw_tag_raw(w, SLICE("unit"), SLICE("KiB"));
	fact_end(f->d, f->number);
	return true;
}

/* The words as a list; feature.c has made the whole command line from them. */
bool
facts_cmdline(struct feature *f)
{
	const struct buf *line = &f->d->facts.cmdline;
	uint32_t n = cur_u32(&f->c), i;
	struct cur walk = f->c;
	struct evwrite *w;
	struct slice s;

	for (i = 0; i < n; i++)
		if (!fact_string(&walk, &s))
			return false;
	if (!cur_ok(&f->c))
		return false;
	w = fact_begin(f->d, f->name);
	if (line->len != 0)
		evw_raw(w, buf_slice(line));
	else
		evw_none(w);
	evw_tag_begin(w, SLICE("argv"));
	for (i = 0; i < n && fact_string(&f->c, &s); i++) {
		evw_bytes(w, ";", i > 0);
		evw_element(w, s);
	}
	evw_bytes(w, ".", n == 0);
	evw_tag_end(w, SLICE("argv"));
	fact_end(f->d, f->number);
	return true;
}
