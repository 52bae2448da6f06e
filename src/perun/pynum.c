/* SPDX-License-Identifier: ISC */
/* pynum.c - JSON's numbers as Python computes with them. */
#include "src/perun/pynum.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "src/perun/pytext.h"

#define TWO_TO_63 9223372036854775808.0

/*
 * GMP allocates by itself, and ends the program where there is no memory.  So what a number will
 * take is claimed first, with what GMP needs to read and to spell it.
 */
struct pynum_big {
	mpz_t z;
	size_t claimed;
};

/* A new number for DIGITS decimal digits; NULL without memory. */
static struct pynum_big *
big_new(size_t digits)
{
	size_t claim = 8 * digits + 256;
	struct pynum_big *b;

	if (!mem_claim(claim))
		return NULL;
	b = mem_alloc(sizeof *b);
	if (b == NULL) {
		mem_release(claim);
		return NULL;
	}
	b->claimed = claim;
	mpz_init(b->z);
	return b;
}

static void
big_free(struct pynum_big *b)
{
	mpz_clear(b->z);
	mem_release(b->claimed);
	mem_free(b);
}

static size_t
big_digits(const struct pynum_big *b)
{
	return mpz_sizeinbase(b->z, 10);
}

void
pynum_free(struct pynum *n)
{
	if (n->kind == PYNUM_BIG)
		big_free(n->as.big);
	*n = PYNUM(0);
}

static bool
is_integer(const struct pynum *n)
{
	return n->kind != PYNUM_FLOAT;
}

/* Takes over a number that may turn out to be small. */
static void
from_big(struct pynum *n, struct pynum_big *b)
{
	char digits[NUM_MAX + 2];

	*n = (struct pynum){ .kind = PYNUM_BIG, .as.big = b };
	if (big_digits(b) >= NUM_MAX ||
	    !num_get_i64(slice_of(mpz_get_str(digits, 10, b->z)), &n->as.i))
		return;
	n->kind = PYNUM_INT;
	big_free(b);
}

static bool
from_text(struct pynum *n, struct slice s)
{
	struct pynum_big *b;
	int64_t small;
	char *text;

	if (num_get_i64(s, &small)) {
		*n = PYNUM(small);
		return true;
	}
	text = mem_alloc(s.len + 1);
	b = text == NULL ? NULL : big_new(s.len);
	if (b != NULL) {
		memcpy(text, s.p, s.len);
		text[s.len] = '\0';
		(void)mpz_set_str(b->z, text, 10);
		from_big(n, b);
	}
	mem_free(text);
	return b != NULL;
}

int
pynum_read(struct pynum *n, const char *text, const struct jscan_token *k, struct err *e)
{
	struct slice s = { text + k->off, k->len };

	switch (k->kind) {
	case JSCAN_INTEGER:
		if (s.len == 2 && memcmp(s.p, "-0", 2) == 0)
			s = SLICE("0");
		return from_text(n, s) ? 0 : err_nomem(e);
	case JSCAN_FLOAT:
		*n = (struct pynum){ .kind = PYNUM_FLOAT, .as.f = pytext_double(s) };
		return 0;
	case JSCAN_WORD:
		if (s.p[0] == 't' || s.p[0] == 'f')
			*n = (struct pynum){ .kind = PYNUM_BOOL, .as.i = s.p[0] == 't' };
		else if (s.p[0] == 'N')
			*n = (struct pynum){ .kind = PYNUM_FLOAT, .as.f = (double)NAN };
		else if (s.p[0] != 'n')
			*n = (struct pynum){ .kind = PYNUM_FLOAT,
				.as.f = s.len == 8 ? (double)INFINITY : -(double)INFINITY };
		else
			break;
		return 0;
	}
	return err_data(e, "this is no number");
}

bool
pynum_copy(struct pynum *to, const struct pynum *from)
{
	*to = *from;
	if (from->kind != PYNUM_BIG)
		return true;
	to->as.big = big_new(big_digits(from->as.big));
	if (to->as.big == NULL) {
		*to = PYNUM(0);
		return false;
	}
	mpz_set(to->as.big->z, from->as.big->z);
	return true;
}

_Static_assert(GMP_NUMB_BITS >= 64, "a small integer is one limb");

/* The integer as one of GMP's, in ROOM if it is small. */
static mpz_srcptr
mpz_of(const struct pynum *n, mpz_t room, mp_limb_t *limb)
{
	if (n->kind == PYNUM_BIG)
		return n->as.big->z;
	*limb = n->as.i < 0 ? -(mp_limb_t)n->as.i : (mp_limb_t)n->as.i;
	return mpz_roinit_n(room, limb, n->as.i < 0 ? -1 : 1);
}

static int
add_integers(struct pynum *sum, const struct pynum *a, const struct pynum *b, bool negate_b,
    struct err *e)
{
	mpz_t room_a, room_b;
	mp_limb_t limb_a, limb_b;
	mpz_srcptr x = mpz_of(a, room_a, &limb_a), y = mpz_of(b, room_b, &limb_b);
	struct pynum_big *big = big_new(mpz_sizeinbase(x, 10) + mpz_sizeinbase(y, 10));

	if (big == NULL)
		return err_nomem(e);
	if (negate_b)
		mpz_sub(big->z, x, y);
	else
		mpz_add(big->z, x, y);
	from_big(sum, big);
	return 0;
}

/* Appends a big number's digits.  False without memory. */
static bool
put_big(struct buf *out, const struct pynum_big *b)
{
	if (!buf_room(out, big_digits(b) + 2))
		return false;
	(void)mpz_get_str(out->p + out->len, 10, b->z);
	out->len += strlen(out->p + out->len);
	return true;
}

/* Rounded to nearest, as Python does, which mpz_get_d does not do. */
static int
big_to_float(double *f, const struct pynum_big *b, struct err *e)
{
	struct buf text = { NULL, 0, 0 };

	if (!put_big(&text, b))
		return err_nomem(e);
	*f = strtod(text.p, NULL);
	buf_free(&text);
	return isinf(*f) ? err_data(e, "an integer is too large to be added to a float") : 0;
}

static int
to_float(double *f, const struct pynum *n, struct err *e)
{
	if (n->kind == PYNUM_BIG)
		return big_to_float(f, n->as.big, e);
	*f = n->kind == PYNUM_FLOAT ? n->as.f : (double)n->as.i;
	return 0;
}

static int
add(struct pynum *sum, const struct pynum *a, const struct pynum *b, bool negate_b, struct err *e)
{
	double x, y;
	int rc;

	if (is_integer(a) && is_integer(b))
		return add_integers(sum, a, b, negate_b, e);
	if ((rc = to_float(&x, a, e)) != 0 || (rc = to_float(&y, b, e)) != 0)
		return rc;
	*sum = (struct pynum){ .kind = PYNUM_FLOAT, .as.f = negate_b ? x - y : x + y };
	return 0;
}

int
pynum_add(struct pynum *sum, const struct pynum *a, const struct pynum *b, struct err *e)
{
	if (a->kind <= PYNUM_BOOL && b->kind <= PYNUM_BOOL &&
	    (b->as.i >= 0 ? a->as.i <= INT64_MAX - b->as.i : a->as.i >= INT64_MIN - b->as.i)) {
		*sum = PYNUM(a->as.i + b->as.i);
		return 0;
	}
	return add(sum, a, b, false, e);
}

int
pynum_sub(struct pynum *rest, const struct pynum *a, const struct pynum *b, struct err *e)
{
	if (a->kind <= PYNUM_BOOL && b->kind <= PYNUM_BOOL &&
	    (b->as.i >= 0 ? a->as.i >= INT64_MIN + b->as.i : a->as.i <= INT64_MAX + b->as.i)) {
		*rest = PYNUM(a->as.i - b->as.i);
		return 0;
	}
	return add(rest, a, b, true, e);
}

/* Below, equal to or above 0 as the integer is below, equal to or above a float that is no NaN. */
static int
compare_mixed(const struct pynum *n, double f)
{
	mpz_t room;
	mp_limb_t limb;

	return mpz_cmp_d(mpz_of(n, room, &limb), f);
}

bool
pynum_less(const struct pynum *a, const struct pynum *b)
{
	mpz_t room_a, room_b;
	mp_limb_t limb_a, limb_b;

	if (a->kind <= PYNUM_BOOL && b->kind <= PYNUM_BOOL)
		return a->as.i < b->as.i;
	if (is_integer(a) && is_integer(b))
		return mpz_cmp(mpz_of(a, room_a, &limb_a), mpz_of(b, room_b, &limb_b)) < 0;
	if (!is_integer(a) && !is_integer(b))
		return a->as.f < b->as.f;
	if (isnan(is_integer(a) ? b->as.f : a->as.f))
		return false;
	return is_integer(a) ? compare_mixed(a, b->as.f) < 0 : compare_mixed(b, a->as.f) > 0;
}

bool
pynum_equal(const struct pynum *a, const struct pynum *b)
{
	if (a->kind <= PYNUM_BOOL && b->kind <= PYNUM_BOOL)
		return a->as.i == b->as.i;
	if (a->kind == PYNUM_FLOAT && isnan(a->as.f))
		return false;
	if (b->kind == PYNUM_FLOAT && isnan(b->as.f))
		return false;
	return !pynum_less(a, b) && !pynum_less(b, a);
}

static uint64_t
hash_big(const mpz_t z, uint64_t seed)
{
	return XXH3_64bits_withSeed(mpz_limbs_read(z), mpz_size(z) * sizeof(mp_limb_t),
	    seed + (mpz_sgn(z) < 0));
}

/* As the integer that it is equal to, if there is one; of 1024 bits at most. */
static uint64_t
hash_float(double f, uint64_t seed)
{
	uint64_t hash;
	int64_t i;
	mpz_t z;

	if (!isfinite(f) || f != floor(f))
		return XXH3_64bits_withSeed(&f, sizeof f, seed);
	if (f >= -TWO_TO_63 && f < TWO_TO_63) {
		i = (int64_t)f;
		return XXH3_64bits_withSeed(&i, sizeof i, seed);
	}
	mpz_init_set_d(z, f);
	hash = hash_big(z, seed);
	mpz_clear(z);
	return hash;
}

uint64_t
pynum_hash(const struct pynum *n, uint64_t seed)
{
	switch (n->kind) {
	case PYNUM_FLOAT: return hash_float(n->as.f, seed);
	case PYNUM_BIG: return hash_big(n->as.big->z, seed);
	default: return XXH3_64bits_withSeed(&n->as.i, sizeof n->as.i, seed);
	}
}

bool
pynum_dumps(struct buf *out, const struct pynum *n)
{
	char digits[NUM_MAX];

	switch (n->kind) {
	case PYNUM_INT: return buf_put(out, digits, num_put_i64(digits, n->as.i));
	case PYNUM_BOOL: return buf_put(out, n->as.i ? "true" : "false", n->as.i ? 4 : 5);
	case PYNUM_BIG: return put_big(out, n->as.big);
	case PYNUM_FLOAT: return pytext_dumps_double(out, n->as.f);
	}
	return true;
}
