// Prints how PostgreSQL executes the statements of `pintle serve --store` on a large log: fills the tables with a generated
// year, lets a gateway list, search, open, prompt and submit, and prints the plan of each kind of statement as the server
// logged it (auto_explain). `bun bench/soak/cluster-plans.ts [entries [megabytes of shared buffers]]` from the repository's
// root, after a build. Ten million entries need about 10 GB of disk and a quarter of an hour.
import { SQL } from "bun";
import { BunDatabase } from "../../packages/cluster/src/database/bun-database.ts";
import { tidy } from "../../packages/cluster/src/heartbeat.ts";
import { TestCluster } from "../../packages/cluster/test/support/cluster/cluster.ts";
import { generate } from "../support/cluster/generated-log.ts";
import { plansIn } from "../support/cluster/logged-plans.ts";

const [entries = 10_000_000, buffers = 512] = process.argv.slice(2).map(Number);
const PER_SESSION = 100;
const JOBS = 200_000;

const began = Date.now();
const report = (text: string) => console.log(`${((Date.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${text}`);

await using cluster = await TestCluster.start({
  nodes: 1,
  hasSmallDisk: false,
  hasWitness: false,
  settings: { "serve.jobs": 1 },
  postgres: {
    shared_preload_libraries: "auto_explain",
    shared_buffers: `${buffers}MB`,
    max_wal_size: "4GB",
    maintenance_work_mem: "256MB",
    autovacuum: "off",
    log_line_prefix: "@@ ",
  },
});
const { adminUrl, name: database } = cluster.database;
const [member] = cluster.members;
await using admin = new SQL({ url: adminUrl, max: 1 });
await generate(admin, { entries, perSession: PER_SESSION, jobs: JOBS, cwd: cluster.root, report });
for (const [table, size] of await sizes()) report(`${table.padEnd(32)} ${size}`);

const EXPLAIN = { log_analyze: "on", log_buffers: "on", log_parameter_max_length: "0", log_min_duration: "0" };
for (const [key, value] of Object.entries(EXPLAIN))
  await admin.unsafe(`ALTER DATABASE ${database} SET auto_explain.${key} = '${value}'`);
await member?.node.stop();
const from = cluster.server.log.length;
await member?.node.start();
await useIt();
await member?.node.stop();
for (const { text, plan, times, slowest } of plansIn(cluster.server.log.slice(from))) {
  console.log(`\n-- ${times} times, the slowest took ${slowest.toFixed(2)} ms\n${text}\n${plan}`);
}

async function sizes(): Promise<[string, string][]> {
  const rows = await admin.unsafe(
    `SELECT relname, pg_size_pretty(pg_relation_size(oid)) || ', ' || reltuples::bigint || ' rows' AS size FROM pg_class
     WHERE relnamespace = 'pintle'::regnamespace AND pg_relation_size(oid) > 1000000 ORDER BY pg_relation_size(oid) DESC`,
  );
  return rows.map(({ relname, size }: { relname: string; size: string }) => [relname, size]);
}

/** Does what hosts do, once each or a few times. */
async function useIt(): Promise<void> {
  const host = cluster.host("plans");
  await host.connect(member?.node.port ?? 0);
  type Page = { sessions: { sessionId: string; status: string }[]; nextCursor?: string };
  const first = await host.ask<Page>({ type: "list_sessions", limit: 50 });
  await host.ask({ type: "list_sessions", limit: 50, cursor: first.nextCursor });
  await host.ask({ type: "list_sessions", limit: 50, cwd: cluster.root });
  await host.ask({ type: "list_sessions", limit: 50, query: "part 7001" });
  const stored = first.sessions.filter(({ status }) => status === "stored");
  for (const { sessionId } of stored.slice(0, 3)) {
    await host.ask({ type: "open_session", session: sessionId, model: "pintle/offline" }, 60_000);
    const at = host.count;
    await host.ask({ type: "prompt", sessionId, message: "run echo hello", commandKey: `k-${sessionId}` }, 60_000);
    await host.until((frame) => frame.type === "session_settled" && frame.sessionId === sessionId, at, 60_000);
    await host.ask({ type: "close_session", sessionId });
  }
  const { jobId } = await host.ask<{ jobId: string }>({ type: "submit", prompt: "run echo job", cwd: cluster.root });
  await host.ask({ type: "get_job", jobId });
  await host.ask({ type: "list_jobs", limit: 50 });
  await host.ask({ type: "list_jobs", limit: 50, status: "done" });
  await Bun.sleep(2_000); // heartbeats
  const database = new BunDatabase({ url: cluster.database.url, connections: 1, deadlineMs: 60_000 });
  await tidy(database); // what nodes do twice a day
  await database.close();
}
