#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# perunmake - makes a Perun profile of a program's memory, as Perun stores it: perunmake SNAPSHOTS
# SEED
#
# Each snapshot has 150 resources: blocks of 300 places in a program, each freed some snapshots
# later, or never.  One snapshot is about 190 KB of JSON.
import json
import random
import sys

RESOURCES = 150


def frame(rng, depth):
    return {"function": "f%d" % rng.randrange(50 * (depth + 1)), "source": "src/part%d.c" % depth,
            "line": rng.randrange(1, 400)}


def resource(rng, places, live):
    if live and rng.random() < 0.45:
        r = dict(live.pop(rng.randrange(len(live))), amount=0, subtype="free")
        return r
    trace = rng.choice(places)
    r = {"address": rng.randrange(1 << 24, 1 << 40), "amount": rng.randrange(1, 9000),
         "subtype": rng.choice(("malloc", "calloc", "realloc")), "trace": trace,
         "type": "memory", "uid": trace[1]}
    live.append(r)
    return r


def main():
    snapshots, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    places = [[{"function": "malloc", "source": "unreachable", "line": 0}]
              + [frame(rng, d) for d in range(rng.randrange(3, 9))] for _ in range(300)]
    live = []
    profile = {
        "origin": "0" * 40,
        "header": {"type": "memory", "cmd": "./server", "args": "--jobs 4", "workload": "day.txt",
                   "units": {"memory": "B"}},
        "collector_info": {"name": "memory", "params": {"sampling": 0.01}},
        "postprocessors": [],
        "snapshots": [{"time": "%f" % (i / 100),
                       "resources": [resource(rng, places, live) for _ in range(RESOURCES)]}
                      for i in range(snapshots)],
    }
    json.dump(profile, sys.stdout, indent=2)


main()
