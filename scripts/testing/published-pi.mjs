// The published packages of pi: the names they export are compared with pintle's list, and their examples run in a test.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";

const PINNED = join(root, "packages/coding-agent/test/support/public-extensions/published-pi.json");

/** Inside of the public extensions' folder, so that examples find the packages they import there. */
const TARGET = join(root, "node_modules/.cache/pintle-public-extensions/pi");

/** The releases, newest first. Each package is pinned by the checksum of its archive. */
const releases = () => JSON.parse(readFileSync(PINNED, "utf8"));

/** Returns where the files of each release are; `folders` maps the name of a package to its folder. */
export function publishedReleases() {
  return releases().map(({ version, packages }) => ({
    version,
    folders: Object.fromEntries(Object.keys(packages).map((name) => [name, join(TARGET, version, name)])),
  }));
}

/** Fetches the packages that are missing, without their dependencies. Only the examples are ever run. */
export function ensurePublishedPi() {
  const stamp = join(TARGET, "fetched");
  const wanted = createHash("sha256").update(readFileSync(PINNED)).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  const packages = releases().flatMap(({ scope, version, packages: pinned }) =>
    Object.entries(pinned).map(([name, integrity]) => ({ scope, version, name, integrity })),
  );
  const specs = packages.map(({ scope, version, name }) => `${scope}/${name}@${version}`);
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["pack", ...specs, "--ignore-scripts", "--silent"], { cwd: TARGET, stdio: "pipe" });
  for (const { scope, version, name, integrity } of packages) {
    const archive = join(TARGET, `${scope.slice(1)}-${name}-${version}.tgz`);
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${scope}/${name}@${version} is ${found}, not ${integrity}`);
    const folder = join(TARGET, version, name);
    mkdirSync(folder, { recursive: true });
    execFileSync("tar", ["xzf", archive, "-C", folder, "--strip-components=1"]);
    rmSync(archive);
  }
  writeFileSync(stamp, wanted);
}
