import { dirname } from "node:path";
import type { ModelRegistry } from "../config/model-registry.ts";
import type { Settings } from "../config/settings.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { BUILTIN_TOOL_NAMES } from "../tools/builtin-tools.ts";
import type { CustomToolBinding } from "./custom-tools/api.ts";
import { discoverCustomTools } from "./custom-tools/discovery.ts";
import type { SessionCustomTools } from "./custom-tools/session-tools.ts";
import type { ExtensionUi } from "./ui.ts";

export interface SessionModulesParts {
  cwd: string;
  home: string;
  settings: Settings;
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
  /** Parts of the project that nobody has agreed to load. */
  readonly withheld: readonly string[];
  /** What could not be loaded so far. */
  readonly faults: ModuleFault[] = [];
  readonly #parts: SessionModulesParts;
  readonly #binding: CustomToolBinding;
  #dialogs: () => ExtensionUi | undefined = () => undefined;
  #customTools: SessionCustomTools | undefined;
  #session: AgentSession | undefined;

  static async load(parts: SessionModulesParts): Promise<SessionModules> {
    const { home } = parts;
    const { sources, withheld, errors } = discover(parts);
    const modules = new SessionModules(
      parts,
      withheld.map(({ path }) => path),
    );
    for (const fault of errors) modules.#report({ ...fault, event: "load" });
    if (sources.length === 0) return modules;
    const [{ SessionCustomTools }, { watchStrayErrors }] = await Promise.all([
      import("./custom-tools/session-tools.ts"),
      import("./modules/stray-errors.ts"),
    ]);
    if (parts.ownsProcess) {
      watchStrayErrors(({ path = "unknown", error }) => modules.#report({ path, event: "unhandled", error }));
    }
    modules.#customTools = await SessionCustomTools.load({
      sources,
      home,
      binding: modules.#binding,
      publicExports: parts.publicExports,
      isTaken: (name) => BUILTIN_TOOL_NAMES.has(name),
      report: (fault) => modules.#report(fault),
    });
    return modules;
  }

  private constructor(parts: SessionModulesParts, withheld: readonly string[]) {
    const { cwd, gateway } = parts;
    this.#parts = parts;
    this.withheld = withheld;
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
  }

  /** Loads the modules again, also those that have come since. */
  async reload(): Promise<void> {
    const { sources, errors } = discover(this.#parts);
    for (const fault of errors) this.#report({ ...fault, event: "load" });
    await this.#customTools?.reload(sources);
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

function discover({ cwd, home, settings, flagPaths }: SessionModulesParts) {
  const { file } = settings.origin("customTools");
  const baseDir = file === undefined ? cwd : dirname(file);
  const settingsPaths = settings.get("customTools").map((path) => ({ path, baseDir }));
  return discoverCustomTools({ cwd, home, settingsPaths, flagPaths });
}

export function withheldText(count: number): string {
  const items = count === 1 ? "1 item of this project was" : `${count} items of this project were`;
  return `${items} withheld: code of a project is not run without consent`;
}
