import { isRecord } from "@pintle/ai";
import { visibleName } from "../../text/visible-name.ts";
import type { ConfiguredServer } from "./mcp-config.ts";
import { isServerName, MAX_SERVERS } from "./server-name.ts";
import { readServer, type SpecSurroundings } from "./server-spec.ts";

/** The list of a host is wrong; no value is in the text. */
export class HostServersError extends Error {}

/** The host's word is consent: its servers start like those of the user. Throws HostServersError, and then none counts. */
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
