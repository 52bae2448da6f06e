/* SPDX-License-Identifier: ISC */
/* lists.c - fuzzes the lists of kernel and JIT symbols, and the lookup. */
#include <fcntl.h>
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
look_up_text(struct kernel_text *k, struct span span)
{
	const struct symtab *t;
	const struct symbol *s;
	struct span part;
	uint64_t addr;

	for (addr = span.from; addr < span.to && addr < 1 << 13; addr += 5) {
		check(kernel_text_find(k, addr, &t, &part, NULL) == 0,
		    "a part that cannot be read");
		check(part.from <= addr && addr < part.to, "not in the part");
		s = symtab_find(t, addr);
		check(s != NULL && s->start <= addr && addr < s->end && s->namelen != 0,
		    "a place without a name");
	}
	kernel_text_free(k);
}

static bool
take(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/afpipe-fuzz-XXXXXX";
	struct file_name name = { .path = path };
	struct symtab *t;
	struct span span;
	struct kernel_text *k;
	int fd = mkstemp(path), copy;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (lseek(fd, 0, SEEK_SET) == 0 &&
	    kallsyms_load(fd, "_text", 0x100, KALLSYMS_RELOCATE, &t, NULL) == 0)
		look_up(t);
	copy = open(path, O_RDONLY);
	if (kernel_text_open(copy, "_text", 0x100, &k, &span, NULL) == 0)
		look_up_text(k, span);
	else
		close(copy);
	if (perfmap_load(&name, &(struct perfmap_end){ 0 }, &t, NULL) == 0)
		look_up(t);
	close(fd);
	unlink(path);
	return true;
}

const struct fuzz_driver fuzz_driver = { .take = take };
