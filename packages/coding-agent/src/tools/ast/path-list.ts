const ITEM = /\s*(?:"([^"]*)"|'([^']*)'|([^,]*))\s*(?:,|$)/y;

/** `a, "b c.ts", 'd,e'`: names separated by commas, in quotes where they contain commas or blanks at their ends. */
export function splitPathList(list: string): string[] {
  const names: string[] = [];
  ITEM.lastIndex = 0;
  while (ITEM.lastIndex < list.length) {
    const match = ITEM.exec(list);
    if (!match) return [list.trim()]; // quotes inside of a name: then it is one name
    names.push((match[1] ?? match[2] ?? match[3] ?? "").trim());
  }
  return names.filter((name) => name !== "");
}
