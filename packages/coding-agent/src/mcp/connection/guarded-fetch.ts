import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import type { Fetch } from "./http-answers.ts";

/** Addresses that are somebody's own network, and what clouds tell their machines. */
const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  PRIVATE.addSubnet(net, prefix, "ipv4");
}
for (const [net, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const) {
  PRIVATE.addSubnet(net, prefix, "ipv6");
}

export interface GuardParts {
  server: string;
  /** Names of the headers that are meant for the server alone. */
  headers: readonly string[];
  fetch: Fetch;
  resolve?(host: string): Promise<readonly string[]>;
}

/**
 * A server names the places where one logs in. Nothing that is meant for the server goes there, and a server of the wide world
 * cannot make us ask machines of the own network.
 */
export function guardLogin({ server, headers, fetch, resolve = addressesOf }: GuardParts): Fetch {
  const own = new URL(server);
  let isOwnPrivate: Promise<boolean> | undefined;
  return async (url, init) => {
    const target = new URL(url);
    if (target.origin === own.origin) return fetch(url, init);
    isOwnPrivate ??= isPrivateHost(own.hostname, resolve);
    if (!(await isOwnPrivate)) {
      if (target.protocol !== "https:") throw new Error(`the login at ${target.host} is not over https`);
      if (await isPrivateHost(target.hostname, resolve)) {
        throw new Error(`the server wants a login at ${target.host}, which is an address of a private network`);
      }
    }
    const sent = new Headers(init?.headers);
    for (const name of headers) sent.delete(name);
    return fetch(url, { ...init, headers: sent });
  };
}

async function isPrivateHost(host: string, resolve: NonNullable<GuardParts["resolve"]>): Promise<boolean> {
  const bare = host.replace(/^\[|\]$/g, "");
  if (bare === "localhost" || bare.endsWith(".localhost")) return true;
  const addresses = isIP(bare) === 0 ? await resolve(bare) : [bare];
  return addresses.some((address) => PRIVATE.check(address, isIP(address) === 6 ? "ipv6" : "ipv4"));
}

async function addressesOf(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
