import { modelTable } from "../cli/model-table.ts";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Environment } from "../config/environment.ts";
import { createModelRegistry } from "../sdk.ts";
import { type ProgramArguments, plainWords } from "./program-arguments.ts";

/** `--list-models [search]`. */
export async function listModels(search: string | true, args: ProgramArguments, env: Environment): Promise<number> {
  const words = plainWords(args);
  if (words.length > 0) throw new UsageError(`--list-models takes one word to look for, not also "${words.join(" ")}"`);
  const { registry } = createModelRegistry(env, complain);
  if (!args.flags.offline) await registry.discoverLocal();
  await printText(modelTable(registry.getAvailable(), search === true ? "" : search));
  return 0;
}
