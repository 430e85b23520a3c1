// Compares runs of three tool turns and an answer without a schema, with the output tool, and with the native response format.
// A valid first output must cost no additional model call, and no `cache_break` within the run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { RpcClient } from "@pintle/client";
import { median, printTable } from "./support/table.ts";

const TURNS = 3;
const ROUNDS = 11;
const OUTPUT = { file: "notes.txt", line: 1 };
const SCHEMA = {
  type: "object",
  properties: { file: { type: "string" }, line: { type: "integer" } },
  required: ["file", "line"],
};

const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
const project = join(scratch, "project");
mkdirSync(project);
writeFileSync(join(project, "notes.txt"), "a line\n");

let calls = 0;
let answer: () => Response = () => text("done");
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    await request.text();
    calls += 1;
    return calls % (TURNS + 1) === 0 ? answer() : toolCall("read", { path: "notes.txt", limit: calls });
  },
});

function text(content: string): Response {
  return stream({ content }, "stop");
}

function toolCall(name: string, args: object): Response {
  const call = { name, arguments: JSON.stringify(args) };
  return stream({ tool_calls: [{ index: 0, id: `call_${calls}`, type: "function", function: call }] }, "tool_calls");
}

function stream(delta: object, finish: string): Response {
  const chunk = (part: object, reason: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: part, finish_reason: reason }] })}\n\n`;
  const body = `${chunk(delta, null)}${chunk({}, finish)}data: [DONE]\n\n`;
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const provider = {
  baseUrl: `http://127.0.0.1:${server.port}/v1`,
  api: "openai-completions",
  auth: "none",
  models: [{ id: "m", contextWindow: 1_000_000 }],
};
writeFileSync(join(scratch, "models.json"), JSON.stringify({ providers: { bench: provider } }), { mode: 0o600 });

const CASES = [
  { name: "no schema", strategy: "auto", schema: undefined, answer: () => text("done") },
  { name: "tool", strategy: "tool", schema: SCHEMA, answer: () => toolCall("structured_output", OUTPUT) },
  { name: "native", strategy: "native", schema: SCHEMA, answer: () => text(JSON.stringify(OUTPUT)) },
];
const rows: (string | number)[][] = [["output", "model calls per run", "cache breaks within runs", "ms per run"]];
for (const { name, strategy, schema, answer: given } of CASES) {
  answer = given;
  calls = 0;
  const client = new RpcClient({
    command: [resolve(import.meta.dir, "../dist/pintle")],
    cwd: project,
    env: { PINTLE_HOME: scratch },
    model: "bench/m",
    noSession: true,
    settings: { "output.strategy": strategy },
    ...(schema && { outputSchema: schema }),
  });
  await client.start();
  let breaks = 0;
  client.on("cache_break", () => {
    breaks += 1;
  });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    const { status, error } = await client.promptAndWait("go");
    if (status !== "completed") throw new Error(error?.message);
    times.push(performance.now() - begun);
  }
  await client.stop();
  rows.push([name, calls / ROUNDS, breaks, median(times).toFixed(1)]);
}
printTable(rows);
await server.stop(true);
rmSync(scratch, { recursive: true });
