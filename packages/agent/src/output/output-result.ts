import { isRecord, type ToolResultMessage } from "@pintle/ai";
import type { ToolResult } from "../types.ts";

/** The tool with which a model returns its output; a number is appended if another tool has the name. */
export const OUTPUT_TOOL_NAME = "structured_output";

/** The result of a call of that tool, marked as such. */
export function outputResult(text: string, isError = false): ToolResult {
  return { content: [{ type: "text", text }], details: { structuredOutput: true }, ...(isError && { isError }) };
}

/** Returns whether a message is such a result: these calls are not counted as tool calls. */
export function isOutputResult({ toolName, details }: Pick<ToolResultMessage, "toolName" | "details">): boolean {
  return String(toolName).startsWith(OUTPUT_TOOL_NAME) && isRecord(details) && details.structuredOutput === true;
}
