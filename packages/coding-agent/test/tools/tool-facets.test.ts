import { describe, expect, test } from "bun:test";
import { BUILTIN_TOOLS } from "../../src/tools/builtin-tools.ts";
import { isFamilyName, namesMeant } from "../../src/tools/family-names.ts";
import { facetsOf } from "../../src/tools/tool-facets.ts";

const names = BUILTIN_TOOLS.map(({ name }) => name);

describe("the facets of the built-in tools", () => {
  test.each([
    ["read", { files: "reads", keepsOutput: true }],
    ["write", { files: "changes", keepsOutput: undefined }],
    ["edit", { files: "changes", keepsOutput: undefined }],
    ["ast_edit", { files: "changes", keepsOutput: undefined }],
    ["bash", { files: undefined, keepsOutput: undefined }],
    ["grep", { files: undefined, keepsOutput: undefined }],
  ])("%s: what it does to files, whether its output is kept", (name, expected) => {
    const { files, keepsOutput } = facetsOf(name);
    expect<object>({ files, keepsOutput }).toEqual(expected);
  });

  test("a name is declared once", () => expect(new Set(names).size).toBe(names.length));

  test("an unknown name has none, even one of Object.prototype", () => {
    for (const name of ["nothing", "constructor", "__proto__", ""]) expect(facetsOf(name)).toEqual({});
  });

  test("tools of other agents in stored conversations have theirs", () => {
    expect([facetsOf("notebook"), facetsOf("skill")]).toEqual([{ files: "changes" }, { keepsOutput: true }]);
  });
});

describe("headlines", () => {
  test.each([
    ["grep", { pattern: "a", path: "src" }, "a in src"],
    ["find", { pattern: "*.ts" }, "*.ts"],
    ["ast_grep", { pat: ["f($A)"], path: "src" }, "f($A) in src"],
    ["ast_edit", { ops: [{ pat: "a", out: "b" }] }, "a → b"],
    ["ask", { questions: [{ question: "Which?" }] }, "Which?"],
    ["resolve", { action: "apply", reason: "fine" }, "apply: fine"],
    ["todo_write", { ops: [{ op: "replace" }, 7, { op: "update" }] }, "replace, update"],
    ["ls", {}, "."],
  ])("%s %j", (name, args, headline) => expect(facetsOf(name).headline?.(args)).toBe(headline));

  test("accepts a call with unexpected values", () => {
    const odd = [undefined, null, 7, "text", [], [null], [[]], {}, [{ pat: 1, op: null, question: {} }]];
    const keys = ["pattern", "path", "pat", "ops", "questions", "action", "reason"];
    for (const value of odd) {
      const args = Object.fromEntries(keys.map((key) => [key, value]));
      for (const name of names) expect(["string", "undefined"]).toContain(typeof facetsOf(name).headline?.(args));
    }
  });
});

test("what other agents call a tool is ours, or is known to be missing", () => {
  expect(namesMeant("Todo")).toEqual(["Todo", "todo_write"]);
  expect(namesMeant("glob")).toEqual(["glob", "find"]);
  expect(namesMeant("Bash")).toEqual(["Bash", "bash"]);
  expect(namesMeant("web_search")).toEqual(["web_search"]);
  expect(["GLOB", "lsp", "mine"].map(isFamilyName)).toEqual([true, true, false]);
});
