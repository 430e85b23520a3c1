import { plainSpelling } from "./near-names.ts";
import type { Tool } from "./types.ts";

/** Prefixes that some models write before the name of a function. */
const PREFIX = /^(?:functions|default_api)[.:]/;

/**
 * Finds the tool that a model means: by its name, by an alias, or by either with different capitals and separators
 * (`Read`, `todo-write`). A spelling that matches two tools finds none.
 */
export function toolFinder(
  tools: readonly Tool[],
  byName: ReadonlyMap<string, Tool>,
): (name: string) => Tool | undefined {
  let byPlainName: Map<string, Tool | undefined> | undefined;
  return (name) => {
    const exact = byName.get(name) ?? tools.find((tool) => tool.aliases?.includes(name));
    if (exact) return exact;
    byPlainName ??= plainNames(tools);
    return byPlainName.get(plainSpelling(name.replace(PREFIX, "")));
  };
}

function plainNames(tools: readonly Tool[]): Map<string, Tool | undefined> {
  const found = new Map<string, Tool | undefined>();
  const add = (name: string, tool: Tool) => {
    const plain = plainSpelling(name);
    found.set(plain, !found.has(plain) || found.get(plain) === tool ? tool : undefined);
  };
  for (const tool of tools) add(tool.name, tool);
  const named = new Set(found.keys());
  for (const tool of tools) {
    for (const alias of tool.aliases ?? []) if (!named.has(plainSpelling(alias))) add(alias, tool);
  }
  return found;
}
