import { createHash, randomBytes } from "node:crypto";
import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { RpcClosedError } from "../core/errors.ts";
import { type Connect, type GatewayTransport, RpcRefusedError } from "../core/gateway/gateway-transport.ts";
import { KeepAlive } from "./keep-alive.ts";
import { openTunnel, proxyFor } from "./proxy.ts";
import { roomIn } from "./stream-transport.ts";
import { encodeFrame, FrameDecoder, MessageParts, OPCODE } from "./web-socket-frames.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const PROTOCOL = "pintle";
const NORMAL_END = 1000;
const LINGER_MS = 1000;
const PING_MS = 30_000;

/**
 * Opens a WebSocket, through a proxy if the environment names one. Node's own WebSocket exists only since version 22, does not
 * report why a server rejected it, and sends no pings.
 */
export function nodeWebSocket({ url, token, pingMs = PING_MS }: NodeWebSocketOptions): Connect {
  return async (signal) => {
    const { socket, head } = await upgrade(url, token, signal);
    return transportOf(socket, head, pingMs);
  };
}

export interface NodeWebSocketOptions {
  url: string;
  token?: string;
  /** The ping interval. A server that sends nothing for twice this long is considered lost. */
  pingMs?: number;
}

async function upgrade(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<{ socket: Duplex; head: Buffer }> {
  const key = randomBytes(16).toString("base64");
  const address = new URL(url.replace(/^ws/, "http"));
  const proxy = proxyFor(address);
  const tunnel = proxy && (await openTunnel(proxy, address, signal));
  const options: RequestOptions = {
    signal,
    ...(tunnel && { createConnection: () => tunnel }),
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
      "sec-websocket-protocol": PROTOCOL,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  };
  return new Promise((resolve, reject) => {
    const request = (address.protocol === "https:" ? requestHttps : requestHttp)(address, options);
    request.on("error", (error) => {
      const reason = `Could not connect to ${address.host}: ${error.message}`;
      reject(signal.aborted ? error : new RpcClosedError(reason, { cause: error }));
    });
    // Does not reject: an unreadable response body is left out of the reason.
    request.on("response", (response) => void refusal(response).then(reject));
    request.on("upgrade", (response, socket, head) => {
      const accepted = createHash("sha1").update(`${key}${GUID}`).digest("base64");
      if (response.headers["sec-websocket-accept"] === accepted) return resolve({ socket, head });
      socket.destroy();
      reject(new RpcClosedError("The server did not complete the WebSocket handshake"));
    });
    request.end();
  });
}

const SHOWN_BYTES = 500;

async function refusal(response: IncomingMessage): Promise<Error> {
  let text = "";
  try {
    for await (const chunk of response) if (text.length < SHOWN_BYTES) text += chunk;
  } catch (error) {
    text += ` (${error})`;
  }
  const status = response.statusCode ?? 0;
  return new RpcRefusedError(
    status,
    `The server rejected the connection (${status}): ${text.trim().slice(0, SHOWN_BYTES)}`,
  );
}

function transportOf(socket: Duplex, head: Buffer, pingMs: number): GatewayTransport {
  const decoder = new FrameDecoder();
  const parts = new MessageParts();
  let reason: Error | undefined;
  let onText: (bytes: Uint8Array) => void = () => {};
  const send = (opcode: number, payload: Buffer) => socket.writable && socket.write(encodeFrame(opcode, payload));
  const end = (payload = closing(NORMAL_END)) => {
    send(OPCODE.close, payload);
    socket.end();
  };
  const keepAlive = new KeepAlive(
    {
      ping: () => send(OPCODE.ping, Buffer.alloc(0)),
      lost: () => {
        reason ??= new RpcClosedError("The connection was closed: the server sent nothing, not even a reply to a ping");
        socket.destroy();
      },
    },
    pingMs,
  );
  socket.on("close", () => keepAlive.stop());
  const take = (chunk: Buffer) => {
    keepAlive.received();
    try {
      for (const frame of decoder.push(chunk)) {
        const { opcode, payload } = frame;
        if (opcode === OPCODE.ping) send(OPCODE.pong, payload);
        else if (opcode === OPCODE.close) {
          reason ??= new RpcClosedError(`The connection was closed${statedReason(payload)}`);
          end(payload.subarray(0, 2));
        } else if (opcode <= OPCODE.binary) {
          const message = parts.add(frame);
          if (message) onText(Buffer.concat([message, Buffer.from("\n")]));
        }
      }
    } catch (error) {
      reason ??= new RpcClosedError(`The connection was closed: ${error}`, { cause: error });
      socket.destroy();
    }
  };
  socket.on("error", (error) => {
    reason ??= new RpcClosedError(`The connection was closed: ${error.message}`, { cause: error });
  });
  return {
    write(text) {
      // Each message carries one frame.
      const lines = text.split("\n").filter((line) => line !== "");
      const isRoom = lines.map((line) => send(OPCODE.text, Buffer.from(line))).every((room) => room);
      if (!isRoom && socket.writable) return roomIn(socket);
    },
    onData(listener) {
      onText = listener;
      take(head);
      socket.on("data", take);
    },
    onClose(listener) {
      socket.on("end", () => socket.end());
      socket.on("close", () => listener(reason ?? new RpcClosedError("The connection was closed")));
    },
    close() {
      end();
      // A server that does not answer must not keep this program alive.
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    },
  };
}

function closing(code: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return payload;
}

function statedReason(payload: Buffer): string {
  if (payload.length < 2) return "";
  const reason = payload.subarray(2).toString();
  return `${reason === "" ? "" : `: ${reason}`} (code ${payload.readUInt16BE(0)})`;
}
