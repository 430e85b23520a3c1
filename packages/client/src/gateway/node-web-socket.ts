import { createHash, randomBytes } from "node:crypto";
import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { RpcClosedError } from "../core/errors.ts";
import { type Connect, type GatewayTransport, RpcRefusedError } from "../core/gateway/gateway-transport.ts";
import { roomIn } from "./stream-transport.ts";
import { encodeFrame, FrameDecoder, OPCODE } from "./web-socket-frames.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const PROTOCOL = "pintle";
const NORMAL_END = 1000;
const LINGER_MS = 1000;

/** A WebSocket by hand: Node has one from version 22 on only, and none that says why it was refused. */
export function nodeWebSocket({ url, token }: { url: string; token?: string }): Connect {
  return async (signal) => {
    const { socket, head } = await upgrade(url, token, signal);
    return transportOf(socket, head);
  };
}

function upgrade(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<{ socket: Duplex; head: Buffer }> {
  const key = randomBytes(16).toString("base64");
  const address = new URL(url.replace(/^ws/, "http"));
  const options: RequestOptions = {
    signal,
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
    request.on("error", reject);
    // Does not reject: what cannot be read of the answer is left out of the reason.
    request.on("response", (response) => void refusal(response).then(reject));
    request.on("upgrade", (response, socket, head) => {
      const accepted = createHash("sha1").update(`${key}${GUID}`).digest("base64");
      if (response.headers["sec-websocket-accept"] === accepted) return resolve({ socket, head });
      socket.destroy();
      reject(new RpcClosedError("What answers there is no WebSocket"));
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
    `The server has refused the connection (${status}): ${text.trim().slice(0, SHOWN_BYTES)}`,
  );
}

function transportOf(socket: Duplex, head: Buffer): GatewayTransport {
  const decoder = new FrameDecoder();
  const parts: Buffer[] = [];
  let reason: Error | undefined;
  let onText: (bytes: Uint8Array) => void = () => {};
  const send = (opcode: number, payload: Buffer) => socket.writable && socket.write(encodeFrame(opcode, payload));
  const end = (payload = closing(NORMAL_END)) => {
    send(OPCODE.close, payload);
    socket.end();
  };
  const take = (chunk: Buffer) => {
    try {
      for (const { opcode, isLast, payload } of decoder.push(chunk)) {
        if (opcode === OPCODE.ping) send(OPCODE.pong, payload);
        else if (opcode === OPCODE.close) {
          reason ??= new RpcClosedError(`The connection has ended${told(payload)}`);
          end(payload.subarray(0, 2));
        } else if (opcode <= OPCODE.binary) {
          parts.push(payload);
          if (isLast) onText(Buffer.concat([...parts.splice(0), Buffer.from("\n")]));
        }
      }
    } catch (error) {
      reason ??= new RpcClosedError(`The connection was ended: ${error}`, { cause: error });
      socket.destroy();
    }
  };
  socket.on("error", (error) => {
    reason ??= new RpcClosedError(`The connection has ended: ${error.message}`, { cause: error });
  });
  return {
    write(text) {
      // A message is a frame.
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
      socket.on("close", () => listener(reason ?? new RpcClosedError("The connection has ended")));
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

function told(payload: Buffer): string {
  if (payload.length < 2) return "";
  const reason = payload.subarray(2).toString();
  return `${reason === "" ? "" : `: ${reason}`} (code ${payload.readUInt16BE(0)})`;
}
