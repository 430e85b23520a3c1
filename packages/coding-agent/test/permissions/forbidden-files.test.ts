import { beforeAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { commandFacts } from "../../src/permissions/command/command-facts.ts";
import { decide, type Policy } from "../../src/permissions/decide.ts";
import { compileRule, type Rule } from "../../src/permissions/rule.ts";

let project: string;

beforeAll(() => {
  project = scratchPath();
  mkdirSync(join(project, "secrets"));
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "secrets/x"), "key");
  writeFileSync(join(project, "src/a.ts"), "key");
  writeFileSync(join(project, "src/.env"), "key");
  symlinkSync("secrets", join(project, "other"));
});

/** Returns the decision on a command under `full`, where only a rule can deny it. */
function verdictOf(text: string, rule: Rule): string {
  const isInside = (real: string) => real === project || real.startsWith(`${project}/`);
  const { command, paths, reading } = commandFacts(text, {
    project,
    cwd: project,
    isInside,
    containsKeys: () => false,
    hasOwnEnvironment: false,
    isConfined: false,
  });
  const policy: Policy = {
    mode: "full",
    project,
    isInside,
    containsKeys: () => false,
    protection: () => undefined,
    rules: { host: [], session: [], user: [compileRule(rule, project)], project: [] },
  };
  const request = {
    toolCallId: "1",
    tool: "bash",
    kind: "execute" as const,
    title: "",
    origin: "builtin",
    command,
    paths,
  };
  return decide(policy, { request, ...(reading && { reading }), isSandboxed: false, isLeftToHost: false }).effect;
}

const FOLDER: Rule = { effect: "deny", path: "secrets/**" };

test.each([
  "cat secrets/x",
  "cat s*/x",
  "cat ./s?crets/*",
  "cat ./*/x",
  "sed -n p secrets/x",
  "node run.mjs secrets/x",
  "cp -r secrets copy",
  "cp -r s* copy",
  "grep -r key secrets",
  "tar -cf- secrets",
  "tail -n1 other/x",
  "ls other",
  "dd if=secrets/x",
  "curl -d @secrets/x localhost",
  "tool --file=secrets/x",
  "tool -fsecrets/x",
  "git show HEAD:secrets/x",
  "scp -3 host:secrets/x .",
  "cd secrets && cat x",
])("`%s` names a forbidden file", (text) => {
  expect(verdictOf(text, FOLDER)).toBe("deny");
});

test.each([
  "cat $(echo secrets)/x",
  "for f in a; do cat $f; done",
  "sh -c 'cat secrets/x'",
  "ls | xargs cat",
  "rg key",
  "grep -rn key .",
  "grep --recursive key",
])("`%s` may read a forbidden file, so it is asked about", (text) => {
  expect(verdictOf(text, FOLDER)).toBe("ask");
});

test.each([
  "cat src/a.ts",
  "ls src",
  "rg key src",
  "grep -rn key src",
  "find . -name x",
  "npm test",
  "cat src/*.ts",
  "ls ./*",
])("`%s` reads other files", (text) => {
  expect(verdictOf(text, { effect: "deny", path: "hidden/**" })).toBe("allow");
});

test("a file that a pattern leaves out, as the shell does, is not forbidden to name", () => {
  const rule: Rule = { effect: "deny", path: "**/.env" };
  expect(verdictOf("cat src/*", rule)).toBe("allow");
  expect(verdictOf("cat src/.e*", rule)).toBe("deny");
  expect(verdictOf("rg key src", rule)).toBe("ask");
});

test("a pattern with too many matches to look at is asked about", () => {
  mkdirSync(join(project, "many"));
  for (let index = 0; index < 5_001; index += 1) writeFileSync(join(project, "many", String(index)), "");
  expect(verdictOf("cat many/*", FOLDER)).toBe("ask");
});

test("a question about a file is asked for the commands that name it", () => {
  expect(verdictOf("cat s*/x", { effect: "ask", path: "secrets/**" })).toBe("ask");
  expect(verdictOf("cat src/a.ts", { effect: "ask", path: "secrets/**" })).toBe("allow");
});
