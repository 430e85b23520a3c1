// The search program of the tools `grep` and `find`.
import { chmodSync, copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { executable, nameOf, ripgrepPackage, thisMachine } from "../targets.mjs";
import { installedPackage } from "./packages.mjs";

/**
 * Copies a platform's ripgrep into the directory. Without its optional package, the tools report that it is missing.
 */
export function copyTo(directory, target = thisMachine(), findPackage = installedPackage) {
  const source = findPackage(ripgrepPackage(target));
  if (source === undefined) {
    console.error(`no ripgrep for ${nameOf(target)}: grep and find will not work`);
    return;
  }
  const name = executable(target, "rg");
  const fresh = join(directory, `${name}.new`);
  copyFileSync(join(source, "bin", name), fresh);
  chmodSync(fresh, 0o755);
  renameSync(fresh, join(directory, name)); // a running one keeps its file
}
