import type { ProviderMessage } from "./messages.ts";

const TOKENS_PER_IMAGE = 1200;
const encoder = new TextEncoder();

/** Bytes rather than characters: four Chinese characters are far more than one token. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(encoder.encode(text).length / 4);
}

/** Estimates the tokens of a message that no provider has counted. */
export function estimateMessageTokens(message: Pick<ProviderMessage, "content">): number {
  if (typeof message.content === "string") return estimateTextTokens(message.content);
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
