/** Which fields of a block are texts. */
const TEXT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  thinking: ["thinking"],
  redactedThinking: ["data"],
  toolCall: ["id", "name"],
};
const INPUT: readonly string[] = ["text", "image"];
const ANSWER: readonly string[] = ["text", "thinking", "redactedThinking", "toolCall"];

/** Throws when content from an extension could not be sent, stored or shown. */
export function requireContent(role: string, content: unknown): void {
  const kinds = role === "assistant" ? ANSWER : INPUT;
  const mayBeText = role !== "assistant" && role !== "toolResult";
  if (mayBeText && typeof content === "string") return;
  if (!Array.isArray(content)) throw new Error("content must be a list");
  for (const block of content) {
    const { type, arguments: input } = Object(block) as { type?: unknown; arguments?: unknown };
    if (typeof type !== "string" || !kinds.includes(type)) {
      throw new Error(`content of the role "${role}" consists of blocks of the types ${kinds.join(", ")}`);
    }
    const missing = TEXT_FIELDS[type]?.find((field) => typeof block[field] !== "string");
    if (missing !== undefined) throw new Error(`a block of the type "${type}" needs a text as its "${missing}"`);
    if (type === "toolCall" && Object(input) !== input) throw new Error("a call needs arguments");
  }
}
