/* SPDX-License-Identifier: ISC */
/*
 * jobs.c - aggregates the lines of a stream in several threads.
 *
 * The caller's thread reads blocks of whole lines.  A thread adds the lines of a block to an
 * aggregation of its own, up to the first line that is not a value.  The caller's is one of them:
 * if enough blocks wait for the others, it adds the one that it has just read, which its cache
 * still has.  It then takes the blocks in their order: it gets the errors of each, and reads what
 * is left of it by itself, until there are only values again, which it leaves to a thread.
 *
 * The order of lines matters for one thing only: a measure line gives the unit of those after it.
 * So a block is searched for such a line before a thread gets it, and further blocks wait until the
 * caller has read the rest of that one.  Then no thread is at work, and all are told the unit.
 */
#include "src/aggregate/jobs.h"

#include <pthread.h>
#include <string.h>

#include "lib/crew.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/scan.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/aggregate/aggint.h"

#define BLOCK_SIZE ((size_t)256 * 1024)
#define READ_SIZE ((size_t)128 * 1024) /* of a reader */
#define BLOCK_MIN ((size_t)4096)
#define BLOCKS_EACH 2 /* for each thread, and one more */
#define WAITING_EACH 2 /* blocks that wait for each of the other threads */
#define AGAIN_MIN ((size_t)16 * 1024) /* bytes of a block; fewer are not left to a thread again */
#define MEMORY_PART 8 /* of the memory, for all that does not grow */
#define ERRORS_MAX 20 /* of a block; the text of further ones is not shown */
#define LEFT_MAX 128 /* more kinds than there can be */

/* Lines of a kind that is left out. */
struct left {
	const struct kind *kind;
	uint64_t lines;
};

/* Texts of an aggregation, which stay where they are while it grows. */
struct texts {
	struct slice *text;
	size_t n, cap;
};

struct block {
	struct evread_block bytes;
	size_t limit; /* where the first line is that must wait for those before it */
	bool waits; /* for a thread */
	bool done; /* a thread has added all that it could */
	/* What the thread has found. */
	uint64_t lines; /* that it has read */
	bool tight; /* it stopped because memory gets short */
	size_t errors, reported;
	struct err error[ERRORS_MAX]; /* with the number of the line in the block */
	size_t nleft;
	struct left left[LEFT_MAX]; /* in the order of their first lines */
	struct texts runs, measures; /* those that the thread has not seen before, in order */
};

struct worker {
	struct jobs *jobs;
	struct aggregate *a;
	struct evread *r;
	size_t left; /* of the last line that was left out: its place in the block */
};

struct jobs {
	struct aggregate *a;
	struct evread *r;
	struct kinds_left *left_out;
	size_t n; /* threads, with the caller's, which is the first one */
	struct worker *worker;
	pthread_t thread[JOBS_MAX]; /* all but the caller's */
	struct aggregate **follower;
	size_t running; /* those that take part: all that could be started, or none */
	uint64_t stop_at; /* memory in use that ends the threads */
	bool over; /* there will be no more threads */
	bool failed; /* memory ran out in one, so that the counts are wrong */
	struct err failure;
	/* A ring of blocks: those from `first` on are in use, and none before `taken` waits. */
	struct block *block;
	size_t blocks;
	uint64_t first, taken, last;
	bool opened; /* the first one has been counted */
	bool entered; /* the caller reads it */
	bool plain; /* its last lines were only values */
	bool held; /* no block may be added before the caller has read the last one */
	/* LOCK guards taken, last, waiting, ending, and waits and done of each block. */
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	size_t waiting; /* blocks that wait */
	bool ending;
};

/*
 * ---- what a thread does
 */

static void
leave_out(struct worker *w, struct block *b, struct slice kind)
{
	const struct kind *known;
	size_t i;

	if (w->left < b->nleft && short_eq(kind, slice_of(b->left[w->left].kind->name))) {
		b->left[w->left].lines++;
		return;
	}
	known = kind_named(kind); /* it is one, since others are passed on */
	for (i = 0; i < b->nleft && b->left[i].kind != known; i++)
		;
	if (i == b->nleft)
		b->left[b->nleft++] = (struct left){ known, 0 };
	b->left[i].lines++;
	w->left = i;
}

/* Takes a line that is not a value.  Returns false if the caller must see it. */
static bool
take(struct worker *w, struct block *b, const struct ev *ev)
{
	bool drop = aggregate_fate(w->a, ev) == AGGREGATE_DROP && b->nleft < LEFT_MAX &&
	    !ev_is_large_resource(ev);

	if (drop)
		leave_out(w, b, ev->col[EV_KIND]);
	return drop;
}

/* Adds some lines.  Returns false if it stops before the last one, or has to stop there. */
static bool
add_lines(struct worker *w, struct block *b, const struct ev *ev, size_t n)
{
	size_t step = w->a->several ? 1 : AGGREGATE_AHEAD, i, k;
	struct err e;
	int rc = 0;

	aggregate_expect(w->a, ev, n);
	for (i = 0; i < n && rc != ERR_SYS && !b->tight; i += k) {
		k = aggregate_add_some(w->a, ev + i, n - i < step ? n - i : step, &rc, &e);
		if (rc != 0) {
			b->error[b->errors < ERRORS_MAX ? b->errors : ERRORS_MAX - 1] = e;
			b->errors++;
			k++;
		} else if (k == 0) {
			if (!take(w, b, &ev[i]))
				break;
			k++;
		}
		b->tight = mem_used() > w->jobs->stop_at;
	}
	if (i < n)
		evread_again(w->r, &ev[i]);
	return i == n && rc != ERR_SYS && !b->tight;
}

/* Notes the texts of a table from number I on.  Returns false if memory runs out. */
static bool
note_texts(struct texts *t, const struct tab *tab, size_t i)
{
	for (t->n = 0; i < tab->count; i++) {
		if (!vec_room(t->text, t->n, t->cap))
			return false;
		t->text[t->n++] = tab->item[i];
	}
	return true;
}

static void
add_block(struct worker *w, struct block *b)
{
	size_t runs = w->a->runs.tab.count, measures = w->a->measures.count;
	uint64_t before = evread_lines(w->r);
	struct ev ev[AGGREGATE_AHEAD];
	size_t n, i;
	struct err e;

	w->left = LEFT_MAX;
	if (evread_enter(w->r, &b->bytes, b->limit, &e) != 0)
		return; /* the caller reads the block by itself, and has the error if it cannot */
	while ((n = evread_more(w->r, ev, AGGREGATE_AHEAD)) != 0 && add_lines(w, b, ev, n))
		;
	b->lines = evread_lines(w->r) - before;
	evread_leave(w->r, &b->bytes);
	for (i = 0; i < b->errors && i < ERRORS_MAX; i++)
		if (b->error[i].place == ERR_LINE)
			b->error[i].pos -= before;
	if (!note_texts(&b->runs, &w->a->runs.tab, runs) ||
	    !note_texts(&b->measures, &w->a->measures, measures)) {
		err_nomem(&b->error[0]);
		b->errors += b->errors == 0;
	}
}

/*
 * ---- which thread takes a block; with the lock
 */

static struct block *
block_at(const struct jobs *j, uint64_t i)
{
	return &j->block[i % j->blocks];
}

static struct block *
take_waiting(struct jobs *j, struct block *b)
{
	b->waits = false;
	j->waiting--;
	return b;
}

/* Takes the first block that waits.  Returns NULL if there is none. */
static struct block *
first_waiting(struct jobs *j)
{
	if (j->waiting == 0)
		return NULL;
	while (!block_at(j, j->taken)->waits)
		j->taken++;
	return take_waiting(j, block_at(j, j->taken++));
}

/* Takes the last one, which was read most recently.  There must be one. */
static struct block *
last_waiting(struct jobs *j)
{
	uint64_t i = j->last;

	while (!block_at(j, --i)->waits)
		;
	return take_waiting(j, block_at(j, i));
}

/* Makes a block wait for a thread. */
static void
let_wait(struct jobs *j, struct block *b)
{
	b->waits = true;
	j->waiting++;
	(void)pthread_cond_signal(&j->work);
}

static void *
work(void *ctx)
{
	struct worker *w = ctx;
	struct jobs *j = w->jobs;
	struct block *b;

	(void)pthread_mutex_lock(&j->lock);
	while (!j->ending) {
		b = first_waiting(j);
		if (b == NULL) {
			(void)pthread_cond_wait(&j->work, &j->lock);
			continue;
		}
		(void)pthread_mutex_unlock(&j->lock);
		add_block(w, b);
		(void)pthread_mutex_lock(&j->lock);
		b->done = true;
		(void)pthread_cond_signal(&j->done);
	}
	(void)pthread_mutex_unlock(&j->lock);
	return NULL;
}

/* Adds the last block that waits, if more than SPARED do, in the caller's thread. */
static bool
help(struct jobs *j, size_t spared)
{
	struct block *b;

	if (j->over)
		return false;
	(void)pthread_mutex_lock(&j->lock);
	b = j->waiting > spared ? last_waiting(j) : NULL;
	(void)pthread_mutex_unlock(&j->lock);
	if (b == NULL)
		return false;
	add_block(&j->worker[0], b);
	(void)pthread_mutex_lock(&j->lock);
	b->done = true;
	(void)pthread_mutex_unlock(&j->lock);
	return true;
}

/*
 * ---- threads
 */

static void
fail(struct jobs *j, const struct err *e)
{
	if (!j->failed)
		j->failure = *e;
	j->failed = true;
}

/* Ends all threads.  Blocks that none has taken stay as they are, for the caller. */
static void
stop(struct jobs *j)
{
	if (j->over)
		return;
	(void)pthread_mutex_lock(&j->lock);
	j->ending = true;
	(void)pthread_cond_broadcast(&j->work);
	(void)pthread_mutex_unlock(&j->lock);
	if (j->running != 0)
		crew_end(j->thread, j->running - 1);
	j->over = true;
}

/*
 * Returns whether groups may be apart until they are written: if memory is short, or if there are
 * groups on disk, all that are the same must be joined now.
 */
static bool
may_be_apart(struct jobs *j)
{
	if (j->running == 0 || j->failed || j->a->spill != NULL || mem_used() > j->stop_at)
		return false;
	j->a->share = mem_zero(j->running, sizeof *j->a->share);
	return j->a->share != NULL;
}

/* Joins what the threads have, after stop, or all but their groups if these may be apart. */
static void
join_workers(struct jobs *j, bool apart)
{
	struct err e;
	size_t i;

	j->a->followers = 0;
	for (i = 0; i < j->n; i++) {
		struct worker *w = &j->worker[i];

		if (i < j->running && !j->failed &&
		    (apart ? join_apart(j->a, w->a, &e) : join_all(j->a, w->a, &e)) != 0)
			fail(j, &e);
		if (!apart || i >= j->a->shares)
			aggregate_free(w->a);
		evread_close(w->r);
	}
	/* one thread would have done it before its tables grew that far */
	if (!apart && j->running != 0 && !j->failed && mem_used() > j->a->spill_at &&
	    spill_is_due(j->a) && spill_groups(j->a, &e) != 0)
		fail(j, &e);
	j->n = j->running = 0;
}

/* Makes the aggregations of the threads ready for lines.  Returns false if that fails. */
static bool
begin(struct jobs *j)
{
	struct err e;
	size_t i, k;

	for (i = 0; i < j->n; i++) {
		struct aggregate *a = j->worker[i].a;

		if (aggregate_begin(a, j->a->input, &e) != 0)
			return false;
		a->spill_at = UINT64_MAX; /* see add_lines */
		for (k = 0; k < a->by.wanted.wanted; k++)
			keys_saw(&a->by.wanted, k);
		a->by.unrecorded = false;
	}
	return true;
}

/* Starts the threads, as many as there can be. */
static void
start(struct jobs *j)
{
	size_t n;

	/* until they are joined, several tables may grow at the same time */
	j->stop_at = j->a->spill_at / 2;
	if (begin(j)) {
		n = crew_start(j->thread, j->n - 1, work, &j->worker[1], sizeof *j->worker);
		j->running = n == 0 ? 0 : n + 1;
	}
	if (j->running == 0)
		stop(j);
}

/*
 * ---- blocks
 */

/*
 * Returns where the first line is that changes how later lines are read: a measure line, or the
 * start of a stream, which may be of another version.  I is the start of a line.  Returns LEN if
 * there is none.
 */
static size_t
find_turn(const char *p, size_t i, size_t len)
{
	while (i < len) {
		if (p[i] == '#' ? len - i > 2 && p[i + 1] == 'a'
				: p[i] == 'm' && len - i > 8 && memcmp(p + i, "measure\t", 8) == 0)
			return i;
		i = scan_line(p, i, len, '#', 'm');
	}
	return len;
}

/* Makes a block ready for a thread. */
static void
prepare(struct jobs *j, struct block *b)
{
	b->limit = find_turn(b->bytes.p, b->bytes.at, b->bytes.len);
	b->done = b->tight = false;
	b->lines = b->errors = b->reported = b->nleft = 0;
	b->runs.n = b->measures.n = 0;
	j->held = b->limit != b->bytes.len;
}

/* Reads a block for a thread.  Returns 1, or 0 or -1 as evread_fetch does. */
static int
fetch(struct jobs *j, struct err *e)
{
	struct block *b = block_at(j, j->last);
	int rc;

	if (j->over || j->held || j->last - j->first == j->blocks ||
	    (j->a->input != INPUT_EVENTS && j->a->input != INPUT_RESULTS) ||
	    !grouping_is_settled(&j->a->by) || j->a->spill != NULL ||
	    absent_is_ordered(&j->a->watch))
		return 0;
	rc = evread_fetch(j->r, &b->bytes, e);
	if (rc <= 0)
		return rc;
	prepare(j, b);
	if (j->running == 0)
		start(j);
	(void)pthread_mutex_lock(&j->lock);
	j->last++;
	let_wait(j, b);
	(void)pthread_mutex_unlock(&j->lock);
	(void)help(j, (j->running - 1) * WAITING_EACH);
	return 1;
}

/* Returns whether no thread will add more of the first block, or WAITs for that. */
static bool
is_done(struct jobs *j, struct block *b, bool wait)
{
	bool done;

	if (j->over)
		return true;
	(void)pthread_mutex_lock(&j->lock);
	while (wait && !b->done)
		(void)pthread_cond_wait(&j->done, &j->lock);
	done = b->done;
	(void)pthread_mutex_unlock(&j->lock);
	return done;
}

/* Gives runs and measures their numbers in the order of their first lines, as without threads. */
static bool
see_texts(struct aggregate *a, const struct block *b)
{
	size_t i;

	for (i = 0; i < b->runs.n; i++)
		if (aggregate_number(&a->runs, b->runs.text[i]) == MIXED)
			return false;
	for (i = 0; i < b->measures.n; i++)
		if (measures_add(a, b->measures.text[i], (struct said){ 0 }) == MIXED)
			return false;
	return true;
}

/* Counts what a thread has done.  The block is the first one, so the reader is at its start. */
static void
count_block(struct jobs *j, struct block *b)
{
	struct err e;
	size_t i;

	for (i = 0; i < b->nleft; i++)
		kinds_leave(j->left_out, slice_of(b->left[i].kind->name), b->left[i].lines);
	for (i = 0; i < b->errors && i < ERRORS_MAX; i++) {
		if (b->error[i].place == ERR_LINE)
			b->error[i].pos += evread_lines(j->r);
		if (b->error[i].code == ERR_SYS)
			fail(j, &b->error[i]);
	}
	evread_skip(j->r, b->lines);
	j->opened = true;
	if (!see_texts(j->a, b)) {
		err_nomem(&e);
		fail(j, &e);
	}
}

static void
release_block(struct jobs *j)
{
	j->first++;
	j->opened = j->entered = false;
	if (j->first == j->last)
		j->held = false;
}

/* Does the same as evread_next, with more lines. */
static int
read_lines(struct jobs *j, struct ev *ev, size_t max, struct err *e)
{
	int rc = evread_next(j->r, ev, e);

	return rc <= 0 ? rc : 1 + (int)evread_more(j->r, ev + 1, max - 1);
}

/*
 * Leaves the rest of the first block, which the caller reads, to a thread.  Returns false if that
 * is not worth it.
 */
static bool
leave_rest(struct jobs *j, struct block *b)
{
	bool last = j->last - j->first == 1, held = j->held;

	if (j->over || !j->plain || evread_left(j->r) < AGAIN_MIN)
		return false;
	evread_leave(j->r, &b->bytes);
	j->entered = j->opened = false;
	prepare(j, b);
	j->held = last ? j->held : held;
	(void)pthread_mutex_lock(&j->lock);
	j->taken = j->first;
	let_wait(j, b);
	(void)pthread_mutex_unlock(&j->lock);
	return true;
}

/* Takes the first block, which a thread is done with, like jobs_next.  Returns 0 to go on. */
static int
take_block(struct jobs *j, struct block *b, struct ev *ev, size_t max, struct err *e)
{
	int rc;

	if (!j->opened)
		count_block(j, b);
	if (j->failed || (j->entered && leave_rest(j, b)))
		return 0;
	if (b->reported < b->errors) {
		*e = b->error[b->reported < ERRORS_MAX ? b->reported : ERRORS_MAX - 1];
		b->reported++;
		return -1;
	}
	if (b->tight)
		stop(j);
	if (b->bytes.at == b->bytes.len) { /* so it has not been entered */
		release_block(j);
		return 0;
	}
	if (!j->entered && evread_enter(j->r, &b->bytes, b->bytes.len, e) != 0) {
		fail(j, e);
		return 0;
	}
	j->entered = true;
	rc = read_lines(j, ev, max, e);
	j->plain = rc > 0 && (size_t)rc == max;
	if (rc == 0) {
		evread_leave(j->r, &b->bytes);
		release_block(j);
	}
	return rc;
}

int
jobs_next(struct jobs *j, struct ev *ev, size_t max, struct err *e)
{
	int rc;

	while (!j->failed) {
		struct block *b = block_at(j, j->first);
		bool any = j->first != j->last;

		if (any && (j->opened || is_done(j, b, false))) {
			rc = take_block(j, b, ev, max, e);
			if (rc != 0)
				return rc;
			continue;
		}
		rc = fetch(j, e);
		if (rc < 0)
			fail(j, e);
		else if (rc == 0 && !any && j->over && j->n != 0)
			join_workers(j, false);
		else if (rc == 0 && !any)
			return read_lines(j, ev, max, e);
		else if (rc == 0 && !help(j, 0))
			(void)is_done(j, b, true);
	}
	return 0;
}

/*
 * ---- the whole
 */

/* Returns true if the results depend on the order of lines, apart from measure lines. */
static bool
is_ordered(const struct aggregate *a)
{
	bool bounded = (a->stats.keep.need & (STATE_SKETCH | STATE_HIST)) != 0;

	/* the first line of a run; the first line whose weight is too much for a bucket */
	return a->by.window.from_first || (a->weight_tag.p != NULL && bounded);
}

/* Makes an aggregation with the same settings. */
static struct aggregate *
copy_settings(const struct aggregate *a)
{
	struct aggregate *copy = aggregate_new();
	struct err e;
	size_t i;
	int rc = copy == NULL ? ERR_SYS : 0;

	for (i = 0; rc == 0 && i < AGGREGATE_OPTIONS; i++)
		if (a->option[i] != NULL)
			rc = aggregate_set(copy, (enum aggregate_option)i, a->option[i], &e);
	if (rc == 0 && a->partial)
		aggregate_set_partial(copy);
	if (rc == 0 && aggregate_ready(copy, &e) == 0)
		return copy;
	aggregate_free(copy);
	return NULL;
}

static bool
make_workers(struct jobs *j, size_t n)
{
	j->worker = mem_zero(n, sizeof *j->worker);
	j->follower = mem_zero(n, sizeof *j->follower);
	if (j->worker == NULL || j->follower == NULL)
		return false;
	for (j->n = 0; j->n < n; j->n++) {
		struct worker *w = &j->worker[j->n];

		*w = (struct worker){ .jobs = j, .a = copy_settings(j->a) };
		w->r = w->a == NULL ? NULL : evread_open(NULL, 0, 0);
		j->follower[j->n] = w->a;
		if (w->r == NULL) {
			aggregate_free(w->a);
			return false;
		}
	}
	return true;
}

static bool
make_blocks(struct jobs *j, size_t n, size_t size)
{
	j->blocks = n;
	j->block = mem_zero(n, sizeof *j->block);
	for (n = 0; j->block != NULL && n < j->blocks; n++) {
		j->block[n].bytes = (struct evread_block){ .p = mem_alloc(size), .cap = size };
		if (j->block[n].bytes.p == NULL)
			return false;
	}
	return j->block != NULL;
}

/* Returns the size of a block, or 0 if there is too little memory for N threads. */
static size_t
block_size(size_t n)
{
	uint64_t most = mem_ceiling() / MEMORY_PART / n;
	size_t fixed = sizeof(struct aggregate) + (BLOCKS_EACH + 1) * sizeof(struct block) +
	    2 * mem_buffer(READ_SIZE);
	size_t size = BLOCK_SIZE;

	/* besides its blocks, a thread has places for all TABs and LFs of one */
	while (size >= BLOCK_MIN && fixed + size * (BLOCKS_EACH + 1 + sizeof(uint32_t)) > most)
		size /= 2;
	return size >= BLOCK_MIN ? size : 0;
}

static void
free_block(struct block *b)
{
	mem_free(b->bytes.p);
	mem_free(b->runs.text);
	mem_free(b->measures.text);
}

static void
free_jobs(struct jobs *j)
{
	size_t i;

	stop(j);
	join_workers(j, false);
	for (i = 0; j->block != NULL && i < j->blocks; i++)
		free_block(&j->block[i]);
	(void)pthread_cond_destroy(&j->done);
	(void)pthread_cond_destroy(&j->work);
	(void)pthread_mutex_destroy(&j->lock);
	mem_free(j->block);
	mem_free(j->worker);
	mem_free(j->follower);
	mem_free(j);
}

struct jobs *
jobs_open(struct aggregate *a, struct evread *r, size_t n, struct kinds_left *left)
{
	size_t size = block_size(n);
	struct jobs *j;

	if (n < 2 || size == 0 || is_ordered(a) || (j = mem_zero(1, sizeof *j)) == NULL)
		return NULL;
	*j = (struct jobs){ .a = a, .r = r, .left_out = left };
	if (pthread_mutex_init(&j->lock, NULL) != 0 || pthread_cond_init(&j->work, NULL) != 0 ||
	    pthread_cond_init(&j->done, NULL) != 0 || !make_workers(j, n) ||
	    !make_blocks(j, n * BLOCKS_EACH + 1, size)) {
		free_jobs(j);
		return NULL;
	}
	a->follower = j->follower;
	a->followers = n;
	return j;
}

int
jobs_close(struct jobs *j, struct err *e)
{
	int rc = 0;

	if (j == NULL)
		return 0;
	if (j->entered)
		evread_leave(j->r, &block_at(j, j->first)->bytes);
	j->entered = false;
	stop(j);
	join_workers(j, may_be_apart(j));
	if (j->failed) {
		*e = j->failure;
		rc = e->code;
	}
	free_jobs(j);
	return rc;
}
