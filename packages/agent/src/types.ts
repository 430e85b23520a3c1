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
import type { RunOutput } from "./output/run-output.ts";
import type { ParameterNames } from "./parameter-names.ts";

export interface ToolResult<D = unknown> extends Omit<Static<typeof AgentToolResultSchema>, "details"> {
  details?: D;
}

/** What the server of a tool claims about it, which need not be true: show it, never rely on it. */
export type ToolAnnotations = Static<typeof ToolAnnotationsSchema>;

/**
 * Which calls may run at the same time: an `exclusive` one runs alone, a `write` waits for earlier reads and commands,
 * and all others wait for earlier writes. `command` is limited by `maxParallelCommands`. `shared` says nothing about
 * what the call does.
 */
export type Concurrency = "shared" | "read" | "command" | "write" | "exclusive";

/** One interface for built-in, custom, extension and host tools. */
export interface Tool<P extends TSchema = TSchema, D = unknown> {
  name: string;
  label: string;
  /** Other names under which some models call it. */
  aliases?: readonly string[];
  description: string;
  /** One line about it for a list of tools in the system prompt. The loop uses neither of these two. */
  promptSnippet?: string;
  /** Added to the system prompt while the model has the tool. */
  promptGuidelines?: readonly string[];
  annotations?: ToolAnnotations;
  /** JSON Schema of the arguments, for example from TypeBox. */
  parameters: P;
  /** Default `shared`; a function that throws means exclusive. */
  concurrency?: Concurrency | ((args: Static<P>) => Concurrency);
  /** Calls with the same key (a canonical file path) run in the order of the request even if shared. */
  serializeOn?(args: Static<P>): readonly string[];
  /** Only waits, so steering with interrupt mode `immediate` aborts its signal. Every other running call finishes. */
  interruptible?: boolean;
  /** Gets no abort signal: once started it runs to its end. */
  nonAbortable?: boolean;
  /** Gets the raw arguments instead of a validation error. */
  lenientArgValidation?: boolean;
  /** A call with invalid arguments also gets the schema in its answer, because the model may not have seen it. */
  explainsFaults?: boolean;
  /** May stage a change that is applied or discarded later; such calls run alone, so that they are staged in order. */
  deferrable?: boolean;
  /** Only the model may call it, not another tool. */
  modelOnly?: boolean;
  /** Parameter names that models know from other tools. Without it, the schema alone decides. */
  parameterNames?: ParameterNames;
  /** With `parameterNames`: an unknown name is reported at the end of the result, or refuses the call (default). */
  unknownParameters?: "note" | "refuse";
  /** Fixes known mistakes in the shape before validation, after parameters got their declared names. */
  prepareArguments?(args: Record<string, unknown>): Record<string, unknown>;
  /**
   * The tool that a call refers to, if not this one: from here on it is a call of that tool. The model's arguments may
   * be anything; `find` searches the tools that were offered to the model. Must not throw.
   */
  forward?(
    args: Readonly<Record<string, unknown>>,
    find: (name: string) => Tool | undefined,
  ): { tool: Tool; args: Record<string, unknown> } | undefined;
  /**
   * What a call would change, as a diff for the person who decides about it. Returns undefined if there is nothing to
   * show.
   */
  preview?(args: Static<P>): Promise<string | undefined>;
  /** Throws an Error whose message the model should read. */
  execute(args: Static<P>, call: ToolInvocation): Promise<ToolResult<D>>;
}

export interface ToolInvocation {
  id: string;
  signal: AbortSignal;
  /**
   * Fires when the user steers with interrupt mode `immediate`, for calls that can finish early with a complete result.
   */
  steeringSignal: AbortSignal;
  /** Replaces the previous progress; the value must not change afterwards. Ignored after the call has ended. */
  update(partial: ToolResult): void;
  /** Waits for a person's decision, which is excluded from the duration of the call. */
  untimed?<T>(decision: Promise<T>): Promise<T>;
  /** All calls of the message that contains this one. */
  batch: { id: string; index: number; total: number; names: readonly string[] };
  /** Runs other tools on behalf of this call; absent if the tool runs outside a conversation. */
  nested?: NestedTools;
  /** Who makes the call, if not the session whose tool it is. */
  caller?: ToolCaller;
}

/** Names an agent to the user: its id, its kind and its task in one line. */
export interface ToolCaller {
  id: string;
  agent: string;
  description?: string;
}

export interface NestedCallOptions {
  /** Stops the call; the call that made it stops it in any case. */
  signal?: AbortSignal;
  onUpdate?(partial: ToolResult): void;
}

/** A finished call made by a tool. */
export interface NestedOutcome {
  toolCall: ToolCall;
  result: ToolResult;
  isError: boolean;
  durationMs: number;
}

/** The other tools, for a running tool. */
export interface NestedTools {
  /** The tools that can be called. */
  readonly tools: readonly Tool[];
  /** Hooks and permissions apply as for a call by the model. Never rejects: every failure is an error result. */
  call(name: string, args: Record<string, unknown>, options?: NestedCallOptions): Promise<NestedOutcome>;
}

export type QueueMode = (typeof QUEUE_MODES)[number];
export type InterruptMode = (typeof INTERRUPT_MODES)[number];

/** Read before every model call, so a change during a run applies from the next call. */
export interface TurnSetup {
  model: Model;
  systemPrompt?: string;
  tools: readonly Tool[];
  /** Run if they are called, although the request does not declare them. */
  undeclared?: readonly Tool[];
  /** Key, headers, thinking level and whatever else the provider needs. */
  options?: Omit<StreamOptions, "signal" | "toolChoice" | "outputFormat" | "now">;
}

/** What just happened, for code that decides what comes next. */
export interface Outcome {
  message: AssistantMessage;
  toolResults: readonly ToolResultMessage[];
  /** Facts about a failed message. */
  failure?: ProviderFailure;
  /** The owner of the directive that chose the tools of this turn, if any. */
  choiceLabel?: string;
  /**
   * `failed`: the run ends unless a step follows. `continues`: another model call follows anyway. `stops`: nothing is
   * left to do.
   */
  state: "failed" | "continues" | "stops";
}

export type NextStep =
  /** Drops the failed message and calls the model again, with these messages first. */
  | { kind: "retry"; messages?: readonly AgentMessage[] }
  /** Another turn, with these messages first. */
  | { kind: "turn"; messages: readonly AgentMessage[] };

/**
 * Asked after each turn, inside the run. When the signal fires it should finish its work and settle; the run waits for
 * it, but no longer than the grace period.
 */
export type Next = (outcome: Outcome, signal: AbortSignal) => Promise<NextStep | undefined>;

export interface ToolCallDecision {
  block?: boolean;
  reason?: string;
  /** Replaces the arguments for this execution; the history keeps what the model sent. */
  arguments?: Record<string, unknown>;
}

/** A call as it would run. */
export interface PermitCall {
  id: string;
  tool: Tool;
  args: Record<string, unknown>;
}

/** A call as hooks see it. */
export interface HookedCall extends ToolCall {
  /** The call whose tool made this one. */
  parentToolCallId?: string;
}

/**
 * Extension points; each is awaited where it applies. A `toolCall` that throws blocks the call, a `context` that throws
 * fails the model call; failures of the others are ignored. The code that supplies them limits their time and reports faults.
 */
export interface LoopHooks {
  context?: ((messages: AgentMessage[]) => Promise<AgentMessage[]>) | undefined;
  toolCall?:
    | ((call: HookedCall, signal: AbortSignal, annotations?: ToolAnnotations) => Promise<ToolCallDecision | undefined>)
    | undefined;
  toolResult?: ((call: HookedCall, result: ToolResult) => Promise<Partial<ToolResult> | undefined>) | undefined;
  messageEnd?: ((message: AgentMessage) => Promise<AgentMessage | undefined>) | undefined;
}

/** Why a call may not run. */
export interface Denial {
  /** For the model. */
  text: string;
  /** The run ends with it. */
  endsRun?: boolean;
  /** Why it ends, for the results of the remaining calls. */
  endReason?: string;
}

/** Decides which calls may run. */
export interface ToolAuthorizer {
  /**
   * Receives the calls of a message before the first of them runs, with the model's arguments, before any hook changes
   * them. Must not throw.
   */
  announce(calls: readonly PermitCall[], signal: AbortSignal): void;
  /**
   * Asked right before a call runs, after all hooks: what it approves is what runs. If it throws, the call is denied.
   * The signal fires when the call will no longer run.
   */
  permit(call: PermitCall, signal: AbortSignal): Promise<Denial | undefined>;
}

/** Why an answer is stopped, and whether it leaves the conversation. */
export interface Objection {
  reason: string;
  discard: boolean;
}

/**
 * Inspects the answer while it streams. An objection stops the model and ends the message as aborted; the run continues
 * as `next` says. Called for every update, so its work must not grow with the message. Must not throw.
 */
export type StreamWatcher = (event: AssistantUpdateEvent) => Objection | undefined;

export interface LoopLimits {
  /** 0 = none. */
  maxTurns: number;
  /** How long an abort waits for tools and policies that do not stop; hooks get one second more. */
  abortGraceMs: number;
  /** How many calls of kind `command` run at once; 0 or absent means no limit. */
  maxParallelCommands?: number;
}

/** Everything the loop needs from outside. The same dependencies and answers produce the same events. */
export interface LoopDeps {
  stream: StreamModel;
  setup(): TurnSetup | Promise<TurnSetup>;
  /** The target of the next request: a message names it even if `setup` fails or an abort comes first. */
  model?(): Model;
  /**
   * Throws only for the end of a message that could not be stored, which then no listener received. May be re-entered
   * when a listener prompts or steers: keep the order.
   */
  emit(event: AgentEvent): void;
  /**
   * Returns a promise while the reader of the events cannot keep up: reading of the model stream pauses until it
   * resolves.
   */
  ready?(): Promise<void> | undefined;
  /** Resolves when the reader could have seen all events so far. Awaited before a tool has effects. */
  delivered?(): Promise<void> | undefined;
  next?: Next;
  /**
   * Awaited before each model call, but not beyond an abort. To prevent the call, end the run; if it throws, the call
   * fails.
   */
  beforeCall?(signal: AbortSignal): void | Promise<void>;
  hooks?: LoopHooks;
  /** Without one, every call runs. */
  authorizer?: ToolAuthorizer;
  /** Wraps the execution of each permitted call, for work that has to come right before and right after it. */
  around?(call: PermitCall, signal: AbortSignal, execute: () => Promise<ToolResult>): Promise<ToolResult>;
  watch?: StreamWatcher;
  /** The output that the next run has to return. Asked once, at its start. */
  output?(): RunOutput | undefined;
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
