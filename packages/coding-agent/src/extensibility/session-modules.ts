import { resolve } from "node:path";
import type { ModelRegistry } from "../config/models/model-registry.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { BUILTIN_TOOL_NAMES } from "../tools/builtin-tools.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import type { ExtensionFactory } from "./api/extension-types.ts";
import type { GivenFlags } from "./api/flags.ts";
import type { CustomTools } from "./custom-tools/custom-tools.ts";
import type { ExtensionRunner } from "./extensions/extension-runner.ts";
import type { ModuleKind, ModuleSource } from "./sources/discovery.ts";
import { type FindParts, findModules } from "./sources/find-modules.ts";
import type { ExtensionUi } from "./ui/ui.ts";

export interface SessionModulesParts extends FindParts {
  /** Where relative paths of the command line start. */
  cwd: string;
  /** In which the session works. */
  directory: string;
  trust: ProjectTrust;
  /** Gets the providers of extensions. */
  registry: ModelRegistry;
  /** From the program that embeds pintle. */
  inline: readonly ExtensionFactory[];
  /** Long options that pintle itself does not know. */
  extensionFlags: GivenFlags;
  gateway: LazyGateway;
  /** Called when the modules are loaded again: what else depends on consent and files may do the same. */
  reloaded?(): void;
  publicExports(): Promise<object>;
  /** This process is pintle's alone: what a module throws outside of every call is caught, and endless loops end it. */
  ownsProcess: boolean;
}

export interface ModuleFault {
  path: string;
  event: string;
  error: string;
}

const KINDS = ["tool", "extension"] as const;

/** What users wrote for this session. The code that loads modules is itself loaded only when there is one. */
export class SessionModules {
  /** What could not be loaded so far. */
  readonly faults: ModuleFault[] = [];
  readonly #parts: SessionModulesParts;
  readonly #loaded: { tool?: CustomTools; extension?: ExtensionRunner } = {};
  #cwd: string;
  #dialogs: () => ExtensionUi | undefined = () => undefined;
  #session: AgentSession | undefined;
  #shutdown: () => void = () => {};
  #isGuarded = false;
  #hasStarted = false;

  static async load(parts: SessionModulesParts): Promise<SessionModules> {
    const modules = new SessionModules(parts);
    await Promise.all(KINDS.map((kind) => modules.#add(kind)));
    return modules;
  }

  private constructor(parts: SessionModulesParts) {
    const { cwd, directory, flagPaths } = parts;
    const fromHere = (path: string) => (path.startsWith("~") ? path : resolve(cwd, path));
    this.#parts = {
      ...parts,
      flagPaths: { tool: flagPaths.tool.map(fromHere), extension: flagPaths.extension.map(fromHere) },
    };
    this.#cwd = directory;
  }

  /** The session is there: tools join it, and what goes wrong from now on is its event. */
  attach(session: AgentSession): void {
    // Until now faults were collected; those of the first calls are the session's.
    this.#attach("tool", session);
    this.#session = session;
    this.#attach("extension", session);
  }

  /** Extensions hear that the session has begun, now that there may be answers to their questions. */
  start(): void {
    this.#hasStarted = true;
    this.#loaded.extension?.start();
  }

  /** What an extension may cause that asks the program to end. */
  onShutdown(shutdown: () => void): void {
    this.#shutdown = shutdown;
  }

  /** Of a mode that can ask a person; undefined while it cannot. */
  useDialogs(dialogs: () => ExtensionUi | undefined): void {
    this.#dialogs = dialogs;
  }

  /** Long options that extensions know. */
  get flagTypes(): ExtensionRunner["flagTypes"] {
    return this.#loaded.extension?.flagTypes ?? new Map();
  }

  /** Loads the modules again, also those that have come since. */
  async reload(): Promise<void> {
    await this.#parts.trust.review();
    this.#parts.reloaded?.();
    await Promise.all(KINDS.map((kind) => this.#loaded[kind]?.reload(this.#find(kind)) ?? this.#add(kind)));
    this.#session?.askConsentAgain();
  }

  /** There is consent to what was withheld: that joins what is there. */
  async loadConsented(): Promise<void> {
    const { tool, extension } = this.#loaded;
    await Promise.all([
      tool?.reload(this.#find("tool")) ?? this.#add("tool"),
      extension?.join(this.#find("extension")) ?? this.#add("extension"),
    ]);
  }

  /** The session works in another directory. What that one brings takes the place of what the last one brought. */
  async enter(cwd: string): Promise<void> {
    this.#cwd = cwd;
    const { tool } = this.#loaded;
    await Promise.all([tool?.reload(this.#find("tool")) ?? this.#add("tool"), this.#enterExtensions()]);
  }

  /** They begin with the session, which is about to. */
  async #enterExtensions(): Promise<void> {
    const sources = this.#find("extension");
    if (!this.#loaded.extension && sources.length > 0) {
      await this.#load("extension", []);
      this.#attach("extension");
    }
    this.#loaded.extension?.enter(sources);
  }

  /** The first modules of a kind, if there are any now. */
  async #add(kind: ModuleKind): Promise<void> {
    const sources = this.#find(kind);
    const hasInline = kind === "extension" && this.#parts.inline.length > 0;
    if (sources.length === 0 && !hasInline) return;
    await this.#load(kind, sources);
    this.#attach(kind);
    if (kind === "extension" && this.#hasStarted) this.start();
  }

  #find(kind: ModuleKind): ModuleSource[] {
    const { sources, errors } = findModules(kind, { ...this.#parts, cwd: this.#cwd });
    for (const fault of errors) this.#report({ ...fault, event: "load" });
    return sources;
  }

  async #load(kind: ModuleKind, sources: readonly ModuleSource[]): Promise<void> {
    const { home, gateway, publicExports, registry, inline, extensionFlags: flags, directory } = this.#parts;
    if (kind === "tool") {
      const { CustomTools } = await import("./custom-tools/custom-tools.ts");
      await this.#guardProcess();
      this.#loaded.tool = await CustomTools.load(sources, {
        home,
        binding: { cwd: () => directory, gateway: () => gateway.open() },
        publicExports,
        isTaken: (name) => BUILTIN_TOOL_NAMES.has(name),
        report: (fault) => this.#report(fault),
      });
      return;
    }
    const { ExtensionRunner } = await import("./extensions/extension-runner.ts");
    await this.#guardProcess();
    const rim = { cwd: this.#cwd, gateway: () => gateway.open() };
    const runner = await ExtensionRunner.load({ sources, inline, home, rim, publicExports, flags, registry });
    for (const fault of runner.faults) this.#report(fault);
    this.#loaded.extension = runner;
  }

  #attach(kind: ModuleKind, session = this.#session): void {
    if (!session) return;
    const { registry, gateway, trust } = this.#parts;
    this.#loaded[kind]?.attach({
      session,
      registry,
      gateway,
      isProjectTrusted: () => trust.isTrusted,
      ui: () => this.#dialogs(),
      reload: () => this.reload(),
      shutdown: () => this.#shutdown(),
    });
  }

  /** Once for all kinds of modules, before the first of them is loaded. */
  async #guardProcess(): Promise<void> {
    const { ownsProcess, settings } = this.#parts;
    if (!ownsProcess || this.#isGuarded) return;
    this.#isGuarded = true;
    const [{ watchStrayErrors }, { startWatchdog }] = await Promise.all([
      import("./loading/stray-errors.ts"),
      import("./loading/watchdog.ts"),
    ]);
    watchStrayErrors(({ path = "unknown", error }) => this.#report({ path, event: "unhandled", error }));
    startWatchdog(settings.get("extensions.unresponsiveMs"));
  }

  #report({ path, event, error }: ModuleFault): void {
    if (this.#session) this.#session.emit({ type: "extension_error", extensionPath: path, event, error });
    else this.faults.push({ path, event, error });
  }
}
