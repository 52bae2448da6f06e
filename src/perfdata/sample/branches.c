/* SPDX-License-Identifier: ISC */
/* branches.c - the last branches of a sample. */
#include <string.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

#define NAME_ROOM 32 /* of one name */
#define ENTRY_MAX (6 * NUM_MAX + 3 * NAME_ROOM)

/* The type that means that new_type has the type. */
#define TYPE_EXTENDED 15

/* As perf spells them (util/branch.c). */
static const char *
type_name(uint64_t flags)
{
	static const char *const names[] = { "", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET",
		"SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX" };
	static const char *const newer[] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
		"ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5" };
	uint64_t type = flags >> BRANCH_TYPE_SHIFT & 15, more = flags >> BRANCH_NEW_TYPE_SHIFT & 15;

	if (type != TYPE_EXTENDED)
		return names[type];
	return more < sizeof newer / sizeof newer[0] ? newer[more] : "NEW";
}

static char *
put(char *p, const char *s)
{
	size_t n = strlen(s);

	*p++ = '/';
	memcpy(p, s, n);
	return p + n;
}

/* FROM/TO/PREDICTION/TX/ABORT/CYCLES/TYPE/SPEC as perf prints them, then the privilege level. */
static char *
put_entry(char *p, uint64_t from, uint64_t to, uint64_t flags)
{
	static const char *const specs[] = { "-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
		"SPEC_CORRECT_PATH" };
	static const char *const privs[] = { "-", "u", "k", "h", "-", "-", "-", "-" };

	p += num_put_hex(p, from);
	*p++ = '/';
	p += num_put_hex(p, to);
	*p++ = '/';
	*p++ = (flags & BRANCH_MISPRED) != 0 ? 'M' : (flags & BRANCH_PREDICTED) != 0 ? 'P' : '-';
	*p++ = '/';
	*p++ = (flags & BRANCH_IN_TX) != 0 ? 'X' : '-';
	*p++ = '/';
	*p++ = (flags & BRANCH_ABORT) != 0 ? 'A' : '-';
	*p++ = '/';
	p += num_put_u64(p, flags >> BRANCH_CYCLES_SHIFT & 0xffff);
	p = put(p, type_name(flags));
	p = put(p, specs[flags >> BRANCH_SPEC_SHIFT & 3]);
	return put(p, privs[flags >> BRANCH_PRIV_SHIFT & 7]);
}

/* Newest first. */
static void
entries(struct evwrite *w, const struct sample *s)
{
	struct cur c = s->branch;
	uint64_t i;

	evw_tag_begin(w, SLICE("branches"));
	for (i = 0; i < s->branch_count; i++) {
		uint64_t from = cur_u64(&c), to = cur_u64(&c), flags = cur_bits64(&c);
		char *p = evw_room(w, ENTRY_MAX);

		if (p == NULL)
			return;
		if (i > 0)
			*p++ = ';';
		evw_advance(w, put_entry(p, from, to, flags));
	}
	if (s->branch_count == 0)
		evw_bytes(w, ".", 1);
	evw_tag_end(w, SLICE("branches"));
}

/* One word for each branch: the event counts up to it, as the processor packs them. */
static void
counters(struct evwrite *w, const struct sample *s)
{
	struct cur c = s->branch_counters;
	char text[NUM_MAX + 1];
	bool any = false;

	evw_tag_begin(w, SLICE("branch_counters"));
	for (; cur_left(&c) >= 8; any = true) {
		evw_bytes(w, ";", any);
		evw_bytes(w, text, num_put_hex(text, cur_u64(&c)));
	}
	evw_tag_end(w, SLICE("branch_counters"));
}

void
branches_put(struct evwrite *w, const struct sample *s)
{
	entries(w, s);
	if (s->branch_hw_index != UINT64_MAX)
		evw_tag_u64(w, SLICE("hw_idx"), s->branch_hw_index);
	if (cur_left(&s->branch_counters) >= 8)
		counters(w, s);
}
