import type { AssistantMessage } from "@pintle/ai";
import { commitCompaction, type Summary } from "./commit-compaction.ts";
import { cancelled } from "./compaction-error.ts";
import { askHook, type CompactionCause } from "./compaction-hooks.ts";
import type { CompactionResult, CompactorParts } from "./compaction-types.ts";
import {
  describePreparation,
  type PreparedCompaction,
  type PrepareRequest,
  prepareCompaction,
} from "./plan/prepare-compaction.ts";
import { estimateTokens } from "./size/token-estimate.ts";
import { withFileBlocks } from "./summary/file-operations.ts";
import { summarizeConversation } from "./summary/summarize.ts";
import { summaryAccess } from "./summary/summary-access.ts";
import { summarizeInPlace } from "./summary/summary-in-place.ts";

/** Maximum share of the summary for file names, which could fill a small one. */
const FILES_SHARE = 0.25;

export type CompactionRequest = Omit<PrepareRequest, "session"> & { customInstructions?: string };

/** Prepares, asks the hooks, summarizes and commits. Changes nothing before the last step, and nothing at all after an abort. */
export async function runCompaction(
  parts: CompactorParts,
  { customInstructions, ...request }: CompactionRequest,
  { signal, begin }: { signal: AbortSignal; begin?(): void },
): Promise<CompactionResult> {
  const session = parts.session();
  const prepared = prepareCompaction({ ...request, session });
  begin?.();
  const { reserveTokens, keepRecentTokens, reason } = request;
  const cause = { reason: reason === "idle" ? "threshold" : reason, willRetry: reason === "overflow" } as const;
  const event = {
    preparation: describePreparation(prepared, { reserveTokens, keepRecentTokens }),
    branchEntries: prepared.path,
    ...(customInstructions !== undefined && { customInstructions }),
    ...cause,
    signal,
  };
  const answer = await askHook(parts, "beforeCompact", event, signal);
  if (answer?.cancel) throw cancelled();
  const given = answer?.compaction;
  const summary: Summary = given?.summary?.trim()
    ? { ...given, fromExtension: true }
    : await writeSummary(parts, prepared, {
        reason: cause.reason,
        customInstructions,
        measure: request.measure,
        signal,
      });
  if (signal.aborted || parts.session() !== session) throw cancelled();
  const { entry, result } = commitCompaction(prepared, summary, parts.clock.now());
  parts.adoptContext("compaction");
  const { messages } = session.buildContext();
  const estimatedTokensAfter = messages.reduce((sum, message) => sum + estimateTokens(message), 0);
  // Does not reject without a signal: errors of a hook are reported.
  void askHook(parts, "compacted", { compactionEntry: entry, fromExtension: summary.fromExtension, ...cause });
  return { ...result, estimatedTokensAfter };
}

interface SummaryOptions {
  reason: CompactionCause["reason"];
  customInstructions: string | undefined;
  measure: AssistantMessage | undefined;
  signal: AbortSignal;
}

async function writeSummary(
  parts: CompactorParts,
  { plan, previous, files, session, budget, tokensBefore }: PreparedCompaction,
  { reason, customInstructions, measure, signal }: SummaryOptions,
): Promise<Summary> {
  const { history, turnPrefix } = plan;
  const messages = [...history, ...turnPrefix].map(({ message }) => message);
  const hook = await askHook(parts, "compacting", { sessionId: session.sessionId, messages }, signal);
  const { access, usage } = summaryAccess(parts, { source: "compaction", reason });
  const request = {
    history,
    turnPrefix,
    ...(previous && { previousSummary: previous.summary }),
    ...(hook?.context && { additionalContext: hook.context }),
    ...(hook?.prompt !== undefined && { instructions: hook.prompt }),
    ...(customInstructions !== undefined && { focus: customInstructions }),
    reserveTokens: budget.summary,
  };
  const inPlace = { ...request, kept: plan.kept, tokensBefore, ...(measure && { measure }) };
  const text =
    (await summarizeInPlace(parts, inPlace, access, signal)) ?? (await summarizeConversation(request, access, signal));
  return {
    summary: withFileBlocks(text, files, budget.summary * FILES_SHARE),
    details: { ...files, usage: usage() },
    ...(hook?.preserveData && { preserveData: hook.preserveData }),
    fromExtension: false,
  };
}
