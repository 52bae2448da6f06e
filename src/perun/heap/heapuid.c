/* SPDX-License-Identifier: ISC */
/* heapuid.c - the uids of a heap map, each once. */

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perun/heap/heapint.h"
#include "src/perun/pytext.h"

static const char *const keys[] = { "function", "line", "source" };
#define KEYS (sizeof keys / sizeof keys[0])

void
uids_free(struct uids *u)
{
	tab_free(&u->known);
	mem_free(u->place);
	buf_free(&u->info);
	buf_free(&u->identity);
}

/*
 * What is compared of a uid, to u->identity.  *missing: the key that it does not have, or NULL;
 * *nan: one is NaN, which Python finds equal to nothing.
 */
static int
identify(struct uids *u, struct jvalue *v, uint32_t token, const char **missing, bool *nan,
    struct err *e)
{
	uint32_t value;
	size_t i;

	u->identity.len = 0;
	*nan = false;
	*missing = NULL;
	for (i = 0; i < KEYS && *missing == NULL; i++) {
		value = JVALUE_NONE;
		if (v->j.token[token].kind == JSCAN_OBJECT)
			value = jvalue_member(v, token, slice_of(keys[i]));
		if (value == JVALUE_NONE) {
			*missing = keys[i];
			continue;
		}
		if (value == JVALUE_NO_MEMORY || !value_identity(v, value, &u->identity))
			return err_nomem(e);
		*nan |=
		    v->j.token[value].kind == JSCAN_WORD && v->j.text[v->j.token[value].off] == 'N';
	}
	return 0;
}

/* A new element of info. */
static int
append(struct uids *u, const struct jvalue *v, uint32_t token, struct err *e)
{
	if ((u->count != 0 && !buf_put(&u->info, ", ", 2)) ||
	    !pytext_dumps(&u->info, v->j.text, v->j.token, token))
		return err_nomem(e);
	u->count++;
	return 0;
}

/* The place where the one of that number in the table has come first. */
static int
known_place(struct uids *u, size_t number, bool fresh, uint64_t *place, struct err *e)
{
	if (!vec_room(u->place, number, u->place_cap))
		return err_nomem(e);
	if (fresh)
		u->place[number] = u->count;
	*place = u->place[number];
	return 0;
}

int
uids_find(struct uids *u, struct jvalue *v, uint32_t token, struct pynum *place, bool *again,
    struct err *e)
{
	const char *missing;
	bool nan, fresh = true;
	uint64_t at = u->count;
	size_t number;
	int rc = identify(u, v, token, &missing, &nan, e);

	if (rc != 0)
		return rc;
	if (u->count != 0 && u->odd)
		return err_data(e,
		    "the first uid lacks function, line or source: "
		    "no other can be compared with it");
	if (u->count != 0 && missing != NULL)
		return err_data(e, "the resource's uid has no %s", missing);
	u->odd |= missing != NULL;
	*again = nan || missing != NULL;
	if (!*again) {
		number = tab_add(&u->known, buf_slice(&u->identity), &fresh);
		if (number == TAB_NONE)
			return err_nomem(e);
		rc = known_place(u, number, fresh, &at, e);
	}
	if (rc == 0 && fresh)
		rc = append(u, v, token, e);
	*place = PYNUM((int64_t)at);
	return rc;
}
