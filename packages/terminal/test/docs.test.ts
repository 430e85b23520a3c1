import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ACTIONS } from "../src/keys/actions.ts";

test("docs/terminal.md has every action with its keys", () => {
  const page = readFileSync(join(import.meta.dir, "../../../docs/terminal.md"), "utf8");
  const rows = page.split("\n").filter((line) => /^\| `\w+` \| `/.test(line));
  const keys = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");
  expect(rows).toEqual(
    Object.entries(ACTIONS).map(([name, row]) => `| \`${name}\` | ${keys(row.keys)} | ${row.help} |`),
  );
});
