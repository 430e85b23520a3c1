import type { OutgoingFrame } from "../host.ts";
import { toolCallIdOf } from "./session-picture.ts";

const STEP = '"assistantMessageEvent":{"type":"';
const DELTA = /(text_delta|thinking_delta|toolcall_delta)","contentIndex":(\d+),/y;

/**
 * Returns the key of updates that may replace this one for a slow host. Works on the text, so that no delta is parsed.
 */
export function mergeKey(type: string, line: string): OutgoingFrame["merge"] {
  if (type === "message_update") {
    const at = line.indexOf(STEP);
    if (at < 0) return undefined;
    DELTA.lastIndex = at + STEP.length;
    const found = DELTA.exec(line);
    return found ? { key: `${found[1]}:${found[2]}`, kind: "delta" } : undefined;
  }
  if (type !== "tool_execution_update") return undefined;
  const id = toolCallIdOf(line);
  return id === undefined ? undefined : { key: `tool:${id}`, kind: "last" };
}
