// A minimal client of the Agent Client Protocol, as an editor would be: starts `pintle acp`, sends a prompt, prints the
// answer and the tool calls, and allows every request once.
//
//   npm install @agentclientprotocol/sdk zod
//   node examples/acp-client.mjs "what files are here" --model anthropic/claude-sonnet-4-5
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { client, ndJsonStream } from "@agentclientprotocol/sdk";

const [prompt = "list .", ...args] = process.argv.slice(2);
const program = process.env.PINTLE ?? fileURLToPath(new URL("../dist/pintle", import.meta.url));

const agent = spawn(program, ["acp", ...args], { stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));

/** What the agent reports while it works. */
const SHOWN = {
  agent_message_chunk: ({ content }) => content.type === "text" && process.stdout.write(content.text),
  tool_call: ({ title }) => console.log(`\n[${title}]`),
  tool_call_update: ({ title, status }) => status && console.log(`[${title ?? "…"}: ${status}]`),
};

const editor = client({ name: "acp-client" })
  .onNotification("session/update", ({ params: { update } }) => void SHOWN[update.sessionUpdate]?.(update))
  .onRequest("session/request_permission", ({ params: { toolCall, options } }) => {
    const once = options.find(({ kind }) => kind === "allow_once");
    console.log(`[allowed once: ${toolCall.title}]`);
    return { outcome: once ? { outcome: "selected", optionId: once.optionId } : { outcome: "cancelled" } };
  });

await editor.connectWith(stream, async (connection) => {
  await connection.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await connection.request("session/new", { cwd: process.cwd(), mcpServers: [] });
  const { stopReason } = await connection.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: prompt }],
  });
  console.log(`\n(${stopReason})`);
});
agent.stdin.end();
