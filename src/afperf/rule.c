/* SPDX-License-Identifier: ISC */
/* rule.c - the names of the rules. */
#include "src/afperf/rule.h"

static const char *const names[RULES] = {
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
	[RULE_TAGS] = "tags",
	[RULE_RUN_TWICE] = "run-twice",
	[RULE_REGION_REUSED] = "region-reused",
	[RULE_PAUSE_RUN] = "pause-run",
	[RULE_WHICH_RUN] = "which-run",
	[RULE_INTERVAL] = "interval",
	[RULE_UNTERMINATED] = "unterminated",
};

const char *
afperf_rule_name(enum afperf_rule rule)
{
	return names[rule];
}

bool
afperf_rule_is_policy(enum afperf_rule rule)
{
	return rule >= RULE_LATER_HEADER;
}
