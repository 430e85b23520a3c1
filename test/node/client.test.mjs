// The client as Node users get it: the built package, against the built program and against faulty servers.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as wholeClient from "@pintle/client";
import * as core from "@pintle/client/core";
import { program } from "../../scripts/paths.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";

const { RpcClient, RpcClosedError, RpcCommandError, RpcTimeoutError } = wholeClient;
const home = scratchPath();
const env = { HOME: home, PINTLE_HOME: join(home, ".pintle") };
const fakeServer = fileURLToPath(new URL("../../packages/client/test/support/fake-server.mjs", import.meta.url));
const clients = [];

function offline(options = {}) {
  const client = new RpcClient({ command: [program], model: "pintle/offline", cwd: home, env, ...options });
  clients.push(client);
  return client;
}

function fake(behaviour, options = {}) {
  const client = new RpcClient({ command: [process.execPath, fakeServer, behaviour], stopGraceMs: 5000, ...options });
  clients.push(client);
  return client;
}

afterEach(() => Promise.all(clients.splice(0).map((client) => client.stop())));

test("a run streams, in delta mode with the message so far", async () => {
  const client = offline({ updateMode: "delta" });
  assert.equal((await client.start()).type, "ready");
  const run = client.run("help");
  let streamed = "";
  let lastText = "";
  for await (const event of run) {
    if (event.type !== "message_update") continue;
    streamed += event.assistantMessageEvent.delta ?? "";
    lastText = event.message.content.map(({ text }) => text).join("");
  }
  const { text, stopReason } = await run.result;
  assert.deepEqual([streamed, lastText, stopReason], [text, text, "stop"]);
  await client.waitForIdle();
});

test("both entries export the same values, and errors under their own names", () => {
  const all = new Map(Object.entries(wholeClient));
  for (const [name, value] of Object.entries(core)) {
    assert.equal(all.get(name), value);
    if (value.prototype instanceof Error) assert.equal(value.name, name); // shown to users
  }
  assert.ok("RpcCore" in core && all.has("RpcClient") && !("RpcClient" in core));
});

test("commands answer and fail", async () => {
  const client = offline();
  await client.start();
  assert.equal((await client.bash("echo hi")).output, "hi\n");
  await assert.rejects(client.setModel("pintle", "none"), (error) => {
    assert.ok(error instanceof RpcCommandError);
    assert.equal(error.code, "not_found");
    return true;
  });
});

test("a host tool runs with progress, and is cancelled with the run", async () => {
  let called;
  const wasCalled = new Promise((resolve) => {
    called = resolve;
  });
  const tool = (name, execute) => ({ name, description: "d", parameters: { type: "object" }, execute });
  const client = offline({
    customTools: [
      tool("quick", (_args, { sendUpdate }) => {
        sendUpdate("half");
        return "whole";
      }),
      tool("endless", (_args, { signal }) => {
        called(signal);
        return new Promise(() => {});
      }),
    ],
  });
  await client.start();
  const progress = [];
  client.on("tool_execution_update", ({ partialResult }) => progress.push(partialResult.content[0].text));
  assert.match((await client.promptAndWait("call quick {}")).text, /whole/);
  assert.deepEqual(progress, ["half"]);
  const controller = new AbortController();
  const run = client.run("call endless {}", { signal: controller.signal });
  const signal = await wasCalled;
  controller.abort(new Error("enough"));
  assert.equal((await run.result).status, "aborted");
  assert.equal(signal.aborted, true);
});

test("previews are decided here", async () => {
  const client = offline();
  const file = join(home, "greet.ts");
  writeFileSync(file, "export function greet() {}\n");
  client.onPreview(() => "apply");
  await client.start();
  await client.promptAndWait("rename greet to welcome");
  assert.equal(readFileSync(file, "utf8"), "export function welcome() {}\n");
});

test("restart continues the session", async () => {
  const client = offline();
  await client.start();
  await client.promptAndWait("list");
  const { sessionId, messageCount } = await client.getState();
  await client.restart();
  const state = await client.getState();
  assert.deepEqual([state.sessionId, state.messageCount], [sessionId, messageCount]);
});

test("a server that dies rejects everything with its exit code and the end of stderr", async () => {
  const client = fake("dies-in-mid-line", { stderrLimit: 50 });
  await client.start();
  const outcomes = await Promise.allSettled([client.getState(), client.run("x").result, client.events().next()]);
  for (const { reason } of outcomes) {
    assert.ok(reason instanceof RpcClosedError);
    assert.equal(reason.code, 4);
    assert.match(reason.stderr, /^x+\nout of memory\n$/);
  }
});

test("a server that dies during a write does not crash the host", async () => {
  const client = fake("dies-at-once");
  await client.start();
  const image = { type: "image", data: "A".repeat(8 * 1024 * 1024), mimeType: "image/png" };
  await assert.rejects(client.promptAndWait("look", { images: [image] }), (error) => error.code === 6);
});

test("servers that do not start", async () => {
  await assert.rejects(fake("dies-early").start(), /exited with code 3\nbad config/);
  await assert.rejects(fake("silent", { readyTimeoutMs: 300 }).start(), (error) => error instanceof RpcTimeoutError);
  await assert.rejects(fake("", { command: ["/no/such/program"] }).start(), /could not be started/);
});

test("garbage is skipped, answers in any order are matched, 64 MB in one line arrive", async () => {
  const noisy = fake("garbage");
  const lines = [];
  noisy.onProtocolError(({ line }) => lines.push(line));
  await noisy.start();
  await noisy.getState();
  assert.equal(lines.length, 3);
  const mixed = fake("out-of-order");
  await mixed.start();
  const answers = await Promise.all(["a", "b"].map((message) => mixed.steer(message)));
  assert.deepEqual(answers, [{ message: "a" }, { message: "b" }]);
  const huge = fake("huge");
  await huge.start();
  assert.equal((await huge.getLastAssistantText()).text.length, 32 * 1024 * 1024);
});

test("64 MB are written through a full pipe", async () => {
  const client = fake("counts");
  await client.start();
  const image = { type: "image", data: "A".repeat(64 * 1024 * 1024), mimeType: "image/png" };
  const outcome = client.run("look", { images: [image] }).result.catch((error) => error);
  for await (const event of client.events()) if (Number(event.message) > image.data.length) break;
  await client.stop();
  assert.ok((await outcome) instanceof RpcClosedError);
});

test("stop ends every server, by force if necessary", async () => {
  const ends = {
    normal: { code: 0, signal: null },
    deaf: { code: null, signal: "SIGTERM" },
    stubborn: { code: null, signal: "SIGKILL" },
  };
  for (const [behaviour, end] of Object.entries(ends)) {
    const client = fake(behaviour, behaviour === "normal" ? {} : { stopGraceMs: 300 });
    await client.start();
    await client.stop();
    assert.deepEqual(await client.exited, end);
  }
});

async function openResources() {
  // Node itself closes a handle one turn after its end.
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return process.getActiveResourcesInfo();
}

test("nothing is left after stop: no timer, no pipe, no process", async () => {
  const before = await openResources();
  for (const behaviour of ["normal", "dies-in-mid-line", "silent"]) {
    const client = fake(behaviour, behaviour === "silent" ? { readyTimeoutMs: 300 } : {});
    await client.start().catch(() => {});
    client.events();
    const outcomes = Promise.allSettled([client.getState(), client.run("x").result, client.waitForIdle()]);
    await client.stop();
    await outcomes;
  }
  assert.deepEqual(await openResources(), before);
});

test("a program that uses it ends by itself, whatever happened to the server", async () => {
  const script = `
    import { RpcClient } from "@pintle/client";
    const [program, fakeServer] = process.argv.slice(1);
    const offline = new RpcClient({ command: [program], model: "pintle/offline" });
    offline.onEvent(() => {});
    offline.events();
    await offline.start();
    const { text } = await offline.promptAndWait("help");
    await offline.stop();
    const fake = (behaviour, options) =>
      new RpcClient({ command: [process.execPath, fakeServer, behaviour], ...options });
    await fake("dies-early").start().catch(() => {});
    await fake("silent", { readyTimeoutMs: 300 }).start().catch(() => {});
    const dying = fake("dies-in-mid-line");
    await dying.start();
    await dying.getState().catch(() => {});
    console.log(text.length > 0);`;
  const args = ["--input-type=module", "-e", script, program, fakeServer];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, ...env },
  });
  assert.equal(stdout, "true\n");
});
