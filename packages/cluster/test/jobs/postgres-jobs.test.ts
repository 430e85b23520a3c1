import { beforeAll, expect, test } from "bun:test";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { type JoinedCluster, joinCluster } from "../../src/cluster.ts";
import type { Database, SqlValue } from "../../src/database/database.ts";
import type { TakenJob } from "../../src/jobs/job-table.ts";
import { PostgresJobs } from "../../src/jobs/postgres-jobs.ts";
import { PostgresServer, type TestDatabase } from "../support/postgres/postgres.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.shared();
});

const LEASE_MS = 60_000;

async function join(database: TestDatabase, nodeId: string, labels: string[] = []): Promise<JoinedCluster> {
  return joinCluster({
    url: database.url,
    nodeId,
    name: nodeId.slice(0, 1),
    address: null,
    labels,
    version: "0",
    maxWorkers: 4,
    leaseMs: LEASE_MS,
    heartbeatMs: 1_000,
    storeTimeoutMs: 10_000,
    onTakeover: "report",
    connections: 4,
    sessionDir: "/nowhere",
    blobDir: "/nowhere",
  });
}

/** Two nodes on a database of their own. */
async function twoNodes() {
  const database = await server.database();
  const [a, b] = [await join(database, "a-00000001"), await join(database, "b-00000002", ["gpu"])];
  return {
    a: a.jobs,
    b: b.jobs,
    database: a.database,
    async [Symbol.asyncDispose]() {
      await a.close();
      await b.close();
    },
  };
}

type Nodes = Awaited<ReturnType<typeof twoNodes>>;

/** Expires the lease of the node that has the job, as if the node were lost. */
async function lose({ database, a }: Nodes, { jobId }: TakenJob): Promise<void> {
  await database.query(
    "UPDATE pintle.jobs SET expires_at = clock_timestamp() - interval '1 second' WHERE job_id = $1",
    [jobId],
  );
  await a.tidy();
}

/** Takes a job, and counts the pages that the database reads for it. */
async function pagesOf({ database }: Nodes, nodeId: string): Promise<number> {
  let plan: Record<string, unknown> = {};
  const explained: Database = {
    ...database,
    async query<Row>(text: string, values?: readonly SqlValue[]) {
      const [row] = await database.query<{ "QUERY PLAN": { Plan: Record<string, unknown> }[] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        values,
      );
      const found = row!["QUERY PLAN"];
      plan = (typeof found === "string" ? (JSON.parse(found) as typeof found) : found)[0]!.Plan;
      return [] as Row[];
    },
  };
  const node = { nodeId, name: "a", address: null, labels: [], version: "0", maxWorkers: 4 };
  await new PostgresJobs(explained, node, LEASE_MS).take(1);
  return Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"]);
}

test("a job is taken once, in the order of submission, by a node that has its labels", async () => {
  await using nodes = await twoNodes();
  const { a, b } = nodes;
  const ids: string[] = [];
  for (const prompt of ["one", "two", "three"]) ids.push((await a.submit({ prompt, cwd: "/w" }, undefined)).jobId);
  const needy = await a.submit({ prompt: "four", labels: ["gpu"] }, undefined);
  const [first, rest] = [await a.take(1), await Promise.all([a.take(4), b.take(4)])];
  expect(first).toMatchObject([{ jobId: ids[0], attempt: 1, prompt: "one", start: { cwd: "/w" } }]);
  const taken = rest.flat().map(({ jobId }) => jobId);
  expect([...taken].sort()).toEqual([...ids.slice(1), needy.jobId].sort());
  expect(rest[0].some(({ jobId }) => jobId === needy.jobId)).toBe(false);
  expect(await a.get(ids[0]!)).toMatchObject({ status: "running", attempt: 1, attempts: 2, node: "a", prompt: "one" });
});

test("concurrent takers never get the same job", async () => {
  await using nodes = await twoNodes();
  const { a, b } = nodes;
  for (let at = 0; at < 40; at += 1) await a.submit({ prompt: `${at}` }, undefined);
  const taken = (await Promise.all(Array.from({ length: 16 }, (_, at) => (at % 2 ? a : b).take(5)))).flat();
  expect(new Set(taken.map(({ jobId }) => jobId)).size).toBe(taken.length);
  expect(taken.length).toBe(40);
});

test("the same key returns the same job on every node", async () => {
  await using nodes = await twoNodes();
  const first = await nodes.a.submit({ prompt: "x" }, "key");
  expect(await nodes.b.submit({ prompt: "x" }, "key")).toEqual(first);
  expect((await nodes.a.list({})).jobs.length).toBe(1);
});

test("a lost node causes another attempt, and cannot write when it returns", async () => {
  await using nodes = await twoNodes();
  const { a, b } = nodes;
  const { jobId } = await a.submit({ prompt: "x", retryAfter: 0 }, undefined);
  const [stale] = await a.take(1);
  expect(await a.began(stale!, "s1")).toBe(true);
  await lose(nodes, stale!);
  expect(await a.get(jobId)).toMatchObject({ status: "queued", attempt: 1 });
  const [second] = await b.take(1);
  expect(second).toMatchObject({ jobId, attempt: 2 });
  expect(await b.began(second!, "s2")).toBe(true);
  expect([...(await a.extend([stale!]))]).toEqual([]);
  expect(await a.began(stale!, "s3")).toBe(false);
  expect(await a.ended(stale!, { status: "done", result: "late" })).toBe(false);
  await a.giveBack(stale!, "lost");
  expect(await b.ended(second!, { status: "done", result: "answer", cost: 0.25 })).toBe(true);
  expect(await a.get(jobId)).toMatchObject({
    status: "done",
    result: "answer",
    cost: 0.25,
    sessionId: "s2",
    attempt: 2,
    node: "b",
  });
  expect(await b.ended(second!, { status: "failed", error: "again" })).toBe(false);
});

test("a job that used up its attempts with lost nodes is dead, until it is retried", async () => {
  await using nodes = await twoNodes();
  const { a } = nodes;
  const { jobId } = await a.submit({ prompt: "x", attempts: 1 }, undefined);
  const [job] = await a.take(1);
  await lose(nodes, job!);
  expect(await a.get(jobId)).toMatchObject({ status: "dead", error: "The node that ran it was lost", attempt: 1 });
  expect((await a.list({ status: "dead" })).jobs.map((one) => one.jobId)).toEqual([jobId]);
  expect(await a.take(1)).toEqual([]);
  expect(await a.retry(jobId)).toMatchObject({ status: "queued", attempt: 1, attempts: 3 });
  expect(await rejection(a.retry(jobId))).toMatchObject({ code: "invalid_request" });
  expect(await a.take(1)).toMatchObject([{ jobId, attempt: 2 }]);
});

test("the highest priority is taken first, then the oldest, whatever labels they need", async () => {
  await using nodes = await twoNodes();
  const { a, b } = nodes;
  const submit = async (prompt: string, priority: number, labels: string[] = []) =>
    (await a.submit({ prompt, priority, labels }, undefined)).jobId;
  const low = await submit("low", -5);
  const first = await submit("first", 0);
  const second = await submit("second", 0, ["gpu"]);
  const high = await submit("high", 7, ["gpu"]);
  expect(await a.get(high)).toMatchObject({ priority: 7 });
  const taken = [...(await b.take(1)), ...(await b.take(2)), ...(await b.take(5))];
  expect(taken.map(({ jobId }) => jobId)).toEqual([high, first, second, low]);
});

test("a job waits longer after each lost attempt; an orderly shutdown costs neither time nor attempts", async () => {
  await using nodes = await twoNodes();
  const { a, b, database } = nodes;
  const { jobId } = await a.submit({ prompt: "x", attempts: 3, retryAfter: 60_000 }, undefined);
  const [first] = await a.take(1);
  await a.giveBack(first!, "left");
  expect(await a.get(jobId)).toMatchObject({ status: "queued", attempt: 0 });
  const pauses: number[] = [];
  for (const attempt of [1, 2]) {
    const [job] = await b.take(1);
    expect(await a.get(jobId)).toMatchObject({ status: "running", attempt, attempts: 3 });
    await lose(nodes, job!);
    const { notBefore } = await a.get(jobId);
    const [now] = await database.query<{ now: Date }>("SELECT clock_timestamp() AS now");
    pauses.push(Math.round((Date.parse(notBefore!) - now!.now.getTime()) / 60_000));
    expect(await b.take(1)).toEqual([]);
    await database.query("UPDATE pintle.jobs SET not_before = clock_timestamp() WHERE job_id = $1", [jobId]);
  }
  expect(pauses).toEqual([1, 2]);
  const [last] = await b.take(1);
  await lose(nodes, last!);
  expect(await a.get(jobId)).toMatchObject({ status: "dead", attempt: 3 });
});

test("taking a job reads few pages despite 100,000 waiting jobs with labels that no node has", async () => {
  await using nodes = await twoNodes();
  const { a, database } = nodes;
  await database.query(
    `INSERT INTO pintle.jobs (job_id, prompt, needs)
     SELECT 'none-' || n, 'x', ARRAY['missing-' || n % 20] FROM generate_series(1, 100000) AS n`,
    [],
    60_000,
  );
  await database.query("ANALYZE pintle.jobs");
  const { jobId } = await a.submit({ prompt: "x" }, undefined);
  expect(await pagesOf(nodes, "a-00000001")).toBeLessThan(300); // 2,310 when the queue was read from its beginning
  expect((await a.take(5)).map((one) => one.jobId)).toEqual([]); // the job was taken
  expect(await a.get(jobId)).toMatchObject({ status: "running" });
  expect(await pagesOf(nodes, "a-00000001")).toBeLessThan(300);
}, 120_000);

test("an attempt that never started does not count", async () => {
  await using nodes = await twoNodes();
  const { a, b } = nodes;
  const { jobId } = await a.submit({ prompt: "x", attempts: 1 }, undefined);
  const [job] = await a.take(1);
  await a.giveBack(job!, "unbegun");
  expect(await a.get(jobId)).toMatchObject({ status: "queued", attempt: 0 });
  expect(await b.take(1)).toMatchObject([{ jobId, attempt: 1 }]);
});

test("cancel removes a queued job, and notifies the node of a running one", async () => {
  await using nodes = await twoNodes();
  const { a, b } = nodes;
  const waiting = await a.submit({ prompt: "waits", labels: ["gpu"] }, undefined);
  expect(await a.cancel(waiting.jobId)).toMatchObject({ status: "cancelled" });
  expect(await b.take(1)).toEqual([]);
  const [listens, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  b.onChanged((what) => {
    listens.resolve();
    if (what === "cancelled") heard.resolve();
  });
  await listens.promise;
  const running = await a.submit({ prompt: "runs" }, undefined);
  const [job] = await b.take(1);
  expect(await b.extend([job!])).toEqual(new Map([[running.jobId, { isCancelled: false }]]));
  expect(await a.cancel(running.jobId)).toMatchObject({ status: "running", isCancelling: true });
  expect(await b.extend([job!])).toEqual(new Map([[running.jobId, { isCancelled: true }]]));
  await heard.promise;
  await lose(nodes, job!);
  expect(await a.get(running.jobId)).toMatchObject({ status: "cancelled" });
  expect(await a.cancel(running.jobId)).toMatchObject({ status: "cancelled" });
  expect(await rejection(a.get("none"))).toMatchObject({ code: "not_found" });
});

test("a job that waits past its deadline fails, and is not taken", async () => {
  await using nodes = await twoNodes();
  const { a, database } = nodes;
  const { jobId } = await a.submit({ prompt: "x", deadline: 60_000 }, undefined);
  await database.query("UPDATE pintle.jobs SET deadline = clock_timestamp() WHERE job_id = $1", [jobId]);
  expect(await a.take(1)).toEqual([]);
  await a.tidy();
  expect(await a.get(jobId)).toMatchObject({ status: "failed", error: "It was not done by its deadline" });
  await a.submit({ prompt: "y", deadline: 60_000 }, undefined);
  const [job] = await a.take(1);
  expect(job?.remainingMs).toBeGreaterThan(0);
});

test("lists the newest first, in pages without gaps, by status", async () => {
  await using nodes = await twoNodes();
  const { a } = nodes;
  const ids: string[] = [];
  for (let at = 0; at < 7; at += 1) ids.unshift((await a.submit({ prompt: `${at}` }, undefined)).jobId);
  await a.cancel(ids[3]!);
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await a.list({ limit: 3, ...(cursor !== undefined && { cursor }) });
    seen.push(...page.jobs.map(({ jobId }) => jobId));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  expect(seen).toEqual(ids);
  expect((await a.list({ status: "cancelled" })).jobs.map(({ jobId }) => jobId)).toEqual([ids[3]!]);
  expect(await rejection(a.list({ cursor: "nonsense" }))).toMatchObject({ code: "invalid_request" });
});

test("a submission wakes other nodes", async () => {
  await using nodes = await twoNodes();
  const { a, b } = nodes;
  let heard = 0;
  b.onChanged(() => {
    heard += 1;
  });
  while (heard === 0) await Bun.sleep(5); // it listens
  const before = heard;
  await a.submit({ prompt: "x" }, undefined);
  while (heard === before) await Bun.sleep(5);
  expect(heard).toBeGreaterThan(before);
});
