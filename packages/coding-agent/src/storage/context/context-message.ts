import type { AgentMessage, BashExecutionMessage } from "@pintle/agent";
import { type AssistantMessage, zeroUsage } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import { type EntryOf, isEntry } from "../entries/entries.ts";
import { textOf } from "../entries/json-value.ts";
import { ASSISTANT_BLOCKS, INPUT_BLOCKS, usableBlocks } from "./context-blocks.ts";

type StoredMessage = Record<string, unknown>;

/** What an entry adds to the conversation. undefined: nothing. */
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

/** A message of a file is what its program wrote. These rows make of it what ours can rely on; most change nothing. */
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
  // The file may be of another program: the type says what ours writes, the readers below look at what is there.
  const stored = entry.message as unknown as StoredMessage;
  const read = Object.hasOwn(readers, stored.role as string) ? readers[stored.role as string] : undefined;
  const message = read?.(stored);
  if (!message) return undefined; // an unknown role must not appear on the wire
  const isTimed = typeof message.timestamp === "number";
  // The reader of its role has made it what the type says.
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

/** What a user ran in a REPL of another program is, for the model, a command with its output. */
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
