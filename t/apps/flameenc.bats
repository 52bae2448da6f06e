# SPDX-License-Identifier: ISC
# flameenc.bats - the pages of flameenc in Chromium: by mouse, by keyboard, and with hostile names.

load ../lib

setup() {
	cd "$T" || return
}

# browse PAGE [WIDTH HEIGHT]: runs the Python program on standard input with the page (p).
browse() {
	python3 "$ROOT/t/tools/browser.py" "$@"
}

# line REGION VALUE [TAG]...: a sample.
line() {
	local region=$1 value=$2
	shift 2
	event sample 1 "$region" cycles "$value" "$@"
}

small() {
	line a 10 'stack=main;left;a'
	line b 30 'stack=main;left;b'
	line c 60 'stack=main;right;c'
	line c 100 'stack=other;c'
}

@test "click zooms, back and reset return, the tooltip has value and share" {
	app chromium
	app python3
	small >in
	flameenc --title 'A <title>' in >page.html
	browse page.html <<-'END'
		p.open()
		assert p.js("document.title") == "A <title>" and p.js("document.querySelector('h1').textContent") == "A <title>"
		everything = p.frames()
		assert everything[0] == "all, 200, 100.00%", everything
		assert sorted(everything[1:3]) == ["main, 100, 50.00%", "other, 100, 50.00%"], everything
		assert "left, 40, 20.00%" in everything and len(everything) == 9, everything
		x, y = p.chart(0.1, 2)
		p.mouse("mouseMoved", x, y)
		tip = p.text("tip")
		assert tip == "leftvalue40share20.00%self0, 0.00%", tip
		p.click(x, y)
		zoomed = p.frames()
		assert "left, 40, 20.00% of all, 100.00% of the zoomed frame" in zoomed, zoomed
		assert "b, 30, 15.00% of all, 75.00% of the zoomed frame" in zoomed, zoomed
		assert not any(f.startswith(("right", "other")) for f in zoomed), zoomed
		assert p.text("path") == "all › main › left", p.text("path")
		p.click(*p.chart(0.9, 3))
		assert p.text("path") == "all › main › left › b"
		p.press("back")
		assert p.frames() == zoomed
		p.press("reset")
		assert p.frames() == everything
		p.press("back")
		assert p.frames() == zoomed
		p.click(*p.chart(0.5, 0))
		assert p.frames() == everything
		assert p.problems() == [], p.problems()
	END
}

@test "times are given in the unit that suits them after rounding" {
	app chromium
	app python3
	printf 'sample\t1\t.\t%s\tt\t%s\tunit=ns\tstack=%s\n' g 999949 g h 999950 h i 999999999 i >in
	flameenc in >page.html
	browse page.html <<-'END'
		p.open()
		got = [x.rsplit(", ", 1)[0] for x in p.frames()[1:]]
		assert sorted(got) == ["g, 999.9 µs (999,949 ns)", "h, 1 ms (999,950 ns)", "i, 1 s (999,999,999 ns)"], got
	END
}

@test "keyboard: arrows, Enter, Escape, /, and the view is in the address" {
	app chromium
	app python3
	small >in
	flameenc in >page.html
	browse page.html <<-'END'
		p.open()
		for key, want in [("ArrowDown", "all"), ("ArrowDown", "main"), ("ArrowDown", "left"), ("ArrowRight", "right"),
		                  ("ArrowDown", "c"), ("ArrowUp", "right"), ("ArrowUp", "main"), ("ArrowRight", "other"), ("ArrowLeft", "main")]:
		    p.key(key)
		    assert p.text("status").startswith(want + ", "), (key, want, p.text("status"))
		p.key("Enter")
		assert p.text("path") == "all › main"
		p.key("Escape")
		assert p.text("path") == "" and len(p.frames()) == 9
		assert p.search("c") == "80.00% matched (160), 2 frames", p.text("matched")
		at = p.js("location.hash")
		p.key("i")
		p.key("Escape")
		assert p.text("matched") == "" and p.js("document.getElementById('search').value") == ""
		p.key("Backspace")
		assert p.text("matched") == "80.00% matched (160), 2 frames"
		p.open(at)
		assert p.text("matched") == "80.00% matched (160), 2 frames"
		p.open("#zoom=1&search=/%5eb%24/")
		assert p.text("matched") == "15.00% matched (30), 1 frame; 30.00% of the zoomed frame", p.text("matched")
		p.search("/(/")
		assert p.text("matched") == "not a regular expression"
		assert p.problems() == [], p.problems()
	END
}

@test "search counts each sample once, also in hidden frames, as awk does" {
	app chromium
	app python3
	awk 'BEGIN {
		srand(3)
		for (i = 0; i < 30000; i++) {
			printf "sample\t1\t0x1\tf\tcycles\t%d\tstack=main", int(rand() * 50) + 1
			for (k = 0; k < 3; k++)
				printf ";fn%d", int(rand() * 40) * (k + 1) * (k + 1)
			print ""
		}
	}' >in
	flameenc --root . in >page.html
	want=$(awk -F '\t' '{ all += $6 } $7 ~ /fn1[0-9]*7/ { sum += $6 } END { printf "%.2f%% %d", sum / all * 100, sum }' in)
	browse page.html <<-END
		p.open()
		want, value = "$want".split()
		got = p.search("/fn1[0-9]*7/")
		assert got.startswith(want + " matched (" + f"{int(value):,}" + ")"), (got, want)
		hidden = p.text("hidden")
		assert "frames narrower than a pixel are merged" in hidden, hidden
		names = sum(not f.startswith("and ") for f in p.frames())
		total = int(p.text("total").split(" · ")[-1].split()[0].replace(",", ""))
		merged = int(hidden.split()[0].replace(",", ""))
		more = sum(int(f.split()[1].replace(",", "")) for f in p.frames() if f.startswith("and "))
		# each frame is visible or counted; "all" is one more
		assert names + more + merged == total + 1, (names, more, merged, total)
	END
}

@test "hostile names run nothing and are shown as text" {
	app chromium
	app python3
	names=('</script ' '</script/x' '</script><script>document.title="bad"</script>' '<img src=x onerror=document.title="bad">'
		"');document.title='bad';//" '&lt;b&gt;' '<!--<script>' ']]>' '{{data}}' '\\u003c' 'a b&c"d' '\xff\n\x1b[31m')
	: >in
	k=0
	for name in "${names[@]}"; do
		line "${name//;/\\x3b}" 10 "stack=${name//;/\\x3b}" "dso=${name//;/\\x3b}" "comm=${name//;/\\x3b}" >>in
		printf '%s\n' "${name//;/\\x3b}" >>names
		# alone, too: "<!--<script>" would change what the others mean
		tail -n 1 in >alone
		flameenc alone >"page$k.html"
		k=$((k + 1))
	done
	{
		printf 'sample\t1\t0x1\tlong\t<b>m</b>\t1\tunit=<i>\tstack='
		head -c 1000000 /dev/zero | tr '\0' '<'
		printf '\n'
	} >>in
	flameenc in >page.html
	browse page.html <<-'END'
		wanted = open("names", encoding="utf-8").read().splitlines()
		p.open("#color=object")
		title = p.js("document.title")
		for name in wanted:
		    assert any(f.startswith(name + ", 10, ") for f in p.frames()), (name, p.frames())
		for x in range(20):
		    p.mouse("mouseMoved", *p.chart((x + 0.5) / 20, 2))
		    assert p.text("tip").startswith(tuple(wanted)), p.text("tip")
		    p.click(*p.chart((x + 0.5) / 20, 2))
		    p.key("Escape")
		for name in wanted:
		    p.open()
		    got = p.search(name)
		    assert not got.startswith("0.00%"), (name, got)
		p.open("#panel=1&search=<img src=x onerror=alert(1)>")
		assert p.frames()[-1].startswith("<<<<") and p.frames()[-1].endswith("… (1,000,000 characters), 1 <i>, 100.00%"), p.frames()[-1][:500]
		p.mouse("mouseMoved", *p.chart(0.5, 1))
		assert p.text("tip").startswith("<<<<")
		assert p.js("document.title") == title
		for k, name in enumerate(wanted):
		    p.path = os.path.abspath("page%d.html" % k)
		    p.open()
		    assert p.frames()[2].startswith(name + ", 10, "), (name, p.frames())
		p.path = os.path.abspath("page.html")
		p.open()
		assert p.js("document.querySelectorAll('img, b:not(#tip b), i, script').length") == 2
		assert p.problems() == [], p.problems()
	END
}

@test "100000 frames are drawn within 3 s, and a zoom takes less than 200 ms" {
	app chromium
	app python3
	awk 'BEGIN {
		for (i = 0; i < 20000; i++) {
			printf "sample\t1\t0x1\tf\tcycles\t%d\tstack=main", i % 100 == 0 ? 5000 : i % 10 + 1
			for (k = 0; k < 5; k++)
				printf ";namespace%d::Class::method_%d(int, std::vector<int>)", i * 5 + k, i
			print ""
		}
	}' >in
	flameenc in >page.html
	browse page.html 1400 900 <<-'END'
		loads = [p.open() for i in range(3)]
		assert "100,001 frame" in p.text("total"), p.text("total")
		assert min(loads) < 3000, loads
		# what the page itself needs, from the event to the next picture
		p.js("""window.taken = []; for (const kind of ['click', 'keydown'])
		    addEventListener(kind, () => { const t = performance.now();
		        requestAnimationFrame(() => requestAnimationFrame(() => taken.push(performance.now() - t))); }, true)""")
		for i in range(4):
		    p.click(*p.chart(0.31 + i / 9, 2))
		    p.js("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")
		    assert p.text("path").startswith("all › main › "), p.text("path")
		    p.key("Escape")
		    p.js("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")
		taken = sorted(p.js("taken"))
		assert len(taken) == 8 and taken[len(taken) // 2] < 200, taken
		assert p.problems() == [], p.problems()
	END
}

@test "two streams, several measures, light and dark" {
	app chromium
	app python3
	small >one
	{
		line a 10 'stack=main;left;a'
		line d 30 'stack=main;left;d'
		line c 60 'stack=main;right;c'
		line c 300 'stack=other;c'
		line f 7 'stack=main' | sed 's/cycles/loads/'
		printf '#end\tx\ty\t5\tpartial\tits reason\n'
	} >two
	flameenc --before one two >page.html || [ $? -eq 1 ]
	browse page.html <<-'END'
		p.open()
		assert p.text("total") == "cycles · before 200 · after 400 (+100.00%) · 9 frames", p.text("total")
		assert p.text("hidden") == "1 frame exists only before and has no width here (15.00% of that side); switch Width to see them.", p.text("hidden")
		assert "partial: its reason" in p.text("notes"), p.text("notes")
		assert not any(f.startswith("b, ") for f in p.frames())
		p.mouse("mouseMoved", *p.chart(0.9, 1))
		assert "before100, 50.00%after300, 75.00%change+200.00%" in p.text("tip"), p.text("tip")
		assert p.text("legend") == "larger share afterthe same sharesmaller share after", p.text("legend")
		pixel = lambda x, level: p.js("[...document.getElementById('canvas').getContext('2d').getImageData(%d, %d, 1, 1).data]" % (x * 1200, 5 + 19 * level))
		# main: 100 of 200 before, 100 of 400 after: a smaller share, the same value
		share = pixel(0.1, 1)
		p.open("#color=growth")
		value = pixel(0.1, 1)
		assert share[2] > share[0] + 30 and abs(value[2] - value[0]) < 10, (share, value)
		assert p.text("legend") == "larger value afterthe same valuesmaller value after", p.text("legend")
		p.open("#width=before")
		assert "b, 30, 15.00%" in p.frames(), p.frames()
		p.open()
		light = p.js("getComputedStyle(document.body).backgroundColor")
		p.press("theme")
		dark = p.js("getComputedStyle(document.body).backgroundColor")
		assert light != dark
		p.open(dark=True)
		assert p.js("getComputedStyle(document.body).backgroundColor") == dark
		assert p.js("[...document.querySelectorAll('#panels button')].map(b => b.textContent).join()") == "cycles,loads"
		p.click(*p.js("(r => [r.x + 5, r.y + 5])(document.querySelectorAll('#panels button')[1].getBoundingClientRect())"))
		assert p.text("total") == "loads · before 0 · after 7 (new) · 1 frame", p.text("total")
		assert p.problems() == [], p.problems()
	END
}

@test "over time: threads, gaps, zoom, and spans" {
	app chromium
	app python3
	{
		for ((i = 0; i < 100; i++)); do
			[ $i -lt 40 ] || [ $i -ge 60 ] || continue
			printf 'sample\t%d\t0x1\tf\tcycles\t1\tpid=1\ttid=1\tcomm=<job>\tstack=main;%s\n' $((1000000 + i * 1000)) \
				$((i < 20 ? 1 : 2))
		done
		printf 'sample\t1050000\t0x1\tf\tcycles\t1\tpid=1\ttid=2\tcomm=other\tstack=main\n'
		printf 'span\t1090000\t0x1\treq\tlatency\t5\tstart=1010000\ttid=1\n'
		printf 'span\t1095000\t0x1\treq2\tlatency\t5\tstart=1020000\ttid=1\n'
	} >in
	flameenc --by-time in >page.html
	browse page.html <<-'END'
		p.open()
		assert p.text("total").startswith("cycles over time · 2 threads · 81"), p.text("total")
		f = p.frames()
		assert f[0] == "<job> 1/1 · 80 samples" and "other 1/2 · 1 sample" in f, f
		mains = [x for x in f if x.startswith("main, ")]
		assert len(mains) == 3 and mains[0].endswith(", 40 samples") and mains[1].endswith(", 40 samples"), f
		ones = [x for x in f if x.startswith("1, ")]
		assert len(ones) == 1 and ones[0].endswith(", 20 samples"), f
		at = p.chart(0.25, 4)
		p.mouse("mouseMoved", *at)
		assert p.text("tip").startswith("2from") and p.text("tip").endswith("samples20"), p.text("tip")
		p.click(*at)
		zoomed = p.text("path")
		assert zoomed.endswith("s, 20 µs"), zoomed
		# a frame at the edge of the view keeps its whole length
		assert mains[0] in p.frames(), p.frames()
		assert p.search("other") == "1.23% matched (1), 1 frame", p.text("matched")
		p.key("ArrowRight")
		assert p.text("path") != zoomed
		p.key("Escape")
		assert p.frames() == f
		p.open("#panel=1")
		assert p.text("total").startswith("Spans over time · 1 thread · 2 spans"), p.text("total")
		assert [x for x in p.frames() if x.startswith("req")] == ["req, from 0.00001 s to 0.00009 s, 80 µs", "req2, from 0.00002 s to 0.000095 s, 75 µs"], p.frames()
		assert p.search("req2") == "1 of 2 spans matched"
		p.open("#panel=2")
		assert p.frames()[0] == "all, 81, 100.00%", p.frames()
		assert p.problems() == [], p.problems()
	END
}

@test "over time: spans without a depth are below the regions of their thread" {
	app chromium
	app python3
	{
		printf 'span\t%d\t0x1\t%s\tinclusive\t1\tstart=%d\tdepth=%d\tstack=main\n' 1000 main 0 0 600 inner 100 1 \
			900 deep 800 3000000000
		printf 'span\t%d\t0x1\t%s\tinclusive\t1\tstart=%d\n' 400 load 100 900 store 200 700 load 500
		printf 'span\t%d\t0x1\t%s\tinclusive\t1\tstart=%d\ttid=2\n' 400 alone 100
	} >in
	flameenc --by-time --measure inclusive in >page.html
	browse page.html <<-'END'
		p.open()
		boxes = [x for x in p.text("frames").split("\n") if ", from" in x]
		levels = [(len(x) - len(x.lstrip()), x.split(",")[0].strip()) for x in boxes]
		assert levels == [(2, "main"), (3, "inner"), (4, "load"), (4, "load"), (5, "store"), (7, "alone")], levels
		assert "1 boxes are more than 2,000 levels deep" in p.text("hidden"), p.text("hidden")
		p.mouse("mouseMoved", *p.chart(0.3, 2))
		assert p.text("tip").startswith("main"), p.text("tip")
		p.mouse("mouseMoved", *p.chart(0.3, 5))
		assert p.text("tip").startswith("store"), p.text("tip")
		assert p.problems() == [], p.problems()
	END
}

@test "very deep stacks" {
	app chromium
	app python3
	awk 'BEGIN {
		for (i = 0; i < 300; i++) {
			printf "sample\t%d\t0x1\tf\tcycles\t1\ttid=1\tstack=main", i
			for (k = 0; k < (i % 2 ? 20000 : 500); k++)
				printf ";r"
			print ";end"
		}
	}' >in
	flameenc --by-time in >page.html
	browse page.html <<-'END'
		p.open("#panel=1")
		assert p.text("hidden") == "18,003 frames are more than 2,000 levels deep and not drawn; zoom to see them.", p.text("hidden")
		p.open("#panel=1&zoom=15000")
		assert "r, 150, 50.00% of all, 100.00% of the zoomed frame" in p.frames(), p.frames()[:3]
		assert "callers further out are not drawn" in p.text("hidden"), p.text("hidden")
		assert p.search("end") == "100.00% matched (300), 2 frames; 100.00% of the zoomed frame", p.text("matched")
		p.key("ArrowDown")
		p.key("ArrowDown")
		assert p.text("status").startswith("r, 150, "), p.text("status")
		p.key("Enter")
		p.key("Escape")
		assert p.text("path") == ""
		p.open()
		assert "boxes are more than 2,000 levels deep" in p.text("hidden"), p.text("hidden")
		assert p.problems() == [], p.problems()
	END
}
