import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { exportHtml } from "../../src/export/export-html.ts";
import { audit, tabStops } from "../support/browser/audit.ts";
import { BROWSER, closePages, openPage, settled } from "../support/browser/browser.ts";
import { createTour, type Tour } from "../support/export/tour.ts";
import { testWith } from "../support/system-tool.ts";

const test = testWith(BROWSER);

let tour: Tour;
let path: string;
beforeAll(async () => {
  tour = createTour();
  const { sample } = tour;
  ({ path } = await exportHtml({
    source: { manager: sample.manager },
    cwd: sample.directory,
    blobDir: sample.blobDir,
    version: "1",
    systemPrompt: "Be **brief**. See https://example.com and `code`.",
    tools: [{ name: "bash", description: "Runs" }],
  }));
});
afterAll(async () => {
  tour.sample.remove();
  await closePages();
});

async function openEverything(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  await settled(page);
}

describe("a user with a screen reader or low vision", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`finds names, roles, order and contrast in place, ${colorScheme}`, async () => {
      const { page } = await openPage(path, { colorScheme, viewport: { width: 1280, height: 9000 } });
      await openEverything(page);
      expect(await audit(page)).toEqual([]);
      await page.click('[data-filter="all"]');
      await page.fill(".search", "warmest");
      await page.waitForFunction(() => document.querySelector(".status")?.textContent?.includes("match"));
      await page.keyboard.press("Enter");
      await openEverything(page);
      expect(await audit(page)).toEqual([]);
      await page.evaluate(() => (document.querySelector("dialog.help") as HTMLDialogElement).showModal());
      expect(await audit(page)).toEqual([]);
      await page.context().close();
    });
  }

  test("finds the same on a phone, with the tree open", async () => {
    const { page } = await openPage(path, { viewport: { width: 360, height: 9000 } });
    await openEverything(page);
    expect(await audit(page)).toEqual([]);
    await page.click(".side-button");
    expect(await page.getAttribute(".side-button", "aria-expanded")).toBe("true");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("tree");
    expect(await audit(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.isVisible(".side")).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.className)).toContain("side-button");
    await page.context().close();
  });

  test("reaches the skip link first with Tab, then the page from top to bottom", async () => {
    const { page } = await openPage(path);
    expect(await tabStops(page, 14)).toEqual([
      "To the conversation",
      "Colors: auto (d)",
      "Keys (?)",
      "Search in all entries",
      "Default",
      "No tools",
      "User",
      "Labelled",
      "All",
      "Entries of the session",
      // The conversation comes before the figures.
      "Figures",
      "Link to this entry",
      "Link to this entry",
      "Copy message",
    ]);
    await page.reload();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
    await page.context().close();
  });

  test("is informed of the effect of a key", async () => {
    const { page } = await openPage(path);
    const heard = () => page.textContent(".notice[role=status]");
    await page.keyboard.press("h");
    expect(await heard()).toBe("All thinking is open");
    await page.keyboard.press("n");
    expect(await heard()).toBe("No search");
    await page.keyboard.press("[");
    expect(await heard()).toBe("No prompt before this");
    await page.keyboard.press("d");
    expect(await heard()).toBe("Colors: light");
    await page.context().close();
  });

  test("gets the lines of the tree with their roles", async () => {
    const { page } = await openPage(path);
    const outline = await page.locator(".tree").ariaSnapshot();
    expect(outline).toContain('treeitem "User: The command line tool');
    expect(outline).toContain('treeitem "bash: bun test test/forecast.test.ts, failed"');
    expect(outline).toContain('treeitem "edit: src/forecast.ts, label the fix"');
    expect(outline).toContain('on another branch" [expanded]');
    await page.context().close();
  });

  test("sees no animation when the system asks for that, and can zoom to twice the size", async () => {
    // A window of 1280 pixels at 200 % has room for 640.
    const { page } = await openPage(path, {
      viewport: { width: 640, height: 400 },
      deviceScaleFactor: 2,
      reducedMotion: "reduce",
    });
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll("*")]
        .filter((node) => {
          const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(node);
          return transitionDuration !== "0s" || animationName !== "none" || scrollBehavior !== "auto";
        })
        .map((node) => node.className),
    );
    expect(moving).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(640);
    await page.context().close();
  });
});
