import type { ProviderMessage } from "./messages.ts";

const TOKENS_PER_IMAGE = 1200;
const encoder = new TextEncoder();
/** Reused, because conversations have many short strings. A character has at most three bytes. */
const scratch = new Uint8Array(12 * 1024);

/** Bytes rather than characters: four Chinese characters are far more than one token. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(byteLength(text) / 4);
}

function byteLength(text: string): number {
  if (text.length * 3 > scratch.length) return encoder.encode(text).length;
  return encoder.encodeInto(text, scratch).written;
}

/** Estimates the tokens of a message that no provider has counted. */
export function estimateMessageTokens(message: Pick<ProviderMessage, "content">): number {
  if (typeof message.content === "string") return estimateTextTokens(message.content);
  const [first] = message.content;
  if (message.content.length === 1 && first?.type === "text" && first.textSignature === undefined) {
    return estimateTextTokens(first.text);
  }
  let text = "";
  let images = 0;
  for (const block of message.content) {
    if (block.type === "image") images += 1;
    else if (block.type === "text") text += block.text + (block.textSignature ?? "");
    else if (block.type === "thinking") text += block.thinking + (block.thinkingSignature ?? "");
    else if (block.type === "redactedThinking") text += block.data;
    else text += block.name + JSON.stringify(block.arguments) + (block.thoughtSignature ?? "");
  }
  return estimateTextTokens(text) + images * TOKENS_PER_IMAGE;
}
