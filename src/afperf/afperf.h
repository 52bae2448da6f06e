/* SPDX-License-Identifier: ISC */
/*
 * afperf.h - AFPerf 1.0.0: its record types and their fields, its datatypes, units and rules.
 *
 * See "AFPerf Intermediate File Format", section "Defined Record Types".  One table (afperf.c)
 * lists the fields of each record type; reading, checking, writing and appending all use it.
 */
#ifndef AFPIPE_AFPERF_AFPERF_H
#define AFPIPE_AFPERF_AFPERF_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/slice.h"

/* The first 16 bytes of every file.  A record end follows them. */
#define AFPERF_MAGIC "# AFPerf v1     "

#define AFPERF_FORMAT_VERSION "1.0.0"

/* The default limit for the bytes of a record that is read. */
#define AFPERF_RECORD_MAX ((size_t)16 * 1024 * 1024)

/* The numbers assigned by the specification.  0 is reserved. */
enum afperf_record {
	AFPERF_MEASUREMENT_TYPE = 1,
	AFPERF_PAUSE_RESUME,
	AFPERF_REGION_AGGREGATE,
	AFPERF_REGION_POINT,
	AFPERF_REGION_START,
	AFPERF_REGION_STOP,
	AFPERF_RUN_AGGREGATE,
	AFPERF_RUN_INFO,
	AFPERF_RUN_POINT,
	AFPERF_SECTION_AGGREGATE,
	AFPERF_SECTION_INFO,
	AFPERF_SECTION_POINT,
	AFPERF_SECTION_START,
	AFPERF_SECTION_STOP,
	AFPERF_RECORDS
};

/*
 * The contents of a field.  Fields of many record types come first, then fields of definitions
 * only.
 */
enum afperf_field {
	FIELD_NONE,
	FIELD_TIME, /* for an interval or a pause, its end */
	FIELD_START, /* a time; the specification puts it after the end */
	FIELD_OWNER, /* id of the region or section, depending on the scope */
	FIELD_INTERVAL, /* id of an interval of a section */
	FIELD_AGGREGATION, /* text; if blank, the record is raw, not processed */
	FIELD_LABEL, /* text */
	FIELD_RUN, /* id */
	FIELD_PAIRS, /* pairs of type id and value: one or more, always the last fields */
	FIELD_TAGS,
	/* texts */
	FIELD_VERSION, /* of the format */
	FIELD_APP,
	FIELD_APP_VERSION,
	FIELD_NAME,
	FIELD_UNITS,
	FIELD_SUMMARY,
	FIELD_DESCRIPTION,
	/* numbers, and words of the format */
	FIELD_TYPE, /* id of a measurement type */
	FIELD_TIME_UNIT,
	FIELD_WALL, /* the clock, in seconds since 1970 */
	FIELD_DATATYPE,
	AFPERF_FIELDS
};

enum afperf_role {
	ROLE_DEFINITION,
	ROLE_START,
	ROLE_STOP,
	ROLE_PAUSE,
	ROLE_POINT,
	ROLE_AGGREGATE,
	AFPERF_ROLES
};

/* The subject of a record.  In the stream it is the value of scope=. */
enum afperf_scope { SCOPE_NONE, SCOPE_RUN, SCOPE_REGION, SCOPE_SECTION, SCOPE_GROUP };

/* Returns SCOPE_NONE if the name is not one of these. */
enum afperf_scope afperf_scope_named(struct slice name);

/* The fields of a record type. */
struct afperf_layout {
	struct slice name; /* as in the first field of a record */
	uint8_t record; /* enum afperf_record */
	uint8_t role; /* enum afperf_role */
	uint8_t scope; /* enum afperf_scope */
	uint8_t n; /* number of fields after the type, not counting pairs */
	uint8_t field[9]; /* enum afperf_field, in order; FIELD_NONE after the last */
	uint8_t
	    /* the position of each field in the record (the type is at 0), or 0 if it is absent */
	    at[AFPERF_FIELDS];
};

/* Indexed by enum afperf_record.  Entry 0 has no name. */
extern const struct afperf_layout afperf_layouts[AFPERF_RECORDS];

/* Returns what messages call a field of the record type, from 0 on, not counting pairs. */
const char *afperf_field_name(const struct afperf_layout *l, unsigned i);

/*
 * Returns the layout of the specification's example record, if that record lacks a field.  The
 * example of RunInfo lacks the version, and those of RegionStart and SectionInfo lack the run.
 * Returns NULL if the example is complete.
 */
const struct afperf_layout *afperf_layout_of_example(enum afperf_record record);

/*
 * Returns the record type with that name or number: 0 for the reserved number, AFPERF_RECORDS if
 * there is no such type.
 */
enum afperf_record afperf_record_of(struct slice type);

/*
 * A group of aggregates is a region without an id that has at most this many records, with at most
 * this many bytes.  The last record may exceed the limit, so every aggregate can be in a group.
 */
#define AFPERF_GROUP_RECORDS ((size_t)4096)
#define AFPERF_GROUP_BYTES ((size_t)4 * 1024 * 1024)

/*
 * A tag that is in no stream.  In a group of aggregates, the tags after AFPERF_MARK=agg have the
 * stream's own keys, and the tags after AFPERF_MARK=tag are those of the label, as are the first
 * ones.  A run with AFPERF_MARK=pool is not a run: its results are those of several runs.
 */
#define AFPERF_MARK "AFPIPE"
#define AFPERF_MARK_OWN "agg"
#define AFPERF_MARK_LABEL "tag"
#define AFPERF_MARK_POOL "pool"

enum afperf_datatype {
	AFPERF_BOOL,
	AFPERF_INT32,
	AFPERF_INT64,
	AFPERF_DOUBLE,
	AFPERF_ENUM,
	AFPERF_STRING,
	AFPERF_DATATYPES /* unknown */
};

/* Returns true if values of that datatype are texts, so that numbers would become texts. */
static inline bool
afperf_holds_texts(enum afperf_datatype type)
{
	return type == AFPERF_STRING || type == AFPERF_ENUM;
}

struct slice afperf_datatype_name(enum afperf_datatype type);
/* Returns AFPERF_DATATYPES if no datatype has this name. */
enum afperf_datatype afperf_datatype_named(struct slice name);

/* A unit of time.  RunInfo uses the long word; MeasurementType and the stream use the short one. */
struct afperf_time_unit {
	struct slice word, unit;
	uint64_t scale; /* nanoseconds */
	uint8_t zeros; /* number of zeros in the scale */
};

/* Returns the Ith unit, or NULL after the last one. */
const struct afperf_time_unit *afperf_time_unit_at(size_t i);
/* Returns NULL if the word is not one of the long words. */
const struct afperf_time_unit *afperf_time_unit_of_word(struct slice word);
/* Returns the entry of nanoseconds for any other unit. */
const struct afperf_time_unit *afperf_time_unit(struct slice unit);
/* Returns the short word for a long one, and any other unit unchanged. */
struct slice afperf_short_unit(struct slice unit);

/*
 * Reads an unsigned integer of 64 bits, decimal or hexadecimal, that consists only of digits.  *v
 * and *hex are set if the result is DIGITS_OK.  Hexadecimal digits may be of either case and have
 * leading zeros.
 */
enum afperf_digits { DIGITS_OK, DIGITS_BAD, DIGITS_OCTAL, DIGITS_OVER };
enum afperf_digits afperf_digits(struct slice s, uint64_t *v, bool *hex);

/* Reads the three integers of a format version.  Returns false if there are not three. */
bool afperf_version_read(struct slice s, uint64_t part[3]);

/*
 * The rules that a record may break.  SPEC: a rule of the specification.  POLICY: the specification
 * is silent, unclear or contradicts itself, and the record can be read.  The manual lists all of
 * them.
 */
enum afperf_rule {
	/* spec */
	RULE_HEADER,
	RULE_UTF8,
	RULE_QUOTING,
	RULE_RECORD_END,
	RULE_RECORD_TYPE,
	RULE_FIELDS,
	RULE_INTEGER,
	RULE_NUMBER,
	RULE_BLOCK,
	RULE_VERSION,
	RULE_TIME_UNITS,
	RULE_DATATYPE,
	RULE_UNITS,
	RULE_VALUE,
	RULE_PAIRS,
	RULE_AGGREGATION,
	RULE_TIMES,
	RULE_DEFINED,
	RULE_UNIQUE,
	RULE_NESTING,
	/* our own limits, not the specification's */
	RULE_SIZE,
	RULE_WAIT,
	/* policy */
	RULE_POLICIES,
	RULE_LATER_HEADER = RULE_POLICIES,
	RULE_NUL,
	RULE_BLANKS,
	RULE_MICRO,
	RULE_ENUM_TEXT,
	RULE_OVERFLOW,
	RULE_UNDERFLOW,
	RULE_TAGS,
	RULE_RUN_TWICE,
	RULE_REGION_REUSED,
	RULE_PAUSE_RUN,
	RULE_WHICH_RUN,
	RULE_INTERVAL,
	RULE_UNTERMINATED,
	RULES
};

const char *afperf_rule_name(enum afperf_rule rule);

#endif
