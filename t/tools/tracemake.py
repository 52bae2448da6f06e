# SPDX-License-Identifier: ISC
"""tracemake.py - makes recordings of tracepoints for the tests.

	from tracemake import *
	text = fmt("open", 300, [("char name[16]", 8, 16, 0), ("int fd", 24, 4, 1)])
	r = Recording(big=False)
	r.event(300)
	r.data = blob([("fs", [text])])
	r.sample(0, common(300) + ...)
	r.write("out.data")             # file mode; r.write("out.data", pipe=True)

Samples have id, ip, tid, time, cpu, period and raw bytes.  Event N has the id N + 1.
"""
import struct

COMMON = [("unsigned short common_type", 0, 2, 0), ("unsigned char common_flags", 2, 1, 0),
          ("unsigned char common_preempt_count", 3, 1, 0), ("int common_pid", 4, 4, 1)]
SAMPLE_TYPE = 1 << 16 | 1 | 2 | 4 | 1 << 7 | 1 << 8 | 1 << 10
TRACEPOINT = 2


def line(field):
    return "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % field


def fmt(name, number, fields, tail='print fmt: "x"\n'):
    """Returns the kernel's text of an event.  A field is its declaration, offset, size and
    signedness."""
    return ("name: %s\nID: %d\nformat:\n" % (name, number) + "".join(map(line, COMMON)) + "\n" +
            "".join(map(line, fields)) + "\n" + tail)


def common(number, big=False):
    """Returns the 8 bytes with which every event begins."""
    return struct.pack(">HBBi" if big else "<HBBi", number & 0xffff, 1, 2, 77)


def blob(systems, big=False, long_size=8, version="0.6", ftrace=()):
    """Returns tracing data.  Systems are (name, texts)."""
    o = ">" if big else "<"

    def text(t):
        t = t.encode("latin-1") if isinstance(t, str) else t
        return struct.pack(o + "Q", len(t)) + t
    out = b"\x17\x08\x44tracing" + version.encode() + b"\0"
    out += struct.pack(o + "BBI", big, long_size, 4096)
    out += b"header_page\0" + text("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n")
    out += b"header_event\0" + text("# compressed entry header\n")
    out += struct.pack(o + "I", len(ftrace)) + b"".join(map(text, ftrace))
    out += struct.pack(o + "I", len(systems))
    for name, texts in systems:
        out += name.encode("latin-1") + b"\0" + struct.pack(o + "I", len(texts)) + b"".join(map(text, texts))
    out += struct.pack(o + "I", 4) + b"0 t\n" + struct.pack(o + "I", 0)
    return out + (text("1 init\n") if version >= "0.6" else b"")


class Recording:
    def __init__(self, big=False):
        self.order = ">" if big else "<"
        self.big = big
        self.events = []
        self.samples = []
        self.data = b""

    def pack(self, f, *v):
        return struct.pack(self.order + f, *v)

    def event(self, config, type=TRACEPOINT, name=None, sample_type=SAMPLE_TYPE, read_format=4):
        self.events.append((type, config, name, sample_type, read_format))

    def sample(self, event, raw, read=b""):
        n = len(self.samples) + 1
        pad = -(len(raw) + 4) % 8   # the length includes padding, as in the kernel
        body = self.pack("QQIIQIIQ", event + 1, 0x1000, 5, 5, n * 100, 0, 0, 1) + read
        body += self.pack("I", len(raw) + pad) + raw + bytes(pad)
        self.samples.append(self.record(9, body, misc=2))

    def record(self, type, body, misc=0):
        return self.pack("IHH", type, misc, 8 + len(body)) + body

    def attr(self, e):
        # freq and similar flags are off; sample_id_all is on
        bits = bytes([0, 0, 1 << 5, 0]) if self.big else bytes([0, 0, 1 << 2, 0])
        head = self.pack("IIQQQQ", e[0], 64, e[1], 1, e[3], e[4])
        return head + bits + bytes(4) + bytes(16)

    def events_named(self):
        return [(i, e) for i, e in enumerate(self.events) if e[2] is not None]

    def pipe(self, data_first=False, inside=0, split=0):
        attrs = b"".join(self.record(64, self.attr(e) + self.pack("Q", i + 1)) for i, e in enumerate(self.events))
        data = b""
        if self.data and inside:
            data = self.record(inside, self.pack("I", len(self.data)) + self.data + bytes(-(len(self.data) + 4) % 8))
            if split:   # into pieces of that many bytes
                cut = [data[i:i + split] for i in range(0, len(data), split)]
                data = b"".join(self.record(32772, piece) for piece in cut) + self.record(32773, b"")
        elif self.data:
            pad = -len(self.data) % 8
            data = self.record(66, self.pack("I", len(self.data) + pad)) + self.data + bytes(pad)
        names = b"".join(self.record(78, self.pack("QQ", 2, i + 1) + e[2].encode() + bytes(8 - len(e[2]) % 8))
                         for i, e in self.events_named())
        head = (b"2ELIFREP" if self.big else b"PERFILE2") + self.pack("Q", 16)
        return head + (data + attrs if data_first else attrs + data) + names + b"".join(self.samples)

    def file(self):
        ids = b"".join(self.pack("Q", i + 1) for i in range(len(self.events)))
        attrs = b"".join(self.attr(e) + self.pack("QQ", 104 + 8 * i, 8) for i, e in enumerate(self.events))
        records = b"".join(self.samples)
        at = 104 + len(ids) + len(attrs)
        host = self.pack("I", 8) + b"node\0\0\0\0"   # this identifies a big-endian bitmap
        end = at + len(records) + (32 if self.data else 16)
        head = (b"2ELIFREP" if self.big else b"PERFILE2") + self.pack("QQ", 104, 80)
        head += self.pack("QQQQQQ", 104 + len(ids), len(attrs), at, len(records), 0, 0)
        head += self.pack("QQQQ", 1 << 3 | (1 << 1 if self.data else 0), 0, 0, 0)
        table = self.pack("QQ", end, len(self.data)) if self.data else b""
        table += self.pack("QQ", end + len(self.data), len(host))
        return head + ids + attrs + records + table + self.data + host

    def write(self, path, pipe=False, **how):
        with open(path, "wb") as f:
            f.write(self.pipe(**how) if pipe else self.file())
