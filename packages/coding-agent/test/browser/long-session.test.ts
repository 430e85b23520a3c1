import { afterAll, beforeAll, describe, expect } from "bun:test";
import { exportHtml } from "../../src/export/export-html.ts";
import { BROWSER, closePages, openPage, printed, settled } from "../support/browser/browser.ts";
import { createLongSession } from "../support/export/long-session.ts";
import type { Sample } from "../support/export/sample-session.ts";
import { testWith } from "../support/system-tool.ts";

const test = testWith(BROWSER);
const ENTRIES = 10_000;
/** Far below what 10,000 entries would need, far above what a window shows. */
const MOST_ELEMENTS = 6_000;

let sample: Sample;
let path: string;
beforeAll(async () => {
  sample = createLongSession(ENTRIES);
  ({ path } = await exportHtml({
    source: { manager: sample.manager },
    cwd: sample.directory,
    blobDir: sample.blobDir,
    version: "1",
  }));
});
afterAll(async () => {
  sample.remove();
  await closePages();
});

describe("ten thousand entries", () => {
  test("builds only what is visible, wherever the reader scrolls", async () => {
    const { page, troubles } = await openPage(path);
    const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
    expect(await elements()).toBeLessThan(MOST_ELEMENTS);
    for (const part of [0.1, 0.5, 0.9, 0.3]) {
      await page.evaluate((place) => window.scrollTo(0, document.documentElement.scrollHeight * place), part);
      // At several heights, because one point may be in the space between two entries.
      await page.waitForFunction(() =>
        [0.4, 0.5, 0.6].some((height) =>
          document.elementFromPoint(innerWidth / 2, innerHeight * height)?.closest("article.entry"),
        ),
      );
      await settled(page);
      expect(await elements()).toBeLessThan(MOST_ELEMENTS);
    }
    await page.keyboard.press("G");
    await settled(page);
    const rows = sample.manager.path().length;
    expect(rows).toBeGreaterThan(9_000);
    expect(
      await page.$eval(
        ".entry.is-chosen",
        (entry) => entry.getAttribute("aria-posinset") === entry.getAttribute("aria-setsize"),
      ),
    ).toBe(true);
    expect(await elements()).toBeLessThan(MOST_ELEMENTS);
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test("a link into the middle leads there, and stays there", async () => {
    const middle = sample.manager.path()[5_001]?.id as string;
    const { page } = await openPage(path, { hash: `#entry-${middle}` });
    await settled(page);
    const place = () => page.$eval(".entry.is-chosen", (entry) => Math.round(entry.getBoundingClientRect().top));
    const first = await place();
    expect(first).toBeGreaterThanOrEqual(0);
    expect(first).toBeLessThan(400);
    await settled(page);
    expect(Math.abs((await place()) - first)).toBeLessThan(50);
    await page.context().close();
  });

  test("finds a word in all of them while the page stays responsive", async () => {
    const { page } = await openPage(path);
    await page.fill(".search", "number 1234.");
    await page.waitForFunction(() => document.querySelector(".status")?.textContent?.startsWith("1 match"));
    await page.click(".tree-line");
    await settled(page);
    expect(await page.textContent(".entry.is-chosen")).toContain("Please do thing number 1234.");
    await page.context().close();
  });

  test("opens all thinking without building what is out of sight", async () => {
    const { page } = await openPage(path);
    await page.keyboard.press("h");
    await page.keyboard.press("G");
    await settled(page);
    const [open, closed] = await page.evaluate(() =>
      ["[open]", ":not([open])"].map((state) => document.querySelectorAll(`details.thinking${state}`).length),
    );
    expect(open).toBeGreaterThan(0);
    expect(closed).toBe(0);
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(MOST_ELEMENTS);
    await page.context().close();
  });

  test("prints a part, starting at the reader's position, and says which", async () => {
    const items = itemsOf(sample);
    const { page } = await openPage(path, { hash: `#entry-${sample.manager.path()[5_001]?.id}` });
    await settled(page);
    const place = () =>
      page.$eval(".entry.is-chosen", (entry) => ({
        at: Number(entry.getAttribute("aria-posinset")),
        top: Math.round(entry.getBoundingClientRect().top),
      }));
    const before = await place();
    const { entries, note, seen } = await printed(page);
    expect(seen).toEqual([]);
    const [, first, end, all] = /^Entries ([\d,]+) to ([\d,]+) of ([\d,]+): /.exec(note ?? "") ?? [];
    const number = (text: string | undefined) => Number(text?.replaceAll(",", ""));
    expect(number(all)).toBe(items);
    expect(number(end) - number(first) + 1).toBe(entries);
    expect(entries).toBeGreaterThanOrEqual(400);
    expect(entries).toBeLessThan(420);
    expect(before.at - number(first)).toBeWithin(0, 8);
    // What was built only for printing is gone, and the reader's position is unchanged.
    await settled(page);
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(MOST_ELEMENTS);
    const after = await place();
    expect(after.at).toBe(before.at);
    expect(Math.abs(after.top - before.top)).toBeLessThan(10);
    await page.context().close();
  });
});

/** Entries that appear on their own; results appear with their calls. */
function itemsOf({ manager }: Sample): number {
  return manager.path().filter((entry) => roleOf(entry) !== undefined && roleOf(entry) !== "toolResult").length;
}

function roleOf(entry: unknown): string | undefined {
  return (entry as { message?: { role: string } }).message?.role;
}
