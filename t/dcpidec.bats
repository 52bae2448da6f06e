# SPDX-License-Identifier: ISC
# dcpidec.bats - DCPI profiles to the stream.

load lib
load dcpi

setup_file() {
	helpers fuzz-dcpi rss dcpimake
}

# expected FILE: the case's addresses, with 16 digits.
expected() {
	sed -e 's/^0x/0000/' -e 's/^0*\([0-9a-f]\{16\}\)	/0x\1	/' "$1"
}

# ---- the binary form

# bats test_tags=quick
@test "good profiles: addresses and counts, with 4 bytes a count and with 1" {
	local f stride base
	for f in "$D"/good/*.dcpi; do
		base=${f%.dcpi}
		for stride in 4 1; do
			want_status 0 dcpidec --stride $stride "$f"
			silent
			counts out >got
			if [ $stride = 4 ]; then expected "$base.expect.tsv"; else expected "$base.expect1.tsv"; fi >want
			same want got
			grep -q "	stride=$stride	" out
		done
	done
}

@test "good profiles: every line of the header, in order" {
	local f
	for f in "$D"/good/*.dcpi "$D"/ambig/a0[12679]*.dcpi "$D"/ambig/a1[013]*.dcpi; do
		want_status 0 dcpidec "$f"
		grep '^run' out | tr '\t' '\n' | sed -n 's/^hdr\.\([^=]*\)=/\1\t/p' >got.escaped
		printf '%b\n' "$(cat got.escaped)" >got
		printf '%b\n' "$(cat "${f%.dcpi}.header.tsv")" >want
		same want got
	done
}

@test "the same bytes from a file, from standard input, and from a pipe" {
	local f
	for f in "$D"/good/*.dcpi; do
		dcpidec "$f" | sed '/^#/d' >want
		want_status 0 dcpidec <"$f"
		unmarked out >got
		same want got
		want_status 0 sh -c "cat '$f' | dcpidec -"
		unmarked out >got
		same want got
	done
}

@test "a profile, line by line" {
	want_status 0 dcpidec - <"$D/good/g03_manpage_xemacs.dcpi"
	same "$D/text/g03.ev" out
}

@test "bad profiles: status, place and rule, from a file and from a pipe" {
	local name status message f
	{ head -c 156 "$D/good/g01_empty_profile.dcpi" && head -c 800008 /dev/zero; } >b113_100000_empty.dcpi
	while IFS=$'\t' read -r name status message; do
		f=$D/bad/$name.dcpi
		[ -e "$f" ] || f=$name.dcpi
		want_status "$status" dcpidec "$f"
		tail -n 1 err >got
		case $name in
		*_elf) echo "dcpidec: $f:${message#: 0x0:}" >want ;;
		*) echo "dcpidec: $f$message" >want ;;
		esac
		same want got
		if [ "$status" -eq 0 ]; then tail -n 1 out | grep -q '	complete$'; else tail -n 1 out | grep -q '	partial	damaged$'; fi
		want_status "$status" sh -c "cat '$f' | dcpidec"
		tail -n 1 err >got
		echo "dcpidec: -$message" >want
		same want got
	done <"$D/bad/want.tsv"
}

@test "bad profiles: the places are those that the cases name" {
	local name kind where place
	while IFS=$'\t' read -r name kind where _; do
		[ "$kind" != kind ] || continue
		place=$(awk -F'\t' -v name="$name" '$1 == name { print $3 }' "$D/bad/want.tsv")
		case $where in
		line*) [[ $place == ":${where#line }: "* ]] ;;
		'byte 208 or 216') [[ $place == ": 0xd0: "* ]] ;;
		byte*) [[ $place == ": $(printf '0x%x' "${where#byte }"): "* ]] ;;
		header) [[ $place =~ ^:[0-9]+:\  ]] ;;
		*) [[ $place =~ ^:\ 0x[0-9a-f]+:\  ]] ;;
		esac || fail "$name: $where: $place"
	done <"$D/bad/index.tsv"
}

# bats test_tags=slow,sanitize
@test "bad profiles: --strict refuses all, also what is only doubtful" {
	local name
	while IFS=$'\t' read -r name _; do
		[ -e "$D/bad/$name.dcpi" ] || continue
		want_status 1 dcpidec --strict "$D/bad/$name.dcpi"
	done <"$D/bad/want.tsv"
	for name in b050_tstart_65_bits b143_addr_wraps_64 b145_chunk_crosses_tsize; do
		want_status 0 dcpidec "$D/bad/$name.dcpi"
		cp err want
		want_status 1 dcpidec --strict "$D/bad/$name.dcpi"
		same want err
	done
}

@test "what the page leaves open: the table in the manual" {
	local name status strict folder n=0
	while IFS=$'\t' read -r name status strict; do
		case $name in a*) folder=ambig ;; *) folder=bad ;; esac
		want_status "$status" dcpidec "$D/$folder/$name.dcpi"
		if [ $folder = bad ]; then
			grep -q "^$name	policy	" "$D/bad/index.tsv"
		elif [ "$status" -eq 0 ]; then
			counts out >got
			expected "$D/ambig/$name.expect.tsv" >want
			same want got
			if [ "$strict" -eq 0 ]; then silent; else [ -s err ]; fi
		fi
		want_status "$strict" dcpidec --strict "$D/$folder/$name.dcpi"
		n=$((n + 1))
	done < <(sed -n 's/^\.It \([ab][0-9]*_[a-z0-9_]*\) No \([01]\) , \([01]\)$/\1\t\2\t\3/p' "$ROOT/man/dcpidec.1")
	[ "$n" -eq $(($(find "$D/ambig" -name '*.dcpi' | wc -l) + $(grep -c '	policy	' "$D/bad/index.tsv"))) ]
	want_status 0 dcpidec --stride 1 "$D/ambig/a03_stride_overlap.dcpi"
	silent
	want_status 1 dcpidec "$D/ambig/a12_terminator_twice.dcpi"
	said "a12_terminator_twice.dcpi: 0x9b: "
}

@test "addresses past 64 bits are nothing, their offsets stand" {
	want_status 0 dcpidec "$D/bad/b143_addr_wraps_64.dcpi"
	[ "$(grep -c '^sample' out)" -eq 32 ]
	sed -n '/^sample/p' out | sed -n '4,5p' | cut -f 4,6,7,8 >got
	printf '%s\t1\taddr=%s\toff=%s\n' 0xfffffffffffffffc 0xfffffffffffffffc 0xc . . 0x10 >want
	same want got
	want_status 0 dcpidec "$D/bad/b050_tstart_65_bits.dcpi"
	[ "$(grep -c '	addr=\.	off=0x' out)" -eq 6 ]
}

@test "--zeros: each slot is a line" {
	profile '' 16 4 0 7 0 0 1 7 >p
	want_status 0 dcpidec p
	counts out >got
	printf '0x0000000120000014\t7\n' >want
	same want got
	want_status 0 dcpidec --zeros p
	counts out >got
	printf '0x00000001200000%s\t%s\n' 10 0 14 7 18 0 1c 0 >want
	same want got
}

@test "--events: count times period, in 128 bits" {
	want_status 0 dcpidec --events "$D/good/g03_manpage_xemacs.dcpi"
	sed -n 's/.*	events=//p' out >got
	printf '%s\n' 1841152 634880 63488 126976 190464 126976 >want
	same want got
	profile 'period 18446744073709551615' 0 1 4294967295 1 4294967295 >p
	want_status 0 dcpidec --events p
	grep -q '	events=79228162495817593515539431425$' out
	# a period beyond 64 bits is kept as it stands, and nothing is estimated
	profile 'period 18446744073709551616' 0 1 5 1 5 >p
	want_status 0 dcpidec --events p
	said "p:6: period has more than 64 bits"
	[ "$(grep -c '	period=18446744073709551616$' out)" -eq 2 ]
}

@test "options that are wrong" {
	want_status 2 dcpidec --stride 2 p
	said "dcpidec: --stride: not 4 or 1: 2"
	want_status 3 dcpidec --image nowhere p
	said "dcpidec: nowhere: "
	want_status 1 dcpidec --image "$D/good/g01_empty_profile.dcpi" p
	said "not an ELF file"
}

@test "--run: the id of all profiles, in both forms" {
	local f
	for f in "$D/good/g03_manpage_xemacs.dcpi" "$D/text/"*.txt; do
		dcpidec "$f" >plain 2>plain.err || continue
		want_status 0 dcpidec --run 'n17	.' "$f"
		awk -F '\t' -v OFS='\t' '/^[^#]/ { $3 = "n17\\t." } 1' plain >want
		same want out
		same plain.err err
	done
	grep -q 'n17' want
	want_status 2 dcpidec --run '' "$f"
	said "dcpidec: --run needs an id that is not empty"
	mkdir epoch
	cp "$D"/good/g0[13]*.dcpi epoch
	want_status 0 dcpidec --run . epoch
	[ "$(unmarked out | cut -f 3 | sort -u)" = '\.' ]
}

@test "epochs: the time of day, in both centuries" {
	local epoch want
	while read -r epoch want; do
		profile "epoch $epoch" 0 0 >p
		want_status 0 dcpidec p
		grep -q "	wall=$want	" out || fail "$epoch: $(grep ^run out)"
	done <<-END
		7001010000 0
		9612042334 849742440
		9912312359 946684740
		0001010000 946684800
		0402291200 1078056000
		6912312359 3155759940
		199805191724 895598640
		19980519172459 895598699
		200002290000 951782400
		20001231235960 978307200
		000001010000 -62167219200
		210001010000 4102444800
	END
	for epoch in 190002290000 20001231235961 210002290000 9802291200 9800101200 9812322400 9812312400 9812312360 98051917241; do
		profile "epoch $epoch" 0 0 >p
		want_status 1 dcpidec p
		said "dcpidec: p:3: epoch "
	done
	while read -r epoch want; do
		profile "epoch $epoch" 0 0 >p
		want_status 1 dcpidec p
		said "dcpidec: p:3: epoch has a $want that does not exist: $epoch"
	done <<-END
		9813190000 month
		9802290000 day
		9812312360 minute
		20001231235961 second
		20001231005961 second
	END
}

@test "text of the header is kept byte for byte, and forges nothing" {
	header $'platform a\tb\\c\x1b[2J\xff' $'odd=word x\ty  ' $'\xc3\xa9 .' >p
	u32 0 0 >>p
	want_status 0 dcpidec p
	[ "$(grep -c '^run' out)" -eq 1 ]
	grep '^run' out | tr '\t' '\n' | grep -E '^hdr\.(platform|odd|.*=\\\.)' >got
	printf '%s\n' 'hdr.platform=a\tb\\c\x1b[2J\xff' 'hdr.odd\x3dword=x\ty  ' $'hdr.\xc3\xa9=\\.' >want
	same want got
	want_status 1 dcpidec --strict p
	said "p:4: platform has a byte that is not ASCII"
}

@test "what is no profile, and what nearly is one" {
	local f=$D/good/g03_manpage_xemacs.dcpi text
	while IFS='|' read -r command text; do
		sh -c "$command" sh "$f" >p
		want_status 1 dcpidec p
		said "dcpidec: p$text"
		[ "$(grep -c '^run' out)" -eq 0 ]
	done <<-'END'
		sed 's/^epoch .*/epoch 9805192524/' "$1"|:3: epoch has an hour that does not exist: 9805192524
		:|: 0x0: empty file
		echo hello|: 0x0: not a DCPI profile
		echo hello world|: 0x0: not a DCPI profile
		printf '\037\213\010'|: this is a gzip file, not a DCPI profile: put 'gzip -dc FILE |' in front
		printf '\211PNG\r\n\032\n'|: this is a PNG picture, not a DCPI profile
		printf '\001\002\r\n\032\n'|: 0x0: not a DCPI profile
		printf 'PERFILE2\000\000\n'|: this is a recording of perf, not a DCPI profile: perfdec reads it
		printf '\357\273\277'; cat "$1"|:1: a byte order mark before the first word
		printf ' '; cat "$1"|:1: header line begins with a blank
		echo; cat "$1"|:1: empty line in the header
		printf '\r'; cat "$1"|:1: a control byte before the first word
		printf '\140b\000\n'|: 0x0: not a DCPI profile: it begins with neither
		printf '\174\000\n'|: 0x0: not a DCPI profile: it begins with neither
		printf 'a~b\000\n'|:1: NUL in a word of the header, or no samples line before the counts
		printf 'z\000\n'|:1: NUL in a word of the header, or no samples line before the counts
		sed 's/^samples.*/x y/' "$1"|:11: NUL in a word of the header, or no samples line before the counts
		sed 's/^samples/samples x/' "$1"|:10: only blanks may follow samples
		sed '3s/$/\n/' "$1"|:4: empty line in the header
		head -n 9 "$1"|: 0x93: header cut short: no samples line
		head -c 100 "$1"|: 0x64: header cut short: no samples line
	END
}

@test "the header's lines may come in any order, blanks and tabs between word and value" {
	{
		header | sed '$d' | sort -r | sed 's/ / \t /'
		printf '# a line of somebody\nsamples \t\n'
		u32 8 1 5 1 5
	} >p
	want_status 0 dcpidec p
	silent
	grep -q '	hdr.version=pdb-0.07	hdr.tstart=120000000	.*	hdr.#=a line of somebody$' out
	counts out >got
	printf '0x0000000120000008\t5\n' >want
	same want got
}

@test "a folder of profiles with long headers" {
	local i
	mkdir folder
	for i in 1 2 3; do
		{
			header | sed '$d'
			printf 'long '
			head -c 600000 /dev/zero | tr '\0' $i
			echo
			echo samples
			u32 8 1 5 1 5
		} >folder/p$i
	done
	want_status 0 dcpidec folder
	silent
	grep '^run' out | tr '\t' '\n' | grep '^hdr\.long=' | awk '{ print length, substr($0, 1, 10) }' >got
	printf '600009 hdr.long=%d\n' 1 2 3 | same - got
}

@test "a header of more than 1 MiB, or with too many events, is refused" {
	{
		header | sed '$d'
		for i in 1 2 3 4 5; do
			printf 'long%d ' $i
			head -c 250000 /dev/zero | tr '\0' x
			echo
		done
		echo samples
		u32 0 0
	} >p
	want_status 1 dcpidec p
	said "header longer than 1048576 bytes"
	{
		grep -v '^event\|^0x' "$D/text/one.txt"
		seq 257 | sed 's/.*/event 0 e&:1:10000/'
	} >p.txt
	want_status 1 dcpidec p.txt
	said "more than 256 events"
}

# long_header LINES [WORD]: a profile whose header has so many unknown lines.
long_header() {
	header | sed '$d'
	seq "$1" | sed "s/^/${2-w} /"
	echo samples
	u32 0 0
}

@test "a header has as many lines as find room in it" {
	local n
	n=$(((1048576 - $(header | wc -c)) / 4))
	{
		header | sed '$d'
		yes 'w 1' | head -n $n
		echo samples
		u32 0 0
	} >p
	want_status 0 dcpidec p
	silent
	[ "$(grep '^run' out | tr '\t' '\n' | grep -c '^hdr\.w=1$')" -eq $n ]
	cp out in.ev
	want_status 0 dcpienc in.ev
	[ "$(grep -acx 'w 1' out)" -eq $n ]
	[ "$(wc -c <out)" -ge 1048000 ]
	sed 's/^samples/w 1\nw 1\n&/' p >q
	want_status 1 dcpidec q
	said "header longer than 1048576 bytes"
}

# bats test_tags=slow
@test "long headers take no time that grows with the square of their lines" {
	need valgrind
	long_header 5000 >few
	long_header 50000 >many
	linear few many dcpidec
	# a line that is doubtful each time
	{
		long_header 5000 | sed '/^period/d; s/^w /period /; s/^samples/period 5\n&/'
	} >few
	{
		long_header 50000 | sed '/^period/d; s/^w /period /; s/^samples/period 5\n&/'
	} >many
	linear few many dcpidec
	# text: events among lines of other words
	for n in 5000 50000; do
		{
			grep -v '^0x' "$D/text/one.txt" | sed '/^event/d'
			seq $n | sed 's/^/w /'
			seq 250 | sed 's/.*/event 0 e&:1:10000/'
		} >"long.$n"
	done
	linear long.5000 long.50000 dcpidec
}

@test "what stands on each line has 256 bytes at most" {
	local n256 n257 name
	n256=$(printf '1%.0s' $(seq 256))
	n257=1$n256
	for name in image event period; do
		profile "$name $n257" 0 1 1 1 1 >p
		want_status 1 dcpidec p
		said ": $name of 257 bytes: more than 256 are not accepted"
		profile "$name $n256" 0 1 1 1 1 >p
		want_status 0 dcpidec p
	done
	sed "s/^image .*/image $n257/" "$D/text/one.txt" >p.txt
	want_status 1 dcpidec p.txt
	said "dcpidec: p.txt:2: image of 257 bytes"
	sed "s/42 cycles/42 $n257/" "$D/text/one.txt" >p.txt
	want_status 1 dcpidec p.txt
	said "dcpidec: p.txt:10: event of 257 bytes"
}

@test "of a damaged profile what stands before the damage is printed" {
	profile '' 0 2 3 4 64 1 5 32 1 6 4 18 >p
	want_status 1 dcpidec p
	said "dcpidec: p: 0xb7: chunk offset 32 after 64: offsets must increase"
	counts out >got
	printf '0x00000001200000%s\t%s\n' 00 3 04 4 40 5 >want
	same want got
}

@test "what follows a footer is said, also where parsing goes on for a while" {
	# 1 address and 9 samples: as a chunk's header, 9 counts at offset 1
	profile '' 0 1 9 1 9 >p
	head -c 60 /dev/zero >>p
	want_status 1 dcpidec --stride 1 p
	said "dcpidec: p: 0xa7: this looks like the footer, but has 60 bytes after it"
	want_status 1 sh -c 'cat p | dcpidec --stride 1'
	said "dcpidec: -: 0xa7: this looks like the footer, but has 60 bytes after it"
}

@test "a large profile: windows and chunks end anywhere, and each count is there once" {
	dcpimake 700001 3 99999 >p
	want_status 0 dcpidec p
	silent
	counts out >got
	[ "$(wc -l <got)" -eq 233334 ]
	# told by od instead: skip each chunk's header, count in fours
	tail -c +$(($(grep -abo 'samples' p | head -n 1 | cut -d : -f 1) + 9)) p | od -An -v -tu4 -w4 | awk '
		slots == 0 { getline n; slots = n; base = $1; i = 0; next }
		{ if ($1 > 0) printf "0x00000001%08x\t%d\n", 536870912 + base + 4 * i, $1; i++; slots-- }' >want
	same want got
	want_status 0 sh -c 'dd if=p bs=4093 2>/dev/null | dcpidec'
	counts out >got
	same want got
}

# ---- the text of dcpicat

@test "dcpicat's text: profiles, events, sample sets" {
	want_status 0 dcpidec --events - <"$D/text/two.txt"
	echo 'dcpidec: 2 images: addresses without names, which several may have (afagg --by image,region)' | same - err
	same "$D/text/two.ev" out
	want_status 0 sh -c "cat '$D/text/two.txt' | dcpidec --events"
	same "$D/text/two.ev" out
}

@test "a profile that one input has twice is a doubt, in text and in a directory" {
	local what
	cat "$D/text/one.txt" "$D/text/one.txt" >twice.txt
	mkdir twice
	cp "$ROOT/share/dcpi/profile" twice/a
	cp twice/a twice/b
	for what in twice.txt twice; do
		want_status 0 dcpidec "$what"
		said ' comes twice in this input: is it counted twice?'
		tail -n 1 out | grep -q '	complete	twice=1$' || fail "$what" || return
		want_status 1 dcpidec --strict "$what"
		# an id from the command line is meant for all
		want_status 0 dcpidec --run 7 "$what"
		[ "$(grep -c twice err)" -eq 0 ]
		tail -n 1 out | grep -q '	complete$' || fail "$what" || return
	done
}

# wrong SED-SCRIPT TEXT: the text sample changed so is refused with this message.
wrong() {
	sed "$1" "$D/text/one.txt" >p.txt
	want_status 1 dcpidec p.txt && said "dcpidec: p.txt:$2"
}

@test "dcpicat's text: what is refused, and where" {
	wrong '/^event/d;/text_size/d' "9: no 'text_size' line in the header"
	wrong '/^event/d' "10: no 'event' line in the header"
	wrong 's/^text_size .*/text_size 0x/' "9: text_size is not a hexadecimal number of 64 bits: 0x"
	wrong 's/^text_size .*/text_size 0x10000000000000000/' "9: text_size is not a hexadecimal number of 64 bits"
	local event
	for event in 'cycles:63488:10000' '42' '99999999999999999999 cycles:63488:10000' '42 cycles::10000' \
		'42 cycles:63488:x' '42 cycles:63488:' '42 cycles:99999999999999999999:1' '42 :63488:1' '42 set::63488:1' \
		'42 :name:63488:1' '42 1:2' '42x cycles:63488:1'; do
		wrong "s/^event  *42.*/event $event/" "10: event is not WEIGHT [SET:]NAME:PERIOD:SHARE"
	done
	wrong '/^platform/p' "8: second 'platform' line"
	wrong 's/^image .*/image xyz/' "2: bad hex digit in image: xyz"
	wrong 's/^epoch .*/epoch 199813191724/' "6: epoch is not YYYYMMDDHHMM"
	wrong 's/^text_size .*/text_size 8388608/' "9: text_size is not a hexadecimal number of 64 bits"
	wrong 's/cycles:63488:10000/cycles:63488/' "10: event is not WEIGHT [SET:]NAME:PERIOD:SHARE"
	wrong 's/^event  *42/event 43/' "10: event gives 43 samples, rows have 42"
	wrong '12s/27$//' "12: 1 counts, and 2 events"
	wrong '12s/27$/27 5/' "12: more counts than the 2 events"
	wrong '12s/27$/2x/' "12: not a count: 2x"
	wrong '13s/cbd0/cbb8/' "13: address 0x12006cbb8 after 0x12006cbb8: addresses must increase"
	wrong '13s/0x0/0xg/' "13: not a 64-bit address: 0xg"
	wrong '13s/0x0*12006cbd0/0x/' "13: not a 64-bit address: 0x"
	wrong '13s/0x0*12006cbd0/0x10000000000000000/' "13: not a 64-bit address: 0x10000000000000000"
	wrong '13s/  10 / 99999999999999999999 /' "13: not a count: 99999999999999999999"
	wrong '13s/  10 / 18446744073709551615 /' "13: the counts of this event exceed 64 bits"
	{ cat "$D/text/one.txt" && head -c 1048577 /dev/zero | tr '\0' x; } >p.txt
	want_status 1 dcpidec p.txt
	said "line longer than 1 MiB"
	{ head -n 1 "$D/text/one.txt" && head -c 600000 /dev/zero | tr '\0' x | sed 's/.*/a &\nb &/' && echo; } >p.txt
	want_status 1 dcpidec p.txt
	echo 'dcpidec: p.txt:3: header longer than 1048576 bytes' | same - err
	head -c 500 "$D/text/one.txt" | sed '$s/$//' | head -c -1 >p.txt
	want_status 1 dcpidec p.txt
	said "the last line has no newline: cut short"
}

@test "dcpicat's text: tabs and blanks around words, upper-case digits, an empty last profile" {
	want_status 0 dcpidec "$D/text/one.txt"
	cp out want
	sed -e 's/^event  */event\t/' -e 's/^event\t42 /event\t42\t/' -e '12,$s/^0x/\t 0X/' -e '12,$s/cb/CB/' -e '12,$s/  */ \t /g' -e 's/$/ \t/' \
		"$D/text/one.txt" >p.txt
	echo >>p.txt
	want_status 0 dcpidec p.txt
	unmarked want >want.ev
	unmarked out >got.ev
	# the spelling of the events is in the header and its hash
	sed -i 's/0x[0-9a-f]*/RUN/; s/	hdr.event=[^	]*//g' want.ev got.ev
	same want.ev got.ev
}

@test "dcpicat's text: one profile is damaged, the next is read" {
	sed '13s/cbd0/cbb8/' "$D/text/two.txt" >p.txt
	want_status 1 dcpidec p.txt
	said "dcpidec: p.txt:13: "
	[ "$(grep -c '^run' out)" -eq 2 ]
	[ "$(grep -c '^sample' out)" -eq 3 ]
	# the next has fewer events: none is left of the first
	sed '12s/27$/5/; 13s/cbd0/cbb8/' "$D/text/one.txt" >p.txt
	{ echo && sed '11d; 12,$s/ *[0-9]*$//' "$D/text/one.txt"; } >>p.txt
	want_status 1 dcpidec p.txt
	said "dcpidec: p.txt:13: "
	[ "$(wc -l <err)" -eq 1 ]
	# each profile has its own warnings, also after one that ends with its first line
	{ printf 'name \n' && cat "$D/text/one.txt"; } | sed 's/$/\r/' >p.txt
	want_status 1 dcpidec p.txt
	printf 'dcpidec: p.txt:%s\n' '1: lines end in CR LF' '1: no value for name' '2: lines end in CR LF' | same - err
}

@test "dcpicat's text: doubts warn, and are refused with --strict" {
	local script said
	while IFS='|' read -r script said; do
		sed "$script" "$D/text/one.txt" >p.txt
		want_status 0 dcpidec p.txt
		said "dcpidec: p.txt:$said"
		want_status 1 dcpidec --strict p.txt
		said "dcpidec: p.txt:$said"
	done <<-'END'
		s/$/\r/|1: lines end in CR LF
		s/retired:m1count:4096/cycles:4096/|11: event cycles appears twice
		s/:63488:/:0:/|10: event cycles has a period of 0
		s/:5000/:0/|11: event retired:m1count has a share of 0
		s/^text_size .*/text_size 0x10/|12: address 0x12006cbb8 lies outside the text
	END
}

@test "what cannot be added up: addresses of several images, samples with several periods" {
	local images periods p=$ROOT/share/dcpi/profile files
	images='dcpidec: 2 images: addresses without names, which several may have (afagg --by image,region)'
	periods='dcpidec: profiles of cycles have different sampling periods, so their samples cannot be compared: --events, and afagg --of events'
	export LC_ALL=C
	sed 's/^image .*/image AABB/' "$p" >image
	sed 's/^period[ 	].*/period 4096/' "$p" >period
	sed 's/^event .*/event imiss/' period >event
	while read -r files; do
		# shellcheck disable=SC2086 # words
		want_status 0 dcpidec $files || return
		{ case $files in *image*) echo "$images" ;; esac; case $files in *period*) echo "$periods" ;; esac; } | same - err || return
	done <<-END
		$p $p
		$p event
		$p image
		image $p image
		period $p
		period image $p
	END
	# in text, also an event that was counted for a part of the time
	sed 's/c18c$/c18b/' "$D/text/two.txt" >same
	want_status 0 dcpidec same
	silent
	sed 's/cycles:63488:10000/cycles:63488:5000/' same >part
	cat same part >both
	want_status 0 dcpidec both
	echo "$periods" | same - err
}

@test "of events that share a counter the estimate is scaled" {
	sed -e 's/:5000/:3000/' "$D/text/one.txt" >p.txt
	want_status 0 dcpidec --events p.txt
	sed -n 's/.*	share=3000	events=//p' out >got
	echo 368640 >want # 27 * 4096 * 10000 / 3000
	same want got
}

# ---- directories, names

@test "a directory: files in bytewise order, others skipped, a damaged one does not stop it" {
	mkdir -p epoch/sub
	cp "$D/good/g03_manpage_xemacs.dcpi" epoch/b
	cp "$D/text/one.txt" epoch/C.txt
	cp "$D/good/g14_high_offset.dcpi" epoch/a
	echo log >epoch/dcpid.log
	: >epoch/empty
	want_status 0 dcpidec epoch
	echo 'dcpidec: epoch/sub: skipped: a directory; and 2 more that are not profiles' >want
	same want err
	unmarked out >got
	for f in epoch/C.txt epoch/a epoch/b; do dcpidec $f; done | sed '/^#/d' >want
	same want got
	[ "$(grep -c '^#' out)" -eq 2 ]
	head -c 170 "$D/good/g03_manpage_xemacs.dcpi" >epoch/Bad
	want_status 1 dcpidec epoch
	said "dcpidec: epoch/Bad: 0x9c: file cut short"
	grep '^sample' want >want.samples
	grep '^sample' out >got
	same want.samples got
	tail -n 1 out | grep -q '	partial	damaged	twice=1$' # it has the header of the whole one
}

@test "a directory: its name may end in a slash, links in a circle are no files, a word may be followed by a tab" {
	mkdir epoch
	sed '1s/ /\t/' "$D/good/g03_manpage_xemacs.dcpi" >epoch/a
	ln -s loop epoch/loop
	want_status 0 dcpidec epoch/
	echo 'dcpidec: epoch/loop: skipped: not a regular file' >want
	same want err
	[ "$(grep -c '^sample' out)" -eq 6 ]
}

@test "a carriage return in one line only" {
	local line
	for line in 'tsize 8388608' 'image 1997' 'tstart 120000000' 'epoch 9805191724' 'cpuspeed 333'; do
		profile "$line"$'\r' 0 1 1 1 1 >p
		want_status 1 dcpidec p
		said "carriage return in ${line%% *} (was the file changed by a text-mode transfer?)"
	done
	profile $'word\r' 0 1 1 1 1 >p
	want_status 1 dcpidec p
	said 'no value for word\r: carriage return (was the file changed by a text-mode transfer?)'
	header | sed $'s/^samples$/samples\rx/' >p
	want_status 1 dcpidec p
	echo 'dcpidec: p:10: only blanks may follow samples' | same - err
}

@test "numbers of a header that may be 0, and a version that is too short" {
	profile 'tsize 0|cpuimplv 0|cpucount 0' 0 0 >p
	want_status 0 dcpidec --strict p
	silent
	[[ $(grep '^run' out) == *"	hdr.tsize=0	hdr.cpuspeed=333	hdr.cpuimplv=0	hdr.cpucount=0" ]]
	profile 'version 7' 0 1 1 1 1 >p
	want_status 1 dcpidec p
	echo 'dcpidec: p:1: bad version, not pdb-MAJOR.MINOR: 7' | same - err
}

@test "a directory: what is skipped is one note, and hides no error" {
	local i
	mkdir d
	for i in $(seq 30); do echo log >"d/a$i"; done
	cp "$D/good/g03_manpage_xemacs.dcpi" d/p
	want_status 0 dcpidec d
	echo 'dcpidec: d/a1: skipped: it begins with neither version nor name; and 29 more that are not profiles' >want
	same want err
	for i in $(seq 2 30); do rm "d/a$i"; done
	head -c -1 "$D/good/g03_manpage_xemacs.dcpi" >d/p
	want_status 1 dcpidec d
	said 'dcpidec: d/p: 0x'
	said 'dcpidec: d/a1: skipped: it begins with neither version nor name'
}

@test "a directory: a file that cannot be looked at is no file that may be passed over" {
	local status=0
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers do not run under strace"
	need strace
	mkdir d
	cp "$D/good/g03_manpage_xemacs.dcpi" d/p
	cp "$D/good/g14_high_offset.dcpi" d/q
	ln -s nowhere d/gone
	ln -s /dev/zero d/zero
	ln -s /proc/version d/kernel
	want_status 1 timeout 20 dcpidec d
	said 'dcpidec: d/kernel: not a regular file'
	said 'dcpidec: d/gone: skipped: not a regular file; and 1 more that are not profiles'
	rm d/kernel
	strace -qq -o trace -P d/q -e inject=stat,newfstatat,fstatat64:error=EIO:when=1 dcpidec d >out 2>err || status=$?
	grep -q INJECTED trace || skip "strace injects nothing here"
	# opened all the same, or said
	[ $status -eq 0 ] || [ $status -eq 3 ] || fail "status $status"
	[ "$(grep -c '^run' out)" -eq 2 ] || [ $status -eq 3 ]
	status=0
	strace -qq -o trace -P d/q -e inject=stat,newfstatat,fstatat64,openat,open:error=EIO dcpidec d >out 2>err || status=$?
	[ $status -eq 3 ] || fail "status $status"
	said 'dcpidec: d/q: cannot open: Input/output error'
	tail -n 1 out | grep -q '	partial	'
}

@test "doubts of one kind are said once of a profile" {
	local i
	{
		header | sed '$d'
		for i in $(seq 30); do printf 'path \xe9%d\n' "$i"; done
		for i in $(seq 30); do printf 'path %d\0\n' "$i"; done
		for i in $(seq 30); do printf 'period 0\n'; done
		for i in $(seq 30); do printf 'note \xe9\r\n'; done
		echo samples
		u32 0 1 1 1 1
	} >p
	want_status 0 dcpidec p
	printf 'dcpidec: p:%s\n' '10: path has a byte that is not ASCII' '40: path has a NUL byte' \
		"70: second 'period' line" '70: period is 0' '100: a header line ends in a carriage return' >want
	same want err
	# of the next one anew
	want_status 0 dcpidec p p
	cat want want >want.both
	same want.both err
	sed 's/^label .*/label \xe9\nlabel \xe9/' "$D/text/one.txt" >p.txt
	{ cat p.txt && sed 's/1998/1999/' p.txt; } >two.txt
	want_status 0 dcpidec two.txt
	printf 'dcpidec: two.txt:%s: a header line has a byte that is not ASCII\n' 3 18 >want
	same want err
}

@test "a binary profile that begins with the word name" {
	{ echo 'name xemacs' && profile '' 0 1 1 1 1; } >p
	want_status 1 dcpidec p
	said "dcpidec: p:11: no value for samples (read as dcpicat's text: a binary profile begins with version)"
}

# alpha FILE [SIZE]: an ELF file of an Alpha, code at 0x120000000, with two procedures, the second of
# that size.
alpha() {
	python3 - "$1" "${2-0xc}" <<'PY'
import struct, sys
base, text = 0x120000000, 0x6c000
names = b"\0alpha_first\0odd\tname\0outside\0"
shnames = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
size = text + 0x1000
def sym(name, value, size, section=1):
    return struct.pack("<IBBHQQ", names.index(name), 0x12, 0, section, value, size)
syms = bytes(24) + sym(b"alpha_first", base + text + 0xbb8, 0x18) + sym(b"odd\tname", base + text + 0xbd0, int(sys.argv[2], 0))
at = [size, size + len(syms), size + len(syms) + len(names)]
shoff = (at[2] + len(shnames) + 7) // 8 * 8
def sec(name, kind, flags, addr, off, size, link=0, info=0, entsize=0):
    return struct.pack("<IIQQQQIIQQ", shnames.index(name), kind, flags, addr, off, size, link, info, 8, entsize)
sections = bytes(64) + sec(b".text", 1, 6, base + text, text, 0x1000) + \
    sec(b".symtab", 2, 0, 0, at[0], len(syms), 3, 1, 24) + sec(b".strtab", 3, 0, 0, at[1], len(names)) + \
    sec(b".shstrtab", 3, 0, 0, at[2], len(shnames))
head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 0x9026, 1, base, 64, shoff, 0, 64, 56, 1, 64, 5, 4)
load = struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, size, size, 0x2000)
data = (head + load).ljust(size, b"\0") + syms + names + shnames
open(sys.argv[1], "wb").write(data.ljust(shoff, b"\0") + sections)
PY
}

@test "--image: procedures of an Alpha's ELF file" {
	need python3
	alpha image
	want_status 0 dcpidec --image image "$D/good/g03_manpage_xemacs.dcpi"
	silent
	grep '^sample' out | cut -f 4,6 >got
	printf '%s\t%s\n' alpha_first 29 'odd\tname' 10 'odd\tname' 1 'odd\tname' 2 0x000000012006cbe0 3 \
		0x000000012006cbe8 2 >want
	same want got
	# but for the region nothing changes
	cut -f 1-3,5- out >got
	dcpidec "$D/good/g03_manpage_xemacs.dcpi" | cut -f 1-3,5- >want
	same want got
	# addresses before the image are in none of its procedures
	profile 'tstart 1000' 0 1 7 1 7 >p
	want_status 0 dcpidec --image image p
	echo 'dcpidec: image: none of the addresses is in one of its procedures' | same - err
	[[ $(grep '^sample' out) == *$'\t0x0000000000001000\tcycles\t7\taddr=0x0000000000001000\t'* ]]
	# where there is no address there is no procedure either
	want_status 0 dcpidec --image image "$D/bad/b143_addr_wraps_64.dcpi"
	sed '/^sample/!d' out | sed -n '4,5p' | cut -f 4,7,8 >got
	lines >want <<-'END'
		0xfffffffffffffffc addr=0xfffffffffffffffc off=0xc
		. addr=. off=0x10
	END
	same want got
	want_status 0 dcpidec --image image "$D/text/one.txt"
	silent
	[ "$(grep -c '	alpha_first	' out)" -eq 2 ]
	# a procedure that is said to reach beyond what is loaded ends there
	alpha image 0x2000
	profile '' $((0x6cfec)) 7 1 2 3 4 5 6 7 7 28 >p
	want_status 0 dcpidec --image image p
	silent
	grep '^sample' out | cut -f 4,6 >got
	printf '%s\t%s\n' 'odd\tname' 1 'odd\tname' 2 'odd\tname' 3 'odd\tname' 4 'odd\tname' 5 \
		0x000000012006d000 6 0x000000012006d004 7 >want
	same want got
	# the image of another program
	sed 's/^0x[0-9a-f]*/0x7&/; s/^0x70x/0x7/' "$D/text/one.txt" >p
	want_status 0 dcpidec --image image p
	said "dcpidec: image: none of the addresses is in one of its procedures"
}

# epoch: a folder with the profiles of three images, of which the second has the path of the example.
epoch() {
	local f=$D/good/g03_manpage_xemacs.dcpi
	mkdir epoch
	sed 's/^image .*/image 20011105113012a81f04\npath \/vmunix/' "$f" >epoch/a
	sed 's/^image .*/&\npath \/usr\/local\/bin\/xemacs/' "$f" >epoch/b
	sed 's/^image .*/image 19970328081403c0c18c/' "$f" >epoch/c
}

# named: prints how many lines of which images have the name of a procedure.
named() {
	grep '	alpha_first	' out | sed 's/.*	image=\([^	]*\).*/\1/' | sort | uniq -c | sed 's/^ *//'
}

@test "--image: the image is that of the profiles whose path has its name, wherever they are" {
	need python3
	alpha xemacs
	epoch
	echo 'dcpidec: 2 other images: addresses without names, which several may have (afagg --by image,region)' >note
	want_status 0 dcpidec --image xemacs epoch
	same note err
	named | same - <(echo 1 19970328081403c0c18b)
	# but for the regions nothing changes
	unmarked out | cut -f 1-3,5- >got
	dcpidec epoch | sed '/^#/d' | cut -f 1-3,5- | same - got
	want_status 0 dcpidec --image xemacs epoch/c epoch/a epoch/b
	same note err
	named | same - <(echo 1 19970328081403c0c18b)
	# another profile of that image, without its path or with another one
	sed '/^path /d; s/^event .*/event imiss/' epoch/b >epoch/0
	want_status 0 dcpidec --image ./xemacs epoch
	named | same - <(echo 2 19970328081403c0c18b)
	# the second of two paths; text
	mv xemacs x
	want_status 0 dcpidec --image x "$D/text/two.txt"
	echo 'dcpidec: 1 other image: addresses without names' | same - err
	named | same - <(echo 2 19970328081403c0c18b)
	# a file is one image, several are several
	cp x vmunix
	cp x xemacs
	want_status 0 dcpidec --image xemacs --image vmunix epoch
	echo 'dcpidec: 1 other image: addresses without names' | same - err
	named | same - <(printf '%s\n' '2 19970328081403c0c18b' '1 20011105113012a81f04')
	mkdir d
	cp x d/xemacs
	want_status 2 dcpidec --image xemacs --image d/xemacs epoch
	said 'dcpidec: --image: xemacs and d/xemacs have the same name'
}

@test "--image: a file that is the image of no profile, or of two, is used for none" {
	need python3
	alpha image
	epoch
	echo 'dcpidec: image: no profile is of an image with this name, but of /vmunix,' \
		'/usr/local/bin/xemacs, 19970328081403c0c18c: give the file such a name, or only the' \
		'profiles of its image' >want
	for operands in epoch 'epoch/a epoch/b epoch/c'; do
		# shellcheck disable=SC2086 # several
		want_status 1 dcpidec --image image $operands
		same want err
		[ ! -s out ]
	done
	# each of them alone
	for f in a b c; do
		want_status 0 dcpidec --image image epoch/$f
		silent
		[ "$(named | wc -l)" -eq 1 ]
		want_status 0 sh -c "cat epoch/$f | dcpidec --image image"
		silent
		[ "$(named | wc -l)" -eq 1 ]
	done
	# two profiles of one image
	cp epoch/b again
	want_status 0 dcpidec --image image epoch/b again
	silent
	named | same - <(echo 2 19970328081403c0c18b)
	# two images of that name
	mv image xemacs
	sed 's/^image .*/image 19990328081403c0c18b/' epoch/b >epoch/d
	want_status 1 dcpidec --image xemacs epoch
	echo 'dcpidec: xemacs: the profiles have two images with this name, 19970328081403c0c18b and' \
		'19990328081403c0c18b: give the profiles of one of them' | same - err
	[ ! -s out ]
	# of many, the first are named
	for i in $(seq 10 40); do sed "s/^image .*/image $i/; s/^path .*/path \/bin\/$i/" epoch/a >"epoch/a$i"; done
	rm epoch/b epoch/d
	want_status 1 dcpidec --image xemacs epoch
	grep -q ', but of /vmunix, /bin/10, .*, /bin/2[0-9], \.\.\.: give the file ' err || fail "$(cat err)"
}

@test "--image: a profile that cannot be looked at is no reason to tell another image" {
	need python3
	alpha image
	epoch
	ln -s loop loop
	want_status 3 dcpidec --image image epoch/b loop
	echo 'dcpidec: loop: cannot open: Too many levels of symbolic links' | same - err
	[ ! -s out ]
	# what is not there has no profile
	want_status 3 dcpidec --image image epoch/b gone
	echo 'dcpidec: gone: cannot open: No such file or directory' | same - err
	named | same - <(echo 1 19970328081403c0c18b)
	want_status 3 dcpidec --image image epoch/b epoch/b/x
	echo 'dcpidec: epoch/b/x: cannot open: Not a directory' | same - err
	named | same - <(echo 1 19970328081403c0c18b)
	# nothing is said of the image where there is no profile at all
	want_status 3 dcpidec --image image gone
	echo 'dcpidec: gone: cannot open: No such file or directory' | same - err
	[ ! -r /proc/self/mem ] || [[ ${CFLAGS-} == *sanitize* ]] || {
		want_status 3 dcpidec --image image /proc/self/mem
		echo 'dcpidec: /proc/self/mem: cannot read: Input/output error' | same - err
	}
}

@test "--image: text from a pipe, which cannot be read twice" {
	need python3
	alpha xemacs
	want_status 0 sh -c "cat '$D/text/two.txt' | dcpidec --image xemacs"
	echo 'dcpidec: 1 other image: addresses without names' | same - err
	named | same - <(echo 2 19970328081403c0c18b)
	# one profile may have any name, the first of several may not
	mv xemacs image
	want_status 0 sh -c "cat '$D/text/one.txt' | dcpidec --image image -"
	silent
	named | same - <(echo 2 19970328081403c0c18b)
	want_status 1 sh -c "cat '$D/text/two.txt' | dcpidec --image image"
	said 'dcpidec: image: no profile is of an image with this name, but of /usr/local/bin/xemacs, '
	[ -z "$(named)" ]
	tail -n 1 out | grep -q '	partial	input incomplete or refused$'
	want_status 1 dcpidec --image image - "$D/text/one.txt" <"$D/good/g14_high_offset.dcpi"
	[ -z "$(named)" ]
	# its name comes too late
	{
		sed '/^path/d' "$D/text/one.txt"
		cat "$D/text/one.txt"
	} >both.txt
	mv image xemacs
	want_status 1 sh -c 'cat both.txt | dcpidec --image xemacs'
	said 'dcpidec: xemacs: the first profiles of this image lack its path, so they were read without names: put'
	want_status 0 dcpidec --image xemacs both.txt
	silent
	named | same - <(echo 4 19970328081403c0c18b)
	# the name of two images
	{
		cat "$D/text/one.txt"
		sed 's/^image .*/image 19990328081403c0c18b/' "$D/text/one.txt"
	} >both.txt
	want_status 1 sh -c 'cat both.txt | dcpidec --image xemacs'
	said 'dcpidec: xemacs: the profiles have two images with this name, 19970328081403c0c18b and 1999'
	tail -n 1 out | grep -q '	partial	input incomplete or refused$'
	want_status 1 dcpidec --image xemacs both.txt
	[ ! -s out ]
	# more than is read ahead
	{
		sed '/^event/d; /^0x/d' "$D/text/one.txt"
		printf 'event %d cycles:1:10000\n' 1200000
		seq -f '%.0f' 4831838208 4 4836638204 | awk '{ printf "0x%x 1\n", $1 }'
	} >long.txt
	[ "$(wc -c <long.txt)" -gt 16777216 ]
	mv xemacs image
	want_status 1 sh -c 'cat long.txt | dcpidec --image image'
	said 'dcpidec: image: no profile is of an image with this name, but of /usr/local/bin/xemacs: '
	want_status 0 dcpidec --image image long.txt
}

@test "a directory of epochs is not one: which to give" {
	mkdir -p db/200212042334 db/200212052334
	echo log >db/dcpid.log
	want_status 1 dcpidec db
	echo 'dcpidec: db: a directory without a profile in it: give an epoch in it, such as db/200212042334' |
		same - err
	# beside profiles they are skipped
	cp "$D/good/g03_manpage_xemacs.dcpi" db
	want_status 0 dcpidec db
	echo 'dcpidec: db/200212042334: skipped: a directory; and 2 more that are not profiles' | same - err
	# nothing in it, only other files, only what is no file
	mkdir none log link
	want_status 1 dcpidec none
	echo 'dcpidec: none: a directory without a profile in it' | same - err
	echo x >log/dcpid.log
	want_status 1 dcpidec log
	printf 'dcpidec: log%s\n' '/dcpid.log: skipped: it begins with neither version nor name' \
		': a directory without a profile in it' | same - err
	ln -s nowhere link/gone
	want_status 1 dcpidec link
	printf 'dcpidec: link%s\n' '/gone: skipped: not a regular file' ': a directory without a profile in it' |
		same - err
}

@test "--image: names of C++ procedures as the source spells them" {
	need python3
	alpha image
	# the same length, so nothing else in the file moves
	LC_ALL=C sed 's/alpha_first/_ZN3a_b1cEv/' image >mangled
	want_status 0 dcpidec --image mangled "$D/good/g03_manpage_xemacs.dcpi"
	silent
	[ "$(grep '^sample' out | cut -f 4 | head -n 2 | tr '\n' ' ')" = 'a_b::c odd\tname ' ]
	want_status 0 dcpidec --image mangled --no-demangle "$D/good/g03_manpage_xemacs.dcpi"
	[ "$(grep '^sample' out | cut -f 4 | head -n 1)" = _ZN3a_b1cEv ]
}

@test "memory that runs out, at each of its allocations" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers have an allocator of their own"
	need python3
	local k n=0 status step=5
	[ -z "${AFPIPE_SLOW-}" ] || step=1
	helpers nomem.so || skip "no preloading here"
	alpha xemacs
	dcpidec --image xemacs "$D/good/g03_manpage_xemacs.dcpi" "$D/text/two.txt" >want 2>/dev/null
	for ((k = 1; n < 20; k += step)); do # no allocation fails beyond the last
		status=0
		LD_PRELOAD=$HELPERS/nomem.so AFPIPE_SANDBOX=0 NOMEM=$k dcpidec --image xemacs "$D/good/g03_manpage_xemacs.dcpi" \
			"$D/text/two.txt" >out 2>err || status=$?
		if [ $status -eq 0 ]; then
			same want out || fail "allocation $k"
			n=$((n + 1))
		elif ! grep -q '^dcpidec: xemacs: ' err; then # libelf says of some that it is no ELF file
			[ $status -eq 3 ] || fail "allocation $k: status $status: $(cat err)"
		fi
	done
	[ "$k" -gt 30 ]
}

# ---- damage

@test "all prefixes of small profiles are refused, and their samples are the whole's" {
	want_status 0 fuzz-dcpi --prefixes 1 "$D"/good/{g03_manpage_xemacs,g06_all_optional,g18_text_in_counts}.dcpi \
		"$D"/good/{g01_empty_profile,g14_high_offset}.dcpi "$D/text/one.txt"
}

@test "bytes that are flipped give status 0 or 1, and nothing worse" {
	local n=150
	[ -z "${AFPIPE_SLOW-}" ] || n=5000
	want_status 0 fuzz-dcpi --flips $n 1 \
		"$D"/good/{g03_manpage_xemacs,g24_prefix_words,g18_text_in_counts}.dcpi "$D/text/two.txt"
}

@test "what fuzzing has found interesting is still read or refused" {
	want_status 0 fuzz-dcpi "$ROOT"/t/fuzz/corpus/dcpi/* "$D"/bad/*.dcpi "$D"/ambig/*.dcpi \
		"$D"/good/g0*.dcpi "$D"/good/g[23]*.dcpi
}

@test "memory does not grow with a profile, nor with what it says of itself" {
	[[ ${CFLAGS-} != *sanitize* ]] || skip "sanitizers use memory of their own"
	{
		header 'tsize 4294967295'
		u32 0 16777216
		head -c 67108864 /dev/zero
		u32 134217728 1 9 1 9
	} >p
	want_status 0 rss used dcpidec p
	[ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 16384 ] || fail "KiB used: $(cat used)"
	want_status 0 sh -c "cat p | rss used dcpidec"
	[ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 16384 ] || fail "KiB used: $(cat used)"
	want_status 1 sh -c "cat '$D/bad/b110_number_3fffffff.dcpi' | rss used dcpidec"
	[ "$(cut -d ' ' -f 2 used | cut -d . -f 1)" -lt 16384 ] || fail "KiB used: $(cat used)"
}

@test "another kind of input is recognized in a pipe, too, although it comes in pieces" {
	{
		printf 'main;%090d;b' 0
		sleep 0.05
		printf ' 5\nmain;c 7\n'
	} | want_status 1 dcpidec
	echo 'dcpidec: -: 0x0: this is folded stacks, not a DCPI profile' | same - "$T/err"
}

@test "--image: a file without code" {
	need python3
	alpha image
	# its segments are not executable
	python3 - <<-'EOF'
	import struct
	b = bytearray(open("image", "rb").read())
	at, size, n = struct.unpack_from("<Q", b, 32)[0], *struct.unpack_from("<HH", b, 54)
	for i in range(n):
	    flags, = struct.unpack_from("<I", b, at + i * size + 4)
	    struct.pack_into("<I", b, at + i * size + 4, flags & ~1)
	open("data", "wb").write(b)
	EOF
	want_status 1 dcpidec --image data "$D/good/g03_manpage_xemacs.dcpi"
	echo 'dcpidec: data: no code in it' | same - err
	[ ! -s out ]
}
