/* SPDX-License-Identifier: ISC */
/*
 * sums.c - checks that what the live table shows needs no more memory than there is: with every
 * ceiling, up to one that is enough, lines and tables succeed or fail with a reason, and nothing
 * is kept.
 */
#include "src/top/sums.h"

#include <string.h>

#include "lib/mem.h"
#include "t/unit/check.h"

#define OFFSETS 64
#define STEP ((uint64_t)2048) /* from one ceiling to the next */
#define SECOND ((uint64_t)1000000000)

static const char *const lines[] = {
	"measure\t.\t1\t.\tm\t.\tunit=ns",
	"sample\t1\t1\tf\tm\t1\tstack=main;g;f",
	"sample\t1000000000\t1\tf\tm\t2\tstack=main;f",
	"measure\t.\t1\t.\tk\t.\tunit=count",
	"sample\t1500000000\t1\tg\tm\t4\tstack=main;g",
	"sample\t2500000000\t1\tf\tk\t8\tstack=main;f",
	"measure\t.\t1\t.\tk\t.\tunit=events",
	"sample\t3500000000\t1\tg\tk\t16\tstack=main;f;g",
};

/* Takes all lines.  Returns 0 or why it stopped. */
static int
take_lines(struct sums *s, struct err *e)
{
	uint32_t at[OFFSETS];
	struct ev ev;
	size_t i;

	if (sums_ready(s, e) != 0 || sums_want_live(s, e) != 0)
		return e->code;
	sums_want_windows(s, SECOND);
	for (i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		if (!ev_cut(slice_of(lines[i]), at, OFFSETS, &ev))
			return err_data(e, "a line with too many tags");
		if (sums_line(s, &ev, e) != 0)
			return e->code;
	}
	return 0;
}

/* Makes each table.  Returns how many there are. */
static int
make_tables(struct check *c, struct sums *s)
{
	struct sums_view view = { .function = SLICE("f") };
	struct table *t;
	struct err e;
	int part, rc, made = 0;

	for (part = SUMS_ALL; part <= SUMS_CALLEES; part++) {
		view.part = (enum sums_part)part;
		rc = sums_table(s, &view, &t, &e);
		CHECK(c, rc == 0 || rc == ERR_SYS || rc == ERR_DOUBT, "%d: %s", part, e.msg);
		if (rc != 0)
			continue;
		CHECK(c, table_count(t) == (part == SUMS_WINDOW ? 1 : 3), "%d: %zu", part,
		    table_count(t));
		CHECK(c, part != SUMS_WINDOW || view.from == 2 * SECOND, "%d", part);
		table_close(t);
		made++;
	}
	return made;
}

/* Does all of it with a ceiling.  Returns whether there was enough memory. */
static bool
enough(struct check *c, uint64_t lines_ceiling, uint64_t tables_ceiling)
{
	uint64_t before = mem_used();
	struct sums *s;
	struct err e;
	int rc, made = 0;

	mem_set_ceiling(before + lines_ceiling);
	s = sums_new();
	rc = s == NULL ? (int)ERR_SYS : take_lines(s, &e);
	CHECK(c, rc == 0 || rc == ERR_SYS, "%s", e.msg);
	if (rc == 0) {
		mem_set_ceiling(before + tables_ceiling);
		made = make_tables(c, s);
	}
	sums_free(s);
	CHECK(c, mem_used() == before, "%llu bytes are kept with %llu and %llu",
	    (unsigned long long)(mem_used() - before), (unsigned long long)lines_ceiling,
	    (unsigned long long)tables_ceiling);
	mem_set_ceiling(UINT64_MAX);
	return made == SUMS_CALLEES + 1;
}

int
main(void)
{
	struct check c = { 0 };
	uint64_t room;

	CHECK(&c, enough(&c, UINT64_MAX / 2, UINT64_MAX / 2), "all");
	for (room = 0; !enough(&c, room, UINT64_MAX / 2); room += STEP)
		continue;
	for (room = 0; !enough(&c, UINT64_MAX / 2, room); room += STEP)
		continue;
	return check_end(&c);
}
