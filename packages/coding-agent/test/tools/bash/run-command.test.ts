import { expect, test } from "bun:test";
import { inHostTerminal } from "../../../src/tools/bash/run-command.ts";
import type { TerminalEnd, TerminalRequest } from "../../../src/tools/host-workplace.ts";

const call = { id: "call_1", signal: new AbortController().signal };
const limits = { maxLines: 10, maxBytes: 1_000, headShare: 0.25 };

function terminal(end: TerminalEnd) {
  const requests: TerminalRequest[] = [];
  const run = async (request: TerminalRequest) => {
    requests.push(request);
    return end;
  };
  return { run, requests };
}

test("a host's terminal receives the prefix and the variables, and its output is limited like any other", async () => {
  const output = Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join("");
  const host = terminal({ output, exitCode: 3 });
  const run = inHostTerminal(host, call, "set -e");
  const result = await run({ command: "make", cwd: "/w", env: { A: "1", B: undefined }, timeoutMs: 5_000, limits });
  expect(host.requests).toEqual([{ command: "set -e\nmake", cwd: "/w", env: { A: "1" }, timeoutMs: 5_000 }]);
  expect(result).toMatchObject({ end: { kind: "exited", exitCode: 3 }, truncated: true, totalLines: 100 });
  expect(result.head).toStartWith("line 0\n");
  expect(result.output).toEndWith("line 99\n");
});

test("a command that the host ends has no exit code", async () => {
  const run = inHostTerminal(terminal({ output: "", exitCode: undefined }), call, undefined);
  expect(await run({ command: "make", cwd: "/w", limits })).toMatchObject({ end: { kind: "ended_elsewhere" } });
});
