import { existsSync } from "node:fs";
import type { LaunchOptions } from "./launch.ts";
import { PROGRAM_NAME, programPlaces } from "./program-places.ts";

/** Why the server could not be started, and what helps. The system names a missing program and a missing directory alike. */
export function startFailure(error: NodeJS.ErrnoException, { cwd, command, cliPath, spawn }: LaunchOptions): string {
  if (error.code !== "ENOENT" || spawn) return error.message;
  if (cwd !== undefined && !existsSync(cwd)) return `the directory ${cwd} does not exist`;
  if (command) return error.message;
  if (cliPath !== undefined) {
    return `there is no "bun" on the PATH, which starts ${cliPath}; another runtime is named by the option command`;
  }
  return [
    `there is no program "${PROGRAM_NAME}", neither on the PATH nor at`,
    ...programPlaces().map((path) => `  ${path}`),
    'Install the package "pintle" beside @pintle/client, or build the program ("npm run build" in a clone makes dist/pintle).',
    'One at another place is named by the option command: new RpcClient({ command: ["/path/to/pintle"] })',
  ].join("\n");
}
