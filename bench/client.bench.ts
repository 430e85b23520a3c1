// Measures what the client adds to reading: per event against JSON.parse of the same lines, and its import time under
// Node against the module it needs.
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

/** An answer as sent on the wire: small updates in delta mode, each with the whole message in full mode. */
function answer(mode: "delta" | "full", events: number): string[] {
  const update = (step: object, text: string) => {
    const soFar = mode === "full" ? message(text) : message();
    return JSON.stringify({
      type: "message_update",
      message: soFar,
      assistantMessageEvent: { ...step, partial: soFar },
    });
  };
  // A long answer in full mode arrives in fewer, larger updates; the size is fixed here so that the kinds can be
  // compared.
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

/** The shortest hand-written reader. */
function readByHand(chunks: readonly Uint8Array[]): void {
  const decoder = new TextDecoder();
  let rest = "";
  for (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    parseAlone(lines);
  }
}

async function readWithClient(chunks: readonly Uint8Array[], events: number): Promise<number> {
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
  const took = time(() => {
    for (const chunk of chunks) feed(chunk);
  });
  if (seen !== events) throw new Error(`${seen} of ${events} events were seen`);
  client.disconnect();
  return took;
}

async function benchEvents(mode: "delta" | "full"): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const events of [EVENTS[0]!, ...EVENTS]) {
    const lines = answer(mode, events);
    const chunks = chunksOf(lines);
    const alone: number[] = [];
    const byHand: number[] = [];
    const client: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(time(() => parseAlone(lines)));
      byHand.push(time(() => readByHand(chunks)));
      client.push(await readWithClient(chunks, lines.length));
    }
    const perEvent = (values: number[]) => ((median(values) / events) * 1e6).toFixed(0);
    const against = (values: number[]) => (median(client) / median(values)).toFixed(2);
    rows.push([events, perEvent(alone), perEvent(byHand), perEvent(client), against(alone), against(byHand)]);
  }
  console.log(`\nUpdates in ${mode} mode, ns per event`);
  const head = ["events", "JSON.parse of lines", "read by hand", "client", "client/JSON.parse", "client/by hand"];
  printTable([head, ...rows.slice(1)]); // the first one warms up
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
