import { isInputBlock, isTooDeep, TOO_DEEP_TEXT, type ToolCall, type ToolResultMessage } from "@pintle/ai";
import type { ToolResult } from "./types.ts";

/** Why a call of the model never ran; stored with its result so that it is known after a reload. */
export type SyntheticSource = "aborted" | "error" | "length" | "skipped";

export interface SyntheticDetails {
  __synthetic: true;
  /** True if the tool had started: it may have had side effects. */
  executed: boolean;
  source: SyntheticSource;
}

export function syntheticResult(text: string, source: SyntheticSource, executed = false): ToolResult {
  const details: SyntheticDetails = { __synthetic: true, executed, source };
  return { content: [{ type: "text", text }], details, isError: true };
}

export function syntheticDetails(message: ToolResultMessage): SyntheticDetails | undefined {
  const details = message.details as Partial<SyntheticDetails> | null | undefined;
  return details?.__synthetic === true ? (details as SyntheticDetails) : undefined;
}

export function errorResult(text: string): ToolResult {
  return { content: [{ type: "text", text }], details: {}, isError: true };
}

/** Normalizes a result. Providers reject empty results, and the session would then fail on every later request. */
export function normalizeResult(value: unknown): ToolResult {
  const result = value as ToolResult | null | undefined;
  if (!Array.isArray(result?.content) || !result.content.every(isInputBlock)) {
    return errorResult("Tool returned a malformed result");
  }
  if (isTooDeep(result)) return errorResult(`Tool returned a result that is ${TOO_DEEP_TEXT}`);
  const isEmpty = !result.content.some((block) => block.type === "image" || block.text !== "");
  if (!isEmpty) return result;
  const text = result.isError ? "Tool failed with no output." : "(no output)";
  return { ...result, content: [{ type: "text", text }] };
}

export function toResultMessage(call: ToolCall, result: ToolResult, timestamp: number): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: result.content,
    ...(result.details !== undefined && { details: result.details }),
    isError: result.isError === true,
    ...(result.isWarning && { isWarning: true }),
    timestamp,
  };
}

/** Returns what hosts see of a result; how it ends the run is internal to the tool and the loop. */
export function toWireResult({ content, details, isWarning }: ToolResult): ToolResult {
  return { content, ...(details !== undefined && { details }), ...(isWarning && { isWarning }) };
}
