"""Runs a command in a terminal that accepts little at a time, as over a slow line. Writes what it shows to stdout, and
types what arrives on stdin."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

BYTES, PAUSE_S = 2048, 0.01
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
sources = [0, terminal]
while True:
    for source in select.select(sources, [], [])[0]:
        try:
            piece = os.read(source, BYTES)
        except OSError:
            piece = b""
        if source == terminal:
            if not piece:
                _, status = os.waitpid(pid, 0)
                sys.exit(os.waitstatus_to_exitcode(status))
            os.write(1, piece)
            time.sleep(PAUSE_S)
        elif piece:
            os.write(terminal, piece)
        else:
            sources.remove(source)
