/* SPDX-License-Identifier: ISC */
/* exact.c - a sum without rounding. */
#include "src/aggregate/exact.h"

#include <string.h>

#include "lib/mem.h"

#define LIMB_BITS 32
#define CARRY_AFTER ((uint32_t)1 << 30) /* each addition changes a limb by less than 2^32 */

void
exact_free(struct exact *x)
{
	mem_free(x->limb);
	*x = (struct exact){ 0 };
}

/* Makes sure that the limbs from first to last exist. */
static bool
cover(struct exact *x, int32_t first, int32_t last)
{
	int32_t low = x->n == 0 || first < x->first ? first : x->first;
	int32_t high =
	    x->n == 0 || last >= x->first + (int32_t)x->n ? last : x->first + (int32_t)x->n - 1;
	uint32_t n = (uint32_t)(high - low) + 1, below = x->n == 0 ? 0 : (uint32_t)(x->first - low);

	if (n == x->n)
		return true;
	if (n > x->cap) {
		int64_t *limb = mem_resize(x->limb, n * sizeof *limb);

		if (limb == NULL)
			return false;
		x->limb = limb;
		x->cap = n;
	}
	memmove(x->limb + below, x->limb, x->n * sizeof *x->limb);
	memset(x->limb, 0, below * sizeof *x->limb);
	memset(x->limb + below + x->n, 0, (n - below - x->n) * sizeof *x->limb);
	x->first = low;
	x->n = n;
	return true;
}

/* Keeps the limb's own 32 bits and returns the higher ones for the next limb.  Signed. */
static int64_t
carry_out(int64_t *limb)
{
	int64_t own = *limb & (int64_t)UINT32_MAX;
	int64_t above = (*limb - own) / ((int64_t)1 << LIMB_BITS);

	*limb = own;
	return above;
}

static bool
resolve(struct exact *x)
{
	uint32_t i;

	/* the top limb keeps its carry; a new one above takes it */
	if (!cover(x, x->first, x->first + (int32_t)x->n))
		return false;
	for (i = 0; i + 1 < x->n; i++)
		x->limb[i + 1] += carry_out(&x->limb[i]);
	x->carried = 0;
	return true;
}

static bool
add_half(struct exact *x, bool negative, uint64_t m, int exp)
{
	int32_t first = exp >= 0 ? exp / LIMB_BITS : -((LIMB_BITS - 1 - exp) / LIMB_BITS);
	int left = exp - first * LIMB_BITS;
	struct wide v = wide_shl((struct wide){ 0, m }, (unsigned)left);
	int64_t *limb;

	if (m == 0)
		return true;
	if (x->carried == CARRY_AFTER && !resolve(x))
		return false;
	if (!cover(x, first, first + (v.hi != 0 ? 2 : v.lo >> LIMB_BITS != 0 ? 1 : 0)))
		return false;
	limb = x->limb + (first - x->first);
	x->carried++;
	limb[0] += negative ? -(int64_t)(v.lo & UINT32_MAX) : (int64_t)(v.lo & UINT32_MAX);
	if (v.hi != 0 || v.lo >> LIMB_BITS != 0)
		limb[1] += negative ? -(int64_t)(v.lo >> LIMB_BITS) : (int64_t)(v.lo >> LIMB_BITS);
	if (v.hi != 0)
		limb[2] += negative ? -(int64_t)v.hi : (int64_t)v.hi;
	return true;
}

bool
exact_add(struct exact *x, bool negative, struct wide m, int exp)
{
	return add_half(x, negative, m.lo, exp) && add_half(x, negative, m.hi, exp + 64);
}

bool
exact_add_square(struct exact *x, struct wide m, int exp)
{
	return exact_add(x, false, wide_mul(m.lo, m.lo), 2 * exp) &&
	    exact_add(x, false, wide_mul(m.lo, m.hi), 2 * exp + 65) &&
	    exact_add(x, false, wide_mul(m.hi, m.hi), 2 * exp + 128);
}

/* Resolves the carries of x's limbs times SIGN into sum; returns what is left above. */
static int64_t
carry_into(struct natural *sum, const struct exact *x, int64_t sign)
{
	int64_t carry = 0;
	uint32_t i;

	for (i = 0; i < x->n; i++) {
		int64_t limb = x->limb[i] * sign + carry;

		carry = carry_out(&limb);
		sum->limb[i] = (uint32_t)limb;
	}
	return carry;
}

void
exact_get(const struct exact *x, struct natural *sum, bool *negative)
{
	int64_t carry = carry_into(sum, x, 1);

	*negative = carry < 0;
	if (carry < 0)
		carry = carry_into(sum, x, -1);
	sum->exp = x->first;
	sum->n = x->n + 2;
	sum->limb[x->n] = (uint32_t)carry;
	sum->limb[x->n + 1] = (uint32_t)(carry >> LIMB_BITS);
	natural_trim(sum);
}
