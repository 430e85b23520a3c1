import hljs from "highlight.js/lib/core";
import type { Grammar } from "./engine.ts";
import type { GrammarData, Value } from "./grammar-data.ts";
import type { GrammarFunction } from "./grammar-functions.ts";

/** The source of each function in highlight.js, without spaces. */
const SOURCES: Readonly<Record<GrammarFunction, RegExp>> = {
  onlyAtStart: /\.index!==0\)\w+\.ignoreMatch\(\)/,
  rememberFirst: /\._beginMatch=\w+\[1\];?\}/,
  rememberEither: /\._beginMatch=\w+\[1\]\|\|\w+\[2\]/,
  onlyIfRemembered: /\._beginMatch!==\w+\[1\]\)\w+\.ignoreMatch\(\)/,
};

/** Converts a grammar to data at build time. Throws if the grammar contains an unknown function. */
export function encodeGrammar(grammar: Grammar): GrammarData {
  const places = new Map<object, number>();
  const nodes: Record<string, Value>[] = [];
  const frozen: number[] = [];
  const encode = (value: unknown): Value => {
    if (value instanceof RegExp) return value.source; // highlight.js treats strings as the source of regular expressions
    if (typeof value === "function") return { call: functionName(String(value)) };
    if (typeof value !== "object" || value === null) return value as Value;
    if ("isCompiled" in value) throw new Error("The grammar has already been used, which changed it");
    const known = places.get(value);
    if (known !== undefined) return { node: known };
    const place = places.size;
    places.set(value, place);
    if (Object.isFrozen(value)) frozen.push(place);
    const node = Array.isArray(value) ? [] : {};
    nodes[place] = node as Record<string, Value>;
    for (const [key, part] of Object.entries(value))
      if (part !== undefined) Object.assign(node, { [key]: encode(part) });
    return { node: place };
  };
  encode(grammar(hljs));
  return { nodes, frozen };
}

function functionName(source: string): GrammarFunction {
  const text = source.replace(/\s+/g, "");
  const names = Object.keys(SOURCES) as GrammarFunction[];
  const name = names.find((candidate) => SOURCES[candidate].test(text));
  if (name === undefined) throw new Error(`No name for this function of a grammar: ${source}`);
  return name;
}
