import type { AgentEvent, ToolResult } from "@pintle/agent";
import type { AssistantUpdateEvent } from "@pintle/ai";

/** One JSON object of the wire. */
export interface Frame {
  readonly type: string;
}

export type MessageUpdate = Extract<AgentEvent, { type: "message_update" }>;
export type ToolUpdate = Extract<AgentEvent, { type: "tool_execution_update" }>;
type ToolEnd = Extract<AgentEvent, { type: "tool_execution_end" }>;
type DeltaEvent = Extract<AssistantUpdateEvent, { delta: string }>;
/** A delta of a block. The block's start and end are updates too, but are never merged. */
export type DeltaUpdate = MessageUpdate & { assistantMessageEvent: DeltaEvent };

export const isMessageUpdate = (frame: Frame): frame is MessageUpdate => frame.type === "message_update";
export const isDeltaUpdate = (frame: Frame): frame is DeltaUpdate =>
  isMessageUpdate(frame) && "delta" in frame.assistantMessageEvent;
export const isToolUpdate = (frame: Frame): frame is ToolUpdate => frame.type === "tool_execution_update";
export const isToolEnd = (frame: Frame): frame is ToolEnd => frame.type === "tool_execution_end";

export function isSameBlock(one: DeltaUpdate, other: DeltaUpdate): boolean {
  const a = one.assistantMessageEvent;
  const b = other.assistantMessageEvent;
  return a.type === b.type && a.contentIndex === b.contentIndex;
}

export function withDelta(frame: DeltaUpdate, delta: string): DeltaUpdate {
  return { ...frame, assistantMessageEvent: { ...frame.assistantMessageEvent, delta } };
}

const TAIL_BYTES = 8 * 1024;

/** Shortens progress to the end of its text. `tool_execution_end` contains the whole result. */
export function withBoundedTail(frame: ToolUpdate): ToolUpdate {
  const { partialResult } = frame;
  const content: ToolResult["content"] = [];
  let budget = TAIL_BYTES;
  for (const block of partialResult.content.toReversed()) {
    if (block.type !== "text") {
      content.unshift(block);
      continue;
    }
    const text = lastBytes(block.text, budget);
    budget -= Buffer.byteLength(text);
    if (text !== "" || block.text === "") content.unshift(text === block.text ? block : { ...block, text });
  }
  return { ...frame, partialResult: { ...partialResult, content } };
}

/** Returns at most `limit` bytes of UTF-8 from the end of the text, never half a character. */
function lastBytes(text: string, limit: number): string {
  // A UTF-16 unit is at least one byte, so the cost does not depend on the length of the text.
  const end = text.length > limit ? withoutHalfCharacter(text.slice(text.length - limit)) : text;
  const bytes = Buffer.from(end);
  if (bytes.length <= limit) return end;
  let start = bytes.length - limit;
  while (start < bytes.length && isContinuationByte(bytes[start]!)) start += 1;
  return bytes.toString("utf8", start);
}

const withoutHalfCharacter = (cutText: string) => cutText.replace(/^[\uDC00-\uDFFF]/, "");
const isContinuationByte = (byte: number) => (byte & 0xc0) === 0x80;
