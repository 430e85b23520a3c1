import { fileFacts, type ReportProblem, readConfigFile } from "./config-file.ts";
import { type FieldNotes, FieldReader } from "./field-reader.ts";
import { type ProviderConfig, readProviderConfig } from "./provider-config.ts";

export type ProviderConfigs = ReadonlyMap<string, ProviderConfig>;

/** The user's own models: `models.json`, or `models.yml` beside it. What is wrong is reported and left out. */
export class ModelsFile {
  readonly #jsonPath: string;
  readonly #report: ReportProblem;
  #version = "";
  #providers: ProviderConfigs = new Map();

  /** `jsonPath` is usually HOME_DIR/models.json; it need not exist. */
  constructor(jsonPath: string, report: ReportProblem) {
    this.#jsonPath = jsonPath;
    this.#report = report;
  }

  /** The same map as last time unless the file has changed since. */
  read(): ProviderConfigs {
    const yamlPath = this.#jsonPath.replace(/\.json$/, ".yml");
    const json = fileFacts(this.#jsonPath);
    const yaml = yamlPath === this.#jsonPath ? undefined : fileFacts(yamlPath);
    const version = `${json?.version} ${yaml?.version}`;
    if (version === this.#version) return this.#providers;
    this.#version = version;
    if (json && yaml) this.#report(`${yamlPath}: is ignored, because models.json exists as well`);
    if (!json && !yaml) this.#providers = new Map();
    else this.#load(json ? this.#jsonPath : yamlPath);
    return this.#providers;
  }

  #load(path: string): void {
    const content = readConfigFile(path);
    // A file that cannot be parsed may be one in the middle of being saved: what was read before stays.
    if ("problem" in content) this.#report(`${path}: ${content.problem}`);
    else this.#providers = parseModelsFile(content.value, (text) => this.#report(`${path}: ${text}`));
  }
}

function parseModelsFile(value: unknown, report: ReportProblem): ProviderConfigs {
  const notes: FieldNotes = { errors: [], warnings: [] };
  const root = FieldReader.of(value, "", notes);
  const listed = Object.entries(root?.anyObject("providers") ?? {});
  if (root && !root.has("providers")) root.error("providers", "must be an object");
  root?.warnAboutUnknown();
  const providers = new Map<string, ProviderConfig>();
  for (const [id, provider] of listed) {
    const own: FieldNotes = { errors: [], warnings: notes.warnings };
    const config = readProviderConfig(id, provider, own);
    if (config) providers.set(id, config);
    notes.errors.push(...own.errors);
  }
  for (const text of [...notes.errors, ...notes.warnings]) report(text);
  return providers;
}
