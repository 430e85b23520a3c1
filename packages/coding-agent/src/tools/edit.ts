import type { Tool } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { Type } from "@pintle/ai/type";
import { canonicalPath } from "@pintle/foundation";
import type { Static } from "typebox";
import { declareTool } from "./define-tool.ts";
import { WRITES_PATH } from "./shared/access.ts";
import { FILE_ALIASES, only, REASON_ALIASES } from "./shared/parameter-aliases.ts";
import { resolveToolPath } from "./shared/paths.ts";

export interface EditDetails {
  /** Changed lines with line numbers and four lines of context. */
  diff: string;
  /** Number of the first changed line in the new file. */
  firstChangedLine: number;
}

function parameters() {
  const replacement = Type.Object({
    oldText: Type.String({ description: "exactly as in the file, long enough to occur once" }),
    newText: Type.String(),
    replaceAll: Type.Optional(Type.Boolean()),
  });
  return Type.Object({
    path: Type.String(),
    edits: Type.Array(replacement, { minItems: 1 }),
  });
}

/** Other agents' names for the fields of one replacement. */
const REPLACEMENT_ALIASES = {
  old_string: "oldText",
  old_str: "oldText",
  search: "oldText",
  new_string: "newText",
  new_str: "newText",
  replace: "newText",
  replacement: "newText",
  replace_all: "replaceAll",
  allow_multiple: "replaceAll",
};

export type EditArguments = Static<ReturnType<typeof parameters>>;

/** Forwards commands of other agents' editor tool, which also reads and creates files. */
const otherCommand: Tool["forward"] = ({ command, ...args }, find) => {
  const target = command === "view" ? "read" : command === "create" ? "write" : "edit";
  const tool = typeof command === "string" && EDITOR_COMMANDS.includes(command) ? find(target) : undefined;
  return tool && { tool, args };
};

const EDITOR_COMMANDS: readonly string[] = ["view", "create", "str_replace"];

export const editTool = declareTool({
  name: "edit",
  label: "Edit",
  description:
    "Replace parts of a text file. Make all changes to a file in one call: each is matched against the current file, they must not overlap, and either all or none are applied.",
  parameters,
  aliases: [
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "str_replace",
    "multi_edit",
    "edit_file",
    "replace",
    "search_replace",
    "replace_string_in_file",
  ],
  parameterNames: {
    aliases: {
      ...FILE_ALIASES,
      ...REPLACEMENT_ALIASES,
      replacements: "edits",
      changes: "edits",
      old_text: "oldText",
      new_text: "newText",
      expected_replacements: only(1),
      ...REASON_ALIASES,
    },
    items: { edits: { aliases: REPLACEMENT_ALIASES } },
  },
  forward: otherCommand,
  access: WRITES_PATH,
  files: "changes",
  prepareArguments: prepareEditArguments,
  serializeOn: ({ path }, context) => [canonicalPath(resolveToolPath(path, context.cwd()))],
  load: () => import("./edit/execute-edit.ts"),
});

type Args = Record<string, unknown>;

/** Converts shapes that models send by mistake to `{path, edits: [{oldText, newText}]}`. Expects the declared names. */
function prepareEditArguments(args: Args): Args {
  const { oldText, newText, replaceAll, edits, ...rest } = args;
  const beside = typeof oldText === "string" && typeof newText === "string";
  const pair = { oldText, newText, ...(replaceAll !== undefined && { replaceAll }) };
  const list = listOf(edits);
  if (Array.isArray(list)) return { ...rest, edits: [...list.map(readEdit), ...(beside ? [pair] : [])] };
  if (beside) return { ...rest, edits: [pair] };
  return withoutUndefined({ ...rest, oldText, newText, replaceAll, edits: list });
}

function readEdit(edit: unknown): unknown {
  const value = typeof edit === "string" ? parseJson(edit) : edit;
  return isRecord(value) ? value : edit;
}

/** Accepts an array encoded as JSON, or a single object instead of a list. */
function listOf(edits: unknown): unknown {
  const value = typeof edits === "string" ? parseJson(edits) : edits;
  return isRecord(value) ? [value] : value;
}

/** Parses JSON, even with the raw line breaks and tabs that models write inside strings. */
function parseJson(text: string): unknown {
  for (const candidate of [text, text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, escapeBreaks)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // Validation reports the mistake.
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
