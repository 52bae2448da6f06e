# SPDX-License-Identifier: ISC
# A stop that named a region in another way, or not at all, was taken as a further value of the stop before.
go() {
	afdur | grep delta | cut -f 1-6
}
# without a name, then with an id or a label
printf '%b\n' 'start\t1\tr\tg\tmem\t1\tid=1' 'stop\t5\tr\t.\t.\t.' 'stop\t5\tr\t.\tmem\t7\tid=1' | go
printf '%b\n' 'start\t1\tr\tg\tmem\t1' 'stop\t5\tr\t.\tcyc\t1' 'stop\t5\tr\tg\tmem\t7' | go
# another label, and once more the same measure
printf '%b\n' 'start\t1\tr\tg\tmem\t1\tid=1' 'start\t1\tr\tg\tcyc\t1\tid=1' \
	'stop\t5\tr\tg\tmem\t7\tid=1' 'stop\t5\tr\th\tcyc\t7\tid=1' | go
printf '%b\n' 'start\t1\tr\tg\tmem\t1\tid=1' 'stop\t5\tr\tg\tmem\t7\tid=1' 'stop\t5\tr\tg\tmem\t8\tid=1' | go
# one stop, which names it by its id each time
printf '%b\n' 'start\t1\tr\tg\tmem\t1\tid=1' 'start\t1\tr\t.\tcyc\t1\tid=1' \
	'stop\t5\tr\tg\tmem\t7\tid=1' 'stop\t5\tr\t.\tcyc\t9\tid=1' | go
