import { afterEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { nodeWebSocket } from "../../src/gateway/node-web-socket.ts";
import { MessageParts } from "../../src/gateway/web-socket-frames.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const PING = 0x89;
const PONG = Buffer.from([0x8a, 0]);

let server: Server | undefined;
afterEach(() => server?.close());

/** Accepts every WebSocket and passes its data to `onData`. */
async function accepting(onData: (socket: Socket, data: Buffer) => void): Promise<string> {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (head) => {
      const key = /sec-websocket-key: (.*)\r/i.exec(head.toString())?.[1] ?? "";
      const accept = createHash("sha1")
        .update(key + GUID)
        .digest("base64");
      const lines = ["HTTP/1.1 101 x", "connection: Upgrade", "upgrade: websocket", `sec-websocket-accept: ${accept}`];
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
      socket.on("data", (data) => onData(socket, Buffer.from(data)));
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  return `ws://127.0.0.1:${(listening.address() as AddressInfo).port}/ws`;
}

test("considers a server that does not answer a ping lost", async () => {
  const url = await accepting(() => {});
  const transport = await nodeWebSocket({ url, pingMs: 20 })(new AbortController().signal);
  const reason = await new Promise<Error | undefined>((resolve) => {
    transport.onClose(resolve);
    transport.onData(() => {});
  });
  expect(reason?.message).toBe("The connection was closed: the server sent nothing, not even a reply to a ping");
});

test("keeps a server that answers pings", async () => {
  let pings = 0;
  let answered: () => void = () => {};
  const enough = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const url = await accepting((socket, data) => {
    if (data[0] !== PING) return;
    socket.write(PONG);
    pings += 1;
    if (pings === 3) answered();
  });
  const transport = await nodeWebSocket({ url, pingMs: 200 })(new AbortController().signal);
  let isClosed = false;
  transport.onClose(() => {
    isClosed = true;
  });
  transport.onData(() => {});
  await enough;
  expect(isClosed).toBe(false);
  transport.close();
});

test("rejects frames that are too long together, even if no single one is", () => {
  const parts = new MessageParts(10);
  const frame = (length: number, isLast: boolean) => ({ opcode: 1, isLast, payload: Buffer.alloc(length, "x") });
  expect(parts.add(frame(6, false))).toBeUndefined();
  expect(parts.add(frame(4, true))?.toString()).toBe("xxxxxxxxxx");
  expect(parts.add(frame(6, false))).toBeUndefined();
  expect(() => parts.add(frame(5, false))).toThrow("A message from the server is too long");
});
