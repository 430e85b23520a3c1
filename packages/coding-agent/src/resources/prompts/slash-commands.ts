import type { ResourceSource } from "../places/resource-places.ts";
import type { Skill } from "../skills/skill.ts";
import type { PromptTemplate } from "./find-templates.ts";

export type CommandSource = "builtin" | "skill" | "extension" | "custom" | "mcp_prompt" | "file";

/** A command that a prompt may start with, from any source. */
export interface SlashCommand {
  /** Without the slash. */
  name: string;
  description?: string;
  aliases?: string[];
  /** Hint about its arguments. */
  hint?: string;
  source: CommandSource;
  path?: string;
  from?: ResourceSource;
}

export const SKILL_PREFIX = "skill:";

export function skillCommand({ name, description, path, source }: Skill): SlashCommand {
  return { name: `${SKILL_PREFIX}${name}`, description, source: "skill", path, from: source };
}

export function templateCommand({ name, description, hint, path, source }: PromptTemplate): SlashCommand {
  return {
    name,
    ...(description !== "" && { description }),
    ...(hint !== undefined && { hint }),
    source: "file",
    path,
    from: source,
  };
}

/** Returns a row of `get_available_commands`. */
export function toAvailableCommand({ name, description, aliases, hint, source }: SlashCommand) {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(aliases && { aliases }),
    ...(hint !== undefined && { input: { hint } }),
    source,
  };
}

const PI_SOURCES: Record<CommandSource, "extension" | "prompt" | "skill" | undefined> = {
  builtin: undefined,
  skill: "skill",
  extension: "extension",
  custom: "prompt",
  mcp_prompt: "prompt",
  file: "prompt",
};
const PI_ORIGINS: Record<ResourceSource["origin"], string> = {
  auto: "auto",
  settings: "local",
  named: "cli",
  extension: "extension",
};

/** Returns the origin of a command in the form that pi's clients and extensions expect. */
export function toSourceInfo(path: string, { scope, origin }: ResourceSource) {
  return { path, source: PI_ORIGINS[origin], scope, origin: "top-level" as const };
}

/** Returns a row of `get_commands`, or undefined for commands that pi's clients do not list. */
export function toPiCommand({ name, description, source, path = "", from }: SlashCommand) {
  const piSource = PI_SOURCES[source];
  if (piSource === undefined) return undefined;
  const place: ResourceSource = from ?? { scope: "temporary", origin: "named" };
  return {
    name,
    ...(description !== undefined && { description }),
    source: piSource,
    sourceInfo: toSourceInfo(path, place),
    location: place.scope === "temporary" ? ("path" as const) : place.scope,
    ...(path !== "" && { path }),
  };
}

/**
 * Parses `/name args`. The name ends at the first space, and the rest is verbatim. Returns undefined if the text is not a
 * command.
 */
export function parseSlash(text: string): { name: string; args: string } | undefined {
  const match = /^\/(\S+)(?:\s([\s\S]*))?$/.exec(text);
  return match ? { name: match[1]!, args: match[2] ?? "" } : undefined;
}
