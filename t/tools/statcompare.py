#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# statcompare.py - compares perfdec and perf for a recording of perf stat.
#
#	statcompare.py SCRIPT STREAM	SCRIPT: output of perf script -i: every counter
#	statcompare.py --report REPORT STREAM	REPORT: output of perf stat report -i: the sums
#
# Prints how many figures of perf were compared and how many differ.  The status is 1 if any differ.
import collections
import gzip
import re
import sys

FIGURE = re.compile(
    r"^\s*(?:(?P<time>\d+\.\d{9})\s+)?(?:CPU(?P<cpu>\d+)\s+|(?P<comm>\S.*)-(?P<tid>\d+)\s+)?"
    r"(?P<value><not counted>|[\d.]+)\s+(?P<msec>msec\s+)?(?P<event>[a-z][^\s#]*)\s*(?:#.*)?$")


def samples(path):
    for line in open(path):
        cols = line.rstrip("\n").split("\t")
        if cols[0] == "sample" and cols[1] != ".":
            tags = dict(c.split("=", 1) for c in cols[6:])
            yield int(cols[1]), cols[4], cols[5], tags


def lines(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as f:
        return f.read().splitlines()


def compare_script(path, stream):
    """Lines are CPU THREAD VAL ENA RUN TIME EVENT: running totals, or the growth in perf 6.2 and
    later."""
    have, last = collections.defaultdict(list), {}
    for time, event, value, tags in samples(stream):
        key = (tags["cpu"].replace(".", "-1"), tags["tid"].replace(".", "-1"), event)
        now = [int(tags[k]) for k in ("count", "enabled", "running")]
        grown = [a - b for a, b in zip(now, last.get(key, (0, 0, 0)))]
        last[key] = now
        if value != tags.get("raw", value) or (value != "." and "raw" not in tags and int(value) != grown[0]):
            value = "wrong"
        have[key + (str(time),)].append((now, grown, value))
    n = bad = 0
    for line in lines(path):
        f = line.split()
        if len(f) != 7 or not f[2].isdigit():
            continue
        n += 1
        want = [int(x) for x in f[2:5]]
        found = have[(f[0], f[1], f[6], f[5])]
        match = [x for x in found if want in x[:2] and x[2] != "wrong"]
        if match:
            found.remove(match[0])
            continue
        bad += 1
        print("perf:", line, "\nperfdec:", found)
    return n, bad, sum(len(x) for x in have.values())


def compare_report(path, stream):
    sums, counted = collections.Counter(), collections.Counter()
    figures = [m.groupdict() for m in map(FIGURE.match, lines(path)) if m is not None]
    figures = [f for f in figures if "elapsed" not in f["event"]]
    for time, event, value, tags in samples(stream):
        for place in ((None, None), (tags["cpu"], None), (None, tags["tid"])):
            for when in (None, "%d.%09d" % divmod(time, 10**9)):
                counted[place + (when, event)] += value != "."
                sums[place + (when, event)] += 0 if value == "." else int(value)
    n = bad = 0
    for f in figures:
        key = (f["cpu"], f["tid"], f["time"], f["event"])
        n += 1
        if f["value"] == "<not counted>":
            good = sums[key] == 0
        elif f["msec"]:
            good = counted[key] > 0 and abs(sums[key] / 1e6 - float(f["value"])) <= 0.00501
        else:
            good = counted[key] > 0 and sums[key] == int(f["value"])
        if not good:
            bad += 1
            print("perf:", f, "perfdec:", counted[key], sums[key])
    return n, bad, 0


def main():
    args = sys.argv[1:]
    if args[0] == "--report":
        n, bad, left = compare_report(*args[1:])
    else:
        n, bad, left = compare_script(*args)
    print("%d figures, %d differences, %d more" % (n, bad, left))
    return 1 if bad or left or n == 0 else 0


sys.exit(main())
