/* SPDX-License-Identifier: ISC */
/*
 * dwarfline.c - line programs: DWARF 5, section 6.2.
 *
 * A program is run once, and one of several rows is kept.  A look-up continues the program from
 * the last kept row before the address, so the table takes little memory.
 */
#include <dwarf.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/symbol/dwarfint.h"

#define ROWS_APART 32 /* one row in this many is kept */
#define BYTES_APART 512 /* or the first row after this many bytes of the program */
#define OPERATION_MOST 64 /* bytes of an operation, except the rest of an extended one */
#define FORMATS_MAX 32 /* kinds of content of an entry; five are defined */

/* ---- the header */

static bool
damaged(struct dwarf_unit *u)
{
	return dwarf_fail(u->file, "a line table of its debug information is damaged");
}

static bool
add_name(struct dwarf *d, struct dwarf_line_file **list, size_t *n, size_t *cap,
    const struct dwarf_line_file *file)
{
	if (!vec_room(*list, *n, *cap))
		return dwarf_nomem(d);
	(*list)[(*n)++] = *file;
	return true;
}

/* Makes the bytes of the string at the cursor available. */
static bool
want_string(struct dwarf_window *w)
{
	size_t n = OPERATION_MOST;

	for (;; n *= 4) {
		if (!dwarf_window_want(w, n))
			return false;
		if (memchr(w->c.p, 0, cur_left(&w->c)) != NULL)
			break;
		if (w->loaded >= w->end || n >= DWARF_ENTRY_MAX)
			return false;
	}
	return true;
}

/* Reads the string at the cursor as a value.  *empty is true at the end of a list. */
static bool
read_string(struct dwarf_window *w, struct dwarf_line_file *file, bool *empty)
{
	size_t len;

	if (!want_string(w))
		return false;
	*file = (struct dwarf_line_file){ .n = dwarf_window_at(w), .kind = DWARF_IS_LINE_TEXT };
	(void)cur_string(&w->c, &len);
	*empty = len == 0;
	return true;
}

/* Reads the lists of directories and files of versions up to 4, which count from 1. */
static bool
read_old_names(struct dwarf_window *w, struct dwarf *d, struct dwarf_lines *l)
{
	struct dwarf_line_file file = { .kind = DWARF_IS_OTHER };
	bool empty = false;

	if (!add_name(d, &l->dir, &l->dirs, &l->dir_cap, &file) ||
	    !add_name(d, &l->name, &l->names, &l->name_cap, &file))
		return false;
	for (;;) {
		if (!read_string(w, &file, &empty))
			return false;
		if (empty)
			break;
		if (!add_name(d, &l->dir, &l->dirs, &l->dir_cap, &file))
			return false;
	}
	for (;;) {
		uint64_t dir;

		if (!read_string(w, &file, &empty))
			return false;
		if (empty)
			return true;
		if (!dwarf_window_want(w, OPERATION_MOST))
			return false;
		dir = dwarf_uleb(&w->c);
		file.dir = dir < UINT32_MAX ? (uint32_t)dir : UINT32_MAX;
		(void)dwarf_uleb(&w->c); /* time */
		(void)dwarf_uleb(&w->c); /* length */
		if (!cur_ok(&w->c) || !add_name(d, &l->name, &l->names, &l->name_cap, &file))
			return false;
	}
}

struct entry_format {
	uint64_t content, form;
};

/* Reads one entry of a list of version 5. */
static bool
read_entry(struct dwarf_window *w, struct dwarf_lines *l, const struct entry_format *format,
    size_t n, struct dwarf_line_file *file)
{
	struct dwarf_value v;
	size_t i;

	*file = (struct dwarf_line_file){ .kind = DWARF_IS_OTHER };
	for (i = 0; i < n; i++) {
		if (format[i].form == DW_FORM_string ? !want_string(w)
						     : !dwarf_window_want(w, OPERATION_MOST))
			return false;
		dwarf_form(w, &l->format, (unsigned)format[i].form, 0, &v);
		if (!cur_ok(&w->c))
			return false;
		if (format[i].content == DW_LNCT_path) {
			file->kind = (uint8_t)v.kind;
			file->n = v.n;
		} else if (format[i].content == DW_LNCT_directory_index) {
			file->dir = v.n < UINT32_MAX ? (uint32_t)v.n : UINT32_MAX;
		}
	}
	return true;
}

/* Reads a list of version 5. */
static bool
read_names(struct dwarf_window *w, struct dwarf *d, struct dwarf_lines *l,
    struct dwarf_line_file **list, size_t *n, size_t *cap)
{
	struct entry_format format[FORMATS_MAX];
	struct dwarf_line_file file;
	size_t formats, i;
	uint64_t count;

	if (!dwarf_window_want(w, OPERATION_MOST) || (formats = cur_u8(&w->c)) > FORMATS_MAX)
		return false;
	for (i = 0; i < formats; i++) {
		if (!dwarf_window_want(w, OPERATION_MOST))
			return false;
		format[i].content = dwarf_uleb(&w->c);
		format[i].form = dwarf_uleb(&w->c);
		if (format[i].form > UINT16_MAX)
			return false;
	}
	if (!dwarf_window_want(w, OPERATION_MOST))
		return false;
	/* an entry without contents would take no bytes */
	for (count = dwarf_uleb(&w->c); count > 0 && cur_ok(&w->c); count--) {
		uint64_t at = dwarf_window_at(w);

		if (!read_entry(w, l, format, formats, &file) || dwarf_window_at(w) == at ||
		    !add_name(d, list, n, cap, &file))
			return false;
	}
	return cur_ok(&w->c);
}

/* Reads the fields before the lists.  *lists is their offset. */
static bool
read_fields(struct dwarf_window *w, struct dwarf_lines *l)
{
	struct cur *c = &w->c;
	uint64_t length, header;
	unsigned version, i;

	if (!dwarf_window_want(w, sizeof w->few))
		return false;
	length = cur_u32(c);
	l->format.offset_size = length == UINT32_MAX ? 8 : 4;
	if (length == UINT32_MAX)
		length = cur_u64(c);
	if (!cur_ok(c) || length > w->end - dwarf_window_at(w))
		return false;
	l->end = dwarf_window_at(w) + length;
	version = cur_u16(c);
	if (version < 2 || version > 5)
		return false;
	l->format.version = (uint8_t)version;
	if (l->format.version == 5) {
		l->format.address_size = cur_u8(c);
		(void)cur_u8(c); /* size of segment selectors */
	}
	header = dwarf_number(c, l->format.offset_size);
	if (!cur_ok(c) || header > l->end - dwarf_window_at(w))
		return false;
	l->program = dwarf_window_at(w) + header;
	l->min_length = cur_u8(c);
	if (l->format.version >= 4 && cur_u8(c) > 1)
		return false; /* several operations in an instruction (VLIW): not supported */
	(void)cur_u8(c); /* default of is_stmt */
	l->line_base = (int8_t)cur_u8(c);
	l->line_range = cur_u8(c);
	l->opcode_base = cur_u8(c);
	for (i = 1; i < l->opcode_base; i++)
		l->operands[i] = cur_u8(c);
	return cur_ok(c) && l->line_range != 0 && l->opcode_base != 0;
}

static bool
read_header(struct dwarf_unit *u, struct dwarf_lines *l)
{
	struct dwarf *d = u->file->dwarf;
	struct dwarf_window w;
	bool ok;

	if (!dwarf_window_open(&w, u->file, DWARF_LINE, u->lines, UINT64_MAX, DWARF_FEW))
		return false;
	w.piece = ELF_BYTES_MAX;
	ok = read_fields(&w, l);
	ok = ok && dwarf_window_limit(&w, l->program);
	if (ok && l->format.version == 5)
		ok = read_names(&w, d, l, &l->dir, &l->dirs, &l->dir_cap) &&
		    read_names(&w, d, l, &l->name, &l->names, &l->name_cap);
	else if (ok)
		ok = read_old_names(&w, d, l);
	dwarf_window_close(&w);
	return ok ? true : damaged(u);
}

/* ---- programs */

struct machine {
	struct dwarf_window w;
	const struct dwarf_lines *l;
	struct dwarf_row now; /* at is not used */
	bool row; /* the last operation made a row */
	bool ended; /* and ended the sequence with it */
};

static void
restart(struct dwarf_row *r)
{
	*r = (struct dwarf_row){ .file = 1, .line = 1 };
}

static void
advance(struct machine *m, uint64_t operations)
{
	m->now.address += operations * m->l->min_length;
}

static void
special(struct machine *m, unsigned adjusted)
{
	advance(m, adjusted / m->l->line_range);
	m->now.line += (uint32_t)(m->l->line_base + (int)(adjusted % m->l->line_range));
	m->row = true;
}

/* Runs an operation that begins with 0 and its length. */
static bool
extended(struct machine *m)
{
	struct cur *c = &m->w.c;
	uint64_t length = dwarf_uleb(c), start = dwarf_window_at(&m->w);
	unsigned op;

	if (!cur_ok(c) || length == 0 || length > m->w.end - start)
		return false;
	op = cur_u8(c);
	if (op == DW_LNE_end_sequence) {
		m->row = m->ended = true;
	} else if (op == DW_LNE_set_address) {
		m->now.address = dwarf_number(c, length <= 9 ? (unsigned)length - 1 : 0);
	}
	if (!cur_ok(c))
		return false;
	dwarf_window_seek(&m->w, start + length);
	return true;
}

static void
standard(struct machine *m, unsigned op)
{
	struct cur *c = &m->w.c;
	uint64_t v;
	unsigned i;

	switch (op) {
	case DW_LNS_copy: m->row = true; break;
	case DW_LNS_advance_pc: advance(m, dwarf_uleb(c)); break;
	case DW_LNS_advance_line: m->now.line += (uint32_t)cfi_sleb(c); break;
	case DW_LNS_set_file:
		v = dwarf_uleb(c);
		m->now.file = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
		break;
	case DW_LNS_const_add_pc: advance(m, (255u - m->l->opcode_base) / m->l->line_range); break;
	case DW_LNS_fixed_advance_pc: m->now.address += cur_u16(c); break;
	default:
		for (i = 0; i < m->l->operands[op]; i++)
			(void)dwarf_uleb(c);
	}
}

/* Runs one operation. */
static bool
step(struct machine *m)
{
	unsigned op;

	m->row = m->ended = false;
	/* an unknown operation can have 255 operands */
	if (!dwarf_window_want(&m->w, OPERATION_MOST))
		return false;
	op = cur_u8(&m->w.c);
	if (op >= m->l->opcode_base) {
		special(m, op - m->l->opcode_base);
		return true;
	}
	if (op == 0)
		return extended(m);
	standard(m, op);
	return cur_ok(&m->w.c);
}

static bool
open_machine(struct machine *m, struct dwarf_unit *u, const struct dwarf_lines *l, uint64_t at,
    enum dwarf_extent extent)
{
	m->l = l;
	return dwarf_window_open(&m->w, u->file, DWARF_LINE, at, l->end, extent);
}

/* The data collected while a program runs. */
struct collection {
	struct dwarf_lines *l;
	struct dwarf *dwarf;
	struct dwarf_ranges ranges;
	bool begun; /* a sequence has */
	uint64_t from, last; /* the addresses of its first and its last row */
	unsigned rows; /* since the last one was kept */
};

static bool
end_sequence(struct collection *k, uint64_t to)
{
	struct dwarf_lines *l = k->l;
	size_t before = k->ranges.n;

	k->begun = false;
	if (!dwarf_ranges_add(k->dwarf, &k->ranges, k->from, to, (uint32_t)l->sequences - 1))
		return false;
	if (k->ranges.n == before) /* its rows are not needed */
		l->rows = l->sequence[--l->sequences];
	return true;
}

static bool
begin_sequence(struct collection *k, uint64_t address)
{
	struct dwarf_lines *l = k->l;

	if (l->sequences >= DWARF_NO_NODE || !vec_room(l->sequence, l->sequences, l->sequence_cap))
		return dwarf_nomem(k->dwarf);
	l->sequence[l->sequences++] = l->rows;
	k->begun = true;
	k->from = address;
	return true;
}

/* Takes the row that the machine has made. */
static bool
take_row(struct collection *k, struct machine *m)
{
	struct dwarf_lines *l = k->l;
	uint64_t address = m->now.address, at = dwarf_window_at(&m->w);

	/* a row that goes back begins another sequence */
	if (k->begun && (m->ended || address < k->last) &&
	    !end_sequence(k, m->ended ? address : k->last))
		return false;
	if (m->ended) {
		restart(&m->now);
		return true;
	}
	if (!k->begun) {
		if (!begin_sequence(k, address))
			return false;
		k->rows = ROWS_APART;
	}
	k->last = address;
	if (k->rows++ < ROWS_APART && at - l->row[l->rows - 1].at < BYTES_APART)
		return true;
	if (!vec_room(l->row, l->rows, l->row_cap))
		return dwarf_nomem(k->dwarf);
	l->row[l->rows] = m->now;
	l->row[l->rows++].at = at;
	k->rows = 1;
	return true;
}

static bool
collect(struct dwarf_unit *u, struct dwarf_lines *l)
{
	struct collection k = { .l = l, .dwarf = u->file->dwarf };
	struct machine m;
	bool ok = open_machine(&m, u, l, l->program, DWARF_MANY);

	restart(&m.now);
	while (ok && !dwarf_window_is_done(&m.w))
		ok = step(&m) && (!m.row || take_row(&k, &m));
	dwarf_window_close(&m.w);
	ok = ok && !k.begun && dwarf_map_make(u->file->dwarf, &l->map, &k.ranges);
	mem_free(k.ranges.range);
	return ok ? true : damaged(u);
}

bool
dwarf_lines_read(struct dwarf_unit *u, struct dwarf_lines *l)
{
	return read_header(u, l) && collect(u, l);
}

void
dwarf_lines_free(struct dwarf_lines *l)
{
	mem_free(l->dir);
	mem_free(l->name);
	mem_free(l->row);
	mem_free(l->sequence);
	mem_free(l->map.piece);
	*l = (struct dwarf_lines){ .dir = NULL };
}

/* Returns the last kept row of the sequence at or before the address. */
static const struct dwarf_row *
kept_row(const struct dwarf_lines *l, uint32_t sequence, uint64_t address)
{
	size_t low = l->sequence[sequence] + 1, mid;
	size_t high = sequence + 1 < l->sequences ? l->sequence[sequence + 1] : l->rows;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (l->row[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return &l->row[low - 1];
}

bool
dwarf_lines_find(struct dwarf_unit *u, const struct dwarf_lines *l, uint64_t address,
    uint32_t *file, uint32_t *line)
{
	uint32_t sequence = dwarf_map_find(&l->map, address);
	const struct dwarf_row *row;
	struct machine m;
	bool ok;

	*file = *line = 0;
	if (sequence == DWARF_NO_NODE)
		return true;
	row = kept_row(l, sequence, address);
	m.now = *row;
	ok = open_machine(&m, u, l, row->at, DWARF_FEW);
	do {
		*file = m.now.file;
		*line = m.now.line;
		do
			ok = ok && step(&m);
		while (ok && !m.row);
	} while (ok && !m.ended && m.now.address <= address);
	dwarf_window_close(&m.w);
	return ok ? true : damaged(u);
}

/* ---- names of files */

/* Appends the text to which v refers, after a slash unless the path is empty or ends in one. */
static bool
append(struct dwarf_unit *u, const struct dwarf_line_file *f, struct buf *path)
{
	struct dwarf_value v = { (enum dwarf_kind)f->kind, f->n };

	if (path->len > 0 && path->p[path->len - 1] != '/' && !buf_putc(path, '/'))
		return dwarf_nomem(u->file->dwarf);
	return dwarf_text(u, &v, path);
}

static bool
is_absolute(struct dwarf_unit *u, const struct dwarf_line_file *f, struct buf *path, bool *absolute)
{
	struct dwarf_value v = { (enum dwarf_kind)f->kind, f->n };
	size_t before = path->len;

	if (!dwarf_text(u, &v, path))
		return false;
	*absolute = path->len > before && path->p[before] == '/';
	path->len = before;
	return true;
}

bool
dwarf_lines_path(struct dwarf_unit *u, const struct dwarf_lines *l, uint32_t file, struct slice dir,
    struct buf *path)
{
	const struct dwarf_line_file *f, *d;
	bool absolute = false;
	size_t before;

	if (l->names == 0 || (file == 0 && l->format.version < 5))
		return true;
	if (file >= l->names || l->name[file].kind == DWARF_IS_OTHER ||
	    l->name[file].dir >= l->dirs)
		return damaged(u);
	f = &l->name[file];
	d = &l->dir[f->dir];
	if (!is_absolute(u, f, path, &absolute))
		return false;
	if (absolute)
		return append(u, f, path);
	/*
	 * Directory 0 of version 5 is the directory of the compilation itself.  If it is relative,
	 * all other tools print it twice, and paths are compared with theirs.
	 */
	if (!is_absolute(u, d, path, &absolute))
		return false;
	if (!absolute && !buf_put(path, dir.p, dir.len))
		return dwarf_nomem(u->file->dwarf);
	if (!append(u, d, path))
		return false;
	before = path->len;
	if (!append(u, f, path))
		return false;
	if (path->len <= before + 1 && (path->len == 0 || path->p[path->len - 1] == '/'))
		return damaged(u); /* the name is missing */
	return true;
}
