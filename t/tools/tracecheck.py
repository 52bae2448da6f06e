#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""tracecheck.py - checks what traceenc writes, and prints it as lines.

usage: tracecheck.py speedscope|firefox|perfetto FILE [STREAM]

	speedscope: profile NAME UNIT SUM; sample WEIGHT STACK
	firefox:    thread NAME PID TID TYPE SUM; sample TIME WEIGHT STACK
	perfetto:   slice PID/TID START END NAME [ARGS], in the order of starts; counter PID TIME NAME VALUE;
	            process PID NAME; thread PID/TID NAME
	note TEXT

The checks are those of the targets' documents: speedscope's file-format-schema.json, the types of the
Firefox Profiler (src/types/profile.ts, version 60 of the processed format), and the Trace Event Format.
With a STREAM, the sum of each measure must be that of its samples, spans or aggregates, exactly.
"""
import collections, json, sys
from decimal import Decimal, getcontext

getcontext().prec = 1000
UNITS = {"ns": Decimal("1e-6"), "us": Decimal("1e-3"), "ms": Decimal(1), "s": Decimal(1000)}


def number(v):
    assert type(v) in (int, Decimal), v
    return v


def text(v):
    assert type(v) is str, v
    return v


def has(obj, **types):
    assert type(obj) is dict, obj
    for key, kind in types.items():
        assert key in obj, (key, list(obj))
        assert kind is None or type(obj[key]) is kind or (kind is Decimal and type(obj[key]) is int), (key, obj[key])


def put(*words):
    print(*(format(w.normalize(), "f") if type(w) is Decimal else w for w in words))


def speedscope(d, sums):
    has(d, profiles=list, shared=dict, exporter=str, name=str, activeProfileIndex=int)
    assert d["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(d) <= {"$schema", "profiles", "shared", "exporter", "name", "activeProfileIndex"}
    frames = d["shared"]["frames"]
    for f in frames:
        has(f, name=str)
        assert set(f) <= {"name", "file", "line", "col"}
        assert type(f.get("file", "")) is str and type(f.get("line", 0)) is int
    assert len({json.dumps(f) for f in frames}) == len(frames)
    if d["name"] != "afpipe":
        put("note", d["name"])
    assert 0 <= d["activeProfileIndex"] < max(1, len(d["profiles"]))
    for p in d["profiles"]:
        has(p, type=str, name=str, unit=str, startValue=int, endValue=Decimal, samples=list, weights=list)
        assert p["type"] == "sampled" and p["startValue"] == 0
        assert p["unit"] in "bytes microseconds milliseconds nanoseconds none seconds".split()
        assert len(p["samples"]) == len(p["weights"]) > 0
        assert all(number(w) >= 0 for w in p["weights"])
        total = sum(p["weights"])
        assert p["endValue"] == total, (p["endValue"], total)
        put("profile", p["name"], p["unit"], total)
        sums[p["name"].rsplit(": ", 1)[1]] += total
        for s, w in zip(p["samples"], p["weights"]):
            assert s and all(type(i) is int and 0 <= i < len(frames) for i in s)
            put("sample", w, ";".join(frames[i]["name"] + ("(%s:%s)" % (frames[i].get("file"), frames[i].get("line"))
                if "file" in frames[i] else "") for i in s))


def table(d, *columns):
    has(d, length=int)
    for c in columns:
        assert len(d[c]) == d["length"], (c, d["length"], len(d[c]))
    assert set(d) - {"length", "weightType"} == set(columns), (set(d), columns)
    return d["length"]


def below(values, n, null=False):
    assert all((v is None and null) or (type(v) is int and 0 <= v < n) for v in values)


def firefox(d, sums):
    has(d, meta=dict, libs=list, shared=dict, threads=list)
    m, s = d["meta"], d["shared"]
    has(m, interval=Decimal, startTime=Decimal, processType=int, product=str, stackwalk=int, version=int,
        preprocessedProfileVersion=int, categories=list, markerSchema=list, extra=list)
    assert m["preprocessedProfileVersion"] == 60 and m["interval"] > 0
    assert any(c["color"] == "grey" and c["subcategories"][0] == "Other" for c in m["categories"])
    for section in m["extra"]:
        for entry in section["entries"]:
            has(entry, label=str, format=str, value=str)
            put("note", entry["value"])
    strings = s["stringArray"]
    assert all(type(x) is str for x in strings)
    stacks = table(s["stackTable"], "prefix", "frame")
    frames = table(s["frameTable"], "address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol",
                   "innerWindowID", "line", "column")
    funcs = table(s["funcTable"], "name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber")
    resources = table(s["resourceTable"], "lib", "name", "host", "type")
    table(s["nativeSymbols"], "libIndex", "address", "name", "functionSize")
    sources = table(s["sources"], "id", "filename")
    below(s["stackTable"]["frame"], frames)
    for i, prefix in enumerate(s["stackTable"]["prefix"]):
        assert prefix is None or 0 <= prefix < i
    below(s["frameTable"]["func"], funcs)
    below(s["frameTable"]["category"], len(m["categories"]), null=True)
    below(s["funcTable"]["name"], len(strings))
    below(s["funcTable"]["source"], sources, null=True)
    below(s["sources"]["filename"], len(strings))
    assert all(r == -1 or 0 <= r < resources for r in s["funcTable"]["resource"])
    tids = set()

    def stack(i):
        names = []
        while i is not None:
            f = s["stackTable"]["frame"][i]
            func = s["frameTable"]["func"][f]
            name, source = strings[s["funcTable"]["name"][func]], s["funcTable"]["source"][func]
            line = s["frameTable"]["line"][f]
            names.append(name if source is None else "%s(%s:%s)" % (name, strings[s["sources"]["filename"][source]], line))
            i = s["stackTable"]["prefix"][i]
        return ";".join(reversed(names))

    for t in d["threads"]:
        has(t, processType=str, processStartupTime=Decimal, processShutdownTime=None, registerTime=Decimal,
            unregisterTime=None, pausedRanges=list, name=str, isMainThread=bool, pid=str, tid=str, samples=dict,
            markers=dict)
        assert (t["pid"], t["tid"]) not in tids
        tids.add((t["pid"], t["tid"]))
        table(t["markers"], "data", "name", "startTime", "endTime", "phase", "category")
        q = t["samples"]
        assert table(q, "stack", "time", "weight") > 0
        assert q["weightType"] in ("samples", "tracing-ms", "bytes")
        below(q["stack"], stacks)
        assert all(number(x) >= 0 for x in q["time"]) and q["time"] == sorted(q["time"])
        total = sum(number(w) for w in q["weight"])
        put("thread", t["name"], t["pid"], t["tid"], q["weightType"], total)
        measure = t["name"].rsplit(": ", 1)[1]
        unit = measure.rsplit(" [", 1)[1][:-1] if measure.endswith("]") else ""
        sums[measure] += Decimal(total) / UNITS.get(unit, 1)
        for time, weight, i in zip(q["time"], q["weight"], q["stack"]):
            put("sample", time, weight, stack(i))


def perfetto(d, sums):
    has(d, traceEvents=list, otherData=dict, displayTimeUnit=str)
    assert d["displayTimeUnit"] == "ns" and d["otherData"]["producer"] == "afpipe traceenc"
    open_, last, slices, used, named = collections.defaultdict(list), {}, [], set(), set()
    kinds = collections.defaultdict(set)
    for e in d["traceEvents"]:
        has(e, ph=str, pid=int, tid=int)
        at = e["pid"], e["tid"]
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name", "process_labels")
            assert e["name"] == "thread_name" or e["tid"] == 0
            assert (e["name"], *at) not in named
            named.add((e["name"], *at))
            if e["name"] == "thread_name":
                put("thread", "%d/%d" % at, text(e["args"]["name"]))
            elif e["name"] == "process_name":
                put("process", e["pid"], text(e["args"]["name"]))
            continue
        has(e, ts=Decimal)
        assert number(e["ts"]) >= 0
        assert -Decimal(e["ts"]).as_tuple().exponent <= 3
        used.add(("process_name", e["pid"], 0))
        if e["ph"] == "C":
            put("counter", e["pid"], e["ts"], text(e["name"]), number(e["args"]["value"]))
            continue
        used.add(("thread_name", *at))
        kinds[at].add("X" if e["ph"] == "X" else "B")
        stack = open_[at]
        assert e["ts"] >= last.get(at, 0), (e, last[at])
        last[at] = e["ts"]
        if e["ph"] == "B":
            stack.append([e["ts"], None, at, text(e["name"]), ""])
            slices.append(stack[-1])
        elif e["ph"] == "E":
            assert stack[-1][3] == e["name"], (stack[-1], e)
            stack.pop()[1] = e["ts"]
        else:
            assert e["ph"] == "X" and number(e["dur"]) >= 0
            end = e["ts"] + e["dur"]
            while stack and stack[-1][1] <= e["ts"]:
                stack.pop()
            assert not stack or stack[-1][1] >= end, ("not nested", e)
            stack.append([e["ts"], end, at, text(e["name"]), json.dumps(e["args"], default=str)])
            slices.append(stack[-1])
    assert all(len(k) == 1 for k in kinds.values()), "spans among samples"
    assert used <= named, used - named
    for start, end, at, name, args in slices:
        assert end is not None and end >= start
        put("slice", "%d/%d" % at, start, end, name, *([args] if args else []))
    for key, note in d["otherData"].items():
        if key != "producer":
            put("note", note)


def main():
    target, path = sys.argv[1:3]
    with open(path, "rb") as f:
        data = f.read()
    assert all(0x20 <= b < 0x7f or b == 0x0a for b in data), "not ASCII"

    def refuse(word):
        raise AssertionError(word)

    d = json.loads(data, parse_float=Decimal, parse_constant=refuse)
    sums = collections.defaultdict(lambda: Decimal(0))
    {"speedscope": speedscope, "firefox": firefox, "perfetto": perfetto}[target](d, sums)
    if len(sys.argv) > 3:
        want, units = collections.defaultdict(lambda: Decimal(0)), {}
        for line in open(sys.argv[3], encoding="utf-8", newline="\n"):
            c = line.rstrip("\n").split("\t")
            tags = dict(x.partition("=")[::2] for x in c[6:])
            if c[0] == "measure":
                units[c[2], c[4]] = tags.get("unit")
            # values of a whole region contain those of the regions inside
            whole = c[0] == "span" and tags.get("scope") in ("run", "region", "section")
            if c[0] in ("sample", "span") and not whole and c[5] != "." and c[4] != "inclusive" and (c[1] != "." or target == "speedscope"):
                unit = tags.get("unit") or units.get((c[2], c[4]))
                want[c[4] + (" [%s]" % unit if unit else "")] += Decimal(c[5])
        assert sums == want, (dict(sums), dict(want))
        assert sums


main()
