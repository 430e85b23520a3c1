import type { ToolInvocation, ToolResult } from "@pintle/agent";
import type { TaskContext } from "../task.ts";
import type { TaskDetails } from "./task-details.ts";

/** Throws an error for the model. */
export async function execute(
  args: Readonly<Record<string, unknown>>,
  call: ToolInvocation,
  { delegation }: TaskContext,
): Promise<ToolResult<TaskDetails>> {
  if (!delegation?.isAllowed) throw new Error("Subagents are not available here (setting task.maxRecursionDepth).");
  return delegation.run(args, call);
}
