import type { SocketBytes } from "./socket-bytes.ts";

/** The first byte of SOCKS5, which no HTTP request begins with. */
export const SOCKS_VERSION = 5;
const NO_AUTHENTICATION = 0;
const CONNECT = 1;

/** Reply codes of RFC 1928. */
export const SOCKS_REPLY = { done: 0, notAllowed: 2, notReachable: 4, notSupported: 7, badAddress: 8 } as const;

export class SocksError extends Error {
  /** The reply to the client; without one the connection just closes. */
  readonly reply: number | undefined;

  constructor(reply: number | undefined, message: string) {
    super(message);
    this.reply = reply;
  }
}

/** Reads the greeting and the request. Throws SocksError, and BadRequest if the client ends before. */
export async function readSocksRequest(
  client: SocketBytes,
  write: (bytes: Uint8Array) => void,
): Promise<{ host: string; port: number }> {
  const [, count = 0] = await client.take(2);
  const methods = await client.take(count);
  if (!methods.includes(NO_AUTHENTICATION)) {
    write(Uint8Array.of(SOCKS_VERSION, 0xff));
    throw new SocksError(undefined, "the client wants to authenticate");
  }
  write(Uint8Array.of(SOCKS_VERSION, NO_AUTHENTICATION));
  const [version, command, , kind = 0] = await client.take(4);
  if (version !== SOCKS_VERSION) throw new SocksError(undefined, "another version of SOCKS");
  if (command !== CONNECT) throw new SocksError(SOCKS_REPLY.notSupported, "only connections are supported");
  const host = await HOSTS[kind]?.(client);
  if (host === undefined) throw new SocksError(SOCKS_REPLY.badAddress, "an unknown kind of address");
  return { host, port: (await client.take(2)).readUInt16BE() };
}

/** How a host is written, by the number of its kind. */
const HOSTS: Readonly<Record<number, (client: SocketBytes) => Promise<string>>> = {
  1: async (client) => (await client.take(4)).join("."),
  3: async (client) => {
    const [length = 0] = await client.take(1);
    return (await client.take(length)).toString("latin1");
  },
  4: async (client) => {
    const bytes = await client.take(16);
    return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(":");
  },
};

export const socksReply = (reply: number): Uint8Array => Uint8Array.of(SOCKS_VERSION, reply, 0, 1, 0, 0, 0, 0, 0, 0);
