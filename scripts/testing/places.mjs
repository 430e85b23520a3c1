// Runs tests from fresh clones in the places where users put one, and as other users: node scripts/testing/places.mjs
// [words]
// Prints a line per place, and last `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled } from "../ensure.mjs";
import { root } from "../paths.mjs";
import { describeCounts, label } from "./report.mjs";

/** Without words: the test files that depend most on paths, users, permissions and system programs. */
const SENSITIVE = [
  "exec/test/sandbox/lazy-sandbox",
  "exec/test/sandbox/escapes-elsewhere",
  "coding-agent/test/permissions/rules",
  "packages/storage/test",
  "exec/test/processes",
  "foundation/test/files",
  "coding-agent/test/trust",
  "coding-agent/test/tools/read.test",
  "coding-agent/test/browser/live/questions",
  "coding-agent/test/scenarios/commands-while-loading",
  "cluster/test/database",
  "cluster/test/support/postgres",
  "gateway/test/scenarios/serve-program",
  "test/install/program",
];

const USER = "pintle-places";

/**
 * @typedef {{ clone: string, start?: string, env?: Record<string, string>, user?: string }} Place `clone` is where the clone
 *   is, `start` the path it is used by if that is another one
 * @type {Record<string, { about: string, needsRoot?: boolean, make(): Place }>}
 */
const PLACES = {
  temporary: {
    about: "in the directory for temporary files",
    make: () => ({ clone: join(scratch(tmpdir()), "clone") }),
  },
  home: {
    about: "in a private home directory",
    make: () => ({ clone: join(scratch(homedir()), "clone") }), // mkdtemp makes it with mode 0700
  },
  odd: {
    about: "in a path with spaces and other characters",
    make: () => ({ clone: join(opened(scratch("/var/tmp")), "Prüfung 測試 #1 (clone)") }),
  },
  link: {
    about: "through a symbolic link",
    make() {
      const directory = opened(scratch("/var/tmp"));
      const place = { clone: join(directory, "real", "clone"), start: join(directory, "link", "clone") };
      mkdirSync(join(directory, "real"));
      symlinkSync("real", join(directory, "link"));
      return place;
    },
  },
  tmpdir: {
    about: "with a private TMPDIR",
    make() {
      const TMPDIR = join(scratch("/var/tmp"), "temporary files");
      mkdirSync(TMPDIR);
      return { clone: join(opened(scratch("/var/tmp")), "clone"), env: { TMPDIR } };
    },
  },
  user: {
    about: "as an ordinary user",
    needsRoot: true,
    make() {
      command("useradd", ["--create-home", USER]);
      const home = join(homeOf(USER), "clone");
      return { clone: home, user: USER, env: { HOME: homeOf(USER), USER, LOGNAME: USER } };
    },
  },
};

const made = [];
const { values, positionals } = readOptions();
const words = positionals.length > 0 ? positionals : SENSITIVE;
const total = { passed: 0, failed: 0, skipped: 0 };

await ensureInstalled();
process.once("SIGINT", () => process.exit(130)); // so that the places are removed
process.on("exit", removePlaces);
for (const name of values.only?.split(",") ?? Object.keys(PLACES)) run(name);
console.log(`\n${describeCounts(total)}`);
process.exitCode = total.failed === 0 ? 0 : 1;

function readOptions() {
  const options = { only: { type: "string" }, keep: { type: "boolean" }, help: { type: "boolean" } };
  const list = Object.entries(PLACES).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`);
  const help = [
    "node scripts/testing/places.mjs [--only PLACE,…] [--keep] [word in the path of a test file …]",
    "",
    "Places:",
    ...list,
  ].join("\n");
  try {
    const read = parseArgs({ options, allowPositionals: true });
    const unknown = (read.values.only?.split(",") ?? []).find((name) => !Object.hasOwn(PLACES, name));
    if (unknown !== undefined) throw new Error(`Unknown place "${unknown}".`);
    if (read.values.help) {
      console.log(help);
      process.exit(0);
    }
    return read;
  } catch (error) {
    console.error(`${error.message}\n\n${help}`);
    process.exit(2);
  }
}

function run(name) {
  const { about, needsRoot, make } = PLACES[name];
  const title = `${name.padEnd(10)} ${about}`.padEnd(56);
  if (needsRoot && process.getuid?.() !== 0) return console.log(`${title} SKIPPED: needs root`);
  const startedAt = performance.now();
  const { counts, failures, skipped } = attempt(make);
  for (const kind of Object.keys(total)) total[kind] += counts[kind];
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${title} ${describeCounts(counts).padEnd(36)} ${seconds.padStart(5)} s`);
  for (const [reason, count] of skipped) console.log(`  skipped ${count}: ${reason}`);
  for (const failure of failures)
    console.log(`  FAILED ${label(failure)}\n${failure.text.replace(/^(?=.)/gm, "    ")}`);
}

function attempt(make) {
  try {
    const place = make();
    if (place.user !== undefined) made.push({ user: place.user });
    clone(place);
    return test(place);
  } catch (error) {
    const failure = { file: "", name: "the place could not be set up", text: error.message };
    return { counts: { passed: 0, failed: 1, skipped: 0 }, failures: [failure], skipped: [] };
  }
}

/** The committed state, with the dependencies of this checkout. */
function clone({ clone: target, user }) {
  // Without hard links between the repositories, because another user becomes the owner of one of them.
  command("git", ["clone", "--quiet", "--no-hardlinks", root, target]);
  const modules = join(target, "node_modules");
  const copies = user === undefined ? ["-al", "-a"] : ["-a"];
  if (!copies.some((options) => tryCommand("cp", [options, join(root, "node_modules"), modules]))) {
    throw new Error(`node_modules could not be copied to ${modules}`);
  }
  // Written in place, and therefore not shared: npm's list of installed packages, and caches of tests and tools.
  const [list, cache] = [".package-lock.json", ".cache"];
  for (const path of [list, cache]) rmSync(join(modules, path), { recursive: true, force: true });
  command("cp", ["-a", join(root, "node_modules", list), modules]);
  mkdirSync(join(modules, cache));
  for (const name of ["pintle-mcp-official", "pintle-public-extensions", "pintle-pydantic", "pintle-websockets"]) {
    const installed = join(root, "node_modules", cache, name);
    if (existsSync(installed)) command("cp", ["-a", installed, join(modules, cache)]);
  }
  if (user !== undefined) command("chown", ["-R", `${user}:${user}`, target]);
}

function test({ clone: target, start = target, env = {}, user }) {
  const as = user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups"];
  const script = join(start, "scripts/testing/test-here.mjs");
  const [program, ...args] = [...as, process.execPath, script, ...words];
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: start,
    env: { ...process.env, PWD: start, ...env },
    encoding: "utf8",
    maxBuffer: 1 << 30,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw error ?? new Error(`${script} ended with ${status}\n${stdout}\n${stderr}`);
  return JSON.parse(stdout.slice(stdout.lastIndexOf("\n{") + 1));
}

function scratch(directory) {
  const path = mkdtempSync(join(directory, "pintle-place-"));
  made.push({ path });
  return path;
}

/** Accessible to all users, as most directories are. */
function opened(directory) {
  chmodSync(directory, 0o755);
  return directory;
}

function removePlaces() {
  if (values.keep) return;
  for (const { path, user } of made) {
    if (user !== undefined) tryCommand("userdel", ["--remove", user]);
    else rmSync(path, { recursive: true, force: true });
  }
}

function homeOf(user) {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${user}:`));
  return line.split(":")[5];
}

function command(name, args) {
  const { status, stderr, error } = spawnSync(name, args, { encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(`${name} ${args.join(" ")} ended with ${status}: ${stderr}`);
}

function tryCommand(name, args) {
  return spawnSync(name, args, { stdio: "ignore" }).status === 0;
}
