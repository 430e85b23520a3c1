// scripts/testing/places.mjs without creating a place: a run takes minutes and is started by hand.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/paths.mjs";

const run = (script, ...args) =>
  spawnSync(process.execPath, [join(root, "scripts/testing", script), ...args], { encoding: "utf8" });

test("an unknown place is refused with the list", () => {
  const { status, stdout, stderr } = run("places.mjs", "--only", "home,nowhere");
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^Unknown place "nowhere"\.\n/);
  for (const name of ["temporary", "home", "odd", "link", "tmpdir", "user"])
    assert.match(stderr, new RegExp(`^ {2}${name} `, "m"));
});

test("words that match no test file are a failure, not a success without tests", () => {
  const { status, stdout } = run("test-here.mjs", "no-such-test-file");
  assert.equal(status, 0);
  const { counts, failures } = JSON.parse(stdout.trimEnd().split("\n").at(-1));
  assert.deepEqual(counts, { passed: 0, failed: 1, skipped: 0 });
  assert.match(failures[0].text, /^No test file has no-such-test-file in its path/);
});

test("the results of the tests are the last line", () => {
  const { stdout } = run("test-here.mjs", "ai/test/foundation/cut-text");
  const { counts, failures } = JSON.parse(stdout.trimEnd().split("\n").at(-1));
  assert.deepEqual([counts.failed, failures], [0, []]);
  assert.ok(counts.passed > 0);
});
