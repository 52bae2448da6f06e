#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Writes the DCPI sample of share/dcpi into a folder.  No machine with DCPI was at hand.

The profile is the binary form of the example in dcpicat(1): two procedures of an image, and counts
of cycles.  With it come the image, of which only the symbols are real, and an archive of one epoch,
which also has a profile of the kernel.
"""
import os
import struct
import sys

HEADER = """version pdb-0.07
image %s
epoch 0212042334
platform walnut
event cycles
period 63488
tstart %x
tsize %d
path %s
cpuspeed 333
samples
"""


def profile(path, image_id, image_path, start, size, chunks):
    """Chunks are pairs of an offset and the counts from there on, one for each instruction."""
    data = b"".join(struct.pack("<II%dI" % len(counts), offset, len(counts), *counts) for offset, counts in chunks)
    counts = [n for chunk in chunks for n in chunk[1] if n != 0]
    with open(path, "wb") as f:
        f.write((HEADER % (image_id, start, size, image_path)).encode() + data +
                struct.pack("<II", len(counts), sum(counts)))


def image(path):
    """An ELF file of an Alpha with two procedures: its symbols, and zeros for its code."""
    start, size = 0x12006c000, 0x1000
    names, sections = b"\0main\0other\0", b"\0.text\0.symtab\0.strtab\0"

    def symbol(name, value, length):
        return struct.pack("<IBBHQQ", names.index(name), 0x12, 0, 1, value, length)

    def section(name, kind, flags, addr, offset, length, link=0, entry=0):
        return struct.pack("<IIQQQQIIQQ", len(names) + sections.index(name), kind, flags, addr, offset, length, link, 1, 8, entry)
    table = bytes(24) + symbol(b"main", start + 0xb00, 0xd0) + symbol(b"other", start + 0xbd0, 0x100)
    texts = names + sections
    at = 120 + size
    end = at + len(table) + len(texts)
    head = b"\x7fELF\2\1\1" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 2, 0x9026, 1, start, 64, end, 0, 64, 56, 1, 64, 4, 3)
    head += struct.pack("<IIQQQQQQ", 1, 5, 120, start, start, size, size, 1)
    with open(path, "wb") as f:
        f.write(head + bytes(size) + table + texts + bytes(64) + section(b".text", 1, 6, start, 120, size) +
                section(b".symtab", 2, 0, 0, at, len(table), 3, 24) +
                section(b".strtab", 3, 0, 0, at + len(table), len(texts)))


def main():
    folder = sys.argv[1]
    epoch = folder + "/dcpidb/200212042334"
    os.makedirs(epoch, exist_ok=True)
    for path in folder + "/profile", epoch + "/xemacs":
        profile(path, "19970328081403c0c18b", "/usr/local/bin/xemacs", 0x120000000, 0x800000,
                [(0x6cbb8, [29, 0, 0, 0, 0, 0, 10, 1, 2, 0, 3, 0, 2]), (0x6cc40, [4, 0, 1])])
    profile(epoch + "/vmunix", "20011105113012a81f04", "/vmunix", 0xfffffc0000230000, 0x600000,
            [(0x1f00, [12, 0, 0, 6]), (0x20040, [8, 1])])
    image(folder + "/xemacs")


main()
