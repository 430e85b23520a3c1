import { isRecord } from "@pintle/ai";

type Args = Record<string, unknown>;

/** Other names under which models send what the schema names first. */
const NAMES = {
  path: ["file_path", "filePath", "filename", "file"],
  edits: ["replacements", "changes"],
  oldText: ["old_string", "oldString", "old_text", "old_str", "search"],
  newText: ["new_string", "newString", "new_text", "new_str", "replace"],
  replaceAll: ["replace_all"],
} as const;

/** Brings the shapes that models send by mistake into `{path, edits: [{oldText, newText}]}`. */
export function prepareEditArguments(args: Args): Args {
  const { oldText, newText, replaceAll, edits, ...rest } = withUsualNames(args);
  const beside = typeof oldText === "string" && typeof newText === "string";
  const pair = { oldText, newText, ...(replaceAll !== undefined && { replaceAll }) };
  const list = listOf(edits);
  if (Array.isArray(list)) return { ...rest, edits: [...list.map(usualEdit), ...(beside ? [pair] : [])] };
  if (beside) return { ...rest, edits: [pair] };
  return withoutUndefined({ ...rest, oldText, newText, replaceAll, edits: list });
}

function usualEdit(edit: unknown): unknown {
  const value = typeof edit === "string" ? parseJson(edit) : edit;
  return isRecord(value) ? withUsualNames(value) : edit;
}

function withUsualNames(args: Args): Args {
  const result = { ...args };
  for (const [name, others] of Object.entries(NAMES)) {
    for (const other of others) {
      if (result[other] === undefined || result[name] !== undefined) continue;
      result[name] = result[other];
      delete result[other];
    }
  }
  return result;
}

/** An array that came as its JSON text, or a single object where a list belongs. */
function listOf(edits: unknown): unknown {
  const value = typeof edits === "string" ? parseJson(edits) : edits;
  return isRecord(value) ? [value] : value;
}

/** Line breaks and tabs inside of strings are not JSON, but models write them. */
function parseJson(text: string): unknown {
  for (const candidate of [text, text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, escapeBreaks)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // validation will say what is wrong with it
    }
  }
  return text;
}

function escapeBreaks(literal: string): string {
  return literal.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}

function withoutUndefined(args: Args): Args {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}
