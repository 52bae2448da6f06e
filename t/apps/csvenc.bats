# SPDX-License-Identifier: ISC
# csvenc.bats - csvenc's tables in pandas, DuckDB and LibreOffice.

load ../lib

DUCKDB=1.5.6-r.1

setup_file() {
	command -v npm >/dev/null || return 0
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$BATS_FILE_TMPDIR" \
		"@duckdb/node-api@$DUCKDB" >/dev/null 2>&1 || :
}

setup() {
	cd "$T" || return
}

# hostile: samples with texts that readers of tables may take for something else.
hostile() {
	printf '%b\n' 'sample\t1\t0x1\t=1+1\tcycles\t10\tcomm=a,b\tn=007\tbig=1234567890123456789' \
		'sample\t2\t0x1\tsay "hi"\tcycles\t32\tcomm=two\\nlines\tn=010\tcpu=3' \
		'sample\t1700000000123456789\t0x1\t+x\tcycles\t9007199254740993\tcomm=a;b|c\tcpu=4' \
		'sample\t4\t0x1\t\xc3\xa9\xe2\x82\xac\tcycles\t1\tcomm= lead\tn=2' \
		'sample\t5\t0x1\t@y\tcycles\t5\tcomm=-5\tn=2' \
		"sample\t6\t0x1\tit's\tcycles\t5\tcomm=1e3\tn=1-2"
}

# cells [DELIMITER]: a table on standard input as Python reads it, each row as JSON.
cells() {
	python3 -c '
import csv, io, json, sys
text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
for row in csv.reader(text, delimiter=sys.argv[1], strict=True):
    print(json.dumps(row))' "${1-,}"
}

# duck SQL...: the names and values of each result, as JSON; empty fields are "".
duck() {
	[ -e "$BATS_FILE_TMPDIR/node_modules/@duckdb/node-api" ] || {
		[ "${APPS-}" != required ] || fail "DuckDB is required, and not here" || return
		skip "no duckdb here"
	}
	cat >"$BATS_FILE_TMPDIR/duck.mjs" <<-'END'
	import { DuckDBInstance } from "@duckdb/node-api";
	const db = await (await DuckDBInstance.create(":memory:")).connect();
	for (const sql of process.argv.slice(2)) {
		const result = await db.runAndReadAll(sql);
		console.log(JSON.stringify(result.columnNames()));
		for (const row of result.getRows())
			console.log(JSON.stringify(row.map(cell => cell === null ? "" : String(cell))));
	}
	END
	node "$BATS_FILE_TMPDIR/duck.mjs" "$@"
}

# table FILE [OPTION]: the table as DuckDB reads it.  Left alone, it takes run ids for numbers.
table() {
	echo "read_csv('$1', types = {'run': 'VARCHAR'}${2:+, $2})"
}

# pretty: JSON of rows as Python spells it.
pretty() {
	python3 -c '
import json, sys
for line in sys.stdin:
    print(json.dumps(json.loads(line)))'
}

# office TYPE FILTER FILE...: converts tables to spreadsheets of that type in the directory sheets,
# by LibreOffice's import filter (the delimiter as a number, the quote, UTF-8, the first row, types
# of columns), and those back to tables of the same names, with quotes around all texts.
office() {
	local type=$1 import=$2 name home=-env:UserInstallation=file://$T/office
	shift 2
	soffice "$home" --headless --infilter="Text - txt - csv (StarCalc):$import" --convert-to "$type" \
		--outdir sheets "$@" >office.out 2>&1 || fail "$(cat office.out)" || return
	for name; do
		set -- "$@" "sheets/$(basename "$name" .csv).$type"
		shift
	done
	soffice "$home" --headless --convert-to 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,false' \
		--outdir back "$@" >office.out 2>&1 || fail "$(cat office.out)"
}

@test "pandas reads the table of csvenc" {
	app python3 pandas
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

@test "DuckDB infers numbers, and its sums are those of afagg, to the unit" {
	app node
	local file n=0
	set --
	for file in "$ROOT"/t/data/perf/*.ev "$ROOT/share/demo/burn.data"; do
		case $file in
		*.data) perfdec "$file" >in 2>err ;;
		*) cp "$file" in ;;
		esac
		csvenc --no-marks --kind sample,span in 2>err >table.csv
		[ "$(wc -l <table.csv)" -gt 1 ] || continue
		n=$((n + 1))
		mv table.csv $n.csv
		afagg --no-marks --by run,region --stat sum in 2>err >$n.sums
		afcut --no-marks --kind agg run,region,measure,value $n.sums 2>err | sort |
			awk -F '\t' '{ for (i = 1; i < 4; i++) printf "%s|", $i == "." ? "" : $i; print $4 }' >>want
		set -- "$@" "select run, region, measure, sum(value), typeof(any_value(value)) from $(table $n.csv) where value is not null group by all"
	done
	[ "$n" -ge 15 ] || fail "$n"
	duck "$@" >rows
	python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if row[0] != "run":
        assert row[4] in ("BIGINT", "HUGEINT"), row
        print("|".join(row[:4]))' <rows | sort >got
	sort -o want want
	same want got
}

@test "DuckDB: each delimiter, a byte order mark, and texts with quotes and line feeds" {
	app node
	app python3
	hostile >in
	csvenc in | cells >want
	set --
	for delimiter in ',' ';' '|' '	'; do
		csvenc --delimiter "$delimiter" in >"${#}.csv"
		csvenc --delimiter "$delimiter" --bom in >"${#}.bom.csv"
		cells "$delimiter" <"${#}.bom.csv" >got
		same want got
		set -- "$@" "from $(table ${#}.csv)" "from $(table ${#}.bom.csv)"
	done
	csvenc --delimiter : in >colon.csv
	set -- "$@" "from $(table colon.csv "delim = ':'")"
	duck "$@" | pretty >got
	for _; do
		cat want
	done >all
	same all got
	duck "select sum(value), max(time), typeof(any_value(value)), max(run) from '0.csv'" | tail -n 1 >got
	echo '["9007199254741046","1700000000123456789","BIGINT","1"]' >want
	same want got
}

@test "DuckDB: groups as rows, with columns for statistics and for the values of a key" {
	app node
	awk 'BEGIN { OFS = "\t"; for (i = 0; i < 3000; i++)
		print "sample", i, "0x1", "f" i % 37, "m", i * i % 1000 * 1000003, "cpu=" i % 5, "comm=c" i % 3 }' >in
	awk -F '\t' '{ sum += $6; if ($7 == "cpu=2") two += $6 } END { printf "[\"3000\",\"%.0f\",\"BIGINT\"]\n[\"%.0f\"]\n", sum, two }' in >want
	afagg --by region,comm,cpu --stat count,sum,mean in >groups
	csvenc --wide stat groups >stat.csv
	afsel --no-marks --where stat=sum --kind agg groups | csvenc --wide cpu >cpu.csv
	duck "select sum(\"count\"), sum(\"sum\"), typeof(any_value(\"sum\")) from 'stat.csv'" \
		"select sum(\"2\") from 'cpu.csv'" | sed '1d; 3d' >got
	same want got
	duck "select typeof(mean) from 'stat.csv' limit 1" | tail -n 1 >got
	echo '["DOUBLE"]' >want
	same want got
}

@test "LibreOffice: columns imported as text come back as they were" {
	app soffice
	app python3
	local columns=region,comm,n,big,time,value types=1/2/2/2/3/2/4/2/5/2/6/2
	hostile >in
	csvenc --columns $columns in >plain.csv
	csvenc --columns $columns --bom in >bom.csv
	csvenc --columns $columns --delimiter ';' --bom in >semicolon.csv
	cells <plain.csv >want
	for type in ods xlsx; do
		rm -rf sheets back
		office $type "44,34,76,1,$types" plain.csv bom.csv
		office $type "59,34,76,1,$types" semicolon.csv
		for name in plain bom semicolon; do
			cells <back/$name.csv >got
			same want got || fail "$type $name"
		done
	done
}

@test "LibreOffice: what it takes for a formula, and the digits that numbers lose" {
	app soffice
	app python3
	hostile >in
	csvenc --columns region,comm,n,big,time,value --bom in >in.csv
	office ods 44,34,76,1 in.csv
	cat >want <<-'EOF'
	"region","comm","n","big","time","value"
	2,"a,b",7,1.23456789012346E+018,1,10
	"say ""hi""","two
	lines",10,,2,32
	"+x","a;b|c",,,1.70000000012346E+018,9007199254740990
	EOF
	head -n 5 back/in.csv >got
	same want got
	# names that are none, and numbers of up to 15 digits, need no types
	perfdec "$ROOT/share/demo/burn.data" 2>err | afagg --by region --stat count,sum >groups
	csvenc --wide stat --bom groups >sums.csv
	office ods 44,34,76,1 sums.csv
	cells <sums.csv >want
	cells <back/sums.csv >got
	same want got
	sed '1d; s/"[^"]*"//g' back/sums.csv | grep -qE '^,,,,[0-9]+,[0-9]+,[0-9]+$'
}
