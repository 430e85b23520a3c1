import { ServeError } from "../../serve-error.ts";
import type { AllowedOrigins } from "./allowed-origins.ts";

interface HostName {
  name: string;
  port: string | undefined;
}

/** Parses `name`, `name:port` or `[address]:port`. Anything that looks like a path or contains a user is not a host. */
function parseHost(text: string): HostName | undefined {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text);
  return found ? { name: found[1]!.toLowerCase().replace(/\.$/, ""), port: found[2] } : undefined;
}

/** Whether a name always means this machine, whatever a resolver answers. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * Decides which pages may connect to the server. A browser sends the page's origin, which must be the server's own, and the name
 * that it looked up, which must be a known name of this server: an attacker's page could make its own name resolve to this machine.
 */
export class SiteRules {
  readonly #publicHosts: readonly HostName[];
  readonly #allowed: AllowedOrigins;

  constructor(publicHosts: readonly string[], allowed: AllowedOrigins) {
    this.#allowed = allowed;
    this.#publicHosts = publicHosts.map((text) => {
      const host = parseHost(text);
      if (!host) throw new ServeError(`--public-host takes a name or name:port, not "${text}"`);
      return host;
    });
  }

  /** Returns why the request is refused, or undefined if it is allowed. */
  refusal(headers: Headers): string | undefined {
    const hostHeader = headers.get("host") ?? "";
    const host = parseHost(hostHeader);
    if (!host || !this.#isKnown(host))
      return "this server does not accept this Host header; add the name with --public-host";
    const origin = headers.get("origin");
    if (origin !== null && this.#allowed.includes(origin)) return undefined;
    if (origin !== null && !this.#isOwn(origin, host)) return "requests of other origins are refused";
    // Without an Origin, the request is not from a page, or the browser marks it with `sec-fetch-site`.
    const site = headers.get("sec-fetch-site");
    const isForeign = site === "cross-site" || site === "same-site";
    if (isForeign && headers.get("sec-fetch-mode") !== "navigate") return "requests of other sites are refused";
    return undefined;
  }

  #isKnown(host: HostName): boolean {
    return isLoopbackName(host.name) || this.#publicHosts.some((known) => isSameHost(known, host));
  }

  /** Returns the origin of the requested address or, for a proxy that uses another name, of a public one. */
  #isOwn(origin: string, host: HostName): boolean {
    const page = /^(https?):\/\/(.+)$/i.exec(origin);
    const from = page && parseHost(page[2]!);
    if (!from) return false; // `null`, or the origin of an extension or a file
    const standard = page[1]!.toLowerCase() === "https" ? "443" : "80";
    const isSame = (other: HostName) =>
      from.name === other.name && (from.port ?? standard) === (other.port ?? standard);
    return isSame(host) || this.#publicHosts.some(isSame);
  }
}

/** A public name without a port matches all ports, because the proxy's port is not the server's. */
function isSameHost(known: HostName, host: HostName): boolean {
  return known.name === host.name && (known.port === undefined || known.port === host.port);
}
