export interface FrontMatter {
  fields: Record<string, unknown>;
  /** The text after it. */
  body: string;
  /** What is wrong with the head, if it had to be read line by line. */
  problem?: string;
}

/** A head of `key: value` lines between two `---` lines, as Markdown files of many tools have it. */
export function parseFrontMatter(text: string): FrontMatter {
  const normal = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const match = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/.exec(normal);
  if (!match) return { fields: {}, body: normal };
  const head = match[1] ?? "";
  const body = normal.slice(match[0].length);
  try {
    const fields: unknown = Bun.YAML.parse(head);
    return { fields: isRecord(fields) ? fields : {}, body };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { fields: parseLines(head), body, problem };
  }
}

/** What can still be read of a head that is not YAML, such as an unquoted `*.ts`. */
function parseLines(head: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const line of head.split("\n")) {
    const match = /^([A-Za-z_][\w-]*):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (!match) continue;
    const value = match[2]!.replace(/^(["'])(.*)\1$/, "$2");
    fields[match[1]!] = value === "true" ? true : value === "false" ? false : value;
  }
  return fields;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
