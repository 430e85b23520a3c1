import type { ModelRegistry } from "../../config/models/model-registry.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { provideAliases } from "../aliases/alias-modules.ts";
import { createLogger } from "../api/logger.ts";
import type { CustomToolContext } from "../api/session-types.ts";
import type { CustomToolAPI, CustomToolSessionEvent } from "../api/tool-types.ts";
import { viewModels } from "../host/model-view.ts";
import { viewSession } from "../host/session-view.ts";
import { callFactory } from "../loading/import-factory.ts";
import type { LoadFault } from "../loading/load-fault.ts";
import type { LoadLimits } from "../loading/load-together.ts";
import { ModuleSet } from "../loading/module-set.ts";
import type { ModuleSource } from "../sources/discovery.ts";
import { dialogsUntil } from "../ui/dialogs-until.ts";
import { canAsk, noUi } from "../ui/no-ui.ts";
import type { ExtensionUi } from "../ui/ui.ts";
import { type CustomToolBinding, createCustomToolApi, DEFAULT_SOURCE } from "./custom-tool-api.ts";
import { notifyTools, reachesTools, type SessionBudgets } from "./notify-tools.ts";
import { type RegisteredTool, ToolModule } from "./tool-module.ts";

// Loaded with the first tool module, because it brings in the schema library.

export interface CustomToolsParts {
  binding: CustomToolBinding;
  /** pintle's own directory. */
  home: string;
  /** What `pintle` exports to modules. */
  publicExports(): Promise<object>;
  /** Returns whether a tool other than a custom one has this name. Called when a tool joins. */
  isTaken(name: string): boolean;
  report(fault: LoadFault & { event: string }): void;
  limits?: LoadLimits;
  budgets?: SessionBudgets;
}

/** The tool modules of one session: loaded before the session exists, connected to it afterwards. */
export class CustomTools {
  readonly #parts: CustomToolsParts;
  readonly #modules: ModuleSet<CustomToolAPI, ModuleSource, ToolModule>;
  #session: AgentSession | undefined;
  #hasStarted = false;
  /** Aborted when the open session ends, which closes the modules' dialogs. */
  #life = new AbortController();

  static async load(sources: readonly ModuleSource[], parts: CustomToolsParts): Promise<CustomTools> {
    const { binding, home, publicExports } = parts;
    const pi = await provideAliases(publicExports);
    const api = createCustomToolApi({
      binding,
      logger: createLogger(home),
      typebox: await import("typebox"),
      pi,
    });
    const tools = new CustomTools(parts, api);
    await tools.#modules.load(sources);
    return tools;
  }

  private constructor(parts: CustomToolsParts, api: CustomToolAPI) {
    const { binding, isTaken, limits, report } = parts;
    this.#parts = parts;
    this.#modules = new ModuleSet({
      limits,
      run: async (factory, { path }) =>
        new ToolModule({ path, made: await callFactory(factory, api, path), binding, isTaken }),
      activate: (modules) => this.#activate(modules),
      activateLate: (module) => this.#activate([module]),
      report: (fault) => report({ ...fault, event: "load" }),
    });
  }

  /** The tools, in load order. */
  get tools(): RegisteredTool[] {
    return this.#modules.instances.flatMap(({ tools }) => tools);
  }

  attach({ session, registry, ui }: { session: AgentSession; registry: ModelRegistry; ui(): ExtensionUi | undefined }) {
    const { binding } = this.#parts;
    binding.cwd = () => session.cwd;
    binding.pushPendingAction = (action) => session.tooling.previews.push(action);
    binding.ui = dialogsUntil(ui, () => [session.runs.signal, this.#life.signal]);
    binding.context = () => createContext(session, registry, binding.ui?.());
    this.#session = session;
    session.tooling.setCustom(this.tools);
    session.subscribe((event) => {
      // Never rejects: errors of a tool are reported.
      if (reachesTools(event.type)) void this.notify({ ...event, reason: event.type });
    });
    session.handover.onChange(({ kind, previousSessionFile }) => {
      this.#endDialogs();
      if (kind === "shutdown") return this.notify({ reason: "shutdown" });
      // Never rejects: errors of a tool are reported.
      void this.notify({ reason: kind === "fork" ? "branch" : "switch", previousSessionFile });
    });
    this.begin();
  }

  /** Notifies the tools that the session has started; tools that join later are notified as well. */
  begin(): void {
    this.#hasStarted = true;
    // Never rejects: errors of a tool are reported.
    void this.notify({ reason: "start" });
  }

  /** Reloads the modules from disk. Changes staged by the old ones are discarded, because their code is gone. */
  async reload(sources: readonly ModuleSource[]): Promise<void> {
    await this.#modules.reload(sources, async () => {
      this.#endDialogs();
      await this.#discardStaged();
      this.#modules.end();
    });
  }

  /** Notifies the tools. Never rejects. */
  notify(event: CustomToolSessionEvent, tools: readonly RegisteredTool[] = this.tools): Promise<void> {
    const { report, budgets } = this.#parts;
    return notifyTools(tools, event, {
      report: (fault) => report({ ...fault, event: "onSession" }),
      ...(budgets && { budgets }),
    });
  }

  #activate(modules: readonly ToolModule[]): void {
    for (const module of modules) module.isActive = true;
    this.#session?.tooling.setCustom(this.tools);
    const added = modules.flatMap(({ tools }) => tools);
    // Never rejects: errors of a tool are reported.
    if (this.#hasStarted) void this.notify({ reason: "start" }, added);
  }

  async #discardStaged(): Promise<void> {
    const previews = this.#session?.tooling.previews;
    if (!previews) return;
    const names = new Set([...this.tools.map(({ tool }) => tool.name), DEFAULT_SOURCE]);
    for (const { id, sourceToolName } of previews.pending) {
      if (!names.has(sourceToolName)) continue;
      await previews.decide({ verdict: "discard", reason: "The tool was reloaded.", by: "session" }, id);
    }
  }

  /** Closes dialogs of modules that are gone, because nothing waits for the answers. */
  #endDialogs(): void {
    this.#life.abort();
    this.#life = new AbortController();
  }
}

function createContext(session: AgentSession, registry: ModelRegistry, ui: ExtensionUi | undefined): CustomToolContext {
  return {
    sessionManager: viewSession(
      () => session.manager,
      () => session.cwd,
    ),
    modelRegistry: viewModels(registry),
    model: session.model,
    settings: session.settings,
    cwd: session.cwd,
    hasUI: canAsk(ui),
    ui: ui ?? noUi,
    isIdle: () => !session.isStreaming,
    hasQueuedMessages: () => session.queue.count > 0,
    // Never rejects: an abort waits for the run, however that ends.
    abort: () => void session.abort(),
  };
}
