import { type Arguments, parseArguments, wordsBeside } from "../cli/args.ts";
import { ACCEPTED_FLAGS, FLAGS } from "../cli/flags.ts";
import { complain } from "../cli/print.ts";
import { sessionOptions } from "../cli/session-options.ts";
import type { Environment } from "../config/environment.ts";
import type { CreateAgentSessionOptions, CreatedSession } from "../sdk.ts";

const ALL_FLAGS = { ...FLAGS, ...ACCEPTED_FLAGS };

export type ProgramArguments = Arguments<typeof ALL_FLAGS>;

export function parseProgramArguments(argv: readonly string[]): ProgramArguments {
  return parseArguments(argv, ALL_FLAGS);
}

/** What the flags say about a session, and what is true for every session of the program. */
export function programOptions(
  { flags, unknown }: ProgramArguments,
  env: Environment,
  { isRpc }: { isRpc: boolean },
): CreateAgentSessionOptions {
  return {
    ...sessionOptions(flags, { isRpc, warn: complain }),
    env,
    rpc: isRpc,
    report: complain,
    extensionFlags: unknown,
    publicExports: () => import("../index.ts"),
    ownsProcess: true,
  };
}

/** The words of the message: without those that an extension's flag takes as its value. */
export function messageWords(args: ProgramArguments, { modules }: CreatedSession): string[] {
  return wordsBeside(args, (flag) => modules.flagTypes.get(flag) === "string");
}
