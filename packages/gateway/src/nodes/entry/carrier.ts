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
  sessionId?: string;
  labels?: readonly string[];
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
      const link = await this.#linkTo(place);
      if (link) return link;
      signal.throwIfAborted();
      if (performance.now() > end)
        throw new CommandError("busy", `The node ${place.node} cannot be reached: try again`);
      await delay(LOOK_AGAIN_MS, signal);
    }
  }

  close(): void {
    this.#options.links.close();
  }

  async #placeOf({ isOpening, ...need }: Need): Promise<NodeAddress | undefined> {
    const { directory } = this.#options;
    const owner = need.sessionId === undefined ? undefined : await directory.ownerOf(need.sessionId);
    return owner || !isOpening ? owner : directory.nodeFor(need);
  }

  /** undefined: it cannot be reached now. */
  async #linkTo({ address }: NodeAddress): Promise<NodeLink | undefined> {
    if (address === null) return undefined;
    try {
      return await this.#options.links.to(address);
    } catch (error) {
      if (error instanceof NodeUnreachable) return undefined;
      throw error;
    }
  }
}
