// Packages for other systems, which npm does not install here. npm fetches them from the configured registry, and they
// are used only if they match the lockfile byte for byte.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { dist, root } from "../paths.mjs";
import { run } from "./run.mjs";

const CACHE = join(dist, "fetched");

let lockfile;

/** Where the package is unpacked. */
export function fetchPackage(name) {
  lockfile ??= JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const locked = lockfile[`node_modules/${name}`];
  if (!locked?.integrity) throw new Error(`${name} is not in package-lock.json with an integrity`);
  const directory = join(CACHE, `${name.replace("/", "-")}-${locked.version}`);
  if (existsSync(directory)) return directory;
  mkdirSync(CACHE, { recursive: true });
  const [{ filename }] = JSON.parse(
    run("npm", ["pack", "--json", "--silent", `${name}@${locked.version}`], { cwd: CACHE }),
  );
  const file = join(CACHE, basename(filename));
  try {
    checkIntegrity(file, locked.integrity);
    const fresh = `${directory}.tmp`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh);
    run("tar", ["-xzf", file, "--strip-components=1", "-C", fresh]);
    renameSync(fresh, directory);
  } finally {
    rmSync(file, { force: true });
  }
  return directory;
}

/** Throws unless the file matches the integrity (`sha512-…`). */
export function checkIntegrity(file, integrity) {
  const [algorithm] = integrity.split("-");
  const found = `${algorithm}-${createHash(algorithm).update(readFileSync(file)).digest("base64")}`;
  if (found !== integrity)
    throw new Error(`${basename(file)} is not what the lockfile names: ${found}, not ${integrity}`);
}
