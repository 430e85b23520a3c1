import { type AgentMessage, BUSY_TEXT, MessageQueue } from "@pintle/agent";
import type { Model } from "@pintle/ai";
import { scriptedModelInfo } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { Settings } from "../../../../src/config/settings/settings.ts";
import type { AgentSession, EventReader } from "../../../../src/session/agent-session.ts";
import type { PromptInput } from "../../../../src/session/prompting/prompting.ts";
import type { PromptOutcome } from "../../../../src/session/runs/run-controller.ts";
import { SessionError } from "../../../../src/storage/session-error.ts";

/** A session that does what the test says and nothing by itself. */
export class FakeSession {
  readonly sessionId = "session-1";
  readonly settings = Settings.inMemory();
  readonly sessionFile = undefined;
  readonly sessionName = undefined;
  readonly systemPrompt = "Be brief.";
  readonly tools: AgentSession["tools"] = [];
  readonly queue = new MessageQueue();
  readonly prompts: Omit<PromptInput, "onAccepted">[] = [];
  interruptMode: AgentSession["interruptMode"] = "wait";
  model: Model | undefined = scriptedModelInfo;
  thinkingLevel: AgentSession["thinkingLevel"] = "off";
  isStreaming = false;
  isCompacting = false;
  isAutoCompacting = true;
  messages: AgentMessage[] = [];
  ready: () => Promise<void> | undefined = () => undefined;
  /** Set to keep `abort` from ending. */
  abortNeverEnds = false;
  disposals = 0;
  disposeError: Error | undefined;
  #listener: (event: AgentSessionEvent) => void = () => {};
  #start = Promise.withResolvers<PromptOutcome>();
  #settled = Promise.withResolvers<undefined>();
  #onAccepted: NonNullable<PromptInput["onAccepted"]> = () => {};

  readonly todoPhases: AgentSession["todoPhases"] = [];
  readonly previewDecider = "model";
  /** The mode puts who is asked here. */
  readonly permissions: { mode: AgentSession["permissions"]["mode"]; approver?: unknown } = { mode: "full" };
  readonly pendingActions: AgentSession["pendingActions"] = [];

  attachHost(): void {}

  declareHost(): void {}

  /** The mode puts who is waited for here. */
  readonly budget: { waiter?: unknown } = {};

  readonly results: { last: AgentSession["results"]["last"]; without: AgentSession["results"]["without"] } = {
    last: { agentInvoked: true, status: "completed", sessionId: "fake" },
    without: (fields) => ({ agentInvoked: false, ...fields, sessionId: "fake" }),
  };

  getContextUsage(): undefined {}

  subscribe(listener: (event: AgentSessionEvent) => void): () => void {
    this.#listener = listener;
    return () => {};
  }

  setReader(reader: EventReader): void {
    this.ready = reader.ready?.bind(reader) ?? this.ready;
  }

  emit(...events: AgentSessionEvent[]): void {
    for (const event of events) this.#listener(event);
  }

  submit({ onAccepted = () => {}, ...input }: PromptInput): ReturnType<AgentSession["submit"]> {
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

  /** The run of the accepted prompt begins. */
  startRun(): void {
    this.#onAccepted("run");
    this.#onAccepted = () => {};
    this.#start.resolve("run");
    this.emit({ type: "agent_start" });
  }

  /** No run comes of the accepted prompt. */
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

  /** For those who ask for a whole session but use only what is here. */
  asSession(): AgentSession {
    return this as unknown as AgentSession;
  }
}
