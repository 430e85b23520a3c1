import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { GatewayClient } from "../../../client/src/index.ts";
import { TestCluster } from "../support/cluster/cluster.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 3, hasSmallDisk: false });
}, 120_000);
afterAll(() => cluster[Symbol.asyncDispose]());

async function client(index: number): Promise<GatewayClient> {
  const { port } = cluster.members[index]!.node;
  const token = readFileSync(join(cluster.base, "token"), "utf8");
  const one = new GatewayClient({ url: `http://127.0.0.1:${port}/`, token, requestTimeoutMs: 60_000 });
  await one.connect();
  return one;
}

const OFFLINE = { model: "pintle/offline" };
const nodeOf = async (host: GatewayClient, sessionId: string) =>
  (await host.list()).sessions.find((row) => row.sessionId === sessionId)?.node;

/** Opens a session on the first node that a host receives over the second. */
async function relayedSession() {
  const [owner, entry] = [await client(0), await client(1)];
  const session = await owner.open({ cwd: cluster.root, ...OFFLINE });
  const relayed = await entry.attach(session.sessionId, { since: "start" });
  return { owner, entry, session, relayed };
}

test("a host can use any node: prompts, answers and tools of a session on another node", async () => {
  const { owner, entry, session, relayed } = await relayedSession();
  expect((await relayed.promptAndWait("hello")).text).toContain("offline");
  expect(await nodeOf(entry, session.sessionId)).toBe("n0");
  const [direct, there] = [await session.getMessages(), await relayed.getMessages()];
  expect(there).toEqual(direct);
  owner.end();
  entry.end();
});

test("a session whose owner is killed continues for a host of another node, and nothing is done twice", async () => {
  const { owner, entry, session, relayed } = await relayedSession();
  expect((await relayed.promptAndWait("write first.txt: one")).text).toContain("first.txt");
  const gate = join(cluster.root, "gate");
  const told: string[] = [];
  relayed.onEvent(({ type }) => told.push(type));
  const lost = relayed.promptAndWait(`run \`echo begun >> count; while [ ! -e ${gate} ]; do sleep 0.02; done\``);
  lost.catch(() => {}); // checked below
  const count = join(cluster.root, "count");
  while (!existsSync(count) || readFileSync(count, "utf8") === "") await Bun.sleep(10);
  // Sent after the prompt was accepted: a prompt that was not stored would be resent and start again.
  while (!told.includes("tool_execution_start")) await Bun.sleep(10);
  await cluster.members[0]!.node.kill();
  expect(await rejection(lost)).toMatchObject({ code: "worker_exited" });
  writeFileSync(gate, "");
  expect((await relayed.promptAndWait("write second.txt: two")).text).toContain("second.txt");
  expect(told).toContain("session_moved");
  expect(["n1", "n2"]).toContain((await nodeOf(entry, session.sessionId)) ?? "");
  expect(readFileSync(count, "utf8")).toBe("begun\n");
  const messages = JSON.stringify(await relayed.getMessages());
  for (const text of ["write first.txt: one", "write second.txt: two"]) expect(messages.split(text).length).toBe(2);
  owner.end();
  entry.end();
  await cluster.members[0]!.node.start();
}, 120_000);

test("nodes that open a stored session at the same moment end up with one worker", async () => {
  const hosts = [await client(0), await client(1), await client(2)];
  for (let round = 0; round < 6; round += 1) {
    const session = await hosts[round % 3]!.open({ cwd: cluster.root, ...OFFLINE });
    await session.promptAndWait("hello");
    await session.close();
    const { sessionId } = session;
    const opened = await Promise.all(hosts.map((host) => host.open({ session: sessionId })));
    const nodes = await Promise.all(hosts.map((host) => nodeOf(host, sessionId)));
    expect(new Set(nodes).size).toBe(1);
    const results = await Promise.all(opened.map((one) => one.getMessages()));
    expect(results[1]).toEqual(results[0]!);
    expect(results[2]).toEqual(results[0]!);
    await opened[0]!.close();
  }
  for (const host of hosts) host.end();
}, 120_000);

/** A session of the first node that a raw host has open over the second, while the first has no database. */
async function heldSession(name: string) {
  const raw = cluster.host(name);
  await raw.connect(cluster.members[1]!.node.port);
  const owner = await client(0);
  const session = await owner.open({ cwd: cluster.root, ...OFFLINE });
  await session.promptAndWait("hello");
  const { sessionId } = session;
  await raw.ask({ type: "open_session", session: sessionId });
  const { database } = cluster.members[0]!;
  database.freeze();
  const end = () => {
    database.thaw();
    owner.end();
    raw.leave();
  };
  return { raw, sessionId, [Symbol.dispose]: end };
}

test("a host of a node whose session's owner lost its database receives session_moved and answers", async () => {
  using held = await heldSession("held");
  const { raw, sessionId } = held;
  const elsewhere = await client(2);
  while ((await nodeOf(elsewhere, sessionId)) === "n0") await Bun.sleep(20); // until the lease has expired
  const taken = await elsewhere.open({ session: sessionId });
  expect(await nodeOf(elsewhere, sessionId)).toBe("n2");
  expect(await raw.until(({ type }) => type === "session_moved")).toMatchObject({ sessionId });
  await raw.ask({ type: "open_session", session: sessionId });
  const from = raw.count;
  await raw.ask({ type: "prompt", sessionId, message: "write held.txt: one" });
  await raw.until(({ type }) => type === "session_settled", from);
  expect(JSON.stringify(await taken.getMessages())).toContain("held.txt");
  elsewhere.end();
}, 120_000);

test("a command that waits for a node without a database is answered when the session has moved", async () => {
  using held = await heldSession("waiting");
  const { raw, sessionId } = held;
  // Acknowledged only once it is stored, which the owner cannot do.
  const prompt = { type: "prompt", sessionId, message: "write late.txt: one", commandKey: "late" };
  expect(await rejection(raw.ask(prompt, 60_000))).toMatchObject({ code: "session_moved" });
  await raw.ask({ type: "open_session", session: sessionId }, 60_000);
  await raw.ask(prompt);
  const { messages } = await raw.ask<{ messages: unknown[] }>({ type: "get_messages", sessionId });
  expect(JSON.stringify(messages).split("write late.txt: one").length).toBe(2);
}, 120_000);

test("every node serves an image of a session, whichever has the session", async () => {
  const owner = await client(0);
  const session = await owner.open({ cwd: cluster.root, ...OFFLINE });
  const bytes = crypto.getRandomValues(new Uint8Array(4_000));
  const data = Buffer.from(bytes).toString("base64");
  await session.promptAndWait("hello", { images: [{ type: "image", data, mimeType: "image/png" }] });
  const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  expect(JSON.stringify(await session.getEntries())).toContain(`blob:sha256:${digest}`);
  const authorization = `Bearer ${readFileSync(join(cluster.base, "token"), "utf8")}`;
  const ask = (index: number, name: string, headers: Record<string, string> = { authorization }) =>
    fetch(`http://127.0.0.1:${cluster.members[index]!.node.port}/blob/${name}`, { headers });
  for (const index of [0, 1, 2]) {
    const answer = await ask(index, digest);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  }
  expect((await ask(1, "0".repeat(64))).status).toBe(404);
  expect((await ask(1, digest, {})).status).toBe(401);
  owner.end();
});

test("a node that shuts down hands over its sessions", async () => {
  const entry = await client(1);
  const owner = await client(2);
  const session = await owner.open({ cwd: cluster.root, ...OFFLINE });
  const relayed = await entry.attach(session.sessionId, { since: "start" });
  expect((await relayed.promptAndWait("hello")).text).toContain("offline");
  expect(await cluster.members[2]!.node.stop()).toBe(0);
  expect((await relayed.promptAndWait("write third.txt: three")).text).toContain("third.txt");
  owner.end();
  entry.end();
  await cluster.members[2]!.node.start();
}, 120_000);

test("another node runs the job of a killed node, each attempt once", async () => {
  const host = await client(1);
  const started = join(cluster.root, "job-started");
  const gate = join(cluster.root, "job-gate");
  const prompt = `run \`echo x >> ${started}; while [ ! -e ${gate} ]; do sleep 0.02; done; echo over\``;
  // A machine that freezes for longer than a lease costs an attempt.
  const jobId = await host.submit({ prompt, cwd: cluster.root, attempts: 5, ...OFFLINE });
  while (!existsSync(started) || readFileSync(started, "utf8") === "") await Bun.sleep(10);
  const first = await host.job(jobId);
  const index = cluster.members.findIndex(({ node }) => node.name === first.node);
  const elsewhere = index === 1 ? await client(0) : host;
  await cluster.members[index]!.node.kill();
  while ((await elsewhere.job(jobId)).attempt <= first.attempt) await Bun.sleep(50);
  writeFileSync(gate, "");
  const done = await elsewhere.waitForJob(jobId, { everyMs: 50 });
  expect(done.status).toBe("done");
  expect(done.sessionId).not.toBe(first.sessionId);
  const begun = readFileSync(started, "utf8").split("\n").length - 1;
  expect(begun).toBeGreaterThanOrEqual(2);
  expect(begun).toBeLessThanOrEqual(done.attempt);
  host.end();
  elsewhere.end();
  await cluster.members[index]!.node.start();
}, 120_000);
