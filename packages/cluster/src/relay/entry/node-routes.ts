import { delay } from "@pintle/ai";
import { CommandError } from "@pintle/gateway/cluster";
import type { NodeAddress, NodeDirectory } from "../directory.ts";
import type { NodeLink } from "./node-link.ts";
import { type NodeLinks, NodeUnreachable } from "./node-links.ts";
import { OwnerWatch } from "./owner-watch.ts";

export interface RouteOptions {
  directory: NodeDirectory;
  links: NodeLinks;
  /** How long an unreachable node may still hold a session: the lease and a little more. */
  patienceMs: number;
  /** How often the owners of relayed sessions are compared with the store. */
  watchMs: number;
}

/** How often to look up the owner while an unreachable node holds the session. */
const LOOK_AGAIN_MS = 200;

/** What a command requires of the node that executes it. */
export interface Need {
  /** The id of an open or stored session. */
  sessionId?: string;
  labels?: readonly string[];
  /** True if the command opens a session that is not open. */
  isOpening: boolean;
}

/** Where a command is executed: the other node, and whether it holds the lease on the command's session. */
export interface Route {
  link: NodeLink;
  nodeId: string;
  isOwner: boolean;
}

/** Finds the node that a command belongs to. */
export class NodeRoutes {
  readonly #options: RouteOptions;
  /** Notices when a relayed session has another owner. */
  readonly owners: OwnerWatch;

  constructor(options: RouteOptions) {
    this.#options = options;
    this.owners = new OwnerWatch(options.directory, options.watchMs);
  }

  /**
   * Returns the route to the node, or undefined if the command is for this one. A node that is gone holds its sessions until its
   * lease ends, so `find` waits that long. Rejects with CommandError.
   */
  async find(need: Need, signal: AbortSignal): Promise<Route | undefined> {
    const end = performance.now() + this.#options.patienceMs;
    for (;;) {
      const place = await this.#placeOf(need);
      if (!place) return undefined;
      const link = await this.#linkTo(place);
      if (link) return { link, nodeId: place.nodeId, isOwner: place.isOwner };
      signal.throwIfAborted();
      if (performance.now() > end)
        throw new CommandError("busy", `The node ${place.node} cannot be reached: try again`);
      await delay(LOOK_AGAIN_MS, signal);
    }
  }

  /** Returns the route to a node that may have capacity when this one has none, or undefined if all were tried. */
  async findRoom(need: Need, tried: ReadonlySet<string>): Promise<Route | undefined> {
    for (const place of await this.#options.directory.othersFor(need)) {
      const link = tried.has(place.nodeId) ? undefined : await this.#linkTo(place);
      if (link) return { link, nodeId: place.nodeId, isOwner: false };
    }
    return undefined;
  }

  /** Returns whether another node could serve these labels. Never rejects. */
  async hasOther(labels: readonly string[]): Promise<boolean> {
    const others = await this.#options.directory.othersFor({ labels }).catch(() => []);
    return others.length > 0;
  }

  close(): void {
    this.owners.stop();
    this.#options.links.close();
  }

  async #placeOf({ isOpening, ...need }: Need): Promise<(NodeAddress & { isOwner: boolean }) | undefined> {
    const { directory } = this.#options;
    const owner = need.sessionId === undefined ? undefined : await directory.ownerOf(need.sessionId);
    if (owner) return { ...owner, isOwner: true };
    const fitting = isOpening ? await directory.nodeFor(need) : undefined;
    return fitting && { ...fitting, isOwner: false };
  }

  /** Returns undefined if the node cannot be reached now, or if a newer process of the node answers at its address. */
  async #linkTo({ address, nodeId }: NodeAddress): Promise<NodeLink | undefined> {
    if (address === null) return undefined;
    try {
      const link = await this.#options.links.to(address);
      return link.nodeId === undefined || link.nodeId === nodeId ? link : undefined;
    } catch (error) {
      if (error instanceof NodeUnreachable) return undefined;
      throw error;
    }
  }
}
