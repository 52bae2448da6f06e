# SPDX-License-Identifier: ISC
# The note about kinds that are left out ended in the middle of a word where their names were long.
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
	printf 'kind_with_a_name_that_is_longer_than_it_need_be_%s\t.\t1\t.\t.\t.\n' $i
done | afenc
