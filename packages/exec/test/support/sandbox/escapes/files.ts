import { type Attempt, LANDLOCK_METADATA, LANDLOCK_READS } from "./attempt.ts";

/** Every call that gives a file a mode. */
const GROUP_MODES = [
  ["fchmod", 'os.fchmod(os.open("group", os.O_RDWR), 0o2755)'],
  ["fchmodat", 'os.chmod("group", 0o2755, dir_fd=os.open(".", os.O_RDONLY))'],
  ["fchmodat2", 'assert call(452, -100, b"group", 0o2755, 0) == 0'],
  ["open", 'os.open("other", os.O_CREAT | os.O_WRONLY, 0o2755)'],
  ["an unnamed file", 'os.open(".", os.O_TMPFILE | os.O_RDWR, 0o2755)'],
  ["mknod", 'os.mknod("other", 0o102755)'],
] as const;

/** Attempts to change something outside the writable places. */
export const FILES: readonly Attempt[] = [
  { name: "write a file outside", run: { sh: 'echo x > "$OUT/victim"' }, partial: "stopped" },
  { name: "append to a file outside", run: { sh: 'echo x >> "$OUT/victim"' }, partial: "stopped" },
  { name: "make a file outside", run: { sh: 'echo x > "$OUT/new"' }, partial: "stopped" },
  { name: "write outside through ..", run: { sh: 'echo x > "$WS/../outside/victim"' }, partial: "stopped" },
  { name: "write through a link to a file", run: { sh: 'ln -s "$OUT/victim" l; echo x > l' }, partial: "stopped" },
  { name: "write through a link to a directory", run: { sh: 'ln -s "$OUT" d; echo x > d/victim' }, partial: "stopped" },
  {
    name: "write through a chain of links",
    run: { sh: "ln -s ../outside one; ln -s one two; ln -s two/victim three; echo x > three" },
    partial: "stopped",
  },
  { name: "write through a hard link", run: { sh: 'ln "$OUT/victim" h && echo x > h' }, partial: "stopped" },
  { name: "move a file from outside inside", run: { sh: 'mv "$OUT/victim" .' }, partial: "stopped" },
  { name: "move a file over one outside", run: { sh: 'echo x > f; mv -f f "$OUT/victim"' }, partial: "stopped" },
  {
    name: "exchange a file with one outside",
    run: {
      python: `open("f", "w").close()
if libc.renameat2(-100, b"f", -100, os.environb[b"OUT"] + b"/victim", 2) == 0: escaped()`,
    },
    partial: "stopped",
  },
  { name: "delete a file outside", run: { sh: 'rm -f "$OUT/victim"' }, partial: "stopped" },
  { name: "empty a file outside", run: { sh: 'truncate -s 0 "$OUT/victim"' }, partial: "stopped" },
  { name: "make a directory outside", run: { sh: 'mkdir "$OUT/dir"' }, partial: "stopped" },
  { name: "remove a directory outside", run: { sh: 'rmdir "$OUT/empty"' }, partial: "stopped" },
  { name: "make a link outside", run: { sh: 'ln -s /etc/passwd "$OUT/link"' }, partial: "stopped" },
  { name: "make a named pipe outside", run: { sh: 'mkfifo "$OUT/pipe"' }, partial: "stopped" },
  {
    name: "change the mode of a file outside",
    run: { sh: 'chmod 777 "$OUT/victim"' },
    partial: { passes: LANDLOCK_METADATA },
  },
  {
    name: "change the times of a file outside",
    run: { sh: 'touch -d 2001-01-01 "$OUT/victim"' },
    partial: { passes: LANDLOCK_METADATA },
  },
  {
    name: "set an attribute of a file outside",
    run: { python: 'os.setxattr(OUT + "/victim", "user.x", b"y"); escaped()' },
    partial: { passes: LANDLOCK_METADATA },
  },
  { name: "write through /proc/self/root", run: { sh: 'echo x > "/proc/self/root$OUT/victim"' }, partial: "stopped" },
  {
    name: "write through /proc/self/cwd",
    run: { sh: "echo x > /proc/self/cwd/../outside/victim" },
    partial: "stopped",
  },
  {
    name: "write through the root of process 1",
    run: { sh: 'echo x > "/proc/1/root$OUT/victim"' },
    partial: "stopped",
    notBare: "it depends on the rights that process 1 has",
  },
  {
    name: "write through the directory of a process outside",
    run: { sh: 'echo x > "/proc/$VICTIM/cwd/victim"' },
    partial: "stopped",
  },
  {
    name: "open a file again through its descriptor, for writing",
    run: { python: `fd = os.open(OUT + "/victim", os.O_RDONLY); open(f"/proc/self/fd/{fd}", "w").write("x")` },
    partial: "stopped",
  },
  {
    name: "give an unnamed file a name outside",
    run: {
      python: `fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, (OUT + "/new").encode(), 0x400)`,
    },
    partial: "stopped",
  },
  {
    name: "open a file by its handle, past every path",
    run: {
      python: `handle = (ctypes.c_char * 136)(); struct.pack_into("I", handle, 0, 128); mount = ctypes.c_int()
if libc.name_to_handle_at(-100, os.environb[b"OUT"] + b"/victim", handle, ctypes.byref(mount), 0) == 0:
  fd = call(304 if X64 else 265, os.open("/", os.O_RDONLY), ctypes.addressof(handle), os.O_WRONLY)
  if fd >= 0: escaped()`,
    },
    partial: "stopped",
    needsRoot: true,
  },
  { name: "write into a named pipe outside", run: { sh: 'echo x > "$FIFO"' }, partial: "stopped" },
  {
    name: "write to the user's terminal",
    run: { sh: 'test -e "$TERMINAL" && echo x > "$TERMINAL"' },
    partial: "stopped",
  },
  {
    name: "listen on a unix socket outside",
    run: { python: 'socket.socket(socket.AF_UNIX).bind(OUT + "/socket")' },
    partial: "stopped",
  },
  {
    name: "make a file for a disk",
    run: { sh: "mknod disk b 8 0 && echo ESCAPED" },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "make a file for a character device",
    run: { sh: "mknod memory c 1 1 && echo ESCAPED" },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "open a disk for writing",
    run: { python: 'os.open("/dev/" + sorted(os.listdir("/sys/block"))[-1], os.O_RDWR); escaped()' },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "open a disk for reading",
    run: { python: 'os.open("/dev/" + sorted(os.listdir("/sys/block"))[-1], os.O_RDONLY); escaped()' },
    partial: { passes: LANDLOCK_READS },
    needsRoot: true,
  },
  {
    name: "write to the log of the kernel",
    run: { sh: "exec 2>/dev/null; (exec 9>/dev/kmsg) && echo ESCAPED" },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "write into shared memory of other programs",
    before: 'echo original > "/dev/shm/$MARK"',
    run: { sh: 'test -e "/dev/shm/$MARK" && echo x > "/dev/shm/$MARK" && echo ESCAPED' },
    after: 'rm -f "/dev/shm/$MARK"',
    partial: "stopped",
  },
  {
    name: "put a program first on the user's PATH",
    run: { sh: 'printf "#!/bin/sh\\n" > "$HOME/bin/ls"' },
    partial: "stopped",
  },
  {
    name: "have the loader load a library into every program",
    run: { sh: "(: >> /etc/ld.so.preload) 2>/dev/null && echo ESCAPED" },
    partial: "stopped",
    notBare: "it would change this machine",
  },
  {
    name: "have the loader write outside, by a variable of the command",
    run: { sh: "/bin/true" },
    env: { LD_DEBUG: "files", LD_DEBUG_OUTPUT: "$OUT/trace" },
    partial: "stopped",
  },
  {
    name: "have a shell read a file first, by a variable of the command",
    before: 'echo "echo x > \\"$OUT/victim\\"" > "$WS/start.sh"',
    run: { sh: ":" },
    // Not every shell passes on a variable with the second name, so another name is used.
    env: { BASH_ENV: "$WS/start.sh", "odd.name": "1" },
    partial: "stopped",
  },
  {
    name: "leave a program that acts with its owner's rights",
    run: { sh: "cp /bin/true owner; chmod u+s owner && echo ESCAPED" },
    partial: "stopped",
  },
  {
    name: "leave a program that acts with its group's rights",
    run: { sh: "cp /bin/true group; chmod g+s group && echo ESCAPED" },
    partial: "stopped",
  },
  ...GROUP_MODES.map(
    ([name, python]): Attempt => ({
      name: `make a program that acts with its group's rights, by ${name}`,
      run: { python: `os.umask(0); open("group", "w").close(); ${python}; escaped()` },
      partial: "stopped",
    }),
  ),
  {
    name: "make a program that acts with its owner's rights",
    run: { python: 'os.umask(0); os.open("owner", os.O_CREAT | os.O_WRONLY, 0o4755); escaped()' },
    partial: "stopped",
  },
  {
    name: "run a program from memory that writes outside",
    run: {
      python: `fd = os.memfd_create("sh"); os.write(fd, open("/bin/sh", "rb").read())
os.execve(fd, ["sh", "-c", 'echo x > "$OUT/victim"'], os.environ)`,
    },
    partial: "stopped",
  },
];
