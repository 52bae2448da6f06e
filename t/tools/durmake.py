#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""durmake.py - random streams of starts, stops, samples and pauses, for afdur's tests.

	durmake.py SEED LINES [WORD...]
	durmake.py --all

With --all each line of standard input has a file to write, and the arguments for its stream.

Words: wide (times of up to 128 bits), faults (lines that afdur rejects), cross (regions stop in
any order, many of them at the same time), shuffled (groups of lines with the same time in any
order), many (runs).
"""
import random
import sys


class Run:
    def __init__(self, r, name, words):
        self.r, self.name, self.words = r, name, words
        self.time = r.getrandbits(125) if "wide" in words else r.randrange(1000)
        self.open = []  # regions: (id or None, label, start)
        self.intervals = {}  # (section, interval): start
        self.next_id = self.next_interval = 1
        self.pauses = []

    def line(self, kind, region, measure, value, tags, time=None):
        fields = [kind, str(self.time if time is None else time), self.name, region, measure, value]
        return "\t".join(fields + tags)

    def number(self):
        r = self.r
        pick = r.randrange(6)
        if pick == 0:
            return str(r.choice([-1, 1]) * r.getrandbits(r.choice([8, 53, 54, 62, 63, 64, 65, 200])))
        if pick == 1:
            return repr(r.uniform(-1, 1) * 10.0 ** r.randrange(-10, 11)).replace("e+", "e")
        if pick == 2:
            return repr(r.choice([-1, 1]) * (1 + r.random()) * 2.0 ** r.randrange(-1074, 1023)).replace("e+", "e")
        if pick == 3:
            return r.choice(["0.1", "0.2", "inf", "-inf", "nan", "1e15", "5e-324", "0", "1"])
        return str(r.randrange(-1000, 1000))

    def snapshots(self, scope, ident, label, extra):
        out = []
        for measure in ("mem", "load"):
            if self.r.random() < 0.4:
                tags = ["scope=" + scope] + (["id=" + ident] if ident else []) + extra + ["mid=0x1"]
                if self.r.random() < 0.8:
                    tags += ["unit=kb"]
                out.append(self.line("sample", label, measure, self.number(), tags))
        return out

    def start_region(self):
        r = self.r
        label = r.choice(["main", "f", "g", "h;x", "é", r"a\\b", "."])
        ident = None
        tags = []
        if r.random() < 0.6:
            ident = "0x%x" % self.next_id
            self.next_id += 1
            tags = ["scope=region", "id=" + ident]
        tags += r.choice([[], ["tag.k=v", "utc=A"], ["tid=1", "tag.k=v", "tag.k=w"]])
        self.open.append((ident, label, self.time))
        out = []
        if r.random() < 0.2:
            for measure in ("mem", "cycles"):
                out.append(self.line("start", label, measure, self.number(), tags + ["unit=kb"]))
        else:
            out.append(self.line("start", label, ".", ".", tags))
        return out + self.snapshots("region", ident, label, [])

    def stop_region(self):
        r = self.r
        at = len(self.open) - 1
        if "cross" in self.words or ("faults" in self.words and r.random() < 0.1):
            at = r.randrange(len(self.open))
        ident, label, start = self.open[at]
        if ident is None and at == len(self.open) - 1 and r.random() < 0.2:
            label = "."
        if "cross" in self.words:
            # regions that began inside it cross it, unless they began just now
            self.open = [o for i, o in enumerate(self.open)
                         if i < at or (i > at and o[2] in (start, self.time))]
        else:
            del self.open[at:]
        tags = ["scope=region", "id=" + ident] if ident else []
        tags += r.choice([[], ["utc=B"], ["cpu=3", "tag.k=other"]])
        before = self.snapshots("region", ident, label, []) if r.random() < 0.5 else []
        after = self.snapshots("region", ident, label, [])
        if r.random() < 0.2:
            stops = [self.line("stop", label, m, self.number(), tags + ["unit=kb"]) for m in ("mem", "cycles")]
        else:
            stops = [self.line("stop", label, ".", ".", tags)]
        if "cross" in self.words and r.random() < 0.2:
            # one more line, which may name the region in another way, or not at all
            other = r.choice([tags, []])
            stops.append(self.line("stop", r.choice([label, ".", "other"]), r.choice(["mem", "cycles", "."]),
                                   self.number(), other + ["unit=kb"]))
        return before + stops + after

    def start_interval(self):
        section = self.r.choice(["1", "2"])
        self.next_interval += 1
        return self.start_that(section, str(self.next_interval - 1))

    def start_that(self, section, interval):
        self.intervals[section, interval] = self.time
        tags = ["scope=section", "id=" + section, "interval=" + interval]
        return [self.line("start", "s" + section, ".", ".", tags)] + self.snapshots(
            "section", section, "s" + section, ["interval=" + interval])

    def stop_interval(self):
        section, interval = self.r.choice(sorted(self.intervals))
        del self.intervals[section, interval]
        tags = ["scope=section", "id=" + section, "interval=" + interval]
        out = self.snapshots("section", section, "s" + section, ["interval=" + interval]) + [
            self.line("stop", "s" + section, ".", ".", tags)]
        return out + (self.start_that(section, interval) if self.r.random() < 0.2 else [])

    def pause(self):
        r = self.r
        start = max(0, self.time - r.randrange(60))
        return [self.line("pause", ".", ".", ".", ["scope=run", "start=%d" % start], start + r.randrange(40))]

    def fault(self):
        r = self.r
        return r.choice([
            [self.line("stop", "nowhere", ".", ".", ["scope=region", "id=0xffff"])],
            [self.line("stop", "nowhere", ".", ".", [])],
            [self.line("stop", "s1", ".", ".", ["scope=section", "id=1", "interval=0"])],
            [self.line("start", "main", ".", ".", [], self.time - 1)] if self.time > 0 else [],
            [self.line("start", "main", ".", ".", ["scope=thread"])],
            [self.line("start", "main", ".", ".", [], "soon")],
        ])

    def step(self):
        r = self.r
        if r.random() < (0.4 if "cross" in self.words else 0.75):
            self.time += r.randrange(1, 30) if "wide" not in self.words else r.getrandbits(r.choice([4, 60, 70, 110]))
        if "faults" in self.words and r.random() < 0.05:
            return self.fault()
        pick = r.random()
        if pick < 0.1:
            return self.pause()
        if pick < 0.2:
            return self.start_interval()
        if pick < 0.3 and self.intervals:
            return self.stop_interval()
        if pick < 0.35:
            return [self.line("sample", "main", "ticks", "1", ["pid=1"])]
        if self.open and (len(self.open) > 12 or r.random() < 0.5):
            return self.stop_region()
        return self.start_region()

    def end(self):
        out = []
        while self.open or self.intervals:
            self.time += 7
            if "faults" in self.words and self.r.random() < 0.05:
                break
            out += self.stop_region() if self.open else self.stop_interval()
        return out


def make(file, seed, lines, *words):
    r = random.Random(int(seed))
    runs = [Run(r, "0x%x" % (n + 1), words) for n in range(5 if "many" in words else 1)]
    out = []
    while len(out) < int(lines):
        out += r.choice(runs).step()
    for run in runs:
        out += run.end()
    if "shuffled" in words:
        groups = {}
        for text in out:
            groups.setdefault(tuple(text.split("\t")[1:3]), []).append(text)
        order = sorted(groups)
        r.shuffle(order)
        out = [text for key in order for text in groups[key]]
    print("#afstream\t1\tdurmake\t%s" % seed, file=file)
    for run in runs:
        print("run\t.\t%s\t.\t.\t.\tunit=ns" % run.name, file=file)
    print("\n".join(out), file=file)
    print("#end\tdurmake\t%s\t%d\tcomplete" % (seed, len(out) + len(runs)), file=file)


def main():
    if sys.argv[1:] != ["--all"]:
        make(sys.stdout, *sys.argv[1:])
        return
    for text in sys.stdin:
        name, *arguments = text.split()
        with open(name, "w", encoding="utf-8") as file:
            make(file, *arguments)


main()
