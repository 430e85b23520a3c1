import { describe, expect, test } from "bun:test";
import { parseRule } from "../../src/rules/rule.ts";

function parse(head: string) {
  const warnings: string[] = [];
  const file = { name: "r", path: "/r.md", text: `---\n${head}\n---\n\n  Do not.\n\n` };
  return { rule: parseRule(file, (warning) => warnings.push(warning)), warnings };
}

test("all keys", () => {
  const head =
    "description: d\ncondition: [a, b]\nscope: text, edit(*.{ts,js})\nglobs: '*.ts, src/{a,b}/*'\ninterruptMode: never\nalwaysApply: true";
  expect(parse(head)).toEqual({
    rule: {
      name: "r",
      path: "/r.md",
      content: "Do not.",
      description: "d",
      condition: ["a", "b"],
      scope: ["text", "edit(*.{ts,js})"],
      watches: [{ conditions: ["a", "b"], scope: ["text", "edit(*.{ts,js})"] }],
      globs: ["*.ts", "src/{a,b}/*"],
      interruptMode: "never",
      alwaysApply: true,
    },
    warnings: [],
  });
});

describe("conditions", () => {
  test.each<[string, string[]]>([
    ["condition: a", ["a"]],
    ["ttsr_trigger: a", ["a"]],
    ["ttsrTrigger: a", ["a"]],
    ["condition: a\nttsr_trigger: b", ["a", "b"]],
    ["condition: 404", ["404"]],
    ["condition: ''", []],
    ["condition: null", []],
    ["condition: {a: b}", []],
    ['condition: "\\bfoo\\b"', ["\\bfoo\\b"]],
    ['condition: "foo\\.bar"', ["foo\\.bar"]],
    ["condition: 'a, b'", ["a, b"]],
  ])("%s", (head, expected) => {
    expect(parse(head).rule.condition).toEqual(expected);
  });

  test.each(["*.rs", "src/**", "src/*.{a,b}", "**/*.test.ts"])("%s names files", (glob) => {
    const scope = [`tool:edit(${glob})`, `tool:write(${glob})`];
    const { rule } = parse(`condition: ${glob}`);
    expect(rule).toMatchObject({ condition: [".*"], scope, watches: [{ conditions: [".*"], scope }] });
  });

  test.each([".*/x", "a/b", "a*b", "https?://.*", "^src/.*", "a/(b|c)*", "a/[b]*", "*"])("%s does not", (pattern) => {
    expect(parse(`condition: '${pattern}'`).rule).toMatchObject({ condition: [pattern], scope: [] });
  });

  test("files and text in one rule each have their own scope", () => {
    expect(parse("condition: [foo, '*.rs']\nscope: text").rule.watches).toEqual([
      { conditions: ["foo"], scope: ["text"] },
      { conditions: [".*"], scope: ["tool:edit(*.rs)", "tool:write(*.rs)"] },
    ]);
  });
});

test("reports mistakes", () => {
  expect(parse("interruptMode: sometimes\ncondition: a").warnings).toEqual([
    "/r.md: interruptMode must be one of never, prose-only, tool-only, always",
  ]);
  const { rule, warnings } = parse("condition: foo\nscope: [text");
  expect(rule.condition).toEqual(["foo"]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toStartWith("/r.md: the rule's front matter is not YAML (");
});
