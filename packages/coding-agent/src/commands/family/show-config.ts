import { createRedactor } from "@pintle/ai/secrets";
import { complain, printText } from "../../cli/print.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { homeDirectory } from "../../config/home-dir.ts";
import type { Environment } from "../../config/keys/environment.ts";
import { Settings } from "../../config/settings/settings.ts";
import { SETTING_KEYS } from "../../config/settings/settings-schema.ts";
import { createModelRegistry } from "../../sdk/model-registry.ts";
import { familyArguments, JSON_FLAG, refuseWords } from "./family-arguments.ts";

/** `config`, `config list`, `config get KEY`, `config path`. Settings are changed in their file, so nothing here writes. */
export async function run(argv: readonly string[], env: Environment): Promise<number> {
  const { flags, words } = familyArguments(argv, JSON_FLAG);
  const [action = "list", key, ...rest] = words;
  const home = homeDirectory(env);
  if (action === "path" && key === undefined) {
    await printText(`${home}\n`);
    return 0;
  }
  const isRead = action === "get" ? key !== undefined && rest.length === 0 : action === "list" && key === undefined;
  if (!isRead) refuseWords("config", words, "config list, config get KEY and config path");
  const wanted = action === "get" ? SETTING_KEYS.filter((known) => known === key) : SETTING_KEYS;
  if (wanted.length === 0) throw new UsageError(`there is no setting "${key}"`);
  const settings = Settings.create(process.cwd(), home, { report: complain });
  const { registry } = createModelRegistry(env, complain);
  const redactor = createRedactor(registry.knownSecrets([]));
  const rows = wanted
    .map((name) => ({ key: name, value: redactor.value(settings.get(name)), source: settings.origin(name).layer }))
    .filter(({ source }) => action === "get" || source !== "default");
  const lines = rows.map((row) => `${row.key} = ${JSON.stringify(row.value) ?? "(not set)"}  (${row.source})\n`);
  const text = lines.length === 0 ? "All settings have their default values.\n" : lines.join("");
  await printText(flags.json ? `${JSON.stringify({ settings: rows }, null, 2)}\n` : text);
  return 0;
}
