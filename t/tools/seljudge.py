#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""seljudge.py - random streams, conditions and times, and which lines afsel must keep.

	seljudge.py SEED COUNT FOLDER

Written from afsel(1) and afstream(5) alone: with fractions, and Python's regular expressions where
they mean the same.  Prints the number of lines that were kept and left out.
"""
import itertools
import random
import re
import subprocess
import sys
from fractions import Fraction

CONTEXT = [b"run", b"measure", b"lost", b"incomplete", b"origin", b"section", b"header", b"pause", b"novel"]
EVENTS = [b"sample", b"sample", b"sample", b"span", b"agg", b"start", b"stop", b"mmap", b"comment", b"other"]
TEXTS = [b"a", b"b", b"ab", b"abc", b".", b"..", b"a;b", b"a=b", b"a\0b", b"\t", b"x\ny", b"\\", b"\\.", b"\xff",
         "é".encode(), b"\x1b[m", b"a b", b"it's", b'"q"', b"(x)", b"a&&b", b"x1b", b"", b"10", b"-0"]
NUMBERS = ["0", "-0", "1", "-1", "10", "9", "1.0", "1.5", "-1.5", "0.1", "1e15", "1e-7", "123456789012345678901234567890",
           "123456789012345678901234567891", "9007199254740993", "9007199254740992", "0x10", "0x0", "0xffffffffffffffff",
           "18446744073709551615", "18446744073709551616", "inf", "-inf", "nan", "1e308", "1.7976931348623157e308",
           "5e-324", "0.30000000000000004", "0.3", "-123456789012345678901234567890", "100e-2"]
REGEXES = ["^b", "a", "^a", "b$", "^ab?$", "a.b", "^.$", "[;=]", "(a|x).", "^$", "x1b", "a*", "[^a]", "q+", "^(ab|a)c?$", "=", "10"]
KEYS = ["kind", "time", "run", "region", "measure", "value", "comm", "cpu", "tag.k", "tag.x=y", "stack", "frame", "absent"]


def escape(text, also=b""):
    """The bytes as the stream spells a column, or an element if ; is to be escaped, too."""
    if text == b"":
        return b"."
    if text == b".":
        return b"\\."
    out = b""
    for char in text.decode("utf-8", "surrogateescape"):
        for byte in [char.encode("utf-8", "surrogateescape")]:
            if byte in (b"\\", b"\t", b"\n", b"\r"):
                out += {b"\\": b"\\\\", b"\t": b"\\t", b"\n": b"\\n", b"\r": b"\\r"}[byte]
            elif len(byte) == 1 and (byte[0] < 32 or byte[0] >= 127 or byte in also):
                out += b"\\x%02x" % byte[0]
            else:
                out += byte
    return out


def unescape(text):
    if text == b".":
        return b""
    names = {b"\\": b"\\", b"t": b"\t", b"n": b"\n", b"r": b"\r", b".": b"."}
    return re.sub(rb"\\(x..|.)", lambda m: names.get(m[1]) or bytes([int(m[1][1:], 16)]), text)


def respell(r, text):
    """Sometimes spells ; and = as a reader, too, accepts them."""
    return b"".join(b"\\x%02x" % c if c in b";=" and r.random() < 0.3 else bytes([c]) for c in text)


class Random(random.Random):
    """Random choices, some of them from a few texts and numbers that change with each stream."""

    def renew(self):
        self.few = self.sample(TEXTS, 4)
        self.numbers = self.sample([n.encode() for n in NUMBERS], 5)


def value(r):
    if r.random() < 0.5:
        return r.choice(r.numbers)
    return respell(r, escape(r.choice(r.few)))


def line(r, kind, time, run):
    columns = [kind, time, run, value(r), r.choice([b"m", b"cycles"]), value(r)]
    if r.random() < 0.7:
        columns.append(b"comm=" + value(r))
    if r.random() < 0.7:
        columns.append(b"cpu=" + r.choice([b".", b"0", b"1", b"2", b"10"]))
    for _ in range(r.randrange(3)):
        columns.append(b"tag.k=" + value(r))
    if r.random() < 0.3:
        columns.append(b"tag.x\\x3dy=" + value(r))
    if r.random() < 0.5:
        columns.append(b"stack=" + b";".join(escape(r.choice(r.few), b";") for _ in range(r.randrange(1, 5))))
    return b"\t".join(columns)


def stream(r):
    """Lines of two runs.  The second has times of more than 64 bits, and no time of day."""
    clocks = {b"0x1": r.randrange(10**12), b"0x2": r.randrange(2**100)}
    lines = [b"run\t%d\t0x1\t.\t.\t.\twall=%d.25" % (clocks[b"0x1"], r.randrange(10**9)),
             b"run\t.\t0x2\t.\t.\t.\tapp=x"]
    for _ in range(r.randrange(1, 60)):
        run = r.choice([b"0x1", b"0x1", b"0x2"])
        clocks[run] += r.choice([0, 1, 3, 500, 10**9, r.randrange(10**10)])
        if run == b"0x2" and r.random() < 0.1:
            clocks[run] += r.randrange(2**115)
        time = b"." if r.random() < 0.1 else b"%d" % clocks[run]
        lines.append(line(r, r.choice(EVENTS if r.random() < 0.8 else CONTEXT), time, run))
    return lines


def number(text):
    """Returns (0, fraction), (-1 or 1 for infinities, 0), "nan", or None."""
    if text in (b"inf", b"-inf"):
        return (-1 if text[:1] == b"-" else 1, 0)
    if text == b"nan":
        return "nan"
    if re.fullmatch(rb"0x[0-9a-f]{1,16}", text):
        return (0, Fraction(int(text, 16)))
    if re.fullmatch(rb"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,9})?", text):
        return (0, Fraction(text.decode()))
    return None


def get(columns, key):
    if key in KEYS[:6]:
        return columns[KEYS.index(key)]
    want = "stack" if key == "frame" else key.replace("=", "\\x3d")
    for tag in columns[6:]:
        if tag.startswith(want.encode() + b"="):
            return tag[len(want) + 1:]
    return b"."


class Condition:
    def __init__(self, r, absent):
        self.key = r.choice(KEYS if absent else KEYS[:-1])
        self.op = r.choice(["=", "!=", "~", "!~"] + ([] if self.key == "frame" else ["<", "<=", ">", ">="]))
        self.nothing = self.op in ("=", "!=") and r.random() < 0.1
        if self.op in ("~", "!~"):
            self.value = r.choice(REGEXES).encode()
        elif self.op in ("=", "!="):
            self.value = r.choice(r.few * 2 + r.numbers + [b"sample", b"0x1", b"m"])
        else:
            self.value = r.choice([n for n in r.numbers if n != b"nan"])
        self.spelling = self.spell(r, absent)

    def spell(self, r, absent):
        gap = lambda: b" " * r.choice([0, 0, 1])
        key = b"'tag.x=y'" if "=" in self.key else self.key.encode()
        if self.nothing:
            text = b"."
        elif b"\0" in self.value or b"'" in self.value or r.random() < 0.3:
            text = b'"' + escape(self.value).replace(b'"', b'\\"') + b'"'
            text = {b'"."': b"''", b'"\\."': b"'.'"}.get(text, text)
        elif re.fullmatch(rb"[a-z0-9^$.*+?\[\]-]+", self.value) and self.value != b"." and r.random() < 0.7:
            text = self.value
        else:
            text = b"'" + self.value + b"'"
        return key + (b"?" if absent else b"") + gap() + self.op.encode() + gap() + text

    def holds(self, columns):
        found = get(columns, self.key)
        parts = [found]
        if self.key == "frame" or (self.key == "stack" and "~" in self.op and b";" not in self.value):
            parts = found.split(b";")
        parts = [unescape(p) for p in parts]
        if self.op in ("=", "!="):
            return (self.op == "=") == any(p == (b"" if self.nothing else self.value) for p in parts)
        if self.op in ("~", "!~"):
            pattern = re.compile(self.value.replace(b"$", b"\\Z"), re.DOTALL)
            return (self.op == "~") == any(pattern.search(t) for p in parts for t in p.split(b"\0"))
        a, b = number(parts[0] if found != b"." else b""), number(self.value)
        if a is None or a == "nan":
            return False
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[self.op]


    def ways(self, columns):
        """What it may be for an event of which only the run is known."""
        return {self.holds(columns)} if self.key == "run" else {True, False}


class Expression:
    """Conditions joined at random, as a text and as functions."""

    def __init__(self, r, absent, depth=0):
        pick = r.random()
        if pick < 0.4 or depth > 4:
            one = Condition(r, absent)
            self.spelling, self.holds, self.ways = one.spelling, one.holds, one.ways
        elif pick < 0.55:
            one = Expression(r, absent, depth + 1)
            self.spelling = b"!" + (b"(" + one.spelling + b")")
            self.holds = lambda c: not one.holds(c)
            self.ways = lambda c: {not w for w in one.ways(c)}
        else:
            both = r.random() < 0.5
            parts = [Expression(r, absent, depth + 1) for _ in range(r.randrange(2, 4))]
            # && binds more closely, so what is joined by it needs no parentheses
            texts = [b"(" + p.spelling + b")" for p in parts]
            self.spelling = (b" && " if both else b"||").join(texts)
            join = all if both else any
            self.holds = lambda c: join(p.holds(c) for p in parts)
            self.ways = lambda c: {join(w) for w in itertools.product(*(p.ways(c) for p in parts))}


class Window:
    def __init__(self, r, lines):
        times = [int(l.split(b"\t")[1]) for l in lines if l.split(b"\t")[1] != b"."]
        self.lines = lines
        self.moments = sorted([self.moment(r, times) for _ in "ab"], key=lambda m: m[1])
        if self.moments[0][1] == self.moments[1][1] or r.random() < 0.2:
            self.moments[r.randrange(2)] = ("", 0)
        self.spelling = ",".join(m[0] for m in self.moments)

    @staticmethod
    def moment(r, times):
        pick = r.randrange(3)
        if pick == 0:
            t = r.choice(times) + r.randrange(-1, 2) if times else 5
            return (str(max(t, 0)), max(t, 0))
        if pick == 1:
            t = r.choice([0, 1, 1500, 10**9, 3 * 10**9, r.randrange(10**11)])
            return ("+" + r.choice([str(t), "%d.%03dus" % (t // 1000, t % 1000), "%dns" % t]), t)
        p = Fraction(r.randrange(100001), 1000)
        return ("%d.%03d%%" % (p * 1000 // 1000, p * 1000 % 1000), p)

    def limit(self, moment, run):
        spelling, n = moment
        if spelling[:1] != "+" and spelling[-1:] != "%":
            return n
        columns = [l.split(b"\t") for l in self.lines]
        times = [int(c[1]) for c in columns if c[0] in EVENTS and c[1] != b"." and c[2] == run]
        if spelling[:1] == "+":
            return min(times) + n
        return min(times) + (max(times) - min(times)) * n / 100 if n < 100 else max(times) + 1

    def holds(self, columns):
        if columns[1] == b".":
            return False
        low, high = [m[0] and self.limit(m, columns[2]) for m in self.moments]
        return (low == "" or int(columns[1]) >= low) and (high == "" or int(columns[1]) < high)


def afsel(data, *options, status=0):
    done = subprocess.run(["afsel", *options], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != status:
        sys.exit("status %d: afsel %s\n%s" % (done.returncode, options, done.stderr.decode()))
    return done.stdout


def compare(got, want, data, what):
    if got != want:
        with open(sys.argv[3] + "/in", "wb") as f:
            f.write(data)
        sys.exit("%s\ngot:\n%s\nwanted:\n%s" % (what, got.decode("utf-8", "replace"), want.decode("utf-8", "replace")))


def judge(r, count):
    r.renew()
    lines = stream(r)
    head, end = b"#afstream\t1\t%s\t%s\n", b"#end\t%s\t%s\t%d\tcomplete\n"
    data = head % (b"t", b"t") + b"".join(l + b"\n" for l in lines) + end % (b"t", b"t", len(lines))
    kinds = sorted({l.split(b"\t")[0] for l in r.sample(lines, 2)}) if r.random() < 0.3 else []
    options, tests, ways = [], [], lambda columns: {True}
    if kinds:
        options += [b"--kind", b",".join(kinds)]
    if r.random() < 0.5:
        window = Window(r, lines)
        # kinds that are named count as events, which changes what comes first
        if not set(kinds) & set(CONTEXT):
            options += [b"--time", window.spelling.encode()]
            tests.append(window.holds)
    first, second = Expression(r, True), Expression(r, True)
    if r.random() < 0.8:
        options += [b"--where", first.spelling]
        tests.append(first.holds)
        ways = first.ways

    def wanted(l):
        columns = l.split(b"\t")
        if columns[0] not in kinds and (columns[0] in CONTEXT or kinds):
            return columns[0] in CONTEXT and True in ways(columns)
        return all(t(columns) for t in tests)
    kept = [l for l in lines if wanted(l)]
    want = head % (b"afsel", b"-") + b"".join(l + b"\n" for l in kept) + end % (b"afsel", b"-", len(kept))
    # a result that is tested by its time has to be asked for
    refused = b"--time" in options and not kinds and any(l.startswith(b"agg\t") for l in lines)
    if refused:
        want = want.replace(b"\tcomplete\n", b"\tpartial\tinput incomplete or refused\n")
    compare(afsel(data, *options, status=int(refused)), want, data, options)
    count[0] += len(kept)
    count[1] += len(lines) - len(kept)

    # A then B, A && B, and A --and B; A or B
    a, b = b"--where", first.spelling
    both = afsel(data, a, b"(%s) && (%s)" % (b, second.spelling))
    compare(afsel(afsel(data, a, b), a, second.spelling), both, data, (b, "then", second.spelling))
    compare(afsel(data, a, b, b"--and", second.spelling), both, data, (b, "--and", second.spelling))
    compare(afsel(data, a, b, b"--or", second.spelling),
            afsel(data, a, b"!(!(%s) && !(%s))" % (b, second.spelling)), data, (b, "--or", second.spelling))
    # A and !A have each event in one of them
    events = lambda out: [l for l in out.split(b"\n") if l.split(b"\t")[0] in EVENTS]
    parts = events(afsel(data, a, b)) + events(afsel(data, a, b"!(%s)" % b))
    compare(b"\n".join(sorted(parts)), b"\n".join(sorted(events(data))), data, (b, "and its opposite"))


def main():
    r = Random(int(sys.argv[1]))
    count = [0, 0]
    for _ in range(int(sys.argv[2])):
        judge(r, count)
    print("%d kept, %d left out" % tuple(count))


main()
