#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Runs a command whose standard input is a terminal.

usage: terminal.py [--all] COMMAND [ARGUMENT...]

What comes from standard input is typed.  With --all, standard output and standard error are that
terminal, too, and what is written there goes to standard output.  The status is that of the
command, or 99 if it takes longer than 20 seconds.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time


def start(command, both):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2) if both else (0,):
            os.dup2(slave, fd)
        os.close(master)
        os.execvp(command[0], command)
    os.close(slave)
    return pid, master


def main():
    both = sys.argv[1] == "--all"
    typed = sys.stdin.buffer.read()
    pid, master = start(sys.argv[1 + both:], both)
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        # asked first, so that all that it has written is read
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        ready = select.select([master], [master] if typed else [], [], 0.05)
        try:
            if ready[0]:
                got = os.read(master, 65536)
                if both:
                    sys.stdout.buffer.write(got)
            elif ended:
                break
            elif ready[1]:
                typed = typed[os.write(master, typed[:512]):]
        except OSError:  # nobody has the terminal open
            break
    else:
        os.kill(pid, signal.SIGKILL)
        sys.exit(99)
    status = os.waitpid(pid, 0)[1]
    sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


main()
