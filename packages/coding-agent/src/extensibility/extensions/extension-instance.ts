import type { AnyHandler } from "../api/event-types.ts";
import type { ExtensionTool, ProviderRegistration } from "../api/extension-host.ts";
import type {
  CommandDefinition,
  ExtensionCommandContext,
  ExtensionContext,
  FlagDefinition,
} from "../api/extension-types.ts";
import type { VirtualModel } from "../api/virtual-model.ts";
import type { SessionListener } from "../custom-tools/notify-tools.ts";
import type { HandlerOwner } from "../hooks/handler-table.ts";
import { isOutsideRuns } from "../hooks/observed-events.ts";
import type { ModuleInstance } from "../loading/generation.ts";
import type { ModuleSource } from "../sources/discovery.ts";
import { DialogClock } from "../ui/dialog-clock.ts";

export const NOT_READY_TEXT =
  "The extension runtime is not ready: while extensions load, they can only register. Call this in a handler or command.";
export const STALE_TEXT =
  "This pi or ctx is stale: the session was replaced or the extensions were reloaded. Use those of the new instance.";

export interface Contexts {
  context: ExtensionContext;
  commandContext: ExtensionCommandContext;
}

export type RegisteredTool = ExtensionTool & SessionListener;

/** Contexts whose dialogs end at different times. */
export interface ScopedContexts {
  /** Ends with the active run. */
  run: Contexts;
  /** Ends only with the session. */
  session: Contexts;
}

/**
 * One run of an extension's factory and what it registered. An instance is first `loading`, then `active`, and `stale` once
 * another has replaced it.
 */
export class ExtensionInstance implements ModuleInstance, HandlerOwner {
  readonly source: ModuleSource;
  /** Always empty: faulty registrations are reported when they are made. */
  readonly loadFaults: readonly string[] = [];
  readonly handlers = new Map<string, readonly AnyHandler[]>();
  readonly tools = new Map<string, RegisteredTool>();
  readonly commands = new Map<string, CommandDefinition>();
  readonly flags = new Map<string, FlagDefinition>();
  /** Accepted for programs with a terminal. */
  readonly shortcuts = new Map<string, unknown>();
  readonly renderers = new Map<string, unknown>();
  readonly providers = new Map<string, ProviderRegistration>();
  readonly virtualModels = new Map<string, VirtualModel>();
  readonly mcpServers = new Map<string, Record<string, unknown>>();
  readonly dialogs = new DialogClock();
  /** Called when the instance becomes stale. */
  readonly cleanups: (() => void)[] = [];
  /** The name that the extension gave itself. */
  label: string | undefined;
  #phase: "loading" | "active" | "stale" = "loading";
  #contexts: ScopedContexts | undefined;
  readonly #life = new AbortController();

  constructor(source: ModuleSource) {
    this.source = source;
  }

  get path(): string {
    return this.source.path;
  }

  get isActive(): boolean {
    return this.#phase === "active";
  }

  get isStale(): boolean {
    return this.#phase === "stale";
  }

  /** Aborted when the instance becomes stale. */
  get life(): AbortSignal {
    return this.#life.signal;
  }

  /** `ctx` of its tools. */
  get context(): ExtensionContext {
    return this.#requireContexts().run.context;
  }

  /** `ctx` of the handlers of an event. */
  contextFor(event: string): ExtensionContext {
    const { run, session } = this.#requireContexts();
    return (isOutsideRuns(event) ? session : run).context;
  }

  /** `ctx` of its commands. */
  get commandContext(): ExtensionCommandContext {
    return this.#requireContexts().session.commandContext;
  }

  activate(contexts: ScopedContexts): void {
    if (this.#phase !== "loading") return;
    this.#phase = "active";
    this.#contexts = contexts;
  }

  retire(): void {
    this.#phase = "stale";
    this.#life.abort();
    for (const cleanup of this.cleanups.splice(0)) cleanup();
  }

  requireNotStale(): void {
    if (this.#phase === "stale") throw new Error(STALE_TEXT);
  }

  requireActive(): void {
    this.requireNotStale();
    if (this.#phase === "loading") throw new Error(NOT_READY_TEXT);
  }

  #requireContexts(): ScopedContexts {
    if (!this.#contexts) throw new Error(NOT_READY_TEXT);
    return this.#contexts;
  }
}
