/* SPDX-License-Identifier: ISC */
/* roles.c - which lines begin intervals, and which end them. */
#include <inttypes.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "src/pair/pair.h"
#include "src/select/select.h"

#define SHOWN_MAX 60 /* bytes of a word in a message */

/* The events that begin intervals, or those that end them. */
struct side {
	struct select *select;
	struct buf measure; /* as in the stream, if they are given by their measure */
	bool measured; /* some line has that measure */
	struct buf longer; /* a measure that ends with a colon and that name: raw_syscalls: */
	size_t reported; /* items of select_rest */
};

enum { FROM, TO, SIDES };

static const struct {
	const char *option;
	enum pair_roles role;
} sides[SIDES] = { { "from", PAIR_FROM }, { "to", PAIR_TO } };

/* What the user asked for. */
enum asked { ASKED_SIDES, ASKED_SCHED, ASKED_CALLS };

struct roles {
	struct side side[SIDES];
	enum asked asked;
	char kind[16]; /* of the last line, if it is short */
	size_t kind_len;
	bool event; /* a line of that kind is an event */
	uint64_t paired, sampled; /* events with a role; those of them that stand for several */
	bool sched_switch; /* there is this tracepoint, which roles_sched does not read */
	int reported; /* sides */
};

struct roles *
roles_new(void)
{
	struct roles *x = mem_zero(1, sizeof *x);
	int i;

	for (i = 0; x != NULL && i < SIDES; i++) {
		x->side[i].select = select_new();
		if (x->side[i].select == NULL) {
			roles_free(x);
			x = NULL;
		}
	}
	return x;
}

void
roles_free(struct roles *x)
{
	int i;

	for (i = 0; x != NULL && i < SIDES; i++) {
		select_free(x->side[i].select);
		buf_free(&x->side[i].measure);
		buf_free(&x->side[i].longer);
	}
	mem_free(x);
}

int
roles_set(struct roles *x, enum pair_roles role, const char *text, struct err *e)
{
	struct side *s = &x->side[role == PAIR_FROM ? FROM : TO];

	if (*text == '\0')
		return err_data(e, "expected a measure or a condition");
	if (strpbrk(text, "=!~<>") != NULL)
		return select_where(s->select, EXPR_AND, text, e);
	if (!esc_append(&s->measure, text, strlen(text), ESC_COLUMN))
		return err_nomem(e);
	return select_measure(s->select, text, e);
}

static int
set_both(struct roles *x, const char *from, const char *to, struct err *e)
{
	int rc = roles_set(x, PAIR_FROM, from, e);

	return rc != 0 ? rc : roles_set(x, PAIR_TO, to, e);
}

int
roles_sched(struct roles *x, struct err *e)
{
	x->asked = ASKED_SCHED;
	return set_both(x, "kind=switch && dir=out && tid!=0", "kind=switch && dir=in && tid!=0",
	    e);
}

int
roles_calls(struct roles *x, struct err *e)
{
	x->asked = ASKED_CALLS;
	return set_both(x, "kind=sample && measure~syscalls:sys_enter",
	    "kind=sample && measure~syscalls:sys_exit", e);
}

void
roles_ready(struct roles *x)
{
	int i;

	for (i = 0; i < SIDES; i++)
		select_ready(x->side[i].select);
}

void
roles_reads(const struct roles *x, ev_key_sink *sink, void *ctx)
{
	int i;

	for (i = 0; i < SIDES; i++)
		select_reads(x->side[i].select, sink, ctx);
}

/* Returns whether the line is an event, which may have a role. */
static bool
is_event(struct roles *x, struct slice name)
{
	if (short_eq(name, (struct slice){ x->kind, x->kind_len }))
		return x->event;
	x->event = kind_is_event(name);
	x->kind_len = name.len <= sizeof x->kind ? name.len : 0;
	memcpy(x->kind, name.p, x->kind_len);
	return x->event;
}

/* Notes the measure that a measure line defines. */
static void
see_measure(struct roles *x, const struct ev *ev)
{
	struct slice name = ev->col[EV_MEASURE];
	int i;

	x->sched_switch |= slice_eq(name, SLICE("sched:sched_switch"));
	for (i = 0; i < SIDES; i++) {
		struct side *s = &x->side[i];
		struct slice given = buf_slice(&s->measure);

		if (slice_eq(name, given))
			s->measured = true;
		else if (s->longer.len == 0 && given.len != 0 && name.len > given.len &&
		    name.p[name.len - given.len - 1] == ':' && slice_ends(name, given) &&
		    !buf_put(&s->longer, name.p, name.len))
			buf_free(&s->longer); /* then it is not suggested */
	}
}

/*
 * Counts an event, and whether it is a tracepoint of which only one in several was recorded: the
 * value is then the number of events since the last one.  The value of sched_stat_* is a time.
 */
static void
count_event(struct roles *x, const struct ev *ev)
{
	struct slice measure = ev->col[EV_MEASURE];
	uint64_t value;

	x->paired++;
	if (short_eq(ev->col[EV_VALUE], SLICE("1")) ||
	    memchr(measure.p, ':', measure.len) == NULL ||
	    slice_find(measure, SLICE("sched:sched_stat_")) == 0 ||
	    !short_eq(ev->col[EV_KIND], SLICE("sample")))
		return;
	x->sampled += num_get_u64(ev->col[EV_VALUE], &value) && value > 1;
}

int
roles_of(struct roles *x, const struct ev *ev, unsigned *roles, struct err *e)
{
	bool keep;
	int i, rc;

	*roles = 0;
	if (!is_event(x, ev->col[EV_KIND])) {
		if (short_eq(ev->col[EV_KIND], SLICE("measure")))
			see_measure(x, ev);
		return 0;
	}
	for (i = 0; i < SIDES; i++) {
		rc = select_line(x->side[i].select, ev, &keep, e);
		if (rc != 0)
			return rc;
		if (keep) {
			*roles |= sides[i].role;
			x->side[i].measured = true;
		}
	}
	if (*roles != 0)
		count_event(x, ev);
	return 0;
}

/* Describes a measure that no line has. */
static void
report_measure(const struct side *s, struct err *e)
{
	(void)err_data(e, "no line has the measure '%.*s'%s%.*s%s",
	    slice_shown(buf_slice(&s->measure), SHOWN_MAX), s->measure.p,
	    s->longer.len != 0 ? "; did you mean " : "",
	    slice_shown(buf_slice(&s->longer), SHOWN_MAX), s->longer.len != 0 ? s->longer.p : "",
	    s->longer.len != 0 ? "?" : "");
}

/* Describes that no line is one that roles_sched or roles_calls is about. */
static bool
report_none(const struct roles *x, struct err *e)
{
	if (x->asked == ASKED_CALLS)
		(void)err_data(e,
		    "--calls: no line is a system call: perf trace record, or perf record -e "
		    "'syscalls:*'");
	else
		(void)err_data(e, "--sched: no line is a switch of threads: %s",
		    x->sched_switch
			? "sched:sched_switch is paired as in \"Where threads sleep\" in "
			  "afpipe-cookbook(7)"
			: "perf record --switch-events, and perfdec --all");
	return true;
}

/* Stores the next item of a side. */
static bool
side_rest(struct side *s, struct err *e)
{
	if (select_rest(s->select, &s->reported, e))
		return true;
	if (s->measure.len == 0 || s->measured)
		return false;
	s->measured = true; /* once */
	report_measure(s, e);
	return true;
}

bool
roles_rest(struct roles *x, struct err *e)
{
	struct err item;

	if (x->asked != ASKED_SIDES && !x->side[FROM].measured && !x->side[TO].measured) {
		x->side[FROM].measured = true; /* once */
		x->reported = SIDES;
		return report_none(x, e);
	}
	for (; x->reported < SIDES; x->reported++) {
		if (!side_rest(&x->side[x->reported], &item))
			continue;
		(void)err_data(e, "--%s: %s", sides[x->reported].option, item.msg);
		e->code = item.code;
		return true;
	}
	return false;
}

bool
roles_sampled(const struct roles *x, struct err *e)
{
	if (x->sampled == 0)
		return false;
	(void)err_data(e,
	    "%" PRIu64 " of %" PRIu64 " events stand for several (perf record -F or -c): the "
	    "others were not recorded, and intervals skip them",
	    x->sampled, x->paired);
	e->code = ERR_NONE;
	return true;
}
