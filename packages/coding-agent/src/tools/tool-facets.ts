import { BUILTIN_TOOLS } from "./builtin-tools.ts";
import type { ToolFacets } from "./define-tool.ts";

/** Tools of other agents, whose calls stand in conversations that were begun there. */
const FOREIGN: Readonly<Record<string, ToolFacets>> = {
  job: { polls: true },
  notebook: { files: "changes" },
  skill: { keepsOutput: true },
  wait: { polls: true },
};

const BY_NAME: ReadonlyMap<string, ToolFacets> = new Map([
  ...Object.entries(FOREIGN),
  ...BUILTIN_TOOLS.map((tool): [string, ToolFacets] => [tool.name, tool]),
]);

/** What is known of a tool by the name that a conversation has for it; a tool that is not ours has no facets. */
export function facetsOf(name: string): ToolFacets {
  return BY_NAME.get(name) ?? {};
}
