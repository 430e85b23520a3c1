import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { addUsage, errorText, onAbort, type Usage, zeroUsage } from "@pintle/ai";
import { projectAgentsFolder } from "../agents/agent-places.ts";
import type { TaskDetails, TaskResult } from "../tools/task/task-details.ts";
import { runInBackground, startedText } from "./background-task.ts";
import type { Delegation } from "./delegation.ts";
import { type PlannedTask, planTask } from "./plan-task.ts";
import { readTasks, type TaskRequest } from "./read-tasks.ts";
import { type ReportedTask, reportTask } from "./report-task.ts";
import { failedResult } from "./task-report.ts";
import { Throttle } from "./throttle.ts";

/** A task that cannot start. Its siblings still do. */
interface RefusedTask {
  request: TaskRequest;
  reason: string;
}

const PROGRESS_MS = 250;
const ASYNC_OFF_TEXT =
  "Not started: subagents cannot run in the background, because async work is off (setting async.enabled). Call task without async.";

/** Runs the tasks of one call, all at once, until the last one has ended. Throws before any has started. */
export async function runTasks(
  args: Readonly<Record<string, unknown>>,
  call: ToolInvocation,
  delegation: Delegation,
): Promise<ToolResult<TaskDetails>> {
  const { parts } = delegation;
  const { jobs, subagents } = parts;
  const isAsync = args.async === true;
  if (isAsync && !jobs.isOn) throw new Error(ASYNC_OFF_TEXT);
  const startedAt = parts.now();
  const requests = await readTasks(args);
  if (isAsync) jobs.requireRoom(requests.length);
  await subagents.loadAgents();
  const details = (results: TaskResult[]): TaskDetails => ({
    projectAgentsDir: projectAgentsFolder(parts.cwd()),
    results,
    totalDurationMs: parts.now() - startedAt,
  });

  let planned: readonly (PlannedTask | RefusedTask)[] = [];
  const startable = () => planned.filter((task) => "child" in task);
  const update = new Throttle(() => {
    call.update({ content: [], details: { ...details([]), progress: startable().map(({ child }) => child.progress) } });
  }, PROGRESS_MS);
  const plan = { call, onProgress: () => update.request(), isDetached: isAsync };
  planned = await Promise.all(requests.map((request) => planOrRefuse(request, plan, delegation)));

  const work = planned.map((task) => ({ task, done: report(task, requests.length, delegation) }));
  const becameJobs = Promise.withResolvers<string[]>();
  const becomeJobs = () => {
    const running = work.flatMap(({ task, done }) => ("child" in task && task.child.isRunning ? [{ task, done }] : []));
    const started = running.map(({ task, done }) => runInBackground(task, done, delegation));
    becameJobs.resolve(started.map(({ id }) => id));
    return started;
  };
  if (isAsync) becomeJobs();
  const withdraw = jobs.isOn && !isAsync ? jobs.offerPromotion({ toolCallId: call.id, promote: becomeJobs }) : () => {};
  const forget = onAbort(call.signal, () => {
    for (const { child } of startable()) {
      if (!child.isDetached) void subagents.end(child, "the run that waited for it was ended"); // does not reject
    }
  });
  const jobIds = await Promise.race([becameJobs.promise, Promise.all(work.map(({ done }) => done)).then(() => [])]);
  withdraw();
  const waited = work.flatMap(({ task, done }) => ("child" in task && task.child.isDetached ? [] : [done]));
  const results = (await Promise.all(waited)).map(({ result }) => result);
  forget();
  update.flush();
  const texts = work.map(async ({ task, done }) =>
    "child" in task && task.child.isDetached ? startedText(task.child) : (await done).text,
  );
  const [jobId] = jobIds;
  const hasSucceeded = jobId !== undefined || results.some(({ status }) => status === "completed");
  return {
    content: (await Promise.all(texts)).map((text) => ({ type: "text", text })),
    details: {
      ...details(results),
      usage: totalUsage(results),
      ...(jobId !== undefined && { async: { state: "running", jobId, jobIds, type: "task" } }),
    },
    ...(!hasSucceeded && { isError: true }),
  };
}

async function planOrRefuse(
  request: TaskRequest,
  options: Parameters<typeof planTask>[1],
  delegation: Delegation,
): Promise<PlannedTask | RefusedTask> {
  try {
    return await planTask(request, options, delegation);
  } catch (error) {
    return { request, reason: errorText(error) };
  }
}

async function report(task: PlannedTask | RefusedTask, count: number, delegation: Delegation): Promise<ReportedTask> {
  if ("child" in task) return reportTask(task, count, delegation);
  const result = failedResult(task.request, task.reason);
  return { result, text: `Task ${task.request.index + 1} was not started: ${task.reason}` };
}

function totalUsage(results: readonly TaskResult[]): Usage {
  const total = zeroUsage();
  for (const { usage } of results) if (usage) addUsage(total, usage);
  return total;
}
