import { errorText } from "@pintle/ai";
import type { AgentSessionEvent, McpServerStatus } from "@pintle/wire";

/** What a text calls that needs no model. It never rejects. */
export interface SlashCall {
  name: string;
  run(): Promise<void>;
}

export interface BuiltinCommandsParts {
  mcpServers(): Promise<McpServerStatus[]>;
  emit(event: AgentSessionEvent): void;
}

/** By the whole text, so that a template of the user with such a name is still found with other words behind it. */
const CALLS: Readonly<Record<string, { name: string; answer(parts: BuiltinCommandsParts): Promise<string> }>> = {
  "/mcp": { name: "mcp", answer: listServers },
  "/mcp list": { name: "mcp", answer: listServers },
};

/** The built-in command that a text calls; undefined: none. */
export function builtinCommand(text: string, parts: BuiltinCommandsParts): SlashCall | undefined {
  const words = text.trim().split(/\s+/).join(" ");
  if (!Object.hasOwn(CALLS, words)) return undefined;
  const { name, answer } = CALLS[words]!;
  return {
    name,
    run: async () => {
      const shown = await answer(parts).catch((error: unknown) => `/${name} failed: ${errorText(error)}`);
      parts.emit({ type: "command_output", command: name, text: shown });
    },
  };
}

async function listServers({ mcpServers }: BuiltinCommandsParts): Promise<string> {
  const servers = await mcpServers();
  if (servers.length === 0) return "No MCP servers are configured.";
  const lines = servers.map(({ name, transport, status, tools, error }) => {
    const offered = status === "connected" ? `, ${tools} ${tools === 1 ? "tool" : "tools"}` : "";
    return `${name} (${transport}): ${status}${offered}${error === undefined ? "" : `: ${error}`}`;
  });
  return ["MCP servers:", ...lines.map((line) => `  ${line}`)].join("\n");
}
