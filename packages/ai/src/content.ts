import type { AssistantMessage, ImageContent, TextContent } from "./messages.ts";

type Block = AssistantMessage["content"][number] | ImageContent;

/** Joins the text blocks of a message. */
export function textsOf(content: string | readonly Block[]): string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

/** Checks whether a value from a host or a user's module is a block that a result or user message may contain. */
export function isInputBlock(value: unknown): value is TextContent | ImageContent {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  if (value.type === "text") return "text" in value && typeof value.text === "string";
  const isImage = value.type === "image" && "data" in value && "mimeType" in value;
  return isImage && typeof value.data === "string" && typeof value.mimeType === "string";
}
