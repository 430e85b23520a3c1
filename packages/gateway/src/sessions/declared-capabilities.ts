import type { Attachment, Capabilities } from "./attachment.ts";
import type { Capability } from "./session-frame.ts";

const CAPABILITIES: readonly Capability[] = ["ui", "trust", "resolvePreviews", "approvals", "budgets"];

/** What a host said, with what it did not say. */
export function declaredBy(capabilities: Capabilities): Record<Capability, boolean> {
  return Object.fromEntries(CAPABILITIES.map((name) => [name, capabilities[name] === true])) as Record<
    Capability,
    boolean
  >;
}

/** The boolean fields of a `set_host_capabilities`. */
export function capabilitiesIn(fields: Record<string, unknown>): Capabilities {
  return Object.fromEntries(
    CAPABILITIES.flatMap((name) => (typeof fields[name] === "boolean" ? [[name, fields[name]]] : [])),
  );
}

/**
 * What the hosts of a session can answer together; only what one of them has spoken of. Without a host it stays as it was:
 * questions then wait for their deadline, and a host that comes in time may answer them.
 */
export class DeclaredCapabilities {
  #told: Capabilities = {};

  /** What the worker has not been told yet. */
  change(attachments: Iterable<Attachment>): Capabilities | undefined {
    const hosts = [...attachments];
    if (hosts.length === 0) return undefined;
    const union: Capabilities = {};
    for (const name of CAPABILITIES) {
      const said = hosts.map(({ capabilities }) => capabilities[name]);
      if (this.#told[name] !== undefined || said.some((word) => word !== undefined)) union[name] = said.includes(true);
    }
    const changed = Object.entries(union).filter(([name, value]) => this.#told[name as Capability] !== value);
    if (changed.length === 0) return undefined;
    this.#told = union;
    return Object.fromEntries(changed);
  }

  /** For a new worker, which knows nothing. */
  get told(): Capabilities {
    return this.#told;
  }
}
