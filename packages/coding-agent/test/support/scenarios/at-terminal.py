"""Runs a command in its own terminal: types the first argument when asked (ASKED, by default the trust question), and
prints what was shown."""
import os
import pty
import sys

question = os.environ.get("ASKED", "anything else: no").encode()
answer, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
shown = b""
has_answered = False
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if not has_answered and question in shown:
        has_answered = True
        os.write(terminal, answer.encode() + b"\n")
_, status = os.waitpid(pid, 0)
sys.stdout.write(shown.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(status))
