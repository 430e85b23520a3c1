import { describe, expect, test } from "bun:test";
import { denialHint } from "../../src/sandbox/denial-hint.ts";

const limits = { mode: "workspace-write", network: "off" } as const;
const full = { level: "full" } as const;
const hint = (output: string, exitCode = 1) => denialHint(limits, full, { exitCode, output });

describe("a command that failed in the sandbox", () => {
  test.each([
    ["touch: cannot touch '/etc/x': Read-only file system", "may not write outside"],
    ["Error: EROFS: read-only file system, open '/x'", "may not write outside"],
    ["bash: /etc/x: Permission denied", "may write only to the places"],
    ["mount: Operation not permitted", "may write only to the places"],
    ["connect: Network is unreachable", "has no network"],
    ["curl: (6) Could not resolve host: example.com", "has no network"],
    ["npm error code EAI_AGAIN", "has no network"],
    ["connect ENETUNREACH 1.1.1.1:443", "has no network"],
  ])("%s", (output, words) => {
    const line = hint(output);
    expect(line).toContain(words);
    expect(line).toContain("sandbox (workspace-write)");
    expect(line).not.toContain("\n");
  });

  test("nothing is said of a command that succeeded, or failed for another reason", () => {
    expect(hint("Permission denied", 0)).toBeUndefined();
    expect(hint("2 tests failed")).toBeUndefined();
  });

  test("nothing is said of the network when the command has it", () => {
    const output = "Network is unreachable";
    expect(denialHint({ ...limits, network: "on" }, full, { exitCode: 1, output })).toBeUndefined();
  });

  test("nothing is said where there is no sandbox", () => {
    expect(denialHint(limits, { level: "none" }, { exitCode: 1, output: "Permission denied" })).toBeUndefined();
  });
});
