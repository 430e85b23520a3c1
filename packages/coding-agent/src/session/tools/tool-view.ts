import { deriveTool, type Tool } from "@pintle/agent";

/** The tools of a session at one moment. Immutable; the lists of two views are the same objects if they hold the same tools. */
export interface ToolView {
  /** The tools that the model can use, declared or not; the session's own tools are last. */
  readonly active: readonly Tool[];
  /** The tools that the next request declares, in order. */
  readonly declared: readonly Tool[];
  /** The tools that the next request omits because the conversation is in a provider's cache. */
  readonly held: readonly Tool[];
  /** Tools of `held` that the model can call. */
  readonly announced: readonly Tool[];
  /** The tools that requests omit because there are too many; the model can find and call them. */
  readonly deferred: readonly Tool[];
  /** How many tools are deferred only because a request may not declare more. */
  readonly overLimit: number;
}

/** How the model receives tools that arrive while a provider has the conversation in its cache. */
export type LateTools = "append" | "hold" | "announce";

export interface DivisionFacts {
  /** MCP tools are deferred if there are more of them than this. */
  deferAbove: number;
  /** How many tools a request to the current model may declare. */
  maxTools: number | undefined;
  /** True if no provider has the conversation in its cache, so that other tools cost nothing. */
  isCold: boolean;
  /** Whether MCP tools were deferred before. */
  wasMany: boolean;
  /** Tools whose schemas the model has looked up. */
  loaded: readonly string[];
  /** The tools that the newest request declared. */
  sent: readonly Tool[] | undefined;
  isMcp(name: string): boolean;
  isBuiltin(name: string): boolean;
}

export interface Division {
  declared: readonly Tool[];
  deferred: readonly Tool[];
  overLimit: number;
  isMany: boolean;
}

/** How many tools the session itself may add: to search, to call what was found, and to decide a preview. */
const RESERVED = 3;

/**
 * Decides which tools requests declare if there are very many. While a provider has the conversation in its cache, declared tools
 * stay declared; tools that the model looked up are declared once that costs nothing.
 */
export function divideTools(tools: readonly Tool[], facts: DivisionFacts): Division {
  const { deferAbove, maxTools = Number.POSITIVE_INFINITY, isCold, isMcp, isBuiltin, loaded, sent } = facts;
  const kept = new Set(isCold ? loaded : sent?.map(({ name }) => name));
  const mcpNames = new Set(tools.map(({ name }) => name).filter(isMcp));
  // If their number falls below the limit again, they stay deferred as long as declaring them would cost the cache.
  const isMany = mcpNames.size > deferAbove || (!isCold && facts.wasMany);
  const deferred = new Set(isMany ? [...mcpNames].filter((name) => !kept.has(name)) : []);

  const excess = tools.length - deferred.size - Math.max(0, maxTools - RESERVED);
  const rank = ({ name }: Tool) => (kept.has(name) ? 2 : 0) + (mcpNames.has(name) ? 0 : 1);
  const surplus = excess <= 0 ? [] : tools.filter(({ name }) => !isBuiltin(name) && !deferred.has(name)).reverse();
  const overLimit = surplus.toSorted((a, b) => rank(a) - rank(b)).slice(0, Math.max(0, excess));
  for (const { name } of overLimit) deferred.add(name);

  if (deferred.size === 0) return { declared: tools, deferred: [], overLimit: 0, isMany };
  return {
    declared: tools.filter(({ name }) => !deferred.has(name)),
    deferred: tools
      .filter(({ name }) => deferred.has(name))
      .map((tool) => derived(tool, tool, { explainsFaults: true })),
    overLimit: overLimit.length,
    isMany,
  };
}

/**
 * Returns the list that the next request declares. It comes before everything else in a provider's cache, so it keeps the order of
 * the previous list and the text of unchanged tools, and appends new tools unless they have to wait.
 */
export function mergeTools(
  sent: readonly Tool[],
  wanted: readonly Tool[],
  waits: (name: string) => boolean,
): readonly Tool[] {
  const byName = new Map(wanted.map((tool) => [tool.name, tool]));
  const kept = sent.flatMap((tool): Tool[] => {
    const now = byName.get(tool.name);
    if (!now) return waits(tool.name) ? [withoutUse(tool)] : [];
    byName.delete(tool.name);
    if (now === tool || !(waits(now.name) || saysTheSame(tool, now))) return [now];
    const { description, parameters } = tool;
    return [derived(tool, now, { description, parameters })];
  });
  return [...kept, ...[...byName.values()].filter(({ name }) => !waits(name))];
}

/** Compares two tools, ignoring the order of the keys in their schemas. */
function saysTheSame(one: Tool, other: Tool): boolean {
  return one.description === other.description && Bun.deepEquals(one.parameters, other.parameters);
}

/** Keeps a removed tool declared, because omitting it would cost the cache. A call of it fails. */
function withoutUse(tool: Tool): Tool {
  if (unusable.has(tool)) return tool;
  const execute: Tool["execute"] = async () => {
    throw new Error(`The tool ${tool.name} is no longer available.`);
  };
  const gone = deriveTool(tool, { execute, lenientArgValidation: true });
  unusable.add(gone);
  return gone;
}

const unusable = new WeakSet<Tool>();
/** Maps a derived tool to its base, so that it is not derived twice. */
const madeFrom = new WeakMap<Tool, { base: Tool; made: Tool }>();

/** Derives a tool from `base`, unless `previous` was derived from it already. */
function derived(previous: Tool, base: Tool, fields: Partial<Tool>): Tool {
  const known = madeFrom.get(previous);
  if (known?.base === base) return known.made;
  const made = deriveTool(base, fields);
  madeFrom.set(previous, { base, made });
  madeFrom.set(made, { base, made });
  return made;
}
