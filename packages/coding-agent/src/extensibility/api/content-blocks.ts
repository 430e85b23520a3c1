import type { ImageContent } from "@pintle/ai";

/** Which fields of a block are strings. */
const TEXT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  thinking: ["thinking"],
  redactedThinking: ["data"],
  toolCall: ["id", "name"],
};
const INPUT: readonly string[] = ["text", "image"];
const ANSWER: readonly string[] = ["text", "thinking", "redactedThinking", "toolCall"];

/** Throws if content from a user's module cannot be sent, stored or shown. */
export function requireContent(role: string, content: unknown): void {
  const fault = contentFault(role, content);
  if (fault !== undefined) throw new Error(fault);
}

/** Returns what is wrong with the content, or undefined if nothing is. */
export function contentFault(role: string, content: unknown): string | undefined {
  const kinds = role === "assistant" ? ANSWER : INPUT;
  const mayBeText = role !== "assistant" && role !== "toolResult";
  if (mayBeText && typeof content === "string") return undefined;
  if (!Array.isArray(content)) return "content must be a list";
  const isKnown = (block: unknown) => kinds.includes(Object(block).type);
  // Copy the list, because `every` skips holes.
  if (![...content].every(isKnown))
    return `content of the role "${role}" may contain only blocks of the types ${kinds.join(", ")}`;
  return firstFault(content);
}

/** Throws if the value is not a list of images. */
export function requireImages(images: unknown): asserts images is ImageContent[] {
  const isImage = (block: unknown) => Object(block).type === "image";
  const isList = Array.isArray(images) && [...images].every(isImage);
  const fault = isList ? firstFault(images) : "images must be a list of images";
  if (fault !== undefined) throw new Error(fault);
}

/** Returns the first fault in blocks of known types. */
function firstFault(blocks: readonly Record<string, unknown>[]): string | undefined {
  for (const block of blocks) {
    const missing = TEXT_FIELDS[String(block.type)]?.find((field) => typeof block[field] !== "string");
    if (missing !== undefined) return `a block of the type "${block.type}" needs a string in "${missing}"`;
    if (block.type === "toolCall" && Object(block.arguments) !== block.arguments) return "a call needs arguments";
  }
  return undefined;
}
