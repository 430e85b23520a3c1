import { findKnownProvider, isRecord, knownProviders } from "@pintle/ai";
import { fileFacts, type ReportProblem, readConfigFile } from "../config-file.ts";
import { type FieldNotes, FieldReader } from "../field-reader.ts";
import type { Environment } from "./environment.ts";
import { type RunCommand, SecretValues } from "./secret-value.ts";
import { StoredKeyError } from "./stored-key-error.ts";

export interface AuthStorageOptions {
  env?: Environment;
  runCommand?: RunCommand;
  commandLimitMs?: number;
  report?: ReportProblem;
}

/**
 * Sources of keys, strongest first: set at run time, `auth.json`, the environment, `models.json`. Keys are looked up when a
 * request is made; nothing is read or run before.
 */
export class AuthStorage {
  readonly secrets: SecretValues;
  readonly #file: string | undefined;
  readonly #report: ReportProblem;
  readonly #runtime = new Map<string, string>();
  readonly #commandOutputs = new Map<string, Promise<string>>();
  #stored: ReadonlyMap<string, string> | undefined;
  #version: string | undefined;
  #problem: string | undefined;

  private constructor(file: string | undefined, { env = {}, report = () => {}, ...options }: AuthStorageOptions) {
    this.#file = file;
    this.#report = report;
    this.secrets = new SecretValues({ env, ...options });
  }

  /** `file` is usually HOME_DIR/auth.json; it need not exist. */
  static create(file: string, options: AuthStorageOptions = {}): AuthStorage {
    return new AuthStorage(file, options);
  }

  static inMemory(options: AuthStorageOptions = {}): AuthStorage {
    return new AuthStorage(undefined, options);
  }

  /** Why `auth.json` cannot currently be used. */
  get problem(): string | undefined {
    this.#storedKeys();
    return this.#problem;
  }

  /** Returns the providers for which `auth.json` has a key. */
  storedProviders(): string[] {
    return [...this.#storedKeys().keys()];
  }

  /** Sets a key for this process only; never written to disk. */
  setRuntimeApiKey(provider: string, key: string): void {
    this.#runtime.set(provider, key);
    this.secrets.remember(key);
  }

  /** Stores a key. It takes effect immediately, even if a key was set for this process. Throws StoredKeyError. */
  async storeKey(provider: string, key: string): Promise<void> {
    this.secrets.remember(key); // remember it first, so that no error message can reveal it
    if (key.startsWith("!") || this.secrets.variableIn(key) !== undefined) {
      throw new StoredKeyError(
        "A key that starts with ! or is the name of a variable would be read as a command or a reference",
      );
    }
    await this.#changeFile(provider, key);
  }

  /** Removes a stored key. Throws StoredKeyError. */
  removeKey(provider: string): Promise<void> {
    return this.#changeFile(provider, undefined);
  }

  async #changeFile(provider: string, key: string | undefined): Promise<void> {
    if (this.#file === undefined) throw new StoredKeyError("Keys are not stored here");
    // Loaded only when a key is stored, which few processes do.
    const { changeStoredKey } = await import("./change-stored-key.ts");
    await changeStoredKey(this.#file, provider, key);
    this.#runtime.delete(provider);
    this.#stored = this.#readFile(this.#storedKeys());
  }

  /** Reads `auth.json` again if it has changed, because a user with a missing key will add it. */
  refresh(): void {
    if (this.#stored && this.#file && fileFacts(this.#file)?.version !== this.#version) {
      this.#stored = this.#readFile(this.#stored);
    }
  }

  /** Returns whether there is a key. `configured` is the `apiKey` of `models.json`. Never runs a command. */
  hasKey(provider: string, configured?: string): boolean {
    if (this.#runtime.has(provider)) return true;
    const stored = this.#storedKeys().get(provider);
    if (stored === undefined && this.#environmentKey(provider)) return true;
    return this.secrets.has(stored ?? configured ?? "");
  }

  /** Returns the key if that requires no command. */
  plainKey(provider: string, configured = ""): string | undefined {
    const stored = this.#runtime.get(provider) ?? this.#storedKeys().get(provider);
    return this.secrets.peek(stored ?? this.#environmentKey(provider) ?? configured) || undefined;
  }

  /**
   * Returns undefined if there is no key. Throws SecretValueError if the configured command fails; the message names
   * `model`.
   */
  async resolveKey(provider: string, configured?: string, model?: string): Promise<string | undefined> {
    const runtime = this.#runtime.get(provider);
    if (runtime !== undefined) return runtime;
    const owner = `The API key of ${provider}${model === undefined ? "" : ` for the model ${model}`}`;
    const stored = this.#storedKeys().get(provider);
    if (stored !== undefined) return this.#rememberKey(provider, await this.#resolveOnce(stored, owner));
    const key = this.#environmentKey(provider) ?? (configured && (await this.secrets.resolve(configured, owner)));
    return key ? this.#rememberKey(provider, key) : undefined;
  }

  /**
   * Describes for users where the key comes from, without the key itself. `configured` is the one of `configuredIn`. Returns
   * undefined if there is no key.
   */
  keySource(provider: string, configured = "", configuredIn = "models.json"): string | undefined {
    if (this.#runtime.has(provider)) return "--api-key";
    const stored = this.#storedKeys().get(provider);
    if (stored !== undefined) return this.#describe(stored, "auth.json");
    return this.#environmentVariable(provider) ?? this.#describe(configured, configuredIn);
  }

  /** Returns every key seen so far, for redaction. */
  knownSecrets(): string[] {
    const fromEnvironment = knownProviders.flatMap(({ keyVariables }) =>
      keyVariables.flatMap((name) => this.secrets.env[name] || []),
    );
    return [...new Set([...this.secrets.known(), ...fromEnvironment])];
  }

  /** Returns the variables that contain keys: those of known providers, and those that `auth.json` names. */
  keyVariables(): string[] {
    const named = [...this.#storedKeys().values()].flatMap((value) => this.secrets.variableIn(value) ?? []);
    return [...knownProviders.flatMap(({ keyVariables }) => keyVariables), ...named];
  }

  /** Remembers a key that `models.json` names before it is first used. */
  rememberConfiguredKey(provider: string, value: string): void {
    this.#rememberKey(provider, this.secrets.peek(value) ?? "");
  }

  /**
   * Remembers a key for redaction. Ignores keys of local servers, which accept any word, often their own name, so that
   * redaction does not remove it everywhere.
   */
  #rememberKey(provider: string, key: string): string {
    if (key !== provider) this.secrets.remember(key);
    return key;
  }

  #environmentKey(provider: string): string | undefined {
    return this.secrets.env[this.#environmentVariable(provider) ?? ""];
  }

  #environmentVariable(provider: string): string | undefined {
    return findKnownProvider(provider)?.keyVariables.find((name) => this.secrets.env[name]);
  }

  #describe(value: string, place: string): string | undefined {
    if (!this.secrets.has(value)) return undefined;
    if (this.secrets.peek(value) === undefined) return `a command in ${place}`;
    const variable = this.secrets.variableIn(value);
    return variable === undefined ? place : `${variable}, named in ${place}`;
  }

  /** Resolves a value once per process, because a command of `auth.json` may ask the user for a fingerprint or a password. */
  #resolveOnce(value: string, owner: string): Promise<string> {
    const isPlain = this.secrets.peek(value) !== undefined;
    const output = this.#commandOutputs.get(value) ?? this.secrets.resolve(value, owner);
    if (isPlain) return output;
    this.#commandOutputs.set(value, output);
    output.catch(() => this.#commandOutputs.delete(value)); // the user may have cancelled a prompt, so the next request tries again
    return output;
  }

  #storedKeys(): ReadonlyMap<string, string> {
    this.#stored ??= this.#readFile(new Map());
    return this.#stored;
  }

  /** Reads the file. If that fails, it may be in the middle of being saved, so `before` stays in effect. */
  #readFile(before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const facts = this.#file === undefined ? undefined : fileFacts(this.#file);
    this.#version = facts?.version;
    this.#problem = undefined;
    if (!this.#file || !facts) return new Map();
    if (process.platform !== "win32" && (facts.mode & 0o077) !== 0) {
      this.#report(`${this.#file}: other users can read this file; run chmod 600 on it`);
    }
    const content = readConfigFile(this.#file);
    const problem =
      "problem" in content ? content.problem : isRecord(content.value) ? undefined : "must contain an object";
    if ("problem" in content || problem !== undefined) {
      this.#problem = `${this.#file}: ${problem}`;
      this.#report(this.#problem);
      return before;
    }
    const notes: FieldNotes = { errors: [], warnings: [] };
    const keys = readKeys(content.value, notes);
    for (const text of [...notes.errors, ...notes.warnings]) this.#report(`${this.#file}: ${text}`);
    for (const [provider, value] of keys) this.rememberConfiguredKey(provider, value);
    for (const text of tokensIn(content.value)) this.secrets.remember(text);
    return keys;
  }
}

/**
 * Minimum length of a secret: the file also contains other programs' credentials, in which shorter strings are names and
 * dates.
 */
const SHORTEST_TOKEN = 16;

function tokensIn(value: unknown, levels = 4): string[] {
  if (typeof value === "string") return value.length < SHORTEST_TOKEN || value.startsWith("!") ? [] : [value];
  if (typeof value !== "object" || value === null || levels === 0) return [];
  return Object.values(value).flatMap((item) => tokensIn(item, levels - 1));
}

function readKeys(value: unknown, notes: FieldNotes): Map<string, string> {
  const keys = new Map<string, string>();
  for (const [provider, fields] of FieldReader.of(value, "", notes)?.entries() ?? []) {
    const type = fields.requiredChoice("type", ["api_key"]);
    if (!type) continue; // another kind of credential, with its own fields
    const key = fields.requiredText("key");
    fields.warnAboutUnknown();
    if (key !== undefined) keys.set(provider, key);
  }
  return keys;
}
