import type { ModelRegistry } from "../config/models/model-registry.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { AnnouncedCommands } from "./announced-commands.ts";
import type { ExtensionSource } from "./extensions/discovery.ts";
import { ExtensionRunner } from "./extensions/extension-runner.ts";
import type { GivenFlags } from "./extensions/flags.ts";
import type { ExtensionFactory } from "./extensions/types.ts";
import { registerExtensionProvider } from "./provider-registration.ts";
import { createSessionHost } from "./session-host.ts";
import type { ModuleFault } from "./session-modules.ts";
import type { ExtensionUi } from "./ui.ts";

export interface SessionExtensionsParts {
  sources: readonly ExtensionSource[];
  /** From the program that embeds pintle. */
  inline?: readonly ExtensionFactory[];
  cwd: string;
  home: string;
  gateway: LazyGateway;
  publicExports(): Promise<object>;
  flags: GivenFlags;
  /** Gets their providers, so that the model of the session may be one of theirs. */
  registry: ModelRegistry;
}

export interface Attachment {
  session: AgentSession;
  registry: ModelRegistry;
  isProjectTrusted(): boolean;
  ui(): ExtensionUi | undefined;
  reload(): Promise<void>;
  shutdown(): void;
}

/** The extensions of one session. Loaded with the first of them. */
export class SessionExtensions {
  readonly #runner: ExtensionRunner;
  readonly #gateway: LazyGateway;
  #commands: AnnouncedCommands | undefined;
  #session: AgentSession | undefined;

  static async load({ gateway, cwd, registry, ...options }: SessionExtensionsParts): Promise<SessionExtensions> {
    const rim = { cwd, gateway: () => gateway.open() };
    const runner = await ExtensionRunner.load({ ...options, rim });
    runner.offerProviders({
      registerProvider: (id, provider) => registerExtensionProvider(registry, id, provider),
      unregisterProvider: (id) => registry.unregisterProvider(id),
    });
    return new SessionExtensions(runner, gateway);
  }

  private constructor(runner: ExtensionRunner, gateway: LazyGateway) {
    this.#runner = runner;
    this.#gateway = gateway;
  }

  get faults(): readonly ModuleFault[] {
    return this.#runner.faults;
  }

  /** Long options that some extension has asked for. */
  get flagTypes(): ExtensionRunner["flagTypes"] {
    return this.#runner.flagTypes;
  }

  attach({ session, ...parts }: Attachment): void {
    const commands = new AnnouncedCommands(session);
    this.#commands = commands;
    this.#session = session;
    session.useHooks(this.#runner);
    commands.hold(); // nobody is asked which there are before the session begins
    this.#runner.bind(
      createSessionHost({
        ...parts,
        session,
        gateway: this.#gateway,
        otherCommands: () => commands.others,
        commandsChanged: () => commands.announce(),
      }),
    );
    commands.resume();
    session.onChange(({ kind }) => (kind === "shutdown" ? this.#runner.leaveSession("quit") : undefined));
  }

  /** Somebody can hear now what extensions have to say about the beginning. */
  start(): void {
    this.#runner.start();
    this.#commands?.announce();
  }

  reload(sources: readonly ExtensionSource[]): Promise<void> {
    return this.#withOthers(() => this.#runner.reload(sources));
  }

  /** Which there are from the next session on. */
  useSources(sources: readonly ExtensionSource[]): void {
    this.#runner.useSources(sources);
  }

  /** Those that are not there yet join. */
  join(sources: readonly ExtensionSource[]): Promise<void> {
    return this.#withOthers(() => this.#runner.join(sources));
  }

  /** Others are there afterwards, who may know of other resources. */
  async #withOthers(change: () => Promise<void>): Promise<void> {
    this.#commands?.hold();
    try {
      await change();
    } finally {
      this.#session?.forgetResources();
      this.#commands?.resume();
      this.#commands?.announce();
    }
  }
}
