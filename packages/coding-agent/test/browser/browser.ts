import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Debian's package of it; npm has none that works without downloading one. */
export const BROWSER = "chromium";

let browser: Promise<Browser> | undefined;

/** Every test file closes what it has opened: the next one starts its own. */
export async function closeBrowser(): Promise<void> {
  const opened = browser;
  browser = undefined;
  await (await opened)?.close();
}

export interface OpenedPage {
  page: Page;
  /** What went wrong in it, and everything that it wanted to load. */
  troubles: string[];
}

/** The page in a real browser, complete and with the troubles it has. */
export async function openPage(
  path: string,
  options: BrowserContextOptions & { hash?: string } = {},
): Promise<OpenedPage> {
  const { hash = "", ...context } = options;
  // Without a sandbox: in containers, where tests run as root, Chromium has none to offer. Only our own pages are opened.
  browser ??= chromium.launch({ executablePath: Bun.which(BROWSER) as string, args: ["--no-sandbox"] });
  const page = await (await browser).newPage({
    viewport: { width: 1280, height: 800 },
    timezoneId: "UTC",
    locale: "en-US",
    ...context,
  });
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => troubles.push(`console: ${message.text()}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith("data:") && !url.startsWith(pathToFileURL(path).href)) troubles.push(`request: ${url}`);
  });
  await page.goto(pathToFileURL(path).href + hash);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  return { page, troubles };
}

/** Waits until nothing moves any more: two frames and the work they start. */
export function settled(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
      ),
  );
}
