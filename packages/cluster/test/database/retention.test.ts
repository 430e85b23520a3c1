import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { rejection } from "../../../ai/test/support/rejection.ts";
import type { Frame, RecordingHost } from "../support/cluster/recording-host.ts";
import { TwoNodes } from "../support/cluster/two-nodes.ts";
import { PostgresServer } from "../support/postgres/postgres.ts";

const script = resolve(import.meta.dir, "../../../../examples/cluster/retention.sql");
const TABLES = ["sessions", "entries", "commands", "blob_uses", "leases"];

const image = { type: "image", data: Buffer.alloc(3_000, "picture").toString("base64"), mimeType: "image/png" };

async function say(host: RecordingHost, sessionId: string, fields: object = {}): Promise<void> {
  const from = host.count;
  await host.ask({ type: "prompt", sessionId, message: "hello", ...fields });
  await host.until((frame: Frame) => frame.type === "session_settled" && frame.sessionId === sessionId, from);
}

async function opened(host: RecordingHost): Promise<string> {
  return (await host.ask<{ sessionId: string }>({ type: "open_session" })).sessionId;
}

test("removes old data while nodes run: whole sessions, jobs, images without a session", async () => {
  const server = await PostgresServer.shared();
  await using nodes = await TwoNodes.start(server, { "serve.leaseMs": 60_000 });
  const host = await nodes.hostOf(nodes.one);
  const [old, open, young] = [await opened(host), await opened(host), await opened(host)];
  await say(host, old, { images: [image] });
  for (const sessionId of [open, young]) await say(host, sessionId);
  for (const sessionId of [old, young]) await host.ask({ type: "close_session", sessionId });
  await nodes.sql("UPDATE pintle.sessions SET updated_at = updated_at - interval '2 years' WHERE session_id <> $1", [
    young,
  ]);
  await nodes.sql("UPDATE pintle.blobs SET stored_at = stored_at - interval '2 years'");
  await nodes.sql(
    `INSERT INTO pintle.jobs (job_id, status, prompt, ended_at) VALUES
       ('long ago', 'done', 'p', clock_timestamp() - interval '1 year'), ('today', 'done', 'p', clock_timestamp())`,
  );

  await using sql = new Bun.SQL({ url: nodes.url, max: 1 });
  await sql.file(script).simple();

  const left = async (table: string) =>
    nodes.sql(`SELECT 1 FROM pintle.${table} WHERE session_id = $1 LIMIT 1`, [old]).then((rows) => rows.length);
  expect(await Promise.all(TABLES.map(left))).toEqual(TABLES.map(() => 0));
  expect(await nodes.sql("SELECT job_id FROM pintle.jobs")).toEqual([{ job_id: "today" }]);
  expect(await nodes.sql("SELECT 1 FROM pintle.blobs")).toEqual([]);
  expect(await rejection(host.ask({ type: "open_session", session: old }))).toMatchObject({
    message: expect.stringContaining("not_found"),
  });
  // The session that a node has open continues, even with an image that the node remembers as stored.
  await say(host, open, { images: [image] });
  expect(await nodes.sql("SELECT session_id FROM pintle.blob_uses JOIN pintle.blobs USING (hash)")).toEqual([
    { session_id: open },
  ]);
  await host.ask({ type: "open_session", session: young });
  await say(host, young);
}, 120_000);
