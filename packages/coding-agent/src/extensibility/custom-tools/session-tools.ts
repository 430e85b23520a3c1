import type { ModelRegistry } from "../../config/models/model-registry.ts";
import { checkToolSchema } from "../../schemas/tool-schema.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { dialogsUntil } from "../dialogs-until.ts";
import { createLogger } from "../logger.ts";
import type { LoadFault } from "../modules/load-fault.ts";
import { canAsk, noUi } from "../no-ui.ts";
import { viewModels, viewSession } from "../session-view.ts";
import type { ExtensionUi } from "../ui.ts";
import { type CustomToolBinding, DEFAULT_SOURCE } from "./api.ts";
import type { CustomToolContext } from "./context.ts";
import type { CustomToolSource } from "./discovery.ts";
import { type CustomTools, loadCustomTools } from "./load-custom-tools.ts";
import { isToldToTools } from "./notify-session.ts";
import type { CustomToolSessionEvent } from "./types.ts";

export interface SessionCustomToolsParts {
  sources: readonly CustomToolSource[];
  home: string;
  binding: CustomToolBinding;
  /** The mode's dialogs; undefined while nobody could answer. */
  ui(): ExtensionUi | undefined;
  publicExports(): Promise<object>;
  /** Taken by a tool that is there already. */
  isTaken(name: string): boolean;
  report(fault: LoadFault & { event: string }): void;
}

/** The custom tools of one session: loaded before it, connected to it once it is there. */
export class SessionCustomTools {
  readonly #parts: SessionCustomToolsParts;
  #tools: CustomTools;
  #session: AgentSession | undefined;
  /** Of the modules in the open session: their dialogs end with it. */
  #life = new AbortController();

  static async load(parts: SessionCustomToolsParts): Promise<SessionCustomTools> {
    const { sources, home, binding, publicExports, isTaken, report } = parts;
    const tools = await loadCustomTools(sources, {
      binding,
      logger: createLogger(home),
      publicExports,
      checkSchema: checkToolSchema,
      isTaken,
      report: (fault) => report({ ...fault, event: "onSession" }),
    });
    for (const fault of tools.errors) report({ ...fault, event: "load" });
    return new SessionCustomTools(parts, tools);
  }

  private constructor(parts: SessionCustomToolsParts, tools: CustomTools) {
    this.#parts = parts;
    this.#tools = tools;
  }

  attach(session: AgentSession, registry: ModelRegistry): void {
    const { binding, ui } = this.#parts;
    binding.cwd = () => session.cwd;
    binding.pushPendingAction = (action) => session.tooling.previews.push(action);
    binding.ui = dialogsUntil(ui, () => [session.runSignal, this.#life.signal]);
    binding.context = () => createContext(session, registry, binding.ui?.());
    this.#session = session;
    this.#offer(session);
    session.subscribe((event) => {
      if (isToldToTools(event.type)) void this.#tell({ ...event, reason: event.type });
    });
    session.onChange(({ kind, previousSessionFile }) => {
      this.#endDialogs();
      if (kind === "shutdown") return this.#tell({ reason: "shutdown" });
      void this.#tell({ reason: kind === "fork" ? "branch" : "switch", previousSessionFile });
    });
    void this.#tell({ reason: "start" });
  }

  /** Runs the modules again as they are on disk now. What the old ones have staged is discarded: their code is gone. */
  async reload(sources: readonly CustomToolSource[]): Promise<void> {
    const session = this.#session;
    if (!session) return;
    this.#endDialogs();
    const names = new Set([...this.#tools.all().map(({ tool }) => tool.name), DEFAULT_SOURCE]);
    const { previews } = session.tooling;
    for (const { id, sourceToolName } of previews.pending) {
      if (!names.has(sourceToolName)) continue;
      await previews.decide({ verdict: "discard", reason: "The tool was loaded again.", by: "session" }, id);
    }
    this.#tools = await this.#tools.reload(sources);
    for (const fault of this.#tools.errors) this.#parts.report({ ...fault, event: "load" });
    this.#offer(session);
    void this.#tell({ reason: "start" });
  }

  /** Modules that take long join when they are ready. */
  #offer(session: AgentSession): void {
    const tools = this.#tools;
    session.tooling.setCustom(tools.all());
    for (const late of tools.late) {
      void late.then(({ errors }) => {
        for (const fault of errors) this.#parts.report({ ...fault, event: "load" });
        if (tools === this.#tools) session.tooling.setCustom(tools.all());
      });
    }
  }

  /** Nobody is left who could use the answers. */
  #endDialogs(): void {
    this.#life.abort();
    this.#life = new AbortController();
  }

  #tell(event: CustomToolSessionEvent): Promise<void> {
    return this.#tools.notifySession(event);
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
    abort: () => void session.abort(),
  };
}
