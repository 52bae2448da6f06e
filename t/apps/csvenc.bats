# SPDX-License-Identifier: ISC
# csvenc.bats - csvenc's table in pandas.

load ../lib

@test "pandas reads the table of csvenc" {
	app python3 pandas
	cd "$T"
	printf '%b\n' 'sample\t1\t0x1\tmain\tcycles\t10\tcomm=a,b' \
		'sample\t2\t0x1\tsay "hi"\tcycles\t32\tcomm=two\\nlines\tcpu=3' >in
	want_status 0 csvenc in
	"$python" - out >got <<-'EOF'
		import pandas, sys
		t = pandas.read_csv(sys.argv[1])
		print(t["value"].sum(), list(t["region"]), list(t["comm"]), list(t["cpu"].fillna(-1)))
	EOF
	printf '%s\n' "42 ['main', 'say \"hi\"'] ['a,b', 'two\\nlines'] [-1.0, 3.0]" >want
	same want got
}
