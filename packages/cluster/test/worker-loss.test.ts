import { expect, test } from "bun:test";
import { promptsOnce } from "./support/audit/check-prompts.ts";
import { readEvidence } from "./support/audit/read-evidence.ts";
import { TestCluster } from "./support/cluster/cluster.ts";
import { type RecordingHost, Refused } from "./support/cluster/recording-host.ts";
import { killIfThere } from "./support/postgres/processes.ts";

const PROMPTS = 12;

/** Its engines crash repeatedly, so it may have to be reopened. */
async function opened(host: RecordingHost, sessionId: string): Promise<void> {
  for (;;) {
    try {
      await host.ask({ type: "open_session", session: sessionId });
      return;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await Bun.sleep(50);
    }
  }
}

test("engines killed right after accepting a prompt lose none", async () => {
  await using cluster = await TestCluster.start({ nodes: 1, hasSmallDisk: false });
  const { node } = cluster.members[0]!;
  const host = cluster.host("h");
  await host.connect(node.port);
  const { sessionId } = await host.ask<{ sessionId: string }>({
    type: "open_session",
    cwd: cluster.root,
    model: "pintle/offline",
  });
  host.onFrame = ({ type, command, success }) => {
    if (type === "response" && command === "prompt" && success === true)
      for (const pid of node.workers()) killIfThere(pid);
  };
  let acknowledged = 0;
  for (let n = 0; n < PROMPTS; n += 1) {
    await opened(host, sessionId);
    const from = host.count;
    try {
      await host.ask({ type: "prompt", sessionId, message: `run echo word-${n}`, commandKey: `k-${n}` });
      acknowledged += 1;
      await host.until(({ type }) => type === "worker_exited" || type === "session_moved", from);
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // the engine was already gone
    }
  }
  host.onFrame = () => {};
  await opened(host, sessionId);
  await host.ask({ type: "get_state", sessionId });
  expect(acknowledged).toBeGreaterThanOrEqual(PROMPTS / 2);
  expect(promptsOnce(await readEvidence(cluster.database.adminUrl, cluster.transcripts, []))).toEqual([]);
});
