import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/**
 * Browsers from Debian's packages; npm has none that works without a download. The first is headless and uses a fraction of
 * the CPU time per page.
 */
export const BROWSER = ["chromium-headless-shell", "chromium"].find((name) => Bun.which(name)) ?? "chromium";

let browser: Promise<Browser> | undefined;

/**
 * Closes what a test file has opened. The browser keeps running for the next file of this process, because starting it takes
 * longer than many tests; it ends with the process.
 */
export async function closePages(): Promise<void> {
  const opened = await browser;
  await Promise.all(opened?.contexts().map((context) => context.close()) ?? []);
}

export interface OpenedPage {
  page: Page;
  /** The errors in the page, and everything that it tried to load. */
  troubles: string[];
}

/** Opens a page in a real browser, from a file or the address of a server on loopback, and records its errors. */
export async function openPage(
  path: string,
  options: BrowserContextOptions & { hash?: string } = {},
): Promise<OpenedPage> {
  const { hash = "", ...context } = options;
  const address = path.startsWith("http:") ? path : pathToFileURL(path).href;
  // Runs without a sandbox, because Chromium has none in containers, where tests run as root. Only our own pages are
  // opened.
  browser ??= chromium.launch({ executablePath: Bun.which(BROWSER) as string, args: ["--no-sandbox"] });
  const own = await (await browser).newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: "UTC",
    locale: "en-US",
    ...context,
  });
  const page = await own.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => troubles.push(`console: ${message.text()}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith("data:") && !url.startsWith(address)) troubles.push(`request: ${url}`);
  });
  await page.goto(address + hash);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  return { page, troubles };
}

/** Waits until nothing moves: three frames in which positions, heights and the number of entries stay the same. */
export function settled(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          const entries = document.querySelectorAll("article.entry").length;
          return `${window.scrollY} ${document.documentElement.scrollHeight} ${entries}`;
        };
        let [before, still, frames] = [look(), 0, 0];
        const watch = () => {
          const now = look();
          frames += 1;
          if (frames === 2_000) reject(new Error(`The page does not come to rest: ${before}, then ${now}`));
          still = now === before ? still + 1 : 0;
          before = now;
          if (still === 3) resolve();
          else requestAnimationFrame(watch);
        };
        requestAnimationFrame(watch);
      }),
  );
}

/** Returns what a printout of the current page contains; `seen` is what should not be in it. */
export async function printed(
  page: Page,
): Promise<{ entries: number; note: string | null; seen: string[]; background: string }> {
  await page.evaluate(() => {
    window.addEventListener("beforeprint", () => Object.assign(document.body.dataset, { printed: "yes" }), {
      once: true,
    });
  });
  await page.pdf();
  if ((await page.getAttribute("body", "data-printed")) !== "yes") throw new Error("the browser has not printed");
  // The same in the browser's order, for inspection.
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  const paper = await page.evaluate(() => {
    const visible = (selector: string) =>
      [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
    return {
      entries: visible(".entry").length,
      note: visible(".print-note").map(({ textContent }) => textContent)[0] ?? null,
      seen: visible(".bar, .side, .permalink, .on-screen, .not-printed, .notice, dialog").map(
        ({ className }) => className,
      ),
      background: getComputedStyle(document.body).backgroundColor,
    };
  });
  await page.emulateMedia({ media: null });
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  return paper;
}
