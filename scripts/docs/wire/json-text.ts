const LINE_WIDTH = 120;

/** Formats JSON as the repository's formatter does: a list on one line if it fits, an object never. */
export function jsonText(value: unknown, indent = "", before = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const line = `[${value.map((item) => jsonText(item, inner)).join(", ")}]`;
    const fits = !line.includes("\n") && before + line.length < LINE_WIDTH;
    return fits
      ? line
      : lines(
          "[]",
          indent,
          value.map((item) => jsonText(item, inner, inner.length)),
        );
  }
  const fields = Object.entries(value).map(([name, field]) => {
    const key = `${JSON.stringify(name)}: `;
    return key + jsonText(field, inner, inner.length + key.length);
  });
  return fields.length === 0 ? "{}" : lines("{}", indent, fields);
}

function lines([open, close]: string | readonly string[], indent: string, items: readonly string[]): string {
  return `${open}\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}${close}`;
}
