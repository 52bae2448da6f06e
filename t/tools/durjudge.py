#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""durjudge.py - checks the spans that afdur made from a stream.

	durjudge.py INPUT OUTPUT ERRORS [--deduct-pauses] [--sort]
	durjudge.py --all

Shares nothing with afdur.  Here time is a set of intervals, and a duration is the size of one
set less another.  Differences are fractions, rounded once.  ERRORS is standard error of afdur.
With --all each line of standard input has the arguments for one stream.
"""
import math
import sys
from fractions import Fraction


def read(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        for number, text in enumerate(f, 1):
            if not text.startswith("#"):
                yield number, text[:-1].split("\t")


def tag(fields, key):
    for t in fields[6:]:
        if t.startswith(key + "=") and t[len(key) + 1:] != ".":
            return t[len(key) + 1:]
    return ""


def merged(parts):
    out = []
    for a, b in sorted(parts):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def size(parts):
    return sum(b - a for a, b in merged(parts))


def without(parts, others):
    """Returns the size of parts less others."""
    return size(parts) - common(parts, others)


def common(parts, others):
    p, o, i, j, n = merged(parts), merged(others), 0, 0, 0
    while i < len(p) and j < len(o):
        n += max(0, min(p[i][1], o[j][1]) - max(p[i][0], o[j][0]))
        if p[i][1] < o[j][1]:
            i += 1
        else:
            j += 1
    return n


def number(text):
    try:
        return int(text)
    except ValueError:
        v = float(text)
        return v if math.isinf(v) or math.isnan(v) else Fraction(v)


def difference(a, b):
    x, y = number(a), number(b)
    if isinstance(x, int) and isinstance(y, int):
        return x - y
    if isinstance(x, float) or isinstance(y, float):
        return (x if isinstance(x, float) else 0.0) - (y if isinstance(y, float) else 0.0)
    try:
        return float(Fraction(x) - Fraction(y))
    except OverflowError:
        return math.inf if x > y else -math.inf


def holds(kind, value):
    """Returns the tag of the type that holds the value, if there is one."""
    if kind.startswith(("int", "uint")):
        if isinstance(value, float):
            kind = "double"
        else:
            kind = "int64" if -2 ** 63 <= value < 2 ** 63 else ""
    return ["type=" + kind] if kind else []


OURS = {"id", "mid", "unit", "type", "scope", "start", "interval", "depth", "stack", "parent", "paused",
        "elapsed", "omitted", "utc"}


class Interval:
    def __init__(self, fields, scope, name, stack, parent, depth):
        self.fields, self.scope, self.name = fields, scope, name
        self.start, self.label = int(fields[1]), fields[3]
        self.stack, self.parent, self.depth = stack, parent, depth
        self.children, self.at_start, self.last, self.done = [], {}, {}, set()
        self.anonymous, self.stop_label = False, None  # its name in its stop


class Judge:
    def __init__(self, deduct, pauses, in_order):
        self.deduct, self.pauses = deduct, pauses
        # stops of regions that wait for others at their time, with the start of the region
        self.may_wait, self.late, self.late_at, self.starts = in_order, [], None, 0
        self.paused = False  # some duration contains a pause
        self.spans, self.errors = [], 0
        self.units, self.defined = {}, set()  # as the measure lines of deltas say
        self.now, self.regions, self.intervals, self.ended, self.unions = {}, {}, {}, {}, {}
        self.group = {}  # by run, the last start or stop: (kind, name, interval, measures)

    def tags(self, v, fields):
        out = ["scope=" + v.scope]
        for key in ("id", "interval"):
            if tag(v.fields, key):
                out.append("%s=%s" % (key, tag(v.fields, key)))
        out.append("start=%d" % v.start)
        if v.scope == "region":
            out += ["depth=%d" % v.depth, "parent=" + v.parent, "stack=" + ";".join(v.stack)]
        return out

    def others(self, v, fields):
        mine = [t for t in v.fields[6:] if t.split("=")[0] not in OURS]
        keys = {t.split("=")[0] for t in mine}
        utc = [t for t in fields[6:] if t.startswith("utc=")]
        return mine + [t for t in fields[6:] if t.split("=")[0] not in OURS | keys] + utc

    def time_tags(self, elapsed, paused):
        out = ["elapsed=%d" % elapsed, "paused=%d" % paused] if self.deduct else []
        return out + ["unit=ns"] + holds("int64", elapsed - paused)

    def span(self, v, fields, measure, own, taken):
        """Adds a span that measures own less taken."""
        pauses = self.pauses.get(fields[2], [])
        self.paused |= without(own, pauses) < without(own, [])
        if not self.deduct:
            pauses = []
        elapsed = without(own, taken)
        value = without(own, taken + pauses)
        self.spans.append(
            ["span", fields[1], fields[2], v.label, measure, value] + self.tags(v, fields)
            + self.time_tags(elapsed, elapsed - value) + self.others(v, fields))

    def delta(self, v, fields, what, value):
        v.done.add(what)
        measure = ("." if what[0] == r"\." else what[0]) + ".delta"
        kind = ["mid=" + ("." if what[1] == r"\." else what[1]) + ".delta"] if what[1] else []
        unit = what[2] or ("." if self.units.get((fields[2], measure)) else "")
        if (fields[2], what) not in self.defined:  # its measure line counts for all that have no unit
            self.defined.add((fields[2], what))
            self.units[fields[2], measure] = what[2]
        kind += ["unit=" + unit] if unit else []
        grown = difference(value, v.at_start[what])
        kind += holds(what[3], grown)
        self.spans.append(["span", fields[1], fields[2], v.label, measure, grown]
                          + self.tags(v, fields) + kind + self.others(v, fields))

    @staticmethod
    def what(fields):
        return (fields[4], tag(fields, "mid"), tag(fields, "unit"), tag(fields, "type"))

    def name(self, fields):
        scope = tag(fields, "scope") or ("section" if tag(fields, "interval") else "region")
        ident = tag(fields, "id")
        return scope, (fields[2], scope, ident or "label " + fields[3], bool(ident),
                       tag(fields, "interval") if scope != "region" else "")

    def more(self, fields, name):
        """Returns the interval of which the line is one more line, directly after the others."""
        kind, of, v, whats = self.group.pop(fields[2], (None, None, None, set()))
        if kind != fields[0] or of != name or fields[4] == "." or self.what(fields) in whats:
            return None
        return v if whats else None

    def join(self, fields, name, v, others=()):
        whats = {self.what(fields)} if fields[4] != "." else set()
        self.group[fields[2]] = (fields[0], name, v, whats | set(others))

    def start(self, fields, scope, name):
        run = fields[2]
        stack = self.regions.setdefault(run, [])
        whats = self.group.get(run, (0, 0, 0, set()))[3]
        v = self.more(fields, name)
        if v and self.what(fields) not in v.at_start and fields[3] in (".", v.label):
            v.at_start[self.what(fields)] = fields[5]
            self.join(fields, name, v, whats)
            return
        if scope == "region":
            named = [v for v in stack if v.name == name]
            last = named[-1] if named and name[3] else None
        else:
            last = self.intervals.get(name)
        if last and fields[4] != "." and last.start == int(fields[1]) and self.what(fields) not in last.at_start \
                and fields[3] in (".", last.label):
            last.at_start[self.what(fields)] = fields[5]
            return
        if last:
            self.errors += 1
            return
        path = (stack[-1].stack if stack else []) + [fields[3].replace(";", r"\x3b")]
        v = Interval(fields, scope, name, path, stack[-1].label if stack else ".", len(stack))
        self.starts += 1
        v.order, v.late = self.starts, False
        if fields[4] != ".":
            v.at_start[self.what(fields)] = fields[5]
        if scope == "region":
            stack.append(v)
        else:
            self.intervals[name] = v
            self.unions.setdefault((run, name[2]), []).append([v.start, None, v])
        self.join(fields, name, v)

    @staticmethod
    def stopped_so(v, fields, anonymous):
        """Returns whether the stop of v named it as this line does."""
        if v.anonymous or anonymous:
            return v.anonymous and anonymous
        return fields[3] in (".", v.stop_label)

    @staticmethod
    def place(stack, at):
        """Updates the places of the regions from there on."""
        for i, o in enumerate(stack[at:], at):
            o.depth, o.parent = i, stack[i - 1].label if i else "."
            o.stack = (stack[i - 1].stack if i else []) + [o.stack[-1]]

    def stop(self, fields, scope, name):
        run = fields[2]
        anonymous = scope == "region" and not name[3] and fields[3] == "."
        what = self.what(fields)
        last = self.group.get(run, (0, 0, None, set()))
        v = self.more(fields, name)
        if v and self.stopped_so(v, fields, anonymous):
            if what in v.at_start and what not in v.done:
                self.delta(v, fields, what, fields[5])
            self.join(fields, name, v, last[3])
            return
        ended = self.ended.get(name)
        if anonymous:
            ended = last[2] if last[:2] == ("stop", name) and last[2].waits else None
        if ended and fields[4] != "." and self.stopped_so(ended, fields, anonymous):
            if what in ended.at_start and what not in ended.done:
                self.delta(ended, fields, what, fields[5])
                self.join(fields, name, ended)
                return
            still = any(anonymous or v.name == name for v in self.regions.get(run, []))
            again = what in ended.done or (last[2] is ended and what in last[3])
            if not still and name not in self.intervals and not again:
                self.join(fields, name, ended)
                return
        if scope == "region":
            stack = self.regions.setdefault(run, [])
            named = [v for v in stack if anonymous or v.name == name]
            if not named:
                self.errors += 1
                return
            v = named[-1]
            at, now = stack.index(v), int(fields[1])
            # regions that began inside it cross it, and only they are left out
            crossing = [o for o in stack[at:] if v.start < o.start < now]
            if self.may_wait and (crossing or v.late):
                v.late = True
                self.late.append((v.order, fields))
                self.late_at = (run, now)
                return
            self.errors += bool(crossing)
            for o in reversed(crossing):
                stack[stack.index(o) - 1].children += o.children
                stack.remove(o)
            # regions that began when it stops come after it
            after = [o for o in stack[at:] if v.start != o.start == now]
            stack[:] = [o for o in stack if o not in after]
            if stack[-1] is not v:
                # it is inside the regions that began with it and stop later
                v.children += stack[-1].children
                stack[-1].children = []
                stack.append(stack.pop(at))
            self.place(stack, at)
            stack.pop()
            own = [[v.start, int(fields[1])]]
            self.span(v, fields, "inclusive", own, [])
            self.span(v, fields, "self", own, v.children)
            if stack:
                stack[-1].children += own
            stack += after
            self.place(stack, at)
        else:
            v = self.intervals.pop(name, None)
            if not v:
                self.errors += 1
                return
            self.span(v, fields, "inclusive", [[v.start, int(fields[1])]], [])
            for part in self.unions[run, name[2]]:
                if part[2] is v:
                    part[1] = int(fields[1])
        for w, (value, time) in v.last.items():
            if time == fields[1]:
                self.delta(v, fields, w, value)
        if fields[4] != "." and what in v.at_start and what not in v.done:
            self.delta(v, fields, what, fields[5])
        v.waits = fields[4] != "." or any(w not in v.done for w in v.at_start)
        v.anonymous, v.stop_label = anonymous, v.label if fields[3] == "." else fields[3]
        if v.waits:
            self.ended[v.name] = v
        self.join(fields, name, v)

    def sample(self, fields):
        if not tag(fields, "scope"):
            return
        _, name = self.name(fields)
        what = self.what(fields)
        v = self.ended.get(name)
        if v and what in v.at_start and what not in v.done and self.now.get(fields[2]) == int(fields[1]):
            self.delta(v, fields, what, fields[5])
        v = self.intervals.get(name)
        for region in self.regions.get(fields[2], []):
            if region.name == name:
                v = region
        if v and what in v.at_start:
            v.last[what] = (fields[5], fields[1])
        elif v and v.start == int(fields[1]):
            v.at_start[what] = fields[5]

    def flush(self):
        """Takes the stops that have waited, the innermost region first."""
        late, self.late, self.may_wait = self.late, [], False
        for _, fields in sorted(late, key=lambda x: -x[0]):
            self.stop(fields, *self.name(fields))
        self.may_wait = True

    def event(self, fields):
        if self.late and (not fields[1].isdigit() or (fields[2], int(fields[1])) != self.late_at):
            self.flush()
        if fields[0] == "sample":
            self.sample(fields)
            return
        scope, name = self.name(fields)
        if scope not in ("region", "section", "run") or not fields[1].isdigit():
            self.errors += 1
            return
        time = int(fields[1])
        if time < self.now.get(fields[2], 0):
            self.errors += 1
            return
        if time > self.now.get(fields[2], 0):
            self.group.pop(fields[2], None)
            self.ended = {n: v for n, v in self.ended.items() if n[0] != fields[2]}
        self.now[fields[2]] = time
        (self.start if fields[0] == "start" else self.stop)(fields, scope, name)


def same(want, got):
    if len(want) != len(got):
        return False
    for i, (w, g) in enumerate(zip(want, got)):
        if i == 5 and isinstance(w, float):
            if not (float(g) == w or (math.isnan(w) and g == "nan")):
                return False
        elif str(w) != g:
            return False
    return True


class Wrong(Exception):
    pass


def judge_one(source, output, said, *options):
    lines = list(read(source))
    pauses = {}
    for _, f in lines:
        if f[0] == "pause":
            pauses.setdefault(f[2], []).append([int(tag(f, "start")), int(f[1])])
    events = [f for _, f in lines if f[0] in ("start", "stop", "sample")]
    if "--sort" in options:
        timed = [f for f in events if f[1].isdigit()]
        events = [f for f in events if not f[1].isdigit()] + sorted(timed, key=lambda f: (f[2], int(f[1])))
    judge = Judge("--deduct-pauses" in options, pauses, "--sort" in options)
    for f in events:
        judge.event(f)
    if judge.late:
        judge.flush()
    judge.errors += sum(len(s) for s in judge.regions.values()) + len(judge.intervals)
    spans = [f for _, f in read(output) if f[0] == "span"]
    got = [f for f in spans if f[4] != "union"]
    for i, (w, g) in enumerate(zip(judge.spans, got)):
        if not same(w, g):
            raise Wrong("span %d is\n%s\nand should be\n%s" % (i + 1, "\t".join(g), "\t".join(map(str, w))))
    if len(got) != len(judge.spans):
        raise Wrong("%d spans, not %d" % (len(got), len(judge.spans)))
    for (run, ident), parts in judge.unions.items():
        if any(end is None for _, end, _ in parts):
            continue
        taken = pauses.get(run, []) if judge.deduct else []
        want = without([[a, b] for a, b, _ in parts], taken)
        have = sum(int(f[5]) for f in spans if f[4] == "union" and f[2] == run and tag(f, "id") == ident)
        if want != have:
            raise Wrong("section %s of run %s: union %d, not %d" % (ident, run, have, want))
    messages = [t for t in open(said, encoding="utf-8") if ": left out " not in t and ": no delta of values " not in t]
    noted = [t for t in messages if ": there were pauses " in t]
    if noted and (judge.deduct or not judge.paused):
        raise Wrong("a note about pauses, but none counts")
    messages = [t for t in messages if t not in noted]
    if min(len(messages), 20) != min(judge.errors, 20) and len(messages) != 21:
        raise Wrong("%d messages, not %d" % (len(messages), judge.errors))
    print("%d spans, %d errors" % (len(spans), judge.errors))


def main():
    streams = sys.stdin if sys.argv[1:] == ["--all"] else [" ".join(sys.argv[1:])]
    for words in streams:
        try:
            judge_one(*words.split())
        except Wrong as e:
            sys.exit("%s: %s" % (words.strip(), e))


main()
