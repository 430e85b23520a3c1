import { expect, test } from "bun:test";
import { rulesText } from "../../../src/resources/system-prompt/rule-texts.ts";

const rule = (name: string, more = {}) => ({ name, path: `/r/${name}.md`, content: `text of ${name}\n`, ...more });

test("contains the text of rules that always apply and the names of the others", () => {
  const text = rulesText({
    always: [rule("style"), rule("tests")],
    listed: [rule("db", { description: "About\nmigrations", globs: ["db/**"] }), rule("api")],
  });
  expect(text).toBe(`# Rules

## style

text of style

## tests

text of tests

Before you work on something that a rule covers, read the rule's file:
- db [db/**]: About migrations (/r/db.md)
- api:  (/r/api.md)`);
});

test("no rules, no text", () => {
  expect(rulesText({ always: [], listed: [] })).toBeUndefined();
  expect(rulesText({ always: [], listed: [rule("a")] })).not.toContain("##");
});

test("removes hidden text, and limits the total size", () => {
  const always = [rule("a", { content: `x\u{e0041}\u001b${"y".repeat(300 * 1024)}` })];
  const text = rulesText({ always, listed: [] }) ?? "";
  expect(text).toStartWith("# Rules\n\n## a\n\nxyyy");
  expect(text).toEndWith("yyy\n[Cut: the first 256 KB of all rules are shown]");
  expect(text.length).toBeLessThan(257 * 1024);
});
