#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perunitems.py COLLECTION - compares perundec's p. tags with results of Perun's functions.

The functions are all_items_of for profiles with snapshots, and all_resources for maps of
resources (only scalars, since it does not flatten).  Their results are in ref and ref_new of the
working folder.
"""
import glob
import json
import os
import subprocess
import sys

ESCAPES = {"\\": b"\\", "t": b"\t", "n": b"\n", "r": b"\r", ".": b"."}


def unescape(text):
    if text == ".":
        return ""
    b = text.encode()
    out = bytearray()
    i = 0
    while i < len(b):
        if b[i] != 92:
            out.append(b[i])
            i += 1
        elif b[i + 1] == ord("x"):
            out.append(int(b[i + 2:i + 4], 16))
            i += 4
        else:
            out += ESCAPES[chr(b[i + 1])]
            i += 2
    return bytes(out).decode("utf-8", "surrogatepass")


def items(profile):
    out = subprocess.run(["perundec", profile], stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in out.split("\n"):
        if line.startswith("sample\t"):
            tags = (tag.split("=", 1) for tag in line.split("\t")[6:])
            yield [[unescape(k[2:]), unescape(v)] for k, v in tags if k.startswith("p.")]


def same_items(profile, ref):
    with open(ref, newline="\n") as f:
        want = [[[k, str(v)] for k, v in json.loads(line) if k] for line in f]
    # Perun returns the resources of global after those of snapshots, and perundec where they are
    return sorted(items(profile)) == sorted(want)


def same_resources(profile, ref):
    with open(ref, newline="\n") as f:
        want = [json.loads(line)[1] for line in f]
    got = [dict(i) for i in items(profile)]
    if len(got) != len(want):
        return False
    for g, w in zip(got, want):
        for k, v in w.items():
            if k not in g or (not isinstance(v, (dict, list)) and g[k] != str(v)):
                return False
    return True


def main():
    files = bad = 0
    for folder, prefix, function, same in (
            ("old", "ref/", "all_items_of", same_items),
            ("edge", "ref/edge.", "all_items_of", same_items),
            ("new", "ref_new/", "all_resources", same_resources)):
        for profile in sorted(glob.glob(os.path.join(sys.argv[1], folder, "*"))):
            ref = prefix + os.path.basename(profile) + "." + function + ".jsonl"
            if not os.path.exists(ref):
                continue
            files += 1
            if not same(profile, ref):
                bad += 1
                print("differs:", profile)
    print(files, "profiles,", bad, "differ")
    return 1 if bad or not files else 0


sys.exit(main())
