# SPDX-License-Identifier: ISC
"""docworld.py - makes the files that the commands of the pages read, for docs.py.

	docworld.py ROOT WORLD		with the filters on the PATH

WORLD/base has the files that most pages name, WORLD/PAGE those that mean something else there,
WORLD/home perf's build-id cache with the objects of the shipped recording, and WORLD/bin stand-ins
for programs: perf, which copies a recording of the kind that its options ask for, and others that
are rarely installed.  All recordings but the shipped one are made here, so that the output of every
command is known.
"""
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tracemake import TRACEPOINT, blob, common, fmt  # noqa: E402

SECOND = 1000000000
BURN = "/opt/afpipe-demo/burn"
MAPPED = 0x555555554000
KERNEL_ID, BURN_ID = "4a5a9b0affb66c437abcd455d2738af879985fa9", "d5bc8c9742a5120c2ceb4dcd82593fe2ef197f2e"


class Recording:
    """A perf.data file of one x86_64 machine, with callchains and raw bytes in every sample."""
    SAMPLE_TYPE = 1 << 16 | 1 | 2 | 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 10
    READ_FORMAT = 1 | 2 | 4     # the time enabled, the time running, the id
    FLAGS = 1 << 18             # sample_id_all
    HOST = True                 # the machine has a name, which is not that of this one
    CLOCK = None                # the clock of the times, if they are those of a clock that is named

    def __init__(self):
        self.events, self.records, self.data = [], b"", b""

    def record(self, type, misc, body):
        self.records += struct.pack("<IHH", type, misc, 8 + len(body)) + body

    def trailer(self, pid, tid, time, cpu=0):
        return struct.pack("<IIQIIQ", pid, tid, time, cpu, 0, 1)

    def text(self, text):
        text = text.encode()
        return text + bytes(8 - len(text) % 8)

    def comm(self, pid, tid, name, time):
        self.record(3, 0, struct.pack("<II", pid, tid) + self.text(name) + self.trailer(pid, tid, time))

    def mmap(self, pid, time):
        self.record(1, 2, struct.pack("<IIQQQ", pid, pid, MAPPED + 0x1000, 0x2000, 0x1000) + self.text(BURN) +
                    self.trailer(pid, pid, time))

    def switch(self, pid, tid, time, out, preempted=False):
        self.record(14, (1 << 13 if out else 0) | (1 << 14 if preempted else 0) | 2, self.trailer(pid, tid, time))

    def read(self, event, pid, tid, time, count, ran):
        values = struct.pack("<QQQQ", count, 1000000, 1000000 if ran else 0, event + 1)
        self.record(8, 0, struct.pack("<II", pid, tid) + values + self.trailer(pid, tid, time))

    def sample(self, event, pid, tid, time, chain=(), raw=b"", period=1, cpu=0):
        chain = chain or (0xffffffff81000100,)
        marked = ([0xffffffffffffff80] if chain[0] >> 63 else [0xfffffffffffffe00]) + list(chain)
        body = struct.pack("<QQIIQIIQQ", event + 1, chain[0], pid, tid, time, cpu, 0, period, len(marked))
        body += struct.pack("<%dQ" % len(marked), *marked)
        pad = -(len(raw) + 4) % 8
        body += struct.pack("<I", len(raw) + pad) + raw + bytes(pad)
        self.record(9, 1 if chain[0] >> 63 else 2, body)

    def attr(self, type, config):
        size, flags = (64, self.FLAGS) if self.CLOCK is None else (112, self.FLAGS | 1 << 25)
        begin = struct.pack("<IIQQQQQ", type, size, config, 1, self.SAMPLE_TYPE, self.READ_FORMAT, flags)
        if self.CLOCK is not None:
            begin += bytes(92 - len(begin)) + struct.pack("<i", self.CLOCK)
        return begin + bytes(size - len(begin))

    def write(self, path):
        n = len(self.events)
        ids = b"".join(struct.pack("<Q", i + 1) for i in range(n))
        entries = [self.attr(*e) + struct.pack("<QQ", 104 + 8 * i, 8) for i, e in enumerate(self.events)]
        attrs = b"".join(entries)
        at = 104 + len(ids) + len(attrs)
        build_id = struct.pack("<IHHi", 0, 2, 36 + len(self.text(BURN)), -1) + bytes.fromhex(BURN_ID) + bytes(4)
        features = [(1, self.data)] if self.data else []
        features += [(2, build_id + self.text(BURN))]
        features += [(3, struct.pack("<I", 8) + b"node\0\0\0\0")] if self.HOST else []
        features += [(6, struct.pack("<I", 8) + b"x86_64\0\0")]
        offset, table, bits = at + len(self.records) + 16 * len(features), b"", 0
        for bit, content in features:
            table += struct.pack("<QQ", offset, len(content))
            offset += len(content)
            bits |= 1 << bit
        head = b"PERFILE2" + struct.pack("<QQ", 104, len(entries[0]))
        head += struct.pack("<QQQQQQ", 104 + len(ids), len(attrs), at, len(self.records), 0, 0)
        head += struct.pack("<QQQQ", bits, 0, 0, 0)
        with open(path, "wb") as f:
            f.write(head + ids + attrs + self.records + table + b"".join(c for _, c in features))


def symbols(root):
    said = subprocess.run(["nm", root + "/share/demo/symfs" + BURN], capture_output=True, text=True, check=True)
    words = (line.split() for line in said.stdout.splitlines())
    return {w[2]: MAPPED + int(w[0], 16) + 8 for w in words if len(w) == 3}


def random_numbers(seed):
    while True:
        seed = (seed * 1103515245 + 12345) % (1 << 31)
        yield seed >> 8


def syscalls(path, seed=1, runs=400):
    """Two threads that read, write and sleep; some reads fail."""
    r = Recording()
    long = "long args[6]"
    r.events = [(TRACEPOINT, 300), (TRACEPOINT, 301)]
    r.data = blob([("raw_syscalls", [fmt("sys_enter", 300, [("long id", 8, 8, 1), (long, 16, 48, 0)]),
                                     fmt("sys_exit", 301, [("long id", 8, 8, 1), ("long ret", 16, 8, 1)])])])
    numbers, calls = random_numbers(seed), ((0, 9000), (1, 4000), (35, 1000000), (202, 60000))
    for tid in 812, 813:
        r.comm(812, tid, "job", 1)
    lines = []
    for tid in 812, 813:
        now = SECOND + tid
        for _ in range(runs):
            number, usual = calls[next(numbers) % len(calls)]
            begin = now + 2000 + next(numbers) % 3000
            now = begin + usual // 2 + next(numbers) % usual
            ret = -11 if number == 0 and next(numbers) % 9 == 0 else next(numbers) % 4096
            lines.append((begin, tid, 0, common(300) + struct.pack("<q6q", number, 3, 0, 0, 0, 0, 0)))
            lines.append((now, tid, 1, common(301) + struct.pack("<qq", number, ret)))
    for time, tid, event, raw in sorted(lines):
        r.sample(event, 812, tid, time, raw=raw)
    r.write(path)


def switches(path, at, stacks=True):
    """The same two threads take turns on a processor: as tracepoints, or as SWITCH records."""
    r = Recording()
    name, who = [("char prev_comm[16]", 8, 16, 0), ("int prev_pid", 24, 4, 1), ("long prev_state", 32, 8, 1),
                 ("char next_comm[16]", 40, 16, 0), ("int next_pid", 56, 4, 1)], [
                     ("char comm[16]", 8, 16, 0), ("int pid", 24, 4, 1)]
    r.events = [(TRACEPOINT, 310), (TRACEPOINT, 311)] if stacks else [(1, 9)]
    if stacks:
        r.data = blob([("sched", [fmt("sched_switch", 310, name), fmt("sched_wakeup", 311, who)])])
    for tid in 812, 813:
        r.comm(812, tid, "job", 1)
    r.mmap(812, 1)
    numbers, now, running = random_numbers(5), SECOND, 812
    chains = [[at["sieve"], at["step"], at["main"]], [at["dot"], at["multiply"], at["step"], at["main"]]]
    states = 1, 0, 1, 1, 256, 1, 2  # preempted: 0 (R), 256 (R+)
    for n in range(200):
        state = states[n // 2 % 7] if running else 0
        next_tid = 0 if running else 812 + next(numbers) % 2
        now += 20000 + next(numbers) % 400000
        if stacks:
            if next_tid:
                r.sample(1, 0, 0, now - 9000, raw=common(311) + struct.pack("<16si", b"job", next_tid))
            raw = struct.pack("<16siiq16si", b"job" if running else b"swapper", running, 0, state,
                              b"job" if next_tid else b"swapper", next_tid)
            r.sample(0, 812 if running else 0, running, now, chains[n // 2 % 2] if running else (), common(310) + raw)
        else:
            r.switch(812 if running else 0, running, now, True, preempted=running and state in (0, 256))
            r.switch(812 if next_tid else 0, next_tid, now, False)
            if not n % 4:
                r.sample(0, 812 if running else 0, running, now, chains[0] if running else (), period=1000000)
        running = next_tid
    r.write(path)


def machine(path, at):
    """Some processes on four processors: a database, a job with two threads, and idle time."""
    r = Recording()
    r.events = [(1, 0)]
    who = (812, 812, "postgres", "sieve"), (812, 813, "postgres", "dot"), (900, 900, "job", "dot"), (0, 0, None, None)
    for pid, tid, name, _ in who:
        if name:
            r.comm(pid, tid, name, 1)
            r.mmap(pid, 1)
    numbers, now = random_numbers(9), SECOND
    for _ in range(800):
        now += 500000 + next(numbers) % 5000000
        pid, tid, name, leaf = who[next(numbers) % 4]
        r.sample(0, pid, tid, now, [at[leaf], at["step"], at["main"]] if name else (), period=2506265,
                 cpu=next(numbers) % 8)
    r.write(path)


def threads(path, at, start):
    """A job with four threads: all multiply, the last one twice as much, and one also runs the sieve."""
    r = Recording()
    r.events = [(1, 0)]
    r.comm(812, 812, "job", start)
    r.mmap(812, start)
    for n in range(500):
        for tid in 812, 813, 814, 815:
            if n < 200 or tid == 815 and n < 400:
                names = "dot", "multiply"
            elif n >= 400 and tid == 812:
                names = "sieve",
            else:
                continue
            chain = [at[name] for name in names + ("step", "main")]
            r.sample(0, 812, tid, start + n * 2000000 + 10 * tid, chain, period=2000000, cpu=tid - 812)
    r.write(path)


def jitdump(path, pid, names):
    """A file of code that was made at run time.  Returns the addresses of these functions."""
    at, content = {}, struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, pid, 1, 0)
    for n, name in enumerate(names):
        at[name] = 0x600000000000 + 0x1000 * n
        text = name.encode() + b"\0"
        content += struct.pack("<IIQIIQQQQ", 0, 56 + len(text) + 16, 2, pid, pid, at[name], at[name], 16, n) + text
        content += bytes(16)
    with open(path, "wb") as f:
        f.write(content)
    return at


def python(path):
    """A script whose functions have names, as with python3 -X perf_jit, between those of the interpreter."""
    def frames(*names):
        chain = ["_start", "Py_RunMain"]
        for name in names:
            chain += ["py_trampoline_evaluator", "py::%s:/home/me/job.py" % name, "_PyEval_EvalFrameDefault"]
        return chain
    load, verify = ("<module>", "main", "load"), ("<module>", "main", "verify")
    stacks = [(31, frames(*load, "checksum")), (24, frames(*verify, "checksum")),
              (12, frames(*load, "checksum") + ["_PyLong_Multiply"]), (14, frames(*load, "parse") + ["split"]),
              (9, frames(*load) + ["PyObject_Vectorcall"]), (7, frames(*verify)), (3, ["_start", "Py_RunMain"])]
    names = sorted({name for _, stack in stacks for name in stack})
    pid = 4194298  # no process of this machine has it
    dump = os.path.join(os.path.dirname(path), "jit-%d.dump" % pid)
    r = Recording()
    r.HOST = False
    r.CLOCK = 1  # CLOCK_MONOTONIC, as that of the dump
    r.FLAGS |= 1 << 20  # exclude_guest, as by default
    r.events = [(1, 0)]
    at = jitdump(dump, pid, names)
    r.comm(pid, pid, "python3", 1)
    for start, file in (0x7000000, dump), (min(at.values()), "//anon"):
        r.record(1, 2, struct.pack("<IIQQQ", pid, pid, start, 0x100000, 0) + r.text(file) + r.trailer(pid, pid, 1))
    numbers, now = random_numbers(4), SECOND
    rest = [stack for count, stack in stacks for _ in range(count)]
    while rest:
        now += 5025125
        stack = rest.pop(next(numbers) % len(rest))
        r.sample(0, pid, pid, now, [at[name] + 8 for name in reversed(stack)], period=5025125)
    r.write(path)


def counts(path, at):
    """Two threads on two processors, each with a counter that is read when the thread ends (perf record -s)."""
    r = Recording()
    r.FLAGS |= 1 << 1 | 1 << 11  # inherit, inherit_stat
    r.events = [(1, 0), (1, 0)]
    r.comm(812, 812, "job", 1)
    r.mmap(812, 1)
    for n in range(20):
        r.sample(n % 2, 812, 812 + n % 2, SECOND + 1000000 * n, [at["sieve"], at["step"], at["main"]], period=1000000,
                 cpu=n % 2)
    for tid in 812, 813:
        for event in 0, 1:
            ran = tid == 812 or event == 1
            r.read(event, 812, tid, 2 * SECOND + tid, 10000000 if ran else 0, ran)
    r.write(path)


def variant(root, path, n):
    """The shipped recording as another run: its first sample is N bytes further."""
    with open(root + "/share/demo/burn.data", "rb") as f:
        content = bytearray(f.read())
    at = struct.unpack_from("<Q", content, 40)[0]
    while struct.unpack_from("<I", content, at)[0] != 9:
        at += struct.unpack_from("<H", content, at + 6)[0]
    first = at + 16 if content[at + 8] < 128 and content[at + 14] == 0 and content[at + 13] == 0 else at + 8
    struct.pack_into("<Q", content, first, struct.unpack_from("<Q", content, first)[0] + n)
    with open(path, "wb") as f:
        f.write(content)


def save(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def stream(path, lines, producer="test"):
    text = "".join("\t".join(str(w) for w in line) + "\n" for line in lines)
    save(path, "#afstream\t1\t%s\tx\n%s#end\t%s\tx\t%d\tcomplete\n" % (producer, text, producer, len(lines)))


def make(command, folder):
    subprocess.run(["sh", "-c", command], cwd=folder, check=True, stderr=subprocess.PIPE,
                   env=dict(os.environ, HOME=os.path.join(folder, "..", "home"), LC_ALL="C"))


def timings(folder):
    """Ten runs before and after a change that makes parse slower, as streams."""
    numbers = random_numbers(3)
    for side, parse in ("old", 12000), ("new", 13240):
        for n in range(1, 11):
            run = "0x%x" % (n + (16 if side == "new" else 0))
            lines = [("measure", ".", run, ".", "time", ".", "type=int64", "unit=ns")]
            for region, usual in ("parse", parse), ("print", 3990):
                value = usual + next(numbers) % 600 - 300 if region == "parse" else usual + next(numbers) % 240 - 120
                lines.append(("sample", n, run, region, "time", value))
            stream("%s/%s%d.af" % (folder, side, n), lines)


AFPERF_POINT = """# AFPerf v1     
RunInfo,1,nanoseconds,1639527663.713,1.0.0,1,mission,2.9.0,
MeasurementType,2,1,7,latency,int64,ns,,
RegionStart,1,1,9,inner,component=disk
RegionPoint,5,9,7,120
RegionStop,5,9
"""


def perun(root, folder):
    with open(root + "/share/demo/memory.perf") as f:
        profile = json.load(f)
    shutil.copy(root + "/share/demo/memory.perf", folder)
    model = {"uid": "main", "model": "linear", "r_square": 0.9, "x_interval_start": 0, "x_interval_end": 10,
             "coeffs": [{"name": "b0", "value": 1.0}, {"name": "b1", "value": 2.0}]}
    profile["header"] = dict(profile["header"], type="mixed", units={"mixed": "ms"})
    profile["snapshots"] = [{"time": "0.1", "models": [model], "resources": [
        {"type": "mixed", "uid": "main", "amount": 5, "structure-unit-size": 3}]}]
    save(folder + "/job.perf", json.dumps(profile))


PERF = r"""#!/bin/sh
# A stand-in for perf: copies a recording of the kind that is asked for.  If the real one is here, it
# says whether the options are right (not those of tracepoints, which need privileges).
here=$(cd "$(dirname "$0")" && pwd)/..
if [ "$1" = record ] && real=$(PATH=${PATH#*:} command -v perf) && "$real" record --dry-run true >/dev/null 2>&1; then
	case " $* " in
	*" -e "*) ;;
	*) ( shift && exec "$real" record --dry-run "$@" ) >/dev/null || exit ;;
	esac
fi
all=" $* " kind=burn out=perf.data n=0
case $all in
*" archive "*) exec cp "$here/recordings/archive.tar.bz2" "$2.tar.bz2" ;;
*" trace record "*) kind=syscalls ;;
*" stat record "*) kind=stat ;;
*raw_syscalls:*) kind=syscalls ;;
*" sched:sched_switch "*) kind=sched ;;
*" --switch-events "*) kind=switches ;;
*" --all-cgroups "*) kind=cgroups ;;
*" perf_jit "*) kind=python ;;
*" record -s "*) kind=counts ;;
*" record "*) ;;
*) echo "perf: the stand-in cannot do this: $*" >&2; exit 2 ;;
esac
while [ $# -gt 0 ]; do
	case $1 in
	-o) out=$2; shift ;;
	--) break ;;
	esac
	shift
done
case $out in
*[0-9].data) n=${out%.data}; n=${n##*[!0-9]} ;;
-) exec cat "$here/recordings/$kind.data" ;;
esac
if [ $kind = burn ] && [ "$n" != 0 ] && [ -e "$here/recordings/burn$n.data" ]; then
	kind=burn$n
fi
exec cp "$here/recordings/$kind.data" "$out"
"""

FLAMEGRAPH = r"""#!/bin/sh
# A stand-in for flamegraph.pl: refuses what is not folded stacks.
exec awk '!/^.+ [0-9][0-9.]*( [0-9][0-9.]*)?$/ { print "not folded: " $0 > "/dev/stderr"; bad = 1 }
	END { if (!NR || bad) exit 1; print "<svg/>" }'
"""


def programs(folder, root):
    for script in glob.glob(root + "/contrib/*/afarray"):
        os.symlink(script, folder + "/afarray")
    for name, text in ("perf", PERF), ("flamegraph.pl", FLAMEGRAPH), ("dcpicat", "#!/bin/sh\nexec cat '%s'\n" %
                                                                     (root + "/t/data/dcpi/text/one.txt")):
        save(folder + "/" + name, text)
        os.chmod(folder + "/" + name, 0o755)


def recordings(root, folder):
    at = symbols(root)
    variant(root, folder + "/burn.data", 0)
    for n in range(1, 11):
        variant(root, "%s/burn%d.data" % (folder, n), n)
    syscalls(folder + "/syscalls.data")
    switches(folder + "/sched.data", at)
    machine(folder + "/machine.data", at)
    switches(folder + "/switches.data", at, stacks=False)
    counts(folder + "/counts.data", at)
    for n in 1, 2:
        threads("%s/threads%d.data" % (folder, n), at, n * 7 * SECOND)
    python(folder + "/python.data")
    for name, source in ("stat", "stat"), ("cgroups", "kinds"):
        shutil.copy("%s/t/data/perf/%s.data" % (root, source), "%s/%s.data" % (folder, name))


def home(root, folder):
    for build_id, name, what in (KERNEL_ID, "kallsyms", "kallsyms"), (BURN_ID, "elf", "symfs" + BURN):
        place = "%s/.debug/.build-id/%s/%s" % (folder, build_id[:2], build_id[2:])
        os.makedirs(place)
        shutil.copy(root + "/share/demo/" + what, place + "/" + name)
        if name == "kallsyms": # that of share/demo is an excerpt; a list without its end was cut
            with open(place + "/" + name, "a", encoding="ascii") as f:
                f.write("ffffffff82400000 T _etext\n")


def archive(world):
    """What perf archive makes of the cache."""
    with tarfile.open(world + "/recordings/archive.tar.bz2", "w:bz2") as tar:
        tar.add(world + "/home/.debug/.build-id", ".build-id")


def base(root, world):
    folder, made = world + "/base", world + "/recordings/"
    for name in "perf", "run", "old", "new", "r":
        shutil.copy(made + "burn.data", "%s/%s.data" % (folder, name))
    for name, kind in ("t", "syscalls"), ("s", "sched"), ("w", "switches"), ("stat", "stat"):
        shutil.copy(made + kind + ".data", "%s/%s.data" % (folder, name))
    for name in "n1", "n2":
        shutil.copy(root + "/t/data/perf/clock.data", "%s/%s.data" % (folder, name))
    for side in "old", "new":
        for n in 1, 2, 3:
            shutil.copy("%sburn%d.data" % (made, n), "%s/%s%d.data" % (folder, side, n))
    for name in "job", "bench":
        save(folder + "/" + name, "#!/bin/sh\n")
        os.chmod(folder + "/" + name, 0o755)
    for name in "run", "run1", "run2", "old1", "old2", "new1", "new2":
        shutil.copy(root + "/share/demo/mission.afperf", "%s/%s.afperf" % (folder, name))
    perun(root, folder)
    for name in "profile", "prof", "a", "b":
        shutil.copy(root + "/share/dcpi/profile", folder + "/" + name)
    shutil.copy(root + "/share/dcpi/xemacs", folder + "/xemacs")
    os.symlink(root + "/share/demo/symfs", folder + "/sysroot")
    os.symlink(root + "/share/demo/symfs", folder + "/symfs")
    shutil.copy(root + "/share/demo/kallsyms", folder + "/kallsyms")
    make("""perfdec perf.data >run.af && cp run.af in.af &&
        perfdec s.data >s.af && perfdec t.data >t.af &&
        for n in 1 2; do perfdec --no-symbols old$n.data >node$n.af || exit; done""", folder)


def overlays(root, world):
    """What a name means on one page alone."""
    def overlay(page, command):
        os.makedirs("%s/%s" % (world, page), exist_ok=True)
        make(command, "%s/%s" % (world, page))
    for page in "afdiff.1", "aftab.1":
        os.mkdir("%s/%s" % (world, page))
        timings("%s/%s" % (world, page))
    overlay("afdiff.1", """for n in 1 2 3 4 5 6 7 8 9 10; do perfdec ../recordings/burn$n.data || exit; done |
        afagg --by run,region --stat sum >old.agg && mkdir old new &&
        for n in 1 2 3 4; do
            perfdec ../recordings/burn$n.data | afagg --by run,region --partial >old/$n.agg || exit
            perfdec ../recordings/burn$((n + 4)).data | afagg --by run,region --partial >new/$n.agg || exit
        done""")
    overlay("aftab.1", """afagg --by run,region --stat sum old*.af >before &&
        afagg --by run,region --stat sum new*.af >after""")
    overlay("afdur.1", "afdec ../base/run.afperf | afsel --where 'region!=inner' >run.af")
    overlay("afpipe.7", "afdec ../base/run.afperf >run.af")
    overlay("afagg.1", "afdec ../base/run.afperf >run.af")
    overlay("afdec.1", ":")
    save(world + "/afdec.1/run.afperf", AFPERF_POINT)
    overlay("afsel.1", """cp ../recordings/machine.data run.data && cp ../recordings/python.data . &&
        perfdec run.data | sed 's/\tdot\t/\toperator()\t/' >run.af""")
    overlay("flameenc.1", """perfdec ../base/old.data >old.af && for n in 1 2; do
        perfdec ../base/old$n.data | afagg --by stack --partial >node$n.part || exit; done""")
    overlay("perundec.1", """mkdir -p .perun/objects/3f &&
        perundec ../base/job.perf | perunenc --pack >.perun/objects/3f/8a905cd1""")
    overlay("foldenc.1", ":")
    for name, value in ("old", 2506265), ("new", 3179004):
        stream("%s/foldenc.1/%s.agg" % (world, name), [
            ("agg", 1, "0x1", ".", "cpu-clock", value, "stack=main;step;dot", "stat=sum", "start=1", "n=1", "unit=ns")])
    overlay("dcpidec.1", "cp -R '%s/share/dcpi/dcpidb' ." % root)
    overlay("afpipe-cookbook.7", """cp ../recordings/threads1.data threads.data &&
        for n in 1 2; do cp ../recordings/threads$n.data node$n.data || exit; done &&
        cp -R '%s/share/dcpi/dcpidb' . &&
        echo 'fn main() {}' >job.rs && echo 'int main() {}' >job.cc && cp ../base/bench bench.old &&
        for n in 1 2; do perfdec ../base/old$n.data | afagg --by region --stat count,sum,p99 --partial >$n.part ||
        exit; done && printf 'package main\\nfunc main() {}\\n' >job.go &&
        afagg --by run,region --stat sum ../afdiff.1/old[1-6].af >day1.agg &&
        awk -F '\t' -v OFS='\t' '$3 == "0x14" && $1 == "sample" { $6 = int(1.4 * $6) } 1' ../afdiff.1/new[1-6].af |
        afagg --by run,region --stat sum >day2.agg""" % root)
    overlay("afarray.1", """mkdir runs && cp ../base/old[12].data runs && cp ../base/new1.data rank.1.data &&
        cp ../base/new2.data rank.2.data && rm -f before.af && perfdec runs/*.data |
        afagg --by run,region >before.af""")
    overlay("README.md", "mkdir share && cp -R '%s/share/demo' share && cp ../afdiff.1/old.agg ." % root)


def main(root, world):
    for name in "base", "home", "bin", "recordings":
        os.makedirs(world + "/" + name)
    recordings(root, world + "/recordings")
    programs(world + "/bin", root)
    home(root, world + "/home")
    archive(world)
    base(root, world)
    overlays(root, world)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
