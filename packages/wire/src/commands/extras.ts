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
      "Replaces all MCP servers of the host. Naming a server counts as consent to it; it takes precedence over a configured server with the same name. Does not wait for connections.",
    params: () => Type.Object({ servers: uncheckedList("McpServerDefinition") }),
    result: mcpServers,
    lane: "ordered",
  }),
  reload_mcp: row({
    summary:
      "Reads the MCP configuration files again and reconnects servers that failed or ended. Does not wait for connections.",
    params: noParams,
    result: mcpServers,
    lane: "ordered",
  }),
  get_available_commands: row({
    summary: "Slash commands that can start a prompt.",
    params: () =>
      Type.Object({
        whenLoaded: Type.Optional(
          Type.Boolean({
            description:
              "first wait for project code that is loading or waits for consent, because it may add commands; until then later ordered commands wait too",
          }),
        ),
      }),
    result: () => Type.Object({ commands: Type.Array(ref("AvailableCommand")) }),
    lane: "read",
  }),
  get_commands: row({
    summary: "The same list in the form that pi's clients read.",
    params: noParams,
    result: () => Type.Object({ commands: Type.Array(Type.Unsafe<object>(Type.Object({}))) }),
    lane: "read",
  }),
};
