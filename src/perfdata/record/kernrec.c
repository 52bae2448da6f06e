/* SPDX-License-Identifier: ISC */
/* kernrec.c - the parts of the kernel's records that are not plain fields. */
#include "src/perfdata/abi.h"
#include "src/perfdata/record/fields.h"
#include "src/perfdata/sample/line.h"
#include "src/perfdata/record/record.h"

void
kernrec_mmap(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	unsigned mode = r->misc & MISC_CPUMODE;

	(void)c, (void)n;
	if ((r->misc & MISC_MMAP_DATA) != 0)
		evw_tag_u64(d->w, SLICE("data"), 1);
	if ((r->misc & MISC_PARSE_TIMEOUT) != 0)
		evw_tag_u64(d->w, SLICE("timeout"), 1);
	if (mode != MODE_UNKNOWN && mode <= MODE_GUEST_USER)
		evw_tag_raw(d->w, SLICE("mode"), (struct slice){ &MODE_LETTERS[mode], 1 });
}

/* The fields of MMAP2 between pgoff and the file's name. */
void
kernrec_mmap2(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct evwrite *w = d->w;
	uint32_t prot, flags;

	if ((r->misc & MISC_MMAP_BUILD_ID) != 0) {
		uint8_t len = cur_u8(c);
		const unsigned char *id;

		(void)cur_take(c, 3);
		id = cur_take(c, BUILD_ID_MAX);
		fields_put_bytes(w, SLICE("build_id"), id, len < BUILD_ID_MAX ? len : BUILD_ID_MAX);
	} else {
		fields_put(w, "maj:u min:u ino:q ino_generation:q", c);
	}
	prot = cur_u32(c);
	flags = cur_u32(c);
	if (!cur_ok(c))
		return;
	evw_tag_hex(w, SLICE("prot"), prot);
	evw_tag_hex(w, SLICE("flags"), flags);
	fields_put(w, "file:s", c);
	kernrec_mmap(d, r, c, n);
}

void
kernrec_comm(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)c, (void)n;
	if ((r->misc & MISC_COMM_EXEC) != 0)
		evw_tag_u64(d->w, SLICE("exec"), 1);
}

void
kernrec_fork(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)c, (void)n;
	if ((r->misc & MISC_FORK_EXEC) != 0)
		evw_tag_u64(d->w, SLICE("exec"), 1);
}

void
kernrec_switch(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)c, (void)n;
	evw_tag_raw(d->w, SLICE("dir"),
	    (r->misc & MISC_SWITCH_OUT) != 0 ? SLICE("out") : SLICE("in"));
	if ((r->misc & MISC_SWITCH_PREEMPT) != 0)
		evw_tag_u64(d->w, SLICE("preempt"), 1);
}

/* DEV:INO of each, named as in /proc/PID/ns; _ns is added where the key has another meaning. */
void
kernrec_namespaces(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid_ns", "user", "mnt",
		"cgroup_ns" };
	uint64_t count = cur_u64(c), i;

	(void)r, (void)n;
	for (i = 0; i < count && cur_left(c) >= 16; i++) {
		uint64_t dev = cur_u64(c), ino = cur_u64(c);
		char key[NUM_MAX + 2] = "ns", text[2 * NUM_MAX], *p = text;
		struct slice name = { key, 2 };

		if (i < sizeof names / sizeof names[0])
			name = slice_of(names[i]);
		else
			name.len += num_put_u64(key + 2, i);
		p += num_put_u64(p, dev);
		*p++ = ':';
		p += num_put_u64(p, ino);
		evw_tag_raw(d->w, name, (struct slice){ text, (size_t)(p - text) });
	}
}

bool
kernrec_namespaces_fit(struct cur c)
{
	uint64_t n;

	(void)cur_take(&c, 8);
	n = cur_u64(&c);
	return cur_ok(&c) && n <= cur_left(&c) / 16;
}

void
kernrec_bpf(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	if (cur_left(c) >= 8)
		fields_put_bytes(d->w, SLICE("tag"), cur_take(c, 8), 8);
}

/* The bytes of code before and after, whose lengths are in the two fields before them. */
void
kernrec_poke(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur lengths = record_body(d, r);
	const unsigned char *before, *after;
	uint16_t old_len, new_len;

	(void)cur_u64(&lengths);
	old_len = cur_u16(&lengths);
	new_len = cur_u16(&lengths);
	(void)n;
	before = cur_take(c, old_len);
	after = cur_take(c, new_len);
	if (!cur_ok(c))
		return;
	fields_put_bytes(d->w, SLICE("old"), before, old_len);
	fields_put_bytes(d->w, SLICE("new"), after, new_len);
}

bool
kernrec_poke_fits(struct cur c)
{
	uint16_t old_len, new_len;

	(void)cur_u64(&c);
	old_len = cur_u16(&c);
	new_len = cur_u16(&c);
	return cur_ok(&c) && cur_left(&c) >= (size_t)old_len + new_len;
}

void
kernrec_chain(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur ips = fields_items(c, n, 8);

	(void)r;
	fields_put_words(d->w, SLICE("ips"), &ips);
}
