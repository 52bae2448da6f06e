/* SPDX-License-Identifier: ISC */
/* state.c - applies a record's changes of maps and names. */
#include "src/perfdata/state/state.h"

#include <stdio.h>
#include <string.h>

#include "lib/esc.h"

#define PROT_EXEC_BIT 4u

struct mapping {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t prot;
	const unsigned char *build_id;
	size_t build_id_len;
	struct slice path;
};

static bool
starts(struct slice s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.len >= n && memcmp(s.p, prefix, n) == 0;
}

static bool
is_text(struct slice s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.p, text, s.len) == 0;
}

static bool
take_mapping(struct mapping *m, const struct rec *r, bool big_endian)
{
	struct cur c = rec_fields(r, big_endian);

	*m = (struct mapping){ .pid = cur_u32(&c) };
	m->tid = cur_u32(&c);
	m->addr = cur_u64(&c);
	m->len = cur_u64(&c);
	m->pgoff = cur_u64(&c);
	m->prot = (r->misc & MISC_MMAP_DATA) == 0 ? PROT_EXEC_BIT : 0;
	if (r->type == REC_MMAP2) {
		const unsigned char *object = cur_take(&c, 24);

		if (object != NULL && (r->misc & MISC_MMAP_BUILD_ID) != 0) {
			m->build_id_len = object[0] <= BUILD_ID_MAX ? object[0] : 0;
			m->build_id = object + 4;
		}
		m->prot = cur_u32(&c);
		(void)cur_u32(&c);
	}
	m->path.p = cur_rest_string(&c, &m->path.len);
	return cur_ok(&c);
}

static uint64_t
end_of(const struct mapping *m)
{
	return m->len > UINT64_MAX - m->addr ? UINT64_MAX : m->addr + m->len;
}

/* "[kernel.kallsyms]_text": the reference symbol follows the name, and pgoff is its address. */
static void
take_reference(struct state *s, const struct mapping *m)
{
	size_t i = sizeof "[kernel.kallsyms" - 1, n = 0;

	if (m->pgoff == 0)
		return;
	for (; i < m->path.len && n + 1 < sizeof s->dsos.ref_buf; i++)
		if (m->path.p[i] != ']' && m->path.p[i] != '.')
			s->dsos.ref_buf[n++] = m->path.p[i];
	s->dsos.ref_buf[n] = '\0';
	s->dsos.ref_name = n > 0 ? s->dsos.ref_buf : NULL;
	s->dsos.ref_addr = m->pgoff;
}

/*
 * A module's name as perf prints it: the file's name without ".ko" and what follows,
 * with '_' for '-', in brackets.  Returns its length in dst.
 */
static size_t
module_name(struct slice path, char *dst, size_t size)
{
	struct slice base = path;
	size_t i, n = 0, cut;

	for (i = 0; i < path.len; i++)
		if (path.p[i] == '/')
			base = (struct slice){ path.p + i + 1, path.len - i - 1 };
	for (cut = 0; cut + 3 <= base.len; cut++)
		if (memcmp(base.p + cut, ".ko", 3) == 0)
			break;
	if (cut + 3 > base.len || base.len + 3 > size) {
		n = base.len < size ? base.len : size;
		memcpy(dst, base.p, n);
		return n;
	}
	dst[n++] = '[';
	for (i = 0; i < cut; i++)
		dst[n++] = base.p[i] == '-' ? '_' : base.p[i];
	dst[n++] = ']';
	return n;
}

static int
map_kernel(struct state *s, const struct mapping *m, struct err *e)
{
	struct map map = { .start = m->addr, .end = end_of(m) };
	char name[256];

	if (starts(m->path, "[kernel.kallsyms")) {
		if (m->addr == 0 && m->len == 0)
			map.end = UINT64_MAX;
		take_reference(s, m);
		map.dso = dsos_get(&s->dsos, DSO_KERNEL, SLICE("[kernel.kallsyms]"), 0);
		s->dsos.kernel = map.dso;
	} else if (m->path.len > 0 && (m->path.p[0] == '/' || m->path.p[0] == '[')) {
		struct slice module = { name, module_name(m->path, name, sizeof name) };

		map.dso = dsos_get(&s->dsos, DSO_KERNEL, module, 0);
		if (map.dso != NULL)
			dso_take_listed_build_id(&s->dsos, map.dso, m->path);
	} else {
		return 0;
	}
	if (map.dso != NULL && m->build_id != NULL)
		dso_set_build_id(map.dso, m->build_id, m->build_id_len);
	return map.dso == NULL ? err_nomem(e) : tasks_map_kernel(&s->tasks, &map, e);
}

/* Is it memory without a file? */
static bool
is_bare(struct slice path)
{
	return is_text(path, "//anon") || starts(path, "/dev/zero") ||
	    starts(path, "/anon_hugepage") || starts(path, "[stack") || starts(path, "/SYSV") ||
	    is_text(path, "[heap]");
}

static int
map_user(struct state *s, const struct mapping *m, struct err *e)
{
	struct map map = { .start = m->addr, .end = end_of(m) };
	char name[40];

	if (is_bare(m->path) && (m->prot & PROT_EXEC_BIT) != 0) {
		int n = snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)m->pid);

		map.dso = dsos_get(&s->dsos, DSO_JIT, (struct slice){ name, (size_t)n }, m->pid);
	} else if (is_bare(m->path)) {
		map.dso = dsos_get(&s->dsos, DSO_BARE, m->path, 0);
	} else {
		map.dso = dsos_get_file(&s->dsos, m->path, m->build_id, m->build_id_len);
		map.shift = (is_text(m->path, "[vdso]") ? 0 : m->pgoff) - m->addr;
	}
	if (map.dso == NULL)
		return err_nomem(e);
	return tasks_map_user(&s->tasks, m->pid, m->tid, &map, e);
}

static int
mapping(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	unsigned mode = r->misc & MISC_CPUMODE;
	struct mapping m;

	if (!take_mapping(&m, r, big_endian))
		return err_byte(e, r->offset, "mapping of %u bytes is too short", r->size);
	if (mode == MODE_KERNEL)
		return map_kernel(s, &m, e);
	if (mode == MODE_GUEST_KERNEL || mode == MODE_GUEST_USER)
		return 0; /* nothing is looked up in a guest */
	return map_user(s, &m, e);
}

static int
comm(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	struct cur c = rec_fields(r, big_endian);
	uint32_t pid = cur_u32(&c), tid = cur_u32(&c);
	struct slice name;

	name.p = cur_rest_string(&c, &name.len);
	if (!cur_ok(&c))
		return err_byte(e, r->offset, "name record of %u bytes is too short", r->size);
	return tasks_comm(&s->tasks, pid, tid, name, e);
}

static int
fork_or_exit(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	struct cur c = rec_fields(r, big_endian);
	uint32_t pid = cur_u32(&c), ppid = cur_u32(&c), tid = cur_u32(&c), ptid = cur_u32(&c);

	if (!cur_ok(&c))
		return err_byte(e, r->offset, "fork or exit record of %u bytes is too short",
		    r->size);
	if (r->type == REC_EXIT)
		return tasks_exit(&s->tasks, tid, e);
	return tasks_fork(&s->tasks, pid, tid, ppid, ptid, (r->misc & MISC_FORK_EXEC) == 0, e);
}

/* The object that is there again once the code is gone; NULL: none. */
static struct dso *
under(const struct map *there, uint64_t end)
{
	if (there == NULL || there->dso == NULL)
		return NULL;
	if (there->dso->kind != DSO_KERNEL)
		return there->dso->under;
	return end <= there->end ? there->dso : NULL;
}

/*
 * Code that was loaded into the running kernel, or unloaded: a BPF program, a trampoline.  The
 * list of the kernel's symbols was taken at another time, and may lack it even if it covers its
 * address.
 */
static int
kernel_symbol(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	struct cur c = rec_fields(r, big_endian);
	uint64_t addr = cur_u64(&c);
	uint32_t len = cur_u32(&c);
	uint16_t type = cur_u16(&c), flags = cur_u16(&c);
	struct map map = { .start = addr,
		.end = addr > UINT64_MAX - len ? UINT64_MAX : addr + len };
	const struct map *there = maps_find(&s->tasks.kernel, addr);
	struct slice name;

	(void)type;
	name.p = cur_rest_string(&c, &name.len);
	if (!cur_ok(&c))
		return err_byte(e, r->offset, "kernel symbol record of %u bytes is too short",
		    r->size);
	if ((flags & 1) != 0) {
		map.dso = under(there, map.end);
		return tasks_map_kernel(&s->tasks, &map, e);
	}
	map.dso = dsos_get_code(&s->dsos, name, addr, len);
	if (map.dso == NULL)
		return err_nomem(e);
	map.dso->under = under(there, map.end);
	if (!map.dso->loaded && dso_set_symbol(map.dso, addr, len, name, e) != 0)
		return e->code;
	return tasks_map_kernel(&s->tasks, &map, e);
}

/* The first name of an id is kept, as in perf: ids are not reused. */
static int
control_group(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	struct cur c = rec_fields(r, big_endian);
	struct cgroups *g = &s->cgroups;
	uint64_t id = cur_u64(&c);
	struct slice path;
	size_t number;

	path.p = cur_rest_string(&c, &path.len);
	if (!cur_ok(&c))
		return 0; /* others_check reports it */
	g->scratch.len = 0;
	if (!esc_append(&g->scratch, path.p, path.len, ESC_COLUMN))
		return err_nomem(e);
	number = tab_add(&g->path, buf_slice(&g->scratch), NULL);
	if (number == TAB_NONE || !idmap_add(&g->number, id, (uint32_t)number))
		return err_nomem(e);
	return 0;
}

const struct slice *
state_cgroup(const struct state *s, uint64_t id)
{
	const struct id_entry *entry = idmap_find(&s->cgroups.number, id);

	return entry == NULL ? NULL : &s->cgroups.path.item[entry->event];
}

int
state_open(struct state *s, struct evwrite *w, const struct symbolizer *symbolizer,
    const char *kallsyms, const struct buf *release, struct err *e)
{
	*s = (struct state){
		.dsos = { .symbolizer = symbolizer, .kallsyms = kallsyms, .release = release }
	};
	tasks_init(&s->tasks);
	s->frames = frames_open(&s->dsos, w);
	return s->frames == NULL ? err_nomem(e) : 0;
}

void
state_free(struct state *s)
{
	tasks_free(&s->tasks);
	frames_close(s->frames);
	idmap_free(&s->cgroups.number);
	tab_free(&s->cgroups.path);
	buf_free(&s->cgroups.scratch);
	dsos_free(&s->dsos);
}

int
state_update(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	switch (r->type) {
	case REC_MMAP:
	case REC_MMAP2: return mapping(s, r, big_endian, e);
	case REC_COMM: return comm(s, r, big_endian, e);
	case REC_FORK:
	case REC_EXIT: return fork_or_exit(s, r, big_endian, e);
	case REC_KSYMBOL: return kernel_symbol(s, r, big_endian, e);
	case REC_CGROUP: return control_group(s, r, big_endian, e);
	}
	return 0;
}
