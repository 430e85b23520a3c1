import type { AgentDefinition } from "../agents/agent-definition.ts";

/** Tools that belong to the user's own conversation. */
const NEVER: ReadonlySet<string> = new Set(["ask", "todo_write", "job"]);

/** Returns the tools of a subagent: those in its definition that its parent has too. */
export function childTools(
  { tools, disallowedTools = [] }: Pick<AgentDefinition, "tools" | "disallowedTools">,
  ofParent: readonly string[],
  mayDelegate: boolean,
): string[] {
  return ofParent.filter(
    (name) =>
      !NEVER.has(name) &&
      (tools?.includes(name) ?? true) &&
      !disallowedTools.includes(name) &&
      (name !== "task" || mayDelegate),
  );
}
