import type { Tool } from "@pintle/agent";
import { resolveTool } from "../../tools/resolve.ts";
import { LATE_TOOL_NAME, SEARCH_TOOL_NAME } from "./late-tools.ts";
import { isListed, type ToolSelection } from "./tool-selection.ts";

/** The origin of a tool; the tools of a source are replaced together. */
export type ToolSource = "builtin" | "custom" | "extension" | "mcp" | "host";

export interface RegisteredTool {
  tool: Tool;
  /** True if the tool is not offered until its owner or the user asks for it. */
  isHidden?: boolean;
  /** The name of the server of an MCP tool. */
  server?: string;
}

/** If two tools have the same name, the first source wins: an extension may wrap a built-in tool. */
const PRECEDENCE: readonly ToolSource[] = ["extension", "builtin", "custom", "mcp", "host"];

const ORIGINS: Readonly<Record<ToolSource, string>> = {
  builtin: "builtin",
  extension: "custom",
  custom: "custom",
  mcp: "mcp",
  host: "host",
};

const MAX_LEFT = 10_000;

/** Names that no source may use for a tool of its own. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([resolveTool.name, LATE_TOOL_NAME, SEARCH_TOOL_NAME]);

/** Holds all tools by source, and knows which of them the model is offered. */
export class ToolRegistry {
  readonly #selection: ToolSelection;
  readonly #sources = new Map<ToolSource, readonly RegisteredTool[]>();
  readonly #active = new Set<string>();
  #version = 0;
  /** Origins of removed tools, the newest last: a call of one may still be in progress. */
  readonly #left = new Map<string, string>();

  constructor(selection: ToolSelection = {}) {
    this.#selection = selection;
  }

  /**
   * Replaces the tools of a source. A name that is still there keeps its state, even if another source has it too: a wrapped tool
   * reappears when its extension goes. New tools are active unless they are hidden or not selected.
   */
  replace(source: ToolSource, tools: readonly RegisteredTool[]): void {
    this.#version += 1;
    const earlier = this.#sources.get(source) ?? [];
    const before = new Set(earlier.map(({ tool }) => tool.name));
    const after = new Set(tools.map(({ tool }) => tool.name));
    for (const registered of earlier) {
      if (!after.has(registered.tool.name)) this.#remember(registered.tool.name, originFrom(source, registered));
    }
    this.#sources.set(source, tools);
    for (const name of before.difference(after)) if (!this.#hasSelected(name)) this.#active.delete(name);
    for (const registered of tools) {
      const { name } = registered.tool;
      if (!before.has(name) && this.#isSelected(source, registered)) this.#active.add(name);
    }
  }

  /** Returns the tools of a source, active or not. */
  of(source: ToolSource): readonly RegisteredTool[] {
    return this.#sources.get(source) ?? [];
  }

  /** Offers a hidden tool, or stops offering it. Has no effect if the user chose the tools by name. */
  setOffered(name: string, isOffered: boolean): void {
    if (this.#selection.only || this.#isAdded(name) || this.#isExcluded(name)) return;
    this.#version += 1;
    if (isOffered) this.#active.add(name);
    else this.#active.delete(name);
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  /** Returns the tools that the model is offered, sorted by name, because providers cache the head of a request. */
  active(): Tool[] {
    return this.#all()
      .filter((tool) => this.#active.has(tool.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Returns the names of all tools, active or not. */
  names(): string[] {
    return this.#all().map(({ name }) => name);
  }

  /** Returns all tools, active or not, with their sources. */
  list(): { tool: Tool; source: ToolSource }[] {
    const byName = new Map<string, { tool: Tool; source: ToolSource }>();
    const all = PRECEDENCE.flatMap((source) =>
      (this.#sources.get(source) ?? []).map((registered) => ({ registered, source })),
    );
    for (const isYielding of [false, true]) {
      for (const { registered, source } of all) {
        const { tool } = registered;
        if (yields(source, registered) === isYielding && !byName.has(tool.name))
          byName.set(tool.name, { tool, source });
      }
    }
    return [...byName.values()];
  }

  /**
   * Returns the origin of a tool as permission rules name it. Tools that the session adds itself count as built in. A tool that was
   * removed after the model was offered it keeps its origin, so a server cannot evade a rule by no longer listing the tool.
   */
  originOf(name: string): string {
    const found = this.list().find(({ tool }) => tool.name === name);
    if (!found) return RESERVED_NAMES.has(name) ? ORIGINS.builtin : (this.#left.get(name) ?? ORIGINS.custom);
    const registered = this.#sources.get(found.source)?.find(({ tool }) => tool.name === name);
    return registered ? originFrom(found.source, registered) : ORIGINS[found.source];
  }

  #remember(name: string, origin: string): void {
    this.#left.delete(name);
    this.#left.set(name, origin);
    const [oldest] = this.#left.keys();
    if (this.#left.size > MAX_LEFT && oldest !== undefined) this.#left.delete(oldest);
  }

  isBuiltin(name: string): boolean {
    return this.#sources.get("builtin")?.some(({ tool }) => tool.name === name) ?? false;
  }

  /** Returns the names of tools that MCP servers list, except those that another source provides. */
  mcpNames(): ReadonlySet<string> {
    const all = new Set(this.#all());
    const listed = this.#sources.get("mcp")?.filter(({ tool, server }) => server !== undefined && all.has(tool));
    return new Set(listed?.map(({ tool }) => tool.name));
  }

  /** Offers exactly these tools and those of the host, except excluded ones. Returns the names that match no tool. */
  setActive(names: readonly string[]): string[] {
    this.#version += 1;
    const known = new Set(this.names());
    const ofHost = this.#sources.get("host")?.map(({ tool }) => tool.name) ?? [];
    const kept = ofHost.filter((name) => this.#active.has(name));
    this.#active.clear();
    const allowed = names.filter((name) => known.has(name) && !this.#isExcluded(name));
    for (const name of [...kept, ...allowed]) this.#active.add(name);
    return names.filter((name) => !known.has(name));
  }

  /** Whether another source uses the name, active or not, or it is reserved. */
  isTaken(name: string, source: ToolSource): boolean {
    if (RESERVED_NAMES.has(name)) return true;
    return [...this.#sources].some(
      ([other, tools]) => other !== source && tools.some((one) => one.tool.name === name && !yields(other, one)),
    );
  }

  #hasSelected(name: string): boolean {
    return [...this.#sources].some(([source, tools]) =>
      tools.some((registered) => registered.tool.name === name && this.#isSelected(source, registered)),
    );
  }

  #isSelected(source: ToolSource, { tool, isHidden }: RegisteredTool): boolean {
    if (source === "host") return !isHidden;
    if (this.#isExcluded(tool.name)) return false;
    if (source === "builtin" && this.#selection.noBuiltin) return false;
    const { only } = this.#selection;
    const isWanted = !only || isListed(only, tool.name);
    // Patterns do not match hidden tools, which must be named exactly.
    return isWanted && (!isHidden || this.#isAdded(tool.name) || only?.includes(tool.name) === true);
  }

  #isAdded(name: string): boolean {
    return this.#selection.added?.includes(name) ?? false;
  }

  #isExcluded(name: string): boolean {
    return this.#selection.except !== undefined && isListed(this.#selection.except, name);
  }

  #all(): Tool[] {
    return this.list().map(({ tool }) => tool);
  }
}

function originFrom(source: ToolSource, { server }: RegisteredTool): string {
  return source === "mcp" && server !== undefined ? `${ORIGINS.mcp}:${server}` : ORIGINS[source];
}

/** Tools for all servers together have plain names, so they give way to host tools of the same name. */
function yields(source: ToolSource, { server }: RegisteredTool): boolean {
  return source === "mcp" && server === undefined;
}
