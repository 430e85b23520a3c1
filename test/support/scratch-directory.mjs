import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const paths = new Set();
process.on("exit", () => paths.forEach(remove));

/** Creates an empty directory and returns its real path. It is removed when the process exits. */
export function scratchPath(parent = tmpdir()) {
  const path = realpathSync(mkdtempSync(join(parent, "pintle-test-")));
  paths.add(path);
  return path;
}

/** The same, for `using`: removed at the end of the block. */
export function scratchDirectory(parent) {
  const path = scratchPath(parent);
  return { path, [Symbol.dispose]: () => remove(path) };
}

function remove(path) {
  rmSync(path, { recursive: true, force: true });
  paths.delete(path);
}
