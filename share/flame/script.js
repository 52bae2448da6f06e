/* SPDX-License-Identifier: ISC */
/*
 * script.js - draws the data of the page.
 *
 * Names come from foreign input.  They are only ever set as text (textContent, fillText), never as
 * markup.  Trees can be deep, so nothing here recurses.  The parts, in order: data, colours,
 * layout, painting, text, input.
 */
'use strict';
(function () {

const ROW = 19, MIN = 1, ROWS_MAX = 2000, LINES_MAX = 5000, NAME_SHOWN = 400;
const LANES_MAX = 100, THREADS_MAX = 100, CALLERS_MAX = 100; /* levels of spans that overlap; threads in a chart; callers above a frame */
const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
const chart = $('chart'), canvas = $('canvas'), pen = canvas.getContext('2d');

/* ---- data ---- */

/*
 * Adds to a panel: depth, parent and end (one past the last frame of its subtree) of each frame,
 * and per side the totals and the place of its left edge, both in the unit of the measure.
 */
function prepare(p) {
	const n = p.n.length, depth = new Int32Array(n), parent = new Int32Array(n), end = new Int32Array(n);
	const at = [0];
	const shallow = new Int32Array(n); /* itself, or its caller at the deepest level that is drawn */
	for (let i = 1; i < n; i++) {
		depth[i] = depth[i - 1] + 1 - p.u[i];
		parent[i] = at[depth[i] - 1];
		at[depth[i]] = i;
		shallow[i] = depth[i] <= ROWS_MAX ? i : shallow[parent[i]];
	}
	end.fill(n, 0, 1);
	for (let i = n - 1; i > 0; i--) {
		if (end[i] === 0)
			end[i] = i + 1;
		if (end[parent[i]] < end[i])
			end[parent[i]] = end[i];
	}
	Object.assign(p, { count: n, depth, parent, end, shallow });
	p.after = side(p, p.w);
	p.before = p.b ? side(p, p.b) : null;
	if (p.o)
		p.object = objects(p);
	return p;
}

function side(p, self) {
	const n = p.count, total = new Float64Array(n), left = new Float64Array(n), next = new Float64Array(n);
	for (let i = n - 1; i >= 0; i--) {
		total[i] += self[i];
		if (i > 0)
			total[p.parent[i]] += total[i];
	}
	for (let i = 1; i < n; i++) {
		const up = p.parent[i];
		left[i] = left[up] + next[up];
		next[up] += total[i];
	}
	return { self, total, left };
}

/*
 * A sample gives the object of its innermost frame.  Other frames get that of the frames with the
 * same name, if these agree.
 */
function objects(p) {
	const by = new Int32Array(data.names.length), out = new Int32Array(p.count);
	for (let i = 1; i < p.count; i++) {
		const o = p.o[i], name = p.n[i];
		if (o !== 0)
			by[name] = by[name] === 0 || by[name] === o ? o : -1;
	}
	for (let i = 1; i < p.count; i++)
		out[i] = p.o[i] !== 0 ? p.o[i] : by[p.n[i]];
	return out;
}

const panels = data.panels.map(p => prepare(p));
if (panels.length === 0)
	panels.push(prepare({ measure: '.', unit: '.', n: [0], u: [0], w: [0] }));

/* What can be looked at: charts over time, if there are any, and the sums over all of it. */
const views = timeViews().concat(panels.map(p => ({ panel: p, threads: null })));
const state = {
	panel: 0, from: 0, to: 0, thread: -1, zoom: 0, search: '', color: data.compares ? 'change' : 'name', width: 'after',
	up: data.upwards, dark: matchMedia('(prefers-color-scheme: dark)').matches, selected: -1,
};
const history_ = [];
let view = null, panel = null, hits = null, rows = [], hidden = null, hover = null;
let base = 0; /* the depth of the uppermost row */

const nameOf = i => i === 0 ? 'all' : data.names[panel.n[i]];
const shown = s => s.length > NAME_SHOWN ? s.slice(0, NAME_SHOWN) + '… (' + number(s.length) + ' characters)' : s;
const width = () => panel[state.width];
const unitOf = p => p.unit === '.' ? '' : p.unit;
const measureOf = p => (p.measure === '.' ? 'all measures' : p.measure) + (unitOf(p) && unitOf(p) !== p.measure ? ' [' + unitOf(p) + ']' : '');

function number(v) {
	if (Number.isInteger(v) && Math.abs(v) < 1e15)
		return v.toLocaleString('en-US');
	return String(Number(v.toPrecision(12)));
}

const frames = n => number(n) + (n === 1 ? ' frame' : ' frames');
const verb = (n, one, more) => n === 1 ? one : more;

/* Returns the value with its unit and, for times, also in a readable unit. */
function value(v) {
	const unit = unitOf(panel), exact = number(v) + (unit ? ' ' + unit : '');
	if (unit === 'ns' && Math.abs(v) >= 1000)
		return duration(v) + ' (' + exact + ')';
	return exact;
}

function percent(part, whole) {
	if (!(whole > 0))
		return '–';
	const x = part / whole * 100;
	return (x > 0 && x < 0.01 ? '<0.01' : x.toFixed(2)) + '%';
}

/*
 * The charts over time.  Threads get the times at which each part begins and ends (start, stop, in
 * nanoseconds from the start of their run) and its level.  A sample lasts from the sample before it
 * in its thread; after a gap, half of the longest time that is no gap.
 */
function timeViews() {
	if (!data.time)
		return [];
	const list = [], groups = new Map();
	for (const t of data.time.threads) {
		prepareThread(t);
		if (!groups.has(t.panel))
			groups.set(t.panel, []);
		groups.get(t.panel).push(t);
	}
	for (const [k, threads] of groups) {
		threads.sort((a, b) => b.count - a.count);
		let from = Infinity, to = -Infinity;
		for (const t of threads) {
			from = Math.min(from, t.begin);
			to = Math.max(to, t.end);
		}
		list.push({ panel: k < 0 ? panels[0] : panels[k], spans: k < 0, threads, from, to: to > from ? to : from + 1 });
	}
	return list;
}

function prepareThread(t) {
	const n = t.f.length, gap = data.time.gap, spans = t.panel < 0;
	t.start = new Float64Array(n);
	t.stop = new Float64Array(n);
	let at = 0, last = -Infinity;
	for (let i = 0; i < n; i++) {
		at += t.f[i];
		t.stop[i] = at + t.l[i];
		t.start[i] = spans ? at : at - last <= gap ? last : Math.max(last, at - gap / 2);
		last = Math.max(last, t.stop[i]);
	}
	t.begin = n > 0 ? t.start[0] : 0;
	t.end = n > 0 ? last : 0;
	if (spans)
		lanes(t);
}

/* Gives spans that do not nest the first level that is free below those that do. */
function lanes(t) {
	const n = t.f.length, busy = [];
	let deepest = 0;
	for (const m of t.m)
		if (m <= ROWS_MAX) /* others are not drawn */
			deepest = Math.max(deepest, m);
	t.level = new Int32Array(n);
	t.crowded = 0;
	for (let i = 0; i < n; i++) {
		if (t.m[i] > 0) {
			t.level[i] = Math.min(t.m[i], ROWS_MAX + 1);
			continue;
		}
		let k = 0;
		while (k < LANES_MAX && busy[k] > t.start[i])
			k++;
		if (k === LANES_MAX)
			t.crowded++;
		busy[k] = t.stop[i];
		t.level[i] = k === LANES_MAX ? 0 : deepest + k + 1;
	}
}

/* ---- colours ---- */

function hash(text) {
	let h = 2166136261;
	const n = Math.min(text.length, 256);
	for (let i = 0; i < n; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	h ^= h >>> 15;
	return (Math.imul(h, 2246822519) ^ h >>> 13) >>> 0;
}

const hashes = new Map();
function nameHash(k) {
	let h = hashes.get(k);
	if (h === undefined)
		hashes.set(k, h = hash(data.names[k]));
	return h;
}

/* Warm colours, whose hue and lightness depend on the name. */
function nameColor(h) {
	const hue = 4 + h % 48, light = (h >>> 8) % 12;
	return state.dark ? `hsl(${hue} ${44 + (h >>> 16) % 12}% ${31 + light * .7}%)`
		: `hsl(${hue} ${78 + (h >>> 16) % 14}% ${67 + light}%)`;
}

/* Hues that are far from each other, in the order of the objects' weights. */
let ranks = null;
function objectRanks() {
	const sums = new Map();
	for (const p of panels)
		for (let i = 1; i < p.count; i++)
			if (p.object && p.w[i] > 0)
				sums.set(p.object[i], (sums.get(p.object[i]) || 0) + p.w[i] / (p.after.total[0] || 1));
	const list = [...sums.keys()].filter(o => o > 0).sort((a, b) => sums.get(b) - sums.get(a) || a - b);
	ranks = new Map(list.map((o, i) => [o, i]));
	ranks.list = list;
}

function objectColor(o) {
	if (!ranks)
		objectRanks();
	if (!(o > 0))
		return state.dark ? '#4a5058' : '#cfd4da';
	const r = ranks.has(o) ? ranks.get(o) : o, hue = (205 + r * 137.5) % 360;
	return state.dark ? `hsl(${hue} 38% 36%)` : `hsl(${hue} 62% 77%)`;
}

/* How much the share of a frame, or its value, has changed, from -1 (blue) to 1 (red). */
function change(i) {
	const of = s => state.color === 'growth' ? s.total[i] : s.total[0] > 0 ? s.total[i] / s.total[0] : 0;
	const a = of(panel.after), b = of(panel.before);
	return a + b > 0 ? (a - b) / Math.max(a, b) : 0;
}

function changeColor(c) {
	const s = Math.sqrt(Math.abs(c)), hue = c > 0 ? 8 : 214;
	if (state.dark)
		return `hsl(${hue} ${Math.round(s * 60)}% ${Math.round(30 + s * 10)}%)`;
	return `hsl(${hue} ${Math.round(s * 88)}% ${Math.round(92 - s * 24)}%)`;
}

function colorOf(i, name) {
	if (name !== undefined)
		return nameColor(nameHash(name));
	if (i === 0)
		return state.dark ? '#3a424d' : '#dfe3e8';
	if (state.color === 'change' || state.color === 'growth')
		return changeColor(change(i));
	if (state.color === 'object')
		return objectColor(panel.object[i]);
	return nameColor(nameHash(panel.n[i]));
}

/* ---- layout ---- */

/*
 * Finds the boxes: rows[level] is a list of { i, x, w, n }, ordered by x.  Neighbours that are
 * narrower than a pixel become one box with i = -1 and n, the number of frames in it and below it.
 */
function layout() {
	if (view.threads)
		return layoutTime();
	const p = panel, z = state.zoom, { total, left } = width(), W = chart.clientWidth;
	const scale = total[z] > 0 ? W / total[z] : 0, edge = left[z];
	const top = Math.min(p.depth[z], CALLERS_MAX);
	base = p.depth[z] - top;
	rows = [];
	hidden = { frames: 0, deep: 0, empty: 0, weight: 0 };
	for (let i = z, l = top - 1; l >= 0; i = p.parent[i], l--)
		rows[l] = [{ i: p.parent[i], x: 0, w: W, n: 0, outer: true }];
	rows[top] = [{ i: z, x: 0, w: W, n: 0 }];
	if (scale === 0)
		return;
	let run = null; /* the merged box that may still grow */
	for (let i = z + 1; i < p.end[z];) {
		const w = total[i] * scale, level = p.depth[i] - base;
		if (w === 0) {
			hidden.empty += p.end[i] - i;
			i = p.end[i];
			continue;
		}
		if (level - top >= ROWS_MAX) {
			hidden.deep += p.end[i] - i;
			i = p.end[i];
			continue;
		}
		if (w >= MIN) {
			(rows[level] = rows[level] || []).push({ i, x: (left[i] - edge) * scale, w, n: 0 });
			run = null;
			i++;
			continue;
		}
		const x = (left[i] - edge) * scale;
		hidden.frames += p.end[i] - i;
		hidden.weight += total[i];
		if (run && run.level === level && x - (run.x + run.w) < MIN) {
			run.w = x + w - run.x;
			run.n += p.end[i] - i;
		} else {
			run = { i: -1, x, w, n: p.end[i] - i, level };
			(rows[level] = rows[level] || []).push(run);
		}
		i = p.end[i];
	}
}

/* Adds a box to a level, or to the box of those that are narrower than a pixel. */
function place(level, box) {
	const row = rows[level] = rows[level] || [], last = row[row.length - 1];
	if (box.w >= MIN) {
		row.push(box);
		return;
	}
	hidden.frames++;
	if (last && last.i === -1 && box.x - (last.x + last.w) < MIN) {
		last.w = Math.max(last.w, box.x + box.w - last.x);
		last.n++;
	} else {
		row.push({ i: -1, x: box.x, w: box.w, n: 1 });
	}
}

function layoutTime() {
	const threads = view.threads.filter((t, k) => state.thread < 0 ? k < THREADS_MAX : k === state.thread);
	const scale = chart.clientWidth / (state.to - state.from);
	rows = [[{ i: -3, x: 0, w: chart.clientWidth, n: 0, axis: true }]];
	hidden = { frames: 0, deep: 0, empty: 0, weight: 0, threads: state.thread < 0 ? view.threads.length - threads.length : 0 };
	for (const t of threads) {
		const top = rows.length;
		rows.push([{ i: -3, x: 0, w: chart.clientWidth, n: 0, head: threadTitle(t) }]);
		if (t.panel < 0)
			layoutSpans(t, top, scale);
		else
			layoutSamples(t, top, scale);
	}
	for (let k = 0; k < rows.length; k++)
		rows[k] = rows[k] || [];
}

/* Returns the box for a time, cut at the edges of the view. */
function timed(from, to, scale, more) {
	const a = Math.max(from, state.from), b = Math.min(to, state.to);
	return Object.assign({ x: (a - state.from) * scale, w: (b - a) * scale, n: 0, from, to }, more);
}

function layoutSpans(t, top, scale) {
	for (let k = 0; k < t.f.length; k++) {
		if (t.stop[k] < state.from || t.start[k] > state.to || t.level[k] === 0)
			continue;
		if (t.level[k] > ROWS_MAX) {
			hidden.deep++;
			continue;
		}
		place(top + t.level[k], timed(t.start[k], t.stop[k], scale, { i: k, name: t.k[k], span: true }));
	}
}

/* At each level, neighbours without a gap that have the same frame are one box. */
function layoutSamples(t, top, scale) {
	const open = [], p = panel;
	const close = level => {
		for (let l = level; l < open.length; l++)
			if (open[l]) {
				if (open[l].to > state.from && open[l].from < state.to)
					place(top + l, timed(open[l].from, open[l].to, scale, { i: open[l].i, samples: open[l].samples }));
				open[l] = null;
			}
	};
	let end = -Infinity;
	/* all of them, so that boxes at the edges of the view have their whole length */
	for (let k = 0; k < t.f.length; k++) {
		if (t.start[k] > end)
			close(1);
		end = t.stop[k];
		const node = p.shallow[t.k[k]], depth = p.depth[node], joined = t.m[k] === 1;
		hidden.deep += p.depth[t.k[k]] - depth;
		let i = node;
		let level = depth;
		while (level > 0 && !(open[level] && open[level].i === i)) {
			i = p.parent[i];
			level--;
		}
		/* levels up to this one go on; the others end or begin */
		close(level + 1);
		for (let l = 1; l <= level; l++) {
			open[l].to = end;
			open[l].samples += t.c[k];
		}
		i = node;
		for (let l = depth; l > level; l--, i = p.parent[i])
			open[l] = { i, from: t.start[k], to: end, samples: t.c[k] };
		if (joined)
			close(depth + 1);
		if (joined && end > state.from && t.start[k] < state.to)
			place(top + depth + 1, timed(t.start[k], end, scale, { i: -2, samples: t.c[k] }));
	}
	close(1);
}

function threadTitle(t) {
	const name = k => k === undefined || data.names[k] === '.' ? '?' : data.names[k], parts = [];
	if (name(t.comm) !== '?')
		parts.push(shown(name(t.comm)));
	if (name(t.pid) !== '?' || name(t.tid) !== '?')
		parts.push(name(t.pid) + '/' + name(t.tid));
	if (parts.length === 0 || data.time.runs.length > 1)
		parts.push('run ' + shown(data.time.runs[t.run]));
	return parts.join(' ') + ' · ' + number(t.count) + (t.panel < 0 ? t.count === 1 ? ' span' : ' spans' : t.count === 1 ? ' sample' : ' samples');
}

/* Returns a time as text. */
function clock(ns) {
	return Number((ns / 1e9).toFixed(9)) + ' s';
}

/* Returns a time in the unit that suits it after rounding: 999,999 ns are 1 ms, not 1000 µs. */
function duration(ns) {
	const rounded = Number(Math.abs(ns).toPrecision(4));
	const k = rounded < 1e3 ? 0 : rounded < 1e6 ? 1 : rounded < 1e9 ? 2 : 3;
	return Number((ns / 1000 ** k).toPrecision(4)) + ' ' + ['ns', 'µs', 'ms', 's'][k];
}

/* Returns the box at a point of the chart, or null. */
function boxAt(x, y) {
	const row = rows[levelAt(y)];
	if (!row)
		return null;
	let lo = 0, hi = row.length - 1;
	while (lo < hi) {
		const mid = lo + hi + 1 >> 1;
		if (row[mid].x <= x)
			lo = mid;
		else
			hi = mid - 1;
	}
	const box = row[lo];
	return x >= box.x && x < box.x + Math.max(box.w, MIN) ? box : null;
}

const height = () => rows.length * ROW + 2;
const levelAt = y => {
	const r = Math.floor((y - 1) / ROW);
	return upwards() ? rows.length - 1 - r : r;
};
const upwards = () => state.up && !view.threads;
const topOf = level => 1 + (upwards() ? rows.length - 1 - level : level) * ROW;

/* ---- painting ---- */

const FONT = '12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
const widths = new Map();

function textWidth(s) {
	let w = widths.get(s);
	if (w === undefined) {
		if (widths.size > 50000)
			widths.clear();
		widths.set(s, w = pen.measureText(s).width);
	}
	return w;
}

/* Returns the text, cut so that it fits. */
function fit(s, room) {
	if (room < 14)
		return '';
	if (s.length > room / 2)
		s = s.slice(0, Math.floor(room / 2)) + '…';
	if (textWidth(s) <= room)
		return s;
	let lo = 0, hi = s.length;
	while (lo < hi) {
		const mid = lo + hi + 1 >> 1;
		if (pen.measureText(s.slice(0, mid) + '…').width <= room)
			lo = mid;
		else
			hi = mid - 1;
	}
	if (lo > 0 && (s.charCodeAt(lo - 1) & 0xfc00) === 0xd800)
		lo--; /* half of a character */
	return lo < 2 ? '' : s.slice(0, lo) + '…';
}

/* The times along the upper edge. */
function paintAxis(y, W, colors) {
	const range = state.to - state.from, rough = range / Math.max(2, W / 140), power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map(k => k * power).find(k => k >= rough);
	pen.fillStyle = colors.faint;
	for (let k = Math.ceil(state.from / step); k * step <= state.to; k++) {
		const x = (k * step - state.from) / range * W;
		pen.fillRect(x, y, 1, ROW - 1);
		pen.fillText(clock(k * step), x + 4, y + ROW / 2);
	}
}

function paintBox(box, y, colors) {
	if (box.axis)
		return paintAxis(y, box.w, colors);
	if (box.head) {
		pen.fillStyle = colors.text;
		pen.font = 'bold ' + FONT;
		pen.fillText(fit(box.head, box.w - 9), 4, y + ROW / 2 + 1);
		pen.font = FONT;
		pen.fillRect(0, y + ROW - 2, box.w, 1);
		return;
	}
	const w = Math.max(box.w - (box.w > 3 ? 1 : 0), MIN);
	if (box.i < 0) {
		pen.fillStyle = colors.merged;
		pen.fillRect(box.x, y, w, ROW - 1);
		if (box.i === -2) {
			pen.fillStyle = colors.text;
			pen.fillText(fit('joined', box.w - 9), box.x + 4, y + ROW / 2);
		}
		return;
	}
	const key = box.span ? box.name : panel.n[box.i];
	const found = hits !== null && !hits.bad && (box.span || box.i !== 0) && hits.name[key];
	pen.globalAlpha = box.outer ? .55 : hits !== null && !found ? .4 : 1;
	pen.fillStyle = found ? colors.found : colorOf(box.i, box.name);
	pen.fillRect(box.x, y, w, ROW - 1);
	pen.globalAlpha = box.outer ? .75 : 1;
	const text = fit(labelOf(box), box.w - 9);
	if (text) {
		pen.fillStyle = found ? colors.foundText : colors.text;
		pen.fillText(text, box.x + 4, y + ROW / 2);
	}
	pen.globalAlpha = 1;
	if (box === hover || (box.i === state.selected && !view.threads)) {
		pen.strokeStyle = colors.line;
		pen.lineWidth = box === hover ? 1 : 2;
		pen.strokeRect(box.x + 1, y + .5, Math.max(w - 2, 1), ROW - 2);
	}
}

function paint() {
	const W = chart.clientWidth, H = Math.max(1, Math.min(chart.clientHeight, height()));
	const ratio = devicePixelRatio || 1, from = chart.scrollTop;
	const pw = Math.round(W * ratio), ph = Math.round(H * ratio);
	if (canvas.width !== pw || canvas.height !== ph) {
		canvas.width = pw;
		canvas.height = ph;
		canvas.style.width = W + 'px';
		canvas.style.height = H + 'px';
	}
	$('space').style.height = Math.max(0, height() - H) + 'px';
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.clearRect(0, 0, W, H);
	pen.font = FONT;
	pen.textBaseline = 'middle';
	const colors = state.dark
		? { merged: '#4b535e', found: '#c653d6', foundText: '#fff', text: '#f2f4f6', line: '#fff', faint: '#8d98a5' }
		: { merged: '#b9c0c8', found: '#d05ce0', foundText: '#fff', text: '#15191d', line: '#111', faint: '#66717d' };
	for (let level = 0; level < rows.length; level++) {
		const y = topOf(level) - from;
		if (!rows[level] || y + ROW < 0 || y > H)
			continue;
		for (const box of rows[level])
			paintBox(box, y, colors);
	}
}

/* ---- text ---- */

const labelOf = box => box.span ? data.names[box.name] : nameOf(box.i);

/* A box of a chart over time as text. */
function timeLine(box) {
	return (box.i === -2 ? 'joined samples of different stacks' : shown(labelOf(box))) + ', from ' + clock(box.from) +
		' to ' + clock(box.to) + ', ' + duration(box.to - box.from) + (box.span ? '' : ', ' + number(box.samples) + verb(box.samples, ' sample', ' samples'));
}

/* Returns true if a frame is inside the zoomed one, of which it then has a share. */
const isInside = i => state.zoom !== 0 && i >= state.zoom && i < panel.end[state.zoom];

function line(i) {
	const s = width(), all = s.total[0];
	let text = shown(nameOf(i)) + ', ' + value(s.total[i]) + ', ' + percent(s.total[i], all);
	if (state.zoom !== 0)
		text += ' of all';
	if (isInside(i))
		text += ', ' + percent(s.total[i], s.total[state.zoom]) + ' of the zoomed frame';
	return text;
}

/* The visible frames as text, for screen readers: one a line, indented by their depth. */
function listFrames() {
	const lines = [];
	let left = 0;
	for (let level = 0; level < rows.length; level++)
		for (const box of rows[level] || []) {
			if (box.i === -1 || box.axis)
				continue;
			if (lines.length < LINES_MAX)
				lines.push(box.head ? box.head : ' '.repeat(Math.min(level, 60)) + (view.threads ? timeLine(box) : line(box.i)));
			else
				left++;
		}
	if (left > 0)
		lines.push('and ' + number(left) + ' more visible frames; zoom to list them');
	$('frames').textContent = lines.join('\n');
}

/* What the reader of a chart over time has to know. */
function hiddenTime(parts) {
	let joined = 0, dropped = 0, longest = 0, crowded = 0;
	for (const t of view.threads) {
		dropped += t.dropped;
		longest = Math.max(longest, t.longest);
		crowded += t.crowded || 0;
		for (let k = 0; !view.spans && k < t.f.length; k++)
			joined += t.m[k] === 1 ? t.c[k] : 0;
	}
	if (!view.spans)
		parts.push('Each sample is drawn from the previous one of its thread or, after a gap of more than ' + duration(data.time.gap) + ', for ' + duration(data.time.gap / 2) + '.');
	parts.push('Times are counted from the first event of the run.');
	if (joined > 0)
		parts.push(number(joined) + ' samples with different stacks are joined (see --slices): only the frames that they share are shown, and no gaps between them.');
	if (dropped > 0)
		parts.push(number(dropped) + ' spans of at most ' + duration(longest) + ' are left out (see --slices).');
	if (crowded > 0)
		parts.push(number(crowded) + ' spans that overlap more than ' + LANES_MAX + ' others are not drawn.');
	if (data.time.untimed > 0)
		parts.push(number(data.time.untimed) + ' lines have no time of their own and are not in this chart.');
	if (hidden.threads > 0)
		parts.push(number(hidden.threads) + ' more threads; choose one to see it.');
	if (hidden.frames > 0)
		parts.push(number(hidden.frames) + verb(hidden.frames, ' box', ' boxes') + ' narrower than a pixel ' + verb(hidden.frames, 'is', 'are') + ' merged into grey ones; zoom to see them.');
	if (hidden.deep > 0)
		parts.push(number(hidden.deep) + ' boxes are more than ' + number(ROWS_MAX) + ' levels deep and not drawn.');
}

function showHidden() {
	const parts = [];
	if (base > 0 && !view.threads)
		parts.push(number(base) + ' callers further out are not drawn.');
	if (view.threads) {
		hiddenTime(parts);
		$('hidden').textContent = parts.join(' ');
		return;
	}
	if (hidden.frames > 0)
		parts.push(frames(hidden.frames) + ' narrower than a pixel ' + verb(hidden.frames, 'is', 'are') + ' merged into grey boxes (' +
			percent(hidden.weight, width().total[state.zoom]) + ' of the view); zoom to see them.');
	if (hidden.deep > 0)
		parts.push(frames(hidden.deep) + verb(hidden.deep, ' is', ' are') + ' more than ' + number(ROWS_MAX) + ' levels deep and not drawn; zoom to see them.');
	if (hidden.empty > 0 && !panel.before)
		parts.push(frames(hidden.empty) + verb(hidden.empty, ' has', ' have') + ' the value 0 and no width.');
	if (panel.before) {
		let gone = 0, weight = 0;
		const other = state.width === 'after' ? panel.before : panel.after;
		for (let i = 1; i < panel.count; i++)
			if (width().total[i] === 0 && other.total[i] > 0) {
				gone++;
				if (width().total[panel.parent[i]] > 0 || panel.parent[i] === 0)
					weight += other.total[i];
			}
		if (gone > 0)
			parts.push(frames(gone) + verb(gone, ' exists', ' exist') + ' only ' + (state.width === 'after' ? 'before' : 'after') +
				verb(gone, ' and has', ' and have') + ' no width here (' + percent(weight, other.total[0]) + ' of that side); switch Width to see them.');
	}
	$('hidden').textContent = parts.join(' ');
}

function showPath() {
	const list = [], nav = $('path');
	for (let i = state.zoom; ; i = panel.parent[i]) {
		list.push(i);
		if (i === 0)
			break;
	}
	list.reverse();
	nav.textContent = view.threads ? 'from ' + clock(state.from) + ' to ' + clock(state.to) + ', ' + duration(state.to - state.from) : '';
	if (state.zoom === 0 || view.threads)
		return;
	const skip = list.length > 40 ? list.length - 40 : 0;
	list.forEach((i, k) => {
		if (k > 0 && k <= skip) {
			if (k === skip)
				nav.append('… › ');
			return;
		}
		const a = document.createElement(i === state.zoom ? 'strong' : 'a');
		a.textContent = shown(nameOf(i));
		if (i !== state.zoom)
			a.addEventListener('click', () => zoom(i));
		nav.append(a, i === state.zoom ? '' : ' › ');
	});
}

function showTotals() {
	const parts = [viewName(view)];
	if (view.threads)
		parts.push(number(view.threads.length) + verb(view.threads.length, ' thread', ' threads'));
	if (view.spans)
		parts.push(number(view.threads.reduce((sum, t) => sum + t.count, 0)) + ' spans');
	else if (panel.before)
		parts.push('before ' + value(panel.before.total[0]), 'after ' + value(panel.after.total[0]) +
			' (' + signed(panel.after.total[0], panel.before.total[0]) + ')');
	else
		parts.push(value(panel.after.total[0]));
	if (!view.spans)
		parts.push(frames(panel.count - 1));
	$('total').textContent = parts.join(' · ');
}

const viewName = v => v.spans ? 'Spans over time' : measureOf(v.panel) + (v.threads ? ' over time' : '');

function signed(after, before) {
	if (!(before > 0))
		return 'new';
	const x = (after - before) / before * 100;
	return (x > 0 ? '+' : x < 0 ? '−' : '±') + Math.abs(x).toFixed(2) + '%';
}

function chip(color, text) {
	const span = document.createElement('span'), box = document.createElement('canvas');
	box.width = box.height = 11;
	const c = box.getContext('2d');
	c.fillStyle = color;
	c.fillRect(0, 0, 11, 11);
	span.append(box, text);
	return span;
}

function showLegend() {
	const list = $('legend');
	list.textContent = '';
	if (state.color === 'change' || state.color === 'growth') {
		const what = state.color === 'change' ? 'share' : 'value';
		list.append(chip(changeColor(1), 'larger ' + what + ' after'), chip(changeColor(0), 'the same ' + what),
			chip(changeColor(-1), 'smaller ' + what + ' after'));
	}
	if (state.color !== 'object')
		return;
	if (!ranks)
		objectRanks();
	for (const o of ranks.list.slice(0, 12))
		list.append(chip(objectColor(o), shown(data.objects[o - 1])));
	if (ranks.list.length > 12)
		list.append(number(ranks.list.length - 12) + ' more objects');
	list.append(chip(objectColor(0), 'not known, or several'));
}

function showButtons() {
	$('back').disabled = history_.length === 0;
	$('flip').textContent = state.up ? 'Icicle' : 'Flame';
	$('theme').textContent = state.dark ? 'Light' : 'Dark';
	$('color').value = state.color;
	$('width').value = state.width;
	$('threadlabel').hidden = !view.threads || view.threads.length < 2;
	$('flip').hidden = Boolean(view.threads);
	[...$('panels').children].forEach((b, k) => b.setAttribute('aria-pressed', String(k === state.panel)));
	document.documentElement.classList.toggle('dark', state.dark);
}

/* Everything after a change of the view. */
function render() {
	showButtons();
	showTotals();
	showPath();
	showLegend();
	layout();
	paint();
	showHidden();
	listFrames();
	showMatched();
	remember();
}

/* ---- search ---- */

/* Returns a test for names, or null and says why. */
function matcher(text) {
	const m = /^\/(.+)\/$/.exec(text);
	if (!m) {
		const low = text.toLowerCase();
		return s => s.toLowerCase().includes(low);
	}
	try {
		const re = new RegExp(m[1], 'i');
		return s => re.test(s);
	} catch (e) {
		return null;
	}
}

/*
 * Counts each sample once: below a frame that matches, further ones do not count.  Hidden frames
 * count, too.
 */
function search() {
	hits = null;
	if (state.search === '')
		return;
	const test = matcher(state.search), name = new Uint8Array(data.names.length);
	hits = { name, frames: 0, weight: 0, inZoom: 0, other: 0, bad: test === null };
	if (test === null)
		return;
	data.names.forEach((s, k) => { name[k] = test(s) ? 1 : 0; });
	const p = panel, { total } = width(), z = state.zoom;
	for (let i = 1, skip = 0; i < p.count; i++) {
		if (!name[p.n[i]])
			continue;
		hits.frames++;
		if (i < skip)
			continue;
		skip = p.end[i];
		hits.weight += total[i];
		if (i >= z && i < p.end[z])
			hits.inZoom += total[i];
	}
	/* the zoomed frame may itself be below a frame that matches */
	for (let i = z; i !== 0; i = p.parent[i])
		if (name[p.n[i]])
			hits.inZoom = total[z];
}

function showMatched() {
	const out = $('matched');
	if (hits === null) {
		out.textContent = '';
		return;
	}
	if (hits.bad) {
		out.textContent = 'not a regular expression';
		return;
	}
	const s = width();
	if (view.spans) {
		let spans = 0, all = 0;
		for (const t of view.threads)
			for (const k of t.k) {
				all++;
				spans += hits.name[k];
			}
		out.textContent = number(spans) + ' of ' + number(all) + ' spans matched';
		return;
	}
	let text = percent(hits.weight, s.total[0]) + ' matched (' + value(hits.weight) + '), ' + frames(hits.frames);
	if (state.zoom !== 0)
		text += '; ' + percent(hits.inZoom, s.total[state.zoom]) + ' of the zoomed frame';
	out.textContent = text;
}

/* ---- input ---- */

function push() {
	history_.push({ zoom: state.zoom, search: state.search, panel: state.panel, width: state.width,
		from: state.from, to: state.to, thread: state.thread });
	if (history_.length > 200)
		history_.shift();
}

function go(change) {
	Object.assign(state, change);
	if (view !== views[state.panel]) {
		showThreads(views[state.panel]);
		state.selected = -1;
	}
	view = views[state.panel];
	panel = view.panel;
	if (view.threads && !(state.from < state.to))
		Object.assign(state, { from: view.from, to: view.to });
	hover = null;
	if (!(state.zoom < panel.count))
		state.zoom = 0;
	$('search').value = state.search;
	search();
	render();
	showTip(null);
	say();
}

function showThreads(v) {
	$('thread').textContent = '';
	$('thread').append(new Option('all', -1));
	(v.threads || []).forEach((t, k) => $('thread').append(new Option(threadTitle(t), k)));
	$('thread').value = state.thread;
}

/* Shows that part of the time, which is not shorter than a nanosecond. */
function range(from, to) {
	push();
	if (to - from < 1)
		to = from + 1;
	go({ from, to });
}

function zoom(i) {
	if (i === state.zoom || i < 0)
		return;
	push();
	state.selected = i;
	go({ zoom: i });
	chart.scrollTop = state.up ? chart.scrollHeight : Math.max(0, topOf(panel.depth[i] - base) - 3 * ROW);
	paint();
	say();
}

function back() {
	const old = history_.pop();
	if (old)
		go(Object.assign(old, { selected: -1 }));
}

function reset() {
	const whole = !view.threads || (state.from === view.from && state.to === view.to && state.thread < 0);
	if (state.zoom === 0 && state.search === '' && state.selected < 0 && whole)
		return;
	push();
	$('thread').value = -1;
	go({ zoom: 0, search: '', selected: -1, from: 0, to: 0, thread: -1 });
	$('status').textContent = '';
}

function say() {
	$('status').textContent = state.selected >= 0 ? line(state.selected) : '';
}

function select(i) {
	if (i === undefined || i < 0)
		return;
	state.selected = i;
	const y = topOf(panel.depth[i] - base);
	if (y < chart.scrollTop)
		chart.scrollTop = y - 2;
	else if (y + ROW > chart.scrollTop + chart.clientHeight)
		chart.scrollTop = y + ROW + 2 - chart.clientHeight;
	paint();
	say();
}

/* Moves the selection over the boxes that are drawn. */
function move(key) {
	if (view.threads)
		return pan(key);
	if (state.selected < 0)
		return select(state.zoom);
	const level = panel.depth[state.selected] - base, row = rows[level] || [];
	const k = row.findIndex(b => b.i === state.selected), box = row[k];
	if (!box)
		return select(state.zoom);
	const inward = state.up ? 'ArrowUp' : 'ArrowDown';
	if (key === 'ArrowLeft' || key === 'ArrowRight') {
		const step = key === 'ArrowLeft' ? -1 : 1;
		for (let j = k + step; row[j]; j += step)
			if (row[j].i >= 0)
				return select(row[j].i);
	} else if (key === inward) {
		const child = (rows[level + 1] || []).find(b => b.i >= 0 && (panel.parent[b.i] === box.i || b.outer));
		if (child)
			select(child.i);
	} else if (state.selected !== 0) {
		select(panel.parent[state.selected]);
	}
}

/* Moves the part of the time that is shown. */
function pan(key) {
	const by = (state.to - state.from) / 4, d = key === 'ArrowLeft' ? -by : key === 'ArrowRight' ? by : 0;
	if (d === 0)
		chart.scrollTop += key === 'ArrowUp' ? -3 * ROW : 3 * ROW;
	else
		go({ from: state.from + d, to: state.to + d });
}

function scaleTime(by) {
	const middle = (state.from + state.to) / 2, half = (state.to - state.from) / 2 * by;
	range(Math.max(view.from, middle - half), Math.min(view.to, middle + half));
}

function showTip(box, x, y) {
	const tip = $('tip');
	if (box && (box.axis || box.head))
		box = null;
	hover = box && box.i !== -1 ? box : null;
	tip.hidden = !box;
	chart.style.cursor = box && box.i >= 0 ? 'pointer' : 'default';
	if (!box)
		return;
	tip.textContent = '';
	const title = document.createElement('b');
	title.textContent = box.i === -2 ? 'joined samples of different stacks' : view.threads && box.i >= 0 ? shown(labelOf(box)) : view.threads ?
		number(box.n) + ' boxes, each narrower than a pixel' : box.i < 0 ? frames(box.n) + ', each narrower than a pixel' : shown(nameOf(box.i));
	tip.append(title);
	for (const [label, text] of box.i === -1 ? [] : view.threads ? timeFacts(box) : facts(box.i)) {
		const div = document.createElement('div'), span = document.createElement('span');
		span.textContent = label;
		div.append(span, text);
		tip.append(div);
	}
	const r = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - r.width - 8)) + 'px';
	tip.style.top = (y + 18 + r.height > innerHeight ? Math.max(4, y - r.height - 10) : y + 18) + 'px';
}

function timeFacts(box) {
	const list = [['from', clock(box.from)], ['to', clock(box.to)], ['duration', duration(box.to - box.from)]];
	if (!box.span)
		list.push(['samples', number(box.samples)]);
	return list;
}

function facts(i) {
	const s = width(), list = [];
	list.push(['value', value(s.total[i])], ['share', percent(s.total[i], s.total[0])]);
	if (isInside(i))
		list.push(['of the zoomed frame', percent(s.total[i], s.total[state.zoom])]);
	list.push(['self', value(s.self[i]) + ', ' + percent(s.self[i], s.total[0])]);
	if (panel.before) {
		const a = panel.after.total, b = panel.before.total;
		list.push(['before', value(b[i]) + ', ' + percent(b[i], b[0])], ['after', value(a[i]) + ', ' + percent(a[i], a[0])],
			['change', signed(a[i], b[i])]);
	}
	if (panel.object && i !== 0) {
		const o = panel.object[i];
		list.push(['object', o > 0 ? shown(data.objects[o - 1]) : o < 0 ? 'several' : 'not known']);
	}
	return list;
}

function point(event) {
	const r = chart.getBoundingClientRect();
	return boxAt(event.clientX - r.left, event.clientY - r.top + chart.scrollTop);
}

chart.addEventListener('mousemove', e => {
	showTip(point(e), e.clientX, e.clientY);
	paint();
});
chart.addEventListener('mouseleave', () => {
	showTip(null);
	paint();
});
chart.addEventListener('click', e => {
	const box = point(e);
	if (view.threads && box && box.to > box.from)
		range(box.from, box.to);
	else if (!view.threads && box && box.i >= 0)
		zoom(box.i);
});
chart.addEventListener('scroll', () => {
	showTip(null);
	paint();
});

let timer = 0;
$('search').addEventListener('input', () => {
	clearTimeout(timer);
	timer = setTimeout(() => go({ search: $('search').value }), 120);
});
$('back').addEventListener('click', back);
$('reset').addEventListener('click', reset);
$('flip').addEventListener('click', flip);
$('theme').addEventListener('click', turn);
$('color').addEventListener('change', () => go({ color: $('color').value }));
$('thread').addEventListener('change', () => {
	push();
	go({ thread: Number($('thread').value) });
});
$('width').addEventListener('change', () => go({ width: $('width').value }));

function flip() {
	go({ up: !state.up });
	chart.scrollTop = state.up ? chart.scrollHeight : 0;
	paint();
}

function turn() {
	go({ dark: !state.dark });
}

document.addEventListener('keydown', e => {
	if (e.ctrlKey || e.metaKey || e.altKey)
		return;
	const field = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement;
	if (e.key === 'Escape') {
		if (e.target === $('search'))
			chart.focus();
		reset();
	} else if (field) {
		if (e.key === 'Enter' && e.target === $('search')) {
			clearTimeout(timer);
			go({ search: $('search').value });
			chart.focus();
		} else {
			return;
		}
	} else if (e.key === '/') {
		$('search').focus();
		$('search').select();
	} else if (e.key.startsWith('Arrow')) {
		move(e.key);
	} else if (e.key === 'Enter' && !(e.target instanceof HTMLButtonElement)) {
		if (!view.threads)
			zoom(state.selected);
	} else if (view.threads && (e.key === '+' || e.key === '-')) {
		scaleTime(e.key === '+' ? 0.5 : 2);
	} else if (e.key === 'Backspace') {
		back();
	} else if (e.key === 'i') {
		flip();
	} else if (e.key === 't') {
		turn();
	} else {
		return;
	}
	e.preventDefault();
});

addEventListener('resize', render);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', e => go({ dark: e.matches }));

/* ---- the view in the address, so that it can be kept as a bookmark ---- */

function remember() {
	const q = new URLSearchParams();
	for (const key of ['panel', 'zoom', 'search'])
		if (state[key])
			q.set(key, state[key]);
	if (state.color !== (data.compares ? 'change' : 'name'))
		q.set('color', state.color);
	if (view.threads && (state.from !== view.from || state.to !== view.to)) {
		q.set('from', state.from);
		q.set('to', state.to);
	}
	if (state.width !== 'after')
		q.set('width', state.width);
	if (state.up !== data.upwards)
		q.set('view', state.up ? 'flame' : 'icicle');
	try {
		history.replaceState(null, '', '#' + q);
	} catch (e) {
		/* not allowed here: then the address stays as it is */
	}
}

function recall() {
	const q = new URLSearchParams(location.hash.slice(1)), index = (key, n) => {
		const v = Number(q.get(key));
		return Number.isInteger(v) && v >= 0 && v < n ? v : 0;
	};
	state.panel = index('panel', views.length);
	panel = views[state.panel].panel;
	if (views[state.panel].threads && q.has('from') && Number(q.get('from')) < Number(q.get('to')))
		Object.assign(state, { from: Number(q.get('from')), to: Number(q.get('to')) });
	state.zoom = index('zoom', panel.count);
	state.search = q.get('search') || '';
	if ([...$('color').options].some(o => o.value === q.get('color')))
		state.color = q.get('color');
	if (q.get('width') === 'before' && data.compares)
		state.width = 'before';
	if (q.has('view'))
		state.up = q.get('view') === 'flame';
	if (q.has('theme'))
		state.dark = q.get('theme') === 'dark';
}

function start() {
	const colors = [['name', 'by name']];
	if (data.objects.length > 0)
		colors.push(['object', 'by object']);
	if (data.compares)
		colors.unshift(['change', 'by change of share'], ['growth', 'by change of value']);
	for (const [key, text] of colors)
		$('color').append(new Option(text, key));
	$('widthlabel').hidden = !data.compares;
	if (views.length > 1)
		views.forEach((v, k) => {
			const b = document.createElement('button');
			b.textContent = shown(viewName(v));
			b.addEventListener('click', () => {
				push();
				go({ panel: k, zoom: 0, selected: -1, from: 0, to: 0, thread: -1 });
			});
			$('panels').append(b);
		});
	for (const note of data.notes) {
		const li = document.createElement('li');
		li.textContent = note;
		$('notes').append(li);
	}
	recall();
	go({});
	if (state.up)
		chart.scrollTop = chart.scrollHeight;
	paint();
}

start();
document.documentElement.dataset.ready = '1';

})();
