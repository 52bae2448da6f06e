# SPDX-License-Identifier: ISC
# perfdec_tasks.bats - threads, processes and what is known of them: tables, names, deferred
# callchains, control groups and namespaces.

load lib

setup_file() {
	build_c "$BATS_FILE_TMPDIR/perfconv" t/tools/perfconv.c -lzstd
	build_c "$BATS_FILE_TMPDIR/perfmake" t/tools/perfmake.c
	build_c "$BATS_FILE_TMPDIR/rss" t/tools/rss.c
}

setup() {
	PATH=$BATS_FILE_TMPDIR:$PATH
	cd "$T" || return
}

# ---- tables

@test "u32tab: puts and drops against an array, whatever the keys have in common" {
	build_c "$T/u32tab" t/unit/u32tab.c src/perfdata/{u32tab,seed}.c -lxxhash
	for stride in 1 2 65536 1048576 2654435769; do
		want_status 0 "$T/u32tab" 60000 $stride
		silent
	done
}
