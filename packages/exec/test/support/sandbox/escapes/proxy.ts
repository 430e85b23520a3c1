import type { Attempt } from "./attempt.ts";

/** Sends bytes to the command's proxy and reads its response to the end. */
const ASK = `
def ask(data):
    s = socket.create_connection(("127.0.0.1", 48128), 5); s.settimeout(5); s.sendall(data)
    answer = b""
    try:
        while piece := s.recv(65536): answer += piece
    except OSError: pass
    return answer
def connect(host): ask(f"CONNECT {host}:{TCP} HTTP/1.1\\r\\n\\r\\nx".encode())
def socks(kind, address): ask(b"\\5\\1\\0\\5\\1\\0" + bytes([kind]) + address + struct.pack(">H", TCP) + b"x")
`;

const attempt = (name: string, script: string): Attempt => ({
  name,
  run: { python: ASK + script },
  partial: "stopped",
});

/** Attempts to reach an unlisted server, with hosts in `sandbox.network`. */
export const PROXY: readonly Attempt[] = [
  ...[
    "127.0.0.1",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:0:0:1]",
    "127.1",
    "0",
    "0.0.0.0",
    "[::]",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "[::1%lo]",
    "allowed.example@127.0.0.1",
    "127.0.0.1#allowed.example",
    "allowed.example,127.0.0.1",
    "127.0.0.1\\\\0.allowed.example",
  ].map((host) => attempt(`tunnel to ${host}`, `connect("${host}")`)),
  attempt(
    "request an address",
    'ask(f"GET http://127.0.0.1:{TCP}/ HTTP/1.1\\r\\nHost: allowed.example\\r\\n\\r\\n".encode())',
  ),
  attempt(
    "request a path with a listed name",
    'ask(f"GET http://127.0.0.1:{TCP}/allowed.example HTTP/1.1\\r\\n\\r\\n".encode())',
  ),
  attempt(
    "name a server in the host header alone",
    'ask(f"GET / HTTP/1.1\\r\\nHost: 127.0.0.1:{TCP}\\r\\n\\r\\n".encode())',
  ),
  attempt("connect to an address by SOCKS5", 'socks(1, b"\\x7f\\0\\0\\1")'),
  attempt("connect to an IPv6 address by SOCKS5", 'socks(4, b"\\0" * 15 + b"\\1")'),
  attempt("connect to a name by SOCKS5", 'socks(3, b"\\x09localhost")'),
  attempt("connect to a name that ends early by SOCKS5", 'socks(3, b"\\x1a127.0.0.1\\0.allowed.example")'),
  attempt("connect by SOCKS4", 'ask(b"\\4\\1" + struct.pack(">H", TCP) + b"\\x7f\\0\\0\\1\\0x")'),
  attempt(
    "connect after a refused request on the same connection",
    'ask(f"CONNECT other.example:443 HTTP/1.1\\r\\n\\r\\nCONNECT 127.0.0.1:{TCP} HTTP/1.1\\r\\n\\r\\n".encode())',
  ),
  attempt(
    "use the socket through which the listener was handed out",
    `import stat
for fd in range(3, 256):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode): escaped()
    except OSError: pass`,
  ),
  attempt(
    "route the command's own network",
    `s = socket.socket(16, socket.SOCK_RAW, 0)
route = struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 254, 4, 0, 1, 0) + struct.pack("=HHI", 8, 4, 1)
s.send(struct.pack("=IHHII", 16 + len(route), 24, 0x605, 1, 0) + route)
if struct.unpack("=i", s.recv(4096)[16:20])[0] == 0: escaped()`,
  ),
];
