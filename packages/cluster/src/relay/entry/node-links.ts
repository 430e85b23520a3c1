import { decodeMessage, NODE_PATH, type OwnerMessage } from "../link-message.ts";
import { type LinkWebSocket, NodeLink } from "./node-link.ts";

export interface NodeLinksOptions {
  /** What nodes of a cluster send to identify themselves. */
  token: string;
  maxUnread: number;
  silentMs: number;
  /** The version of this node. */
  version?: string;
  /** Writes a line for the operator of the nodes. */
  report?(text: string): void;
}

/** The other node cannot be reached. */
export class NodeUnreachable extends Error {}

/** A link that relays no host for this long is closed. */
const IDLE_MS = 60_000;

/** The links to other nodes, one each, opened when a host needs it. */
export class NodeLinks {
  readonly #options: NodeLinksOptions;
  readonly #links = new Map<string, Promise<NodeLink>>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(options: NodeLinksOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#closeIdle(), IDLE_MS);
    this.#timer.unref();
  }

  /** Rejects with NodeUnreachable. */
  async to(address: string): Promise<NodeLink> {
    const known = this.#links.get(address);
    if (known) return known;
    const dialled = dial(address, this.#options, () => {
      if (this.#links.get(address) === dialled) this.#links.delete(address);
    });
    this.#links.set(address, dialled);
    dialled.catch(() => this.#links.delete(address));
    return dialled;
  }

  close(): void {
    clearInterval(this.#timer);
    this.cut();
  }

  /** Closes all links. The next host that needs one opens it again. */
  cut(): void {
    for (const link of this.#links.values()) this.#closeLink(link);
  }

  #closeIdle(): void {
    for (const link of this.#links.values()) this.#closeLink(link, ({ size }) => size === 0);
  }

  /** Forgets a link that could not be opened. */
  #closeLink(link: Promise<NodeLink>, isMeant: (link: NodeLink) => boolean = () => true): void {
    link.then(
      (made) => isMeant(made) && made.close(),
      () => {},
    );
  }
}

/** Sends the token in a header, as a host does. A redirect would leak it, but WebSocket follows none. */
function dial(address: string, options: NodeLinksOptions, onClosed: () => void): Promise<NodeLink> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${options.token}` };
    // Bun's WebSocket accepts headers, which the browser type does not declare.
    const socket = new WebSocket(linkUrl(address), { headers } as unknown as string[]) as unknown as LinkWebSocket;
    const fail = () => {
      clearTimeout(timer);
      reject(new NodeUnreachable(`Cannot connect to the node at ${address}`));
    };
    const timer = setTimeout(() => {
      socket.terminate();
      fail();
    }, options.silentMs);
    socket.onclose = fail;
    socket.onmessage = ({ data }) => {
      clearTimeout(timer);
      const head = decodeMessage<OwnerMessage>(String(data))?.head;
      if (head?.type !== "hello") return fail();
      const { version } = head;
      if (version !== undefined && version !== options.version)
        options.report?.(`the node at ${address} runs pintle ${version}, this one ${options.version}`);
      resolve(new NodeLink({ ...options, ...head, socket, onClosed }));
    };
  });
}

function linkUrl(address: string): string {
  const url = new URL(/^[a-z]+:\/\//i.test(address) ? address : `http://${address}`);
  url.protocol = url.protocol.replace(/^http/, "ws");
  url.pathname = NODE_PATH;
  return url.href;
}
