import type { ToolResult } from "@pintle/agent";
import { errorText, textsOf } from "@pintle/ai";
import type { DecidedBy, PendingAction, Resolution, Verdict } from "./pending-action.ts";

export interface Decision {
  verdict: Verdict;
  reason: string;
  by: DecidedBy;
  /** With "apply": limits it to these files. */
  files?: readonly string[] | undefined;
}

/** Runs the decided action once, to completion. The action must already be off the stack, so that it never runs again. */
export async function runResolution(action: PendingAction, decision: Decision): Promise<Resolution> {
  const { verdict, reason, by, files } = decision;
  const result = withText(await RUN[verdict](action, reason, files), () => DEFAULT_TEXT[verdict](action, reason));
  return { action, verdict, reason, by, result, text: textOf(result) };
}

const DEFAULT_TEXT: Record<Verdict, (action: PendingAction, reason: string) => string> = {
  apply: ({ label }) => `Applied: ${label}.`,
  discard: ({ label }, reason) => `Discarded: ${label}. Reason: ${reason}`,
};

type Run = (action: PendingAction, reason: string, files?: readonly string[]) => Promise<ToolResult | undefined>;

const RUN: Record<Verdict, Run> = {
  async apply(action, reason, files) {
    try {
      return files && action.applyFiles ? await action.applyFiles(files, reason) : await action.apply(reason);
    } catch (error) {
      return failure("Apply failed", error);
    }
  },
  async discard(action, reason) {
    try {
      return await action.reject?.(reason);
    } catch (error) {
      return failure("Discard failed", error);
    }
  },
};

function failure(what: string, error: unknown): ToolResult {
  const message = errorText(error);
  return { content: [{ type: "text", text: `${what}: ${message}` }], isError: true };
}

/** Results of user code may lack any field. */
function withText(given: ToolResult | undefined, defaultText: () => string): ToolResult {
  const content = Array.isArray(given?.content) ? given.content : [];
  if (content.some((block) => block.type === "text" && block.text.trim() !== "")) return { ...given, content };
  const images = content.filter((block) => block.type === "image");
  return { ...given, content: [{ type: "text", text: defaultText() }, ...images] };
}

function textOf({ content }: ToolResult): string {
  return textsOf(content).join("\n");
}
