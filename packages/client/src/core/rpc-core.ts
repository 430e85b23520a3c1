import type {
  CallOptions,
  Ready,
  RpcEvent,
  RpcEventMap,
  RpcSessionState,
  SessionSnapshotEvent,
  WorkerExitedEvent,
} from "../protocol.ts";
import { CommandMethods } from "./command-methods.ts";
import { RpcClosedError, RpcCommandError } from "./errors.ts";
import { EventHub } from "./event-hub.ts";
import { EventStream } from "./event-stream.ts";
import { Exchange, type RequestOptions } from "./exchange.ts";
import { type FaultListener, FaultReport } from "./fault-report.ts";
import type { FrameHandlers } from "./frame-receiver.ts";
import { type HostTool, HostTools, toDefinition } from "./host-tools.ts";
import { MessageRebuilder } from "./message-rebuilder.ts";
import { missedEnd } from "./missed-end.ts";
import type { OptionNames } from "./option-names.ts";
import { createQuery, type Query, QueryStream } from "./query.ts";
import {
  type BudgetHandler,
  type Capabilities,
  FRAME_METHODS,
  type Handler,
  type PreviewAnswer,
  type PreviewHandler,
} from "./question-handlers.ts";
import { BUDGET, Questions } from "./questions.ts";
import {
  createRun,
  followRun,
  type OutputOf,
  outputNotSupported,
  type Run,
  type RunOptions,
  type RunParts,
} from "./run.ts";
import type { RunPlace, RunResult } from "./run-result.ts";
import { toJsonSchema } from "./schemas/schema-value.ts";
import { checkBudget, HANDLER_METHODS, SESSION_OPTION_NAMES, type SessionOptions } from "./session-options.ts";
import type { Frame, FrameTransport, Transport } from "./transport.ts";

export interface CoreOptions extends SessionOptions {
  /** With `delta`, long answers take less bandwidth; the client restores the full message in every update. */
  updateMode?: "full" | "delta";
  /** How long to wait for the server's first frame; default 30000. */
  readyTimeoutMs?: number;
  /** How long to wait for a response; default 30000. */
  requestTimeoutMs?: number;
}

export const CORE_OPTION_NAMES: OptionNames<CoreOptions> = {
  ...SESSION_OPTION_NAMES,
  updateMode: true,
  readyTimeoutMs: true,
  requestTimeoutMs: true,
};

export interface StartOptions {
  signal?: AbortSignal;
}

const IDLE_TIMEOUT_MS = 60_000;
/** A client without a process: talks to a server over any transport. */
export class RpcCore extends CommandMethods {
  readonly #exchange: Exchange;
  readonly #updateMode: CoreOptions["updateMode"];
  readonly #faults = new FaultReport();
  readonly #hub = new EventHub((type, error) => this.#faults.thrown(`A listener for ${type}`, error));
  readonly #streams = new Set<EventStream>();
  readonly #hostTools = new HostTools((frame, key) => this.#exchange.send(frame, key));
  readonly #questions = new Questions({
    send: (frame) => this.#exchange.send(frame),
    request: (command, params) => this.#exchange.request(command, params),
    declare: (change) => this.#declare(change),
    onThrow: (what, error) => this.#faults.thrown(`The handler of ${what}`, error),
  });
  #customTools: readonly HostTool[];
  #server: Ready | undefined;
  /** Injects a frame; set on a shared connection. */
  #takeFrame: ((frame: Frame) => void) | undefined;
  /** The snapshot received after a reconnect, kept until its meaning for active runs is known. */
  #snapshot: SessionSnapshotEvent | undefined;
  #isIntroduced = false;
  readonly #setUp: Pick<SessionOptions, "policy" | "budget">;
  #outputSchema: object | undefined;
  /** True if the server keeps calls of host tools pending for a while after a lost connection. */
  #hasToolGrace = false;

  static {
    for (const [method, capability] of Object.entries(FRAME_METHODS)) {
      const value = function (this: RpcCore, handler: never) {
        return this.#questions.install(capability, handler);
      };
      Object.defineProperty(RpcCore.prototype, method, { value, writable: true, configurable: true });
    }
  }

  constructor(options: CoreOptions = {}) {
    super();
    checkBudget(options.budget);
    const { tools = [], customTools = [], updateMode, readyTimeoutMs, requestTimeoutMs, outputSchema } = options;
    this.#exchange = new Exchange({ readyTimeoutMs, requestTimeoutMs });
    this.#customTools = [...tools, ...customTools];
    this.#updateMode = updateMode;
    this.#setUp = options;
    this.#outputSchema = outputSchema;
    for (const method of HANDLER_METHODS) {
      // Each method takes the handler of the option with its name.
      if (options[method]) (this[method] as (handler: unknown) => void)(options[method]);
    }
  }

  /** What the server reported about itself when it was ready. */
  get server(): Ready | undefined {
    return this.#server;
  }

  /** The server's capabilities; the oldest servers have none. */
  protected get capabilities(): readonly string[] {
    return this.#server?.capabilities ?? [];
  }

  /** The session and file that runs currently belong to. */
  protected get place(): RunPlace {
    const { sessionId = "", sessionFile } = this.#server ?? {};
    return { sessionId, ...(sessionFile !== undefined && { sessionFile }) };
  }

  /** True if no run or prompt is active and the last run has settled. */
  get isIdle(): boolean {
    return this.#exchange.tracker.isIdle;
  }

  /** Resolves when the server is ready and has received this host's tools and capabilities. */
  async connect(transport: Transport, options: StartOptions = {}): Promise<Ready> {
    const onEnd = (reason: Error) => this.disconnect(reason);
    const { ready, isOpen } = this.#exchange.open(transport, this.#frameHandlers(), onEnd, options);
    try {
      this.#server = checked(await ready);
      await this.#introduce(options);
      return this.#server;
    } catch (error) {
      if (isOpen()) this.disconnect(error);
      throw error;
    }
  }

  /** Joins a session on a shared connection. Resolves when the server has received this host's tools and capabilities. */
  protected async join(transport: FrameTransport, options: StartOptions = {}): Promise<void> {
    const onEnd = (reason: Error) => this.disconnect(reason);
    this.#hasToolGrace = this.capabilities.includes("host_tool_annotations");
    this.#takeFrame = this.#exchange.join(transport, this.#frameHandlers(), onEnd);
    await this.#introduce(options);
  }

  /** Handles a lost connection. Running host tools are cancelled unless the server waits for their results. */
  protected connectionLost(): void {
    if (!this.#hasToolGrace) this.#hostTools.cancelAll();
  }

  /** Handles the loss of the process: whatever was running has ended. */
  protected interrupted(reason: Error): void {
    this.#hostTools.cancelAll();
    this.#questions.takeBackAll();
    this.#exchange.tracker.interrupted(reason);
  }

  /** Applies the session's current state after missed events. Runs that ended in the meantime are ended here too. */
  protected caughtUp(state: Pick<RpcSessionState, "isStreaming" | "isSettled">): void {
    const { tracker } = this.#exchange;
    if (state.isSettled) tracker.endedUnseen(this.#snapshot && missedEnd(tracker.messages, this.#snapshot));
    else tracker.resume(state);
    this.#snapshot = undefined;
  }

  protected reportFault(what: string, error: unknown): void {
    this.#faults.thrown(what, error);
  }

  /** Rejects everything that is waiting and ignores further data from the transport. */
  disconnect(reason: unknown = new RpcClosedError("The client was stopped")): void {
    this.#isIntroduced = false;
    this.#hostTools.cancelAll();
    this.#questions.takeBackAll();
    this.#exchange.close(reason);
    for (const stream of [...this.#streams]) stream.fail(reason);
  }

  /** Sends a command that has no method of its own. Returns the `data` of the response. */
  request<T = unknown>(frame: { type: string } & Record<string, unknown>, options: CallOptions = {}): Promise<T> {
    const { type, id: _own, ...params } = frame;
    if (type === "set_output_schema") this.#outputSchema = undefined; // the server's default schema has changed
    return this.#exchange.request(type, params, options) as Promise<T>;
  }

  /** Replaces the tools that run in this program. */
  setCustomTools(tools: readonly HostTool[], options: CallOptions = {}): Promise<{ toolNames: string[] }> {
    const onSuccess = () => {
      this.#customTools = tools;
      this.#hostTools.set(tools);
    };
    const request: RequestOptions = { ...options, onSuccess };
    const hasAnnotations = this.capabilities.includes("host_tool_annotations");
    const definitions = tools.map((tool) => toDefinition(tool, hasAnnotations));
    return this.#exchange.request("set_host_tools", { tools: definitions }, request) as Promise<{
      toolNames: string[];
    }>;
  }

  /** Subscribes to every event, including types that this version does not know. Returns a function that unsubscribes. */
  onEvent(listener: (event: RpcEvent) => void): () => void {
    return this.#hub.onEvent(listener);
  }

  on<T extends keyof RpcEventMap>(type: T, listener: (event: RpcEventMap[T]) => void): () => void {
    return this.#hub.on(type, listener);
  }

  /** Iterates over events from now on. Updates are merged for slow readers. Leave the loop to unsubscribe. */
  events({ signal }: { signal?: AbortSignal } = {}): AsyncIterableIterator<RpcEvent, undefined> {
    const onAbort = () => stream.fail(signal?.reason);
    const stream: EventStream = new EventStream(() => {
      stopListening();
      this.#streams.delete(stream);
      signal?.removeEventListener("abort", onAbort);
    });
    const stopListening = this.#hub.onEvent((event) => stream.push(event));
    this.#streams.add(stream);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort);
    return stream;
  }

  /** Decides about changes that a tool has staged; the run waits for the return value. */
  onPreview<const A extends PreviewAnswer>(handler: Handler<PreviewHandler, A>): () => void {
    return this.#questions.install("resolvePreviews", handler);
  }

  /** Called when a limit is exhausted and the run waits; the return value holds the new totals. */
  onBudget(handler: BudgetHandler): () => void {
    return this.#questions.install("budgets", handler);
  }

  /** Reports lines that are not frames, failures that match no request, and listeners that threw. */
  onProtocolError(listener: FaultListener): () => void {
    return this.#faults.onFault(listener);
  }

  /** Sends a prompt; its run can be iterated, and awaited through `result`. */
  run<const S = undefined>(message: string, options: RunOptions<S> = {}): Run<OutputOf<S>> {
    // The output was validated against the schema that its type is inferred from.
    return createRun(this.#runParts(message), options) as Run<OutputOf<S>>;
  }

  /** Sends a prompt and waits for the end of its run. */
  promptAndWait<const S = undefined>(message: string, options: RunOptions<S> = {}): Promise<RunResult<OutputOf<S>>> {
    return followRun(this.#runParts(message), options) as Promise<RunResult<OutputOf<S>>>; // as above
  }

  /** Sends a prompt and yields every event of the session, with `prompt_result` last. Leaving the loop aborts the run. */
  query<const S = undefined>(message: string, options: RunOptions<S> = {}): Query<OutputOf<S>> {
    const stream = this.#allEvents();
    const follow = (signal: AbortSignal) =>
      followRun(this.#runParts(message), { ...options, signal }, { onEnd: stream.endAfterThis });
    return createQuery(stream, follow, options.signal) as Query<OutputOf<S>>; // as above
  }

  /** Resolves when nothing is left to do; rejects if a prompt fails after it was accepted. */
  waitForIdle(options: CallOptions = {}): Promise<void> {
    return this.#exchange.waits.wait<void>({
      timeoutMs: IDLE_TIMEOUT_MS,
      ...options,
      what: "waitForIdle",
      start: (settle) => this.#exchange.tracker.whenIdle(settle),
    });
  }

  /** Collects the events from now until the next `agent_end`, or until the `prompt_result` of a prompt that needed no run. */
  collectEvents(options: CallOptions = {}): Promise<RpcEvent[]> {
    return this.#exchange.waits.wait<RpcEvent[]>({
      timeoutMs: IDLE_TIMEOUT_MS,
      ...options,
      what: "collectEvents",
      start: ({ resolve, reject }) => {
        const events: RpcEvent[] = [];
        const stopListening = this.#hub.onEvent((event) => {
          events.push(event);
          const isHandled = event.type === "prompt_result" && !event.agentInvoked;
          if (event.type === "agent_end" || isHandled) resolve(events);
        });
        const stopWatching = this.#exchange.tracker.onLateFailure(reject);
        return () => {
          stopListening();
          stopWatching();
        };
      },
    });
  }

  /**
   * Streams every event until the end of the run. A lost connection ends it with the run's error, which carries the result so
   * far.
   */
  #allEvents(): QueryStream {
    const stream: QueryStream = new QueryStream(() => stopListening());
    const stopListening = this.#hub.onEvent((event) => stream.push(event));
    return stream;
  }

  #runParts(message: string): RunParts {
    const { waits } = this.#exchange;
    return {
      waits,
      hasResults: this.#hasResults,
      hasOutputs: this.capabilities.includes("output_schema"),
      outputSchema: this.#outputSchema,
      place: () => this.place,
      prompt: (params, watcher) => this.#exchange.request("prompt", { message, ...params }, { watcher }),
      abort: () => void this.#exchange.request("abort").catch(() => {}), // a lost connection ends the run by itself
    };
  }

  get #hasResults(): boolean {
    return this.capabilities.includes("run_result");
  }

  /** Sends a new server everything it has to know. The commands are pipelined, because the server runs them in order. */
  async #introduce(options: StartOptions): Promise<void> {
    this.#isIntroduced = true;
    this.#exchange.tracker.hasResults = this.#hasResults;
    const { policy, budget } = this.#setUp;
    const schema = this.#outputSchema && toJsonSchema(this.#outputSchema, "outputSchema");
    if (schema && !this.capabilities.includes("output_schema")) throw outputNotSupported("set_output_schema");
    const capabilities = { ...this.#questions.capabilities, ...(this.#hasToolGrace && { toolGrace: true }) };
    await Promise.all([
      policy && this.#exchange.request("set_policy", { rules: policy }, options),
      budget && this.#exchange.request("set_budget", budget, options),
      schema && this.#exchange.request("set_output_schema", { schema }, options),
      this.#customTools.length > 0 && this.setCustomTools(this.#customTools, options),
      Object.keys(capabilities).length > 0 && this.#exchange.request("set_host_capabilities", capabilities, options),
      this.#updateMode && this.#exchange.request("set_update_mode", { mode: this.#updateMode }, options),
    ]);
  }

  /**
   * Withdraws questions that are missing from the snapshot, because they were answered in the meantime, and asks the new ones.
   */
  #resume(snapshot: SessionSnapshotEvent): void {
    this.#snapshot = snapshot;
    const pending = new Map((snapshot.pending as Frame[]).map((frame) => [questionId(frame), frame]));
    this.#questions.keep(new Set(pending.keys()));
    for (const [id, frame] of pending) {
      const isKnown = this.#questions.isOpen(id) || this.#hostTools.isRunning(id);
      if (!isKnown && this.#questions.hasHandler(frame)) this.#takeFrame?.(frame);
    }
  }

  #declare(change: Capabilities): void {
    if (!this.#isIntroduced) return; // sent when the server is ready
    const said = this.#exchange.request("set_host_capabilities", change);
    said.catch((error) => {
      if (!(error instanceof RpcClosedError)) this.#faults.thrown("set_host_capabilities", error);
    });
  }

  #frameHandlers(): Omit<FrameHandlers, "ready" | "response"> {
    const rebuilder = new MessageRebuilder();
    return {
      // None of these rejects: an error in a tool or handler becomes its answer or goes to onThrow.
      host_tool_call: (frame) => void this.#hostTools.call(frame),
      host_tool_cancel: (frame) => this.#hostTools.cancel(frame),
      question: (frame) => this.#questions.receive(frame),
      event: (frame) => {
        const event = rebuilder.rebuild(frame);
        if (event.type === "worker_exited") this.interrupted(exitError(event));
        this.#exchange.tracker.handle(event);
        this.#questions.handle(event);
        this.#hub.emit(event);
        if (event.type === "session_snapshot") this.#resume(event);
      },
      fault: (fault) => this.#faults.report(fault),
    };
  }
}

/** A preview is identified by its action; there is at most one budget question. */
function questionId({ type, id, action }: Frame): string {
  if (type === "budget_reached") return BUDGET;
  return String(id ?? (action as { actionId?: string } | undefined)?.actionId);
}

function exitError({ code, signal, stderrTail }: WorkerExitedEvent): RpcCommandError {
  const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
  const error = `The session's process ${how}\n${stderrTail}`.trimEnd();
  return new RpcCommandError({ command: "prompt", code: "worker_exited", error });
}

/** Checks the protocol version. Older servers report none and use version 1. */
function checked(ready: Ready): Ready {
  const { supportedProtocolVersions: versions } = ready;
  if (!Array.isArray(versions) || versions.includes(1)) return ready;
  throw new RpcClosedError(
    `The server speaks version ${versions.join(", ")} of the protocol, but this client supports only version 1`,
  );
}
