import { errorText, isRecord } from "@pintle/ai";

export interface FrontMatter {
  fields: Record<string, unknown>;
  /** The text after the front matter. */
  body: string;
  /** The problem with the front matter, if it had to be read line by line. */
  problem?: string;
}

/** Parses a head of `key: value` lines between two `---` lines, as in the Markdown files of many tools. */
export function parseFrontMatter(text: string): FrontMatter {
  const normal = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const match = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/.exec(normal);
  if (!match) return { fields: {}, body: normal };
  const head = match[1] ?? "";
  const body = normal.slice(match[0].length);
  try {
    const fields: unknown = Bun.YAML.parse(quoteGlobs(head));
    return { fields: isRecord(fields) ? fields : {}, body };
  } catch (error) {
    const problem = errorText(error);
    return { fields: parseLines(head), body, problem };
  }
}

/** Quotes globs such as `globs: *.ts`, which other programs write unquoted and which YAML would read as a reference. */
function quoteGlobs(head: string): string {
  return head.replace(/^([ \t]*(?:-|[A-Za-z_][\w-]*:)[ \t]+)(\*[^\n]*)$/gm, (_, key: string, value: string) => {
    return `${key}'${value.trimEnd().replaceAll("'", "''")}'`;
  });
}

/** Recovers what it can from front matter that is not valid YAML. */
function parseLines(head: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  let listKey: string | undefined;
  for (const line of head.split("\n")) {
    const item = /^[ \t]*-[ \t]+(.*)$/.exec(line)?.[1];
    if (item !== undefined && listKey !== undefined) {
      const list = fields[listKey];
      fields[listKey] = [...(Array.isArray(list) ? list : []), unquote(item)];
      continue;
    }
    const match = /^([A-Za-z_][\w-]*):(.*)$/.exec(line);
    if (!match) continue;
    const [, key = "", written = ""] = match;
    const value = unquote(written);
    listKey = value === "" ? key : undefined;
    fields[key] = value === "true" ? true : value === "false" ? false : value;
  }
  return fields;
}

function unquote(written: string): string {
  return written.trim().replace(/^(["'])(.*)\1$/, "$2");
}
