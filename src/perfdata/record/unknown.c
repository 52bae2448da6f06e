/* SPDX-License-Identifier: ISC */
/* unknown.c - records of types that have no name here. */
#include <inttypes.h>
#include <stdio.h>

#include "src/perfdata/decoder.h"

#define TEXT_MAX 512

void
unknown_count(struct decoder *d, uint32_t type)
{
	struct unknown *u = &d->unknown;
	size_t i;

	u->records++;
	for (i = 0; i < u->types && u->of[i].type != type; i++)
		;
	if (i == UNKNOWN_TYPES)
		return;
	if (i == u->types) {
		u->types++;
		u->of[i].type = type;
	}
	u->of[i].records++;
}

static void
tell_samples(const struct decoder *d)
{
	char text[TEXT_MAX];

	if (d->unknown.samples == 0)
		return;
	(void)snprintf(text, sizeof text,
	    "%" PRIu64 " sample%s held bytes after the fields that are known here%s",
	    d->unknown.samples, d->unknown.samples == 1 ? "" : "s",
	    d->opt->all ? ": tag rest" : "; --all prints them");
	decoder_note(d, text);
}

/* If all records are printed or counted, nothing was skipped silently. */
void
unknown_tell(const struct decoder *d)
{
	const struct unknown *u = &d->unknown;
	uint64_t told = 0;
	char text[TEXT_MAX];
	size_t i, n;

	tell_samples(d);
	if (u->records == 0 || d->opt->all || d->opt->stats || d->opt->header)
		return;
	n = (size_t)snprintf(text, sizeof text,
	    "%" PRIu64 " record%s of unknown type ignored:", u->records,
	    u->records == 1 ? "" : "s");
	for (i = 0; i < u->types && n < sizeof text; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "%s %" PRIu32 " (%" PRIu64 ")",
		    i == 0 ? "" : ",", u->of[i].type, u->of[i].records);
		told += u->of[i].records;
	}
	if (told != u->records && n < sizeof text)
		(void)snprintf(text + n, sizeof text - n, ", others (%" PRIu64 ")",
		    u->records - told);
	decoder_note(d, text);
}
