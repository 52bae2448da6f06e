/* SPDX-License-Identifier: ISC */
/* fetch.c - object files from debuginfod servers, by build id. */
#include "src/symbol/fetch.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/num.h"

#define LIBRARY "libdebuginfod.so.1"

/* Extra seconds in which the library itself can give up on a file that has exceeded its limit. */
#define GRACE 5

/* The part of elfutils/debuginfod.h that is used. */
struct client;
typedef int find_function(struct client *c, const unsigned char *id, int len, char **path);
typedef int progress_function(struct client *c, long a, long b);

struct library {
	void *handle;
	struct client *(*begin)(void);
	void (*end)(struct client *c);
	find_function *find_debuginfo, *find_executable;
	void (*set_progressfn)(struct client *c, progress_function *f);
	void (*set_user_data)(struct client *c, void *data);
	void *(*get_user_data)(struct client *c);
};

struct fetch {
	const struct fetch_options *opt;
	struct library lib;
	struct client *client;
	struct fetch_counts counts;
	char *path; /* of the last file; from malloc */
	const char *name; /* of the object whose file is being fetched */
	struct timespec began;
	bool late; /* its time has run out */
	unsigned lates; /* files in a row whose time has run out */
};

/* After this many files in a row whose time has run out, no more are requested. */
#define LATES_MAX 2

/* The signals that end the program while it waits for a server. */
static const int ending[] = { SIGHUP, SIGINT, SIGTERM };

#define ENDING (sizeof ending / sizeof ending[0])

_Static_assert(sizeof(find_function *) == sizeof(void *), "dlsym finds functions");

/* Sets *function to a function of the library.  Data pointers cannot be converted in ISO C. */
static bool
load(const struct library *lib, const char *name, void *function)
{
	void *p = dlsym(lib->handle, name);

	if (p == NULL)
		return false;
	memcpy(function, &p, sizeof p);
	return true;
}

#define LOAD(lib, member) load(lib, "debuginfod_" #member, &(lib)->member)

static int
load_library(struct library *lib, struct err *e)
{
	lib->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (lib->handle == NULL)
		return err_data(e, "debuginfod: %s is not installed", LIBRARY);
	if (LOAD(lib, begin) && LOAD(lib, end) && LOAD(lib, find_debuginfo) &&
	    LOAD(lib, find_executable) && LOAD(lib, set_progressfn) && LOAD(lib, set_user_data) &&
	    LOAD(lib, get_user_data))
		return 0;
	return err_data(e, "debuginfod: %s is too old", LIBRARY);
}

static uint64_t
seconds_since(const struct timespec *then)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0 || now.tv_sec < then->tv_sec)
		return 0;
	return (uint64_t)(now.tv_sec - then->tv_sec) - (now.tv_nsec < then->tv_nsec);
}

/*
 * Called by the library, which gives up on the file if the result is not 0.  The library passes
 * only the client, and only a function of the library returns the client's user data.
 */
static int
progress(struct client *c, long got, long all)
{
	struct library lib = { .handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD) };
	struct fetch *f = NULL;

	if (lib.handle != NULL && LOAD(&lib, get_user_data))
		f = lib.get_user_data(c);
	if (lib.handle != NULL)
		dlclose(lib.handle);
	if (f == NULL)
		return 1;
	f->opt->progress(f->opt->ctx, f->name, got > 0 ? (uint64_t)got : 0,
	    all > 0 ? (uint64_t)all : 0);
	f->late = seconds_since(&f->began) >= f->opt->seconds + GRACE;
	return f->late;
}

/*
 * Sets the library's own limits, which apply to each of its attempts.  If progress gives up on a
 * file, the library remembers for ten minutes that no server has it, so progress does so only with
 * libraries that lack these limits (before 0.186).
 */
static bool
set_limits(uint64_t seconds)
{
	char text[NUM_MAX + 1];

	text[num_put_u64(text, seconds)] = '\0';
	return setenv("DEBUGINFOD_MAXTIME", text, 1) == 0 &&
	    setenv("DEBUGINFOD_TIMEOUT", text, 1) == 0 &&
	    setenv("DEBUGINFOD_RETRY_LIMIT", "0", 1) == 0;
}

/* Starts the library.  If that fails, frees f and returns NULL. */
static struct fetch *
begin(struct fetch *f, struct err *e)
{
	if ((f->client = f->lib.begin()) == NULL) {
		err_data(e, "debuginfod: %s does not start", LIBRARY);
		fetch_close(f);
		return NULL;
	}
	f->lib.set_user_data(f->client, f);
	f->lib.set_progressfn(f->client, progress);
	return f;
}

struct fetch *
fetch_open(const struct fetch_options *o, struct err *e)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct fetch *f;

	if (servers == NULL || servers[0] == '\0') {
		err_data(e, "debuginfod: DEBUGINFOD_URLS names no server");
		return NULL;
	}
	if ((f = mem_zero(1, sizeof *f)) == NULL) {
		err_nomem(e);
		return NULL;
	}
	f->opt = o;
	if (!set_limits(o->seconds))
		err_nomem(e);
	else if (load_library(&f->lib, e) == 0)
		return begin(f, e);
	fetch_close(f);
	return NULL;
}

void
fetch_close(struct fetch *f)
{
	if (f == NULL)
		return;
	if (f->client != NULL)
		f->lib.end(f->client);
	/* the library stays loaded, because its own libraries would leak memory */
	free(f->path); /* from malloc */
	mem_free(f);
}

/* Counts a file that could not be fetched, and stores the reason. */
static int
refuse(struct fetch *f, int error, struct err *e)
{
	f->late |= error == ETIME;
	f->lates = f->late ? f->lates + 1 : 0;
	if (error == ENOENT && !f->late) {
		f->counts.missing++;
		return err_data(e, "no debuginfod server has it");
	}
	f->counts.failed++;
	if (f->late)
		return err_data(e, "debuginfod: not fetched within %llu seconds",
		    (unsigned long long)f->opt->seconds);
	return err_data(e, "debuginfod: %s", strerror(error));
}

/*
 * A signal ends the program at once: if the library were asked to stop, it would remember the file
 * as one that no server has.
 */
int
fetch_file(struct fetch *f, enum fetch_kind kind, const unsigned char *build_id, size_t len,
    const char *name, const char **path, struct err *e)
{
	find_function *find = kind == FETCH_DEBUG ? f->lib.find_debuginfo : f->lib.find_executable;
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	struct sigaction kept[ENDING];
	size_t i;
	int fd;

	if (f->lates == LATES_MAX) {
		f->counts.failed++;
		return err_data(e,
		    "debuginfod: not requested, because others did not arrive in time");
	}
	free(f->path); /* from malloc */
	f->path = NULL;
	f->name = name;
	f->late = false;
	(void)clock_gettime(CLOCK_MONOTONIC, &f->began);
	for (i = 0; i < ENDING; i++)
		if (sigaction(ending[i], NULL, &kept[i]) == 0 && kept[i].sa_handler != SIG_IGN)
			(void)sigaction(ending[i], &plain, NULL);
	fd = find(f->client, build_id, (int)len, &f->path);
	for (i = 0; i < ENDING; i++)
		(void)sigaction(ending[i], &kept[i], NULL);
	f->opt->progress(f->opt->ctx, NULL, 0, 0);
	if (fd < 0 || f->path == NULL)
		return refuse(f, fd < 0 ? -fd : ENOMEM, e);
	(void)close(fd);
	f->lates = 0;
	f->counts.found++;
	*path = f->path;
	return 0;
}

const struct fetch_counts *
fetch_counts(const struct fetch *f)
{
	return &f->counts;
}
