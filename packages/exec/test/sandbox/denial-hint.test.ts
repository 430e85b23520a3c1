import { describe, expect, test } from "bun:test";
import { denialHint } from "../../src/sandbox/denial-hint.ts";

const limits = { mode: "workspace-write", network: "off", mayEscalate: true } as const;
const full = { level: "full" } as const;
const hint = (output: string, exitCode = 1) => denialHint(limits, full, { exitCode, output });

describe("a command that failed in the sandbox", () => {
  test.each([
    ["touch: cannot touch '/etc/x': Read-only file system", "allows writes only to certain directories"],
    ["Error: EROFS: read-only file system, open '/x'", "allows writes only to certain directories"],
    ["bash: /etc/x: Permission denied", "allows writes only to certain directories"],
    ["mount: Operation not permitted", "allows writes only to certain directories"],
    ["connect: Network is unreachable", "has no network"],
    ["curl: (6) Could not resolve host: example.com", "has no network"],
    ["npm error code EAI_AGAIN", "has no network"],
    ["connect ENETUNREACH 1.1.1.1:443", "has no network"],
  ])("%s", (output, words) => {
    const line = hint(output);
    expect(line).toContain(words);
    expect(line).toContain("sandbox (workspace-write)");
    expect(line).toContain("escalate: true");
    expect(line).not.toContain("\n");
  });

  test("a certain sign is named also where a pipe hides the exit code", () => {
    expect(hint("npm error code EAI_AGAIN", 0)).toContain("has no network");
    expect(hint("Read-only file system", 0)).toContain("allows writes only to certain directories");
  });

  test("a read-only sandbox offers no way out", () => {
    const line = denialHint({ ...limits, mode: "read-only" }, full, { exitCode: 1, output: "EROFS" });
    expect(line).toBeDefined();
    expect(line).not.toContain("escalate");
  });

  test("nothing suggests to escalate where no user can be asked", () => {
    const line = denialHint({ ...limits, mayEscalate: false }, full, { exitCode: 1, output: "EROFS" });
    expect(line).toEndWith("it allows writes only to certain directories.");
  });

  test("gives no hint for a command that succeeded, or failed for another reason", () => {
    expect(hint("Permission denied", 0)).toBeUndefined();
    expect(hint("2 tests failed")).toBeUndefined();
  });

  test("gives no hint about the network if the command has it", () => {
    const output = "Network is unreachable";
    expect(denialHint({ ...limits, network: "on" }, full, { exitCode: 1, output })).toBeUndefined();
  });

  test("names the hosts that were refused, whatever the exit code", () => {
    const refusals = ["network: a.example is not in sandbox.network", "network: b.example is not in sandbox.network"];
    const failed = { exitCode: 0, output: "Read-only file system", refusals };
    expect(denialHint({ ...limits, network: ["c.example"] }, full, failed)).toBe(
      `${refusals.join("\n")}. If the command must run outside, call bash again with escalate: true and a reason.`,
    );
    expect(denialHint({ ...limits, network: ["c.example"], mayEscalate: false }, full, failed)).toBe(
      `${refusals.join("\n")}.`,
    );
  });

  test("explains the proxy to a program that does not use it", () => {
    const failed = { exitCode: 1, output: "connect ENETUNREACH 1.1.1.1:443" };
    expect(denialHint({ ...limits, network: ["c.example"] }, full, failed)).toContain(
      "it reaches only the hosts of sandbox.network, through the proxy that HTTP_PROXY names",
    );
  });

  test("gives no hint without a sandbox", () => {
    expect(denialHint(limits, { level: "none" }, { exitCode: 1, output: "Permission denied" })).toBeUndefined();
  });
});
