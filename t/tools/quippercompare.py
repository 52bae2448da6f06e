#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""quippercompare.py - checks that perfdec reads the same as quipper.

usage: quippercompare.py GOLDEN STREAM STATS

GOLDEN is a recording as printed by quipper (perf_data_converter), in the text form of protocol
buffers (.gz is accepted, too), or, if the name ends in .buildids, its list of build ids.  STREAM
is the output of `perfdec --all --frames --no-symbols` for the recording, and STATS the output of
`perfdec --stats`.  This compares the numbers of records by type, all fields of samples, of the
records that change maps and names and of most others, events, facts of the header, and build
ids.  Quipper leaves out records of unknown types, merges the parts of a file and the //anon
between them (text in huge pages) into one mapping, sets bit 63 of addresses outside all
mappings, and pads build ids with zeros.  Nothing else may differ.  Prints differences.  Exits 1
if there are any.
"""
import re
import sys
from collections import Counter

from countcompare import NUMBER
from perfcompare import opened, undo

U64 = 1 << 64
ESCAPES = {"n": 10, "t": 9, "r": 13, "\\": 92, '"': 34, "'": 39}
# types that quipper skips: BPF_EVENT, and all types by which pipe mode describes the recording
SKIPPED = {NUMBER[n] for n in ("BPF_EVENT", "HEADER_ATTR", "HEADER_EVENT_TYPE", "HEADER_FEATURE",
                               "HEADER_TRACING_DATA", "HEADER_BUILD_ID", "EVENT_UPDATE", "CPU_MAP", "THREAD_MAP",
                               "FINISHED_ROUND", "TIME_CONV")}
MARKERS = U64 - 4095  # markers of a callchain


def c_bytes(text):
    """Reads a quoted string of the text form."""
    out, at = bytearray(), 0
    while at < len(text):
        if text[at] != "\\":
            out += text[at].encode("utf-8", "surrogateescape")
            at += 1
        elif text[at + 1] in ESCAPES:
            out.append(ESCAPES[text[at + 1]])
            at += 2
        else:
            out.append(int(text[at + 1:at + 4], 8))
            at += 4
    return bytes(out)


def value_of(text):
    if text.startswith('"'):
        return c_bytes(text[1:-1])
    if text in ("true", "false"):
        return text == "true"
    return int(text) if re.match(r"^-?\d+$", text) else text


def proto(lines):
    """Returns the message as a dict of lists."""
    top = {}
    stack = [top]
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line:
            continue
        if line.endswith("{") and not line.endswith('"'):
            inner = {}
            stack[-1].setdefault(line[:-1].strip(), []).append(inner)
            stack.append(inner)
        elif line == "}":
            stack.pop()
        else:
            key, _, text = line.partition(": ")
            if not text:
                sys.exit(f"quippercompare.py: line {number} cannot be read: {line[:80]}")
            stack[-1].setdefault(key, []).append(value_of(text))
    if len(stack) != 1:
        sys.exit("quippercompare.py: a message without its end")
    return top


def lines_of(name):
    """Yields the lines of the stream as (columns, tags)."""
    with opened(name) as lines:
        for line in lines:
            if not line.startswith("#"):
                col = line.rstrip("\n").split("\t")
                yield col, dict(t.split("=", 1) for t in col[6:])


class Judge:
    def __init__(self):
        self.differences, self.examples, self.compared = Counter(), {}, Counter()

    def differ(self, what, theirs, ours):
        self.differences[what] += 1
        if len(self.examples.setdefault(what, [])) < 3:
            self.examples[what].append(f"quipper {theirs!r}, perfdec {ours!r}")

    def same(self, what, theirs, ours):
        self.compared[what] += 1
        if theirs != ours:
            self.differ(what, theirs, ours)

    def bags(self, what, theirs, ours):
        """Compares without regard to order, since quipper has that of the file."""
        self.compared[what] += sum(theirs.values())
        for item, many in (theirs - ours).items():
            self.differences[what] += many - 1
            self.differ(what, item, None)
        for item, many in (ours - theirs).items():
            self.differences[what] += many - 1
            self.differ(what, None, item)


def number(tags, key):
    return int(tags[key], 0)


def raw(tags, key):
    return undo(tags[key]).encode("utf-8", "surrogateescape")


def who(tags, key):
    return int(tags[key]) % (1 << 32)


def one(event, key, default=0):
    return event.get(key, [default])[0]


# For each record: its name in quipper, our kind, and its fields on both sides.
def their_mmap(e):
    more = (one(e, "maj"), one(e, "min"), one(e, "ino"), one(e, "ino_generation"), one(e, "prot"), one(e, "flags"))
    return (one(e, "pid"), one(e, "tid"), one(e, "start"), one(e, "len"), one(e, "pgoff"), one(e, "filename", b""),
            more if "maj" in e or "prot" in e else None)


def our_mmap(tags):
    more = tuple(number(tags, k) for k in ("maj", "min", "ino", "ino_generation", "prot", "flags")) \
        if "maj" in tags else None
    return (who(tags, "pid"), who(tags, "tid"), number(tags, "addr"), number(tags, "len"), number(tags, "pgoff"),
            raw(tags, "file"), more)


def plain(*names):
    return lambda e: tuple(one(e, n) for n in names)


RECORDS = (
    ("comm_event", "comm", lambda e: (one(e, "pid"), one(e, "tid"), one(e, "comm", b"")),
     lambda t: (who(t, "pid"), who(t, "tid"), raw(t, "name"))),
    ("fork_event", "fork", plain("pid", "ppid", "tid", "ptid", "fork_time_ns"),
     lambda t: (who(t, "pid"), who(t, "ppid"), who(t, "tid"), who(t, "ptid"), number(t, "at"))),
    ("exit_event", "exit", plain("pid", "ppid", "tid", "ptid", "fork_time_ns"),
     lambda t: (who(t, "pid"), who(t, "ppid"), who(t, "tid"), who(t, "ptid"), number(t, "at"))),
    ("context_switch_event", "switch", plain("is_out", "next_prev_pid", "next_prev_tid"),
     lambda t: (t["dir"] == "out", who(t, "next_prev_pid"), who(t, "next_prev_tid"))),
    ("ksymbol_event", "ksymbol", lambda e: plain("addr", "len", "ksym_type", "flags")(e) + (one(e, "name", b""),),
     lambda t: (number(t, "addr"), number(t, "len"), number(t, "type"), number(t, "flags"), raw(t, "name"))),
    ("aux_event", "aux", lambda e: plain("aux_offset", "aux_size")(e) + (
        one(e, "is_truncated", False) + 2 * one(e, "is_overwrite", False) + 4 * one(e, "is_partial", False),),
     lambda t: (number(t, "offset"), number(t, "size"), number(t, "flags") & 7)),
    ("itrace_start_event", "itrace_start", plain("pid", "tid"), lambda t: (who(t, "pid"), who(t, "tid"))),
    ("auxtrace_event", "auxtrace", plain("size", "offset", "reference", "idx"),
     lambda t: (number(t, "size"), number(t, "offset"), number(t, "reference"), number(t, "idx"))),
    ("time_conv_event", "time_conv", plain("time_shift", "time_mult", "time_zero"),
     lambda t: (number(t, "shift"), number(t, "mult"), number(t, "zero"))),
)
# nothing if the type is not known
BRANCH_TYPES = " COND UNCOND IND CALL IND_CALL RET SYSCALL SYSRET COND_CALL COND_RET ERET IRQ SERROR NO_TX".split(" ")
BRANCH_SPECS = ("-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH")


class Samples:
    """Samples of perfdec with their fields in quipper's form."""

    def __init__(self, stream):
        self.shifts = {}  # file -> the differences that its mappings add to its offsets
        self.items = []
        for col, tags in stream:
            if col[0] == "mmap":
                self.shifts.setdefault(tags["file"], set()).add((number(tags, "addr") - number(tags, "pgoff")) % U64)
            elif col[0] == "sample":
                self.items.append((col, tags))

    def key(self, item):
        col, tags = item
        return (int(col[1]) if col[1] != "." else 0, who(tags, "pid"), who(tags, "tid"), number(tags, "ip"),
                int(tags.get("id", "0"), 16), int(col[5]))

    def lies_at(self, frame, ip):
        m = re.match(r"^(.):(.*?)(?:@[^@+]*)?\+0x([0-9a-f]+)(?:-1)?$", frame)
        offset = int(m[3], 16)
        if m[2] == "[unknown]" and ip >> 63 == 1 and offset >> 63 == 0:
            ip -= 1 << 63
        return offset == ip or (ip - offset) % U64 in self.shifts.get(m[2].replace("\\x3b", ";"), ())


def compare_branches(judge, theirs, ours):
    ours = [] if ours in (None, ".") else [b.split("/") for b in ours.split(";")]
    judge.same("branches", len(theirs), len(ours))
    for b, parts in zip(theirs, ours):
        flags = ("M" if one(b, "mispredicted", False) else "P" if one(b, "predicted", False) else "-",
                 "X" if one(b, "in_transaction", False) else "-", "A" if one(b, "abort", False) else "-",
                 str(one(b, "cycles")))
        judge.same("branch", (one(b, "from_ip"), one(b, "to_ip")) + flags,
                   (int(parts[0], 16), int(parts[1], 16)) + tuple(parts[2:6]))
        judge.same("branch's type and speculation", (BRANCH_TYPES[one(b, "type")], BRANCH_SPECS[one(b, "spec")]),
                   tuple(parts[6:8]))


def compare_sample(judge, samples, theirs, item):
    col, tags = item
    for key, ours in (("sample_time_ns", lambda: int(col[1]) if col[1] != "." else 0), ("pid", lambda: who(tags, "pid")),
                      ("tid", lambda: who(tags, "tid")), ("ip", lambda: number(tags, "ip")),
                      ("addr", lambda: number(tags, "addr")), ("id", lambda: number(tags, "id")),
                      ("stream_id", lambda: number(tags, "stream")), ("period", lambda: int(col[5])),
                      ("cpu", lambda: (int(tags["cpu"]) if tags["cpu"] != "." else -1) % (1 << 32)),
                      ("weight", lambda: number(tags, "weight")), ("data_src", lambda: number(tags, "data_src")),
                      ("transaction", lambda: number(tags, "transaction")),
                      ("physical_addr", lambda: number(tags, "phys_addr")),
                      ("cgroup", lambda: number(tags, "cgroup")), ("raw_size", lambda: len(tags["raw"]) // 2)):
        if key in theirs:
            try:
                judge.same(key, one(theirs, key), ours())
            except KeyError:
                judge.differ(key, one(theirs, key), None)
    if "raw" in theirs and "raw" in tags:
        judge.same("raw", one(theirs, "raw"), bytes.fromhex("" if tags["raw"] == "." else tags["raw"]))
    chain = [ip for ip in theirs.get("callchain", ()) if ip < MARKERS]
    if "stack" in tags:
        frames = tags["frames"].removeprefix("[truncated];").split(";")[::-1]
        if chain:  # without a chain, perfdec has the frame of ip
            judge.same("callchain", len(chain), len(frames))
        for ip, frame in zip(chain, frames):
            judge.same("frame", True, samples.lies_at(frame, ip) or (hex(ip), frame))
    elif chain:
        judge.differ("callchain", len(chain), None)
    if "branch_stack" in theirs or "branches" in tags:
        compare_branches(judge, theirs.get("branch_stack", []), tags.get("branches"))
    known = {"sample_time_ns", "pid", "tid", "ip", "addr", "id", "stream_id", "period", "cpu", "weight", "data_src",
             "transaction", "physical_addr", "cgroup", "raw_size", "raw", "callchain", "branch_stack",
             "no_hw_idx", "branch_stack_hw_idx"}
    if set(theirs) - known:
        judge.differ("fields that are not compared", sorted(set(theirs) - known), None)


def compare_mappings(judge, golden, stream):
    """Returns, by type, the number of records that quipper has merged into others."""
    theirs = Counter(their_mmap(e["mmap_event"][0]) for e in golden["events"] if "mmap_event" in e)
    ours = Counter(our_mmap(t) for c, t in stream if c[0] == "mmap")
    joined, left = Counter(), ours - theirs
    for whole in list((theirs - ours).elements()):
        pid, _, start, size, _, name, more = whole
        parts = [m for m in left.elements()
                 if m[0] == pid and start <= m[2] and m[2] + m[3] <= start + size and m[5] in (name, b"//anon")]
        if len(parts) > 1 and sum(m[3] for m in parts) == size and any(m[5] == name for m in parts):
            left -= Counter(parts)
            ours -= Counter(parts)
            theirs -= Counter([whole])
            joined[NUMBER["MMAP" if more is None else "MMAP2"]] += len(parts) - 1
    judge.bags("mmap_event", theirs, ours)
    return joined


def compare_records(judge, golden, stream, stats):
    theirs = Counter(one(one(e, "header", {}), "type") for e in golden["events"])
    ours = Counter()
    for _, tags in stats:
        if "record" in tags:
            ours[int(tags["record"])] += 0
    for col, tags in stats:
        if col[0] == "agg" and col[4] == "records":
            ours[int(tags["record"])] += int(col[5])
    ours -= compare_mappings(judge, golden, stream)
    for kind in set(theirs) | set(ours):
        if kind in theirs or kind not in SKIPPED:
            judge.same(f"number of records of type {kind}", theirs[kind], ours[kind])
    for name, kind, take_theirs, take_ours in RECORDS:
        judge.bags(name, Counter(take_theirs(e[name][0]) for e in golden["events"] if name in e),
                   Counter(take_ours(t) for c, t in stream if c[0] == kind))
    judge.bags("lost_samples_event",
               Counter(one(e["lost_samples_event"][0], "num_lost") for e in golden["events"] if "lost_samples_event" in e),
               Counter(int(c[5]) for c, t in stream if c[0] == "lost" and t["why"] == "lost_samples"))
    judge.bags("throttle_event", Counter((one(e["header"][0], "type"),) + plain("time_ns", "id", "stream_id")(e["throttle_event"][0])
                                         for e in golden["events"] if "throttle_event" in e),
               Counter((5 if c[0] == "throttle" else 6, number(t, "at"), number(t, "id"), number(t, "stream"))
                       for c, t in stream if c[0] in ("throttle", "unthrottle")))


def compare_all(judge, golden, stream, stats):
    compare_records(judge, golden, stream, stats)
    samples = Samples(stream)
    theirs = [e["sample_event"][0] for e in golden["events"] if "sample_event" in e]
    theirs.sort(key=lambda e: tuple(one(e, k) for k in ("sample_time_ns", "pid", "tid", "ip", "id", "period")))
    ours = sorted(samples.items, key=samples.key)
    judge.same("number of samples", len(theirs), len(ours))
    for e, item in zip(theirs, ours):
        compare_sample(judge, samples, e, item)
    measures = [(c, t) for c, t in stream if c[0] == "measure"]
    judge.same("number of events", len(golden["file_attrs"]), len(measures))
    for attr, (_, tags) in zip(golden["file_attrs"], measures):
        if "ids" in attr:
            judge.same("event's id", attr["ids"][0], number(tags, "id"))
    names = golden.get("event_types", [])
    for kind, (col, _) in zip(names, measures):
        judge.same("event's name", one(kind, "name"), undo(col[4]).encode())
    run = next(t for c, t in stream if c[0] == "run")
    facts = golden.get("string_metadata", [{}])[0]
    for name, key in (("hostname", "host"), ("kernel_version", "os"), ("perf_version", "version"),
                      ("architecture", "arch"), ("perf_command_line_whole", "cmdline")):
        if name in facts:
            # an empty text is none
            judge.same(name, facts[name][0]["value"][0], raw(run, key) if key in run else b"")
    return [(one(b, "build_id_hash", b"").hex(), one(b, "filename", b"")) for b in golden.get("build_ids", [])]


def main():
    judge = Judge()
    stream, stats = list(lines_of(sys.argv[2])), list(lines_of(sys.argv[3]))
    with opened(sys.argv[1]) as lines:
        if sys.argv[1].endswith(".buildids"):
            ids = [(h, f.encode("utf-8", "surrogateescape")) for h, f in (x.rstrip("\n").split(" ", 1) for x in lines)]
        else:
            ids = compare_all(judge, proto(lines), stream, stats)
    ours = Counter((c[5], raw(t, "file")) for c, t in stream if c[0] == "header" and c[4] == "build_id")
    ids = Counter((re.sub("(00000000)+$", "", h), f) for h, f in ids)
    judge.bags("build_id", ids, ours)
    print(f"{sum(judge.compared.values())} compared, {sum(judge.differences.values())} differences")
    for what, many in judge.differences.most_common():
        print(f"  {what}: {many}, such as {'; '.join(judge.examples[what])}"[:900])
    sys.exit(1 if judge.differences or not judge.compared else 0)


if __name__ == "__main__":
    main()
