/* SPDX-License-Identifier: ISC */
/* lookup.c - the options and messages of programs that look up symbols. */
#include "src/symbol/lookup.h"

#include <inttypes.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/esc.h"
#include "lib/num.h"

#define PATH_SHOWN FILE_PATH_MAX /* the largest number of bytes of a path in a note */
#define FAILED_PATH_SHOWN 100 /* the same in an error, after escaping */
#define PATH_ROOM (PATH_SHOWN * ESC_MAX_GROWTH)
#define TEXT_MAX (PATH_ROOM + 256)
#define WHO_MAX (NUM_MAX + sizeof " samples")

void
lookup_option(struct lookup *l, int id, const char *argument)
{
	struct symbol_options *o = &l->options;

	switch (id) {
	case LOOKUP_SYMFS: o->symfs = argument; break;
	case LOOKUP_BUILDID_DIR: o->build_id_cache = argument; break;
	case LOOKUP_DEBUG_DIR: o->debug_dir = argument; break;
	case LOOKUP_KALLSYMS: o->kallsyms = argument; break;
	case LOOKUP_FORCE: o->force = true; break;
	case LOOKUP_MISSING: l->missing = true; break;
	case LOOKUP_INLINE: o->wanted |= SYM_INLINED; break;
	case LOOKUP_SRCLINE: o->wanted |= SYM_LINES; break;
	case LOOKUP_NO_DEMANGLE: o->mangled = true; break;
	}
}

static void
set_cache(struct lookup *l)
{
	const char *home = getenv("HOME");
	int n;

	if (l->options.build_id_cache != NULL || l->options.symfs != NULL || home == NULL ||
	    home[0] != '/')
		return;
	n = snprintf(l->cache, sizeof l->cache, "%s/.debug", home);
	if ((size_t)n < sizeof l->cache)
		l->options.build_id_cache = l->cache;
}

/* Checks the folders that options name, since nothing can be found in one that is not there. */
static int
check_folders(const struct symbol_options *o, struct err *e)
{
	const struct {
		const char *option, *path;
	} folder[] = { { "symfs", o->symfs }, { "debug-dir", o->debug_dir },
		{ "buildid-dir", o->build_id_cache } };
	char path[PATH_ROOM], text[TEXT_MAX];
	struct stat st;
	size_t i, n;

	for (i = 0; i < sizeof folder / sizeof folder[0]; i++) {
		if (folder[i].path == NULL || folder[i].path[0] == '\0')
			continue;
		if (stat(folder[i].path, &st) == 0) {
			if (S_ISDIR(st.st_mode))
				continue;
			errno = ENOTDIR;
		}
		n = strlen(folder[i].path);
		n = esc_write(path, folder[i].path, n < PATH_SHOWN ? n : PATH_SHOWN, ESC_COLUMN);
		(void)snprintf(text, sizeof text, "--%s: %.*s", folder[i].option, (int)n, path);
		return err_sys(e, errno, text);
	}
	return 0;
}

int
lookup_open(struct lookup *l, struct err *e)
{
	int rc = check_folders(&l->options, e);

	if (rc != 0)
		return rc;
	set_cache(l);
	if ((l->engine = symbol_engine_open(&l->options, e)) == NULL)
		return e->code;
	l->face = symbol_engine_face(l->engine);
	return 0;
}

void
lookup_close(struct lookup *l)
{
	symbol_engine_close(l->engine);
}

static void
put_missing(struct out *o, const struct symbol_miss *miss)
{
	struct slice reason = slice_of(miss->reason);
	char *line = out_room(o,
	    (miss->path.len + reason.len) * ESC_MAX_GROWTH + 2 * miss->build_id.len + NUM_MAX +
		sizeof "\t.\t\t\n");
	char *p = line;

	if (p == NULL)
		return;
	p += esc_write(p, miss->path.p, miss->path.len, ESC_COLUMN);
	*p++ = '\t';
	p += num_put_bytes(p, miss->build_id.p, miss->build_id.len);
	if (miss->build_id.len == 0)
		*p++ = '.';
	*p++ = '\t';
	p += num_put_u64(p, miss->samples);
	*p++ = '\t';
	p += esc_write(p, reason.p, reason.len, ESC_COLUMN);
	*p++ = '\n';
	out_commit(o, (size_t)(p - line));
}

/* Writes the object's path, escaped, and returns its length. */
static size_t
show_path(const struct symbol_miss *miss, char path[PATH_ROOM])
{
	size_t n = miss->path.len < PATH_SHOWN ? miss->path.len : PATH_SHOWN;

	return esc_write(path, miss->path.p, n, ESC_COLUMN);
}

/* Returns who lacks names: "3 samples" or, if no sample does, "only callers". */
static const char *
who(uint64_t samples, char room[WHO_MAX])
{
	(void)snprintf(room, WHO_MAX, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
	return samples == 0 ? "only callers" : room;
}

/* Writes "no symbols for PATH: REASON (N samples)", or the same for lines. */
static void
spell_miss(const struct symbol_miss *miss, char *text, size_t size)
{
	char path[PATH_ROOM], room[WHO_MAX];
	size_t n = show_path(miss, path);

	if ((miss->failed || miss->damaged) && n > FAILED_PATH_SHOWN)
		n = FAILED_PATH_SHOWN;
	if (miss->lines)
		(void)snprintf(text, size, "no %s for %.*s: %.100s",
		    miss->partly ? "complete debug information" : "lines", (int)n, path,
		    miss->reason);
	else if (miss->unlisted)
		(void)snprintf(text, size, "no symbols for JIT code that %.*s does not list (%s)",
		    (int)n, path, who(miss->samples, room));
	else if (miss->partly && miss->samples == 0) /* maybe nothing of what was sampled */
		(void)snprintf(text, size, "no symbols for some code of %.*s: %.100s", (int)n, path,
		    miss->reason);
	else
		(void)snprintf(text, size, "no symbols for %s%.*s: %.100s (%s)",
		    miss->partly || miss->exported ? "some code of " : "", (int)n, path,
		    miss->reason, who(miss->samples, room));
}

/* Reports an object whose symbols may exist, because the system failed, or one that is damaged. */
static void
say_error(const struct reporter *to, const struct symbol_miss *miss)
{
	struct err e = { .code = miss->failed ? ERR_SYS : ERR_DATA, .ceiling = miss->ceiling };

	spell_miss(miss, e.msg, sizeof e.msg);
	report_error(to, NULL, &e);
}

static void
say_forced(const struct reporter *to, const struct symbol_miss *miss)
{
	char path[PATH_ROOM], text[TEXT_MAX];
	size_t n = show_path(miss, path);

	(void)snprintf(text, sizeof text, "the names of %.*s are a guess: %s", (int)n, path,
	    miss->reason);
	report_list(to, text);
}

/* Reports a JIT map whose names may be those of code that was there at another time. */
static void
say_renamed(const struct reporter *to, const struct symbol_miss *miss)
{
	char path[PATH_ROOM], text[TEXT_MAX];
	size_t n = show_path(miss, path);

	(void)snprintf(text, sizeof text,
	    "%.*s lists %zu address%s with several names: samples there have the last one, also "
	    "those of code before (a jitdump has times)",
	    (int)n, path, miss->renamed, miss->renamed == 1 ? "" : "es");
	report_list(to, text);
}

void
lookup_list_missing(const struct lookup *l, struct out *o, const struct reporter *to)
{
	struct symbol_miss miss;
	char text[TEXT_MAX];
	size_t pos = 0;

	while (symbol_engine_next_miss(l->engine, &pos, &miss)) {
		if (miss.normal || miss.failed || miss.forced ||
		    (miss.renamed != 0 && miss.samples == 0))
			continue;
		if (miss.path.p[0] == '/') {
			put_missing(o, &miss);
		} else {
			spell_miss(&miss, text, sizeof text);
			report_list(to, text);
		}
	}
}

/* The objects that are only counted. */
struct others {
	size_t n; /* without symbols */
	size_t kernels; /* without symbols */
	uint64_t samples;
	size_t lineless;
	uint64_t jitted; /* samples in JIT code that nothing lists, until they are reported */
};

/* Returns the number of samples in JIT code of processes that have neither a map nor a jitdump. */
static uint64_t
count_jitted(struct symbol_engine *engine)
{
	struct symbol_miss miss;
	uint64_t samples = 0;
	size_t pos = 0;

	while (symbol_engine_next_miss(engine, &pos, &miss))
		samples += miss.no_map ? miss.samples : 0;
	return samples;
}

/* Reports that code, of all processes together, because the user can do something about it. */
static void
say_jitted(const struct reporter *to, struct others *others)
{
	char text[256], room[WHO_MAX];

	(void)snprintf(text, sizeof text,
	    "no symbols for JIT code without /tmp/perf-PID.map (%s): record node with "
	    "--perf-basic-prof, java with -XX:+DumpPerfMapAtExit, python with -X perf",
	    who(others->jitted, room));
	report_list(to, text);
	others->jitted = 0;
}

/*
 * Reports one miss.  Without --missing, only the kernel, because an option may give its file, and
 * the other object with the most samples are named.
 */
static void
say_miss(const struct reporter *to, const struct symbol_miss *miss, bool all, struct others *others)
{
	bool kernel = miss->path.len > 0 && miss->path.p[0] == '[';
	char text[TEXT_MAX];

	spell_miss(miss, text, sizeof text);
	if (miss->failed || miss->damaged)
		say_error(to, miss);
	else if (miss->forced)
		say_forced(to, miss);
	else if (all || miss->partly || miss->unlisted)
		report_list(to, text);
	else if (miss->lines)
		others->lineless++;
	else if (!miss->normal && ((kernel && others->kernels++ == 0) || others->n++ == 0))
		report_list(to, text);
	else if (!miss->normal)
		others->samples += miss->samples;
}

static void
say_others(const struct reporter *to, const struct others *others)
{
	char text[160], room[WHO_MAX];

	if (others->n > 1) {
		(void)snprintf(text, sizeof text,
		    "no symbols for %zu other object%s (%s); --missing lists them", others->n - 1,
		    others->n == 2 ? "" : "s", who(others->samples, room));
		report_list(to, text);
	}
	if (others->lineless != 0) {
		(void)snprintf(text, sizeof text,
		    "no debug information for %zu object%s, so neither lines nor inlined "
		    "functions; --missing lists them",
		    others->lineless, others->lineless == 1 ? "" : "s");
		report_list(to, text);
	}
}

void
lookup_report(struct lookup *l, const struct reporter *to)
{
	struct others others = { .jitted = l->missing ? 0 : count_jitted(l->engine) };
	struct symbol_miss miss;
	struct err e;
	size_t pos = 0;
	bool said = false;

	while (symbol_engine_next_miss(l->engine, &pos, &miss)) {
		if (others.jitted != 0 && miss.samples <= others.jitted)
			say_jitted(to, &others);
		if (miss.renamed != 0)
			say_renamed(to, &miss);
		if (miss.renamed != 0 && miss.samples == 0)
			continue;
		say_miss(to, &miss, l->missing, &others);
		said |= miss.failed;
	}
	say_others(to, &others);
	if (!said && symbol_engine_failed(l->engine)) {
		err_nomem(&e);
		report_error(to, NULL, &e);
	}
}
