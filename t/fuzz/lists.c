/* SPDX-License-Identifier: ISC */
/* lists.c - fuzzes the lists of kernel and JIT symbols, and the lookup. */
#include <stdlib.h>
#include <unistd.h>

#include "src/symbol/lists.h"
#include "t/fuzz/fuzz.h"

static void
look_up(struct symtab *t)
{
	const struct symbol *s;
	uint64_t addr;

	for (addr = 0; addr < 1 << 13; addr += 5) {
		s = symtab_find(t, addr);
		check(s == NULL || (s->start <= addr && addr < s->end), "not in the symbol");
	}
	symtab_free(t);
}

/* Whatever is accepted names every address of its range. */
static void
look_up_text(struct symtab *t, struct span span)
{
	uint64_t addr;

	for (addr = 0; addr < 1 << 13; addr += 5)
		check(addr < span.from || addr >= span.to || symtab_find(t, addr) != NULL,
		    "a place without a name");
	look_up(t);
}

static bool
take(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/afpipe-fuzz-XXXXXX";
	struct file_name name = { .path = path };
	struct symtab *t;
	struct span span;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (lseek(fd, 0, SEEK_SET) == 0 &&
	    kallsyms_load(fd, "_text", 0x100, KALLSYMS_RELOCATE, &t, NULL) == 0)
		look_up(t);
	if (lseek(fd, 0, SEEK_SET) == 0 &&
	    kallsyms_load_text(fd, "_text", 0x100, &t, &span, NULL) == 0)
		look_up_text(t, span);
	if (perfmap_load(&name, &t, NULL) == 0)
		look_up(t);
	close(fd);
	unlink(path);
	return true;
}

const struct fuzz_driver fuzz_driver = { .take = take };
