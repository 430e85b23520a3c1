import type { CompatibleProgram } from "./programs.ts";

/** By this line a launcher is known as one that may be written again. */
export const MARK = "# written by pintle compat";

/** Starts pintle for clients of another program; a dialect that is set already stays. */
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
