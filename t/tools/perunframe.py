#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perunframe.py - checks that perunquery frame makes the same table as Perun.

perunframe.py COLLECTION    compares with Perun's tables in ref and ref_new of the working folder:
                            bytes must be the same, but columns of newer profiles, a set, are sorted
perunframe.py --judge FILE...  compares with tables that pandas makes here from perunquery items
"""
import glob
import json
import os
import subprocess
import sys


def run(*command, **more):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **more)
    return p.returncode, p.stdout, p.stderr


def compare(profile, base, is_set):
    with open("stream", "wb") as f:
        subprocess.run(["perundec", profile], stdout=f, check=True)
    status, got, err = run("perunquery", "--compat", "frame", "stream")
    if os.path.exists(base + ".error.json"):
        return None if status == 1 else "status %d, not 1" % status
    if status != 0:
        return "status %d: %s" % (status, err[:200])
    with open(base + ".csv", "rb") as f:
        want = f.read()
    if is_set:
        return None if columns_of(got) == columns_of(want) else "another table"
    return None if got == want else "other bytes"


def columns_of(text):
    """Returns the fields of a table by column, as they are spelled."""
    rows = records(text)
    return sorted(zip(*rows))


def records(text):
    """Yields records as fields with their quotes."""
    rows, row, field, quoted = [], [], bytearray(), False
    for c in text:
        if c == 0x22:
            quoted = not quoted
        if c in b",\n" and not quoted:
            row.append(bytes(field))
            field.clear()
            if c == 0x0a:
                rows.append(row)
                row = []
        else:
            field.append(c)
    return rows


def collection(folder):
    count = bad = 0
    for sub, prefix in (("old", "ref/"), ("edge", "ref/edge."), ("new", "ref_new/")):
        for profile in sorted(glob.glob(os.path.join(folder, sub, "*"))):
            base = prefix + os.path.basename(profile) + ".resources_to_pandas_dataframe"
            if not os.path.exists(base + ".csv") and not os.path.exists(base + ".error.json"):
                continue
            count += 1
            what = compare(profile, base, sub == "new")
            if what is not None:
                bad += 1
                print(profile, what)
    print(count, "tables,", bad, "differ")
    return 1 if bad or not count else 0


def judge(profile):
    import pandas
    _, stream, _ = run("perundec", profile)
    _, items, _ = run("perunquery", "items", input=stream)
    _, resources, _ = run("perunquery", "resources", input=stream)
    items = [json.loads(line) for line in items.decode().splitlines()]
    names = list(dict.fromkeys(k for item in items for k, _ in item))
    values = {k: [] for k in names}
    values["snapshots"] = [json.loads(line)[0] for line in resources.decode().splitlines()]
    for item in items:
        row = dict(item)
        for k in names:
            values[k].append(row.get(k, float("nan")))
    try:
        want = pandas.DataFrame(values).to_csv(index=False).encode()
    except (ValueError, OverflowError):
        want = None
    status, got, err = run("perunquery", "frame", input=stream)
    if want is None:
        return None if status == 1 else "status %d where pandas raises" % status
    if status != 0:
        return "status %d: %s" % (status, err)
    return None if got == want else "want\n%s\ngot\n%s" % (want.decode(), got.decode())


def judge_all(profiles):
    bad = 0
    for profile in profiles:
        what = judge(profile)
        if what is not None:
            bad += 1
            print(profile, what)
    return 1 if bad or not profiles else 0


sys.exit(judge_all(sys.argv[2:]) if sys.argv[1] == "--judge" else collection(sys.argv[1]))
