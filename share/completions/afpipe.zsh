#compdef @PROGRAMS@
# SPDX-License-Identifier: ISC
# afpipe.zsh - completes the options of the filters in zsh.  They print their options themselves
# (--list-options): letter, name, argument, the words that the argument can be, text.

_afpipe() {
	local line description action
	local -a field specs functions list
	for line in "${(@f)$(_call_program options $words[1] --list-options 2>/dev/null)}"; do
		field=("${(@ps:\t:)line}")
		if [[ $field[2] != --* ]]; then
			functions+=($field[2])
			continue
		fi
		description=${${field[5]//\[/\\[}//\]/\\]}
		list=(${(s:|:)field[4]})
		case $field[3] in
		.)
			specs+=("$field[2][$description]")
			[[ $field[1] == . ]] || specs+=("$field[1][$description]")
			continue
			;;
		FILE) action=_files ;;
		DIR) action='_files -/' ;;
		*)
			if [[ $field[4] == . ]]; then
				action=' '
			elif [[ $field[3] == *,* ]]; then
				action="_values -s , word $list"
			else
				action="($list)"
			fi
			;;
		esac
		specs+=("$field[2]=[$description]:${field[3]//:/\\:}:$action")
		[[ $field[1] == . ]] || specs+=("$field[1]+[$description]:${field[3]//:/\\:}:$action")
	done
	(( $#functions == 0 )) || specs+=("1:function:($functions)")
	_arguments -s $specs '*:file:_files'
}

_afpipe "$@"
