/* SPDX-License-Identifier: ISC */
/*
 * record.h - the record types of AFPerf 1.0.0 and their fields.
 *
 * From "AFPerf Intermediate File Format", section "Defined Record Types".  Fields
 * in order; the aggregates and the pause put the end before the start:
 *
 *	MeasurementType   time, run, type id, name, datatype, units, summary, description
 *	PauseResume       end, start, run
 *	RegionAggregate   end, start, region, aggregation, (type id, value)...
 *	RegionPoint       time, region, (type id, value)...
 *	RegionStart       time, run, region, label, tags
 *	RegionStop        time, region
 *	RunAggregate      end, start, run, aggregation, (type id, value)...
 *	RunInfo           start, time units, wall clock, format version, run, application,
 *	                  its version, tags
 *	RunPoint          time, run, (type id, value)...
 *	SectionAggregate  end, start, section, interval, aggregation, (type id, value)...
 *	SectionInfo       time, run, section, label, tags
 *	SectionPoint      time, section, interval, (type id, value)...
 *	SectionStart      time, section, interval
 *	SectionStop       time, section, interval
 */
#ifndef AFPIPE_AFPERF_RECORD_H
#define AFPIPE_AFPERF_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/slice.h"

/* The first 16 bytes of every file; a record end comes after them. */
#define AFPERF_MAGIC "# AFPerf v1     "

#define AFPERF_FORMAT_VERSION "1.0.0"

/* Numbers as the page assigns them; 0 is reserved. */
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
 * A group of aggregates is a region without an id that has at most this many records, and bytes in
 * them.  The last record may exceed the limit, so that every aggregate can be in a group.
 */
#define AFPERF_GROUP_RECORDS ((size_t)4096)
#define AFPERF_GROUP_BYTES ((size_t)4 * 1024 * 1024)

enum afperf_datatype {
	AFPERF_BOOL,
	AFPERF_INT32,
	AFPERF_INT64,
	AFPERF_DOUBLE,
	AFPERF_ENUM,
	AFPERF_STRING,
	AFPERF_DATATYPES /* none of these: unknown */
};

/* The name as a record's first field spells it. */
struct slice afperf_record_name(enum afperf_record record);

/* Its number, in decimal. */
struct slice afperf_record_number(enum afperf_record record);

struct slice afperf_datatype_name(enum afperf_datatype type);

/* The record with that name; AFPERF_RECORDS if there is none. */
enum afperf_record afperf_record_named(struct slice name);

/* Reads an unsigned integer as in files: 0X is accepted, too, and hex digits with leading zeros. */
bool afperf_id_read(struct slice s, uint64_t *v);

/*
 * The record with that name or number.  0: the reserved number.  AFPERF_RECORDS if there is none.
 */
enum afperf_record afperf_record_of(struct slice type);

/* Is the number, in the stream's spelling, valid as seconds since 1970? */
bool afperf_is_wall(struct slice s);

/* The three integers of a format version; false if there are not three. */
bool afperf_version_read(struct slice s, uint64_t part[3]);

/* AFPERF_DATATYPES if it is no datatype's name. */
enum afperf_datatype afperf_datatype_named(struct slice name);

#endif
