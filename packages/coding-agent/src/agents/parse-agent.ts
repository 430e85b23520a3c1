import { THINKING_LEVELS, type ThinkingLevel } from "@pintle/ai";
import { parseFrontMatter, plainLine } from "@pintle/foundation";
import type { PermissionMode } from "@pintle/wire";
import type { AgentDefinition, AgentSource } from "./agent-definition.ts";
import { toolNames } from "./agent-tools.ts";
import { BadField, readChoice, readList, readObject, readPositive } from "./front-matter-fields.ts";

export interface AgentFile {
  path: string;
  text: string;
  source: Exclude<AgentSource, "bundled">;
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} _.:-]{0,63}$/u;
const MAX_DESCRIPTION = 1024;

const ISOLATIONS: Readonly<Record<string, "worktree" | undefined>> = {
  none: undefined,
  worktree: "worktree",
  "fuse-overlay": "worktree",
  "fuse-projfs": "worktree",
};

/** pintle's presets and the modes of Claude Code. `default` leaves the parent's preset. */
const PERMISSION_MODES: Readonly<Record<string, PermissionMode | undefined>> = {
  plan: "plan",
  ask: "ask",
  workspace: "workspace",
  full: "full",
  default: undefined,
  manual: "ask",
  dontAsk: "ask",
  auto: "ask",
  acceptEdits: "workspace",
  bypassPermissions: "full",
};

const LEVELS: Readonly<Record<string, ThinkingLevel | undefined>> = {
  ...Object.fromEntries(THINKING_LEVELS.map((level) => [level, level])),
  auto: undefined,
  inherit: undefined,
};

/** Returns the definition in a Markdown file, or the reason why the file is not used. Unknown keys are ignored. */
export function parseAgent(file: AgentFile): AgentDefinition | { problem: string } {
  const { fields, body, problem } = parseFrontMatter(file.text);
  if (problem !== undefined) return { problem: `the front matter is not valid YAML (${plainLine(problem)})` };
  try {
    return toDefinition(fields, body, file);
  } catch (error) {
    if (error instanceof BadField) return { problem: error.message };
    throw error;
  }
}

function toDefinition(fields: Record<string, unknown>, body: string, { path, source }: AgentFile): AgentDefinition {
  const name = textOf(fields.name);
  const description = textOf(fields.description);
  if (name === "") throw new BadField("an agent needs a name");
  if (!NAME.test(name)) throw new BadField("name must have 1 to 64 letters, digits, spaces, _ . : or -");
  if (description === "") throw new BadField("an agent needs a description");
  const tools = toolsIn(fields, "tools");
  const disallowed = toolsIn(fields, "disallowedTools");
  const model = readList(fields, "model")?.filter((one) => one !== "inherit");
  const spawns = readList(fields, "spawns");
  return {
    name,
    description: description.slice(0, MAX_DESCRIPTION),
    source,
    filePath: path,
    prompt: body.trim(),
    tools: tools?.includes("*") ? undefined : tools,
    disallowedTools: disallowed,
    model: model?.length === 0 ? undefined : model,
    thinkingLevel: readChoice(fields, "thinkingLevel", LEVELS) ?? readChoice(fields, "thinking", LEVELS),
    spawns: spawns?.includes("*") ? ("*" as const) : spawns,
    output: readObject(fields, "output"),
    isolation: readChoice(fields, "isolation", ISOLATIONS),
    maxTurns: readPositive(fields, "maxTurns"),
    permissionMode: readChoice(fields, "permissionMode", PERMISSION_MODES),
  };
}

/** A pattern such as `Bash(git *)` restricts a tool in a way that a list of names cannot. */
function toolsIn(fields: Record<string, unknown>, key: string): string[] | undefined {
  const written = readList(fields, key);
  const pattern = written?.find((name) => name.includes("("));
  if (pattern !== undefined) {
    throw new BadField(`${key} must have names of tools only, not patterns such as ${pattern}`);
  }
  return written && toolNames(written);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? plainLine(value) : "";
}
