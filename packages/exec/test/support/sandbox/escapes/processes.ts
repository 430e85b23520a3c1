import type { Attempt } from "./attempt.ts";

const SESSION_LEFT = { passes: "without a process namespace, what leaves its session is out of reach" } as const;
const SAME_USER = {
  passes: "the system allows it between processes of one user, and Landlock does not know it",
} as const;

/** Attempts to reach other processes, and to survive the end of the command. */
export const PROCESSES: readonly Attempt[] = [
  { name: "end a process outside", run: { sh: 'kill -TERM "$VICTIM" && echo ESCAPED' }, partial: "stopped" },
  { name: "stop a process outside", run: { sh: 'kill -STOP "$VICTIM" && echo ESCAPED' }, partial: "stopped" },
  {
    name: "end a process outside by a descriptor of it",
    run: { python: "signal.pidfd_send_signal(os.pidfd_open(VICTIM), 15); escaped()" },
    partial: "stopped",
  },
  {
    name: "queue a signal for a process outside",
    run: {
      python:
        "info = (ctypes.c_char * 128)()\nif call(129 if X64 else 138, VICTIM, 0, ctypes.addressof(info)) == 0: escaped()",
    },
    partial: "stopped",
    notBare: "signal 0 with our information is refused by some kernels",
  },
  {
    name: "trace a process outside",
    run: { python: "if libc.ptrace(0x4206, VICTIM, 0, 0) == 0: escaped()" },
    partial: "stopped",
  },
  {
    name: "trace a process of its own",
    run: { python: "if libc.ptrace(0, 0, 0, 0) == 0: escaped()" },
    partial: "stopped",
  },
  {
    name: "read the memory of a process outside",
    run: { python: 'open(f"/proc/{VICTIM}/mem", "rb"); escaped()' },
    partial: "stopped",
  },
  {
    name: "write the memory of a process outside",
    run: { python: 'open(f"/proc/{VICTIM}/mem", "r+b", buffering=0); escaped()' },
    partial: "stopped",
  },
  {
    name: "copy from the memory of a process outside",
    run: {
      python: `address = int(open(f"/proc/{VICTIM}/maps").read().split("-")[0], 16)
buffer = ctypes.create_string_buffer(8)
here = (ctypes.c_ulong * 2)(ctypes.addressof(buffer), 8); there = (ctypes.c_ulong * 2)(address, 8)
if call(310 if X64 else 270, VICTIM, ctypes.addressof(here), 1, ctypes.addressof(there), 1, 0) > 0: escaped()`,
    },
    partial: "stopped",
  },
  {
    name: "take a descriptor of a process outside",
    run: { python: "if call(438, os.pidfd_open(VICTIM), 0, 0) >= 0: escaped()" },
    partial: "stopped",
  },
  {
    name: "limit a process outside",
    run: { sh: 'prlimit --pid "$VICTIM" --nofile=64:64 && echo ESCAPED' },
    partial: SAME_USER,
  },
  {
    name: "enter the namespaces of a process outside",
    run: { sh: 'nsenter -t "$VICTIM" -m true && echo ESCAPED' },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "leave a process in the background",
    run: { sh: 'sh -c "sleep 60; : $MARK" >/dev/null 2>&1 &' },
    partial: "stopped",
    notBare: "it ends with the session",
  },
  {
    name: "leave a process that does not hang up",
    run: { sh: 'nohup sh -c "sleep 60; : $MARK" >/dev/null 2>&1 &' },
    partial: "stopped",
    notBare: "it ends with the session",
  },
  {
    name: "leave a process in a session of its own",
    run: { sh: 'setsid sh -c "sleep 60; : $MARK" >/dev/null 2>&1 & sleep 0.2' },
    partial: SESSION_LEFT,
  },
  {
    name: "leave a process that ignores signals to end",
    run: { sh: `setsid sh -c "trap '' HUP INT TERM; sleep 60; : $MARK" >/dev/null 2>&1 & sleep 0.2` },
    partial: SESSION_LEFT,
  },
  {
    name: "leave a daemon that forked twice",
    run: {
      python: `if os.fork(): os.wait(); sys.exit()
os.setsid()
if os.fork(): os._exit(0)
null = os.open("/dev/null", os.O_RDWR)
for fd in (0, 1, 2): os.dup2(null, fd)
os.execv("/bin/sh", ["sh", "-c", "sleep 60; : " + MARK])`,
    },
    partial: SESSION_LEFT,
  },
];
