import { decodeMessage, NODE_PATH, type OwnerMessage } from "../link-message.ts";
import { type LinkWebSocket, NodeLink } from "./node-link.ts";

export interface NodeLinksOptions {
  /** What the nodes of a cluster show each other. */
  token: string;
  maxUnread: number;
  silentMs: number;
  /** Of this node. */
  version?: string;
  /** A line for the person who runs the nodes. */
  report?(text: string): void;
}

/** The other node cannot be reached. */
export class NodeUnreachable extends Error {}

/** A link that carries no host for so long is closed. */
const IDLE_MS = 60_000;

/** The links to other nodes, one each, made when a host needs it. */
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

  /** Ends all links; the next host that needs one makes it again. */
  cut(): void {
    for (const link of this.#links.values()) this.#closeLink(link);
  }

  #closeIdle(): void {
    for (const link of this.#links.values()) this.#closeLink(link, ({ size }) => size === 0);
  }

  /** One that could not be made is none. */
  #closeLink(link: Promise<NodeLink>, isMeant: (link: NodeLink) => boolean = () => true): void {
    link.then(
      (made) => isMeant(made) && made.close(),
      () => {},
    );
  }
}

/** The token goes in a header, as a host's does; a redirect would give it away, and WebSocket follows none. */
function dial(address: string, options: NodeLinksOptions, onClosed: () => void): Promise<NodeLink> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${options.token}` };
    // Bun's WebSocket takes headers, which the type of browsers does not know.
    const socket = new WebSocket(linkUrl(address), { headers } as unknown as string[]) as unknown as LinkWebSocket;
    const fail = () => {
      clearTimeout(timer);
      reject(new NodeUnreachable(`There is no way to the node at ${address}`));
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
