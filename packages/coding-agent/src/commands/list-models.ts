import type { Given } from "../cli/flags.ts";
import { modelTable } from "../cli/model-table.ts";
import { complain, printText } from "../cli/print.ts";
import type { Environment } from "../config/environment.ts";
import { createModelRegistry } from "../sdk.ts";

/** `--list-models [search]`. */
export async function listModels(search: string | true, { offline }: Given, env: Environment): Promise<number> {
  const { registry } = createModelRegistry(env, complain);
  if (!offline) await registry.discoverLocal();
  await printText(modelTable(registry.getAvailable(), search === true ? "" : search));
  return 0;
}
