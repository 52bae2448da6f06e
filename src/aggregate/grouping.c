/* SPDX-License-Identifier: ISC */
/* grouping.c - the keys that divide lines into groups, and their texts on each line. */
#include "src/aggregate/grouping.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "lib/wide.h"
#include "lib/number.h"

const char grouping_nothing[] = ".";

#define SHOWN_MAX 100 /* bytes of a word shown in a message */
#define DEPTH_MAX 100000 /* of stack:N */

/* The tags that afagg adds to its own lines.  They cannot be keys. */
static const char *const own_tags[] = { "stat", "start", "n", "of", "by", "total", "windows",
	"percentile" };

/* The keys that are computed if a line has no such tag, and the tag that they are computed from. */
static const struct {
	struct slice name;
	enum key_source source;
	struct slice from;
} computed[] = {
	{ SLICE_INIT("pcomm"), KEY_PCOMM, SLICE_INIT("pid") }, /* and tid and comm */
	{ SLICE_INIT("frame"), KEY_FRAME, SLICE_INIT("stack") },
	{ SLICE_INIT("leaf"), KEY_LEAF, SLICE_INIT("stack") },
	{ SLICE_INIT("caller"), KEY_CALLER, SLICE_INIT("stack") },
	{ SLICE_INIT("root"), KEY_ROOT, SLICE_INIT("stack") },
};

#define COMPUTED (sizeof computed / sizeof computed[0])

void
grouping_free(struct grouping *g)
{
	size_t i;

	for (i = 0; i < GROUPING_KEYS_MAX; i++) {
		buf_free(&g->text[i]);
		if (g->key[i].neighbour != NULL)
			neighbour_free(g->key[i].neighbour);
		mem_free(g->key[i].neighbour);
	}
	keys_free(&g->wanted);
	tab_free(&g->names);
	tab_free(&g->runs);
	mem_free(g->run_from);
}

/* Settings. */

int
grouping_intern(struct tab *tab, struct slice word, enum esc_as as, struct slice *out,
    struct err *e)
{
	struct buf text = { 0 };
	size_t number;
	bool fresh;

	if (word.len == 0)
		return err_data(e, "empty word in a list: no blanks around commas");
	number = esc_append(&text, word.p, word.len, as) ? tab_add(tab, buf_slice(&text), &fresh)
							 : TAB_NONE;
	buf_free(&text);
	if (number == TAB_NONE)
		return err_nomem(e);
	*out = tab->item[number];
	if (!fresh)
		return err_data(e, "\"%.*s\" is given twice", slice_shown(*out, SHOWN_MAX), out->p);
	return 0;
}

bool
grouping_has(const struct grouping *g, struct slice tag)
{
	size_t i;

	for (i = 0; i < g->nkeys; i++)
		if (slice_eq(g->key[i].tag, tag))
			return true;
	return false;
}

size_t
grouping_find_key(const struct grouping *g, struct slice name)
{
	size_t i;

	for (i = 0; i < g->nkeys; i++)
		if (slice_eq(g->key[i].name, name) || slice_eq(g->key[i].tag, name))
			return i;
	return GROUPING_NONE;
}

/* Reads the depth of "stack:N".  Returns ERR_DATA if it is none or 0. */
static int
set_depth(struct key *key, struct err *e)
{
	struct slice depth = { key->name.p + 6, key->name.len - 6 };
	int64_t n;

	if (!num_get_i64(depth, &n) || n == 0 || n > DEPTH_MAX || n < -DEPTH_MAX)
		return err_data(e, "\"%.*s\": expected stack:N or stack:-N, with N from 1 to %d",
		    slice_shown(key->name, SHOWN_MAX), key->name.p, DEPTH_MAX);
	key->source = KEY_STACK;
	key->depth = (int)n;
	key->tag = SLICE("stack");
	return 0;
}

/* The keys with a function, which is a name after ':' or a regular expression after '~'. */
static const struct {
	struct slice tag;
	enum neighbour_side side;
} neighbours[] = {
	{ SLICE_INIT("caller"), NEIGHBOUR_CALLER },
	{ SLICE_INIT("callee"), NEIGHBOUR_CALLEE },
};

#define NEIGHBOURS (sizeof neighbours / sizeof neighbours[0])

/* Returns the number of a key with a function, or NEIGHBOURS for any other. */
static size_t
neighbour_named(struct slice name)
{
	size_t i = 0, n;

	for (; i < NEIGHBOURS; i++) {
		n = neighbours[i].tag.len;
		if (name.len > n && (name.p[n] == ':' || name.p[n] == '~') &&
		    memcmp(name.p, neighbours[i].tag.p, n) == 0)
			break;
	}
	return i;
}

/* Reads the function of a key, as the user spelled it. */
static int
set_function(struct key *key, struct slice word, struct err *e)
{
	size_t i = neighbour_named(word), n = neighbours[i].tag.len + 1;
	struct slice function = { word.p + n, word.len - n };
	struct buf column = { 0 };
	int rc;

	if (function.len == 0)
		return err_data(e, "\"%.*s\": a function is expected at the end",
		    slice_shown(word, SHOWN_MAX), word.p);
	key->neighbour = mem_zero(1, sizeof *key->neighbour);
	if (key->neighbour == NULL || !esc_append(&column, function.p, function.len, ESC_COLUMN))
		rc = err_nomem(e);
	else if (word.p[n - 1] == '~')
		rc = neighbour_set_pattern(key->neighbour, neighbours[i].side, function, e);
	else
		rc = neighbour_set(key->neighbour, neighbours[i].side, buf_slice(&column), e);
	buf_free(&column);
	return rc;
}

/* Finds what the key is computed from.  Returns ERR_DATA if it cannot be a key. */
static int
classify(struct key *key, struct err *e)
{
	size_t i = neighbour_named(key->name);

	key->tag = key->name;
	if (i < NEIGHBOURS) {
		key->source = KEY_NEIGHBOUR;
		key->tag = neighbours[i].tag;
		return 0;
	}
	if (slice_begins(key->name, SLICE("stack:")))
		return set_depth(key, e);
	for (i = 0; i < COMPUTED; i++)
		if (slice_eq(key->name, computed[i].name))
			key->source = computed[i].source;
	for (i = 0; i < sizeof own_tags / sizeof own_tags[0]; i++)
		if (slice_eq(key->name, slice_of(own_tags[i])))
			return err_data(e, "\"%s\" cannot be a key: it is a tag of the results",
			    own_tags[i]);
	if (slice_begins(key->name, SLICE("agg.")) || slice_begins(key->name, SLICE("part.")))
		return err_data(e, "\"%.*s\" cannot be a key: it is a tag of partial results",
		    slice_shown(key->name, SHOWN_MAX), key->name.p);
	return 0;
}

static int
add_key(struct grouping *g, struct slice word, struct err *e)
{
	struct key key = { .source = KEY_PLACE };

	key.optional = word.len > 1 && word.p[word.len - 1] == '?';
	word.len -= key.optional;
	if (grouping_intern(&g->names, word, ESC_KEY, &key.name, e) != 0 || classify(&key, e) != 0)
		return (int)e->code;
	key.column = ev_column_named(key.tag);
	if (g->nkeys == GROUPING_KEYS_MAX)
		return err_data(e, "more than %d keys", GROUPING_KEYS_MAX);
	if (grouping_has(g, key.tag))
		return err_data(e, "two keys would have the same tag, %.*s",
		    slice_shown(key.tag, SHOWN_MAX), key.tag.p);
	g->key[g->nkeys++] = key;
	return key.source == KEY_NEIGHBOUR ? set_function(&g->key[g->nkeys - 1], word, e) : 0;
}

int
grouping_set_keys(struct grouping *g, const char *list, struct err *e)
{
	while (list != NULL) {
		size_t n = strcspn(list, ",");

		if (add_key(g, (struct slice){ list, n }, e) != 0)
			return (int)e->code;
		list = list[n] == ',' ? list + n + 1 : NULL;
	}
	return 0;
}

/* Reads a duration above 0 that has a unit. */
static bool
get_duration(struct slice s, uint64_t *ns)
{
	struct wide v;

	if (s.len == 0 || (s.p[s.len - 1] >= '0' && s.p[s.len - 1] <= '9') ||
	    !wide_get_duration(s, &v) || v.hi != 0 || v.lo == 0)
		return false;
	*ns = v.lo;
	return true;
}

int
grouping_set_window(struct grouping *g, const char *text, struct err *e)
{
	size_t n = strcspn(text, "/");
	struct time_window *w = &g->window;

	if (!get_duration((struct slice){ text, n }, &w->size))
		return err_data(e, "\"%s\" is not a duration such as 100ms or 1.5s", text);
	w->step = w->size;
	if (text[n] == '/' && !get_duration(slice_of(text + n + 1), &w->step))
		return err_data(e, "\"%s\" is not a duration such as 100ms or 1.5s", text + n + 1);
	if (w->size % w->step != 0)
		return err_data(e, "the size of a window must be a multiple of the step");
	if (w->size / w->step > GROUPING_OVERLAP_MAX)
		return err_data(e, "a line would be in more than %d windows", GROUPING_OVERLAP_MAX);
	return 0;
}

int
grouping_set_from(struct grouping *g, const char *text, struct err *e)
{
	struct slice s = slice_of(text);

	g->window.from_first = slice_eq(s, SLICE("first"));
	if (g->window.from_first || num_get_u64(s, &g->window.from) ||
	    get_duration(s, &g->window.from))
		return 0;
	return err_data(e, "\"%s\" is neither a time in nanoseconds, a duration, nor \"first\"",
	    text);
}

/* Lines are searched for this tag even if a column has the same name. */
static size_t
tag_place(struct grouping *g, struct slice name)
{
	return EV_COLUMNS + ev_keys_add(&g->tags, name);
}

size_t
grouping_place(struct grouping *g, struct slice name)
{
	enum ev_column column = ev_column_named(name);
	size_t i;

	if (column != EV_COLUMNS)
		return column;
	for (i = 0; i < g->tags.count; i++)
		if (slice_eq(g->tags.key[i], name))
			return EV_COLUMNS + i;
	return tag_place(g, name);
}

size_t
grouping_own_place(struct grouping *g)
{
	return EV_COLUMNS + g->tags.count++;
}

static void
add_window_key(struct grouping *g)
{
	g->windowed = g->nkeys++;
	g->key[g->windowed] = (struct key){ .name = SLICE("window"),
		.tag = SLICE("window"),
		.column = EV_COLUMNS,
		.source = KEY_WINDOW,
		.optional = true };
}

void
grouping_add_tag(struct grouping *g, struct slice name)
{
	g->key[g->nkeys++] = (struct key){ .name = name,
		.tag = name,
		.column = ev_column_named(name),
		.optional = true };
}

static struct slice
name_to_want(const struct key *key)
{
	size_t i;

	if (key->source == KEY_STACK || key->source == KEY_NEIGHBOUR)
		return SLICE("stack");
	for (i = 0; i < COMPUTED; i++)
		if (key->source == computed[i].source)
			return computed[i].from;
	return key->name;
}

void
grouping_reads(const struct grouping *g, ev_key_sink *sink, void *ctx)
{
	size_t i;

	for (i = 0; i < g->nkeys; i++) {
		if (g->key[i].optional && !ev_is_of_run(g->key[i].name))
			continue;
		if (g->key[i].source == KEY_PCOMM)
			ev_reads(g->key[i].name, sink, ctx);
		else
			sink(ctx, name_to_want(&g->key[i]));
	}
}

/* Finds the places of the texts that keys are computed from. */
static void
find_sources(struct grouping *g)
{
	g->stack = grouping_place(g, SLICE("stack"));
	g->comm = grouping_place(g, SLICE("comm"));
	g->pid = grouping_place(g, SLICE("pid"));
	g->tid = grouping_place(g, SLICE("tid"));
}

static void
find_places(struct grouping *g)
{
	size_t i;

	g->frame = g->windowed = GROUPING_NONE;
	if (g->window.size != 0)
		add_window_key(g);
	for (i = 0; i < g->nkeys; i++) {
		struct key *key = &g->key[i];

		g->place[i] =
		    key->source == KEY_STACK ? grouping_own_place(g) : grouping_place(g, key->tag);
		if (key->source == KEY_FRAME)
			g->frame = i;
		g->computes |= key->source != KEY_PLACE;
		g->unrecorded |= !key->optional;
	}
}

/* Wants the key, or what it is computed from: unless it has an argument, its tag will do, too. */
static bool
want_key(struct grouping *g, const struct key *key)
{
	struct slice name = name_to_want(key);

	if (slice_eq(name, key->name))
		return keys_want(&g->wanted, name);
	return key->source == KEY_STACK || key->source == KEY_NEIGHBOUR
	    ? keys_want_for(&g->wanted, name, key->name)
	    : keys_want_or(&g->wanted, name, key->name);
}

static bool
want_keys(struct grouping *g)
{
	size_t i;

	for (i = 0; i < g->nkeys; i++)
		if (!g->key[i].optional && !want_key(g, &g->key[i]))
			return false;
	return true;
}

/* Makes room for the texts of keys that are columns or, on results, tags of these names. */
static void
prefer_tags(struct grouping *g)
{
	size_t i;

	for (i = 0; i < g->nkeys; i++)
		if (ev_result_has_tag(g->key[i].column)) {
			g->key[i].source = KEY_TAGGED;
			g->place[i] = grouping_own_place(g);
			g->computes = true;
		}
}

/* Goes on when the places are found. */
static bool
be_ready(struct grouping *g)
{
	if (g->computes)
		find_sources(g);
	return want_keys(g);
}

bool
grouping_ready_for_events(struct grouping *g)
{
	find_places(g);
	return be_ready(g);
}

bool
grouping_ready_for_mixed(struct grouping *g)
{
	find_places(g);
	prefer_tags(g);
	return be_ready(g);
}

bool
grouping_ready_for_results(struct grouping *g)
{
	size_t i;

	find_places(g);
	g->computes = false;
	for (i = 0; i < g->nkeys; i++) {
		if (g->key[i].source == KEY_STACK)
			g->place[i] = grouping_place(g, g->key[i].tag);
		else if (ev_result_has_tag(g->key[i].column))
			g->place[i] = tag_place(g, g->key[i].tag);
	}
	return want_keys(g);
}

/* The texts of a line. */

/* If a tag is repeated, the first one is used. */
void
grouping_find_tags(const struct grouping *g, const struct ev *ev, struct slice *tag)
{
	struct slice value;
	size_t i, n;

	for (i = 0; i < g->tags.count; i++)
		tag[i] = (struct slice){ grouping_nothing, 1 };
	for (i = 0; i < ev->ntags; i++) {
		n = ev_keys_find(&g->tags, ev_tag_at(ev, i), &value);
		if (n != EV_KEYS_MAX && tag[n].p == grouping_nothing)
			tag[n] = value;
	}
}

/* Returns the last N elements of a list, or all of them. */
static struct slice
innermost(struct slice list, size_t n)
{
	size_t i = list.len;

	while (i > 0 && !(list.p[i - 1] == ';' && --n == 0))
		i--;
	return (struct slice){ list.p + i, list.len - i };
}

/* Returns the first N elements of a list, or all of them. */
static struct slice
outermost(struct slice list, size_t n)
{
	size_t i = 0;

	while (i < list.len && !(list.p[i] == ';' && --n == 0))
		i++;
	return (struct slice){ list.p, i };
}

static struct slice
caller(struct slice stack)
{
	struct slice leaf = innermost(stack, 1);
	struct slice above = { stack.p, stack.len - leaf.len };

	if (above.len == 0)
		return (struct slice){ grouping_nothing, 1 };
	above.len--;
	return innermost(above, 1);
}

/* Returns the text of a computed key, still as in the list. */
static struct slice
compute(const struct grouping *g, const struct key *key, const struct ev *ev,
    const struct slice *tag)
{
	struct slice stack = grouping_text(ev, tag, g->stack), pid;

	switch (key->source) {
	case KEY_LEAF: return innermost(stack, 1);
	case KEY_CALLER: return caller(stack);
	case KEY_ROOT: return outermost(stack, 1);
	case KEY_STACK:
		return key->depth > 0 ? outermost(stack, (size_t)key->depth)
				      : innermost(stack, (size_t)-key->depth);
	case KEY_PCOMM:
		pid = grouping_text(ev, tag, g->pid);
		if (!slice_is_nothing(pid) && slice_eq(pid, grouping_text(ev, tag, g->tid)))
			return grouping_text(ev, tag, g->comm);
		break;
	case KEY_PLACE:
	case KEY_TAGGED:
	case KEY_NEIGHBOUR:
	case KEY_FRAME:
	case KEY_WINDOW: break;
	}
	return (struct slice){ grouping_nothing, 1 };
}

/* Computes the text of one key, unless the line has it as a tag.  p is NULL if memory runs out. */
static struct slice
compute_key(struct grouping *g, size_t i, const struct ev *ev, const struct slice *tag)
{
	const struct key *key = &g->key[i];
	struct slice text = tag[g->place[i] - EV_COLUMNS];

	if (key->source == KEY_TAGGED)
		return ev_of_group(ev, key->column);
	if (text.p != grouping_nothing)
		return text;
	text = compute(g, key, ev, tag);
	return key->source >= KEY_LEAF && key->source <= KEY_ROOT ? esc_element(text, &g->text[i])
								  : text;
}

/*
 * Returns true if the key is computed from the stack of this line: a tag caller or callee does not
 * say of which function.
 */
static bool
needs_stack(const struct grouping *g, size_t i, const struct slice *tag)
{
	enum key_source source = g->key[i].source;

	return source == KEY_NEIGHBOUR ||
	    (source >= KEY_FRAME && source <= KEY_STACK &&
		tag[g->place[i] - EV_COLUMNS].p == grouping_nothing);
}

/* Finds the neighbour of a key's function.  Returns 1, or 0 if the line has none, or -1. */
static int
find_neighbour(struct grouping *g, struct key *key, const struct ev *ev, const struct slice *tag,
    struct slice *text)
{
	struct slice stack = grouping_text(ev, tag, g->stack);
	int rc = neighbour_find(key->neighbour, ev, stack, text);

	if (rc == 1)
		key->recorded = true;
	else if (rc == 0 && g->unrecorded && !key->recorded)
		neighbour_see_like(key->neighbour, stack);
	return rc;
}

int
grouping_compute(struct grouping *g, const struct ev *ev, struct slice *tag, bool *left_out,
    struct err *e)
{
	bool from_stack = false;
	size_t i;

	for (i = 0; i < g->nkeys; i++) {
		struct key *key = &g->key[i];
		struct slice text;
		int rc = 1;

		if (key->source == KEY_PLACE)
			continue;
		from_stack |= needs_stack(g, i, tag);
		if (key->source == KEY_NEIGHBOUR)
			rc = find_neighbour(g, key, ev, tag, &text);
		else
			text = compute_key(g, i, ev, tag);
		if (rc == 0) {
			g->left_out++;
			*left_out = true;
			return 0;
		}
		if (rc < 0)
			return err_nomem(e);
		if (text.p == NULL)
			return err_nomem(e);
		tag[g->place[i] - EV_COLUMNS] = text;
	}
	g->stackless += from_stack && slice_is_nothing(grouping_text(ev, tag, g->stack));
	return 0;
}

/*
 * Finds where the times of a run begin.  If that is not known yet, they begin at TIME.  Returns
 * NULL if memory runs out.
 */
static uint64_t *
beginning(struct grouping *g, struct slice run, uint64_t time)
{
	bool fresh;
	size_t number = tab_add(&g->runs, run, &fresh);

	if (number == TAB_NONE || !vec_room(g->run_from, number, g->runs_cap))
		return NULL;
	if (fresh)
		g->run_from[number] = time;
	return &g->run_from[number];
}

int
grouping_see_run(struct grouping *g, const struct ev *ev, struct err *e)
{
	uint64_t time, *from;

	if (!g->window.from_first || !short_eq(ev->col[EV_KIND], SLICE("run")) ||
	    !num_get_u64(ev->col[EV_TIME], &time))
		return 0;
	from = beginning(g, ev->col[EV_RUN], time);
	if (from == NULL)
		return err_nomem(e);
	*from = time;
	return 0;
}

/* Replaces a time of the run's clock by the time since the run began. */
static int
count_from_beginning(struct grouping *g, const struct ev *ev, struct windows *w, struct err *e)
{
	const uint64_t *from = beginning(g, ev->col[EV_RUN], w->time);

	if (from == NULL)
		return err_nomem(e);
	w->before = w->time < *from;
	w->time = w->before ? *from - w->time : w->time - *from;
	return 0;
}

/* Returns how long before the time a window begins, if one begins at FROM. */
static uint64_t
ago(const struct windows *w, uint64_t from)
{
	uint64_t behind;

	if (!w->before && w->time >= from)
		return (w->time - from) % w->step;
	behind = (w->before ? w->time : from - w->time) % w->step;
	return (w->step - behind) % w->step;
}

/* Returns true if the line is a result that is of a window, which it then stores. */
static bool
is_of_window(const struct ev *ev, struct slice *window)
{
	return slice_eq(ev->col[EV_KIND], SLICE("agg")) && ev_tag(ev, SLICE("window"), window) &&
	    !slice_is_nothing(*window);
}

/* Reads the beginning of a window, as results have it.  There is no -0. */
static bool
get_window(struct slice s, bool *negative, uint64_t *v)
{
	*negative = s.len > 0 && s.p[0] == '-';
	return num_get_u64((struct slice){ s.p + *negative, s.len - *negative }, v) &&
	    !(*negative && *v == 0);
}

/*
 * Finds the windows of a result that has no time, as those of --zeros, from the window that it is
 * of: none may begin or end inside it.
 */
static int
count_from_window(const struct grouping *g, const struct ev *ev, struct slice window,
    struct windows *w, struct err *e)
{
	struct slice lie = ev_get(ev, SLICE("windows")), size = { lie.p, 0 };
	uint64_t length;

	while (size.len < lie.len && lie.p[size.len] != '/' && lie.p[size.len] != '@')
		size.len++;
	if (get_window(window, &w->before, &w->time) && num_get_u64(size, &length) &&
	    slice_ends(lie, SLICE("@first")) == g->window.from_first &&
	    !(w->before && w->time > UINT64_MAX - w->size)) {
		w->untimed = false;
		w->ago = ago(w, g->window.from);
		if (length <= w->step && w->ago <= w->step - length)
			return 0;
	}
	err_data(e,
	    "a result without a time, of window=%.*s and windows=%.*s, may be of several windows: "
	    "use --by window",
	    slice_shown(window, SHOWN_MAX), window.p, slice_shown(lie, SHOWN_MAX), lie.p);
	e->alike = true;
	return (int)e->code;
}

int
grouping_windows(struct grouping *g, const struct ev *ev, struct windows *w, struct err *e)
{
	struct slice window;

	*w = (struct windows){ .untimed = slice_is_nothing(ev->col[EV_TIME]) };
	if (w->untimed && !is_of_window(ev, &window))
		return 0;
	w->step = g->window.step;
	w->size = g->window.size;
	if (w->untimed)
		return count_from_window(g, ev, window, w, e);
	if (!number_small_unsigned(ev->col[EV_TIME], &w->time) &&
	    !num_get_u64(ev->col[EV_TIME], &w->time))
		return err_data(e, "time \"%.*s\" is not a time that can be put into a window",
		    slice_shown(ev->col[EV_TIME], SHOWN_MAX), ev->col[EV_TIME].p);
	if (g->window.from_first && count_from_beginning(g, ev, w, e) != 0)
		return (int)e->code;
	if (w->before && w->time > UINT64_MAX - w->size)
		return err_data(e, "time \"%.*s\" is too long before the run began",
		    slice_shown(ev->col[EV_TIME], SHOWN_MAX), ev->col[EV_TIME].p);
	w->ago = ago(w, g->window.from);
	return 0;
}

/*
 * Writes a time so that texts sort as times: the number of digits comes first, as a letter.  Times
 * before 0 are in front, with inverted digits.
 */
static size_t
put_sortable(char *dst, bool negative, uint64_t magnitude)
{
	size_t n = num_put_u64(dst + 1, magnitude), i;

	dst[0] = (char)(negative ? '?' - (int)n : '@' + (int)n);
	for (i = 1; negative && i <= n; i++)
		dst[i] = (char)('0' + '9' - dst[i]);
	return n + 1;
}

bool
grouping_next_window(struct windows *w, char text[GROUPING_WINDOW_MAX], struct slice *out)
{
	bool before = w->before || w->ago > w->time;
	uint64_t begin;

	if (w->untimed) {
		*out = (struct slice){ grouping_nothing, 1 };
		w->untimed = false;
		return true;
	}
	if (w->ago >= w->size)
		return false;
	if (w->before)
		begin = w->time + w->ago;
	else
		begin = before ? w->ago - w->time : w->time - w->ago;
	*out = (struct slice){ text, put_sortable(text, before, begin) };
	w->ago = num_plus(w->ago, w->step);
	return true;
}

bool
grouping_windows_ended(const struct windows *w, uint64_t time)
{
	uint64_t left; /* from the line to the end of its oldest window */

	if (w->untimed)
		return false;
	if (w->before) /* a window begins at 0, so that one ends there at the latest */
		return true;
	left = (w->size - 1 - w->ago) % w->step + 1;
	return time >= left && w->time <= time - left;
}

bool
grouping_window_ends(const struct grouping *g, struct slice text, uint64_t from, uint64_t upto)
{
	char room[GROUPING_WINDOW_MAX];
	struct slice shown = grouping_window_shown(text, room);
	bool before = shown.p[0] == '-';
	uint64_t v, end;

	if (!num_get_u64((struct slice){ shown.p + before, shown.len - before }, &v))
		return false; /* lines without a time */
	if (before && v >= g->window.size) /* it ends before all others, at 0 at the latest */
		return from == 0 && upto != 0;
	end = before ? g->window.size - v : v + g->window.size;
	return (before || end >= v) && end > from && end <= upto;
}

struct slice
grouping_window_shown(struct slice text, char room[GROUPING_WINDOW_MAX])
{
	size_t i;

	if (text.len < 2 || text.len > GROUPING_WINDOW_MAX)
		return text;
	if (text.p[0] > '@')
		return (struct slice){ text.p + 1, text.len - 1 };
	room[0] = '-';
	for (i = 1; i < text.len; i++)
		room[i] = (char)('0' + '9' - text.p[i]);
	return (struct slice){ room, text.len };
}

bool
grouping_window_read(struct slice shown, char room[GROUPING_WINDOW_MAX], struct slice *text)
{
	bool negative;
	uint64_t v;

	*text = shown;
	if (slice_is_nothing(shown))
		return true;
	if (!get_window(shown, &negative, &v))
		return false;
	*text = (struct slice){ room, put_sortable(room, negative, v) };
	return true;
}

/* Returns true if the line has a text other than "." for the key, whose function is not sought. */
static bool
has_text(const struct grouping *g, size_t i, const struct ev *ev, const struct slice *tag)
{
	if (g->key[i].source == KEY_NEIGHBOUR)
		return false;
	return !slice_is_nothing(grouping_text(ev, tag, g->place[i])) ||
	    (g->key[i].source == KEY_FRAME && !slice_is_nothing(grouping_text(ev, tag, g->stack)));
}

void
grouping_see(struct grouping *g, const struct ev *ev, const struct slice *tag)
{
	bool left = false;
	size_t i;

	if (!keys_done(&g->wanted))
		keys_see(&g->wanted, ev);
	if (!g->unrecorded)
		return;
	for (i = 0; i < g->nkeys; i++) {
		struct key *key = &g->key[i];

		if (key->recorded || key->optional)
			continue;
		key->recorded = has_text(g, i, ev, tag);
		left |= !key->recorded;
	}
	g->unrecorded = left;
}

bool
grouping_note(const struct grouping *g, size_t *at, char *text, size_t size)
{
	for (; *at < g->nkeys; ++*at) {
		const struct key *key = &g->key[*at];

		if (!key->optional && !key->recorded && key->source != KEY_NEIGHBOUR &&
		    keys_has(&g->wanted, name_to_want(key)))
			break;
	}
	if (*at >= g->nkeys)
		return false;
	keys_unrecorded(g->key[(*at)++].name, text, size);
	return true;
}

int
grouping_missing(const struct grouping *g, size_t *at, struct err *e)
{
	while (*at < g->nkeys) {
		const struct key *key = &g->key[(*at)++];

		if (key->source == KEY_NEIGHBOUR && !key->optional && !key->recorded &&
		    keys_has(&g->wanted, SLICE("stack")))
			return neighbour_missing(key->neighbour, e);
	}
	return 0;
}

struct slice
grouping_lacking(const struct grouping *g, char *room, size_t size)
{
	size_t i = 0;

	while (i < g->nkeys && g->key[i].neighbour == NULL)
		i++;
	return i == g->nkeys ? SLICE(".") : neighbour_shown(g->key[i].neighbour, room, size);
}
