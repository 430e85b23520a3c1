import type { Flag, FlagTable } from "./flag-table.ts";

/** Formats rows of two aligned columns. */
export function columns(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}

/** Lists the flags of a table under their headings, in the order of the table. */
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

/** Includes all names of the flag, because hosts look for the one they know before they use it. */
function helpText({ help, aliases = [] }: Flag): string {
  return aliases.length === 0 ? help : `${help} (also ${aliases.map((name) => `--${name}`).join(", ")})`;
}

function flagName(name: string, { short, value }: Flag): string {
  return `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
}
