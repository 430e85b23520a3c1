// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that sets a style
const STYLE = /\u001b\[([\d;]*)m/g;

/**
 * Maps the code that starts a style to the code that ends it. Each kind of color is a group: the next one replaces the
 * last.
 */
const ENDS: Readonly<Record<string, string>> = { 1: "22", 2: "22", 3: "23", 4: "24", 7: "27", 9: "29" };
const FOREGROUND = "39";
const BACKGROUND = "49";

/**
 * Makes every row of a wrapped text stand alone: it ends its styles, and the next row opens them again. `Bun.wrapAnsi` does
 * that only for a single style of the sixteen colors.
 */
export function withOwnStyles(rows: readonly string[]): string[] {
  /** The open styles: the code that ends each, by the code that starts it. */
  let open = new Map<string, string>();
  return rows.map((row) => {
    const start = [...open.keys()].map(sequence).join("");
    for (const [, codes = ""] of row.matchAll(STYLE)) open = afterStyle(open, codes);
    return `${start}${row}${[...new Set(open.values())].map(sequence).join("")}`;
  });
}

function afterStyle(open: ReadonlyMap<string, string>, codes: string): Map<string, string> {
  if (codes === "" || codes === "0") return new Map();
  const end = endOf(codes);
  const ended = end ?? codes;
  // A second color replaces the first one; bold and faint text share their end, but not their start.
  const isReplaced = ([start, other]: [string, string]) =>
    other === ended && (end === undefined || end === FOREGROUND || end === BACKGROUND || start === codes);
  const next = new Map([...open].filter((style) => !isReplaced(style)));
  if (end !== undefined) next.set(codes, end);
  return next;
}

/** Returns the code that ends the style, or undefined if the codes end one themselves. */
function endOf(codes: string): string | undefined {
  const [first = ""] = codes.split(";");
  if (/^(?:3[0-8]|9[0-7])$/.test(first)) return FOREGROUND;
  if (/^(?:4[0-8]|10[0-7])$/.test(first)) return BACKGROUND;
  return ENDS[first];
}

function sequence(codes: string): string {
  return `\u001b[${codes}m`;
}
