/* SPDX-License-Identifier: ISC */
/*
 * evsort.c - checks sorting by run and time, stable for equal lines, in memory and in pieces on
 * disk.
 */
#include "lib/evsort.h"

#include <stdlib.h>

#include "lib/evread.h"
#include "t/unit/check.h"

#define COUNT 20000
#define LONG_LINE 200000 /* more than is read at once */

/* Writes the i-th line.  There are few runs and times, so many lines are equal. */
static void
write_line(struct check *c, FILE *fp, size_t i)
{
	uint64_t r = check_random(c);
	size_t n, pad = i % 5000 == 77 ? LONG_LINE : r % 40;

	fprintf(fp, "start\t%u\trun%u\tf\t.\t.", (unsigned)(r >> 8) % 50, (unsigned)(r >> 40) % 11);
	if (i % 3 != 0)
		fprintf(fp, "\tn=%zu\tb=", i);
	for (n = 0; i % 3 != 0 && n < pad; n++)
		fputc('x', fp);
	fputc('\n', fp);
}

static int
is_in_order(const struct ev *a, struct wide ta, const struct ev *b, struct wide tb)
{
	int order = slice_cmp(a->col[EV_RUN], b->col[EV_RUN]);

	if (order == 0)
		order = wide_cmp(ta, tb);
	return order < 0 || (order == 0 && a->number < b->number);
}

/* Checks that the tags are cut where the reader cuts them. */
static void
check_tags(struct check *c, const struct ev *ev)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;
	size_t i;

	for (i = 0; ev_next_tag(&rest, &tag); i++) {
		size_t len = ev->cut[i + 1] - ev->cut[i] - 1;

		CHECK(c, ev->base + ev->cut[i] + 1 == tag.key.p, "tag %zu", i);
		CHECK(c, len == tag.key.len + 1 + tag.value.len, "tag %zu", i);
	}
	CHECK(c, i == ev->ntags, "%zu tags, not %zu", i, ev->ntags);
	CHECK(c, ev->ntags == (ev->number % 3 == 1 ? 0 : 2), "line %llu",
	    (unsigned long long)ev->number);
}

static void
check_sorted(struct check *c, struct evsort *s, const char *name)
{
	static char kept[2][64];
	struct ev before = { 0 }, ev;
	struct wide then = { 0, 0 }, now;
	const char *file;
	struct err e;
	size_t n = 0, len;
	int rc;

	while ((rc = evsort_next(s, &file, &ev, &e)) > 0) {
		CHECK(c, file == name, "the file");
		CHECK(c, wide_get(ev.col[EV_TIME], &now) == WIDE_OK, "the time");
		CHECK(c, n == 0 || is_in_order(&before, then, &ev, now), "line %llu",
		    (unsigned long long)ev.number);
		check_tags(c, &ev);
		before = ev;
		then = now;
		len = ev.col[EV_RUN].len;
		memcpy(kept[n % 2], ev.col[EV_RUN].p, len);
		before.col[EV_RUN] = (struct slice){ kept[n % 2], len };
		n++;
	}
	CHECK(c, rc == 0, "%s", e.msg);
	CHECK(c, n == COUNT, "%zu lines", n);
}

static void
sort(struct check *c, char *name, size_t memory)
{
	struct evread *r = evread_open(&name, 1, 0);
	struct evsort *s = evsort_new(memory);
	struct wide time;
	struct ev ev;
	struct err e;
	int rc;

	if (r == NULL || s == NULL)
		abort();
	while ((rc = evread_next(r, &ev, &e)) > 0) {
		rc = wide_get(ev.col[EV_TIME], &time) != WIDE_OK ||
		    evsort_add(s, name, &ev, time, &e) != 0;
		CHECK(c, rc == 0, "%s", e.msg);
	}
	CHECK(c, rc == 0, "%s", e.msg);
	check_sorted(c, s, name);
	evread_close(r);
	evsort_free(s);
}

int
main(int argc, char **argv)
{
	static const size_t memories[] = { 1, 100, 3000, 100000, EVSORT_MEMORY };
	struct check c = { 0 };
	char name[4096];
	FILE *fp;
	size_t i;

	snprintf(name, sizeof name, "%s/lines", argc == 2 ? argv[1] : ".");
	fp = fopen(name, "w");
	if (fp == NULL)
		return 2;
	for (i = 0; i < COUNT; i++)
		write_line(&c, fp, i);
	if (fclose(fp) != 0)
		return 2;
	for (i = 0; i < sizeof memories / sizeof memories[0]; i++)
		sort(&c, name, memories[i]);
	return check_end(&c);
}
