#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perunformat.py COLLECTION | --random N - compares the conversions of perunenc --format with
Perun's.

load() does the same as Perun when it loads a profile (perun/profile/factory.py, class Profile).
Each older profile, converted to a map of resources, must be the result of load(), or the status
must be 1 if load() raises an exception.  Each map, converted to snapshots, must give the same
resources and models when it is loaded.  A profile that already has the format must not change.
With --random N profiles are generated.
"""
import collections
import glob
import json
import os
import random
import subprocess
import sys
import zlib

COLLECTABLE = {"amount", "structure-unit-size", "call-order", "order", "address", "timestamp", "exclusive"}
RANKS = {"bin": 0, "file": 1, "source": 1, "package": 1, "module": 2, "class": 3, "struct": 3, "structure": 3,
         "function": 4, "func": 4, "method": 4, "procedure": 4, "line": 5, "instruction": 6}


def rank(item):
    name = item[0]
    return RANKS[name] if name in RANKS else int("".join(str(ord(c) + 6) for c in name))


def items(d):
    for k, v in d.items():
        if isinstance(v, dict):
            for sub, w in items(v):
                yield k + ":" + sub, w
            yield k, flatten(v)
        else:
            yield k, flatten(v)


def flatten(v):
    if isinstance(v, dict):
        return ":".join(str(w) for _, w in sorted(items(v), key=rank))
    if isinstance(v, list):
        return ",".join(":".join(str(w) for _, w in items(e)) if isinstance(e, dict) else str(flatten(e)) for e in v)
    return v


class Profile:
    def __init__(self, document):
        g = document.get("global", {"models": []})
        self.storage = {"resources": {}, "resource_type_map": {},
                        "models": g.get("models", []) if isinstance(g, dict) else []}
        self.types = {}
        self.uids = collections.Counter()
        for k, v in document.items():
            if k == "global" and isinstance(v, dict) and v:
                self.translate(v["resources"], {"time": v.get("time", "0.0")})
            elif k == "snapshots":
                for i, s in enumerate(v):
                    self.translate(s["resources"], {"snapshot": i, "time": s.get("time", "0.0")})
            elif k in ("resources", "global") and isinstance(v, dict):
                self.storage["resources"].update(v)
            elif k in ("resources", "global"):
                self.translate(v, {})
            else:
                self.storage[k] = v

    def translate(self, resources, more):
        for r in resources:
            pairs = [(k, v) for k, v in r.items() if k not in COLLECTABLE] + list(more.items())
            pairs.sort(key=lambda p: p[0])
            own = [(k, v) for k, v in r.items() if k in COLLECTABLE]
            uid, key = flatten(r["uid"]), str(tuple(pairs))
            if key not in self.types:
                name = "%s#%d" % (uid, self.uids[uid])
                self.types[key] = name
                self.uids[uid] += 1
                self.storage["resource_type_map"][name] = dict(pairs)
            lists = self.storage["resources"].setdefault(self.types[key], {k: [] for k, _ in own})
            for k, v in own:
                lists[k].append(v)

    def all_resources(self):
        for name, lists in self.storage["resources"].items():
            common = self.storage["resource_type_map"][name]
            if not lists:
                yield dict(common)
            for values in zip(*lists.values()):
                r = dict(zip(lists, values))
                r.update(common)
                yield r


def exact(v):
    return json.dumps(v, sort_keys=True)


def bag(profile):
    return sorted(exact(r) for r in profile.all_resources())


def convert(document, to, *options):
    """Returns the status, standard output and standard error of a conversion."""
    with open("profile", "wb") as f:
        f.write(document)
    with open("stream", "wb") as f:
        subprocess.run(["perundec", "profile"], stdout=f, check=True)
    p = subprocess.run(["perunenc", "--format", to, *options, "stream"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return p.returncode, p.stdout, p.stderr


def is_map(document):
    return isinstance(document, dict) and isinstance(document.get("resources"), dict)


def older(text, document):
    status, out, err = convert(text, "resources")
    try:
        want = Profile(document)
    except Exception as e:  # any exception that Perun would raise
        return None if status == 1 and err else "status %d where Perun raises %r" % (status, e)
    if status != 0:
        return "status %d: %s" % (status, err[:200])
    got = json.loads(out)
    if exact(got) != exact(want.storage):
        return "another map"
    if list(got["resource_type_map"]) != list(want.storage["resource_type_map"]):
        return "another order of types"
    return newer(out, got)


def newer(text, document):
    status, out, err = convert(text, "snapshots")
    if status != 0:
        return "snapshots: status %d: %s" % (status, err[:200])
    got = json.loads(out)
    if "resource_type_map" in got or ("snapshots" not in got and "global" not in got):
        return "snapshots: another format"
    a, b = Profile(document), Profile(got)
    for r in a.all_resources():
        if "time" not in r:
            return None  # it would get a time
    if bag(a) != bag(b):
        return "snapshots: other resources"
    for k in set(a.storage) | set(b.storage):
        if k not in ("resources", "resource_type_map") and exact(a.storage.get(k)) != exact(b.storage.get(k)):
            return "snapshots: another " + k
    return None


def shuffled(d):
    pairs = list(d.items())
    random.shuffle(pairs)
    return dict(pairs)


def made_resource():
    uid = random.choice(["f", "g#0", "a/b~c", "\t\n\u00e9", None, True, ["x", {"k": 1}],
                         {"line": random.randrange(2), "function": "f", "source": "s.c", "zz": {"b": 1, "a": 2.50}}])
    r = {"uid": uid, "amount": random.choice([1, 2.5, True, None, "4B", 10 ** 30, {"a": []}]),
         "address": random.randrange(9)}
    for k, v in (("type", "memory"), ("subtype", "free"), ("trace", [{"line": 1, "x": 1.0}]), ("", "none"),
                 ("Snapshot", 1), ("stack", float("inf")), ("snapshots", 1), ("timestamps", {}), ("zeta", "\u2028")):
        if random.random() < 0.15:
            r[k] = v
    return shuffled(r)


def made():
    """Makes a profile of the older format."""
    def group(**more):
        return shuffled(dict(resources=[made_resource() for _ in range(random.randrange(6))], **more))

    d = {"header": {"type": "memory", "args": ""}, "origin": "f00", "postprocessors": []}
    if random.random() < 0.9:
        d["snapshots"] = [group(time=str(i / 7)) if random.random() < 0.8 else group()
                          for i in range(random.randrange(4))]
    if random.random() < 0.5:
        d["global"] = group(models=[{"uid": "f", "model": "linear"}] * random.randrange(3))
        if random.random() < 0.5:
            d["global"]["time"] = "9"
    return shuffled(d)


def judge(name):
    with open(name, "rb") as f:
        return judge_text(f.read())


def judge_text(text):
    document = json.loads(text)
    if is_map(document):
        if convert(text, "resources")[1] != subprocess.run(["perunenc", "stream"], stdout=subprocess.PIPE,
                                                           check=True).stdout:
            return "a map is changed"
        return newer(text, document)
    if isinstance(document, dict):
        out = convert(text, "snapshots")[1]
        if not {"models", "resources"} & set(document) and ("snapshots" in document or "global" in document):
            if exact(json.loads(out)) != exact(document):
                return "snapshots are changed"
    return older(text, document)


def judge_packed(text):
    """Checks that --pack spells the same document as json.dumps does."""
    for to in "snapshots", "resources":
        plain, packed = convert(text, to)[1], zlib.decompress(convert(text, to, "--pack")[1])
        document = json.loads(plain)
        document.pop("origin", None)
        if packed.partition(b"\0")[2].decode() != json.dumps(document):
            return "packed it is another"
    return None


def main():
    count = bad = 0
    if sys.argv[1] == "--random":
        random.seed(1)
        for count in range(1, int(sys.argv[2]) + 1):
            text = json.dumps(made()).encode()
            what = judge_text(text) or judge_packed(text)
            if what is not None:
                sys.exit("%s\n%s" % (text.decode(), what))
        return 0
    for folder in sys.argv[2:] or ("old", "edge", "new"):
        for name in sorted(glob.glob(os.path.join(sys.argv[1], folder, "*"))):
            what = judge(name)
            count += 1
            if what is not None:
                bad += 1
                print(name, what)
    print(count, "profiles,", bad, "differ")
    return 1 if bad or not count else 0


sys.exit(main())
