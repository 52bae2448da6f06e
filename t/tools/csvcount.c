/* SPDX-License-Identifier: ISC */
/*
 * csvcount.c - the program against which afdec is measured: libcsv without any use of its fields.
 *
 * csvcount FILE: prints the numbers of fields and records.
 */
#include <csv.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct count {
	unsigned long fields, records;
};

static int
no_space(unsigned char c)
{
	(void)c;
	return 0;
}

static void
field(void *s, size_t n, void *ctx)
{
	struct count *c = ctx;

	(void)s;
	(void)n;
	c->fields++;
}

static void
record(int end, void *ctx)
{
	struct count *c = ctx;

	(void)end;
	c->records++;
}

int
main(int argc, char **argv)
{
	static char block[256 * 1024];
	struct csv_parser p;
	struct count c = { 0, 0 };
	ssize_t n;
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || csv_init(&p, CSV_STRICT) != 0)
		return 3;
	csv_set_space_func(&p, no_space);
	while ((n = read(fd, block, sizeof block)) > 0)
		if (csv_parse(&p, block, (size_t)n, field, record, &c) != (size_t)n)
			return 1;
	csv_fini(&p, field, record, &c);
	csv_free(&p);
	printf("%lu %lu\n", c.fields, c.records);
	return n == 0 ? 0 : 3;
}
