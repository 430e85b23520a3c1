import { expect } from "bun:test";
import { where } from "../../../coding-agent/test/support/where.ts";
import { CpuLimit, type LimitedSession } from "../../src/workers/cpu-limit.ts";
import { realGateway } from "../support/gateway-fixture.ts";
import { open, prompt } from "../support/session-talk.ts";
import { isType } from "../support/test-host.ts";

const onLinux = where(process.platform === "linux", "needs Linux");

onLinux.test("a run whose tools use too much CPU time is aborted with the reason, and costs no other run", async () => {
  await using served = realGateway({ workerCpuSeconds: 1 });
  const host = served.host();
  expect(await host.get({ type: "get_server_state" })).toMatchObject({ workerLimits: { cpuSeconds: 1 } });
  const settings = { "permissions.mode": "full" };
  const [busy, other] = [await open(host, { settings }), await open(host, { settings })];
  await host.get({ type: "prompt", sessionId: busy, message: "run while :; do :; done" });
  const message = "The run used more than 1 s of CPU time (serve.workerCpuSeconds)";
  expect(await host.until(isType("notice"))).toMatchObject({ sessionId: busy, level: "error", message });
  expect(await host.until(isType("prompt_result"))).toMatchObject({
    sessionId: busy,
    status: "aborted",
    error: { message, retryable: false },
  });
  expect(await prompt(host, other, "help")).toContain("I understand");
  // The next run of the same engine starts from zero.
  expect(await prompt(host, busy, "help")).toContain("I understand");
});

onLinux.test("an engine that does not end its run on request is killed, and the reason is reported", async () => {
  const told: string[] = [];
  const child = Bun.spawn(["sh", "-c", "while :; do :; done"]);
  const session: LimitedSession = {
    runs: 1,
    isRunning: true,
    pid: child.pid,
    limitRun: (reason) => told.push(`abort: ${reason}`),
    killFor(reason) {
      told.push(`kill: ${reason}`);
      child.kill("SIGKILL");
    },
  };
  const limit = new CpuLimit({ seconds: 0.2, sessions: () => [session], everyMs: 50, graceMs: 200 });
  await child.exited;
  limit.stop();
  const reason = "The run used more than 0.2 s of CPU time (serve.workerCpuSeconds)";
  expect(told.slice(0, 2)).toEqual([`abort: ${reason}`, `kill: ${reason}`]);
});
