#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""diffjudge.py - simulated pairs of sides for afdiff, and what it must find.

	diffjudge.py simulate DIST CHANGE SIGMA RUNS GROUPS	writes the files before and after
		(DIST: normal, lognormal, or whole, with numbers rounded to whole ones)
	diffjudge.py share FILE [VALUE CHANGE]	prints the parts of intervals that contain these, or 0
	diffjudge.py ranks SEED COUNT	runs afdiff on random sides, and tests them in its own way
	diffjudge.py r FILE		prints "P_OF_AFDIFF VALUES VALUES" for each group, for R
"""
import itertools
import math
import random
import subprocess
import sys


def write(name, rows):
    """A stream of sums, ROWS of (run, group, value)."""
    runs = sorted({run for run, _, _ in rows})
    with open(name, "w") as out:
        out.write("#afstream\t1\tafagg\t-\n")
        for run in runs:
            out.write("measure\t.\t%s\t.\tt\t.\ttype=double\tunit=ns\n" % run)
        for run, group, value in rows:
            out.write("agg\t.\t%s\t%s\tt\t%r\tstat=sum\tn=1\n" % (run, group, value))
        out.write("#end\tafagg\t-\t%d\tcomplete\n" % (len(rows) + len(runs)))


def simulate(dist, change, sigma, runs, groups):
    random.seed(7)
    for name, factor in (("before", 1), ("after", 1 + change)):
        rows = []
        for run in range(runs):
            for group in range(groups):
                if dist == "whole":
                    value = round(1000 * factor + random.gauss(0, sigma))
                elif dist == "normal":
                    value = 1000 * random.gauss(1, sigma) * factor
                else:
                    value = 1000 * math.exp(random.gauss(0, sigma)) * factor
                rows.append(("%s%d" % (name, run), "g%d" % group, value))
        write(name, rows)


def lines(text):
    for line in text.split("\n"):
        columns = line.split("\t")
        if columns[0] == "diff":
            yield columns[3], dict(tag.split("=", 1) for tag in columns[6:])


def share(name, delta=0, change=0):
    with open(name) as file:
        found = [tags for _, tags in lines(file.read())]
    for what, true in ("delta", delta), ("change", change):
        inside = sum(float(t[what + ".lo"]) <= true <= float(t[what + ".hi"]) for t in found)
        print("%s %d %.4f" % (what, len(found), inside / len(found)))


def statistic(x, y):
    return sum((b > a) + (b == a) / 2 for a in x for b in y)


def expect(x, y):
    """The p value: by all ways to divide the values, or for many runs by the normal approximation."""
    n, m = len(x), len(y)
    values = x + y
    middle = n * m / 2
    far = abs(statistic(x, y) - middle)
    if n <= 20 and m <= 20:
        # twice the ranks: how many are less, and how many are not greater
        ranks = [sum(v < w for v in values) + sum(v <= w for v in values) for w in values]
        ways = list(itertools.combinations(ranks, m))
        # the rank sum of the second sample gives U, less as many pairs as it has in itself
        us = [(sum(way) - m * m) / 2 for way in ways]
        return sum(abs(u - middle) >= far for u in us) / len(ways)
    ties = sum(t**3 - t for t in (values.count(v) for v in set(values)))
    variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    if variance <= 0 or far <= 0.5:
        return 1
    return math.erfc((far - 0.5) / math.sqrt(2 * variance))


def ranks(seed, count):
    rng = random.Random(seed)
    n, m = rng.randint(4, 7), rng.randint(4, 7)
    sides = {}
    rows = {"before": [], "after": []}
    for group in range(count):
        top = rng.choice([3, 20, 10**9])
        name = "g%d" % group
        # no 0: a run without the group would be the same
        sides[name] = [[rng.randint(1, top) for _ in range(size)] for size in (n, m)]
        for side, values in zip(("before", "after"), sides[name]):
            rows[side] += [("r%d" % run, name, value) for run, value in enumerate(values)]
    for side in rows:
        rng.shuffle(rows[side])
        write(side, rows[side])
    out = subprocess.run(["afdiff", "before", "after"], stdout=subprocess.PIPE, check=True).stdout.decode()
    found = dict(lines(out))
    if set(found) != set(sides):
        sys.exit("groups are missing")
    for name, tags in found.items():
        want = expect(*sides[name])
        if abs(float(tags["p"]) - want) > 1e-5 * want:
            sys.exit("%s: p is %s, not %r: %s" % (name, tags["p"], want, sides[name]))
        for tag, values in zip(("before", "after"), sides[name]):
            if abs(float(tags[tag]) - sum(values) / len(values)) > 1e-12 * sum(values):
                sys.exit("%s: %s is %s" % (name, tag, tags[tag]))


def for_r(name):
    with open(name) as file:
        found = dict(lines(file.read()))
    values = {}
    for side in ("before", "after"):
        with open(side) as file:
            for line in file:
                columns = line.split("\t")
                if columns[0] == "agg":
                    values.setdefault(columns[3], {}).setdefault(side, []).append(columns[5])
    for group, tags in found.items():
        print(tags["p"], ",".join(values[group]["before"]), ",".join(values[group]["after"]))


if sys.argv[1] == "simulate":
    simulate(sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6]))
elif sys.argv[1] == "share":
    share(sys.argv[2], *(float(arg) for arg in sys.argv[3:]))
elif sys.argv[1] == "ranks":
    ranks(int(sys.argv[2]), int(sys.argv[3]))
else:
    for_r(sys.argv[2])
