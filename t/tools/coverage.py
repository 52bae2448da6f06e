#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""coverage.py [--check LIST] FOLDER EXPORT - which lines and branches were executed.

EXPORT is what llvm-cov exports of the sources in FOLDER.  Prints a table with a row for each folder
of the sources, and then the branches that were never taken, as lines of

    FILE:FUNCTION <tab> OUTCOME <tab> CONDITION

OUTCOME is "true" or "false": the one that the condition never had.  For a label of a switch, "true"
means that it was jumped to.  A function that was never called is one line with the outcome "call"
and without a condition.  Of several equal conditions of a function, all but the first have a number
("#2").  Conditions in macros have "-" for a function.

LIST has such lines, too, with one more field: the reason.  With a question mark before OUTCOME the
branch is taken in some runs only (because the system refused something at another place).  A line
"= FOLDER" says that the list of that folder is complete.  In such a folder, a branch that was not
taken and is not listed is an error, and so is a listed one that was taken or does not exist.
"""
import json
import os
import re
import sys
from collections import defaultdict


class Source:
    """The text of a file, by line and column."""

    def __init__(self, folder, name):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            self.lines = f.read().split("\n")

    def text(self, where):
        line, column, end, end_column = where
        part = self.lines[line - 1:end]
        part[-1] = part[-1][:end_column - 1]
        part[0] = part[0][column - 1:]
        return re.sub(r"\s+", " ", " ".join(part)).strip()


def line_counts(segments):
    """The count of each line that has code, as llvm-cov show computes it."""
    by_line = defaultdict(list)
    for s in segments:
        by_line[s[0]].append(s)
    counts, wrapped = {}, None
    for line in range(min(by_line, default=0), max(by_line, default=-1) + 1):
        here = by_line.get(line, [])
        entries = [s for s in here if s[4] and s[3] and not s[5]]
        skipped = here and not here[0][3] and here[0][4]
        if not skipped and (entries or (wrapped is not None and wrapped[3])):
            counts[line] = max([wrapped[2] if wrapped is not None and wrapped[3] else 0] +
                               [s[2] for s in entries])
        if here:
            wrapped = here[-1]
    return counts


class Coverage:
    def __init__(self, folder, export):
        self.folder = folder
        with open(export, encoding="utf-8") as f:
            data = json.load(f)["data"][0]
        self.lines = {self.name(f["filename"]): line_counts(f["segments"]) for f in data["files"]}
        self.sources = {name: Source(folder, name) for name in self.lines}
        self.branches = {}  # (file, where): [function, times true, times false]
        self.called = defaultdict(int)  # (file, function): times
        self.place = {}  # the same: its first line
        for f in data["functions"]:
            self.add_function(f)

    def name(self, path):
        return os.path.normpath(os.path.relpath(os.path.join(self.folder, path), self.folder))

    def add_function(self, f):
        files = [self.name(n) for n in f["filenames"]]
        function = f["name"].rpartition(":")[2]
        if files[0] not in self.sources:
            return
        self.called[files[0], function] += f["count"]
        self.place[files[0], function] = f["regions"][0][0]
        for b in f["branches"]:
            name = files[b[6]]
            if name not in self.sources:
                continue
            # a place in a macro has no function of its own
            entry = self.branches.setdefault((name, tuple(b[:4])),
                                             [function if b[6] == 0 else "-", 0, 0])
            entry[1] += b[4]
            entry[2] += b[5]

    def missing(self):
        """The branches that were never taken, as (file, function, outcome, condition): line."""
        found, seen = {}, defaultdict(int)
        for (name, function), n in self.called.items():
            if n == 0:
                found[name, function, "call", ""] = self.place[name, function]
        for (name, where), (function, yes, no) in sorted(self.branches.items()):
            text = self.sources[name].text(where)
            seen[name, function, text] += 1
            if seen[name, function, text] > 1:
                text += " #%d" % seen[name, function, text]
            if self.called.get((name, function), 1) == 0:
                continue
            for outcome, n in ("true", yes), ("false", no):
                if n == 0:
                    found[name, function, outcome, text] = where[0]
        return found

    def table(self):
        rows = defaultdict(lambda: [0, 0, 0, 0])
        for name, counts in self.lines.items():
            row = rows[os.path.dirname(name)]
            row[0] += len(counts)
            row[1] += sum(n > 0 for n in counts.values())
        for (name, _), (_, yes, no) in self.branches.items():
            row = rows[os.path.dirname(name)]
            row[2] += 2
            row[3] += (yes > 0) + (no > 0)
        rows["all"] = [sum(column) for column in zip(*rows.values())]
        print("%-24s %7s %7s %8s %7s" % ("", "lines", "%", "branches", "%"))
        for name, (lines, run, branches, taken) in sorted(rows.items()):
            print("%-24s %7d %7.2f %8d %7.2f" % (name, lines, percent(run, lines), branches,
                                                percent(taken, branches)))

    def print_lines(self):
        """Prints the lines that were never executed, as ranges."""
        for name, counts in sorted(self.lines.items()):
            ranges, last = [], None
            for line, n in sorted(counts.items()):
                if n == 0 and last == "missed":
                    ranges[-1][1] = line
                elif n == 0:
                    ranges.append([line, line])
                last = "missed" if n == 0 else "run"
            if ranges:
                print("%s: lines %s" % (name, ", ".join(
                    str(a) if a == b else "%d-%d" % (a, b) for a, b in ranges)))


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def read_list(name):
    """The listed branches, the ones that are taken in some runs only, and the folders."""
    listed, sometimes, folders = set(), set(), set()
    with open(name, encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line == "" or line.startswith("#"):
                continue
            if line.startswith("= "):
                folders.add(line[2:])
                continue
            fields = line.split("\t")
            place, _, function = fields[0].partition(":")
            if len(fields) != 4 or not function or fields[3] == "":
                sys.exit("%s:%d: not FILE:FUNCTION, OUTCOME, CONDITION, REASON" % (name, n))
            key = (place, function, fields[1].lstrip("?"), fields[2])
            if key in listed:
                sys.exit("%s:%d: listed twice" % (name, n))
            listed.add(key)
            if fields[1].startswith("?"):
                sometimes.add(key)
    return listed, sometimes, folders


def check(found, name):
    """Prints what the list has too little or too much; returns True if it is right."""
    listed, sometimes, folders = read_list(name)
    bad = []
    for key in found:
        if os.path.dirname(key[0]) in folders and key not in listed:
            bad.append("not taken, and not listed: " + spelled(key))
    for key in listed:
        if key not in found and key not in sometimes:
            bad.append("listed, but taken or not there: " + spelled(key))
    for line in sorted(bad):
        print(line)
    return not bad


def spelled(key):
    return "%s:%s\t%s\t%s" % key


def main(arguments):
    listed = None
    if arguments[:1] == ["--check"]:
        listed = arguments[1]
        arguments = arguments[2:]
    coverage = Coverage(*arguments)
    found = coverage.missing()
    for (name, function, outcome, text), line in sorted(found.items(), key=lambda x: (x[0][0], x[1])):
        print("%s:%d: %s\t%s\t%s" % (name, line, function, outcome, text))
    coverage.print_lines()
    coverage.table()
    return 0 if listed is None or check(found, listed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
