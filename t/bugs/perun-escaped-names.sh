# SPDX-License-Identifier: ISC
# Names and texts of a profile that are spelled with escapes were not known: the header's type (so it
# could not be packed), cmd, a snapshot's time, a model's name, its coefficients and points.
cat >plain <<'EOF'
{"header":{"type":"time","cmd":"./a","type":"mixed"},"snapshots":[{"time":"0.5","resources":[{"uid":"u","amount":1}],
"models":[{"uid":"u","model":"linear","x_interval_start":0,"x_interval_end":2,"coeffs":[{"name":"b0","value":1},{"name":"b1","value":2}]}]}]}
EOF
# every letter is escaped, but for the words that are no text
sed 's/"\([a-zA-Z]\)/"%\1/g' plain | awk '{
	for (i = 1; i <= length($0); i++) {
		c = substr($0, i, 1)
		if (c == "%") {
			c = substr($0, ++i, 1)
			c = sprintf("\\u%04x", 96 + index("abcdefghijklmnopqrstuvwxyz", c))
		}
		printf "%s", c
	}
	print ""
}' | sed 's/0\.5/\\u0030.5/' >escaped
for f in plain escaped; do
	perundec --run r "$f" >stream
	grep -e '^run' -e '^sample' stream | sed 's/\tjson=[^\t]*//'
	perunenc --name stream
	perunquery plot stream | cksum
done
echo '{"header":{"type":"mixed","type":5}}' | perundec | perunenc --name
