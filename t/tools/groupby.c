/* SPDX-License-Identifier: ISC */
/*
 * groupby.c - the program against which afagg is measured: the least that a C program can do.
 *
 * groupby <FILE: prints count, sum and mean of column 6 by column 4, for lines that begin with
 * "sample".  It checks neither escapes nor marks, overflow or types of values.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS ((size_t)1 << 20)
#define COLUMNS 6

struct group {
	char *name;
	size_t len;
	uint64_t count, sum;
};

static struct group table[SLOTS];

static struct group *
find(const char *name, size_t len)
{
	uint64_t h = 14695981039346656037u;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 1099511628211u;
	for (i = h & (SLOTS - 1); table[i].name != NULL; i = (i + 1) & (SLOTS - 1))
		if (table[i].len == len && memcmp(table[i].name, name, len) == 0)
			return &table[i];
	table[i].name = malloc(len + 1);
	if (table[i].name == NULL)
		exit(3);
	memcpy(table[i].name, name, len);
	table[i].name[len] = '\0';
	table[i].len = len;
	return &table[i];
}

static void
take(const char *line, const char *end)
{
	const char *column[COLUMNS + 1];
	struct group *g;
	int n = 0;

	if (strncmp(line, "sample\t", 7) != 0)
		return;
	column[n++] = line;
	while (n <= COLUMNS && (line = memchr(line, '\t', (size_t)(end - line))) != NULL)
		column[n++] = ++line;
	if (n < COLUMNS)
		return;
	g = find(column[3], (size_t)(column[4] - column[3]) - 1);
	g->count++;
	g->sum += strtoull(column[5], NULL, 10);
}

int
main(void)
{
	char *line = NULL;
	size_t cap = 0, i;
	ssize_t n;

	while ((n = getline(&line, &cap, stdin)) > 0)
		take(line, line + n);
	for (i = 0; i < SLOTS; i++)
		if (table[i].name != NULL)
			printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%.17g\n", table[i].name,
			    table[i].count, table[i].sum,
			    (double)table[i].sum / (double)table[i].count);
	free(line);
	return 0;
}
