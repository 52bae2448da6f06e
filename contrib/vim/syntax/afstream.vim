" SPDX-License-Identifier: ISC
" Vim syntax file for afpipe's streams, see afstream(5): kind, time, run, region, measure, value, tags.
if exists("b:current_syntax")
  finish
endif

" Each column begins where the one before it ends.  Every line stands alone, so nothing is kept.
syntax match afKind    /^[a-z][a-z0-9_]*\ze\t/ nextgroup=afTime
syntax match afTime    /\t[^\t]*/ contained contains=afNone nextgroup=afRun
syntax match afRun     /\t[^\t]*/ contained contains=afNone nextgroup=afRegion
syntax match afRegion  /\t[^\t]*/ contained contains=afNone,afEscape nextgroup=afMeasure
syntax match afMeasure /\t[^\t]*/ contained contains=afNone,afEscape nextgroup=afValue
syntax match afValue   /\t[^\t]*/ contained contains=afNone,afEscape nextgroup=afKey
syntax match afKey     /\t[^\t=]*=/ contained nextgroup=afTag,afKey
syntax match afTag     /[^\t]\+/ contained contains=afEscape nextgroup=afKey
syntax match afNone    /\t\zs\.\ze\(\t\|$\)/ contained
syntax match afEscape  /\\\([\\tnr.]\|x\x\x\)/ contained

syntax match afComment /^#.*/
syntax match afMark    /^#\(afstream\|end\)\t.*/
syntax match afDoubt   /^#end\t[^\t]*\t[^\t]*\t[^\t]*\t\(partial.*\|complete\t.*\)/
syntax match afLost    /^\(lost\|incomplete\)\ze\t/ nextgroup=afTime
syntax sync minlines=1
setlocal tabstop=20 nowrap

highlight default link afKind    Statement
highlight default link afTime    Comment
highlight default link afRun     Comment
highlight default link afRegion  Function
highlight default link afMeasure Type
highlight default link afValue   Number
highlight default link afKey     Identifier
highlight default link afTag     String
highlight default link afNone    NonText
highlight default link afEscape  SpecialChar
highlight default link afComment Comment
highlight default link afMark    PreProc
highlight default link afDoubt   Error
highlight default link afLost    WarningMsg

let b:current_syntax = "afstream"
