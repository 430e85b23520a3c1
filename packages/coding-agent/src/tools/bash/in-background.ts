import type { ToolInvocation } from "@pintle/agent";
import { onAbort } from "@pintle/ai";
import type { ShellResult } from "@pintle/exec/processes";
import type { AsyncJob } from "@pintle/wire";
import type { BackgroundJobs } from "../../jobs/background-jobs.ts";
import { JobOutput } from "../../jobs/job-output.ts";
import type { CommandRequest, CommandRunner } from "./run-command.ts";

export interface BackgroundOptions {
  jobs: BackgroundJobs;
  /** As the model wrote it. */
  shownCommand: string;
  isAsync: boolean;
  isService: boolean;
  /** Whether the call set the time limit itself. */
  isLimited: boolean;
  /** Turns the command into a job after this time. */
  autoAfterMs: number | undefined;
}

/** A call ends with the result of its command, or with the job that the command has become. */
export type BackgroundOutcome = { result: ShellResult } | { job: AsyncJob; outputSoFar: string };

/** What a promoted call shows of the output so far. */
const SHOWN_CHARS = 8 * 1024;

/** Runs a command that is a background job from the start, or may become one while it runs. */
export async function runWithJobs(
  run: CommandRunner,
  command: CommandRequest,
  call: Pick<ToolInvocation, "id" | "signal">,
  { jobs, shownCommand, isAsync, isService, isLimited, autoAfterMs }: BackgroundOptions,
): Promise<BackgroundOutcome> {
  if (isAsync) jobs.requireRoom();
  const stop = new AbortController();
  const forgetCall = onAbort(call.signal, () => stop.abort(call.signal.reason));
  const output = new JobOutput(command.spill);
  const background = { isJob: isAsync, isLimited };
  const becameJob = Promise.withResolvers<AsyncJob>();
  const becomeJob = () => {
    const finished = running;
    // Throws if the start cannot be stored. The command still belongs to its call then.
    const job = jobs.add({ command: shownCommand, isService, output, finished, stop: () => stop.abort() });
    background.isJob = true;
    forgetCall();
    becameJob.resolve(job);
    return job;
  };
  const startAsJob = () => {
    try {
      becomeJob();
    } catch (error) {
      becameJob.reject(error);
      stop.abort();
    }
  };
  const running: Promise<ShellResult> = run({
    ...command,
    signal: stop.signal,
    background,
    onChunk: (chunk) => output.append(chunk),
    ...(isAsync && { onStart: startAsJob, onUpdate: undefined, spill: undefined }),
  });
  const withdraw = isAsync ? () => {} : jobs.offerPromotion({ toolCallId: call.id, promote: () => [becomeJob()] });
  const promoteQuietly = () => {
    if (background.isJob || !jobs.hasRoom) return;
    try {
      becomeJob();
    } catch {
      // The session store reports that it cannot write. The call continues to wait for its command.
    }
  };
  const timer = isAsync || autoAfterMs === undefined ? undefined : setTimeout(promoteQuietly, autoAfterMs);
  try {
    return await Promise.race([
      becameJob.promise.then((job) => ({ job, outputSoFar: output.tail(SHOWN_CHARS) })),
      running.then((result) => ({ result })),
    ]);
  } finally {
    clearTimeout(timer);
    withdraw();
    forgetCall();
  }
}
