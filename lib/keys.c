/* SPDX-License-Identifier: ISC */
/* keys.c - the names that lines have, and the one nearest to a name that they do not have. */
#include "lib/keys.h"

#include <stdio.h>
#include <string.h>

#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/vec.h"

#define KEYS_MEASURES_MAX ((size_t)256) /* that may be suggested */

#define KIND_SHOWN_MAX 60 /* bytes of a kind in a message */

#define ADVICE_MAX 164 /* bytes; with a long name and the words around it, it fits into an error */

#define DISTANCE_MAX 3 /* more changes make another word */

void
keys_free(struct keys *k)
{
	tab_free(&k->names);
	tab_free(&k->of_run);
	mem_free(k->seen);
	mem_free(k->how);
	*k = (struct keys){ .wanted = 0 };
}

/* Adds a name, unless it is a column.  Returns false if memory runs out. */
static bool
add(struct keys *k, struct slice name)
{
	bool fresh;

	if (ev_column_named(name) != EV_COLUMNS)
		return true;
	if (!vec_room_zero(k->seen, k->wanted, k->cap) ||
	    !vec_room_zero(k->how, k->wanted, k->how_cap) ||
	    tab_add(&k->names, name, &fresh) == TAB_NONE)
		return false;
	k->wanted += fresh;
	k->unseen += fresh;
	return true;
}

bool
keys_want(struct keys *k, struct slice name)
{
	size_t n;

	if (!add(k, name))
		return false;
	n = tab_find(&k->names, name);
	if (n < k->wanted)
		k->how[n].itself = true;
	return true;
}

bool
keys_need(struct keys *k, struct slice name)
{
	size_t n;

	if (!keys_want(k, name))
		return false;
	n = tab_find(&k->names, name);
	if (n < k->wanted)
		k->how[n].needed = true;
	return true;
}

bool
keys_want_for(struct keys *k, struct slice name, struct slice typed)
{
	size_t before = k->wanted;

	if (!keys_want(k, name))
		return false;
	if (k->wanted != before)
		k->how[before].typed = typed;
	return true;
}

/* Notes that a tag will do for wanted name OF, unless it is known. */
static void
add_instead(struct keys *k, struct slice tag, size_t of)
{
	size_t i;

	for (i = 0; i < k->insteads; i++)
		if (slice_eq(k->instead[i].tag, tag))
			return;
	if (k->insteads == KEYS_INSTEAD_MAX)
		k->how[of].itself = true;
	else
		k->instead[k->insteads++] = (struct keys_instead){ .tag = tag, .of = of };
}

bool
keys_want_or(struct keys *k, struct slice name, struct slice typed)
{
	size_t before = k->wanted;

	if (!add(k, name))
		return false;
	if (k->wanted != before)
		k->how[before].typed = typed;
	add_instead(k, typed, tab_find(&k->names, name));
	return true;
}

/* A name that was added as number BEFORE cannot be made optional.  Returns true. */
static bool
need_new(struct keys *k, size_t before)
{
	if (k->wanted != before)
		k->how[before].needed = true;
	return true;
}

bool
keys_need_or(struct keys *k, struct slice name, struct slice typed)
{
	size_t before = k->wanted;

	return keys_want_or(k, name, typed) && need_new(k, before);
}

bool
keys_need_for(struct keys *k, struct slice name, struct slice typed)
{
	size_t before = k->wanted;

	return keys_want_for(k, name, typed) && need_new(k, before);
}

bool
keys_want_all(struct keys *k, const struct keys *other)
{
	size_t i, n, before;

	for (i = 0; i < other->wanted; i++) {
		before = k->wanted;
		if (!add(k, other->names.item[i]))
			return false;
		n = tab_find(&k->names, other->names.item[i]);
		if (n == before)
			k->how[n] = other->how[i];
		k->how[n].itself |= other->how[i].itself;
	}
	for (i = 0; i < other->insteads; i++)
		add_instead(k, other->instead[i].tag,
		    tab_find(&k->names, other->names.item[other->instead[i].of]));
	return true;
}

/* Notes a tag that a line has instead of a wanted name, which is not missing if all such are. */
static void
see_instead(struct keys *k, struct keys_instead *seen)
{
	struct keys_wanted *how = &k->how[seen->of];
	struct slice other = { NULL, 0 };
	size_t i;

	seen->seen = true;
	for (i = 0; i < k->insteads && other.len == 0; i++)
		if (k->instead[i].of == seen->of && !k->instead[i].seen)
			other = k->instead[i].tag;
	if (slice_eq(how->typed, seen->tag))
		how->typed = other;
	if (other.len == 0 && !how->itself)
		keys_saw(k, seen->of);
}

/* Returns the number of a name on a line, or TAB_NONE if it is not remembered. */
static size_t
note(struct keys *k, struct slice name)
{
	bool full = name.len > KEYS_NAME_MAX || k->names.count - k->wanted == KEYS_NAMES_MAX;
	size_t n = full ? tab_find(&k->names, name) : tab_add(&k->names, name, NULL), i;

	if (n < k->wanted && !k->seen[n]) {
		k->seen[n] = true;
		k->unseen--;
	}
	for (i = 0; i < k->insteads; i++)
		if (!k->instead[i].seen && slice_eq(k->instead[i].tag, name))
			see_instead(k, &k->instead[i]);
	return n;
}

void
keys_pass(const struct keys *k, ev_key_sink *sink, void *ctx)
{
	size_t i;

	for (i = 0; i < k->wanted; i++)
		sink(ctx, k->names.item[i]);
}

/* Notes a column after the sixth that has no "=". */
static void
see_bare(struct keys *k, struct slice text)
{
	size_t n = tab_find(&k->names, text);

	if (n < k->wanted)
		k->how[n].bare = true;
}

void
keys_see(struct keys *k, const struct ev *ev)
{
	size_t i;

	for (i = 0; i < ev->ntags; i++) {
		struct slice tag = ev_tag_at(ev, i);
		const char *p = tag.p, *eq;
		size_t len = tag.len, n;
		struct slice *last = i < KEYS_PLACES ? &k->last[i] : NULL;

		if (last != NULL && last->len != 0 && last->len < len && p[last->len] == '=' &&
		    memcmp(p, last->p, last->len) == 0)
			continue;
		eq = memchr(p, '=', len);
		if (eq == NULL)
			see_bare(k, tag);
		if (eq == NULL || eq == p)
			continue;
		n = note(k, (struct slice){ p, (size_t)(eq - p) });
		if (last != NULL)
			*last = n == TAB_NONE ? (struct slice){ NULL, 0 } : k->names.item[n];
	}
}

void
keys_see_run(struct keys *k, const struct ev *ev)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;

	if (!short_eq(ev->col[EV_KIND], SLICE("run")))
		return;
	while (ev_next_tag(&rest, &tag) && k->of_run.count < KEYS_NAMES_MAX)
		if (tag.key.len != 0 && tag.key.len <= KEYS_NAME_MAX)
			(void)tab_add(&k->of_run, tag.key, NULL);
}

/* Returns the key of the run line that run.KEY means. */
static struct slice
key_of_run(struct slice name)
{
	size_t prefix = sizeof EV_OF_RUN - 1;

	return (struct slice){ name.p + prefix, name.len - prefix };
}

/* Returns true if some line had wanted name I. */
static bool
is_seen(const struct keys *k, size_t i)
{
	struct slice name = k->names.item[i];

	return k->seen[i] ||
	    (ev_is_of_run(name) && tab_find(&k->of_run, key_of_run(name)) != TAB_NONE);
}

bool
keys_has(const struct keys *k, struct slice name)
{
	size_t n = tab_find(&k->names, name);

	return n >= k->wanted || is_seen(k, n);
}

void
keys_saw(struct keys *k, size_t i)
{
	k->unseen -= !k->seen[i];
	k->seen[i] = true;
}

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Returns how many changes make a into b: a letter inserted, removed or replaced, or two adjacent
 * ones exchanged (the "optimal string alignment" distance).  Both have at most KEYS_NAME_MAX bytes.
 */
static unsigned
distance(struct slice a, struct slice b)
{
	unsigned rows[3][KEYS_NAME_MAX + 1], *before = rows[0], *above = rows[1], *row = rows[2];
	size_t i, j;

	for (j = 0; j <= b.len; j++)
		row[j] = (unsigned)j;
	for (i = 1; i <= a.len; i++) {
		unsigned *spare = before;

		before = above;
		above = row;
		row = spare;
		row[0] = (unsigned)i;
		for (j = 1; j <= b.len; j++) {
			row[j] = least(least(above[j], row[j - 1]) + 1,
			    above[j - 1] + (a.p[i - 1] != b.p[j - 1]));
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[b.len];
}

/* Returns the name without the prefix of its source, which is easily forgotten. */
static struct slice
without_prefix(struct slice name)
{
	size_t n = ev_source_prefix(name).len;

	if (name.len > n)
		return (struct slice){ name.p + n, name.len - n };
	return name;
}

/* The best suggestion so far. */
struct nearest {
	struct slice wanted, name;
	unsigned distance; /* of name; at first 1 more than is allowed */
};

static unsigned
distance_within(const struct nearest *x, struct slice name)
{
	size_t more =
	    name.len > x->wanted.len ? name.len - x->wanted.len : x->wanted.len - name.len;

	return more > x->distance ? x->distance + 1 : distance(x->wanted, name);
}

/* Of names at the same distance the first in bytewise order is used, so the order of the input
 * does not matter. */
static void
try(struct nearest *x, struct slice name)
{
	struct slice rest = without_prefix(name);
	unsigned d = distance_within(x, name);

	if (rest.len != name.len)
		d = least(d, distance_within(x, rest) + 1);
	if (d < x->distance ||
	    (d == x->distance && x->name.p != NULL && slice_cmp(name, x->name) < 0)) {
		x->name = name;
		x->distance = d;
	}
}

/* Begins the search for a name of at most KEYS_NAME_MAX bytes. */
static struct nearest
nearest_to(struct slice wanted)
{
	unsigned allowed = least((unsigned)(wanted.len + 1) / 3, DISTANCE_MAX);

	return (struct nearest){ wanted, { NULL, 0 }, allowed + 1 };
}

struct slice
keys_nearest(struct slice wanted, const char *(*name)(const void *ctx, size_t i), const void *ctx)
{
	struct nearest x = nearest_to(wanted);
	const char *each;
	size_t i;

	for (i = 0; wanted.len <= KEYS_NAME_MAX && (each = name(ctx, i)) != NULL; i++)
		if (strlen(each) <= KEYS_NAME_MAX)
			try(&x, slice_of(each));
	return x.name;
}

/* Returns the name most like the wanted one, or a slice without bytes. */
static struct slice
nearest(const struct keys *k, struct slice wanted)
{
	struct nearest x = nearest_to(wanted);
	size_t i;

	if (wanted.len > KEYS_NAME_MAX)
		return x.name;
	for (i = 0; i < EV_COLUMNS; i++)
		try(&x, ev_column_name((enum ev_column)i));
	for (i = 0; i < k->names.count; i++)
		if ((i >= k->wanted || k->seen[i]) && k->names.item[i].len <= KEYS_NAME_MAX)
			try(&x, k->names.item[i]);
	return x.name;
}

/* What other programs and people call what lines have under another name. */
static const struct {
	struct slice word, name;
} synonyms[] = {
	{ SLICE_INIT("command"), SLICE_INIT("comm") },
	{ SLICE_INIT("process"), SLICE_INIT("comm") },
	{ SLICE_INIT("program"), SLICE_INIT("comm") },
	{ SLICE_INIT("binary"), SLICE_INIT("dso") },
	{ SLICE_INIT("library"), SLICE_INIT("dso") },
	{ SLICE_INIT("module"), SLICE_INIT("dso") },
	{ SLICE_INIT("object"), SLICE_INIT("dso") },
	{ SLICE_INIT("func"), SLICE_INIT("region") },
	{ SLICE_INIT("function"), SLICE_INIT("region") },
	{ SLICE_INIT("sym"), SLICE_INIT("region") },
	{ SLICE_INIT("symbol"), SLICE_INIT("region") },
	{ SLICE_INIT("thread"), SLICE_INIT("tid") },
	{ SLICE_INIT("core"), SLICE_INIT("cpu") },
	{ SLICE_INIT("processor"), SLICE_INIT("cpu") },
	{ SLICE_INIT("event"), SLICE_INIT("measure") },
	{ SLICE_INIT("srcline"), SLICE_INIT("line") },
};

/* How a name that is often missing gets into the stream. */
static const struct {
	struct slice name;
	const char *how;
} sources[] = {
	{ SLICE_INIT("stack"), "perf record -g records stacks" },
	{ SLICE_INIT("line"), "perfdec --srcline adds it" },
	{ SLICE_INIT("srcline"), "perfdec --srcline adds it as line" },
	{ SLICE_INIT("window"), "afagg --window SIZE makes windows" },
	{ SLICE_INIT("syscall"), "afpair adds it to pairs of raw_syscalls" },
	{ SLICE_INIT("callers"), "afagg's key is caller" },
	{ SLICE_INIT("callee"), "afagg's key is callee:NAME" },
	{ SLICE_INIT("callees"), "afagg's key is callee:NAME" },
	{ SLICE_INIT("frames"), "afagg's key is frame" },
};

/* Why a source does not record what a name means. */
static const struct {
	struct slice name;
	const char *why;
} reasons[] = {
	{ SLICE_INIT("cpu"), "perf records the processor only with -a or --sample-cpu" },
	{ SLICE_INIT("addr"), "perf records addresses only with -d" },
	{ SLICE_INIT("caller"),
	    "each stack has one frame only (perf record --call-graph dwarf finds more)" },
	{ SLICE_INIT("region"),
	    "counts of a whole program, such as those of perf stat, have no functions" },
};

void
keys_unrecorded(struct slice name, char *text, size_t size)
{
	const char *why = NULL;
	size_t i;

	for (i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (slice_eq(name, reasons[i].name))
			why = reasons[i].why;
	(void)snprintf(text, size, "%.*s is not recorded: it is \".\" on all lines%s%s",
	    slice_shown(name, KEYS_NAME_MAX), name.p, why == NULL ? "" : "; ",
	    why == NULL ? "" : why);
}

/* Returns true if the name is a column, or a line has had it. */
static bool
is_there(const struct keys *k, struct slice name)
{
	size_t n = tab_find(&k->names, name);

	return ev_column_named(name) != EV_COLUMNS ||
	    (n != TAB_NONE && (n >= k->wanted || k->seen[n]));
}

/* Returns the name by which lines have what the user calls WORD, or a slice without bytes. */
static struct slice
synonym(const struct keys *k, struct slice word)
{
	size_t i;

	for (i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
		if (slice_eq(word, synonyms[i].word) && is_there(k, synonyms[i].name))
			return synonyms[i].name;
	return (struct slice){ NULL, 0 };
}

/* Names that lines have. */
struct there {
	const struct tab *names;
	const bool *seen; /* by number, if it is below WANTED */
	size_t wanted;
};

/* Returns the first name after LAST, in bytewise order, or an empty one. */
static struct slice
next_name(const struct there *t, struct slice last)
{
	struct slice next = { NULL, 0 };
	size_t i;

	for (i = 0; i < t->names->count; i++) {
		struct slice name = t->names->item[i];

		if ((i >= t->wanted || t->seen[i]) && slice_cmp(name, last) > 0 &&
		    (next.p == NULL || slice_cmp(name, next) < 0))
			next = name;
	}
	return next;
}

/* Appends the names, in bytewise order, as many as fit: "tags: a, b, ...". */
static void
list_tags(const struct there *t, char *text, size_t size)
{
	static const char dots[] = ", ...";
	struct slice name = next_name(t, SLICE(""));
	size_t len = strlen(text), need;
	const char *before = "tags: ";

	for (; name.len != 0; name = next_name(t, name), before = ", ") {
		need = strlen(before) + name.len;
		if (len + need + sizeof dots > size) {
			if (*before == ',')
				(void)snprintf(text + len, size - len, "%s", dots);
			return;
		}
		(void)snprintf(text + len, size - len, "%s%.*s", before, (int)name.len, name.p);
		len += need;
	}
}

static void
add_separator(char *text, size_t size)
{
	size_t len = strlen(text);

	if (len != 0)
		(void)snprintf(text + len, size - len, "; ");
}

/*
 * Writes what the user can do about a name without a suggestion: its source, "?" unless the name is
 * needed, and the tags that there are, unless that is not the problem or the user has named them
 * all.  Of partial results, only tags that were wanted are known.
 */
static void
advise(char *text, size_t size, const struct keys *k, struct slice name,
    const struct keys_wanted *how)
{
	const struct there there = ev_is_of_run(name)
	    ? (struct there){ &k->of_run, NULL, 0 }
	    : (struct there){ &k->names, k->seen, k->wanted };
	struct slice typed = how->typed.len != 0 ? how->typed : name;
	const char *source = "";
	size_t i, len;

	for (i = 0; i < sizeof sources / sizeof sources[0]; i++)
		if (slice_eq(name, sources[i].name))
			source = sources[i].how;
	(void)snprintf(text, size, "%s", source);
	if (!how->needed) {
		add_separator(text, size);
		len = strlen(text);
		(void)snprintf(text + len, size - len, "'%.*s?' allows that",
		    slice_shown(typed, KEYS_NAME_MAX), typed.p);
	}
	if (*source == '\0' && how->typed.len == 0 && there.names->count > there.wanted) {
		add_separator(text, size);
		list_tags(&there, text, size);
	}
}

/* Returns the key of run lines that a name means, perhaps without its tag., or an empty one. */
static struct slice
only_of_run(const struct keys *k, struct slice wanted)
{
	static const char prefix[] = "tag.";
	size_t i;

	for (i = 0; i < k->of_run.count && !ev_is_basic_tag(wanted); i++) {
		struct slice name = k->of_run.item[i];

		if (slice_eq(name, wanted))
			return name;
		if (name.len == sizeof prefix - 1 + wanted.len && slice_ends(name, wanted) &&
		    memcmp(name.p, prefix, sizeof prefix - 1) == 0 &&
		    tab_find(&k->names, name) == TAB_NONE)
			return name;
	}
	return (struct slice){ NULL, 0 };
}

/*
 * Returns the tag of a key with an argument, such as caller:NAME, if lines have it, as the results
 * of that key do, or a slice without bytes.
 */
static struct slice
tag_of_key(const struct keys *k, struct slice key)
{
	struct slice tag = { key.p, 0 };

	while (tag.len < key.len && key.p[tag.len] != ':' && key.p[tag.len] != '~')
		tag.len++;
	return tag.len < key.len && is_there(k, tag) ? tag : (struct slice){ NULL, 0 };
}

/* Stores the error for a name that a computed key needs. */
static int
missing_for_key(const struct keys *k, struct slice wanted, const struct keys_wanted *how,
    struct err *e)
{
	struct slice tag = tag_of_key(k, how->typed);
	char advice[ADVICE_MAX];
	int shown = slice_shown(wanted, KEYS_NAME_MAX),
	    typed = slice_shown(how->typed, KEYS_NAME_MAX);

	if (tag.len != 0)
		return err_data(e,
		    "no line has '%.*s', which '%.*s' needs, but lines have '%.*s': use that key",
		    shown, wanted.p, typed, how->typed.p, (int)tag.len, tag.p);
	advise(advice, sizeof advice, k, wanted, how);
	return err_data(e, "no line has '%.*s', which '%.*s' needs%s%s%s", shown, wanted.p, typed,
	    how->typed.p, *advice == '\0' ? "" : " (", advice, *advice == '\0' ? "" : ")");
}

/* Stores the error for a name run.KEY. */
static int
missing_of_run(const struct keys *k, struct slice wanted, const struct keys_wanted *how,
    struct err *e)
{
	struct slice key = key_of_run(wanted);
	struct nearest x = nearest_to(key);
	char advice[ADVICE_MAX];
	int shown = slice_shown(key, KEYS_NAME_MAX);
	size_t i;

	for (i = 0; i < k->of_run.count && key.len <= KEYS_NAME_MAX; i++)
		try(&x, k->of_run.item[i]);
	if (is_there(k, key))
		return err_data(e, "no run line has '%.*s', but other lines have: use '%.*s'",
		    shown, key.p, shown, key.p);
	if (x.name.len != 0)
		return err_data(e, "no run line has '%.*s'; did you mean run.%.*s?", shown, key.p,
		    (int)x.name.len, x.name.p);
	advise(advice, sizeof advice, k, wanted, how);
	return err_data(e, "no run line has '%.*s' (%s)", shown, key.p, advice);
}

int
keys_missing(const struct keys *k, size_t *at, struct err *e)
{
	const struct keys_wanted *how;
	struct slice wanted, name = { NULL, 0 };
	char advice[ADVICE_MAX];
	int shown;

	while (*at < k->wanted && is_seen(k, *at))
		++*at;
	if (*at == k->wanted)
		return 0;
	how = &k->how[*at];
	wanted = k->names.item[(*at)++];
	shown = slice_shown(wanted, KEYS_NAME_MAX);
	if (how->bare)
		return err_data(e,
		    "no line has '%.*s=VALUE': some have '%.*s' without '=', which is not a tag",
		    shown, wanted.p, shown, wanted.p);
	if (ev_is_of_run(wanted))
		return missing_of_run(k, wanted, how, e);
	if (how->typed.len != 0)
		return missing_for_key(k, wanted, how, e);
	name = only_of_run(k, wanted);
	if (name.len != 0)
		return err_data(e, "only run lines have '%.*s': use '" EV_OF_RUN "%.*s'",
		    slice_shown(name, KEYS_NAME_MAX), name.p, slice_shown(name, KEYS_NAME_MAX),
		    name.p);
	name = synonym(k, wanted);
	if (name.len == 0)
		name = nearest(k, wanted);
	if (name.len != 0)
		return err_data(e, "no line has '%.*s'; did you mean %.*s?", shown, wanted.p,
		    (int)name.len, name.p);
	advise(advice, sizeof advice, k, wanted, how);
	if (advice[0] == '\0')
		return err_data(e, "no line has '%.*s'", shown, wanted.p);
	return err_data(e, "no line has '%.*s' (%s)", shown, wanted.p, advice);
}

int
keys_check_kind(struct slice kind, struct err *e)
{
	return kind_named(kind) != NULL
	    ? 0
	    : err_data(e, "no line is of kind '%.*s'", slice_shown(kind, KIND_SHOWN_MAX), kind.p);
}

int
keys_add_kinds(struct keys_kinds *k, const char *list, struct err *e)
{
	size_t n;

	for (;; list += n + 1) {
		n = strcspn(list, ",");
		if (n == 0)
			return err_data(e, "an empty name");
		if (k->n == KEYS_KINDS_MAX)
			return err_data(e, "more than %d names", KEYS_KINDS_MAX);
		k->kind[k->n++] = (struct slice){ list, n };
		if (list[n] == '\0')
			return 0;
	}
}

int
keys_kinds_missing(const struct keys_kinds *k, size_t *at, struct err *e)
{
	while (*at < k->n) {
		size_t i = (*at)++;

		if (!k->seen[i] && keys_check_kind(k->kind[i], e) != 0)
			return e->code;
	}
	return 0;
}

void
keys_note_measure(struct tab *others, struct slice measure)
{
	if (measure.len <= KEYS_NAME_MAX && others->count < KEYS_MEASURES_MAX)
		(void)tab_add(others, measure, NULL);
}

/* Returns the first measure in bytewise order that begins with the text, or the nearest one. */
static struct slice
measure_like(struct slice measure, const struct tab *others)
{
	struct nearest x = nearest_to(measure);
	struct slice longer = { NULL, 0 };
	size_t i;

	if (measure.len == 0 || measure.len > KEYS_NAME_MAX)
		return longer;
	for (i = 0; i < others->count; i++) {
		struct slice name = others->item[i];

		try(&x, name);
		if (name.len > measure.len && memcmp(name.p, measure.p, measure.len) == 0 &&
		    (longer.p == NULL || slice_cmp(name, longer) < 0))
			longer = name;
	}
	return longer.p != NULL ? longer : x.name;
}

int
keys_no_measure(struct slice measure, const struct tab *others, struct err *e)
{
	struct slice like = measure_like(measure, others);

	return err_data(e, "no line has a value of the measure %.*s%s%.*s%s",
	    slice_shown(measure, KEYS_NAME_MAX), measure.p, like.len != 0 ? "; did you mean " : "",
	    (int)like.len, like.len != 0 ? like.p : "", like.len != 0 ? "?" : "");
}

bool
keys_is_place(struct slice key)
{
	static const struct slice places[] = { SLICE_INIT("region"), SLICE_INIT("frame"),
		SLICE_INIT("leaf"), SLICE_INIT("caller"), SLICE_INIT("root"), SLICE_INIT("stack"),
		SLICE_INIT("dso"), SLICE_INIT("image"), SLICE_INIT("line"), SLICE_INIT("addr"),
		SLICE_INIT("syscall") };

	return SLICE_AMONG(key, places);
}

/* Returns true if the line has the tag before the tag stat. */
static bool
comes_before_statistic(const struct ev *ev, struct slice key)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;

	while (ev_next_tag(&rest, &tag) && !slice_eq(tag.key, SLICE("stat")))
		if (slice_eq(tag.key, key))
			return true;
	return false;
}

bool
keys_is_result_tag(struct slice key)
{
	static const struct slice tags[] = { SLICE_INIT("stat"), SLICE_INIT("type"),
		SLICE_INIT("unit"), SLICE_INIT("of"), SLICE_INIT("start"), SLICE_INIT("n"),
		SLICE_INIT("total"), SLICE_INIT("windows"), SLICE_INIT("percentile") };

	return SLICE_AMONG(key, tags);
}

bool
keys_is_of_result(const struct ev *ev, struct slice key)
{
	return keys_is_result_tag(key) ||
	    (slice_eq(key, SLICE("mid")) && !comes_before_statistic(ev, key));
}
