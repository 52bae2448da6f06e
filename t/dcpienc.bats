# SPDX-License-Identifier: ISC
# dcpienc.bats - the stream to a DCPI profile: rounds, merges, and what is refused.

load lib
load dcpi

# refused TEXT FILE...: their stream is refused so, and what was written is no profile.
refused() {
	local text=$1
	shift
	dcpidec "$@" >in.ev && want_status 1 dcpienc in.ev && said "$text" || return
	cp out part
	want_status 1 dcpidec part
}

# merged FILE...: their sum is in $T/out, and is said to be whole.
merged() {
	want_status 0 sh -c 'dcpidec "$@" | afagg --by addr,image --stat sum | dcpienc' sh "$@"
}

# bats test_tags=quick
@test "there and back: header and counts are the same, and bytes from the second pass on" {
	local f
	for f in "$D"/good/*.dcpi "$D"/ambig/a0[12679]*.dcpi "$D"/ambig/a1[013]*.dcpi \
		"$D"/bad/b14[35]*.dcpi; do
		dcpidec "$f" 2>/dev/null | sed '/^#/d' >first.ev
		want_status 0 dcpienc first.ev
		silent
		cp out first
		dcpidec first 2>/dev/null | sed '/^#/d' >second.ev
		same first.ev second.ev
		want_status 0 dcpienc second.ev
		same first out
	done
}

@test "with a stride of one, too" {
	local f
	for f in "$D"/good/*.dcpi "$D"/ambig/a03*.dcpi; do
		dcpidec --stride 1 "$f" | sed '/^#/d' >first.ev
		want_status 0 dcpienc first.ev
		cp out first
		dcpidec --stride 1 first | sed '/^#/d' >second.ev
		same first.ev second.ev
	done
}

@test "a profile, byte for byte" {
	# up to two slots without a count are filled in, three part two chunks
	profile '' 0 1 7 12 1 8 28 1 9 44 3 0 5 0 4 29 >p
	want_status 0 sh -c 'dcpidec p | dcpienc'
	{
		header | padded
		u32 0 4 7 0 0 8 28 1 9 48 1 5 4 29
	} >want
	same want out
}

@test "the counts stand on a multiple of four bytes" {
	local name
	for name in w ww www wwww; do
		profile "platform $name" 0 1 7 1 7 >p
		want_status 0 sh -c 'dcpidec p | dcpienc'
		[ $(($(wc -c <out) % 4)) -eq 0 ]
		tail -c 20 out >got
		u32 0 1 7 1 7 >want
		same want got
	done
}

@test "counts of zero leave no trace" {
	profile '' 0 3 0 7 0 1 7 >p
	want_status 0 sh -c 'dcpidec --zeros p | dcpienc'
	tail -c 20 out >got
	u32 4 1 7 1 7 >want
	same want got
	want_status 0 sh -c "dcpidec '$D/good/g25_all_zero_chunk.dcpi' | dcpienc"
	tail -c 8 out >got
	u32 0 0 >want
	same want got
}

# ---- several profiles

@test "a merge, its sums worked out by hand" {
	# offset   0    4    8   12   64   96
	# a       10    1         2    3
	# b             5    6         4    8
	# sum     10    6    6    2    7    8     of 6 addresses 39
	profile 'epoch 9805191724|label x|path /a' 0 4 10 1 0 2 64 1 3 4 16 >a
	profile 'epoch 9705191724|path /b|label x|note y' 4 2 5 6 64 1 4 96 1 8 4 23 >b
	merged a b
	silent
	{
		header 'epoch 9705191724' 'label x' 'path /a' 'path /b' 'note y' | padded
		u32 0 4 10 6 6 2 64 1 7 96 1 8 6 39
	} >want
	same want out
	dcpidec out >sum.ev
	counts sum.ev >got
	printf '0x00000001200000%s\t%s\n' 00 10 04 6 08 6 0c 2 40 7 60 8 >want
	same want got
}

@test "the earliest of 80000 epochs, each earlier than the one before" {
	dcpidec "$D/good/g03_manpage_xemacs.dcpi" | grep -v '^#' >"$T/one"
	{
		awk -F '\t' -v OFS='\t' '/^run/ {
			for (i = 80000; i > 0; i--) {
				$3 = sprintf("0x%016x", i)
				sub(/epoch=[0-9]*/, sprintf("epoch=20191231%02d%02d%02d", i / 3600, i / 60 % 60, i % 60))
				print
			}
		}' "$T/one"
		awk -F '\t' -v OFS='\t' '!/^run/ { $3 = "0x0000000000000001"; print }' "$T/one"
	} >"$T/many"
	want_status 0 dcpienc "$T/many"
	# the decoder says that such an epoch is too long, but it is kept
	mv "$T/out" "$T/made"
	want_status 0 dcpidec "$T/made"
	awk -F '\t' -v OFS='\t' '/^run/ { $3 = $7 = "."; sub(/epoch=[0-9]*/, "epoch=20191231000001"); print }' "$T/one" >"$T/want"
	awk -F '\t' -v OFS='\t' '/^run/ { $3 = $7 = "."; print }' "$T/out" >"$T/got"
	same "$T/want" "$T/got"
}

@test "a merge does not depend on the order, but for the lines that only one has" {
	merged "$D/good/g03_manpage_xemacs.dcpi" "$D/good/g06_all_optional.dcpi"
	dcpidec out >one.ev
	counts one.ev >one
	merged "$D/good/g06_all_optional.dcpi" "$D/good/g03_manpage_xemacs.dcpi"
	dcpidec out >other.ev
	counts other.ev >other
	same one other
	awk -F'\t' -v OFS='\t' '{ $2 *= 2; print }' >want < <(dcpidec "$D/good/g03_manpage_xemacs.dcpi" | counts /dev/stdin)
	same want one
	grep -q '	hdr.path=/usr/local/bin/xemacs$' one.ev
}

@test "profiles that do not agree are refused, by name" {
	local line what
	profile '' 0 1 1 1 1 >a
	while IFS='|' read -r line what; do
		profile "$line" 64 1 1 1 1 >b
		dcpidec a b >in.ev
		want_status 1 sh -c 'afagg --by addr,image --stat sum in.ev | dcpienc'
		said "profiles of different $what"
		[ ! -s out ]
	done <<-'END'
		image 19970328081403c0c18c|image: 19970328081403c0c18b and 19970328081403c0c18c
		tstart 110000000|tstart: 120000000 and 110000000
		tsize 8388612|tsize: 8388608 and 8388612
		event imiss|event: cycles and imiss
		period 4096|period: 63488 and 4096
		platform elm|platform: walnut and elm
	END
	{ dcpidec a && dcpidec --stride 1 a; } >in.ev
	want_status 1 sh -c 'afagg --by addr,image --stat sum in.ev | dcpienc'
	said "profiles of different stride: 4 and 1"
}

@test "numbers that are spelled in another way agree; a speed that differs is said" {
	profile 'tstart 12AB00000|tsize 8388608' 0 1 1 1 1 >a
	profile 'tstart 012ab00000|tsize 008388608|period 063488|cpuspeed 500' 4 1 1 1 1 >b
	merged a b
	echo 'dcpienc: left out cpuspeed of 1 profiles: the first has 333' >want
	same want err
	dcpidec out >got.ev
	[ "$(grep -c '^sample' got.ev)" -eq 2 ]
	grep -q '	hdr.cpuspeed=333$' got.ev
}

# ---- what is refused

@test "descending addresses, and one twice" {
	refused 'descending addresses: offset 0x6cbb8 after 0x6cbe8' \
		"$D/good/g03_manpage_xemacs.dcpi" "$D/good/g03_manpage_xemacs.dcpi"
	profile '' 0 1 1 1 1 >a
	refused 'descending addresses: offset 0x0 after 0x0' a a
}

@test "a header that comes after the first counts" {
	profile '' 0 1 1 1 1 >a
	profile 'note x' 64 1 1 1 1 >b
	refused "another profile's header after the first samples" a b
	profile 'epoch 9805191723' 64 1 1 1 1 >b
	refused "another profile's header after the first samples" a b
	# one that adds nothing to the first
	local line
	profile 'note x' 0 1 1 1 1 >a
	for line in '' 'epoch 9805191725'; do
		profile "$line" 64 1 1 1 1 >b
		want_status 0 sh -c 'dcpidec a b | dcpienc'
		silent
		{
			header 'note x' | padded
			u32 0 1 1 64 1 1 2 2
		} >want
		same want out
	done
}

@test "two events" {
	profile '' 0 1 1 1 1 >a
	dcpidec a | sed '/^sample/{p;s/0x0000000120000000/0x0000000120000004/g;s/cycles/imiss/}' >in.ev
	want_status 1 dcpienc in.ev
	said "dcpienc: in.ev:5: two events, cycles and imiss: a profile holds one"
	dcpidec a | sed '/^sample/{p;s/0x0000000120000000/0x0000000120000004/g;s/image=1/image=2/}' >in.ev
	want_status 1 dcpienc in.ev
	said "dcpienc: in.ev:5: two images, 19970328081403c0c18b and 29970328081403c0c18b"
}

@test "a sum over 32 bits, in one count and in all" {
	merged "$D/good/g30_sum_just_fits.dcpi"
	profile '' 0 1 4294967295 1 4294967295 >a
	profile '' 0 1 1 1 1 >b
	profile '' 4 1 1 1 1 >c
	dcpidec a b >in.ev
	want_status 1 sh -c 'afagg --by addr,image --stat sum in.ev | dcpienc'
	said "a sum over 32 bits: 0 samples and 4294967296"
	refused "a sum over 32 bits: 4294967295 samples and 1" a c
	# two counts in one profile: the largest second one, and those that are too large
	local n
	profile '' 0 2 5 7 2 12 >a
	dcpidec a >whole.ev
	sed 's/	7	/	4294967290	/' whole.ev >in.ev
	want_status 0 dcpienc in.ev
	{
		header | padded
		u32 0 2 5 4294967290 2 4294967295
	} >want
	same want out
	for n in 4294967291 4294967296 18446744073709551615 18446744073709551616 1$(printf '0%.0s' {1..30}) 99999999999999999999999; do
		sed "s/	7	/	$n	/" whole.ev >in.ev
		want_status 1 dcpienc in.ev
		said "dcpienc: in.ev:5: a sum over 32 bits: 5 samples and $n"
	done
}

@test "no header, or not all of one" {
	dcpidec "$D/good/g03_manpage_xemacs.dcpi" | grep '^sample' >in.ev
	want_status 1 dcpienc in.ev
	said "dcpienc: in.ev:1: no run line with the header of a DCPI profile before the samples"
	[ ! -s out ]
	dcpidec "$D/good/g03_manpage_xemacs.dcpi" | sed 's/	hdr.tsize=[0-9]*//' >in.ev
	want_status 1 dcpienc in.ev
	said "dcpienc: in.ev:2: no 'tsize' line in the header"
	want_status 1 sh -c "dcpidec '$D/text/one.txt' | dcpienc"
	said "no 'version' line in the header"
	[ ! -s out ]
	want_status 1 dcpienc /dev/null
	[ ! -s out ]
}

@test "a header that a profile could not have" {
	local script
	for script in 's/hdr.event=/hdr.samples=/' 's/hdr.event=cycles/hdr.event=cyc\\nles/' \
		's/hdr.event=cycles/hdr.event= x/' 's/hdr.cpuspeed=333/hdr.cpuspeed=./' \
		's/hdr.cpuspeed=/hdr.cpuspeed=333	hdr.a b=/' \
		's/hdr.cpuspeed=/hdr.a\\tb=x	&/' 's/hdr.cpuspeed=/hdr.a\\nb=x	&/' 's/hdr.cpuspeed=/hdr.a\\x00b=x	&/' 's/hdr.version/hdr.name=x	&/' \
		's/hdr.image/hdr.samples\\r=x	&/' 's/hdr.image/hdr.samples\\rq=x	&/' \
		's/hdr.version/hdr.\\x01=x	&/' 's/hdr.version/hdr.\\x7f=x	&/' 's/hdr.version/hdr.\xef\xbb\xbf=x	&/' 's/pdb-0.07/pdb-1.01/' 's/hdr.period=/hdr.period=x/'; do
		dcpidec "$D/good/g03_manpage_xemacs.dcpi" | sed "2$script" >in.ev
		want_status 1 dcpienc in.ev
		said "dcpienc: in.ev:2: "
		[ ! -s out ]
	done
}

@test "a header is as long as a profile's may be" {
	local n
	profile '' 0 1 1 1 1 >p
	# 1048576 bytes with "samples" and its newline, and one more; the words of four lines are long
	n=$((1048576 - $(header | wc -c) - 4 * 250004))
	for more in 3 2; do
		dcpidec p | awk -v n=$((n - more)) 'BEGIN { for (x = "x"; length(x) < 250000;) x = x x; x = substr(x, 1, 250000) }
			/^run/ { $0 = $0 "\thdr." x "1=v\thdr." x "2=v\thdr." x "3=v\thdr." x "4=v\thdr.y=" substr(x, 1, n) } { print }' >in.ev
		if [ $more = 2 ]; then
			want_status 1 dcpienc in.ev
			said "header longer than 1048576 bytes"
			[ ! -s out ]
		else
			want_status 0 dcpienc in.ev
			cp out q
			want_status 0 dcpidec q
		fi
	done
}

# bats test_tags=slow
@test "long headers are united in no time that grows with the square of their lines" {
	local n word epoch
	need valgrind
	profile '' 0 1 1 1 1 >p
	dcpidec p | grep '^run' >run
	epoch=$(tr '\t' '\n' <run | sed -n 's/^hdr.epoch=//p')
	for n in 4000 40000; do
		for word in a b; do
			paste run <(seq $n | sed "s/^/hdr.$word=/" | paste -s)
		done >"in.$n"
		# and many more, each of an earlier day
		awk -v n=$((n / 40)) '{ for (i = 0; i < n; i++) {
			t = $0
			sub(/hdr.epoch=[0-9]*/, sprintf("hdr.epoch=%d%02d%02d1724", 98 - int(i / 300), 12 - int(i % 300 / 25), 28 - i % 25), t)
			print t
		} }' run >>"in.$n"
	done
	[ -n "$epoch" ]
	linear in.4000 in.40000 dcpienc
	[ "$(grep -ac '^a ' out)" -eq 40000 ]
	[ "$(grep -ac '^b ' out)" -eq 40000 ]
	[ "$(grep -ac '^epoch ' out)" -eq 1 ]
}

@test "numbers of a header that agree, and some that do not" {
	local line what
	profile 'tstart 12AB00000' 0 1 1 1 1 >a
	while IFS='|' read -r line what; do
		profile "tstart 12AB00000|$line" 64 1 1 1 1 >b
		dcpidec a b >in.ev
		want_status 1 sh -c 'afagg --by addr,image --stat sum in.ev | dcpienc'
		said "profiles of different $what"
	done <<-'END'
		tstart 12ab00004|tstart: 12AB00000 and 12ab00004
		tstart 1000000000012ab00000|tstart: 12AB00000 and 1000000000012ab00000
		tsize 99999999999999999999|tsize: 8388608 and 99999999999999999999
		tsize 08388612|tsize: 8388608 and 08388612
		period 063489|period: 63488 and 063489
	END
	sed 's/	stride=4/	stride=2/' in.ev >other.ev
	want_status 1 dcpienc other.ev
	said "stride is not 4 or 1"
}

@test "numbers of a header that are too long to be compared as numbers" {
	local word value
	while read -r word value; do
		profile "$word $value" 0 1 1 1 1 >a
		profile "$word ${value}0" 0 1 1 1 1 >b
		dcpidec a b >in.ev 2>/dev/null
		grep -v '^sample' in.ev >runs.ev
		want_status 1 dcpienc runs.ev
		said "profiles of different $word: $value and ${value}0"
	done <<-'END'
		tstart 10000000000000000
		tsize 18446744073709551616
		period 18446744073709551616
	END
}

@test "a word that is a dot" {
	profile '' 0 1 1 1 1 >p
	dcpidec p | sed '2s/$/	hdr..=v/' >in.ev
	want_status 0 dcpienc in.ev
	grep -aqx '\. v' out
}

@test "a chunk that crosses offset 2^32" {
	local words
	for words in '4294967288 4 1 2 3 4 4 10' '4294967280 9 0 0 0 0 0 5 0 0 6 2 11' \
		'8 1 9 4294967293 12 0 1 0 0 0 0 0 0 0 0 0 5 3 15' '4294967292 300 '"$(seq -s ' ' 300)"' 300 45150'; do
		# shellcheck disable=SC2086 # these are words
		profile 'tsize 8589934592' $words >p
		dcpidec p | sed '/^#/d' >first.ev
		want_status 0 dcpienc first.ev
		silent
		cp out first
		dcpidec first | sed '/^#/d' >second.ev
		same first.ev second.ev
		want_status 0 dcpienc second.ev
		same first out
	done
	# no chunk can begin there, and the one before has other slots
	profile '' 4294967292 2 1 2 2 3 >p
	dcpidec p | sed '/^sample/{p;s/off=.*	image/off=0x100000006	image/;s/addr=[^	]*/addr=./}' | sed '6,7d' >in.ev
	sed -i '5s/off=[^	]*/off=0x100000006/;5s/addr=[^	]*/addr=./' in.ev
	want_status 1 dcpienc in.ev
	said "dcpienc: in.ev:5: 0x100000006 lies beyond the reach of a 32-bit offset"
}

@test "counts that would overlap" {
	profile '' 0 2 1 2 2 3 >p
	dcpidec p | sed '5s/20000004/20000002/g' >in.ev
	want_status 1 dcpienc in.ev
	said "dcpienc: in.ev:5: offset 0x2 after 0x0: the counts would overlap, with stride=4 bytes for each"
}

@test "what a message shows is escaped once, and not all of a long text" {
	local long
	long=$(printf '%0100d' 1)
	profile '' 0 2 1 2 2 3 >p
	dcpidec p | sed "5s/addr=[^	]*/addr=$long/" >in.ev
	want_status 1 dcpienc in.ev
	said "dcpienc: in.ev:5: not an address: ${long:0:60}"
	[ "$(grep -c "${long:0:61}" err)" -eq 0 ]
	dcpidec p | sed '5s/addr=[^	]*/addr=/' >in.ev
	want_status 1 dcpienc in.ev
	said "dcpienc: in.ev:5: not an address: "
	# a line without its image is of this one
	dcpidec p >want.ev
	sed 's/	image=[^	]*$//; s/	image=[^	]*	/	/' want.ev >in.ev
	dcpienc want.ev >want
	want_status 0 dcpienc in.ev
	same want out
	profile $'event a\tb' 0 2 1 2 2 3 >p
	dcpidec p | sed '5s/	a/	b/' >in.ev
	want_status 1 dcpienc in.ev
	said "dcpienc: in.ev:5: two events, a\\tb and b\\tb: a profile"
}

@test "epochs that an earlier one takes the place of leave nothing behind" {
	local text
	text=$(printf '%0200000d' 0)
	profile "epoch 999901010000|a $text|b $text|c $text|d $text|e $text" 0 1 1 1 1 >p
	dcpidec p 2>/dev/null >p.ev
	{
		sed -n '1,2p' p.ev
		sed -n '2s/	hdr\.[abcde]=0*//gp' p.ev | awk -v z="${text:0:10000}" '{ for (i = 9998; i >= 6400; i--) {
			s = $0; sub(/hdr.epoch=9999/, "hdr.epoch=" i, s); print s (i == 6400 ? "\thdr.z=" z : "") } }'
		grep '^sample' p.ev
	} >in.ev
	want_status 0 dcpienc --no-marks in.ev
	cp out q
	want_status 0 dcpidec q
	said 'epoch has 12 digits'
	grep -q '	hdr.epoch=640001010000	' out
}

@test "a line that does not fit is left out, with its number" {
	local script text
	while IFS='|' read -r script text; do
		dcpidec "$D/good/g03_manpage_xemacs.dcpi" | sed "5$script" >in.ev
		want_status 1 dcpienc in.ev
		said "dcpienc: in.ev:5: $text"
		cp out p
		want_status 0 dcpidec p
		[ "$(grep -c '^sample' out)" -eq 5 ]
	done <<-'END'
		s/addr=0x[0-9a-f]*	off=0x[0-9a-f]*	//|a sample without addr=
		s/addr=0x0/addr=0xg/|not an address: 0xg
		s/addr=0x00000001/addr=0x00000000/|address 0x000000002006cbd0 lies before tstart
		s/addr=0x00000001/addr=0x00001001/|0x000010012006cbd0 lies beyond the reach of a 32-bit offset
		s/addr=0x0/addr=1x0/|not an address: 1x0
		s/addr=0x[0-9a-f]*/addr=0x/|not an address: 0x
		s/addr=0x[0-9a-f]*/addr=0x00000000000000001/|not an address: 0x00000000000000001
		s/addr=0x[0-9a-f]*	off=0x/off=0xg/|not an offset: 0xg
		s/	10	/	-1	/|not a count: -1
		s/	10	/	1.5	/|not a count: 1.5
		s/	10	/	05	/|not a count: 05
	END
}

@test "statistics that are no sums, and other kinds, are left out and counted" {
	dcpidec "$D/good/g03_manpage_xemacs.dcpi" | afagg --by addr,image --stat count,sum,max >in.ev
	want_status 0 dcpienc in.ev
	echo 'dcpienc: left out lines of other kinds or statistics: 6 count, 6 max' >want
	same want err
	cp out p
	dcpidec p >got.ev
	counts got.ev >got
	dcpidec "$D/good/g03_manpage_xemacs.dcpi" | counts /dev/stdin >want
	same want got
	# a run that is no profile's, and lines about it
	dcpienc --no-marks <(dcpidec "$D/good/g03_manpage_xemacs.dcpi" | grep -v '^#') >want
	{ run=0x2 event run . . . . app=perf && run=0x2 event lost 1 . . 3 &&
		dcpidec "$D/good/g03_manpage_xemacs.dcpi" | sed '/^#/d; s/	stride=4//'; } >in.ev
	want_status 0 dcpienc --no-marks in.ev
	echo 'dcpienc: left out lines of other kinds or statistics: 1 lost' | same - err
	same want out # without the tag, a count is of 4 bytes
}

@test "sums of a tag are no counts of samples: refused" {
	dcpidec --events "$D/good/g03_manpage_xemacs.dcpi" | afagg --by addr,image --of events --stat sum >in.ev
	want_status 1 dcpienc in.ev
	[ ! -s out ]
	said ': a sum of events (afagg --of), which is no count of samples'
}
