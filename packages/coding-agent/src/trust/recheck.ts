import { isInside, realPath } from "@pintle/foundation";
import { CoveredFiles, sha256 } from "./covered-files.ts";
import type { Inventory } from "./inventory.ts";

/** Returns whether a module and everything in its folder, if it has one, is unchanged. Returns false for files not covered. */
export function isUnchanged(inventory: Inventory, path: string): boolean {
  const real = realPath(path);
  if (real === undefined) return false;
  const unit = inventory.units.find((candidate) => isInside(candidate, real)) ?? real;
  const whole = look(inventory, unit);
  // A folder that is too large to hash was too large before, so only the module itself is compared.
  const { present, obstacle } = whole.isCut ? look(inventory, real) : whole;
  if (obstacle !== undefined || !present.has(real)) return false;
  const isGone = (file: string) => isInside(unit, file) && !present.has(file);
  if (!whole.isCut && [...inventory.files.keys()].some(isGone)) return false;
  return [...present].every(([file, digest]) => isSame(inventory, file, digest));
}

function look({ project }: Inventory, path: string) {
  const now = new CoveredFiles(project);
  now.addNamed(path);
  const { obstacle, isCut } = now;
  const present = new Map(now.files.flatMap((file) => (file.realPath ? [[file.realPath, file.sha256] as const] : [])));
  return { present, obstacle, isCut };
}

export function isSameContent(inventory: Inventory, realPath: string, content: Uint8Array | string): boolean {
  return isSame(inventory, realPath, sha256(content));
}

/** In a project with too many files, some were never hashed. */
function isSame({ files, units, reach }: Inventory, realPath: string, digest: string): boolean {
  const known = files.get(realPath);
  if (known !== undefined) return known === digest;
  return reach === "process" && units.some((unit) => isInside(unit, realPath));
}
