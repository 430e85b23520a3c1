import type { MessageUpdateEvent, RpcEvent } from "../protocol.ts";

type DeltaStep = Extract<MessageUpdateEvent["assistantMessageEvent"], { delta: string }>;
type DeltaUpdate = MessageUpdateEvent & { assistantMessageEvent: DeltaStep };

const isDelta = (event: RpcEvent): event is DeltaUpdate =>
  event.type === "message_update" && "delta" in event.assistantMessageEvent;

/**
 * Returns the index of the waiting event, at `first` or later, that the new event supersedes. Only the last event qualifies, or
 * an update of the same call followed by nothing but tool updates; every other event keeps its position.
 */
export function supersededBy(waiting: readonly RpcEvent[], first: number, event: RpcEvent): number | undefined {
  const last = waiting.length - 1;
  if (last < first) return undefined;
  if (isDelta(event)) return isSameBlock(waiting[last]!, event) ? last : undefined;
  if (event.type !== "tool_execution_update") return undefined;
  for (let index = last; index >= first; index -= 1) {
    const other = waiting[index]!;
    if (other.type !== "tool_execution_update") return undefined;
    if (other.toolCallId === event.toolCallId) return index;
  }
  return undefined;
}

function isSameBlock(one: RpcEvent, { assistantMessageEvent: b }: DeltaUpdate): boolean {
  if (!isDelta(one)) return false;
  const a = one.assistantMessageEvent;
  return a.type === b.type && a.contentIndex === b.contentIndex;
}

/** Returns the newer event, including the delta of the older one. */
export function merged(older: RpcEvent, newer: RpcEvent): RpcEvent {
  if (!isDelta(older) || !isDelta(newer)) return newer;
  const delta = older.assistantMessageEvent.delta + newer.assistantMessageEvent.delta;
  return { ...newer, assistantMessageEvent: { ...newer.assistantMessageEvent, delta } };
}
