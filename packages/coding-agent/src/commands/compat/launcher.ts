import type { CompatibleProgram } from "./programs.ts";

/** Marks a launcher that pintle wrote and may overwrite. */
export const MARK = "# written by pintle compat";

/** Returns the script that starts pintle for clients of another program. Keeps a dialect that is already set. */
export function launcherScript(name: string, { dialect }: CompatibleProgram, program: string): string {
  return `#!/bin/sh
${MARK} ${name}
PINTLE_DIALECT="\${PINTLE_DIALECT:-${dialect}}"
export PINTLE_DIALECT
exec ${quoted(program)} "$@"
`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
