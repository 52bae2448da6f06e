#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perunheap.py COLLECTION - compares perunquery --compat with results of Perun's own functions.
perunheap.py --random N SEED - checks its results for N random profiles.
perunheap.py --edges - checks its sums and differences of integers about 64 bits long.

The results are in ref of the working folder.  Values, kinds of numbers and order must be the
same, and the text must be that of json.dumps.  Random profiles are judged by a model that
searches lists.  They have small values of all kinds, so that addresses meet, uids are equal, and
many values are unusual.
"""
import glob
import json
import os
import random
import subprocess
import sys

FUNCTIONS = (("heap", "to_heap_map_format"), ("heat", "to_heat_map_format"))


def run(profile, *options):
    with open("stream", "wb") as f:
        subprocess.run(["perundec", profile], stdout=f, check=True)
    p = subprocess.run(["perunquery", *options, "stream"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def differs(profile, option, want):
    """Returns the difference, or None.  want is the text, or None if there is none."""
    status, got, err = run(profile, option, "--compat")
    if want is None:
        return None if status == 1 and err else "status %d, not 1" % status
    if status != 0:
        return "status %d: %s" % (status, err[:200])
    return None if got == want + "\n" else "another map"


def collection(folder):
    count = bad = 0
    for kind, prefix in (("old", "ref/"), ("edge", "ref/edge.")):
        for profile in sorted(glob.glob(os.path.join(folder, kind, "*"))):
            for option, function in FUNCTIONS:
                base = prefix + os.path.basename(profile) + "." + function
                want = None
                if os.path.exists(base + ".json"):
                    with open(base + ".json") as f:
                        want = json.dumps(json.load(f))
                elif not os.path.exists(base + ".error.json"):
                    continue
                count += 1
                what = differs(profile, option, want)
                if what is not None:
                    bad += 1
                    print(profile, option, what)
    return count, bad


def bounded(most, least):
    if most - least < 500:
        return least + 500
    return least + 1000000 if most - least > 1000000 else most


class Uids:
    def __init__(self):
        self.info = []

    def place(self, uid):
        if isinstance(uid, int):
            return uid
        for i, known in enumerate(self.info):
            same = [known[k] == uid[k] for k in ("function", "line", "source")]
            if all(same):
                return i
        self.info.append(uid)
        return len(self.info) - 1


def numbers(blocks):
    amounts = [b["amount"] for b in blocks]
    total = 0
    for n in amounts:  # since Python 3.12, sum() is more exact than this
        total += n
    return {"max_address": max(b["address"] + b["amount"] for b in blocks),
            "min_address": min(b["address"] for b in blocks),
            "sum_amount": total, "max_amount": max(amounts), "min_amount": min(amounts)}


def heap(profile):
    uids, live, result = Uids(), [], []
    for snapshot in profile["snapshots"]:
        events = []
        for r in snapshot["resources"]:
            b = {k: r[k] for k in ("address", "subtype", "amount", "uid")}
            if b["uid"]:
                events.append(b)
        out = {k: v for k, v in snapshot.items() if k != "resources"}
        # a block is a pair: its printed form, and the uid to look up the next time
        carried = list(live)
        shown = []
        for b in events:
            if b["subtype"] != "free":
                first = dict(b, uid=uids.place(b["uid"]))
                shown.append(first)
                live.append([first, b["uid"]])
            else:
                for i, (x, _) in enumerate(live):
                    if x["address"] == b["address"]:
                        del live[i]
                        break
        for pair in carried:
            shown.append(dict(pair[0], uid=uids.place(pair[1])))
            pair[1] = pair[0]["uid"]
        out["map"] = shown
        if shown:
            out.update(numbers(shown))
        result.append(out)
    used = [s for s in result if s["map"]]
    stats = {"max_address": max(s["max_address"] for s in used),
             "min_address": min(s["min_address"] for s in used),
             "max_sum_amount": max(s["sum_amount"] for s in used),
             "max_amount": max(s["max_amount"] for s in used),
             "min_amount": min(s["min_amount"] for s in used)}
    stats["max_address"] = bounded(stats["max_address"], stats["min_address"])
    return {"type": "heap", "snapshots": result, "info": uids.info, "stats": stats,
            "unit": profile["header"]["units"]["memory"]}


def heat(profile):
    resources = [r for s in profile["snapshots"] for r in s["resources"]]
    above = [r for r in resources if r.get("address", 0) > 0]
    most = max(r["address"] + r.get("amount", 0) for r in above)
    least = min(r["address"] for r in above)
    most = bounded(most, least)
    cells = [0] * len(range(most - least))
    for r in resources:
        if r["address"] > most:
            continue
        for i in range(r["amount"]):
            cells[r["address"] + i - least] += 1
    return {"type": "heat", "stats": {"max_address": most, "min_address": least}, "map": cells,
            "unit": profile["header"]["units"]["memory"]}


def attempt(function, text):
    try:
        return json.dumps(function(json.loads(text)))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return None


NUMBERS = [0, 1, 7, 10, 10, 10, 12, 500, 1010, 999999, 1000010, -3, True, False, 10.0, 1.5, 0.1, 1e300, -0.0,
           2**53 + 1, 2.0**53, 2**63, 2**64, 2**63 - 1, -2**63, 1e19, 10**19, 10**30, -10**30, 1e30, 10**400,
           float("nan"), float("inf")]


def value(r, odd):
    if r.random() >= odd:
        return r.choice([10, 10, 11, 12, 20, 30, 400, 700])
    return r.choice(NUMBERS + [None, "10", [], {}, [1]])


def uid(r, odd):
    u = {"function": r.choice(["f", "g"]), "line": r.choice([1, 2]), "source": "s"}
    if r.random() >= odd:
        return u
    what = r.randrange(7)
    if what == 0:
        return r.choice([{}, "", None, 0, 3, True, False, "u", 1.5, [], [1], 2**70])
    if what == 1:
        del u[r.choice(list(u))]
    elif what == 2:
        u[r.choice(list(u))] = r.choice([True, 1.0, float("nan"), None, {"a": 1, "b": 2}, {"b": 2.0, "a": True}, 0, -0.0])
    elif what == 3:
        u["more"] = 5
    return u


def resource(r, odd, frees):
    x = {"subtype": "free" if r.random() < frees else r.choice(["malloc", "calloc"]), "address": value(r, odd),
         "amount": value(r, odd) if r.random() < 0.7 else r.choice([0, 1, 2, 3]), "uid": uid(r, odd)}
    if r.random() < odd / 4:
        x["subtype"] = r.choice([None, "Free", 1, "fr\u00e9e", ["free"]])
    if r.random() < odd / 8:
        del x[r.choice(list(x))]
    keys = list(x)
    r.shuffle(keys)
    return {k: x[k] for k in keys}


def make(r):
    odd = r.choice([0, 0, 0.02, 0.1, 0.3])
    frees = r.choice([0.1, 0.3, 0.5])
    snapshots = []
    for i in range(r.randrange(7)):
        s = {"time": str(i), "resources": [resource(r, odd, frees) for _ in range(r.choice([0, 1, 2, 5, 20]))]}
        if r.random() < odd:
            s[r.choice(["map", "max_address", "min_amount", "x\u00e9\"y", "models"])] = r.choice([1, [], [{"a": 1}, 2], {"b": 1}])
        keys = list(s)
        r.shuffle(keys)
        snapshots.append({k: s[k] for k in keys})
    p = {"header": {"units": {"memory": "B"}}, "snapshots": snapshots}
    return p if r.random() < 0.5 else {k: p[k] for k in reversed(list(p))}


def at_random(n, seed):
    bad = errors = 0
    for i in range(n):
        text = json.dumps(make(random.Random("%s/%d" % (seed, i))))
        with open("profile", "w") as f:
            f.write(text)
        for option, function in (("heap", heap), ("heat", heat)):
            want = attempt(function, text)
            errors += want is None
            what = differs("profile", option, want)
            if what is not None:
                bad += 1
                print("seed %s/%d %s: %s" % (seed, i, option, what))
    if n > 100 and not n // 10 < errors < 2 * n - n // 10:
        print("%d errors: the profiles say little" % errors)
        bad += 1
    return 2 * n, bad


def at_edges():
    """The sum of each two is the largest address, of a block and perhaps of all; spans are differences."""
    edges = [sign * n for n in (2**63 - 1, 2**63, 2**63 + 1, 2**62, 1, 500) for sign in (-1, 1)] + [0]
    bad = 0
    for x in edges:
        for y in edges:
            block = {"uid": 7, "subtype": "malloc"}
            lists = [[dict(block, address=x, amount=y)], [dict(block, address=x, amount=y, subtype="free")],
                     [dict(block, address=x, amount=0), dict(block, address=y, amount=0)]]
            text = json.dumps({"header": {"units": {"memory": "B"}}, "snapshots": [{"resources": r} for r in lists]})
            with open("profile", "w") as f:
                f.write(text)
            what = differs("profile", "heap", attempt(heap, text))
            if what is not None:
                bad += 1
                print(x, y, what)
    return len(edges) ** 2, bad


def main():
    if sys.argv[1] == "--edges":
        count, bad = at_edges()
    elif sys.argv[1] == "--random":
        count, bad = at_random(int(sys.argv[2]), sys.argv[3])
    else:
        count, bad = collection(sys.argv[1])
    print(count, "maps,", bad, "differ")
    return 1 if bad or not count else 0


sys.exit(main())
