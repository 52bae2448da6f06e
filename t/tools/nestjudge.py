#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""nestjudge.py - checks that afdec, afdec --check and afdur find the regions that nest or cross.

	nestjudge.py SEED N

Makes N small AFPerf files of regions with few different times, so that many are equal, and runs
afdec on each.  Two regions cross if one starts inside the other and stops after it.  Here all
pairs are examined.  Some files are not in order of time, and only --check finds all crossings in
these.  Prints disagreements, and then exits 1.
"""
import random
import subprocess
import sys

HEADER = "# AFPerf v1     \nRunInfo,0,nanoseconds,1.5,1.0.0,1,a,1,\n"


def nested(rnd, first, last, left):
    """Returns at most that many spans, which nest or are disjoint."""
    out = []
    while left > len(out) and rnd.random() < 0.8:
        a, b = sorted((rnd.randint(first, last), rnd.randint(first, last)))
        out.append((a, b))
        out += nested(rnd, a, b, left - len(out))
        first = b
    return out


def crossing(spans):
    return any(a[0] < b[0] < a[1] < b[1] for a in spans for b in spans)


def records(rnd, spans, ordered):
    """Returns starts before their stops.  The stop of a region that is never stopped is None."""
    while True:
        events = [(a, rnd.random(), "Start", n) for n, (a, _) in enumerate(spans)]
        events += [(b, rnd.random(), "Stop", n) for n, (_, b) in enumerate(spans) if b is not None]
        events.sort(key=lambda e: (e[:2] if ordered else e[1]))
        # if a region stops when it starts, its start is moved before its stop
        started, out = set(), []
        for e in events:
            if e[2] == "Start" and e[3] not in started:
                started.add(e[3])
                out.append(e)
            elif e[2] == "Stop":
                if e[3] not in started:
                    started.add(e[3])
                    out.append((spans[e[3]][0], 0, "Start", e[3]))
                out.append(e)
        return out


def text(events):
    lines = ["Region%s,%d,%s%d%s\n" % (kind, time, "1," if kind == "Start" else "", n,
             ",r%d," % n if kind == "Start" else "") for time, _, kind, n in events]
    return HEADER + "".join(lines)


def run(data, *command):
    p = subprocess.run(command, input=data, capture_output=True, check=False)
    return p.returncode, p.stdout


def times(stream):
    return [int(line.split(b"\t")[1]) for line in stream.splitlines() if line.startswith((b"start\t", b"stop\t"))]


def told(stream):
    """Returns the starts and stops of the stream in their order."""
    out = []
    for line in stream.decode().splitlines():
        f = line.split("\t")
        if f[0] in ("start", "stop"):
            out.append((int(f[1]), 0, f[0].title(), int(f[7][3:])))
    return out


def measured(stream):
    """Returns the inclusive and the self time of each region."""
    out = {}
    for line in stream.decode().splitlines():
        f = line.split("\t")
        if f[0] == "span":
            out.setdefault(int(f[3][1:]), {})[f[4]] = int(f[5])
    return out


def own(spans, events):
    """Returns the same for regions that all nest.  Of regions that begin together, the one that
    stops first is inside."""
    stops = {n: i for i, (_, _, kind, n) in enumerate(events) if kind == "Stop"}
    starts = {n: i for i, (_, _, kind, n) in enumerate(events) if kind == "Start"}
    out = {n: {"inclusive": b - a, "self": b - a} for n, (a, b) in enumerate(spans)}
    for n, (a, _) in enumerate(spans):
        wider = [m for m in out if starts[m] < stops[n] < stops[m] and spans[m][0] <= a]
        if wider:
            out[min(wider, key=lambda m: stops[m])]["self"] -= out[n]["inclusive"]
    return out


def judge(rnd):
    last = rnd.randint(1, 8)
    if rnd.random() < 0.5:
        spans = nested(rnd, 0, last, rnd.randint(2, 12))
        rnd.shuffle(spans)
    else:
        spans = [tuple(sorted((rnd.randint(0, last), rnd.randint(0, last)))) for _ in range(rnd.randint(2, 7))]
    if rnd.random() < 0.3:
        spans = [(a, None if rnd.random() < 0.2 else b) for a, b in spans]
    stopped = [s for s in spans if s[1] is not None]
    bad = 1 if crossing(stopped) else 0
    ordered = rnd.random() < 0.8
    events = records(rnd, spans, ordered)
    data = text(events).encode()
    check, _ = run(data, "afdec", "--check")
    plain, stream = run(data, "afdec")
    if check != bad:
        return data, "--check: %d, not %d" % (check, bad)
    if plain != bad if ordered else plain > bad:
        return data, "afdec: %d, not %d" % (plain, bad)
    if not ordered or bad or len(stopped) < len(spans):
        return None
    if times(stream) != sorted(times(stream)):
        return data, "the stream goes back in time"
    events = told(stream)
    want = own(spans, events)
    for option in ([], ["--sort"]):
        status, out = run(stream, "afdur", *option)
        if status != 0 or measured(out) != want:
            return data, "afdur: %d: %s, not %s" % (status, measured(out), want)
    return None


def main():
    rnd = random.Random(int(sys.argv[1]))
    status = 0
    for i in range(int(sys.argv[2])):
        wrong = judge(rnd)
        if wrong is not None:
            sys.stdout.write("file %d: %s\n%s" % (i, wrong[1], wrong[0].decode()))
            status = 1
    return status


sys.exit(main())
