import { spawnSync } from "node:child_process";
import { root } from "../paths.mjs";

/** Runs a program to its end and returns its output; throws an error with all output if it fails. */
export function run(command, args, { cwd = root, env = process.env } = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32" && command === "npm", // npm is a script there
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${error?.message ?? ""}${stdout}${stderr}`);
  return stdout;
}
