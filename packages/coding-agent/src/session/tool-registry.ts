import type { Tool } from "@pintle/agent";

/** Where a tool comes from; a source is replaced as a whole. */
export type ToolSource = "builtin" | "custom" | "extension" | "mcp" | "host";

export interface RegisteredTool {
  tool: Tool;
  /** Known, but not offered unless somebody asks for it. */
  isHidden?: boolean;
}

/** Names that no source may use for a tool of its own. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(["resolve"]);

/** All tools by source, and which of them the model is offered. */
export class ToolRegistry {
  readonly #sources = new Map<ToolSource, readonly RegisteredTool[]>();
  readonly #active = new Set<string>();

  /** A name that stays keeps its state; new tools are active unless hidden. */
  replace(source: ToolSource, tools: readonly RegisteredTool[]): void {
    const before = new Set(this.#sources.get(source)?.map(({ tool }) => tool.name));
    this.#sources.set(source, tools);
    for (const name of before) if (!tools.some(({ tool }) => tool.name === name)) this.#active.delete(name);
    for (const { tool, isHidden } of tools) if (!before.has(tool.name) && !isHidden) this.#active.add(tool.name);
  }

  /** What the model is offered, in a stable order: providers cache the head of a request. */
  active(): Tool[] {
    return this.#all()
      .filter((tool) => this.#active.has(tool.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Taken by another source, active or not, or by nobody at all. */
  isTaken(name: string, source: ToolSource): boolean {
    if (RESERVED_NAMES.has(name)) return true;
    return [...this.#sources].some(
      ([other, tools]) => other !== source && tools.some(({ tool }) => tool.name === name),
    );
  }

  #all(): Tool[] {
    return [...this.#sources.values()].flatMap((tools) => tools.map(({ tool }) => tool));
  }
}
