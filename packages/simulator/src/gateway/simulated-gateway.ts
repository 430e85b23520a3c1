import { type Frame, parseFrame } from "../scenario.ts";
import { SessionFrames } from "./session-frames.ts";

/** A host's connection, as the simulated gateway sees it. */
export interface GatewayConnection {
  /** A frame. */
  send(text: string): void;
  /** Sends raw data: half a line, noise. */
  sendRaw(text: string): void;
  /** Drops the connection immediately, like a lost network. */
  cut(): void;
}

interface GatewayParts {
  /** What the scripted agent receives. */
  onFrame(frame: Frame): void;
  /** Whether a step of the script waits for such a frame. */
  isAwaited(frame: Frame): boolean;
  /** What `open_session` returns in addition to the session's id. */
  state: Frame;
}

const LIMITS = {
  maxConnections: 100,
  maxWorkers: 100,
  maxFrameBytes: 268_435_456,
  maxQueuedBytes: 67_108_864,
  maxInFlight: 1000,
  maxSessionsPerConnection: 100,
};
const SESSION_ID = "simulated";

/**
 * Plays the gateway around a scripted agent. It has one session, whose frames are numbered and stored. A host that
 * reconnects with a cursor receives what it missed, and a command repeated with its key receives the first answer again.
 */
export class SimulatedGateway {
  readonly #parts: GatewayParts;
  readonly #frames = new SessionFrames(SESSION_ID);
  readonly #connections = new Set<GatewayConnection>();
  /** Connections attached to the session. */
  readonly #attached = new Set<GatewayConnection>();
  /** The connection that receives the answer, by command id. */
  readonly #askers = new Map<string, { connection: GatewayConnection; key: string | undefined }>();
  /** The answer by key, or undefined while there is none. */
  readonly #byKey = new Map<string, string | undefined>();
  #isOpen = true;
  #whenAttached: () => void = () => {};

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  connected(connection: GatewayConnection): void {
    this.#connections.add(connection);
    const { epoch } = this.#frames;
    const capabilities = ["sessions", "cursor"];
    const versions = { version: "0.1.0", protocolVersion: 1 };
    this.#tell(connection, { type: "server_ready", ...versions, epoch, capabilities, limits: LIMITS });
  }

  /** Returns true if it was the last one and the host closed it. */
  disconnected(connection: GatewayConnection): boolean {
    this.#attached.delete(connection);
    return this.#connections.delete(connection) && this.#connections.size === 0;
  }

  receive(connection: GatewayConnection, line: string): void {
    const frame = parseFrame(line);
    if (!frame || typeof frame.type !== "string") {
      const error = "Failed to parse command";
      this.#tell(connection, { type: "response", command: "parse", success: false, error });
    } else if (!this.#isRepeated(connection, frame)) this.#take(connection, frame);
  }

  #take(connection: GatewayConnection, frame: Frame): void {
    if (frame.id !== undefined) {
      const key = typeof frame.commandKey === "string" ? frame.commandKey : undefined;
      this.#askers.set(String(frame.id), { connection, key });
      if (key !== undefined) this.#byKey.set(key, undefined);
    }
    const own = this.#parts.isAwaited(frame) ? undefined : this.#commands[String(frame.type)];
    if (own) own(connection, frame);
    else this.#parts.onFrame(frame);
  }

  /** Handles what the scripted agent sends: a frame or arbitrary text. */
  write(text: string): void {
    const frame = parseFrame(text);
    if (frame?.type === "response") this.#answer(frame);
    else if (frame?.type === "ready")
      return; // a gateway has already sent `server_ready`
    else if (frame) this.#tellAll(this.#frames.add(frame));
    else for (const connection of this.#attached) connection.sendRaw(text);
  }

  /** Waits until a host is attached. */
  async attached(withinMs: number): Promise<void> {
    if (this.#attached.size > 0) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no host came back within ${withinMs} ms`)), withinMs);
      this.#whenAttached = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Drops every connection; the session continues. */
  cutAll(): void {
    for (const connection of [...this.#connections]) {
      this.disconnected(connection);
      connection.cut();
    }
  }

  /** Discards stored frames: hosts that reconnect get a snapshot. */
  forget(): void {
    this.#frames.forget();
  }

  /** Behaves like a restarted server: new epoch, no open session, no stored answers. */
  restart(): void {
    this.#frames.begin();
    this.#byKey.clear();
    this.#isOpen = false;
    this.cutAll();
  }

  readonly #commands: Readonly<Record<string, (connection: GatewayConnection, frame: Frame) => void>> = {
    open_session: (connection, frame) => {
      this.#isOpen = true;
      this.#attach(connection, frame, { sessionId: SESSION_ID, state: this.#state });
    },
    attach_session: (connection, frame) => {
      if (this.#isOpen && frame.sessionId === SESSION_ID) return this.#attach(connection, frame, {});
      this.#answer({ ...failure(frame), error: "The session is not open", code: "not_open" });
    },
    detach_session: (connection, frame) => {
      this.#attached.delete(connection);
      this.#answer(success(frame));
    },
    close_session: (_connection, frame) => {
      this.#isOpen = false;
      this.#attached.clear();
      this.#answer(success(frame));
    },
    get_state: (_connection, frame) => this.#answer({ ...success(frame), data: this.#state }),
    list_sessions: (_connection, frame) => this.#answer({ ...success(frame), data: { sessions: [] } }),
    get_server_state: (_connection, frame) =>
      this.#answer({ ...success(frame), data: { connections: this.#connections.size, limits: LIMITS } }),
  };

  /** The response precedes the first missed frame. */
  #attach(connection: GatewayConnection, frame: Frame, data: Frame): void {
    const missed = this.#frames.since(frame.since, this.#state);
    const cursor = this.#frames.cursor;
    this.#answer({ ...success(frame), data: { ...data, cursor, resync: missed.isSnapshot } });
    for (const text of missed.texts) connection.send(text);
    this.#attached.add(connection);
    this.#whenAttached();
  }

  get #state(): Frame {
    return { ...this.#parts.state, sessionId: SESSION_ID, ...this.#frames.state };
  }

  #isRepeated(connection: GatewayConnection, { id, commandKey }: Frame): boolean {
    if (typeof commandKey !== "string" || !this.#byKey.has(commandKey)) return false;
    this.#askers.set(String(id), { connection, key: commandKey });
    const answer = this.#byKey.get(commandKey);
    if (answer !== undefined) connection.send(answer);
    return true;
  }

  #answer(response: Frame): void {
    const asker = this.#askers.get(String(response.id));
    const text = JSON.stringify({ ...response, sessionId: SESSION_ID });
    if (asker?.key !== undefined && response.success === true) this.#byKey.set(asker.key, text);
    // A host that loses its connection asks again.
    if (asker && this.#connections.has(asker.connection)) asker.connection.send(text);
  }

  #tellAll(text: string): void {
    for (const connection of this.#attached) connection.send(text);
  }

  #tell(connection: GatewayConnection, frame: Frame): void {
    connection.send(JSON.stringify(frame));
  }
}

const success = ({ id, type }: Frame): Frame => ({ id, type: "response", command: type, success: true });
const failure = ({ id, type }: Frame): Frame => ({ id, type: "response", command: type, success: false });
