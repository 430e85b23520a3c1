import { within } from "@pintle/foundation";
import type { CompletedPath } from "@pintle/wire";
import { listResources } from "./list-resources.ts";
import type { ResourceServer } from "./resource-server.ts";

/** Completion must keep up with typing. */
const LIMIT_MS = 1_500;

/** Completes `server:` and what follows it. Returns undefined if the query does not name a server. */
export async function completeResource(
  query: string,
  servers: readonly ResourceServer[],
  limit: number,
): Promise<CompletedPath[] | undefined> {
  const colon = query.indexOf(":");
  const server = servers.find(({ name }) => name === query.slice(0, colon));
  if (colon === -1 || !server) return undefined;
  const stop = new AbortController();
  const typed = query.slice(colon + 1).toLowerCase();
  const listing = listResources([server], stop.signal).catch(() => ({ resources: [] })); // only when it took too long
  const listed = await within(LIMIT_MS, listing);
  stop.abort(new Error("the result is no longer needed"));
  return (listed?.resources ?? [])
    .filter(({ uri, isTemplate }) => !isTemplate && uri.toLowerCase().includes(typed))
    .slice(0, limit)
    .map(({ uri }) => ({ path: `${server.name}:${uri}`, isDirectory: false }));
}
