import type { ContentBlock, ToolCallContent } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";

/** Converts text and images of the engine; clients cannot show anything else. */
export function toContentBlock(block: unknown): ContentBlock | undefined {
  if (!isRecord(block)) return undefined;
  const { type, text, data, mimeType } = block;
  if (type === "text" && typeof text === "string") return text === "" ? undefined : { type, text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType };
  return undefined;
}

/** Returns the content of a message or result: a string, or a list of blocks. */
export function toContentBlocks(content: unknown): ContentBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.flatMap((block) => toContentBlock(block) ?? []) : [];
}

export function toToolContent(content: unknown): ToolCallContent[] {
  return toContentBlocks(content).map((block) => ({ type: "content", content: block }));
}

export const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } });
