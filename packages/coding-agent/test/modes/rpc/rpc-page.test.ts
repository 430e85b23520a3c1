import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderRpcPage } from "../../../src/modes/rpc/rpc-page.ts";
import { commands } from "../../../src/modes/rpc/rpc-types.ts";
import { repository } from "../../support/program.ts";

test("docs/rpc.md is up to date", () => {
  if (readFileSync(join(repository, "docs/rpc.md"), "utf8") !== renderRpcPage()) {
    throw new Error("docs/rpc.md does not match the table of commands. Run: npm run docs");
  }
});

test("every command has a row", () => {
  const rows = renderRpcPage()
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  expect(rows.map((row) => row.split("`")[1])).toEqual(Object.keys(commands));
});
