import type { Tool } from "@pintle/agent";
import { type AskContext, askTool } from "./ask.ts";
import { createTool } from "./define-tool.ts";
import type { ToolContext } from "./tool-context.ts";

/** The hands of the agent. `isHidden`: known, but offered only when somebody asks for it. */
export function createBuiltinTools(
  _context: ToolContext,
  { ask }: { ask: AskContext },
): { tool: Tool; isHidden?: boolean }[] {
  return [{ tool: createTool(askTool, ask), isHidden: true }];
}
