// Measures the statement that stores an entry against the smallest possible one: both commit and reach the disk each
// time.
import { BunDatabase } from "../../../packages/cluster/src/database/bun-database.ts";
import { migrate } from "../../../packages/cluster/src/database/migrate.ts";
import { Leases } from "../../../packages/cluster/src/leases.ts";
import { LogTable } from "../../../packages/cluster/src/log/log-table.ts";
import { Batch } from "../../../packages/gateway/src/sessions/accepted/batch.ts";
import { entryFacts } from "../../../packages/gateway/src/sessions/accepted/entry-facts.ts";
import { median } from "../table.ts";

const NODE = "bench";
const LONG_MS = 3_600_000;
const CONNECTIONS = 8;
const TEXT = "words of an answer that are as long as most are. ".repeat(10);

interface Lane {
  /** Stores the next entry. */
  append(): Promise<void>;
}

export interface AppendTimes {
  /** Milliseconds per sequential commit. */
  alone: { p50: number; p99: number };
  /** Commits per second over several connections. */
  perSecond: number;
}

export async function measureAppends(
  url: string,
  rounds: number,
): Promise<{ bare: AppendTimes; log: AppendTimes; heartbeats: [number, number][] }> {
  const database = new BunDatabase({ url, connections: CONNECTIONS, deadlineMs: 30_000 });
  await migrate(database);
  await database.query(
    "CREATE TABLE bare (session_id text, position bigint, line text, PRIMARY KEY (session_id, position))",
  );
  const leases = new Leases(database, NODE, LONG_MS);
  const table = new LogTable(database, NODE);
  const bareLane = async (name: string): Promise<Lane> => {
    let position = 0;
    return {
      async append() {
        position += 1;
        await database.query("INSERT INTO bare VALUES ($1, $2, $3)", [
          name,
          position,
          JSON.stringify(entryOf(position)),
        ]);
      },
    };
  };
  const logLane = async (name: string): Promise<Lane> => {
    const lease = await leases.take(name);
    if (!lease) throw new Error("the lease is taken");
    await table.create({ sessionId: name, cwd: "/", needs: [], header: "{}", plan: "{}" });
    let writes = 0;
    return {
      async append() {
        const batch = new Batch();
        const entry = entryOf(writes + 1);
        batch.append({ entryId: entry.id, line: JSON.stringify(entry) }, entryFacts(entry));
        await table.write(lease, writes, batch);
        writes += 1;
      },
    };
  };
  const [bare, log] = [await sideBySide(bareLane, logLane, rounds), [] as [number, number][]];
  for (const count of [100, 1_000, 10_000]) log.push([count, await heartbeat(leases, count)]);
  await database.close();
  return { ...bare, heartbeats: log };
}

function entryOf(n: number) {
  const message = { role: "assistant", content: [{ type: "text", text: TEXT }], timestamp: n };
  return {
    type: "message",
    id: n.toString(16).padStart(8, "0"),
    parentId: null,
    timestamp: new Date(n).toISOString(),
    message,
  };
}

type MakeLane = (name: string) => Promise<Lane>;

/** In turns, so that other disk load affects both. */
async function sideBySide(bareLane: MakeLane, logLane: MakeLane, rounds: number) {
  const ways = { bare: bareLane, log: logLane };
  const times = { bare: [] as number[], log: [] as number[] };
  const rates = { bare: [] as number[], log: [] as number[] };
  const alone = { bare: await bareLane("alone"), log: await logLane("alone") };
  const lanes = { bare: await many(bareLane), log: await many(logLane) };
  for (let round = 0; round < 10; round += 1) {
    for (const way of Object.keys(ways) as (keyof typeof ways)[]) {
      for (let n = 0; n < rounds / 10; n += 1) {
        const began = performance.now();
        await alone[way].append();
        if (round > 0) times[way].push(performance.now() - began);
      }
      const began = performance.now();
      await Promise.all(
        lanes[way].map(async (lane) => {
          for (let n = 0; n < rounds / 10; n += 1) await lane.append();
        }),
      );
      if (round > 0) rates[way].push((lanes[way].length * (rounds / 10) * 1_000) / (performance.now() - began));
    }
  }
  const sum = (way: keyof typeof ways): AppendTimes => {
    const sorted = times[way].toSorted((a, b) => a - b);
    return {
      alone: { p50: median(sorted), p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN },
      perSecond: median(rates[way]),
    };
  };
  return { bare: sum("bare"), log: sum("log") };
}

function many(make: MakeLane): Promise<Lane[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => make(`lane-${n}`)));
}

/** Milliseconds to extend this many leases in one statement. */
async function heartbeat(leases: Leases, count: number): Promise<number> {
  const held = [];
  for (let n = 0; n < count; n += 100) {
    const some = await Promise.all(Array.from({ length: 100 }, (_, m) => leases.take(`beat-${count}-${n + m}`)));
    for (const lease of some) if (lease) held.push({ ...lease, status: "idle" });
  }
  const times: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const began = performance.now();
    await leases.extend(held);
    times.push(performance.now() - began);
  }
  return median(times);
}
