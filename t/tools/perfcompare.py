#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perfcompare.py - is perfdec's stream what perf script prints?

usage: perfcompare.py PERF_SCRIPT_TEXT STREAM [symbols[=PREFIX,...]]

PERF_SCRIPT_TEXT is what `perf script --ns -F comm,pid,tid,...` printed (.gz is read too),
STREAM is perfdec's output made with --frames.  Every field that both have is compared, line by
line, in order; with "symbols" also functions and objects of every frame (functions only in objects
whose names begin with one of the PREFIXes: their files must be those that perf had).  Prints what
differs and how often; exits 1 where anything does.
"""
import gzip
import re
import sys
from collections import Counter

HEAD = re.compile(
    r"^\s*(?P<comm>.*?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+(?:\[(?P<cpu>-?\d+)\]\s+)?"
    r"(?:(?P<sec>\d+)\.(?P<ns>\d+):\s+)?(?P<rest>.*)$")
EVENT = re.compile(r"^(?P<period>\d+)\s+(?P<event>\S.*?):(?:\s+(?P<more>.*))?$")
FRAME = re.compile(r"^\s+(?P<ip>[0-9a-f]+)\s+(?P<sym>.*?)\s+\((?P<dso>[^()]*(?:\([^()]*\))?[^()]*)\)\s*$")
FLAT = re.compile(r"(?P<ip>[0-9a-f]+) (?P<sym>\S.*?) \((?P<dso>.*?)\)(?:\s|$)")


def opened(name):
    if name.endswith(".gz"):
        return gzip.open(name, "rt", encoding="utf-8", errors="surrogateescape", newline="\n")
    return open(name, encoding="utf-8", errors="surrogateescape", newline="\n")


def perf_samples(name):
    """Samples as dicts; frames innermost first as (ip, symbol, dso)."""
    sample = None
    with opened(name) as lines:
        for line in lines:
            line = line.rstrip("\n")
            if not line:
                continue
            if line[0] == "\t" or (sample is not None and sample["chain"] and line[0] == " " and FRAME.match(line)
                                   and "/" not in line.split("(")[0].split()[0]):
                m = FRAME.match(line)
                if sample is not None and m:
                    sample["frames"].append((int(m["ip"], 16), m["sym"], m["dso"]))
                continue
            if "PERF_RECORD_" in line:
                continue
            m = HEAD.match(line)
            e = EVENT.match(m["rest"]) if m else None
            if not e:
                continue
            if sample is not None:
                yield sample
            sample = {"comm": m["comm"], "pid": m["pid"], "tid": m["tid"], "cpu": m["cpu"], "frames": [],
                      "time": None if m["sec"] is None else int(m["sec"]) * 10**9 + int(m["ns"]),
                      "event": e["event"], "period": int(e["period"]), "more": (e["more"] or "").strip()}
            sample["chain"] = not FLAT.search(sample["more"])
    if sample is not None:
        yield sample


def undo(text):
    if text == ".":
        return ""
    if text == "\\.":
        return "."
    raw = re.sub(rb"\\(x[0-9a-f]{2}|.)",
                 lambda m: {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}.get(m[1]) or bytes([int(m[1][1:], 16)]),
                 text.encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape")


def stream_samples(name):
    with opened(name) as lines:
        for line in lines:
            if not line.startswith("sample\t"):
                continue
            col = line.rstrip("\n").split("\t")
            tags = dict(t.split("=", 1) for t in col[6:])
            tags["@"] = col
            yield tags


def without_offset(sym):
    return re.sub(r"\+0x[0-9a-f]+$", "", sym)


def compare_frames(p, s, differ, symbols):
    ours = [f for f in s["frames"].split(";")][::-1] if "frames" in s else []
    names = s["stack"].split(";")[::-1] if "stack" in s else [s["@"][3]]
    places = [(f[0],) + tuple(re.match(r"^..(.*?)(?:@[0-9a-f]+)?\+0x([0-9a-f]+)$", f).groups()) for f in ours]
    theirs = p["frames"]
    if p["chain"]:
        if not theirs:
            return
        if len(theirs) != len(places) and len(theirs) != 127:
            differ("frames", len(theirs), len(places))
            return
    else:
        # a data address, its source or a weight may stand before the ip
        at = f' {p["more"]}'.find(f' {int(s["ip"], 16):x} ')
        f = FLAT.match(p["more"], at) if at >= 0 else None
        if not f:
            differ("ip", p["more"], s["ip"])
        theirs = [(int(f["ip"], 16), f["sym"], f["dso"])] if f else []
        places, names = places[-len(places):][:1], [s["@"][3]]
    for (ip, sym, dso), (mode, place, offset), name in zip(theirs, places, names):
        if p["chain"] and ip != int(offset, 16):
            differ("ip", hex(ip), offset)
        if symbols is None:
            continue
        if dso != undo(place):
            differ("dso", dso, place)
        if not dso.startswith(symbols):
            continue
        bare, got = without_offset(sym), undo(name)
        if bare == "[unknown]":
            if not got.startswith("["):
                differ("symbol", sym, name)
        elif bare != got:
            differ("symbol", sym, name)


def compare(p, s, differ, symbols):
    col = s["@"]
    for key, ours in (("comm", undo(s["comm"])), ("pid", s["pid"]), ("tid", s["tid"]), ("event", undo(col[4])),
                      ("period", int(col[5]))):
        theirs = p[key]
        if key == "comm":
            theirs, ours = theirs.strip(), ours.strip()
        if theirs != ours:
            differ(key, theirs, ours)
    if p["time"] is not None and str(p["time"]) != col[1]:
        differ("time", p["time"], col[1])
    if p["cpu"] is not None and int(p["cpu"]) != int(s["cpu"] if s["cpu"] != "." else -1):
        differ("cpu", p["cpu"], s["cpu"])
    compare_frames(p, s, differ, symbols)


def main():
    symbols = None
    for arg in sys.argv[3:]:
        if arg.split("=")[0] == "symbols":
            symbols = tuple(arg.split("=")[1].split(",")) if "=" in arg else ("",)
    differences, examples = Counter(), {}
    theirs, ours, n = perf_samples(sys.argv[1]), stream_samples(sys.argv[2]), 0
    sums = {"perf": Counter(), "ours": Counter()}
    counts = [0, 0]
    while True:
        p, s = next(theirs, None), next(ours, None)
        if p is not None:
            counts[0] += 1
            sums["perf"][p["event"]] += p["period"]
        if s is not None:
            counts[1] += 1
            sums["ours"][undo(s["@"][4])] += int(s["@"][5])
        if p is None and s is None:
            break
        if p is None or s is None:
            continue
        n += 1

        def differ(what, a, b):
            differences[what] += 1
            examples.setdefault(what, []).append(f"sample {n}: perf {a!r}, perfdec {b!r}")
        compare(p, s, differ, symbols)
    if counts[0] != counts[1]:
        differences["count"] += abs(counts[0] - counts[1])
        examples["count"] = [f"perf {counts[0]} samples, perfdec {counts[1]}"]
    if sums["perf"] != sums["ours"]:
        differences["sum"] += 1
        examples["sum"] = [f"perf {dict(sums['perf'])}, perfdec {dict(sums['ours'])}"]
    print(f"{counts[0]} samples of perf, {counts[1]} of perfdec, {sum(differences.values())} differences")
    for what, many in differences.most_common():
        print(f"  {what}: {many}, such as {'; '.join(examples[what][:3])}")
    sys.exit(1 if differences else 0)


main()
