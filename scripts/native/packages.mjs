import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";

/**
 * Where a package that npm has installed is; undefined when it is not. A release has others of these, for other systems.
 * @param {string} name
 */
export function installedPackage(name) {
  const directory = join(root, "node_modules", name);
  return existsSync(join(directory, "package.json")) ? directory : undefined;
}
