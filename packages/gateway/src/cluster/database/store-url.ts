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
  const url = URL.parse(withHost(text));
  if (!url || !SCHEMES.has(url.protocol)) {
    throw new ServeError("--store takes postgres://user:password@host:port/database");
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

/** The address for people: without user and password. */
export function shownStore(text: string): string {
  const url = URL.parse(withHost(text));
  if (!url) return "the database";
  return `${url.protocol}//${url.host}${url.pathname}`;
}
