# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# afpipe.bash - completes the options of the filters in bash.  They print their options themselves
# (--list-options): letter, name, argument, the words that the argument can be, text.

# _afpipe_words WORDS LIST: completes $cur to one of these words, which are separated by |.  If LIST
# has a comma, $cur is a list, and its last element is completed.
_afpipe_words() {
	local before=''
	if [[ $2 == *,* ]]; then
		before=${cur%"${cur##*,}"}
		compopt -o nospace
	fi
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "${1//|/ }" -- "${cur#"$before"}")
}

_afpipe() {
	local cur=$2 prev=$3 program=${1/#~\//$HOME/}
	local letter name argument words text taken='' choices='' options='' functions='' called=''
	if [[ $cur == '=' ]]; then # --name= is three words
		cur=''
	elif [[ $prev == '=' ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	# shellcheck disable=SC2034 # text is for other shells
	while IFS=$'\t' read -r letter name argument words text; do
		case $name in
		--*) options+="$name|" ;;
		*)
			functions+="$name|"
			[[ " ${COMP_WORDS[*]:1:COMP_CWORD-1} " != *" $name "* ]] || called=yes
			;;
		esac
		if [[ $prev == -* && $argument != . && ($prev == "$name" || $prev == "$letter") ]]; then
			taken=$argument choices=$words
		fi
	done < <("$program" --list-options 2>/dev/null)
	COMPREPLY=()
	if [[ -n $choices && $choices != . ]]; then
		compopt +o default
		_afpipe_words "$choices" "$taken"
	elif [[ -n $taken ]]; then
		[[ $taken == FILE ]] || compopt +o default
		[[ $taken != DIR ]] || compopt -o dirnames
	elif [[ $cur == -* ]]; then
		_afpipe_words "$options" ''
	elif [[ -n $functions && -z $called ]]; then
		_afpipe_words "$functions" ''
	fi
}

complete -o default -F _afpipe @PROGRAMS@
