import { isRecord } from "@pintle/ai";

const isText = (value: unknown) => typeof value === "string";

/** What a block must have to be sent on. Files of other programs hold more kinds; those stay in the file. */
const blocks: Record<string, (block: Record<string, unknown>) => boolean> = {
  text: ({ text }) => isText(text),
  image: ({ data, mimeType }) => isText(data) && isText(mimeType),
  thinking: ({ thinking }) => isText(thinking),
  redactedThinking: ({ data }) => isText(data),
  toolCall: (block) => isText(block.id) && isText(block.name) && isRecord(block.arguments),
};

export const INPUT_BLOCKS: ReadonlySet<string> = new Set(["text", "image"]);
export const ASSISTANT_BLOCKS: ReadonlySet<string> = new Set(["text", "thinking", "redactedThinking", "toolCall"]);

/** The same array when there is nothing to leave out, as nearly always. */
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
