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
# what is said of damage.
at() {
	local found said
	found=$(echo "$1" | frames "$2" 2>err | sed 1d | paste -s -d ' |')
	said=$(sed 's/^[0-9]* damaged: / ! /' err)
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
		strp_sup|.long 2|?? ??:? ! the name of dwz's file is missing
	END
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
			5|.byte 6; .quad code, code + 64; .byte 0
			5|.byte 7; .quad code; .uleb128 64; .byte 0
			5|.byte 1; .uleb128 1; .byte 4; .uleb128 0, 64; .byte 0
			5|.byte 2; .uleb128 1, 2; .byte 0
			5|.byte 3; .uleb128 1, 64; .byte 0
			4|.quad 0, 64, 0, 0
			4|.quad -1, code, 0, 64, 0, 0
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
			 rnglists_base sec_offset .long lists
			die subprogram
			 name string .asciz "f"
			 ranges $entry
			end
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
		5|sec_offset .long list|.byte 6; .quad code, code + 64|- ! a range list of its debug information is damaged
		5|sec_offset .long list|.byte 8; .quad code, code + 64; .byte 0|- ! a range list of its debug information is damaged
		5|sec_offset .long list|.byte 6; .quad code|- ! a range list of its debug information is damaged
		5|sec_offset .long list|.byte 1; .uleb128 7; .byte 0|- ! an address of its debug information is damaged
		5|sec_offset .long list|.byte 2; .uleb128 1, 7; .byte 0|- ! an address of its debug information is damaged
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
