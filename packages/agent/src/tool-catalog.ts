import type { ToolCall } from "@pintle/ai";
import { toolFinder } from "./tool-names.ts";
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
