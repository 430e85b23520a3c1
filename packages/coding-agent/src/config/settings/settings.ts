import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { ReportProblem } from "../config-file.ts";
import { formatOf } from "../config-text.ts";
import { homeDirectory } from "../home-dir.ts";
import type { SettingRow } from "./setting-row.ts";
import { SettingsError } from "./settings-error.ts";
import { readSettingsFile } from "./settings-file.ts";
import { checkValues, type Layer, readExplicit } from "./settings-layer.ts";
import { isLimit, ProjectSettings, withinLimit } from "./settings-project.ts";
import { type SettingKey, type SettingValue, settingRow } from "./settings-schema.ts";
import { changeTree, readTree, type SettingsTree } from "./settings-tree.ts";
import { changeSettingsFile } from "./settings-writer.ts";
import { isMeantStrict, isStrictName, unknownKeyText } from "./unknown-keys.ts";

export interface SettingsOptions {
  /** Receives problems with the files, one text each. It names file and key, and contains no value. */
  report?: ReportProblem;
  /** Set in RPC mode, where some rows ignore the files. */
  rpc?: boolean;
}

export interface SettingOrigin {
  layer: "default" | "user" | "project" | "override";
  /** The file that contains the value; relative paths in it start at the file's directory. */
  file?: string;
}

/** Keys as in the table, dotted or nested: `{"retry.enabled": false}` or `{retry: {enabled: false}}`. */
export type SettingsInput = Readonly<Record<string, unknown>>;

const MAX_UNKNOWN_SHOWN = 20;

/**
 * The settings of one session. Layers, weakest first: default, user file, project file, overrides. Reading never throws: problems
 * in a file are reported, and the next weaker layer applies.
 */
export class Settings {
  readonly #options: SettingsOptions;
  readonly #homeDir: string | undefined;
  #user: Layer = new Map();
  #userFile: string | undefined;
  #problems: string[] = [];
  #isRead = false;
  #project: ProjectSettings | undefined;
  readonly #overrides: Layer = new Map();
  /** Values that were set but are not in the user's file yet; undefined means to be removed from it. */
  readonly #pending = new Map<SettingKey, unknown>();
  /** Caches values until something changes, because a turn reads dozens of them. */
  readonly #known = new Map<SettingKey, unknown>();
  #version = 0;

  private constructor(homeDir: string | undefined, options: SettingsOptions) {
    this.#homeDir = homeDir;
    this.#options = options;
  }

  static create(
    cwd: string = process.cwd(),
    homeDir: string = homeDirectory(process.env),
    options: SettingsOptions = {},
  ): Settings {
    const settings = new Settings(homeDir, options);
    settings.reload(cwd);
    return settings;
  }

  /** Creates settings without files. The values are the caller's own, so RPC mode does not reset them. Throws SettingsError. */
  static inMemory(values: SettingsInput = {}, options: SettingsOptions = {}): Settings {
    const settings = new Settings(undefined, options);
    settings.#user = explicit(values);
    return settings;
  }

  get<K extends SettingKey>(key: K): SettingValue<K> {
    if (!this.#known.has(key)) this.#known.set(key, this.#find(key));
    // The table guarantees the type: every layer contains only what its row's type has read.
    return this.#known.get(key) as SettingValue<K>;
  }

  /**
   * Problems with the user's file because of which a default would not be the user's choice: the file cannot be read, a strict
   * row has a wrong value, or a key of `permissions` or `sandbox` is unknown. They have also been reported.
   */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Changes whenever a value may have changed. */
  get version(): number {
    return this.#version;
  }

  #find(key: SettingKey): unknown {
    const row = settingRow(key);
    const fallback = this.#options.rpc && row.rpcDefault !== undefined ? row.rpcDefault : row.default;
    const isLimited = (layer: string) => layer === "project" && !this.#project?.isTrusted && isLimit(row.project);
    let found: unknown = fallback;
    for (const { layer, values } of this.#layersOf(row)) {
      if (!values.has(key)) continue;
      const value = values.get(key);
      if (isLimited(layer)) found = withinLimit(row.project, found, value);
      else found = row.type.merge ? row.type.merge(found, value) : value;
    }
    return found;
  }

  #onChange(): void {
    this.#version += 1;
    this.#known.clear();
  }

  /** Returns where a value comes from; for a merged value, the strongest of its layers. */
  origin(key: SettingKey): SettingOrigin {
    const found = this.#layersOf(settingRow(key)).findLast(({ values }) => values.has(key));
    if (!found) return { layer: "default" };
    return { layer: found.layer, ...(found.file !== undefined && { file: found.file }) };
  }

  /** Changes the user's own value, or removes it if undefined. `flush` writes it to the file. Throws SettingsError. */
  set<K extends SettingKey>(key: K, value: SettingValue<K> | undefined): void {
    change(this.#user, key, value);
    this.#pending.set(key, this.#user.get(key));
    this.#onChange();
  }

  /** Overrides a value for this session only; never written. Undefined removes the override. Throws SettingsError. */
  override<K extends SettingKey>(key: K, value: SettingValue<K> | undefined): void {
    change(this.#overrides, key, value);
    this.#onChange();
  }

  /**
   * Applies all overrides or none; a later value of a key replaces an earlier one. Throws a SettingsError that names every wrong
   * key.
   */
  applyOverrides(values: SettingsInput): void {
    for (const [key, value] of explicit(values)) this.#overrides.set(key, value);
    this.#onChange();
  }

  /** Writes what was set since the last time. Throws SettingsError and keeps the changes for another attempt. */
  async flush(): Promise<void> {
    if (this.#homeDir === undefined) this.#pending.clear();
    if (this.#homeDir === undefined || this.#pending.size === 0) return;
    const written = new Map<SettingKey, unknown>();
    await changeSettingsFile(userFileIn(this.#homeDir), (tree) => {
      for (const [key, value] of this.#pending) written.set(key, value);
      return [...written].reduce((changed, [key, value]) => changeTree(changed, key, value), tree);
    });
    for (const [key, value] of written) if (this.#pending.get(key) === value) this.#pending.delete(key);
  }

  /** Reads the files again. Overrides and unflushed changes stay; the project has to be trusted again. */
  reload(cwd: string): void {
    this.#readUserFile();
    this.#project = undefined;
    const project = this.#homeDir === undefined ? undefined : ProjectSettings.read(cwd, realPath(this.#userFile));
    if (project && "problem" in project) this.#report(project.problem);
    else if (project) this.#openProject(project);
    this.#onChange(); // last, because a listener that was notified of a problem may have read values in the meantime
  }

  /** The project's file, if it has one that can be read, and which of its keys require trust. */
  get project(): { path: string; sha256: string; withheld: SettingKey[] } | undefined {
    const project = this.#project;
    return project && { path: project.path, sha256: project.sha256, withheld: project.withheld };
  }

  /** Trusts the content identified by `project.sha256`. */
  trustProject(): void {
    this.#project?.trust();
    this.#onChange();
    this.#reportProject();
  }

  #readUserFile(): void {
    if (this.#homeDir === undefined) return;
    const path = userFileIn(this.#homeDir);
    const yaml = yamlFileIn(this.#homeDir);
    const file = readSettingsFile(path, formatOf(path));
    this.#userFile = file && path;
    this.#problems = file && "problem" in file ? [`${path}: ${file.problem}`] : [];
    for (const problem of this.#problems) this.#report(problem);
    const user = file && "tree" in file ? this.#checkTree(path, file.tree) : new Map();
    // A mistake made while a session is open must not loosen it, so the previous values stay in effect.
    if (this.#problems.length === 0 || !this.#isRead) this.#user = user;
    this.#isRead = true;
    if (file && path !== yaml && existsSync(yaml)) {
      this.#report(`${yaml}: is ignored, because settings.json exists as well`);
    }
    for (const [key, value] of this.#pending) change(this.#user, key, value);
  }

  #checkTree(path: string, tree: SettingsTree): Layer {
    const { values, problems, unknown } = readTree(tree);
    const checked = checkValues(values);
    const strict = unknown.filter(isMeantStrict);
    const slips = strict.map((key) => `unknown setting ${unknownKeyText(key)}`);
    const serious = [
      ...slips,
      ...problems.filter((problem) => isStrictName(problem.split(" ", 1)[0] ?? "")),
      ...checked.serious,
    ];
    this.#problems.push(...serious.map((problem) => `${path}: ${problem}`));
    for (const problem of [...slips, ...problems, ...checked.problems]) this.#report(`${path}: ${problem}`);
    const harmless = strict.length === 0 ? unknown : unknown.filter((key) => !strict.includes(key));
    this.#reportUnknown(path, harmless);
    return checked.layer;
  }

  #openProject(project: ProjectSettings): void {
    this.#project = project;
    this.#reportProject();
    this.#reportUnknown(project.path, project.unknown);
  }

  #reportProject(): void {
    for (const problem of this.#project?.takeProblems() ?? []) this.#report(`${this.#project?.path}: ${problem}`);
  }

  #reportUnknown(path: string, keys: readonly string[]): void {
    if (keys.length === 0) return;
    const names = keys.slice(0, MAX_UNKNOWN_SHOWN).map(unknownKeyText).join(", ");
    const more = keys.length > MAX_UNKNOWN_SHOWN ? ` and ${keys.length - MAX_UNKNOWN_SHOWN} more` : "";
    this.#report(`${path}: unknown settings are ignored: ${names}${more}`);
  }

  #report(problem: string): void {
    this.#options.report?.(problem);
  }

  /** Returns the layers that apply to a row, weakest first. */
  #layersOf(row: SettingRow<unknown>): { layer: SettingOrigin["layer"]; values: Layer; file?: string | undefined }[] {
    const overrides = { layer: "override", values: this.#overrides } as const;
    const user = { layer: "user", values: this.#user, file: this.#userFile } as const;
    const isReset = this.#options.rpc && (row.resetInRpc || row.rpcDefault !== undefined);
    if (isReset) return this.#homeDir === undefined ? [user, overrides] : [overrides];
    const project =
      this.#project && ({ layer: "project", values: this.#project.layer, file: this.#project.path } as const);
    return project ? [user, project, overrides] : [user, overrides];
  }
}

function explicit(values: SettingsInput): Layer {
  const { layer, errors } = readExplicit(values);
  if (errors.length > 0) throw new SettingsError(errors.join("\n"));
  return layer;
}

function change(layer: Layer, key: SettingKey, value: unknown): void {
  if (value === undefined) {
    layer.delete(key);
    return;
  }
  const checked = checkValues([[key, value]]);
  if (checked.problems.length > 0) throw new SettingsError(checked.problems.join("\n"));
  layer.set(key, checked.layer.get(key));
}

function userFileIn(homeDir: string): string {
  const json = join(homeDir, "settings.json");
  const yaml = yamlFileIn(homeDir);
  return !existsSync(json) && existsSync(yaml) ? yaml : json;
}

function yamlFileIn(homeDir: string): string {
  return join(homeDir, "settings.yml");
}

function realPath(path: string | undefined): string | undefined {
  return path === undefined || !existsSync(path) ? undefined : realpathSync(path);
}
