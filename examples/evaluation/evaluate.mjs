// One task: a copy of its workspace, its own agent, its trajectory, its check.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RpcClient } from "@pintle/client";
import { TrajectoryRecorder } from "./trajectory.mjs";

const CHECK_LIMIT_MS = 60_000;

/**
 * Never rejects: every failure is an outcome in the trajectory. `home` is a PINTLE_HOME with models.json and similar
 * files; without it an empty one is used, so that a result does not depend on the machine, and keys come from the
 * environment.
 */
export async function runTask(task, { model, home, args = [], command, keep = false } = {}) {
  const place = mkdtempSync(join(tmpdir(), `evaluate-${task.id}-`));
  const cwd = join(place, "workspace");
  const origin = join(task.directory, "workspace");
  if (existsSync(origin)) cpSync(origin, cwd, { recursive: true });
  else mkdirSync(cwd);
  const chosen = task.model ?? model;
  const client = new RpcClient({
    cwd,
    env: { PINTLE_HOME: home ?? join(place, "home") },
    ...(command && { command }),
    ...(chosen !== undefined && { model: chosen }),
    args: ["--no-session", "--no-trust", ...limitsOf(task), ...args],
  });
  const recorder = new TrajectoryRecorder(client);
  const deadline = AbortSignal.timeout(task.deadlineMs);
  let ready;
  let failure;
  try {
    ready = await client.start({ signal: deadline });
    await client.promptAndWait(task.prompt, { signal: deadline });
  } catch (error) {
    failure = { outcome: "crashed", error: error instanceof Error ? error.message : String(error) };
  }
  if (deadline.aborted) failure = { outcome: "deadline", error: `Not done after ${task.deadlineMs} ms` };
  const usedModel = failure?.outcome === "crashed" ? undefined : await modelOf(client);
  await client.stop();
  const check = await runCheck(task, cwd);
  const outcome = failure?.outcome ?? recorder.outcome ?? "completed";
  const trajectory = recorder.finish({
    task,
    ready,
    check,
    outcome,
    model: usedModel ?? chosen ?? null,
    ...(failure && { error: failure.error }),
  });
  if (!keep) rmSync(place, { recursive: true, force: true });
  return keep ? { ...trajectory, workspace: cwd } : trajectory;
}

const limitsOf = ({ budget, permissions, sandbox }) => [
  "--budget",
  budget,
  "--permissions",
  permissions,
  "--sandbox",
  sandbox,
];

async function modelOf(client) {
  try {
    const { model } = await client.getState();
    return model && `${model.provider}/${model.id}`;
  } catch {
    return undefined; // it ended in the meantime; the outcome says so
  }
}

/**
 * check.sh decides whether the task is solved: exit code 0 means yes. It belongs to the task's author and runs outside
 * the sandbox.
 */
function runCheck(task, cwd) {
  const script = join(task.directory, "check.sh");
  if (!existsSync(script)) return undefined;
  return new Promise((resolve) => {
    execFile("sh", [script], { cwd, timeout: CHECK_LIMIT_MS, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim().slice(-2000);
      resolve({ passed: !error, exitCode: error ? (error.code ?? null) : 0, output });
    });
  });
}
