#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""perfheader.py - compares the output of perf and perfdec for the header of a recording.

usage: perfheader.py PERF STREAM [--build-ids]

PERF is the output of perf report --header-only -I (with --build-ids, of perf buildid-list), and
STREAM the output of perfdec --header (--all).  The output of perfdec is converted to perf's
form.  Lines that only one of them has are printed.  The status is 0 if they agree.
"""
import re
import sys

# Notes of perf about missing data, and facts that perfdec does not print.
IGNORED = re.compile(
    r'(=+|captured on|header version|data offset|data size|feat offset|missing features|sample duration'
    r'|CPU cache info|Core ID and Socket ID information|cpu pmu capabilities: not available'
    r'|bpf_prog_info empty|bpf_prog_info \d+:$|sub_prog|btf info empty|AMD systems|extended header|simpleperf)')
CLOCKS = 'realtime', 'monotonic', 'monotonic_raw', 'boottime', 'tai'


def unescape(text):
    if text == '.':
        return ''
    out = re.sub(rb'\\(x[0-9a-f]{2}|.)', lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b'x'
                 else {b't': b'\t', b'n': b'\n', b'r': b'\r'}.get(m[1], m[1]), text.encode())
    return out.decode('utf-8', 'replace')


def facts(path):
    for line in open(path, encoding='utf-8', newline='\n'):
        col = line.rstrip('\n').split('\t')
        if col[0] == 'header':
            yield col[4], unescape(col[5]), {k: v for k, v in (t.split('=', 1) for t in col[6:])}


def size(n):
    """Formats a number like perf's unit_number__scnprintf."""
    units = 'BKMG'
    i = 0
    while n // 1024 > 0 and i < 3:
        n, i = n // 1024, i + 1
    return f'{n}{units[i]}'


def seconds(ns, digits):
    return f'{ns // 10**9}.{ns % 10**9:09}'[:digits - 9 or None]


def event(name, tag):
    """Returns the parts of an event's line that do not differ between versions of perf: name, ids,
    numbers and words."""
    words = set()
    for key in 'sample_type', 'read_format', 'flags':
        words |= {w.lower() for w in tag.get(key, '').split(';') if w}
    words.discard('transaction')  # perf has no word for it
    ids = ','.join(str(int(i, 16)) for i in tag.get('ids', '').split(';') if i)
    return (f'event {name} ids={ids} type={tag["type"]} size={tag["size"]} config={int(tag["config"], 16)} '
            f'period={tag.get("period", tag.get("freq", "0"))} {" ".join(sorted(words))}')


def perf_event(line):
    name, rest = re.match(r'event : name = (.*?), , ?(.*)', line).groups()
    tag = {'type': '0', 'size': '0', 'config': '0'}
    ids = re.search(r'id = \{ ([^}]*) \}', rest)
    if ids:
        tag['ids'] = ';'.join(hex(int(i)) for i in ids[1].split(','))
    rest = re.sub(r'id = \{[^}]*\},? ?', '', rest)
    words = []
    for part in rest.split(', '):
        part = part.replace('{ sample_period', '{')
        key, _, value = part.partition(' = ')
        if key == 'type' or key == 'size':
            tag[key] = value.split()[0]
        elif key == 'config':
            tag['config'] = hex(int(value.split()[0], 0))
        elif key == 'sample_freq }':
            tag['period'] = value
        elif key in ('sample_type', 'read_format'):
            tag[key] = value.lower().replace('|', ';')
        elif value == '1' and key != 'clockid' and not key.startswith(('config', 'bp_', 'wakeup', 'precise')):
            words.append(key)
    tag['flags'] = ';'.join(words)
    return event(name, tag)


def ours(path):
    lines, pmus, caps, cores = [], [], {}, False
    block = '0'
    nodes = []
    for name, value, tag in facts(path):
        text = {k: unescape(v) for k, v in tag.items()}
        if name in ('hostname', 'arch', 'e_machine'):
            lines.append(f'{name} : {value}')
            if name == 'e_machine':
                lines.append(f'e_flags : {int(tag["flags"], 16)}')
        elif name in ('os_release', 'version', 'cpu_desc', 'cpu_id'):
            perf = {'os_release': 'os release', 'version': 'perf version', 'cpu_desc': 'cpudesc', 'cpu_id': 'cpuid'}
            lines.append(f'{perf[name]} : {value}')
        elif name.startswith('nr_cpus_'):
            lines.append(f'nrcpus {name[8:].replace("available", "avail")} : {value}')
        elif name == 'total_mem':
            lines.append(f'total memory : {value} kB')
        elif name == 'cmdline':
            lines.append('cmdline : ' + value.replace("'", "\\'"))
            if ' '.join(unescape(w) for w in tag['argv'].split(';')) != value:
                lines.append('argv is not the command line')
        elif name.startswith('sibling_'):
            lines.append(f'sibling {name[8:]} : {value}')
        elif name == 'cpu':
            die = f'Die ID {tag["die"]}, ' if 'die' in tag else ''
            lines.append(f'CPU {value}: Core ID {tag["core"]}, {die}Socket ID {tag["socket"]}')
        elif name == 'numa_node':
            lines.append(f'node{value} meminfo : total = {tag["total"]} kB, free = {tag["free"]} kB')
            lines.append(f'node{value} cpu list : {text["cpus"]}')
        elif name == 'pmu':
            pmus.append(f'{value} = {tag["type"]}')
        elif name == 'group':
            lines.append(f'group: {"" if value == "{anon_group}" else value}{{{tag["events"].replace(";", ",")}}}')
        elif name == 'cache':
            lines.append(f'L{tag["level"]} {value} {text["size"]} [{text["cpus"]}]')
        elif name.startswith('sample_time_'):
            lines.append(f'time of {name[12:]} sample : {seconds(int(value), 6)}')
        elif name == 'mem_block_size':
            block = value
        elif name == 'mem_node':
            nodes.append(f'{value} [{size(int(tag["bytes"]))}]: {text["blocks"]}')
        elif name == 'clockid_res':
            lines.append(f'clockid frequency: {1000 // int(value) if int(value) else 0} MHz')
        elif name == 'bpf_prog' and ';' not in tag.get('addrs', ''):
            lines.append(f'bpf_prog_info {value}: bpf_prog_{tag["tag"]}{text["name"] and "_" + text["name"]} addr {tag["addrs"]} '
                         f'size {tag["lens"]}')
        elif name == 'dir_format':
            lines.append(f'directory data version : {value}')
        elif name == 'btf':
            lines.append(f'btf info of id {value}')
        elif name == 'compressed':
            kind = 'Zstd' if value == 'zstd' else 'Unknown'
            lines.append(f'compressed : {kind}, level = {tag["level"]}, ratio = {tag["ratio"]}')
        elif name in ('cpu_pmu_cap', 'pmu_cap'):
            caps.setdefault(text.get('pmu', 'cpu'), []).append(f'{value}={text["value"]}')
        elif name == 'clock_data':
            lines.append(f'clockid: {text.get("clock", "unknown")} ({tag["clockid"]})')
            wall = seconds(int(tag['wall_ns']), 6)
            lines.append(f'reference time: {wall} (TOD) = {seconds(int(value), 9)} ({text.get("clock")})')
        elif name == 'cln_size':
            lines.append(f'cacheline size: {value}')
        elif name == 'event':
            lines.append(event(value, tag))
        elif name == 'branch_stack':
            lines.append('contains samples with branch stack')
        elif name == 'stat':
            lines.append('contains stat data')
        elif name == 'auxtrace':
            lines.append('contains AUX area data (e.g. instruction trace)')
    lines += [f'pmu {p}' for p in pmus]
    lines += [f'{p} cap {c}' for p, all_caps in caps.items() for c in all_caps]
    if nodes:
        lines += [f'memory nodes (nr {len(nodes)}, block size {int(block):#x}):'] + nodes
    return lines


def theirs(path):
    for line in open(path, encoding='utf-8', errors='replace'):
        if not line.startswith('#'):
            continue
        line = ' '.join(line[1:].split())
        line = re.sub(r'reference time: .* = (\S+ \(TOD\))', r'reference time: \1', line)
        pairs = re.match(r'(?:pmu mappings|(\S+) pmu capabilities): (.*)', line)
        line = re.sub(r'(bpf_prog_[0-9a-f]{16}_\S{,15})\S*', r'\1', line)  # perf's longer names are BTF's
        if not line or IGNORED.match(line):
            continue
        if pairs and pairs[2] != 'not available':
            for p in pairs[2].split(', '):
                yield f'{pairs[1]} cap {p}' if pairs[1] else f'pmu {p}'
        elif line.startswith('event : '):
            yield perf_event(line)
        else:
            yield line


def build_id(hexa, path):
    """Strips zeros at the end, since perf prints 20 bytes if the recording does not have the length
    of an id."""
    return re.sub('(00000000)+$', '', hexa) + ' ' + ' '.join(path.split())


def build_ids(path):
    """Returns the build ids of the list, and those of mappings."""
    listed, mapped = set(), set()
    for line in open(path, encoding='utf-8', newline='\n'):
        col = line.rstrip('\n').split('\t')
        tag = dict(t.split('=', 1) for t in col[6:])
        if col[0] == 'header' and col[4] == 'build_id':
            listed.add(build_id(col[5].strip('.'), unescape(tag['file'])))
        elif col[0] == 'mmap' and 'build_id' in tag:
            mapped.add(build_id(tag['build_id'].strip('.'), unescape(tag['file'])))
    return listed, mapped


def main():
    if '--build-ids' in sys.argv:
        lines = (line.rstrip('\n').partition(' ') for line in open(sys.argv[1], encoding='utf-8', errors='replace'))
        want = {build_id(hexa, name) for hexa, _, name in lines}
        got, mapped = build_ids(sys.argv[2])
        want = {w for w in want - (mapped - got) if w in got or w[0] != ' '}
    else:
        want = set(theirs(sys.argv[1]))
        got = {' '.join(line.split()) for line in ours(sys.argv[2])}
    for line in sorted(want - got):
        print('perf:   ', line)
    for line in sorted(got - want):
        print('perfdec:', line)
    return want != got


sys.exit(main())
