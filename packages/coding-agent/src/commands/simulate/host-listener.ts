import { rmSync } from "node:fs";
import type { GatewayConnection } from "@pintle/simulator";
import { JsonlReader } from "@pintle/wire";
import type { ServerWebSocket, Socket } from "bun";
import { UsageError } from "../../cli/usage-error.ts";

export interface HostListener {
  opened(connection: GatewayConnection): void;
  line(connection: GatewayConnection, text: string): void;
  /** Called once per connection, even if it was dropped. */
  closed(connection: GatewayConnection): void;
}

interface Listening {
  address: string;
  stop(): void;
}

interface SocketHost {
  connection: LineConnection;
  reader: JsonlReader;
}

const MAX_FRAME_BYTES = 256 * 1024 * 1024;
/** A fixed token, so that tests can contain it. It protects nothing, because there is no real agent behind it. */
const TOKEN = "simulated";
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\]):(\d+)$/;

export async function listenOnSocket(path: string, listener: HostListener): Promise<Listening> {
  const server = Bun.listen<SocketHost>({
    unix: path,
    socket: {
      open(socket) {
        const connection = new LineConnection(socket);
        const reader = new JsonlReader(
          { onLine: (line) => listener.line(connection, line), onOverlongLine: () => listener.line(connection, "") },
          MAX_FRAME_BYTES,
        );
        socket.data = { connection, reader };
        listener.opened(connection);
      },
      data: (socket, bytes) => socket.data.reader.push(bytes),
      drain: (socket) => socket.data.connection.drain(),
      close: (socket) => listener.closed(socket.data.connection),
    },
  });
  return {
    address: path,
    stop() {
      server.stop(true);
      rmSync(path, { force: true });
    },
  };
}

/** A connection that sends lines and buffers what the socket does not accept yet. */
class LineConnection implements GatewayConnection {
  readonly #socket: Socket<SocketHost>;
  #waiting: Uint8Array[] = [];

  constructor(socket: Socket<SocketHost>) {
    this.#socket = socket;
  }

  send(text: string): void {
    this.sendRaw(`${text}\n`);
  }

  sendRaw(text: string): void {
    this.#waiting.push(new TextEncoder().encode(text));
    this.drain();
  }

  cut(): void {
    this.#waiting = [];
    this.#socket.terminate();
  }

  drain(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const taken = this.#socket.write(next);
      if (taken < next.length) {
        this.#waiting[0] = next.subarray(Math.max(0, taken));
        return;
      }
      this.#waiting.shift();
    }
  }
}

export function listenOnWeb(place: string, listener: HostListener): Listening {
  const [, hostname, port] = LOOPBACK.exec(place) ?? [];
  if (hostname === undefined) throw new UsageError("--listen takes HOST:PORT of this machine, such as 127.0.0.1:0");
  const hosts = new Map<ServerWebSocket<undefined>, GatewayConnection>();
  const server = Bun.serve<undefined>({
    hostname: hostname.replace(/[[\]]/g, ""),
    port: Number(port),
    fetch(request, server) {
      const offered = request.headers.get("sec-websocket-protocol")?.split(/,\s*/) ?? [];
      const isKnown =
        request.headers.get("authorization") === `Bearer ${TOKEN}` || offered.includes(`pintle.token.${TOKEN}`);
      if (!isKnown) return new Response("The token is missing or wrong\n", { status: 401 });
      const headers = new Headers(offered.includes("pintle") ? [["sec-websocket-protocol", "pintle"]] : []);
      if (server.upgrade(request, { data: undefined, headers })) return undefined;
      return new Response("A WebSocket is expected at /ws\n", { status: 426 });
    },
    websocket: {
      maxPayloadLength: MAX_FRAME_BYTES,
      backpressureLimit: MAX_FRAME_BYTES,
      open(socket) {
        const connection = webConnection(socket);
        hosts.set(socket, connection);
        listener.opened(connection);
      },
      message(socket, text) {
        const connection = hosts.get(socket);
        if (connection) listener.line(connection, String(text));
      },
      close(socket) {
        const connection = hosts.get(socket);
        hosts.delete(socket);
        if (connection) listener.closed(connection);
      },
    },
  });
  return {
    address: `http://${hostname}:${server.port}/#${TOKEN}`,
    stop: () => void server.stop(true), // nothing waits for it to end
  };
}

/** A connection that sends each frame as one message, once all pieces of its line have arrived. */
function webConnection(socket: ServerWebSocket<undefined>): GatewayConnection {
  let rest = "";
  return {
    send: (text) => void socket.send(text),
    sendRaw(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) socket.send(line);
    },
    cut: () => socket.terminate(),
  };
}
