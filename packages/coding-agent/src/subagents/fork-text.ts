import type { AgentDefinition } from "../agents/agent-definition.ts";

/** Returns the assignment of a subagent that begins with the conversation of its parent, whose requests it must not change. */
export function forkText(
  { prompt }: Pick<AgentDefinition, "prompt">,
  assignment: string,
  schema: object | undefined,
  missingTools: readonly string[],
): string {
  return [
    "You are now a copy of the agent in this conversation, and work on one assignment. Nothing after it reaches you, and only your final message returns to the agent.",
    ...(prompt === "" ? [] : [prompt]),
    ...(missingTools.length === 0 ? [] : [`Calls of these tools fail now: ${missingTools.join(", ")}.`]),
    `Assignment:\n${assignment}`,
    ...(schema ? [`Answer with one JSON value only, which matches this JSON Schema:\n${JSON.stringify(schema)}`] : []),
  ].join("\n\n");
}
