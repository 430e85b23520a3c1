import type { AgentMessage } from "@pintle/agent";
import { type AssistantMessage, textsOf } from "@pintle/ai";

/** Returns the model's text in the messages of a run, without attempts that failed and were repeated. */
export function answerTexts(messages: readonly AgentMessage[]): string[] {
  const answers = messages.filter((message) => message.role === "assistant");
  return answers
    .filter((answer) => answer === answers.at(-1) || !isCut(answer))
    .map(textOf)
    .filter((text) => text.trim() !== "");
}

export function textOf({ content }: AssistantMessage): string {
  return textsOf(content).join("");
}

/** Joins the text with a blank line between messages and a newline at the end. */
export function joinTexts(texts: readonly string[]): string {
  const [last, ...before] = texts.toReversed();
  if (last === undefined) return "";
  return [...before.toReversed().map((text) => `${text.trimEnd()}\n\n`), last.replace(/\n*$/, "\n")].join("");
}

function isCut({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}
