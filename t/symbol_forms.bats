# SPDX-License-Identifier: ISC
# symbol_forms.bats - DWARF as compilers do not write it, or write it seldom: every form, kind of
# range list and operation of line programs, and damage in each place (src/symbol/dwarf*.c).
# t/tools/dwarfasm makes the files.

load lib

setup_file() {
	local archive
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "addresses and numbers as on x86_64" ;;
	esac
	need as ld
	use_archive
	build_c "$BATS_FILE_TMPDIR/frames" t/unit/dwarf.c "$archive" "${LIBRARIES[@]}"
}

setup() {
	cd "$T" || return
	PATH=$BATS_FILE_TMPDIR:$PATH
}

# made NAME [OPTION...]: makes the program NAME from the list of entries on standard input.
made() {
	local name=$1
	shift
	awk -f "$ROOT/t/tools/dwarfasm" >source.s && as -o object.o source.s &&
		ld -Ttext=0x401000 -e code "$@" -o "$name" object.o
}

# at ADDRESS FILE: prints the frames there as "FUNCTION PLACE|FUNCTION PLACE", or "-"; and after "!"
# what is said of damage, or after "?" of what is not there.
at() {
	local found said
	found=$(echo "$1" | frames "$2" 2>err | sed 1d | paste -s -d ' |')
	said=$(sed 's/^[0-9]* damaged: / ! /; s/^[0-9]* missing: / ? /' err)
	echo "${found:--}$said"
}

# finds WANT WHAT [ADDRESS]: the frames in the program "a" are WANT.
finds() {
	local got
	got=$(at "${3-0x401010}" a)
	[ "$got" = "$1" ] || fail "$2: $got, not $1"
}

STRINGS='
in .debug_str,"",%progbits
.asciz "x"
.asciz "f"
in .debug_line_str,"",%progbits
.asciz "x"
.asciz "f"
'

OFFSETS='
in .debug_str_offsets,"",%progbits
.long 2f - 1f
1: .short 5, 0
.long 0, 2
2:
'

ADDRESSES='
in .debug_addr,"",%progbits
.long 2f - 1f
1: .short 5
.byte 8, 0
.quad 0, code, code + 64
2:
'

@test "names in every form" {
	local form asm want
	while IFS='|' read -r form asm want; do
		made a <<-END
			unit
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die subprogram
			 name $form $asm
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			end
			$STRINGS$OFFSETS
		END
		finds "${want:-f ??:?}" "$form"
	done <<-'END'
		string|.asciz "f"
		strp|.long 2
		line_strp|.long 2
		strx|.uleb128 1
		strx1|.byte 1
		strx2|.short 1
		strx3|.byte 1, 0, 0
		strx4|.long 1
		gnu_str_index|.uleb128 1
		indirect|.uleb128 8; .asciz "f"
		indirect|.uleb128 22; .uleb128 8; .asciz "f"
		indirect|.uleb128 33|- ! an entry of its debug information is damaged
		string|.asciz ""|?? ??:? ! a name in its debug information is missing
		data1|.byte 1|?? ??:? ! a name in its debug information is missing
		strp|.long 3|?? ??:? ! a name in its debug information is missing
		strp|.long 4|?? ??:? ! a string in its debug information has no end
		strp|.long 5|?? ??:? ! its debug information refers to bytes that do not exist
		strx1|.byte 2|?? ??:? ! its debug information is damaged
		strx1|.byte 3|?? ??:? ! its debug information refers to bytes that do not exist
		strx|.uleb128 0x3ffffffffffffffd|?? ??:? ! its debug information refers to bytes that do not exist
		strx|.uleb128 0x3ffffffffffffffe|?? ??:? ! a string in its debug information is damaged
		strx|.uleb128 0x4000000000000001|?? ??:? ! a string in its debug information is damaged
		strp_sup|.long 2|?? ??:? ! the name of dwz's file is missing
	END
}

# sized VERSION: sets length and offset, directives for tables in DWARF of 32 or ("5w") 64 bits, and
# offsets, a table of two strings, at 0 and at 2.
sized() {
	case $1 in
	*w) length='.long -1; .quad' offset=.quad ;;
	*) length=.long offset=.long ;;
	esac
	offsets="in .debug_str_offsets,\"\",%progbits
$length 2f - 1f
1: .short 5, 0
$offset 0, 2
2:"
}

@test "names by their number, in a unit that does not tell where their table is" {
	local version length offset offsets
	for version in 5 5w; do
		sized $version
		made a <<-END
			unit $version
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die subprogram
			 name strx1 .byte 1
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			end
			$STRINGS
			$offsets
		END
		finds "f ??:?" "version $version"
	done
}

@test "addresses in every form" {
	local low high version want
	while IFS='|' read -r version low high want; do
		made a <<-END
			unit $version
			die compile_unit children
			 $([ "$version" = 5 ] && echo addr_base || echo gnu_addr_base) sec_offset .long 8
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die subprogram
			 name string .asciz "f"
			 low_pc $low
			 high_pc $high
			end
			$ADDRESSES
		END
		finds "${want:-f ??:?}" "$version, $low, $high"
	done <<-'END'
		5|addr .quad code|data1 .byte 64
		5|addr .quad code|data2 .short 64
		5|addr .quad code|data4 .long 64
		5|addr .quad code|data8 .quad 64
		5|addr .quad code|udata .uleb128 64
		5|addr .quad code|sdata .sleb128 64
		5|addr .quad code|implicit=64
		5|addr .quad code|addr .quad code + 64
		5|addr .quad code|addrx .uleb128 2
		5|addrx .uleb128 1|data1 .byte 64
		5|addrx1 .byte 1|data1 .byte 64
		5|addrx2 .short 1|data1 .byte 64
		5|addrx3 .byte 1, 0, 0|data1 .byte 64
		5|addrx4 .long 1|data1 .byte 64
		4|gnu_addr_index .uleb128 1|data1 .byte 64
		5|indirect .uleb128 0x1b; .uleb128 1|data1 .byte 64
		5|data8 .quad code|data1 .byte 64|- ! an address of its debug information is damaged
		5|addr .quad code|strp .long 0|- ! an address of its debug information is damaged
		5|addrx .uleb128 9|data1 .byte 64|- ! its debug information refers to bytes that do not exist
		5|addrx .uleb128 0x1ffffffffffffffe|data1 .byte 64|- ! its debug information refers to bytes that do not exist
		5|addrx .uleb128 0x1fffffffffffffff|data1 .byte 64|- ! an address of its debug information is damaged
		5|addrx .uleb128 0x2000000000000001|data1 .byte 64|- ! an address of its debug information is damaged
		5|addrx .uleb128 -1|data1 .byte 64|- ! an address of its debug information is damaged
		5|addr .quad code|addr .quad code - 1|- ! an address of its debug information is outside of its code
		5|addr .quad code + 0x100000|data1 .byte 64|- ! an address of its debug information is outside of its code
		5|addr .quad code|data1 .byte 0|-
		5|addr .quad 0|data1 .byte 64|-
		5|addr .quad -1|data1 .byte 64|-
	END
	# without the base, and with one that leaves no room for the header
	for base in "" "addr_base sec_offset .long 7"; do
		made a <<-END
			unit
			die compile_unit children
			 $base
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die subprogram
			 name string .asciz "f"
			 low_pc addrx .uleb128 1
			 high_pc data1 .byte 64
			end
			$ADDRESSES
		END
		finds "- ! an address of its debug information is damaged" "base $base"
	done
}

@test "references in every form, and where they may not lead" {
	local version ref want
	while IFS='|' read -r version ref want; do
		made a <<-END
			unit $version
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die subprogram
			 name string .asciz "origin"
			die variable
			 name string .asciz "v"
			die subprogram
			 $ref
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			end
			unit $version
			die compile_unit children
			die subprogram
			 linkage_name string .asciz "other"
			die subprogram
			 mips_linkage_name string .asciz "oldest"
			die entry_point
			 name string .asciz "entry"
			end
		END
		finds "${want:-origin ??:?}" "$ref"
	done <<-'END'
		5|origin ref1 .byte die2 - unit1
		5|origin ref2 .short die2 - unit1
		5|origin ref4 .long die2 - unit1
		5|origin ref8 .quad die2 - unit1
		5|origin ref_udata .uleb128 die2 - unit1
		5|origin ref_addr .long die2
		5w|origin ref_addr .quad die2
		2|origin ref_addr .quad die2
		3|origin ref_addr .long die2
		5|specification ref4 .long die2 - unit1
		5|origin ref_addr .long die6|other ??:?
		5|origin ref4 .long die6|other ??:?
		5|origin ref_addr .long die7|oldest ??:?
		5|origin ref_addr .long die8|entry ??:?
		5|origin ref4 .long die3 - unit1|?? ??:? ! a function of its debug information is damaged
		5|origin ref4 .long 2|?? ??:? ! its debug information refers to bytes that do not exist
		5|origin ref_addr .long 0x10000|?? ??:? ! its debug information refers to bytes that do not exist
		5|origin ref8 .quad -1|?? ??:? ! its debug information refers to bytes that do not exist
		5|origin ref_sig8 .quad 1|?? ??:?
		5|origin ref4 .long die4 - unit1|?? ??:?
		5|origin gnu_ref_alt .long 1|?? ??:? ! the name of dwz's file is missing
	END
}

@test "attributes that do not matter are passed over, whatever their form" {
	local form asm want
	while IFS='|' read -r form asm want; do
		# of an entry without code, of one whose children are passed over, and of a function
		made a <<-END
			unit
			die compile_unit children
			 other $form $asm
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die variable
			 other $form $asm
			 other data1 .byte 99
			die variable children
			 sibling ref4 .long die5 - unit1
			 other $form $asm
			die variable
			end
			die subprogram
			 other $form $asm
			 name string .asciz "f"
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			end
			$STRINGS
		END
		finds "${want:-f ??:?}" "$form $asm"
	done <<-'END'
		addr|.quad 0
		block2|.short 2; .byte 1, 2
		block4|.long 2; .byte 1, 2
		block|.uleb128 2; .byte 1, 2
		block1|.byte 2, 1, 2
		exprloc|.uleb128 2; .byte 1, 2
		data1|.byte 1
		data2|.short 1
		data4|.long 1
		data8|.quad 1
		data16|.quad 1, 2
		flag|.byte 1
		flag_present|
		sdata|.sleb128 -1
		udata|.uleb128 300
		implicit=5|
		implicit=-5|
		implicit=-9223372036854775807|
		implicit=0x7fffffffffffffff|
		string|.asciz "text"
		strp|.long 0
		line_strp|.long 0
		strp_sup|.long 0
		gnu_strp_alt|.long 0
		strx|.uleb128 200
		strx1|.byte 1
		strx2|.short 1
		strx3|.byte 1, 2, 3
		strx4|.long 1
		addrx|.uleb128 200
		addrx1|.byte 1
		addrx2|.short 1
		addrx3|.byte 1, 2, 3
		addrx4|.long 1
		ref_addr|.long 1
		ref1|.byte 1
		ref2|.short 1
		ref4|.long 1
		ref8|.quad 1
		ref_udata|.uleb128 200
		ref_sig8|.quad 1
		ref_sup4|.long 1
		ref_sup8|.quad 1
		gnu_ref_alt|.long 1
		sec_offset|.long 1
		loclistx|.uleb128 200
		rnglistx|.uleb128 200
		indirect|.uleb128 11; .byte 1
		block1|.byte 255|- ! an entry of its debug information is damaged
		block4|.long -1|- ! an entry of its debug information is damaged
		0x77|.byte 1|- ! an entry of its debug information is damaged
		udata|.byte 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1
	END
}

@test "siblings: children are passed over only where that leads on" {
	local to want
	while IFS='|' read -r to want; do
		made a <<-END
			unit
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die base_type children
			 sibling $to
			die subprogram
			 name string .asciz "inside"
			 low_pc addr .quad code + 32
			 high_pc data1 .byte 32
			end
			die subprogram
			 name string .asciz "f"
			 low_pc addr .quad code
			 high_pc data1 .byte 32
			end
		END
		finds "f ??:?" "$to"
		finds "$want" "$to" 0x401030
	done <<-'END'
		ref4 .long die4 - unit1|-
		ref4 .long die2 - unit1|inside ??:?
		ref4 .long -1|inside ??:?
		ref_sig8 .quad 1|inside ??:?
	END
}

@test "range lists of every kind, in entries and in roots" {
	local version list want kind
	for kind in entry root; do
		while IFS='|' read -r version list want; do
			made a <<-END
				unit $version
				die compile_unit children
				 low_pc addr .quad code
				 $([ "$version" = 5 ] && echo addr_base || echo gnu_addr_base) sec_offset .long 8
				 rnglists_base sec_offset .long lists
				 $([ $kind = root ] && echo ranges sec_offset .long list || echo high_pc data1 .byte 64)
				die subprogram
				 name string .asciz "f"
				 $([ $kind = entry ] || printf 'low_pc addr .quad code\nhigh_pc data1 .byte 64\n')
				 $([ $kind = entry ] && echo ranges sec_offset .long list)
				end
				$ADDRESSES
				in $([ "$version" = 5 ] && echo .debug_rnglists || echo .debug_ranges),"",%progbits
				.long 2f - 1f
				1: .short 5
				.byte 8, 0
				.long 0
				lists:
				list: ${list//;/$'\n'}
				2:
			END
			finds "${want:-f ??:?}" "$kind, $list"
		done <<-'END'
			5|.byte 4; .uleb128 0, 64; .byte 0
			5|.byte 4; .uleb128 0, 8; .byte 4; .uleb128 8, 64; .byte 0
			5|.byte 5; .quad code; .byte 4; .uleb128 0, 64; .byte 0
			5|.byte 5; .quad code - 256; .byte 4; .uleb128 256, 320; .byte 0
			5|.byte 6; .quad code, code + 64; .byte 0
			5|.byte 7; .quad code; .uleb128 64; .byte 0
			5|.byte 1; .uleb128 1; .byte 4; .uleb128 0, 64; .byte 0
			5|.byte 2; .uleb128 1, 2; .byte 0
			5|.byte 3; .uleb128 1, 64; .byte 0
			4|.quad 0, 64, 0, 0
			4|.quad -1, code, 0, 64, 0, 0
			4|.quad -1, code - 256, 256, 320, 0, 0
			4|.quad 0, 8, -1, code - 256, 256, 320, 0, 0
			4|.quad 0, 8, 8, 64, 0, 0
		END
	done
}

@test "range lists that are damaged" {
	local version list want entry
	while IFS='|' read -r version entry list want; do
		made a <<-END
			unit $version
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			 addr_base sec_offset .long 8
			 rnglists_base sec_offset .long lists
			die subprogram
			 name string .asciz "f"
			 ranges $entry
			end
			$ADDRESSES
			in $([ "$version" = 5 ] && echo .debug_rnglists || echo .debug_ranges),"",%progbits
			.long 2f - 1f
			1: .short 5
			.byte 8, 0
			.long 1
			lists: .long list - lists
			list: ${list//;/$'\n'}
			2:
		END
		finds "${want:-f ??:?}" "$version, $entry, $list"
	done <<-'END'
		5|rnglistx .uleb128 0|.byte 6; .quad code, code + 64; .byte 0
		5|rnglistx .uleb128 1000|.byte 6; .quad code, code + 64; .byte 0|- ! its debug information refers to bytes that do not exist
		5|rnglistx .uleb128 0x3ffffffffffffffc|.byte 6; .quad code, code + 64; .byte 0|- ! its debug information refers to bytes that do not exist
		5|rnglistx .uleb128 0x3ffffffffffffffd|.byte 6; .quad code, code + 64; .byte 0|- ! a range list of its debug information is damaged
		5|rnglistx .uleb128 0x4000000000000000|.byte 6; .quad code, code + 64; .byte 0|- ! a range list of its debug information is damaged
		5|sec_offset .long list|.byte 6; .quad code, code + 64|- ! a range list of its debug information is damaged
		5|sec_offset .long list|.byte 8; .quad code, code + 64; .byte 0|- ! a range list of its debug information is damaged
		5|sec_offset .long list|.byte 6; .quad code|- ! a range list of its debug information is damaged
		5|sec_offset .long list|.byte 1; .uleb128 70; .byte 0|- ! its debug information refers to bytes that do not exist
		5|sec_offset .long list|.byte 3; .uleb128 70, 64; .byte 0|- ! its debug information refers to bytes that do not exist
		5|sec_offset .long list|.byte 2; .uleb128 1, 70; .byte 0|- ! its debug information refers to bytes that do not exist
		5|sec_offset .long list|.byte 0|- ! a range list of its debug information is empty
		5|sec_offset .long list + 1000|.byte 0|- ! its debug information refers to bytes that do not exist
		5|sec_offset .long list|.byte 6; .quad code + 64, code; .byte 0|- ! an address of its debug information is outside of its code
		5|sec_offset .long list|.byte 6; .quad code, code; .byte 0|-
		4|sec_offset .long list|.quad code - code, 64|- ! a range list of its debug information is damaged
		4|sec_offset .long list|.quad 0, 64, 0|- ! a range list of its debug information is damaged
		4|sec_offset .long list|.quad 0, 0|- ! a range list of its debug information is empty
		4|sec_offset .long list + 1000|.quad 0, 0|- ! its debug information refers to bytes that do not exist
		4|data4 .long list|.quad 0, 64, 0, 0
	END
}

@test "units of every version and kind, and headers that are damaged" {
	local header want
	while IFS='|' read -r header want; do
		made a <<-END
			unit
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die subprogram
			 name string .asciz "f"
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			end
			in .debug_info
			${header//;/$'\n'}
		END
		finds "f ??:?" "$header"
		finds "-${want:+ ! $want}" "$header" 0x501000
	done <<-'END'
		.long 9; .short 5; .byte 1, 8; .long 0; .byte 0|
		.long 8; .short 5; .byte 2, 8; .long 0|
		.long 8; .short 5; .byte 6, 8; .long 0|
		.long 8; .short 5; .byte 3, 8; .long 0|an entry of its debug information is damaged
		.long 16; .short 5; .byte 4, 8; .long 0; .quad 1|an entry of its debug information is damaged
		.long 16; .short 5; .byte 5, 8; .long 0; .quad 1|an entry of its debug information is damaged
		.long 8; .short 5; .byte 7, 8; .long 0|its debug information has units of an unknown version or kind
		.long 8; .short 5; .byte 1, 4; .long 0|an entry of its debug information is damaged
		.long 8; .short 5; .byte 1, 2; .long 0|its debug information has units of an unknown version or kind
		.long 2; .short 6|its debug information has units of an unknown version or kind
		.long 2; .short 1|its debug information has units of an unknown version or kind
		.long 0|the header of a unit of its debug information is damaged
		.long 1000; .short 5|the header of a unit of its debug information is damaged
		.long 6; .short 5; .byte 1, 8; .short 0|the header of a unit of its debug information is damaged
		.long 3; .short 5; .byte 1, 8; .long 0; .byte 0|the header of a unit of its debug information is damaged
		.long 1; .byte 5|the header of a unit of its debug information is damaged
		.long -1; .quad 13; .short 5; .byte 1, 8; .quad 0; .byte 0|
		.long -1; .quad 8; .short 5|the header of a unit of its debug information is damaged
		.long -1; .long 8|the header of a unit of its debug information is damaged
		.long 9; .short 5; .byte 1, 8; .long 1000; .byte 1|its debug information refers to bytes that do not exist
		.long 9; .short 5; .byte 1, 8; .long 0; .byte 99|an entry of its debug information is damaged
	END
}

@test "tables of abbreviations: codes in any order, and damage" {
	local edit want
	while IFS='|' read -r edit want; do
		made a <<-END
			unit
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			code 9
			die variable
			 name string .asciz "v"
			code 5
			die subprogram
			 name string .asciz "f"
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			$edit
			end
		END
		finds "${want:-f ??:?}" "$edit"
	done <<-'END'
		|
		abbrev .uleb128 5, 0x2e; .byte 0, 0, 0|
		abbrev .uleb128 300, 0x10000; .byte 0, 0, 0|- ! its abbreviations are damaged
		abbrev .uleb128 300, 0; .byte 0, 0, 0|- ! its abbreviations are damaged
		abbrev .uleb128 300, 1; .byte 0; .uleb128 1, 0x10000; .byte 0, 0|- ! its abbreviations are damaged
		abbrev .uleb128 300, 1; .byte 0; .uleb128 1, 33; .sleb128 0x80000000; .byte 0, 0|
		abbrev .uleb128 300, 1; .byte 0; .uleb128 1, 33; .sleb128 -0x80000001; .byte 0, 0|
		abbrev .uleb128 300, 1; .byte 0; .uleb128 1, 33; .sleb128 -0x80000000; .byte 0, 0|
		abbrev .uleb128 300, 0xffff; .byte 0, 0, 0|
	END
	# a code that is in no table, and tables that end too early
	for edit in 's/^.uleb128 5$/.uleb128 6/' 's/^.uleb128 9$/.uleb128 301/'; do
		sed "$edit" source.s | as -o object.o - && ld -Ttext=0x401000 -e code -o a object.o
		finds "- ! an entry of its debug information is damaged" "$edit"
	done
	made a <<-END
		unit
		die compile_unit children
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		die subprogram
		 name string .asciz "f"
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		end
	END
	finds 'f ??:?' 'the codes 1 and 2'
	sed 's/^.uleb128 2$/.uleb128 3/' source.s | as -o object.o - && ld -Ttext=0x401000 -e code -o a object.o
	finds "- ! an entry of its debug information is damaged" 'the code after the last of a table'
	for edit in .byte '.byte 0x80' '.byte 1' '.byte 1, 0x11' '.byte 1, 0x11, 0, 1' '.byte 1, 0x11, 0, 0x80'; do
		made a <<-END
			in .debug_info,"",%progbits
			.long 9; .short 5; .byte 1, 8; .long 0; .byte 1
			in .debug_abbrev,"",%progbits
			$edit
		END
		finds "- ! $(case $edit in
			.byte) echo "an entry of its debug information is damaged" ;;
			'.byte 1, 0x11') echo "its debug information is damaged" ;;
			*) echo "its abbreviations are damaged" ;;
			esac)" "$edit"
	done
}

# line_table VERSION HEADER PROGRAM: a section with a line table.  HEADER has the fields after the
# length of the header.
line_table() {
	cat <<-END
		in .debug_line,"",%progbits
		.long 9f - 1f
		1: .short $1
		$([ "$1" -lt 5 ] || echo .byte 8, 0)
		.long 3f - 2f
		2: ${2//;/$'\n'}
		3: ${3//;/$'\n'}
		9:
	END
}

# lines VERSION HEADER PROGRAM: makes the program a with that line table.  $DIR is the directory of the
# compilation.
lines() {
	made a <<-END
		unit $([ "$1" -le 5 ] && [ "$1" -ge 2 ] && echo "$1" || echo 5)
		die compile_unit children
		 stmt_list data4 .long 0
		 comp_dir string .asciz "${DIR-/dir}"
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		die subprogram
		 name string .asciz "f"
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		end
		$STRINGS$OFFSETS
		$(line_table "$@")
	END
}

# minimal instruction, operations in one, is_stmt, line base and range, opcode base, operands
FIELDS4='.byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1;'
FIELDS2='.byte 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1;'
OLD='.asciz "sub"; .byte 0; .asciz "a.c"; .byte 0, 0, 0; .asciz "b.c"; .byte 1, 0, 0; .byte 0'
NEW='.byte 1, 1, 8, 2; .asciz "/dir", "sub"; .byte 2, 1, 8, 2, 11, 3; .asciz "a.c"; .byte 0; .asciz "a.c"; .byte 0; .asciz "b.c"; .byte 1'
# from code on: line 1 of a.c; from code + 32 on: line 8 of b.c
PROGRAM='.byte 0, 9, 2; .quad code; .byte 1; .byte 4, 2, 3, 7, 2, 32, 1; .byte 2, 32, 0, 1, 1'

@test "line tables of every version" {
	local version
	for version in 2 3 4 5; do
		case $version in
		2 | 3) lines $version "$FIELDS2$OLD" "$PROGRAM" ;;
		4) lines 4 "$FIELDS4$OLD" "$PROGRAM" ;;
		5) lines 5 "$FIELDS4$NEW" "$PROGRAM" ;;
		esac
		finds "f /dir/a.c:1" "version $version"
		finds "f /dir/sub/b.c:8" "version $version" 0x401030
		finds "-" "version $version" 0x401050
	done
}

@test "names of files in line tables: with and without directories, and the shortest" {
	local DIR dir name want
	while IFS='|' read -r DIR dir name want; do
		lines 5 "$FIELDS4 .byte 1, 1, 8, 1; .asciz \"$dir\"; .byte 1, 1, 8, 2; .asciz \"$name\", \"$name\"" "$PROGRAM"
		finds "f ${want:-??:? ! a line table of its debug information is damaged}" "$DIR, $dir, $name"
		lines 4 "$FIELDS4 .asciz \"${dir:-.}\"; .byte 0; .asciz \"$name\"; .byte ${dir:+1 +} 0, 0, 0, 0" "$PROGRAM"
		[ -n "$name" ] || want= # the list ends there
		finds "f ${want:-??:? ! a line table of its debug information is damaged}" "$DIR, $dir, $name"
	done <<-END
		/dir|sub|b|/dir/sub/b:1
		/dir|sub/|b|/dir/sub/b:1
		/dir|sub|b/|/dir/sub/b/:1
		/dir|/sub|b|/sub/b:1
		/dir|/sub|/b|/b:1
		/dir|sub|
		/dir||b|/dir/b:1
		/dir||
		/|sub|b|/sub/b:1
		|sub|b|sub/b:1
		|sub|
		|/|b|/b:1
		|/|
		||b|b:1
		||bc|bc:1
		||b/|b/:1
		||/|/:1
		||
	END
}

@test "names of files in line tables: as long as a path may be, and longer" {
	local n version name want
	while IFS='|' read -r n want; do
		name=".fill $n, 1, 98; .byte 0"
		[ -n "$want" ] || want=/dir/$(head -c "$n" /dev/zero | tr '\0' b):1
		for version in 4 5; do
			if [ $version = 4 ]; then
				lines 4 "$FIELDS4 .byte 0; $name; .byte 0, 0, 0, 0" "$PROGRAM"
			else
				lines 5 "$FIELDS4 .byte 1, 1, 8, 1; .asciz \"/dir\"; .byte 1, 1, 8, 2; $name; $name" "$PROGRAM"
			fi
			finds "f $want" "$version, $n"
		done
	done <<-'END'
		100|
		4000|
		5000|
		300000|??:? ? a name in it is too long
		3000000|??:? ! a line table of its debug information is damaged
	END
}

@test "operations of line programs" {
	local name program want
	while IFS='|' read -r name program want; do
		lines 4 "$FIELDS4$OLD" ".byte 0, 9, 2; .quad code; $program"
		finds "f $want" "$name" 0x401018
	done <<-'END'
		special opcodes|.byte 18, 20, 242; .byte 2, 48, 0, 1, 1|/dir/a.c:3
		advance_pc, advance_line|.byte 1, 2, 16, 3, 4, 1, 2, 48, 0, 1, 1|/dir/a.c:5
		advance_line, back|.byte 3, 10, 1, 2, 16, 3, 0x7e, 1, 2, 48, 0, 1, 1|/dir/a.c:9
		set_file|.byte 4, 2, 1, 2, 64, 0, 1, 1|/dir/sub/b.c:1
		set_file 0|.byte 4, 0, 1, 2, 64, 0, 1, 1|??:?
		const_add_pc|.byte 1, 3, 1, 8, 1, 2, 47, 0, 1, 1|/dir/a.c:2
		fixed_advance_pc|.byte 1, 9; .short 8; .byte 3, 6, 1; .byte 9; .short 56; .byte 0, 1, 1|/dir/a.c:7
		what does not matter|.byte 6, 7, 10, 11, 12, 5, 5, 5, 1, 2, 64, 0, 1, 1|/dir/a.c:1
		a discriminator|.byte 0, 2, 4, 5, 1, 2, 64, 0, 1, 1|/dir/a.c:1
		an unknown extended operation|.byte 0, 4, 0x80, 1, 2, 3, 1, 2, 64, 0, 1, 1|/dir/a.c:1
		a file that there is not|.byte 4, 9, 1, 2, 64, 0, 1, 1|??:? ! a line table of its debug information is damaged
		a huge file|.byte 4; .uleb128 0xffffffffff; .byte 1, 2, 64, 0, 1, 1|??:? ! a line table of its debug information is damaged
		going back begins another sequence|.byte 2, 32, 3, 9, 1, 2, 32, 1; .byte 0, 9, 2; .quad code; .byte 3, 1, 1, 2, 32, 0, 1, 1|/dir/a.c:11
		several sequences|.byte 1, 2, 16, 0, 1, 1; .byte 0, 9, 2; .quad code + 16; .byte 3, 4, 1, 2, 48, 0, 1, 1|/dir/a.c:5
		one that the linker dropped|.byte 1, 2, 64, 0, 1, 1; .byte 0, 9, 2; .quad 0; .byte 3, 4, 1, 2, 48, 0, 1, 1|/dir/a.c:1
		one of four bytes|.byte 1, 2, 64, 0, 1, 1; .byte 0, 5, 2; .long code + 0; .byte 3, 4, 1, 2, 0, 0, 1, 1|/dir/a.c:1
		many bytes without a row|.byte 1; .fill 600, 1, 6; .byte 3, 4, 2, 8, 1, 2, 56, 0, 1, 1|/dir/a.c:5
		a length that is cut|.byte 1, 0, 0x80|??:? ! a line table of its debug information is damaged
		without its end|.byte 1, 2, 64|??:? ! a line table of its debug information is damaged
		an operand that is cut|.byte 1, 2, 0x80|??:? ! a line table of its debug information is damaged
		an extended operation without bytes|.byte 1, 0, 0|??:? ! a line table of its debug information is damaged
		an extended operation that is too long|.byte 1, 0, 99, 1|??:? ! a line table of its debug information is damaged
		an address of ten bytes|.byte 0, 11, 2; .quad code; .short 0; .byte 1, 2, 64, 0, 1, 1|??:? ! a line table of its debug information is damaged
		an address of one byte, which is not in the code|.byte 1, 2, 64, 0, 1, 1; .byte 0, 2, 2, 5; .byte 3, 4, 1, 2, 9, 0, 1, 1|/dir/a.c:1
		an address of five bytes|.byte 0, 6, 2; .long code; .byte 0; .byte 1, 2, 64, 0, 1, 1|??:? ! a line table of its debug information is damaged
		outside of the code|.byte 0, 9, 2; .quad code + 0x100000; .byte 1, 2, 64, 0, 1, 1|??:? ! an address of its debug information is outside of its code
	END
}

@test "sections of debug information without bytes are none" {
	local section
	for section in '%progbits;' '%nobits; .skip 100'; do
		made a <<-END
			in .debug_info,"",${section%;*}
			${section#*;}
		END
		want_status 1 frames a <<<0x401010
	done
	made a <<-END
		unit
		die compile_unit
	END
	want_status 0 frames a <<<0x401010
	silent
	objcopy --update-section .debug_info=/dev/null a
	want_status 1 frames a <<<0x401010
	said 'has no DWARF'
}

@test "headers of line tables that are damaged" {
	local version header want
	while IFS='|' read -r version header want; do
		lines "$version" "$header" "$PROGRAM"
		finds "f ${want:-??:? ! a line table of its debug information is damaged}" "$version, $header"
	done <<-END
		6|$FIELDS4$NEW
		261|$FIELDS4$NEW
		1|$FIELDS2$OLD
		4|.byte 1, 2, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1; $OLD
		4|.byte 1, 1, 1, -5, 0, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1; $OLD
		4|.byte 1, 1, 1, -5, 14, 0; $OLD
		4|.byte 1, 1, 1, -5, 14, 18; 3: .byte 0, 9, 2; .quad code; .byte 1, 2, 64, 0, 1, 1; 9: .byte 0; .asciz "a.c"; .byte 0, 0, 0, 0
		4|$FIELDS4 .ascii "sub"
		4|$FIELDS4 .asciz "sub"
		4|$FIELDS4 .asciz "sub"; .byte 0; .ascii "a.c"
		4|$FIELDS4 .asciz "sub"; .byte 0; .asciz "a.c"; .byte 0
		4|$FIELDS4 .asciz "sub"; .byte 0; .asciz "a.c"; .byte 0, 0, 0
		4|$FIELDS4 .asciz "sub"; .byte 0; .asciz "a.c"; .byte 5, 0, 0, 0
		4|$FIELDS4 .asciz "sub"; .byte 0; .asciz "a.c"; .uleb128 0xffffffffff; .byte 0, 0, 0
		4|$FIELDS4 .byte 0; .asciz "/abs/a.c"; .byte 0, 0, 0, 0|/abs/a.c:1
		4|$FIELDS4 .asciz "/other"; .byte 0; .asciz "a.c"; .byte 1, 0, 0, 0|/other/a.c:1
		4|$FIELDS4 .asciz "other/"; .byte 0; .asciz "a.c"; .byte 1, 0, 0, 0|/dir/other/a.c:1
		5|$FIELDS4 .byte 33
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 32, 1, 8; .fill 62, 1, 11; .byte 2; .asciz "a"; .fill 31; .asciz "b"; .fill 31|/dir/b:1
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 33, 1, 8; .fill 64, 1, 11; .byte 2; .asciz "a"; .fill 32; .asciz "b"; .fill 32
		5|$FIELDS4 .byte 1; .uleb128 1, 0x10000; .byte 0
		5|$FIELDS4 .byte 0, 5
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 2, 1, 8, 2, 11, 2; .asciz "a.c"; .byte 0; .asciz ""; .byte 0
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 2, 1, 8, 2, 11, 2; .asciz "a.c"; .byte 0; .asciz "a.c"; .byte 9
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 2, 1, 8, 2, 11, 2; .asciz "a.c"; .byte 0; .asciz "/x/a.c"; .byte 0|/x/a.c:1
		5|$FIELDS4 .byte 1, 1, 14, 1; .long 0; .byte 2, 1, 0x1f, 2, 11, 2; .long 0; .byte 0; .long 2; .byte 0|/dir/x/f:1
		5|$FIELDS4 .byte 1, 1, 37, 1, 1; .byte 2, 1, 37, 2, 15, 2; .byte 0, 0; .byte 1, 0|/dir/f/f:1
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 3, 1, 8, 2, 11, 5, 30, 2; .asciz "a"; .byte 0; .quad 1, 2; .asciz "b"; .byte 0; .quad 3, 4|/dir/b:1
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 2, 1, 8, 2, 7, 2; .asciz "a"; .quad 0; .asciz "b"; .quad -1
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 1, 8, 2; .fill 300, 1, 65; .byte 0; .asciz "b"|/dir/b:1
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 2, 11, 2; .byte 0, 0
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 1, 0x77, 2; .byte 0, 0
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 1, 0x0e, 2; .long 999, 999|??:? ! its debug information refers to bytes that do not exist
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 1, 8, 9; .asciz "a"; .asciz "b"
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 1; .uleb128 0x10000
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 1; .uleb128 0x100000008; .byte 2; .asciz "a"; .asciz "b"
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 1, 8, 0x80
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 1, 0x80|??:? ! its debug information is damaged
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 1, 1, 8, 2; .ascii "a"
		5|$FIELDS4 .byte 1, 1, 8, 1; .asciz "/dir"; .byte 0, 0x85
	END
	# without a program, or cut before the fields or between them
	lines 4 "$FIELDS4$OLD" ""
	finds "f ??:?" "no program"
	for header in '.long 2; .short 4' '.long 7; .short 4; .long 1; .byte 1'; do
		made a <<-END
			unit 4
			die compile_unit children
			 stmt_list data4 .long 0
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			$(subprogram f 0 64)
			end
			in .debug_line,"",%progbits
			$header
		END
		finds "f ??:? ! a line table of its debug information is damaged" "$header"
	done
}

# split_off NAME [SECTION...]: makes a .dwo file (or .dwp) from the list of entries on standard input.
split_off() {
	local name=$1 section args=()
	for section in info abbrev str str_offsets rnglists; do
		args+=(--rename-section ".debug_$section=.debug_$section.dwo")
	done
	awk -f "$ROOT/t/tools/dwarfasm" >split.s && as -o split.o split.s && ld -r -o linked.o split.o &&
		objcopy -R .text -R '.rela*' "${args[@]}" linked.o "$name"
}

ID=0x1122334455667788

# skeleton [NAME [ATTRIBUTE]]: makes the program a, whose functions are in NAME.
skeleton() {
	made a <<-END
		unit 5 4
		die skeleton_unit
		 dwo_name string .asciz "${1-a.dwo}"
		 comp_dir string .asciz "$PWD"
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		 addr_base sec_offset .long 8
		 ${2-}
		$ADDRESSES
	END
}

# function [VERSION TYPE [ATTRIBUTE]]: a unit with the function, as in a .dwo file.
function_unit() {
	cat <<-END
		unit ${1-5} ${2-5}
		die compile_unit children
		 ${3-}
		die subprogram
		 name string .asciz "f"
		 low_pc ${4-addrx1 .byte 1}
		 high_pc data1 .byte 64
		end
	END
}

@test "split units: the .dwo file, and what may be wrong with it" {
	local version length offset offsets
	skeleton
	finds "- ? a .dwo file is not available: open: No such file or directory" missing
	function_unit | split_off a.dwo
	finds "f ??:?" there
	function_unit 5 1 | split_off a.dwo
	finds "- ? a .dwo file is from another compilation" "without an id"
	function_unit 5 5 $'dwo_name string .asciz "x"\nlow_pc addr .quad 0' | split_off a.dwo
	finds "f ??:?" "with what belongs to the program"
	(function_unit 5 1; function_unit) | split_off a.dwo
	finds "f ??:?" "the second unit"
	# tables whose places no attribute tells: they are behind headers, of 32 or 64 bits
	for version in 5 5w; do
		sized $version
		{
			function_unit $version | sed 's/high_pc.*/ranges rnglistx .uleb128 0/; /low_pc/d; s/name string.*/name strx1 .byte 1/'
			cat <<-END
				in .debug_rnglists,"",%progbits
				$length 2f - 1f
				1: .short 5
				.byte 8, 0
				.long 1
				3: $offset 4f - 3b
				4: .byte 2, 1, 2, 0
				2:
				$offsets
				in .debug_str,"",%progbits
				.asciz "x"
				.asciz "f"
			END
		} | split_off a.dwo
		finds "f ??:?" "tables without attributes, version $version"
	done
	echo 'in .debug_str,"",%progbits' | split_off a.dwo
	finds "- ? a .dwo file is from another compilation" empty
	function_unit | sed 's/subprogram/0x10000/' | split_off a.dwo
	finds "- ! its abbreviations are damaged" damaged
	function_unit 6 5 | split_off a.dwo
	finds "- ! its debug information has units of an unknown version or kind" version
	echo text >a.dwo
	finds "- ? a .dwo file is not available: not an ELF file" text
	skeleton ""
	finds "- ! the name of a .dwo file is missing" "without a name"
	skeleton "$PWD/b.dwo"
	function_unit | split_off b.dwo
	finds "f ??:?" absolute
	# its own unit, as it was before .dwo files were a standard
	made a <<-END
		unit 4
		die compile_unit
		 gnu_dwo_name string .asciz "a.dwo"
		 gnu_dwo_id data8 .quad $ID
		 gnu_addr_base sec_offset .long 8
		 gnu_ranges_base sec_offset .long 16
		 comp_dir string .asciz "$PWD"
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		$ADDRESSES
		in .debug_ranges,"",%progbits
		.quad 0, 0, 0, 0, 0, 64, 0, 0
	END
	function_unit 4 "" "gnu_dwo_id data8 .quad $ID" "gnu_addr_index .uleb128 1" | split_off a.dwo
	finds "f ??:?" "version 4"
	function_unit 4 "" "gnu_dwo_id data8 .quad $ID" "gnu_addr_index .uleb128 1" |
		sed '/subprogram/,$s/low_pc.*//; s/high_pc.*/ranges sec_offset .long 16/' | split_off a.dwo
	finds "f ??:?" "version 4, a list"
	made a <<-END
		unit 4
		die compile_unit
		 gnu_dwo_name string .asciz "a.dwo"
		 gnu_dwo_id data8 .quad $ID
		 gnu_ranges_base data8 .quad -8
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		in .debug_ranges,"",%progbits
		.quad 0, 0, 0, 64, 0, 0
	END
	finds "- ! its debug information refers to bytes that do not exist" "version 4, a list that is nowhere"
}

# index [OPTION=VALUE...]: the index of a .dwp file with the unit of function_unit.
# shellcheck disable=SC2120 # eval passes some
index() {
	local version='.short 5, 0' columns=4 units=1 slots=2 ids="$ID, 0" rows='1, 0' kinds='1, 3, 6, 8' places='0, 0, 0, 0'
	[ $# -eq 0 ] || local "$@"
	cat <<-END
		in .debug_cu_index,"",%progbits
		$version
		.long $columns, $units, $slots
		.quad $ids
		.long $rows
		.long $kinds
		.long $places
		.long 8, 8, 8, 8, 8, 8, 8, 8
	END
}

@test "split units: the index of a .dwp file, and what may be wrong with it" {
	local options want
	skeleton
	while IFS='|' read -r options want; do
		eval "(function_unit; index $options) | split_off a.dwp"
		finds "${want:-f ??:?}" "$options"
	done <<-'END'
		|
		version=".long 2" kinds="1, 3, 6, 5"|
		version=".short 5, 7"|
		version=".long 2"|
		rows="0, 1" ids="0, $ID"|- ? a .dwo file is not available: open: No such file or directory
		rows="1, 2" units=2 ids="7, $ID" places="5, 5, 5, 5, 0, 0, 0, 0"|
		rows="1, 2" units=2 ids="7, 8" places="5, 5, 5, 5, 0, 0, 0, 0"|- ? a .dwo file is not available: open: No such file or directory
		rows="0, 0"|- ? a .dwo file is not available: open: No such file or directory
		rows="3, 0"|- ! the index of the .dwp file is damaged
		version=".short 6, 0"|- ! the index of the .dwp file is damaged
		version=".long 3"|- ! the index of the .dwp file is damaged
		columns=17|- ! the index of the .dwp file is damaged
		slots=3|- ! the index of the .dwp file is damaged
		units=2|- ! the index of the .dwp file is damaged
		rows="1, 0" units=2 places="0, 0, 0, 0, 0, 0, 0, 0"|
		units=100|- ! the index of the .dwp file is damaged
		places="0, 1, 0, 0"|- ! an entry of its debug information is damaged
		places="1, 0, 0, 0"|- ! the header of a unit of its debug information is damaged
		places="9999, 0, 0, 0"|- ! its debug information refers to bytes that do not exist
	END
	# a range list in the unit's part of a section, which is not the first
	for options in 'rnglistx .uleb128 0' 'sec_offset .long 16'; do
		{
			function_unit | sed "s/high_pc.*/ranges $options/; /low_pc/d"
			index places='0, 0, 0, 20'
			cat <<-END
				in .debug_rnglists,"",%progbits
				.fill 20, 1, 0xff
				.long 12; .short 5; .byte 8, 0; .long 1, 4
				.byte 2, 1, 2, 0
			END
		} | split_off a.dwp
		finds "f ??:?" "$options"
	done
	{
		function_unit | sed 's/name string.*/name strx1 .byte 1/'
		index places='0, 0, 20, 0'
		cat <<-END
			in .debug_str_offsets,"",%progbits
			.fill 20, 1, 0xff
			.long 12; .short 5, 0; .long 0, 2
			in .debug_str,"",%progbits
			.asciz "x"
			.asciz "f"
		END
	} | split_off a.dwp
	finds "f ??:?" "a name by its index"
	(function_unit 5 1; index columns=4) | split_off a.dwp
	finds "- ! the index of the .dwp file is damaged" "another unit"
	(function_unit 5 3; index columns=4) | split_off a.dwp
	finds "- ! the index of the .dwp file is damaged" "another kind of unit"
	printf 'in .debug_cu_index,"",%%progbits\n.long 5\n' | split_off a.dwp
	finds "- ! the index of the .dwp file is damaged" "a header that is cut"
	function_unit | split_off a.dwp
	function_unit | split_off a.dwo
	finds "f ??:?" "no index, but a .dwo file"
	echo text >a.dwp
	finds "f ??:?" "no .dwp file"
}

@test "big-endian files: numbers of three bytes, and the index of a .dwp file" {
	local version
	need aarch64-linux-gnu-as aarch64-linux-gnu-ld aarch64-linux-gnu-objcopy
	as() { aarch64-linux-gnu-as -EB "$@"; }
	ld() { aarch64-linux-gnu-ld -EB "$@"; }
	objcopy() { aarch64-linux-gnu-objcopy "$@"; }
	made a <<-END
		unit
		die compile_unit children
		 addr_base sec_offset .long 8
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		die subprogram
		 name strx3 .byte 0, 0, 1
		 low_pc addrx3 .byte 0, 0, 1
		 high_pc data1 .byte 64
		end
		$STRINGS$OFFSETS$ADDRESSES
	END
	readelf -h a | grep -q 'big endian'
	finds "f ??:?" "three bytes"
	skeleton
	for version in '.short 5, 0' '.long 2'; do
		(function_unit; index version="$version") | split_off a.dwp
		finds "f ??:?" "$version"
	done
}

@test "files of 32 bits: code that lld dropped has the last addresses" {
	local address want
	need i686-linux-gnu-as i686-linux-gnu-ld
	as() { i686-linux-gnu-as "$@"; }
	ld() { i686-linux-gnu-ld "$@"; }
	while IFS='|' read -r address want; do
		made a <<-END
			unit
			die compile_unit children
			 low_pc addr .long code, 0
			 high_pc data1 .byte 64
			die subprogram
			 name string .asciz "f"
			 low_pc addr .long code, 0
			 high_pc data1 .byte 64
			die subprogram
			 name string .asciz "g"
			 low_pc addr .long $address, 0
			 high_pc data1 .byte 64
			end
		END
		finds "${want:-f ??:?}" "$address"
	done <<-'END'
		-1|
		-2|
		-3|- ! an address of its debug information is outside of its code
	END
}

@test "dwz's file: references of every form, and what may be wrong with it" {
	local ref link want
	made alt --build-id=0x0123456789 <<-END
		unit
		die partial_unit children
		die subprogram
		 name string .asciz "shared"
		die variable
		 name string .asciz "v"
		end
		unit
		die partial_unit children
		 str_offsets_base sec_offset .long 8
		die subprogram
		 name strx1 .byte 0
		end
		$STRINGS$OFFSETS
	END
	while IFS='|' read -r ref link want; do
		made a <<-END
			unit
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die subprogram
			 name string .asciz "own"
			die subprogram
			 $ref
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			end
			in .gnu_debugaltlink,"",%progbits
			$link
		END
		finds "${want:-shared ??:?}" "$ref, $link"
	# where there is no file, 22 is not the function of that name in the program itself
	done <<-'END'
		origin gnu_ref_alt .long 13|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89
		origin gnu_ref_alt .long 42|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89|x ??:?
		origin ref_sup4 .long 13|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89
		origin ref_sup8 .quad 13|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89
		name strp_sup .long 2|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89|f ??:?
		name gnu_strp_alt .long 0|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89|x ??:?
		name gnu_strp_alt .long 9|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89|?? ??:? ! its debug information refers to bytes that do not exist
		origin gnu_ref_alt .long 0|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89|?? ??:? ! its debug information refers to bytes that do not exist
		origin gnu_ref_alt .long 21|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89|?? ??:? ! a function of its debug information is damaged
		origin gnu_ref_alt .long 22|.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67|?? ??:? ? dwz's file is not available: another build id
		origin gnu_ref_alt .long 22|.asciz "gone"; .byte 0x01, 0x23|?? ??:? ? dwz's file is not available: open: No such file or directory
		origin gnu_ref_alt .long 22|.ascii "alt"|?? ??:? ! the name of dwz's file is missing
	END
}

# function NAME FROM SIZE [ATTRIBUTE...]: an entry.
subprogram() {
	printf 'die subprogram\nname string .asciz "%s"\nlow_pc addr .quad code + %d\nhigh_pc data1 .byte %d\n' "$1" "$2" "$3"
	shift 3
	[ $# -eq 0 ] || printf '%s\n' "$@"
}

ROOT_ENTRY='unit
die compile_unit children
low_pc addr .quad code
high_pc data1 .byte 64'

@test "functions that overlap: the last one, wherever it is" {
	local n want
	made a <<-END
		$ROOT_ENTRY
		$(subprogram a 16 16; subprogram b 8 32; subprogram c 20 4; subprogram d 24 32; subprogram e 52 12; subprogram f 50 4)
		end
	END
	n=0
	for want in - - b b b c d d d d d d d f e e; do
		finds "$([ $want = - ] && echo - || echo "$want ??:?")" "$n" "$(printf 0x%x $((0x401000 + n)))"
		n=$((n + 4))
	done
	finds "f ??:?" 50 0x401032
	finds "f ??:?" 53 0x401035
	finds "e ??:?" 54 0x401036
	finds "d ??:?" 49 0x401031
}

@test "functions inside of every kind of entry that can have them" {
	local tag around
	for tag in compile_unit partial_unit skeleton_unit namespace 0x1e subprogram inlined entry_point block 0x32 \
		0x25 0x22 0x1a 2 0x13 0x17 0x38 4 0x33 0x19 0x4080; do
		case $tag in
		namespace) around="(anonymous namespace)::" ;;
		2 | 0x13 | 0x17) around="{unnamed type}::" ;;
		*) around= ;;
		esac
		made a <<-END
			$ROOT_ENTRY
			die $tag children
			 sibling ref4 .long die4 - unit1
			$(subprogram f 0 32)
			end
			$(subprogram g 32 32)
			end
		END
		finds "${around}f ??:?" "$tag"
		finds "g ??:?" "$tag" 0x401030
	done
}

@test "a function without a linkage name: the scopes around its declaration" {
	local language kind ref want
	while IFS='|' read -r language kind ref want; do
		made a <<-END
			unit
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			 $language
			die namespace children
			 name string .asciz "n"
			die 2 children
			 name string .asciz "c"
			die subprogram
			 name string .asciz "f"
			 declaration flag_present
			 $kind
			die 0x13
			 name string .asciz "s"
			 declaration flag_present
			end
			end
			die 0x13 children
			 specification ref4 .long die5 - unit1
			die subprogram
			 name string .asciz "g"
			 declaration flag_present
			end
			die namespace children
			 extension ref4 .long die2 - unit1
			die subprogram
			 name string .asciz "h"
			 declaration flag_present
			end
			die 2 children
			 specification ref4 .long die11 - unit1
			die 2 children
			die subprogram
			 name string .asciz "endless"
			 declaration flag_present
			end
			end
			die subprogram
			 $ref
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			end
		END
		finds "$want" "$language $kind $ref"
	done <<-'END'
		||specification ref4 .long die4 - unit1|n::c::f ??:?
		language data1 .byte 4||specification ref4 .long die4 - unit1|n::c::f ??:?
		language data1 .byte 0x1a||specification ref4 .long die4 - unit1|n::c::f ??:?
		language data1 .byte 0x19||specification ref4 .long die4 - unit1|n::c::f ??:?
		language data1 .byte 0x2a||specification ref4 .long die4 - unit1|n::c::f ??:?
		language data1 .byte 0x2b||specification ref4 .long die4 - unit1|n::c::f ??:?
		language data1 .byte 0x11||specification ref4 .long die4 - unit1|n::c::f ??:?
		language data1 .byte 0x3a||specification ref4 .long die4 - unit1|n::c::f ??:?
		language data1 .byte 12||specification ref4 .long die4 - unit1|f ??:?
		language data2 .short 0x1c||specification ref4 .long die4 - unit1|f ??:?
		|external flag_present|specification ref4 .long die4 - unit1|f ??:?
		|external flag .byte 1|specification ref4 .long die4 - unit1|f ??:?
		|external flag .byte 0|specification ref4 .long die4 - unit1|n::c::f ??:?
		|linkage_name string .asciz "l"|specification ref4 .long die4 - unit1|l ??:?
		||specification ref4 .long die7 - unit1|n::c::s::g ??:?
		||specification ref4 .long die9 - unit1|n::h ??:?
		||specification ref4 .long die12 - unit1|?? ??:? ! a function of its debug information is damaged
		||name string .asciz "outside"|outside ??:?
	END
}

@test "scopes that their unit cuts off, long ones, and a unit whose root is missing" {
	made a <<-END
		$ROOT_ENTRY
		die namespace children
		 name string .asciz "n"
		$(subprogram f 0 64)
	END
	finds "n::f ??:?" "without the ends of the lists"
	for n in 30000 40000; do
		made a <<-END
			$ROOT_ENTRY
			die namespace children
			 name string .fill $n, 1, 65; .byte 0
			die namespace children
			 name string .fill $n, 1, 66; .byte 0
			$(subprogram f 0 64)
			end
			end
			end
		END
		at 0x401010 a >got
		case $n in
		30000) [ "$(wc -c <got)" -eq $((2 * (n + 2) + 7)) ] ;;
		40000) echo "?? ??:? ? a name in it is too long" | same - got ;;
		esac
	done
	made a <<-END
		unit
		end
		die subprogram
		 name string .asciz "f"
		$ROOT_ENTRY
		die subprogram
		 origin ref_addr .long die1
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		end
	END
	finds "f ??:?" "without a root"
	# of a unit that is not the first, a reference beyond all numbers; and a form that is cut
	made a <<-END
		unit
		die compile_unit
		$ROOT_ENTRY
		die subprogram
		 origin ref8 .quad -1
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		end
	END
	finds "?? ??:? ! its debug information refers to bytes that do not exist" "a reference"
	made a <<-END
		$ROOT_ENTRY
		die subprogram
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		 name indirect .byte 0x96
	END
	finds "- ! an entry of its debug information is damaged" "a form"
}

@test "a scope in a unit that is not the first" {
	made a <<-END
		unit
		die compile_unit children
		die namespace children
		 name string .asciz "other"
		die subprogram
		 name string .asciz "f"
		 declaration flag_present
		end
		end
		unit
		die compile_unit children
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		die 0x17 children
		 name string .asciz "u"
		die subprogram
		 name string .asciz "f"
		 declaration flag_present
		end
		die subprogram
		 specification ref4 .long die6 - unit2
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		end
	END
	finds 'u::f ??:?' 'a union'
}

@test "a function that is a declaration, or says that it is none" {
	local flag want
	while IFS=/ read -r flag want; do
		made a <<-END
			unit
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			die subprogram children
			 sibling ref4 .long die4 - unit1
			 name string .asciz "f"
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			 $flag
			die 0x1d
			 name string .asciz "i"
			 low_pc addr .quad code + 16
			 high_pc data1 .byte 16
			end
			die subprogram
			 name string .asciz "g"
			 low_pc addr .quad code + 48
			 high_pc data1 .byte 16
			end
		END
		finds "$want" "$flag"
		finds 'g ??:?' "$flag" 0x401030
	done <<-'END'
		/i ??:?|f ??:?
		declaration flag .byte 0/i ??:?|f ??:?
		declaration flag .byte 1/-
		declaration flag_present/-
	END
}

@test "maps of ranges that overlap: the last one, at every address" {
	local archive
	use_archive
	build_c "$T/ranges" t/unit/ranges.c "$archive" "${LIBRARIES[@]}"
	want_status 0 "$T/ranges"
	silent
}

@test "many scopes: a name of 64 of them, and no more" {
	local n
	for n in 64 65; do
		made a <<-END
			unit
			die compile_unit children
			 low_pc addr .quad code
			 high_pc data1 .byte 64
			$(for ((i = 0; i < n; i++)); do printf 'die namespace children\n name string .asciz "n"\n'; done)
			$(subprogram f 0 64)
			$(for ((i = 0; i <= n; i++)); do echo end; done)
		END
		if [ "$n" = 64 ]; then
			finds "$(printf 'n::%.0s' {1..64})f ??:?" "$n"
		else
			finds "?? ??:? ! a function of its debug information is damaged" "$n"
		fi
	done
}

@test "units whose root has no addresses: their functions are looked for" {
	made a <<-END
		unit
		die compile_unit children
		$(subprogram f 0 32)
		end
		unit
		die compile_unit children
		$(subprogram g 32 32)
		end
		unit
		die compile_unit
		unit
		die partial_unit children
		end
		unit
		die compile_unit children
		$(subprogram dropped -0x401000 32)
	END
	finds "f ??:?" f
	finds "g ??:?" g 0x401030
	finds - none 0x401050
	made a <<-END
		unit
		die compile_unit children
		$(subprogram outside 0x100000 32)
		$(subprogram f 0 32)
		end
	END
	finds "- ! an address of its debug information is outside of its code" damaged
	made a <<-END
		unit
		die compile_unit children
		low_pc addr .quad code
		$(subprogram f 0 32)
		end
	END
	finds "f ??:?" "a root with only its first address"
	# an empty list in the root
	made a <<-END
		unit
		die compile_unit children
		ranges sec_offset .long 0
		$(subprogram f 0 32)
		end
		in .debug_rnglists,"",%progbits
		.byte 0
	END
	finds "f ??:? ! a range list of its debug information is empty" "a root with an empty list"
	made a <<-END
		unit
		die compile_unit
		ranges sec_offset .long 0
		in .debug_rnglists,"",%progbits
		.byte 0
	END
	finds "- ! a range list of its debug information is empty" "a root alone with an empty list"
	made a <<-END
		unit
		die compile_unit children
		low_pc addr .quad 0
		high_pc data1 .byte 64
		$(subprogram f 0 32)
		end
	END
	finds "- ! its debug information describes none of its code" "all of it was dropped"
	made a <<-END
		unit
		die compile_unit children
		ranges sec_offset .long 0
		$(subprogram f 0 32)
		end
		in .debug_rnglists,"",%progbits
		.byte 6; .quad 0, 64; .byte 0
	END
	finds "- ! its debug information describes none of its code" "all of a list was dropped"
	# what the root gives is believed
	made a <<-END
		unit
		die compile_unit children
		low_pc addr .quad code
		high_pc data1 .byte 16
		$(subprogram f 0 32)
		end
		unit
		die compile_unit children
		ranges sec_offset .long 0
		$(subprogram g 32 32)
		end
		in .debug_rnglists,"",%progbits
		.byte 6; .quad code + 32, code + 48; .byte 0
	END
	finds "f ??:?" f 0x401008
	finds - "a function longer than its root" 0x401018
	finds "g ??:?" g 0x401028
	finds - "a function longer than the list of its root" 0x401038
}

@test "files that are not linked, and gaps between segments" {
	made a <<-END
		$ROOT_ENTRY
		$(subprogram f 0 64)
		end
	END
	# with its headers in a segment of their own, with its code, and all in one
	finds "f ??:?" "linked"
	ld -z noseparate-code -Ttext=0x401000 -e code -o a object.o
	finds "f ??:?" "two parts of one segment"
	ld -N -Ttext=0x401000 -e code -o a object.o
	finds "f ??:?" "one segment"
	cp object.o a
	finds "f ??:?" "not linked" 0x10
	for from in 0x800 0x100000 0x2000; do
		made a <<-END
			$ROOT_ENTRY
			$(subprogram f $from 8)
			$(subprogram g 0 8)
			end
			in .data
			.skip 64
		END
		finds "- ! an address of its debug information is outside of its code" $from 0x401004
	done
	made a <<-END
		$ROOT_ENTRY
		$(subprogram f -0x1000 8)
		$(subprogram g 0 64)
		end
	END
	finds "g ??:?" "code before the first segment with code"
	finds - "the same" 0x400004
}

@test "headers of tables that are damaged" {
	local edit
	for edit in 's/.short 5$/.short 6/' 's/2f - 1f/2f - 1f + 1/' 's/2f - 1f/-1/'; do
		made a <<-END
			$ROOT_ENTRY
			addr_base sec_offset .long 8
			die subprogram
			name string .asciz "f"
			low_pc addrx .uleb128 1
			high_pc data1 .byte 64
			end
			$(sed "$edit" <<<"$ADDRESSES")
		END
		finds "- ! an address of its debug information is damaged" "$edit"
	done
	made a <<-END
		$ROOT_ENTRY
		addr_base sec_offset .long 100
		die subprogram
		name string .asciz "f"
		low_pc addrx .uleb128 1
		high_pc data1 .byte 64
		end
		$ADDRESSES
	END
	finds "- ! its debug information refers to bytes that do not exist" "beyond the section"
	sed 's/.long 100$/.long 36/' source.s | as -o object.o - && ld -Ttext=0x401000 -e code -o a object.o
	finds "- ! its debug information is damaged" "its version beyond the section"
}

@test "numbers that do not fit, entries that are long, deep or not ended" {
	local n
	while IFS='|' read -r call want; do
		made a <<-END
			$ROOT_ENTRY
			stmt_list data4 .long 0
			$(subprogram f 0 64 | sed 's/subprogram/& children/')
			die inlined
			name string .asciz "g"
			low_pc addr .quad code
			high_pc data1 .byte 64
			call_file data1 .byte 1
			$call
			end
			end
			$(line_table 4 "$FIELDS4$OLD" "$PROGRAM")
		END
		finds "g a.c:1|f $want" "$call"
	done <<-'END'
		|a.c:?
		call_line data1 .byte 7|a.c:7
		call_line data4 .long 0xffffffff|a.c:4294967295
		call_line data8 .quad 0xffffffff|a.c:4294967295
		call_line data8 .quad 0x100000000|a.c:?
		call_line data8 .quad 0x100000001|a.c:?
		call_line string .asciz "7"|a.c:?
	END
	# the first has a place, and the other none of its own
	made a <<-END
		$ROOT_ENTRY
		stmt_list data4 .long 0
		$(subprogram f 0 64 | sed 's/subprogram/& children/')
		die inlined
		name string .asciz "g"
		low_pc addr .quad code
		high_pc data1 .byte 8
		call_file data1 .byte 1
		call_line data1 .byte 7
		die inlined
		name string .asciz "h"
		low_pc addr .quad code + 8
		high_pc data1 .byte 56
		end
		end
		$(line_table 4 "$FIELDS4$OLD" "$PROGRAM")
	END
	finds 'h a.c:1|f ??:?' 'without a place of its call'
	for n in 400 70000 1000000; do
		made a <<-END
			$ROOT_ENTRY
			$(subprogram f 0 64 "other string .fill $n, 1, 65; .byte 0")
			end
		END
		finds "f ??:?" "$n bytes"
	done
	made a <<-END
		$ROOT_ENTRY
		$(subprogram f 0 64 "other string .fill 5000000, 1, 65; .byte 0")
		end
	END
	finds "- ! an entry of its debug information is damaged" "too long"
	for n in 998 999; do
		made a <<-END
			$ROOT_ENTRY
			$(subprogram f 0 64)
			$(yes 'die block children' | head -n $n)
			die block
			$(yes end | head -n $n)
			end
		END
		finds "$([ $n = 998 ] && echo 'f ??:?' || echo 'f ??:?')" "$n deep"
	done
	made a <<-END
		$ROOT_ENTRY
		$(subprogram f 0 64)
		$(yes 'die block children' | head -n 1000)
		$(yes end | head -n 1000)
		end
	END
	finds "- ! its debug information is nested too deeply" "too deep"
	made a <<-END
		$ROOT_ENTRY
		$(subprogram f 0 64)
	END
	finds "f ??:?" "without the end of the list"
	made a <<-END
		$ROOT_ENTRY
		$(subprogram f 0 64 | sed 's/string .*/string .fill 300000, 1, 65; .byte 0/')
		end
	END
	finds "?? ??:? ? a name in it is too long" "a name of 300000 bytes"
	for n in 100 60000; do
		made a <<-END
			$ROOT_ENTRY
			die subprogram
			name string .fill $n, 1, 65; .asciz "z"
			low_pc addr .quad code
			high_pc data1 .byte 64
			end
		END
		at 0x401010 a >got
		[ "$(wc -c <got)" -eq $((n + 7)) ] || fail "$n: $(wc -c <got)"
	done
}

@test "many units with tables of their own" {
	local n
	{
		echo 'in .text'
		echo '.skip 4000'
		for ((n = 0; n < 120; n++)); do
			printf 'unit %d\ndie compile_unit children\nlow_pc addr .quad code + %d\nhigh_pc data1 .byte 16\n' $((n % 4 + 2)) $((n * 16))
			subprogram "f$n" $((n * 16)) 16
			echo end
		done
	} | made a
	for ((n = 0; n < 120; n++)); do
		echo $((0x401000 + n * 16 + 5))
	done | awk '{ printf "%x\n", $1 }' >places
	frames a <places | grep '^f' | cut -c 2- >got
	seq 0 119 | same - got
	# what is not kept is read again, in any order
	use_archive
	build_c "$T/small" -DDWARF_CACHE_MAX=10000 t/unit/dwarf.c src/symbol/dwarffind.c "$archive" "${LIBRARIES[@]}"
	for n in 1 2 3; do
		cat places
		sort -r places
		sort -k 1.5 places
	done >many
	frames a <many >want
	want_status 3 frames a 150000 <many
	want_status 0 ./small a 150000 <many
	same want out
}

@test "whatever allocation fails: the same frames, or a failure of the system" {
	local k status file n=0
	preload nomem
	skeleton a.dwo
	function_unit | split_off a.dwo
	cp a split
	lines 5 "$FIELDS4$NEW" "$PROGRAM"
	cp a new
	lines 4 "$FIELDS4$OLD" "$PROGRAM"
	cp a old
	for file in split new old; do
		echo 0x401010 | frames $file >want
		for ((k = 1; k < 60; k++)); do
			status=0
			echo 0x401010 | LD_PRELOAD=$HELPERS/nomem.so NOMEM=$k frames $file >got 2>err || status=$?
			case $status in
			0) cmp -s want got && [ ! -s err ] && [ $k -gt 25 ] && break ;;
			1 | 3) [ -s err ] ;;
			*) fail "$file: allocation $k: status $status" ;;
			esac
			n=$((n + 1))
		done
	done
	[ $n -gt 40 ]
}

# refused NAME WANT [ADDRESS]: the frames in the program are WANT, or a failure is reported, whatever is
# refused.  The same with every section in a block of its own, so that each is read by itself.
refused() {
	local address=${3-0x401010} name
	[ "$(at "$address" "$1")" = "$2" ] || fail "$1: $(at "$address" "$1")" || return
	objcopy --set-section-alignment '.debug_*=16384' "$1" "$1.apart" || return
	cp "$1" "$1.packed" && objcopy --compress-debug-sections "$1.packed" || return
	for name in "$1" "$1.apart" "$1.packed"; do
		echo "$address" | want_status 0 frames -r "$name" || return
	done
}

# bats test_tags=slow,sanitize
@test "whatever cannot be read: the same frames, or a failure, also when asked again" {
	local n
	skeleton a.dwo
	function_unit | split_off a.dwo
	objcopy --set-section-alignment '.debug_*=16384' a.dwo
	refused a "f ??:?"
	skeleton b.dwo
	mv a packed
	(function_unit; index) | split_off packed.dwp
	objcopy --set-section-alignment '.debug_*=16384' packed.dwp
	cp packed.dwp packed.apart.dwp
	cp packed.dwp packed.packed.dwp
	refused packed "f ??:?"
	# a list of ranges with addresses by their numbers, in a unit whose root has none
	made walked <<-END
		unit
		die compile_unit children
		 addr_base sec_offset .long 8
		die subprogram
		 name string .asciz "f"
		 ranges sec_offset .long 12
		end
		$ADDRESSES
		in .debug_rnglists,"",%progbits
		.long 2f - 1f
		1: .short 5
		.byte 8, 0
		.long 0
		.byte 1, 1, 4, 0, 16, 2, 1, 2, 3, 1, 64, 0
		2:
	END
	refused walked "f ??:?"
	# names of files beyond the first bytes of the header that are read at once
	for n in 4080 4050; do
		lines 4 "$FIELDS4.fill $n, 1, 65; .byte 0; .asciz \"sub\"; .byte 0; .asciz \"a.c\"; .byte 0, 0, 0; .asciz \"b.c\"; .byte 2, 0, 0; .byte 0" "$PROGRAM"
		refused a "f /dir/sub/b.c:8" 0x401030
	done
	n=$(printf 'a%.0s' {1..36})
	lines 4 "$FIELDS4.asciz \"sub\"; .fill 3982, 1, 65; .byte 0, 0; .asciz \"$n.c\"; .byte 0, 0, 0; .asciz \"b.c\"; .byte 1, 0, 0; .fill 200, 1, 65; .byte 0, 0, 0, 0, 0" "$PROGRAM"
	refused a "f /dir/sub/b.c:8" 0x401030
	for n in 4026 3992 3989; do
		lines 5 "$FIELDS4.byte 1, 1, 8, 2; .asciz \"/dir\"; .fill $n, 1, 65; .byte 0; .byte 2, 1, 8, 11, 11, 3; .asciz \"a.c\"; .byte 0; .fill 200, 1, 65; .byte 0, 0; .asciz \"b.c\"; .byte 0" "$PROGRAM"
		refused a "f /dir/b.c:8" 0x401030
	done
	# a line table and a unit that are read in parts, which are not kept
	lines 5 "$FIELDS4$NEW" "${PROGRAM/; .byte 1;/; .fill 9000, 1, 6; .byte 1;}"
	sed 's/\.asciz "f"/.fill 9000, 1, 70; .byte 0/' source.s >large.s
	as -o object.o large.s && ld -Ttext=0x401000 -e code -o a object.o
	refused a "$(printf 'F%.0s' {1..9000}) /dir/sub/b.c:8" 0x401030
	# scopes, in dwz's file
	made alt --build-id=0x0123456789 <<-END
		unit
		die partial_unit children
		die namespace children
		 name strp .long 0
		die namespace children
		die subprogram
		 name string .asciz "f"
		end
		end
		end
		$STRINGS
	END
	objcopy --set-section-alignment '.debug_*=16384' alt
	made a <<-END
		unit
		die compile_unit children
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		die subprogram
		 origin gnu_ref_alt .long 19
		 low_pc addr .quad code
		 high_pc data1 .byte 64
		end
		in .gnu_debugaltlink,"",%progbits
		.asciz "alt"; .byte 0x01, 0x23, 0x45, 0x67, 0x89
	END
	refused a "x::(anonymous namespace)::f ??:?"
}
