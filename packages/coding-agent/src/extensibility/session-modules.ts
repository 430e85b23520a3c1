import { resolve } from "node:path";
import type { LazyProcessRunner } from "@pintle/exec";
import type { ModelRegistry } from "../config/models/model-registry.ts";
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
  /** The base of relative paths on the command line. */
  cwd: string;
  /** The directory that the session works in. */
  directory: string;
  trust: ProjectTrust;
  /** Receives the providers of extensions. */
  registry: ModelRegistry;
  /** Extensions from the program that embeds pintle. */
  inline: readonly ExtensionFactory[];
  /** Long options that pintle itself does not know. */
  extensionFlags: GivenFlags;
  processRunner: LazyProcessRunner;
  /** Called after modules were reloaded, so that other state that depends on trust and files can be refreshed. */
  reloaded?(): void;
  publicExports(): Promise<object>;
  /**
   * True if this process belongs to pintle alone: errors that a module throws outside any call are caught, and an endless loop
   * ends the process.
   */
  ownsProcess: boolean;
}

export interface ModuleFault {
  path: string;
  event: string;
  error: string;
}

const KINDS = ["tool", "extension"] as const;

/** The user's modules for this session. The code that loads modules is itself loaded only if there is one. */
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

  /** Connects to the session: tools join it, and later faults become its events. */
  attach(session: AgentSession): void {
    // Until now faults were collected; those of the first calls belong to the session.
    this.#attach("tool", session);
    this.#session = session;
    this.#attach("extension", session);
  }

  /** Notifies extensions that the session has started, now that their questions may be answered. */
  start(): void {
    this.#hasStarted = true;
    this.#loaded.extension?.start();
  }

  /** Sets what happens when an extension asks the program to end. */
  onShutdown(shutdown: () => void): void {
    this.#shutdown = shutdown;
  }

  /** Sets the dialogs of a mode that can ask a person; undefined while it cannot. */
  useDialogs(dialogs: () => ExtensionUi | undefined): void {
    this.#dialogs = dialogs;
  }

  /** Long options that extensions have registered. */
  get flagTypes(): ExtensionRunner["flagTypes"] {
    return this.#loaded.extension?.flagTypes ?? new Map();
  }

  /** Reloads the modules, including those added since. */
  async reload(): Promise<void> {
    await this.#parts.trust.review();
    this.#parts.reloaded?.();
    await Promise.all(KINDS.map((kind) => this.#loaded[kind]?.reload(this.#find(kind)) ?? this.#add(kind)));
    this.#session?.consent.askAgain();
  }

  /** Loads modules that were withheld until the user trusted the project. */
  async loadConsented(): Promise<void> {
    const { tool, extension } = this.#loaded;
    await Promise.all([
      tool?.reload(this.#find("tool")) ?? this.#add("tool"),
      extension?.join(this.#find("extension")) ?? this.#add("extension"),
    ]);
  }

  /** Switches to another directory, whose modules replace those of the previous one. */
  async enter(cwd: string): Promise<void> {
    this.#cwd = cwd;
    const { tool } = this.#loaded;
    await Promise.all([tool?.reload(this.#find("tool")) ?? this.#add("tool"), this.#enterExtensions()]);
  }

  /** Loads the extensions for the session that is about to start. */
  async #enterExtensions(): Promise<void> {
    const sources = this.#find("extension");
    if (!this.#loaded.extension && sources.length > 0) {
      await this.#load("extension", []);
      this.#attach("extension");
    }
    this.#loaded.extension?.enter(sources);
  }

  /** Loads the first modules of a kind, if there are any now. */
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
    const { home, processRunner, publicExports, registry, inline, extensionFlags: flags, directory } = this.#parts;
    if (kind === "tool") {
      const { CustomTools } = await import("./custom-tools/custom-tools.ts");
      await this.#guardProcess();
      this.#loaded.tool = await CustomTools.load(sources, {
        home,
        binding: { cwd: () => directory, processRunner: () => processRunner.open() },
        publicExports,
        isTaken: (name) => BUILTIN_TOOL_NAMES.has(name),
        report: (fault) => this.#report(fault),
      });
      return;
    }
    const { ExtensionRunner } = await import("./extensions/extension-runner.ts");
    await this.#guardProcess();
    const environment = { cwd: this.#cwd, processRunner: () => processRunner.open() };
    const runner = await ExtensionRunner.load({ sources, inline, home, environment, publicExports, flags, registry });
    for (const fault of runner.faults) this.#report(fault);
    this.#loaded.extension = runner;
  }

  #attach(kind: ModuleKind, session = this.#session): void {
    if (!session) return;
    const { registry, processRunner, trust } = this.#parts;
    this.#loaded[kind]?.attach({
      session,
      registry,
      processRunner,
      isProjectTrusted: () => trust.isTrusted,
      ui: () => this.#dialogs(),
      reload: () => this.reload(),
      shutdown: () => this.#shutdown(),
    });
  }

  /** Guards the process once, before the first module of any kind is loaded. */
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
    if (this.#session) this.#session.events.emit({ type: "extension_error", extensionPath: path, event, error });
    else this.faults.push({ path, event, error });
  }
}
