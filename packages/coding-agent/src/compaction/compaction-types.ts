import type { AgentMessage, Clock } from "@pintle/agent";
import type { Model, ModelContext, StreamModel, StreamOptions, Usage } from "@pintle/ai";
import type { EntryFields, EntryOf } from "@pintle/storage";
import type { SessionEntry, SessionEventOf } from "@pintle/wire";
import type { Settings } from "../config/settings/settings.ts";
import type { CompactionHooks } from "./compaction-hooks.ts";

export interface CompactionResult {
  summary: string;
  shortSummary?: string;
  /** The summary replaces everything before this entry. */
  firstKeptEntryId: string;
  tokensBefore: number;
  /** Size of the conversation afterwards. */
  estimatedTokensAfter?: number;
  details?: unknown;
  preserveData?: Record<string, unknown>;
}

export type AutoReason = "threshold" | "overflow" | "idle";

export type CompactionEvent =
  | SessionEventOf<"summarization_retry_scheduled">
  | SessionEventOf<"summarization_retry_attempt_start">
  | SessionEventOf<"summarization_retry_finished">
  | { type: "auto_compaction_start"; reason: AutoReason; action: "context-full" }
  | {
      type: "auto_compaction_end";
      reason: AutoReason;
      action: "context-full";
      result?: CompactionResult;
      aborted: boolean;
      willRetry: boolean;
      errorMessage?: string;
      skipped?: true;
    }
  | { type: "compaction_start"; reason: "manual" }
  | {
      type: "compaction_end";
      reason: "manual";
      result: CompactionResult | null;
      aborted: boolean;
      willRetry: boolean;
      errorMessage?: string;
    };

type SummaryFields<T extends "compaction" | "branch_summary"> = Omit<EntryFields[T], "fromHook">;

/** The parts of a session that compaction reads and writes. */
export interface CompactionSession {
  readonly sessionId: string;
  readonly leafId: string | null;
  readonly isReadOnly: boolean;
  /** From the first entry to the leaf, or to that entry. */
  path(leafId?: string | null): readonly SessionEntry[];
  /** The messages of the path, as earlier compactions and prunings left them. */
  buildContext(): { messages: readonly AgentMessage[] };
  /** Entry of each message that `buildContext` returned, by identity. */
  entryIdOf(message: AgentMessage): string | undefined;
  appendPrune(data: { ids: string[]; prunedAt: number }): unknown;
  appendCompaction(fields: SummaryFields<"compaction">): EntryOf<"compaction">;
}

/** Additional access for moving to another entry of the tree. */
export interface TreeSession extends CompactionSession {
  entry(id: string): SessionEntry | undefined;
  moveLeaf(id: string | null): void;
  appendBranchSummary(fields: SummaryFields<"branch_summary">): EntryOf<"branch_summary">;
  setLabel(targetId: string, label: string | undefined): unknown;
}

/** Why the stored context changed. */
export type ContextChange = "compaction" | "pruning" | "navigation";

/** Transport options of a request: key, headers, time limit. */
export type RequestSetup = Omit<StreamOptions, "signal" | "toolChoice" | "maxTokens" | "thinkingLevel">;

/** The request that would continue the conversation as it is. */
export interface ConversationRequest {
  model: Model;
  context: ModelContext;
  options: StreamOptions;
}

export interface CompactorParts {
  settings: Pick<Settings, "get">;
  clock: Clock;
  stream: StreamModel;
  /** The session's own model, whose window applies. */
  model(): Model | undefined;
  /** Models that may write summaries, preferred first; if empty, the session's own model. */
  summaryModels?(): readonly Model[];
  /** Throws MissingKeyError when there is no key. */
  requestSetup(model: Model): Promise<RequestSetup>;
  /** Returns undefined if no provider has cached the conversation. */
  conversationRequest?(): Promise<ConversationRequest | undefined>;
  /** Receives the usage of every model call, including rejected ones. */
  onUsage?(usage: Usage, model: { provider: string; id: string }): void;
  /** The open session. */
  session(): TreeSession;
  /** The live conversation. */
  messages(): readonly AgentMessage[];
  /** What the model receives besides messages: system prompt and tool schemas. Called only if there is no count from a provider. */
  overheadTokens(): number;
  /** Called when the session's context has changed and the live conversation must follow. */
  adoptContext(change: ContextChange): void;
  emit(event: CompactionEvent): void;
  hooks?: CompactionHooks;
  /** Reports a failed hook, which is treated as no answer. */
  reportHookError?(hook: keyof CompactionHooks, error: unknown): void;
}
