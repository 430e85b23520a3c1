import type { ThinkingLevel } from "@pintle/ai";
import type { PermissionMode } from "@pintle/wire";

/** The origin of a definition, in the terms of the wire. */
export type AgentSource = "bundled" | "user" | "project";

/** A kind of subagent: what it is for, its instructions and its limits. */
export interface AgentDefinition {
  name: string;
  /** When the main agent should delegate to it. */
  description: string;
  source: AgentSource;
  filePath?: string | undefined;
  /** Instructions that follow the system prompt. */
  prompt: string;
  /** Only these tools, in pintle's names; all of the parent's if unset. */
  tools?: readonly string[] | undefined;
  /** Never these tools, in pintle's names. */
  disallowedTools?: readonly string[] | undefined;
  /** Models in order of preference, as patterns, names or roles; the parent's if unset or if none can be used. */
  model?: readonly string[] | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
  /** The agents that it may start; none if unset. */
  spawns?: "*" | readonly string[] | undefined;
  /** JSON Schema of its result. */
  output?: Readonly<Record<string, unknown>> | undefined;
  /** Whether it always works in a worktree of its own. */
  isolation?: "worktree" | undefined;
  maxTurns?: number | undefined;
  /** A preset that applies if it is stricter than the parent's. */
  permissionMode?: PermissionMode | undefined;
}
