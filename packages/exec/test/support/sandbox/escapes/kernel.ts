import type { Attempt } from "./attempt.ts";

const openForWriting = (path: string) => ({ sh: `exec 2>/dev/null; (exec 9>>"${path}") && echo ESCAPED` });
const NEWUSER = 0x10000000;
const SIGCHLD = 17;

/** Attempts to use kernel interfaces that bypass file permissions and namespaces. */
export const KERNEL: readonly Attempt[] = [
  {
    name: "name the program that gets core files",
    run: openForWriting("/proc/sys/kernel/core_pattern"),
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "change a setting of the kernel",
    run: openForWriting("/proc/sys/vm/swappiness"),
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "press the keys for emergencies",
    run: openForWriting("/proc/sysrq-trigger"),
    partial: "stopped",
    notBare: "not every kernel has it",
  },
  {
    name: "name the program for new devices",
    run: openForWriting("/sys/kernel/uevent_helper"),
    partial: "stopped",
    notBare: "not every kernel has it",
  },
  {
    name: "protect itself from the system running out of memory",
    run: { sh: "exec 2>/dev/null; echo -1000 > /proc/self/oom_score_adj && echo ESCAPED" },
    partial: "stopped",
    notBare: "root of a container may not do it either",
  },
  {
    name: "put characters into the input of a terminal",
    run: {
      python: `import pty, fcntl, termios
main, side = pty.openpty()
fcntl.ioctl(side, termios.TIOCSTI, b"x"); escaped()`,
    },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "mount a file system",
    run: {
      python: 'os.mkdir("m")\nif libc.mount(b"none", b"m", b"tmpfs", 0, None) == 0: libc.umount(b"m"); escaped()',
    },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "mount a directory from outside over the workspace",
    run: {
      python: 'os.mkdir("m")\nif libc.mount(OUT.encode(), b"m", None, 4096, None) == 0: libc.umount(b"m"); escaped()',
    },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "make everything writable again",
    run: { sh: "mount -o remount,rw / && echo ESCAPED" },
    partial: "stopped",
    notBare: "it would change this machine",
  },
  {
    name: "copy the tree of mounts",
    run: { python: 'if call(428, -100, b"/", 1) >= 0: escaped()' },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "open a new file system",
    run: { python: 'if call(430, b"tmpfs", 0) >= 0: escaped()' },
    partial: "stopped",
    needsRoot: true,
  },
  { name: "become root of a namespace", run: { sh: "unshare -r true && echo ESCAPED" }, partial: "stopped" },
  {
    name: "mount in a namespace of its own",
    run: { sh: "unshare -rm mount -t tmpfs none /mnt && echo ESCAPED" },
    partial: "stopped",
  },
  {
    name: "start a process in a new namespace",
    run: {
      python: `if X64:\n  pid = call(56, ${NEWUSER | SIGCHLD}, 0, 0, 0, 0)\n  if pid == 0: os._exit(0)\n  if pid > 0: escaped()`,
    },
    partial: "stopped",
  },
  {
    name: "start a process in a new namespace with flags in memory",
    run: {
      python: `args = (ctypes.c_ulong * 11)(${NEWUSER}, 0, 0, 0, ${SIGCHLD})
pid = call(435, ctypes.addressof(args), 88)
if pid == 0: os._exit(0)
if pid > 0: escaped()`,
    },
    partial: "stopped",
  },
  {
    name: "change the root directory",
    run: { python: 'os.mkdir("r"); os.chroot("r"); escaped()' },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "make system calls by their 32-bit numbers",
    run: {
      python: `if X64:
  import mmap
  memory = mmap.mmap(-1, 4096, prot=7); memory.write(bytes.fromhex("b814000000cd80c3"))
  getpid = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
  if getpid() > 0: escaped()`,
    },
    partial: "stopped",
    notBare: "not every kernel has them",
  },
  {
    name: "load a program into the kernel",
    run: {
      python:
        "attributes = (ctypes.c_uint * 32)(2, 4, 4, 1)\nif call(321 if X64 else 280, 0, ctypes.addressof(attributes), 72) >= 0: escaped()",
    },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "handle its own page faults",
    run: { python: "if call(323 if X64 else 282, 1) >= 0: escaped()" },
    partial: "stopped",
  },
  {
    name: "measure the whole machine",
    run: {
      python:
        "attributes = (ctypes.c_char * 128)(); struct.pack_into('IIQ', attributes, 0, 1, 128, 0)\nif call(298 if X64 else 241, ctypes.addressof(attributes), -1, 0, -1, 0) >= 0: escaped()",
    },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "use shared memory of another process",
    run: { python: "key = int(MARK[-6:], 16) | 1\nif libc.shmget(key, 0, 0) >= 0: escaped()" },
    before: `/usr/bin/python3 -c 'import ctypes,os; ctypes.CDLL(None).shmget(int(os.environ["MARK"][-6:], 16) | 1, 64, 0o1666)'`,
    after: `ipcrm -M "$(printf '0x%x' "$(( 0x$(printf %s "$MARK" | tail -c 6) | 1 ))")"`,
    partial: "stopped",
  },
  {
    name: "use a message queue of another process",
    run: { python: "key = int(MARK[-6:], 16) | 1\nif libc.msgget(key, 0) >= 0: escaped()" },
    before: `/usr/bin/python3 -c 'import ctypes,os; ctypes.CDLL(None).msgget(int(os.environ["MARK"][-6:], 16) | 1, 0o1666)'`,
    after: `ipcrm -Q "$(printf '0x%x' "$(( 0x$(printf %s "$MARK" | tail -c 6) | 1 ))")"`,
    partial: "stopped",
  },
  {
    name: "rename the machine",
    run: { python: "socket.sethostname(socket.gethostname()); escaped()" },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "set the clock",
    run: { python: "time.clock_settime(time.CLOCK_REALTIME, time.time()); escaped()" },
    partial: "stopped",
    notBare: "it would change this machine",
  },
  {
    name: "load a module",
    run: { python: 'if call(175 if X64 else 105, b"", 0, b"") == 0 or ctypes.get_errno() not in (1, 38): escaped()' },
    partial: "stopped",
    notBare: "not every kernel loads modules",
  },
  {
    name: "read the log of the kernel",
    run: {
      python:
        "buffer = ctypes.create_string_buffer(64)\nif call(103 if X64 else 116, 3, ctypes.addressof(buffer), 64) >= 0: escaped()",
    },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "regain rights by a program that gives them",
    run: { sh: 'grep -q "^CapEff:.*[1-9a-f]" /proc/self/status && echo ESCAPED' },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "make a group of its own that limits the machine",
    run: { sh: 'mkdir "/sys/fs/cgroup/$MARK" && echo ESCAPED' },
    after: 'rmdir "/sys/fs/cgroup/$MARK" 2>/dev/null || true',
    partial: "stopped",
    notBare: "not every system has control groups there",
  },
];
