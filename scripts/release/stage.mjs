// A directory that becomes a package: recreated each time, containing only what a row of the release puts there.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dist, root } from "../paths.mjs";

export const STAGE = join(dist, "packages");

/** What every package has in common. */
export function commonManifest() {
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return { version, license };
}

/**
 * @param {string} name of the package
 * @param {object} manifest its package.json without name, version and license
 */
export function stagePackage(name, manifest) {
  const directory = join(STAGE, name.replace("/", "-").replace("@", ""));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { version, license } = commonManifest();
  writeFileSync(
    join(directory, "package.json"),
    `${JSON.stringify({ name, version, license, ...manifest }, undefined, 2)}\n`,
  );
  copyFileSync(join(root, "LICENSE"), join(directory, "LICENSE"));
  return directory;
}
