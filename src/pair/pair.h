/* SPDX-License-Identifier: ISC */
/*
 * pair.h - turns pairs of events into spans.
 *
 *	x = roles_new(), p = pair_new(&w);
 *	roles_set(x, PAIR_FROM, "disk:issue", &e), pair_on(p, "tid", &e) ...	settings
 *	roles_ready(x), pair_ready(p, &e);
 *	for each line: roles_of(x, &ev, &roles, &e);
 *		pair_line(p, &ev, roles, &e);	writes a span, or the line itself
 *	while (roles_rest(x, &e)) report it;
 *	if (roles_sampled(x, &e)) report it;
 *	while (pair_rest(p, &at, &e)) report it
 *	roles_free(x), pair_free(p);
 *
 * Memory grows with the number of runs and of intervals open at the same time, and with the number
 * of different keys up to a limit (src/pair/pending.h).
 */
#ifndef AFPIPE_PAIR_H
#define AFPIPE_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evwrite.h"

struct pair;

/* The roles of a line.  A line with both ends an interval first, and then begins the next. */
enum pair_roles {
	PAIR_FROM = 1,
	PAIR_TO = 2,
};

/* ---- which lines begin and end intervals (roles.c) */

struct roles;

/* Returns NULL if memory runs out. */
struct roles *roles_new(void);
void roles_free(struct roles *x);

/*
 * Which lines have a role, as the user wrote it: samples of a measure, or events for which a
 * condition (src/select/expr.h) holds.  Returns ERR_DATA for a wrong text, or ERR_SYS if memory
 * runs out.
 */
int roles_set(struct roles *x, enum pair_roles role, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Known pairs: switches of threads, and system calls.  They fail like roles_set. */
int roles_sched(struct roles *x, struct err *e) __attribute__((warn_unused_result));
int roles_calls(struct roles *x, struct err *e) __attribute__((warn_unused_result));

/* Call it after the settings. */
void roles_ready(struct roles *x);

/* Passes on the tags that the conditions read. */
void roles_reads(const struct roles *x, ev_key_sink *sink, void *ctx);

/* Finds the roles of a line, a sum of enum pair_roles.  Returns ERR_SYS if memory runs out. */
int roles_of(struct roles *x, const struct ev *ev, unsigned *roles, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Stores the next item to report after the last line, like pair_rest.  Call it only if there has
 * been a line, without which names cannot be judged.
 */
bool roles_rest(struct roles *x, struct err *e);

/*
 * Describes the events that stand for several (a tracepoint of which only one in so many was
 * recorded), between which intervals are missing.  Returns false if there is none.
 */
bool roles_sampled(const struct roles *x, struct err *e);

/* ---- from pairs of lines to spans (pair.c) */

/* Returns NULL if memory runs out.  w is borrowed, and its failures are kept in it. */
struct pair *pair_new(struct evwrite *w);
void pair_free(struct pair *p);

/*
 * Settings, as the user wrote them.  Each returns ERR_DATA for a wrong text, or ERR_SYS if memory
 * runs out.
 *
 * pair_on: KEY or KEY=KEY, separated by commas.  Lines pair if the first key of the first has the
 * same value as the second key of the second.  pair_keep, pair_keep_to: tags of the first and the
 * second line that the span keeps, separated by commas.  All may be called several times.
 */
int pair_on(struct pair *p, const char *list, struct err *e) __attribute__((warn_unused_result));
int pair_keep(struct pair *p, const char *list, struct err *e) __attribute__((warn_unused_result));
int pair_keep_to(struct pair *p, const char *list, struct err *e)
    __attribute__((warn_unused_result));
/* The measure of the spans.  Without it, it is latency. */
int pair_name(struct pair *p, const char *name, struct err *e) __attribute__((warn_unused_result));
/* The architecture whose system calls tp.id means, or none.  Without it, the run's line tells. */
int pair_syscalls(struct pair *p, const char *arch, struct err *e)
    __attribute__((warn_unused_result));
/*
 * The lines are system calls: those of raw_syscalls, or syscalls:sys_enter_NAME and
 * syscalls:sys_exit_NAME, which pair only if they have the same NAME.
 */
void pair_set_calls(struct pair *p);
/* Other lines may come between those that pair: the first that begins an interval counts. */
void pair_set_loose(struct pair *p);

/* Passes on the tags that events must have. */
void pair_reads(const struct pair *p, ev_key_sink *sink, void *ctx);

/* Call it after the settings. */
int pair_ready(struct pair *p, struct err *e) __attribute__((warn_unused_result));

/*
 * Processes a line.  Without a role it is written unchanged.  Returns ERR_DATA, with the line as
 * its place, if the line is left out.  Returns ERR_SYS if memory runs out.
 */
int pair_line(struct pair *p, const struct ev *ev, unsigned roles, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Stores the next item to report after the last line: errors (keys that no line has), doubts
 * (ERR_DOUBT) and notes, which have the code ERR_NONE.  *at is 0 at first.  Returns false when
 * there is nothing more.
 */
bool pair_rest(struct pair *p, size_t *at, struct err *e);

#endif
