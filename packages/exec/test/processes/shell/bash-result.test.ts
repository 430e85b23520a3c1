import { expect, test } from "bun:test";
import { toBashResult } from "../../../src/processes/shell/bash-result.ts";
import type { ShellResult } from "../../../src/processes/shell/shell-command.ts";

function shellResult(fields: Partial<ShellResult>): ShellResult {
  const output = fields.output ?? "one\ntwo\n";
  return {
    output,
    end: { kind: "exited", exitCode: 0 },
    truncated: false,
    totalLines: 2,
    totalBytes: 8,
    outputLines: 2,
    outputBytes: Buffer.byteLength(output),
    isFullOutputCapped: false,
    durationMs: 5,
    ...fields,
  };
}

const counts = { truncated: false, totalLines: 2, totalBytes: 8 };

test("a command that ended by itself has its exit code", () => {
  const expected = { ...counts, output: "one\ntwo\n", cancelled: false, outputLines: 2, outputBytes: 8 };
  expect(toBashResult(shellResult({}))).toEqual({ ...expected, exitCode: 0 });
  const end = { kind: "signalled", signal: "SIGKILL", exitCode: 137 } as const;
  expect(toBashResult(shellResult({ end }))).toEqual({ ...expected, exitCode: 137 });
});

test.each([
  ["one\ntwo\n", "one\ntwo\nCommand cancelled", 3],
  ["one\ntwo", "one\ntwo\nCommand cancelled", 3],
  ["", "Command cancelled", 1],
])("a cancelled command with output %j ends with the line that says so", (raw, output, outputLines) => {
  expect(toBashResult(shellResult({ output: raw, end: { kind: "cancelled" } }))).toEqual({
    ...counts,
    output,
    cancelled: true,
    outputLines,
    outputBytes: output.length,
  });
});

test("a command that timed out is reported as cancelled", () => {
  const result = toBashResult(
    shellResult({ end: { kind: "timed_out", seconds: 300 }, fullOutputPath: "/x/1.bash.log" }),
  );
  expect(result).toMatchObject({ cancelled: true, fullOutputPath: "/x/1.bash.log" });
  expect(result.output).toEndWith("\nCommand timed out after 300 seconds");
  expect(result).not.toHaveProperty("exitCode");
});

test("the line fits into the limits", () => {
  const output = "line\n".repeat(3000);
  const byLines = toBashResult(shellResult({ output, end: { kind: "cancelled" } }));
  expect(byLines).toMatchObject({ outputLines: 3000, truncated: true });
  const byBytes = toBashResult(shellResult({ output: "é".repeat(25_600), end: { kind: "cancelled" } }));
  expect(byBytes.outputBytes).toBeLessThanOrEqual(51_200);
  expect(byBytes.outputBytes).toBe(Buffer.byteLength(byBytes.output));
});
