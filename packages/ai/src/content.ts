import type { AssistantMessage, ImageContent, TextContent } from "./messages.ts";

type Block = AssistantMessage["content"][number] | ImageContent;

/** The texts among the blocks of a message. */
export function textsOf(content: string | readonly Block[]): string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

/** A block that a result or a user's message may hold; checks what comes from hosts and users' modules. */
export function isInputBlock(value: unknown): value is TextContent | ImageContent {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  if (value.type === "text") return "text" in value && typeof value.text === "string";
  const isImage = value.type === "image" && "data" in value && "mimeType" in value;
  return isImage && typeof value.data === "string" && typeof value.mimeType === "string";
}
