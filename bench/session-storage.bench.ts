// Measures what storing a conversation costs, against the minimum it could cost. Prints ratios; nothing is asserted.
import { heapStats } from "bun:jsc";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentMessage, createSystemClock } from "@pintle/agent";
import { zeroUsage } from "@pintle/ai";
import type { SessionManager } from "../packages/storage/src/session-manager.ts";
import { SessionStore } from "../packages/storage/src/session-store.ts";

const home = fs.mkdtempSync(join(tmpdir(), "pintle-bench-"));
process.on("exit", () => fs.rmSync(home, { recursive: true, force: true }));

const clock = createSystemClock();
const store = new SessionStore({
  cwd: "/home/project",
  sessionDir: join(home, "sessions"),
  blobDir: join(home, "blobs"),
  clock,
  process: { pid: process.pid, host: "bench", startedAt: "now" },
});

/** About 1 KB each on average: a question, an answer with a call, its result, a closing message. */
function message(index: number): AgentMessage {
  const timestamp = clock.now();
  if (index % 4 === 0)
    return { role: "user", content: [{ type: "text", text: `Please do thing number ${index}.` }], timestamp };
  if (index % 4 === 2) {
    const text = "a line of output, with an é\n".repeat(60);
    return {
      role: "toolResult",
      toolCallId: `c${index}`,
      toolName: "bash",
      content: [{ type: "text", text }],
      isError: false,
      timestamp,
    };
  }
  return {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "consider this ".repeat(12), thinkingSignature: "s".repeat(200) },
      { type: "text", text: "the answer is ".repeat(15) },
      { type: "toolCall", id: `c${index + 1}`, name: "bash", arguments: { command: "ls -la" } },
    ],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "some-model",
    usage: zeroUsage(),
    stopReason: "toolUse",
    timestamp,
  };
}

function grow(session: SessionManager, from: number, to: number): void {
  for (let index = from; index < to; index += 1) session.appendMessage(message(index));
}

function best(runs: number, work: () => number): number {
  return Math.min(...Array.from({ length: runs }, work));
}

function appends(): void {
  const COUNT = 1_000;
  const path = join(home, "bare.jsonl");
  const fd = fs.openSync(path, "a");
  const lines = Array.from(
    { length: COUNT },
    (_, index) => `${JSON.stringify({ type: "message", message: message(index) })}\n`,
  );
  const bare = best(9, () => {
    const start = performance.now();
    for (const line of lines) fs.writeSync(fd, line);
    return ((performance.now() - start) * 1000) / COUNT;
  });
  const records = lines.map((line) => JSON.parse(line));
  const serialized = best(9, () => {
    const start = performance.now();
    for (const record of records) fs.writeSync(fd, `${JSON.stringify(record)}\n`);
    return ((performance.now() - start) * 1000) / COUNT;
  });
  fs.closeSync(fd);
  console.log(
    `append: bare writeSync of such a line ${bare.toFixed(1)} µs, with JSON.stringify ${serialized.toFixed(1)} µs`,
  );
  const session = store.create();
  let size = 0;
  for (const length of [100, 10_000, 100_000]) {
    grow(session, size, length);
    size = length;
    const messages = Array.from({ length: COUNT }, (_, index) => message(index));
    const each = best(9, () => {
      const start = performance.now();
      for (const one of messages) session.appendMessage(one);
      size += COUNT;
      return ((performance.now() - start) * 1000) / COUNT;
    });
    console.log(
      `append at ${length} entries: ${each.toFixed(1)} µs, ${(each / bare).toFixed(2)} x bare, ${(each / serialized).toFixed(2)} x with JSON.stringify`,
    );
  }
  session.close();
}

function parseByLine(path: string): unknown[] {
  const records: unknown[] = [];
  for (const line of fs.readFileSync(path, "utf8").split("\n")) if (line !== "") records.push(JSON.parse(line));
  return records;
}

async function opening(): Promise<void> {
  const session = store.create();
  grow(session, 0, 10_000);
  session.close();
  const path = session.sessionFile as string;
  const megabytes = fs.statSync(path).size / (1 << 20);
  let plain = Number.POSITIVE_INFINITY;
  let open = Number.POSITIVE_INFINITY;
  let context = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 15; run += 1) {
    Bun.gc(true);
    let start = performance.now();
    parseByLine(path);
    plain = Math.min(plain, performance.now() - start);
    Bun.gc(true);
    start = performance.now();
    const opened = await store.open(path);
    open = Math.min(open, performance.now() - start);
    start = performance.now();
    opened.buildContext();
    context = Math.min(context, performance.now() - start);
    opened.close();
  }
  console.log(`open 10000 messages (${megabytes.toFixed(1)} MB): read + JSON.parse per line ${plain.toFixed(1)} ms`);
  console.log(`open: ${open.toFixed(1)} ms, ${(open / plain).toFixed(2)} x; context of them: ${context.toFixed(1)} ms`);

  memory(path);
}

/** Measures each one in a separate process, because a heap may keep freed memory. */
function memory(path: string): void {
  const measure = (job: string) => {
    const child = Bun.spawnSync([process.execPath, import.meta.path, job, path]);
    return Number(child.stdout.toString()) / (1 << 20);
  };
  const parsed = measure("parse");
  const opened = measure("open");
  console.log(
    `memory of them: parsed lines ${parsed.toFixed(1)} MB, session ${opened.toFixed(1)} MB, ${(opened / parsed).toFixed(2)} x`,
  );
}

const memoryJobs: Record<string, (path: string) => unknown> = {
  parse: parseByLine,
  open: (path) => store.open(path, { access: "read" }),
};

async function measureMemory(job: string, path: string): Promise<void> {
  const size = () => {
    Bun.gc(true);
    const { heapSize, extraMemorySize } = heapStats();
    return heapSize + extraMemorySize;
  };
  const before = size();
  const kept = await memoryJobs[job]?.(path);
  console.log(size() - before);
  if (!kept) throw new Error("nothing was measured");
}

function creating(): void {
  const COUNT = 10_000;
  const each = best(5, () => {
    const start = performance.now();
    for (let index = 0; index < COUNT; index += 1) store.create();
    return ((performance.now() - start) * 1000) / COUNT;
  });
  console.log(`create: ${each.toFixed(2)} µs, no file touched`);
}

const [job, path] = process.argv.slice(2);
if (job !== undefined && path !== undefined) await measureMemory(job, path);
else {
  creating();
  appends();
  await opening();
}
