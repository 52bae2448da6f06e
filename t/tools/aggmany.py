#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Checks what afagg prints for many groups, more than those from which on it looks ahead.

    aggmany.py AFAGG SEED ROUNDS

Each round makes a stream at random: some thousand groups, keys of up to some hundred thousand
bytes, two measures, tags in any order, lines that are refused, copied or dropped.  It is given to
afagg through a pipe in pieces of odd lengths: at once, with so little memory that groups go to
disk, and as partial results of shards.  The sums that Python computes from the same lines are the judge,
and so are the numbers of the lines that were refused.
"""
import collections, os, random, re, subprocess, sys, threading

GROUPS = 9000
LONG = 300000  # bytes of a key: more than a reader reads at once


def key(r, i):
    k = r.random()
    if k < .0005:
        return '%d' % i + r.choice('ab') * r.randrange(LONG)
    if k < .02:
        return '%d' % i + 'x' * r.randrange(500)
    return r.choice(['f%d', 'a_longer_name_%d', r'\\%d', 'é%d']) % i


def event(r, names, seen):
    """Returns a line, and adds it to seen: (region, cpu, measure): [count, sum, least]."""
    name, value = r.choice(names), r.choice([r.randrange(-9, 10 ** 6), r.getrandbits(90)])
    measure, cpu = r.choice(['m', 'm', 'm', 'n', 'o']), r.choice(['0', '1', '.'])
    tags = ['comm=c%d' % r.randrange(9), 'x' * r.randrange(9) + '=y']
    tags += ['cpu=' + cpu] * (cpu != '.')
    r.shuffle(tags)
    s = seen.setdefault((name, cpu, measure), [0, 0, value])
    seen[name, cpu, measure] = [s[0] + 1, s[1] + value, min(s[2], value)]
    return '\t'.join([r.choice(['sample', 'span']), str(r.randrange(10 ** 9)), 'r', name, measure,
                      str(value)] + tags)


# afagg reports the first 20 lines that are refused, so these are rare.
REFUSED = ['sample\t1\tr\tf\tm\tnumber', 'sample\t1\tr\t\tm\t1', '', 'sample\t1\tr\tf\tm',
           'sample\t1\tr\tf\x01\tm\t1', 'sample\t-1\tr\tf\tm\t1']
REPORTED = 20


def other(r):
    """Returns a line that is no event.  All are copied but comments and start lines."""
    return r.choice(['# a comment', '#\t1\tr\tf\tm\t1', 'start\t1\tr\tf\t.\t.',
                     'note\t.\tr\t.\t.\ttext',
                     'measure\t.\tr\t.\tm%d\t.\tunit=s' % r.randrange(9),
                     'run\t.\tr%d\t.\t.\t.' % r.randrange(10 ** 9)])


def make(r, lines, seen, refused, copied):
    names = [key(r, i) for i in range(GROUPS)]
    for number in range(1, lines + 1):
        # groups that come again at once, and many others
        some = names if r.random() < .9 else names[:3]
        if r.random() < 12 / lines:
            refused.append(number)
            yield r.choice(REFUSED)
        elif r.random() < .02:
            line = other(r)
            if not line.startswith(('#', 'start')):
                copied.append(line)
            yield line
        else:
            yield event(r, some, seen)


def feed(r, command, text):
    """Runs a program, and writes the text to it in pieces of odd lengths."""
    p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    most = r.choice([1000, 9999, 300001])

    def write():
        at = 0
        while at < len(text):
            n = r.randrange(most) | 1
            try:
                os.write(p.stdin.fileno(), text[at:at + n])
            except BrokenPipeError:
                break
            at += n
        p.stdin.close()

    errors = []
    writer = threading.Thread(target=write)
    reader = threading.Thread(target=lambda: errors.append(p.stderr.read()))
    writer.start()
    reader.start()
    out = p.stdout.read()
    writer.join()
    reader.join()
    return out.decode(), errors[0].decode(), p.wait()


def aggs(out):
    return [line for line in out.split('\n')[:-1] if line.startswith('agg\t')]


def others(out):
    marks = ('agg\t', '#afstream', '#end')
    return [line for line in out.split('\n')[:-1] if not line.startswith(marks)]


def judge(out, seen):
    found = collections.defaultdict(dict)
    for line in aggs(out):
        f = line.split('\t')
        tags = dict(t.split('=', 1) for t in f[6:])
        found[f[3], tags.get('cpu', '.'), f[4]][tags['stat']] = int(f[5])
    assert set(found) == set(seen), 'the groups differ: %s' % list(set(found) ^ set(seen))[:3]
    for group, s in seen.items():
        want = dict(zip(['count', 'sum', 'min'], s))
        assert found[group] == want, '%r: %r, not %r' % (group, found[group], want)


def shards(r, text):
    """Divides lines among three texts."""
    parts = [[], [], []]
    for line in text.decode().split('\n')[:-1]:
        r.choice(parts).append(line + '\n')
    return [''.join(p).encode() for p in parts]


def check(afagg, r):
    seen, refused, copied = {}, [], []
    text = ''.join(line + '\n' for line in make(r, 60000, seen, refused, copied)).encode()
    command = [afagg, '--by', 'region,cpu?', '--stat', 'count,sum,min', '--no-marks']
    out, err, status = feed(r, command, text)
    judge(out, seen)
    assert others(out) == copied, 'lines copied'
    assert len(seen) > 2 * 4096 and status == 1, (len(seen), status)
    told = [int(n) for n in re.findall(r'^afagg: -:(\d+): ', err, re.M)]
    assert told == refused[:REPORTED], 'lines refused: %r, not %r' % (told, refused)
    small = feed(r, command + ['--max-memory', '12M'], text)
    assert (aggs(small[0]), small[1]) == (aggs(out), err), 'with less memory'
    parts = [feed(r, command + ['--partial'], s)[0] for s in shards(r, text)]
    merged = feed(r, command, ''.join(parts).encode())
    assert aggs(merged[0]) == aggs(out), 'the merged shards differ'


afagg, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for i in range(rounds):
    try:
        check(afagg, random.Random(seed * 1000 + i))
    except AssertionError as e:
        sys.exit('seed %d, round %d: %s' % (seed, i, str(e)[:2000]))
