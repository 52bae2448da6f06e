# SPDX-License-Identifier: ISC
# afpipe.fish - completes the options of a filter in fish.  It is installed under the name of each.
# They print their options themselves (--list-options): letter, name, argument, the words that the
# argument can be, text.

set -l program (string replace -r '.*/([^/]*)\.fish$' '$1' -- (status filename))
set -l lines ($program --list-options 2>/dev/null)
# A word that is the first operand completes only as long as there is none of these words.
set -l functions (string replace -rf '^\.\t([^-\t]+)\t.*' '$1' -- $lines)
for line in $lines
    set -l field (string split \t -- $line)
    if not string match -q -- '--*' $field[2]
        complete -c $program -n "not __fish_seen_subcommand_from $functions" -f -a $field[2] -d $field[5]
        continue
    end
    set -l option -c $program -l (string sub -s 3 -- $field[2]) -d $field[5]
    if test $field[1] != .
        set -a option -s (string sub -s 2 -- $field[1])
    end
    if test $field[3] = .
        complete $option
    else if test $field[4] != .
        set -l words (string join ' ' (string split '|' -- $field[4]))
        if string match -q '*,*' -- $field[3]
            complete $option -x -a "(__fish_append , $words)"
        else
            complete $option -x -a $words
        end
    else if test $field[3] = FILE
        complete $option -r -F
    else if test $field[3] = DIR
        complete $option -x -a '(__fish_complete_directories (commandline -ct) "")'
    else
        complete $option -x
    end
end
