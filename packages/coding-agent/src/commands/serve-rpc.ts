import { wordsBeside } from "../cli/args.ts";
import { complain } from "../cli/print.ts";
import type { Environment } from "../config/keys/environment.ts";
import { StartUpError } from "../config/start-up-error.ts";
import { parseDialect } from "../modes/rpc/dialects/dialect.ts";
import { startRpcMode } from "../modes/rpc/start-rpc.ts";
import { createAgentSession } from "../sdk/create-session.ts";
import { version } from "../version.ts";
import { messageWords, type ProgramArguments, programOptions } from "./program-arguments.ts";

const NO_FILES_TEXT = "@file arguments are not supported in RPC mode";

/** Runs `--mode rpc` and `--mode rpc-ui`: serves one host until it disconnects. */
export async function serveRpc(args: ProgramArguments, env: Environment, ending: AbortSignal): Promise<number> {
  // Words that may be values of extensions' flags are checked once extensions are loaded.
  if (wordsBeside(args, () => true).some(isFileWord)) {
    console.error(`Error: ${NO_FILES_TEXT}`); // exactly these words, because clients look for them
    return 2;
  }
  const dialect = parseDialect(args.flags.dialect, env.PINTLE_DIALECT);
  const create = async () => {
    const created = await createAgentSession(programOptions(args, env, { isRpc: true }));
    const words = messageWords(args, created.modules.flagTypes);
    if (words.some(isFileWord)) {
      await created.session.dispose();
      throw new StartUpError(NO_FILES_TEXT);
    }
    if (words.length > 0 || args.flags.message) complain("a message on the command line is ignored in RPC mode");
    return created;
  };
  return startRpcMode(create, {
    ending,
    version,
    env,
    isUiForbidden: args.flags["no-ui"] ?? false,
    isUiDeclared: args.flags.mode === "rpc-ui",
    isHostStrict: args.flags["strict-host"] ?? false,
    dialect,
  });
}

function isFileWord(word: string): boolean {
  return word.startsWith("@");
}
