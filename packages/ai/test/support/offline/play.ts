import type { AssistantMessage, ProviderMessage, ToolResultMessage } from "../../../src/messages.ts";
import { offlineModel } from "../../../src/offline/offline-info.ts";
import type { ToolChoice } from "../../../src/protocols/protocol.ts";
import { streamModel } from "../../../src/stream.ts";
import { zeroUsage } from "../../../src/usage.ts";
import { readChecked } from "../event-checker.ts";

export type Content = Extract<ProviderMessage, { role: "user" }>["content"];
export type Answer = string | { error: string } | { content: ToolResultMessage["content"] };

export interface Play {
  /** The tools' answers; the tools named here are the active ones. */
  tools?: Record<string, (args: Record<string, unknown>, nth: number) => Answer>;
  /** Used for the first calls of the model. */
  choices?: ToolChoice[];
  /** Inserted after the results of the nth call. */
  meanwhile?: Record<number, ProviderMessage[]>;
}

export const user = (content: Content): ProviderMessage => ({ role: "user", content, timestamp: 1 });
export const developer = (content: string): ProviderMessage => ({ role: "developer", content, timestamp: 1 });
export const toolResult = (toolCallId: string, toolName: string, answer: Answer): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName,
  content: contentOf(answer),
  isError: typeof answer === "object" && "error" in answer,
  timestamp: 1,
});

/** An earlier answer of this model, so that it does not introduce itself again. */
export const greeting: AssistantMessage = {
  role: "assistant",
  content: [{ type: "text", text: "hi" }],
  api: offlineModel.api,
  provider: offlineModel.provider,
  model: offlineModel.id,
  usage: zeroUsage(),
  stopReason: "stop",
  timestamp: 1,
};

/** Runs the model until it stops. Returns its text and calls: `say …`, `ls {}`. */
export async function play(
  messages: readonly ProviderMessage[],
  { tools = {}, choices = [], meanwhile = {} }: Play = {},
) {
  const conversation: ProviderMessage[] = [...messages];
  const words: string[] = [];
  for (let turn = 0; turn < 40; turn += 1) {
    const message = await answerTo(conversation, Object.keys(tools), choices[turn]);
    conversation.push(message);
    for (const block of message.content) {
      if (block.type === "text") words.push(block.text);
      if (block.type === "toolCall") words.push(`${block.id} ${block.name} ${JSON.stringify(block.arguments)}`);
    }
    if (message.stopReason !== "toolUse") return { words, conversation };
    for (const call of message.content) {
      if (call.type !== "toolCall") continue;
      const answer = tools[call.name]?.(call.arguments, turn) ?? { error: `Tool ${call.name} not found` };
      conversation.push(toolResult(call.id, call.name, answer));
    }
    conversation.push(...(meanwhile[turn] ?? []));
  }
  throw new Error("it does not stop");
}

/** A request in a conversation that has already begun. */
export async function ask(text: Content, options: Play = {}): Promise<string[]> {
  return (await play([user("hi"), greeting, user(text)], options)).words;
}

export async function answerTo(
  messages: readonly ProviderMessage[],
  active: readonly string[],
  toolChoice?: ToolChoice,
): Promise<AssistantMessage> {
  const tools = active.map((name) => ({ name, description: name, parameters: {} }));
  const options = { now: () => 5, ...(toolChoice && { toolChoice }) };
  return (await readChecked(streamModel(offlineModel, { messages, tools }, options))).message;
}

function contentOf(answer: Answer): ToolResultMessage["content"] {
  if (typeof answer === "object" && "content" in answer) return answer.content;
  return [{ type: "text", text: typeof answer === "string" ? answer : answer.error }];
}
