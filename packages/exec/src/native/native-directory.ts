import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * Where the native parts of the shipped program are: next to it and nowhere else, so that no other directory can supply
 * code. The published library uses those of the platform's package. Undefined if pintle runs from its sources, which
 * use the parts in their own node_modules.
 */
export function nativeDirectory(): string | undefined {
  return isCompiled() ? join(dirname(process.execPath), "native") : ofPlatformPackage();
}

function ofPlatformPackage(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  const name = `@pintle/${process.platform}-${process.arch}`;
  for (const candidate of [name, `${name}-musl`]) {
    try {
      return join(dirname(resolve(`${candidate}/package.json`)), "bin", "native");
    } catch {
      // not installed
    }
  }
  return undefined;
}

/** A compiled program keeps its modules in a virtual file system. */
function isCompiled(): boolean {
  return import.meta.path.startsWith("/$bunfs/") || import.meta.path.startsWith("B:\\~BUN");
}
