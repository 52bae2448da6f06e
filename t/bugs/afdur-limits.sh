# SPDX-License-Identifier: ISC
# What was left out since it exceeded a limit was only a note, with status 0 and an end that said complete.
go() {
	afdur >out || echo "status $?"
	cut -f 1-6 out | sed 's/xxx*/LONG/; /^measure/d'
	tail -n 1 out | cut -f 7
}
long() {
	head -c "$1" /dev/zero | tr '\0' x
}
{
	printf 'start\t1\tr\t%s\t.\t.\n' "$(long 5000)"
	printf '%b\n' 'start\t1\tr\tf\t.\t.' 'stop\t2\tr\tf\t.\t.' 'stop\t3\tr\t.\t.\t.'
} | go
{
	printf 'start\t1\tr\tf\tm\t1\ttag.a=%s\n' "$(long 70000)"
	printf 'stop\t2\tr\tf\tm\t2\n'
} | go
