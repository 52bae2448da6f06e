# SPDX-License-Identifier: ISC
"""resback.py FOLDER SEED ROUNDS - results that were kept as AFPerf are the results that they were.

Random results of afagg go through afenc and afdec.  The lines must have the same columns, keys and
tags, and afagg, foldenc and afdiff must give the same answers from them.  FOLDER is for files.
"""
import collections, os, random, subprocess, sys

folder, seed, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
rand = random.Random(seed)
KEYS = ["region", "run", "comm", "tid", "tag.n", "tag.total", "n1", "tag.AFPIPE", "stack", "frame",
        "leaf", "root", "run.host", "run.tag.x", "scope", "id", "caller:f", "at"]
STATS = ["count", "sum", "mean", "min", "max", "p50", "p99.9", "stddev", "first", "last", "distinct",
         "mode", "share", "rate", "hist"]
NAMES = ["f", "main", "a;b", "x\\x3by", "tab\\there", "caf\xe9", "\\xff", "op=", "a,b",
         "\"q\"", "\\\\x3b"]

def run(status, *command, input=None):
    r = subprocess.run(command, input=input, capture_output=True, timeout=60)
    if r.returncode not in status:
        raise SystemExit(f"{command}: status {r.returncode}: {r.stderr.decode()}")
    return r

def events():
    out = []
    for n in range(2):
        run = str(n + 1)
        out.append(f"run\t{n}\t{run}\t.\t.\t.\tunit=ns\thost=h{n}\ttag.x=y{n}")
        for measure, type, unit in ("m", "int64", "ns"), ("d", "double", "B"), ("s", "string", "text"):
            out.append(f"measure\t.\t{run}\t.\t{measure}\t.\ttype={type}\tunit={unit}")
        for i in range(rand.randint(1, 30)):
            measure = rand.choice("mmmds")
            value = {"m": str(rand.randint(0, 99)), "d": str(rand.random()),
                     "s": rand.choice(NAMES)}[measure]
            stack = [s.replace("a;b", "a\\x3bb") for s in rand.choices(NAMES, k=rand.randint(1, 4))]
            tags = [f"stack={';'.join(stack)}"] if rand.random() < .9 else []
            tags += [f"comm={rand.choice(NAMES[:3])}", f"tid={rand.randint(1, 3)}", f"n1={i % 2}"]
            tags += ["type=text"] if measure == "s" else []
            tags += [f"{k}={rand.randint(1, 3)}" for k in ("tag.n", "tag.total", "tag.AFPIPE", "scope",
                     "id", "at") if rand.random() < .5]
            region = rand.choice(["f", "main", "caf\xe9", "\\xff", "op=", "a,b", "a;b"])
            out.append("\t".join(["sample", str(100 + i), run, region, measure, value] + tags))
    return "".join(line + "\n" for line in out).encode()

def results(text):
    found = collections.Counter()
    for line in text.decode().splitlines():
        if line.startswith("agg\t"):
            f = line.split("\t")
            tags = [t for t in f[6:] if t.split("=")[0] not in ("mid", "unit", "type")]
            found[tuple(f[:6]), tuple(sorted(tags))] += 1
    return found

def answer(r):
    return r.returncode, results(r.stdout) if r.args[0] == "afagg" else r.stdout

def differences(text):
    return sorted(l for l in text.decode().splitlines() if l.startswith("diff"))

for round in range(rounds):
    keys = rand.sample(KEYS, rand.randint(1, 4))
    stats = rand.sample(STATS, rand.randint(1, 4))
    command = ["afagg", "--by", ",".join(keys), "--stat", ",".join(stats)]
    command += ["--window", rand.choice(["10ns", "20ns/10ns"])] if rand.random() < .3 else []
    command += ["--of", "tid"] if rand.random() < .2 else []
    first = run((0, 1), *command, "-", input=events()).stdout
    # what has no value has no record
    first = b"".join(l for l in first.splitlines(True)
                     if not (l.startswith(b"agg") and l.split(b"\t")[5] == b"."))
    if b"agg\t" not in first:
        continue
    file = run((0,), "afenc", "--no-marks", "-", input=first).stdout
    back = run((0,), "afdec", "-", input=file).stdout
    a, b = results(first), results(back)
    if a != b:
        raise SystemExit(f"{seed} {round} {command}\nlost {a - b}\ncame {b - a}")
    again = run((0,), "afdec", "-", input=run((0,), "afenc", "-", input=back).stdout).stdout
    if results(again) != a:
        raise SystemExit(f"{seed} {round} {command}\ntwice: lost {a - results(again)}")
    for what in (["afagg", "--no-marks", "--kind", "agg", "--by", "region,comm"],
                 ["foldenc", "--no-marks"]):
        x, y = (answer(run((0, 1), *what, "-", input=i)) for i in (first, back))
        if x != y:
            raise SystemExit(f"{seed} {round} {command} | {what}\n{x}\n{y}")
    for name, text in ("first", first), ("back", back):
        open(os.path.join(folder, name), "wb").write(text.replace(b"partial", b"complete"))
    x, y = (run((0, 1), "afdiff", *[os.path.join(folder, n)] * 2) for n in ("first", "back"))
    if (x.returncode, differences(x.stdout)) != (y.returncode, differences(y.stdout)):
        raise SystemExit(f"{seed} {round} {command} | afdiff\n{x}\n{y}")
