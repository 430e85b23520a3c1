import { parse, resolve } from "node:path";
import { serveAcp } from "@pintle/acp";
import { onAbort } from "@pintle/ai";
import { createGateway } from "@pintle/gateway";
import { PERMISSION_MODES, SANDBOX_MODES } from "@pintle/wire";
import { changeDirectory } from "../cli/change-directory.ts";
import { presetOf } from "../cli/flags.ts";
import { complain } from "../cli/print.ts";
import { requireOnePreset } from "../cli/session-options.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Environment } from "../config/keys/environment.ts";
import type { Settings } from "../config/settings/settings.ts";
import { guardStdout } from "../modes/frames/stdout-guard.ts";
import { guardStdin } from "../modes/rpc/stdin-guard.ts";
import { version } from "../version.ts";
import { ownProgram } from "./own-program.ts";
import { type ProgramArguments, plainWords } from "./program-arguments.ts";
import { readEngineOptions, readLimits, readServerSettings } from "./server-settings.ts";
import type { CallOf } from "./subcommand-flags.ts";

/**
 * Runs `pintle acp`: speaks the Agent Client Protocol with the editor that started it, until the editor disconnects or a
 * signal arrives.
 */
export async function run({ flags, words, env, ending }: CallOf<"acp">): Promise<number> {
  if (words.length > 0) throw new UsageError("pintle acp takes no arguments");
  if (flags.permissions !== undefined && !PERMISSION_MODES.some((mode) => mode === flags.permissions))
    throw new UsageError(`--permissions must be one of ${PERMISSION_MODES.join(", ")}, not "${flags.permissions}"`);
  if (flags.sandbox !== undefined && !SANDBOX_MODES.some((mode) => mode === flags.sandbox))
    throw new UsageError(`--sandbox must be one of ${SANDBOX_MODES.join(", ")}, not "${flags.sandbox}"`);
  changeDirectory(flags.cwd);
  if (flags.login) return (await import("./acp/login.ts")).login(env, ending);
  const settings = readServerSettings(flags.set, env);
  // First, so that output of other code never reaches the editor.
  const stdio = { input: guardStdin(), output: guardStdout() };
  const limits = readLimits(settings);
  const cwd = process.cwd();
  const gateway = createGateway({
    command: ownProgram(),
    workerArgs: workerArgs(flags, settings),
    env,
    version,
    limits,
    // The editor acts for the user, who may open any directory.
    roots: [cwd, parse(cwd).root],
    ...readEngineOptions(settings, limits),
    log: complain,
  });
  const served = serveAcp({
    gateway,
    stdio,
    version,
    maxLineBytes: limits.maxFrameBytes,
    roots: settings.get("permissions.roots"),
    sandboxMode: SANDBOX_MODES.find((mode) => mode === flags.sandbox) ?? settings.get("sandbox.mode"),
  });
  await Promise.race([served, new Promise<void>((resolve) => onAbort(ending, resolve))]);
  await gateway.close();
  return 0;
}

const FLAGS_OF_MODE: readonly string[] = ["mode", "cwd", "model", "permissions", "sandbox", "session-dir", "set"];

/** Runs `--mode acp`, for callers that start every mode this way. */
export async function runAsMode(args: ProgramArguments, env: Environment, ending: AbortSignal): Promise<number> {
  const { mode: _mode, cwd: _changed, "approval-mode": approval, ...flags } = args.flags;
  requireOnePreset(args.flags);
  const other = Object.keys(flags).find((name) => !FLAGS_OF_MODE.includes(name));
  if (other !== undefined) throw new UsageError(`--${other} cannot be used with --mode acp; see pintle acp --help`);
  const preset = approval === undefined ? {} : { permissions: presetOf(approval) };
  return run({ flags: { ...(flags as CallOf<"acp">["flags"]), ...preset }, words: plainWords(args), env, ending });
}

/**
 * Returns the options of all sessions. Without a chosen preset, the user is asked before anything outside the project is
 * changed.
 */
function workerArgs(flags: CallOf<"acp">["flags"], settings: Settings): string[] {
  const { model, permissions, sandbox, set = [] } = flags;
  const directory = flags["session-dir"];
  const isChosen = permissions !== undefined || settings.origin("permissions.mode").layer !== "default";
  return [
    ...(directory === undefined ? [] : ["--session-dir", resolve(directory)]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(permissions === undefined ? [] : ["--permissions", permissions]),
    ...(sandbox === undefined ? [] : ["--sandbox", sandbox]),
    ...(isChosen ? [] : ["--set", "permissions.mode=workspace"]),
    ...set.flatMap((value) => ["--set", value]),
  ];
}
