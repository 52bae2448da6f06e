# SPDX-License-Identifier: ISC
# traceenc.bats - what traceenc writes, opened in speedscope in Chromium.

load ../lib

VERSION=1.25.0

setup_file() {
	command -v npm >/dev/null || return 0
	cd "$BATS_FILE_TMPDIR" || return
	if npm pack --silent "speedscope@$VERSION" >/dev/null 2>npm.err; then
		tar -xzf "speedscope-$VERSION.tgz"
	fi
}

# opened JSON: the profiles that speedscope lists, as NAME|TOTAL, and for each one the rows of its
# table of functions, as TOTAL|SELF|NAME.
opened() {
	local app=$BATS_FILE_TMPDIR/package/dist/release/index.html
	[ -e "$app" ] || {
		[ "${APPS-}" != required ] || fail "speedscope is required, and not here" || return
		skip "no speedscope here"
	}
	python3 "$ROOT/t/tools/browser.py" "$app" <<-'END'
		import base64
		with open("json", "rb") as f:
		    data = base64.b64encode(f.read()).decode()
		with open("load.js", "w") as f:
		    f.write('speedscope.loadFileFromBase64("json", "%s")' % data)
		rows = "[...document.querySelectorAll('table')].map(t => [...t.rows].map(r => [...r.cells].map(c => c.innerText).join('|'))).flat()"

		def view(ready):
		    end = time.monotonic() + 30
		    while not ready() and time.monotonic() < end:
		        time.sleep(0.05)
		    return p.js(rows)

		def is_number(row):
		    return row.split("|")[0].isdigit()

		p.send("Page.navigate", url="file://" + p.path + "#view=sandwich&localProfilePath=" + os.path.abspath("load.js"))
		seen, first = [], view(lambda: p.js("document.querySelectorAll('table tr').length") > 1)
		for row in first:
		    print(row)
		title = p.js("document.body.innerText").split("\n")[1]
		print("title", title)
		while title not in seen:
		    seen.append(title)
		    p.key("n")
		    time.sleep(0.3)
		    title = p.js("document.body.innerText").split("\n")[1]
		    if title not in seen:
		        print("title", title)
		        for row in p.js(rows):
		            print(row)
	END
}

# line TIME TID MEASURE VALUE STACK [TAG]...: a sample.
line() {
	local time=$1 tid=$2 measure=$3 value=$4 stack=$5
	shift 5
	printf 'sample\t%s\t0x1\t%s\t%s\t%s\tpid=7\ttid=%s\tcomm=job\tstack=%s' "$time" "${stack##*;}" "$measure" "$value" "$tid" "$stack"
	[ $# -eq 0 ] || printf '\t%s' "$@"
	printf '\n'
}

ready() {
	app chromium
	app npm
	app python3
	cd "$T" || return
}

@test "speedscope shows the sum of each measure and each thread" {
	ready
	{
		line 1000 7 cycles 5 'main;b;c'
		line 2000 7 cycles 1000001 'main;a'
		line 3000 7 cycles 7 'main;b;c'
		line 3000 8 cycles 123456789 'main;</script>\xff'
		line 4000 7 cpu-clock 1500000 'main;b;c' unit=ns
		line 5000 8 mem 2048 'main;b' unit=B
	} >in
	traceenc --for speedscope in >json
	opened >got
	for row in '1|job 7/7: cycles|1,000,013' '2|job 7/8: cycles|123,456,789' '3|job 7/7: cpu-clock [ns]|1.50ms' \
		'4|job 7/8: mem [B]|2.00 KB' '1,000,013 (100%)|0 (<0.01%)|main' '12 (<0.01%)|12 (<0.01%)|c'; do
		grep -qxF -- "$row" got || fail "no row $row in: $(cat got)"
	done
}

@test "speedscope shows the totals of a recording" {
	ready
	perfdec --no-symbols "$ROOT/t/data/perf/events.data" >in
	traceenc --for speedscope in >json
	opened >got
	# what tracecheck has compared with the stream, as speedscope writes numbers
	python3 "$ROOT/t/tools/tracecheck.py" speedscope json in | sed -n 's/^profile //p' |
		python3 -c '
import sys
for line in sys.stdin:
    name, unit, total = line.rsplit(None, 2)
    if unit == "none":
        print(name + "|" + format(int(total), ","))
	' | sort >want
	[ -s want ]
	sed -n 's/^[0-9]*|\(.*: .*|[0-9,]*\)$/\1/p' got | sort -u >listed
	same want listed
}

@test "speedscope reads the trace events for Perfetto: slices of samples" {
	ready
	{
		line 1000000 7 cpu-clock 1000000 'main;b' unit=ns
		line 2000000 7 cpu-clock 1000000 'main;c' unit=ns
		line 4000000 7 cpu-clock 1000000 'main;c' unit=ns
	} >in
	traceenc in >json
	opened >got
	for row in '4.00ms (100%)|0.00ns (<0.01%)|main' '1.00ms (25%)|1.00ms (25%)|b' '3.00ms (75%)|3.00ms (75%)|c'; do
		grep -qxF -- "$row" got || fail "no row $row in: $(cat got)"
	done
}
