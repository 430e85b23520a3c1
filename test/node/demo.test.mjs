import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/paths.mjs";

test("the demo shows all its steps and exits normally", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/demo.mjs")], {
    encoding: "utf8",
    timeout: 300_000,
  });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  const steps = [...stdout.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  assert.deepEqual(steps, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.match(stdout, /apply by the model/);
});
