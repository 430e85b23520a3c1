import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type LoopbackServer,
  type Respond,
  sendEvents,
  startLoopbackServer,
} from "../../../../ai/test/support/loopback-server.ts";
import { type Machine, machine } from "./stored-sessions.ts";

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const DONE = "data: [DONE]\n\n";

/** The whole answer at once. */
export const says = (text: string): Respond => sendEvents(chunk({ content: text }, "stop") + DONE);

export interface ScriptedCall {
  name: string;
  args?: object;
  id?: string;
}

/** An answer that consists of tool calls. */
export function callsTools(...calls: ScriptedCall[]): Respond {
  const tool_calls = calls.map(({ name, args = {}, id }, index) => ({
    index,
    id: id ?? `call_${index + 1}`,
    function: { name, arguments: JSON.stringify(args) },
  }));
  return sendEvents(chunk({ tool_calls }, "tool_calls") + DONE);
}

/** An answer whose pieces the test sends. */
export interface HeldAnswer {
  respond: Respond;
  /** Resolves when the model has been called. */
  asked: Promise<void>;
  write(text: string): void;
  think(text: string): void;
  /** Resolves when the socket accepts more data. */
  drained(): Promise<void>;
  /** The number of bytes written to the socket. */
  taken(): number;
  finish(): void;
  /** Resolves when the client has disconnected. */
  left: Promise<void>;
}

export function heldAnswer(): HeldAnswer {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  let response: Parameters<Respond>[0];
  return {
    respond(given) {
      response = given;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": open\n\n");
      response.on("close", left.resolve);
      asked.resolve();
    },
    asked: asked.promise,
    write: (text) => void response.write(chunk({ content: text })),
    think: (text) => void response.write(chunk({ reasoning_content: text })),
    drained: async () => {
      if (response.writableNeedDrain) await new Promise((resolve) => response.once("drain", resolve));
    },
    taken: () => (response.socket?.bytesWritten ?? 0) - response.writableLength,
    finish: () => void response.end(chunk({}, "stop") + DONE),
    left: left.promise,
  };
}

export interface ChatPlace extends AsyncDisposable {
  place: Machine;
  server: LoopbackServer;
}

/** Arguments that choose the model of `chatPlace`. */
export const CHAT = ["--model", "local/m"];

/** An environment with its own provider, whose models are `m`, and `thinker`, which can think. */
export async function chatPlace(...answers: Respond[]): Promise<ChatPlace> {
  const place = machine();
  const server = await startLoopbackServer(...answers);
  const home = place.env.PINTLE_HOME as string;
  mkdirSync(home, { recursive: true });
  const models = [{ id: "m" }, { id: "thinker", reasoning: true }];
  const providers = { local: { baseUrl: server.url, api: "openai-completions", auth: "none", models } };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers }));
  return {
    place,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}
