import type { CustomMessage, LoopHooks } from "@pintle/agent";
import type { Fetch, ImageContent, Model, ThinkingLevel } from "@pintle/ai";
import type { AgentSessionEvent, BashResult } from "@pintle/wire";
import type { CompactionHooks } from "../compaction/compaction-hooks.ts";
import type { PromptText } from "../resources/prompts/prompt-text.ts";
import type { SystemPromptOptions } from "../resources/system-prompt/prompt-options.ts";
import type { BashOperations } from "../tools/bash/run-command.ts";

// What a session tells and asks the extensions in it. It names nothing of this folder, so that it can live with the session.

/** What an extension says of a message that is neither the user's nor the model's. */
export type CustomMessageInput = Pick<CustomMessage, "customType" | "content" | "display" | "details">;

/** Where a tool or command comes from, as other programs' extensions read it. */
export interface SourceInfo {
  path: string;
  source: string;
  scope: "user" | "project" | "temporary";
  origin: "package" | "top-level";
}

export interface CommandInfo {
  /** As it is typed, without the slash. */
  name: string;
  description?: string;
  source: "extension" | "prompt" | "skill";
  sourceInfo: SourceInfo;
}

export type StartReason = "startup" | "reload" | "new" | "resume" | "fork";
export type ShutdownReason = "quit" | "reload" | "new" | "resume" | "fork";
export type InputSource = "interactive" | "rpc" | "extension";

/** What became of a text before it is a prompt. */
export type InputOutcome = { kind: "prompt"; prompt: PromptText } | { kind: "handled" };

export interface RunStart {
  /** What starts the run: a prompt, or a message of an extension. */
  messageType: "user" | "custom";
  message?: CustomMessage;
  prompt: string;
  images?: ImageContent[];
  systemPrompt: string;
  /** What the prompt was made of. */
  systemPromptOptions: SystemPromptOptions;
}

export interface RunAdditions {
  /** They join the first turn after the user's message. */
  messages: CustomMessageInput[];
  /** Replaces the system prompt, for this run alone. */
  systemPrompt?: string;
  /** Follows the system prompt, for this run alone. */
  promptSuffix?: string;
}

export interface ForkDecision {
  /** It must not happen. */
  isCancelled: boolean;
  /** The new session holds the whole conversation, wherever it was to end. */
  keepsConversation: boolean;
}

/**
 * What a session tells and asks its extensions. All methods bound the time of what they call and report its faults; none
 * rejects. Those that give a promise are to be awaited where they are called, the others only put something into a queue.
 */
export interface SessionHooks {
  /**
   * Hooks for the loop. `toolCall` fails closed. Each is undefined without a handler, so that nothing is copied
   * needlessly.
   */
  readonly loop: LoopHooks;
  readonly compaction: CompactionHooks;
  /** Every event of the session, after it was stored and sent. Costs one look-up without a handler. */
  observe(event: AgentSessionEvent): void;

  /** Returns the command that a message calls; it never rejects. Returns undefined if it calls none. */
  command(text: string): { name: string; run(): Promise<void> } | undefined;
  commands(): CommandInfo[];
  /** While modules load, of which some may add commands: resolves when they are loaded. */
  readonly loading: Promise<void> | undefined;
  input(prompt: PromptText, source: InputSource): Promise<InputOutcome>;
  /** Returns what extensions add to a run. */
  beforeRun(start: RunStart): Promise<RunAdditions>;
  /** The run would end: the messages ask for another model call. Undefined without a handler. */
  readonly beforeSettle: ((outcome: "completed" | "aborted" | "error") => Promise<CustomMessageInput[]>) | undefined;
  /** Around the requests to a provider; gives the same function back without a handler. */
  wrapFetch(fetch: Fetch): Fetch;
  userBash(command: {
    command: string;
    excludeFromContext: boolean;
    cwd: string;
  }): Promise<{ result: BashResult } | { operations: BashOperations } | undefined>;
  resources(reason: "startup" | "reload"): Promise<{ skillPaths: string[]; promptPaths: string[] }>;

  /** True: it must not happen. */
  isSwitchCancelled(change: { reason: "new" | "resume" | "fork"; targetSessionFile?: string }): Promise<boolean>;
  beforeFork(change: { entryId: string; position: "before" | "at" }): Promise<ForkDecision>;
  /** Before the open session is left; waits for the handlers, 2 s at most. What they hold is stale afterwards. */
  leaveSession(reason: ShutdownReason, targetSessionFile?: string): Promise<void>;
  /** The other session is open. The factories have run again when it resolves. */
  enterSession(reason: "new" | "resume" | "fork", previousSessionFile?: string): Promise<void>;

  modelSelected(change: { model: Model; previousModel?: Model; source: "set" | "cycle" | "restore" }): void;
  thinkingLevelSelected(change: { level: ThinkingLevel; previousLevel: ThinkingLevel }): void;
}
