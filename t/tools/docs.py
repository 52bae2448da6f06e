# SPDX-License-Identifier: ISC
"""docs.py - runs the commands that a page shows, and compares their output with the page.

	docs.py [--list] WORLD EXCEPTIONS WORK PAGE...

A PAGE is README.md or a man page.  Its commands are found by the markup alone.  In a README they are
in indented blocks with lines that begin with "$ ".  In a man page they are in literal displays
(.Bd -literal, and .Dl lines in a row).  In a block with "$ ", each such line begins a command, which
goes on until a shell takes it as whole; the lines after it are its output.  Any other literal
display of a man page is a script.

Each page is run in a folder of its own below WORK, which begins as a copy of WORLD/base and
WORLD/PAGE (docworld.py), with WORLD/bin first on the PATH; each block is run by its own sh.

A command is wrong if
  - its status is not 0, unless the next command is "echo $?";
  - afsel says that no line was chosen;
  - it is not cd, the page shows no output, and it makes none: neither text nor a file that is not empty;
  - the page shows output, and it is another.  Shown lines are compared with standard output, or with
    it and standard error in either order.  A line "..." stands for any lines, "..." in a line for
    any text.
The C library of the shipped recording is not shipped, so perfdec notes that it has no symbols for it.
Pages need not show this note.

EXCEPTIONS has lines of TABs: PAGE, the beginning of a command or of a block, what to do, and why.
What to do is one of
	skip	it is not run
	text	the block is no command; with an empty beginning, all displays of the page without "$ "
	none	afsel need not choose any line
	run	its output is not compared with the page
	silent	it need not print anything
and lines "need PROGRAM CHECK REASON" name programs without which commands that use them are not run.
A program is there if the command CHECK succeeds.  An
exception that applies to nothing is an error, unless its page is not among the PAGEs.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import textwrap

ESCAPES = {"e": "\\", "&": "", " ": " ", "-": "-", "(dq": '"', "(aq": "'", "t": "\t", "(en": "-"}
NOTHING = re.compile(r"none of \d+ lines was chosen")
LIBC = re.compile(r"^perfdec: no symbols for \S*/libc\.so\.6: .*\n", re.M)
PROMPT = re.compile(r"([a-z]+)?\$ ")


def unescape(text, where):
    def one(match):
        if match.group(1) not in ESCAPES:
            raise SystemExit("%s: unknown escape %s" % (where, match.group(0)))
        return ESCAPES[match.group(1)]
    return re.sub(r"\\(\(..|.)", one, text)


def blocks_of_man(path):
    """Yields (line number, lines) of each literal display."""
    block, begin, kind = [], 0, None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f.read().split("\n"), 1):
            if kind == "Bd":
                if line == ".Ed":
                    yield begin, block
                    block, kind = [], None
                elif not line.startswith('.\\"'):
                    block.append(unescape(line, "%s:%d" % (path, number)))
            elif line.startswith(".Dl "):
                if kind is None:
                    block, begin, kind = [], number, "Dl"
                block.append(unescape(line[4:], "%s:%d" % (path, number)))
            else:
                if kind == "Dl":
                    yield begin, block
                    block, kind = [], None
                if line.startswith(".Bd -literal"):
                    block, begin, kind = [], number + 1, "Bd"


def blocks_of_markdown(path):
    block, begin = [], 0
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f.read().split("\n"), 1):
            if line.startswith("    ") or (block and not line and block[-1]):
                begin = begin if block else number
                block.append(line)
            elif block:
                yield begin, textwrap.dedent("\n".join(block)).split("\n")
                block = []


def whole(text):
    """Is the text a complete command?"""
    if re.search(r"(^|[^\\])(\\\\)*\\$", text):
        return False
    said = subprocess.run(["sh", "-n", "-c", text], capture_output=True, text=True, check=False)
    here = re.findall(r"<<-?\s*['\"]?(\w+)", text)
    return said.returncode == 0 and all(re.search(r"^\t*%s$" % re.escape(h), text, re.M) for h in here)


class Command:
    def __init__(self, page, line, text, shown=None):
        self.page, self.line, self.text, self.shown = page, line, text, shown
        self.rules = {}

    def __str__(self):
        return "%s:%d: $ %s" % (self.page, self.line, self.text.split("\n")[0])


def commands_of(page, begin, lines):
    """The commands of a block, or nothing if it has none."""
    if not any(PROMPT.match(line) for line in lines):
        return []
    commands, i = [], 0
    while i < len(lines):
        if not PROMPT.match(lines[i]):
            i += 1
            continue
        text, at = PROMPT.sub("", lines[i], count=1), i
        while not whole(text):
            i += 1
            if i == len(lines):
                raise SystemExit("%s:%d: the command does not end: %s" % (page, begin + at, text))
            text += "\n" + lines[i].removeprefix("> ")
        i += 1
        shown = []
        while i < len(lines) and not PROMPT.match(lines[i]):
            shown.append(lines[i].rstrip())
            i += 1
        while shown and not shown[-1]:
            shown.pop()
        commands.append(Command(page, begin + at, text, shown or None))
    return commands


class Exceptions:
    def __init__(self, path):
        self.needs, self.rules, self.used = {}, [], set()
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                if line.strip() and not line.startswith("#"):
                    self.add(path, number, line.rstrip("\n").split("\t"))

    def add(self, path, number, words):
        if words[0] == "need" and len(words) == 4:
            self.needs[words[1]] = words[2]
        elif len(words) == 4 and words[3]:
            self.rules.append(tuple(words))
        else:
            raise SystemExit("%s:%d: not an exception" % (path, number))

    def of(self, page, text):
        """The rules that apply to this text: what to do -> why."""
        found = {}
        for rule in self.rules:
            if rule[0] == page and rule[1] and text.startswith(rule[1]):
                self.used.add(rule)
                found[rule[2]] = rule[3]
        return found

    def page_is_text(self, page):
        for rule in self.rules:
            if rule[:3] == (page, "", "text"):
                self.used.add(rule)
                return True
        return False

    def missing(self, text):
        """A program that the text uses, that may be missing, and is."""
        for program, check in self.needs.items():
            if re.search(r"(^|[|;&(`\s])%s(\s|$)" % re.escape(program), text, re.M) and not self.works(check):
                return program
        return None

    @functools.lru_cache(maxsize=None)
    def works(self, check):
        said = subprocess.run(["sh", "-c", check], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return said.returncode == 0

    def divide(self, commands):
        """The commands to run, and texts that name the others, with the reason."""
        to_run, others = [], []
        for command in commands:
            missing = self.missing(command.text)
            why = command.rules.get("skip") or (missing and missing + " is missing here")
            if why:
                others.append("%s: %s" % (command, why))
            else:
                to_run.append(command)
        return to_run, others

    def stale(self, pages):
        return [rule for rule in self.rules if rule[0] in pages and rule not in self.used]


def blocks_of(path, exceptions):
    """Yields the blocks of a page as lists of commands."""
    page = os.path.basename(path)
    man = not page.endswith(".md")
    for begin, lines in (blocks_of_man if man else blocks_of_markdown)(path):
        rules = exceptions.of(page, PROMPT.sub("", lines[0], count=1))
        if "text" in rules:
            continue
        commands = commands_of(page, begin, lines)
        if not commands and man and not exceptions.page_is_text(page):
            commands = [Command(page, begin, "\n".join(lines))]
        for command in commands:
            command.rules = exceptions.of(page, command.text)
        if commands:
            yield commands


def same(shown, got):
    def pattern(line):
        return ".*".join(re.escape(part) for part in line.split("...")) + r"[ \t]*\n"
    if not any("no symbols for" in line for line in shown):
        got = LIBC.sub("", got)
    lines = "".join("(.*\n)*" if line == "..." else pattern(line) for line in shown)
    return re.fullmatch(lines, got) is not None


def run_block(commands, folder, world, faults):
    """Runs the commands of a block in one shell."""
    results = folder + ".results"
    shutil.rmtree(results, ignore_errors=True)
    os.mkdir(results)
    # The status goes from one command to the next, so that "echo $?" works.
    script = ""
    for n, command in enumerate(commands):
        r = "'%s/%d'" % (results, n)
        script += "exec >%s.out 2>%s.err\n(exit ${DOCS_STATUS-0})\n%s\nDOCS_STATUS=$?\n" % (r, r, command.text)
        script += "echo $DOCS_STATUS >%s.status\n" % r
    before = sizes(folder)
    shell = subprocess.Popen(["sh", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        last = shell.wait(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, 9)
        shell.wait()
        faults.append("%s\n    it has not ended after 60 seconds" % commands[0])
        return
    after = sizes(folder)
    new = any(size for name, size in after.items() if before.get(name) != size)
    for n, command in enumerate(commands):
        follows = n + 1 < len(commands) and commands[n + 1].text == "echo $?"
        target = re.search(r">>?\s*([\w.-]+)$", command.text)
        made = bool(after.get(target.group(1))) if target else new
        judge(command, os.path.join(results, str(n)), last, follows, made, faults)


def sizes(folder):
    """The sizes and times of all files in the folder, and 0 for those that are empty."""
    found = {}
    for name in os.listdir(folder):
        state = os.stat(os.path.join(folder, name))
        found[name] = (state.st_size, state.st_mtime_ns) if state.st_size else 0
    return found


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="backslashreplace") as f:
        return f.read()


def judge(command, result, last, follows, made, faults):
    """Adds to faults if the command is wrong; made: it made a file that is not empty."""
    out, err = read(result + ".out"), read(result + ".err")
    status = int(read(result + ".status") or last)
    why = ""
    if status != 0 and not follows:
        why = "status %d" % status
    elif command.shown is not None and "run" not in command.rules:
        if not any(same(command.shown, text) for text in (out, out + err, err + out)):
            why = "it prints something else:\n%s" % out
    elif NOTHING.search(err) and "none" not in command.rules:
        why = "it selects nothing"
    elif not out and not made and not follows and "silent" not in command.rules and not command.text.startswith("cd "):
        why = "it prints nothing"
    if why:
        faults.append("%s\n    %s\n%s" % (command, why, err[:2000]))


def main(arguments):
    listing = "--list" in arguments
    world, path, work, *pages = [a for a in arguments if a != "--list"]
    world, work = os.path.abspath(world), os.path.abspath(work)
    os.environ.update(HOME=os.path.join(world, "home"), LC_ALL="C", TZ="UTC",
                      PATH=os.path.join(world, "bin") + ":" + os.environ["PATH"])
    exceptions, faults, ran, not_run = Exceptions(path), [], 0, []
    for page_path in pages:
        page = os.path.basename(page_path)
        folder = os.path.join(work, page)
        if not listing:
            shutil.copytree(os.path.join(world, "base"), folder)
            if os.path.isdir(os.path.join(world, page)):
                shutil.copytree(os.path.join(world, page), folder, dirs_exist_ok=True)
        for commands in blocks_of(page_path, exceptions):
            commands, left_out = exceptions.divide(commands)
            not_run += left_out
            ran += len(commands)
            if listing:
                print("\n".join(map(str, commands)))
            elif commands:
                run_block(commands, folder, world, faults)
    for rule in exceptions.stale({os.path.basename(p) for p in pages}):
        faults.append("an exception that applies to nothing: %s: %s %s" % (rule[0], rule[2], rule[1]))
    print("%d commands run, %d not run" % (ran, len(not_run)))
    for line in not_run:
        print("not run: " + line)
    for fault in faults:
        print("FAULT " + fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
