import { basename } from "node:path";
import { chooseShell, exitWithin, OutputReader } from "@pintle/exec";
import { commandLimits, toToolResult } from "../../tools/bash/result.ts";
import { type BashOperations, byExtension, onThisMachine } from "../../tools/bash/run-command.ts";
import type { ToolContext } from "../../tools/tool-context.ts";
import { standaloneContext } from "./standalone-context.ts";

interface SpawnContext {
  command: string;
  cwd: string;
  env: Record<string, string | undefined>;
}

export interface BashToolOptions {
  operations?: BashOperations;
  /** Has the final say on what runs, where and with which variables. */
  spawnHook?(context: SpawnContext): SpawnContext;
  /** Shell code that is prepended to each command. */
  commandPrefix?: string;
}

interface BashCall {
  command: string;
  timeout?: number;
  cwd?: string;
  env?: Record<string, string>;
}

interface BashProgress {
  signal: AbortSignal;
  update(partial: { content: { type: "text"; text: string }[] }): void;
}

/** Runs `bash` with an extension's options. */
export async function runBash(
  args: BashCall,
  { signal, update }: BashProgress,
  context: ToolContext,
  options: BashToolOptions,
) {
  const { settings } = context;
  const limits = commandLimits(settings);
  const { command, cwd, env } = spawnOf(args, context.cwd(), options);
  const spill = { newPath: () => context.newSpillPath("bash"), maxBytes: settings.get("tools.maxSpillBytes") };
  const show = (text: string) => update({ content: [{ type: "text", text }] });
  const { operations } = options;
  const run = operations ? byExtension(operations) : onThisMachine(await context.processRunner());
  const result = await run({
    command,
    cwd,
    env: operations ? env : changesOf(env),
    timeoutMs: args.timeout === undefined ? undefined : args.timeout * 1000,
    signal,
    limits,
    spill,
    onUpdate: show,
  });
  return toToolResult(result, limits);
}

function spawnOf(args: BashCall, cwd: string, { spawnHook, commandPrefix }: BashToolOptions): SpawnContext {
  const command = commandPrefix ? `${commandPrefix}\n${args.command}` : args.command;
  const wanted = { command, cwd: args.cwd ?? cwd, env: { ...process.env, ...args.env } };
  return spawnHook ? { ...wanted, ...spawnHook(wanted) } : wanted;
}

/** Returns the differences to our own environment; undefined removes a variable. */
function changesOf(env: SpawnContext["env"]): SpawnContext["env"] {
  const gone = Object.keys(process.env).filter((name) => env[name] === undefined);
  const changed = Object.entries(env).filter(([name, value]) => process.env[name] !== value);
  return { ...Object.fromEntries(gone.map((name) => [name, undefined])), ...Object.fromEntries(changed) };
}

/** Runs commands on this machine, for extensions that wrap them. */
export function createLocalBashOperations(): BashOperations {
  return {
    async exec(command, cwd, { onData, signal, timeout, env }) {
      const processRunner = await standaloneContext(cwd).processRunner();
      if (signal?.aborted) throw new Error("aborted");
      const shell = chooseShell(processRunner, cwd);
      const child = processRunner.start({
        command: [shell, "-c", command, basename(shell)],
        cwd,
        env: env ? changesOf(env) : {},
        stderr: "merge",
      });
      const reader = new OutputReader(child.stdout, (chunk) => {
        onData(Buffer.from(chunk));
        return undefined;
      });
      const { code, stoppedFor } = await exitWithin(child, { timeoutMs: (timeout ?? 0) * 1000, signal });
      await reader.drain();
      if (stoppedFor === "timed_out") throw new Error(`timeout:${timeout}`);
      if (stoppedFor) throw new Error("aborted");
      return { exitCode: code ?? null };
    },
  };
}
