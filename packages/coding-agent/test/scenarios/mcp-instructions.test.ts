import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fullServer, mcpFile } from "../support/mcp/servers-of.ts";
import { CHAT, type ChatPlace, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

const homeOf = ({ place }: ChatPlace) => place.env.PINTLE_HOME as string;
const systemPrompts = (chat: ChatPlace): string[] =>
  chat.server.requests.map(({ body }) => body.messages.find(({ role }: Frame) => role === "system").content);
const serverPart = (prompt: string) => /\n# MCP servers\n[\s\S]*?\n\n(?=[^\n]*\nCurrent date)/.exec(prompt)?.[0] ?? "";

describe("instructions of MCP servers", () => {
  test.each([[[]], [["--modern"]]])("are in the system prompt, with the server flags %p", async (flags) => {
    await using chat = await chatPlace(says("one"), says("two"));
    const servers = {
      web: fullServer(...flags, "--instructions", "Search\nfirst."),
      db: fullServer(...flags, "--instructions", "Ask the schema."),
    };
    writeFileSync(join(homeOf(chat), "mcp.json"), mcpFile(servers));
    await using rpc = await startRpc([...CHAT, "--set", "mcp.startTimeoutMs=60000"], chat.place);
    await rpc.prompt("go");
    await rpc.prompt("again");
    const [first = "", second] = systemPrompts(chat);
    expect(serverPart(first)).toContain("\n## db\n\n> Ask the schema.\n\n## web\n\n> Search\n> first.\n");
    expect(second).toBe(first);
  });

  test("a server that connects later does not change the cached prompt, unless tools may", async () => {
    const prompts: Record<string, string[]> = {};
    for (const mode of ["hold", "append"]) {
      await using chat = await chatPlace(says("one"), says("two"));
      await using rpc = await startRpc([...CHAT, "--set", `cache.lateTools=${mode}`], chat.place);
      await rpc.prompt("go");
      const late = { name: "late", ...fullServer("--instructions", "I am late.") };
      await rpc.call("set_mcp_servers", { servers: [late] });
      await rpc.prompt("again"); // waits for it
      prompts[mode] = systemPrompts(chat).map((prompt) => (prompt.includes("I am late.") ? "with" : "without"));
    }
    expect(prompts).toEqual({ hold: ["without", "without"], append: ["without", "with"] });
  });

  test("a project server's instructions are omitted before consent", async () => {
    await using chat = await chatPlace(says("one"));
    const server = fullServer("--instructions", "Trust me.");
    writeFileSync(join(chat.place.cwd, ".mcp.json"), mcpFile({ web: server }));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("go");
    expect(systemPrompts(chat)[0]).not.toContain("Trust me.");
    expect(systemPrompts(chat)[0]).not.toContain("# MCP servers");
  });
});
