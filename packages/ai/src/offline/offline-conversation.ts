import { textsOf } from "../content.ts";
import type { InputContent, ProviderMessage, ToolCall, ToolResultMessage } from "../messages.ts";

/** What the user wrote in one go, and what happened since. */
export interface UserTurn {
  text: string;
  hasImage: boolean;
  /** It came while tools were at work, not behind an answer. */
  isMeanwhile: boolean;
  calls: RecordedCall[];
  /** The last thing that happened was an answer without a call. */
  isAnswered: boolean;
}

export interface RecordedCall {
  call: ToolCall;
  result: ToolResultMessage;
}

/** The conversation by the messages of the user. Notes for the model are in other roles and looked over. */
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
 * What others put beside the words of the user: files, summaries, notes, the output of commands. Their lines are no
 * requests, whatever they say, so each reaches as far as it possibly can. They come first: what stands in a fenced block
 * of the user's own is to be written as it is.
 */
const ENCLOSED: readonly (readonly [start: string, end: string])[] = [
  ['<file name="', "</file>"],
  ["The conversation so far, summarized:", "</summary>"],
  ["The conversation took another branch for a while.", "</summary>"],
  ["The user ran `", "\n```"],
  ["<note>", "</note>"],
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
