/* SPDX-License-Identifier: ISC */
/* seconds.c - times in nanoseconds, as seconds for people. */
#include "lib/seconds.h"

#include <string.h>

#include "lib/num.h"

#define NS_DIGITS 9 /* decimals of a time in nanoseconds, as seconds */
#define TIME_MAX 64 /* digits of a time that is shown in seconds */

/* Returns how many decimals a time in nanoseconds needs in seconds: 0, 3, 6 or 9. */
static int
decimals_of(struct slice ns)
{
	size_t zeros = 0;

	while (zeros < ns.len && ns.p[ns.len - 1 - zeros] == '0')
		zeros++;
	if (zeros == ns.len || zeros >= NS_DIGITS)
		return 0;
	return (int)(NS_DIGITS - zeros + 2) / 3 * 3;
}

bool
seconds_see(struct slice ns, int *decimals)
{
	int n;

	if (slice_is_nothing(ns))
		return true;
	if (!num_is_integer(ns) || ns.len > TIME_MAX)
		return false;
	n = decimals_of(ns);
	*decimals = n > *decimals ? n : *decimals;
	return true;
}

size_t
seconds_put(char text[SECONDS_MAX], struct slice ns, int decimals)
{
	char digits[TIME_MAX + NS_DIGITS + 1], *d = text;
	size_t negative = ns.p[0] == '-', n = ns.len - negative, zeros;

	zeros = n > NS_DIGITS ? 0 : NS_DIGITS + 1 - n;
	memset(digits, '0', zeros);
	memcpy(digits + zeros, ns.p + negative, n);
	n += zeros - NS_DIGITS;
	if (negative)
		*d++ = '-';
	memcpy(d, digits, n);
	d += n;
	if (decimals > 0) {
		*d++ = '.';
		memcpy(d, digits + n, (size_t)decimals);
		d += decimals;
	}
	*d++ = 's';
	return (size_t)(d - text);
}
