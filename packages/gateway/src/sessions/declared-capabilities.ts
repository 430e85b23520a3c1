import { CommandError } from "../frames/command-error.ts";
import type { Attachment, Capabilities } from "./attachment.ts";
import type { Capability } from "./session-frame.ts";

const CAPABILITIES: readonly Capability[] = [
  ...(["ui", "trust", "resolvePreviews", "approvals", "budgets", "mcpAuth"] as const),
  ...(["fs", "terminal"] as const),
];

/** The files and the terminal of one editor: they belong to the connection that declared them first, as a host tool does. */
const EXCLUSIVE: ReadonlySet<string> = new Set<Capability>(["fs", "terminal"]);

export const isExclusive = (capability: Capability) => EXCLUSIVE.has(capability);

/** What of a wish another host has already. */
function takenBy(others: Iterable<Attachment>, hostId: number, wish: Capabilities): Capability[] {
  const held = [...others].filter(({ host }) => host.id !== hostId);
  return CAPABILITIES.filter(
    (name) => isExclusive(name) && wish[name] && held.some(({ capabilities }) => capabilities[name]),
  );
}

/** Throws CommandError when another connection holds what is declared. */
export function refuseTaken(attachments: Iterable<Attachment>, hostId: number, wish: Capabilities): void {
  const [taken] = takenBy(attachments, hostId, wish);
  if (taken !== undefined) throw new CommandError("busy", `The capability "${taken}" belongs to another connection`);
}

/** What a host said for all its sessions, without what is another's in this one. */
export function withoutTaken(attachments: Iterable<Attachment>, hostId: number, wish: Capabilities): Capabilities {
  const taken = takenBy(attachments, hostId, wish);
  return Object.fromEntries(Object.entries(wish).filter(([name]) => !taken.includes(name as Capability)));
}

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
 * questions then wait for their deadline, and a host that comes in time may answer them. What belongs to one host goes with it.
 */
export class DeclaredCapabilities {
  #told: Capabilities = {};

  /** What the worker has not been told yet. */
  change(attachments: Iterable<Attachment>): Capabilities | undefined {
    const hosts = [...attachments];
    const union: Capabilities = {};
    for (const name of CAPABILITIES) {
      if (hosts.length === 0 && !isExclusive(name)) {
        if (this.#told[name] !== undefined) union[name] = this.#told[name];
        continue;
      }
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
