import { join } from "node:path";
import type { ProjectRight } from "./setting-row.ts";
import { findProjectFile, readSettingsFile, type SettingsFile } from "./settings-file.ts";
import { checkValues, type Layer } from "./settings-layer.ts";
import { type SettingKey, settingRow } from "./settings-schema.ts";
import { readTree } from "./settings-tree.ts";

/** Returns whether a project may make this setting stricter before the user trusts it. */
export function isLimit(right: ProjectRight): boolean {
  return right === "lower" || right === "raise";
}

/** Returns a limit after an untrusted project has requested a value: never less strict than the user's. */
export function withinLimit(right: ProjectRight, limit: unknown, wanted: unknown): unknown {
  const isStricter = right === "lower" ? Number(wanted) < Number(limit) : Number(wanted) > Number(limit);
  return isStricter ? wanted : limit;
}

/** The settings of one project as read once. Values that require trust stay out of `layer` until the user grants it. */
export class ProjectSettings {
  /** The path with all links resolved. */
  readonly path: string;
  readonly layer: Layer = new Map();
  readonly unknown: readonly string[];
  readonly #bytes: Buffer;
  readonly #values: ReadonlyMap<SettingKey, unknown>;
  readonly #problems: string[];
  #isTrusted = false;

  private constructor(path: string, file: SettingsFile) {
    const { values, problems, unknown } = readTree(file.tree);
    this.path = path;
    this.unknown = unknown;
    this.#bytes = file.bytes;
    this.#values = values;
    this.#problems = problems;
    for (const key of this.#keys("never")) problems.push(`${key} cannot be set by a project`);
    this.#take("always", "lower", "raise");
  }

  /**
   * Returns undefined if there are none. `userFile` is not read twice, as it would be for a user who works in the home
   * directory.
   */
  static read(cwd: string, userFile: string | undefined): ProjectSettings | { problem: string } | undefined {
    const named = join(cwd, ".pintle", "settings.json");
    const found = findProjectFile(cwd);
    if (!found) return undefined;
    if ("problem" in found) return { problem: `${named}: ${found.problem}` };
    if (found.path === userFile) return undefined;
    const file = readSettingsFile(found.path, "json");
    if (!file) return undefined;
    return "problem" in file ? { problem: `${found.path}: ${file.problem}` } : new ProjectSettings(found.path, file);
  }

  /** The digest of the content that was read; trust applies to one content. */
  get sha256(): string {
    return new Bun.CryptoHasher("sha256").update(this.#bytes).digest("hex");
  }

  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  /** Keys that the user's trust would enable, or enable further. */
  get withheld(): SettingKey[] {
    return this.#isTrusted ? [] : [...this.#values.keys()].filter((key) => this.#needsConsent(key));
  }

  trust(): void {
    if (this.#isTrusted) return;
    this.#isTrusted = true;
    this.#take("consent");
  }

  #needsConsent(key: SettingKey): boolean {
    const { project: right, default: limit } = settingRow(key);
    if (!isLimit(right)) return right === "consent";
    const wanted = this.layer.get(key);
    return wanted !== undefined && wanted !== limit && withinLimit(right, limit, wanted) === limit;
  }

  /** Returns the problems found since the last call. */
  takeProblems(): string[] {
    return this.#problems.splice(0);
  }

  #take(...rights: ProjectRight[]): void {
    const { layer, problems } = checkValues(this.#keys(...rights).map((key) => [key, this.#values.get(key)]));
    for (const [key, value] of layer) this.layer.set(key, value);
    this.#problems.push(...problems);
  }

  #keys(...rights: ProjectRight[]): SettingKey[] {
    return [...this.#values.keys()].filter((key) => rights.includes(settingRow(key).project));
  }
}
