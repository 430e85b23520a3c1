import { definedIn, estimateTextTokens } from "@pintle/ai";
import { type EntryOf, isEntry } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import { CompactionError, cancelled } from "./compaction-error.ts";
import { askHook, type TreePreparation } from "./compaction-hooks.ts";
import type { CompactorParts, TreeSession } from "./compaction-types.ts";
import { type ContextItem, readWindow } from "./size/context-items.ts";
import { contentText } from "./summary/conversation-text.ts";
import { collectFiles, withFileBlocks } from "./summary/file-operations.ts";
import { foldSummary } from "./summary/fold-summary.ts";
import { asker, foldRequest } from "./summary/summarize.ts";
import { summaryAccess } from "./summary/summary-access.ts";

const OUTPUT_SHARE = 0.8;

export interface NavigateOptions {
  /** Add a summary of the abandoned branch at the new position. Default: setting `branchSummary.enabled`. */
  summarize?: boolean;
  customInstructions?: string;
  /** Whether the instructions replace the built-in ones; otherwise they are added. */
  replaceInstructions?: boolean;
  /** Label for the summary, or for the chosen entry if there is no summary. */
  label?: string;
}

export interface Navigation {
  leafId: string | null;
  /** Text of the chosen message, to edit and send again. */
  text?: string;
  summaryEntry?: EntryOf<"branch_summary">;
}

interface Move {
  session: TreeSession;
  oldLeafId: string | null;
  newLeafId: string | null;
  text?: string;
  preparation: TreePreparation;
}

interface BranchSummary {
  summary: string;
  details?: unknown;
  fromExtension: boolean;
}

/** Moves the leaf. Changes nothing before the last step, and nothing at all after an abort or if a hook cancels. */
export async function navigateTree(
  parts: CompactorParts,
  targetId: string,
  options: NavigateOptions,
  signal: AbortSignal,
): Promise<Navigation> {
  const wantsSummary = options.summarize ?? parts.settings.get("branchSummary.enabled");
  const move = planMove(parts.session(), targetId, wantsSummary, options);
  const answer = await askHook(parts, "beforeTree", { preparation: move.preparation, signal }, signal);
  if (answer?.cancel) throw cancelled();
  const given = answer?.summary;
  const { customInstructions, replaceInstructions, label } = { ...options, ...definedIn(answer ?? {}) };
  let summary: BranchSummary | undefined;
  if (given?.summary?.trim()) summary = { ...given, fromExtension: true };
  else if (wantsSummary) {
    const words = replaceInstructions ? { instructions: customInstructions } : { focus: customInstructions };
    summary = await summarizeBranch(parts, move, words, signal);
  }
  if (signal.aborted || parts.session() !== move.session || move.session.leafId !== move.oldLeafId) throw cancelled();
  return commitMove(parts, move, summary, label);
}

function planMove(
  session: TreeSession,
  targetId: string,
  userWantsSummary: boolean,
  { customInstructions, replaceInstructions, label }: NavigateOptions,
): Move {
  const target = session.entry(targetId);
  if (!target) throw new CompactionError("not_found", `Entry not found: ${targetId}`);
  const oldLeafId = session.leafId;
  const path = session.path();
  const onTargetPath = new Set(session.path(targetId).map(({ id }) => id));
  const ancestorAt = path.findLastIndex(({ id }) => onTargetPath.has(id));
  const text = editableText(target);
  return {
    session,
    oldLeafId,
    newLeafId: text === undefined ? targetId : target.parentId,
    ...(text !== undefined && { text }),
    preparation: {
      targetId,
      oldLeafId,
      commonAncestorId: path[ancestorAt]?.id ?? null,
      entriesToSummarize: path.slice(ancestorAt + 1),
      userWantsSummary,
      ...(customInstructions !== undefined && { customInstructions }),
      ...(replaceInstructions !== undefined && { replaceInstructions }),
      ...(label !== undefined && { label }),
    },
  };
}

/** The text of a user or extension message. Undefined if the entry is one to continue from rather than to edit. */
function editableText(entry: SessionEntry): string | undefined {
  if (isEntry(entry, "custom_message")) return contentText(entry.content);
  if (!isEntry(entry, "message")) return undefined;
  const { message } = entry;
  return message.role === "user" || message.role === "custom" ? contentText(message.content) : undefined;
}

/** Returns undefined if the abandoned branch has no content. */
async function summarizeBranch(
  parts: CompactorParts,
  { session, preparation }: Move,
  words: { instructions?: string | undefined; focus?: string | undefined },
  signal: AbortSignal,
): Promise<BranchSummary | undefined> {
  const left = new Set(preparation.entriesToSummarize.map(({ id }) => id));
  const { items, previous } = readWindow(session, session.path());
  const abandoned = items.filter(({ entryId }) => left.has(entryId));
  if (abandoned.length === 0) return undefined;
  const { access, usage } = summaryAccess(parts, { source: "branchSummary" });
  const reserveTokens = parts.settings.get("branchSummary.reserveTokens");
  const { texts, ...limits } = foldRequest(abandoned, OUTPUT_SHARE, reserveTokens, access.models);
  const summary = await foldSummary(
    {
      kind: "branch",
      ...limits,
      texts: newest(texts, limits.inputTokens),
      ...(previous && left.has(previous.id) && { previousSummary: previous.summary }),
      ...(words.instructions !== undefined && { instructions: words.instructions }),
      ...(words.focus !== undefined && { focus: words.focus }),
    },
    asker(access, signal),
  );
  const files = collectFiles(abandoned.map(({ message }: ContextItem) => message));
  return { summary: withFileBlocks(summary, files), details: { ...files, usage: usage() }, fromExtension: false };
}

/** Returns the last messages that fit, at least the very last one, which is folded if it is too long. */
function newest(texts: readonly string[], room: number): readonly string[] {
  let used = 0;
  for (let at = texts.length - 1; at > 0; at -= 1) {
    used += estimateTextTokens(texts[at]!) + 1;
    if (used + estimateTextTokens(texts[at - 1]!) > room) return texts.slice(at);
  }
  return texts;
}

function commitMove(
  parts: CompactorParts,
  move: Move,
  summary: BranchSummary | undefined,
  label: string | undefined,
): Navigation {
  const { session, oldLeafId, newLeafId, text } = move;
  session.moveLeaf(newLeafId);
  const summaryEntry =
    summary &&
    session.appendBranchSummary({
      fromId: newLeafId ?? "root",
      summary: summary.summary,
      ...(summary.details !== undefined && { details: summary.details }),
      ...(summary.fromExtension && { fromExtension: true }),
    });
  if (label) session.setLabel(summaryEntry?.id ?? move.preparation.targetId, label);
  parts.adoptContext("navigation");
  const moved = { newLeafId: session.leafId, oldLeafId, ...(summaryEntry && { summaryEntry }) };
  // Does not reject without a signal: errors of a hook are reported.
  void askHook(parts, "treeMoved", { ...moved, ...(summary && { fromExtension: summary.fromExtension }) });
  return { leafId: session.leafId, ...(text !== undefined && { text }), ...(summaryEntry && { summaryEntry }) };
}
