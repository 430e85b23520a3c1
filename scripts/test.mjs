// All checks, in the order in which a mistake is cheapest to find. Ends with `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBun } from "./bun.mjs";
import { ensureBuilt, ensureInstalled } from "./ensure.mjs";
import { root } from "./paths.mjs";
import { ensureSystemTools } from "./system-tools.mjs";

const total = { passed: 0, failed: 0, skipped: 0 };
const bunFilter = process.argv.length > 2 ? process.argv.slice(2) : ["packages/"];
const scratch = mkdtempSync(join(tmpdir(), "pintle-test-"));

ensureInstalled();
const bin = (name) => join(root, "node_modules", ".bin", name);

check("format and lint", () => run(bin("biome"), ["ci", "--error-on-warnings", "."]));
check("types", () => run(bin("tsc"), ["-p", "tsconfig.json"]));
check("types of the pure packages", () => run(bin("tsc"), ["-p", "tsconfig.pure.json"]));
check("dead code", () => run(bin("knip"), ["--no-progress"]));
await checkAsync("build", async () => {
  await ensureBuilt();
  return true;
});
ensureSystemTools();
suite("tests under Bun", (report) =>
  run(findBun(), ["test", "--timeout", "60000", "--reporter=junit", `--reporter-outfile=${report}`, ...bunFilter]));
suite("tests under Node", (report) =>
  run(process.execPath, [
    "--test",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=junit",
    `--test-reporter-destination=${report}`,
    "test/node/",
  ]));

rmSync(scratch, { recursive: true, force: true });
const { passed, failed, skipped } = total;
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed === 0 ? 0 : 1);

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] }).status === 0;
}

function check(name, job) {
  console.log(`\n== ${name}`);
  count(name, job());
}

async function checkAsync(name, job) {
  console.log(`\n== ${name}`);
  count(name, await job().catch((error) => console.error(error.message)));
}

function count(name, ok) {
  if (ok) total.passed += 1;
  else {
    total.failed += 1;
    console.log(`FAILED: ${name}`);
  }
}

/** Counts the cases of a JUnit report; a runner that failed without a failing case (a crash) counts as one failure. */
function suite(name, job) {
  console.log(`\n== ${name}`);
  const report = join(scratch, `${name.replaceAll(" ", "-")}.xml`);
  const ok = job(report);
  const cases = parseReport(report);
  total.passed += cases.passed;
  total.failed += cases.failed + (!ok && cases.failed === 0 ? 1 : 0);
  total.skipped += cases.skipped;
  if (!ok) console.log(`FAILED: ${name}`);
}

function parseReport(path) {
  const cases = { passed: 0, failed: 0, skipped: 0 };
  let xml;
  try {
    xml = readFileSync(path, "utf8");
  } catch {
    return cases; // the runner died before it wrote a report; its exit status tells
  }
  for (const [, open, body = ""] of xml.matchAll(/<testcase\b[^>]*?(\/>|>([\s\S]*?)<\/testcase>)/g)) {
    if (open === "/>") cases.passed += 1;
    else if (/<(failure|error)\b/.test(body)) cases.failed += 1;
    else if (/<skipped\b/.test(body)) cases.skipped += 1;
    else cases.passed += 1;
  }
  return cases;
}
