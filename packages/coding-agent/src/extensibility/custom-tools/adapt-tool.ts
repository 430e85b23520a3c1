import type { Tool, ToolInvocation, ToolResult } from "@pintle/agent";
import { contentFault } from "../api/content-blocks.ts";
import type { CustomToolContext } from "../api/session-types.ts";
import { asUsersCode } from "../loading/watchdog.ts";
import type { CheckedTool } from "./check-tool.ts";
import type { CustomToolBinding } from "./custom-tool-api.ts";

/** The loop's form of a custom tool. */
export function adaptTool(checked: CheckedTool, binding: CustomToolBinding): Tool {
  const { name, label, description, parameters, isDeferrable, texts, declaration } = checked;
  return {
    name,
    label,
    description,
    parameters,
    ...texts,
    ...(isDeferrable && { deferrable: true }),
    async execute(args, call) {
      const onUpdate = progressOf(call);
      const context = requireContext(binding);
      const run = () => declaration.execute(call.id, args, onUpdate, context, call.signal);
      return toToolResult(await asUsersCode(`the tool ${name}`, run));
    },
  };
}

export function requireContext({ context }: CustomToolBinding): CustomToolContext {
  if (!context) throw new Error("Custom tools cannot be called before the session has begun.");
  return context();
}

/** The `onUpdate` of users' tools. */
export function progressOf(call: ToolInvocation): (partial: ToolResult) => void {
  return (partial) => {
    const update = toToolResult(partial);
    // Nothing else can be shown, and the result is still to come.
    if (contentFault("toolResult", update?.content) === undefined) call.update(update);
  };
}

/**
 * A plain text is a result too. The blocks are copied, because tools like to go on writing into what they handed over.
 * Anything else stays as it is: the loop says what is wrong with it.
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
