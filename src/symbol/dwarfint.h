/* SPDX-License-Identifier: ISC */
/*
 * dwarfint.h - shared by the parts of the DWARF reader; private to them.
 *
 *	dwarfdata.c   bytes of sections, compressed or not; abbreviations, forms, entries (DIEs)
 *	dwarfcode.c   addresses: range lists, and the functions of a unit
 *	dwarfline.c   line programs
 *	dwarfunit.c   units, and the other files that have a part of the DWARF
 *	dwarfname.c   names of functions, with the namespaces and classes around them
 *	dwarffind.c   the index of units, and the frames at an address
 *
 * Functions that return false have stored the reason in dwarf.why, unless they say otherwise.  A
 * part that does not exist (the lines of a unit, the name of a function) is not an error.  A part
 * that is referred to but cannot be read is an error, because otherwise lines and inlined functions
 * would be missing without a message.
 *
 * A crafted file can cause the same bytes to be read many times: many units with one table of
 * abbreviations, many functions with one range list.  So every reader first subtracts the bytes
 * that it is about to read from dwarf.work, a budget in proportion to the size of the sections and
 * the number of look-ups.
 */
#ifndef AFPIPE_SYMBOL_DWARFINT_H
#define AFPIPE_SYMBOL_DWARFINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "lib/err.h"
#include "lib/tab.h"
#include "src/symbol/dwarf.h"
#include "src/symbol/elfint.h"

#define DWARF_INFLATED_MAX ((uint64_t)2 << 30) /* of a compressed section */
#define DWARF_UNITS_MAX ((size_t)1 << 20) /* of a file */
#define DWARF_ENTRY_MAX ((size_t)1 << 20) /* bytes of one DIE, or of a name in a line table */
#define DWARF_TEXT_MAX ((size_t)64 << 10) /* of names; longer ones are reported */
#define DWARF_RANGES_MAX ((size_t)4 << 20) /* of a unit, and of all units together */
#define DWARF_DEPTH_MAX 1000 /* of DIEs in DIEs; compilers nest a few dozen */
#define DWARF_SCOPES_MAX 64 /* namespaces, classes and functions around a function */
#define DWARF_ORIGINS_MAX 16 /* from a function to the one that it is an instance of, and so on */
#ifndef DWARF_CACHE_MAX /* tests have less */
#define DWARF_CACHE_MAX ((size_t)128 << 20) /* memory for the contents of units */
#endif
#define DWARF_WORK_PER_BYTE 64
#define DWARF_WORK_PER_LOOK ((uint64_t)256 << 10)

#define DWARF_NONE UINT64_MAX /* for offsets */
#define DWARF_NO_NODE UINT32_MAX

/* ---- sections */

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_CU_INDEX,
	DWARF_SECTIONS
};

struct dwarf_data {
	struct elf_section section;
	uint64_t size; /* 0: the section is missing, or could not be decompressed */
	const char *bad; /* why it cannot be read, or NULL */
	bool packed; /* it is compressed, and not yet decompressed */
	struct buf bytes; /* the decompressed bytes; otherwise they are in the file */
};

struct dwarf_file {
	struct dwarf *dwarf;
	struct elf_file *elf; /* owned */
	struct dwarf_data data[DWARF_SECTIONS];
	struct dwarf_unit *unit; /* in the order of their offsets */
	size_t units, unit_cap;
	bool strange; /* it has units of an unknown version or kind */
};

/*
 * Finds the sections of the file: those with the suffix ".dwo" if split.  The file then belongs to
 * f, even on failure.
 */
bool dwarf_file_open(struct dwarf_file *f, struct dwarf *d, struct elf_file *elf, bool split);
void dwarf_file_close(struct dwarf_file *f);

/*
 * A part of a section, read piece by piece.  The cursor is over the bytes that are in memory.
 * Failures to read make the cursor bad; dwarf_fail finds the reason.
 */
struct dwarf_window {
	struct dwarf_file *file;
	enum dwarf_section which;
	uint64_t end; /* offset of the part's end in the section */
	uint64_t loaded; /* offset of the end of the bytes under the cursor */
	struct cur c;
	size_t piece; /* bytes to read at once */
	struct buf bytes;
	unsigned char few[512];
};

/* How much is going to be read: a few bytes, or a long sequence. */
enum dwarf_extent { DWARF_FEW, DWARF_MANY };

/* Opens the part [from, to) of a section; TO is moved to the section's end if it is beyond. */
bool dwarf_window_open(struct dwarf_window *w, struct dwarf_file *f, enum dwarf_section which,
    uint64_t from, uint64_t to, enum dwarf_extent extent);
void dwarf_window_close(struct dwarf_window *w);

/* Moves the window.  The offset must not be beyond its end. */
void dwarf_window_seek(struct dwarf_window *w, uint64_t offset);

/* Moves the end back.  The cursor must be good.  Returns false if it is beyond the new end. */
bool dwarf_window_limit(struct dwarf_window *w, uint64_t end);

/* Makes at least n bytes available under the cursor, or all up to the end. */
bool dwarf_window_want(struct dwarf_window *w, size_t n);

/* Returns the offset of the cursor. */
static inline uint64_t
dwarf_window_at(const struct dwarf_window *w)
{
	return w->loaded - (uint64_t)(w->c.end - w->c.p);
}

/* Returns true if there is nothing more. */
static inline bool
dwarf_window_is_done(const struct dwarf_window *w)
{
	return dwarf_window_at(w) >= w->end;
}

static inline uint64_t
dwarf_uleb(struct cur *c)
{
	return !c->bad && c->p < c->end && *c->p < 0x80 ? *c->p++ : cfi_uleb(c);
}

/* Reads an unsigned number of 1 to 8 bytes. */
uint64_t dwarf_number(struct cur *c, unsigned size);

/* Reads one number of SIZE bytes somewhere in a section. */
bool dwarf_number_at(struct dwarf_file *f, enum dwarf_section which, uint64_t offset, unsigned size,
    uint64_t *v);

/* ---- entries */

/* The attributes that matter here. */
enum dwarf_slot {
	DWARF_OTHER,
	DWARF_SIBLING,
	DWARF_NAME,
	DWARF_LINKAGE_NAME,
	DWARF_LOW,
	DWARF_HIGH,
	DWARF_RANGE_LIST,
	DWARF_ORIGIN, /* abstract_origin */
	DWARF_SPECIFICATION, /* and extension, from a namespace to the one with its name */
	DWARF_CALL_FILE,
	DWARF_CALL_LINE,
	DWARF_DECLARATION,
	DWARF_EXTERNAL,
	DWARF_LANGUAGE,
	DWARF_STMT_LIST,
	DWARF_COMP_DIR,
	DWARF_DWO_NAME,
	DWARF_DWO_ID,
	DWARF_ADDR_BASE,
	DWARF_STR_OFFSETS_BASE,
	DWARF_RNGLISTS_BASE,
	DWARF_RANGES_BASE, /* of GNU's split DWARF */
	DWARF_SLOTS
};

enum dwarf_kind {
	DWARF_IS_OTHER, /* blocks, references by signature */
	DWARF_IS_NUMBER, /* also offsets into sections */
	DWARF_IS_ADDRESS,
	DWARF_IS_ADDRESS_INDEX,
	DWARF_IS_LIST_INDEX,
	DWARF_IS_REF, /* an offset in .debug_info of the same file */
	DWARF_IS_ALT_REF, /* and of dwz's file */
	DWARF_IS_TEXT, /* strings: an offset in .debug_info, where the string itself is */
	DWARF_IS_LINE_TEXT, /* in .debug_line */
	DWARF_IS_STR, /* in .debug_str */
	DWARF_IS_LINE_STR,
	DWARF_IS_ALT_STR, /* in .debug_str of dwz's file */
	DWARF_IS_STR_INDEX,
};

struct dwarf_value {
	enum dwarf_kind kind;
	uint64_t n;
};

/* The properties on which the sizes of forms depend. */
struct dwarf_format {
	uint8_t version, offset_size, address_size;
	uint64_t base; /* offset of the unit, for references within it */
};

struct dwarf_unit {
	struct dwarf_file *file;
	struct dwarf_format format;
	uint64_t root, end; /* offsets in .debug_info: its first DIE, its end */
	uint64_t abbrevs; /* offset in .debug_abbrev */
	uint64_t id; /* of split DWARF */
	uint64_t low; /* the base of its ranges */
	uint64_t lines; /* offset in .debug_line, or DWARF_NONE */
	uint64_t addr_base, str_offsets_base, rnglists_base, ranges_base;
	uint64_t rnglists_start; /* of its part of a .dwp file's section */
	struct dwarf_unit *skeleton; /* of a split unit, for its addresses; else NULL */
	struct dwarf_content *content; /* the data read, or NULL */
	struct dwarf_scopes *scopes; /* NULL: not read */
	uint64_t used; /* when its content was last used */
	uint8_t type; /* DW_UT_compile and so on */
	uint8_t checked; /* a bit for each enum dwarf_table whose header is right */
	bool is_skeleton; /* its functions are in another file */
	/*
	 * Functions must be looked for: its root has no addresses or, in DWARF 2, which has no
	 * lists of ranges, maybe only those of one section.
	 */
	bool rangeless;
	bool empty; /* its root has a list of addresses, without any */
	bool doubtful; /* dwarf.index_why says that some of its addresses are damaged */
};

/* An entry, with the attributes that are not DWARF_OTHER. */
struct dwarf_die {
	uint64_t at;
	unsigned tag; /* 0: the end of a list of children */
	bool children;
	uint32_t have; /* a bit for each slot */
	struct dwarf_value v[DWARF_SLOTS];
};

static inline bool
dwarf_has(const struct dwarf_die *die, enum dwarf_slot slot)
{
	return (die->have & 1u << slot) != 0;
}

/* ---- units */

/* Adds the units of a file to f->unit, up to the first damaged one. */
bool dwarf_units_list(struct dwarf_file *f);

/* Returns the unit of the file that contains that offset, or NULL. */
struct dwarf_unit *dwarf_unit_at(struct dwarf_file *f, uint64_t offset);

/* Reads the root of a unit, and stores its data about all entries of the unit in *u. */
bool dwarf_unit_root(struct dwarf_unit *u, struct dwarf_die *root);

/* Opens dwz's file when it is first needed. */
bool dwarf_alt(struct dwarf *d, struct dwarf_file **alt);

struct dwarf_content;

/* Finds the unit that has the functions of a skeleton, and stores it in c->split. */
bool dwarf_split_open(struct dwarf_unit *u, struct dwarf_content *c);

/* ---- entries, continued */

/* Reads a value.  An unknown form makes the cursor bad. */
void dwarf_form(struct dwarf_window *w, const struct dwarf_format *format, unsigned form,
    int64_t constant, struct dwarf_value *v);

/* Empties the cache of abbreviations. */
void dwarf_abbrevs_drop(struct dwarf *d);

/* Reads the entry at that offset of .debug_info, which must be in the unit. */
bool dwarf_die_at(struct dwarf_unit *u, uint64_t at, struct dwarf_die *die);

/*
 * Takes an entry at that offset from the unit's start, with DEPTH entries around it, at most
 * DWARF_DEPTH_MAX.  One with the tag 0 ends the children of the innermost, if there is one.
 */
typedef bool dwarf_take(void *ctx, const struct dwarf_die *die, uint32_t at, unsigned depth);

/*
 * Passes on the entries of a unit, from the root on.  Children that have nothing to do with code
 * are skipped if possible.  Only functions have attributes.  Returns false as soon as *take does,
 * or if the entries are damaged.
 */
bool dwarf_walk(struct dwarf_unit *u, dwarf_take *take, void *ctx);

/* ---- addresses */

/* A function or a unit whose list has nothing is damage: it would have no list. */
#define DWARF_EMPTY_LIST "a range list of its debug information is empty"

struct dwarf_range {
	uint64_t from, to;
	uint32_t value;
};

struct dwarf_ranges {
	struct dwarf_range *range;
	size_t n, cap;
	size_t ignored; /* further ones, empty or of code that the linker dropped */
};

/* A map from addresses to values. */
struct dwarf_map {
	struct {
		uint64_t from;
		uint32_t value; /* up to the next piece; DWARF_NO_NODE: none */
	} * piece;
	size_t n, cap;
};

/*
 * Makes a map of ranges, which it sorts.  If they overlap, the highest value wins.  Returns false
 * if memory runs out.
 */
bool dwarf_map_make(struct dwarf *d, struct dwarf_map *m, struct dwarf_ranges *r);
uint32_t dwarf_map_find(const struct dwarf_map *m, uint64_t address);

/* Adds the addresses that the entry covers, if any, each with that value. */
bool dwarf_ranges_of(struct dwarf_unit *u, const struct dwarf_die *die, uint32_t value,
    struct dwarf_ranges *r);

/*
 * Adds a range unless it is empty or of code that the linker dropped.  A range outside the code of
 * the file is damage.
 */
bool dwarf_ranges_add(struct dwarf *d, struct dwarf_ranges *r, uint64_t from, uint64_t to,
    uint32_t value);

/* Tables of a unit in other sections.  Their headers are before the base that the unit has. */
enum dwarf_table { DWARF_TABLE_ADDR, DWARF_TABLE_STR_OFFSETS, DWARF_TABLE_RNGLISTS };

/* Reads entry INDEX of that table, a number of SIZE bytes. */
bool dwarf_table_entry(struct dwarf_unit *u, enum dwarf_table table, uint64_t index, unsigned size,
    uint64_t *v);

/* Stores the address to which v refers. */
bool dwarf_address(struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *address);

/* A function that has code, or an inlined one. */
struct dwarf_node {
	uint32_t at; /* its DIE, from the unit's start */
	uint32_t parent; /* for an inlined one: the function around it; DWARF_NO_NODE: unknown */
	uint32_t call_file, call_line;
};

/* The functions of a unit. */
struct dwarf_code {
	struct dwarf_node *node;
	size_t nodes, cap;
	struct dwarf_map map; /* to numbers of nodes, the innermost */
};

/* Adds the addresses of the functions to *all, with VALUE, if it is not NULL. */
bool dwarf_code_read(struct dwarf_unit *u, struct dwarf_code *c, struct dwarf_ranges *all,
    uint32_t value);
void dwarf_code_free(struct dwarf_code *c);

/* ---- names */

/* A namespace, a class or a function that has functions in it. */
struct dwarf_scope {
	uint32_t at, end; /* its DIE, and the end of its children, from the unit's start */
	uint32_t outer; /* the scope around it; DWARF_NO_NODE: none */
};

/* Those of a unit, in the order of their DIEs; none if its language is not C++. */
struct dwarf_scopes {
	struct dwarf_scope *scope;
	size_t n, cap;
};

void dwarf_scopes_drop(struct dwarf_unit *u);

/*
 * Appends the name of the function at that offset: its linkage name, or the linkage name of the
 * function that it is an instance of, or else the first name found on the way.  Such a name of a
 * C++ function comes after the names of the scopes around its declaration.
 */
bool dwarf_name(struct dwarf_unit *u, uint64_t at, struct buf *to);

/* ---- lines */

struct dwarf_line_file {
	uint64_t n;
	uint32_t dir;
	uint8_t kind; /* enum dwarf_kind; with n it makes a struct dwarf_value */
};

/* A row of the table, and where its program continues. */
struct dwarf_row {
	uint64_t address;
	uint64_t at; /* offset in .debug_line */
	uint32_t file, line;
};

struct dwarf_lines {
	struct dwarf_format format;
	uint8_t min_length, line_range, opcode_base;
	int8_t line_base;
	uint8_t operands[256]; /* of standard opcodes */
	uint64_t program, end;
	struct dwarf_line_file *dir, *name;
	size_t dirs, dir_cap, names, name_cap;
	struct dwarf_row *row; /* one of several */
	size_t rows, row_cap;
	size_t *sequence; /* rows with growing addresses: the first in ROW, sorted */
	size_t sequences, sequence_cap;
	struct dwarf_map map; /* to numbers of sequences */
};

bool dwarf_lines_read(struct dwarf_unit *u, struct dwarf_lines *l);
void dwarf_lines_free(struct dwarf_lines *l);

/* Finds the row for an address.  *file and *line are 0 if there is none. */
bool dwarf_lines_find(struct dwarf_unit *u, const struct dwarf_lines *l, uint64_t address,
    uint32_t *file, uint32_t *line);

/*
 * Stores the path of a file, below DIR unless it is absolute, in *path, which is empty.  Stores
 * nothing if there is no such file.
 */
bool dwarf_lines_path(struct dwarf_unit *u, const struct dwarf_lines *l, uint32_t file,
    struct slice dir, struct buf *path);

/* ---- all */

struct dwarf_content {
	struct dwarf_code code;
	struct dwarf_lines lines;
	struct dwarf_unit *split; /* the unit with the functions: itself, or one of a .dwo file */
	struct dwarf_unit packed; /* split, if it is in the .dwp file */
	struct dwarf_file *dwo; /* the .dwo file */
	struct err why; /* the reason why it cannot be used; code 0: none */
	size_t memory;
};

#define DWARF_TABLES 1024

struct dwarf {
	struct dwarf_file main, alt, dwp;
	bool alt_asked, dwp_asked;
	struct err alt_why, dwp_why; /* why they cannot be read */
	struct dwarf_related related;
	struct err why; /* of the current call */
	uint64_t work; /* bytes that may still be read */
	bool indexed, walked;
	struct err index_why; /* why units may be missing; code 0: none are */
	struct dwarf_ranges unit_ranges;
	struct dwarf_map map; /* to numbers of units of the main file */
	struct dwarf_abbrevs *table[DWARF_TABLES]; /* by their offsets */
	struct tab texts; /* the texts that frames point to */
	struct dwarf_frame *frame;
	size_t frame_cap;
	struct buf path; /* scratch */
	size_t cached; /* memory of contents and tables */
	uint64_t clock, last_drop;
};

/* Stores an error in the data, unless there is one already.  Returns false. */
bool dwarf_damaged(struct dwarf *d, const char *what);

/* Stores, in the same way, that something is not available, which is not damage (ERR_DOUBT). */
bool dwarf_missing(struct dwarf *d, const char *what);

/* Stores an error: memory ran out, or a file cannot be read.  Returns false. */
bool dwarf_nomem(struct dwarf *d);
bool dwarf_fail(struct dwarf_file *f, const char *what);

/* Subtracts n bytes from the budget. */
static inline bool
dwarf_work(struct dwarf *d, uint64_t n)
{
	if (n > d->work)
		return dwarf_damaged(d, "its debug information refers to itself too often");
	d->work -= n;
	return true;
}

/*
 * Appends the text to which v refers in that unit to *to, or nothing if v is not a text.  Returns
 * false if it is damaged or too long.
 */
bool dwarf_text(struct dwarf_unit *u, const struct dwarf_value *v, struct buf *to);

#endif
