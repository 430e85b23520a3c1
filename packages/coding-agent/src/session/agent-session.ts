import {
  Agent,
  type AgentMessage,
  type Clock,
  createSystemClock,
  type InterruptMode,
  type MessageQueue,
  type Tool,
} from "@pintle/agent";
import type { ImageContent, Model, StreamModel, ThinkingLevel, UserMessage } from "@pintle/ai";
import type { Settings } from "../config/settings.ts";
import { SessionEmitter, type SessionListener } from "./event-emitter.ts";
import type { ModelState } from "./model-state.ts";
import { RunController } from "./run-controller.ts";
import type { AgentSessionEvent } from "./session-events.ts";

export interface PromptInput {
  text: string;
  images?: ImageContent[];
  /** Where the text goes when a run is active. */
  streamingBehavior?: "steer" | "followUp";
}

export interface Submission {
  /** Resolves at agent_start or when the message is queued. Rejects when no run could be started. */
  started: Promise<void>;
  /** Resolves when everything the prompt caused is over. */
  finished: Promise<void>;
}

export interface AgentSessionParts {
  sessionId: string;
  models: ModelState;
  settings: Settings;
  systemPrompt: string;
  tools: readonly Tool[];
  stream: StreamModel;
  clock?: Clock;
}

/** What every mode drives: a short face over the owners of the session's state. */
export class AgentSession {
  readonly sessionId: string;
  readonly systemPrompt: string;
  readonly tools: readonly Tool[];
  /** Session only, like the modes of the queue; the user's settings stay as they are. */
  interruptMode: InterruptMode;
  readonly #agent: Agent;
  readonly #models: ModelState;
  readonly #runs: RunController;
  readonly #events = new SessionEmitter();
  readonly #clock: Clock;
  #ready: () => Promise<void> | undefined = () => undefined;

  constructor(parts: AgentSessionParts) {
    const { settings } = parts;
    this.sessionId = parts.sessionId;
    this.systemPrompt = parts.systemPrompt;
    this.tools = parts.tools;
    this.#models = parts.models;
    this.#clock = parts.clock ?? createSystemClock();
    this.#agent = new Agent({
      stream: parts.stream,
      setup: async () => ({ systemPrompt: this.systemPrompt, tools: this.tools, ...(await this.#models.forRequest()) }),
      emit: (event) => this.emit(event),
      ready: () => this.#ready(),
      interruptMode: () => this.interruptMode,
      limits: () => ({
        maxTurns: settings.get("agent.maxTurns"),
        maxIdenticalCalls: settings.get("agent.maxIdenticalCalls"),
        abortGraceMs: settings.get("agent.abortGraceMs"),
      }),
      clock: this.#clock,
    });
    this.interruptMode = settings.get("interruptMode");
    this.queue.steeringMode = settings.get("steeringMode");
    this.queue.followUpMode = settings.get("followUpMode");
    this.#runs = new RunController(this.#agent, (event) => this.emit(event));
    this.queue.subscribe(() =>
      this.emit({
        type: "queue_update",
        steering: this.queue.texts("steering"),
        followUp: this.queue.texts("followUp"),
      }),
    );
  }

  subscribe(listener: SessionListener): () => void {
    return this.#events.subscribe(listener);
  }

  emit(event: AgentSessionEvent): void {
    this.#events.emit(event);
  }

  /** The promise `ready` returns while a listener cannot keep up pauses the model stream. */
  setReady(ready: () => Promise<void> | undefined): void {
    this.#ready = ready;
  }

  get isStreaming(): boolean {
    return this.#agent.isRunning;
  }

  get isCompacting(): boolean {
    return false;
  }

  get messages(): readonly AgentMessage[] {
    return this.#agent.messages;
  }

  get queue(): MessageQueue {
    return this.#agent.queue;
  }

  get model(): Model | undefined {
    return this.#models.current;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#models.thinkingLevel;
  }

  /**
   * Accepts a prompt. The run is claimed before this returns (a second prompt is refused), but nothing is emitted before the
   * caller's current job has ended, so an acknowledgement written right after it comes first.
   */
  submit(input: PromptInput): Submission {
    const message = this.#toUserMessage(input);
    if (this.isStreaming && input.streamingBehavior) {
      if (input.streamingBehavior === "steer") this.queue.steer(message);
      else this.queue.followUp(message);
      return { started: Promise.resolve(), finished: this.#runs.settled() };
    }
    return this.#runs.begin(async () => {
      this.#models.requireUsable();
      return [message, ...this.queue.takeNextTurn()];
    });
  }

  /** Resolves when the session is idle; at once when it is. */
  abort(): Promise<void> {
    return this.#runs.abort();
  }

  async dispose(): Promise<void> {
    await this.abort();
  }

  #toUserMessage({ text, images = [] }: PromptInput): UserMessage {
    const texts = text === "" ? [] : [{ type: "text" as const, text }];
    return { role: "user", content: [...texts, ...images], attribution: "user", timestamp: this.#clock.now() };
  }
}
