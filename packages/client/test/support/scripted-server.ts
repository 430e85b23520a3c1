import type { CoreOptions, Transport } from "../../src/core/index.ts";
import { RpcCore } from "../../src/core/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: frames of many kinds; tests pick what they assert
type Frame = Record<string, any>;

export const READY = {
  type: "ready",
  version: "0.0.0",
  protocolVersion: 1,
  supportedProtocolVersions: [1],
  sessionId: "s",
  trust: "none",
  capabilities: [],
};

/** The other end of a client's transport: the test decides what the server writes. */
export class ScriptedServer {
  readonly received: Frame[] = [];
  readonly transport: Transport;
  #onData: (chunk: Uint8Array | string) => void = () => {};
  #onClose: (reason?: Error) => void = () => {};
  /** While set, every write makes the client wait for it. */
  full: Promise<void> | undefined;

  constructor() {
    this.transport = {
      write: (text) => {
        for (const line of text.trimEnd().split("\n")) this.received.push(JSON.parse(line));
        return this.full;
      },
      onData: (listener) => {
        this.#onData = listener;
      },
      onClose: (listener) => {
        this.#onClose = listener;
      },
    };
  }

  /** Resolves when the client has sent a command of that name. */
  async sent(command: string): Promise<void> {
    while (!this.received.some(({ type }) => type === command)) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Sends all frames in one chunk. */
  say(...frames: object[]): void {
    this.sayRaw(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
  }

  sayRaw(text: string | Uint8Array): void {
    this.#onData(text);
  }

  close(reason?: Error): void {
    this.#onClose(reason);
  }

  get last(): Frame {
    return this.received.at(-1) ?? {};
  }

  /** Builds a successful response to the newest command of that name. */
  ok(command: string, data?: object | null): object {
    const id = this.received.findLast(({ type }) => type === command)?.id;
    return { type: "response", id, command, success: true, ...(data !== undefined && { data }) };
  }

  fail(command: string, error: string, code?: string): object {
    const { id } = this.received.findLast(({ type }) => type === command) ?? {};
    return { type: "response", id, command, success: false, error, ...(code && { code }) };
  }
}

export async function connected(
  options: CoreOptions = {},
  capabilities: string[] = [],
): Promise<{ client: RpcCore; server: ScriptedServer }> {
  const client = new RpcCore(options);
  const server = new ScriptedServer();
  const started = client.connect(server.transport);
  server.say({ ...READY, capabilities });
  await Promise.race([started, new Promise((resolve) => setImmediate(resolve))]);
  for (const { id, type } of server.received) server.say({ type: "response", id, command: type, success: true });
  await started;
  return { client, server };
}

export const assistant = (text: string, extra: object = {}) => ({
  role: "assistant",
  content: text === "" ? [] : [{ type: "text", text }],
  stopReason: "stop",
  timestamp: 1,
  ...extra,
});

export const agentEnd = (text: string) => ({ type: "agent_end", messages: [assistant(text)], stopReason: "stop" });
export const START = { type: "agent_start" };
export const SETTLED = { type: "agent_settled" };
