/* SPDX-License-Identifier: ISC */
/* decdef.c - the records that define: RunInfo and SectionInfo. */
#include <stdio.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/afperf/decint.h"

static enum dec
released(struct afperf_decode *d, enum dec rc)
{
	return d->failure.code != 0 ? DEC_FAILED : rc;
}

/* The line of an earlier definition, for messages. */
static unsigned long
line_of(const struct ids_entry *e)
{
	return e->line;
}

static enum dec
read_unit(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run, struct slice *unit)
{
	static const struct {
		struct slice name, unit;
		uint64_t scale;
	} units[] = {
		{ { "nanoseconds", 11 }, { "ns", 2 }, 1 },
		{ { "microseconds", 12 }, { "us", 2 }, 1000 },
		{ { "milliseconds", 12 }, { "ms", 2 }, 1000000 },
		{ { "seconds", 7 }, { "s", 1 }, 1000000000 },
	};
	struct slice s = record_field(&r->r, 2);
	size_t i;

	for (i = 0; i < sizeof units / sizeof units[0]; i++)
		if (slice_eq(s, units[i].name)) {
			run->scale = units[i].scale;
			*unit = units[i].unit;
			return DEC_DONE;
		}
	return dec_broken(d, r, 3, RULE_TIME_UNITS, "%s timestamp units%s%s",
	    s.len == 0 ? "no" : "bad", s.len == 0 ? "" : " ", dec_shown(d, s));
}

static enum dec
read_version(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    struct slice *version)
{
	uint64_t part[3];

	*version = SLICE(AFPERF_FORMAT_VERSION);
	if (r->at->run != 5)
		return DEC_DONE; /* one of the page's examples */
	*version = record_field(&r->r, 4);
	if (version->len == 0)
		return dec_broken(d, r, 5, RULE_VERSION, "no format version");
	if (!afperf_version_read(*version, part))
		return dec_broken(d, r, 5, RULE_VERSION, "bad format version %s",
		    dec_shown(d, *version));
	if (part[0] != 1)
		return dec_broken(d, r, 5, RULE_VERSION,
		    "run has format version %s under header v1", dec_shown(d, *version));
	run->minor = part[1];
	return DEC_DONE;
}

static bool
is_plain_decimal(struct slice s)
{
	size_t i = s.len > 0 && s.p[0] == '-', digits = 0;

	for (; i < s.len && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		digits++;
	if (i < s.len && s.p[i] == '.' && digits > 0)
		for (i++, digits = 0; i < s.len && s.p[i] >= '0' && s.p[i] <= '9'; i++)
			digits++;
	return i == s.len && digits > 0;
}

/* The wall clock: unchanged if it is plain digits, which a double might not hold exactly. */
static enum dec
read_wall(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run, struct slice *wall)
{
	enum dec rc;

	*wall = record_field(&r->r, 3);
	if (wall->len == 0) {
		dec_count(d, NOTE_NO_WALL, r->r.line);
		return DEC_DONE;
	}
	if (!is_plain_decimal(*wall)) {
		d->scratch.len = 0;
		rc = dec_double(d, r, 3, RULE_NUMBER, "wall clock");
		if (rc != DEC_DONE)
			return rc;
		*wall = buf_slice(&d->scratch);
	}
	if (!dec_wall_read(*wall, &run->wall))
		return dec_broken(d, r, 4, RULE_NUMBER, "no time of day: %s",
		    dec_shown(d, record_field(&r->r, 3)));
	return DEC_DONE;
}

static enum dec
add_run(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run, uint32_t *number)
{
	char id[DEC_REF_MAX], *name;
	size_t n;

	if (!vec_room(d->run, d->nruns, d->runs_cap))
		return dec_nomem(d);
	n = strlen(dec_ref_text(id, r->run));
	name = mem_alloc(n);
	if (name == NULL)
		return dec_nomem(d);
	memcpy(name, id, n);
	run->name = (struct slice){ name, n };
	run->start = r->time;
	*number = (uint32_t)d->nruns;
	d->run[d->nruns++] = *run;
	return DEC_DONE;
}

struct run_texts {
	struct slice unit, wall, version;
};

static void
put_run(struct afperf_decode *d, const struct dec_rec *r, const struct dec_run *run,
    const struct run_texts *t, const struct buf *tags)
{
	size_t app = (size_t)r->at->run + 1;
	unsigned i;

	dec_put_head(d, SLICE("run"), r, run);
	for (i = 0; i < 3; i++)
		evw_none(d->w);
	evw_tag_raw(d->w, SLICE("unit"), t->unit);
	if (t->wall.len != 0)
		evw_tag_raw(d->w, SLICE("wall"), t->wall);
	for (i = 0; i < 2; i++) {
		struct slice text = record_field(&r->r, app + i);

		if (text.len != 0)
			evw_tag_text(d->w, i == 0 ? SLICE("app") : SLICE("version"),
			    dec_text(d, text, AFPERF_FIELD));
	}
	evw_tag_text(d->w, SLICE("afperf"), t->version);
	dec_put_tags(d->w, buf_slice(tags));
	dec_put_end(d, r, run, IDS_NONE, r->at->n);
}

/* The tags follow the wall clock's text, which may be in d->scratch, too. */
static enum dec
define_run(struct afperf_decode *d, const struct dec_rec *r, uint32_t *number)
{
	struct dec_run run = { .scale = 0 };
	struct run_texts t;
	struct buf tags = { 0 };
	enum dec rc = read_unit(d, r, &run, &t.unit);

	if (rc == DEC_DONE)
		rc = read_version(d, r, &run, &t.version);
	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &run);
	if (rc == DEC_DONE)
		rc = read_wall(d, r, &run, &t.wall);
	if (rc == DEC_DONE)
		rc = dec_tags(d, r, r->at->n, &tags);
	if (rc == DEC_DONE)
		rc = add_run(d, r, &run, number);
	if (rc == DEC_DONE)
		put_run(d, r, &d->run[*number], &t, &tags);
	buf_free(&tags);
	return rc;
}

enum dec
dec_run_info(struct afperf_decode *d, const struct dec_rec *r)
{
	char id[DEC_REF_MAX];
	struct ids_entry *e = ids_get(&d->runs, 0, r->run.id, r->run.form == REF_BLANK);
	uint32_t number = 0, list;
	enum dec rc;

	if (e == NULL)
		return dec_nomem(d);
	if (e->state != IDS_AWAITED) {
		dec_doubt(d, r, r->at->run + (size_t)1, RULE_RUN_TWICE,
		    "run %s defined twice: the definition in line %lu is used",
		    dec_ref_text(id, r->run), line_of(e));
		return DEC_DONE;
	}
	rc = define_run(d, r, &number);
	if (rc != DEC_DONE)
		return rc;
	list = e->detail;
	e->detail = e->run = number;
	dec_set_defined(e, r, r->run, IDS_DONE);
	if (number == 0)
		d->first_run = e;
	rc = dec_release(d, &list);
	if (rc == DEC_DONE && d->nruns > 1)
		rc = dec_release(d, &d->wait_run);
	if (d->run[number].minor > 0) {
		d->later = true;
		if (rc == DEC_DONE)
			rc = dec_release(d, &d->wait_later);
	}
	return released(d, rc);
}

enum dec
dec_section_info(struct afperf_decode *d, const struct dec_rec *r)
{
	char id[DEC_REF_MAX];
	struct ids_entry *run, *e;
	uint32_t list, label;
	enum dec rc = dec_find_run(d, r, r->run, &run);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &d->run[run->detail]);
	if (rc != DEC_DONE)
		return rc;
	e = ids_get(&d->sections, 0, r->owner.id, r->owner.form == REF_BLANK);
	if (e == NULL)
		return dec_nomem(d);
	if (e->state != IDS_AWAITED)
		return dec_broken(d, r, r->at->owner + (size_t)1, RULE_UNIQUE,
		    "section %s defined twice (first in line %lu)", dec_ref_text(id, r->owner),
		    line_of(e));
	rc = dec_label(d, r, &label);
	if (rc != DEC_DONE)
		return rc;
	list = e->detail;
	e->detail = label;
	e->run = run->detail;
	dec_set_defined(e, r, r->owner, IDS_DONE);
	dec_put_head(d, SLICE("section"), r, &d->run[run->detail]);
	dec_put_label(d, label);
	evw_none(d->w);
	evw_none(d->w);
	dec_put_scope(d, SLICE("section"), e, NULL);
	dec_put_end(d, r, &d->run[run->detail], label, r->at->n);
	return dec_release(d, &list);
}
