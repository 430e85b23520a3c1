import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import {
  type AllowList,
  isOwnAddress,
  isPublicAddress,
  readHost,
  showHost,
  USUAL_PORTS,
  within,
} from "@pintle/foundation";

/** The list does not allow a connection. The message is for the model. */
export class NotAllowed extends Error {}

/** The list allows a connection, but connecting failed. */
export class NotReachable extends Error {}

export interface DestinationParts {
  allowed: AllowList;
  connectMs: number;
  /** Returns the addresses of a name. */
  resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
}

/**
 * Connects to hosts of the list. Names are resolved only here, and the connection goes to the address that was checked, so a
 * name that resolves to another address a moment later achieves nothing.
 */
export class Destinations {
  readonly #parts: DestinationParts;

  constructor(parts: DestinationParts) {
    this.#parts = parts;
  }

  /** Throws NotAllowed or NotReachable. */
  async connect(host: string, port: number): Promise<Socket> {
    const addresses = await this.#addressesOf(host, port);
    for (const address of addresses) {
      const socket = await this.#tryAddress(address, port);
      if (socket) return socket;
    }
    throw new NotReachable(`no connection to ${showHost(host, port)}`);
  }

  async #addressesOf(text: string, port: number): Promise<readonly string[]> {
    const { allowed, resolve = systemAddresses } = this.#parts;
    const host = readHost(text);
    if (!host) throw new NotAllowed(`network: ${JSON.stringify(text.slice(0, 60))} is not the name of a host`);
    if (!allowed.permits(host.text, port)) {
      const isUsual = USUAL_PORTS.includes(port) && !USUAL_PORTS.some((other) => allowed.permits(host.text, other));
      throw new NotAllowed(`network: ${isUsual ? host.text : showHost(host.text, port)} is not in sandbox.network`);
    }
    if (host.kind === "address") return [host.text];
    const resolved = await within(
      this.#parts.connectMs,
      resolve(host.text).catch(() => []), // whatever the reason, there is no address to connect to
    );
    const found = (resolved ?? []).flatMap((address) => readHost(address)?.text ?? []);
    const usable = found.filter(
      (address) => allowed.permits(address, port) || (isPublicAddress(address) && !isOwnAddress(address)),
    );
    if (usable.length > 0) return usable;
    const [first] = found;
    if (first === undefined) throw new NotReachable(`${host.text} cannot be resolved`);
    throw new NotAllowed(
      `network: ${host.text} resolves to ${first}, which is not a public address and not in sandbox.network`,
    );
  }

  #tryAddress(host: string, port: number): Promise<Socket | undefined> {
    return new Promise((resolve) => {
      const socket = connect({ host, port, allowHalfOpen: true });
      const end = (result: Socket | undefined) => {
        clearTimeout(timer);
        if (!result) socket.destroy();
        resolve(result);
      };
      const timer = setTimeout(() => end(undefined), this.#parts.connectMs);
      socket.once("connect", () => end(socket));
      socket.once("error", () => end(undefined));
      socket.on("error", () => {}); // later errors end the tunnel, which other events report
    });
  }
}

async function systemAddresses(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
