import type { AgentMessage, Clock } from "@pintle/agent";
import type { Model, ModelContext, StreamModel, StreamOptions, Usage } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import type { Settings } from "../config/settings/settings.ts";
import type { EntryFields, EntryOf } from "../storage/entries/entries.ts";
import type { CompactionHooks } from "./compaction-hooks.ts";

export interface CompactionResult {
  summary: string;
  shortSummary?: string;
  /** What stands before this entry is replaced by the summary. */
  firstKeptEntryId: string;
  tokensBefore: number;
  details?: unknown;
  preserveData?: Record<string, unknown>;
}

export type AutoReason = "threshold" | "overflow" | "idle";

export type CompactionEvent =
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

/** What compaction reads and writes of a session. */
export interface CompactionSession {
  readonly sessionId: string;
  readonly leafId: string | null;
  readonly isReadOnly: boolean;
  /** From the first entry to the leaf, or to that entry. */
  path(leafId?: string | null): readonly SessionEntry[];
  /** The messages of the path, after whatever earlier compactions and prunings left of it. */
  buildContext(): { messages: readonly AgentMessage[] };
  /** For the messages `buildContext` gives, by identity. */
  entryIdOf(message: AgentMessage): string | undefined;
  appendPrune(data: { ids: string[]; prunedAt: number }): unknown;
  appendCompaction(fields: SummaryFields<"compaction">): EntryOf<"compaction">;
}

/** What moving to another place of the tree needs in addition. */
export interface TreeSession extends CompactionSession {
  entry(id: string): SessionEntry | undefined;
  moveLeaf(id: string | null): void;
  appendBranchSummary(fields: SummaryFields<"branch_summary">): EntryOf<"branch_summary">;
  setLabel(targetId: string, label: string | undefined): unknown;
}

/** What made the stored context another one. */
export type ContextChange = "compaction" | "pruning" | "navigation";

/** What a request needs besides what it says: key, headers, time limit. */
export type RequestSetup = Omit<StreamOptions, "signal" | "toolChoice" | "maxTokens" | "thinkingLevel">;

/** What would be sent to go on with the conversation as it is. */
export interface ConversationRequest {
  model: Model;
  context: ModelContext;
  options: StreamOptions;
}

export interface CompactorParts {
  settings: Pick<Settings, "get">;
  clock: Clock;
  stream: StreamModel;
  /** The session's own model, whose window counts. */
  model(): Model | undefined;
  /** Who may write summaries, the preferred first; the session's own model when it is empty. */
  summaryModels?(): readonly Model[];
  /** Throws MissingKeyError when there is no key. */
  requestSetup(model: Model): Promise<RequestSetup>;
  /** Undefined: no provider has the conversation in its cache, so there is nothing to gain from it. */
  conversationRequest?(): Promise<ConversationRequest | undefined>;
  /** Told what each call of a model used, also of one that was of no use. */
  onUsage?(usage: Usage): void;
  /** The open session. */
  session(): TreeSession;
  /** The live conversation. */
  messages(): readonly AgentMessage[];
  /** What the model is sent besides messages: system prompt and tool schemas. Asked only when no provider has counted. */
  overheadTokens(): number;
  /** The session's context is another one now: the live conversation has to become that. */
  adoptContext(change: ContextChange): void;
  emit(event: CompactionEvent): void;
  hooks?: CompactionHooks;
  /** A hook failed; it counts as no answer. */
  reportHookError?(hook: keyof CompactionHooks, error: unknown): void;
}
