import type { AgentMessage } from "@pintle/agent";
import { untilAborted } from "@pintle/ai";
import type { EntryOf } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import { cancelled } from "./compaction-error.ts";
import type { CompactionResult } from "./compaction-types.ts";
import type { FileSets } from "./summary/file-operations.ts";

/** What a compaction will do, for hooks, which may cancel it or write the summary themselves. */
export interface CompactionPreparation {
  messagesToSummarize: AgentMessage[];
  /** The beginning of the turn whose end is kept; empty if no turn is split. */
  turnPrefixMessages: AgentMessage[];
  isSplitTurn: boolean;
  /** Undefined if nothing is kept. */
  firstKeptEntryId?: string;
  tokensBefore: number;
  previousSummary?: string;
  fileOps: FileSets;
  settings: { reserveTokens: number; keepRecentTokens: number };
}

export interface TreePreparation {
  targetId: string;
  oldLeafId: string | null;
  commonAncestorId: string | null;
  entriesToSummarize: SessionEntry[];
  userWantsSummary: boolean;
  /** The instructions for the summary in the request to move. */
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
}

export interface CompactionCause {
  reason: "manual" | "threshold" | "overflow";
  /** True if the turn that did not fit is sent again afterwards. */
  willRetry: boolean;
}

type Answer<T> = Promise<T | undefined> | T | undefined;

/** Hooks for extensions. A hook that throws is treated as one without an answer. */
export interface CompactionHooks {
  beforeCompact?(
    event: {
      preparation: CompactionPreparation;
      branchEntries: readonly SessionEntry[];
      customInstructions?: string;
      signal: AbortSignal;
    } & CompactionCause,
  ): Answer<{ cancel?: boolean; compaction?: Partial<CompactionResult> & { summary: string } }>;
  /** `prompt` replaces the built-in instructions to the summarizer; `context` lines are added to its input. */
  compacting?(event: { sessionId: string; messages: AgentMessage[] }): Answer<{
    prompt?: string;
    context?: string[];
    preserveData?: Record<string, unknown>;
  }>;
  compacted?(event: { compactionEntry: EntryOf<"compaction">; fromExtension: boolean } & CompactionCause): Answer<void>;
  beforeTree?(event: { preparation: TreePreparation; signal: AbortSignal }): Answer<{
    cancel?: boolean;
    summary?: { summary: string; details?: unknown };
    customInstructions?: string;
    replaceInstructions?: boolean;
    label?: string;
  }>;
  treeMoved?(event: {
    newLeafId: string | null;
    oldLeafId: string | null;
    summaryEntry?: EntryOf<"branch_summary">;
    fromExtension?: boolean;
  }): Answer<void>;
}

type HookArgument<K extends keyof CompactionHooks> = Parameters<NonNullable<CompactionHooks[K]>>[0];
type HookAnswer<K extends keyof CompactionHooks> = Awaited<ReturnType<NonNullable<CompactionHooks[K]>>>;

export interface HookCaller {
  hooks?: CompactionHooks;
  reportHookError?(hook: keyof CompactionHooks, error: unknown): void;
}

/** Returns the hook's answer, or undefined if there is no such hook or it fails. Throws `cancelled` if the signal aborts. */
export async function askHook<K extends keyof CompactionHooks>(
  { hooks, reportHookError }: HookCaller,
  name: K,
  event: HookArgument<K>,
  signal?: AbortSignal,
): Promise<HookAnswer<K> | undefined> {
  if (signal?.aborted) throw cancelled();
  const hook = hooks?.[name] as ((event: HookArgument<K>) => HookAnswer<K> | Promise<HookAnswer<K>>) | undefined;
  if (!hook) return undefined;
  try {
    const answer = hook.call(hooks, event);
    return await untilAborted(answer, signal, cancelled);
  } catch (error) {
    if (signal?.aborted) throw cancelled();
    reportHookError?.(name, error);
    return undefined;
  }
}
