import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoopbackServer, Respond } from "../../../../../ai/test/support/loopback-server.ts";
import type { Dialect } from "../../../../src/modes/rpc/dialects/dialect.ts";
import { CHAT, chatPlace, says } from "../chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../rpc-child.ts";
import type { Machine } from "../stored-sessions.ts";

export interface Situation {
  answers?: Respond[];
  settings?: object;
  args?: readonly string[];
  env?: Record<string, string>;
  dialect?: Dialect;
  /** Files below pintle's home, by path. */
  files?: Record<string, string>;
}

export interface ExtensionRun extends AsyncDisposable {
  rpc: RpcChild;
  server: LoopbackServer;
  place: Machine;
  /** Runs a command of an extension to its end. */
  command(message: string): Promise<void>;
  /** What `tell` sent under this key, once it has sent this many messages. */
  told(key: string, count?: number): Promise<Frame[]>;
  /** What `note` wrote, by key. It outlives the session and the connection. */
  notes(): [key: string, value: Frame][];
}

/** `tell` sends over the wire, in order with everything else; `note` writes a file. */
const PRELUDE = `
  import { appendFileSync, existsSync } from "node:fs";
  const json = (value) => JSON.stringify(value === undefined ? null : value);
  const tell = (ctx, key, value) => ctx.ui.setStatus(key, json(value));
  const note = (key, value) => appendFileSync(process.env.NOTES, json([key, value]) + "\\n");
`;

/** Returns an extension whose factory has this body. */
export const extension = (body: string) => `${PRELUDE}\nexport default async (pi) => {${body}\n};\n`;

/** Starts the built program in RPC mode, with a model server and these user extensions, by file name. */
export async function withExtensions(
  bodies: string | Record<string, string>,
  { answers = [says("fine")], settings = {}, args = [], env = {}, dialect = "seed", files = {} }: Situation = {},
): Promise<ExtensionRun> {
  const chat = await chatPlace(...answers);
  const { place, server } = chat;
  const home = place.env.PINTLE_HOME as string;
  const notes = join(place.root, "notes");
  const modules = Object.entries(typeof bodies === "string" ? { "it.ts": bodies } : bodies);
  mkdirSync(join(home, "extensions"), { recursive: true });
  for (const [name, body] of modules) writeFileSync(join(home, "extensions", name), extension(body));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
  const rpc = await startRpc([...CHAT, ...args], {
    cwd: place.cwd,
    env: { ...place.env, NOTES: notes, ...env },
    dialect,
  });
  return {
    rpc,
    server,
    place,
    async command(message) {
      const id = `command ${rpc.frames.length}`;
      rpc.send({ id, type: "prompt", message });
      await rpc.until((frame) => frame.type === "prompt_result" && frame.id === id);
    },
    async told(key, count = 1) {
      const found = () => rpc.frames.filter(({ method, statusKey }) => method === "setStatus" && statusKey === key);
      while (found().length < count) await rpc.until(({ statusKey }) => statusKey === key);
      return found().map(({ statusText }) => JSON.parse(statusText));
    },
    notes() {
      if (!existsSync(notes)) return [];
      const lines = readFileSync(notes, "utf8").split("\n");
      return lines.slice(0, -1).map((line) => JSON.parse(line)); // a line may be incomplete after the last line break
    },
    async [Symbol.asyncDispose]() {
      await rpc[Symbol.asyncDispose]();
      await chat[Symbol.asyncDispose]();
    },
  };
}
