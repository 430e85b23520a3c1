// Measures a run of 20 tool turns over RPC against the same requests sent to the same model by bare fetch: what a turn
// costs in addition to the network. Goal: at most 3 ms per turn.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { median, printTable } from "./support/table.ts";

const TURNS = 20;
const ROUNDS = 9;
const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
const project = join(scratch, "project");
mkdirSync(project);
writeFileSync(join(project, "notes.txt"), "a line\n");

let answered = 0;
let bodies: string[] = [];
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    bodies.push(await request.text());
    const turn = answered % (TURNS + 1);
    answered += 1;
    return turn < TURNS ? callTool(answered) : stream([{ content: "done" }], "stop");
  },
});

function callTool(count: number): Response {
  const call = { name: tool.name, arguments: JSON.stringify(tool.args(count)) };
  return stream([{ tool_calls: [{ index: 0, id: `call_${count}`, type: "function", function: call }] }], "tool_calls");
}

function stream(deltas: object[], finish: string): Response {
  const chunk = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const text = `${deltas.map((delta) => chunk(delta, null)).join("")}${chunk({}, finish)}data: [DONE]\n\n`;
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

const tools = [
  { name: "read", args: (count: number) => ({ path: "notes.txt", offset: 1, limit: 1 + (count % 5) }) },
  { name: "ls", args: (count: number) => ({ limit: 10 + count }) },
  { name: "write", args: (count: number) => ({ path: "out.txt", content: `${count}` }) },
  { name: "bash", args: (count: number) => ({ command: `echo ${count}` }) },
];
let tool = tools[0]!;

const provider = {
  baseUrl: `http://127.0.0.1:${server.port}/v1`,
  api: "openai-completions",
  apiKey: "none",
  models: [{ id: "m", contextWindow: 1_000_000 }],
};
writeFileSync(join(scratch, "models.json"), JSON.stringify({ providers: { bench: provider } }), { mode: 0o600 });

const rows: (string | number)[][] = [["tool", "ms per turn", "bare fetch", "own ms per turn"]];
for (tool of tools) {
  const own: number[] = [];
  const bare: number[] = [];
  const child = Bun.spawn([resolve(import.meta.dir, "../dist/pintle"), "--mode", "rpc", "--model", "bench/m"], {
    cwd: project,
    env: { PATH: process.env.PATH ?? "", HOME: scratch, PINTLE_HOME: scratch },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = readLines(child.stdout);
  for (let round = 0; round < ROUNDS; round += 1) {
    child.stdin.write('{"type":"new_session"}\n');
    bodies = [];
    const startedAt = performance.now();
    child.stdin.write('{"type":"prompt","message":"go"}\n');
    child.stdin.flush();
    for await (const line of lines) if (line.startsWith('{"type":"agent_settled"')) break;
    if (round > 0) own.push((performance.now() - startedAt) / (TURNS + 1));
    if (round > 0) bare.push(await fetchAll(bodies));
  }
  child.stdin.end();
  await child.exited;
  const [total, network] = [median(own), median(bare)];
  rows.push([tool.name, total.toFixed(2), network.toFixed(2), (total - network).toFixed(2)]);
}
printTable(rows);
server.stop(true);
rmSync(scratch, { recursive: true, force: true });

/** The same requests again, one after another, with the answers discarded. */
async function fetchAll(requests: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  for (const body of [...requests]) {
    const response = await fetch(`${provider.baseUrl}/chat/completions`, { method: "POST", body });
    await response.text();
  }
  return (performance.now() - startedAt) / requests.length;
}

/** Stays open when a reader leaves it. */
function readLines(stream: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let waiting: string[] = [];
  const next = async (): Promise<IteratorResult<string>> => {
    for (;;) {
      const line = waiting.shift();
      if (line !== undefined) return { value: line, done: false };
      const { value, done } = await reader.read();
      if (done) return { value: undefined, done: true };
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      waiting = parts;
    }
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
