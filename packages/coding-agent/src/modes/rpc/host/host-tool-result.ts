import type { ToolResult } from "@pintle/agent";
import { isInputBlock, isRecord } from "@pintle/ai";
import type { HostFields } from "../../../session/host-question.ts";

const FAILED_TEXT = "Host tool execution failed";

/** Converts a `host_tool_result` to a tool result for the model. Throws an Error if the host sent no result. */
export function toToolResult(toolName: string, { result, isError }: HostFields): ToolResult {
  if (!isToolResult(result)) throw new Error(`Host tool "${toolName}" returned an invalid result`);
  const { content, details, isWarning, terminate } = result;
  const failed = isError === true;
  return {
    content: failed && !content.some(hasText) ? [...content, { type: "text", text: FAILED_TEXT }] : content,
    ...(details !== undefined && { details }),
    ...(failed && { isError: true }),
    ...(isWarning === true && { isWarning: true }),
    ...(terminate === true && { terminate: true }),
  };
}

export function isToolResult(value: unknown): value is ToolResult {
  return isRecord(value) && Array.isArray(value.content) && value.content.every(isInputBlock);
}

function hasText(block: ToolResult["content"][number]): boolean {
  return block.type === "text" && block.text.trim() !== "";
}
