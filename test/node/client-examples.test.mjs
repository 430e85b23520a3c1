// Every example runs as it stands, from any directory, with the offline model.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { dist, root } from "../../scripts/paths.mjs";

const place = mkdtempSync(join(tmpdir(), "pintle-examples-"));
writeFileSync(join(place, "a.txt"), "hello\n");
mkdirSync(join(place, "node_modules/@pintle"), { recursive: true });
symlinkSync(join(root, "packages/client"), join(place, "node_modules/@pintle/client"));
after(() => rmSync(place, { recursive: true, force: true }));

const env = { PATH: `${dist}:${process.env.PATH}`, HOME: place, PINTLE_HOME: join(place, ".pintle") };

async function run(command, ...args) {
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: place, env });
  assert.equal(stderr.replace(/^pintle: No model is configured.*\n/, ""), "");
  return stdout;
}

const example = (name, ...args) => run(process.execPath, join(root, "examples", `${name}.mjs`), ...args);

test("minimal", async () => {
  assert.match(await example("minimal"), /a\.txt/);
  assert.match(await example("minimal", "read a.txt"), /hello/);
});

test("streaming-ui", async () => {
  const output = await example("streaming-ui");
  assert.match(output, /\[ls \{\}\]\n\[ls done\]\n/);
  assert.match(output, /hello\n```\n\(stop\)\n$/);
});

test("host-tools", async () => {
  const output = await example("host-tools");
  assert.match(output, /12 pieces/);
  assert.match(output, /plum: .*There is no article plum/);
});

test("approve-previews", async () => {
  const output = await example("approve-previews");
  assert.match(output, /\+export function welcome/);
  assert.match(output, /In the file: export function welcome\(\) \{\}\n$/);
});

test("many-sessions", async () => {
  assert.equal(
    await example("many-sessions"),
    "ada is back with 4 messages\nwritten by ada\nwritten by bob\nwritten by cyd\n",
  );
});

const page = readFileSync(join(root, "docs/embedding.md"), "utf8");
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({ language, code }));

const RUNNERS = {
  js: (code) => {
    writeFileSync(join(place, "block.mjs"), code);
    return run(process.execPath, "block.mjs");
  },
  sh: (code) => run("sh", "-c", code),
  python: (code) => run("python3", "-c", code),
};

for (const [index, { language, code }] of blocks.entries()) {
  const runner = RUNNERS[language];
  if (!runner) continue;
  test(`docs/embedding.md, block ${index + 1} (${language})`, async () => {
    assert.match(await runner(code), /a\.txt/);
  });
}
