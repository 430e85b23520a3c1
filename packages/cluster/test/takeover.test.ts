import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "../../ai/test/support/rejection.ts";
import type { Frame, RecordingHost } from "./support/cluster/recording-host.ts";
import { TwoNodes } from "./support/cluster/two-nodes.ts";
import { PostgresServer } from "./support/postgres/postgres.ts";

interface Opened {
  sessionId: string;
  resync: boolean;
  cursor: unknown;
}
interface Entry {
  id: string;
  message?: { role: string; content: { type: string; text?: string }[] };
}

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.shared();
}, 120_000);

const isType = (type: string) => (frame: Frame) => frame.type === type;

async function entriesOf(host: RecordingHost, sessionId: string): Promise<Entry[]> {
  return (await host.ask<{ entries: Entry[] }>({ type: "get_entries", sessionId })).entries;
}

const textsOf = (entries: Entry[], role: string) =>
  entries.filter(({ message }) => message?.role === role).map(({ message }) => message?.content[0]?.text);

/** A session whose first run has ended. */
async function openedOn(host: RecordingHost): Promise<string> {
  const { sessionId } = await host.ask<Opened>({ type: "open_session" });
  await host.ask({ type: "prompt", sessionId, message: "hello" });
  await host.until(isType("session_settled"));
  return sessionId;
}

describe("a session whose node is lost", () => {
  test("continues on another node: accepted prompts are stored there, emitted, and not executed again", async () => {
    await using nodes = await TwoNodes.start(server);
    const before = await nodes.hostOf(nodes.one);
    const sessionId = await openedOn(before);
    const { cursor } = await before.until(isType("agent_settled"));
    const prompt = { type: "prompt", sessionId, message: "run touch begun && sleep 60", commandKey: "k1" };
    await before.ask(prompt);
    await before.until(isType("tool_execution_start"));
    while (!existsSync(join(nodes.root, "begun"))) await Bun.sleep(10);
    await nodes.one.kill();
    const after = await nodes.hostOf(nodes.other);
    expect(await rejection(after.ask({ type: "open_session", session: sessionId }))).toMatchObject({
      message: expect.stringContaining("other_node"),
    });
    const opened = await nodes.openWhenFree<Opened>(after, { session: sessionId, since: cursor });
    expect(opened).toMatchObject({ sessionId, resync: true });
    const snapshot = await after.until(isType("session_snapshot"));
    const interrupted = { prompts: [{ text: prompt.message, commandKey: "k1" }], uncertain: [expect.any(String)] };
    expect(snapshot.interrupted).toMatchObject(interrupted);
    // The retry of a host that never received the response.
    await after.ask(prompt);
    expect(textsOf(await entriesOf(after, sessionId), "user")).toEqual(["hello", prompt.message]);
    const from = after.count;
    await after.ask({ type: "continue_run", sessionId });
    await after.until(isType("session_settled"), from);
    const log = await nodes.sql<{ fence: string; position: string }>(
      "SELECT fence::text, position::text FROM pintle.entries WHERE session_id = $1 ORDER BY position",
      [sessionId],
    );
    expect(log.map(({ position }) => Number(position))).toEqual(log.map((_, at) => at + 1));
    expect([...new Set(log.map(({ fence }) => Number(fence)))]).toEqual([1, 2]);
    expect(await nodes.sql("SELECT 1 FROM pintle.commands WHERE ended_at IS NULL")).toEqual([]);
  });

  test("an accepted prompt that is not in the conversation is added to it", async () => {
    await using nodes = await TwoNodes.start(server);
    const before = await nodes.hostOf(nodes.one);
    const sessionId = await openedOn(before);
    await nodes.one.kill();
    // The state that a node leaves if it is lost between committing the acceptance and the entry.
    await nodes.sql(
      `INSERT INTO pintle.commands (session_id, fence, ref, command_key, command, frame, response)
       VALUES ($1, 1, 'late', 'k2', 'prompt', $2, '"type":"response","command":"prompt","success":true}')`,
      [sessionId, JSON.stringify({ type: "prompt", message: "list files" })],
    );
    const after = await nodes.hostOf(nodes.other);
    await nodes.openWhenFree(after, { session: sessionId });
    const told = await after.until(isType("run_interrupted"));
    const entries = await entriesOf(after, sessionId);
    expect(told).toMatchObject({ prompts: [{ text: "list files", commandKey: "k2", entryId: entries.at(-1)?.id }] });
    expect(textsOf(entries, "user")).toEqual(["hello", "list files"]);
    await after.ask({ type: "prompt", sessionId, message: "list files", commandKey: "k2" });
    const from = after.count;
    await after.ask({ type: "continue_run", sessionId });
    await after.until(isType("session_settled"), from);
    expect(textsOf(await entriesOf(after, sessionId), "user")).toEqual(["hello", "list files"]);
  });

  test("with serve.onTakeover continue the run continues without a host", async () => {
    await using nodes = await TwoNodes.start(server, { "serve.onTakeover": "continue" });
    const before = await nodes.hostOf(nodes.one);
    const sessionId = await openedOn(before);
    // The second time it is quick, because the first attempt has left a marker.
    const message = "run test -e begun || { touch begun; sleep 60; }; echo again";
    await before.ask({ type: "prompt", sessionId, message });
    while (!existsSync(join(nodes.root, "begun"))) await Bun.sleep(10);
    await nodes.one.kill();
    const isDone = async () =>
      (await nodes.sql("SELECT 1 FROM pintle.commands WHERE command = 'continue_run' AND ended_at IS NOT NULL"))
        .length > 0;
    while (!(await isDone())) await Bun.sleep(50);
    const after = await nodes.hostOf(nodes.other);
    await after.ask({ type: "open_session", session: sessionId });
    expect(textsOf(await entriesOf(after, sessionId), "user").slice(0, 2)).toEqual(["hello", message]);
  });

  test("a run that was continued automatically and lost again is only reported", async () => {
    await using nodes = await TwoNodes.start(server, { "serve.onTakeover": "continue" });
    const sessionId = await openedOn(await nodes.hostOf(nodes.one));
    await nodes.one.kill();
    await nodes.sql(
      `INSERT INTO pintle.commands (session_id, fence, ref, command, frame, response)
       VALUES ($1, 1, 'again', 'continue_run', '{"type":"continue_run"}', '"type":"response","command":"continue_run","success":true}')`,
      [sessionId],
    );
    const isTold = async () =>
      (await nodes.sql("SELECT 1 FROM pintle.commands WHERE outcome = 'interrupted'")).length > 0;
    while (!(await isTold())) await Bun.sleep(50);
    const after = await nodes.hostOf(nodes.other);
    await after.ask({ type: "open_session", session: sessionId });
    const runs = await nodes.sql("SELECT ref FROM pintle.commands WHERE command = 'continue_run'");
    expect(runs).toEqual([{ ref: "again" }]);
  });

  test("a node that was paused is refused: its worker is killed and its hosts are notified", async () => {
    await using nodes = await TwoNodes.start(server);
    const stale = await nodes.hostOf(nodes.one);
    const sessionId = await openedOn(stale);
    await stale.ask({ type: "prompt", sessionId, message: "run sleep 2; echo late" });
    await stale.until(isType("tool_execution_start"));
    nodes.one.signal("SIGSTOP");
    const fresh = await nodes.hostOf(nodes.other);
    await nodes.openWhenFree(fresh, { session: sessionId });
    const from = fresh.count;
    await fresh.ask({ type: "prompt", sessionId, message: "list files" });
    await fresh.until(isType("session_settled"), from);
    const log = () =>
      nodes.sql("SELECT position, fence, line FROM pintle.entries WHERE session_id = $1 ORDER BY position", [
        sessionId,
      ]);
    const before = await log();
    nodes.one.signal("SIGCONT");
    expect(await stale.until(isType("session_moved"))).toMatchObject({ sessionId });
    while (nodes.one.workers().length > 0) await Bun.sleep(20);
    expect(await log()).toEqual(before);
    expect(await rejection(stale.ask({ type: "prompt", sessionId, message: "hello" }))).toMatchObject({
      message: expect.stringContaining("not_attached"),
    });
  });

  test("entries of any size and with any character are restored unchanged", async () => {
    await using nodes = await TwoNodes.start(server);
    const before = await nodes.hostOf(nodes.one);
    const { sessionId } = await before.ask<Opened>({ type: "open_session" });
    const odd = `nul \0 half \ud800 quote " backslash \\u0000 line \u2028 ${"é\t".repeat(2_500_000)}`;
    await before.ask({ type: "prompt", sessionId, message: odd }, 60_000);
    await before.until(isType("session_settled"), 0, 60_000);
    const told = await entriesOf(before, sessionId);
    await nodes.one.kill();
    const after = await nodes.hostOf(nodes.other);
    await nodes.openWhenFree(after, { session: sessionId });
    expect(await entriesOf(after, sessionId)).toEqual(told);
    const { sessions } = await after.ask<{ sessions: { firstMessage: string }[] }>({ type: "list_sessions" });
    expect(sessions[0]?.firstMessage).toStartWith("nul  half");
  }, 120_000);
});

test("images and session settings move with the session", async () => {
  await using nodes = await TwoNodes.start(server);
  const before = await nodes.hostOf(nodes.one);
  const { sessionId } = await before.ask<Opened>({ type: "open_session", tools: ["read", "ls"] });
  await before.ask({ type: "set_permission_mode", sessionId, mode: "plan" });
  const bytes = crypto.getRandomValues(new Uint8Array(4_000));
  const image = { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: "image/png" };
  await before.ask({ type: "prompt", sessionId, message: "hello", images: [image] });
  await before.until(isType("session_settled"));
  await nodes.one.kill();
  const after = await nodes.hostOf(nodes.other);
  const { state } = await nodes.openWhenFree<{ state: Frame }>(after, { session: sessionId });
  const toolsOf = (from: Frame) => (from.dumpTools as { name: string }[]).map(({ name }) => name);
  expect(toolsOf(state)).toEqual(expect.arrayContaining(["read", "ls"]));
  expect(toolsOf(state)).not.toContain("bash");
  // Sent again to the new engine after its start.
  expect(await after.ask({ type: "get_state", sessionId })).toMatchObject({ permissionMode: "plan" });
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const blob = await Bun.file(join(nodes.other.sessionFolder, "../blobs", hash)).bytes();
  expect(Buffer.from(blob).equals(bytes)).toBe(true);
  const { messages } = await after.ask<{ messages: unknown[] }>({ type: "get_messages", sessionId });
  expect(JSON.stringify(messages[0])).toContain(image.data);
});

describe("sessions of several nodes", () => {
  test("are listed by all, and deleted only where they are not open elsewhere", async () => {
    await using nodes = await TwoNodes.start(server);
    const owner = await nodes.hostOf(nodes.one);
    const other = await nodes.hostOf(nodes.other);
    const sessionId = await openedOn(owner);
    const list = async () => (await other.ask<{ sessions: Frame[] }>({ type: "list_sessions" })).sessions;
    while ((await list())[0]?.status === "running") await Bun.sleep(10); // the end of the run reaches the database a moment later
    expect(await list()).toMatchObject([
      { sessionId, status: "idle", node: "n0", messageCount: 2, firstMessage: "hello" },
    ]);
    expect(await rejection(other.ask({ type: "delete_session", sessionId }))).toMatchObject({
      message: expect.stringContaining("other_node"),
    });
    await owner.ask({ type: "close_session", sessionId });
    expect(await list()).toMatchObject([{ sessionId, status: "stored" }]);
    await other.ask({ type: "rename_session", sessionId, name: "named" });
    expect((await list())[0]?.name).toBe("named");
    await other.ask({ type: "delete_session", sessionId });
    expect(await list()).toEqual([]);
    expect(await rejection(owner.ask({ type: "open_session", session: sessionId }))).toMatchObject({
      message: expect.stringContaining("not_found"),
    });
    await owner.ask({ type: "restore_session", sessionId });
    expect((await list()).map((row) => row.sessionId)).toEqual([sessionId]);
    expect(await owner.ask<Opened>({ type: "open_session", session: sessionId })).toMatchObject({ sessionId });
  });

  test("a session that needs labels is not opened where they are missing", async () => {
    await using nodes = await TwoNodes.start(server, { "serve.labels": ["disk"] });
    const host = await nodes.hostOf(nodes.one);
    const open = (labels: string[]) => host.ask<Opened>({ type: "open_session", labels });
    expect(await rejection(open(["gpu"]))).toMatchObject({ message: expect.stringContaining("other_node") });
    expect(await open(["disk"])).toMatchObject({ sessionId: expect.any(String) });
    expect(nodes.one.workers()).toHaveLength(1);
  });

  test("an orderly shutdown releases sessions immediately and leaves no files", async () => {
    await using nodes = await TwoNodes.start(server);
    const sessionId = await openedOn(await nodes.hostOf(nodes.one));
    expect(await nodes.one.stop()).toBe(0);
    const after = await nodes.hostOf(nodes.other);
    expect(await after.ask<Opened>({ type: "open_session", session: sessionId })).toMatchObject({ sessionId });
    expect(after.count).toBeGreaterThan(0);
    expect(await nodes.sql("SELECT name FROM pintle.nodes")).toEqual([{ name: "n1" }]);
    const files = new Bun.Glob("**/*.jsonl").scanSync({ cwd: nodes.one.sessionFolder, onlyFiles: true });
    expect([...files]).toEqual([]);
    expect(readFileSync(`/proc/${nodes.other.pid}/cmdline`, "utf8")).not.toContain("postgres://");
  });
});
