// Every example runs unchanged, from any directory, with the offline model.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { dist, root } from "../../scripts/paths.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";

const place = scratchPath();
writeFileSync(join(place, "a.txt"), "hello\n");
mkdirSync(join(place, "node_modules/@pintle"), { recursive: true });
symlinkSync(join(root, "packages/client"), join(place, "node_modules/@pintle/client"));
symlinkSync(dist, join(place, "dist"));
mkdirSync(join(place, "src"));

const env = { PATH: `${dist}:${process.env.PATH}`, HOME: place, PINTLE_HOME: join(place, ".pintle") };

async function run(command, ...args) {
  const running = promisify(execFile)(command, args, { cwd: place, env });
  running.child.stdin.end(); // `pintle -p` reads its piped input
  const { stdout, stderr } = await running;
  assert.equal(stderr.replace(/^pintle: (No model is configured|session ).*\n/gm, ""), "");
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

test("acp-client", async () => {
  const output = await example("acp-client", "read a.txt", "--permissions", "ask");
  assert.match(output, /\[Read a\.txt: in_progress\]/);
  assert.match(output, /hello\n```\n*\(end_turn\)\n$/);
});

// Commands that start the program and need no key; the lines with npm run these tests.
const commands = readFileSync(join(root, "README.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("dist/pintle"))
  .map((line) => line.replace(/\s+#.*$/, ""))
  // These need a terminal or run until they are stopped; other tests start them.
  .filter((line) => !/^dist\/pintle( web| serve .*)?$/.test(line));

test("README.md: the commands to try", async () => {
  assert.ok(commands.length >= 3);
  for (const command of commands) assert.notEqual(await run("sh", "-c", command), "");
});

test("trace-view", async () => {
  const viewer = spawn(process.execPath, [join(root, "examples/trace-view.mjs"), "0"], { cwd: place });
  const shown = { text: "" };
  viewer.stdout.on("data", (chunk) => {
    shown.text += chunk;
  });
  const seen = async (pattern) => {
    while (!pattern.test(shown.text)) await once(viewer.stdout, "data");
    return pattern.exec(shown.text);
  };
  try {
    const [address] = await seen(/http:\S+/);
    const traced = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: address };
    const running = promisify(execFile)(join(dist, "pintle"), ["-p", "list files", "--model", "pintle/offline"], {
      cwd: place,
      env: traced,
    });
    running.child.stdin.end();
    await running;
    await seen(/invoke_agent pintle .*\n {2}chat offline .*\n {2}execute_tool ls .*\n {2}chat offline/);
  } finally {
    viewer.kill();
  }
});
