#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Checks afagg --zeros, and means over its results, by tables with a place for each combination.

    zerosjudge.py AFAGG SEED ROUNDS [OPTION...]

Each round makes a stream at random, and picks keys and some of them for --zeros.  The results must
be those that Python computes, and so must the mean, the least and the greatest of them by the keys
of --zeros, alone and with some others.  Options are added to the first command.
"""
import os, random, subprocess, sys, tempfile
from fractions import Fraction
from itertools import product

KEYS = ['run', 'tag.commit', 'tid', 'region', 'cpu', 'comm']
UNITS = {'m': 'ns', 'n': None, 'm2': 'bytes'}
WINDOW = 1000


def event(r, few):
    run = r.randrange(4)
    e = {'run': 'r%d' % run, 'tag.commit': 'c%d' % (run % 2), 'tid': '%d' % r.randrange(few),
         'region': r.choice(['f', 'g', 'é', 'f g', '.', 'h%d' % r.randrange(few)]),
         'measure': r.choice(['m', 'm', 'm', 'n', 'm2']), 'value': r.randrange(-5, 1000),
         'time': r.choice([None] + [r.randrange(5 * WINDOW) for i in range(9)])}
    if r.random() < .7:
        e['cpu'] = '%d' % r.randrange(12)
    e['comm'] = r.choice(['a', 'ab', 'a\\\\b'])
    return e


def text(e):
    f = ['sample', '.' if e['time'] is None else str(e['time']), e['run'], e['region'],
         e['measure'], str(e['value'])]
    f += ['%s=%s' % (k, e[k]) for k in ('tag.commit', 'tid', 'cpu', 'comm') if k in e]
    if UNITS[e['measure']]:
        f.append('unit=' + UNITS[e['measure']])
    return '\t'.join(f)


def key_of(e, key):
    if key != 'window':
        return e.get(key, '.')
    return '.' if e['time'] is None else str(e['time'] // WINDOW * WINDOW)


def sort_key(keys, group):
    """Windows are in the order of time; all else is bytewise."""
    return [(0 if v == '.' else int(v) + 1) if k == 'window' else v.encode()
            for k, v in zip(keys, group)]


def one(values):
    return values.pop() if len(values) == 1 else '.'


def columns(keys, group):
    where = dict(zip(keys, group))
    tags = ['%s=%s' % (k, v) for k, v in zip(keys, group) if k not in ('run', 'region', 'measure')]
    return where, tags


def results(events, keys, zeros):
    """Returns {(group, measure): lines}, with empty lists for those that are 0."""
    table = {}
    for e in events:
        table.setdefault((tuple(key_of(e, k) for k in keys), e['measure']), []).append(e)
    inner = [k in zeros for k in keys]
    for measure in UNITS:
        groups = [g for g, m in table if m == measure]
        contexts = {tuple(v for v, i in zip(g, inner) if not i) for g in groups}
        values = {tuple(v for v, i in zip(g, inner) if i) for g in groups}
        for c, v in product(contexts, values):
            rest = {True: list(v), False: list(c)}
            table.setdefault((tuple(rest[i].pop(0) for i in inner), measure), [])
    return table


def expected(table, keys, zeros, stats):
    inner = [k in zeros for k in keys]
    runs = {}
    for (group, measure), lines in table.items():
        context = tuple(v for v, i in zip(group, inner) if not i)
        runs.setdefault((context, measure), set()).update(e['run'] for e in lines)
    out = []
    for (group, measure), lines in sorted(table.items(), key=lambda x: (sort_key(keys, x[0][0]), x[0][1].encode())):
        where, tags = columns(keys, group)
        context = tuple(v for v, i in zip(group, inner) if not i)
        run = where.get('run', one({e['run'] for e in lines} if lines else set(runs[context, measure])))
        times = [e['time'] for e in lines if e['time'] is not None]
        for stat in stats:
            value = len(lines) if stat == 'count' else sum(e['value'] for e in lines)
            f = ['agg', str(max(times)) if times else '.', run, where.get('region', '.'), measure,
                 str(value)] + tags + ['stat=' + stat]
            f += ['start=%d' % min(times)] if times else []
            f += ['n=%d' % len(lines)] + (['windows=%d' % WINDOW] if 'window' in keys else [])
            f += ['unit=' + UNITS[measure]] if UNITS[measure] else []
            out.append('\t'.join(f))
    return out


def number(x):
    return str(x.numerator) if x.denominator == 1 else repr(float(x))


def of_sums(table, keys, by):
    """Returns the mean, the least and the greatest sum for each group by some of the keys."""
    sums = {}
    for (group, measure), lines in table.items():
        small = tuple(v for k, v in zip(keys, group) if k in by)
        sums.setdefault((small, measure), []).append(sum(e['value'] for e in lines))
    return {g: (number(Fraction(sum(s), len(s))), str(min(s)), str(max(s))) for g, s in sums.items()}


def afagg(args, given=None):
    p = subprocess.run([AFAGG, '--no-marks'] + args, input=given, capture_output=True)
    if p.returncode != 0:
        sys.exit('%s: status %d: %s' % (args, p.returncode, p.stderr.decode()))
    return p.stdout.decode(), p.stderr.decode()


def lines_of(out):
    return [l for l in out.split('\n') if l.startswith('agg\t')]


def differ(what, want, got):
    for a, b in zip(want + [''] * len(got), got + [''] * len(want)):
        if a != b:
            sys.exit('%s: %d lines, not %d\nwant %s\ngot  %s' % (what, len(got), len(want), a, b))


def found(out, keys, by):
    got = {}
    for l in lines_of(out):
        f = l.split('\t')
        tags = dict(t.split('=', 1) for t in f[6:])
        tags.update({'run': f[2], 'region': f[3]})
        group = tuple(tags[k] for k in keys if k in by)
        got.setdefault((group, f[4]), {})[tags['stat']] = f[5]
    return {g: (s['mean'], s['min'], s['max']) for g, s in got.items()}


def check(r, n, extra):
    events = [event(r, r.choice([2, 5, 40])) for i in range(r.choice([1, 20, 200, 1000]))]
    keys = r.sample(KEYS, r.randrange(2, 5))
    window = r.random() < .4
    args = ['--by', ','.join(k + '?' * (k == 'cpu') for k in keys)]
    if window:
        keys = keys + ['window']
        args += ['--window', '%dns' % WINDOW]
    zeros = r.sample(keys, r.randrange(1, len(keys)))
    stats = r.choice([['sum'], ['count', 'sum'], ['count']])
    args += ['--zeros', ','.join(zeros), '--stat', ','.join(stats)]
    table = results(events, keys, zeros)
    with open('in', 'w') as f:
        f.writelines(text(e) + '\n' for e in events)
    out, err = afagg(args + extra + ['in'])
    what = 'round %d: %s' % (n, ' '.join(args))
    differ(what, expected(table, keys, zeros, stats), lines_of(out))
    if any('is not recorded' not in l for l in err.splitlines()):
        sys.exit('%s: said: %s' % (what, err))
    if stats != ['sum']:
        return
    for by in (zeros, zeros + r.sample([k for k in keys if k not in zeros], 1)):
        again = ['--kind', 'agg', '--by', ','.join(by), '--stat', 'mean,min,max']
        second, err = afagg(again, out.encode())
        want, got = of_sums(table, keys, by), found(second, keys, by)
        differ(what + ' | ' + ' '.join(again), sorted(want.items()), sorted(got.items()))
        if 'fewer' in err and by == zeros:
            sys.exit('%s | %s: said: %s' % (what, ' '.join(again), err))


AFAGG = os.path.abspath(sys.argv[1])
seed, rounds, extra = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
with tempfile.TemporaryDirectory() as d:
    os.chdir(os.environ.get('KEEP', d))
    for n in range(rounds):
        check(random.Random('%d %d' % (seed, n)), n, extra)
print('%d rounds' % rounds)
