import type { CommandInfo, SourceInfo } from "../../session/session-hooks.ts";
import type { ExtensionFault, ExtensionHost, McpRegistration } from "../api/extension-host.ts";
import type { CommandDefinition } from "../api/extension-types.ts";
import type { ProviderHost } from "../host/provider-registration.ts";
import { describeThrown } from "../loading/load-fault.ts";
import type { ExtensionInstance, RegisteredTool } from "./extension-instance.ts";

export interface NamedCommand {
  /** The name as it is typed, without the slash. */
  name: string;
  command: CommandDefinition;
  instance: ExtensionInstance;
}

/** Collects what the current extensions have registered and passes it to the session. */
export class Registrations {
  readonly #instances: () => readonly ExtensionInstance[];
  readonly #report: (fault: ExtensionFault) => void;
  /** Providers that were passed to the session. */
  readonly #providers = new Set<string>();
  /** Conflicts that have been reported. */
  readonly #reported = new Set<string>();

  constructor(instances: () => readonly ExtensionInstance[], report: (fault: ExtensionFault) => void) {
    this.#instances = () => instances().filter(({ isActive }) => isActive);
    this.#report = report;
  }

  commands(): NamedCommand[] {
    return listCommands(this.#instances());
  }

  /** Offers the tools. If two have the same name, the first extension's tool is used. */
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
            error: `Tool "${name}" is already registered by ${other.path}`,
          });
      }
    }
    host.setExtensionTools([...tools.values()]);
  }

  /** Passes on the providers of these instances and withdraws those that are no longer declared. */
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

  /** Returns the servers in load order. */
  mcpServers(instances: readonly ExtensionInstance[]): McpRegistration[] {
    return instances.flatMap(({ path, mcpServers }) =>
      [...mcpServers].map(([name, config]) => ({ name, config, extensionPath: path })),
    );
  }

  /** Offers the servers. If two extensions that load at the same time register one name, the first keeps it. */
  offerMcpServers(host: ExtensionHost): void {
    const byName = new Map<string, McpRegistration>();
    for (const server of this.mcpServers(this.#instances())) {
      const { name, extensionPath: path } = server;
      const other = byName.get(name);
      if (!other) byName.set(name, server);
      else
        this.#reportOnce({
          path,
          event: "registerMcpServer",
          error: `The MCP server ${name} is already registered by ${other.extensionPath}`,
        });
    }
    const servers = [...byName.values()];
    const paths = new Set(servers.map(({ extensionPath }) => extensionPath));
    host.setMcpServers(servers).catch((error) => {
      for (const path of paths) this.#report({ path, event: "registerMcpServer", error: describeThrown(error) });
    });
  }

  #reportOnce(fault: ExtensionFault): void {
    const key = JSON.stringify(fault);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#report(fault);
  }
}

/** Lists all commands; those with the same name get a number, in load order. */
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
