import { isAbsolute, relative, resolve } from "node:path";
import { canonicalPath, expandHome, isSystemError } from "@pintle/foundation";
import { type PermissionMode, type PermissionRule, RULE_LAYERS } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { Policy, RuleLayer } from "../../permissions/decide.ts";
import { containsKeys, pathProtection } from "../../permissions/protected-paths.ts";
import { type CompiledRule, compileRule } from "../../permissions/rule.ts";

export interface PolicyStateParts {
  settings: Settings;
  cwd(): string;
  /** The configuration directory of pintle. */
  home: string;
}

/** The preset and the rules of all layers. */
export class PolicyState {
  readonly #parts: PolicyStateParts;
  #mode: PermissionMode | undefined;
  #host: readonly PermissionRule[] = [];
  #session: readonly PermissionRule[] = [];
  #changes = 0;
  /** Compiled on demand and kept until something changes, because every call asks. */
  #compiled: { key: string; policy: Policy } | undefined;

  readonly #family: PolicyState | undefined;

  /** `family` owns preset and rules of a subagent that works in another directory. */
  constructor(parts: PolicyStateParts, family?: PolicyState) {
    this.#parts = parts;
    this.#family = family;
  }

  /** Returns the same preset and rules for a directory outside the session's: only that one is inside. */
  inDirectory(cwd: string): PolicyState {
    return new PolicyState({ ...this.#parts, cwd: () => cwd }, this.#family ?? this);
  }

  get mode(): PermissionMode {
    if (this.#family) return this.#family.mode;
    return this.#mode ?? this.#parts.settings.get("permissions.mode");
  }

  /** Sets the preset for this session; the user's setting stays unchanged. */
  set mode(mode: PermissionMode) {
    this.#mode = mode;
    this.#changes += 1;
  }

  /** Replaces the rules of the host. */
  setHostRules(rules: readonly PermissionRule[]): void {
    this.#host = rules;
    this.#changes += 1;
  }

  addSessionRules(rules: readonly PermissionRule[]): void {
    if (this.#family) {
      this.#family.addSessionRules(rules);
      return;
    }
    this.#session = [...this.#session, ...rules];
    this.#changes += 1;
  }

  /** Discards rules that the user approved for the previous session only. */
  forgetSessionRules(): void {
    this.#session = [];
    this.#changes += 1;
  }

  async addUserRules(rules: readonly PermissionRule[]): Promise<void> {
    const { settings } = this.#parts;
    settings.set("permissions.rules", [...settings.get("permissions.rules"), ...rules]);
    await settings.flush();
  }

  /** Lists the rules of all layers, the strongest first. */
  list(): { layer: RuleLayer; rule: PermissionRule }[] {
    const layers = this.#layers();
    return RULE_LAYERS.flatMap((layer) => layers[layer].map((rule) => ({ layer, rule })));
  }

  policy(): Policy {
    const { settings, cwd } = this.#parts;
    const key = `${settings.version} ${cwd()} ${this.#revision}`;
    if (this.#compiled?.key !== key) this.#compiled = { key, policy: this.#compile(realPath(cwd())[0] ?? cwd()) };
    return this.#compiled.policy;
  }

  /** Changes with the preset and with rules that are not settings. */
  get #revision(): number {
    return this.#family ? this.#family.#revision : this.#changes;
  }

  /** Whether a decision can depend on the programs that a command starts. */
  get readsCommands(): boolean {
    return (
      this.mode !== "full" || this.list().some(({ rule }) => rule.command !== undefined || rule.path !== undefined)
    );
  }

  #layers(): Record<RuleLayer, readonly PermissionRule[]> {
    if (this.#family) return this.#family.#layers();
    const { settings } = this.#parts;
    return {
      host: this.#host,
      session: this.#session,
      user: settings.get("permissions.rules"),
      project: settings.get("permissions.projectRules").filter(({ effect }) => effect !== "allow"),
    };
  }

  #compile(cwd: string): Policy {
    const compiled = (rules: readonly PermissionRule[]): CompiledRule[] => rules.map((rule) => compileRule(rule, cwd));
    const { host, session, user, project } = this.#layers();
    const roots = [
      cwd,
      ...this.#parts.settings.get("permissions.roots").map((root) => resolve(cwd, expandHome(root))),
    ].flatMap(realPath);
    const ownDirectory = realPath(this.#parts.home)[0] ?? this.#parts.home;
    return {
      mode: this.mode,
      project: cwd,
      rules: { host: compiled(host), session: compiled(session), user: compiled(user), project: compiled(project) },
      isInside: (real) => roots.some((root) => isBelow(real, root)),
      containsKeys: (real) => containsKeys(real, { ownDirectory }),
      protection: (_, real, access) => pathProtection(real, access, { ownDirectory }),
    };
  }
}

function realPath(path: string): string[] {
  try {
    return [canonicalPath(path)];
  } catch (error) {
    if (isSystemError(error)) return []; // an unreachable directory contains nothing
    throw error;
  }
}

function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
}
