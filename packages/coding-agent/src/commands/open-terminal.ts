import { isatty } from "node:tty";
import { knownProviders } from "@pintle/ai";
import { runTerminal } from "@pintle/terminal";
import { wordsBeside } from "../cli/args.ts";
import { FLAGS } from "../cli/flags.ts";
import { toPrompts } from "../cli/prompt-words.ts";
import { UsageError } from "../cli/usage-error.ts";
import { homeDirectory } from "../config/home-dir.ts";
import type { Environment } from "../config/keys/environment.ts";
import { Settings } from "../config/settings/settings.ts";
import { version } from "../version.ts";
import { ownProgram } from "./own-program.ts";
import type { ProgramArguments } from "./program-arguments.ts";

/** Opens the terminal interface, with its own engine or attached to a gateway. */
export async function openTerminal(args: ProgramArguments, env: Environment, ending: AbortSignal): Promise<number> {
  const { flags } = args;
  if (!isatty(0) || !isatty(1) || env.TERM === "dumb")
    throw new UsageError("--attach needs a terminal that can move its cursor");
  const words = wordsBeside(args, () => true);
  return runTerminal({
    version,
    // Local servers need no key.
    providers: knownProviders.filter(({ baseUrlVariable }) => baseUrlVariable === undefined),
    command: ownProgram(),
    args: [...presetOf(args, env), ...engineArguments(args)],
    ...(flags.attach !== undefined && { attach: attachment(flags.attach, flags.session) }),
    prompts: toPrompts(words, flags.message ?? [], ""),
    isPickingSession: flags.resume === true,
    cwd: process.cwd(),
    homeDirectory: homeDirectory(env),
    env,
    ending,
  });
}

/** Default preset: the user is asked before anything outside the project is changed. */
function presetOf({ flags }: ProgramArguments, env: Environment): string[] {
  if (flags.permissions !== undefined) return [];
  const settings = Settings.create(process.cwd(), homeDirectory(env), { report: () => {} }); // the engine reports it
  return settings.origin("permissions.mode").layer === "default" ? ["--set=permissions.mode=workspace"] : [];
}

function attachment(place: string, sessionId: string | undefined) {
  return { place, ...(sessionId !== undefined && { sessionId }) };
}

/** Returns the flags about the session as arguments for the engine. */
function engineArguments({ flags, unknown }: ProgramArguments): string[] {
  const given: Readonly<Record<string, unknown>> = flags;
  const own = Object.entries(FLAGS).flatMap(([name, row]) => {
    const value = given[name];
    const isChosenLater = name === "resume" && value === true;
    return "option" in row && value !== undefined && !isChosenLater ? written(name, value) : [];
  });
  const others = [...unknown].flatMap(([name, value]) => {
    return typeof value === "object" ? [`--${name}`, value.next] : written(name, value);
  });
  return ["--user-settings", ...own, ...others];
}

function written(name: string, value: unknown): string[] {
  if (value === true) return [`--${name}`];
  return (Array.isArray(value) ? value : [value]).map((one) => `--${name}=${one}`);
}
