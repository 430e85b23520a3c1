import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Kept between runs, because these installs are large. */
export const CACHE = join(tmpdir(), "pintle-side-by-side");
const TRIES = 8;
const BUNDLE_NODE = 24;

export interface Installed {
  version: string;
  /** node_modules/NAME */
  directory: string;
}

/**
 * Returns the newest version that runs here: its whole tree can be installed from the registry in use (mirrors lack
 * some packages), or its program is a bundle that starts without its dependencies.
 */
export function installNewest(name: string): Installed {
  const listed = npm(["view", name, "versions", "--json"], tmpdir());
  if (listed.status !== 0) throw new Error("the registry cannot be reached");
  const newestFirst = [JSON.parse(listed.stdout)]
    .flat()
    .filter((version) => !version.includes("-"))
    .sort(Bun.semver.order)
    .reverse();
  for (const version of newestFirst.slice(0, TRIES)) {
    const directory = install(name, version) ?? unpackBundle(name, version);
    if (directory !== undefined) return { version, directory };
  }
  throw new Error(`none of the newest ${TRIES} versions could be installed`);
}

/** A Node.js that is new enough: the one on the PATH, or one from the registry. */
export function nodeOfMajor(major: number): string {
  const own = spawnSync("node", ["--version"], { encoding: "utf8" }).stdout ?? "";
  if (Number(/^v(\d+)/.exec(own)?.[1]) >= major) return "node";
  const name = `node-${process.platform}-${process.arch}`;
  const newest = npm(["view", `${name}@${major}`, "version", "--json"], tmpdir());
  const version = [JSON.parse(newest.stdout)].flat().sort(Bun.semver.order).at(-1);
  const directory = install(name, version);
  if (directory === undefined) throw new Error(`needs Node.js ${major}`);
  return join(directory, "bin/node");
}

function install(name: string, version: string): string | undefined {
  const root = join(CACHE, `${name.replaceAll("/", "+")}@${version}`);
  const directory = join(root, "node_modules", name);
  const done = join(root, "installed");
  const failed = join(root, "cannot-be-installed");
  if (existsSync(done)) return directory;
  if (existsSync(failed)) return undefined;
  console.error(`installing ${name}@${version} …`);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "package.json"), '{ "private": true }\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${version}`];
  const isInstalled = npm(args, root).status === 0;
  writeFileSync(isInstalled ? done : failed, "");
  return isInstalled ? directory : undefined;
}

/** Returns the unpacked package if one of its programs starts without dependencies. */
function unpackBundle(name: string, version: string): string | undefined {
  const root = join(CACHE, `${name.replaceAll("/", "+")}@${version}-bundle`);
  const directory = join(root, "package");
  const failed = join(root, "does-not-start");
  if (existsSync(failed)) return undefined;
  if (!existsSync(directory)) {
    mkdirSync(root, { recursive: true });
    const packed = npm(["pack", `${name}@${version}`, "--ignore-scripts", "--silent"], root);
    if (packed.status === 0) spawnSync("tar", ["xzf", packed.stdout.trim().split("\n").at(-1) ?? ""], { cwd: root });
  }
  if (existsSync(directory)) {
    const { bin } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const [program = ""] = typeof bin === "string" ? [bin] : Object.values<string>(bin ?? {});
    const started = spawnSync(nodeOfMajor(BUNDLE_NODE), [join(directory, program), "--version"], { encoding: "utf8" });
    if (started.status === 0 && started.stdout.includes(version)) return directory;
  }
  writeFileSync(failed, "");
  return undefined;
}

function npm(args: string[], cwd: string) {
  return spawnSync("npm", ["--loglevel=error", ...args], { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
