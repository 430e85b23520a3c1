import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { ABORTED_TEXT, onAbort, type TextContent, untilAborted } from "@pintle/ai";
import type { DecidedBy, PendingAction, Resolution } from "./pending-action.ts";
import type { Previews } from "./previews.ts";

const NO_DECISION_TEXT = "No decision from the host";

interface GiveUp {
  reason: string;
  by: DecidedBy;
}

/**
 * Keeps the call open until everything it staged is decided; the outcome becomes its result. Only an explicit "apply" applies a
 * change. Silence, an abort or a missing host discards it.
 */
export async function waitForHost(
  previews: Previews,
  staged: readonly PendingAction[],
  preview: ToolResult,
  call: ToolInvocation,
): Promise<ToolResult> {
  const resolutions = staged.map((action) => previews.resolved(action) ?? Promise.resolve(undefined));
  const discard = async ({ reason, by }: GiveUp) => {
    for (const action of staged.toReversed()) {
      await previews.attempted(action);
      if (previews.isPending(action)) await previews.decide({ verdict: "discard", reason, by }, action.id);
    }
  };
  const { parts } = previews;
  if (parts.resolver) {
    await withoutTiming(call, askResolver(previews, staged, call.signal)).then(discard);
  } else if (!parts.hasHost()) {
    parts.warn('A preview was discarded: the setting resolve.by is "host", but there is no host to decide');
    await discard({ reason: NO_DECISION_TEXT, by: "timeout" });
  } else {
    const wait = waitUntil(Promise.all(resolutions), previews, staged, call.signal);
    call.update(preview); // shows the host what is pending, and until when
    const giveUp = await withoutTiming(call, wait);
    if (giveUp) await discard(giveUp);
  }
  const decided = await Promise.all(resolutions);
  return withOutcome(
    preview,
    decided.filter((one) => one !== undefined),
  );
}

function withoutTiming<T>(call: ToolInvocation, decision: Promise<T>): Promise<T> {
  return call.untimed?.(decision) ?? decision;
}

/** Returns undefined once everything is decided. */
async function waitUntil(
  all: Promise<unknown>,
  previews: Previews,
  staged: readonly PendingAction[],
  signal: AbortSignal,
): Promise<GiveUp | undefined> {
  const { timeoutMs, now } = previews.parts;
  const ms = timeoutMs();
  for (const action of staged) previews.setDeadline(action, now() + ms);
  const { promise, resolve } = Promise.withResolvers<GiveUp | undefined>();
  const timer = setTimeout(() => resolve({ reason: NO_DECISION_TEXT, by: "timeout" }), ms);
  const stopListening = previews.onHostGone(() => resolve({ reason: NO_DECISION_TEXT, by: "session" }));
  const forget = onAbort(signal, () => resolve({ reason: ABORTED_TEXT, by: "abort" }));
  const done = () => resolve(undefined); // the caller that waits for all decisions handles the failure
  all.then(done, done);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    forget();
    stopListening();
    for (const action of staged) previews.setDeadline(action, undefined);
  }
}

/** Asks about one preview after another, the last staged first. The caller discards the rest. */
async function askResolver(previews: Previews, staged: readonly PendingAction[], signal: AbortSignal): Promise<GiveUp> {
  const { resolver, timeoutMs } = previews.parts;
  for (const action of staged.toReversed()) {
    const info = previews.list().find(({ actionId }) => actionId === action.id);
    if (!info || !resolver) continue;
    const deadline = AbortSignal.timeout(timeoutMs());
    const limit = AbortSignal.any([signal, deadline]);
    try {
      const answer = await untilAborted(resolver(info, limit), limit);
      const verdict = answer?.action === "apply" ? "apply" : "discard";
      const reason = answer?.reason ?? (verdict === "apply" ? "Applied by the host" : "Discarded by the host");
      const { files, hunks, edits } = verdict === "apply" ? answer : {};
      if (!previews.isPending(action)) continue;
      await previews.decide({ verdict, reason, by: "host", files, hunks, edits }, action.id);
    } catch {
      if (signal.aborted) return { reason: ABORTED_TEXT, by: "abort" };
      if (deadline.aborted) return { reason: NO_DECISION_TEXT, by: "timeout" };
      return { reason: "The resolver failed", by: "host" };
    }
  }
  return { reason: NO_DECISION_TEXT, by: "timeout" };
}

/** The description of a preview whose tool did not provide one. */
const DECIDED_TEXT = "The preview above has been decided on and is no longer pending:";

/** The preview without its pending note, followed by its outcome. */
function withOutcome(preview: ToolResult, decided: readonly Resolution[]): ToolResult {
  const details = (typeof preview.details === "object" && preview.details) || {};
  const notes = decided.flatMap(({ action }) => action.pendingNote ?? []);
  const shown = preview.content.map((block) => (block.type === "text" ? withoutNotes(block, notes) : block));
  const lead = notes.length < decided.length ? [{ type: "text" as const, text: DECIDED_TEXT }] : [];
  return {
    ...preview,
    content: [...shown, ...lead, ...decided.flatMap(({ result }) => result.content)],
    isError: preview.isError === true || decided.some(({ result }) => result.isError),
    details: {
      ...details,
      resolution: decided.map(({ action, verdict, reason, by, result, parts }) => ({
        actionId: action.id,
        action: verdict,
        reason,
        by,
        ...parts,
        ...(result.details !== undefined && { sourceResultDetails: result.details }),
      })),
    },
  };
}

function withoutNotes(block: TextContent, notes: readonly string[]): TextContent {
  const text = notes.reduce((left, note) => left.replace(note, ""), block.text);
  return text === block.text ? block : { ...block, text: text.trimStart() };
}
