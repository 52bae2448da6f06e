/* SPDX-License-Identifier: ISC */
/* record.c - the names of AFPerf's record types and datatypes. */
#include "src/afperf/record.h"

#include <string.h>

#include "lib/num.h"

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
afperf_record_number(enum afperf_record record)
{
	static const char digits[] = "000102030405060708091011121314";
	const char *p = digits + 2 * (size_t)record;

	return *p == '0' ? (struct slice){ p + 1, 1 } : (struct slice){ p, 2 };
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

bool
afperf_id_read(struct slice s, uint64_t *v)
{
	char text[18] = "0x";

	if (s.len < 3 || s.p[0] != '0' || (s.p[1] | 0x20) != 'x')
		return num_get_u64(s, v);
	s = (struct slice){ s.p + 2, s.len - 2 };
	while (s.len > 16 && s.p[0] == '0')
		s = (struct slice){ s.p + 1, s.len - 1 };
	if (s.len > 16)
		return false;
	memcpy(text + 2, s.p, s.len);
	return num_get_hex((struct slice){ text, s.len + 2 }, v);
}

enum afperf_record
afperf_record_of(struct slice type)
{
	uint64_t number;

	if (afperf_id_read(type, &number))
		return number < AFPERF_RECORDS ? (enum afperf_record)number : AFPERF_RECORDS;
	return afperf_record_named(type);
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
