import type { CallOptions, GatewayCalls, Job, ServerReady, ServerState, SessionCursor } from "../../protocol.ts";
import { RpcClosedError, RpcProtocolError } from "../errors.ts";
import { type FaultListener, FaultReport } from "../fault-report.ts";
import type { ResponseFrame } from "../pending-requests.ts";
import type { CoreOptions, StartOptions } from "../rpc-core.ts";
import type { Frame } from "../transport.ts";
import { pause, type ReconnectOptions } from "./back-off.ts";
import { GatewayRequests } from "./gateway-requests.ts";
import { GatewaySession } from "./gateway-session.ts";
import type { Connect } from "./gateway-transport.ts";
import { KeptConnection } from "./kept-connection.ts";
import { type LinkParts, SessionLink } from "./session-link.ts";

export interface GatewayOptions {
  /** How a connection is made; called again after a loss. */
  connect: Connect;
  /** How a lost connection is made again. False: everything ends with it. */
  reconnect?: ReconnectOptions | false;
  /** 30000 */
  readyTimeoutMs?: number;
  /** 30000, also while there is no connection. */
  requestTimeoutMs?: number;
}

interface SessionOptions extends Omit<CoreOptions, "readyTimeoutMs"> {
  /** A cursor that was kept: what was missed since is told. `start`: everything, as one `session_snapshot`. */
  since?: SessionCursor | "start";
}
type Params<C extends keyof GatewayCalls> = GatewayCalls[C]["params"];

export type OpenOptions = SessionOptions & Omit<Params<"open_session">, "since">;
export type AttachOptions = SessionOptions & Pick<Params<"attach_session">, "events" | "lastEntries">;

/** `away`: there is no connection, and the next attempt to make one will come. */
export type GatewayState = "connected" | "away" | "ended";
export type StateListener = (state: GatewayState, reason?: Error) => void;

export interface WaitForJobOptions {
  signal?: AbortSignal;
  onChange?: (job: Job) => void;
  /** How often it is asked for; 500. */
  everyMs?: number;
}

const ASK_JOB_MS = 500;
const NEVER = new AbortController().signal;
const DEFAULT_TIMEOUT_MS = 30_000;
/** A cursor of no server: the answer is a snapshot of everything. */
const START: SessionCursor = { epoch: "", seq: 0 };

/** Many sessions over one connection to `pintle serve`, which is made again when it is lost. */
export class GatewayCore {
  readonly #keeper: KeptConnection;
  readonly #requests: GatewayRequests;
  readonly #options: GatewayOptions;
  readonly #faults = new FaultReport();
  readonly #sessions = new Map<string, { session: GatewaySession; link: SessionLink }>();
  /** By the number in the ids of their commands. */
  readonly #links = new Map<string, SessionLink>();
  /** In the ids of commands, so that no other host has the same: behind it the number of the session's link. */
  readonly #name = randomName();
  #linkCount = 0;
  #listeners: readonly StateListener[] = [];
  #server: ServerReady | undefined;

  constructor(options: GatewayOptions) {
    const { connect, reconnect = {}, readyTimeoutMs = DEFAULT_TIMEOUT_MS, requestTimeoutMs } = options;
    this.#options = options;
    this.#requests = new GatewayRequests(`${this.#name}.0.`, requestTimeoutMs ?? DEFAULT_TIMEOUT_MS, (frame) =>
      this.#keeper.send(frame),
    );
    this.#keeper = new KeptConnection(
      { connect, reconnect, readyTimeoutMs },
      {
        onConnected: (ready) => this.#connected(ready),
        onFrame: (frame) => this.#receive(frame),
        onAway: (reason) => this.#away(reason),
        onEnd: (reason) => this.#ended(reason),
        onFault: (fault) => this.#faults.report(fault),
      },
    );
  }

  /** What the server said about itself when the newest connection was made. */
  get server(): ServerReady | undefined {
    return this.#server;
  }

  get isConnected(): boolean {
    return this.#keeper.isConnected;
  }

  /** Those that are open or attached here, by their ids. */
  get sessions(): ReadonlyMap<string, GatewaySession> {
    return new Map([...this.#sessions].map(([id, { session }]) => [id, session]));
  }

  /** Makes the first connection; later ones come by themselves. */
  connect({ signal }: StartOptions = {}): Promise<ServerReady> {
    return this.#keeper.start(signal);
  }

  /** Ends the connection; the sessions live on at the server. */
  end(): void {
    this.#keeper.end(new RpcClosedError("The client was stopped"));
  }

  /** Opens a new or a stored session, or attaches to it where it is open. */
  open(options: OpenOptions = {}, call: CallOptions = {}): Promise<GatewaySession> {
    const { customTools, updateMode, requestTimeoutMs, since, ...params } = options;
    const { lastEntries } = params;
    const from = since === "start" ? START : since;
    return this.#join(options, (adopt) =>
      this.#call("open_session", { ...params, ...(from && { since: from }) }, call, (opened, isRepeat) => {
        const { sessionId, cursor } = opened;
        adopt(
          { sessionId, open: params, attach: lastEntries === undefined ? {} : { lastEntries } },
          { cursor: from ?? cursor, isRepeat, opened },
        );
      }),
    );
  }

  /** Attaches to a session that is open. The same session has one object here, however often it is attached to. */
  attach(sessionId: string, options: AttachOptions = {}, call: CallOptions = {}): Promise<GatewaySession> {
    const { events, since, lastEntries } = options;
    const from = since === "start" ? START : since;
    const attach = { ...(events && { events }), ...(lastEntries !== undefined && { lastEntries }) };
    const params = { ...attach, sessionId, ...(from && { since: from }) };
    return this.#join(options, (adopt) =>
      this.#call("attach_session", params, call, ({ cursor }, isRepeat) => {
        adopt({ sessionId, open: {}, attach }, { cursor: from ?? cursor, isRepeat });
      }),
    );
  }

  /** A page of the sessions that the server has, stored and open. */
  list(options: Params<"list_sessions"> & CallOptions = {}): Promise<GatewayCalls["list_sessions"]["result"]> {
    const { signal, timeoutMs, ...params } = options;
    return this.#call("list_sessions", params, callOptions({ signal, timeoutMs }));
  }

  /** Ends the process of a session, also of one that is not attached to here. Refused while a run is active, unless `abort` is true. */
  async close(sessionId: string, { abort, ...call }: CallOptions & { abort?: boolean } = {}): Promise<void> {
    await this.#call("close_session", { sessionId, ...(abort !== undefined && { abort }) }, call);
    this.#sessions.get(sessionId)?.session.disconnect(new RpcClosedError("The session was closed"));
  }

  /** Names a session, open or stored. */
  async rename(sessionId: string, name: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.request("rename_session", { sessionId, name }, call);
  }

  /** Closes a session and moves it to the trash. */
  async delete(sessionId: string, call: CallOptions = {}): Promise<void> {
    await this.#call("delete_session", { sessionId }, call);
    this.#sessions.get(sessionId)?.session.disconnect(new RpcClosedError("The session was deleted"));
  }

  /** Takes a session out of the trash. */
  async restore(sessionId: string, call: CallOptions = {}): Promise<void> {
    await this.#call("restore_session", { sessionId }, call);
  }

  /** Puts a prompt into the queue of the nodes: it runs in a session of its own, with no host to ask. */
  async submit(params: Params<"submit">, call: CallOptions = {}): Promise<string> {
    return (await this.#call("submit", params, call)).jobId;
  }

  /** How far a job is, and what came of it. */
  job(jobId: string, call: CallOptions = {}): Promise<Job> {
    return this.#call("get_job", { jobId }, call);
  }

  /** Takes a job out of the queue, or aborts it. */
  cancelJob(jobId: string, call: CallOptions = {}): Promise<Job> {
    return this.#call("cancel_job", { jobId }, call);
  }

  /** Puts a job that is dead, failed or cancelled back into the queue. */
  retryJob(jobId: string, call: CallOptions = {}): Promise<Job> {
    return this.#call("retry_job", { jobId }, call);
  }

  /** A page of the jobs, the newest first. */
  listJobs(options: Params<"list_jobs"> & CallOptions = {}): Promise<GatewayCalls["list_jobs"]["result"]> {
    const { signal, timeoutMs, ...params } = options;
    return this.#call("list_jobs", params, callOptions({ signal, timeoutMs }));
  }

  /** Asks until the job has ended. `onChange` is told of each state on the way. */
  async waitForJob(jobId: string, { signal, onChange, everyMs = ASK_JOB_MS }: WaitForJobOptions = {}): Promise<Job> {
    let seen = "";
    for (;;) {
      const job = await this.job(jobId, callOptions({ signal }));
      const state = JSON.stringify(job);
      if (state !== seen) onChange?.(job);
      seen = state;
      if (job.status !== "queued" && job.status !== "running") return job;
      await pause(everyMs, signal ?? NEVER);
      signal?.throwIfAborted();
    }
  }

  /** What the server does now, and its limits. */
  serverState(call: CallOptions = {}): Promise<ServerState> {
    return this.#call("get_server_state", {}, call);
  }

  /** The connection was lost, made again, or has ended for good. Gives a function that ends the listening. */
  onState(listener: StateListener): () => void {
    const own: StateListener = (state, reason) => listener(state, reason);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  /** Lines that are no frames, failures that belong to nothing, and listeners that threw. */
  onProtocolError(listener: FaultListener): () => void {
    return this.#faults.onFault(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
  }

  #call<C extends keyof GatewayCalls>(
    command: C,
    params: Params<C>,
    call: CallOptions,
    onSuccess?: (result: GatewayCalls[C]["result"], isRepeat: boolean) => void,
  ): Promise<GatewayCalls[C]["result"]> {
    return this.#requests.request(command, params, call, onSuccess);
  }

  /** The object of a session. It is there in the moment the answer is read: frames follow at once. */
  async #join(options: SessionOptions, ask: (adopt: Adopt) => Promise<unknown>): Promise<GatewaySession> {
    let session: GatewaySession | undefined;
    let isBegun: Promise<void> | undefined;
    await ask((parts, joined) => {
      session = this.#sessions.get(parts.sessionId)?.session;
      if (session) return;
      session = this.#adopt(parts, joined, options);
      isBegun = session.begin();
      if (joined.isRepeat) this.#sessions.get(parts.sessionId)?.link.attach();
    });
    if (!session) throw new RpcClosedError("The client was stopped");
    try {
      await isBegun;
      return session;
    } catch (error) {
      await session.detach().catch(() => {}); // the first failure says why
      throw error;
    }
  }

  #adopt(
    parts: OwnParts,
    { cursor, isRepeat, opened }: Joined,
    { customTools, updateMode, requestTimeoutMs = this.#options.requestTimeoutMs }: SessionOptions,
  ): GatewaySession {
    const { sessionId } = parts;
    this.#linkCount += 1;
    const number = String(this.#linkCount);
    const prefix = `${this.#name}.${number}.`;
    const link: SessionLink = new SessionLink(
      {
        ...{ ...parts, prefix },
        send: (frame) => this.#keeper.send(frame),
        hasLastingKeys: () => this.#server?.node !== undefined,
        onAttachedAgain: () => {
          for (const { link: other } of this.#sessions.values()) if (other !== link) other.restate();
        },
      },
      cursor,
    );
    if (isRepeat) link.lost();
    const session = new GatewaySession(
      {
        link,
        forget: () => {
          this.#links.delete(number);
          if (this.#sessions.get(sessionId)?.link === link) this.#sessions.delete(sessionId);
        },
        detach: () => this.#call("detach_session", { sessionId }, {}),
        close: (options) => this.#call("close_session", { sessionId, ...options }, {}),
      },
      {
        ...(customTools && { customTools }),
        ...(updateMode && { updateMode }),
        ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
      },
      opened,
    );
    this.#sessions.set(sessionId, { session, link });
    this.#links.set(number, link);
    return session;
  }

  #connected(ready: ServerReady): void {
    this.#server = ready;
    for (const { link } of this.#sessions.values()) link.attach();
    this.#requests.connected();
    this.#tell("connected");
  }

  #away(reason: Error): void {
    for (const { link } of this.#sessions.values()) link.lost();
    this.#tell("away", reason);
  }

  #ended(reason: Error): void {
    this.#requests.end(reason);
    for (const { session } of [...this.#sessions.values()]) session.disconnect(reason);
    this.#tell("ended", reason);
  }

  #receive(frame: Frame): void {
    if (frame.type === "response") this.#answer(frame);
    else if (typeof frame.sessionId === "string") this.#sessions.get(frame.sessionId)?.link.receive(frame);
    // What else a newer server tells of itself is not for this version.
  }

  /** By the number in its id: the gateway's own commands have 0. */
  #answer(frame: Frame): void {
    const [name, number = ""] = String(frame.id ?? frame.requestId).split(".", 2);
    if (name !== this.#name) {
      this.#faults.report(
        new RpcProtocolError(`An answer belongs to no request: ${frame.error}`, JSON.stringify(frame)),
      );
    } else if (number === "0")
      this.#requests.answer(frame as unknown as ResponseFrame); // by its type
    else this.#links.get(number)?.receive(frame);
  }

  #tell(state: GatewayState, reason?: Error): void {
    for (const listener of this.#listeners) {
      try {
        listener(state, reason);
      } catch (error) {
        this.#faults.thrown("A listener for the state", error);
      }
    }
  }
}

type OwnParts = Pick<LinkParts, "sessionId" | "open" | "attach">;
type Adopt = (parts: OwnParts, joined: Joined) => void;

interface Joined {
  cursor: SessionCursor;
  /** The command was sent on an earlier connection, too: that is the one which the server has attached. */
  isRepeat: boolean;
  opened?: GatewayCalls["open_session"]["result"];
}

const callOptions = ({
  signal,
  timeoutMs,
}: { [K in keyof CallOptions]?: CallOptions[K] | undefined }): CallOptions => ({
  ...(signal && { signal }),
  ...(timeoutMs !== undefined && { timeoutMs }),
});

function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, "0")).join("");
}
