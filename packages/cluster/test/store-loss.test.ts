import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "../../ai/test/support/rejection.ts";
import type { Frame, RecordingHost } from "./support/cluster/recording-host.ts";
import { TwoNodes } from "./support/cluster/two-nodes.ts";
import { PostgresServer } from "./support/postgres/postgres.ts";

const isType = (type: string) => (frame: Frame) => frame.type === type;

async function openedOn(host: RecordingHost): Promise<string> {
  const { sessionId } = await host.ask<{ sessionId: string }>({ type: "open_session" });
  await host.ask({ type: "prompt", sessionId, message: "hello" });
  await host.until(isType("session_settled"));
  return sessionId;
}

test("while the database is unavailable the run continues, nothing is emitted or acknowledged, and nothing is lost", async () => {
  await using server = await PostgresServer.start();
  await using nodes = await TwoNodes.start(server, { "serve.leaseMs": 60_000, "serve.storeTimeoutMs": 60_000 });
  const host = await nodes.hostOf(nodes.one);
  const sessionId = await openedOn(host);
  const seen: Frame[] = [];
  const command = "run while ! test -e go; do sleep 0.05; done; touch done; echo finished";
  await host.ask({ type: "prompt", sessionId, message: command });
  await host.until(isType("tool_execution_start"));
  await server.kill();
  host.onFrame = (frame) => seen.push(frame);
  await Bun.write(join(nodes.root, "go"), "");
  expect(await host.until(isType("store_degraded"))).toMatchObject({ sessionId, seq: expect.any(Number) });
  while (!existsSync(join(nodes.root, "done"))) await Bun.sleep(10);
  // The run may or may not have ended by now. The prompt is answered when it is stored.
  let isAnswered = false;
  const answer = host
    .ask({ type: "follow_up", sessionId, message: "list files", commandKey: "f1" }, 60_000)
    .then(() => {
      isAnswered = true;
    });
  expect(await rejection(host.ask({ type: "open_session" }))).toMatchObject({
    message: expect.stringContaining("store_unavailable"),
  });
  expect(await rejection(host.ask({ type: "list_sessions" }))).toMatchObject({
    message: expect.stringContaining("store_unavailable"),
  });
  expect(isAnswered).toBe(false);
  const told = seen.filter((frame) => frame.sessionId === sessionId).map(({ type }) => type);
  // The checkpoint of the changed file is the first thing that must be stored: nothing after it is emitted.
  expect(told.filter((type) => type !== "tool_execution_update")).toEqual(["store_degraded"]);
  await server.start();
  await answer;
  await host.until((frame) => frame.type === "store_degraded" && frame.recovered === true);
  const isSecondEnd = () => seen.filter(isType("session_settled")).length > 0;
  while (!isSecondEnd()) await Bun.sleep(20);
  expect(JSON.stringify(seen)).toContain("finished");
  const log = await nodes.sql<{ line: string }>("SELECT line FROM pintle.entries ORDER BY position");
  const { entries } = await host.ask<{ entries: unknown[] }>({ type: "get_entries", sessionId });
  expect(log.map(({ line }) => JSON.parse(line) as unknown)).toEqual(entries);
  const accepted = await nodes.sql("SELECT 1 FROM pintle.commands WHERE command_key = 'f1'");
  expect(accepted).toHaveLength(1);
}, 120_000);

test("aborts a run if the store is unavailable for too long, and reports it once the store is back", async () => {
  await using server = await PostgresServer.start();
  await using nodes = await TwoNodes.start(server, { "serve.leaseMs": 60_000, "serve.storeTimeoutMs": 1_000 });
  const host = await nodes.hostOf(nodes.one);
  const sessionId = await openedOn(host);
  const from = host.count;
  await host.ask({ type: "prompt", sessionId, message: "run sleep 0.3; echo one; sleep 600" });
  await host.until(isType("tool_execution_start"), from);
  await server.kill();
  await host.ask({ type: "steer", sessionId, message: "stop" }, 1).catch(() => {}); // something to store; answered later
  await host.until((frame) => frame.type === "store_degraded" && frame.aborted === true);
  await server.start();
  expect(await host.until(isType("agent_settled"), from)).toMatchObject({ aborted: true });
  expect(await host.until(isType("prompt_result"), from)).toMatchObject({ status: "aborted" });
}, 120_000);

test("retries a statement that the network lost on another connection", async () => {
  await using server = await PostgresServer.start();
  await using nodes = await TwoNodes.start(server, { "serve.leaseMs": 60_000 });
  const host = await nodes.hostOf(nodes.one);
  const sessionId = await openedOn(host);
  server.signalAll("SIGSTOP");
  const answer = host.ask({ type: "prompt", sessionId, message: "list files", commandKey: "p" }, 60_000);
  await host.until(isType("store_degraded"));
  server.signalAll("SIGCONT");
  await answer;
  await host.until(isType("prompt_result"));
  expect(await nodes.sql("SELECT 1 FROM pintle.commands WHERE command_key = 'p'")).toHaveLength(1);
  const rows = await nodes.sql("SELECT entry_id FROM pintle.entries");
  expect(new Set(rows.map(({ entry_id }) => entry_id)).size).toBe(rows.length);
}, 120_000);

test("a start without a database, or with a newer one, reports that without the password", async () => {
  await using server = await PostgresServer.start();
  await using nodes = await TwoNodes.start(server, { "serve.storeTimeoutMs": 3_000 }); // how long a start waits
  await nodes.sql("INSERT INTO pintle.migrations (number, name) VALUES (1000, 'of the future')");
  await nodes.one.kill();
  expect(await rejection(nodes.one.start())).toMatchObject({ message: expect.stringContaining("newer pintle") });
  await server.stop();
  expect(await rejection(nodes.one.start())).toMatchObject({
    message: expect.stringContaining("The database: Failed to connect"),
  });
  const { password } = new URL(nodes.url);
  expect(password.length).toBeGreaterThan(3);
  expect(nodes.one.stderr + nodes.other.stderr).not.toContain(password);
}, 120_000);
