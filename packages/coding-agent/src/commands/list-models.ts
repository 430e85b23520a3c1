import { modelTable, searchModels } from "../cli/model-table.ts";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Environment } from "../config/keys/environment.ts";
import { toWireModel } from "../config/models/wire-model.ts";
import { createModelRegistry } from "../sdk/model-registry.ts";
import { type ProgramArguments, plainWords } from "./program-arguments.ts";
import type { CallOf } from "./subcommand-flags.ts";

/** Runs `--list-models [search]`. */
export async function listModels(search: string | true, args: ProgramArguments, env: Environment): Promise<number> {
  const words = plainWords(args);
  if (words.length > 0) throw new UsageError(`--list-models takes one search term, not also "${words.join(" ")}"`);
  return list(search === true ? "" : search, args.flags.offline ? { offline: true } : {}, env);
}

/** Runs `pintle models list [search]`. The word `list` is optional. */
export async function run({ flags, words, env }: CallOf<"models">): Promise<number> {
  return list((words[0] === "list" ? words.slice(1) : words).join(" "), flags, env);
}

/** Returns 2 if a configuration file has a mistake, because the list may then be incomplete. */
async function list(search: string, { json, offline }: CallOf<"models">["flags"], env: Environment): Promise<number> {
  const { registry } = createModelRegistry(env, complain);
  if (!offline) await registry.discoverLocal();
  const models = searchModels(registry.getAvailable(), search);
  if (models.length === 0 && !json) complain(`no usable model matches "${search}"`);
  await printText(json ? `${JSON.stringify({ models: models.map(toWireModel) }, null, 2)}\n` : modelTable(models));
  return registry.problems().length > 0 ? 2 : 0;
}
