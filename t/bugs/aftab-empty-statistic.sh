# a statistic without a name, as out of memory
printf 'agg\t5\tr1\tf\tm\t5\tstat=\tn=1\ndiff\t5\tr1\tf\tm\t5\tstat=\tn=1\n' | aftab
