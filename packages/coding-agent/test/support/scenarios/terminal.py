"""Runs a command in its own terminal and forwards what it shows at once. `--only-stderr`: stdout is a pipe."""
import fcntl
import os
import pty
import struct
import sys
import termios

command = sys.argv[1:]
shared = command[0] != "--only-stderr"
command = command if shared else command[1:]
pid, terminal = pty.fork()
if pid == 0:
    if not shared:
        os.dup2(os.open(os.environ["STDOUT_FILE"], os.O_WRONLY | os.O_CREAT), 1)
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execv(command[0], command)
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    os.write(1, piece)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
