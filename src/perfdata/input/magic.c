/* SPDX-License-Identifier: ISC */
/* magic.c - recognizes the first bytes of a recording, and of other files. */

#include <inttypes.h>
#include <string.h>

#include "lib/guess.h"
#include "src/perfdata/input/input.h"

bool
magic_is(const unsigned char p[8])
{
	return memcmp(p, "PERFILE2", 8) == 0 || memcmp(p, "2ELIFREP", 8) == 0;
}

/*
 * Returns true for the header of a record of a known type and a possible size.  Only compressed
 * records, with which a data.N begins if there are any, are of any size.
 */
static bool
looks_like_record(const unsigned char *p, size_t n, bool big_endian)
{
	struct cur c = cur_over(p, n, big_endian);
	uint32_t type = cur_u32(&c);
	uint16_t misc = cur_u16(&c), size = cur_u16(&c);

	(void)misc;
	return cur_ok(&c) && size >= REC_HEADER && (size % 8 == 0 || type == REC_COMPRESSED) &&
	    ((type >= REC_MMAP && type < REC_KERNEL_END) ||
		(type >= REC_USER && type < REC_PERF_END));
}

int
magic_refuse(const unsigned char *p, size_t n, struct err *e)
{
	if (n == 0)
		return err_byte(e, 0, "empty file");
	if (guess_refuse(p, n, GUESS_PERF, e) != 0) {
		err_at_byte(e, 0);
		return ERR_DATA;
	}
	if (n >= 8 && memcmp(p, "PERFFILE", 8) == 0)
		return err_byte(e, 0, "version 1 of perf.data with a header of unknown size");
	if (n < MAGIC_SIZE && memcmp(p, "PERFILE2", n < 8 ? n : 8) == 0)
		return err_byte(e, n, "cut short in its header");
	if (looks_like_record(p, n, false) || looks_like_record(p, n, true))
		return err_byte(e, 0,
		    "records without a header, as in a data.N of a directory (give the directory) "
		    "or a pipe whose beginning is missing");
	return err_byte(e, 0, "not a perf.data file: it does not begin with PERFILE2");
}

/*
 * Returns true for the magic of version 1 (perf before Linux 2.6.37).  The magic is the same in
 * both byte orders; the header's size shows which byte order it is.  The layout is that of version
 * 2, in early versions without features.
 */
static bool
is_version_1(const unsigned char *head, bool *big_endian)
{
	int i;

	if (memcmp(head, "PERFFILE", 8) != 0)
		return false;
	for (i = 0; i < 2; i++) {
		struct cur c = cur_over(head + 8, 8, i == 1);
		uint64_t size = cur_u64(&c);

		*big_endian = i == 1;
		if (size == MAGIC_SIZE || size == OLD_HEADER_SIZE || size == FILE_HEADER_SIZE)
			return true;
	}
	return false;
}

int
magic_read(const unsigned char head[MAGIC_SIZE], bool *big_endian, uint64_t *size, struct err *e)
{
	struct cur c;

	*big_endian = memcmp(head, "2ELIFREP", 8) == 0;
	if (!magic_is(head) && !is_version_1(head, big_endian))
		return magic_refuse(head, MAGIC_SIZE, e);
	c = cur_over(head + 8, 8, *big_endian);
	*size = cur_u64(&c);
	if (*size == MAGIC_SIZE || *size == FILE_HEADER_SIZE ||
	    (*size == OLD_HEADER_SIZE && memcmp(head, "PERFFILE", 8) == 0))
		return 0;
	return err_byte(e, 8,
	    "header of %" PRIu64 " bytes: neither file mode (104) nor pipe mode (16)", *size);
}
