import { errorText } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import type { McpServers } from "../../mcp/mcp-servers.ts";

/** A command that a message calls and that needs no model. */
export interface SlashCall {
  name: string;
  /** Never rejects. */
  run(): Promise<void>;
}

interface BuiltinCommandsParts {
  mcp: Pick<McpServers, "beforePrompt" | "status">;
  emit(event: AgentSessionEvent): void;
}

/** Keyed by the whole text, so that a user's template of the same name is found when arguments follow it. */
const CALLS: Readonly<Record<string, { name: string; answer(parts: BuiltinCommandsParts): Promise<string> }>> = {
  "/mcp": { name: "mcp", answer: listServers },
  "/mcp list": { name: "mcp", answer: listServers },
};

/** Returns the built-in command that a message calls, or undefined. */
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

/** Waits for servers that are still connecting, as a first prompt does. */
async function listServers({ mcp }: BuiltinCommandsParts): Promise<string> {
  await mcp.beforePrompt(new AbortController().signal);
  const servers = await mcp.status();
  if (servers.length === 0) return "No MCP servers are configured.";
  const lines = servers.map(({ name, transport, status, tools, error }) => {
    const offered = status === "connected" ? `, ${tools} ${tools === 1 ? "tool" : "tools"}` : "";
    return `${name} (${transport}): ${status}${offered}${error === undefined ? "" : `: ${error}`}`;
  });
  return ["MCP servers:", ...lines.map((line) => `  ${line}`)].join("\n");
}
