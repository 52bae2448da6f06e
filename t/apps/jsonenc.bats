# SPDX-License-Identifier: ISC
# jsonenc.bats - JSON lines in Python, jq and pandas.

load ../lib

setup() {
	cd "$T"
	cp "$ROOT/t/data/perf/chain.ev" in.ev
	want_status 0 jsonenc in.ev
	mv out in.json
	awk -F '\t' '$1 == "sample" { s[$4] += $6 } END { for (r in s) printf "%s %d\n", r, s[r] }' in.ev | sort >want
}

@test "Python adds up values, and writes what jsondec reads" {
	app python3
	"$python" - >got <<-'EOF'
		import collections, json
		sums = collections.Counter()
		with open("again.json", "w") as again:
		    for line in open("in.json"):
		        o = json.loads(line)
		        if o["kind"] == "sample":
		            sums[o["region"]] += o["value"]
		        again.write(json.dumps(o, sort_keys=True) + "\n")
		for region in sorted(sums):
		    print(region, sums[region])
	EOF
	same want got
	want_status 0 jsondec again.json
	grep -v '^#' in.ev | cut -f 1-6 >want.columns
	grep -v '^#' out | cut -f 1-6 >got.columns
	same want.columns got.columns
}

@test "jq adds up values, and what it writes comes back byte for byte" {
	app jq
	jq -rn 'reduce (inputs | select(.kind == "sample")) as $s ({}; .[$s.region] += $s.value) |
		to_entries[] | "\(.key) \(.value)"' in.json | sort >got
	same want got
	jq -c . in.json >again.json
	want_status 0 jsondec again.json
	same in.ev out
	jq -c 'select(.kind != "sample" or .tags.mode == "u")' in.json | jsondec >got
	awk -F '\t' '$1 != "sample" || /\tmode=u\t/' in.ev >want
	same want got
}

@test "pandas reads it as a table of numbers and texts" {
	app python3 pandas
	"$python" - >got <<-'EOF'
		import pandas
		lines = pandas.read_json("in.json", lines=True)
		samples = lines[lines.kind == "sample"]
		sums = samples.groupby("region").value.sum()
		for region in sorted(sums.index):
		    print(region, int(sums[region]))
	EOF
	same want got
}
