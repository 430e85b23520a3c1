// The database stores conversations, not files. Tests the two ways that docs/cluster.md describes for keeping a session's files
// with it.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TestCluster } from "../support/cluster/cluster.ts";
import { type RecordingHost, Refused } from "../support/cluster/recording-host.ts";

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
    cwd,
    encoding: "utf8",
  }).trim();

/** A lost node has its sessions until its lease expires, so the other node retries until then. */
async function open(host: RecordingHost, sessionId: string): Promise<void> {
  for (;;) {
    try {
      await host.ask({ type: "open_session", session: sessionId }, 30_000);
      return;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await Bun.sleep(100);
    }
  }
}

async function settled(host: RecordingHost, sessionId: string, message: string): Promise<string> {
  const from = host.count;
  await host.ask({ type: "prompt", sessionId, message });
  await host.until(({ type, sessionId: id }) => type === "session_settled" && id === sessionId, from);
  const { text } = await host.ask<{ text: string }>({ type: "get_last_assistant_text", sessionId });
  return text;
}

test("a shared directory: the node that takes over finds the files of the lost one", async () => {
  await using cluster = await TestCluster.start({ nodes: 2, hasSmallDisk: false });
  const [lost, next] = cluster.members;
  const [first, second] = [cluster.host("first"), cluster.host("second")];
  await first.connect(lost!.node.port);
  const { sessionId } = await first.ask<{ sessionId: string }>({
    type: "open_session",
    cwd: cluster.root,
    model: "pintle/offline",
  });
  await settled(first, sessionId, "run echo from-the-first > note.txt");
  await lost!.node.kill();
  await second.connect(next!.node.port);
  await open(second, sessionId);
  expect(await settled(second, sessionId, "run cat note.txt")).toContain("from-the-first");
});

test("a checkout per job: each job works on its own branch, which is in the repository afterwards", async () => {
  await using cluster = await TestCluster.start({ nodes: 2, hasSmallDisk: false });
  const [repository, seed] = [join(cluster.base, "app.git"), join(cluster.base, "seed")];
  mkdirSync(seed);
  git(seed, "init", "-q", "-b", "main");
  git(seed, "commit", "-q", "--allow-empty", "-m", "base");
  git(cluster.base, "clone", "-q", "--bare", seed, repository);
  const host = cluster.host("clerk");
  await host.connect(cluster.members[0]!.node.port);
  const jobs = await Promise.all(
    ["one", "two"].map(async (name) => {
      const cwd = join(cluster.root, `job-${name}`);
      git(repository, "worktree", "add", "-q", "-b", `job/${name}`, cwd, "main");
      const commit = "git -c user.name=t -c user.email=t@example.org";
      const prompt = `run echo ${name} > file.txt && ${commit} add -A && ${commit} commit -q -m 'by ${name}'`;
      const { jobId } = await host.ask<{ jobId: string }>({ type: "submit", prompt, cwd, model: "pintle/offline" });
      return { name, cwd, jobId };
    }),
  );
  for (const { name, cwd, jobId } of jobs) {
    let job: { status: string; error?: string } = { status: "queued" };
    while (job.status === "queued" || job.status === "running") {
      job = await host.ask<typeof job>({ type: "get_job", jobId });
      await Bun.sleep(20);
    }
    expect(job).toMatchObject({ status: "done" });
    expect(git(repository, "log", "--format=%s", `main..job/${name}`)).toBe(`by ${name}`);
    expect(readFileSync(join(cwd, "file.txt"), "utf8")).toBe(`${name}\n`);
    git(repository, "worktree", "remove", "--force", cwd);
  }
  expect(git(repository, "log", "--format=%s", "main")).toBe("base");
});
