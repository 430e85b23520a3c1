import type { AgentMessage } from "@pintle/agent";
import { type AssistantMessage, textsOf } from "@pintle/ai";

/** What the model said in the messages of a run. Attempts that were given up and made again are not part of it. */
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

/** With a blank line between messages and one line feed at the end. */
export function joinTexts(texts: readonly string[]): string {
  const [last, ...before] = texts.toReversed();
  if (last === undefined) return "";
  return [...before.toReversed().map((text) => `${text.trimEnd()}\n\n`), last.replace(/\n*$/, "\n")].join("");
}

function isCut({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}
