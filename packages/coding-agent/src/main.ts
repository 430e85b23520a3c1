import { constants } from "node:os";
import { errorText } from "@pintle/ai";
import { SessionError } from "@pintle/storage";
import { changeDirectory } from "./cli/change-directory.ts";
import { FLAGS } from "./cli/flags.ts";
import { NamedPathError } from "./cli/named-path-error.ts";
import { complain } from "./cli/print.ts";
import { UsageError } from "./cli/usage-error.ts";
import type { FamilyCommand } from "./commands/family/find-family-command.ts";
import { EndedError } from "./commands/or-ending.ts";
import { type ProgramArguments, parseProgramArguments } from "./commands/program-arguments.ts";
import { findSubcommand, refuseSlip, runSubcommand, SUBCOMMANDS } from "./commands/subcommands.ts";
import type { Environment } from "./config/keys/environment.ts";
import { StartUpError } from "./config/start-up-error.ts";

const MODES = FLAGS.mode.choices;
type Mode = (typeof MODES)[number];

/**
 * Runs the command that the arguments name and returns the exit code. `ending` fires with the name of the signal that
 * asks the process to end.
 */
export async function main(argv: readonly string[], env: Environment, ending: AbortSignal): Promise<number> {
  const code = await runCommand(argv, env, ending);
  const subcommand = findSubcommand(argv[0]);
  const isEnding = ending.aborted && !(subcommand !== undefined && SUBCOMMANDS[subcommand]?.endsBySignal);
  return isEnding ? signalCode(ending.reason) : code;
}

/** The exit code that a shell reports for a program ended by a signal. */
export function signalCode(signal: keyof typeof constants.signals): number {
  return 128 + constants.signals[signal];
}

async function runCommand(argv: readonly string[], env: Environment, ending: AbortSignal): Promise<number> {
  const subcommand = findSubcommand(argv[0]);
  try {
    if (subcommand !== undefined) return await runSubcommand(subcommand, argv.slice(1), { env, ending });
    if (env.PINTLE_DIALECT) {
      const { findFamilyCommand } = await import("./commands/family/find-family-command.ts");
      const command = findFamilyCommand(argv, env.PINTLE_DIALECT);
      if (command) return await runForFamily(command, env, ending);
    }
    refuseSlip(argv);
    return await runProgram(parseProgramArguments(argv), env, ending);
  } catch (error) {
    const code = exitCode(error);
    if (code === undefined) throw error;
    const message = errorText(error);
    complain(error instanceof UsageError ? `${message}\nTry: ${helpCall(subcommand)}` : message);
    return code;
  }
}

/** Runs a subcommand of pi or oh-my-pi: one that starts a session, one that pintle has as well, or another. */
async function runForFamily({ name, argv }: FamilyCommand, env: Environment, ending: AbortSignal): Promise<number> {
  if (name === "launch") return runProgram(parseProgramArguments(argv), env, ending);
  if (name === "acp") return runProgram(parseProgramArguments(["--mode", "acp", ...argv]), env, ending);
  const subcommand = findSubcommand(name);
  if (subcommand !== undefined) return runSubcommand(subcommand, argv, { env, ending });
  const { runFamilyCommand } = await import("./commands/family/family-commands.ts");
  return runFamilyCommand(name, argv, env);
}

function helpCall(subcommand: string | undefined): string {
  return subcommand === undefined || subcommand === "help" ? "pintle --help" : `pintle ${subcommand} --help`;
}

/**
 * Returns the exit code of a failure whose message is all that a user needs: 2 if the call or the configuration is wrong, 1 if
 * something failed.
 */
function exitCode(error: unknown): number | undefined {
  if (error instanceof UsageError || error instanceof StartUpError) return 2;
  if (error instanceof SessionError || error instanceof EndedError || error instanceof NamedPathError) return 1;
  const isSystemError = error instanceof Error && "syscall" in error && typeof error.syscall === "string";
  return isSystemError ? 1 : undefined;
}

/** The code of each mode is loaded only for that mode. */
async function runProgram(args: ProgramArguments, env: Environment, ending: AbortSignal): Promise<number> {
  const { flags } = args;
  if (flags.help) return (await import("./commands/help.ts")).printUsage();
  if (flags.version) return (await import("./commands/print-version.ts")).printVersion(flags, env);
  const mode = readMode(flags.mode ?? "text");
  if (flags.json && mode !== "text") throw new UsageError(`--json goes with -p and --version, not with --mode ${mode}`);
  changeDirectory(flags.cwd);
  if (flags["list-models"] !== undefined)
    return (await import("./commands/list-models.ts")).listModels(flags["list-models"], args, env);
  if (flags.export !== undefined)
    return (await import("./commands/export-session.ts")).exportSession(flags.export, args, env);
  if (flags.attach !== undefined || (await isForPerson(flags, env)))
    return (await import("./commands/open-terminal.ts")).openTerminal(args, env, ending);
  if (mode === "acp") return (await import("./commands/acp.ts")).runAsMode(args, env, ending);
  if (mode === "rpc" || mode === "rpc-ui") return (await import("./commands/serve-rpc.ts")).serveRpc(args, env, ending);
  return (await import("./commands/answer-once.ts")).answerOnce(mode, args, env, ending);
}

/**
 * Flags that determine how an answer is printed: with one of them, pintle answers one message and exits, even on a
 * terminal.
 */
const PRINT_FLAGS = ["print", "mode", "last", "quiet", "json"] as const;

/** A terminal that cannot move its cursor is treated like a pipe. */
async function isForPerson(flags: ProgramArguments["flags"], { TERM }: Environment): Promise<boolean> {
  if (TERM === "dumb" || PRINT_FLAGS.some((name) => flags[name] !== undefined)) return false;
  const { isatty } = await import("node:tty"); // imported late: it loads Node's streams, which take a tenth of the start-up time in RPC mode
  return isatty(0) && isatty(1);
}

function readMode(mode: string): Mode {
  const known = MODES.find((name) => name === mode);
  if (known) return known;
  throw new UsageError(`--mode must be one of ${MODES.join(", ")}, not "${mode}"`);
}
