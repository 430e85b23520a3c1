// What the client adds to reading: per event against JSON.parse of the same lines, and the time to import it under Node
// against the module it cannot do without.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { RpcCore } from "../packages/client/src/core/index.ts";
import { median, printTable } from "./support/table.ts";

const EVENTS = [1_000, 4_000, 16_000];
const ROUNDS = 9;
const CHUNK = 64 * 1024;
const PIECE = "ten chars ";

const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const message = (text?: string) => ({
  role: "assistant",
  content: text === undefined ? [] : [{ type: "text", text }],
  api: "a",
  provider: "p",
  model: "m",
  usage,
  stopReason: "stop",
  timestamp: 1794784490105,
});

/** An answer as the wire has it: small updates in delta mode, each with the whole message in full mode. */
function answer(mode: "delta" | "full", events: number): string[] {
  const update = (step: object, text: string) => {
    const soFar = mode === "full" ? message(text) : message();
    return JSON.stringify({
      type: "message_update",
      message: soFar,
      assistantMessageEvent: { ...step, partial: soFar },
    });
  };
  // A long answer in full mode comes in fewer, larger updates; its size is held here so that the kinds can be compared.
  const textAt = (n: number) => PIECE.repeat(mode === "full" ? n % 100 : n);
  return [
    JSON.stringify({ type: "message_start", message: message() }),
    update({ type: "text_start", contentIndex: 0 }, " "),
    ...Array.from({ length: events }, (_, n) =>
      update({ type: "text_delta", contentIndex: 0, delta: PIECE }, `${textAt(n)} `),
    ),
  ];
}

function chunksOf(lines: readonly string[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
  return Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, n) => bytes.subarray(n * CHUNK, (n + 1) * CHUNK));
}

function time(job: () => void): number {
  Bun.gc(true);
  const start = performance.now();
  job();
  return performance.now() - start;
}

function parseAlone(lines: readonly string[]): void {
  let seen = 0;
  for (const line of lines) seen += JSON.parse(line).type.length;
  if (seen === 0) throw new Error("nothing was parsed");
}

async function readWithClient(lines: readonly string[]): Promise<number> {
  let feed: (chunk: Uint8Array | string) => void = () => {};
  const client = new RpcCore();
  const started = client.connect({
    write() {},
    onData(listener) {
      feed = listener;
    },
    onClose() {},
  });
  feed('{"type":"ready"}\n');
  await started;
  let seen = 0;
  client.onEvent(() => {
    seen += 1;
  });
  const chunks = chunksOf(lines);
  const took = time(() => {
    for (const chunk of chunks) feed(chunk);
  });
  if (seen !== lines.length) throw new Error(`${seen} of ${lines.length} events were seen`);
  client.disconnect();
  return took;
}

async function benchEvents(mode: "delta" | "full"): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const events of [EVENTS[0]!, ...EVENTS]) {
    const lines = answer(mode, events);
    const alone: number[] = [];
    const client: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(time(() => parseAlone(lines)));
      client.push(await readWithClient(lines));
    }
    const perEvent = (values: number[]) => (median(values) / events) * 1e6;
    rows.push([
      events,
      perEvent(alone).toFixed(0),
      perEvent(client).toFixed(0),
      (median(client) / median(alone)).toFixed(2),
    ]);
  }
  console.log(`\nUpdates in ${mode} mode`);
  printTable([["events", "JSON.parse ns/event", "client ns/event", "client/JSON.parse"], ...rows.slice(1)]); // the first was for warming up
}

function benchImport(): void {
  const root = join(import.meta.dir, "..");
  const importTime = (specifier: string) =>
    median(
      Array.from({ length: ROUNDS }, () => {
        const script = `const start = performance.now(); await import(${JSON.stringify(specifier)}); console.log(performance.now() - start);`;
        const { stdout } = spawnSync("node", ["--input-type=module", "-e", script], { cwd: root, encoding: "utf8" });
        return Number(stdout);
      }),
    );
  const baseline = importTime("node:child_process");
  console.log("\nImport under Node");
  printTable([
    ["module", "ms", "against node:child_process"],
    ...["node:child_process", "@pintle/client/core", "@pintle/client"].map((specifier) => {
      const ms = importTime(specifier);
      return [specifier, ms.toFixed(2), (ms / baseline).toFixed(2)];
    }),
  ]);
}

await benchEvents("delta");
await benchEvents("full");
benchImport();
