import { afterAll, beforeAll, describe, expect } from "bun:test";
import { exportHtml } from "../../src/export/export-html.ts";
import { BROWSER, closePages, openPage, settled } from "../support/browser/browser.ts";
import { createHostileSession, HOSTILE } from "../support/export/hostile-session.ts";
import type { Sample } from "../support/export/sample-session.ts";
import { testWith } from "../support/system-tool.ts";

const test = testWith(BROWSER);

let sample: Sample;
let path: string;
beforeAll(async () => {
  const made = createHostileSession();
  ({ sample } = made);
  const tools = HOSTILE.map((evil) => ({ name: evil.slice(0, 100), description: evil }));
  const options = { source: { path: made.file }, cwd: sample.directory, blobDir: sample.blobDir, version: "1" };
  ({ path } = await exportHtml({ ...options, systemPrompt: HOSTILE.join("\n\n"), tools }));
});
afterAll(async () => {
  sample.remove();
  await closePages();
});

describe("a hostile session", () => {
  for (const width of [1280, 360]) {
    test(`does nothing, loads nothing and stays in its place, ${width} pixels wide`, async () => {
      const { page, troubles } = await openPage(path, { viewport: { width, height: 800 } });
      await page.evaluate(() => document.querySelector<HTMLElement>('[data-filter="all"]')?.click());
      // Printing builds everything at the same time.
      await page.evaluate(() => {
        window.dispatchEvent(new Event("beforeprint"));
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      const items = await page.$eval(".feed article", (article) => Number(article.getAttribute("aria-setsize")));
      expect(items).toBeGreaterThan(HOSTILE.length * 10);
      await settled(page);
      const state = await page.evaluate(() => {
        const all = [...document.querySelectorAll("*")];
        const links = [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].map(({ protocol }) => protocol);
        return {
          pwned: "pwned" in window,
          entries: document.querySelectorAll("article.entry").length,
          options: document.querySelectorAll(".answers .option").length,
          width: document.documentElement.scrollWidth,
          links: links.filter((protocol) => !["https:", "http:", "mailto:", "file:"].includes(protocol)),
          handlers: all.filter((node) => node.getAttributeNames().some((name) => name.startsWith("on"))).length,
          foreign: document.querySelectorAll("iframe, object, embed, base, link, main script, main style, main meta")
            .length,
        };
      });
      expect(state).toEqual({
        pwned: false,
        entries: items,
        options: HOSTILE.length * 2,
        width,
        links: [],
        handlers: 0,
        foreign: 0,
      });
      for (const part of [0.3, 0.6, 1]) {
        await page.evaluate((place) => window.scrollTo(0, document.documentElement.scrollHeight * place), part);
        await settled(page);
      }
      expect(await page.evaluate(() => "pwned" in window)).toBe(false);
      expect(troubles).toEqual([]);
      await page.context().close();
    });
  }

  test("cannot be reached through a link created from it", async () => {
    const { page, troubles } = await openPage(path, {
      hash: "#entry-%22%3E%3Cimg%20src%3Dx%20onerror%3Dwindow.pwned%3D1%3E%27",
    });
    await settled(page);
    expect(await page.textContent(".entry.is-chosen .prose")).toBe(`"><img src=x onerror=window.pwned=1>'`);
    expect(await page.evaluate(() => "pwned" in window)).toBe(false);
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test("the browser itself would also block what the page never does", async () => {
    const { page } = await openPage(path);
    const refused = await page.evaluate(async () => {
      const attempts: Record<string, () => unknown> = {
        markup: () => {
          document.body.innerHTML += "<p>x</p>";
        },
        script: () => {
          const script = document.createElement("script");
          script.textContent = "window.pwned = 1";
          document.body.append(script);
        },
      };
      const outcome: Record<string, boolean> = {};
      for (const [name, attempt] of Object.entries(attempts)) {
        try {
          attempt();
          outcome[name] = !("pwned" in window) && name === "script";
        } catch {
          outcome[name] = true;
        }
      }
      outcome.network = await fetch("https://evil.example/").then(
        () => false,
        () => true,
      );
      return outcome;
    });
    expect(refused).toEqual({ markup: true, script: true, network: true });
    await page.context().close();
  });
});
