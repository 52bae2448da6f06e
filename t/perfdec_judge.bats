# SPDX-License-Identifier: ISC
# perfdec_judge.bats - faults of perfdec that a comparison with other readers has found.

load lib

setup_file() {
	build_c "$BATS_FILE_TMPDIR/perfmake" t/tools/perfmake.c
}

setup() {
	PATH=$BATS_FILE_TMPDIR:$PATH
	cd "$T" || return
}

@test "tracing data inside of its record, as old simpleperf writes it" {
	{
		echo 'tracing_inside 13'
		echo 'comm 7 7 100 one'
		echo 'sample 7 7 200 u 0x1000'
		echo 'tracing 13'
		echo 'sample 7 7 300 u 0x1000'
	} | perfmake >inside.data
	# which are no real ones, and that is said; what follows is read all the same
	want_status 1 perfdec --run R --no-symbols inside.data
	[ "$(wc -l <err)" -eq 2 ]
	sed -n '/^sample/s/\tpid.*//p' out >got
	printf 'sample\t%s\tR\t[unknown]\tcpu-clock\t%s\n' 200 1000 300 1000 >want
	same want got
}

@test "the build id of a kernel module is its file's" {
	{
		echo 'buildid 50de36ef8b8c2d32c9fd9115a068c9c024962f7e /lib/modules/3.8.0/kernel/net/ath9k-hw.ko'
		echo 'mmap -1 0 0 k 0xffffffffa0177000 0x21000 0 /lib/modules/3.8.0/kernel/net/ath9k-hw.ko'
		echo 'sample 7 7 200 k 0xffffffffa0177010'
	} | perfmake >module.data
	want_status 0 perfdec --no-symbols module.data
	silent
	sed -n 's/^sample.*\tframes=//p' out >got
	echo 'k:[ath9k_hw]@50de36ef8b8c2d32c9fd9115a068c9c024962f7e+0xffffffffa0177010' >want
	same want got
}

@test "the build id of the kernel is that of its file, where it is listed so" {
	{
		echo 'kbuildid 50de36ef8b8c2d32c9fd9115a068c9c024962f7e /lib/modules/3.8.0/kernel/net/ath9k.ko'
		echo 'kbuildid 4505c4baa0b3d7c4037b0e8f5402626fa360717f /lib/modules/3.8.0/build/vmlinux'
		echo 'mmap -1 0 0 k 0xffffffff81000000 0x20000 0xffffffff81000000 [kernel.kallsyms]_text'
		echo 'sample 7 7 200 k 0xffffffff81000010'
	} | perfmake >kernel.data
	want_status 0 perfdec --no-symbols kernel.data
	silent
	sed -n 's/^sample.*\tframes=//p' out >got
	echo 'k:[kernel.kallsyms]@4505c4baa0b3d7c4037b0e8f5402626fa360717f+0xffffffff81000010' >want
	same want got
}
