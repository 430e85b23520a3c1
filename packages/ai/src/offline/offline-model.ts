import type { MessageBuilder } from "../message-builder.ts";
import type { InputContent } from "../messages.ts";
import type { ModelContext, RequestOptions } from "../protocols/protocol.ts";
import { estimateMessageTokens, estimateTextTokens } from "../token-estimate.ts";
import { toUsage } from "../usage.ts";
import { answerRequests, IMAGE_ANSWER, INTRODUCTION } from "./offline-answers.ts";
import { offlineModel } from "./offline-info.ts";
import { asksForSummary, summarize } from "./offline-summary.ts";

const DELTA_CHARS = 16;

/** Answers by rules: the same conversation always gives the same events. */
export function answerOffline(context: ModelContext, _options: RequestOptions, out: MessageBuilder): void {
  const answer = toAnswer(context);
  const contentIndex = out.startText();
  for (const delta of deltas(answer)) {
    if (out.isFinished) return;
    out.append(contentIndex, delta);
  }
  out.end(contentIndex);
  out.setUsage(toUsage(offlineModel, { ...estimateUsage(context, answer), cacheRead: 0, cacheWrite: 0 }));
  out.finish("stop");
}

function toAnswer(context: ModelContext): string {
  const content = context.messages.findLast((message) => message.role === "user")?.content ?? "";
  const text = textOf(content);
  if (asksForSummary(text)) return summarize(text);
  const hasImage = typeof content !== "string" && content.some((block) => block.type === "image");
  const activeTools = new Set(context.tools?.map((tool) => tool.name));
  return [
    ...(hasAnsweredBefore(context) ? [] : [INTRODUCTION]),
    ...(hasImage ? [IMAGE_ANSWER] : []),
    ...(hasImage && text.trim() === "" ? [] : answerRequests(text, activeTools)),
  ].join("\n\n");
}

function textOf(content: InputContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function hasAnsweredBefore({ messages }: ModelContext): boolean {
  return messages.some(
    (message) =>
      message.role === "assistant" && message.provider === offlineModel.provider && message.model === offlineModel.id,
  );
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

function estimateUsage(context: ModelContext, answer: string): { input: number; output: number } {
  const messages = context.messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  const tools = context.tools?.length ? estimateTextTokens(JSON.stringify(context.tools)) : 0;
  return {
    input: messages + tools + estimateTextTokens(context.systemPrompt ?? ""),
    output: estimateTextTokens(answer),
  };
}
