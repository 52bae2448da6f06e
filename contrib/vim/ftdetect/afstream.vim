" SPDX-License-Identifier: ISC
" Streams have no fixed suffix: .af, or the mark in the first line.
autocmd BufNewFile,BufRead *.af setfiletype afstream
autocmd BufRead,StdinReadPost * if getline(1) =~# '^#afstream\t' | setfiletype afstream | endif
