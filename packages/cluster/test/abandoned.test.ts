import { expect, test } from "bun:test";
import { BunDatabase } from "../src/database/bun-database.ts";
import { migrate } from "../src/database/migrate.ts";
import { GivenUp, Heartbeat, type HeartbeatParts } from "../src/heartbeat.ts";
import { Leases } from "../src/leases.ts";
import { PostgresServer } from "./support/postgres/postgres.ts";

test("sessions that a node cannot open do not block others", async () => {
  const server = await PostgresServer.shared();
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
  // The cause may be gone a minute later.
  expect(bad.sessions(performance.now() + 61_000)).toEqual([]);
  await database.close();
}, 120_000);

test("leases are extended while the session of a lost node is being opened", async () => {
  const opening = Promise.withResolvers<void>();
  const extended = Promise.withResolvers<void>();
  let beats = 0;
  let isOpening = false;
  const parts = {
    heartbeatMs: 1,
    onTakeover: "continue",
    database: {},
    nodes: { self: { labels: [] }, beat: async () => {} },
    leases: { extend: async () => new Set(["mine"]), abandoned: async () => ["lost"] },
  } as unknown as HeartbeatParts;
  const heartbeat = new Heartbeat(parts, {
    sessions: () => [
      {
        sessionId: "mine",
        fence: 1,
        status: "running",
        extended: () => {
          if (isOpening) beats += 1;
          if (beats === 3) extended.resolve();
        },
      },
    ],
    workers: () => 1,
    isDraining: () => false,
    lost: () => {},
    resume: () => {
      expect(isOpening).toBe(false); // one at a time
      isOpening = true;
      return opening.promise;
    },
    log: () => {},
  });
  await extended.promise;
  heartbeat.stop();
  opening.resolve();
  expect(beats).toBe(3);
});
