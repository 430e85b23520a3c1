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
import type {
  ApprovalHandler,
  BudgetHandler,
  Capabilities,
  FileHandler,
  LoginHandler,
  PreviewHandler,
  TerminalHandler,
  TrustHandler,
  UiHandler,
} from "./question-handlers.ts";
import { BUDGET, Questions } from "./questions.ts";
import { createRun, followRun, type Run, type RunOptions, type RunParts, type RunResult } from "./run.ts";
import type { PromptWatcher } from "./run-tracker.ts";
import type { Frame, FrameTransport, Transport } from "./transport.ts";

export interface CoreOptions {
  /** Tools of the model that run in this program. */
  customTools?: readonly HostTool[];
  /** `delta`: long answers cost less to transfer; the client puts the message so far back into every update. */
  updateMode?: "full" | "delta";
  /** 30000 */
  readyTimeoutMs?: number;
  /** 30000 */
  requestTimeoutMs?: number;
}

export interface StartOptions {
  signal?: AbortSignal;
}

const RUN_TIMEOUT_MS = 60_000;

/** The client without a process: speaks to a server through any transport. */
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
  /** Over a shared connection. */
  #takeFrame: ((frame: Frame) => void) | undefined;
  /** What a session was like after a time away, until it is clear what that means for runs. */
  #snapshot: SessionSnapshotEvent | undefined;
  #isIntroduced = false;

  constructor({ customTools = [], updateMode, readyTimeoutMs, requestTimeoutMs }: CoreOptions = {}) {
    super();
    this.#exchange = new Exchange({ readyTimeoutMs, requestTimeoutMs });
    this.#customTools = customTools;
    this.#updateMode = updateMode;
  }

  /** What the server said about itself when it was ready. */
  get server(): Ready | undefined {
    return this.#server;
  }

  /** No run, nothing left of the last one, and no prompt under way. */
  get isIdle(): boolean {
    return this.#exchange.tracker.isIdle;
  }

  /** Resolves when the server is ready and knows the tools and abilities of this host. */
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

  /** For a session on a shared connection: resolves when the server knows the tools and abilities of this host. */
  protected async join(transport: FrameTransport, options: StartOptions = {}): Promise<void> {
    const onEnd = (reason: Error) => this.disconnect(reason);
    this.#takeFrame = this.#exchange.join(transport, this.#frameHandlers(), onEnd);
    await this.#introduce(options);
  }

  /** The connection is gone for now, and with it the calls of this host's tools. */
  protected connectionLost(): void {
    this.#hostTools.cancelAll();
  }

  /** Whatever ran has ended with the process that ran it. */
  protected interrupted(reason: Error): void {
    this.#hostTools.cancelAll();
    this.#questions.takeBackAll();
    this.#exchange.tracker.interrupted(reason);
  }

  /** How the session is now, where events cannot have told. Whatever ended meanwhile has ended unseen. */
  protected caughtUp(state: Pick<RpcSessionState, "isStreaming" | "isSettled">): void {
    const { tracker } = this.#exchange;
    if (state.isSettled) tracker.endedUnseen(this.#snapshot && missedEnd(tracker.messages, this.#snapshot));
    else tracker.resume(state);
    this.#snapshot = undefined;
  }

  protected reportFault(what: string, error: unknown): void {
    this.#faults.thrown(what, error);
  }

  /** Rejects everything that waits. What the transport says afterwards is not heard. */
  disconnect(reason: unknown = new RpcClosedError("The client was stopped")): void {
    this.#isIntroduced = false;
    this.#hostTools.cancelAll();
    this.#questions.takeBackAll();
    this.#exchange.close(reason);
    for (const stream of [...this.#streams]) stream.fail(reason);
  }

  /** For commands without a method. Gives the `data` of the answer. */
  request<T = unknown>(frame: { type: string } & Record<string, unknown>, options: CallOptions = {}): Promise<T> {
    const { type, id: _own, ...params } = frame;
    return this.#exchange.request(type, params, options) as Promise<T>;
  }

  /** Replaces the tools that run in this program. */
  setCustomTools(tools: readonly HostTool[], options: CallOptions = {}): Promise<{ toolNames: string[] }> {
    const onSuccess = () => {
      this.#customTools = tools;
      this.#hostTools.set(tools);
    };
    const request: RequestOptions = { ...options, onSuccess };
    return this.#exchange.request("set_host_tools", { tools: tools.map(toDefinition) }, request) as Promise<{
      toolNames: string[];
    }>;
  }

  /** Every event, also of types that this version does not know. Gives a function that ends it. */
  onEvent(listener: (event: RpcEvent) => void): () => void {
    return this.#hub.onEvent(listener);
  }

  on<T extends keyof RpcEventMap>(type: T, listener: (event: RpcEventMap[T]) => void): () => void {
    return this.#hub.on(type, listener);
  }

  /** Events from now on. A reader that is slow gets updates merged; leave the loop to end it. */
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

  /** Dialogs of extensions; the return value is the answer. Without a handler every dialog is cancelled. */
  onUiRequest(handler: UiHandler): () => void {
    return this.#questions.install("ui", handler);
  }

  /** Whether code that the project brings along may run; the return value is the answer. */
  onTrustRequest(handler: TrustHandler): () => void {
    return this.#questions.install("trust", handler);
  }

  /** Whether a tool call may run; the return value is the answer. Without a handler the server denies it. */
  onApproval(handler: ApprovalHandler): () => void {
    return this.#questions.install("approvals", handler);
  }

  /** A person is to log in at an MCP server: show the address, and give back the one that the browser is sent to. */
  onMcpAuth(handler: LoginHandler): () => void {
    return this.#questions.install("mcpAuth", handler);
  }

  /** Changes that a tool has staged: the run waits for the decision, which is the return value. */
  onPreview(handler: PreviewHandler): () => void {
    return this.#questions.install("resolvePreviews", handler);
  }

  /** A limit is used up and the run waits; the return value has the new totals. */
  onBudget(handler: BudgetHandler): () => void {
    return this.#questions.install("budgets", handler);
  }

  /** Files that are open in an editor are read and written there. */
  onFileRequest(handler: FileHandler): () => void {
    return this.#questions.install("fs", handler);
  }

  /** The model's commands run in a terminal of the host. */
  onTerminalRequest(handler: TerminalHandler): () => void {
    return this.#questions.install("terminal", handler);
  }

  /** Lines that are no frames, failures that belong to nothing, and listeners that threw. */
  onProtocolError(listener: FaultListener): () => void {
    return this.#faults.onFault(listener);
  }

  /** Sends a prompt; its run can be iterated, and awaited through `result`. */
  run(message: string, options: RunOptions = {}): Run {
    return createRun(this.#runParts(message, options), options);
  }

  /** Sends a prompt and waits for the end of its run. */
  promptAndWait(message: string, options: RunOptions = {}): Promise<RunResult> {
    return followRun(this.#runParts(message, options), { timeoutMs: RUN_TIMEOUT_MS, ...options });
  }

  /** Waits until nothing is left to do; rejects when a prompt fails after it was accepted. */
  waitForIdle(options: CallOptions = {}): Promise<void> {
    return this.#exchange.waits.wait<void>({
      timeoutMs: RUN_TIMEOUT_MS,
      ...options,
      what: "waitForIdle",
      start: (settle) => this.#exchange.tracker.whenIdle(settle),
    });
  }

  /** The events from now to the next `agent_end`, or to the `prompt_result` of a prompt that needed no run. */
  collectEvents(options: CallOptions = {}): Promise<RpcEvent[]> {
    return this.#exchange.waits.wait<RpcEvent[]>({
      timeoutMs: RUN_TIMEOUT_MS,
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

  #runParts(message: string, { images, streamingBehavior }: RunOptions): RunParts {
    const { waits } = this.#exchange;
    const params = { message, images, streamingBehavior };
    return {
      waits,
      prompt: (watcher: PromptWatcher) => this.#exchange.request("prompt", params, { watcher }),
      abort: () => void this.#exchange.request("abort").catch(() => {}), // a lost connection is told to the run itself
    };
  }

  /** What a new server has to know. Pipelined: it takes commands in order. */
  async #introduce(options: StartOptions): Promise<void> {
    this.#isIntroduced = true;
    const { capabilities } = this.#questions;
    await Promise.all([
      this.#customTools.length > 0 && this.setCustomTools(this.#customTools, options),
      Object.keys(capabilities).length > 0 && this.#exchange.request("set_host_capabilities", capabilities, options),
      this.#updateMode && this.#exchange.request("set_update_mode", { mode: this.#updateMode }, options),
    ]);
  }

  /** Questions that are not in the snapshot were answered meanwhile; those that are new here are asked now. */
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
    if (!this.#isIntroduced) return; // said when the server is ready
    const said = this.#exchange.request("set_host_capabilities", change);
    said.catch((error) => {
      if (!(error instanceof RpcClosedError)) this.#faults.thrown("set_host_capabilities", error);
    });
  }

  #frameHandlers(): Omit<FrameHandlers, "ready" | "response"> {
    const rebuilder = new MessageRebuilder();
    return {
      // None of these rejects: what a tool or a handler throws is its answer, or told to onThrow.
      host_tool_call: (frame) => void this.#hostTools.call(frame),
      host_tool_cancel: (frame) => this.#hostTools.cancel(frame),
      extension_ui_request: (frame) => void this.#questions.askUi(frame), // as above
      trust_request: (frame) => void this.#questions.askTrust(frame), // as above
      approval_request: (frame) => void this.#questions.askApproval(frame), // as above
      host_fs_request: (frame) => void this.#questions.askFile(frame), // as above
      host_terminal_request: (frame) => void this.#questions.askTerminal(frame), // as above
      approval_cancel: (frame) => this.#questions.cancelApproval(frame),
      mcp_auth_request: (frame) => void this.#questions.askLogin(frame), // as above
      mcp_auth_cancel: (frame) => this.#questions.cancelApproval(frame),
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

/** Of a preview its own; there is one budget at most. */
function questionId({ type, id, action }: Frame): string {
  if (type === "budget_reached") return BUDGET;
  return String(id ?? (action as { actionId?: string } | undefined)?.actionId);
}

function exitError({ code, signal, stderrTail }: WorkerExitedEvent): RpcCommandError {
  const how = signal === null ? `has exited with code ${code}` : `was ended by ${signal}`;
  const error = `The process of the session ${how}\n${stderrTail}`.trimEnd();
  return new RpcCommandError({ command: "prompt", code: "worker_exited", error });
}

/** An old server says nothing about versions; it speaks the first. */
function checked(ready: Ready): Ready {
  const { supportedProtocolVersions: versions } = ready;
  if (!Array.isArray(versions) || versions.includes(1)) return ready;
  throw new RpcClosedError(`The server speaks version ${versions.join(", ")} of the protocol, this client version 1`);
}
