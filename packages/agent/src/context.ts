import type {
  AssistantContent,
  AssistantMessage,
  ProviderMessage,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "@pintle/ai";
import { toProviderRole } from "./context-roles.ts";
import type { AgentMessage } from "./messages.ts";
import { repairPairs, resultsByCall } from "./pair-repair.ts";
import { syntheticDetails } from "./tool-result.ts";

const VERIFY_NOTE =
  "The last turn was interrupted while tools were running. Their effects may be partial: check the state before relying on it.";

/**
 * Converts a conversation to what the model receives. Used for live and reloaded conversations, linear in their length,
 * and without effect on what is stored. In `transform`, extensions may change the messages.
 */
export async function buildContext(
  messages: readonly AgentMessage[],
  transform?: (messages: AgentMessage[]) => Promise<AgentMessage[]>,
): Promise<ProviderMessage[]> {
  return transform ? toProviderMessages(await transform(dropFailedAnswers(messages))) : convertContext(messages);
}

/** The same without extensions. */
export function convertContext(messages: readonly AgentMessage[]): ProviderMessage[] {
  return toProviderMessages(dropFailedAnswers(messages));
}

/** The stages after the extensions: roles, pairs, notes, merging. */
function toProviderMessages(messages: readonly AgentMessage[]): ProviderMessage[] {
  const converted = messages.map(toProviderRole).filter((message) => message !== undefined);
  return mergeUserTexts(noteInterruptions(repairPairs(converted)));
}

/**
 * Removes a failed answer together with its synthetic results. Of an aborted one, the model keeps the text and the
 * calls that really ran.
 */
function dropFailedAnswers(messages: readonly AgentMessage[]): AgentMessage[] {
  const results = resultsByCall(messages);
  const standing = new Set<AgentMessage | undefined>();
  const kept: AgentMessage[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") {
      if (standing.has(message)) kept.push(message);
    } else if (message.role === "assistant") {
      const content = usableContent(message, results);
      for (const block of content) if (block.type === "toolCall") standing.add(results.get(block));
      if (content === message.content) kept.push(message);
      else if (content.length > 0) kept.push({ ...message, content });
    } else kept.push(message);
  }
  return kept;
}

function usableContent(
  message: AssistantMessage,
  results: ReadonlyMap<ToolCall, ToolResultMessage>,
): AssistantContent[] {
  if (message.stopReason === "error") return [];
  if (message.stopReason !== "aborted") return message.content;
  return message.content.filter((block) => {
    if (block.type === "text") return block.text !== "";
    if (block.type !== "toolCall") return false;
    const result = results.get(block);
    return result !== undefined && syntheticDetails(result)?.executed !== false;
  });
}

/** Added after the results of a turn that was aborted while tools ran. */
function noteInterruptions(messages: readonly ProviderMessage[]): ProviderMessage[] {
  const noted: ProviderMessage[] = [];
  let isInterruptedTurn = false;
  for (const [index, message] of messages.entries()) {
    noted.push(message);
    if (message.role !== "toolResult") continue;
    isInterruptedTurn ||= isInterrupted(message);
    const next = messages[index + 1];
    if (next?.role === "toolResult") continue;
    if (isInterruptedTurn && next?.content !== VERIFY_NOTE) {
      noted.push({ role: "developer", content: VERIFY_NOTE, timestamp: message.timestamp });
    }
    isInterruptedTurn = false;
  }
  return noted;
}

function isInterrupted(message: ToolResultMessage): boolean {
  const details = syntheticDetails(message);
  return details?.source === "aborted" && details.executed;
}

/** By the first of the messages that were merged, so that the same messages give the same object again. */
const mergedMessages = new WeakMap<ProviderMessage, ProviderMessage>();

function mergeInto(first: UserMessage, content: string): ProviderMessage {
  const known = mergedMessages.get(first);
  if (known?.content === content) return known;
  const merged = { ...first, content };
  mergedMessages.set(first, merged);
  return merged;
}

/** Merges adjacent user messages that contain only text, because several APIs require alternating roles. */
function mergeUserTexts(messages: readonly ProviderMessage[]): ProviderMessage[] {
  const merged: ProviderMessage[] = [];
  let run: string[] = [];
  const flush = () => {
    const last = merged.at(-1);
    if (run.length > 1 && last?.role === "user") merged[merged.length - 1] = mergeInto(last, run.join("\n\n"));
    run = [];
  };
  for (const message of messages) {
    const text = message.role === "user" ? onlyText(message.content) : undefined;
    if (text !== undefined && run.length > 0) run.push(text);
    else {
      flush();
      merged.push(message);
      if (text !== undefined) run = [text];
    }
  }
  flush();
  return merged;
}

function onlyText(content: ProviderMessage["content"]): string | undefined {
  if (typeof content === "string") return content;
  const texts: string[] = [];
  for (const block of content) {
    if (block.type !== "text") return undefined;
    texts.push(block.text);
  }
  return texts.join("\n\n");
}
