# SPDX-License-Identifier: ISC
# What an end mark says was forgotten where it was beyond 64 bits, no number, or its eighteenth word;
# and a mark was taken for an end although it counted no lines.
mark() {
	printf '#afstream\t1\tt\ts\nsample\t1\t0x1\tr\tT\t1\n#end\tt\ts\t'"$1"'\n' | afagg | tail -n 1
}
mark '1\tcomplete\tlost=99999999999999999999999'
mark '1\tcomplete\tlost=007\tlost=2'
mark '1\tcomplete\ta=\tb=\tc=\td=\te=\tf=\tg=\th=\ti=\tj=\tk=\tl=\tincomplete=4'
mark '1\tcomplete\tlost=many'
mark '1\tcomplete\tlost='
mark 'some\tcomplete'
