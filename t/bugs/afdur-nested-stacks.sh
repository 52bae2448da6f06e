# SPDX-License-Identifier: ISC
# Regions inside of each other gave stacks that grew with the square of their number: 20,000 gave 702 MB.
awk 'BEGIN { OFS = "\t"
	for (i = 1; i <= 20000; i++) print "start", i, "r", "f" i, ".", "."
	for (i = 20000; i > 0; i--) print "stop", 40001 - i, "r", "f" i, ".", "."
}' >in
[ "$(afdur in 2>/dev/null | wc -c)" -lt 100000000 ] || echo too much
head -n 4 in | awk '{ print } END { for (i = 4; i > 0; i--) print "stop\t" 9 - i "\tr\tf" i "\t.\t." }' |
	afdur --max-stack 3 | foldenc --root .
