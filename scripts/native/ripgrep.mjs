// The search program of the tools `grep` and `find`.
import { chmodSync, copyFileSync, existsSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Puts this platform's ripgrep into the directory. Without the package for it (optional) the tools say that it is missing. */
export function copyTo(directory) {
  const source = packaged();
  if (source === undefined) {
    console.error(`no ripgrep for ${process.platform}-${process.arch}: grep and find will not work`);
    return;
  }
  const target = join(directory, "rg");
  const fresh = `${target}.new`;
  copyFileSync(source, fresh);
  chmodSync(fresh, 0o755);
  renameSync(fresh, target); // one that is running keeps its file
}

function packaged() {
  const require = createRequire(import.meta.url);
  try {
    const path = require.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
