# SPDX-License-Identifier: ISC
# Small numbers were shown as 0.00, others with four digits (1000k, 10.00) or, the largest, with 280.
show() {
	unit=$1
	shift
	for value; do
		i=$((${i-10} + 1))
		printf 'agg\t1\tr\tf%d\tm\t%s\tstat=max\tunit=%s\n' $i "$value" $unit
	done | aftab --human | tr -s ' '
}
show x 0.000952 0.0729 0.73 -0.005 1e-12 1e-15 1e-320 0 1 999 999.4 999.6 999400 999600 9.996 99.96 5e20 1e300
show B 0.000952 0.5 0 1023 1023.9 1048575 2e18
show ns 0.5 0.00001 999.6 59980000000 1e30
show s 5e-9 1e-10 1e308
