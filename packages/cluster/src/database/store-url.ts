import { ServeError } from "@pintle/gateway/cluster";

/** A server that may have the database. */
export interface StoreTarget {
  /** The address with one host, as Bun's client expects it. */
  url: string;
  /** A name or an address; empty for a Unix socket. */
  host: string;
  /** Directory of a Unix socket, if the address names one. */
  path?: string;
}

/** The servers that may have the database. */
export interface StoreAddress {
  /** In the order in which they are tried. */
  targets: StoreTarget[];
  /** True if read-only servers (standbys) are skipped. */
  needsWritable: boolean;
}

const SCHEMES: ReadonlySet<string> = new Set(["postgres:", "postgresql:"]);
const DEFAULT_PORT = "5432";
/** The values of `target_session_attrs`, as in libpq, and whether each requires a writable server. Nodes always write. */
const SESSION_ATTRS: Readonly<Record<string, boolean>> = { any: false, "read-write": true, primary: true };
const PARTS = /^([a-z]+:\/\/(?:[^/@?#]*@)?)([^/?#]*)(.*)$/is;

/** Throws ServeError, whose message never repeats the address, because it contains a password. */
export function parseStoreUrl(text: string): StoreAddress {
  const urls = readUrls(text);
  if (!urls) {
    throw new ServeError(
      "--store takes postgres://user:password@host:port/database, with characters such as / ? # @ % in a password written as %2F %3F %23 %40 %25; several hosts are separated by commas",
    );
  }
  const attrs = urls[0]?.searchParams.get("target_session_attrs") ?? (urls.length > 1 ? "read-write" : "any");
  const needsWritable = Object.hasOwn(SESSION_ATTRS, attrs) ? SESSION_ATTRS[attrs] : undefined;
  if (needsWritable === undefined) {
    throw new ServeError(
      `target_session_attrs of --store must be one of ${Object.keys(SESSION_ATTRS).join(", ")}: nodes write to the database`,
    );
  }
  return { targets: urls.map(toTarget), needsWritable };
}

function toTarget(url: URL): StoreTarget {
  const { searchParams } = url;
  if (searchParams.has("target_session_attrs")) searchParams.delete("target_session_attrs"); // respells the rest
  const directory = searchParams.get("host");
  if (!directory?.startsWith("/")) return { url: url.href, host: url.hostname.replace(/^\[|\]$/g, "") };
  // As in libpq, a host that is a path is the directory of a Unix socket.
  searchParams.delete("host");
  const port = url.port || (searchParams.get("port") ?? DEFAULT_PORT);
  return { url: url.href, host: "", path: `${directory}/.s.PGSQL.${port}` };
}

/**
 * Returns undefined if the text is not a URL, or if part of a password would be read as a path: a URL ends its host at the
 * first / or #.
 */
function readUrls(text: string): URL[] | undefined {
  const [, start = "", hosts = "", rest = ""] = PARTS.exec(text) ?? [];
  const urls = hosts.split(",").map((host) => readUrl(`${start}${host || "localhost"}${rest}`));
  return start === "" || urls.includes(undefined) ? undefined : (urls as URL[]);
}

function readUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (!url || !SCHEMES.has(url.protocol) || `${url.pathname}${url.hash}`.includes("@")) return undefined;
  return [url.username, url.password, url.pathname].every(isDecodable) ? url : undefined;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** Returns the address for people, without user and password. */
export function shownStore(text: string): string {
  const urls = readUrls(text);
  const [url] = urls ?? [];
  if (!urls || !url || url.search.includes("@")) return "the database";
  return `${url.protocol}//${urls.map(({ host }) => host).join(",")}${url.pathname}`;
}
