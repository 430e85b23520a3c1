import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface ReceivedRequest {
  path: string;
  headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of several vendors; tests pick what they assert
  body: any;
}

/** Answers one request. Raw access: a test writes the vendor's bytes itself, including faults. */
export type Respond = (response: ServerResponse, request: ReceivedRequest, socket: Socket) => void | Promise<void>;

export interface LoopbackServer extends AsyncDisposable {
  url: string;
  requests: ReceivedRequest[];
  /** Answers for the next requests, in order; the last one repeats. */
  respond(...answers: Respond[]): void;
  /** Connections that are currently open. */
  openSockets(): number;
}

/** A real HTTP server on loopback in place of a vendor. */
export async function startLoopbackServer(...answers: Respond[]): Promise<LoopbackServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let script = answers;
  let used = 0;
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const received = {
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
    requests.push(received);
    const answer = script[Math.min(used, script.length - 1)];
    used += 1;
    if (!answer) return void response.writeHead(500).end("no answer scripted");
    await answer(response, received, request.socket);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {}); // resets are part of the tests
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    respond(...next) {
      script = next;
      used = 0;
    },
    openSockets: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8" };

/** Sends the text as an event stream, cut into chunks of the given size, and ends the body. */
export function sendEvents(text: string, { chunkBytes }: { chunkBytes?: number } = {}): Respond {
  return async (response) => {
    response.writeHead(200, EVENT_STREAM);
    const bytes = Buffer.from(text, "utf8");
    const size = chunkBytes ?? (bytes.length || 1);
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size));
      if (chunkBytes) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

/** Sends the text, then leaves the connection open. */
export function sendEventsAndHang(text: string): Respond {
  return (response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(text || ": hello\n\n");
  };
}

/** Sends the text, then cuts the connection without ending the body. */
export function sendEventsAndReset(text: string): Respond {
  return (response, _request, socket) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(text);
    setTimeout(() => socket.resetAndDestroy(), 20);
  };
}

export function sendStatus(
  status: number,
  body: string,
  headers: Record<string, string> = { "content-type": "application/json" },
): Respond {
  return (response) => void response.writeHead(status, headers).end(body);
}
