import { beforeAll, expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "@pintle/wire";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { type GatewayFixture, LIMITS, realGateway } from "../../../gateway/test/support/gateway-fixture.ts";
import type { TestHost } from "../../../gateway/test/support/test-host.ts";
import { type JoinedCluster, joinCluster } from "../../src/cluster.ts";
import { PostgresServer, type TestDatabase } from "../support/postgres/postgres.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.shared();
});

interface JobNode extends AsyncDisposable {
  served: GatewayFixture;
  cluster: JoinedCluster;
  host: TestHost;
}

/** A node with the offline model that runs jobs. */
async function jobNode(database: TestDatabase, { name = "n", slots = 2, drainMs = 60_000 } = {}): Promise<JobNode> {
  const sessionDir = scratchPath();
  const cluster = await joinCluster({
    url: database.url,
    nodeId: `${name}-00000001`,
    name,
    address: null,
    labels: [],
    version: "0",
    maxWorkers: 8,
    leaseMs: 60_000,
    heartbeatMs: 50,
    storeTimeoutMs: 60_000,
    onTakeover: "report" as const,
    connections: 4,
    sessionDir,
    blobDir: sessionDir,
  });
  const workerArgs = ["--model", "offline", "--session-dir", sessionDir, "--set", "permissions.mode=full"];
  const served = realGateway({ cluster, jobSlots: slots, drainMs, workerArgs, limits: LIMITS });
  return {
    served,
    cluster,
    host: served.host(),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      rmSync(sessionDir, { recursive: true, force: true });
    },
  };
}

const submit = async (host: TestHost, fields: object): Promise<string> =>
  (await host.get<{ jobId: string }>({ type: "submit", ...fields })).jobId;

async function job(host: TestHost, jobId: string, isIt: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const found = await host.get<Job>({ type: "get_job", jobId });
    if (isIt(found)) return found;
    await Bun.sleep(10);
  }
}

const ended = ({ status }: Job) => status !== "queued" && status !== "running";
const running = ({ status, sessionId }: Job) => status === "running" && sessionId !== undefined;

test("a job runs in a session of its own; result, cost and session can be read", async () => {
  await using node = await jobNode(await server.database());
  const { host, served } = node;
  const jobId = await submit(host, { prompt: "write out.txt: made by a job", cwd: served.cwd, name: "batch" });
  const done = await job(host, jobId, ended);
  expect(done).toMatchObject({ status: "done", attempt: 1, node: "n", cost: 0 });
  expect(done.result).toContain("out.txt");
  expect(existsSync(join(served.cwd, "out.txt"))).toBe(true);
  await host.get({ type: "open_session", session: done.sessionId });
  const { entries } = await host.get<{ entries: unknown[] }>({ type: "get_entries", sessionId: done.sessionId });
  expect(JSON.stringify(entries)).toContain("made by a job");
  expect((await host.get<{ jobs: Job[] }>({ type: "list_jobs" })).jobs).toMatchObject([{ jobId, status: "done" }]);
});

test("runs at most as many jobs at once as the node has slots, and all of them end", async () => {
  await using node = await jobNode(await server.database(), { slots: 2 });
  const { host, served } = node;
  const gate = join(served.cwd, "gate");
  const prompt = `run \`while [ ! -e ${gate} ]; do sleep 0.02; done; echo over\``;
  const ids = await Promise.all(Array.from({ length: 5 }, () => submit(host, { prompt })));
  await served.until(() => served.gateway.state().sessions.running === 2, "two jobs at work");
  const { jobs } = await host.get<{ jobs: Job[] }>({ type: "list_jobs", status: "running" });
  expect(jobs.length).toBe(2);
  writeFileSync(gate, "");
  for (const id of ids) expect((await job(host, id, ended)).status).toBe("done");
});

test("cancel_job and the deadline abort a running job", async () => {
  await using node = await jobNode(await server.database());
  const { host, served } = node;
  const first = await submit(host, { prompt: "run `sleep 600`" });
  await job(host, first, running);
  await served.until(() => served.gateway.state().sessions.running === 1, "a run");
  await host.get({ type: "cancel_job", jobId: first });
  expect(await job(host, first, ended)).toMatchObject({ status: "cancelled" });
  const second = await submit(host, { prompt: "run `sleep 600`", deadline: 1_000 });
  expect(await job(host, second, ended)).toMatchObject({ status: "failed", error: "It was not done by its deadline" });
  await served.until(() => served.gateway.state().workers === 0, "the engines to end");
});

test("a crashed engine or a failed start fails the job without another attempt", async () => {
  await using node = await jobNode(await server.database());
  const { host, served } = node;
  const killed = await submit(host, { prompt: "run `sleep 600`", cwd: served.cwd });
  await job(host, killed, running);
  await served.until(() => served.gateway.state().sessions.running === 1, "a run");
  served.killWorkers();
  expect(await job(host, killed, ended)).toMatchObject({
    status: "failed",
    attempt: 1,
    error: expect.stringContaining("engine"),
  });
  const outside = await submit(host, { prompt: "hello", cwd: "/" });
  expect(await job(host, outside, ended)).toMatchObject({ status: "failed", error: expect.stringContaining("roots") });
});

test("a node that shuts down hands its jobs to another one", async () => {
  const database = await server.database();
  await using second = await jobNode(database, { name: "second", slots: 0 });
  const { host } = second;
  let jobId = "";
  {
    await using first = await jobNode(database, { name: "first", drainMs: 1 });
    jobId = await submit(first.host, { prompt: "run `sleep 600`" });
    await job(host, jobId, running);
    await first.served.until(() => first.served.gateway.state().sessions.running === 1, "a run");
    await first.served.gateway.drain();
  }
  expect(await job(host, jobId, ({ status }) => status === "queued")).toMatchObject({ attempt: 0 });
});

test("without a database jobs are refused", async () => {
  await using served = realGateway();
  expect(await served.host().ask({ type: "submit", prompt: "x" })).toMatchObject({ code: "not_supported" });
});
