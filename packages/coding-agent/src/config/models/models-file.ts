import { fileFacts, type ReportProblem, readConfigFile } from "../config-file.ts";
import { type FieldNotes, FieldReader } from "../field-reader.ts";
import { type ProviderConfig, readProviderConfig } from "./provider-config.ts";

export type ProviderConfigs = ReadonlyMap<string, ProviderConfig>;

/**
 * The user's own models: `models.json`, or `models.yml` next to it. Errors are reported, and the last valid content
 * stays.
 */
export class ModelsFile {
  readonly #jsonPath: string;
  readonly #report: ReportProblem;
  #version = "";
  #providers: ProviderConfigs = new Map();
  #problems: readonly string[] = [];

  /** `jsonPath` is usually HOME_DIR/models.json; it need not exist. */
  constructor(jsonPath: string, report: ReportProblem) {
    this.#jsonPath = jsonPath;
    this.#report = report;
  }

  /** Problems with the file as it is now. Other parts of it may still apply. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Returns the same map as last time unless the file has changed. */
  read(): ProviderConfigs {
    const yamlPath = this.#jsonPath.replace(/\.json$/, ".yml");
    const json = fileFacts(this.#jsonPath);
    const yaml = yamlPath === this.#jsonPath ? undefined : fileFacts(yamlPath);
    const version = `${json?.version} ${yaml?.version}`;
    if (version === this.#version) return this.#providers;
    this.#version = version;
    if (json && yaml) this.#report(`${yamlPath}: is ignored, because models.json exists as well`);
    this.#problems = [];
    if (!json && !yaml) this.#providers = new Map();
    else this.#load(json ? this.#jsonPath : yamlPath);
    return this.#providers;
  }

  #load(path: string): void {
    const content = readConfigFile(path);
    const notes: FieldNotes = { errors: [], warnings: [] };
    // A file that cannot be parsed may be in the middle of being saved, so the previous content stays in effect.
    if ("problem" in content) notes.errors.push(content.problem);
    else this.#providers = parseModelsFile(content.value, notes, this.#providers);
    this.#problems = notes.errors.map((text) => `${path}: ${text}`);
    for (const text of [...notes.errors, ...notes.warnings]) this.#report(`${path}: ${text}`);
  }
}

/**
 * Parses the file. A provider with a mistake keeps its previous configuration; otherwise its requests would go somewhere else.
 */
function parseModelsFile(value: unknown, notes: FieldNotes, before: ProviderConfigs): ProviderConfigs {
  const root = FieldReader.of(value, "", notes);
  const listed = Object.entries(root?.anyObject("providers") ?? {});
  if (root && !root.has("providers")) root.error("providers", "must be an object");
  root?.warnAboutUnknown();
  const providers = new Map<string, ProviderConfig>();
  for (const [id, provider] of listed) {
    const own: FieldNotes = { errors: [], warnings: notes.warnings };
    const config = readProviderConfig(id, provider, own) ?? before.get(id);
    if (config) providers.set(id, config);
    notes.errors.push(...own.errors);
  }
  return providers;
}
