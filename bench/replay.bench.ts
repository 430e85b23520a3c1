// Measures replay of a long answer at full speed against JSON.parse of every line of the same file. The answer takes
// the whole path: request key, file, adapter, events.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fetch, type Model, streamModel } from "@pintle/ai";
import { openRecordings } from "../packages/coding-agent/src/replay/recordings.ts";
import { printTable } from "./support/table.ts";

const DELTAS = 16_000;
const ROUNDS = 7;
const MILLISECONDS = 1e6;

const model: Model = {
  id: "m",
  name: "m",
  api: "openai-completions",
  provider: "bench",
  baseUrl: "http://127.0.0.1:1",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 8_000,
};

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-A1b2", model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const words = Array.from({ length: DELTAS }, (_, index) => chunk({ content: ` word${index % 977}` }));
const network: Fetch = async () =>
  new Response(`${words.join("")}${chunk({}, "stop")}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });

const directory = mkdtempSync(join(tmpdir(), "pintle-bench-"));
try {
  const direct = await best(() => run({ fetch: network }));
  const recording = await best(() => run({ fetch: network, record: directory }));
  const file = readdirSync(directory).find((name) => name.endsWith(".stream.jsonl")) as string;
  const parsing = await best(async () => {
    const lines = readFileSync(join(directory, file), "utf8").split("\n");
    for (const line of lines) if (line !== "") JSON.parse(line);
  });
  const replay = await best(() => run({ replay: directory }));
  const row = (name: string, ms: number) => [name, ms.toFixed(1), (ms / parsing).toFixed(1)];
  printTable([
    [`${DELTAS} deltas`, "ms", "ratio"],
    row("JSON.parse of the file", parsing),
    row("replay", replay),
    row("the adapter alone, from memory", direct),
    row("the same, recorded", recording),
  ]);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function run({ fetch, ...directories }: { fetch?: Fetch; record?: string; replay?: string }): Promise<void> {
  const recordings = openRecordings({
    places: () => ({ cwd: "/srv/project", home: "/home/me/.pintle" }),
    secrets: () => ["a-secret-of-the-bench"],
    report: (problem) => {
      throw new Error(problem);
    },
    ...directories,
  });
  const stream = "record" in directories || "replay" in directories ? recordings.wrap(streamModel) : streamModel;
  const context = { messages: [{ role: "user" as const, content: "hi", timestamp: 0 }] };
  let deltas = 0;
  for await (const event of stream(model, context, { ...(fetch && { fetch }) })) {
    if (event.type === "text_delta") deltas += 1;
    if (event.type === "error") throw new Error(event.error.errorMessage);
  }
  if (deltas !== DELTAS) throw new Error(`${deltas} deltas instead of ${DELTAS}`);
}

/** Other work on the machine only adds time, so the best round is the most accurate. */
async function best(job: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = Bun.nanoseconds();
    await job();
    times.push((Bun.nanoseconds() - started) / MILLISECONDS);
  }
  return Math.min(...times);
}
