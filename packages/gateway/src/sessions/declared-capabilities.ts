import { HOST_CAPABILITIES, QUESTIONS, type QuestionRow } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";
import type { Attachment, Capabilities } from "./attachment.ts";
import type { Capability } from "./session-frame.ts";

const CAPABILITIES: readonly Capability[] = [...HOST_CAPABILITIES, "toolGrace"];

/**
 * Files and the terminal belong to one editor: the first connection that declares them owns them, as with host tools.
 */
const EXCLUSIVE: ReadonlySet<string | undefined> = new Set(
  Object.values(QUESTIONS).flatMap(({ capability, isExclusive }: QuestionRow) => (isExclusive && capability) || []),
);

export const isExclusive = (capability: Capability) => EXCLUSIVE.has(capability);

/** Returns the first requested capability that another host already has. */
function takenBy(others: Iterable<Attachment>, hostId: number, requested: Capabilities): Capability[] {
  const held = [...others].filter(({ host }) => host.id !== hostId);
  return CAPABILITIES.filter(
    (name) => isExclusive(name) && requested[name] && held.some(({ capabilities }) => capabilities[name]),
  );
}

/** Throws CommandError if another connection holds a requested capability. */
export function refuseTaken(attachments: Iterable<Attachment>, hostId: number, requested: Capabilities): void {
  const [taken] = takenBy(attachments, hostId, requested);
  if (taken !== undefined) throw new CommandError("busy", `The capability "${taken}" belongs to another connection`);
}

/** Returns the capabilities without those that another host of the session holds. */
export function withoutTaken(attachments: Iterable<Attachment>, hostId: number, requested: Capabilities): Capabilities {
  const taken = takenBy(attachments, hostId, requested);
  return Object.fromEntries(Object.entries(requested).filter(([name]) => !taken.includes(name as Capability)));
}

/** Returns all capabilities, with false for undeclared ones; `toolGrace` appears only if it was declared. */
export function declaredBy(capabilities: Capabilities): Capabilities {
  const said = CAPABILITIES.filter((name) => name !== "toolGrace" || capabilities.toolGrace !== undefined);
  return Object.fromEntries(said.map((name) => [name, capabilities[name] === true]));
}

/** Returns the boolean fields of a `set_host_capabilities`. */
export function capabilitiesIn(fields: Record<string, unknown>): Capabilities {
  return Object.fromEntries(
    CAPABILITIES.flatMap((name) => (typeof fields[name] === "boolean" ? [[name, fields[name]]] : [])),
  );
}

/**
 * The combined capabilities of a session's hosts, limited to those that a host has declared. When the last host leaves, they stay
 * as they were: questions wait for their deadline, and a host that attaches in time may answer. Exclusive ones leave with their host.
 */
export class DeclaredCapabilities {
  #declared: Capabilities = {};

  /** Returns what has changed since the last declaration to the worker, or undefined. */
  change(attachments: Iterable<Attachment>): Capabilities | undefined {
    const hosts = [...attachments];
    const union: Capabilities = {};
    for (const name of CAPABILITIES) {
      if (name === "toolGrace") continue;
      if (hosts.length === 0 && !isExclusive(name)) {
        if (this.#declared[name] !== undefined) union[name] = this.#declared[name];
        continue;
      }
      const said = hosts.map(({ capabilities }) => capabilities[name]);
      if (this.#declared[name] !== undefined || said.some((word) => word !== undefined))
        union[name] = said.includes(true);
    }
    const changed = Object.entries(union).filter(([name, value]) => this.#declared[name as Capability] !== value);
    if (changed.length === 0) return undefined;
    this.#declared = union;
    return Object.fromEntries(changed);
  }

  /** The declaration to send to a new worker. */
  get declared(): Capabilities {
    return this.#declared;
  }
}
