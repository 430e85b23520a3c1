import { describeThrown } from "../modules/load-fault.ts";
import { listCommands, type NamedCommand } from "./commands.ts";
import type { ExtensionFault, ExtensionHost } from "./extension-host.ts";
import type { ExtensionInstance, RegisteredTool } from "./extension-instance.ts";

/** Who takes providers; before there is a session already. */
export type ProviderHost = Pick<ExtensionHost, "registerProvider" | "unregisterProvider">;

/** What the extensions of now have registered, as the session gets it. */
export class Registrations {
  readonly #instances: () => readonly ExtensionInstance[];
  readonly #report: (fault: ExtensionFault) => void;
  /** Providers that the session has from us. */
  readonly #providers = new Set<string>();
  /** Conflicts that somebody was told of. */
  readonly #told = new Set<string>();

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
          this.#tellOnce({ path, event: "registerTool", error: `Tool "${name}" is already there, from ${other.path}` });
      }
    }
    host.setExtensionTools([...tools.values()]);
  }

  /** Hands over those of these instances and takes back what nobody declares any more. */
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

  #tellOnce(fault: ExtensionFault): void {
    const key = JSON.stringify(fault);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#report(fault);
  }
}
