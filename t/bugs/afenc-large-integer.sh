# SPDX-License-Identifier: ISC
# Integers in a type that became double were rounded, and nothing said so.
printf 'sample\t1\t1\tf\tm\t9007199254740993\nagg\t2\t1\tf\tm\t1.5\tstat=mean\n' | afenc | afdec | grep '^[as][ga]'
