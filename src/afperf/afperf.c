/* SPDX-License-Identifier: ISC */
/* afperf.c - the table of record types, and the names of datatypes, units and rules. */
#include "src/afperf/afperf.h"

#include <string.h>

#include "lib/num.h"
#include "lib/number.h"
#include "lib/short.h"

/* The position of field F among A to I, counted from 1, or 0 if it is not one of them. */
#define AT(f, a, b, c, d, e, g, h, i) \
	((a) == (f)          ? 1 \
		: (b) == (f) ? 2 \
		: (c) == (f) ? 3 \
		: (d) == (f) ? 4 \
		: (e) == (f) ? 5 \
		: (g) == (f) ? 6 \
		: (h) == (f) ? 7 \
		: (i) == (f) ? 8 \
			     : 0)
#define AT_ALL(...) \
	{ \
		[FIELD_TIME] = AT(FIELD_TIME, __VA_ARGS__), \
		[FIELD_START] = AT(FIELD_START, __VA_ARGS__), \
		[FIELD_RUN] = AT(FIELD_RUN, __VA_ARGS__), \
		[FIELD_OWNER] = AT(FIELD_OWNER, __VA_ARGS__), \
		[FIELD_INTERVAL] = AT(FIELD_INTERVAL, __VA_ARGS__), \
		[FIELD_TYPE] = AT(FIELD_TYPE, __VA_ARGS__), \
		[FIELD_AGGREGATION] = AT(FIELD_AGGREGATION, __VA_ARGS__), \
		[FIELD_PAIRS] = AT(FIELD_PAIRS, __VA_ARGS__), \
		[FIELD_LABEL] = AT(FIELD_LABEL, __VA_ARGS__), \
		[FIELD_TAGS] = AT(FIELD_TAGS, __VA_ARGS__), \
		[FIELD_TIME_UNIT] = AT(FIELD_TIME_UNIT, __VA_ARGS__), \
		[FIELD_WALL] = AT(FIELD_WALL, __VA_ARGS__), \
		[FIELD_VERSION] = AT(FIELD_VERSION, __VA_ARGS__), \
		[FIELD_APP] = AT(FIELD_APP, __VA_ARGS__), \
		[FIELD_APP_VERSION] = AT(FIELD_APP_VERSION, __VA_ARGS__), \
		[FIELD_NAME] = AT(FIELD_NAME, __VA_ARGS__), \
		[FIELD_DATATYPE] = AT(FIELD_DATATYPE, __VA_ARGS__), \
		[FIELD_UNITS] = AT(FIELD_UNITS, __VA_ARGS__), \
		[FIELD_SUMMARY] = AT(FIELD_SUMMARY, __VA_ARGS__), \
		[FIELD_DESCRIPTION] = AT(FIELD_DESCRIPTION, __VA_ARGS__), \
	}
/* The number of fields, not counting pairs. */
#define IS(f) ((f) != FIELD_NONE && (f) != FIELD_PAIRS)
#define COUNT(a, b, c, d, e, g, h, i) \
	(IS(a) + IS(b) + IS(c) + IS(d) + IS(e) + IS(g) + IS(h) + IS(i))

#define EIGHT(record, name, role, scope, a, b, c, d, e, g, h, i, ...) \
	{ \
		SLICE_INIT(name), record, role, scope, COUNT(a, b, c, d, e, g, h, i), \
		    { a, b, c, d, e, g, h, i }, AT_ALL(a, b, c, d, e, g, h, i) \
	}
/* A row: the record, its name, its role, its scope, and its fields in order. */
#define ROW(record, name, role, scope, ...) \
	[record] = EIGHT(record, name, role, scope, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0)

/*
 * The record types.  Ids may be blank, except the id of a type.  The time of SectionInfo may be
 * blank.
 */
const struct afperf_layout afperf_layouts[AFPERF_RECORDS] = {
	ROW(AFPERF_MEASUREMENT_TYPE, "MeasurementType", ROLE_DEFINITION, SCOPE_NONE, FIELD_TIME,
	    FIELD_RUN, FIELD_TYPE, FIELD_NAME, FIELD_DATATYPE, FIELD_UNITS, FIELD_SUMMARY,
	    FIELD_DESCRIPTION),
	ROW(AFPERF_PAUSE_RESUME, "PauseResume", ROLE_PAUSE, SCOPE_RUN, FIELD_TIME, FIELD_START,
	    FIELD_RUN),
	ROW(AFPERF_REGION_AGGREGATE, "RegionAggregate", ROLE_AGGREGATE, SCOPE_REGION, FIELD_TIME,
	    FIELD_START, FIELD_OWNER, FIELD_AGGREGATION, FIELD_PAIRS),
	ROW(AFPERF_REGION_POINT, "RegionPoint", ROLE_POINT, SCOPE_REGION, FIELD_TIME, FIELD_OWNER,
	    FIELD_PAIRS),
	ROW(AFPERF_REGION_START, "RegionStart", ROLE_START, SCOPE_REGION, FIELD_TIME, FIELD_RUN,
	    FIELD_OWNER, FIELD_LABEL, FIELD_TAGS),
	ROW(AFPERF_REGION_STOP, "RegionStop", ROLE_STOP, SCOPE_REGION, FIELD_TIME, FIELD_OWNER),
	ROW(AFPERF_RUN_AGGREGATE, "RunAggregate", ROLE_AGGREGATE, SCOPE_RUN, FIELD_TIME,
	    FIELD_START, FIELD_RUN, FIELD_AGGREGATION, FIELD_PAIRS),
	ROW(AFPERF_RUN_INFO, "RunInfo", ROLE_DEFINITION, SCOPE_RUN, FIELD_TIME, FIELD_TIME_UNIT,
	    FIELD_WALL, FIELD_VERSION, FIELD_RUN, FIELD_APP, FIELD_APP_VERSION, FIELD_TAGS),
	ROW(AFPERF_RUN_POINT, "RunPoint", ROLE_POINT, SCOPE_RUN, FIELD_TIME, FIELD_RUN,
	    FIELD_PAIRS),
	ROW(AFPERF_SECTION_AGGREGATE, "SectionAggregate", ROLE_AGGREGATE, SCOPE_SECTION, FIELD_TIME,
	    FIELD_START, FIELD_OWNER, FIELD_INTERVAL, FIELD_AGGREGATION, FIELD_PAIRS),
	ROW(AFPERF_SECTION_INFO, "SectionInfo", ROLE_DEFINITION, SCOPE_SECTION, FIELD_TIME,
	    FIELD_RUN, FIELD_OWNER, FIELD_LABEL, FIELD_TAGS),
	ROW(AFPERF_SECTION_POINT, "SectionPoint", ROLE_POINT, SCOPE_SECTION, FIELD_TIME,
	    FIELD_OWNER, FIELD_INTERVAL, FIELD_PAIRS),
	ROW(AFPERF_SECTION_START, "SectionStart", ROLE_START, SCOPE_SECTION, FIELD_TIME,
	    FIELD_OWNER, FIELD_INTERVAL),
	ROW(AFPERF_SECTION_STOP, "SectionStop", ROLE_STOP, SCOPE_SECTION, FIELD_TIME, FIELD_OWNER,
	    FIELD_INTERVAL),
};

/* The layouts of the specification's examples that lack a field. */
static const struct afperf_layout examples[AFPERF_RECORDS] = {
	ROW(AFPERF_RUN_INFO, "RunInfo", ROLE_DEFINITION, SCOPE_RUN, FIELD_TIME, FIELD_TIME_UNIT,
	    FIELD_WALL, FIELD_RUN, FIELD_APP, FIELD_APP_VERSION, FIELD_TAGS),
	ROW(AFPERF_REGION_START, "RegionStart", ROLE_START, SCOPE_REGION, FIELD_TIME, FIELD_OWNER,
	    FIELD_LABEL, FIELD_TAGS),
	ROW(AFPERF_SECTION_INFO, "SectionInfo", ROLE_DEFINITION, SCOPE_SECTION, FIELD_TIME,
	    FIELD_OWNER, FIELD_LABEL, FIELD_TAGS),
};

static const struct slice datatypes[AFPERF_DATATYPES] = {
	[AFPERF_BOOL] = SLICE_INIT("bool"),
	[AFPERF_INT32] = SLICE_INIT("int32"),
	[AFPERF_INT64] = SLICE_INIT("int64"),
	[AFPERF_DOUBLE] = SLICE_INIT("double"),
	[AFPERF_ENUM] = SLICE_INIT("enum"),
	[AFPERF_STRING] = SLICE_INIT("string"),
};

static const struct afperf_time_unit time_units[] = {
	{ SLICE_INIT("nanoseconds"), SLICE_INIT("ns"), 1, 0 },
	{ SLICE_INIT("microseconds"), SLICE_INIT("us"), 1000, 3 },
	{ SLICE_INIT("milliseconds"), SLICE_INIT("ms"), 1000000, 6 },
	{ SLICE_INIT("seconds"), SLICE_INIT("s"), 1000000000, 9 },
};
#define TIME_UNITS (sizeof time_units / sizeof time_units[0])

static const char *const rules[RULES] = {
	[RULE_HEADER] = "header",
	[RULE_UTF8] = "utf8",
	[RULE_QUOTING] = "quoting",
	[RULE_RECORD_END] = "record-end",
	[RULE_RECORD_TYPE] = "record-type",
	[RULE_FIELDS] = "fields",
	[RULE_INTEGER] = "integer",
	[RULE_NUMBER] = "number",
	[RULE_BLOCK] = "block",
	[RULE_VERSION] = "version",
	[RULE_TIME_UNITS] = "time-units",
	[RULE_DATATYPE] = "datatype",
	[RULE_UNITS] = "units",
	[RULE_VALUE] = "value",
	[RULE_PAIRS] = "pairs",
	[RULE_AGGREGATION] = "aggregation",
	[RULE_TIMES] = "times",
	[RULE_DEFINED] = "defined",
	[RULE_UNIQUE] = "unique",
	[RULE_NESTING] = "nesting",
	[RULE_SIZE] = "size",
	[RULE_WAIT] = "wait",
	[RULE_LATER_HEADER] = "later-header",
	[RULE_NUL] = "nul",
	[RULE_BLANKS] = "blanks",
	[RULE_MICRO] = "micro",
	[RULE_ENUM_TEXT] = "enum-text",
	[RULE_OVERFLOW] = "overflow",
	[RULE_UNDERFLOW] = "underflow",
	[RULE_TAGS] = "tags",
	[RULE_RUN_TWICE] = "run-twice",
	[RULE_REGION_REUSED] = "region-reused",
	[RULE_PAUSE_RUN] = "pause-run",
	[RULE_WHICH_RUN] = "which-run",
	[RULE_INTERVAL] = "interval",
	[RULE_UNTERMINATED] = "unterminated",
};

const char *
afperf_field_name(const struct afperf_layout *l, unsigned i)
{
	static const char *const names[AFPERF_FIELDS] = {
		[FIELD_TIME] = "time",
		[FIELD_START] = "start",
		[FIELD_INTERVAL] = "interval",
		[FIELD_AGGREGATION] = "aggregation",
		[FIELD_LABEL] = "name",
		[FIELD_RUN] = "run",
		[FIELD_TAGS] = "tags",
		[FIELD_VERSION] = "format version",
		[FIELD_APP] = "application",
		[FIELD_APP_VERSION] = "its version",
		[FIELD_NAME] = "name",
		[FIELD_UNITS] = "units",
		[FIELD_SUMMARY] = "summary",
		[FIELD_DESCRIPTION] = "description",
		[FIELD_TYPE] = "type",
		[FIELD_TIME_UNIT] = "unit of times",
		[FIELD_WALL] = "wall clock",
		[FIELD_DATATYPE] = "datatype",
	};
	enum afperf_field f = (enum afperf_field)l->field[i];

	if (f == FIELD_OWNER)
		return l->scope == SCOPE_REGION ? "region" : "section";
	return f == FIELD_TIME && l->at[FIELD_START] != 0 ? "end" : names[f];
}

const struct afperf_layout *
afperf_layout_of_example(enum afperf_record record)
{
	return examples[record].n != 0 ? &examples[record] : NULL;
}

enum afperf_scope
afperf_scope_named(struct slice name)
{
	switch (name.len) {
	case 3: return memcmp(name.p, "run", 3) == 0 ? SCOPE_RUN : SCOPE_NONE;
	case 5: return memcmp(name.p, "group", 5) == 0 ? SCOPE_GROUP : SCOPE_NONE;
	case 6: return memcmp(name.p, "region", 6) == 0 ? SCOPE_REGION : SCOPE_NONE;
	case 7: return memcmp(name.p, "section", 7) == 0 ? SCOPE_SECTION : SCOPE_NONE;
	default: return SCOPE_NONE;
	}
}

const struct afperf_time_unit *
afperf_time_unit_at(size_t i)
{
	return i < TIME_UNITS ? &time_units[i] : NULL;
}

const struct afperf_time_unit *
afperf_time_unit_of_word(struct slice word)
{
	size_t i;

	for (i = 0; i < TIME_UNITS; i++)
		if (slice_eq(time_units[i].word, word))
			return &time_units[i];
	return NULL;
}

const struct afperf_time_unit *
afperf_time_unit(struct slice unit)
{
	size_t i;

	for (i = TIME_UNITS - 1; i > 0 && !slice_eq(time_units[i].unit, unit); i--)
		;
	return &time_units[i];
}

struct slice
afperf_short_unit(struct slice unit)
{
	const struct afperf_time_unit *t = afperf_time_unit_of_word(unit);

	return t == NULL ? unit : t->unit;
}

struct slice
afperf_datatype_name(enum afperf_datatype type)
{
	return datatypes[type];
}

/*
 * Returns the only record type that a text of that length with that letter, the fourth from the
 * end, can name, or AFPERF_RECORDS.
 */
static inline enum afperf_record
record_like(size_t len, char letter)
{
	switch (letter) {
	case 'I': return len == 7 ? AFPERF_RUN_INFO : AFPERF_SECTION_INFO;
	case 'S': return len == 10 ? AFPERF_REGION_STOP : AFPERF_SECTION_STOP;
	case 'T': return AFPERF_MEASUREMENT_TYPE;
	case 'g':
		return len == 12 ? AFPERF_RUN_AGGREGATE
		    : len == 15  ? AFPERF_REGION_AGGREGATE
				 : AFPERF_SECTION_AGGREGATE;
	case 'o':
		return len == 8 ? AFPERF_RUN_POINT
		    : len == 11 ? AFPERF_REGION_POINT
				: AFPERF_SECTION_POINT;
	case 's': return AFPERF_PAUSE_RESUME;
	case 't': return len == 11 ? AFPERF_REGION_START : AFPERF_SECTION_START;
	default: return AFPERF_RECORDS;
	}
}

static enum afperf_record
record_named(struct slice name)
{
	enum afperf_record like =
	    name.len < 4 ? AFPERF_RECORDS : record_like(name.len, name.p[name.len - 4]);

	return like != AFPERF_RECORDS && short_eq(afperf_layouts[like].name, name) ? like
										   : AFPERF_RECORDS;
}

/* The value of a hexadecimal digit, or 16 for any other byte. */
static const unsigned char hex_digit[256] = {
#define X 16
#define ROW_OF_X X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X
	ROW_OF_X, ROW_OF_X, ROW_OF_X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, X, X, X, X, X, X, X, 10, 11, 12,
	13, 14, 15, X, X, X, X, X, X, X, X, X, ROW_OF_X, X, 10, 11, 12, 13, 14, 15, X, X, X, X, X,
	X, X, X, X, ROW_OF_X, ROW_OF_X, ROW_OF_X, ROW_OF_X, ROW_OF_X, ROW_OF_X, ROW_OF_X, ROW_OF_X,
	ROW_OF_X
#undef ROW_OF_X
#undef X
};

static enum afperf_digits
hexadecimal(struct slice s, uint64_t *v)
{
	uint64_t n = 0, over = 0;
	unsigned bad = 0;
	size_t i;

	if (s.len == 2)
		return DIGITS_BAD;
	for (i = 2; i < s.len; i++) {
		unsigned digit = hex_digit[(unsigned char)s.p[i]];

		bad |= digit;
		over |= n >> 60;
		n = n << 4 | (digit & 15);
	}
	if (bad > 15)
		return DIGITS_BAD;
	*v = n;
	return over != 0 ? DIGITS_OVER : DIGITS_OK;
}

/* Returns whether a number of 20 digits or more exceeds 64 bits. */
static bool
is_over(struct slice s)
{
	static const char max[] = "18446744073709551615";

	return s.len > 20 || memcmp(s.p, max, 20) > 0;
}

enum afperf_digits
afperf_digits(struct slice s, uint64_t *v, bool *hex)
{
	uint64_t n = 0;
	unsigned bad = 0;
	size_t i;

	*hex = s.len >= 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x';
	if (*hex)
		return hexadecimal(s, v);
	if (number_small_unsigned(s, &n) && (s.p[0] != '0' || s.len == 1)) {
		*v = n;
		return DIGITS_OK;
	}
	n = 0;
	for (i = 0; i < s.len; i++) {
		unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';

		bad |= digit > 9;
		n = n * 10 + digit;
	}
	if (bad != 0 || s.len == 0)
		return DIGITS_BAD;
	if (s.p[0] == '0')
		return DIGITS_OCTAL; /* a single 0 was small */
	*v = n;
	return s.len >= 20 && is_over(s) ? DIGITS_OVER : DIGITS_OK;
}

enum afperf_record
afperf_record_of(struct slice type)
{
	uint64_t number;
	bool hex;

	if (type.len != 0 && type.p[0] <= '9' && afperf_digits(type, &number, &hex) == DIGITS_OK)
		return number < AFPERF_RECORDS ? (enum afperf_record)number : AFPERF_RECORDS;
	return record_named(type);
}

bool
afperf_version_read(struct slice s, uint64_t part[3])
{
	size_t i;

	for (i = 0; i < 3; i++) {
		const char *dot = memchr(s.p, '.', s.len);
		struct slice number = { s.p, dot == NULL ? s.len : (size_t)(dot - s.p) };

		if ((dot == NULL) != (i == 2) || !num_get_u64(number, &part[i]))
			return false;
		s.p += number.len + (dot != NULL);
		s.len -= number.len + (dot != NULL);
	}
	return true;
}

enum afperf_datatype
afperf_datatype_named(struct slice name)
{
	int i;

	for (i = 0; i < AFPERF_DATATYPES; i++)
		if (slice_eq(datatypes[i], name))
			break;
	return (enum afperf_datatype)i;
}

const char *
afperf_rule_name(enum afperf_rule rule)
{
	return rules[rule];
}
