import { type Arguments, parseArguments, wordsBeside } from "../cli/args.ts";
import { FLAGS } from "../cli/flags.ts";
import { judgeFlags, NO_EXTENSIONS, takesWord } from "../cli/judge-flags.ts";
import { complain } from "../cli/print.ts";
import { sessionOptions } from "../cli/session-options.ts";
import type { Environment } from "../config/keys/environment.ts";
import { DIALECTS, parseDialect } from "../modes/rpc/dialects/dialect.ts";
import type { CreateAgentSessionOptions, LoadedFlags } from "../sdk/options.ts";

export type ProgramArguments = Arguments<typeof FLAGS>;

export function parseProgramArguments(argv: readonly string[]): ProgramArguments {
  return parseArguments(argv, FLAGS);
}

/** Returns the session options that the flags set, and those of every session of the program. */
export function programOptions(
  args: ProgramArguments,
  env: Environment,
  { isRpc }: { isRpc: boolean },
): CreateAgentSessionOptions {
  return {
    ...sessionOptions(args.flags, { isRpc, warn: complain }),
    env,
    rpc: isRpc && !args.flags["user-settings"],
    report: complain,
    usesPiSessions: DIALECTS[parseDialect(args.flags.dialect, env.PINTLE_DIALECT)].usesPiSessions,
    extensionFlags: args.unknown,
    checkFlags: (loaded) => checkFlags(args, loaded, { isRpc }),
    publicExports: () => import("../index.ts"),
    ownsProcess: true,
  };
}

/** Refuses unknown flags, for a start without a session and thus without extensions. */
export function plainWords(args: ProgramArguments): string[] {
  checkFlags(args, NO_EXTENSIONS, { isRpc: false });
  return messageWords(args, NO_EXTENSIONS.types);
}

/** Returns the words of the message, without the values of flags that are not in the table. */
export function messageWords(args: ProgramArguments, types: LoadedFlags["types"]): string[] {
  return wordsBeside(args, (flag) => takesWord(flag, types));
}

function checkFlags({ unknown, flags }: ProgramArguments, loaded: LoadedFlags, { isRpc }: { isRpc: boolean }): void {
  judgeFlags(unknown, loaded, { isRpc, warn: complain, verbose: flags.verbose ? complain : () => {} });
}
