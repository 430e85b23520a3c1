import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { SETTING_KEYS } from "../../packages/coding-agent/src/config/settings/settings-schema.ts";
import { renderSettingsPage } from "../../scripts/docs/settings-page.ts";

const root = resolve(import.meta.dir, "../..");

test("docs/settings.md is up to date", () => {
  const page = readFileSync(join(root, "docs/settings.md"), "utf8");
  expect(page === renderSettingsPage(), "It does not match the table of settings. Run: npm run docs").toBe(true);
});

test("every key has a complete row", () => {
  const rows = renderSettingsPage()
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  expect(rows.map((row) => row.split(" | ")[0])).toEqual(SETTING_KEYS.map((key) => `| \`${key}\``));
  expect(rows.filter((row) => row.split(/(?<!\\)\|/).length !== 9)).toEqual([]);
});
