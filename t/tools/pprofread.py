#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""pprofread.py - prints a profile of pprof as sorted lines, decoded by protoc.

usage: pprofread.py [--places] FILE

	type NAME UNIT			in the order of the profile
	default NAME; time N; duration N; comment TEXT; mapping N FILE BUILDID
	sample VALUE... STACK LABELS	frames root first, separated by ';'; KEY=VALUE

A frame is FUNCTION or, with --places, FILE!ADDRESS:FUNCTION(SOURCE:LINE), where the address is
less the start of the mapping, and inlined functions begin with '>'.  Everything that must be
valid is checked: numbers, ids, ranges, that no sample, location or function is there twice.
"""
import gzip, re, subprocess, sys, tempfile

PROTO = '''syntax = "proto3";
message Profile { repeated ValueType sample_type = 1; repeated Sample sample = 2;
  repeated Mapping mapping = 3; repeated Location location = 4; repeated Function function = 5;
  repeated string string_table = 6; int64 drop_frames = 7; int64 keep_frames = 8;
  int64 time_nanos = 9; int64 duration_nanos = 10; ValueType period_type = 11; int64 period = 12;
  repeated int64 comment = 13; int64 default_sample_type = 14; }
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2;
  repeated Label label = 3; }
message Label { int64 key = 1; int64 str = 2; int64 num = 3; int64 num_unit = 4; }
message Mapping { uint64 id = 1; uint64 memory_start = 2; uint64 memory_limit = 3;
  uint64 file_offset = 4; int64 filename = 5; int64 build_id = 6; bool has_functions = 7;
  bool has_filenames = 8; bool has_line_numbers = 9; bool has_inline_frames = 10; }
message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3;
  repeated Line line = 4; bool is_folded = 5; }
message Line { uint64 function_id = 1; int64 line = 2; int64 column = 3; }
message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4;
  int64 start_line = 5; }
'''


def decode(data):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/profile.proto", "w") as f:
            f.write(PROTO)
        text = subprocess.run(["protoc", "-I" + folder, "--decode=Profile", "profile.proto"],
                              input=data, stdout=subprocess.PIPE, check=True).stdout.decode()
    stack = [{}]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith(" {"):
            new = {}
            stack[-1].setdefault(line[:-2], []).append(new)
            stack.append(new)
        else:
            key, value = line.split(": ", 1)
            stack[-1].setdefault(key, []).append(unquote(value))
    return stack[0]


def unquote(value):
    if not value.startswith('"'):
        return value == "true" if value in ("true", "false") else int(value)
    raw = re.sub(rb'\\([0-7]{3}|.)', lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else
                 {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(m[1], m[1]), value[1:-1].encode())
    return raw.decode()


def one(message, key):
    return message.get(key, [0])[0]


def check(ok, what):
    if not ok:
        sys.exit("pprofread: " + what)


def by_id(messages, what):
    table = {one(m, "id"): m for m in messages}
    check(len(table) == len(messages) and 0 not in table, what + ": ids")
    return table


def main():
    places = sys.argv[1] == "--places"
    with gzip.open(sys.argv[-1]) as f:
        p = decode(f.read())
    strings = p["string_table"]
    check(strings[0] == "" and len(set(strings)) == len(strings), "strings")
    mappings = by_id(p.get("mapping", []), "mappings")
    for m in mappings.values():
        check(all(one(m, "has_" + what) is True for what in
                  ("functions", "filenames", "line_numbers", "inline_frames")),
              "a mapping whose names pprof would look up again")
        check((one(m, "filename") != 0) == (one(m, "memory_limit") != 0),
              "a mapping of no file with addresses, or of a file without")
    locations = by_id(p.get("location", []), "locations")
    functions = by_id(p.get("function", []), "functions")
    check(len({(one(f, "name"), one(f, "filename")) for f in functions.values()}) ==
          len(functions), "equal functions")
    for f in functions.values():
        name = strings[one(f, "name")]
        check(strings[one(f, "system_name")] == (name if name[:2] in ("_Z", "_R") else ""),
              "a name that pprof would shorten")

    def frame(location):
        m = mappings[one(location, "mapping_id")]
        start, limit, address = one(m, "memory_start"), one(m, "memory_limit"), one(location, "address")
        check(limit == 0 or start <= address < limit, "an address outside of its mapping")
        texts = []
        for i, line in enumerate(reversed(location["line"])):
            f = functions[one(line, "function_id")]
            name = strings[one(f, "name")]
            if places:
                name = "%s(%s:%d)" % (name, strings[one(f, "filename")], one(line, "line"))
                if i == 0:
                    name = "%s!%x:%s" % (strings[one(m, "filename")], address - start, name)
            texts.append((">" if i and places else "") + name)
        return ";".join(texts)

    for t in p.get("sample_type", []):
        print("type", strings[one(t, "type")], strings[one(t, "unit")])
    for key in "time_nanos", "duration_nanos":
        if key in p:
            print(key, one(p, key))
    if "default_sample_type" in p:
        print("default", strings[one(p, "default_sample_type")])
    for c in p.get("comment", []):
        print("comment", strings[c])
    for m in sorted(mappings):
        print("mapping", m, strings[one(mappings[m], "filename")], strings[one(mappings[m], "build_id")])
    lines, seen = [], set()
    for s in p.get("sample", []):
        check(len(s["value"]) == len(p["sample_type"]), "values")
        key = (tuple(s["location_id"]), tuple((one(l, "key"), one(l, "str")) for l in s.get("label", [])))
        check(key not in seen, "equal samples")
        seen.add(key)
        stack = ";".join(frame(locations[i]) for i in reversed(s["location_id"]))
        labels = " ".join("%s=%s" % (strings[one(l, "key")], strings[one(l, "str")]) for l in s.get("label", []))
        lines.append("sample %s %s %s" % (" ".join(map(str, s["value"])), stack, labels))
    print("\n".join(sorted(line.rstrip() for line in lines)))


main()
