# SPDX-License-Identifier: ISC
# A recording that is given twice was counted twice, and nothing said so.
cp "$BUGS/../../share/demo/burn.data" .
perfdec --no-symbols burn.data burn.data | afagg --stat count | aftab
