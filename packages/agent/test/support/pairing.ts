import type { ProviderMessage } from "@pintle/ai";

/**
 * What every provider requires of a request, stated independently of the code that ensures it: a message with calls is
 * followed by its results, each once, in call order; no result appears anywhere else.
 */
export function pairingFaults(messages: readonly ProviderMessage[]): string[] {
  const faults: string[] = [];
  let owed: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "toolResult") {
      const expected = owed.shift();
      if (expected !== message.toolCallId)
        faults.push(`${index}: result of ${message.toolCallId}, expected ${expected}`);
      continue;
    }
    if (owed.length > 0) faults.push(`${index}: ${message.role} before the results of ${owed.join(", ")}`);
    owed =
      message.role === "assistant"
        ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
        : [];
    if (message.role === "assistant" && message.stopReason === "error") faults.push(`${index}: a failed answer`);
    if (isUnmerged(message, messages[index + 1])) faults.push(`${index}: two user messages in a row`);
  }
  if (owed.length > 0) faults.push(`end: no results of ${owed.join(", ")}`);
  return faults;
}

function isUnmerged(message: ProviderMessage, next: ProviderMessage | undefined): boolean {
  return [message, next].every(
    (one) =>
      one?.role === "user" && (typeof one.content === "string" || one.content.every((block) => block.type === "text")),
  );
}
