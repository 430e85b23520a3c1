import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";

/**
 * Returns the directory of an installed package, or undefined. A release uses packages for other systems.
 * @param {string} name
 */
export function installedPackage(name) {
  const directory = join(root, "node_modules", name);
  return existsSync(join(directory, "package.json")) ? directory : undefined;
}
