# SPDX-License-Identifier: ISC
# A sample or model line with an empty json tag was read through a null pointer.
for at in '' /snapshots /snapshots/0/resources /snapshots/0/resources/0 /header; do
	for kind in sample model; do
		printf '#afstream\t1\ttest\tmode=sample\n%s\t.\tr1\t.\t.\t.\tat=%s\tjson=\n' $kind "$at" >in
		for what in heap heat resources; do
			perunquery $what in && echo "$kind, $at, $what: status 0"
		done
	done
done 2>&1 | sort | uniq -c | sed 's/^ *//'
