import { type AgentMessage, BUSY_TEXT, MessageQueue } from "@pintle/agent";
import type { Model } from "@pintle/ai";
import { scriptedModelInfo } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { SessionError } from "../../../../../storage/src/session-error.ts";
import { Settings } from "../../../../src/config/settings/settings.ts";
import type { AgentSession } from "../../../../src/session/agent-session.ts";
import type { SessionHost } from "../../../../src/session/attached-host.ts";
import type { PromptInput } from "../../../../src/session/prompting/prompting.ts";
import type { PromptOutcome, Submission } from "../../../../src/session/runs/run-controller.ts";

/** What a fake declares of an object has the declared type; the rest is missing. */
type PartOf<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly unknown[]
    ? T
    : T extends object
      ? { [K in keyof T]?: PartOf<T[K]> }
      : T;

/** A session that does only what the test says. FakeHost checks what is read from it against the protocol. */
export class FakeSession implements PartOf<AgentSession> {
  readonly sessionId = "session-1";
  readonly settings = Settings.inMemory();
  readonly sessionFile = undefined;
  readonly sessionName = undefined;
  readonly systemPrompt = { text: "Be brief.", isBuilt: true };
  readonly tooling = { view: { active: [] }, previews: { list: () => [], decider: "model" } } as const;
  readonly queue = new MessageQueue();
  readonly prompts: Omit<PromptInput, "onAccepted">[] = [];
  readonly compaction = { isCompacting: false, enabled: true };
  readonly sandbox = { status: { mode: "off", strength: "unknown" }, isUnknown: false } as const;
  readonly interruptions = { current: undefined };
  readonly processes = { leftBehind: 0 };
  readonly jobs = { runningCount: 0, isPending: false };
  readonly output = { default: undefined };
  readonly todos = { store: { phases: [] } };
  readonly permissions = { mode: "full" } as const;
  readonly undo = { state: { coverage: "off", checkpoints: 0, canUndo: false, canRedo: false } } as const;
  /** Tests that answer prompts themselves replace this. */
  readonly prompting = { interruptMode: "wait" as const, submit: (input: PromptInput) => this.submit(input) };
  readonly events = {
    emit: (event: AgentSessionEvent) => this.emit(event),
  };
  model: Model = scriptedModelInfo;
  thinkingLevel: AgentSession["thinkingLevel"] = "off";
  isStreaming = false;
  /** As with a pending background job, so that runs end without `session_settled`. */
  readonly isSettled = false;
  messages: AgentMessage[] = [];
  ready: () => Promise<void> | undefined = () => undefined;
  /** Set this to keep `abort` from ending. */
  abortNeverEnds = false;
  disposals = 0;
  disposeError: Error | undefined;
  #listener: (event: AgentSessionEvent) => void = () => {};
  #start = Promise.withResolvers<PromptOutcome>();
  #settled = Promise.withResolvers<undefined>();
  #onAccepted: NonNullable<PromptInput["onAccepted"]> = () => {};

  attachHost({ reader = {} }: SessionHost): () => void {
    this.ready = reader.ready?.bind(reader) ?? this.ready;
    return () => {};
  }

  readonly results: { last: AgentSession["results"]["last"]; without: AgentSession["results"]["without"] } = {
    last: { agentInvoked: true, status: "completed", sessionId: "fake" },
    without: (fields) => ({ agentInvoked: false, ...fields, sessionId: "fake" }),
  };

  getContextUsage(): undefined {}

  subscribe(listener: (event: AgentSessionEvent) => void): () => void {
    this.#listener = listener;
    return () => {};
  }

  emit(...events: AgentSessionEvent[]): void {
    for (const event of events) this.#listener(event);
  }

  submit({ onAccepted = () => {}, ...input }: PromptInput): Submission {
    if (this.isStreaming && !input.streamingBehavior) throw new SessionError("busy", BUSY_TEXT);
    this.prompts.push(input);
    if (this.isStreaming) {
      onAccepted("queued");
      this.emit({ type: "queue_update", steering: [input.text], followUp: [] });
      return { started: Promise.resolve("queued"), finished: this.#settled.promise };
    }
    this.isStreaming = true;
    this.#onAccepted = onAccepted;
    this.#start = Promise.withResolvers();
    this.#settled = Promise.withResolvers();
    return { started: this.#start.promise, finished: this.#settled.promise };
  }

  /** Starts the run of the accepted prompt. */
  startRun(): void {
    this.#onAccepted("run");
    this.#onAccepted = () => {};
    this.#start.resolve("run");
    this.emit({ type: "agent_start" });
  }

  /** Ends the accepted prompt without a run. */
  refuseRun(error: Error): void {
    this.isStreaming = false;
    this.#start.reject(error);
    this.#settled.resolve(undefined);
  }

  endRun(stopReason: "stop" | "aborted" = "stop"): void {
    this.isStreaming = false;
    const status = stopReason === "stop" ? "completed" : "aborted";
    this.results.last = { agentInvoked: true, status, sessionId: "fake" };
    this.emit({ type: "agent_end", messages: [], stopReason }, { type: "agent_settled", aborted: false });
    this.#settled.resolve(undefined);
  }

  async abort(): Promise<void> {
    if (this.abortNeverEnds) return new Promise(() => {});
    if (!this.isStreaming) return;
    await Promise.resolve();
    this.endRun("aborted");
  }

  async dispose(): Promise<void> {
    this.disposals += 1;
    if (this.disposeError) throw this.disposeError;
  }

  readonly runs = { settled: async () => {} };

  /** For code that requires a whole session but uses only what is here. */
  asSession(): AgentSession {
    return this as unknown as AgentSession;
  }
}
