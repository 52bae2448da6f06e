#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# afperfcases.py - checks that a stream has every record and value listed by a case of
# t/cases/afperf
#
#   afperfcases.py CASE.records.tsv CASE.values.tsv STREAM
#
# Shares nothing with the decoder.  Numbers are compared as numbers, ids numbered by the stream (@N)
# as blank, and records of several pairs pair by pair.  The name and unit of a type that is defined
# twice are not compared, since the list of values has those of the last definition.
import sys

NS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
WORD = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
PAIRS_AT = {"RunPoint": 2, "RegionPoint": 2, "SectionPoint": 3,
            "RunAggregate": 4, "RegionAggregate": 4, "SectionAggregate": 5}


def integer(s):
    return "" if s in ("", ".", None) or s.startswith("@") else str(int(s, 0))


def number(s, datatype):
    if datatype in ("string", "enum"):
        return s
    if datatype == "double":
        t = s.strip().lower()
        if "nan" in t:
            return "nan"
        return float.fromhex(t).hex() if "0x" in t else float(t).hex()
    return str(int(s, 0))


def unescape(s):
    out, i, raw = "", 0, s
    if s == "." or s == "":
        return ""
    if s == "\\.":
        return "."
    while i < len(raw):
        if raw[i] != "\\":
            out += raw[i]
            i += 1
        elif raw[i + 1] == "x":
            out += chr(int(raw[i + 2:i + 4], 16))
            i += 4
        else:
            out += {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}[raw[i + 1]]
            i += 2
    return out


def listed(name):
    """Yields the rows of a list with unescaped fields."""
    for row in open(name, newline="\n", encoding="utf-8"):
        fields = row[:-1].split("\t")
        yield [f.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r").replace("\\\\", "\\")
               for f in fields]


def expected_records(rows, types):
    for name, f in ((r[1], r[2:]) for r in rows):
        if name == "RunInfo":
            yield [name, integer(f[0]), f[1], number(f[2], "double"), f[3], integer(f[4])] + f[5:]
        elif name == "MeasurementType":
            types[integer(f[1]), integer(f[2])] = f[4]
            yield [name, integer(f[0]), integer(f[1]), integer(f[2])] + f[3:]
        elif name in PAIRS_AT:
            at = PAIRS_AT[name]
            head = [integer(v) if i != at - 1 or "Aggregate" not in name else v
                    for i, v in enumerate(f[:at])]
            for i in range(at, len(f), 2):
                yield [name] + head + [integer(f[i]), f[i + 1]]
        elif name in ("RegionStart", "SectionInfo"):
            yield [name] + [integer(v) for v in f[:3]] + f[3:]
        else:
            yield [name] + [integer(v) for v in f]


def stream(name):
    for line in open(name, newline="\n", encoding="utf-8"):
        if line.startswith("#"):
            continue
        c = line[:-1].split("\t")
        tags = [t.split("=", 1) for t in c[6:]]
        own = {k: unescape(v) for k, v in tags if not k.startswith("tag.")}
        text = ";".join(k[4:] + "=" + unescape(v) for k, v in tags if k.startswith("tag."))
        yield c[0], c[1], c[2], unescape(c[3]), unescape(c[4]), unescape(c[5]), own, text


def found_record(line, scale, types):
    kind, time, run, region, measure, value, own, tags = line

    def back(t):
        return "" if t == "" or t == "." else str(int(t) // scale[run])

    ids = [integer(own.get("id"))] + ([integer(own.get("interval"))] if own.get("scope") == "section" else [])
    scope = own.get("scope", "").capitalize()
    if kind == "run":
        scale[run] = NS[own["unit"]]
        return ["RunInfo", back(time), WORD[own["unit"]], number(own["wall"], "double"), own["afperf"],
                integer(run), own.get("app", ""), own.get("version", ""), tags]
    if kind == "measure":
        types[integer(run), integer(own["id"])] = own["type"]
        return ["MeasurementType", back(time), integer(run), integer(own["id"]), measure, own["type"],
                own["unit"], own.get("summary", ""), own.get("description", "")]
    if kind == "section":
        return ["SectionInfo", back(time), integer(run), integer(own["id"]), region, tags]
    if kind == "pause":
        return ["PauseResume", back(time), back(own["start"]), integer(run)]
    if kind == "start" and scope == "Region":
        return ["RegionStart", back(time), integer(run), ids[0], region, tags]
    if kind in ("start", "stop"):
        return [scope + kind.capitalize(), back(time)] + ids
    if scope == "Run":
        ids = [integer(run)]
    pair = [integer(own["mid"]), value]
    if kind == "sample":
        return [scope + "Point", back(time)] + ids + pair
    return [scope + "Aggregate", back(time), back(own["start"])] + ids + [own.get("stat", "")] + pair


def compare(what, want, got):
    for i in range(max(len(want), len(got))):
        w, g = want[i] if i < len(want) else None, got[i] if i < len(got) else None
        if w != g:
            sys.exit("%s %d: want %r, got %r" % (what, i + 1, w, g))


def typed(records, types):
    """Returns the values of data records by their type."""
    out = []
    for r in records:
        if r[0] in PAIRS_AT:
            datatype = [t for (run, mid), t in types.items() if mid == r[-2]][0]
            r = r[:-1] + [number(r[-1], datatype)]
        out.append(r)
    return out


def main():
    records, values, name = sys.argv[1:]
    types, known, scale = {}, {}, {}
    lines = list(stream(name))
    want = typed(list(expected_records(listed(records), types)), types)
    got = typed([found_record(line, scale, known) for line in lines], known)
    compare("record", want, got)
    defined = [r[2:4] for r in want if r[0] == "MeasurementType"]
    twice = any(defined.count(d) > 1 for d in defined)
    want = [[integer(r[3]), r[4], "" if twice else r[5], "" if twice else r[6]] for r in listed(values)]
    got = [[integer(l[2]), l[6].get("stat", ""), "" if twice else l[4], "" if twice else l[6]["unit"]]
           for l in lines if l[0] in ("sample", "span", "agg")]
    compare("value", want, got)


main()
