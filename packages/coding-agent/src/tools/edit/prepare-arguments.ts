import { isRecord } from "@pintle/ai";

/** Other names under which models send the two texts of a single replacement. */
const PAIRS = [
  ["oldText", "newText"],
  ["old_string", "new_string"],
] as const;

/** Brings the shapes that models send by mistake into `{path, edits: [{oldText, newText}]}`. */
export function prepareEditArguments(args: Record<string, unknown>): Record<string, unknown> {
  const { edits, ...rest } = args;
  const list = listOf(edits);
  const folded = foldPairs(rest);
  if (!Array.isArray(list)) {
    return {
      ...folded.rest,
      ...(folded.pairs.length > 0 ? { edits: folded.pairs } : list !== undefined && { edits: list }),
    };
  }
  return { ...folded.rest, edits: [...list.map(withUsualNames), ...folded.pairs] };
}

/** An array that came as its JSON text, or a single object where a list belongs. */
function listOf(edits: unknown): unknown {
  const value = typeof edits === "string" ? parseJson(edits) : edits;
  return isRecord(value) ? [value] : value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // validation will say what is wrong with it
  }
}

function foldPairs(args: Record<string, unknown>): { rest: Record<string, unknown>; pairs: object[] } {
  const rest = { ...args };
  const pairs: object[] = [];
  for (const [oldName, newName] of PAIRS) {
    if (typeof rest[oldName] !== "string" || typeof rest[newName] !== "string") continue;
    pairs.push({ oldText: rest[oldName], newText: rest[newName] });
    delete rest[oldName];
    delete rest[newName];
  }
  return { rest, pairs };
}

function withUsualNames(edit: unknown): unknown {
  if (!isRecord(edit)) return edit;
  const { rest, pairs } = foldPairs(edit);
  return pairs.length > 0 ? { ...rest, ...pairs[0] } : edit;
}
