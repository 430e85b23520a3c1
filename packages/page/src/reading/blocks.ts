import type { Block } from "../page-data.ts";
import type { ImageTable } from "./image-table.ts";
import { boundedValue, type Fields, isRecord, listOf, textOf } from "./plain-value.ts";

/** Returns the content of a message as the page shows it, without data for the provider (signatures). */
export function toBlocks(content: unknown, images: ImageTable): Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listOf(content).flatMap((block) => (isRecord(block) ? toBlock(block, images) : []));
}

function toBlock(block: Fields, images: ImageTable): Block[] {
  const type = textOf(block.type);
  const make = Object.hasOwn(MAKERS, type) ? MAKERS[type] : undefined;
  return make ? make(block, images) : [{ type: "missing", note: `Content of type ${type || "unknown"} is not shown` }];
}

const MAKERS: Record<string, (block: Fields, images: ImageTable) => Block[]> = {
  text: ({ text }) => (textOf(text) === "" ? [] : [{ type: "text", text: textOf(text) }]),
  thinking: ({ thinking, text }) => {
    const thought = textOf(thinking) || textOf(text);
    return thought === "" ? [] : [{ type: "thinking", text: thought }];
  },
  redactedThinking: () => [{ type: "redacted" }],
  image: (block, images) => [images.block(block)],
  toolCall: ({ id, name, arguments: args, argumentsError }) => [
    {
      type: "call",
      id: textOf(id),
      name: textOf(name) || "tool",
      args: boundedValue(args ?? {}),
      ...(typeof argumentsError === "string" && { problem: argumentsError }),
    },
  ],
};

/** The text alone, for titles. */
export function blocksText(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
}
