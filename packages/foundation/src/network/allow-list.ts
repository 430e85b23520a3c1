import { readHost } from "./network-host.ts";

/** The whole network, none of it, or these hosts; `readAllowedPlace` defines an entry. */
export type NetworkAccess = "on" | "off" | readonly string[];

/** What an entry of `sandbox.network` allows. */
export interface AllowedPlace {
  /** In canonical form; for subdomains, the part after `*.`. */
  host: string;
  isForSubdomains: boolean;
  ports: readonly number[];
}

/** The ports of HTTP and HTTPS, which an entry without a port allows. */
export const USUAL_PORTS: readonly number[] = [80, 443];
const MAX_PORT = 65_535;
const ENTRY = /^(?<wildcard>\*\.)?(?<host>\[[^\]]*\]|[^:[\]]*)(?::(?<port>[1-9]\d{0,4}))?$/;

/** Reads `example.com`, `*.example.com`, `10.0.0.5` or `[2001:db8::1]`, each with or without `:port`. Returns undefined for anything else. */
export function readAllowedPlace(text: string): AllowedPlace | undefined {
  const { wildcard, host = "", port } = ENTRY.exec(text)?.groups ?? {};
  const known = readHost(toAscii(host));
  if (!known || (wildcard !== undefined && known.kind === "address") || Number(port ?? 0) > MAX_PORT) return undefined;
  const ports = port === undefined ? USUAL_PORTS : [Number(port)];
  return { host: known.text, isForSubdomains: wildcard !== undefined, ports };
}

/** Converts names in other scripts to the form that clients send. */
function toAscii(host: string): string {
  const isForeign = /^[\p{L}\p{M}\p{N}.-]+$/u.test(host) && /\P{ASCII}/u.test(host);
  return isForeign && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
}

/** Returns whether the first allows nothing that the second does not allow. */
export function isWithin(asked: NetworkAccess | undefined, given: NetworkAccess): boolean {
  if (asked === "off" || given === "on") return true;
  if (typeof asked !== "object" || typeof given !== "object") return false;
  const givenPlaces = given.flatMap((entry) => readAllowedPlace(entry) ?? []);
  const isCovered = (place: AllowedPlace) =>
    place.ports.every((port) => givenPlaces.some((other) => covers(other, place, port)));
  return asked.map(readAllowedPlace).every((place) => place && isCovered(place));
}

function covers(given: AllowedPlace, asked: AllowedPlace, port: number): boolean {
  if (!given.ports.includes(port)) return false;
  if (asked.isForSubdomains && !given.isForSubdomains) return false;
  return isFor(given, asked.host) || (asked.isForSubdomains && asked.host === given.host);
}

/** The hosts and ports that commands may reach. */
export class AllowList {
  readonly #places: readonly AllowedPlace[];

  /** Throws if an entry is invalid, which the settings have already checked. */
  constructor(entries: readonly string[]) {
    this.#places = entries.map((entry) => {
      const place = readAllowedPlace(entry);
      if (!place) throw new TypeError(`not a host that commands can be limited to: ${JSON.stringify(entry)}`);
      return place;
    });
  }

  /** `host` must be in canonical form. */
  permits(host: string, port: number): boolean {
    return this.#places.some((place) => place.ports.includes(port) && isFor(place, host));
  }
}

function isFor(place: AllowedPlace, host: string): boolean {
  return place.isForSubdomains ? host.endsWith(`.${place.host}`) : host === place.host;
}
