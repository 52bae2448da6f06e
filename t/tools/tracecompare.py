# SPDX-License-Identifier: ISC
"""tracecompare.py - compares the tp. tags of a stream with another decoder.

	tracecompare.py script REF STREAM	REF: perf script -F ...,time,event,trace --ns
	tracecompare.py json REF STREAM		REF: the JSON of LinuxTracepoints' perf-decode

perf prints a line that each event makes from its fields.  If the line has a field as NAME=VALUE
or NAME: VALUE, the value must be the same as ours.  If the event prints a word for a number (a
flag, a state), or does not print the field, there is nothing to compare.

perf-decode prints all fields of sched events.  It reads the fields of user_events from
descriptions in the samples, after the fields of the format.  For these events the fields of the
format are compared, and the sample must be printed raw with the name of the event in it.
"""
import collections
import gzip
import json
import re
import sys

TRACE = re.compile(r'(?:^|\s)(\d+)\.(\d{9}):\s+(?:\d+\s+)?([\w.-]+:[\w.-]+):\s*(.*)$')


def lines(path):
    open_ = gzip.open if path.endswith('.gz') else open
    with open_(path, 'rt', encoding='utf-8', errors='surrogateescape') as f:
        yield from f


def samples(path):
    """Yields time, event, fields and all tags."""
    for line in lines(path):
        c = line.rstrip('\n').split('\t')
        if c[0] == 'sample':
            tags = [t.split('=', 1) for t in c[6:]]
            fields = [(k[3:], v) for k, v in tags if k.startswith('tp.')]
            yield int(c[1]), c[4], fields, dict(tags)


def number(text):
    """Returns a text as a number, which is hexadecimal with 0x, or None."""
    if re.fullmatch(r'-?[0-9]+', text):
        return int(text)
    return int(text, 16) if re.fullmatch(r'0[xX][0-9a-fA-F]+', text) else None


def unescape(text):
    if text == '.':
        return ''
    def one(m):
        return {'\\\\': '\\', '\\t': '\t', '\\n': '\n', '\\r': '\r', '\\.': '.'}.get(m[0]) or chr(int(m[0][2:], 16))
    return re.sub(r'\\(x[0-9a-f]{2}|.)', one, text)


def agrees(ours, theirs):
    """Compares texts, where theirs may go on after the value.  None means that this cannot be
    decided."""
    value = unescape(ours)
    if theirs.startswith(value) and (len(theirs) == len(value) or not value or not theirs[len(value)].isalnum()):
        return True
    word = re.match(r'[^\s,)\]]*', theirs)[0]
    a, b = number(ours), number(word)
    if a is None or b is None:
        return None if a is not None else False
    return any((a - b) % 2 ** n == 0 for n in (32, 64))


def compare_script(ref, stream):
    want = collections.defaultdict(list)
    for line in lines(ref):
        m = TRACE.search(line)
        if m:
            want[int(m[1]) * 10 ** 9 + int(m[2]), m[3]].append(m[4])
    n = compared = 0
    bad = []
    for time, event, fields, _ in samples(stream):
        if not fields or not want[time, event]:
            continue
        n += 1
        text = want[time, event].pop(0)
        for key, value in fields:
            m = re.search(r'(?:^|[ (,\[])' + re.escape(key) + r'(?:=|: )(.*)$', text)
            same = agrees(value, m[1]) if m else None
            compared += same is not None
            if same is False:
                bad.append('%d %s: %s=%s but %s' % (time, event, key, value, text))
    return n, compared, bad


def compare_json(ref, stream):
    want = []
    for line in lines(ref):
        if line.startswith(' {'):
            want.append(json.loads(line.strip().rstrip(',').rstrip(']'), strict=False))
    want.sort(key=lambda sample: sample['meta']['time'])  # perf-decode prints them as read
    got = list(samples(stream))
    bad = [] if len(want) == len(got) else ['%d samples, not %d' % (len(got), len(want))]
    compared = 0
    for theirs, (time, event, fields, tags) in zip(want, got):
        meta = theirs['meta']
        if event == theirs['n']:
            expected = [(k, v) for k, v in theirs.items() if k not in ('n', 'meta')]
        else:
            expected = [(k, meta.get(k, 0)) for k in ('version', 'id', 'tag', 'opcode', 'level')]
            fields = [f for f in fields if f[0] != 'eventheader_flags']
            name = theirs['n'].split(':', 1)[1]
            if name.encode('utf-8', 'surrogateescape').hex() not in tags.get('raw', ''):
                bad.append('%d %s: no name in the raw bytes' % (time, event))
        expected += [(k, meta[k]) for k in ('pid', 'tid', 'cpu')]
        fields = fields + [(k, tags[k]) for k in ('pid', 'tid', 'cpu')]
        if [k for k, _ in expected] != [k for k, _ in fields]:
            bad.append('%d %s: fields %s' % (time, event, fields))
            continue
        for (key, a), (_, b) in zip(expected, fields):
            compared += 1
            same = number(str(a)) == int(b) if number(str(a)) is not None else a == unescape(b)
            if not same:
                bad.append('%d %s: %s=%s, not %s' % (time, event, key, b, a))
    return len(got), compared, bad


def main():
    how, ref, stream = sys.argv[1:]
    n, compared, bad = (compare_json if how == 'json' else compare_script)(ref, stream)
    for line in bad[:20]:
        print(line.encode('utf-8', 'backslashreplace').decode())
    print('%d samples, %d fields, %d differences' % (n, compared, len(bad)))
    return 1 if bad else 0


sys.exit(main())
