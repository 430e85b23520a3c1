// How this repository starts the TypeScript compiler. By default it divides the work among four checkers, which repeat each
// other's work, and collects garbage constantly: this takes more than twice the CPU time on a machine that has other jobs to
// run.
import { join } from "node:path";
import { root } from "./paths.mjs";

const COMPILER = join(root, "node_modules/typescript/bin/tsc");

/** The compiler is written in Go and ends before its memory matters; collecting garbage starts at the limit. */
export const COMPILER_ENV = { GOGC: "off", GOMEMLIMIT: "3GiB" };

/**
 * Returns the command that runs the compiler. Run it with `COMPILER_ENV`.
 * @param {string[]} args
 * @returns {[command: string, ...args: string[]]}
 */
export function typescript(args) {
  return [process.versions.bun ? "node" : process.execPath, COMPILER, ...args, "--checkers", "1"];
}
