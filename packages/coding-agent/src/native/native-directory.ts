import { dirname, join } from "node:path";

/**
 * Where the native parts of the shipped program lie: beside it and nowhere else, so that no other directory can bring in
 * code of its own. undefined when pintle runs from its sources; the parts are then those in its own node_modules.
 */
export function nativeDirectory(): string | undefined {
  return isCompiled() ? join(dirname(process.execPath), "native") : undefined;
}

/** The modules of a compiled program lie in a file system of its own. */
function isCompiled(): boolean {
  return import.meta.path.startsWith("/$bunfs/") || import.meta.path.startsWith("B:\\~BUN");
}
