// Measures what several nodes on one PostgreSQL cost, against what they replace in the same run: a commit against a
// bare INSERT, a turn against one with session files, a takeover, many leases, jobs on three nodes against one. The
// server writes to disk with every commit, as a real one does. `npm run bench cluster`.

import { type ClusterOptions, TestCluster } from "../packages/cluster/test/support/cluster/cluster.ts";
import { type RecordingHost, Refused } from "../packages/cluster/test/support/cluster/recording-host.ts";
import { PostgresServer } from "../packages/cluster/test/support/postgres/postgres.ts";
import { figuresOf, processesWith } from "./soak/process-figures.ts";
import { startToolModel } from "./soak/tool-model.ts";
import { measureAppends } from "./support/cluster/appends.ts";
import { ServePlace } from "./support/served.ts";
import { median, printTable } from "./support/table.ts";

const APPENDS = 600;
const TURNS = 60;
const LONG_TURNS = 250;
const ACTIVE = 20;
const JOBS = 60;
const LEASE_MS = 2_000;
/** Configured like a real server, with the shared buffers of a small one. */
const DURABLE = { fsync: "on", shared_buffers: "128MB", max_wal_size: "1GB" };
const MODEL = "soak/soak";

function started(options: ClusterOptions): Promise<TestCluster> {
  return TestCluster.start({ hasSmallDisk: false, hasWitness: false, postgres: DURABLE, ...options });
}

async function settle(host: RecordingHost, sessionId: string, message: string): Promise<number> {
  const began = performance.now();
  const from = host.count;
  await host.ask({ type: "prompt", sessionId, message, commandKey: message }, 60_000);
  await host.until((frame) => frame.type === "session_settled" && frame.sessionId === sessionId, from, 60_000);
  return performance.now() - began;
}

{
  await using server = await PostgresServer.start({ settings: DURABLE });
  const { bare, log, heartbeats } = await measureAppends((await server.database()).url, APPENDS);
  printTable([
    ["one entry, one commit, one fsync", "p50 ms", "p99 ms", "per second, 8 connections"],
    ["bare INSERT", bare.alone.p50.toFixed(2), bare.alone.p99.toFixed(2), bare.perSecond.toFixed(0)],
    ["append under a lease", log.alone.p50.toFixed(2), log.alone.p99.toFixed(2), log.perSecond.toFixed(0)],
    [
      "ratio",
      (log.alone.p50 / bare.alone.p50).toFixed(2),
      (log.alone.p99 / bare.alone.p99).toFixed(2),
      (bare.perSecond / log.perSecond).toFixed(2),
    ],
  ]);
  console.log();
  printTable([["leases extended by one heartbeat", "ms"], ...heartbeats.map(([count, ms]) => [count, ms.toFixed(1)])]);
}

// A turn with a call of bash: files and store take turns.
{
  using model = startToolModel();
  using place = new ServePlace(model.config);
  const served = await place.serve({ "permissions.mode": "full" });
  const files = await served.byWebSocket();
  const { sessionId: fileSession } = await files.ask<{ sessionId: string }>({ type: "open_session", model: MODEL });
  await using cluster = await started({ nodes: 2, models: model.config });
  const [near, far] = [cluster.host("near"), cluster.host("far")];
  await near.connect(cluster.members[0]?.node.port ?? 0);
  await far.connect(cluster.members[1]?.node.port ?? 0);
  const open = { type: "open_session", model: MODEL, cwd: cluster.root };
  const { sessionId } = await near.ask<{ sessionId: string }>(open);
  const { sessionId: carried } = await near.ask<{ sessionId: string }>(open);
  await far.ask({ type: "open_session", session: carried });
  const times = { files: [] as number[], store: [] as number[], carried: [] as number[] };
  const wal = () =>
    cluster.server.admin(async (sql) => Number((await sql`SELECT pg_current_wal_lsn() - '0/0' AS bytes`)[0].bytes));
  const commits = () =>
    cluster.server.admin(async (sql) =>
      Number(
        (await sql`SELECT sum(xact_commit) AS n FROM pg_stat_database WHERE datname = ${cluster.database.name}`)[0].n,
      ),
    );
  const [walBefore, commitsBefore] = [await wal(), await commits()];
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const settled = files.until((frame) => frame.type === "session_settled");
    const began = performance.now();
    await files.ask({ type: "prompt", message: `echo f${turn}`, sessionId: fileSession });
    await settled;
    const each = {
      files: performance.now() - began,
      store: await settle(near, sessionId, `echo s${turn}`),
      carried: await settle(far, carried, `echo c${turn}`),
    };
    if (turn > 0) for (const way of Object.keys(times) as (keyof typeof times)[]) times[way].push(each[way]);
  }
  const base = median(times.files);
  console.log();
  printTable([
    ["a turn with a call of bash", "p50 ms", "added ms", "ratio"],
    ...Object.entries({
      "session files": times.files,
      store: times.store,
      "store, over another node": times.carried,
    }).map(([name, all]) => [
      name,
      median(all).toFixed(1),
      (median(all) - base).toFixed(1),
      (median(all) / base).toFixed(2),
    ]),
  ]);
  const turns = 2 * (TURNS + 1);
  console.log();
  printTable([
    ["of the database, per turn", ""],
    ["commits, heartbeats included", (((await commits()) - commitsBefore) / turns).toFixed(1)],
    ["kB of WAL", (((await wal()) - walBefore) / turns / 1_000).toFixed(1)],
  ]);
  files.close();
  await served.end();
}

// Another node continues a session.
{
  using model = startToolModel();
  await using cluster = await started({
    nodes: 2,
    models: model.config,
    settings: { "serve.leaseMs": LEASE_MS, "serve.heartbeatMs": 500 },
  });
  const [one, two] = cluster.members;
  const [near, far] = [cluster.host("near"), cluster.host("far")];
  await near.connect(one?.node.port ?? 0);
  await far.connect(two?.node.port ?? 0);
  const { sessionId } = await near.ask<{ sessionId: string }>({
    type: "open_session",
    model: MODEL,
    cwd: cluster.root,
  });
  for (let turn = 0; turn < 2; turn += 1) await settle(near, sessionId, `echo short${turn}`);
  const short = await handOver(near, far, sessionId);
  for (let turn = 0; turn < LONG_TURNS; turn += 1) await settle(near, sessionId, `echo long${turn}`);
  const long = await handOver(near, far, sessionId);
  await one?.node.kill();
  const killed = await openedAgain(far, sessionId);
  console.log();
  printTable([
    ["another node continues a session", "ms to its first answer"],
    ["closed, 8 messages", short.toFixed(0)],
    [`closed, ${4 * (LONG_TURNS + 2)} messages`, long.toFixed(0)],
    [`its node was killed (lease ${LEASE_MS} ms)`, killed.toFixed(0)],
  ]);
}

/** Closed here and opened there, and back. */
async function handOver(near: RecordingHost, far: RecordingHost, sessionId: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      await from.ask({ type: "close_session", sessionId });
      const began = performance.now();
      await to.ask({ type: "open_session", session: sessionId }, 60_000);
      times.push(performance.now() - began);
    }
  }
  return median(times);
}

async function openedAgain(host: RecordingHost, sessionId: string): Promise<number> {
  for (const began = performance.now(); ; ) {
    try {
      await host.ask({ type: "open_session", session: sessionId }, 60_000);
      return performance.now() - began;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await Bun.sleep(20);
    }
  }
}

// Memory with active sessions.
{
  using model = startToolModel();
  await using cluster = await started({ nodes: 1, models: model.config });
  const host = cluster.host("many");
  await host.connect(cluster.members[0]?.node.port ?? 0);
  const pid = cluster.members[0]?.node.pid ?? 0;
  const before = figuresOf(pid);
  for (let n = 0; n < ACTIVE; n += 1) {
    const { sessionId } = await host.ask<{ sessionId: string }>({
      type: "open_session",
      model: MODEL,
      cwd: cluster.root,
    });
    await settle(host, sessionId, `echo m${n}`);
  }
  const after = figuresOf(pid);
  const workers = processesWith(cluster.base)
    .filter((one) => one !== pid)
    .map((one) => figuresOf(one).pssMb);
  console.log();
  printTable([
    ["memory of a node", "gateway PSS MB", "workers", "PSS MB each"],
    ["no session", before.pssMb.toFixed(1), 0, ""],
    [`${ACTIVE} active sessions`, after.pssMb.toFixed(1), workers.length, median(workers).toFixed(1)],
  ]);
}

// Jobs whose model takes a while, as real ones do: slots limit the nodes, not this machine's processors.
{
  using model = startToolModel({ delayMs: 500 });
  const rates: number[] = [];
  for (const nodes of [1, 3]) {
    await using cluster = await started({ nodes, models: model.config, settings: { "serve.jobs": 4 } });
    const host = cluster.host("clerk");
    await host.connect(cluster.members[0]?.node.port ?? 0);
    const began = performance.now();
    const jobs: string[] = [];
    for (let n = 0; n < JOBS; n += 1) {
      const submit = { type: "submit", prompt: `echo j${n}`, model: MODEL, cwd: cluster.root, commandKey: `j${n}` };
      jobs.push((await host.ask<{ jobId: string }>(submit)).jobId);
    }
    for (const jobId of jobs) {
      for (let status = "queued"; status !== "done"; ) {
        ({ status } = await host.ask<{ status: string }>({ type: "get_job", jobId }));
        if (status === "failed") throw new Error(`the job ${jobId} has failed`);
        if (status !== "done") await Bun.sleep(20);
      }
    }
    rates.push((JOBS * 1_000) / (performance.now() - began));
  }
  const [one = 1, three = 1] = rates;
  console.log();
  printTable([
    ["jobs of 1 s, 4 slots per node", "jobs per second", "ratio"],
    ["one node", one.toFixed(1), "1.00"],
    ["three nodes", three.toFixed(1), (three / one).toFixed(2)],
  ]);
}
