#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Checks that partial results, merged, are what one run of afagg gives.

    aggparts.py AFAGG SEED ROUNDS [OPTION...]

Each round makes a stream at random, divides its lines into 2 to 50 shards, makes partial results
of each, shuffles them, and merges them in one step and in a tree of three.  The lines of kind agg
must be the same bytes each time.  Options are added to those of the single run.
"""
import os, random, subprocess, sys, tempfile

from aggmake import SETS, line


def stream(r):
    head = [b'run\t0\t%s\t.\t.\t.\tunit=ns' % run for run in (b'r1', b'r2', b'r3')]
    for run in (b'r1', b'r2', b'r3'):
        for measure in (b'm', b'n'):
            if r.random() < .6:
                head.append(b'measure\t.\t%s\t.\t%s\t.\tunit=%s' %
                            (run, measure, r.choice([b'ns', b'ns', b'bytes'])))
    kinds = ['sample', 'sample', 'sample', 'span']
    return head, [line(r, r.choice(kinds)) for i in range(r.choice([3, 50, 500]))]


def write(name, lines):
    with open(name, 'wb') as f:
        f.writelines(l + b'\n' for l in lines)


def afagg(args, status=(0, 1)):
    p = subprocess.run([AFAGG, '--no-marks'] + args, capture_output=True)
    if p.returncode not in status:
        sys.exit('%s: status %d: %s' % (args, p.returncode, p.stderr.decode()))
    return p.stdout, p.returncode, p.stderr


def results(out):
    return [l for l in out.split(b'\n') if l.startswith(b'agg\t')]


def partial(options, files, name):
    out, rc, err = afagg(options + ['--partial'] + files)
    with open(name, 'wb') as f:
        f.write(out)
    return name


def check(r, n, options, extra):
    head, lines = stream(r)
    write('whole', head + lines)
    shards = [[] for i in range(r.randrange(2, 51))]
    for l in lines:
        r.choice(shards).append(l)
    names = []
    for i, s in enumerate(shards):
        write('s%d' % i, (head if i == 0 else []) + s)
        names.append(partial(options, ['s%d' % i], 'p%d' % i))
    r.shuffle(names)
    want, rc, err = afagg(options + extra + ['whole'])
    once, rc1, err1 = afagg(names)
    step = -(-len(names) // 3)
    tree = [partial([], names[i:i + step], 't%d' % i) for i in range(0, len(names), step)]
    top = partial([], tree[:2], 'top')
    twice, rc2, err2 = afagg([top] + tree[2:])
    for got, name in ((once, 'one step'), (twice, 'a tree')):
        if results(got) != results(want):
            a, b = results(want), results(got)
            for x, y in zip(a + [b''] * len(b), b + [b''] * len(a)):
                if x != y:
                    sys.exit((err1 + err2).decode()[:600] + 'round %d: %s\n%s: want %d lines, got %d\nwant %s\ngot  %s' %
                             (n, options, name, len(a), len(b), x.decode(), y.decode()))
    if rc != rc1 or rc != rc2:
        sys.exit('round %d: %s: status %d, %d, %d: %s | %s' % (n, options, rc, rc1, rc2, err.decode(), err1.decode()))


AFAGG = os.path.abspath(sys.argv[1])
seed, rounds, extra = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
with tempfile.TemporaryDirectory() as d:
    os.chdir(d)
    for n in range(rounds):
        r = random.Random('%d %d' % (seed, n))
        check(r, n, SETS[n % len(SETS)].split(), extra)
    os.chdir('/')
print('%d rounds' % rounds)
