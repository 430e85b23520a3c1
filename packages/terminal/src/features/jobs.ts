import { type AsyncJob, RpcCommandError, type RpcCore } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { factsOf, jobCount, jobLabel, jobState } from "../jobs/job-text.ts";
import { viewJob } from "../jobs/job-view.ts";
import type { RunningJob } from "../jobs/running-jobs.ts";
import { pick } from "../questions/ask.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated } from "../text/width.ts";

const MAX_ROWS = 4;
/** Calls of these tools can continue in the background. */
const PROMOTABLE: ReadonlySet<string> = new Set(["bash", "task"]);

/** Turns background work on, shows the running jobs above the editor, and lists, opens, stops and promotes them. */
export const jobs: Feature = (app) => {
  /** The running calls that may be promoted, by id. */
  const calls = new Set<string>();
  app.widgets.set("jobs", (width) => panel(app, app.jobs.list, width));
  app.commands.add({
    name: "jobs",
    description: "background jobs: read their output, stop them",
    run: () => pickJob(app),
  });
  app.keys.on("background", () => {
    if (calls.size === 0) return false;
    promote(app).catch((error) => app.report(error));
    return true;
  });
  app.onSession((session) => {
    const started = (id: string, name: string) => {
      if (PROMOTABLE.has(name)) calls.add(id);
    };
    session.on("tool_execution_start", ({ toolCallId, toolName }) => started(toolCallId, toolName));
    session.on("tool_execution_end", ({ toolCallId }) => calls.delete(toolCallId));
    session.on("agent_end", () => calls.clear());
    session.on("session_snapshot", ({ tools }) => {
      calls.clear();
      for (const { toolCallId, toolName } of tools) started(toolCallId, toolName);
    });
    session.on("async_job_start", ({ job }) => app.jobs.started(job));
    session.on("async_job_end", ({ job }) => app.jobs.ended(job));
    session.on("worker_exited", () => app.jobs.clear());
  });
  app.onLost(() => {
    calls.clear();
    app.jobs.clear();
  });
  app.onReady(async (session) => {
    if (await allow(session)) await app.jobs.open(session);
  });
};

/** Lets commands run in the background from the next run on. Returns false if the server is too old. */
async function allow(session: RpcCore): Promise<boolean> {
  await session.setHostCapabilities({ asyncWork: true });
  try {
    await session.getAsyncJobs();
    return true;
  } catch (error) {
    if (error instanceof RpcCommandError && error.code === "unknown_command") return false;
    throw error;
  }
}

function panel(app: App, running: readonly RunningJob[], width: number): string[] {
  const { theme } = app;
  if (running.length === 0) return [];
  const heading = `${theme.bold(capital(jobCount(running.length)))}${theme.dim(" · /jobs")}`;
  if (app.questions.question !== undefined) return [truncated(heading, width)];
  const sign = theme.accent("●");
  const rows = running.slice(0, MAX_ROWS).map(({ job, lastLine }) => {
    const facts = factsOf(job);
    const last = lastLine === "" ? "" : ` · ${shownText(lastLine.trim())}`;
    const state = jobState(facts).replace("running for ", "");
    const room = Math.max(8, Math.floor((width - 4) / 2));
    return `  ${sign} ${truncated(jobLabel(job.label), room)}${theme.dim(` ${state}${last}`)}`;
  });
  const more = running.length > MAX_ROWS ? [theme.dim(`  … ${running.length - MAX_ROWS} more`)] : [];
  return [heading, ...rows, ...more].map((row) => truncated(row, width));
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

async function pickJob(app: App): Promise<void> {
  const { session } = app;
  if (!session) return;
  const { jobs: all } = await session.getAsyncJobs({ all: true });
  if (all.length === 0) return app.say("No command has run in the background in this session.");
  const items = [...all.filter(isRunning), ...all.filter((job) => !isRunning(job)).reverse()].map((job) => ({
    value: job.id,
    label: jobLabel(job.label),
    description: `${job.id}, ${jobState(factsOf(job))}`,
  }));
  const title = [app.theme.bold("Background jobs"), app.theme.dim("enter shows the output, and can stop the job")];
  const id = await pick(app, { title, items });
  const chosen = all.find((job) => job.id === id);
  if (chosen) await viewJob(app, session, chosen);
}

const isRunning = ({ status }: AsyncJob) => status === "running";

async function promote(app: App): Promise<void> {
  const result = await app.session?.backgroundToolCall();
  if (result?.jobIds.length === 0) app.say("This command cannot continue in the background.");
}
