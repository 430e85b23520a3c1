import type { GatewaySession, PendingActionInfo, PreviewAnswer } from "@pintle/client/core";

type Session = Pick<GatewaySession, "resolvePendingAction" | "getPendingFile">;
type NamedParts = Omit<Extract<PreviewAnswer, object>, "action" | "reason">;

/** A staged change, and what the view needs to decide on it. */
export interface PreviewQuestion {
  preview: PendingActionInfo;
  /** Applies these parts, or everything. Resolves with the reason if it is refused and the change is still pending. */
  apply(parts: NamedParts): Promise<string | undefined>;
  /** The text that the change proposes for a file. */
  proposedText(path: string): Promise<string>;
}

/**
 * Makes the question for a staged change. `withdrawn` fires if the change is decided elsewhere, but not for a decision of this
 * page, which ends its question itself: a refused one leaves the question and what was typed there.
 */
export function previewQuestion(
  session: Session,
  preview: PendingActionInfo,
  signal: AbortSignal,
): { asked: PreviewQuestion; withdrawn: AbortSignal } {
  const { actionId } = preview;
  const withdrawn = new AbortController();
  let isApplying = false;
  signal.addEventListener("abort", () => {
    if (!isApplying) withdrawn.abort(signal.reason);
  });
  const asked: PreviewQuestion = {
    preview,
    async apply(parts) {
      isApplying = true;
      try {
        await session.resolvePendingAction("apply", { ...parts, actionId });
        return undefined;
      } catch (error) {
        if (signal.aborted) withdrawn.abort(signal.reason);
        return error instanceof Error ? error.message : String(error);
      } finally {
        isApplying = false;
      }
    },
    proposedText: async (path) => (await session.getPendingFile(path, { actionId })).content,
  };
  return { asked, withdrawn: withdrawn.signal };
}
