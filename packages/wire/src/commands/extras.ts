import { Type } from "@pintle/ai/type";
import { ref, uncheckedList } from "../named-types.ts";
import { noParams, row } from "./row.ts";

const mcpServers = () => Type.Object({ servers: Type.Array(ref("McpServerStatus")) });

/** MCP servers and slash commands. */
export const extraCommands = {
  get_mcp_status: row({
    summary: "The MCP servers of the session and their state.",
    params: noParams,
    result: mcpServers,
    lane: "read",
  }),
  set_mcp_servers: row({
    summary:
      "Replace the MCP servers of the host, as a whole. Naming one is consent to it; a server of a file with the same name steps back. Does not wait for them.",
    params: () => Type.Object({ servers: uncheckedList("McpServerDefinition") }),
    result: mcpServers,
    lane: "ordered",
  }),
  reload_mcp: row({
    summary: "Read the files that name MCP servers again, and try those that failed or ended. Does not wait for them.",
    params: noParams,
    result: mcpServers,
    lane: "ordered",
  }),
  get_available_commands: row({
    summary: "Slash commands that a prompt may begin with.",
    params: noParams,
    result: () => Type.Object({ commands: Type.Array(ref("AvailableCommand")) }),
    lane: "read",
  }),
  get_commands: row({
    summary: "The same list as pi's clients read it.",
    params: noParams,
    result: () => Type.Object({ commands: Type.Array(Type.Unsafe<object>(Type.Object({}))) }),
    lane: "read",
  }),
};
