import type { ModelRegistry } from "../config/model-registry.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import { toAvailableCommand } from "../resources/slash-commands.ts";
import type { AgentSession } from "../session/agent-session.ts";
import type { ExtensionSource } from "./extensions/discovery.ts";
import { ExtensionRunner } from "./extensions/extension-runner.ts";
import type { GivenFlags } from "./extensions/flags.ts";
import { createSessionHost } from "./session-host.ts";
import type { ModuleFault } from "./session-modules.ts";
import type { ExtensionUi } from "./ui.ts";

export interface SessionExtensionsParts {
  sources: readonly ExtensionSource[];
  cwd: string;
  home: string;
  gateway: LazyGateway;
  publicExports(): Promise<object>;
  flags: GivenFlags;
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

  static async load({ gateway, cwd, ...options }: SessionExtensionsParts): Promise<SessionExtensions> {
    const rim = { cwd, gateway: () => gateway.open() };
    return new SessionExtensions(await ExtensionRunner.load({ ...options, rim }), gateway);
  }

  private constructor(runner: ExtensionRunner, gateway: LazyGateway) {
    this.#runner = runner;
    this.#gateway = gateway;
  }

  get faults(): readonly ModuleFault[] {
    return this.#runner.faults;
  }

  /** Long options that some extension has asked for. */
  get flagNames(): ReadonlySet<string> {
    return this.#runner.flagNames;
  }

  attach({ session, ...parts }: Attachment): void {
    session.useHooks(this.#runner);
    this.#runner.bind(
      createSessionHost({
        ...parts,
        session,
        gateway: this.#gateway,
        otherCommands: () => [],
        commandsChanged: () => void announceCommands(session),
      }),
    );
    session.onChange(({ kind }) => (kind === "shutdown" ? this.#runner.leaveSession("quit") : undefined));
  }

  /** Somebody can hear now what extensions have to say about the beginning. */
  start(): void {
    this.#runner.start();
  }

  reload(sources: readonly ExtensionSource[]): Promise<void> {
    return this.#runner.reload(sources);
  }
}

async function announceCommands(session: AgentSession): Promise<void> {
  const commands = (await session.commands()).map(toAvailableCommand);
  session.emit({ type: "available_commands_update", commands });
}
