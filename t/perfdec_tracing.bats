# SPDX-License-Identifier: ISC
# perfdec_tracing.bats - tracepoints: what the tracing data tell of them, and their fields.

# shellcheck disable=SC2094 # perf script does not write what it reads

load lib
load perfdec

setup_file() {
	helpers perfconv fuzz-perfdata
}

setup() {
	need python3
	export PYTHONPATH=$ROOT/t/tools PYTHONDONTWRITEBYTECODE=1
	cd "$T" || return
}

# make: runs the script on standard input, which makes recordings.
make() {
	{
		printf 'from tracemake import *\nimport struct\n'
		cat
	} | python3 - || fail "the recording could not be made"
}

# tags FILE [OPTION...]: of each sample its event, then the tags behind those that all have; less
# marks.  The status is perfdec's, which speaks to the file err.
tags() {
	local file=$1
	shift
	perfdec --no-symbols "$@" "$file" >tags.out 2>err || return
	sed -n 's/^sample\t[^\t]*\t[^\t]*\t[^\t]*\t\([^\t]*\)\t.*\tid=0x[0-9a-f]*/\1/p' tags.out
}

# gives WANT FILE...: each file gives the tags in WANT, quietly.
gives() {
	local want=$1 file
	shift
	for file; do
		tags "$file" >got || fail "$file: status $?: $(cat err)"
		[ ! -s err ] || fail "$file: $(cat err)"
		same "$want" got || fail "$file"
	done
}

# ---- fields

@test "every kind of field, in both byte orders, as a file and through a pipe" {
	make <<-'END'
		fields = [("unsigned char a", 8, 1, 0), ("s8 b", 9, 1, 1), ("unsigned short c", 10, 2, 0),
		    ("short d", 12, 2, 1), ("bool e", 14, 1, 0), ("char f", 15, 1, 0), ("unsigned int g", 16, 4, 0),
		    ("pid_t h", 20, 4, 1), ("u64 i", 24, 8, 0), ("long j", 32, 8, 1), ("const char * k", 40, 8, 0),
		    ("void * l", 48, 8, 0), ("char m[8]", 56, 8, 0), ("char n[NAME_LEN]", 64, 8, 1), ("u8 o[4]", 72, 4, 0),
		    ("unsigned char p[4]", 76, 4, 0), ("u32 q[2]", 80, 8, 0), ("short r[4]", 88, 8, 1),
		    ("unsigned long s[2]", 96, 16, 0), ("void *t[1]", 112, 8, 0), ("struct timespec u", 120, 16, 0),
		    ("enum zone v[2]", 136, 8, 0), ("unsigned long __probe_ip", 144, 8, 0),
		    ("__data_loc char[] w", 152, 4, 1), ("__data_loc u64[] x", 156, 4, 0), ("__data_loc u8[] y", 160, 4, 0),
		    ("__data_loc unsigned int[] z", 164, 4, 0), ("__rel_loc char[] ra", 168, 4, 0),
		    ("__rel_loc s16[] rb", 172, 4, 1), ("__data_loc cpumask_t rc", 176, 4, 0),
		    ("struct pair rd", 180, 4, 0), ("__data_loc char[] re", 184, 4, 1), ("u16 rf[]", 256, 0, 0)]
		for big in False, True:
		    o = ">" if big else "<"
		    at = 188
		    fixed = struct.pack(o + "BbHhBBIiQqQQ", 200, -100, 60000, -30000, 1, 65, 4000000000, -2000000000,
		        2**64 - 1, -2**63, 0xffff888000000010, 0) + b"name\0xyz" + b"12345678" + bytes([1, 2, 3, 255])
		    fixed += b"abcd" + struct.pack(o + "IIhhhhQQQ", 7, 2**32 - 1, -1, 2, -3, 4, 5, 2**63, 0xabc)
		    fixed += bytes(range(16)) + struct.pack(o + "IIQ", 1, 2, 0xffffffff81000000)
		    parts = [b"dyn\0", struct.pack(o + "QQ", 1, 2**64 - 1), b"\x00\xff", struct.pack(o + "III", 1, 2, 3),
		        b"rel\0", struct.pack(o + "hh", -5, 5), bytes([0x0f, 0, 0xf0])]
		    locs, where = b"", at
		    for n, p in enumerate(parts):
		        slot = 152 + 4 * n
		        off = where - (slot + 4) if n in (4, 5) else where
		        locs += struct.pack(o + "I", len(p) << 16 | off)
		        where += len(p)
		    raw = common(300, big) + fixed + locs + b"pair" + struct.pack(o + "I", 0)
		    assert len(raw) == at, len(raw)
		    raw += b"".join(parts)
		    raw += bytes(256 - len(raw)) + struct.pack(o + "HHHHHH", 1, 2, 3, 4, 5, 6)
		    r = Recording(big)
		    r.event(300)
		    r.data = blob([("sys", [fmt("kinds", 300, fields)])], big)
		    r.sample(0, raw)
		    r.write("%s.data" % ("big" if big else "little"))
		    r.write("%s.pipe" % ("big" if big else "little"), pipe=True)
	END
	tr ' ' '\t' >want <<-'END'
		sys:kinds tp.a=200 tp.b=-100 tp.c=60000 tp.d=-30000 tp.e=1 tp.f=65 tp.g=4000000000 tp.h=-2000000000 tp.i=18446744073709551615 tp.j=-9223372036854775808 tp.k=0xffff888000000010 tp.l=0x0 tp.m=name tp.n=12345678 tp.o=010203ff tp.p=61626364 tp.q=7;4294967295 tp.r=-1;2;-3;4 tp.s=5;9223372036854775808 tp.t=0xabc tp.u=000102030405060708090a0b0c0d0e0f tp.v=1;2 tp.__probe_ip=0xffffffff81000000 tp.w=dyn tp.x=1;18446744073709551615 tp.y=00ff tp.z=1;2;3 tp.ra=rel tp.rb=-5;5 tp.rc=0f00f0 tp.rd=70616972 tp.re=. tp.rf=1;2;3;4;5;6
	END
	gives want little.data little.pipe big.data big.pipe
}

@test "fields of types that are no numbers, and of numbers that have no name" {
	make <<-'END'
		fields = [("union u a", 8, 8, 0), ("struct s b[2]", 16, 16, 0), ("odd_t c[2]", 32, 6, 0), ("enum e d", 40, 4, 0),
		    ("__int128 e", 48, 16, 0), ("__data_loc char[] f", 64, 8, 0), ("union u g[2]", 72, 16, 0),
		    ("const volatile char h[4]", 88, 4, 0), ("unsigned long *i[2]", 96, 16, 0), ("const void * j", 112, 8, 0),
		    ("enum e k[2]", 120, 4, 1), ("bool l[2]", 124, 2, 0), ("__rel_loc char[] m", 126, 2, 0)]
		for big in False, True:
		    r = Recording(big)
		    r.event(300)
		    r.event(300)
		    r.data = blob([("sys", [fmt("odd", 300, fields)])], big)
		    o = ">" if big else "<"
		    fixed = bytes(range(8, 40)) + struct.pack(o + "I", 77) + bytes(4) + bytes(range(48, 88)) + b"text" + bytes(4)
		    fixed += struct.pack(o + "QQQhh", 0xffff888000000010, 0, 0x7f0000001000, -1, 2) + b"\1\0" + b"\2\3"
		    r.sample(0, common(300, big) + fixed)
		    r.sample(1, common(300, big) + fixed)
		    r.write("%s.data" % ("big" if big else "little"))
	END
	tr ' ' '\t' >want <<-'END'
		sys:odd tp.a=08090a0b0c0d0e0f tp.b=101112131415161718191a1b1c1d1e1f tp.c=202122232425 tp.d=77 tp.e=303132333435363738393a3b3c3d3e3f tp.f=@ABCDEFG tp.g=48494a4b4c4d4e4f5051525354555657 tp.h=text tp.i=0xffff888000000010;0x0 tp.j=0x7f0000001000 tp.k=-1;2 tp.l=0100 tp.m=\x02\x03
	END
	# two events of one tracepoint
	cat want want >twice
	for file in little.data big.data; do
		tags "$file" >got || fail "status $?"
		same twice got
		echo "perfdec: $file: the recording has 2 events named sys:odd, whose values afagg would add up: keep them apart (afagg --by region,event), or choose one (afsel --where 'event=1 || event=.')" |
			same - err
	done
}

@test "arrays of strings, as probes have them" {
	make <<-'END'
		fields = [("__data_loc char[][1] one", 8, 4, 1), ("__data_loc char[][3] three", 12, 12, 1), ("u32 n", 24, 4, 0)]
		text = fmt("probe", 300, fields)
		def parts(o, *texts):
		    at, locs, end = 28, b"", b""
		    for t in texts:
		        locs += struct.pack(o + "I", len(t) << 16 | at + len(end))
		        end += t
		    return locs + struct.pack(o + "I", 7) + end
		for big in False, True:
		    o = ">" if big else "<"
		    r = Recording(big)
		    r.event(300)
		    r.data = blob([("sys", [text])], big)
		    r.sample(0, common(300, big) + parts(o, b"a;b\0", b"c;d\0e", b"", b"f g\0"))
		    r.write("big.data" if big else "little.data")
		# each text may be beyond the bytes, which must not be there again and again
		r = Recording()
		r.event(300)
		r.data = blob([("sys", [text])])
		good = common(300) + parts("<", b"a\0", b"b\0", b"c\0", b"d\0")
		for n in range(4):
		    r.sample(0, common(300) + struct.pack("<5I", *(2 << 16 | (999 if i == n else 8) for i in range(4)), 7))
		r.sample(0, common(300) + struct.pack("<5I", 28 << 16, 28 << 16, 28 << 16, 0, 7))
		r.sample(0, common(300) + bytes(20))
		r.write("short.data")
		kinds = ["char[][", "char[][1", "char[][;]", "char[][1][2]", "u8[][1]", "__rel_loc char[][1]", "char[][1]"]
		for n, kind in enumerate(kinds):
		    r = Recording()
		    r.event(300)
		    r.data = blob([("sys", [text.replace("__data_loc char[][1]" if n > 4 else "char[][1]", kind)])])
		    r.sample(0, good)
		    r.write("%d.bad" % n)
		for n in 0, 6:
		    r = Recording()
		    r.event(300)
		    r.data = blob([("sys", [text.replace("size:12;", "size:%d;" % n)])])
		    r.sample(0, good)
		    r.write("%d.odd" % n)
	END
	printf 'sys:probe\ttp.one=a\\x3bb\ttp.three=c\\x3bd;.;f g\ttp.n=7\n' >want
	gives want little.data big.data
	want_status 1 perfdec --no-symbols short.data
	sed -n 's/^sample.*	id=0x1	//p' out | sed 's/	raw=.*//' >got
	tr ' ' '\t' >want <<-'END'
		tp.three=\xe7\x03;\xe7\x03;\xe7\x03 tp.n=7
		tp.one=\x08 tp.n=7
		tp.one=\x08 tp.n=7
		tp.one=\x08 tp.n=7
		tp.one=,\x01\x01\x02M tp.n=7
		tp.one=. tp.three=.;.;. tp.n=0
	END
	same want got
	local file
	for file in *.bad; do
		want_status 1 perfdec --no-symbols "$file"
		said "line 5 of its fields is not in the form that the kernel writes"
	done
	# sizes that no number of strings has
	for file in *.odd; do
		want_status 1 perfdec --no-symbols "$file"
		said "the format of the tracepoint with id 300: not in the form that the kernel writes"
	done
}

@test "a machine of 32 bits: its longs and pointers" {
	make <<-'END'
		fields = [("unsigned long a", 8, 4, 0), ("void * b", 12, 4, 0), ("__data_loc long[] c", 16, 4, 1),
		    ("__data_loc unsigned long long[] d", 20, 4, 0)]
		r = Recording()
		r.event(300)
		r.data = blob([("sys", [fmt("small", 300, fields)])], long_size=4, version="0.5")
		r.sample(0, common(300) + struct.pack("<IIIIiiQ", 4000000000, 0xc0000000, 8 << 16 | 24, 8 << 16 | 32, -1, 1, 9))
		r.write("a.data")
	END
	printf 'sys:small\ttp.a=4000000000\ttp.b=0xc0000000\ttp.c=-1;1\ttp.d=9\n' >want
	gives want a.data
}

@test "text of all kinds: no byte of it can forge a column or a line" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.data = blob([("sys", [fmt("text", 300, [("__data_loc char[] s", 8, 4, 1), ("char t[4]", 12, 4, 1)])])])
		for s in (b"a\tb\nc\0", b".\0", b"", b"\0", b"\xff\x1b[2J;=\\\0", "gr\u00fcn".encode() + b"\0", b"no end"):
		    r.sample(0, common(300) + struct.pack("<I", len(s) << 16 | 16) + b"fini"[:len(s)].ljust(4, b"\0") + s)
		r.write("a.data")
	END
	cat >want <<-'END'
		sys:text	tp.s=a\tb\nc	tp.t=fini
		sys:text	tp.s=\.	tp.t=fi
		sys:text	tp.s=.	tp.t=.
		sys:text	tp.s=.	tp.t=f
		sys:text	tp.s=\xff\x1b[2J;=\\	tp.t=fini
		sys:text	tp.s=grün	tp.t=fini
		sys:text	tp.s=no end	tp.t=fini
	END
	gives want a.data
}

@test "the fields that all events have, and the raw bytes, with --all alone" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.data = blob([("sys", [fmt("e", 300, [("int n", 8, 4, 1)])])])
		r.sample(0, common(300) + struct.pack("<i", -1))
		r.write("a.data")
	END
	printf 'sys:e\ttp.n=-1\n' >want
	gives want a.data
	tags a.data --all >got
	printf 'sys:e\t%s\t%s\ttp.n=-1\traw=2c0101024d000000ffffffff\n' \
		'tp.common_type=300	tp.common_flags=1' 'tp.common_preempt_count=2	tp.common_pid=77' >want
	same want got
}

@test "bytes behind the fields that padding cannot be are printed raw" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.data = blob([("sys", [fmt("e", 300, [("u32 n", 8, 4, 0), ("__data_loc char[] s", 12, 4, 1)])])])
		def raw(extra):
		    return common(300) + struct.pack("<II", 1, 4 << 16 | 16) + b"abc\0" + extra
		r.sample(0, raw(b""))
		r.sample(0, raw(b"x" * 8))
		r.sample(0, raw(b"x" * 16))
		r.write("a.data")
	END
	cat >want <<-'END'
		sys:e	tp.n=1	tp.s=abc
		sys:e	tp.n=1	tp.s=abc
		sys:e	tp.n=1	tp.s=abc	raw=2c0101024d00000001000000100004006162630078787878787878787878787878787878
	END
	gives want a.data
}

@test "a sample of a group: the fields are those of its own event on every line" {
	make <<-'END'
		r = Recording()
		r.event(300, sample_type=SAMPLE_TYPE | 1 << 4, read_format=12)
		r.event(0, type=1, sample_type=SAMPLE_TYPE | 1 << 4, read_format=12)
		r.data = blob([("sys", [fmt("e", 300, [("u32 n", 8, 4, 0)])])])
		r.sample(0, common(300) + struct.pack("<I", 5), read=struct.pack("<QQQQQ", 2, 10, 1, 20, 2))
		r.write("a.data")
	END
	printf '%s\ttp.n=5\tcount=%d\n' sys:e 10 cpu-clock:HG 20 >want
	gives want a.data
}

# ---- formats

@test "without tracing data, or a format in them: the raw bytes, and no error" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.sample(0, common(300) + b"1234")
		r.write("a.data")
		r.write("a.pipe", pipe=True)
		r.data = blob([("sys", [fmt("other", 301, [("u32 n", 8, 4, 0)])])])
		r.write("b.data")
		r.write("b.pipe", pipe=True)
	END
	printf 'unknown tracepoint\traw=2c0101024d00000031323334\n' >want
	gives want a.data a.pipe b.data b.pipe
	want_status 0 sh -c 'cat b.data | perfdec --no-symbols --no-spool'
	grep -q '	unknown tracepoint	.*	raw=2c0101024d00000031323334$' out
}

@test "names: the file's own win; before and behind the events" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.event(301, name="mine")
		r.event(1)
		f = [("u32 n", 8, 4, 0)]
		r.data = blob([("sys", [fmt("e", 300, f)]), ("other", [fmt("f", 301, f)])], ftrace=[fmt("function", 1, f)])
		for i, config in (0, 300), (1, 301), (2, 1):
		    r.sample(i, common(config) + struct.pack("<I", i))
		r.write("a.pipe", pipe=True)
		r.write("b.pipe", pipe=True, data_first=True)
	END
	printf '%s\ttp.n=%d\n' sys:e 0 mine 1 ftrace:function 2 >want
	gives want a.pipe b.pipe
	perfdec --no-symbols b.pipe | grep '^measure' | cut -f 5 >got
	printf '%s\n' sys:e mine ftrace:function >want
	same want got
}

@test "odd formats that are read: no print fmt, attributes, old brackets, the first of two" {
	make <<-'END'
		r = Recording()
		attr = 'const char __attribute__((btf_type_tag("user"))) * p'
		texts = [fmt("a", 300, [("u32 n", 8, 4, 0)], tail=""),
		    fmt("b", 301, [(attr, 8, 8, 0)]),
		    fmt("c", 302, [("__u16 a[sizeof(struct two)]", 8, 4, 0), ("u32 b[(1 << 1)]", 12, 8, 0)]),
		    fmt("d", 303, [("u32 first", 8, 4, 0)]),
		    fmt("e", 303, [("u32 second", 8, 4, 0)]),
		    fmt("f", 304, [("u32 n", 8, 4, 0)], tail='print fmt: "%s", ' + "(" * 100000 + "\n"),
		    fmt("g", 305, [], tail='print fmt: "\n"'),
		    fmt("h", 306, [("u32 n", 8, 4, 0)]).replace("signed:0;", "").replace("\tsize", " size")]
		r.data = blob([("sys", texts)])
		for i in range(7):
		    r.event(300 + i)
		    r.sample(i, common(300 + i) + struct.pack("<III", 1, 2, 3))
		r.write("a.data")
	END
	cat >want <<-'END'
		sys:a	tp.n=1
		sys:b	tp.p=0x200000001
		sys:c	tp.a=1;0	tp.b=2;3
		sys:d	tp.first=1
		sys:f	tp.n=1
		sys:g	raw=310101024d000000010000000200000003000000
		sys:h	tp.n=1
	END
	gives want a.data
}

@test "formats that are none: said with their id, the samples are printed raw" {
	make <<-'END'
		f = ("u32 n", 8, 4, 0)
		good = fmt("e", 300, [f])
		bad = [good.replace("u32", "u\x0132"), good.replace("u32", "'u32'"), good.replace("u32", "u32 " * 500),
		    good.replace("u32 n", "__attribute__((x"), good.replace("u32 n", "__attribute__(x n"),
		    good.replace("u32 n", "u32 n["), good.replace("u32 n", "n"), good.replace("u32 n", ""),
		    good.replace("offset:8", "offset:-1"), good.replace("offset:8", "offset:65536"),
		    good.replace("size:4", "size:4294967295"), good.replace("size:4", "size:99999999999999999999"),
		    good.replace("offset:8", "offset:x"), good.replace("field:u32", "field;u32"),
		    good.replace("u32 n", "u32 *"), good.replace("u32 n", "u32 n[3"), good.replace("u32 n", "u32[3]"),
		    good.replace("print", line(f) + "print"), good.replace("\n\n", "\n\n\n"),
		    good.replace("format:", "farmat:"), good[:len(good) // 2] + "\xff", good.replace("\tsize:4;", ""),
		    fmt("e", 300, [("char a[60000]", 8, 60000, 0)] * 3), fmt("e", 300, [f] * 3000),
		    good.replace("u32 n", "u32 n[" + "[" * 500), good.replace("u32 n", "* u32 n"), good.replace("u32 n", "u32 n[\xff]"),
		    good.replace("u32 n;", "u32 n[3]"), good.replace("offset:8;", "offset:8;" * 2),
		    good.replace("offset:8", "offset:2147483648"), good.replace("size:4", "size:2147483648"),
		    good.replace("offset:8", "offset:65535"), good.replace("u32 n", "u32 n["), good.replace("u32 n;", "u32 n["),
		    good.replace("u32 n", "u32 n[\x7f]"), good.replace("u32 n", "u32 n *"), good.replace(line(f), "\tfield:u32 n[3\n")]
		for i, text in enumerate(bad):
		    r = Recording()
		    r.event(300)
		    r.event(301)
		    r.data = blob([("sys", [text, fmt("ok", 301, [f])])])
		    for n in 1, 2:
		        r.sample(0, common(300) + b"1234")
		        r.sample(1, common(301) + struct.pack("<I", n))
		    r.write("%02d.bad" % i)
		print(len(bad))
	END
	local file n=0
	for file in *.bad; do
		n=$((n + 1))
		want_status 1 perfdec --no-symbols "$file"
		said "perfdec: $file: 0x"
		said ": the format of the tracepoint with id 300: "
		[ "$(wc -l <err)" -eq 1 ] || fail "$file: said more than once: $(cat err)"
		[ "$(grep -c 'raw=2c0101024d00000031323334$' out)" -eq 2 ] || fail "$file: $(cat out)"
		[ "$(grep -c '	sys:ok	.*	tp.n=[12]$' out)" -eq 2 ] || fail "$file: $(cat out)"
	done
	[ $n -eq 37 ]
	# of two events with one format that is none, too
	make <<-'END'
		r = Recording()
		r.event(300)
		r.event(300)
		r.data = blob([("sys", [fmt("e", 300, [("u32 *", 8, 4, 0)])])])
		for i in 0, 1, 0, 1:
		    r.sample(i, common(300) + b"1234")
		r.write("two.bad")
	END
	want_status 1 perfdec --no-symbols two.bad
	[ "$(grep -vc "the recording has 2 events named" err)" -eq 1 ]
	[ "$(grep -c 'raw=2c0101024d00000031323334$' out)" -eq 4 ]
}

# ---- samples that are not as their format says

@test "dynamic fields that claim the same bytes: together they are no longer than the sample" {
	make <<-'END'
		fields = [("__data_loc char[] s", 8, 4, 0), ("__data_loc char[] t", 12, 4, 0), ("u32 n", 16, 4, 0)]
		for size in 30, 31:
		    r = Recording()
		    r.event(300)
		    r.data = blob([("sys", [fmt("e", 300, fields)])])
		    r.sample(0, common(300) + struct.pack("<III", size << 16 | 20, 30 << 16 | 20, 7) + b"x" * 40)
		    r.write("%d.data" % size)
	END
	local x=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
	printf 'sys:e\ttp.s=%s\ttp.t=%s\ttp.n=7\n' $x $x >want
	tags 30.data >got
	cut -f 1-4 got | same want -
	printf 'sys:e\ttp.s=%s\ttp.n=7\n' ${x}x >want
	want_status 1 perfdec --no-symbols 31.data
	said "31.data: 0xc0: sample with 60 raw bytes: its event's format has fields beyond them"
	sed -n 's/^sample.*	id=0x[0-9a-f]*\(	tp.s.*\)	raw=.*/sys:e\1/p' out | same want -
}

@test "fields beyond the sample's bytes are left out and said once; the bytes are printed" {
	make <<-'END'
		fields = [("u32 a", 8, 4, 0), ("u64 b", 12, 8, 0), ("__data_loc char[] c", 20, 4, 1), ("__rel_loc u32[] d", 24, 4, 0)]
		r = Recording()
		r.event(300)
		r.event(301)
		r.data = blob([("sys", [fmt("e", 300, fields), fmt("f", 301, fields[:1])])])
		def raw(c, d, more=b""):
		    return common(300) + struct.pack("<IQII", 1, 2, c, d) + more
		r.sample(0, raw(4 << 16 | 28, 0, b"abc\0"))             # all right
		r.sample(0, raw(4 << 16 | 28, 4 << 16 | 4, b"abc\0" + bytes(4)))
		r.sample(0, common(300))                                # too short for any
		r.sample(0, common(300) + struct.pack("<I", 9))
		r.sample(0, raw(5 << 16 | 65535, 0))                    # text beyond the end
		r.sample(0, raw(0xffff << 16 | 0, 0))
		r.sample(0, raw(0, 4 << 16 | 65535))
		r.sample(0, raw(20 << 16 | 0, 20 << 16 | 0))            # the same bytes twice
		r.sample(1, b"")
		r.write("a.data")
		r.write("a.pipe", pipe=True)
	END
	want_status 1 perfdec --no-symbols a.data
	[ "$(grep -c 'its event.s format has fields beyond them' err)" -eq 2 ] || fail "$(cat err)"
	[ "$(wc -l <err)" -eq 2 ] || fail "$(cat err)"
	tail -n 1 out | grep -q '	partial	damaged$'
	sed -n 's/^sample\t.*\tid=0x[0-9a-f]*//p' out >got
	cat >want <<-'END'
			tp.a=1	tp.b=2	tp.c=abc	tp.d=.
			tp.a=1	tp.b=2	tp.c=abc	tp.d=0
			tp.a=0	raw=2c0101024d00000000000000
			tp.a=9	raw=2c0101024d00000009000000
			tp.a=1	tp.b=2	tp.d=.	raw=2c0101024d000000010000000200000000000000ffff050000000000
			tp.a=1	tp.b=2	tp.d=.	raw=2c0101024d0000000100000002000000000000000000ffff00000000
			tp.a=1	tp.b=2	tp.c=.	raw=2c0101024d00000001000000020000000000000000000000ffff0400
			tp.a=1	tp.b=2	tp.c=,\x01\x01\x02M	raw=2c0101024d0000000100000002000000000000000000140000001400
			raw=00000000
	END
	sed -i 's/^\t*/\t/' want
	same want got
	want_status 1 perfdec --no-symbols a.pipe
	sed -n 's/^sample\t.*\tid=0x[0-9a-f]*//p' out >got
	same want got
	# tags that are not written are not read, either
	want_status 0 perfdec --no-symbols --tags none a.data
	silent
}

# ---- tracing data

@test "tracing data cut anywhere: said, the events before the cut are known, all samples are there" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.event(301)
		whole = blob([("sys", [fmt("e", 300, [("u32 n", 8, 4, 0)])]), ("more", [fmt("f", 301, [("u32 n", 8, 4, 0)])])])
		r.sample(0, common(300) + struct.pack("<I", 1))
		r.sample(1, common(301) + struct.pack("<I", 2))
		for n in range(1, len(whole), 13):
		    r.data = whole[:n]
		    r.write("%05d.cut" % n)
		r.data = whole
		r.write("whole")
	END
	printf '%s\ttp.n=%d\n' sys:e 1 more:f 2 >want
	gives want whole
	local file seen=0
	for file in *.cut; do
		want_status 1 perfdec --no-symbols "$file"
		said "perfdec: $file: 0x1c8: tracing data "
		[ "$(grep -vc "the recording has 2 events named" err)" -eq 1 ] || fail "$file: $(cat err)"
		[ "$(grep -c '^sample' out)" -eq 2 ] || fail "$file: $(cat out)"
		grep -q 'tp.n=1$' out && seen=1
		[ $seen -eq 0 ] || grep -q '	sys:e	.*	tp.n=1$' out || fail "$file: $(cat out)"
	done
	[ $seen -eq 1 ]
}

@test "tracing data with wrong bytes anywhere: read or refused" {
	make <<-'END'
		r = Recording()
		r.event(300)
		fields = [("u32 a", 8, 4, 0), ("__data_loc char[] b", 12, 4, 0), ("char c[4]", 16, 4, 0)]
		r.data = blob([("sys", [fmt("e", 300, fields)])])
		r.sample(0, common(300) + struct.pack("<II", 1, 2 << 16 | 20) + b"text" + b"b\0\0\0")
		r.write("a.data")
		r.write("a.pipe", pipe=True)
	END
	local n=2000
	[ -z "${AFPIPE_SLOW-}" ] || n=10000
	want_status 0 fuzz-perfdata --flips $n 3 a.data
	want_status 0 fuzz-perfdata --flips $n 4 a.pipe
	want_status 0 fuzz-perfdata --flips $n 5 "$DATA/trace.data"
}

@test "tracing data behind their record that are cut short, or larger than any" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.data = blob([("sys", [fmt("e", 300, [("u32 n", 8, 4, 0)])])])
		r.sample(0, common(300) + struct.pack("<I", 1))
		d = r.pipe()
		at = d.index(b"\x17\x08\x44tracing")
		open("cut", "wb").write(d[:at + 40])
		open("longer", "wb").write(d[:at - 4] + struct.pack("<I", 0x7ffffff8) + d[at:])
		r.data = bytes(65 << 20)
		r.write("large", pipe=True)
	END
	want_status 1 perfdec --no-symbols cut
	said "payload cut short: "
	want_status 1 perfdec --no-symbols longer
	said "payload cut short: "
	[ "$(wc -l <err)" -eq 1 ] || fail "$(cat err)"
	want_status 1 perfdec --no-symbols large
	said "perfdec: large: 0x60: tracing data of 68157440 bytes"
	grep -q 'raw=2c0101024d00000001000000$' out
}

@test "names of simpleperf's META_INFO" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.sample(0, common(300))
		d = r.pipe()
		at = 16 + struct.unpack("<H", d[22:24])[0]
		for name, text in (("new", b"event_type_info\0cpu-cycles,0,300\nsched:sched_switch,2,300\0"),
		                   ("old", b"trace_offcpu\0true\0tracepoint_events\0sched:sched_switch 300\0"),
		                   ("none", b"event_type_info\0cpu-cycles,0,300\nodd,2,3x0\n,,\n\0"),
		                   ("cut", b"event_type_info")):
		    rec = struct.pack("<IHHQ", 80, 0, 16 + len(text), 129) + text
		    open(name, "wb").write(d[:at] + rec + d[at:])
	END
	local name
	for name in new old none cut; do
		want_status "$([ $name = cut ] && echo 1 || echo 0)" perfdec --no-symbols --header $name
		sed -n 's/^measure	[^	]*	[^	]*	\.	\([^	]*\)	.*/\1/p' out
	done >got
	printf '%s\n' sched:sched_switch sched:sched_switch 'unknown tracepoint' 'unknown tracepoint' >want
	same want got

	# each of several events has its own name, or none; of several names, the first
	make <<-'END'
		r = Recording()
		for config in (300, 77, 500, 77, 900, 12):
		    r.event(config)
		r.sample(1, common(77))
		d = r.pipe()
		at = 16
		while d[at] == 64:
		    at += struct.unpack("<H", d[at + 6:at + 8])[0]
		text = b"event_type_info\0none,2,11\na:b,2,500\na:c,2,77\nlate,2,77\nnone,2,400\na:d,2,12\nnone,2,1000\n\0"
		rec = struct.pack("<IHHQ", 80, 0, 16 + len(text), 129) + text
		open("several", "wb").write(d[:at] + rec + d[at:])
	END
	want_status 0 perfdec --no-symbols --header several
	sed -n 's/^measure	[^	]*	[^	]*	\.	\([^	]*\)	.*/\1/p' out >got
	printf '%s\n' 'unknown tracepoint' a:c a:b a:c 'unknown tracepoint' a:d >want
	same want got
}

# The tracing data only name an event that nothing else names.
@test "names of events: the first is used, unless it is empty or comes after the measure line" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.event(77)
		r.sample(0, common(300))
		r.sample(1, common(77))
		plain = r.pipe()
		at = 16
		while plain[at] == 64:
		    at += struct.unpack("<H", plain[at + 6:at + 8])[0]
		def feature(number, text):
		    return struct.pack("<IHHQ", 80, 0, 16 + len(text), number) + text
		def desc(*names):
		    each = b"".join(bytes(64) + struct.pack("<II8sQ", 1, 8, n, i + 1) for i, n in enumerate(names))
		    return feature(12, struct.pack("<II", len(names), 64) + each)
		r.data = blob([("sys", [fmt("three", 300, []), fmt("four", 77, [])])])
		traced = r.pipe()
		begin = traced.index(b"\x17\x08\x44tracing") - 12
		named = {"desc": desc(b"one", b"two"), "meta": feature(129, b"event_type_info\0five,2,300\nsix,2,77\n\0"),
		         "tracing": traced[begin:len(traced) - len(plain[at:])]}
		rounds = struct.pack("<IHH", 68, 0, 8) * 2
		for name, a in named.items():
		    open(name, "wb").write(plain[:at] + a + plain[at:])
		    open("late-" + name, "wb").write(plain + rounds + a + plain[at:])
		    open("late-after-" + name, "wb").write(plain[:at] + a + plain[at:] + rounds + desc(b"x", b"y") + plain[at:])
		    for other in named:
		        open("%s-%s" % (name, other), "wb").write(plain[:at] + a + named[other] + plain[at:])
		open("empty", "wb").write(plain[:at] + desc(b"", b"two") + desc(b"one", b"x") + plain[at:])
		open("more", "wb").write(plain[:at] + desc(b"one", b"two", *[b"more"] * 700) + plain[at:])
	END
	local file names=()
	for file in desc meta tracing late-* {desc,meta,tracing}-{desc,meta,tracing} empty more; do
		case $file in
		late-after-desc | desc* | tracing-desc | empty | more) names=(one two) ;;
		late-after-meta | meta* | tracing-meta) names=(five six) ;;
		late-after-tracing | tracing*) names=(sys:three sys:four) ;;
		late-*) names=(unknown unknown) ;;
		esac
		want_status 0 perfdec --no-symbols "$file"
		awk -F '\t' '$1 == "measure" || $1 == "sample" { sub(" tracepoint", "", $5); print $1, $5 }' out >got
		# shellcheck disable=SC2086 # each name is a word
		case $file in
		late-*) printf "measure %s\n" "${names[@]}" && printf "sample %s\n" "${names[@]}" "${names[@]}" ;;
		*) printf "measure %s\n" "${names[@]}" && printf "sample %s\n" "${names[@]}" ;;
		esac >want
		same want got || fail "$file" || return
	done
}

@test "tracing data that are too short: those in the padding of their record, and those behind it" {
	local n
	helpers perfmake
	for n in 0 1 4 5 8; do
		{
			echo "raw 66 0 4:$n 4:0"
			[ "$n" -eq 0 ] || echo "bytes 8:0xffffffffffffffff"
			echo "sample 1 1 10 u 0x5"
		} | perfmake >made.data
		want_status 1 perfdec --no-symbols made.data
		[ "$(wc -l <err)" -eq 1 ]
		said "tracing data with a wrong beginning"
		[ "$(grep -c '^sample' out)" -eq 1 ]
	done
}

@test "tracing data of any size behind their record: more than one read brings" {
	make <<-'END'
		for kib in (60, 64, 500, 600, 3000):
		    r = Recording()
		    r.event(300)
		    pad = fmt("pad", 299, [("u32 n", 8, 4, 0)], tail="print fmt: \"" + "x" * (kib << 10) + "\"\n")
		    r.data = blob([("sys", [pad, fmt("e", 300, [("u32 n", 8, 4, 0)])])])
		    r.sample(0, common(300) + struct.pack("<I", kib))
		    r.write("%d.pipe" % kib, pipe=True)
		    open("%d.want" % kib, "w").write("sys:e\ttp.n=%d\n" % kib)
	END
	for kib in 60 64 500 600 3000; do
		gives $kib.want $kib.pipe
	done
}

@test "tracing data again and again: the events look for themselves some times, not for ever" {
	make <<-'END'
		r = Recording()
		for n in range(20000):
		    r.event(1000 + n)
		r.event(300)
		r.data = blob([("sys", [fmt("e", 300, [("u32 n", 8, 4, 0)])])])
		r.sample(20000, common(300) + struct.pack("<I", 7))
		d = r.pipe()
		at = d.index(b"\x17\x08\x44tracing") - 12
		end = at + 12 + (len(r.data) + 7 & ~7)
		open("often", "wb").write(d[:at] + d[at:end] * 60 + d[end:])
		open("more", "wb").write(d[:at] + d[at:end] * 10000 + d[end:])
	END
	want_status 0 perfdec --no-symbols often
	grep -q '^sample.*	sys:e	.*	tp\.n=7$' out
	want_status 1 timeout 10 perfdec --no-symbols more
	said "more than 64 sets of tracing data"
}

@test "tracing data that come again: an event keeps the format that its samples have had" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.event(301)
		def data(a, b):
		    return blob([("sys", [fmt("e", 300, [("u32 " + a, 8, 4, 0)]), fmt("f", 301, [("u32 " + b, 8, 4, 0)])])])
		r.data = data("n", "m")
		r.sample(0, common(300) + struct.pack("<I", 7))
		d = r.pipe()
		again = data("x", "y")
		pad = -len(again) % 8
		r.samples = r.samples + [r.record(68, b"")] * 2
		d = r.pipe() + r.record(66, r.pack("I", len(again) + pad)) + again + bytes(pad)
		r.samples = []
		for i in 0, 1:
		    r.samples = r.samples + [b""]
		    r.sample(i, common(300 + i) + struct.pack("<I", 8 + i))
		open("a.pipe", "wb").write(d + b"".join(r.samples))
	END
	printf 'sys:%s\n' 'e	tp.n=7' 'e	tp.n=8' 'f	tp.y=9' >want
	gives want a.pipe
}

@test "tracing data of more than 64 MiB in a file are said, and the samples are printed" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.sample(0, common(300) + b"1234")
		r.data = b"x"
		d = bytearray(r.file())
		end = struct.unpack("<Q", d[40:48])[0] + struct.unpack("<Q", d[48:56])[0]
		d[end:end + 16] = struct.pack("<QQ", len(d), (64 << 20) + 1)
		with open("a.data", "wb") as f:
		    f.write(d)
		    f.truncate(len(d) + (64 << 20) + 1)
	END
	want_status 1 perfdec --no-symbols a.data
	said "tracing data of 67108865 bytes"
	[ "$(wc -l <err)" -eq 1 ]
	grep -q '	raw=2c0101024d00000031323334$' out
}

@test "as simpleperf writes them: inside of the record" {
	make <<-'END'
		r = Recording()
		r.event(300)
		r.data = blob([("sys", [fmt("e", 300, [("u32 n", 8, 4, 0)])])], version="0.5")
		r.sample(0, common(300) + struct.pack("<I", 1))
		r.write("a.pipe", pipe=True, inside=66)
		r.write("b.pipe", pipe=True, inside=32777)
		r.write("c.pipe", pipe=True, inside=32777, split=100)
		r.write("d.pipe", pipe=True, inside=32777, split=8, data_first=True)
		other = r.record(32769, bytes(64))      # a record of another type, in pieces
		pieces = r.record(32772, other[:40]) + r.record(32772, other[40:]) + r.record(32773, b"")
		d = r.pipe(inside=32777, split=100)
		open("e.pipe", "wb").write(d[:16] + pieces + d[16:] + pieces)
		d = r.pipe(inside=32777)
		at = d.index(b"\x17\x08\x44tracing")
		open("bad", "wb").write(d[:at - 4] + struct.pack("<I", 60000) + d[at:])
	END
	printf 'sys:e\ttp.n=1\n' >want
	gives want a.pipe b.pipe c.pipe d.pipe e.pipe
	want_status 1 perfdec --no-symbols bad
	said "tracing data beyond the end of their record"
	grep -q 'raw=2c0101024d00000001000000$' out
}

# ---- perf itself

@test "recorded tracepoints say what perf script says" {
	need perf
	local list
	perf record -q -o try.data -e sched:sched_switch true >/dev/null 2>&1 || skip "perf may not record tracepoints here"
	perf record -q -a -o r.data -e 'sched:*' -e 'syscalls:sys_enter_openat' -e 'syscalls:sys_exit_openat' \
		-- sh -c 'for i in 1 2 3; do cat /dev/null; done' >/dev/null 2>&1 ||
		perf record -q -a -o r.data -e sched:sched_switch -- sh -c 'cat /dev/null' >/dev/null 2>&1 ||
		skip "not the whole machine here"
	perf script -i r.data --ns -F time,event,trace >script 2>script.err || fail "perf script: $(cat script.err)"
	want_status 0 perfdec --no-symbols r.data
	cp out stream
	want_status 0 python3 "$ROOT/t/tools/tracecompare.py" script script stream
	grep -q ' 0 differences$' out || fail "$(cat out)"
	grep -q '^0 samples' out && fail "nothing was compared"
	[ "$(grep -c '	raw=' stream)" -eq 0 ]
	list=$(cut -f 5 stream | sort -u | grep -c ^sched:)
	[ "$list" -gt 0 ]
}

@test "corpus: tracepoints of the collection say what perf script says" {
	local name file ref bad=0 agreed=0 got
	[ -n "${AFPIPE_CORPUS-}" ] || skip "AFPIPE_CORPUS names no collection"
	need zcat zstd
	tar --zstd -xf "$AFPIPE_CORPUS/perf/recordings.tar.zst" || fail "cannot unpack"
	awk -F '\t' '$28 ~ /trace/ { print $1 }' "$AFPIPE_CORPUS/perf/manifest.tsv" >list
	while read -r name; do
		file=$AFPIPE_CORPUS/perf/files/$name
		[ -e "$file" ] || file=recordings/local/$name
		for ref in "$AFPIPE_CORPUS/perf/ref/$name".script*.gz; do
			[ -e "$file" ] && [ -s "$ref" ] || continue
			got=0
			perfdec --no-symbols --no-unwind "$file" >stream 2>err || got=$?
			if [ $got -eq 0 ] && python3 "$ROOT/t/tools/tracecompare.py" script "$ref" stream >differences; then
				agreed=$((agreed + 1))
			else
				bad=$((bad + 1))
				echo "$name: status $got: $(head -n 1 err) $(head -c 500 differences)" >&2
			fi
		done
	done <list
	[ $bad -eq 0 ]
	[ $agreed -ge 10 ] || fail "only $agreed could be compared"
}

@test "corpus: all fields that another decoder prints of a recording" {
	local golden
	[ -n "${AFPIPE_CORPUS-}" ] || skip "AFPIPE_CORPUS names no collection"
	golden=$AFPIPE_CORPUS/perf/goldens/microsoft+LinuxTracepoints__TestOutput_pipe.data.linux.json
	[ -f "$golden" ] || fail "no $golden"
	want_status 0 perfdec --no-symbols "$AFPIPE_CORPUS/perf/files/microsoft+LinuxTracepoints__TestOutput_pipe.data"
	silent
	cp out stream
	want_status 0 python3 "$ROOT/t/tools/tracecompare.py" json "$golden" stream
	printf '551 samples, 5002 fields, 0 differences\n' >want
	same want out
}

# bats test_tags=slow
@test "names of simpleperf: ten times as many events and names take ten times as long" {
	need python3 valgrind
	python3 - <<-'END'
		import struct
		def make(n, name):
		    event = lambda i: struct.pack("<IIQQQ", 2, 128, i, 1, 0x107).ljust(128, b"\0")
		    attrs = b"".join(event(i) + struct.pack("<QQ", 104, 0) for i in range(n))
		    meta = b"event_type_info\0" + b"".join(b"e,2,%d\n" % (n * 2 - i) for i in range(n)) + b"\0"
		    data = struct.pack("<IHHQIIQQ", 9, 1, 40, 5, 1, 1, 1, 1)
		    at = 104 + len(attrs)
		    end = at + len(data)
		    head = b"PERFILE2" + struct.pack("<8Q", 104, 144, 104, len(attrs), at, len(data), 0, 0)
		    head += struct.pack("<4Q", 0, 0, 1 << 1, 0)
		    open(name, "wb").write(head + attrs + data + struct.pack("<QQ", end + 16, len(meta)) + meta)
		make(1500, "small.data")
		make(15000, "large.data")
	END
	linear small.data large.data perfdec --no-symbols
	[ "$(grep -c '^measure	[^	]*	[^	]*	[^	]*	e	' out)" -eq 0 ]
	[ "$(grep -c '^measure' out)" -eq 15000 ]
}
