"""Runs a command in its own terminal. Arguments: QUESTION=ANSWER pairs, in order, then the command. Types each answer when
its question is shown, and prints what was shown."""
import os
import pty
import sys

arguments = sys.argv[1:]
dialog = []
while "=" in arguments[0]:
    dialog.append(arguments.pop(0).split("=", 1))
pid, terminal = pty.fork()
if pid == 0:
    os.execv(arguments[0], arguments)
shown = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if dialog and dialog[0][0].encode() in shown:
        os.write(terminal, dialog.pop(0)[1].encode() + b"\n")
_, status = os.waitpid(pid, 0)
sys.stdout.write(shown.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(status))
