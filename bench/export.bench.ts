// Measures what an exported page costs: to write, against copying the session's file, and to open, against an empty
// page of the same size. Prints ratios; nothing is asserted.
import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { exportHtml } from "../packages/coding-agent/src/export/export-html.ts";
import { createLongSession } from "../packages/coding-agent/test/support/export/long-session.ts";
import { median, printTable } from "./support/table.ts";

const RUNS = 5;
const BROWSER_RUNS = 3;
/** In addition to the time of a step: how long it blocked everything else. */
const BLOCK = ", longest block";
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
  const table: string[][] = [["10,000 entries in a browser", "still page", "exported page", "longest block"]];
  const blank = await medians(() => measureStill(browser, still));
  const page = await medians(() => measurePage(browser, path));
  for (const [name, time] of page) {
    if (name.endsWith(BLOCK)) continue;
    const ms = (value: number | undefined) => (value === undefined ? "" : `${value.toFixed(0)} ms`);
    table.push([name, ms(blank.get(name)), ms(time), ms(page.get(name + BLOCK))]);
  }
  printTable(table);
  await browser.close();
}

type Times = Map<string, number>;

async function medians(run: () => Promise<Times>): Promise<Times> {
  const runs: Times[] = [];
  for (let count = 0; count < BROWSER_RUNS; count += 1) runs.push(await run());
  return new Map(
    [...(runs[0] as Times).keys()].map((name) => [name, median(runs.map((times) => times.get(name) ?? 0))]),
  );
}

async function openTab(browser: Browser, file: string): Promise<{ tab: Page; times: Times }> {
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
  return { tab, times: new Map([["first paint", paint]]) };
}

async function measureStill(browser: Browser, file: string): Promise<Times> {
  const { tab, times } = await openTab(browser, file);
  const start = performance.now();
  await tab.pdf();
  times.set("print", performance.now() - start);
  await tab.close();
  return times;
}

/** Every step as a reader does it, until the screen shows the result. */
async function measurePage(browser: Browser, file: string): Promise<Times> {
  const { tab, times } = await openTab(browser, file);
  await tab.evaluate(() => {
    const seen = { longest: 0 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
    }).observe({ type: "longtask" });
    Object.assign(window, { seen });
  });
  const measure = async (name: string, act: () => Promise<unknown>, isDone: () => boolean) => {
    await tab.evaluate(() => Object.assign((window as unknown as { seen: object }).seen, { longest: 0 }));
    const start = performance.now();
    await act();
    await tab.waitForFunction(isDone, undefined, { polling: "raf" });
    times.set(name, performance.now() - start);
    await tab.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    const longest = await tab.evaluate(() => (window as unknown as { seen: { longest: number } }).seen.longest);
    times.set(name + BLOCK, longest);
  };
  const hasEntry = () => document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest("article.entry") !== null;
  await measure(
    "jump to the middle",
    () => tab.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2)),
    hasEntry,
  );
  await measure(
    "go to the end",
    () => tab.keyboard.press("G"),
    () => {
      const last = document.querySelector(".entry.is-chosen");
      return last !== null && last.getAttribute("aria-posinset") === last.getAttribute("aria-setsize");
    },
  );
  await measure(
    "open all thinking",
    () => tab.keyboard.press("h"),
    () => document.querySelectorAll("details.thinking:not([open])").length === 0,
  );
  await measure(
    "search a word",
    () => tab.fill(".search", "number 1234."),
    () => document.querySelector(".status")?.textContent?.startsWith("1 match") ?? false,
  );
  await tab.fill(".search", "");
  await tab.waitForFunction(() => document.querySelector(".status")?.textContent?.includes(" of "));
  await measure(
    "switch the branch",
    () =>
      tab.evaluate(() => {
        const tree = document.querySelector(".tree") as HTMLElement;
        const other = () => document.querySelector<HTMLElement>(".tree-line:not(.on-path)");
        for (let top = 0; !other(); top += 600) {
          tree.scrollTop = top;
          tree.dispatchEvent(new Event("scroll"));
        }
        document.body.dataset.before = document.querySelector(".feed article")?.getAttribute("aria-setsize") ?? "";
        other()?.click();
      }),
    () =>
      document.querySelector(".entry.is-chosen")?.getAttribute("aria-setsize") !== document.body.dataset.before &&
      document.querySelector(".tree-line[aria-selected=true].on-path") !== null,
  );
  await measure(
    "print",
    () => tab.pdf(),
    () => true,
  );
  await tab.close();
  return times;
}
