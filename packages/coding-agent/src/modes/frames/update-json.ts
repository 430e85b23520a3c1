import type { AssistantMessage } from "@pintle/ai";
import type { Params } from "@pintle/wire";
import { toFrameJson } from "./frame-json.ts";
import type { MessageUpdate } from "./update-frames.ts";

/** `full`: an update contains the message so far. `delta`: the same without its content. */
export type UpdateMode = Params<"set_update_mode">["mode"];

/**
 * Where an update contains the message so far. `twice`: in `message` and in `partial`, and at the end of a block also
 * in `content`. `once`: in `message`, unless the event itself has it: the end of a block, or a large delta.
 */
export type UpdateLayout = "twice" | "once";

/** A longer delta is not repeated in the message, so that no line is much longer than the text. */
const LARGE_DELTA = 4096;

export interface UpdateForm {
  mode: UpdateMode;
  layout: UpdateLayout;
  messageId: string;
}

export function messageUpdateJson(frame: MessageUpdate, form: UpdateForm): string {
  return form.layout === "once" ? onceJson(frame, form) : twiceJson(frame, form);
}

/** Serializes `message` and `partial`, which are the same object, once, and inserts the text twice. */
function twiceJson(frame: MessageUpdate, { mode, messageId }: UpdateForm): string {
  const { partial, ...event } = frame.assistantMessageEvent;
  const message = messageJson(frame.message, mode === "full");
  const partialText = partial === frame.message ? message : messageJson(partial, mode === "full");
  const openEvent = toFrameJson(event).slice(0, -1);
  return `{"type":"message_update","messageId":"${messageId}","message":${message},"assistantMessageEvent":${openEvent},"partial":${partialText}}}`;
}

/** Older clients of pi read `message` and require `partial`; newer ones read `usage` and the event itself. */
function onceJson(frame: MessageUpdate, { mode, messageId }: UpdateForm): string {
  const { partial, ...event } = frame.assistantMessageEvent;
  const saysItself = "delta" in event ? event.delta.length > LARGE_DELTA : isEnd(event);
  const call = event.type === "toolcall_start" && { id: event.toolCall.id, toolName: event.toolCall.name };
  const message = messageJson(frame.message, mode === "full" && !saysItself);
  const openEvent = toFrameJson({ ...event, ...call }).slice(0, -1);
  const usage = toFrameJson(frame.message.usage);
  return `{"type":"message_update","messageId":"${messageId}","usage":${usage},"message":${message},"assistantMessageEvent":${openEvent},"partial":${messageJson(partial, false)}}}`;
}

const isEnd = ({ type }: { type: string }) => type === "text_end" || type === "thinking_end" || type === "toolcall_end";

function messageJson(message: AssistantMessage, hasContent: boolean): string {
  return toFrameJson(hasContent ? message : { ...message, content: [] });
}
