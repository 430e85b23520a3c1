// What an exported page costs: to write, against copying the session's file, and to open, against a page of the same size
// that does nothing. Prints ratios; nothing is asserted.
import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { exportHtml } from "../packages/coding-agent/src/export/export-html.ts";
import { createLongSession } from "../packages/coding-agent/test/export/long-session.ts";
import { median, printTable } from "./support/table.ts";

const RUNS = 5;
const rows: (string | number)[][] = [["entries", "session", "page", "copy", "export", "ratio", "per entry"]];
let largest = "";
for (const entries of [1_000, 10_000, 40_000]) {
  const sample = createLongSession(entries);
  const file = sample.manager.sessionFile as string;
  const options = {
    source: { manager: sample.manager },
    cwd: sample.directory,
    blobDir: sample.blobDir,
    version: "bench",
  };
  const copy = median(
    await timesOf(() => {
      for (const line of fs.readFileSync(file, "utf8").split("\n")) if (line !== "") JSON.stringify(JSON.parse(line));
      fs.copyFileSync(file, `${file}.copy`);
    }),
  );
  let page = "";
  const written = median(
    await timesOf(async () => {
      page = (await exportHtml(options)).path;
    }),
  );
  rows.push([
    entries,
    megabytes(file),
    megabytes(page),
    `${copy.toFixed(0)} ms`,
    `${written.toFixed(0)} ms`,
    `${(written / copy).toFixed(2)} x`,
    `${((written * 1000) / entries).toFixed(1)} µs`,
  ]);
  if (entries === 10_000) {
    largest = join(fs.mkdtempSync(join(sample.directory, "..", "pintle-bench-")), "page.html");
    fs.copyFileSync(page, largest);
  }
  sample.remove();
}
printTable(rows);
await inBrowser(largest);
fs.rmSync(join(largest, ".."), { recursive: true, force: true });

async function timesOf(work: () => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times;
}

function megabytes(file: string): string {
  return `${(fs.statSync(file).size / 1e6).toFixed(1)} MB`;
}

async function inBrowser(path: string): Promise<void> {
  const executablePath = Bun.which("chromium");
  if (!executablePath) {
    console.log("chromium is not installed; the page is not opened");
    return;
  }
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const still = `${path}.still.html`;
  fs.writeFileSync(
    still,
    fs.readFileSync(path, "utf8").replace(/<script>[\s\S]*<\/script>\s*<\/body>/, "<p>nothing</p></body>"),
  );
  const open = async (file: string) => {
    const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await tab.goto(pathToFileURL(file).href);
    const paint = await tab.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => resolve(list.getEntries()[0]?.startTime ?? Number.NaN)).observe({
            type: "paint",
            buffered: true,
          });
        }),
    );
    const scroll = await tab.evaluate(async () => {
      const times: number[] = [];
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      for (let step = 1; step <= 40; step += 1) {
        const start = performance.now();
        window.scrollTo(0, (document.documentElement.scrollHeight * step) / 41);
        await frame();
        await frame();
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b);
    });
    await tab.close();
    return { paint, scroll: scroll[20] as number, worst: scroll.at(-1) as number };
  };
  const table: (string | number)[][] = [["10,000 entries", "first paint", "a jump", "the worst jump"]];
  for (const [name, file] of [
    ["still page", still],
    ["exported page", path],
  ] as const) {
    const times = [await open(file), await open(file), await open(file)];
    const of = (key: "paint" | "scroll" | "worst") => `${median(times.map((time) => time[key])).toFixed(0)} ms`;
    table.push([name, of("paint"), of("scroll"), of("worst")]);
  }
  printTable(table);
  await browser.close();
}
