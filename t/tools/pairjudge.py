#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""pairjudge.py - random streams, and which spans afpair must make of them.

	pairjudge.py random SEED COUNT		runs afpair on random streams
	pairjudge.py syscalls SUMMARY TABLE	compares with perf trace -s
	pairjudge.py sched TIMEHIST SPANS SWITCHES	compares with perf sched timehist

Written from afpair(1) alone: the events of each key are collected first, and paired afterwards.
TABLE has lines of tid, syscall, count, sum, min and max; SPANS has lines of tid, time and value,
SWITCHES of the tid that runs next, and time.
"""
import random
import re
import subprocess
import sys

# an option and the same as a function of columns and tags
CONDITIONS = [
    ("a", lambda c, t: c[0] == "sample" and c[4] == "a"),
    ("b", lambda c, t: c[0] == "sample" and c[4] == "b"),
    ("it's \"b\" \\", lambda c, t: c[0] == "sample" and c[4] == "it's \"b\" \\\\"),
    ("measure=a", lambda c, t: c[4] == "a"),
    ("measure=b && k?!=1", lambda c, t: c[4] == "b" and t.get("k", ".") != "1"),
    ("measure~^[ab]$", lambda c, t: c[4] in "ab"),
    ("kind=switch", lambda c, t: c[0] == "switch"),
]
ON = [[("tid", "tid")], [("tid", "tid"), ("k", "k")], [("p", "q")], [("region", "region")], [("q", "region"), ("tid", "tid")]]
OURS = "pid tid comm cpu stack".split()
MEASURES = ["a", "a", "b", "b", "c", "it's \"b\" \\\\"]
MESSAGES = {
    "again": "left out intervals that began again before they ended, so totals are too small (see --loose): ",
    "alone": "left out ends of intervals that had not begun, so totals are too small (see --loose): ",
    "lacks": "left out events without a value for a key of --on: ",
    "across": "intervals during which events were lost (lost=1), which may be two (perf record loses fewer with a larger -m): ",
    "moved": "intervals that ended on another CPU before events were reported as lost on the first one, so they may be two "
             "(perf record loses fewer with a larger -m): ",
    "untimed": "losses at an unknown time, so any interval may be wrong: ",
    "before": "left out intervals that did not begin in the recording: ",
    "open": "left out intervals that did not end in the recording: ",
}
LOOSE = {
    "again": "left out events in an interval that had already begun: ",
    "alone": "left out ends of intervals that had not begun: ",
}


def stream(r):
    clock = {run: r.choice([0, 5, 2**63 - 20, 2**64 - 20, 2**127]) for run in ("r1", "r2", "0x3")}
    lines = []
    for _ in range(r.choice([5, 30, 200])):
        run = r.choice(list(clock))
        if r.random() < 0.8:
            clock[run] += r.choice([0, 1, 1, 7, 1000, 2**63 if r.random() < 0.01 else 2])
        time = clock[run]
        if r.random() < 0.03:
            time = max(0, time - r.randrange(1, 10))
        kind = r.choice(["sample"] * 12 + ["switch", "comment", "lost", "header", "novel"])
        if kind == "lost":
            tags = r.choice([[], [], ["cpu=1"], ["cpu=2"]]) + r.choice([[], [], [], ["again=2"], ["again=3"], ["why=bpf"]])
            lines.append([kind, r.choice([str(time), str(time), "."]), r.choice([run, run, "."]), ".", ".", "3"] + tags)
            continue
        text = str(time) if r.random() < 0.98 else r.choice([".", "x", "-1", "1.5", str(2**128), "00" + str(time)])
        line = [kind, text, run, r.choice(["f", "g", "\\.", "."]), r.choice(MEASURES), "1"]
        for key in r.sample(["tid", "k", "p", "q", "pid", "comm", "cpu", "stack", "x", "y"], r.randrange(3, 11)):
            line.append("%s=%s" % (key, r.choice(["1", "1", "2", "3", ".", "a;b", "", "\\\\"][:r.choice([3, 8])])))
            if r.random() < 0.05:
                line.append("%s=9" % key)
        lines.append(line)
    return lines


def tags_of(line):
    tags = {}
    for tag in line[6:]:
        key, value = tag.split("=", 1)
        if value != "":
            tags.setdefault(key, value)
    return tags


def number(text):
    return int(text) if re.fullmatch("[0-9]+", text) and int(text) < 2**128 else None


def expect(lines, first, second, on, keep, keep_to, loose):
    """The lines of the output, and the counts of the reports."""
    out, count = [], dict.fromkeys(MESSAGES, 0)
    count["bad"], now, keys, losses, seen = 0, {}, {}, [], []  # seen: what there was on each processor
    for i, line in enumerate(lines):
        tags = tags_of(line)
        if line[0] in ("lost", "header", "novel", "run"):
            roles = False, False
        else:
            roles = first(line, tags), second(line, tags)
        if line[0] == "lost" and tags.get("why") != "bpf" and tags.get("again") != "3":
            losses.append((i, line[2]))
            seen += [(i, line[2], tags.get("cpu"), True)] * (line[1] != ".")
            count["untimed"] += line[1] == "."
        if not any(roles):
            out.append((i, line))
            continue
        time = number(line[1])
        if time is None or time < now.get(line[2], 0):
            count["bad"] += 1
            continue
        now[line[2]] = time
        seen.append((i, line[2], tags.get("cpu"), False))
        get = dict(zip("kind time run region measure value".split(), line)) | {k: v for k, v in tags.items()}
        for role, side in ((1, 1), (0, 0)):
            if not roles[role]:
                continue
            key = tuple(get.get(k[side], ".") for k in on)
            if "." in key:
                count["lacks"] += 1
                continue
            keys.setdefault((line[2], key), []).append((i, role, time, line, tags))
    for (run, _), events in keys.items():
        begun, ever = None, False
        for event in events:
            i, role, time, line, tags = event
            if role == 0:
                if begun is not None:
                    count["again"] += 1
                if begun is None or not loose:
                    begun = event
                ever = True
            elif begun is None:
                count["alone" if ever else "before"] += 1
            else:
                at, _, start, line1, tags1 = begun
                lost = any(at < j < i and r in (run, ".") for j, r in losses)
                names = [k[0] for k in on if k[0] != "region"] + keep
                names = list(dict.fromkeys(names + OURS))
                span = ["span", str(time), run, line1[3], "latency", str(time - start), "start=%d" % start]
                span += ["%s=%s" % (k, tags1[k]) for k in names if k in tags1]
                span += ["%s=%s" % (k, tags[k]) for k in keep_to if k in tags]
                span += ["lost=1"] * lost + ["unit=ns"] + ["type=int64"] * (time - start < 2**63)
                out.append((i, span))
                count["across"] += lost
                cpu = tags1.get("cpu", ".")
                if not lost and cpu.isdigit() and tags.get("cpu") != cpu:
                    # what came next on the first processor was a loss
                    after = (is_loss for j, r, c, is_loss in seen if j > i and r == run and c == cpu)
                    count["moved"] += next(after, False)
                begun = None
        count["open"] += begun is not None
    out.sort(key=lambda x: x[0])
    return [line for _, line in out], count


def one(r):
    lines = stream(r)
    (a, first), (b, second) = r.choice(CONDITIONS), r.choice(CONDITIONS)
    on = r.choice(ON)
    keep, keep_to = r.choice([[], ["x"], ["x", "q"]]), r.choice([[], ["y"]])
    loose = r.random() < 0.3
    args = ["--from", a, "--to", b]
    args += ["--on", ",".join(x + "?" if x == y != "region" else "%s?=%s?" % (x, y) for x, y in on)]
    for option, names in (("--keep", keep), ("--keep-to", keep_to)):
        if names:
            args += [option, ",".join(n + "?" for n in names)]
    args += ["--loose"] * loose + ["--max-memory", "64M"]
    text = "".join("\t".join(line) + "\n" for line in lines)
    done = subprocess.run(["afpair", *args], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    want, count = expect(lines, first, second, on, keep, keep_to, loose)
    said = done.stderr.decode()
    got = [l.split("\t") for l in done.stdout.decode().splitlines() if l[0] != "#"]
    got = [l for l in got if not (l[0] == "measure" and l[4] == "latency" and "unit=ns" in l)]
    problem = None
    if got != want:
        at = next((i for i, (x, y) in enumerate(zip(got, want)) if x != y), min(len(got), len(want)))
        problem = "line %d: %s, not %s" % (at, got[at:at + 1], want[at:at + 1])
    for name, words in (MESSAGES | LOOSE if loose else MESSAGES).items():
        have = re.search(re.escape(words) + "([0-9]+)", said)
        if (int(have[1]) if have else 0) != count[name]:
            problem = "%s: %s, not %d" % (name, have and have[1], count[name])
    unpaired = (0 if loose else count["again"] + count["alone"]) + count["lacks"]
    have = re.search("\tunpaired=([0-9]+)", done.stdout.decode())
    if (int(have[1]) if have else 0) != unpaired:
        problem = "unpaired: %s, not %d" % (have and have[1], unpaired)
    if done.returncode not in (0, 1) or (count["bad"] and done.returncode != 1):
        problem = "status %d" % done.returncode
    if problem:
        sys.exit("%s\nafpair %s\n%s\n%s" % (problem, args, text, said))
    return sum(line[0] == "span" for line in want)


def syscalls(summary, table):
    """perf prints milliseconds with three digits.  It counts ends without a beginning as 0 ms."""
    ours = {}
    for line in open(table):
        tid, name, count, total, least, most = line.split()
        ours[tid, name] = int(count), int(total), int(least), int(most)
    theirs, tid = {}, None
    for line in open(summary):
        head = re.match(r" .* \(([0-9]+)\), [0-9]+ events", line)
        row = re.match(r"   ([a-z_0-9]+) +([0-9]+) +([0-9]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) ", line)
        if head:
            tid = head[1]
        elif row:
            theirs[tid, row[1]] = int(row[2]), *(row[i] for i in (4, 5, 6, 7))
    same = extra = 0
    for key, (count, total, least, mean, most) in theirs.items():
        n, s, lo, hi = ours.get(key, (0, 0, 0, 0))
        if n == count - 1 and float(least) == 0:
            extra += 1      # the end of a call that began before the recording
            lo, n = 0, count
        mine = n, *("%.3f" % (v / 1e6) for v in (s, lo, s / max(n, 1), hi))
        # perf's mean is a running one, and its total is made of it: a tie may be rounded either way
        near = [abs(float(t) * 1e6 - v) < 500 + 1e-3 for t, v in ((total, s), (mean, s / max(n, 1)))]
        if (mine[0], mine[2], mine[4]) != (count, least, most) or not all(near):
            sys.exit("%s: perf trace %s, afpair %s" % (key, theirs[key], mine))
        same += 1
    # its exit has no number, so perf does not know it
    missing = {key for key in set(ours) - set(theirs) if key[1] != "rt_sigreturn"}
    if missing:
        sys.exit("only afpair has %s" % missing)
    print("%d rows, %d with the end of an earlier call" % (same, extra))


def sched(timehist, spans, switches):
    """A row of timehist is printed when a thread is switched out; its wait came before it ran.

    Where the recording lacks the switch that made it run, timehist guesses, and the row is left out.
    """
    ours, ran, sums, same, guessed = {}, {}, {}, 0, 0
    for line in open(spans):
        tid, time, value = line.split()
        ours[tid, int(time)] = int(value)
    for line in open(switches):
        tid, time = line.split()
        ran.setdefault(tid, []).append(int(time))
    last = {}
    for line in open(timehist):
        row = re.match(r" +([0-9]+)\.([0-9]+) \[[0-9]+\]  .*\[([0-9]+)(?:/[0-9]+)?\] +([0-9.]+) +([0-9.]+) +([0-9.]+)", line)
        if not row:
            continue
        out, tid, wait = int(row[1] + row[2]), row[3], round(float(row[4]) * 1000)
        begin, last[tid] = last.get(tid), out
        runs = [t for t in ran.get(tid, []) if begin is not None and begin <= t // 1000 and t // 1000 <= out]
        if begin is None or len(runs) != 1:
            guessed += begin is not None
            continue
        mine = ours.get((tid, runs[0]))
        if mine is None or mine // 1000 != wait:
            sys.exit("thread %s, out at %d: timehist waits %d us, afpair %s ns" % (tid, out, wait, mine))
        same += 1
        sums[tid] = sums.get(tid, 0) + wait
    print("%d waits, %d us, of %d threads; %d were not recorded" % (same, sum(sums.values()), len(sums), guessed))


if sys.argv[1] == "random":
    chance = random.Random(int(sys.argv[2]))
    made = sum(one(chance) for _ in range(int(sys.argv[3])))
    print("%d spans" % made)
elif sys.argv[1] == "syscalls":
    syscalls(*sys.argv[2:])
else:
    sched(*sys.argv[2:])
