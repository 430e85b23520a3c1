// Packages of other systems, which npm does not install here. Fetched by npm from the registry it is configured for, and used
// only if they are byte for byte what the lockfile says.
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

/** Throws unless the file is the one that the integrity (`sha512-…`) was made of. */
export function checkIntegrity(file, integrity) {
  const [algorithm] = integrity.split("-");
  const found = `${algorithm}-${createHash(algorithm).update(readFileSync(file)).digest("base64")}`;
  if (found !== integrity)
    throw new Error(`${basename(file)} is not what the lockfile names: ${found}, not ${integrity}`);
}
