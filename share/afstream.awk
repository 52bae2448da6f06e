# SPDX-License-Identifier: ISC
# afstream.awk - reads a stream of afpipe, afstream(5), in awk.
#
#	awk -f afstream.awk -f prog.awk
#
# where prog.awk is, for example, the time spent in each command:
#
#	$1 == "sample" { t[tag("comm")] += $6 }
#	END { for (c in t) print t[c], unescape(c) }
#
# Columns 1 to 6 are $1 to $6.  Lines that begin with # are skipped, so marks are not checked.  Only
# the filters of afpipe notice that a producer died.
#
# Works with mawk, gawk and busybox awk.  In a UTF-8 locale gawk handles characters instead of
# bytes, so run it with LC_ALL=C if unescape() may meet bytes above 7f.

BEGIN {
	FS = OFS = "\t"
}

/^#/ {
	next
}

# Returns the value of a tag of the current line, as spelled in the stream, or "." if there is none.
function tag(key,    i, n) {
	key = key "="
	n = length(key)
	for (i = 7; i <= NF; i++)
		if (substr($i, 1, n) == key)
			return substr($i, n + 1)
	return "."
}

# Returns the text of a column, a tag value or a list element without its escapes.
function unescape(s,    out, at, c, hex) {
	if (s == ".")
		return ""
	if (s == "\\.")
		return "."
	hex = "0123456789abcdef"
	out = ""
	while ((at = index(s, "\\")) > 0) {
		out = out substr(s, 1, at - 1)
		c = substr(s, at + 1, 1)
		if (c == "x") {
			c = sprintf("%c", 16 * (index(hex, substr(s, at + 2, 1)) - 1) + index(hex, substr(s, at + 3, 1)) - 1)
			s = substr(s, at + 4)
		} else {
			c = c == "t" ? "\t" : c == "n" ? "\n" : c == "r" ? "\r" : c
			s = substr(s, at + 2)
		}
		out = out c
	}
	return out s
}
