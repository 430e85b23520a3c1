import { resolve } from "node:path";
import type { ProcessRunner } from "@pintle/exec/processes";
import type { ExecOptions, ExecResult } from "../api/tool-types.ts";

/** Implements `pi.exec` of users' modules. The code that runs programs is loaded with the first call. */
export async function callExec(
  { cwd, processRunner }: { cwd: string; processRunner(): Promise<ProcessRunner> },
  program: string,
  args: readonly string[] = [],
  options: ExecOptions = {},
): Promise<ExecResult> {
  if (!Array.isArray(args) || ![program, ...args].every((word) => typeof word === "string")) {
    throw new TypeError("exec takes a program and a list of strings");
  }
  const { execProgram } = await import("./exec-program.ts");
  return execProgram(await processRunner(), [program, ...args], { ...options, cwd: resolve(cwd, options.cwd ?? "") });
}
