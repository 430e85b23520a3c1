// Measures what the live page costs in a real browser: its first paint against an empty page in the same run, and a
// frame while a model writes 400 deltas per second into a long session. Prints figures; nothing is asserted.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import type { Respond } from "../packages/ai/test/support/loopback-server.ts";
import { LiveServer } from "../packages/coding-agent/test/support/browser/live-server.ts";
import { createLongSession } from "../packages/coding-agent/test/support/export/long-session.ts";
import { median, printTable } from "./support/table.ts";

const PAINTS = 7;
const DELTAS_PER_SECOND = 400;
const STREAM_MS = 12_000;
const MEASURED_MS = 8_000;
const IDLE_MS = 2_000;
const LENGTHS = [0, 2_000, 10_000];
/** What a model writes: paragraphs, lists, code. */
const TEXT =
  "The parser reads **one line** at a time, and `next()` gives it back.\n\n- first, the header\n- then each row\n\n```ts\nconst row = next();\nif (row === undefined) return;\n```\n\n";

/** Deltas that the model has written so far. */
let received = 0;

const executablePath = Bun.which("chromium");
if (!executablePath) {
  console.log("chromium is not installed: nothing is measured");
  process.exit(0);
}
const { chromium } = await import("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  await firstPaint(browser);
  await frames(browser);
} finally {
  await browser.close();
}

async function firstPaint(browser: Browser): Promise<void> {
  await using server = await LiveServer.start();
  const { url, hash } = server.address();
  const empty = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response("<!doctype html><title>empty</title><p>empty", { headers: { "content-type": "text/html" } }),
  });
  const times: Record<string, number[]> = { empty: [], first: [], again: [] };
  for (let run = 0; run < PAINTS; run += 1) {
    times.empty?.push(await paintOf(browser, `http://127.0.0.1:${empty.port}/`));
    const context = await browser.newContext();
    times.first?.push(await paintOf(context, `${url}${hash}`));
    times.again?.push(await paintOf(context, `${url}${hash}`));
    await context.close();
  }
  await empty.stop(true);
  const [base = 0, first = 0, again = 0] = Object.values(times).map(median);
  const ratio = (ms: number) => `${(ms / base).toFixed(2)} x`;
  printTable([
    ["first paint", "ms", "ratio"],
    ["empty page", base.toFixed(0), "1 x"],
    ["live page", first.toFixed(0), ratio(first)],
    ["live page, kept by the browser", again.toFixed(0), ratio(again)],
  ]);
}

async function paintOf(browser: { newPage(): Promise<Page> }, address: string): Promise<number> {
  const page = await browser.newPage();
  await page.goto(address);
  const paint = await page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list) => {
          const found = list.getEntriesByName("first-contentful-paint")[0];
          if (found) resolve(found.startTime);
        }).observe({ type: "paint", buffered: true }),
      ),
  );
  await page.close();
  return paint;
}

async function frames(browser: Browser): Promise<void> {
  const table: string[][] = [
    [
      "entries",
      "until shown",
      "elements",
      "idle p95",
      "deltas/s",
      "frame p50",
      "frame p95",
      "longest",
      "busy",
      "per delta",
    ],
  ];
  for (const length of LENGTHS) {
    const directory = mkdtempSync(join(tmpdir(), "pintle-page-bench-"));
    await using server = await LiveServer.start({
      answers: [write],
      args: ["--session-dir", directory],
      settings: { "compaction.enabled": false },
    });
    const session = length === 0 ? await server.session() : storeLong(length, directory, server.root);
    if (length > 0) await server.session({ session });
    const { url, hash } = server.address(session);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const begun = performance.now();
    await page.goto(`${url}${hash}`);
    const isShown = length === 0 ? ".picker-row:not([hidden])" : "article.entry";
    await page.waitForSelector(isShown, { state: "attached" });
    const shownMs = performance.now() - begun;
    const elements = await page.evaluate(() => document.querySelectorAll("*").length);
    const cdp = await page.context().newCDPSession(page);
    const idle = await measure(page, cdp, IDLE_MS);
    await page.fill("#composer", "write");
    await page.press("#composer", "Enter");
    await page.waitForSelector(".is-writing .prose > *");
    const seen = await measure(page, cdp, MEASURED_MS);
    table.push([
      length.toLocaleString("en-US"),
      `${shownMs.toFixed(0)} ms`,
      elements.toLocaleString("en-US"),
      part(idle.work, 0.95),
      seen.deltasPerSecond.toFixed(0),
      ...[0.5, 0.95, 1].map((share) => part(seen.work, share)),
      `${(100 * seen.busy).toFixed(0)}%`,
      `${((1e6 * seen.busy) / seen.deltasPerSecond).toFixed(0)} µs`,
    ]);
    await page.close();
    rmSync(directory, { recursive: true, force: true });
  }
  printTable(table);
  console.log(
    `A frame has 16.7 ms; the goal is a p95 of at most 16 ms at ${DELTAS_PER_SECOND} deltas/s and 2,000 entries.`,
  );
}

/** The time within which this share of the frames stays. */
function part(work: readonly number[], share: number): string {
  const sorted = work.toSorted((a, b) => a - b);
  return `${(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1)} ms`;
}

interface Seen {
  /** Per frame: from the start of its callbacks until style, layout and paint are done. */
  work: number[];
  /** The fraction of time in which the main thread was busy. */
  busy: number;
  deltasPerSecond: number;
}

async function measure(page: Page, cdp: CDPSession, forMs: number): Promise<Seen> {
  await cdp.send("Performance.enable");
  const taskSeconds = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
  const [tasks, before] = [await taskSeconds(), received];
  const begun = performance.now();
  const work = await page.evaluate(
    (ms) =>
      new Promise<number[]>((resolve) => {
        const found: number[] = [];
        const end = performance.now() + ms;
        const { port1, port2 } = new MessageChannel();
        let start = 0;
        // A message sent in a frame's callback is delivered when the frame is drawn.
        port2.onmessage = () => {
          found.push(performance.now() - start);
          if (performance.now() < end) requestAnimationFrame(frame);
          else resolve(found);
        };
        const frame = () => {
          start = performance.now();
          port1.postMessage(undefined);
        };
        requestAnimationFrame(frame);
      }),
    forMs,
  );
  const seconds = (performance.now() - begun) / 1000;
  return { work, busy: ((await taskSeconds()) - tasks) / seconds, deltasPerSecond: (received - before) / seconds };
}

function write(response: Parameters<Respond>[0]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const begun = performance.now();
  const pieces = TEXT.match(/[\s\S]{1,12}/g) ?? [];
  let written = 0;
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const timer = setInterval(() => {
    const passed = performance.now() - begun;
    const due = Math.floor((passed * DELTAS_PER_SECOND) / 1000);
    for (; written < due; written += 1) response.write(chunk({ content: pieces[written % pieces.length] }));
    received = written;
    if (passed < STREAM_MS && !response.destroyed) return;
    clearInterval(timer);
    response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
  }, 5);
}

/** Stores a long session where the server looks, in a directory that it serves, and returns its id. */
function storeLong(entries: number, directory: string, cwd: string): string {
  const sample = createLongSession(entries);
  const [head = "", ...lines] = readFileSync(sample.manager.sessionFile as string, "utf8").split("\n");
  sample.remove();
  const header = { ...(JSON.parse(head) as { id: string }), cwd };
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, `2026-01-01T00-00-00-000Z_${header.id}.jsonl`),
    [JSON.stringify(header), ...lines].join("\n"),
  );
  return header.id;
}
