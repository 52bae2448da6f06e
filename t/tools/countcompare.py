#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""countcompare.py - does perfdec count the records that are there?

usage: countcompare.py '{COMM: 2, SAMPLE: 8}' STREAM [but NAME...]

STREAM is what `perfdec --stats` prints; the first argument is what a collection's manifest says:
records by the name of their type, those inside compressed records counted too, like the
compressed ones themselves.  Names behind "but" are not compared.  Prints what differs; exits 1
where anything does, or where nothing could be compared.
"""
import re
import sys

# types as linux/perf_event.h and perf's util/event.h number them
KERNEL = ("MMAP LOST COMM EXIT THROTTLE UNTHROTTLE FORK READ SAMPLE MMAP2 AUX ITRACE_START LOST_SAMPLES SWITCH "
          "SWITCH_CPU_WIDE NAMESPACES KSYMBOL BPF_EVENT CGROUP TEXT_POKE AUX_OUTPUT_HW_ID CALLCHAIN_DEFERRED").split()
PERF = ("HEADER_ATTR HEADER_EVENT_TYPE HEADER_TRACING_DATA HEADER_BUILD_ID FINISHED_ROUND ID_INDEX AUXTRACE_INFO "
        "AUXTRACE AUXTRACE_ERROR THREAD_MAP CPU_MAP STAT_CONFIG STAT STAT_ROUND EVENT_UPDATE TIME_CONV HEADER_FEATURE "
        "COMPRESSED FINISHED_INIT COMPRESSED2 BPF_METADATA SCHEDSTAT_CPU SCHEDSTAT_DOMAIN").split()
# a manifest's names for simpleperf's; its record.h has each of them one further on
SIMPLEPERF = ("SP_KERNEL_SYMBOL SP_DSO SP_SYMBOL SP_SPLIT SP_SPLIT_END SP_EVENT_ID SP_CALLCHAIN SP_UNWINDING_RESULT "
              "SP_TRACING_DATA SP_DEBUG_UNWIND").split()
NUMBER = {name: at + 1 for at, name in enumerate(KERNEL)}
NUMBER.update({name: at + 64 for at, name in enumerate(PERF)})
NUMBER.update({name: at + 32768 for at, name in enumerate(SIMPLEPERF)})


def number(name):
    """Of a type in the manifest: by its name, or at its end where it has none."""
    if name in NUMBER:
        return NUMBER[name]
    if name.startswith("CHROMEOS_HDR_"):
        return NUMBER["HEADER_FEATURE"]  # a type for each feature, which is what they are taken for
    m = re.match(r"^\??(\d+)$", name)
    if not m:
        sys.exit(f"countcompare.py: no number for {name}")
    return int(m[1])


def main():
    want, got, names = {}, {}, {v: k for k, v in NUMBER.items()}
    for name, n in re.findall(r"([?\w]+): (\d+)", sys.argv[1]):
        want[number(name)] = want.get(number(name), 0) + int(n)
    with open(sys.argv[2], encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        for line in lines:
            col = line.rstrip("\n").split("\t")
            if col[0] == "agg" and col[4] == "records":
                tags = dict(t.split("=", 1) for t in col[6:])
                kind = int(tags["record"])
                got[kind] = got.get(kind, 0) + int(col[5])
    without = {number(name) for name in sys.argv[4:]}
    bad = [f"{names.get(t, t)}: {want.get(t, 0)} in the manifest, perfdec {got.get(t, 0)}"
           for t in sorted(set(want) | set(got)) if t not in without and want.get(t, 0) != got.get(t, 0)]
    print(f"{len(want)} types, {sum(want.values())} records, {len(bad)} differences")
    for line in bad:
        print(f"  {line}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
