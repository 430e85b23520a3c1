// What an MCP server costs: the built program's way to `ready` with one configured, against none; and one tool call, against the
// same call by a bare client of the official library, to the same kind of server in the same run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mcpFile, serversOf, stdio } from "../packages/coding-agent/test/support/mcp/servers-of.ts";
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
  // The fastest round counts: two processes talk to each other, and on a busy machine the others only measure the scheduler.
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

await startUp();
await calls();
