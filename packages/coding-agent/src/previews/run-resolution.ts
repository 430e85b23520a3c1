import type { ToolResult } from "@pintle/agent";
import { errorText, textsOf } from "@pintle/ai";
import type { DecidedParts } from "@pintle/wire";
import { ApplyRefused } from "./apply-refused.ts";
import type { ChangeSelection, DecidedBy, PendingAction, Resolution, Verdict } from "./pending-action.ts";

export interface Decision {
  verdict: Verdict;
  reason: string;
  by: DecidedBy;
}

/** The parts of a change to apply. */
export interface PartialDecision {
  selection: ChangeSelection;
  decided?: DecidedParts;
  /** Describes the parts for the model; added to the result of a successful apply. */
  text?(): string;
}

/**
 * Runs the decided action once, to completion. The action must already be off the stack, so that it never runs again.
 * Throws ApplyRefused if nothing was done and the action is still pending.
 */
export async function runResolution(
  action: PendingAction,
  { verdict, reason, by }: Decision,
  partial?: PartialDecision,
): Promise<Resolution> {
  const run = partial ? applyParts(action, reason, partial) : RUN[verdict](action, reason);
  const result = withText(await run, () => DEFAULT_TEXT[verdict](action, reason));
  const parts = result.isError ? undefined : (partial?.decided ?? wholeParts(action, verdict));
  return { action, verdict, reason, by, result, text: textOf(result), ...(parts && { parts }) };
}

const DEFAULT_TEXT: Record<Verdict, (action: PendingAction, reason: string) => string> = {
  apply: ({ label }) => `Applied: ${label}.`,
  discard: ({ label }, reason) => `Discarded: ${label}. Reason: ${reason}`,
};

type Run = (action: PendingAction, reason: string) => Promise<ToolResult | undefined>;

const RUN: Record<Verdict, Run> = {
  async apply(action, reason) {
    try {
      return await action.apply(reason);
    } catch (error) {
      return failure("Apply failed", error);
    }
  },
  async discard(action, reason) {
    try {
      return await action.reject?.(reason);
    } catch (error) {
      return failure("Discard failed", error);
    }
  },
};

async function applyParts(
  action: PendingAction,
  reason: string,
  { selection, text }: PartialDecision,
): Promise<ToolResult | undefined> {
  try {
    const isOfFiles = selection.hunks.length + selection.edits.length === 0 && action.applyFiles;
    if (isOfFiles) return await action.applyFiles?.(selection.files, reason);
    const result = await action.applyHunks?.(selection, reason);
    const content = Array.isArray(result?.content) ? result.content : [];
    return result?.isError || !text ? result : { ...result, content: [...content, { type: "text", text: text() }] };
  } catch (error) {
    return failure("Apply failed", error);
  }
}

/** What becomes of a change that is applied or discarded as a whole. */
function wholeParts({ changes }: PendingAction, verdict: Verdict): DecidedParts | undefined {
  if (!changes) return undefined;
  const all = { files: changes.map(({ path }) => path), hunks: [] };
  const none = { files: [], hunks: [] };
  return verdict === "apply"
    ? { applied: all, discarded: none, edited: [] }
    : { applied: none, discarded: all, edited: [] };
}

function failure(what: string, error: unknown): ToolResult {
  if (error instanceof ApplyRefused) throw error;
  const message = errorText(error);
  return { content: [{ type: "text", text: `${what}: ${message}` }], isError: true };
}

/** Results of user code may lack any field. */
function withText(given: ToolResult | undefined, defaultText: () => string): ToolResult {
  const content = Array.isArray(given?.content) ? given.content : [];
  if (content.some((block) => block.type === "text" && block.text.trim() !== "")) return { ...given, content };
  const images = content.filter((block) => block.type === "image");
  return { ...given, content: [{ type: "text", text: defaultText() }, ...images] };
}

function textOf({ content }: ToolResult): string {
  return textsOf(content).join("\n");
}
