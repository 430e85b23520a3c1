import type { CustomMessage, LoopHooks } from "@pintle/agent";
import type { Fetch, ImageContent, Model, ThinkingLevel } from "@pintle/ai";
import type { AgentSessionEvent, BashResult } from "@pintle/wire";
import type { CompactionHooks } from "../compaction/compaction-hooks.ts";
import type { PromptText } from "../resources/prompts/prompt-text.ts";
import type { SystemPromptOptions } from "../resources/system-prompt/prompt-options.ts";
import type { BashOperations } from "../tools/bash/run-command.ts";

// The hooks through which a session notifies and asks its extensions. This file imports nothing from extensibility.

/** A message of an extension: neither the user's nor the model's. */
export type CustomMessageInput = Pick<CustomMessage, "customType" | "content" | "display" | "details">;

/** The origin of a tool or command, in the form that extensions of other programs read. */
export interface SourceInfo {
  path: string;
  source: string;
  scope: "user" | "project" | "temporary";
  origin: "package" | "top-level";
}

export interface CommandInfo {
  /** Without the slash. */
  name: string;
  description?: string;
  source: "extension" | "prompt" | "skill";
  sourceInfo: SourceInfo;
}

export type StartReason = "startup" | "reload" | "new" | "resume" | "fork";
export type ShutdownReason = "quit" | "reload" | "new" | "resume" | "fork";
export type InputSource = "interactive" | "rpc" | "extension";

/** The result of an input: it becomes a prompt, or an extension has handled it. */
export type InputOutcome = { kind: "prompt"; prompt: PromptText } | { kind: "handled" };

export interface RunStart {
  /** Whether a prompt or a message of an extension starts the run. */
  messageType: "user" | "custom";
  message?: CustomMessage;
  prompt: string;
  images?: ImageContent[];
  systemPrompt: string;
  /** The parts that the system prompt was built from. */
  systemPromptOptions: SystemPromptOptions;
}

export interface RunAdditions {
  /** Inserted after the user's message. */
  messages: CustomMessageInput[];
  /** Replaces the system prompt for this run only. */
  systemPrompt?: string;
  /** Appended to the system prompt for this run only. */
  promptSuffix?: string;
}

export interface ForkDecision {
  /** True cancels the fork. */
  isCancelled: boolean;
  /** True copies the whole conversation, wherever the copy was to end. */
  keepsConversation: boolean;
}

/**
 * Calls the handlers of extensions. Every method limits the time of the handlers, reports their errors, and never rejects. Await
 * the methods that return a promise; the others only add to a queue.
 */
export interface SessionHooks {
  /** Hooks for the loop. `toolCall` fails closed. A hook without a handler is undefined, which saves copies. */
  readonly loop: LoopHooks;
  readonly compaction: CompactionHooks;
  /** Receives every event of the session after it was stored and sent. Costs one lookup if there is no handler. */
  observe(event: AgentSessionEvent): void;

  /** Returns the command that a message calls, or undefined. Its `run` never rejects. */
  command(text: string): { name: string; run(): Promise<void> } | undefined;
  commands(): CommandInfo[];
  /** Set while modules that may add commands are loading. Resolves when they are loaded. */
  readonly loading: Promise<void> | undefined;
  input(prompt: PromptText, source: InputSource): Promise<InputOutcome>;
  /** Returns what extensions add to a run. */
  beforeRun(start: RunStart): Promise<RunAdditions>;
  /**
   * Called when the run would end; the messages that it returns cause another model call. Undefined without a handler.
   */
  readonly beforeSettle: ((outcome: "completed" | "aborted" | "error") => Promise<CustomMessageInput[]>) | undefined;
  /** Wraps the requests to a provider. Returns the same function if there is no handler. */
  wrapFetch(fetch: Fetch): Fetch;
  userBash(command: {
    command: string;
    excludeFromContext: boolean;
    cwd: string;
  }): Promise<{ result: BashResult } | { operations: BashOperations } | undefined>;
  resources(reason: "startup" | "reload"): Promise<{ skillPaths: string[]; promptPaths: string[] }>;

  /** Returns true if an extension cancels the change. */
  isSwitchCancelled(change: { reason: "new" | "resume" | "fork"; targetSessionFile?: string }): Promise<boolean>;
  beforeFork(change: { entryId: string; position: "before" | "at" }): Promise<ForkDecision>;
  /** Called before the open session is left. Waits at most 2 s for the handlers, whose contexts are stale afterwards. */
  leaveSession(reason: ShutdownReason, targetSessionFile?: string): Promise<void>;
  /** Called when the other session is open. Resolves when the factories have run again. */
  enterSession(reason: "new" | "resume" | "fork", previousSessionFile?: string): Promise<void>;

  modelSelected(change: { model: Model; previousModel?: Model; source: "set" | "cycle" | "restore" }): void;
  thinkingLevelSelected(change: { level: ThinkingLevel; previousLevel: ThinkingLevel }): void;
}
