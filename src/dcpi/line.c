/* SPDX-License-Identifier: ISC */
/* line.c - writes the sample lines of one event of one profile. */
#include "src/dcpi/line.h"

#include <errno.h>

#include "lib/short.h"
#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "lib/wide.h"
#include "src/dcpi/images.h"

#define LINE_FIXED ((size_t)256) /* bytes that are enough for all parts except texts */

static bool
put_number(struct buf *b, const char *key, uint64_t v)
{
	char text[NUM_MAX];

	return buf_puts(b, key) && buf_put(b, text, num_put_u64(text, v));
}

void
dcpi_rates_free(struct dcpi_rates *r)
{
	tab_free(&r->events);
	mem_free(r->rate);
}

/* Notes the rate of an event.  Returns false when memory runs out. */
static bool
see_rate(struct dcpi_rates *r, const struct line_event *event)
{
	const struct dcpi_rate *rate = &event->rate;
	bool fresh;
	size_t n;

	if (!rate->known)
		return true;
	n = tab_add(&r->events, event->measure, &fresh);
	if (n == TAB_NONE || !vec_room(r->rate, n, r->cap))
		return false;
	if (fresh)
		r->rate[n] = *rate;
	else if (r->rate[n].period != rate->period || r->rate[n].share != rate->share)
		r->differs = r->events.item[n];
	return true;
}

bool
dcpi_line_open(struct line *l, const struct line_event *event, const struct dcpi_options *opt,
    struct dcpi_names *names)
{
	l->names = names;
	l->events = opt->events && event->rate.known;
	l->rate = event->rate;
	l->to = 0;
	l->last = 0;
	memset(l->hex, '0', sizeof l->hex);
	l->head.len = l->measure.len = l->tail.len = 0;
	if (opt->rates != NULL && !see_rate(opt->rates, event))
		return false;
	if (!buf_puts(&l->head, "sample\t.\t") ||
	    !buf_put(&l->head, event->run.p, event->run.len) || !buf_puts(&l->head, "\t"))
		return false;
	if (!buf_puts(&l->measure, "\t") ||
	    !esc_append(&l->measure, event->measure.p, event->measure.len, ESC_COLUMN) ||
	    !buf_puts(&l->measure, "\t"))
		return false;
	if (!buf_puts(&l->tail, "\timage=") ||
	    !esc_append(&l->tail, event->image.p, event->image.len, ESC_COLUMN))
		return false;
	if (!buf_puts(&l->tail, "\tperiod="))
		return false;
	if (event->rate.known ? !put_number(&l->tail, "", event->rate.period)
			      : !buf_put(&l->tail, event->period.p, event->period.len))
		return false;
	return event->rate.share == DCPI_SHARE_WHOLE ||
	    put_number(&l->tail, "\tshare=", event->rate.share);
}

void
dcpi_line_close(struct line *l)
{
	buf_free(&l->head);
	buf_free(&l->measure);
	buf_free(&l->tail);
	buf_free(&l->region);
}

/* Writes two hexadecimal digits. */
static HINT_INLINE void
put_byte(char *p, unsigned byte)
{
	static const char digits[] = "000102030405060708090a0b0c0d0e0f"
				     "101112131415161718191a1b1c1d1e1f"
				     "202122232425262728292a2b2c2d2e2f"
				     "303132333435363738393a3b3c3d3e3f"
				     "404142434445464748494a4b4c4d4e4f"
				     "505152535455565758595a5b5c5d5e5f"
				     "606162636465666768696a6b6c6d6e6f"
				     "707172737475767778797a7b7c7d7e7f"
				     "808182838485868788898a8b8c8d8e8f"
				     "909192939495969798999a9b9c9d9e9f"
				     "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"
				     "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
				     "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
				     "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
				     "e0e1e2e3e4e5e6e7e8e9eaebecedeeef"
				     "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

	memcpy(p, digits + (size_t)byte * 2, 2);
}

static void
put_digits(char *p, uint64_t v, unsigned bytes)
{
	while (bytes-- > 0) {
		put_byte(p + (size_t)bytes * 2, (unsigned)(v & 0xff));
		v >>= 8;
	}
}

/* Updates the digits of the address.  Usually only the last four change. */
static HINT_INLINE void
see_address(struct line *l, uint64_t addr)
{
	if (addr >> 16 == l->last >> 16) {
		put_byte(l->hex + 14, (unsigned)(addr & 0xff));
		put_byte(l->hex + 12, (unsigned)(addr >> 8 & 0xff));
	} else {
		put_digits(l->hex, addr, 8);
	}
	l->last = addr;
}

static HINT_INLINE char *
put_address(const struct line *l, char *p)
{
	memcpy(p, "0x", 2);
	memcpy(p + 2, l->hex, sizeof l->hex);
	return p + 2 + sizeof l->hex;
}

/* Writes 0x and an offset of 32 bits or a little more. */
static HINT_INLINE char *
put_offset(char *p, uint64_t off)
{
	char text[16];
	unsigned n = 1;

	memcpy(p, "0x", 2);
	if (off >> 32 != 0)
		return p + num_put_hex(p, off);
	put_byte(text, (unsigned)(off >> 24));
	put_byte(text + 2, (unsigned)(off >> 16 & 0xff));
	put_byte(text + 4, (unsigned)(off >> 8 & 0xff));
	put_byte(text + 6, (unsigned)(off & 0xff));
	while (n < 8 && off >> 4 * n != 0)
		n++;
	memcpy(p + 2, text + 8 - n, 8); /* bytes after the digits are overwritten later */
	return p + 2 + n;
}

/*
 * Sets l->region to the procedure of the address, or to nothing.  Returns false when memory runs
 * out.
 */
static bool
find_region(struct line *l, uint64_t addr)
{
	struct dcpi_names *n = l->names;
	const struct symbol *s;
	struct span span = { n->from, n->to };
	struct slice name;

	if (addr < l->to) /* addresses increase */
		return true;
	l->region.len = 0;
	l->to = addr;
	s = addr < n->from || addr >= n->to ? NULL
					    : symtab_find_span(n->symbols, addr - n->delta, &span);
	n->found += s != NULL;
	n->missed += s == NULL;
	if (s == NULL)
		return true;
	/* the span must be within one segment; if not, the next address is looked up again */
	l->to = span.to + n->delta > addr && span.to + n->delta <= n->to ? span.to + n->delta
									 : addr + 1;
	name = n->speller->name(n->speller->ctx, s);
	return name.p != NULL && esc_append(&l->region, name.p, name.len, ESC_COLUMN);
}

static void
put_events(const struct line *l, struct evwrite *w, uint64_t count)
{
	struct wide n = wide_mul(count, l->rate.period);
	char text[WIDE_DIGITS + NUM_MAX];
	size_t len;

	if (l->rate.share == DCPI_SHARE_WHOLE)
		len = wide_put(text, n);
	else
		len = num_put_double(text,
		    (double)count * (double)l->rate.period * DCPI_SHARE_WHOLE /
			(double)l->rate.share);
	evw_tag_raw(w, SLICE("events"), (struct slice){ text, len });
}

static HINT_INLINE char *
put_count(char *p, uint64_t v)
{
	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	return p + num_put_u64(p, v);
}

void
dcpi_line_put(struct line *l, struct evwrite *w, const struct line_sample *s)
{
	bool named = l->names != NULL && s->has_addr;
	char *p;

	if (named && !find_region(l, s->addr))
		evw_nomem(w);
	evw_start(w);
	p = evw_room(w, l->head.len + l->measure.len + l->tail.len + l->region.len + LINE_FIXED);
	if (p == NULL)
		return;
	p = short_copy(p, l->head.p, l->head.len);
	if (s->has_addr)
		see_address(l, s->addr);
	if (named && l->region.len != 0)
		p = short_copy(p, l->region.p, l->region.len);
	else if (s->has_addr)
		p = put_address(l, p);
	else
		*p++ = '.';
	p = short_copy(p, l->measure.p, l->measure.len);
	p = put_count(p, s->count);
	memcpy(p, "\taddr=", 6);
	p += 6;
	if (s->has_addr)
		p = put_address(l, p);
	else
		*p++ = '.';
	memcpy(p, "\toff=", 5);
	p += 5;
	if (s->has_off)
		p = put_offset(p, s->off);
	else
		*p++ = '.';
	p = short_copy(p, l->tail.p, l->tail.len);
	evw_advance(w, p);
	if (l->events)
		put_events(l, w, s->count);
	evw_end(w);
}
