import { fieldsOf, listOf, oneLine } from "./plain-value.ts";

/** The argument that says what a call is about, in the names that the tools of several agents give it. */
const TELLING = [
  "command",
  "cmd",
  "path",
  "file_path",
  "filePath",
  "file",
  "pattern",
  "query",
  "glob",
  "url",
  "question",
  "prompt",
  "description",
  "title",
  "action",
  "code",
];

export function summarizeCall(name: string, args: unknown): string {
  const fields = fieldsOf(args);
  const known = Object.hasOwn(SPECIAL, name) ? SPECIAL[name]?.(fields) : undefined; // a model may call anything anyhow
  if (known) return oneLine(known);
  const telling = TELLING.find((key) => typeof fields[key] === "string" && fields[key] !== "");
  const first = telling ? fields[telling] : Object.values(fields).find((value) => typeof value === "string");
  if (typeof first !== "string") return "";
  const place = telling === "pattern" && typeof fields.path === "string" ? ` in ${fields.path}` : "";
  return oneLine(`${first}${place}`);
}

const SPECIAL: Record<string, (fields: Readonly<Record<string, unknown>>) => string | undefined> = {
  grep: ({ pattern, path }) => searchIn(pattern, path),
  find: ({ pattern, path }) => searchIn(pattern, path),
  ast_grep: ({ pat, path }) => searchIn(Array.isArray(pat) ? pat[0] : pat, path),
  ast_edit: ({ ops }) => {
    const { pat, out } = fieldsOf(listOf(ops)[0]);
    return typeof pat === "string" ? `${pat} → ${typeof out === "string" ? out : ""}` : undefined;
  },
  ask: ({ questions }) => asString(fieldsOf(listOf(questions)[0]).question),
  resolve: ({ action, reason }) => [action, reason].filter((word) => typeof word === "string").join(": "),
  todo_write: ({ ops }) =>
    listOf(ops)
      .map((op) => fieldsOf(op).op)
      .filter((op) => typeof op === "string")
      .join(", "),
  ls: ({ path }) => asString(path) ?? ".",
};

function searchIn(pattern: unknown, path: unknown): string | undefined {
  if (typeof pattern !== "string") return undefined;
  return typeof path === "string" && path !== "" ? `${pattern} in ${path}` : pattern;
}

function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
