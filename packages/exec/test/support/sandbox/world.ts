import { rmSync } from "node:fs";
import { join } from "node:path";

/** Listens on everything, and answers each line on stdin with what has been contacted since the last one. */
const WORLD = `
import os, select, socket, sys
directory, abstract = sys.argv[1:3]
def listening(family, address):
    s = socket.socket(family); s.bind(address); s.listen(64); return s
tcp = listening(socket.AF_INET, ("127.0.0.1", 0)); port = tcp.getsockname()[1]
sources = {tcp: "tcp"}
try: sources[listening(socket.AF_INET6, ("::1", port))] = "tcp6"
except OSError: pass
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(("127.0.0.1", 0)); sources[udp] = "udp"
sources[listening(socket.AF_UNIX, directory + "/socket")] = "unix"
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); datagrams.bind(directory + "/datagrams"); sources[datagrams] = "unix datagram"
sources[listening(socket.AF_UNIX, "\\0" + abstract)] = "abstract"
os.mkfifo(directory + "/fifo"); fifo = os.open(directory + "/fifo", os.O_RDWR | os.O_NONBLOCK); sources[fifo] = "fifo"
terminal, side = os.openpty(); sources[terminal] = "terminal"
print(os.ttyname(side), port, udp.getsockname()[1], flush=True)
for line in sys.stdin:
    touched = []
    while ready := select.select(list(sources), [], [], 0)[0]:
        for source in ready:
            touched.append(sources[source])
            if source in (fifo, terminal): os.read(source, 65536)
            elif source in (udp, datagrams): source.recv(65536)
            else: source.accept()[0].close()
    print(",".join(touched), flush=True)
`;

/** Everything outside the sandbox that accepts connections: sockets of all kinds, a named pipe. */
export class World {
  readonly env: Readonly<Record<string, string>>;
  readonly #process: Bun.Subprocess<"pipe", "pipe", "inherit">;
  readonly #lines: AsyncIterator<string>;
  readonly #directory: string;

  private constructor(
    process: Bun.Subprocess<"pipe", "pipe", "inherit">,
    lines: AsyncIterator<string>,
    parts: { directory: string; env: Record<string, string> },
  ) {
    this.#process = process;
    this.#lines = lines;
    this.#directory = parts.directory;
    this.env = parts.env;
  }

  /** The caller creates the directory; it then belongs to the world. */
  static async open(directory: string): Promise<World> {
    const abstract = `pintle-escape-${crypto.randomUUID()}`;
    const child = Bun.spawn(["/usr/bin/python3", "-c", WORLD, directory, abstract], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = readLines(child.stdout)[Symbol.asyncIterator]();
    const [terminal, tcp, udp] = ((await lines.next()).value as string).split(" ");
    const env = {
      TERMINAL: terminal!,
      TCP: tcp!,
      UDP: udp!,
      SOCKET: join(directory, "socket"),
      DATAGRAMS: join(directory, "datagrams"),
      FIFO: join(directory, "fifo"),
      ABSTRACT: abstract,
    };
    return new World(child, lines, { directory, env });
  }

  /** Returns what was contacted since the last call. */
  async touched(): Promise<string[]> {
    this.#process.stdin.write("\n");
    await this.#process.stdin.flush();
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the world outside has ended");
    return value === "" ? [] : value.split(",");
  }

  async close(): Promise<void> {
    await this.#process.stdin.end();
    await this.#process.exited;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
