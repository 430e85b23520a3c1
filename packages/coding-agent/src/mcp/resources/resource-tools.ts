import type { Tool, ToolResult } from "@pintle/agent";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { boundText } from "../tools/bound-text.ts";
import type { ResultContext } from "../tools/tool-result.ts";
import { type ListedResource, listResources } from "./list-resources.ts";
import { readResource } from "./resource-content.ts";
import type { ResourceServer } from "./resource-server.ts";

export interface ResourceToolsParts {
  /** Returns the servers that have resources now. */
  servers(): readonly ResourceServer[];
  contextFor(tool: string): ResultContext;
}

const LIST = "list_resources";
const READ = "read_resource";
const listParameters = Type.Object({
  server: Type.Optional(Type.String({ description: "only of this MCP server" })),
});
const readParameters = Type.Object({
  server: Type.String({ description: "name of the MCP server" }),
  uri: Type.String(),
});

/** Creates the two tools with which the model lists and reads the resources of all servers. */
export function resourceTools(parts: ResourceToolsParts): Tool[] {
  const listTool: Tool<typeof listParameters> = {
    name: LIST,
    label: "List resources",
    description: `Lists resources of the connected MCP servers, and templates of their addresses. ${READ} reads one.`,
    parameters: listParameters,
    execute: (args, { signal }) => list(args, parts, signal),
  };
  const readTool: Tool<typeof readParameters> = {
    name: READ,
    label: "Read resource",
    description: "Reads a resource of an MCP server by its address.",
    parameters: readParameters,
    execute: async ({ server, uri }, { signal }) =>
      readResource(find(server, parts), uri, parts.contextFor(READ), signal),
  };
  return [listTool, readTool];
}

async function list(
  { server }: Static<typeof listParameters>,
  parts: ResourceToolsParts,
  signal: AbortSignal,
): Promise<ToolResult> {
  const servers = server === undefined ? parts.servers() : [find(server, parts)];
  const { resources, faults } = await listResources(servers, signal);
  const lines = [...resources.map(toLine), ...faults.map((fault) => `[${fault}]`)];
  const text = lines.length === 0 ? "There are no resources." : lines.join("\n");
  const { bounded, details } = await boundText([{ type: "text", text }], parts.contextFor(LIST));
  return { content: bounded, details };
}

function find(name: string, parts: ResourceToolsParts): ResourceServer {
  const servers = parts.servers();
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  throw new Error(
    `There is no MCP server "${name}" with resources. There are: ${servers.map((one) => one.name).join(", ")}`,
  );
}

function toLine({ server, uri, isTemplate, about }: ListedResource): string {
  return `${server} ${uri}${isTemplate ? " (template)" : ""}${about === "" ? "" : `: ${about}`}`;
}
