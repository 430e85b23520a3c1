import { expect } from "bun:test";
import type { AssistantContent, AssistantMessage, ProviderFailure, ToolCall } from "../../src/index.ts";
import type { AssistantEventStream, AssistantMessageEvent } from "../../src/stream-events.ts";

export interface CheckedAnswer {
  events: AssistantMessageEvent[];
  message: AssistantMessage;
  /** Undefined if the answer is complete. */
  failure: ProviderFailure | undefined;
}

/** Reads an answer to its end and fails the test if it breaks a rule of the event stream. */
export async function readChecked(stream: AssistantEventStream): Promise<CheckedAnswer> {
  const iterator = stream[Symbol.asyncIterator]();
  const events: AssistantMessageEvent[] = [];
  const asEmitted: string[] = [];
  for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
    events.push(step.value);
    asEmitted.push(JSON.stringify(step.value));
  }
  expect(await iterator.next()).toEqual({ value: undefined, done: true });
  expect(events.map((event) => JSON.stringify(event))).toEqual(asEmitted); // no event changed after it was emitted
  return checkEvents(events);
}

/** Checks the grammar of a complete list of events. */
export function checkEvents(events: AssistantMessageEvent[]): CheckedAnswer {
  const last = events.at(-1);
  expect(events[0]?.type).toBe("start");
  expect(events.filter(({ type }) => type === "start")).toHaveLength(1);
  expect(events.filter(isTerminal)).toHaveLength(1);
  if (!last || !isTerminal(last)) throw new Error("the stream has no terminal event");
  const blocks = checkBlocks(events.slice(1, -1));
  if (last.type === "done") {
    expect([...blocks.values()].filter(({ isOpen }) => isOpen)).toEqual([]);
    checkComplete(last.message, last.reason);
    return { events, message: last.message, failure: undefined };
  }
  checkFailed(last.error, last.reason, blocks);
  return { events, message: last.error, failure: last.failure };
}

interface Block {
  type: AssistantContent["type"];
  deltas: string;
  isOpen: boolean;
}

function checkBlocks(events: readonly AssistantMessageEvent[]): Map<number, Block> {
  const blocks = new Map<number, Block>();
  for (const event of events) {
    if (!("contentIndex" in event)) throw new Error(`${event.type} between start and end`);
    const { contentIndex, partial } = event;
    const shown = partial.content[contentIndex];
    expect(partial).toMatchObject({ role: "assistant", stopReason: "stop" });
    if (event.type === "text_start" || event.type === "thinking_start" || event.type === "toolcall_start") {
      expect(contentIndex).toBe(partial.content.length - 1);
      expect(blocks.has(contentIndex)).toBe(false);
      blocks.set(contentIndex, { type: BLOCK_TYPES[event.type], deltas: "", isOpen: true });
    }
    const block = blocks.get(contentIndex);
    if (!block?.isOpen) throw new Error(`${event.type} outside of block ${contentIndex}`);
    if ("delta" in event) {
      expect(event.delta).not.toBe("");
      block.deltas += event.delta;
    }
    // A snapshot contains exactly what had been sent when it was made.
    expect(shown?.type).toBe(block.type);
    if (shown?.type === "text") expect(shown.text).toBe(block.deltas);
    if (shown?.type === "thinking") expect(shown.thinking).toBe(block.deltas);
    if (event.type === "text_end" || event.type === "thinking_end") expect(event.content).toBe(block.deltas);
    if (event.type === "toolcall_end") {
      expect(shown).toEqual(event.toolCall);
      checkArguments(event.toolCall, block.deltas);
    }
    if (event.type.endsWith("_end")) block.isOpen = false;
  }
  return blocks;
}

const BLOCK_TYPES = { text_start: "text", thinking_start: "thinking", toolcall_start: "toolCall" } as const;

/** The arguments are what was sent, or empty with a reason. */
function checkArguments(call: ToolCall, json: string): void {
  const sent = parseObject(json.trim() === "" ? "{}" : json);
  expect(call.arguments).toEqual(sent ?? {});
  expect(typeof call.argumentsError).toBe(sent ? "undefined" : "string");
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && !Array.isArray(value) ? ((value ?? undefined) as never) : undefined;
  } catch {
    return undefined;
  }
}

function checkComplete(message: AssistantMessage, reason: string): void {
  expect(message.stopReason as string).toBe(reason);
  expect(message.errorMessage).toBeUndefined();
  checkKeys(message);
}

function checkFailed(message: AssistantMessage, reason: string, blocks: Map<number, Block>): void {
  expect(message.stopReason as string).toBe(reason);
  expect(message.errorMessage).toBeString();
  expect(message.errorMessage).not.toBe("");
  checkKeys(message);
  const ended = [...blocks.values()].filter(({ isOpen }) => !isOpen);
  const endedOfType = (type: Block["type"]) => ended.filter((block) => block.type === type).length;
  expect(message.content.filter(({ type }) => type === "toolCall")).toHaveLength(endedOfType("toolCall"));
  const signed = message.content.filter((block) => block.type === "thinking" && block.thinkingSignature !== undefined);
  expect(signed.length).toBeLessThanOrEqual(endedOfType("thinking"));
}

const BLOCK_KEYS: Record<AssistantContent["type"], readonly string[]> = {
  text: ["type", "text", "textSignature"],
  thinking: ["type", "thinking", "thinkingSignature"],
  redactedThinking: ["type", "data"],
  toolCall: ["type", "id", "name", "arguments", "thoughtSignature", "intent", "argumentsError"],
};

/** The message contains no streaming state. */
function checkKeys(message: AssistantMessage): void {
  for (const block of message.content) {
    expect(Object.keys(block).filter((key) => !BLOCK_KEYS[block.type].includes(key))).toEqual([]);
  }
}

function isTerminal(event: AssistantMessageEvent): event is Extract<AssistantMessageEvent, { type: "done" | "error" }> {
  return event.type === "done" || event.type === "error";
}
