import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { TestCluster } from "../support/cluster/cluster.ts";
import type { Frame, RecordingHost } from "../support/cluster/recording-host.ts";

const isType = (type: string) => (frame: Frame) => frame.type === type;

async function hostOf(cluster: TestCluster, index: number, name = `h${index}`): Promise<RecordingHost> {
  const host = cluster.host(name);
  await host.connect(cluster.members[index]!.node.port);
  return host;
}

const open = async (host: RecordingHost, fields: object = {}) =>
  (await host.ask<{ sessionId: string }>({ type: "open_session", model: "pintle/offline", ...fields })).sessionId;

async function nodeOf(host: RecordingHost, sessionId: string): Promise<unknown> {
  const { sessions } = await host.ask<{ sessions: Frame[] }>({ type: "list_sessions" });
  return sessions.find((row) => row.sessionId === sessionId)?.node;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await Bun.sleep(20);
}

const lines = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);

test("a full node passes on new and stored sessions; busy means that all nodes are full", async () => {
  await using cluster = await TestCluster.start({
    nodes: 2,
    hasSmallDisk: false,
    hasWitness: false,
    settings: { "serve.maxWorkers": 1, "serve.leaseMs": 15_000 },
  });
  const gate = join(cluster.root, "gate");
  const wait = `run while [ ! -e ${gate} ]; do sleep 0.05; done`;
  const host = await hostOf(cluster, 0);
  const busy = await open(host, { cwd: cluster.root });
  await host.ask({ type: "prompt", sessionId: busy, message: wait });
  await host.until(isType("tool_execution_start"));
  const passed = await open(host, { cwd: cluster.root });
  const from = host.count;
  await host.ask({ type: "prompt", sessionId: passed, message: "hello" });
  await host.until((frame) => frame.type === "session_settled" && frame.sessionId === passed, from);
  expect([await nodeOf(host, busy), await nodeOf(host, passed)]).toEqual(["n0", "n1"]);
  // Both are full now.
  await host.ask({ type: "prompt", sessionId: passed, message: wait });
  await host.until((frame) => frame.type === "tool_execution_start" && frame.sessionId === passed);
  expect(await rejection(open(host, { cwd: cluster.root }))).toMatchObject({ code: "busy" });
  expect(await rejection(host.ask({ type: "new_session", sessionId: busy }))).toMatchObject({ code: "busy" });
  writeFileSync(gate, "");
  await until(
    async () => (await rejection(open(host, { cwd: cluster.root }).then(() => Promise.reject("opened")))) === "opened",
  );
}, 120_000);

test("a full node opens a further session on a node with capacity, and renames without a worker", async () => {
  await using cluster = await TestCluster.start({
    nodes: 2,
    hasSmallDisk: false,
    hasWitness: false,
    settings: { "serve.maxWorkers": 1, "serve.leaseMs": 15_000 },
  });
  const host = await hostOf(cluster, 0);
  const stored = await open(host, { cwd: cluster.root });
  await host.ask({ type: "prompt", sessionId: stored, message: "hello" });
  await host.until(isType("session_settled"));
  await host.ask({ type: "close_session", sessionId: stored });
  const busy = await open(host, { cwd: cluster.root, budget: { turns: 50 } });
  const first = host.count;
  await host.ask({ type: "prompt", sessionId: busy, message: "say first" });
  await host.until(isType("session_settled"), first);
  await host.ask({ type: "prompt", sessionId: busy, message: "run sleep 600" });
  await host.until((frame) => frame.type === "tool_execution_start" && frame.sessionId === busy);
  const fresh = cluster.host("fresh");
  await fresh.connect(cluster.members[1]!.node.port);
  await fresh.ask({ type: "attach_session", sessionId: busy }); // its own node has capacity, the owner has none

  const { messages } = await host.ask<{ messages: { entryId: string; text: string }[] }>({
    type: "get_branch_messages",
    sessionId: busy,
  });
  const { entryId } = messages.find(({ text }) => text === "say first")!;
  const commands = [
    { who: host, command: { type: "new_session" }, more: { cancelled: false }, texts: [] },
    { who: host, command: { type: "clone" }, more: { cancelled: false }, texts: ["say first", "run sleep 600"] },
    { who: fresh, command: { type: "fork", entryId }, more: { text: "say first", cancelled: false }, texts: [] },
  ];
  for (const { who, command, more, texts } of commands) {
    const opened = await who.ask<{ sessionId: string; state: { model: { id: string } } }>({
      ...command,
      sessionId: busy,
    });
    expect(opened).toMatchObject({ ...more, state: { model: { id: "offline" } } });
    const sessionId = opened.sessionId;
    const branch = await who.ask<{ messages: { text: string }[] }>({ type: "get_branch_messages", sessionId });
    expect(branch.messages.map(({ text }) => text)).toEqual(texts);
    const { budget } = await who.ask<{ budget?: { left: object } }>({ type: "get_session_stats", sessionId });
    expect(budget?.left).toEqual({ turns: 50 });
    expect(await nodeOf(who, busy)).toBe("n0");
    // The node has one worker, and the next command needs it.
    await who.ask({ type: "close_session", sessionId });
  }
  await host.ask({ type: "rename_session", sessionId: stored, name: "a  new\nname" });
  expect(await rejection(host.ask({ type: "rename_session", sessionId: stored, name: " " }))).toMatchObject({
    code: "invalid_request",
  });
  const { sessions } = await host.ask<{ sessions: Frame[] }>({ type: "list_sessions" });
  expect(sessions.find((row) => row.sessionId === stored)).toMatchObject({ name: "a new name", status: "stored" });
  const reopened = await fresh.ask<{ state: { sessionName?: string } }>({ type: "open_session", session: stored });
  expect(reopened.state.sessionName).toBe("a new name");
}, 120_000);

test("an idle session of a full node moves to a node with capacity when it is needed", async () => {
  await using cluster = await TestCluster.start({
    nodes: 2,
    hasSmallDisk: false,
    hasWitness: false,
    settings: { "serve.maxWorkers": 1, "serve.leaseMs": 15_000 },
  });
  const host = await hostOf(cluster, 0);
  const idle = await open(host, { cwd: cluster.root });
  await host.ask({ type: "prompt", sessionId: idle, message: "hello" });
  await host.until(isType("session_settled"));
  const busy = await open(host, { cwd: cluster.root }); // takes the worker of the idle one
  await host.ask({ type: "prompt", sessionId: busy, message: "run sleep 600" });
  await host.until((frame) => frame.type === "tool_execution_start" && frame.sessionId === busy);
  const prompt = { type: "prompt", sessionId: idle, message: "write moved.txt: one", commandKey: "k" };
  expect(await rejection(host.ask(prompt))).toMatchObject({ code: "session_moved" });
  await host.until((frame) => frame.type === "session_moved" && frame.sessionId === idle);
  await host.ask({ type: "open_session", session: idle });
  await host.ask(prompt);
  await until(() => existsSync(join(cluster.root, "moved.txt")));
  expect(await nodeOf(host, idle)).toBe("n1");
}, 120_000);

/** A model that answers when the test allows it. */
function heldModel() {
  const allowed = Promise.withResolvers<void>();
  const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
  const answer = `${chunk({ delta: { content: "the end" } })}${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`;
  const held = {
    requests: 0,
    allow: () => allowed.resolve(),
    models: "",
    [Symbol.dispose]: () => void server.stop(true),
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch() {
      held.requests += 1;
      await allowed.promise;
      return new Response(answer, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const provider = { baseUrl: `http://127.0.0.1:${server.port}/v1`, api: "openai-completions", auth: "none" };
  held.models = JSON.stringify({ providers: { held: { ...provider, models: [{ id: "m" }] } } });
  return held;
}

test("nodes that shut down repeatedly hand a long run to others", async () => {
  using model = heldModel();
  await using cluster = await TestCluster.start({
    nodes: 2,
    hasSmallDisk: false,
    hasWitness: false,
    models: model.models,
    settings: {
      "serve.onTakeover": "continue",
      "serve.drainMs": 200,
      "serve.leaseMs": 15_000,
      "serve.heartbeatMs": 300,
    },
  });
  const host = await hostOf(cluster, 0);
  const sessionId = await open(host, { cwd: cluster.root, model: "held/m" });
  await host.ask({ type: "prompt", sessionId, message: "take your time" });
  for (const [index, other] of [
    [0, 1],
    [1, 0],
    [0, 1],
  ] as const) {
    await until(() => model.requests > 0);
    const before = model.requests;
    expect(await cluster.members[index]!.node.stop()).toBe(0);
    await until(() => model.requests > before); // the other node continues it long before the lease would expire
    const asked = await hostOf(cluster, other, `asks-${before}`);
    await until(async () => (await nodeOf(asked, sessionId)) === `n${other}`);
    await cluster.members[index]!.node.start();
  }
  model.allow();
  const after = await hostOf(cluster, 0, "end");
  await after.ask({ type: "open_session", session: sessionId });
  const isOver = async () =>
    (await after.ask<{ isStreaming: boolean }>({ type: "get_state", sessionId })).isStreaming === false;
  await until(isOver);
  const { messages } = await after.ask<{ messages: { role: string }[] }>({ type: "get_messages", sessionId });
  expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
  expect(JSON.stringify(messages)).toContain("the end");
  expect(JSON.stringify(messages)).not.toContain('"stopReason":"aborted"');
}, 120_000);

test("a job survives more rolling restarts than it has attempts", async () => {
  await using cluster = await TestCluster.start({
    nodes: 2,
    hasSmallDisk: false,
    hasWitness: false,
    settings: { "serve.drainMs": 100, "serve.leaseMs": 15_000, "serve.heartbeatMs": 300 },
  });
  const [gate, begun] = [join(cluster.root, "gate"), join(cluster.root, "begun")];
  const host = await hostOf(cluster, 0);
  const { jobId } = await host.ask<{ jobId: string }>({
    type: "submit",
    cwd: cluster.root,
    model: "pintle/offline",
    attempts: 1,
    prompt: `run echo x >> ${begun}; while [ ! -e ${gate} ]; do sleep 0.05; done; echo over`,
  });
  for (const restart of [1, 2, 3]) {
    await until(() => lines(begun).length === restart);
    const any = await hostOf(cluster, 0, `ask-${restart}`);
    const { node } = await any.ask<{ node: string }>({ type: "get_job", jobId });
    const member = cluster.members.find((one) => one.node.name === node)!;
    await member.node.stop();
    await member.node.start();
  }
  await until(() => lines(begun).length === 4);
  writeFileSync(gate, "");
  const last = await hostOf(cluster, 0, "last");
  await until(async () => (await last.ask<{ status: string }>({ type: "get_job", jobId })).status !== "running");
  expect(await last.ask({ type: "get_job", jobId })).toMatchObject({ status: "done", attempt: 1, attempts: 1 });
}, 120_000);

test("an engine stops its tools when its lease was not confirmed, even if its gateway stands still", async () => {
  await using cluster = await TestCluster.start({
    nodes: 2,
    hasSmallDisk: false,
    hasWitness: false,
    settings: { "serve.storeTimeoutMs": 600_000 },
  });
  const beats = join(cluster.root, "beats");
  const host = await hostOf(cluster, 0);
  const sessionId = await open(host, { cwd: cluster.root });
  await host.ask({ type: "prompt", sessionId, message: `run while :; do echo x >> ${beats}; sleep 0.02; done` });
  await until(() => lines(beats).length > 0);
  cluster.members[0]!.node.signal("SIGSTOP");
  const other = await hostOf(cluster, 1);
  await until(
    async () => (await rejection(open(other, { session: sessionId }).then(() => Promise.reject("taken")))) === "taken",
  );
  const count = lines(beats).length;
  await other.ask({ type: "prompt", sessionId, message: "hello" });
  await other.until(isType("session_settled"));
  expect(lines(beats).length).toBe(count); // nothing of the previous owner's run is left
  cluster.members[0]!.node.signal("SIGCONT");
}, 120_000);

test("a node without its database is alive but not ready", async () => {
  await using cluster = await TestCluster.start({ nodes: 1, hasSmallDisk: false, hasWitness: false });
  const { node, database } = cluster.members[0]!;
  const ask = (path: string) => fetch(`http://127.0.0.1:${node.port}${path}`).then(({ status }) => status);
  expect(await ask("/readyz")).toBe(200);
  database.refuse();
  await until(async () => (await ask("/readyz")) === 503);
  expect(await ask("/healthz")).toBe(200);
  database.allow();
  await until(async () => (await ask("/readyz")) === 200);
  const authorization = `Bearer ${readFileSync(join(cluster.base, "token"), "utf8")}`;
  const text = await (await fetch(`http://127.0.0.1:${node.port}/metrics`, { headers: { authorization } })).text();
  expect(text).toContain('pintle_jobs{status="queued"} 0\n');
  expect(text).toContain("pintle_store_commit_seconds_count ");
}, 120_000);
