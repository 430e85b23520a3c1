import { isRecord } from "@pintle/ai";
import type { McpServerDefinition } from "@pintle/client/core";
import { recordsIn, stringIn } from "../rpc/read-params.ts";
import { invalidParams } from "../rpc/rpc-error.ts";

type Server = Record<string, unknown>;

/** Converts the client's servers for the engine. Throws the error for the client. */
export function readMcpServers(params: Record<string, unknown>): McpServerDefinition[] {
  return recordsIn(params, "mcpServers").map(readServer);
}

function readServer(server: Server): McpServerDefinition {
  const name = stringIn(server, "name");
  const { type } = server;
  if (type === "http" || type === "sse") {
    return { name, type, url: stringIn(server, "url"), headers: pairsIn(server, "headers") };
  }
  if (type !== undefined && type !== "stdio") throw invalidParams(`the MCP server ${name} has an unknown type`);
  const args = server.args ?? [];
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
    throw invalidParams(`args of the MCP server ${name} must be an array of strings`);
  return { name, type: "stdio", command: stringIn(server, "command"), args, env: pairsIn(server, "env") };
}

/** Built from entries, so that a name such as `__proto__` becomes an ordinary key. */
function pairsIn(server: Server, field: string): Record<string, string> {
  return Object.fromEntries(
    recordsIn(server, field).map((pair) => {
      if (!isRecord(pair)) throw invalidParams(`${field} must be an array of objects`);
      return [stringIn(pair, "name"), stringIn(pair, "value")];
    }),
  );
}
