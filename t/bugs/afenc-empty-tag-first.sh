# SPDX-License-Identifier: ISC
# Of two tags with one key afenc took the second, if the value of the first was empty.
printf 'span\t6000\t0x1\tl\tm\t1\tstart=\tstart=3000\n' | afenc --no-marks | grep Section
