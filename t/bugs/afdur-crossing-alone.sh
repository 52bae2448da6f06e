# SPDX-License-Identifier: ISC
# Where one region crossed, those that began with the one that stopped, or when it stopped, were left out too.
{
	printf 'start\t4\tr\t%s\t.\t.\n' A B
	printf 'start\t6\tr\tF\t.\t.\nstop\t7\tr\tA\t.\t.\nstop\t8\tr\tB\t.\t.\n'
} | afdur | grep "^span" | cut -f 2,4-6,9-11
{
	printf 'start\t1\tr\tA\t.\t.\nstart\t2\tr\tF\t.\t.\nstart\t5\tr\tG\t.\t.\n'
	printf 'stop\t5\tr\tA\t.\t.\nstop\t6\tr\tG\t.\t.\n'
} | afdur | grep "^span" | cut -f 2,4-6,9-11
# the ones that cross have the name of one that does not
{
	printf 'start\t%d\tr\t%s\t.\t.\n' 1 A 2 f 3 f 5 f 5 f
	printf 'stop\t%d\tr\t%s\t.\t.\n' 5 A 6 f 7 f 8 f
} | afdur | grep "^span" | cut -f 2,4-6,9-11
