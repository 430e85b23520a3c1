import { facetsOf } from "../tools/tool-facets.ts";
import { fieldsOf, oneLine } from "./plain-value.ts";

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
  const known = facetsOf(name).headline?.(fields);
  if (known) return oneLine(known);
  const telling = TELLING.find((key) => typeof fields[key] === "string" && fields[key] !== "");
  const first = telling ? fields[telling] : Object.values(fields).find((value) => typeof value === "string");
  if (typeof first !== "string") return "";
  const place = telling === "pattern" && typeof fields.path === "string" ? ` in ${fields.path}` : "";
  return oneLine(`${first}${place}`);
}
