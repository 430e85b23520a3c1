import { existsSync } from "node:fs";
import type { LaunchOptions } from "./launch.ts";
import { PROGRAM_NAME, programPlaces } from "./program-places.ts";

/**
 * Explains why the server could not be started and what to do. The system reports a missing program and a missing directory with
 * the same error.
 */
export function startFailure(error: NodeJS.ErrnoException, { cwd, command, cliPath, spawn }: LaunchOptions): string {
  if (error.code !== "ENOENT" || spawn) return error.message;
  if (cwd !== undefined && !existsSync(cwd)) return `the directory ${cwd} does not exist`;
  if (command) return `there is no program "${error.path ?? command}"; check the option command`;
  if (cliPath !== undefined) {
    return `there is no "bun" on the PATH to run ${cliPath}; to use another runtime, set the option command`;
  }
  return [
    `there is no program "${PROGRAM_NAME}", neither on the PATH nor at`,
    ...programPlaces().map((path) => `  ${path}`),
    'Install the package "pintle" next to @pintle/client, or build the program ("npm run build" in a clone creates dist/pintle).',
    'To use a program at another path, set the option command: new RpcClient({ command: ["/path/to/pintle"] })',
  ].join("\n");
}
