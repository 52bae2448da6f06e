#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perfcompare.py - compares perfdec's stream with the output of perf script.

usage: perfcompare.py PERF_SCRIPT_TEXT STREAM [WORD...]

PERF_SCRIPT_TEXT is the output of `perf script --ns -F FIELDS` (.gz is accepted, too).  STREAM is
the output of perfdec with --frames, and with --all if registers are among the fields.  Every
field is compared, line by line, in order.  A line of perf that cannot be read is a difference.
Prints each kind of difference and how often it occurs.  Exits 1 if there are any.  WORDs:

  fields=comm,pid,...  the fields of -F (default: comm to dso, no data addresses or registers)
  symbols[=PREFIX,...] also functions, in all objects or in those with a PREFIX: their files
                       must be those that perf had
  frames=unwound       perf unwound a dumped stack, and so did perfdec
  frames=recorded      chains may go on after ours: perf unwound a dumped stack
  frames=lbr           perf takes a chain's part in user space from branches that are missing
  addresses            perf prints a chain's addresses (6.12 and later), not their offsets in their
                       files; STREAM needs the mappings of --all
  unmodified           perf does not print the modifiers H and G (7.3)
  exited               perf forgets a thread's name when it exits (7.3)
  records              also the other records, in any order: mappings, names, tasks,
                       switches, losses, kernel symbols (perf's --show-...-events, our --all)
  growth               the table that perf prints of perf stat's counters has their growth (6.12
                       and later), not the counters
  without=EVENT,...    perf's samples of these events are left out: it made them from trace data

perfdec names objects of the kernel [kernel.kallsyms] and [MODULE].  perf names those with a
build id in the header by their files, and these count as the same.  So do _init and .plt, since
perf before 6.3 names the code before the first entry of a PLT after the symbol before it.
"""
import gzip
import re
import sys
from collections import Counter

USUAL = "comm,pid,tid,cpu,time,event,period,ip,sym,symoff,dso"
KNOWN = set(USUAL.split(",")) | set("addr brstack cgroup code_page_size data_page_size data_src iregs "
                                    "uregs phys_addr weight trace".split())
EVENT = re.compile(r"^(?P<period>\d+)\s+(?P<event>\S.*?):(?:\s+(?P<more>.*))?$")
FRAME = re.compile(r"^\t\s*(?P<ip>[0-9a-f]+) (?P<sym>.+?) \((?P<dso>.*)\)(?P<inlined> \(inlined\))?$")
HERE = r"\s*(?P<ip>[0-9a-f]+) (?P<sym>\S.*?) \((?P<dso>.*?)\)(?=\s|$)"
PARTS = {"addr": re.compile(r"\s*(?P<addr>[0-9a-f]+)(?: (?![0-9a-f]+ [^(])[^\s|(][^|(]*? \(.*?\))?(?=\s|$)"),
         "data_src": re.compile(r"\s*(?P<data_src>[0-9a-f]+) (?:\|(?:OP|LVL|SNP|TLB|LCK) [^|]*)+"
                                r"\|BLK(?: +(?:N/A|Data|Addr))+(?:\|[A-Z]+ [^|]*?)?(?=\s|$)"),
         "weight": re.compile(r"\s*(?P<weight>\d+)(?=\s|$)"),
         "cgroup": re.compile(r" (?P<cgroup>\S+)"),
         "ip": re.compile(HERE)}
REGS = re.compile(r"\s*ABI:(\d+)((?:\s+[A-Za-z0-9_]+:0x[0-9a-f]+)+)(?=\s|$)")
BRANCH = re.compile(r"\s*0x([0-9a-f]+)(?:\(.*?\))?/0x([0-9a-f]+)(?:\(.*?\))?/([^\s()]*)(?=\s|$)")
TABLE = re.compile(r"^ *(-?\d+) +(-?\d+) +(\d+) +(\d+) +(\d+) +(\d+) (\S.*)$")  # of perf stat's counters
SIZES = {"4K": 1 << 12, "8K": 1 << 13, "16K": 1 << 14, "32K": 1 << 15, "64K": 1 << 16, "1M": 1 << 20, "2M": 1 << 21,
         "4M": 1 << 22, "1G": 1 << 30}


# Records as perf prints them, and our kind and tags with the same contents.
HEX, NUM = r"(?:0x)?([0-9a-f]+)", r"(-?\d+)"
RECORDS = [(re.compile(form + "$"), kind, tags.split()) for form, kind, tags in (
    (rf"MMAP {NUM}/{NUM}: \[{HEX}\({HEX}\) @ {HEX}\]: [xr] (.*)", "mmap", "pid tid addr len pgoff file"),
    (rf"MMAP2 {NUM}/{NUM}: \[{HEX}\({HEX}\) @ {HEX} {HEX}:{HEX} {NUM} {NUM}\]: (....) (.*)", "mmap",
     "pid tid addr len pgoff maj: min: ino: ino_generation: prot: file"),
    (rf"MMAP2 {NUM}/{NUM}: \[{HEX}\({HEX}\) @ {HEX} <([0-9a-f]*)>\]: (....) (.*)", "mmap",
     "pid tid addr len pgoff build_id prot: file"),
    (rf"COMM( exec)?: (.*):{NUM}/{NUM}", "comm", "exec name pid tid"),
    (rf"FORK\({NUM}:{NUM}\):\({NUM}:{NUM}\)", "fork", "pid tid ppid ptid"),
    (rf"EXIT\({NUM}:{NUM}\):\({NUM}:{NUM}\)", "exit", "pid tid ppid ptid"),
    (r"SWITCH (IN|OUT)( preempt)? *", "switch", "dir preempt"),
    (rf"SWITCH_CPU_WIDE (IN|OUT)( preempt)? *(?:next|prev) pid/tid: *{NUM}/{NUM} *", "switch",
     "dir preempt next_prev_pid next_prev_tid"),
    (rf"LOST lost {NUM}", "lost", "value"),
    (rf"KSYMBOL addr {HEX} len {NUM} type {NUM} flags {HEX} name (.*)", "ksymbol", "addr len type flags name"),
    (rf"BPF_EVENT type {NUM}, flags {NUM}, id {NUM}", "bpf_event", "type flags prog"),
    (rf"CGROUP cgroup: {NUM} (.*)", "cgroup", "cgroup_id cgroup"),
    (rf"NAMESPACES {NUM}/{NUM} - nr_namespaces: \d+", "namespaces", "pid tid"))]
KINDS = {kind for _, kind, _ in RECORDS}
HEXES = {"addr", "len", "pgoff", "flags:", "maj:", "min:"}


def opened(name):
    if name.endswith(".gz"):
        return gzip.open(name, "rt", encoding="utf-8", errors="surrogateescape", newline="\n")
    return open(name, encoding="utf-8", errors="surrogateescape", newline="\n")


class Script:
    """The output of perf: samples as dicts, with frames as (ip, symbol, dso), innermost first."""

    def __init__(self, name, fields, without=()):
        self.name, self.fields, self.without = name, fields, without
        self.unread, self.records, self.table = [], Counter(), []
        self.head = re.compile(
            r"^\s*(?P<comm>.*?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+"
            + (r"\[(?P<cpu>-?\d+)\]\s+" if "cpu" in fields else "(?P<cpu>)")
            + (r"(?P<sec>\d+)\.(?P<ns>\d{9}):\s+" if "time" in fields else "(?P<sec>)(?P<ns>)")
            + r"(?P<rest>\S.*)$")

    def record(self, m):
        text = m["rest"][len("PERF_RECORD_"):]
        for form, kind, tags in RECORDS:
            found = form.match(text)
            if found:
                time = int(m["sec"]) * 10**9 + int(m["ns"]) if m["sec"] else None
                self.records[(kind, time) + tuple(self.value(text, t, v) for t, v in zip(tags, found.groups()))] += 1
                return
        self.bad(m["rest"])

    @staticmethod
    def value(text, tag, shown):
        if tag in ("exec", "preempt"):
            return tag, shown is not None
        if tag == "prot:":
            return tag, shown
        if tag in HEXES or (tag == "flags" and text.startswith("KSYMBOL")):
            return tag, int(shown, 10 if tag == "len" and text.startswith("KSYMBOL") else 16)
        return tag, int(shown) if re.match(r"^-?\d+$", shown) and tag not in ("file", "name", "cgroup", "build_id") \
            else shown

    def bad(self, line):
        self.unread.append(line)

    def samples(self):
        sample = tail = None  # tail: the line after a chain is still to come
        ruled = False         # inside perf stat's table
        with opened(self.name) as lines:
            for line in lines:
                line = line.rstrip("\n")
                row = TABLE.match(line) if ruled else None
                if row:
                    self.table.append(tuple(map(int, row.groups()[:-1])) + (row[7],))
                    continue
                if sample is not None and tail:
                    frame = FRAME.match(line)
                    if frame:
                        sample["frames"].append((int(frame["ip"], 16), frame["sym"], frame["dso"]))
                        continue
                    if line == "" or line[0] == " ":
                        if not self.end(sample, line):
                            self.bad(line)
                        yield sample
                        sample = None
                        continue
                    self.bad(line)
                    yield sample
                    sample = None
                m = self.head.match(line)
                e = EVENT.match(m["rest"]) if m else None
                ruled = line.startswith("CPU   THREAD  ")
                if ruled:
                    continue
                if m and m["rest"].startswith("PERF_RECORD_"):
                    self.record(m)
                elif e:
                    sample = self.begin(m, e)
                    tail = sample["chain"]
                    if not tail:
                        yield sample
                        sample = None
                elif re.match(r"^\t\t[ \[]\d+/\w+: ", line):
                    pass  # namespaces
                elif line.startswith(" instruction trace error "):
                    pass
                elif line:
                    self.bad(line)
        if sample is not None:
            self.bad("(the end in a chain)")
            yield sample

    def begin(self, m, e):
        sample = {"comm": m["comm"], "pid": m["pid"], "tid": m["tid"], "cpu": m["cpu"] or None, "frames": [],
                  "time": int(m["sec"]) * 10**9 + int(m["ns"]) if m["sec"] else None,
                  "event": e["event"], "period": int(e["period"])}
        more = e["more"] or ""
        if e["event"] in self.without:
            sample["chain"] = False
            return sample
        if "trace" in self.fields:
            # the text is up to the event; the fields that perf prints after it are searched from
            # the end
            last = re.match(r"^(?P<trace>.*\s|)" + HERE.replace(r"\s*", "", 1) + r"$", " " + more)
            sample["chain"] = last is None
            if last:
                sample["at"] = (int(last["ip"], 16), last["sym"], last["dso"])
                more = last["trace"]
            if "data_src" in self.fields:
                found = re.match(r"^(?P<trace>.*?)" + PARTS["addr"].pattern + PARTS["data_src"].pattern + r"\s*$",
                                 " " + more)
                if found:
                    sample.update(addr=int(found["addr"], 16), data_src=int(found["data_src"], 16))
                else:
                    self.bad(more)
            return sample
        at = 0
        for key in ("addr", "data_src", "weight", "cgroup"):
            if key not in self.fields:
                continue
            part = PARTS[key].match(more, at)
            if not part:
                self.bad(more)
                sample["chain"] = False
                return sample
            value = part[key]
            sample[key] = value if key == "cgroup" else int(value, 10 if key == "weight" else 16)
            at = part.end()
        here = PARTS["ip"].match(more, at)
        sample["chain"] = here is None and "ip" in self.fields
        if here:
            sample["at"] = (int(here["ip"], 16), here["sym"], here["dso"])
            at = here.end()
        if sample["chain"]:
            if more[at:].strip():
                self.bad(more)
                sample["chain"] = False
        elif not self.end(sample, more[at:]):
            self.bad(more)
        return sample

    def end(self, sample, text):
        """Reads the line that perf prints after the frames.  Returns false if it is something else."""
        at = 0
        for key in ("iregs", "uregs"):
            m = REGS.match(text, at) if key in self.fields else None
            if m:
                sample[key] = [int(m[1])] + [int(r.split(":")[1], 16) for r in m[2].split()]
                at = m.end()
            elif key in self.fields:
                sample[key] = [0]  # perf prints nothing if there are none
        if "brstack" in self.fields:
            sample["brstack"] = []
            m = BRANCH.match(text, at)
            while m:
                sample["brstack"].append((int(m[1], 16), int(m[2], 16), m[3]))
                at = m.end()
                m = BRANCH.match(text, at)
        for key in ("phys_addr", "data_page_size", "code_page_size"):
            m = re.compile(r"\s*(\S+)").match(text, at) if key in self.fields else None
            if key in self.fields and not m:
                return False
            if m:
                at = m.end()
                sample[key] = int(m[1], 16) if key == "phys_addr" else SIZES.get(m[1], m[1])
        return text[at:].strip() == ""


def undo(text):
    if text == ".":
        return ""
    if text == "\\.":
        return "."
    if "\\" not in text:
        return text
    raw = re.sub(rb"\\(x[0-9a-f]{2}|.)",
                 lambda m: {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}.get(m[1]) or bytes([int(m[1][1:], 16)]),
                 text.encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape")


class Stream:
    def __init__(self, name, records=False, timed=True):
        self.name, self.timed = name, timed
        self.records = Counter() if records else None
        self.grown = []  # values of the rows of growth
        self.cut = 0     # samples with an unknown marker in their chains, as the stream counts them
        self.table = []  # perf stat's counters: (cpu, tid, counter, enabled, running, time, event)
        self.exited = set()
        self.shifts = {}  # file -> the differences that its mappings add to its offsets

    def record(self, line):
        col = line.rstrip("\n").split("\t")
        tags = dict(t.split("=", 1) for t in col[6:])
        for _, kind, keys in RECORDS:
            if kind != col[0] or ("maj:" in keys) != ("maj" in tags and kind == "mmap") or \
                    ("build_id" in keys) != ("build_id" in tags and kind == "mmap") or \
                    ("next_prev_pid" in keys) != ("next_prev_pid" in tags):
                continue
            out = [kind, (int(col[1]) if col[1] != "." else 0) if self.timed else None]
            for key in keys:
                text = tags.get(key.rstrip(":"))
                if key in ("exec", "preempt"):
                    out.append((key, text is not None))
                elif key == "value":
                    out.append((key, int(col[5])))
                elif key == "prot:":
                    prot, shared = int(text, 16), int(tags["flags"], 16) & 1
                    out.append((key, "".join(c if prot & b else "-" for c, b in (("r", 1), ("w", 2), ("x", 4)))
                                + "ps"[shared]))
                elif key == "dir":
                    out.append((key, text.upper()))
                elif key in ("file", "name", "cgroup", "build_id"):
                    out.append((key, undo(text)))
                else:
                    out.append((key, int(text, 0)))
            self.records[tuple(out)] += 1

    def samples(self):
        with opened(self.name) as lines:
            for line in lines:
                if self.records is not None and line.split("\t", 1)[0] in KINDS:
                    if not line.startswith("lost\t") or "\twhy=lost\t" in line + "\t":
                        self.record(line)
                if line.startswith("incomplete\t") and line.endswith("\twhy=unknown_marker\n"):
                    self.cut += int(line.split("\t")[5])
                if line.startswith("exit\t"):
                    self.exited.add(re.search(r"\ttid=(-?\d+)", line)[1])
                elif line.startswith("mmap\t"):
                    tags = dict(t.split("=", 1) for t in line.rstrip("\n").split("\t")[6:])
                    self.shifts.setdefault(undo(tags["file"]), set()).add(
                        int(tags["addr"], 16) - int(tags["pgoff"], 16))
                if not line.startswith("sample\t"):
                    continue
                col = line.rstrip("\n").split("\t")
                tags = dict(t.split("=", 1) for t in col[6:])
                tags["@"] = col
                if "round" in tags:
                    cpu = tags.get("on_cpu", tags["cpu"])
                    self.table.append((int(cpu) if cpu != "." else -1, int(tags["tid"]), int(tags["count"]),
                                       int(tags["enabled"]), int(tags["running"]), int(col[1]), undo(col[4])))
                    self.grown.append(int(col[5]))
                    continue
                yield tags


def without_offset(sym):
    return re.sub(r"\+0x[0-9a-f]+$", "", sym)


def same_object(theirs, ours):
    """Returns whether both name the same object.  perf names objects of the kernel by their files
    if the header lists their build ids."""
    base = theirs.rsplit("/", 1)[-1]
    ours = re.sub(r"^/.*/jit-([0-9]+)\.dump$", r"/tmp/perf-\1.map", ours)  # a jitdump, without perf inject
    module = re.match(r"^(.+?)\.ko(\.[a-z0-9]+)?$", base)
    return theirs == ours or (module is not None and ours == f"[{module[1].replace('-', '_')}]") or \
        (base.startswith("vmlinux") and ours == "[kernel.kallsyms]")


def growths(table):
    """Yields the rows with the growth of each counter since the row before."""
    before = {}
    for cpu, tid, *counts, time, event in table:
        was = before.get((cpu, tid, event), (0, 0, 0))
        yield (cpu, tid) + tuple(a - b for a, b in zip(counts, was)) + (time, event)
        before[cpu, tid, event] = counts


class Judge:
    def __init__(self, fields, options):
        self.fields, self.options = fields, options
        self.differences, self.examples, self.n = Counter(), {}, 0
        self.records = Counter()
        self.dropped = 0  # chains of which perf has no frame, and ours end early
        self.long = 0     # chains that end early beyond the last frame that perf prints

    def differ(self, what, theirs, ours, where=None):
        self.differences[what] += 1
        if len(self.examples.setdefault(what, [])) < 3:
            self.examples[what].append(f"{where or f'sample {self.n}'}: perf {theirs!r}, perfdec {ours!r}")

    def chain(self, p, s, places):
        """Returns the frames of perf and ours that correspond to each other."""
        theirs, how = p["frames"], self.options.get("frames")
        if how == "recorded":
            # perf may have unwound no frames at all
            return theirs[:len(places)], places[:len(theirs)]
        if how == "unwound":
            # where the copy of the stack ends, perf makes up a last address
            theirs = [f for f in theirs if f[0] != 0xffffffffffffffff]
            if s["stack"].startswith("[truncated]"):
                theirs = theirs[:len(places)]
        if how == "lbr" and s.get("branches") == ".":
            places = [f for f in places if f[0] == "k"]
            if len(theirs) == len(places) + 1:
                theirs = theirs[:-1]  # the frame after the branches, which are missing
        elif not theirs and s.get("stack", "").startswith("[truncated];"):
            self.dropped += 1  # the number shows whether an unknown marker is the reason
            return [], []
        elif not theirs and len(places) == 1:
            return [], []  # a chain without frames, where perfdec has the frame of ip
        if len(theirs) != len(places) and not (len(theirs) == 127 and len(places) > 127):
            self.differ("frames", len(theirs), len(places))
            return [], []
        self.long += len(theirs) == 127 and s.get("stack", "").startswith("[truncated];")
        return theirs, places

    def frames(self, p, s, stream):
        ours = s["frames"].split(";")[::-1] if "frames" in s else []
        ours = [f for f in ours if f != "[truncated]"]
        names = s["stack"].split(";")[::-1] if "stack" in s else [s["@"][3]]
        names = [n for n in names if n != "[truncated]"]
        places = [(f[0],) + re.match(r"^..(.*?)(?:@[^@+]*)?\+0x([0-9a-f]+)(?:-1)?$", f).groups() for f in ours]
        if p["chain"]:
            theirs, places = self.chain(p, s, places)
        else:
            # if there is a chain, its first frame need not be that of ip
            theirs, names = [p["at"]], [s["@"][3]]
            places = [(s.get("mode", "?"), s.get("dso", "[unknown]"), s.get("ip", "0x0")[2:])]
        for (ip, sym, dso), (_, place, offset), name in zip(theirs, places, names):
            where = int(offset, 16)
            if ip != where and not (("addresses" in self.options or place is None) and
                                    any(ip - where in (shift, -shift) for shift in stream.shifts.get(dso, ()))):
                self.differ("frame", hex(ip), offset)
            if place is not None and not same_object(dso, undo(place)):
                self.differ("dso", dso, place)
            prefixes = self.options.get("symbols")
            if prefixes is None or not dso.startswith(prefixes):
                continue
            bare, got = without_offset(sym), undo(name)
            if bare == "[unknown]":
                if not got.startswith("["):
                    self.differ("symbol", sym, name)
            elif (bare, got) == ("_init", ".plt"):
                continue
            elif bare != got:
                self.differ("symbol", sym, name)
            elif "symoff" in s and not p["chain"] and int(sym[len(bare) + 3:] or "0", 16) != int(s["symoff"], 16):
                self.differ("symoff", sym, s["symoff"])

    def branches(self, p, s):
        theirs = p.get("brstack", [])
        ours = [] if s.get("branches", ".") == "." else [b.split("/") for b in s["branches"].split(";")]
        if "branches" not in s or len(theirs) != len(ours):
            self.differ("branches", len(theirs), len(ours) if "branches" in s else None)
            return
        for (a, b, flags), entry in zip(theirs, ours):
            parts = flags.rstrip("/").split("/")
            got = entry[2:]
            if parts[:1] == [""]:
                parts[0] = "-"
            if (a, b) != (int(entry[0], 16), int(entry[1], 16)):
                self.differ("branch", (hex(a), hex(b)), entry[:2])
            common = min(len(parts), len(got))
            if common < 4 or [x or "-" for x in parts[:common]] != got[:common]:
                self.differ("branch flags", flags, "/".join(got))

    def event(self, name):
        """Returns our name as this version of perf spells it."""
        return re.sub(r":([a-zA-Z]+)$", lambda m: (":" + re.sub("[HG]", "", m[1])).rstrip(":"), name) \
            if "unmodified" in self.options else name

    def compare(self, p, s, stream):
        col = s["@"]
        for key, ours in (("comm", undo(s["comm"])), ("pid", s["pid"]), ("tid", s["tid"]), ("event", undo(col[4])),
                          ("period", int(col[5]))):
            theirs = p[key]
            if key == "comm":  # perf pads the name with blanks
                theirs, ours = theirs.strip(), ours.strip()
                if "exited" in self.options and theirs == f":{s['tid']}" and s["tid"] in stream.exited:
                    continue
            if key == "event":
                ours = self.event(ours)
            if theirs != ours:
                self.differ(key, theirs, ours)
        if "time" in self.fields and str(p["time"]) != col[1]:
            self.differ("time", p["time"], col[1])
        if "cpu" in self.fields and int(p["cpu"]) != int(s["cpu"] if s["cpu"] != "." else -1):
            self.differ("cpu", p["cpu"], s["cpu"])
        if "ip" in self.fields and "at" in p and p["at"][0] != int(s.get("ip", "-1"), 16):
            self.differ("ip", hex(p["at"][0]), s.get("ip"))
        for key in ("addr", "data_src", "phys_addr"):
            if key in self.fields and p.get(key) != (int(s[key], 16) if key in s else 0):
                self.differ(key, p.get(key), s.get(key))
        if "weight" in self.fields and p.get("weight") != int(s.get("weight", "0")):
            self.differ("weight", p.get("weight"), s.get("weight"))
        for key in ("data_page_size", "code_page_size"):
            if key in self.fields and (0 if p.get(key) == "N/A" else p.get(key)) != int(s.get(key, "0")):
                self.differ(key, p.get(key), s.get(key))
        if "cgroup" in self.fields and p.get("cgroup") != undo(s.get("cgroup", "unknown")):
            self.differ("cgroup", p.get("cgroup"), s.get("cgroup"))
        for key in ("iregs", "uregs"):
            if key not in self.fields:
                continue
            ours = [int(r, 0) for r in s[key].split(";")] if key in s else None
            if p.get(key) != ours:
                self.differ(key, p.get(key), ours)
        if "brstack" in self.fields:
            self.branches(p, s)
        if "ip" in self.fields and (p["chain"] or "at" in p):
            self.frames(p, s, stream)

    def run(self, script, stream):
        theirs, ours = script.samples(), stream.samples()
        sums = {"perf": Counter(), "ours": Counter()}
        counts, made = [0, 0], Counter()
        while True:
            p, s = next(theirs, None), next(ours, None)
            while p is not None and p["event"] in self.options.get("without", ()):
                made[p["event"]] += 1
                p = next(theirs, None)
            if p is not None:
                counts[0] += 1
                sums["perf"][p["event"]] += p["period"]
            if s is not None:
                counts[1] += 1
                sums["ours"][self.event(undo(s["@"][4]))] += int(s["@"][5])
            if p is None and s is None:
                break
            if p is None or s is None:
                continue
            self.n += 1
            self.compare(p, s, stream)
        if counts[0] != counts[1]:
            self.differences["count"] += abs(counts[0] - counts[1])
            self.examples["count"] = [f"perf {counts[0]} samples, perfdec {counts[1]}"]
        if sums["perf"] != sums["ours"]:
            self.differ("sum", dict(sums["perf"]), dict(sums["ours"]), "all")
        if "ip" in self.fields and "frames" not in self.options and \
                not self.dropped <= stream.cut <= self.dropped + self.long:
            self.differ("unknown markers", self.dropped, stream.cut, "all")
        self.records = script.records
        table = list(growths(stream.table)) if "growth" in self.options else stream.table
        if [row[2] for row in growths(stream.table)] != stream.grown:
            self.differ("growth", stream.table, stream.grown, "perf stat")
        if script.table != table:
            self.differ("table", script.table, table, "perf stat")
        if stream.records is not None:
            for item, many in (script.records - stream.records).items():
                self.differ("record of perf's", item, many, "missing")
            for item, many in (stream.records - script.records).items():
                self.differ("record", many, item, "too many")
        for line in script.unread:
            self.differ("unreadable", line[:300], "", "perf's text")
        return counts, made


def main():
    options, fields = {}, USUAL
    for arg in sys.argv[3:]:
        word, _, value = arg.partition("=")
        if word == "fields":
            fields = value
        elif word == "symbols":
            options[word] = tuple(value.split(",")) if value else ("",)
        elif word == "without":
            options[word] = tuple(value.split(","))
        elif arg in ("records", "growth", "frames=recorded", "frames=unwound", "frames=lbr", "addresses", "unmodified", "exited"):
            options[word] = value
        else:
            sys.exit(f"perfcompare.py: what is {arg!r}?")
    fields = fields.split(",")
    if set(fields) - KNOWN:
        sys.exit(f"perfcompare.py: unknown fields {sorted(set(fields) - KNOWN)}")
    judge = Judge(fields, options)
    counts, made = judge.run(Script(sys.argv[1], fields, options.get("without", ())), 
                               Stream(sys.argv[2], "records" in options, "time" in fields))
    print(f"{counts[0]} samples of perf, {counts[1]} of perfdec, {sum(judge.differences.values())} differences")
    if "records" in options:
        print(f"  {sum(judge.records.values())} other records")
    for event, many in made.items():
        print(f"  {many} samples of {event} left out")
    for what, many in judge.differences.most_common():
        print(f"  {what}: {many}, such as {'; '.join(judge.examples[what])}")
    sys.exit(1 if judge.differences else 0)


if __name__ == "__main__":
    main()
