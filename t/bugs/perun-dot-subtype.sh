# SPDX-License-Identifier: ISC
# A dot that is only a part of a column or a key was spelled, and read, as if it were all of it.
echo '{"snapshots":[{"resources":[{"type":"a","subtype":"."},{"type":".","subtype":"b"},{"subtype":"."},{"type":"."}]}]}' |
	perundec >stream
grep '^sample' stream | cut -f 5
perunenc stream | tr -d '\n'
echo
printf 'run\t.\tr\t.\t.\t.\tformat=snapshots\nagg\t.\tr\tf\tmemory..\t1\tstat=a"b\t.=v\n' | perunenc | grep subtype
