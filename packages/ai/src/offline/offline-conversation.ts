import { textsOf } from "../content.ts";
import type { InputContent, ProviderMessage, ToolCall, ToolResultMessage } from "../messages.ts";

/** One message of the user, and what has happened since. */
export interface UserTurn {
  text: string;
  hasImage: boolean;
  /** True if it arrived while tools were running rather than after an answer. */
  isMeanwhile: boolean;
  calls: RecordedCall[];
  /** The first line of a report about background jobs, if there is one. */
  jobReport?: string;
  /** True if the last event was an answer without a tool call. */
  isAnswered: boolean;
}

export interface RecordedCall {
  call: ToolCall;
  result: ToolResultMessage;
}

/** Splits the conversation by user messages. Notes for the model have other roles and are skipped. */
export function userTurns(messages: readonly ProviderMessage[]): UserTurn[] {
  const turns: UserTurn[] = [];
  const open = new Map<string, ToolCall>();
  let previous: ProviderMessage["role"] | undefined;
  for (const message of messages) {
    if (message.role === "developer") continue;
    let turn = turns.at(-1);
    if (message.role === "user") {
      if (!turn || previous !== "user") {
        turn = { text: "", hasImage: false, isMeanwhile: previous === "toolResult", calls: [], isAnswered: false };
        turns.push(turn);
      }
      turn.text = [turn.text, textOf(message.content)].filter((part) => part !== "").join("\n");
      const report = /^<background_jobs>\n(.*)/m.exec(wholeText(message.content))?.[1];
      if (report !== undefined) turn.jobReport = report;
      turn.hasImage ||= typeof message.content !== "string" && message.content.some(({ type }) => type === "image");
    } else if (turn && message.role === "assistant") {
      const calls = message.content.filter((block) => block.type === "toolCall");
      turn.isAnswered = calls.length === 0 && message.stopReason === "stop";
      for (const call of calls) open.set(call.id, call);
    } else if (turn && message.role === "toolResult") {
      const call = open.get(message.toolCallId);
      open.delete(message.toolCallId);
      if (call) turn.calls.push({ call, result: message });
    }
    previous = message.role;
  }
  return turns;
}

/**
 * Content that others add next to the user's words: files, summaries, notes, command output. Their lines are never
 * requests, whatever they contain, so each match extends as far as possible. They are removed first, because a fenced
 * block of the user is written out verbatim.
 */
const ENCLOSED: readonly (readonly [start: string, end: string])[] = [
  ['<file name="', "</file>"],
  ["The conversation so far, summarized:", "</summary>"],
  ["The conversation took another branch for a while.", "</summary>"],
  ["The user ran `", "\n```"],
  ["<note>", "</note>"],
  ["<background_jobs>", "</background_jobs>"],
];

/** What may follow the output of a command. */
const COMMAND_REMARKS =
  /^(?:The command was cancelled\.|It exited with code -?\d+\.|Only the end of the output is shown\.)$/gm;

function textOf(content: InputContent): string {
  let text = wholeText(content);
  const whole = text;
  for (const [start, end] of ENCLOSED) {
    const from = text.indexOf(start);
    const to = text.lastIndexOf(end);
    const isFirst = from >= 0 && !/^\s*(?:```|~~~)/m.test(text.slice(0, from));
    if (isFirst && to > from) text = text.slice(0, from) + text.slice(to + end.length);
  }
  return (text === whole ? text : text.replace(COMMAND_REMARKS, "")).trim();
}

export function wholeText(content: InputContent): string {
  return textsOf(content).join("\n");
}
