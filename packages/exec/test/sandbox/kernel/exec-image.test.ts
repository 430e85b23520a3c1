import { beforeAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { where } from "../../../../coding-agent/test/support/where.ts";
import type { Architecture } from "../../../src/sandbox/kernel/exec-code.ts";
import { type Block, execImage, type SystemCall } from "../../../src/sandbox/kernel/exec-image.ts";
import { requireNumber } from "../../../src/sandbox/kernel/system-calls.ts";

/** How a program for an architecture is run here: directly, or in an emulator. */
const RUNNERS: Record<Architecture, string[] | undefined> = {
  x64: runner("x64", "qemu-x86_64"),
  arm64: runner("arm64", "qemu-aarch64"),
};

function runner(architecture: Architecture, emulator: string): string[] | undefined {
  if (process.platform !== "linux") return undefined;
  if (process.arch === architecture) return [];
  return Bun.which(emulator) ? [emulator] : undefined;
}

const text = (words: string): Block => ({ bytes: new TextEncoder().encode(words) });

for (const architecture of ["x64", "arm64"] as const) {
  where(RUNNERS[architecture] !== undefined, `needs ${architecture} or its emulator`).describe(
    `${architecture}: the inner stage`,
    () => {
      let directory: string;
      beforeAll(() => {
        directory = scratchPath();
      });

      const number = (name: Parameters<typeof requireNumber>[0]) => requireNumber(name, architecture);
      const say = (words: string): SystemCall => ({ number: number("write"), args: [1, text(words), words.length] });
      function run(calls: SystemCall[], ...args: string[]) {
        const path = join(directory, crypto.randomUUID());
        writeFileSync(path, execImage(architecture, calls), { mode: 0o700 });
        const { exitCode, stdout, stderr } = Bun.spawnSync([...RUNNERS[architecture]!, path, ...args], {
          env: { WORD: "kept" },
        });
        return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
      }
      const { test } = where(true, "");

      test("makes the calls in order and becomes the program, with its arguments and environment", () => {
        expect(run([say("one "), say("two ")], "/bin/sh", "-c", 'echo "$1" "$WORD" $#', "sh", "a b")).toEqual({
          exitCode: 0,
          stdout: "one two a b kept 1\n",
          stderr: "",
        });
      });

      test("continues after a failure that does not matter", () => {
        const fails = { number: number("write"), args: [99, 0, 0] };
        expect(run([fails, say("still ")], "/bin/echo", "here").stdout).toBe("still here\n");
      });

      test("does not become the program after a failure that matters, and says so", () => {
        const fails = { number: number("write"), args: [99, 0, 0], required: "no such descriptor" };
        expect(run([fails, say("never")], "/bin/echo", "never")).toEqual({
          exitCode: 126,
          stdout: "",
          stderr: "pintle: sandbox: no such descriptor\n",
        });
      });

      test("says that there is no such program, and needs one", () => {
        const missing = { exitCode: 126, stdout: "", stderr: "pintle: sandbox: the program cannot be started\n" };
        expect(run([], "/no/such/program")).toEqual(missing);
        expect(run([])).toEqual(missing);
      });

      test("hands the result of a call to the next one", () => {
        const words = "seven!!";
        const calls: SystemCall[] = [
          { ...say(words), result: { nextArgument: 0 } },
          { number: number("exit_group"), args: [0] },
        ];
        expect(run(calls, "/bin/true")).toEqual({ exitCode: words.length, stdout: words, stderr: "" });
      });

      test("keeps the result of a call in a block that a later one reads", () => {
        const counter: Block = { bytes: new Uint8Array(8) };
        const calls: SystemCall[] = [
          { ...say("0123456789".repeat(5)), result: { block: counter, at: 0 } },
          { number: number("write"), args: [1, counter, 1] }, // 50 is "2"
        ];
        expect(run(calls, "/bin/true").stdout).toBe(`${"0123456789".repeat(5)}2`);
      });

      test("follows pointers from block to block", () => {
        const vector: Block = { bytes: new Uint8Array(16), pointers: [{ at: 0, to: text("by address\n") }] };
        new DataView(vector.bytes.buffer).setBigUint64(8, 11n, true);
        const writev = architecture === "x64" ? 20 : 66;
        expect(run([{ number: writev, args: [1, vector, 1] }], "/bin/true").stdout).toBe("by address\n");
      });
    },
  );
}
