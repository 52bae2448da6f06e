# SPDX-License-Identifier: ISC
"""Random lines for afagg, and the options to try on them: for aggjobs.py and aggparts.py."""

# Their partial results can be merged.
SETS = [
    '--by region',
    '--by region,cpu? --stat count,sum,mean,min,max,stddev',
    '--by frame,comm --stat count,sum,share,rate',
    '--by run,leaf? --stat median,p99.9,mad,iqr,mode,distinct,var,pstddev',
    '--by comm --window 100us --stat count,rate,first,last',
    '--by caller? --window 1ms/200us --window-from 77 --stat sum,max,share',
    '--by region --stat p50,p99,median,count --sketch 1%',
    '--by comm,kind --stat hist,sum --bins 0,10,1000',
    '--by comm --stat hist,count',
    '--by comm,time --stat sum,median --weight w',
    '--of cpu --by region --stat count,sum,p25,distinct',
    '--by stack:2,stack.x? --stat rate,count',
    '--stat count,p50',
    '--by pcomm,measure,value --stat count',
    '--by run --stat sum,share,rate',
    '--by run,frame? --window 1ms --stat share,count --weight w',
    '--by comm,region --zeros region --stat count,sum,distinct',
    '--by tid,cpu?,comm,run,caller? --window 2ms --zeros window,comm,cpu --stat sum --weight w',
    '--by tid,frame? --zeros frame --stat count',
]


def value(r):
    k = r.random()
    if k < .8:
        return str(r.choice([0, 1, 5, 1001001, r.randrange(-100, 10 ** 6)]))
    if k < .85:
        return str(r.choice([-1, 1]) * r.getrandbits(r.choice([60, 64, 100, 127, 128])))
    if k < .98:
        return repr(r.uniform(-1, 1) * 10.0 ** r.randrange(-8, 9))
    return r.choice(['inf', '-inf', 'nan', '-0', '0.1'])


def line(r, kind):
    time = r.choice(['.'] + [str(r.randrange(10 ** 7)) for i in range(9)])
    region = r.choice(['f', 'g', 'main', 'é', 'a b', '.', 'f%d' % r.randrange(1000)])
    f = [kind, time, r.choice(['r1', 'r2', 'r3']), region, r.choice(['m', 'm', 'n']), value(r)]
    if kind == 'span' and time != '.':
        f.append('start=%d' % r.randrange(int(time) + 1))
    tid = r.randrange(3)
    f += ['pid=1', 'tid=%d' % tid, 'comm=' + r.choice(['a', 'b', r'c\\d'])]
    if tid != 1:
        f.append('pcomm=main')
    if r.random() < .8:
        f.append('cpu=%d' % r.randrange(4))
    if r.random() < .8:
        f.append('stack=' + ';'.join(r.choice(['f', 'g', r'x\x3by', '[truncated]', 'é'])
                                     for i in range(r.randrange(1, 9))))
    if r.random() < .95:
        f.append('w=%s' % r.choice([0, 1, 1, 2, 1000, 2 ** 63]))
    if r.random() < .3:
        f.append('mid=%d' % r.randrange(2))
    if r.random() < .2:
        f.append('unit=' + r.choice(['ns', 'bytes', '.']))
    if r.random() < .2:
        f.append('type=int64')
    if kind == 'agg':
        f += ['stat=' + r.choice(['count', 'sum', 'min', 'max']), 'n=%d' % r.randrange(9)]
    return '\t'.join(f).encode()
