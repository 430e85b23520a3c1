import type { Grammar } from "./engine.ts";
import { GRAMMAR_FUNCTIONS, type GrammarFunction } from "./grammar-functions.ts";

/**
 * A grammar as data: pages may load data, but their content security policy allows no code. Objects refer to each other by
 * index in `nodes`, because grammars are recursive; the first one is the grammar.
 */
export interface GrammarData {
  nodes: readonly (readonly Value[] | Readonly<Record<string, Value>>)[];
  /** Indexes of the nodes that highlight.js copies before it changes them. */
  frozen: readonly number[];
}

export type Value = string | number | boolean | null | { node: number } | { call: GrammarFunction };

/** Builds the grammar. Throws if the data refers to anything that does not exist. */
export function decodeGrammar({ nodes, frozen }: GrammarData): Grammar {
  const built = nodes.map((node) => (Array.isArray(node) ? [] : {}));
  const decode = (value: Value) => {
    if (typeof value !== "object" || value === null) return value;
    return known("node" in value ? built[value.node] : GRAMMAR_FUNCTIONS[value.call]);
  };
  for (const [at, node] of nodes.entries()) {
    for (const [key, value] of Object.entries(node)) Object.assign(known(built[at]), { [key]: decode(value as Value) });
  }
  for (const at of frozen) Object.freeze(built[at]);
  return () => known(built[0]) as ReturnType<Grammar>;
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("The grammar is damaged");
  return value;
}
