import type { ToolCall } from "@pintle/ai";
import { plainSpelling } from "./near-names.ts";
import type { Tool } from "./types.ts";

/** A call and the tool it refers to; undefined if there is none. */
export interface MeantCall {
  call: ToolCall;
  tool: Tool | undefined;
}

/** The tools of one model call, by the names under which they are called. */
export class ToolCatalog {
  /** Names of the tools that were offered to the model. */
  readonly names: readonly string[];
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #find: (name: string) => Tool | undefined;

  /** `undeclared` tools run if they are called, although the request does not declare them. */
  constructor(tools: readonly Tool[], undeclared: readonly Tool[]) {
    this.names = tools.map(({ name }) => name);
    this.#byName = new Map([...undeclared, ...tools].map((tool) => [tool.name, tool]));
    this.#find = toolFinder(tools, this.#byName);
  }

  get tools(): Tool[] {
    return [...this.#byName.values()];
  }

  /** Returns the call with the tool it refers to; the conversation keeps what the model sent. */
  meant(call: ToolCall): MeantCall {
    const tool = this.#find(call.name);
    const target = tool?.forward?.(call.arguments, this.#find);
    if (target) return { call: { ...call, name: target.tool.name, arguments: target.args }, tool: target.tool };
    return { call: tool ? { ...call, name: tool.name } : call, tool };
  }
}

/** Prefixes that some models write before the name of a function. */
const PREFIX = /^(?:functions|default_api)[.:]/;

/**
 * Finds the tool that a model means: by its name, by an alias, or by either with different capitals and separators
 * (`Read`, `todo-write`). A spelling that matches two tools finds none.
 */
function toolFinder(tools: readonly Tool[], byName: ReadonlyMap<string, Tool>): (name: string) => Tool | undefined {
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
