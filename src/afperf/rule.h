/* SPDX-License-Identifier: ISC */
/*
 * rule.h - the rules that a record of AFPerf may break, with their names.
 *
 * SPEC: a rule of the format's page.  POLICY: the page is silent, unclear or contradicts itself,
 * and the record can be read.  The manual lists all of them.
 */
#ifndef AFPIPE_AFPERF_RULE_H
#define AFPIPE_AFPERF_RULE_H

#include <stdbool.h>

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
	/* not the page's: our own limits */
	RULE_SIZE,
	RULE_WAIT,
	/* policy */
	RULE_LATER_HEADER,
	RULE_NUL,
	RULE_BLANKS,
	RULE_MICRO,
	RULE_ENUM_TEXT,
	RULE_OVERFLOW,
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

bool afperf_rule_is_policy(enum afperf_rule rule);

#endif
