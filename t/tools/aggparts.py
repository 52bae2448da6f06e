#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Checks that partial results, merged, are what one run of afagg gives.

    aggparts.py AFAGG SEED ROUNDS [OPTION...]

Each round makes a stream at random, divides its lines into 2 to 50 shards, makes partial results
of each, shuffles them, and merges them in one step and in a tree of three.  The lines of kind agg
must be the same bytes each time.  Options are added to those of the single run.
"""
import os, random, subprocess, sys, tempfile

SETS = [
    ['--by', 'region'],
    ['--by', 'region,cpu?', '--stat', 'count,sum,mean,min,max,stddev'],
    ['--by', 'frame,comm', '--stat', 'count,sum,share,rate'],
    ['--by', 'run,leaf?', '--stat', 'median,p99.9,mad,iqr,mode,distinct,var,pstddev'],
    ['--by', 'comm', '--window', '100us', '--stat', 'count,rate,first,last'],
    ['--by', 'caller?', '--window', '1ms/200us', '--window-from', '77', '--stat', 'sum,max,share'],
    ['--by', 'region', '--stat', 'p50,p99,median,count', '--sketch', '1%'],
    ['--by', 'comm,kind', '--stat', 'hist,sum', '--bins', '0,10,1000'],
    ['--by', 'comm', '--stat', 'hist,count'],
    ['--by', 'comm,time', '--stat', 'sum,median', '--weight', 'w'],
    ['--of', 'cpu', '--by', 'region', '--stat', 'count,sum,p25,distinct'],
    ['--by', 'stack:2,stack.x?', '--stat', 'rate,count'],
    ['--stat', 'count,p50'],
    ['--by', 'pcomm,measure,value', '--stat', 'count'],
    ['--by', 'run', '--stat', 'sum,share,rate'],
    ['--by', 'run,frame?', '--window', '1ms', '--stat', 'share,count', '--weight', 'w'],
]


def value(r):
    k = r.random()
    if k < .7:
        return str(r.choice([0, 1, 5, 1001001, r.randrange(-100, 10 ** 6)]))
    if k < .8:
        return str(r.choice([-1, 1]) * r.getrandbits(r.choice([60, 64, 100, 128])))
    if k < .97:
        return repr(r.uniform(-1, 1) * 10.0 ** r.randrange(-8, 9))
    return r.choice(['inf', '-inf', 'nan', '-0', '0.1'])


def line(r):
    kind = r.choice(['sample', 'sample', 'sample', 'span'])
    time = r.choice(['.'] + [str(r.randrange(10 ** 7)) for i in range(9)])
    f = [kind, time, r.choice(['r1', 'r2', 'r3']), r.choice(['f', 'g', 'main', 'é', 'a b', '.']),
         r.choice(['m', 'm', 'n']), value(r)]
    if kind == 'span' and time != '.':
        f.append('start=%d' % r.randrange(int(time) + 1))
    tid = r.randrange(3)
    f += ['pid=1', 'tid=%d' % tid, 'comm=' + r.choice(['a', 'b', r'c\\d'])]
    if tid != 1 and r.random() < .9:
        f.append('pcomm=main')
    if r.random() < .8:
        f.append('cpu=%d' % r.randrange(4))
    if r.random() < .8:
        f.append('stack=' + ';'.join(r.choice(['f', 'g', r'x\x3by', '[truncated]', 'é'])
                                     for i in range(r.randrange(1, 9))))
    if r.random() < .9:
        f.append('w=%d' % r.choice([0, 1, 1, 2, 1000, 2 ** 63]))
    if r.random() < .3:
        f.append('mid=%d' % r.randrange(2))
    if r.random() < .2:
        f.append('unit=' + r.choice(['ns', 'bytes', '.']))
    if r.random() < .2:
        f.append('type=int64')
    return '\t'.join(f) + '\n'


def stream(r):
    head = ['run\t0\t%s\t.\t.\t.\tunit=ns\n' % run for run in ('r1', 'r2', 'r3')]
    units = {}
    for run in ('r1', 'r2', 'r3'):
        for measure in ('m', 'n'):
            if r.random() < .6:
                head.append('measure\t.\t%s\t.\t%s\t.\tunit=%s\n' %
                            (run, measure, r.choice(['ns', 'ns', 'bytes'])))
    return head, [line(r) for i in range(r.choice([3, 50, 500]))]


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
    with open('whole', 'w', encoding='utf-8') as f:
        f.writelines(head + lines)
    shards = [[] for i in range(r.randrange(2, 51))]
    for l in lines:
        r.choice(shards).append(l)
    names = []
    for i, s in enumerate(shards):
        with open('s%d' % i, 'w', encoding='utf-8') as f:
            f.writelines((head if i == 0 else []) + s)
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
d = tempfile.mkdtemp()
if True:
    os.chdir(d)
    for n in range(rounds):
        r = random.Random('%d %d' % (seed, n))
        check(r, n, SETS[n % len(SETS)], extra)
print('%d rounds' % rounds)
