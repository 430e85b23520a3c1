import { isRecord } from "@pintle/ai";
import { visibleName } from "@pintle/foundation";
import type { ConfiguredServer } from "./mcp-config.ts";
import { isServerName, MAX_SERVERS } from "./server-name.ts";
import { readServer, type SpecSurroundings } from "./server-spec.ts";

/** Reports a mistake in a host's server list. The message contains no values. */
export class HostServersError extends Error {}

/**
 * Reads the servers that a host names. The host's request is consent, so they start like the user's own. Throws
 * HostServersError if any is invalid.
 */
export function readHostServers(servers: readonly unknown[], surroundings: SpecSurroundings): ConfiguredServer[] {
  if (servers.length > MAX_SERVERS) throw new HostServersError(`More than ${MAX_SERVERS} MCP servers`);
  const names = new Set<string>();
  return servers.flatMap((value, index) => {
    if (!isRecord(value)) throw new HostServersError(`MCP server ${index + 1} must be an object`);
    const { name, ...fields } = value;
    if (typeof name !== "string" || !isServerName(name)) {
      const given = typeof name === "string" ? ` "${visibleName(name)}"` : "";
      throw new HostServersError(`MCP server ${index + 1}${given} needs a name of letters, digits, _ . and -`);
    }
    if (names.has(name)) throw new HostServersError(`More than one MCP server is called "${name}"`);
    names.add(name);
    const spec = readServer(name, fields, surroundings);
    if (!spec) return [];
    if ("problems" in spec) throw new HostServersError(`MCP server "${name}": ${spec.problems.join("; ")}`);
    return [{ spec, path: "", mayStart: () => true }];
  });
}
