#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perunfold.py COLLECTION - compares perunquery --compat flame with results of
to_flame_graph_format.

Perun's results are in ref and ref_new of the working folder, and must be the same byte for byte.
If Perun raised an exception, the status must be 1.
"""
import glob
import os
import subprocess
import sys


def judge(profile, base):
    """Returns the error, or None, or False if there is no reference."""
    with open("stream", "wb") as f:
        subprocess.run(["perundec", profile], stdout=f, check=True)
    p = subprocess.run(["perunquery", "--compat", "flame", "stream"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if os.path.exists(base + "error.json"):
        return None if p.returncode == 1 and p.stderr else "status %d, not 1" % p.returncode
    if not os.path.exists(base + "txt"):
        return False
    with open(base + "txt", "rb") as f:
        want = f.read()
    if p.returncode != 0:
        return "status %d: %s" % (p.returncode, p.stderr[:200])
    return None if want == p.stdout else "other lines"


def main():
    count = bad = 0
    for folder, prefix in (("old", "ref/"), ("edge", "ref/edge."), ("new", "ref_new/")):
        for profile in sorted(glob.glob(os.path.join(sys.argv[1], folder, "*"))):
            what = judge(profile, prefix + os.path.basename(profile) + ".to_flame_graph_format.")
            if what is False:
                continue
            count += 1
            if what is not None:
                bad += 1
                print(profile, what)
    print(count, "profiles,", bad, "differ")
    return 1 if bad or not count else 0


sys.exit(main())
