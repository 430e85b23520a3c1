import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { GatewayClient } from "@pintle/client";
import type { Job } from "@pintle/wire";
import { TestCluster } from "../support/cluster/cluster.ts";

/** The built program; `npm test` builds it before any test runs. */
const program = resolve(import.meta.dir, "../../../../dist/pintle");

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 1, hasSmallDisk: false });
}, 120_000);
afterAll(() => cluster[Symbol.asyncDispose]());

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

function start(args: readonly string[], options: { env?: Record<string, string>; input?: string } = {}) {
  const { env = {}, input = "" } = options;
  return Bun.spawn([program, ...args], {
    cwd: cluster.base,
    env: { PATH: process.env.PATH ?? "", HOME: cluster.base, PINTLE_HOME: join(cluster.base, ".pintle"), ...env },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
}

async function run(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<Said> {
  const child = start(args, options);
  const [stdout, stderr] = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  return { code: await child.exited, stdout: await stdout, stderr: await stderr };
}

const server = () => [
  "--server",
  `http://127.0.0.1:${cluster.members[0]!.node.port}/`,
  "--token-file",
  join(cluster.base, "token"),
];
const OFFLINE = ["--model", "pintle/offline"];

test("submit --wait prints the answer, and the progress on stderr", async () => {
  const said = await run([
    "submit",
    "write",
    "made.txt:",
    "by",
    "hand",
    ...server(),
    ...OFFLINE,
    "--wait",
    "--cwd",
    "root",
  ]);
  expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining("made.txt") });
  expect(said.stderr).toMatch(/^pintle: job \S+: (queued|running on n0)/);
  expect(said.stderr).toMatch(/: done\n$/);
});

test("submit prints the job id, jobs lists it, and the prompt may be on stdin", async () => {
  const { code, stdout } = await run(["submit", ...server(), ...OFFLINE], { input: "hello\n" });
  expect(code).toBe(0);
  const jobId = stdout.trim();
  let job: Job;
  do {
    const shown = await run(["jobs", "show", jobId, "--json", ...server()]);
    job = JSON.parse(shown.stdout) as Job;
  } while (job.status !== "done");
  expect(job).toMatchObject({ jobId, prompt: "hello\n", attempt: 1, node: "n0" });
  expect((await run(["jobs", "show", jobId, ...server()])).stdout).toContain(`jobId: ${jobId}\nstatus: done\n`);
  expect((await run(["jobs", ...server()])).stdout).toMatch(
    new RegExp(`^id +status +age.*\\n(.*\\n)*${jobId} +done`, "m"),
  );
});

test("a job with a schema and a time limit stores the result of its run", async () => {
  const { port } = cluster.members[0]!.node;
  const token = readFileSync(join(cluster.base, "token"), "utf8").trim();
  const client = new GatewayClient({ url: `http://127.0.0.1:${port}/#token=${token}` });
  await client.connect();
  try {
    const outputSchema = { type: "object", properties: { line: { type: "integer" } }, required: ["line"] };
    const given = { model: "pintle/offline", attempts: 1 };
    const done = await client.waitForJob(await client.submit({ ...given, prompt: "list", outputSchema }));
    const promptResult = { status: "completed", endedBy: "stop", output: { line: 0 }, agentInvoked: true };
    expect(done).toMatchObject({ status: "done", promptResult });
    const late = await client.waitForJob(await client.submit({ ...given, prompt: "run sleep 600", timeoutMs: 300 }));
    expect(late).toMatchObject({
      status: "failed",
      error: "The run was ended: its time limit (timeoutMs: 300) was reached",
      promptResult: { status: "aborted", endedBy: "timeout" },
    });
  } finally {
    client.end();
  }
});

test("cancel ends a running job, and a waiting submit exits with 3", async () => {
  const waiting = run(["submit", "run `sleep 600`", ...server(), ...OFFLINE, "--wait", "--json"]);
  const list = async () =>
    JSON.parse((await run(["jobs", "--status", "running", "--json", ...server()])).stdout) as Job[];
  let jobs = await list();
  while (jobs.length === 0 || jobs[0]!.sessionId === undefined) jobs = await list();
  expect((await run(["jobs", "cancel", jobs[0]!.jobId, ...server()])).code).toBe(0);
  const said = await waiting;
  expect(said.code).toBe(3);
  expect(JSON.parse(said.stdout)).toMatchObject({ jobId: jobs[0]!.jobId, status: "cancelled" });
});

test("a failed job exits with 1 and prints the reason", async () => {
  const said = await run(["submit", "hello", ...server(), ...OFFLINE, "--wait", "--cwd", "/"]);
  expect(said).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("roots") });
});

test("interrupting submit --wait leaves the job running", async () => {
  const child = start(["submit", "run `sleep 600`", ...server(), ...OFFLINE, "--wait", "--deadline", "1h"]);
  const reader = child.stderr.getReader();
  let text = "";
  while (!text.includes("running")) text += new TextDecoder().decode((await reader.read()).value);
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  const jobId = /job (\S+):/.exec(text)?.[1] ?? "";
  expect(JSON.parse((await run(["jobs", "show", jobId, "--json", ...server()])).stdout)).toMatchObject({
    status: "running",
  });
  await run(["jobs", "cancel", jobId, ...server()]);
});

test.each([
  [["submit", "x"], 2, "--server needs the server"],
  [["submit", "--server", "http://127.0.0.1:1/", "x"], 1, ""],
  [["submit", "--server", "/absent.sock", "x"], 1, "absent.sock"],
  [["submit", "--server", "S", "--deadline", "soon", "x"], 2, "--deadline takes a time"],
  [["submit", "--server", "S", "--attempts", "0", "x"], 2, "--attempts takes a number"],
  [["submit", "--server", "S", "--set", "nonsense", "x"], 2, "--set"],
  [["submit", "--server", "S", "--token-file", "absent", "x"], 1, ""],
  [["submit", "--server", "http://127.0.0.1:1/", "--token-file", "absent", "x"], 2, "the token file cannot be read"],
  [["jobs", "nonsense"], 2, 'takes list, show, cancel or retry, not "nonsense"'],
  [["jobs", "show", "--server", "S"], 2, "takes the id of one job"],
  [["jobs", "--status", "odd", "--server", "S"], 2, "--status must be one of"],
])("%p ends with %p", async (args, code, text) => {
  const said = await run(args);
  expect({ code: said.code, stdout: said.stdout }).toEqual({ code, stdout: "" });
  expect(said.stderr).toContain(text);
});

test("a wrong token and an unknown job exit with 1", async () => {
  const [, url = ""] = server();
  const wrong = await run(["jobs", "--server", url], { env: { PINTLE_SERVE_TOKEN: "x".repeat(40) } });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("401") });
  const unknown = await run(["jobs", "show", "none", ...server()]);
  expect(unknown).toMatchObject({ code: 1, stderr: "pintle: There is no job none\n" });
});
