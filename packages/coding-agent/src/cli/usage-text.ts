import type { Flag, FlagTable } from "./flag-table.ts";

/** Rows of two columns, flush. */
export function columns(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}

/** The flags of a table below their headings, in the order of the table. */
export function flagList(table: FlagTable, heading: string): string {
  const rows = Object.entries(table);
  const width = Math.max(...rows.map(([name, flag]) => flagName(name, flag).length));
  const groups = Map.groupBy(rows, ([, { group }]) => group ?? heading);
  return [...groups]
    .map(([group, flags]) => {
      const list = flags.map(([name, flag]) => [flagName(name, flag).padEnd(width), helpText(flag)] as const);
      return `${group}\n${columns(list)}`;
    })
    .join("\n");
}

/** With the other names of the flag: hosts look for the one they know before they use it. */
function helpText({ help, aliases = [] }: Flag): string {
  return aliases.length === 0 ? help : `${help} (also ${aliases.map((name) => `--${name}`).join(", ")})`;
}

function flagName(name: string, { short, value }: Flag): string {
  return `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
}
