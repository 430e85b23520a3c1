import { type Fields, fieldsOf, listOf, oneLine, textOf } from "./plain-value.ts";

/** Arguments that say what a call is about, by the names that several agents' tools use. */
const TELLING = [
  "command",
  "cmd",
  "pattern",
  "path",
  "file_path",
  "filePath",
  "file",
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

/** A tool's own summary of its calls. */
export type Headline = (name: string, args: Fields) => string | undefined;

export function summarizeCall(name: string, args: unknown, headline?: Headline): string {
  const fields = fieldsOf(args);
  const known = headline?.(name, fields);
  if (known) return oneLine(known);
  const telling = tellingField(fields);
  if (!telling) return oneLine(firstInList(fields));
  const place = telling.key === "pattern" && typeof fields.path === "string" ? ` in ${fields.path}` : "";
  return oneLine(`${telling.text}${place}`);
}

function tellingField(fields: Fields): { key: string; text: string } | undefined {
  const isText = (key: string) => typeof fields[key] === "string" && fields[key] !== "";
  const key = TELLING.find(isText) ?? Object.keys(fields).find(isText);
  return key === undefined ? undefined : { key, text: textOf(fields[key]) };
}

/** Summarizes a call that has only lists, such as questions or tasks. */
function firstInList(fields: Fields): string {
  const items = Object.values(fields).flatMap((value) => listOf(value).slice(0, 1));
  return items.map((item) => tellingField(fieldsOf(item))?.text ?? "").find((text) => text !== "") ?? "";
}
