import { GatewayCore, type GatewayOptions, type GatewayTransport, type SessionCursor } from "../../src/core/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: frames of many kinds; tests pick what they assert
type Frame = Record<string, any>;

const LIMITS = {
  maxConnections: 10,
  maxWorkers: 10,
  maxFrameBytes: 1000,
  maxQueuedBytes: 1000,
  maxInFlight: 10,
  maxSessionsPerConnection: 10,
};

export const STATE = { isStreaming: false, isSettled: true, sessionId: "s1" };

/** The other end of one connection. */
export class ScriptedConnection {
  readonly received: Frame[] = [];
  readonly transport: GatewayTransport;
  isClosed = false;
  #onData: (chunk: string) => void = () => {};
  #onClose: (reason?: Error) => void = () => {};

  constructor(epoch: string, node: string | undefined) {
    this.transport = {
      write: (text) =>
        void this.received.push(
          ...text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line)),
        ),
      onData: (listener) => {
        this.#onData = listener;
        // Sent immediately, because it may arrive together with the end of the handshake.
        this.say({ type: "server_ready", protocolVersion: 1, epoch, limits: LIMITS, ...(node && { node }) });
      },
      onClose: (listener) => {
        this.#onClose = listener;
      },
      close: () => {
        this.isClosed = true;
      },
    };
  }

  /** Sends all frames in one chunk. */
  say(...frames: object[]): void {
    this.#onData(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
  }

  cut(): void {
    this.#onClose();
  }

  /** Returns every command of that name so far. */
  all(type: string): Frame[] {
    return this.received.filter((frame) => frame.type === type);
  }

  /** Waits for the newest command of that name. */
  async next(type: string, count = 1): Promise<Frame> {
    for (;;) {
      const found = this.all(type)[count - 1];
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  ok({ id, type, sessionId }: Frame, data?: unknown): object {
    return {
      type: "response",
      id,
      command: type,
      success: true,
      ...(sessionId && { sessionId }),
      ...(data !== undefined && { data }),
    };
  }

  fail({ id, type }: Frame, error: string, code: string): object {
    return { type: "response", id, command: type, success: false, error, code };
  }

  /** Builds an event of the session. */
  event(seq: number, frame: object, sessionId = "s1"): object {
    return { sessionId, seq, ...frame };
  }
}

export class ScriptedGateway {
  readonly connections: ScriptedConnection[] = [];
  epoch = "e1";
  /** The node's name, if several nodes share their sessions. */
  node: string | undefined;
  /** While set, no connection can be opened. */
  refusal: Error | undefined;
  attempts = 0;
  readonly client: GatewayCore;

  constructor(options: Partial<GatewayOptions> = {}) {
    this.client = new GatewayCore({ reconnect: { minMs: 1, maxMs: 2 }, ...options, connect: () => this.#connect() });
  }

  async #connect(): Promise<GatewayTransport> {
    this.attempts += 1;
    if (this.refusal) throw this.refusal;
    const connection = new ScriptedConnection(this.epoch, this.node);
    this.connections.push(connection);
    return connection.transport;
  }

  get last(): ScriptedConnection {
    return this.connections.at(-1)!;
  }

  /** Waits for the nth connection. */
  async connection(number: number): Promise<ScriptedConnection> {
    while (this.connections.length < number) await new Promise((resolve) => setTimeout(resolve, 1));
    return this.connections[number - 1]!;
  }
}

/** Returns a client with one open session. */
export async function opened({ node, ...options }: Partial<GatewayOptions> & { node?: string } = {}) {
  const gateway = new ScriptedGateway(options);
  gateway.node = node;
  const { client } = gateway;
  await client.connect();
  const connection = gateway.last;
  const opening = client.open({ cwd: "/w" });
  const command = await connection.next("open_session");
  connection.say(connection.ok(command, { sessionId: "s1", state: STATE, cursor: cursor(0), resync: false }));
  const session = await opening;
  return { gateway, client, connection, session };
}

/** Builds a snapshot without entries. */
export const snapshot = (at: SessionCursor, fields: object = {}): object => ({
  type: "session_snapshot",
  sessionId: "s1",
  state: STATE,
  leafId: null,
  tools: [],
  pending: [],
  entries: [],
  seq: at.seq,
  cursor: at,
  ...fields,
});

export const cursor = (seq: number, epoch = "e1", entryId?: string): SessionCursor => ({
  epoch,
  seq,
  ...(entryId !== undefined && { entryId }),
});
