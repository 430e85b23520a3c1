import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionMode } from "@pintle/wire";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { Settings } from "../../src/config/settings/settings.ts";
import { decide } from "../../src/permissions/decide.ts";
import type { Rule } from "../../src/permissions/rule.ts";
import { readRules } from "../../src/permissions/rules/read-rules.ts";
import { judgeCall } from "../../src/session/permissions/judge.ts";
import { PolicyState } from "../../src/session/permissions/policy-state.ts";

interface Recipe {
  title: string;
  mode: PermissionMode;
  layer: "host" | "user";
  /** The content that the page shows, as the file or command would contain it. */
  json: Record<string, unknown>;
  rows: { tool: string; call: string; decision: string }[];
}

const page = readFileSync(join(import.meta.dir, "../../../../docs/permissions.md"), "utf8");

function recipesOf(text: string): Recipe[] {
  const chapter = text.split(/^## /m).find((part) => part.startsWith("Recipes\n")) ?? "";
  return chapter.split(/^### /m).slice(1).map(readRecipe);
}

function readRecipe(section: string): Recipe {
  const [title = ""] = section.split("\n");
  const stated = /^Preset `(plan|ask|workspace|full)`; (host|user)\./m.exec(section);
  const block = /^```json\n([\s\S]*?)^```$/m.exec(section)?.[1];
  if (!stated || block === undefined) throw new Error(`the recipe "${title}" lacks its preset, layer or rules`);
  // A pipe inside a table is written `\|`.
  const rows = [...section.matchAll(/^\| `(\w+)` \| (?:`(.*)` )?\| (\w+) \|$/gm)].map(
    ([, tool = "", call = "", decision = ""]) => ({ tool, call: call.replaceAll("\\|", "|"), decision }),
  );
  return {
    title,
    mode: stated[1] as PermissionMode,
    layer: stated[2] as "host" | "user",
    json: JSON.parse(block),
    rows,
  };
}

let project: string;
beforeAll(() => {
  project = scratchPath();
  for (const folder of [".git/hooks", "src", "docs"]) mkdirSync(join(project, folder), { recursive: true });
});

function policyOf({ mode, layer, json }: Recipe): PolicyState {
  const rules: Rule[] = readRules(json[layer === "host" ? "rules" : "permissions.rules"]);
  const settings = Settings.inMemory(layer === "user" ? { "permissions.rules": rules } : {});
  const state = new PolicyState({ settings, cwd: () => project, home: join(project, ".pintle") });
  state.mode = mode;
  if (layer === "host") state.setHostRules(rules);
  return state;
}

function effectOf(state: PolicyState, tool: string, call: string): string {
  const server = /^mcp__(\w+?)__/.exec(tool)?.[1];
  const judged = judgeCall(
    { id: "1", tool: { name: tool } as never, args: tool === "bash" ? { command: call } : { path: call } },
    {
      cwd: () => project,
      isInside: state.policy().isInside,
      containsKeys: () => false,
      originOf: () => (server === undefined ? "builtin" : `mcp:${server}`),
      isAnswered: () => true,
      isSandboxed: () => false,
      hasSandbox: () => false,
      readsCommands: () => state.readsCommands,
      shellPath: () => undefined,
      isHostUri: () => false,
      previewedPaths: () => undefined,
    },
  );
  return decide(state.policy(), judged).effect;
}

const recipes = recipesOf(page);

test("the page has its recipes", () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    "A reviewer that may only read",
    "CI that may run the tests and nothing else",
    "Deny network programs",
    "Allow one file in .git",
    "MCP server x without questions",
    "The host approves in its own UI",
  ]);
});

for (const recipe of recipes) {
  describe(recipe.title, () => {
    test("the rules are rules, under the one name that is read", () => {
      expect(Object.keys(recipe.json)).toEqual([recipe.layer === "host" ? "rules" : "permissions.rules"]);
      expect(policyOf(recipe).list().length).toBeGreaterThan(0);
      expect(recipe.rows.length).toBeGreaterThanOrEqual(3);
    });
    for (const { tool, call, decision } of recipe.rows) {
      test(`${tool} ${call}: ${decision}`, () => expect(effectOf(policyOf(recipe), tool, call)).toBe(decision));
    }
  });
}

test("every other rule that the page shows is one", () => {
  const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => JSON.parse(block));
  const single = blocks.filter((block) => "effect" in block);
  expect(single.length).toBeGreaterThan(0);
  expect(readRules(single)).toEqual(single);
});
