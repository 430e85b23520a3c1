import type { Tool } from "@pintle/agent";
import { withFields } from "./declared-tools.ts";

export interface DeferredToolsParts {
  /** With more tools of MCP servers than this, they are deferred. */
  deferAbove(): number;
  /** How many tools a request to the current model may declare. */
  maxTools(): number | undefined;
  /** No provider has the conversation in its cache, so nothing is lost by other tools. */
  isCold(): boolean;
  isMcp(name: string): boolean;
  isBuiltin(name: string): boolean;
  /** As the newest request has declared them. */
  sent(): readonly Tool[] | undefined;
}

export interface Division {
  /** Stand in requests, with their schemas. */
  declared: readonly Tool[];
  /** Can be found and called all the same. */
  deferred: readonly Tool[];
  /** How many of them are deferred only because a request may not declare more. */
  overLimit: number;
}

/** Tools of the session's own that may join the others: to search, to call what was found, and to decide on a preview. */
const RESERVED = 3;
/** Of what was loaded, so many of the newest are declared when that costs nothing. */
const MAX_LOADED = 32;

/**
 * Which tools a request declares when there are very many: the others have only a line in the conversation. What a provider has
 * in its cache stays as it is: a tool that was declared stays declared, and one that was loaded is declared when nothing is lost.
 */
export class DeferredTools {
  readonly #parts: DeferredToolsParts;
  #loaded: readonly string[] = [];
  #wasMany = false;
  #known: { key: readonly unknown[]; division: Division } | undefined;

  constructor(parts: DeferredToolsParts) {
    this.#parts = parts;
  }

  /** The model has seen the schemas of these. */
  load(names: readonly string[]): void {
    this.#loaded = [...this.#loaded.filter((name) => !names.includes(name)), ...names].slice(-MAX_LOADED);
  }

  /** The same while nothing that it depends on changes: it is asked for several times in every turn. */
  divide(tools: readonly Tool[]): Division {
    const { deferAbove, maxTools, isCold, sent } = this.#parts;
    const key = [tools, deferAbove(), maxTools(), isCold(), sent(), this.#loaded];
    if (this.#known && key.every((part, index) => part === this.#known?.key[index])) return this.#known.division;
    const division = this.#divide(tools);
    this.#known = { key, division };
    return division;
  }

  #divide(tools: readonly Tool[]): Division {
    const { deferAbove, maxTools, isCold, isMcp, isBuiltin, sent } = this.#parts;
    const isWarm = !isCold();
    const kept = new Set(isWarm ? sent()?.map(({ name }) => name) : this.#loaded);
    const mcpNames = new Set(tools.map(({ name }) => name).filter(isMcp));
    // Below the limit again, they still are not declared while that would cost what is cached.
    this.#wasMany = mcpNames.size > deferAbove() || (isWarm && this.#wasMany);
    const isMany = this.#wasMany;
    const deferred = new Set(isMany ? [...mcpNames].filter((name) => !kept.has(name)) : []);

    const room = Math.max(0, (maxTools() ?? Number.POSITIVE_INFINITY) - RESERVED);
    const excess = tools.length - deferred.size - room;
    const rank = ({ name }: Tool) => (kept.has(name) ? 2 : 0) + (mcpNames.has(name) ? 0 : 1);
    const surplus = excess <= 0 ? [] : tools.filter(({ name }) => !isBuiltin(name) && !deferred.has(name)).reverse();
    const overLimit = surplus.toSorted((a, b) => rank(a) - rank(b)).slice(0, Math.max(0, excess));
    for (const { name } of overLimit) deferred.add(name);

    if (deferred.size === 0) return { declared: tools, deferred: [], overLimit: 0 };
    return {
      declared: tools.filter(({ name }) => !deferred.has(name)),
      deferred: tools
        .filter(({ name }) => deferred.has(name))
        .map((tool) => withFields(tool, { explainsFaults: true })),
      overLimit: overLimit.length,
    };
  }
}
