import type { AgentMessage } from "@pintle/agent";
import { untilAborted } from "@pintle/ai";
import type { EntryOf } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import { cancelled } from "./compaction-error.ts";
import type { CompactionResult } from "./compaction-types.ts";
import type { FileSets } from "./summary/file-operations.ts";

/** What a compaction is going to do, for those who may stop it or do it themselves. */
export interface CompactionPreparation {
  messagesToSummarize: AgentMessage[];
  /** The beginning of the turn whose end is kept. Empty: no turn is split. */
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
  /** What the request to move says about the summary. */
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
}

export interface CompactionCause {
  reason: "manual" | "threshold" | "overflow";
  /** The turn that did not fit is sent again afterwards. */
  willRetry: boolean;
}

type Answer<T> = Promise<T | undefined> | T | undefined;

/** Where others may step in. One that throws counts as no answer. */
export interface CompactionHooks {
  beforeCompact?(
    event: {
      preparation: CompactionPreparation;
      branchEntries: readonly SessionEntry[];
      customInstructions?: string;
      signal: AbortSignal;
    } & CompactionCause,
  ): Answer<{ cancel?: boolean; compaction?: Partial<CompactionResult> & { summary: string } }>;
  /** `prompt` replaces our instructions to the summarizer, `context` are lines it gets to read in addition. */
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

/** The hook's answer; none when there is no such hook or when it fails. A signal that fires ends the wait with `cancelled`. */
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
