import { isRecord } from "@pintle/ai";

const isText = (value: unknown) => typeof value === "string";

/** The required fields of each kind of block. Other kinds, from files of other programs, stay in the file. */
const blocks: Record<string, (block: Record<string, unknown>) => boolean> = {
  text: ({ text }) => isText(text),
  image: ({ data, mimeType }) => isText(data) && isText(mimeType),
  thinking: ({ thinking }) => isText(thinking),
  redactedThinking: ({ data }) => isText(data),
  toolCall: (block) => isText(block.id) && isText(block.name) && isRecord(block.arguments),
};

export const INPUT_BLOCKS: ReadonlySet<string> = new Set(["text", "image"]);
export const ASSISTANT_BLOCKS: ReadonlySet<string> = new Set(["text", "thinking", "redactedThinking", "toolCall"]);

/** Returns the same array if nothing is removed, which is nearly always the case. */
export function usableBlocks(content: unknown, allowed: ReadonlySet<string>): unknown[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  for (const block of content) {
    if (!isUsable(block, allowed)) return content.filter((other) => isUsable(other, allowed));
  }
  return content;
}

function isUsable(block: unknown, allowed: ReadonlySet<string>): boolean {
  if (!isRecord(block) || typeof block.type !== "string" || !allowed.has(block.type)) return false;
  return blocks[block.type]?.(block) ?? false;
}
