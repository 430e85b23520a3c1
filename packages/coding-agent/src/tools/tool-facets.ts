import { renameParameters } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";
import type { ToolFacets } from "./define-tool.ts";

/** Tools of other agents, whose calls occur in conversations that started there. */
const FOREIGN: Readonly<Record<string, ToolFacets>> = {
  notebook: { files: "changes" },
  skill: { keepsOutput: true },
  wait: { polls: true },
};

const BY_NAME: ReadonlyMap<string, ToolFacets> = new Map([
  ...BUILTIN_TOOLS.flatMap((tool) =>
    [tool.name, ...(tool.aliases ?? [])].map((name): [string, ToolFacets] => [name, tool]),
  ),
  ...Object.entries(FOREIGN),
  ...BUILTIN_TOOLS.map((tool): [string, ToolFacets] => [tool.name, tool]),
]);

/** Returns the facets of a tool by its name in a conversation; unknown tools have none. */
export function facetsOf(name: string): ToolFacets {
  return BY_NAME.get(name) ?? BY_NAME.get(name.toLowerCase()) ?? {};
}

/** Returns the arguments of a call under the names that its tool declares. */
export function namedArguments(name: string, args: unknown): Record<string, unknown> {
  const { parameterNames } = facetsOf(name);
  if (!isRecord(args)) return {};
  return parameterNames ? renameParameters(args, parameterNames, {}) : args;
}
