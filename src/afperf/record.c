/* SPDX-License-Identifier: ISC */
/* record.c - the names of AFPerf's record types and datatypes. */
#include "src/afperf/record.h"

#define NAME(literal) \
	{ \
		literal, sizeof(literal) - 1 \
	}

static const struct slice records[AFPERF_RECORDS] = {
	[AFPERF_MEASUREMENT_TYPE] = NAME("MeasurementType"),
	[AFPERF_PAUSE_RESUME] = NAME("PauseResume"),
	[AFPERF_REGION_AGGREGATE] = NAME("RegionAggregate"),
	[AFPERF_REGION_POINT] = NAME("RegionPoint"),
	[AFPERF_REGION_START] = NAME("RegionStart"),
	[AFPERF_REGION_STOP] = NAME("RegionStop"),
	[AFPERF_RUN_AGGREGATE] = NAME("RunAggregate"),
	[AFPERF_RUN_INFO] = NAME("RunInfo"),
	[AFPERF_RUN_POINT] = NAME("RunPoint"),
	[AFPERF_SECTION_AGGREGATE] = NAME("SectionAggregate"),
	[AFPERF_SECTION_INFO] = NAME("SectionInfo"),
	[AFPERF_SECTION_POINT] = NAME("SectionPoint"),
	[AFPERF_SECTION_START] = NAME("SectionStart"),
	[AFPERF_SECTION_STOP] = NAME("SectionStop"),
};

static const struct slice datatypes[AFPERF_DATATYPES] = {
	[AFPERF_BOOL] = NAME("bool"),
	[AFPERF_INT32] = NAME("int32"),
	[AFPERF_INT64] = NAME("int64"),
	[AFPERF_DOUBLE] = NAME("double"),
	[AFPERF_ENUM] = NAME("enum"),
	[AFPERF_STRING] = NAME("string"),
};

struct slice
afperf_record_name(enum afperf_record record)
{
	return records[record];
}

struct slice
afperf_datatype_name(enum afperf_datatype type)
{
	return datatypes[type];
}

enum afperf_record
afperf_record_named(struct slice name)
{
	int i;

	for (i = 1; i < AFPERF_RECORDS; i++)
		if (records[i].len == name.len && memcmp(records[i].p, name.p, name.len) == 0)
			break;
	return (enum afperf_record)i;
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
