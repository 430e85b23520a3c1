import type { CommandInfo, SourceInfo } from "../../session/session-hooks.ts";
import type { ExtensionFault, ExtensionHost } from "../api/extension-host.ts";
import type { CommandDefinition } from "../api/extension-types.ts";
import type { ProviderHost } from "../host/provider-registration.ts";
import { describeThrown } from "../loading/load-fault.ts";
import type { ExtensionInstance, RegisteredTool } from "./extension-instance.ts";

export interface NamedCommand {
  /** As it is typed, without the slash. */
  name: string;
  command: CommandDefinition;
  instance: ExtensionInstance;
}

/** What the extensions of now have registered, as the session gets it. */
export class Registrations {
  readonly #instances: () => readonly ExtensionInstance[];
  readonly #report: (fault: ExtensionFault) => void;
  /** Providers that the session has from us. */
  readonly #providers = new Set<string>();
  /** Conflicts that were reported. */
  readonly #reported = new Set<string>();

  constructor(instances: () => readonly ExtensionInstance[], report: (fault: ExtensionFault) => void) {
    this.#instances = () => instances().filter(({ isActive }) => isActive);
    this.#report = report;
  }

  commands(): NamedCommand[] {
    return listCommands(this.#instances());
  }

  /** Of two tools with one name that of the first extension stays. */
  offerTools(host: ExtensionHost): void {
    const tools = new Map<string, RegisteredTool>();
    for (const { path, tools: registered } of this.#instances()) {
      for (const [name, tool] of registered) {
        const other = tools.get(name);
        if (!other) tools.set(name, tool);
        else
          this.#reportOnce({
            path,
            event: "registerTool",
            error: `Tool "${name}" is already there, from ${other.path}`,
          });
      }
    }
    host.setExtensionTools([...tools.values()]);
  }

  /** Hands over those of these instances and takes back what is not declared any more. */
  offerProviders(host: ProviderHost, fresh: readonly ExtensionInstance[]): void {
    for (const { path, providers } of fresh) {
      for (const [name, provider] of providers) {
        try {
          host.registerProvider(name, provider);
        } catch (error) {
          providers.delete(name);
          this.#report({ path, event: "registerProvider", error: describeThrown(error) });
        }
      }
    }
    const declared = new Set([...this.#instances(), ...fresh].flatMap(({ providers }) => [...providers.keys()]));
    for (const name of this.#providers) if (!declared.has(name)) host.unregisterProvider(name);
    this.#providers.clear();
    for (const name of declared) this.#providers.add(name);
  }

  #reportOnce(fault: ExtensionFault): void {
    const key = JSON.stringify(fault);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#report(fault);
  }
}

/** All commands; several of one name are told apart by a number, in load order. */
function listCommands(instances: readonly ExtensionInstance[]): NamedCommand[] {
  const all = instances.flatMap((instance) =>
    [...instance.commands].map(([name, command]) => ({ name, command, instance })),
  );
  const byName = Map.groupBy(all, ({ name }) => name);
  return all.map((entry) => {
    const same = byName.get(entry.name) ?? [];
    return same.length > 1 ? { ...entry, name: `${entry.name}:${same.indexOf(entry) + 1}` } : entry;
  });
}

export function commandInfo({ name, command, instance }: NamedCommand): CommandInfo {
  const { description } = command;
  return {
    name,
    ...(typeof description === "string" && { description }),
    source: "extension",
    sourceInfo: sourceInfo(instance),
  };
}

const SCOPES = { project: "project", user: "user", settings: "user", flag: "temporary", inline: "temporary" } as const;

function sourceInfo({ source }: ExtensionInstance): SourceInfo {
  return { path: source.path, source: source.scope, scope: SCOPES[source.scope], origin: "top-level" };
}
