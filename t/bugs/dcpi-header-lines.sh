# SPDX-License-Identifier: ISC
# A header of more than 4096 lines was refused.
{
	printf 'version pdb-0.07\nimage 1a\nepoch 9805191724\nplatform walnut\nevent cycles\nperiod 63488\ntstart 120000000\n'
	printf 'tsize 9\ncpuspeed 333\n'
	seq 5000 | sed 's/^/word /'
	printf 'samples\n\0\0\0\0\0\0\0\0'
} >p
dcpidec p | grep '^run' | tr '\t' '\n' | grep -c '^hdr.word='
