import { afterAll, beforeAll, describe, expect } from "bun:test";
import { exportHtml } from "../../src/export/export-html.ts";
import { audit } from "../support/browser/audit.ts";
import { BROWSER, closePages, type OpenedPage, openPage, settled } from "../support/browser/browser.ts";
import { CORPUS } from "../support/export/markdown-corpus.ts";
import { createSample, type Sample, text } from "../support/export/sample-session.ts";
import { testWith } from "../support/system-tool.ts";

const test = testWith(BROWSER);

let sample: Sample;
let path: string;
beforeAll(async () => {
  sample = createSample();
  for (const [name, markdown] of CORPUS) {
    sample.user(name);
    sample.answer([{ type: "thinking", thinking: markdown }, text(markdown)]);
  }
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

/** The answer to the prompt with this name. */
const answer = ({ page }: OpenedPage, name: string) =>
  page
    .locator(".entry.user", { hasText: name })
    .locator("xpath=following-sibling::article[1]")
    .locator("> .entry-body > .prose");

describe("unusual Markdown", () => {
  for (const width of [1280, 320]) {
    test(`stays in its place and can be read, light and dark, ${width} pixels wide`, async () => {
      const { page, troubles } = await openPage(path, { viewport: { width, height: 30_000 } });
      await page.keyboard.press("h");
      await settled(page);
      expect(await page.$$eval(".entry", (all) => all.length)).toBe(CORPUS.length * 2);
      const outside = await page.evaluate(() => {
        const { left, right } = (document.querySelector(".feed") as Element).getBoundingClientRect();
        return [...document.querySelectorAll(".entry *")]
          .filter((node) => !node.closest(".code-body, .table-frame") && node.checkVisibility())
          .filter((node) => {
            const box = node.getBoundingClientRect();
            return box.width > 0 && (box.left < left - 12 || box.right > right + 12);
          })
          .map((node) => node.outerHTML.slice(0, 100));
      });
      expect(outside).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await audit(page)).toEqual([]);
      }
      expect(troubles).toEqual([]);
      await page.context().close();
    });
  }

  test("is rendered as its author meant", async () => {
    const opened = await openPage(path, { viewport: { width: 1280, height: 30_000 } });
    await settled(opened.page);
    const of = (name: string) => answer(opened, name);
    expect(await of("nested lists").locator("li li li li").count()).toBe(2);
    expect(await of("nested lists").locator("ol[start='10'] > li").allTextContents()).toEqual(["ten", "eleven"]);
    expect(
      await of("tasks")
        .locator("[role=img]")
        .evaluateAll((all) => all.map((node) => node.ariaLabel)),
    ).toEqual(["done", "open", "done", "open"]);
    const [room, needed] = await of("wide table")
      .locator(".table-frame")
      .evaluate((frame) => [frame.clientWidth, frame.scrollWidth] as const);
    expect(needed).toBeGreaterThan(room); // it scrolls; no word is torn apart
    expect(await of("table with everything").locator("tr").count()).toBe(7);
    expect(await of("unclosed fence").locator("code").textContent()).toEndWith("- not a list");
    expect(await of("headings").locator("[role=heading]").count()).toBe(8);
    expect(await of("emphasis").locator("em > strong").first().textContent()).toBe("both");
    expect(
      await of("links")
        .locator("a")
        .evaluateAll((all) => all.map((link) => link.getAttribute("href"))),
    ).toEqual([
      "https://example.com/",
      "https://example.com/a_b",
      "https://example.com/a_(b)",
      "https://example.com/ref",
      "https://example.com/i.png",
      "#entry-1",
      "mailto:a@example.com",
    ]);
    const directions = await of("right to left")
      .locator("> *")
      .evaluateAll((all) => all.map((node) => getComputedStyle(node).direction));
    expect(directions).toEqual(["rtl", "rtl", "rtl", "rtl", "ltr", "ltr"]);
    await opened.page.context().close();
  });
});
