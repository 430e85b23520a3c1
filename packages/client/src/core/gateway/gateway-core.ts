import type { CallOptions, GatewayCalls, Job, ServerReady, ServerState, SessionCursor } from "../../protocol.ts";
import { RpcClosedError, RpcProtocolError } from "../errors.ts";
import { type FaultListener, FaultReport } from "../fault-report.ts";
import type { HostTool } from "../host-tools.ts";
import type { ResponseFrame } from "../pending-requests.ts";
import type { CoreOptions, StartOptions } from "../rpc-core.ts";
import { HANDLER_METHODS } from "../session-options.ts";
import type { Frame } from "../transport.ts";
import { pause, type ReconnectOptions } from "./back-off.ts";
import { GatewayRequests } from "./gateway-requests.ts";
import { GatewaySession } from "./gateway-session.ts";
import type { Connect } from "./gateway-transport.ts";
import { KeptConnection } from "./kept-connection.ts";
import { type LinkParts, SessionLink } from "./session-link.ts";

export interface GatewayOptions {
  /** Opens a connection; called again whenever one is lost. */
  connect: Connect;
  /** How to reconnect. With `false`, losing the connection ends the client. */
  reconnect?: ReconnectOptions | false;
  /** How long to wait for the server's first frame; default 30000. */
  readyTimeoutMs?: number;
  /** How long to wait for a response, including time spent disconnected; default 30000. */
  requestTimeoutMs?: number;
}

interface SessionOptions extends Omit<CoreOptions, "readyTimeoutMs" | "tools" | "budget"> {
  /** A stored cursor delivers the frames missed since then; `start` delivers everything as one `session_snapshot`. */
  since?: SessionCursor | "start";
}
type Params<C extends keyof GatewayCalls> = GatewayCalls[C]["params"];

/** In `tools`, a string names a server tool; objects run in this program. */
interface WithTools<T> {
  tools?: readonly T[];
}

export type OpenOptions = SessionOptions &
  WithTools<string | HostTool> &
  Omit<Params<"open_session">, "since" | "tools">;
export type AttachOptions = SessionOptions &
  WithTools<HostTool> &
  Pick<Params<"attach_session">, "events" | "lastEntries">;

/** `away`: disconnected, and the client will try to reconnect. */
export type GatewayState = "connected" | "away" | "ended";
export type StateListener = (state: GatewayState, reason?: Error) => void;

export interface WaitForJobOptions {
  signal?: AbortSignal;
  onChange?: (job: Job) => void;
  /** The polling interval in milliseconds; default 500. */
  everyMs?: number;
}

const ASK_JOB_MS = 500;
const NEVER = new AbortController().signal;
const DEFAULT_TIMEOUT_MS = 30_000;
/** A cursor that no server issued, so the server answers with a snapshot of everything. */
const START: SessionCursor = { epoch: "", seq: 0 };

/** Handles many sessions over one connection to `pintle serve`, and reconnects when it is lost. */
export class GatewayCore {
  readonly #keeper: KeptConnection;
  readonly #requests: GatewayRequests;
  readonly #options: GatewayOptions;
  readonly #faults = new FaultReport();
  readonly #sessions = new Map<string, { session: GatewaySession; link: SessionLink }>();
  /** Keyed by the link number in command ids. */
  readonly #links = new Map<string, SessionLink>();
  /** Prefix of command ids that no other host uses; the number of the session's link follows it. */
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

  /** What the server reported about itself on the latest connection. */
  get server(): ServerReady | undefined {
    return this.#server;
  }

  get isConnected(): boolean {
    return this.#keeper.isConnected;
  }

  /** The sessions opened or attached here, by id. */
  get sessions(): ReadonlyMap<string, GatewaySession> {
    return new Map([...this.#sessions].map(([id, { session }]) => [id, session]));
  }

  /** Opens the first connection; reconnecting is automatic. */
  connect({ signal }: StartOptions = {}): Promise<ServerReady> {
    return this.#keeper.start(signal);
  }

  /** Closes the connection; the sessions keep running on the server. */
  end(): void {
    this.#keeper.end(new RpcClosedError("The client was stopped"));
  }

  /** Opens a new or stored session, or attaches to it if it is already open. */
  open(options: OpenOptions = {}, call: CallOptions = {}): Promise<GatewaySession> {
    const { since, tools, ...others } = options;
    const { own, rest } = splitOptions(others);
    const names = tools?.filter((tool) => typeof tool === "string");
    const hostTools = (tools ?? []).filter((tool) => typeof tool !== "string");
    const params = { ...rest, ...(names && names.length > 0 && { tools: names }) };
    const { lastEntries } = params;
    const from = since === "start" ? START : since;
    return this.#join({ ...own, tools: hostTools }, (adopt) =>
      this.#call("open_session", { ...params, ...(from && { since: from }) }, call, (opened, isRepeat) => {
        const { sessionId, cursor } = opened;
        adopt(
          { sessionId, open: params, attach: lastEntries === undefined ? {} : { lastEntries } },
          { cursor: from ?? cursor, isRepeat, opened },
        );
      }),
    );
  }

  /** Attaches to an open session. Attaching again returns the same object. */
  attach(sessionId: string, options: AttachOptions = {}, call: CallOptions = {}): Promise<GatewaySession> {
    const { events, since, lastEntries, ...others } = options;
    const { own } = splitOptions(others);
    const from = since === "start" ? START : since;
    const attach = { ...(events && { events }), ...(lastEntries !== undefined && { lastEntries }) };
    const params = { ...attach, sessionId, ...(from && { since: from }) };
    return this.#join({ ...own, ...(options.tools && { tools: options.tools }) }, (adopt) =>
      this.#call("attach_session", params, call, ({ cursor }, isRepeat) => {
        adopt({ sessionId, open: {}, attach }, { cursor: from ?? cursor, isRepeat });
      }),
    );
  }

  /** Lists one page of the server's sessions, stored and open. */
  list(options: Params<"list_sessions"> & CallOptions = {}): Promise<GatewayCalls["list_sessions"]["result"]> {
    const { signal, timeoutMs, ...params } = options;
    return this.#call("list_sessions", params, callOptions({ signal, timeoutMs }));
  }

  /**
   * Ends a session's process, even if the session is not attached here. Rejected while a run is active, unless `abort` is true.
   */
  async close(sessionId: string, { abort, ...call }: CallOptions & { abort?: boolean } = {}): Promise<void> {
    await this.#call("close_session", { sessionId, ...(abort !== undefined && { abort }) }, call);
    this.#sessions.get(sessionId)?.session.disconnect(new RpcClosedError("The session was closed"));
  }

  /** Renames a session, open or stored. */
  async rename(sessionId: string, name: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.request("rename_session", { sessionId, name }, call);
  }

  /** Closes a session and moves it to the trash. */
  async delete(sessionId: string, call: CallOptions = {}): Promise<void> {
    await this.#call("delete_session", { sessionId }, call);
    this.#sessions.get(sessionId)?.session.disconnect(new RpcClosedError("The session was deleted"));
  }

  /** Restores a session from the trash. */
  async restore(sessionId: string, call: CallOptions = {}): Promise<void> {
    await this.#call("restore_session", { sessionId }, call);
  }

  /** Queues a prompt as a job. A node runs it in a session of its own, without a host to answer questions. */
  async submit(params: Params<"submit">, call: CallOptions = {}): Promise<string> {
    return (await this.#call("submit", params, call)).jobId;
  }

  /** Returns the state of a job and, once it has ended, its result. */
  job(jobId: string, call: CallOptions = {}): Promise<Job> {
    return this.#call("get_job", { jobId }, call);
  }

  /** Removes a job from the queue, or aborts it if it is running. */
  cancelJob(jobId: string, call: CallOptions = {}): Promise<Job> {
    return this.#call("cancel_job", { jobId }, call);
  }

  /** Puts a dead, failed or cancelled job back into the queue. */
  retryJob(jobId: string, call: CallOptions = {}): Promise<Job> {
    return this.#call("retry_job", { jobId }, call);
  }

  /** Lists one page of jobs, newest first. */
  listJobs(options: Params<"list_jobs"> & CallOptions = {}): Promise<GatewayCalls["list_jobs"]["result"]> {
    const { signal, timeoutMs, ...params } = options;
    return this.#call("list_jobs", params, callOptions({ signal, timeoutMs }));
  }

  /** Polls until the job has ended. `onChange` receives each state. */
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

  /** Returns the server's current load and its limits. */
  serverState(call: CallOptions = {}): Promise<ServerState> {
    return this.#call("get_server_state", {}, call);
  }

  /** Calls the listener when the connection is lost, restored or closed for good. Returns a function that unsubscribes it. */
  onState(listener: StateListener): () => void {
    const own: StateListener = (state, reason) => listener(state, reason);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  /** Reports lines that are not frames, failures that match no request, and listeners that threw. */
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

  /** Returns the session object. It is created while the response is read, because frames may follow immediately. */
  async #join(options: CoreOptions, ask: (adopt: Adopt) => Promise<unknown>): Promise<GatewaySession> {
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
      await session.detach().catch(() => {}); // rethrow the original failure
      throw error;
    }
  }

  #adopt(
    parts: OwnParts,
    { cursor, isRepeat, opened }: Joined,
    { requestTimeoutMs = this.#options.requestTimeoutMs, ...options }: CoreOptions,
  ): GatewaySession {
    const { sessionId } = parts;
    this.#linkCount += 1;
    const number = String(this.#linkCount);
    const prefix = `${this.#name}.${number}.`;
    const link: SessionLink = new SessionLink(
      {
        ...parts,
        prefix,
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
        close: (how) => this.#call("close_session", { sessionId, ...how }, {}),
        capabilities: () => this.#server?.capabilities ?? [],
      },
      { ...options, ...(requestTimeoutMs !== undefined && { requestTimeoutMs }) },
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
    // Ignore frames of newer servers that this version does not know.
  }

  /** Routes a response by the link number in its id; the gateway's own commands use 0. */
  #answer(frame: Frame): void {
    const [name, number = ""] = String(frame.id ?? frame.requestId).split(".", 2);
    if (name !== this.#name) {
      this.#faults.report(new RpcProtocolError(`A response matches no request: ${frame.error}`, JSON.stringify(frame)));
    } else if (number === "0")
      this.#requests.answer(frame as unknown as ResponseFrame); // narrowed by `type`
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
  /** The command was already sent on an earlier connection, which is the one the server attached. */
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

const OWN_OPTIONS = new Set<string>([
  "customTools",
  "updateMode",
  "requestTimeoutMs",
  "policy",
  "outputSchema",
  ...HANDLER_METHODS,
]);

/** Separates options of the session object from those sent to the server. */
function splitOptions<T extends Omit<SessionOptions, "since">>(options: T) {
  const entries = Object.entries(options);
  return {
    own: Object.fromEntries(entries.filter(([name]) => OWN_OPTIONS.has(name))) as Omit<SessionOptions, "since">,
    rest: Object.fromEntries(entries.filter(([name]) => !OWN_OPTIONS.has(name))) as Omit<T, keyof SessionOptions>,
  };
}
