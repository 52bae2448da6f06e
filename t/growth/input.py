#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""input.py - inputs that grow, for t/growth/table: input.py SHAPE N.

Each function prints an input whose size is in proportion to N.  Those of recordings (perf_...) print
text for perfmake.  The same arguments give the same bytes on every machine.
"""
import random
import sys

rnd = random.Random(1)
out = []


def line(*fields):
    out.append("\t".join(map(str, fields)))


def shuffled(n):
    return rnd.sample(range(n), n)


def describe(run="1", measure="m"):
    line("run", 0, run, ".", ".", ".", "unit=ns", "arch=x86_64")
    line("measure", 0, run, ".", measure, ".", "unit=ns")


def sample(i, region, *tags, run="1", measure="m", value=None, time=None):
    line("sample", i if time is None else time, run, region, measure,
         i % 97 + 1 if value is None else value, *tags)


# ---- events


def lines(n):
    """The same few groups again and again."""
    describe()
    for i in range(n):
        sample(i, "f%d" % (i % 50), "pid=7", "tid=%d" % (i % 4 + 7), "comm=a b", "cpu=%d" % (i % 8),
               "stack=main;run;f%d" % (i % 50))


def groups(n):
    describe()
    for i in shuffled(n):
        sample(i, "function_%d" % i, "tid=%d" % i, "stack=main;function_%d" % i)


def values(n):
    """One region, all values different, and all frames but one."""
    describe()
    for i in shuffled(n):
        sample(i, "f", "stack=main;f%d" % i, value="%d.%d" % (i, i))


def repeated(n):
    """As many different values as leave one place of a table free, then two of them in turn."""
    different = 2 ** (n.bit_length() - 1) - 1
    describe()
    for i in range(n):
        value = i if i < different else i % 2
        sample(i, "f", value=value)
        sample(i, "g", value="%d.5" % value)


def measures(n):
    for i in range(n):
        if i % 2:
            line("measure", 0, 1, ".", "m%d" % i, ".", "unit=ns")
        sample(i, "f", "stack=main;f", measure="m%d" % i)


def runs(n):
    for i in range(n):
        describe(i)
        sample(i, "f", "pid=1", "tid=1", "stack=main;f", run=i)


def threads(n):
    describe()
    for k in range(3):
        for i in shuffled(n):
            sample(k * n + i, "f", "pid=%d" % (i // 4), "tid=%d" % i, "comm=c%d" % (i % 100),
                   "stack=main;f%d" % (i % 5))


def keys(n):
    """Each line has a tag of its own."""
    describe()
    for i in range(n):
        sample(i, "f", "stack=main;f", "t%d=1" % i)


def tags(n):
    """One line has them all, and the next one in the opposite order."""
    describe()
    for order in (range(n), reversed(range(n))):
        sample(1, "f", *("t%d=1" % i for i in order))


def stacks(n):
    describe()
    for i in range(n):
        sample(i, "f%d" % i, "comm=c", "tid=1", "pid=1", "stack=" + ";".join(
            ["main", "a%d" % (i % 7), "b%d" % (i % 101), "c%d" % (i // 3), "f%d" % i]))


def places(n):
    """Stacks with the places of their frames, in many objects."""
    describe()
    for i in range(n):
        sample(i, "[o%d]" % i, "comm=c", "tid=1", "pid=1", "ip=0x%x" % (i * 64), "dso=/lib/o%d" % i,
               "place=u:/lib/o%d+0x%x" % (i, i * 16), "stack=[main];[o%d]" % i,
               "frames=u:/bin/main+0x%x;u:/lib/o%d+0x%x" % (i * 16, i, i * 16))


def deep(n):
    """A stack, and those inside it."""
    frames = ["f%d" % i for i in range(n)]
    describe()
    for i in range(20):
        sample(i, "f", "comm=c", "tid=1", "pid=1", "stack=" + ";".join(frames[:n - n * i // 40]))


def recursive(n):
    """The same function again and again."""
    describe()
    for i in range(5):
        sample(i, "f", "comm=c", "tid=1", "stack=" + ";".join(["f"] * n))


def wide(n):
    """A frame calls many others."""
    describe()
    for k, i in enumerate(shuffled(n)):
        sample(k, "f%d" % i, "comm=c", "tid=1", "stack=main;f%d" % i)


def spans(n):
    """All of a thread overlap."""
    describe()
    for i in range(n):
        line("span", 2 * n + i, 1, "f%d" % (i % 9), "m", 2 * n, "pid=1", "tid=1", "start=%d" % i)


def nested_spans(n):
    describe()
    for i in range(n):
        line("span", n + i, 1, "f%d" % (i % 9), "m", 2 * i, "pid=1", "tid=1", "start=%d" % (n - i))


def counters(n):
    describe()
    for i in range(n):
        sample(i, ".", "cpu=%d" % i, "round=interval", "start=%d" % max(0, i - 1), measure="c%d" % i)


def read_values(n):
    """Regions one after the other, and intervals that are all open."""
    describe()
    for i in range(n):
        line("start", i, 1, "f", ".", ".", "scope=region", "id=%d" % i)
        sample(i, "f", "scope=region", "id=%d" % i)
        line("stop", i, 1, "f", ".", ".", "scope=region", "id=%d" % i)
        sample(i, "s", "scope=section", "id=1", "interval=%d" % i)
        sample(i, "s", "scope=section", "id=1", "interval=%d" % (i // 2))
    for i in range(n):
        line("stop", n, 1, "s", ".", ".", "scope=section", "id=1", "interval=%d" % i)


def backwards(n):
    describe()
    for i in range(n):
        sample(n - i, "f%d" % (i % 9), "pid=1", "tid=1", "stack=main;f%d" % (i % 9))


def colliding(n):
    """Names with hashes that would be the same without a seed are in t/tools/collidenames."""
    describe()
    for name in sys.stdin.read().split()[:n]:
        sample(1, name, "tid=1", "pid=1", "comm=c", "stack=main;" + name)


# ---- aggregates


def row(i, stat, value, *tags, measure="m", run="."):
    line("agg", i, run, "f%d" % i, measure, value, "stat=" + stat, *tags)


def rows(n):
    line("measure", 0, 1, ".", "m", ".", "unit=ns")
    for i in shuffled(n):
        row(i, "count", 1 + i % 17, "start=%d" % (i // 2))
        row(i, "sum", rnd.randrange(10 ** 9), "start=%d" % (i // 2))


def equal_rows(n):
    """Rows that only their last key orders."""
    for i in shuffled(n):
        line("agg", 9, ".", "f", "m", 5, "stat=sum", "a=1", "b=2", "c=%d" % i)


def row_measures(n):
    for i in range(n):
        row(1, "sum", i, measure="m%d" % i)


def row_columns(n):
    """Groups with values of a key that become columns."""
    for i in range(n):
        for k in range(20):
            row(i, "sum", i * k, "cpu=%d" % k)


def row_keys(n):
    for i in range(n):
        row(1, "sum", i, "k%d=1" % i)


def row_stacks(n):
    for i in range(n):
        row(i, "sum", i + 1, "stack=main;a%d;f%d" % (i % 9, i))


def row_runs(n):
    """Groups with five runs each."""
    for i in range(n):
        for run in range(5):
            row(i, "mean", 100 + rnd.random(), "n=9", run=run)


# ---- starts and stops


def start(time, i, *rest):
    line("start", time, 1, "r%d" % (i % 90), *(rest or (".", ".")), "id=%d" % i)


def stop(time, i, *rest):
    line("stop", time, 1, "r%d" % (i % 90), *(rest or (".", ".")), "id=%d" % i)


def nested(n):
    for i in range(n):
        start(i, i)
    for i in reversed(range(n)):
        stop(2 * n - i, i)


def same_start(n):
    """Regions that begin at one time and end in the order of their starts, or in any order."""
    for i in range(n):
        start(1, i)
    for i in range(n):
        stop(9 + i, i)
    for i in range(n):
        start(n + 9, i)
    for k, i in enumerate(shuffled(n)):
        stop(n + 10 + k, i)


def same_times(n):
    """The same with values, and all end at one time."""
    for i in range(n):
        start(1, i, "m", i)
    for i in shuffled(n):
        stop(9, i, "m", 2 * i)


def crossing(n):
    for i in range(n):
        start(i, i)
    for i in shuffled(n):
        stop(n + i, i)


def same_name(n):
    """Regions without ids."""
    for i in range(n):
        line("start", i, 1, "r", ".", ".")
    for i in range(n):
        line("stop", n + i, 1, "r", ".", ".")


def sections(n):
    for i in shuffled(n):
        line("start", 1, 1, "s", ".", ".", "scope=section", "id=%d" % (i % 9), "interval=%d" % i)
    for i in shuffled(n):
        line("stop", 9, 1, "s", ".", ".", "scope=section", "id=%d" % (i % 9), "interval=%d" % i)


def start_tags(n):
    """A region whose stop has other tags than its start, and a union of sections with many."""
    names = ["tag.a%d=1" % i for i in range(n)]
    start(1, 1, ".", ".", *names)
    stop(2, 1, ".", ".", *("tag.b%d=1" % i for i in range(n)))
    for i in range(2):
        line("start", 3, 1, "s", ".", ".", "scope=section", "id=2", "interval=%d" % i, *names[i:])
    for i in range(2):
        line("stop", 4, 1, "s", ".", ".", "scope=section", "id=2", "interval=%d" % i)


def start_values(n):
    """A start and a stop with a line for each value, which all have measures of their own."""
    for i in range(n):
        start(1, 1, "m%d" % i, i)
    for i in range(n):
        stop(2, 1, "m%d" % i, 2 * i)


def refused_stops(n):
    """Stops that go back in time while all regions are open."""
    for i in range(n):
        start(5 + i // (n - 1), i)
    for i in range(n):
        stop(4, i)


def pauses(n):
    start(0, 0)
    for i in range(n):
        line("pause", 10 * i + 5, 1, ".", ".", ".", "start=%d" % (10 * i + 1))
        start(10 * i + 6, i + 1)
        stop(10 * i + 7, i + 1)
    stop(10 * n, 0)


def snapshots(n):
    """Values while many regions are open."""
    for i in range(n):
        start(i, i, "m", i)
    for i in range(n):
        sample(n + i, "r%d" % (i % 90), "scope=region", "id=%d" % i, time=n + i)
    for i in reversed(range(n)):
        stop(3 * n - i, i, "m", 2 * i)


# ---- pairs


def pairs(n):
    """Many are open at the same time."""
    for measure in ("in", "out"):
        for k, i in enumerate(shuffled(n)):
            sample(i, "f", "tid=%d" % i, measure=measure, time=k + n * (measure == "out"))


def unmatched(n):
    for i in range(n):
        sample(i, "f", "tid=%d" % i, measure="in")
    for i in range(n):
        sample(n + i, "f", "tid=%d" % (n + i), measure="out")


def same_key(n):
    for measure in ("in", "out"):
        for i in range(n):
            sample(i, "f", "tid=1", measure=measure, time=i + n * (measure == "out"))


# ---- AFPerf


def af_head():
    out.append("# AFPerf v1     \nRunInfo,0,nanoseconds,1,1.0.0,1,app,1,")


def af_nested(n):
    af_head()
    out.extend("RegionStart,%d,1,%d,r%d," % (i, i + 9, i % 90) for i in range(n))
    out.extend("RegionStop,%d,%d" % (2 * n - i, i + 9) for i in reversed(range(n)))


def af_same_start(n):
    af_head()
    out.extend("RegionStart,1,1,%d,r%d," % (i + 9, i % 90) for i in range(n))
    out.extend("RegionStop,%d,%d" % (k + 9, i + 9) for k, i in enumerate(shuffled(n)))


def af_crossing(n):
    af_head()
    out.extend("RegionStart,%d,1,%d,r%d," % (i, i + 9, i % 90) for i in range(n))
    out.extend("RegionStop,%d,%d" % (n + i, i + 9) for i in shuffled(n))


def af_unordered(n):
    """Records of regions in any order."""
    af_head()
    part = ["RegionStart,%d,1,%d,r%d," % (10 * i, i + 9, i % 90) for i in range(n)]
    part += ["RegionStop,%d,%d" % (10 * i + 5, i + 9) for i in range(n)]
    rnd.shuffle(part)
    out.extend(part)


def af_sections(n):
    af_head()
    for i in shuffled(n):
        out.append("SectionInfo,0,1,%d,s%d," % (i + 9, i))
    for i in shuffled(n):
        out.append("SectionStart,1,%d,%d\nSectionStop,2,%d,%d" % (i + 9, i, i + 9, i))


def af_waiting(n):
    """Values before their types, and types before their runs."""
    out.append("# AFPerf v1     ")
    out.extend("RunPoint,%d,%d,%d,%d" % (i, i + 9, 2 * i + 9, i) for i in range(n))
    out.extend("MeasurementType,0,%d,%d,t%d,int32,count,," % (i + 9, 2 * i + 9, i) for i in range(n))
    out.extend("RunInfo,0,nanoseconds,%d,1.0.0,1,app,1," % (i + 9) for i in range(n))


# ---- Perun


def resource(i, depth=4):
    trace = ", ".join('{"function": "f%d", "source": "s%d.c", "line": %d}' % (i % 700 + k, k, i % 90)
                      for k in range(depth))
    return ('{"address": %d, "amount": %d, "subtype": "%s", "trace": [%s], "type": "memory", '
            '"uid": {"function": "f%d", "source": "s.c", "line": %d}}' % (
                4096 * (i // 2), 8 * (i // 2 + 1) * (i + 1 & 1), "free" if i % 2 else "malloc", trace,
                i % 700, i % 90))


def perun(resources, snapshots=1):
    parts = (", ".join(resources[k::snapshots]) for k in range(snapshots))
    out.append('{"origin": "%s", "header": {"type": "memory", "cmd": "a", "units": {"memory": "B"}}, '
               '"snapshots": [%s]}' % ("0" * 40, ", ".join('{"time": "%d.0", "resources": [%s]}' % (
                   k, part) for k, part in enumerate(parts))))


def perun_wide(n):
    perun([resource(i) for i in range(n)])


def perun_snapshots(n):
    perun([resource(i) for i in range(n)], n // 2 + 1)


def perun_trace(n):
    perun([resource(i, n) for i in range(10)])


def perun_deep(n):
    """Each as deep as is allowed."""
    perun(['{"amount": 1, "uid": %s1%s}' % ('{"uid": ' * 800, "}" * 800)] * n)


def perun_names(n):
    """Each resource has a name of its own; one has them all."""
    perun(['{"amount": 1, "uid": "a", "k%d": 2}' % i for i in range(n)] +
          ['{"amount": 1, "uid": "a", %s}' % ", ".join('"k%d": 2' % i for i in range(n))])


def perun_uids(n):
    perun(['{"amount": %d, "type": "t", "uid": "u%d"}' % (i, i) for i in shuffled(n)])


def perun_types(n):
    """The map of resources of newer versions."""
    types = ", ".join('"u%d#0": {"uid": "u%d", "type": "mixed"}' % (i, i) for i in range(n))
    parts = ", ".join('"u%d#0": {"amount": [%d, 2]}' % (i, i) for i in shuffled(n))
    out.append('{"header": {"type": "mixed"}, "resource_type_map": {%s}, "resources": {%s}}' % (types, parts))


def perun_models(n):
    model = ('{"uid": "u%d", "model": "linear", "coeffs": [{"name": "b1", "value": 2}, {"name": "b0"}], '
             '"x_interval_start": 0, "x_interval_end": 50}')
    out.append('{"snapshots": [{"resources": []}], "global": {"models": [%s]}}' % ", ".join(
        model % i for i in range(n)))


# ---- JSON


def json_line(tags):
    out.append('{"kind": "sample", "time": 1, "run": "1", "region": "f", "measure": "m", "value": 1, '
               '"tags": {%s}}' % ", ".join('"%s": "1"' % t for t in tags))


def json_keys(n):
    for i in range(n):
        json_line(["t%d" % i])


def json_wide(n):
    json_line("t%d" % i for i in range(n))


def json_repeated(n):
    for _ in range(20):
        json_line(["t"] * n)


def json_deep(n):
    out.append('{"kind": "sample", "time": %s1%s}' % ("[" * n, "]" * n))


# ---- recordings


def perf_samples(n):
    out.append("mmap 1 1 0 u 0x1000 0x100000 0 /lib/x")
    for i in range(n):
        out.append("sample 1 1 %d u %d u 0x1000 0x2000 %d" % (i + 1, 4096 + i % 5000, 4096 + i % 700))


def perf_stacks(n):
    """Callchains that all differ, and some that are deep."""
    out.append("mmap 1 1 0 u 0x1000 0x10000000 0 /lib/x")
    for i in range(n):
        depth = 5 if i % 10 else 120
        out.append("sample 1 1 %d u %d u %s" % (i + 1, 4096 + 16 * i, " ".join(
            str(4096 + 16 * (i + 997 * k)) for k in range(depth))))


def sampled(n, text):
    """Lines of text with the numbers 0 to n - 1, each followed by a sample there."""
    for k, i in enumerate(shuffled(n)):
        out.append(text % {"i": i, "at": 4096 * (i + 1), "time": 2 * k + 1})
        out.append("sample 1 1 %d u %d u %d" % (2 * k + 2, 4096 * (i + 1), 4096 * (i + 1) + 8))


def perf_maps(n):
    """Mappings that come between others."""
    sampled(n, "mmap 1 1 %(time)d u %(at)d 0x1000 0 /lib/x")


def perf_objects(n):
    sampled(n, "mmap 1 1 %(time)d u %(at)d 0x1000 0 /lib/x%(i)d")


def perf_split(n):
    """Each splits another mapping."""
    out.append("mmap 1 1 0 u 0x1000 %d 0 /lib/x" % (4096 * (n + 2)))
    sampled(n, "mmap 1 1 %(time)d u %(at)d 0x800 0 /lib/y")


def perf_covered(n):
    """Each covers all before it."""
    for i in range(n):
        out.append("mmap 1 1 %d u 0x1000 %d 0 /lib/x%d" % (2 * i, 4096 * (i + 1), i % 9))
        out.append("sample 1 1 %d u 0x1800" % (2 * i + 1))


def perf_threads(n):
    for k, i in enumerate(shuffled(n)):
        out.append("comm 1 %d %d c%d" % (i + 9, 2 * k, i))
        out.append("sample 1 %d %d u 0x1000" % (i + 9, 2 * k + 1))


def perf_processes(n):
    for k, i in enumerate(shuffled(n)):
        out.append("mmap %d %d %d u 0x1000 0x1000 0 /lib/x" % (i + 9, i + 9, 2 * k))
        out.append("sample %d %d %d u 0x1000" % (i + 9, i + 9, 2 * k + 1))


def perf_forks(n):
    """Each process is a fork of the one before, and maps something of its own."""
    out.append("mmap 9 9 0 u 0x1000 0x1000 0 /lib/x")
    for i in range(n):
        out.append("fork %d %d %d %d %d" % (i + 10, i + 10, i + 9, i + 9, 3 * i + 1))
        out.append("mmap %d %d %d u 0x9000 0x1000 0 /lib/y" % (i + 10, i + 10, 3 * i + 2))
        out.append("sample %d %d %d u 0x1000 u 0x9000" % (i + 10, i + 10, 3 * i + 3))


def perf_fork_all(n):
    """Forks of a process with many mappings."""
    for i in range(n):
        out.append("mmap 9 9 0 u %d 0x1000 0 /lib/x%d" % (4096 * (i + 1), i % 9))
    for i in range(n):
        out.append("fork %d %d 9 9 %d" % (i + 10, i + 10, 2 * i + 1))
        out.append("sample %d %d %d u %d" % (i + 10, i + 10, 2 * i + 2, 4096 * (i + 1)))


def perf_names(n):
    """A thread changes its name."""
    for i in range(n):
        out.append("comm 1 1 %d c%d" % (2 * i, i))
        out.append("sample 1 1 %d u 0x1000" % (2 * i + 1))


def perf_ksymbols(n):
    for k, i in enumerate(shuffled(n)):
        out.append("ksymbol %d %d 0x100 bpf_%d" % (3 * k, 0xffffffff81000000 + 256 * i, i))
        out.append("sample 1 1 %d k %d" % (3 * k + 1, 0xffffffff81000000 + 256 * i))
        if i % 2:
            out.append("unksymbol %d %d 0x100 bpf_%d" % (3 * k + 2, 0xffffffff81000000 + 256 * i, i))


def perf_cgroups(n):
    out.append("with cgroup")
    for i in shuffled(n):
        out.append("cgroup 1 %d /group/%d" % (i + 1, i))
    for i in range(n):
        out.append("sample 1 1 %d u 0x1000 c %d" % (i + 2, i + 1))


def perf_backwards(n):
    """Times go back within a round."""
    for i in range(n):
        out.append("sample 1 1 %d u 0x1000" % (n - i))
    out.append("round")


def perf_deferred(n):
    out.append("with defer")
    for i in range(n):
        out.append("sample 1 %d %d u 0x1000 u 0x1000 d %d" % (i + 9, i + 1, i + 5))
    for i in range(n):
        out.append("deferred 1 %d %d %d 0x2000" % (i + 9, n + i, i + 5))


def perf_events(n):
    out.append("events %d 0x107 0 1 0" % n)


def perf_paths(n):
    """Names of objects that collide, from t/tools/collide."""
    for i, path in enumerate(sys.stdin.read().split()[:n]):
        out.append("mmap 1 1 %d u %d 0x1000 0 %s" % (2 * i, 4096 * (i + 1), path))
        out.append("sample 1 1 %d u %d" % (2 * i + 1, 4096 * (i + 1)))


globals()[sys.argv[1]](int(sys.argv[2]))
sys.stdout.write("\n".join(out) + "\n")
