/* SPDX-License-Identifier: ISC */
/* nesting.c - whether a group adds up values that contain each other. */
#include "src/aggregate/nesting.h"

#include <string.h>

#define SEEN_MAX ((size_t)65536) /* texts that are remembered */

/* What the texts in seen begin with; they end with a stack. */
#define REGION 'r' /* that of a line */
#define AROUND 'a' /* that of a region around it */

/* What texts about scopes begin with: the group alone, and after it that with its scope. */
#define SCOPED 's'
#define SCOPE 'c'

/* The same for results, which have a region and no stack. */
#define GROUP 'g'
#define RESULT 'e'

/* The same for results and the names of their keys. */
#define FORMED 'f'
#define FORM 'k'

void
nesting_free(struct nesting *n)
{
	tab_free(&n->seen);
	buf_free(&n->text);
	buf_free(&n->form);
}

unsigned
nesting_about(const struct ev *ev, struct slice scope)
{
	unsigned whole = ev_is_of_whole(ev) ? ABOUT_WHOLE : 0;

	if (ev_is_nested_measure(ev->col[EV_MEASURE]) || ev_is_self_measure(ev->col[EV_MEASURE]))
		return 0;
	return slice_eq(scope, SLICE("run"))    ? ABOUT_RUN | whole
	    : slice_eq(scope, SLICE("region"))  ? ABOUT_REGION | whole
	    : slice_eq(scope, SLICE("section")) ? ABOUT_SECTION | whole
						: 0;
}

bool
nesting_overlaps(unsigned about)
{
	unsigned scopes = about & (ABOUT_RUN | ABOUT_REGION | ABOUT_SECTION);

	return (about & ABOUT_WHOLE) != 0 || (scopes & (scopes - 1)) != 0;
}

bool
nesting_is_possible(const struct grouping *by)
{
	static const struct slice tells[] = { SLICE_INIT("stack"), SLICE_INIT("frame"),
		SLICE_INIT("leaf") };
	size_t i, t;

	for (i = 0; i < by->nkeys; i++) {
		if (by->key[i].column == EV_REGION || by->key[i].source == KEY_NEIGHBOUR)
			return false;
		for (t = 0; t < sizeof tells / sizeof tells[0]; t++)
			if (slice_eq(by->key[i].tag, tells[t]) && by->key[i].source != KEY_STACK)
				return false;
	}
	return true;
}

static bool
add_field(struct buf *b, struct slice s)
{
	return buf_putc(b, '\t') && buf_put(b, s.p, s.len);
}

/* Makes the text begin with the group, and a run: runs do not contain each other. */
static bool
begin_text(struct nesting *n, const struct grouping *by, const struct ev *ev,
    const struct slice *tag, struct slice run)
{
	size_t i;

	n->text.len = 0;
	if (!buf_putc(&n->text, REGION) || !add_field(&n->text, ev->col[EV_MEASURE]) ||
	    !add_field(&n->text, run))
		return false;
	for (i = 0; i < by->nkeys; i++)
		if (!add_field(&n->text, grouping_text(ev, tag, by->place[i])))
			return false;
	return true;
}

/* Adds a text of the same group, or returns TAB_NONE if memory runs out. */
static size_t
add_text(struct nesting *n, char as, size_t group, struct slice stack, bool *fresh)
{
	n->text.len = group;
	n->text.p[0] = as;
	return add_field(&n->text, stack) ? tab_add(&n->seen, buf_slice(&n->text), fresh)
					  : TAB_NONE;
}

/* Sets found if the last text is also there with AS. */
static void
look_for(struct nesting *n, char as)
{
	n->text.p[0] = as;
	n->found = n->found || tab_find(&n->seen, buf_slice(&n->text)) != TAB_NONE;
}

/*
 * Adds the text of a group as GROUP and, with the fields of a value, as VALUE.  Sets *several if
 * the group already has another value.
 */
static bool
see_value(struct nesting *n, char group, char value, const struct slice *field, size_t fields,
    bool *several)
{
	bool first, fresh;
	size_t i;

	n->text.p[0] = group;
	if (tab_add(&n->seen, buf_slice(&n->text), &first) == TAB_NONE)
		return false;
	for (i = 0; i < fields; i++)
		if (!add_field(&n->text, field[i]))
			return false;
	n->text.p[0] = value;
	if (tab_add(&n->seen, buf_slice(&n->text), &fresh) == TAB_NONE)
		return false;
	*several = *several || (fresh && !first);
	return true;
}

/*
 * Adds a line with a scope to its group.  Sets mixed if the group already has another scope, or the
 * value of another whole region.
 */
static bool
see_scope(struct nesting *n, const struct ev *ev, struct slice scope)
{
	const struct slice field[] = { scope, ev->col[EV_REGION] };
	size_t fields = n->regions && ev_is_of_whole(ev) ? 2 : 1;

	return see_value(n, SCOPED, SCOPE, field, fields, &n->mixed);
}

/* Adds a result of a region to its group.  Sets pooled if the group already has another region. */
static bool
see_result(struct nesting *n, const struct ev *ev)
{
	return see_value(n, GROUP, RESULT, &ev->col[EV_REGION], 1, &n->pooled);
}

/* Returns true for a result of afagg, which has n, that is added up. */
static bool
has_form(const struct nesting *n, const struct ev *ev)
{
	struct slice stat = ev_get(ev, SLICE("stat"));

	return n->forms && !n->formed && slice_eq(ev->col[EV_KIND], SLICE("agg")) &&
	    !slice_is_nothing(ev_get(ev, SLICE("n"))) &&
	    !(n->joins && (slice_eq(stat, SLICE("min")) || slice_eq(stat, SLICE("max"))));
}

/*
 * Adds a result to its group with the names of its keys, which come before the statistic.  Sets
 * formed if the group already has a result of the run and the statistic with others; of any run if
 * their mean is wanted, since they are not of the same sort.
 */
static bool
see_form(struct nesting *n, const struct grouping *by, const struct ev *ev, const struct slice *tag)
{
	struct slice rest = ev->tags;
	struct ev_tag key;
	struct slice run = n->means ? SLICE(".") : ev->col[EV_RUN];
	bool ok = begin_text(n, by, ev, tag, run) &&
	    add_field(&n->text, ev_get(ev, SLICE("stat"))) &&
	    add_field(&n->text, ev_get(ev, SLICE("of")));

	n->form.len = 0;
	while (ok && ev_next_tag(&rest, &key) && !slice_eq(key.key, SLICE("stat")))
		ok = buf_put(&n->form, key.key.p, key.key.len) && buf_putc(&n->form, ',');
	return ok && buf_putc(&n->form, '.') &&
	    see_value(n, FORMED, FORM, &(struct slice){ n->form.p, n->form.len }, 1, &n->formed);
}

/* Adds a line with a stack to its group, whose text has been begun.  Sets found. */
static bool
see_stack(struct nesting *n, struct slice stack)
{
	struct slice rest, element;
	size_t group = n->text.len;
	bool fresh;

	if (add_text(n, REGION, group, stack, &fresh) == TAB_NONE)
		return false;
	look_for(n, AROUND);
	rest = stack;
	while (fresh && ev_next_element(&rest, &element) && rest.p != NULL) {
		struct slice outer = { stack.p, (size_t)(element.p + element.len - stack.p) };

		if (add_text(n, AROUND, group, outer, NULL) == TAB_NONE)
			return false;
		look_for(n, REGION);
	}
	return true;
}

/* Returns true for a result of a region that is a part of a sum or a mean. */
static bool
is_result(const struct ev *ev)
{
	struct slice stat = ev_get(ev, SLICE("stat"));

	return slice_eq(ev->col[EV_KIND], SLICE("agg")) && !slice_is_nothing(ev->col[EV_REGION]) &&
	    (slice_eq(stat, SLICE("sum")) || slice_eq(stat, SLICE("mean")));
}

/* What a line shows. */
enum sight { NOTHING, A_SCOPE, A_STACK, A_RESULT };

static enum sight
sight_of(const struct nesting *n, const struct ev *ev, struct slice *text)
{
	if (!ev_is_nested_measure(ev->col[EV_MEASURE]))
		return !n->mixed && ev_tag(ev, SLICE("scope"), text) && nesting_about(ev, *text)
		    ? A_SCOPE
		    : NOTHING;
	if (!n->regions)
		return NOTHING;
	if (ev_tag(ev, SLICE("stack"), text))
		return n->found ? NOTHING : A_STACK;
	return !n->pooled && is_result(ev) ? A_RESULT : NOTHING;
}

/* Returns true if there is nothing more to find. */
static bool
is_done(const struct nesting *n)
{
	return (n->found || n->pooled) && n->mixed && (!n->forms || n->formed);
}

bool
nesting_see(struct nesting *n, const struct grouping *by, const struct ev *ev,
    const struct slice *tag)
{
	struct slice text;
	enum sight sight = sight_of(n, ev, &text);
	bool ok = !has_form(n, ev) || see_form(n, by, ev, tag);

	ok = ok && (sight == NOTHING || begin_text(n, by, ev, tag, ev->col[EV_RUN]));
	switch (sight) {
	case NOTHING: break;
	case A_SCOPE: ok = ok && see_scope(n, ev, text); break;
	case A_STACK: ok = ok && see_stack(n, text); break;
	case A_RESULT: ok = ok && see_result(n, ev); break;
	}
	n->watching = !is_done(n) && n->seen.count < SEEN_MAX;
	return ok;
}

void
nesting_forget(struct nesting *n)
{
	tab_free(&n->seen);
	n->forms = n->watching = false;
}

/* What has been found, for partial results. */
static const struct slice findings[] = { SLICE_INIT("found"), SLICE_INIT("mixed") };

/* Returns true if a text may still show that a group has values that contain each other. */
static bool
is_needed(const struct nesting *n, const struct grouping *by, char as)
{
	switch (as) {
	case REGION:
	case AROUND: return !n->found;
	/* a group whose keys are the scope and the region has only one of each */
	case SCOPE: return !n->mixed && (n->regions || !grouping_has(by, SLICE("scope")));
	default: return false;
	}
}

struct slice
nesting_next_text(const struct nesting *n, const struct grouping *by, size_t *at)
{
	const bool is[] = { n->found, n->mixed };
	size_t i;

	while (*at < 2) {
		i = (*at)++;
		if (is[i])
			return findings[i];
	}
	while (*at < 2 + n->seen.count) {
		struct slice text = n->seen.item[(*at)++ - 2];

		if (is_needed(n, by, text.p[0]))
			return text;
	}
	return (struct slice){ NULL, 0 };
}

/* Takes the text of a group with its scope, which follows the measure, the run and the keys. */
static int
take_scope(struct nesting *n, const struct grouping *by, struct slice text, struct err *e)
{
	struct slice rest = text, field;
	size_t i;

	for (i = 0; i < 3 + by->nkeys; i++)
		(void)slice_cut(&rest, '\t', &field);
	if (rest.len == 0)
		return err_data(e, "the tag part.nested is damaged");
	n->text.len = 0;
	if (!buf_put(&n->text, text.p, text.len - rest.len - 1) ||
	    !see_value(n, SCOPED, SCOPE, &rest, 1, &n->mixed))
		return err_nomem(e);
	return 0;
}

/* Takes the text of a group with a stack.  Returns false if memory runs out. */
static bool
take_stack(struct nesting *n, struct slice text)
{
	n->text.len = 0;
	if (!buf_put(&n->text, text.p, text.len) || tab_add(&n->seen, text, NULL) == TAB_NONE)
		return false;
	look_for(n, text.p[0] == REGION ? AROUND : REGION);
	return true;
}

int
nesting_take_text(struct nesting *n, const struct grouping *by, struct slice text, struct err *e)
{
	n->regions = nesting_is_possible(by);
	if (slice_eq(text, findings[0]))
		n->found = true;
	else if (slice_eq(text, findings[1]))
		n->mixed = true;
	else if (text.len < 2 || text.p[1] != '\t' || strchr("rac", text.p[0]) == NULL)
		return err_data(e, "the tag part.nested is damaged");
	else if (n->seen.count >= SEEN_MAX || !is_needed(n, by, text.p[0]))
		return 0;
	else if (text.p[0] == SCOPE)
		return take_scope(n, by, text, e);
	else if (!take_stack(n, text))
		return err_nomem(e);
	return 0;
}

bool
nesting_join(struct nesting *n, const struct nesting *from)
{
	bool first = false, fresh;
	size_t i;

	n->found = n->found || from->found;
	n->mixed = n->mixed || from->mixed;
	n->pooled = n->pooled || from->pooled;
	n->formed = n->formed || from->formed;
	for (i = 0; !is_done(n) && i < from->seen.count; i++) {
		struct slice text = from->seen.item[i];

		n->text.len = 0;
		if (!buf_put(&n->text, text.p, text.len) ||
		    tab_add(&n->seen, text, &fresh) == TAB_NONE)
			return false;
		switch (text.p[0]) {
		case SCOPED:
		case FORMED:
		case GROUP: first = fresh; break;
		/* the only one of its group, which is before it */
		case SCOPE: n->mixed = n->mixed || (fresh && !first); break;
		case RESULT: n->pooled = n->pooled || (fresh && !first); break;
		case FORM: n->formed = n->formed || (fresh && !first); break;
		case REGION: look_for(n, AROUND); break;
		case AROUND: look_for(n, REGION); break;
		}
	}
	return true;
}
