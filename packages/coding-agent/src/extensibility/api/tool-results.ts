import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { contentFault } from "./content-blocks.ts";

/** Returns the `onUpdate` callback for users' tools. */
export function progressOf(call: Pick<ToolInvocation, "update">): (partial: ToolResult) => void {
  return (partial) => {
    const update = toToolResult(partial);
    // Skip an update that cannot be shown; the result will follow.
    if (contentFault("toolResult", update?.content) === undefined) call.update(update);
  };
}

/**
 * Accepts a plain string as a result. Copies the blocks, because tools may keep writing to them. Any other value stays unchanged,
 * and the loop reports what is wrong with it.
 */
export function toToolResult(value: unknown): ToolResult {
  if (typeof value === "string") return { content: [{ type: "text", text: value }] };
  const { content }: { content?: unknown } = Object(value);
  if (typeof content === "string") return { ...Object(value), content: [{ type: "text", text: content }] };
  if (!Array.isArray(content)) return value as ToolResult;
  return { ...Object(value), content: content.map((block) => (isObject(block) ? { ...block } : block)) };
}

const isObject = (value: unknown): value is ToolResult["content"][number] =>
  typeof value === "object" && value !== null;
