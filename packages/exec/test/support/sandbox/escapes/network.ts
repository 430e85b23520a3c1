import type { Attempt } from "./attempt.ts";

/** Attempts to reach the network with `sandbox.network` off. A server outside reports when it was reached. */
export const NETWORK: readonly Attempt[] = [
  {
    name: "connect by TCP",
    run: { python: 'socket.create_connection(("127.0.0.1", TCP)).sendall(b"x")' },
    partial: "stopped",
  },
  {
    name: "connect by TCP over IPv6",
    run: { python: 'socket.create_connection(("::1", TCP)).sendall(b"x")' },
    partial: "stopped",
  },
  { name: "connect by TCP from the shell", run: { sh: 'echo x > "/dev/tcp/127.0.0.1/$TCP"' }, partial: "stopped" },
  {
    name: "connect by TCP with the first data",
    run: { python: 's = socket.socket(); s.sendto(b"x", 0x20000000, ("127.0.0.1", TCP))' },
    partial: "stopped",
    notBare: "not every kernel sends data before a connection is made",
  },
  {
    name: "send by UDP",
    run: { python: 'socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", UDP))' },
    partial: "stopped",
  },
  {
    name: "ask a name server",
    run: {
      python: `query = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\6secret\\7example\\0\\0\\1\\0\\1"
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(query, ("127.0.0.1", UDP))`,
    },
    partial: "stopped",
  },
  {
    name: "connect to a unix socket",
    run: { python: "socket.socket(socket.AF_UNIX).connect(SOCKET)" },
    partial: "stopped",
  },
  {
    name: "send to a unix socket",
    run: { python: 'socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", DATAGRAMS)' },
    partial: "stopped",
  },
  {
    name: "send to a unix socket from one of a pair",
    run: { python: 'socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", DATAGRAMS)' },
    partial: "stopped",
  },
  {
    name: "connect to a unix socket through a link in the workspace",
    run: { python: 'os.symlink(SOCKET, "link"); socket.socket(socket.AF_UNIX).connect("link")' },
    partial: "stopped",
  },
  {
    name: "connect to an abstract socket",
    run: { python: 'socket.socket(socket.AF_UNIX).connect("\\0" + ABSTRACT)' },
    partial: "stopped",
  },
  {
    name: "open a ring for input and output, which makes sockets without system calls",
    run: { python: "params = (ctypes.c_char * 120)()\nif call(425, 4, ctypes.addressof(params)) >= 0: escaped()" },
    partial: "stopped",
  },
  {
    name: "open a raw socket",
    run: { python: "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); escaped()" },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "open a packet socket",
    run: { python: "socket.socket(17, socket.SOCK_RAW, 0); escaped()" },
    partial: "stopped",
    needsRoot: true,
  },
  {
    name: "open a socket to the machine around this one",
    run: { python: "socket.socket(40, socket.SOCK_STREAM); escaped()" },
    partial: "stopped",
    notBare: "not every kernel has such sockets",
  },
  {
    name: "open a socket of the kernel's ciphers",
    run: { python: "socket.socket(38, socket.SOCK_SEQPACKET); escaped()" },
    partial: "stopped",
    notBare: "not every kernel has such sockets",
  },
  {
    name: "enter the network of a process outside",
    run: { sh: 'nsenter -t "$VICTIM" -n true && echo ESCAPED' },
    partial: "stopped",
    needsRoot: true,
  },
];
