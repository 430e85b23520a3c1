import { dirname, resolve } from "node:path";
import type { ModelRegistry } from "../config/models/model-registry.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { BUILTIN_TOOL_NAMES } from "../tools/builtin-tools.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { consentedSources } from "./consented-sources.ts";
import type { CustomToolBinding } from "./custom-tools/api.ts";
import { discoverCustomTools } from "./custom-tools/discovery.ts";
import type { SessionCustomTools } from "./custom-tools/session-tools.ts";
import type { ExtensionSource } from "./extensions/discovery.ts";
import type { GivenFlags } from "./extensions/flags.ts";
import type { ExtensionFactory } from "./extensions/types.ts";
import { findExtensions } from "./find-extensions.ts";
import type { SessionExtensions } from "./session-extensions.ts";
import type { ExtensionUi } from "./ui.ts";

export interface SessionModulesParts {
  /** Where relative paths of the command line start. */
  cwd: string;
  /** In which the session works. */
  directory: string;
  home: string;
  settings: Settings;
  trust: ProjectTrust;
  /** Gets the providers of extensions. */
  registry: ModelRegistry;
  /** Custom tools from the command line. */
  flagPaths: readonly string[];
  /** Extensions from the command line. */
  extensionPaths: readonly string[];
  /** From the program that embeds pintle. */
  inline: readonly ExtensionFactory[];
  /** False: no other extensions. */
  hasExtensions: boolean;
  /** Long options that pintle itself does not know. */
  extensionFlags: GivenFlags;
  gateway: LazyGateway;
  /** Told when the modules are loaded again: what else depends on consent and files may do the same. */
  reloaded?(): void;
  publicExports(): Promise<object>;
  /** Nobody else in this process catches what a module throws where nobody can catch it. */
  ownsProcess: boolean;
}

export interface ModuleFault {
  path: string;
  event: string;
  error: string;
}

/** What users wrote for this session. The code that loads modules is itself loaded only when there is one. */
export class SessionModules {
  /** What could not be loaded so far. */
  readonly faults: ModuleFault[] = [];
  readonly #parts: SessionModulesParts;
  readonly #binding: CustomToolBinding;
  #cwd: string;
  #dialogs: () => ExtensionUi | undefined = () => undefined;
  #customTools: SessionCustomTools | undefined;
  #extensions: SessionExtensions | undefined;
  #session: AgentSession | undefined;
  #registry: ModelRegistry | undefined;
  #shutdown: () => void = () => {};
  #isGuarded = false;
  #hasStarted = false;

  static async load(parts: SessionModulesParts): Promise<SessionModules> {
    const modules = new SessionModules(parts);
    await Promise.all([modules.#load(), modules.#addExtensions()]);
    return modules;
  }

  async #load(): Promise<void> {
    const parts = this.#parts;
    const { home } = parts;
    const { sources, errors } = discover(parts, this.#cwd);
    for (const fault of errors) this.#report({ ...fault, event: "load" });
    if (sources.length === 0) return;
    const { SessionCustomTools } = await import("./custom-tools/session-tools.ts");
    await this.#guardProcess();
    this.#customTools = await SessionCustomTools.load({
      sources,
      home,
      binding: this.#binding,
      ui: () => this.#dialogs(),
      publicExports: parts.publicExports,
      isTaken: (name) => BUILTIN_TOOL_NAMES.has(name),
      report: (fault) => this.#report(fault),
    });
  }

  async #loadExtensions(sources: readonly ExtensionSource[]): Promise<void> {
    const { SessionExtensions } = await import("./session-extensions.ts");
    const cwd = this.#cwd;
    const { home, gateway, publicExports, registry, inline, extensionFlags: flags } = this.#parts;
    await this.#guardProcess();
    this.#extensions = await SessionExtensions.load({
      sources,
      inline,
      cwd,
      home,
      gateway,
      publicExports,
      flags,
      registry,
    });
    for (const fault of this.#extensions.faults) this.#report(fault);
  }

  /** Once for all kinds of modules, before the first of them is loaded. */
  async #guardProcess(): Promise<void> {
    const { ownsProcess, settings } = this.#parts;
    if (!ownsProcess || this.#isGuarded) return;
    this.#isGuarded = true;
    const [{ watchStrayErrors }, { startWatchdog }] = await Promise.all([
      import("./modules/stray-errors.ts"),
      import("./modules/watchdog.ts"),
    ]);
    watchStrayErrors(({ path = "unknown", error }) => this.#report({ path, event: "unhandled", error }));
    startWatchdog(settings.get("extensions.unresponsiveMs"));
  }

  private constructor(parts: SessionModulesParts) {
    const { cwd, directory, gateway } = parts;
    const fromHere = (path: string) => (path.startsWith("~") ? path : resolve(cwd, path));
    this.#parts = {
      ...parts,
      flagPaths: parts.flagPaths.map(fromHere),
      extensionPaths: parts.extensionPaths.map(fromHere),
    };
    this.#cwd = directory;
    this.#binding = { cwd: () => directory, gateway: () => gateway.open() };
  }

  /** The session is there: tools join it, and what goes wrong from now on is its event. */
  attach(session: AgentSession, registry: ModelRegistry): void {
    this.#customTools?.attach(session, registry);
    this.#session = session;
    this.#registry = registry;
    this.#attachExtensions();
  }

  /** Extensions hear that the session has begun, now that somebody can answer their questions. */
  start(): void {
    this.#hasStarted = true;
    this.#extensions?.start();
  }

  /** What an extension may cause that asks the program to end. */
  onShutdown(shutdown: () => void): void {
    this.#shutdown = shutdown;
  }

  /** Long options that extensions know. */
  get flagTypes(): SessionExtensions["flagTypes"] {
    return this.#extensions?.flagTypes ?? new Map();
  }

  #attachExtensions(): void {
    const [session, registry] = [this.#session, this.#registry];
    if (!session || !registry) return;
    this.#extensions?.attach({
      session,
      registry,
      isProjectTrusted: () => this.#parts.trust.isTrusted,
      ui: () => this.#dialogs(),
      reload: () => this.reload(),
      shutdown: () => this.#shutdown(),
    });
  }

  /** Loads the modules again, also those that have come since. */
  async reload(): Promise<void> {
    await this.#parts.trust.review();
    this.#parts.reloaded?.();
    await Promise.all([this.#reloadTools(), this.#extensions?.reload(this.#findExtensions()) ?? this.#addExtensions()]);
    this.#session?.askConsentAgain();
  }

  /** Somebody has agreed to what was withheld: that joins what is there. */
  async loadConsented(): Promise<void> {
    await Promise.all([this.#reloadTools(), this.#extensions?.join(this.#findExtensions()) ?? this.#addExtensions()]);
  }

  /** The session works in another directory. What that one brings takes the place of what the last one brought. */
  async enter(cwd: string): Promise<void> {
    this.#cwd = cwd;
    await Promise.all([this.#reloadTools(), this.#enterExtensions()]);
  }

  /** They begin with the session, which is about to. */
  async #enterExtensions(): Promise<void> {
    const sources = this.#findExtensions();
    if (!this.#extensions && sources.length > 0) {
      await this.#loadExtensions([]);
      this.#attachExtensions();
    }
    this.#extensions?.useSources(sources);
  }

  async #addExtensions(): Promise<void> {
    const sources = this.#findExtensions();
    if (sources.length === 0 && this.#parts.inline.length === 0) return;
    await this.#loadExtensions(sources);
    this.#attachExtensions();
    if (this.#hasStarted) this.start();
  }

  #findExtensions(): ExtensionSource[] {
    const { sources, errors } = findExtensions({ ...this.#parts, cwd: this.#cwd });
    for (const fault of errors) this.#report({ ...fault, event: "load" });
    return sources;
  }

  async #reloadTools(): Promise<void> {
    if (!this.#customTools) {
      await this.#load();
      if (this.#session && this.#registry)
        (this.#customTools as SessionCustomTools | undefined)?.attach(this.#session, this.#registry);
      return;
    }
    const { sources, errors } = discover(this.#parts, this.#cwd);
    for (const fault of errors) this.#report({ ...fault, event: "load" });
    await this.#customTools.reload(sources);
  }

  /** Of a mode with somebody there; undefined while nobody answers. */
  useDialogs(dialogs: () => ExtensionUi | undefined): void {
    this.#dialogs = dialogs;
  }

  #report({ path, event, error }: ModuleFault): void {
    if (this.#session) this.#session.emit({ type: "extension_error", extensionPath: path, event, error });
    else this.faults.push({ path, event, error });
  }
}

function discover({ home, settings, flagPaths, trust }: SessionModulesParts, cwd: string) {
  const { file } = settings.origin("customTools");
  const baseDir = file === undefined ? cwd : dirname(file);
  const settingsPaths = settings.get("customTools").map((path) => ({ path, baseDir }));
  const isProjects = settings.origin("customTools").layer === "project";
  const { sources, errors } = discoverCustomTools({ cwd, home, settingsPaths, flagPaths, isTrusted: trust.isTrusted });
  return {
    errors,
    sources: consentedSources(
      sources,
      trust,
      ({ scope }) => scope === "project" || (scope === "settings" && isProjects),
    ),
  };
}
