import { createRedactor } from "@pintle/ai/secrets";
import { complain, printText } from "../../cli/print.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { homeDirectory } from "../../config/home-dir.ts";
import type { Environment } from "../../config/keys/environment.ts";
import { Settings } from "../../config/settings/settings.ts";
import { SETTING_KEYS, settingRow } from "../../config/settings/settings-schema.ts";
import { createModelRegistry } from "../../sdk/model-registry.ts";
import { familyArguments, JSON_FLAG, refuseWords } from "./family-arguments.ts";

/** Runs `config`, `config list`, `config get KEY` or `config path`. Nothing here writes: users change settings in the file. */
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
  const rows = wanted.map((name) => {
    const { type, meaning } = settingRow(name);
    const value = redactor.value(settings.get(name));
    return { key: name, value, type: type.expected, description: meaning, source: settings.origin(name).layer };
  });
  await printText(flags.json ? jsonText(rows, action) : plainText(rows, action));
  return 0;
}

interface Row {
  key: string;
  value: unknown;
  source: string;
}

/** Returns what hosts of oh-my-pi read: all settings by key, or one setting. */
function jsonText(rows: readonly Row[], action: string): string {
  const shown = action === "get" ? rows[0] : Object.fromEntries(rows.map(({ key, ...row }) => [key, row]));
  return `${JSON.stringify(shown, null, 2)}\n`;
}

function plainText(rows: readonly Row[], action: string): string {
  const shown = rows.filter(({ source }) => action === "get" || source !== "default");
  const lines = shown.map(
    ({ key, value, source }) => `${key} = ${JSON.stringify(value) ?? "(not set)"}  (${source})\n`,
  );
  return lines.length === 0 ? "All settings have their default values.\n" : lines.join("");
}
