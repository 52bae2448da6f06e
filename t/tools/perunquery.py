#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perunquery.py COLLECTION - does perunquery --compat answer what Perun's own functions have given?

Their results are in ref and ref_new of the working folder.  The points of power or exponential
models may differ by 1e-12 of their size, all else must be the same: values, kinds of numbers, order.
"""
import glob
import json
import math
import os
import subprocess
import sys


def exact(v):
    """Values that are equal where nothing at all differs."""
    return json.dumps(v)


def run(stream, *arguments):
    p = subprocess.run(["perunquery", "--compat", *arguments, stream],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return p.returncode, [json.loads(line) for line in p.stdout.decode().splitlines()], p.stderr


def is_error(v):
    return isinstance(v, dict) and set(v) == {"error", "message"}


def near(a, b):
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return exact(a) == exact(b)
    return abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def same_plot(got, want):
    if exact(got[0]) != exact(want[0]) or list(got[1]) != list(want[1]):
        return False
    for k, v in want[1].items():
        w = got[1][k]
        if k == "plot_y" and want[1]["model"] in ("power", "exponential"):
            if len(v) != len(w) or not all(map(near, v, w)):
                return False
        elif exact(v) != exact(w):
            return False
    return True


def is_stale(w):
    """Perun takes a quadratic model's missing b2 from a model before it, or fails where there was none."""
    return (isinstance(w, list) and len(w) == 2 and isinstance(w[1], dict) and w[1].get("model") == "quadratic" and
            "plot_y" in w[1] and all(c.get("name") != "b2" for c in w[1]["coeffs"]))


def lines_of(ref):
    with open(ref, newline="\n") as f:
        return [json.loads(line) for line in f]


def compare_lines(stream, ref, query, same=lambda a, b: exact(a) == exact(b)):
    want = lines_of(ref)
    status, got, err = run(stream, query)
    good = [w for w in want if not is_error(w) and not is_stale(w) and
            not (isinstance(w, list) and len(w) == 2 and is_error(w[1]))]
    if status != (1 if len(good) != len(want) else 0):
        return "status %d: %s" % (status, err[:200])
    if len(good) != len(got) or not all(map(same, got, good)):
        return "other lines"
    return None


def compare_whole(stream, ref, query, order):
    with open(ref) as f:
        want = json.load(f)
    status, got, err = run(stream, query)
    if status != 0:
        return "status %d: %s" % (status, err[:200])
    if not order:
        want, got = sorted(want), sorted(got)
    return None if exact(got) == exact(want) else "other names"


def compare_values(stream, ref, query):
    with open(ref) as f:
        want = json.load(f)
    if is_error(want) or not isinstance(want, dict):
        return "no keys"
    for key, w in want.items():
        status, got, err = run(stream, query, key)
        if is_error(w):
            if status != 1:
                return "%s: status %d, not 1" % (key, status)
        elif status != 0:
            return "%s: status %d: %s" % (key, status, err[:200])
        elif exact(got) != exact(w):
            return key
    return None


def compare_keys(stream, ref, query):
    want = lines_of(ref)
    for key in sorted({k for w in want for k in w}):
        good = [w[key] for w in want if key in w and not is_error(w[key])]
        bad = any(key in w and is_error(w[key]) for w in want)
        status, got, err = run(stream, query, key)
        if status != (1 if bad else 0):
            return "%s: status %d: %s" % (key, status, err[:200])
        if all(key in w for w in want) and exact(got) != exact(good):
            return key
    return None


def compare_error(stream, query):
    status, _, _ = run(stream, *query)
    return None if status == 1 else "status %d, not 1" % status


FUNCTIONS = (
    ("all_items_of", "jsonl", "items", lambda s, r, q: compare_lines(s, r, q)),
    ("all_resources", "jsonl", "resources", lambda s, r, q: compare_lines(s, r, q)),
    ("all_resource_fields_of", "json", "fields", lambda s, r, q: compare_whole(s, r, q, True)),
    ("all_resource_fields", "json", "fields", lambda s, r, q: compare_whole(s, r, q, False)),
    ("all_numerical_resource_fields_of", "json", "numeric", lambda s, r, q: compare_whole(s, r, q, True)),
    ("all_key_values_of", "jsonl", "keys", lambda s, r, q: compare_keys(s, r, q)),
    ("unique_resource_values_of", "json", "values", lambda s, r, q: compare_values(s, r, q)),
    ("all_models_of", "jsonl", "models", lambda s, r, q: compare_lines(s, r, q)),
    ("unique_model_values_of", "json", "model-values", lambda s, r, q: compare_values(s, r, q)),
    ("plot_data_from_coefficients_of", "jsonl", "plot", lambda s, r, q: compare_lines(s, r, q, same_plot)),
)


def main():
    count = bad = 0
    for folder, prefix in (("old", "ref/"), ("edge", "ref/edge."), ("new", "ref_new/")):
        for profile in sorted(glob.glob(os.path.join(sys.argv[1], folder, "*"))):
            base = prefix + os.path.basename(profile) + "."
            with open("stream", "wb") as f:
                subprocess.run(["perundec", profile], stdout=f, check=True)
            for function, suffix, query, compare in FUNCTIONS:
                if os.path.exists(base + function + ".error.json"):
                    what = compare_error("stream", [query] + (["uid"] if query == "keys" else []))
                elif os.path.exists(base + function + "." + suffix):
                    what = compare("stream", base + function + "." + suffix, query)
                else:
                    continue
                count += 1
                if what is not None:
                    bad += 1
                    print(profile, query, what)
    print(count, "answers,", bad, "differ")
    return 1 if bad or not count else 0


sys.exit(main())
