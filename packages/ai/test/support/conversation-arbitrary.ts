import fc from "fast-check";
import type {
  AssistantContent,
  AssistantMessage,
  ImageContent,
  ProviderMessage,
  TextContent,
  ToolResultMessage,
} from "../../src/messages.ts";
import type { Model } from "../../src/model.ts";
import { zeroUsage } from "../../src/usage.ts";

/** The format of one API's signatures and ids. */
export interface Dialect {
  model: Model;
  /** An answer as this API produces it. */
  answer(blocks: readonly Said[], words: Words): AssistantContent[];
}

/** Strings of letters and digits that occur nowhere else in the conversation, by block. */
export interface Words {
  /** Marks content that only its author may receive again. */
  mark(index: number): string;
  /** Used in the id of a call. */
  call(index: number): string;
}

/** The content of a conversation, before it is written in some API's format. */
export interface Said {
  kind: "thinking" | "text" | "call" | "hidden";
  text: string;
  isSigned: boolean;
}

const word = fc.constantFrom("alpha", "Grüße 🌍", " ", "", "two\nlines");
const said: fc.Arbitrary<Said> = fc.record({
  kind: fc.constantFrom("thinking", "text", "call", "hidden"),
  text: word,
  isSigned: fc.boolean(),
});
const image: fc.Arbitrary<ImageContent> = fc.record({
  type: fc.constant("image" as const),
  data: fc.constant("aGk="),
  mimeType: fc.constantFrom("image/png", "image/gif", "image/tiff"),
});
const text: fc.Arbitrary<TextContent> = word.map((value) => ({ type: "text", text: value }));
const content = fc.array(fc.oneof(text, image), { maxLength: 3 });
const input = fc.record({
  role: fc.constantFrom("user" as const, "developer" as const),
  content: fc.oneof(word, content),
  timestamp: fc.constant(1),
});
const results = fc.array(fc.record({ content, isError: fc.boolean() }), { minLength: 4, maxLength: 4 });

export interface Conversation {
  messages: ProviderMessage[];
  /** By answer: its author, and the strings in its signatures that only that author may receive again. */
  marks: { model: Model; marks: string[] }[];
}

/** Any conversation that the agent may send: calls and results are paired, and the model is not last. */
export function conversations(dialects: readonly Dialect[]): fc.Arbitrary<Conversation> {
  const answer = fc.record({
    dialect: fc.constantFrom(...dialects),
    blocks: fc.array(said, { maxLength: 4 }),
    results,
    stopReason: fc.constantFrom("stop" as const, "aborted" as const),
  });
  const turns = fc.array(fc.record({ before: fc.array(input, { maxLength: 2 }), answer }), { maxLength: 5 });
  return fc.tuple(turns, word).map(([list, last]) => {
    const conversation: Conversation = { messages: [], marks: [] };
    for (const [index, turn] of list.entries()) {
      conversation.messages.push(...turn.before);
      addAnswer(conversation, index, turn.answer);
    }
    conversation.messages.push({ role: "user", content: `Go on ${last}`, timestamp: 1 });
    return conversation;
  });
}

interface Answer {
  dialect: Dialect;
  blocks: Said[];
  results: Pick<ToolResultMessage, "content" | "isError">[];
  stopReason: "stop" | "aborted";
}

function addAnswer({ messages, marks }: Conversation, turn: number, answer: Answer): void {
  const { dialect, stopReason } = answer;
  const mark = (index: number) => `mark${turn}x${index}y`;
  const call = (index: number) => `call${turn}x${index}y`;
  // The agent omits the thoughts of an answer that was cut short.
  const isKept = ({ type }: AssistantContent) => stopReason === "stop" || type === "text" || type === "toolCall";
  const blocks = dialect.answer(answer.blocks, { mark, call }).filter(isKept);
  const { api, provider, id: model } = dialect.model;
  const message: AssistantMessage = {
    role: "assistant",
    content: blocks,
    api,
    provider,
    model,
    usage: zeroUsage(),
    stopReason,
    timestamp: 1,
  };
  messages.push(message);
  marks.push({ model: dialect.model, marks: answer.blocks.map((_, index) => mark(index)) });
  const calls = blocks.filter((block) => block.type === "toolCall");
  for (const [index, { id, name }] of calls.entries()) {
    const result = answer.results[index] as Answer["results"][number];
    messages.push({ role: "toolResult", toolCallId: id, toolName: name, ...result, timestamp: 1 });
  }
}
