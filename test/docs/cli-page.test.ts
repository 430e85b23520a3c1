import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FLAGS } from "../../packages/coding-agent/src/cli/flags.ts";
import { usageText } from "../../packages/coding-agent/src/commands/help.ts";
import { repository } from "../../packages/coding-agent/test/support/program.ts";
import { renderCliPage } from "../../scripts/docs/cli-page.ts";

test("docs/cli.md is up to date", () => {
  const page = readFileSync(join(repository, "docs/cli.md"), "utf8");
  // Not compared as strings: a diff of two pages is less helpful than what to do.
  expect(page === renderCliPage() ? "up to date" : "run: npm run docs").toBe("up to date");
});

test("every option has a row, and every row two cells", () => {
  const rows = renderCliPage()
    .split("\n")
    .filter((line) => /^\| `-/.test(line));
  expect(rows).toHaveLength(Object.keys(FLAGS).length);
  expect(rows.filter((row) => row.split(/(?<!\\)\|/).length !== 4)).toEqual([]);
});

test("users read of pintle, pi and omp, not of the documents that the wire comes from", () => {
  expect(usageText()).not.toMatch(/seed protocol/i);
  expect(renderCliPage()).not.toMatch(/seed protocol/i);
});
