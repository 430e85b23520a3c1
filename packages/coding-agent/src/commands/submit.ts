import { resolve } from "node:path";
import { onAbort } from "@pintle/ai";
import type { GatewayClient } from "@pintle/client";
import type { Job } from "@pintle/wire";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { parseSetFlags } from "../config/settings/settings-flags.ts";
import { withServer } from "./jobs/job-server.ts";
import { progressText } from "./jobs/job-text.ts";
import { orEnding } from "./or-ending.ts";
import type { CallOf } from "./subcommand-flags.ts";

const EXIT_CODES: Readonly<Partial<Record<Job["status"], number>>> = { done: 0, failed: 1, dead: 1, cancelled: 3 };

/** Runs `pintle submit "prompt"`: queues a prompt on a server and, with --wait, prints the result. */
export async function run(call: CallOf<"submit">): Promise<number> {
  const params = { prompt: await readPrompt(call), ...readParams(call.flags) };
  return withServer(call, async (client) => {
    const jobId = await client.submit(params);
    if (call.flags.wait) return waitFor(client, jobId, call);
    await printText(call.flags.json ? `${JSON.stringify({ jobId })}\n` : `${jobId}\n`);
    return 0;
  });
}

async function waitFor(client: GatewayClient, jobId: string, { flags, ending }: CallOf<"submit">): Promise<number> {
  const settle = onAbort(ending, () => complain(`the job continues; pintle jobs show ${jobId} shows its state`));
  try {
    const onChange = (job: Job) => complain(`job ${jobId}: ${progressText(job)}`);
    const job = await client.waitForJob(jobId, { onChange, signal: ending });
    if (flags.json) await printText(`${JSON.stringify(job, null, 2)}\n`);
    else if (job.status === "done") await printText(`${job.result?.trimEnd() ?? ""}\n`);
    return EXIT_CODES[job.status] ?? 1;
  } finally {
    settle();
  }
}

async function readPrompt({ words, ending }: CallOf<"submit">): Promise<string> {
  const isPiped = words.length === 0 && !process.stdin.isTTY;
  const prompt = isPiped ? await orEnding(Bun.stdin.text(), ending) : words.join(" ");
  if (prompt.trim() === "") throw new UsageError("pintle submit needs a prompt, as arguments or on stdin");
  return prompt;
}

function readParams({ cwd, model, name, label, set = [], deadline, attempts, priority }: CallOf<"submit">["flags"]) {
  const given = parseSetFlags(set);
  if ("error" in given) throw new UsageError(given.error);
  if (attempts !== undefined && !/^[1-9]\d?$/.test(attempts))
    throw new UsageError(`--attempts takes a number from 1 to 99, not "${attempts}"`);
  if (priority !== undefined && !/^-?\d{1,4}$/.test(priority))
    throw new UsageError(`--priority takes a number from -1000 to 1000, not "${priority}"`);
  return {
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(model !== undefined && { model }),
    ...(name !== undefined && { name }),
    ...(label && { labels: label }),
    ...(set.length > 0 && { settings: given.overrides }),
    ...(deadline !== undefined && { deadline: parseDuration(deadline, "deadline") }),
    ...(attempts !== undefined && { attempts: Number(attempts) }),
    ...(priority !== undefined && { priority: Number(priority) }),
  };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `90s`, `10m` or `2h` and returns milliseconds. A bare number is in seconds. */
function parseDuration(text: string, flag: string): number {
  const [, number = "", unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  const ms = Math.round(Number(number) * (UNITS[unit] ?? 0));
  if (number === "" || ms < 1) throw new UsageError(`--${flag} takes a time such as 90s, 10m or 2h, not "${text}"`);
  return ms;
}
