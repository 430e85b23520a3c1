import { describe, expect } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { where } from "../../../../coding-agent/test/support/where.ts";
import { type Architecture, EXEC_CODE, execCode } from "../../../src/sandbox/kernel/exec-code.ts";

const TOOLS: Record<Architecture, { assembler: string; objcopy: string; head: string }> = {
  x64: { assembler: "x86_64-linux-gnu-as", objcopy: "x86_64-linux-gnu-objcopy", head: ".intel_syntax noprefix\n" },
  arm64: { assembler: "aarch64-linux-gnu-as", objcopy: "aarch64-linux-gnu-objcopy", head: "" },
};

describe("the machine code of the inner stage", () => {
  for (const architecture of ["x64", "arm64"] as const) {
    const { assembler, objcopy, head } = TOOLS[architecture];
    where(Bun.which(assembler) !== null, `needs ${assembler}`).test(`${architecture}: is what its text says`, () => {
      const directory = scratchPath();
      try {
        const [source, object, flat] = ["code.s", "code.o", "code.bin"].map((name) => join(directory, name)) as [
          string,
          string,
          string,
        ];
        writeFileSync(source, `${head}${EXEC_CODE[architecture].map(([, text]) => text).join("\n")}\n`);
        expect(Bun.spawnSync([assembler, source, "-o", object]).exitCode).toBe(0);
        expect(Bun.spawnSync([objcopy, "-O", "binary", "-j", ".text", object, flat]).exitCode).toBe(0);
        expect(new Uint8Array(readFileSync(flat)).toHex()).toBe(execCode(architecture).toHex());
      } finally {
        rmSync(directory, { recursive: true });
      }
    });
  }
});
