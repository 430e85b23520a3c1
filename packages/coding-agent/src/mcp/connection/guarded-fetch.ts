import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isPublicAddress } from "@pintle/foundation";
import { UnreachableError } from "./failure-text.ts";
import type { Fetch } from "./http-answers.ts";

export interface GuardParts {
  server: string;
  /** Names of the headers that are meant for the server alone. */
  headers: readonly string[];
  fetch: Fetch;
  resolve?(host: string): Promise<readonly string[]>;
}

const MAX_REDIRECTS = 5;

/**
 * Guards requests to login addresses, which the server chooses. They receive none of the server's own headers, and a public
 * server cannot make pintle contact machines in the private network. The request goes to the address that was checked,
 * because the name may resolve to another one a moment later. Redirects are checked like the first address.
 */
export function guardLogin({ server, headers, fetch, resolve = addressesOf }: GuardParts): Fetch {
  const own = new URL(server);
  let isOwnPrivate: Promise<boolean> | undefined;
  const ownIsPrivate = async () => (await addressesAt(own, resolve)).some(isPrivate);
  const ask = async (target: URL, init: RequestInit | undefined, redirects: number): Promise<Response> => {
    if (target.origin === own.origin) return fetch(target, init);
    const sent = new Headers(init?.headers);
    for (const name of headers) sent.delete(name);
    isOwnPrivate ??= ownIsPrivate();
    if (await isOwnPrivate) return fetch(target, { ...init, headers: sent });
    if (target.protocol !== "https:") throw new Error(`the login at ${target.host} is not over https`);
    const addresses = await addressesAt(target, resolve);
    if (addresses.some(isPrivate)) {
      throw new Error(`the server requests a login at ${target.host}, which is an address of a private network`);
    }
    const response = await fetchAt(addresses, target, { ...init, headers: sent, redirect: "manual" }, fetch);
    const next = redirectOf(response, target, init);
    if (!next) return response;
    await response.body?.cancel();
    if (redirects >= MAX_REDIRECTS) throw new Error(`the login at ${target.host} redirects too often`);
    return ask(next, init, redirects + 1);
  };
  return (url, init) => ask(new URL(url), init, 0);
}

/** Only GET and HEAD follow redirects, so that a code or secret never goes to another address. */
function redirectOf(response: Response, from: URL, init: RequestInit | undefined): URL | undefined {
  const location = response.headers.get("location");
  const isRead = ["GET", "HEAD"].includes((init?.method ?? "GET").toUpperCase());
  const isRedirect = response.status >= 300 && response.status < 400 && location !== null;
  return isRedirect && isRead ? new URL(location, from) : undefined;
}

/** The certificate must match the name, whatever the address. */
async function fetchAt(
  addresses: readonly string[],
  target: URL,
  init: RequestInit & { headers: Headers },
  fetch: Fetch,
): Promise<Response> {
  init.headers.set("host", target.host);
  const pinned = { ...init, tls: { serverName: bareHost(target) } };
  let failure: unknown = new UnreachableError(`${target.host} has no address`);
  for (const address of addresses) {
    const at = new URL(target);
    at.hostname = isIP(address) === 6 ? `[${address}]` : address;
    try {
      return await fetch(at, pinned);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      failure = error; // the name may have another address that works
    }
  }
  throw failure;
}

const bareHost = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, "");

async function addressesAt(url: URL, resolve: NonNullable<GuardParts["resolve"]>): Promise<readonly string[]> {
  const host = bareHost(url);
  if (host === "localhost" || host.endsWith(".localhost")) return ["127.0.0.1"];
  return isIP(host) === 0 ? resolve(host) : [host];
}

const isPrivate = (address: string): boolean => !isPublicAddress(address);

async function addressesOf(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
