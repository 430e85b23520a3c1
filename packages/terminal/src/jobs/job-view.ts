import type { AsyncJob, RpcCore } from "@pintle/client";
import type { App } from "../app.ts";
import { choose } from "../questions/ask.ts";
import { showInPager } from "../screen/pager.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated } from "../text/width.ts";
import { factsOf, jobLabel, jobState } from "./job-text.ts";

const TAIL_BYTES = 8_000;
const TAIL_LINES = 10;
/** Lines that the window needs for the answers and the status line. */
const OTHER_LINES = 9;
const READ_INTERVAL_MS = 500;
const CHUNK_BYTES = 1024 * 1024;
const NOT_KEPT = "… output that was not kept …";

/** Shows a job with the end of its output, updated while it runs, until the user leaves. */
export async function viewJob(app: App, session: RpcCore, given: AsyncJob): Promise<void> {
  const { theme } = app;
  let job = given;
  let tail: string[] = [];
  const read = async () => {
    const { jobs } = await session.getAsyncJobs({ all: true });
    job = jobs.find(({ id }) => id === given.id) ?? job;
    const fromByte = Math.max(0, job.bytes - TAIL_BYTES);
    const { text } = await session.getAsyncJobOutput(job.id, { fromByte });
    tail = shownText(text).trimEnd().split("\n");
    app.redraw();
  };
  await read();
  const timer = setInterval(() => {
    if (job.status !== "running") return clearInterval(timer);
    read().catch((error) => {
      clearInterval(timer);
      app.report(error);
    });
  }, READ_INTERVAL_MS);
  const title = (width: number) => {
    const count = Math.max(1, Math.min(TAIL_LINES, app.rows - OTHER_LINES));
    const lines = tail.length === 1 && tail[0] === "" ? ["no output yet"] : tail.slice(-count);
    return [
      truncated(`${theme.bold(job.id)} ${jobState(factsOf(job))}${theme.dim(` · ${jobLabel(job.label)}`)}`, width),
      ...lines.map((line) => truncated(theme.dim(`  ${line}`), width)),
    ];
  };
  const items = [
    { value: "close", label: "close" },
    ...(job.status === "running" ? [{ value: "stop", label: "stop it", key: "x" }] : []),
    { value: "view", label: "the whole output in the pager", key: "v" },
  ];
  const staysOpen = (value: string) => {
    if (value === "view") showOutput(app, session, job).catch((error) => app.report(error));
    return value === "view";
  };
  try {
    const value = await choose(app, { title, items, staysOpen, isOpenedByUser: true });
    if (value === "stop") await session.cancelAsyncJob(job.id);
  } finally {
    clearInterval(timer);
  }
}

/** Shows the whole output in the pager, which follows it while the job runs. */
async function showOutput(app: App, session: RpcCore, job: AsyncJob): Promise<void> {
  let fromByte = 0;
  let isRunning = true;
  const next = async () => {
    const part = await session.getAsyncJobOutput(job.id, { fromByte, maxBytes: CHUNK_BYTES });
    if (part.text === "" && !isRunning) return undefined;
    isRunning = part.status === "running";
    fromByte = part.nextByte;
    return `${part.truncated ? `${NOT_KEPT}\n` : ""}${shownText(part.text)}`;
  };
  const { env } = app.options;
  const heading = `$ ${shownText(job.label)}`;
  if (job.status === "running") return app.lend(() => showInPager([heading], env, { next }));
  const output = await restOf(next);
  return app.lend(() => showInPager([heading, output.trimEnd()], env));
}

async function restOf(next: () => Promise<string | undefined>): Promise<string> {
  const parts: string[] = [];
  for (let text = await next(); text !== undefined; text = await next()) parts.push(text);
  return parts.join("");
}
