import { expect, test } from "bun:test";
import { parseArguments } from "../../src/cli/args.ts";
import { FLAGS } from "../../src/cli/flags.ts";
import { sessionOptions } from "../../src/cli/session-options.ts";
import { UsageError } from "../../src/cli/usage-error.ts";

const START = { isRpc: false, warn: () => {} };

function optionsOf(line: string) {
  return sessionOptions(parseArguments(line.split(" "), FLAGS).flags, START);
}

test.each([
  ["-p", {}],
  ["--provider p --model m --models a,b:high", { flags: { provider: "p", model: "m", models: ["a", "b:high"] } }],
  ["--session-id x --fork y --name n", { session: { id: "x", fork: "y", name: "n" } }],
  ["--no-tools --no-builtin-tools", { noTools: "all" }],
  ["--no-trust --approve", { trust: "closed" }],
  ["--approve", { trust: "open" }],
  ["--tools read,,grep", { tools: ["read", "grep"] }],
  ["--offline --set models.probeLocal=true", { settings: { "models.probeLocal": false } }],
  ["--no-skills --skill a --skill b", { resources: { skillPaths: ["a", "b"], hasSkills: false } }],
  ["-ne -e x --hook y", { additionalExtensionPaths: ["x", "y"], disableExtensionDiscovery: true }],
])("%s", (line, options) => {
  expect(optionsOf(line)).toEqual(options as object);
});

test.each(["--session a --continue", "--resume a --fork b", "--session-id a --resume b"])(
  "%s names two sessions",
  (line) => {
    expect(() => optionsOf(line)).toThrow(UsageError);
  },
);
