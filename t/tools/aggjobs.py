#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Checks that afagg --jobs N writes what afagg with one thread writes.

    aggjobs.py AFAGG SEED ROUNDS [FILE...]

Each round makes streams at random, most of them damaged in some way, and picks options. Standard
output, standard error and the status must be the same for each N. Given FILEs are used instead.
"""
import os, random, subprocess, sys, tempfile

import aggmake
from aggmake import line

SETS = aggmake.SETS + [
    '--by comm --stat hist,count --weight w',
    '',
    '--by comm --window 1ms --window-from first',
    '--by unit,type,mid',
    '--by region --kind sample,start,measure,lost',
    '--by comm --kind agg --stat count',
    '--by region --kind agg --stat mean,min',
    '--by comm --kind agg --stat mean,min',
    '--by tid,region --kind agg --zeros tid',
    '--by region --kind agg',
    '--by nosuchkey',
    '--by comm --every 1h',
    '--by time,region,value --stat count,sum,p50,first,share',
    '--by time,value,run,comm --stat rate,stddev,distinct',
]
OTHERS = ['--no-marks', '--whole', '--strict', '--partial', '--max-memory 8M', '--max-memory 10M',
          '--max-memory 16M', '--max-memory 32M']


def run_line(r):
    return b'run\t0\tr%d\t.\t.\t.\tunit=ns' % r.randrange(1, 4)


def measure_line(r):
    return b'measure\t.\tr%d\t.\t%s\t.\tunit=%s' % (r.randrange(1, 4), r.choice([b'm', b'n']),
                                                 r.choice([b'ns', b'ns', b'bytes']))


def odd_line(r):
    return r.choice([
        lambda: b'', lambda: b'# a comment', lambda: b'#afstream\t1\tother\tx',
        lambda: b'#end\tother\tx\t0\tcomplete', lambda: b'#end\tother\tx\t0\tpartial\tlost=3',
        lambda: b'sample\t1\tr1\tf', lambda: b'sample\t1\tr1\tf\t\t5', lambda: b'a\xff\t1\t2\t3\t4\t5',
        lambda: b'sample\t1\tr1\tf\\q\tm\t5', lambda: b'sample\t1\tr1\tf\tm\t5\r',
        lambda: b'lost\t5\tr1\t.\tm\t7', lambda: b'newkind\t5\tr1\t.\tm\t7\tcomm=a',
        lambda: b'section\t5\tr1\t.\tm\t7', lambda: b'part\t1\tr1\tf\tm\t.\tagg.n=1',
        lambda: line(r, 'sample').replace(b'\tm\t', b'\tm\tx', 1),
        lambda: b'sample\tx\tr1\tf\tm\t5\tcomm=a\tcpu=1', lambda: b'sample\t1\tr1\tf\tm\t' + b'9' * 40,
        lambda: b'sample\t99999999999999999999999\tr1\tf\tm\t5\tcomm=a',
        lambda: b'sample\t1\tr1\tf\tm\t5\tcomm=a\tw=-1', lambda: b'mmap\t1\tr1\tf\tm\t5',
    ])()


def stream(r):
    pool = [line(r, r.choice(['sample', 'sample', 'span'])) for i in range(r.choice([5, 300, 3000]))]
    if r.random() < .4:
        pool += [line(r, r.choice(['start', 'stop', 'agg', 'comment'])) for i in range(100)]
    lines = r.choices(pool, k=r.choice([3, 300, 3000, 6000]))
    for make, rate in ((run_line, [0, 1e-3]), (measure_line, [0, 1e-3, .02]),
                       (odd_line, [0, 0, 1e-3, .02])):
        for i in range(int(len(lines) * r.choice(rate) + r.random())):
            lines.insert(r.randrange(len(lines)), make(r))
    if r.random() < .05:
        lines.insert(r.randrange(len(lines)), b'#afstream\t2\tother\tx')
    if r.random() < .1:
        lines.insert(r.randrange(len(lines)), line(r, 'sample') + b'\tlong=' + b'x' * r.choice([5000, 70000, 10 ** 6]))
    head = [b'#afstream\t1\tmake\tx'] + [run_line(r) for i in range(2)] + [measure_line(r) for i in range(2)]
    body = head + lines
    n = sum(not l.startswith(b'#') for l in body)
    text = b'\n'.join(body + [b'#end\tmake\tx\t%d\tcomplete' % n]) + b'\n'
    if r.random() < .2:
        text = text[:r.randrange(len(text))]
    return text


def run(options, names, piped, jobs):
    args = [AFAGG, '--jobs', str(jobs)] + options.split()
    if piped:
        with open(names[0], 'rb') as f:
            text = f.read()
        p = subprocess.run(args, input=text, capture_output=True)
    else:
        p = subprocess.run(args + names, capture_output=True)
    if p.returncode not in (0, 1):
        sys.exit('%s %s: status %d: %s' % (args, names, p.returncode, p.stderr.decode()[:2000]))
    return p.stdout, p.stderr, p.returncode


def check(what, options, names, piped):
    want = run(options, names, piped, 1)
    for jobs in (2, 3, 8):
        got = run(options, names, piped, jobs)
        for name, a, b in zip(('output', 'errors', 'status'), want, got):
            if a != b:
                with open('want', 'wb') as f, open('got', 'wb') as g:
                    f.write(str(a).encode() if name == 'status' else a)
                    g.write(str(b).encode() if name == 'status' else b)
                diff = subprocess.run(['diff', 'want', 'got'], capture_output=True).stdout
                sys.exit('%s: --jobs %d %s %s: other %s than with one thread:\n%s' %
                         (what, jobs, options, names, name, diff[:3000].decode(errors='replace')))
    return want


AFAGG = os.path.abspath(sys.argv[1])
seed, rounds, files = int(sys.argv[2]), int(sys.argv[3]), [os.path.abspath(f) for f in sys.argv[4:]]
with tempfile.TemporaryDirectory() as d:
    os.chdir(os.environ.get('KEEP', d))
    for n in range(rounds):
        r = random.Random('%d %d' % (seed, n))
        names = files
        if not files:
            names = ['s%d' % i for i in range(r.choice([1, 1, 1, 2, 5]))]
            for name in names:
                with open(name, 'wb') as f:
                    f.write(stream(r))
        options = ' '.join([SETS[n % len(SETS)]] + [o for o in r.sample(OTHERS, 2) if r.random() < .4])
        if ('--no-marks' in options and '--whole' in options) or options.count('--max-memory') > 1 or \
                ('--partial' in options and ('--every' in options or 'first' in options or 'agg' in options or 'unit' in options)):
            options = SETS[n % len(SETS)]
        out = check('round %d' % n, options, names, r.random() < .3 and len(names) == 1)
        if '--partial' in options and out[2] == 0 and not files:
            with open('part', 'wb') as f:
                f.write(out[0])
            check('round %d' % n, '', ['part'], False)
    os.chdir('/')
print('%d rounds' % rounds)
