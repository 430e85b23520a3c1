import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mcpFile } from "../support/mcp/servers-of.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

const LISTING_SERVER = fileURLToPath(import.meta.resolve("../support/mcp/listing-server.ts"));
const wipe = { title: "Wipe", destructiveHint: true, openWorldHint: false };
const look = { readOnlyHint: true };

test("a server's annotations reach the host, hooks and the question, and permit nothing", async () => {
  const calls = [
    { name: "mcp__hinted__wipe", id: "c1", args: { disk: "sda", passes: 3 } },
    { name: "mcp__hinted__look", id: "c2" },
    { name: "mcp__hinted__plain", id: "c3" },
  ];
  await using chat = await chatPlace(callsTools(...calls), says("done"));
  const home = chat.place.env.PINTLE_HOME as string;
  const heard = join(home, "heard");
  const tools = [
    { name: "wipe", inputSchema: { type: "object" }, annotations: wipe },
    { name: "look", inputSchema: { type: "object" }, annotations: look },
    { name: "plain", inputSchema: { type: "object" } },
  ];
  writeFileSync(join(home, "tools.json"), JSON.stringify(tools));
  const server = { command: process.execPath, args: [LISTING_SERVER, join(home, "tools.json")] };
  writeFileSync(join(home, "mcp.json"), mcpFile({ hinted: server }));
  mkdirSync(join(home, "extensions"));
  writeFileSync(
    join(home, "extensions", "hears.js"),
    `import { appendFileSync } from "node:fs";
     export default (pi) => pi.on("tool_call", ({ toolName, annotations }) =>
       appendFileSync(${JSON.stringify(heard)}, JSON.stringify([toolName, annotations ?? null]) + "\\n"));`,
  );
  await using rpc = await startRpc([...CHAT, "--permissions", "ask"], chat.place);
  await rpc.call("set_host_capabilities", { approvals: true });
  await rpc.call("prompt", { message: "go" });
  const asked: Record<string, unknown> = {};
  for (const _ of calls) {
    const { id, request } = await rpc.until(({ type }) => type === "approval_request");
    asked[request.toolCallId] = [request.title, request.kind, request.annotations];
    rpc.send({ type: "approval_response", id, decision: "allow_once" });
  }
  await rpc.until(({ type }) => type === "agent_settled");
  expect(asked).toEqual({
    c1: [`mcp__hinted__wipe {"disk":"sda","passes":3}`, "execute", wipe],
    c2: ["mcp__hinted__look", "execute", look],
    c3: ["mcp__hinted__plain", "execute", undefined],
  });
  const starts = rpc.frames.filter(({ type }) => type === "tool_execution_start");
  expect(starts.map(({ annotations }) => annotations)).toEqual([wipe, look, undefined]);
  expect(rpc.frames.filter(({ type, isError }) => type === "tool_execution_end" && isError)).toEqual([]);
  const lines = readFileSync(heard, "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line)).sort()).toEqual([
    ["mcp__hinted__look", look],
    ["mcp__hinted__plain", null],
    ["mcp__hinted__wipe", wipe],
  ]);
  const listed: Frame[] = (await rpc.call("get_state")).data.dumpTools;
  expect(listed.find(({ name }) => name === "mcp__hinted__wipe")?.annotations).toEqual(wipe);
  // Providers receive none of it.
  expect(JSON.stringify(chat.server.requests[0]?.body)).not.toContain("Hint");
});

test("a tool that its server removes after a call is still judged as the server's", async () => {
  const wait = { name: "bash", id: "c1", args: { command: "until [ -e go ]; do sleep 0.05; done" } };
  await using chat = await chatPlace(callsTools(wait, { name: "mcp__web__plain", id: "c2" }), says("done"));
  const home = chat.place.env.PINTLE_HOME as string;
  writeFileSync(join(home, "tools.json"), JSON.stringify([{ name: "plain", inputSchema: { type: "object" } }]));
  const server = { name: "web", command: process.execPath, args: [LISTING_SERVER, join(home, "tools.json")] };
  const start = [...CHAT, "--permissions", "plan", "--set", "mcp.startTimeoutMs=60000"];
  await using rpc = await startRpc(start, chat.place);
  await rpc.call("set_policy", { rules: [{ effect: "allow", tool: "bash" }] });
  await rpc.call("set_mcp_servers", { servers: [server] });
  await rpc.call("prompt", { message: "go" });
  await rpc.until(({ type, toolCallId }) => type === "tool_execution_start" && toolCallId === "c1");
  await rpc.call("set_mcp_servers", { servers: [] });
  writeFileSync(join(chat.place.cwd, "go"), "");
  await rpc.until(({ type }) => type === "agent_settled");
  const judged = rpc.frames.find(({ type, toolCallId }) => type === "approval_resolved" && toolCallId === "c2");
  expect(judged).toMatchObject({ decision: "deny" });
});
