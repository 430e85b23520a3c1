import { ServeError } from "../../serve-error.ts";

/** Where the database is, as Bun's client wants it. */
export interface StoreAddress {
  url: string;
  /** Of a unix socket, where the address names its directory. */
  path?: string;
}

const SCHEMES: ReadonlySet<string> = new Set(["postgres:", "postgresql:"]);
const DEFAULT_PORT = "5432";

/** Throws ServeError, which never repeats the address: it holds a password. */
export function parseStoreUrl(text: string): StoreAddress {
  const url = readUrl(text);
  if (!url || !SCHEMES.has(url.protocol)) {
    throw new ServeError(
      "--store takes postgres://user:password@host:port/database, with signs like / ? # @ % in a password as %2F %3F %23 %40 %25",
    );
  }
  const directory = url.searchParams.get("host");
  if (!directory?.startsWith("/")) return { url: text };
  // As libpq has it: a host that is a path is the directory of a unix socket.
  url.searchParams.delete("host");
  const port = url.port || (url.searchParams.get("port") ?? DEFAULT_PORT);
  return { url: url.href, path: `${directory}/.s.PGSQL.${port}` };
}

/** `postgres://user@/database?host=/directory` has none, which an URL may not. */
function withHost(text: string): string {
  return text.replace(/^([a-z]+:\/\/(?:[^/@?]*@)?)(?=[/?]|$)/, "$1localhost");
}

/** undefined: it is none, or a part of a password would be taken for a path, as an URL ends its host at the first / or #. */
function readUrl(text: string): URL | undefined {
  const url = /^[a-z]+:\/\//i.test(text) ? URL.parse(withHost(text)) : undefined;
  if (!url || `${url.pathname}${url.hash}`.includes("@")) return undefined;
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

/** The address for people: without user and password. */
export function shownStore(text: string): string {
  const url = readUrl(text);
  if (!url || url.search.includes("@")) return "the database";
  return `${url.protocol}//${url.host}${url.pathname}`;
}
