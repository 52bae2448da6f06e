#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# flamedump.py PAGE [w|b|o] - prints the data of a page of flameenc as folded stacks, in all digits: for
# each panel a line "# MEASURE UNIT", then its stacks with the weights of that side, or (o) with the
# object of the innermost frame: its name, or -1 for several.  Notes come last.
import json
import sys

page = open(sys.argv[1], encoding="utf-8").read()
side = sys.argv[2] if len(sys.argv) > 2 else "w"
begin = page.index('id="data">') + len('id="data">')
text = page[begin:page.index("</script>", begin)]
assert "<" not in text
# numbers stay the digits that they are in the page
data = json.loads(text, parse_int=str, parse_float=str)
for p in data["panels"]:
    print("#", p["measure"], p["unit"])
    lengths = {len(p[k]) for k in "nuw"}
    assert len(lengths) == 1, lengths
    path, lines = [], []
    for name, up, weight in list(zip(p["n"], p["u"], p[side]))[1:]:
        del path[len(path) - int(up):]
        path.append(data["names"][int(name)])
        if side == "o" and int(weight) > 0:
            weight = data["objects"][int(weight) - 1]
        if weight != "0":
            lines.append(";".join(path) + " " + weight)
    for line in sorted(lines, key=lambda s: s.encode()):
        print(line)
for note in data["notes"]:
    print("note:", note)
