import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { parseArguments } from "../../src/cli/args.ts";
import { FLAGS } from "../../src/cli/flags.ts";
import { sessionOptions } from "../../src/cli/session-options.ts";
import { UsageError } from "../../src/cli/usage-error.ts";

const cwd = process.cwd();

function optionsOf(line: string, start: { isRpc: boolean; warn(text: string): void } = { isRpc: false, warn() {} }) {
  return sessionOptions(parseArguments(line.split(" "), FLAGS).flags, start);
}

test.each([
  ["-p", {}],
  ["--provider p --model m --models a,b:high", { flags: { provider: "p", model: "m", models: ["a", "b:high"] } }],
  ["--session-id x --fork y --name n", { session: { id: "x", fork: "y", name: "n" } }],
  ["--no-tools --no-builtin-tools", { noTools: "all" }],
  ["--no-trust --approve", { trust: "closed" }],
  ["--approve", { trust: "open" }],
  ["--tools read,,grep", { tools: ["read", "grep"] }],
  ["--exclude-tools bash,write -xt edit", { excludeTools: ["edit"] }],
  ["--thinking high", { flags: { thinking: "high" } }],
  ["--thinking max", { flags: { thinking: "max" } }],
  ["--thinking auto", {}],
  ["--replay-speed 2", { replaySpeed: 2 }],
  ["--offline --set models.probeLocal=true", { settings: { "models.probeLocal": false } }],
  ["--no-skills --skill ~ --skill packages/..", { resources: { skillPaths: [homedir(), cwd], hasSkills: false } }],
  ["-ne -e . --hook /", { additionalExtensionPaths: [cwd, "/"], disableExtensionDiscovery: true }],
])("%s", (line, options) => {
  expect(optionsOf(line)).toEqual(options as object);
});

test.each(["--session a --continue", "--resume a --fork b", "--session-id a --resume b"])(
  "%s names two sessions",
  (line) => {
    expect(() => optionsOf(line)).toThrow(UsageError);
  },
);

test("a level that does not exist is a usage error", () => {
  const message = '--thinking must be one of off, minimal, low, medium, high, xhigh, max, not "ultra"';
  expect(() => optionsOf("--thinking ultra")).toThrow(new UsageError(message));
});

test("a host only gets a notice about a level that does not exist", () => {
  const warnings: string[] = [];
  expect(optionsOf("--thinking ultra", { isRpc: true, warn: (text) => warnings.push(text) })).toEqual({});
  expect(warnings).toEqual(['unknown thinking level "ultra" is ignored']);
});
