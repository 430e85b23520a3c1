import { errorText } from "@pintle/ai";
import type { AgentMessage } from "./messages.ts";

/**
 * What takes the place of a message that could not be stored: it has begun and must end, and its content was told to nobody
 * as stored. Nothing of what may have been the reason is in it. undefined: only the end of the run can say it.
 */
export function unstoredTwin<M extends AgentMessage>(message: M, error: unknown): M | undefined {
  const text = `The message could not be stored: ${errorText(error)}`;
  if (message.role === "assistant") return { ...message, content: [], stopReason: "error", errorMessage: text };
  if (message.role !== "toolResult") return undefined;
  return { ...message, content: [{ type: "text", text }], details: {}, isError: true };
}
