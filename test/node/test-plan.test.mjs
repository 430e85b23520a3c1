// How `npm test` decides what runs, when, and in which process.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import { root } from "../../scripts/paths.mjs";
import { SMOKE, selectTests } from "../../scripts/testing/changed.mjs";
import { updateDurations } from "../../scripts/testing/durations.mjs";
import { dependentsOf, importGraph } from "../../scripts/testing/import-graph.mjs";
import { parseOptions } from "../../scripts/testing/options.mjs";
import { lastPassed } from "../../scripts/testing/passed.mjs";
import { runPool, startOrder } from "../../scripts/testing/pool.mjs";
import { divide, mergeResults } from "../../scripts/testing/shards.mjs";
import { describeSkips } from "../../scripts/testing/skips.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";

describe("the command line", () => {
  test("accepts words and options in any order", () => {
    const { words, changed, base, jobs } = parseOptions([
      "packages/ai",
      "--changed",
      "--base",
      "HEAD~3",
      "--jobs",
      "3",
    ]);
    assert.deepEqual(
      { words, changed, base, jobs },
      { words: ["packages/ai"], changed: true, base: "HEAD~3", jobs: 3 },
    );
    assert.equal(parseOptions([]).jobs, undefined);
    assert.equal(parseOptions(["--record"]).jobs, 1);
  });

  for (const args of [["--chnaged"], ["--jobs", "0"], ["--jobs", "two"], ["--jobs"], ["--base", "HEAD"]])
    test(`refuses ${args.join(" ")}`, () => assert.throws(() => parseOptions(args)));
});

describe("the pool", () => {
  /** Jobs that end when the test says so. */
  function controlled(jobs) {
    const log = [];
    const ends = new Map();
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
    return {
      log,
      jobs: jobs.map((job) => ({
        ...job,
        run() {
          log.push(`+${job.name}`);
          return new Promise((resolve) => ends.set(job.name, resolve));
        },
      })),
      /** Ends jobs, each as soon as it has started. */
      async end(...names) {
        for (const name of names) {
          while (!ends.has(name)) await pause();
          log.push(`-${name}`);
          ends.get(name)();
        }
      },
      async started(name) {
        while (!ends.has(name)) await pause();
      },
      /** For what must not happen. */
      settle: () => new Promise((resolve) => setTimeout(resolve, 30)),
    };
  }
  const busy = { idleProcessors: () => 0, settleMs: 5 };

  test("starts urgent jobs first, then the longest, and quiet ones last", () => {
    const jobs = [
      { name: "short", seconds: 1 },
      { name: "quiet", seconds: 99, isQuiet: true },
      { name: "long", seconds: 50 },
      { name: "urgent", seconds: 2, isUrgent: true },
    ];
    assert.deepEqual(
      startOrder(jobs).map(({ name }) => name),
      ["urgent", "long", "short", "quiet"],
    );
  });

  test("runs no more jobs than slots while the processors are busy", async () => {
    const { jobs, log, settle, end, started } = controlled(
      ["a", "b", "c"].map((name, at) => ({ name, seconds: 9 - at })),
    );
    const done = runPool(jobs, { slots: 2, most: 4, ...busy });
    await started("b");
    await settle();
    assert.deepEqual(log, ["+a", "+b"]);
    await end("b", "c", "a");
    await done;
    assert.deepEqual(log, ["+a", "+b", "-b", "+c", "-c", "-a"]);
  });

  test("runs more jobs while a processor is idle, up to a limit", async () => {
    const { jobs, log, settle, end, started } = controlled(
      ["a", "b", "c", "d"].map((name, at) => ({ name, seconds: 9 - at })),
    );
    const done = runPool(jobs, { slots: 1, most: 3, idleProcessors: () => 1, settleMs: 1 });
    await started("c");
    await settle();
    assert.deepEqual(log, ["+a", "+b", "+c"]);
    await end("a", "d", "b", "c");
    await done;
  });

  test("starts a job after those that it needs", async () => {
    const { jobs, log, end, settle } = controlled([
      { name: "test", seconds: 9, needs: ["build", "tools"] },
      { name: "build", seconds: 2 },
      { name: "tools", seconds: 1 },
    ]);
    const done = runPool(jobs, { slots: 3, ...busy });
    await end("build");
    await settle();
    assert.deepEqual(log, ["+build", "+tools", "-build"]);
    await end("tools", "test");
    await done;
    assert.deepEqual(log.slice(3), ["-tools", "+test", "-test"]);
  });

  test("runs a quiet job alone", async () => {
    const { jobs, log, end } = controlled([
      { name: "q1", seconds: 9, isQuiet: true },
      { name: "q2", seconds: 8, isQuiet: true },
      { name: "a", seconds: 1 },
    ]);
    const done = runPool(jobs, { slots: 3, ...busy });
    await end("a", "q1", "q2");
    await done;
    assert.deepEqual(log, ["+a", "-a", "+q1", "-q1", "+q2", "-q2"]);
  });

  test("refuses needs that cannot be met, and passes on what a job throws", async () => {
    const run = async () => {};
    await assert.rejects(runPool([{ name: "a", seconds: 1, needs: ["b"], run }]), /Unknown job b/);
    const circle = [
      { name: "a", seconds: 1, needs: ["b"], run },
      { name: "b", seconds: 1, needs: ["a"], run },
    ];
    await assert.rejects(runPool(circle), /wait for each other: a, b/);
    const broken = { name: "a", seconds: 1, run: () => Promise.reject(new Error("broken")) };
    await assert.rejects(runPool([broken]), /broken/);
  });
});

describe("parts of a group", () => {
  const durations = { a: 40, b: 20, c: 20, d: 10 };

  test("have every file once and about the same duration", () => {
    const parts = divide({ files: ["a", "b", "c", "d", "e"] }, durations, 50);
    assert.deepEqual(
      parts.map(({ files }) => files),
      [
        ["a", "d"],
        ["b", "c", "e"],
      ],
    );
    assert.deepEqual(parts.flatMap(({ files }) => files).sort(), ["a", "b", "c", "d", "e"]);
  });

  test("a short group and one that shares its set-up stay whole, and a file is never divided", () => {
    assert.equal(divide({ files: ["a", "b", "c"], isWhole: true }, durations, 5).length, 1);
    assert.equal(divide({ files: ["d", "x", "y"] }, durations, 45).length, 1);
    assert.deepEqual(
      divide({ files: ["a"] }, durations, 5).map(({ files }) => files),
      [["a"]],
    );
  });

  test("count as one group", () => {
    const part = (passed, failed) => ({
      counts: { passed, failed, skipped: 1 },
      failures: failed > 0 ? [{ file: "f", name: "n", text: "t" }] : [],
      skipped: [{ file: "f", name: `s${passed}` }],
      seconds: 2,
    });
    assert.deepEqual(mergeResults([part(3, 0), part(4, 1)]), {
      counts: { passed: 7, failed: 1, skipped: 2 },
      failures: [{ file: "f", name: "n", text: "t" }],
      skipped: [
        { file: "f", name: "s3" },
        { file: "f", name: "s4" },
      ],
      seconds: 4,
    });
  });
});

test("recorded durations forget short files and files that are gone", () => {
  const before = { "gone.test.ts": 9, "kept.test.ts": 4, "faster.test.ts": 7 };
  const measured = { "faster.test.ts": 0.2, "new.test.ts": 2.6 };
  const files = ["new.test.ts", "kept.test.ts", "faster.test.ts"];
  assert.deepEqual(updateDurations(before, measured, files), { "kept.test.ts": 4, "new.test.ts": 3 });
});

test("a check that has passed is current until one of its inputs changes", () => {
  const directory = scratchPath();
  try {
    const [stamp, input] = [join(directory, "kept/stamp"), relative(root, join(directory, "input"))];
    const isCurrent = () => lastPassed(stamp, [input]).isCurrent;
    mkdirSync(join(root, input));
    writeFileSync(join(root, input, "a.py"), "1");
    assert.equal(isCurrent(), false);
    lastPassed(stamp, [input]).keep();
    assert.equal(isCurrent(), true);
    writeFileSync(join(root, input, "a.py"), "2");
    assert.equal(isCurrent(), false);
    writeFileSync(join(root, input, "a.py"), "1");
    writeFileSync(join(root, input, "b.py"), "");
    assert.equal(isCurrent(), false);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("skips are counted per reason, the most frequent first", () => {
  const skipped = [
    { file: "p/a.test.ts", name: "outer [needs root] > keeps the owner" },
    { file: "p/b.test.ts", name: "mounts [1] [needs root]" },
    { file: "p/c.test.ts", name: "is root [needs root]" },
    { file: "p/a.test.ts", name: "fish completes [needs fish]" },
    { file: "p/a.test.ts", name: "someday" },
  ];
  assert.deepEqual(describeSkips(skipped), [
    "needs root: 3 tests (a.test.ts, b.test.ts and 1 more)",
    "needs fish: 1 test (a.test.ts)",
    "without a reason: 1 test (a.test.ts)",
  ]);
});

describe("what a change can affect", () => {
  const repository = {
    "packages/one/package.json": JSON.stringify({ name: "@p/one", exports: { ".": "./src/index.ts" } }),
    "packages/one/src/index.ts":
      '// What others may use.\nexport { a } from "./a.ts";\nexport { b, type B } from "./b.ts";\n',
    "packages/one/src/a.ts": "export const a = 1;\n",
    "packages/one/src/b.ts": 'import type { T } from "./types.ts";\nexport const b: T = 1;\n',
    "packages/one/src/types.ts": "export type T = number;\n",
    "packages/two/src/tools/user.ts": 'import { a } from "@p/one";\nexport const c = a;\n',
    "packages/two/src/lazy.ts": 'export const load = () => import("./tools/user.ts");\n',
    "packages/one/test/b.test.ts": 'import { b } from "@p/one";\n',
    "packages/two/test/lazy.test.ts": 'import { load } from "../src/lazy.ts";\n',
    "packages/two/test/fixtures/deep/data.json": "{}\n",
    "packages/two/test/data.test.ts": 'const folder = join(import.meta.dir, "./fixtures");\n',
    "packages/two/test/scenarios/tools.test.ts": 'import { program } from "../support.ts";\n',
    "packages/two/test/scenarios/other.test.ts": 'import { program } from "../support.ts";\n',
    "packages/two/test/support.ts": 'export const program = resolve(import.meta.dir, "../../../dist/pintle");\n',
    "scripts/pack.mjs": 'run("build", "packages/one/src/index.ts");\n',
    "test/install/use.test.mjs": 'import { a } from "@p/one";\n',
    "python/client/core.py": "X = 1\n",
    "python/client/__init__.py": "from .core import X\n",
    "python/test/test_core.py": "from client import X\n",
  };
  const files = Object.keys(repository);
  const graph = importGraph({ files, read: (file) => repository[file] });
  const tests = files.filter((file) => /\.test\.ts$|test_\w+\.py$/.test(file));
  const affected = (...changed) => selectTests(changed, tests, graph).map((file) => file.split("/").slice(2).join("/"));

  test("a module affects those that import what it exports, through a barrel and by a dynamic import", () => {
    assert.deepEqual(affected("packages/one/src/b.ts"), ["test/b.test.ts"]);
    assert.deepEqual(affected("packages/one/src/a.ts"), ["test/lazy.test.ts"]);
  });

  test("types affect no test: the compiler checks them", () => {
    assert.deepEqual(affected("packages/one/src/types.ts"), []);
    assert.ok(!dependentsOf(graph, ["packages/one/src/types.ts"]).has("packages/one/src/b.ts"));
  });

  test("a test file affects itself, and a fixture the tests that name its folder", () => {
    assert.deepEqual(affected("packages/one/test/b.test.ts"), ["test/b.test.ts"]);
    assert.deepEqual(affected("packages/two/test/fixtures/deep/data.json"), ["test/data.test.ts"]);
  });

  test("a source also affects the tests of the built program that carry its name", () => {
    assert.deepEqual(affected("packages/two/src/tools/user.ts"), ["test/lazy.test.ts", "test/scenarios/tools.test.ts"]);
  });

  test("a source of the page affects the tests in the browser", () => {
    const inBrowser = "packages/coding-agent/test/browser/a.test.ts";
    assert.deepEqual(selectTests(["packages/page/src/style/page.css"], [...tests, inBrowser], graph), [inBrowser]);
  });

  test("what scripts pack and plain JavaScript imports is the build, not each source", () => {
    assert.deepEqual([...graph.get("scripts/pack.mjs")], ["dist"]);
    assert.deepEqual([...graph.get("test/install/use.test.mjs")], ["dist"]);
  });

  test("a Python module affects those that import it", () => {
    assert.deepEqual(affected("python/client/core.py"), ["test_core.py"]);
  });

  test("a change of what every test uses affects all, and one of a document none", () => {
    assert.deepEqual(selectTests(["package-lock.json"], tests, graph), tests);
    assert.deepEqual(affected("docs/page.md"), []);
  });

  test("the tests that every change of a source runs exist", () => {
    assert.deepEqual(
      SMOKE.filter((file) => !existsSync(join(root, file))),
      [],
    );
  });
});
