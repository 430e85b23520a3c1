import { expect, test } from "bun:test";
import { BunDatabase } from "../../src/cluster/database/bun-database.ts";
import { migrate } from "../../src/cluster/database/migrate.ts";
import { GivenUp } from "../../src/cluster/given-up.ts";
import { Leases } from "../../src/cluster/leases.ts";
import { PostgresServer } from "../support/postgres/postgres.ts";

test("sessions that a node cannot open do not keep it from the others", async () => {
  await using server = await PostgresServer.start();
  const { url } = await server.database();
  const database = new BunDatabase({ url, connections: 2, deadlineMs: 10_000 });
  await migrate(database);
  for (let n = 0; n < 6; n += 1) {
    await database.query("INSERT INTO pintle.sessions (session_id, cwd, header) VALUES ($1, '/w', '{}')", [`s${n}`]);
    await database.query(
      `INSERT INTO pintle.leases (session_id, node_id, expires_at)
       VALUES ($1, 'gone', clock_timestamp() - $2::int * interval '1 second')`,
      [`s${n}`, 60 - n],
    );
    await database.query(
      `INSERT INTO pintle.commands (session_id, fence, ref, command, frame, response) VALUES ($1, 1, 'r', 'prompt', '{}', '')`,
      [`s${n}`],
    );
  }
  const leases = new Leases(database, "here", 15_000);
  const bad = new GivenUp();
  const first = await leases.abandoned([], bad.sessions());
  expect(first).toEqual(["s0", "s1", "s2", "s3"]);
  for (const sessionId of first) bad.add(sessionId);
  expect(await leases.abandoned([], bad.sessions())).toEqual(["s4", "s5"]);
  // What stood in the way may be gone a minute later.
  expect(bad.sessions(performance.now() + 61_000)).toEqual([]);
  await database.close();
}, 120_000);
