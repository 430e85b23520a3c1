import type { GatewayClient } from "@pintle/client";
import type { Job } from "@pintle/wire";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { withServer } from "./jobs/job-server.ts";
import { jobTable, jobText, progressText } from "./jobs/job-text.ts";
import type { CallOf } from "./subcommand-flags.ts";

type Act = (client: GatewayClient) => Promise<number>;
/** Checks the arguments before contacting the server. */
type Plan = (words: readonly string[], flags: CallOf<"jobs">["flags"]) => Act;

const STATUSES: readonly Job["status"][] = ["queued", "running", "done", "failed", "cancelled", "dead"];

const ACTIONS: Readonly<Record<string, Plan>> = {
  list: (words, flags) => {
    if (words.length > 0) throw new UsageError("pintle jobs list takes no arguments");
    return (client) => list(client, flags);
  },
  show: (words, { json }) => {
    const jobId = only(words, "show");
    return async (client) => {
      const job = await client.job(jobId);
      await printText(json ? `${JSON.stringify(job, null, 2)}\n` : jobText(job));
      return 0;
    };
  },
  cancel: (words, { json }) => {
    const jobId = only(words, "cancel");
    return async (client) => {
      const job = await client.cancelJob(jobId);
      await printText(json ? `${JSON.stringify(job, null, 2)}\n` : `${progressText(job)}\n`);
      return 0;
    };
  },
  retry: (words, { json }) => {
    const jobId = only(words, "retry");
    return async (client) => {
      const job = await client.retryJob(jobId);
      await printText(json ? `${JSON.stringify(job, null, 2)}\n` : `${progressText(job)}\n`);
      return 0;
    };
  },
};

/** Runs `pintle jobs [list | show ID | cancel ID | retry ID]` on the jobs of a server. */
export async function run(call: CallOf<"jobs">): Promise<number> {
  const [word = "list", ...words] = call.words;
  const plan = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  if (!plan) throw new UsageError(`pintle jobs takes list, show, cancel or retry, not "${word}"`);
  const { status, limit } = call.flags;
  if (status !== undefined && !STATUSES.some((one) => one === status))
    throw new UsageError(`--status must be one of ${STATUSES.join(", ")}, not "${status}"`);
  if (limit !== undefined && !/^[1-9]\d{0,2}$/.test(limit))
    throw new UsageError(`--limit takes a number from 1 to 256, not "${limit}"`);
  return withServer(call, plan(words, call.flags));
}

async function list(client: GatewayClient, { status, limit, json }: CallOf<"jobs">["flags"]): Promise<number> {
  const wanted = STATUSES.find((one) => one === status);
  const { jobs, nextCursor } = await client.listJobs({
    ...(wanted && { status: wanted }),
    ...(limit !== undefined && { limit: Number(limit) }),
  });
  if (json) await printText(`${JSON.stringify(jobs, null, 2)}\n`);
  else if (jobs.length === 0) complain("no job has this id");
  else await printText(jobTable(jobs, Date.now()));
  if (nextCursor !== undefined && !json) complain(`there are more than ${jobs.length}; --limit shows up to 256`);
  return 0;
}

function only(words: readonly string[], action: string): string {
  const [jobId, ...rest] = words;
  if (jobId === undefined || rest.length > 0) throw new UsageError(`pintle jobs ${action} takes the id of one job`);
  return jobId;
}
