#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perunback.py COLLECTION REF - checks that profiles come back from the stream, and pack as in
Perun."""
import glob
import hashlib
import json
import os
import subprocess
import sys
import zlib


def through(profile, *options):
    stream = subprocess.run(["perundec", profile], stdout=subprocess.PIPE, check=True).stdout
    return subprocess.run(["perunenc", *options], input=stream, stdout=subprocess.PIPE,
                          check=True).stdout


def is_packed_as(profile, want):
    content = zlib.decompress(through(profile, "--pack"))
    return (hashlib.sha1(content).hexdigest() == want["sha1"] and
            through(profile, "--name").decode() == want["sha1"] + "\n")


def main():
    collection, ref = sys.argv[1:]
    files = packed = bad = 0
    for folder, prefix in (("old", ""), ("edge", "edge."), ("new", None)):
        for profile in sorted(glob.glob(os.path.join(collection, folder, "*"))):
            with open(profile, "rb") as f:
                want = json.loads(f.read().decode())
            files += 1
            if json.dumps(json.loads(through(profile).decode())) != json.dumps(want):
                bad += 1
                print("another document:", profile)
            if prefix is None:
                continue
            name = os.path.join(ref, prefix + os.path.basename(profile) + ".pack.json")
            if os.path.exists(name):
                with open(name) as f:
                    if not is_packed_as(profile, json.load(f)):
                        bad += 1
                        print("packed otherwise:", profile)
                packed += 1
    print(files, "profiles,", packed, "packed,", bad, "differ")
    return 1 if bad or not files else 0


sys.exit(main())
