import type { AgentMessage, BashExecutionMessage } from "@pintle/agent";
import { type AssistantMessage, isRecord, zeroUsage } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import { type EntryOf, isEntry } from "../entries/entries.ts";
import { textOf } from "../entries/json-value.ts";

type StoredMessage = Record<string, unknown>;

/** Returns what an entry adds to the conversation, or undefined if nothing. */
export function contextMessage(entry: SessionEntry): AgentMessage | undefined {
  if (isEntry(entry, "message")) return readMessage(entry);
  if (isEntry(entry, "custom_message")) return readCustomMessage(entry);
  const timestamp = timeOf(entry);
  if (isEntry(entry, "branch_summary") && entry.summary !== "") {
    return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp };
  }
  if (isEntry(entry, "compaction")) {
    const { summary, shortSummary, tokensBefore } = entry;
    return {
      role: "compactionSummary",
      summary,
      ...(shortSummary !== undefined && { shortSummary }),
      tokensBefore: tokensBefore ?? 0,
      timestamp,
    };
  }
  return undefined;
}

function readCustomMessage(entry: EntryOf<"custom_message">): AgentMessage {
  const { customType, content, display, details, attribution } = entry;
  return {
    role: "custom",
    customType,
    content: inputContent(content) as typeof content,
    display,
    ...(details !== undefined && { details }),
    ...(attribution !== undefined && { attribution }),
    timestamp: timeOf(entry),
  };
}

const EDITABLE: Readonly<Record<string, (content: unknown) => unknown>> = {
  user: inputContent,
  developer: inputContent,
  custom: inputContent,
  assistant: (content) => usableBlocks(toBlocks(content), ASSISTANT_BLOCKS),
  toolResult: (content) => usableBlocks(toBlocks(content), INPUT_BLOCKS),
};

/** Returns the message as the model sees it after a context edit, or undefined if the edit removes it. */
export function editedMessage(message: AgentMessage, replacement: unknown): AgentMessage | undefined {
  const content = isRecord(replacement) ? replacement.content : undefined;
  // An unreadable edit removes the message, because the user did not want the model to see the original.
  if (typeof content !== "string" && !Array.isArray(content)) return undefined;
  const read = Object.hasOwn(EDITABLE, message.role) ? EDITABLE[message.role] : undefined;
  return read && Object.assign({}, message, { content: read(content) });
}

function toBlocks(content: unknown): unknown {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Normalizes messages from files that other programs may have written. Most rows change nothing. */
const readers: Record<string, (message: StoredMessage) => StoredMessage> = {
  user: withInput,
  developer: withInput,
  custom: withInput,
  hookMessage: (message) => ({ ...withInput(message), role: "custom" }),
  assistant: (message) => withFields(withBlocks(message, ASSISTANT_BLOCKS), assistantDefaults),
  toolResult: (message) => withBlocks(message, INPUT_BLOCKS),
  bashExecution: (message) => message,
  pythonExecution: toBashExecution,
  jsExecution: toBashExecution,
  branchSummary: (message) => message,
  compactionSummary: (message) => message,
  fileMention: (message) => (Array.isArray(message.files) ? message : { ...message, files: [] }),
};

function readMessage(entry: EntryOf<"message">): AgentMessage | undefined {
  // Another program may have written the file, so the readers below check every field.
  const stored = entry.message as unknown as StoredMessage;
  const read = Object.hasOwn(readers, stored.role as string) ? readers[stored.role as string] : undefined;
  const message = read?.(stored);
  if (!message) return undefined; // an unknown role must not appear on the wire
  const isTimed = typeof message.timestamp === "number";
  // The reader for its role has ensured the type.
  return (isTimed ? message : { ...message, timestamp: timeOf(entry) }) as unknown as AgentMessage;
}

function withInput(message: StoredMessage): StoredMessage {
  const content = inputContent(message.content);
  return content === message.content ? message : { ...message, content };
}

function inputContent(content: unknown): unknown {
  return typeof content === "string" ? content : usableBlocks(content, INPUT_BLOCKS);
}

function withBlocks(message: StoredMessage, allowed: ReadonlySet<string>): StoredMessage {
  const content = usableBlocks(message.content, allowed);
  return content === message.content ? message : { ...message, content };
}

const assistantDefaults: { [K in keyof AssistantMessage]?: () => unknown } = {
  api: () => "",
  provider: () => "",
  model: () => "",
  usage: zeroUsage,
  stopReason: () => "stop",
};

function withFields(message: StoredMessage, defaults: Record<string, () => unknown>): StoredMessage {
  let complete = message;
  for (const name in defaults) {
    if (complete[name] === undefined) complete = { ...complete, [name]: defaults[name]?.() };
  }
  return complete;
}

/** Shows a user's REPL input from another program to the model as a command with its output. */
function toBashExecution(message: StoredMessage): StoredMessage {
  const { code, output, exitCode, cancelled, truncated, excludeFromContext, timestamp } = message;
  return {
    role: "bashExecution",
    command: textOf(code),
    output: textOf(output),
    ...(typeof exitCode === "number" && { exitCode }),
    cancelled: cancelled === true,
    truncated: truncated === true,
    ...(excludeFromContext === true && { excludeFromContext }),
    timestamp,
  } satisfies Record<keyof Omit<BashExecutionMessage, "exitCode" | "meta" | "excludeFromContext">, unknown>;
}

function timeOf(entry: SessionEntry): number {
  const time = Date.parse(entry.timestamp);
  return Number.isNaN(time) ? 0 : time;
}

const isText = (value: unknown) => typeof value === "string";

/** The required fields of each kind of block. Other kinds, from files of other programs, stay in the file. */
const blocks: Record<string, (block: Record<string, unknown>) => boolean> = {
  text: ({ text }) => isText(text),
  image: ({ data, mimeType }) => isText(data) && isText(mimeType),
  thinking: ({ thinking }) => isText(thinking),
  redactedThinking: ({ data }) => isText(data),
  toolCall: (block) => isText(block.id) && isText(block.name) && isRecord(block.arguments),
};

const INPUT_BLOCKS: ReadonlySet<string> = new Set(["text", "image"]);
const ASSISTANT_BLOCKS: ReadonlySet<string> = new Set(["text", "thinking", "redactedThinking", "toolCall"]);

/** Returns the same array if nothing is removed, which is nearly always the case. */
function usableBlocks(content: unknown, allowed: ReadonlySet<string>): unknown[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  for (const block of content) {
    if (!isUsable(block, allowed)) return content.filter((other) => isUsable(other, allowed));
  }
  return content;
}

function isUsable(block: unknown, allowed: ReadonlySet<string>): boolean {
  if (!isRecord(block) || typeof block.type !== "string" || !allowed.has(block.type)) return false;
  return blocks[block.type]?.(block) ?? false;
}
