import type { ToolInvocation, ToolResult } from "@pintle/agent";
import type { ShellCommand } from "@pintle/exec/processes";
import { traceVariables } from "../../traces/trace-headers.ts";
import { resolveToolPath } from "../shared/paths.ts";
import type { ToolContext } from "../tool-context.ts";
import { runWithJobs } from "./in-background.ts";
import { type BashDetails, commandLimits, startedResult, toToolResult } from "./result.ts";
import { type CommandRequest, inHostTerminal, onThisMachine } from "./run-command.ts";

export type { BashDetails };

export interface BashArguments {
  command: string;
  timeout?: number;
  cwd?: string;
  env?: Record<string, string>;
  /** The command, approved if it needs approval. */
  escalate?: boolean;
  /** Returns at once; the command runs as a background job. */
  async?: boolean;
  /** The same, for a command that is not expected to end. */
  service?: boolean;
}

const DEFAULT_TIMEOUT_S = 300;
const ASYNC_OFF_TEXT =
  "Not started: commands cannot run in the background, because async work is off (setting async.enabled). Run the command without async.";

/**
 * Runs a command that the permissions allow: takes the script that was judged, chooses where it runs, runs it, and
 * describes its end to the model. Throws if nothing was started. A command that was started always has a result.
 */
export async function execute(
  args: BashArguments,
  call: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<BashDetails>> {
  requirePassable(args);
  const { settings } = context;
  const shellPath = settings.get("shellPath");
  const shellPrefix = settings.get("shellCommandPrefix");

  // Permission: exactly the judged command runs.
  const judged = context.scripts?.runFor(call.id, args.command);
  const command = judged?.script ?? args.command;

  // Sandbox: a permission to escalate leaves it. The host's terminal has none, so only commands that may run outside use it.
  const sandbox = args.escalate === true ? undefined : await context.sandbox?.for("model");
  const terminal = sandbox ? undefined : context.workplace?.().terminal;
  const isAsync = args.async === true || args.service === true;
  if (isAsync && !context.jobs) throw new Error(ASYNC_OFF_TEXT);
  if (isAsync && terminal)
    throw new Error("Not started: a command in the host's terminal cannot run in the background.");
  let refusals: (() => string[]) | undefined;
  const wrap: ShellCommand["wrap"] =
    sandbox &&
    (async (start) => {
      const wrapped = await sandbox.wrap(start, judged?.isReadOnly ? "read-only" : undefined);
      refusals = wrapped.refusals;
      return wrapped;
    });
  const run = terminal
    ? inHostTerminal(terminal, call, shellPrefix)
    : onThisMachine(await context.processRunner(), { shellPath, shellPrefix, wrap });

  // Attempt.
  const limits = commandLimits(settings);
  const request: CommandRequest = {
    command,
    cwd: args.cwd === undefined ? context.cwd() : resolveToolPath(args.cwd, context.cwd()),
    env: { ...traceVariables(context.traceOf?.(call.id)), ...args.env },
    timeoutMs: timeoutSeconds(args.timeout, settings.get("tools.maxTimeout")) * 1000,
    signal: call.signal,
    limits,
    spill: spillTarget(context),
    onUpdate: (text) => call.update({ content: [{ type: "text", text }] }),
  };
  const jobs = terminal ? undefined : context.jobs;
  const outcome = jobs
    ? await runWithJobs(run, request, call, {
        jobs,
        shownCommand: args.command,
        isAsync,
        isService: args.service === true,
        isLimited: args.timeout !== undefined,
        autoAfterMs: settings.get("bash.autoBackground.enabled")
          ? settings.get("bash.autoBackground.thresholdMs")
          : undefined,
      })
    : { result: await run(request) };
  if ("job" in outcome) return startedResult(outcome);

  // Result: a failure may be the sandbox's doing.
  const { result } = outcome;
  const { end, head = "", output } = result;
  const mayEscalate = context.sandbox?.mayEscalate?.() ?? true;
  const hint =
    "exitCode" in end
      ? sandbox?.hint({ exitCode: end.exitCode, output: `${head}${output}`, refusals: refusals?.() ?? [] }, mayEscalate)
      : undefined;
  const isSandboxed = sandbox !== undefined;
  return toToolResult(result, limits, { hint, isInterrupted: isByUser(call.signal), isSandboxed });
}

/** Whether the user aborted the call. A run that ends because of a limit or a denial reports that itself. */
function isByUser({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof Error && "endedBy" in reason);
}

/** Larger numbers are taken as milliseconds, the unit of other agents' tools. */
const LEAST_MILLISECONDS = 10_000;

/** Returns the time limit of a command. `longest` is 0 if the settings set no limit. */
export function timeoutSeconds(asked: number | undefined, longest: number): number {
  const given = asked ?? DEFAULT_TIMEOUT_S;
  const seconds = given >= LEAST_MILLISECONDS ? given / 1000 : given;
  return longest > 0 ? Math.min(seconds, longest) : seconds;
}

function spillTarget(context: ToolContext): ShellCommand["spill"] {
  const maxBytes = context.settings.get("tools.maxSpillBytes");
  return maxBytes > 0 ? { newPath: () => context.newSpillPath("bash"), maxBytes } : undefined;
}

/** Refuses strings that the system would truncate, or refuse with an unhelpful message. */
function requirePassable({ command, env = {} }: BashArguments): void {
  if (command.includes("\0")) throw new Error("The command contains a NUL character, which no shell accepts.");
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || name.includes("=") || name.includes("\0")) {
      throw new Error(`env: ${JSON.stringify(name)} is not a valid variable name.`);
    }
    if (value.includes("\0")) throw new Error(`env: the value of ${name} contains a NUL character.`);
  }
}
