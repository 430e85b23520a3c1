// Measures what an MCP server costs: the time to `ready` of the built program with one configured, against none; one
// tool call, against the same call by a bare client of the official library to the same kind of server; and the first
// request of a conversation with 300 tools, all declared, against a list that the model searches.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mcpFile, serversOf, stdio } from "../packages/coding-agent/test/support/mcp/servers-of.ts";
import { CHAT, chatPlace, says } from "../packages/coding-agent/test/support/scenarios/chat-server.ts";
import { startRpc } from "../packages/coding-agent/test/support/scenarios/rpc-child.ts";
import { projectFolder } from "../packages/coding-agent/test/support/trust/project-folder.ts";
import { readyMs } from "./support/ready.ts";
import { median, printTable } from "./support/table.ts";

const START_ROUNDS = 21;
const CALLS = 150;
const CALL_ROUNDS = 60;

async function startUp(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
  const homes = { none: join(scratch, "none"), one: join(scratch, "one") };
  for (const home of Object.values(homes)) mkdirSync(home);
  writeFileSync(join(homes.one, "mcp.json"), mcpFile({ one: stdio() }));
  const times = { none: [] as number[], one: [] as number[] };
  for (let round = 0; round < START_ROUNDS; round += 1) {
    times.none.push(await readyMs(homes.none));
    times.one.push(await readyMs(homes.one));
  }
  rmSync(scratch, { recursive: true, force: true });
  const [none, one] = [median(times.none), median(times.one)];
  console.log("from the start of the program to ready");
  printTable([
    ["no server ms", "one server ms", "ratio"],
    [none.toFixed(1), one.toFixed(1), (one / none).toFixed(2)],
  ]);
}

async function perCall(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let count = 0; count < CALLS; count += 1) await call();
  return ((performance.now() - startedAt) * 1000) / CALLS;
}

async function calls(): Promise<void> {
  using folder = projectFolder();
  folder.write("~/mcp.json", mcpFile({ one: stdio() }));
  await using own = await serversOf(folder);
  const { command, args } = stdio();
  const bare = new Client({ name: "bench", version: "1" });
  await Promise.all([
    own.servers.connected(30_000),
    bare.connect(new StdioClientTransport({ command, args: [...args], stderr: "ignore" })),
  ]);
  // The fastest round: two processes talk to each other, and on a busy machine slower rounds only measure the
  // scheduler.
  let [bareUs, ownUs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < CALL_ROUNDS; round += 1) {
    const callBare = () => bare.callTool({ name: "echo", arguments: { text: "hi" } });
    bareUs = Math.min(bareUs, await perCall(callBare));
    ownUs = Math.min(ownUs, await perCall(() => own.call("mcp__one__echo", { text: "hi" })));
  }
  await bare.close();
  console.log("one call of a tool and its answer");
  printTable([
    ["bare client µs", "pintle µs", "ratio"],
    [bareUs.toFixed(0), ownUs.toFixed(0), (ownUs / bareUs).toFixed(2)],
  ]);
}

const LISTING_SERVER = fileURLToPath(
  import.meta.resolve("../packages/coding-agent/test/support/mcp/listing-server.ts"),
);
const MANY = 300;

/** About as long as those of servers with many tools. */
function typicalTool(index: number): object {
  const text = (about: string) => ({ type: "string", description: `${about}, as the service knows it` });
  return {
    name: `manage_resource_${index}`,
    description: `Creates, changes or looks up resources of kind ${index}. Give the owner and the name; fields that are left out stay as they are. Answers with the resource as it is afterwards.`,
    inputSchema: {
      type: "object",
      properties: {
        owner: text("Who owns it"),
        name: text("Its name"),
        labels: { type: "array", items: { type: "string" }, description: "Labels to set on it" },
        state: { type: "string", enum: ["open", "closed", "all"], description: "Which of them" },
        page: { type: "integer", minimum: 1, description: "Page of the results" },
      },
      required: ["owner", "name"],
    },
  };
}

async function firstRequestBytes(...flags: string[]): Promise<number> {
  await using chat = await chatPlace(says("done"));
  const home = chat.place.env.PINTLE_HOME as string;
  const file = join(home, "tools.json");
  writeFileSync(file, JSON.stringify(Array.from({ length: MANY }, (_, index) => typicalTool(index))));
  writeFileSync(join(home, "mcp.json"), mcpFile({ many: { command: process.execPath, args: [LISTING_SERVER, file] } }));
  await using rpc = await startRpc([...CHAT, ...flags], chat.place);
  await rpc.prompt("hello");
  return JSON.stringify(chat.server.requests[0]?.body).length;
}

async function manyTools(): Promise<void> {
  const [none, all, few] = [
    await firstRequestBytes("--no-mcp"),
    await firstRequestBytes("--set", "mcp.deferAbove=1000"),
    await firstRequestBytes(),
  ];
  console.log(`the first request with ${MANY} MCP tools`);
  printTable([
    ["no server bytes", "all declared bytes", "searched bytes", "ratio"],
    [String(none), String(all), String(few), (few / all).toFixed(2)],
  ]);
}

await startUp();
await calls();
await manyTools();
