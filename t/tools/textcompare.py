#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""textcompare.py - checks that perfdec reads the same as simpleperf and perfparser.

usage: textcompare.py simpleperf|perfparser TEXT STREAM

TEXT is the output of simpleperf's report_sample.py, or of KDAB's perfparser, for a recording
(.gz is accepted, too).  STREAM is the output of `perfdec --all --frames --no-symbols` for it.
Samples are compared by the data that both have: thread, process, time, event and period.  For
simpleperf these include name, processor and the addresses of frames, which are ours without the
frames that simpleperf hides (those of ART itself).  For perfparser they include the frames in
the kernel, since the others are unwound and have inlined frames between them.  If branches were
recorded, perfparser puts the sample's own address after those.  If a text has fewer samples, for
example of only one thread, only these are compared.  Prints differences.  Exits 1 if there are
any.
"""
import re
import sys

from perfcompare import Stream, opened, undo

HEAD = re.compile(r"^(?P<comm>.*?)\t(?P<pid>\d+)/(?P<tid>\d+) \[(?P<cpu>\d+)\] (?P<sec>\d+)\.(?P<us>\d{6}): "
                  r"(?P<period>\d+) (?P<event>\S+):$")


def simpleperf(lines):
    sample = None
    for line in lines:
        line = line.rstrip("\n")
        frame = re.match(r"^\t *([0-9a-f]+) .* \(.*\)$", line)
        head = HEAD.match(line)
        if head:
            sample = {"comm": head["comm"], "pid": head["pid"], "tid": head["tid"], "cpu": int(head["cpu"]),
                      "time": int(head["sec"]) * 10**6 + int(head["us"]), "event": head["event"],
                      "period": int(head["period"]), "frames": []}
            yield sample
        elif frame and sample is not None:
            sample["frames"].append(int(frame[1], 16))
        elif line and not line.startswith("#"):
            yield {"unreadable": line}


def perfparser(lines):
    sample, event = None, False
    for line in lines:
        line = line.rstrip("\n")
        if line and line[0] != "\t":
            comm, pid, tid, time = line.split("\t")
            sec, ns = time.split(".")
            sample = {"pid": pid, "tid": tid, "time": int(sec) * 10**9 + int(ns), "kernel": []}
            event = True
        elif event:
            m = re.match(r"^\t(\S+): (\d+)$", line)
            if not m:
                yield {"unreadable": line}
            else:
                sample.update(event=m[1], period=int(m[2]))
            event = False
            yield sample
        else:
            m = re.match(r"^\t(ffff[0-9a-f]{12}) ", line)
            if m:
                sample["kernel"].append(int(m[1], 16))


def addresses(tags, stream):
    """Returns all possible addresses of each of our frames, innermost first."""
    out = []
    for frame in tags["frames"].removeprefix("[truncated];").split(";")[::-1]:
        mode, name, offset = re.match(r"^(.):(.*?)(?:@[^@+]*)?\+0x([0-9a-f]+)(?:-1)?$", frame).groups()
        offset = int(offset, 16)
        out.append((mode, {offset} | {offset + shift for shift in stream.shifts.get(undo(name), ())}))
    return out


def ours(tags, stream):
    col = tags["@"]
    frames = addresses(tags, stream)
    return {"comm": undo(tags["comm"]), "pid": tags["pid"], "tid": tags["tid"], "time": int(col[1]), "period": int(col[5]),
            "cpu": int(tags["cpu"]) if tags["cpu"] != "." else -1, "event": re.sub(":[uHG]+$", "", undo(col[4])),
            "all": [a for _, a in frames], "kernel": [min(a) for mode, a in frames if mode == "k"],
            "ip": int(tags["ip"], 16)}


def main():
    form, name = sys.argv[1], sys.argv[2]
    with opened(name) as lines:
        theirs = list((simpleperf if form == "simpleperf" else perfparser)(lines))
    stream, mine = Stream(sys.argv[3]), {}
    for tags in stream.samples():
        sample = ours(tags, stream)
        mine.setdefault((sample["tid"], sample["time"] // (1000 if form == "simpleperf" else 1)), []).append(sample)
    bad, frames = [], 0
    for p in theirs:
        found = mine.get((p.get("tid"), p.get("time")))
        if not found:
            bad.append(f"not in our stream: {p}")
            continue
        s = found.pop(0)
        for key in ("comm", "pid", "event", "period", "cpu", "kernel"):
            if key == "kernel" and key in p and p[key] == s[key] + [s["ip"]]:
                continue
            if key in p and p[key] != s[key]:
                bad.append(f"sample at {s['time']}: {key}: {p[key]!r}, perfdec {s[key]!r}")
        at = 0
        for ip in p.get("frames", ()):
            while at < len(s["all"]) and ip not in s["all"][at]:
                at += 1
            if at == len(s["all"]):
                bad.append(f"sample at {s['time']}: frame {ip:x} is not in ours, in that order")
                break
            at += 1
            frames += 1
        frames += len(p.get("kernel", ()))
    print(f"{len(theirs)} samples of {sum(map(len, mine.values())) + len(theirs)}, {frames} frames, {len(bad)} differences")
    for line in bad[:5]:
        print("  " + line[:300])
    sys.exit(1 if bad or not theirs else 0)


if __name__ == "__main__":
    main()
