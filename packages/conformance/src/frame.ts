/** A parsed line of either side. Frames of agents may have any shape. */
// biome-ignore lint/suspicious/noExplicitAny: checks look into frames of programs they do not know
export type Frame = Record<string, any>;

export const isObject = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const SPEAKERS = ["user", "assistant", "toolResult"];
/** The conversation itself: some agents also list what they add, such as the system prompt. */
export const spoken = (messages: readonly Frame[] | undefined): Frame[] =>
  (messages ?? []).filter(({ role }) => SPEAKERS.includes(role));
/** The user and assistant messages that ended among these frames. */
export const endedMessages = (frames: readonly Frame[]): Frame[] =>
  spoken(frames.filter(({ type }) => type === "message_end").map(({ message }) => message ?? {}));

/** The text blocks of a message. */
export function textOf(message: Frame | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block: Frame) => (block?.type === "text" ? block.text : "")).join("");
}
