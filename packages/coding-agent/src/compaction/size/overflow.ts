import type { Outcome } from "@pintle/agent";
import { isContextOverflowText, type Model, type ProviderErrorKind } from "@pintle/ai";

/** Errors that can only be recognized by their message. */
const VAGUE_KINDS: ReadonlySet<ProviderErrorKind> = new Set(["invalid_request", "server", "protocol"]);

/** Returns whether the model refused the request because it exceeds the window. Calls `isNearlyFull` only if needed. */
export function isOverflow({ message, failure }: Outcome, model: Model, isNearlyFull: () => boolean): boolean {
  if (message.stopReason !== "error" || !isFrom(message, model)) return false;
  // A summary does not help with a limit on bytes or images, unless the conversation is what fills the request.
  if (failure?.kind === "too_large") return isNearlyFull();
  if (failure && !VAGUE_KINDS.has(failure.kind)) return failure.kind === "overflow";
  return isContextOverflowText(message.errorMessage ?? "");
}

function isFrom(message: { provider: string; model: string }, { provider, id }: Model): boolean {
  return message.provider === provider && message.model === id;
}
