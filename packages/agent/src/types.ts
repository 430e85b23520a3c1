import type {
  AssistantMessage,
  AssistantUpdateEvent,
  Model,
  ProviderFailure,
  StreamModel,
  StreamOptions,
  ToolCall,
  ToolResultMessage,
} from "@pintle/ai";
import type { Static, TSchema } from "typebox";
import type { AgentToolResultSchema, ToolAnnotationsSchema } from "./event-schemas.ts";
import type { AgentEvent } from "./events.ts";
import type { AgentMessage } from "./messages.ts";
import type { INTERRUPT_MODES, QUEUE_MODES } from "./modes.ts";

export interface ToolResult<D = unknown> extends Omit<Static<typeof AgentToolResultSchema>, "details"> {
  details?: D;
}

/** What the server of a tool says of it, which need not be true: to be shown, never to be relied on. */
export type ToolAnnotations = Static<typeof ToolAnnotationsSchema>;

export type Concurrency = "shared" | "exclusive";

/** One shape for built-in, custom, extension and host tools. */
export interface Tool<P extends TSchema = TSchema, D = unknown> {
  name: string;
  label: string;
  /** Names under which some models call it all the same. */
  aliases?: readonly string[];
  description: string;
  /** One line about it for a list of tools in the system prompt. The loop looks at neither of these two. */
  promptSnippet?: string;
  /** What the system prompt says while the model has it. */
  promptGuidelines?: readonly string[];
  annotations?: ToolAnnotations;
  /** JSON Schema; TypeBox schemas are that. */
  parameters: P;
  /** `exclusive` runs alone. Default `shared`; a function that throws means exclusive. */
  concurrency?: Concurrency | ((args: Static<P>) => Concurrency);
  /** Calls that name the same key (a canonical file path) run in the order of the request even when shared. */
  serializeOn?(args: Static<P>): readonly string[];
  /** Can be cut short, and is when the user steers with interrupt mode `immediate`: its signal fires. */
  interruptible?: boolean;
  /** Gets no abort signal: once started it runs to its end. */
  nonAbortable?: boolean;
  /** Gets the raw arguments instead of a validation error. */
  lenientArgValidation?: boolean;
  /** A call with wrong arguments is answered with the schema as well: the model may not have seen it. */
  explainsFaults?: boolean;
  /** May stage a change that is applied or discarded later; such calls run alone, so that they are staged in their order. */
  deferrable?: boolean;
  /** Fixes known shape mistakes before validation. */
  prepareArguments?(args: Record<string, unknown>): Record<string, unknown>;
  /**
   * Which tool a call is meant for, if not for this one: from here on it is a call of that. What a model sends may be anything.
   * Must not throw.
   */
  forward?(args: Readonly<Record<string, unknown>>): { tool: Tool; args: Record<string, unknown> } | undefined;
  /** What a call would change, as a diff for the person who decides whether it may. undefined: nothing that can be shown. */
  preview?(args: Static<P>): Promise<string | undefined>;
  /** Throws an Error whose message the model should read. */
  execute(args: Static<P>, call: ToolInvocation): Promise<ToolResult<D>>;
}

export interface ToolInvocation {
  id: string;
  signal: AbortSignal;
  /** Fires when the user steers with interrupt mode `immediate`: finish early if you can. */
  steeringSignal: AbortSignal;
  /** Replaces the previous progress; what was handed over must not be changed. Ignored after the call has ended. */
  update(partial: ToolResult): void;
  /** The message's calls this one belongs to. */
  batch: { id: string; index: number; total: number; names: readonly string[] };
}

export type QueueMode = (typeof QUEUE_MODES)[number];
export type InterruptMode = (typeof INTERRUPT_MODES)[number];

/** Read before every model call, so a change in mid-run counts from the next call on. */
export interface TurnSetup {
  model: Model;
  systemPrompt?: string;
  tools: readonly Tool[];
  /** Are run when they are called, although the request does not declare them. */
  undeclared?: readonly Tool[];
  /** Key, headers, thinking level and whatever else the provider needs. */
  options?: Omit<StreamOptions, "signal" | "toolChoice" | "now">;
}

/** What just happened, for those who decide what comes next. */
export interface Outcome {
  message: AssistantMessage;
  toolResults: readonly ToolResultMessage[];
  /** Facts about a failed message. */
  failure?: ProviderFailure;
  /** Whose directive chose the tools of this turn, if any did. */
  choiceLabel?: string;
  /** `failed`: ends unless a step comes. `continues`: another model call follows anyway. `stops`: nothing is left to do. */
  state: "failed" | "continues" | "stops";
}

export type NextStep =
  /** Forget the failed message and call the model again, with these messages first. */
  | { kind: "retry"; messages?: readonly AgentMessage[] }
  /** Another turn, with these messages first. */
  | { kind: "turn"; messages: readonly AgentMessage[] };

/**
 * Asked after each turn, inside the run. When the signal fires it should bring what it began to an end and settle; it is
 * waited for, but no longer than the time of grace.
 */
export type Next = (outcome: Outcome, signal: AbortSignal) => Promise<NextStep | undefined>;

export interface ToolCallDecision {
  block?: boolean;
  reason?: string;
  /** Replaces the arguments for this execution; history keeps what the model sent. */
  arguments?: Record<string, unknown>;
}

/** A call as it would run. */
export interface PermitCall {
  id: string;
  tool: Tool;
  args: Record<string, unknown>;
}

/**
 * Points where others may step in; each is awaited where it applies. A `toolCall` that throws blocks the call, a `context`
 * that throws fails the model call, the others then count as no answer. Who offers them bounds their time and reports.
 */
export interface LoopHooks {
  context?(messages: AgentMessage[]): Promise<AgentMessage[]>;
  toolCall?(call: ToolCall, signal: AbortSignal, annotations?: ToolAnnotations): Promise<ToolCallDecision | undefined>;
  toolResult?(call: ToolCall, result: ToolResult): Promise<Partial<ToolResult> | undefined>;
  messageEnd?(message: AgentMessage): Promise<AgentMessage | undefined>;
}

/** Why a call may not run. */
export interface Denial {
  /** For the model. */
  text: string;
  /** The run ends with it. */
  endsRun?: boolean;
  /** Why it ends, for the results of the calls that are left. */
  endReason?: string;
}

/** Decides which calls may run. */
export interface ToolGate {
  /**
   * Told of the calls of a message before the first of them runs, with the arguments of the model: what a hook makes of them
   * is not known yet. Must not throw.
   */
  announce(calls: readonly PermitCall[], signal: AbortSignal): void;
  /**
   * Asked right before a call runs, after all hooks: what is decided on is what runs. One that throws denies. The signal
   * fires when the call will not run any more.
   */
  permit(call: PermitCall, signal: AbortSignal): Promise<Denial | undefined>;
}

/** Why an answer is stopped, and whether it leaves the conversation. */
export interface Objection {
  reason: string;
  discard: boolean;
}

/**
 * Looks at the answer as it streams. An objection stops the model and ends the message as aborted; the run goes on as `next`
 * says. Called for every update, so its work must not grow with the message. Must not throw.
 */
export type StreamWatcher = (event: AssistantUpdateEvent) => Objection | undefined;

export interface LoopLimits {
  /** 0 = none. */
  maxTurns: number;
  /** How long an abort waits for tools and policies that do not stop; hooks have a second more. */
  abortGraceMs: number;
}

/** Everything the loop needs from outside; same deps and same answers give the same events. */
export interface LoopDeps {
  stream: StreamModel;
  setup(): TurnSetup | Promise<TurnSetup>;
  /** Whom the next request goes to: a message says so even when `setup` fails or an abort comes before it. */
  model?(): Model;
  /**
   * Throws for the end of a message that could not be stored, and then no listener got it; for nothing else. May be called
   * again from inside, when a listener prompts or steers: keep the order.
   */
  emit(event: AgentEvent): void;
  /** A promise while the reader of the events cannot keep up: the model stream is not read on until it resolves. */
  ready?(): Promise<void> | undefined;
  /** Resolves when the reader could have seen all events so far. Waited for before a tool acts on the world. */
  delivered?(): Promise<void> | undefined;
  next?: Next;
  /**
   * Waited for before each model call, not longer than until an abort. Who wants no call ends the run; one that throws fails
   * the call.
   */
  beforeCall?(signal: AbortSignal): void | Promise<void>;
  hooks?: LoopHooks;
  /** Without one, every call runs. */
  gate?: ToolGate;
  watch?: StreamWatcher;
  interruptMode(): InterruptMode;
  limits(): LoopLimits;
  clock: Clock;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after the time or when the signal fires, whichever is first. Never rejects. */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
}
