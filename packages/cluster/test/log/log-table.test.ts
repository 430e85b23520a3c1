import { expect, test } from "bun:test";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { Batch } from "../../../gateway/src/sessions/accepted/batch.ts";
import { entryFacts } from "../../../gateway/src/sessions/accepted/entry-facts.ts";
import { BunDatabase } from "../../src/database/bun-database.ts";
import { migrate } from "../../src/database/migrate.ts";
import { Leases } from "../../src/leases.ts";
import { LeaseLost, LogTable } from "../../src/log/log-table.ts";
import { PostgresServer } from "../support/postgres/postgres.ts";

/** More entries than a page has, with different numbers of digits, because text sorts differently from numbers. */
const ENTRIES = 230;

test("reads a session in the order it was written, across all pages", async () => {
  const server = await PostgresServer.shared();
  const database = new BunDatabase({ url: (await server.database()).url, connections: 2, deadlineMs: 30_000 });
  await migrate(database);
  const [table, leases] = [new LogTable(database, "n"), new Leases(database, "n", 60_000)];
  const lease = await leases.take("s");
  await table.create({ sessionId: "s", cwd: "/", needs: [], header: "{}", plan: "{}" });
  const batch = new Batch();
  const ids = Array.from({ length: ENTRIES }, (_, n) => `e${n}`);
  for (const id of ids) {
    const entry = { type: "message", id, message: { role: "user", content: id } };
    batch.append({ entryId: id, line: JSON.stringify(entry) }, entryFacts(entry));
  }
  await table.write(lease!, 0, batch);
  const read = await Array.fromAsync(table.lines((await table.find("s"))!));
  await database.close();
  expect(read.map(({ entryId }) => entryId)).toEqual(ids);
});

test("a commit whose response was lost is not repeated, and none succeeds under a lost lease", async () => {
  const server = await PostgresServer.shared();
  const database = new BunDatabase({ url: (await server.database()).url, connections: 8, deadlineMs: 30_000 });
  await migrate(database);
  const table = new LogTable(database, "n");
  const lease = (await new Leases(database, "n", 1).take("s"))!;
  await table.create({ sessionId: "s", cwd: "/", needs: [], header: "{}", plan: "{}" });
  const batchOf = (id: string) => {
    const batch = new Batch();
    const entry = { type: "message", id, message: { role: "user", content: id } };
    batch.append({ entryId: id, line: JSON.stringify(entry) }, entryFacts(entry));
    batch.accept({ ref: id, key: id, command: "prompt", frame: "{}", response: "{}", entryId: null, outcome: null });
    return batch;
  };
  await table.write(lease, 0, batchOf("a"));
  await table.write(lease, 0, batchOf("a"));
  // Concurrent attempts of the same commit: each finds it committed or in progress.
  const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => table.write(lease, 1, batchOf("b"))));
  expect(attempts.some(({ status }) => status === "fulfilled")).toBe(true);
  const other = (await new Leases(database, "m", 60_000).take("s"))!;
  expect(other).toMatchObject({ fence: 2, wasHeld: true });
  expect(await rejection(table.write(lease, 2, batchOf("c")))).toBeInstanceOf(LeaseLost);
  // The same node with the same count, but the previous fence.
  expect(await rejection(new LogTable(database, "m").write(lease, 2, batchOf("c")))).toBeInstanceOf(LeaseLost);
  await new LogTable(database, "m").write(other, 2, batchOf("d"));
  const read = await Array.fromAsync(table.lines((await table.find("s"))!));
  expect(read.map(({ entryId }) => entryId)).toEqual(["a", "b", "d"]);
  const commands = await database.query<{ ref: string }>("SELECT ref FROM pintle.commands ORDER BY ref");
  expect(commands.map(({ ref }) => ref)).toEqual(["a", "b", "d"]);
  await database.close();
});
