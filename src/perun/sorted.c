/* SPDX-License-Identifier: ISC */
/* sorted.c - sorts texts by a key, as lines of evsort, whose six columns precede them. */
#include "src/perun/sorted.h"

#define BEFORE "\t\t\t\t\t"
#define BEFORE_LEN (sizeof BEFORE - 1)

void
sorted_free(struct sorted *s)
{
	evsort_free(s->s);
	buf_free(&s->line);
	s->s = NULL;
}

int
sorted_add(struct sorted *s, struct wide key, uint64_t number, struct slice text, struct err *e)
{
	struct ev ev = { .number = number };

	if (s->s == NULL && (s->s = evsort_new(s->memory)) == NULL)
		return err_nomem(e);
	s->line.len = 0;
	if (!buf_put(&s->line, BEFORE, BEFORE_LEN) || !buf_put(&s->line, text.p, text.len))
		return err_nomem(e);
	ev.text = buf_slice(&s->line);
	ev.col[EV_RUN] = (struct slice){ s->line.p, 0 };
	return evsort_add(s->s, "", &ev, key, e);
}

int
sorted_next(struct sorted *s, uint64_t *number, struct slice *text, struct err *e)
{
	const char *file;
	struct ev ev;
	int rc = s->s == NULL ? 0 : evsort_next(s->s, &file, &ev, e);

	*text = (struct slice){ NULL, 0 };
	if (rc < 0)
		return e->code;
	if (rc == 0)
		return 0;
	*number = ev.number;
	*text = (struct slice){ ev.text.p + BEFORE_LEN, ev.text.len - BEFORE_LEN };
	return 0;
}
