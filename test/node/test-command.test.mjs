// How `npm test` handles its runners: no failure is dropped, and every failure is reported in full.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { createReport } from "../../scripts/testing/report.mjs";
import { runTests } from "../../scripts/testing/run-tests.mjs";
import { findTestFiles, groupTestFiles } from "../../scripts/testing/test-files.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";

const directory = scratchPath();
const hasPython = spawnSync("python3", ["--version"]).status === 0;

const BUN = 'import { afterAll, describe, expect, test } from "bun:test";\n';
const NODE = 'import assert from "node:assert/strict";\nimport { describe, test } from "node:test";\n';

function run(name, source, options) {
  const file = join(directory, name);
  writeFileSync(file, source);
  const runner = { ts: "bun", mjs: "node", py: "python" }[name.split(".").at(-1)];
  return runTests({ name: "group", runner, files: [file] }, options);
}

test("Bun: passed, failed and skipped tests are counted, and a failure has its message and its output", async () => {
  const seen = [];
  const { counts, failures, skipped } = await run(
    "mixed.test.ts",
    `${BUN}describe("outer", () => {
      test.each(Array.from({ length: 50 }, (_, at) => at))("good %d", (at) => expect(at).toBe(at));
      test("bad", () => { console.log("printed before"); expect({ a: 1 }).toEqual({ a: 2 }); });
      test.skip("left out [no reason]", () => {});
      test("endless", () => new Promise(() => {}), 10);
    });`,
    { onFailure: ({ name }) => seen.push(name) },
  );
  assert.deepEqual(counts, { passed: 50, failed: 2, skipped: 1 });
  assert.deepEqual(seen, ["outer > bad", "outer > endless"]);
  assert.deepEqual(
    failures.map(({ name }) => name),
    seen,
  );
  assert.match(failures[0].text, /toEqual[\s\S]*-\s+"a": 2,[\s\S]*mixed\.test\.ts:4/);
  assert.match(failures[1].text, /timed out/);
  assert.equal(skipped[0].name, "outer > left out [no reason]");
  assert.match(skipped[0].file, /mixed\.test\.ts$/);
});

test("Bun: an error outside tests is a failure, also next to others", async () => {
  writeFileSync(join(directory, "module.ts"), "export {};\n");
  const load = await run("load.test.ts", `${BUN}import { nothing } from "./module.ts";\ntest("one", () => nothing());`);
  assert.equal(load.counts.failed, 1);
  assert.match(load.failures[0].text, /nothing/);
  const hook = await run(
    "hook.test.ts",
    `${BUN}test("bad", () => expect(1).toBe(2));
    test("good", () => { expect(1).toBe(1); setTimeout(() => { throw new Error("thrown late"); }, 1); });
    afterAll(async () => { await Bun.sleep(50); throw new Error("thrown by a hook"); });`,
  );
  assert.equal(hook.counts.passed, 1);
  assert.deepEqual(
    ["toBe", "thrown late", "thrown by a hook"].filter((text) => !hook.failures.some((one) => one.text.includes(text))),
    [],
  );
  assert.equal(hook.counts.failed, hook.failures.length);
});

test("Bun: a test without an assertion is a failure", async () => {
  const { counts, failures } = await run(
    "empty.test.ts",
    `${BUN}describe("a <b>", () => {
      test('says "so"', () => {});
      test("good", () => expect(1).toBe(1));
    });
    test.skip("left out", () => {});`,
  );
  assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 1 });
  assert.deepEqual(
    failures.map(({ name }) => name),
    ['a <b> > says "so"'],
  );
  assert.match(failures[0].file, /empty\.test\.ts$/);
});

test("Bun: a runner that dies is a failure with its last output", async () => {
  const { counts, failures } = await run(
    "crash.test.ts",
    `${BUN}test("good", () => expect(1).toBe(1));
    test("deadly", () => { console.error("last words"); process.kill(process.pid, "SIGSEGV"); for (;;); });
    test("never", () => {});`,
  );
  assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
  assert.match(failures[0].name, /SIGSEGV/);
  assert.match(failures[0].text, /\(pass\) good[\s\S]*last words/);
});

test("Bun: a stuck runner is killed, with everything it has started", async () => {
  const { counts, failures } = await run(
    "stuck.test.ts",
    `${BUN}test("stuck", () => {
      const { pid } = Bun.spawn(["sleep", "600"]);
      console.error("child " + pid + ".");
      for (;;);
    });`,
    { silenceMs: 3_000 },
  );
  assert.equal(counts.failed, 1);
  assert.match(failures[0].name, /without output/);
  const pid = Number(/child (\d+)\./.exec(failures[0].text)?.[1]);
  assert.ok(pid > 0);
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
});

test("Node: the same", async () => {
  const { counts, failures, skipped } = await run(
    "mixed.test.mjs",
    `${NODE}describe("outer", () => {
      test("good", () => {});
      test("bad", () => assert.deepEqual({ a: 1 }, { a: 2 }));
      test("left out", { skip: "for a reason" }, () => {});
    });`,
  );
  assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 1 });
  assert.match(failures[0].text, /deep-equal[\s\S]*mixed\.test\.mjs:5/);
  assert.equal(skipped[0].name, "left out [for a reason]");
  const dead = await run("dead.test.mjs", `${NODE}test("deadly", () => process.exit(7));`);
  assert.equal(dead.counts.failed, 1);
});

test("Python: the same", { skip: hasPython ? false : "python3 is not installed" }, async () => {
  const { counts, failures, skipped } = await run(
    "test_mixed.py",
    `import unittest
class Mixed(unittest.IsolatedAsyncioTestCase):
    async def test_good(self):
        self.assertEqual(1, 1)
    def test_bad(self):
        self.assertEqual({"a": 1}, {"a": 2})
    def test_parts(self):
        for number in range(3):
            with self.subTest(number):
                self.assertEqual(number, 1)
    @unittest.skip("for a reason")
    def test_left_out(self):
        pass
`,
  );
  assert.deepEqual(counts, { passed: 1, failed: 2, skipped: 1 });
  assert.match(failures[0].text, /test_mixed\.py", line 6[\s\S]*AssertionError/);
  assert.equal(skipped[0].name, "Mixed.test_left_out [for a reason]");
  const unreadable = await run("test_unreadable.py", "def broken(:\n");
  assert.equal(unreadable.counts.failed, 1);
  assert.match(unreadable.failures[0].text, /SyntaxError/);
  const dead = await run(
    "test_dead.py",
    "import os, unittest\nclass Dead(unittest.TestCase):\n    def test_deadly(self):\n        os._exit(7)\n",
  );
  assert.equal(dead.counts.failed, 1);
});

test("a signal ends every child, and then the command", async () => {
  const script = join(directory, "two-children.mjs");
  const child = new URL("../../scripts/child.mjs", import.meta.url).href;
  // One that ends with the signal, and one that does not, each with a child of its own.
  const stubborn = "trap '' INT; sleep 600 & echo $!; while :; do sleep 1; done";
  writeFileSync(
    script,
    `import { runChild } from ${JSON.stringify(child)};
    const onLine = (line) => console.log(line);
    runChild("sh", ["-c", "echo $$; sleep 600"], { onLine })
      .then(() => runChild("sh", ["-c", "echo started after the signal"], { onLine }));
    runChild("sh", ["-c", ${JSON.stringify(stubborn)}], { onLine });`,
  );
  const command = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const pids = [];
  for await (const line of createInterface({ input: command.stdout })) {
    pids.push(Number(line));
    if (pids.length === 2) command.kill("SIGINT");
  }
  const code = await new Promise((resolve) =>
    command.exitCode === null ? command.on("exit", resolve) : resolve(command.exitCode),
  );
  assert.equal(code, 130);
  assert.equal(pids.length, 2);
  for (const pid of pids) while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
});

test("every test file is in one group, and words select among them", () => {
  const all = findTestFiles([]);
  const groups = groupTestFiles(all);
  assert.deepEqual(groups.flatMap(({ files }) => files).sort(), all);
  assert.equal(new Set(groups.map(({ name }) => name)).size, groups.length);
  const some = findTestFiles(["packages/ai", "test/node/client"]);
  assert.ok(some.every((path) => /^packages\/ai\/|^test\/node\/client/.test(path)));
  assert.deepEqual(
    groupTestFiles(some).map(({ name, runner }) => [name, runner]),
    [
      ["ai", "bun"],
      ["node", "node"],
    ],
  );
  assert.deepEqual(findTestFiles(["no such path"]), []);
});

test("the report: a line per group, failures with their message, the slowest groups, skips by reason, and the totals", () => {
  const lines = [];
  const report = createReport({ log: (line) => lines.push(...line.split("\n")) });
  report.check("types", { ok: false, seconds: 1, text: "x.ts: wrong" });
  report.tests("ai", {
    counts: { passed: 3, failed: 1, skipped: 1 },
    failures: [{ file: "a.test.ts", name: "bad", text: "expected 1\nbut was 2" }],
    skipped: [{ file: "a.test.ts", name: "other [needs root]" }],
    seconds: 2,
  });
  assert.equal(report.end({ busyProcessors: 1.26 }), false);
  assert.deepEqual(
    lines.map((line) =>
      line
        .replace(/ {2,}/g, "  ")
        .replace(/ of \d+/, " of N")
        .trimEnd(),
    ),
    [
      "types  FAILED  1.0 s",
      "ai  3 passed, 1 failed, 1 skipped  2.0 s",
      "",
      "FAILED types",
      "  x.ts: wrong",
      "",
      "FAILED a.test.ts: bad",
      "  expected 1",
      "  but was 2",
      "",
      "Slowest:",
      "  ai  2.0 s",
      "  types  1.0 s",
      "",
      "1.3 of N processors were busy on average",
      "",
      "Skipped:",
      "  needs root: 1 test (a.test.ts)",
      "",
      "3 passed, 2 failed, 1 skipped",
    ],
  );
});

/** An ended process that its parent has not reaped does not count as running. */
function isRunning(pid) {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}
