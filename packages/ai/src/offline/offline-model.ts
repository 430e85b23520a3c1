import { cutText } from "../foundation/cut-text.ts";
import { isRecord } from "../foundation/is-record.ts";
import type { MessageBuilder } from "../message-builder.ts";
import type { ProviderMessage } from "../messages.ts";
import type { ModelContext, RequestOptions, ToolDefinition } from "../protocols/protocol.ts";
import { estimateMessageTokens, estimateTextTokens } from "../token-estimate.ts";
import { toUsage } from "../usage.ts";
import { INTRODUCTION } from "./offline-answers.ts";
import { wholeText } from "./offline-conversation.ts";
import { type Decision, decide } from "./offline-decision.ts";
import { offlineModel } from "./offline-info.ts";
import { asksForSummary, summarize } from "./offline-summary.ts";
import { smallestValue } from "./smallest-value.ts";

const DELTA_CHARS = 16;
const MAX_TEXT_CHARS = 12_000;

/** Answers by fixed rules: the same conversation always produces the same events. */
export function answerOffline(context: ModelContext, options: RequestOptions, out: MessageBuilder): void {
  const { texts, call } = summaryOf(context) ?? withOutput(context, options);
  const text = bounded(texts.join("\n\n"));
  if (text !== "") stream(out, out.startText(), text);
  if (call && !out.isFinished) {
    const index = out.startToolCall({ id: nextId(context), name: call.name });
    stream(out, index, JSON.stringify(call.arguments));
  }
  out.setUsage(toUsage(offlineModel, { ...estimateUsage(context, out), cacheRead: 0, cacheWrite: 0 }));
  out.finish(call ? "toolUse" : "stop");
}

function summaryOf({ messages, tools = [] }: ModelContext): Decision | undefined {
  const text = wholeText(messages.findLast((message) => message.role === "user")?.content ?? "");
  return tools.length === 0 && asksForSummary(text) ? { texts: [summarize(text)] } : undefined;
}

/** Returns the requested output when there is nothing else to do. */
function withOutput(context: ModelContext, { toolChoice, outputFormat }: RequestOptions): Decision {
  const { tools = [], messages } = context;
  const tool = tools.findLast(({ name }) => OUTPUT_TOOL.test(name));
  if (!tool && !outputFormat) {
    return introduced(decide({ ...context, messages: withoutOutputs(messages) }, toolChoice), context);
  }
  const isForced = typeof toolChoice === "object" && toolChoice.name === tool?.name;
  const others = { messages: withoutOutputs(messages), tools: tools.filter((other) => other !== tool) };
  const decision = isForced ? { texts: [] } : decide(others, toolChoice);
  if (decision.call) return introduced(decision, context);
  if (outputFormat) return { texts: [JSON.stringify(smallestValue(outputFormat.schema))] };
  const { name, parameters } = tool as ToolDefinition;
  return introduced({ ...decision, call: { name, arguments: toArguments(smallestValue(parameters)) } }, context);
}

const OUTPUT_TOOL = /^structured_output(_\d+)?$/;

/** Earlier outputs are not work to report on. */
function withoutOutputs(messages: ModelContext["messages"]): ModelContext["messages"] {
  return messages.flatMap((message): ProviderMessage[] => {
    if (message.role === "toolResult") return OUTPUT_TOOL.test(message.toolName) ? [] : [message];
    if (message.role !== "assistant") return [message];
    const content = message.content.filter((block) => block.type !== "toolCall" || !OUTPUT_TOOL.test(block.name));
    return [content.length === message.content.length ? message : { ...message, content }];
  });
}

function toArguments(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function introduced(decision: Decision, { messages }: ModelContext): Decision {
  const isKnown = messages.some(
    (message) =>
      message.role === "assistant" && message.provider === offlineModel.provider && message.model === offlineModel.id,
  );
  return isKnown ? decision : { ...decision, texts: [INTRODUCTION, ...decision.texts] };
}

function bounded(text: string): string {
  return cutText(text, MAX_TEXT_CHARS);
}

/** Continues the numbering of the calls that the conversation still contains. */
function nextId({ messages }: ModelContext): string {
  const ids = messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
      : [],
  );
  const last = ids.reduce((highest, id) => Math.max(highest, Number(/^off_(\d{1,9})$/.exec(id)?.[1] ?? 0)), 0);
  return `off_${last + 1}`;
}

function stream(out: MessageBuilder, contentIndex: number, text: string): void {
  for (const delta of deltas(text)) {
    if (out.isFinished) return;
    out.append(contentIndex, delta);
  }
  out.end(contentIndex);
}

/** Half a surrogate pair would be a broken character on the wire. */
function* deltas(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = at + DELTA_CHARS;
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    yield text.slice(at, end);
    at = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function estimateUsage(context: ModelContext, { content }: MessageBuilder): { input: number; output: number } {
  const messages = context.messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  const tools = context.tools?.length ? estimateTextTokens(JSON.stringify(context.tools)) : 0;
  return {
    input: messages + tools + estimateTextTokens(context.systemPrompt ?? ""),
    output: estimateMessageTokens({ content: [...content] }),
  };
}
