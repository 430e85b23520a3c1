import { spawnSync } from "node:child_process";
import { root } from "../paths.mjs";

/** Runs a program to its end and gives what it printed; its failure is an error with everything it said. */
export function run(command, args, { cwd = root } = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32" && command === "npm", // npm is a script there
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${error?.message ?? ""}${stdout}${stderr}`);
  return stdout;
}
