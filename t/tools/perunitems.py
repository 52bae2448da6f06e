#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perunitems.py COLLECTION REF - are perundec's p. tags what Perun's all_items_of has given?"""
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


def main():
    collection, ref = sys.argv[1:]
    files = bad = 0
    for folder, prefix in (("old", ""), ("edge", "edge.")):
        for profile in sorted(glob.glob(os.path.join(collection, folder, "*"))):
            name = os.path.join(ref, prefix + os.path.basename(profile) + ".all_items_of.jsonl")
            if not os.path.exists(name):
                continue
            with open(name, newline="\n") as f:
                want = [[[k, str(v)] for k, v in json.loads(line) if k] for line in f]
            files += 1
            # Perun takes global's resources behind the snapshots', we where they stand
            if sorted(items(profile)) != sorted(want):
                bad += 1
                print("differs:", profile)
    print(files, "profiles,", bad, "differ")
    return 1 if bad or not files else 0


sys.exit(main())
