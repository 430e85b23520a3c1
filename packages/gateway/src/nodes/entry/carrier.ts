import { delay } from "@pintle/ai";
import { CommandError } from "../../frames/command-error.ts";
import type { NodeAddress, NodeDirectory } from "../directory.ts";
import type { NodeLink } from "./node-link.ts";
import { type NodeLinks, NodeUnreachable } from "./node-links.ts";

export interface CarrierOptions {
  directory: NodeDirectory;
  links: NodeLinks;
  /** How long a node that cannot be reached may still hold a session: the lease, and a little. */
  patienceMs: number;
}

/** While a node that cannot be reached holds a session, it is asked again who has it. */
const LOOK_AGAIN_MS = 200;

/** What a command needs of the node that executes it. */
export interface Need {
  /** An open or stored session. */
  sessionId?: string | undefined;
  labels?: readonly string[] | undefined;
  /** It opens what is not open. */
  isOpening: boolean;
}

/** Finds the node that a command belongs to. */
export class Carrier {
  readonly #options: CarrierOptions;

  constructor(options: CarrierOptions) {
    this.#options = options;
  }

  /**
   * The link to the node; undefined: the command is for this one. A node that is gone holds its sessions until its lease is past:
   * so long it is waited for. Rejects with CommandError.
   */
  async find(need: Need, signal: AbortSignal): Promise<NodeLink | undefined> {
    const end = performance.now() + this.#options.patienceMs;
    for (;;) {
      const place = await this.#placeOf(need);
      if (!place) return undefined;
      try {
        return await this.#options.links.to(place.address);
      } catch (error) {
        if (!(error instanceof NodeUnreachable)) throw error;
      }
      signal.throwIfAborted();
      if (performance.now() > end)
        throw new CommandError("busy", `The node ${place.node} cannot be reached: try again`);
      await delay(LOOK_AGAIN_MS, signal);
    }
  }

  async #placeOf({ sessionId, labels, isOpening }: Need): Promise<NodeAddress | undefined> {
    const { directory } = this.#options;
    const owner = sessionId === undefined ? undefined : await directory.ownerOf(sessionId);
    if (owner || !isOpening) return owner;
    return directory.nodeFor({ labels, sessionId });
  }
}
