import type { Tool } from "@pintle/agent";

/** What becomes of tools that come while a provider has the conversation in its cache. */
export type LateTools = "append" | "hold" | "announce";

export interface DeclaredToolsParts {
  mode(): LateTools;
  /** No provider has the conversation in its cache, so nothing is lost by other tools. */
  isCold(): boolean;
  /** The tool may be left out until then, or stay declared after it is gone. */
  mayWait(name: string): boolean;
  /** These are left out for now; told when they are others than before. */
  onHeld(names: readonly string[]): void;
}

/**
 * The list of tools as requests declare it. It precedes everything else in a provider's cache, so its order stays, a
 * tool that is redefined identically is the same, and new ones are appended, or wait while the conversation is cached.
 */
export class DeclaredTools {
  readonly #parts: DeclaredToolsParts;
  /** As the newest request has declared them. */
  #sent: readonly Tool[] | undefined;
  #merged: { wanted: readonly Tool[]; sent: readonly Tool[]; mode: LateTools; tools: readonly Tool[] } | undefined;

  #held: readonly string[] = [];

  constructor(parts: DeclaredToolsParts) {
    this.#parts = parts;
  }

  /** For the next request. The same list while the wanted one is the same. */
  list(wanted: readonly Tool[]): readonly Tool[] {
    const sent = this.#sent;
    if (!sent || sent === wanted) return wanted;
    const mode = this.#parts.isCold() ? "append" : this.#parts.mode();
    const known = this.#merged;
    if (known?.wanted === wanted && known.sent === sent && known.mode === mode) return known.tools;
    const tools = this.#merge(sent, wanted, mode);
    this.#merged = { wanted, sent, mode, tools };
    return tools;
  }

  /** The list, for a request that goes out now. */
  send(wanted: readonly Tool[]): readonly Tool[] {
    const tools = this.list(wanted);
    this.#sent = tools;
    if (this.#merged?.tools === tools) this.#merged = { ...this.#merged, sent: tools };
    this.#tellHeld(wanted);
    return tools;
  }

  /** As the newest request has declared them. */
  get sent(): readonly Tool[] | undefined {
    return this.#sent;
  }

  /** Those of the wanted tools that the next request leaves out. */
  held(wanted: readonly Tool[]): Tool[] {
    const declared = new Set(this.list(wanted).map(({ name }) => name));
    return wanted.filter(({ name }) => !declared.has(name));
  }

  #tellHeld(wanted: readonly Tool[]): void {
    const held = this.held(wanted).map(({ name }) => name);
    if (held.some((name) => !this.#held.includes(name))) this.#parts.onHeld(held);
    this.#held = held;
  }

  #merge(sent: readonly Tool[], wanted: readonly Tool[], mode: LateTools): readonly Tool[] {
    const byName = new Map(wanted.map((tool) => [tool.name, tool]));
    const waits = (name: string) => mode !== "append" && this.#parts.mayWait(name);
    const kept = sent.flatMap((tool): Tool[] => {
      const now = byName.get(tool.name);
      if (!now) return waits(tool.name) ? [withoutUse(tool)] : [];
      byName.delete(tool.name);
      return [now === tool || !(waits(now.name) || saysTheSame(tool, now)) ? now : withDefinition(now, tool)];
    });
    const added = [...byName.values()].filter(({ name }) => !waits(name));
    return [...kept, ...added];
  }
}

/** Whatever the order of the keys in the schema. */
function saysTheSame(one: Tool, other: Tool): boolean {
  return one.description === other.description && Bun.deepEquals(one.parameters, other.parameters);
}

/** Runs as `tool` does, and is described to the model as before. */
function withDefinition(tool: Tool, { description, parameters }: Tool): Tool {
  return withFields(tool, { description, parameters });
}

/** Still declared, since to take it out costs what is cached; the model learns of it when it calls the tool. */
function withoutUse(tool: Tool): Tool {
  const execute: Tool["execute"] = async () => {
    throw new Error(`The tool ${tool.name} is no longer available.`);
  };
  return withFields(tool, { execute, lenientArgValidation: true });
}

/** The tool with other fields. Not a spread: a tool may make its schema when it is asked for. */
export function withFields(tool: Tool, fields: Partial<Tool>): Tool {
  const replaced = Object.getOwnPropertyDescriptors(fields);
  // Defined together, because those of a frozen tool cannot be replaced afterwards.
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(tool), ...replaced }) as Tool;
}
