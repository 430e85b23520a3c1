import { dirname } from "node:path";
import type { ModelRegistry } from "../config/model-registry.ts";
import type { Settings } from "../config/settings.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { BUILTIN_TOOL_NAMES } from "../tools/builtin-tools.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import type { CustomToolBinding } from "./custom-tools/api.ts";
import { discoverCustomTools } from "./custom-tools/discovery.ts";
import type { SessionCustomTools } from "./custom-tools/session-tools.ts";
import type { ExtensionUi } from "./ui.ts";

export interface SessionModulesParts {
  cwd: string;
  home: string;
  settings: Settings;
  trust: ProjectTrust;
  /** From the command line. */
  flagPaths: readonly string[];
  gateway: LazyGateway;
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
  #dialogs: () => ExtensionUi | undefined = () => undefined;
  #customTools: SessionCustomTools | undefined;
  #session: AgentSession | undefined;
  #registry: ModelRegistry | undefined;

  static async load(parts: SessionModulesParts): Promise<SessionModules> {
    const modules = new SessionModules(parts);
    await modules.#load();
    return modules;
  }

  async #load(): Promise<void> {
    const parts = this.#parts;
    const { home } = parts;
    const { sources, errors } = discover(parts);
    for (const fault of errors) this.#report({ ...fault, event: "load" });
    if (sources.length === 0) return;
    const [{ SessionCustomTools }, { watchStrayErrors }] = await Promise.all([
      import("./custom-tools/session-tools.ts"),
      import("./modules/stray-errors.ts"),
    ]);
    if (parts.ownsProcess) {
      watchStrayErrors(({ path = "unknown", error }) => this.#report({ path, event: "unhandled", error }));
    }
    this.#customTools = await SessionCustomTools.load({
      sources,
      home,
      binding: this.#binding,
      publicExports: parts.publicExports,
      isTaken: (name) => BUILTIN_TOOL_NAMES.has(name),
      report: (fault) => this.#report(fault),
    });
  }

  private constructor(parts: SessionModulesParts) {
    const { cwd, gateway } = parts;
    this.#parts = parts;
    const dialogs = () => this.#dialogs();
    this.#binding = {
      cwd: () => cwd,
      gateway: () => gateway.open(),
      get ui() {
        return dialogs();
      },
    };
  }

  /** The session is there: tools join it, and what goes wrong from now on is its event. */
  attach(session: AgentSession, registry: ModelRegistry): void {
    this.#customTools?.attach(session, registry);
    this.#session = session;
    this.#registry = registry;
  }

  /** Loads the modules again, also those that have come since. */
  async reload(): Promise<void> {
    if (!this.#customTools) {
      await this.#load();
      if (this.#session && this.#registry)
        (this.#customTools as SessionCustomTools | undefined)?.attach(this.#session, this.#registry);
      return;
    }
    const { sources, errors } = discover(this.#parts);
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

function discover({ cwd, home, settings, flagPaths, trust }: SessionModulesParts) {
  const { file } = settings.origin("customTools");
  const baseDir = file === undefined ? cwd : dirname(file);
  const settingsPaths = settings.get("customTools").map((path) => ({ path, baseDir }));
  const isProjects = settings.origin("customTools").layer === "project";
  const { sources, errors } = discoverCustomTools({ cwd, home, settingsPaths, flagPaths, isTrusted: trust.isTrusted });
  return {
    errors,
    sources: sources.filter(
      ({ scope, realPath }) =>
        !(scope === "project" || (scope === "settings" && isProjects)) || trust.isStillTrusted(realPath),
    ),
  };
}
