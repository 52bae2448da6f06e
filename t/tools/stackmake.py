#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""stackmake.py - random recordings for perfmake, to test that perfdec's stacks do not depend on the
stacks before them.

	stackmake.py make SEED SAMPLES WHOLE PARTS DUMPS
	stackmake.py compare WHOLE.ev PARTS.ev

Threads of several processes have deep stacks, of which the inner frames change from sample to sample.
Between samples there are mappings, forks, execs, exits, programs loaded into the kernel, and JIT code
that changes with time.  In WHOLE each sample has its whole callchain.  PARTS is the same recording, but
each sample is replaced by several with a short part of its callchain each, for which perfdec keeps
nothing.  The ip of a sample, which is mapped nowhere, is its number.  For each process with a jitdump,
DUMPS has a line: PID INODE PATH.
"""
import random
import sys

PART = 6  # frames
KERNEL = 0xFFFFFFFF81000000
MODULE = 0xFFFFFFFFC0000000
OBJECTS = ["/nowhere/a", "/nowhere/b", "/nowhere/c;d", "//anon", "[heap]"]
KERNEL_THREAD = 4001
MAPPED = 4000  # has a JIT map but no dump
REGIONS = 12
FIRST, SIZE = 0x1000, 0x100


class Recording:
    def __init__(self, seed, whole, parts, dumps):
        self.r = random.Random(seed)
        self.files = [whole, parts]
        self.whole, self.parts = whole, parts
        self.dumps = dumps
        self.time = 10
        self.samples = 0
        self.processes = {}  # pid: tids
        self.chains = {}  # tid: addresses in user code, outermost first
        self.next_pid = 5000

    def put(self, text):
        for f in self.files:
            f.write(text + "\n")

    def address(self, kernel):
        if kernel:
            base = self.r.choice([KERNEL, KERNEL, MODULE])
            return base + self.r.randrange(8 * SIZE)
        return FIRST + self.r.randrange(REGIONS * SIZE + 64)

    def map(self, pid):
        start = FIRST + self.r.randrange(REGIONS) * SIZE + self.r.choice([0, 0, 0x40])
        size = self.r.choice([SIZE, SIZE, 0x80, 5 * SIZE])
        name = self.r.choice(OBJECTS if pid != MAPPED or self.r.random() < 0.5 else ["//anon"])
        if self.r.random() < 0.03:
            name = "/nowhere/" + "long" * 900
        self.put("mmap %d %d %d u %#x %#x 0 %s" % (pid, pid, self.time, start, size, name))

    def map_dump(self, pid):
        of, inode, path = self.r.choice(self.dumps)
        self.put("mmap2 %d %d %d u 0x700000 0x1000 0 %s %s" % (pid, pid, self.time, inode, path))

    def start(self, pid):
        self.processes[pid] = [pid]
        self.put("comm %d %d %d prog" % (pid, pid, self.time))
        for _ in range(8):
            self.map(pid)

    def fork(self):
        parent = self.r.choice(list(self.processes))
        self.next_pid += self.r.choice([1, 1, 256])
        pid, tid = self.next_pid, self.next_pid
        old = self.r.choice(self.processes[parent])
        if self.r.random() < 0.5:
            pid = parent
            self.processes[pid].append(tid)
        else:
            self.processes[pid] = [tid]
        self.chains[tid] = list(self.chains.get(old, []))
        self.put("fork %d %d %d %d %d" % (pid, tid, parent, old, self.time))

    def exit(self):
        pid = self.r.choice(list(self.processes))
        if len(self.processes) < 3 or pid < 5000:
            return
        for tid in self.processes.pop(pid):
            self.put("exit %d %d %d %d %d" % (pid, tid, pid, pid, self.time))

    def other(self):
        pid = self.r.choice(list(self.processes))
        what = self.r.randrange(12)
        start = KERNEL + self.r.randrange(8) * SIZE
        if what < 5:
            self.map(pid)
        elif what == 5:
            self.fork()
        elif what == 6:
            self.exit()
        elif what == 7:
            self.put("exec %d %d %d other" % (pid, pid, self.time))
        elif what == 8 and pid != MAPPED:
            self.map_dump(pid)
        elif what < 10:
            self.put("ksymbol %d %#x 0x40 bpf_%d" % (self.time, start, self.r.randrange(9)))
        elif what == 10:
            self.put("unksymbol %d %#x 0x40 bpf" % (self.time, start))
        else:
            name = self.r.choice(["/lib/one.ko", "/lib/two.ko"])
            self.put("mmap -1 0 %d k %#x %#x 0 %s" % (self.time, MODULE + start - KERNEL, SIZE, name))

    def map_kernel(self):
        size = self.r.choice([0, 4 * SIZE])
        self.put("mmap -1 0 %d k %#x %#x %#x [kernel.kallsyms]_text" % (self.time, KERNEL, size, KERNEL))

    def frames(self, tid, in_kernel):
        """The frames of the next sample, innermost first: (marker, address)."""
        chain = self.chains.setdefault(tid, [])
        depth = len(chain)
        if self.r.random() < 0.8:
            del chain[max(0, depth - self.r.randrange(8)):]
        elif self.r.random() < 0.2:
            del chain[self.r.randrange(depth + 1):]
        while len(chain) < self.r.randrange(70):
            chain.append(self.address(in_kernel))
        if self.r.random() < 0.01:
            chain += [self.address(in_kernel) for _ in range(600)]
        if in_kernel:
            return [("k", a) for a in reversed(chain)]
        users = [("u", a) for a in reversed(chain)]
        kernel = [("k", self.address(True)) for _ in range(self.r.choice([0, 0, 3, 9]))]
        pick = self.r.randrange(40)
        if pick == 0:  # the same addresses in another mode
            return [(self.r.choice("kghG"), a) for _, a in users]
        if pick == 1 and len(users) > 20:
            return users[:10] + [("k", a) for _, a in users[10:15]] + users[15:]
        return kernel + users

    def sample(self):
        pid = self.r.choice(list(self.processes))
        tid = self.r.choice(self.processes[pid])
        self.samples += 1
        frames = self.frames(tid, pid == KERNEL_THREAD)
        parts = [frames[i:i + PART] for i in range(0, len(frames), PART)] or [[]]
        for f, all_of_it in ((self.whole, [frames]), (self.parts, parts)):
            for part in all_of_it:
                words, mode = [], None
                for marker, address in part:
                    if marker != mode:
                        words.append(marker)
                    mode = marker
                    words.append("%#x" % address)
                f.write("sample %d %d %d u %#x %s\n" % (pid, tid, self.time, 0x40000000 + self.samples, " ".join(words)))

    def make(self, samples):
        self.put("clock 1")
        for pid in [int(d[0]) for d in self.dumps] + [MAPPED, KERNEL_THREAD]:
            self.start(pid)
        kernel_at = self.r.choice([0, samples // 2])
        is_mapped = False
        while self.samples < samples:
            self.time += self.r.choice([0, 1, 1, 5])
            if self.samples >= kernel_at and not is_mapped:
                self.map_kernel()
                is_mapped = True
            if self.r.random() < 0.1:
                self.other()
            for _ in range(self.r.randrange(12)):
                self.sample()


def stacks(name):
    of = {}
    with open(name, "rb") as f:
        for line in f:
            if not line.startswith(b"sample\t"):
                continue
            tags = dict(t.split(b"=", 1) for t in line.rstrip(b"\n").split(b"\t")[6:])
            ip = int(tags[b"ip"], 16)
            of[ip] = tags[b"stack"] + b";" + of[ip] if ip in of else tags[b"stack"]
    return of


def main():
    if sys.argv[1] == "compare":
        whole, parts = stacks(sys.argv[2]), stacks(sys.argv[3])
        bad = [ip for ip in sorted(parts) if whole.get(ip) != parts[ip]]
        for ip in bad[:3]:
            print("%#x\nwhole %s\nparts %s" % (ip, whole.get(ip), parts[ip]))
        print("%d of %d stacks differ" % (len(bad), len(parts)))
        return 1 if bad or len(whole) != len(parts) or not parts else 0
    with open(sys.argv[6], encoding="utf-8") as f:
        dumps = [line.split() for line in f]
    with open(sys.argv[4], "w", encoding="utf-8") as whole, open(sys.argv[5], "w", encoding="utf-8") as parts:
        Recording(int(sys.argv[2]), whole, parts, dumps).make(int(sys.argv[3]))
    return 0


sys.exit(main())
